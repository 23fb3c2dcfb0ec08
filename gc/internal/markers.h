// What the marking phases do with an object (mark_stack.h asks them), and the predicates
// of a candidate. P numbers are rows of the table in pass.h. In a stop.

#ifndef TIDEPOOL_GC_INTERNAL_MARKERS_H_
#define TIDEPOOL_GC_INTERNAL_MARKERS_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/allocator/heap_domain.h"
#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"
#include "tidepool/gc/internal/block_state.h"
#include "tidepool/gc/internal/tid_view.h"
#include "tidepool/object/header.h"
#include "tidepool/object/refcount.h"
#include "tidepool/object/type_info.h"

namespace tidepool {
namespace gc_internal {

// Marking from the roots (P1). What is frozen, immortal or untracked stays as it is: it
// is no candidate, so what it refers to has a reference from outside.
struct RootMarker {
  static constexpr bool kSliced = false;
  HeapDomain* heap;
  uint8_t mark;  // this pass's bit

  bool Wants(ObjectHeader* h, uint8_t bits) const {
    return (bits & (kGcTracked | kGcFrozen | mark)) == kGcTracked && !IsImmortal(h);
  }
  bool TryMark(ObjectHeader* h) {
    const uint8_t bits = h->gc_bits.load(kRelaxed);
    if (!Wants(h, bits)) return false;
    h->gc_bits.store((bits & ~kGcMarkBits) | mark, kRelaxed);
    return true;
  }
  bool TryClaim(ObjectHeader* h) {
    if (!Wants(h, h->gc_bits.load(kRelaxed))) return false;
    if ((h->gc_bits.fetch_or(mark, kRelaxed) & mark) != 0) return false;
    h->gc_bits.fetch_and(static_cast<uint8_t>(mark | ~kGcMarkBits), kRelaxed);
    return true;
  }
  // The object's word held a link: C1 asks for the id back.
  void Unchained(ObjectHeader* h) {
    if (!TIDEPOOL_MUTANT(gc_keep_link)) RestoreOwner(h, heap->PageOwnerTid(h));
  }
};

// Marking candidates that are reached from outside (P4, P7). The word is borrowed anyway
// until the restore phase. How many deferred objects were reached must be exact, whoever
// marks beside this one.
struct OutsideMarker {
  static constexpr bool kSliced = false;
  uint8_t mark;
  uint64_t deferred = 0;

  bool TryMark(ObjectHeader* h) {
    const uint8_t bits = h->gc_bits.load(kRelaxed);
    if ((bits & (kGcUnreachable | mark)) != kGcUnreachable) return false;
    if ((bits & kGcDeferred) != 0) return TryClaim(h);
    h->gc_bits.store(bits | mark, kRelaxed);
    return true;
  }
  bool TryClaim(ObjectHeader* h) {
    const uint8_t bits = h->gc_bits.load(kRelaxed);
    if ((bits & (kGcUnreachable | mark)) != kGcUnreachable) return false;
    if ((h->gc_bits.fetch_or(mark, kRelaxed) & mark) != 0) return false;
    if ((bits & kGcDeferred) != 0) ++deferred;
    return true;
  }
  void Unchained(ObjectHeader*) {}
};

// May a tracked object without this pass's mark be put to trial?
inline bool MayBeCandidate(const ObjectHeader* h, uint8_t bits) {
  if ((bits & kGcFrozen) != 0 && !TIDEPOOL_MUTANT(gc_try_frozen)) return false;
  return !IsImmortal(h) && !IsDeadHeader(h) && !WantsImmortality(h);
}

// P3, P11, P13.
inline void MakeCandidate(ObjectHeader* h, uint8_t bits) {
  TidAsCount::Set(h, TotalCount(h));
  h->gc_bits.store((bits & ~kGcMarkBits) | kGcUnreachable, kRelaxed);
}

// Takes the references off that candidates hold on each other. Targets are prefetched
// and handled kQueue visits later. Handler: void operator()(ObjectHeader*).
template <class Handler>
class Subtraction {
 public:
  explicit Subtraction(Handler handler) : handler_(handler) {}
  static int Visit(ObjectHeader* target, void* arg) {
    auto* self = static_cast<Subtraction*>(arg);
    __builtin_prefetch(target, 1);
    ObjectHeader*& slot = self->queue_[self->next_++ % kQueue];
    if (slot != nullptr) self->handler_(slot);
    slot = target;
    return 0;
  }
  void Scan(ObjectHeader* h) {
    const TypeInfo* type = h->type();
    if (type->traverse != nullptr) type->traverse(h, &Visit, this);
  }
  ~Subtraction() {
    for (size_t i = 0; i < kQueue; ++i) {
      ObjectHeader* target = queue_[next_++ % kQueue];
      if (target != nullptr) handler_(target);
    }
  }

 private:
  static constexpr size_t kQueue = 16;
  Handler handler_;
  size_t next_ = 0;
  ObjectHeader* queue_[kQueue] = {};
};

// One marker: plain subtraction.
struct SubtractAlone {
  void operator()(ObjectHeader* target) const {
    if ((target->gc_bits.load(kRelaxed) & kGcUnreachable) != 0) {
      TidAsCount::Subtract(target);
    }
  }
};
// Several.
struct SubtractShared {
  void operator()(ObjectHeader* target) const {
    if ((target->gc_bits.load(kRelaxed) & kGcUnreachable) == 0) return;
    if (TIDEPOOL_MUTANT(mark_subtract_plain)) {
      TidAsCount::Subtract(target);
    } else {
      TidAsCount::SubtractShared(target);
    }
  }
};
// One marker, before the candidates are known: what is referred to becomes one here, if
// it may. So a single walk over the heap does for both.
struct SubtractLazily {
  uint8_t mark;
  void operator()(ObjectHeader* target) const {
    const uint8_t bits = target->gc_bits.load(kRelaxed);
    if ((bits & kGcUnreachable) == 0) {
      if ((bits & (kGcTracked | mark)) != kGcTracked) return;
      if (!MayBeCandidate(target, bits)) return;
      MakeCandidate(target, bits);
    }
    TidAsCount::Subtract(target);
  }
};

}  // namespace gc_internal
}  // namespace tidepool

#endif  // TIDEPOOL_GC_INTERNAL_MARKERS_H_
