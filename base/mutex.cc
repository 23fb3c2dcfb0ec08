// The contended paths of Mutex. See mutex.h for states and invariants.
#include "tidepool/base/mutex.h"

#include "tidepool/base/lock_waits.h"
#include "tidepool/base/mutant.h"
#include "tidepool/base/parking_lot.h"
#include "tidepool/base/spin.h"

namespace tidepool {
namespace {

// Long enough for a short critical section on another core, far shorter than
// the two context switches that parking costs.
constexpr int kSpins = 40;

#if !defined(TIDEPOOL_SCHED)
constinit Atomic<uint64_t> g_waits{0};
void CountWait() { g_waits.fetch_add(1, kRelaxed); }  // a figure
#else
void CountWait() {}  // no point of the schedule
#endif

}  // namespace

#if !defined(TIDEPOOL_SCHED)
uint64_t LockWaits() { return g_waits.load(kRelaxed); }
#else
uint64_t LockWaits() { return 0; }
#endif

bool Mutex::LockSlow(uint64_t deadline_ns) {
  int spins = sched::Controlled() ? 1 : kSpins;
  for (;;) {
    uint8_t word = word_.load(kRelaxed);  // decides nothing; the CAS does
    if ((word & kLocked) == 0) {
      // Keeps P: others may be queued (M1). Acquire pairs with Unlock.
      if (word_.compare_exchange_weak(word, word | kLocked, kAcquire,
                                      kRelaxed)) {
        return true;
      }
      continue;
    }
    if ((word & kParked) == 0) {
      if (spins > 0) {
        --spins;
        SpinPause();
        continue;
      }
      // Relaxed: see M2.
      if (!word_.compare_exchange_weak(word, word | kParked, kRelaxed,
                                       kRelaxed)) {
        continue;
      }
    }
    CountWait();
    ParkResult result = ParkingLot::Park(
        this,
        // Relaxed: the bucket's lock orders this against UnlockSlow.
        [this] {
          return TIDEPOOL_MUTANT(mutex_park_unchecked) ||
                 word_.load(kRelaxed) == (kLocked | kParked);
        },
        deadline_ns);
    if (result == ParkResult::kTimedOut) {
      // P may be left set without a waiter: the next Unlock finds the queue
      // empty and clears it.
      return TryLock();
    }
  }
}

void Mutex::UnlockSlow() {
  ParkingLot::UnparkOne(this, [this](UnparkResult result) {
    bool keep = result.more_waiters;
    if (TIDEPOOL_MUTANT(mutex_forget_waiters)) keep = false;
    // Release pairs with the acquire of the next locker.
    word_.store(keep ? kParked : 0, kRelease);
  });
}

}  // namespace tidepool
