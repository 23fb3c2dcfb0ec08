// The protocol of a page's xthread word: who owns a page, and how that changes
// hands. The table is in page.h (X1-X5, P1-P5).
#include "tidepool/allocator/internal/core.h"

#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"

namespace tidepool::internal {

namespace {

// Whether a thread that frees into this abandoned page takes it over.
bool WantsPage(DomainCore* core, const Page* page, ThreadHeap* heap,
               const Origin* mine) {
  if (heap == nullptr || core->options.page_reclaim_on_free < 0 ||
      heap->domain() != core->domain ||
      page->sampled.load(kRelaxed) != 0) {  // set before it had blocks
    return false;
  }
  if (core->options.page_reclaim_on_free > 0) return true;
  // Relaxed: written by the page's owner; asked again under ownership.
  return page->origin.load(kRelaxed) == mine &&
         page->origin_generation.load(kRelaxed) ==
             mine->generation.load(kRelaxed);
}

}  // namespace

// X1, X4 or X6 (and X7): gives `count` blocks, linked from first to last, back to
// their page.
void HeapOps::PushChain(DomainCore* core, Page* page, void* first, void* last,
                        uint32_t count, ThreadHeap* heap) {
  // Relaxed: the CAS below checks it.
  uint64_t word = page->xthread.load(kRelaxed);
  uint64_t next;
  bool claim;
  do {
    SetNext(page, last, XThread::List(word));
    claim = !XThread::Owned(word) &&
            (!XThread::Listed(word) ||
             WantsPage(core, page, heap, heap != nullptr ? heap->origin_ : nullptr));
    uint64_t bits = XThread::Owned(word) || claim ? XThread::kOwned
                                                  : XThread::kListed;
    next = XThread::Make(first, XThread::Count(word) + count, bits);
    // Release: the blocks' last uses and links before X2's acquire. Acquire, for
    // X4 and X7: what the last owner wrote before it let the page go (X3).
  } while (!page->xthread.compare_exchange_weak(word, next, kAcqRel, kRelaxed));
  if (XThread::Owned(word)) return;
  if (!claim) {
    // X7. Relaxed: ordered by the acquire above (page.h).
    if (page->used.load(kRelaxed) != XThread::Count(next) ||
        TIDEPOOL_MUTANT(page_last_free_unseen)) {
      return;
    }
    word = next;
    // Acquire: as above.
    if (!page->xthread.compare_exchange_strong(
            word, (next & ~XThread::kListed) | XThread::kOwned, kAcqRel,
            kRelaxed)) {
      return;  // another free came, or another owner: theirs to see
    }
  }
  if (TIDEPOOL_MUTANT(page_claim_dropped)) return;
  CountUp(core->counters.pages_claimed);
  AfterClaim(core, page, heap);
}

bool HeapOps::Reclaim(DomainCore* core, Page* page, ThreadHeap* heap) {
  // Relaxed: the CAS checks it.
  uint64_t word = page->xthread.load(kRelaxed);
  if (word != 0 || !WantsPage(core, page, heap, heap->origin_)) return false;
  // X4, with no block. Acquire: what the last owner wrote (X3).
  if (!page->xthread.compare_exchange_strong(word, XThread::kOwned, kAcqRel,
                                             kRelaxed)) {
    return false;
  }
  TakeIntoHeap(heap, page);
  QueuePushBack(&heap->queues_[page->queue_kind][page->size_class], page);
  return true;
}

// The caller owns the page by X4 or X7. Either it is empty and goes, or the caller's heap
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
    if (WantsPage(core, page, heap, heap != nullptr ? heap->origin_ : nullptr)) {
      if (page->in_bin) RemoveFromBin(core, page);
      TakeIntoHeap(heap, page);
      QueuePushBack(&heap->queues_[page->queue_kind][page->size_class], page);
      return;
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
  uint64_t next = page->in_bin ? XThread::kListed : 0;
  if (TIDEPOOL_MUTANT(page_disown_blind)) {
    page->xthread.store(next, kRelease);
    return true;
  }
  uint64_t expected = XThread::kOwned;
  // Release: all we did as the owner, before X4-X7.
  return page->xthread.compare_exchange_strong(expected, next, kRelease,
                                               kRelaxed);
}

void HeapOps::Abandon(DomainCore* core, Page* page) {
  // Relaxed: P4, before the word is released by X3.
  if (!TIDEPOOL_MUTANT(page_abandon_keeps_owner)) page->owner.store(0, kRelaxed);
  page->full = false;
  page->retire = 0;
  page->next = page->prev = nullptr;
  CountUp(core->counters.pages_abandoned);
  Sampler::Reunite(page);
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
  Bin& bin = BinOf(core, page);
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
  Bin& bin = BinOf(core, page);
  MutexLock lock(&bin.lock);
  TP_DCHECK(page->in_bin);
  page->in_bin = false;
  (page->prev != nullptr ? page->prev->next : bin.head) = page->next;
  if (page->next != nullptr) page->next->prev = page->prev;
  page->next = page->prev = nullptr;
  bin.count.store(bin.count.load(kRelaxed) - 1, kRelaxed);  // as above
  CountDown(core->counters.available_pages);
}

namespace {
// X5. What was freed meanwhile stays in the list.
bool TryAdopt(Page* page) {
  if (TIDEPOOL_MUTANT(page_adopt_unchecked)) {
    page->xthread.fetch_or(XThread::kOwned, kAcqRel);
    return true;
  }
  uint64_t word = page->xthread.load(kRelaxed);  // the CAS checks it
  while (!XThread::Owned(word)) {
    // Acquire pairs with X3's release, and with X6's for the list.
    if (page->xthread.compare_exchange_weak(
            word, (word & ~XThread::kListed) | XThread::kOwned, kAcqRel,
            kRelaxed)) {
      return true;
    }
  }
  return false;
}
}  // namespace

// X5: an available page, owned by the caller afterwards. A page that a freeing
// thread has claimed for the moment is passed over.
Page* HeapOps::AdoptFromBin(DomainCore* core, Bin* bin) {
  if (bin->count.load(kRelaxed) == 0) return nullptr;  // relaxed: a peek
  MutexLock lock(&bin->lock);
  for (Page* page = bin->head; page != nullptr; page = page->next) {
    if (!TryAdopt(page)) continue;
    page->in_bin = false;
    (page->prev != nullptr ? page->prev->next : bin->head) = page->next;
    if (page->next != nullptr) page->next->prev = page->prev;
    page->next = page->prev = nullptr;
    bin->count.store(bin->count.load(kRelaxed) - 1, kRelaxed);  // under the lock
    CountDown(core->counters.available_pages);
    CountUp(core->counters.pages_adopted);
    return page;
  }
  return nullptr;
}

}  // namespace tidepool::internal
