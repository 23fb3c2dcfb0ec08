// Code units: names, constants, functions, classes.
#include "tidepool/runtime/lang/compiler.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tidepool/runtime/lang/fold.h"
#include "tidepool/runtime/lang/parser.h"

namespace tidepool::rt::lang {
namespace {

// A text that is equal for equal constants of equal type: 1, 1.0 and True, 0.0 and -0.0 differ.
void AppendKey(const Const& c, std::string* key) {
  key->push_back(static_cast<char>('a' + static_cast<int>(c.kind)));
  auto raw = [&](const void* p, size_t n) { key->append(static_cast<const char*>(p), n); };
  auto sized = [&](const void* p, size_t n) {
    uint64_t size = n;
    raw(&size, sizeof size);
    raw(p, n);
  };
  switch (c.kind) {
    case Const::Kind::kInt: raw(&c.i, sizeof c.i); break;
    case Const::Kind::kFloat: raw(&c.d, sizeof c.d); break;
    case Const::Kind::kBigInt:
      key->push_back(c.negative ? '-' : '+');
      sized(c.limbs.data(), c.limbs.size() * sizeof(uint32_t));
      break;
    case Const::Kind::kStr:
    case Const::Kind::kBytes: sized(c.s.data(), c.s.size()); break;
    case Const::Kind::kTuple:
    case Const::Kind::kFrozenSet: {
      uint64_t size = c.items.size();
      raw(&size, sizeof size);
      for (const Const& item : c.items) AppendKey(item, key);
      break;
    }
    default: break;
  }
}

// The docstring of a body, or null.
const Const* Docstring(const Body& body) {
  if (body.empty() || body[0]->kind != StmtKind::kExpr) return nullptr;
  const Expr* e = static_cast<const ExprStmt*>(body[0])->value;
  if (e->kind != ExprKind::kConstant || e->folded) return nullptr;
  const Const* c = static_cast<const ConstantExpr*>(e)->value;
  return c->kind == Const::Kind::kStr ? c : nullptr;
}

}  // namespace

std::shared_ptr<CodeUnit> CompileModule(std::string_view text, std::string_view filename, const CompileOptions& options,
                                        SyntaxErrorInfo* error) {
  Source source;
  if (!source.Load(text, filename, error)) return nullptr;
  Arena arena;
  Module* module = ParseModule(source, arena, error);
  if (module == nullptr) return nullptr;
  SymbolTable symbols;
  if (!symbols.Build(source, *module, error)) return nullptr;
  return Compiler(source, symbols, options, error).Compile(*module);
}

bool Compiler::Fail(const Position& pos, std::string message) {
  if (!failed_) {
    failed_ = true;
    source_.MakeError(SyntaxErrorInfo::Kind::kSyntax, pos, std::move(message), error_);
  }
  return false;
}

std::shared_ptr<CodeUnit> Compiler::Compile(const Module& module) {
  future_annotations_ = module.future_annotations;
  std::unique_ptr<Unit> unit = Begin(symbols_.module(), "<module>", 1);
  unit_->code->flags |= kModule;
  const Const* doc = options_.interactive ? nullptr : Docstring(module.body);
  if (doc != nullptr) {
    unit_->code->doc_const = static_cast<int32_t>(AddConst(*doc));
    Position pos = module.body[0]->pos;
    Emit(Op::kLoadConst, static_cast<uint32_t>(unit_->code->doc_const), pos);
    StoreName("__doc__", pos);
  }
  if (symbols_.module()->Find("__annotations__") != nullptr && symbols_.module()->Find("__annotations__")->bound) {
    Emit(Op::kSetupAnnotations, 0, {});
  }
  Visit(module.body);
  return End(std::move(unit));
}

std::string Compiler::QualifiedName(const std::string& name, bool is_lambda_like) const {
  const Unit* parent = unit_;
  if (parent == nullptr || parent->scope->kind == ScopeKind::kModule) return name;
  if (!is_lambda_like) {
    const Symbol* s = parent->scope->Find(Mangle(name));
    if (s != nullptr && s->global) return name;
  }
  return parent->code->qualname + (parent->scope->kind == ScopeKind::kFunction ? ".<locals>." : ".") + name;
}

std::unique_ptr<Compiler::Unit> Compiler::Begin(Scope* scope, std::string name, uint32_t first_line) {
  auto unit = std::make_unique<Unit>(scope, &budget_);
  unit->parent = unit_;
  unit->code->qualname = QualifiedName(name, !name.empty() && name[0] == '<');
  unit->code->name = std::move(name);
  unit->code->filename = source_.filename;
  unit->code->first_line = first_line;
  for (Unit* u = unit_; u != nullptr; u = u->parent) {
    if (u->scope->kind == ScopeKind::kFunction) unit->code->flags |= kNested;
  }
  unit_ = unit.get();
  return unit;
}

void Compiler::SetParams(Unit* unit, const Params& params) {
  CodeUnit& code = *unit->code;
  auto add = [&](const Param& p) {
    std::string name = Mangle(p.name);
    unit->locals[name] = static_cast<uint32_t>(code.slots.size());
    const Symbol* s = unit->scope->Find(name);
    code.slots.push_back({name, s->kind == NameKind::kCell ? SlotKind::kParamCell : SlotKind::kLocal});
  };
  for (const Param& p : params.positional) add(p);
  for (const Param& p : params.kwonly) add(p);
  code.argcount = static_cast<uint32_t>(params.positional.size);
  code.posonlyargcount = static_cast<uint32_t>(params.posonly);
  code.kwonlyargcount = static_cast<uint32_t>(params.kwonly.size);
  if (params.varargs != nullptr) {
    add(*params.varargs);
    code.flags |= kVarArgs;
  }
  if (params.varkw != nullptr) {
    add(*params.varkw);
    code.flags |= kVarKeywords;
  }
}

void Compiler::BeginSlots() {
  CodeUnit& code = *unit_->code;
  Scope* scope = unit_->scope;
  uint32_t params = static_cast<uint32_t>(code.slots.size());
  auto slot = [&] { return static_cast<uint32_t>(code.slots.size()); };
  if (scope->kind == ScopeKind::kFunction) {
    for (const std::string& name : scope->order) {
      const Symbol* s = scope->Find(name);
      if (s->kind != NameKind::kFast || s->param) continue;
      unit_->locals[name] = slot();
      code.slots.push_back({name, SlotKind::kLocal});
    }
  }
  for (uint32_t i = 0; i < params; i++) {
    if (code.slots[i].kind != SlotKind::kParamCell) continue;
    unit_->cells[code.slots[i].name] = i;
    Emit(Op::kMakeCell, i, {});
  }
  auto own_cell = [&](const std::string& name) {
    unit_->cells[name] = slot();
    Emit(Op::kMakeCell, slot(), {});
    code.slots.push_back({name, SlotKind::kCell});
  };
  if (scope->kind == ScopeKind::kFunction) {
    for (const std::string& name : scope->order) {
      const Symbol* s = scope->Find(name);
      if (s->kind == NameKind::kCell && !s->param) own_cell(name);
    }
  } else if (scope->needs_class_cell) {
    own_cell("__class__");
  }
  for (const std::string& name : scope->free) {
    unit_->cells[name] = slot();
    code.slots.push_back({name, SlotKind::kFree});
  }
  code.num_free = static_cast<uint32_t>(scope->free.size());
  if (code.num_free != 0) Emit(Op::kCopyFreeVars, code.num_free, {});
}

std::shared_ptr<CodeUnit> Compiler::End(std::unique_ptr<Unit> unit) {
  if (!failed_) {
    if (unit->as.reachable()) {
      Position pos{unit->code->first_line, unit->code->first_line, 0, 0};
      unit->as.Emit(Op::kReturnConst, AddConst({}), pos);
    }
    if (!unit->as.Finish(options_.superinstructions, unit->code.get())) {
      Fail({unit->code->first_line, unit->code->first_line, 0, 0}, "code is too large");
    }
  }
  unit_ = unit->parent;
  return failed_ ? nullptr : unit->code;
}

uint32_t Compiler::AddConst(Const value) {
  CodeUnit& code = *unit_->code;
  uint32_t index = static_cast<uint32_t>(code.consts.size());
  if (value.kind != Const::Kind::kCode) {
    std::string key;
    AppendKey(value, &key);
    auto [it, fresh] = unit_->consts.try_emplace(std::move(key), index);
    if (!fresh) return it->second;
  }
  code.consts.push_back(std::move(value));
  return index;
}

uint32_t Compiler::AddName(std::string_view name) {
  CodeUnit& code = *unit_->code;
  auto [it, fresh] = unit_->names.try_emplace(std::string(name), static_cast<uint32_t>(code.names.size()));
  if (fresh) code.names.emplace_back(name);
  return it->second;
}

void Compiler::LoadConst(Const value, const Position& pos) {
  switch (value.kind) {
    case Const::Kind::kNone: return Emit(Op::kLoadNone, 0, pos);
    case Const::Kind::kTrue: return Emit(Op::kLoadTrue, 0, pos);
    case Const::Kind::kFalse: return Emit(Op::kLoadFalse, 0, pos);
    case Const::Kind::kInt:
      if (value.i >= -(1 << 23) && value.i < (1 << 23)) return Emit(Op::kLoadInt, static_cast<uint32_t>(value.i) & kMaxArg, pos);
      break;
    default: break;
  }
  Emit(Op::kLoadConst, AddConst(std::move(value)), pos);
}

void Compiler::LoadText(std::string_view text, const Position& pos) {
  Const value;
  value.kind = Const::Kind::kStr;
  value.s.assign(text);
  LoadConst(std::move(value), pos);
}

uint32_t Compiler::SlotOf(const std::string& name, bool cell) {
  auto& map = cell ? unit_->cells : unit_->locals;
  auto it = map.find(name);
  return it == map.end() ? 0 : it->second;
}

void Compiler::LoadName(std::string_view raw, const Position& pos) {
  std::string name = Mangle(raw);
  const Symbol* s = unit_->scope->Find(name);
  NameKind kind = s == nullptr ? NameKind::kGlobal : s->kind;
  if (s == nullptr && unit_->scope->kind == ScopeKind::kClass) kind = NameKind::kName;
  switch (kind) {
    case NameKind::kFast: return Emit(Op::kLoadFastCheck, SlotOf(name, false), pos);
    case NameKind::kCell: return Emit(Op::kLoadDeref, SlotOf(name, true), pos);
    case NameKind::kFree:
      return Emit(unit_->scope->kind == ScopeKind::kClass ? Op::kLoadClassDeref : Op::kLoadDeref, SlotOf(name, true), pos);
    case NameKind::kGlobal: return Emit(Op::kLoadGlobal, AddName(name), pos);
    case NameKind::kName: return Emit(Op::kLoadName, AddName(name), pos);
  }
}

void Compiler::StoreName(std::string_view raw, const Position& pos) {
  std::string name = Mangle(raw);
  const Symbol* s = unit_->scope->Find(name);
  NameKind kind = s == nullptr ? NameKind::kGlobal : s->kind;
  if (s == nullptr && unit_->scope->kind == ScopeKind::kClass) kind = NameKind::kName;
  switch (kind) {
    case NameKind::kFast: return Emit(Op::kStoreFast, SlotOf(name, false), pos);
    case NameKind::kCell:
    case NameKind::kFree: return Emit(Op::kStoreDeref, SlotOf(name, true), pos);
    case NameKind::kGlobal: return Emit(Op::kStoreGlobal, AddName(name), pos);
    case NameKind::kName: return Emit(Op::kStoreName, AddName(name), pos);
  }
}

void Compiler::DeleteName(std::string_view raw, const Position& pos) {
  std::string name = Mangle(raw);
  const Symbol* s = unit_->scope->Find(name);
  switch (s == nullptr ? NameKind::kGlobal : s->kind) {
    case NameKind::kFast: return Emit(Op::kDeleteFast, SlotOf(name, false), pos);
    case NameKind::kCell:
    case NameKind::kFree: return Emit(Op::kDeleteDeref, SlotOf(name, true), pos);
    case NameKind::kGlobal: return Emit(Op::kDeleteGlobal, AddName(name), pos);
    case NameKind::kName: return Emit(Op::kDeleteName, AddName(name), pos);
  }
}

// The values that `flags` announces are on the stack already, but for the closure.
void Compiler::MakeFunction(const std::shared_ptr<CodeUnit>& code, Scope* scope, uint32_t flags, const Position& pos) {
  if (!scope->free.empty()) {
    for (const std::string& name : scope->free) Emit(Op::kLoadClosure, SlotOf(name, true), pos);
    Emit(Op::kBuildTuple, static_cast<uint32_t>(scope->free.size()), pos);
    flags |= 8;
  }
  Const value;
  value.kind = Const::Kind::kCode;
  value.code = code;
  Emit(Op::kLoadConst, AddConst(std::move(value)), pos);
  Emit(Op::kMakeFunction, flags, pos);
}

bool Compiler::Defaults(const Params& params, uint32_t* flags, const Position& pos) {
  std::vector<Expr*> values;
  for (const Param& p : params.positional) {
    if (p.default_value != nullptr) values.push_back(p.default_value);
  }
  if (!values.empty()) {
    Const folded;
    folded.kind = Const::Kind::kTuple;
    bool constant = true;
    for (Expr* v : values) {
      folded.items.emplace_back();
      constant = constant && ConstantValue(v, &folded.items.back());
    }
    if (constant) {
      LoadConst(std::move(folded), pos);
    } else {
      for (Expr* v : values) {
        if (!Visit(v)) return false;
      }
      Emit(Op::kBuildTuple, static_cast<uint32_t>(values.size()), pos);
    }
    *flags |= 1;
  }
  Const names;
  names.kind = Const::Kind::kTuple;
  for (const Param& p : params.kwonly) {
    if (p.default_value == nullptr) continue;
    if (!Visit(p.default_value)) return false;
    Const name;
    name.kind = Const::Kind::kStr;
    name.s = Mangle(p.name);
    names.items.push_back(std::move(name));
  }
  if (!names.items.empty()) {
    uint32_t n = static_cast<uint32_t>(names.items.size());
    LoadConst(std::move(names), pos);
    Emit(Op::kBuildConstKeyMap, n, pos);
    *flags |= 2;
  }
  return true;
}

// Simple annotations are evaluated as in CPython; others (subscripts, operators) are kept as their source text, as under
// `from __future__ import annotations`.
bool Compiler::AnnotationValue(const Expr* a) {
  const Expr* e = a;
  while (e->kind == ExprKind::kAttribute) e = static_cast<const AttributeExpr*>(e)->value;
  bool simple = e->kind == ExprKind::kName || (e->kind == ExprKind::kConstant && !e->folded);
  if (simple && !future_annotations_) return Visit(a);
  std::string text;
  for (uint32_t line = a->pos.line; line <= a->pos.end_line; line++) {
    std::string_view s = source_.Line(line);
    size_t from = line == a->pos.line ? a->pos.col : 0, to = line == a->pos.end_line ? a->pos.end_col : s.size();
    if (from < to && to <= s.size()) text += s.substr(from, to - from);
  }
  LoadText(text, a->pos);
  return true;
}

bool Compiler::Annotations(const FunctionStmt* f, uint32_t* flags) {
  uint32_t n = 0;
  auto add = [&](std::string_view name, const Expr* annotation) {
    if (annotation == nullptr) return true;
    LoadText(Mangle(name), annotation->pos);
    n += 2;
    return AnnotationValue(annotation);
  };
  for (const Param& p : f->params->positional) {
    if (!add(p.name, p.annotation)) return false;
  }
  if (f->params->varargs != nullptr && !add(f->params->varargs->name, f->params->varargs->annotation)) return false;
  for (const Param& p : f->params->kwonly) {
    if (!add(p.name, p.annotation)) return false;
  }
  if (f->params->varkw != nullptr && !add(f->params->varkw->name, f->params->varkw->annotation)) return false;
  if (!add("return", f->returns)) return false;
  if (n != 0) {
    Emit(Op::kBuildTuple, n, f->pos);
    *flags |= 4;
  }
  return true;
}

bool Compiler::FunctionBody(const FunctionStmt* f) {
  const Const* doc = Docstring(f->body);
  if (doc != nullptr) unit_->code->doc_const = static_cast<int32_t>(AddConst(*doc));
  return Visit(f->body);
}

bool Compiler::Function(const FunctionStmt* f) {
  for (const Expr* d : f->decorators) {
    if (!Visit(d)) return false;
  }
  Position pos = f->pos;
  pos.end_line = pos.line;
  pos.end_col = pos.col + (f->is_async ? 5 : 3);
  uint32_t flags = 0;
  if (!Defaults(*f->params, &flags, pos) || !Annotations(f, &flags)) return false;
  Scope* scope = symbols_.Of(f);
  std::unique_ptr<Unit> unit = Begin(scope, std::string(f->name), f->first_line);
  if (scope->generator) unit->code->flags |= kGenerator;
  if (scope->coroutine) unit->code->flags |= kGenerator | (scope->generator ? kAsyncGenerator : kCoroutine);
  SetParams(unit.get(), *f->params);
  BeginSlots();
  FunctionBody(f);
  std::shared_ptr<CodeUnit> code = End(std::move(unit));
  if (code == nullptr) return false;
  MakeFunction(code, scope, flags, pos);
  for (size_t i = f->decorators.size; i > 0; i--) Emit(Op::kCall, 1, f->decorators[i - 1]->pos);
  StoreName(f->name, pos);
  return true;
}

bool Compiler::Class(const ClassStmt* c) {
  for (const Expr* d : c->decorators) {
    if (!Visit(d)) return false;
  }
  Position pos = c->pos;
  pos.end_line = pos.line;
  pos.end_col = pos.col + 5;
  Emit(Op::kLoadBuildClass, 0, pos);
  Scope* scope = symbols_.Of(c);
  std::unique_ptr<Unit> unit = Begin(scope, std::string(c->name), c->first_line);
  unit->code->flags |= kClassBody;
  BeginSlots();
  Emit(Op::kLoadName, AddName("__name__"), pos);
  Emit(Op::kStoreName, AddName("__module__"), pos);
  LoadText(unit->code->qualname, pos);
  Emit(Op::kStoreName, AddName("__qualname__"), pos);
  const Const* doc = Docstring(c->body);
  if (doc != nullptr) {
    LoadConst(*doc, pos);
    Emit(Op::kStoreName, AddName("__doc__"), pos);
  }
  const Symbol* annotations = scope->Find("__annotations__");
  if (annotations != nullptr && annotations->bound) Emit(Op::kSetupAnnotations, 0, pos);
  if (Visit(c->body) && scope->needs_class_cell) {
    Emit(Op::kLoadClosure, SlotOf("__class__", true), pos);
    Emit(Op::kStoreName, AddName("__classcell__"), pos);
  }
  std::shared_ptr<CodeUnit> code = End(std::move(unit));
  if (code == nullptr) return false;
  MakeFunction(code, scope, 0, pos);
  LoadText(c->name, pos);
  if (!CallArguments(c->bases, c->keywords, 2, false, pos)) return false;
  for (size_t i = c->decorators.size; i > 0; i--) Emit(Op::kCall, 1, c->decorators[i - 1]->pos);
  StoreName(c->name, pos);
  return true;
}

bool Compiler::Lambda(const LambdaExpr* l) {
  uint32_t flags = 0;
  if (!Defaults(*l->params, &flags, l->pos)) return false;
  Scope* scope = symbols_.Of(l);
  std::unique_ptr<Unit> unit = Begin(scope, "<lambda>", l->pos.line);
  if (scope->generator) unit->code->flags |= kGenerator;
  SetParams(unit.get(), *l->params);
  BeginSlots();
  if (Visit(l->body)) Emit(Op::kReturnValue, 0, l->body->pos);
  std::shared_ptr<CodeUnit> code = End(std::move(unit));
  if (code == nullptr) return false;
  MakeFunction(code, scope, flags, l->pos);
  return true;
}

}  // namespace tidepool::rt::lang
