// Expressions: precedence climbing for operators, displays and comprehensions.
#include <utility>

#include "tidepool/runtime/lang/fold.h"
#include "tidepool/runtime/lang/literal.h"
#include "tidepool/runtime/lang/parser.h"

namespace tidepool::rt::lang {
namespace {

struct BinaryToken {
  int precedence;  // 0: not a binary operator
  BinaryKind kind;
};

BinaryToken BinaryOf(Tok t) {
  switch (t) {
    case Tok::kBar: return {1, BinaryKind::kOr};
    case Tok::kCaret: return {2, BinaryKind::kXor};
    case Tok::kAmp: return {3, BinaryKind::kAnd};
    case Tok::kLeftShift: return {4, BinaryKind::kLShift};
    case Tok::kRightShift: return {4, BinaryKind::kRShift};
    case Tok::kPlus: return {5, BinaryKind::kAdd};
    case Tok::kMinus: return {5, BinaryKind::kSub};
    case Tok::kStar: return {6, BinaryKind::kMul};
    case Tok::kSlash: return {6, BinaryKind::kTrueDiv};
    case Tok::kDoubleSlash: return {6, BinaryKind::kFloorDiv};
    case Tok::kPercent: return {6, BinaryKind::kMod};
    case Tok::kAt: return {6, BinaryKind::kMatMul};
    default: return {0, BinaryKind::kAdd};
  }
}

}  // namespace

Expr* Parser::MakeSequence(ExprKind kind, const Position& pos, const std::vector<Expr*>& items) {
  auto* e = NewExpr<SequenceExpr>(kind, pos);
  e->items = arena_.Copy(items);
  for (Expr* item : items) {
    if (!Raise(e, item)) return nullptr;
  }
  return e;
}

Expr* Parser::ParseStarNamed() {
  if (!Is(Tok::kStar)) return ParseNamedExpression();
  Position start = Cur().pos;
  Advance();
  Expr* value = ParseBinary(1);
  if (value == nullptr) return nullptr;
  auto* e = NewExpr<StarredExpr>(ExprKind::kStarred, From(start));
  e->value = value;
  return Finish(e, {value});
}

Expr* Parser::ParseStarExpressions() {
  Position start = Cur().pos;
  Expr* first = Is(Tok::kStar) ? ParseStarNamed() : ParseExpression();
  if (first == nullptr || !Is(Tok::kComma)) return first;
  std::vector<Expr*> items{first};
  while (Accept(Tok::kComma)) {
    if (!StartsExpression(Cur().kind) && !Is(Tok::kStar)) break;
    Expr* item = Is(Tok::kStar) ? ParseStarNamed() : ParseExpression();
    if (item == nullptr) return nullptr;
    items.push_back(item);
  }
  return MakeSequence(ExprKind::kTuple, From(start), items);
}

Expr* Parser::ParseNamedExpression() {
  if (Is(Tok::kName) && Peek().kind == Tok::kColonEqual) {
    Position start = Cur().pos;
    auto* target = NewExpr<NameExpr>(ExprKind::kName, start);
    target->name = TextOf(Cur());
    Advance();
    Advance();
    Expr* value = ParseExpression();
    if (value == nullptr) return nullptr;
    auto* e = NewExpr<WalrusExpr>(ExprKind::kWalrus, From(start));
    e->target = target;
    e->value = value;
    return Finish(e, {value});
  }
  Expr* e = ParseExpression();
  if (e != nullptr && Is(Tok::kColonEqual) && !e->parenthesized) {
    return Fail(e->pos, std::string("cannot use assignment expressions with ") + ExprName(e));
  }
  return e;
}

Expr* Parser::ParseExpression() {
  Level level(this);
  if (!level.ok()) return nullptr;
  if (Is(Tok::kLambda)) return ParseLambda();
  Position start = Cur().pos;
  Expr* body = ParseDisjunction();
  if (body == nullptr || !Is(Tok::kIf)) return body;
  size_t at_if = at_;
  Advance();
  Expr* test = ParseDisjunction();
  if (test == nullptr) return nullptr;
  if (!Is(Tok::kElse)) {
    if (!Is(Tok::kColon)) return Fail(Span(start, test->pos), "expected 'else' after 'if' expression");
    at_ = at_if;
    return InvalidSyntax();
  }
  Advance();
  Expr* orelse = ParseExpression();
  if (orelse == nullptr) return nullptr;
  auto* e = NewExpr<ConditionalExpr>(ExprKind::kConditional, From(start));
  e->test = test;
  e->body = body;
  e->orelse = orelse;
  return Finish(e, {test, body, orelse});
}

Expr* Parser::ParseDisjunction() {
  Position start = Cur().pos;
  Expr* first = ParseConjunction();
  if (first == nullptr || !Is(Tok::kOr)) return first;
  std::vector<Expr*> values{first};
  while (Accept(Tok::kOr)) {
    Expr* next = ParseConjunction();
    if (next == nullptr) return nullptr;
    values.push_back(next);
  }
  auto* e = NewExpr<BoolExpr>(ExprKind::kBool, From(start));
  e->is_and = false;
  e->values = arena_.Copy(values);
  for (Expr* v : values) {
    if (!Raise(e, v)) return nullptr;
  }
  return e;
}

Expr* Parser::ParseConjunction() {
  Position start = Cur().pos;
  Expr* first = ParseInversion();
  if (first == nullptr || !Is(Tok::kAnd)) return first;
  std::vector<Expr*> values{first};
  while (Accept(Tok::kAnd)) {
    Expr* next = ParseInversion();
    if (next == nullptr) return nullptr;
    values.push_back(next);
  }
  auto* e = NewExpr<BoolExpr>(ExprKind::kBool, From(start));
  e->is_and = true;
  e->values = arena_.Copy(values);
  for (Expr* v : values) {
    if (!Raise(e, v)) return nullptr;
  }
  return e;
}

Expr* Parser::ParseInversion() {
  if (!Is(Tok::kNot)) return ParseComparison();
  Level level(this);
  if (!level.ok()) return nullptr;
  Position start = Cur().pos;
  Advance();
  Expr* operand = ParseInversion();
  if (operand == nullptr) return nullptr;
  if (operand->kind == ExprKind::kConstant) {
    Const result;
    FoldUnary(UnaryKind::kNot, *static_cast<ConstantExpr*>(operand)->value, &result);
    Expr* folded = Constant(From(start), std::move(result));
    folded->folded = true;
    return folded;
  }
  auto* e = NewExpr<UnaryExpr>(ExprKind::kUnary, From(start));
  e->op = UnaryKind::kNot;
  e->operand = operand;
  return Finish(e, {operand});
}

Expr* Parser::ParseComparison() {
  Position start = Cur().pos;
  Expr* left = ParseBinary(1);
  if (left == nullptr) return nullptr;
  std::vector<CompareKind> ops;
  std::vector<Expr*> rights;
  while (true) {
    CompareKind op;
    switch (Cur().kind) {
      case Tok::kLess: op = CompareKind::kLt; break;
      case Tok::kLessEqual: op = CompareKind::kLe; break;
      case Tok::kEqEqual: op = CompareKind::kEq; break;
      case Tok::kNotEqual: op = CompareKind::kNe; break;
      case Tok::kGreater: op = CompareKind::kGt; break;
      case Tok::kGreaterEqual: op = CompareKind::kGe; break;
      case Tok::kIn: op = CompareKind::kIn; break;
      case Tok::kIs:
        op = CompareKind::kIs;
        if (Peek().kind == Tok::kNot) {
          Advance();
          op = CompareKind::kIsNot;
        }
        break;
      case Tok::kNot:
        if (Peek().kind == Tok::kIn) {
          Advance();
          op = CompareKind::kNotIn;
          break;
        }
        [[fallthrough]];
      default: {
        if (ops.empty()) return left;
        auto* e = NewExpr<CompareExpr>(ExprKind::kCompare, From(start));
        e->left = left;
        e->ops = arena_.Copy(ops);
        e->rights = arena_.Copy(rights);
        if (!Raise(e, left)) return nullptr;
        for (Expr* r : rights) {
          if (!Raise(e, r)) return nullptr;
        }
        return e;
      }
    }
    Advance();
    Expr* right = ParseBinary(1);
    if (right == nullptr) return nullptr;
    ops.push_back(op);
    rights.push_back(right);
  }
}

Expr* Parser::MakeBinary(BinaryKind op, Expr* left, Expr* right) {
  Position pos = Span(left->pos, From(right->pos));
  if (left->kind == ExprKind::kConstant && right->kind == ExprKind::kConstant) {
    Const result;
    if (FoldBinary(op, *static_cast<ConstantExpr*>(left)->value, *static_cast<ConstantExpr*>(right)->value, &result)) {
      Expr* folded = Constant(pos, std::move(result));
      folded->folded = true;
      return folded;
    }
  }
  auto* e = NewExpr<BinaryExpr>(ExprKind::kBinary, pos);
  e->op = op;
  e->left = left;
  e->right = right;
  return Finish(e, {left, right});
}

Expr* Parser::ParseBinary(int min_precedence) {
  Position start = Cur().pos;
  Expr* left = ParseUnary();
  while (left != nullptr) {
    BinaryToken op = BinaryOf(Cur().kind);
    if (op.precedence == 0 || op.precedence < min_precedence) return left;
    Advance();
    Expr* right = ParseBinary(op.precedence + 1);
    if (right == nullptr) return nullptr;
    Expr* e = MakeBinary(op.kind, left, right);
    if (e == nullptr) return nullptr;
    e->pos = From(start);
    left = e;
  }
  return nullptr;
}

Expr* Parser::ParseUnary() {
  UnaryKind op;
  switch (Cur().kind) {
    case Tok::kMinus: op = UnaryKind::kNegative; break;
    case Tok::kPlus: op = UnaryKind::kPositive; break;
    case Tok::kTilde: op = UnaryKind::kInvert; break;
    default: return ParsePower();
  }
  Level level(this);
  if (!level.ok()) return nullptr;
  Position start = Cur().pos;
  Advance();
  Expr* operand = ParseUnary();
  if (operand == nullptr) return nullptr;
  if (operand->kind == ExprKind::kConstant) {
    Const result;
    if (FoldUnary(op, *static_cast<ConstantExpr*>(operand)->value, &result)) {
      Expr* folded = Constant(From(start), std::move(result));
      folded->folded = true;
      return folded;
    }
  }
  auto* e = NewExpr<UnaryExpr>(ExprKind::kUnary, From(start));
  e->op = op;
  e->operand = operand;
  return Finish(e, {operand});
}

Expr* Parser::ParsePower() {
  Position start = Cur().pos;
  Expr* base = nullptr;
  if (Accept(Tok::kAwait)) {
    Expr* value = ParsePrimary();
    if (value == nullptr) return nullptr;
    auto* e = NewExpr<YieldExpr>(ExprKind::kAwait, From(start));
    e->value = value;
    base = Finish(e, {value});
  } else {
    base = ParsePrimary();
  }
  if (base == nullptr || !Is(Tok::kDoubleStar)) return base;
  Level level(this);
  if (!level.ok()) return nullptr;
  Advance();
  Expr* exponent = ParseUnary();
  if (exponent == nullptr) return nullptr;
  Expr* e = MakeBinary(BinaryKind::kPow, base, exponent);
  if (e != nullptr) e->pos = From(start);
  return e;
}

Expr* Parser::ParsePrimary() {
  Position start = Cur().pos;
  Expr* e = ParseAtom();
  while (e != nullptr) {
    if (Is(Tok::kDot)) {
      Advance();
      if (!Is(Tok::kName)) return InvalidSyntax();
      auto* a = NewExpr<AttributeExpr>(ExprKind::kAttribute, start);
      a->value = e;
      a->name = TextOf(Cur());
      Advance();
      a->pos = From(start);
      e = Finish(a, {e});
    } else if (Is(Tok::kLParen)) {
      e = ParseCall(e);
      if (e != nullptr) e->pos = From(start);
    } else if (Is(Tok::kLBracket)) {
      e = ParseSubscript(e);
      if (e != nullptr) e->pos = From(start);
    } else {
      return e;
    }
  }
  return nullptr;
}

Expr* Parser::ParseAtom() {
  const Token token = Cur();
  Const value;
  switch (token.kind) {
    case Tok::kName: {
      auto* e = NewExpr<NameExpr>(ExprKind::kName, token.pos);
      e->name = TextOf(token);
      Advance();
      return e;
    }
    case Tok::kNumber: {
      std::string message;
      if (!ParseNumber(TextOf(token), &value, &message)) return Fail(token.pos, message);
      Advance();
      return Constant(token.pos, std::move(value));
    }
    case Tok::kString: return ParseStrings();
    case Tok::kNone: value.kind = Const::Kind::kNone; break;
    case Tok::kTrue: value.kind = Const::Kind::kTrue; break;
    case Tok::kFalse: value.kind = Const::Kind::kFalse; break;
    case Tok::kEllipsis: value.kind = Const::Kind::kEllipsis; break;
    case Tok::kLParen: return ParseParen();
    case Tok::kLBracket: return ParseListDisplay();
    case Tok::kLBrace: return ParseBraceDisplay();
    default: return InvalidSyntax();
  }
  Advance();
  return Constant(token.pos, std::move(value));
}

}  // namespace tidepool::rt::lang
