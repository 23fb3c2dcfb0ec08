// Replays a recording against a policy: the same questions as the collector would ask, at the
// same places, answered by the same code.
//
// What the lab knows: at each place what is truly alive and how much garbage has been made.
// Under another policy the garbage that nobody has collected is there as well. Where that
// policy collects, the lab takes it away. Passes that the program asks for itself come at
// their places.
//
// What a pass costs = what the recorded passes around this place cost without their garbage,
// plus a price for each piece of garbage, which is what a pass with much of it cost more than
// its neighbours with little of it.
//
// Under a pause budget a pass of the policy's is over when the slices that its cost lets
// expect have been paid, as gc/collection.cc spreads them; what died meanwhile waits for the
// next one.
//
// What it cannot know: programs that do other things when memory is given back later (caches
// that go with weakrefs, finalizers that allocate), and how threads interleave.

#ifndef TIDEPOOL_GC_LAB_REPLAY_H_
#define TIDEPOOL_GC_LAB_REPLAY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tidepool/gc/lab/recording.h"
#include "tidepool/gc/policy.h"

namespace tidepool {
namespace gc_lab {

struct Prediction {
  std::string policy;  // as it was asked for
  Summary summary;
  struct Step {
    double place;
    double live;
    bool pass;  // live falls to the next step's here
  };
  std::vector<Step> steps;
};

// Prices of a pass, drawn from a recording.
class CostModel {
 public:
  explicit CostModel(const Recording& recording);
  struct Cost {
    double cpu_ns, total_ns, pause_ns, paused_ns;
  };
  Cost Predict(double place, double garbage_objects) const;

 private:
  const Recording& recording_;
  Cost per_object_ = {};
};

absl::StatusOr<Prediction> Replay(const Recording& recording, const std::string& policy);

}  // namespace gc_lab
}  // namespace tidepool

#endif  // TIDEPOOL_GC_LAB_REPLAY_H_
