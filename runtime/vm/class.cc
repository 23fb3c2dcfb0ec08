// Instances of classes (making, visiting, destroying) and the lookup of class attributes.
#include "tidepool/runtime/vm/class.h"

#include <cstring>

#include "tidepool/object/object_mutex.h"
#include "tidepool/object/weakref.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/attrs.h"
#include "tidepool/runtime/vm/class_internal.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
static_assert(offsetof(Class, info) == sizeof(Object));
#pragma GCC diagnostic pop

// ---- functions of the embedded TypeInfo --------------------------------------------------------

namespace {

inline Context& CurrentOf(ThreadState* ts) { return *static_cast<Context*>(ts->embedder_data); }
inline Object* AsObj(ObjectHeader* h) { return static_cast<Object*>(h); }
inline Slot* SlotAt(Object* o, size_t offset) { return reinterpret_cast<Slot*>(reinterpret_cast<char*>(o) + offset); }

int InstanceTraverse(ObjectHeader* h, Visitor visit, void* arg) {
  Object* o = AsObj(h);
  Class* cls = ClassOf(o);
  SlotVisitor v(visit, arg);
  if (cls->native->traverse != nullptr) cls->native->traverse(o, v);
  for (uint32_t off = cls->slots_offset; off < cls->slots_end; off += 8) v.Visit(*SlotAt(o, off));
  if (cls->attr_offset != 0) VisitAttrs(o, cls, v);
  return v.result();
}

void InstanceClear(ThreadState* ts, ObjectHeader* h) {
  Object* o = AsObj(h);
  Class* cls = ClassOf(o);
  Context& cx = CurrentOf(ts);
  PendingScope pending(cx);
  for (uint32_t off = cls->slots_offset; off < cls->slots_end; off += 8) StoreSlot(o, *SlotAt(o, off), Ref());
  if (cls->attr_offset != 0) ClearAttrs(cx, o, cls);
  if (cls->native->clear != nullptr) cls->native->clear(cx, o);
}

void InstanceDealloc(ThreadState* ts, ObjectHeader* h) {
  Object* o = AsObj(h);
  Class* cls = ClassOf(o);
  Context& cx = CurrentOf(ts);
  for (uint32_t off = cls->slots_offset; off < cls->slots_end; off += 8) DecrefValue(ts, PeekSlot(*SlotAt(o, off)));
  if (cls->attr_offset != 0) DestroyAttrs(cx, o, cls);
  if (cls->native->destroy != nullptr) {
    cls->native->destroy(cx, o);
  } else if (cls->native->clear != nullptr) {
    cls->native->clear(cx, o);
  }
  FreeObject(ts, h);
}

// The same for classes without attributes and __slots__.
void NativeDealloc(ThreadState* ts, ObjectHeader* h) {
  Object* o = AsObj(h);
  const NativeType* native = ClassOf(o)->native;
  (native->destroy != nullptr ? native->destroy : native->clear)(CurrentOf(ts), o);
  FreeObject(ts, h);
}

void InstanceFinalize(ThreadState* ts, ObjectHeader* h) {
  Object* o = AsObj(h);
  Class* cls = ClassOf(o);
  Context& cx = CurrentOf(ts);
  PendingScope pending(cx);
  if ((cls->flags & Class::kHasDel) != 0) {
    Ref method = LookupInMro(cx, cls, cx.rt.names.del);
    if (method) {
      Value self = o;
      Ref r;
      if (ClassOf(cx, method)->slots.descr_get != nullptr && !Is<Function>(method.get())) {
        Ref bound = ClassOf(cx, method)->slots.descr_get(cx, method, self, cls);
        if (bound) r = Call(cx, bound);
      } else {
        r = Call(cx, method, self);
      }
      if (!r) WriteUnraisable(cx, method);
    }
  }
  if (cls->native->finalize != nullptr) cls->native->finalize(cx, o);
}

}  // namespace

void FillTypeInfo(Context& cx, Class* cls) {
  (void)cx;
  const NativeType* native = cls->native;
  TypeInfo& info = cls->info;
  const bool python = (cls->flags & Class::kPython) != 0;
  info.flags = 0;
  if (python || (native->flags & kTypeHasRefs) != 0 || cls->attr_offset != 0) info.flags |= kTypeGc;
  if ((cls->flags & Class::kPreHeader) != 0) info.flags |= kTypePreHeader | kTypeGc;
  if (python) info.flags |= kTypeHeapType;
  if ((native->flags & kTypeIsWeakRef) != 0) info.flags |= kTypeWeakRef;
  info.type_object = python ? cls : nullptr;
  info.traverse = (info.flags & kTypeGc) != 0 ? InstanceTraverse : nullptr;
  info.clear = (info.flags & kTypeGc) != 0 ? InstanceClear : nullptr;
  const bool plain = native->destroy == nullptr && native->clear == nullptr && cls->attr_offset == 0 &&
                     cls->slots_offset == cls->slots_end && (info.flags & kTypeWeakRef) == 0;
  const bool parts = cls->attr_offset != 0 || cls->slots_offset != cls->slots_end;
  const bool last = native->destroy != nullptr || native->clear != nullptr;
  info.dealloc = plain ? nullptr : !parts && last ? NativeDealloc : InstanceDealloc;
  info.finalize = native->finalize != nullptr || (cls->flags & Class::kHasDel) != 0 ? InstanceFinalize : nullptr;
}

Ref NewInstance(Context& cx, Class* cls, size_t extra) {
  size_t size = cls->info.basic_size + extra;
  uint8_t capacity = 0;
  if (cls->attr_offset > 0) {
    capacity = static_cast<uint8_t>(cls->inline_capacity.load(kRelaxed));
    size = static_cast<size_t>(cls->attr_offset) + AttrHeader::SizeFor(capacity);
  }
  ObjectHeader* h = NewObjectZeroed(cx.ts, &cls->info, size);
  if (h == nullptr) return RaiseMemoryError(cx);
  Object* o = AsObj(h);
  if (capacity != 0) AttrsOf(o, cls)->capacity = capacity;
  if ((cls->info.flags & kTypeGc) != 0 && (cls->native->flags & kTypeTrackLater) == 0) TrackNew(o);
  return Ref::Steal(o);
}

void* AllocateRaw(Context& cx, size_t size) {
  void* p = cx.ts->heap()->Allocate(HeapKind::kRaw, size);
  if (p == nullptr) RaiseMemoryError(cx);
  return p;
}

// ---- asking ----------------------------------------------------------------------------------------

bool IsSubclass(const Class* cls, const Class* base) {
  if (cls == base) return true;
  const Tuple* mro = PeekSlot(cls->mro).as<Tuple>();  // never changes once set
  if (mro == nullptr) {
    for (const Class* c = cls; c != nullptr; c = c->base) {
      if (c == base) return true;
    }
    return false;
  }
  for (size_t i = 0; i < mro->length; i++) {
    if (mro->items[i] == Value(base)) return true;
  }
  return false;
}

const char* ShortName(const Class* cls) { return cls->info.name; }
const char* NameOf(const Class* cls) {
  const bool full = (cls->flags & Class::kPython) == 0 && cls->native != nullptr && cls->native->full_name != nullptr;
  return full ? cls->native->full_name : cls->info.name;
}
const char* ClassName(Context& cx, Value v) { return NameOf(ClassOf(cx, v)); }

// ---- attributes of classes ----------------------------------------------------------------------------

namespace {

uint32_t AssignVersion(Context& cx, Class* cls) {
  LockMutex(cx.ts, &cx.rt.class_mutex);
  uint32_t v = cls->version.load(kRelaxed);
  if (v == 0) {
    // Relaxed: under the mutex.  2^32 class changes are not expected; 0 stays "none" for ever after.
    v = cx.rt.next_class_version.load(kRelaxed);
    if (v != 0) cx.rt.next_class_version.store(v + 1, kRelaxed);
    cls->version.store(v, kRelease);  // pairs with the acquire in LookupInMro
  }
  cx.rt.class_mutex.Unlock();
  return v;
}


Ref WalkMro(Context& cx, Class* cls, Str* name) {
  const Tuple* mro = PeekSlot(cls->mro).as<Tuple>();
  Ref out;
  if (mro == nullptr) {  // while the first classes are made
    for (Class* c = cls; c != nullptr; c = c->base) {
      Dict* d = PeekSlot(c->dict).as<Dict>();
      if (d != nullptr && DictGetStr(cx, d, name, &out) == 1) return out;
    }
    return out;
  }
  for (size_t i = 0; i < mro->length; i++) {
    Class* c = mro->items[i].as<Class>();
    if (DictGetStr(cx, PeekSlot(c->dict).as<Dict>(), name, &out) == 1) return out;
  }
  return out;
}

}  // namespace

void InvalidateClass(Context& cx, Class* cls) {
  LockMutex(cx.ts, &cx.rt.class_mutex);
  // Release: whoever sees a later version sees the change; readers check the version after taking the value.
  cls->version.store(0, kRelease);
  for (Class* c = cx.rt.classes; c != nullptr; c = c->next_class) {
    if (IsSubclass(c, cls)) c->version.store(0, kRelease);
  }
  cx.rt.class_mutex.Unlock();
}

void LinkClass(Context& cx, Class* cls) {
  Class*& list = (cls->flags & Class::kPython) != 0 ? cx.rt.classes : cx.rt.native_classes;
  LockMutex(cx.ts, &cx.rt.class_mutex);
  cls->next_class = list;
  if (cls->next_class != nullptr) cls->next_class->prev_class = cls;
  list = cls;
  cx.rt.class_mutex.Unlock();
}

void UnlinkClass(Context& cx, Class* cls) {
  LockMutex(cx.ts, &cx.rt.class_mutex);
  if (cls->prev_class != nullptr) {
    cls->prev_class->next_class = cls->next_class;
  } else if (cx.rt.classes == cls) {
    cx.rt.classes = cls->next_class;
  }
  if (cls->next_class != nullptr) cls->next_class->prev_class = cls->prev_class;
  cls->next_class = cls->prev_class = nullptr;
  cx.rt.class_mutex.Unlock();
}

Ref LookupInMro(Context& cx, Class* cls, Str* name) {
  // Acquire: the attributes that belong to this version are visible.
  uint32_t version = cls->version.load(kAcquire);
  if (version == 0) version = AssignVersion(cx, cls);
  MethodCache::Entry* e = nullptr;
  if (version != 0 && cx.method_cache != nullptr) {
    e = cx.method_cache->Find(version, name);
    if (e->Matches(version, name)) {
      if (e->value == 0) return Ref();
      if (Ref r = EntryValue(cx, cls, version, e)) return r;
    }
  }
  Ref r = WalkMro(cx, cls, name);
  if (e != nullptr && cls->version.load(kAcquire) == version) {
    e->version = version;
    e->fact = 0;
    e->name = name;
    e->value = r.get().bits();
  }
  return r;
}

bool SetClassAttr(Context& cx, Class* cls, Str* name, Value value) {
  Dict* d = PeekSlot(cls->dict).as<Dict>();
  Ref old;
  const int had = DictGetStr(cx, d, name, &old);  // keeps the old value until versions are settled
  if (value.is_null() && had != 1) {
    return Raise(cx, cx.rt.exc.AttributeError, "type object '%s' has no attribute '%s'", NameOf(cls), ToUtf8(name).c_str()), false;
  }
  // Before: caches filled from now on see the change.  After: those filled in between are dropped.
  InvalidateClass(cx, cls);
  const bool ok = value.is_null() ? DictDelete(cx, d, name) >= 0 : DictSetStr(cx, d, name, value);
  InvalidateClass(cx, cls);
  if (!ok) return false;
  if (IsSlotName(cx, name)) UpdateSlotsOfTree(cx, cls);
  if (name == cx.rt.names.abstractmethods) {
    const int abstract = value.is_null() ? 0 : IsTrue(cx, value);
    if (abstract < 0) return false;
    if ((abstract != 0) != ((cls->flags & Class::kAbstract) != 0)) UpdateSlotsOfTree(cx, cls);
  }
  return true;
}

bool AddClassAttr(Context& cx, Class* cls, const char* name, Value value) {
  Str* s = Intern(cx, name);
  if (s == nullptr) return false;
  return DictSetStr(cx, PeekSlot(cls->dict).as<Dict>(), s, value);
}

}  // namespace tidepool::rt
