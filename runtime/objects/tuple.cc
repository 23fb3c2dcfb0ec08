// tuple: see the header. A tuple is filled before anybody else sees it, so its items are plain words.
#include "tidepool/runtime/objects/tuple.h"

#include "tidepool/runtime/objects/key_equal.h"
#include "tidepool/runtime/objects/list_internal.h"
#include "tidepool/runtime/objects/objects.h"
#include "tidepool/runtime/objects/slice.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

// Room for n items, untracked, items not set.
Tuple* NewTupleRoom(Context& cx, size_t n) {
  if (n > (SIZE_MAX >> 5)) return RaiseMemoryError(cx), nullptr;
  Tuple* t = NewExact<Tuple>(cx, cx.rt.cls.tuple, sizeof(Tuple) + n * sizeof(Value));
  if (t == nullptr) return nullptr;
  t->length = n;
  return t;
}

void Finish(Tuple* t) {
  for (size_t i = 0; i < t->length; ++i) {
    if (MayRefer(t->items[i])) {
      TrackNew(t);
      return;
    }
  }
}

void TraverseTuple(Object* o, SlotVisitor& v) {
  auto* t = static_cast<Tuple*>(o);
  for (size_t i = 0; i < t->length; ++i) v.Visit(t->items[i]);
}

void DestroyTuple(Context& cx, Object* o) {
  auto* t = static_cast<Tuple*>(o);
  for (size_t i = t->length; i-- > 0;) {
    PauseInLoop(cx, i);
    DecrefValue(cx.ts, t->items[i]);
  }
}

Ref TupleRepr(Context& cx, Value self) {
  auto* t = self.as<Tuple>();
  if (t->length == 0) return NewStr(cx, "()");
  if (!CheckNativeStack(cx)) return nullptr;
  ReprScope scope(cx, self);
  if (scope.failed()) return nullptr;
  if (scope.recursive()) return NewStr(cx, "(...)");
  TextBuffer out;
  out.Put(U'(');
  for (size_t i = 0; i < t->length; ++i) {
    if (i != 0) out.PutBytes(", ", 2);
    Ref text = Repr(cx, t->items[i]);
    if (!text) return nullptr;
    out.Put(text.as<Str>()->view());
  }
  if (t->length == 1) out.Put(U',');
  out.Put(U')');
  return NewStrFromBuffer(cx, out);
}

// CPython's xxHash-based combination.
bool TupleHash(Context& cx, Value self, int64_t* out) {
  auto* t = self.as<Tuple>();
  constexpr uint64_t kPrime1 = 11400714785074694791ull;
  constexpr uint64_t kPrime2 = 14029467366897019727ull;
  constexpr uint64_t kPrime5 = 2870177450012600261ull;
  uint64_t acc = kPrime5;
  for (size_t i = 0; i < t->length; ++i) {
    SafepointInLoop(cx, i);
    int64_t lane;
    if (!KeyHash(cx, t->items[i], &lane)) return false;
    acc += static_cast<uint64_t>(lane) * kPrime2;
    acc = (acc << 31) | (acc >> 33);
    acc *= kPrime1;
  }
  acc += t->length ^ (kPrime5 ^ 3527539ull);
  if (acc == ~uint64_t{0}) acc = 1546275796;
  *out = static_cast<int64_t>(acc);
  return true;
}

Ref TupleCompare(Context& cx, Value self, Value other, CompareOp op) {
  if (!Is<Tuple>(self) || !Is<Tuple>(other)) return cx.NotImplementedRef();
  if (!CheckNativeStack(cx)) return nullptr;
  auto* a = self.as<Tuple>();
  auto* b = other.as<Tuple>();
  if (a->length != b->length && (op == CompareOp::kEq || op == CompareOp::kNe)) {
    return cx.BoolRef(op == CompareOp::kNe);
  }
  size_t n = a->length < b->length ? a->length : b->length;
  for (size_t i = 0; i < n; ++i) {
    SafepointInLoop(cx, i);
    int same = Equal(cx, a->items[i], b->items[i]);
    if (same < 0) return nullptr;
    if (same == 1) continue;
    if (op == CompareOp::kEq) return cx.BoolRef(false);
    if (op == CompareOp::kNe) return cx.BoolRef(true);
    return Compare(cx, a->items[i], b->items[i], op);
  }
  bool r;
  switch (op) {
    case CompareOp::kLt: r = a->length < b->length; break;
    case CompareOp::kLe: r = a->length <= b->length; break;
    case CompareOp::kEq: r = a->length == b->length; break;
    case CompareOp::kNe: r = a->length != b->length; break;
    case CompareOp::kGt: r = a->length > b->length; break;
    default: r = a->length >= b->length; break;
  }
  return cx.BoolRef(r);
}

int64_t TupleLen(Context&, Value self) { return static_cast<int64_t>(self.as<Tuple>()->length); }

Ref TupleGetItem(Context& cx, Value self, Value key) {
  auto* t = self.as<Tuple>();
  if (auto* s = As<Slice>(key); s != nullptr) {
    SliceRange r;
    if (!SliceIndices(cx, s, static_cast<int64_t>(t->length), &r)) return nullptr;
    if (r.step == 1) return TupleSlice(cx, t, static_cast<size_t>(r.start), static_cast<size_t>(r.start + r.count));
    if (r.count == 0) return Ref::New(cx.rt.empty_tuple);
    Tuple* result = NewTupleRoom(cx, static_cast<size_t>(r.count));
    if (result == nullptr) return nullptr;
    for (int64_t i = 0, at = r.start; i < r.count; ++i, at += r.step) {
      result->items[i] = t->items[at];
      IncrefValue(result->items[i]);
    }
    Finish(result);
    return Ref::Steal(result);
  }
  int64_t i;
  if (key.is_small_int()) {
    i = key.small_int();
  } else {
    if (!IsInt(key) && ClassOf(cx, key)->slots.index == nullptr) {
      return RaiseTypeError(cx, "tuple indices must be integers or slices, not %s", ClassName(cx, key));
    }
    if (!ItemIndex(cx, key, &i)) return nullptr;
  }
  if (i < 0) i += static_cast<int64_t>(t->length);
  if (i < 0 || static_cast<size_t>(i) >= t->length) return RaiseIndexError(cx, "tuple index out of range");
  return Ref::New(t->items[i]);
}

int TupleContains(Context& cx, Value self, Value item) {
  auto* t = self.as<Tuple>();
  for (size_t i = 0; i < t->length; ++i) {
    SafepointInLoop(cx, i);
    int same = Equal(cx, t->items[i], item);
    if (same != 0) return same;
  }
  return 0;
}

Ref TupleAdd(Context& cx, Value a, Value b) {
  if (!Is<Tuple>(a)) return cx.NotImplementedRef();
  if (!Is<Tuple>(b)) {
    return RaiseTypeError(cx, "can only concatenate tuple (not \"%s\") to tuple", ClassName(cx, b));
  }
  auto* x = a.as<Tuple>();
  auto* y = b.as<Tuple>();
  if (y->length == 0 && IsExact(a, cx.rt.cls.tuple)) return Ref::New(a);
  if (x->length == 0 && IsExact(b, cx.rt.cls.tuple)) return Ref::New(b);
  Tuple* t = NewTupleRoom(cx, x->length + y->length);
  if (t == nullptr) return nullptr;
  for (size_t i = 0; i < x->length; ++i) t->items[i] = x->items[i];
  for (size_t i = 0; i < y->length; ++i) t->items[x->length + i] = y->items[i];
  for (size_t i = 0; i < t->length; ++i) {
    PauseInLoop(cx, i);
    IncrefValue(t->items[i]);
  }
  Finish(t);
  return Ref::Steal(t);
}

Ref TupleMul(Context& cx, Value a, Value b) {
  if (!Is<Tuple>(a)) {
    Value swap = a;
    a = b;
    b = swap;
  }
  if (!IsInt(b) && ClassOf(cx, b)->slots.index == nullptr) return cx.NotImplementedRef();
  int64_t n;
  if (!RepeatCount(cx, b, &n)) return nullptr;
  auto* x = a.as<Tuple>();
  if (n <= 0 || x->length == 0) return Ref::New(cx.rt.empty_tuple);
  if (n == 1 && IsExact(a, cx.rt.cls.tuple)) return Ref::New(a);
  size_t total;
  if (__builtin_mul_overflow(x->length, static_cast<size_t>(n), &total)) return RaiseMemoryError(cx);
  Tuple* t = NewTupleRoom(cx, total);
  if (t == nullptr) return nullptr;
  for (size_t i = 0; i < total; ++i) {
    PauseInLoop(cx, i);
    t->items[i] = x->items[i % x->length];
    IncrefValue(t->items[i]);
  }
  Finish(t);
  return Ref::Steal(t);
}

Ref TupleIter(Context& cx, Value self) {
  auto* it = NewExact<TupleIterator>(cx, cx.rt.cls.tuple_iterator);
  if (it == nullptr) return nullptr;
  IncrefValue(self);
  it->tuple = self;
  it->next.store(0, kRelaxed);
  TrackNew(it);
  return Ref::Steal(it);
}

Ref TupleCreate(Context& cx, Class* cls, const Args& args) {
  if (cls == cx.rt.cls.tuple && !NoKeywords(cx, "tuple", args)) return nullptr;
  if (!CheckArgCount(cx, "tuple", args, 0, 1)) return nullptr;
  Ref plain = args.npos == 0 ? Ref::New(cx.rt.empty_tuple) : TupleFromIterable(cx, args[0]);
  if (!plain || cls == cx.rt.cls.tuple) return plain;
  auto* from = plain.as<Tuple>();
  Ref r = NewInstance(cx, cls, from->length * sizeof(Value));
  if (!r) return nullptr;
  auto* t = r.as<Tuple>();
  for (size_t i = 0; i < from->length; ++i) {
    t->items[i] = from->items[i];
    IncrefValue(t->items[i]);
  }
  t->length = from->length;
  TrackNew(t);  // an instance of a subclass always: it may have attributes, too
  return r;
}

Ref TupleCount(Context& cx, Value self, const Args& args) {
  auto* t = self.as<Tuple>();
  int64_t n = 0;
  for (size_t i = 0; i < t->length; ++i) {
    SafepointInLoop(cx, i);
    int same = Equal(cx, t->items[i], args[0]);
    if (same < 0) return nullptr;
    n += same;
  }
  return Ref::Small(n);
}

Ref TupleIndex(Context& cx, Value self, const Args& args) {
  auto* t = self.as<Tuple>();
  int64_t from, to;
  if (!SliceBounds(cx, args.Get(1), args.Get(2), static_cast<int64_t>(t->length), &from, &to)) return nullptr;
  for (int64_t i = from; i < to; ++i) {
    int same = Equal(cx, t->items[i], args[0]);
    if (same < 0) return nullptr;
    if (same == 1) return Ref::Small(i);
  }
  return RaiseValueError(cx, "tuple.index(x): x not in tuple");
}

Ref TupleGetNewArgs(Context& cx, Value self, const Args&) {
  auto* t = self.as<Tuple>();
  Ref plain = NewTuple(cx, t->items, t->length);
  if (!plain) return nullptr;
  return Pack(cx, plain);
}

const MethodDef kTupleMethods[] = {
    {"count", TupleCount, 1, 1},
    {"index", TupleIndex, 1, 3},
    {"__getnewargs__", TupleGetNewArgs, 0, 0},
    {},
};

void TraverseIterator(Object* o, SlotVisitor& v) { v.Visit(static_cast<TupleIterator*>(o)->tuple); }
void DestroyIterator(Context& cx, Object* o) { DecrefValue(cx.ts, static_cast<TupleIterator*>(o)->tuple); }
Ref IteratorSelf(Context&, Value self) { return Ref::New(self); }
Ref IteratorNext(Context&, Value self) { return TupleIterNext(self.as<TupleIterator>()); }

Ref IteratorLengthHint(Context&, Value self, const Args&) {
  auto* it = self.as<TupleIterator>();
  int64_t at = it->next.load(kRelaxed);
  int64_t n = static_cast<int64_t>(it->tuple.as<Tuple>()->length);
  return Ref::Small(at < 0 || at > n ? 0 : n - at);
}

const MethodDef kIteratorMethods[] = {{"__length_hint__", IteratorLengthHint, 0, 0}, {}};

NativeType MakeTupleType() {
  NativeType t;
  t.name = "tuple";
  t.layout = Layout::kTuple;
  t.size = sizeof(Tuple);
  t.flags = kTypeSubclassable | kTypeHasRefs | kTypeVarSized | kTypeTrackLater | kTypeSequence;
  t.slots.repr = TupleRepr;
  t.slots.hash = TupleHash;
  t.slots.compare = TupleCompare;
  t.slots.len = TupleLen;
  t.slots.getitem = TupleGetItem;
  t.slots.contains = TupleContains;
  t.slots.iter = TupleIter;
  t.slots.create = TupleCreate;
  t.slots.binary[static_cast<int>(BinaryOp::kAdd)] = TupleAdd;
  t.slots.binary[static_cast<int>(BinaryOp::kMul)] = TupleMul;
  t.methods = kTupleMethods;
  t.traverse = TraverseTuple;
  t.destroy = DestroyTuple;
  return t;
}

}  // namespace

const NativeType kTupleType = MakeTupleType();

Ref NewTuple(Context& cx, const Value* items, size_t n) {
  if (n == 0 && cx.rt.empty_tuple) return Ref::New(cx.rt.empty_tuple);
  Tuple* t = NewTupleRoom(cx, n);
  if (t == nullptr) return nullptr;
  for (size_t i = 0; i < n; ++i) {
    t->items[i] = items[i];
    IncrefValue(items[i]);
  }
  Finish(t);
  return Ref::Steal(t);
}

Ref NewTupleSteal(Context& cx, Value* items, size_t n) {
  if (n == 0 && cx.rt.empty_tuple) return Ref::New(cx.rt.empty_tuple);
  Tuple* t = NewTupleRoom(cx, n);
  if (t == nullptr && ReclaimMemory(cx)) t = NewTupleRoom(cx, n);
  if (t == nullptr) {
    for (size_t i = n; i-- > 0;) DecrefValue(cx.ts, items[i]);
    return nullptr;
  }
  for (size_t i = 0; i < n; ++i) t->items[i] = items[i];
  Finish(t);
  return Ref::Steal(t);
}

Ref NewTupleStealBefore(Context& cx, Value* items, size_t n, const Tuple* rest) {
  Tuple* t = NewTupleRoom(cx, n + rest->length);
  if (t == nullptr && ReclaimMemory(cx)) t = NewTupleRoom(cx, n + rest->length);
  if (t == nullptr) {
    for (size_t i = n; i-- > 0;) DecrefValue(cx.ts, items[i]);
    return nullptr;
  }
  for (size_t i = 0; i < n; ++i) t->items[i] = items[i];
  for (size_t i = 0; i < rest->length; ++i) {
    PauseInLoop(cx, i);
    t->items[n + i] = rest->items[i];
    IncrefValue(rest->items[i]);
  }
  Finish(t);
  return Ref::Steal(t);
}

Ref TupleFromIterable(Context& cx, Value iterable) {
  if (IsExact(iterable, cx.rt.cls.tuple)) return Ref::New(iterable);
  if (IsExact(iterable, cx.rt.cls.list)) return ListAsTuple(cx, iterable.as<List>());
  Ref list = ListFromIterable(cx, iterable);
  return list ? ListIntoTuple(cx, std::move(list)) : nullptr;
}

Ref TupleSlice(Context& cx, Tuple* t, size_t start, size_t end) {
  if (start == 0 && end == t->length && IsExact(t, cx.rt.cls.tuple)) return Ref::New(t);
  return NewTuple(cx, t->items + start, end - start);
}

bool InitEmptyTuple(Context& cx) {
  if (cx.rt.empty_tuple) return true;
  Tuple* t = NewTupleRoom(cx, 0);
  if (t == nullptr) return false;
  SetImmortal(cx.ts, t);
  cx.rt.empty_tuple = t;
  return true;
}

bool InitTupleIterator(Context& cx) {
  NativeType t;
  t.name = "tuple_iterator";
  t.size = sizeof(TupleIterator);
  t.flags = kTypeHasRefs | kTypeTrackLater;
  t.slots.iter = IteratorSelf;
  t.slots.next = IteratorNext;
  t.methods = kIteratorMethods;
  t.traverse = TraverseIterator;
  t.destroy = DestroyIterator;
  static const NativeType kType = t;
  return (cx.rt.cls.tuple_iterator = DefineType(cx, kType)) != nullptr;
}

}  // namespace tidepool::rt
