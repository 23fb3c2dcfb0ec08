// One collection, step by step. See tidepool/gc/collector.h for what and why.
//
// A Pass is made by the collecting thread and used once. Its tables belong to the
// collector (PassMemory) and are kept between passes.
//
// The gc bits of an object in a pass, state, event, next state (all in a stop, by the
// collecting thread, relaxed; the stop orders them):
//   P1 -               reached from the roots             -> Marked
//   P2 Marked          candidate scan                     -> -
//   P3 -               candidate scan, tracked, not frozen, immortal or dead
//                                                         -> Unreachable, count in tid
//   P4 Unreachable     reached from outside               -> Marked, tid borrowed still
//   P5 Marked          restore                            -> -, tid restored
//   P6 Unreachable     restore: this thread's or merged, +1 reference
//                                                         -> Unreachable (garbage)
//   P7 garbage         recheck: reached from outside      -> Marked
//   P8 Marked          end of recheck: -1 reference       -> - (resurrected)
//   P9 garbage         dropped (world running)            -> -, or freed
// Between passes no object has Marked or Unreachable.

#ifndef TIDEPOOL_GC_INTERNAL_PASS_H_
#define TIDEPOOL_GC_INTERNAL_PASS_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/allocator/heap_domain.h"
#include "tidepool/base/os.h"
#include "tidepool/gc/collect_stats.h"
#include "tidepool/gc/collector.h"
#include "tidepool/gc/internal/os_array.h"
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
  uint32_t count;  // blocks
  uint32_t lo, hi;   // candidates, later garbage, lie in [lo, hi)
  uint32_t objects;  // how many of them there are
  bool has_weakrefs;     // some garbage has weakrefs
  bool has_finalizers;   // some garbage has a type with a finalizer

  ObjectHeader* block(uint32_t i) const {
    return reinterpret_cast<ObjectHeader*>(first_header + i * block_size);
  }
};

struct PassMemory {
  explicit PassMemory(Os* os) : pages(os), stack(os) {}
  OsArray<PageEntry> pages;
  OsArray<ObjectHeader*> stack;
  PauseRecord pauses;
};

class Pass {
 public:
  struct Hooks {
    bool save_all = false;
    bool print_garbage = false;  // a line on stderr for each
    Collector::GarbageVisitor garbage_visitor = nullptr;
    void* garbage_arg = nullptr;
  };

  Pass(ThreadState* ts, PassMemory* memory, const Hooks& hooks,
       CollectStats* stats);
  Pass(const Pass&) = delete;
  Pass& operator=(const Pass&) = delete;

  // World running before and after.
  void Run();

 private:
  // First stop.
  void FindGarbage();
  void MarkRoots();
  bool PickCandidates();
  void SubtractInternal();
  void Propagate();
  void RescueTypes(bool second_stop);
  void Restore();
  void RestoreChangedPage(const PageInfo& info);
  void Undo();
  void ClearGarbageWeakRefs(bool keep_callbacks);

  // World running.
  void RunCallbacks();
  bool RunFinalizers();
  void DeleteGarbage();
  void ClearRound();
  void DropRound();
  void DropDeferred();
  void RescueLeakedTypes();
  void SaveGarbage();
  void PrintGarbage();

  // Second stop.
  void Recheck();
  void DropResurrected();

  void StopWorld();
  void StartWorld();
  void EnterPhase(GcPhase phase);

  // fn(ObjectHeader*) for every unreachable object of the table; in a stop, and before
  // any of them was reached from outside.
  template <class Fn>
  void ForEachUnreachable(Fn fn, bool with_weakrefs = false);
  // Shrinks the table to what is still garbage.
  void CompactPages();

  ThreadState* const ts_;
  Isolate* const isolate_;
  HeapDomain& heap_;
  Os* const os_;
  PassMemory& memory_;
  const Hooks hooks_;
  CollectStats& stats_;
  WeakCallbackList callbacks_;
  uint64_t garbage_ = 0;           // objects
  uint64_t deferred_garbage_ = 0;  // of them with deferred counts
  uint64_t leaky_ = 0;             // not freed when dropped

  GcPhase phase_ = GcPhase::kCount;
  uint64_t phase_start_ = 0;
  uint64_t stopped_at_ = 0;
  uint64_t stop_phase_ns_[kGcPhaseCount] = {};  // of the stop under way
};

}  // namespace gc_internal
}  // namespace tidepool

#endif  // TIDEPOOL_GC_INTERNAL_PASS_H_
