// Pages of size classes: made, extended, collected, let go.
#include "tidepool/allocator/internal/core.h"

#include <cstring>
#include <numeric>

#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"

namespace tidepool::internal {

Page g_no_page;

namespace {
constexpr CurrentPages NoPages() {
  CurrentPages pages = {};
  for (auto& row : pages.current_) {
    for (Page*& page : row) page = &g_no_page;
  }
  return pages;
}
}  // namespace
// Constant: a thread's first call may come before any constructor has run.
constinit CurrentPages g_closed_heap = NoPages();

Page* HeapOps::NewRecord(DomainCore* core) {
  {
    MutexLock lock(&core->records_lock);
    Page* page = core->free_records;
    if (page != nullptr) {
      core->free_records = page->next;
      page->next = nullptr;
      return page;
    }
  }
  Page* page = static_cast<Page*>(core->meta.Take(sizeof(Page)));
  if (page != nullptr) page->domain = core->domain;
  return page;
}

void HeapOps::FreeRecord(DomainCore* core, Page* page) {
  // Relaxed: nobody may look at a page without blocks; whoever does so by mistake
  // (a stale pointer) finds "unused".
  page->state.store(PageState::kNone, kRelaxed);
  MutexLock lock(&core->records_lock);
  page->next = core->free_records;
  core->free_records = page;
}

namespace {

// What an empty page of a layout starts with. The page is the caller's.
void ResetLists(Page* page) {
  page->free = page->local_free = nullptr;
  page->free_is_zero = false;
  page->in_bin = page->full = false;
  page->slow = page->live_bits != nullptr || Watched();
  page->retire = 0;
  page->next = page->prev = nullptr;
  // Relaxed: nobody else looks at an empty page.
  Sampler::Forget(page);
  ++page->sample_epoch;
  page->limbo.store(0, kRelaxed);
  page->sampled.store(0, kRelaxed);
  page->used.store(0, kRelaxed);
  page->extended.store(0, kRelaxed);
  page->limit = 0;
  page->owner.store(0, kRelaxed);
  page->owner_changed.store(0, kRelaxed);
  page->xthread.store(XThread::kOwned, kRelaxed);
  page->origin.store(nullptr, kRelaxed);
}

// Poisons a block that is made a dead one, all but what readers may look at.
void PoisonDead([[maybe_unused]] const Page* page, [[maybe_unused]] char* block) {
#if TIDEPOOL_ASAN || TIDEPOOL_VALGRIND
  size_t skip = PoisonOffset(page->kind);
  if (Watched()) {
    TrackDefined(block, skip);  // a dead header
  } else {
    UnpoisonMemory(block, skip);
  }
  PoisonMemory(block + skip, page->size() - skip);
#endif
}

}  // namespace

void HeapOps::InitPage(DomainCore* core, Page* page, unsigned queue_kind,
                       unsigned c, const Run& run) {
  page->start = run.start;
  page->arena = run.arena;
  page->slices = run.slices;
  page->domain = core->domain;
  page->queue_kind = static_cast<uint8_t>(queue_kind);
  page->SetKind(QueueKind(queue_kind), static_cast<uint8_t>(c));
  page->link_offset = static_cast<uint8_t>(LinkOffset(page->kind));
  page->set_size(ClassSize(c));
  page->magic = UINT64_MAX / page->size() + 1;
  page->shift = static_cast<uint8_t>(__builtin_ctzll(page->size()));
  page->inverse =
      InverseOdd(static_cast<uint32_t>(page->size() >> page->shift));
  page->capacity =
      static_cast<uint32_t>(run.slices * kSliceSize / page->size());
  page->sane = 0;
  page->zero_from = core->arenas.DirtyEnd(run.arena, run.start, run.slices);
  page->may_zero = false;
  page->holes = nullptr;
  page->hole_count = 0;
  page->live_bits = nullptr;
  page->thing = nullptr;
  page->links = page->tails = false;
  page->pool_bytes = 0;
  ResetLists(page);
  // Relaxed: the map's release store publishes it.
  page->state.store(PageState::kSmall, kRelaxed);
}

// A dormant page with the layout that is wanted is a page again, whatever its goal.
Page* HeapOps::WakeDormant(DomainCore* core, Page* page) {
  CountUp(core->counters.dormant_reused);
  ResetLists(page);
  page->zero_from =
      core->arenas.DirtyEnd(page->arena, page->start, page->slices);
  page->state.store(PageState::kSmall, kRelaxed);  // relaxed: ours
  CountUp(core->counters.pages);
  core->purger.Taken(page->slices * kSliceSize);
  return page;
}

Page* HeapOps::NewPage(DomainCore* core, unsigned queue_kind, unsigned c) {
  HeapKind kind = QueueKind(queue_kind);
  size_t slices = ClassPageSize(c) / kSliceSize;
  const bool guard = (core->hardening & kHardenGuards) != 0;
  if (guard) ++slices;
  size_t bytes = slices * kSliceSize;
  if (IsObjectKind(kind)) {
    Page* page = core->pool.Take(kind, c, /*dirty_only=*/true);
    if (page != nullptr) return WakeDormant(core, page);
  }
  Page* page = NewRecord(core);
  if (page == nullptr) return nullptr;
  Run run;
  bool found =
      core->arenas.Take(ArenaSort::kSmall, slices, 1, ArenaSet::kDirtyOnly, &run);
  if (!found && !core->pool.empty() && ConvertDormant(core, bytes)) {
    found = core->arenas.Take(ArenaSort::kSmall, slices, 1,
                              ArenaSet::kDirtyOnly, &run);
  }
  if (!found) {
    BeforeCommit(core, bytes);
    if (IsObjectKind(kind)) {
      Page* dormant = core->pool.Take(kind, c, /*dirty_only=*/false);
      if (dormant != nullptr) {
        FreeRecord(core, page);
        return WakeDormant(core, dormant);
      }
    }
    found = core->arenas.Take(ArenaSort::kSmall, slices, 1, ArenaSet::kReserved,
                              &run) ||
            core->arenas.Take(ArenaSort::kSmall, slices, 1, ArenaSet::kGrow,
                              &run);
  }
  if (!found) {
    FreeRecord(core, page);
    return nullptr;
  }
  if (guard) --run.slices;
  InitPage(core, page, queue_kind, c, run);
  if (guard) GuardBehind(core, page);
  if (core->hardening != 0 || Watched()) {
    page->live_bits =
        static_cast<Atomic<uint64_t>*>(core->meta.Take(2 * 8 * page->BitWords()));
    if (page->live_bits == nullptr) {
      DropGuard(core, page);
      core->arenas.Give(run.arena, run.start, run.slices);
      FreeRecord(core, page);
      return nullptr;
    }
    page->slow = true;
    HardenPage(core, page);
  }
  PageMap::Set(run.start, run.slices, page);
  CountUp(core->counters.pages);
  CountUp(core->counters.pages_made);
  core->purger.Taken(bytes);
  return page;
}

namespace {
constexpr size_t kLargestStep = 16 << 10;

// Links the blocks of [from, to) in order of their addresses, and then `next`: upwards, as
// processors fetch ahead, and as they will be handed out.
void LinkInOrder(char* from, const char* to, size_t size, size_t link, void* next) {
  char* block = from;
  for (char* behind = from + size; behind != to; behind += size) {
    SetLinkFast(block, link, behind);
    block = behind;
  }
  SetLinkFast(block, link, next);
}

// The same for blocks [have, have + count), each poisoned or made a dead one if need be.
// Returns the first. In order, or by a stride that has no factor in common with the count.
void* LinkEach(DomainCore* core, Page* page, uint32_t have, uint32_t count, bool clean,
               bool shuffle, void* next) {
  uint32_t at = 0, stride = 0;
  if (shuffle) {
    uint64_t die = NextRandom(core);
    at = static_cast<uint32_t>(die % count);
    stride = static_cast<uint32_t>((die >> 32) % count) | 1;
    while (std::gcd(stride, count) != 1) stride += 2;
  }
  for (uint32_t n = count; n-- > 0;) {
    uint32_t i = have + n;
    if (shuffle) {
      i = have + at;
      at = (at + stride) % count;
    }
    char* block = page->start + i * page->size();
    if (clean && i >= page->sane) {
      // P6: what was here is no header of this layout.
      UnpoisonMemory(block, PoisonOffset(page->kind) + sizeof(void*));
      memset(block, 0, PoisonOffset(page->kind) + sizeof(void*));
    }
    PoisonDead(page, block);
    SetNext(page, block, next);
    next = block;
  }
  return next;
}
}  // namespace

bool HeapOps::ExtendPage(DomainCore* core, Page* page) {
  // Relaxed: only the owner writes it; frees and stats read it.
  uint32_t have = page->extended.load(kRelaxed);
  if (have == page->capacity) return false;
  size_t size = page->size();
  // By OS pages, none touched for nothing: one at first, then half of what the page has
  // already, to four at a time; so that a page in use takes few steps.
  size_t step = core->arenas.os_page();
  size_t most = step >= kLargestStep ? step : kLargestStep;
  size_t from_offset = have * size;
  size_t grow = from_offset / 2;
  grow = grow < step ? step : grow > most ? most : grow;
  size_t border = (from_offset + grow) / step * step;
  uint32_t count = 1;
  if (border > from_offset + size) {
    count = static_cast<uint32_t>((border - from_offset) / size);
  }
  // A handful at least, to be dealt in an order that nobody knows.
  const bool shuffle = (core->hardening & kHardenRandom) != 0;
  if (shuffle && count < 8) count = 8;
  if (count > page->capacity - have) count = page->capacity - have;
  char* from = page->start + have * size;
  char* to = from + count * size;
  bool zero = have * size >= page->zero_from;
  bool untouched = false;  // zero_from knows more: OS pages half in use
  if (!core->arenas.Extend(page->arena, from, to, &untouched)) return false;
  bool first_use = have + count > page->sane;
  bool clean = IsObjectKind(page->kind) && !zero && first_use;
  void* next = page->free;
  // Nearly always nothing is to be done but to link them.
  if (!TIDEPOOL_ASAN && !page->slow && !clean && !shuffle) {
    LinkInOrder(from, to, size, page->link_offset, next);
    next = from;
  } else {
    next = LinkEach(core, page, have, count, clean, shuffle, next);
  }
  page->free_is_zero = zero && (page->free == nullptr || page->free_is_zero);
  page->free = next;
  if (first_use) page->sane = have + count;
  // Release: a free of one of these blocks checks its index against it.
  page->extended.store(have + count, kRelease);
  page->limit = (have + count) * size;
  return true;
}

void HeapOps::StartAnew(DomainCore* core, Page* page) {
  // Relaxed, all: the page is ours, and has no live block.
  BadFree(core, page->start, MemoryFault::kDoubleFree,
          "a block of the page that begins here was free already");
  if (page->holes != nullptr) DropHoles(core, page);
  Sampler::Forget(page);
  page->free = page->local_free = nullptr;
  page->free_is_zero = false;
  page->zero_from = core->arenas.DirtyEnd(page->arena, page->start, page->slices);
  page->used.store(0, kRelaxed);
  page->extended.store(0, kRelaxed);
  page->limit = 0;
}

uint32_t HeapOps::CollectForeign(DomainCore* core, Page* page) {
  // Relaxed: a peek; the exchange orders.
  if (XThread::List(page->xthread.load(kRelaxed)) == nullptr) return 0;
  // X2. Acquire pairs with the release of X1, X4 and X6: the blocks' contents are done
  // with, and their links are written.
  uint64_t word = page->xthread.exchange(XThread::kOwned, kAcqRel);
  void* list = XThread::List(word);
  uint32_t count = XThread::Count(word);
  if (list == nullptr) return 0;
  CountUp(core->counters.foreign_frees, count);
  const uint32_t used = page->used.load(kRelaxed);  // relaxed: only the owner writes it
  if (__builtin_expect(count > used, 0)) {  // P1
    StartAnew(core, page);
    return count;
  }
  if (page->free == nullptr) {
    page->free = list;
    page->free_is_zero = false;
  } else if (page->local_free == nullptr) {
    page->local_free = list;
  } else {
    void* last = list;
    while (void* next = NextOf(page, last)) last = next;
    SetNext(page, last, page->local_free);
    page->local_free = list;
  }
  page->used.store(used - count, kRelaxed);  // relaxed: as above. P1
  return count;
}

bool HeapOps::CollectPage(DomainCore* core, Page* page) {
  CollectForeign(core, page);
  if (page->free == nullptr && page->local_free != nullptr) {
    page->free = page->local_free;
    page->local_free = nullptr;
    page->free_is_zero = false;
  }
  return page->free != nullptr;
}

bool HeapOps::HasRoom(const Page* page) {
  return page->free != nullptr || page->local_free != nullptr ||
         page->extended.load(kRelaxed) < page->capacity ||  // relaxed: owner
         page->hole_count != 0;
}

void HeapOps::DissolvePage(DomainCore* core, Page* page) {
  if (page->hole_count != 0 || page->holes != nullptr) DropHoles(core, page);
  if (page->live_bits != nullptr) {
    core->meta.Give(page->live_bits, 2 * 8 * page->BitWords());
    page->live_bits = nullptr;
  }
  if (page->guarded) DropGuard(core, page);
  Arena* arena = page->arena;
  char* start = page->start;
  size_t slices = page->slices;
  PageMap::Set(start, slices, nullptr);
  PoisonMemory(start, slices * kSliceSize);
  FreeRecord(core, page);
  core->arenas.Give(arena, start, slices);
}

void HeapOps::ReleaseEmpty(DomainCore* core, Page* page) {
  TP_DCHECK(page->used.load(kRelaxed) == 0);  // relaxed: the caller owns it
  CountDown(core->counters.pages);
  // Relaxed: the owner's own words (P4).
  page->owner.store(0, kRelaxed);
  if (!IsObjectKind(page->kind)) {
    DissolvePage(core, page);
    core->purger.Given();
    return;
  }
  if (page->holes != nullptr) DropHoles(core, page);
  page->state.store(PageState::kDormant, kRelaxed);
  // Rule 14: taken at or after the time the page last became empty.
  if (!TIDEPOOL_MUTANT(dormant_old_goal)) page->goal = core->qsbr.Goal();
  page->free = page->local_free = nullptr;
  Sampler::Forget(page);
  core->pool.Put(page, core->arenas.DirtyBytes(page->arena, page->start,
                                               page->slices));
  core->purger.Given();
}

bool HeapOps::ConvertDormant(DomainCore* core, size_t bytes) {
  size_t done = 0;
  while (done < bytes) {
    Page* page = core->pool.TakeDue(&core->qsbr, false);
    if (page == nullptr) break;
    done += page->slices * kSliceSize;
    CountUp(core->counters.dormant_converted);
    DissolvePage(core, page);
  }
  return done != 0;
}

uint64_t UnusedBeyond(DomainCore* core, uint64_t slack) {
  // Relaxed: figures.
  uint64_t unused = core->counters.free_dirty.load(kRelaxed) +
                    core->counters.dormant.load(kRelaxed);
  if (unused <= slack || !core->arenas.can_purge()) return 0;
  uint64_t committed = core->budget.committed();
  uint64_t used = committed > unused ? committed - unused : 0;
  uint64_t allowed = used / 8 + slack;
  return unused > allowed ? unused - allowed : 0;
}

void BeforeCommit(DomainCore* core, size_t bytes) {
  uint64_t excess = UnusedBeyond(core, 2 << 20);
  if (excess == 0) return;
  uint64_t piece = bytes * 2 > (1u << 20) ? bytes * 2 : 1u << 20;
  core->purger.PurgeUnused(excess < piece ? excess : piece);
}

}  // namespace tidepool::internal
