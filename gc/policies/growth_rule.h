// The rule that several policies share: collect when live bytes have grown by a share of what
// the last pass left.
//
//   step = max(base, growth percent of what was live after the last pass, times stretch)
//
// Garbage at a collection is then at most what was allocated net since the last one, `step`,
// plus one budget's granularity per thread.
//
// stretch is 1, 2 or 4, and learns: a pass that gave back less than an eighth of the growth
// that led to it was not worth it, so the next growth may be twice as large (a program that
// builds up data: its passes are spaced by a factor that rises from 1.75 to 4, and cost a
// few percent of the run); a pass that gave back half of it sets stretch to 1. So garbage is
// bounded by 4 x growth x live in the worst case, after a phase that kept everything. Over
// less than 4 x base of live data passes are cheap, and the stretched step is 3 x base at most.
// It learns from bytes and not from times, so that a run repeats itself and can be predicted
// from a recording; only if a pass held the world for more than max_percent of the time since
// the pass before is the stretch doubled in any case.
//
// With a hard limit on memory the step shrinks so that a collection comes before the limit
// does: half of the room that is left, but never less than base / 16, as a heap that is full
// of live data must not collect at every step.

#ifndef TIDEPOOL_GC_POLICIES_GROWTH_RULE_H_
#define TIDEPOOL_GC_POLICIES_GROWTH_RULE_H_

#include <algorithm>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "tidepool/gc/collect_stats.h"
#include "tidepool/gc/policy.h"

namespace tidepool {
namespace gc_internal {

// Saturates instead of wrapping round.
inline uint64_t PercentOf(uint64_t bytes, uint64_t percent) {
  return bytes / 100 > UINT64_MAX / std::max<uint64_t>(percent, 1) ? UINT64_MAX
                                                                 : bytes / 100 * percent;
}

class GrowthRule {
 public:
  // base, growth, max_percent; false: another key, or no good value.
  bool Set(absl::string_view key, absl::string_view value) {
    if (key == "base") {
      return ParsePolicyBytes(value, &base_) && base_ > 0 && base_ <= kMostThreshold / 4;
    }
    if (key == "growth") {
      return ParsePolicyBytes(value, &growth_) && growth_ > 0 && growth_ <= 100000;
    }
    if (key == "max_percent") return ParsePolicyBytes(value, &max_percent_);
    return false;
  }

  uint64_t Step(const HeapSnapshot& s) const {
    const uint64_t live = s.live_bytes_after_last;
    uint64_t wide = PercentOf(live, growth_ * stretch_);
    if (live < 4 * base_) wide = std::min(wide, 3 * base_);
    uint64_t step = std::max({base_, PercentOf(live, growth_), wide});
    if (s.memory_limit != 0) {
      const uint64_t room = s.memory_limit - std::min(s.memory_limit, s.live_bytes_after_last);
      step = std::min(step, std::max(room / 2, base_ / 16));
    }
    return std::min(step, kMostThreshold);
  }

  static uint64_t Grown(const HeapSnapshot& s) {
    return s.live_bytes - std::min(s.live_bytes, s.live_bytes_after_last);
  }

  Decision Decide(const HeapSnapshot& s) const {
    const uint64_t step = Step(s);
    const uint64_t grown = Grown(s);
    if (grown >= step) return {true, "live bytes grew", step};
    return {false, "", step - grown};
  }

  // `s` as for CollectionPolicy::OnFinish.
  void Learn(const HeapSnapshot& s, const CollectStats& stats) {
    const uint64_t grown =
        stats.live_bytes_before - std::min(stats.live_bytes_before, s.live_bytes_after_last);
    const uint64_t freed = stats.freed_bytes;
    if (stats.given_up || stats.out_of_memory) return;
    if (grown >= base_ / 2) {  // less says nothing
      if (freed < grown / 8) {
        stretch_ = std::min<uint64_t>(stretch_ * 2, kMostStretch);
      } else if (freed >= grown / 2) {
        stretch_ = 1;
      }
    }
    // since_last_ns is the time from the end of the pass before to the end of this one.
    const uint64_t between = std::max<uint64_t>(s.since_last_ns, 1);
    if (max_percent_ != 0 && stats.paused_ns / (between / 100 + 1) > max_percent_) {
      stretch_ = std::max<uint64_t>(stretch_, 2);
    }
  }

 private:
  static constexpr uint64_t kMostStretch = 4;

  uint64_t base_ = 4 << 20;
  uint64_t growth_ = 75;
  uint64_t max_percent_ = 25;
  uint64_t stretch_ = 1;
};

}  // namespace gc_internal
}  // namespace tidepool

#endif  // TIDEPOOL_GC_POLICIES_GROWTH_RULE_H_
