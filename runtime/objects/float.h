// float: an immutable double, in the Value itself (value.h) or in an object.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_FLOAT_H_
#define TIDEPOOL_RUNTIME_OBJECTS_FLOAT_H_

#include "tidepool/runtime/objects/support.h"

namespace tidepool::rt {

// No kLayout, so that nobody asks Is<Float>: IsFloat knows small floats as well.
struct Float : Object {
  double value;
};

// Of a float (IsFloat).
inline double FloatValue(Value v) { return v.is_small_float() ? v.small_float() : v.as<Float>()->value; }
// Exactly of class float?
inline bool IsExactFloat(Context& cx, Value v) { return v.is_small_float() || IsExact(v, cx.rt.cls.float_); }

inline Ref NewFloat(Context& cx, double value) {
  if (const Value small = Value::SmallFloat(value); ABSL_PREDICT_TRUE(!small.is_null())) return Ref::Steal(small);
  Float* f = NewExact<Float>(cx, cx.rt.cls.float_);
  if (ABSL_PREDICT_FALSE(f == nullptr)) return nullptr;
  f->value = value;
  return Ref::Steal(f);
}

// The numeric hash: equal numbers of any type have equal hashes. Infinities and nan have CPython's.
int64_t HashDouble(double value);
// Python's // and %: floor and the divisor's sign. b is not 0.
double FloatFloorDiv(double a, double b);
double FloatMod(double a, double b);
// False: ZeroDivisionError or OverflowError is pending. A negative base with a fractional exponent is a ValueError here
// (complex numbers are not supported).
bool FloatPow(Context& cx, double a, double b, double* out);
Ref FloatToStr(Context& cx, double value);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_FLOAT_H_
