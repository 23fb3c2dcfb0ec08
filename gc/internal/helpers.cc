// See helpers.h.
#include "tidepool/gc/internal/helpers.h"

#include "tidepool/base/mutant.h"
#include "tidepool/base/spin.h"

namespace tidepool {
namespace gc_internal {
namespace {

// A pass has a handful of rounds, one shortly after the other.
#ifdef TIDEPOOL_SCHED
constexpr int kSpins = 0;
#else
constexpr int kSpins = 4000;
#endif

}  // namespace

int Helpers::Ensure(int wanted) {
  if (wanted > kMax) wanted = kMax;
  if (count_ < wanted) {
    MutexLock lock(&mutex_);
    stop_ = false;
  }
  while (count_ < wanted) {
    Helper& helper = helpers_[count_];
    helper.owner = this;
    helper.index = count_ + 1;
    const bool started = helper.thread.Start(
        [](void* arg) {
          auto* h = static_cast<Helper*>(arg);
          h->owner->Work(h->index);
        },
        &helper, 0, os_);
    if (!started) break;
    ++count_;
  }
  return count_ < wanted ? count_ : wanted;
}

void Helpers::Run(int helpers, void (*fn)(void*, int), void* arg) {
  if (helpers == 0) {
    fn(arg, 0);
    return;
  }
  {
    MutexLock lock(&mutex_);
    active_ = running_ = helpers;
    fn_ = fn;
    arg_ = arg;
    round_.store(round_.load(kRelaxed) + 1, kRelaxed);  // the lock orders it
    changed_.Broadcast();
  }
  fn(arg, 0);
  MutexLock lock(&mutex_);
  while (running_ != 0 && !TIDEPOOL_MUTANT(mark_no_wait)) done_.Wait(&mutex_);
}

void Helpers::AwaitRound(uint32_t seen) {
  mutex_.Unlock();
  for (int i = 0; i < kSpins && round_.load(kRelaxed) == seen; ++i) SpinPause();
  mutex_.Lock();
  while (round_.load(kRelaxed) == seen && !stop_) changed_.Wait(&mutex_);
}

void Helpers::Work(int index) {
  mutex_.Lock();
  // Round by round: a helper that starts late finds the one it was started for.
  for (uint32_t seen = 0;;) {
    if (round_.load(kRelaxed) == seen) AwaitRound(seen);
    if (stop_) break;
    seen = round_.load(kRelaxed);
    if (index > active_ || running_ == 0) continue;
    void (*fn)(void*, int) = fn_;
    void* arg = arg_;
    mutex_.Unlock();
    fn(arg, index);
    mutex_.Lock();
    if (--running_ == 0) done_.Signal();
  }
  mutex_.Unlock();
}

void Helpers::Stop() {
  if (count_ == 0) return;
  {
    MutexLock lock(&mutex_);
    stop_ = true;
    changed_.Broadcast();
  }
  while (count_ > 0) helpers_[--count_].thread.Join();
  MutexLock lock(&mutex_);
  stop_ = false;
  round_.store(0, kRelaxed);  // new helpers begin at 0
}

}  // namespace gc_internal
}  // namespace tidepool
