// A collection policy that lives outside tidepool: a pass after every so many bytes of
// allocation, freed or not. docs/policies.md builds it up step by step.

#include <memory>

#include "tidepool/gc/policy.h"

namespace {

// 1. Derive. State belongs to one isolate; calls come one at a time.
class EveryPolicy : public tidepool::CollectionPolicy {
 public:
  explicit EveryPolicy(uint64_t bytes) : bytes_(bytes) {}

  // 2. A name, for the records.
  const char* name() const override { return "every"; }

  // 3. Decide. Look, answer, and touch nothing.
  tidepool::Decision Decide(const tidepool::HeapSnapshot& heap) override {
    if (heap.allocated_since < bytes_) {
      return {false, "not yet", bytes_ - heap.allocated_since};
    }
    return {true, "allocated its share", bytes_};
  }

 private:
  const uint64_t bytes_;
};

// 4. A factory; the text behind the colon of --gc-policy=every:... comes in here.
absl::StatusOr<std::unique_ptr<tidepool::CollectionPolicy>> Make(
    absl::string_view arguments) {
  uint64_t bytes = 32 << 20;
  if (!arguments.empty() &&
      (!tidepool::ParsePolicyBytes(arguments, &bytes) || bytes == 0)) {
    return absl::InvalidArgumentError("every: give a number of bytes, as in 16m");
  }
  return std::make_unique<EveryPolicy>(bytes);
}

// 5. Register.
TIDEPOOL_REGISTER_POLICY(registered, "every", "every so many bytes", Make);

}  // namespace
