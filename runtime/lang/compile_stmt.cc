// Statements other than try and with.
#include <utility>

#include "tidepool/runtime/lang/compiler.h"
#include "tidepool/runtime/lang/fold.h"

namespace tidepool::rt::lang {
namespace {

// Loop tests up to this height are compiled again at the bottom of the loop.
constexpr int kMaxRepeatedTest = 5;

bool RepeatableTest(const Expr* e) {
  if (e->height > kMaxRepeatedTest) return false;
  switch (e->kind) {
    case ExprKind::kName: return true;
    case ExprKind::kAttribute: return RepeatableTest(static_cast<const AttributeExpr*>(e)->value);
    case ExprKind::kConstant: return true;
    case ExprKind::kBinary: {
      auto* b = static_cast<const BinaryExpr*>(e);
      return RepeatableTest(b->left) && RepeatableTest(b->right);
    }
    case ExprKind::kSubscript: {
      auto* s = static_cast<const SubscriptExpr*>(e);
      return RepeatableTest(s->value) && RepeatableTest(s->index);
    }
    case ExprKind::kCall: {
      auto* c = static_cast<const CallExpr*>(e);
      if (!c->keywords.empty() || !RepeatableTest(c->func)) return false;
      for (const Expr* a : c->args) {
        if (!RepeatableTest(a)) return false;
      }
      return true;
    }
    case ExprKind::kCompare: {
      auto* c = static_cast<const CompareExpr*>(e);
      return c->ops.size == 1 && RepeatableTest(c->left) && RepeatableTest(c->rights[0]);
    }
    default: return false;
  }
}

}  // namespace

bool Compiler::Visit(const Body& body) {
  for (const Stmt* s : body) {
    if (!Visit(s)) return false;
  }
  return true;
}

bool Compiler::Visit(const Stmt* s) {
  if (failed_) return false;
  if (--budget_ <= 0) return Fail(s->pos, "code is too large");
  switch (s->kind) {
    case StmtKind::kExpr: {
      const Expr* e = static_cast<const ExprStmt*>(s)->value;
      const bool shown = options_.interactive && unit_->scope->kind == ScopeKind::kModule;
      if (e->kind == ExprKind::kConstant && !shown) return true;
      if (shown) LoadName("__displayhook__", s->pos);
      if (!Visit(e)) return false;
      if (shown) Emit(Op::kCall, 1, s->pos);
      Emit(Op::kPopTop, 0, s->pos);
      return true;
    }
    case StmtKind::kAssign: return Assign(static_cast<const AssignStmt*>(s));
    case StmtKind::kAugAssign: return AugAssign(static_cast<const AugAssignStmt*>(s));
    case StmtKind::kAnnAssign: return AnnAssign(static_cast<const AnnAssignStmt*>(s));
    case StmtKind::kReturn: return Return(static_cast<const ReturnStmt*>(s));
    case StmtKind::kDelete:
      for (const Expr* t : static_cast<const DeleteStmt*>(s)->targets) {
        if (!Delete(t)) return false;
      }
      return true;
    case StmtKind::kIf: return If(static_cast<const IfStmt*>(s));
    case StmtKind::kWhile: return While(static_cast<const WhileStmt*>(s));
    case StmtKind::kFor: return For(static_cast<const ForStmt*>(s));
    case StmtKind::kBreak:
    case StmtKind::kContinue: return BreakOrContinue(s);
    case StmtKind::kFunction: return Function(static_cast<const FunctionStmt*>(s));
    case StmtKind::kClass: return Class(static_cast<const ClassStmt*>(s));
    case StmtKind::kRaise: {
      auto* r = static_cast<const RaiseStmt*>(s);
      uint32_t n = 0;
      for (const Expr* e : {r->exc, r->cause}) {
        if (e == nullptr) continue;
        if (!Visit(e)) return false;
        n++;
      }
      Emit(Op::kRaise, n, s->pos);
      return true;
    }
    case StmtKind::kTry: return Try(static_cast<const TryStmt*>(s));
    case StmtKind::kWith: return With(static_cast<const WithStmt*>(s), 0);
    case StmtKind::kImport: return Import(static_cast<const ImportStmt*>(s));
    case StmtKind::kImportFrom: return ImportFrom(static_cast<const ImportFromStmt*>(s));
    case StmtKind::kAssert: return Assert(static_cast<const AssertStmt*>(s));
    case StmtKind::kPass:
    case StmtKind::kGlobal:
    case StmtKind::kNonlocal: return true;
  }
  return true;
}

bool Compiler::Unpack(const Exprs& items, const Position& pos) {
  size_t star = items.size;
  for (size_t i = 0; i < items.size; i++) {
    if (items[i]->kind != ExprKind::kStarred) continue;
    if (star != items.size) return Fail(pos, "multiple starred expressions in assignment");
    star = i;
  }
  if (star == items.size) {
    Emit(Op::kUnpackSequence, static_cast<uint32_t>(items.size), pos);
  } else {
    if (star > 0xfff || items.size - star - 1 > 0xfff) return Fail(pos, "too many expressions in star-unpacking assignment");
    Emit(Op::kUnpackEx, static_cast<uint32_t>(star | (items.size - star - 1) << 12), pos);
  }
  for (const Expr* item : items) {
    if (!Store(item->kind == ExprKind::kStarred ? static_cast<const StarredExpr*>(item)->value : item)) return false;
  }
  return true;
}

// Stores the top of the stack.
bool Compiler::Store(const Expr* t) {
  if (failed_) return false;
  switch (t->kind) {
    case ExprKind::kName: StoreName(static_cast<const NameExpr*>(t)->name, t->pos); return true;
    case ExprKind::kAttribute: {
      auto* a = static_cast<const AttributeExpr*>(t);
      if (!Visit(a->value)) return false;
      Emit(Op::kStoreAttr, AddName(Mangle(a->name)), t->pos);
      return true;
    }
    case ExprKind::kSubscript: {
      auto* s = static_cast<const SubscriptExpr*>(t);
      if (!Visit(s->value)) return false;
      if (s->index->kind == ExprKind::kSlice && static_cast<const SliceExpr*>(s->index)->step == nullptr) {
        if (!VisitSliceParts(static_cast<const SliceExpr*>(s->index))) return false;
        Emit(Op::kStoreSlice, 0, t->pos);
        return true;
      }
      if (!Visit(s->index)) return false;
      Emit(Op::kStoreSubscr, 0, t->pos);
      return true;
    }
    case ExprKind::kTuple:
    case ExprKind::kList: return Unpack(static_cast<const SequenceExpr*>(t)->items, t->pos);
    default: return Fail(t->pos, "cannot assign to expression");
  }
}

bool Compiler::Delete(const Expr* t) {
  switch (t->kind) {
    case ExprKind::kName: DeleteName(static_cast<const NameExpr*>(t)->name, t->pos); return true;
    case ExprKind::kAttribute: {
      auto* a = static_cast<const AttributeExpr*>(t);
      if (!Visit(a->value)) return false;
      Emit(Op::kDeleteAttr, AddName(Mangle(a->name)), t->pos);
      return true;
    }
    case ExprKind::kSubscript: {
      auto* s = static_cast<const SubscriptExpr*>(t);
      if (!Visit(s->value) || !Visit(s->index)) return false;
      Emit(Op::kDeleteSubscr, 0, t->pos);
      return true;
    }
    case ExprKind::kTuple:
    case ExprKind::kList:
      for (const Expr* item : static_cast<const SequenceExpr*>(t)->items) {
        if (!Delete(item)) return false;
      }
      return true;
    default: return Fail(t->pos, "cannot delete expression");
  }
}

bool Compiler::Assign(const AssignStmt* s) {
  // a, b = x, y: no tuple is made.
  if (s->targets.size == 1 && s->value->kind == ExprKind::kTuple &&
      (s->targets[0]->kind == ExprKind::kTuple || s->targets[0]->kind == ExprKind::kList)) {
    const Exprs& to = static_cast<const SequenceExpr*>(s->targets[0])->items;
    const Exprs& from = static_cast<const SequenceExpr*>(s->value)->items;
    bool simple = to.size == from.size && (to.size == 2 || to.size == 3);
    for (size_t i = 0; simple && i < to.size; i++) simple = to[i]->kind != ExprKind::kStarred && from[i]->kind != ExprKind::kStarred;
    if (simple) {
      for (const Expr* e : from) {
        if (!Visit(e)) return false;
      }
      Emit(Op::kSwap, static_cast<uint32_t>(to.size), s->pos);
      for (const Expr* t : to) {
        if (!Store(t)) return false;
      }
      return true;
    }
  }
  if (!Visit(s->value)) return false;
  for (size_t i = 0; i < s->targets.size; i++) {
    if (i + 1 < s->targets.size) Emit(Op::kCopy, 1, s->pos);
    if (!Store(s->targets[i])) return false;
  }
  return true;
}

bool Compiler::AugAssign(const AugAssignStmt* s) {
  const Expr* t = s->target;
  if (t->kind == ExprKind::kName) {
    std::string_view name = static_cast<const NameExpr*>(t)->name;
    LoadName(name, t->pos);
    if (!Visit(s->value)) return false;
    EmitBinary(s->op, true, s->pos);
    StoreName(name, t->pos);
    return true;
  }
  if (t->kind == ExprKind::kAttribute) {
    auto* a = static_cast<const AttributeExpr*>(t);
    uint32_t name = AddName(Mangle(a->name));
    if (!Visit(a->value)) return false;
    Emit(Op::kCopy, 1, t->pos);
    Emit(Op::kLoadAttr, name, t->pos);
    if (!Visit(s->value)) return false;
    EmitBinary(s->op, true, s->pos);
    Emit(Op::kSwap, 2, t->pos);
    Emit(Op::kStoreAttr, name, t->pos);
    return true;
  }
  auto* sub = static_cast<const SubscriptExpr*>(t);
  if (!Visit(sub->value)) return false;
  bool slice = sub->index->kind == ExprKind::kSlice && static_cast<const SliceExpr*>(sub->index)->step == nullptr;
  uint32_t parts = slice ? 3 : 2;
  if (slice ? !VisitSliceParts(static_cast<const SliceExpr*>(sub->index)) : !Visit(sub->index)) return false;
  for (uint32_t i = 0; i < parts; i++) Emit(Op::kCopy, parts, t->pos);
  Emit(slice ? Op::kBinarySlice : Op::kBinarySubscr, 0, t->pos);
  if (!Visit(s->value)) return false;
  EmitBinary(s->op, true, s->pos);
  for (uint32_t i = parts + 1; i >= 2; i--) Emit(Op::kSwap, i, t->pos);  // the result goes below the parts
  Emit(slice ? Op::kStoreSlice : Op::kStoreSubscr, 0, t->pos);
  return true;
}

bool Compiler::AnnAssign(const AnnAssignStmt* s) {
  if (s->value != nullptr) {
    if (!Visit(s->value) || !Store(s->target)) return false;
  } else if (s->target->kind == ExprKind::kAttribute) {
    if (!Visit(static_cast<const AttributeExpr*>(s->target)->value)) return false;
    Emit(Op::kPopTop, 0, s->pos);
  } else if (s->target->kind == ExprKind::kSubscript) {
    auto* sub = static_cast<const SubscriptExpr*>(s->target);
    if (!Visit(sub->value)) return false;
    Emit(Op::kPopTop, 0, s->pos);
    if (!Visit(sub->index)) return false;
    Emit(Op::kPopTop, 0, s->pos);
  }
  if (unit_->scope->kind == ScopeKind::kFunction || !s->simple) return true;
  if (!AnnotationValue(s->annotation)) return false;
  LoadName("__annotations__", s->pos);
  LoadText(Mangle(static_cast<const NameExpr*>(s->target)->name), s->pos);
  Emit(Op::kStoreSubscr, 0, s->pos);
  return true;
}

bool Compiler::If(const IfStmt* s) {
  Label end = NewLabel();
  for (size_t i = 0; i < s->arms.size; i++) {
    const IfArm& arm = s->arms[i];
    Label next = NewLabel();
    if (!JumpIf(arm.test, next, false) || !Visit(arm.body)) return false;
    if (i + 1 < s->arms.size || !s->orelse.empty()) EmitJump(Op::kJump, end, arm.test->pos);
    Bind(next);
  }
  if (!Visit(s->orelse)) return false;
  Bind(end);
  return true;
}

bool Compiler::While(const WhileStmt* s) {
  Label start = NewLabel(), body = NewLabel(), orelse = NewLabel(), end = NewLabel();
  if (!PushBlock(BlockKind::kWhile, s->pos)) return false;
  unit_->blocks.back().break_label = end;
  unit_->blocks.back().continue_label = start;
  Bind(start);
  if (!JumpIf(s->test, orelse, false)) return false;
  Bind(body);
  if (!Visit(s->body)) return false;
  if (ConstantTruth(s->test) < 0 && RepeatableTest(s->test)) {
    if (!Visit(s->test)) return false;
    EmitJump(Op::kPopJumpBackIfTrue, body, s->test->pos);
  } else {
    EmitJump(Op::kJumpBack, start, s->test->pos);
  }
  PopBlock();
  Bind(orelse);
  if (!Visit(s->orelse)) return false;
  Bind(end);
  return true;
}

bool Compiler::AsyncFor(const ForStmt* s) {
  Label start = NewLabel(), end = NewLabel();
  if (!Visit(s->iter)) return false;
  Emit(Op::kGetAiter, 0, s->pos);
  if (!PushBlock(BlockKind::kFor, s->pos)) return false;
  unit_->blocks.back().break_label = end;
  unit_->blocks.back().continue_label = start;
  Bind(start);
  const int handler = EmitAsyncNext(s->pos);
  if (!Store(s->target) || !Visit(s->body)) return false;
  EmitJump(Op::kJumpBack, start, s->iter->pos);
  PopBlock();
  EndAsyncNext(handler, s->iter->pos);
  if (!Visit(s->orelse)) return false;
  Bind(end);
  return true;
}

bool Compiler::For(const ForStmt* s) {
  if (s->is_async) return AsyncFor(s);
  Label start = NewLabel(), orelse = NewLabel(), end = NewLabel();
  // A display of constants is iterated as a constant tuple.
  Const folded;
  SequenceExpr tuple;
  bool constant = false;
  if (s->iter->kind == ExprKind::kList) {
    tuple = *static_cast<const SequenceExpr*>(s->iter);
    tuple.kind = ExprKind::kTuple;
    constant = ConstantValue(&tuple, &folded);
  }
  if (constant) {
    LoadConst(std::move(folded), s->iter->pos);
  } else if (!Visit(s->iter)) {
    return false;
  }
  Emit(Op::kGetIter, 0, s->pos);
  if (!PushBlock(BlockKind::kFor, s->pos)) return false;
  unit_->blocks.back().break_label = end;
  unit_->blocks.back().continue_label = start;
  Bind(start);
  EmitJump(Op::kForIter, orelse, s->pos);
  if (!Store(s->target) || !Visit(s->body)) return false;
  EmitJump(Op::kJumpBack, start, s->iter->pos);
  PopBlock();
  Bind(orelse);
  if (!Visit(s->orelse)) return false;
  Bind(end);
  return true;
}

bool Compiler::Return(const ReturnStmt* s) {
  if (unit_->scope->kind != ScopeKind::kFunction) return Fail(s->pos, "'return' outside function");
  if (s->value != nullptr && unit_->scope->coroutine && unit_->scope->generator) {
    return Fail(s->pos, "'return' with value in async generator");
  }
  Const value;
  bool constant = s->value == nullptr || ConstantValue(s->value, &value);
  if (!constant && !Visit(s->value)) return false;
  int region = unit_->as.region();
  if (!UnwindTo(0, !constant, s->pos)) return false;
  if (constant) {
    Emit(Op::kReturnConst, AddConst(std::move(value)), s->pos);
  } else {
    Emit(Op::kReturnValue, 0, s->pos);
  }
  unit_->as.EnterRegion(region);
  return true;
}

bool Compiler::BreakOrContinue(const Stmt* s) {
  bool is_break = s->kind == StmtKind::kBreak;
  size_t i = unit_->blocks.size();
  while (i > 0 && unit_->blocks[i - 1].kind != BlockKind::kWhile && unit_->blocks[i - 1].kind != BlockKind::kFor) i--;
  if (i == 0) return Fail(s->pos, is_break ? "'break' outside loop" : "'continue' not properly in loop");
  Block loop = unit_->blocks[i - 1];
  int region = unit_->as.region();
  if (!UnwindTo(i, false, s->pos)) return false;
  if (is_break) {
    if (loop.kind == BlockKind::kFor) Emit(Op::kPopTop, 0, s->pos);
    EmitJump(Op::kJump, loop.break_label, s->pos);
  } else {
    EmitJump(Op::kJumpBack, loop.continue_label, s->pos);
  }
  unit_->as.EnterRegion(region);
  return true;
}

bool Compiler::Import(const ImportStmt* s) {
  for (const Alias& a : s->names) {
    Emit(Op::kLoadInt, 0, s->pos);
    LoadNone(s->pos);
    Emit(Op::kImportName, AddName(a.name), s->pos);
    if (a.asname.empty()) {
      StoreName(a.name.substr(0, a.name.find('.')), s->pos);
      continue;
    }
    for (size_t dot = a.name.find('.'); dot != std::string_view::npos;) {
      size_t next = a.name.find('.', dot + 1);
      Emit(Op::kImportFrom, AddName(a.name.substr(dot + 1, next == std::string_view::npos ? next : next - dot - 1)), s->pos);
      Emit(Op::kSwap, 2, s->pos);
      Emit(Op::kPopTop, 0, s->pos);
      dot = next;
    }
    StoreName(a.asname, s->pos);
  }
  return true;
}

bool Compiler::ImportFrom(const ImportFromStmt* s) {
  if (s->level == 0 && s->module == "__future__") {  // the parser has seen to it
    return s->at_beginning || Fail(s->pos, "from __future__ imports must occur at the beginning of the file");
  }
  Const names;
  names.kind = Const::Kind::kTuple;
  for (const Alias& a : s->names) {
    Const name;
    name.kind = Const::Kind::kStr;
    name.s = std::string(a.name);
    names.items.push_back(std::move(name));
  }
  Emit(Op::kLoadInt, s->level, s->pos);
  LoadConst(std::move(names), s->pos);
  Emit(Op::kImportName, AddName(s->module), s->pos);
  for (const Alias& a : s->names) {
    Emit(Op::kImportFrom, AddName(a.name), s->pos);
    StoreName(a.asname.empty() ? a.name : a.asname, s->pos);
  }
  Emit(Op::kPopTop, 0, s->pos);
  return true;
}

bool Compiler::Assert(const AssertStmt* s) {
  if (options_.optimize_asserts) return true;
  Label end = NewLabel();
  if (!JumpIf(s->test, end, true)) return false;
  Emit(Op::kLoadAssertionError, 0, s->test->pos);
  if (s->message != nullptr) {
    if (!Visit(s->message)) return false;
    Emit(Op::kCall, 1, s->test->pos);
  }
  Emit(Op::kRaise, 1, s->test->pos);
  Bind(end);
  return true;
}

}  // namespace tidepool::rt::lang
