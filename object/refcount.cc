// The slow paths of reference counting. The state table is in header.h; the
// numbers S1.. here are its rows.
#include "tidepool/object/refcount.h"

#include <cstdio>

#include "tidepool/allocator/heap_domain.h"
#include "tidepool/base/mutant.h"
#include "tidepool/object/freed_types.h"
#include "tidepool/object/internal/state_access.h"
#include "tidepool/object/object.h"
#include "tidepool/object/weakref.h"

namespace tidepool {
namespace internal {

ABSL_ATTRIBUTE_NOINLINE void ReportDeadDrop(const ObjectHeader* obj) {
  char type[FreedTypes::kName] = "?";
  const ThreadState* ts = ThreadState::Current();
  if (ts != nullptr && ts->freed_types() != nullptr) ts->freed_types()->Find(obj, type);
  char text[96];
  std::snprintf(text, sizeof(text), "decref of a freed object (type %s)", type);
  if (TIDEPOOL_DCHECK_IS_ON) Fatal("%s: %p", text, static_cast<const void*>(obj));
  HeapDomain::ReportFault(MemoryFault::kDeadReference, "refused to drop a reference to", obj,
                          text);
}

void IncrefSpill(ObjectHeader* obj) {
  // The owner moves half of its count and then counts on. Local first, so that
  // the sum is never seen too high by a merge; only the owner merges.
  constexpr uint32_t kHalf = uint32_t{1} << 31;
  const uint32_t local = obj->local.load(kRelaxed);
  obj->local.store(local - kHalf + 1, kRelaxed);
  // Relaxed (S3): the owner holds references.
  obj->shared.fetch_add(int64_t{kHalf} << kRefShift, kRelaxed);
}

void CountSpecial(ObjectHeader* obj, int64_t delta) {
  const uint32_t local = obj->local.load(kRelaxed);
  if (!IsSpreadLocal(local)) return;  // immortal
  ThreadState* ts = ThreadState::Current();
  if (ABSL_PREDICT_TRUE(ts != nullptr) &&
      ABSL_PREDICT_TRUE(ts->spread_counts().Add(local - kSpreadBase, delta))) {
    return;
  }
  // acq_rel: S5. The bias keeps the word from what is dead.
  obj->shared.fetch_add(delta * kRefOne, kAcqRel);
}

bool TryIncrefShared(ObjectHeader* obj) {
  int64_t shared = obj->shared.load(kRelaxed);
  do {
    // S1: exactly these two words, never the count.
    if (IsDeadWord(shared) && !TIDEPOOL_MUTANT(try_incref_dead)) return false;
    // Acquire (S4): pairs with the release of whatever wrote the word, above
    // all NewObject's, so that the re-check of the slot is new enough.
  } while (!obj->shared.compare_exchange_weak(shared, shared + kRefOne,
                                              kAcquire, kRelaxed));
  return true;
}

namespace {

// No step of a deallocation but giving the block back, and never visited.
bool IsPlainType(const TypeInfo* type) {
  return type->dealloc == nullptr && type->finalize == nullptr &&
         type->weakref_offset == 0 &&
         (type->flags & (kTypeGc | kTypePreHeader | kTypeWeakRef)) == 0;
}

// The owner's local count is 0. True if dead.
bool MergeAtLocalZero(ObjectHeader* obj) {
  // Acquire (S7): sees what the threads wrote that dropped theirs (S5).
  int64_t shared = obj->shared.load(kAcquire);
  if (shared == 0) return true;
  if (TIDEPOOL_MUTANT(dealloc_at_word_1) && shared == kRefMaybeWeakref) {
    obj->shared.store(0, kRelaxed);
    return true;
  }
  // The tid goes first: after the CAS the object may be somebody else's to
  // free, and no header store may come then.
  if (!TIDEPOOL_MUTANT(merge_tid_late)) obj->tid.store(0, kRelaxed);
  int64_t merged;
  do {
    merged = shared | kRefMerged;
    // acq_rel (S6): release for whoever frees, acquire if that is us.
  } while (!obj->shared.compare_exchange_weak(shared, merged, kAcqRel,
                                              kRelaxed));
  if (TIDEPOOL_MUTANT(merge_tid_late)) obj->tid.store(0, kRelaxed);
  return merged == kRefMerged;
}

// The shared count is, or was, 0: the drop is queued, unless nobody had the reference.
ABSL_ATTRIBUTE_NOINLINE bool DropSharedAtZero(ThreadState* ts, ObjectHeader* obj) {
  int64_t shared = obj->shared.load(kRelaxed);
  int64_t next;
  bool queue;
  do {
    queue = shared == kRefPlain || shared == kRefMaybeWeakref;
    // Merged at 0 is dead. Of the others the block knows, where it is asked.
    if (shared == kRefMerged ||
        (queue && ts->freed_types() != nullptr && HeapDomain::IsFreed(obj))) {
      ReportDeadDrop(obj);
      return false;
    }
    next = queue ? kRefQueued : shared - kRefOne;
    // acq_rel (S5): as in DropShared.
  } while (!obj->shared.compare_exchange_weak(shared, next, kAcqRel, kRelaxed));
  if (queue) return ts->isolate()->merge_table().Hand(ts, obj);
  return next == kRefMerged;
}

inline bool DropShared(ThreadState* ts, ObjectHeader* obj) {
  int64_t shared = obj->shared.load(kRelaxed);
  do {
    if (ABSL_PREDICT_FALSE(static_cast<uint64_t>(shared) <= kRefMerged)) {
      return DropSharedAtZero(ts, obj);
    }
    // acq_rel (S5): pairs with the same CAS in other threads and with S6, S7.
  } while (!obj->shared.compare_exchange_weak(shared, shared - kRefOne, kAcqRel, kRelaxed));
  return shared == kRefMerged + kRefOne;
}

}  // namespace

bool DropRef(ThreadState* ts, ObjectHeader* obj) {
  if (IsOwnedByMe(obj)) {
    const uint32_t local = obj->local.load(kRelaxed);
    if (ABSL_PREDICT_FALSE(local == 0)) {
      ReportDeadDrop(obj);
      return false;
    }
    obj->local.store(local - 1, kRelaxed);
    return local == 1 && MergeAtLocalZero(obj);
  }
  if (IsSpecial(obj)) {
    CountSpecial(obj, -1);
    return false;
  }
  return DropShared(ts, obj);
}

void DecrefLocalZero(ThreadState* ts, ObjectHeader* obj) {
  if (ABSL_PREDICT_FALSE(obj->local.load(kRelaxed) != 0)) {
    obj->local.store(0, kRelaxed);  // dead as before; the block may be its thread's only
    ReportDeadDrop(obj);
    return;
  }
  // Nearly always there is nothing to merge. Acquire: as in MergeAtLocalZero.
  if (ABSL_PREDICT_FALSE(obj->shared.load(kAcquire) != 0) &&
      !MergeAtLocalZero(obj)) {
    return;
  }
  // Numbers, strings and the like, which nothing has to happen to.
  if (IsPlainType(obj->type())) {
    FreeObject(ts, obj);
  } else {
    DeallocObject(ts, obj);
  }
}

void DecrefShared(ThreadState* ts, ObjectHeader* obj) {
  if (DropShared(ts, obj)) DeallocObject(ts, obj);
}

void DecrefNoDealloc(ThreadState* ts, ObjectHeader* obj) {
  if (DropRef(ts, obj)) PushDead(ts, obj);
}

void MakeImmortal(ObjectHeader* obj) {
  // The word must be one that a late drop (of a thread that counted before)
  // can hit without harm: merged, with a bias that is never used up.
  obj->tid.store(0, kRelaxed);
  int64_t shared = obj->shared.load(kRelaxed);
  while (!obj->shared.compare_exchange_weak(
      shared, (shared | kRefMerged) + (kImmortalBias << kRefShift), kAcqRel,
      kRelaxed)) {
  }
  obj->local.store(kImmortalLocal, kRelaxed);
}

}  // namespace internal

void SetMaybeWeakref(ObjectHeader* obj) {
  int64_t shared = obj->shared.load(kRelaxed);
  while (RefState(shared) == kRefPlain && !IsImmortal(obj)) {
    // Relaxed (S2): published by the store of the slot afterwards.
    if (obj->shared.compare_exchange_weak(shared, shared | kRefMaybeWeakref,
                                          kRelaxed, kRelaxed)) {
      return;
    }
  }
}

void IncrefMaybeWeakref(ObjectHeader* obj) {
  if (IsOwnedByMe(obj) || IsSpecial(obj)) {
    Incref(obj);
    return;
  }
  int64_t shared = obj->shared.load(kRelaxed);
  int64_t next;
  do {
    next = shared + kRefOne;
    if (RefState(shared) == kRefPlain) next |= kRefMaybeWeakref;
    // Relaxed (S2, S3): the container keeps a reference under its lock.
  } while (!obj->shared.compare_exchange_weak(shared, next, kRelaxed,
                                              kRelaxed));
}

bool TryMakeUnique(ObjectHeader* obj) {
  if (!IsOwnedByMe(obj) || obj->local.load(kRelaxed) != 1) return false;
  // Acquire: as in IsUniquelyReferenced.
  int64_t shared = obj->shared.load(kAcquire);
  if (shared == 0) return true;
  if (TIDEPOOL_MUTANT(unique_by_count) && RefSharedCount(shared) == 0 &&
      RefState(shared) == kRefMaybeWeakref) {
    return true;
  }
  if (shared != kRefMaybeWeakref || HasWeakRefs(obj)) return false;
  // S8. From 0 no reader can come any more.
  return obj->shared.compare_exchange_strong(shared, 0, kAcquire, kRelaxed);
}

void SetImmortal(ThreadState* ts, ObjectHeader* obj) {
  while (!IsImmortal(obj)) {
    if (IsOwnedByMe(obj) || obj->tid.load(kRelaxed) == 0) {
      internal::MakeImmortal(obj);
      return;
    }
    // Another thread's. A queue entry carries the wish; its reference is added
    // here, and the merge, wherever it happens, grants it.
    obj->flags.fetch_or(kFlagImmortalWanted, kRelaxed);
    int64_t shared = obj->shared.load(kRelaxed);
    if (RefState(shared) == kRefMerged) continue;  // merged meanwhile
    // Queued already: the entry there will do. The word must change, so that a
    // merge under way tries again and sees the flag; and for good, as the caller's
    // next drop must not bring back the word that the merge has read. The
    // references that this costs do not matter any more.
    const bool queued = RefState(shared) == kRefQueued;
    const int64_t more = queued ? kRefOne << 20 : kRefOne;
    const int64_t next = ((shared & ~kRefStateMask) + more) | kRefQueued;
    // acq_rel: as S5, the tid is read after it. Pairs with the merge.
    if (!obj->shared.compare_exchange_weak(shared, next, kAcqRel, kRelaxed)) {
      continue;
    }
    if (queued) return;
    const bool dead = ts->isolate()->merge_table().Hand(ts, obj);
    TP_CHECK(!dead);  // the caller holds a reference
    return;
  }
}

void Disown(ObjectHeader* obj) {
  if (!IsOwnedByMe(obj)) return;
  const bool dead = internal::MergeCounts(obj, 0);
  TP_CHECK(!dead);  // the caller holds a reference
}

bool SetDeferred(ThreadState* ts, ObjectHeader* obj) {
  TP_DCHECK((obj->type()->flags & kTypeGc) != 0);
  if (IsImmortal(obj)) return false;
  if ((obj->gc_bits.fetch_or(kGcDeferred, kRelaxed) & kGcDeferred) != 0) {
    return false;
  }
  // Relaxed (S3): the caller holds a reference. Before it is spread: the word
  // must not become dead when others count elsewhere.
  obj->shared.fetch_add(kDeferredBias << kRefShift, kRelaxed);
  Isolate* isolate = ts->isolate();
  const bool mine = IsOwnedByMe(obj);
  // Relaxed: an owner of another thread's stays or goes, 0 stays.
  const bool stop = !mine && obj->tid.load(kRelaxed) != 0 && !isolate->StoppedBy(ts);
  if (stop) isolate->StopTheWorld(ts);
  if (mine || obj->tid.load(kRelaxed) != 0) {
    const bool dead = internal::MergeCounts(obj, 0);
    TP_CHECK(!dead);
  }
  isolate->spread().Spread(obj);
  if (stop) isolate->StartTheWorld(ts);
  return true;
}

bool ClearDeferred(ThreadState* ts, ObjectHeader* obj) {
  Isolate* isolate = ts->isolate();
  if (IsSpread(obj)) {
    const bool stopped = isolate->StoppedBy(ts);
    if (!stopped) isolate->StopTheWorld(ts);
    isolate->spread().Unspread(isolate, obj);
    if (!stopped) isolate->StartTheWorld(ts);
  }
  const uint8_t bits = obj->gc_bits.fetch_and(
      static_cast<uint8_t>(~kGcDeferred), kRelaxed);
  if ((bits & kGcDeferred) == 0) return false;
  if (IsImmortal(obj)) return true;
  int64_t shared = obj->shared.load(kRelaxed);
  int64_t next;
  bool queue;
  do {
    next = shared - (kDeferredBias << kRefShift);
    // The bias covered drops by others that would have queued the object.
    // It is queued now, with a reference for the entry.
    queue = RefSharedCount(next) < 0 && (RefState(next) == kRefPlain ||
                                         RefState(next) == kRefMaybeWeakref);
    if (queue) next = ((next & ~kRefStateMask) + kRefOne) | kRefQueued;
    // acq_rel: as S5.
  } while (!obj->shared.compare_exchange_weak(shared, next, kAcqRel, kRelaxed));
  bool dead = next == kRefMerged;
  if (queue) dead = isolate->merge_table().Hand(ts, obj);
  if (dead) internal::PushDead(ts, obj);
  return true;
}

int64_t RawRefCount(const ObjectHeader* obj) {
  // Relaxed: exact only when nobody counts, see the header.
  const uint32_t local = obj->local.load(kRelaxed);
  if (local == kImmortalLocal) return INT64_MAX;
  if (IsSpreadLocal(local)) {
    const ThreadState* ts = ThreadState::Current();
    return RefSharedCount(obj->shared.load(kRelaxed)) +
           (ts != nullptr ? ts->spread_counts().Get(local - kSpreadBase) : 0);
  }
  return int64_t{local} + RefSharedCount(obj->shared.load(kRelaxed));
}

int64_t RefCount(const ObjectHeader* obj) {
  const int64_t raw = RawRefCount(obj);
  if (raw == INT64_MAX) return raw;
  return IsDeferred(obj) ? raw - kDeferredBias : raw;
}

}  // namespace tidepool
