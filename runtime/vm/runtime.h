// Starting and ending a Runtime.
#ifndef TIDEPOOL_RUNTIME_VM_RUNTIME_H_
#define TIDEPOOL_RUNTIME_VM_RUNTIME_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "tidepool/api/vm.h"
#include "tidepool/runtime/vm/context.h"

namespace tidepool::rt {

class LineReader;

// The Context of a thread that is attached: value stack, caches.  Null: no memory.
Context* NewContext(Runtime& rt, ThreadState* ts);
void DeleteContext(Context* cx);
void NoticeSignal(ThreadState* ts);

// A world in which Python runs, with the calling thread as its main thread.
class World {
 public:
  static absl::StatusOr<std::unique_ptr<World>> Create(const Options& options, const RuntimeOptions& runtime_options, Os* os = RealOs());
  // Shuts down: see Finish.
  ~World();

  Context& cx() { return *cx_; }
  Runtime& rt() { return rt_; }

  // Runs source as module __main__.  The exit status; whatever was raised has been reported.
  int RunMain(const std::string& source, const std::string& filename);
  // Runs what a person types, statement by statement, as module __main__, until the input or SystemExit ends it.
  // The exit status.
  int RunInteractive(LineReader& reader);

  // Waits for threads, runs exit functions, releases modules, collects.  Called by the destructor if not before.
  bool Finish();

 private:
  World() = default;
  // Module __main__, in sys.modules.  Null: an exception is pending.
  Ref MakeMain(const char* file);
  int Report();

  std::unique_ptr<Vm> vm_;
  Runtime rt_;
  ThreadState* ts_ = nullptr;
  Context* cx_ = nullptr;
  bool finished_ = false;
};

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_RUNTIME_H_
