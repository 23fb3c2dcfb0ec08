// Policies that misbehave, policies that are swapped, memory outside the heap.

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/thread.h"
#include "tidepool/gc/test_world.h"

namespace tidepool {
namespace {

uint64_t AllCollections(World& w) {
  uint64_t n = 0;
  for (int g = 0; g < 3; ++g) n += w.collector->GetGenerationStats(g).collections;
  return n;
}

// A policy that does what the test says.
std::function<Decision(const HeapSnapshot&)> g_decide;
std::function<Plan()> g_plan;
std::function<void(const char*)> g_hear;

class Puppet final : public CollectionPolicy {
 public:
  const char* name() const override { return "puppet"; }
  Decision Decide(const HeapSnapshot& s) override {
    return g_decide ? g_decide(s) : Decision{false, "no", 0};
  }
  Plan MakePlan(const HeapSnapshot&) override { return g_plan ? g_plan() : Plan{}; }
  void OnStart(const HeapSnapshot&, const char*) override {
    if (g_hear) g_hear("start");
  }
  void OnFinish(const HeapSnapshot&, const CollectStats&) override {
    if (g_hear) g_hear("finish");
  }
};
TIDEPOOL_REGISTER_POLICY(kPuppet, "puppet", "for a test",
                         [](absl::string_view arguments)
                             -> absl::StatusOr<std::unique_ptr<CollectionPolicy>> {
                           if (arguments == "throw") throw std::runtime_error("no policy");
                           if (arguments == "null") return std::unique_ptr<CollectionPolicy>();
                           return std::make_unique<Puppet>();
                         });

class PolicyGuardTest : public testing::Test {
 protected:
  ~PolicyGuardTest() override {
    g_decide = nullptr;
    g_plan = nullptr;
    g_hear = nullptr;
  }
  // Two-object rings, `n` of them, with a safepoint after each.
  static void MakeGarbage(World& w, int n) {
    for (int i = 0; i < n; ++i) {
      w.Drop(NewRing(w.ts, 2));
      w.ts->Safepoint();
    }
  }
};

// Garbage stays bounded: the default rule stands in.
TEST_F(PolicyGuardTest, WhatAPolicyThrowsIsCaught) {
  World w(Options(), RealOs(), "puppet");
  int calls = 0;
  g_decide = [&](const HeapSnapshot&) -> Decision {
    if (++calls % 2 == 0) throw 42;
    throw std::runtime_error("broken");
  };
  g_plan = []() -> Plan { throw std::runtime_error("no plan"); };
  g_hear = [](const char*) { throw std::string("deaf"); };
  MakeGarbage(w, 100000);  // 16 MB
  EXPECT_GE(AllCollections(w), 2u);
  EXPECT_LT(w.isolate->heap().LiveIn(kAllKinds).bytes, 8u << 20);
  EXPECT_STREQ(w.collector->LastStats().reason, "live bytes grew (the policy threw)");
  const PolicyFaults faults = w.collector->policy_faults();
  EXPECT_GE(faults.threw, static_cast<uint64_t>(calls));
  EXPECT_EQ(faults.nonsense, 0u);
  w.Collect();
  EXPECT_EQ(w.live_blocks(), 0u);
}

TEST_F(PolicyGuardTest, NonsenseIsReplaced) {
  World w(Options(), RealOs(), "puppet");
  const double nan = 0.0 / [] { volatile double zero = 0; return zero; }();
  const uint64_t thresholds[] = {static_cast<uint64_t>(-1000),        // a negative number
                                 uint64_t{1} << 63,                   // a NaN as x86 casts it
                                 nan > 0 ? 1 : kMostThreshold + 1};
  int calls = 0;
  g_decide = [&](const HeapSnapshot&) {
    return Decision{false, nullptr, thresholds[calls++ % 3]};
  };
  g_plan = [] { return Plan{-7, UINT64_MAX, false}; };
  MakeGarbage(w, 60000);  // 9.6 MB: the stand-in's 4 MB are asked about
  EXPECT_GE(calls, 2);
  EXPECT_EQ(AllCollections(w), 0u);  // "do not collect" made sense
  w.Collect();
  const PolicyFaults faults = w.collector->policy_faults();
  EXPECT_GE(faults.nonsense, 2u * static_cast<uint64_t>(calls) + 2);
  EXPECT_EQ(faults.last, "MakePlan asked for pauses of 18446744073709551615 ns");
  EXPECT_EQ(w.live_blocks(), 0u);
}

TEST_F(PolicyGuardTest, ACollectionAskedForInACallIsRefused) {
  World w(Options(), RealOs(), "puppet");
  g_decide = [&](const HeapSnapshot&) {
    EXPECT_FALSE(w.collector->Collect(w.ts).ran);
    w.collector->RequestCollection(w.ts, true);
    w.collector->DrainFinalizers(w.ts);
    w.ts->Safepoint();
    EXPECT_EQ(w.collector->SetPolicy(w.ts, "manual").code(),
              absl::StatusCode::kFailedPrecondition);
    w.collector->StatsJson();  // looking is fine
    return Decision{true, "mine", 0};
  };
  g_hear = [&](const char*) { EXPECT_FALSE(w.collector->Collect(w.ts).ran); };
  MakeGarbage(w, 5000);
  EXPECT_GE(AllCollections(w), 1u);
  EXPECT_STREQ(w.collector->LastStats().reason, "mine");
  const PolicyFaults faults = w.collector->policy_faults();
  EXPECT_GE(faults.reentered, 6u);
  EXPECT_EQ(faults.threw + faults.nonsense, 0u);
}

// The text of a reason may be gone by the time that the stats are read.
TEST_F(PolicyGuardTest, ReasonsAreCopied) {
  World w(Options(), RealOs(), "puppet");
  std::string text;
  int n = 0;
  g_decide = [&](const HeapSnapshot&) {
    text = "reason " + std::to_string(n) + std::string(n % 2 == 0 ? 200 : 0, 'x');
    ++n;
    return Decision{true, text.c_str(), 0};
  };
  MakeGarbage(w, 500);
  const CollectStats stats = w.collector->LastStats();
  text.assign(300, '?');
  EXPECT_TRUE(absl::string_view(stats.reason).substr(0, 7) == "reason ") << stats.reason;
  MakeGarbage(w, 50000);  // more reasons than are kept
  EXPECT_GT(n, 70);
  EXPECT_STREQ(w.collector->LastStats().reason, "other");
}

TEST_F(PolicyGuardTest, FactoriesThatThrowOrMakeNothing) {
  EXPECT_EQ(MakePolicy("puppet:throw").status().message(),
            "the factory of gc policy 'puppet' threw 'no policy'");
  EXPECT_EQ(MakePolicy("puppet:null").status().code(), absl::StatusCode::kInternal);
}

TEST_F(PolicyGuardTest, SwappedWhileRunning) {
  World w;
  MakeGarbage(w, 40000);
  EXPECT_EQ(AllCollections(w), 0u);
  EXPECT_EQ(w.collector->policy_name(), "manual");
  ASSERT_TRUE(w.collector->SetPolicy(w.ts, "live_bytes:base=64k").ok());
  MakeGarbage(w, 1000);
  EXPECT_GE(AllCollections(w), 1u);
  EXPECT_EQ(w.freed() > 80000, true);
  EXPECT_FALSE(w.collector->SetPolicy(w.ts, "nonsense").ok());
  EXPECT_EQ(w.collector->policy_name(), "live_bytes");
  ASSERT_TRUE(w.collector->SetPolicy(w.ts, "manual").ok());
  const uint64_t before = AllCollections(w);
  MakeGarbage(w, 10000);
  EXPECT_EQ(AllCollections(w), before);
}

// Four threads allocate and collect while each also swaps the policy.
TEST_F(PolicyGuardTest, SwappedByManyThreads) {
  World w(Options(), RealOs(), "live_bytes:base=128k");
  g_decide = [](const HeapSnapshot&) -> Decision { throw 1; };
  static const char* const kSpecs[] = {"threshold", "live_bytes:base=64k", "puppet",
                                       "memory_limit:limit=2m", "pause:base=64k", "manual"};
  std::vector<Thread> threads(4);
  for (size_t t = 0; t < threads.size(); ++t) {
    ASSERT_TRUE(threads[t].Start([&w, t] {
      ThreadState* ts = w.isolate->AttachThread("swapper");
      for (size_t i = 0; i < 600; ++i) {
        if (i % 10 == 0) {
          EXPECT_TRUE(w.collector->SetPolicy(ts, kSpecs[(t + i / 10) % 6]).ok());
        }
        if (i % 37 == 0) w.collector->Collect(ts);
        w.collector->policy_name();
        w.collector->policy_faults();
        Decref(ts, NewRing(ts, 30));
        ts->Safepoint();
      }
      w.isolate->LeaveThread(ts);
    }));
  }
  {
    BlockingScope blocking(w.ts);
    for (Thread& t : threads) t.Join();
  }
  w.Collect();
  EXPECT_EQ(w.live_blocks(), 0u);
}

// One small object that holds a megabyte elsewhere: the heap does not grow, and yet garbage
// is bounded.
TEST_F(PolicyGuardTest, ExternalBytesCount) {
  World w(Options(), RealOs(), "live_bytes:base=16m,max_percent=0");
  static uint64_t held;
  held = 0;
  uint64_t most = 0;
  g_on_finalize = [&](ThreadState*, Node*) {
    held -= 1 << 20;
    w.collector->AddExternalBytes(-(1 << 20));
  };
  for (int i = 0; i < 400; ++i) {
    Node* node = NewNode(w.ts, &kFinalizedType);
    Set(w.ts, node, 0, node);
    held += 1 << 20;
    w.collector->AddExternalBytes(1 << 20);
    w.Drop(node);
    w.ts->Safepoint();
    most = std::max(most, held);
  }
  EXPECT_LE(most, 18u << 20);
  EXPECT_GE(AllCollections(w), 20u);
  EXPECT_EQ(w.collector->external_bytes(), held);
  w.Collect();
  EXPECT_EQ(held, 0u);
  w.collector->AddExternalBytes(-5);  // more than there is
  EXPECT_EQ(w.collector->external_bytes(), 0u);
}

}  // namespace
}  // namespace tidepool
