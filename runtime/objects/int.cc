// int: arithmetic over sign and magnitude. Methods and text are in int_methods.cc.
//
// Every result goes through IntResult, which computes small magnitudes on the C stack and large ones
// directly in the new object, and turns what fits into a tagged word (invariant I1).
#include "tidepool/runtime/objects/int.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "tidepool/runtime/objects/float.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {

using bigmath::Limb;
__extension__ using Wide = unsigned __int128;

namespace {

constexpr uint64_t kSmallMagnitude = static_cast<uint64_t>(kMaxSmallInt);

class IntResult {
 public:
  // Room for n limbs; ok() says whether there was memory (else MemoryError is pending).
  IntResult(Context& cx, size_t n) {
    if (n <= kInline) {
      limbs_ = inline_;
    } else if (n > (SIZE_MAX >> 8)) {
      RaiseMemoryError(cx);
    } else {
      object_ = Ref::Steal(NewExact<Int>(cx, cx.rt.cls.int_, sizeof(Int) + n * sizeof(Limb)));
      if (object_) {
        object_.as<Int>()->size = 0;
        limbs_ = object_.as<Int>()->limbs;
      }
    }
    room_ = n;
  }
  bool ok() const { return limbs_ != nullptr; }
  Limb* limbs() { return limbs_; }

  // The first n limbs are the magnitude.
  Ref Finish(Context& cx, size_t n, bool negative) {
    n = bigmath::Normalized(limbs_, n);
    if (n == 0) return Ref::Small(0);
    if (n == 1) {
      Limb m = limbs_[0];
      if (m <= kSmallMagnitude) return Ref::Small(negative ? -static_cast<int64_t>(m) : static_cast<int64_t>(m));
      if (negative && m == kSmallMagnitude + 1) return Ref::Small(kMinSmallInt);
    }
    if (!object_) {
      auto* o = NewExact<Int>(cx, cx.rt.cls.int_, sizeof(Int) + n * sizeof(Limb));
      if (o == nullptr) return nullptr;
      std::memcpy(o->limbs, limbs_, n * sizeof(Limb));
      object_ = Ref::Steal(o);
    }
    object_.as<Int>()->size = negative ? -static_cast<int64_t>(n) : static_cast<int64_t>(n);
    return std::move(object_);
  }

 private:
  static constexpr size_t kInline = 6;
  Ref object_;
  Limb* limbs_ = nullptr;
  size_t room_ = 0;
  Limb inline_[kInline];
};

Ref AddMagnitudes(Context& cx, const IntView& a, const IntView& b, bool negative) {
  const IntView& x = a.size() >= b.size() ? a : b;
  const IntView& y = a.size() >= b.size() ? b : a;
  IntResult r(cx, x.size() + 1);
  if (!r.ok()) return nullptr;
  r.limbs()[x.size()] = bigmath::Add(r.limbs(), x.limbs(), x.size(), y.limbs(), y.size());
  return r.Finish(cx, x.size() + 1, negative);
}

// |a| - |b| with the sign of a.
Ref SubMagnitudes(Context& cx, const IntView& a, const IntView& b, bool negative) {
  int c = bigmath::Compare(a.limbs(), a.size(), b.limbs(), b.size());
  if (c == 0) return Ref::Small(0);
  const IntView& x = c > 0 ? a : b;
  const IntView& y = c > 0 ? b : a;
  IntResult r(cx, x.size());
  if (!r.ok()) return nullptr;
  (void)bigmath::Sub(r.limbs(), x.limbs(), x.size(), y.limbs(), y.size());
  return r.Finish(cx, x.size(), c > 0 ? negative : !negative);
}

Ref AddSigned(Context& cx, Value a, Value b, bool subtract) {
  IntView x(a);
  IntView y(b);
  bool y_negative = y.negative() != subtract;
  if (x.negative() == y_negative) return AddMagnitudes(cx, x, y, x.negative());
  return SubMagnitudes(cx, x, y, x.negative());
}

// Quotient and remainder towards minus infinity; either may be null (not wanted).
bool FloorDivide(Context& cx, Value a, Value b, Ref* quotient, Ref* remainder) {
  IntView x(a);
  IntView y(b);
  if (y.size() == 0) {
    RaiseZeroDivision(cx, "integer division or modulo by zero");
    return false;
  }
  bool signs_differ = x.negative() != y.negative();
  if (bigmath::Compare(x.limbs(), x.size(), y.limbs(), y.size()) < 0) {
    bool adjust = signs_differ && x.size() != 0;
    if (quotient != nullptr) *quotient = Ref::Small(adjust ? -1 : 0);
    if (remainder != nullptr) {
      *remainder = adjust ? IntAdd(cx, a, b) : IntPlain(cx, a);
      if (!*remainder) return false;
    }
    return true;
  }
  size_t nq = x.size() - y.size() + 1;
  IntResult q(cx, nq + 1);
  IntResult r(cx, y.size());
  if (!q.ok() || !r.ok()) return false;
  bool good;
  {
    LongComputation away(cx, (x.size() - y.size() + 1) * y.size());
    good = bigmath::DivMod(q.limbs(), r.limbs(), x.limbs(), x.size(), y.limbs(), y.size());
  }
  if (!good) {
    RaiseMemoryError(cx);
    return false;
  }
  size_t nr = bigmath::Normalized(r.limbs(), y.size());
  bool adjust = signs_differ && nr != 0;
  if (quotient != nullptr) {
    q.limbs()[nq] = 0;
    if (adjust) {
      Limb one = 1;
      (void)bigmath::Add(q.limbs(), q.limbs(), nq + 1, &one, 1);
    }
    *quotient = q.Finish(cx, nq + 1, signs_differ);
    if (!*quotient) return false;
  }
  if (remainder != nullptr) {
    if (adjust) (void)bigmath::Sub(r.limbs(), y.limbs(), y.size(), r.limbs(), nr);
    *remainder = r.Finish(cx, y.size(), y.negative());
    if (!*remainder) return false;
  }
  return true;
}

// Two's complement limbs of a value, one after another, sign-extended without end.
class TwosComplement {
 public:
  explicit TwosComplement(const IntView& v) : v_(v), carry_(v.negative() ? 1 : 0) {}
  Limb Next() {
    Limb limb = at_ < v_.size() ? v_.limbs()[at_] : 0;
    ++at_;
    if (!v_.negative()) return limb;
    limb = ~limb + carry_;
    carry_ = carry_ != 0 && limb == 0 ? 1 : 0;
    return limb;
  }

 private:
  const IntView& v_;
  size_t at_ = 0;
  Limb carry_;
};

template <class Op>
Ref Bitwise(Context& cx, Value a, Value b, Op op) {
  IntView x(a);
  IntView y(b);
  size_t n = (x.size() > y.size() ? x.size() : y.size()) + 1;
  IntResult r(cx, n);
  if (!r.ok()) return nullptr;
  TwosComplement tx(x);
  TwosComplement ty(y);
  for (size_t i = 0; i < n; ++i) r.limbs()[i] = op(tx.Next(), ty.Next());
  bool negative = (r.limbs()[n - 1] >> 63) != 0;
  if (negative) bigmath::Negate(r.limbs(), n);
  return r.Finish(cx, n, negative);
}

// A shift count; false: an exception is pending. *huge: more than memory could hold.
bool ShiftCount(Context& cx, Value v, uint64_t* out, bool* huge) {
  if (IntIsNegative(v)) {
    RaiseValueError(cx, "negative shift count");
    return false;
  }
  int64_t n;
  *huge = !IntToInt64(v, &n) || n > (int64_t{1} << 40);
  *out = *huge ? 0 : static_cast<uint64_t>(n);
  return true;
}

Ref PowMod(Context& cx, Value base, Value exponent, Value modulus) {
  if (IntIsZero(modulus)) return RaiseValueError(cx, "pow() 3rd argument cannot be 0");
  Ref result = Ref::Small(1);
  Ref b = IntMod(cx, base, modulus);
  if (!b) return nullptr;
  Ref e = Ref::New(exponent);
  if (IntIsNegative(exponent)) {
    // The inverse of b by Euclid's algorithm.
    e = IntNeg(cx, exponent);
    Ref r0 = IntAbs(cx, modulus), r1 = b.Copy(), s0 = Ref::Small(0), s1 = Ref::Small(1);
    if (!e || !r0) return nullptr;
    if (!IntIsZero(r1) && IntIsNegative(r1)) r1 = IntMod(cx, r1, r0);
    while (r1 && !IntIsZero(r1)) {
      Ref q, r;
      if (!FloorDivide(cx, r0, r1, &q, &r)) return nullptr;
      Ref p = IntMul(cx, q, s1);
      if (!p) return nullptr;
      Ref s = IntSub(cx, s0, p);
      if (!s) return nullptr;
      r0 = std::move(r1);
      r1 = std::move(r);
      s0 = std::move(s1);
      s1 = std::move(s);
    }
    if (!r1) return nullptr;
    if (IntCompare(r0, Value::Small(1)) != 0) {
      return RaiseValueError(cx, "base is not invertible for the given modulus");
    }
    b = IntMod(cx, s0, modulus);
    if (!b) return nullptr;
  }
  IntView bits(e.get());
  for (uint64_t i = bigmath::BitLength(bits.limbs(), bits.size()); i-- > 0;) {
    Safepoint(cx);
    result = IntMul(cx, result, result);
    if (result) result = IntMod(cx, result, modulus);
    if (result && ((bits.limbs()[i / 64] >> (i % 64)) & 1) != 0) {
      result = IntMul(cx, result, b);
      if (result) result = IntMod(cx, result, modulus);
    }
    if (!result) return nullptr;
  }
  return IntMod(cx, result, modulus);
}

}  // namespace

IntView::IntView(Value v) {
  if (v.is_small_int()) {
    int64_t x = v.small_int();
    negative_ = x < 0;
    small_ = negative_ ? uint64_t{0} - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
    limbs_ = &small_;
    size_ = x != 0;
    return;
  }
  auto* o = v.as<Int>();
  negative_ = o->size < 0;
  size_ = static_cast<size_t>(negative_ ? -o->size : o->size);
  limbs_ = o->limbs;
}

Ref NewIntSlow(Context& cx, int64_t v) {
  bool negative = v < 0;
  Limb m = negative ? uint64_t{0} - static_cast<uint64_t>(v) : static_cast<uint64_t>(v);
  return NewIntFromLimbs64(cx, &m, 1, negative);
}

Ref NewIntUnsigned(Context& cx, uint64_t v) { return NewIntFromLimbs64(cx, &v, 1, false); }

Ref NewIntFromLimbs64(Context& cx, const Limb* limbs, size_t n, bool negative) {
  IntResult r(cx, n);
  if (!r.ok()) return nullptr;
  std::memcpy(r.limbs(), limbs, n * sizeof(Limb));
  return r.Finish(cx, n, negative);
}

Ref NewIntFromLimbs(Context& cx, const uint32_t* limbs, size_t n, bool negative) {
  size_t count = (n + 1) / 2;
  IntResult r(cx, count);
  if (!r.ok()) return nullptr;
  for (size_t i = 0; i < count; ++i) {
    Limb high = 2 * i + 1 < n ? limbs[2 * i + 1] : 0;
    r.limbs()[i] = limbs[2 * i] | (high << 32);
  }
  return r.Finish(cx, count, negative);
}

Ref NewIntFromDouble(Context& cx, double v) {
  constexpr auto kBelow = static_cast<double>(kMinSmallInt);
  if (v >= kBelow && v < -kBelow) return Ref::Small(static_cast<int64_t>(v));
  if (std::isnan(v)) return RaiseValueError(cx, "cannot convert float NaN to integer");
  if (std::isinf(v)) return RaiseOverflowError(cx, "cannot convert float infinity to integer");
  Limb limbs[20];
  size_t n = bigmath::FromDouble(v, limbs);
  return NewIntFromLimbs64(cx, limbs, n, v < 0);
}

bool IntToInt64(Value v, int64_t* out) {
  if (v.is_small_int()) {
    *out = v.small_int();
    return true;
  }
  if (!HasLayout(v, Layout::kInt)) return false;
  return IntClamp(v, out) == 0;
}

int IntClamp(Value v, int64_t* out) {
  IntView x(v);
  if (x.size() <= 1) {
    Limb m = x.size() == 0 ? 0 : x.limbs()[0];
    if (!x.negative() && m <= static_cast<Limb>(INT64_MAX)) {
      *out = static_cast<int64_t>(m);
      return 0;
    }
    if (x.negative() && m <= static_cast<Limb>(INT64_MAX) + 1) {
      *out = static_cast<int64_t>(uint64_t{0} - m);
      return 0;
    }
  }
  *out = x.negative() ? INT64_MIN : INT64_MAX;
  return x.negative() ? -1 : 1;
}

bool IntToDouble(Context& cx, Value v, double* out) {
  if (v.is_small_int()) {
    *out = static_cast<double>(v.small_int());
    return true;
  }
  IntView x(v);
  double d = bigmath::ToDouble(x.limbs(), x.size());
  if (std::isinf(d)) {
    RaiseOverflowError(cx, "int too large to convert to float");
    return false;
  }
  *out = x.negative() ? -d : d;
  return true;
}

int64_t IntHash(Value v) {
  IntView x(v);
  auto h = static_cast<int64_t>(bigmath::HashMod(x.limbs(), x.size()));
  if (x.negative()) h = -h;
  return h == -1 ? -2 : h;
}

bool IntIsZero(Value v) { return v.is_small_int() ? v.small_int() == 0 : v.as<Int>()->size == 0; }
bool IntIsNegative(Value v) { return v.is_small_int() ? v.small_int() < 0 : v.as<Int>()->size < 0; }

int IntCompare(Value a, Value b) {
  if (a.is_small_int() && b.is_small_int()) {
    return a.small_int() < b.small_int() ? -1 : a.small_int() > b.small_int();
  }
  IntView x(a);
  IntView y(b);
  if (x.negative() != y.negative()) return x.negative() ? -1 : 1;
  int c = bigmath::Compare(x.limbs(), x.size(), y.limbs(), y.size());
  return x.negative() ? -c : c;
}

int IntCompareDouble(Value a, double b) {
  if (std::isinf(b)) return b > 0 ? -1 : 1;
  IntView x(a);
  bool b_negative = std::signbit(b) && b != 0;
  if (x.negative() != b_negative) {
    if (x.size() == 0 && b == 0) return 0;
    return x.negative() ? -1 : 1;
  }
  Limb limbs[20];
  double whole = std::trunc(b);
  size_t n = bigmath::FromDouble(whole, limbs);
  int c = bigmath::Compare(x.limbs(), x.size(), limbs, n);
  if (c == 0 && whole != b) c = -1;  // |b| has a fraction beyond |a|
  return x.negative() ? -c : c;
}

uint64_t IntBitLength(Value v) {
  IntView x(v);
  return bigmath::BitLength(x.limbs(), x.size());
}

bool IntIsOdd(Value v) {
  IntView x(v);
  return x.size() != 0 && (x.limbs()[0] & 1) != 0;
}

Ref IntAdd(Context& cx, Value a, Value b) {
  if (a.is_small_int() && b.is_small_int()) return NewInt(cx, a.small_int() + b.small_int());
  return AddSigned(cx, a, b, false);
}

Ref IntSub(Context& cx, Value a, Value b) {
  if (a.is_small_int() && b.is_small_int()) return NewInt(cx, a.small_int() - b.small_int());
  return AddSigned(cx, a, b, true);
}

Ref IntMul(Context& cx, Value a, Value b) {
  int64_t product;
  if (a.is_small_int() && b.is_small_int() && !__builtin_mul_overflow(a.small_int(), b.small_int(), &product)) {
    return NewInt(cx, product);
  }
  IntView x(a);
  IntView y(b);
  if (x.size() == 0 || y.size() == 0) return Ref::Small(0);
  size_t n = x.size() + y.size();
  IntResult r(cx, n);
  if (!r.ok()) return nullptr;
  bool good;
  {
    LongComputation away(cx, x.size() * y.size());
    good = bigmath::Mul(r.limbs(), x.limbs(), x.size(), y.limbs(), y.size());
  }
  if (!good) return RaiseMemoryError(cx);
  return r.Finish(cx, n, x.negative() != y.negative());
}

Ref IntTrueDiv(Context& cx, Value a, Value b) {
  IntView x(a);
  IntView y(b);
  if (y.size() == 0) return RaiseZeroDivision(cx, "division by zero");
  bool negative = x.negative() != y.negative();
  uint64_t bits_x = bigmath::BitLength(x.limbs(), x.size());
  uint64_t bits_y = bigmath::BitLength(y.limbs(), y.size());
  double result;
  if (bits_x == 0) {
    result = 0.0;
  } else if (bits_x <= 53 && bits_y <= 53) {
    result = static_cast<double>(x.limbs()[0]) / static_cast<double>(y.limbs()[0]);
  } else {
    // q = floor(x * 2^shift / y) has 65 or 66 bits; what is left only matters as a sticky bit.
    int64_t shift = 66 - (static_cast<int64_t>(bits_x) - static_cast<int64_t>(bits_y));
    if (shift < -2000 && bits_x > bits_y + 1030) return RaiseOverflowError(cx, "integer division result too large for a float");
    Ref num = Ref::New(a);
    Ref den = Ref::New(b);
    Ref amount = Ref::Small(shift < 0 ? -shift : shift);
    num = IntAbs(cx, num);
    den = IntAbs(cx, den);
    if (!num || !den) return nullptr;
    if (shift >= 0) {
      num = IntLShift(cx, num, amount);
    } else {
      den = IntLShift(cx, den, amount);
    }
    if (!num || !den) return nullptr;
    Ref q, r;
    if (!FloorDivide(cx, num, den, &q, &r)) return nullptr;
    IntView qv(q.get());
    result = bigmath::ToDoubleScaled(qv.limbs(), qv.size(), !IntIsZero(r), -shift);
    if (std::isinf(result)) return RaiseOverflowError(cx, "integer division result too large for a float");
  }
  return NewFloat(cx, negative ? -result : result);
}

Ref IntFloorDiv(Context& cx, Value a, Value b) {
  if (a.is_small_int() && b.is_small_int() && b.small_int() != 0) {
    int64_t x = a.small_int();
    int64_t y = b.small_int();
    int64_t q = x / y;
    if (x % y != 0 && (x < 0) != (y < 0)) --q;
    return NewInt(cx, q);
  }
  Ref q;
  if (!FloorDivide(cx, a, b, &q, nullptr)) return nullptr;
  return q;
}

Ref IntMod(Context& cx, Value a, Value b) {
  if (IntIsZero(b)) return RaiseZeroDivision(cx, "integer modulo by zero");
  if (a.is_small_int() && b.is_small_int() && b.small_int() != 0) {
    int64_t y = b.small_int();
    int64_t r = a.small_int() % y;
    if (r != 0 && (r < 0) != (y < 0)) r += y;
    return Ref::Small(r);
  }
  Ref r;
  if (!FloorDivide(cx, a, b, nullptr, &r)) return nullptr;
  return r;
}

Ref IntDivMod(Context& cx, Value a, Value b) {
  Ref q, r;
  if (!FloorDivide(cx, a, b, &q, &r)) return nullptr;
  return Pack(cx, q, r);
}

Ref IntPow(Context& cx, Value a, Value b, Value modulus) {
  if (modulus) return PowMod(cx, a, b, modulus);
  if (IntIsNegative(b)) {
    double x, y, z;
    if (IntIsZero(a)) return RaiseZeroDivision(cx, "0.0 cannot be raised to a negative power");
    if (!IntToDouble(cx, a, &x) || !IntToDouble(cx, b, &y) || !FloatPow(cx, x, y, &z)) return nullptr;
    return NewFloat(cx, z);
  }
  IntView base(a);
  if (base.size() == 0) return Ref::Small(IntIsZero(b) ? 1 : 0);
  if (base.size() == 1 && base.limbs()[0] == 1) return Ref::Small(base.negative() && IntIsOdd(b) ? -1 : 1);
  int64_t e;
  if (!IntToInt64(b, &e)) return RaiseMemoryError(cx);
  if (base.size() == 1 && std::has_single_bit(base.limbs()[0])) {
    // A power of two: a shift.
    int64_t bits;
    if (__builtin_mul_overflow(e, static_cast<int64_t>(std::countr_zero(base.limbs()[0])), &bits) ||
        bits > (int64_t{1} << 40)) {
      return RaiseMemoryError(cx);
    }
    Ref r = IntLShift(cx, Value::Small(1), Value::Small(bits));
    return r && base.negative() && (e & 1) != 0 ? IntNeg(cx, r) : std::move(r);
  }
  Ref result = Ref::Small(1);
  for (int i = 64 - std::countl_zero(static_cast<uint64_t>(e)); i-- > 0;) {
    Safepoint(cx);
    result = IntMul(cx, result, result);
    if (result && ((e >> i) & 1) != 0) result = IntMul(cx, result, a);
    if (!result) return nullptr;
  }
  return result;
}

Ref IntLShift(Context& cx, Value a, Value b) {
  uint64_t bits;
  bool huge;
  if (!ShiftCount(cx, b, &bits, &huge)) return nullptr;
  if (IntIsZero(a)) return Ref::Small(0);
  if (huge) return RaiseOverflowError(cx, "too many digits in integer");
  if (a.is_small_int() && bits < 62) {
    int64_t x = a.small_int();
    int64_t r = static_cast<int64_t>(static_cast<uint64_t>(x) << bits);
    if (r >> bits == x) return NewInt(cx, r);
  }
  IntView x(a);
  size_t n = x.size() + bits / 64 + 1;
  IntResult r(cx, n);
  if (!r.ok()) return nullptr;
  bigmath::ShiftLeft(r.limbs(), x.limbs(), x.size(), bits);
  return r.Finish(cx, n, x.negative());
}

Ref IntRShift(Context& cx, Value a, Value b) {
  uint64_t bits;
  bool huge;
  if (!ShiftCount(cx, b, &bits, &huge)) return nullptr;
  if (a.is_small_int()) return Ref::Small(a.small_int() >> (huge || bits > 63 ? 63 : bits));
  IntView x(a);
  if (huge || bits / 64 >= x.size()) return Ref::Small(x.negative() ? -1 : 0);
  size_t n = x.size() - bits / 64;
  IntResult r(cx, n + 1);
  if (!r.ok()) return nullptr;
  bool lost = bigmath::ShiftRight(r.limbs(), x.limbs(), x.size(), bits);
  r.limbs()[n] = 0;
  if (lost && x.negative()) {
    Limb one = 1;
    (void)bigmath::Add(r.limbs(), r.limbs(), n + 1, &one, 1);
  }
  return r.Finish(cx, n + 1, x.negative());
}

Ref IntAnd(Context& cx, Value a, Value b) {
  if (a.is_small_int() && b.is_small_int()) return Ref::Small(a.small_int() & b.small_int());
  return Bitwise(cx, a, b, [](Limb x, Limb y) { return x & y; });
}

Ref IntOr(Context& cx, Value a, Value b) {
  if (a.is_small_int() && b.is_small_int()) return Ref::Small(a.small_int() | b.small_int());
  return Bitwise(cx, a, b, [](Limb x, Limb y) { return x | y; });
}

Ref IntXor(Context& cx, Value a, Value b) {
  if (a.is_small_int() && b.is_small_int()) return Ref::Small(a.small_int() ^ b.small_int());
  return Bitwise(cx, a, b, [](Limb x, Limb y) { return x ^ y; });
}

Ref IntNeg(Context& cx, Value v) {
  if (v.is_small_int()) return NewInt(cx, -v.small_int());
  IntView x(v);
  return NewIntFromLimbs64(cx, x.limbs(), x.size(), !x.negative());
}

Ref IntInvert(Context& cx, Value v) {
  if (v.is_small_int()) return Ref::Small(~v.small_int());
  Ref plus = IntAdd(cx, v, Value::Small(1));
  return plus ? IntNeg(cx, plus) : nullptr;
}

Ref IntAbs(Context& cx, Value v) { return IntIsNegative(v) ? IntNeg(cx, v) : IntPlain(cx, v); }

Ref IntPlain(Context& cx, Value v) {
  if (v.is_small_int() || IsExact(v, cx.rt.cls.int_)) return Ref::New(v);
  IntView x(v);
  return NewIntFromLimbs64(cx, x.limbs(), x.size(), x.negative());
}

Ref IntSqrt(Context& cx, Value v) {
  if (IntIsNegative(v)) return RaiseValueError(cx, "isqrt() argument must be nonnegative");
  uint64_t bits = IntBitLength(v);
  if (bits == 0) return Ref::Small(0);
  // Newton's iteration from above.
  Ref x = IntLShift(cx, Value::Small(1), Value::Small(static_cast<int64_t>((bits + 1) / 2)));
  while (x) {
    Ref q = IntFloorDiv(cx, v, x);
    Ref sum = q ? IntAdd(cx, x, q) : nullptr;
    Ref next = sum ? IntRShift(cx, sum, Value::Small(1)) : nullptr;
    if (!next) return nullptr;
    if (IntCompare(next, x) >= 0) return x;
    x = std::move(next);
  }
  return nullptr;
}

Ref IntGcd(Context& cx, Value a, Value b) {
  Ref x = IntAbs(cx, a);
  Ref y = IntAbs(cx, b);
  while (x && y && !IntIsZero(y)) {
    Ref r = IntMod(cx, x, y);
    if (!r) return nullptr;
    x = std::move(y);
    y = std::move(r);
  }
  return x && y ? std::move(x) : nullptr;
}

bool IntToBytes(Value v, unsigned char* out, size_t n, bool is_signed) {
  IntView x(v);
  if (x.negative() && !is_signed) return false;
  uint64_t bits = bigmath::BitLength(x.limbs(), x.size());
  if (is_signed) {
    // The range is -2^(8n-1) .. 2^(8n-1) - 1.
    bool power = x.negative() && bits > 0;
    for (size_t i = 0; i < x.size() && power; ++i) {
      power = i + 1 < x.size() ? x.limbs()[i] == 0 : std::has_single_bit(x.limbs()[i]);
    }
    if (bits + (power ? 0 : 1) > n * 8 && bits > 0) return false;
  } else if (bits > n * 8) {
    return false;
  }
  TwosComplement limbs(x);
  Limb limb = 0;
  for (size_t i = 0; i < n; ++i) {
    if (i % 8 == 0) limb = limbs.Next();
    out[i] = static_cast<unsigned char>(limb >> (8 * (i % 8)));
  }
  return true;
}

Ref IntFromBytes(Context& cx, const unsigned char* bytes, size_t n, bool is_signed) {
  bool negative = is_signed && n > 0 && (bytes[n - 1] & 0x80) != 0;
  size_t count = n / 8 + 1;
  IntResult r(cx, count);
  if (!r.ok()) return nullptr;
  for (size_t i = 0; i < count; ++i) {
    Limb limb = 0;
    for (size_t k = 0; k < 8; ++k) {
      Limb byte = i * 8 + k < n ? bytes[i * 8 + k] : negative ? 0xFF : 0;
      limb |= byte << (8 * k);
    }
    r.limbs()[i] = limb;
  }
  if (negative) bigmath::Negate(r.limbs(), count);
  return r.Finish(cx, count, negative);
}

}  // namespace tidepool::rt
