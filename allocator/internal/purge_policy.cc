// The bundled purge policies. Each is a few lines: policies answer, the purger acts.
#include "tidepool/allocator/internal/purge_policy.h"

#include <new>

namespace tidepool::internal {
namespace {

class LowWater final : public PurgePolicy {
 public:
  uint64_t BytesToPurge(const PurgeView& view) const override {
    return view.window_end ? view.low_water : 0;
  }
};

class Immediate final : public PurgePolicy {
 public:
  uint64_t BytesToPurge(const PurgeView& view) const override {
    return view.unused;
  }
  bool ask_at_every_free() const override { return true; }
};

class Delayed final : public PurgePolicy {
 public:
  uint64_t BytesToPurge(const PurgeView& view) const override {
    return view.window_end ? view.low_water : 0;
  }
  bool windows_by_clock() const override { return true; }
};

class Bounded final : public PurgePolicy {
 public:
  explicit Bounded(uint64_t percent) : percent_(percent) {}
  uint64_t BytesToPurge(const PurgeView& view) const override {
    uint64_t allowed = view.used / 100 * percent_;
    return view.unused > allowed ? view.unused - allowed : 0;
  }
  bool ask_at_every_free() const override { return true; }

 private:
  uint64_t percent_;
};

class Never final : public PurgePolicy {
 public:
  uint64_t BytesToPurge(const PurgeView&) const override { return 0; }
};

static_assert(sizeof(Bounded) <= kPurgePolicySize);

}  // namespace

const PurgePolicy* MakePurgePolicy(const Options& options, void* memory) {
  switch (options.purge_policy) {
    case PurgePolicyKind::kLowWater: return new (memory) LowWater;
    case PurgePolicyKind::kImmediate: return new (memory) Immediate;
    case PurgePolicyKind::kDelayed: return new (memory) Delayed;
    case PurgePolicyKind::kBounded:
      return new (memory)
          Bounded(static_cast<uint64_t>(options.max_overhead_percent));
    case PurgePolicyKind::kNever: return new (memory) Never;
  }
  return new (memory) LowWater;
}

}  // namespace tidepool::internal
