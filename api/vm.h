// Vm: an isolate with its collector, and the scopes in which a thread uses it.
//
//   auto vm = tidepool::Vm::Create();
//   tidepool::ThreadScope thread(**vm, "main");
//   ... thread.ts() ...
//
// A Vm can be made any number of times in a process. Its threads must have left when it
// is destroyed; objects that are still there go with its heap, without finalizers.

#ifndef TIDEPOOL_API_VM_H_
#define TIDEPOOL_API_VM_H_

#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "tidepool/allocator/options.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/mutex.h"
#include "tidepool/gc/collector.h"
#include "tidepool/object/header.h"
#include "tidepool/object/isolate.h"
#include "tidepool/object/thread_state.h"

namespace tidepool {

template <class T>
class Ref;

namespace internal {
// What a Handle holds (local.h).
struct HandleNode {
  ObjectHeader* object;
  HandleNode* next;
};
}  // namespace internal

class Vm {
 public:
  static absl::StatusOr<std::unique_ptr<Vm>> Create(const Options& options = Options(),
                                                    Os* os = RealOs());

  ~Vm();

  // A new T (object_of.h) by the calling, attached thread; null: no memory.
  template <class T, class... Args>
  Ref<T> New(Args&&... args);
  // The same, but collects and tries once more before it gives up, so this is a
  // safepoint. RESOURCE_EXHAUSTED: there is no memory still. FAILED_PRECONDITION: the
  // thread is not attached to this Vm.
  template <class T, class... Args>
  absl::StatusOr<Ref<T>> TryNew(const Args&... args);

  Isolate& isolate() { return *isolate_; }
  Collector& collector() { return *collector_; }
  HeapDomain& heap() { return isolate_->heap(); }

  // A full collection by the calling, attached thread. Returns the garbage found.
  uint64_t Collect(ThreadState* ts) { return collector_->Collect(ts).found(); }

  // Automatic collections; explicit ones always run. Any thread. Between BeginNoGc and
  // EndNoGc (they nest, over all threads) none starts, whatever is set.
  void SetGcEnabled(bool enabled);
  void BeginNoGc();
  void EndNoGc();

  // For handles whose drop found no memory for a thread state.
  void KeepForLater(internal::HandleNode* node);
  internal::HandleNode* TakeKept();

 private:
  Vm(std::unique_ptr<Isolate> isolate, std::unique_ptr<Collector> collector)
      : isolate_(std::move(isolate)), collector_(std::move(collector)) {}

  std::unique_ptr<Isolate> isolate_;
  std::unique_ptr<Collector> collector_;  // after the isolate: goes first
  Atomic<internal::HandleNode*> kept_{nullptr};

  Mutex gc_switch_mutex_{0};
  bool gc_enabled_ ABSL_GUARDED_BY(gc_switch_mutex_) = true;  // while no_gc_ != 0
  uint32_t no_gc_ ABSL_GUARDED_BY(gc_switch_mutex_) = 0;
};

// The calling thread is a mutator of the Vm for the scope. Scopes of one thread nest.
class ThreadScope {
 public:
  explicit ThreadScope(Vm& vm, const char* name = "") : vm_(vm) {
    ts_ = vm.isolate().AttachThread(name);
  }
  ~ThreadScope() {
    if (ts_ != nullptr) vm_.isolate().LeaveThread(ts_);
  }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

  // False: there was no memory for the thread's state.
  explicit operator bool() const { return ts_ != nullptr; }
  absl::Status status() const {
    return ts_ != nullptr ? absl::OkStatus()
                          : absl::ResourceExhaustedError("no memory for a thread's state");
  }
  ThreadState* ts() const { return ts_; }

 private:
  Vm& vm_;
  ThreadState* ts_;
};

// For the scope the thread may block: it touches no object, and a stop of the world does
// not wait for it. (BlockingScope of object/thread_state.h, by the name embedders look for.)
using DetachedScope = BlockingScope;
using AttachScope = ThreadScope;

// No automatic collection of the Vm starts in the scope, on any thread. Scopes nest.
class NoGcScope {
 public:
  explicit NoGcScope(Vm& vm) : vm_(vm) { vm_.BeginNoGc(); }
  ~NoGcScope() { vm_.EndNoGc(); }
  NoGcScope(const NoGcScope&) = delete;
  NoGcScope& operator=(const NoGcScope&) = delete;

 private:
  Vm& vm_;
};

}  // namespace tidepool

#endif  // TIDEPOOL_API_VM_H_
