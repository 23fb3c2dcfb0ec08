// LoadRef: a reference out of a shared slot, without a lock.
//
// How: load the pointer (acquire), TryIncref through the header, check that
// the slot still holds the pointer. The object may die and its block be used
// again between any two of these steps; what is there is always a header or
// zeros, so TryIncref does no harm, and the re-check tells whether the
// reference is the one that was asked for. tests/models has the proof.
//
// A slot inside an array that its container may replace needs one more check:
// after a resize the old array still holds its old pointers, so the slot alone
// would pass although the item left the container long ago. The address of the
// array cannot come back meanwhile, because old arrays wait in limbo.
//
// False means "not this way": take the container's mutex and use
// LoadRefLocked. That happens when the slot changed, when the array was
// replaced, and when the object is alive but not marked maybe-weakref yet (then
// LoadRefLocked marks it, and the next reader needs no lock). There is no loop
// in the array version; callers that want one reload the container's pointer.
//
// Between the first load and the re-check the thread passes no safepoint, lock
// or free (the functions see to it). A reference that has to be dropped again
// never deallocates here: the object goes to the thread's dead list.
#ifndef TIDEPOOL_OBJECT_LOAD_REF_H_
#define TIDEPOOL_OBJECT_LOAD_REF_H_

#include <cstdint>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/mutant.h"
#include "tidepool/object/refcount.h"
#include "tidepool/object/type_info.h"

namespace tidepool {

namespace internal {
bool LoadRefRetry(ThreadState* ts, const Slot& slot, uintptr_t* out);
void DropStray(ThreadState* ts, ObjectHeader* obj);
}  // namespace internal

// One try. On true *out is 0, a tagged value, or an object with a new
// reference that the caller owns.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool TryLoadRefOnce(ThreadState* ts,
                                                        const Slot& slot,
                                                        uintptr_t* out) {
  // Acquire: pairs with the release store that published the object. Without
  // it an older tid of this very thread could be seen in the header.
  const uintptr_t value = slot.load(kAcquire);
  *out = value;
  if (!IsObject(value)) return true;
  ObjectHeader* obj = AsObject(value);
  if (ABSL_PREDICT_FALSE(!TryIncref(obj))) return false;
  // Acquire: the body was written after the header; pairs with the same store.
  if (ABSL_PREDICT_TRUE(slot.load(kAcquire) == value) ||
      TIDEPOOL_MUTANT(load_ref_no_recheck)) {
    return true;
  }
  internal::DropStray(ts, obj);
  return false;
}

// For a slot that stays in its place (a field of an object that the caller
// holds, a cell, a weakref's target). Tries a few times.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool LoadRef(ThreadState* ts,
                                                 const Slot& slot,
                                                 uintptr_t* out) {
  if (ABSL_PREDICT_TRUE(TryLoadRefOnce(ts, slot, out))) return true;
  return internal::LoadRefRetry(ts, slot, out);
}

// For a slot in `array`, which was loaded (acquire) from `container`. A null
// in the slot counts as "changed" if `null_is_change` (arrays whose freed
// storage may be zeroed under memory pressure).
template <class A>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool LoadRefFromArray(
    ThreadState* ts, const Slot& slot, const Atomic<A*>& container,
    A* array, uintptr_t* out, bool null_is_change = true) {
  const uintptr_t value = slot.load(kAcquire);  // as in TryLoadRefOnce
  *out = value;
  if (!IsObject(value)) {
    if (value == 0 && null_is_change) return false;
    // The value was in the array when it was read; was the array still the
    // container's? Acquire: pairs with the release that replaced it.
    return container.load(kAcquire) == array;
  }
  ObjectHeader* obj = AsObject(value);
  if (ABSL_PREDICT_FALSE(!TryIncref(obj))) return false;
  if (ABSL_PREDICT_TRUE(slot.load(kAcquire) == value &&
                        (container.load(kAcquire) == array ||
                         TIDEPOOL_MUTANT(load_ref_no_array_recheck)))) {
    return true;
  }
  internal::DropStray(ts, obj);
  return false;
}

// With the container's mutex held (or the container not shared): always
// works, and marks the object so that later readers need no lock.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline uintptr_t LoadRefLocked(const Slot& slot) {
  // Relaxed: the mutex orders it.
  const uintptr_t value = slot.load(kRelaxed);
  if (IsObject(value)) IncrefMaybeWeakref(AsObject(value));
  return value;
}

// Writing, with the container's mutex held or the container not yet shared.
// The slot takes the caller's reference over; the old value's reference goes
// to the caller, who drops it after the unlock, when the container is whole.
inline uintptr_t ExchangeSlotLocked(Slot& slot, uintptr_t value) {
  const uintptr_t old = slot.load(kRelaxed);  // the mutex orders writers
  slot.store(value, kRelease);  // pairs with the readers' acquire loads
  return old;
}
// Without a lock.
inline uintptr_t ExchangeSlot(Slot& slot, uintptr_t value) {
  // acq_rel: release as above; acquire because the old value is now ours.
  return slot.exchange(value, kAcqRel);
}

}  // namespace tidepool

#endif  // TIDEPOOL_OBJECT_LOAD_REF_H_
