// Calls: how arguments travel, how native functions are described, how to call anything.
//
// Arguments are borrowed (value.h, V1).  Keyword values need not follow the positional ones in memory.
//
//   Ref ListInsert(Context& cx, Value self, const Args& args)
//   const MethodDef kListMethods[] = {
//       {"append", ListAppend, 1, 1},
//       {"sort", ListSort, 0, 0, kMethodKeywords},   // parses keywords itself
//       {nullptr},
//   };
//
// The caller checks the number of positional arguments and the absence of keywords, so a function without
// kMethodKeywords looks at args[0]... at once.  With kMethodKeywords it gets everything and uses ParseArgs.
#ifndef TIDEPOOL_RUNTIME_VM_CALL_H_
#define TIDEPOOL_RUNTIME_VM_CALL_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "tidepool/runtime/vm/context.h"
#include "tidepool/runtime/vm/value.h"

namespace tidepool::rt {

struct Tuple;

struct Args {
  const Value* pos = nullptr;
  size_t npos = 0;
  Tuple* kwnames = nullptr;        // of interned Strs, or null
  const Value* kwvals = nullptr;
  size_t nkw = 0;

  Args() = default;
  Args(const Value* p, size_t n) : pos(p), npos(n) {}
  Value operator[](size_t i) const { return pos[i]; }
  size_t size() const { return npos; }
  // Positional argument i, or null.
  Value Get(size_t i) const { return i < npos ? pos[i] : Value(); }
  Args Skip(size_t n) const { Args a = *this; a.pos += n; a.npos -= n; return a; }
  Value KwName(size_t i) const;    // call.cc
  // The value of keyword `name` (interned), or null.
  Value Keyword(const Str* name) const;
};

using NativeFn = Ref (*)(Context& cx, Value self, const Args& args);

enum MethodFlags : uint8_t {
  kMethodKeywords = 1,   // parses its arguments itself; min and max are not checked
  kMethodStatic = 2,     // in a class: self is null
  kMethodClass = 4,      // in a class: self is the class
};

// In a class: self is the instance (of the class or a subclass, checked).  In a module: self is the module.
struct MethodDef {
  const char* name = nullptr;
  NativeFn fn = nullptr;
  int16_t min_args = 0;
  int16_t max_args = 0;            // -1: any number
  uint8_t flags = 0;
  const char* doc = nullptr;
};

// Distributes arguments over parameters.  Names: "x" positional or keyword, "/x" positional only, "*x" keyword only
// (in that order: "/" ones, plain ones, "*" ones).  The first `required` parameters must be given.  out[i] is null for
// what is absent.  False: TypeError pending, in CPython's words.
bool ParseArgs(Context& cx, const char* function, const Args& args, std::initializer_list<const char*> names, size_t required, Value* out);
// No keywords; min <= npos <= max (max -1: any).
bool CheckArgCount(Context& cx, const char* function, const Args& args, int min, int max);
bool NoKeywords(Context& cx, const char* function, const Args& args);

// ---- calling -------------------------------------------------------------------------------------

Ref Call(Context& cx, Value callable, const Args& args);
inline Ref Call(Context& cx, Value callable) { return Call(cx, callable, Args()); }
inline Ref Call(Context& cx, Value callable, Value a) { return Call(cx, callable, Args(&a, 1)); }
inline Ref Call(Context& cx, Value callable, Value a, Value b) {
  Value v[] = {a, b};
  return Call(cx, callable, Args(v, 2));
}
inline Ref Call(Context& cx, Value callable, Value a, Value b, Value c) {
  Value v[] = {a, b, c};
  return Call(cx, callable, Args(v, 3));
}
// With a tuple of arguments (or null) and a dict of keywords (or null).
Ref CallWithTuple(Context& cx, Value callable, Value args, Value kwargs);

// obj.name(args...), without making a bound method.
Ref CallMethod(Context& cx, Value obj, Str* name, const Args& args);
inline Ref CallMethod(Context& cx, Value obj, Str* name) { return CallMethod(cx, obj, name, Args()); }
inline Ref CallMethod(Context& cx, Value obj, Str* name, Value a) { return CallMethod(cx, obj, name, Args(&a, 1)); }
inline Ref CallMethod(Context& cx, Value obj, Str* name, Value a, Value b) {
  Value v[] = {a, b};
  return CallMethod(cx, obj, name, Args(v, 2));
}
// type(obj).name(obj, args...): special methods.  Null without exception if the class has none and `found` says false.
Ref CallSpecial(Context& cx, Value obj, Str* name, const Args& args, bool* found);

// A builtin function object (self is bound).
Ref NewNativeFunction(Context& cx, const MethodDef* def, Value self, Value module_name = Value());

// ---- converting arguments (false: an exception is pending) -------------------------------------------

bool ToInt64(Context& cx, Value v, int64_t* out);          // int or __index__; OverflowError if it does not fit
bool ToInt32(Context& cx, Value v, int64_t* out);          // the same for what CPython keeps in a C int
bool ToIndexClamped(Context& cx, Value v, int64_t* out);   // as ToInt64, clamped to int64 (for slices)
bool ToDouble(Context& cx, Value v, double* out);          // float, int, __float__, __index__
// A str or TypeError "NAME() argument must be str, not X".
Str* ToStr(Context& cx, Value v, const char* what);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_CALL_H_
