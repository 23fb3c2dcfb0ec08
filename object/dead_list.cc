// See dead_list.h.
#include "tidepool/object/dead_list.h"

#include "tidepool/base/check.h"
#include "tidepool/object/refcount.h"

namespace tidepool {

void DeadList::Push(ObjectHeader* obj) {
  TP_DCHECK(IsDeadHeader(obj));
  // Plain stores: nobody else changes flags and bits of a dead object. Relaxed:
  // the collector reads them in stops.
  const uint8_t bits = obj->gc_bits.load(kRelaxed);
  obj->gc_bits.store(
      static_cast<uint8_t>((bits | kGcDying) & ~(kGcTracked | kGcMarkBits)),
      kRelaxed);
  if ((bits & kGcTracked) != 0) {
    obj->flags.store(obj->flags.load(kRelaxed) | kFlagRetrack, kRelaxed);
  }
  // Relaxed: 0 and 3 mean the same to every reader that can come.
  obj->shared.store(kRefMerged, kRelaxed);
  // Relaxed: a stale reader compares with its own tid only.
  obj->tid.store(0, kRelaxed);
  if (tail_ != nullptr) {
    tail_->tid.store(reinterpret_cast<uint64_t>(obj), kRelaxed);
  } else {
    head_ = obj;
  }
  tail_ = obj;
}

ObjectHeader* DeadList::Pop() {
  ObjectHeader* obj = head_;
  if (obj == nullptr) return nullptr;
  head_ = reinterpret_cast<ObjectHeader*>(obj->tid.load(kRelaxed));
  if (head_ == nullptr) tail_ = nullptr;
  obj->tid.store(0, kRelaxed);
  // Plain stores: as in Push.
  const uint16_t flags = obj->flags.load(kRelaxed);
  uint8_t bits = obj->gc_bits.load(kRelaxed) & ~kGcDying;
  if ((flags & kFlagRetrack) != 0) {
    obj->flags.store(static_cast<uint16_t>(flags & ~kFlagRetrack), kRelaxed);
    bits |= kGcTracked;
  }
  obj->gc_bits.store(bits, kRelaxed);
  return obj;
}

void DeadList::TakeAll(DeadList& other) {
  if (other.head_ == nullptr) return;
  if (tail_ != nullptr) {
    tail_->tid.store(reinterpret_cast<uint64_t>(other.head_), kRelaxed);
  } else {
    head_ = other.head_;
  }
  tail_ = other.tail_;
  other.head_ = nullptr;
  other.tail_ = nullptr;
}

}  // namespace tidepool
