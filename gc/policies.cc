// The bundled policies: live_bytes (default), threshold (CPython's rule) and manual.
//
// live_bytes: collect when live bytes have grown by `growth` percent of what the last pass
// left, and by at least `base`. Garbage at a collection is then at most what was allocated
// net since the last one, max(base, growth x live), plus one budget's granularity per
// thread. With a hard limit the wait shrinks so that a collection comes before the limit is
// hit: half of the room that is left, but never less than 1/16 of base, as a heap that is
// full of live data must not collect at every step. Time in gc is looked at too: if passes
// took more than `max_percent` of the time since the last one ended, the growth asked for
// doubles (the base does not: passes over little data are cheap).
//
// threshold: net new traversable objects since the last pass exceed threshold 0 and a
// quarter of those that were live then (the second test is dropped if threshold 1 is 0).
// Live is the allocator's count of gc blocks, so that frozen and untracked objects count
// as long-lived; counting tracked ones only makes a program that builds untracked tuples
// collect all the time.

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "tidepool/gc/collect_stats.h"
#include "tidepool/gc/policy.h"

namespace tidepool {
namespace {

// The rule of thresholds, shared by two policies. Returns net objects still to come
// before it holds, 0 if it holds, -1 if it is switched off.
int64_t CountRule(const HeapSnapshot& s) {
  if (s.thresholds[0] == 0) return -1;
  uint64_t bound = s.thresholds[0];
  if (s.thresholds[1] != 0) bound = std::max(bound, s.gc_blocks_after_last / 4);
  const uint64_t net =
      s.gc_blocks > s.gc_blocks_after_last ? s.gc_blocks - s.gc_blocks_after_last : 0;
  return net > bound ? 0 : static_cast<int64_t>(bound - net + 1);
}

// The least that an object of the gc kinds takes, to turn objects into bytes.
constexpr uint64_t kLeastObjectBytes = 32;

class LiveBytesPolicy final : public CollectionPolicy {
 public:
  static absl::StatusOr<std::unique_ptr<CollectionPolicy>> Make(
      absl::string_view arguments) {
    auto policy = std::make_unique<LiveBytesPolicy>();
    absl::Status status = ParsePolicyArguments(
        arguments, policy.get(),
        [](void* context, absl::string_view key, absl::string_view value) {
          auto* p = static_cast<LiveBytesPolicy*>(context);
          if (key == "base") return ParsePolicyBytes(value, &p->base_) && p->base_ > 0;
          if (key == "growth") return ParsePolicyBytes(value, &p->growth_) && p->growth_ > 0;
          if (key == "max_percent") return ParsePolicyBytes(value, &p->max_percent_);
          return false;
        });
    if (!status.ok()) return status;
    return std::unique_ptr<CollectionPolicy>(std::move(policy));
  }

  const char* name() const override { return "live_bytes"; }

  Decision Decide(const HeapSnapshot& s) override {
    uint64_t step = std::max(base_, s.live_bytes_after_last / 100 * growth_ * stretch_);
    if (s.memory_limit != 0) {
      const uint64_t room = s.memory_limit > s.live_bytes_after_last
                                ? s.memory_limit - s.live_bytes_after_last
                                : 0;
      step = std::min(step, std::max(room / 2, base_ / 16));
    }
    const uint64_t grown = s.live_bytes > s.live_bytes_after_last
                               ? s.live_bytes - s.live_bytes_after_last
                               : 0;
    if (grown >= step) return {true, "live bytes grew", step};
    uint64_t next = step - grown;
    if (s.thresholds_explicit) {
      const int64_t objects = CountRule(s);
      if (objects == 0) return {true, "object count", step};
      if (objects > 0) {
        next = std::min(next, static_cast<uint64_t>(objects) * kLeastObjectBytes);
      }
    }
    return {false, "", next};
  }

  void OnFinish(const HeapSnapshot& s, const CollectStats& stats) override {
    // since_last_ns is the time from the end of the pass before to the end of this one.
    const uint64_t between = std::max<uint64_t>(s.since_last_ns, 1);
    if (max_percent_ != 0 && stats.total_ns / (between / 100 + 1) > max_percent_) {
      stretch_ = 2;
    } else {
      stretch_ = 1;
    }
  }

 private:
  uint64_t base_ = 4 << 20;
  uint64_t growth_ = 75;
  uint64_t max_percent_ = 25;
  uint64_t stretch_ = 1;
};

class ThresholdPolicy final : public CollectionPolicy {
 public:
  static absl::StatusOr<std::unique_ptr<CollectionPolicy>> Make(
      absl::string_view arguments) {
    if (!arguments.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "gc policy 'threshold' takes no arguments, got '", arguments, "'"));
    }
    return std::unique_ptr<CollectionPolicy>(std::make_unique<ThresholdPolicy>());
  }
  const char* name() const override { return "threshold"; }
  Decision Decide(const HeapSnapshot& s) override {
    const int64_t objects = CountRule(s);
    if (objects < 0) return {false, "", UINT64_MAX};
    if (objects == 0) return {true, "object count", s.thresholds[0] * kLeastObjectBytes};
    return {false, "", static_cast<uint64_t>(objects) * kLeastObjectBytes};
  }
};

class ManualPolicy final : public CollectionPolicy {
 public:
  static absl::StatusOr<std::unique_ptr<CollectionPolicy>> Make(
      absl::string_view arguments) {
    if (!arguments.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "gc policy 'manual' takes no arguments, got '", arguments, "'"));
    }
    return std::unique_ptr<CollectionPolicy>(std::make_unique<ManualPolicy>());
  }
  const char* name() const override { return "manual"; }
  Decision Decide(const HeapSnapshot&) override { return {false, "", UINT64_MAX}; }
};

TIDEPOOL_REGISTER_POLICY(
    kLiveBytes, "live_bytes",
    "collect when live bytes grew by growth=75 percent and base=4m bytes",
    &LiveBytesPolicy::Make);
TIDEPOOL_REGISTER_POLICY(
    kThreshold, "threshold",
    "CPython's rule: net new containers over threshold 0 and a quarter of the live",
    &ThresholdPolicy::Make);
TIDEPOOL_REGISTER_POLICY(kManual, "manual",
                         "never collects by itself", &ManualPolicy::Make);

}  // namespace
}  // namespace tidepool
