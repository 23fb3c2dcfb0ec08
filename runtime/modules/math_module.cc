// Module math.
//
// A function of doubles goes through Real1 or Real2, which apply C's rules as CPython reports them: a NaN that no
// argument brought is a domain error, an infinity that no argument brought a range error.
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <vector>

#include "tidepool/runtime/modules/common.h"
#include "tidepool/runtime/modules/modules.h"

namespace tidepool::rt {
namespace {

Ref DomainError(Context& cx) { return RaiseValueError(cx, "math domain error"); }
Ref RangeError(Context& cx) { return RaiseOverflowError(cx, "math range error"); }

using Fn1 = double (*)(double);
using Fn2 = double (*)(double, double);

enum Poles { kOverflows, kHasPoles };  // an infinity from a finite argument: too large, or 1/0 (a domain error)

template <Fn1 fn, Poles poles = kOverflows>
Ref Real1(Context& cx, Value, const Args& args) {
  double x;
  if (!ToDouble(cx, args[0], &x)) return nullptr;
  const double r = fn(x);
  if (std::isnan(r) && !std::isnan(x)) return DomainError(cx);
  if (std::isinf(r) && std::isfinite(x)) return poles == kHasPoles ? DomainError(cx) : RangeError(cx);
  return NewFloat(cx, r);
}

template <Fn2 fn>
Ref Real2(Context& cx, Value, const Args& args) {
  double x, y;
  if (!ToDouble(cx, args[0], &x) || !ToDouble(cx, args[1], &y)) return nullptr;
  const double r = fn(x, y);
  if (std::isnan(r) && !std::isnan(x) && !std::isnan(y)) return DomainError(cx);
  if (std::isinf(r) && std::isfinite(x) && std::isfinite(y)) return RangeError(cx);
  return NewFloat(cx, r);
}

Ref MathPow(Context& cx, Value, const Args& args) {
  double x, y;
  if (!ToDouble(cx, args[0], &x) || !ToDouble(cx, args[1], &y)) return nullptr;
  const double r = std::pow(x, y);
  if (std::isnan(r) && !std::isnan(x) && !std::isnan(y)) return DomainError(cx);
  if (std::isinf(r) && std::isfinite(x) && std::isfinite(y)) return x == 0 ? DomainError(cx) : RangeError(cx);
  return NewFloat(cx, r);
}

// The logarithm of an integer of any size: its leading bits and a power of two.
bool LogOf(Context& cx, Value v, Fn1 fn, double* out) {
  if (IsInt(v)) {
    if (IntIsNegative(v) || IntIsZero(v)) return DomainError(cx), false;
    const uint64_t bits = IntBitLength(v);
    if (bits > 1024) {
      Ref top = IntRShift(cx, v, Value::Small(static_cast<int64_t>(bits) - 64));
      double x;
      if (!top || !IntToDouble(cx, top, &x)) return false;
      // v is x * 2**bits with x in [0.5, 1).
      *out = fn(std::ldexp(x, -64)) + fn(2.0) * static_cast<double>(bits);
      return true;
    }
  }
  double x;
  if (!ToDouble(cx, v, &x)) return false;
  if (x <= 0) return DomainError(cx), false;
  *out = fn(x);
  return true;
}

template <Fn1 fn>
Ref LogBase(Context& cx, Value, const Args& args) {
  double x;
  return LogOf(cx, args[0], fn, &x) ? NewFloat(cx, x) : Ref();
}

Ref MathLog(Context& cx, Value, const Args& args) {
  double x;
  if (!LogOf(cx, args[0], std::log, &x)) return nullptr;
  if (args.size() == 1) return NewFloat(cx, x);
  double base;
  if (!LogOf(cx, args[1], std::log, &base)) return nullptr;
  if (base == 0) return RaiseZeroDivision(cx, "float division by zero");
  return NewFloat(cx, x / base);
}

// ---- whole numbers

Ref Whole(Context& cx, Value v, Str* special, Fn1 fn) {
  if (!IsFloat(v)) {
    if (IsInt(v)) return IntPlain(cx, v);
    bool found;
    Ref r = CallSpecial(cx, v, special, Args(), &found);
    if (found) return r;
  }
  double x;
  if (!ToDouble(cx, v, &x)) return nullptr;
  return NewIntFromDouble(cx, fn(x));
}

Ref MathFloor(Context& cx, Value, const Args& args) { return Whole(cx, args[0], cx.rt.names.floor, std::floor); }
Ref MathCeil(Context& cx, Value, const Args& args) { return Whole(cx, args[0], cx.rt.names.ceil, std::ceil); }

Ref MathTrunc(Context& cx, Value, const Args& args) {
  if (IsFloat(args[0])) return NewIntFromDouble(cx, std::trunc(FloatValue(args[0])));
  if (IsInt(args[0])) return IntPlain(cx, args[0]);
  bool found;
  Ref r = CallSpecial(cx, args[0], cx.rt.names.trunc, Args(), &found);
  if (!found) return RaiseTypeError(cx, "type %s doesn't define __trunc__ method", ClassName(cx, args[0]));
  return r;
}

Ref MathGcd(Context& cx, Value, const Args& args) {
  Ref result = Ref::Small(0);
  for (size_t i = 0; i < args.size(); i++) {
    Ref n = Index(cx, args[i]);
    if (!n) return nullptr;
    result = IntGcd(cx, result, n);
    if (!result) return nullptr;
  }
  return result;
}

Ref MathLcm(Context& cx, Value, const Args& args) {
  Ref result = Ref::Small(1);
  for (size_t i = 0; i < args.size(); i++) {
    Ref n = Index(cx, args[i]);
    if (!n) return nullptr;
    if (IntIsZero(n)) return Ref::Small(0);
    Ref common = IntGcd(cx, result, n);
    Ref part = common ? IntFloorDiv(cx, n, common) : Ref();
    Ref product = part ? IntMul(cx, result, part) : Ref();
    result = product ? IntAbs(cx, product) : Ref();
    if (!result) return nullptr;
  }
  return result;
}

Ref MathIsqrt(Context& cx, Value, const Args& args) {
  Ref n = Index(cx, args[0]);
  if (!n) return nullptr;
  if (IntIsNegative(n)) return RaiseValueError(cx, "isqrt() argument must be nonnegative");
  return IntSqrt(cx, n);
}

// The product of [from, to], halves first, so that the factors stay of like size.
Ref ProductOfRange(Context& cx, int64_t from, int64_t to) {
  if (from > to) return Ref::Small(1);
  if (to - from < 4) {
    Ref r = NewInt(cx, from);
    for (int64_t i = from + 1; r && i <= to; i++) r = IntMul(cx, r, Value::Small(i));
    return r;
  }
  const int64_t middle = from + (to - from) / 2;
  Ref low = ProductOfRange(cx, from, middle);
  Ref high = low ? ProductOfRange(cx, middle + 1, to) : Ref();
  return high ? IntMul(cx, low, high) : Ref();
}

Ref MathFactorial(Context& cx, Value, const Args& args) {
  if (IsFloat(args[0])) return RaiseTypeError(cx, "'float' object cannot be interpreted as an integer");
  int64_t n;
  if (!ToInt64(cx, args[0], &n)) {
    if (ClearIf(cx, cx.rt.exc.OverflowError)) {
      if (IntIsNegative(args[0])) return RaiseValueError(cx, "factorial() not defined for negative values");
      return RaiseOverflowError(cx, "factorial() argument should not exceed 9223372036854775807");
    }
    return nullptr;
  }
  if (n < 0) return RaiseValueError(cx, "factorial() not defined for negative values");
  return ProductOfRange(cx, 2, n);
}

bool TwoCounts(Context& cx, const Args& args, int64_t* n, int64_t* k) {
  if (!ToInt64(cx, args[0], n)) return false;
  // A k that does not fit is larger than any n.
  if (args.size() < 2 || args[1] == cx.None()) {
    *k = *n;
  } else if (!ToIndexClamped(cx, args[1], k)) {
    return false;
  }
  if (*n < 0) return RaiseValueError(cx, "n must be a non-negative integer"), false;
  if (*k < 0) return RaiseValueError(cx, "k must be a non-negative integer"), false;
  return true;
}

Ref MathPerm(Context& cx, Value, const Args& args) {
  int64_t n, k;
  if (!TwoCounts(cx, args, &n, &k)) return nullptr;
  if (k > n) return Ref::Small(0);
  return ProductOfRange(cx, n - k + 1, n);
}

Ref MathComb(Context& cx, Value, const Args& args) {
  int64_t n, k;
  if (!TwoCounts(cx, args, &n, &k)) return nullptr;
  if (k > n) return Ref::Small(0);
  if (k > n - k) k = n - k;
  Ref above = ProductOfRange(cx, n - k + 1, n);
  Ref below = above ? ProductOfRange(cx, 2, k) : Ref();
  return below ? IntFloorDiv(cx, above, below) : Ref();
}

Ref MathProd(Context& cx, Value, const Args& args) {
  Value v[2];
  if (!ParseArgs(cx, "prod", args, {"/iterable", "*start"}, 1, v)) return nullptr;
  Ref result = v[1] ? Ref::New(v[1]) : Ref::Small(1);
  if (!Iterate(cx, v[0], [&](Value item) {
        result = Binary(cx, BinaryOp::kMul, result, item);
        return static_cast<bool>(result);
      })) {
    return nullptr;
  }
  return result;
}

// ---- sums

// Adds exactly: `parts` are non-overlapping, smallest first, and their sum is the sum of all that was added.
void AddExactly(std::vector<double>& parts, double x) {
  size_t kept = 0;
  for (double y : parts) {
    if (std::fabs(x) < std::fabs(y)) std::swap(x, y);
    const double high = x + y;
    const double low = y - (high - x);
    if (low != 0) parts[kept++] = low;
    x = high;
  }
  parts.resize(kept);
  parts.push_back(x);
}

double RoundedSum(const std::vector<double>& parts) {
  size_t n = parts.size();
  if (n == 0) return 0;
  double high = parts[--n];
  double low = 0;
  while (n > 0) {
    const double x = high;
    const double y = parts[--n];
    high = x + y;
    low = y - (high - x);
    if (low != 0) break;
  }
  // Half way between two doubles: what lies below decides, so that the result is rounded once.
  if (n > 0 && ((low < 0 && parts[n - 1] < 0) || (low > 0 && parts[n - 1] > 0))) {
    const double y = low * 2;
    const double x = high + y;
    if (y == x - high) high = x;
  }
  return high;
}

Ref MathFsum(Context& cx, Value, const Args& args) {
  std::vector<double> parts;
  double special = 0;     // sum of infinities and NaNs
  bool odd = false, infinities = false;
  if (!Iterate(cx, args[0], [&](Value item) {
        double x;
        if (!ToDouble(cx, item, &x)) return false;
        if (!std::isfinite(x)) {
          infinities |= std::isinf(x);
          odd = true;
          special += x;
        } else {
          AddExactly(parts, x);
          if (!std::isfinite(parts.back())) return RaiseOverflowError(cx, "intermediate overflow in fsum"), false;
        }
        return true;
      })) {
    return nullptr;
  }
  if (odd) {
    if (infinities && std::isnan(special)) return RaiseValueError(cx, "-inf + inf in fsum");
    return NewFloat(cx, special);
  }
  return NewFloat(cx, RoundedSum(parts));
}

Ref MathHypot(Context& cx, Value, const Args& args) {
  double result = 0;
  for (size_t i = 0; i < args.size(); i++) {
    double x;
    if (!ToDouble(cx, args[i], &x)) return nullptr;
    result = i == 0 ? std::fabs(x) : std::hypot(result, x);
  }
  return NewFloat(cx, result);
}

Ref MathDist(Context& cx, Value, const Args& args) {
  Ref p = TupleFromIterable(cx, args[0]);
  Ref q = p ? TupleFromIterable(cx, args[1]) : Ref();
  if (!q) return nullptr;
  if (p.as<Tuple>()->size() != q.as<Tuple>()->size()) {
    return RaiseValueError(cx, "both points must have the same number of dimensions");
  }
  double result = 0;
  for (size_t i = 0; i < p.as<Tuple>()->size(); i++) {
    double x, y;
    if (!ToDouble(cx, p.as<Tuple>()->Get(i), &x) || !ToDouble(cx, q.as<Tuple>()->Get(i), &y)) return nullptr;
    result = std::hypot(result, x - y);
  }
  return NewFloat(cx, result);
}

// ---- parts of numbers

Ref MathModf(Context& cx, Value, const Args& args) {
  double x, whole;
  if (!ToDouble(cx, args[0], &x)) return nullptr;
  const double part = std::modf(x, &whole);
  Ref a = NewFloat(cx, part);
  Ref b = NewFloat(cx, whole);
  return a && b ? Pack(cx, a, b) : Ref();
}

Ref MathFrexp(Context& cx, Value, const Args& args) {
  double x;
  if (!ToDouble(cx, args[0], &x)) return nullptr;
  int exponent = 0;
  const double mantissa = std::isfinite(x) ? std::frexp(x, &exponent) : x;
  Ref a = NewFloat(cx, mantissa);
  return a ? Pack(cx, a, Value::Small(exponent)) : Ref();
}

Ref MathLdexp(Context& cx, Value, const Args& args) {
  double x;
  int64_t exponent;
  if (!ToDouble(cx, args[0], &x) || !ToIndexClamped(cx, args[1], &exponent)) return nullptr;
  const int e = static_cast<int>(exponent > 100000 ? 100000 : exponent < -100000 ? -100000 : exponent);
  const double r = std::ldexp(x, e);
  if (std::isinf(r) && std::isfinite(x)) return RangeError(cx);
  return NewFloat(cx, r);
}

Ref MathIsClose(Context& cx, Value, const Args& args) {
  Value v[4];
  if (!ParseArgs(cx, "isclose", args, {"a", "b", "*rel_tol", "*abs_tol"}, 2, v)) return nullptr;
  double a, b, relative = 1e-9, absolute = 0;
  if (!ToDouble(cx, v[0], &a) || !ToDouble(cx, v[1], &b) || (v[2] && !ToDouble(cx, v[2], &relative)) ||
      (v[3] && !ToDouble(cx, v[3], &absolute))) {
    return nullptr;
  }
  if (relative < 0 || absolute < 0) return RaiseValueError(cx, "tolerances must be non-negative");
  if (a == b) return cx.BoolRef(true);
  if (std::isinf(a) || std::isinf(b)) return cx.BoolRef(false);
  const double off = std::fabs(a - b);
  return cx.BoolRef(off <= std::fabs(relative * b) || off <= std::fabs(relative * a) || off <= absolute);
}

template <bool (*test)(double)>
Ref Test(Context& cx, Value, const Args& args) {
  double x;
  return ToDouble(cx, args[0], &x) ? cx.BoolRef(test(x)) : Ref();
}

double Degrees(double x) { return x * (180.0 / M_PI); }
double Radians(double x) { return x * (M_PI / 180.0); }
bool IsNan(double x) { return std::isnan(x); }
bool IsInf(double x) { return std::isinf(x); }
bool IsFinite(double x) { return std::isfinite(x); }
double Ulp(double x) {
  if (!std::isfinite(x)) return std::fabs(x);
  x = std::fabs(x);
  const double next = std::nextafter(x, HUGE_VAL);
  return std::isinf(next) ? x - std::nextafter(x, -HUGE_VAL) : next - x;
}
double Gamma(double x) {
  // Zero and the negative whole numbers are poles, not overflows.
  if ((x <= 0 && x == std::floor(x))) return std::nan("");
  return std::tgamma(x);
}
double LogGamma(double x) { return std::lgamma(x); }

const MethodDef kFunctions[] = {
    {"sqrt", Real1<std::sqrt>, 1, 1},
    {"cbrt", Real1<std::cbrt>, 1, 1},
    {"sin", Real1<std::sin>, 1, 1},
    {"cos", Real1<std::cos>, 1, 1},
    {"tan", Real1<std::tan>, 1, 1},
    {"asin", Real1<std::asin>, 1, 1},
    {"acos", Real1<std::acos>, 1, 1},
    {"atan", Real1<std::atan>, 1, 1},
    {"sinh", Real1<std::sinh>, 1, 1},
    {"cosh", Real1<std::cosh>, 1, 1},
    {"tanh", Real1<std::tanh>, 1, 1},
    {"asinh", Real1<std::asinh>, 1, 1},
    {"acosh", Real1<std::acosh>, 1, 1},
    {"atanh", Real1<std::atanh, kHasPoles>, 1, 1},
    {"exp", Real1<std::exp>, 1, 1},
    {"exp2", Real1<std::exp2>, 1, 1},
    {"expm1", Real1<std::expm1>, 1, 1},
    {"log", MathLog, 1, 2},
    {"log2", LogBase<std::log2>, 1, 1},
    {"log10", LogBase<std::log10>, 1, 1},
    {"log1p", Real1<std::log1p, kHasPoles>, 1, 1},
    {"pow", MathPow, 2, 2},
    {"atan2", Real2<std::atan2>, 2, 2},
    {"fmod", Real2<std::fmod>, 2, 2},
    {"remainder", Real2<std::remainder>, 2, 2},
    {"copysign", Real2<std::copysign>, 2, 2},
    {"nextafter", Real2<std::nextafter>, 2, 2},
    {"hypot", MathHypot, 0, -1},
    {"dist", MathDist, 2, 2},
    {"fabs", Real1<std::fabs>, 1, 1},
    {"ulp", Real1<Ulp>, 1, 1},
    {"erf", Real1<std::erf>, 1, 1},
    {"erfc", Real1<std::erfc>, 1, 1},
    {"gamma", Real1<Gamma>, 1, 1},
    {"lgamma", Real1<LogGamma, kHasPoles>, 1, 1},
    {"degrees", Real1<Degrees>, 1, 1},
    {"radians", Real1<Radians>, 1, 1},
    {"floor", MathFloor, 1, 1},
    {"ceil", MathCeil, 1, 1},
    {"trunc", MathTrunc, 1, 1},
    {"gcd", MathGcd, 0, -1},
    {"lcm", MathLcm, 0, -1},
    {"isqrt", MathIsqrt, 1, 1},
    {"factorial", MathFactorial, 1, 1},
    {"perm", MathPerm, 1, 2},
    {"comb", MathComb, 2, 2},
    {"prod", MathProd, 1, 1, kMethodKeywords},
    {"fsum", MathFsum, 1, 1},
    {"modf", MathModf, 1, 1},
    {"frexp", MathFrexp, 1, 1},
    {"ldexp", MathLdexp, 2, 2},
    {"isclose", MathIsClose, 2, 2, kMethodKeywords},
    {"isnan", Test<IsNan>, 1, 1},
    {"isinf", Test<IsInf>, 1, 1},
    {"isfinite", Test<IsFinite>, 1, 1},
    {},
};

bool InitModule(Context& cx, Module* module) {
  return AddToModule(cx, module, "pi", NewFloat(cx, M_PI)) && AddToModule(cx, module, "e", NewFloat(cx, M_E)) &&
         AddToModule(cx, module, "tau", NewFloat(cx, 2 * M_PI)) &&
         AddToModule(cx, module, "inf", NewFloat(cx, HUGE_VAL)) &&
         AddToModule(cx, module, "nan", NewFloat(cx, std::nan("")));
}

}  // namespace

const ModuleDef kMathModule = {"math", kFunctions, InitModule};

}  // namespace tidepool::rt
