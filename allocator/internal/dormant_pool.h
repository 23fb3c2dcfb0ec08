// The dormant pool: empty pages of object kinds that keep their layout.
//
// A page comes here when its last block was freed, with the QSBR goal of that
// moment. Until the goal has passed, a lock-free reader may still look at headers
// in it. Three things may happen to it (design: same layout, zeros, another layout):
//   Take       any thread takes it for the same kind and class (a block with a page
//              of its own: same kind, not more slices); at once
//   purging    TakeDirty takes it out, some or all of its memory is purged, PutBack
//              puts it back; at any time
//   TakeDue    its goal has passed: it leaves for good and becomes free slices
// Whoever took a page out owns it; nobody looks at a page in the pool without the
// lock. Putting and taking synchronise by the lock (release, acquire).
//
// Kept by age in two lists (with memory, and purged) beside the lists by layout.
#ifndef TIDEPOOL_ALLOCATOR_INTERNAL_DORMANT_POOL_H_
#define TIDEPOOL_ALLOCATOR_INTERNAL_DORMANT_POOL_H_

#include <cstddef>

#include "absl/base/thread_annotations.h"
#include "tidepool/allocator/internal/page.h"
#include "tidepool/allocator/stats.h"
#include "tidepool/base/mutex.h"
#include "tidepool/qsbr/qsbr.h"

namespace tidepool::internal {

class DormantPool {
 public:
  explicit DormantPool(Counters* counters) : counters_(counters), lock_(0) {}

  // The page's goal, state and lists are set; `dirty` are its dirty bytes.
  void Put(Page* page, size_t dirty);
  // Pages with memory come before purged ones, which `dirty_only` excludes.
  Page* Take(HeapKind kind, unsigned size_class, bool dirty_only);
  // A page of `least` to `most` slices: with memory if there is one, of these the
  // smallest that has `slices`, else the largest; of equal ones that with most memory.
  Page* TakeLarge(HeapKind kind, size_t least, size_t slices, size_t most);
  // The oldest page with memory; to be purged and put back. Its memory counts as
  // dormant all the while.
  Page* TakeDirty();
  // The page that TakeDirty gave, with what is dirty now. One that was purged in part
  // is the next to be purged, one that could not be is the last.
  void PutBack(Page* page, size_t dirty);
  // A page whose goal has passed (any, if `all`).
  Page* TakeDue(QsbrDomain* qsbr, bool all);

  bool empty() const {
    return counters_->dormant_pages.load(kRelaxed) == 0;  // a hint
  }
  Mutex& lock() { return lock_; }  // for fork

  template <class Visit>
  void ForEach(Visit&& visit) ABSL_LOCKS_EXCLUDED(lock_) {
    MutexLock lock(&lock_);
    for (Ends* ends : {&dirty_, &clean_}) {
      for (Page* p = ends->head; p != nullptr; p = p->age_next) visit(p);
    }
  }

 private:
  struct Ends {
    Page* head = nullptr;
    Page* tail = nullptr;
  };

  Ends& ListOf(const Page* page) ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_);
  void Link(Page* page, size_t dirty, bool oldest)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_);
  void Unlink(Page* page) ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_);

  Counters* const counters_;
  Mutex lock_;
  // By kind (raw pages are never dormant) and class; class 0 is large.
  Ends lists_[kHeapKindCount - 1][kClassCount] ABSL_GUARDED_BY(lock_);
  Ends dirty_ ABSL_GUARDED_BY(lock_);
  Ends clean_ ABSL_GUARDED_BY(lock_);
};

}  // namespace tidepool::internal

#endif  // TIDEPOOL_ALLOCATOR_INTERNAL_DORMANT_POOL_H_
