// A condition variable for Mutex.
//
// Wait() may return without a Signal: callers loop over their condition, which
// the mutex guards. Zero memory is a usable CondVar.
//
// C1: a Signal by a thread that has held the mutex since the waiter's Wait
//     began is not missed: the waiter is queued before it releases the mutex.
// C2: `waiters_` counts threads between the start of Wait and their wake-up. It
//     changes before the mutex is released, so a signaller that holds or has
//     held the mutex since cannot see 0 while the waiter sleeps (relaxed is
//     enough: the mutex orders it). A signaller that never takes the mutex gets
//     no promise, as with every condition variable.
#ifndef TIDEPOOL_BASE_COND_VAR_H_
#define TIDEPOOL_BASE_COND_VAR_H_

#include <cstdint>

#include "tidepool/base/atomic.h"
#include "tidepool/base/mutex.h"
#include "tidepool/base/os.h"

namespace tidepool {

class CondVar {
 public:
  CondVar() = default;  // trivial: not initialised unless its memory is zero
  constexpr explicit CondVar(int) : waiters_(0) {}
  CondVar(const CondVar&) = delete;
  CondVar& operator=(const CondVar&) = delete;

  void Wait(Mutex* mutex) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    WaitUntil(mutex, kNoDeadline);
  }
  // False if `deadline_ns` passed first. The mutex is held again either way.
  bool WaitUntil(Mutex* mutex, uint64_t deadline_ns)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex);
  void Signal();
  void Broadcast();

 private:
  Atomic<uint32_t> waiters_;
};

}  // namespace tidepool

#endif  // TIDEPOOL_BASE_COND_VAR_H_
