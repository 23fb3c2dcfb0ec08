// Attribute instructions: filling the caches, and the paths behind them.
#include "tidepool/runtime/vm/attr_cache.h"

#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/vm/descriptor.h"
#include "tidepool/runtime/vm/function.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

// What can be remembered about `name` in class cls of version v; 0: nothing.
uint64_t CacheWord(Context& cx, Class* cls, uint32_t version, Str* name) {
  if (version == 0) return 0;
  Ref descr = LookupInMro(cx, cls, name);
  uint64_t w = 0;
  if (MemberDescriptor* m = As<MemberDescriptor>(descr)) {
    if (!m->read_only && !m->none_if_null && (m->owner->flags & Class::kPython) != 0) w = uint64_t{kCacheMember} << 24 | m->offset / 8;
  } else if (cls->attr_offset > 0 && (!descr || ClassOf(cx, descr)->slots.descr_set == nullptr)) {
    SharedKeys* keys = cls->shared_keys.load(kAcquire);
    const int i = keys == nullptr ? -1 : keys->Find(name);
    if (i >= 0) w = uint64_t{kCacheInline} << 24 | static_cast<uint32_t>(i);
  }
  // Acquire: the version again, after everything that was read.
  if (w == 0 || cls->version.load(kAcquire) != version) return 0;
  return w | uint64_t{version} << 32;
}

}  // namespace

Ref LoadAttrSlow(Context& cx, Value obj, Str* name, InlineCache* c) {
  if (obj.is_object()) {
    Class* cls = ClassOf(obj.object());
    if ((cls->flags & Class::kGenericGetAttr) != 0) {
      const uint64_t w = CacheWord(cx, cls, cls->version.load(kAcquire), name);
      if (w != 0) c->a.store(w, kRelaxed);
    }
  }
  return GetAttr(cx, obj, name);
}

bool StoreAttrSlow(Context& cx, Value obj, Str* name, Value value, InlineCache* c) {
  if (!SetAttr(cx, obj, name, value)) return false;
  if (obj.is_object()) {
    Class* cls = ClassOf(obj.object());
    if ((cls->flags & Class::kGenericSetAttr) != 0) {
      const uint64_t w = CacheWord(cx, cls, cls->version.load(kAcquire), name);
      if (w != 0) c->a.store(w, kRelaxed);
    }
  }
  return true;
}

bool StoreAttrCached(Context& cx, Value obj, Str* name, Value value, InlineCache* c) {
  if (obj.is_object()) {
    Object* o = obj.object();
    Class* cls = ClassOf(o);
    const uint64_t w = c->a.load(kRelaxed);
    if ((w >> 32) == cls->version.load(kAcquire) && (w >> 32) != 0) {
      const uint32_t index = w & 0xffffff;
      Ref old;
      if (((w >> 24) & 0xff) == kCacheInline) {
        AttrHeader* h = AttrsOf(o, cls);
        if (index < h->capacity) {
          ObjectLock lock(cx.ts, o);
          if (h->dict.load(kRelaxed) == 0) {
            Slot& s = h->values()[index];
            if (PeekSlot(s).is_null()) {
              const int n = h->count.load(kRelaxed);
              h->order()[n].store(static_cast<uint8_t>(index), kRelaxed);
              h->count.store(static_cast<uint8_t>(n + 1), kRelaxed);
            }
            old = ExchangeSlotLocked(s, Ref::New(value));
            goto done;
          }
        }
      } else {
        Slot& s = *reinterpret_cast<Slot*>(reinterpret_cast<char*>(o) + index * 8);
        ObjectLock lock(cx.ts, o);
        old = ExchangeSlotLocked(s, Ref::New(value));
        goto done;
      }
      return StoreAttrSlow(cx, obj, name, value, c);
    done:
      return true;
    }
  }
  return StoreAttrSlow(cx, obj, name, value, c);
}

bool LoadMethod(Context& cx, Value obj, Str* name, Ref* func, bool* self_too) {
  Class* cls = ClassOf(cx, obj);
  *self_too = false;
  if ((cls->flags & Class::kGenericGetAttr) != 0) {
    Ref f = LookupInMro(cx, cls, name);
    if (f.is_object()) {
      const Layout l = ClassOf(f.get().object())->layout;
      if (l == Layout::kFunction || (l == Layout::kMethodDescriptor && (f.as<MethodDescriptor>()->def->flags & kMethodClass) == 0)) {
        bool hidden = false;
        if (cls->attr_offset != 0) {
          AttrHeader* h = AttrsOf(obj.object(), cls);
          SharedKeys* keys = cls->shared_keys.load(kAcquire);
          if (h->dict.load(kAcquire) != 0 || (keys != nullptr && keys->Find(name) >= 0)) {
            Ref own = GetInstanceAttr(cx, obj.object(), cls, name);
            if (own) {
              *func = std::move(own);
              hidden = true;
            } else if (cx.has_exception()) {
              return false;
            }
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
