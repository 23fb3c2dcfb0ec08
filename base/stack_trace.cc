// Walks frame pointers within the bounds of the thread's stack.
#include "tidepool/base/stack_trace.h"

#include <pthread.h>

#include "tidepool/base/sanitizer.h"
#include "tidepool/base/tls.h"

namespace tidepool {
namespace {

// End of this thread's stack; 0: not asked yet, 1: unknown.
TIDEPOOL_TLS uintptr_t t_stack_end = 0;

uintptr_t StackEnd() {
  if (t_stack_end != 0) return t_stack_end;
  t_stack_end = 1;  // an allocation inside the question does not ask again
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 1;
  void* start = nullptr;
  size_t size = 0;
  if (pthread_attr_getstack(&attributes, &start, &size) == 0) {
    t_stack_end = reinterpret_cast<uintptr_t>(start) + size;
  }
  pthread_attr_destroy(&attributes);
  return t_stack_end;
}

}  // namespace

TIDEPOOL_NO_ASAN __attribute__((noinline)) size_t CaptureStack(
    uintptr_t* addresses, size_t most, size_t skip) {
  const uintptr_t end = StackEnd();
  uintptr_t frame = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  size_t count = 0;
  // A frame is the caller's frame pointer and the return address (x86-64, arm64).
  while (count < most && frame != 0 && frame % sizeof(uintptr_t) == 0 &&
         frame + 2 * sizeof(uintptr_t) <= end) {
    const uintptr_t* words = reinterpret_cast<const uintptr_t*>(frame);
    if (words[1] < 4096) break;
    if (skip > 0) {
      --skip;
    } else {
      addresses[count++] = words[1];
    }
    if (words[0] <= frame) break;
    frame = words[0];
  }
  return count;
}

}  // namespace tidepool
