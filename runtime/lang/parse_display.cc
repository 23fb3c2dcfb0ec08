// Displays, comprehensions, subscripts, lambda and yield.
#include <utility>

#include "tidepool/runtime/lang/parser.h"

namespace tidepool::rt::lang {
// After the first item: ", item" until the closing bracket, which is consumed.
bool Parser::ParseItems(Tok close, std::vector<Expr*>* items) {
  while (Accept(Tok::kComma)) {
    if (Is(close)) break;
    Expr* item = ParseStarNamed();
    if (item == nullptr) return false;
    items->push_back(item);
  }
  if (Accept(close)) return true;
  if (Is(Tok::kAssign)) {
    const Expr* last = items->back();
    if (last->kind == ExprKind::kName) {
      Fail(Span(last->pos, Peek().pos), "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
    } else {
      Fail(last->pos, std::string("cannot assign to ") + ExprName(last) + " here. Maybe you meant '==' instead of '='?");
    }
    return false;
  }
  if (Is(Tok::kFor) || Is(Tok::kAsync)) {
    if (items->size() > 1) {
      Fail(Span(items->front()->pos, items->back()->pos), "did you forget parentheses around the comprehension target?");
      return false;
    }
  }
  InvalidInParens(items->back());
  return false;
}

Expr* Parser::ParseParen() {
  Position start = Cur().pos;
  Advance();
  std::vector<Expr*> items;
  if (Accept(Tok::kRParen)) return MakeSequence(ExprKind::kTuple, From(start), items);
  if (Is(Tok::kYield)) {
    Expr* e = ParseYield();
    if (e == nullptr || !Expect(Tok::kRParen)) return nullptr;
    e->parenthesized = true;
    return e;
  }
  Expr* first = ParseStarNamed();
  if (first == nullptr) return nullptr;
  if (Is(Tok::kFor) || Is(Tok::kAsync)) return ParseComprehension(CompKind::kGenerator, start, first, nullptr, Tok::kRParen);
  bool tuple = Is(Tok::kComma);
  items.push_back(first);
  if (!ParseItems(Tok::kRParen, &items)) return nullptr;
  if (!tuple) {
    if (first->kind == ExprKind::kStarred) return Fail(first->pos, "cannot use starred expression here");
    first->parenthesized = true;
    return first;
  }
  Expr* e = MakeSequence(ExprKind::kTuple, From(start), items);
  if (e != nullptr) e->parenthesized = true;
  return e;
}

Expr* Parser::ParseListDisplay() {
  Position start = Cur().pos;
  Advance();
  std::vector<Expr*> items;
  if (Accept(Tok::kRBracket)) return MakeSequence(ExprKind::kList, From(start), items);
  Expr* first = ParseStarNamed();
  if (first == nullptr) return nullptr;
  if (Is(Tok::kFor) || Is(Tok::kAsync)) return ParseComprehension(CompKind::kList, start, first, nullptr, Tok::kRBracket);
  items.push_back(first);
  if (!ParseItems(Tok::kRBracket, &items)) return nullptr;
  return MakeSequence(ExprKind::kList, From(start), items);
}

Expr* Parser::ParseBraceDisplay() {
  Position start = Cur().pos;
  Advance();
  if (Is(Tok::kRBrace) || Is(Tok::kDoubleStar)) return ParseDictItems(start, nullptr);
  Expr* first = ParseStarNamed();
  if (first == nullptr) return nullptr;
  if (Is(Tok::kColon) && first->kind != ExprKind::kStarred) return ParseDictItems(start, first);
  if (Is(Tok::kFor) || Is(Tok::kAsync)) return ParseComprehension(CompKind::kSet, start, first, nullptr, Tok::kRBrace);
  std::vector<Expr*> items{first};
  if (!ParseItems(Tok::kRBrace, &items)) return nullptr;
  return MakeSequence(ExprKind::kSet, From(start), items);
}

// The inside of a dict display; the first key may have been parsed already (then the colon is next).
Expr* Parser::ParseDictItems(const Position& start, Expr* first_key) {
  std::vector<Expr*> keys, values;
  Expr* key = first_key;
  while (!Is(Tok::kRBrace)) {
    Expr* value = nullptr;
    if (key == nullptr && Accept(Tok::kDoubleStar)) {
      value = ParseBinary(1);
    } else {
      if (key == nullptr) key = ParseExpression();
      if (key == nullptr) return nullptr;
      if (!Is(Tok::kColon)) {
        if (Is(Tok::kRBrace) || Is(Tok::kComma)) return Fail(Prev().pos, "':' expected after dictionary key");
        return InvalidInParens(key);
      }
      Advance();
      if (Is(Tok::kRBrace) || Is(Tok::kComma)) return Fail(Prev().pos, "expression expected after dictionary key and ':'");
      if (Is(Tok::kStar)) return Fail(Cur().pos, "cannot use a starred expression in a dictionary value");
      value = ParseExpression();
    }
    if (value == nullptr) return nullptr;
    if (Is(Tok::kFor) || Is(Tok::kAsync)) {
      if (key == nullptr) return Fail(From(start), "dict unpacking cannot be used in dict comprehension");
      if (keys.empty()) return ParseComprehension(CompKind::kDict, start, key, value, Tok::kRBrace);
    }
    keys.push_back(key);
    values.push_back(value);
    key = nullptr;
    if (!Accept(Tok::kComma)) break;
  }
  if (!Is(Tok::kRBrace)) return InvalidInParens(values.back());
  Advance();
  auto* e = NewExpr<DictExpr>(ExprKind::kDict, From(start));
  e->keys = arena_.Copy(keys);
  e->values = arena_.Copy(values);
  for (size_t i = 0; i < keys.size(); i++) {
    if (!Raise(e, keys[i]) || !Raise(e, values[i])) return nullptr;
  }
  return e;
}

bool Parser::ParseCompFors(std::vector<CompFor>* fors) {
  while (Is(Tok::kFor) || Is(Tok::kAsync)) {
    Position start = Cur().pos;
    CompFor f;
    f.is_async = Accept(Tok::kAsync);
    if (!Expect(Tok::kFor)) return false;
    f.target = ParseTargetList(Tok::kIn);
    if (f.target == nullptr || !Expect(Tok::kIn)) return false;
    f.iter = ParseDisjunction();
    if (f.iter == nullptr) return false;
    std::vector<Expr*> ifs;
    while (Accept(Tok::kIf)) {
      Expr* condition = Is(Tok::kName) && Peek().kind == Tok::kColonEqual ? nullptr : ParseDisjunction();
      if (condition == nullptr) {
        InvalidSyntax();
        return false;
      }
      ifs.push_back(condition);
    }
    f.ifs = arena_.Copy(ifs);
    f.pos = From(start);
    fors->push_back(f);
  }
  return true;
}

// At the first `for`; consumes the closing bracket.
Expr* Parser::ParseComprehension(CompKind kind, const Position& start, Expr* element, Expr* value, Tok close) {
  if (element->kind == ExprKind::kStarred) return Fail(element->pos, "iterable unpacking cannot be used in comprehension");
  std::vector<CompFor> fors;
  if (!ParseCompFors(&fors)) return nullptr;
  if (!Is(close)) return InvalidInParens(fors.back().ifs.empty() ? fors.back().iter : fors.back().ifs.back());
  Advance();
  return MakeComprehension(kind, start, element, value, fors);
}

Expr* Parser::MakeComprehension(CompKind kind, const Position& start, Expr* element, Expr* value, const std::vector<CompFor>& fors) {
  auto* e = NewExpr<ComprehensionExpr>(ExprKind::kComprehension, From(start));
  e->comp = kind;
  e->element = element;
  e->value = value;
  e->fors = arena_.Copy(fors);
  if (!Raise(e, element) || !Raise(e, value)) return nullptr;
  for (const CompFor& f : fors) {
    if (!Raise(e, f.target) || !Raise(e, f.iter)) return nullptr;
    for (Expr* c : f.ifs) {
      if (!Raise(e, c)) return nullptr;
    }
  }
  return e;
}

Expr* Parser::ParseSliceItem() {
  if (Is(Tok::kStar)) return ParseStarNamed();
  Position start = Cur().pos;
  Expr* lower = nullptr;
  if (!Is(Tok::kColon)) {
    lower = ParseNamedExpression();
    if (lower == nullptr || !Is(Tok::kColon)) return lower;
  }
  Advance();
  auto* e = NewExpr<SliceExpr>(ExprKind::kSlice, start);
  e->lower = lower;
  e->upper = e->step = nullptr;
  if (!Is(Tok::kColon) && !Is(Tok::kComma) && !Is(Tok::kRBracket)) {
    e->upper = ParseExpression();
    if (e->upper == nullptr) return nullptr;
  }
  if (Accept(Tok::kColon) && !Is(Tok::kComma) && !Is(Tok::kRBracket)) {
    e->step = ParseExpression();
    if (e->step == nullptr) return nullptr;
  }
  e->pos = From(start);
  return Finish(e, {e->lower, e->upper, e->step});
}

Expr* Parser::ParseSubscript(Expr* value) {
  Level level(this);
  if (!level.ok()) return nullptr;
  Advance();
  Position start = Cur().pos;
  if (Is(Tok::kRBracket)) return InvalidSyntax();
  Expr* index = ParseSliceItem();
  if (index == nullptr) return nullptr;
  if (Is(Tok::kComma) || index->kind == ExprKind::kStarred) {
    std::vector<Expr*> items{index};
    while (Accept(Tok::kComma)) {
      if (Is(Tok::kRBracket)) break;
      Expr* item = ParseSliceItem();
      if (item == nullptr) return nullptr;
      items.push_back(item);
    }
    index = MakeSequence(ExprKind::kTuple, From(start), items);
    if (index == nullptr) return nullptr;
  }
  if (!Is(Tok::kRBracket)) return InvalidInParens(index);
  Advance();
  auto* e = NewExpr<SubscriptExpr>(ExprKind::kSubscript, value->pos);
  e->value = value;
  e->index = index;
  return Finish(e, {value, index});
}

Expr* Parser::ParseLambda() {
  Position start = Cur().pos;
  Advance();
  Params* params = ParseParams(Tok::kColon, false);
  if (params == nullptr) return nullptr;
  if (!Accept(Tok::kColon)) {
    if (Is(Tok::kError)) return InvalidSyntax();
    return Fail(Cur().pos, "expected ':'");
  }
  Expr* body = ParseExpression();
  if (body == nullptr) return nullptr;
  auto* e = NewExpr<LambdaExpr>(ExprKind::kLambda, From(start));
  e->params = params;
  e->body = body;
  for (const Param& p : params->positional) {
    if (!Raise(e, p.default_value)) return nullptr;
  }
  for (const Param& p : params->kwonly) {
    if (!Raise(e, p.default_value)) return nullptr;
  }
  return Finish(e, {body});
}

Expr* Parser::ParseYield() {
  Level level(this);
  if (!level.ok()) return nullptr;
  Position start = Cur().pos;
  Advance();
  bool from = Accept(Tok::kFrom);
  Expr* value = nullptr;
  if (from) {
    value = ParseExpression();
    if (value == nullptr) return nullptr;
  } else if (StartsExpression(Cur().kind) || Is(Tok::kStar)) {
    value = ParseStarExpressions();
    if (value == nullptr) return nullptr;
  }
  auto* e = NewExpr<YieldExpr>(from ? ExprKind::kYieldFrom : ExprKind::kYield, From(start));
  e->value = value;
  return Finish(e, {value});
}

}  // namespace tidepool::rt::lang
