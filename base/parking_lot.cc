// The hash table of parked threads. See parking_lot.h.
//
// 128 buckets, each with a lock of its own and one FIFO queue for all
// addresses that hash to it. The lock is a futex word, not a Mutex: Mutex is
// built on top of this file. A waiter sleeps on a word of its own node, so a
// wake-up reaches exactly the thread it is for.
#include "tidepool/base/parking_lot.h"

#include "tidepool/base/atomic.h"
#include "tidepool/base/internal/futex.h"
#include "tidepool/base/internal/sched_runtime.h"
#include "tidepool/base/spin.h"

namespace tidepool {
namespace {

// One parked thread; on its stack.
struct Waiter {
  Waiter* next;
  const void* address;
  // 0 while queued or taken, 1 once signalled; the waiter sleeps on it.
  Atomic<uint32_t> signalled;
};

struct alignas(64) Bucket {
  // 0 free, 1 held, 2 held and somebody may sleep on the word.
  Atomic<uint32_t> lock;
  Waiter* head;
  Waiter* tail;

  void Lock() {
    uint32_t word = 0;
    // Acquire pairs with the exchange in Unlock.
    if (lock.compare_exchange_strong(word, 1, kAcquire, kRelaxed)) return;
    for (int i = 0; i < 100; ++i) {
      word = 0;
      if (lock.compare_exchange_weak(word, 1, kAcquire, kRelaxed)) return;
      SpinPause();
    }
    while (lock.exchange(2, kAcquire) != 0) {  // pairs with Unlock
      internal::FutexWait(&lock, 2, kNoDeadline);
    }
  }

  void Unlock() {
    // Release pairs with the acquires in Lock.
    if (lock.exchange(0, kRelease) == 2) internal::FutexWake(&lock, 1);
  }

  void Enqueue(Waiter* waiter) {
    waiter->next = nullptr;
    if (head == nullptr) {
      head = waiter;
    } else {
      tail->next = waiter;
    }
    tail = waiter;
  }

  // Takes out the node at *link, whose predecessor is `previous`.
  void Unlink(Waiter** link, Waiter* previous) {
    Waiter* waiter = *link;
    *link = waiter->next;
    if (tail == waiter) tail = previous;
  }

  bool Remove(Waiter* waiter) {
    Waiter* previous = nullptr;
    for (Waiter** link = &head; *link != nullptr; link = &(*link)->next) {
      if (*link == waiter) {
        Unlink(link, previous);
        return true;
      }
      previous = *link;
    }
    return false;
  }
};

constexpr size_t kBuckets = 128;
Bucket g_buckets[kBuckets];

Bucket& BucketOf(const void* address) {
  uint64_t hash = reinterpret_cast<uint64_t>(address) * 0x9E3779B97F4A7C15u;
  return g_buckets[hash >> 57];
}
static_assert(kBuckets == size_t{1} << (64 - 57));

void Signal(Waiter* waiter) {
  const void* word = &waiter->signalled;
  // Release pairs with the acquire in ParkImpl: what the unparker did before is
  // seen by the woken. After the store the node may be gone; a wake-up on its
  // old address is spurious for whoever sleeps there now, and allowed.
  waiter->signalled.store(1, kRelease);
  internal::FutexWake(word, 1);
}

}  // namespace

ParkResult ParkingLot::ParkImpl(const void* address, bool (*validate)(void*),
                                void (*before_sleep)(void*), void* arg,
                                uint64_t deadline_ns) {
#ifdef TIDEPOOL_SCHED
  if (sched::Controlled()) {
    return sched::internal::SchedPark(address, validate, before_sleep, arg,
                                      deadline_ns);
  }
#endif
  Waiter self;
  self.address = address;
  self.signalled.store(0, kRelaxed);  // not yet visible to others
  Bucket& bucket = BucketOf(address);
  bucket.Lock();
  if (!validate(arg)) {
    bucket.Unlock();
    return ParkResult::kInvalid;
  }
  bucket.Enqueue(&self);
  bucket.Unlock();
  before_sleep(arg);

  bool in_time = true;
  while (self.signalled.load(kAcquire) == 0) {  // pairs with Signal
    if (in_time) {
      in_time = internal::FutexWait(&self.signalled, 0, deadline_ns);
      continue;
    }
    bucket.Lock();
    bool was_queued = bucket.Remove(&self);
    bucket.Unlock();
    if (was_queued) return ParkResult::kTimedOut;
    // Taken already: the signal is on its way (P1).
    while (self.signalled.load(kAcquire) == 0) {  // pairs with Signal
      internal::FutexWait(&self.signalled, 0, kNoDeadline);
    }
  }
  return ParkResult::kUnparked;
}

void ParkingLot::UnparkOneImpl(const void* address,
                               void (*callback)(void*, UnparkResult),
                               void* arg) {
#ifdef TIDEPOOL_SCHED
  if (sched::Controlled()) {
    sched::internal::SchedUnparkOne(address, callback, arg);
    return;
  }
#endif
  Bucket& bucket = BucketOf(address);
  bucket.Lock();
  Waiter* taken = nullptr;
  Waiter* previous = nullptr;
  bool more = false;
  for (Waiter** link = &bucket.head; *link != nullptr;) {
    Waiter* waiter = *link;
    if (waiter->address == address) {
      if (taken != nullptr) {
        more = true;
        break;
      }
      taken = waiter;
      bucket.Unlink(link, previous);
      continue;
    }
    previous = waiter;
    link = &waiter->next;
  }
  callback(arg, UnparkResult{taken != nullptr, more});
  bucket.Unlock();
  if (taken != nullptr) Signal(taken);
}

size_t ParkingLot::UnparkAll(const void* address) {
#ifdef TIDEPOOL_SCHED
  if (sched::Controlled()) return sched::internal::SchedUnparkAll(address);
#endif
  Bucket& bucket = BucketOf(address);
  Waiter* taken = nullptr;
  Waiter** taken_end = &taken;
  Waiter* previous = nullptr;
  bucket.Lock();
  for (Waiter** link = &bucket.head; *link != nullptr;) {
    Waiter* waiter = *link;
    if (waiter->address == address) {
      bucket.Unlink(link, previous);
      *taken_end = waiter;
      taken_end = &waiter->next;
      continue;
    }
    previous = waiter;
    link = &waiter->next;
  }
  *taken_end = nullptr;
  bucket.Unlock();
  size_t count = 0;
  while (taken != nullptr) {
    Waiter* next = taken->next;  // before Signal: the node goes with it
    Signal(taken);
    taken = next;
    ++count;
  }
  return count;
}

void ParkingLot::ResetAfterFork() {
  for (Bucket& bucket : g_buckets) {
    bucket.lock.store(0, kRelaxed);  // the child has one thread
    bucket.head = nullptr;
    bucket.tail = nullptr;
  }
}

}  // namespace tidepool
