// Hashing and comparing keys without running a script.
//
// KeyHash takes the short way for strings and small integers. PlainEqual answers for the builtin
// kinds that are nearly all keys, and says -1 when only the general comparison can tell. It
// allocates nothing, raises nothing and drops nothing, so it may run under a container's mutex.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_KEY_EQUAL_H_
#define TIDEPOOL_RUNTIME_OBJECTS_KEY_EQUAL_H_

#include <cmath>
#include <cstring>

#include "tidepool/runtime/objects/bytes.h"
#include "tidepool/runtime/objects/float.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {

inline bool KeyHash(Context& cx, Value key, int64_t* hash) {
  if (IsExact(key, cx.rt.cls.str)) {
    *hash = StrHash(key.as<Str>());
    return true;
  }
  if (key.is_small_int()) {
    int64_t v = key.small_int();
    constexpr int64_t kModulus = (int64_t{1} << 61) - 1;
    *hash = v >= kModulus || v <= -kModulus ? v % kModulus : v;
    if (*hash == -1) *hash = -2;
    return true;
  }
  return Hash(cx, key, hash);
}

inline int PlainEqual(Context& cx, Value a, Value b);

// Two objects of other kinds: the same for short tuples of plain keys.
inline int PlainTuplesEqual(Context& cx, Value a, Value b) {
  constexpr size_t kShort = 6;
  if (!IsExact(a, cx.rt.cls.tuple) || !IsExact(b, cx.rt.cls.tuple)) return -1;
  const auto* x = a.as<Tuple>();
  const auto* y = b.as<Tuple>();
  if (x->length != y->length) return 0;
  if (x->length > kShort) return -1;
  for (size_t i = 0; i < x->length; ++i) {
    const Value p = x->items[i], q = y->items[i];
    if (p == q) continue;
    if (IsExact(p, cx.rt.cls.tuple)) return -1;  // no recursion
    const int same = PlainEqual(cx, p, q);
    if (same != 1) return same;
  }
  return 1;
}

// Not identical. 1, 0, or -1: ask Equal.
inline int PlainEqual(Context& cx, Value a, Value b) {
  const BuiltinClasses& c = cx.rt.cls;
  auto kind = [&](Value v) {
    if (v.is_small_int()) return 2;
    if (v.is_small_float()) return 3;
    const TypeInfo* t = v.object()->type();
    if (t == &c.str->info) return 1;
    if (t == &c.int_->info || t == &c.bool_->info) return 2;
    if (t == &c.float_->info) return 3;
    if (t == &c.bytes->info) return 4;
    if (t == &c.none_type->info) return 5;
    return 0;
  };
  int ka = kind(a);
  int kb = kind(b);
  if (ka == 0 || kb == 0) return ka == kb ? PlainTuplesEqual(cx, a, b) : -1;
  if (ka == kb) {
    switch (ka) {
      case 1: return StrEqual(a.as<Str>(), b.as<Str>());
      case 2: return IntCompare(a, b) == 0;
      case 3: return FloatValue(a) == FloatValue(b);
      case 4: return a.as<Bytes>()->view() == b.as<Bytes>()->view();
      default: return 0;
    }
  }
  if (ka == 2 && kb == 3) return !std::isnan(FloatValue(b)) && IntCompareDouble(a, FloatValue(b)) == 0;
  if (ka == 3 && kb == 2) return !std::isnan(FloatValue(a)) && IntCompareDouble(b, FloatValue(a)) == 0;
  return 0;
}

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_KEY_EQUAL_H_
