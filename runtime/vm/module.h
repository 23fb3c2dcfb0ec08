// Modules: native ones are registered in a table, Python ones come from the bundled sources or from a file
// beside the script.
//
//   const ModuleDef kTimeModule = {"time", kTimeFunctions, InitTime};
//
// runtime/modules defines kNativeModules (table of all, ends with null) and FindBundledSource.
#ifndef TIDEPOOL_RUNTIME_VM_MODULE_H_
#define TIDEPOOL_RUNTIME_VM_MODULE_H_

#include <string_view>

#include "tidepool/runtime/vm/call.h"
#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/context.h"

namespace tidepool::rt {

struct Module : Object {
  static constexpr Layout kLayout = Layout::kModule;
  Slot dict;   // Dict, never changes
};

struct ModuleDef {
  const char* name;                               // "concurrent.futures"
  const MethodDef* functions;                     // may be null; ends with {nullptr}
  bool (*init)(Context& cx, Module* module);      // may be null; adds classes and constants
  const char* doc = nullptr;
};

extern const ModuleDef* const kNativeModules[];   // defined by runtime/modules; ends with nullptr
// Source text of a bundled Python module ("queue"), or a null view.  Defined by runtime/modules.
std::string_view FindBundledSource(std::string_view name);

Ref NewModule(Context& cx, std::string_view name);
Dict* ModuleDict(Module* m);
// module.name = value.  Takes the value over; false also if it is null (so results can be passed on).
bool AddToModule(Context& cx, Module* m, const char* name, Ref value);
bool AddToModule(Context& cx, Module* m, const char* name, Class* cls);
// Imports by dotted name and returns that very module ("a.b" gives b).  Null: ImportError etc. pending.
Ref ImportModule(Context& cx, std::string_view name);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_MODULE_H_
