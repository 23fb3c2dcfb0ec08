// Slots of the runtime: the lock-free read with its fallback.
#include "tidepool/runtime/vm/value.h"

#include "tidepool/object/object_mutex.h"

namespace tidepool::rt {

Ref LoadSlot(Object* container, Slot& s) {
  ThreadState* ts = ThreadState::Current();
  uintptr_t out;
  if (LoadRef(ts, s, &out)) return Ref::Steal(Value::FromBits(out));
  // An object that only its owner counts so far, or a slot that keeps changing.
  ObjectLock lock(ts, container);
  return Ref::Steal(Value::FromBits(LoadRefLocked(s)));
}

void StoreSlot(Object* container, Slot& s, Ref v) {
  Ref old;
  {
    ObjectLock lock(ThreadState::Current(), container);
    old = ExchangeSlotLocked(s, std::move(v));
  }
}

}  // namespace tidepool::rt
