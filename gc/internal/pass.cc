// The steps with the world stopped that find garbage; what happens to the garbage with
// the world running is in reclaim.cc.

#include "tidepool/gc/internal/pass.h"

#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"
#include "tidepool/gc/internal/block_state.h"
#include "tidepool/gc/internal/mark_stack.h"
#include "tidepool/gc/internal/tid_view.h"
#include "tidepool/object/merge_queue.h"
#include "tidepool/object/refcount.h"
#include "tidepool/object/type_info.h"

namespace tidepool {
namespace gc_internal {
namespace {

constexpr uint8_t kBorrowBits = kGcMarked | kGcUnreachable;

// Marking from the roots (P1). What is frozen, immortal or untracked stays as it is: it
// is no candidate, so what it refers to has a reference from outside.
struct RootMarker {
  HeapDomain* heap;

  bool TryMark(ObjectHeader* h) {
    const uint8_t bits = h->gc_bits.load(kRelaxed);
    if ((bits & (kGcTracked | kGcFrozen | kGcMarked)) != kGcTracked) return false;
    if (IsImmortal(h)) return false;
    h->gc_bits.store(bits | kGcMarked, kRelaxed);
    return true;
  }
  // The object's word held a link: C1 asks for the id back.
  void Unchained(ObjectHeader* h) {
    if (!TIDEPOOL_MUTANT(gc_keep_link)) RestoreOwner(h, heap->PageOwnerTid(h));
  }
};

// Marking candidates that are reached from outside (P4, P7). The word is borrowed
// anyway until the restore phase.
struct OutsideMarker {
  uint64_t reached = 0;
  uint64_t deferred = 0;

  bool TryMark(ObjectHeader* h) {
    const uint8_t bits = h->gc_bits.load(kRelaxed);
    if ((bits & kGcUnreachable) == 0) return false;
    h->gc_bits.store((bits & ~kGcUnreachable) | kGcMarked, kRelaxed);
    ++reached;
    if ((bits & kGcDeferred) != 0) ++deferred;
    return true;
  }
  void Unchained(ObjectHeader*) {}
};

// Takes the references off that candidates hold on each other. Targets are prefetched
// and handled kQueue visits later.
class Subtraction {
 public:
  static int Visit(ObjectHeader* target, void* arg) {
    auto* self = static_cast<Subtraction*>(arg);
    __builtin_prefetch(target, 1);
    ObjectHeader*& slot = self->queue_[self->next_++ % kQueue];
    if (slot != nullptr) Handle(slot);
    slot = target;
    return 0;
  }
  ~Subtraction() {
    for (ObjectHeader* target : queue_) {
      if (target != nullptr) Handle(target);
    }
  }

 private:
  static constexpr size_t kQueue = 16;

  static void Handle(ObjectHeader* target) {
    if ((target->gc_bits.load(kRelaxed) & kGcUnreachable) != 0) {
      TidAsCount::Subtract(target);
    }
  }

  size_t next_ = 0;
  ObjectHeader* queue_[kQueue] = {};
};

void CheckCount(const ObjectHeader* h) {
#if TIDEPOOL_DCHECK_IS_ON
  if (TidAsCount::Get(h) < 0) {
    Fatal("gc: object %p of type %s is referenced %lld times more than it is counted",
          static_cast<const void*>(h), h->type()->name,
          static_cast<long long>(-TidAsCount::Get(h)));
  }
#else
  (void)h;
#endif
}

}  // namespace

Pass::Pass(ThreadState* ts, PassMemory* memory, const Hooks& hooks,
           CollectStats* stats)
    : ts_(ts),
      isolate_(ts->isolate()),
      heap_(ts->isolate()->heap()),
      os_(ts->isolate()->os()),
      memory_(*memory),
      hooks_(hooks),
      stats_(*stats) {}

void Pass::EnterPhase(GcPhase phase) {
  const uint64_t now = os_->NowNs();
  if (phase_ != GcPhase::kCount) {
    stats_.phase_ns[static_cast<int>(phase_)] += now - phase_start_;
    stop_phase_ns_[static_cast<int>(phase_)] += now - phase_start_;
  }
  phase_ = phase;
  phase_start_ = now;
}

void Pass::StopWorld() {
  EnterPhase(phase_);
  isolate_->StopTheWorld(ts_);
  stopped_at_ = os_->NowNs();
  stats_.phase_ns[static_cast<int>(GcPhase::kStop)] += stopped_at_ - phase_start_;
  memory_.pauses.phase[static_cast<int>(GcPhase::kStop)].Add(stopped_at_ - phase_start_);
  phase_start_ = stopped_at_;
  for (uint64_t& ns : stop_phase_ns_) ns = 0;
  ++stats_.stops;
}

// The phases are cut here, so that each stop's part of them is known.
void Pass::StartWorld() {
  const GcPhase phase = phase_;
  EnterPhase(phase);
  const uint64_t held = phase_start_ - stopped_at_;
  stats_.paused_ns += held;
  if (held > stats_.pause_ns) stats_.pause_ns = held;
  stats_.pauses.Add(held);
  memory_.pauses.all.Add(held);
  for (int i = 0; i < kGcPhaseCount; ++i) {
    if (stop_phase_ns_[i] != 0) memory_.pauses.phase[i].Add(stop_phase_ns_[i]);
  }
  isolate_->StartTheWorld(ts_);
}

void Pass::Run() {
  memory_.pages.clear();
  memory_.stack.clear();

  EnterPhase(GcPhase::kMerge);
  StopWorld();
  if (!TIDEPOOL_MUTANT(gc_no_merge)) isolate_->MergeAllQueues(ts_);
  FindGarbage();
  EnterPhase(GcPhase::kWeakRefs);
  if (garbage_ != 0 && !TIDEPOOL_MUTANT(gc_keep_weakrefs)) {
    ClearGarbageWeakRefs(/*keep_callbacks=*/true);
  }
  EnterPhase(GcPhase::kDrain);
  heap_.AfterStop();
  StartWorld();

  EnterPhase(GcPhase::kCallbacks);
  RunCallbacks();
  EnterPhase(GcPhase::kFinalizers);
  if (garbage_ != 0 && RunFinalizers() && !TIDEPOOL_MUTANT(gc_skip_recheck)) {
    EnterPhase(GcPhase::kRecheck);
    StopWorld();
    Recheck();
    StartWorld();
  }
  EnterPhase(GcPhase::kClear);
  stats_.collected = garbage_;
  if (garbage_ != 0) DeleteGarbage();
  EnterPhase(GcPhase::kCount);
}

void Pass::FindGarbage() {
  EnterPhase(GcPhase::kMark);
  MarkRoots();
  EnterPhase(GcPhase::kCandidates);
  if (!PickCandidates()) {
    stats_.out_of_memory = true;
    EnterPhase(GcPhase::kRestore);
    Undo();
    return;
  }
  if (stats_.candidates != 0) {
    EnterPhase(GcPhase::kSubtract);
    SubtractInternal();
    EnterPhase(GcPhase::kPropagate);
    garbage_ = stats_.candidates;
    Propagate();
    if (deferred_garbage_ != 0 && !TIDEPOOL_MUTANT(gc_no_type_rescue)) {
      RescueTypes(/*second_stop=*/false);
    }
  }
  EnterPhase(GcPhase::kRestore);
  Restore();
}

void Pass::MarkRoots() {
  Marking<RootMarker> marking(&memory_.stack, RootMarker{&heap_});
  isolate_->VisitRoots(&Marking<RootMarker>::Visit, &marking);
  marking.Drain();
  stats_.stack_overflows += marking.overflows();
}

bool Pass::PickCandidates() {
  bool ok = true;
  heap_.VisitPages(kGcKinds, [&](const PageInfo& info) {
    if (!ok) return;
    PageEntry entry{};
    entry.first_header = info.first_block + info.header_offset;
    entry.block_size = info.block_size;
    entry.owner_tid = info.owner_tid;
    entry.count = static_cast<uint32_t>(info.count);
    for (uint32_t i = 0; i < entry.count; ++i) {
      ObjectHeader* h = entry.block(i);
      const uint8_t bits = h->gc_bits.load(kRelaxed);
      if ((bits & kGcTracked) == 0) continue;
      ++stats_.tracked;
      if ((bits & kGcMarked) != 0) {  // P2
        h->gc_bits.store(bits & ~kGcMarked, kRelaxed);
        ++stats_.marked;
        continue;
      }
      if ((bits & kGcFrozen) != 0 && !TIDEPOOL_MUTANT(gc_try_frozen)) {
        ++stats_.frozen;
        continue;
      }
      if (IsImmortal(h) || IsDeadHeader(h) || WantsImmortality(h)) continue;
      if (entry.objects == 0) {
        // The entry must be in the table before a header on it is borrowed.
        if (!memory_.pages.Push(entry)) {
          ok = false;
          return;
        }
        entry.lo = i;
      }
      TidAsCount::Set(h, TotalCount(h));  // P3
      h->gc_bits.store(bits | kGcUnreachable, kRelaxed);
      if ((bits & kGcDeferred) != 0) ++deferred_garbage_;
      ++entry.objects;
      entry.hi = i + 1;
    }
    if (entry.objects != 0) {
      memory_.pages.back() = entry;
      stats_.candidates += entry.objects;
    }
  });
  return ok;
}

template <class Fn>
void Pass::ForEachUnreachable(Fn fn, bool with_weakrefs) {
  for (PageEntry& page : memory_.pages) {
    if (with_weakrefs && !page.has_weakrefs) continue;
    uint32_t left = page.objects;
    for (uint32_t i = page.lo; left != 0; ++i) {
      ObjectHeader* h = page.block(i);
      if ((h->gc_bits.load(kRelaxed) & kGcUnreachable) == 0) continue;
      --left;
      fn(h);
    }
  }
}

void Pass::SubtractInternal() {
  Subtraction subtraction;
  ForEachUnreachable([&](ObjectHeader* h) {
    const TypeInfo* type = h->type();
    if (type->traverse != nullptr) {
      type->traverse(h, &Subtraction::Visit, &subtraction);
    }
  });
}

void Pass::Propagate() {
  Marking<OutsideMarker> marking(&memory_.stack, OutsideMarker{});
  for (PageEntry& page : memory_.pages) {
    for (uint32_t i = page.lo; i < page.hi; ++i) {
      ObjectHeader* h = page.block(i);
      if ((h->gc_bits.load(kRelaxed) & kGcUnreachable) == 0) continue;
      if (IsImmortal(h)) {
        marking.Push(h);  // became so since the first stop
        continue;
      }
      CheckCount(h);
      if (TidAsCount::Get(h) > 0) marking.Push(h);
    }
    marking.Drain();
  }
  garbage_ -= marking.marker().reached;
  deferred_garbage_ -= marking.marker().deferred;
  stats_.stack_overflows += marking.overflows();
}

// References that are not counted keep objects with deferred counting alive, too: an
// instance's to its class, for instances that were no candidates, whatever the reason
// (marked, frozen, immortal, untracked, being deallocated, made by a finalizer); and what
// the roots report. Only looked at when such an object is about to be garbage.
void Pass::RescueTypes(bool second_stop) {
  Marking<OutsideMarker> marking(&memory_.stack, OutsideMarker{});
  if (second_stop) {
    isolate_->VisitRoots(&Marking<OutsideMarker>::Visit, &marking);
    marking.Drain();
  }
  heap_.VisitPages(kGcKinds, [&](const PageInfo& info) {
    for (size_t i = 0; i < info.count; ++i) {
      auto* h = reinterpret_cast<ObjectHeader*>(
          info.first_block + info.header_offset + i * info.block_size);
      if ((h->gc_bits.load(kRelaxed) & kGcUnreachable) != 0) continue;
      if (!HasType(h)) continue;
      ObjectHeader* type_object = h->type()->type_object;
      if (type_object != nullptr &&
          (type_object->gc_bits.load(kRelaxed) & kGcUnreachable) != 0) {
        marking.Push(type_object);
      }
    }
    marking.Drain();
  });
  garbage_ -= marking.marker().reached;
  deferred_garbage_ -= marking.marker().deferred;
  stats_.stack_overflows += marking.overflows();
}

void Pass::Restore() {
  for (PageEntry& page : memory_.pages) {
    uint32_t lo = page.hi;
    uint32_t hi = page.hi;
    page.objects = 0;
    for (uint32_t i = page.lo; i < page.hi; ++i) {
      ObjectHeader* h = page.block(i);
      const uint8_t bits = h->gc_bits.load(kRelaxed);
      if ((bits & kBorrowBits) == 0) continue;
      if ((bits & kGcMarked) != 0) {  // P5
        if (!TIDEPOOL_MUTANT(gc_keep_borrowed)) RestoreOwner(h, page.owner_tid);
        h->gc_bits.store(bits & ~kGcMarked, kRelaxed);
      } else {  // P6
        if (TIDEPOOL_MUTANT(gc_unheld_garbage)) {
          MergeInStop(h, 0);
        } else {
          HoldInStop(h, page.owner_tid, ts_->tid());
        }
        const TypeInfo* type = h->type();
        page.has_finalizers |= type->finalize != nullptr;
        page.has_weakrefs |=
            type->weakref_offset != 0 && WeakRefHead(h).load(kRelaxed) != nullptr;
        if (page.objects++ == 0) lo = i;
        hi = i + 1;
      }
    }
    page.lo = lo;
    page.hi = hi;
  }
  CompactPages();
  heap_.VisitPages(kGcKinds | KindBit(HeapKind::kObject),
                   [&](const PageInfo& info) {
                     if (info.owner_changed && !TIDEPOOL_MUTANT(gc_keep_old_owner)) {
                       RestoreChangedPage(info);
                     }
                   });
  heap_.ClearOwnerChanged();
}

// The thread that owned the page has gone, or another one owns it now: the objects on
// it, borrowed or not, tracked or not, follow. A thread's id may be used again, and only
// the page knows whose they are.
void Pass::RestoreChangedPage(const PageInfo& info) {
  for (size_t i = 0; i < info.count; ++i) {
    auto* h = reinterpret_cast<ObjectHeader*>(
        info.first_block + info.header_offset + i * info.block_size);
    if (IsDeadHeader(h) || IsImmortal(h)) continue;
    const uint64_t before = h->tid.load(kRelaxed);
    RestoreOwner(h, info.owner_tid);
    if (h->tid.load(kRelaxed) != before) ++stats_.owners_restored;
  }
}

// The table could not be had: every header as it was, no bit set.
void Pass::Undo() {
  heap_.VisitPages(kGcKinds, [&](const PageInfo& info) {
    for (size_t i = 0; i < info.count; ++i) {
      auto* h = reinterpret_cast<ObjectHeader*>(
          info.first_block + info.header_offset + i * info.block_size);
      const uint8_t bits = h->gc_bits.load(kRelaxed);
      if ((bits & kBorrowBits) == 0) continue;
      if ((bits & kGcUnreachable) != 0) RestoreOwner(h, info.owner_tid);
      h->gc_bits.store(bits & ~kBorrowBits, kRelaxed);
    }
  });
  memory_.pages.clear();
  garbage_ = 0;
  deferred_garbage_ = 0;
  stats_.candidates = 0;
  Restore();  // pages whose owner changed
}

void Pass::CompactPages() {
  size_t kept = 0;
  for (size_t i = 0; i < memory_.pages.size(); ++i) {
    if (memory_.pages[i].objects != 0) memory_.pages[kept++] = memory_.pages[i];
  }
  while (memory_.pages.size() > kept) memory_.pages.Pop();
}

void Pass::ClearGarbageWeakRefs(bool keep_callbacks) {
  struct Want {
    bool keep;
    uint64_t callbacks = 0;
  } want{keep_callbacks};
  auto clear = [&](ObjectHeader* h) {
    if (!HasWeakRefs(h)) return;
    stats_.weakrefs_cleared += DetachWeakRefs(
        isolate_, h, &callbacks_,
        [](WeakRef* ref, void* arg) {
          auto* w = static_cast<Want*>(arg);
          // A weakref that is garbage itself must not be heard of again.
          if (!w->keep || ((ref->gc_bits.load(kRelaxed) & kGcUnreachable) != 0 &&
                           !TIDEPOOL_MUTANT(gc_dead_callbacks))) {
            return false;
          }
          ++w->callbacks;
          return true;
        },
        &want);
  };
  // The first time restoring has told which pages to look at; finalizers may have made
  // weakrefs to anything.
  ForEachUnreachable(clear, /*with_weakrefs=*/keep_callbacks);
  stats_.callbacks += want.callbacks;
}

// Second stop: which garbage has a reference besides the collector's and those of other
// garbage? It is merged or this thread's, whatever happened meanwhile.
void Pass::Recheck() {
  isolate_->MergeAllQueues(ts_);
  ForEachUnreachable([&](ObjectHeader* h) {
    if (!IsImmortal(h)) TidAsCount::Set(h, TotalCount(h) - 1);
  });
  SubtractInternal();
  const uint64_t before = garbage_;
  Propagate();
  if (deferred_garbage_ != 0) RescueTypes(/*second_stop=*/true);
  stats_.resurrected = before - garbage_;
  DropResurrected();
  if (garbage_ != 0) ClearGarbageWeakRefs(/*keep_callbacks=*/false);
}

// End of a second or third stop: headers restored, the collector's reference to what
// lives taken back (P8), the table shrunk to what is still garbage.
void Pass::DropResurrected() {
  for (PageEntry& page : memory_.pages) {
    uint32_t left = page.objects;
    for (uint32_t i = page.lo; left != 0; ++i) {
      ObjectHeader* h = page.block(i);
      const uint8_t bits = h->gc_bits.load(kRelaxed);
      if ((bits & kBorrowBits) == 0) continue;
      --left;
      RestoreOwner(h, ts_->tid());
      if ((bits & kGcMarked) == 0) continue;
      --page.objects;
      h->gc_bits.store(bits & ~kGcMarked, kRelaxed);
      if (!IsImmortal(h)) MergeInStop(h, -1);
    }
  }
  CompactPages();
}

// What is still garbage here has deferred counting, and its clear has run. A class that an
// undead instance has stays, cleared but whole.
void Pass::RescueLeakedTypes() {
  isolate_->MergeAllQueues(ts_);
  const uint64_t before = garbage_;
  RescueTypes(/*second_stop=*/true);
  DropResurrected();
  stats_.uncollectable += before - garbage_;
  stats_.collected -= before - garbage_;
}

}  // namespace gc_internal
}  // namespace tidepool
