// The slow paths of load_ref.h.
#include "tidepool/object/load_ref.h"

namespace tidepool {
namespace internal {

bool LoadRefRetry(ThreadState* ts, const Slot& slot, uintptr_t* out) {
  for (int i = 0; i < 3; ++i) {
    const uintptr_t value = slot.load(kAcquire);  // as in TryLoadRefOnce
    *out = value;
    if (!IsObject(value)) return true;
    ObjectHeader* obj = AsObject(value);
    if (TryIncref(obj)) {
      if (slot.load(kAcquire) == value) return true;
      DropStray(ts, obj);
    } else if (slot.load(kAcquire) == value) {
      // Still there, so it is alive, but nobody has marked it yet. Looking
      // again would not help: the lock is needed.
      return false;
    }
  }
  return false;
}

void DropStray(ThreadState* ts, ObjectHeader* obj) {
  // The object may be anything, and this may be its last reference: it must
  // not be deallocated where the caller has an array borrowed.
  DecrefNoDealloc(ts, obj);
}

}  // namespace internal
}  // namespace tidepool
