// Frame and traceback classes, and writing to stderr.
#ifndef TIDEPOOL_RUNTIME_VM_TRACEBACK_H_
#define TIDEPOOL_RUNTIME_VM_TRACEBACK_H_

#include <string>

#include "tidepool/runtime/vm/context.h"

namespace tidepool::rt {

bool InitTracebackTypes(Context& cx);
// To file descriptor 2, after what the script has printed.
void WriteStderr(Context& cx, const std::string& text);

// For results (Text and ReprText are for messages): appends str(v) or repr(v). False: an exception is pending.
bool AppendText(Context& cx, std::string* out, Value v);
bool AppendRepr(Context& cx, std::string* out, Value v);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_TRACEBACK_H_
