// ThreadState: a mutator thread in an isolate.
//
// Words: an *attached* thread may touch objects; a *detached* one is blocked or
// in foreign code and may not; a *suspended* one is kept from attaching by a
// stop of the world (it was detached, or parked itself at a safepoint); a
// *held* one is detached and kept so for a moment by a thread that merges
// reference counts for it.
//
// The state word: state, event, next, who, order, partner
//   T1 Detached            Attach       -> Attached            self, CAS acquire (with T2, T6, T8)
//   T2 Attached            Detach       -> Detached            self, CAS seq_cst (with the breaker, below)
//   T3 Attached            safepoint    -> Suspended|Waiting   self, under the world mutex, CAS release
//   T4 Detached            stop         -> Suspended           stopper (or self in Detach), CAS acquire
//   T5 Suspended, Held     Attach       -> same|Waiting        self, CAS; then waits for its event
//   T6 Suspended           start        -> Detached            starter, CAS release
//   T7 Suspended|Waiting   start        -> Attached            starter, CAS release: the thread is
//                          attached on its behalf, so the next stop has to wait for it. A
//                          thread that came back cannot be starved by stop after stop.
//   T8 Held                released     -> Detached            holder, CAS release
//   T9 Held|Waiting        released     -> Attached            holder, CAS release
//   T10 Detached           merge for it -> Held                any attached thread, under the
//                                                              bucket lock, CAS acquire
// Nobody ever stores the word: an attach that overwrote a fresh suspension, or
// a detach that overwrote a grant, would be lost. No state is both Held and
// wanted by a stop: the stopper counts a held thread as one to wait for, and
// the holder, when it lets go, reports for it (Isolate::ReportDetached).
//
// The breaker word: bits that ask the thread to do something at its next
// safepoint, set by anybody with fetch_or. It is what Safepoint() loads.
// Stopper: breaker |= stop (seq_cst), then read the state (seq_cst). Thread:
// state = Detached (seq_cst), then read the breaker (seq_cst). One of the two
// sees the other; the world mutex makes the count exact.
//
// A safepoint is a quiescent state: no pointer that was borrowed from shared
// memory without a reference survives it. Finalizers, weakref callbacks,
// pending calls and collections run at safepoints, so a caller must not hold
// an object mutex there. Blocking (BlockingScope, Detach) begins with one.
// Locks that park (object_mutex.h) detach without running anything: what
// dies then is left to the next safepoint of some thread.
#ifndef TIDEPOOL_OBJECT_THREAD_STATE_H_
#define TIDEPOOL_OBJECT_THREAD_STATE_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "tidepool/allocator/thread_heap.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/event.h"
#include "tidepool/base/tls.h"
#include "tidepool/object/dead_list.h"
#include "tidepool/object/header.h"
#include "tidepool/object/merge_queue.h"
#include "tidepool/object/spread.h"
#include "tidepool/object/type_info.h"

namespace tidepool {

class CriticalSection;
class FreedTypes;
class Isolate;
class ThreadState;

namespace internal {
// The state this OS thread is attached to, or null.
extern TIDEPOOL_TLS ThreadState* g_current_thread_state;
}  // namespace internal

// What the breaker word asks for.
enum Breaker : uint32_t {
  kBreakStop = 1 << 0,     // a stop of the world waits for this thread
  kBreakMerge = 1 << 1,    // its merge queue is not empty
  kBreakDead = 1 << 2,     // its dead list is not empty
  kBreakOrphans = 1 << 3,  // the isolate's list of left-over dead is not empty
  kBreakHeap = 1 << 4,     // the allocator asks (drain, purge, limbo budget)
  kBreakCollect = 1 << 5,  // a collection is wanted
  kBreakCalls = 1 << 6,    // pending calls
  kBreakLost = 1 << 7,     // queueing ran out of memory: stop and merge
  kBreakEmbedder = 1 << 8, // the embedder's own (signals, tracing)
};

// An asynchronous call at a thread's next safepoint. The caller owns the
// memory; `fn` may free it.
struct PendingCall {
  PendingCall* next = nullptr;
  void (*fn)(ThreadState* ts, PendingCall* self) = nullptr;
};

class ThreadState {
 public:
  enum State : uint32_t {
    kDetached = 0,
    kAttached = 1,
    kSuspended = 2,
    kHeld = 3,
    kWaiting = 0x80,  // bit: the thread itself waits to be attached
  };

  // The state that the calling OS thread is attached to; null if detached.
  static ThreadState* Current() { return internal::g_current_thread_state; }

  ThreadState(const ThreadState&) = delete;
  ThreadState& operator=(const ThreadState&) = delete;

  Isolate* isolate() const { return isolate_; }
  ThreadHeap* heap() const { return heap_; }
  uint64_t tid() const { return tid_; }
  const char* name() const { return name_; }
  void SetName(const char* name);
  uint64_t serial() const { return serial_; }  // 1, 2, ... in the isolate

  bool attached() const {
    // Relaxed: a thread asks about itself, or wants a hint.
    return state_.load(kRelaxed) == kAttached;
  }
  uint32_t state_for_debug() const { return state_.load(kRelaxed); }

  // May park for a stop, merge, free, finalize, collect, run pending calls.
  ABSL_ATTRIBUTE_ALWAYS_INLINE void Safepoint() {
    // Relaxed: the bits are requests, what they are about is read under locks.
    if (ABSL_PREDICT_FALSE(breaker_.load(kRelaxed) != 0)) SafepointSlow();
  }
  bool safepoint_wanted() const { return breaker_.load(kRelaxed) != 0; }

  // Sets breaker bits; any thread (this state must be kept from exiting).
  void RequestBreak(uint32_t bits) {
    // seq_cst: see "the breaker word" above.
    breaker_.fetch_or(bits, kSeqCst);
  }
  // Any thread may add one; calls run in the order of their addition.
  void AddPendingCall(PendingCall* call);

  // The calling thread stops touching objects. Begins with a safepoint.
  void Detach();
  // Comes back; waits for the end of a stop.
  void Attach();
  // As Detach, but runs nothing (for locks): see above.
  void DetachForLock();

  // While a thread is *alone* it takes object mutexes by plain stores
  // (object_mutex.h): an uncontended atomic costs more than what most of them
  // protect. The embedder says so, because only it knows when the next thread
  // comes: set it while this thread is the isolate's only one, and clear it, on
  // this thread, before another one is started or may attach. A thread that
  // attaches while another is alone is a fatal error.
  void set_alone(bool alone);
  bool alone() const {
    // Relaxed: written by this thread only; others look under the world mutex.
    return alone_.load(kRelaxed);
  }

  // The embedder's, one per thread.
  void* embedder_data = nullptr;
  // Visits what the thread's stacks and handles refer to; during a stop.
  int (*visit_roots)(ThreadState* ts, Visitor visit, void* arg) = nullptr;
  // Called at a safepoint that finds kBreakEmbedder.
  void (*on_break)(ThreadState* ts) = nullptr;

  // What this thread counts of spread objects. Its own, or in a stop.
  SpreadCounts& spread_counts() { return spread_counts_; }
  const SpreadCounts& spread_counts() const { return spread_counts_; }

  // The isolate's, or null (freed_types.h).
  FreedTypes* freed_types() const { return freed_types_; }

  // Runs what is on this thread's lists of the dead to the end (world running).
  void DrainDead();
  // Merges what others have queued to this thread and frees what dies.
  void MergeQueued();

 private:
  friend class Isolate;
  friend class CriticalSection;
  friend class MergeTable;
  friend struct ThreadStateAccess;  // internal/state_access.h

  ThreadState() = default;

  void SafepointSlow();
  void RunPendingCalls();
  void ParkForStop();
  void WaitForResume();
  // Detach and Attach without safepoint and critical sections. What others
  // queued is merged first, and what is dead is left to the isolate.
  void DetachFromWorld();
  void AttachToWorld();
  void AttachSlow();

  Atomic<uint32_t> breaker_{0};
  Atomic<uint32_t> state_{kDetached};
  ThreadHeap* heap_ = nullptr;
  Isolate* isolate_ = nullptr;
  uint64_t tid_ = 0;
  uint64_t serial_ = 0;
  Atomic<bool> alone_{false};
  uint32_t dealloc_depth_ = 0;
  uint32_t nesting_ = 1;     // AttachThread calls of this OS thread
  bool in_safepoint_ = false;
  bool registered_ = false;  // in the merge table
  DeadList trash_;           // too deep to free at once (dead_list.h)
  DeadList dead_;            // to be freed at the next safepoint
  CriticalSection* critical_sections_ = nullptr;  // innermost first
  // Taken while detached; the thread is on its way back (for fork).
  Mutex* mutex_on_the_way_ = nullptr;
  Atomic<PendingCall*> pending_calls_{nullptr};   // newest first
  Event resume_{0};
  SpreadCounts spread_counts_;
  FreedTypes* freed_types_ = nullptr;

  // Guarded by the bucket lock of tid_ (merge_queue.h).
  MergeQueue queue_;
  ThreadState* bucket_next_ = nullptr;

  // Guarded by the isolate's world mutex.
  ThreadState* prev_ = nullptr;
  ThreadState* next_ = nullptr;
  bool awaited_ = false;     // a stop waits for it to arrive
  char name_[32] = {0};
};

// Detached for the duration of the scope: for anything that may block.
class BlockingScope {
 public:
  explicit BlockingScope(ThreadState* ts) : ts_(ts) { ts_->Detach(); }
  ~BlockingScope() { ts_->Attach(); }
  BlockingScope(const BlockingScope&) = delete;
  BlockingScope& operator=(const BlockingScope&) = delete;

 private:
  ThreadState* ts_;
};

}  // namespace tidepool

#endif  // TIDEPOOL_OBJECT_THREAD_STATE_H_
