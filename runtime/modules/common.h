// What the native modules share: making and taking apart common objects, and blocking.
//
// Blocking. A call that may wait is made detached (Block below), so that a stop of the world passes and
// the thread counts as quiescent. On the main thread the wait is cut into slices, after each of which
// signals are looked at, so that Ctrl-C ends a wait. Nothing borrowed from shared memory survives it.
#ifndef TIDEPOOL_RUNTIME_MODULES_COMMON_H_
#define TIDEPOOL_RUNTIME_MODULES_COMMON_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tidepool/base/os.h"
#include "tidepool/object/thread_state.h"
#include "tidepool/runtime/objects/bytes.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/float.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/call.h"
#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/context.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/module.h"
#include "tidepool/runtime/vm/protocol.h"
#include "tidepool/runtime/vm/signals.h"
#include "tidepool/runtime/vm/value.h"

namespace tidepool::rt {

inline constexpr uint64_t kSecondNs = 1'000'000'000;

// A str, or a bytes object, as text for the system (file names). False: TypeError pending.
bool PathText(Context& cx, Value v, std::string* out);

// Seconds of a script (int or float, maybe huge) as nanoseconds; false: TypeError, ValueError or OverflowError.
// Negative values are given as they are.
bool ToNanoseconds(Context& cx, Value v, const char* what, int64_t* out);
// A time from now, as a deadline.
uint64_t DeadlineAfter(int64_t ns);

bool IsMainThread(Context& cx);

// Calls wait(deadline_ns) -> bool detached until it says true. 1: it did; 0: the deadline passed; -1: an exception
// is pending.
template <class Wait>
int Block(Context& cx, uint64_t deadline, Wait&& wait) {
  constexpr uint64_t kSlice = kSecondNs / 20;
  for (;;) {
    uint64_t until = deadline;
    if (IsMainThread(cx)) {
      const uint64_t slice = MonotonicNs() + kSlice;
      if (slice < until) until = slice;
    }
    bool done;
    {
      BlockingScope detached(cx.ts);
      done = wait(until);
    }
    if (done) return 1;
    if (until == deadline) return 0;
    if (!CheckSignals(cx)) return -1;
  }
}

// dict[key] = value. Takes the value over; false also if it is null (so results can be passed on).
bool SetItemText(Context& cx, Dict* dict, const char* key, Ref value);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_MODULES_COMMON_H_
