// float: arithmetic, comparison with ints of any size, methods, slots.
#include "tidepool/runtime/objects/float.h"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <limits>

#include "tidepool/runtime/objects/bytes.h"
#include "tidepool/runtime/objects/float_format.h"
#include "tidepool/runtime/objects/format.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/objects.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/objects/unicode.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {


// An operand: 1 a number, 0 neither int nor float, -1 an exception is pending.
int Operand(Context& cx, Value v, double* out) {
  if (IsFloat(v)) {
    *out = FloatValue(v);
    return 1;
  }
  if (!IsInt(v)) return 0;
  return IntToDouble(cx, v, out) ? 1 : -1;
}

template <class Op>
Ref Arithmetic(Context& cx, Value a, Value b, Op op) {
  double x, y, r;
  int known = Operand(cx, a, &x);
  if (known == 1) known = Operand(cx, b, &y);
  if (known == 0) return cx.NotImplementedRef();
  if (known < 0 || !op(x, y, &r)) return nullptr;
  return NewFloat(cx, r);
}

Ref Add(Context& cx, Value a, Value b) {
  return Arithmetic(cx, a, b, [](double x, double y, double* r) { return *r = x + y, true; });
}
Ref Sub(Context& cx, Value a, Value b) {
  return Arithmetic(cx, a, b, [](double x, double y, double* r) { return *r = x - y, true; });
}
Ref Mul(Context& cx, Value a, Value b) {
  return Arithmetic(cx, a, b, [](double x, double y, double* r) { return *r = x * y, true; });
}
Ref Div(Context& cx, Value a, Value b) {
  return Arithmetic(cx, a, b, [&](double x, double y, double* r) {
    if (y == 0) return RaiseZeroDivision(cx, "float division by zero"), false;
    return *r = x / y, true;
  });
}
Ref FloorDiv(Context& cx, Value a, Value b) {
  return Arithmetic(cx, a, b, [&](double x, double y, double* r) {
    if (y == 0) return RaiseZeroDivision(cx, "float floor division by zero"), false;
    return *r = FloatFloorDiv(x, y), true;
  });
}
Ref Mod(Context& cx, Value a, Value b) {
  return Arithmetic(cx, a, b, [&](double x, double y, double* r) {
    if (y == 0) return RaiseZeroDivision(cx, "float modulo"), false;
    return *r = FloatMod(x, y), true;
  });
}
Ref Pow(Context& cx, Value a, Value b) {
  return Arithmetic(cx, a, b, [&](double x, double y, double* r) { return FloatPow(cx, x, y, r); });
}
Ref DivMod(Context& cx, Value a, Value b) {
  double x, y;
  int known = Operand(cx, a, &x);
  if (known == 1) known = Operand(cx, b, &y);
  if (known == 0) return cx.NotImplementedRef();
  if (known < 0) return nullptr;
  if (y == 0) return RaiseZeroDivision(cx, "float divmod()");
  Ref q = NewFloat(cx, FloatFloorDiv(x, y));
  Ref r = q ? NewFloat(cx, FloatMod(x, y)) : nullptr;
  return r ? Pack(cx, q, r) : nullptr;
}

Ref Neg(Context& cx, Value v) { return NewFloat(cx, -FloatValue(v)); }
Ref Pos(Context& cx, Value v) { return NewFloat(cx, FloatValue(v)); }
Ref Abs(Context& cx, Value v) { return NewFloat(cx, std::fabs(FloatValue(v))); }
Ref ToInt(Context& cx, Value v) { return NewIntFromDouble(cx, FloatValue(v)); }
int Truth(Context&, Value v) { return FloatValue(v) != 0.0; }

Ref FloatRepr(Context& cx, Value self) { return FloatToStr(cx, FloatValue(self)); }

bool FloatHash(Context&, Value self, int64_t* out) {
  double d = FloatValue(self);
  if (std::isnan(d)) {  // by identity, as in CPython
    *out = static_cast<int64_t>(self.bits() >> 4);
    return true;
  }
  *out = HashDouble(d);
  return true;
}

Ref FloatCompare(Context& cx, Value a, Value b, CompareOp op) {
  // Called with a float on either side.
  bool swapped = !IsFloat(a);
  if (swapped) std::swap(a, b);
  double x = FloatValue(a);
  int c;
  if (IsFloat(b)) {
    double y = FloatValue(b);
    if (std::isnan(x) || std::isnan(y)) return cx.BoolRef(op == CompareOp::kNe);
    c = x < y ? -1 : x > y;
  } else if (IsInt(b)) {
    if (std::isnan(x)) return cx.BoolRef(op == CompareOp::kNe);
    c = -IntCompareDouble(b, x);
  } else {
    return cx.NotImplementedRef();
  }
  if (swapped) c = -c;
  switch (op) {
    case CompareOp::kLt: return cx.BoolRef(c < 0);
    case CompareOp::kLe: return cx.BoolRef(c <= 0);
    case CompareOp::kEq: return cx.BoolRef(c == 0);
    case CompareOp::kNe: return cx.BoolRef(c != 0);
    case CompareOp::kGt: return cx.BoolRef(c > 0);
    default: return cx.BoolRef(c >= 0);
  }
}

// float(text): spaces around, underscores between digits, digits of any script.
Ref FromText(Context& cx, TextView text, Value shown) {
  size_t from = 0;
  size_t to = text.size;
  while (from < to && unicode::IsSpace(text[from])) ++from;
  while (to > from && unicode::IsSpace(text[to - 1])) --to;
  TextBuffer ascii;
  bool ok = from < to;
  for (size_t i = from; i < to && ok; ++i) {
    char32_t c = text[i];
    if (c == '_') {
      ok = i > from && i + 1 < to && unicode::DecimalValue(text[i - 1]) >= 0 && unicode::DecimalValue(text[i + 1]) >= 0;
      continue;
    }
    int d = unicode::DecimalValue(c);
    if (d >= 0) c = static_cast<char32_t>('0' + d);
    ok = c < 0x80;
    ascii.Put(c);
  }
  double value = 0;
  if (ascii.failed()) return RaiseMemoryError(cx);
  if (ok && ParseDouble(static_cast<const char*>(ascii.view().data), ascii.size(), &value)) return NewFloat(cx, value);
  Ref repr = Repr(cx, shown);
  return repr ? RaiseValueError(cx, "could not convert string to float: %.200s", ToUtf8(repr.as<Str>()).c_str())
              : nullptr;
}

Ref FloatOf(Context& cx, Value v) {
  if (IsExactFloat(cx, v)) return Ref::New(v);
  if (IsStr(v)) return FromText(cx, v.as<Str>()->view(), v);
  if (HasLayout(v, Layout::kBytes) || HasLayout(v, Layout::kByteArray)) {
    BufferView view(cx);
    if (!view.Open(v)) return nullptr;
    return FromText(cx, TextView(view.data(), view.size(), 1), v);
  }
  Class* cls = ClassOf(cx, v);
  if (cls->slots.to_float != nullptr) {
    Ref r = cls->slots.to_float(cx, v);
    if (!r) return nullptr;
    if (!IsFloat(r)) {
      return RaiseTypeError(cx, "%s.__float__ returned non-float (type %s)", NameOf(cls), ClassName(cx, r));
    }
    return IsExactFloat(cx, r) ? std::move(r) : NewFloat(cx, FloatValue(r));
  }
  if (cls->slots.index != nullptr) {
    Ref i = Index(cx, v);
    double d;
    return i && IntToDouble(cx, i, &d) ? NewFloat(cx, d) : nullptr;
  }
  return RaiseTypeError(cx, "float() argument must be a string or a real number, not '%s'", ClassName(cx, v));
}

Ref FloatCreate(Context& cx, Class* cls, const Args& args) {
  if (cls == cx.rt.cls.float_ && !NoKeywords(cx, "float", args)) return nullptr;
  if (!CheckArgCount(cx, "float", args, 0, 1)) return nullptr;
  Ref plain = args.npos == 0 ? NewFloat(cx, 0.0) : FloatOf(cx, args[0]);
  if (!plain || cls == cx.rt.cls.float_) return plain;
  Ref r = NewInstance(cx, cls);
  if (r) r.as<Float>()->value = FloatValue(plain);
  return r;
}

Ref IsInteger(Context& cx, Value self, const Args&) {
  double d = FloatValue(self);
  return cx.BoolRef(std::isfinite(d) && std::floor(d) == d);
}

Ref AsIntegerRatio(Context& cx, Value self, const Args&) {
  double d = FloatValue(self);
  if (std::isnan(d)) return RaiseValueError(cx, "cannot convert NaN to integer ratio");
  if (std::isinf(d)) return RaiseOverflowError(cx, "cannot convert Infinity to integer ratio");
  int exponent;
  double fraction = std::frexp(d, &exponent);
  for (int i = 0; i < 300 && fraction != std::floor(fraction); ++i) {
    fraction *= 2.0;
    --exponent;
  }
  Ref n = NewIntFromDouble(cx, fraction);
  Ref one = Ref::Small(1);
  Ref shift = Ref::Small(exponent < 0 ? -exponent : exponent);
  Ref denominator = one.Copy();
  if (n && exponent > 0) n = IntLShift(cx, n, shift);
  if (n && exponent < 0) denominator = IntLShift(cx, one, shift);
  return n && denominator ? Pack(cx, n, denominator) : nullptr;
}

Ref Hex(Context& cx, Value self, const Args&) {
  double d = FloatValue(self);
  if (!std::isfinite(d)) return FloatToStr(cx, d);
  if (d == 0) return NewStr(cx, std::signbit(d) ? "-0x0.0p+0" : "0x0.0p+0");
  int exponent;
  double m = std::frexp(std::fabs(d), &exponent);
  int shift = 1 - (exponent > DBL_MIN_EXP ? 0 : DBL_MIN_EXP - exponent);
  if (shift < 0) shift = 0;
  if (exponent < DBL_MIN_EXP) shift = 1 - (DBL_MIN_EXP - exponent);
  m = std::ldexp(m, shift);
  exponent -= shift;
  char text[40];
  int n = std::snprintf(text, sizeof(text), "%s0x%d.", d < 0 ? "-" : "", static_cast<int>(m));
  m -= static_cast<int>(m);
  for (int i = 0; i < 13; ++i) {
    m *= 16;
    n += std::snprintf(text + n, sizeof(text) - static_cast<size_t>(n), "%x", static_cast<int>(m));
    m -= static_cast<int>(m);
  }
  n += std::snprintf(text + n, sizeof(text) - static_cast<size_t>(n), "p%+d", exponent);
  return NewStr(cx, std::string_view(text, static_cast<size_t>(n)));
}

Ref Round(Context& cx, Value self, const Args& args) {
  double d = FloatValue(self);
  if (args.npos == 0 || args[0] == cx.None()) {
    if (!std::isfinite(d)) return NewIntFromDouble(cx, d);
    return NewIntFromDouble(cx, std::nearbyint(d));
  }
  int64_t digits;
  if (!ToIndexClamped(cx, args[0], &digits)) return nullptr;
  digits = digits > 1000 ? 1000 : digits < -1000 ? -1000 : digits;
  double r = RoundDouble(d, static_cast<long>(digits));
  if (std::isinf(r) && std::isfinite(d)) return RaiseOverflowError(cx, "rounded value too large to represent");
  return NewFloat(cx, r);
}

Ref Trunc(Context& cx, Value self, const Args&) { return NewIntFromDouble(cx, FloatValue(self)); }
Ref Floor(Context& cx, Value self, const Args&) { return NewIntFromDouble(cx, std::floor(FloatValue(self))); }
Ref Ceil(Context& cx, Value self, const Args&) { return NewIntFromDouble(cx, std::ceil(FloatValue(self))); }
Ref Conjugate(Context& cx, Value self, const Args&) { return NewFloat(cx, FloatValue(self)); }

Ref FormatMethod(Context& cx, Value self, const Args& args) {
  if (!IsStr(args[0])) {
    return RaiseTypeError(cx, "__format__() argument must be str, not %s", ClassName(cx, args[0]));
  }
  return FormatSpecOf(cx, self, args[0].as<Str>());
}

Ref GetNewArgs(Context& cx, Value self, const Args&) {
  Ref f = NewFloat(cx, FloatValue(self));
  return f ? Pack(cx, f) : nullptr;
}

Ref FromHex(Context& cx, Value self, const Args& args) {
  Str* s = ToStr(cx, args[0], "fromhex");
  if (s == nullptr) return nullptr;
  std::string text = ToUtf8(s);
  size_t from = text.find_first_not_of(" \t\n\r\f\v");
  size_t to = text.find_last_not_of(" \t\n\r\f\v");
  if (from == std::string::npos) return RaiseValueError(cx, "invalid hexadecimal floating-point string");
  text = text.substr(from, to - from + 1);
  // The C library wants the 0x that Python leaves optional.
  size_t at = text[0] == '+' || text[0] == '-' ? 1 : 0;
  bool word = at < text.size() && std::strchr("iInN", text[at]) != nullptr;
  if (!word && !(text.size() > at + 1 && text[at] == '0' && (text[at + 1] | 0x20) == 'x')) text.insert(at, "0x");
  char* end;
  double d = std::strtod(text.c_str(), &end);
  if (*end != 0) return RaiseValueError(cx, "invalid hexadecimal floating-point string");
  if (std::isinf(d) && !word) {
    return RaiseOverflowError(cx, "hexadecimal value too large to represent as a float");
  }
  Ref f = NewFloat(cx, d);
  if (!f || self == Value(cx.rt.cls.float_)) return f;
  return Call(cx, self, f);
}

Ref GetReal(Context& cx, Value self) { return NewFloat(cx, FloatValue(self)); }
Ref GetImag(Context& cx, Value) { return NewFloat(cx, 0.0); }

const MethodDef kFloatMethods[] = {
    {"is_integer", IsInteger, 0, 0},
    {"as_integer_ratio", AsIntegerRatio, 0, 0},
    {"hex", Hex, 0, 0},
    {"fromhex", FromHex, 1, 1, kMethodClass},
    {"conjugate", Conjugate, 0, 0},
    {"__format__", FormatMethod, 1, 1},
    {"__round__", Round, 0, 1},
    {"__trunc__", Trunc, 0, 0},
    {"__floor__", Floor, 0, 0},
    {"__ceil__", Ceil, 0, 0},
    {"__getnewargs__", GetNewArgs, 0, 0},
    {},
};

const GetSetDef kFloatGetSet[] = {{"real", GetReal, nullptr}, {"imag", GetImag, nullptr}, {}};

NativeType MakeFloatType() {
  NativeType t;
  t.name = "float";
  t.layout = Layout::kFloat;
  t.size = sizeof(Float);
  t.flags = kTypeSubclassable;
  t.slots.repr = FloatRepr;
  t.slots.hash = FloatHash;
  t.slots.compare = FloatCompare;
  t.slots.truth = Truth;
  t.slots.to_int = ToInt;
  t.slots.to_float = Pos;
  t.slots.create = FloatCreate;
  auto binary = [&](BinaryOp op) -> auto& { return t.slots.binary[static_cast<int>(op)]; };
  binary(BinaryOp::kAdd) = Add;
  binary(BinaryOp::kSub) = Sub;
  binary(BinaryOp::kMul) = Mul;
  binary(BinaryOp::kTrueDiv) = Div;
  binary(BinaryOp::kFloorDiv) = FloorDiv;
  binary(BinaryOp::kMod) = Mod;
  binary(BinaryOp::kDivMod) = DivMod;
  binary(BinaryOp::kPow) = Pow;
  t.slots.unary[static_cast<int>(UnaryOp::kNeg)] = Neg;
  t.slots.unary[static_cast<int>(UnaryOp::kPos)] = Pos;
  t.slots.unary[static_cast<int>(UnaryOp::kAbs)] = Abs;
  t.methods = kFloatMethods;
  t.getset = kFloatGetSet;
  return t;
}

}  // namespace

int64_t HashDouble(double value) {
  constexpr int kBits = 61;
  constexpr uint64_t kModulus = (uint64_t{1} << kBits) - 1;
  if (std::isinf(value)) return value > 0 ? 314159 : -314159;
  if (std::isnan(value)) return 0;
  int exponent;
  double m = std::frexp(value, &exponent);
  bool negative = m < 0;
  if (negative) m = -m;
  uint64_t x = 0;
  while (m != 0) {
    x = ((x << 28) & kModulus) | (x >> (kBits - 28));
    m *= 268435456.0;  // 2^28
    exponent -= 28;
    auto y = static_cast<uint64_t>(m);
    m -= static_cast<double>(y);
    x += y;
    if (x >= kModulus) x -= kModulus;
  }
  exponent = exponent >= 0 ? exponent % kBits : kBits - 1 - ((-1 - exponent) % kBits);
  if (exponent != 0) x = ((x << exponent) & kModulus) | (x >> (kBits - exponent));
  auto h = static_cast<int64_t>(x);
  if (negative) h = -h;
  return h == -1 ? -2 : h;
}

double FloatMod(double a, double b) {
  double r = std::fmod(a, b);
  if (r != 0) {
    if ((b < 0) != (r < 0)) r += b;
    return r;
  }
  return std::copysign(0.0, b);
}

double FloatFloorDiv(double a, double b) {
  double r = std::fmod(a, b);
  double q = (a - r) / b;
  if (r != 0 && (b < 0) != (r < 0)) q -= 1.0;
  if (q != 0) {
    double f = std::floor(q);
    return q - f > 0.5 ? f + 1.0 : f;
  }
  return std::copysign(0.0, a / b);
}

bool FloatPow(Context& cx, double a, double b, double* out) {
  if (b == 0) {
    *out = 1.0;
    return true;
  }
  if (a == 0 && b < 0) {
    RaiseZeroDivision(cx, "0.0 cannot be raised to a negative power");
    return false;
  }
  if (a < 0 && std::isfinite(a) && std::isfinite(b) && b != std::floor(b)) {
    RaiseValueError(cx, "negative number cannot be raised to a fractional power");
    return false;
  }
  *out = std::pow(a, b);
  if (std::isinf(*out) && std::isfinite(a) && std::isfinite(b)) {
    Ref text = NewStr(cx, "Numerical result out of range");
    Ref args = text ? Pack(cx, Value::Small(34), text) : nullptr;
    Ref e = args ? CallWithTuple(cx, cx.rt.exc.OverflowError, args, Value()) : nullptr;
    if (e) RaiseObject(cx, e);
    return false;
  }
  return true;
}

Ref FloatToStr(Context& cx, double value) {
  char text[kMaxReprDouble];
  size_t n = ReprDouble(value, text);
  return NewStrFromText(cx, TextView(text, n, 1));
}

bool InitFloatType(Context& cx) {
  static const NativeType type = MakeFloatType();
  return (cx.rt.cls.float_ = DefineType(cx, type)) != nullptr;
}

}  // namespace tidepool::rt
