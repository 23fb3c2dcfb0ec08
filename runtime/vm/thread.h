// Starting Python threads: the part that the threading module builds on.
//
// SpawnThread starts an OS thread that attaches itself to the isolate, makes its Context, calls
// `target(*args, **kwargs)`, drops target, arguments and result, runs `done` (attached, still a full Context) and
// leaves.  An exception that escapes target goes to `done` (null: none), which prints or stores it.
#ifndef TIDEPOOL_RUNTIME_VM_THREAD_H_
#define TIDEPOOL_RUNTIME_VM_THREAD_H_

#include "tidepool/runtime/vm/context.h"
#include "tidepool/runtime/vm/value.h"

namespace tidepool::rt {

struct ThreadStart {
  Ref target;
  Ref args;      // Tuple
  Ref kwargs;    // Dict or null
  // In the new thread, before target: null or sets things up (thread object, event).  `arg` is the caller's.
  void (*begin)(Context& cx, void* arg) = nullptr;
  // In the new thread, after target's frame, locals and arguments are gone.  `exception` is null or what escaped.
  void (*done)(Context& cx, void* arg, Ref exception) = nullptr;
  // After the thread has left the isolate: no Context any more, must not touch objects (for events of raw memory).
  void (*left)(void* arg) = nullptr;
  void* arg = nullptr;
};

// False: RuntimeError("can't start new thread") or MemoryError is pending.
bool SpawnThread(Context& cx, ThreadStart start);

// Number of threads started by SpawnThread that have not left the isolate.
int RunningThreads(Runtime& rt);
// On the first thread: if no other one runs, it takes locks without atomics (ThreadState::set_alone) until it starts one.
void AloneAgain(Context& cx);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_THREAD_H_
