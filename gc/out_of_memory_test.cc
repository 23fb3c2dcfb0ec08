// A pass when the OS gives no memory: it finishes or is undone, with every header in order,
// and a later pass finds everything (R03, for the collector itself).

#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/fake_os.h"
#include "tidepool/gc/test_world.h"

namespace tidepool {
namespace {

// A live graph that needs a deep mark stack, and garbage.
struct Graph {
  Node* root;
  uint64_t garbage = 0;

  Graph(World& w, int live, int dead) {
    std::vector<Node*> nodes;
    for (int i = 0; i < live; ++i) nodes.push_back(NewNode(w.ts, &kNodeType, i));
    uint64_t state = 12345;
    for (int i = 0; i < live; ++i) {
      for (int s = 1; s < Node::kSlots; ++s) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        Set(w.ts, nodes[static_cast<size_t>(i)], s,
            nodes[static_cast<size_t>((state >> 33) % static_cast<uint64_t>(live))]);
      }
      if (i != 0) Give(w.ts, nodes[static_cast<size_t>(i - 1)], 0,
                       nodes[static_cast<size_t>(i)]);
    }
    root = nodes[0];
    for (int i = 0; i < dead; ++i) {
      w.Drop(NewRing(w.ts, 2));
      garbage += 2;
    }
  }
};

TEST(OutOfMemoryTest, NthAllocationOfAPassFails) {
  for (uint64_t n = 1;; ++n) {
    SCOPED_TRACE(n);
    FakeOs os;
    World w(Options(), &os);
    Graph graph(w, 30000, 3000);
    os.FailNth(n, FakeOs::kMemory);
    CollectStats stats = w.Collect();
    const bool failed = os.failed();
    os.FailNever();
    w.CheckHeaders();
    EXPECT_TRUE(stats.ran);
    EXPECT_TRUE(stats.out_of_memory ? stats.collected == 0
                                    : stats.collected == graph.garbage);
    EXPECT_EQ(w.Collect().collected, graph.garbage - stats.collected);
    EXPECT_EQ(RefCount(graph.root), Get(graph.root, 0) == nullptr ? 0 : RefCount(graph.root));
    w.Drop(graph.root);
    w.Collect();
    EXPECT_EQ(w.live_blocks(), 0u);
    if (!failed) break;
    ASSERT_LT(n, 100u);
  }
}

// No memory at all: the table cannot be had, and the pass says so.
TEST(OutOfMemoryTest, NoTable) {
  FakeOs os;
  World w(Options(), &os);
  Graph graph(w, 100, 50);
  os.FailFrom(1, FakeOs::kMemory);
  CollectStats stats = w.Collect();
  EXPECT_TRUE(stats.out_of_memory);
  EXPECT_EQ(stats.collected, 0u);
  w.CheckHeaders();
  os.FailNever();
  EXPECT_EQ(w.Collect().collected, graph.garbage);
  w.Drop(graph.root);
  EXPECT_EQ(w.Collect().collected, 100u);
}

// The stack cannot grow: objects are chained through their owner words, marking is
// complete all the same, and the words are restored.
TEST(OutOfMemoryTest, TheMarkStackOverflows) {
  FakeOs os;
  World w(Options(), &os);
  w.Drop(NewRing(w.ts, 2));
  w.Collect();  // tables of the least size
  Graph graph(w, 60000, 100);
  struct Root : RootSet {
    Node* node;
  } root;
  root.node = graph.root;
  root.visit = [](RootSet* self, Visitor v, void* arg) {
    return v(static_cast<Root*>(self)->node, arg);
  };
  os.FailFrom(1, FakeOs::kMemory);
  // From inside: trial deletion's marking.
  CollectStats stats = w.Collect();
  EXPECT_FALSE(stats.out_of_memory);
  EXPECT_EQ(stats.collected, graph.garbage);
  EXPECT_GT(stats.stack_overflows, 0u);
  w.CheckHeaders();
  // From the roots.
  w.isolate->AddRoots(&root);
  stats = w.Collect();
  EXPECT_EQ(stats.marked, 60000u);
  EXPECT_EQ(stats.candidates, 0u);
  EXPECT_GT(stats.stack_overflows, 0u);
  w.CheckHeaders();
  w.isolate->RemoveRoots(&root);
  os.FailNever();
  w.Drop(graph.root);
  EXPECT_EQ(w.Collect().collected, 60000u);
}

// A list that cannot be had gives an error and leaves no count behind.
TEST(OutOfMemoryTest, Lists) {
  FakeOs os;
  World w(Options(), &os);
  std::vector<Node*> nodes;
  for (int i = 0; i < 20000; ++i) nodes.push_back(NewNode(w.ts));
  os.FailNth(3, FakeOs::kMemory);
  absl::Status status = w.collector->GetObjects(w.ts, [](ObjectHeader*) { FAIL(); });
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  os.FailNever();
  w.CheckHeaders();
  for (Node* n : nodes) {
    ASSERT_EQ(RefCount(n), 1);
    w.Drop(n);
  }
}

// A domain at its hard limit: the pass needs nothing from it.
TEST(OutOfMemoryTest, AtTheHardLimit) {
  Options options;
  options.max_memory = 24 << 20;
  World w(options);
  uint64_t made = 0;
  for (;;) {
    Node* a = NewNode(w.ts);
    if (a == nullptr) break;
    Set(w.ts, a, 0, a);
    w.Drop(a);
    ++made;
  }
  EXPECT_GT(made, 10000u);
  EXPECT_EQ(w.Collect().collected, made);
  Node* again = NewNode(w.ts);
  ASSERT_NE(again, nullptr);
  w.Drop(again);
}

}  // namespace
}  // namespace tidepool
