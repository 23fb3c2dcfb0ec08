// The loop over places, and the prices.

#include "tidepool/gc/lab/replay.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tidepool/base/os.h"
#include "tidepool/gc/collect_stats.h"
#include "tidepool/gc/internal/policy_guard.h"

namespace tidepool {
namespace gc_lab {
namespace {

// As gc/collection.cc.
constexpr double kLeastBudget = 64 << 10;
constexpr double kLeastAllowance = 4 << 20;
constexpr double kSlicePart = 0.6;

double Lerp(double a, double b, double part) { return a + (b - a) * part; }

Point Between(const Point& a, const Point& b, double place) {
  Point p = b;
  p.pass = -1;
  const double span = b.place - a.place;
  const double part = span > 0 ? (place - a.place) / span : 1;
  p.place = place;
  p.enabled = a.enabled && b.enabled;
  for (double Point::*field :
       {&Point::mutator_ns, &Point::live, &Point::objects, &Point::true_live,
        &Point::true_objects, &Point::made, &Point::made_objects, &Point::external,
        &Point::committed, &Point::limbo, &Point::dormant}) {
    p.*field = Lerp(a.*field, b.*field, part);
  }
  return p;
}

class Replayer {
 public:
  Replayer(const Recording& recording, std::unique_ptr<CollectionPolicy> policy)
      : recording_(recording),
        costs_(recording),
        guard_(RealOs(), std::move(policy), nullptr, nullptr) {}

  void Run(Prediction* out) {
    out_ = out;
    const std::vector<Point>& points = recording_.points;
    Look(points[0]);
    if (points[0].pass >= 0) PassOf(points[0]);
    for (size_t i = 1; i < points.size(); ++i) {
      Walk(points[i - 1], points[i]);
      Look(points[i]);
      if (points[i].pass >= 0) PassOf(points[i]);
    }
    out_->summary.run_ns = points.back().mutator_ns + gc_ns_;
  }

 private:
  // Questions between two points. Where one allocation took more than the distance of
  // samples there is no place in between.
  void Walk(const Point& a, const Point& b) {
    if (!b.enabled || b.thresholds[0] == 0) return;
    const bool jump = b.place - a.place > 2.5 * std::max(recording_.every, kLeastBudget);
    for (;;) {
      const double next = open_ ? open_until_ : ask_at_;
      if (next > b.place) break;
      const Point p = Between(a, b, jump ? b.place : std::max(next, a.place));
      if (open_) {
        Finish(p);
      } else {
        if (p.place <= asked_at_ && asked_at_ > 0) break;
        Ask(p);
      }
      if (jump) break;
    }
  }

  void Ask(const Point& p) {
    const Decision d = guard_.Decide(Snapshot(p));
    asked_at_ = p.place;
    ask_at_ = p.place + std::max(static_cast<double>(d.next_threshold), kLeastBudget) +
              recording_.late;
    if (d.collect) Start(p, true);
  }

  // A pass that the program asked for comes under every policy, at once, and takes the
  // place of one whose slices are under way.
  void PassOf(const Point& p) {
    const Pass& pass = recording_.passes[static_cast<size_t>(p.pass)];
    if (pass.asked_by_policy) return;
    open_ = false;
    Start(p, false);
  }

  double Garbage(const Point& p) const { return std::max(0.0, p.made - made_at_last_); }
  double GarbageObjects(const Point& p) const {
    return std::max(0.0, p.made_objects - objects_made_at_last_);
  }

  HeapSnapshot Snapshot(const Point& p) const {
    HeapSnapshot s;
    auto whole = [](double x) { return static_cast<uint64_t>(std::max(0.0, x)); };
    const double live = p.true_live + Garbage(p);
    s.live_bytes = whole(live);
    s.live_bytes_after_last = whole(live_after_last_);
    s.gc_blocks = whole(p.true_objects + GarbageObjects(p));
    s.gc_blocks_after_last = whole(objects_after_last_);
    s.external_bytes = whole(p.external);
    s.allocated_total = whole(p.place);
    s.allocated_since = whole(p.place - place_of_last_);
    s.limbo_bytes = whole(p.limbo);
    s.dormant_bytes = whole(p.dormant);
    s.committed_bytes = whole(p.committed + std::max(0.0, live - p.live));
    s.memory_limit = p.limit;
    s.survivors = whole(objects_after_last_);
    s.last_collected = last_.collected;
    s.last_pause_ns = last_.pause_ns;
    s.total_gc_ns = whole(gc_ns_);
    s.run_ns = whole(p.mutator_ns + gc_ns_);
    s.since_last_ns = whole(p.mutator_ns + gc_ns_ - end_of_last_);
    s.collections = out_->summary.collections;
    s.threads = p.threads;
    for (int i = 0; i < 3; ++i) s.thresholds[i] = p.thresholds[i];
    s.thresholds_explicit = p.thresholds_explicit;
    return s;
  }

  void Look(const Point& p) {
    const double live = p.true_live + Garbage(p);
    out_->summary.peak = std::max(out_->summary.peak, live);
    out_->steps.push_back({p.place, live, false});
  }

  // Begins a pass, and ends it unless its slices are spread over what the program
  // allocates next.
  void Start(const Point& p, bool spread) {
    before_ = Snapshot(p);
    guard_.OnStart(before_, "");
    const Plan plan = guard_.MakePlan(before_);
    made_at_start_ = p.made;
    objects_made_at_start_ = p.made_objects;
    garbage_ = Garbage(p);
    garbage_objects_ = GarbageObjects(p);
    freed_ = false;
    cost_ = costs_.Predict(p.place, garbage_objects_);
    const double budget = static_cast<double>(plan.pause_budget_ns);
    if (budget > 0) cost_.pause_ns = std::min(cost_.pause_ns, budget);
    if (budget == 0 || !spread) {
      Finish(p);
      return;
    }
    // The slices that its objects let expect, in half of its allowance; the first at once.
    // Marking comes first, so garbage goes near the end, unless one slice has room for all.
    const double slices = 2 + std::floor(cost_.cpu_ns / (budget * kSlicePart));
    const double allowance =
        std::max(kLeastAllowance, static_cast<double>(before_.live_bytes) / 2);
    open_until_ =
        p.place + (slices - 1) * std::max(allowance / 2 / slices, kLeastBudget);
    open_ = true;
    if (slices < 3) {
      Free(p);
    } else {
      Look(p);
    }
  }

  // Takes away what was garbage when the pass began.
  void Free(const Point& p) {
    Look(p);
    out_->steps.back().pass = true;
    made_at_last_ = made_at_start_;
    objects_made_at_last_ = objects_made_at_start_;
    out_->steps.push_back({p.place, p.true_live + Garbage(p), false});
    freed_ = true;
  }

  // What became garbage since the start waits for the next pass.
  void Finish(const Point& p) {
    if (!freed_) Free(p);
    open_ = false;
    Summary& sum = out_->summary;
    ++sum.collections;
    sum.cpu_ns += cost_.cpu_ns;
    sum.paused_ns += cost_.paused_ns;
    sum.max_pause_ns = std::max(sum.max_pause_ns, cost_.pause_ns);
    gc_ns_ += cost_.total_ns;

    const HeapSnapshot after = Snapshot(p);
    CollectStats stats;
    stats.ran = true;
    stats.collected = static_cast<uint64_t>(garbage_objects_);
    stats.live_bytes_before = before_.live_bytes;
    stats.live_bytes_after = after.live_bytes;
    stats.freed_bytes = static_cast<uint64_t>(garbage_);
    stats.tracked = before_.gc_blocks;
    stats.total_ns = static_cast<uint64_t>(cost_.total_ns);
    stats.cpu_ns = static_cast<uint64_t>(cost_.cpu_ns);
    stats.pause_ns = static_cast<uint64_t>(cost_.pause_ns);
    stats.paused_ns = static_cast<uint64_t>(cost_.paused_ns);
    guard_.OnFinish(after, stats);  // "the last" is the pass before, as yet
    live_after_last_ = p.true_live + Garbage(p);
    objects_after_last_ = p.true_objects + GarbageObjects(p);
    last_ = stats;
    place_of_last_ = p.place;
    end_of_last_ = p.mutator_ns + gc_ns_;
    asked_at_ = p.place;
    ask_at_ = p.place + kLeastBudget + recording_.late;
  }

  const Recording& recording_;
  const CostModel costs_;
  gc_internal::PolicyGuard guard_;
  Prediction* out_ = nullptr;
  double ask_at_ = 0, asked_at_ = 0;
  double made_at_last_ = 0, objects_made_at_last_ = 0;
  double live_after_last_ = 0, objects_after_last_ = 0;
  double place_of_last_ = 0, end_of_last_ = 0, gc_ns_ = 0;
  CollectStats last_;

  // The pass that began last.
  bool open_ = false;   // its slices are under way
  bool freed_ = false;  // its garbage has been taken away
  double open_until_ = 0;
  double made_at_start_ = 0, objects_made_at_start_ = 0;
  double garbage_ = 0, garbage_objects_ = 0;
  HeapSnapshot before_;
  CostModel::Cost cost_ = {};
};

}  // namespace

CostModel::CostModel(const Recording& recording) : recording_(recording) {
  // Neighbours with unlike amounts of garbage.
  Cost sum = {};
  double squares = 0;
  const std::vector<Pass>& passes = recording.passes;
  for (size_t i = 1; i < passes.size(); ++i) {
    const Pass& a = passes[i - 1];
    const Pass& b = passes[i];
    const double more = b.collected - a.collected;
    if (std::abs(more) < 200 || std::abs(more) < 0.5 * std::max(a.collected, b.collected)) continue;
    // Least squares through the origin: passes with much garbage weigh most.
    squares += more * more;
    sum.cpu_ns += (b.cpu_ns - a.cpu_ns) * more;
    sum.total_ns += (b.total_ns - a.total_ns) * more;
    sum.pause_ns += (b.pause_ns - a.pause_ns) * more;
    sum.paused_ns += (b.paused_ns - a.paused_ns) * more;
  }
  if (squares == 0) return;
  per_object_ = {std::max(0.0, sum.cpu_ns / squares), std::max(0.0, sum.total_ns / squares),
                 std::max(0.0, sum.pause_ns / squares), std::max(0.0, sum.paused_ns / squares)};
}

CostModel::Cost CostModel::Predict(double place, double garbage_objects) const {
  const std::vector<Pass>& passes = recording_.passes;
  if (passes.empty()) return {};
  auto without = [&](const Pass& p) -> Cost {
    return {std::max(0.0, p.cpu_ns - per_object_.cpu_ns * p.collected),
            std::max(0.0, p.total_ns - per_object_.total_ns * p.collected),
            std::max(0.0, p.pause_ns - per_object_.pause_ns * p.collected),
            std::max(0.0, p.paused_ns - per_object_.paused_ns * p.collected)};
  };
  auto after = std::lower_bound(passes.begin(), passes.end(), place,
                                [](const Pass& p, double x) { return p.place < x; });
  Cost base;
  if (after == passes.begin()) {
    base = without(*after);
  } else if (after == passes.end()) {
    base = without(passes.back());
  } else {
    const Cost a = without(after[-1]);
    const Cost b = without(*after);
    const double span = after->place - after[-1].place;
    const double part = span > 0 ? (place - after[-1].place) / span : 1;
    base = {Lerp(a.cpu_ns, b.cpu_ns, part), Lerp(a.total_ns, b.total_ns, part),
            Lerp(a.pause_ns, b.pause_ns, part), Lerp(a.paused_ns, b.paused_ns, part)};
  }
  return {base.cpu_ns + per_object_.cpu_ns * garbage_objects,
          base.total_ns + per_object_.total_ns * garbage_objects,
          base.pause_ns + per_object_.pause_ns * garbage_objects,
          base.paused_ns + per_object_.paused_ns * garbage_objects};
}

absl::StatusOr<Prediction> Replay(const Recording& recording, const std::string& policy) {
  auto made = MakePolicy(policy);
  if (!made.ok()) return made.status();
  Prediction prediction;
  prediction.policy = policy;
  Replayer(recording, *std::move(made)).Run(&prediction);
  return prediction;
}

}  // namespace gc_lab
}  // namespace tidepool
