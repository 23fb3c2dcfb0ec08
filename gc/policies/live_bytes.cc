// live_bytes, the default: the growth rule, and CPython's rule on counts as well once
// set_threshold was called.

#include <algorithm>
#include <memory>

#include "tidepool/gc/policies/bundled.h"
#include "tidepool/gc/policies/count_rule.h"
#include "tidepool/gc/policies/growth_rule.h"
#include "tidepool/gc/policy.h"

namespace tidepool {
namespace {

class LiveBytesPolicy final : public CollectionPolicy {
 public:
  static absl::StatusOr<std::unique_ptr<CollectionPolicy>> Make(absl::string_view arguments) {
    auto policy = std::make_unique<LiveBytesPolicy>();
    absl::Status status = ParsePolicyArguments(
        arguments, policy.get(),
        [](void* context, absl::string_view key, absl::string_view value) {
          return static_cast<LiveBytesPolicy*>(context)->rule_.Set(key, value);
        });
    if (!status.ok()) return status;
    return std::unique_ptr<CollectionPolicy>(std::move(policy));
  }

  const char* name() const override { return "live_bytes"; }

  Decision Decide(const HeapSnapshot& s) override {
    Decision decision = rule_.Decide(s);
    if (decision.collect || !s.thresholds_explicit) return decision;
    const int64_t objects = gc_internal::ObjectsToCome(s);
    if (objects == 0) return {true, "object count", rule_.Step(s)};
    if (objects > 0) {
      decision.next_threshold =
          std::min(decision.next_threshold,
                   static_cast<uint64_t>(objects) * gc_internal::kLeastObjectBytes);
    }
    return decision;
  }

  void OnFinish(const HeapSnapshot& s, const CollectStats& stats) override {
    rule_.Learn(s, stats);
  }

 private:
  gc_internal::GrowthRule rule_;
};

}  // namespace

namespace gc_internal {
MadePolicy MakeLiveBytes(absl::string_view arguments) { return LiveBytesPolicy::Make(arguments); }
}  // namespace gc_internal

}  // namespace tidepool
