// What one collection did and how long each phase took, and the sums over all of them.
//
// The phases are one table: the enum, the names, the JSON and the reference page come
// from it. Times are wall time by the isolate's clock. "World" says whether the phase
// runs with all other threads stopped; a pass has one stop, and a second one if a
// finalizer or a callback ran.

#ifndef TIDEPOOL_GC_COLLECT_STATS_H_
#define TIDEPOOL_GC_COLLECT_STATS_H_

#include <cstddef>
#include <cstdint>
#include <string>

namespace tidepool {

// X(enumerator, "name", "world", "what it does")
#define TIDEPOOL_GC_PHASES(X)                                                     \
  X(kStop, "stop", "stopping", "asks every attached thread to park and waits")    \
  X(kMerge, "merge", "stopped", "merges every queued reference count")            \
  X(kMark, "mark", "stopped", "marks what the roots reach")                       \
  X(kCandidates, "candidates", "stopped",                                         \
    "picks what is not marked and puts its count in the owner word")              \
  X(kSubtract, "subtract", "stopped", "takes the candidates' own references off") \
  X(kPropagate, "propagate", "stopped", "marks what outside references reach")    \
  X(kRestore, "restore", "stopped",                                               \
    "puts owner ids back, merges the counts of the garbage")                      \
  X(kWeakRefs, "weakrefs", "stopped", "clears weak references to the garbage")    \
  X(kDrain, "drain", "stopped", "frees everything that waits for readers")        \
  X(kCallbacks, "callbacks", "running",                                           \
    "drops what the merge found dead, runs weakref callbacks")                    \
  X(kFinalizers, "finalizers", "running", "runs finalizers, once an object")      \
  X(kRecheck, "recheck", "stopped", "second stop: finds what was resurrected")    \
  X(kClear, "clear", "running", "clears, drops and frees the garbage")

enum class GcPhase : int {
#define TIDEPOOL_GC_PHASE_ENUM(enumerator, name, world, doc) enumerator,
  TIDEPOOL_GC_PHASES(TIDEPOOL_GC_PHASE_ENUM)
#undef TIDEPOOL_GC_PHASE_ENUM
      kCount
};
inline constexpr int kGcPhaseCount = static_cast<int>(GcPhase::kCount);
const char* GcPhaseName(GcPhase phase);

struct CollectStats {
  bool ran = false;            // false: one was running already, or none was due
  bool out_of_memory = false;  // undone: every header restored, nothing collected
  int generation = 2;
  const char* reason = "";

  uint64_t collected = 0;      // garbage objects cleared and dropped
  uint64_t uncollectable = 0;  // garbage objects handed to the garbage visitor
  uint64_t resurrected = 0;    // garbage objects that a finalizer brought back
  uint64_t tracked = 0;        // tracked objects seen
  uint64_t frozen = 0;         // of them frozen
  uint64_t marked = 0;         // of them reached from the roots
  uint64_t candidates = 0;     // of them put to trial deletion
  uint64_t finalizers = 0;     // finalizers run
  uint64_t weakrefs_cleared = 0;
  uint64_t callbacks = 0;        // weakref callbacks run
  uint64_t owners_restored = 0;  // owner words written that were not borrowed
  uint64_t stack_overflows = 0;  // objects that were chained as the stack was full

  uint64_t live_bytes_before = 0;
  uint64_t live_bytes_after = 0;
  uint64_t limbo_bytes_drained = 0;

  uint64_t phase_ns[kGcPhaseCount] = {};
  uint64_t pause_ns = 0;      // longest time the world was held
  uint64_t paused_ns = 0;     // both stops together
  uint64_t total_ns = 0;      // start to end, with the parts that ran beside mutators

  uint64_t found() const { return collected + uncollectable; }
  std::string Json() const;
};

// Sums per generation asked for. A full pass counts in the last one.
struct GenerationStats {
  uint64_t collections = 0;
  uint64_t collected = 0;
  uint64_t uncollectable = 0;
  uint64_t resurrected = 0;
  uint64_t finalizers = 0;
  uint64_t total_ns = 0;
  uint64_t paused_ns = 0;
  uint64_t max_pause_ns = 0;
  uint64_t phase_ns[kGcPhaseCount] = {};
  std::string Json() const;
};

}  // namespace tidepool

#endif  // TIDEPOOL_GC_COLLECT_STATS_H_
