// One thread's heap: the fast paths of allocation and free.
//
// A ThreadHeap belongs to one thread of one HeapDomain. All functions but the
// ones marked "any thread" are called by that thread, attached. The fast paths
// are inline: an allocation is a class computation, two loads and a pop; a free
// of an own block is the page map's two loads, a compare, an index check and a
// push. Neither has an atomic read-modify-write. `allocator/fast_path_test.cc` holds
// their instruction counts.
//
// A free pushes on the list that allocations pop, so the block that was used last,
// still in the cache, is the next one handed out. (mimalloc keeps a second list for
// frees, so that a slow path comes after a bounded number of allocations; here
// safepoints and the purger do what that would be for.)
//
// States of a heap (word `hold_`; H rows):
//   #   state     event          next      who                        order
//   H1  detached  Attach         attached  its thread                 acquire CAS
//   H2  attached  Detach         detached  its thread                 release store
//   H3  detached  hold           held      anyone (purge, exit of a   acquire CAS
//                                          gone thread)
//   H4  held      let go         detached  who holds                  release store
// H1 waits while held. H2 and H4 release everything the holder did to the heap to
// H1 and H3, so a blocked thread's heap can be purged for it, and nothing waits for
// a thread that is blocked.
//
// Threads without safepoints (the drop-in malloc) stay detached and reach their heap
// through a HeapGate, two words of their own:
//   H5  open          Enter      open, busy    its thread  plain store, then a load
//   H6  busy          Leave      not busy      its thread  release store
//   H7  open          hold       closed        the holder, after H3: store, a barrier
//                                              on all processors, then wait: not busy
//   H8  closed        let go     open          the holder, before H4: release store
// A closed gate leads to a heap without pages (g_closed_heap), so that neither fast
// path needs a test for it: both take their slow path, which waits. Either the holder
// sees busy after its barrier, or Enter's load comes after the holder's store.
//
// Foreign frees of small blocks are gathered in chains, one per page, linked as their
// page will have them, and handed over when a chain has kChainBlocks blocks or all
// chains together kChainBytes, when another page wants the chain's place, at
// safepoints, at detach and at exit: one compare-and-swap per chain instead of one
// per block. A block in a chain is still in use as far as its page knows, so a chain
// needs no protocol of its own; its count may be read by others, for figures.
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
class Sampler;
// Stands where a queue has no page: nothing free, owned by nobody.
extern Page g_no_page;

// What the fast path of an allocation reads: the page that serves each class. The
// classes below a kind's smallest block have none, so their requests take the slow
// path, which rounds them up.
struct CurrentPages {
  Page* current_[kQueueKindCount][kClassCount];
};
extern CurrentPages g_closed_heap;

// Blocks of one page, freed by a thread that does not own it. By that thread only,
// but for `page` and `count`, which figures look at.
struct ForeignChain {
  Atomic<Page*> page;  // null: empty
  void* first;
  void* last;
  Atomic<uint32_t> count;
};
}  // namespace internal

namespace internal {
// Between a store and a load whose order another thread enforces by a process-wide
// barrier.
inline void CompilerFence() {
#if TIDEPOOL_TSAN
  AtomicFence(kSeqCst);
#else
  __asm__ volatile("" ::: "memory");
#endif
}
}  // namespace internal

// Where a thread without safepoints finds its heap; see H5. Lives with its thread.
class HeapGate {
 public:
  constexpr HeapGate() : pages_(&internal::g_closed_heap), busy_(0) {}
  // Its pages until Leave: those of the heap, or none while the gate is closed.
  internal::CurrentPages* Enter() {
    busy_.store(1, kRelaxed);
    internal::CompilerFence();
    return pages_.load(kAcquire);  // pairs with H8
  }
  void Leave() {
    busy_.store(0, kRelease);  // H6: pairs with the holder's acquire
  }

 private:
  friend class ThreadHeap;
  friend class HeapDomain;
  friend struct internal::HeapOps;
  Atomic<internal::CurrentPages*> pages_;
  Atomic<uint32_t> busy_;
};

class ThreadHeap : private internal::CurrentPages {
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

  // --- For a thread without safepoints: heap and gate belong together until
  // ExitThread, which closes it. `barriers` false says that process-wide barriers do
  // not work here, so that nobody else may hold this heap.
  void OpenGate(HeapGate* gate, bool barriers);
  // The heap behind a gate that was entered, or null if it is closed.
  static ThreadHeap* Behind(internal::CurrentPages* pages) {
    return pages != &internal::g_closed_heap ? static_cast<ThreadHeap*>(pages)
                                             : nullptr;
  }
  // The gate was found closed: waits (not busy) until it is open; busy again.
  void EnterSlow();
  // The fast paths, for pages that may be those of a closed gate.
  static void* TryAllocate(internal::CurrentPages* pages, HeapKind kind,
                           size_t size);
  // `kLink`: the link's offset, where the caller knows what kinds his pages have.
  enum class Freed { kDone, kLast, kNot };
  template <int kLink = -1>
  static Freed TryFree(internal::CurrentPages* pages, void* block);
  // What has to follow: null, or kNot: nothing was done so far. kLast: the block was
  // its page's last, or there was none left to free.
  void* AllocateSlow(HeapKind kind, size_t size);
  void FreeSlow(void* block);
  bool TryFreeForeign(void* block);  // false: FreeSlow is to be called
  void LastBlockFreed(void* block);

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
  // Bytes of the live blocks of the pages that this thread allocates from just now; by the
  // thread itself. What is freed into them is handed out again without being counted, so
  // that whoever frees much at once says so by CountReused: then AllocatedBytes grows by
  // about the same whether a program's garbage goes in many steps or in few.
  uint64_t LiveInCurrentPages() const;
  void CountReused(uint64_t bytes);
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
  // Foreign blocks freed and not handed over yet. Any thread: a figure, exact in a
  // stop.
  uint32_t batched() const;

 private:
  friend class HeapDomain;
  friend class HeapHold;
  friend struct internal::HeapOps;
  friend struct internal::HeapRecord;
  friend class internal::Sampler;

  enum Hold : uint32_t { kDetached = 0, kAttached = 1, kHeld = 2 };
  static constexpr unsigned kChains = 8;          // a power of two
  static constexpr uint32_t kChainBlocks = 32;
  static constexpr size_t kChainBytes = 64 << 10;  // of all chains together

  ThreadHeap() = default;

  internal::ForeignChain* ChainFor(const void* block) {
    return &chains_[(reinterpret_cast<uintptr_t>(block) >> kSliceShift) &
                    (kChains - 1)];
  }
  void* AllocateIn(unsigned queue_kind, size_t size, bool* is_zero,
                   size_t least = 0);
  void* AllocateLargeWith(HeapKind kind, size_t size, size_t alignment,
                          bool zero);
  void* AllocateGrown(size_t size);
  bool FreedBefore(const internal::Page* page, const void* block,
                   uint32_t waiting) const;
  static void* Pop(internal::Page* page, HeapKind kind, size_t size);
  void* ReallocateWatched(void* block, size_t size);

  HeapDomain* domain_;
  uint64_t tid_;
  internal::Origin* origin_;
  QsbrSlot* slot_;
  Atomic<uint32_t> hold_;
  HeapGate* gate_;   // or null
  bool unholdable_;  // has a gate, and barriers do not work
  Atomic<uint32_t> requests_;
  Atomic<Atomic<uint32_t>*> breaker_;
  Atomic<uint32_t> breaker_bit_;

  Atomic<uint64_t> allocated_;
  Atomic<uint64_t> alloc_budget_;

  internal::ForeignChain chains_[kChains];  // by slice
  size_t chain_bytes_;                      // in all of them

  Limbo limbo_;
  Atomic<size_t> limbo_bytes_;

  // Empty pages kept for a while, by class; bounded by retained_bytes_.
  size_t retained_bytes_;
  uint64_t retired_[internal::kQueueKindCount][2];  // by class

  // The Heap (heap.h) in one of whose operations the thread is: T2 and T4 there.
  Atomic<internal::HeapRecord*> in_heap_;
  // --- Heap profile (internal/sampler.h). ---
  uint64_t sample_interval_;  // that sample_left_ was drawn from; 0: off
  uint64_t sample_left_;      // bytes to the next sampled one
  uint64_t sample_random_;
  double sample_weight_;      // of the next one; 0: by its size
  internal::Page* sample_home_;  // the page whose list it was chosen in, or null
  bool sample_now_;           // the block that is being handed out is one
  bool in_sample_;

  bool in_callback_;  // the pressure callback runs on this thread
  ThreadHeap* next_;  // in the domain's list
  ThreadHeap* prev_;

  // Pages of samples, or null: none so far. Kept for the thread that comes next.
  internal::PageQueue (*sampled_)[kClassCount];
  internal::PageQueue queues_[internal::kQueueKindCount][kClassCount];
};

// --- Inline fast paths. ---

// Only memory checkers look at `size`: what was asked for.
inline void* ThreadHeap::Pop(internal::Page* page, HeapKind kind,
                             [[maybe_unused]] size_t size) {
  void* block = page->free;
  if (__builtin_expect(block != nullptr, 1)) {
    page->free = internal::GetLinkFast(block, LinkOffset(kind));
    page->AddUsed();
#if TIDEPOOL_ASAN
    TrackAllocated(block, size < MinBlockSize(kind) ? MinBlockSize(kind) : size);
#endif
  }
  return block;
}

inline void* ThreadHeap::TryAllocate(internal::CurrentPages* pages,
                                     HeapKind kind, size_t size) {
  if (__builtin_expect(size > kFineMax, 0)) return nullptr;
  return Pop(pages->current_[static_cast<unsigned>(kind)][FineClass(size)], kind,
             size);
}

template <int kLink>
inline ThreadHeap::Freed ThreadHeap::TryFree(internal::CurrentPages* pages,
                                             void* block) {
  internal::Page* page = internal::PageMap::LookupAddress(block);
  // The page's last freed block is not freed again: the list's head is never a live one.
  if (__builtin_expect(page == nullptr || !page->OwnerIs(pages) ||
                           !page->HoldsBlockAt(block) || block == page->free,
                       0)) {
    return Freed::kNot;
  }
#if TIDEPOOL_ASAN
  TrackFreed(block, internal::PoisonOffset(page->kind), page->size());
#endif
  internal::SetLinkFast(block, kLink >= 0 ? kLink : page->link_offset, page->free);
  page->free = block;
  const uint32_t used = page->used.load(kRelaxed);  // relaxed: as above
  page->SetUsedAfterFree(used - 1);
  if (__builtin_expect(used > 1, 1)) return Freed::kDone;
  // A page that is up for retirement already needs no second look, but if it was empty:
  // then the block was free, and `used` is wrong until LastBlockFreed has seen to it.
  return used == 1 && page->retire != 0 ? Freed::kDone : Freed::kLast;
}

inline void* ThreadHeap::Allocate(HeapKind kind, size_t size) {
  void* block = TryAllocate(this, kind, size);
  return __builtin_expect(block != nullptr, 1) ? block
                                               : AllocateSlow(kind, size);
}

inline void ThreadHeap::Free(void* block) {
  Freed freed = TryFree(this, block);
  if (__builtin_expect(freed != Freed::kDone, 0)) {
    freed == Freed::kLast ? LastBlockFreed(block) : FreeSlow(block);
  }
}

}  // namespace tidepool

#endif  // TIDEPOOL_ALLOCATOR_THREAD_HEAP_H_
