// Isolate: one world of objects: its heaps, its threads, its stops.
//
// A process can have several; nothing is shared between them but the page map
// and the OS layer. Objects of one isolate must not refer to another's. A
// thread may have a state in several isolates and is attached to one at a time.
//
// Stopping the world. StopTheWorld(ts) returns when every other thread is
// suspended: attached ones are asked through their breaker word and park at
// their next safepoint; detached ones are kept from coming back. The caller
// stays attached, must not pass safepoints, allocate in ways that wait, or take
// object mutexes until StartTheWorld (debug builds check locks). Stops queue in
// the order of their requests: while it waits for its turn the caller is
// detached, so the stop before it goes on. Threads that start during a stop are
// born suspended; threads that exit are taken out of the count. The thread list
// is stable during a stop.
//
// What a stop costs is the wait for the slowest thread's next safepoint. Its
// time is recorded with the name of the last thread to arrive, and a watchdog
// is told (and may print) the name of a thread that has not arrived after
// watchdog_ns, and again each time the wait has doubled. The bound is the
// embedder's to keep: poll at back edges, detach around what blocks.
//
// Lock order: turn of the stop queue > bucket lock (merge_queue.h) > world
// mutex. Neither lock is held while anything runs, blocks or frees objects.
#ifndef TIDEPOOL_OBJECT_ISOLATE_H_
#define TIDEPOOL_OBJECT_ISOLATE_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "tidepool/allocator/heap_domain.h"
#include "tidepool/allocator/options.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/check.h"
#include "tidepool/base/cond_var.h"
#include "tidepool/base/mutex.h"
#include "tidepool/base/os.h"
#include "tidepool/object/dead_list.h"
#include "tidepool/object/freed_types.h"
#include "tidepool/object/header.h"
#include "tidepool/object/merge_queue.h"
#include "tidepool/object/spread.h"
#include "tidepool/object/thread_state.h"
#include "tidepool/object/type_info.h"
#include "tidepool/object/weakref.h"

namespace tidepool {

// Roots that belong to no thread. The embedder owns the node.
struct RootSet {
  int (*visit)(RootSet* self, Visitor visit, void* arg) = nullptr;
  RootSet* next = nullptr;
};

// What the layers above are called for. All run on an attached thread with the
// world running, at a safepoint or in a deallocation.
struct IsolateHooks {
  // A collection is due (RequestCollection, or the allocator's budget).
  void (*collect)(ThreadState* ts, void* arg) = nullptr;
  void* collect_arg = nullptr;
  // A weakref died with a callback. `callback` is a reference that the hook
  // borrows. Null: callbacks are dropped without being run.
  void (*weakref_callback)(ThreadState* ts, WeakRef* ref, uintptr_t callback,
                           void* arg) = nullptr;
  void* weakref_arg = nullptr;
};

struct StopStats {
  uint64_t stops = 0;
  uint64_t last_ns = 0;   // time to stop
  uint64_t max_ns = 0;
  uint64_t total_ns = 0;
  char last_name[32] = {0};  // the last thread to arrive in the last stop
  char max_name[32] = {0};   // and in the slowest one
  // times[i]: stops that took less than 2^i us, and at least half of that if i > 0;
  // the last one is open. From the request to the last thread's arrival.
  static constexpr int kTimes = 28;
  uint64_t times[kTimes] = {};
};

// A thread that does not arrive.
struct StopDelay {
  const char* thread_name;
  uint64_t tid;
  uint64_t waited_ns;   // since the stop was asked for
  uint64_t since_ns;    // MonotonicNs() when it was asked for
  size_t missing;       // threads that have not arrived
};
using StopWatchdog = void (*)(const StopDelay& delay, void* arg);

class Isolate {
 public:
  // Creation fails cleanly and can be tried again.
  static absl::StatusOr<std::unique_ptr<Isolate>> Create(const Options& options,
                                                         Os* os = RealOs());
  // All threads have left, or stay detached for ever. Objects that are still
  // there go with the heap, without finalizers. An attached thread is Fatal.
  ~Isolate();
  Isolate(const Isolate&) = delete;
  Isolate& operator=(const Isolate&) = delete;

  // Makes a state for the calling thread and attaches it; if it has one here
  // already, attaches that (calls nest: as many LeaveThread). Null: no memory.
  // Waits for a stop of the world to end. The name is cut at 31 characters.
  ThreadState* AttachThread(const char* name);
  // For good: merges and frees what is queued, hands everything over. Attached
  // or detached; the state is gone afterwards.
  void LeaveThread(ThreadState* ts);

  HeapDomain& heap() { return *heap_; }
  const Options& options() const { return options_; }
  Os* os() const { return os_; }

  void StopTheWorld(ThreadState* ts);
  void StartTheWorld(ThreadState* ts);
  // True between the two, for the thread that stopped it.
  bool StoppedBy(const ThreadState* ts) const {
    // Relaxed: a thread asks about itself.
    return stopper_.load(kRelaxed) == ts;
  }

  // --- In a stop, by the thread that stopped. ---
  void ForEachThread(absl::FunctionRef<void(ThreadState*)> fn);
  // All isolate roots and all threads' roots. Stops at the first result != 0.
  int VisitRoots(Visitor visit, void* arg);
  // Every queued count of every thread is merged; what died lies on self's
  // dead list afterwards (untracked), to be drained after the start.
  void MergeAllQueues(ThreadState* self);
  // Also looks through all pages for objects that are marked queued and are in
  // no queue (queueing ran out of memory). Done by MergeAllQueues if needed.
  void MergeLostObjects(ThreadState* self);

  // Any thread. Some attached thread's next safepoint calls hooks.collect.
  void RequestCollection();
  // Asks every attached thread for a safepoint.
  void RequestSafepoints(uint32_t bits);

  void SetHooks(const IsolateHooks& hooks) { hooks_ = hooks; }
  const IsolateHooks& hooks() const { return hooks_; }
  void AddRoots(RootSet* roots);
  void RemoveRoots(RootSet* roots);

  // Default: one second, a line on stderr. 0 turns it off.
  void SetWatchdog(uint64_t watchdog_ns, StopWatchdog watchdog, void* arg);
  StopStats stop_stats();

  size_t thread_count();

  // fork(), by an attached thread with no object mutex held (fork.cc).
  // PrepareFork stops the world and takes every lock of the isolate; one of
  // the others follows in each process. In the child the other threads do not
  // exist: their states go, what they had queued or listed is this thread's,
  // their objects are merged when they are dropped, and references on their
  // stacks stay counted for ever.
  void PrepareFork(ThreadState* ts);
  void ParentAfterFork(ThreadState* ts);
  void ChildAfterFork(ThreadState* ts);

  // Every n-th stop ends with CheckHeaders (invariants.h). 0: never. Default:
  // 16 in debug builds, else 0.
  void SetStopChecks(uint32_t n) { stop_checks_.store(n, kRelaxed); }

  MergeTable& merge_table() { return merge_table_; }
  WeakRefTable& weakrefs() { return weakrefs_; }
  SpreadTable& spread() { return spread_; }

  void* embedder_data = nullptr;

 private:
  friend class ThreadState;
  friend class MergeTable;
  friend struct ThreadStateAccess;

#if TIDEPOOL_DCHECK_IS_ON
  static constexpr uint32_t kDefaultStopChecks = 16;
#else
  static constexpr uint32_t kDefaultStopChecks = 0;
#endif

  Isolate(const Options& options, Os* os) : options_(options), os_(os) {}

  // stop_world.cc.
  void TakeTurn(ThreadState* ts);
  void AskToStop(ThreadState* other)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(world_mutex_);
  void AwaitAll(uint64_t start_ns) ABSL_EXCLUSIVE_LOCKS_REQUIRED(world_mutex_);
  void TellWatchdog(uint64_t start_ns)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(world_mutex_);
  void ArrivedLocked(ThreadState* ts)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(world_mutex_);
  // A thread became detached while a stop may wait for it.
  void ReportDetached(ThreadState* ts);
  // A thread at a safepoint: suspends it (T3) if a stop waits for it. False if
  // there is no such stop.
  bool SuspendForStop(ThreadState* ts);
  void Resume(ThreadState* ts) ABSL_EXCLUSIVE_LOCKS_REQUIRED(world_mutex_);
  ThreadState* FirstThread();

  // fork.cc.
  void UnlockAfterFork();
  void BuryThread(ThreadState* ts, ThreadState* self);

  // isolate.cc.
  void LinkThread(ThreadState* ts);
  void UnlinkThread(ThreadState* ts);
  void RequestBreakAllLocked(uint32_t bits)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(world_mutex_);
  void PassOnLost(ThreadState* ts);
  void CollectIfWanted(ThreadState* ts);
  void PushOrphans(DeadList& list);
  void TakeOrphans(DeadList& list);

  const Options options_;
  Os* const os_;
  std::unique_ptr<HeapDomain> heap_;
  std::unique_ptr<FreedTypes> freed_types_;  // or null
  IsolateHooks hooks_;
  MergeTable merge_table_;
  WeakRefTable weakrefs_;
  SpreadTable spread_;

  Mutex world_mutex_{0};
  CondVar arrived_{0};    // a thread the stopper waits for has arrived
  CondVar turn_{0};       // next_turn_ has moved
  ThreadState* threads_ ABSL_GUARDED_BY(world_mutex_) = nullptr;
  size_t thread_count_ ABSL_GUARDED_BY(world_mutex_) = 0;
  uint64_t next_serial_ ABSL_GUARDED_BY(world_mutex_) = 1;
  uint64_t last_turn_ ABSL_GUARDED_BY(world_mutex_) = 0;  // handed out
  uint64_t next_turn_ ABSL_GUARDED_BY(world_mutex_) = 1;  // being served
  bool stopping_ ABSL_GUARDED_BY(world_mutex_) = false;   // asked for or stopped
  size_t missing_ ABSL_GUARDED_BY(world_mutex_) = 0;
  char last_arrived_[32] ABSL_GUARDED_BY(world_mutex_) = {0};
  StopStats stats_ ABSL_GUARDED_BY(world_mutex_);
  uint64_t watchdog_ns_ ABSL_GUARDED_BY(world_mutex_) = 1'000'000'000;
  StopWatchdog watchdog_ ABSL_GUARDED_BY(world_mutex_) = nullptr;
  void* watchdog_arg_ ABSL_GUARDED_BY(world_mutex_) = nullptr;
  RootSet* roots_ ABSL_GUARDED_BY(world_mutex_) = nullptr;
  Atomic<const ThreadState*> stopper_{nullptr};

  Mutex orphan_mutex_{0};
  DeadList orphans_ ABSL_GUARDED_BY(orphan_mutex_);
  Atomic<uint32_t> stop_checks_{kDefaultStopChecks};
  uint32_t stops_since_check_ = 0;  // in a stop
  Atomic<uint32_t> lost_objects_{0};
  Atomic<uint32_t> collect_wanted_{0};
};

// Stops the world for a scope.
class StopScope {
 public:
  explicit StopScope(ThreadState* ts) : ts_(ts) {
    ts_->isolate()->StopTheWorld(ts_);
  }
  ~StopScope() { ts_->isolate()->StartTheWorld(ts_); }
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  ThreadState* ts_;
};

}  // namespace tidepool

#endif  // TIDEPOOL_OBJECT_ISOLATE_H_
