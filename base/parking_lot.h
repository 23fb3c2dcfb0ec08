// Parking: a thread sleeps on an address until another thread unparks it.
//
// The lock or event itself is then one byte: who waits for it is kept here, in
// a hash table of buckets with a queue each, so that an object can carry a
// mutex without carrying a queue. (The idea is WebKit's ParkingLot.)
//
// Park(address, validate, before_sleep, deadline):
//   1. takes the bucket's lock and calls validate(); false -> kInvalid at once;
//   2. queues the caller, drops the bucket's lock;
//   3. calls before_sleep() (a condition variable releases its mutex there);
//   4. sleeps until unparked or the deadline has passed.
// UnparkOne(address, callback) takes the longest waiter out of the queue and
// calls callback(result) while the bucket is locked: a change of the lock's
// word made there cannot be missed by a concurrent validate().
//
//   event                       waiter was        waiter is        returns
//   --------------------------  ----------------  ---------------  -----------
//   validate() false            running           running          kInvalid
//   validate() true             running           queued           -
//   UnparkOne/All               queued            taken, then      kUnparked
//                                                 signalled
//   deadline, still queued      queued            running          kTimedOut
//   deadline, already taken     taken             signalled        kUnparked
//
// P1: a waiter that UnparkOne took returns kUnparked, never kTimedOut, so a
//     wake-up that a caller counted is never lost.
// P2: nothing here allocates; a waiter's node is on its stack.
// P3: validate and callback run with a bucket locked: they touch only the word
//     that is waited on, never lock, park or allocate.
//
// Under the deterministic scheduler the queue is the scheduler's; threads that
// it controls and threads that it does not never wait for one another.
#ifndef TIDEPOOL_BASE_PARKING_LOT_H_
#define TIDEPOOL_BASE_PARKING_LOT_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "tidepool/base/os.h"

namespace tidepool {

enum class ParkResult : uint8_t { kUnparked, kTimedOut, kInvalid };

struct UnparkResult {
  bool unparked;      // somebody was waiting and has been taken
  bool more_waiters;  // others still wait on this address
};

class ParkingLot {
 public:
  template <class Validate, class BeforeSleep>
  static ParkResult Park(const void* address, Validate&& validate,
                         BeforeSleep&& before_sleep,
                         uint64_t deadline_ns = kNoDeadline) {
    Callbacks<Validate, BeforeSleep> both{validate, before_sleep};
    return ParkImpl(
        address,
        [](void* arg) -> bool {
          return static_cast<decltype(&both)>(arg)->validate();
        },
        [](void* arg) { static_cast<decltype(&both)>(arg)->before_sleep(); },
        &both, deadline_ns);
  }

  template <class Validate>
  static ParkResult Park(const void* address, Validate&& validate,
                         uint64_t deadline_ns = kNoDeadline) {
    return Park(address, validate, [] {}, deadline_ns);
  }

  template <class Callback>
  static void UnparkOne(const void* address, Callback&& callback) {
    UnparkOneImpl(
        address,
        [](void* arg, UnparkResult result) {
          (*static_cast<std::remove_reference_t<Callback>*>(arg))(result);
        },
        const_cast<void*>(static_cast<const void*>(&callback)));
  }
  static void UnparkOne(const void* address) {
    UnparkOne(address, [](UnparkResult) {});
  }

  // Returns how many were waiting.
  static size_t UnparkAll(const void* address);

  // In a forked child: forgets waiters, whose threads are gone.
  static void ResetAfterFork();

 private:
  template <class Validate, class BeforeSleep>
  struct Callbacks {
    Validate& validate;
    BeforeSleep& before_sleep;
  };

  static ParkResult ParkImpl(const void* address, bool (*validate)(void*),
                             void (*before_sleep)(void*), void* arg,
                             uint64_t deadline_ns);
  static void UnparkOneImpl(const void* address,
                            void (*callback)(void*, UnparkResult), void* arg);
};

}  // namespace tidepool

#endif  // TIDEPOOL_BASE_PARKING_LOT_H_
