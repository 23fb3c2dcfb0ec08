// What happens to garbage with the world running: callbacks, finalizers, and the end.
//
// The collector holds one reference to each piece of garbage, so none of it is freed, and
// every page with garbage keeps its layout, until DropRound gives the reference back. A
// page is scanned by the bit kGcUnreachable; other threads allocate and free other blocks
// on it meanwhile, whose bits are atomics and never have that one.

#include <cstdio>

#include "tidepool/base/mutant.h"
#include "tidepool/gc/internal/mark_stack.h"
#include "tidepool/gc/internal/pass.h"
#include "tidepool/gc/internal/tid_view.h"
#include "tidepool/object/object.h"
#include "tidepool/object/refcount.h"
#include "tidepool/object/type_info.h"
#include "tidepool/object/weakref.h"

namespace tidepool {
namespace gc_internal {
namespace {

// fn(h, bits) for the garbage of a page; true means that fn gave the collector's reference
// back. fn may run any code. Nothing behind the last piece of garbage is looked at: with
// it dropped, the page may have gone.
template <class Fn>
void ForGarbage(PageEntry& page, Fn fn) {
  uint32_t left = page.objects;
  for (uint32_t i = page.lo; left != 0; ++i) {
    ObjectHeader* h = page.block(i);
    // Relaxed: the bit was set by this thread, or in a stop by it.
    const uint8_t bits = h->gc_bits.load(kRelaxed);
    if ((bits & kGcUnreachable) == 0) continue;
    --left;
    if (fn(h, bits)) --page.objects;
  }
}

void ClearBit(ObjectHeader* h, uint8_t bit) {
  // Relaxed, and an RMW as others may set other bits: see GcBits.
  h->gc_bits.fetch_and(static_cast<uint8_t>(~bit), kRelaxed);
}

// True if the collector had the only reference, and now nobody has. With weakrefs cleared and
// no slot left nobody else can come by one, so the bits may be stored plainly.
bool FreeIfUnreferenced(ThreadState* ts, ObjectHeader* h, uint8_t bits) {
  // Acquire: pairs with the release of whoever dropped the last other reference (S5).
  if (int64_t{h->local.load(kRelaxed)} + RefSharedCount(h->shared.load(kAcquire)) != 1) {
    return false;
  }
  h->gc_bits.store(bits & ~kGcUnreachable, kRelaxed);
  Decref(ts, h);
  return true;
}

}  // namespace

void Pass::RunCallbacks() {
  if (hooks_.print_garbage) PrintGarbage();
  ts_->DrainDead();
  RunWeakCallbacks(ts_, &callbacks_);
}

bool Pass::RunFinalizers() {
  const uint64_t before = stats_.finalizers;
  for (PageEntry& page : memory_.pages) {
    if (!page.has_finalizers) continue;
    ForGarbage(page, [&](ObjectHeader* h, uint8_t) {
      const TypeInfo* type = h->type();
      if (type->finalize == nullptr) return false;
      if (!MarkFinalized(h) && !TIDEPOOL_MUTANT(gc_finalize_again)) return false;
      ++stats_.finalizers;
      type->finalize(ts_, h);
      return false;
    });
    ts_->Safepoint();
  }
  return stats_.finalizers != before;
}

void Pass::DeleteGarbage() {
  if (hooks_.save_all) {
    SaveGarbage();
    return;
  }
  ClearRound();
  // Now nothing but the collector's reference should be left of each.
  DropRound();
  ts_->DrainDead();
  if (deferred_garbage_ == 0) return;
  if (leaky_ != 0) {
    // An instance without a proper clear is still there: its class must be, too.
    StopWorld();
    RescueLeakedTypes();
    StartWorld();
  }
  DropDeferred();
}

// Clears everything. What has lost its last reference but the collector's by the time its
// page is done is freed at once, while the page is in the cache; most garbage is young and
// near what it refers to.
void Pass::ClearRound() {
  for (PageEntry& page : memory_.pages) {
    ForGarbage(page, [&](ObjectHeader* h, uint8_t) {
      const TypeInfo* type = h->type();
      if (type->clear != nullptr) type->clear(ts_, h);
      return false;
    });
    ForGarbage(page, [&](ObjectHeader* h, uint8_t bits) {
      return (bits & kGcDeferred) == 0 && FreeIfUnreferenced(ts_, h, bits);
    });
    ts_->Safepoint();
  }
}

void Pass::DropRound() {
  for (PageEntry& page : memory_.pages) {
    if (page.objects == 0) continue;
    ForGarbage(page, [&](ObjectHeader* h, uint8_t bits) {
      if ((bits & kGcDeferred) != 0) return false;
      if (FreeIfUnreferenced(ts_, h, bits)) return true;
      ++leaky_;
      ClearBit(h, kGcUnreachable);
      Decref(ts_, h);
      return true;
    });
    ts_->Safepoint();
  }
}

// Objects with deferred counting, classes among them. A class must not go before its
// instances, and a metaclass not before its classes; neither counts the edge. So in rounds:
// each drops what no remaining object has for its class.
void Pass::DropDeferred() {
  for (bool all = false;;) {
    uint64_t left = 0;
    for (PageEntry& page : memory_.pages) {
      ForGarbage(page, [&](ObjectHeader* h, uint8_t) {
        ++left;
        ObjectHeader* type_object = h->type()->type_object;
        if (!all && !TIDEPOOL_MUTANT(gc_class_first) && type_object != nullptr && type_object != h &&
            (type_object->gc_bits.load(kRelaxed) & kGcUnreachable) != 0) {
          type_object->gc_bits.fetch_or(mark(), kRelaxed);
        }
        return false;
      });
    }
    if (left == 0) return;
    uint64_t dropped = 0;
    for (PageEntry& page : memory_.pages) {
      ForGarbage(page, [&](ObjectHeader* h, uint8_t bits) {
        if ((bits & mark()) != 0) {
          ClearBit(h, mark());  // its turn may be the next round
          return false;
        }
        ++dropped;
        ClearBit(h, kGcUnreachable);
        ClearDeferred(ts_, h);
        Decref(ts_, h);
        return true;
      });
    }
    ts_->DrainDead();
    all = dropped == 0;  // classes of each other: in any order
  }
}

// DEBUG_COLLECTABLE, in CPython's words.
void Pass::PrintGarbage() {
  for (PageEntry& page : memory_.pages) {
    ForGarbage(page, [&](ObjectHeader* h, uint8_t) {
      std::fprintf(stderr, "gc: collectable <%s %p>\n", h->type()->name, static_cast<void*>(h));
      return false;
    });
  }
}

// DEBUG_SAVEALL: nothing is cleared, the visitor gets a reference to each.
void Pass::SaveGarbage() {
  for (PageEntry& page : memory_.pages) {
    ForGarbage(page, [&](ObjectHeader* h, uint8_t) {
      if (hooks_.garbage_visitor != nullptr) {
        Incref(h);
        hooks_.garbage_visitor(ts_, h, hooks_.garbage_arg);
      }
      ClearBit(h, kGcUnreachable);
      Decref(ts_, h);
      return true;
    });
    ts_->Safepoint();
  }
}

}  // namespace gc_internal
}  // namespace tidepool
