// Policies: the registry, their arguments, and when they say yes.

#include "tidepool/gc/policy.h"

#include <algorithm>

#include "gtest/gtest.h"
#include "tidepool/gc/collect_stats.h"

namespace tidepool {
namespace {

std::unique_ptr<CollectionPolicy> Make(absl::string_view spec) {
  auto policy = MakePolicy(spec);
  EXPECT_TRUE(policy.ok()) << policy.status();
  return *std::move(policy);
}

TEST(PolicyRegistryTest, DefaultIsLiveBytes) {
  EXPECT_STREQ(Make("")->name(), "live_bytes");
  ASSERT_FALSE(ListPolicies().empty());
  EXPECT_EQ(ListPolicies()[0].name, "live_bytes");
}

TEST(PolicyRegistryTest, UnknownNameIsAnErrorThatListsTheKnown) {
  auto policy = MakePolicy("nonsense");
  ASSERT_FALSE(policy.ok());
  EXPECT_NE(policy.status().message().find("threshold"), absl::string_view::npos);
}

TEST(PolicyRegistryTest, BadArgumentsAreErrors) {
  EXPECT_FALSE(MakePolicy("live_bytes:base=0").ok());
  EXPECT_FALSE(MakePolicy("live_bytes:base=4x").ok());
  EXPECT_FALSE(MakePolicy("live_bytes:colour=red").ok());
  EXPECT_FALSE(MakePolicy("threshold:base=4m").ok());
  EXPECT_TRUE(MakePolicy("live_bytes:base=64k,growth=50").ok());
}

TEST(PolicyRegistryTest, ANameIsTakenOnce) {
  EXPECT_FALSE(RegisterPolicy("manual", "", nullptr));
}

class EveryTime final : public CollectionPolicy {
 public:
  const char* name() const override { return "every_time"; }
  Decision Decide(const HeapSnapshot&) override { return {true, "always", 1}; }
};
TIDEPOOL_REGISTER_POLICY(kEveryTime, "every_time", "for a test",
                         [](absl::string_view)
                             -> absl::StatusOr<std::unique_ptr<CollectionPolicy>> {
                           return std::make_unique<EveryTime>();
                         });

TEST(PolicyRegistryTest, AnotherPolicyRegistersItself) {
  EXPECT_TRUE(Make("every_time")->Decide(HeapSnapshot()).collect);
}

TEST(LiveBytesTest, WaitsForBaseAndForGrowth) {
  auto policy = Make("live_bytes:base=1m,growth=50");
  HeapSnapshot s;
  s.live_bytes = (1 << 20) - 1;
  Decision d = policy->Decide(s);
  EXPECT_FALSE(d.collect);
  EXPECT_EQ(d.next_threshold, 1u);
  s.live_bytes = 1 << 20;
  EXPECT_TRUE(policy->Decide(s).collect);
  s.live_bytes_after_last = 100 << 20;
  s.live_bytes = 140 << 20;
  EXPECT_FALSE(policy->Decide(s).collect);
  s.live_bytes = 151 << 20;
  EXPECT_TRUE(policy->Decide(s).collect);
}

TEST(LiveBytesTest, FreedBytesDoNotCount) {
  auto policy = Make("live_bytes:base=1m");
  HeapSnapshot s;
  s.live_bytes_after_last = 10 << 20;
  s.live_bytes = 5 << 20;
  s.allocated_since = uint64_t{1} << 40;
  EXPECT_FALSE(policy->Decide(s).collect);
}

// Growing long-lived data costs a number of passes that is logarithmic (S01, S02).
TEST(LiveBytesTest, PassesOverGrowingLiveDataAreFew) {
  auto policy = Make("");
  HeapSnapshot s;
  int passes = 0;
  for (s.live_bytes = 0; s.live_bytes < (uint64_t{4} << 30); s.live_bytes += 64 << 10) {
    if (!policy->Decide(s).collect) continue;
    ++passes;
    s.live_bytes_after_last = s.live_bytes;
  }
  EXPECT_LE(passes, 16);
}

TEST(LiveBytesTest, CollectsBeforeTheHardLimit) {
  auto policy = Make("live_bytes:base=4m,growth=100");
  HeapSnapshot s;
  s.memory_limit = 100 << 20;
  s.live_bytes_after_last = 90 << 20;
  s.live_bytes = 96 << 20;
  EXPECT_TRUE(policy->Decide(s).collect);
  // A heap full of live data does not collect at every step.
  s.live_bytes_after_last = 100 << 20;
  s.live_bytes = (100 << 20) + 1000;
  EXPECT_FALSE(policy->Decide(s).collect);
}

TEST(LiveBytesTest, WaitsLongerWhenPassesTakeTheTime) {
  auto policy = Make("live_bytes:base=1k,growth=50");
  HeapSnapshot s;
  s.live_bytes_after_last = 100 << 20;
  s.since_last_ns = 1000;
  CollectStats slow;
  slow.total_ns = 900;
  slow.paused_ns = 900;
  policy->OnFinish(s, slow);
  s.live_bytes = 160 << 20;
  EXPECT_FALSE(policy->Decide(s).collect);
  s.live_bytes = 201 << 20;
  EXPECT_TRUE(policy->Decide(s).collect);
  CollectStats useful;  // and it gave back what had grown
  useful.live_bytes_before = 160 << 20;
  useful.live_bytes_after = 100 << 20;
  useful.freed_bytes = 60 << 20;
  policy->OnFinish(s, useful);
  s.live_bytes = 160 << 20;
  EXPECT_TRUE(policy->Decide(s).collect);
}

// A pass that finds nothing is not worth repeating soon; one that finds much is.
TEST(LiveBytesTest, GrowsItsStepWhilePassesAreUseless) {
  auto policy = Make("live_bytes:base=1m,growth=100,max_percent=0");
  HeapSnapshot s;
  s.live_bytes_after_last = 2 << 20;  // a small heap: three times the base at most
  CollectStats useless;
  useless.live_bytes_before = 6 << 20;
  useless.live_bytes_after = 6 << 20;
  for (int i = 0; i < 3; ++i) policy->OnFinish(s, useless);
  s.live_bytes = (5 << 20) - 1;
  EXPECT_FALSE(policy->Decide(s).collect);
  s.live_bytes = 5 << 20;
  EXPECT_TRUE(policy->Decide(s).collect);
  policy = Make("live_bytes:base=1m,growth=100,max_percent=0");
  s.live_bytes_after_last = 10 << 20;
  CollectStats pass;
  pass.live_bytes_before = 20 << 20;
  pass.live_bytes_after = 20 << 20;
  const int steps[] = {1, 2, 4, 4};
  for (int step : steps) {
    s.live_bytes = (10 + 10 * static_cast<uint64_t>(step) - 1) << 20;
    EXPECT_FALSE(policy->Decide(s).collect);
    s.live_bytes = (10 + 10 * static_cast<uint64_t>(step) + 1) << 20;
    EXPECT_TRUE(policy->Decide(s).collect);
    policy->OnFinish(s, pass);
  }
  pass.freed_bytes = 4 << 20;  // between the two: nothing is learnt
  policy->OnFinish(s, pass);
  s.live_bytes = 49 << 20;
  EXPECT_FALSE(policy->Decide(s).collect);
  pass.freed_bytes = 8 << 20;
  policy->OnFinish(s, pass);
  s.live_bytes = 21 << 20;
  EXPECT_TRUE(policy->Decide(s).collect);
}

TEST(LiveBytesTest, ArgumentsThatWouldOverflow) {
  auto policy = Make("live_bytes:growth=100000");
  HeapSnapshot s;
  s.live_bytes_after_last = uint64_t{1} << 60;
  s.live_bytes = (uint64_t{1} << 60) + (uint64_t{1} << 40);
  const Decision d = policy->Decide(s);
  EXPECT_FALSE(d.collect);
  EXPECT_LE(d.next_threshold, kMostThreshold);
}

TEST(PauseTest, AsksForSlices) {
  HeapSnapshot s;
  s.pause_ms = 7;
  EXPECT_EQ(Make("pause")->MakePlan(s).pause_budget_ns, 7'000'000u);
  EXPECT_EQ(Make("pause:ms=2,threads=3")->MakePlan(s).pause_budget_ns, 2'000'000u);
  EXPECT_EQ(Make("pause:ms=2,threads=3")->MakePlan(s).mark_threads, 3);
  EXPECT_FALSE(MakePolicy("pause:ms=0").ok());
  EXPECT_FALSE(MakePolicy("pause:threads=1000").ok());
  s.live_bytes = 5 << 20;
  EXPECT_TRUE(Make("pause")->Decide(s).collect);  // when live_bytes would
}

TEST(MemoryLimitTest, CollectsMoreOftenAsTheRoomShrinks) {
  auto policy = Make("memory_limit:limit=1000m,percent=100");
  HeapSnapshot s;
  uint64_t last = UINT64_MAX;
  for (uint64_t live : {0, 400, 800, 960}) {
    s.live_bytes_after_last = live << 20;
    const uint64_t step = std::max<uint64_t>((1000 - live) << 19, (uint64_t{1000} << 20) / 64);
    s.live_bytes = s.live_bytes_after_last + step - (1 << 20);
    EXPECT_FALSE(policy->Decide(s).collect) << live;
    s.live_bytes = s.live_bytes_after_last + step + (1 << 20);
    EXPECT_TRUE(policy->Decide(s).collect) << live;
    EXPECT_LT(step, last);
    last = step;
  }
  // Full of live data: not at every step, and past the limit neither.
  s.live_bytes_after_last = uint64_t{1000} << 20;
  s.live_bytes = s.live_bytes_after_last + (10 << 20);
  EXPECT_FALSE(policy->Decide(s).collect);
}

TEST(MemoryLimitTest, TakesTheIsolatesLimitAndGivesMemoryBack) {
  auto policy = Make("memory_limit");
  HeapSnapshot s;
  s.live_bytes = 100 << 20;
  EXPECT_TRUE(policy->Decide(s).collect);  // no limit at all: the growth rule
  s.memory_limit = 1000 << 20;
  EXPECT_FALSE(policy->Decide(s).collect);
  EXPECT_FALSE(policy->MakePlan(s).purge_afterwards);
  s.committed_bytes = 900 << 20;
  EXPECT_TRUE(policy->Decide(s).collect);
  EXPECT_TRUE(policy->MakePlan(s).purge_afterwards);
  EXPECT_FALSE(MakePolicy("memory_limit:limit=4k").ok());
  EXPECT_FALSE(MakePolicy("memory_limit:percent=101").ok());
}

TEST(LiveBytesTest, ExplicitThresholdsCountObjectsToo) {
  auto policy = Make("");
  HeapSnapshot s;
  s.thresholds[0] = 700;
  s.thresholds[1] = 10;
  s.gc_blocks = 800;
  EXPECT_FALSE(policy->Decide(s).collect);
  s.thresholds_explicit = true;
  EXPECT_TRUE(policy->Decide(s).collect);
}

TEST(ThresholdTest, NetObjectsOverThresholdAndAQuarter) {
  auto policy = Make("threshold");
  HeapSnapshot s;
  s.thresholds[0] = 700;
  s.thresholds[1] = 10;
  s.gc_blocks = 700;
  EXPECT_FALSE(policy->Decide(s).collect);
  s.gc_blocks = 701;
  EXPECT_TRUE(policy->Decide(s).collect);
  s.gc_blocks_after_last = 40000;
  s.gc_blocks = 49000;
  EXPECT_FALSE(policy->Decide(s).collect);
  s.gc_blocks = 50001;
  EXPECT_TRUE(policy->Decide(s).collect);
  s.gc_blocks = 41000;
  s.thresholds[1] = 0;  // drops the rule of the quarter
  EXPECT_TRUE(policy->Decide(s).collect);
}

TEST(ThresholdTest, ZeroMeansNever) {
  auto policy = Make("threshold");
  HeapSnapshot s;
  s.gc_blocks = uint64_t{1} << 40;
  EXPECT_FALSE(policy->Decide(s).collect);
}

TEST(ManualTest, Never) {
  HeapSnapshot s;
  s.live_bytes = uint64_t{1} << 50;
  EXPECT_FALSE(Make("manual")->Decide(s).collect);
}

TEST(PolicyBytesTest, Suffixes) {
  uint64_t bytes = 0;
  EXPECT_TRUE(ParsePolicyBytes("64k", &bytes));
  EXPECT_EQ(bytes, 65536u);
  EXPECT_TRUE(ParsePolicyBytes("2G", &bytes));
  EXPECT_EQ(bytes, uint64_t{2} << 30);
  EXPECT_FALSE(ParsePolicyBytes("", &bytes));
  EXPECT_FALSE(ParsePolicyBytes("k", &bytes));
  EXPECT_FALSE(ParsePolicyBytes("99999999999999999999", &bytes));
  EXPECT_FALSE(ParsePolicyBytes("99999999999g", &bytes));
}

}  // namespace
}  // namespace tidepool
