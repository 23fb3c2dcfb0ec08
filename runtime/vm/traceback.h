// Frame and traceback classes, and writing to stderr.
#ifndef TIDEPOOL_RUNTIME_VM_TRACEBACK_H_
#define TIDEPOOL_RUNTIME_VM_TRACEBACK_H_

#include <string>

#include "tidepool/runtime/vm/context.h"

namespace tidepool::rt {

bool InitTracebackTypes(Context& cx);
// To file descriptor 2, after what the script has printed.
void WriteStderr(Context& cx, const std::string& text);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_TRACEBACK_H_
