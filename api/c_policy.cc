// The C API: policies written in C. The registry of gc/policy.h takes factories without an
// argument, so each place in a small table has a factory of its own.

#include <array>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "tidepool/api/internal/c_impl.h"
#include "tidepool/gc/policy.h"

namespace tidepool::c_api {
namespace {

constexpr size_t kPolicies = 16;
tp_policy_def g_policies[kPolicies];
size_t g_policy_count = 0;  // guarded by g_api_mutex; entries below it do not change

tp_snapshot Told(const HeapSnapshot& s) {
  tp_snapshot t = {};
  t.size = sizeof(t);
  t.version = TP_ABI_VERSION;
  t.live_bytes = s.live_bytes;
  t.external_bytes = s.external_bytes;
  t.live_bytes_after_last = s.live_bytes_after_last;
  t.gc_blocks = s.gc_blocks;
  t.gc_blocks_after_last = s.gc_blocks_after_last;
  t.allocated_since = s.allocated_since;
  t.limbo_bytes = s.limbo_bytes;
  t.dormant_bytes = s.dormant_bytes;
  t.committed_bytes = s.committed_bytes;
  t.memory_limit = s.memory_limit;
  t.survivors = s.survivors;
  t.last_collected = s.last_collected;
  t.last_pause_ns = s.last_pause_ns;
  t.total_gc_ns = s.total_gc_ns;
  t.since_last_ns = s.since_last_ns;
  t.collections = s.collections;
  t.threads = s.threads;
  t.allocated_total = s.allocated_total;
  t.run_ns = s.run_ns;
  return t;
}

// What a policy throws is caught, counted and reported above (gc/policy.h).
class PolicyOfC : public CollectionPolicy {
 public:
  PolicyOfC(const tp_policy_def* def, void* state) : def_(def), state_(state) {}
  ~PolicyOfC() override {
    if (def_->destroy != nullptr) def_->destroy(state_);
  }
  const char* name() const override { return def_->name; }
  Decision Decide(const HeapSnapshot& snapshot) override {
    const tp_snapshot told = Told(snapshot);
    tp_decision out = {};
    def_->decide(state_, &told, &out);
    return {out.collect != 0, out.reason != nullptr ? out.reason : def_->name,
            out.next_threshold};
  }
  Plan MakePlan(const HeapSnapshot& snapshot) override {
    Plan plan;
    if (def_->plan == nullptr) return plan;
    const tp_snapshot told = Told(snapshot);
    tp_plan out = {plan.mark_threads, plan.purge_afterwards, plan.pause_budget_ns};
    def_->plan(state_, &told, &out);
    plan.mark_threads = out.mark_threads > 0 ? out.mark_threads : 0;
    plan.purge_afterwards = out.purge_afterwards != 0;
    plan.pause_budget_ns = out.pause_budget_ns;
    return plan;
  }
  void OnStart(const HeapSnapshot& snapshot, const char* reason) override {
    if (def_->on_start == nullptr) return;
    const tp_snapshot told = Told(snapshot);
    def_->on_start(state_, &told, reason);
  }
  void OnFinish(const HeapSnapshot& snapshot, const CollectStats& stats) override {
    if (def_->on_finish == nullptr) return;
    const tp_snapshot told = Told(snapshot);
    tp_collection info = tp_collection_init();
    FillCollection(stats, &info);
    def_->on_finish(state_, &told, &info);
  }

 private:
  const tp_policy_def* const def_;
  void* const state_;
};

absl::StatusOr<std::unique_ptr<CollectionPolicy>> Make(const tp_policy_def* def,
                                                       absl::string_view arguments) {
  void* state = def->arg;
  if (def->create != nullptr) {
    tp_error error = {};
    state = def->create(std::string(arguments).c_str(), def->arg, &error);
    if (error.status != TP_OK) {
      return absl::InvalidArgumentError(absl::StrCat("policy ", def->name, ": ", error.text));
    }
  } else if (!arguments.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("policy ", def->name, " takes no arguments, not '", arguments, "'"));
  }
  std::unique_ptr<CollectionPolicy> made(new (std::nothrow) PolicyOfC(def, state));
  if (made == nullptr) return absl::ResourceExhaustedError("no memory for a policy");
  return made;
}

template <size_t kIndex>
absl::StatusOr<std::unique_ptr<CollectionPolicy>> MakeAt(absl::string_view arguments) {
  return Make(&g_policies[kIndex], arguments);
}

template <size_t... kIndex>
constexpr std::array<PolicyFactory, kPolicies> Factories(std::index_sequence<kIndex...>) {
  return {&MakeAt<kIndex>...};
}
constexpr std::array<PolicyFactory, kPolicies> kFactories =
    Factories(std::make_index_sequence<kPolicies>());

}  // namespace
}  // namespace tidepool::c_api

using namespace tidepool::c_api;  // NOLINT

tp_status tp_policy_register(const tp_policy_def* given, tp_error* error) noexcept {
  tp_policy_def def = tp_policy_def_init();
  const tp_status read = ReadStruct(given, &def, "tp_policy_def", error);
  if (read != TP_OK) return read;
  if (def.name == nullptr || def.name[0] == 0) {
    return SetError(error, TP_INVALID, "a policy needs a name");
  }
  if (def.decide == nullptr) {
    return SetError(error, TP_INVALID,
                    absl::StrCat("policy ", def.name, " has no decide function"));
  }
  tidepool::MutexLock lock(&g_api_mutex);
  if (g_policy_count == kPolicies) {
    return SetError(error, TP_NO_MEMORY, "sixteen policies written in C are there already");
  }
  g_policies[g_policy_count] = def;
  if (!tidepool::RegisterPolicy(def.name, def.help != nullptr ? def.help : "",
                                kFactories[g_policy_count])) {
    return SetError(error, TP_BUSY,
                    absl::StrCat("there is a policy of the name ", def.name, " already"));
  }
  ++g_policy_count;
  return TP_OK;
}
