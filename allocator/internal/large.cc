// Blocks with a page of their own (above 64 KiB).
//
// Such a page belongs to no heap: any thread that frees the block takes the page
// with one exchange of its state word, which also finds double frees, and the memory
// is there for the next request at once, whoever makes it. So nothing of a large
// block ever waits for the thread that made it.
//
//   state      event                         next       who            order
//   kNone      AllocateLarge                 kLarge     the allocator  release
//   kLarge     free, raw                     kNone      any thread     acq_rel exchange
//   kLarge     free, object kinds            kDormant   any thread     acq_rel exchange
//   kDormant   taken for the same kind       kLarge     the allocator  release
//   kDormant   goal passed                   kNone      pool           relaxed (owned)
// The exchange acquires what the freeing thread's predecessors wrote (by their own
// synchronisation) and makes the second of two frees see that it is one.
//
// Memory that is being purged cannot be found meanwhile; a block of 2 MiB or more waits
// for the end of that before it takes fresh memory (purge.h).
//
// Size: rounded up to an OS page. A dormant page that is larger than the request
// gives its tail away at once: no header was ever published there.
#include <cstring>

#include "tidepool/allocator/internal/core.h"
#include "tidepool/allocator/internal/heap_record.h"
#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"

namespace tidepool::internal {
namespace {

constexpr size_t kLargest = size_t{1} << 46;

size_t RoundUp(size_t size, size_t unit) {
  return (size + unit - 1) & ~(unit - 1);
}

// Cuts the page down to `slices`; the tail is free at once.
void CutTail(DomainCore* core, Page* page, size_t slices) {
  size_t extra = page->slices - slices;
  if (extra == 0) return;
  char* tail = page->start + slices * kSliceSize;
  if (page->guarded) HeapOps::DropGuard(core, page);
  PageMap::Set(tail, extra, nullptr);
  page->slices = slices;
  PoisonMemory(tail, extra * kSliceSize);
  core->arenas.Give(page->arena, tail, extra);
}

// A dormant page for a block of `slices`: cut down, or, if it is a little too small,
// enlarged by the slices behind it. Null: none.
Page* TakeDormant(DomainCore* core, HeapKind kind, size_t slices, size_t most) {
  Page* page = core->pool.TakeLarge(kind, slices - slices / 8, slices, most);
  if (page == nullptr) return nullptr;
  if (page->slices >= slices) {
    CutTail(core, page, slices);
    return page;
  }
  size_t more = slices - page->slices;
  if (core->arenas.TakeBehind(page->arena, page->end(), more)) {
    PageMap::Set(page->end(), more, page);
    page->slices = slices;
    return page;
  }
  core->pool.Put(page, core->arenas.DirtyBytes(page->arena, page->start,
                                               page->slices));
  page = core->pool.TakeLarge(kind, slices, slices, most);
  if (page != nullptr) CutTail(core, page, slices);
  return page;
}

// What a block needs, and where it will be: a dormant page, or else a run of slices.
struct Place {
  HeapKind kind;
  ArenaSort sort;
  size_t bytes, slices, align;
  size_t guards;  // slices behind a run
  Page* page;
  Run run;
};

bool TakeRun(DomainCore* core, Place* place, ArenaSet::Mode mode) {
  return core->arenas.Take(place->sort, place->slices + place->guards, place->align, mode,
                           &place->run);
}

// What has memory and lies ready.
bool FindReady(DomainCore* core, Place* place) {
  if (IsObjectKind(place->kind) && place->align == 1) {
    const size_t most =
        place->sort == ArenaSort::kHuge ? SIZE_MAX : place->slices * 2;
    place->page = TakeDormant(core, place->kind, place->slices, most);
    if (place->page != nullptr) return true;
  }
  return TakeRun(core, place, ArenaSet::kDirtyOnly);
}

// The rest, cheapest first.
bool FindOther(DomainCore* core, Place* place) {
  if (!core->pool.empty() && HeapOps::ConvertDormant(core, place->bytes) &&
      TakeRun(core, place, ArenaSet::kDirtyOnly)) {
    return true;
  }
  return TakeRun(core, place, ArenaSet::kReserved) ||
         TakeRun(core, place, ArenaSet::kGrow);
}

bool Find(DomainCore* core, Place* place) {
  if (FindReady(core, place)) return true;
  if (place->sort != ArenaSort::kHuge || TIDEPOOL_MUTANT(purge_unawaited)) {
    return FindOther(core, place);
  }
  PieceScope scope(&core->purger);
  return FindReady(core, place) || FindOther(core, place);
}

// Charges the block's bytes at the front of the run. False: refused.
bool Charge(DomainCore* core, const Run& run, size_t bytes, bool* was_zero) {
  const size_t dirty = core->arenas.DirtyBytes(run.arena, run.start, run.slices);
  const size_t fresh = dirty < bytes ? bytes - dirty : 0;
  if (fresh != 0) BeforeCommit(core, fresh);
  if (!core->arenas.Extend(run.arena, run.start, run.start + bytes, was_zero)) {
    return false;
  }
  CountUpTo(core->counters.large_live, core->counters.large_peak, bytes);
  // Again, for what was freed between that look and the charge: nothing is touched yet.
  // What is freed from now on was held by the program beside this block, and counted so.
  if (fresh != 0) BeforeCommit(core, fresh);
  return true;
}

void InitLarge(DomainCore* core, Page* page, Origin* origin, HeapKind kind,
               size_t size, size_t requested) {
  // A dormant page keeps its layout, which a walk that saw its last block alive may be
  // reading. Relaxed: the page is ours.
  if (page->state.load(kRelaxed) != PageState::kDormant) {
    page->domain = core->domain;
    page->queue_kind = static_cast<uint8_t>(kind);
    page->SetKind(kind, 0);
    page->link_offset = static_cast<uint8_t>(LinkOffset(kind));
  }
  page->set_size(size);
  page->requested = requested;
  page->magic = 0;
  page->limit = 0;
  page->inverse = 0;
  page->shift = 0;
  page->capacity = 1;
  page->sane = 1;
  page->free = page->local_free = nullptr;
  page->free_is_zero = page->in_bin = page->full = false;
  page->may_zero = false;
  page->zero_from = 0;
  page->slow = true;
  page->retire = 0;
  page->holes = nullptr;
  page->hole_count = 0;
  page->live_bits = nullptr;
  page->thing = nullptr;
  page->links = false;
  page->tails = (core->hardening & kHardenCanaries) != 0;
  page->next = page->prev = nullptr;
  // Relaxed: published by the state's release store and the page map.
  page->owner.store(0, kRelaxed);
  page->xthread.store(XThread::kOwned, kRelaxed);
  page->extended.store(1, kRelaxed);
  page->used.store(1, kRelaxed);
  page->owner_changed.store(0, kRelaxed);
  page->limbo.store(0, kRelaxed);
  page->sampled.store(0, kRelaxed);
  page->origin.store(origin, kRelaxed);
  page->origin_generation.store(origin->generation.load(kRelaxed), kRelaxed);
}

}  // namespace

void* HeapOps::AllocateLarge(DomainCore* core, ThreadHeap* heap, HeapKind kind,
                             size_t size, size_t alignment, bool zero) {
  if (size > kLargest || alignment > kLargest) return nullptr;
  size_t os_page = core->arenas.os_page();
  size_t bytes = RoundUp(size, os_page);
  // More than there can be, whatever is given back: no address space for it (a
  // sanitizer would write the shadow of all of it).
  uint64_t hard = core->budget.hard();
  if (bytes > core->os->MemoryTotal() || (hard != 0 && bytes > hard)) return nullptr;
  size_t slices = (bytes + kSliceSize - 1) / kSliceSize;
  size_t align = alignment > kSliceSize ? alignment / kSliceSize : 1;
  ArenaSort sort =
      bytes >= kHugeBlock ? ArenaSort::kHuge : ArenaSort::kLarge;
  const size_t guards = (core->hardening & kHardenGuards) != 0 ? 1 : 0;
  Place place = {kind, sort, bytes, slices, align, guards, nullptr, {}};
  if (!Find(core, &place)) return nullptr;
  bool was_zero = false;
  Page* page = place.page;
  if (page != nullptr) {
    if (!Charge(core, {page->arena, page->start, page->slices}, bytes, &was_zero)) {
      core->pool.Put(page, core->arenas.DirtyBytes(page->arena, page->start,
                                                   page->slices));
      return nullptr;
    }
    CountUp(core->counters.dormant_reused);
  } else {
    const Run& run = place.run;
    page = NewRecord(core);
    if (page == nullptr) {
      core->arenas.Give(run.arena, run.start, run.slices);
      return nullptr;
    }
    if (!Charge(core, run, bytes, &was_zero)) {
      core->arenas.Give(run.arena, run.start, run.slices);
      FreeRecord(core, page);
      return nullptr;
    }
    page->start = run.start;
    page->arena = run.arena;
    page->slices = run.slices;
    if (guards != 0) {
      --page->slices;
      GuardBehind(core, page);
    }
    if (IsObjectKind(kind) && !was_zero) {
      // Not a header of this layout so far; no reader can look here (P6).
      UnpoisonMemory(run.start, HeaderOffset(kind) + kHeaderSize);
      memset(run.start, 0, HeaderOffset(kind) + kHeaderSize);
    }
    core->arenas.AdviseBlock(run.arena, run.start, bytes);
    CountUp(core->counters.pages_made);
  }
  InitLarge(core, page, heap->origin_, kind, bytes, size);
  char* block = page->start;
  UnpoisonMemory(block, bytes);  // whoever hands it out says how much of it
  if (zero && !was_zero) {
    if (IsObjectKind(kind)) {
      size_t header = HeaderOffset(kind);
      memset(block, 0, header);
      memset(block + header + kReaderWords, 0, size - header - kReaderWords);
    } else {
      memset(block, 0, size);
    }
  }
  // Release: pairs with the exchange in FreeLarge and with walks.
  page->state.store(PageState::kLarge, kRelease);
  PageMap::Set(page->start, page->slices, page);
  CountUp(core->counters.pages);
  CountUp(core->counters.large_allocated, bytes);
  core->purger.Taken(bytes);
  heap->allocated_.store(heap->allocated_.load(kRelaxed) + bytes, kRelaxed);
  if (core->sampler.interval() != 0) core->sampler.LargeTaken(heap, bytes);
  uint64_t budget = heap->alloc_budget_.load(kRelaxed);  // figures
  if (budget != 0 && heap->allocated_.load(kRelaxed) >= budget) {
    heap->Request(ThreadHeap::kGc);
  }
  return block;
}

void HeapOps::FreeLarge(DomainCore* core, Page* page, void* block) {
  if (block != page->start) {
    BadFree(core, block, MemoryFault::kInteriorPointer, "a pointer into a block");
    return;
  }
  // Relaxed: whoever has the block freed it delayed himself; a drain comes here later.
  if (page->limbo.load(kRelaxed) != 0) {
    BadFree(core, block, MemoryFault::kDoubleFree, "a block that waits for its readers");
    return;
  }
  bool raw = !IsObjectKind(page->kind);
  PageState next = raw ? PageState::kNone : PageState::kDormant;
  bool live = page->thing != nullptr
                  ? HeapRecord::TakeOutLarge(core, page)
                  : page->state.exchange(next, kAcqRel) == PageState::kLarge;
  if (!live) {
    BadFree(core, block, MemoryFault::kDoubleFree, "a block that is free already");
    return;
  }
  if (page->tails) CheckTail(core, page, block);
  page->used.store(0, kRelaxed);  // relaxed: the page is ours now
  CountDown(core->counters.pages);
  const size_t size = page->size();
  if (page->sampled.load(kRelaxed) != 0) core->sampler.Freed(block);  // ours
  TrackFreed(block, PoisonOffset(page->kind), size);
  if (raw) {
    DissolvePage(core, page);
  } else {
    page->goal = core->qsbr.Goal();  // rule 14
    size_t dirty =
        core->arenas.DirtyBytes(page->arena, page->start, page->slices);
    // So that its goal passes soon: big blocks are what other layouts want.
    if (dirty >= (1u << 20)) core->qsbr.EnsureAdvanced(page->goal);
    core->pool.Put(page, dirty);
  }
  // Now that others can have it: until then it is as good as live.
  CountDown(core->counters.large_live, size);
  core->purger.Given();
}

// Only raw blocks, by whoever holds the block. False: not in place.
bool HeapOps::ResizeLarge(DomainCore* core, Page* page, size_t size) {
  size_t os_page = core->arenas.os_page();
  size_t bytes = RoundUp(size, os_page);
  size_t slices = (bytes + kSliceSize - 1) / kSliceSize;
  size_t old = page->size();
  if (bytes <= old) {
    // Less than what was asked for last: a shrink, else growth within slack.
    bool shrink = size < page->requested && (old - bytes) * 8 >= old;
    page->requested = size;
    if (!shrink) return true;
    PoisonMemory(page->start + bytes, old - bytes);
    page->set_size(bytes);
    CountDown(core->counters.large_live, old - bytes);
    CutTail(core, page, slices);
    core->purger.Given();
    return true;
  }
  if (size > kLargest) return false;
  // A block that outgrows its sort of arena moves once, to where huge pages are.
  if (page->arena->sort == ArenaSort::kLarge && bytes >= 2 * kHugeBlock) {
    return false;
  }
  size_t more = slices > page->slices ? slices - page->slices : 0;
  if (more != 0 && !core->arenas.TakeBehind(page->arena, page->end(), more)) {
    return false;
  }
  bool was_zero = false;
  if (!core->arenas.Extend(page->arena, page->start + old, page->start + bytes,
                           &was_zero)) {
    if (more != 0) core->arenas.Give(page->arena, page->end(), more);
    return false;
  }
  if (more != 0) {
    PageMap::Set(page->end(), more, page);
    page->slices = slices;
  }
  core->arenas.AdviseBlock(page->arena, page->start, bytes);
  page->set_size(bytes);
  page->requested = size;
  CountUpTo(core->counters.large_live, core->counters.large_peak, bytes - old);
  core->purger.Taken(bytes - old);
  return true;
}

}  // namespace tidepool::internal
