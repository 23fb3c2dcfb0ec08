// Helpers that the native modules share; see common.h.
#include "tidepool/runtime/modules/common.h"

#include <cmath>
#include <limits>

namespace tidepool::rt {

bool PathText(Context& cx, Value v, std::string* out) {
  if (Is<Str>(v)) {
    *out = ToUtf8(v.as<Str>());
  } else if (Is<Bytes>(v)) {
    *out = std::string(v.as<Bytes>()->view());
  } else {
    Str* name = Intern(cx, "__fspath__");
    Ref path = name != nullptr ? GetAttrOptional(cx, v, name) : Ref();
    if (cx.has_exception()) return false;
    Ref text = path ? Call(cx, path) : Ref();
    if (cx.has_exception()) return false;
    if (!text || !Is<Str>(text)) {
      RaiseTypeError(cx, "expected str, bytes or os.PathLike object, not %s", ClassName(cx, v));
      return false;
    }
    *out = ToUtf8(text.as<Str>());
  }
  if (out->find('\0') != std::string::npos) {
    RaiseValueError(cx, "embedded null byte");
    return false;
  }
  return true;
}

bool ToNanoseconds(Context& cx, Value v, const char* what, int64_t* out) {
  constexpr double kLimit = 9.2e9;  // seconds, just below what int64 nanoseconds hold
  double seconds;
  if (v.is_small_int()) {
    const int64_t n = v.small_int();
    if (n < static_cast<int64_t>(kLimit) && n > -static_cast<int64_t>(kLimit)) {
      *out = n * static_cast<int64_t>(kSecondNs);
      return true;
    }
    seconds = static_cast<double>(n);
  } else {
    if (!IsFloat(v) && ClassOf(cx, v)->slots.index == nullptr) {
      return RaiseTypeError(cx, "'%s' object cannot be interpreted as an integer", ClassName(cx, v)), false;
    }
    if (!ToDouble(cx, v, &seconds)) return false;
  }
  (void)what;
  if (std::isnan(seconds)) {
    RaiseValueError(cx, "Invalid value NaN (not a number)");
    return false;
  }
  if (seconds >= kLimit || seconds <= -kLimit) {
    RaiseOverflowError(cx, "timestamp too large to convert to C _PyTime_t");
    return false;
  }
  *out = static_cast<int64_t>(std::ceil(seconds * 1e9));
  return true;
}

uint64_t DeadlineAfter(int64_t ns) {
  const uint64_t now = MonotonicNs();
  return ns <= 0 ? now : now + static_cast<uint64_t>(ns);
}

bool IsMainThread(Context& cx) { return cx.ts->serial() == 1; }

bool SetItemText(Context& cx, Dict* dict, const char* key, Ref value) {
  if (!value) return false;
  Str* name = Intern(cx, key);
  return name != nullptr && DictSetStr(cx, dict, name, value);
}

}  // namespace tidepool::rt
