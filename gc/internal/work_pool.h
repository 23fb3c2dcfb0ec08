// What several markers of a phase share: entries that one has given away, and the
// knowledge that nobody has anything left.
//
// A marker that runs out is *hungry*. Others look at the number of hungry markers now and
// then (one relaxed load in 64 objects) and give away a few of their oldest entries. The
// phase is over when all are hungry and the pool is empty.
//
// W1  `hungry` counts the markers inside Take, under the lock.
// W2  all hungry and nothing in the pool: nobody can come by an entry any more, as entries
//     come from markers' stacks (empty) and the pool only. So `over` is for ever.
// The entries' objects are ordered by the lock: the giver's writes to them come first.

#ifndef TIDEPOOL_GC_INTERNAL_WORK_POOL_H_
#define TIDEPOOL_GC_INTERNAL_WORK_POOL_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/cond_var.h"
#include "tidepool/base/mutant.h"
#include "tidepool/base/mutex.h"
#include "tidepool/base/spin.h"
#include "tidepool/object/header.h"

namespace tidepool {
namespace gc_internal {

class WorkPool {
 public:
  // Before a phase of `markers` markers, by the thread that starts it.
  void Start(int markers) {
    MutexLock lock(&mutex_);
    markers_ = markers;
    size_ = 0;
    over_ = false;
    hungry_.store(0, kRelaxed);
    news_.store(0, kRelaxed);
  }

  // Relaxed: a hint.
  bool Wanted() const { return hungry_.load(kRelaxed) != 0; }

  // Takes over at most n entries, and says how many.
  size_t Give(ObjectHeader** entries, size_t n) {
    MutexLock lock(&mutex_);
    if (n > kRoom - size_) n = kRoom - size_;
    for (size_t i = 0; i < n; ++i) entries_[size_ + i] = entries[i];
    size_ += n;
    if (n != 0) Tell();
    return n;
  }

  // Waits for entries; 0 when the phase is over.
  size_t Take(ObjectHeader** entries, size_t n) {
    mutex_.Lock();
    const int hungry = hungry_.load(kRelaxed) + 1;
    hungry_.store(hungry, kRelaxed);
    if (hungry == markers_ && (size_ == 0 || TIDEPOOL_MUTANT(mark_over_early))) {
      over_ = true;
      Tell();
    }
    for (bool spun = false; size_ == 0 && !over_;) {
      if (spun) {
        changed_.Wait(&mutex_);
        continue;
      }
      // The wait is short while others mark: a wake-up costs more than it.
      const uint32_t news = news_.load(kRelaxed);
      mutex_.Unlock();
      for (int i = 0; i < kSpins && news_.load(kRelaxed) == news; ++i) SpinPause();
      mutex_.Lock();
      spun = true;
    }
    if (n > size_) n = size_;
    if (over_) n = 0;
    for (size_t i = 0; i < n; ++i) entries[i] = entries_[--size_];
    hungry_.store(hungry_.load(kRelaxed) - 1, kRelaxed);
    mutex_.Unlock();
    return n;
  }

 private:
  static constexpr size_t kRoom = 2048;
#ifdef TIDEPOOL_SCHED
  static constexpr int kSpins = 0;
#else
  static constexpr int kSpins = 4000;
#endif

  void Tell() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    news_.fetch_add(1, kRelaxed);  // only looked at for a change
    changed_.Broadcast();
  }

  Mutex mutex_{0};
  CondVar changed_{0};
  Atomic<int> hungry_{0};        // written under the lock
  Atomic<uint32_t> news_{0};
  int markers_ ABSL_GUARDED_BY(mutex_) = 1;
  bool over_ ABSL_GUARDED_BY(mutex_) = false;
  size_t size_ ABSL_GUARDED_BY(mutex_) = 0;
  ObjectHeader* entries_[kRoom] ABSL_GUARDED_BY(mutex_);
};

}  // namespace gc_internal
}  // namespace tidepool

#endif  // TIDEPOOL_GC_INTERNAL_WORK_POOL_H_
