// See thread_state.h; T numbers are rows of its table.
#include "tidepool/object/thread_state.h"

#include <cstring>

#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"
#include "tidepool/base/thread_id.h"
#include "tidepool/object/internal/state_access.h"
#include "tidepool/object/isolate.h"
#include "tidepool/object/object_mutex.h"

namespace tidepool {

namespace internal {
TIDEPOOL_TLS ThreadState* g_current_thread_state = nullptr;
}  // namespace internal

void ThreadState::SetName(const char* name) {
  std::strncpy(name_, name != nullptr ? name : "", sizeof(name_) - 1);
  name_[sizeof(name_) - 1] = 0;
}

void ThreadState::set_alone(bool alone) {
  TP_CHECK(tid_ == CurrentTid());
  TP_CHECK(!alone || isolate_->thread_count() == 1);
  alone_.store(alone, kRelaxed);  // relaxed: see alone()
}

// --- Attached and detached. ---

void ThreadState::Detach() {
  Safepoint();
  DetachForLock();
}

void ThreadState::DetachForLock() {
  if (critical_sections_ != nullptr) CriticalSection::SuspendAll(this);
  DetachFromWorld();
}

void ThreadState::Attach() {
  AttachToWorld();
  if (ABSL_PREDICT_FALSE(critical_sections_ != nullptr)) {
    CriticalSection::ResumeInnermost(this);
  }
}

void ThreadState::DetachFromWorld() {
  TP_DCHECK(internal::g_current_thread_state == this);
  TP_DCHECK(!isolate_->StoppedBy(this));
  for (;;) {
    // Nothing may wait for a thread that is blocked.
    if ((breaker_.load(kRelaxed) & kBreakMerge) != 0) {
      isolate_->merge_table_.MergeAll(this, this, dead_);
    }
    if (!dead_.empty()) isolate_->PushOrphans(dead_);
    heap_->Detach();
    internal::g_current_thread_state = nullptr;
    uint32_t expected = kAttached;
    // seq_cst (T2): then the breaker is read; see "the breaker word". The
    // release half pairs with T10 and T4.
    const bool detached = state_.compare_exchange_strong(
        expected, kDetached, kSeqCst, kRelaxed);
    TP_CHECK(detached);
    const uint32_t wanted = breaker_.load(kSeqCst);
    if (ABSL_PREDICT_TRUE((wanted & (kBreakStop | kBreakMerge)) == 0)) return;
    if ((wanted & kBreakStop) != 0 && !TIDEPOOL_MUTANT(detach_no_report)) {
      isolate_->ReportDetached(this);
    }
    if ((wanted & kBreakMerge) == 0) return;
    // Somebody queued an object between the merge and the detach, and thinks
    // that this thread will see to it.
    if (TIDEPOOL_MUTANT(detach_no_second_look)) return;
    AttachToWorld();
  }
}

void ThreadState::AttachToWorld() {
  TP_DCHECK(internal::g_current_thread_state == nullptr);
  uint32_t expected = kDetached;
  // Acquire (T1): sees what was merged (T8) and stopped (T6) for this thread.
  if (ABSL_PREDICT_FALSE(!state_.compare_exchange_strong(
          expected, kAttached, kAcquire, kRelaxed))) {
    AttachSlow();
  }
  heap_->Attach();
  internal::g_current_thread_state = this;
}

void ThreadState::AttachSlow() {
  uint32_t state = state_.load(kRelaxed);
  for (;;) {
    TP_CHECK((state & kWaiting) == 0 && state != kAttached);
    if (TIDEPOOL_MUTANT(attach_by_store)) {
      state_.store(kAttached, kSeqCst);
      return;
    }
    if (state == kDetached) {
      // Acquire: T1.
      if (state_.compare_exchange_weak(state, kAttached, kAcquire, kRelaxed)) {
        return;
      }
    } else if (state_.compare_exchange_weak(state, state | kWaiting, kRelaxed,
                                            kRelaxed)) {
      // T5; relaxed: it says nothing but "wake me".
      WaitForResume();
      return;
    }
  }
}

void ThreadState::WaitForResume() {
  // T7 and T9 make the thread attached and then set the event, once for every
  // time the waiting bit was set.
  resume_.Wait();
  resume_.Reset();
  // Acquire: pairs with T7, T9.
  TP_CHECK(state_.load(kAcquire) == kAttached);
}

void ThreadState::ParkForStop() {
  heap_->Detach();
  if (isolate_->SuspendForStop(this)) WaitForResume();
  heap_->Attach();
}

// --- Safepoints. ---

void ThreadState::SafepointSlow() {
  TP_DCHECK(attached());
  TP_DCHECK(!isolate_->StoppedBy(this));
  uint32_t wanted = breaker_.load(kRelaxed);
  // Once per safepoint, so that stop after stop leaves room for work.
  if ((wanted & kBreakStop) != 0) ParkForStop();

  // Bits are taken down before the work they ask for, so that a request that
  // comes during it is not lost. Relaxed: what they are about is under locks.
  wanted = breaker_.fetch_and(
      ~uint32_t{kBreakHeap | kBreakOrphans | kBreakLost}, kRelaxed);
  heap_->Safepoint();
  if ((wanted & kBreakHeap) != 0 && heap_->TakeGcRequest()) {
    isolate_->collect_wanted_.store(1, kRelaxed);  // taken below, or by another
    RequestBreak(kBreakCollect);
  }
  if ((wanted & kBreakLost) != 0) {
    isolate_->StopTheWorld(this);
    isolate_->MergeAllQueues(this);
    isolate_->StartTheWorld(this);
  }
  if ((breaker_.load(kRelaxed) & kBreakMerge) != 0) {
    isolate_->merge_table_.MergeAll(this, this, dead_);
  }
  if ((wanted & kBreakOrphans) != 0) isolate_->TakeOrphans(dead_);

  // The rest runs code, which passes safepoints of its own. Those leave the
  // lists of the dead and the calls to the outer one, so the stack is bounded.
  if (!in_safepoint_) {
    in_safepoint_ = true;
    DrainDead();
    if ((breaker_.load(kRelaxed) & kBreakCalls) != 0) RunPendingCalls();
    in_safepoint_ = false;
  }
  wanted = breaker_.fetch_and(~uint32_t{kBreakCollect | kBreakEmbedder},
                              kRelaxed);
  if ((wanted & kBreakCollect) != 0) isolate_->CollectIfWanted(this);
  if ((wanted & kBreakEmbedder) != 0 && on_break != nullptr) on_break(this);
}

void ThreadState::MergeQueued() {
  isolate_->merge_table_.MergeAll(this, this, dead_);
  DrainDead();
}

void ThreadState::DrainDead() {
  breaker_.fetch_and(~uint32_t{kBreakDead}, kRelaxed);
  while (ObjectHeader* obj = dead_.Pop()) internal::DeallocObject(this, obj);
}

void ThreadState::AddPendingCall(PendingCall* call) {
  PendingCall* head = pending_calls_.load(kRelaxed);
  do {
    call->next = head;
    // Release: pairs with the acquire exchange in RunPendingCalls.
  } while (!pending_calls_.compare_exchange_weak(head, call, kRelease,
                                                 kRelaxed));
  RequestBreak(kBreakCalls);
}

void ThreadState::RunPendingCalls() {
  breaker_.fetch_and(~uint32_t{kBreakCalls}, kRelaxed);
  PendingCall* newest = pending_calls_.exchange(nullptr, kAcquire);
  PendingCall* oldest = nullptr;
  while (newest != nullptr) {
    PendingCall* next = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = next;
  }
  while (oldest != nullptr) {
    PendingCall* call = oldest;
    oldest = call->next;
    call->fn(this, call);
  }
}

}  // namespace tidepool
