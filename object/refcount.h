// Biased reference counts: the operations.
//
// The owner counts in `local` with plain loads and stores; everybody else
// counts in `shared`. The state table and the invariants stand in header.h,
// the slow paths in refcount.cc, the queues between threads in merge_queue.h.
//
// Cost: owner, three instructions and a compare; others, one atomic
// read-modify-write. Incref never fails and never waits. Decref may run
// finalizers and deallocations, so it must not be called with a borrowed
// pointer into shared memory (an array read without its lock) that is used
// afterwards. A drop by a thread that does not own the object:
//   - owner running: queued to it; it merges at its next safepoint;
//   - owner blocked (detached) or gone, or stopped: merged here, at once.
// A drop of a reference that nobody had, of an object that is dead and whose block was not
// handed out again: fatal in debug builds, else refused and reported as the option bad_free
// says (kDeadReference of hardening.h; what is found where: docs/hardening.md).
// Out of memory while queueing: the object stays marked as queued and a stop
// is asked for that finds it (Isolate::MergeLostObjects), so nothing is lost.
//
// All functions need an attached thread, except where said.
#ifndef TIDEPOOL_OBJECT_REFCOUNT_H_
#define TIDEPOOL_OBJECT_REFCOUNT_H_

#include <cstdint>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "tidepool/base/check.h"
#include "tidepool/base/thread_id.h"
#include "tidepool/object/header.h"
#include "tidepool/object/type_info.h"

namespace tidepool {

class ThreadState;

namespace internal {
// local is at kLocalLimit: moves half to the shared word, counts one more.
void IncrefSpill(ObjectHeader* obj);
// local has just become 0; or UINT32_MAX: the object is dead (ReportDeadDrop).
void DecrefLocalZero(ThreadState* ts, ObjectHeader* obj);
void DecrefShared(ThreadState* ts, ObjectHeader* obj);
bool TryIncrefShared(ObjectHeader* obj);
// local >= kSpreadBase: nothing for an immortal object, else one more or less
// in this thread's table (spread.h). Without a table, the shared word.
void CountSpecial(ObjectHeader* obj, int64_t delta);
// As Decref by a thread that is not the owner, but what dies goes to the
// thread's dead list: no deallocation, no safepoint, no wait.
void DecrefNoDealloc(ThreadState* ts, ObjectHeader* obj);
}  // namespace internal

// Relaxed everywhere: local is the owner's own; immortality is for ever.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool IsImmortal(const ObjectHeader* obj) {
  return obj->local.load(kRelaxed) == kImmortalLocal;
}

// Immortal or spread: no other thread's count of it is looked at.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool IsSpecial(const ObjectHeader* obj) {
  return obj->local.load(kRelaxed) >= kSpreadBase;
}
inline bool IsSpread(const ObjectHeader* obj) {
  return IsSpreadLocal(obj->local.load(kRelaxed));
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool IsOwnedByMe(const ObjectHeader* obj) {
  // Relaxed: the tid is mine only if I stored it, or somebody did while I was
  // stopped or held; any other value just means "not mine".
  return obj->tid.load(kRelaxed) == CurrentTid();
}

// The caller holds a reference (or the container's lock that keeps one).
ABSL_ATTRIBUTE_ALWAYS_INLINE inline void Incref(ObjectHeader* obj) {
  if (ABSL_PREDICT_TRUE(IsOwnedByMe(obj))) {
    const uint32_t local = obj->local.load(kRelaxed);
    if (ABSL_PREDICT_FALSE(local >= kLocalLimit)) {
      internal::IncrefSpill(obj);
      return;
    }
    obj->local.store(local + 1, kRelaxed);
    return;
  }
  if (IsSpecial(obj)) {
    if (!IsImmortal(obj)) internal::CountSpecial(obj, 1);
    return;
  }
  // Relaxed (S3): a reference is held.
  obj->shared.fetch_add(kRefOne, kRelaxed);
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline void Decref(ThreadState* ts,
                                                ObjectHeader* obj) {
  if (ABSL_PREDICT_TRUE(IsOwnedByMe(obj))) {
    const uint32_t local = obj->local.load(kRelaxed);
    obj->local.store(local - 1, kRelaxed);
    // 0: it is dead already.
    if (ABSL_PREDICT_FALSE(local <= 1)) internal::DecrefLocalZero(ts, obj);
    return;
  }
  if (IsSpecial(obj)) {
    if (!IsImmortal(obj)) internal::CountSpecial(obj, -1);
    return;
  }
  internal::DecrefShared(ts, obj);
}

// For values from slots: nothing is done for 0 and tagged values.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline void IncrefValue(uintptr_t value) {
  if (IsObject(value)) Incref(AsObject(value));
}
ABSL_ATTRIBUTE_ALWAYS_INLINE inline void DecrefValue(ThreadState* ts,
                                                     uintptr_t value) {
  if (IsObject(value)) Decref(ts, AsObject(value));
}

// A reference to an object to which none is held, only a pointer that some
// shared slot had a moment ago (rule: since then no safepoint, lock or free).
// False if the word is exactly 0 or 3: dead, or plain and nobody may yet see
// it without a lock. True says nothing about which object it is: the caller
// checks the slot again (load_ref.h does all of it).
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool TryIncref(ObjectHeader* obj) {
  if (IsOwnedByMe(obj)) {
    const uint32_t local = obj->local.load(kRelaxed);
    if (ABSL_PREDICT_FALSE(local >= kLocalLimit)) {
      internal::IncrefSpill(obj);
      return true;
    }
    obj->local.store(local + 1, kRelaxed);
    return true;
  }
  if (IsSpecial(obj)) {
    // A spread object cannot die before this thread's next safepoint.
    if (!IsImmortal(obj)) internal::CountSpecial(obj, 1);
    return true;
  }
  return internal::TryIncrefShared(obj);
}

// Lets TryIncref succeed on an object that is only counted by its owner. The
// caller holds a reference; before the publication to lock-free readers, or
// under the container's lock.
void SetMaybeWeakref(ObjectHeader* obj);

// As Incref + SetMaybeWeakref in one step, for a holder of the container's
// lock that wants later readers to need none.
void IncrefMaybeWeakref(ObjectHeader* obj);

// True if the caller's is the only reference and nobody can get another one
// behind its back: owned by this thread, local 1, the shared word exactly 0.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool IsUniquelyReferenced(
    const ObjectHeader* obj) {
  // Acquire: pairs with the release of the foreign drops (S5) that brought the
  // word back to 0.
  return IsOwnedByMe(obj) && obj->local.load(kRelaxed) == 1 &&
         obj->shared.load(kAcquire) == 0;
}
// The same, and takes a maybe-weakref mark back if that is all that is in the
// way and there is no weakref. Only if no lock-free reader can still find the
// object in a slot; a stale one fails and looks again.
bool TryMakeUnique(ObjectHeader* obj);

// For ever. The caller holds a reference. If the object belongs to another
// running thread, that one does it at its next safepoint.
void SetImmortal(ThreadState* ts, ObjectHeader* obj);

// Gives ownership up: merged from now on, so whoever drops the last reference
// frees the object at once instead of asking this thread. For things handed to
// another thread for good. The caller holds a reference; nothing happens if it
// is not the owner.
void Disown(ObjectHeader* obj);

// Deferred counting, for gc types: the mark for objects that many threads use
// at once (functions, classes, modules; any that a program knows to be hot).
// Counts stay right but only the collector frees the object, so it can be
// borrowed from a stack between two safepoints, and each thread counts it in a
// table of its own, without a contended word (spread.h).
// The caller holds a reference (or the world is stopped). If another thread owns
// the object the world is stopped for it, so it is a safepoint then. False if it
// was deferred already.
bool SetDeferred(ThreadState* ts, ObjectHeader* obj);
// Takes it back: counted as others are, and dies at zero. The caller holds a
// reference (or the world is stopped). Stops the world if the object is spread, so
// it is a safepoint, at which nothing may be borrowed. False if it was not deferred.
bool ClearDeferred(ThreadState* ts, ObjectHeader* obj);
inline bool IsDeferred(const ObjectHeader* obj) {
  return (obj->gc_bits.load(kRelaxed) & kGcDeferred) != 0;
}

// local + shared count, biases included; for tests, tools and the collector.
// Exact only during a stop or for the only thread. INT64_MAX if immortal. Of a
// spread object, what running threads hold is not known: only the caller's and
// what was folded at the last collection.
int64_t RawRefCount(const ObjectHeader* obj);
// Without the deferred bias.
int64_t RefCount(const ObjectHeader* obj);

// The state "dead" of header.h. Only meaningful for somebody who knows that
// the block is no live object of another running thread (tests, stops).
inline bool IsDeadHeader(const ObjectHeader* obj) {
  return obj->local.load(kRelaxed) == 0 &&
         IsDeadWord(obj->shared.load(kRelaxed));
}

}  // namespace tidepool

#endif  // TIDEPOOL_OBJECT_REFCOUNT_H_
