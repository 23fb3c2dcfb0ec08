// Stops of the world. See isolate.h for the contract and thread_state.h for
// the state table (T numbers).
//
// Who counts. `missing_` is the number of threads with `awaited_` set, both
// under the world mutex. The stopper sets it for every thread that it finds
// attached or held; it goes down when the thread parks (SuspendForStop), when
// it turns out to be detached (ReportDetached, called by whoever made it so),
// or when it leaves (UnlinkThread). A thread that detaches and attaches again
// before anybody has looked is still awaited and still has its breaker bit.
#include <cstdio>
#include <cstring>

#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"
#include "tidepool/object/internal/state_access.h"
#include "tidepool/object/invariants.h"
#include "tidepool/object/isolate.h"
#include "tidepool/object/object.h"
#include "tidepool/object/refcount.h"

namespace tidepool {
namespace {

void PrintDelay(const StopDelay& delay, void*) {
  std::fprintf(stderr,
               "tidepool: a stop of the world has waited %.1f s for thread '%s' "
               "(id %#llx); %zu thread(s) have not reached a safepoint\n",
               static_cast<double>(delay.waited_ns) / 1e9, delay.thread_name,
               static_cast<unsigned long long>(delay.tid), delay.missing);
}

}  // namespace

// --- The turn. ---

void Isolate::TakeTurn(ThreadState* ts) {
  world_mutex_.Lock();
  const uint64_t turn = ++last_turn_;
  const bool wait = turn != next_turn_;
  world_mutex_.Unlock();
  if (!wait) return;
  // Detached, so that the stops before this one can go on. No lock of a script
  // is given up: a stop takes none, so nobody waits in a circle.
  ts->DetachFromWorld();
  world_mutex_.Lock();
  while (turn != next_turn_) turn_.Wait(&world_mutex_);
  world_mutex_.Unlock();
  // Only the holder of the turn suspends, so this waits for a merge at most.
  ts->AttachToWorld();
}

void Isolate::StopTheWorld(ThreadState* ts) {
  TP_CHECK(ts->attached());
  TP_CHECK(!StoppedBy(ts));
  TakeTurn(ts);
  // From here: what an earlier stop takes is not this one's time to stop.
  const uint64_t start_ns = MonotonicNs();
  world_mutex_.Lock();
  stopping_ = true;
  missing_ = 0;
  last_arrived_[0] = 0;
  for (ThreadState* other = threads_; other != nullptr; other = other->next_) {
    if (other != ts) AskToStop(other);
  }
  AwaitAll(start_ns);
  const uint64_t took = MonotonicNs() - start_ns;
  ++stats_.stops;
  stats_.last_ns = took;
  stats_.total_ns += took;
  const uint64_t us = took / 1000;
  const int bucket = us == 0 ? 0 : 64 - __builtin_clzll(us);
  ++stats_.times[bucket < StopStats::kTimes ? bucket : StopStats::kTimes - 1];
  std::memcpy(stats_.last_name, last_arrived_, sizeof(last_arrived_));
  if (took > stats_.max_ns) {
    stats_.max_ns = took;
    std::memcpy(stats_.max_name, last_arrived_, sizeof(last_arrived_));
  }
  // Relaxed: only compared with the reader's own state.
  stopper_.store(ts, kRelaxed);
  world_mutex_.Unlock();
}

void Isolate::AskToStop(ThreadState* other) {
  // seq_cst, then the state: see "the breaker word" in thread_state.h.
  other->RequestBreak(kBreakStop);
  uint32_t state = other->state_.load(kSeqCst);
  for (;;) {
    if (state == ThreadState::kDetached) {
      // T4. Acquire: sees what the thread did before it detached.
      if (other->state_.compare_exchange_weak(state, ThreadState::kSuspended,
                                              kAcquire, kSeqCst)) {
        return;
      }
      continue;
    }
    TP_CHECK((state & ~uint32_t{ThreadState::kWaiting}) !=
             ThreadState::kSuspended);
    // Attached, or held (whoever holds it reports).
    other->awaited_ = true;
    ++missing_;
    return;
  }
}

void Isolate::AwaitAll(uint64_t start_ns) {
  uint64_t patience = watchdog_ns_;
  while (missing_ > 0) {
    if (TIDEPOOL_MUTANT(stop_does_not_wait)) break;
    if (patience == 0) {
      arrived_.Wait(&world_mutex_);
      continue;
    }
    if (arrived_.WaitUntil(&world_mutex_, start_ns + patience)) continue;
    if (missing_ == 0) break;
    TellWatchdog(start_ns);
    patience *= 2;
  }
}

void Isolate::TellWatchdog(uint64_t start_ns) {
  StopDelay delay = {};
  char name[32] = {0};
  for (ThreadState* ts = threads_; ts != nullptr; ts = ts->next_) {
    if (!ts->awaited_) continue;
    std::memcpy(name, ts->name_, sizeof(name));
    delay.tid = ts->tid_;
    break;
  }
  delay.thread_name = name;
  delay.waited_ns = MonotonicNs() - start_ns;
  delay.since_ns = start_ns;
  delay.missing = missing_;
  StopWatchdog watchdog = watchdog_ != nullptr ? watchdog_ : &PrintDelay;
  void* arg = watchdog_arg_;
  world_mutex_.Unlock();
  watchdog(delay, arg);
  world_mutex_.Lock();
}

// --- Arriving. ---

void Isolate::ArrivedLocked(ThreadState* ts) {
  ts->awaited_ = false;
  std::memcpy(last_arrived_, ts->name_, sizeof(last_arrived_));
  if (--missing_ == 0) arrived_.Broadcast();
}

bool Isolate::SuspendForStop(ThreadState* ts) {
  MutexLock lock(&world_mutex_);
  if (!ts->awaited_) return false;
  uint32_t expected = ThreadState::kAttached;
  // T3. Release: the stopper, who acquires through the mutex, sees all that
  // this thread did. Nobody else changes Attached.
  const bool ok = ts->state_.compare_exchange_strong(
      expected, ThreadState::kSuspended | ThreadState::kWaiting, kRelease,
      kRelaxed);
  TP_CHECK(ok);
  ArrivedLocked(ts);
  return true;
}

void Isolate::ReportDetached(ThreadState* ts) {
  MutexLock lock(&world_mutex_);
  if (!ts->awaited_) return;
  uint32_t expected = ThreadState::kDetached;
  // T4. If it fails the thread is attached again, and will arrive; or held,
  // and its holder will report.
  if (ts->state_.compare_exchange_strong(expected, ThreadState::kSuspended,
                                         kAcquire, kRelaxed)) {
    ArrivedLocked(ts);
  }
}

// --- Starting. ---

void Isolate::StartTheWorld(ThreadState* ts) {
  TP_CHECK(StoppedBy(ts));
  const uint32_t every = stop_checks_.load(kRelaxed);
  if (every != 0 && ++stops_since_check_ >= every) {
    stops_since_check_ = 0;
    CheckHeaders(this, ts);
  }
  MutexLock lock(&world_mutex_);
  // Relaxed: as in StopTheWorld.
  stopper_.store(nullptr, kRelaxed);
  stopping_ = false;
  for (ThreadState* other = threads_; other != nullptr; other = other->next_) {
    if (other != ts) Resume(other);
  }
  ++next_turn_;
  turn_.Broadcast();
}

void Isolate::Resume(ThreadState* ts) {
  // Before the state: a thread that is attached again may ask at once. A
  // relaxed RMW is enough: the state's release comes after it.
  ts->breaker_.fetch_and(~uint32_t{kBreakStop}, kRelaxed);
  uint32_t state = ts->state_.load(kRelaxed);
  for (;;) {
    TP_CHECK((state & ~uint32_t{ThreadState::kWaiting}) ==
             ThreadState::kSuspended);
    const bool waiting = (state & ThreadState::kWaiting) != 0;
    const uint32_t next = waiting && !TIDEPOOL_MUTANT(resume_detached)
                              ? ThreadState::kAttached
                              : ThreadState::kDetached;
    // T6, T7. Release: pairs with the thread's acquire.
    if (ts->state_.compare_exchange_weak(state, next, kRelease, kRelaxed)) {
      if (waiting) ts->resume_.Set();
      return;
    }
  }
}

// --- In a stop. ---

ThreadState* Isolate::FirstThread() {
  // New threads come in at the head, suspended; the rest of the list is still.
  MutexLock lock(&world_mutex_);
  return threads_;
}

void Isolate::ForEachThread(absl::FunctionRef<void(ThreadState*)> fn) {
  for (ThreadState* ts = FirstThread(); ts != nullptr; ts = ts->next_) fn(ts);
}

void Isolate::MergeAllQueues(ThreadState* self) {
  TP_CHECK(StoppedBy(self));
  DeadList dead;
  for (ThreadState* ts = FirstThread(); ts != nullptr; ts = ts->next_) {
    merge_table_.MergeAll(ts, self, dead);
  }
  // Relaxed: set before its thread was stopped.
  if (lost_objects_.exchange(0, kRelaxed) != 0) MergeLostObjects(self);
  if (dead.empty()) return;
  self->dead_.TakeAll(dead);
  self->RequestBreak(kBreakDead);
}

void Isolate::MergeLostObjects(ThreadState* self) {
  TP_CHECK(StoppedBy(self));
  DeadList dead;
  const uint32_t kinds = 1u << static_cast<uint32_t>(HeapKind::kObject) |
                         1u << static_cast<uint32_t>(HeapKind::kGc) |
                         1u << static_cast<uint32_t>(HeapKind::kGcPre);
  heap_->VisitPages(kinds, [&](const PageInfo& page) {
    char* block = page.first_block + page.header_offset;
    for (size_t i = 0; i < page.count; ++i, block += page.block_size) {
      ObjectHeader* obj = reinterpret_cast<ObjectHeader*>(block);
      // Relaxed: in a stop. Dead words are 0 and 3, never queued.
      if (RefState(obj->shared.load(kRelaxed)) != kRefQueued) continue;
      if (internal::MergeCounts(obj, -1)) dead.Push(obj);
    }
  });
  if (dead.empty()) return;
  self->dead_.TakeAll(dead);
  self->RequestBreak(kBreakDead);
}

// --- Figures. ---

void Isolate::SetWatchdog(uint64_t watchdog_ns, StopWatchdog watchdog,
                          void* arg) {
  MutexLock lock(&world_mutex_);
  watchdog_ns_ = watchdog_ns;
  watchdog_ = watchdog;
  watchdog_arg_ = arg;
}

StopStats Isolate::stop_stats() {
  MutexLock lock(&world_mutex_);
  return stats_;
}

}  // namespace tidepool
