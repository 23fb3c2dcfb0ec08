// One collection, step by step. See tidepool/gc/collector.h for what and why.
//
// A Pass is made by the collecting thread and used once. Its tables belong to the
// collector (PassMemory) and are kept between passes.
//
// The gc bits of an object in a pass, state, event, next state (all in a stop, by the
// markers, relaxed; the stop orders them). There are two mark bits, which take turns: in
// a pass one of them, `mark`, says "alive in this pass", and the other is what the last
// pass left. So nobody has to clear marks: what is marked has its old bit cleared by the
// same store, and what is not becomes a candidate.
//   P1 -               reached from the roots             -> mark
//   P3 -               candidate scan: tracked, no mark, not frozen, immortal or dead
//                                                         -> Unreachable, count in tid
//   P4 Unreachable     reached from outside               -> Unreachable, mark
//   P5 Unreachable, mark  restore                         -> mark, tid restored
//   P6 Unreachable     restore: this thread's or merged, +1 reference
//                                                         -> Unreachable (garbage)
//   P7 garbage         recheck: reached from outside      -> Unreachable, mark
//   P8 Unreachable, mark  end of recheck: -1 reference    -> mark (resurrected)
//   P9 garbage         dropped (world running)            -> -, or freed
// In slices (slices.cc), with the world running in between:
//   P10 any            age sweep                          -> old bit only ("was there")
//   P11 old bit        piece: as P3; objects with neither bit came later and are left out
//   P12 Unreachable, mark  restore of a piece             -> both bits ("tried")
//   P13 both bits      leftovers: as P3
//   P14 old bit, or both  reached from what the outside seems to hold -> mark
// Between passes no object has Unreachable, and between stops only garbage has.

#ifndef TIDEPOOL_GC_INTERNAL_PASS_H_
#define TIDEPOOL_GC_INTERNAL_PASS_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/allocator/heap_domain.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/os.h"
#include "tidepool/gc/collect_stats.h"
#include "tidepool/gc/collector.h"
#include "tidepool/gc/internal/helpers.h"
#include "tidepool/gc/internal/os_array.h"
#include "tidepool/gc/internal/outside_counts.h"
#include "tidepool/gc/internal/page_index.h"
#include "tidepool/gc/internal/work_pool.h"
#include "tidepool/object/header.h"
#include "tidepool/object/isolate.h"
#include "tidepool/object/thread_state.h"
#include "tidepool/object/weakref.h"

namespace tidepool {
namespace gc_internal {

// A page with candidates, later with garbage. While the collector holds garbage on it
// the page keeps its layout, so the entry is good with the world running.
struct PageEntry {
  char* first_header;
  size_t block_size;
  uint64_t owner_tid;
  uint32_t count;  // blocks; in slices more than a page can have is cut off
  uint32_t lo, hi;   // candidates, later garbage, lie in [lo, hi)
  uint32_t objects;  // how many of them there are
  bool has_weakrefs;     // some garbage has weakrefs
  bool has_finalizers;   // some garbage has a type with a finalizer

  ObjectHeader* block(uint32_t i) const {
    return reinterpret_cast<ObjectHeader*>(first_header + i * block_size);
  }
  uint32_t IndexOf(const ObjectHeader* h) const {
    return static_cast<uint32_t>(
        static_cast<size_t>(reinterpret_cast<const char*>(h) - first_header) / block_size);
  }
  // Block i is one more of the objects.
  void Add(uint32_t i) {
    if (objects == 0 || i < lo) lo = i;
    if (objects == 0 || i + 1 > hi) hi = i + 1;
    ++objects;
  }
};

inline constexpr int kMaxMarkers = Helpers::kMax + 1;
// Fewer objects are marked sooner than a helper wakes up.
inline constexpr uint64_t kWorthHelpers = 100000;

// Where a pass under a pause budget has got to (slices.cc).
enum class SlicePhase : uint8_t {
  kIdle, kAge, kRoots, kMark, kPieces, kCount, kSpare, kLeftovers, kFinish
};

struct SliceState {
  SlicePhase phase = SlicePhase::kIdle;
  char* cursor = nullptr;      // headers below it are done in this sweep
  int root_visits = 0;
  uint64_t roots_stop = 0;     // the stop of the last of them
  uint64_t steps = 0;
  uint64_t slots = 0;          // blocks of the heap, free ones too, at the start
  uint64_t patience = 1;
  uint64_t aged = 0;           // objects that were there
  uint64_t marked = 0;         // marked so far, to bound the marking
  bool counted = false;        // kCount and kSpare are over, or not to be had
  bool lost_leftovers = false; // no memory to remember one: it waits for the next pass
};

// What outlives a pass.
struct PassMemory {
  explicit PassMemory(Os* os)
      : pages(os), page_index(os), piece(os), leftovers(os), outside(os), helpers(os) {
    for (OsArray<ObjectHeader*>& stack : stacks) stack.SetOs(os);
  }
  OsArray<PageEntry> pages;
  PageIndex<PageEntry> page_index;  // in slices: of pages, in a stop
  OsArray<ObjectHeader*> piece;     // the objects of a piece, if there was room for all
  OsArray<ObjectHeader*> stacks[kMaxMarkers];
  OsArray<ObjectHeader*> leftovers;  // tried and not proved garbage; hints, as a stack's
  OutsideCounts outside;
  PauseRecord pauses;
  Helpers helpers;
  WorkPool pool;
  SliceState slices;
  uint8_t mark = kGcMarkA;   // this pass's bit
  // Marks of a pass that was given up, or of another collector, may be there.
  bool marks_unknown = true;
  Atomic<uint32_t> wrong_counts{0};  // reported in this pass
};

class Pass {
 public:
  struct Hooks {
    bool save_all = false;
    bool print_garbage = false;  // a line on stderr for each
    Collector::GarbageVisitor garbage_visitor = nullptr;
    void* garbage_arg = nullptr;
    int mark_threads = 1;      // 0: as many as the heap and the machine are worth
    uint64_t budget_ns = 0;    // of a stop; 0: none
  };

  Pass(ThreadState* ts, PassMemory* memory, const Hooks& hooks,
       CollectStats* stats);
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  // The whole pass in one go. World running before and after.
  void Run();

  // One stop of a pass under a budget, with what follows it while the world runs. The
  // first one begins the pass; true: it is over. Between two steps any time may pass and
  // anything happen; the next one may be made by another thread with another Pass.
  bool Step();
  // Between two steps: what was begun is forgotten.
  static void Abandon(PassMemory* memory);

 private:
  struct Totals {  // what the markers of a phase counted
    uint64_t tracked = 0, frozen = 0, marked = 0, candidates = 0;
    uint64_t deferred = 0, garbage = 0, overflows = 0;
  };

  // What the heap holds.
  struct Filled {
    uint64_t bytes = 0, objects = 0;  // objects: gc blocks
    uint64_t in_current = 0;          // bytes in pages that this thread allocates from
    uint64_t allocated = 0;           // bytes so far, freed or not
  };
  Filled Measure() const;

  // First stop.
  void MergeCounts();
  void FindGarbage();
  void NewMarks();
  void ClearMarks();
  bool FillTable();
  void ChooseMarkers();
  void MarkRoots();
  void PickCandidates();
  template <bool kLazy, class Visit>
  void SweepPage(PageEntry& page, Totals& totals, Visit visit);
  void PickAndSubtract();
  void NoteCandidates(const Totals& totals);
  void SubtractInternal();
  void Propagate();
  // An object with less than no references from outside: some traverse shows it too often.
  void ReportWrongCount(const ObjectHeader* h);
  void RescueTypes(bool second_stop);
  void Restore();
  void RestorePage(PageEntry& page, Totals& totals);
  void RestoreObject(PageEntry& page, uint32_t i, Totals& totals);
  void RestoreChangedOwners();
  void RestoreChangedPage(const PageInfo& info);
  void ClearGarbageWeakRefs(bool keep_callbacks);

  // World running.
  void RunCallbacks();
  bool RunFinalizers();
  void DisposeOfGarbage();
  void DeleteGarbage();
  void ClearRound();
  void DropRound();
  void DropDeferred();
  void RescueLeakedTypes();
  void SaveGarbage();
  void PrintGarbage();

  // Second stop.
  void Recheck();
  uint64_t DropResurrected();

  // Slices (slices.cc). Each runs in a stop of its own.
  void BeginSlices();
  void AgeSweep();
  void MarkSlice();
  bool Piece();
  bool Leftovers();
  bool TryPiece();
  bool IsScattered() const;
  void TryScattered();
  void CountSlice();
  void SpareSlice();
  size_t MostInStop() const;
  void SortTable();
  PageEntry* EntryOf(ObjectHeader* h);
  bool IsTrackedObject(ObjectHeader* h);
  bool AddToPiece(ObjectHeader* h, uint8_t wanted_marks);
  template <class Fn>
  bool WalkFromCursor(uint64_t deadline_ns, Fn fn);
  struct SliceMarker;
  struct SpareMarker;
  struct PieceMarker;
  uint64_t Deadline(int percent) const;

  void StopWorld();
  void StartWorld();
  void EnterPhase(GcPhase phase);

  // fn(Totals&, index) on every marker, and the sum of their totals.
  template <class Fn>
  Totals OnMarkers(Fn fn);
  // On a marker: fn(PageEntry&) for every page of the table that no other marker gets.
  template <class Fn>
  void DealPages(Fn fn);
  // fn(ObjectHeader*) for every unreachable object of a page; before any of them was
  // reached from outside.
  template <class Fn>
  static void ForEachUnreachable(PageEntry& page, Fn fn);
  // Shrinks the table to what is still garbage.
  void CompactPages();

  // Of this pass, and of the last.
  uint8_t mark() const { return memory_.mark; }
  uint8_t old() const { return kGcMarkBits & ~memory_.mark; }

  ThreadState* const ts_;
  Isolate* const isolate_;
  HeapDomain& heap_;
  Os* const os_;
  PassMemory& memory_;
  const Hooks hooks_;
  CollectStats& stats_;
  WeakCallbackList callbacks_;
  int markers_ = 1;
  uint64_t garbage_ = 0;           // objects
  uint64_t deferred_garbage_ = 0;  // of them with deferred counts
  uint64_t leaky_ = 0;             // not freed when dropped
  bool borrowed_ = false;          // this stop borrows words
  bool piece_ = false;             // the table holds a piece, not all candidates
  uint64_t piece_size_ = 0;
  uint64_t slots_ = 0;             // blocks of the table
  Atomic<uint32_t> next_page_{0};  // dealt out so far

  GcPhase phase_ = GcPhase::kCount;
  uint64_t phase_start_ = 0;
  uint64_t stopped_at_ = 0;
  uint64_t stopped_cpu_ = 0;
  uint64_t stop_phase_ns_[kGcPhaseCount] = {};  // of the stop under way
};

}  // namespace gc_internal
}  // namespace tidepool

#endif  // TIDEPOOL_GC_INTERNAL_PASS_H_
