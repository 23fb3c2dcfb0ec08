// See weakref.h.
#include "tidepool/object/weakref.h"

#include <cstring>

#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"
#include "tidepool/object/internal/state_access.h"
#include "tidepool/object/isolate.h"
#include "tidepool/object/load_ref.h"
#include "tidepool/object/object.h"
#include "tidepool/object/refcount.h"

namespace tidepool {
namespace {

// All list operations: the lock of the target is held.

bool HasCallback(const WeakRef* ref) {
  // Relaxed: set before the weakref is listed; emptied after it is unlisted.
  return ref->callback.load(kRelaxed) != 0;
}

// The existing weakref without callback of that type, with a new reference.
WeakRef* FindPlainLocked(ObjectHeader* target, const TypeInfo* type) {
  WeakRef* ref = WeakRefHead(target).load(kRelaxed);  // the lock orders it
  for (; ref != nullptr && !HasCallback(ref); ref = ref->next.load(kRelaxed)) {
    // It may be dying; then it waits for the lock to unlist itself.
    if (ref->type() == type && TryIncref(ref)) return ref;
  }
  return nullptr;
}

void InsertLocked(ObjectHeader* target, WeakRef* ref) {
  Atomic<WeakRef*>& head = WeakRefHead(target);
  WeakRef* before = nullptr;
  WeakRef* after = head.load(kRelaxed);
  if (HasCallback(ref)) {  // after those without
    while (after != nullptr && !HasCallback(after)) {
      before = after;
      after = after->next.load(kRelaxed);
    }
  }
  ref->prev.store(before, kRelaxed);
  ref->next.store(after, kRelaxed);
  if (after != nullptr) after->prev.store(ref, kRelaxed);
  if (before != nullptr) {
    before->next.store(ref, kRelaxed);
  } else {
    head.store(ref, kRelease);  // pairs with HasWeakRefs
  }
}

void RemoveLocked(ObjectHeader* target, WeakRef* ref) {
  WeakRef* before = ref->prev.load(kRelaxed);
  WeakRef* after = ref->next.load(kRelaxed);
  if (before != nullptr) {
    before->next.store(after, kRelaxed);
  } else {
    WeakRefHead(target).store(after, kRelease);  // pairs with HasWeakRefs
  }
  if (after != nullptr) after->prev.store(before, kRelaxed);
  ref->next.store(nullptr, kRelaxed);
  ref->prev.store(nullptr, kRelaxed);
}

}  // namespace

WeakRef* NewWeakRef(ThreadState* ts, const TypeInfo* type, ObjectHeader* target,
                    uintptr_t callback, size_t size) {
  TP_DCHECK(SupportsWeakRefs(target->type()));
  TP_DCHECK((type->flags & kTypeWeakRef) != 0);
  // Before anything that leads to the target without a reference exists.
  SetMaybeWeakref(target);
  Mutex& mutex = ts->isolate()->weakrefs().LockOf(target);
  if (callback == 0) {
    MutexLock lock(&mutex);
    if (WeakRef* found = FindPlainLocked(target, type)) return found;
  }
  if (size == 0) size = type->basic_size;
  TP_DCHECK(size >= sizeof(WeakRef));
  ObjectHeader* obj = NewObjectZeroed(ts, type, size);
  if (obj == nullptr) return nullptr;
  WeakRef* ref = static_cast<WeakRef*>(obj);
  IncrefValue(callback);
  // Relaxed: nobody has the weakref yet; the lock publishes it.
  ref->callback.store(callback, kRelaxed);
  ref->hash.store(-1, kRelaxed);
  ref->target.store(AsValue(target), kRelaxed);
  WeakRef* found = nullptr;
  {
    MutexLock lock(&mutex);
    if (callback == 0) found = FindPlainLocked(target, type);
    if (found == nullptr) {
      SetMaybeWeakref(ref);  // others find it in the list
      InsertLocked(target, ref);
    }
  }
  if (found != nullptr) {
    AbandonNew(ts, ref);
    return found;
  }
  if ((type->flags & kTypeGc) != 0) Track(ref);
  return ref;
}

ObjectHeader* GetWeakRefTarget(ThreadState* ts, WeakRef* ref) {
  // As LoadRef; the slot changes once at most, to null, and a target that
  // cannot be counted is dying.
  // Acquire: pairs with whatever gave us the weakref; see TryLoadRefOnce.
  const uintptr_t value = ref->target.load(kAcquire);
  if (value == 0) return nullptr;
  ObjectHeader* target = AsObject(value);
  if (!TryIncref(target)) return nullptr;
  // Acquire: pairs with the release in DetachWeakRefs, which comes before the
  // block is freed and so before it is anything else.
  if (ref->target.load(kAcquire) == value || TIDEPOOL_MUTANT(weakref_no_recheck))
    return target;
  internal::DropStray(ts, target);
  return nullptr;
}

bool IsWeakRefDead(const WeakRef* ref) {
  const uintptr_t value = ref->target.load(kAcquire);
  if (value == 0) return true;
  // What is there is the target's header, or (if it has just been freed) a
  // dead one or a stranger's; then the slot is null by now.
  const bool dead = IsDeadWord(AsObject(value)->shared.load(kRelaxed));
  return dead || ref->target.load(kAcquire) != value;
}

size_t WeakRefCount(ThreadState* ts, ObjectHeader* obj) {
  if (!SupportsWeakRefs(obj->type())) return 0;
  MutexLock lock(&ts->isolate()->weakrefs().LockOf(obj));
  size_t count = 0;
  WeakRef* ref = WeakRefHead(obj).load(kRelaxed);
  for (; ref != nullptr; ref = ref->next.load(kRelaxed)) ++count;
  return count;
}

size_t GetWeakRefs(ThreadState* ts, ObjectHeader* obj, WeakRef** out,
                   size_t max) {
  if (!SupportsWeakRefs(obj->type())) return 0;
  MutexLock lock(&ts->isolate()->weakrefs().LockOf(obj));
  size_t count = 0;
  WeakRef* ref = WeakRefHead(obj).load(kRelaxed);
  for (; ref != nullptr && count < max; ref = ref->next.load(kRelaxed)) {
    if (TryIncref(ref)) out[count++] = ref;
  }
  return count;
}

size_t DetachWeakRefs(Isolate* isolate, ObjectHeader* obj,
                      WeakCallbackList* out, bool (*want)(WeakRef*, void*),
                      void* arg) {
  if (!SupportsWeakRefs(obj->type())) return 0;
  MutexLock lock(&isolate->weakrefs().LockOf(obj));
  WeakRef* ref = WeakRefHead(obj).load(kRelaxed);
  WeakRefHead(obj).store(nullptr, kRelease);  // pairs with HasWeakRefs
  size_t count = 0;
  while (ref != nullptr) {
    WeakRef* next = ref->next.load(kRelaxed);
    const bool run = HasCallback(ref) && (want == nullptr || want(ref, arg)) &&
                     TryIncref(ref);
    ref->prev.store(nullptr, kRelaxed);
    ref->next.store(nullptr, kRelaxed);
    if (run) {
      if (out->tail_ != nullptr) {
        out->tail_->next.store(ref, kRelaxed);
      } else {
        out->head_ = ref;
      }
      out->tail_ = ref;
    }
    // Release, last: a dying weakref that finds null (acquire) frees itself
    // without the lock. Also pairs with the re-check in GetWeakRefTarget.
    ref->target.store(0, kRelease);
    ref = next;
    ++count;
  }
  return count;
}

void RunWeakCallbacks(ThreadState* ts, WeakCallbackList* list) {
  const IsolateHooks& hooks = ts->isolate()->hooks();
  while (list->head_ != nullptr) {
    WeakRef* ref = list->head_;
    list->head_ = ref->next.load(kRelaxed);
    if (list->head_ == nullptr) list->tail_ = nullptr;
    ref->next.store(nullptr, kRelaxed);
    // acq_rel: whoever takes it (this, or clear) owns the reference.
    const uintptr_t callback = ref->callback.exchange(0, kAcqRel);
    if (callback != 0) {
      if (hooks.weakref_callback != nullptr) {
        hooks.weakref_callback(ts, ref, callback, hooks.weakref_arg);
      }
      DecrefValue(ts, callback);
    }
    Decref(ts, ref);
  }
}

void ClearWeakRefs(ThreadState* ts, ObjectHeader* obj) {
  WeakCallbackList list;
  DetachWeakRefs(ts->isolate(), obj, &list);
  RunWeakCallbacks(ts, &list);
}

int TraverseWeakRef(ObjectHeader* obj, Visitor visit, void* arg) {
  return VisitSlot(static_cast<WeakRef*>(obj)->callback, visit, arg);
}

void FinishWeakRef(ThreadState* ts, WeakRef* ref) {
  for (;;) {
    // Acquire: pairs with the last store in DetachWeakRefs.
    const uintptr_t value = ref->target.load(kAcquire);
    if (value == 0) break;
    ObjectHeader* target = AsObject(value);
    MutexLock lock(&ts->isolate()->weakrefs().LockOf(target));
    // Relaxed: changed under the lock only.
    if (ref->target.load(kRelaxed) != value) continue;
    // Listed, so the target's death has not come past this lock yet.
    RemoveLocked(target, ref);
    ref->target.store(0, kRelease);
    break;
  }
  DecrefValue(ts, ref->callback.exchange(0, kAcqRel));
}

void ClearWeakRef(ThreadState* ts, ObjectHeader* obj) {
  FinishWeakRef(ts, static_cast<WeakRef*>(obj));
}

void DeallocWeakRef(ThreadState* ts, ObjectHeader* obj) {
  FinishWeakRef(ts, static_cast<WeakRef*>(obj));
  FreeObject(ts, obj);
}

}  // namespace tidepool
