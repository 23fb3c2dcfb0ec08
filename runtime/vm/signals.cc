// Ctrl-C.  See signals.h.
#include "tidepool/runtime/vm/signals.h"

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

void OnInterrupt(int) {
  g_interrupted.store(1, kRelaxed);
  ThreadState* ts = g_main_thread.load(kRelaxed);
  if (ts != nullptr) ts->RequestBreak(kBreakEmbedder);  // one atomic or: safe in a handler
}

}  // namespace

void NoticeSignal(ThreadState* ts) {
  Context* cx = static_cast<Context*>(ts->embedder_data);
  if (cx != nullptr && g_main_thread.load(kRelaxed) == ts) cx->signal_pending = true;
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
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  sigaction(SIGINT, &action, nullptr);
  struct sigaction ignore = {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
}

void UninstallSignalHandlers() { g_main_thread.store(nullptr, kRelaxed); }

}  // namespace tidepool::rt
