// Constant folding; see fold.h for what is left alone.
#include "tidepool/runtime/lang/fold.h"

#include <cmath>

#include "tidepool/runtime/lang/literal.h"

namespace tidepool::rt::lang {
namespace {

using Kind = Const::Kind;
constexpr size_t kMaxFoldedText = 4096;

bool IsBool(const Const& c) { return c.kind == Kind::kTrue || c.kind == Kind::kFalse; }

bool AsInt(const Const& c, int64_t* i) {
  if (c.kind != Kind::kInt && !IsBool(c)) return false;
  *i = c.kind == Kind::kInt ? c.i : c.kind == Kind::kTrue;
  return true;
}

bool AsFloat(const Const& c, double* d) {
  if (c.kind == Kind::kFloat) {
    *d = c.d;
    return true;
  }
  int64_t i;
  if (!AsInt(c, &i) || i > (int64_t{1} << 53) || i < -(int64_t{1} << 53)) return false;
  *d = static_cast<double>(i);
  return true;
}

bool IntPower(int64_t base, int64_t exponent, int64_t* r) {
  if (exponent < 0 || exponent > 64) return false;
  *r = 1;
  for (int64_t i = 0; i < exponent; i++) {
    if (__builtin_mul_overflow(*r, base, r)) return false;
  }
  return true;
}

bool FoldInts(BinaryKind op, int64_t a, int64_t b, int64_t* r) {
  switch (op) {
    case BinaryKind::kAdd: return !__builtin_add_overflow(a, b, r);
    case BinaryKind::kSub: return !__builtin_sub_overflow(a, b, r);
    case BinaryKind::kMul: return !__builtin_mul_overflow(a, b, r);
    case BinaryKind::kFloorDiv:
    case BinaryKind::kMod: {
      if (b == 0 || (a == INT64_MIN && b == -1)) return false;
      int64_t q = a / b, m = a % b;
      if (m != 0 && (m < 0) != (b < 0)) {
        q--;
        m += b;
      }
      *r = op == BinaryKind::kMod ? m : q;
      return true;
    }
    case BinaryKind::kPow: return IntPower(a, b, r);
    case BinaryKind::kLShift:
      if (b < 0 || b > 62 || (a != 0 && std::abs(static_cast<double>(a)) >= std::ldexp(1.0, 62 - static_cast<int>(b)))) return false;
      *r = static_cast<int64_t>(static_cast<uint64_t>(a) << b);
      return true;
    case BinaryKind::kRShift:
      if (b < 0) return false;
      *r = a >> (b > 63 ? 63 : b);
      return true;
    case BinaryKind::kAnd: *r = a & b; return true;
    case BinaryKind::kOr: *r = a | b; return true;
    case BinaryKind::kXor: *r = a ^ b; return true;
    default: return false;
  }
}

bool FoldFloats(BinaryKind op, double a, double b, double* r) {
  switch (op) {
    case BinaryKind::kAdd: *r = a + b; return true;
    case BinaryKind::kSub: *r = a - b; return true;
    case BinaryKind::kMul: *r = a * b; return true;
    case BinaryKind::kTrueDiv:
      if (b == 0) return false;
      *r = a / b;
      return true;
    case BinaryKind::kPow:
      if (!(a > 0)) return false;
      *r = std::pow(a, b);
      return std::isfinite(*r);
    default: return false;
  }
}

}  // namespace

bool FoldUnary(UnaryKind op, const Const& value, Const* result) {
  *result = Const{};
  int64_t i;
  switch (op) {
    case UnaryKind::kNot: {
      ConstantExpr e;
      e.kind = ExprKind::kConstant;
      e.value = &value;
      result->kind = ConstantTruth(&e) == 1 ? Kind::kFalse : Kind::kTrue;
      return true;
    }
    case UnaryKind::kNegative:
      if (value.kind == Kind::kInt || value.kind == Kind::kBigInt || value.kind == Kind::kFloat) {
        *result = Negated(value);
        return true;
      }
      return false;
    case UnaryKind::kPositive:
      if (value.kind != Kind::kInt && value.kind != Kind::kBigInt && value.kind != Kind::kFloat) return false;
      *result = value;
      return true;
    case UnaryKind::kInvert:
      if (!AsInt(value, &i) || IsBool(value)) return false;
      result->kind = Kind::kInt;
      result->i = ~i;
      return true;
  }
  return false;
}

bool FoldBinary(BinaryKind op, const Const& left, const Const& right, Const* result) {
  *result = Const{};
  int64_t a, b, r;
  double x, y, z;
  if (AsInt(left, &a) && AsInt(right, &b)) {
    if (op == BinaryKind::kTrueDiv || (op == BinaryKind::kPow && b < 0)) {
      if (!AsFloat(left, &x) || !AsFloat(right, &y) || !FoldFloats(op, x, y, &z)) return false;
      result->kind = Kind::kFloat;
      result->d = z;
      return true;
    }
    if (IsBool(left) && IsBool(right)) return false;  // True & True is a bool
    if (!FoldInts(op, a, b, &r)) return false;
    result->kind = Kind::kInt;
    result->i = r;
    return true;
  }
  if (AsFloat(left, &x) && AsFloat(right, &y)) {
    if (!FoldFloats(op, x, y, &z)) return false;
    result->kind = Kind::kFloat;
    result->d = z;
    return true;
  }
  bool text = left.kind == Kind::kStr || left.kind == Kind::kBytes;
  if (text && op == BinaryKind::kAdd && right.kind == left.kind && left.s.size() + right.s.size() <= kMaxFoldedText) {
    result->kind = left.kind;
    result->s = left.s + right.s;
    return true;
  }
  if (text && op == BinaryKind::kMul && right.kind == Kind::kInt && right.i >= 0 && right.i <= static_cast<int64_t>(kMaxFoldedText) &&
      left.s.size() * static_cast<size_t>(right.i) <= kMaxFoldedText) {
    result->kind = left.kind;
    for (int64_t i = 0; i < right.i; i++) result->s += left.s;
    return true;
  }
  return false;
}

int ConstantTruth(const Expr* e) {
  if (e->kind != ExprKind::kConstant) return -1;
  const Const& c = *static_cast<const ConstantExpr*>(e)->value;
  switch (c.kind) {
    case Kind::kNone:
    case Kind::kFalse: return 0;
    case Kind::kInt: return c.i != 0;
    case Kind::kFloat: return c.d != 0;  // nan is true
    case Kind::kStr:
    case Kind::kBytes: return !c.s.empty();
    case Kind::kTuple:
    case Kind::kFrozenSet: return !c.items.empty();
    default: return 1;
  }
}

bool ConstantValue(const Expr* e, Const* result) {
  if (e->kind == ExprKind::kConstant) {
    *result = *static_cast<const ConstantExpr*>(e)->value;
    return true;
  }
  if (e->kind != ExprKind::kTuple) return false;
  *result = Const{};
  result->kind = Kind::kTuple;
  for (const Expr* item : static_cast<const SequenceExpr*>(e)->items) {
    result->items.emplace_back();
    if (!ConstantValue(item, &result->items.back())) return false;
  }
  return true;
}

}  // namespace tidepool::rt::lang
