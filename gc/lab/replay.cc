// The loop over places, and the prices.

#include "tidepool/gc/lab/replay.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tidepool/base/os.h"
#include "tidepool/gc/collect_stats.h"
#include "tidepool/gc/internal/pacing.h"
#include "tidepool/gc/internal/policy_guard.h"

namespace tidepool {
namespace gc_lab {
namespace {

// The collector's numbers, to reckon with.
constexpr double kLeastBudget = gc_internal::kLeastBudget;
constexpr double kLeastAllowance = gc_internal::kLeastAllowance;
constexpr double kSlicePart = gc_internal::kSlicePercent / 100.0;
constexpr double kFirstNsPerObject = gc_internal::kFirstNsPerObject;
constexpr double kLeastNsPerObject = gc_internal::kLeastNsPerObject;
constexpr double kMostNsPerObject = gc_internal::kMostNsPerObject;
// What of a pass in slices is over when the first of its garbage goes.
constexpr double kMarking = 1.0 / 3;

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
  Replayer(const Recording& recording, const Recording* sliced,
           std::unique_ptr<CollectionPolicy> policy)
      : recording_(recording),
        costs_(recording),
        sliced_costs_(sliced != nullptr ? *sliced : recording),
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
  // samples there is no place in between, and none is known where there are other threads,
  // but beside a recorded pass, when no samples were taken.
  void Walk(const Point& a, const Point& b) {
    if (!b.enabled || b.thresholds[0] == 0) return;
    const bool jump =
        !b.after_pass && (b.threads > 1 || b.place - a.place > 2.5 * std::max(recording_.every,
                                                                              kLeastBudget));
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
    AskAgainAfter(p, static_cast<double>(d.next_threshold));
    if (d.collect) Start(p, false);
  }

  // Samples of several threads come late by themselves.
  void AskAgainAfter(const Point& p, double bytes) {
    ask_at_ = p.place + std::max(bytes, kLeastBudget) + (p.threads > 1 ? 0 : recording_.late);
  }

  // A pass that the program asked for comes under every policy, at once, and takes the
  // place of one whose slices are under way.
  void PassOf(const Point& p) {
    const Pass& pass = recording_.passes[static_cast<size_t>(p.pass)];
    if (pass.asked_by_policy) return;
    if (open_ && in_slices_) GiveUp(p);
    if (open_) Finish(p);
    Start(p, true);
  }

  // What the pass in slices that is under way has taken away by now: first it marks.
  double Done(const Point& p) const {
    if (!open_ || freed_ || open_until_ <= start_) return 0;
    const double part = (p.place - start_) / (open_until_ - start_);
    return std::min(std::max(0.0, (part - kMarking) / (1 - kMarking)), 1.0);
  }
  double Garbage(const Point& p) const {
    return std::max(0.0, p.made - Lerp(made_at_last_, made_at_start_, Done(p)));
  }
  double GarbageObjects(const Point& p) const {
    return std::max(0.0, p.made_objects -
                             Lerp(objects_made_at_last_, objects_made_at_start_, Done(p)));
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
    s.pause_ms = recording_.pause_ms;
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

  // Begins a pass, and ends it unless the program goes on beside it.
  void Start(const Point& p, bool own) {
    before_ = Snapshot(p);
    guard_.OnStart(before_, "");
    const double budget = static_cast<double>(guard_.MakePlan(before_).pause_budget_ns);
    made_at_start_ = p.made;
    objects_made_at_start_ = p.made_objects;
    garbage_ = Garbage(p);
    garbage_objects_ = GarbageObjects(p);
    freed_ = false;
    start_ = p.place;
    in_slices_ = budget > 0;
    const CostModel& costs = in_slices_ ? sliced_costs_ : costs_;
    cost_ = own ? costs.PredictOwn(own_++, p.place, garbage_objects_)
                : costs.Predict(p.place, p.true_objects, garbage_objects_);
    if (in_slices_ && costs.budget_ns() > 0) {
      cost_.stops = 1 + (std::max(cost_.stops, 1.0) - 1) * costs.budget_ns() / budget;
    } else if (in_slices_) {
      cost_.stops = 2 + std::floor(cost_.cpu_ns / (budget * kSlicePart));
      cost_.pause_ns = std::min(cost_.pause_ns, budget);
    }
    const double more_stops = std::floor(cost_.stops + 0.5) - 1;
    if (own || (in_slices_ && more_stops < 1)) {
      Finish(p);
      return;
    }
    if (!in_slices_ && p.threads <= 1) {
      // Nothing is allocated beside it: the clock will go on by what was freed into lists
      // that are in use, while those are handed out again, uncounted.
      Finish(p);
      ask_at_ += cost_.beside;
      place_of_last_ += cost_.beside;
      return;
    }
    open_ = true;
    if (!in_slices_) {
      open_until_ = p.place + cost_.beside;
      Free(p);
      if (open_until_ <= p.place) Finish(p);
      return;
    }
    // A slice each stride, at each chance past the allowance: gc/collection.cc.
    const double allowance =
        std::max(kLeastAllowance, static_cast<double>(before_.live_bytes) / 2);
    const double slices = 2 + std::floor(static_cast<double>(before_.gc_blocks) *
                                         ns_per_object_ / (budget * kSlicePart));
    const double stride = std::max(allowance / 2 / slices, kLeastBudget);
    double span = 0;
    for (double done = 1; done <= more_stops; ++done) {
      span += span >= allowance
                  ? kLeastBudget
                  : static_cast<double>(gc_internal::StrideNow(
                        static_cast<uint64_t>(stride), static_cast<uint64_t>(slices),
                        static_cast<uint64_t>(done), static_cast<uint64_t>(allowance - span)));
    }
    open_until_ = p.place + span;
    if (more_stops < 2) {
      Free(p);  // the first stop had room for all, the other ends the pass
    } else {
      Look(p);
    }
  }

  // Another pass takes the place of the one under way, which has done a part of its work.
  void GiveUp(const Point& p) {
    const double part = (p.place - start_) / std::max(open_until_ - start_, 1.0);
    for (double CostModel::Cost::*field :
         {&CostModel::Cost::cpu_ns, &CostModel::Cost::total_ns, &CostModel::Cost::paused_ns}) {
      cost_.*field *= std::min(std::max(part, 1 / std::max(cost_.stops, 1.0)), 1.0);
    }
    const double done = Done(p);
    made_at_start_ = Lerp(made_at_last_, made_at_start_, done);
    objects_made_at_start_ = Lerp(objects_made_at_last_, objects_made_at_start_, done);
    garbage_ *= done;
    garbage_objects_ *= done;
    given_up_ = true;
    Finish(p);
    given_up_ = false;
  }

  // Takes away what was garbage when the pass began.
  void Free(const Point& p) {
    Look(p);
    freed_ = true;
    out_->steps.back().pass = true;
    made_at_last_ = made_at_start_;
    objects_made_at_last_ = objects_made_at_start_;
    out_->steps.push_back({p.place, p.true_live + Garbage(p), false});
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
    stats.given_up = given_up_;
    stats.collected = static_cast<uint64_t>(garbage_objects_);
    stats.live_bytes_before = before_.live_bytes;
    stats.live_bytes_after = after.live_bytes;
    stats.freed_bytes = static_cast<uint64_t>(garbage_);
    stats.freed_objects = static_cast<uint64_t>(garbage_objects_);
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
    AskAgainAfter(p, 0);
    if (in_slices_ && !given_up_ && before_.gc_blocks != 0) {
      const double seen = cost_.paused_ns / static_cast<double>(before_.gc_blocks);
      ns_per_object_ =
          (ns_per_object_ + std::clamp(seen, kLeastNsPerObject, kMostNsPerObject)) / 2;
    }
  }

  const Recording& recording_;
  const CostModel costs_;
  const CostModel sliced_costs_;
  gc_internal::PolicyGuard guard_;
  Prediction* out_ = nullptr;
  double ask_at_ = 0, asked_at_ = 0;
  double made_at_last_ = 0, objects_made_at_last_ = 0;
  double live_after_last_ = 0, objects_after_last_ = 0;
  double place_of_last_ = 0, end_of_last_ = 0, gc_ns_ = 0;
  CollectStats last_;

  // The pass that began last.
  bool open_ = false;   // the program goes on beside it
  bool freed_ = false;  // its garbage has been taken away
  bool in_slices_ = false;
  bool given_up_ = false;
  double start_ = 0, open_until_ = 0;  // places
  double made_at_start_ = 0, objects_made_at_start_ = 0;
  double garbage_ = 0, garbage_objects_ = 0;
  HeapSnapshot before_;
  CostModel::Cost cost_;
  size_t own_ = 0;  // of the program's passes so far
  double ns_per_object_ = kFirstNsPerObject;
};

using Cost = CostModel::Cost;
constexpr double Cost::*kFields[] = {&Cost::cpu_ns,    &Cost::total_ns, &Cost::pause_ns,
                                     &Cost::paused_ns, &Cost::stops,    &Cost::beside};
// Recorded passes of which the median counts.
constexpr size_t kAround = 5;
// What a pass costs apart from objects is worth so many of them at least.
constexpr double kLeastFixed = 2000;

// Least squares: y = at_zero + slope * x.
struct StraightLine {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  void Add(double px, double py) {
    n += 1, x += px, y += py, xx += px * px, xy += px * py;
  }
  double spread() const { return n * xx - x * x; }
  double slope() const { return spread() > 0 ? (n * xy - x * y) / spread() : 0; }
  double at_zero() const { return n > 0 ? (y - slope() * x) / n : 0; }
};

Cost CostOf(const Pass& p) {
  Cost c;
  c.cpu_ns = p.cpu_ns;
  c.total_ns = p.total_ns;
  c.pause_ns = p.pause_ns;
  c.paused_ns = p.paused_ns;
  c.stops = p.stops;
  c.beside = p.allocated_during;
  return c;
}

}  // namespace

CostModel::CostModel(const Recording& recording) {
  for (const Pass& pass : recording.passes) {
    if (pass.given_up) continue;
    passes_.push_back(pass);
    if (!pass.asked_by_policy) own_.push_back(pass);
    budget_ns_ = std::max(budget_ns_, pass.budget_ns);
  }
  // Lists in use take up a smaller share of much garbage than of little: a straight line
  // through the logarithms.
  StraightLine reuse;
  for (const Pass& pass : passes_) {
    if (pass.collected < 1 || pass.allocated_during < 1) continue;
    reuse.Add(std::log(pass.collected), std::log(pass.allocated_during));
  }
  if (reuse.spread() > 0) reuse_power_ = std::clamp(reuse.slope(), 0.0, 1.0);
  // Neighbours with unlike amounts of garbage.
  Cost sum;
  double squares = 0;
  for (size_t i = 1; i < passes_.size(); ++i) {
    const Pass& a = passes_[i - 1];
    const Pass& b = passes_[i];
    const double more = b.collected - a.collected;
    if (std::abs(more) < 200 || std::abs(more) < 0.5 * std::max(a.collected, b.collected)) continue;
    // Least squares through the origin: passes with much garbage weigh most.
    squares += more * more;
    const Cost from = CostOf(a), to = CostOf(b);
    for (double Cost::*field : kFields) sum.*field += (to.*field - from.*field) * more;
  }
  if (squares > 0) {
    for (double Cost::*field : kFields) {
      per_object_.*field = std::max(0.0, sum.*field / squares);
    }
  }
  StraightLine alive;
  for (const Pass& pass : passes_) {
    alive.Add(pass.tracked - pass.collected, Without(pass).cpu_ns);
  }
  if (alive.slope() > 0) fixed_ = std::max(kLeastFixed, alive.at_zero() / alive.slope());
}

Cost CostModel::Without(const Pass& pass) const {
  Cost c = CostOf(pass);
  for (double Cost::*field : kFields) {
    c.*field = std::max(0.0, c.*field - per_object_.*field * pass.collected);
  }
  return c;
}

Cost CostModel::Predict(double place, double live_objects, double garbage_objects) const {
  Cost cost;
  if (passes_.empty()) return cost;
  // As many before as behind, as far as there are.
  const auto behind = std::lower_bound(passes_.begin(), passes_.end(), place,
                                       [](const Pass& p, double x) { return p.place < x; });
  const size_t n = std::min(kAround, passes_.size());
  const size_t at = static_cast<size_t>(behind - passes_.begin());
  const size_t first = std::min(at - std::min(at, n / 2), passes_.size() - n);
  double values[kAround];
  auto median = [&](auto value_of) {
    for (size_t i = 0; i < n; ++i) values[i] = value_of(passes_[first + i]);
    std::sort(values, values + n);
    return values[n / 2];
  };
  for (double Cost::*field : kFields) {
    const bool a_time = field != &Cost::stops && field != &Cost::beside;
    cost.*field = median([&](const Pass& p) {
                    // What is alive may be more or less than it was there.
                    const double alive = p.tracked - p.collected;
                    const double scale = a_time && fixed_ >= 0 && alive >= 100 && live_objects >= 100
                                             ? (live_objects + fixed_) / (alive + fixed_)
                                             : 1;
                    return Without(p).*field * scale;
                  }) +
                  per_object_.*field * garbage_objects;
  }
  if (passes_[first].threads > 1) return cost;
  const double usual = median([](const Pass& p) { return p.collected; });
  if (usual > 0) {
    cost.beside = median([](const Pass& p) { return p.allocated_during; }) *
                  std::pow(garbage_objects / usual, reuse_power_);
  }
  return cost;
}

Cost CostModel::PredictOwn(size_t number, double place, double garbage_objects) const {
  if (number >= own_.size()) return Predict(place, 0, garbage_objects);
  Cost cost = Without(own_[number]);
  for (double Cost::*field : kFields) {
    cost.*field += per_object_.*field * garbage_objects;
  }
  return cost;
}

absl::StatusOr<Prediction> Replay(const Recording& recording, const std::string& policy,
                                  const Recording* sliced) {
  auto made = MakePolicy(policy);
  if (!made.ok()) return made.status();
  Prediction prediction;
  prediction.policy = policy;
  Replayer(recording, sliced, *std::move(made)).Run(&prediction);
  return prediction;
}

}  // namespace gc_lab
}  // namespace tidepool
