// range and its iterator: see the header. Everything is computed with ints of any size; iteration over ranges
// whose values all fit a small int uses plain words.
#include "tidepool/runtime/objects/range.h"

#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/objects.h"
#include "tidepool/runtime/objects/slice.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

// max(0, ceil((stop - start) / step)).
Ref ComputeLength(Context& cx, Value start, Value stop, Value step) {
  if (start.is_small_int() && stop.is_small_int() && step.is_small_int()) {
    int64_t a = start.small_int();
    int64_t b = stop.small_int();
    int64_t s = step.small_int();
    if (s > 0) return NewInt(cx, a < b ? (b - a - 1) / s + 1 : 0);
    return NewInt(cx, b < a ? (a - b - 1) / -s + 1 : 0);
  }
  bool down = IntIsNegative(step);
  Ref low = Ref::New(down ? stop : start);
  Ref high = Ref::New(down ? start : stop);
  if (IntCompare(low, high) >= 0) return Ref::Small(0);
  Ref distance = IntSub(cx, high, low);
  Ref last = distance ? IntSub(cx, distance, Value::Small(1)) : nullptr;
  Ref stride = last ? IntAbs(cx, step) : nullptr;
  Ref q = stride ? IntFloorDiv(cx, last, stride) : nullptr;
  return q ? IntAdd(cx, q, Value::Small(1)) : nullptr;
}

// start + i * step.
Ref ItemAt(Context& cx, Range* r, Value i) {
  Ref offset = IntMul(cx, i, r->step);
  return offset ? IntAdd(cx, r->start, offset) : nullptr;
}

Ref RangeGetItem(Context& cx, Value self, Value key) {
  auto* r = self.as<Range>();
  if (auto* s = As<Slice>(key); s != nullptr) {
    // As slice.indices, with ints of any size: only small lengths are met in practice, so those are what
    // slices of ranges support.
    int64_t length;
    if (!IntToInt64(r->length, &length)) return RaiseOverflowError(cx, "range too long to be sliced");
    SliceRange at;
    if (!SliceIndices(cx, s, length, &at)) return nullptr;
    Ref i = NewInt(cx, at.start);
    Ref j = NewInt(cx, at.stop);
    Ref k = NewInt(cx, at.step);
    Ref start = i && j && k ? ItemAt(cx, r, i) : nullptr;
    Ref stop = start ? ItemAt(cx, r, j) : nullptr;
    Ref step = stop ? IntMul(cx, r->step, k) : nullptr;
    return step ? NewRange(cx, start, stop, step) : nullptr;
  }
  if (!IsInt(key) && ClassOf(cx, key)->slots.index == nullptr) {
    return RaiseTypeError(cx, "range indices must be integers or slices, not %s", ClassName(cx, key));
  }
  Ref i = Index(cx, key);
  if (!i) return nullptr;
  if (IntIsNegative(i)) i = IntAdd(cx, i, r->length);
  if (!i) return nullptr;
  if (IntIsNegative(i) || IntCompare(i, r->length) >= 0) {
    return RaiseIndexError(cx, "range object index out of range");
  }
  return ItemAt(cx, r, i);
}

int64_t RangeLen(Context& cx, Value self) {
  int64_t n;
  if (IntToInt64(self.as<Range>()->length, &n)) return n;
  RaiseOverflowError(cx, "Python int too large to convert to C ssize_t");
  return -1;
}

int RangeTruth(Context&, Value self) { return !IntIsZero(self.as<Range>()->length); }

// The index of an int in the range, or null (nothing raised unless there is no memory).
Ref FindInt(Context& cx, Range* r, Value v) {
  Ref offset = IntSub(cx, v, r->start);
  if (!offset) return nullptr;
  Ref rest = IntMod(cx, offset, r->step);
  if (!rest || !IntIsZero(rest)) return nullptr;
  Ref i = IntFloorDiv(cx, offset, r->step);
  if (!i || IntIsNegative(i) || IntCompare(i, r->length) >= 0) return nullptr;
  return i;
}

bool IsPlainInt(Context& cx, Value v) {
  return v.is_small_int() || IsExact(v, cx.rt.cls.int_) || IsExact(v, cx.rt.cls.bool_);
}

int RangeContains(Context& cx, Value self, Value item) {
  auto* r = self.as<Range>();
  if (IsPlainInt(cx, item)) {
    Ref i = FindInt(cx, r, item);
    return cx.has_exception() ? -1 : static_cast<bool>(i);
  }
  int result = 0;
  bool ok = Iterate(cx, self, [&](Value v) {
    result = Equal(cx, v, item);
    return result == 0;
  });
  return !ok && cx.has_exception() ? -1 : result;
}

Ref RangeIndexOf(Context& cx, Value self, const Args& args) {
  auto* r = self.as<Range>();
  if (IsPlainInt(cx, args[0])) {
    Ref i = FindInt(cx, r, args[0]);
    if (i || cx.has_exception()) return i;
  } else {
    int64_t at = 0;
    int found = 0;
    bool ok = Iterate(cx, self, [&](Value v) {
      found = Equal(cx, v, args[0]);
      if (found == 0) ++at;
      return found == 0;
    });
    if (!ok && cx.has_exception()) return nullptr;
    if (found == 1) return NewInt(cx, at);
  }
  Ref text = Repr(cx, args[0]);
  return text ? RaiseValueError(cx, "%s is not in range", ToUtf8(text.as<Str>()).c_str()) : nullptr;
}

Ref RangeCount(Context& cx, Value self, const Args& args) {
  if (IsPlainInt(cx, args[0])) {
    int has = RangeContains(cx, self, args[0]);
    return has < 0 ? Ref() : Ref::Small(has);
  }
  int64_t n = 0;
  bool ok = Iterate(cx, self, [&](Value v) {
    int same = Equal(cx, v, args[0]);
    n += same == 1;
    return same >= 0;
  });
  return ok ? NewInt(cx, n) : nullptr;
}

Ref RangeRepr(Context& cx, Value self) {
  auto* r = self.as<Range>();
  Ref a = IntToStr(cx, r->start);
  Ref b = a ? IntToStr(cx, r->stop) : nullptr;
  Ref c = b ? IntToStr(cx, r->step) : nullptr;
  if (!c) return nullptr;
  TextBuffer out;
  out.PutBytes("range(", 6);
  out.Put(a.as<Str>()->view());
  out.PutBytes(", ", 2);
  out.Put(b.as<Str>()->view());
  if (r->step != Value::Small(1)) {
    out.PutBytes(", ", 2);
    out.Put(c.as<Str>()->view());
  }
  out.Put(U')');
  return NewStrFromBuffer(cx, out);
}

// What equality looks at: length, then start, then step.
Ref RangeKey(Context& cx, Range* r) {
  Value none = cx.None();
  if (IntIsZero(r->length)) return Pack(cx, r->length, none, none);
  if (r->length == Value::Small(1)) return Pack(cx, r->length, r->start, none);
  return Pack(cx, r->length, r->start, r->step);
}

Ref RangeCompare(Context& cx, Value a, Value b, CompareOp op) {
  if ((op != CompareOp::kEq && op != CompareOp::kNe) || !Is<Range>(a) || !Is<Range>(b)) return cx.NotImplementedRef();
  Ref x = RangeKey(cx, a.as<Range>());
  Ref y = x ? RangeKey(cx, b.as<Range>()) : nullptr;
  return y ? Compare(cx, x, y, op) : nullptr;
}

bool RangeHash(Context& cx, Value self, int64_t* out) {
  Ref key = RangeKey(cx, self.as<Range>());
  return key && Hash(cx, key, out);
}

bool InSmall(Value v, int64_t limit) {
  return v.is_small_int() && v.small_int() <= limit && v.small_int() >= -limit;
}

// From start with a step, `length` values.
Ref NewIterator(Context& cx, Value start, Value step, Value length) {
  auto* it = NewExact<RangeIterator>(cx, cx.rt.cls.range_iterator);
  if (it == nullptr) return nullptr;
  it->next.store(0, kRelaxed);
  it->big_next.store(0, kRelaxed);
  it->start = it->step = it->length = 0;
  it->big_start = it->big_step = it->big_length = Value();
  // Small: the value behind the last one fits too.
  int64_t last = 0;
  if (start.is_small_int() && InSmall(step, kMaxSmallInt) && length.is_small_int() &&
      !__builtin_mul_overflow(length.small_int(), step.small_int(), &last) &&
      !__builtin_add_overflow(last, start.small_int(), &last) && FitsSmallInt(last)) {
    it->start = start.small_int();
    it->step = step.small_int();
    it->length = length.small_int();
  } else {
    IncrefValue(start);
    IncrefValue(step);
    IncrefValue(length);
    it->big_start = start;
    it->big_step = step;
    it->big_length = length;
    it->big_next.store(Value::Small(0).bits(), kRelaxed);
  }
  return Ref::Steal(it);
}

Ref RangeIter(Context& cx, Value self) {
  auto* r = self.as<Range>();
  return NewIterator(cx, r->start, r->step, r->length);
}

Ref RangeReversed(Context& cx, Value self, const Args&) {
  auto* r = self.as<Range>();
  Ref last = IntSub(cx, r->length, Value::Small(1));
  Ref start = last ? ItemAt(cx, r, last) : nullptr;
  Ref step = start ? IntNeg(cx, r->step) : nullptr;
  return step ? NewIterator(cx, start, step, r->length) : nullptr;
}

Ref IteratorNext(Context& cx, Value self) {
  auto* it = self.as<RangeIterator>();
  if (!it->big_start) {
    int64_t v;
    return RangeIterNext(it, &v) ? NewInt(cx, v) : nullptr;
  }
  Ref i = LoadSlot(it, it->big_next);
  if (IntCompare(i, it->big_length) >= 0) return nullptr;
  Ref offset = IntMul(cx, i, it->big_step);
  Ref v = offset ? IntAdd(cx, it->big_start, offset) : nullptr;
  Ref next = v ? IntAdd(cx, i, Value::Small(1)) : nullptr;
  if (!next) return nullptr;
  StoreSlot(it, it->big_next, std::move(next));
  return v;
}

Ref LengthHint(Context& cx, Value self, const Args&) {
  auto* it = self.as<RangeIterator>();
  if (it->big_start) {
    Ref i = LoadSlot(it, it->big_next);
    return IntSub(cx, it->big_length, i);
  }
  int64_t left = it->length - it->next.load(kRelaxed);
  return NewInt(cx, left < 0 ? 0 : left);
}

Ref RangeCreate(Context& cx, Class*, const Args& args) {
  if (!NoKeywords(cx, "range", args)) return nullptr;
  if (args.npos == 0) return RaiseTypeError(cx, "range expected at least 1 argument, got 0");
  if (args.npos > 3) return RaiseTypeError(cx, "range expected at most 3 arguments, got %zu", args.npos);
  Ref a = args.npos == 1 ? Ref::Small(0) : Index(cx, args[0]);
  Ref b = a ? Index(cx, args[args.npos == 1 ? 0 : 1]) : nullptr;
  Ref c = !b ? nullptr : args.npos == 3 ? Index(cx, args[2]) : Ref::Small(1);
  if (!c) return nullptr;
  if (IntIsZero(c)) return RaiseValueError(cx, "range() arg 3 must not be zero");
  return NewRange(cx, a, b, c);
}

Ref GetStart(Context&, Value self) { return Ref::New(self.as<Range>()->start); }
Ref GetStop(Context&, Value self) { return Ref::New(self.as<Range>()->stop); }
Ref GetStep(Context&, Value self) { return Ref::New(self.as<Range>()->step); }
Ref Self(Context&, Value self) { return Ref::New(self); }

const MethodDef kRangeMethods[] = {
    {"index", RangeIndexOf, 1, 1}, {"count", RangeCount, 1, 1}, {"__reversed__", RangeReversed, 0, 0}, {}};
const GetSetDef kRangeGetSet[] = {
    {"start", GetStart, nullptr}, {"stop", GetStop, nullptr}, {"step", GetStep, nullptr}, {}};
const MethodDef kIteratorMethods[] = {{"__length_hint__", LengthHint, 0, 0}, {}};

void DestroyRange(Context& cx, Object* o) {
  auto* r = static_cast<Range*>(o);
  DecrefValue(cx.ts, r->start);
  DecrefValue(cx.ts, r->stop);
  DecrefValue(cx.ts, r->step);
  DecrefValue(cx.ts, r->length);
}

void DestroyIterator(Context& cx, Object* o) {
  auto* it = static_cast<RangeIterator*>(o);
  DecrefValue(cx.ts, it->big_start);
  DecrefValue(cx.ts, it->big_step);
  DecrefValue(cx.ts, it->big_length);
  DecrefValue(cx.ts, PeekSlot(it->big_next));
}

// Ints only: no cycles, so neither type is known to the collector.
NativeType MakeRangeType() {
  NativeType t;
  t.name = "range";
  t.layout = Layout::kRange;
  t.size = sizeof(Range);
  t.slots.repr = RangeRepr;
  t.slots.hash = RangeHash;
  t.slots.compare = RangeCompare;
  t.slots.len = RangeLen;
  t.slots.truth = RangeTruth;
  t.slots.getitem = RangeGetItem;
  t.slots.contains = RangeContains;
  t.slots.iter = RangeIter;
  t.slots.create = RangeCreate;
  t.methods = kRangeMethods;
  t.getset = kRangeGetSet;
  t.destroy = DestroyRange;
  return t;
}

NativeType MakeIteratorType() {
  NativeType t;
  t.name = "range_iterator";
  t.size = sizeof(RangeIterator);
  t.slots.iter = Self;
  t.slots.next = IteratorNext;
  t.methods = kIteratorMethods;
  t.destroy = DestroyIterator;
  return t;
}

}  // namespace

Ref NewRange(Context& cx, Value start, Value stop, Value step) {
  Ref length = ComputeLength(cx, start, stop, step);
  Ref a = length ? IntPlain(cx, start) : nullptr;
  Ref b = a ? IntPlain(cx, stop) : nullptr;
  Ref c = b ? IntPlain(cx, step) : nullptr;
  if (!c) return nullptr;
  auto* r = NewExact<Range>(cx, cx.rt.cls.range);
  if (r == nullptr) return nullptr;
  r->start = a.release();
  r->stop = b.release();
  r->step = c.release();
  r->length = length.release();
  return Ref::Steal(r);
}

bool InitRangeTypes(Context& cx) {
  static const NativeType range = MakeRangeType();
  static const NativeType iterator = MakeIteratorType();
  return (cx.rt.cls.range = DefineType(cx, range)) != nullptr &&
         (cx.rt.cls.range_iterator = DefineType(cx, iterator)) != nullptr;
}

}  // namespace tidepool::rt
