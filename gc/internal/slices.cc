// A pass under a pause budget, cut into short stops with the world running in between.
// docs/pauses.md has the argument why that is right without a write barrier.
//
// One step is one stop, and what follows it while the world runs:
//   kAge        walk the heap in address order; give each tracked object the old bit only.
//               What has neither bit later was made after the pass began, and is left out.
//   kRoots      visit the roots, then mark (kMark) until the time is up. What is left on the
//               stack is hints. Once more when all is done, if that took several stops.
//   kPieces     walk the heap again. Objects that were there and are not marked, with all
//               such objects that they reach, make a piece: trial deletion, and the end of
//               what is garbage. What is not proved garbage has been "tried": it belongs to
//               no other piece, and is remembered.
//   kCount, kSpare
//               only if more is left over than a stop should try: what is alive and not
//               known to the roots? References from outside of what is not marked are
//               counted beside the heap (kCount), and what has some is marked with all that
//               it reaches (kSpare). Then pieces again, of what is left.
//   kLeftovers  all that was tried and is still there, in one piece: what hangs together
//               across pieces is found here, so nothing that was garbage when the pass began
//               is missed.
//   kFinish     owners of pages, limbo.
// Phases that leave time go on in the same stop, so a small heap has a single one.
//
// Not cut: the roots' visit, the merge of queues, the table of pages (40 ns a page), the
// visit of a single object, the leftovers and what the class of deferred garbage costs. A
// single structure of garbage that a piece cannot hold becomes a leftover: it costs a pause
// of some 50 ns an object, once, shared by the markers that there are.

#include <algorithm>

#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"
#include "tidepool/gc/internal/mark_stack.h"
#include "tidepool/gc/internal/markers.h"
#include "tidepool/gc/internal/pass.h"
#include "tidepool/gc/internal/pass_inl.h"

namespace tidepool {
namespace gc_internal {
namespace {

// Marking more than twice what was there when the pass began: the mutators are faster.
constexpr uint64_t kMostMarked = 2;
constexpr uint64_t kSmallHeap = 100000;
constexpr uint64_t kLeastPatience = 32;
constexpr uint64_t kMostNsPerObject = 800;
// What trial deletion takes for an object, about.
constexpr uint64_t kTrialNs = 60;

}  // namespace

// P1, with hints for a stack.
struct Pass::SliceMarker : RootMarker {
  static constexpr bool kSliced = true;
  Pass* pass;
  uint64_t marked = 0;

  bool TryMark(ObjectHeader* h) {
    if (!RootMarker::TryMark(h)) return false;
    ++marked;
    return true;
  }
  bool IsObject(ObjectHeader* h) {
    return pass->IsTrackedObject(h);
  }
};

// P14.
struct Pass::SpareMarker : SliceMarker {
  bool TryMark(ObjectHeader* h) {
    const uint8_t bits = h->gc_bits.load(kRelaxed);
    if ((bits & (kGcTracked | kGcUnreachable)) != kGcTracked ||
        (bits & pass->old()) == 0 || !MayBeCandidate(h, bits)) {
      return false;
    }
    h->gc_bits.store((bits & ~kGcMarkBits) | mark, kRelaxed);
    ++marked;
    return true;
  }
};

// P11: makes candidates of what a piece reaches.
struct Pass::PieceMarker {
  static constexpr bool kSliced = true;
  Pass* pass;

  bool TryMark(ObjectHeader* h) { return pass->AddToPiece(h, pass->old()); }
  bool TryClaim(ObjectHeader*) { return false; }
  void Unchained(ObjectHeader*) {}
  bool IsObject(ObjectHeader*) { return true; }
};

// Mutators that make objects faster than a slice gets on would be chased for ever: the
// budget grows by itself after every `patience` stops, of which the pass should not need one,
// and there is none when the heap has doubled.
uint64_t Pass::Deadline(int percent) const {
  const SliceState& s = memory_.slices;
  if (slots_ > 2 * s.slots + kSmallHeap) return UINT64_MAX;
  const uint64_t budget = hooks_.budget_ns * (1 + s.steps / s.patience);
  return stopped_at_ + budget / 100 * static_cast<uint64_t>(percent);
}

void Pass::Abandon(PassMemory* memory) {
  memory->slices = SliceState();
  memory->leftovers.clear();
  memory->outside.Stop();
  for (OsArray<ObjectHeader*>& stack : memory->stacks) stack.clear();
  memory->marks_unknown = true;
}

bool Pass::Step() {
  SliceState& s = memory_.slices;
  if (s.phase == SlicePhase::kIdle) BeginSlices();
  markers_ = 1;
  if (s.phase == SlicePhase::kLeftovers && memory_.leftovers.size() >= kWorthHelpers) {
    ChooseMarkers();
  }
  if (s.phase == SlicePhase::kCount && s.cursor == nullptr) {
    memory_.outside.Prepare(s.slots + s.slots / 8);
  }
  ++stats_.slices;
  ++s.steps;
  EnterPhase(GcPhase::kMerge);
  StopWorld();
  const bool have_table = FillTable();
  SortTable();
  if (!have_table || !memory_.page_index.Build(&memory_.pages)) {
    stats_.out_of_memory = true;
    Abandon(&memory_);
    memory_.pages.clear();
    heap_.AfterStop();
    StartWorld();
    EnterPhase(GcPhase::kCount);
    return true;
  }
  slots_ = 0;
  for (const PageEntry& page : memory_.pages) slots_ += page.count;
  if (s.slots == 0) s.slots = slots_;
  if (s.phase == SlicePhase::kPieces || s.phase == SlicePhase::kCount ||
      s.phase == SlicePhase::kLeftovers) {
    MergeCounts();
  }
  bool tried = false;  // the table holds a piece
  while (!tried && s.phase != SlicePhase::kIdle) {
    switch (s.phase) {
      case SlicePhase::kIdle:
        break;
      case SlicePhase::kAge:
        EnterPhase(GcPhase::kCandidates);
        AgeSweep();
        break;
      case SlicePhase::kRoots:
      case SlicePhase::kMark:
        EnterPhase(GcPhase::kMark);
        MarkSlice();
        if (s.phase == SlicePhase::kPieces) MergeCounts();
        break;
      case SlicePhase::kPieces:
        EnterPhase(GcPhase::kCandidates);
        tried = Piece();
        break;
      case SlicePhase::kCount:
        EnterPhase(GcPhase::kSubtract);
        CountSlice();
        break;
      case SlicePhase::kSpare:
        EnterPhase(GcPhase::kPropagate);
        SpareSlice();
        break;
      case SlicePhase::kLeftovers:
        EnterPhase(GcPhase::kCandidates);
        tried = Leftovers() && garbage_ != 0;  // else nothing is left to do after it
        break;
      case SlicePhase::kFinish:
        EnterPhase(GcPhase::kRestore);
        RestoreChangedOwners();
        EnterPhase(GcPhase::kDrain);
        heap_.AfterStop();
        memory_.outside.Stop();
        memory_.marks_unknown = s.lost_leftovers;
        s = SliceState();
        break;
    }
    // What cannot be cut, and pieces, begin in a stop that has most of its time left.
    const bool cut = s.phase != SlicePhase::kPieces && s.phase != SlicePhase::kLeftovers;
    if (s.phase == SlicePhase::kLeftovers && memory_.leftovers.size() >= MostInStop()) {
      break;  // a stop of their own
    }
    if (os_->NowNs() >= Deadline(cut ? 50 : 25)) break;
  }
  if (tried && garbage_ != 0) {
    EnterPhase(GcPhase::kWeakRefs);
    ClearGarbageWeakRefs(/*keep_callbacks=*/true);
  }
  StartWorld();
  if (tried) DisposeOfGarbage();
  memory_.pages.clear();
  EnterPhase(GcPhase::kCount);
  return s.phase == SlicePhase::kIdle;
}

void Pass::BeginSlices() {
  memory_.wrong_counts.store(0, kRelaxed);  // world running, one pass at a time
  memory_.mark = old();
  memory_.marks_unknown = true;  // until the pass is over
  memory_.leftovers.clear();
  memory_.slices = SliceState();
  memory_.slices.phase = SlicePhase::kAge;
  const uint64_t blocks = heap_.LiveIn(kGcKinds).blocks;
  memory_.slices.patience = kLeastPatience + blocks * kMostNsPerObject / hooks_.budget_ns;
  // A single list may hold all there is, and a stack that grows in a stop is copied and
  // faulted in again each time: so have the addresses now. If not, it grows.
  memory_.stacks[0].clear();
  if (blocks >= kWorthHelpers) memory_.stacks[0].Reserve(2 * blocks);
}

void Pass::SortTable() {
  std::sort(memory_.pages.begin(), memory_.pages.end(),
            [](const PageEntry& a, const PageEntry& b) {
              return a.first_header < b.first_header;
            });
}

PageEntry* Pass::EntryOf(ObjectHeader* h) { return memory_.page_index.Find(h); }

// Objects whose trial fits into a stop.
size_t Pass::MostInStop() const {
  return static_cast<size_t>(hooks_.budget_ns / 4 / kTrialNs);
}

// The address may be anything: a freed block, the middle of one, memory of another kind.
// Wherever a header is, the gc bits say what it is: blocks that are free have none.
bool Pass::IsTrackedObject(ObjectHeader* h) {
  const PageEntry* page = EntryOf(h);
  if (page == nullptr) return false;
  const size_t offset =
      static_cast<size_t>(reinterpret_cast<char*>(h) - page->first_header);
  return offset % page->block_size == 0 &&
         (h->gc_bits.load(kRelaxed) & kGcTracked) != 0 && !IsDeadHeader(h);
}

// Pages from the cursor on: fn(ObjectHeader*, bits) for every tracked object, which says
// whether to go on. True: the walk is over, and the cursor is back at the start.
template <class Fn>
bool Pass::WalkFromCursor(uint64_t deadline_ns, Fn fn) {
  SliceState& s = memory_.slices;
  for (PageEntry& page : memory_.pages) {
    char* end = page.first_header + page.count * page.block_size;
    if (end <= s.cursor) continue;
    char* header = page.first_header;
    if (header < s.cursor) {
      // The cursor was a header of this page, if the page is still what it was.
      const size_t done = static_cast<size_t>(s.cursor - header) + page.block_size - 1;
      header += done / page.block_size * page.block_size;
    }
    for (; header < end; header += page.block_size) {
      auto* h = reinterpret_cast<ObjectHeader*>(header);
      const uint8_t bits = h->gc_bits.load(kRelaxed);
      if ((bits & kGcTracked) != 0 && !fn(h, bits)) {
        s.cursor = header + 1;
        return false;
      }
    }
    s.cursor = end;
    if (os_->NowNs() >= deadline_ns) return false;
  }
  s.cursor = nullptr;
  return true;
}

// P10.
void Pass::AgeSweep() {
  const uint8_t was_there = old();
  SliceState& s = memory_.slices;
  if (WalkFromCursor(Deadline(60), [&](ObjectHeader* h, uint8_t bits) {
        h->gc_bits.store((bits & ~kGcMarkBits) | was_there, kRelaxed);
        ++s.aged;
        return true;
      })) {
    stats_.tracked += s.aged;
    s.phase = SlicePhase::kRoots;
  }
}

void Pass::MarkSlice() {
  SliceState& s = memory_.slices;
  Marking<SliceMarker> marking(&memory_.stacks[0],
                               SliceMarker{{&heap_, mark()}, this});
  if (s.phase == SlicePhase::kRoots) {
    isolate_->VisitRoots(&Marking<SliceMarker>::Visit, &marking);
    s.phase = SlicePhase::kMark;
    ++s.root_visits;
    s.roots_stop = stats_.stops;
  }
  const bool over = marking.Drain(os_, Deadline(60));
  s.marked += marking.marker().marked;
  stats_.marked += marking.marker().marked;
  stats_.stack_overflows += marking.overflows();
  if (!over && s.marked < kMostMarked * s.aged + kSmallHeap) return;
  if (!over) marking.Forget();
  // The roots have moved on while the world ran: what they reach now and is not marked
  // would cost more in a trial.
  const bool once_more = over && s.root_visits < 2 && s.roots_stop != stats_.stops;
  s.phase = once_more ? SlicePhase::kRoots : SlicePhase::kPieces;
}

// In the piece if it was there when the pass began and is not marked, tried or spared.
bool Pass::AddToPiece(ObjectHeader* h, uint8_t wanted_marks) {
  const uint8_t bits = h->gc_bits.load(kRelaxed);
  if ((bits & (kGcTracked | kGcUnreachable | kGcMarkBits)) != (kGcTracked | wanted_marks) ||
      !MayBeCandidate(h, bits)) {
    return false;
  }
  if ((bits & kGcDeferred) != 0 && piece_) {
    // Its trial asks for a look at the whole heap: once, with the leftovers.
    h->gc_bits.store(bits | kGcMarkBits, kRelaxed);
    if (!memory_.leftovers.Push(h)) memory_.slices.lost_leftovers = true;
    return false;
  }
  PageEntry* page = EntryOf(h);
  TP_CHECK(page != nullptr);
  MakeCandidate(h, bits);
  page->Add(page->IndexOf(h));
  ++piece_size_;
  // A list that is not whole is not used: see IsScattered.
  if (memory_.piece.size() < kWorthHelpers) memory_.piece.Push(h);
  if ((bits & kGcDeferred) != 0) ++deferred_garbage_;
  return true;
}

// True: a piece was tried, and the table holds what is garbage of it.
bool Pass::Piece() {
  SliceState& s = memory_.slices;
  piece_ = true;
  piece_size_ = 0;
  deferred_garbage_ = 0;
  memory_.piece.clear();
  const uint8_t was_there = old();
  // Subtracting and propagating take about three times what collecting takes.
  const uint64_t now = os_->NowNs();
  const uint64_t end = Deadline(80);
  const uint64_t deadline = now + (end > now ? (end - now) / 4 : 0);
  memory_.stacks[0].clear();
  bool over;
  {
    Marking<PieceMarker> marking(&memory_.stacks[0], PieceMarker{this});
    int tick = 0;
    over = WalkFromCursor(deadline, [&](ObjectHeader* h, uint8_t bits) {
      if ((bits & (kGcMarkBits | kGcUnreachable)) != was_there) return true;
      marking.Push(h);
      // A clock costs as much as a dozen objects.
      if (!marking.Drain(os_, deadline)) return false;
      return ++tick % 64 != 0 || os_->NowNs() < deadline;
    });
    marking.Forget();  // cut: the piece is not closed, and what is cut off keeps it alive
  }
  if (over) s.phase = SlicePhase::kLeftovers;
  const bool tried = TryPiece();
  if (!s.counted && memory_.leftovers.size() > MostInStop()) {
    s.phase = SlicePhase::kCount;
    s.cursor = nullptr;
  }
  return tried;
}

// References from outside of what is not marked.
void Pass::CountSlice() {
  SliceState& s = memory_.slices;
  if (s.cursor == nullptr && !memory_.outside.Start(memory_.pages)) {
    memory_.outside.Stop();
    s.counted = true;  // without: more is left over
    s.phase = SlicePhase::kPieces;
    return;
  }
  const uint8_t was_there = old();
  auto subtract = [](ObjectHeader* target, void* arg) {
    static_cast<OutsideCounts*>(arg)->Add(target, UINT32_MAX);
    return 0;
  };
  if (WalkFromCursor(Deadline(60), [&](ObjectHeader* h, uint8_t bits) {
        if ((bits & was_there) == 0 || !MayBeCandidate(h, bits)) return true;
        memory_.outside.Add(h, static_cast<uint32_t>(TotalCount(h)));
        const TypeInfo* type = h->type();
        if (type->traverse != nullptr) type->traverse(h, subtract, &memory_.outside);
        return true;
      })) {
    memory_.stacks[0].clear();
    s.phase = SlicePhase::kSpare;
  }
}

void Pass::SpareSlice() {
  SliceState& s = memory_.slices;
  const uint8_t was_there = old();
  const uint64_t deadline = Deadline(60);
  Marking<SpareMarker> marking(&memory_.stacks[0],
                               SpareMarker{SliceMarker{{&heap_, mark()}, this}});
  int tick = 0;
  const bool over =
      marking.Drain(os_, deadline) &&
      WalkFromCursor(deadline, [&](ObjectHeader* h, uint8_t bits) {
        if ((bits & was_there) == 0) return true;
        if (memory_.outside.Get(h) == 0 && !TIDEPOOL_MUTANT(slice_spares_garbage)) return true;
        marking.Push(h);
        if (!marking.Drain(os_, deadline)) return false;
        return ++tick % 64 != 0 || os_->NowNs() < deadline;
      });
  s.marked += marking.marker().marked;
  stats_.marked += marking.marker().marked;
  stats_.stack_overflows += marking.overflows();
  if (!over) return;
  memory_.outside.Stop();
  s.counted = true;
  s.phase = SlicePhase::kPieces;
}

bool Pass::Leftovers() {
  piece_ = false;
  piece_size_ = 0;
  deferred_garbage_ = 0;
  memory_.piece.clear();
  constexpr size_t kAhead = 16;
  const size_t n = TIDEPOOL_MUTANT(slice_no_leftovers) ? 0 : memory_.leftovers.size();
  for (size_t i = 0; i < n; ++i) {
    // No address faults here.
    if (i + kAhead < n) __builtin_prefetch(memory_.leftovers[i + kAhead], 1);
    ObjectHeader* h = memory_.leftovers[i];
    if (IsTrackedObject(h)) AddToPiece(h, kGcMarkBits);  // P13
  }
  memory_.leftovers.clear();
  memory_.slices.phase = SlicePhase::kFinish;
  return TryPiece();
}

bool Pass::TryPiece() {
  if (piece_size_ == 0) return false;
  ++stats_.pieces;
  stats_.candidates += piece_size_;
  stats_.largest_piece = std::max(stats_.largest_piece, piece_size_);
  if (markers_ == 1 && IsScattered()) {
    TryScattered();
  } else {
    CompactPages();
    EnterPhase(GcPhase::kSubtract);
    SubtractInternal();
    EnterPhase(GcPhase::kPropagate);
    Propagate();
    if (deferred_garbage_ != 0) RescueTypes(/*second_stop=*/true);
    EnterPhase(GcPhase::kRestore);
    Restore();
  }
  piece_ = false;
  return true;
}

// Few objects on many pages: a walk over the pages would cost more than their trial.
bool Pass::IsScattered() const {
  if (memory_.piece.size() != piece_size_) return false;
  uint64_t spanned = 0;
  for (const PageEntry& page : memory_.pages) {
    if (page.objects != 0) spanned += page.hi - page.lo;
  }
  return spanned > 2 * piece_size_;
}

// SubtractInternal, Propagate and Restore by the list of the piece's objects.
void Pass::TryScattered() {
  OsArray<ObjectHeader*>& piece = memory_.piece;
  const uint8_t marked = mark();
  EnterPhase(GcPhase::kSubtract);
  {
    Subtraction<SubtractAlone> subtraction(SubtractAlone{});
    for (ObjectHeader* h : piece) subtraction.Scan(h);
  }
  EnterPhase(GcPhase::kPropagate);
  {
    Marking<OutsideMarker> marking(&memory_.stacks[0], OutsideMarker{marked});
    for (ObjectHeader* h : piece) {
      if ((h->gc_bits.load(kRelaxed) & marked) != 0) continue;
      if (!IsImmortal(h) && TidAsCount::Get(h) < 0) ReportWrongCount(h);
      if (IsImmortal(h) || TidAsCount::Get(h) != 0) {
        marking.Push(h);
        marking.Drain();
      }
    }
    deferred_garbage_ -= marking.marker().deferred;
    stats_.stack_overflows += marking.overflows();
  }
  if (deferred_garbage_ != 0) RescueTypes(/*second_stop=*/true);
  EnterPhase(GcPhase::kRestore);
  for (PageEntry& page : memory_.pages) page.objects = 0;
  Totals totals;
  for (ObjectHeader* h : piece) {
    PageEntry* page = EntryOf(h);
    RestoreObject(*page, page->IndexOf(h), totals);
  }
  garbage_ = 0;
  for (const PageEntry& page : memory_.pages) garbage_ += page.objects;
  deferred_garbage_ = totals.deferred;
  CompactPages();
}

}  // namespace gc_internal
}  // namespace tidepool
