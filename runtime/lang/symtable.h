// Scopes: which names are local, cells, free or global.
//
// One walk over the tree collects, per scope, how each name is used; a second one resolves every name that a function or
// class does not bind itself by walking outwards. Class scopes are skipped on the way, as the language wants, except for the
// implicit `__class__` that methods use.
//
//   in a function    kFast    a slot of the frame
//                    kCell    its own variable that an inner scope captures
//                    kFree    a variable of an enclosing function
//                    kGlobal
//   in a class body  kName    the namespace first, then globals, builtins
//                    kFree    as above, but the namespace is asked first
//                    kGlobal  after a `global` statement
//   in the module    kGlobal  always
//
// Names are mangled (private names in classes) before they enter a scope.
#ifndef TIDEPOOL_RUNTIME_LANG_SYMTABLE_H_
#define TIDEPOOL_RUNTIME_LANG_SYMTABLE_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tidepool/runtime/lang/ast.h"
#include "tidepool/runtime/lang/source.h"

namespace tidepool::rt::lang {

enum class NameKind : uint8_t { kFast, kCell, kFree, kGlobal, kName };

struct Symbol {
  bool bound = false;      // assigned, parameter, imported, ...
  bool param = false;
  bool used = false;
  bool global = false;     // global statement
  bool nonlocal = false;   // nonlocal statement
  bool annotated = false;
  bool comp_target = false;  // iteration variable of this comprehension scope
  NameKind kind = NameKind::kGlobal;
  Position decl;  // of the global or nonlocal statement
};

enum class ScopeKind : uint8_t { kModule, kClass, kFunction };

struct Scope {
  ScopeKind kind = ScopeKind::kModule;
  Scope* parent = nullptr;
  bool comprehension = false;
  const char* comp_name = "";  // "list comprehension", ...
  bool generator = false;      // has a yield
  bool coroutine = false;      // an `async def`, or a comprehension that awaits; with generator: an asynchronous generator
  bool is_lambda = false;
  bool needs_class_cell = false;  // class scope whose methods use __class__
  std::string private_class;   // for mangling; empty: none
  std::map<std::string, Symbol, std::less<>> symbols;
  std::vector<std::string> order;  // names in order of their first appearance
  std::vector<std::string> free;   // sorted; variables of enclosing functions that pass through or are used here
  std::vector<std::unique_ptr<Scope>> children;

  const Symbol* Find(std::string_view name) const {
    auto it = symbols.find(name);
    return it == symbols.end() ? nullptr : &it->second;
  }
};

std::string MangleName(std::string_view private_class, std::string_view name);

class SymbolTable {
 public:
  // False: *error says why.
  bool Build(const Source& source, const Module& module, SyntaxErrorInfo* error);
  Scope* module() const { return module_.get(); }
  // The scope that a function, class, lambda or comprehension node opens.
  Scope* Of(const void* node) const { return scopes_.at(node); }

 private:
  friend class SymbolBuilder;
  std::unique_ptr<Scope> module_;
  std::unordered_map<const void*, Scope*> scopes_;
};

}  // namespace tidepool::rt::lang

#endif  // TIDEPOOL_RUNTIME_LANG_SYMTABLE_H_
