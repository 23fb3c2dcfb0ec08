// Ctrl-C.
//
// The handler of SIGINT only sets a flag and asks every thread for a safepoint.  The main thread (the first one of its
// isolate) raises KeyboardInterrupt where it looks: the interpreter after safepoints, and blocking waits, which
// wake up regularly to call CheckSignals.
#ifndef TIDEPOOL_RUNTIME_VM_SIGNALS_H_
#define TIDEPOOL_RUNTIME_VM_SIGNALS_H_

#include "tidepool/runtime/vm/context.h"

namespace tidepool::rt {

// False: KeyboardInterrupt is pending.
bool CheckSignals(Context& cx);
// For the main program.
void InstallSignalHandlers(Context& cx);

// For waits in poll(): a descriptor that SIGINT makes readable, and whether it came (nothing is taken back by asking).
int InterruptFd();
bool InterruptPending();
void ClearInterruptFd();
void UninstallSignalHandlers();

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_SIGNALS_H_
