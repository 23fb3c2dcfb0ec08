// Replays a recording against a policy: the same questions as the collector would ask, at the
// same places, answered by the same code.
//
// What the lab knows: at each place what is truly alive and how much garbage has been made.
// Under another policy the garbage that nobody has collected is there as well. Where that
// policy collects, the lab takes it away. Passes that the program asks for itself come at
// their places.
//
// What a pass costs = what the recorded passes around this place cost without their garbage
// (the median of a few, for as many objects; for one that the program asks for, that one), plus a price for each
// piece of garbage, which is what a pass with much of it cost more than its neighbours with
// little of it. Passes in slices cost more, and that is drawn from a second recording, whose
// passes were done in slices.
//
// While a pass clears its garbage, other threads go on, and ask nothing: it is over when they
// have allocated what they allocated beside the recorded ones. Under a pause budget a pass of
// the policy's is over when its stops have been paid for, as gc/collection.cc spreads them;
// what died meanwhile waits for the next one.
//
// Where there are several threads, questions are asked at the recorded samples only: a
// sample is where some thread had used up its share of the budget.
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
    double cpu_ns = 0, total_ns = 0, pause_ns = 0, paused_ns = 0, stops = 0;
    // How far the clock goes meanwhile: what others allocate, and what it frees to be
    // handed out again without being counted.
    double beside = 0;
  };
  // Of one that a policy wants.
  Cost Predict(double place, double live_objects, double garbage_objects) const;
  // Of the program's own pass `number`, counted from 0.
  Cost PredictOwn(size_t number, double place, double garbage_objects) const;
  double budget_ns() const { return budget_ns_; }  // of the recorded passes

 private:
  Cost Without(const Pass& pass) const;

  std::vector<Pass> passes_;  // by place
  std::vector<Pass> own_;     // the program's
  double budget_ns_ = 0;
  Cost per_object_;
  double fixed_ = -1;  // a pass's cost apart from objects, in objects; -1: not known
  double reuse_power_ = 1;  // of one thread: beside grows with this power of the garbage
};

// `sliced`: a recording of the same program under record:sliced=1, for the prices of passes
// under a pause budget; null: they are taken to cost what whole ones do.
absl::StatusOr<Prediction> Replay(const Recording& recording, const std::string& policy,
                                  const Recording* sliced = nullptr);

}  // namespace gc_lab
}  // namespace tidepool

#endif  // TIDEPOOL_GC_LAB_REPLAY_H_
