// manual: never by itself.

#include <memory>

#include "absl/strings/str_cat.h"
#include "tidepool/gc/policy.h"

namespace tidepool {
namespace {

class ManualPolicy final : public CollectionPolicy {
 public:
  static absl::StatusOr<std::unique_ptr<CollectionPolicy>> Make(absl::string_view arguments) {
    if (!arguments.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "gc policy 'manual' takes no arguments, got '", arguments, "'"));
    }
    return std::unique_ptr<CollectionPolicy>(std::make_unique<ManualPolicy>());
  }

  const char* name() const override { return "manual"; }

  Decision Decide(const HeapSnapshot&) override { return {false, "manual", kNeverAsk}; }
};

TIDEPOOL_REGISTER_POLICY(kManual, "manual", "never collects by itself", &ManualPolicy::Make);

}  // namespace
}  // namespace tidepool
