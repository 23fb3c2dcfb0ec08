// Weak references.
//
// A WeakRef is an object that names another one (its target) without counting
// it. The target has the head of a list of its weakrefs at type->weakref_offset;
// the list is guarded by one of a few locks of the isolate, chosen by the
// target's address. The target's death (or the collector) clears the list:
// under the lock every weakref's target becomes null and it leaves the list.
//
// Promotion (GetWeakRefTarget) takes no lock: it is LoadRef on the `target`
// slot. The slot is null before the target's block is freed, dead memory is
// headers or zeros, and a target has been marked maybe-weakref, so a failed
// TryIncref means that it is dying: the answer is null, never a dying object.
// A finalizer that runs by count sees its object's weakrefs working.
//
// Order in the list: weakrefs without callback first (there is at most one per
// WeakRef type; NewWeakRef gives it out again), then those with a callback,
// newest first. Callbacks run with the world running, no locks held, newest to
// oldest, each only if its weakref is still alive, with `callback` already
// emptied.
//
// A weakref that dies takes itself off the list. WeakRef types have flag
// kTypeWeakRef; an embedder's type may be larger (fields after WeakRef's) and
// its dealloc ends with DeallocWeakRef. Without a dealloc of its own that is
// what is called.
#ifndef TIDEPOOL_OBJECT_WEAKREF_H_
#define TIDEPOOL_OBJECT_WEAKREF_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/base/atomic.h"
#include "tidepool/base/mutex.h"
#include "tidepool/object/header.h"
#include "tidepool/object/type_info.h"

namespace tidepool {

class Isolate;
class ThreadState;

struct WeakRef : ObjectHeader {
  Slot target;          // an object or 0; not counted
  Slot callback;        // counted value or 0
  Atomic<int64_t> hash; // the embedder's; -1 is "not computed"
  // Guarded by the lock of the target; of a weakref that left the list: owned
  // by a WeakCallbackList, or null.
  Atomic<WeakRef*> next;
  Atomic<WeakRef*> prev;
};

// The locks.
class WeakRefTable {
 public:
  static constexpr size_t kLocks = 64;
  Mutex& LockOf(const ObjectHeader* target) {
    const uintptr_t a = reinterpret_cast<uintptr_t>(target);
    return locks_[((a >> 5) ^ (a >> 12)) % kLocks].mutex;
  }
  // Around fork().
  void LockAll() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    for (Padded& lock : locks_) lock.mutex.Lock();
  }
  void UnlockAll() ABSL_NO_THREAD_SAFETY_ANALYSIS {
    for (Padded& lock : locks_) lock.mutex.Unlock();
  }

 private:
  struct alignas(64) Padded {
    Mutex mutex{0};
  };
  Padded locks_[kLocks];
};

// Weakrefs (with a reference to each) whose callbacks are to be run; needs no
// memory. Empty it with RunWeakCallbacks.
class WeakCallbackList {
 public:
  bool empty() const { return head_ == nullptr; }

 private:
  friend size_t DetachWeakRefs(Isolate* isolate, ObjectHeader* obj,
                               WeakCallbackList* out,
                               bool (*want)(WeakRef*, void*), void* arg);
  friend void RunWeakCallbacks(ThreadState* ts, WeakCallbackList* list);
  WeakRef* head_ = nullptr;
  WeakRef* tail_ = nullptr;
};

inline bool SupportsWeakRefs(const TypeInfo* type) {
  return type->weakref_offset != 0;
}
inline Atomic<WeakRef*>& WeakRefHead(ObjectHeader* obj) {
  return *reinterpret_cast<Atomic<WeakRef*>*>(reinterpret_cast<char*>(obj) +
                                              obj->type()->weakref_offset);
}
// True if a weakref exists. A hint unless the world is stopped or the caller
// has the only reference.
inline bool HasWeakRefs(ObjectHeader* obj) {
  return SupportsWeakRefs(obj->type()) &&
         // Acquire: pairs with the release store of the list head.
         WeakRefHead(obj).load(kAcquire) != nullptr;
}

// A new reference to a WeakRef of `type` (size 0: type->basic_size) to
// `target`, to which the caller holds a reference and whose type supports it.
// `callback` is 0 or a value whose reference is borrowed. Without a callback
// the existing one of that type is returned. A new one has the fields after
// WeakRef's zeroed and is tracked if its type is a gc type. Null: no memory.
WeakRef* NewWeakRef(ThreadState* ts, const TypeInfo* type, ObjectHeader* target,
                    uintptr_t callback, size_t size = 0);

// A new reference to the target, or null if it is dead or dying.
ObjectHeader* GetWeakRefTarget(ThreadState* ts, WeakRef* ref);
// True if GetWeakRefTarget would have given null a moment ago.
bool IsWeakRefDead(const WeakRef* ref);

// Number of weakrefs to obj.
size_t WeakRefCount(ThreadState* ts, ObjectHeader* obj);
// New references to up to `max` of them, in list order; returns how many.
size_t GetWeakRefs(ThreadState* ts, ObjectHeader* obj, WeakRef** out,
                   size_t max);

// Clears all weakrefs of obj. Those with a callback for which `want` is true
// (null: all) and which are alive are put on `out` in list order (newest
// first) with a reference; the others keep their callback till they die. For
// the collector in a stop (headers restored) and for deallocation. Returns how
// many were cleared.
size_t DetachWeakRefs(Isolate* isolate, ObjectHeader* obj,
                      WeakCallbackList* out,
                      bool (*want)(WeakRef*, void*) = nullptr,
                      void* arg = nullptr);
// World running. Each callback goes through hooks.weakref_callback.
void RunWeakCallbacks(ThreadState* ts, WeakCallbackList* list);
// Both.
void ClearWeakRefs(ThreadState* ts, ObjectHeader* obj);

// For embedders' types, all in the manner of type functions.
int TraverseWeakRef(ObjectHeader* obj, Visitor visit, void* arg);
void ClearWeakRef(ThreadState* ts, ObjectHeader* obj);
// Takes it off its list, drops the callback.
void FinishWeakRef(ThreadState* ts, WeakRef* ref);
// FinishWeakRef and FreeObject.
void DeallocWeakRef(ThreadState* ts, ObjectHeader* obj);

}  // namespace tidepool

#endif  // TIDEPOOL_OBJECT_WEAKREF_H_
