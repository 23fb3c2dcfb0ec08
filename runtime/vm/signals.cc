// Ctrl-C.  See signals.h.
#include "tidepool/runtime/vm/signals.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

#include "tidepool/object/isolate.h"
#include "tidepool/runtime/vm/call.h"
#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/runtime.h"

namespace tidepool::rt {
namespace {

// Process-wide, because signals are.  Set by the handler, taken by the main thread.
Atomic<int> g_interrupted;
Atomic<ThreadState*> g_main_thread;
Atomic<int> g_wake_fd;  // an eventfd, 0: none. Made once, never closed: a handler may be about to write.

void OnInterrupt(int) {
  const int saved_errno = errno;
  g_interrupted.store(1, kRelaxed);
  const int fd = g_wake_fd.load(kRelaxed);
  const uint64_t one = 1;
  if (fd != 0 && write(fd, &one, sizeof one) < 0) {
    // Full: readable it is.
  }
  errno = saved_errno;
  ThreadState* ts = g_main_thread.load(kRelaxed);
  if (ts != nullptr) ts->RequestBreak(kBreakEmbedder);  // one atomic or: safe in a handler
}

}  // namespace

void NoticeSignal(ThreadState* ts) {
  Context* cx = static_cast<Context*>(ts->embedder_data);
  if (cx == nullptr || g_main_thread.load(kRelaxed) != ts) return;
  cx->signal_pending = true;
  // This safepoint may be one of a loop of ours that does not look: the next one asks again, until CheckSignals took it.
  if (InterruptPending()) ts->RequestBreak(kBreakEmbedder);
}

bool CheckSignals(Context& cx) {
  cx.signal_pending = false;
  if (g_main_thread.load(kRelaxed) != cx.ts) return true;
  if (g_interrupted.load(kRelaxed) == 0 || g_interrupted.exchange(0, kAcqRel) == 0) return true;
  Ref e = Call(cx, cx.rt.exc.KeyboardInterrupt);
  if (e) RaiseObject(cx, e);
  return false;
}

void InstallSignalHandlers(Context& cx) {
  g_main_thread.store(cx.ts, kRelaxed);
  if (g_wake_fd.load(kRelaxed) == 0) {
    const int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (fd > 0) g_wake_fd.store(fd, kRelaxed);
  }
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  sigaction(SIGINT, &action, nullptr);
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
}

// -1 is left out by poll().
int InterruptFd() {
  const int fd = g_wake_fd.load(kRelaxed);
  return fd != 0 ? fd : -1;
}

// Relaxed: a hint; CheckSignals takes it.
bool InterruptPending() { return g_interrupted.load(kRelaxed) != 0; }

void ClearInterruptFd() {
  uint64_t count;
  if (read(g_wake_fd.load(kRelaxed), &count, sizeof count) < 0) {
    // It was empty.
  }
}

void UninstallSignalHandlers() { g_main_thread.store(nullptr, kRelaxed); }

}  // namespace tidepool::rt
