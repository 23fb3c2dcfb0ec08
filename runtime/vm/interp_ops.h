// Instructions that are too long for the loop.  Arguments are borrowed; null or false: exception pending.
#ifndef TIDEPOOL_RUNTIME_VM_INTERP_OPS_H_
#define TIDEPOOL_RUNTIME_VM_INTERP_OPS_H_

#include "tidepool/runtime/vm/frame.h"

namespace tidepool::rt {

Ref LoadGlobalSlow(Context& cx, Frame* f, Str* name, InlineCache* c);
// A builtin that is written in Python: it comes with its module when somebody names it. Null without exception: no such name.
Ref LateBuiltin(Context& cx, Str* name);
Ref LoadNameFrom(Context& cx, Frame* f, Str* name);
void RaiseNameError(Context& cx, Str* name);
void RaiseUnbound(Context& cx, Frame* f, uint32_t slot);
bool StoreNameIn(Context& cx, Frame* f, Str* name, Value v);
bool DeleteGlobal(Context& cx, Dict* d, Str* name);
Ref LoadClassDeref(Context& cx, Frame* f, uint32_t slot);

Ref BuildMap(Context& cx, Value* kv, size_t n);
Ref BuildConstKeyMap(Context& cx, Value* values, Tuple* keys);
Ref FormatValue(Context& cx, Value v, Value spec, uint32_t flags);
bool ListExtendStar(Context& cx, Value list, Value iterable);
// What f(*iterable) passes on: a tuple.
Ref StarArguments(Context& cx, Value callable, Value iterable);
bool DictMerge(Context& cx, Value callable, Value dict, Value mapping);
bool DictUpdateFrom(Context& cx, Value dict, Value mapping);
// Fills n values, first item on top (highest address).
bool UnpackSequence(Context& cx, Value seq, size_t n, Value* out);
bool UnpackEx(Context& cx, Value seq, size_t before, size_t after, Value* out);
Ref MakeFunction(Context& cx, Frame* f, Value* operands, uint32_t flags);
Ref GetYieldFromIter(Context& cx, Value v);
// async for: the iterator of v, and what to await for its next item.
Ref GetAiter(Context& cx, Value v);
Ref GetAnext(Context& cx, Value aiter);
// One step of `yield from`: the yielded value; null without exception: finished, *result is the value.
Ref YieldFromStep(Context& cx, Value iterator, Value sent, Ref* result);
// True: the handled exception is raised again (no new traceback entry).
bool RaiseStatement(Context& cx, Value exc, Value cause, uint32_t n);
bool BeforeWith(Context& cx, Value manager, bool is_async, Ref* exit, Ref* result);
Ref WithExceptStart(Context& cx, Value exit, Value exc);
Ref ImportName(Context& cx, Frame* f, Str* name, Value level, Value fromlist);
Ref ImportFrom(Context& cx, Value module, Str* name);
bool SetupAnnotations(Context& cx, Frame* f);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_INTERP_OPS_H_
