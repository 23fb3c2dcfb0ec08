// Random, exhaustive and replay strategies. See sched_strategy.h and sched.h.
#include "tidepool/base/internal/sched_strategy.h"

#include <stdio.h>
#include <stdlib.h>

#include "tidepool/base/check.h"

namespace tidepool::sched::internal {
namespace {

// The next in `ids` after `current`, going round.
int NextAfter(const std::vector<int>& ids, int current) {
  for (int id : ids) {
    if (id > current) return id;
  }
  return ids.front();
}

class RandomStrategy final : public Strategy {
 public:
  RandomStrategy(uint64_t seed, uint64_t horizon)
      : seed_(seed), next_horizon_(horizon), rng_(seed) {}

  bool BeginRun(uint64_t run) override {
    run_ = run;
    horizon_ = next_horizon_;
    rng_ = SplitMix(seed_ * 0x2545F4914F6CDD1Du + run);
    rng_.Next();
    priorities_.clear();
    change_points_.clear();
    lowest_ = 0;
    by_priority_ = rng_.Below(2) == 0;
    if (by_priority_) {
      uint64_t changes = rng_.Below(5);
      for (uint64_t i = 0; i < changes; ++i) {
        change_points_.push_back(1 + rng_.Below(horizon_));
      }
    } else {
      static constexpr uint64_t kOneIn[] = {2, 3, 5, 10, 30, 100};
      one_in_ = kOneIn[rng_.Below(6)];
    }
    return true;
  }

  int Choose(const SchedDecision& d) override {
    // Now and then a deadline passes although others could run.
    if (!d.timed.empty() && (d.ready.empty() || rng_.Below(128) == 0 ||
                             (d.kind == PointKind::kYield &&
                              d.ready.size() == 1 &&
                              d.ready[0] == d.current))) {
      return d.ready.empty() ? d.timed.front()
                             : d.timed[rng_.Below(d.timed.size())];
    }
    return by_priority_ ? ChooseByPriority(d) : ChooseUniform(d);
  }

  void EndRun(uint64_t steps) override {
    if (steps > next_horizon_) next_horizon_ = steps;
  }

  std::string ShortReplay() const override {
    return "random:" + std::to_string(seed_) + ":" + std::to_string(run_) +
           ":" + std::to_string(horizon_);
  }

 private:
  int ChooseUniform(const SchedDecision& d) {
    if (d.kind == PointKind::kPoint && rng_.Below(one_in_) != 0) {
      return d.current;
    }
    return d.ready[rng_.Below(d.ready.size())];
  }

  // PCT: the thread with the highest priority runs; at a change point the
  // running thread falls below all others.
  int ChooseByPriority(const SchedDecision& d) {
    bool fall = d.kind == PointKind::kYield;
    for (uint64_t point : change_points_) fall = fall || point == d.step;
    if (fall && d.current >= 0) priorities_[d.current] = --lowest_;
    int best = -1;
    for (int id : d.ready) {
      if (best < 0 || PriorityOf(id) > PriorityOf(best)) best = id;
    }
    return best;
  }

  int64_t PriorityOf(int id) {
    auto [it, fresh] = priorities_.try_emplace(id, 0);
    if (fresh) it->second = static_cast<int64_t>(1 + rng_.Below(1u << 30));
    return it->second;
  }

  const uint64_t seed_;
  uint64_t run_ = 0;
  uint64_t horizon_ = 0;       // of this run
  uint64_t next_horizon_;      // the longest run so far
  SplitMix rng_;
  bool by_priority_ = false;
  uint64_t one_in_ = 2;
  std::map<int, int64_t> priorities_;
  std::vector<uint64_t> change_points_;
  int64_t lowest_ = 0;
};

// Depth-first over all choices, each run following the path of the last one
// with its deepest open choice advanced.
class ExhaustiveStrategy final : public Strategy {
 public:
  explicit ExhaustiveStrategy(int max_preemptions)
      : max_preemptions_(max_preemptions) {}

  bool BeginRun(uint64_t run) override {
    if (run != 0) {
      while (!path_.empty() && path_.back().taken + 1 == path_.back().count) {
        path_.pop_back();
      }
      if (path_.empty()) {
        complete_ = true;
        return false;
      }
      ++path_.back().taken;
    }
    depth_ = 0;
    preemptions_ = 0;
    return true;
  }

  int Choose(const SchedDecision& d) override {
    options_.clear();
    if (d.ready.empty()) {
      options_.push_back(d.timed.front());
    } else if (d.kind == PointKind::kPoint) {
      options_.push_back(d.current);
      if (preemptions_ < max_preemptions_) {
        for (int id : d.ready) {
          if (id != d.current) options_.push_back(id);
        }
        for (int id : d.timed) options_.push_back(id);
      }
    } else if (d.kind == PointKind::kYield) {
      bool alone = d.ready.size() == 1 && d.ready[0] == d.current;
      options_.push_back(alone && !d.timed.empty()
                             ? d.timed.front()
                             : NextAfter(d.ready, d.current));
    } else {
      options_ = d.ready;
    }
    int chosen = options_.size() == 1 ? options_[0] : options_[Take()];
    if (d.kind == PointKind::kPoint && chosen != d.current) ++preemptions_;
    return chosen;
  }

  void EndRun(uint64_t) override {}
  bool complete() const override { return complete_ && diverged_ == 0; }
  uint64_t diverged() const override { return diverged_; }

 private:
  struct Choice {
    size_t count;
    size_t taken;
  };

  size_t Take() {
    if (depth_ < path_.size() && path_[depth_].count != options_.size()) {
      // Not the run that the path is from: what was planned below here means
      // nothing. Begins anew from this choice.
      path_.resize(depth_);
      ++diverged_;
    }
    if (depth_ == path_.size()) path_.push_back(Choice{options_.size(), 0});
    return path_[depth_++].taken;
  }

  const int max_preemptions_;
  int preemptions_ = 0;
  bool complete_ = false;
  uint64_t diverged_ = 0;
  std::vector<Choice> path_;
  size_t depth_ = 0;
  std::vector<int> options_;
};

// Follows a list of switches "step>thread,...".
class ReplayStrategy final : public Strategy {
 public:
  explicit ReplayStrategy(const std::string& text) {
    const char* at = text.c_str();
    while (*at != '\0') {
      char* end;
      uint64_t step = strtoull(at, &end, 10);
      if (*end != '>') Fatal("sched: bad replay string at '%s'", at);
      switches_[step] = static_cast<int>(strtol(end + 1, &end, 10));
      at = *end == ',' ? end + 1 : end;
    }
  }

  bool BeginRun(uint64_t run) override { return run == 0; }

  int Choose(const SchedDecision& d) override {
    auto it = switches_.find(d.step);
    if (it != switches_.end()) {
      for (int id : d.ready) {
        if (id == it->second) return id;
      }
      for (int id : d.timed) {
        if (id == it->second) return id;
      }
    }
    if (d.kind == PointKind::kPoint) return d.current;
    return d.ready.empty() ? d.timed.front() : NextAfter(d.ready, d.current);
  }

  void EndRun(uint64_t) override {}

 private:
  std::map<uint64_t, int> switches_;
};

// One run of random mode.
class RandomReplay final : public Strategy {
 public:
  RandomReplay(uint64_t seed, uint64_t run, uint64_t horizon)
      : inner_(seed, horizon), run_(run) {}
  bool BeginRun(uint64_t run) override {
    return run == 0 && inner_.BeginRun(run_);
  }
  int Choose(const SchedDecision& d) override { return inner_.Choose(d); }
  void EndRun(uint64_t) override {}
  std::string ShortReplay() const override { return inner_.ShortReplay(); }

 private:
  RandomStrategy inner_;
  const uint64_t run_;
};

}  // namespace

std::unique_ptr<Strategy> MakeRandomReplay(uint64_t seed, uint64_t run,
                                           uint64_t horizon) {
  return std::make_unique<RandomReplay>(seed, run, horizon);
}

std::unique_ptr<Strategy> MakeStrategy(const SchedOptions& options) {
  switch (options.mode) {
    case Mode::kRandom:
      return std::make_unique<RandomStrategy>(options.seed, 200);
    case Mode::kExhaustive:
      return std::make_unique<ExhaustiveStrategy>(options.max_preemptions);
    case Mode::kReplay: {
      unsigned long long seed, run, horizon;
      if (sscanf(options.replay.c_str(), "random:%llu:%llu:%llu", &seed, &run,
                 &horizon) == 3) {
        return MakeRandomReplay(seed, run, horizon);
      }
      return std::make_unique<ReplayStrategy>(options.replay);
    }
  }
  Fatal("sched: unknown mode");
}

}  // namespace tidepool::sched::internal
