// set and frozenset as types: slots, methods, iterator.
#include <cstring>

#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/key_equal.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/objects.h"
#include "tidepool/runtime/objects/set_internal.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/tuple.h"

namespace tidepool::rt {
namespace {

bool IsAnySet(Value v) { return HasLayout(v, Layout::kSet); }

// The class of results: frozenset of frozensets, set of sets; subclasses give their base.
Class* PlainClass(Context& cx, Value v) {
  return IsSubclass(ClassOf(v.object()), cx.rt.cls.frozenset) ? cx.rt.cls.frozenset : cx.rt.cls.set;
}

// `v` itself if it is a set, else a set of its items. Null: an exception is pending.
Ref AsSet(Context& cx, Value v) { return IsAnySet(v) ? Ref::New(v) : SetFromIterable(cx, cx.rt.cls.set, v); }

Ref CopyOf(Context& cx, Class* cls, Value v) {
  Ref s = NewSetOf(cx, cls);
  if (!s || !SetUpdate(cx, s, v)) return nullptr;
  return s;
}

// Calls fn(item, hash) for every item; false: stopped.
template <class Fn>
bool EachItem(Context& cx, Set* s, Fn fn) {
  size_t pos = 0;
  Ref item;
  int64_t hash;
  while (SetNextHash(cx, s, &pos, &item, &hash)) {
    SafepointInLoop(cx, pos);
    if (!fn(item.get(), hash)) return false;
  }
  return true;
}

Ref Intersect(Context& cx, Class* cls, Value a, Value b) {
  Ref result = NewSetOf(cx, cls);
  if (!result) return nullptr;
  auto* r = result.as<Set>();
  bool ok;
  if (IsAnySet(b)) {
    Set* x = a.as<Set>();
    Set* y = b.as<Set>();
    if (SetSize(y) > SetSize(x)) std::swap(x, y);
    ok = EachItem(cx, y, [&](Value item, int64_t hash) {
      int has = SetContainsWithHash(cx, x, item, hash);
      return has == 0 || (has == 1 && SetAddWithHash(cx, r, item, hash));
    });
  } else {
    ok = Iterate(cx, b, [&](Value item) {
      int64_t hash;
      if (!KeyHash(cx, item, &hash)) return false;
      int has = SetContainsWithHash(cx, a.as<Set>(), item, hash);
      return has == 0 || (has == 1 && SetAddWithHash(cx, r, item, hash));
    });
  }
  return ok ? std::move(result) : nullptr;
}

Ref Difference(Context& cx, Class* cls, Value a, Value b) {
  Ref other = Is<Dict>(b) ? Ref::New(b) : AsSet(cx, b);
  Ref result = other ? NewSetOf(cx, cls) : nullptr;
  if (!result) return nullptr;
  bool ok = EachItem(cx, a.as<Set>(), [&](Value item, int64_t hash) {
    Ref ignored;
    int has = Is<Dict>(other) ? DictGetWithHash(cx, other.as<Dict>(), item, hash, &ignored)
                              : SetContainsWithHash(cx, other.as<Set>(), item, hash);
    return has == 1 || (has == 0 && SetAddWithHash(cx, result.as<Set>(), item, hash));
  });
  return ok ? std::move(result) : nullptr;
}

Ref SymmetricDifference(Context& cx, Class* cls, Value a, Value b) {
  Ref other = AsSet(cx, b);
  if (!other) return nullptr;
  Ref result = Difference(cx, cls, a, other);
  if (!result) return nullptr;
  bool ok = EachItem(cx, other.as<Set>(), [&](Value item, int64_t hash) {
    int has = SetContainsWithHash(cx, a.as<Set>(), item, hash);
    return has == 1 || (has == 0 && SetAddWithHash(cx, result.as<Set>(), item, hash));
  });
  return ok ? std::move(result) : nullptr;
}

// Is every item of a in b?
int Subset(Context& cx, Set* a, Set* b) {
  if (SetSize(a) > SetSize(b)) return 0;
  int has = 1;
  EachItem(cx, a, [&](Value item, int64_t hash) {
    has = SetContainsWithHash(cx, b, item, hash);
    return has == 1;
  });
  return has;
}

Ref SetCompare(Context& cx, Value a, Value b, CompareOp op) {
  if (!IsAnySet(a) || !IsAnySet(b)) return cx.NotImplementedRef();
  auto* x = a.as<Set>();
  auto* y = b.as<Set>();
  int r;
  switch (op) {
    case CompareOp::kEq:
    case CompareOp::kNe:
      r = SetSize(x) == SetSize(y) ? Subset(cx, x, y) : 0;
      if (r >= 0 && op == CompareOp::kNe) r = !r;
      break;
    case CompareOp::kLe: r = Subset(cx, x, y); break;
    case CompareOp::kLt: r = SetSize(x) < SetSize(y) ? Subset(cx, x, y) : 0; break;
    case CompareOp::kGe: r = Subset(cx, y, x); break;
    default: r = SetSize(y) < SetSize(x) ? Subset(cx, y, x) : 0; break;
  }
  return r < 0 ? Ref() : cx.BoolRef(r == 1);
}

template <BinaryOp op>
Ref SetBinary(Context& cx, Value a, Value b) {
  if (!IsAnySet(a) || !IsAnySet(b)) return cx.NotImplementedRef();
  Class* cls = PlainClass(cx, a);
  if constexpr (op == BinaryOp::kAnd) return Intersect(cx, cls, a, b);
  if constexpr (op == BinaryOp::kSub) return Difference(cx, cls, a, b);
  if constexpr (op == BinaryOp::kXor) return SymmetricDifference(cx, cls, a, b);
  Ref r = CopyOf(cx, cls, a);
  return r && SetUpdate(cx, r, b) ? std::move(r) : nullptr;
}

bool UpdateIntersection(Context& cx, Value self, Value other) {
  Ref r = Intersect(cx, cx.rt.cls.set, self, other);
  return r && SetSwapBody(cx, self.as<Set>(), r.as<Set>());
}

bool UpdateDifference(Context& cx, Value self, Value other) {
  if (self == other) return SetClear(cx, self.as<Set>()), true;
  if (IsAnySet(other)) {
    return EachItem(cx, other.as<Set>(),
                    [&](Value item, int64_t hash) { return SetDiscardWithHash(cx, self.as<Set>(), item, hash) >= 0; });
  }
  return Iterate(cx, other, [&](Value item) { return SetDiscard(cx, self, item) >= 0; });
}

bool UpdateSymmetric(Context& cx, Value self, Value other) {
  if (self == other) return SetClear(cx, self.as<Set>()), true;
  Ref set = AsSet(cx, other);
  if (!set) return false;
  return EachItem(cx, set.as<Set>(), [&](Value item, int64_t hash) {
    int removed = SetDiscardWithHash(cx, self.as<Set>(), item, hash);
    return removed == 1 || (removed == 0 && SetAddWithHash(cx, self.as<Set>(), item, hash));
  });
}

template <BinaryOp op>
Ref SetInplace(Context& cx, Value self, Value other) {
  if (!IsAnySet(other)) return cx.NotImplementedRef();
  bool ok;
  if constexpr (op == BinaryOp::kAnd) ok = UpdateIntersection(cx, self, other);
  if constexpr (op == BinaryOp::kSub) ok = UpdateDifference(cx, self, other);
  if constexpr (op == BinaryOp::kXor) ok = UpdateSymmetric(cx, self, other);
  if constexpr (op == BinaryOp::kOr) ok = SetUpdate(cx, self, other);
  return ok ? Ref::New(self) : nullptr;
}

Ref SetRepr(Context& cx, Value self) {
  const char* name = ShortName(ClassOf(self.object()));
  Ref items = SetItems(cx, self.as<Set>());
  if (!items) return nullptr;
  TextBuffer out;
  bool plain = IsExact(self, cx.rt.cls.set);
  if (ListSize(items.as<List>()) == 0) {
    out.PutBytes(name, std::strlen(name));
    out.PutBytes("()", 2);
    return NewStrFromBuffer(cx, out);
  }
  if (!CheckNativeStack(cx)) return nullptr;
  ReprScope scope(cx, self);
  if (scope.failed()) return nullptr;
  if (!plain || scope.recursive()) {
    out.PutBytes(name, std::strlen(name));
    out.Put(U'(');
  }
  if (scope.recursive()) {
    out.PutBytes("...)", 4);
    return NewStrFromBuffer(cx, out);
  }
  Ref text = Repr(cx, items);
  if (!text) return nullptr;
  TextView body = text.as<Str>()->view();
  out.Put(U'{');
  out.Put(body.Sub(1, body.size - 1));
  out.Put(U'}');
  if (!plain) out.Put(U')');
  return NewStrFromBuffer(cx, out);
}

bool FrozenHash(Context&, Value self, int64_t* out) {
  auto* s = self.as<Set>();
  if ((*out = s->hash.load(kRelaxed)) != 0) return true;
  uint64_t h = 0;
  SetTable* table = s->table.load(kAcquire);
  uint32_t n = table == nullptr ? 0 : table->filled.load(kAcquire);
  for (uint32_t i = 0; i < n; ++i) {  // it never changes: no protocol
    if (!PeekSlot(table->entries()[i].key)) continue;
    auto x = static_cast<uint64_t>(table->entries()[i].hash.load(kRelaxed));
    h ^= ((x ^ 89869747u) ^ (x << 16)) * 3644798167u;
  }
  h ^= (SetSize(s) + 1) * 1927868237u;
  h ^= (h >> 11) ^ (h >> 25);
  h = h * 69069u + 907133923u;
  auto r = static_cast<int64_t>(h);
  if (r == -1 || r == 0) r = 590923713;
  s->hash.store(r, kRelaxed);  // any thread computes the same
  *out = r;
  return true;
}

int64_t SetLen(Context&, Value self) { return static_cast<int64_t>(SetSize(self.as<Set>())); }
int SetTruth(Context&, Value self) { return SetSize(self.as<Set>()) != 0; }

// A set as a key is looked up as a frozenset of its items, as in CPython.
int ContainsItem(Context& cx, Value self, Value item) {
  int has = SetContains(cx, self, item);
  if (has >= 0 || !IsAnySet(item) || !ClearIf(cx, cx.rt.exc.TypeError)) return has;
  Ref frozen = SetFromIterable(cx, cx.rt.cls.frozenset, item);
  return frozen ? SetContains(cx, self, frozen) : -1;
}

int DiscardItem(Context& cx, Value self, Value item) {
  int done = SetDiscard(cx, self, item);
  if (done >= 0 || !IsAnySet(item) || !ClearIf(cx, cx.rt.exc.TypeError)) return done;
  Ref frozen = SetFromIterable(cx, cx.rt.cls.frozenset, item);
  return frozen ? SetDiscard(cx, self, frozen) : -1;
}

Ref SetCreate(Context& cx, Class* cls, const Args&) { return NewSetOf(cx, cls); }

bool SetInit(Context& cx, Value self, const Args& args) {
  if (IsExact(self, cx.rt.cls.set) && !NoKeywords(cx, "set", args)) return false;
  if (!CheckArgCount(cx, "set", args, 0, 1)) return false;
  if (SetSize(self.as<Set>()) != 0) SetClear(cx, self.as<Set>());
  return args.npos == 0 || SetUpdate(cx, self, args[0]);
}

Ref FrozenCreate(Context& cx, Class* cls, const Args& args) {
  if (cls == cx.rt.cls.frozenset && !NoKeywords(cx, "frozenset", args)) return nullptr;
  if (!CheckArgCount(cx, "frozenset", args, 0, 1)) return nullptr;
  return SetFromIterable(cx, cls, args.Get(0));
}

// ---- methods

Ref Done(Context& cx, bool ok) { return ok ? cx.NoneRef() : nullptr; }

Ref Add(Context& cx, Value self, const Args& args) { return Done(cx, SetAdd(cx, self, args[0])); }
Ref Discard(Context& cx, Value self, const Args& args) { return Done(cx, DiscardItem(cx, self, args[0]) >= 0); }

Ref Remove(Context& cx, Value self, const Args& args) {
  int done = DiscardItem(cx, self, args[0]);
  if (done == 0) return RaiseKeyError(cx, args[0]);
  return Done(cx, done == 1);
}

Ref Pop(Context& cx, Value self, const Args&) {
  Ref item = SetPop(cx, self.as<Set>());
  if (item) return item;
  Ref text = NewStr(cx, "pop from an empty set");
  return text ? RaiseKeyError(cx, text) : nullptr;
}

Ref Clear(Context& cx, Value self, const Args&) {
  SetClear(cx, self.as<Set>());
  return cx.NoneRef();
}

Ref Copy(Context& cx, Value self, const Args&) {
  Class* cls = PlainClass(cx, self);
  if (cls == cx.rt.cls.frozenset && IsExact(self, cls)) return Ref::New(self);
  return CopyOf(cx, cls, self);
}

Ref Update(Context& cx, Value self, const Args& args) {
  for (size_t i = 0; i < args.npos; ++i) {
    if (!SetUpdate(cx, self, args[i])) return nullptr;
  }
  return cx.NoneRef();
}

Ref Union(Context& cx, Value self, const Args& args) {
  Ref r = CopyOf(cx, PlainClass(cx, self), self);
  for (size_t i = 0; r && i < args.npos; ++i) {
    if (!SetUpdate(cx, r, args[i])) return nullptr;
  }
  return r;
}

template <Ref (*fn)(Context&, Class*, Value, Value)>
Ref Fold(Context& cx, Value self, const Args& args) {
  Class* cls = PlainClass(cx, self);
  if (args.npos == 0) return CopyOf(cx, cls, self);
  Ref r = Ref::New(self);
  for (size_t i = 0; r && i < args.npos; ++i) r = fn(cx, cls, r, args[i]);
  return r;
}

Ref SymmetricMethod(Context& cx, Value self, const Args& args) {
  return SymmetricDifference(cx, PlainClass(cx, self), self, args[0]);
}

template <bool (*fn)(Context&, Value, Value)>
Ref UpdateMethod(Context& cx, Value self, const Args& args) {
  for (size_t i = 0; i < args.npos; ++i) {
    if (!fn(cx, self, args[i])) return nullptr;
  }
  return cx.NoneRef();
}

Ref IsSubset(Context& cx, Value self, const Args& args) {
  Ref other = AsSet(cx, args[0]);
  int r = other ? Subset(cx, self.as<Set>(), other.as<Set>()) : -1;
  return r < 0 ? Ref() : cx.BoolRef(r == 1);
}

Ref IsSuperset(Context& cx, Value self, const Args& args) {
  Ref other = AsSet(cx, args[0]);
  int r = other ? Subset(cx, other.as<Set>(), self.as<Set>()) : -1;
  return r < 0 ? Ref() : cx.BoolRef(r == 1);
}

Ref IsDisjoint(Context& cx, Value self, const Args& args) {
  int has = 0;
  bool ok;
  if (IsAnySet(args[0])) {
    Set* a = self.as<Set>();
    Set* b = args[0].as<Set>();
    if (SetSize(b) > SetSize(a)) std::swap(a, b);
    ok = EachItem(cx, b, [&](Value item, int64_t hash) { return (has = SetContainsWithHash(cx, a, item, hash)) == 0; });
  } else {
    ok = Iterate(cx, args[0], [&](Value item) { return (has = SetContains(cx, self, item)) == 0; });
  }
  if (!ok && cx.has_exception()) return nullptr;
  return cx.BoolRef(has == 0);
}

Ref Reduce(Context& cx, Value self, const Args&) {
  Ref items = SetItems(cx, self.as<Set>());
  Ref args = items ? Pack(cx, items) : nullptr;
  return args ? Pack(cx, ClassOf(self.object()), args) : nullptr;
}

#define TIDEPOOL_SET_METHODS                                                  \
  {"copy", Copy, 0, 0}, {"union", Union, 0, -1},                              \
      {"intersection", Fold<Intersect>, 0, -1}, {"difference", Fold<Difference>, 0, -1}, \
      {"symmetric_difference", SymmetricMethod, 1, 1}, {"issubset", IsSubset, 1, 1},     \
      {"issuperset", IsSuperset, 1, 1}, {"isdisjoint", IsDisjoint, 1, 1}, {"__reduce__", Reduce, 0, 0}

const MethodDef kSetMethods[] = {
    TIDEPOOL_SET_METHODS,
    {"add", Add, 1, 1},
    {"discard", Discard, 1, 1},
    {"remove", Remove, 1, 1},
    {"pop", Pop, 0, 0},
    {"clear", Clear, 0, 0},
    {"update", Update, 0, -1},
    {"intersection_update", UpdateMethod<UpdateIntersection>, 0, -1},
    {"difference_update", UpdateMethod<UpdateDifference>, 0, -1},
    {"symmetric_difference_update", UpdateMethod<UpdateSymmetric>, 1, 1},
    {},
};
const MethodDef kFrozenMethods[] = {TIDEPOOL_SET_METHODS, {}};

// ---- iterator

struct SetIterator : Object {
  Value set;                 // owned, never changes
  Atomic<int64_t> position;  // -1: exhausted
  Atomic<int64_t> expected;  // items the set had; -1: it has changed
  Atomic<int64_t> remaining;
};

Ref SetIter(Context& cx, Value self) {
  auto* it = NewExact<SetIterator>(cx, cx.rt.cls.set_iterator);
  if (it == nullptr) return nullptr;
  IncrefValue(self);
  it->set = self;
  auto n = static_cast<int64_t>(SetSize(self.as<Set>()));
  it->position.store(0, kRelaxed);
  it->expected.store(n, kRelaxed);
  it->remaining.store(n, kRelaxed);
  TrackNew(it);
  return Ref::Steal(it);
}

Ref Self(Context&, Value self) { return Ref::New(self); }

Ref IteratorNext(Context& cx, Value self) {
  auto* it = self.as<SetIterator>();
  auto* s = it->set.as<Set>();
  int64_t position = it->position.load(kRelaxed);  // relaxed: shared iterators may repeat
  if (position < 0) return nullptr;
  if (it->expected.load(kRelaxed) != static_cast<int64_t>(SetSize(s))) {
    it->expected.store(-1, kRelaxed);
    return RaiseRuntimeError(cx, "Set changed size during iteration");
  }
  auto pos = static_cast<size_t>(position);
  Ref item;
  bool found = SetNext(cx, s, &pos, &item);
  it->position.store(found ? static_cast<int64_t>(pos) : -1, kRelaxed);
  it->remaining.store(it->remaining.load(kRelaxed) - 1, kRelaxed);
  return item;
}

Ref LengthHint(Context&, Value self, const Args&) {
  auto* it = self.as<SetIterator>();
  int64_t left = it->remaining.load(kRelaxed);
  bool same = it->expected.load(kRelaxed) == static_cast<int64_t>(SetSize(it->set.as<Set>()));
  return Ref::Small(!same || left < 0 || it->position.load(kRelaxed) < 0 ? 0 : left);
}

const MethodDef kIteratorMethods[] = {{"__length_hint__", LengthHint, 0, 0}, {}};
void TraverseIterator(Object* o, SlotVisitor& v) { v.Visit(static_cast<SetIterator*>(o)->set); }
void DestroyIterator(Context& cx, Object* o) { DecrefValue(cx.ts, static_cast<SetIterator*>(o)->set); }

NativeType SetType(const char* name, bool frozen) {
  NativeType t;
  t.name = name;
  t.layout = Layout::kSet;
  t.size = sizeof(Set);
  t.flags = kTypeSubclassable | kTypeHasRefs | kTypeWeakrefs | (frozen ? 0u : uint32_t{kTypeUnhashable});
  t.slots.repr = SetRepr;
  t.slots.iter = SetIter;
  t.slots.len = SetLen;
  t.slots.truth = SetTruth;
  t.slots.contains = ContainsItem;
  t.slots.compare = SetCompare;
  auto binary = [&](BinaryOp op) -> auto& { return t.slots.binary[static_cast<int>(op)]; };
  binary(BinaryOp::kAnd) = SetBinary<BinaryOp::kAnd>;
  binary(BinaryOp::kOr) = SetBinary<BinaryOp::kOr>;
  binary(BinaryOp::kXor) = SetBinary<BinaryOp::kXor>;
  binary(BinaryOp::kSub) = SetBinary<BinaryOp::kSub>;
  if (frozen) {
    t.slots.hash = FrozenHash;
    t.slots.create = FrozenCreate;
    t.methods = kFrozenMethods;
  } else {
    auto inplace = [&](BinaryOp op) -> auto& { return t.slots.inplace[static_cast<int>(op)]; };
    inplace(BinaryOp::kAnd) = SetInplace<BinaryOp::kAnd>;
    inplace(BinaryOp::kOr) = SetInplace<BinaryOp::kOr>;
    inplace(BinaryOp::kXor) = SetInplace<BinaryOp::kXor>;
    inplace(BinaryOp::kSub) = SetInplace<BinaryOp::kSub>;
    t.slots.create = SetCreate;
    t.slots.init = SetInit;
    t.methods = kSetMethods;
  }
  t.traverse = TraverseSet;
  t.clear = ClearSet;
  t.destroy = DestroySet;
  return t;
}

NativeType IteratorType() {
  NativeType t;
  t.name = "set_iterator";
  t.size = sizeof(SetIterator);
  t.flags = kTypeHasRefs | kTypeTrackLater;
  t.slots.iter = Self;
  t.slots.next = IteratorNext;
  t.methods = kIteratorMethods;
  t.traverse = TraverseIterator;
  t.destroy = DestroyIterator;
  return t;
}

}  // namespace

bool InitSetTypes(Context& cx) {
  static const NativeType set = SetType("set", false);
  static const NativeType frozen = SetType("frozenset", true);
  static const NativeType iterator = IteratorType();
  BuiltinClasses& c = cx.rt.cls;
  return (c.set = DefineType(cx, set)) != nullptr && (c.frozenset = DefineType(cx, frozen)) != nullptr &&
         (c.set_iterator = DefineType(cx, iterator)) != nullptr;
}

}  // namespace tidepool::rt
