// The domain: threads that come and go, purging everywhere, walks over all pages.
#include "tidepool/allocator/heap_domain.h"

#include <cstring>
#include <new>
#include <vector>

#include "tidepool/allocator/internal/core.h"
#include "tidepool/allocator/internal/heap_record.h"
#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"
#include "tidepool/base/parking_lot.h"
#include "tidepool/base/thread_id.h"

namespace tidepool {

using internal::Arena;
using internal::DomainCore;
using internal::HeapOps;
using internal::Origin;
using internal::Page;
using internal::PageMap;
using internal::PageState;

namespace internal {

namespace {
// Counting allocations needs every one to come through the slow path.
Options WithHooks(Options options) {
  if (options.fail_allocation != 0) options.hardening |= kHardenDoubleFree;
  return options;
}
}  // namespace
TIDEPOOL_TLS const DomainCore* g_walked = nullptr;

DomainCore::DomainCore(const Options& o, Os* o_s, HeapDomain* d)
    : options(WithHooks(o)),
      os(o_s),
      hardening(!Watched() ? options.hardening
                           : options.hardening & kHardenDoubleFree),
      tail(Watched()                           ? internal::kWatchedTail
           : (hardening & kHardenCanaries) != 0 ? internal::kTailWord
                                                : 0),
      domain(d),
      budget(&counters, o.max_memory, o.soft_memory),
      meta(o_s, &budget),
      arenas(o_s, &options, &budget, &meta),
      qsbr(o_s),
      pool(&counters),
      purger(this),
      sampler(this) {
  sampler.Start(o.heap_profile_interval);
}

namespace {

// The tid of the thread that made the page, if it is still there.
uint64_t OriginTid(const Page* page) {
  // Acquire pairs with the release in NewThread and ExitThread, so a matching
  // generation has its tid.
  Origin* origin = page->origin.load(kAcquire);
  if (origin == nullptr) return 0;
  uint64_t generation = page->origin_generation.load(kRelaxed);  // with origin
  uint64_t tid = origin->tid.load(kAcquire);
  return origin->generation.load(kAcquire) == generation ? tid : 0;
}

// Calls visit(Page*) for every page with blocks. The arenas' lock is held: no page
// is given back meanwhile.
template <class Visit>
void ForEachPage(DomainCore* core, Visit&& visit) {
  core->arenas.ForEachArena([&](const Arena& arena) {
    for (size_t s = 0; s < arena.slices;) {
      uint64_t free = arena.free_bits[s >> 6];
      if ((s & 63) == 0 && free == ~uint64_t{0}) {
        s += 64;
        continue;
      }
      if ((free >> (s & 63)) & 1) {
        ++s;
        continue;
      }
      char* start = arena.start + s * kSliceSize;
      Page* page = PageMap::LookupAcquire(start);
      ++s;
      if (page == nullptr || page->start != start) continue;
      PageState state = page->state.load(kAcquire);  // pairs with its making
      if (state == PageState::kSmall || state == PageState::kLarge) visit(page);
    }
  });
}

size_t LiveBlocks(const Page* page) {
  // Relaxed: figures; exact in a stop. P1.
  uint64_t used = page->used.load(kRelaxed);
  uint64_t foreign = XThread::Count(page->xthread.load(kRelaxed));
  return used > foreign ? used - foreign : 0;
}

// Calls visit(page, blocks) for what lies in freeing threads' chains and still counts
// as used. After the walk over the pages, so that nothing is taken off twice.
template <class Visit>
void ForEachChain(DomainCore* core, Visit&& visit) {
  MutexLock lock(&core->heaps_lock);
  for (ThreadHeap* heap = core->heaps; heap != nullptr;
       heap = HeapOps::Next(heap)) {
    HeapOps::VisitChains(heap, visit);
  }
  if (core->quarantine == nullptr) return;
  core->quarantine->ForEach(
      [&](const void* block) { visit(PageMap::Lookup(block), 1); });
}

}  // namespace

uint64_t HeapOps::AllocatedByAll(DomainCore* core) {
  MutexLock lock(&core->heaps_lock);
  uint64_t sum = 0;
  for (ThreadHeap* heap = core->heaps; heap != nullptr; heap = heap->next_) {
    sum += heap->allocated_.load(kRelaxed);  // a figure
  }
  return sum;
}

DomainCore::~DomainCore() {
  purger.Stop();
  // The domain goes with all that is alive: no leaks, to valgrind.
  if (Watched()) {
    ForEachPage(this, [](Page* page) { HeapOps::ForgetBlocks(page); });
  }
}

// Takes from every thread: own heap and detached ones now, attached ones at their
// next safepoint. `self` may be null.
size_t HeapOps::PurgeAll(DomainCore* core, ThreadHeap* self) {
  // Relaxed: a figure.
  uint64_t before = core->counters.purged.load(kRelaxed);
  core->limbo.Drain(core->qsbr, &FreeFromLimbo, core);
  while (void* block = core->quarantine != nullptr ? core->quarantine->Take()
                                                   : nullptr) {
    EndQuarantine(core, self, block);
  }
  if (self != nullptr) {
    FlushBatch(self);
    Trim(self, true);
  }
  // Two purges at once have no use; and heaps are walked by one at a time.
  if (core->control_lock.TryLock()) {
    core->heaps_lock.Lock();
    for (ThreadHeap* heap = core->heaps; heap != nullptr; heap = heap->next_) {
      if (heap == self) continue;
      if (TryHold(heap)) {
        FlushBatch(heap);
        Trim(heap, true);
        LetGo(heap);
      } else {
        heap->Request(ThreadHeap::kPurge);
      }
    }
    core->heaps_lock.Unlock();
    core->control_lock.Unlock();
  }
  HeapRecord::TrimAll(core);
  // Available pages: each taken out, trimmed, put back.
  const auto trim = [core](Bin* bin) {
    uint32_t count = bin->count.load(kRelaxed);  // a hint
    Page* taken = nullptr;
    for (; count != 0; --count) {
      Page* page = AdoptFromBin(core, bin);
      if (page == nullptr) break;
      CollectForeign(core, page);
      if (page->used.load(kRelaxed) != 0) PurgeHoles(core, page);  // ours
      page->next = taken;
      taken = page;
    }
    while (taken != nullptr) {
      Page* page = taken;
      taken = page->next;
      CountDown(core->counters.pages_abandoned);  // Abandon counts it again
      Abandon(core, page);
    }
  };
  for (auto* bins : {core->bins, core->sampled_bins}) {
    for (unsigned kind = 0; kind < kQueueKindCount; ++kind) {
      for (unsigned c = 1; c < kClassCount; ++c) trim(&bins[kind][c]);
    }
  }
  core->purger.PurgeUnused(SIZE_MAX);
  return core->counters.purged.load(kRelaxed) - before;  // a figure
}

}  // namespace internal

absl::StatusOr<std::unique_ptr<HeapDomain>> HeapDomain::Create(
    const Options& options, Os* os) {
  FindTools();
  std::unique_ptr<HeapDomain> domain(new (std::nothrow) HeapDomain(nullptr));
  if (domain == nullptr) return absl::ResourceExhaustedError("no memory");
  domain->core_ = new (std::nothrow) DomainCore(options, os, domain.get());
  if (domain->core_ == nullptr || !HeapOps::StartHardening(domain->core_)) {
    return absl::ResourceExhaustedError("no memory for a heap domain");
  }
  if (options.background_thread) domain->StartBackground();
  return domain;
}

HeapDomain::~HeapDomain() { delete core_; }

ThreadHeap* HeapDomain::NewThread() {
  DomainCore* core = core_;
  core->heaps_lock.Lock();
  ThreadHeap* heap = core->dead_heaps;
  if (heap != nullptr) core->dead_heaps = heap->next_;
  core->heaps_lock.Unlock();
  if (heap == nullptr) {
    void* memory = core->meta.Take(sizeof(ThreadHeap));
    if (memory == nullptr) return nullptr;
    heap = new (memory) ThreadHeap;  // without (): the memory is zero, mostly untouched
    heap->origin_ = static_cast<Origin*>(core->meta.Take(sizeof(Origin)));
    if (heap->origin_ == nullptr) {
      core->meta.Give(memory, sizeof(ThreadHeap));
      return nullptr;
    }
  }
  heap->slot_ = core->qsbr.Register();
  if (heap->slot_ == nullptr) {
    MutexLock lock(&core->heaps_lock);
    heap->next_ = core->dead_heaps;
    core->dead_heaps = heap;
    return nullptr;
  }
  heap->slot_->set_tag(heap);
  heap->domain_ = this;
  heap->tid_ = CurrentTid();
  for (auto& row : heap->current_) {
    for (Page*& page : row) page = &internal::g_no_page;
  }
  heap->requests_.store(0, kRelaxed);  // nobody knows the heap yet
  heap->breaker_.store(nullptr, kRelaxed);
  heap->allocated_.store(0, kRelaxed);
  heap->alloc_budget_.store(core->alloc_budget.load(kRelaxed), kRelaxed);
  for (internal::ForeignChain& chain : heap->chains_) {
    chain.page.store(nullptr, kRelaxed);
    chain.count.store(0, kRelaxed);
  }
  heap->chain_bytes_ = 0;
  core->sampler.NewThread(heap);
  heap->retained_bytes_ = 0;
  heap->in_heap_.store(nullptr, kRelaxed);
  heap->in_callback_ = false;
  heap->gate_ = nullptr;
  heap->unholdable_ = false;
  // Release: pairs with OriginTid.
  heap->origin_->tid.store(heap->tid_, kRelease);
  heap->origin_->generation.fetch_add(1, kAcqRel);
  heap->hold_.store(ThreadHeap::kDetached, kRelease);  // pairs with H1, H3
  MutexLock lock(&core->heaps_lock);
  heap->prev_ = nullptr;
  heap->next_ = core->heaps;
  if (core->heaps != nullptr) core->heaps->prev_ = heap;
  core->heaps = heap;
  CountUp(core->counters.threads);
  return heap;
}

void HeapDomain::ExitThread(ThreadHeap* heap) {
  DomainCore* core = core_;
  // By the thread itself it may be attached still; else it is held.
  for (;;) {
    uint32_t expected = ThreadHeap::kDetached;
    // H3 (no barrier: nobody is inside Enter). Acquire pairs with H2 and H4.
    if (heap->hold_.compare_exchange_strong(expected, ThreadHeap::kHeld,
                                            kAcquire, kRelaxed) ||
        expected == ThreadHeap::kAttached) {
      break;
    }
    core->os->SleepNs(20000);
  }
  if (heap->gate_ != nullptr) {
    // Relaxed: nobody is inside, and nobody will be.
    heap->gate_->pages_.store(&internal::g_closed_heap, kRelaxed);
    heap->gate_ = nullptr;
  }
  HeapOps::FlushBatch(heap);
  heap->ResetAllocated();
  if (!heap->limbo_.empty() && !TIDEPOOL_MUTANT(limbo_exit_keeps)) {
    core->limbo.Give(heap->limbo_);
  }
  if (TIDEPOOL_MUTANT(limbo_exit_frees)) {
    core->limbo.DrainAll(&HeapOps::FreeFromLimbo, core);
  }
  heap->limbo_bytes_.store(0, kRelaxed);  // a figure
  // Pages that are full and abandoned already learn it by the generation.
  // Release: pairs with OriginTid.
  heap->origin_->tid.store(0, kRelease);
  heap->origin_->generation.fetch_add(1, kAcqRel);
  if (!TIDEPOOL_MUTANT(page_exit_forgets)) HeapOps::AbandonAll(heap);
  while (heap->slot_->attached()) core->qsbr.Detach(heap->slot_);
  heap->slot_->set_tag(nullptr);
  core->qsbr.Unregister(heap->slot_);
  heap->slot_ = nullptr;
  {
    MutexLock lock(&core->heaps_lock);
    (heap->prev_ != nullptr ? heap->prev_->next_ : core->heaps) = heap->next_;
    if (heap->next_ != nullptr) heap->next_->prev_ = heap->prev_;
    heap->breaker_.store(nullptr, kRelaxed);  // under the lock of RequestAll
    heap->next_ = core->dead_heaps;
    core->dead_heaps = heap;
    CountDown(core->counters.threads);
  }
  // Nothing in limbo waits for a thread that has gone.
  if (core->limbo.bytes() != 0) {
    core->limbo.Drain(core->qsbr, &HeapOps::FreeFromLimbo, core);
  }
}

void HeapDomain::FreeFromAnywhere(void* block) {
  HeapOps::FreeAny(core_, nullptr, block, PageMap::Lookup(block));
}

size_t HeapDomain::UsableSize(const void* block) {
  size_t size = BlockSize(block);
  if (size == 0) return 0;
  Page* page = PageMap::Lookup(block);
  if (Watched() || page->tails) size = HeapOps::RequestedSize(page, block);
#if TIDEPOOL_ASAN
  // Who asks may use all of it from here on.
  UnpoisonMemory(block, size);
#endif
  return size;
}

size_t HeapDomain::BlockSize(const void* block) {
  Page* page = PageMap::Lookup(block);
  if (page == nullptr) return 0;
  PageState state = page->state.load(kAcquire);  // pairs with its making
  if (state == PageState::kLarge) {
    if (block != page->start) return 0;
  } else if (state != PageState::kSmall ||
             page->IndexOf(block) >= page->extended.load(kAcquire)) {
    return 0;
  }
  return page->size();
}

HeapDomain* HeapDomain::DomainOf(const void* block) {
  return BlockSize(block) != 0 ? PageMap::Lookup(block)->domain : nullptr;
}

bool HeapDomain::Owns(const void* address) const {
  Page* page = PageMap::Lookup(address);
  if (page == nullptr || page->domain != this) return false;
  PageState state = page->state.load(kAcquire);  // pairs with its making
  return state == PageState::kSmall || state == PageState::kLarge;
}

uint64_t HeapDomain::PageOwnerTid(const void* block) {
  Page* page = PageMap::Lookup(block);
  return page != nullptr ? internal::OriginTid(page) : 0;
}

size_t HeapDomain::PurgeExcess() {
  if (core_->options.purge_policy == PurgePolicyKind::kNever) return 0;
  uint64_t excess = internal::UnusedBeyond(core_, 4 << 20);
  return excess != 0 ? core_->purger.PurgeUnused(excess) : 0;
}

size_t HeapDomain::Purge() { return HeapOps::PurgeAll(core_, nullptr); }

size_t HeapDomain::ReleaseArenas() {
  HeapOps::PurgeAll(core_, nullptr);
  // Dormant pages of which no reader can know any more.
  while (HeapOps::ConvertDormant(core_, SIZE_MAX)) {
  }
  return core_->arenas.ReleaseEmpty();
}

uint64_t HeapDomain::CommittedBytes() const { return core_->budget.committed(); }

uint64_t HeapDomain::LimboBytes() const {
  return core_->counters.limbo.load(kRelaxed);  // a figure
}

HeapDomain::Live HeapDomain::LiveIn(uint32_t kind_mask) const {
  Live live = {0, 0};
  internal::ForEachPage(core_, [&](Page* page) {
    if ((KindBit(page->kind) & kind_mask) == 0) return;
    size_t blocks = internal::LiveBlocks(page);
    live.blocks += blocks;
    live.bytes += blocks * page->size();
  });
  internal::ForEachChain(core_, [&](const Page* page, uint64_t blocks) {
    if ((KindBit(page->KindSeen()) & kind_mask) == 0) return;
    if (blocks > live.blocks) blocks = live.blocks;
    uint64_t bytes = blocks * page->size();
    live.blocks -= blocks;
    live.bytes -= bytes < live.bytes ? bytes : live.bytes;
  });
  return live;
}

Stats HeapDomain::GetStats() const {
  Stats stats;
#define TIDEPOOL_X(name, unit, doc) \
  stats.name = core_->counters.name.load(kRelaxed); /* figures */
  TIDEPOOL_COUNTERS(TIDEPOOL_X)
#undef TIDEPOOL_X
  internal::ForEachPage(core_, [&](Page* page) {
    size_t blocks = internal::LiveBlocks(page);
    size_t size = page->size();
    size_t extended = page->extended.load(kRelaxed);  // a figure
    if (blocks > extended) blocks = extended;
    Stats::Kind& kind = stats.kind[static_cast<unsigned>(page->kind)];
    kind.live_blocks += blocks;
    kind.live_bytes += blocks * size;
    kind.page_bytes += extended * size;
    ++kind.pages;
    Stats::Class& c = stats.size_class[page->size_class];
    c.live_blocks += blocks;
    c.free_blocks += extended - blocks;
    ++c.pages;
    stats.live_blocks += blocks;
    stats.live_bytes += blocks * size;
    stats.free_in_pages += (extended - blocks) * size;
  });
  internal::ForEachChain(core_, [&](const Page* page, uint64_t blocks) {
    Stats::Kind& kind = stats.kind[static_cast<unsigned>(page->KindSeen())];
    Stats::Class& c = stats.size_class[page->ClassSeen()];
    // A page that is somebody else's by now: its figures were not counted so.
    if (blocks > kind.live_blocks || blocks > c.live_blocks) return;
    uint64_t bytes = blocks * page->size();
    if (bytes > kind.live_bytes) return;
    kind.live_blocks -= blocks;
    kind.live_bytes -= bytes;
    c.live_blocks -= blocks;
    c.free_blocks += blocks;
    stats.live_blocks -= blocks;
    stats.live_bytes -= bytes;
    stats.free_in_pages += bytes;
  });
  stats.purged_in_pages = stats.holes;
  return stats;
}

std::string HeapDomain::StatsJson() const { return GetStats().ToJson(); }

QsbrDomain& HeapDomain::qsbr() { return core_->qsbr; }
const Options& HeapDomain::options() const { return core_->options; }
// Relaxed: a figure.
uint64_t HeapDomain::allocations_counted() const { return core_->counted.load(kRelaxed); }
Os* HeapDomain::os() const { return core_->os; }

void HeapDomain::SetHardLimit(uint64_t bytes) { core_->budget.set_hard(bytes); }
void HeapDomain::SetSoftLimit(uint64_t bytes) {
  core_->budget.set_soft(bytes);
  core_->above_soft.store(0, kRelaxed);  // a new limit is told anew
}

void HeapDomain::SetPressureCallback(
    bool (*callback)(void* arg, const MemoryPressure&), void* arg) {
  MutexLock lock(&core_->callback_lock);
  core_->pressure = callback;
  core_->pressure_arg = arg;
}

void HeapDomain::SetFaultHandler(void (*handler)(void* arg, const MemoryFault&),
                                 void* arg) {
  core_->fault_arg.store(arg, kRelaxed);         // published by the next
  core_->fault_handler.store(handler, kRelease);  // pairs with BadUse
}

void HeapDomain::ReportFault(MemoryFault::Kind kind, const char* refused,
                             const void* pointer, const char* text) {
  const Page* page = PageMap::Lookup(pointer);
  HeapOps::BadUse(page != nullptr ? page->domain->core() : nullptr, kind, refused, pointer,
                  text);
}

bool HeapDomain::IsFreed(const void* header) {
  const Page* page = PageMap::Lookup(header);
  if (page == nullptr) return false;  // not in a heap: immortal, say
  // Acquire: as in FreeAny.
  const PageState state = page->state.load(kAcquire);
  if (state == PageState::kLarge) return false;
  if (state != PageState::kSmall) return true;
  const char* block = static_cast<const char*>(header) - HeaderOffset(page->KindSeen());
  const uint32_t extended = page->extended.load(kAcquire);  // pairs with ExtendPage
  if (page->IndexOf(block) >= extended) return false;
  if (page->live_bits != nullptr) return !HeapOps::IsLive(page, block);
  // The word that holds the type of what is alive: a type is never null, and never where a
  // block of objects starts.
  const void* word = internal::GetLink(block, page->link_offset);
  return word == nullptr || (word >= page->start && word < page->end() &&
                             page->IndexOf(word) < extended);
}

void HeapDomain::SetAllocBudget(uint64_t bytes) {
  core_->alloc_budget.store(bytes, kRelaxed);  // a figure
  MutexLock lock(&core_->heaps_lock);
  for (ThreadHeap* h = core_->heaps; h != nullptr; h = h->next_) {
    h->SetAllocBudget(bytes);
  }
}

uint64_t HeapDomain::AllocatedBytes() const {
  MutexLock lock(&core_->heaps_lock);
  // Relaxed: figures; what is reset between the two loads is missed once.
  uint64_t sum = core_->allocated_before.load(kRelaxed);
  for (const ThreadHeap* h = core_->heaps; h != nullptr; h = h->next_) {
    sum += h->allocated_since();
  }
  return sum;
}

void HeapDomain::RequestAll(uint32_t bits) {
  MutexLock lock(&core_->heaps_lock);
  for (ThreadHeap* h = core_->heaps; h != nullptr; h = h->next_) {
    h->Request(bits);
  }
}

bool HeapDomain::StartHeapProfile(uint64_t interval) {
  return core_->sampler.Start(interval);
}

uint64_t HeapDomain::HeapProfileInterval() const {
  return core_->sampler.interval();
}

void HeapDomain::SetProfileFrames(
    size_t (*frames)(void* arg, ProfileFrame* out, size_t most), void* arg) {
  core_->sampler.SetFrames(frames, arg);
}

void HeapDomain::VisitSamples(
    absl::FunctionRef<void(const HeapSample&)> visit) const {
  std::vector<HeapSample> samples;
  std::vector<char> memory;
  core_->sampler.Snapshot(&samples, &memory);
  for (const HeapSample& sample : samples) visit(sample);
}

void HeapDomain::VisitPages(uint32_t kind_mask,
                            absl::FunctionRef<void(const PageInfo&)> visit) {
  MutexLock lock(&core_->control_lock);
  internal::WalkScope walk(core_);
  internal::ForEachPage(core_, [&](Page* page) {
    if ((KindBit(page->kind) & kind_mask) == 0) return;
    PageInfo info;
    info.page = page;
    info.first_block = page->start;
    info.block_size = page->size();
    info.count = page->extended.load(kRelaxed);  // in a stop
    info.header_offset = HeaderOffset(page->kind);
    info.owner_tid = internal::OriginTid(page);
    info.owner_changed = page->owner_changed.load(kRelaxed) != 0 ||  // in a stop
                         (page->origin.load(kRelaxed) != nullptr &&
                          info.owner_tid == 0);
    info.kind = page->kind;
    if (info.count != 0) visit(info);
  });
}

void HeapDomain::ClearOwnerChanged() {
  internal::ForEachPage(core_, [&](Page* page) {
    page->owner_changed.store(0, kRelaxed);  // in a stop
    if (internal::OriginTid(page) == 0) page->origin.store(nullptr, kRelaxed);
  });
}

void HeapDomain::AfterStop() {
  DomainCore* core = core_;
  {
    MutexLock control(&core->control_lock);
    MutexLock lock(&core->heaps_lock);
    for (ThreadHeap* h = core->heaps; h != nullptr; h = h->next_) {
      // All threads are stopped: whatever its state, the heap holds still.
      if (!h->limbo_.empty()) core->limbo.Give(h->limbo_);
      h->limbo_bytes_.store(0, kRelaxed);  // a figure
      HeapOps::FlushBatch(h);
      HeapOps::Trim(h, false);
    }
  }
  core->limbo.DrainAll(&HeapOps::FreeFromLimbo, core);
  while (Page* page = core->pool.TakeDue(&core->qsbr, true)) {
    CountUp(core->counters.dormant_converted);
    HeapOps::DissolvePage(core, page);
  }
  core->purger.Given();
}

void HeapDomain::StartBackground() {
  core_->background.store(true, kRelaxed);  // read by the forking thread
  core_->purger.Start();
}

void HeapDomain::StopBackground() {
  core_->background.store(false, kRelaxed);  // as above
  core_->purger.Stop();
}

// Fork: locked before it, unlocked after it, so no function here leaves with the
// locks it came with, and the locks of the bins are an array: outside the analysis.
void HeapDomain::PrepareFork() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  DomainCore* core = core_;
  core->control_lock.Lock();
  core->heaps_lock.Lock();
  core->things_lock.Lock();
  if (core->quarantine != nullptr) core->quarantine->lock().Lock();
  core->purger.LockAll();
  for (auto& row : core->bins) {
    for (internal::Bin& bin : row) bin.lock.Lock();
  }
  core->pool.lock().Lock();
  core->records_lock.Lock();
  core->callback_lock.Lock();
  core->sampler.LockAll();
  core->arenas.lock().Lock();
  core->meta.lock().Lock();
}

namespace {
void UnlockAll(DomainCore* core) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  core->meta.lock().Unlock();
  core->arenas.lock().Unlock();
  core->sampler.UnlockAll();
  core->callback_lock.Unlock();
  core->records_lock.Unlock();
  core->pool.lock().Unlock();
  for (auto& row : core->bins) {
    for (internal::Bin& bin : row) bin.lock.Unlock();
  }
  core->purger.UnlockAll();
  if (core->quarantine != nullptr) core->quarantine->lock().Unlock();
  core->things_lock.Unlock();
  core->heaps_lock.Unlock();
  core->control_lock.Unlock();
}
}  // namespace

void HeapDomain::ParentAfterFork() { UnlockAll(core_); }

void HeapDomain::ChildAfterFork(bool restart_background)
    ABSL_NO_THREAD_SAFETY_ANALYSIS {
  // A heap whose thread was in the middle of something stays as it is for ever. The
  // gates of threads that do not exist here may be overwritten any time.
  for (ThreadHeap* h = core_->heaps; h != nullptr; h = h->next_) {
    if (h->gate_ == nullptr || h->tid_ == CurrentTid()) continue;
    if (h->gate_->busy_.load(kRelaxed) != 0) h->unholdable_ = true;
    h->gate_ = nullptr;
  }
  // Nobody who was attached or waited in the parent exists here.
  QsbrSlot* mine = nullptr;
  for (ThreadHeap* h = core_->heaps; h != nullptr; h = h->next_) {
    if (h->tid_ == CurrentTid()) mine = h->slot_;
  }
  core_->qsbr.DetachOthersAfterFork(mine);
  internal::HeapRecord::AfterFork(core_);
  ParkingLot::ResetAfterFork();
  UnlockAll(core_);
  core_->purger.ForgetThread();
  // Relaxed: one thread here.
  if (!restart_background) core_->background.store(false, kRelaxed);
  if (core_->background.load(kRelaxed)) core_->purger.Start();
}

void HeapDomain::CheckInvariants() {
  DomainCore* core = core_;
  core->arenas.CheckInvariants();
  internal::ForEachPage(core, [&](Page* page) {
    // Relaxed: nobody else is active.
    uint64_t word = page->xthread.load(kRelaxed);
    uint32_t used = page->used.load(kRelaxed);
    TP_CHECK(page->domain == this);
    TP_CHECK(used <= page->extended.load(kRelaxed));
    TP_CHECK(page->extended.load(kRelaxed) <= page->capacity);
    TP_CHECK(internal::XThread::Count(word) <= used);  // P1
    if (page->owner.load(kRelaxed) != 0) {
      TP_CHECK(internal::XThread::Owned(word));  // P4
    }
    if (!internal::XThread::Owned(word)) {
      TP_CHECK(internal::XThread::Listed(word) == page->in_bin);
      TP_CHECK(internal::XThread::Count(word) < used);  // X7
      TP_CHECK(page->in_bin || internal::XThread::List(word) == nullptr);
      TP_CHECK(page->in_bin == HeapOps::HasRoom(page));  // P3
    }
    if (page->size_class == 0) return;
    // P1, P2: walk the lists.
    uint32_t counted = 0;
    internal::ForEachFreeBlock(page, [&](void* block) {
      TP_CHECK(page->IndexOf(block) < page->extended.load(kRelaxed));
      TP_CHECK(++counted <= page->capacity);
    });
    uint32_t foreign = internal::XThread::Count(word);
    uint32_t free = page->extended.load(kRelaxed) - used;
    if (page->hole_count == 0) {
      TP_CHECK(counted == free + foreign);
    } else {
      TP_CHECK(counted <= free + foreign);
    }
  });
  // Relaxed: nobody else is active.
  for (internal::HeapRecord* r = core->things.load(kRelaxed); r != nullptr;
       r = r->next) {
    if ((r->generation.load(kRelaxed) & 1) != 0) r->CheckInvariants();
  }
  core->pool.ForEach([&](Page* page) {
    TP_CHECK(page->used.load(kRelaxed) == 0);  // P5
    TP_CHECK(page->state.load(kRelaxed) == PageState::kDormant);
    TP_CHECK(page->owner.load(kRelaxed) == 0);
  });
}

}  // namespace tidepool
