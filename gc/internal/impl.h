// The collector's state. See tidepool/gc/collector.h.
//
// Who may touch what:
//   collecting      taken by compare-and-swap by the thread that runs a pass or a slice of
//                   one; whoever has it owns memory, under_way and the figures beside it.
//   open            a pass is under way in slices that the threads that allocate pay for
//                   (collection.cc). Written by the owner of collecting.
//   state_mutex     guards the sums, thresholds, listeners; held for a few stores, never
//                   while anything runs.
//   policy          one thread at a time is inside (policy_guard.h).
// Flags that are read on their own are atomics.

#ifndef TIDEPOOL_GC_INTERNAL_IMPL_H_
#define TIDEPOOL_GC_INTERNAL_IMPL_H_

#include <cstdint>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/cond_var.h"
#include "tidepool/base/mutex.h"
#include "tidepool/gc/collector.h"
#include "tidepool/gc/internal/gc_log.h"
#include "tidepool/gc/internal/pacing.h"
#include "tidepool/gc/internal/pass.h"
#include "tidepool/gc/internal/policy_guard.h"
#include "tidepool/gc/policy.h"
#include "tidepool/object/isolate.h"

namespace tidepool {

class Collector::Impl {
 public:
  Impl(Isolate* isolate, std::unique_ptr<CollectionPolicy> policy_in);
  ~Impl();

  CollectStats Collect(ThreadState* ts, int generation, const char* reason);
  // The isolate's safepoint hook.
  static void CollectHook(ThreadState* ts, void* arg);
  void AtSafepoint(ThreadState* ts);
  void Request(ThreadState* ts, bool force);
  HeapSnapshot Snapshot();
  // Whether collections come by themselves.
  bool Automatically() const;
  // Bytes that threads may allocate before AtSafepoint is called again; fewer if the log's
  // next sample comes before that.
  void SetBudget(uint64_t bytes);
  // True if `ts` is inside the policy, which so calls the collector: notes it.
  bool Refused(ThreadState* ts, const char* what);
  void AskPolicy(ThreadState* ts, const HeapSnapshot& snapshot);

  // In collection.cc.
  bool TryOwn(ThreadState* ts);
  void Disown();
  void Begin(ThreadState* ts, int generation, const char* reason);
  bool Step(ThreadState* ts);
  CollectStats Finish(ThreadState* ts);
  void GiveUp(ThreadState* ts);
  void Automatic(ThreadState* ts, const char* reason);
  void Pace();
  void PayDebt(ThreadState* ts);
  void SetDebt(uint64_t paid);
  void HoldBack(ThreadState* ts);
  // Bytes allocated, and reported from outside, since the collector was made.
  uint64_t Position() const;
  void AddExternal(int64_t bytes);
  absl::Status SetPolicy(ThreadState* ts, absl::string_view spec);
  absl::Status OpenLog(ThreadState* ts, const char* path, uint64_t every);

  bool AddListener(CollectionListener* listener);
  void RemoveListener(ThreadState* ts, CollectionListener* listener);
  void Tell(ThreadState* ts, bool start, const CollectStats& stats);

  // In serving.cc. Hand: true if a serving thread was given the collection.
  bool Hand(const char* reason);
  bool HandOpen();
  // Returns the request's number.
  uint64_t AskServer(const char* reason) ABSL_EXCLUSIVE_LOCKS_REQUIRED(serve_mutex);
  void Serve(ThreadState* ts);
  void StopServing();
  void Drain(ThreadState* ts);
  void PrepareFork(ThreadState* ts);
  void AfterFork(ThreadState* ts);

  Isolate* const isolate;
  const int64_t stress;
  gc_internal::GcLog log;
  gc_internal::PolicyGuard policy;

  Atomic<uint32_t> enabled{1};
  Atomic<uint32_t> collecting{0};
  Atomic<uint32_t> forced{0};
  Atomic<uint32_t> debug_flags{0};
  Atomic<uint64_t> stress_tick{0};

  // Relaxed, all of these: figures that order nothing.
  Atomic<uint64_t> external{0};      // bytes that the embedder reported
  Atomic<uint64_t> external_ask{0};  // at which the policy is to be asked
  Atomic<uint64_t> ask_at{0};        // total allocated at which the policy is to be asked
  Atomic<uint64_t> log_every{0};     // bytes between samples in the log; 0: none
  Atomic<uint64_t> external_grown{0};  // all growth that was reported
  Atomic<uint64_t> pass_start{0};      // Position() when the last pass began
  Atomic<uint64_t> pass_allowance{0};  // bytes that threads may allocate beside it
  Atomic<uint64_t> slice_due{0};       // Position() at which the next slice is to be paid

  static constexpr uint64_t kLeastBudget = gc_internal::kLeastBudget;

  mutable Mutex state_mutex{0};
  uint64_t thresholds[3] ABSL_GUARDED_BY(state_mutex) = {700, 10, 10};
  bool thresholds_explicit ABSL_GUARDED_BY(state_mutex) = false;
  GenerationStats generations[3] ABSL_GUARDED_BY(state_mutex);
  CollectStats last ABSL_GUARDED_BY(state_mutex);
  PauseRecord pauses ABSL_GUARDED_BY(state_mutex);
  uint64_t live_after_last ABSL_GUARDED_BY(state_mutex) = 0;
  uint64_t blocks_after_last ABSL_GUARDED_BY(state_mutex) = 0;
  uint64_t last_end_ns ABSL_GUARDED_BY(state_mutex) = 0;
  uint64_t allocated_at_last ABSL_GUARDED_BY(state_mutex) = 0;
  uint64_t total_gc_ns ABSL_GUARDED_BY(state_mutex) = 0;
  uint64_t collections ABSL_GUARDED_BY(state_mutex) = 0;
  uint64_t since_full ABSL_GUARDED_BY(state_mutex) = 0;
  GarbageVisitor garbage_visitor ABSL_GUARDED_BY(state_mutex) = nullptr;
  void* garbage_arg ABSL_GUARDED_BY(state_mutex) = nullptr;
  CollectionListener* listeners[kMaxListeners] ABSL_GUARDED_BY(state_mutex) = {};
  // The listener that is being called, and by whom.
  CollectionListener* calling ABSL_GUARDED_BY(state_mutex) = nullptr;
  ThreadState* calling_thread ABSL_GUARDED_BY(state_mutex) = nullptr;

  // Serving. requested counts what was asked for, completed how far it was done.
  mutable Mutex serve_mutex{0};
  CondVar serve_changed{0};
  ThreadState* server ABSL_GUARDED_BY(serve_mutex) = nullptr;
  bool serve_stop ABSL_GUARDED_BY(serve_mutex) = false;
  uint64_t requested ABSL_GUARDED_BY(serve_mutex) = 0;
  uint64_t completed ABSL_GUARDED_BY(serve_mutex) = 0;
  const char* serve_reason ABSL_GUARDED_BY(serve_mutex) = "";

  // The pass under way.
  struct UnderWay {
    CollectStats stats;
    HeapSnapshot before;
    HeapSnapshot after;  // at its end
    Plan plan;
    gc_internal::Pass::Hooks hooks;
    uint32_t debug = 0;
    uint64_t start_ns = 0;
    uint64_t stride = 0;   // bytes that pay for a slice
    uint64_t expected = 0; // slices
    uint64_t overdue = 0;  // slices since the allowance was used up
  } under_way;
  uint64_t ns_per_object = gc_internal::kFirstNsPerObject;  // of a pass in slices, learnt

  Atomic<uint32_t> open{0};

  // The thread whose pass is running; it alone may find itself here.
  uint64_t start_ns;  // when the collector was made
  Atomic<ThreadState*> collecting_thread{nullptr};
  // Till then a fork waits, and automatic passes let it in first. A time and not a count:
  // a child of another thread's fork has nobody to take it back.
  Atomic<uint64_t> fork_waits_until_ns{0};
  Atomic<ThreadState*> forking_thread{nullptr};

  gc_internal::PassMemory memory;
};

}  // namespace tidepool

#endif  // TIDEPOOL_GC_INTERNAL_IMPL_H_
