// Isolate: creation, threads coming and going, roots, what died and was left.
// Stops of the world are in stop_world.cc.
#include "tidepool/object/isolate.h"

#include <new>
#include <utility>

#include "absl/status/status.h"
#include "tidepool/base/check.h"
#include "tidepool/base/thread_id.h"
#include "tidepool/object/internal/state_access.h"

namespace tidepool {
namespace {

// Not in the `sched` build: its schedules are of what decides, and a table for reports is a
// dozen steps a free.
#if TIDEPOOL_DCHECK_IS_ON && !defined(TIDEPOOL_SCHED)
constexpr bool kNoteFreedTypes = true;
#else
constexpr bool kNoteFreedTypes = false;
#endif

}  // namespace

absl::StatusOr<std::unique_ptr<Isolate>> Isolate::Create(const Options& options,
                                                         Os* os) {
  std::unique_ptr<Isolate> isolate(new (std::nothrow) Isolate(options, os));
  if (isolate == nullptr) {
    return absl::ResourceExhaustedError("no memory for an isolate");
  }
  absl::StatusOr<std::unique_ptr<HeapDomain>> heap =
      HeapDomain::Create(options, os);
  if (!heap.ok()) return heap.status();
  isolate->heap_ = *std::move(heap);
  // Without the memory for it, reports have no names.
  if (kNoteFreedTypes || options.hardening != 0) {
    isolate->freed_types_.reset(new (std::nothrow) FreedTypes());
  }
  return isolate;
}

Isolate::~Isolate() {
  while (threads_ != nullptr) {
    ThreadState* ts = threads_;
    // A state that its thread left behind detached (it ended, or hangs in
    // foreign code and will not come back) goes with the isolate.
    if (ts->state_.load(kAcquire) != ThreadState::kDetached) {
      Fatal("isolate destroyed while thread '%s' is attached", ts->name_);
    }
    heap_->ExitThread(ts->heap_);
    UnlinkThread(ts);
    delete ts;
  }
}

// --- Threads. ---

ThreadState* Isolate::AttachThread(const char* name) {
  const uint64_t tid = CurrentTid();
  if (ThreadState* mine = merge_table_.Find(tid)) {
    ++mine->nesting_;
    if (ThreadState::Current() != mine) {
      TP_CHECK(ThreadState::Current() == nullptr);  // one isolate at a time
      mine->Attach();
    }
    return mine;
  }
  TP_CHECK(ThreadState::Current() == nullptr);  // one isolate at a time
  ThreadState* ts = new (std::nothrow) ThreadState();
  if (ts == nullptr) return nullptr;
  ts->isolate_ = this;
  ts->tid_ = tid;
  ts->freed_types_ = freed_types_.get();
  ts->SetName(name);
  {
    // A fork takes this lock too (fork.cc): the child finds a thread either not at all or
    // on the list, and never half of one that it could not bury.
    MutexLock lock(&orphan_mutex_);
    ts->heap_ = heap_->NewThread();
    if (ts->heap_ == nullptr) {
      delete ts;
      return nullptr;
    }
    ts->heap_->SetBreaker(&ts->breaker_, kBreakHeap);
    // Complete: now others may see it.
    LinkThread(ts);
    merge_table_.Register(ts);
  }
  ts->AttachToWorld();
  return ts;
}

void Isolate::LeaveThread(ThreadState* ts) {
  TP_CHECK(ts->tid_ == CurrentTid());
  if (--ts->nesting_ > 0) return;
  if (ThreadState::Current() != ts) ts->Attach();
  TP_CHECK(ts->critical_sections_ == nullptr);
  // Whatever runs here may queue, kill or orphan more.
  for (;;) {
    if ((ts->breaker_.load(kRelaxed) & kBreakLost) != 0) PassOnLost(ts);
    TakeOrphans(ts->dead_);
    ts->MergeQueued();
    ts->RunPendingCalls();
    if (ts->dead_.empty() && merge_table_.UnregisterIfEmpty(ts)) break;
  }
  // Strangers merge what this thread owned from here on; it touches no object
  // any more. It still counts as attached, and gets to the end without waiting
  // for anything that a stop could hold up.
  TP_CHECK(ts->dead_.empty() && ts->trash_.empty());
  spread_.FoldThread(ts->spread_counts_);
  heap_->ExitThread(ts->heap_);
  ts->heap_ = nullptr;
  internal::g_current_thread_state = nullptr;
  UnlinkThread(ts);
  delete ts;
}

void Isolate::PassOnLost(ThreadState* ts) {
  // A thread that leaves waits for nobody: others stop the world for it.
  if (thread_count() > 1) {
    ts->breaker_.fetch_and(~uint32_t{kBreakLost}, kRelaxed);
    RequestSafepoints(kBreakLost);
  } else {
    ts->Safepoint();
  }
}

void Isolate::LinkThread(ThreadState* ts) {
  MutexLock lock(&world_mutex_);
  ts->serial_ = next_serial_++;
  // Requests that found nobody. Relaxed: hints.
  if (lost_objects_.load(kRelaxed) != 0) ts->RequestBreak(kBreakLost);
  if (collect_wanted_.load(kRelaxed) != 0) ts->RequestBreak(kBreakCollect);
  if (stopping_) {
    // Born suspended: not waited for, and not let in before the start.
    uint32_t expected = ThreadState::kDetached;
    ts->state_.compare_exchange_strong(expected, ThreadState::kSuspended,
                                       kAcquire, kRelaxed);
    ts->RequestBreak(kBreakStop);
  }
  // Whoever is alone takes locks without regard to others.
  TP_CHECK(threads_ == nullptr || !threads_->alone());
  // At the head, so that a walk that began before does not see it.
  ts->next_ = threads_;
  if (threads_ != nullptr) threads_->prev_ = ts;
  threads_ = ts;
  ++thread_count_;
}

void Isolate::UnlinkThread(ThreadState* ts) {
  MutexLock lock(&world_mutex_);
  if (ts->awaited_) ArrivedLocked(ts);
  if (ts->prev_ != nullptr) {
    ts->prev_->next_ = ts->next_;
  } else {
    threads_ = ts->next_;
  }
  if (ts->next_ != nullptr) ts->next_->prev_ = ts->prev_;
  --thread_count_;
}

size_t Isolate::thread_count() {
  MutexLock lock(&world_mutex_);
  return thread_count_;
}

// --- Requests. ---

void Isolate::RequestBreakAllLocked(uint32_t bits) {
  for (ThreadState* ts = threads_; ts != nullptr; ts = ts->next_) {
    ts->RequestBreak(bits);
  }
}

void Isolate::RequestSafepoints(uint32_t bits) {
  MutexLock lock(&world_mutex_);
  RequestBreakAllLocked(bits);
}

void Isolate::RequestCollection() {
  // Release: pairs with the exchange of the thread that takes the request.
  if (collect_wanted_.exchange(1, kAcqRel) != 0) return;
  RequestSafepoints(kBreakCollect);
}

void Isolate::CollectIfWanted(ThreadState* ts) {
  // One thread takes it; the others had their bits set for nothing.
  if (collect_wanted_.exchange(0, kAcqRel) == 0) return;
  if (hooks_.collect != nullptr) hooks_.collect(ts, hooks_.collect_arg);
}

// --- Orphans. ---

void Isolate::PushOrphans(DeadList& list) {
  {
    MutexLock lock(&orphan_mutex_);
    orphans_.TakeAll(list);
  }
  RequestSafepoints(kBreakOrphans);
}

void Isolate::TakeOrphans(DeadList& list) {
  MutexLock lock(&orphan_mutex_);
  list.TakeAll(orphans_);
}

// --- Roots. ---

void Isolate::AddRoots(RootSet* roots) {
  MutexLock lock(&world_mutex_);
  roots->next = roots_;
  roots_ = roots;
}

void Isolate::RemoveRoots(RootSet* roots) {
  MutexLock lock(&world_mutex_);
  RootSet** link = &roots_;
  while (*link != nullptr && *link != roots) link = &(*link)->next;
  if (*link != nullptr) *link = roots->next;
}

int Isolate::VisitRoots(Visitor visit, void* arg) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  // In a stop: the lists change at their heads at most.
  for (RootSet* roots = roots_; roots != nullptr; roots = roots->next) {
    if (int result = roots->visit(roots, visit, arg)) return result;
  }
  for (ThreadState* ts = FirstThread(); ts != nullptr; ts = ts->next_) {
    if (ts->visit_roots == nullptr) continue;
    if (int result = ts->visit_roots(ts, visit, arg)) return result;
  }
  return 0;
}

}  // namespace tidepool
