// Expressions.
#include <utility>

#include "tidepool/runtime/lang/compiler.h"
#include "tidepool/runtime/lang/fold.h"

namespace tidepool::rt::lang {
namespace {

// Displays longer than this grow item by item, which keeps the stack small.
constexpr size_t kMaxOnStack = 30;

const char* CodeName(CompKind kind) {
  switch (kind) {
    case CompKind::kList: return "<listcomp>";
    case CompKind::kSet: return "<setcomp>";
    case CompKind::kDict: return "<dictcomp>";
    default: return "<genexpr>";
  }
}

bool IsNone(const Expr* e) {
  return e->kind == ExprKind::kConstant && static_cast<const ConstantExpr*>(e)->value->kind == Const::Kind::kNone;
}

}  // namespace

bool Compiler::Visit(const Expr* e) {
  if (failed_) return false;
  switch (e->kind) {
    case ExprKind::kConstant: LoadConst(*static_cast<const ConstantExpr*>(e)->value, e->pos); return true;
    case ExprKind::kName: return VisitName(static_cast<const NameExpr*>(e));
    case ExprKind::kTuple:
    case ExprKind::kList:
    case ExprKind::kSet: return VisitDisplay(static_cast<const SequenceExpr*>(e));
    case ExprKind::kDict: return VisitDict(static_cast<const DictExpr*>(e));
    case ExprKind::kUnary: {
      auto* u = static_cast<const UnaryExpr*>(e);
      if (!Visit(u->operand)) return false;
      static constexpr Op kOps[] = {Op::kUnaryNegative, Op::kUnaryPositive, Op::kUnaryInvert, Op::kUnaryNot};
      Emit(kOps[static_cast<int>(u->op)], 0, e->pos);
      return true;
    }
    case ExprKind::kBinary: return VisitBinary(static_cast<const BinaryExpr*>(e));
    case ExprKind::kBool: return VisitBool(static_cast<const BoolExpr*>(e));
    case ExprKind::kCompare: return VisitCompare(static_cast<const CompareExpr*>(e));
    case ExprKind::kConditional: {
      auto* c = static_cast<const ConditionalExpr*>(e);
      Label orelse = NewLabel(), end = NewLabel();
      if (!JumpIf(c->test, orelse, false) || !Visit(c->body)) return false;
      EmitJump(Op::kJump, end, e->pos);
      Bind(orelse);
      if (!Visit(c->orelse)) return false;
      Bind(end);
      return true;
    }
    case ExprKind::kLambda: return Lambda(static_cast<const LambdaExpr*>(e));
    case ExprKind::kCall: return VisitCall(static_cast<const CallExpr*>(e));
    case ExprKind::kAttribute: {
      auto* a = static_cast<const AttributeExpr*>(e);
      if (!Visit(a->value)) return false;
      Emit(Op::kLoadAttr, AddName(Mangle(a->name)), e->pos);
      return true;
    }
    case ExprKind::kSubscript: return VisitSubscript(static_cast<const SubscriptExpr*>(e));
    case ExprKind::kSlice: {
      auto* s = static_cast<const SliceExpr*>(e);
      if (!VisitSliceParts(s)) return false;
      if (s->step != nullptr && !Visit(s->step)) return false;
      Emit(Op::kBuildSlice, s->step != nullptr ? 3 : 2, e->pos);
      return true;
    }
    case ExprKind::kStarred: return Fail(e->pos, "can't use starred expression here");
    case ExprKind::kComprehension: return VisitComprehension(static_cast<const ComprehensionExpr*>(e));
    case ExprKind::kJoinedStr: return VisitJoined(static_cast<const JoinedStrExpr*>(e));
    case ExprKind::kFormatted: return VisitFormatted(static_cast<const FormattedExpr*>(e));
    case ExprKind::kYield: {
      auto* y = static_cast<const YieldExpr*>(e);
      if (y->value == nullptr) {
        LoadNone(e->pos);
      } else if (!Visit(y->value)) {
        return false;
      }
      Emit(Op::kYieldValue, 0, e->pos);
      return true;
    }
    case ExprKind::kYieldFrom:
      if (!Visit(static_cast<const YieldExpr*>(e)->value)) return false;
      Emit(Op::kGetYieldFromIter, 0, e->pos);
      LoadNone(e->pos);
      Emit(Op::kYieldFrom, 0, e->pos);
      return true;
    case ExprKind::kAwait:
      if (!Visit(static_cast<const YieldExpr*>(e)->value)) return false;
      EmitAwait(0, e->pos);
      return true;
    case ExprKind::kWalrus: {
      auto* w = static_cast<const WalrusExpr*>(e);
      if (!Visit(w->value)) return false;
      Emit(Op::kCopy, 1, e->pos);
      StoreName(w->target->name, w->target->pos);
      return true;
    }
  }
  return true;
}

bool Compiler::VisitName(const NameExpr* e) {
  if (e->name == "__debug__") {
    Emit(options_.optimize_asserts ? Op::kLoadFalse : Op::kLoadTrue, 0, e->pos);
  } else {
    LoadName(e->name, e->pos);
  }
  return true;
}

// A list or set of `items` with `already` values on the stack that come first.
bool Compiler::BuildItems(const Exprs& items, size_t already, Op build, Op add, Op extend, const Position& pos) {
  bool star = false;
  for (const Expr* item : items) star |= item->kind == ExprKind::kStarred;
  bool built = false;
  if (!star && items.size + already <= kMaxOnStack) {
    for (const Expr* item : items) {
      if (!Visit(item)) return false;
    }
    Emit(build, static_cast<uint32_t>(items.size + already), pos);
    return true;
  }
  uint32_t pending = static_cast<uint32_t>(already);
  if (items.size + already > kMaxOnStack) {
    Emit(build, pending, pos);
    built = true;
  }
  for (const Expr* item : items) {
    if (item->kind == ExprKind::kStarred) {
      if (!built) {
        Emit(build, pending, pos);
        built = true;
      }
      if (!Visit(static_cast<const StarredExpr*>(item)->value)) return false;
      Emit(extend, 1, pos);
    } else {
      if (!Visit(item)) return false;
      if (built) {
        Emit(add, 1, pos);
      } else {
        pending++;
      }
    }
  }
  return true;
}

bool Compiler::VisitDisplay(const SequenceExpr* e) {
  Const folded;
  if (e->kind == ExprKind::kTuple) {
    if (ConstantValue(e, &folded)) {
      LoadConst(std::move(folded), e->pos);
      return true;
    }
    bool plain = e->items.size <= kMaxOnStack;
    for (const Expr* item : e->items) plain &= item->kind != ExprKind::kStarred;
    if (plain) return BuildItems(e->items, 0, Op::kBuildTuple, Op::kListAppend, Op::kListExtend, e->pos);
    if (!BuildItems(e->items, 0, Op::kBuildList, Op::kListAppend, Op::kListExtend, e->pos)) return false;
    Emit(Op::kListToTuple, 0, e->pos);
    return true;
  }
  bool list = e->kind == ExprKind::kList;
  Op build = list ? Op::kBuildList : Op::kBuildSet, add = list ? Op::kListAppend : Op::kSetAdd,
     extend = list ? Op::kListExtend : Op::kSetUpdate;
  if (e->items.size >= 3) {
    SequenceExpr tuple = *e;
    tuple.kind = ExprKind::kTuple;
    if (ConstantValue(&tuple, &folded)) {
      Emit(build, 0, e->pos);
      LoadConst(std::move(folded), e->pos);
      Emit(extend, 1, e->pos);
      return true;
    }
  }
  return BuildItems(e->items, 0, build, add, extend, e->pos);
}

bool Compiler::VisitDict(const DictExpr* e) {
  bool plain = true, constant_keys = e->keys.size >= 2;
  Const keys;
  keys.kind = Const::Kind::kTuple;
  for (const Expr* k : e->keys) {
    plain &= k != nullptr;
    keys.items.emplace_back();
    constant_keys = constant_keys && k != nullptr && ConstantValue(k, &keys.items.back());
  }
  if (plain && e->keys.size <= kMaxOnStack / 2) {
    for (size_t i = 0; i < e->keys.size; i++) {
      if ((!constant_keys && !Visit(e->keys[i])) || !Visit(e->values[i])) return false;
    }
    if (constant_keys) {
      LoadConst(std::move(keys), e->pos);
      Emit(Op::kBuildConstKeyMap, static_cast<uint32_t>(e->keys.size), e->pos);
    } else {
      Emit(Op::kBuildMap, static_cast<uint32_t>(e->keys.size), e->pos);
    }
    return true;
  }
  Emit(Op::kBuildMap, 0, e->pos);
  for (size_t i = 0; i < e->keys.size; i++) {
    if (e->keys[i] != nullptr && !Visit(e->keys[i])) return false;
    if (!Visit(e->values[i])) return false;
    Emit(e->keys[i] != nullptr ? Op::kMapAdd : Op::kDictUpdate, 1, e->pos);
  }
  return true;
}

void Compiler::EmitBinary(BinaryKind op, bool inplace, const Position& pos) {
  switch (op) {
    case BinaryKind::kAdd: return Emit(inplace ? Op::kInplaceAdd : Op::kBinaryAdd, 0, pos);
    case BinaryKind::kSub: return Emit(inplace ? Op::kInplaceSub : Op::kBinarySub, 0, pos);
    case BinaryKind::kMul:
      if (!inplace) return Emit(Op::kBinaryMul, 0, pos);
      [[fallthrough]];
    default: return Emit(inplace ? Op::kInplaceOp : Op::kBinaryOp, static_cast<uint32_t>(op), pos);
  }
}

bool Compiler::VisitBinary(const BinaryExpr* e) {
  if (!Visit(e->left) || !Visit(e->right)) return false;
  EmitBinary(e->op, false, e->pos);
  return true;
}

bool Compiler::VisitBool(const BoolExpr* e) {
  Label end = NewLabel();
  for (size_t i = 0; i < e->values.size; i++) {
    if (!Visit(e->values[i])) return false;
    if (i + 1 < e->values.size) EmitJump(e->is_and ? Op::kJumpIfFalseOrPop : Op::kJumpIfTrueOrPop, end, e->pos);
  }
  Bind(end);
  return true;
}

void Compiler::EmitCompare(CompareKind op, const Position& pos) {
  static constexpr Op kOps[] = {Op::kCompareLt, Op::kCompareLe, Op::kCompareEq, Op::kCompareNe,  Op::kCompareGt,
                                Op::kCompareGe, Op::kIsOp,      Op::kIsNotOp,   Op::kContainsOp, Op::kNotContainsOp};
  Emit(kOps[static_cast<int>(op)], 0, pos);
}

// `x in [1, 2]` looks in a constant tuple, `x in {1, 2}` in a constant frozenset.
bool Compiler::VisitCompareRight(CompareKind op, const Expr* e) {
  if ((op == CompareKind::kIn || op == CompareKind::kNotIn) && (e->kind == ExprKind::kList || e->kind == ExprKind::kSet)) {
    SequenceExpr tuple = *static_cast<const SequenceExpr*>(e);
    tuple.kind = ExprKind::kTuple;
    Const folded;
    if (ConstantValue(&tuple, &folded)) {
      if (e->kind == ExprKind::kSet) folded.kind = Const::Kind::kFrozenSet;
      LoadConst(std::move(folded), e->pos);
      return true;
    }
  }
  return Visit(e);
}

bool Compiler::VisitCompare(const CompareExpr* e) {
  if (!Visit(e->left)) return false;
  size_t last = e->ops.size - 1;
  if (last == 0) {
    if (!VisitCompareRight(e->ops[0], e->rights[0])) return false;
    EmitCompare(e->ops[0], e->pos);
    return true;
  }
  Label cleanup = NewLabel(), end = NewLabel();
  for (size_t i = 0; i < last; i++) {
    if (!VisitCompareRight(e->ops[i], e->rights[i])) return false;
    Emit(Op::kSwap, 2, e->pos);
    Emit(Op::kCopy, 2, e->pos);
    EmitCompare(e->ops[i], e->pos);
    EmitJump(Op::kJumpIfFalseOrPop, cleanup, e->pos);
  }
  if (!VisitCompareRight(e->ops[last], e->rights[last])) return false;
  EmitCompare(e->ops[last], e->pos);
  EmitJump(Op::kJump, end, e->pos);
  Bind(cleanup);
  Emit(Op::kSwap, 2, e->pos);
  Emit(Op::kPopTop, 0, e->pos);
  Bind(end);
  return true;
}

bool Compiler::VisitSliceParts(const SliceExpr* s) {
  for (const Expr* part : {s->lower, s->upper}) {
    if (part == nullptr) {
      LoadNone(s->pos);
    } else if (!Visit(part)) {
      return false;
    }
  }
  return true;
}

bool Compiler::VisitSubscript(const SubscriptExpr* e) {
  if (!Visit(e->value)) return false;
  if (e->index->kind == ExprKind::kSlice && static_cast<const SliceExpr*>(e->index)->step == nullptr) {
    if (!VisitSliceParts(static_cast<const SliceExpr*>(e->index))) return false;
    Emit(Op::kBinarySlice, 0, e->pos);
    return true;
  }
  if (!Visit(e->index)) return false;
  Emit(Op::kBinarySubscr, 0, e->pos);
  return true;
}

bool Compiler::VisitJoined(const JoinedStrExpr* e) {
  if (e->parts.empty()) {
    LoadText("", e->pos);
    return true;
  }
  for (const Expr* part : e->parts) {
    if (!Visit(part)) return false;
  }
  if (e->parts.size != 1) Emit(Op::kBuildString, static_cast<uint32_t>(e->parts.size), e->pos);
  return true;
}

bool Compiler::VisitFormatted(const FormattedExpr* e) {
  if (!Visit(e->value)) return false;
  uint32_t flags = e->conversion == 's' ? 1 : e->conversion == 'r' ? 2 : e->conversion == 'a' ? 3 : 0;
  if (e->spec != nullptr) {
    if (!Visit(e->spec)) return false;
    flags |= 4;
  }
  Emit(Op::kFormatValue, flags, e->pos);
  return true;
}

// The hidden function's loops; its result, but for a generator expression, is below the iterators.
bool Compiler::ComprehensionLoops(const ComprehensionExpr* e, size_t i) {
  const CompFor& f = e->fors[i];
  Label start = NewLabel(), next = NewLabel(), end = NewLabel();
  if (i == 0) {
    Emit(Op::kLoadFast, 0, e->pos);
  } else {
    if (!Visit(f.iter)) return false;
    Emit(f.is_async ? Op::kGetAiter : Op::kGetIter, 0, e->pos);
  }
  Bind(start);
  int handler = -1;
  if (f.is_async) {
    handler = EmitAsyncNext(e->pos);
  } else {
    EmitJump(Op::kForIter, end, e->pos);
  }
  if (!Store(f.target)) return false;
  for (const Expr* condition : f.ifs) {
    if (!JumpIf(condition, next, false)) return false;
  }
  uint32_t depth = static_cast<uint32_t>(e->fors.size) + 1;
  if (i + 1 < e->fors.size) {
    if (!ComprehensionLoops(e, i + 1)) return false;
  } else {
    if (!Visit(e->element)) return false;
    switch (e->comp) {
      case CompKind::kList: Emit(Op::kListAppend, depth, e->pos); break;
      case CompKind::kSet: Emit(Op::kSetAdd, depth, e->pos); break;
      case CompKind::kDict:
        if (!Visit(e->value)) return false;
        Emit(Op::kMapAdd, depth, e->pos);
        break;
      case CompKind::kGenerator:
        Emit(Op::kYieldValue, 0, e->pos);
        Emit(Op::kPopTop, 0, e->pos);
        break;
    }
  }
  Bind(next);
  EmitJump(Op::kJumpBack, start, e->pos);
  if (f.is_async) EndAsyncNext(handler, e->pos);
  Bind(end);
  return true;
}

void Compiler::EmitAwait(uint32_t what, const Position& pos) {
  Emit(Op::kGetAwaitable, what, pos);
  LoadNone(pos);
  Emit(Op::kYieldFrom, 0, pos);
}

int Compiler::EmitAsyncNext(const Position& pos) {
  Assembler& as = unit_->as;
  const int handler = as.NewHandler(NewLabel());
  const int outer = as.EnterRegion(handler);
  Emit(Op::kGetAnext, 0, pos);
  LoadNone(pos);
  Emit(Op::kYieldFrom, 0, pos);
  as.EnterRegion(outer);
  return handler;
}

void Compiler::EndAsyncNext(int handler, const Position& pos) {
  unit_->as.BindHandler(handler);
  Emit(Op::kEndAsyncFor, 0, pos);
}

bool Compiler::VisitComprehension(const ComprehensionExpr* e) {
  Scope* scope = symbols_.Of(e);
  std::unique_ptr<Unit> unit = Begin(scope, CodeName(e->comp), e->pos.line);
  CodeUnit& code = *unit->code;
  code.flags |= kComprehension;
  if (e->comp == CompKind::kGenerator) code.flags |= kGenerator;
  if (scope->coroutine) code.flags |= kGenerator | (scope->generator ? kAsyncGenerator : kCoroutine);
  code.argcount = code.posonlyargcount = 1;
  code.slots.push_back({".0", SlotKind::kLocal});
  BeginSlots();
  switch (e->comp) {
    case CompKind::kList: Emit(Op::kBuildList, 0, e->pos); break;
    case CompKind::kSet: Emit(Op::kBuildSet, 0, e->pos); break;
    case CompKind::kDict: Emit(Op::kBuildMap, 0, e->pos); break;
    case CompKind::kGenerator: break;
  }
  if (ComprehensionLoops(e, 0) && e->comp != CompKind::kGenerator) Emit(Op::kReturnValue, 0, e->pos);
  std::shared_ptr<CodeUnit> result = End(std::move(unit));
  if (result == nullptr) return false;
  MakeFunction(result, scope, 0, e->pos);
  if (!Visit(e->fors[0].iter)) return false;
  Emit(e->fors[0].is_async ? Op::kGetAiter : Op::kGetIter, 0, e->pos);
  Emit(Op::kCall, 1, e->pos);
  if (scope->coroutine && !scope->generator) EmitAwait(0, e->pos);
  return true;
}

// Jumps to target if the truth of e is `when`, else falls through; leaves nothing on the stack.
bool Compiler::JumpIf(const Expr* e, Label target, bool when) {
  if (failed_) return false;
  int truth = ConstantTruth(e);
  if (truth >= 0) {
    if ((truth == 1) == when) EmitJump(Op::kJump, target, e->pos);
    return true;
  }
  switch (e->kind) {
    case ExprKind::kUnary: {
      auto* u = static_cast<const UnaryExpr*>(e);
      if (u->op == UnaryKind::kNot) return JumpIf(u->operand, target, !when);
      break;
    }
    case ExprKind::kBool: {
      auto* b = static_cast<const BoolExpr*>(e);
      // `and` is decided early by a false value, `or` by a true one.
      bool decided = !b->is_and;
      Label skip = decided == when ? target : NewLabel();
      for (size_t i = 0; i + 1 < b->values.size; i++) {
        if (!JumpIf(b->values[i], skip, decided)) return false;
      }
      if (!JumpIf(b->values[b->values.size - 1], target, when)) return false;
      if (skip != target) Bind(skip);
      return true;
    }
    case ExprKind::kConditional: {
      auto* c = static_cast<const ConditionalExpr*>(e);
      Label orelse = NewLabel(), end = NewLabel();
      if (!JumpIf(c->test, orelse, false) || !JumpIf(c->body, target, when)) return false;
      EmitJump(Op::kJump, end, e->pos);
      Bind(orelse);
      if (!JumpIf(c->orelse, target, when)) return false;
      Bind(end);
      return true;
    }
    case ExprKind::kCompare: {
      auto* c = static_cast<const CompareExpr*>(e);
      if (c->ops.size == 1 && (c->ops[0] == CompareKind::kIs || c->ops[0] == CompareKind::kIsNot) && IsNone(c->rights[0])) {
        if (!Visit(c->left)) return false;
        bool jump_if_none = (c->ops[0] == CompareKind::kIs) == when;
        EmitJump(jump_if_none ? Op::kPopJumpIfNone : Op::kPopJumpIfNotNone, target, e->pos);
        return true;
      }
      if (c->ops.size == 1) break;
      if (!Visit(c->left)) return false;
      size_t last = c->ops.size - 1;
      Label cleanup = NewLabel(), end = NewLabel();
      for (size_t i = 0; i < last; i++) {
        if (!VisitCompareRight(c->ops[i], c->rights[i])) return false;
        Emit(Op::kSwap, 2, e->pos);
        Emit(Op::kCopy, 2, e->pos);
        EmitCompare(c->ops[i], e->pos);
        EmitJump(Op::kPopJumpIfFalse, cleanup, e->pos);
      }
      if (!VisitCompareRight(c->ops[last], c->rights[last])) return false;
      EmitCompare(c->ops[last], e->pos);
      EmitJump(when ? Op::kPopJumpIfTrue : Op::kPopJumpIfFalse, target, e->pos);
      EmitJump(Op::kJump, end, e->pos);
      Bind(cleanup);
      Emit(Op::kPopTop, 0, e->pos);
      if (!when) EmitJump(Op::kJump, target, e->pos);
      Bind(end);
      return true;
    }
    default: break;
  }
  if (!Visit(e)) return false;
  EmitJump(when ? Op::kPopJumpIfTrue : Op::kPopJumpIfFalse, target, e->pos);
  return true;
}

}  // namespace tidepool::rt::lang
