// Condition variable over the parking lot. See cond_var.h.
#include "tidepool/base/cond_var.h"

#include "tidepool/base/mutant.h"
#include "tidepool/base/parking_lot.h"

namespace tidepool {

bool CondVar::WaitUntil(Mutex* mutex, uint64_t deadline_ns)
    ABSL_NO_THREAD_SAFETY_ANALYSIS {
  waiters_.fetch_add(1, kRelaxed);  // C2
  if (TIDEPOOL_MUTANT(cond_var_unlock_first)) mutex->Unlock();
  ParkResult result = ParkingLot::Park(
      this, [] { return true; },
      [mutex]() ABSL_NO_THREAD_SAFETY_ANALYSIS {
        if (!TIDEPOOL_MUTANT(cond_var_unlock_first)) mutex->Unlock();
      },
      deadline_ns);
  waiters_.fetch_sub(1, kRelaxed);  // too high for a while: one useless look
  mutex->Lock();
  return result != ParkResult::kTimedOut;
}

void CondVar::Signal() {
  if (waiters_.load(kRelaxed) != 0) ParkingLot::UnparkOne(this);  // C2
}

void CondVar::Broadcast() {
  if (waiters_.load(kRelaxed) != 0) ParkingLot::UnparkAll(this);  // C2
}

}  // namespace tidepool
