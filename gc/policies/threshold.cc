// threshold: CPython's rule on counts alone.

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "tidepool/gc/policies/bundled.h"
#include "tidepool/gc/policies/count_rule.h"
#include "tidepool/gc/policy.h"

namespace tidepool {
namespace {

class ThresholdPolicy final : public CollectionPolicy {
 public:
  static absl::StatusOr<std::unique_ptr<CollectionPolicy>> Make(absl::string_view arguments) {
    if (!arguments.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "gc policy 'threshold' takes no arguments, got '", arguments, "'"));
    }
    return std::unique_ptr<CollectionPolicy>(std::make_unique<ThresholdPolicy>());
  }

  const char* name() const override { return "threshold"; }

  Decision Decide(const HeapSnapshot& s) override {
    const int64_t objects = gc_internal::ObjectsToCome(s);
    if (objects < 0) return {false, "threshold 0 is 0", kNeverAsk};
    if (objects == 0) return {true, "object count", 0};
    return {false, "", static_cast<uint64_t>(objects) * gc_internal::kLeastObjectBytes};
  }
};

}  // namespace

namespace gc_internal {
MadePolicy MakeThreshold(absl::string_view arguments) { return ThresholdPolicy::Make(arguments); }
}  // namespace gc_internal

}  // namespace tidepool
