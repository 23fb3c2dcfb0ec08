// DomainCore: what the threads of a heap domain share, and the steps on pages.
//
// The steps form ladders, each rung a function:
//   allocation  FindOwnedPage: own queue -> retained full pages;
//               then FindPage: Adopt -> NewPage
//   new page    TakeDormant -> dirty slices -> ConvertDormant -> fresh slices
//   free        inline push | FreeAny: own | Reclaim | AddToChain -> HandOver ->
//               PushChain -> AfterClaim
//   let go      Collect -> ReleaseEmpty | AddToBin -> Disown (P3, X3 of page.h)
// A step that may fail changes nothing when it does.
#ifndef TIDEPOOL_ALLOCATOR_INTERNAL_CORE_H_
#define TIDEPOOL_ALLOCATOR_INTERNAL_CORE_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/allocator/heap_domain.h"
#include "tidepool/allocator/internal/arena.h"
#include "tidepool/allocator/internal/budget.h"
#include "tidepool/allocator/internal/dormant_pool.h"
#include "tidepool/allocator/internal/hardened.h"
#include "tidepool/allocator/internal/meta_pool.h"
#include "tidepool/allocator/internal/page.h"
#include "tidepool/allocator/internal/purge.h"
#include "tidepool/allocator/internal/sampler.h"
#include "tidepool/allocator/thread_heap.h"
#include "tidepool/base/mutex.h"
#include "tidepool/base/tls.h"
#include "tidepool/qsbr/limbo.h"
#include "tidepool/qsbr/qsbr.h"

namespace tidepool::internal {

// The available pages of one kind and class.
struct Bin {
  Mutex lock;
  Atomic<uint32_t> count;  // written under the lock; read before taking it
  Page* head;
};

struct HeapRecord;

struct DomainCore {
  DomainCore(const Options& o, Os* o_s, HeapDomain* d);
  ~DomainCore();

  const Options options;
  Os* const os;
  // The option, or none of it but double_free where a tool watches. `tail`: bytes
  // behind each block that are ours.
  const uint32_t hardening;
  const size_t tail;
  Quarantine* quarantine = nullptr;
  Atomic<uint64_t> random{0};
  Atomic<uint32_t> guards{0};  // guard slices: bounded, each costs mappings
  HeapDomain* const domain;
  Counters counters;
  Budget budget;
  MetaPool meta;
  ArenaSet arenas;
  QsbrDomain qsbr;
  DormantPool pool;
  SharedLimbo limbo;
  Purger purger;
  Sampler sampler;
  Bin bins[kQueueKindCount][kClassCount] = {};
  Bin sampled_bins[kQueueKindCount][kClassCount] = {};  // pages of samples

  // Held while somebody works on other threads' heaps or walks all pages, so that
  // two such walks do not meet.
  Mutex control_lock{0};

  Mutex heaps_lock{0};
  ThreadHeap* heaps ABSL_GUARDED_BY(heaps_lock) = nullptr;
  ThreadHeap* dead_heaps ABSL_GUARDED_BY(heaps_lock) = nullptr;
  Atomic<uint64_t> alloc_budget{0};
  // What ThreadHeap::allocated_ held when it was reset, and that of exited threads.
  Atomic<uint64_t> allocated_before{0};

  // Heaps as things. Guards the lists of their pages and the dead records.
  Mutex things_lock{0};
  Atomic<HeapRecord*> things{nullptr};  // all ever made; only grows
  HeapRecord* dead_things ABSL_GUARDED_BY(things_lock) = nullptr;
  Atomic<uint64_t> thing_tokens{0};

  Mutex records_lock{0};
  Page* free_records ABSL_GUARDED_BY(records_lock) = nullptr;

  Mutex callback_lock{0};  // guards the pair below
  bool (*pressure)(void*, const MemoryPressure&) = nullptr;
  void* pressure_arg = nullptr;
  Atomic<void (*)(void*, const MemoryFault&)> fault_handler{nullptr};
  Atomic<void*> fault_arg{nullptr};
  Atomic<uint8_t> above_soft{0};
  Atomic<bool> background{false};  // a background thread was asked for
  Atomic<uint64_t> counted{0};     // allocations, while fail_allocation is set
};

// The domain that this thread is walking over (VisitPages), with a lock of it held:
// slow paths, which would want that lock, are refused meanwhile and say so.
extern TIDEPOOL_TLS const DomainCore* g_walked;
inline bool InWalk(const DomainCore* core) {
  return __builtin_expect(g_walked == core, 0);
}
struct WalkScope {
  explicit WalkScope(const DomainCore* core) : before(g_walked) { g_walked = core; }
  ~WalkScope() { g_walked = before; }
  const DomainCore* const before;
};

// All that works on ThreadHeaps and pages.
struct HeapOps {
  // --- pages.cc: making, filling and giving back pages. ---
  static Page* NewRecord(DomainCore* core);
  static void FreeRecord(DomainCore* core, Page* page);
  // An empty page, owned by the caller, in no list. Null: refused.
  static Page* NewPage(DomainCore* core, unsigned queue_kind, unsigned c);
  // Links more blocks into `free`. False: none left, or refused.
  static bool ExtendPage(DomainCore* core, Page* page);
  // Moves local_free and xthread to `free`. True if `free` is not empty.
  static bool CollectPage(DomainCore* core, Page* page);
  // Takes what others freed (X2); returns how many blocks.
  static uint32_t CollectForeign(DomainCore* core, Page* page);
  // Whether an allocation could be served (after a collect).
  static bool HasRoom(const Page* page);
  // More blocks of the page were freed than there were: a fault, reported. All of them are
  // dead, and its lists may go in circles: they are made anew. By its owner; the page stays
  // where it is, empty.
  static void StartAnew(DomainCore* core, Page* page);
  // The page is empty, owned by the caller and in no list.
  static void ReleaseEmpty(DomainCore* core, Page* page);
  // A dormant or raw empty page: its slices go back to the arenas.
  static void DissolvePage(DomainCore* core, Page* page);
  static Page* WakeDormant(DomainCore* core, Page* page);
  static void InitPage(DomainCore* core, Page* page, unsigned queue_kind,
                       unsigned c, const Run& run);
  // Dormant pages whose goal has passed become free slices. True if any did.
  static bool ConvertDormant(DomainCore* core, size_t bytes);

  // --- ownership.cc: the protocol of xthread. ---
  static void PushChain(DomainCore* core, Page* page, void* first, void* last,
                        uint32_t count, ThreadHeap* heap);
  static void AfterClaim(DomainCore* core, Page* page, ThreadHeap* heap);
  // X4 by a thread that wants the page and has not pushed its block: true, and the
  // heap has the page.
  static bool Reclaim(DomainCore* core, Page* page, ThreadHeap* heap);
  // The page is in no list of a heap. Ends the caller's ownership.
  static void Abandon(DomainCore* core, Page* page);
  static bool Disown(Page* page);
  static void AddToBin(DomainCore* core, Page* page);
  static void RemoveFromBin(DomainCore* core, Page* page);
  static Page* AdoptFromBin(DomainCore* core, Bin* bin);
  static Bin& BinOf(DomainCore* core, const Page* page) {
    // Relaxed: set before the page had blocks.
    auto& bins = page->sampled.load(kRelaxed) != 0 ? core->sampled_bins : core->bins;
    return bins[page->queue_kind][page->size_class];
  }

  // --- holes.cc: OS pages without a live block in partly used pages. ---
  // Purges them; the caller owns the page. Returns the bytes given back.
  static size_t PurgeHoles(DomainCore* core, Page* page);
  // Takes some back into use: links blocks into `free`. False: none, or refused.
  static bool FillHoles(DomainCore* core, Page* page);
  // The page is empty: forgets the holes.
  static void DropHoles(DomainCore* core, Page* page);

  // --- large.cc: blocks with a page of their own. ---
  static void* AllocateLarge(DomainCore* core, ThreadHeap* heap, HeapKind kind,
                             size_t size, size_t alignment, bool zero);
  static void FreeLarge(DomainCore* core, Page* page, void* block);
  static bool ResizeLarge(DomainCore* core, Page* page, size_t size);

  // --- heap_pages.cc: a heap's queues. ---
  // A page with blocks in `free`, current afterwards. The first looks only at what
  // the heap has.
  static Page* FindOwnedPage(ThreadHeap* heap, unsigned queue_kind, unsigned c);
  // The first of the queue that has blocks, or whose list goes on behind a cut.
  static Page* PageWithBlocks(ThreadHeap* heap, PageQueue* queue);
  static PageQueue* QueueOf(ThreadHeap* heap, const Page* page) {
    // Relaxed: set before the page had blocks.
    auto* rows = page->sampled.load(kRelaxed) != 0 ? heap->sampled_ : heap->queues_;
    return &rows[page->queue_kind][page->size_class];
  }
  static Page* FindPage(ThreadHeap* heap, unsigned queue_kind, unsigned c);
  static void TakeIntoHeap(ThreadHeap* heap, Page* page);
  // A page that was adopted or made comes into the heap. False: it has no block to give.
  static bool JoinQueue(ThreadHeap* heap, PageQueue* queue, Page* page);
  static void QueuePushFront(PageQueue* queue, Page* page);
  static void QueuePushBack(PageQueue* queue, Page* page);
  static void QueueRemove(PageQueue* queue, Page* page);
  static void FullPush(PageQueue* queue, Page* page);
  static void FullRemove(PageQueue* queue, Page* page);
  static void MakeCurrent(ThreadHeap* heap, Page* page);
  static void PageIsFull(ThreadHeap* heap, Page* page);
  static void FullToQueue(ThreadHeap* heap, Page* page);
  static void RetireOrRelease(ThreadHeap* heap, Page* page);
  static void ExpireRetired(ThreadHeap* heap, bool all);
  static bool IsOurs(const ThreadHeap* heap, const Page* page) {
    // Relaxed: only this thread ever stores its own heap there (page.h).
    const uintptr_t owner = page->owner.load(kRelaxed) & ~Page::kSlow;
    return owner != 0 && owner == reinterpret_cast<uintptr_t>(heap);
  }
  static uintptr_t OwnerWord(const ThreadHeap* heap, const Page* page);
  // Everything a heap can give up without moving a block. Returns purged bytes.
  static size_t Trim(ThreadHeap* heap, bool holes);
  static void AbandonAll(ThreadHeap* heap);

  // --- thread_heap.cc. ---
  static void AddToChain(ThreadHeap* heap, Page* page, void* block);
  static bool HandOver(ThreadHeap* heap, ForeignChain* chain);  // true: a tail call
  // What is not appended to a chain; then the purger's turn, if it is due.
  static void FreeRest(ThreadHeap* heap, void* block);
  // To valgrind, all blocks of the page are free.
  static void ForgetBlocks(const Page* page);
  static size_t RequestedSize(const Page* page, const void* block);
  static void HandOut(DomainCore* core, ThreadHeap* heap, void* block,
                      size_t size, bool zero);
  static void FlushBatch(ThreadHeap* heap);
  static void FreeAny(DomainCore* core, ThreadHeap* heap, void* block,
                      Page* page);
  static void FreeChecked(DomainCore* core, ThreadHeap* heap, void* block,
                          Page* page, const SamplePlace& place);
  // The page's next block; or, if that one is a sample, a block of a page of samples.
  // Null: neither is left.
  static void* TakeBlock(ThreadHeap* heap, Page* page);
  static void* AllocateSampled(ThreadHeap* heap, unsigned queue_kind, unsigned c);
  static void* AllocateOwned(ThreadHeap* heap, unsigned queue_kind, unsigned c);
  static void* AllocateClass(ThreadHeap* heap, unsigned queue_kind, unsigned c);
  // After a refusal: makes room if it can. True: try again.
  static bool MakeRoom(DomainCore* core, ThreadHeap* heap, int* stage,
                       size_t bytes);
  static void DrainLimbo(ThreadHeap* heap);
  static size_t FreeFromLimbo(void* block, void* context);
  static void BadFree(DomainCore* core, const void* block, MemoryFault::Kind kind,
                      const char* what);
  // Tells the fault handler, and reports "<refused> <pointer>: <why>" as the option
  // bad_free says.
  static void BadUse(DomainCore* core, MemoryFault::Kind kind,
                     const char* refused, const void* pointer, const char* why);
  static void* RefuseInWalk(DomainCore* core);  // null

  // --- hardened.cc (hardened.h). ---
  // False: no memory.
  static bool StartHardening(DomainCore* core);
  static void HardenPage(DomainCore* core, Page* page);
  // The block is dead: it waits, and another's wait may end.
  static void PutInQuarantine(DomainCore* core, ThreadHeap* heap, Page* page,
                              void* block);
  static void EndQuarantine(DomainCore* core, ThreadHeap* heap, void* block);
  static void CheckTail(DomainCore* core, const Page* page, const void* block);
  // Limbo will link the block through its first word: its tail must lie behind it.
  static void TailBeforeLimbo(DomainCore* core, Page* page, void* block);
  static bool IsLive(const Page* page, const void* block);
  // A drain hands the block over to be freed, as if it had never waited. Returns its page.
  static Page* LeaveLimbo(DomainCore* core, void* block);
  // Hardened: whether the block waits in limbo; and notes it, or that it does no more.
  static bool IsWaiting(const Page* page, const void* block);
  static void MarkWaiting(const Page* page, const void* block, bool waits);
  // Makes the slice behind a new page a guard, if it can; else gives it back.
  static void GuardBehind(DomainCore* core, Page* page);
  static void DropGuard(DomainCore* core, Page* page);
  static void MarkLive(Page* page, const void* block) {
    if (page->live_bits == nullptr) return;
    uint32_t i = page->IndexOf(block);
    // Relaxed: the block's way to whoever frees it orders the bit.
    page->live_bits[i >> 6].fetch_or(uint64_t{1} << (i & 63), kRelaxed);
  }
  static void CheckSoftLimit(DomainCore* core, ThreadHeap* heap, size_t bytes);
  static bool InGate(const ThreadHeap* heap);
  static bool CallBack(bool (*callback)(void*, const MemoryPressure&), void* arg,
                       const MemoryPressure& pressure, ThreadHeap* heap);
  // Option fail_allocation: counts one allocation; true: it is to fail.
  static bool MadeToFail(DomainCore* core) {
    const int64_t at = core->options.fail_allocation;
    if (__builtin_expect(at == 0, 1)) return false;
    // Relaxed: a counter.
    const uint64_t n = core->counted.fetch_add(1, kRelaxed) + 1;
    return at > 0 ? n == static_cast<uint64_t>(at) : n >= static_cast<uint64_t>(-at);
  }
  static bool TryHold(ThreadHeap* heap);
  static void LetGo(ThreadHeap* heap);

  // --- realloc.cc. ---
  // Copies, or moves the OS pages of a large block (`from` is zero then).
  static void MoveBlock(DomainCore* core, void* to, void* from, size_t bytes,
                        bool large);

  static ThreadHeap* Next(ThreadHeap* heap) { return heap->next_; }
  template <class Visit>
  static void VisitChains(const ThreadHeap* heap, Visit&& visit) {
    for (const ForeignChain& chain : heap->chains_) {
      // Relaxed: figures. Page records stay while the domain lives.
      const Page* page = chain.page.load(kRelaxed);
      if (page != nullptr) visit(page, chain.count.load(kRelaxed));
    }
  }

  // --- heap_domain.cc. ---
  static size_t PurgeAll(DomainCore* core, ThreadHeap* self);
  // Sum of what the heaps say they allocated; changes when any of them works.
  static uint64_t AllocatedByAll(DomainCore* core);
};

// `visit(block)` for each block in the page's free lists, what is cut off and what others
// freed included; not in holes and chains.
template <class Visit>
void ForEachFreeBlock(const Page* page, Visit&& visit) {
  const auto walk = [&](void* list) {
    for (; list != nullptr; list = NextOf(page, list)) visit(list);
  };
  // Relaxed, all: nobody else is active.
  void* foreign = XThread::List(page->xthread.load(kRelaxed));
  for (void* list : {page->free, page->local_free, foreign}) walk(list);
  Sampler::VisitCutLists(page, walk);
}

// Unused memory beyond an eighth of what is used and `slack` bytes.
uint64_t UnusedBeyond(DomainCore* core, uint64_t slack);

// Before `bytes` of fresh memory are used: what lies unused beyond an eighth of
// what is used and 2 MiB is purged first.
void BeforeCommit(DomainCore* core, size_t bytes);

}  // namespace tidepool::internal

#endif  // TIDEPOOL_ALLOCATOR_INTERNAL_CORE_H_
