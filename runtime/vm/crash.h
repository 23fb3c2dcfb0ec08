// What the program says when it crashes, before it dies by the same signal.
//
// SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT (a failed check aborts) are caught by a handler that writes to stderr: the
// signal and the address, the options, the native stack, and every thread with its state and the lines of the script
// it is at. The handler calls write() and nothing that allocates or locks; what it reads was made before. It reads other
// threads' frames only where they are detached; should it run into a fault itself, it ends the process at once.
//
// Not in builds with a sanitizer, which reports on its own.
#ifndef TIDEPOOL_RUNTIME_VM_CRASH_H_
#define TIDEPOOL_RUNTIME_VM_CRASH_H_

#include <string>

namespace tidepool::rt {

class Context;

// For the main program. `about`: lines to print (version, options); kept.
void InstallCrashHandler(const std::string& about);

// Called on the thread of the Context: makes it known to the report, with a stack for the handler. And no longer.
void NoteContext(Context* cx);
void ForgetContext(Context* cx);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_CRASH_H_
