// Raising and inspecting exceptions from C++.
//
// Raise...() returns a null Ref, so that `return RaiseTypeError(cx, ...)` works in functions that return Ref; in
// functions that return bool or int use `return RaiseTypeError(...), false`.
//
// Formats are printf's plus nothing: pass ClassName(cx, v), a Text(cx, v) for other objects.
#ifndef TIDEPOOL_RUNTIME_VM_ERRORS_H_
#define TIDEPOOL_RUNTIME_VM_ERRORS_H_

#include <string>

#include "tidepool/runtime/vm/context.h"
#include "tidepool/runtime/vm/value.h"

namespace tidepool::rt {

#define TIDEPOOL_PRINTF(a, b) __attribute__((format(printf, a, b)))

// Raises cls(message).
Ref Raise(Context& cx, Class* cls, const char* format, ...) TIDEPOOL_PRINTF(3, 4);
Ref RaiseTypeError(Context& cx, const char* format, ...) TIDEPOOL_PRINTF(2, 3);
Ref RaiseValueError(Context& cx, const char* format, ...) TIDEPOOL_PRINTF(2, 3);
Ref RaiseIndexError(Context& cx, const char* format, ...) TIDEPOOL_PRINTF(2, 3);
Ref RaiseRuntimeError(Context& cx, const char* format, ...) TIDEPOOL_PRINTF(2, 3);
Ref RaiseOverflowError(Context& cx, const char* format, ...) TIDEPOOL_PRINTF(2, 3);
Ref RaiseZeroDivision(Context& cx, const char* format, ...) TIDEPOOL_PRINTF(2, 3);
Ref RaiseAttributeError(Context& cx, Value obj, Str* name);     // "'X' object has no attribute 'y'"
Ref RaiseKeyError(Context& cx, Value key);
Ref RaiseMemoryError(Context& cx);                              // never allocates in vain: falls back to the prepared one
// For a place where any code might run and what failed can simply be done again: if the pending exception is a MemoryError,
// collects at a safepoint. True: memory has become free, and nothing is pending; try once more.
bool ReclaimMemory(Context& cx);
Ref RaiseOsError(Context& cx, int error, const char* path);     // FileNotFoundError etc. by errno
Ref RaiseStopIteration(Context& cx, Value value);               // value null: none

// Raises an exception object or a class (which is called); sets __context__.  Anything else: TypeError.
void RaiseObject(Context& cx, Value exception_or_class);

// Is the pending exception an instance of cls?
bool PendingIs(Context& cx, const Class* cls);
// If it is, clears it and says true.
bool ClearIf(Context& cx, const Class* cls);

// Reports the pending exception on stderr and forgets it ("Exception ignored in: <where>").
void WriteUnraisable(Context& cx, Value where, const char* what = nullptr);
// Prints exception (default: the pending one is taken) with traceback and chain to stderr, as CPython 3.11 does.
void PrintException(Context& cx, Value exception);
std::string FormatException(Context& cx, Value exception);

// str(v) or repr(v) as bytes for messages; "<?>" if it fails (no exception stays pending).
std::string Text(Context& cx, Value v);
std::string ReprText(Context& cx, Value v);

// Raises the RecursionError of the following. False.
bool RaiseNativeStack(Context& cx);
// Guards against running out of C stack in native recursion (repr, compare, calls): false: RecursionError pending.
inline bool CheckNativeStack(Context& cx) {
  if (ABSL_PREDICT_TRUE(reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) > cx.native_stack_limit)) return true;
  return RaiseNativeStack(cx);
}

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_ERRORS_H_
