// The C API: slots, arrays of slots, the lock in every object.

#include "tidepool/api/internal/c_impl.h"
#include "tidepool/base/check.h"
#include "tidepool/object/load_ref.h"

namespace tidepool::c_api {
namespace {

void MarkShared(tp_value value) {
  if (IsObject(value)) SetMaybeWeakref(AsObject(value));
}

// What (1) stores is marked, so a failed try means that the slot changed, and trying again
// is progress of somebody. A slot that stays as it is was written by (2).
tp_value LoadMarked(ThreadState* ts, const Slot& slot) {
  constexpr int kTries = 1 << 20;
  uintptr_t value;
  uintptr_t last = 0;
  int same = 0;
  while (!LoadRef(ts, slot, &value)) {
    same = value == last ? same + 1 : 0;
    last = value;
    if (same == kTries) {
      Fatal("tp_slot_load: the slot at %p was written by tp_slot_swap_locked; "
            "read it with tp_slot_try_load",
            static_cast<const void*>(&slot));
    }
  }
  return value;
}

const Atomic<char*>& Container(void* const* container) {
  return *reinterpret_cast<const Atomic<char*>*>(container);
}

}  // namespace
}  // namespace tidepool::c_api

using namespace tidepool::c_api;  // NOLINT
using tidepool::kAcquire;
using tidepool::kRelaxed;
using tidepool::kRelease;

tp_object* tp_slot_load(tp_thread* thread, const tp_slot* slot) noexcept {
  return tp_value_object(LoadMarked(Attached(thread), AsSlot(slot)));
}
tp_value tp_slot_load_value(tp_thread* thread, const tp_slot* slot) noexcept {
  return LoadMarked(Attached(thread), AsSlot(slot));
}
void tp_slot_give_value(tp_thread* thread, tp_slot* slot, tp_value value) noexcept {
  MarkShared(value);
  tidepool::DecrefValue(Attached(thread), ExchangeSlot(AsSlot(slot), value));
}
void tp_slot_store_value(tp_thread* thread, tp_slot* slot, tp_value value) noexcept {
  tidepool::IncrefValue(value);
  tp_slot_give_value(thread, slot, value);
}
void tp_slot_give(tp_thread* thread, tp_slot* slot, tp_object* object) noexcept {
  tp_slot_give_value(thread, slot, reinterpret_cast<tp_value>(object));
}
void tp_slot_store(tp_thread* thread, tp_slot* slot, tp_object* object) noexcept {
  tp_slot_store_value(thread, slot, reinterpret_cast<tp_value>(object));
}
void tp_slot_clear(tp_thread* thread, tp_slot* slot) noexcept {
  tidepool::DecrefValue(Attached(thread), ExchangeSlot(AsSlot(slot), 0));
}
tp_value tp_slot_swap(tp_slot* slot, tp_value value) noexcept {
  MarkShared(value);
  return ExchangeSlot(AsSlot(slot), value);
}

tp_status tp_slot_try_load(tp_thread* thread, const tp_slot* slot, tp_value* out) noexcept {
  return LoadRef(Attached(thread), AsSlot(slot), out) ? TP_OK : TP_RETRY;
}
tp_value tp_slot_load_locked(const tp_slot* slot) noexcept {
  return LoadRefLocked(AsSlot(slot));
}
tp_value tp_slot_swap_locked(tp_slot* slot, tp_value value) noexcept {
  return ExchangeSlotLocked(AsSlot(slot), value);
}

void* tp_array_load(void* const* container) noexcept {
  return Container(container).load(kAcquire);  // pairs with tp_array_replace
}
tp_status tp_array_try_load(tp_thread* thread, const tp_slot* slot, void* const* container,
                            void* array, tp_value* out) noexcept {
  return LoadRefFromArray(Attached(thread), AsSlot(slot), Container(container),
                          static_cast<char*>(array), out)
             ? TP_OK
             : TP_RETRY;
}
void tp_array_replace(tp_thread* thread, void** container, void* array) noexcept {
  auto& word = *reinterpret_cast<tidepool::Atomic<char*>*>(container);
  char* old = word.load(kRelaxed);  // the container's lock orders writers
  word.store(static_cast<char*>(array), kRelease);  // pairs with the readers' acquire
  if (old != nullptr) Attached(thread)->heap()->FreeDelayed(old);
}

void tp_slot_init(tp_slot* slot, tp_value value) noexcept {
  MarkShared(value);
  AsSlot(slot).store(value, kRelaxed);  // published with the object
}
tp_value tp_slot_peek(const tp_slot* slot) noexcept { return AsSlot(slot).load(kRelaxed); }

// --- The lock. ---

void tp_object_lock(tp_thread* thread, tp_object* object) noexcept {
  LockObject(Attached(thread), Object(object));
}
int tp_object_try_lock(tp_object* object) noexcept { return TryLockObject(Object(object)); }
void tp_object_unlock(tp_object* object) noexcept { UnlockObject(Object(object)); }
