// The refcount merge protocol under the scheduler: an object is freed exactly
// once, after its last reference, whatever its owner does meanwhile: runs, blocks,
// leaves, or leaves its id to another thread.
//
// The states are rows S1-S9 of object/header.h; the queues are in
// object/merge_queue.h.
#include "tidepool/base/thread.h"
#include "tidepool/tests/protocols/world.h"

namespace tidepool::protocols {
namespace {

using sched::SchedRun;

// Two threads got a reference each from the owner, who keeps none or one.
void ForeignDrops(SchedRun& run, bool owner_keeps_one) {
  World w(run);
  Thing* thing = nullptr;
  w.Spawn("owner", [&](ThreadState* ts) {
    thing = w.New(ts, 0);
    Incref(thing);
    if (owner_keeps_one) Incref(thing);
    for (int i = 0; i < (owner_keeps_one ? 3 : 2); ++i) w.Hold(thing);
    w.Meet(3);
    if (owner_keeps_one) w.Drop(ts, thing);
    ts->Safepoint();
    ts->Safepoint();
  });
  for (int i = 0; i < 2; ++i) {
    w.Spawn("other", [&](ThreadState* ts) {
      w.Meet(3);
      w.Drop(ts, thing);
    });
  }
  w.Finish(1);
}

TEST(RefcountMergeTest, ForeignDrops) {
  for (bool keep : {false, true}) {
    auto body = [keep](SchedRun& run) { ForeignDrops(run, keep); };
    ExpectOk(FewPreemptions(1), body);
    ExpectOk(RandomRuns(1500), body);
  }
}

// A foreign increment and decrement around the owner's last drop.
void CountsCross(SchedRun& run) {
  World w(run);
  Thing* thing = nullptr;
  w.Spawn("owner", [&](ThreadState* ts) {
    thing = w.New(ts, 0);
    Incref(thing);
    w.Hold(thing);
    w.Hold(thing);
    w.Meet(2);
    Incref(thing);
    w.Hold(thing);
    w.Drop(ts, thing);
    w.Drop(ts, thing);
    ts->Safepoint();
  });
  w.Spawn("other", [&](ThreadState* ts) {
    w.Meet(2);
    Incref(thing);
    w.Hold(thing);
    w.Drop(ts, thing);
    w.Drop(ts, thing);
  });
  w.Finish(1);
}

TEST(RefcountMergeTest, CountsCross) {
  ExpectOk(FewPreemptions(2), CountsCross);
  ExpectOk(RandomRuns(2500), CountsCross);
}

// The owner blocks and stays blocked: what the other drops dies without it.
void OwnerBlocks(SchedRun& run) {
  World w(run);
  Thing* thing = nullptr;
  Event blocked(0), done(0);
  w.Spawn("owner", [&](ThreadState* ts) {
    thing = w.New(ts, 0);
    w.Hold(thing);
    w.Meet(2);
    ts->Detach();
    blocked.Set();
    done.Wait();
    ts->Attach();
  });
  w.Spawn("other", [&](ThreadState* ts) {
    w.Meet(2);
    w.Drop(ts, thing);
    {
      BlockingScope scope(ts);
      blocked.Wait();
    }
    ts->Safepoint();
    SCHED_CHECK(w.IsDead(0));
    done.Set();
  });
  w.Finish(1);
}

TEST(RefcountMergeTest, OwnerBlocks) {
  ExpectOk(FewPreemptions(2), OwnerBlocks);
  ExpectOk(RandomRuns(2000), OwnerBlocks);
}

// The owner goes in and out while others merge for it, and counts in between.
void OwnerComesAndGoes(SchedRun& run) {
  World w(run);
  Thing* thing = nullptr;
  w.Spawn("owner", [&](ThreadState* ts) {
    thing = w.New(ts, 0);
    Incref(thing);
    w.Hold(thing);
    w.Hold(thing);
    w.Meet(2);
    for (int i = 0; i < 2; ++i) {
      { BlockingScope scope(ts); }
      Incref(thing);
      w.Hold(thing);
      w.Drop(ts, thing);
    }
    w.Drop(ts, thing);
  });
  w.Spawn("other", [&](ThreadState* ts) {
    w.Meet(2);
    w.Drop(ts, thing);
  });
  w.Finish(1);
}

TEST(RefcountMergeTest, OwnerComesAndGoes) {
  ExpectOk(FewPreemptions(2), OwnerComesAndGoes);
  ExpectOk(RandomRuns(2500), OwnerComesAndGoes);
}

// The owner leaves while others still hold its object.
void OwnerLeaves(SchedRun& run) {
  World w(run);
  Thing* thing = nullptr;
  w.Spawn("owner", [&](ThreadState* ts) {
    thing = w.New(ts, 0);
    Incref(thing);
    w.Hold(thing);
    w.Hold(thing);
    w.Meet(3);
  });
  for (int i = 0; i < 2; ++i) {
    w.Spawn("other", [&](ThreadState* ts) {
      w.Meet(3);
      Incref(thing);
      w.Hold(thing);
      w.Drop(ts, thing);
      w.Drop(ts, thing);
      ts->Safepoint();
    });
  }
  w.Finish(1);
}

TEST(RefcountMergeTest, OwnerLeaves) {
  ExpectOk(FewPreemptions(1), OwnerLeaves);
  ExpectOk(RandomRuns(2500), OwnerLeaves);
}

// The owner is gone and a new thread has its id: it must not count locally in
// what is being merged for the old one.
void IdIsUsedAgain(SchedRun& run) {
  World w(run);
  Mutex lock(0);
  Slot slot(0);
  Thing* thing = nullptr;
  run.Spawn([&] {
    uint64_t first_id = 0;
    Thread first, second;
    {
      sched::NoPreemption scope;
      SCHED_CHECK(first.Start([&] {
        sched::NoPreemption quiet;
        first_id = CurrentTid();
        w.Live("first", [&](ThreadState* ts) {
          thing = w.New(ts, 0);
          Incref(thing);
          w.Hold(thing);  // the other's; the slot's is not counted by ghosts
          SetMaybeWeakref(thing);
          slot.store(AsValue(thing), kRelease);
        });
      }));
      first.Join();
      SCHED_CHECK(second.Start([&] {
        if (sched::kEnabled) SCHED_CHECK(CurrentTid() == first_id);
        w.Meet(2);
        w.Live("second", [&](ThreadState* ts) {
          if (Thing* got = w.Load(ts, slot, lock)) w.Drop(ts, got);
          w.Put(ts, slot, lock, nullptr);
        });
      }));
    }
    second.Join();
  });
  w.Spawn("other", [&](ThreadState* ts) {
    w.Meet(2);
    w.Drop(ts, thing);
  });
  w.Finish(1);
}

TEST(RefcountMergeTest, IdIsUsedAgain) {
  ExpectOk(FewPreemptions(2, 6000), IdIsUsedAgain);
  ExpectOk(RandomRuns(3000), IdIsUsedAgain);
}

// After the step that merges an object nobody but a holder may touch it (S6): the
// other drops the last reference at once and has the block again as a new object.
void BlockIsUsedAgainAfterMerge(SchedRun& run, bool queued) {
  World w(run);
  Thing* thing = nullptr;
  w.Spawn("owner", [&](ThreadState* ts) {
    {
      sched::NoPreemption scope;
      thing = w.New(ts, 0, kLargeThing);
      if (queued) Incref(thing);  // the other's, counted here
    }
    w.Meet(2);
    w.Meet(4);
    if (queued) ts->Safepoint();
    Decref(ts, thing);  // merges at local 0, unless it was merged before
  });
  w.Spawn("other", [&](ThreadState* ts) {
    w.Meet(2);
    if (!queued) Incref(thing);  // counted in the shared word
    w.Meet(4);
    Thing* next;
    {
      // As one step, so that the search is about the owner's steps.
      sched::NoPreemption scope;
      Decref(ts, thing);
      next = w.New(ts, 1, kLargeThing);
      w.Hold(next);
    }
    for (int i = 0; i < 2; ++i) {
      SCHED_CHECK(IsOwnedByMe(next));
      SCHED_CHECK(IsUniquelyReferenced(next));
    }
    w.Drop(ts, next);
  });
  w.Finish(2);
}

TEST(RefcountMergeTest, BlockIsUsedAgainAfterMerge) {
  for (bool queued : {false, true}) {
    auto body = [queued](SchedRun& run) {
      BlockIsUsedAgainAfterMerge(run, queued);
    };
    ExpectOk(FewPreemptions(2), body);
    ExpectOk(RandomRuns(2000), body);
  }
}

// Two threads cross-own: each drops the other's object at the same time, and
// each is at its own safepoints. (Two queues, two bucket locks.)
void CrossOwned(SchedRun& run) {
  World w(run);
  Thing* things[2] = {nullptr, nullptr};
  for (int i = 0; i < 2; ++i) {
    w.Spawn("peer", [&, i](ThreadState* ts) {
      things[i] = w.New(ts, i);
      w.Hold(things[i]);
      w.Meet(2);
      w.Drop(ts, things[1 - i]);
      if (i == 0) {
        ts->Safepoint();
      } else {
        BlockingScope scope(ts);
      }
    });
  }
  w.Finish(2);
}

TEST(RefcountMergeTest, CrossOwned) {
  ExpectOk(FewPreemptions(1), CrossOwned);
  ExpectOk(RandomRuns(2000), CrossOwned);
}

// "Only holder" is the word, not the count: once an object is out of its slot
// and found unique, no stale reader may count in it even for a moment (S8).
void Unique(SchedRun& run) {
  World w(run);
  Mutex lock(0);
  Slot slot(0);
  w.Spawn("owner", [&](ThreadState* ts) {
    Thing* thing = w.New(ts, 0);
    SetMaybeWeakref(thing);
    slot.store(AsValue(thing), kRelease);
    w.Meet(2);
    {
      MutexLock guard(&lock);
      ExchangeSlotLocked(slot, 0);
    }
    // The slot's reference is ours now.
    if (TryMakeUnique(thing)) {
      for (int i = 0; i < 4; ++i) SCHED_CHECK(IsUniquelyReferenced(thing));
    }
    Decref(ts, thing);
  });
  w.Spawn("reader", [&](ThreadState* ts) {
    w.Meet(2);
    if (Thing* got = w.Load(ts, slot, lock)) w.Drop(ts, got);
    ts->Safepoint();
  });
  w.Finish(1);
}

TEST(RefcountMergeTest, Unique) {
  ExpectOk(FewPreemptions(2), Unique);
  ExpectOk(RandomRuns(2000), Unique);
}

}  // namespace
}  // namespace tidepool::protocols
