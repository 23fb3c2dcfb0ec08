// A pass under a pause budget: it finds what a pass in one go finds, whatever runs between
// its slices, and leaves every header in order after each.

#include <algorithm>
#include <memory>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/fake_os.h"
#include "tidepool/base/single_thread_testing.h"
#include "tidepool/base/thread.h"
#include "tidepool/gc/policy.h"
#include "tidepool/gc/test_world.h"

namespace tidepool {
namespace {

Atomic<uint64_t> g_budget_ns{100000};

// Never collects by itself; every collection is sliced by g_budget_ns.
class SlicingPolicy final : public CollectionPolicy {
 public:
  const char* name() const override { return "slicing"; }
  Decision Decide(const HeapSnapshot&) override { return {false, "", UINT64_MAX}; }
  Plan MakePlan(const HeapSnapshot&) override {
    Plan plan;
    plan.pause_budget_ns = g_budget_ns.load(kRelaxed);
    return plan;
  }
};
TIDEPOOL_REGISTER_POLICY(kSlicing, "slicing", "for tests: every pass in slices",
                         [](absl::string_view) {
                           return absl::StatusOr<std::unique_ptr<CollectionPolicy>>(
                               std::make_unique<SlicingPolicy>());
                         });

class SlicesTest : public testing::Test {
 protected:
  void SetUp() override { g_budget_ns.store(100000, kRelaxed); }
};

// n nodes with random links among them, and one reference to each held by the test.
std::vector<Node*> RandomNodes(World& w, int n, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Node*> nodes;
  for (int i = 0; i < n; ++i) nodes.push_back(NewNode(w.ts, &kNodeType, i));
  for (Node* node : nodes) {
    for (int s = 0; s < 2; ++s) Set(w.ts, node, s, nodes[random() % nodes.size()]);
  }
  return nodes;
}

struct RootList : RootSet {
  explicit RootList(World& w) : world(w) {
    visit = [](RootSet* self, Visitor v, void* arg) {
      for (Node* n : static_cast<RootList*>(self)->nodes) {
        if (int stop = v(n, arg); stop != 0) return stop;
      }
      return 0;
    };
    world.isolate->AddRoots(this);
  }
  ~RootList() { world.isolate->RemoveRoots(this); }
  World& world;
  std::vector<Node*> nodes;
};

TEST_F(SlicesTest, FindsAllGarbageAndNothingElse) {
  TIDEPOOL_SINGLE_THREAD_TEST();
  for (uint64_t budget : {1000u, 20000u, 200000u, 100000000u}) {
    SCOPED_TRACE(budget);
    g_budget_ns.store(budget, kRelaxed);
    World w(Options(), RealOs(), "slicing");
    RootList roots(w);
    roots.nodes = RandomNodes(w, 20000, 7);
    int dead = 0;
    for (int n : {1, 2, 3, 10, 300, 5000}) {
      for (int i = 0; i < 5000 / n; ++i, dead += n) {
        Node* ring = NewRing(w.ts, n);
        Set(w.ts, ring, 3, roots.nodes[static_cast<size_t>(i)]);
        w.Drop(ring);
      }
    }
    CollectStats stats = w.Collect();
    EXPECT_EQ(stats.collected, static_cast<uint64_t>(dead));
    EXPECT_EQ(w.freed(), dead);
    if (budget < 1000000) {
      EXPECT_GT(stats.slices, 3u);
    }
    EXPECT_EQ(stats.stops, stats.pauses.count());
    w.CheckHeaders();
    for (Node* n : roots.nodes) ASSERT_EQ(n->tid.load(kRelaxed), w.ts->tid());
    EXPECT_EQ(w.Collect().collected, 0u);
    for (Node* n : roots.nodes) w.Drop(n);
    roots.nodes.clear();
    w.Collect();
    EXPECT_EQ(w.live_blocks(), 0u);
  }
}

// Garbage that hangs together in every way: chains of cycles forwards and backwards in
// memory, and one structure too big for any piece.
TEST_F(SlicesTest, ChainsAcrossPieces) {
  TIDEPOOL_SINGLE_THREAD_TEST();
  for (bool backwards : {false, true}) {
    World w(Options(), RealOs(), "slicing");
    constexpr int kLinks = 30000;
    std::vector<Node*> nodes;
    for (int i = 0; i < kLinks; ++i) {
      nodes.push_back(NewNode(w.ts, &kNodeType, i));
      Set(w.ts, nodes.back(), 0, nodes.back());  // a cycle of its own
    }
    for (int i = 0; i + 1 < kLinks; ++i) {
      const size_t a = static_cast<size_t>(backwards ? i + 1 : i);
      const size_t b = static_cast<size_t>(backwards ? i : i + 1);
      Set(w.ts, nodes[a], 1, nodes[b]);
    }
    for (Node* n : nodes) w.Drop(n);
    CollectStats stats = w.Collect();
    EXPECT_EQ(stats.collected, static_cast<uint64_t>(kLinks));
    w.CheckHeaders();
    EXPECT_EQ(w.live_blocks(), 0u);
  }
  World w(Options(), RealOs(), "slicing");
  std::vector<Node*> nodes = RandomNodes(w, 40000, 3);
  for (size_t i = 0; i < nodes.size(); ++i) {
    Set(w.ts, nodes[i], 2, nodes[(i + 1) % nodes.size()]);
  }
  for (Node* n : nodes) w.Drop(n);
  CollectStats stats = w.Collect();
  EXPECT_EQ(stats.collected, nodes.size());
  EXPECT_GT(stats.pieces, 1u);
  EXPECT_EQ(w.live_blocks(), 0u);
}

// Everything alive, and nothing of it known to the roots. What counts alone keep alive is
// found beside the heap, so no stop tries more than a piece; all words are in order.
TEST_F(SlicesTest, LiveByTrial) {
  TIDEPOOL_SINGLE_THREAD_TEST();
  World w(Options(), RealOs(), "slicing");
  std::vector<Node*> nodes = RandomNodes(w, 20000, 11);
  for (int round = 0; round < 3; ++round) {
    CollectStats stats = w.Collect();
    EXPECT_EQ(stats.collected, 0u);
    EXPECT_GT(stats.candidates, 0u);
    EXPECT_LT(stats.largest_piece, 5000u);
    w.CheckHeaders();
  }
  for (Node* n : nodes) w.Drop(n);
  const uint64_t left = static_cast<uint64_t>(20000 - w.freed());
  EXPECT_EQ(w.Collect().collected, left);
  EXPECT_EQ(w.live_blocks(), 0u);
}

// Garbage of all kinds among live objects that no root knows: scattered pairs, chains
// across the heap, and a structure that no stop should try. None of it is spared.
TEST_F(SlicesTest, GarbageAmongWhatCountsKeepAlive) {
  for (uint64_t budget : {1u, 20000u, 500000u}) {
    SCOPED_TRACE(budget);
    g_budget_ns.store(budget, kRelaxed);
    World w(Options(), RealOs(), "slicing");
    std::vector<Node*> live;
    std::vector<Node*> dead;
    std::mt19937 random(23);
    for (int i = 0; i < 20000; ++i) {
      live.push_back(NewNode(w.ts, &kNodeType, i));
      if (i % 4 == 0) dead.push_back(NewNode(w.ts, &kNodeType, -i));
    }
    for (Node* node : live) {
      Set(w.ts, node, 0, live[random() % live.size()]);
      Set(w.ts, node, 1, live[random() % live.size()]);
    }
    for (size_t i = 0; i < dead.size(); ++i) {
      const bool pair = i < dead.size() / 2;
      Set(w.ts, dead[i], 0, dead[pair ? i ^ 1 : dead.size() / 2 + random() % (dead.size() / 2)]);
      Set(w.ts, dead[i], 1, dead[pair ? i : i + 1 < dead.size() ? i + 1 : dead.size() / 2]);
      Set(w.ts, dead[i], 2, live[random() % live.size()]);
    }
    for (Node* n : dead) w.Drop(n);
    EXPECT_EQ(w.Collect().collected, dead.size());
    EXPECT_EQ(w.freed(), static_cast<int64_t>(dead.size()));
    w.CheckHeaders();
    EXPECT_EQ(w.Collect().collected, 0u);
    for (Node* n : live) w.Drop(n);
    w.Collect();
    EXPECT_EQ(w.live_blocks(), 0u);
  }
}

// A pass in one go after slices, and the other way round: the mark bits take turns.
TEST_F(SlicesTest, TakesTurnsWithWholePasses) {
  TIDEPOOL_SINGLE_THREAD_TEST();
  World w(Options(), RealOs(), "slicing");
  RootList roots(w);
  roots.nodes = RandomNodes(w, 2000, 5);
  for (int i = 0; i < 12; ++i) {
    g_budget_ns.store(i % 3 == 0 ? 0 : 20000, kRelaxed);
    w.Drop(NewRing(w.ts, 50 + i));
    ASSERT_EQ(w.Collect().collected, static_cast<uint64_t>(50 + i)) << i;
    if (i % 4 == 1) {
      w.collector->Freeze(w.ts);
      w.Drop(NewRing(w.ts, 3));
      ASSERT_EQ(w.Collect().collected, 3u);
      w.collector->Unfreeze(w.ts);
    }
    w.CheckHeaders();
  }
  for (Node* n : roots.nodes) w.Drop(n);
  roots.nodes.clear();
}

// Finalizers of a piece run before any of it is cleared, see their peers whole, and what
// they resurrect lives.
TEST_F(SlicesTest, FinalizersAndResurrection) {
  World w(Options(), RealOs(), "slicing");
  std::vector<Node*> saved;
  g_on_finalize = [&](ThreadState*, Node* n) {
    EXPECT_NE(Get(n, 0), nullptr);
    EXPECT_NE(Get(Get(n, 0), 0), nullptr);
    if (n->id == 1) {
      Incref(n);
      saved.push_back(n);
    }
  };
  for (int i = 0; i < 500; ++i) w.Drop(NewRing(w.ts, 3, &kFinalizedType));
  CollectStats stats = w.Collect();
  EXPECT_EQ(stats.finalizers, 1500u);
  EXPECT_EQ(stats.resurrected, 1500u);
  EXPECT_EQ(stats.collected, 0u);
  w.CheckHeaders();
  for (Node* n : saved) w.Drop(n);
  EXPECT_EQ(w.Collect().collected, 1500u);
  EXPECT_EQ(w.finalized(), 1500);
}

// Threads move references about, make and drop objects, while pass after pass is under way.
// What they hold keeps its contents; in the end all goes.
TEST_F(SlicesTest, BesideMutators) {
  g_budget_ns.store(200000, kRelaxed);
  World w(Options(), RealOs(), "slicing");
  constexpr int kThreads = 2;
  Atomic<int> started{0};
  Atomic<int> done{0};
  std::vector<Thread> threads(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    ASSERT_TRUE(threads[static_cast<size_t>(t)].Start([&w, &started, &done, t] {
      ThreadState* ts = w.isolate->AttachThread("mutator");
      std::mt19937 random(static_cast<uint32_t>(t));
      std::vector<Node*> held;
      for (int i = 0; i < 3000; ++i) held.push_back(NewNode(ts, &kNodeType, 1000 * t));
      started.fetch_add(1, kRelaxed);
      for (int round = 0; round < 200; ++round) {
        for (int k = 0; k < 50; ++k) {
          Node*& a = held[random() % held.size()];
          Node* b = held[random() % held.size()];
          switch (random() % 5) {
            case 0:  // a subtree goes from one place to another
              if (Node* child = Get(a, 1)) {
                Incref(child);
                Set(ts, a, 1, nullptr);
                Set(ts, b, 2, child);
                Decref(ts, child);
              }
              break;
            case 1:  // what hangs on it is hidden behind a new object
            {
              Node* fresh = NewNode(ts, &kNodeType, 1000 * t);
              for (int s = 0; s < Node::kSlots; ++s) Set(ts, fresh, s, Get(a, s));
              Decref(ts, a);
              a = fresh;
              break;
            }
            case 2:
              Decref(ts, NewRing(ts, 1 + static_cast<int>(random() % 5)));
              break;
            default:
              Set(ts, a, static_cast<int>(random() % 4), b);
          }
          ASSERT_EQ(a->id % 1000, 0);
        }
        BlockingScope blocking(ts);
        RealOs()->SleepNs(100000);
      }
      for (Node* n : held) {
        ASSERT_EQ(n->id, 1000 * t);
        Decref(ts, n);
      }
      done.fetch_add(1, kRelaxed);
      w.isolate->LeaveThread(ts);
    }));
  }
  while (started.load(kRelaxed) < kThreads) {
    w.ts->Safepoint();
    RealOs()->SleepNs(1000000);
  }
  // As long as they run.
  while (done.load(kRelaxed) < kThreads) {
    ASSERT_TRUE(w.Collect().ran);
    w.CheckHeaders();
  }
  {
    BlockingScope blocking(w.ts);
    for (Thread& thread : threads) thread.Join();
  }
  w.Collect();
  w.CheckHeaders();
  EXPECT_EQ(w.live_blocks(), 0u);
}

// The n-th allocation of the tables fails: given up, or finished; never a word wrong, and
// the next pass finds the rest.
TEST_F(SlicesTest, OutOfMemory) {
  TIDEPOOL_SINGLE_THREAD_TEST();
  for (uint64_t n = 1;; ++n) {
    SCOPED_TRACE(n);
    FakeOs os;
    World w(Options(), &os, "slicing");
    RootList roots(w);
    roots.nodes = RandomNodes(w, 20000, 17);
    w.Drop(NewRing(w.ts, 9000));
    os.FailNth(n, FakeOs::kMemory);
    const CollectStats stats = w.Collect();
    const bool failed = os.failed();
    os.FailNever();
    w.CheckHeaders();
    g_budget_ns.store(0, kRelaxed);
    EXPECT_EQ(w.Collect().collected, 9000u - stats.collected);
    g_budget_ns.store(100000, kRelaxed);
    for (Node* node : roots.nodes) w.Drop(node);
    roots.nodes.clear();
    w.Collect();
    EXPECT_EQ(w.live_blocks(), 0u);
    if (!failed) break;
    ASSERT_LT(n, 60u);
  }
}

}  // namespace
}  // namespace tidepool
