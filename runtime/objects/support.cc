// Helpers of the builtin types: see support.h. Invariant: Drops owns what lies below size_.
#include "tidepool/runtime/objects/support.h"

#include <cstring>

#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/vm/call.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {

Drops::~Drops() {
  // The array is private by now, so dropping may run what it likes.
  while (size_ > 0) DecrefValue(cx_.ts, items_[--size_]);
  if (items_ != inline_) FreeRaw(cx_, items_);
}

bool Drops::Reserve(size_t n) {
  if (n <= room_) return true;
  size_t room = room_ * 2 < n ? n : room_ * 2;
  auto* items = static_cast<Value*>(cx_.ts->heap()->Allocate(HeapKind::kRaw, room * sizeof(Value)));
  if (items == nullptr) return false;
  std::memcpy(static_cast<void*>(items), items_, size_ * sizeof(Value));
  if (items_ != inline_) FreeRaw(cx_, items_);
  items_ = items;
  room_ = room;
  return true;
}

bool RoomFor(Context& cx, int64_t bytes) {
  if (bytes < (int64_t{1} << 20)) return true;
  void* p = bytes > (int64_t{1} << 46) ? nullptr : cx.ts->heap()->Allocate(HeapKind::kRaw, static_cast<size_t>(bytes));
  if (p == nullptr) {
    RaiseMemoryError(cx);
    return false;
  }
  FreeRaw(cx, p);
  return true;
}

static bool Fitting(Context& cx, Value v, int64_t* out, Class* error) {
  if (v.is_small_int()) {
    *out = v.small_int();
    return true;
  }
  Ref i = Index(cx, v);
  if (!i) return false;
  if (IntToInt64(i, out)) return true;
  Raise(cx, error, "cannot fit '%s' into an index-sized integer", ClassName(cx, v));
  return false;
}

bool RepeatCount(Context& cx, Value v, int64_t* out) { return Fitting(cx, v, out, cx.rt.exc.OverflowError); }
bool ItemIndex(Context& cx, Value v, int64_t* out) { return Fitting(cx, v, out, cx.rt.exc.IndexError); }

bool SliceBounds(Context& cx, Value start, Value end, int64_t size, int64_t* from, int64_t* to) {
  auto one = [&](Value v, int64_t fallback, int64_t* out) {
    *out = fallback;
    if (!v || v == cx.None()) return true;
    if (!v.is_small_int() && !IsInt(v)) {
      Class* cls = ClassOf(cx, v);
      if (cls->slots.index == nullptr) {
        RaiseTypeError(cx, "slice indices must be integers or None or have an __index__ method");
        return false;
      }
    }
    if (!ToIndexClamped(cx, v, out)) return false;
    if (*out < 0) *out = *out + size < 0 ? 0 : *out + size;
    return true;
  };
  if (!one(start, 0, from) || !one(end, size, to)) return false;
  if (*to > size) *to = size;
  return true;
}

}  // namespace tidepool::rt
