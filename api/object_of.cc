// The type of the weak references that ObjectOf types share.
#include "tidepool/api/object_of.h"

namespace tidepool {

const TypeInfo* PlainWeakRefType() {
  static const TypeInfo type = [] {
    TypeInfo t;
    t.name = "WeakRef";
    t.basic_size = sizeof(WeakRef);
    t.flags = kTypeGc | kTypeWeakRef;
    t.traverse = &TraverseWeakRef;
    t.clear = &ClearWeakRef;
    t.dealloc = &DeallocWeakRef;
    return t;
  }();
  return &type;
}

}  // namespace tidepool
