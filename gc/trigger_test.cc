// Collections that nobody asks for: the budget, the flag, the next safepoint.

#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/single_thread_testing.h"
#include "tidepool/base/thread.h"
#include "tidepool/gc/test_world.h"

namespace tidepool {
namespace {

uint64_t AllCollections(World& w) {
  uint64_t n = 0;
  for (int g = 0; g < 3; ++g) n += w.collector->GetGenerationStats(g).collections;
  return n;
}

// M06: cycles with payload; what is dead at a collection is bounded by the base.
TEST(TriggerTest, LiveBytesBoundsGarbage) {
  World w(Options(), RealOs(), "live_bytes:base=1m,growth=75");
  TypeInfo payload_type;
  payload_type.name = "payload";
  uint64_t worst = 0;
  for (int i = 0; i < 20000; ++i) {
    Node* ring = NewRing(w.ts, 2);
    ObjectHeader* payload = NewObject(w.ts, &payload_type, 1000);
    Give(w.ts, ring, 1, payload);
    w.Drop(ring);
    w.ts->Safepoint();
    if (i % 100 == 0) {
      worst = std::max(worst, w.isolate->heap().LiveIn(kAllKinds).bytes);
    }
  }
  EXPECT_GE(AllCollections(w), 5u);
  EXPECT_LE(worst, 3u << 20);
  EXPECT_STREQ(w.collector->LastStats().reason, "live bytes grew");
  w.Collect();
  EXPECT_EQ(w.live_blocks(), 0u);
}

// Allocation itself never collects: without a safepoint nothing happens.
TEST(TriggerTest, OnlyAtSafepoints) {
  World w(Options(), RealOs(), "live_bytes:base=64k");
  for (int i = 0; i < 20000; ++i) w.Drop(NewRing(w.ts, 2));
  EXPECT_EQ(AllCollections(w), 0u);
  EXPECT_EQ(w.freed(), 0);
  w.ts->Safepoint();
  EXPECT_EQ(AllCollections(w), 1u);
  EXPECT_EQ(w.freed(), 40000);
}

TEST(TriggerTest, DisableAndEnable) {
  World w(Options(), RealOs(), "live_bytes:base=64k");
  w.collector->Disable();
  EXPECT_FALSE(w.collector->enabled());
  for (int i = 0; i < 20000; ++i) {
    w.Drop(NewRing(w.ts, 2));
    w.ts->Safepoint();
  }
  EXPECT_EQ(AllCollections(w), 0u);
  EXPECT_EQ(w.Collect().collected, 40000u);  // by hand always works
  w.collector->Enable();
  for (int i = 0; i < 20000; ++i) {
    w.Drop(NewRing(w.ts, 2));
    w.ts->Safepoint();
  }
  EXPECT_GE(AllCollections(w), 2u);
}

TEST(TriggerTest, ThresholdZeroSwitchesOff) {
  World w(Options(), RealOs(), "threshold");
  w.collector->SetThresholds(0, 10, 10);
  for (int i = 0; i < 20000; ++i) {
    w.Drop(NewRing(w.ts, 2));
    w.ts->Safepoint();
  }
  EXPECT_EQ(AllCollections(w), 0u);
  w.collector->SetThresholds(700, 10, 10);
  uint64_t thresholds[3];
  w.collector->GetThresholds(thresholds);
  EXPECT_EQ(thresholds[0], 700u);
  for (int i = 0; i < 20000; ++i) {
    w.Drop(NewRing(w.ts, 2));
    w.ts->Safepoint();
  }
  EXPECT_GE(AllCollections(w), 10u);
}

TEST(TriggerTest, Counts) {
  World w;
  w.Collect();
  std::vector<Node*> nodes;
  for (int i = 0; i < 100; ++i) nodes.push_back(NewNode(w.ts));
  uint64_t counts[3];
  w.collector->GetCounts(counts);
  EXPECT_EQ(counts[0], 100u);
  EXPECT_EQ(counts[1], 0u);
  w.Collect(0);
  w.collector->GetCounts(counts);
  EXPECT_EQ(counts[0], 0u);
  EXPECT_EQ(counts[1], 1u);
  for (Node* n : nodes) w.Drop(n);
}

// S01, S02: kept data costs few collections and little time.
TEST(TriggerTest, GrowingLiveDataCollectsSeldom) {
  TIDEPOOL_SINGLE_THREAD_TEST();
  World w(Options(), RealOs(), "live_bytes");
  Node* head = NewNode(w.ts);
  for (int i = 0; i < 1000000; ++i) {
    Node* n = NewNode(w.ts);
    Give(w.ts, n, 0, head);
    head = n;
    w.ts->Safepoint();
  }
  EXPECT_LE(AllCollections(w), 12u);
  w.Drop(head);
}

TEST(TriggerTest, ForcedRequest) {
  World w;
  w.Drop(NewRing(w.ts, 2));
  w.collector->RequestCollection(w.ts);
  w.ts->Safepoint();
  EXPECT_EQ(AllCollections(w), 0u);  // the manual policy declines
  w.collector->RequestCollection(w.ts, /*force=*/true);
  w.ts->Safepoint();
  EXPECT_EQ(AllCollections(w), 1u);
  EXPECT_EQ(w.freed(), 2);
}

TEST(TriggerTest, StressCollectsAtEverySafepoint) {
  Options options;
  options.gc_stress = 1;
  World w(options);
  for (int i = 1; i <= 10; ++i) {
    w.Drop(NewRing(w.ts, 2));
    w.ts->Safepoint();
    EXPECT_EQ(w.freed(), 2 * i);
  }
  EXPECT_GE(AllCollections(w), 10u);
}

// K14: switches and figures used by many threads at once.
TEST(TriggerTest, SwitchesFromManyThreads) {
  World w(Options(), RealOs(), "live_bytes:base=256k");
  std::vector<Thread> threads(4);
  for (size_t t = 0; t < threads.size(); ++t) {
    ASSERT_TRUE(threads[t].Start([&w, t] {
      ThreadState* ts = w.isolate->AttachThread("switcher");
      for (int i = 0; i < 1500; ++i) {
        switch ((t + static_cast<size_t>(i)) % 5) {
          case 0: w.collector->Enable(); break;
          case 1: w.collector->Disable(); break;
          case 2: w.collector->SetThresholds(1000 + i, 10, 10); break;
          case 3: w.collector->StatsJson(); break;
          case 4: {
            uint64_t counts[3];
            w.collector->GetCounts(counts);
            break;
          }
        }
        Decref(ts, NewRing(ts, 3));
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

}  // namespace
}  // namespace tidepool
