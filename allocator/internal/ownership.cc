// The protocol of a page's xthread word: who owns a page, and how that changes
// hands. The table is in page.h (X1-X5, P1-P5).
#include "tidepool/allocator/internal/core.h"

#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"

namespace tidepool::internal {

// X1 or X4: gives `count` blocks, linked from first to last, back to their page.
// Whoever finds the page without an owner owns it from then on.
void HeapOps::PushChain(DomainCore* core, Page* page, void* first, void* last,
                        uint32_t count, ThreadHeap* heap) {
  size_t link = page->link_offset;
  // Relaxed: the CAS below checks it.
  uint64_t word = page->xthread.load(kRelaxed);
  uint64_t next;
  do {
    SetLink(last, link, XThread::List(word));
    next = XThread::Make(first, XThread::Count(word) + count);
    // Release: the blocks' last uses and links before X2's acquire. Acquire, for
    // X4: what the last owner wrote before it let the page go (X3).
  } while (!page->xthread.compare_exchange_weak(word, next, kAcqRel, kRelaxed));
  if (!XThread::Owned(word) && !TIDEPOOL_MUTANT(page_claim_dropped)) {
    CountUp(core->counters.pages_claimed);
    AfterClaim(core, page, heap);
  }
}

// The caller owns the page by X4. Either it is empty and goes, or the caller's heap
// takes it, or it is left where heaps find it.
void HeapOps::AfterClaim(DomainCore* core, Page* page, ThreadHeap* heap) {
  for (;;) {
    CollectForeign(core, page);
    // Relaxed: only the owner writes `used`, and that is us.
    if (page->used.load(kRelaxed) == 0) {
      if (page->in_bin && !TIDEPOOL_MUTANT(page_empty_stays_listed)) {
        RemoveFromBin(core, page);
      }
      ReleaseEmpty(core, page);
      return;
    }
    if (heap != nullptr && core->options.page_reclaim_on_free >= 0 &&
        heap->domain() == core->domain) {
      // Relaxed: origin words are written by the page's owner.
      bool made_it = page->origin.load(kRelaxed) == heap->origin_ &&
                     page->origin_generation.load(kRelaxed) ==
                         heap->origin_->generation.load(kRelaxed);
      if (made_it || core->options.page_reclaim_on_free > 0) {
        if (page->in_bin) RemoveFromBin(core, page);
        TakeIntoHeap(heap, page);
        QueuePushBack(&heap->queues_[page->queue_kind][page->size_class], page);
        return;
      }
    }
    if (TIDEPOOL_MUTANT(page_listed_after_disown)) {
      bool listed = page->in_bin;
      if (Disown(page)) {
        if (!listed) AddToBin(core, page);
        return;
      }
      continue;
    }
    if (!page->in_bin) AddToBin(core, page);
    if (Disown(page)) return;
  }
}

// X3. False: others freed blocks meanwhile; the page is still the caller's.
bool HeapOps::Disown(Page* page) {
  if (TIDEPOOL_MUTANT(page_disown_blind)) {
    page->xthread.store(0, kRelease);
    return true;
  }
  uint64_t expected = XThread::kOwned;
  // Release: all we did as the owner, before X4 and X5.
  return page->xthread.compare_exchange_strong(expected, 0, kRelease, kRelaxed);
}

void HeapOps::Abandon(DomainCore* core, Page* page) {
  // Relaxed: P4, before the word is released by X3.
  if (!TIDEPOOL_MUTANT(page_abandon_keeps_owner)) page->owner.store(0, kRelaxed);
  page->full = false;
  page->retire = 0;
  page->next = page->prev = nullptr;
  CountUp(core->counters.pages_abandoned);
  for (;;) {
    CollectForeign(core, page);
    if (page->used.load(kRelaxed) == 0) {  // relaxed: we own it
      if (page->in_bin) RemoveFromBin(core, page);
      ReleaseEmpty(core, page);
      return;
    }
    if (!page->in_bin && HasRoom(page)) AddToBin(core, page);
    if (Disown(page)) return;
  }
}

// P3: the caller owns the page.
void HeapOps::AddToBin(DomainCore* core, Page* page) {
  Bin& bin = core->bins[page->queue_kind][page->size_class];
  MutexLock lock(&bin.lock);
  TP_DCHECK(!page->in_bin);
  page->in_bin = true;
  page->prev = nullptr;
  page->next = bin.head;
  if (bin.head != nullptr) bin.head->prev = page;
  bin.head = page;
  // Relaxed: written under the lock; the peek in Adopt may be late.
  bin.count.store(bin.count.load(kRelaxed) + 1, kRelaxed);
  CountUp(core->counters.available_pages);
}

void HeapOps::RemoveFromBin(DomainCore* core, Page* page) {
  Bin& bin = core->bins[page->queue_kind][page->size_class];
  MutexLock lock(&bin.lock);
  TP_DCHECK(page->in_bin);
  page->in_bin = false;
  (page->prev != nullptr ? page->prev->next : bin.head) = page->next;
  if (page->next != nullptr) page->next->prev = page->prev;
  page->next = page->prev = nullptr;
  bin.count.store(bin.count.load(kRelaxed) - 1, kRelaxed);  // as above
  CountDown(core->counters.available_pages);
}

// X5: an available page, owned by the caller afterwards. A page that a freeing
// thread has claimed for the moment is passed over.
Page* HeapOps::AdoptFromBin(DomainCore* core, unsigned queue_kind, unsigned c) {
  Bin& bin = core->bins[queue_kind][c];
  if (bin.count.load(kRelaxed) == 0) return nullptr;  // relaxed: a peek
  MutexLock lock(&bin.lock);
  for (Page* page = bin.head; page != nullptr; page = page->next) {
    uint64_t expected = 0;
    // Acquire pairs with X3's release.
    if (!TIDEPOOL_MUTANT(page_adopt_unchecked) &&
        !page->xthread.compare_exchange_strong(expected, XThread::kOwned,
                                               kAcqRel, kRelaxed)) {
      continue;
    }
    page->in_bin = false;
    (page->prev != nullptr ? page->prev->next : bin.head) = page->next;
    if (page->next != nullptr) page->next->prev = page->prev;
    page->next = page->prev = nullptr;
    bin.count.store(bin.count.load(kRelaxed) - 1, kRelaxed);  // under the lock
    CountDown(core->counters.available_pages);
    CountUp(core->counters.pages_adopted);
    return page;
  }
  return nullptr;
}

}  // namespace tidepool::internal
