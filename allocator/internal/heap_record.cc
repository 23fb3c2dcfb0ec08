// The pages of a heap (heap.h): found, filled, collected, let go. See heap_record.h
// for who may call what.
#include "tidepool/allocator/internal/heap_record.h"

#include "tidepool/allocator/internal/core.h"
#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"

namespace tidepool::internal {
namespace {

// What of a small page counts as committed.
size_t CommittedOf(const DomainCore* core, const Page* page) {
  size_t os_page = core->arenas.os_page();
  size_t bytes = page->extended.load(kRelaxed) * page->size();  // the owner's
  bytes = (bytes + os_page - 1) & ~(os_page - 1);
  return bytes - page->hole_count * os_page;
}

uint64_t Less(uint64_t a, uint64_t b) { return a > b ? a - b : 0; }

}  // namespace

// --- Figures. All relaxed (heap_record.h). ---

bool HeapRecord::MayAdd(uint64_t live, uint64_t more) const {
  uint64_t now = Less(own_bytes.load(kRelaxed) + large_bytes.load(kRelaxed),
                      foreign_bytes.load(kRelaxed) + quarantined_bytes.load(kRelaxed));
  uint64_t limit = max_live.load(kRelaxed);
  if (live > limit || now > limit - live) return false;
  limit = max_committed.load(kRelaxed);
  return more <= limit && committed.load(kRelaxed) <= limit - more;
}

void HeapRecord::CountPeaks() {
  uint64_t live = Less(own_bytes.load(kRelaxed) + large_bytes.load(kRelaxed),
                       foreign_bytes.load(kRelaxed) + quarantined_bytes.load(kRelaxed));
  if (live > peak_live.load(kRelaxed)) peak_live.store(live, kRelaxed);
  uint64_t now = committed.load(kRelaxed);
  if (now > peak_committed.load(kRelaxed)) peak_committed.store(now, kRelaxed);
}

size_t HeapRecord::Tail() const {
  return (core->hardening & kHardenCanaries) != 0 ? kTailWord : 0;
}

// --- Rows: pages with room. ---

void HeapRecord::Link(Row* row, Page* page, bool front) {
  page->full = false;
  if (front) {
    page->prev = nullptr;
    page->next = row->head;
    (row->head != nullptr ? row->head->prev : row->tail) = page;
    row->head = page;
  } else {
    page->next = nullptr;
    page->prev = row->tail;
    (row->tail != nullptr ? row->tail->next : row->head) = page;
    row->tail = page;
  }
}

void HeapRecord::Unlink(Row* row, Page* page) {
  (page->prev != nullptr ? page->prev->next : row->head) = page->next;
  (page->next != nullptr ? page->next->prev : row->tail) = page->prev;
  page->next = page->prev = nullptr;
  if (row->current == page) row->current = &g_no_page;
}

void HeapRecord::AddToAll(Page* page) {
  MutexLock lock(&core->things_lock);
  page->age_prev = nullptr;
  page->age_next = all;
  if (all != nullptr) all->age_prev = page;
  all = page;
}

void HeapRecord::RemoveFromAll(Page* page) {
  MutexLock lock(&core->things_lock);
  (page->age_prev != nullptr ? page->age_prev->age_next : all) = page->age_next;
  if (page->age_next != nullptr) page->age_next->age_prev = page->age_prev;
  page->age_next = page->age_prev = nullptr;
}

// Only pages whose frees need no second look are taken by the fast path.
void HeapRecord::SetCurrent(Row* row, Page* page) {
  row->current = page->slow ? &g_no_page : page;
}

Page* HeapRecord::NewPage(unsigned row, unsigned c) {
  if (!MayAdd(0, core->arenas.os_page())) return nullptr;
  Page* page = HeapOps::NewPage(core, row == 0 ? 0 : kGrowQueue, c);
  if (page == nullptr) return nullptr;
  page->thing = this;
  // Relaxed: nobody has a block of the page yet (G1).
  page->owner.store(reinterpret_cast<uintptr_t>(this) |
                        (page->slow ? Page::kSlow : 0),
                    kRelaxed);
  AddToAll(page);
  CountUp(pages);
  Link(&rows[row][c], page, true);
  return page;
}

// Blocks into `free`. False: none, or refused.
bool HeapRecord::Refill(Page* page) {
  if (page->free != nullptr) return true;
  if (page->local_free != nullptr) {
    page->free = page->local_free;
    page->local_free = nullptr;
    page->free_is_zero = false;
    return true;
  }
  size_t os_page = core->arenas.os_page();
  size_t step = (page->size() + os_page - 1) & ~(os_page - 1);
  // Relaxed: ours.
  bool room = page->extended.load(kRelaxed) < page->capacity ||
              page->hole_count != 0;
  if (!room || !MayAdd(0, step)) return false;
  size_t before = CommittedOf(core, page);
  if (!HeapOps::ExtendPage(core, page) && !HeapOps::FillHoles(core, page)) {
    return false;
  }
  CountUp(committed, CommittedOf(core, page) - before);
  return true;
}

Page* HeapRecord::FindPage(unsigned row_index, unsigned c) {
  Row* row = &rows[row_index][c];
  row->current = &g_no_page;
  while (Page* page = row->head) {
    if (Refill(page)) {
      SetCurrent(row, page);
      return page;
    }
    // Relaxed: ours.
    if (page->extended.load(kRelaxed) < page->capacity ||
        page->hole_count != 0) {
      break;  // not full: an extension was refused
    }
    Unlink(row, page);
    page->full = true;
    if (page->retire != 0) {
      page->retire = 0;
      kept_bytes -= page->slices * kSliceSize;
    }
  }
  Page* page = NewPage(row_index, c);
  if (page == nullptr) return nullptr;
  if (!Refill(page)) {
    ReleaseEmpty(page);
    return nullptr;
  }
  SetCurrent(row, page);
  return page;
}

void* HeapRecord::Pop(Page* page) {
  void* block = page->free;
  page->free = NextOf(page, block);
  page->used.store(page->used.load(kRelaxed) + 1, kRelaxed);  // ours
  HeapOps::MarkLive(page, block);
  TrackAllocated(block, page->size());
  // Relaxed: the holder's figures.
  own_bytes.store(own_bytes.load(kRelaxed) + page->size(), kRelaxed);
  own_blocks.store(own_blocks.load(kRelaxed) + 1, kRelaxed);
  CountPeaks();
  return block;
}

void HeapRecord::Push(Page* page, void* block) {
  // As where a thread's own page is freed into (thread_heap.cc). Relaxed: ours.
  if (block == page->local_free || page->used.load(kRelaxed) == 0) {
    HeapOps::BadFree(core, block, MemoryFault::kDoubleFree,
                     "a block that is free already");
    return;
  }
  TrackFreed(block, 0, page->size());
  SetNext(page, block, page->local_free);
  page->local_free = block;
  uint32_t used = page->used.load(kRelaxed) - 1;  // ours
  page->used.store(used, kRelaxed);
  own_bytes.store(own_bytes.load(kRelaxed) - page->size(), kRelaxed);
  own_blocks.store(own_blocks.load(kRelaxed) - 1, kRelaxed);
  Row* row = &rows[page->queue_kind == kGrowQueue][page->size_class];
  if (page->full) Link(row, page, false);
  if (used != 0 || page->retire != 0 || InWalk(core)) return;
  // Empty. One page per row stays, up to a bound, so that a loop over one block makes
  // no pages.
  size_t bytes = page->slices * kSliceSize;
  if (row->head == row->tail && kept_bytes + bytes <= kKeptMost) {
    page->retire = 1;
    kept_bytes += bytes;
    return;
  }
  ReleaseEmpty(page);
}

void HeapRecord::ReleaseEmpty(Page* page) {
  Row* row = &rows[page->queue_kind == kGrowQueue][page->size_class];
  if (!page->full) Unlink(row, page);
  if (page->retire != 0) {
    page->retire = 0;
    kept_bytes -= page->slices * kSliceSize;
  }
  RemoveFromAll(page);
  CountDown(committed, CommittedOf(core, page));
  CountDown(pages);
  HeapOps::ReleaseEmpty(core, page);
}

void HeapRecord::CollectPending() {
  if (pending.load(kRelaxed) == nullptr) return;  // relaxed: a peek
  // Acquire pairs with the release in FreeForeign: links and blocks.
  Page* page = pending.exchange(nullptr, kAcquire);
  while (page != nullptr) {
    // Before the collect, after which the page may be pushed again (G3).
    Page* next = page->pending_next;
    // More frees than blocks are a fault, after which the page starts anew; else the
    // lists' blocks are those that `used` goes down by.
    const uint32_t used = page->used.load(kRelaxed);  // ours
    const size_t memory = CommittedOf(core, page);
    uint32_t count = HeapOps::CollectForeign(core, page);
    if (TIDEPOOL_MUTANT(heap_pending_next_late)) next = page->pending_next;
    uint64_t bytes = count * page->size();
    const uint32_t dead = used - page->used.load(kRelaxed);  // ours
    own_bytes.store(own_bytes.load(kRelaxed) - dead * page->size(), kRelaxed);
    own_blocks.store(own_blocks.load(kRelaxed) - dead, kRelaxed);
    CountDown(committed, memory - CommittedOf(core, page));
    CountDown(foreign_bytes, bytes);
    CountDown(foreign_blocks, count);
    CountUp(foreign_frees, count);
    Row* row = &rows[page->queue_kind == kGrowQueue][page->size_class];
    if (page->full) Link(row, page, false);
    if (page->used.load(kRelaxed) == 0 && row->current != page) {  // ours
      ReleaseEmpty(page);
    }
    page = next;
  }
}

size_t HeapRecord::Trim() {
  CollectPending();
  size_t purged = 0;
  for (auto& rows_of_kind : rows) {
    for (Row& row : rows_of_kind) {
      for (Page* page = row.head; page != nullptr;) {
        Page* next = page->next;
        if (page->used.load(kRelaxed) == 0) {  // ours
          ReleaseEmpty(page);
        } else {
          size_t bytes = HeapOps::PurgeHoles(core, page);
          CountDown(committed, bytes);
          purged += bytes;
        }
        page = next;
      }
    }
  }
  return purged;
}

void HeapRecord::DropAll() {
  Page* page = nullptr;
  {
    MutexLock lock(&core->things_lock);
    page = all;
    all = nullptr;
    // So that a large block's free that comes now is refused.
    for (Page* p = page; p != nullptr; p = p->age_next) {
      if (p->size_class == 0) p->state.store(PageState::kNone, kRelaxed);
    }
  }
  if (core->quarantine != nullptr) core->quarantine->Forget(this);
  pending.store(nullptr, kRelaxed);  // nobody frees now (heap.h)
  while (page != nullptr) {
    Page* next = page->age_next;
    page->age_next = page->age_prev = nullptr;
    if (Watched()) HeapOps::ForgetBlocks(page);
    // Relaxed: nobody looks at the blocks of a heap that is reset.
    page->used.store(0, kRelaxed);
    page->xthread.store(XThread::kOwned, kRelaxed);
    const size_t large = page->size_class == 0 ? page->size() : 0;
    HeapOps::ReleaseEmpty(core, page);
    CountDown(core->counters.large_live, large);
    page = next;
  }
  for (auto& rows_of_kind : rows) {
    for (Row& row : rows_of_kind) row = {&g_no_page, nullptr, nullptr};
  }
  kept_bytes = 0;
  for (Atomic<uint64_t>* figure :
       {&own_bytes, &own_blocks, &foreign_bytes, &foreign_blocks,
        &quarantined_bytes, &quarantined_blocks, &large_bytes,
        &large_blocks, &committed, &pages}) {
    figure->store(0, kRelaxed);
  }
  torn = false;
}

// --- Any thread. ---

void HeapRecord::FreeForeign(DomainCore* core, Page* page, void* block) {
  HeapRecord* record = page->thing;
  TrackFreed(block, 0, page->size());
  // Counted before it can be collected (G4).
  CountUp(record->foreign_bytes, page->size());
  CountUp(record->foreign_blocks);
  uint64_t word = page->xthread.load(kRelaxed);  // the CAS checks it
  uint64_t next;
  do {
    SetNext(page, block, XThread::List(word));
    next = XThread::Make(block, XThread::Count(word) + 1, XThread::kOwned);
    // X1. Release: the block's last use and link before the owner's acquire. Acquire
    // pairs with the exchange in CollectForeign: the owner read pending_next before.
  } while (!page->xthread.compare_exchange_weak(word, next, kAcqRel, kRelaxed));
  if (XThread::List(word) == nullptr &&
      !TIDEPOOL_MUTANT(heap_pending_forgotten)) {
    Page* head = record->pending.load(kRelaxed);  // the CAS checks it
    do {
      page->pending_next = head;
      // Release: the link, before CollectPending's acquire.
    } while (!record->pending.compare_exchange_weak(head, page, kRelease,
                                                    kRelaxed));
  }
  // Relaxed: a figure. What waits is bounded.
  if (record->foreign_bytes.load(kRelaxed) < kForeignMost) return;
  uint64_t old = 0;
  if (!record->Interrupt(0, false, &old)) return;
  record->CollectPending();
  record->Resume(old);
  if (core->purger.due()) core->purger.Run();
}

void HeapRecord::PutInLarge(Page* page) {
  page->thing = this;
  AddToAll(page);
  CountUp(pages);
  CountUp(large_bytes, page->size());
  CountUp(large_blocks);
  CountUp(committed, page->size());
  CountPeaks();
}

bool HeapRecord::TakeOutLarge(DomainCore* core, Page* page) {
  HeapRecord* record = nullptr;
  {
    MutexLock lock(&core->things_lock);
    record = page->thing;
    // Relaxed: under the lock under which it ends.
    if (record == nullptr ||
        page->state.load(kRelaxed) != PageState::kLarge) {
      return false;
    }
    page->state.store(PageState::kNone, kRelaxed);
  }
  record->RemoveFromAll(page);
  CountDown(record->pages);
  CountDown(record->large_bytes, page->size());
  CountDown(record->large_blocks);
  CountDown(record->committed, page->size());
  return true;
}

void HeapRecord::CheckInvariants() {
  uint64_t bytes = 0, blocks = 0, large = 0, memory = 0, count = 0;
  uint64_t foreign = 0;
  for (Page* page = all; page != nullptr; page = page->age_next) {
    TP_CHECK(page->thing == this);  // G1
    ++count;
    // All relaxed: nobody is active.
    if (page->size_class == 0) {
      TP_CHECK(page->state.load(kRelaxed) == PageState::kLarge);
      ++large;
      memory += page->size();
      continue;
    }
    uint64_t word = page->xthread.load(kRelaxed);
    TP_CHECK(XThread::Owned(word) && !page->in_bin);
    TP_CHECK((page->owner.load(kRelaxed) & ~Page::kSlow) ==
             reinterpret_cast<uintptr_t>(this));
    blocks += page->used.load(kRelaxed);
    bytes += page->used.load(kRelaxed) * page->size();
    foreign += XThread::Count(word);
    memory += CommittedOf(core, page);
    if (page->full) {  // G2
      TP_CHECK(page->free == nullptr && page->local_free == nullptr);
      TP_CHECK(page->extended.load(kRelaxed) == page->capacity);
    }
  }
  uint64_t waiting = 0;
  for (Page* page = pending.load(kRelaxed); page != nullptr;
       page = page->pending_next) {
    waiting += XThread::Count(page->xthread.load(kRelaxed));
    TP_CHECK(page->thing == this);
  }
  TP_CHECK(waiting == foreign);  // G3
  TP_CHECK(foreign == foreign_blocks.load(kRelaxed));
  TP_CHECK(bytes == own_bytes.load(kRelaxed));  // G4
  TP_CHECK(blocks == own_blocks.load(kRelaxed));
  TP_CHECK(large == large_blocks.load(kRelaxed));
  TP_CHECK(memory == committed.load(kRelaxed));
  TP_CHECK(count == pages.load(kRelaxed));
  for (auto& rows_of_kind : rows) {
    for (Row& row : rows_of_kind) {
      bool found = row.current == &g_no_page;
      for (Page* page = row.head; page != nullptr; page = page->next) {
        TP_CHECK(!page->full && page->thing == this);
        found |= page == row.current;
      }
      TP_CHECK(found);
    }
  }
}

}  // namespace tidepool::internal
