// membarrier(2): registered on first use, then about a microsecond for each running
// thread.
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tidepool/allocator/internal/process_barrier.h"

namespace tidepool::internal {
namespace {
constexpr int kPrivateExpedited = 1 << 3;
constexpr int kRegisterPrivateExpedited = 1 << 4;
}  // namespace

bool ProcessBarrier() {
#ifdef SYS_membarrier
  int saved = errno;  // callers below malloc must not change errno
  static const bool registered =
      syscall(SYS_membarrier, kRegisterPrivateExpedited, 0, 0) == 0;
  bool done =
      registered && syscall(SYS_membarrier, kPrivateExpedited, 0, 0) == 0;
  errno = saved;
  return done;
#else
  return false;
#endif
}

}  // namespace tidepool::internal
