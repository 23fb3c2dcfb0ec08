// Syntax tree to bytecode. Declared here because the members are spread over compiler.cc (units, names, constants, functions,
// classes), compile_expr.cc, compile_call.cc, compile_stmt.cc and compile_try.cc. Entry point: CompileModule in compile.h.
//
// BLOCKS. While a statement's body is compiled, its block is on the unit's block stack. `return`, `break` and `continue`
// unwind the blocks that they leave, innermost first: they drop a for loop's iterator, call __exit__, run a finally body
// (compiled again at each such place), restore the handled exception. During that the exception handler in force is the one outside
// the unwound block.
#ifndef TIDEPOOL_RUNTIME_LANG_COMPILER_H_
#define TIDEPOOL_RUNTIME_LANG_COMPILER_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tidepool/runtime/lang/assembler.h"
#include "tidepool/runtime/lang/ast.h"
#include "tidepool/runtime/lang/compile.h"
#include "tidepool/runtime/lang/source.h"
#include "tidepool/runtime/lang/symtable.h"

namespace tidepool::rt::lang {

class Compiler {
 public:
  Compiler(const Source& source, const SymbolTable& symbols, const CompileOptions& options, SyntaxErrorInfo* error)
      : source_(source), symbols_(symbols), options_(options), error_(error) {}
  std::shared_ptr<CodeUnit> Compile(const Module& module);

 private:
  static constexpr int kMaxBlocks = 20;
  static constexpr int64_t kInstructionBudget = int64_t{1} << 21;

  enum class BlockKind : uint8_t {
    kWhile,           // break_label, continue_label
    kFor,             // the same; the iterator is on the stack
    kTry,             // a region with except handlers
    kFinallyTry,      // a region with a finally body, which is `node`
    kFinallyEnd,      // in the finally body after an exception: prev, exc on the stack
    kWith,            // a region; exit on the stack
    kAsyncWith,       // the same; what exit returns is awaited
    kHandler,         // in an except handler: prev on the stack; name to unbind if not empty
    kStarHandler,     // in an except* handler, which only its end or an exception leaves
    kPopValue,        // a value on the stack that must go (the return value below a finally body)
  };
  struct Block {
    BlockKind kind;
    Label break_label, continue_label;
    int outer_region;
    const TryStmt* node;
    std::string_view name;
    Position pos;
  };

  // One code unit under construction.
  struct Unit {
    Unit(Scope* s, int64_t* budget) : scope(s), as(budget) {}
    Scope* scope;
    Unit* parent = nullptr;
    std::shared_ptr<CodeUnit> code = std::make_shared<CodeUnit>();
    Assembler as;
    std::vector<Block> blocks;
    std::unordered_map<std::string, uint32_t> consts, names, locals, cells;  // cells: own and free
  };

  // --- compiler.cc
  bool Fail(const Position& pos, std::string message);
  bool failed() const { return failed_; }
  std::unique_ptr<Unit> Begin(Scope* scope, std::string name, uint32_t first_line);
  void SetParams(Unit* unit, const Params& params);
  void BeginSlots();  // after the parameters: other locals, cells, frees
  std::shared_ptr<CodeUnit> End(std::unique_ptr<Unit> unit);
  void Emit(Op op, uint32_t arg, const Position& pos, uint32_t extra = 0) { unit_->as.Emit(op, arg, pos, extra); }
  void EmitJump(Op op, Label label, const Position& pos) { unit_->as.EmitJump(op, label, pos); }
  Label NewLabel() { return unit_->as.NewLabel(); }
  void Bind(Label label) { unit_->as.Bind(label); }
  uint32_t AddConst(Const value);
  uint32_t AddName(std::string_view name);
  std::string Mangle(std::string_view name) const { return MangleName(unit_->scope->private_class, name); }
  void LoadConst(Const value, const Position& pos);
  void LoadText(std::string_view text, const Position& pos);
  void LoadNone(const Position& pos) { Emit(Op::kLoadNone, 0, pos); }
  void LoadName(std::string_view name, const Position& pos);
  void StoreName(std::string_view name, const Position& pos);
  void DeleteName(std::string_view name, const Position& pos);
  uint32_t SlotOf(const std::string& name, bool cell);
  void MakeFunction(const std::shared_ptr<CodeUnit>& code, Scope* scope, uint32_t flags, const Position& pos);
  bool Defaults(const Params& params, uint32_t* flags, const Position& pos);
  bool Annotations(const FunctionStmt* f, uint32_t* flags);
  bool AnnotationValue(const Expr* annotation);
  bool FunctionBody(const FunctionStmt* f);
  bool Function(const FunctionStmt* f);
  bool Class(const ClassStmt* c);
  bool Lambda(const LambdaExpr* l);
  std::string QualifiedName(const std::string& name, bool is_lambda_like) const;

  // --- compile_expr.cc
  bool Visit(const Expr* e);
  bool VisitName(const NameExpr* e);
  bool VisitDisplay(const SequenceExpr* e);
  bool BuildItems(const Exprs& items, size_t already, Op build, Op add, Op extend, const Position& pos);
  bool VisitDict(const DictExpr* e);
  bool VisitBinary(const BinaryExpr* e);
  void EmitBinary(BinaryKind op, bool inplace, const Position& pos);
  bool VisitBool(const BoolExpr* e);
  bool VisitCompare(const CompareExpr* e);
  bool VisitCompareRight(CompareKind op, const Expr* e);
  void EmitCompare(CompareKind op, const Position& pos);
  bool VisitSubscript(const SubscriptExpr* e);
  bool VisitSliceParts(const SliceExpr* s);
  bool VisitJoined(const JoinedStrExpr* e);
  bool VisitFormatted(const FormattedExpr* e);
  bool VisitComprehension(const ComprehensionExpr* e);
  bool ComprehensionLoops(const ComprehensionExpr* e, size_t i);
  // awaitable -- result.  what: 0 `await`, 1 __aenter__, 2 __aexit__ (for the message).
  void EmitAwait(uint32_t what, const Position& pos);
  // aiter -- aiter value, with a handler for the end that EndAsyncNext binds: aiter exc -- .
  int EmitAsyncNext(const Position& pos);
  void EndAsyncNext(int handler, const Position& pos);
  bool JumpIf(const Expr* e, Label target, bool when);

  // --- compile_call.cc
  bool VisitCall(const CallExpr* e);
  bool CallArguments(const Exprs& args, const ArenaSpan<Keyword>& keywords, uint32_t pushed, bool method, const Position& pos);
  bool CallEx(const Exprs& args, const ArenaSpan<Keyword>& keywords, uint32_t pushed, const Position& pos);
  bool CheckKeywords(const ArenaSpan<Keyword>& keywords);
  bool KeywordMap(const ArenaSpan<Keyword>& keywords, size_t first, size_t last, const Position& pos);

  // --- compile_stmt.cc
  bool Visit(const Body& body);
  bool Visit(const Stmt* s);
  bool Store(const Expr* target);
  bool Delete(const Expr* target);
  bool Unpack(const Exprs& items, const Position& pos);
  bool Assign(const AssignStmt* s);
  bool AugAssign(const AugAssignStmt* s);
  bool AnnAssign(const AnnAssignStmt* s);
  bool If(const IfStmt* s);
  bool While(const WhileStmt* s);
  bool For(const ForStmt* s);
  bool AsyncFor(const ForStmt* s);
  bool Return(const ReturnStmt* s);
  bool BreakOrContinue(const Stmt* s);
  bool Import(const ImportStmt* s);
  bool ImportFrom(const ImportFromStmt* s);
  bool Assert(const AssertStmt* s);

  // --- compile_try.cc
  bool PushBlock(BlockKind kind, const Position& pos, const TryStmt* node = nullptr, std::string_view name = {});
  void PopBlock() { unit_->blocks.pop_back(); }
  // Leaves blocks from the top down to index `keep`; their code is emitted, the stack of blocks stays as it was.
  bool UnwindTo(size_t keep, bool preserve_top, const Position& pos);
  bool Unwind(const Block& block, bool preserve_top, const Position& pos);
  bool Try(const TryStmt* s);
  bool TryExcept(const TryStmt* s);
  bool TryFinally(const TryStmt* s);
  bool Handlers(const TryStmt* s, Label end, int outer);  // outer: the region outside the try
  bool StarHandlers(const TryStmt* s, Label end, int outer);
  bool StarHandler(const Handler& h, int cleanup);
  void CleanupHandler(int handler, const Position& pos);
  void UnbindName(std::string_view name, const Position& pos);
  bool With(const WithStmt* s, size_t i);
  void CallExit(const Position& pos, bool is_async);

  const Source& source_;
  const SymbolTable& symbols_;
  const CompileOptions& options_;
  SyntaxErrorInfo* error_;
  Unit* unit_ = nullptr;
  int64_t budget_ = kInstructionBudget;
  bool failed_ = false;
  bool future_annotations_ = false;
};

}  // namespace tidepool::rt::lang

#endif  // TIDEPOOL_RUNTIME_LANG_COMPILER_H_
