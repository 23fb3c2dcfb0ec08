// Reference count merging through chosen interleavings: owner against
// strangers, queue, detach, exit, an id that is used again.
#include "tidepool/object/internal/sched_world.h"
#include "tidepool/object/internal/state_access.h"

namespace tidepool::testing {
namespace {

using sched::SchedRun;

// Two references in the owner's count; each thread drops one.
TEST(MergeSched, OwnerAgainstOneStranger) {
  ExploreOk(1500, [](SchedRun& run) {
    SchedWorld world;
    Watched* obj = nullptr;
    Event made(0);
    world.Spawn(run, [&](ThreadState* ts) {
      obj = NewWatched(ts);
      Incref(obj);
      made.Set();
      Decref(ts, obj);
      ts->Safepoint();
    });
    world.Spawn(run, [&](ThreadState* ts) {
      {
        BlockingScope blocking(ts);
        made.Wait();
      }
      Decref(ts, obj);
    });
    run.RunAll();
    CheckDead(obj);
  });
}

// Everybody counts up and down.
TEST(MergeSched, OwnerAgainstTwoStrangers) {
  ExploreOk(1500, [](SchedRun& run) {
    SchedWorld world;
    Watched* obj = nullptr;
    Event made(0);
    world.Spawn(run, [&](ThreadState* ts) {
      obj = NewWatched(ts);
      Incref(obj);
      Incref(obj);
      made.Set();
      Incref(obj);
      Decref(ts, obj);
      ts->Safepoint();
      Decref(ts, obj);
      ts->Safepoint();
    });
    for (int i = 0; i < 2; ++i) {
      world.Spawn(run, [&](ThreadState* ts) {
        {
          BlockingScope blocking(ts);
          made.Wait();
        }
        Incref(obj);
        Decref(ts, obj);
        ts->Safepoint();
        Decref(ts, obj);
      });
    }
    run.RunAll();
    CheckDead(obj);
  });
}

// The owner blocks and comes back, counting in between; the stranger's drop
// finds it running, blocked, or in between.
TEST(MergeSched, OwnerDetachesAndCounts) {
  ExploreOk(2500, [](SchedRun& run) {
    SchedWorld world;
    Watched* obj = nullptr;
    Event made(0);
    world.Spawn(run, [&](ThreadState* ts) {
      obj = NewWatched(ts);
      Incref(obj);
      Incref(obj);
      made.Set();
      ts->Detach();
      ts->Attach();
      Incref(obj);
      Decref(ts, obj);
      ts->Detach();
      ts->Attach();
      Decref(ts, obj);
      ts->Safepoint();
    });
    for (int i = 0; i < 2; ++i) {
      world.Spawn(run, [&](ThreadState* ts) {
        {
          BlockingScope blocking(ts);
          made.Wait();
        }
        Decref(ts, obj);
        ts->Safepoint();
      });
    }
    run.RunAll();
    CheckDead(obj);
  });
}

// Nothing waits for a thread that is blocked: once the owner is detached and
// the last reference is dropped, a safepoint of the other thread suffices.
TEST(MergeSched, NothingWaitsForABlockedOwner) {
  ExploreOk(2500, [](SchedRun& run) {
    SchedWorld world;
    Watched* obj = nullptr;
    Event made(0), blocked(0), done(0);
    world.Spawn(run, [&](ThreadState* ts) {
      obj = NewWatched(ts);
      made.Set();
      ts->DetachForLock();
      blocked.Set();
      done.Wait();
      ts->Attach();
    });
    world.Spawn(run, [&](ThreadState* ts) {
      {
        BlockingScope blocking(ts);
        made.Wait();
      }
      Decref(ts, obj);
      {
        BlockingScope blocking(ts);
        blocked.Wait();
      }
      ts->Safepoint();
      CheckDead(obj);
      done.Set();
    });
    run.RunAll();
  });
}

TEST(MergeSched, OwnerExits) {
  ExploreOk(2500, [](SchedRun& run) {
    SchedWorld world;
    Watched* obj = nullptr;
    Event made(0);
    world.Spawn(run, [&](ThreadState* ts) {
      obj = NewWatched(ts);
      Incref(obj);
      made.Set();
    });
    for (int i = 0; i < 2; ++i) {
      world.Spawn(run, [&](ThreadState* ts) {
        {
          BlockingScope blocking(ts);
          made.Wait();
        }
        Decref(ts, obj);
      });
    }
    run.RunAll();
    CheckDead(obj);
  });
}

// A thread gets the id of one that is gone, and with it that one's objects,
// while a stranger merges one of them.
TEST(MergeSched, IdUsedAgain) {
  ExploreOk(2500, [](SchedRun& run) {
    SchedWorld world;
    Watched* obj = nullptr;
    uint64_t tid = 0;
    world.Spawn(run, [&](ThreadState* ts) {
      obj = NewWatched(ts);
      for (int i = 0; i < 2; ++i) Incref(obj);
      tid = ts->tid();
    });
    run.RunAll();
    for (int i = 0; i < 2; ++i) {
      world.Spawn(run, [&](ThreadState* ts) {
        // Whoever has the old id counts locally.
        Incref(obj);
        Decref(ts, obj);
        Incref(obj);
        Decref(ts, obj);
        Decref(ts, obj);
        ts->Safepoint();
      });
    }
    run.RunAll();
    ThreadState* ts = world.isolate()->AttachThread("main");
    Decref(ts, obj);
    world.isolate()->LeaveThread(ts);
    CheckDead(obj);
  });
}

// Two strangers and a thread that merges in a stop.
TEST(MergeSched, QueueMergedInAStop) {
  ExploreOk(1500, [](SchedRun& run) {
    SchedWorld world;
    Watched* obj = nullptr;
    Event made(0);
    world.Spawn(run, [&](ThreadState* ts) {
      obj = NewWatched(ts);
      Incref(obj);
      made.Set();
      ts->Safepoint();
      Decref(ts, obj);
      ts->Safepoint();
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
      world.isolate()->StopTheWorld(ts);
      world.isolate()->MergeAllQueues(ts);
      CheckHeaders(world.isolate(), ts);
      world.isolate()->StartTheWorld(ts);
      ts->DrainDead();
    });
    run.RunAll();
    CheckDead(obj);
  });
}

TEST(MergeSched, ImmortalWhileOthersDrop) {
  ExploreOk(1500, [](SchedRun& run) {
    SchedWorld world;
    Watched* obj = nullptr;
    Event made(0);
    world.Spawn(run, [&](ThreadState* ts) {
      obj = NewWatched(ts);
      Incref(obj);
      Incref(obj);
      made.Set();
      Decref(ts, obj);
      ts->Safepoint();
    });
    world.Spawn(run, [&](ThreadState* ts) {
      {
        BlockingScope blocking(ts);
        made.Wait();
      }
      SetImmortal(ts, obj);
      Decref(ts, obj);
    });
    world.Spawn(run, [&](ThreadState* ts) {
      {
        BlockingScope blocking(ts);
        made.Wait();
      }
      Decref(ts, obj);
      ts->Safepoint();
    });
    run.RunAll();
    SCHED_CHECK(obj->deaths.load(kRelaxed) == 0);
    SCHED_CHECK(IsImmortal(obj));
    SCHED_CHECK(world.Live() == 1);
  });
}

}  // namespace
}  // namespace tidepool::testing
