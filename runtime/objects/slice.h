// slice objects, and what a slice means for a sequence of a given length.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_SLICE_H_
#define TIDEPOOL_RUNTIME_OBJECTS_SLICE_H_

#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/context.h"
#include "tidepool/runtime/vm/value.h"

namespace tidepool::rt {

struct Slice : Object {
  static constexpr Layout kLayout = Layout::kSlice;
  Value start, stop, step;  // owned, never null
};

Ref NewSlice(Context& cx, Value start, Value stop, Value step);  // null: None

struct SliceRange {
  int64_t start, stop, step;
  int64_t count;  // items
};
// The parts as clamped integers (may run __index__); ValueError for step 0.
bool UnpackSlice(Context& cx, Slice* s, SliceRange* out);
// The same where the parts are small ints or None (no `step`: None), so that no slice object is needed. False: go the long
// way, nothing is raised.
bool PlainSlice(Context& cx, Value start, Value stop, Value step, SliceRange* out);
// Then, for a length: fills in count and normalises start and stop.
void AdjustSlice(int64_t length, SliceRange* range);
// Both.
bool SliceIndices(Context& cx, Slice* s, int64_t length, SliceRange* out);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_SLICE_H_
