// Stop-the-world under the scheduler: while the world is stopped nobody else is
// attached, whoever runs, blocks, comes, goes, merges for others or wants a stop
// too; and every stop ends, which the scheduler sees as the absence of deadlock.
//
// The states are rows T1-T10 of object/thread_state.h.
#include "tidepool/base/event.h"
#include "tidepool/base/thread.h"
#include "tidepool/object/object_mutex.h"
#include "tidepool/tests/protocols/world.h"

namespace tidepool::protocols {
namespace {

using sched::SchedRun;

// What must not be touched by others during a stop.
struct Guarded {
  Ghost stopped;
  Ghost attached_work;

  // By an attached thread, between two safepoints. The point in the middle lets
  // a stop that does not wait slip in.
  void Work() {
    SCHED_CHECK(stopped.Get() == 0);
    attached_work.Add(1);
    point.fetch_add(1, kRelaxed);
    point.fetch_add(1, kRelaxed);
    SCHED_CHECK(stopped.Get() == 0);
    attached_work.Add(-1);
  }
  void Stop(World& w, ThreadState* ts) {
    StopScope scope(ts);
    SCHED_CHECK(stopped.Add(1) == 1);
    SCHED_CHECK(attached_work.Get() == 0);
    point.fetch_add(1, kRelaxed);
    point.fetch_add(1, kRelaxed);
    SCHED_CHECK(attached_work.Get() == 0);
    SCHED_CHECK(w.isolate()->StoppedBy(ts));
    stopped.Set(0);
  }

  Atomic<int> point{0};
};

// One stops, one works between safepoints, one goes in and out.
void StopAgainstWork(SchedRun& run) {
  World w(run);
  Guarded guarded;
  w.Spawn("stopper", [&](ThreadState* ts) {
    w.Meet(3);
    guarded.Stop(w, ts);
  });
  w.Spawn("worker", [&](ThreadState* ts) {
    w.Meet(3);
    for (int i = 0; i < 2; ++i) {
      guarded.Work();
      ts->Safepoint();
    }
  });
  w.Spawn("blocker", [&](ThreadState* ts) {
    w.Meet(3);
    for (int i = 0; i < 2; ++i) {
      { BlockingScope scope(ts); }
      guarded.Work();
    }
  });
  w.Finish(0);
}

TEST(StopWorldProtocolTest, StopAgainstWork) {
  ExpectOk(FewPreemptions(1), StopAgainstWork);
  ExpectOk(RandomRuns(3000), StopAgainstWork);
}

// A stop right when one thread goes in and out, with every few-preemption
// schedule of the two.
void StopAgainstDetach(SchedRun& run) {
  World w(run);
  Guarded guarded;
  w.Spawn("stopper", [&](ThreadState* ts) {
    w.Meet(2);
    guarded.Stop(w, ts);
  });
  w.Spawn("blocker", [&](ThreadState* ts) {
    w.Meet(2);
    { BlockingScope scope(ts); }
    guarded.Work();
  });
  w.Finish(0);
}

TEST(StopWorldProtocolTest, StopAgainstDetach) {
  ExpectOk(FewPreemptions(2, 8000), StopAgainstDetach);
}

// The blocked thread stays blocked: the stop does not wait for it. It begins to
// block at any moment of the stop.
void StopWithoutTheBlocked(SchedRun& run) {
  World w(run);
  Guarded guarded;
  Event done(0);
  w.Spawn("stopper", [&](ThreadState* ts) {
    w.Meet(2);
    guarded.Stop(w, ts);
    done.Set();
  });
  w.Spawn("blocked", [&](ThreadState* ts) {
    w.Meet(2);
    {
      BlockingScope scope(ts);
      done.Wait();
    }
    guarded.Work();
  });
  w.Finish(0);
}

TEST(StopWorldProtocolTest, StopWithoutTheBlocked) {
  ExpectOk(FewPreemptions(2), StopWithoutTheBlocked);
  ExpectOk(RandomRuns(1500), StopWithoutTheBlocked);
}

// Two want a stop at the same time, again and again, with work in between.
void TwoStoppers(SchedRun& run) {
  World w(run);
  Guarded guarded;
  for (int t = 0; t < 2; ++t) {
    w.Spawn("stopper", [&](ThreadState* ts) {
      w.Meet(2);
      for (int i = 0; i < 2; ++i) {
        guarded.Work();
        guarded.Stop(w, ts);
      }
    });
  }
  w.Finish(0);
}

TEST(StopWorldProtocolTest, TwoStoppers) {
  ExpectOk(FewPreemptions(1), TwoStoppers);
  ExpectOk(RandomRuns(3000), TwoStoppers);
}

// Threads come and go during stops.
void ComeAndGo(SchedRun& run) {
  World w(run);
  Guarded guarded;
  w.Spawn("stopper", [&](ThreadState* ts) {
    w.Meet(3);
    guarded.Stop(w, ts);
    guarded.Stop(w, ts);
  });
  for (int t = 0; t < 2; ++t) {
    run.Spawn([&] {
      w.Meet(3);
      for (int i = 0; i < 2; ++i) {
        ThreadState* ts = w.isolate()->AttachThread("visitor");
        guarded.Work();
        w.isolate()->LeaveThread(ts);
      }
    });
  }
  w.Finish(0);
}

TEST(StopWorldProtocolTest, ComeAndGo) {
  ExpectOk(FewPreemptions(1, 1500), ComeAndGo);
  ExpectOk(RandomRuns(2500), ComeAndGo);
}

// A thread that is held for a moment, while another merges for it, when the stop
// comes: whoever lets it go reports it (T8).
void StopAgainstHolder(SchedRun& run) {
  World w(run);
  Guarded guarded;
  Thing* thing = nullptr;
  Event dropped(0);
  w.Spawn("owner", [&](ThreadState* ts) {
    thing = w.New(ts, 0);
    w.Hold(thing);
    w.Meet(3);
    {
      BlockingScope scope(ts);
      dropped.Wait();
    }
    guarded.Work();
  });
  w.Spawn("merger", [&](ThreadState* ts) {
    w.Meet(3);
    guarded.Work();
    w.Drop(ts, thing);
    ts->Safepoint();
    dropped.Set();
  });
  w.Spawn("stopper", [&](ThreadState* ts) {
    w.Meet(3);
    guarded.Stop(w, ts);
  });
  w.Finish(1);
}

TEST(StopWorldProtocolTest, StopAgainstHolder) {
  ExpectOk(FewPreemptions(2, 5000), StopAgainstHolder);
  ExpectOk(RandomRuns(4000), StopAgainstHolder);
}

// A held thread that nobody lets in: the owner stays blocked until the stop is
// over, so a missing report is a deadlock.
void StopNeedsTheHoldersReport(SchedRun& run) {
  World w(run);
  Guarded guarded;
  Thing* thing = nullptr;
  Event stopped(0);
  w.Spawn("owner", [&](ThreadState* ts) {
    thing = w.New(ts, 0);
    w.Hold(thing);
    w.Meet(3);
    {
      BlockingScope scope(ts);
      stopped.Wait();
    }
  });
  w.Spawn("merger", [&](ThreadState* ts) {
    w.Meet(3);
    w.Drop(ts, thing);
    BlockingScope scope(ts);
    stopped.Wait();
  });
  w.Spawn("stopper", [&](ThreadState* ts) {
    w.Meet(3);
    guarded.Stop(w, ts);
    stopped.Set();
  });
  w.Finish(1);
}

TEST(StopWorldProtocolTest, StopNeedsTheHoldersReport) {
  ExpectOk(FewPreemptions(2, 6000), StopNeedsTheHoldersReport);
  ExpectOk(RandomRuns(4000), StopNeedsTheHoldersReport);
}

// A stop while a thread waits for an object's lock, whose holder is suspended by
// the stop or blocked: the waiter is detached, and all come through.
void StopAgainstObjectLock(SchedRun& run) {
  World w(run);
  Guarded guarded;
  Thing* thing = nullptr;
  Ghost inside;
  w.Spawn("stopper", [&](ThreadState* ts) {
    thing = w.New(ts, 0);
    w.Meet(3);
    guarded.Stop(w, ts);
    guarded.Stop(w, ts);
    w.Meet(6);
    Decref(ts, thing);
  });
  for (int t = 0; t < 2; ++t) {
    w.Spawn("locker", [&](ThreadState* ts) {
      w.Meet(3);
      {
        CriticalSection section(ts, thing);
        SCHED_CHECK(inside.Add(1) == 1);
        guarded.Work();
        inside.Add(-1);
        // Gives the section up and takes it again.
        { BlockingScope scope(ts); }
        SCHED_CHECK(inside.Add(1) == 1);
        guarded.Work();
        inside.Add(-1);
      }
      BlockingScope scope(ts);
      w.Meet(6);
    });
  }
  w.Finish(1);
}

TEST(StopWorldProtocolTest, StopAgainstObjectLock) {
  ExpectOk(FewPreemptions(1), StopAgainstObjectLock);
  ExpectOk(RandomRuns(2500), StopAgainstObjectLock);
}

// Two threads take two objects in either order, nested in one section each, and
// block with them: no deadlock.
void SectionsInEitherOrder(SchedRun& run) {
  World w(run);
  Thing* things[2];
  w.Spawn("owner", [&](ThreadState* ts) {
    things[0] = w.New(ts, 0);
    things[1] = w.New(ts, 1);
    w.Meet(3);
    {
      BlockingScope scope(ts);
      w.Meet(6);
    }
    for (Thing* thing : things) Decref(ts, thing);
  });
  for (int t = 0; t < 2; ++t) {
    w.Spawn("locker", [&, t](ThreadState* ts) {
      w.Meet(3);
      {
        CriticalSection outer(ts, things[t]);
        CriticalSection inner(ts, things[1 - t]);
      }
      {
        CriticalSection2 both(ts, things[t], things[1 - t]);
        BlockingScope scope(ts);
      }
      BlockingScope scope(ts);
      w.Meet(6);
    });
  }
  w.Finish(2);
}

TEST(StopWorldProtocolTest, SectionsInEitherOrder) {
  ExpectOk(FewPreemptions(2, 4000), SectionsInEitherOrder);
  ExpectOk(RandomRuns(2000), SectionsInEitherOrder);
}

}  // namespace
}  // namespace tidepool::protocols
