// Module builtins, and what other parts share with it.
#ifndef TIDEPOOL_RUNTIME_VM_BUILTINS_H_
#define TIDEPOOL_RUNTIME_VM_BUILTINS_H_

#include "tidepool/runtime/vm/context.h"

namespace tidepool::rt {

bool InitBuiltins(Context& cx);
Ref DirOf(Context& cx, Value obj);      // list of attribute names, sorted
Ref AsciiOf(Context& cx, Value str);    // with everything beyond ASCII escaped
Ref BuildClass(Context& cx, Value self, const struct Args& args);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_BUILTINS_H_
