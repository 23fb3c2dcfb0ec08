// Calls: plain, method, keywords, and the general form with stars.
#include <set>
#include <string>
#include <utility>

#include "tidepool/runtime/lang/compiler.h"

namespace tidepool::rt::lang {

bool Compiler::CheckKeywords(const ArenaSpan<Keyword>& keywords) {
  std::set<std::string_view> seen;
  for (const Keyword& k : keywords) {
    if (k.name.empty()) continue;
    if (k.name == "__debug__") return Fail(k.pos, "cannot assign to __debug__");
    if (!seen.insert(k.name).second) return Fail(k.pos, "keyword argument repeated: " + std::string(k.name));
  }
  return true;
}

bool Compiler::VisitCall(const CallExpr* e) {
  bool star = false;
  for (const Expr* a : e->args) star |= a->kind == ExprKind::kStarred;
  for (const Keyword& k : e->keywords) star |= k.name.empty();
  if (!star && e->func->kind == ExprKind::kAttribute) {
    auto* a = static_cast<const AttributeExpr*>(e->func);
    if (!Visit(a->value)) return false;
    Emit(Op::kLoadMethod, AddName(Mangle(a->name)), a->pos);
    return CallArguments(e->args, e->keywords, 0, true, e->pos);
  }
  return Visit(e->func) && CallArguments(e->args, e->keywords, 0, false, e->pos);
}

// The callable and `pushed` arguments are on the stack.
bool Compiler::CallArguments(const Exprs& args, const ArenaSpan<Keyword>& keywords, uint32_t pushed, bool method, const Position& pos) {
  if (!CheckKeywords(keywords)) return false;
  for (const Expr* a : args) {
    if (a->kind == ExprKind::kStarred) return CallEx(args, keywords, pushed, pos);
  }
  for (const Keyword& k : keywords) {
    if (k.name.empty()) return CallEx(args, keywords, pushed, pos);
  }
  for (const Expr* a : args) {
    if (!Visit(a)) return false;
  }
  uint32_t n = pushed + static_cast<uint32_t>(args.size + keywords.size);
  if (keywords.empty()) {
    Emit(method ? Op::kCallMethod : Op::kCall, n, pos);
    return true;
  }
  Const names;
  names.kind = Const::Kind::kTuple;
  for (const Keyword& k : keywords) {
    if (!Visit(k.value)) return false;
    Const name;
    name.kind = Const::Kind::kStr;
    name.s = Mangle(k.name);
    names.items.push_back(std::move(name));
  }
  Emit(method ? Op::kCallMethodKw : Op::kCallKw, n, pos, AddConst(std::move(names)));
  return true;
}

// A dict of the named keywords [first, last).
bool Compiler::KeywordMap(const ArenaSpan<Keyword>& keywords, size_t first, size_t last, const Position& pos) {
  Const names;
  names.kind = Const::Kind::kTuple;
  for (size_t i = first; i < last; i++) {
    if (!Visit(keywords[i].value)) return false;
    Const name;
    name.kind = Const::Kind::kStr;
    name.s = Mangle(keywords[i].name);
    names.items.push_back(std::move(name));
  }
  LoadConst(std::move(names), pos);
  Emit(Op::kBuildConstKeyMap, static_cast<uint32_t>(last - first), pos);
  return true;
}

bool Compiler::CallEx(const Exprs& args, const ArenaSpan<Keyword>& keywords, uint32_t pushed, const Position& pos) {
  bool star = false;
  for (const Expr* a : args) star |= a->kind == ExprKind::kStarred;
  if (star && pushed == 0 && args.size == 1) {
    // kCallEx makes a tuple of it, if it is none.
    if (!Visit(static_cast<const StarredExpr*>(*args.begin())->value)) return false;
  } else if (star) {
    if (!BuildItems(args, pushed, Op::kBuildList, Op::kListAppend, Op::kListExtend, pos)) return false;
    Emit(Op::kListToTuple, 0, pos);
  } else {
    for (const Expr* a : args) {
      if (!Visit(a)) return false;
    }
    Emit(Op::kBuildTuple, pushed + static_cast<uint32_t>(args.size), pos);
  }
  if (keywords.empty()) {
    Emit(Op::kCallEx, 0, pos);
    return true;
  }
  bool have = false;
  for (size_t i = 0; i < keywords.size;) {
    if (keywords[i].name.empty()) {
      if (!have) Emit(Op::kBuildMap, 0, pos);
      if (!Visit(keywords[i].value)) return false;
      Emit(Op::kDictMerge, 1, pos);
      i++;
    } else {
      size_t last = i;
      while (last < keywords.size && !keywords[last].name.empty()) last++;
      if (!KeywordMap(keywords, i, last, pos)) return false;
      if (have) Emit(Op::kDictMerge, 1, pos);
      i = last;
    }
    have = true;
  }
  Emit(Op::kCallEx, 1, pos);
  return true;
}

}  // namespace tidepool::rt::lang
