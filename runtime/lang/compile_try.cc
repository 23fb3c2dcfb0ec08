// try, with, and the unwinding of blocks.
//
// Stack and handlers of the three shapes (d: depth before; [..]: exception handler in force):
//
//   try/except   [H] body            H: exc -> PUSH_EXC_INFO: prev exc; [C, keeping prev] tests and handlers; RERAISE
//   try/finally  [F] body, finally   F: exc -> PUSH_EXC_INFO: prev exc; [C] finally; RERAISE
//   with         exit [W] body, exit(None, None, None)
//                                    W: exit exc -> PUSH_EXC_INFO: exit prev exc; [C] WITH_EXCEPT_START, maybe RERAISE
//   except*      as try/except, but the handlers ask an object of _exception_group, which stands in the place of exc: see StarHandlers
//   C: prev exc -> SWAP 2, POP_EXCEPT, RERAISE: an exception that leaves a handler restores the handled exception on its way.
#include <utility>

#include "tidepool/runtime/lang/compiler.h"

namespace tidepool::rt::lang {

bool Compiler::PushBlock(BlockKind kind, const Position& pos, const TryStmt* node, std::string_view name) {
  if (unit_->blocks.size() >= kMaxBlocks) return Fail(pos, "too many statically nested blocks");
  unit_->blocks.push_back({kind, -1, -1, unit_->as.region(), node, name, pos});
  return true;
}

void Compiler::UnbindName(std::string_view name, const Position& pos) {
  LoadNone(pos);
  StoreName(name, pos);
  DeleteName(name, pos);
}

void Compiler::CallExit(const Position& pos, bool is_async) {
  for (int i = 0; i < 3; i++) LoadNone(pos);
  Emit(Op::kCall, 3, pos);
  if (is_async) EmitAwait(2, pos);
  Emit(Op::kPopTop, 0, pos);
}

// Emits what leaving `block` takes; preserve_top: a return value is on top of the stack and stays there.
bool Compiler::Unwind(const Block& block, bool preserve_top, const Position& pos) {
  auto swap = [&] {
    if (preserve_top) Emit(Op::kSwap, 2, pos);
  };
  unit_->as.EnterRegion(block.outer_region);
  switch (block.kind) {
    case BlockKind::kWhile:
    case BlockKind::kTry: return true;
    case BlockKind::kFor:
    case BlockKind::kPopValue:
      swap();
      Emit(Op::kPopTop, 0, pos);
      return true;
    case BlockKind::kFinallyTry: {
      if (preserve_top && !PushBlock(BlockKind::kPopValue, pos)) return false;
      if (!Visit(block.node->finalbody)) return false;
      if (preserve_top) PopBlock();
      return true;
    }
    case BlockKind::kFinallyEnd:
      swap();
      Emit(Op::kPopTop, 0, pos);
      swap();
      Emit(Op::kPopExcept, 0, pos);
      return true;
    case BlockKind::kWith:
    case BlockKind::kAsyncWith:
      swap();
      CallExit(block.pos, block.kind == BlockKind::kAsyncWith);
      return true;
    case BlockKind::kHandler:
      swap();
      Emit(Op::kPopExcept, 0, pos);
      if (!block.name.empty()) UnbindName(block.name, pos);
      return true;
    case BlockKind::kStarHandler:
      return Fail(pos, "'break', 'continue' and 'return' cannot appear in an except* block");
  }
  return true;
}

// What follows (the jump or the return) belongs outside the last block left; the caller restores the region behind it.
bool Compiler::UnwindTo(size_t keep, bool preserve_top, const Position& pos) {
  std::vector<Block> all = unit_->blocks;
  bool ok = true;
  while (ok && unit_->blocks.size() > keep) {
    Block block = unit_->blocks.back();
    unit_->blocks.pop_back();
    ok = Unwind(block, preserve_top, pos);
  }
  unit_->blocks = std::move(all);
  return ok;
}

// prev exc on the stack.
void Compiler::CleanupHandler(int handler, const Position& pos) {
  unit_->as.BindHandler(handler);
  Emit(Op::kSwap, 2, pos);
  Emit(Op::kPopExcept, 0, pos);
  Emit(Op::kReraise, 0, pos);
}

bool Compiler::Try(const TryStmt* s) { return s->finalbody.empty() ? TryExcept(s) : TryFinally(s); }

bool Compiler::TryFinally(const TryStmt* s) {
  Assembler& as = unit_->as;
  Label exit = NewLabel();
  int handler = as.NewHandler(NewLabel());
  if (!PushBlock(BlockKind::kFinallyTry, s->pos, s)) return false;
  int outer = as.EnterRegion(handler);
  bool ok = s->handlers.empty() ? Visit(s->body) : TryExcept(s);
  as.EnterRegion(outer);
  PopBlock();
  if (!ok) return false;
  if (!Visit(s->finalbody)) return false;
  EmitJump(Op::kJump, exit, s->pos);

  as.BindHandler(handler);
  if (!PushBlock(BlockKind::kFinallyEnd, s->pos)) return false;
  Emit(Op::kPushExcInfo, 0, s->pos);
  int cleanup = as.NewHandler(NewLabel(), 1);
  as.EnterRegion(cleanup);
  ok = Visit(s->finalbody);
  if (ok) Emit(Op::kReraise, 0, s->pos);
  as.EnterRegion(outer);
  PopBlock();
  if (!ok) return false;
  CleanupHandler(cleanup, s->pos);
  Bind(exit);
  return true;
}

bool Compiler::TryExcept(const TryStmt* s) {
  Assembler& as = unit_->as;
  Label end = NewLabel();
  int handler = as.NewHandler(NewLabel());
  if (!PushBlock(BlockKind::kTry, s->pos)) return false;
  int outer = as.EnterRegion(handler);
  bool ok = Visit(s->body);
  as.EnterRegion(outer);
  PopBlock();
  if (!ok || !Visit(s->orelse)) return false;
  EmitJump(Op::kJump, end, s->pos);

  as.BindHandler(handler);
  Emit(Op::kPushExcInfo, 0, s->pos);
  int cleanup = as.NewHandler(NewLabel(), 1);
  as.EnterRegion(cleanup);
  ok = s->star ? StarHandlers(s, end, outer) : Handlers(s, end, outer);
  if (ok) Emit(Op::kReraise, 0, s->pos);
  as.EnterRegion(outer);
  if (!ok) return false;
  CleanupHandler(cleanup, s->pos);
  Bind(end);
  return true;
}

// prev exc on the stack, the cleanup handler in force.
bool Compiler::Handlers(const TryStmt* s, Label end, int outer) {
  Assembler& as = unit_->as;
  int cleanup = as.region();
  for (const Handler& h : s->handlers) {
    Label next = NewLabel();
    Position pos = h.type != nullptr ? h.type->pos : h.pos;
    if (h.type != nullptr) {
      if (!Visit(h.type)) return false;
      Emit(Op::kCheckExcMatch, 0, pos);
      EmitJump(Op::kPopJumpIfFalse, next, pos);
    }
    int named = -1;
    if (h.name.empty()) {
      Emit(Op::kPopTop, 0, pos);
    } else {
      StoreName(h.name, h.pos);
      named = as.NewHandler(NewLabel());
    }
    if (!PushBlock(BlockKind::kHandler, h.pos, nullptr, h.name)) return false;
    unit_->blocks.back().outer_region = outer;  // leaving the handler leaves the cleanup handler too
    if (named >= 0) as.EnterRegion(named);
    bool ok = Visit(h.body);
    as.EnterRegion(outer);
    PopBlock();
    if (!ok) return false;
    Emit(Op::kPopExcept, 0, h.pos);
    if (!h.name.empty()) UnbindName(h.name, h.pos);
    EmitJump(Op::kJump, end, h.pos);
    as.EnterRegion(cleanup);
    if (named >= 0) {
      as.BindHandler(named);
      UnbindName(h.name, h.pos);
      Emit(Op::kReraise, 0, h.pos);
    }
    Bind(next);
  }
  return true;
}

// prev exc on the stack, the cleanup handler in force. The sorting of the exceptions is Python (lib/_exception_group.py):
//   star = _exception_group.Star(exc)
//   for each handler:  m = star.match(type); if m is not None: handle m; what the body raises goes to star.add()
//   star.finish() is None, or what to raise: the caller's RERAISE follows.
bool Compiler::StarHandlers(const TryStmt* s, Label end, int outer) {
  const Position pos = s->handlers[0].pos;
  const int cleanup = unit_->as.region();
  Emit(Op::kLoadInt, 0, pos);
  LoadNone(pos);
  Emit(Op::kImportName, AddName("_exception_group"), pos);
  Emit(Op::kLoadAttr, AddName("Star"), pos);
  Emit(Op::kSwap, 2, pos);
  Emit(Op::kCall, 1, pos);  // prev star
  for (const Handler& h : s->handlers) {
    if (!StarHandler(h, cleanup)) return false;
  }
  const Label again = NewLabel();
  Emit(Op::kLoadAttr, AddName("finish"), pos);
  Emit(Op::kCall, 0, pos);  // prev rest
  Emit(Op::kCopy, 1, pos);
  EmitJump(Op::kPopJumpIfNotNone, again, pos);
  Emit(Op::kPopTop, 0, pos);
  unit_->as.EnterRegion(outer);
  Emit(Op::kPopExcept, 0, pos);
  EmitJump(Op::kJump, end, pos);
  unit_->as.EnterRegion(cleanup);
  Bind(again);
  return true;
}

// prev star on the stack, before and after.
bool Compiler::StarHandler(const Handler& h, int cleanup) {
  Assembler& as = unit_->as;
  const Label other = NewLabel(), next = NewLabel();
  Emit(Op::kCopy, 1, h.type->pos);
  Emit(Op::kLoadAttr, AddName("match"), h.type->pos);
  if (!Visit(h.type)) return false;
  Emit(Op::kCall, 1, h.type->pos);
  Emit(Op::kCopy, 1, h.type->pos);
  EmitJump(Op::kPopJumpIfNone, other, h.type->pos);
  Emit(Op::kPushExcInfo, 0, h.pos);  // prev star prev2 match
  const int raised = as.NewHandler(NewLabel(), 1);
  as.EnterRegion(raised);
  if (h.name.empty()) {
    Emit(Op::kPopTop, 0, h.pos);
  } else {
    StoreName(h.name, h.pos);
  }
  if (!PushBlock(BlockKind::kStarHandler, h.pos)) return false;
  const bool ok = Visit(h.body);
  PopBlock();
  as.EnterRegion(cleanup);
  if (!ok) return false;
  Emit(Op::kPopExcept, 0, h.pos);
  if (!h.name.empty()) UnbindName(h.name, h.pos);
  EmitJump(Op::kJump, next, h.pos);

  as.BindHandler(raised);  // prev star prev2 exc
  Emit(Op::kSwap, 2, h.pos);
  Emit(Op::kPopExcept, 0, h.pos);
  if (!h.name.empty()) UnbindName(h.name, h.pos);
  Emit(Op::kCopy, 2, h.pos);
  Emit(Op::kLoadAttr, AddName("add"), h.pos);
  Emit(Op::kSwap, 2, h.pos);
  Emit(Op::kCall, 1, h.pos);
  Bind(other);
  Emit(Op::kPopTop, 0, h.pos);  // None, as match and add give it
  Bind(next);
  return true;
}

bool Compiler::With(const WithStmt* s, size_t i) {
  Assembler& as = unit_->as;
  const WithItem& item = s->items[i];
  Position pos = item.context->pos;
  Label exit = NewLabel(), suppress = NewLabel();
  if (!Visit(item.context)) return false;
  Emit(s->is_async ? Op::kBeforeAsyncWith : Op::kBeforeWith, 0, pos);
  if (s->is_async) EmitAwait(1, pos);
  int handler = as.NewHandler(NewLabel(), 1);  // keeps exit
  if (!PushBlock(s->is_async ? BlockKind::kAsyncWith : BlockKind::kWith, pos)) return false;
  int outer = as.EnterRegion(handler);
  bool ok = true;
  if (item.target == nullptr) {
    Emit(Op::kPopTop, 0, pos);
  } else {
    ok = Store(item.target);
  }
  ok = ok && (i + 1 < s->items.size ? With(s, i + 1) : Visit(s->body));
  as.EnterRegion(outer);
  PopBlock();
  if (!ok) return false;
  CallExit(pos, s->is_async);
  EmitJump(Op::kJump, exit, pos);

  as.BindHandler(handler);
  Emit(Op::kPushExcInfo, 0, pos);
  int cleanup = as.NewHandler(NewLabel(), 1);
  as.EnterRegion(cleanup);
  Emit(Op::kWithExceptStart, 0, pos);
  if (s->is_async) EmitAwait(2, pos);
  EmitJump(Op::kPopJumpIfTrue, suppress, pos);
  Emit(Op::kReraise, 0, pos);
  as.EnterRegion(outer);
  Bind(suppress);
  Emit(Op::kPopTop, 0, pos);
  Emit(Op::kPopExcept, 0, pos);
  Emit(Op::kPopTop, 0, pos);
  EmitJump(Op::kJump, exit, pos);
  CleanupHandler(cleanup, pos);
  Bind(exit);
  return true;
}

}  // namespace tidepool::rt::lang
