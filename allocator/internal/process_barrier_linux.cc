// membarrier(2): registered on first use, then about a microsecond for each running
// thread.
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
  static const bool registered =
      syscall(SYS_membarrier, kRegisterPrivateExpedited, 0, 0) == 0;
  return registered && syscall(SYS_membarrier, kPrivateExpedited, 0, 0) == 0;
#else
  return false;
#endif
}

}  // namespace tidepool::internal
