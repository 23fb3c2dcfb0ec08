// tuple: an immutable array of values, so items are read without any protocol while the tuple is held.
//
// A tuple whose items cannot be part of a cycle is never tracked by the collector.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_TUPLE_H_
#define TIDEPOOL_RUNTIME_OBJECTS_TUPLE_H_

#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/context.h"
#include "tidepool/runtime/vm/value.h"

namespace tidepool::rt {

struct Tuple : Object {
  static constexpr Layout kLayout = Layout::kTuple;
  size_t length;
  Value items[];

  size_t size() const { return length; }
  Value Get(size_t i) const { return items[i]; }  // borrowed
};

// Takes new references to the items.
Ref NewTuple(Context& cx, const Value* items, size_t n);
// Takes the caller's references over, also on failure.
Ref NewTupleSteal(Context& cx, Value* items, size_t n);
// The same with the items of `rest` behind them: (a, b) + rest.
Ref NewTupleStealBefore(Context& cx, Value* items, size_t n, const Tuple* rest);
inline Ref Pack(Context& cx, Value a) { return NewTuple(cx, &a, 1); }
inline Ref Pack(Context& cx, Value a, Value b) {
  Value v[] = {a, b};
  return NewTuple(cx, v, 2);
}
inline Ref Pack(Context& cx, Value a, Value b, Value c) {
  Value v[] = {a, b, c};
  return NewTuple(cx, v, 3);
}
// tuple(iterable): exactly a tuple is returned as it is.
Ref TupleFromIterable(Context& cx, Value iterable);
Ref TupleSlice(Context& cx, Tuple* t, size_t start, size_t end);

struct TupleIterator : Object {
  static constexpr Layout kLayout = Layout::kOther;
  Value tuple;           // owned, never changes
  Atomic<int64_t> next;  // index of the next item; -1: exhausted
};
// The next item; null: exhausted.
inline Ref TupleIterNext(TupleIterator* it) {
  // Relaxed: threads that share an iterator may get an item twice, never a wrong one.
  int64_t i = it->next.load(kRelaxed);
  const Tuple* t = it->tuple.as<Tuple>();
  if (i < 0 || static_cast<size_t>(i) >= t->length) {
    it->next.store(-1, kRelaxed);
    return nullptr;
  }
  it->next.store(i + 1, kRelaxed);
  return Ref::New(t->items[i]);
}

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_TUPLE_H_
