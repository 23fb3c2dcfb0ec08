// Trial deletion, in a stop: which candidates does nothing outside of them keep alive?
// It is right for any set of candidates. P numbers are rows of the table in pass.h.

#include <cstdio>

#include "absl/base/optimization.h"
#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"
#include "tidepool/gc/internal/mark_stack.h"
#include "tidepool/gc/internal/markers.h"
#include "tidepool/gc/internal/pass.h"
#include "tidepool/gc/internal/pass_inl.h"
#include "tidepool/gc/internal/tid_view.h"
#include "tidepool/object/refcount.h"
#include "tidepool/object/type_info.h"

namespace tidepool {
namespace gc_internal {

// One page: counts what there is, makes candidates of what is not marked (or finds that
// kLazy subtraction has), notes where they lie, and calls visit for each.
template <bool kLazy, class Visit>
void Pass::SweepPage(PageEntry& page, Totals& totals, Visit visit) {
  const uint8_t marked = mark();
  uint32_t tracked = 0, alive = 0, objects = 0, lo = 0, hi = 0;
  char* header = page.first_header;
  for (uint32_t i = 0; i < page.count; ++i, header += page.block_size) {
    auto* h = reinterpret_cast<ObjectHeader*>(header);
    const uint8_t bits = h->gc_bits.load(kRelaxed);
    if ((bits & kGcTracked) == 0) continue;
    ++tracked;
    if ((bits & marked) != 0) {
      ++alive;
      continue;
    }
    if (!kLazy || (bits & kGcUnreachable) == 0) {
      if (!MayBeCandidate(h, bits)) {
        if ((bits & kGcFrozen) != 0) ++totals.frozen;
        continue;
      }
      MakeCandidate(h, bits);  // P3
    }
    if ((bits & kGcDeferred) != 0) ++totals.deferred;
    if (objects++ == 0) lo = i;
    hi = i + 1;
    visit(h);
  }
  page.objects = objects;
  page.lo = lo;
  page.hi = hi;
  totals.tracked += tracked;
  totals.marked += alive;
  totals.candidates += objects;
}

// With one marker: candidates and subtraction in one walk.
void Pass::PickAndSubtract() {
  Totals totals;
  Subtraction<SubtractLazily> subtraction(SubtractLazily{mark()});
  for (PageEntry& page : memory_.pages) {
    SweepPage<true>(page, totals, [&](ObjectHeader* h) { subtraction.Scan(h); });
  }
  NoteCandidates(totals);
}

void Pass::PickCandidates() {
  NoteCandidates(OnMarkers([&](Totals& mine, int) {
    DealPages([&](PageEntry& page) {
      SweepPage<false>(page, mine, [](ObjectHeader*) {});
    });
  }));
}

void Pass::NoteCandidates(const Totals& totals) {
  stats_.tracked += totals.tracked;
  stats_.frozen += totals.frozen;
  stats_.marked += totals.marked;
  stats_.candidates += totals.candidates;
  deferred_garbage_ = totals.deferred;
}

void Pass::SubtractInternal() {
  auto on_pages = [&](auto& subtraction) {
    DealPages([&](PageEntry& page) {
      ForEachUnreachable(page, [&](ObjectHeader* h) { subtraction.Scan(h); });
    });
  };
  OnMarkers([&](Totals&, int) {
    if (markers_ == 1) {
      Subtraction<SubtractAlone> subtraction(SubtractAlone{});
      on_pages(subtraction);
    } else {
      Subtraction<SubtractShared> subtraction(SubtractShared{});
      on_pages(subtraction);
    }
  });
}

void Pass::ReportWrongCount(const ObjectHeader* h) {
  // Relaxed: one line a pass.
  if (memory_.wrong_counts.fetch_add(1, kRelaxed) != 0) return;
  // Which candidate shows it, or shows it more than once?
  struct Search {
    const ObjectHeader* wanted;
    int seen;
    static int Visit(ObjectHeader* target, void* arg) {
      auto* self = static_cast<Search*>(arg);
      self->seen += target == self->wanted ? 1 : 0;
      return 0;
    }
  };
  const char* by = "?";
  int most = 0;
  for (const PageEntry& page : memory_.pages) {
    for (uint32_t i = page.lo; i < page.hi; ++i) {
      ObjectHeader* other = page.block(i);
      if ((other->gc_bits.load(kRelaxed) & kGcUnreachable) == 0) continue;
      const TypeInfo* type = other->type();
      if (type->traverse == nullptr) continue;
      Search search{h, 0};
      type->traverse(other, &Search::Visit, &search);
      if (search.seen > most) {
        most = search.seen;
        by = type->name;
      }
    }
  }
  char text[192];
  std::snprintf(text, sizeof(text),
                "of type %.48s: objects refer to it %lld times more than it is counted; the "
                "traverse of type %.48s shows it",
                h->type()->name, static_cast<long long>(-TidAsCount::Get(h)), by);
  if (TIDEPOOL_DCHECK_IS_ON) Fatal("gc: object %p %s", static_cast<const void*>(h), text);
  HeapDomain::ReportFault(MemoryFault::kWrongUse, "gc: kept object", h, text);
}

void Pass::Propagate() {
  memory_.pool.Start(markers_);
  const uint8_t marked = mark();
  const Totals totals = OnMarkers([&](Totals& mine, int index) {
    Marking<OutsideMarker> marking(&memory_.stacks[index], OutsideMarker{marked},
                                   markers_ > 1 ? &memory_.pool : nullptr);
    DealPages([&](PageEntry& page) {
      for (uint32_t i = page.lo; i < page.hi; ++i) {
        ObjectHeader* h = page.block(i);
        if ((h->gc_bits.load(kRelaxed) & (kGcUnreachable | marked)) != kGcUnreachable) {
          continue;
        }
        if (IsImmortal(h)) {
          marking.Push(h);  // became so since the first stop
          continue;
        }
        const int64_t outside = TidAsCount::Get(h);
        if (outside == 0) continue;
        // Below zero: better kept than freed.
        if (ABSL_PREDICT_FALSE(outside < 0)) ReportWrongCount(h);
        marking.Push(h);
      }
      marking.Drain();
    });
    marking.Finish();
    mine.deferred = marking.marker().deferred;
    mine.overflows = marking.overflows();
  });
  deferred_garbage_ -= totals.deferred;
  stats_.stack_overflows += totals.overflows;
}

// References that are not counted keep objects with deferred counting alive, too: an
// instance's to its class, for instances that were no candidates, whatever the reason
// (marked, frozen, immortal, untracked, being deallocated, made by a finalizer); and what
// the roots report. Only looked at when such an object is about to be garbage.
void Pass::RescueTypes(bool second_stop) {
  const uint8_t marked = mark();
  Marking<OutsideMarker> marking(&memory_.stacks[0], OutsideMarker{marked});
  if (second_stop) {
    isolate_->VisitRoots(&Marking<OutsideMarker>::Visit, &marking);
    marking.Drain();
  }
  heap_.VisitPages(kGcKinds, [&](const PageInfo& info) {
    char* header = info.first_block + info.header_offset;
    for (size_t i = 0; i < info.count; ++i, header += info.block_size) {
      auto* h = reinterpret_cast<ObjectHeader*>(header);
      if ((h->gc_bits.load(kRelaxed) & (kGcUnreachable | marked)) == kGcUnreachable) {
        continue;
      }
      if (!HasType(h)) continue;
      ObjectHeader* type_object = h->type()->type_object;
      if (type_object != nullptr &&
          (type_object->gc_bits.load(kRelaxed) & kGcUnreachable) != 0) {
        marking.Push(type_object);
      }
    }
    marking.Drain();
  });
  deferred_garbage_ -= marking.marker().deferred;
  stats_.stack_overflows += marking.overflows();
}

void Pass::Restore() {
  const Totals totals = OnMarkers([&](Totals& mine, int) {
    DealPages([&](PageEntry& page) { RestorePage(page, mine); });
  });
  garbage_ = totals.garbage;
  deferred_garbage_ = totals.deferred;
  CompactPages();
}

void Pass::RestorePage(PageEntry& page, Totals& totals) {
  const uint32_t end = page.hi;
  const uint32_t begin = page.lo;
  page.objects = 0;
  page.lo = page.hi = end;
  for (uint32_t i = begin; i < end; ++i) RestoreObject(page, i, totals);
  totals.garbage += page.objects;
}

// Garbage is added to what the page has of it.
void Pass::RestoreObject(PageEntry& page, uint32_t i, Totals& totals) {
  ObjectHeader* h = page.block(i);
  const uint8_t bits = h->gc_bits.load(kRelaxed);
  if ((bits & kGcUnreachable) == 0) return;
  if ((bits & mark()) != 0) {  // P5
    if (!TIDEPOOL_MUTANT(gc_keep_borrowed)) RestoreOwner(h, page.owner_tid);
    h->gc_bits.store((bits & ~kGcUnreachable) | (piece_ ? old() : 0), kRelaxed);
    if (piece_ && !memory_.leftovers.Push(h)) memory_.slices.lost_leftovers = true;
    return;
  }
  // P6
  if (IsSpread(h)) isolate_->spread().Unspread(isolate_, h);
  if (TIDEPOOL_MUTANT(gc_unheld_garbage)) {
    MergeInStop(h, 0);
  } else {
    HoldInStop(h, page.owner_tid, ts_->tid());
  }
  const TypeInfo* type = h->type();
  page.has_finalizers |= type->finalize != nullptr;
  page.has_weakrefs |=
      type->weakref_offset != 0 && WeakRefHead(h).load(kRelaxed) != nullptr;
  if ((bits & kGcDeferred) != 0) ++totals.deferred;
  page.Add(i);
}

// Second stop: which garbage has a reference besides the collector's and those of other
// garbage? It is merged or this thread's, whatever happened meanwhile.
void Pass::Recheck() {
  MergeCounts();
  for (PageEntry& page : memory_.pages) {
    ForEachUnreachable(page, [&](ObjectHeader* h) {
      if (IsSpread(h)) isolate_->spread().Unspread(isolate_, h);  // a finalizer made it so
      if (!IsImmortal(h)) TidAsCount::Set(h, TotalCount(h) - 1);
    });
  }
  SubtractInternal();
  Propagate();
  if (deferred_garbage_ != 0) RescueTypes(/*second_stop=*/true);
  const uint64_t resurrected = DropResurrected();
  stats_.resurrected += resurrected;
  garbage_ -= resurrected;
  if (garbage_ != 0) ClearGarbageWeakRefs(/*keep_callbacks=*/false);
}

// End of a second or third stop: headers restored, the collector's reference to what
// lives taken back (P8), the table shrunk to what is still garbage. Returns how many live.
uint64_t Pass::DropResurrected() {
  uint64_t resurrected = 0;
  for (PageEntry& page : memory_.pages) {
    uint32_t left = page.objects;
    for (uint32_t i = page.lo; left != 0; ++i) {
      ObjectHeader* h = page.block(i);
      const uint8_t bits = h->gc_bits.load(kRelaxed);
      if ((bits & kGcUnreachable) == 0) continue;
      --left;
      RestoreOwner(h, ts_->tid());
      if ((bits & mark()) == 0) continue;
      --page.objects;
      ++resurrected;
      h->gc_bits.store(bits & ~kGcUnreachable, kRelaxed);
      if (!IsImmortal(h)) MergeInStop(h, -1);
    }
  }
  CompactPages();
  return resurrected;
}

// What is still garbage here has deferred counting, and its clear has run. A class that an
// undead instance has stays, cleared but whole.
void Pass::RescueLeakedTypes() {
  MergeCounts();
  RescueTypes(/*second_stop=*/true);
  const uint64_t rescued = DropResurrected();
  garbage_ -= rescued;
  stats_.uncollectable += rescued;
  stats_.collected -= rescued;
}

}  // namespace gc_internal
}  // namespace tidepool
