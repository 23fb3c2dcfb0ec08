// A flag that threads can wait for.
//
// Set() makes every present and later Wait() return until Reset(). One byte,
// zero = not set, so it can lie in zero memory.
//
//   state   event                         next   who      pairs with
//   ------  ----------------------------  -----  -------  ------------------
//   0       Wait: CAS relaxed             W      waiter   - (queue: bucket lock)
//   W       waiter parks while it is W    W      waiter   bucket lock
//   0, W    Set: exchange release         S      setter   acquire in Wait, IsSet
//   S       Reset: store relaxed          0      anybody  -
//
// E1: what the setter wrote before Set() is seen after Wait() or a true IsSet().
// E2: W is set whenever a waiter is queued, so Set() without W need not unpark.
//
// Reset() may not run at the same time as a Set() or Wait() that belongs to the
// round before: the caller's protocol sees to that.
#ifndef TIDEPOOL_BASE_EVENT_H_
#define TIDEPOOL_BASE_EVENT_H_

#include <cstdint>

#include "tidepool/base/atomic.h"
#include "tidepool/base/os.h"

namespace tidepool {

class Event {
 public:
  Event() = default;  // trivial: not initialised unless its memory is zero
  constexpr explicit Event(int) : word_(0) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void Set();
  void Reset() { word_.store(0, kRelaxed); }  // see above on concurrency
  // Acquire pairs with the release in Set (E1).
  bool IsSet() const { return word_.load(kAcquire) == kSet; }

  void Wait() { WaitUntil(kNoDeadline); }
  // False if `deadline_ns` (of MonotonicNs) passed first.
  bool WaitUntil(uint64_t deadline_ns);

 private:
  static constexpr uint8_t kSet = 1;      // S
  static constexpr uint8_t kWaiters = 2;  // W

  Atomic<uint8_t> word_;
};

}  // namespace tidepool

#endif  // TIDEPOOL_BASE_EVENT_H_
