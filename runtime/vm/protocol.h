// The generic operations: what every part of the runtime uses to treat objects without knowing their kind.
//
// Results follow value.h: null Ref, false or -1 mean that an exception is pending.
#ifndef TIDEPOOL_RUNTIME_VM_PROTOCOL_H_
#define TIDEPOOL_RUNTIME_VM_PROTOCOL_H_

#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/context.h"
#include "tidepool/runtime/vm/value.h"

namespace tidepool::rt {

// ---- attributes
Ref GetAttr(Context& cx, Value obj, Str* name);
// Null without exception if there is no such attribute (AttributeError swallowed).
Ref GetAttrOptional(Context& cx, Value obj, Str* name);
bool SetAttr(Context& cx, Value obj, Str* name, Value value);   // value null: delete
Ref GenericGetAttr(Context& cx, Value obj, Str* name);
bool GenericSetAttr(Context& cx, Value obj, Str* name, Value value);
// By C string (interned on the way: for cold paths).
Ref GetAttr(Context& cx, Value obj, const char* name);

// ---- items, length, truth
Ref GetItem(Context& cx, Value obj, Value key);
bool SetItem(Context& cx, Value obj, Value key, Value value);
bool DelItem(Context& cx, Value obj, Value key);
int64_t Len(Context& cx, Value obj);                            // -1: exception
int64_t LengthHint(Context& cx, Value obj, int64_t fallback);   // never fails
int IsTrue(Context& cx, Value obj);                             // 1, 0, -1
int Contains(Context& cx, Value container, Value item);

// ---- text and hash
Ref Repr(Context& cx, Value obj);                               // a Str
Ref ToString(Context& cx, Value obj);                           // str(obj): a Str
Ref Format(Context& cx, Value obj, Value spec);                 // format(obj, spec): spec a Str or null
bool Hash(Context& cx, Value obj, int64_t* out);

// ---- comparison
Ref Compare(Context& cx, Value a, Value b, CompareOp op);       // any object
int CompareBoolSlow(Context& cx, Value a, Value b, CompareOp op);
template <class T>
bool CompareNumbers(T a, T b, CompareOp op) {
  switch (op) {
    case CompareOp::kLt: return a < b;
    case CompareOp::kLe: return a <= b;
    case CompareOp::kEq: return a == b;
    case CompareOp::kNe: return a != b;
    case CompareOp::kGt: return a > b;
    default: return a >= b;
  }
}
// The truth of a comparison; identity does NOT shortcut.
inline int CompareBool(Context& cx, Value a, Value b, CompareOp op) {
  if (Value::BothSmallInts(a, b)) return CompareNumbers(a.small_int(), b.small_int(), op);
  if (Value::BothSmallFloats(a, b)) return CompareNumbers(a.small_float(), b.small_float(), op);
  return CompareBoolSlow(cx, a, b, op);
}
int Equal(Context& cx, Value a, Value b);                       // a is b or a == b (what containers use)

// ---- arithmetic
Ref Binary(Context& cx, BinaryOp op, Value a, Value b);
Ref Inplace(Context& cx, BinaryOp op, Value a, Value b);
Ref Unary(Context& cx, UnaryOp op, Value v);
Ref Power(Context& cx, Value base, Value exponent, Value modulus);  // pow(): modulus may be null or None
Ref Index(Context& cx, Value v);                                // __index__: an int
const char* BinaryOpText(BinaryOp op);                          // "+"

// ---- iteration
Ref Iter(Context& cx, Value obj);
// The next item; null without exception: exhausted (StopIteration swallowed). Passes a safepoint now and then, as iterators
// that are written in Python do at every call: native loops over native iterators are stopped and interrupted by this.
Ref Next(Context& cx, Value iterator);
// Where native code puts the items of an iterator that it runs to its end. A generator asks it at each yield, inside the
// interpreter: if it takes the value over (true), the generator goes on at once, and entering and leaving the interpreter is
// saved. It runs no script, raises nothing and passes no safepoint; what would need that it refuses.
struct ItemSink {
  explicit ItemSink(bool (*t)(Context& cx, ItemSink* self, Value owned)) : take(t) {}
  bool (*take)(Context& cx, ItemSink* self, Value owned);
};
// As Next, but only what the sink does not take comes out; of other iterators than generators that is everything.
Ref NextOrSink(Context& cx, Value iterator, ItemSink* sink);
// Calls fn(Value item) -> bool (false: stop with an exception pending) for every item.
template <class Fn>
bool Iterate(Context& cx, Value iterable, Fn&& fn) {
  Ref it = Iter(cx, iterable);
  if (!it) return false;
  for (;;) {
    Ref item = Next(cx, it);
    if (!item) return !cx.has_exception();
    if (!fn(item.get())) return false;
  }
}

// ---- instance checks with __instancecheck__, tuples and unions: 1, 0, -1
// Without hooks, but what `__class__` says counts too (proxies): 1, 0, -1.
int IsRealInstance(Context& cx, Value obj, const Class* cls);
int IsInstanceOf(Context& cx, Value obj, Value class_or_tuple);
int IsSubclassOf(Context& cx, Value cls, Value class_or_tuple);
bool IsCallable(Context& cx, Value obj);

// A safepoint for long native loops: lets a stop pass and runs pending finalizers.  No borrowed pointers across it.
inline void Safepoint(Context& cx) { cx.ts->Safepoint(); }
// The same once in 1024 rounds of a loop, whose number is given: a stop waits some microseconds for it, and the loop does
// not notice.
inline void SafepointInLoop(Context& cx, uint64_t round) {
  if ((round & 1023) == 1023) cx.ts->Safepoint();
}

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_PROTOCOL_H_
