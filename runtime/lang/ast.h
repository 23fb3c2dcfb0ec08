// The syntax tree: plain nodes in an arena, made by the parser, annotated by nobody (the symbol table keeps its facts in
// a map of its own), read by the symbol table, the folder and the compiler.
//
// HEIGHT. Every expression knows the height of its tree. The parser refuses to build a node higher than kMaxHeight and to
// recurse deeper than kMaxParseDepth, and the lexer allows kMaxIndents nested blocks, so that every later pass may recurse
// over the tree without counting: no input overflows the C stack. Chains that programs make long (elif, boolean
// operators, comparisons, implicit string concatenation) are flat lists here and do not count.
#ifndef TIDEPOOL_RUNTIME_LANG_AST_H_
#define TIDEPOOL_RUNTIME_LANG_AST_H_

#include <cstdint>
#include <string_view>

#include "tidepool/runtime/lang/arena.h"
#include "tidepool/runtime/lang/bytecode.h"

namespace tidepool::rt::lang {

inline constexpr int kMaxHeight = 1000;
inline constexpr int kMaxParseDepth = 300;

struct Expr;
struct Stmt;
using Exprs = ArenaSpan<Expr*>;
using Body = ArenaSpan<Stmt*>;
using Names = ArenaSpan<std::string_view>;

enum class ExprKind : uint8_t {
  kConstant, kName, kTuple, kList, kSet, kDict, kUnary, kBinary, kBool, kCompare, kConditional, kLambda, kCall, kAttribute,
  kSubscript, kSlice, kStarred, kComprehension, kJoinedStr, kFormatted, kYield, kYieldFrom, kAwait, kWalrus,
};

struct Expr {
  ExprKind kind;
  bool parenthesized = false;  // written inside its own parentheses
  bool folded = false;         // a constant that the folder made
  uint16_t height = 1;
  Position pos;
};

enum class UnaryKind : uint8_t { kNegative, kPositive, kInvert, kNot };
enum class CompareKind : uint8_t { kLt, kLe, kEq, kNe, kGt, kGe, kIs, kIsNot, kIn, kNotIn };

struct ConstantExpr : Expr { const Const* value; };
struct NameExpr : Expr { std::string_view name; };
struct SequenceExpr : Expr { Exprs items; };  // kTuple, kList, kSet; items may be kStarred
struct DictExpr : Expr { Exprs keys, values; };  // a null key: **value
struct UnaryExpr : Expr { UnaryKind op; Expr* operand; };
struct BinaryExpr : Expr { BinaryKind op; Expr* left; Expr* right; };
struct BoolExpr : Expr { bool is_and; Exprs values; };
struct CompareExpr : Expr { Expr* left; ArenaSpan<CompareKind> ops; Exprs rights; };
struct ConditionalExpr : Expr { Expr* test; Expr* body; Expr* orelse; };

struct Param {
  std::string_view name;
  Expr* annotation = nullptr;
  Expr* default_value = nullptr;
  Position pos;
};
struct Params {
  ArenaSpan<Param> positional;  // the first `posonly` of them positional-only
  size_t posonly = 0;
  ArenaSpan<Param> kwonly;
  Param* varargs = nullptr;
  Param* varkw = nullptr;
};
struct LambdaExpr : Expr { Params* params; Expr* body; };

struct Keyword {
  std::string_view name;  // empty: **value
  Expr* value;
  Position pos;
};
struct CallExpr : Expr {
  Expr* func;
  Exprs args;  // may hold kStarred
  ArenaSpan<Keyword> keywords;
};
struct AttributeExpr : Expr { Expr* value; std::string_view name; };
struct SubscriptExpr : Expr { Expr* value; Expr* index; };
struct SliceExpr : Expr { Expr* lower; Expr* upper; Expr* step; };  // each may be null
struct StarredExpr : Expr { Expr* value; };

struct CompFor {
  Expr* target;
  Expr* iter;
  Exprs ifs;
  Position pos;
  bool is_async = false;
};
enum class CompKind : uint8_t { kList, kSet, kDict, kGenerator };
struct ComprehensionExpr : Expr {
  CompKind comp;
  Expr* element;  // dict: the key
  Expr* value;    // dict only
  ArenaSpan<CompFor> fors;
};
struct JoinedStrExpr : Expr { Exprs parts; };  // kConstant (str) and kFormatted
struct FormattedExpr : Expr {
  Expr* value;
  uint8_t conversion;  // 0, or 's', 'r', 'a'
  Expr* spec;          // null, or kJoinedStr
};
struct YieldExpr : Expr { Expr* value; };  // kYield (value may be null), kYieldFrom, kAwait
struct WalrusExpr : Expr { NameExpr* target; Expr* value; };

enum class StmtKind : uint8_t {
  kExpr, kAssign, kAugAssign, kAnnAssign, kReturn, kDelete, kIf, kWhile, kFor, kBreak, kContinue, kPass, kFunction, kClass,
  kRaise, kTry, kWith, kImport, kImportFrom, kGlobal, kNonlocal, kAssert,
};

struct Stmt {
  StmtKind kind;
  Position pos;
};

struct ExprStmt : Stmt { Expr* value; };
struct AssignStmt : Stmt { Exprs targets; Expr* value; };
struct AugAssignStmt : Stmt { Expr* target; BinaryKind op; Expr* value; };
struct AnnAssignStmt : Stmt { Expr* target; Expr* annotation; Expr* value; bool simple; };
struct ReturnStmt : Stmt { Expr* value; };
struct DeleteStmt : Stmt { Exprs targets; };
struct IfArm { Expr* test; Body body; };
struct IfStmt : Stmt { ArenaSpan<IfArm> arms; Body orelse; };
struct WhileStmt : Stmt { Expr* test; Body body, orelse; };
struct ForStmt : Stmt { Expr* target; Expr* iter; Body body, orelse; bool is_async = false; };
struct FunctionStmt : Stmt {
  std::string_view name;
  Exprs decorators;
  Params* params;
  Expr* returns;
  Body body;
  uint32_t first_line;  // of the first decorator, if any
  bool is_async = false;
};
struct ClassStmt : Stmt {
  std::string_view name;
  Exprs decorators;
  Exprs bases;
  ArenaSpan<Keyword> keywords;
  Body body;
  uint32_t first_line;
};
struct RaiseStmt : Stmt { Expr* exc; Expr* cause; };
struct Handler { Expr* type; std::string_view name; Body body; Position pos; };
struct TryStmt : Stmt {
  Body body;
  ArenaSpan<Handler> handlers;
  Body orelse, finalbody;
  bool star = false;  // except*
};
struct WithItem { Expr* context; Expr* target; };
struct WithStmt : Stmt { ArenaSpan<WithItem> items; Body body; bool is_async = false; };
struct Alias { std::string_view name, asname; Position pos; };
struct ImportStmt : Stmt { ArenaSpan<Alias> names; };
struct ImportFromStmt : Stmt {
  std::string_view module;
  uint32_t level;
  ArenaSpan<Alias> names;
  bool at_beginning = false;  // of the file: only a docstring and others of __future__ are before it
};
struct NamesStmt : Stmt { Names names; };  // kGlobal, kNonlocal
struct AssertStmt : Stmt { Expr* test; Expr* message; };

struct Module {
  Body body;
  bool future_annotations = false;
};

}  // namespace tidepool::rt::lang

#endif  // TIDEPOOL_RUNTIME_LANG_AST_H_
