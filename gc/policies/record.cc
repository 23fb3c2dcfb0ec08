// record: for recordings that tools/policy_lab replays, not for use. It collects often, so
// that the log shows what was alive at each moment and what had become cyclic garbage since.
//
// A pass comes after `grain` bytes of allocation, or a `share`th of what is live, whichever
// is more: recording then costs about `share` marks of everything per doubling. Every
// eighth pass waits for 16 grains, so that the log also shows what an object costs whose
// memory has left the processor's caches. With `sliced=1` its passes are done in slices of
// the option gc_pause_ms: such a recording tells the price of those.

#include <algorithm>
#include <memory>

#include "tidepool/gc/policies/bundled.h"
#include "tidepool/gc/policy.h"

namespace tidepool {
namespace {

class RecordPolicy final : public CollectionPolicy {
 public:
  static absl::StatusOr<std::unique_ptr<CollectionPolicy>> Make(absl::string_view arguments) {
    auto policy = std::make_unique<RecordPolicy>();
    absl::Status status = ParsePolicyArguments(
        arguments, policy.get(),
        [](void* context, absl::string_view key, absl::string_view value) {
          auto* p = static_cast<RecordPolicy*>(context);
          if (key == "grain") {
            return ParsePolicyBytes(value, &p->grain_) && p->grain_ > 0 &&
                   p->grain_ <= (uint64_t{1} << 30);
          }
          if (key == "share") {
            return ParsePolicyBytes(value, &p->share_) && p->share_ > 0;
          }
          if (key == "sliced") {
            return ParsePolicyBytes(value, &p->sliced_) && p->sliced_ <= 1;
          }
          return false;
        });
    if (!status.ok()) return status;
    return std::unique_ptr<CollectionPolicy>(std::move(policy));
  }

  const char* name() const override { return "record"; }

  Decision Decide(const HeapSnapshot& s) override {
    uint64_t step = std::max(grain_, s.live_bytes_after_last / share_);
    if (passes_ % 8 == 7) step = std::max(step, 16 * grain_);
    if (s.allocated_since < step) return {false, "", step - s.allocated_since};
    ++passes_;
    return {true, "recording", 0};
  }

  Plan MakePlan(const HeapSnapshot& s) override {
    Plan plan;
    if (sliced_ != 0) plan.pause_budget_ns = s.pause_ms * 1'000'000;
    return plan;
  }

 private:
  uint64_t sliced_ = 0;
  uint64_t grain_ = 512 << 10;
  uint64_t share_ = 16;
  uint64_t passes_ = 0;
};

}  // namespace

namespace gc_internal {
MadePolicy MakeRecord(absl::string_view arguments) { return RecordPolicy::Make(arguments); }
}  // namespace gc_internal

}  // namespace tidepool
