// The hooks that code under test has for the deterministic scheduler.
//
// In the `sched` build (TIDEPOOL_SCHED) every Atomic operation calls Point(),
// and every loop that waits by spinning calls Yield(); on a thread that runs
// under a scheduler these may switch to another thread, on any other thread
// they are one thread-local load. In all other builds both are nothing. The
// scheduler itself is in sched.h, which only tests include.
#ifndef TIDEPOOL_BASE_SCHED_POINT_H_
#define TIDEPOOL_BASE_SCHED_POINT_H_

#include "tidepool/base/tls.h"

namespace tidepool::sched {

#ifdef TIDEPOOL_SCHED

namespace internal {
struct Task;
extern TIDEPOOL_TLS Task* t_task;
void PointSlow();
void YieldSlow();
}  // namespace internal

// True on a thread that a scheduler controls.
inline bool Controlled() { return internal::t_task != nullptr; }

// Another thread may run here.
inline void Point() {
  if (__builtin_expect(Controlled(), 0)) internal::PointSlow();
}

// The caller cannot go on until another thread has done something.
inline void Yield() {
  if (__builtin_expect(Controlled(), 0)) internal::YieldSlow();
}

#else

inline constexpr bool Controlled() { return false; }
inline void Point() {}
inline void Yield() {}

#endif

}  // namespace tidepool::sched

#endif  // TIDEPOOL_BASE_SCHED_POINT_H_
