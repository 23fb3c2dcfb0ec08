// See object_mutex.h.
#include "tidepool/object/object_mutex.h"

#include "tidepool/base/mutant.h"
#include "tidepool/base/spin.h"
#include "tidepool/object/internal/state_access.h"
#include "tidepool/object/isolate.h"

namespace tidepool {
namespace internal {

void CheckMayLock(ThreadState* ts) {
  TP_CHECK(ts->attached());
  TP_CHECK(!ts->isolate()->StoppedBy(ts));  // rule: no object mutex in a stop
}

void LockMutexSlow(ThreadState* ts, Mutex* mutex)
    ABSL_NO_THREAD_SAFETY_ANALYSIS {
  // Sections are short: a moment of spinning mostly saves the detach, which
  // costs more than the section. Bounded, for the holder may be descheduled.
  for (int i = 0; i < 40; ++i) {
    if (!mutex->IsLocked() && mutex->TryLock()) return;
    SpinPause();
  }
  ts->DetachForLock();
  mutex->Lock();
  // Attaching may wait for a stop with the mutex held: nobody takes object
  // mutexes in a stop, so that is no different from being parked in one.
  ThreadStateAccess::mutex_on_the_way(ts) = mutex;
  ts->Attach();
  ThreadStateAccess::mutex_on_the_way(ts) = nullptr;
}

}  // namespace internal

void CriticalSection::BeginSlow(Mutex* first, Mutex* second) {
  // On the stack of sections, but not held: if this thread has to wait, only
  // the sections outside this one have anything to give up.
  first_ = first;
  second_ = second;
  held_ = false;
  outer_ = ts_->critical_sections_;
  ts_->critical_sections_ = this;
  LockOwn();
}

void CriticalSection::LockOwn() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  TP_DCHECK(!held_);
  if (first_->TryLock()) {
    if (second_ == nullptr || second_->TryLock()) {
      held_ = true;
      return;
    }
    first_->Unlock();
  } else if (second_ == nullptr) {
    // As in LockMutexSlow. Sections further out stay locked for this moment.
    for (int i = 0; i < 40; ++i) {
      if (!first_->IsLocked() && first_->TryLock()) {
        held_ = true;
        return;
      }
      SpinPause();
    }
  }
  ts_->DetachForLock();
  // Address order; whoever waits here holds nothing else.
  first_->Lock();
  if (second_ != nullptr) second_->Lock();
  // Before the attach, which would take the innermost section's locks.
  held_ = true;
  ts_->Attach();
}

void CriticalSection::SuspendAll(ThreadState* ts)
    ABSL_NO_THREAD_SAFETY_ANALYSIS {
  if (TIDEPOOL_MUTANT(cs_keep_locks)) return;
  // Sections further out are held only if they have not been given up by an
  // earlier wait.
  for (CriticalSection* cs = ts->critical_sections_; cs != nullptr;
       cs = cs->outer_) {
    if (!cs->held_) continue;
    cs->held_ = false;
    cs->first_->Unlock();
    if (cs->second_ != nullptr) cs->second_->Unlock();
  }
}

void CriticalSection::ResumeInnermost(ThreadState* ts) {
  CriticalSection* cs = ts->critical_sections_;
  if (cs != nullptr && !cs->held_) cs->LockOwn();
}

}  // namespace tidepool
