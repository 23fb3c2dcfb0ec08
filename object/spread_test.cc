// Spread counts (spread.h): every thread counts in its table, the sum is right, and what
// is taken back is counted as before.
#include <atomic>
#include <vector>

#include "tidepool/base/fake_os.h"
#include "tidepool/object/internal/test_types.h"

namespace tidepool::testing {
namespace {

int64_t State(const ObjectHeader* obj) { return RefState(obj->shared.load(kRelaxed)); }

// All that is counted, exactly.
int64_t ExactCount(World& world, ObjectHeader* obj) {
  StopScope stop(world.ts());
  world.isolate()->spread().Fold(world.isolate());
  return RefCount(obj);
}

TEST(SpreadTest, NoHeaderWordChanges) {
  World world;
  Node* node = NewNode(world.ts());
  ASSERT_TRUE(SetDeferred(world.ts(), node));
  EXPECT_TRUE(IsSpread(node));
  EXPECT_EQ(State(node), kRefMerged);
  const uint32_t local = node->local.load(kRelaxed);
  const int64_t shared = node->shared.load(kRelaxed);
  for (int i = 0; i < 1000; ++i) Incref(node);
  EXPECT_TRUE(TryIncref(node));
  IncrefMaybeWeakref(node);
  for (int i = 0; i < 500; ++i) Decref(world.ts(), node);
  EXPECT_EQ(node->local.load(kRelaxed), local);
  EXPECT_EQ(node->shared.load(kRelaxed), shared);
  EXPECT_EQ(RefCount(node), 503);
  EXPECT_EQ(ExactCount(world, node), 503);
  EXPECT_FALSE(IsUniquelyReferenced(node));
  EXPECT_TRUE(ClearDeferred(world.ts(), node));
  EXPECT_FALSE(IsSpread(node));
  EXPECT_EQ(RefCount(node), 503);
  for (int i = 0; i < 503; ++i) Decref(world.ts(), node);
  EXPECT_EQ(Deallocs(), 1);
}

// References taken on one thread and dropped on another: entries of both signs.
TEST(SpreadTest, CountsOfOtherThreads) {
  World world;
  Node* node = NewNode(world.ts());
  SetDeferred(world.ts(), node);
  for (int i = 0; i < 10; ++i) Incref(node);
  Event counted(0), go_on(0);
  Thread thread;
  ASSERT_TRUE(thread.Start([&] {
    ThreadState* other = world.isolate()->AttachThread("other");
    for (int i = 0; i < 8; ++i) Decref(other, node);
    Incref(node);
    other->Detach();
    counted.Set();
    go_on.Wait();
    other->Attach();
    Decref(other, node);
    world.isolate()->LeaveThread(other);
  }));
  counted.Wait();
  EXPECT_EQ(RefCount(node), 11);  // what the other counts is not seen
  EXPECT_EQ(ExactCount(world, node), 4);
  go_on.Set();
  {
    BlockingScope blocking(world.ts());
    thread.Join();
  }
  EXPECT_EQ(RefCount(node), 3);  // its exit folded
  // One taken back while another thread has dropped: it dies at zero then.
  world.OnThread([&](ThreadState* other) { Decref(other, node); });
  EXPECT_TRUE(ClearDeferred(world.ts(), node));
  EXPECT_EQ(RefCount(node), 2);
  Decref(world.ts(), node);
  world.OnThread([&](ThreadState* other) { Decref(other, node); });
  world.ts()->Safepoint();
  EXPECT_EQ(Deallocs(), 1);
}

// Marked by a thread that does not own it.
TEST(SpreadTest, AnothersObject) {
  World world;
  Node* node = NewNode(world.ts());
  world.OnThread([&](ThreadState* other) {
    EXPECT_TRUE(SetDeferred(other, node));
    EXPECT_TRUE(IsSpread(node));
    Incref(node);
    Decref(other, node);
  });
  EXPECT_EQ(RefCount(node), 1);
  EXPECT_TRUE(ClearDeferred(world.ts(), node));
  Decref(world.ts(), node);
  EXPECT_EQ(Deallocs(), 1);
}

// Taken back with nobody left: the object dies of it.
TEST(SpreadTest, TakenBackAtZero) {
  World world;
  Node* node = NewNode(world.ts());
  SetDeferred(world.ts(), node);
  Decref(world.ts(), node);
  EXPECT_EQ(Deallocs(), 0);
  EXPECT_TRUE(ClearDeferred(world.ts(), node));
  world.ts()->Safepoint();
  EXPECT_EQ(Deallocs(), 1);
}

// Queued to its owner when it is marked.
TEST(SpreadTest, QueuedBefore) {
  World world;
  Node* node = NewNode(world.ts());
  Incref(node);
  world.OnThreadWhileAttached([&](ThreadState* other) { Decref(other, node); });
  EXPECT_EQ(State(node), kRefQueued);
  SetDeferred(world.ts(), node);
  world.ts()->Safepoint();
  EXPECT_TRUE(IsSpread(node));
  EXPECT_EQ(ExactCount(world, node), 1);
  ClearDeferred(world.ts(), node);
  Decref(world.ts(), node);
  EXPECT_EQ(Deallocs(), 1);
}

TEST(SpreadTest, ImmortalWins) {
  World world;
  world.ExpectLeft(1);
  Node* node = NewNode(world.ts());
  SetDeferred(world.ts(), node);
  SetImmortal(world.ts(), node);
  EXPECT_TRUE(IsImmortal(node));
  Decref(world.ts(), node);
  ExactCount(world, node);
  EXPECT_EQ(world.isolate()->spread().size(), 0u);
}

// Ids are used again, tables grow, and beyond the last id counts are shared.
TEST(SpreadTest, ManyIds) {
  World world;
  std::vector<Node*> nodes;
  for (uint32_t i = 0; i < SpreadTable::kMaxIds + 10; ++i) {
    Node* node = NewNode(world.ts());
    ASSERT_TRUE(SetDeferred(world.ts(), node));
    EXPECT_EQ(IsSpread(node), i < SpreadTable::kMaxIds);
    Incref(node);
    nodes.push_back(node);
  }
  EXPECT_EQ(world.isolate()->spread().size(), SpreadTable::kMaxIds);
  {
    StopScope stop(world.ts());
    for (Node* node : nodes) {
      ASSERT_EQ(RefCount(node), 2);
      ClearDeferred(world.ts(), node);
      ASSERT_EQ(RefCount(node), 2);
    }
  }
  EXPECT_EQ(world.isolate()->spread().size(), 0u);
  ASSERT_TRUE(SetDeferred(world.ts(), nodes[0]));
  EXPECT_TRUE(IsSpread(nodes[0]));
  ClearDeferred(world.ts(), nodes[0]);
  for (Node* node : nodes) {
    Decref(world.ts(), node);
    Decref(world.ts(), node);
  }
  EXPECT_EQ(Deallocs(), SpreadTable::kMaxIds + 10);
}

// Threads count, mark and take back at once; the sum is right at the end.
TEST(SpreadTest, Stress) {
  World world;
  constexpr int kThreads = 4, kRounds = 400;
  Node* node = NewNode(world.ts());
  for (int i = 0; i < kThreads; ++i) Incref(node);
  std::vector<Thread> threads(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    ASSERT_TRUE(threads[static_cast<size_t>(t)].Start([&world, node, t] {
      ThreadState* ts = world.isolate()->AttachThread("worker");
      for (int i = 0; i < kRounds; ++i) {
        for (int k = 0; k < 20; ++k) Incref(node);
        if (i % 10 == t) SetDeferred(ts, node);
        for (int k = 0; k < 20; ++k) Decref(ts, node);
        if (i % 10 == t + 4) ClearDeferred(ts, node);
        ts->Safepoint();
      }
      Decref(ts, node);  // its own
      world.isolate()->LeaveThread(ts);
    }));
  }
  {
    BlockingScope blocking(world.ts());
    for (Thread& thread : threads) thread.Join();
  }
  ClearDeferred(world.ts(), node);
  world.ts()->Safepoint();
  EXPECT_EQ(RefCount(node), 1);
  EXPECT_EQ(Deallocs(), 0);
  Decref(world.ts(), node);
  EXPECT_EQ(Deallocs(), 1);
}

}  // namespace
}  // namespace tidepool::testing
