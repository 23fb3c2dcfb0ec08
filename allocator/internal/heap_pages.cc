// A thread heap's queues of pages.
//
// Per kind and class: `head..tail` are pages that may have free blocks (the first
// is the current one, which the fast path uses), `full` are retained full pages. A
// page that becomes empty stays for a few slow paths if it is the only one of its
// queue (retire counts down), so that allocating and freeing one block does not
// make and unmake a page each time; what is retained so is bounded per heap.
#include "tidepool/allocator/internal/core.h"

#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"

namespace tidepool::internal {
namespace {
constexpr uint8_t kRetireTurns = 16;
constexpr size_t kRetainedMost = 512 << 10;

// Of a page without a free list.
bool AllHandedOut(const Page* page) {
  // Relaxed: ours.
  return page->extended.load(kRelaxed) == page->capacity && page->hole_count == 0;
}
}  // namespace

uintptr_t HeapOps::OwnerWord(const ThreadHeap* heap, const Page* page) {
  // Relaxed: set by the page's owner, who asks.
  bool slow = page->full || page->slow;
  return reinterpret_cast<uintptr_t>(heap) | (slow ? Page::kSlow : 0);
}

void HeapOps::QueuePushFront(PageQueue* queue, Page* page) {
  page->prev = nullptr;
  page->next = queue->head;
  (queue->head != nullptr ? queue->head->prev : queue->tail) = page;
  queue->head = page;
  ++queue->count;
}

void HeapOps::QueuePushBack(PageQueue* queue, Page* page) {
  page->next = nullptr;
  page->prev = queue->tail;
  (queue->tail != nullptr ? queue->tail->next : queue->head) = page;
  queue->tail = page;
  ++queue->count;
}

void HeapOps::QueueRemove(PageQueue* queue, Page* page) {
  (page->prev != nullptr ? page->prev->next : queue->head) = page->next;
  (page->next != nullptr ? page->next->prev : queue->tail) = page->prev;
  page->next = page->prev = nullptr;
  --queue->count;
}

void HeapOps::FullPush(PageQueue* queue, Page* page) {
  page->next = nullptr;
  page->prev = queue->full_tail;
  (queue->full_tail != nullptr ? queue->full_tail->next : queue->full) = page;
  queue->full_tail = page;
  ++queue->full_count;
}

void HeapOps::FullRemove(PageQueue* queue, Page* page) {
  (page->prev != nullptr ? page->prev->next : queue->full) = page->next;
  (page->next != nullptr ? page->next->prev : queue->full_tail) = page->prev;
  page->next = page->prev = nullptr;
  --queue->full_count;
}

void HeapOps::TakeIntoHeap(ThreadHeap* heap, Page* page) {
  // All relaxed: the page is ours; other threads compare `owner` with themselves,
  // and read the origin in a stop or under ownership.
  uint64_t generation = heap->origin_->generation.load(kRelaxed);
  if (page->used.load(kRelaxed) != 0 &&
      (page->origin.load(kRelaxed) != heap->origin_ ||
       page->origin_generation.load(kRelaxed) != generation)) {
    page->owner_changed.store(1, kRelaxed);
  }
  page->origin_generation.store(generation, kRelaxed);
  page->origin.store(heap->origin_, kRelaxed);
  page->full = false;
  page->retire = 0;
  page->owner.store(OwnerWord(heap, page), kRelaxed);
}

// The page has blocks in `free`, or the profile's cut is reached: allocations of its
// class come from it.
void HeapOps::MakeCurrent(ThreadHeap* heap, Page* page) {
  PageQueue* queue = &heap->queues_[page->queue_kind][page->size_class];
  if (queue->head != page) {
    QueueRemove(queue, page);
    QueuePushFront(queue, page);
  }
  page->retire = 0;
  if (!page->slow) {
    heap->current_[page->queue_kind][page->size_class] = page;
  }
  Sampler& sampler = heap->domain_->core()->sampler;
  if (Sampler::IsCut(page)) {  // the list goes on
    if (page->free == nullptr) sampler.CutReached(heap, page);
    return;
  }
  // Counted here, once per list taken up; one by one where every block comes here.
  uint64_t blocks = page->slow ? 1
                               : page->extended.load(kRelaxed) -
                                     page->used.load(kRelaxed);  // ours
  uint64_t sum =
      heap->allocated_.load(kRelaxed) + blocks * page->size();  // a figure
  heap->allocated_.store(sum, kRelaxed);
  uint64_t budget = heap->alloc_budget_.load(kRelaxed);  // a figure
  if (budget != 0 && sum >= budget) heap->Request(ThreadHeap::kGc);
  if (sampler.interval() != 0) sampler.ListTaken(heap, page);
}

// Every block is handed out. Keeps the page, or lets it go for the first foreign
// free to claim. A page with a single block is never kept.
void HeapOps::PageIsFull(ThreadHeap* heap, Page* page) {
  DomainCore* core = heap->domain_->core();
  PageQueue* queue = QueueOf(heap, page);
  QueueRemove(queue, page);
  if (heap->current_[page->queue_kind][page->size_class] == page) {
    heap->current_[page->queue_kind][page->size_class] = &g_no_page;
  }
  int64_t retain = core->options.page_full_retain;
  if (page->capacity > 1 && (retain < 0 || queue->full_count < retain)) {
    page->full = true;
    page->owner.store(OwnerWord(heap, page), kRelaxed);  // ours
    FullPush(queue, page);
    return;
  }
  Abandon(core, page);
}

void HeapOps::FullToQueue(ThreadHeap* heap, Page* page) {
  PageQueue* queue = QueueOf(heap, page);
  FullRemove(queue, page);
  page->full = false;
  page->owner.store(OwnerWord(heap, page), kRelaxed);  // ours
  QueuePushBack(queue, page);
}

Page* HeapOps::PageWithBlocks(ThreadHeap* heap, PageQueue* queue) {
  DomainCore* core = heap->domain_->core();
  for (Page* page = queue->head; page != nullptr;) {
    Page* next = page->next;
    if (page->free != nullptr || Sampler::IsCut(page) || CollectPage(core, page) ||
        ExtendPage(core, page) || FillHoles(core, page)) {
      return page;
    }
    // Not full: an extension was refused.
    if (AllHandedOut(page)) PageIsFull(heap, page);
    page = next;
  }
  // Retained full pages in which others freed; in turn, a few at a time.
  for (uint32_t looked = 0; looked < 8 && looked < queue->full_count; ++looked) {
    Page* page = queue->full;
    // Not all handed out: it was made anew (StartAnew).
    if (CollectPage(core, page) || (!AllHandedOut(page) && ExtendPage(core, page))) {
      FullToQueue(heap, page);
      return page;
    }
    FullRemove(queue, page);
    FullPush(queue, page);
  }
  return nullptr;
}

Page* HeapOps::FindOwnedPage(ThreadHeap* heap, unsigned queue_kind,
                             unsigned c) {
  heap->current_[queue_kind][c] = &g_no_page;
  Page* page = PageWithBlocks(heap, &heap->queues_[queue_kind][c]);
  if (page != nullptr) MakeCurrent(heap, page);
  return page;
}

Page* HeapOps::FindPage(ThreadHeap* heap, unsigned queue_kind, unsigned c) {
  if (Page* owned = FindOwnedPage(heap, queue_kind, c)) return owned;
  DomainCore* core = heap->domain_->core();
  PageQueue* queue = &heap->queues_[queue_kind][c];
  Page* page = AdoptFromBin(core, &core->bins[queue_kind][c]);
  if (page == nullptr) page = NewPage(core, queue_kind, c);
  if (page == nullptr || !JoinQueue(heap, queue, page)) return nullptr;
  MakeCurrent(heap, page);
  return page;
}

bool HeapOps::JoinQueue(ThreadHeap* heap, PageQueue* queue, Page* page) {
  DomainCore* core = heap->domain_->core();
  TakeIntoHeap(heap, page);
  QueuePushFront(queue, page);
  if (CollectPage(core, page) || ExtendPage(core, page) ||
      FillHoles(core, page)) {
    return true;
  }
  // Refused. An empty page does not stay for that.
  if (page->used.load(kRelaxed) == 0) {  // ours
    QueueRemove(queue, page);
    ReleaseEmpty(core, page);
  }
  return false;
}

// The last block of an owned page was freed.
void HeapOps::RetireOrRelease(ThreadHeap* heap, Page* page) {
  DomainCore* core = heap->domain_->core();
  PageQueue* queue = QueueOf(heap, page);
  if (page->full) FullToQueue(heap, page);
  // Samples that come and go one at a time need not make and unmake a page each.
  const bool sampled = page->sampled.load(kRelaxed) != 0;  // ours
  if (sampled && queue->count == 1 && page->limit <= kSliceSize &&
      core->sampler.interval() != 0) {
    return;
  }
  size_t bytes = page->limit;  // what of it is in use, not its addresses
  if (!sampled && queue->count == 1 && heap->retained_bytes_ + bytes <= kRetainedMost) {
    if (page->retire == 0) {
      heap->retained_bytes_ += bytes;
      page->retire = kRetireTurns;
      heap->retired_[page->queue_kind][page->size_class >> 6] |=
          uint64_t{1} << (page->size_class & 63);
    }
    return;
  }
  if (heap->current_[page->queue_kind][page->size_class] == page) {
    heap->current_[page->queue_kind][page->size_class] = &g_no_page;
  }
  QueueRemove(queue, page);
  ReleaseEmpty(core, page);
}

void HeapOps::ExpireRetired(ThreadHeap* heap, bool all) {
  DomainCore* core = heap->domain_->core();
  heap->retained_bytes_ = 0;
  for (unsigned kind = 0; kind < kQueueKindCount; ++kind) {
    for (unsigned word = 0; word < 2; ++word) {
      uint64_t bits = heap->retired_[kind][word];
      while (bits != 0) {
        unsigned bit = static_cast<unsigned>(__builtin_ctzll(bits));
        bits &= bits - 1;
        unsigned c = word * 64 + bit;
        PageQueue* queue = &heap->queues_[kind][c];
        bool keep = false;
        for (Page* page = queue->head; page != nullptr;) {
          Page* next = page->next;
          if (page->retire != 0) {
            if (page->used.load(kRelaxed) != 0) {  // ours
              page->retire = 0;
            } else if (all || --page->retire == 0) {
              page->retire = 0;
              if (heap->current_[kind][c] == page) {
                heap->current_[kind][c] = &g_no_page;
              }
              QueueRemove(queue, page);
              ReleaseEmpty(core, page);
            } else {
              keep = true;
              heap->retained_bytes_ += page->limit;
            }
          }
          page = next;
        }
        if (!keep) heap->retired_[kind][word] &= ~(uint64_t{1} << bit);
      }
    }
  }
}

namespace {
// `visit(queue, current)` for each of the heap's queues; `current` is null where pages of
// the queue never are.
template <class Visit>
void ForEachQueue(PageQueue (*rows)[kClassCount], Page* (*current)[kClassCount],
                  Visit&& visit) {
  if (rows == nullptr) return;
  for (unsigned kind = 0; kind < kQueueKindCount; ++kind) {
    for (unsigned c = 1; c < kClassCount; ++c) {
      visit(&rows[kind][c], current != nullptr ? &current[kind][c] : nullptr);
    }
  }
}
}  // namespace

size_t HeapOps::Trim(ThreadHeap* heap, bool holes) {
  DomainCore* core = heap->domain_->core();
  size_t purged = 0;
  const auto trim = [&](PageQueue* queue, Page** current) {
    if (queue->head == nullptr && queue->full == nullptr) return;
    for (Page* page = queue->full; page != nullptr;) {
      Page* next = page->next;
      if (CollectForeign(core, page) != 0) FullToQueue(heap, page);
      page = next;
    }
    for (Page* page = queue->head; page != nullptr;) {
      Page* next = page->next;
      CollectForeign(core, page);
      const bool empty = page->used.load(kRelaxed) == 0;  // ours
      // The list may be another afterwards: the profile counts it anew.
      if (current != nullptr && *current == page &&
          (empty || (holes && core->sampler.Recount(page)))) {
        *current = &g_no_page;
      }
      if (empty) {
        QueueRemove(queue, page);
        ReleaseEmpty(core, page);
      } else if (holes) {
        purged += PurgeHoles(core, page);
      }
      page = next;
    }
  };
  ForEachQueue(heap->queues_, heap->current_, trim);
  ForEachQueue(heap->sampled_, nullptr, trim);
  for (auto& words : heap->retired_) words[0] = words[1] = 0;
  heap->retained_bytes_ = 0;
  return purged;
}

void HeapOps::AbandonAll(ThreadHeap* heap) {
  DomainCore* core = heap->domain_->core();
  const auto abandon = [&](PageQueue* queue, Page** current) {
    if (current != nullptr) *current = &g_no_page;
    while (Page* page = queue->full) {
      FullRemove(queue, page);
      if (!TIDEPOOL_MUTANT(page_exit_keeps_full)) Abandon(core, page);
    }
    while (Page* page = queue->head) {
      QueueRemove(queue, page);
      Abandon(core, page);
    }
  };
  ForEachQueue(heap->queues_, heap->current_, abandon);
  ForEachQueue(heap->sampled_, nullptr, abandon);
  for (auto& words : heap->retired_) words[0] = words[1] = 0;
  heap->retained_bytes_ = 0;
}

}  // namespace tidepool::internal
