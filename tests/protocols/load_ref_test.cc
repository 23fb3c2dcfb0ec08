// Dead memory and lock-free readers under the scheduler: a block is used again at
// once (same layout), zeroed at any time, or turned into another layout after its
// goal, while a reader is anywhere between its load and its re-check.
//
// docs/dormant_pool.md has the rules. Asserted: what a reader gets was in the slot
// while it looked, and is alive; counts come out right; data that lie where an
// object was are never written.
#include <optional>
#include <vector>

#include "tidepool/tests/protocols/world.h"

namespace tidepool::protocols {
namespace {

using sched::SchedRun;

// The reader's side: `rounds` reads, each of an object that may have been in the
// slot.
void ReadSome(World& w, ThreadState* ts, Slot& slot, Mutex& lock,
              uint64_t id_limit, int rounds = 2) {
  for (int i = 0; i < rounds; ++i) {
    Thing* got = w.Load(ts, slot, lock);
    if (got != nullptr) {
      SCHED_CHECK(got->id < id_limit);
      w.Drop(ts, got);
    }
    ts->Safepoint();
  }
}

// An object in a slot is replaced and dies; its block comes back at once as an
// object that was never in the slot (id 2), then as one that is (id 1).
void SameThreadReuse(SchedRun& run) {
  World w(run);
  Mutex lock(0);
  Slot slot(0);
  w.Spawn("writer", [&](ThreadState* ts) {
    {
      sched::NoPreemption scope;
      Thing* first = w.New(ts, 0, kLargeThing);
      SetMaybeWeakref(first);
      slot.store(AsValue(first), kRelease);
    }
    w.Meet(2);
    w.Put(ts, slot, lock, nullptr);
    // Where `first` was, if it could die already.
    Thing* never = w.New(ts, 2, kLargeThing);
    SetMaybeWeakref(never);
    Thing* second = w.New(ts, 1, kLargeThing);
    SetMaybeWeakref(second);
    w.Put(ts, slot, lock, second);
    w.Hold(never);
    w.Drop(ts, never);
    w.Put(ts, slot, lock, nullptr);
  });
  w.Spawn("reader", [&](ThreadState* ts) {
    w.Meet(2);
    ReadSome(w, ts, slot, lock, 2);
  });
  w.Finish(3);
}

TEST(LoadRefProtocolTest, SameThreadReuse) {
  ExpectOk(FewPreemptions(2, 8000), SameThreadReuse);
  ExpectOk(RandomRuns(3000), SameThreadReuse);
}

// The last drop of an object that readers may count (S1, S4, S7): with the word 1
// it is merged, not freed, for a stale reader can still get in.
void LastDropAgainstReader(SchedRun& run, size_t size) {
  World w(run);
  Mutex lock(0);
  Slot slot(0);
  w.Spawn("writer", [&](ThreadState* ts) {
    {
      sched::NoPreemption scope;
      Thing* first = w.New(ts, 0, size);
      SetMaybeWeakref(first);
      slot.store(AsValue(first), kRelease);
    }
    w.Meet(2);
    w.Put(ts, slot, lock, nullptr);
    ts->Safepoint();
  });
  w.Spawn("reader", [&](ThreadState* ts) {
    w.Meet(2);
    ReadSome(w, ts, slot, lock, 1, 1);
  });
  w.Finish(1);
}

TEST(LoadRefProtocolTest, LastDropAgainstReader) {
  for (size_t size : {kSmallThing, kLargeThing}) {
    auto body = [size](SchedRun& run) { LastDropAgainstReader(run, size); };
    ExpectOk(FewPreemptions(2), body);
    ExpectOk(RandomRuns(2000), body);
  }
}

// Another thread takes the dormant page: tid and counts there are a stranger's.
void OtherThreadReuse(SchedRun& run) {
  World w(run);
  Mutex lock(0);
  Slot slot(0), other_slot(0);
  w.Spawn("writer", [&](ThreadState* ts) {
    {
      sched::NoPreemption scope;
      Thing* first = w.New(ts, 0, kLargeThing);
      SetMaybeWeakref(first);
      slot.store(AsValue(first), kRelease);
    }
    w.Meet(3);
    w.Put(ts, slot, lock, nullptr);
    ts->Safepoint();
  });
  w.Spawn("taker", [&](ThreadState* ts) {
    w.Meet(3);
    ts->Safepoint();
    Thing* mine = w.New(ts, 1, kLargeThing);
    SetMaybeWeakref(mine);
    w.Hold(mine);
    SCHED_CHECK(IsOwnedByMe(mine));
    other_slot.store(AsValue(mine), kRelease);
    Incref(mine);
    w.Drop(ts, mine);
    w.Put(ts, other_slot, lock, nullptr);
  });
  w.Spawn("reader", [&](ThreadState* ts) {
    w.Meet(3);
    ReadSome(w, ts, slot, lock, 1);
  });
  w.Finish(2);
}

TEST(LoadRefProtocolTest, OtherThreadReuse) {
  ExpectOk(FewPreemptions(1), OtherThreadReuse);
  ExpectOk(RandomRuns(4000), OtherThreadReuse);
}

// The dormant page's memory is given back to the OS meanwhile: zeros are dead.
void ZeroedWhileLooking(SchedRun& run) {
  World w(run);
  Mutex lock(0);
  Slot slot(0);
  w.Spawn("writer", [&](ThreadState* ts) {
    {
      sched::NoPreemption scope;
      Thing* first = w.New(ts, 0, kLargeThing);
      SetMaybeWeakref(first);
      slot.store(AsValue(first), kRelease);
    }
    w.Meet(3);
    w.Put(ts, slot, lock, nullptr);
    ts->Safepoint();
  });
  run.Spawn([&] {
    w.Meet(3);
    w.heap().Purge();
  });
  w.Spawn("reader", [&](ThreadState* ts) {
    w.Meet(3);
    ReadSome(w, ts, slot, lock, 1);
  });
  w.Finish(1);
}

TEST(LoadRefProtocolTest, ZeroedWhileLooking) {
  ExpectOk(FewPreemptions(1), ZeroedWhileLooking);
  ExpectOk(RandomRuns(2000), ZeroedWhileLooking);
}

// The page becomes raw memory, whose words look like a live header to a reader
// with the old pointer: that must wait for the goal. The word -3 is one that a
// count and its undoing do not leave as it was.
void AnotherLayout(SchedRun& run) {
  World w(run);
  Mutex lock(0);
  Slot slot(0);
  w.Spawn("writer", [&](ThreadState* ts) {
    uintptr_t where;
    {
      sched::NoPreemption scope;
      Thing* first = w.New(ts, 0, kLargeThing);
      SetMaybeWeakref(first);
      slot.store(AsValue(first), kRelease);
      where = AsValue(first);
    }
    w.Meet(2);
    w.Put(ts, slot, lock, nullptr);
    // As often as the goal may need; every try could get the old place.
    for (int i = 0; i < 3; ++i) {
      ts->Safepoint();
      auto* words = static_cast<Atomic<int64_t>*>(
          ts->heap()->Allocate(HeapKind::kRaw, kLargeThing));
      SCHED_CHECK(words != nullptr);
      {
        sched::NoPreemption scope;
        for (int k = 0; k < 4; ++k) words[k].store(0, kRelaxed);
        words[2].store(-3, kRelaxed);  // where the shared word was
      }
      SpinPause();  // a chance for the reader
      SCHED_CHECK(words[2].load(kRelaxed) == -3);
      SCHED_CHECK(words[1].load(kRelaxed) == 0);
      if (AsValue(reinterpret_cast<ObjectHeader*>(words)) == where) {
        sched::Note("raw memory has the old place");
      }
      ts->heap()->Free(words);
    }
  });
  w.Spawn("reader", [&](ThreadState* ts) {
    w.Meet(2);
    ReadSome(w, ts, slot, lock, 1);
  });
  w.Finish(1);
}

TEST(LoadRefProtocolTest, AnotherLayout) {
  ExpectOk(FewPreemptions(2, 6000), AnotherLayout);
  ExpectOk(RandomRuns(3000), AnotherLayout);
}

// A list of one item whose array is replaced. The old array keeps its pointers,
// so the slot alone cannot tell that the item has left the list.
struct Items {
  void* link;  // the limbo's, once freed delayed
  Slot slot;
};

struct List {
  Mutex lock{0};
  Atomic<Items*> items{nullptr};
};

Items* NewItems(ThreadState* ts, uintptr_t value) {
  Items* items = static_cast<Items*>(
      ts->heap()->Allocate(HeapKind::kRaw, sizeof(Items)));
  SCHED_CHECK(items != nullptr);
  items->slot.store(value, kRelaxed);
  return items;
}

Thing* LoadItem(World& w, ThreadState* ts, List& list) {
  uintptr_t value = 0;
  Items* items = list.items.load(kAcquire);  // pairs with the writer's release
  if (!LoadRefFromArray(ts, items->slot, list.items, items, &value)) {
    MutexLock guard(&list.lock);
    value = LoadRefLocked(list.items.load(kRelaxed)->slot);
  }
  if (value == 0) return nullptr;
  Thing* thing = static_cast<Thing*>(AsObject(value));
  w.Hold(thing);
  return thing;
}

// `coarse`: what the writer does between its unlock and its safepoint is one step. A search
// with few preemptions, or a random one, does not get through its many steps while the
// reader stands between its load and its re-check, which is where it matters.
void ArrayIsReplaced(SchedRun& run, bool coarse) {
  constexpr int kMostStrangers = 3;
  World w(run);
  List list;
  Thing* there[kMostStrangers];
  int strangers = 0;  // the writer's, till it has ended
  w.Spawn("writer", [&](ThreadState* ts) {
    {
      sched::NoPreemption scope;
      Thing* first = w.New(ts, 0, kLargeThing);
      SetMaybeWeakref(first);
      list.items.store(NewItems(ts, AsValue(first)), kRelease);
    }
    w.Meet(2);
    // Grows: the new array takes the item over.
    uintptr_t old;
    std::optional<sched::NoPreemption> step;
    {
      MutexLock guard(&list.lock);
      if (coarse) step.emplace();
      Items* before = list.items.load(kRelaxed);
      Items* after = NewItems(ts, before->slot.load(kRelaxed));
      list.items.store(after, kRelease);
      ts->heap()->FreeDelayed(before);
      // Item assignment in the new array.
      Thing* second = w.New(ts, 1);
      SetMaybeWeakref(second);
      old = ExchangeSlotLocked(after->slot, AsValue(second));
    }
    DecrefValue(ts, old);
    // One comes where `first` was, if that has died; none was ever in the list.
    while (strangers < kMostStrangers) {
      Thing* stranger = w.New(ts, 2 + static_cast<uint64_t>(strangers), kLargeThing);
      SetMaybeWeakref(stranger);
      w.Hold(stranger);
      there[strangers++] = stranger;
      if (AsValue(stranger) == old) break;
    }
    step.reset();
    ts->Safepoint();
    for (int i = 0; i < strangers; ++i) w.Drop(ts, there[i]);
    ts->Safepoint();
  });
  w.Spawn("reader", [&](ThreadState* ts) {
    w.Meet(2);
    for (int i = 0; i < 2; ++i) {
      Thing* got = LoadItem(w, ts, list);
      SCHED_CHECK(got != nullptr && got->id < 2);
      w.Drop(ts, got);
      ts->Safepoint();
    }
  });
  run.RunAll();
  w.Spawn("cleaner", [&](ThreadState* ts) {
    sched::NoPreemption scope;
    Items* items = list.items.load(kRelaxed);
    DecrefValue(ts, items->slot.load(kRelaxed));
    ts->heap()->Free(items);
  });
  w.Finish(2 + static_cast<uint64_t>(strangers));
}

TEST(LoadRefProtocolTest, ArrayIsReplaced) {
  for (bool coarse : {true, false}) {
    auto body = [coarse](SchedRun& run) { ArrayIsReplaced(run, coarse); };
    ExpectOk(FewPreemptions(2, 4000), body);
    ExpectOk(RandomRuns(2000), body);
  }
}

}  // namespace
}  // namespace tidepool::protocols
