// Compound statements and their blocks.
#include <utility>

#include "tidepool/runtime/lang/parser.h"

namespace tidepool::rt::lang {

// `if x = 3:` and the like.
bool Parser::CheckNoEquals(const Expr* test) {
  if (!Is(Tok::kAssign)) return true;
  const Position eq = Cur().pos;
  if (test->kind == ExprKind::kName) {
    Fail(Span(test->pos, Peek().pos), "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
  } else if (test->kind == ExprKind::kConstant && !test->folded && ExprName(test)[0] < 'a') {
    Fail(Span(eq, eq), "invalid syntax");
  } else {
    Fail(test->pos, std::string("cannot assign to ") + ExprName(test) + " here. Maybe you meant '==' instead of '='?");
  }
  return false;
}

bool Parser::ParseSuite(const char* what, uint32_t line, bool forced_colon, Body* body) {
  if (!Is(Tok::kColon)) {
    if (Is(Tok::kError) || !(forced_colon || Is(Tok::kNewline))) {
      InvalidSyntax();
    } else {
      Fail(Cur().pos, "expected ':'");
    }
    return false;
  }
  Advance();
  std::vector<Stmt*> out;
  if (!Is(Tok::kNewline)) {
    if (OpensBlock(Cur().kind)) {
      InvalidSyntax();
      return false;
    }
    if (!CheckUnsupported() || !ParseSimpleLine(&out)) return false;
  } else {
    Advance();
    if (!Is(Tok::kIndent)) {
      if (Is(Tok::kError)) {
        InvalidSyntax();
      } else {
        Position p = Is(Tok::kEnd) ? Prev().pos : Cur().pos;
        Fail({p.line, p.line, p.col, p.col + 1}, std::string("expected an indented block after ") + what + " on line " + std::to_string(line),
             SyntaxErrorInfo::Kind::kIndentation);
      }
      return false;
    }
    Advance();
    while (!Is(Tok::kDedent) && !Is(Tok::kEnd)) {
      if (!ParseStatement(&out)) return false;
    }
    Accept(Tok::kDedent);
  }
  *body = arena_.Copy(out);
  return true;
}

bool Parser::ParseOptionalElse(Body* body) {
  uint32_t line = Cur().pos.line;
  if (!Accept(Tok::kElse)) return true;
  return ParseSuite("'else' statement", line, true, body);
}

Stmt* Parser::ParseIf() {
  Position start = Cur().pos;
  auto* s = NewStmt<IfStmt>(StmtKind::kIf, start);
  std::vector<IfArm> arms;
  while (Is(arms.empty() ? Tok::kIf : Tok::kElif)) {
    uint32_t line = Cur().pos.line;
    const char* what = arms.empty() ? "'if' statement" : "'elif' statement";
    Advance();
    IfArm arm;
    arm.test = ParseNamedExpression();
    if (arm.test == nullptr || !CheckNoEquals(arm.test) || !ParseSuite(what, line, false, &arm.body)) return nullptr;
    arms.push_back(arm);
  }
  if (!ParseOptionalElse(&s->orelse)) return nullptr;
  s->arms = arena_.Copy(arms);
  s->pos = From(start);
  return s;
}

Stmt* Parser::ParseWhile() {
  Position start = Cur().pos;
  auto* s = NewStmt<WhileStmt>(StmtKind::kWhile, start);
  Advance();
  s->test = ParseNamedExpression();
  if (s->test == nullptr || !CheckNoEquals(s->test)) return nullptr;
  if (!ParseSuite("'while' statement", start.line, false, &s->body) || !ParseOptionalElse(&s->orelse)) return nullptr;
  s->pos = From(start);
  return s;
}

Stmt* Parser::ParseFor() {
  Position start = Cur().pos;
  auto* s = NewStmt<ForStmt>(StmtKind::kFor, start);
  Advance();
  s->target = ParseTargetList(Tok::kIn);
  if (s->target == nullptr || !Expect(Tok::kIn)) return nullptr;
  s->iter = ParseStarExpressions();
  if (s->iter == nullptr) return nullptr;
  if (s->iter->kind == ExprKind::kStarred) return Fail(s->iter->pos, "can't use starred expression here");
  if (!ParseSuite("'for' statement", start.line, false, &s->body) || !ParseOptionalElse(&s->orelse)) return nullptr;
  s->pos = From(start);
  return s;
}

bool Parser::ParseHandlers(TryStmt* s) {
  std::vector<Handler> handlers;
  while (Is(Tok::kExcept)) {
    Handler h;
    h.type = nullptr;
    h.body = {};
    h.pos = Cur().pos;
    uint32_t line = h.pos.line;
    Advance();
    const bool star = Accept(Tok::kStar);
    if (star && (Is(Tok::kColon) || Is(Tok::kNewline))) {
      Fail(Cur().pos, "expected one or more exception types");
      return false;
    }
    if (!handlers.empty() && star != s->star) {
      Fail(Span(h.pos, Prev().pos), "cannot have both 'except' and 'except*' on the same 'try'");
      return false;
    }
    s->star = star;
    if (!Is(Tok::kColon) && !Is(Tok::kNewline)) {
      h.type = ParseExpression();
      if (h.type == nullptr) return false;
      if (Is(Tok::kComma)) {
        Expr* rest = nullptr;
        while (Accept(Tok::kComma) && StartsExpression(Cur().kind)) {
          rest = ParseExpression();
          if (rest == nullptr) return false;
        }
        Fail(Span(h.type->pos, rest == nullptr ? Prev().pos : rest->pos), "multiple exception types must be parenthesized");
        return false;
      }
      if (Accept(Tok::kAs)) {
        if (!Is(Tok::kName)) {
          InvalidSyntax();
          return false;
        }
        h.name = TextOf(Cur());
        Advance();
      }
    }
    if (!ParseSuite("'except' statement", line, false, &h.body)) return false;
    h.pos = From(h.pos);
    handlers.push_back(h);
  }
  for (size_t i = 0; i + 1 < handlers.size(); i++) {
    if (handlers[i].type == nullptr) {
      Fail(handlers[i].pos, "default 'except:' must be last");
      return false;
    }
  }
  s->handlers = arena_.Copy(handlers);
  return true;
}

Stmt* Parser::ParseTry() {
  Position start = Cur().pos;
  auto* s = NewStmt<TryStmt>(StmtKind::kTry, start);
  Advance();
  if (!ParseSuite("'try' statement", start.line, true, &s->body)) return nullptr;
  if (!ParseHandlers(s)) return nullptr;
  if (!s->handlers.empty() && !ParseOptionalElse(&s->orelse)) return nullptr;
  uint32_t line = Cur().pos.line;
  if (Accept(Tok::kFinally)) {
    if (!ParseSuite("'finally' statement", line, true, &s->finalbody)) return nullptr;
  } else if (s->handlers.empty()) {
    if (Is(Tok::kError)) return InvalidSyntax();
    return Fail(Cur().pos, "expected 'except' or 'finally' block");
  }
  s->pos = From(start);
  return s;
}

// One item at least. close: the bracket that ends the list, or kColon for none.
bool Parser::ParseWithItems(Tok close, std::vector<WithItem>* items) {
  do {
    if (close == Tok::kRParen && Is(close) && !items->empty()) break;
    WithItem item;
    item.target = nullptr;
    item.context = ParseExpression();
    if (item.context == nullptr) return false;
    if (Accept(Tok::kAs)) {
      if (Is(Tok::kStar)) {
        InvalidSyntax();
        return false;
      }
      item.target = ParsePrimary();
      if (item.target == nullptr) return false;
      if (!CheckAssignable(item.target, false)) return false;
      if (!Is(Tok::kComma) && !Is(Tok::kColon) && !Is(Tok::kNewline) && !Is(close)) {
        InvalidSyntax();
        return false;
      }
    }
    items->push_back(item);
  } while (Accept(Tok::kComma));
  return true;
}

Stmt* Parser::ParseWith() {
  Position start = Cur().pos;
  auto* s = NewStmt<WithStmt>(StmtKind::kWith, start);
  Advance();
  std::vector<WithItem> items;
  bool done = false;
  if (Is(Tok::kLParen)) {  // items in parentheses, unless what follows says that it was an expression
    size_t at = at_;
    SyntaxErrorInfo saved = *error_;
    bool was = speculating_;
    speculating_ = true;
    Advance();
    done = ParseWithItems(Tok::kRParen, &items) && Accept(Tok::kRParen) && Is(Tok::kColon);
    speculating_ = was;
    if (!done) {
      failed_ = false;
      *error_ = saved;
      at_ = at;
      items.clear();
    }
  }
  if (!done && !ParseWithItems(Tok::kColon, &items)) return nullptr;
  if (!ParseSuite("'with' statement", start.line, false, &s->body)) return nullptr;
  s->items = arena_.Copy(items);
  s->pos = From(start);
  return s;
}

Stmt* Parser::ParseFunction(const std::vector<Expr*>& decorators, const Position& start) {
  auto* s = NewStmt<FunctionStmt>(StmtKind::kFunction, start);
  Position def = Cur().pos;
  Advance();
  if (!Is(Tok::kName)) return InvalidSyntax();
  s->name = TextOf(Cur());
  Advance();
  if (!Is(Tok::kLParen)) {
    if (Is(Tok::kError)) return InvalidSyntax();
    return Fail(Cur().pos, "expected '('");
  }
  Advance();
  s->params = ParseParams(Tok::kRParen, true);
  if (s->params == nullptr || !Expect(Tok::kRParen)) return nullptr;
  s->returns = nullptr;
  if (Accept(Tok::kArrow)) {
    s->returns = ParseExpression();
    if (s->returns == nullptr) return nullptr;
  }
  s->decorators = arena_.Copy(decorators);
  s->first_line = start.line;
  if (!ParseSuite("function definition", def.line, true, &s->body)) return nullptr;
  s->pos = From(def);
  return s;
}

Stmt* Parser::ParseClass(const std::vector<Expr*>& decorators, const Position& start) {
  auto* s = NewStmt<ClassStmt>(StmtKind::kClass, start);
  Position def = Cur().pos;
  Advance();
  if (!Is(Tok::kName)) return InvalidSyntax();
  s->name = TextOf(Cur());
  Advance();
  std::vector<Expr*> bases;
  std::vector<Keyword> keywords;
  Position open = Cur().pos;
  if (Accept(Tok::kLParen)) {
    const size_t first = at_;
    if (!ParseArguments(&bases, &keywords, open)) return nullptr;
    if (bases.size() == 1 && bases[0]->kind == ExprKind::kComprehension && bases[0]->pos.line == open.line &&
        bases[0]->pos.col == open.col) {
      // A generator expression of a call: it must have parentheses of its own here.
      at_ = first;
      while (!Is(Tok::kFor) && !Is(Tok::kAsync)) Advance();
      return InvalidSyntax();
    }
  }
  s->bases = arena_.Copy(bases);
  s->keywords = arena_.Copy(keywords);
  s->decorators = arena_.Copy(decorators);
  s->first_line = start.line;
  if (!ParseSuite("class definition", def.line, true, &s->body)) return nullptr;
  s->pos = From(def);
  return s;
}

// `async` and the statement that it goes with, whose place begins at `async`.
Stmt* Parser::ParseAsync(const std::vector<Expr*>& decorators, const Position& start) {
  const Position async = Cur().pos;
  Advance();
  auto marked = [&](auto* s) -> Stmt* {
    if (s == nullptr) return nullptr;
    s->is_async = true;
    s->pos = From(async);
    return s;
  };
  switch (Cur().kind) {
    case Tok::kDef: return marked(static_cast<FunctionStmt*>(ParseFunction(decorators, start)));
    case Tok::kFor: return marked(static_cast<ForStmt*>(ParseFor()));
    case Tok::kWith: return marked(static_cast<WithStmt*>(ParseWith()));
    default: return InvalidSyntax();
  }
}

Stmt* Parser::ParseDecorated() {
  Position start = Cur().pos;
  std::vector<Expr*> decorators;
  while (Accept(Tok::kAt)) {
    Expr* e = ParseNamedExpression();
    if (e == nullptr || !Expect(Tok::kNewline)) return nullptr;
    decorators.push_back(e);
  }
  if (Is(Tok::kDef)) return ParseFunction(decorators, start);
  if (Is(Tok::kClass)) return ParseClass(decorators, start);
  if (Is(Tok::kAsync) && Peek().kind == Tok::kDef) return ParseAsync(decorators, start);
  if (!CheckUnsupported()) return nullptr;
  return InvalidSyntax();
}

}  // namespace tidepool::rt::lang
