// The mutex in every object header, and critical sections.
//
// LockObject(ts, obj) takes the one-byte mutex. If it is taken it spins a
// little, then waits detached (DetachForLock), so that a stop of the world
// passes and nothing is run meanwhile. It is a lock like any other: two of them
// nested in different orders deadlock, and a holder must not pass a safepoint,
// block, or run code that might (Decref of anything but a known leaf
// included). For short sections over one object.
//
// A *critical section* is for code that may do all that. It holds the mutexes
// of one or two objects, but gives all of them up whenever the thread detaches
// (blocks) and takes the innermost ones again when it attaches; the outer ones
// are taken again when the inner one ends. So a section is atomic only up to
// the next point where the thread blocks, and in return no set of sections can
// deadlock: a thread that waits holds nothing. Rejected: keeping the locks
// while blocked (deadlocks through any lock of a script), and lock ordering
// over all nested sections (the order is the script's).
//
//   inner section on the object that the innermost section already holds:
//   nothing is taken, nothing is released. CriticalSection2 takes two objects in
//   address order; equal objects count as one.
//
// A thread that its embedder has called alone (ThreadState::set_alone) takes
// and gives back by plain stores: two atomic read-modify-writes a lock would be most
// of what a list's append costs. Nobody else is there who could want it, and
// whoever comes later finds a lock that is locked or not.
//
// A park for a stop of the world at a safepoint keeps the locks: nobody takes
// object mutexes in a stop (debug builds check), all other threads are
// suspended too, and the thread comes back as soon as the world starts. What
// holds a mutex is never a thread that was only handed it while asleep, for the
// mutex has no hand-off.
#ifndef TIDEPOOL_OBJECT_OBJECT_MUTEX_H_
#define TIDEPOOL_OBJECT_OBJECT_MUTEX_H_

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "tidepool/base/check.h"
#include "tidepool/base/mutex.h"
#include "tidepool/object/header.h"
#include "tidepool/object/thread_state.h"

namespace tidepool {

namespace internal {
void LockMutexSlow(ThreadState* ts, Mutex* mutex);
void CheckMayLock(ThreadState* ts);
}  // namespace internal

// For any one-byte mutex that is held across no safepoint: waits detached.
// Analysis: callers are checked; inside, a failed TryLock ends locked all the
// same, which clang cannot see.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline void LockMutex(ThreadState* ts,
                                                   Mutex* mutex)
    ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) ABSL_NO_THREAD_SAFETY_ANALYSIS {
#if TIDEPOOL_DCHECK_IS_ON
  internal::CheckMayLock(ts);
#endif
  if (ts->alone() && mutex->TryLockAlone()) return;
  if (ABSL_PREDICT_FALSE(!mutex->TryLock())) internal::LockMutexSlow(ts, mutex);
}
// By the thread that locked it. Plain Unlock is always right, too.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline void UnlockMutex(ThreadState* ts,
                                                     Mutex* mutex)
    ABSL_NO_THREAD_SAFETY_ANALYSIS {
  if (ts->alone()) return mutex->UnlockAlone();
  mutex->Unlock();
}

// Objects are locked and unlocked in different functions (scopes over a
// conditional pair, locks given up in a wait), which clang cannot follow: these
// three are outside its analysis, and debug builds check them instead.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline void LockObject(ThreadState* ts,
                                                    ObjectHeader* obj)
    ABSL_NO_THREAD_SAFETY_ANALYSIS {
  LockMutex(ts, &obj->mutex);
}
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool TryLockObject(ObjectHeader* obj)
    ABSL_NO_THREAD_SAFETY_ANALYSIS {
  return obj->mutex.TryLock();
}
ABSL_ATTRIBUTE_ALWAYS_INLINE inline void UnlockObject(ObjectHeader* obj)
    ABSL_NO_THREAD_SAFETY_ANALYSIS {
  obj->mutex.Unlock();
}

// LockObject for a scope.
class ObjectLock {
 public:
  ObjectLock(ThreadState* ts, ObjectHeader* obj) : ts_(ts), obj_(obj) {
    LockObject(ts, obj);
  }
  ~ObjectLock() { UnlockMutex(ts_, &obj_->mutex); }
  ObjectLock(const ObjectLock&) = delete;
  ObjectLock& operator=(const ObjectLock&) = delete;

 private:
  ThreadState* ts_;
  ObjectHeader* obj_;
};

// Must be destroyed in the reverse order of construction, by the same thread.
class CriticalSection {
 public:
  ABSL_ATTRIBUTE_ALWAYS_INLINE CriticalSection(ThreadState* ts,
                                               ObjectHeader* obj)
      : CriticalSection(ts, &obj->mutex, nullptr) {}
  ABSL_ATTRIBUTE_ALWAYS_INLINE ~CriticalSection() {
    if (first_ != nullptr) End();
  }
  CriticalSection(const CriticalSection&) = delete;
  CriticalSection& operator=(const CriticalSection&) = delete;

  // For ThreadState: gives up all locks of all sections of ts; takes those of
  // the innermost section again.
  static void SuspendAll(ThreadState* ts);
  static void ResumeInnermost(ThreadState* ts);

 protected:
  // `second` may be null. first < second in address.
  CriticalSection(ThreadState* ts, Mutex* first, Mutex* second)
      ABSL_NO_THREAD_SAFETY_ANALYSIS : ts_(ts) {
#if TIDEPOOL_DCHECK_IS_ON
    internal::CheckMayLock(ts);
#endif
    CriticalSection* outer = ts->critical_sections_;
    if (ABSL_PREDICT_FALSE(outer != nullptr && outer->Covers(first, second))) {
      return;
    }
    if (second == nullptr &&
        ((ts->alone() && first->TryLockAlone()) ||
         ABSL_PREDICT_TRUE(first->TryLock()))) {
      Enter(first, nullptr);
    } else {
      BeginSlow(first, second);
    }
  }

 private:
  bool Covers(const Mutex* first, const Mutex* second) const {
    return held_ && (first == first_ || first == second_) &&
           (second == nullptr || second == first_ || second == second_);
  }
  void Enter(Mutex* first, Mutex* second) {
    first_ = first;
    second_ = second;
    held_ = true;
    outer_ = ts_->critical_sections_;
    ts_->critical_sections_ = this;
  }
  ABSL_ATTRIBUTE_ALWAYS_INLINE void End() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    TP_DCHECK(ts_->critical_sections_ == this && held_);
    UnlockMutex(ts_, first_);
    if (second_ != nullptr) second_->Unlock();
    ts_->critical_sections_ = outer_;
    if (ABSL_PREDICT_FALSE(outer_ != nullptr && !outer_->held_)) {
      ResumeInnermost(ts_);
    }
  }
  void BeginSlow(Mutex* first, Mutex* second);
  void LockOwn();

  ThreadState* ts_;
  Mutex* first_ = nullptr;   // null: covered by the outer section
  Mutex* second_ = nullptr;
  CriticalSection* outer_ = nullptr;
  bool held_ = false;
};

class CriticalSection2 : public CriticalSection {
 public:
  CriticalSection2(ThreadState* ts, ObjectHeader* a, ObjectHeader* b)
      : CriticalSection(ts, a <= b ? &a->mutex : &b->mutex,
                        a == b ? nullptr : (a <= b ? &b->mutex : &a->mutex)) {}
};

}  // namespace tidepool

#endif  // TIDEPOOL_OBJECT_OBJECT_MUTEX_H_
