// The body of a loop that waits by spinning.
//
// SpinPause() tells the processor, and the deterministic scheduler, that the
// caller waits for another thread. Every spin loop calls it, or that loop
// would never end under the scheduler, which runs one thread at a time.
#ifndef TIDEPOOL_BASE_SPIN_H_
#define TIDEPOOL_BASE_SPIN_H_

#include "tidepool/base/sched_point.h"

namespace tidepool {

inline void SpinPause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
  sched::Yield();
}

}  // namespace tidepool

#endif  // TIDEPOOL_BASE_SPIN_H_
