// Exception objects and tracebacks.
#ifndef TIDEPOOL_RUNTIME_VM_EXCEPTION_H_
#define TIDEPOOL_RUNTIME_VM_EXCEPTION_H_

#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/frame.h"

namespace tidepool::rt {

struct Exception : Object {
  static constexpr Layout kLayout = Layout::kException;
  Slot args;               // Tuple
  Slot traceback;          // Traceback or null
  Slot cause;              // exception or null
  Slot context;            // exception or null
  Slot extra;              // by class: OSError's filename, ImportError's name, AttributeError's and NameError's name
  Slot extra2;             // AttributeError's obj
  Atomic<uint8_t> suppress_context;
};

struct Traceback : Object {
  static constexpr Layout kLayout = Layout::kTraceback;
  Slot next;               // towards the place of the raise, or null
  Slot frame;              // FrameObject
  const uint32_t* pc;
};

// A new exception cls(args...).
Ref NewException(Context& cx, Class* cls, const Value* args, size_t n);
// Puts an entry for `f` in front of the pending exception's traceback.
void AddTraceback(Context& cx, Frame* f);
// The exception being handled, or null.
Value HandledNow(Context& cx);
// Sets __context__ of `e` to what is being handled, avoiding cycles.
void ChainContext(Context& cx, Exception* e);
// Makes `cause` the __cause__ and __context__ of the pending exception, as `raise .. from cause` in its handler does.
void ChainCause(Context& cx, Ref cause);
// exc matches class or tuple: 1, 0, -1.
int ExceptionMatches(Context& cx, Value exc, Value type);

bool InitExceptionTypes(Context& cx);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_EXCEPTION_H_
