// Attribute instructions: finding facts, and the paths behind the inline cache.
#include "tidepool/runtime/vm/attr_cache.h"

#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/vm/descriptor.h"
#include "tidepool/runtime/vm/function.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

// The index of kCacheInline where the instance has no room for it: the dict is asked.
constexpr uint32_t kNoIndex = 0xffffff;

uint32_t Fact(AttrCacheKind kind, uint32_t index) { return static_cast<uint32_t>(kind) << 24 | index; }

// Works out what can be remembered about `name`.  Which version it belongs to is the caller's matter.
uint32_t WorkOut(Context& cx, Class* cls, Str* name, Value descr) {
  if (MemberDescriptor* m = As<MemberDescriptor>(descr)) {
    const bool plain = !m->read_only && !m->none_if_null && (m->owner->flags & Class::kPython) != 0;
    return plain ? Fact(kCacheMember, m->offset / 8) : Fact(kCacheLongWay, 0);
  }
  if (descr.is_object() && ClassOf(descr.object()) == cx.rt.cls.property) return Fact(kCacheProperty, 0);
  if (!descr.is_null() && ClassOf(cx, descr)->slots.descr_set != nullptr) return Fact(kCacheLongWay, 0);
  SharedKeys* keys = cls->shared_keys.load(kAcquire);
  const uint32_t count = SharedKeyCount(cls);  // before the search: a name that comes later makes the counts differ
  const int i = keys == nullptr ? -1 : keys->Find(name);
  if (i >= 0) return Fact(kCacheInline, static_cast<uint32_t>(i));
  if (descr.is_object()) {
    Class* dc = ClassOf(descr.object());
    if (dc->layout == Layout::kFunction ||
        (dc->layout == Layout::kMethodDescriptor && (descr.as<MethodDescriptor>()->def->flags & kMethodClass) == 0)) {
      return Fact(kCacheMethod, count);
    }
    return dc->slots.descr_get == nullptr ? Fact(kCacheValue, count) : Fact(kCacheLongWay, 0);
  }
  if (!descr.is_null()) return Fact(kCacheValue, count);
  return cls->attr_offset != 0 ? Fact(kCacheDict, kNoIndex) : Fact(kCacheLongWay, 0);
}

// The thread's entry of the name with a fact that is right now, or null.  *version is the class's.
MethodCache::Entry* FindFact(Context& cx, Class* cls, Str* name, uint32_t* version) {
  Ref descr = LookupInMro(cx, cls, name);  // gives the class a version if it has none, and fills the entry
  *version = cls->version.load(kAcquire);
  MethodCache::Entry* e = cx.method_cache->Find(*version, name);
  if (*version == 0 || !e->Matches(*version, name) || e->value != descr.get().bits()) return nullptr;
  e->fact = WorkOut(cx, cls, name, descr);
  // Acquire: the version again, after everything that was read.
  if (cls->version.load(kAcquire) == *version) return e;
  e->fact = 0;
  return nullptr;
}

Ref FromDict(Context& cx, Object* o, AttrHeader* h, Str* name, InlineCache* c) {
  // Acquire: pairs with A1.
  if (h->dict.load(kAcquire) == 0) return Ref();
  Ref d = LoadSlot(o, h->dict);
  Ref out;
  if (d) DictGetStrHint(cx, d.as<Dict>(), name, &c->hint, &out);
  return out;
}

// The attribute as the fact says.  Null without exception: it does not help.
Ref LoadByFact(Context& cx, Object* o, Class* cls, uint32_t version, uint32_t fact, Str* name, InlineCache* c) {
  const uint32_t index = fact & 0xffffff;
  switch (fact >> 24) {
    case kCacheInline: {
      AttrHeader* h = AttrsOf(o, cls);
      if (index < h->capacity && h->dict.load(kRelaxed) == 0) {
        Ref v = LoadSlot(o, h->values()[index]);
        if (v) return v;
      }
      return FromDict(cx, o, h, name, c);
    }
    case kCacheDict: return FromDict(cx, o, AttrsOf(o, cls), name, c);
    case kCacheMember: return LoadSlot(o, *reinterpret_cast<Slot*>(reinterpret_cast<char*>(o) + index * 8));
    case kCacheValue: {
      const MethodCache::Entry* e = cx.method_cache->Find(version, name);
      if (!e->Matches(version, name)) return Ref();
      if (cls->attr_offset != 0 && !NothingHides(cls, o, index)) return Ref();
      return EntryValue(cx, cls, version, e);
    }
    default: return Ref();
  }
}

// Stores in the dict; the places that facts name StoreAttrFast has tried.  1: done; 0: go the long way; -1: exception.
int StoreByFact(Context& cx, Object* o, Class* cls, uint32_t fact, Str* name, Value value) {
  const uint32_t kind = fact >> 24;
  if (kind != kCacheInline && kind != kCacheDict) return 0;
  AttrHeader* h = AttrsOf(o, cls);
  // Acquire: pairs with A1.
  if (h->dict.load(kAcquire) == 0) return 0;
  Ref d = LoadSlot(o, h->dict);
  if (!d) return 0;
  return DictSetStr(cx, d.as<Dict>(), name, value) ? 1 : -1;
}

// What `type` itself does not have but as a method: a name that does not begin with an underscore is looked up in the class alone.
bool ClassOwns(Context& cx, Value obj, const Str* name) {
  return obj.is_object() && ClassOf(obj.object()) == cx.rt.cls.type && name->ascii != 0 && name->data()[0] != '_';
}

// Has to be asked for and called with the instance or the class: no fact to be stored in an instruction.
bool NeedsLongWay(uint32_t fact) { return (fact >> 24) == kCacheLongWay || (fact >> 24) == kCacheProperty; }

}  // namespace

Function* PropertyGetter(Context& cx, Value obj, Str* name) {
  if (!obj.is_object()) return nullptr;
  Class* cls = ClassOf(obj.object());
  const uint32_t version = cls->version.load(kAcquire);
  const MethodCache::Entry* e = cx.method_cache->Find(version, name);
  if (version == 0 || !e->Matches(version, name) || (e->fact >> 24) != kCacheProperty || (cls->flags & Class::kGenericGetAttr) == 0) {
    return nullptr;
  }
  Ref property = EntryValue(cx, cls, version, e);
  if (!property) return nullptr;
  Ref getter = LoadSlot(property.get().object(), property.as<Property>()->getter);
  Function* f = As<Function>(getter);
  if (f == nullptr || !f->code->simple_args || f->code->argcount != 1 || (f->code->flags & lang::kGenerator) != 0) return nullptr;
  (void)getter.release();
  return f;
}

Ref LoadAttrSlow(Context& cx, Value obj, Str* name, InlineCache* c) {
  if (ClassOwns(cx, obj, name)) {
    Ref v = LookupInMro(cx, obj.as<Class>(), name);
    if (v && (!v.get().is_object() || ClassOf(v.get().object())->slots.descr_get == nullptr || Is<Function>(v.get()))) return v;
  } else if (obj.is_object()) {
    Class* cls = ClassOf(obj.object());
    if ((cls->flags & Class::kGenericGetAttr) != 0) {
      uint32_t version = cls->version.load(kAcquire);
      const uint32_t known = KnownFact(cx, version, name);
      if (known != 0) {
        if (NeedsLongWay(known) || (known >> 24) == kCacheMethod) return GetAttr(cx, obj, name);
        c->a.store(uint64_t{version} << 32 | known, kRelaxed);
        Ref r = LoadByFact(cx, obj.object(), cls, version, known, name, c);
        if (r || cx.has_exception()) return r;
      }
      // Nothing is known, or it has changed.
      const MethodCache::Entry* e = FindFact(cx, cls, name, &version);
      if (e != nullptr) c->a.store(uint64_t{version} << 32 | e->fact, kRelaxed);
    }
  }
  return GetAttr(cx, obj, name);
}

namespace {

bool StoreAttrSlow(Context& cx, Value obj, Str* name, Value value, InlineCache* c) {
  Class* cls = obj.is_object() ? ClassOf(obj.object()) : nullptr;
  const bool generic = cls != nullptr && (cls->flags & Class::kGenericSetAttr) != 0;
  if (generic) {
    const uint32_t version = cls->version.load(kAcquire);
    const uint32_t known = KnownFact(cx, version, name);
    if (known != 0) {
      if (NeedsLongWay(known)) return SetAttr(cx, obj, name, value);
      c->a.store(uint64_t{version} << 32 | known, kRelaxed);
      const int done = StoreByFact(cx, obj.object(), cls, known, name, value);
      if (done != 0) return done > 0;
    }
  }
  if (!SetAttr(cx, obj, name, value)) return false;
  // The class may be another one now (`o.__class__ = ..`).
  if (generic && ClassOf(obj.object()) == cls) {
    uint32_t version;
    const MethodCache::Entry* e = FindFact(cx, cls, name, &version);
    if (e != nullptr) c->a.store(uint64_t{version} << 32 | e->fact, kRelaxed);
  }
  return true;
}

}  // namespace

bool StoreAttrCached(Context& cx, Value obj, Str* name, Value value, InlineCache* c) {
  if (obj.is_object()) {
    Class* cls = ClassOf(obj.object());
    const uint64_t w = c->a.load(kRelaxed);  // relaxed: the word stands for itself
    if ((w >> 32) == cls->version.load(kAcquire) && (w >> 32) != 0) {
      const int done = StoreByFact(cx, obj.object(), cls, static_cast<uint32_t>(w), name, value);
      if (done != 0) return done > 0;
    }
  }
  return StoreAttrSlow(cx, obj, name, value, c);
}

bool LoadMethodSlow(Context& cx, Value obj, Str* name, Ref* func, bool* self_too) {
  Class* cls = ClassOf(cx, obj);
  *self_too = false;
  if (ClassOwns(cx, obj, name)) {
    Ref v = LookupInMro(cx, obj.as<Class>(), name);
    const Class* kind = v && v.get().is_object() ? ClassOf(v.get().object()) : nullptr;
    if (kind == cx.rt.cls.function) {
      *func = std::move(v);
      return true;
    }
    if (kind == cx.rt.cls.staticmethod) {
      *func = LoadSlot(v.get().object(), v.as<StaticMethod>()->func);
      return true;
    }
    if (kind == cx.rt.cls.classmethod) {
      Ref inner = LoadSlot(v.get().object(), v.as<ClassMethod>()->func);
      if (Is<Function>(inner.get())) {
        *func = std::move(inner);
        *self_too = true;
        return true;
      }
    }
  }
  if ((cls->flags & Class::kGenericGetAttr) != 0) {
    uint32_t version = cls->version.load(kAcquire);
    // An attribute of the instance that is called.
    if (const uint32_t known = KnownFact(cx, version, name); (known >> 24) == kCacheInline) {
      AttrHeader* h = AttrsOf(obj.object(), cls);
      uintptr_t bits;
      if ((known & 0xffffff) < h->capacity && h->dict.load(kRelaxed) == 0 && LoadRef(cx.ts, h->values()[known & 0xffffff], &bits) && bits != 0) {
        *func = Ref::Steal(Value::FromBits(bits));
        return true;
      }
    }
    const MethodCache::Entry* e = FindFact(cx, cls, name, &version);
    if (e != nullptr && (e->fact >> 24) == kCacheMethod &&
        (cls->attr_offset == 0 || NothingHides(cls, obj.object(), e->fact & 0xffffff))) {
      *func = EntryValue(cx, cls, version, e);
      if (*func) {
        *self_too = true;
        return true;
      }
    }
    Ref f = LookupInMro(cx, cls, name);
    if (f.is_object()) {
      const Layout l = ClassOf(f.get().object())->layout;
      if (l == Layout::kFunction || (l == Layout::kMethodDescriptor && (f.as<MethodDescriptor>()->def->flags & kMethodClass) == 0)) {
        bool hidden = false;
        if (cls->attr_offset != 0) {
          Ref own = GetInstanceAttr(cx, obj.object(), cls, name);
          if (own) {
            *func = std::move(own);
            hidden = true;
          } else if (cx.has_exception()) {
            return false;
          }
        }
        if (!hidden) {
          *func = std::move(f);
          *self_too = true;
        }
        return true;
      }
    }
  }
  *func = GetAttr(cx, obj, name);
  return static_cast<bool>(*func);
}

}  // namespace tidepool::rt
