// Parts of the import machinery that the main program and the start of a Runtime use.
#ifndef TIDEPOOL_RUNTIME_VM_IMPORT_H_
#define TIDEPOOL_RUNTIME_VM_IMPORT_H_

#include <string>
#include <string_view>

#include "tidepool/runtime/lang/compile.h"
#include "tidepool/runtime/vm/code.h"
#include "tidepool/runtime/vm/module.h"

namespace tidepool::rt {

bool InitModuleType(Context& cx);
// Null: SyntaxError (or MemoryError) pending.
Code* CompileSource(Context& cx, std::string_view source, std::string_view filename, const lang::CompileOptions& options = {});
bool ReadFile(const std::string& path, std::string* out);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_IMPORT_H_
