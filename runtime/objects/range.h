// range: start, stop, step and length as integers of any size; immutable.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_RANGE_H_
#define TIDEPOOL_RUNTIME_OBJECTS_RANGE_H_

#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/context.h"
#include "tidepool/runtime/vm/value.h"

namespace tidepool::rt {

struct Range : Object {
  static constexpr Layout kLayout = Layout::kRange;
  Value start, stop, step, length;  // owned ints
};

// All ints; step not 0.
Ref NewRange(Context& cx, Value start, Value stop, Value step);

struct RangeIterator : Object {
  static constexpr Layout kLayout = Layout::kOther;
  // Small ranges: value i is start + i * step, everything is a small int. Shared iterators may give a value
  // twice, never one outside the range: the value is computed from the index taken.
  Atomic<int64_t> next;  // index
  int64_t start;
  int64_t step;
  int64_t length;
  // Big ones (big_start not null): index, start, step and length as ints.
  Slot big_next;
  Value big_start, big_step, big_length;
};

// Small ranges only (big_start is null): the next value, always a small int. False: exhausted.
inline bool RangeIterNext(RangeIterator* it, int64_t* out) {
  int64_t i = it->next.load(kRelaxed);
  if (ABSL_PREDICT_FALSE(i >= it->length)) return false;
  it->next.store(i + 1, kRelaxed);
  *out = it->start + i * it->step;
  return true;
}

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_RANGE_H_
