// Module time: clocks and sleep.
#include <time.h>

#include <cerrno>
#include <cmath>

#include "tidepool/base/event.h"
#include "tidepool/runtime/modules/common.h"
#include "tidepool/runtime/modules/modules.h"
#include "tidepool/runtime/objects/float.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/str.h"

namespace tidepool::rt {
namespace {

int64_t ClockNs(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return t.tv_sec * static_cast<int64_t>(kSecondNs) + t.tv_nsec;
}

template <clockid_t clock>
Ref Seconds(Context& cx, Value, const Args&) {
  return NewFloat(cx, static_cast<double>(ClockNs(clock)) / 1e9);
}
template <clockid_t clock>
Ref Nanoseconds(Context& cx, Value, const Args&) {
  return NewInt(cx, ClockNs(clock));
}

Ref Sleep(Context& cx, Value, const Args& args) {
  int64_t ns;
  if (!ToNanoseconds(cx, args[0], "sleep", &ns)) return nullptr;
  if (ns < 0) return RaiseValueError(cx, "sleep length must be non-negative");
  const uint64_t deadline = DeadlineAfter(ns);
  if (Block(cx, deadline, [](uint64_t until) {
        for (;;) {
          const uint64_t now = MonotonicNs();
          if (now >= until) return false;
          RealOs()->SleepNs(until - now);
        }
      }) < 0) {
    return nullptr;
  }
  return cx.NoneRef();
}

Ref StrFTime(Context& cx, Value, const Args& args) {
  Str* format = ToStr(cx, args[0], "strftime");
  if (format == nullptr) return nullptr;
  time_t now = ::time(nullptr);
  tm parts;
  localtime_r(&now, &parts);
  char text[256];
  const size_t n = std::strftime(text, sizeof text, ToUtf8(format).c_str(), &parts);
  return NewStr(cx, std::string_view(text, n));
}

const MethodDef kFunctions[] = {
    {"time", Seconds<CLOCK_REALTIME>, 0, 0},
    {"time_ns", Nanoseconds<CLOCK_REALTIME>, 0, 0},
    {"monotonic", Seconds<CLOCK_MONOTONIC>, 0, 0},
    {"monotonic_ns", Nanoseconds<CLOCK_MONOTONIC>, 0, 0},
    {"perf_counter", Seconds<CLOCK_MONOTONIC>, 0, 0},
    {"perf_counter_ns", Nanoseconds<CLOCK_MONOTONIC>, 0, 0},
    {"process_time", Seconds<CLOCK_PROCESS_CPUTIME_ID>, 0, 0},
    {"process_time_ns", Nanoseconds<CLOCK_PROCESS_CPUTIME_ID>, 0, 0},
    {"thread_time", Seconds<CLOCK_THREAD_CPUTIME_ID>, 0, 0},
    {"thread_time_ns", Nanoseconds<CLOCK_THREAD_CPUTIME_ID>, 0, 0},
    {"sleep", Sleep, 1, 1},
    {"strftime", StrFTime, 1, 2},
    {},
};

}  // namespace

const ModuleDef kTimeModule = {"time", kFunctions, nullptr};

}  // namespace tidepool::rt
