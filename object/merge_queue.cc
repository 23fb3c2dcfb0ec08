// See merge_queue.h; T and S numbers are rows of thread_state.h and header.h.
#include "tidepool/object/merge_queue.h"

#include "absl/base/optimization.h"
#include "tidepool/allocator/heap_domain.h"
#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"
#include "tidepool/object/internal/state_access.h"
#include "tidepool/object/isolate.h"
#include "tidepool/object/object.h"
#include "tidepool/object/thread_state.h"

namespace tidepool {

bool MergeQueue::Push(ObjectHeader* obj, MergeChunk* spare) {
  if (chunks_ == nullptr && inline_used_ < kInline) {
    inline_[inline_used_++] = obj;
  } else {
    if (chunks_ == nullptr || chunks_->used == MergeChunk::kEntries) {
      if (spare == nullptr) return false;
      spare->next = chunks_;
      spare->used = 0;
      chunks_ = spare;
    }
    chunks_->entries[chunks_->used++] = obj;
  }
  ++size_;
  return true;
}

ObjectHeader* MergeQueue::Pop(MergeChunk** freed) {
  if (chunks_ != nullptr) {
    ObjectHeader* obj = chunks_->entries[--chunks_->used];
    if (chunks_->used == 0) {
      *freed = chunks_;
      chunks_ = chunks_->next;
    }
    --size_;
    return obj;
  }
  if (inline_used_ == 0) return nullptr;
  --size_;
  return inline_[--inline_used_];
}

namespace internal {
namespace {

// More references were dropped than there were. A block that is free stays a dead one; an
// object that is not is left for ever, as nobody knows who still looks at it.
bool MergedBelowZero(ObjectHeader* obj, int64_t seen) {
  const int64_t word = HeapDomain::IsFreed(obj) ? kRefMerged : kRefMerged - kRefOne;
  // Relaxed: nobody has a reference.
  obj->shared.compare_exchange_strong(seen, word, kRelaxed, kRelaxed);
  ReportDeadDrop(obj);
  return false;
}

}  // namespace

bool MergeCounts(ObjectHeader* obj, int64_t extra) {
  const uint32_t local = obj->local.load(kRelaxed);
  // Made immortal after it was queued: the reference is not counted any more.
  if (local == kImmortalLocal) return false;
  // Made spread after it was queued: local is no count, and tid is 0 already.
  const bool spread = IsSpreadLocal(local);
  // Cleared first: after the CAS no header store may come (it may be freed).
  if (!spread && !TIDEPOOL_MUTANT(merge_counts_late)) {
    obj->local.store(0, kRelaxed);
    obj->tid.store(0, kRelaxed);
  }
  // Acquire: if SetImmortal's CAS is seen, so is its flag.
  int64_t shared = obj->shared.load(kAcquire);
  int64_t merged;
  bool immortal;
  do {
    // Wanted: the entry's reference is kept, so that the object lives until it
    // is immortal, whatever others do after the CAS.
    immortal = (obj->flags.load(kRelaxed) & kFlagImmortalWanted) != 0;
    const int64_t delta =
        (spread ? 0 : int64_t{local}) + extra + (immortal ? 1 : 0);
    merged = (shared | kRefMerged) + delta * kRefOne;
    if (ABSL_PREDICT_FALSE(RefSharedCount(merged) < 0)) return MergedBelowZero(obj, shared);
    // acq_rel (S6): as every drop. Failure acquire: as the load above.
  } while (!obj->shared.compare_exchange_weak(shared, merged, kAcqRel,
                                              kAcquire));
  if (TIDEPOOL_MUTANT(merge_counts_late)) {
    obj->local.store(0, kRelaxed);
    obj->tid.store(0, kRelaxed);
  }
  if (immortal) MakeImmortal(obj);
  return merged == kRefMerged;
}

}  // namespace internal

namespace {

// T8, T9.
void LetGo(ThreadState* owner) {
  Atomic<uint32_t>& state = ThreadStateAccess::state(owner);
  uint32_t expected = ThreadState::kHeld;
  for (;;) {
    const bool waiting = (expected & ThreadState::kWaiting) != 0;
    // seq_cst, with the breaker below: either the stopper sees the new state
    // or we see its bit. The release half pairs with the owner's acquire.
    if (state.compare_exchange_strong(
            expected, waiting ? ThreadState::kAttached : ThreadState::kDetached,
            kSeqCst, kRelaxed)) {
      if (waiting) {
        ThreadStateAccess::resume(owner).Set();
      } else if ((ThreadStateAccess::breaker(owner).load(kSeqCst) &
                  kBreakStop) != 0 &&
                 !TIDEPOOL_MUTANT(let_go_no_report)) {
        ThreadStateAccess::ReportDetached(owner);
      }
      return;
    }
  }
}

// T10. True if the owner is held now.
bool TryHold(ThreadState* owner) {
  uint32_t expected = ThreadState::kDetached;
  // Acquire: pairs with the owner's CAS in Detach, after which it left its
  // objects alone.
  return ThreadStateAccess::state(owner).compare_exchange_strong(
      expected, ThreadState::kHeld, kAcquire, kRelaxed);
}

void FreeChunk(ThreadState* self, MergeChunk* chunk) {
  if (chunk != nullptr) self->heap()->Free(chunk);
}

}  // namespace

ThreadState* MergeTable::FindLocked(Bucket& bucket, uint64_t tid) {
  for (ThreadState* ts = bucket.threads; ts != nullptr; ts = ts->bucket_next_) {
    if (ts->tid_ == tid) return ts;
  }
  return nullptr;
}

ThreadState* MergeTable::Find(uint64_t tid) {
  Bucket& bucket = BucketOf(tid);
  MutexLock lock(&bucket.mutex);
  return FindLocked(bucket, tid);
}

void MergeTable::Register(ThreadState* ts) {
  Bucket& bucket = BucketOf(ts->tid_);
  MutexLock lock(&bucket.mutex);
  TP_CHECK(FindLocked(bucket, ts->tid_) == nullptr);
  ts->bucket_next_ = bucket.threads;
  bucket.threads = ts;
}

bool MergeTable::UnregisterIfEmpty(ThreadState* ts) {
  Bucket& bucket = BucketOf(ts->tid_);
  MutexLock lock(&bucket.mutex);
  if (!ts->queue_.empty() && !TIDEPOOL_MUTANT(exit_leaves_queue)) return false;
  ThreadState** link = &bucket.threads;
  while (*link != ts) link = &(*link)->bucket_next_;
  *link = ts->bucket_next_;
  return true;
}

bool MergeTable::Hand(ThreadState* self, ObjectHeader* obj) {
  // Read after the CAS that queued it (acq_rel), so it is the object's own tid
  // or the 0 of its merge, never an earlier object's.
  const uint64_t tid = obj->tid.load(kRelaxed);
  if (tid == 0) {
    // Merged meanwhile: the queue's reference goes as any other.
    int64_t shared = obj->shared.load(kRelaxed);
    // acq_rel: S5.
    while (!obj->shared.compare_exchange_weak(shared, shared - kRefOne, kAcqRel,
                                              kRelaxed)) {
    }
    return shared - kRefOne == kRefMerged;
  }
  Bucket& bucket = BucketOf(tid);
  MergeChunk* spare = nullptr;
  bool dead = false;
  bucket.mutex.Lock();
  for (;;) {
    ThreadState* owner = FindLocked(bucket, tid);
    if (owner == nullptr) {  // gone
      if (TIDEPOOL_MUTANT(merge_gone_unlocked)) {
        bucket.mutex.Unlock();
        dead = internal::MergeCounts(obj, -1);
        FreeChunk(self, spare);
        return dead;
      }
      dead = internal::MergeCounts(obj, -1);
      break;
    }
    // Relaxed: acted upon by CAS or under the world mutex only.
    const uint32_t state =
        ThreadStateAccess::state(owner).load(kRelaxed) & ~ThreadState::kWaiting;
    if (state == ThreadState::kDetached) {
      if (TIDEPOOL_MUTANT(merge_detached_unheld)) {
        dead = internal::MergeCounts(obj, -1);
        break;
      }
      if (!TryHold(owner)) continue;
      dead = internal::MergeCounts(obj, -1);
      LetGo(owner);
      break;
    }
    if (state == ThreadState::kSuspended) {
      // It is the world mutex that resumes threads.
      MutexLock world(&ThreadStateAccess::world_mutex(self->isolate()));
      const uint32_t now = ThreadStateAccess::state(owner).load(kRelaxed) &
                           ~ThreadState::kWaiting;
      if (now != ThreadState::kSuspended) continue;
      dead = internal::MergeCounts(obj, -1);
      break;
    }
    // Attached. (Held it cannot be: that needs this lock.)
    if (!owner->queue_.Push(obj, spare)) {
      bucket.mutex.Unlock();
      spare = static_cast<MergeChunk*>(
          self->heap()->Allocate(HeapKind::kRaw, sizeof(MergeChunk)));
      if (spare == nullptr) {
        // It stays queued in no queue until a stop finds it.
        ThreadStateAccess::NoteLost(self);
        return false;
      }
      bucket.mutex.Lock();
      continue;
    }
    if (spare != nullptr && owner->queue_.Owns(spare)) spare = nullptr;
    owner->RequestBreak(kBreakMerge);
    // seq_cst, with the owner's Detach: it saw the bit, or we see it detached.
    if (ThreadStateAccess::state(owner).load(kSeqCst) ==
            ThreadState::kDetached &&
        !TIDEPOOL_MUTANT(push_no_recheck) && TryHold(owner)) {
      DeadList list;
      MergeAllLocked(owner, self, list);
      LetGo(owner);
      bucket.mutex.Unlock();
      FreeChunk(self, spare);
      while (ObjectHeader* other = list.Pop()) internal::PushDead(self, other);
      return false;
    }
    break;
  }
  bucket.mutex.Unlock();
  FreeChunk(self, spare);
  return dead;
}

void MergeTable::LockAll() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  for (Bucket& bucket : buckets_) bucket.mutex.Lock();
}

void MergeTable::UnlockAll() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  for (Bucket& bucket : buckets_) bucket.mutex.Unlock();
}

void MergeTable::MergeAllLocked(ThreadState* ts, ThreadState* self,
                                DeadList& dead) {
  MergeChunk* freed = nullptr;
  while (ObjectHeader* obj = ts->queue_.Pop(&freed)) {
    if (internal::MergeCounts(obj, -1)) dead.Push(obj);
    FreeChunk(self, freed);
    freed = nullptr;
  }
  // Relaxed: guarded by the bucket lock as the queue is; a bit that is set by
  // mistake costs one slow safepoint.
  ThreadStateAccess::breaker(ts).fetch_and(~uint32_t{kBreakMerge}, kRelaxed);
}

void MergeTable::MergeAll(ThreadState* ts, ThreadState* self, DeadList& dead) {
  Bucket& bucket = BucketOf(ts->tid_);
  MutexLock lock(&bucket.mutex);
  MergeAllLocked(ts, self, dead);
}

}  // namespace tidepool
