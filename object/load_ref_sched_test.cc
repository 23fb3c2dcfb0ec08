// Lock-free readers against replacement, death and re-use at once.
//
// Blocks of 8 KiB: a page has few of them, so the writer gets the block that it
// has just freed again after a few allocations, as something else.
#include "tidepool/object/internal/sched_world.h"

namespace tidepool::testing {
namespace {

using sched::SchedRun;

constexpr uint64_t kShared = 1;   // was published in the slot
constexpr uint64_t kPrivate = 2;  // never was
constexpr size_t kBig = 8192;

Node* NewBig(ThreadState* ts, uint64_t value) {
  Node* node = static_cast<Node*>(NewObject(ts, &kNodeType, kBig));
  TP_CHECK(node != nullptr);
  node->weakrefs.store(nullptr, kRelaxed);
  node->a.store(0, kRelaxed);
  node->b.store(0, kRelaxed);
  node->value = value;
  return node;
}

// Allocates private objects until one lies at `old` (or a few times).
struct Reuser {
  static constexpr int kMax = 9;
  Node* nodes[kMax];
  int count = 0;

  void Reuse(ThreadState* ts, const Node* old) {
    while (count < kMax) {
      Node* node = NewBig(ts, kPrivate);
      SetMaybeWeakref(node);  // as an object that is shared elsewhere
      nodes[count++] = node;
      if (node == old) return;
    }
  }
  void Drop(ThreadState* ts) {
    while (count > 0) Decref(ts, nodes[--count]);
  }
};

void ReadSlot(ThreadState* ts, const Slot& slot) {
  uintptr_t value = 0;
  if (!LoadRef(ts, slot, &value) || value == 0) return;
  Node* node = static_cast<Node*>(AsObject(value));
  SCHED_CHECK(node->value == kShared);
  SCHED_CHECK(!IsDeadHeader(node));
  Decref(ts, node);
}

TEST(LoadRefSched, SlotReplacedAndBlockUsedAgain) {
  ExploreOk(4000, [](SchedRun& run) {
    SchedWorld world;
    Slot slot(0);
    Event ready(0);
    world.Spawn(run, [&](ThreadState* ts) {
      Node* first = NewBig(ts, kShared);
      SetMaybeWeakref(first);
      ExchangeSlot(slot, AsValue(first));
      ready.Set();
      DecrefValue(ts, ExchangeSlot(slot, 0));
      Reuser reuser;
      reuser.Reuse(ts, first);
      ts->Safepoint();
      reuser.Drop(ts);
      ts->Safepoint();
    });
    world.Spawn(run, [&](ThreadState* ts) {
      {
        BlockingScope blocking(ts);
        ready.Wait();
      }
      ReadSlot(ts, slot);
      ReadSlot(ts, slot);
      ts->Safepoint();
    });
    run.RunAll();
    SCHED_CHECK(world.Live() == 0);
  });
}

// The slot changes without marks: readers are declined or right.
TEST(LoadRefSched, UnmarkedObjects) {
  ExploreOk(2500, [](SchedRun& run) {
    SchedWorld world;
    Slot slot(0);
    Event ready(0);
    world.Spawn(run, [&](ThreadState* ts) {
      Node* first = NewBig(ts, kShared);
      ExchangeSlot(slot, AsValue(first));
      ready.Set();
      Node* second = NewBig(ts, kShared);
      SetMaybeWeakref(second);
      DecrefValue(ts, ExchangeSlot(slot, AsValue(second)));
      Reuser reuser;
      reuser.Reuse(ts, first);
      DecrefValue(ts, ExchangeSlot(slot, 0));
      reuser.Drop(ts);
      ts->Safepoint();
    });
    world.Spawn(run, [&](ThreadState* ts) {
      {
        BlockingScope blocking(ts);
        ready.Wait();
      }
      ReadSlot(ts, slot);
      ReadSlot(ts, slot);
      ts->Safepoint();
    });
    run.RunAll();
    SCHED_CHECK(world.Live() == 0);
  });
}

struct Array {
  uintptr_t limbo_link;
  Slot items[2];
};

// The array is replaced; the item dies; its block holds a stranger, to which
// the old array still points.
TEST(LoadRefSched, ArrayReplacedAndItemUsedAgain) {
  ExploreOk(4000, [](SchedRun& run) {
    SchedWorld world;
    Atomic<Array*> container(nullptr);
    Event ready(0);
    world.Spawn(run, [&](ThreadState* ts) {
      auto new_array = [&] {
        Array* array = static_cast<Array*>(
            ts->heap()->Allocate(HeapKind::kRaw, sizeof(Array)));
        array->items[0].store(0, kRelaxed);
        array->items[1].store(0, kRelaxed);
        return array;
      };
      Node* item = NewBig(ts, kShared);
      SetMaybeWeakref(item);
      Array* old = new_array();
      old->items[0].store(AsValue(item), kRelease);
      container.store(old, kRelease);
      ready.Set();
      Array* bigger = new_array();
      bigger->items[0].store(AsValue(item), kRelease);
      container.store(bigger, kRelease);
      ts->heap()->FreeDelayed(old);
      DecrefValue(ts, ExchangeSlot(bigger->items[0], 0));
      Reuser reuser;
      reuser.Reuse(ts, item);
      ts->Safepoint();
      reuser.Drop(ts);
      container.store(nullptr, kRelease);
      ts->heap()->FreeDelayed(bigger);
      ts->Safepoint();
    });
    world.Spawn(run, [&](ThreadState* ts) {
      {
        BlockingScope blocking(ts);
        ready.Wait();
      }
      for (int i = 0; i < 2; ++i) {
        ts->Safepoint();
        Array* array = container.load(kAcquire);
        if (array == nullptr) break;
        uintptr_t value = 0;
        if (!LoadRefFromArray(ts, array->items[0], container, array, &value)) {
          continue;
        }
        Node* node = static_cast<Node*>(AsObject(value));
        SCHED_CHECK(node->value == kShared);
        Decref(ts, node);
      }
    });
    run.RunAll();
    SCHED_CHECK(world.Live() == 0);
  });
}

TEST(LoadRefSched, WeakRefAgainstDeathAndReuse) {
  ExploreOk(4000, [](SchedRun& run) {
    SchedWorld world;
    WeakRef* ref = nullptr;
    Event ready(0);
    world.Spawn(run, [&](ThreadState* ts) {
      Node* target = NewBig(ts, kShared);
      ref = NewWeakRef(ts, &kWeakRefType, target, 0);
      Incref(ref);
      ready.Set();
      Decref(ts, target);
      Reuser reuser;
      reuser.Reuse(ts, target);
      ts->Safepoint();
      reuser.Drop(ts);
      Decref(ts, ref);
    });
    world.Spawn(run, [&](ThreadState* ts) {
      {
        BlockingScope blocking(ts);
        ready.Wait();
      }
      for (int i = 0; i < 2; ++i) {
        ObjectHeader* got = GetWeakRefTarget(ts, ref);
        if (got == nullptr) break;
        SCHED_CHECK(static_cast<Node*>(got)->value == kShared);
        Decref(ts, got);
      }
      Decref(ts, ref);
      ts->Safepoint();
    });
    run.RunAll();
    SCHED_CHECK(world.Live() == 0);
  });
}

// A weakref is followed while its target's finalizer resurrects it: whoever gets it gets it
// whole, it is finalized once, and it dies once, when the last reference goes.
TEST(LoadRefSched, WeakRefAgainstResurrection) {
  ExploreOk(3000, [](SchedRun& run) {
    SchedWorld world;
    Slot slot(0);
    WeakRef* ref = nullptr;
    Event ready(0);
    g_finalizer = [&](ThreadState*, ObjectHeader* obj) {
      Incref(obj);
      SetMaybeWeakref(obj);
      ExchangeSlot(slot, AsValue(obj));
    };
    world.Spawn(run, [&](ThreadState* ts) {
      Node* target = NewNode(ts, &kFinalNodeType);
      target->value = kShared;
      ref = NewWeakRef(ts, &kWeakRefType, target, 0);
      Incref(ref);
      ready.Set();
      Decref(ts, target);
      ts->Safepoint();
      Decref(ts, ref);
    });
    world.Spawn(run, [&](ThreadState* ts) {
      {
        BlockingScope blocking(ts);
        ready.Wait();
      }
      for (int i = 0; i < 2; ++i) {
        if (ObjectHeader* got = GetWeakRefTarget(ts, ref)) {
          SCHED_CHECK(static_cast<Node*>(got)->value == kShared);
          SCHED_CHECK(!IsDeadHeader(got));
          Decref(ts, got);
        }
        ts->Safepoint();
      }
      Decref(ts, ref);
    });
    run.RunAll();
    ThreadState* ts = world.isolate()->AttachThread("main");
    ts->Safepoint();
    SCHED_CHECK(Finalizes() == 1);
    SCHED_CHECK(Deallocs() == 0);
    DecrefValue(ts, ExchangeSlot(slot, 0));
    world.isolate()->LeaveThread(ts);
    SCHED_CHECK(world.Live() == 0);
    SCHED_CHECK(Deallocs() == 1);
    g_finalizer = nullptr;
  });
}

// While a thread is the only holder nobody can get in, stale readers included.
TEST(LoadRefSched, OnlyHolder) {
  ExploreOk(3000, [](SchedRun& run) {
    SchedWorld world;
    Slot slot(0);
    Event ready(0);
    world.Spawn(run, [&](ThreadState* ts) {
      Node* node = NewBig(ts, kShared);
      SetMaybeWeakref(node);
      ExchangeSlot(slot, AsValue(node));
      ready.Set();
      ExchangeSlot(slot, 0);
      if (TryMakeUnique(node)) {
        node->value = kPrivate;  // nobody looks
        SCHED_CHECK(IsUniquelyReferenced(node));
        node->value = kShared;
      }
      Decref(ts, node);
      ts->Safepoint();
    });
    world.Spawn(run, [&](ThreadState* ts) {
      {
        BlockingScope blocking(ts);
        ready.Wait();
      }
      ReadSlot(ts, slot);
      ts->Safepoint();
    });
    run.RunAll();
    SCHED_CHECK(world.Live() == 0);
  });
}

// A finalizer shows the object again; readers take it (python/cpython#127582).
TEST(LoadRefSched, FinalizerResurrectsIntoASlot) {
  ExploreOk(2500, [](SchedRun& run) {
    SchedWorld world;
    Slot slot(0);
    Event ready(0);
    g_finalizer = [&](ThreadState*, ObjectHeader* obj) {
      Incref(obj);
      SetMaybeWeakref(obj);
      ExchangeSlot(slot, AsValue(obj));
    };
    world.Spawn(run, [&](ThreadState* ts) {
      Node* node = NewNode(ts, &kFinalNodeType);
      node->value = kShared;
      SetMaybeWeakref(node);
      ExchangeSlot(slot, AsValue(node));
      ready.Set();
      DecrefValue(ts, ExchangeSlot(slot, 0));
      ts->Safepoint();
    });
    for (int i = 0; i < 2; ++i) {
      world.Spawn(run, [&](ThreadState* ts) {
        {
          BlockingScope blocking(ts);
          ready.Wait();
        }
        ReadSlot(ts, slot);
        ts->Safepoint();
        ReadSlot(ts, slot);
        ts->Safepoint();
      });
    }
    run.RunAll();
    ThreadState* ts = world.isolate()->AttachThread("main");
    ts->Safepoint();
    DecrefValue(ts, ExchangeSlot(slot, 0));
    world.isolate()->LeaveThread(ts);
    SCHED_CHECK(world.Live() == 0);
    SCHED_CHECK(Finalizes() == 1);
    SCHED_CHECK(Deallocs() == 1);
    g_finalizer = nullptr;
  });
}

}  // namespace
}  // namespace tidepool::testing
