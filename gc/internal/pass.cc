// One pass from outside: its stops, marking from the roots, the owners of pages, weakrefs.
// Trial deletion is in trial.cc, what happens to garbage with the world running in
// reclaim.cc, the pass under a pause budget in slices.cc.

#include "tidepool/gc/internal/pass.h"

#include <algorithm>

#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"
#include "tidepool/gc/internal/mark_stack.h"
#include "tidepool/gc/internal/markers.h"
#include "tidepool/gc/internal/pass_inl.h"
#include "tidepool/gc/internal/tid_view.h"
#include "tidepool/object/invariants.h"
#include "tidepool/object/refcount.h"
#include "tidepool/object/type_info.h"

namespace tidepool {
namespace gc_internal {
namespace {

#if TIDEPOOL_DCHECK_IS_ON
constexpr uint64_t kChecksEachStop = 4096;  // blocks
#endif
// More markers wait for memory.
constexpr int kMostByDefault = 4;

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
  stopped_cpu_ = os_->ThreadCpuNs();
  for (uint64_t& ns : stop_phase_ns_) ns = 0;
  ++stats_.stops;
}

// The phases are cut here, so that each stop's part of them is known.
void Pass::StartWorld() {
  const GcPhase phase = phase_;
  memory_.pauses.cpu.Add(os_->ThreadCpuNs() - stopped_cpu_);
  EnterPhase(phase);
  const uint64_t held = phase_start_ - stopped_at_;
#if TIDEPOOL_DCHECK_IS_ON
  // C1: every stop that borrowed words, on every path; of the slices over a large heap some.
  const bool many = slots_ > kChecksEachStop && stats_.slices % 64 != 0;
  if (borrowed_ && !many) CheckHeaders(isolate_, ts_);
  borrowed_ = false;
#endif
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
  if (memory_.slices.phase != SlicePhase::kIdle) Abandon(&memory_);
  memory_.pages.clear();
  memory_.wrong_counts.store(0, kRelaxed);  // world running, one pass at a time
  ChooseMarkers();

  EnterPhase(GcPhase::kMerge);
  StopWorld();
  MergeCounts();
  FindGarbage();
  EnterPhase(GcPhase::kRestore);
  RestoreChangedOwners();
  EnterPhase(GcPhase::kWeakRefs);
  if (garbage_ != 0 && !TIDEPOOL_MUTANT(gc_keep_weakrefs)) {
    ClearGarbageWeakRefs(/*keep_callbacks=*/true);
  }
  EnterPhase(GcPhase::kDrain);
  heap_.AfterStop();
  StartWorld();
  DisposeOfGarbage();
  EnterPhase(GcPhase::kCount);
}

Pass::Filled Pass::Measure() const {
  const Stats heap = heap_.GetStats();
  Filled f;
  f.bytes = heap.live_bytes - std::min(heap.live_bytes, heap.limbo);
  f.in_current = ts_->heap()->LiveInCurrentPages();
  f.allocated = heap_.AllocatedBytes();
  for (HeapKind kind : {HeapKind::kGc, HeapKind::kGcPre}) {
    f.objects += heap.kind[static_cast<int>(kind)].live_blocks;
  }
  return f;
}

// World running: callbacks, finalizers, and the end of what they leave. What was given back
// is measured from the start of the world to the end: what the others free and allocate
// while they come to the stop is theirs.
void Pass::DisposeOfGarbage() {
  EnterPhase(GcPhase::kCallbacks);
  const bool any = garbage_ != 0;
  const Filled before = any ? Measure() : Filled();
  RunCallbacks();
  EnterPhase(GcPhase::kFinalizers);
  if (garbage_ != 0 && RunFinalizers() && !TIDEPOOL_MUTANT(gc_skip_recheck)) {
    EnterPhase(GcPhase::kRecheck);
    StopWorld();
    Recheck();
    StartWorld();
  }
  EnterPhase(GcPhase::kClear);
  stats_.collected += garbage_;
  const uint64_t deleted = garbage_;
  if (garbage_ != 0) DeleteGarbage();
  garbage_ = 0;
  memory_.pages.clear();
  if (!any) return;
  const Filled after = Measure();
  // What other threads and finalizers allocated meanwhile was not given back.
  const uint64_t there = before.bytes + after.allocated - before.allocated;
  stats_.freed_bytes += std::min(before.bytes, there - std::min(there, after.bytes));
  ts_->heap()->CountReused(before.in_current - std::min(before.in_current, after.in_current));
  // Garbage that was held by counts alone went with it.
  stats_.freed_objects +=
      std::max(deleted, before.objects - std::min(before.objects, after.objects));
}

void Pass::ChooseMarkers() {
  int wanted = hooks_.mark_threads;
  if (wanted <= 0) {
    // The OS is asked for its processors only where they matter: it costs as much as a
    // pass over a small heap.
    wanted = heap_.LiveIn(kGcKinds).blocks < kWorthHelpers
                 ? 1
                 : std::min(os_->NumCpus(), kMostByDefault);
  }
  wanted = std::min(wanted, kMaxMarkers);
  markers_ = 1 + (wanted > 1 ? memory_.helpers.Ensure(wanted - 1) : 0);
  stats_.mark_threads = static_cast<uint64_t>(markers_);
}

// In a stop: every count is where the collector looks for it.
void Pass::MergeCounts() {
  borrowed_ = true;  // trial deletion follows
  if (!TIDEPOOL_MUTANT(gc_no_merge)) isolate_->MergeAllQueues(ts_);
  isolate_->spread().Fold(isolate_);
}

void Pass::FindGarbage() {
  EnterPhase(GcPhase::kCandidates);
  // First: with the table at hand nothing later can fail.
  if (!FillTable()) {
    stats_.out_of_memory = true;
    memory_.pages.clear();
    return;
  }
  EnterPhase(GcPhase::kMark);
  NewMarks();
  MarkRoots();
  if (markers_ == 1) {
    EnterPhase(GcPhase::kCandidates);
    PickAndSubtract();
  } else {
    EnterPhase(GcPhase::kCandidates);
    PickCandidates();
    EnterPhase(GcPhase::kSubtract);
    SubtractInternal();
  }
  CompactPages();
  if (stats_.candidates == 0) return;
  EnterPhase(GcPhase::kPropagate);
  Propagate();
  if (deferred_garbage_ != 0 && !TIDEPOOL_MUTANT(gc_no_type_rescue)) {
    RescueTypes(/*second_stop=*/false);
  }
  EnterPhase(GcPhase::kRestore);
  Restore();
}

void Pass::NewMarks() {
  memory_.mark = old();
  if (memory_.marks_unknown) ClearMarks();
  memory_.marks_unknown = false;
}

void Pass::ClearMarks() {
  heap_.VisitPages(kGcKinds, [&](const PageInfo& info) {
    char* header = info.first_block + info.header_offset;
    for (size_t i = 0; i < info.count; ++i, header += info.block_size) {
      auto* h = reinterpret_cast<ObjectHeader*>(header);
      const uint8_t bits = h->gc_bits.load(kRelaxed);
      if ((bits & kGcMarkBits) != 0) h->gc_bits.store(bits & ~kGcMarkBits, kRelaxed);
    }
  });
}

bool Pass::FillTable() {
  bool ok = true;
  memory_.pages.clear();
  heap_.VisitPages(kGcKinds, [&](const PageInfo& info) {
    PageEntry entry{};
    entry.first_header = info.first_block + info.header_offset;
    entry.block_size = info.block_size;
    entry.owner_tid = info.owner_tid;
    entry.count = static_cast<uint32_t>(info.count);
    ok = ok && memory_.pages.Push(entry);
  });
  return ok;
}

void Pass::CompactPages() {
  size_t kept = 0;
  for (size_t i = 0; i < memory_.pages.size(); ++i) {
    if (memory_.pages[i].objects != 0) memory_.pages[kept++] = memory_.pages[i];
  }
  memory_.pages.set_size(kept);
}

void Pass::MarkRoots() {
  memory_.pool.Start(markers_);
  const Totals totals = OnMarkers([&](Totals& mine, int index) {
    Marking<RootMarker> marking(&memory_.stacks[index], RootMarker{&heap_, mark()},
                                markers_ > 1 ? &memory_.pool : nullptr);
    if (index == 0) isolate_->VisitRoots(&Marking<RootMarker>::Visit, &marking);
    marking.Finish();
    mine.overflows += marking.overflows();
  });
  stats_.stack_overflows += totals.overflows;
}

// Step 5: the thread that owned the page has gone, or another one owns it now.
void Pass::RestoreChangedOwners() {
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
  for (PageEntry& page : memory_.pages) {
    if (!keep_callbacks || page.has_weakrefs) ForEachUnreachable(page, clear);
  }
  stats_.callbacks += want.callbacks;
}

}  // namespace gc_internal
}  // namespace tidepool
