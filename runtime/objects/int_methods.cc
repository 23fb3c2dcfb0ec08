// int and bool as types: text, construction, methods, slots.
#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "tidepool/runtime/objects/bytes.h"
#include "tidepool/runtime/objects/float.h"
#include "tidepool/runtime/objects/format.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/objects.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/objects/unicode.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {

using bigmath::Limb;

namespace {

constexpr size_t kMaxDecimalDigits = 4300;

// Raw memory from malloc for the length of a scope.
class Scratch {
 public:
  explicit Scratch(size_t n) : p_(std::malloc(n == 0 ? 1 : n)) {}
  ~Scratch() { std::free(p_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  template <class T>
  T* as() const { return static_cast<T*>(p_); }
  explicit operator bool() const { return p_ != nullptr; }

 private:
  void* p_;
};

Ref InvalidLiteral(Context& cx, int base, Value shown) {
  Ref repr = Repr(cx, shown);
  if (!repr) return nullptr;
  return RaiseValueError(cx, "invalid literal for int() with base %d: %.200s", base, ToUtf8(repr.as<Str>()).c_str());
}

template <Ref (*fn)(Context&, Value, Value)>
Ref BinarySlot(Context& cx, Value a, Value b) {
  if (!IsInt(a) || !IsInt(b)) return cx.NotImplementedRef();
  return fn(cx, a, b);
}

template <Ref (*fn)(Context&, Value)>
Ref UnarySlot(Context& cx, Value v) {
  return fn(cx, v);
}

Ref PowSlot(Context& cx, Value a, Value b) {
  if (!IsInt(a) || !IsInt(b)) return cx.NotImplementedRef();
  return IntPow(cx, a, b, Value());
}

Ref IntRepr(Context& cx, Value self) { return IntToStr(cx, self); }

bool IntHashSlot(Context&, Value self, int64_t* out) {
  *out = IntHash(self);
  return true;
}

int IntTruth(Context&, Value self) { return !IntIsZero(self); }

Ref IntCompareSlot(Context& cx, Value a, Value b, CompareOp op) {
  if (!IsInt(a) || !IsInt(b)) return cx.NotImplementedRef();
  int c = IntCompare(a, b);
  switch (op) {
    case CompareOp::kLt: return cx.BoolRef(c < 0);
    case CompareOp::kLe: return cx.BoolRef(c <= 0);
    case CompareOp::kEq: return cx.BoolRef(c == 0);
    case CompareOp::kNe: return cx.BoolRef(c != 0);
    case CompareOp::kGt: return cx.BoolRef(c > 0);
    default: return cx.BoolRef(c >= 0);
  }
}

Ref IntToFloatSlot(Context& cx, Value self) {
  double d;
  return IntToDouble(cx, self, &d) ? NewFloat(cx, d) : nullptr;
}

// int(x) without a base.
Ref IntFromValue(Context& cx, Value v) {
  if (IsInt(v) && (v.is_small_int() || IsExact(v, cx.rt.cls.int_))) return Ref::New(v);
  Class* cls = ClassOf(cx, v);
  if (cls->slots.to_int != nullptr) {
    Ref r = cls->slots.to_int(cx, v);
    if (!r) return nullptr;
    if (!IsInt(r)) return RaiseTypeError(cx, "__int__ returned non-int (type %s)", ClassName(cx, r));
    return IntPlain(cx, r);
  }
  if (cls->slots.index != nullptr) {
    Ref r = Index(cx, v);
    return r ? IntPlain(cx, r) : nullptr;
  }
  bool found = false;
  Ref r = CallSpecial(cx, v, cx.rt.names.trunc, Args(), &found);
  if (found) {
    if (!r) return nullptr;
    if (IsInt(r)) return IntPlain(cx, r);
    return Index(cx, r);
  }
  if (IsStr(v)) return IntFromText(cx, v.as<Str>()->view(), 10, v);
  if (HasLayout(v, Layout::kBytes) || HasLayout(v, Layout::kByteArray)) {
    BufferView view(cx);
    if (!view.Open(v)) return nullptr;
    return IntFromText(cx, TextView(view.data(), view.size(), 1), 10, v);
  }
  return RaiseTypeError(cx, "int() argument must be a string, a bytes-like object or a real number, not '%s'",
                        ClassName(cx, v));
}

Ref IntSubclass(Context& cx, Class* cls, Ref plain) {
  if (!plain || cls == cx.rt.cls.int_) return plain;
  IntView x(plain.get());
  Ref r = NewInstance(cx, cls, x.size() * sizeof(Limb));
  if (!r) return nullptr;
  auto* o = r.as<Int>();
  o->size = x.negative() ? -static_cast<int64_t>(x.size()) : static_cast<int64_t>(x.size());
  std::memcpy(o->limbs, x.limbs(), x.size() * sizeof(Limb));
  return r;
}

Ref IntCreate(Context& cx, Class* cls, const Args& args) {
  if (args.npos == 1 && args.nkw == 0) return IntSubclass(cx, cls, IntFromValue(cx, args[0]));
  Value v[2];
  if (!ParseArgs(cx, "int", args, {"/x", "base"}, 0, v)) return nullptr;
  if (!v[0]) {
    if (v[1]) return RaiseTypeError(cx, "int() missing string argument");
    return IntSubclass(cx, cls, Ref::Small(0));
  }
  if (!v[1]) return IntSubclass(cx, cls, IntFromValue(cx, v[0]));
  int64_t base;
  if (!ToIndexClamped(cx, v[1], &base)) return nullptr;
  if (base != 0 && (base < 2 || base > 36)) return RaiseValueError(cx, "int() base must be >= 2 and <= 36, or 0");
  if (IsStr(v[0])) return IntSubclass(cx, cls, IntFromText(cx, v[0].as<Str>()->view(), static_cast<int>(base), v[0]));
  if (HasLayout(v[0], Layout::kBytes) || HasLayout(v[0], Layout::kByteArray)) {
    BufferView view(cx);
    if (!view.Open(v[0])) return nullptr;
    return IntSubclass(cx, cls,
                       IntFromText(cx, TextView(view.data(), view.size(), 1), static_cast<int>(base), v[0]));
  }
  return RaiseTypeError(cx, "int() can't convert non-string with explicit base");
}

Ref BitLength(Context& cx, Value self, const Args&) { return NewInt(cx, static_cast<int64_t>(IntBitLength(self))); }

Ref BitCount(Context& cx, Value self, const Args&) {
  IntView x(self);
  int64_t n = 0;
  for (size_t i = 0; i < x.size(); ++i) n += std::popcount(x.limbs()[i]);
  return NewInt(cx, n);
}

Ref SelfAsInt(Context& cx, Value self, const Args&) { return IntPlain(cx, self); }

// round(n, -k): to a multiple of 10^k, half to even.
Ref IntRound(Context& cx, Value self, const Args& args) {
  if (args.npos == 0 || args[0] == cx.None()) return IntPlain(cx, self);
  Ref digits = Index(cx, args[0]);
  if (!digits) return nullptr;
  if (!IntIsNegative(digits)) return IntPlain(cx, self);
  Ref k = IntNeg(cx, digits);
  Ref unit = k ? IntPow(cx, Value::Small(10), k, Value()) : nullptr;
  if (!unit) return nullptr;
  Ref rest = IntMod(cx, self, unit);
  Ref down = rest ? IntSub(cx, self, rest) : nullptr;
  Ref twice = down ? IntLShift(cx, rest, Value::Small(1)) : nullptr;
  if (!twice) return nullptr;
  int c = IntCompare(twice, unit);
  if (c == 0) {
    Ref q = IntFloorDiv(cx, down, unit);
    if (!q) return nullptr;
    c = IntIsOdd(q) ? 1 : -1;
  }
  return c > 0 ? IntAdd(cx, down, unit) : std::move(down);
}

bool ByteOrder(Context& cx, Value v, bool* big) {
  if (!v) {
    *big = true;
    return true;
  }
  if (!IsStr(v)) {
    RaiseTypeError(cx, "to_bytes() argument 'byteorder' must be str, not %s", ClassName(cx, v));
    return false;
  }
  *big = StrIs(v.as<Str>(), "big");
  if (!*big && !StrIs(v.as<Str>(), "little")) {
    RaiseValueError(cx, "byteorder must be either 'little' or 'big'");
    return false;
  }
  return true;
}

Ref ToBytes(Context& cx, Value self, const Args& args) {
  Value v[3];
  if (!ParseArgs(cx, "to_bytes", args, {"length", "byteorder", "*signed"}, 0, v)) return nullptr;
  int64_t n = 1;
  if (v[0] && !ToInt64(cx, v[0], &n)) return nullptr;
  bool big;
  if (!ByteOrder(cx, v[1], &big)) return nullptr;
  int is_signed = v[2] ? IsTrue(cx, v[2]) : 0;
  if (is_signed < 0) return nullptr;
  if (n < 0) return RaiseValueError(cx, "length argument must be non-negative");
  if (IntIsNegative(self) && !is_signed) return RaiseOverflowError(cx, "can't convert negative int to unsigned");
  Bytes* b = NewBytesRoom(cx, static_cast<size_t>(n));
  if (b == nullptr) return nullptr;
  Ref result = Ref::Steal(b);
  auto* out = reinterpret_cast<unsigned char*>(b->data);
  if (!IntToBytes(self, out, static_cast<size_t>(n), is_signed != 0)) {
    return RaiseOverflowError(cx, "int too big to convert");
  }
  for (int64_t i = 0, j = n - 1; big && i < j; ++i, --j) std::swap(out[i], out[j]);
  return result;
}

Ref FromBytes(Context& cx, Value self, const Args& args) {
  Value v[3];
  if (!ParseArgs(cx, "from_bytes", args, {"bytes", "byteorder", "*signed"}, 1, v)) return nullptr;
  bool big;
  if (!ByteOrder(cx, v[1], &big)) return nullptr;
  int is_signed = v[2] ? IsTrue(cx, v[2]) : 0;
  if (is_signed < 0) return nullptr;
  Ref bytes = Ref::New(v[0]);
  if (!BufferView::Supports(bytes)) {
    bytes = Call(cx, cx.rt.cls.bytes, v[0]);
    if (!bytes) return nullptr;
  }
  BufferView view(cx);
  if (!view.Open(bytes)) return nullptr;
  Scratch copy(view.size());
  if (!copy) return RaiseMemoryError(cx);
  auto* p = copy.as<unsigned char>();
  for (size_t i = 0; i < view.size(); ++i) {
    p[i] = static_cast<unsigned char>(view.data()[big ? view.size() - 1 - i : i]);
  }
  Ref r = IntFromBytes(cx, p, view.size(), is_signed != 0);
  if (!r || self == Value(cx.rt.cls.int_)) return r;
  return Call(cx, self, r);
}

Ref AsIntegerRatio(Context& cx, Value self, const Args&) {
  Ref n = IntPlain(cx, self);
  return n ? Pack(cx, n, Value::Small(1)) : nullptr;
}

Ref IntFormat(Context& cx, Value self, const Args& args) {
  if (!IsStr(args[0])) {
    return RaiseTypeError(cx, "__format__() argument must be str, not %s", ClassName(cx, args[0]));
  }
  return FormatSpecOf(cx, self, args[0].as<Str>());
}

Ref GetNewArgs(Context& cx, Value self, const Args&) {
  Ref n = IntPlain(cx, self);
  return n ? Pack(cx, n) : nullptr;
}

Ref GetReal(Context& cx, Value self) { return IntPlain(cx, self); }
Ref GetZero(Context&, Value) { return Ref::Small(0); }
Ref GetOne(Context&, Value) { return Ref::Small(1); }

const MethodDef kIntMethods[] = {
    {"bit_length", BitLength, 0, 0},
    {"bit_count", BitCount, 0, 0},
    {"conjugate", SelfAsInt, 0, 0},
    {"to_bytes", ToBytes, 0, 0, kMethodKeywords},
    {"from_bytes", FromBytes, 0, 0, kMethodKeywords | kMethodClass},
    {"as_integer_ratio", AsIntegerRatio, 0, 0},
    {"__format__", IntFormat, 1, 1},
    {"__round__", IntRound, 0, 1},
    {"__trunc__", SelfAsInt, 0, 0},
    {"__floor__", SelfAsInt, 0, 0},
    {"__ceil__", SelfAsInt, 0, 0},
    {"__getnewargs__", GetNewArgs, 0, 0},
    {},
};

const GetSetDef kIntGetSet[] = {
    {"real", GetReal, nullptr},
    {"imag", GetZero, nullptr},
    {"numerator", GetReal, nullptr},
    {"denominator", GetOne, nullptr},
    {},
};

void SetIntSlots(TypeSlots& s) {
  auto binary = [&](BinaryOp op) -> auto& { return s.binary[static_cast<int>(op)]; };
  s.repr = IntRepr;
  s.hash = IntHashSlot;
  s.truth = IntTruth;
  s.compare = IntCompareSlot;
  binary(BinaryOp::kAdd) = BinarySlot<IntAdd>;
  binary(BinaryOp::kSub) = BinarySlot<IntSub>;
  binary(BinaryOp::kMul) = BinarySlot<IntMul>;
  binary(BinaryOp::kTrueDiv) = BinarySlot<IntTrueDiv>;
  binary(BinaryOp::kFloorDiv) = BinarySlot<IntFloorDiv>;
  binary(BinaryOp::kMod) = BinarySlot<IntMod>;
  binary(BinaryOp::kDivMod) = BinarySlot<IntDivMod>;
  binary(BinaryOp::kPow) = PowSlot;
  binary(BinaryOp::kLShift) = BinarySlot<IntLShift>;
  binary(BinaryOp::kRShift) = BinarySlot<IntRShift>;
  binary(BinaryOp::kAnd) = BinarySlot<IntAnd>;
  binary(BinaryOp::kOr) = BinarySlot<IntOr>;
  binary(BinaryOp::kXor) = BinarySlot<IntXor>;
  s.unary[static_cast<int>(UnaryOp::kNeg)] = UnarySlot<IntNeg>;
  s.unary[static_cast<int>(UnaryOp::kPos)] = UnarySlot<IntPlain>;
  s.unary[static_cast<int>(UnaryOp::kInvert)] = UnarySlot<IntInvert>;
  s.unary[static_cast<int>(UnaryOp::kAbs)] = UnarySlot<IntAbs>;
  s.index = IntPlain;
  s.to_int = IntPlain;
  s.to_float = IntToFloatSlot;
}

NativeType MakeIntType() {
  NativeType t;
  t.name = "int";
  t.layout = Layout::kInt;
  t.size = sizeof(Int);
  t.flags = kTypeSubclassable | kTypeVarSized;
  SetIntSlots(t.slots);
  t.slots.create = IntCreate;
  t.methods = kIntMethods;
  t.getset = kIntGetSet;
  return t;
}

// ---- bool

bool IsBool(Context& cx, Value v) { return v == cx.rt.true_ || v == cx.rt.false_; }

Ref BoolRepr(Context& cx, Value self) { return NewStr(cx, self == cx.rt.true_ ? "True" : "False"); }

Ref BoolCreate(Context& cx, Class*, const Args& args) {
  if (!NoKeywords(cx, "bool", args) || !CheckArgCount(cx, "bool", args, 0, 1)) return nullptr;
  if (args.npos == 0) return cx.BoolRef(false);
  int t = IsTrue(cx, args[0]);
  return t < 0 ? Ref() : cx.BoolRef(t != 0);
}

template <Ref (*fn)(Context&, Value, Value)>
Ref BoolBinary(Context& cx, Value a, Value b) {
  if (!IsInt(a) || !IsInt(b)) return cx.NotImplementedRef();
  Ref r = fn(cx, a, b);
  if (r && IsBool(cx, a) && IsBool(cx, b)) return cx.BoolRef(!IntIsZero(r));
  return r;
}

}  // namespace

const NativeType kIntType = MakeIntType();

bool InitBoolType(Context& cx) {
  NativeType t;
  t.name = "bool";
  t.layout = Layout::kInt;
  t.size = sizeof(Int);
  t.flags = kTypeVarSized;
  t.base = cx.rt.cls.int_;
  SetIntSlots(t.slots);
  t.slots.repr = BoolRepr;
  t.slots.binary[static_cast<int>(BinaryOp::kAnd)] = BoolBinary<IntAnd>;
  t.slots.binary[static_cast<int>(BinaryOp::kOr)] = BoolBinary<IntOr>;
  t.slots.binary[static_cast<int>(BinaryOp::kXor)] = BoolBinary<IntXor>;
  t.slots.create = BoolCreate;
  static NativeType type;
  type = t;
  if ((cx.rt.cls.bool_ = DefineType(cx, type)) == nullptr) return false;
  for (int i = 0; i < 2; ++i) {
    Value& where = i == 0 ? cx.rt.false_ : cx.rt.true_;
    if (where) continue;
    auto* b = NewExact<Int>(cx, cx.rt.cls.bool_, sizeof(Int) + sizeof(Limb));
    if (b == nullptr) return false;
    b->size = i;
    b->limbs[0] = static_cast<Limb>(i);
    SetImmortal(cx.ts, b);
    where = b;
  }
  return true;
}

Ref IntToStr(Context& cx, Value v, int base, bool prefix) {
  const char* mark = !prefix ? "" : base == 16 ? "0x" : base == 8 ? "0o" : base == 2 ? "0b" : "";
  if (v.is_small_int()) {
    char text[72];
    char* p = text + sizeof(text);
    int64_t x = v.small_int();
    uint64_t m = x < 0 ? uint64_t{0} - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
    auto b = static_cast<unsigned>(base);
    do {
      *--p = "0123456789abcdefghijklmnopqrstuvwxyz"[m % b];
      m /= b;
    } while (m != 0);
    for (size_t i = std::strlen(mark); i-- > 0;) *--p = mark[i];
    if (x < 0) *--p = '-';
    return NewStrFromText(cx, TextView(p, static_cast<size_t>(text + sizeof(text) - p), 1));
  }
  IntView x(v);
  uint64_t bits = bigmath::BitLength(x.limbs(), x.size());
  size_t room = bigmath::DigitRoom(bits, base);
  if (base == 10 && bits > kMaxDecimalDigits * 10 / 3 + 16) {
    return RaiseValueError(cx,
                           "Exceeds the limit (%zu digits) for integer string conversion; use "
                           "sys.set_int_max_str_digits() to increase the limit",
                           kMaxDecimalDigits);
  }
  Scratch limbs(x.size() * sizeof(Limb));
  Scratch text(room + 4);
  if (!limbs || !text) return RaiseMemoryError(cx);
  std::memcpy(limbs.as<Limb>(), x.limbs(), x.size() * sizeof(Limb));
  char* p = text.as<char>();
  size_t n = 0;
  if (x.negative()) p[n++] = '-';
  for (const char* m = mark; *m != 0; ++m) p[n++] = *m;
  size_t digits;
  {
    LongComputation away(cx, x.size() * x.size());
    digits = bigmath::ToDigits(limbs.as<Limb>(), x.size(), base, p + n);
  }
  if (base == 10 && digits > kMaxDecimalDigits) {
    return RaiseValueError(cx,
                           "Exceeds the limit (%zu digits) for integer string conversion; use "
                           "sys.set_int_max_str_digits() to increase the limit",
                           kMaxDecimalDigits);
  }
  return NewStrFromText(cx, TextView(p, n + digits, 1));
}

Ref IntFromText(Context& cx, TextView text, int base, Value shown) {
  int asked = base;
  size_t at = 0;
  size_t end = text.size;
  while (at < end && unicode::IsSpace(text[at])) ++at;
  while (end > at && unicode::IsSpace(text[end - 1])) --end;
  bool negative = false;
  if (at < end && (text[at] == '+' || text[at] == '-')) negative = text[at++] == '-';
  bool prefixed = false;
  if (end - at >= 2 && text[at] == '0') {
    char32_t c = text[at + 1] | 0x20;
    int implied = c == 'x' ? 16 : c == 'o' ? 8 : c == 'b' ? 2 : 0;
    if (implied != 0 && (base == 0 || base == implied)) {
      base = implied;
      at += 2;
      prefixed = true;
      if (at < end && text[at] == '_') ++at;
    }
  }
  bool only_zeros = false;
  if (base == 0) {
    base = 10;
    only_zeros = at < end && text[at] == '0';  // 007 is refused, 000 is not
  }
  Scratch digits(end - at);
  if (!digits) return RaiseMemoryError(cx);
  size_t count = 0;
  bool last_underscore = !prefixed;
  for (size_t i = at; i < end; ++i) {
    char32_t c = text[i];
    if (c == '_') {
      if (last_underscore || i == at) return InvalidLiteral(cx, asked, shown);
      last_underscore = true;
      continue;
    }
    last_underscore = false;
    int d = unicode::DecimalValue(c);
    if (d < 0 && c < 0x80) {
      char32_t lower = c | 0x20;
      d = lower >= 'a' && lower <= 'z' ? static_cast<int>(lower - 'a') + 10 : -1;
    }
    if (d < 0 || d >= base || (only_zeros && d != 0)) return InvalidLiteral(cx, asked, shown);
    digits.as<uint8_t>()[count++] = static_cast<uint8_t>(d);
  }
  if (count == 0 || last_underscore) return InvalidLiteral(cx, asked, shown);
  if (count <= 17 && base <= 10) {
    int64_t v = 0;
    for (size_t i = 0; i < count; ++i) v = v * base + digits.as<uint8_t>()[i];
    return Ref::Small(negative ? -v : v);
  }
  if (count > kMaxDecimalDigits && (base & (base - 1)) != 0) {
    return RaiseValueError(cx,
                           "Exceeds the limit (%zu digits) for integer string conversion: value has %zu digits; use "
                           "sys.set_int_max_str_digits() to increase the limit",
                           kMaxDecimalDigits, count);
  }
  Scratch limbs(bigmath::LimbRoom(count, base) * sizeof(Limb));
  if (!limbs) return RaiseMemoryError(cx);
  size_t n;
  {
    LongComputation away(cx, bigmath::LimbRoom(count, base) * (count / 16));
    n = bigmath::FromDigits(limbs.as<Limb>(), digits.as<uint8_t>(), count, base);
  }
  return NewIntFromLimbs64(cx, limbs.as<Limb>(), n, negative);
}

Ref IntFromText(Context& cx, std::string_view text, int base) {
  Ref shown = NewStr(cx, text);
  return shown ? IntFromText(cx, TextView(text.data(), text.size(), 1), base, shown) : nullptr;
}

}  // namespace tidepool::rt
