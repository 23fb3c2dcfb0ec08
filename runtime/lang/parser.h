// Recursive-descent parser: tokens to the syntax tree of ast.h.
//
// Entry point: ParseModule. The class is declared here because its members are spread over
// parser.cc (errors, helpers), parse_expr.cc, parse_args.cc, parse_fstring.cc, parse_stmt.cc and parse_target.cc.
//
// ERRORS. The first error wins; every Parse function returns null (or false) once there is one, and the callers pass it on.
// Messages and places follow CPython 3.11 where a rule of its grammar names the mistake; see InvalidSyntax for the general case.
//
// SPECULATION. In two places the parser tries a reading and may go back: `with (a, b):` (items or a tuple?) and after a
// mistake, to say "Perhaps you forgot a comma?". Speculation does not nest, so the work stays linear.
#ifndef TIDEPOOL_RUNTIME_LANG_PARSER_H_
#define TIDEPOOL_RUNTIME_LANG_PARSER_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tidepool/runtime/lang/ast.h"
#include "tidepool/runtime/lang/lexer.h"
#include "tidepool/runtime/lang/source.h"

namespace tidepool::rt::lang {

// Null on an error, then described in *error.
Module* ParseModule(const Source& source, Arena& arena, SyntaxErrorInfo* error);

class Parser {
 public:
  Parser(const Source& source, Arena& arena, TokenList tokens, SyntaxErrorInfo* error)
      : source_(source), arena_(arena), list_(std::move(tokens)), error_(error) {}

  Module* ParseFile();
  // For f-strings: the whole token list is one expression; `in_fstring` levels deep.
  Expr* ParseWhole(int fstring_level, int depth);

 private:
  // --- parser.cc
  const Token& Cur() const { return list_.tokens[at_]; }
  const Token& Peek(size_t n = 1) const { return list_.tokens[at_ + n < list_.tokens.size() ? at_ + n : list_.tokens.size() - 1]; }
  const Token& Prev() const { return list_.tokens[at_ - 1]; }
  bool Is(Tok t) const { return Cur().kind == t; }
  void Advance() {
    if (at_ + 1 < list_.tokens.size()) at_++;
  }
  bool Accept(Tok t) {
    if (!Is(t)) return false;
    Advance();
    return true;
  }
  bool Expect(Tok t);  // or "invalid syntax"
  std::string_view TextOf(const Token& t) const { return source_.Text(t.start, t.end); }
  bool IsName(std::string_view text) const { return Is(Tok::kName) && TextOf(Cur()) == text; }
  Position From(const Position& start) const;  // start .. end of the previous token
  static Position Span(const Position& a, const Position& b) { return {a.line, b.end_line, a.col, b.end_col}; }

  std::nullptr_t Fail(const Position& pos, std::string message, SyntaxErrorInfo::Kind kind = SyntaxErrorInfo::Kind::kSyntax);
  std::nullptr_t InvalidSyntax();  // at the current token
  bool AtEnd() const;
  std::nullptr_t InvalidInParens(const Expr* before);  // the same, but may say that a comma is missing
  bool StartsExpression(Tok t) const;

  // One level of recursion; ok() is false when it is too much.
  class Level {
   public:
    explicit Level(Parser* p) : p_(p), ok_(++p->depth_ <= kMaxParseDepth) {
      if (!ok_) p->Fail(p->Cur().pos, "expression is nested too deeply");
    }
    ~Level() { p_->depth_--; }
    bool ok() const { return ok_; }

   private:
    Parser* p_;
    bool ok_;
  };

  template <class T>
  T* NewExpr(ExprKind kind, const Position& pos) {
    T* e = arena_.New<T>();
    e->kind = kind;
    e->pos = pos;
    return e;
  }
  template <class T>
  T* NewStmt(StmtKind kind, const Position& pos) {
    T* s = arena_.New<T>();
    s->kind = kind;
    s->pos = pos;
    return s;
  }
  // Sets e's height from its children; null if that is too high.
  Expr* Finish(Expr* e, std::initializer_list<const Expr*> children);
  bool Raise(Expr* e, const Expr* child);  // one child; false if too high
  Expr* Constant(const Position& pos, Const value);

  // --- parse_expr.cc
  Expr* ParseStarExpressions();    // a, *b, c  (a tuple if there is a comma)
  Expr* ParseStarNamed();          // *a | walrus
  Expr* ParseNamedExpression();    // walrus
  Expr* ParseExpression();         // conditional | lambda
  Expr* ParseDisjunction();
  Expr* ParseConjunction();
  Expr* ParseInversion();
  Expr* ParseComparison();
  Expr* ParseBinary(int min_precedence);
  Expr* ParseUnary();
  Expr* ParsePower();
  Expr* ParsePrimary();
  Expr* ParseAtom();
  Expr* ParseParen();
  Expr* ParseListDisplay();
  Expr* ParseBraceDisplay();
  Expr* ParseDictItems(const Position& start, Expr* first_key);
  Expr* ParseLambda();
  Expr* ParseYield();
  Expr* ParseSubscript(Expr* value);
  Expr* ParseSliceItem();
  Expr* MakeBinary(BinaryKind op, Expr* left, Expr* right);
  Expr* MakeSequence(ExprKind kind, const Position& pos, const std::vector<Expr*>& items);
  bool ParseCompFors(std::vector<CompFor>* fors);
  Expr* ParseComprehension(CompKind kind, const Position& start, Expr* element, Expr* value, Tok close);
  Expr* MakeComprehension(CompKind kind, const Position& start, Expr* element, Expr* value, const std::vector<CompFor>& fors);
  bool ParseItems(Tok close, std::vector<Expr*>* items);  // the rest of a display after the first item

  // --- parse_args.cc
  Expr* ParseCall(Expr* func);
  bool ParseArguments(std::vector<Expr*>* args, std::vector<Keyword>* keywords, const Position& open);
  Params* ParseParams(Tok close, bool annotations);
  bool ParseParam(bool annotations, bool star_annotation, Param* param);

  // --- parse_fstring.cc
  Expr* ParseStrings();
  bool ParseFString(const Token& token, uint32_t start, uint32_t end, bool raw, int level, std::vector<Expr*>* parts);
  Expr* ParseReplacement(const Token& token, uint32_t* at, uint32_t end, bool raw, int level, std::string* literal);
  bool FindExpressionEnd(const Token& token, uint32_t* at, uint32_t end);
  void AddText(const Position& pos, std::string text, std::vector<Expr*>* parts);
  Position PositionAt(const Token& token, uint32_t offset) const;

  // --- parse_target.cc
  Expr* ParseTargetList(Tok stop);  // for and comprehension targets, up to `in`
  const Expr* InvalidTarget(const Expr* e, bool del) const;
  bool CheckAssignable(Expr* e, bool at_equals);
  bool CheckDeletable(Expr* e);
  static const char* ExprName(const Expr* e);

  // --- parse_stmt.cc
  bool ParseStatement(std::vector<Stmt*>* out);
  bool ParseSimpleLine(std::vector<Stmt*>* out);
  Stmt* ParseSimple();
  Stmt* ParseExpressionStatement();
  Stmt* ParseAnnotated(Expr* target);
  Stmt* ParseAssignment(Expr* first);
  Stmt* ParseImport();
  Stmt* ParseImportFrom();
  Stmt* ParseNames(StmtKind kind);
  bool CheckNoEquals(const Expr* test);
  bool CheckUnsupported();
  bool CheckLegacyPrint(const Expr* e);
  Stmt* ParseDelete();
  Stmt* ParseRaise();
  Stmt* ParseAssert();
  Stmt* ParseIf();
  Stmt* ParseWhile();
  Stmt* ParseFor();
  Stmt* ParseTry();
  bool ParseHandlers(TryStmt* s);
  Stmt* ParseWith();
  bool ParseWithItems(Tok close, std::vector<WithItem>* items);
  Stmt* ParseFunction(const std::vector<Expr*>& decorators, const Position& start);
  Stmt* ParseClass(const std::vector<Expr*>& decorators, const Position& start);
  Stmt* ParseDecorated();
  Stmt* ParseAsync(const std::vector<Expr*>& decorators, const Position& start);
  bool ParseDottedName(std::string_view* name);
  // ':' and a block. `what` for the message "expected an indented block after <what> on line N".
  bool ParseSuite(const char* what, uint32_t line, bool forced_colon, Body* body);
  bool ParseOptionalElse(Body* body);

  const Source& source_;
  Arena& arena_;
  TokenList list_;
  SyntaxErrorInfo* error_;
  size_t at_ = 0;
  int depth_ = 0;
  int fstring_level_ = 0;
  bool failed_ = false;
  bool speculating_ = false;
  bool future_annotations_ = false;
  struct Place {
    uint32_t token, offset, line, line_start;  // token: its start plus 1, 0 for none
  };
  mutable Place place_{0, 0, 0, 0};
};

}  // namespace tidepool::rt::lang

#endif  // TIDEPOOL_RUNTIME_LANG_PARSER_H_
