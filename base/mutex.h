// A mutual exclusion lock of one byte.
//
// Zero is unlocked, so fresh zero memory holds usable mutexes, and an object
// header can afford one. An uncontended Lock or Unlock is one
// compare-and-swap; a contended Lock spins briefly and then parks
// (parking_lot.h).
//
// State of the byte. "w" is the word; CAS orders are in the code.
//
//   state            event                       next        who       pairs with
//   ---------------  --------------------------  ----------  --------  ----------
//   0                Lock: CAS acquire           L           locker    release below
//   L                Lock fails: CAS relaxed     L|P         waiter    - (M2)
//   L|P              waiter parks on L|P         L|P         waiter    bucket lock
//   P                Lock: CAS acquire           L|P         locker    release below
//   L                Unlock: CAS release         0           holder    acquire above
//   L|P              Unlock: under the bucket    P or 0      holder    acquire above
//                    lock, release
//
// M1: P set, or a waiter between its CAS and its validate(), whenever one is
//     queued: no waiter sleeps while the lock is free and nobody was unparked.
// M2: setting P needs no order: it publishes nothing; the queue is ordered by
//     the bucket's lock.
// M3: no hand-off. The unparked waiter competes like anybody else, so the lock
//     never belongs to a thread that sleeps, or that a stop of the world holds.
//     A waiter may be overtaken; it is at the front of the queue no longer, but
//     under load the queue moves on at every unlock.
//
// Not recursive. Not fair beyond M3. In a debug build nothing more is checked:
// a byte has no room for an owner.
#ifndef TIDEPOOL_BASE_MUTEX_H_
#define TIDEPOOL_BASE_MUTEX_H_

#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/os.h"

namespace tidepool {

class ABSL_LOCKABLE Mutex {
 public:
  Mutex() = default;  // trivial: not initialised unless its memory is zero
  constexpr explicit Mutex(int) : word_(0) {}
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() {
    if (!TryLock()) LockSlow(kNoDeadline);
  }

  bool TryLock() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) {
    uint8_t expected = 0;
    // Acquire pairs with the release in Unlock and UnlockSlow.
    return word_.compare_exchange_strong(expected, kLocked, kAcquire, kRelaxed);
  }

  // False if `deadline_ns` (of MonotonicNs) passed first.
  bool LockFor(uint64_t deadline_ns) ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) {
    return TryLock() || LockSlow(deadline_ns);
  }

  void Unlock() ABSL_UNLOCK_FUNCTION() {
    uint8_t expected = kLocked;
    // Release pairs with the acquire in TryLock and LockSlow.
    if (!word_.compare_exchange_strong(expected, 0, kRelease, kRelaxed)) {
      UnlockSlow();
    }
  }

  // For a caller that knows that no other thread can want the lock while it
  // holds it: plain loads and stores, no atomic read-modify-write. A lock taken
  // so is a locked lock for whoever comes later (its thread's start or attach
  // orders the store), and may be released either way. False: it is held.
  bool TryLockAlone() ABSL_EXCLUSIVE_TRYLOCK_FUNCTION(true) {
    // Relaxed: the caller is alone.
    if (word_.load(kRelaxed) != 0) return false;
    word_.store(kLocked, kRelaxed);
    return true;
  }
  void UnlockAlone() ABSL_UNLOCK_FUNCTION() {
    if (word_.load(kRelaxed) != kLocked) return UnlockSlow();
    word_.store(0, kRelaxed);
  }

  // A hint: may be wrong by the time it returns, unless the caller holds it.
  bool IsLocked() const { return (word_.load(kRelaxed) & kLocked) != 0; }

 private:
  static constexpr uint8_t kLocked = 1;  // L
  static constexpr uint8_t kParked = 2;  // P

  bool LockSlow(uint64_t deadline_ns);
  void UnlockSlow();

  Atomic<uint8_t> word_;
};

static_assert(sizeof(Mutex) == 1);

// Holds a mutex for a scope.
class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex* mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex)
      : mutex_(mutex) {
    mutex->Lock();
  }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mutex_->Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex* const mutex_;
};

}  // namespace tidepool

#endif  // TIDEPOOL_BASE_MUTEX_H_
