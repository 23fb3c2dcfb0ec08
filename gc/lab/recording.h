// A gc log as the lab reads it: what was alive, and what had become garbage, at each moment.
//
// Words.
//   place       bytes allocated since the start of the run. The lab's clock: a program does the
//               same at the same place under every policy, if it repeats itself at all.
//   true live   bytes (or objects) that are no cyclic garbage.
//   made        cyclic garbage made since the start, whether collected since or not.
//
// Between two passes that the log shows, what the later one gave back was made evenly with the
// place, from the end of the earlier one. So a log is as exact as its passes are close: `--gc-policy=record` makes them every
// half megabyte. Any log with samples can be read; the summary of a run needs only that.

#ifndef TIDEPOOL_GC_LAB_RECORDING_H_
#define TIDEPOOL_GC_LAB_RECORDING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidepool {
namespace gc_lab {

struct Point {
  double place = 0;
  double mutator_ns = 0;  // run time without that of passes
  double live = 0;        // as the allocator counted: true live and garbage
  double objects = 0;
  double true_live = 0;
  double true_objects = 0;
  double made = 0;
  double made_objects = 0;
  double external = 0;
  double committed = 0;
  double limbo = 0;
  double dormant = 0;
  uint64_t limit = 0;
  uint64_t threads = 1;
  uint64_t thresholds[3] = {700, 10, 10};
  bool thresholds_explicit = false;
  bool enabled = true;
  int pass = -1;  // the pass that follows at this place, an index of passes; -1: none
  bool after_pass = false;  // where the last point's pass ended, beside other threads
};

struct Pass {
  double place = 0;
  bool asked_by_policy = false;  // else by the program: it comes under every policy
  bool at_exit = false;
  std::string reason;
  double live_before = 0, live_after = 0;
  double objects_before = 0, objects_after = 0;
  double committed_after = 0;
  double allocated_during = 0;  // by other threads, and by finalizers
  double collected = 0;
  double freed = 0, freed_objects = 0;  // what went with its garbage
  double tracked = 0;
  double stops = 0;
  double threads = 1;
  double budget_ns = 0;
  bool given_up = false;
  double cpu_ns = 0, total_ns = 0, pause_ns = 0, paused_ns = 0;
};

struct Recording {
  std::string policy;
  double every = 0;  // bytes between samples
  uint64_t pause_ms = 0;
  // How much later than wanted samples come, on average: allocation is counted when a list of
  // free blocks is taken up.
  double late = 0;
  std::vector<Point> points;
  std::vector<Pass> passes;

  // InvalidArgument says which line is wrong, or what is missing.
  static absl::StatusOr<Recording> Parse(absl::string_view text);
  static absl::StatusOr<Recording> Load(const std::string& path);
};

// What a run did by its own log.
struct Summary {
  uint64_t collections = 0;
  double cpu_ns = 0;        // CPU time of the collecting threads
  double max_pause_ns = 0;  // longest time the world was held
  double paused_ns = 0;
  double peak = 0;          // most live bytes at a sample or a pass
  double run_ns = 0;
};
Summary Summarize(const Recording& recording);

}  // namespace gc_lab
}  // namespace tidepool

#endif  // TIDEPOOL_GC_LAB_RECORDING_H_
