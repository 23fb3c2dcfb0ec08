// Heaps as things: handles, the protocol of holding (T1-T5 of heap.h), allocation.
#include "tidepool/allocator/heap.h"

#include <cstring>

#include "tidepool/allocator/internal/core.h"
#include "tidepool/allocator/internal/heap_record.h"
#include "tidepool/allocator/internal/process_barrier.h"
#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"
#include "tidepool/base/thread_id.h"

namespace tidepool {

using internal::DomainCore;
using internal::g_no_page;
using internal::HeapOps;
using internal::HeapRecord;
using internal::kGrowQueue;
using internal::Page;
using internal::PageMap;
using internal::PageState;

namespace internal {

// --- T4 and T5. ---

bool HeapRecord::Interrupt(uint64_t wanted, bool wait, uint64_t* old) {
  for (;;) {
    // Acquire pairs with the release in Create and Destroy.
    uint64_t now = generation.load(kAcquire);
    if ((now & 1) == 0 || (wanted != 0 && now != wanted)) return false;
    uint64_t h = holder.load(kRelaxed);  // the CAS checks it
    if ((h & 1) == 0 && holder.compare_exchange_strong(h, h | 1, kAcqRel,
                                                       kRelaxed)) {
      // It may have been destroyed, and made anew, before the exchange.
      if (generation.load(kAcquire) != now) {
        holder.store(h, kRelease);
        return false;
      }
      *old = h;
      break;
    }
    if (!wait) return false;
    core->os->SleepNs(20000);
  }
  // The holder, if there is one and it is not us, may be inside an operation.
  ThreadHeap* inside = user.load(kRelaxed);  // written before the token
  if (*old == 0 || inside == nullptr || inside->tid() == CurrentTid() ||
      TIDEPOOL_MUTANT(heap_interrupt_no_wait)) {
    return true;
  }
  if (fences) {
    AtomicFence(kSeqCst);  // pairs with the fence in Enter
  } else {
    ProcessBarrier();
#if TIDEPOOL_TSAN
    AtomicFence(kSeqCst);
#endif
  }
  // Acquire pairs with the release in Leave.
  while (inside->in_heap_.load(kAcquire) == this) core->os->SleepNs(20000);
  return true;
}

void HeapRecord::Resume(uint64_t next) {
  holder.store(next, kRelease);  // T5: pairs with T2 and T4
}

void HeapRecord::TrimAll(DomainCore* core) {
  // Acquire pairs with the release in Create.
  for (HeapRecord* r = core->things.load(kAcquire); r != nullptr; r = r->next) {
    uint64_t old = 0;
    if (!r->Interrupt(0, false, &old)) continue;
    if (!r->torn) r->Trim();
    r->Resume(old);
  }
}

// In the child, whose only thread is the caller.
void HeapRecord::AfterFork(DomainCore* core) {
  for (HeapRecord* r = core->things.load(kRelaxed); r != nullptr; r = r->next) {
    ThreadHeap* inside = r->user.load(kRelaxed);
    uint64_t h = r->holder.load(kRelaxed);
    if ((h & 1) != 0) {
      r->torn = true;
      r->holder.store(h & ~uint64_t{1}, kRelaxed);
    }
    if (inside == nullptr || inside->tid() == CurrentTid()) continue;
    if (inside->in_heap_.load(kRelaxed) == r) {
      r->torn = true;
      inside->in_heap_.store(nullptr, kRelaxed);
    }
  }
}

}  // namespace internal

// --- Heap. ---

absl::StatusOr<Heap> Heap::Create(HeapDomain* domain, const HeapConfig& config) {
  DomainCore* core = domain->core();
  HeapRecord* record = nullptr;
  {
    MutexLock lock(&core->things_lock);
    record = core->dead_things;
    if (record != nullptr) core->dead_things = record->next_dead;
  }
  if (record == nullptr) {
    record = static_cast<HeapRecord*>(core->meta.Take(sizeof(HeapRecord)));
    if (record == nullptr) {
      return absl::ResourceExhaustedError("no memory for a heap's record");
    }
    record->core = core;
    record->fences = !internal::ProcessBarrier();
    MutexLock lock(&core->things_lock);
    record->next = core->things.load(kRelaxed);  // under the lock
    core->things.store(record, kRelease);        // pairs with TrimAll
  }
  // The record is dead: whoever looks at it sees an even generation.
  record->DropAll();
  record->torn = false;
  for (auto* figure : {&record->peak_live, &record->peak_committed,
                       &record->refused, &record->foreign_frees}) {
    figure->store(0, kRelaxed);
  }
  record->user.store(nullptr, kRelaxed);
  // Release: pairs with the acquire in Interrupt.
  uint64_t generation = record->generation.fetch_add(1, kRelease) + 1;
  Heap heap(record, generation);
  heap.SetLimits(config);
  CountUp(core->counters.heaps);
  return heap;
}

Heap Heap::Of(const void* block) {
  if (HeapDomain::UsableSize(block) == 0) return Heap();
  HeapRecord* record = PageMap::Lookup(block)->thing;
  if (record == nullptr) return Heap();
  return Heap(record, record->generation.load(kAcquire));  // as in Interrupt
}

bool Heap::alive() const {
  return record_ != nullptr &&
         record_->generation.load(kAcquire) == generation_;  // as in Interrupt
}

bool Heap::Take(ThreadHeap* self, HeapHold* hold) const {
  uint64_t old = 0;
  if (record_ == nullptr || self->domain() != record_->core->domain ||
      !record_->Interrupt(generation_, true, &old)) {
    return false;
  }
  if (record_->torn) {  // a fork caught its holder: only a Reset helps
    record_->Resume(old);
    return false;
  }
  hold->record_ = record_;
  hold->self_ = self;
  hold->generation_ = generation_;
  // Never 0, never used twice. Relaxed: only its uniqueness counts.
  hold->token_ = record_->core->thing_tokens.fetch_add(2, kRelaxed) + 2;
  record_->user.store(self, kRelaxed);  // released by T5
  record_->Resume(hold->token_);
  return true;
}

bool Heap::TryTake(ThreadHeap* self, HeapHold* hold) const {
  if (record_ == nullptr || record_->holder.load(kRelaxed) != 0) return false;
  uint64_t old = 0;
  if (self->domain() != record_->core->domain ||
      !record_->Interrupt(generation_, true, &old)) {
    return false;
  }
  bool free = old == 0 && !record_->torn;
  if (free) {
    *hold = HeapHold();
    hold->record_ = record_;
    hold->self_ = self;
    hold->generation_ = generation_;
    hold->token_ = record_->core->thing_tokens.fetch_add(2, kRelaxed) + 2;
    record_->user.store(self, kRelaxed);  // released by T5
    old = hold->token_;
  }
  record_->Resume(old);
  return free;
}

bool Heap::Reset() const {
  uint64_t old = 0;
  if (record_ == nullptr || !record_->Interrupt(generation_, true, &old)) {
    return false;
  }
  record_->DropAll();
  DomainCore* core = record_->core;
  record_->Resume(old);
  if (core->purger.due()) core->purger.Run();
  return true;
}

bool Heap::Destroy() const {
  uint64_t old = 0;
  if (record_ == nullptr || !record_->Interrupt(generation_, true, &old)) {
    return false;
  }
  record_->DropAll();
  DomainCore* core = record_->core;
  if (!TIDEPOOL_MUTANT(heap_destroy_same_generation)) {
    // Release: pairs with Interrupt. Even: dead.
    record_->generation.fetch_add(1, kRelease);
  }
  record_->user.store(nullptr, kRelaxed);  // released by T5
  record_->Resume(0);
  CountDown(core->counters.heaps);
  {
    MutexLock lock(&core->things_lock);
    record_->next_dead = core->dead_things;
    core->dead_things = record_;
  }
  if (core->purger.due()) core->purger.Run();
  return true;
}

bool Heap::Purge(size_t* purged) const {
  uint64_t old = 0;
  if (record_ == nullptr || !record_->Interrupt(generation_, true, &old)) {
    return false;
  }
  size_t bytes = record_->torn ? 0 : record_->Trim();
  record_->Resume(old);
  bytes += record_->core->purger.PurgeUnused(SIZE_MAX);
  if (purged != nullptr) *purged = bytes;
  return true;
}

bool Heap::Figures(HeapFigures* out) const {
  if (!alive()) return false;
  const HeapRecord& r = *record_;
  // All relaxed: figures. Foreign first: it is counted up before `own` goes down.
  uint64_t foreign_bytes =
      r.foreign_bytes.load(kRelaxed) + r.quarantined_bytes.load(kRelaxed);
  uint64_t foreign_blocks =
      r.foreign_blocks.load(kRelaxed) + r.quarantined_blocks.load(kRelaxed);
  uint64_t bytes = r.own_bytes.load(kRelaxed) + r.large_bytes.load(kRelaxed);
  uint64_t blocks = r.own_blocks.load(kRelaxed) + r.large_blocks.load(kRelaxed);
  out->live_bytes = bytes > foreign_bytes ? bytes - foreign_bytes : 0;
  out->live_blocks = blocks > foreign_blocks ? blocks - foreign_blocks : 0;
  out->committed = r.committed.load(kRelaxed);
  out->pages = r.pages.load(kRelaxed);
  out->peak_live = r.peak_live.load(kRelaxed);
  out->peak_committed = r.peak_committed.load(kRelaxed);
  out->refused = r.refused.load(kRelaxed);
  out->foreign_frees = r.foreign_frees.load(kRelaxed) + foreign_blocks;
  return alive();
}

bool Heap::SetLimits(const HeapConfig& config) const {
  if (!alive()) return false;
  auto limit = [](uint64_t bytes) { return bytes == 0 ? UINT64_MAX : bytes; };
  record_->max_live.store(limit(config.max_live), kRelaxed);  // figures
  record_->max_committed.store(limit(config.max_committed), kRelaxed);
  return alive();
}

bool Heap::ResetPeaks() const {
  uint64_t old = 0;
  if (record_ == nullptr || !record_->Interrupt(generation_, true, &old)) {
    return false;
  }
  record_->peak_live.store(0, kRelaxed);  // figures
  record_->peak_committed.store(0, kRelaxed);
  record_->CountPeaks();
  record_->Resume(old);
  return true;
}

bool Heap::VisitPages(absl::FunctionRef<void(const PageInfo&)> visit) const {
  uint64_t old = 0;
  if (record_ == nullptr || !record_->Interrupt(generation_, true, &old)) {
    return false;
  }
  {
    MutexLock lock(&record_->core->things_lock);
    internal::WalkScope walk(record_->core);
    for (Page* page = record_->all; page != nullptr; page = page->age_next) {
      PageInfo info = {page, page->start, page->size(),
                       page->extended.load(kRelaxed),  // interrupted: it stands
                       0, 0, false, HeapKind::kRaw};
      if (info.count != 0) visit(info);
    }
  }
  record_->Resume(old);
  return true;
}

// --- HeapHold: T2 and T3. ---

bool HeapHold::Enter() {
  if (__builtin_expect(record_ == nullptr, 0)) return false;
  self_->in_heap_.store(record_, kRelaxed);  // ordered by the barrier of T4
  internal::CompilerFence();
  if (__builtin_expect(record_->fences, 0)) AtomicFence(kSeqCst);
  // Acquire pairs with T5.
  if (__builtin_expect(record_->holder.load(kAcquire) == token_, 1)) return true;
  return EnterSlow();
}

// Somebody is at work on the heap, or it is no longer ours.
bool HeapHold::EnterSlow() {
  DomainCore* core = record_->core;
  for (;;) {
    self_->in_heap_.store(nullptr, kRelease);  // pairs with T4's wait
    uint64_t h = record_->holder.load(kAcquire);  // pairs with T5
    if ((h & ~uint64_t{1}) != token_ || token_ == 0) {
      HeapOps::BadUse(core, MemoryFault::kWrongUse, "refused to use heap", record_,
                      record_->generation.load(kRelaxed) != generation_
                          ? "it was destroyed"
                          : "this thread no longer holds it");
      return false;
    }
    if (internal::InWalk(core)) {
      HeapOps::BadUse(core, MemoryFault::kWrongUse, "refused to use heap", record_,
                      "inside a walk over it");
      return false;
    }
    if (h == token_) {
      self_->in_heap_.store(record_, kRelaxed);  // as in Enter
      internal::CompilerFence();
      if (record_->fences) AtomicFence(kSeqCst);
      if (record_->holder.load(kAcquire) == token_) return true;
    } else {
      core->os->SleepNs(20000);
    }
  }
}

void HeapHold::Leave() {
  self_->in_heap_.store(nullptr, kRelease);  // pairs with T4's wait
}

bool HeapHold::valid() const {
  return record_ != nullptr && token_ != 0 &&
         (record_->holder.load(kAcquire) & ~uint64_t{1}) == token_;  // T5
}

void HeapHold::Release() {
  while (record_ != nullptr && token_ != 0) {
    uint64_t expected = token_;
    // T3. Release: what we did to the heap, before T4.
    if (record_->holder.compare_exchange_strong(expected, 0, kRelease,
                                                kRelaxed) ||
        (expected & ~uint64_t{1}) != token_) {
      break;
    }
    record_->core->os->SleepNs(20000);
  }
  // Not 0, which is what `holder` is while nobody holds the heap.
  if (record_ != nullptr) token_ = UINT64_MAX;
}

Heap HeapHold::heap() const { return Heap(record_, generation_); }

void* HeapHold::Allocate(size_t size) {
  if (size > kMediumMax) return AllocateLarge(size, 1, false);
  if (__builtin_expect(!Enter(), 0)) return nullptr;
  HeapRecord* r = record_;
  Page* page = r->rows[0][SizeClass(size)].current;
  if (__builtin_expect(page->free == nullptr || !r->MayAdd(page->size(), 0), 0)) {
    return AllocateSlow(0, size, false);
  }
  void* block = r->Pop(page);
  Leave();
  return block;
}

// Inside the operation on entry, outside afterwards.
void* HeapHold::AllocateSlow(unsigned row, size_t size, bool zero,
                             size_t least) {
  HeapRecord* r = record_;
  DomainCore* core = r->core;
  if (internal::InWalk(core)) {
    Leave();
    return HeapOps::RefuseInWalk(core);
  }
  const size_t tail = r->Tail();
  if (size + tail > kMediumMax) {
    Leave();
    return AllocateLarge(size, 1, zero);
  }
  unsigned c = SizeClass(size + tail > least ? size + tail : least);
  size_t bytes = ClassSize(c);
  size_t os_page = core->arenas.os_page();
  size_t step = (bytes + os_page - 1) & ~(os_page - 1);
  for (int stage = 0;;) {
    r->CollectPending();
    Page* page = r->MayAdd(bytes, 0) ? r->FindPage(row, c) : nullptr;
    // What the heap keeps unused must not be why its own limit refuses.
    if (page == nullptr && !r->MayAdd(bytes, step) && r->Unused() != 0) {
      r->Trim();
      page = r->MayAdd(bytes, 0) ? r->FindPage(row, c) : nullptr;
    }
    if (page != nullptr) {
      void* block = r->Pop(page);
      if (zero) {
        if (page->free_is_zero) {
          TrackDefined(block, size);
          internal::SetLink(block, page->link_offset, nullptr);
        } else {
          memset(block, 0, size < 16 && tail == 0 ? 16 : size);
        }
      }
      if (page->tails) SetTail(page, block, size);
      Leave();
      HeapOps::CheckSoftLimit(core, self_, bytes);
      if (core->purger.due()) core->purger.Run();
      return block;
    }
    bool own_limit = !r->MayAdd(bytes, step);
    Leave();
    if (own_limit || !HeapOps::MakeRoom(core, self_, &stage, bytes)) {
      if (!own_limit) CountUp(core->counters.limit_hits);
      CountUp(r->refused);
      return nullptr;
    }
    if (!Enter()) return nullptr;
  }
}

void* HeapHold::AllocateZeroed(size_t size) {
  if (size > kMediumMax) return AllocateLarge(size, 1, true);
  if (!Enter()) return nullptr;
  HeapRecord* r = record_;
  Page* page = r->rows[0][SizeClass(size)].current;
  if (page->free == nullptr || !r->MayAdd(page->size(), 0)) {
    return AllocateSlow(0, size, true);
  }
  bool is_zero = page->free_is_zero;
  void* block = r->Pop(page);
  Leave();
  if (is_zero) {
    TrackDefined(block, size);
    internal::SetLink(block, 0, nullptr);
  } else {
    memset(block, 0, size < 16 ? 16 : size);
  }
  return block;
}

void* HeapHold::AllocateLarge(size_t size, size_t alignment, bool zero) {
  HeapRecord* r = record_;
  if (r == nullptr) return nullptr;
  DomainCore* core = r->core;
  if (internal::InWalk(core)) return HeapOps::RefuseInWalk(core);
  size_t os_page = core->arenas.os_page();
  const size_t requested = size;
  if (r->Tail() != 0) size += internal::kLargeTail;
  size_t bytes = (size + os_page - 1) & ~(os_page - 1);
  for (int stage = 0; bytes >= requested;) {  // else it overflowed
    if (!Enter()) return nullptr;
    r->CollectPending();
    if (!r->MayAdd(bytes, bytes)) r->Trim();
    bool own_limit = !r->MayAdd(bytes, bytes);
    void* block = own_limit ? nullptr
                            : HeapOps::AllocateLarge(core, self_, HeapKind::kRaw,
                                                     size, alignment, zero);
    if (block != nullptr) r->PutInLarge(PageMap::Lookup(block));
    Leave();
    if (block != nullptr) {
      Page* page = PageMap::Lookup(block);
      HeapOps::HandOut(core, self_, block,
                       page->tails ? requested : page->size(), zero);
      HeapOps::CheckSoftLimit(core, self_, size);
      if (core->purger.due()) core->purger.Run();
      return block;
    }
    if (own_limit) break;
    if (!HeapOps::MakeRoom(core, self_, &stage, size)) {
      CountUp(core->counters.limit_hits);
      break;
    }
  }
  CountUp(r->refused);
  return nullptr;
}

void* HeapHold::AllocateAligned(size_t size, size_t alignment) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) return nullptr;
  if (alignment <= 16) return Allocate(size);
  if (size <= kMediumMax && alignment <= kMediumMax) {
    // As ThreadHeap::AllocateAligned.
    const size_t tail = record_ != nullptr ? record_->Tail() : 0;
    unsigned c = SizeClass(size < alignment ? alignment : size);
    while (c < kClassCount && ((ClassSize(c) & (alignment - 1)) != 0 ||
                               ClassSize(c) < size + tail)) {
      ++c;
    }
    if (c < kClassCount && tail == 0) return Allocate(ClassSize(c));
    if (c < kClassCount) {
      return Enter() ? AllocateSlow(0, size, false, ClassSize(c)) : nullptr;
    }
  }
  return AllocateLarge(size <= kMediumMax ? kMediumMax + 1 : size, alignment,
                       false);
}

void HeapHold::Free(void* block) {
  if (block == nullptr) return;
  Page* page = PageMap::Lookup(block);
  // Relaxed: as ThreadHeap::Free; the record is an owner like any other (G1).
  if (__builtin_expect(page != nullptr && record_ != nullptr &&
                           page->owner.load(kRelaxed) ==
                               reinterpret_cast<uintptr_t>(record_) &&
                           page->IndexOf(block) <
                               page->extended.load(kRelaxed) &&
                           valid() && Enter(),
                       1)) {
    record_->Push(page, block);
    Leave();
    return;
  }
  FreeOther(block);
}

void HeapHold::FreeOther(void* block) {
  DomainCore* core = record_ != nullptr ? record_->core : nullptr;
  HeapOps::FreeAny(core, nullptr, block, PageMap::Lookup(block));
  if (core != nullptr && core->purger.due()) core->purger.Run();
}

// As ThreadHeap::Reallocate (realloc.cc has the reasons).
void* HeapHold::Reallocate(void* block, size_t size) {
  if (block == nullptr) return Allocate(size);
  if (record_ == nullptr) return nullptr;
  Page* page = PageMap::Lookup(block);
  DomainCore* core = record_->core;
  size_t usable = HeapDomain::UsableSize(block);
  if (internal::InWalk(core)) return HeapOps::RefuseInWalk(core);
  if (usable == 0 || page->thing != record_) {
    HeapOps::BadUse(core, MemoryFault::kWrongUse, "refused to resize", block, "no block of this heap");
    return nullptr;
  }
  if (page->live_bits != nullptr && !HeapOps::IsLive(page, block)) {
    HeapOps::BadUse(core, MemoryFault::kDoubleFree, "refused to resize", block,
                    "a block that is free already");
    return nullptr;
  }
  if (page->tails) {  // never in place: a use of the old pointer shows
    void* fresh = Allocate(size);
    if (fresh == nullptr) return nullptr;
    memcpy(fresh, block, size < usable ? size : usable);
    Free(block);
    return fresh;
  }
  bool large = page->size_class == 0;
  size_t slack = usable + usable / 8 * 3;
  bool grow = size > usable && size <= slack;
  // Under valgrind large blocks move: it knows no resized block.
  if (large && size > kMediumMax && !Watched()) {
    size_t os_page = core->arenas.os_page();
    size_t bytes = (size + os_page - 1) & ~(os_page - 1);
    if (bytes < size || !Enter()) return nullptr;
    bool done = (bytes <= usable || record_->MayAdd(bytes - usable,
                                                    bytes - usable)) &&
                HeapOps::ResizeLarge(core, page, size);
    if (done) {
      uint64_t delta = page->size() - usable;  // may wrap: so does the sum
      CountUp(record_->large_bytes, delta);
      CountUp(record_->committed, delta);
      record_->CountPeaks();
      UnpoisonMemory(block, page->size());
    }
    Leave();
    if (done) {
      if (core->purger.due()) core->purger.Run();
      return block;
    }
  } else if (size <= usable) {
    size_t ideal = ClassSize(SizeClass(size));
    size_t saving = usable > ideal ? usable - ideal : 0;
    bool grown = page->queue_kind == kGrowQueue;
    if (saving * 8 < (grown ? usable * 3 : usable)) return block;
  }
  void* fresh = nullptr;
  if (grow && slack <= kMediumMax) {
    if (!Enter()) return nullptr;
    fresh = AllocateSlow(1, slack, false);
  } else if (grow) {
    fresh = AllocateLarge(slack, 1, false);
    if (fresh != nullptr) PageMap::Lookup(fresh)->requested = size;
  }
  if (fresh == nullptr) fresh = Allocate(size);
  // A shrink that cannot move stays where it is.
  if (fresh == nullptr) return size <= usable ? block : nullptr;
  size_t keep = size < usable ? size : usable;
  if (large && page->requested < keep) keep = page->requested;
  HeapOps::MoveBlock(core, fresh, block, keep, large);
  Free(block);
  return fresh;
}

}  // namespace tidepool
