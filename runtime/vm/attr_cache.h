// Attribute instructions with inline caches.
//
// A cache word is class version << 32 | kind << 24 | index.  What a version says about a class never changes, so a
// word is right whenever its version is the class's version now; threads overwrite each other's words freely.
//   kInline   the class has no data descriptor of the name; values[index] of the instance, if its
//             attributes are inline
//   kMember   a __slots__ member at byte offset index * 8 (writable)
#ifndef TIDEPOOL_RUNTIME_VM_ATTR_CACHE_H_
#define TIDEPOOL_RUNTIME_VM_ATTR_CACHE_H_

#include "tidepool/runtime/vm/attrs.h"
#include "tidepool/runtime/vm/code.h"

namespace tidepool::rt {

enum AttrCacheKind : uint32_t { kCacheInline = 1, kCacheMember = 2 };

Ref LoadAttrSlow(Context& cx, Value obj, Str* name, InlineCache* c);
bool StoreAttrSlow(Context& cx, Value obj, Str* name, Value value, InlineCache* c);

inline Ref LoadAttrCached(Context& cx, Value obj, Str* name, InlineCache* c) {
  if (obj.is_object()) {
    Object* o = obj.object();
    Class* cls = ClassOf(o);
    const uint64_t w = c->a.load(kRelaxed);  // relaxed: the word stands for itself
    // Acquire: pairs with the version's release; the facts of the version are visible.
    if ((w >> 32) == cls->version.load(kAcquire) && (w >> 32) != 0) {
      const uint32_t index = w & 0xffffff;
      if (((w >> 24) & 0xff) == kCacheInline) {
        AttrHeader* h = AttrsOf(o, cls);
        if (index < h->capacity && h->dict.load(kRelaxed) == 0) {
          uintptr_t bits;
          if (LoadRef(cx.ts, h->values()[index], &bits) && bits != 0) return Ref::Steal(Value::FromBits(bits));
        }
      } else {
        Slot& s = *reinterpret_cast<Slot*>(reinterpret_cast<char*>(o) + index * 8);
        uintptr_t bits;
        if (LoadRef(cx.ts, s, &bits) && bits != 0) return Ref::Steal(Value::FromBits(bits));
      }
    }
  }
  return LoadAttrSlow(cx, obj, name, c);
}

// Stores `value` (a new reference is made).
bool StoreAttrCached(Context& cx, Value obj, Str* name, Value value, InlineCache* c);

// LOAD_METHOD: *func and true with *self_too = true if func is to be called with obj in front; else *func is the attribute itself.
// False: exception pending.
bool LoadMethod(Context& cx, Value obj, Str* name, Ref* func, bool* self_too);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_ATTR_CACHE_H_
