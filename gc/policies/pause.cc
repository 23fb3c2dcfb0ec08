// pause: collects when live_bytes would, and asks for passes that hold the world for at most
// `ms` at a time: marking is cut into slices of that length with the program running in
// between, and trial deletion is done in pieces. A pass takes longer from start to end, and
// what dies while it marks waits for the next one. `threads` mark in parallel.

#include <memory>

#include "tidepool/gc/policies/bundled.h"
#include "tidepool/gc/policies/growth_rule.h"
#include "tidepool/gc/policy.h"

namespace tidepool {
namespace {

class PausePolicy final : public CollectionPolicy {
 public:
  static absl::StatusOr<std::unique_ptr<CollectionPolicy>> Make(absl::string_view arguments) {
    auto policy = std::make_unique<PausePolicy>();
    absl::Status status = ParsePolicyArguments(
        arguments, policy.get(),
        [](void* context, absl::string_view key, absl::string_view value) {
          auto* p = static_cast<PausePolicy*>(context);
          if (key == "ms") return ParsePolicyBytes(value, &p->ms_) && p->ms_ > 0 && p->ms_ <= 1000;
          if (key == "threads") {
            return ParsePolicyBytes(value, &p->threads_) && p->threads_ > 0 && p->threads_ <= 64;
          }
          return p->rule_.Set(key, value);
        });
    if (!status.ok()) return status;
    return std::unique_ptr<CollectionPolicy>(std::move(policy));
  }

  const char* name() const override { return "pause"; }

  Decision Decide(const HeapSnapshot& s) override { return rule_.Decide(s); }

  Plan MakePlan(const HeapSnapshot& s) override {
    Plan plan;
    if (threads_ != 0) plan.mark_threads = static_cast<int>(threads_);
    plan.pause_budget_ns = (ms_ != 0 ? ms_ : s.pause_ms) * 1'000'000;
    return plan;
  }

  void OnFinish(const HeapSnapshot& s, const CollectStats& stats) override {
    rule_.Learn(s, stats);
  }

 private:
  gc_internal::GrowthRule rule_;
  uint64_t ms_ = 0;       // 0: the option gc_pause_ms
  uint64_t threads_ = 0;  // 0: as many as other policies
};

}  // namespace

namespace gc_internal {
MadePolicy MakePause(absl::string_view arguments) { return PausePolicy::Make(arguments); }
}  // namespace gc_internal

}  // namespace tidepool
