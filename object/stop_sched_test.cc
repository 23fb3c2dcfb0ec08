// Stops of the world, attach and detach, exits and critical sections through
// chosen interleavings.
#include "tidepool/object/internal/sched_world.h"
#include "tidepool/object/internal/seats.h"
#include "tidepool/object/internal/state_access.h"

namespace tidepool::testing {
namespace {

using sched::SchedRun;

// Set while a thread is where it may touch objects.
struct Active {
  Atomic<int> threads{0};
  void Enter() { threads.fetch_add(1, kRelaxed); }
  void Leave() { threads.fetch_sub(1, kRelaxed); }
};

void StopAndCheck(ThreadState* ts, Active& active) {
  ts->isolate()->StopTheWorld(ts);
  for (int i = 0; i < 3; ++i) SCHED_CHECK(active.threads.load(kRelaxed) == 0);
  ts->isolate()->StartTheWorld(ts);
}

void Mutate(ThreadState* ts, Active& active) {
  active.Enter();
  active.Leave();
  ts->Safepoint();
  active.Enter();
  active.Leave();
  ts->Detach();
  ts->Attach();
  active.Enter();
  active.Leave();
}

TEST(StopSched, OneStopperTwoMutators) {
  ExploreOk(3000, [](SchedRun& run) {
    SchedWorld world;
    Active active;
    for (int i = 0; i < 2; ++i) {
      world.Spawn(run, [&](ThreadState* ts) { Mutate(ts, active); });
    }
    world.Spawn(run, [&](ThreadState* ts) {
      StopAndCheck(ts, active);
      StopAndCheck(ts, active);
    });
    run.RunAll();
    SCHED_CHECK(world.isolate()->thread_count() == 0);
  });
}

TEST(StopSched, TwoStoppersAndAMutator) {
  ExploreOk(3000, [](SchedRun& run) {
    SchedWorld world;
    Active active;
    for (int i = 0; i < 2; ++i) {
      world.Spawn(run, [&](ThreadState* ts) {
        StopAndCheck(ts, active);
        ts->Safepoint();
      });
    }
    world.Spawn(run, [&](ThreadState* ts) { Mutate(ts, active); });
    run.RunAll();
    SCHED_CHECK(world.isolate()->stop_stats().stops == 2);
  });
}

// A thread is held for a merge while it wants to attach and a stop begins.
TEST(StopSched, HeldWhileAStopBegins) {
  ExploreOk(4000, [](SchedRun& run) {
    SchedWorld world;
    Active active;
    Watched* obj = nullptr;
    Event made(0);
    world.Spawn(run, [&](ThreadState* ts) {
      obj = NewWatched(ts);
      made.Set();
      Mutate(ts, active);
      Mutate(ts, active);
    });
    world.Spawn(run, [&](ThreadState* ts) {
      {
        BlockingScope blocking(ts);
        made.Wait();
      }
      Decref(ts, obj);
      ts->Safepoint();
    });
    world.Spawn(run, [&](ThreadState* ts) {
      {
        BlockingScope blocking(ts);
        made.Wait();
      }
      StopAndCheck(ts, active);
      StopAndCheck(ts, active);
    });
    run.RunAll();
    CheckDead(obj);
  });
}

// The owner stays blocked while it is held and a stop begins: only the holder
// can tell the stopper.
TEST(StopSched, HolderReportsForABlockedThread) {
  ExploreOk(4000, [](SchedRun& run) {
    SchedWorld world;
    Active active;
    Watched* obj = nullptr;
    Event made(0), dropped(0), done(0);
    world.Spawn(run, [&](ThreadState* ts) {
      obj = NewWatched(ts);
      ts->Detach();
      made.Set();
      dropped.Wait();
      done.Wait();
      ts->Attach();
    });
    world.Spawn(run, [&](ThreadState* ts) {
      {
        BlockingScope blocking(ts);
        made.Wait();
      }
      Decref(ts, obj);
      ts->Safepoint();
      SCHED_CHECK(IsDead(obj));
      dropped.Set();
    });
    world.Spawn(run, [&](ThreadState* ts) {
      {
        BlockingScope blocking(ts);
        made.Wait();
      }
      StopAndCheck(ts, active);
      done.Set();
    });
    run.RunAll();
    CheckDead(obj);
  });
}

TEST(StopSched, LockWaitersAndStops) {
  ExploreOk(3000, [](SchedRun& run) {
    SchedWorld world;
    Active active;
    Mutex mutex(0);
    int counter = 0;
    for (int i = 0; i < 2; ++i) {
      world.Spawn(run, [&](ThreadState* ts) {
        for (int k = 0; k < 2; ++k) {
          LockMutex(ts, &mutex);
          active.Enter();
          ++counter;
          active.Leave();
          mutex.Unlock();
          ts->Safepoint();
        }
      });
    }
    world.Spawn(run, [&](ThreadState* ts) { StopAndCheck(ts, active); });
    run.RunAll();
    SCHED_CHECK(counter == 4);
  });
}

TEST(StopSched, CriticalSectionsInOppositeOrder) {
  ExploreOk(3000, [](SchedRun& run) {
    SchedWorld world;
    Node* nodes[2] = {nullptr, nullptr};
    world.Spawn(run, [&](ThreadState* ts) {
      for (Node*& node : nodes) {
        node = NewNode(ts);
        Incref(node);
      }
    });
    run.RunAll();
    Atomic<int> inside[2] = {};
    for (int i = 0; i < 2; ++i) {
      world.Spawn(run, [&, i](ThreadState* ts) {
        CriticalSection outer(ts, nodes[i]);
        SCHED_CHECK(inside[i].fetch_add(1, kRelaxed) == 0);
        inside[i].fetch_sub(1, kRelaxed);
        {
          CriticalSection inner(ts, nodes[1 - i]);
          SCHED_CHECK(inside[1 - i].fetch_add(1, kRelaxed) == 0);
          inside[1 - i].fetch_sub(1, kRelaxed);
        }
        SCHED_CHECK(inside[i].fetch_add(1, kRelaxed) == 0);
        inside[i].fetch_sub(1, kRelaxed);
      });
    }
    run.RunAll();
    for (Node* node : nodes) SCHED_CHECK(!node->mutex.IsLocked());
  });
}

TEST(StopSched, ExitsAndStarts) {
  ExploreOk(2500, [](SchedRun& run) {
    SchedWorld world;
    Active active;
    for (int i = 0; i < 3; ++i) {
      world.Spawn(run, [&](ThreadState* ts) {
        active.Enter();
        active.Leave();
        (void)ts;
      });
    }
    world.Spawn(run, [&](ThreadState* ts) {
      StopAndCheck(ts, active);
      StopAndCheck(ts, active);
    });
    run.RunAll();
    SCHED_CHECK(world.isolate()->thread_count() == 0);
  });
}

// Stop after stop while threads come and go: who waits in one has got on by the next.
TEST(StopSched, StopAfterStopStarvesNobody) {
  ExploreOk(2500, [](SchedRun& run) {
    SchedWorld world;
    Seat seats[2];
    for (Seat& seat : seats) {
      world.Spawn(run, [&](ThreadState* ts) { ComeAndGo(ts, &seat, 2); });
    }
    world.Spawn(run, [&](ThreadState* ts) {
      for (int i = 0; i < 4; ++i) {
        ts->isolate()->StopTheWorld(ts);
        SCHED_CHECK(NobodyStarves(world.isolate()));
        ts->isolate()->StartTheWorld(ts);
      }
    });
    run.RunAll();
    for (Seat& seat : seats) SCHED_CHECK(seat.attached.load(kRelaxed) == 2);
  });
}

}  // namespace
}  // namespace tidepool::testing
