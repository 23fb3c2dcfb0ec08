// Arguments of calls and parameters of functions.
#include <utility>

#include "tidepool/runtime/lang/parser.h"

namespace tidepool::rt::lang {

// At the opening parenthesis; consumes the closing one.
bool Parser::ParseArguments(std::vector<Expr*>* args, std::vector<Keyword>* keywords, const Position& open) {
  bool double_star = false;
  while (!Is(Tok::kRParen)) {
    Position start = Cur().pos;
    if (Accept(Tok::kDoubleStar)) {
      Expr* value = ParseExpression();
      if (value == nullptr) return false;
      keywords->push_back({{}, value, From(start)});
      double_star = true;
    } else if (Accept(Tok::kStar)) {
      Expr* value = ParseExpression();
      if (value == nullptr) return false;
      if (double_star) {
        Fail(From(start), "iterable argument unpacking follows keyword argument unpacking");
        return false;
      }
      auto* s = NewExpr<StarredExpr>(ExprKind::kStarred, From(start));
      s->value = value;
      if (Finish(s, {value}) == nullptr) return false;
      args->push_back(s);
    } else if ((Is(Tok::kName) || Is(Tok::kNone) || Is(Tok::kTrue) || Is(Tok::kFalse)) && Peek().kind == Tok::kAssign) {
      std::string_view name = TextOf(Cur());
      if (!Is(Tok::kName)) {
        Fail(Span(start, Peek().pos), "cannot assign to " + std::string(name));
        return false;
      }
      Advance();
      Advance();
      if (Is(Tok::kComma) || Is(Tok::kRParen)) {
        Fail(Span(start, Prev().pos), "expected argument value expression");
        return false;
      }
      Expr* value = ParseExpression();
      if (value == nullptr) return false;
      if (Is(Tok::kFor)) {
        Fail(From(start), "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
        return false;
      }
      keywords->push_back({name, value, From(start)});
    } else {
      Expr* value = ParseNamedExpression();
      if (value == nullptr) return false;
      if (Is(Tok::kFor) || Is(Tok::kAsync)) {
        bool alone = args->empty() && keywords->empty();
        std::vector<CompFor> fors;
        if (!ParseCompFors(&fors)) return false;
        if (alone && Is(Tok::kRParen)) {
          Advance();
          value = MakeComprehension(CompKind::kGenerator, open, value, nullptr, fors);
          if (value == nullptr) return false;
          args->push_back(value);
          return true;
        }
        if (alone && !Is(Tok::kComma)) {
          InvalidSyntax();
          return false;
        }
        Fail(From(start), "Generator expression must be parenthesized");
        return false;
      }
      if (Is(Tok::kAssign)) {
        Fail(Span(value->pos, Cur().pos), "expression cannot contain assignment, perhaps you meant \"==\"?");
        return false;
      }
      if (!keywords->empty()) {
        Fail(value->pos, double_star ? "positional argument follows keyword argument unpacking" : "positional argument follows keyword argument");
        return false;
      }
      args->push_back(value);
    }
    if (Accept(Tok::kComma)) continue;
    if (Is(Tok::kRParen)) break;
    InvalidInParens(keywords->empty() && !args->empty() ? args->back() : keywords->empty() ? nullptr : keywords->back().value);
    return false;
  }
  Advance();
  return true;
}

Expr* Parser::ParseCall(Expr* func) {
  Level level(this);
  if (!level.ok()) return nullptr;
  Position open = Cur().pos;
  Advance();
  std::vector<Expr*> args;
  std::vector<Keyword> keywords;
  if (!ParseArguments(&args, &keywords, open)) return nullptr;
  auto* e = NewExpr<CallExpr>(ExprKind::kCall, Span(func->pos, From(open)));
  e->func = func;
  e->args = arena_.Copy(args);
  e->keywords = arena_.Copy(keywords);
  if (!Raise(e, func)) return nullptr;
  for (Expr* a : args) {
    if (!Raise(e, a)) return nullptr;
  }
  for (const Keyword& k : keywords) {
    if (!Raise(e, k.value)) return nullptr;
  }
  return e;
}

bool Parser::ParseParam(bool annotations, bool star_annotation, Param* param) {
  if (!Is(Tok::kName)) {
    if (Is(Tok::kLParen)) {
      Fail(Cur().pos, annotations ? "Function parameters cannot be parenthesized" : "Lambda expression parameters cannot be parenthesized");
    }
    InvalidSyntax();
    return false;
  }
  param->name = TextOf(Cur());
  param->pos = Cur().pos;
  Advance();
  if (annotations && Accept(Tok::kColon)) {
    param->annotation = star_annotation && Is(Tok::kStar) ? ParseStarNamed() : ParseExpression();
    if (param->annotation == nullptr) return false;
  }
  return true;
}

// Parameters up to `close`, which stays.
Params* Parser::ParseParams(Tok close, bool annotations) {
  Params* params = arena_.New<Params>();
  std::vector<Param> positional, kwonly;
  bool star = false, slash = false, defaults = false;
  while (!Is(close)) {
    if (params->varkw != nullptr) return Fail(Cur().pos, "arguments cannot follow var-keyword argument");
    Position start = Cur().pos;
    if (Accept(Tok::kDoubleStar)) {
      params->varkw = arena_.New<Param>();
      if (!ParseParam(annotations, false, params->varkw)) return nullptr;
      if (Is(Tok::kAssign)) return Fail(Cur().pos, "var-keyword argument cannot have default value");
    } else if (Accept(Tok::kStar)) {
      if (star) return Fail(start, "* argument may appear only once");
      star = true;
      if (Is(Tok::kComma)) {
        if (Peek().kind == close || Peek().kind == Tok::kDoubleStar) return Fail(start, "named arguments must follow bare *");
      } else if (Is(close)) {
        return Fail(start, "named arguments must follow bare *");
      } else {
        params->varargs = arena_.New<Param>();
        if (!ParseParam(annotations, true, params->varargs)) return nullptr;
        if (Is(Tok::kAssign)) return Fail(Cur().pos, "var-positional argument cannot have default value");
      }
    } else if (Accept(Tok::kSlash)) {
      if (slash) return Fail(start, "/ may appear only once");
      if (star) return Fail(start, "/ must be ahead of *");
      if (positional.empty()) return Fail(start, "at least one argument must precede /");
      slash = true;
      params->posonly = positional.size();
    } else {
      Param p;
      if (!ParseParam(annotations, false, &p)) return nullptr;
      if (Accept(Tok::kAssign)) {
        if (Is(close) || Is(Tok::kComma)) return Fail(Prev().pos, "expected default value expression");
        p.default_value = ParseExpression();
        if (p.default_value == nullptr) return nullptr;
        if (!star) defaults = true;
      } else if (!star && defaults) {
        return Fail(p.pos, "non-default argument follows default argument");
      }
      (star ? kwonly : positional).push_back(p);
    }
    if (!Accept(Tok::kComma)) break;
  }
  if (!Is(close)) {
    if (annotations || Is(Tok::kError)) return InvalidSyntax();
    return Is(Tok::kNewline) ? Fail(Cur().pos, "expected ':'") : InvalidSyntax();
  }
  params->positional = arena_.Copy(positional);
  params->kwonly = arena_.Copy(kwonly);
  return params;
}

}  // namespace tidepool::rt::lang
