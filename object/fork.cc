// fork(): the isolate's part.
//
// The forking thread stops the world first, so every other thread is parked at
// a safepoint or in foreign code, and then takes all locks of the isolate in
// their order (weakrefs, orphans, spread counts, buckets, world, the heap's), so nobody else
// is in the middle of anything when the process is copied.
//
// In the child one thread is left. Waiters of the parking lot and the reader
// slots of the others are forgotten, and each state of a thread that does not
// exist is buried: the locks of its critical sections are released (the
// sections lie on its stack, which the child still has), its queue is merged,
// its lists of the dead are taken over, its pages are abandoned, and it leaves
// bucket and list. Its objects keep its id, as those of any thread that has
// gone. Stops that others had asked for are off.
//
// Limits: references on the stacks of the other threads are never dropped. A
// mutex that a thread had got but not yet noted, on its way back from a wait,
// stays locked (a window of two instructions). Hooks are the embedder's: a
// collector has its own PrepareFork, which comes before this one.
#include <new>

#include "tidepool/base/check.h"
#include "tidepool/base/parking_lot.h"
#include "tidepool/object/isolate.h"
#include "tidepool/object/object_mutex.h"

namespace tidepool {

void Isolate::PrepareFork(ThreadState* ts) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  StopTheWorld(ts);
  weakrefs_.LockAll();
  orphan_mutex_.Lock();
  spread_.LockAll();
  merge_table_.LockAll();
  world_mutex_.Lock();
  heap_->PrepareFork();
}

void Isolate::UnlockAfterFork() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  world_mutex_.Unlock();
  merge_table_.UnlockAll();
  spread_.UnlockAll();
  orphan_mutex_.Unlock();
  weakrefs_.UnlockAll();
}

void Isolate::ParentAfterFork(ThreadState* ts) {
  heap_->ParentAfterFork();
  UnlockAfterFork();
  StartTheWorld(ts);
}

void Isolate::ChildAfterFork(ThreadState* ts) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  // Before any unlock looks for somebody to wake.
  ParkingLot::ResetAfterFork();
  heap_->qsbr().DetachOthersAfterFork(ts->heap_->qsbr_slot());
  heap_->ChildAfterFork();
  new (&arrived_) CondVar(0);
  new (&turn_) CondVar(0);
  UnlockAfterFork();
  for (ThreadState* other = threads_; other != nullptr;) {
    ThreadState* next = other->next_;
    if (other != ts) BuryThread(other, ts);
    other = next;
  }
  TP_CHECK(thread_count() == 1);
  // Nobody waits for a turn any more.
  last_turn_ = next_turn_;
  StartTheWorld(ts);
}

void Isolate::BuryThread(ThreadState* ts, ThreadState* self)
    ABSL_NO_THREAD_SAFETY_ANALYSIS {
  CriticalSection::SuspendAll(ts);
  if (ts->mutex_on_the_way_ != nullptr) ts->mutex_on_the_way_->Unlock();
  merge_table_.MergeAll(ts, self, self->dead_);
  self->dead_.TakeAll(ts->dead_);
  self->dead_.TakeAll(ts->trash_);
  self->RequestBreak(kBreakDead);
  const bool gone = merge_table_.UnregisterIfEmpty(ts);
  TP_CHECK(gone);
  spread_.FoldThread(ts->spread_counts_);
  heap_->ExitThread(ts->heap_);
  ts->awaited_ = false;
  UnlinkThread(ts);
  delete ts;
}

}  // namespace tidepool
