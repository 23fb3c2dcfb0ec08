// Several markers: they find what one finds, with any number of them, without memory for
// their stacks, without threads, and across a fork.

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/fake_os.h"
#include "tidepool/gc/test_world.h"

namespace tidepool {
namespace {

Options Markers(int n) {
  Options options;
  options.gc_threads = n;
  return options;
}

struct Graph : RootSet {
  Graph(World& w, int n, uint32_t seed) : world(w) {
    std::mt19937 random(seed);
    for (int i = 0; i < n; ++i) nodes.push_back(NewNode(w.ts, &kNodeType, i));
    for (Node* node : nodes) {
      for (int s = 1; s < Node::kSlots; ++s) {
        Set(w.ts, node, s, nodes[random() % nodes.size()]);
      }
    }
    visit = [](RootSet* self, Visitor v, void* arg) {
      return v(static_cast<Graph*>(self)->nodes[0], arg);
    };
  }
  void Drop() {
    for (Node* n : nodes) world.Drop(n);
  }
  World& world;
  std::vector<Node*> nodes;
};

class MarkersTest : public testing::TestWithParam<int> {};

TEST_P(MarkersTest, LiveByTrialAndFromRoots) {
  World w(Markers(GetParam()));
  Graph graph(w, 20000, 1);
  for (int i = 0; i < 500; ++i) w.Drop(NewRing(w.ts, 1 + i % 7));
  const int dead = static_cast<int>(w.live_blocks()) - 20000;
  CollectStats stats = w.Collect();
  EXPECT_EQ(stats.mark_threads, static_cast<uint64_t>(GetParam()));
  EXPECT_EQ(stats.collected, static_cast<uint64_t>(dead));
  EXPECT_EQ(stats.candidates, static_cast<uint64_t>(20000 + dead));
  w.CheckHeaders();
  w.isolate->AddRoots(&graph);
  stats = w.Collect();
  EXPECT_GT(stats.marked, 10000u);
  EXPECT_EQ(stats.marked + stats.candidates, 20000u);
  EXPECT_EQ(stats.collected, 0u);
  w.CheckHeaders();
  w.isolate->RemoveRoots(&graph);
  graph.Drop();
  const uint64_t left = static_cast<uint64_t>(20000 + dead - w.freed());
  EXPECT_EQ(w.Collect().collected, left);
  EXPECT_EQ(w.live_blocks(), 0u);
}

// The stacks cannot grow: each object is on one marker's chain at most.
TEST_P(MarkersTest, StacksOverflow) {
  FakeOs os;
  World w(Markers(GetParam()), &os);
  w.Drop(NewRing(w.ts, 2));
  w.Collect();
  Graph graph(w, 60000, 2);
  w.Drop(NewRing(w.ts, 100));
  w.isolate->AddRoots(&graph);
  // A table has to be had.
  w.Collect();
  w.Drop(NewRing(w.ts, 100));
  os.FailFrom(1, FakeOs::kMemory);
  CollectStats stats = w.Collect();
  EXPECT_FALSE(stats.out_of_memory);
  EXPECT_EQ(stats.collected, 100u);
  w.CheckHeaders();
  w.isolate->RemoveRoots(&graph);
  w.Drop(NewRing(w.ts, 100));
  stats = w.Collect();
  EXPECT_EQ(stats.collected, 100u);
  w.CheckHeaders();
  os.FailNever();
  graph.Drop();
  w.Collect();
  EXPECT_EQ(w.live_blocks(), 0u);
}

TEST_P(MarkersTest, FinalizersSeeTheirPeers) {
  World w(Markers(GetParam()));
  std::vector<Node*> saved;
  g_on_finalize = [&](ThreadState*, Node* n) {
    ASSERT_NE(Get(n, 0), nullptr);
    if (n->id == 0) {
      Incref(n);
      saved.push_back(n);
    }
  };
  for (int i = 0; i < 300; ++i) w.Drop(NewRing(w.ts, 4, &kFinalizedType));
  for (int i = 0; i < 300; ++i) w.Drop(NewRing(w.ts, 2));
  CollectStats stats = w.Collect();
  EXPECT_EQ(stats.resurrected, 1200u);
  EXPECT_EQ(stats.collected, 600u);
  w.CheckHeaders();
  for (Node* n : saved) w.Drop(n);
  EXPECT_EQ(w.Collect().collected, 1200u);
}

INSTANTIATE_TEST_SUITE_P(Numbers, MarkersTest, testing::Values(1, 2, 3, 8));

// No thread to be had: one marker, and the pass is whole.
TEST(MarkersOsTest, NoThreads) {
  FakeOs os;
  World w(Markers(4), &os);
  Graph graph(w, 5000, 3);
  os.FailFrom(1, FakeOs::kStartThread);
  CollectStats stats = w.Collect();
  EXPECT_EQ(stats.mark_threads, 1u);
  EXPECT_EQ(stats.candidates, 5000u);
  os.FailNever();
  os.FailNth(2, FakeOs::kStartThread);  // one helper, then none
  EXPECT_EQ(w.Collect().mark_threads, 2u);
  os.FailNever();
  EXPECT_EQ(w.Collect().mark_threads, 4u);
  graph.Drop();
}

// By default a small heap has one marker.
TEST(MarkersOsTest, SmallHeapsNeedNoHelper) {
  World w;
  EXPECT_EQ(w.Collect().mark_threads, 1u);
}

// R21: helpers do not survive a fork; both processes collect afterwards.
TEST(MarkersOsTest, Fork) {
  if (getenv("TIDEPOOL_EMULATED") != nullptr) {
    GTEST_SKIP() << "qemu cannot start threads in the child of a process with threads";
  }
  World w(Markers(3));
  Graph graph(w, 5000, 4);
  EXPECT_EQ(w.Collect().mark_threads, 3u);
  w.Drop(NewRing(w.ts, 10));
  w.collector->PrepareFork(w.ts);
  w.isolate->PrepareFork(w.ts);
  const pid_t pid = fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    alarm(60);
    w.isolate->ChildAfterFork(w.ts);
    w.collector->AfterFork(w.ts);
    const CollectStats stats = w.Collect();
    std::string why;
    const bool ok = stats.mark_threads == 3 && stats.collected == 10 &&
                    w.collector->CheckInvariants(w.ts, &why) == 0;
    _exit(ok ? 0 : 1);
  }
  w.isolate->ParentAfterFork(w.ts);
  w.collector->AfterFork(w.ts);
  CollectStats stats = w.Collect();
  EXPECT_EQ(stats.mark_threads, 3u);
  EXPECT_EQ(stats.collected, 10u);
  int status = 0;
  ASSERT_EQ(waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  graph.Drop();
}

}  // namespace
}  // namespace tidepool
