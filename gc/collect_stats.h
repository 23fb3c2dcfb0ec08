// What one collection did and how long each phase took, and the sums over all of them.
//
// The phases are one table: the enum, the names, the JSON and the reference page come
// from it. Times are wall time by the isolate's clock. "World" says whether the phase
// runs with all other threads stopped; a pass has one stop, and a second one if a
// finalizer ran; under a pause budget it has many.

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

// How often the world was held for how long. Buckets grow by the square root of two
// from 1 us: [0, 1 us), [1, 1.41), [1.41, 2), ... A percentile is the upper bound of its
// bucket, so it is at most 42 % too high and never too low; `max` is exact.
class PauseHistogram {
 public:
  static constexpr int kBuckets = 52;  // the last one is open: 32 s and more

  void Add(uint64_t ns);
  void Merge(const PauseHistogram& other);
  uint64_t count() const { return count_; }
  uint64_t max_ns() const { return max_ns_; }
  uint64_t bucket(int i) const { return buckets_[i]; }
  // The upper bound of bucket i; max_ns() for the last one.
  uint64_t UpperNs(int i) const;
  // The time that `percent` (0 < percent <= 100) of the pauses stayed below; 0 if none.
  uint64_t PercentileNs(double percent) const;
  // {"count":..,"p50_ns":..,"p90_ns":..,"p99_ns":..,"max_ns":..,"buckets":[[ns,n],...]}
  std::string Json() const;

 private:
  static int BucketOf(uint64_t ns);
  uint64_t count_ = 0;
  uint64_t max_ns_ = 0;
  uint32_t buckets_[kBuckets] = {};
};

struct CollectStats {
  bool ran = false;            // false: one was running already, or none was due
  bool out_of_memory = false;  // undone: every header restored, nothing collected
  bool given_up = false;       // sliced, and another collection took its place
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
  // Given back by the end of its garbage, whatever was allocated meanwhile. What other
  // threads dropped just then counts, too.
  uint64_t freed_bytes = 0;
  uint64_t freed_objects = 0;
  uint64_t limbo_bytes_drained = 0;

  uint64_t phase_ns[kGcPhaseCount] = {};
  uint64_t pause_ns = 0;      // longest time the world was held
  uint64_t paused_ns = 0;     // all stops together
  uint64_t stops = 0;         // times the world was stopped
  uint64_t slices = 0;        // of them slices of marking and sweeping (pause budget)
  uint64_t pieces = 0;        // parts in which candidates were put to trial
  uint64_t largest_piece = 0;  // objects of the largest of them, which is tried in one stop
  uint64_t mark_threads = 1;  // threads that marked, the collecting one included
  PauseHistogram pauses;      // of this collection
  uint64_t total_ns = 0;      // in it, with the parts that ran beside mutators
  uint64_t span_ns = 0;       // start to end, with what the program did between slices
  uint64_t cpu_ns = 0;        // CPU time of the collecting thread

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
  PauseHistogram pauses;
  uint64_t phase_ns[kGcPhaseCount] = {};
  std::string Json() const;
};

// What each phase took of the single stops, over all collections: phase_ns of a stop goes
// to the histogram of that phase, the whole stop to `all`, and to `cpu` the CPU time of the
// collecting thread in it: on a machine with other work a stop is as long as the OS lets it
// be, and that tells how long it had to be.
struct PauseRecord {
  PauseHistogram all;
  PauseHistogram cpu;
  PauseHistogram phase[kGcPhaseCount];
  std::string Json() const;
};

}  // namespace tidepool

#endif  // TIDEPOOL_GC_COLLECT_STATS_H_
