// Slow paths of a thread's heap: allocation when the current page is used up, frees
// that are not the owner's plain push, and what a refused allocation tries.
#include "tidepool/allocator/thread_heap.h"

#include <cstdio>
#include <cstring>

#include <unistd.h>

#include "tidepool/allocator/heap_domain.h"
#include "tidepool/allocator/internal/core.h"
#include "tidepool/allocator/internal/heap_record.h"
#include "tidepool/allocator/internal/process_barrier.h"
#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"

namespace tidepool {

using internal::DomainCore;
using internal::HeapOps;
using internal::InWalk;
using internal::kGrowQueue;
using internal::Page;
using internal::PageMap;
using internal::PageState;

namespace internal {
namespace {

constexpr size_t kBatchedMost = 4096;  // larger blocks are handed over at once

void* PopBlock(Page* page) {
  void* block = page->free;
  page->free = NextOf(page, block);
  // Relaxed: only the owner writes it; stats read it.
  page->used.store(page->used.load(kRelaxed) + 1, kRelaxed);
  HeapOps::MarkLive(page, block);
  return block;
}

}  // namespace

void HeapOps::ForgetBlocks(const Page* page) {
  // Relaxed, all: no thread uses the blocks any more.
  if (page->size_class == 0) TrackFreed(page->start, 0, page->size());
  for (uint32_t i = 0; page->live_bits != nullptr && i < page->capacity; ++i) {
    if ((page->live_bits[i >> 6].load(kRelaxed) >> (i & 63)) & 1) {
      TrackFreed(page->start + i * page->size(), 0, page->size());
    }
  }
}

// The block's size as its user knows it.
size_t HeapOps::RequestedSize(const Page* page, const void* block) {
  if (page->tails) return TailSize(page, block);
  if (!Watched() || page->thing != nullptr) return page->size();
  if (page->size_class == 0) return page->requested;
  return reinterpret_cast<size_t>(GetLink(block, page->size() - sizeof(void*)));
}

// A block leaves by one of the slow paths: tools and the heap profile hear of it.
void HeapOps::HandOut(DomainCore* core, ThreadHeap* heap, void* block,
                      size_t size, bool zero) {
  TrackAllocated(block, size, zero);
  if (core->tail != 0) {
    Page* page = PageMap::Lookup(block);
    if (page->tails) {
      SetTail(page, block, size);
    } else if (Watched()) {
      page->requested = size;  // large
      if (page->size_class != 0) {
        SetLink(block, page->size() - sizeof(void*), reinterpret_cast<void*>(size));
      }
    }
  }
  if (heap->sample_now_) {
    heap->sample_now_ = false;
    core->sampler.Sample(heap, block, size);
  }
}

void HeapOps::BadFree(DomainCore* core, const void* block,
                      MemoryFault::Kind kind, const char* what) {
  BadUse(core, kind, "refused to free", block, what);
}

void HeapOps::BadUse(DomainCore* core, MemoryFault::Kind kind,
                     const char* refused, const void* pointer, const char* why) {
  if (core != nullptr) {
    CountUp(core->counters.bad_frees);
    // Acquire pairs with SetFaultHandler: the argument is there with it.
    auto handler = core->fault_handler.load(kAcquire);
    if (handler != nullptr) {
      handler(core->fault_arg.load(kRelaxed), {kind, pointer, why});
    }
  }
  BadFreePolicy policy =
      core != nullptr ? core->options.bad_free : BadFreePolicy::kLog;
  if (policy == BadFreePolicy::kIgnore) return;
  if (policy == BadFreePolicy::kAbort) {
    Fatal("tidepool: %s %p: %s", refused, pointer, why);
  }
  char line[320];
  const int n = snprintf(line, sizeof(line), "tidepool: %s %p: %s\n", refused, pointer, why);
  const size_t length = n < 0 ? 0 : static_cast<size_t>(n);
  if (write(2, line, length < sizeof(line) ? length : sizeof(line) - 1) < 0) return;
}

void* HeapOps::RefuseInWalk(DomainCore* core) {
  BadUse(core, MemoryFault::kWrongUse, "refused to allocate in domain",
         core->domain, "inside a walk over it");
  return nullptr;
}

bool HeapOps::TryHold(ThreadHeap* heap) {
  if (heap->unholdable_) return false;
  uint32_t expected = ThreadHeap::kDetached;
  // H3. Acquire pairs with H2 and H4.
  if (!heap->hold_.compare_exchange_strong(expected, ThreadHeap::kHeld, kAcqRel,
                                           kRelaxed)) {
    return false;
  }
  HeapGate* gate = heap->gate_;
  if (gate == nullptr) return true;
  Os* os = heap->domain_->os();
  gate->pages_.store(&g_closed_heap, kRelaxed);  // H7: the barrier orders it
  if (!ProcessBarrier()) {
    LetGo(heap);
    return false;
  }
#if TIDEPOOL_TSAN
  AtomicFence(kSeqCst);
#endif
  // Acquire pairs with H6.
  while (gate->busy_.load(kAcquire) != 0) os->SleepNs(20000);
  return true;
}

void HeapOps::LetGo(ThreadHeap* heap) {
  // H8: pairs with Enter's acquire.
  if (heap->gate_ != nullptr) heap->gate_->pages_.store(heap, kRelease);
  heap->hold_.store(ThreadHeap::kDetached, kRelease);  // H4: pairs with H1, H3
}

void* HeapOps::TakeBlock(ThreadHeap* heap, Page* page) {
  if (__builtin_expect(heap->sample_now_, 0)) {
    void* block = AllocateSampled(heap, page->queue_kind, page->size_class);
    if (block != nullptr) return block;
    heap->domain_->core()->sampler.Miss(heap, page);
  }
  return page->free != nullptr ? PopBlock(page) : nullptr;
}

void* HeapOps::AllocateSampled(ThreadHeap* heap, unsigned queue_kind, unsigned c) {
  DomainCore* core = heap->domain_->core();
  if (heap->sampled_ == nullptr) {
    heap->sampled_ = static_cast<PageQueue(*)[kClassCount]>(
        core->meta.Take(sizeof(PageQueue[kQueueKindCount][kClassCount])));
    if (heap->sampled_ == nullptr) return nullptr;
  }
  PageQueue* queue = &heap->sampled_[queue_kind][c];
  Page* page = PageWithBlocks(heap, queue);
  if (page == nullptr) {
    page = AdoptFromBin(core, &core->sampled_bins[queue_kind][c]);
    if (page == nullptr) {
      page = NewPage(core, queue_kind, c);
      if (page == nullptr) return nullptr;
      page->slow = true;
      page->sampled.store(1, kRelaxed);  // before anybody has a block of it
    }
    if (!JoinQueue(heap, queue, page)) return nullptr;
  }
  // Relaxed: a figure.
  heap->allocated_.store(heap->allocated_.load(kRelaxed) + page->size(), kRelaxed);
  return PopBlock(page);
}

void* HeapOps::AllocateOwned(ThreadHeap* heap, unsigned queue_kind,
                             unsigned c) {
  while (Page* page = FindOwnedPage(heap, queue_kind, c)) {
    if (void* block = TakeBlock(heap, page)) return block;
  }
  return nullptr;
}

void* HeapOps::AllocateClass(ThreadHeap* heap, unsigned queue_kind,
                             unsigned c) {
  while (Page* page = FindPage(heap, queue_kind, c)) {
    if (void* block = TakeBlock(heap, page)) return block;
  }
  return nullptr;
}

// Whether the thread is inside its gate.
bool HeapOps::InGate(const ThreadHeap* heap) {
  return heap->gate_ != nullptr && heap->gate_->busy_.load(kRelaxed) != 0;  // ours
}

// The callback may use the heap, which leaves the gate: entered again, if it was.
bool HeapOps::CallBack(bool (*callback)(void*, const MemoryPressure&), void* arg,
                       const MemoryPressure& pressure, ThreadHeap* heap) {
  bool inside = InGate(heap);
  bool answer = callback(arg, pressure);
  if (inside && ThreadHeap::Behind(heap->gate_->Enter()) == nullptr) {
    heap->EnterSlow();
  }
  return answer;
}

// Stage 0 purges, stage 1 asks the embedder, then it is over. No lock is held.
bool HeapOps::MakeRoom(DomainCore* core, ThreadHeap* heap, int* stage,
                       size_t bytes) {
  uint64_t hard = core->budget.hard();
  // A detached thread (it uses a Heap) has no right to its own pages now.
  bool ours = heap->attached() || InGate(heap);
  ThreadHeap* own = ours ? heap : nullptr;
  // Relaxed: figures.
  uint64_t unused = core->counters.free_dirty.load(kRelaxed) +
                    core->counters.dormant.load(kRelaxed);
  if (hard == 0) {
    // The OS refused.
    return (*stage)++ == 0 && unused != 0 && bytes <= unused * 4 &&
           PurgeAll(core, own) != 0;
  }
  if (bytes > hard) return false;
  if (*stage == 0) {
    *stage = 1;
    if (core->purger.PurgeUnused(bytes + (256 << 10)) != 0) return true;
    if (PurgeAll(core, own) != 0) return true;
  }
  if (*stage != 1 || heap->in_callback_) return false;
  *stage = 2;
  core->callback_lock.Lock();
  bool (*callback)(void*, const MemoryPressure&) = core->pressure;
  void* arg = core->pressure_arg;
  core->callback_lock.Unlock();
  if (callback == nullptr) return false;
  CountUp(core->counters.pressure_calls);
  MemoryPressure pressure = {MemoryPressure::kHard, core->budget.committed(),
                             hard, bytes};
  heap->in_callback_ = true;
  bool again = CallBack(callback, arg, pressure, heap);
  heap->in_callback_ = false;
  if (!again) return false;
  PurgeAll(core, own);
  return true;
}

void HeapOps::CheckSoftLimit(DomainCore* core, ThreadHeap* heap, size_t bytes) {
  uint64_t soft = core->budget.soft();
  if (soft == 0) return;
  uint64_t committed = core->budget.committed();
  // Relaxed: a flag of its own; two threads may both call.
  if (committed <= soft) {
    if (committed < soft - soft / 16) core->above_soft.store(0, kRelaxed);
    return;
  }
  if (core->above_soft.exchange(1, kRelaxed) != 0) return;
  core->callback_lock.Lock();
  bool (*callback)(void*, const MemoryPressure&) = core->pressure;
  void* arg = core->pressure_arg;
  core->callback_lock.Unlock();
  if (callback == nullptr) return;
  CountUp(core->counters.pressure_calls);
  CallBack(callback, arg, {MemoryPressure::kSoft, committed, soft, bytes}, heap);
}

bool HeapOps::HandOver(ThreadHeap* heap, ForeignChain* chain) {
  // Relaxed: only this thread writes them.
  Page* page = chain->page.load(kRelaxed);
  uint32_t count = chain->count.load(kRelaxed);
  chain->page.store(nullptr, kRelaxed);
  chain->count.store(0, kRelaxed);
  heap->chain_bytes_ -= count * page->size();
  PushChain(heap->domain_->core(), page, chain->first, chain->last, count, heap);
  return true;
}

void HeapOps::FlushBatch(ThreadHeap* heap) {
  if (heap->chain_bytes_ == 0) return;
  for (ForeignChain& chain : heap->chains_) {
    if (chain.page.load(kRelaxed) != nullptr) HandOver(heap, &chain);  // ours
  }
}

// A block of a page that somebody else owns, or nobody; it starts a chain.
void HeapOps::AddToChain(ThreadHeap* heap, Page* page, void* block) {
  ForeignChain* chain = heap->ChainFor(block);
  // Relaxed throughout: only this thread writes them (figures read).
  if (chain->page.load(kRelaxed) != nullptr) HandOver(heap, chain);
  chain->first = chain->last = block;
  chain->page.store(page, kRelaxed);
  chain->count.store(1, kRelaxed);
  heap->chain_bytes_ += page->size();
}

// Everything that is not the owner's plain push. `heap` may be null.
void HeapOps::FreeAny(DomainCore* core, ThreadHeap* heap, void* block,
                      Page* page) {
  if (block == nullptr) return;
  if (page == nullptr) {
    BadFree(core, block, MemoryFault::kForeignPointer, "no block of tidepool");
    return;
  }
  core = page->domain->core();
  if (InWalk(core)) {
    BadFree(core, block, MemoryFault::kWrongUse, "inside a walk over the domain");
    return;
  }
  // Acquire: pairs with the release that made the page (for a pointer of nobody).
  PageState state = page->state.load(kAcquire);
  if (state == PageState::kLarge) {
    FreeLarge(core, page, block);
    return;
  }
  if (state != PageState::kSmall) {
    BadFree(core, block, MemoryFault::kDoubleFree, "a block that is free already");
    return;
  }
  uint32_t index = page->IndexOf(block);
  if (index >= page->extended.load(kAcquire)) {  // pairs with ExtendPage
    BadFree(core, block, MemoryFault::kInteriorPointer, "a pointer into a block");
    return;
  }
  if (page->live_bits != nullptr) {
    if (IsWaiting(page, block)) {
      BadFree(core, block, MemoryFault::kDoubleFree,
              "a block that waits for its readers");
      return;
    }
    uint64_t bit = uint64_t{1} << (index & 63);
    // Relaxed: see PopBlock. The second of two frees finds the bit clear.
    if ((page->live_bits[index >> 6].fetch_and(~bit, kRelaxed) & bit) == 0) {
      BadFree(core, block, MemoryFault::kDoubleFree, "a block that is free already");
      return;
    }
    if (page->tails) CheckTail(core, page, block);
  }
  SamplePlace place;
  // Relaxed: set before the block was handed out.
  if (page->sampled.load(kRelaxed) != 0) place = core->sampler.Freed(block);
  if (page->live_bits != nullptr && core->quarantine != nullptr &&
      page->size() <= kQuarantinedMost) {
    PutInQuarantine(core, heap, page, block);
    return;
  }
  FreeChecked(core, heap, block, page, place);
}

// The pointer is that of a block, and the block is dead.
void HeapOps::FreeChecked(DomainCore* core, ThreadHeap* heap, void* block,
                          Page* page, const SamplePlace& place) {
  if (page->thing != nullptr) {
    HeapRecord::FreeForeign(core, page, block);
    return;
  }
  TrackFreed(block, PoisonOffset(page->kind), page->size());
  if (heap == nullptr || heap->domain_ != page->domain) {
    PushChain(core, page, block, block, 1, heap);
    return;
  }
  // The head of a list of dead blocks is no live block: not of this thread's chain, nor,
  // below, of the lists of its own page. A page without live blocks has none to free (P1).
  const ForeignChain* chain = heap->ChainFor(block);
  if (chain->page.load(kRelaxed) == page && chain->first == block) {  // ours
    BadFree(core, block, MemoryFault::kDoubleFree, "a block that is free already");
    return;
  }
  if (IsOurs(heap, page) ||
      (page->owner.load(kRelaxed) == 0 && Reclaim(core, page, heap))) {  // a hint
    // Relaxed: ours.
    if (block == page->free || page->used.load(kRelaxed) == 0) {
      BadFree(core, block, MemoryFault::kDoubleFree, "a block that is free already");
      return;
    }
    SetNext(page, block, page->free);
    page->free = block;
    page->free_is_zero = false;
    uint32_t used = page->used.load(kRelaxed) - 1;  // ours
    page->used.store(used, kRelaxed);
    if (page->full) FullToQueue(heap, page);
    const unsigned queue_kind = page->queue_kind, c = page->size_class;
    if (used == 0) RetireOrRelease(heap, page);
    if (place.home != nullptr) core->sampler.PlaceFreed(heap, queue_kind, c, place);
    return;
  }
  // Blocks in chains are not looked at closely any more: not where every free is.
  if (page->size() <= kBatchedMost && !page->slow) {
    AddToChain(heap, page, block);
  } else if (XThread::List(page->xthread.load(kRelaxed)) == block) {
    // Relaxed: whoever has the block live had it from its page's owner, after X2 took the
    // list that it was in last; so an older word is not seen.
    BadFree(core, block, MemoryFault::kDoubleFree, "a block that is free already");
  } else {
    PushChain(core, page, block, block, 1, heap);
  }
}

Page* HeapOps::LeaveLimbo(DomainCore* core, void* block) {
  Page* page = PageMap::Lookup(block);
  TP_CHECK(page != nullptr);  // limbo holds blocks of ours only
  CountDown(core->counters.limbo, page->size());
  if (page->live_bits != nullptr) MarkWaiting(page, block, false);
  page->limbo.fetch_sub(1, kRelaxed);  // before the free (P7)
  return page;
}

size_t HeapOps::FreeFromLimbo(void* block, void* context) {
  DomainCore* core = static_cast<DomainCore*>(context);
  Page* page = LeaveLimbo(core, block);
  const size_t bytes = page->size();
  FreeAny(core, nullptr, block, page);
  return bytes;
}

namespace {
size_t FreeFromOwnLimbo(void* block, void* context) {
  ThreadHeap* heap = static_cast<ThreadHeap*>(context);
  const size_t bytes = HeapOps::LeaveLimbo(heap->domain()->core(), block)->size();
  heap->Free(block);
  return bytes;
}
}  // namespace

void HeapOps::DrainLimbo(ThreadHeap* heap) {
  DomainCore* core = heap->domain_->core();
  if (!heap->limbo_.empty()) {
    heap->limbo_.Drain(core->qsbr, &FreeFromOwnLimbo, heap);
    // What is still too much need not wait for this thread.
    if (heap->limbo_.bytes() > core->options.limbo_budget / 8) {
      core->limbo.Give(heap->limbo_);
    }
    heap->limbo_bytes_.store(heap->limbo_.bytes(), kRelaxed);  // a figure
  }
  if (core->limbo.bytes() != 0) {
    core->limbo.Drain(core->qsbr, &FreeFromLimbo, core);
  }
}

}  // namespace internal

namespace {
// What a request is to the classes. Where blocks have tails it is taken at its word, so
// that the first byte behind it is seen.
size_t NeedOf(const DomainCore* core, HeapKind kind, size_t size) {
  if (core->tail != 0 && !IsObjectKind(kind)) return size;
  return size < MinBlockSize(kind) ? MinBlockSize(kind) : size;
}
}  // namespace

// Sizes that the inline path does not look at, and lists that are used up.
void* ThreadHeap::AllocateSlow(HeapKind kind, size_t size) {
  size_t need = NeedOf(domain_->core(), kind, size);
  if (need <= kMediumMax) {
    void* block = Pop(current_[static_cast<unsigned>(kind)][SizeClass(need)],
                      kind, need);
    if (block != nullptr) return block;
  }
  return AllocateIn(static_cast<unsigned>(kind), need, nullptr);
}

// `is_zero`, if given, tells whether the block is known to be zero but for its link.
void* ThreadHeap::AllocateIn(unsigned queue_kind, size_t size, bool* is_zero,
                             size_t least) {
  DomainCore* core = domain_->core();
  if (HeapOps::MadeToFail(core)) return nullptr;
  const size_t requested = size;
  size += core->tail;
  if (size < least) size = least;
  if (InWalk(core)) return HeapOps::RefuseInWalk(core);
  if (size <= kMediumMax) {
    // Usually a page of the heap has blocks, and nothing else needs a look.
    void* block = HeapOps::AllocateOwned(this, queue_kind, SizeClass(size));
    if (block != nullptr) {
      if (is_zero != nullptr) *is_zero = PageMap::Lookup(block)->free_is_zero;
      HeapOps::HandOut(core, this, block, requested, false);
      return block;
    }
  }
  HeapOps::FlushBatch(this);
  if (retained_bytes_ != 0) HeapOps::ExpireRetired(this, false);
  void* block = nullptr;
  for (int stage = 0;;) {
    block = size <= kMediumMax
                ? HeapOps::AllocateClass(this, queue_kind, SizeClass(size))
                : HeapOps::AllocateLarge(core, this,
                                         internal::QueueKind(queue_kind), size,
                                         1, false);
    if (block != nullptr) break;
    if (!HeapOps::MakeRoom(core, this, &stage, size)) {
      CountUp(core->counters.limit_hits);
      return nullptr;
    }
  }
  // Before the callback, which may use the page.
  if (is_zero != nullptr) *is_zero = PageMap::Lookup(block)->free_is_zero;
  HeapOps::HandOut(core, this, block, requested, false);
  HeapOps::CheckSoftLimit(core, this, size);
  if (core->purger.due()) core->purger.Run();
  return block;
}

// The block joins the chain that its page has already. A page with a block in a chain
// is in use, so what FreeAny found out about it then is still true.
bool ThreadHeap::TryFreeForeign(void* block) {
  Page* page = PageMap::Lookup(block);
  internal::ForeignChain* chain = ChainFor(block);
  // Relaxed throughout: only this thread writes the chain (figures read). The page was
  // seen extended this far by whoever allocated the block.
  if (page == nullptr || chain->page.load(kRelaxed) != page ||
      block == chain->first ||  // FreeChecked refuses it
      page->IndexOf(block) >= page->extended.load(kRelaxed)) {
    return false;
  }
  size_t size = page->size();
#if TIDEPOOL_ASAN
  TrackFreed(block, internal::PoisonOffset(page->kind), size);
#endif
  // Pages that a tool watches have no chains.
  internal::SetLinkFast(block, page->link_offset, chain->first);
  chain->first = block;
  uint32_t count = chain->count.load(kRelaxed) + 1;
  chain->count.store(count, kRelaxed);
  chain_bytes_ += size;
  if ((count >= kChainBlocks || chain_bytes_ >= kChainBytes) &&
      !InWalk(domain_->core())) {
    return HeapOps::HandOver(this, chain);
  }
  return true;
}

void ThreadHeap::FreeSlow(void* block) {
  if (!TryFreeForeign(block)) HeapOps::FreeRest(this, block);
}

void HeapOps::FreeRest(ThreadHeap* heap, void* block) {
  DomainCore* core = heap->domain_->core();
  FreeAny(core, heap, block, PageMap::Lookup(block));
  if (core->purger.due()) core->purger.Run();
}

void ThreadHeap::LastBlockFreed(void* block) {
  Page* page = PageMap::Lookup(block);
  if (page->used.load(kRelaxed) != 0) {  // ours: fewer than none
    HeapOps::StartAnew(domain_->core(), page);
    if (page->retire != 0) return;
  }
  if (InWalk(domain_->core())) return;  // the page stays for the next Trim
  HeapOps::RetireOrRelease(this, page);
  if (domain_->core()->purger.due()) domain_->core()->purger.Run();
}

void* ThreadHeap::AllocateZeroed(HeapKind kind, size_t size) {
  size_t need = size < MinBlockSize(kind) ? NeedOf(domain_->core(), kind, size) : size;
  if (need > kMediumMax) return AllocateLargeWith(kind, need, 1, true);
  Page* page = current_[static_cast<unsigned>(kind)][SizeClass(need)];
  void* block = Pop(page, kind, need);
  bool is_zero = page->free_is_zero;
  if (block == nullptr) {
    block = AllocateIn(static_cast<unsigned>(kind), need, &is_zero);
    if (block == nullptr) return nullptr;
  }
  char* bytes = static_cast<char*>(block);
  size_t header = HeaderOffset(kind);
  // Where blocks have tails, that of a tiny one may begin within the link.
  if (is_zero && need >= sizeof(void*)) {
    TrackDefined(block, need);
    internal::SetLink(block, LinkOffset(kind), nullptr);
  } else if (IsObjectKind(kind)) {
    memset(bytes, 0, header);
    memset(bytes + header + kReaderWords, 0, need - header - kReaderWords);
  } else {
    memset(bytes, 0, need);
  }
  return block;
}

void* ThreadHeap::AllocateLargeWith(HeapKind kind, size_t size,
                                    size_t alignment, bool zero) {
  DomainCore* core = domain_->core();
  if (HeapOps::MadeToFail(core)) return nullptr;
  const size_t requested = size;
  if (core->tail != 0) size += internal::kLargeTail;
  if (InWalk(core)) return HeapOps::RefuseInWalk(core);
  HeapOps::FlushBatch(this);
  for (int stage = 0;;) {
    void* block =
        HeapOps::AllocateLarge(core, this, kind, size, alignment, zero);
    if (block != nullptr) {
      HeapOps::HandOut(core, this, block, requested, zero);
      HeapOps::CheckSoftLimit(core, this, size);
      if (core->purger.due()) core->purger.Run();
      return block;
    }
    if (!HeapOps::MakeRoom(core, this, &stage, size)) {
      CountUp(core->counters.limit_hits);
      return nullptr;
    }
  }
}

void* ThreadHeap::AllocateAligned(HeapKind kind, size_t size,
                                  size_t alignment) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) return nullptr;
  if (alignment <= 16) return Allocate(kind, size);
  size_t need = size < MinBlockSize(kind) ? MinBlockSize(kind) : size;
  const size_t tail = domain_->core()->tail;
  if (need + tail <= kMediumMax && alignment <= kMediumMax) {
    // Pages start at 64 KiB borders, so a class whose size is a multiple of the
    // alignment has aligned blocks; the next power of two is such a class.
    unsigned c = SizeClass(need + tail < alignment ? alignment : need + tail);
    while (c < kClassCount && (ClassSize(c) & (alignment - 1)) != 0) ++c;
    if (c < kClassCount && tail == 0) return Allocate(kind, ClassSize(c));
    if (c < kClassCount) {
      return AllocateIn(static_cast<unsigned>(kind), need, nullptr, ClassSize(c));
    }
  }
  if (need <= kMediumMax) need = kMediumMax + 1;
  return AllocateLargeWith(kind, need, alignment, false);
}

void ThreadHeap::Request(uint32_t bits) {
  // Release: what the requester did before is seen by the one who takes it.
  uint32_t old = requests_.fetch_or(bits, kAcqRel);
  if ((old & bits) == bits) return;
  // Acquire pairs with SetBreaker, so the bit is there with the word. Either we see
  // the word, or SetBreaker's look at requests_ sees our bits (both seq_cst).
  AtomicFence(kSeqCst);
  Atomic<uint32_t>* word = breaker_.load(kAcquire);
  if (word != nullptr) word->fetch_or(breaker_bit_.load(kRelaxed), kSeqCst);
}

void ThreadHeap::SetBreaker(Atomic<uint32_t>* word, uint32_t bit) {
  breaker_bit_.store(bit, kRelaxed);  // published by the next store
  breaker_.store(word, kRelease);     // pairs with Request
  AtomicFence(kSeqCst);
  if (word != nullptr && requests_.load(kRelaxed) != 0) {
    word->fetch_or(bit, kSeqCst);
  }
}

bool ThreadHeap::TakeGcRequest() {
  // Acquire pairs with Request.
  return (requests_.fetch_and(~kGc, kAcqRel) & kGc) != 0;
}

void ThreadHeap::ResetAllocated() {
  // Relaxed, both: figures.
  domain_->core()->allocated_before.fetch_add(allocated_.load(kRelaxed), kRelaxed);
  allocated_.store(0, kRelaxed);
}

uint64_t ThreadHeap::LiveInCurrentPages() const {
  uint64_t sum = 0;
  for (const auto& row : current_) {
    for (const internal::Page* page : row) {
      if (page != &internal::g_no_page) sum += page->used.load(kRelaxed) * page->size();  // ours
    }
  }
  return sum;
}

void ThreadHeap::CountReused(uint64_t bytes) {
  domain_->core()->allocated_before.fetch_add(bytes, kRelaxed);  // a figure
}

void ThreadHeap::SetAllocBudget(uint64_t bytes) {
  alloc_budget_.store(bytes, kRelaxed);  // a figure
}

void ThreadHeap::Attach() {
  for (unsigned spins = 0;; ++spins) {
    uint32_t expected = kDetached;
    // H1. Acquire pairs with H2 and H4.
    if (hold_.compare_exchange_weak(expected, kAttached, kAcquire, kRelaxed)) {
      break;
    }
    TP_DCHECK(expected != kAttached);
    if (spins > 16) domain_->os()->SleepNs(spins < 64 ? 1000 : 50000);
  }
  domain_->core()->qsbr.Attach(slot_);
}

void ThreadHeap::OpenGate(HeapGate* gate, bool barriers) {
  // Somebody may hold the heap without knowing of a gate: H3 ourselves first.
  for (;;) {
    uint32_t expected = kDetached;
    if (hold_.compare_exchange_weak(expected, kHeld, kAcquire, kRelaxed)) break;
    domain_->os()->SleepNs(20000);
  }
  gate_ = gate;
  unholdable_ = !barriers;
  HeapOps::LetGo(this);
}

// Somebody holds the heap: step back until it is let go.
void ThreadHeap::EnterSlow() {
  do {
    gate_->Leave();
    domain_->os()->SleepNs(20000);
  } while (Behind(gate_->Enter()) == nullptr);
}

uint32_t ThreadHeap::batched() const {
  uint32_t n = 0;
  for (const internal::ForeignChain& chain : chains_) {
    n += chain.count.load(kRelaxed);  // a figure
  }
  return n;
}

void ThreadHeap::Detach() {
  DomainCore* core = domain_->core();
  HeapOps::FlushBatch(this);
  if (!limbo_.empty()) {
    core->limbo.Give(limbo_);
    limbo_bytes_.store(0, kRelaxed);  // a figure
  }
  if (retained_bytes_ > (256 << 10)) HeapOps::ExpireRetired(this, true);
  core->qsbr.Detach(slot_);
  hold_.store(kDetached, kRelease);  // H2: pairs with H1 and H3
}

void ThreadHeap::Safepoint() {
  DomainCore* core = domain_->core();
  core->qsbr.Quiesce(slot_);
  // Acquire pairs with Request. kGc is the collector's.
  uint32_t bits = requests_.load(kRelaxed) & (kDrain | kPurge);
  if (bits != 0) bits = requests_.fetch_and(~(kDrain | kPurge), kAcqRel);
  HeapOps::DrainLimbo(this);
  HeapOps::FlushBatch(this);  // after the drain, whose frees may be batched
  if ((bits & kPurge) != 0) {
    HeapOps::Trim(this, true);
    core->purger.PurgeUnused(SIZE_MAX);
  } else if (core->purger.due()) {
    core->purger.Run();
  }
  if (core->options.limbo_wait_us == 0) return;
  // Behind a slow reader, past four times the budget: wait a moment, quiescent.
  uint64_t left = static_cast<uint64_t>(core->options.limbo_wait_us) * 1000;
  while (left != 0 &&
         domain_->LimboBytes() > 4 * core->options.limbo_budget) {
    uint64_t step = left < 50000 ? left : 50000;
    core->os->SleepNs(step);
    left -= step;
    core->qsbr.Quiesce(slot_);
    HeapOps::DrainLimbo(this);
    HeapOps::FlushBatch(this);
  }
}

}  // namespace tidepool
