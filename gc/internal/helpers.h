// The collector's helper threads: they run a function together with the collecting
// thread, in a stop, and park in between.
//
// They have no thread state: what they run reads objects and writes the collector's own
// bits, and neither counts nor allocates. They are started when they are first wanted; if a
// thread cannot be had there are fewer, down to none. They do not survive a fork: Stop
// joins them before it, and the next pass starts new ones in either process.
//
// G1  Run: the caller's writes before it are seen by the helpers, theirs by the caller
//     after it (the lock).
// G2  between Run and Run a helper touches nothing but its own fields here.

#ifndef TIDEPOOL_GC_INTERNAL_HELPERS_H_
#define TIDEPOOL_GC_INTERNAL_HELPERS_H_

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/cond_var.h"
#include "tidepool/base/mutex.h"
#include "tidepool/base/os.h"
#include "tidepool/base/thread.h"

namespace tidepool {
namespace gc_internal {

class Helpers {
 public:
  static constexpr int kMax = 63;

  explicit Helpers(Os* os) : os_(os) {}
  ~Helpers() { Stop(); }
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  // Tries to have `wanted` helpers; returns how many there are, at most `wanted`.
  int Ensure(int wanted);
  // fn(arg, i) for i in 0..helpers, 0 on the calling thread; returns when all are done.
  void Run(int helpers, void (*fn)(void* arg, int index), void* arg);
  // Joins all.
  void Stop();
  int count() const { return count_; }

 private:
  struct Helper {
    Helpers* owner = nullptr;
    int index = 0;
    Thread thread;
  };

  void Work(int index);
  void AwaitRound(uint32_t seen) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Os* const os_;
  Mutex mutex_{0};
  CondVar changed_{0};  // a round begins, or stop
  CondVar done_{0};     // running_ is 0
  Atomic<uint32_t> round_{0};  // written under the lock
  int active_ ABSL_GUARDED_BY(mutex_) = 0;   // helpers in this round
  int running_ ABSL_GUARDED_BY(mutex_) = 0;
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  void (*fn_)(void*, int) ABSL_GUARDED_BY(mutex_) = nullptr;
  void* arg_ ABSL_GUARDED_BY(mutex_) = nullptr;
  int count_ = 0;  // the collecting thread's
  Helper helpers_[kMax];
};

}  // namespace gc_internal
}  // namespace tidepool

#endif  // TIDEPOOL_GC_INTERNAL_HELPERS_H_
