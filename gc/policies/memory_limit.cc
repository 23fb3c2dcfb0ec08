// memory_limit: uses the memory that it was given, and collects more often as it runs out.
//
// The limit is `limit=BYTES`, or the isolate's max_memory. The ceiling is `percent` of it (the
// rest is for what the live bytes do not show: free blocks in used pages, limbo). A pass
// comes when half of the room between what the last one left and the ceiling is used up, so
// far from the limit garbage is left alone, and near it passes come ever closer together; but
// never less than a 64th of the limit (at least 256 KiB) is allocated between two, so a heap
// that is full of live data does not collect all the time: it gets its out-of-memory error.
// Near the ceiling a pass also gives unused memory back to the OS.
//
// Without any limit it is the growth rule.

#include <algorithm>
#include <memory>

#include "tidepool/gc/policies/bundled.h"
#include "tidepool/gc/policies/growth_rule.h"
#include "tidepool/gc/policy.h"

namespace tidepool {
namespace {

class MemoryLimitPolicy final : public CollectionPolicy {
 public:
  static absl::StatusOr<std::unique_ptr<CollectionPolicy>> Make(absl::string_view arguments) {
    auto policy = std::make_unique<MemoryLimitPolicy>();
    absl::Status status = ParsePolicyArguments(
        arguments, policy.get(),
        [](void* context, absl::string_view key, absl::string_view value) {
          auto* p = static_cast<MemoryLimitPolicy*>(context);
          if (key == "limit") {
            return ParsePolicyBytes(value, &p->limit_) && p->limit_ >= (1 << 20) &&
                   p->limit_ <= kMostThreshold;
          }
          if (key == "percent") {
            return ParsePolicyBytes(value, &p->percent_) && p->percent_ >= 10 &&
                   p->percent_ <= 100;
          }
          return p->rule_.Set(key, value);
        });
    if (!status.ok()) return status;
    return std::unique_ptr<CollectionPolicy>(std::move(policy));
  }

  const char* name() const override { return "memory_limit"; }

  Decision Decide(const HeapSnapshot& s) override {
    const uint64_t ceiling = Ceiling(s);
    if (ceiling == 0) return rule_.Decide(s);
    const uint64_t room = ceiling - std::min(ceiling, s.live_bytes_after_last);
    const uint64_t step = std::max(room / 2, Least(ceiling));
    const uint64_t grown = gc_internal::GrowthRule::Grown(s);
    if (grown >= step) return {true, "half of the room is used up", step};
    // Committed memory is what the hard limit counts, external bytes are not in it.
    if (s.memory_limit != 0 && s.committed_bytes >= s.memory_limit / 100 * percent_ &&
        grown >= Least(ceiling)) {
      return {true, "committed memory is near the limit", Least(ceiling)};
    }
    return {false, "", std::max(std::min(step - grown, room / 8), Least(ceiling) / 4)};
  }

  Plan MakePlan(const HeapSnapshot& s) override {
    Plan plan;
    const uint64_t ceiling = Ceiling(s);
    plan.purge_afterwards =
        ceiling != 0 && s.committed_bytes + s.external_bytes >= ceiling / 10 * 9;
    return plan;
  }

  void OnFinish(const HeapSnapshot& s, const CollectStats& stats) override {
    rule_.Learn(s, stats);
  }

 private:
  uint64_t Ceiling(const HeapSnapshot& s) const {
    const uint64_t limit = limit_ != 0 ? limit_ : s.memory_limit;
    return std::min(limit / 100 * percent_, kMostThreshold);
  }
  static uint64_t Least(uint64_t ceiling) {
    return std::max<uint64_t>(ceiling / 64, 256 << 10);
  }

  gc_internal::GrowthRule rule_;
  uint64_t limit_ = 0;
  uint64_t percent_ = 85;
};

}  // namespace

namespace gc_internal {
MadePolicy MakeMemoryLimit(absl::string_view arguments) { return MemoryLimitPolicy::Make(arguments); }
}  // namespace gc_internal

}  // namespace tidepool
