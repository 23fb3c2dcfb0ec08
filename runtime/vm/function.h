// Python functions, bound methods, cells, and the objects that stand for native functions.
#ifndef TIDEPOOL_RUNTIME_VM_FUNCTION_H_
#define TIDEPOOL_RUNTIME_VM_FUNCTION_H_

#include "tidepool/runtime/vm/call.h"
#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/code.h"

namespace tidepool::rt {

struct Function : Object {
  static constexpr Layout kLayout = Layout::kFunction;
  Code* code;          // immortal
  Slot globals;        // Dict, never changes
  Slot closure;        // Tuple of cells or null, never changes
  Slot name, qualname; // Str
  Slot defaults;       // Tuple or null
  Slot kwdefaults;     // Dict or null
  Slot doc, annotations, module_name;
  Atomic<uint8_t> awaitable_generator;  // its generators can be awaited (types.coroutine)
};

struct BoundMethod : Object {
  static constexpr Layout kLayout = Layout::kMethod;
  Slot func;           // never change
  Slot self;
};

struct Cell : Object {
  static constexpr Layout kLayout = Layout::kCell;
  Slot value;
};

// builtin_function_or_method
struct NativeFunction : Object {
  static constexpr Layout kLayout = Layout::kNativeFunction;
  const MethodDef* def;
  Slot self;           // never changes; null for static methods
  Slot module_name;
};

// A native method in a class dict.
struct MethodDescriptor : Object {
  static constexpr Layout kLayout = Layout::kMethodDescriptor;
  const MethodDef* def;
  Class* owner;        // immortal native class
};

// Takes over nothing; null: exception pending.
Ref NewFunction(Context& cx, Code* code, Dict* globals);
Ref NewBoundMethod(Context& cx, Value func, Value self);
Ref NewCell(Context& cx, Ref value);
Ref NewMethodDescriptor(Context& cx, const MethodDef* def, Class* owner);

// Calls a native entry with argument checks; `self` already right.
Ref CallNative(Context& cx, const MethodDef* def, Value self, const Args& args);
// A method descriptor with explicit self in args[0].
Ref CallMethodDescriptor(Context& cx, MethodDescriptor* d, const Args& args);
// A Python function from native code.
Ref CallFunction(Context& cx, Function* f, const Args& args);

bool InitFunctionTypes(Context& cx);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_FUNCTION_H_
