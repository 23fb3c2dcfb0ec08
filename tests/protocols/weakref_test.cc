// Weak references under the scheduler: a promotion gives the target, alive, or
// nothing; never an object that has died, and never a stranger in its block.
// Callbacks run once.
#include "tidepool/object/weakref.h"

#include "tidepool/tests/protocols/world.h"

namespace tidepool::protocols {
namespace {

using sched::SchedRun;

// A target that may be weakly referenced; large, so that its block comes back at
// once.
struct Target : ObjectHeader {
  Atomic<WeakRef*> weakrefs;
  uint64_t id;
};

class WeakWorld : public World {
 public:
  explicit WeakWorld(SchedRun& run) : World(run) {
    target_type_.name = "Target";
    target_type_.flags = kTypeGc;
    target_type_.weakref_offset = sizeof(ObjectHeader);
    target_type_.traverse = [](ObjectHeader*, Visitor, void*) { return 0; };
    target_type_.embedder = this;
    target_type_.dealloc = [](ThreadState* ts, ObjectHeader* obj) {
      auto* world = static_cast<WeakWorld*>(obj->type()->embedder);
      SCHED_CHECK(world->died_[static_cast<Target*>(obj)->id].Add(1) == 1);
      FreeObject(ts, obj);
    };
    weakref_type_.name = "weakref";
    weakref_type_.basic_size = sizeof(WeakRef);
    weakref_type_.flags = kTypeGc | kTypeWeakRef;
    weakref_type_.traverse = &TraverseWeakRef;
    weakref_type_.clear = &ClearWeakRef;
    IsolateHooks hooks;
    hooks.weakref_callback = [](ThreadState*, WeakRef*, uintptr_t, void* raw) {
      static_cast<WeakWorld*>(raw)->callbacks_.Add(1);
    };
    hooks.weakref_arg = this;
    isolate()->SetHooks(hooks);
  }

  Target* NewTarget(ThreadState* ts, uint64_t id) {
    ObjectHeader* obj = NewObject(ts, &target_type_, kLargeThing);
    SCHED_CHECK(obj != nullptr);
    Target* target = static_cast<Target*>(obj);
    target->weakrefs.store(nullptr, kRelaxed);
    target->id = id;
    Track(obj);
    return target;
  }
  // With a callback (any tagged value) or without.
  WeakRef* NewRef(ThreadState* ts, Target* target, bool callback) {
    WeakRef* ref = NewWeakRef(ts, &weakref_type_, target, callback ? 1 : 0);
    SCHED_CHECK(ref != nullptr);
    return ref;
  }
  // One promotion; what comes must be target `id`.
  void Promote(ThreadState* ts, WeakRef* ref, uint64_t id) {
    ObjectHeader* got = GetWeakRefTarget(ts, ref);
    if (got == nullptr) return;
    SCHED_CHECK(static_cast<Target*>(got)->id == id);
    SCHED_CHECK(died_[id].Get() == 0);
    Decref(ts, got);
  }

  int died(uint64_t id) const { return died_[id].Get(); }
  int callbacks() const { return callbacks_.Get(); }

 private:
  TypeInfo target_type_;
  TypeInfo weakref_type_;
  Ghost died_[4];
  Ghost callbacks_;
};

// The target dies, its block comes back as another target, while somebody
// promotes the weakref.
void PromoteAgainstDeath(SchedRun& run) {
  WeakWorld w(run);
  WeakRef* ref = nullptr;
  w.Spawn("owner", [&](ThreadState* ts) {
    Target* target;
    {
      sched::NoPreemption scope;
      target = w.NewTarget(ts, 0);
      ref = w.NewRef(ts, target, false);
      SetMaybeWeakref(ref);
    }
    w.Meet(2);
    Decref(ts, target);
    Target* next = w.NewTarget(ts, 1);
    SetMaybeWeakref(next);
    ts->Safepoint();
    Decref(ts, next);
    ts->Safepoint();
    {
      BlockingScope scope(ts);
      w.Meet(4);
    }
    Decref(ts, ref);
  });
  w.Spawn("promoter", [&](ThreadState* ts) {
    w.Meet(2);
    w.Promote(ts, ref, 0);
    w.Promote(ts, ref, 0);
    ts->Safepoint();
    w.Meet(4);
  });
  w.Finish(0);
  SCHED_CHECK(w.died(0) == 1 && w.died(1) == 1);
}

TEST(WeakRefProtocolTest, PromoteAgainstDeath) {
  ExpectOk(FewPreemptions(2, 8000), PromoteAgainstDeath);
  ExpectOk(RandomRuns(4000), PromoteAgainstDeath);
}

// The weakref with a callback dies at the same time as its target: the callback
// runs at most once, and both are freed.
void BothDie(SchedRun& run) {
  WeakWorld w(run);
  Target* target = nullptr;
  WeakRef* ref = nullptr;
  w.Spawn("owner", [&](ThreadState* ts) {
    {
      sched::NoPreemption scope;
      target = w.NewTarget(ts, 0);
      ref = w.NewRef(ts, target, true);
    }
    w.Meet(2);
    Decref(ts, target);
    ts->Safepoint();
  });
  w.Spawn("other", [&](ThreadState* ts) {
    w.Meet(2);
    Decref(ts, ref);
    ts->Safepoint();
  });
  w.Finish(0);
  SCHED_CHECK(w.died(0) == 1);
  SCHED_CHECK(w.callbacks() <= 1);
}

TEST(WeakRefProtocolTest, BothDie) {
  ExpectOk(FewPreemptions(2, 4000), BothDie);
  ExpectOk(RandomRuns(2500), BothDie);
}

// A new weakref is made, by a holder, while the target's other reference goes.
void MakeAgainstDrop(SchedRun& run) {
  WeakWorld w(run);
  Target* target = nullptr;
  w.Spawn("owner", [&](ThreadState* ts) {
    {
      sched::NoPreemption scope;
      target = w.NewTarget(ts, 0);
      Incref(target);
    }
    w.Meet(2);
    Decref(ts, target);
    ts->Safepoint();
  });
  w.Spawn("other", [&](ThreadState* ts) {
    w.Meet(2);
    WeakRef* ref = w.NewRef(ts, target, true);
    w.Promote(ts, ref, 0);
    Decref(ts, target);
    w.Promote(ts, ref, 0);
    ts->Safepoint();
    Decref(ts, ref);
  });
  w.Finish(0);
  SCHED_CHECK(w.died(0) == 1);
}

TEST(WeakRefProtocolTest, MakeAgainstDrop) {
  ExpectOk(FewPreemptions(2, 4000), MakeAgainstDrop);
  ExpectOk(RandomRuns(2500), MakeAgainstDrop);
}

}  // namespace
}  // namespace tidepool::protocols
