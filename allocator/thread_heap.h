// One thread's heap: the fast paths of allocation and free.
//
// A ThreadHeap belongs to one thread of one HeapDomain. All functions but the
// ones marked "any thread" are called by that thread, attached. The fast paths
// are inline: an allocation is a class computation, two loads and a pop; a free
// of an own block is the page map's two loads, a compare, an index check and a
// push. Neither has an atomic read-modify-write.
//
// States of a heap (word `hold_`; H rows):
//   #   state     event          next      who                        order
//   H1  detached  Attach         attached  its thread                 acquire CAS
//   H2  attached  Detach         detached  its thread                 release store
//   H3  detached  hold           held      anyone (purge, exit of a   acquire CAS
//                                          gone thread)
//   H4  held      let go         detached  who holds                  release store
//   H5  detached  Enter          detached, busy  its thread           plain store,
//                                                                     then a look
//   H6  busy      Leave          detached  its thread                 release store
// Threads without safepoints (the drop-in malloc) stay detached and put Enter and
// Leave around each operation: two stores and a load. Whoever holds such a heap (H3)
// then runs a barrier on all processors and waits until it is not busy, so either
// the holder sees busy, or Enter sees held and waits.
// H1 waits while held. H2 and H4 release everything the holder did to the heap to
// H1 and H3, so a blocked thread's heap can be purged for it, and nothing waits for
// a thread that is blocked.
//
// Foreign frees of small blocks are gathered (16 blocks, 64 KiB) and handed over on
// the slow path, at safepoints, at detach and at exit: one compare-and-swap per page
// instead of one per block. A block in a batch is still in use as far as its page
// knows, so a batch needs no protocol of its own.
//
// How the thread hears that somebody wants it: requests() is a word of bits that any
// thread may set; whoever sets one also sets the breaker bit in the word that the object
// layer's safepoint looks at. Safepoint() takes the requests of this layer; the kGc bit
// stays until TakeGcRequest().
#ifndef TIDEPOOL_ALLOCATOR_THREAD_HEAP_H_
#define TIDEPOOL_ALLOCATOR_THREAD_HEAP_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/allocator/heap_kind.h"
#include "tidepool/allocator/internal/page.h"
#include "tidepool/allocator/internal/page_map.h"
#include "tidepool/allocator/size_class.h"
#include "tidepool/base/atomic.h"
#include "tidepool/qsbr/limbo.h"
#include "tidepool/qsbr/qsbr.h"

namespace tidepool {

class HeapDomain;
class HeapHold;

namespace internal {
struct HeapRecord;
struct PageQueue {
  Page* head;     // pages that may have free blocks
  Page* tail;
  uint32_t count;
  uint32_t full_count;
  Page* full;     // retained full pages, those looked at least recently first
  Page* full_tail;
};
struct HeapOps;
// Stands where a queue has no page: nothing free, owned by nobody.
extern Page g_no_page;
}  // namespace internal

class ThreadHeap {
 public:
  ThreadHeap(const ThreadHeap&) = delete;
  ThreadHeap& operator=(const ThreadHeap&) = delete;

  // --- Blocks. Null when memory is refused; nothing else happens then. ---

  // A block of at least `size` bytes, aligned to 16. Object kinds: the first 24
  // header bytes hold a dead header or zeros; the rest is unspecified.
  void* Allocate(HeapKind kind, size_t size);

  // Zeroed; for object kinds all but the first 24 bytes of the header.
  void* AllocateZeroed(HeapKind kind, size_t size);

  // `alignment` is a power of two. Works with Free and Reallocate as any other.
  void* AllocateAligned(HeapKind kind, size_t size, size_t alignment);

  // Frees a block of any thread of any domain's heap. Null is allowed. A pointer
  // that is no block is refused and reported (option bad_free).
  void Free(void* block);

  // As realloc, kind raw only. Null: refused, the old block is untouched. Size 0
  // gives a smallest block.
  void* Reallocate(void* block, size_t size);

  // Raw blocks that lock-free readers may look at. FreeDelayed frees after a grace
  // period; it cannot fail. The block's first word becomes the link of limbo, so
  // readers never look at that word. With `may_zero` the owner of the type allows
  // whole OS pages inside the block to read as zeros before that.
  void FreeDelayed(void* block, bool may_zero = false);
  // A new block of new_size with the first old_used bytes of p; p is freed delayed.
  // Never in place. Null: refused, p is untouched. p may be null. With `may_zero`
  // big blocks are moved by remapping, which leaves zeros at the old place.
  void* ReallocateDelayed(void* p, size_t old_used, size_t new_size,
                          bool may_zero = false);

  // --- The thread. ---
  void Attach();
  void Detach();
  bool attached() const { return hold_.load(kRelaxed) == kAttached; }

  // For a thread without safepoints, see H5; `false` once at the start says that
  // process-wide barriers do not work here, so nobody else may hold this heap.
  void UseEnterLeave(bool barriers);
  void Enter() {
    busy_.store(1, kRelaxed);  // ordered before the look by the holder's barrier
    CompilerFence();
    if (__builtin_expect(hold_.load(kRelaxed) != kDetached, 0)) EnterSlow();
  }
  void Leave() {
    busy_.store(0, kRelease);  // H6: pairs with the holder's acquire
  }

  // A quiescent state: no borrowed pointers. Takes requests of this layer.
  void Safepoint();
  bool wants_safepoint() const { return requests_.load(kRelaxed) != 0; }

  static constexpr uint32_t kDrain = 1;  // look after limbo
  static constexpr uint32_t kPurge = 2;  // give up empty pages and holes
  static constexpr uint32_t kGc = 4;     // the allocation budget is used up
  uint32_t requests() const { return requests_.load(kRelaxed); }
  // Any thread.
  void Request(uint32_t bits);
  // Whoever raises a request sets this bit of the word too (seq_cst), so that the
  // thread's safepoint need look at one word only. The word lives until ExitThread
  // has returned; its owner clears the bit before calling Safepoint.
  void SetBreaker(Atomic<uint32_t>* word, uint32_t bit);

  // --- Allocation budget (for collection policies). ---
  // Bytes taken since the last ResetAllocated, counted when a list of free blocks
  // is taken up (a page's worth ahead at most). Reuse of blocks just freed counts
  // only when a new list is taken.
  uint64_t allocated_since() const { return allocated_.load(kRelaxed); }
  void ResetAllocated();
  // Past this many bytes kGc is raised. 0 is never.
  void SetAllocBudget(uint64_t bytes);
  bool wants_gc() const { return (requests() & kGc) != 0; }
  bool TakeGcRequest();

  uint64_t tid() const { return tid_; }
  HeapDomain* domain() const { return domain_; }
  // Changes whenever the record is given to another thread.
  uint64_t generation() const { return origin_->generation.load(kRelaxed); }
  QsbrSlot* qsbr_slot() const { return slot_; }
  size_t limbo_bytes() const { return limbo_bytes_.load(kRelaxed); }
  // Foreign blocks freed and not handed over yet. By its thread, or in a stop.
  uint32_t batched() const { return batch_count_; }

 private:
  friend class HeapDomain;
  friend class HeapHold;
  friend struct internal::HeapOps;
  friend struct internal::HeapRecord;

  enum Hold : uint32_t { kDetached = 0, kAttached = 1, kHeld = 2 };
  static constexpr uint32_t kBatchBlocks = 16;
  static constexpr size_t kBatchBytes = 64 << 10;

  ThreadHeap() = default;

  void* AllocateSlow(unsigned queue_kind, size_t size);
  static void CompilerFence() {
#if TIDEPOOL_TSAN
    AtomicFence(kSeqCst);
#else
    __asm__ volatile("" ::: "memory");
#endif
  }
  void EnterSlow();
  void* AllocateLargeWith(HeapKind kind, size_t size, size_t alignment,
                          bool zero);
  void* AllocateGrown(size_t size);
  void FreeSlow(void* block, internal::Page* page);
  void LastBlockFreed(internal::Page* page);

  // The current page of each class first: the fast path reads nothing else.
  internal::Page* current_[internal::kQueueKindCount][kClassCount];

  HeapDomain* domain_;
  uint64_t tid_;
  internal::Origin* origin_;
  QsbrSlot* slot_;
  Atomic<uint32_t> hold_;
  Atomic<uint32_t> busy_;
  uint8_t enters_;  // uses Enter and Leave: 1, or 2 where barriers do not work
  Atomic<uint32_t> requests_;
  Atomic<Atomic<uint32_t>*> breaker_;
  Atomic<uint32_t> breaker_bit_;

  Atomic<uint64_t> allocated_;
  Atomic<uint64_t> alloc_budget_;

  internal::Page* batch_pages_[kBatchBlocks];
  void* batch_[kBatchBlocks];
  uint32_t batch_count_;
  size_t batch_bytes_;

  Limbo limbo_;
  Atomic<size_t> limbo_bytes_;

  // Empty pages kept for a while, by class; bounded by retained_bytes_.
  size_t retained_bytes_;
  uint64_t retired_[internal::kQueueKindCount][2];  // by class

  // The Heap (heap.h) in one of whose operations the thread is: T2 and T4 there.
  Atomic<internal::HeapRecord*> in_heap_;
  bool in_callback_;  // the pressure callback runs on this thread
  ThreadHeap* next_;  // in the domain's list
  ThreadHeap* prev_;

  internal::PageQueue queues_[internal::kQueueKindCount][kClassCount];
};

// --- Inline fast paths. ---

inline void* ThreadHeap::Allocate(HeapKind kind, size_t size) {
  size_t need = size < MinBlockSize(kind) ? MinBlockSize(kind) : size;
  if (__builtin_expect(need <= kMediumMax, 1)) {
    internal::Page* page =
        current_[static_cast<unsigned>(kind)][SizeClass(need)];
    void* block = page->free;
    if (__builtin_expect(block != nullptr, 1)) {
      page->free = internal::GetLink(block, LinkOffset(kind));
      // Relaxed: only the owner writes it; stats read it.
      page->used.store(page->used.load(kRelaxed) + 1, kRelaxed);
#if TIDEPOOL_ASAN
      TrackAllocated(block, page->size());
#endif
      return block;
    }
  }
  return AllocateSlow(static_cast<unsigned>(kind), need);
}

inline void ThreadHeap::Free(void* block) {
  internal::Page* page = internal::PageMap::Lookup(block);
  // Relaxed: only this thread ever stores its own heap there (page.h).
  if (__builtin_expect(page != nullptr &&
                           page->owner.load(kRelaxed) ==
                               reinterpret_cast<uintptr_t>(this) &&
                           page->IndexOf(block) <
                               page->extended.load(kRelaxed),
                       1)) {
#if TIDEPOOL_ASAN
    size_t skip = internal::PoisonOffset(page->kind);
    TrackFreed(static_cast<char*>(block) + skip, page->size() - skip);
#endif
    internal::SetLink(block, page->link_offset, page->local_free);
    page->local_free = block;
    uint32_t used = page->used.load(kRelaxed) - 1;  // relaxed: as above
    page->used.store(used, kRelaxed);
    // A page that is up for retirement already needs no second look.
    if (__builtin_expect(used == 0 && page->retire == 0, 0)) {
      LastBlockFreed(page);
    }
    return;
  }
  FreeSlow(block, page);
}

}  // namespace tidepool

#endif  // TIDEPOOL_ALLOCATOR_THREAD_HEAP_H_
