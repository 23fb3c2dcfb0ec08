// Parses the segment again, as CPython does.
#include "tidepool/runtime/lang/anchors.h"

#include "tidepool/runtime/lang/parser.h"

namespace tidepool::rt::lang {

bool FindOperator(std::string_view segment, uint32_t* start, uint32_t* end) {
  Source source;
  SyntaxErrorInfo error;
  Arena arena;
  if (!source.Load(segment, "", &error)) return false;
  const Module* module = ParseModule(source, arena, &error);
  if (module == nullptr || module->body.size != 1 || module->body[0]->kind != StmtKind::kExpr) return false;
  const Expr* e = static_cast<const ExprStmt*>(module->body[0])->value;
  if (e->kind == ExprKind::kSubscript) {
    auto* s = static_cast<const SubscriptExpr*>(e);
    *start = s->value->pos.end_col;
    *end = s->index->pos.end_col + 1;
    return *start < *end && *end <= segment.size();
  }
  if (e->kind != ExprKind::kBinary) return false;
  auto* b = static_cast<const BinaryExpr*>(e);
  uint32_t stop = b->right->pos.col;
  for (uint32_t i = b->left->pos.end_col; i < stop && i < segment.size(); i++) {
    if (segment[i] == ' ' || segment[i] == '\t') continue;
    *start = i;
    *end = i + 1;
    if (i + 1 < stop && segment[i + 1] != ' ' && segment[i + 1] != '\t') ++*end;
    return true;
  }
  return false;
}

}  // namespace tidepool::rt::lang
