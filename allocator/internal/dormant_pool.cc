// The lists of the dormant pool; what it is and its rules stand in dormant_pool.h.
#include "tidepool/allocator/internal/dormant_pool.h"

#include "tidepool/base/check.h"

// Two kinds of links: next/prev in the list of the layout (recently used first, so
// that warm pages are taken; purged ones last), age_next/age_prev in order of goals.
namespace tidepool::internal {

DormantPool::Ends& DormantPool::ListOf(const Page* page) {
  return lists_[static_cast<unsigned>(page->kind) - 1][page->size_class];
}

void DormantPool::Put(Page* page, size_t dirty) {
  MutexLock lock(&lock_);
  Link(page, dirty, /*oldest=*/false);
}

void DormantPool::PutBack(Page* page, size_t dirty) {
  MutexLock lock(&lock_);
  const size_t before = page->pool_bytes;
  Link(page, dirty, /*oldest=*/dirty < before);
  CountDown(counters_->dormant, before);
}

void DormantPool::Link(Page* page, size_t dirty, bool oldest) {
  TP_DCHECK(page->used.load(kRelaxed) == 0);  // P5; relaxed: the page is ours
  page->pool_bytes = dirty;
  page->purged = dirty == 0;
  Ends& list = ListOf(page);
  if (page->purged) {
    page->next = nullptr;
    page->prev = list.tail;
    (list.tail != nullptr ? list.tail->next : list.head) = page;
    list.tail = page;
  } else {
    page->prev = nullptr;
    page->next = list.head;
    (list.head != nullptr ? list.head->prev : list.tail) = page;
    list.head = page;
  }
  Ends& age = page->purged ? clean_ : dirty_;
  if (oldest && !page->purged) {
    page->age_prev = nullptr;
    page->age_next = age.head;
    (age.head != nullptr ? age.head->age_prev : age.tail) = page;
    age.head = page;
  } else {
    page->age_next = nullptr;
    page->age_prev = age.tail;
    (age.tail != nullptr ? age.tail->age_next : age.head) = page;
    age.tail = page;
  }
  CountUp(counters_->dormant, dirty);
  CountUp(counters_->dormant_pages);
}

void DormantPool::Unlink(Page* page) {
  Ends& list = ListOf(page);
  (page->prev != nullptr ? page->prev->next : list.head) = page->next;
  (page->next != nullptr ? page->next->prev : list.tail) = page->prev;
  Ends& age = page->purged ? clean_ : dirty_;
  (page->age_prev != nullptr ? page->age_prev->age_next : age.head) =
      page->age_next;
  (page->age_next != nullptr ? page->age_next->age_prev : age.tail) =
      page->age_prev;
  page->next = page->prev = nullptr;
  CountDown(counters_->dormant, page->pool_bytes);
  CountDown(counters_->dormant_pages);
}

Page* DormantPool::Take(HeapKind kind, unsigned size_class, bool dirty_only) {
  if (empty()) return nullptr;
  MutexLock lock(&lock_);
  Page* page = lists_[static_cast<unsigned>(kind) - 1][size_class].head;
  if (page == nullptr || (dirty_only && page->purged)) return nullptr;
  Unlink(page);
  return page;
}

Page* DormantPool::TakeLarge(HeapKind kind, size_t least, size_t slices,
                             size_t most) {
  if (empty()) return nullptr;
  MutexLock lock(&lock_);
  Page* best = nullptr;
  int looked = 0;
  for (Page* page = lists_[static_cast<unsigned>(kind) - 1][0].head;
       page != nullptr && looked < 256; page = page->next, ++looked) {
    if (page->slices < least || page->slices > most) continue;
    if (best == nullptr) {
      best = page;
      continue;
    }
    if (best->purged != page->purged) {
      if (best->purged) best = page;
      continue;
    }
    bool fits = page->slices >= slices, best_fits = best->slices >= slices;
    if (fits != best_fits) {
      if (fits) best = page;
    } else if (page->slices == best->slices) {
      if (page->pool_bytes > best->pool_bytes) best = page;
    } else if (fits ? page->slices < best->slices
                    : page->slices > best->slices) {
      best = page;
    }
  }
  if (best != nullptr) Unlink(best);
  return best;
}

Page* DormantPool::TakeDirty() {
  MutexLock lock(&lock_);
  Page* page = dirty_.head;
  if (page == nullptr) return nullptr;
  if (!TIDEPOOL_MUTANT(purge_in_pool)) Unlink(page);
  CountUp(counters_->dormant, page->pool_bytes);
  return page;
}

Page* DormantPool::TakeDue(QsbrDomain* qsbr, bool all) {
  if (empty()) return nullptr;
  MutexLock lock(&lock_);
  for (Ends* ends : {&dirty_, &clean_}) {
    Page* page = ends->head;
    if (page == nullptr) continue;
    if (!all && !TIDEPOOL_MUTANT(dormant_skip_goal)) {
      qsbr->EnsureAdvanced(page->goal);
      if (!qsbr->Poll(page->goal)) continue;
    }
    Unlink(page);
    return page;
  }
  return nullptr;
}

}  // namespace tidepool::internal
