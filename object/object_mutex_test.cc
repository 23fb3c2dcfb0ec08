// Object mutexes and critical sections.
#include "tidepool/object/object_mutex.h"

#include "tidepool/object/internal/test_types.h"

namespace tidepool::testing {
namespace {

TEST(ObjectMutexTest, ExcludesAndKeepsTheHeader) {
  World world;
  Node* node = NewNode(world.ts());
  const uint8_t bits = node->gc_bits.load(kRelaxed);
  int64_t counter = 0;
  Thread threads[4];
  for (Thread& thread : threads) {
    ASSERT_TRUE(thread.Start([&] {
      ThreadState* ts = world.isolate()->AttachThread("locker");
      for (int i = 0; i < 5000; ++i) {
        LockObject(ts, node);
        ++counter;
        UnlockObject(node);
        ts->Safepoint();
      }
      world.isolate()->LeaveThread(ts);
    }));
  }
  {
    BlockingScope blocking(world.ts());
    for (Thread& thread : threads) thread.Join();
  }
  EXPECT_EQ(counter, 20000);
  EXPECT_EQ(node->gc_bits.load(kRelaxed), bits);
  EXPECT_EQ(node->flags.load(kRelaxed), 0);
  Decref(world.ts(), node);
}

TEST(ObjectMutexTest, WaiterDoesNotHoldUpAStop) {
  World world;
  Node* node = NewNode(world.ts());
  LockObject(world.ts(), node);
  Atomic<int> state(0);
  Thread thread;
  ASSERT_TRUE(thread.Start([&] {
    ThreadState* ts = world.isolate()->AttachThread("waiter");
    state.store(1, kRelease);
    LockObject(ts, node);
    state.store(2, kRelease);
    UnlockObject(node);
    world.isolate()->LeaveThread(ts);
  }));
  while (state.load(kAcquire) == 0) RealOs()->SleepNs(100000);
  for (int i = 0; i < 10; ++i) {
    StopScope stop(world.ts());  // would hang if the waiter were attached
    EXPECT_EQ(state.load(kAcquire), 1);
  }
  UnlockObject(node);
  {
    BlockingScope blocking(world.ts());
    thread.Join();
  }
  EXPECT_EQ(state.load(kAcquire), 2);
  Decref(world.ts(), node);
}

TEST(ObjectMutexTest, LockTakenAloneKeepsLaterThreadsOut) {
  World world;
  Node* node = NewNode(world.ts());
  world.ts()->set_alone(true);
  Thread thread;
  Atomic<int> state(0);
  {
    CriticalSection section(world.ts(), node);  // taken by a plain store
    EXPECT_TRUE(node->mutex.IsLocked());
    EXPECT_FALSE(TryLockObject(node));
    world.ts()->set_alone(false);
    ASSERT_TRUE(thread.Start([&] {
      ThreadState* ts = world.isolate()->AttachThread("later");
      state.store(1, kRelease);
      LockObject(ts, node);
      EXPECT_EQ(state.load(kAcquire), 2);
      UnlockObject(node);
      state.store(3, kRelease);
      world.isolate()->LeaveThread(ts);
    }));
    while (state.load(kAcquire) == 0) RealOs()->SleepNs(100000);
    RealOs()->SleepNs(5000000);  // the other thread waits by now
    EXPECT_EQ(state.load(kAcquire), 1);
    state.store(2, kRelease);
  }
  {
    BlockingScope blocking(world.ts());
    thread.Join();
  }
  EXPECT_EQ(state.load(kAcquire), 3);
  world.ts()->set_alone(true);
  {
    ObjectLock lock(world.ts(), node);
    EXPECT_FALSE(TryLockObject(node));
  }
  EXPECT_FALSE(node->mutex.IsLocked());
  Decref(world.ts(), node);
}

TEST(ObjectMutexDeathTest, NobodyAttachesBesideAThreadThatIsAlone) {
  World world;
  world.ts()->set_alone(true);
  EXPECT_DEATH(
      {
        Thread thread;
        if (thread.Start([&] { world.isolate()->AttachThread("too early"); })) {
          thread.Join();
        }
      },
      "alone");
}

TEST(CriticalSectionTest, NestedOnTheSameObject) {
  World world;
  Node* node = NewNode(world.ts());
  {
    CriticalSection outer(world.ts(), node);
    EXPECT_TRUE(node->mutex.IsLocked());
    {
      CriticalSection inner(world.ts(), node);
      EXPECT_TRUE(node->mutex.IsLocked());
    }
    EXPECT_TRUE(node->mutex.IsLocked());
    {
      CriticalSection2 inner(world.ts(), node, node);
    }
    EXPECT_TRUE(node->mutex.IsLocked());
  }
  EXPECT_FALSE(node->mutex.IsLocked());
  Decref(world.ts(), node);
}

TEST(CriticalSectionTest, GivenUpWhileBlocked) {
  World world;
  Node* a = NewNode(world.ts());
  Node* b = NewNode(world.ts());
  Node* c = NewNode(world.ts());
  {
    CriticalSection outer(world.ts(), a);
    {
      CriticalSection2 inner(world.ts(), b, c);
      EXPECT_TRUE(a->mutex.IsLocked() && b->mutex.IsLocked() &&
                  c->mutex.IsLocked());
      {
        BlockingScope blocking(world.ts());
        EXPECT_FALSE(a->mutex.IsLocked());
        EXPECT_FALSE(b->mutex.IsLocked());
        EXPECT_FALSE(c->mutex.IsLocked());
      }
      EXPECT_TRUE(b->mutex.IsLocked() && c->mutex.IsLocked());
      EXPECT_FALSE(a->mutex.IsLocked());  // until the inner one ends
    }
    EXPECT_TRUE(a->mutex.IsLocked());
    EXPECT_FALSE(b->mutex.IsLocked() || c->mutex.IsLocked());
  }
  EXPECT_FALSE(a->mutex.IsLocked());
  for (Node* node : {a, b, c}) Decref(world.ts(), node);
}

TEST(CriticalSectionTest, StopKeepsLocks) {
  World world;
  Node* node = NewNode(world.ts());
  CriticalSection section(world.ts(), node);
  Thread thread;
  Atomic<int> stopped(0);
  ASSERT_TRUE(thread.Start([&] {
    ThreadState* ts = world.isolate()->AttachThread("stopper");
    {
      StopScope stop(ts);
      EXPECT_TRUE(node->mutex.IsLocked());
    }
    stopped.store(1, kRelease);
    world.isolate()->LeaveThread(ts);
  }));
  while (stopped.load(kAcquire) == 0) world.ts()->Safepoint();
  EXPECT_TRUE(node->mutex.IsLocked());
  thread.Join();
  node->local.load(kRelaxed);
  Incref(node);
  Decref(world.ts(), node);
  world.ExpectLeft(1);
}

// Opposite orders, three deep, with blocking in between: no deadlock, and two
// counters guarded by two objects stay equal.
TEST(CriticalSectionTest, NoDeadlockInAnyOrder) {
  World world;
  constexpr int kObjects = 4;
  Node* nodes[kObjects];
  for (Node*& node : nodes) node = NewNode(world.ts());
  Thread threads[4];
  for (int t = 0; t < 4; ++t) {
    ASSERT_TRUE(threads[t].Start([&, t] {
      ThreadState* ts = world.isolate()->AttachThread("section");
      uint32_t random = 12345 + t;
      for (int i = 0; i < 3000; ++i) {
        random = random * 1664525 + 1013904223;
        Node* x = nodes[(random >> 8) % kObjects];
        Node* y = nodes[(random >> 16) % kObjects];
        Node* z = nodes[(random >> 24) % kObjects];
        CriticalSection first(ts, x);
        {
          CriticalSection2 second(ts, y, z);
          ++y->value;
          if (z != y) ++z->value;
          if ((random & 0xf) == 0) {
            CriticalSection third(ts, x);
            BlockingScope blocking(ts);
          }
        }
        ts->Safepoint();
      }
      world.isolate()->LeaveThread(ts);
    }));
  }
  {
    BlockingScope blocking(world.ts());
    for (Thread& thread : threads) thread.Join();
  }
  for (Node* node : nodes) {
    EXPECT_FALSE(node->mutex.IsLocked());
    Decref(world.ts(), node);
  }
}

}  // namespace
}  // namespace tidepool::testing
