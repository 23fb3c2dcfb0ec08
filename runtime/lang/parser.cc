// The parser's helpers: errors, heights, the module.
#include "tidepool/runtime/lang/parser.h"

#include <algorithm>
#include <utility>

namespace tidepool::rt::lang {

Module* ParseModule(const Source& source, Arena& arena, SyntaxErrorInfo* error) {
  return Parser(source, arena, Lex(source), error).ParseFile();
}

Module* Parser::ParseFile() {
  std::vector<Stmt*> body;
  while (!Is(Tok::kEnd)) {
    if (Is(Tok::kNewline)) {
      Advance();
      continue;
    }
    if (!ParseStatement(&body)) return nullptr;
  }
  for (size_t i = 0; i < body.size(); i++) {
    if (i == 0 && body[i]->kind == StmtKind::kExpr) {  // a docstring?
      const Expr* e = static_cast<ExprStmt*>(body[i])->value;
      if (e->kind != ExprKind::kConstant || static_cast<const ConstantExpr*>(e)->value->kind != Const::Kind::kStr) break;
      continue;
    }
    if (body[i]->kind != StmtKind::kImportFrom) break;
    auto* from = static_cast<ImportFromStmt*>(body[i]);
    if (from->level != 0 || from->module != "__future__") break;
    from->at_beginning = true;
  }
  Module* m = arena_.New<Module>();
  m->body = arena_.Copy(body);
  m->future_annotations = future_annotations_;
  return m;
}

bool Parser::Expect(Tok t) {
  if (Accept(t)) return true;
  InvalidSyntax();
  return false;
}

Position Parser::From(const Position& start) const { return at_ == 0 ? start : Span(start, Prev().pos); }

std::nullptr_t Parser::Fail(const Position& pos, std::string message, SyntaxErrorInfo::Kind kind) {
  if (failed_) return nullptr;
  failed_ = true;
  // A parenthesis left open on an earlier line is the likelier cause of odd syntax.
  if (list_.tokens.back().kind == Tok::kError && message.compare(0, 14, "invalid syntax") == 0 &&
      list_.error.message.find("was never closed") != std::string::npos && pos.end_line > list_.tokens.back().pos.line) {
    *error_ = list_.error;
    return nullptr;
  }
  if (fstring_level_ > 0 && message.compare(0, 8, "f-string") != 0) message = "f-string: " + message;
  source_.MakeError(kind, pos, std::move(message), error_);
  error_->at_end = AtEnd();
  return nullptr;
}

// Nothing follows but the ends of blocks.
bool Parser::AtEnd() const {
  size_t i = at_;
  while (i < list_.tokens.size() && list_.tokens[i].kind == Tok::kDedent) i++;
  return fstring_level_ == 0 && i < list_.tokens.size() && list_.tokens[i].kind == Tok::kEnd;
}

// The parser is stuck at the current token. What CPython says then, in this order: the lexer's error if that is what it met;
// "unexpected indent"; an error of the lexer further on; a parenthesis left open on an earlier line; else "invalid syntax".
std::nullptr_t Parser::InvalidSyntax() {
  if (failed_) return nullptr;
  const Token& token = Cur();
  const Token& last = list_.tokens.back();
  if (last.kind == Tok::kError) {
    bool unclosed = list_.error.message.find("was never closed") != std::string::npos;
    if (token.kind == Tok::kError || !unclosed || token.pos.line > last.pos.line) {
      failed_ = true;
      *error_ = list_.error;
      if (fstring_level_ > 0) error_->message = "f-string: " + error_->message;
      return nullptr;
    }
  }
  if (token.kind == Tok::kIndent) return Fail(token.pos, "unexpected indent", SyntaxErrorInfo::Kind::kIndentation);
  if (fstring_level_ > 0 && token.kind == Tok::kEnd) return Fail(token.pos, "invalid syntax");
  return Fail(token.pos, "invalid syntax");
}

bool Parser::StartsExpression(Tok t) const {
  switch (t) {
    case Tok::kName: case Tok::kNumber: case Tok::kString: case Tok::kLParen: case Tok::kLBracket: case Tok::kLBrace:
    case Tok::kEllipsis: case Tok::kMinus: case Tok::kPlus: case Tok::kTilde: case Tok::kNot: case Tok::kLambda:
    case Tok::kNone: case Tok::kTrue: case Tok::kFalse: case Tok::kAwait: return true;
    default: return false;
  }
}

std::nullptr_t Parser::InvalidInParens(const Expr* before) {
  if (failed_) return nullptr;
  if (before != nullptr && !speculating_ && StartsExpression(Cur().kind) && Cur().kind != Tok::kNot &&
      !(before->kind == ExprKind::kName && Is(Tok::kString))) {
    size_t at = at_;
    SyntaxErrorInfo saved = *error_;
    speculating_ = true;
    Expr* next = ParseExpression();
    speculating_ = false;
    bool ok = !failed_;
    failed_ = false;
    *error_ = saved;
    if (ok) return Fail(Span(before->pos, next->pos), "invalid syntax. Perhaps you forgot a comma?");
    at_ = at;
  }
  return InvalidSyntax();
}

bool Parser::Raise(Expr* e, const Expr* child) {
  if (child == nullptr || child->height < e->height) return true;
  if (child->height >= kMaxHeight) {
    Fail(e->pos, "expression is nested too deeply");
    return false;
  }
  e->height = static_cast<uint16_t>(child->height + 1);
  return true;
}

Expr* Parser::Finish(Expr* e, std::initializer_list<const Expr*> children) {
  for (const Expr* child : children) {
    if (!Raise(e, child)) return nullptr;
  }
  return e;
}

Expr* Parser::Constant(const Position& pos, Const value) {
  auto* e = NewExpr<ConstantExpr>(ExprKind::kConstant, pos);
  e->value = arena_.NewConst(std::move(value));
  return e;
}

}  // namespace tidepool::rt::lang
