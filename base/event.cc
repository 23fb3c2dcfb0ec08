// Waiting for an Event, and waking its waiters. See event.h.
#include "tidepool/base/event.h"

#include "tidepool/base/mutant.h"
#include "tidepool/base/parking_lot.h"

namespace tidepool {

void Event::Set() {
  // Release pairs with the acquire in IsSet and WaitUntil (E1).
  uint8_t old = word_.exchange(kSet, kRelease);
  if (old == kWaiters && !TIDEPOOL_MUTANT(event_set_without_wake)) {
    ParkingLot::UnparkAll(this);
  }
}

bool Event::WaitUntil(uint64_t deadline_ns) {
  for (;;) {
    uint8_t word = word_.load(kAcquire);  // pairs with Set (E1)
    if (word == kSet) return true;
    // Relaxed: W only tells Set to look at the queue (E2), and on failure the
    // loop loads again.
    if (word == 0 &&
        !word_.compare_exchange_weak(word, kWaiters, kRelaxed, kRelaxed)) {
      continue;
    }
    // Relaxed: the bucket's lock orders it against Set's UnparkAll, which
    // comes after Set's exchange.
    ParkResult result = ParkingLot::Park(
        this, [this] { return word_.load(kRelaxed) == kWaiters; },
        deadline_ns);
    if (result == ParkResult::kTimedOut) return IsSet();
  }
}

}  // namespace tidepool
