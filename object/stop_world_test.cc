// Stops of the world: who is stopped, who comes and goes meanwhile, two at
// once, fairness, figures and the watchdog.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "tidepool/object/internal/seats.h"
#include "tidepool/object/internal/test_types.h"

namespace tidepool::testing {
namespace {

void SleepMs(uint64_t ms) { RealOs()->SleepNs(ms * 1000000); }

struct Running {
  Atomic<uint64_t> ticks{0};
  Atomic<bool> quit{false};
};

TEST(StopWorldTest, NobodyRunsInAStop) {
  World world;
  constexpr int kThreads = 4;
  Running running[kThreads];
  Thread threads[kThreads];
  for (int t = 0; t < kThreads; ++t) {
    ASSERT_TRUE(threads[t].Start([&, t] {
      ThreadState* ts = world.isolate()->AttachThread("runner");
      Running& mine = running[t];
      while (!mine.quit.load(kRelaxed)) {
        mine.ticks.fetch_add(1, kRelaxed);
        if (t == 0) {
          BlockingScope blocking(ts);
        } else {
          ts->Safepoint();
        }
      }
      world.isolate()->LeaveThread(ts);
    }));
  }
  for (Running& r : running) {
    while (r.ticks.load(kRelaxed) == 0) SleepMs(1);
  }
  for (int i = 0; i < 40; ++i) {
    world.isolate()->StopTheWorld(world.ts());
    uint64_t before[kThreads];
    for (int t = 1; t < kThreads; ++t) {
      before[t] = running[t].ticks.load(kRelaxed);
    }
    if (i % 10 == 0) SleepMs(2);
    for (int t = 1; t < kThreads; ++t) {
      EXPECT_EQ(running[t].ticks.load(kRelaxed), before[t]);
    }
    size_t seen = 0;
    world.isolate()->ForEachThread([&](ThreadState*) { ++seen; });
    EXPECT_EQ(seen, kThreads + 1u);
    world.isolate()->StartTheWorld(world.ts());
  }
  for (Running& r : running) r.quit.store(true, kRelaxed);
  BlockingScope blocking(world.ts());
  for (Thread& thread : threads) thread.Join();
}

TEST(StopWorldTest, BlockedThreadsAreHeldUntilTheStart) {
  World world;
  Event detached(0), go(0);
  Atomic<int> state(0);
  Thread thread;
  ASSERT_TRUE(thread.Start([&] {
    ThreadState* ts = world.isolate()->AttachThread("blocked");
    {
      BlockingScope blocking(ts);
      detached.Set();
      go.Wait();
      state.store(1, kRelease);
    }
    state.store(2, kRelease);
    world.isolate()->LeaveThread(ts);
  }));
  detached.Wait();
  world.isolate()->StopTheWorld(world.ts());
  go.Set();
  while (state.load(kAcquire) < 1) SleepMs(1);
  SleepMs(20);
  EXPECT_EQ(state.load(kAcquire), 1);  // cannot come back
  world.isolate()->StartTheWorld(world.ts());
  BlockingScope blocking(world.ts());
  thread.Join();
}

TEST(StopWorldTest, ThreadsStartAndExitDuringStops) {
  World world;
  Atomic<bool> quit(false);
  Atomic<uint64_t> started(0);
  Thread starters[3];
  for (Thread& starter : starters) {
    ASSERT_TRUE(starter.Start([&] {
      while (!quit.load(kRelaxed)) {
        Thread thread;
        if (!thread.Start([&] {
              ThreadState* ts = world.isolate()->AttachThread("short");
              Decref(ts, NewNode(ts));
              started.fetch_add(1, kRelaxed);
              world.isolate()->LeaveThread(ts);
            })) {
          continue;
        }
        thread.Join();
      }
    }));
  }
  Thread second;
  ASSERT_TRUE(second.Start([&] {
    ThreadState* ts = world.isolate()->AttachThread("second");
    while (!quit.load(kRelaxed)) {
      { StopScope stop(ts); }
      ts->Safepoint();
    }
    world.isolate()->LeaveThread(ts);
  }));
  const uint64_t end = MonotonicNs() + 1000000000;
  while (MonotonicNs() < end) {
    StopScope stop(world.ts());
    size_t n = 0;
    world.isolate()->ForEachThread([&](ThreadState*) { ++n; });
    EXPECT_LE(n, 5u);
  }
  quit.store(true, kRelaxed);
  BlockingScope blocking(world.ts());
  for (Thread& starter : starters) starter.Join();
  second.Join();
  EXPECT_GT(started.load(kRelaxed), 20u);
}

TEST(StopWorldTest, StopsQueueInOrderAndNoneStarves) {
  World world;
  constexpr int kThreads = 4;
  Thread threads[kThreads];
  Atomic<int> inside(0);
  for (Thread& thread : threads) {
    ASSERT_TRUE(thread.Start([&] {
      ThreadState* ts = world.isolate()->AttachThread("stopper");
      for (int i = 0; i < 100; ++i) {
        StopScope stop(ts);
        EXPECT_EQ(inside.fetch_add(1, kRelaxed), 0);
        EXPECT_EQ(inside.fetch_sub(1, kRelaxed), 1);
      }
      world.isolate()->LeaveThread(ts);
    }));
  }
  {
    BlockingScope blocking(world.ts());
    for (Thread& thread : threads) thread.Join();
  }
  EXPECT_EQ(world.isolate()->stop_stats().stops, kThreads * 100u);
}

// python/cpython#151518: threads that return from a blocking call while another
// stops the world in a tight loop.
TEST(StopWorldTest, ReturningThreadsAreNotStarved) {
  World world;
  constexpr int kThreads = 8;
  constexpr int kReturns = 50;
  Atomic<bool> quit(false);
  Atomic<uint64_t> stops(0);
  Atomic<int> slow(0);
  Thread stopper;
  ASSERT_TRUE(stopper.Start([&] {
    ThreadState* ts = world.isolate()->AttachThread("stopper");
    while (!quit.load(kRelaxed)) {
      StopScope stop(ts);
      stops.fetch_add(1, kRelaxed);
    }
    world.isolate()->LeaveThread(ts);
  }));
  while (stops.load(kRelaxed) == 0) {
    BlockingScope blocking(world.ts());
    SleepMs(1);
  }
  Thread threads[kThreads];
  for (Thread& thread : threads) {
    ASSERT_TRUE(thread.Start([&] {
      ThreadState* ts = world.isolate()->AttachThread("sleeper");
      for (int i = 0; i < kReturns; ++i) {
        ts->Detach();
        SleepMs(1);
        const uint64_t before = stops.load(kRelaxed);
        ts->Attach();
        const uint64_t cycles = stops.load(kRelaxed) - before;
        if (cycles > 10) slow.fetch_add(1, kRelaxed);
      }
      world.isolate()->LeaveThread(ts);
    }));
  }
  {
    BlockingScope blocking(world.ts());
    for (Thread& thread : threads) thread.Join();
    quit.store(true, kRelaxed);
    stopper.Join();
  }
  // The stop that was going on, and the next one, which has to wait for us. Any number
  // pass if the OS takes the processor away between the reading of the counter and the
  // attach, a moment that it hits in one return of hundreds; who starves, does in all.
  EXPECT_LE(slow.load(kRelaxed), kThreads * kReturns / 20);
}

// python/cpython#144513: a contended lock and stops.
TEST(StopWorldTest, ContendedLockAndStops) {
  World world;
  Node* node = NewNode(world.ts());
  Atomic<bool> quit(false);
  Thread threads[8];
  for (Thread& thread : threads) {
    ASSERT_TRUE(thread.Start([&] {
      ThreadState* ts = world.isolate()->AttachThread("contender");
      while (!quit.load(kRelaxed)) {
        LockObject(ts, node);
        ++node->value;
        UnlockObject(node);
        ts->Safepoint();
      }
      world.isolate()->LeaveThread(ts);
    }));
  }
  for (int i = 0; i < 50; ++i) {
    { StopScope stop(world.ts()); }
    LockObject(world.ts(), node);
    ++node->value;
    UnlockObject(node);
  }
  quit.store(true, kRelaxed);
  {
    BlockingScope blocking(world.ts());
    for (Thread& thread : threads) thread.Join();
  }
  Decref(world.ts(), node);
}

// python/cpython#157666.
TEST(StopWorldTest, ManyThreadsAttachAndDetach) {
  World world;
  for (int n : {1, 6, 8, 9, 32, 64}) {
    std::vector<Thread> threads(n);
    for (Thread& thread : threads) {
      ASSERT_TRUE(thread.Start([&] {
        ThreadState* ts = world.isolate()->AttachThread("native");
        for (int i = 0; i < 300; ++i) {
          BlockingScope blocking(ts);
        }
        world.isolate()->LeaveThread(ts);
      }));
    }
    for (int i = 0; i < 5; ++i) {
      StopScope stop(world.ts());
    }
    BlockingScope blocking(world.ts());
    for (Thread& thread : threads) thread.Join();
  }
  EXPECT_EQ(world.isolate()->thread_count(), 1u);
}

// The same 64 under stops without a pause: none starves, and all come to an end.
TEST(StopWorldTest, ManyThreadsAttachAndDetachUnderEndlessStops) {
  World world;
  constexpr int kThreads = 64;
  std::vector<Seat> seats(kThreads);
  std::vector<Thread> threads(kThreads);
  Atomic<int> running(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    ASSERT_TRUE(threads[t].Start([&, t] {
      ThreadState* ts = world.isolate()->AttachThread("comes and goes");
      ComeAndGo(ts, &seats[t], 100);
      world.isolate()->LeaveThread(ts);
      running.fetch_sub(1, kRelaxed);
    }));
  }
  uint64_t stops = 0;
  while (running.load(kRelaxed) > 0) {
    StopScope stop(world.ts());
    ++stops;
    EXPECT_TRUE(NobodyStarves(world.isolate())) << stops;
  }
  for (const Seat& seat : seats) EXPECT_EQ(seat.attached.load(kRelaxed), 100u);
  BlockingScope blocking(world.ts());
  for (Thread& thread : threads) thread.Join();
}

struct Told {
  Atomic<int> times{0};
  char name[32] = {0};
  uint64_t waited = 0;
  uint64_t since = 0;
  size_t missing = 0;
};

void Tell(const StopDelay& delay, void* arg) {
  Told* told = static_cast<Told*>(arg);
  std::strcpy(told->name, delay.thread_name);
  told->waited = delay.waited_ns;
  told->since = delay.since_ns;
  told->missing = delay.missing;
  told->times.fetch_add(1, kRelease);
}

// codenameone/CodenameOne#5631: a thread computes and does not poll.
TEST(StopWorldTest, WatchdogNamesTheThread) {
  World world;
  Told told;
  world.isolate()->SetWatchdog(10000000, &Tell, &told);  // 10 ms
  Atomic<int> state(0);
  Thread thread;
  ASSERT_TRUE(thread.Start([&] {
    ThreadState* ts = world.isolate()->AttachThread("compute");
    state.store(1, kRelease);
    while (told.times.load(kAcquire) < 2) {
    }
    state.store(2, kRelease);
    ts->Safepoint();
    world.isolate()->LeaveThread(ts);
  }));
  while (state.load(kAcquire) == 0) SleepMs(1);
  const uint64_t asked = MonotonicNs();
  {
    StopScope stop(world.ts());
    EXPECT_EQ(state.load(kAcquire), 2);
  }
  EXPECT_STREQ(told.name, "compute");
  EXPECT_EQ(told.missing, 1u);
  EXPECT_GE(told.since, asked);
  EXPECT_GE(told.waited, 10000000u);
  const StopStats stats = world.isolate()->stop_stats();
  EXPECT_STREQ(stats.last_name, "compute");
  EXPECT_STREQ(stats.max_name, "compute");
  EXPECT_GE(stats.last_ns, 10000000u);
  // The histogram has every stop once, and this one where it belongs.
  uint64_t all = 0;
  for (uint64_t n : stats.times) all += n;
  EXPECT_EQ(all, stats.stops);
  int slot = 0;
  while ((uint64_t{1} << slot) <= stats.last_ns / 1000) ++slot;
  EXPECT_GE(slot, 14);  // 10 ms is more than 2^13 us
  EXPECT_GE(stats.times[slot], 1u);
  BlockingScope blocking(world.ts());
  thread.Join();
}

TEST(StopWorldTest, MergeAllQueuesInAStop) {
  World world;
  ObjectHeader* dies = NewLeaf(world.ts());
  ObjectHeader* lives = NewLeaf(world.ts());
  Incref(lives);
  world.OnThreadWhileAttached([&](ThreadState* other) {
    Decref(other, dies);
    Decref(other, lives);
  });
  {
    StopScope stop(world.ts());
    EXPECT_EQ(CheckHeaders(world.isolate(), world.ts()).queued, 2u);
    world.isolate()->MergeAllQueues(world.ts());
    const HeaderCensus census = CheckHeaders(world.isolate(), world.ts());
    EXPECT_EQ(census.queued, 0u);
    EXPECT_EQ(census.merged, 1u);
    EXPECT_EQ(census.dying, 1u);
    EXPECT_EQ(Deallocs(), 0);  // nothing runs in a stop
  }
  world.ts()->DrainDead();
  EXPECT_EQ(Deallocs(), 1);
  Decref(world.ts(), lives);
}

TEST(StopWorldTest, RootsOfAllThreadsAndTheIsolate) {
  World world;
  struct Roots : RootSet {
    ObjectHeader* obj;
  };
  Roots roots;
  roots.obj = NewLeaf(world.ts());
  roots.visit = [](RootSet* self, Visitor visit, void* arg) {
    return visit(static_cast<Roots*>(self)->obj, arg);
  };
  world.isolate()->AddRoots(&roots);
  ObjectHeader* of_thread = NewLeaf(world.ts());
  world.ts()->embedder_data = of_thread;
  world.ts()->visit_roots = [](ThreadState* ts, Visitor visit, void* arg) {
    return visit(static_cast<ObjectHeader*>(ts->embedder_data), arg);
  };
  std::vector<ObjectHeader*> seen;
  {
    StopScope stop(world.ts());
    world.isolate()->VisitRoots(
        [](ObjectHeader* obj, void* arg) {
          static_cast<std::vector<ObjectHeader*>*>(arg)->push_back(obj);
          return 0;
        },
        &seen);
  }
  EXPECT_EQ(seen, (std::vector<ObjectHeader*>{roots.obj, of_thread}));
  world.isolate()->RemoveRoots(&roots);
  Decref(world.ts(), roots.obj);
  Decref(world.ts(), of_thread);
}

TEST(StopWorldTest, CollectionRequestIsTakenOnce) {
  World world;
  Atomic<int> calls(0);
  IsolateHooks hooks;
  hooks.collect_arg = &calls;
  hooks.collect = [](ThreadState*, void* arg) {
    static_cast<Atomic<int>*>(arg)->fetch_add(1, kRelaxed);
  };
  world.isolate()->SetHooks(hooks);
  world.isolate()->RequestCollection();
  world.isolate()->RequestCollection();
  world.OnThread([](ThreadState* other) { other->Safepoint(); });
  world.ts()->Safepoint();
  EXPECT_EQ(calls.load(kRelaxed), 1);
}

}  // namespace
}  // namespace tidepool::testing
