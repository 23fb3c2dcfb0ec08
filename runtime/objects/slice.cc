// slice objects: see the header. Parts are set at creation and never change.
#include "tidepool/runtime/objects/slice.h"

#include "tidepool/runtime/objects/int.h"

#include "tidepool/runtime/objects/objects.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

bool Part(Context& cx, Value v, int64_t* out) {
  if (!v.is_small_int() && !IsInt(v) && ClassOf(cx, v)->slots.index == nullptr) {
    RaiseTypeError(cx, "slice indices must be integers or None or have an __index__ method");
    return false;
  }
  return ToIndexClamped(cx, v, out);
}

Ref SliceRepr(Context& cx, Value self) {
  auto* s = self.as<Slice>();
  Ref start = Repr(cx, s->start);
  Ref stop = start ? Repr(cx, s->stop) : nullptr;
  Ref step = stop ? Repr(cx, s->step) : nullptr;
  if (!step) return nullptr;
  TextBuffer out;
  out.PutBytes("slice(", 6);
  out.Put(start.as<Str>()->view());
  out.PutBytes(", ", 2);
  out.Put(stop.as<Str>()->view());
  out.PutBytes(", ", 2);
  out.Put(step.as<Str>()->view());
  out.Put(U')');
  return NewStrFromBuffer(cx, out);
}

Ref AsTuple(Context& cx, Slice* s) { return Pack(cx, s->start, s->stop, s->step); }

Ref SliceCompare(Context& cx, Value a, Value b, CompareOp op) {
  if (!Is<Slice>(a) || !Is<Slice>(b)) return cx.NotImplementedRef();
  Ref x = AsTuple(cx, a.as<Slice>());
  Ref y = x ? AsTuple(cx, b.as<Slice>()) : nullptr;
  return y ? Compare(cx, x, y, op) : nullptr;
}

Ref SliceCreate(Context& cx, Class*, const Args& args) {
  if (!NoKeywords(cx, "slice", args) || !CheckArgCount(cx, "slice", args, 1, 3)) return nullptr;
  if (args.npos == 1) return NewSlice(cx, Value(), args[0], Value());
  return NewSlice(cx, args[0], args[1], args.Get(2));
}

Ref Indices(Context& cx, Value self, const Args& args) {
  int64_t length;
  if (!ToInt64(cx, args[0], &length)) return nullptr;
  if (length < 0) return RaiseValueError(cx, "length should not be negative");
  SliceRange r;
  if (!UnpackSlice(cx, self.as<Slice>(), &r)) return nullptr;
  AdjustSlice(length, &r);
  Ref a = NewInt(cx, r.start);
  Ref b = NewInt(cx, r.stop);
  Ref c = NewInt(cx, r.step);
  return a && b && c ? Pack(cx, a, b, c) : nullptr;
}

Ref GetStart(Context&, Value self) { return Ref::New(self.as<Slice>()->start); }
Ref GetStop(Context&, Value self) { return Ref::New(self.as<Slice>()->stop); }
Ref GetStep(Context&, Value self) { return Ref::New(self.as<Slice>()->step); }

const MethodDef kSliceMethods[] = {{"indices", Indices, 1, 1}, {}};
const GetSetDef kSliceGetSet[] = {
    {"start", GetStart, nullptr}, {"stop", GetStop, nullptr}, {"step", GetStep, nullptr}, {}};

void TraverseSlice(Object* o, SlotVisitor& v) {
  auto* s = static_cast<Slice*>(o);
  v.Visit(s->start);
  v.Visit(s->stop);
  v.Visit(s->step);
}

void DestroySlice(Context& cx, Object* o) {
  auto* s = static_cast<Slice*>(o);
  DecrefValue(cx.ts, s->start);
  DecrefValue(cx.ts, s->stop);
  DecrefValue(cx.ts, s->step);
}

NativeType MakeSliceType() {
  NativeType t;
  t.name = "slice";
  t.layout = Layout::kSlice;
  t.size = sizeof(Slice);
  t.flags = kTypeHasRefs | kTypeTrackLater | kTypeUnhashable;
  t.slots.repr = SliceRepr;
  t.slots.compare = SliceCompare;
  t.slots.create = SliceCreate;
  t.methods = kSliceMethods;
  t.getset = kSliceGetSet;
  t.traverse = TraverseSlice;
  t.destroy = DestroySlice;
  return t;
}

}  // namespace

Ref NewSlice(Context& cx, Value start, Value stop, Value step) {
  auto* s = NewExact<Slice>(cx, cx.rt.cls.slice);
  if (s == nullptr) return nullptr;
  s->start = start ? start : cx.None();
  s->stop = stop ? stop : cx.None();
  s->step = step ? step : cx.None();
  IncrefValue(s->start);
  IncrefValue(s->stop);
  IncrefValue(s->step);
  if (MayRefer(s->start) || MayRefer(s->stop) || MayRefer(s->step)) TrackNew(s);
  return Ref::Steal(s);
}

bool UnpackSlice(Context& cx, Slice* s, SliceRange* out) {
  out->step = 1;
  if (s->step != cx.None() && !Part(cx, s->step, &out->step)) return false;
  if (out->step == 0) {
    RaiseValueError(cx, "slice step cannot be zero");
    return false;
  }
  if (out->step < -INT64_MAX) out->step = -INT64_MAX;
  out->start = out->step < 0 ? INT64_MAX : 0;
  out->stop = out->step < 0 ? INT64_MIN : INT64_MAX;
  if (s->start != cx.None() && !Part(cx, s->start, &out->start)) return false;
  if (s->stop != cx.None() && !Part(cx, s->stop, &out->stop)) return false;
  out->count = 0;
  return true;
}

bool PlainSlice(Context& cx, Value start, Value stop, Value step, SliceRange* out) {
  auto part = [&](Value v, int64_t* to) {
    if (v.is_small_int()) *to = v.small_int();
    return v.is_small_int() || v == cx.None();
  };
  out->step = 1;
  if (!step.is_null() && (!part(step, &out->step) || out->step == 0)) return false;
  out->start = out->step < 0 ? INT64_MAX : 0;
  out->stop = out->step < 0 ? INT64_MIN : INT64_MAX;
  out->count = 0;
  return part(start, &out->start) && part(stop, &out->stop);
}

void AdjustSlice(int64_t length, SliceRange* r) {
  auto fit = [&](int64_t v) {
    if (v < 0) {
      v = v < -length ? -1 : v + length;
      if (v < 0) v = r->step < 0 ? -1 : 0;
    } else if (v >= length) {
      v = r->step < 0 ? length - 1 : length;
    }
    return v;
  };
  r->start = fit(r->start);
  r->stop = fit(r->stop);
  r->count = 0;
  if (r->step < 0) {
    if (r->stop < r->start) r->count = (r->start - r->stop - 1) / -r->step + 1;
  } else if (r->start < r->stop) {
    r->count = (r->stop - r->start - 1) / r->step + 1;
  }
  // An empty slice with a step of 1 still says where an assignment goes in.
}

bool SliceIndices(Context& cx, Slice* s, int64_t length, SliceRange* out) {
  if (!UnpackSlice(cx, s, out)) return false;
  AdjustSlice(length, out);
  return true;
}

bool InitSliceType(Context& cx) {
  static const NativeType type = MakeSliceType();
  return (cx.rt.cls.slice = DefineType(cx, type)) != nullptr;
}

}  // namespace tidepool::rt
