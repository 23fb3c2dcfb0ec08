// manual: never by itself.

#include <memory>

#include "absl/strings/str_cat.h"
#include "tidepool/gc/policies/bundled.h"
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

}  // namespace

namespace gc_internal {
MadePolicy MakeManual(absl::string_view arguments) { return ManualPolicy::Make(arguments); }
}  // namespace gc_internal

}  // namespace tidepool
