// See object.h. Deallocation: the steps between the last reference and the free
// block, and how deep chains are kept off the stack.
#include "tidepool/object/object.h"

#include "tidepool/object/freed_types.h"
#include "tidepool/object/internal/state_access.h"
#include "tidepool/object/weakref.h"

namespace tidepool {
namespace internal {
namespace {

// Deallocations nest this deep before the rest goes to the trash list. One
// level is about three small frames, so a stack of 128 KiB has ample room.
constexpr uint32_t kMaxDeallocDepth = 40;

// A reference for the time of the finalizer, by a step that others may race
// with once the finalizer has shown the object to them: the owner's count, or
// an atomic add. No other header word is touched.
void ReviveForFinalizer(ObjectHeader* obj) {
  if (obj->shared.load(kRelaxed) == kRefMerged) {
    // Relaxed: from exactly 3 no reader comes in, so nobody sees it yet.
    obj->shared.fetch_add(kRefOne, kRelaxed);
  } else {
    TP_DCHECK(IsOwnedByMe(obj));
    obj->local.store(1, kRelaxed);
  }
}

ABSL_ATTRIBUTE_ALWAYS_INLINE inline void DeallocOne(ThreadState* ts,
                                                    ObjectHeader* obj) {
  const TypeInfo* type = obj->type();
  if (type->finalize != nullptr && MarkFinalized(obj)) {
    ReviveForFinalizer(obj);
    type->finalize(ts, obj);
    if (!DropRef(ts, obj)) return;  // resurrected, or somebody else's to free
  }
  // From here on a stop may come at any time: the collector must not see a
  // dead object as one to visit, but must see that its class is needed.
  // A plain store: nobody else changes the bits of a dead object. Relaxed: they
  // are read in stops.
  const uint8_t bits = obj->gc_bits.load(kRelaxed);
  obj->gc_bits.store(
      static_cast<uint8_t>((bits | kGcDying) & ~(kGcTracked | kGcMarkBits)),
      kRelaxed);
  if (HasWeakRefs(obj)) ClearWeakRefs(ts, obj);
  if (type->dealloc != nullptr) {
    type->dealloc(ts, obj);
  } else if ((type->flags & kTypeWeakRef) != 0) {
    DeallocWeakRef(ts, obj);
  } else {
    FreeObject(ts, obj);
  }
}

}  // namespace

void DeallocObject(ThreadState* ts, ObjectHeader* obj) {
  TP_DCHECK(IsDeadHeader(obj));
  TP_DCHECK(!ts->isolate()->StoppedBy(ts));  // nothing may run in a stop
  uint32_t& depth = ThreadStateAccess::dealloc_depth(ts);
  DeadList& trash = ThreadStateAccess::trash(ts);
  if (depth >= kMaxDeallocDepth) {
    trash.Push(obj);
    return;
  }
  ++depth;
  DeallocOne(ts, obj);
  if (ABSL_PREDICT_FALSE(!trash.empty()) && depth == 1) {
    while (ObjectHeader* next = trash.Pop()) DeallocOne(ts, next);
  }
  --depth;
}

void PushDead(ThreadState* ts, ObjectHeader* obj) {
  ThreadStateAccess::dead(ts).Push(obj);
  ts->RequestBreak(kBreakDead);
}

}  // namespace internal

void FreeObject(ThreadState* ts, ObjectHeader* obj) {
  TP_DCHECK(IsDeadHeader(obj));
  TP_DCHECK(!obj->mutex.IsLocked());
  if (ABSL_PREDICT_FALSE(ts->freed_types() != nullptr)) {
    ts->freed_types()->Note(obj, obj->type()->name);
  }
  // Relaxed: the block is found dead by its gc bits in stops only. The words
  // that readers look at stay as they are.
  obj->gc_bits.store(0, kRelaxed);
  ts->heap()->Free(BlockOf(obj, obj->type()));
}

}  // namespace tidepool
