// Building and resolving of scopes.
#include "tidepool/runtime/lang/symtable.h"

#include <algorithm>
#include <utility>

namespace tidepool::rt::lang {

std::string MangleName(std::string_view private_class, std::string_view name) {
  if (private_class.empty() || name.size() < 3 || name.substr(0, 2) != "__" || name.substr(name.size() - 2) == "__" ||
      name.find('.') != std::string_view::npos) {
    return std::string(name);
  }
  size_t lead = private_class.find_first_not_of('_');
  if (lead == std::string_view::npos) return std::string(name);
  return "_" + std::string(private_class.substr(lead)) + std::string(name);
}

class SymbolBuilder {
 public:
  SymbolBuilder(const Source& source, SymbolTable* table, SyntaxErrorInfo* error) : source_(source), table_(table), error_(error) {}

  bool Run(const Module& module) {
    table_->module_ = std::make_unique<Scope>();
    scope_ = table_->module_.get();
    return Visit(module.body) && Resolve(table_->module_.get());
  }

 private:
  bool Fail(const Position& pos, std::string message) {
    source_.MakeError(SyntaxErrorInfo::Kind::kSyntax, pos, std::move(message), error_);
    return false;
  }

  Symbol& Get(const std::string& name) {
    auto [it, fresh] = scope_->symbols.try_emplace(name);
    if (fresh) scope_->order.push_back(name);
    return it->second;
  }
  std::string Mangle(std::string_view name) const { return MangleName(scope_->private_class, name); }

  void Use(std::string_view name) {
    Get(Mangle(name)).used = true;
    // super() needs the class of the method that it appears in.
    if (scope_->kind == ScopeKind::kFunction && name == "super") Get("__class__").used = true;
  }
  bool Bind(std::string_view name, const Position& pos) {
    if (name == "__debug__") return Fail(pos, "cannot assign to __debug__");
    Get(Mangle(name)).bound = true;
    return true;
  }

  Scope* Enter(const void* node, ScopeKind kind) {
    auto child = std::make_unique<Scope>();
    child->kind = kind;
    child->parent = scope_;
    child->private_class = scope_->private_class;
    Scope* s = child.get();
    scope_->children.push_back(std::move(child));
    table_->scopes_[node] = s;
    scope_ = s;
    return s;
  }
  void Leave() { scope_ = scope_->parent; }

  bool Visit(const Body& body) {
    for (const Stmt* s : body) {
      if (!Visit(s)) return false;
    }
    return true;
  }
  bool Visit(const Exprs& exprs) {
    for (const Expr* e : exprs) {
      if (!Visit(e)) return false;
    }
    return true;
  }
  bool Visit(const ArenaSpan<Keyword>& keywords) {
    for (const Keyword& k : keywords) {
      if (!Visit(k.value)) return false;
    }
    return true;
  }
  bool Visit(const Stmt* s);
  bool Visit(const Expr* e);
  bool VisitTarget(const Expr* e);
  bool VisitDefaults(const Params* p);
  bool VisitAnnotations(const FunctionStmt* f);
  bool AddParams(const Params* p);
  bool VisitFunction(const FunctionStmt* f);
  bool VisitClass(const ClassStmt* c);
  bool NeedCoroutine(const Position& pos, const char* what);
  bool InComprehension(const Position& pos);
  bool VisitComprehension(const ComprehensionExpr* c);
  bool VisitWalrus(const WalrusExpr* w);
  bool Declare(const NamesStmt* s);
  bool Resolve(Scope* s);
  bool ResolveName(Scope* s, const std::string& name, Symbol* symbol);

  const Source& source_;
  SymbolTable* table_;
  SyntaxErrorInfo* error_;
  Scope* scope_ = nullptr;
  int comp_iter_ = 0;  // inside the iterable of a comprehension
};

bool SymbolTable::Build(const Source& source, const Module& module, SyntaxErrorInfo* error) {
  return SymbolBuilder(source, this, error).Run(module);
}

bool SymbolBuilder::Visit(const Stmt* s) {
  switch (s->kind) {
    case StmtKind::kExpr: return Visit(static_cast<const ExprStmt*>(s)->value);
    case StmtKind::kAssign: {
      auto* a = static_cast<const AssignStmt*>(s);
      for (const Expr* t : a->targets) {
        if (!VisitTarget(t)) return false;
      }
      return Visit(a->value);
    }
    case StmtKind::kAugAssign: {
      auto* a = static_cast<const AugAssignStmt*>(s);
      if (a->target->kind == ExprKind::kName) Use(static_cast<const NameExpr*>(a->target)->name);
      return VisitTarget(a->target) && Visit(a->value);
    }
    case StmtKind::kAnnAssign: {
      auto* a = static_cast<const AnnAssignStmt*>(s);
      if (a->target->kind == ExprKind::kName) {
        std::string name = Mangle(static_cast<const NameExpr*>(a->target)->name);
        Symbol& symbol = Get(name);
        if (a->simple && (symbol.global || symbol.nonlocal) && scope_->kind != ScopeKind::kModule) {
          return Fail(a->pos, "annotated name '" + name + "' can't be " + (symbol.global ? "global" : "nonlocal"));
        }
        if (a->simple) symbol.annotated = true;
        if (a->simple || a->value != nullptr) {
          if (!VisitTarget(a->target)) return false;
        }
      } else if (!VisitTarget(a->target)) {
        return false;
      }
      if (a->simple && scope_->kind != ScopeKind::kFunction) Get("__annotations__").bound = true;
      // The annotations of local variables are never evaluated.
      if (scope_->kind != ScopeKind::kFunction && !Visit(a->annotation)) return false;
      return a->value == nullptr || Visit(a->value);
    }
    case StmtKind::kReturn: {
      auto* r = static_cast<const ReturnStmt*>(s);
      return r->value == nullptr || Visit(r->value);
    }
    case StmtKind::kDelete:
      for (const Expr* t : static_cast<const DeleteStmt*>(s)->targets) {
        if (!VisitTarget(t)) return false;
      }
      return true;
    case StmtKind::kIf: {
      auto* i = static_cast<const IfStmt*>(s);
      for (const IfArm& arm : i->arms) {
        if (!Visit(arm.test) || !Visit(arm.body)) return false;
      }
      return Visit(i->orelse);
    }
    case StmtKind::kWhile: {
      auto* w = static_cast<const WhileStmt*>(s);
      return Visit(w->test) && Visit(w->body) && Visit(w->orelse);
    }
    case StmtKind::kFor: {
      auto* f = static_cast<const ForStmt*>(s);
      if (f->is_async && !NeedCoroutine(f->pos, "async for")) return false;
      return VisitTarget(f->target) && Visit(f->iter) && Visit(f->body) && Visit(f->orelse);
    }
    case StmtKind::kFunction: return VisitFunction(static_cast<const FunctionStmt*>(s));
    case StmtKind::kClass: return VisitClass(static_cast<const ClassStmt*>(s));
    case StmtKind::kRaise: {
      auto* r = static_cast<const RaiseStmt*>(s);
      return (r->exc == nullptr || Visit(r->exc)) && (r->cause == nullptr || Visit(r->cause));
    }
    case StmtKind::kTry: {
      auto* t = static_cast<const TryStmt*>(s);
      if (!Visit(t->body)) return false;
      for (const Handler& h : t->handlers) {
        if (h.type != nullptr && !Visit(h.type)) return false;
        if (!h.name.empty() && !Bind(h.name, h.pos)) return false;
        if (!Visit(h.body)) return false;
      }
      return Visit(t->orelse) && Visit(t->finalbody);
    }
    case StmtKind::kWith: {
      auto* w = static_cast<const WithStmt*>(s);
      if (w->is_async && !NeedCoroutine(w->pos, "async with")) return false;
      for (const WithItem& item : w->items) {
        if (!Visit(item.context) || (item.target != nullptr && !VisitTarget(item.target))) return false;
      }
      return Visit(w->body);
    }
    case StmtKind::kImport:
      for (const Alias& a : static_cast<const ImportStmt*>(s)->names) {
        std::string_view name = a.asname.empty() ? a.name.substr(0, a.name.find('.')) : a.asname;
        if (!Bind(name, a.pos)) return false;
      }
      return true;
    case StmtKind::kImportFrom:
      for (const Alias& a : static_cast<const ImportFromStmt*>(s)->names) {
        if (!Bind(a.asname.empty() ? a.name : a.asname, a.pos)) return false;
      }
      return true;
    case StmtKind::kGlobal:
    case StmtKind::kNonlocal: return Declare(static_cast<const NamesStmt*>(s));
    case StmtKind::kAssert: {
      auto* a = static_cast<const AssertStmt*>(s);
      return Visit(a->test) && (a->message == nullptr || Visit(a->message));
    }
    default: return true;
  }
}

bool SymbolBuilder::Declare(const NamesStmt* s) {
  bool global = s->kind == StmtKind::kGlobal;
  const char* what = global ? "global" : "nonlocal";
  for (std::string_view raw : s->names) {
    std::string name = Mangle(raw);
    if (!global && scope_->kind == ScopeKind::kModule) return Fail(s->pos, "nonlocal declaration not allowed at module level");
    Symbol& symbol = Get(name);
    std::string quoted = "'" + name + "'";
    if (symbol.param) return Fail(s->pos, "name " + quoted + " is parameter and " + what);
    if (symbol.annotated) return Fail(s->pos, "annotated name " + quoted + " can't be " + what);
    if (symbol.used && !symbol.global && !symbol.nonlocal) {
      return Fail(s->pos, "name " + quoted + (symbol.bound ? " is assigned to before " : " is used prior to ") + what + " declaration");
    }
    if (symbol.bound && !symbol.global && !symbol.nonlocal) {
      return Fail(s->pos, "name " + quoted + " is assigned to before " + what + " declaration");
    }
    if ((global && symbol.nonlocal) || (!global && symbol.global)) {
      return Fail(s->pos, "name " + quoted + " is nonlocal and global");
    }
    (global ? symbol.global : symbol.nonlocal) = true;
    symbol.decl = s->pos;
  }
  return true;
}

bool SymbolBuilder::VisitTarget(const Expr* e) {
  switch (e->kind) {
    case ExprKind::kName: return Bind(static_cast<const NameExpr*>(e)->name, e->pos);
    case ExprKind::kTuple:
    case ExprKind::kList:
      for (const Expr* item : static_cast<const SequenceExpr*>(e)->items) {
        if (!VisitTarget(item)) return false;
      }
      return true;
    case ExprKind::kStarred: return VisitTarget(static_cast<const StarredExpr*>(e)->value);
    case ExprKind::kAttribute:
      if (static_cast<const AttributeExpr*>(e)->name == "__debug__") return Fail(e->pos, "cannot assign to __debug__");
      return Visit(e);
    default: return Visit(e);
  }
}

bool SymbolBuilder::VisitDefaults(const Params* p) {
  for (const Param& a : p->positional) {
    if (a.default_value != nullptr && !Visit(a.default_value)) return false;
  }
  for (const Param& a : p->kwonly) {
    if (a.default_value != nullptr && !Visit(a.default_value)) return false;
  }
  return true;
}

bool SymbolBuilder::AddParams(const Params* p) {
  auto add = [&](const Param& a) {
    std::string name = Mangle(a.name);
    if (name == "__debug__") return Fail(a.pos, "cannot assign to __debug__");
    Symbol& symbol = Get(name);
    if (symbol.param) return Fail(a.pos, "duplicate argument '" + name + "' in function definition");
    symbol.param = symbol.bound = true;
    return true;
  };
  for (const Param& a : p->positional) {
    if (!add(a)) return false;
  }
  for (const Param& a : p->kwonly) {
    if (!add(a)) return false;
  }
  return (p->varargs == nullptr || add(*p->varargs)) && (p->varkw == nullptr || add(*p->varkw));
}

bool SymbolBuilder::VisitAnnotations(const FunctionStmt* f) {
  auto visit = [&](const Param& a) { return a.annotation == nullptr || Visit(a.annotation); };
  for (const Param& a : f->params->positional) {
    if (!visit(a)) return false;
  }
  for (const Param& a : f->params->kwonly) {
    if (!visit(a)) return false;
  }
  if (f->params->varargs != nullptr && !visit(*f->params->varargs)) return false;
  if (f->params->varkw != nullptr && !visit(*f->params->varkw)) return false;
  return f->returns == nullptr || Visit(f->returns);
}

bool SymbolBuilder::VisitFunction(const FunctionStmt* f) {
  if (!Bind(f->name, f->pos) || !VisitDefaults(f->params) || !VisitAnnotations(f) || !Visit(f->decorators)) return false;
  Enter(f, ScopeKind::kFunction)->coroutine = f->is_async;
  bool ok = AddParams(f->params) && Visit(f->body);
  Leave();
  return ok;
}

bool SymbolBuilder::VisitClass(const ClassStmt* c) {
  if (!Bind(c->name, c->pos) || !Visit(c->bases) || !Visit(c->keywords) || !Visit(c->decorators)) return false;
  Scope* s = Enter(c, ScopeKind::kClass);
  s->private_class = std::string(c->name);
  bool ok = Visit(c->body);
  Leave();
  return ok;
}

bool SymbolBuilder::VisitWalrus(const WalrusExpr* w) {
  std::string name = Mangle(w->target->name);
  if (comp_iter_ > 0) return Fail(w->pos, "assignment expression cannot be used in a comprehension iterable expression");
  if (scope_->comprehension) {
    // The target belongs to the first scope outside that is no comprehension.
    Scope* inner = scope_;
    for (; scope_->comprehension; scope_ = scope_->parent) {
      Symbol& symbol = Get(name);
      if (symbol.comp_target) {
        scope_ = inner;
        return Fail(w->target->pos, "assignment expression cannot rebind comprehension iteration variable '" + name + "'");
      }
    }
    Scope* owner = scope_;
    if (owner->kind == ScopeKind::kClass) {
      scope_ = inner;
      return Fail(w->target->pos, "assignment expression within a comprehension cannot be used in a class body");
    }
    Symbol& outer = Get(name);
    bool global = owner->kind == ScopeKind::kModule || outer.global;
    if (!outer.nonlocal) outer.bound = true;
    for (scope_ = inner; scope_ != owner; scope_ = scope_->parent) {
      Symbol& symbol = Get(name);
      (global ? symbol.global : symbol.nonlocal) = true;
      symbol.decl = w->pos;
    }
    scope_ = inner;
    if (name == "__debug__") return Fail(w->pos, "cannot assign to __debug__");
    return Visit(w->value);
  }
  return Visit(w->value) && Bind(w->target->name, w->pos);
}

// What `async for`, `async with` and `await` may stand in.
bool SymbolBuilder::NeedCoroutine(const Position& pos, const char* what) {
  const std::string quoted = std::string("'") + what + "'";
  if (scope_->kind != ScopeKind::kFunction) return Fail(pos, quoted + (what[5] == '\0' ? " outside function" : " outside async function"));
  if (scope_->comprehension) return InComprehension(pos);
  return scope_->coroutine || Fail(pos, quoted + " outside async function");
}

// An await inside a comprehension makes that one a coroutine, which the function around it awaits; a generator expression
// becomes an asynchronous one, and what is around it need not be asynchronous.
bool SymbolBuilder::InComprehension(const Position& pos) {
  Scope* owner = scope_;
  for (; owner->comprehension; owner = owner->parent) {
    owner->coroutine = true;
    if (owner->generator) return true;
  }
  return (owner->kind == ScopeKind::kFunction && owner->coroutine) ||
         Fail(pos, "asynchronous comprehension outside of an asynchronous function");
}

bool SymbolBuilder::VisitComprehension(const ComprehensionExpr* c) {
  comp_iter_++;
  bool ok = Visit(c->fors[0].iter);
  comp_iter_--;
  if (!ok) return false;
  int outer_iter = std::exchange(comp_iter_, 0);
  Scope* s = Enter(c, ScopeKind::kFunction);
  s->comprehension = true;
  static constexpr const char* kNames[] = {"list comprehension", "set comprehension", "dict comprehension", "generator expression"};
  s->comp_name = kNames[static_cast<int>(c->comp)];
  s->generator = c->comp == CompKind::kGenerator;
  Symbol& arg = Get(".0");
  arg.param = arg.bound = true;
  auto targets = [&](const Expr* target, auto&& self) -> bool {
    if (target->kind == ExprKind::kName) {
      std::string name = Mangle(static_cast<const NameExpr*>(target)->name);
      Symbol& symbol = Get(name);
      if (symbol.nonlocal || symbol.global) {
        return Fail(target->pos, "comprehension inner loop cannot rebind assignment expression target '" + name + "'");
      }
      symbol.comp_target = true;
    } else if (target->kind == ExprKind::kTuple || target->kind == ExprKind::kList) {
      for (const Expr* item : static_cast<const SequenceExpr*>(target)->items) {
        if (!self(item, self)) return false;
      }
    } else if (target->kind == ExprKind::kStarred) {
      return self(static_cast<const StarredExpr*>(target)->value, self);
    }
    return true;
  };
  for (size_t i = 0; ok && i < c->fors.size; i++) {
    const CompFor& f = c->fors[i];
    if (i > 0) {
      comp_iter_++;
      ok = Visit(f.iter);
      comp_iter_--;
    }
    ok = ok && (!f.is_async || InComprehension(c->pos));
    ok = ok && targets(f.target, targets) && VisitTarget(f.target) && Visit(f.ifs);
  }
  ok = ok && (c->value == nullptr || Visit(c->value)) && Visit(c->element);
  Leave();
  comp_iter_ = outer_iter;
  return ok;
}

bool SymbolBuilder::Visit(const Expr* e) {
  switch (e->kind) {
    case ExprKind::kConstant: return true;
    case ExprKind::kName: Use(static_cast<const NameExpr*>(e)->name); return true;
    case ExprKind::kTuple:
    case ExprKind::kList:
    case ExprKind::kSet: return Visit(static_cast<const SequenceExpr*>(e)->items);
    case ExprKind::kDict: {
      auto* d = static_cast<const DictExpr*>(e);
      for (size_t i = 0; i < d->keys.size; i++) {
        if ((d->keys[i] != nullptr && !Visit(d->keys[i])) || !Visit(d->values[i])) return false;
      }
      return true;
    }
    case ExprKind::kUnary: return Visit(static_cast<const UnaryExpr*>(e)->operand);
    case ExprKind::kBinary: {
      auto* b = static_cast<const BinaryExpr*>(e);
      return Visit(b->left) && Visit(b->right);
    }
    case ExprKind::kBool: return Visit(static_cast<const BoolExpr*>(e)->values);
    case ExprKind::kCompare: {
      auto* c = static_cast<const CompareExpr*>(e);
      return Visit(c->left) && Visit(c->rights);
    }
    case ExprKind::kConditional: {
      auto* c = static_cast<const ConditionalExpr*>(e);
      return Visit(c->test) && Visit(c->body) && Visit(c->orelse);
    }
    case ExprKind::kLambda: {
      auto* l = static_cast<const LambdaExpr*>(e);
      if (!VisitDefaults(l->params)) return false;
      int outer_iter = std::exchange(comp_iter_, 0);
      Scope* s = Enter(l, ScopeKind::kFunction);
      s->is_lambda = true;
      bool ok = AddParams(l->params) && Visit(l->body);
      Leave();
      comp_iter_ = outer_iter;
      return ok;
    }
    case ExprKind::kCall: {
      auto* c = static_cast<const CallExpr*>(e);
      return Visit(c->func) && Visit(c->args) && Visit(c->keywords);
    }
    case ExprKind::kAttribute: return Visit(static_cast<const AttributeExpr*>(e)->value);
    case ExprKind::kSubscript: {
      auto* s = static_cast<const SubscriptExpr*>(e);
      return Visit(s->value) && Visit(s->index);
    }
    case ExprKind::kSlice: {
      auto* s = static_cast<const SliceExpr*>(e);
      return (s->lower == nullptr || Visit(s->lower)) && (s->upper == nullptr || Visit(s->upper)) && (s->step == nullptr || Visit(s->step));
    }
    case ExprKind::kStarred: return Visit(static_cast<const StarredExpr*>(e)->value);
    case ExprKind::kComprehension: return VisitComprehension(static_cast<const ComprehensionExpr*>(e));
    case ExprKind::kJoinedStr: return Visit(static_cast<const JoinedStrExpr*>(e)->parts);
    case ExprKind::kFormatted: {
      auto* f = static_cast<const FormattedExpr*>(e);
      return Visit(f->value) && (f->spec == nullptr || Visit(f->spec));
    }
    case ExprKind::kYield:
    case ExprKind::kYieldFrom: {
      auto* y = static_cast<const YieldExpr*>(e);
      if (scope_->kind != ScopeKind::kFunction) {
        return Fail(e->pos, "'yield' outside function");
      }
      if (scope_->comprehension) return Fail(e->pos, std::string("'yield' inside ") + scope_->comp_name);
      if (scope_->coroutine && e->kind == ExprKind::kYieldFrom) return Fail(e->pos, "'yield from' inside async function");
      scope_->generator = true;
      return y->value == nullptr || Visit(y->value);
    }
    case ExprKind::kAwait:
      return NeedCoroutine(e->pos, "await") && Visit(static_cast<const YieldExpr*>(e)->value);
    case ExprKind::kWalrus: return VisitWalrus(static_cast<const WalrusExpr*>(e));
  }
  return true;
}

// Finds out what `name`, used or declared nonlocal in s and not bound there, means.
bool SymbolBuilder::ResolveName(Scope* s, const std::string& name, Symbol* symbol) {
  std::vector<Scope*> between{s};
  for (Scope* outer = s->parent; outer != nullptr && outer->kind != ScopeKind::kModule; outer = outer->parent) {
    if (outer->kind == ScopeKind::kClass) {
      if (name == "__class__") {
        outer->needs_class_cell = true;
        symbol->kind = NameKind::kFree;
        for (Scope* b : between) b->free.push_back(name);
        return true;
      }
      between.push_back(outer);
      continue;
    }
    auto it = outer->symbols.find(name);
    if (it != outer->symbols.end()) {
      if (it->second.global) break;
      if (it->second.bound && !it->second.nonlocal) {
        it->second.kind = NameKind::kCell;
        symbol->kind = NameKind::kFree;
        for (Scope* b : between) b->free.push_back(name);
        return true;
      }
    }
    between.push_back(outer);
  }
  if (symbol->nonlocal) return Fail(symbol->decl, "no binding for nonlocal '" + name + "' found");
  symbol->kind = s->kind == ScopeKind::kClass && !symbol->global ? NameKind::kName : NameKind::kGlobal;
  return true;
}

bool SymbolBuilder::Resolve(Scope* s) {
  for (const std::string& name : s->order) {
    Symbol& symbol = s->symbols.find(name)->second;
    if (s->kind == ScopeKind::kModule || symbol.global) {
      symbol.kind = NameKind::kGlobal;
    } else if (symbol.bound && !symbol.nonlocal) {
      if (s->kind == ScopeKind::kClass) {
        symbol.kind = NameKind::kName;
      } else if (symbol.kind != NameKind::kCell) {
        symbol.kind = NameKind::kFast;
      }
    } else if (!ResolveName(s, name, &symbol)) {
      return false;
    }
  }
  for (const auto& child : s->children) {
    if (!Resolve(child.get())) return false;
  }
  std::sort(s->free.begin(), s->free.end());
  s->free.erase(std::unique(s->free.begin(), s->free.end()), s->free.end());
  return true;
}

}  // namespace tidepool::rt::lang
