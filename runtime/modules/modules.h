// The native modules, and what the rest of the runtime calls in them.
#ifndef TIDEPOOL_RUNTIME_MODULES_MODULES_H_
#define TIDEPOOL_RUNTIME_MODULES_MODULES_H_

#include "tidepool/runtime/vm/context.h"
#include "tidepool/runtime/vm/module.h"

namespace tidepool::rt {

// X(variable): every native module has a ModuleDef of this name.
#define TIDEPOOL_NATIVE_MODULES(X) \
  X(kArrayModule)                  \
  X(kBisectModule)                 \
  X(kCollectionsModule)            \
  X(kCtypesModule)                 \
  X(kFaulthandlerModule)           \
  X(kGcModule)                     \
  X(kHeapqModule)                  \
  X(kIoModule)                     \
  X(kItertoolsModule)              \
  X(kJsonModule)                   \
  X(kMathModule)                   \
  X(kOsModule)                     \
  X(kRandomModule)                 \
  X(kResourceModule)               \
  X(kSysModule)                    \
  X(kTidepoolModule)               \
  X(kThreadModule)                 \
  X(kTimeModule)                   \
  X(kWeakrefModule)                \
  X(kZlibModule)

#define X(variable) extern const ModuleDef variable;
TIDEPOOL_NATIVE_MODULES(X)
#undef X

// Start of a runtime: the weakref class and the hook that runs callbacks.
bool InitWeakRefs(Context& cx);
// Start: sys.argv and friends. `argv[0]` is the script ("-c" with a command).
struct ProgramInfo {
  const char* executable = "";
  int argc = 0;
  const char* const* argv = nullptr;
};
void SetProgramInfo(const ProgramInfo& info);
// sys.exit(), which the builtins exit() and quit() are too.
Ref SysExit(Context& cx, Value, const Args& args);

// Flushes stdout and stderr of the script, if they are ours. False: something is lost, which has been reported (CPython
// exits with status 120 then).
bool FlushStandardStreams(Context& cx);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_MODULES_MODULES_H_
