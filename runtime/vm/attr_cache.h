// Attribute instructions with inline caches.
//
// A *fact* is what is known about a name in a class: kind << 24 | index.  It belongs to a version of the class; what a
// version says about a class never changes, so a fact is right whenever its version is the class's version now.
//
//   kCacheInline   no data descriptor of the name; values[index] of the instance, if its attributes are inline, else its dict
//   kCacheDict     no data descriptor, not among the shared names: the instance's dict, if it has one
//   kCacheMember   a __slots__ member at byte offset index * 8 (writable)
//   kCacheMethod   a function or native method of the class, and index names were shared by its instances: none of them was
//                  this one, so that instances without a dict do not hide it as long as there are no more
//   kCacheValue    the same of a value that is no descriptor
//   kCacheProperty a property
//   kCacheLongWay  anything else: other descriptors
//
// Facts lie in two places: the instruction's own cache word (version << 32 | fact), which threads overwrite freely, and
// behind it the thread's method cache, which knows many classes: a call site that sees several classes in
// turn finds each of them there.
#ifndef TIDEPOOL_RUNTIME_VM_ATTR_CACHE_H_
#define TIDEPOOL_RUNTIME_VM_ATTR_CACHE_H_

#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/vm/attrs.h"
#include "tidepool/runtime/vm/class_internal.h"
#include "tidepool/runtime/vm/code.h"

namespace tidepool::rt {

enum AttrCacheKind : uint32_t { kCacheInline = 1, kCacheMember = 2, kCacheMethod = 3, kCacheValue = 4, kCacheDict = 5, kCacheLongWay = 6, kCacheProperty = 7 };

Ref LoadAttrSlow(Context& cx, Value obj, Str* name, InlineCache* c);

// The fact of the thread's cache; 0: none yet.
inline uint32_t KnownFact(Context& cx, uint32_t version, Str* name) {
  const MethodCache::Entry* e = cx.method_cache->Find(version, name);
  return version != 0 && e->Matches(version, name) ? e->fact : 0;
}

// The fact about the name in `cls`, of the instruction's own cache or of the thread's; 0: not known. Facts of the thread's
// cache are for loads and stores alike, so the class must have the flag that lets the generic way be taken.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline uint32_t FindFactFast(Context& cx, Class* cls, Str* name, InlineCache* c, uint32_t generic) {
  const uint64_t w = c->a.load(kRelaxed);  // relaxed: the word stands for itself
  // Acquire: pairs with the version's release; the facts of the version are visible.
  const uint32_t version = cls->version.load(kAcquire);
  if (version == 0) return 0;
  if (ABSL_PREDICT_TRUE((w >> 32) == version)) return static_cast<uint32_t>(w);
  return (cls->flags & generic) != 0 ? KnownFact(cx, version, name) : 0;
}

// The attribute that a fact leads to, owned by the caller; null: LoadAttrSlow. Nothing is dropped and no safepoint passed.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline Value LoadAttrFast(Context& cx, Value obj, Str* name, InlineCache* c) {
  if (!obj.is_object()) return Value();
  Object* o = obj.object();
  Class* cls = ClassOf(o);
  const uint32_t fact = FindFactFast(cx, cls, name, c, Class::kGenericGetAttr);
  const uint32_t index = fact & 0xffffff;
  const uint32_t kind = fact >> 24;
  uintptr_t bits;
  if (kind == kCacheInline) {
    AttrHeader* h = AttrsOf(o, cls);
    if (index < h->capacity && h->dict.load(kRelaxed) == 0 && LoadRef(cx.ts, h->values()[index], &bits)) return Value::FromBits(bits);
  } else if (kind == kCacheMember) {
    Slot& s = *reinterpret_cast<Slot*>(reinterpret_cast<char*>(o) + index * 8);
    if (LoadRef(cx.ts, s, &bits)) return Value::FromBits(bits);
  }
  return Value();
}

// Stores an owned value as a fact says. True: it was taken over, and *old is the caller's to drop.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool StoreAttrFast(Context& cx, Value obj, Str* name, InlineCache* c, Value value, Value* old) {
  if (!obj.is_object()) return false;
  Object* o = obj.object();
  Class* cls = ClassOf(o);
  const uint32_t fact = FindFactFast(cx, cls, name, c, Class::kGenericSetAttr);
  const uint32_t index = fact & 0xffffff;
  const uint32_t kind = fact >> 24;
  if (kind == kCacheInline) {
    AttrHeader* h = AttrsOf(o, cls);
    if (index >= h->capacity) return false;
    ObjectLock lock(cx.ts, o);
    if (h->dict.load(kRelaxed) != 0) return false;
    Slot& s = h->values()[index];
    if (PeekSlot(s).is_null()) {
      const int n = h->count.load(kRelaxed);
      h->order()[n].store(static_cast<uint8_t>(index), kRelaxed);
      h->count.store(static_cast<uint8_t>(n + 1), kRelaxed);
    }
    *old = Value::FromBits(tidepool::ExchangeSlotLocked(s, value.bits()));
    return true;
  }
  if (kind != kCacheMember) return false;
  Slot& s = *reinterpret_cast<Slot*>(reinterpret_cast<char*>(o) + index * 8);
  ObjectLock lock(cx.ts, o);
  *old = Value::FromBits(tidepool::ExchangeSlotLocked(s, value.bits()));
  return true;
}

// Where StoreAttrFast would not: stores `value` (a new reference is made).
bool StoreAttrCached(Context& cx, Value obj, Str* name, Value value, InlineCache* c);

// If the attribute is a property of obj's class, as this thread's cache knows it, whose getter is a Python function of one
// argument: a new reference to the function.
Function* PropertyGetter(Context& cx, Value obj, Str* name);

// LOAD_METHOD: *func and true with *self_too = true if func is to be called with obj in front; else *func is the attribute
// itself. False: exception pending.
bool LoadMethodSlow(Context& cx, Value obj, Str* name, Ref* func, bool* self_too);

// No inline attribute and no dict of the instance can hide a name that the class had when it shared `count` names.
inline bool NothingHides(Class* cls, Object* o, uint32_t count) {
  // Acquire: pairs with A1.
  return AttrsOf(o, cls)->dict.load(kAcquire) == 0 && SharedKeyCount(cls) == count;
}

// LOAD_METHOD as this thread's cache knows it: the function, to be called with obj in front; null: LoadMethodSlow.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline Value LoadMethodFast(Context& cx, Value obj, Str* name) {
  Class* cls = ClassOf(cx, obj);
  const uint32_t version = cls->version.load(kAcquire);
  const MethodCache::Entry* e = cx.method_cache->Find(version, name);
  if (!e->Matches(version, name) || (e->fact >> 24) != kCacheMethod || version == 0 || (cls->flags & Class::kGenericGetAttr) == 0 ||
      (cls->attr_offset != 0 && !NothingHides(cls, obj.object(), e->fact & 0xffffff))) {
    return Value();
  }
  ObjectHeader* h = AsObject(e->value);
  if (!TryIncrefSpread(cx.ts, h)) return Value();  // as EntryValue
  if (ABSL_PREDICT_TRUE(cls->version.load(kAcquire) == version)) return Value::FromBits(e->value);
  Decref(cx.ts, h);
  return Value();
}

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_ATTR_CACHE_H_
