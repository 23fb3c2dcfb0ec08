// Simple statements.
#include <utility>

#include "tidepool/runtime/lang/parser.h"

namespace tidepool::rt::lang {
namespace {

bool AugmentedOf(Tok t, BinaryKind* kind) {
  switch (t) {
    case Tok::kPlusEqual: *kind = BinaryKind::kAdd; return true;
    case Tok::kMinusEqual: *kind = BinaryKind::kSub; return true;
    case Tok::kStarEqual: *kind = BinaryKind::kMul; return true;
    case Tok::kSlashEqual: *kind = BinaryKind::kTrueDiv; return true;
    case Tok::kDoubleSlashEqual: *kind = BinaryKind::kFloorDiv; return true;
    case Tok::kPercentEqual: *kind = BinaryKind::kMod; return true;
    case Tok::kAtEqual: *kind = BinaryKind::kMatMul; return true;
    case Tok::kAmpEqual: *kind = BinaryKind::kAnd; return true;
    case Tok::kBarEqual: *kind = BinaryKind::kOr; return true;
    case Tok::kCaretEqual: *kind = BinaryKind::kXor; return true;
    case Tok::kLeftShiftEqual: *kind = BinaryKind::kLShift; return true;
    case Tok::kRightShiftEqual: *kind = BinaryKind::kRShift; return true;
    case Tok::kDoubleStarEqual: *kind = BinaryKind::kPow; return true;
    default: return false;
  }
}

}  // namespace

// `match` blocks look like nothing else: the line ends with a colon and a block follows.
bool Parser::CheckUnsupported() {
  if (!IsName("match") || !StartsExpression(Peek().kind)) return true;
  for (size_t i = at_ + 1; i + 1 < list_.tokens.size(); i++) {
    if (list_.tokens[i].kind != Tok::kNewline) continue;
    if (list_.tokens[i - 1].kind == Tok::kColon && list_.tokens[i + 1].kind == Tok::kIndent) {
      Fail(Cur().pos, "'match' statements are not supported");
      return false;
    }
    break;
  }
  return true;
}

// One statement line, or one compound statement.
bool Parser::ParseStatement(std::vector<Stmt*>* out) {
  Stmt* s = nullptr;
  switch (Cur().kind) {
    case Tok::kIf: s = ParseIf(); break;
    case Tok::kWhile: s = ParseWhile(); break;
    case Tok::kFor: s = ParseFor(); break;
    case Tok::kTry: s = ParseTry(); break;
    case Tok::kWith: s = ParseWith(); break;
    case Tok::kDef: s = ParseFunction({}, Cur().pos); break;
    case Tok::kClass: s = ParseClass({}, Cur().pos); break;
    case Tok::kAt: s = ParseDecorated(); break;
    case Tok::kAsync: s = ParseAsync({}, Cur().pos); break;
    default:
      if (!CheckUnsupported()) return false;
      return ParseSimpleLine(out);
  }
  if (s == nullptr) return false;
  out->push_back(s);
  return true;
}

bool Parser::ParseSimpleLine(std::vector<Stmt*>* out) {
  while (true) {
    Stmt* s = ParseSimple();
    if (s == nullptr) return false;
    out->push_back(s);
    if (Accept(Tok::kNewline) || Is(Tok::kEnd)) return true;
    if (!Is(Tok::kSemi)) {
      if (s->kind == StmtKind::kExpr && !CheckLegacyPrint(static_cast<ExprStmt*>(s)->value)) return false;
      InvalidSyntax();
      return false;
    }
    Advance();
    if (Accept(Tok::kNewline) || Is(Tok::kEnd)) return true;
  }
}

// `print x` and `exec x`.
bool Parser::CheckLegacyPrint(const Expr* e) {
  if (e->kind != ExprKind::kName || !StartsExpression(Cur().kind) || speculating_) return true;
  std::string name(static_cast<const NameExpr*>(e)->name);
  if (name != "print" && name != "exec") return true;
  size_t at = at_;
  SyntaxErrorInfo saved = *error_;
  speculating_ = true;
  Expr* rest = ParseStarExpressions();
  speculating_ = false;
  bool ok = !failed_;
  failed_ = false;
  *error_ = saved;
  if (!ok) {
    at_ = at;
    return true;
  }
  Fail(Span(e->pos, rest->pos), "Missing parentheses in call to '" + name + "'. Did you mean " + name + "(...)?");
  return false;
}

Stmt* Parser::ParseSimple() {
  const Token token = Cur();
  switch (token.kind) {
    case Tok::kPass: Advance(); return NewStmt<Stmt>(StmtKind::kPass, token.pos);
    case Tok::kBreak: Advance(); return NewStmt<Stmt>(StmtKind::kBreak, token.pos);
    case Tok::kContinue: Advance(); return NewStmt<Stmt>(StmtKind::kContinue, token.pos);
    case Tok::kReturn: {
      Advance();
      Expr* value = nullptr;
      if (StartsExpression(Cur().kind) || Is(Tok::kStar)) {
        value = ParseStarExpressions();
        if (value == nullptr) return nullptr;
        if (value->kind == ExprKind::kStarred) return Fail(value->pos, "can't use starred expression here");
      }
      auto* s = NewStmt<ReturnStmt>(StmtKind::kReturn, From(token.pos));
      s->value = value;
      return s;
    }
    case Tok::kRaise: return ParseRaise();
    case Tok::kGlobal: return ParseNames(StmtKind::kGlobal);
    case Tok::kNonlocal: return ParseNames(StmtKind::kNonlocal);
    case Tok::kDel: return ParseDelete();
    case Tok::kAssert: return ParseAssert();
    case Tok::kImport: return ParseImport();
    case Tok::kFrom: return ParseImportFrom();
    default: return ParseExpressionStatement();
  }
}

Stmt* Parser::ParseExpressionStatement() {
  Position start = Cur().pos;
  Expr* first = Is(Tok::kYield) ? ParseYield() : ParseStarExpressions();
  if (first == nullptr) return nullptr;
  if (Is(Tok::kAssign)) return ParseAssignment(first);
  if (Is(Tok::kColon)) return ParseAnnotated(first);
  BinaryKind op;
  if (AugmentedOf(Cur().kind, &op)) {
    if (first->kind != ExprKind::kName && first->kind != ExprKind::kAttribute && first->kind != ExprKind::kSubscript) {
      return Fail(first->pos, std::string("'") + ExprName(first) + "' is an illegal expression for augmented assignment");
    }
    Advance();
    Expr* value = Is(Tok::kYield) ? ParseYield() : ParseStarExpressions();
    if (value == nullptr) return nullptr;
    if (value->kind == ExprKind::kStarred) return Fail(value->pos, "can't use starred expression here");
    auto* s = NewStmt<AugAssignStmt>(StmtKind::kAugAssign, From(start));
    s->target = first;
    s->op = op;
    s->value = value;
    return s;
  }
  if (first->kind == ExprKind::kStarred) return Fail(first->pos, "can't use starred expression here");
  if (Is(Tok::kColonEqual)) return InvalidSyntax();
  auto* s = NewStmt<ExprStmt>(StmtKind::kExpr, From(start));
  s->value = first;
  return s;
}

Stmt* Parser::ParseAssignment(Expr* first) {
  Position start = first->pos;
  std::vector<Expr*> targets;
  Expr* value = first;
  while (Accept(Tok::kAssign)) {
    if (value->kind == ExprKind::kStarred && InvalidTarget(value, false) == nullptr) {
      return Fail(value->pos, "starred assignment target must be in a list or tuple");
    }
    if (!value->parenthesized && (value->kind == ExprKind::kYield || value->kind == ExprKind::kYieldFrom)) {
      return Fail(value->pos, "assignment to yield expression not possible");
    }
    if (!CheckAssignable(value, targets.empty())) return nullptr;
    targets.push_back(value);
    value = Is(Tok::kYield) ? ParseYield() : ParseStarExpressions();
    if (value == nullptr) return nullptr;
  }
  if (value->kind == ExprKind::kStarred) return Fail(value->pos, "can't use starred expression here");
  auto* s = NewStmt<AssignStmt>(StmtKind::kAssign, From(start));
  s->targets = arena_.Copy(targets);
  s->value = value;
  return s;
}

Stmt* Parser::ParseAnnotated(Expr* target) {
  if (target->kind == ExprKind::kList) return Fail(target->pos, "only single target (not list) can be annotated");
  if (target->kind == ExprKind::kTuple) return Fail(target->pos, "only single target (not tuple) can be annotated");
  if (target->kind != ExprKind::kName && target->kind != ExprKind::kAttribute && target->kind != ExprKind::kSubscript) {
    return Fail(target->pos, "illegal target for annotation");
  }
  Advance();
  Expr* annotation = ParseExpression();
  if (annotation == nullptr) return nullptr;
  Expr* value = nullptr;
  if (Accept(Tok::kAssign)) {
    value = Is(Tok::kYield) ? ParseYield() : ParseStarExpressions();
    if (value == nullptr) return nullptr;
  }
  auto* s = NewStmt<AnnAssignStmt>(StmtKind::kAnnAssign, From(target->pos));
  s->target = target;
  s->annotation = annotation;
  s->value = value;
  s->simple = target->kind == ExprKind::kName && !target->parenthesized;
  return s;
}

Stmt* Parser::ParseRaise() {
  Position start = Cur().pos;
  Advance();
  Expr *exc = nullptr, *cause = nullptr;
  if (StartsExpression(Cur().kind)) {
    exc = ParseExpression();
    if (exc == nullptr) return nullptr;
    if (Accept(Tok::kFrom)) {
      cause = ParseExpression();
      if (cause == nullptr) return nullptr;
    }
  }
  auto* s = NewStmt<RaiseStmt>(StmtKind::kRaise, From(start));
  s->exc = exc;
  s->cause = cause;
  return s;
}

Stmt* Parser::ParseNames(StmtKind kind) {
  Position start = Cur().pos;
  Advance();
  std::vector<std::string_view> names;
  do {
    if (!Is(Tok::kName)) return InvalidSyntax();
    names.push_back(TextOf(Cur()));
    Advance();
  } while (Accept(Tok::kComma));
  auto* s = NewStmt<NamesStmt>(kind, From(start));
  s->names = arena_.Copy(names);
  return s;
}

Stmt* Parser::ParseDelete() {
  Position start = Cur().pos;
  Advance();
  std::vector<Expr*> targets;
  do {
    if (!targets.empty() && (Is(Tok::kNewline) || Is(Tok::kSemi) || Is(Tok::kEnd))) break;
    Expr* e = Is(Tok::kStar) ? ParseStarNamed() : ParseExpression();
    if (e == nullptr) return nullptr;
    if (!CheckDeletable(e)) return nullptr;
    targets.push_back(e);
  } while (Accept(Tok::kComma));
  auto* s = NewStmt<DeleteStmt>(StmtKind::kDelete, From(start));
  s->targets = arena_.Copy(targets);
  return s;
}

Stmt* Parser::ParseAssert() {
  Position start = Cur().pos;
  Advance();
  Expr* test = ParseExpression();
  if (test == nullptr) return nullptr;
  Expr* message = nullptr;
  if (Accept(Tok::kComma)) {
    message = ParseExpression();
    if (message == nullptr) return nullptr;
  }
  auto* s = NewStmt<AssertStmt>(StmtKind::kAssert, From(start));
  s->test = test;
  s->message = message;
  return s;
}

// a.b.c as one text without blanks.
bool Parser::ParseDottedName(std::string_view* name) {
  std::string text;
  do {
    if (!text.empty()) text += '.';
    if (!Is(Tok::kName)) {
      InvalidSyntax();
      return false;
    }
    text += TextOf(Cur());
    Advance();
  } while (Accept(Tok::kDot));
  *name = arena_.CopyText(text);
  return true;
}

Stmt* Parser::ParseImport() {
  Position start = Cur().pos;
  Advance();
  std::vector<Alias> names;
  do {
    Alias a;
    a.pos = Cur().pos;
    if (!ParseDottedName(&a.name)) return nullptr;
    if (Accept(Tok::kAs)) {
      if (!Is(Tok::kName)) return InvalidSyntax();
      a.asname = TextOf(Cur());
      Advance();
    }
    names.push_back(a);
  } while (Accept(Tok::kComma));
  auto* s = NewStmt<ImportStmt>(StmtKind::kImport, From(start));
  s->names = arena_.Copy(names);
  return s;
}

Stmt* Parser::ParseImportFrom() {
  Position start = Cur().pos;
  Advance();
  uint32_t level = 0;
  while (Is(Tok::kDot) || Is(Tok::kEllipsis)) {
    level += Is(Tok::kDot) ? 1 : 3;
    Advance();
  }
  std::string_view module;
  if ((level == 0 || !Is(Tok::kImport)) && !ParseDottedName(&module)) return nullptr;
  if (!Expect(Tok::kImport)) return nullptr;
  if (Is(Tok::kStar)) return Fail(Cur().pos, "'import *' is not supported");
  bool parens = Accept(Tok::kLParen);
  std::vector<Alias> names;
  do {
    if (parens && !names.empty() && Is(Tok::kRParen)) break;
    if (!parens && !names.empty() && Is(Tok::kNewline)) {
      return Fail(Cur().pos, "trailing comma not allowed without surrounding parentheses");
    }
    if (!Is(Tok::kName)) return InvalidSyntax();
    Alias a;
    a.pos = Cur().pos;
    a.name = TextOf(Cur());
    Advance();
    if (Accept(Tok::kAs)) {
      if (!Is(Tok::kName)) return InvalidSyntax();
      a.asname = TextOf(Cur());
      Advance();
    }
    a.pos = From(a.pos);
    if (module == "__future__" && level == 0) {
      bool known = false;
      for (std::string_view f : {"nested_scopes", "generators", "division", "absolute_import", "with_statement", "print_function",
                                 "unicode_literals", "generator_stop", "annotations"}) {
        known |= a.name == f;
      }
      if (!known) return Fail(a.pos, "future feature " + std::string(a.name) + " is not defined");
      future_annotations_ |= a.name == "annotations";
    }
    names.push_back(a);
  } while (Accept(Tok::kComma));
  if (parens && !Expect(Tok::kRParen)) return nullptr;
  auto* s = NewStmt<ImportFromStmt>(StmtKind::kImportFrom, From(start));
  s->module = module;
  s->level = level;
  s->names = arena_.Copy(names);
  return s;
}

}  // namespace tidepool::rt::lang
