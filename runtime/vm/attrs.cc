// Instance attributes.  See attrs.h for the rules.
#include "tidepool/runtime/vm/attrs.h"

#include <cstring>

#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/vm/errors.h"

namespace tidepool::rt {
namespace {

// Where the dict word of an instance is, in either kind of layout.
Slot* DictSlot(Object* o, const Class* cls) {
  return reinterpret_cast<Slot*>(reinterpret_cast<char*>(o) + cls->attr_offset);
}

bool Inline(const Class* cls) { return cls->attr_offset > 0; }

// Index of the name, added if there is room; -1 if not.
int FindOrAddKey(Context& cx, Class* cls, Str* name) {
  SharedKeys* keys = cls->shared_keys.load(kAcquire);  // pairs with the release below
  if (keys != nullptr) {
    int i = keys->Find(name);
    if (i >= 0) return i;
  }
  LockMutex(cx.ts, &cx.rt.class_mutex);
  keys = cls->shared_keys.load(kRelaxed);
  if (keys == nullptr) {
    keys = static_cast<SharedKeys*>(cx.ts->heap()->Allocate(HeapKind::kRaw, sizeof(SharedKeys)));
    if (keys == nullptr) {
      cx.rt.class_mutex.Unlock();
      return -1;  // a dict may still work
    }
    std::memset(static_cast<void*>(keys), 0, sizeof(SharedKeys));
    cls->shared_keys.store(keys, kRelease);  // publishes zeroed tables to Find
  }
  int i = keys->Find(name);
  if (i < 0) {
    const uint32_t n = keys->count.load(kRelaxed);
    if (n < static_cast<uint32_t>(kMaxSharedKeys)) {
      i = static_cast<int>(n);
      keys->names[i].store(name, kRelaxed);
      keys->count.store(n + 1, kRelaxed);
      uint32_t h = SharedKeys::HashOf(name);
      while (keys->table[h].load(kRelaxed) != 0) h = (h + 1) & 63;
      keys->table[h].store(static_cast<uint8_t>(i + 1), kRelease);  // pairs with Find
    }
  }
  cx.rt.class_mutex.Unlock();
  return i;
}

// With the instance's mutex held and dict 0.  The references of the values go to the dict.  Null: exception pending, nothing changed.
Dict* MaterialiseLocked(Context& cx, Object* o, Class* cls) {
  Ref d = NewDict(cx);
  if (!d) return nullptr;
  Dict* dict = d.as<Dict>();
  AttrHeader* h = AttrsOf(o, cls);
  if (Inline(cls)) {
    SharedKeys* keys = cls->shared_keys.load(kAcquire);
    const int n = h->count.load(kRelaxed);
    for (int k = 0; k < n; k++) {
      const int i = h->order()[k].load(kRelaxed);
      Value v = PeekSlot(h->values()[i]);
      if (!DictSetStr(cx, dict, keys->names[i].load(kRelaxed), v)) return nullptr;
    }
  }
  // A1: first the dict, then the values go.
  DictSlot(o, cls)->store(Value(d.release()).bits(), kRelease);
  if (Inline(cls)) {
    const int n = h->count.load(kRelaxed);
    for (int k = 0; k < n; k++) {
      const int i = h->order()[k].load(kRelaxed);
      // The dict has a reference of its own, so this drop frees nothing.
      Ref old = ExchangeSlotLocked(h->values()[i], Ref());
    }
    h->count.store(0, kRelaxed);
  }
  return dict;
}

// The dict of the instance if it has one.
Ref LoadDict(Object* o, const Class* cls) {
  Slot* s = DictSlot(o, cls);
  if (s->load(kAcquire) == 0) return Ref();  // acquire: pairs with MaterialiseLocked
  return LoadSlot(o, *s);
}

}  // namespace

void WantCapacity(Class* cls, uint32_t n) {
  if (n > static_cast<uint32_t>(kMaxSharedKeys)) n = kMaxSharedKeys;
  // Relaxed: a hint; racing stores of different hints do no harm.
  if (cls->inline_capacity.load(kRelaxed) < n) cls->inline_capacity.store(n, kRelaxed);
}

Ref GetInstanceAttr(Context& cx, Object* o, Class* cls, Str* name) {
  for (;;) {
    Ref d = LoadDict(o, cls);
    if (d) {
      Ref out;
      DictGetStr(cx, d.as<Dict>(), name, &out);
      return out;
    }
    if (!Inline(cls)) return Ref();
    SharedKeys* keys = cls->shared_keys.load(kAcquire);
    if (keys == nullptr) return Ref();
    AttrHeader* h = AttrsOf(o, cls);
    const int i = keys->Find(name);
    if (i >= 0 && i < h->capacity) {
      Ref v = LoadSlot(o, h->values()[i]);
      if (v) return v;
    }
    // Acquire: pairs with A1.  Materialised meanwhile?  Then look there.
    if (h->dict.load(kAcquire) == 0) return Ref();
  }
}

int SetInstanceAttr(Context& cx, Object* o, Class* cls, Str* name, Value value) {
  Ref d = LoadDict(o, cls);
  Ref old;
  if (!d) {
    int i = -1;
    if (Inline(cls)) {
      if (value.is_null()) {
        SharedKeys* keys = cls->shared_keys.load(kAcquire);
        i = keys == nullptr ? -1 : keys->Find(name);
        if (i < 0) {
          if (AttrsOf(o, cls)->dict.load(kAcquire) == 0) return 0;
        }
      } else {
        i = FindOrAddKey(cx, cls, name);
      }
    }
    Ref v = Ref::New(value);
    LockObject(cx.ts, o);
    AttrHeader* h = AttrsOf(o, cls);
    if (h->dict.load(kRelaxed) == 0) {
      if (i >= 0 && i < h->capacity) {
        Slot& s = h->values()[i];
        const int n = h->count.load(kRelaxed);
        const bool present = !PeekSlot(s).is_null();
        if (value.is_null()) {
          if (!present) {
            UnlockObject(o);
            return 0;
          }
          int k = 0;
          while (h->order()[k].load(kRelaxed) != i) k++;
          for (; k + 1 < n; k++) h->order()[k].store(h->order()[k + 1].load(kRelaxed), kRelaxed);
          h->count.store(static_cast<uint8_t>(n - 1), kRelaxed);
        } else if (!present) {
          h->order()[n].store(static_cast<uint8_t>(i), kRelaxed);
          h->count.store(static_cast<uint8_t>(n + 1), kRelaxed);
        }
        old = ExchangeSlotLocked(s, std::move(v));
        UnlockObject(o);
        return 1;
      }
      if (value.is_null() && Inline(cls)) {
        UnlockObject(o);
        return 0;
      }
      if (i >= 0) WantCapacity(cls, static_cast<uint32_t>(i) + 1);
      Dict* dict = MaterialiseLocked(cx, o, cls);
      if (dict == nullptr) {
        UnlockObject(o);
        return -1;
      }
    }
    d = Ref::Steal(Value::FromBits(LoadRefLocked(*DictSlot(o, cls))));
    UnlockObject(o);
  }
  if (value.is_null()) return DictDelete(cx, d.as<Dict>(), name);
  return DictSetStr(cx, d.as<Dict>(), name, value) ? 1 : -1;
}

Ref InstanceDict(Context& cx, Object* o, Class* cls) {
  Ref d = LoadDict(o, cls);
  if (d) return d;
  ObjectLock lock(cx.ts, o);
  Slot* s = DictSlot(o, cls);
  if (s->load(kRelaxed) == 0 && MaterialiseLocked(cx, o, cls) == nullptr) return Ref();
  return Ref::Steal(Value::FromBits(LoadRefLocked(*s)));
}

bool ReplaceInstanceDict(Context& cx, Object* o, Class* cls, Value dict) {
  Ref fresh = dict.is_null() ? NewDict(cx) : Ref::New(dict);
  if (!fresh) return false;
  Ref old = InstanceDict(cx, o, cls);  // materialised now, so only the word has to change
  if (!old) return false;
  StoreSlot(o, *DictSlot(o, cls), std::move(fresh));
  return true;
}

void VisitAttrs(Object* o, const Class* cls, SlotVisitor& v) {
  v.Visit(*DictSlot(o, cls));
  if (!Inline(cls)) return;
  AttrHeader* h = AttrsOf(o, cls);
  for (int i = 0; i < h->capacity; i++) v.Visit(h->values()[i]);
}

void DestroyAttrs(Context& cx, Object* o, const Class* cls) {
  if (Inline(cls)) {
    AttrHeader* h = AttrsOf(o, cls);
    const int n = h->count.load(kRelaxed);
    for (int k = 0; k < n; k++) DecrefValue(cx.ts, PeekSlot(h->values()[h->order()[k].load(kRelaxed)]));
  }
  DecrefValue(cx.ts, PeekSlot(*DictSlot(o, cls)));
}

void ClearAttrs(Context& cx, Object* o, const Class* cls) {
  if (Inline(cls)) {
    AttrHeader* h = AttrsOf(o, cls);
    // In the order in which the instance got them.  New ones may appear meanwhile: a destructor runs.
    while (h->count.load(kRelaxed) > 0) {
      Ref old;
      {
        ObjectLock lock(cx.ts, o);
        const int n = h->count.load(kRelaxed);
        if (n == 0) break;
        const int i = h->order()[0].load(kRelaxed);
        for (int k = 0; k + 1 < n; k++) h->order()[k].store(h->order()[k + 1].load(kRelaxed), kRelaxed);
        h->count.store(static_cast<uint8_t>(n - 1), kRelaxed);
        old = ExchangeSlotLocked(h->values()[i], Ref());
      }
    }
  }
  Slot* s = DictSlot(o, cls);
  if (s->load(kRelaxed) != 0) StoreSlot(o, *s, Ref());
}

}  // namespace tidepool::rt
