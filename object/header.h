// The object header: 32 bytes that begin every object.
//
// Words of this layer (used in no other sense in code and docs)
//   owner        the thread whose id is in `tid`. Only it touches `local`, and
//                without read-modify-writes.
//   local count  references counted by the owner.
//   shared word  count << 2 | state: references counted by everybody else,
//                by compare-and-swap or fetch_add. The count is signed: an
//                object that the owner made and others dropped goes negative.
//   merged       the local count was added to the shared one and there is no
//                owner any more: tid == 0.
//   dead         local == 0 and the shared word is exactly 0 (freed by the
//                owner) or exactly 3 (freed merged). All zeros is dead.
//   immortal     local == kImmortalLocal: never counted, never freed. Its tid
//                is 0 and its state merged, with kImmortalBias in the count.
//   deferred     kGcDeferred in gc_bits and kDeferredBias in the count: only
//                the collector frees it. Can be taken back.
//   spread       deferred, and each thread counts in a table of its own:
//                local == kSpreadBase + id (spread.h). Merged, tid == 0.
//
// The shared word: state, event, next state, who, order, partner
//   S1 plain    TryIncref by a stranger at word 0: declined.
//   S2 plain    SetMaybeWeakref -> maybe. A holder. CAS relaxed: what makes the
//               object visible is the slot store (release) that comes after.
//   S3 any      Incref by a holder: +1. fetch_add relaxed: a reference is held,
//               so the word cannot reach 0 or 3 meanwhile.
//   S4 any but exactly 0 and 3   TryIncref: +1. CAS acquire, pairs with the
//               release of the last store to the word (S5, S6 or NewObject):
//               what the re-check reads afterwards is at least that new.
//   S5 plain/maybe with count 0, foreign Decref -> queued, count 0. The queue
//               takes the reference over. CAS acq_rel. Else -1, acq_rel: the
//               release publishes this thread's writes to whoever frees, the
//               acquire (of the last one) sees everybody's. At word 3 -> dead.
//   S6 any      merge (queue, owner at local 0, collector) -> merged, count +
//               local (- the queue's reference). local and tid are cleared
//               first. CAS acq_rel, as S5.
//   S7 plain 0, owner at local 0 -> dead. A load acquire, pairs with S5.
//   S8 maybe with count 0, tid == me, local 1, no weakref -> plain. CAS acquire
//               (TryMakeUnique).
//   S9 dead     NewObject in the same block: tid, local relaxed, then the word
//               release, last.
//
// Invariants, asserted in debug builds and walked at stops (invariants.h)
//   H1 tid == 0 if and only if the state is merged, for every live object.
//   H2 a merged object has local == 0, kImmortalLocal, or is spread.
//   H3 local + (shared >> 2) >= 1 for every live object (spread ones: with
//      every thread's entry, without local).
//   H4 dead objects are untracked or on a list of the dead, and never queued.
//   H5 a tid is stored or cleared by that thread, or while it is stopped, or
//      under its bucket's lock while it is held detached or gone.
//   H6 at the end of a stop a tid that is not 0 is a thread's of the isolate or
//      that of the page's owner, unless the page's owner has changed since the
//      collector last put owners right: no borrowed word is left.
//
// Readers without a reference look at tid, local and shared only: these are
// atomics everywhere and no memset, poison, fill or free-list link touches
// them. The allocator's link lies in the type word. While an object is dead
// and not yet freed, tid may hold a link of a list of the dead (dead_list.h);
// during a stop the collector may hold a count there (gc's typed view).
#ifndef TIDEPOOL_OBJECT_HEADER_H_
#define TIDEPOOL_OBJECT_HEADER_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/base/atomic.h"
#include "tidepool/base/mutex.h"

namespace tidepool {

struct TypeInfo;

struct ObjectHeader {
  Atomic<uint64_t> tid;
  Atomic<uint16_t> flags;  // HeaderFlags
  Mutex mutex;             // object_mutex.h
  Atomic<uint8_t> gc_bits; // GcBits
  Atomic<uint32_t> local;
  Atomic<int64_t> shared;
  Atomic<const TypeInfo*> type_;

  // Relaxed: whoever holds a reference got it through a release/acquire pair
  // that comes after NewObject's store.
  const TypeInfo* type() const { return type_.load(kRelaxed); }
};

static_assert(sizeof(Mutex) == 1);
static_assert(sizeof(ObjectHeader) == 32);
static_assert(offsetof(ObjectHeader, tid) == 0);
static_assert(offsetof(ObjectHeader, flags) == 8);
static_assert(offsetof(ObjectHeader, mutex) == 10);
static_assert(offsetof(ObjectHeader, gc_bits) == 11);
static_assert(offsetof(ObjectHeader, local) == 12);
static_assert(offsetof(ObjectHeader, shared) == 16);
static_assert(offsetof(ObjectHeader, type_) == 24);

// The shared word.
inline constexpr int64_t kRefPlain = 0;
inline constexpr int64_t kRefMaybeWeakref = 1;
inline constexpr int64_t kRefQueued = 2;
inline constexpr int64_t kRefMerged = 3;
inline constexpr int64_t kRefStateMask = 3;
inline constexpr int kRefShift = 2;
inline constexpr int64_t kRefOne = int64_t{1} << kRefShift;
// Counts, not words. Both are far above what can be counted and far below
// what the word holds, so adding the one, the other or both keeps the sign.
inline constexpr int64_t kDeferredBias = int64_t{1} << 56;
inline constexpr int64_t kImmortalBias = int64_t{1} << 58;

inline constexpr int64_t RefState(int64_t shared) {
  return shared & kRefStateMask;
}
inline constexpr int64_t RefSharedCount(int64_t shared) {
  return shared >> kRefShift;  // arithmetic
}
// The two words a dead object may have, on which TryIncref gives up.
inline constexpr bool IsDeadWord(int64_t shared) {
  return shared == 0 || shared == kRefMerged;
}

// The local count.
inline constexpr uint32_t kImmortalLocal = UINT32_MAX;
// From here on it is no count: kSpreadBase + id, or kImmortalLocal.
inline constexpr uint32_t kSpreadBase = 0xC0000000;
// An owner whose count reaches this moves half of it to the shared word, so
// nothing becomes spread or immortal by being counted.
inline constexpr uint32_t kLocalLimit = kSpreadBase - 1;
inline constexpr bool IsSpreadLocal(uint32_t local) {
  return local >= kSpreadBase && local != kImmortalLocal;
}

// gc_bits. Changed by fetch_or and fetch_and on live objects; FreeObject
// stores 0. The collector sets the bits of its phases during stops only. The
// two mark bits take turns from pass to pass (gc/internal/pass.h), so they say
// something during a pass only; an untracked object has neither.
enum GcBits : uint8_t {
  kGcTracked = 1 << 0,      // the collector may visit it
  kGcFinalized = 1 << 1,    // finalize has run (or is running)
  kGcUnreachable = 1 << 2,  // collector: candidate trash
  kGcFrozen = 1 << 3,       // collector: set aside by freeze()
  kGcMarkA = 1 << 4,        // collector: alive in this pass, or in the last
  kGcDeferred = 1 << 5,     // kDeferredBias is in the count
  kGcDying = 1 << 6,        // dead and not freed yet: listed or in dealloc. The
                            // collector keeps its (uncounted) class alive.
  kGcMarkB = 1 << 7,        // collector: the same, taking turns
};
inline constexpr uint8_t kGcMarkBits = kGcMarkA | kGcMarkB;

// flags, changed by fetch_or and fetch_and.
enum HeaderFlags : uint16_t {
  // Dead and on a list of the dead; was tracked before it got there.
  kFlagRetrack = 1 << 0,
  // A thread that does not own it asked for immortality; the owner's merge
  // grants it.
  kFlagImmortalWanted = 1 << 1,
  // Free for the embedder: bits 8 to 15.
  kFlagEmbedderShift = 8,
};

// Bytes before the header in a block of heap kind gc_pre.
inline constexpr size_t kPreHeaderSize = 16;

}  // namespace tidepool

#endif  // TIDEPOOL_OBJECT_HEADER_H_
