// ThreadStateAccess: the private parts of ThreadState and Isolate that the
// files of this layer share (refcount.cc, dealloc.cc, merge_queue.cc, tests).
// Outside object/ only the C API's layout includes it.
#ifndef TIDEPOOL_OBJECT_INTERNAL_STATE_ACCESS_H_
#define TIDEPOOL_OBJECT_INTERNAL_STATE_ACCESS_H_

#include <cstddef>

#include "tidepool/object/isolate.h"
#include "tidepool/object/thread_state.h"

namespace tidepool {

struct ThreadStateAccess {
  // For code generators (api/tidepool_layout.h).
  static constexpr size_t kBreakerOffset = offsetof(ThreadState, breaker_);
  static Atomic<uint32_t>& state(ThreadState* ts) { return ts->state_; }
  // In a stop: it waits to be attached.
  static bool IsWaiting(ThreadState* ts) {
    return (ts->state_.load(kRelaxed) & ThreadState::kWaiting) != 0;
  }
  static Atomic<uint32_t>& breaker(ThreadState* ts) { return ts->breaker_; }
  static DeadList& trash(ThreadState* ts) { return ts->trash_; }
  static DeadList& dead(ThreadState* ts) { return ts->dead_; }
  static uint32_t& dealloc_depth(ThreadState* ts) { return ts->dealloc_depth_; }
  static MergeQueue& queue(ThreadState* ts) { return ts->queue_; }
  static Mutex*& mutex_on_the_way(ThreadState* ts) {
    return ts->mutex_on_the_way_;
  }
  static Event& resume(ThreadState* ts) { return ts->resume_; }
  static void DetachFromWorld(ThreadState* ts) { ts->DetachFromWorld(); }
  static void AttachToWorld(ThreadState* ts) { ts->AttachToWorld(); }
  static Mutex& world_mutex(Isolate* isolate) { return isolate->world_mutex_; }
  static void ReportDetached(ThreadState* ts) {
    ts->isolate()->ReportDetached(ts);
  }
  static void NoteLost(ThreadState* self) {
    // Relaxed: a hint to MergeAllQueues, which runs in a stop.
    self->isolate()->lost_objects_.store(1, kRelaxed);
    self->RequestBreak(kBreakLost);
  }
};

namespace internal {

// One reference goes. True if the object is dead now and the caller's to
// deallocate or to list. Runs nothing.
bool DropRef(ThreadState* ts, ObjectHeader* obj);

// The object is dead: finalizer, weakrefs, type->dealloc. World running.
void DeallocObject(ThreadState* ts, ObjectHeader* obj);

// The object is dead and nothing may be run now.
void PushDead(ThreadState* ts, ObjectHeader* obj);

// A reference was dropped that nobody had: says so, with the type's name if it is known
// (freed_types.h). Fatal in debug builds. May be called with a bucket's lock held.
void ReportDeadDrop(const ObjectHeader* obj);

// The words of an immortal object. The caller is the owner or the owner cannot
// run, or there is none.
void MakeImmortal(ObjectHeader* obj);

}  // namespace internal
}  // namespace tidepool

#endif  // TIDEPOOL_OBJECT_INTERNAL_STATE_ACCESS_H_
