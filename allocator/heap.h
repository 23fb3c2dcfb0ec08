// Heaps as things: a set of raw blocks that lives and dies as one.
//
// A ThreadHeap is a thread's way to the domain; its blocks belong to whoever has the
// pointer. A Heap is the other idea: one tenant's memory (a Lua state, a request, a
// document), made and destroyed by any thread, emptied at once, handed from thread
// to thread, with a limit and figures of its own. Its pages come from the domain's
// arenas, hold blocks of nobody else, are never adopted by another heap, and go back
// when it is reset or destroyed. Raw blocks only: objects belong to the collector.
//
// Words: a `Heap` names the thing (a small value, copied freely); a `HeapHold` is the
// right of one thread to allocate from it. At most one thread holds a heap at a
// time. Blocks may be freed by anybody, through the hold or as any block
// (ThreadHeap::Free, HeapDomain::FreeFromAnywhere).
//
//   Heap heap = *Heap::Create(domain, {.max_live = 64 << 20});
//   HeapHold hold;
//   heap.Take(thread, &hold);              // this thread may allocate now
//   void* p = hold.Allocate(100);          // ... p = hold.Reallocate(p, 200);
//   heap.Reset();                          // any thread: all blocks are gone
//   heap.Destroy();                        // any thread, whoever holds it
//
// Nothing waits for the holder. Take, Reset, Destroy, Purge and Figures are legal from
// any thread while another holds the heap, is blocked, or has ended without letting
// go: they wait at most for the operation that the holder is in the middle of. A holder
// whose heap was taken or destroyed finds out at its next operation, which is refused
// (null) and reported as a bad free is (option bad_free); it never touches memory of
// others, whatever became of the record, because a hold is known by a number that is
// never used twice.
//
// What the caller must see to: nobody frees or uses a block of a heap at the moment when
// it is reset or destroyed, as nobody may use a block at the moment it is freed.
//
// Cost: an operation is that of a ThreadHeap plus two stores and two loads (the holder
// says which heap it is in; whoever takes the heap from outside runs a barrier on all
// processors, about 2 us). A foreign free is a compare-and-swap and two atomic adds.
// Memory: 6 KiB a heap, and for each size class in use at least one OS page. Waiting
// foreign frees are taken up at the holder's next slow path, or by the freeing thread
// itself once 256 KiB of them wait.
//
// Protocol, word `holder` of internal/heap_record.h:
//   #   holder      event                   next        who              order
//   T1  any, even   Take                    new token   anyone           CAS acq_rel to
//                                                                        old | 1, see T4
//   T2  token       operation               token       the holder       in_heap store,
//                                                                        barrier-free, load
//   T3  token       Release                 0           the holder       CAS release
//   T4  any, even   somebody interrupts     old | 1     anyone           CAS acq_rel, then
//                                                                        a process barrier
//                                                                        and wait for in_heap
//   T5  old | 1     interruption ends       old, new    who did T4       release store
//                                           token or 0
// T2's store to its ThreadHeap's in_heap is ordered before its look at `holder` by the
// barrier of T4: either T4 sees in_heap and waits, or T2 sees the odd word and steps
// back. T5 releases everything that was done to the heap to T2 and T4.
//
// Rejected: a lock in the heap (an atomic read-modify-write each way, and a blocked
// holder would block everybody); a cached part per thread, which is what goes stale
// when a heap is destroyed and made again at the same address.
#ifndef TIDEPOOL_ALLOCATOR_HEAP_H_
#define TIDEPOOL_ALLOCATOR_HEAP_H_

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "tidepool/allocator/heap_domain.h"

namespace tidepool {

namespace internal {
struct HeapRecord;
}

// Limits of a heap; 0 is none. A request beyond one is refused with null. The
// domain's own limits hold besides.
struct HeapConfig {
  // Of the bytes of its live blocks, each with its block size.
  uint64_t max_live = 0;
  // Of the memory it can make resident: its pages as far as they are in use.
  uint64_t max_committed = 0;
};

// Right to the byte when no operation is under way, at any moment else.
struct HeapFigures {
  uint64_t live_bytes;      // of live blocks, with their block sizes
  uint64_t live_blocks;
  uint64_t committed;       // bytes of its pages as far as in use
  uint64_t pages;           // blocks above 64 KiB are a page each
  uint64_t peak_live;       // highest live_bytes since Create or ResetPeaks
  uint64_t peak_committed;
  uint64_t refused;         // requests refused, by whichever limit
  uint64_t foreign_frees;   // blocks freed by others than the holder
};

class HeapHold;

class Heap {
 public:
  // No heap; every call on it fails.
  Heap() = default;

  // A new heap of the domain, held by nobody. Any thread, attached or not.
  // RESOURCE_EXHAUSTED when memory for its record is refused.
  static absl::StatusOr<Heap> Create(HeapDomain* domain,
                                     const HeapConfig& config = {});
  // The heap of a live block; an empty Heap if it belongs to none.
  static Heap Of(const void* block);

  // It was created and not destroyed yet. Any thread.
  bool alive() const;
  bool operator==(const Heap& other) const {
    return record_ == other.record_ && generation_ == other.generation_;
  }

  // --- Any thread, whoever holds the heap. False: it is gone. ---

  // From now on `self`, the calling thread's heap in the same domain, holds it.
  // Whoever held it before does no more. `self` may be attached or detached.
  bool Take(ThreadHeap* self, HeapHold* hold) const;
  // The same if nobody holds it, else false.
  bool TryTake(ThreadHeap* self, HeapHold* hold) const;
  // Ends every block at once. Holds stay, limits and peaks too.
  bool Reset() const;
  // Ends the heap and every block. Copies of this Heap are dead afterwards.
  bool Destroy() const;
  // Collects what others freed and gives unused pages and OS pages without a live
  // block back to the domain and the OS. `purged` may be null.
  bool Purge(size_t* purged = nullptr) const;

  bool Figures(HeapFigures* out) const;
  bool SetLimits(const HeapConfig& config) const;
  bool ResetPeaks() const;
  // The pages of this heap, as HeapDomain::VisitPages shows them. The holder waits
  // meanwhile. The visitor must not allocate, free, or touch the heap.
  bool VisitPages(absl::FunctionRef<void(const PageInfo&)> visit) const;

 private:
  friend class HeapHold;
  friend struct internal::HeapRecord;
  Heap(internal::HeapRecord* record, uint64_t generation)
      : record_(record), generation_(generation) {}

  internal::HeapRecord* record_ = nullptr;
  uint64_t generation_ = 0;
};

// The right of one thread to allocate. Used by that thread only; may be copied (a
// copy is the same right).
class HeapHold {
 public:
  HeapHold() = default;

  // Null: refused by a limit or the OS, or the hold is no longer valid.
  // At least `size` bytes, aligned to 16. Size 0 gives a smallest block.
  void* Allocate(size_t size);
  void* AllocateZeroed(size_t size);
  void* AllocateAligned(size_t size, size_t alignment);  // any power of two
  // As realloc: the old block stays as it was when null comes back. A block of
  // another heap is refused with a report.
  void* Reallocate(void* block, size_t size);
  // Any block of any heap; null is allowed. Also after the hold was lost (then it is
  // freed as by any other thread).
  void Free(void* block);

  // Whether this thread still holds the heap.
  bool valid() const;
  // Nobody holds it then. Does nothing if the hold was lost already.
  void Release();
  Heap heap() const;

 private:
  friend class Heap;
  bool Enter();
  bool EnterSlow();
  void Leave();
  void* AllocateSlow(unsigned row, size_t size, bool zero, size_t least = 0);
  void* AllocateLarge(size_t size, size_t alignment, bool zero);
  void FreeOther(void* block);

  internal::HeapRecord* record_ = nullptr;
  ThreadHeap* self_ = nullptr;
  uint64_t token_ = 0;
  uint64_t generation_ = 0;
};

}  // namespace tidepool

#endif  // TIDEPOOL_ALLOCATOR_HEAP_H_
