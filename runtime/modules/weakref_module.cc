// Module _weakref: the weak reference type and what counts them.
//
// The object layer's WeakRef does the work (list at the target, promotion without a lock, clearing). Here are the
// script's view of it and the rules of equality: by referent while both live, else by identity; the hash is the
// referent's, remembered once it was asked for.
#include <cstdio>

#include "tidepool/object/object_mutex.h"
#include "tidepool/object/weakref.h"
#include "tidepool/runtime/modules/common.h"
#include "tidepool/runtime/modules/modules.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/str.h"

namespace tidepool::rt {
namespace {

WeakRef* ToWeakRef(Value v) { return reinterpret_cast<WeakRef*>(v.object()); }

// The target with a reference, or null.
Ref Target(Context& cx, Value self) {
  ObjectHeader* target = GetWeakRefTarget(cx.ts, ToWeakRef(self));
  return Ref::Steal(static_cast<Object*>(target));
}

Ref RefCreate(Context& cx, Class* cls, const Args& args) {
  if (!NoKeywords(cx, "ref", args) || !CheckArgCount(cx, "ref", args, 1, 2)) return nullptr;
  const Value target = args[0];
  if (!target.is_object() || !SupportsWeakRefs(target.object()->type())) {
    return RaiseTypeError(cx, "cannot create weak reference to '%s' object", ClassName(cx, target));
  }
  Value callback = args.Get(1);
  if (callback == cx.None()) callback = Value();
  WeakRef* ref = NewWeakRef(cx.ts, &cls->info, target.object(), callback.bits());
  if (ref == nullptr) return RaiseMemoryError(cx);
  // Relaxed: nobody looks at the hash before it has been asked for; 0 in fresh memory would be a hash.
  return Ref::Steal(static_cast<Object*>(static_cast<ObjectHeader*>(ref)));
}

bool RefInit(Context& cx, Value, const Args& args) {
  return NoKeywords(cx, "ref", args) && CheckArgCount(cx, "ref", args, 1, 2);
}

Ref RefCall(Context& cx, Value self, const Args& args) {
  if (!NoKeywords(cx, "weakref", args)) return nullptr;
  if (args.npos > 0) {
    return RaiseTypeError(cx, "weakref expected 0 arguments, got %llu", static_cast<unsigned long long>(args.npos));
  }
  Ref target = Target(cx, self);
  return target ? std::move(target) : cx.NoneRef();
}

bool RefHash(Context& cx, Value self, int64_t* out) {
  WeakRef* ref = ToWeakRef(self);
  // Relaxed: every thread that computes it gets the same number.
  const int64_t known = ref->hash.load(kRelaxed);
  if (known != -1) {
    *out = known;
    return true;
  }
  Ref target = Target(cx, self);
  if (!target) return RaiseTypeError(cx, "weak object has gone away"), false;
  if (!Hash(cx, target, out)) return false;
  ref->hash.store(*out, kRelaxed);
  return true;
}

Ref RefCompare(Context& cx, Value self, Value other, CompareOp op) {
  if ((op != CompareOp::kEq && op != CompareOp::kNe) || !HasLayout(other, Layout::kWeakRef)) {
    return cx.NotImplementedRef();
  }
  Ref a = Target(cx, self);
  Ref b = Target(cx, other);
  if (!a || !b) return cx.BoolRef((self == other) == (op == CompareOp::kEq));
  return Compare(cx, a, b, op);
}

Ref RefRepr(Context& cx, Value self) {
  Ref target = Target(cx, self);
  char text[512];
  if (!target) {
    std::snprintf(text, sizeof text, "<weakref at %p; dead>", static_cast<void*>(self.object()));
  } else {
    std::snprintf(text, sizeof text, "<weakref at %p; to '%s' at %p>", static_cast<void*>(self.object()),
                  ClassName(cx, target), static_cast<void*>(target.get().object()));
  }
  return NewStr(cx, text);
}

Ref RefCallback(Context& cx, Value self) {
  WeakRef* ref = ToWeakRef(self);
  // The slot is emptied when the callback is due, under the lock of the target's weakrefs, not the object's mutex.
  uintptr_t value;
  for (int i = 0; i < 100; i++) {
    if (LoadRef(cx.ts, ref->callback, &value)) {
      return value != 0 ? Ref::Steal(Value::FromBits(value)) : cx.NoneRef();
    }
    if (IsWeakRefDead(ref)) return cx.NoneRef();
    Safepoint(cx);
  }
  return cx.NoneRef();
}

const GetSetDef kRefGetSet[] = {
    {"__callback__", RefCallback, nullptr},
    {},
};

void RefTraverse(Object* obj, SlotVisitor& visitor) { visitor.Visit(reinterpret_cast<WeakRef*>(obj)->callback); }
void RefClear(Context& cx, Object* obj) { ClearWeakRef(cx.ts, obj); }
void RefDestroy(Context& cx, Object* obj) { FinishWeakRef(cx.ts, reinterpret_cast<WeakRef*>(obj)); }

// ---- functions

Ref GetWeakRefCount(Context& cx, Value, const Args& args) {
  const Value v = args[0];
  if (!v.is_object() || !SupportsWeakRefs(v.object()->type())) return Ref::Small(0);
  return Ref::Small(static_cast<int64_t>(WeakRefCount(cx.ts, v.object())));
}

Ref GetWeakRefsList(Context& cx, Value, const Args& args) {
  Ref list = NewList(cx, nullptr, 0);
  if (!list) return nullptr;
  const Value v = args[0];
  if (!v.is_object() || !SupportsWeakRefs(v.object()->type())) return list;
  const size_t count = WeakRefCount(cx.ts, v.object());
  if (count == 0) return list;
  WeakRef** refs = static_cast<WeakRef**>(AllocateRaw(cx, count * sizeof(WeakRef*)));
  if (refs == nullptr) return nullptr;
  const size_t n = GetWeakRefs(cx.ts, v.object(), refs, count);
  bool good = true;
  for (size_t i = 0; i < n; i++) {
    Ref one = Ref::Steal(static_cast<Object*>(static_cast<ObjectHeader*>(refs[i])));
    good = good && ListAppend(cx, list.as<List>(), one);
  }
  FreeRaw(cx, refs);
  if (!good) return nullptr;
  return list;
}

// Deletes dict[key] if it is a dead weakref: what a callback of a weak container does. Another thread may have stored
// a live one meanwhile: that goes back.
Ref RemoveDead(Context& cx, Value, const Args& args) {
  if (!Is<Dict>(args[0])) return RaiseTypeError(cx, "a dict is required");
  Dict* dict = args[0].as<Dict>();
  Ref value;
  const int found = DictGet(cx, dict, args[1], &value);
  if (found < 0) return nullptr;
  if (found == 0 || !HasLayout(value, Layout::kWeakRef) || !IsWeakRefDead(ToWeakRef(value))) return cx.NoneRef();
  if (DictPop(cx, dict, args[1], &value) < 0) return nullptr;
  if (value && HasLayout(value, Layout::kWeakRef) && !IsWeakRefDead(ToWeakRef(value))) {
    // Somebody was faster: what was taken out is theirs.
    Ref back = DictSetDefault(cx, dict, args[1], value);
    if (!back) return nullptr;
  }
  return cx.NoneRef();
}

// The isolate's hook: a weakref died and has a callback.
void RunCallback(ThreadState*, WeakRef* ref, uintptr_t callback, void*) {
  Context& cx = *Context::Current();
  PendingScope pending(cx);
  const Value fn = Value::FromBits(callback);
  Ref done = Call(cx, fn, static_cast<Object*>(static_cast<ObjectHeader*>(ref)));
  if (!done) WriteUnraisable(cx, fn);
}

const MethodDef kFunctions[] = {
    {"getweakrefcount", GetWeakRefCount, 1, 1},
    {"getweakrefs", GetWeakRefsList, 1, 1},
    {"_remove_dead_weakref", RemoveDead, 2, 2},
    {},
};

bool InitModule(Context& cx, Module* module) { return AddToModule(cx, module, "ref", cx.rt.cls.weakref); }

}  // namespace

bool InitWeakRefs(Context& cx) {
  static const NativeType type = [] {
    NativeType t;
    t.name = "ReferenceType";
    t.module = "weakref";
    t.full_name = "weakref.ReferenceType";
    t.layout = Layout::kWeakRef;
    t.size = sizeof(WeakRef);
    t.flags = kTypeSubclassable | kTypeHasRefs | kTypeIsWeakRef;
    t.slots.create = RefCreate;
    t.slots.init = RefInit;
    t.slots.call = RefCall;
    t.slots.hash = RefHash;
    t.slots.compare = RefCompare;
    t.slots.repr = RefRepr;
    t.getset = kRefGetSet;
    t.traverse = RefTraverse;
    t.clear = RefClear;
    t.destroy = RefDestroy;
    return t;
  }();
  cx.rt.cls.weakref = DefineType(cx, type);
  if (cx.rt.cls.weakref == nullptr) return false;
  IsolateHooks hooks = cx.rt.isolate->hooks();
  hooks.weakref_callback = RunCallback;
  cx.rt.isolate->SetHooks(hooks);
  return true;
}

const ModuleDef kWeakrefModule = {"_weakref", kFunctions, InitModule};

}  // namespace tidepool::rt
