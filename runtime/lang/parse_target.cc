// What may be assigned to or deleted, and the names that error messages give to expressions.
#include <utility>

#include "tidepool/runtime/lang/parser.h"

namespace tidepool::rt::lang {

const char* Parser::ExprName(const Expr* e) {
  switch (e->kind) {
    case ExprKind::kConstant: {
      if (e->folded) return "expression";
      switch (static_cast<const ConstantExpr*>(e)->value->kind) {
        case Const::Kind::kNone: return "None";
        case Const::Kind::kTrue: return "True";
        case Const::Kind::kFalse: return "False";
        case Const::Kind::kEllipsis: return "ellipsis";
        default: return "literal";
      }
    }
    case ExprKind::kName: return "name";
    case ExprKind::kTuple: return "tuple";
    case ExprKind::kList: return "list";
    case ExprKind::kSet: return "set display";
    case ExprKind::kDict: return "dict literal";
    case ExprKind::kUnary:
    case ExprKind::kBinary:
    case ExprKind::kBool: return "expression";
    case ExprKind::kCompare: return "comparison";
    case ExprKind::kConditional: return "conditional expression";
    case ExprKind::kLambda: return "lambda";
    case ExprKind::kCall: return "function call";
    case ExprKind::kAttribute: return "attribute";
    case ExprKind::kSubscript: return "subscript";
    case ExprKind::kSlice: return "slice";
    case ExprKind::kStarred: return "starred";
    case ExprKind::kComprehension:
      switch (static_cast<const ComprehensionExpr*>(e)->comp) {
        case CompKind::kList: return "list comprehension";
        case CompKind::kSet: return "set comprehension";
        case CompKind::kDict: return "dict comprehension";
        default: return "generator expression";
      }
    case ExprKind::kJoinedStr:
    case ExprKind::kFormatted: return "f-string expression";
    case ExprKind::kYield:
    case ExprKind::kYieldFrom: return "yield expression";
    case ExprKind::kAwait: return "await expression";
    case ExprKind::kWalrus: return "named expression";
  }
  return "expression";
}

// The part of e that cannot be a target, or null.
const Expr* Parser::InvalidTarget(const Expr* e, bool del) const {
  switch (e->kind) {
    case ExprKind::kName:
    case ExprKind::kAttribute:
    case ExprKind::kSubscript: return nullptr;
    case ExprKind::kTuple:
    case ExprKind::kList:
      for (const Expr* item : static_cast<const SequenceExpr*>(e)->items) {
        const Expr* bad = InvalidTarget(item, del);
        if (bad != nullptr) return bad;
      }
      return nullptr;
    case ExprKind::kStarred: {
      if (del) return e;
      const Expr* value = static_cast<const StarredExpr*>(e)->value;
      return value->kind == ExprKind::kStarred ? value : InvalidTarget(value, del);
    }
    default: return e;
  }
}

bool Parser::CheckAssignable(Expr* e, bool at_equals) {
  const Expr* bad = InvalidTarget(e, false);
  if (bad == nullptr) return true;
  std::string message = std::string("cannot assign to ") + ExprName(bad);
  bool constant = bad->kind == ExprKind::kConstant && !bad->folded && ExprName(bad)[0] != 'l' && ExprName(bad)[0] != 'e';
  bool generator = bad->kind == ExprKind::kComprehension && static_cast<const ComprehensionExpr*>(bad)->comp == CompKind::kGenerator;
  bool loose = false;  // binds less than the operators that may stand left of a comparison
  switch (bad->kind) {
    case ExprKind::kYield: case ExprKind::kYieldFrom: case ExprKind::kLambda: case ExprKind::kConditional: case ExprKind::kBool:
    case ExprKind::kCompare: loose = !bad->parenthesized; break;
    case ExprKind::kUnary: loose = !bad->parenthesized && static_cast<const UnaryExpr*>(bad)->op == UnaryKind::kNot; break;
    default: break;
  }
  bool whole = bad == e && !constant && !generator && !loose;
  if (at_equals && whole) message += " here. Maybe you meant '==' instead of '='?";
  Fail(bad->pos, std::move(message));
  return false;
}

bool Parser::CheckDeletable(Expr* e) {
  const Expr* bad = InvalidTarget(e, true);
  if (bad == nullptr) return true;
  Fail(bad->pos, std::string("cannot delete ") + ExprName(bad));
  return false;
}

Expr* Parser::ParseTargetList(Tok stop) {
  Position start = Cur().pos;
  std::vector<Expr*> items;
  bool comma = false;
  do {
    if (comma && Is(stop)) break;
    Position item_start = Cur().pos;
    bool star = Accept(Tok::kStar);
    Expr* e = ParseBinary(1);
    if (e == nullptr) return nullptr;
    if (star) {
      auto* s = NewExpr<StarredExpr>(ExprKind::kStarred, From(item_start));
      s->value = e;
      e = Finish(s, {e});
      if (e == nullptr) return nullptr;
    }
    items.push_back(e);
    comma = Is(Tok::kComma);
  } while (Accept(Tok::kComma));
  Expr* e = items[0];
  if (comma || items.size() > 1) e = MakeSequence(ExprKind::kTuple, From(start), items);
  if (e == nullptr) return nullptr;
  if (!Is(stop)) return InvalidSyntax();
  if (e->kind == ExprKind::kStarred) return Fail(e->pos, "starred assignment target must be in a list or tuple");
  if (!CheckAssignable(e, false)) return nullptr;
  return e;
}

}  // namespace tidepool::rt::lang
