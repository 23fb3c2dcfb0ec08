// The owner word while the collector borrows it.
//
//   phase                   what the word of the object holds      who puts the id back
//   mark (roots)            a link, if the mark stack is full      MarkStack, at the pop
//   candidates .. subtract  a candidate's count (gc_refs)          restore phase
//   propagate               a count; a link, if the stack is full  restore phase
//   recheck                 a garbage object's count               end of the recheck
//   anything else           the owner's id or 0                    -
//
// Only these classes read or write the word as something else than an id, and only in a
// stop; so every use can be found by name. All accesses are relaxed: the stop itself
// orders them against every mutator.

#ifndef TIDEPOOL_GC_INTERNAL_TID_VIEW_H_
#define TIDEPOOL_GC_INTERNAL_TID_VIEW_H_

#include <cstdint>

#include "tidepool/base/check.h"
#include "tidepool/object/header.h"
#include "tidepool/object/refcount.h"

namespace tidepool {
namespace gc_internal {

// The word as a signed count of references from outside.
struct TidAsCount {
  static void Set(ObjectHeader* h, int64_t count) {
    h->tid.store(static_cast<uint64_t>(count), kRelaxed);
  }
  static int64_t Get(const ObjectHeader* h) {
    return static_cast<int64_t>(h->tid.load(kRelaxed));
  }
  static void Subtract(ObjectHeader* h) { Set(h, Get(h) - 1); }
  // Several markers at once. Relaxed: the count is looked at when all are done.
  static void SubtractShared(ObjectHeader* h) { h->tid.fetch_sub(1, kRelaxed); }
};

// The word as the link of an intrusive stack.
struct TidAsLink {
  static void Set(ObjectHeader* h, ObjectHeader* next) {
    h->tid.store(reinterpret_cast<uintptr_t>(next), kRelaxed);
  }
  static ObjectHeader* Get(const ObjectHeader* h) {
    return reinterpret_cast<ObjectHeader*>(h->tid.load(kRelaxed));
  }
};

// What the owner counts: not what `local` holds of a spread object (spread.h).
inline int64_t LocalCount(const ObjectHeader* h) {
  const uint32_t local = h->local.load(kRelaxed);
  return IsSpreadLocal(local) ? 0 : int64_t{local};
}

// local + shared, without the bias of deferred counting. In a stop, after
// SpreadTable::Fold.
inline int64_t TotalCount(const ObjectHeader* h) {
  int64_t count = LocalCount(h) + RefSharedCount(h->shared.load(kRelaxed));
  if ((h->gc_bits.load(kRelaxed) & kGcDeferred) != 0) count -= kDeferredBias;
  return count;
}

// In a stop: the object has no owner afterwards, and `extra` references more.
inline void MergeInStop(ObjectHeader* h, int64_t extra) {
  const int64_t count =
      LocalCount(h) + RefSharedCount(h->shared.load(kRelaxed)) + extra;
  if (!IsSpread(h)) h->local.store(0, kRelaxed);
  h->tid.store(0, kRelaxed);
  h->shared.store((count << kRefShift) | kRefMerged, kRelaxed);
}

// In a stop: the collecting thread `me` takes one reference to garbage on a page of
// `page_owner`. Its own objects stay its own, so that clearing and dropping them costs no
// atomics; all others are merged, so that it may free them.
inline void HoldInStop(ObjectHeader* h, uint64_t page_owner, uint64_t me) {
  const uint32_t local = h->local.load(kRelaxed);
  if (page_owner == me && local < kLocalLimit &&
      RefState(h->shared.load(kRelaxed)) != kRefMerged) {
    h->local.store(local + 1, kRelaxed);
    h->tid.store(me, kRelaxed);
  } else {
    MergeInStop(h, 1);
  }
}

// In a stop: puts the owner's id back into a borrowed, or outdated, word. `page_owner` is
// the id of the thread that owns the block's page, 0 if none.
inline void RestoreOwner(ObjectHeader* h, uint64_t page_owner) {
  if (RefState(h->shared.load(kRelaxed)) == kRefMerged) {
    h->tid.store(0, kRelaxed);
  } else if (page_owner != 0) {
    h->tid.store(page_owner, kRelaxed);
  } else {
    MergeInStop(h, 0);
  }
}

}  // namespace gc_internal
}  // namespace tidepool

#endif  // TIDEPOOL_GC_INTERNAL_TID_VIEW_H_
