// The futex system call. See futex.h.
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "tidepool/base/internal/futex.h"
#include "tidepool/base/os.h"

namespace tidepool::internal {

bool FutexWait(const void* word, uint32_t expected, uint64_t deadline_ns) {
  timespec until;
  timespec* timeout = nullptr;
  if (deadline_ns != kNoDeadline) {
    until.tv_sec = static_cast<time_t>(deadline_ns / 1000000000u);
    until.tv_nsec = static_cast<long>(deadline_ns % 1000000000u);
    timeout = &until;
  }
  int saved = errno;  // callers below malloc must not change errno
  // The BITSET form takes an absolute time of CLOCK_MONOTONIC.
  long rc = syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, expected,
                    timeout, nullptr, FUTEX_BITSET_MATCH_ANY);
  bool in_time = !(rc == -1 && errno == ETIMEDOUT);
  errno = saved;
  return in_time;
}

void FutexWake(const void* word, int count) {
  int saved = errno;
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
  errno = saved;
}

}  // namespace tidepool::internal
