// Parameterised classes and unions.  Both are made once and never change.
#include "tidepool/runtime/vm/alias.h"

#include <string>

#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/class_internal.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/protocol.h"

#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace tidepool::rt {
namespace {

struct GenericAlias : Object {
  Slot origin;
  Slot args;  // Tuple
};
struct UnionType : Object {
  Slot args;  // Tuple of classes and aliases
};
struct AliasTypes {
  Class* alias;
};

bool IsAlias(Context& cx, Value v) { return IsExact(v, cx.rt.State<AliasTypes>().alias); }
bool IsUnion(Context& cx, Value v) { return IsExact(v, cx.rt.cls.union_type); }

// A part of an alias or union as CPython shows it.  False: exception pending.
bool AppendPart(Context& cx, std::string* out, Value v) {
  if (v == cx.rt.ellipsis) {
    *out += "...";
    return true;
  }
  if (v == Value(cx.rt.cls.none_type)) {
    *out += "None";
    return true;
  }
  if (!IsClass(v)) {
    Ref r = Repr(cx, v);
    if (r) *out += ToUtf8(r.as<Str>());
    return static_cast<bool>(r);
  }
  *out += ModulePrefix(v.as<Class>()) + Qualname(v.as<Class>());
  return true;
}

bool AppendParts(Context& cx, std::string* out, Value tuple, const char* between) {
  Tuple* t = tuple.as<Tuple>();
  for (size_t i = 0; i < t->length; i++) {
    if (i > 0) *out += between;
    if (!AppendPart(cx, out, t->items[i])) return false;
  }
  return true;
}

// ---- aliases ---------------------------------------------------------------------------------------------------

Ref AliasRepr(Context& cx, Value self) {
  GenericAlias* a = self.as<GenericAlias>();
  std::string out;
  if (!AppendPart(cx, &out, PeekSlot(a->origin))) return Ref();
  out += "[";
  if (PeekSlot(a->args).as<Tuple>()->length == 0) out += "()";
  if (!AppendParts(cx, &out, PeekSlot(a->args), ", ")) return Ref();
  return NewStr(cx, out + "]");
}
Ref AliasCall(Context& cx, Value self, const Args& args) { return Call(cx, PeekSlot(self.as<GenericAlias>()->origin), args); }
Ref AliasGetAttr(Context& cx, Value self, Str* name) {
  Ref own = LookupSpecial(cx, self, name);
  if (own) return GenericGetAttr(cx, self, name);
  return GetAttr(cx, PeekSlot(self.as<GenericAlias>()->origin), name);
}
bool AliasHash(Context& cx, Value self, int64_t* out) {
  int64_t a, b;
  if (!Hash(cx, PeekSlot(self.as<GenericAlias>()->origin), &a) || !Hash(cx, PeekSlot(self.as<GenericAlias>()->args), &b)) return false;
  *out = (a ^ b) == -1 ? -2 : a ^ b;
  return true;
}
Ref AliasCompare(Context& cx, Value a, Value b, CompareOp op) {
  if (!IsAlias(cx, b) || (op != CompareOp::kEq && op != CompareOp::kNe)) return cx.NotImplementedRef();
  GenericAlias* x = a.as<GenericAlias>();
  GenericAlias* y = b.as<GenericAlias>();
  int same = Equal(cx, PeekSlot(x->origin), PeekSlot(y->origin));
  if (same > 0) same = Equal(cx, PeekSlot(x->args), PeekSlot(y->args));
  return same < 0 ? Ref() : cx.BoolRef((same != 0) == (op == CompareOp::kEq));
}
Ref AliasCreate(Context& cx, Class*, const Args& args) {
  if (!NoKeywords(cx, "GenericAlias", args) || !CheckArgCount(cx, "GenericAlias", args, 2, 2)) return Ref();
  return NewGenericAlias(cx, args[0], args[1]);
}
Ref AliasMroEntries(Context& cx, Value self, const Args&) { return Pack(cx, PeekSlot(self.as<GenericAlias>()->origin)); }
Ref AliasRefuses(Context& cx, Value, const Args&) { return RaiseTypeError(cx, "isinstance() argument 2 cannot be a parameterized generic"); }
Ref AliasRefusesClass(Context& cx, Value, const Args&) { return RaiseTypeError(cx, "issubclass() argument 2 cannot be a parameterized generic"); }
void VisitAlias(Object* o, SlotVisitor& v) {
  v.Visit(static_cast<GenericAlias*>(o)->origin);
  v.Visit(static_cast<GenericAlias*>(o)->args);
}
void ClearNothing(Context&, Object*) {}  // cycles are broken by the classes
void DestroyAlias(Context& cx, Object* o) {
  DecrefValue(cx.ts, PeekSlot(static_cast<GenericAlias*>(o)->origin));
  DecrefValue(cx.ts, PeekSlot(static_cast<GenericAlias*>(o)->args));
}
const MethodDef kAliasMethods[] = {{"__mro_entries__", AliasMroEntries, 1, 1},
                                   {"__instancecheck__", AliasRefuses, 1, 1},
                                   {"__subclasscheck__", AliasRefusesClass, 1, 1},
                                   {}};
const MemberDef kAliasMembers[] = {{"__origin__", offsetof(GenericAlias, origin), true, true},
                                   {"__args__", offsetof(GenericAlias, args), true, true},
                                   {nullptr, 0, false, false}};

// ---- unions ----------------------------------------------------------------------------------------------------

bool CanBeMember(Context& cx, Value v) { return IsClass(v) || v == cx.None() || IsAlias(cx, v) || IsUnion(cx, v); }

// Adds v, or the members of it, unless they are there.
bool AddMember(Context& cx, List* list, Value v) {
  if (IsUnion(cx, v)) {
    Tuple* t = PeekSlot(v.as<UnionType>()->args).as<Tuple>();
    for (size_t i = 0; i < t->length; i++) {
      if (!AddMember(cx, list, t->items[i])) return false;
    }
    return true;
  }
  if (v == cx.None()) v = cx.rt.cls.none_type;
  const size_t n = ListSize(list);
  for (size_t i = 0; i < n; i++) {
    Ref have = ListGet(cx, list, static_cast<int64_t>(i));
    const int same = have ? Equal(cx, have, v) : 0;
    if (same != 0) return same > 0;
  }
  return ListAppend(cx, list, v);
}

Ref UnionRepr(Context& cx, Value self) {
  std::string out;
  return AppendParts(cx, &out, PeekSlot(self.as<UnionType>()->args), " | ") ? NewStr(cx, out) : Ref();
}
bool UnionHash(Context& cx, Value self, int64_t* out) {
  Tuple* t = PeekSlot(self.as<UnionType>()->args).as<Tuple>();
  *out = 0;
  for (size_t i = 0; i < t->length; i++) {
    int64_t h;
    if (!Hash(cx, t->items[i], &h)) return false;
    *out ^= h;
  }
  if (*out == -1) *out = -2;
  return true;
}
Ref UnionCompare(Context& cx, Value a, Value b, CompareOp op) {
  if (!IsUnion(cx, b) || (op != CompareOp::kEq && op != CompareOp::kNe)) return cx.NotImplementedRef();
  Tuple* x = PeekSlot(a.as<UnionType>()->args).as<Tuple>();
  Tuple* y = PeekSlot(b.as<UnionType>()->args).as<Tuple>();
  bool same = x->length == y->length;
  for (size_t i = 0; same && i < x->length; i++) {
    const int found = Contains(cx, Value(y), x->items[i]);
    if (found < 0) return Ref();
    same = found != 0;
  }
  return cx.BoolRef(same == (op == CompareOp::kEq));
}
void VisitUnion(Object* o, SlotVisitor& v) { v.Visit(static_cast<UnionType*>(o)->args); }
void DestroyUnion(Context& cx, Object* o) { DecrefValue(cx.ts, PeekSlot(static_cast<UnionType*>(o)->args)); }
const MemberDef kUnionMembers[] = {{"__args__", offsetof(UnionType, args), true, true}, {nullptr, 0, false, false}};

NativeType AliasType() {
  NativeType t = {.name = "GenericAlias", .module = "types", .full_name = "types.GenericAlias", .size = sizeof(GenericAlias), .flags = kTypeHasRefs | kTypeTrackLater | kTypeWeakrefs};
  t.slots.repr = AliasRepr;
  t.slots.hash = AliasHash;
  t.slots.call = AliasCall;
  t.slots.getattr = AliasGetAttr;
  t.slots.compare = AliasCompare;
  t.slots.binary[static_cast<int>(BinaryOp::kOr)] = MakeUnion;
  t.slots.create = AliasCreate;
  t.methods = kAliasMethods;
  t.members = kAliasMembers;
  t.traverse = VisitAlias;
  t.clear = ClearNothing;
  t.destroy = DestroyAlias;
  return t;
}
NativeType UnionTypeType() {
  NativeType t = {.name = "UnionType", .module = "types", .full_name = "types.UnionType", .size = sizeof(UnionType), .flags = kTypeHasRefs | kTypeTrackLater | kTypeWeakrefs};
  t.slots.repr = UnionRepr;
  t.slots.hash = UnionHash;
  t.slots.compare = UnionCompare;
  t.slots.binary[static_cast<int>(BinaryOp::kOr)] = MakeUnion;
  t.members = kUnionMembers;
  t.traverse = VisitUnion;
  t.clear = ClearNothing;
  t.destroy = DestroyUnion;
  return t;
}
const NativeType kAliasType = AliasType();
const NativeType kUnionType = UnionTypeType();

}  // namespace

Ref NewGenericAlias(Context& cx, Value origin, Value args) {
  Ref tuple = Is<Tuple>(args) ? Ref::New(args) : Pack(cx, args);
  if (!tuple) return Ref();
  GenericAlias* a = NewNative<GenericAlias>(cx, cx.rt.State<AliasTypes>().alias);
  if (a == nullptr) return Ref();
  InitSlot(a->origin, Ref::New(origin));
  InitSlot(a->args, std::move(tuple));
  TrackNew(a);
  return Ref::Steal(a);
}

Ref MakeUnion(Context& cx, Value a, Value b) {
  if (!CanBeMember(cx, a) || !CanBeMember(cx, b)) return cx.NotImplementedRef();
  Ref list = NewList(cx);
  if (!list || !AddMember(cx, list.as<List>(), a) || !AddMember(cx, list.as<List>(), b)) return Ref();
  if (ListSize(list.as<List>()) == 1) return ListGet(cx, list.as<List>(), 0);
  Ref tuple = ListAsTuple(cx, list.as<List>());
  if (!tuple) return Ref();
  UnionType* u = NewNative<UnionType>(cx, cx.rt.cls.union_type);
  if (u == nullptr) return Ref();
  InitSlot(u->args, std::move(tuple));
  TrackNew(u);
  return Ref::Steal(u);
}

Ref UnionMembers(Context& cx, Value v) { return IsUnion(cx, v) ? Ref::New(PeekSlot(v.as<UnionType>()->args)) : Ref(); }

bool InitAliasTypes(Context& cx) {
  cx.rt.cls.union_type = DefineType(cx, kUnionType);
  cx.rt.State<AliasTypes>().alias = DefineType(cx, kAliasType);
  return cx.rt.cls.union_type != nullptr && cx.rt.State<AliasTypes>().alias != nullptr;
}

}  // namespace tidepool::rt
