// Finalizers, resurrection and weak references in a pass.

#include <algorithm>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/thread.h"
#include "tidepool/gc/test_world.h"
#include "tidepool/object/object_mutex.h"

namespace tidepool {
namespace {

WeakRef* NewWeak(World& w, ObjectHeader* target, Node* callback = nullptr) {
  return NewWeakRef(w.ts, &kWeakRefType, target,
                    callback == nullptr ? 0 : AsValue(callback));
}

// All finalizers run before anything is torn down.
TEST(FinalizerTest, PeersAreWhole) {
  World w;
  g_on_finalize = [&](ThreadState*, Node* n) {
    EXPECT_EQ(Get(n, 0)->id, (n->id + 1) % 5);
    EXPECT_EQ(w.freed(), 0);
  };
  w.Drop(NewRing(w.ts, 5, &kFinalizedType));
  CollectStats stats = w.Collect();
  EXPECT_EQ(stats.collected, 5u);
  EXPECT_EQ(stats.finalizers, 5u);
  EXPECT_EQ(w.finalized(), 5);
  EXPECT_EQ(w.freed(), 5);
}

TEST(FinalizerTest, RunsWithTheWorldRunning) {
  World w;
  g_on_finalize = [&](ThreadState* ts, Node*) {
    EXPECT_FALSE(w.isolate->StoppedBy(ts));
    StopScope stop(ts);  // which would hang or fail inside a stop
  };
  w.Drop(NewRing(w.ts, 2, &kFinalizedType));
  EXPECT_EQ(w.Collect().finalizers, 2u);
}

// C02, C05: a plain increment resurrects; the finalizer ran once; header words hold.
TEST(FinalizerTest, ResurrectionOfAllThenDeath) {
  World w;
  std::vector<Node*> saved;
  g_on_finalize = [&](ThreadState*, Node* n) {
    if (n->id == 0) {
      Incref(n);
      saved.push_back(n);
    }
  };
  w.Drop(NewRing(w.ts, 4, &kFinalizedType));
  CollectStats stats = w.Collect();
  EXPECT_EQ(stats.collected, 0u);
  EXPECT_EQ(stats.resurrected, 4u);
  EXPECT_EQ(w.freed(), 0);
  ASSERT_EQ(saved.size(), 1u);
  w.CheckHeaders();  // owner id 0 if and only if merged
  EXPECT_TRUE(Collector::IsFinalized(saved[0]));
  EXPECT_TRUE(Collector::IsTracked(saved[0]));
  EXPECT_EQ(RefCount(saved[0]), 2);
  EXPECT_EQ(w.Collect().collected, 0u);
  w.Drop(saved[0]);
  EXPECT_EQ(w.Collect().collected, 4u);
  EXPECT_EQ(w.finalized(), 4);  // not again
  EXPECT_EQ(w.freed(), 4);
}

TEST(FinalizerTest, DroppedByAnotherThreadAfterResurrection) {
  World w;
  Node* saved = nullptr;
  g_on_finalize = [&](ThreadState*, Node* n) {
    Incref(n);
    saved = n;
  };
  w.Drop(NewRing(w.ts, 1, &kFinalizedType));
  EXPECT_EQ(w.Collect().resurrected, 1u);
  Set(w.ts, saved, 0, nullptr);  // no ring any more
  w.ts->Detach();
  Thread thread;
  struct Arg {
    World* w;
    Node* saved;
  } arg{&w, saved};
  ASSERT_TRUE(thread.Start([&arg] {
    ThreadState* ts = arg.w->isolate->AttachThread("other");
    Decref(ts, arg.saved);
    arg.w->isolate->LeaveThread(ts);
  }));
  thread.Join();
  w.ts->Attach();
  EXPECT_EQ(w.freed(), 1);
  EXPECT_EQ(w.finalized(), 1);
}

// Part of the garbage comes back, with what it reaches; the rest goes.
TEST(FinalizerTest, ResurrectionOfAPart) {
  World w;
  // Two rings; ring a also refers to ring b. Only b is resurrected.
  Node* a = NewRing(w.ts, 3, &kFinalizedType);
  Node* b = NewRing(w.ts, 5, &kNodeType);
  Set(w.ts, a, 1, b);
  Node* saved = nullptr;
  g_on_finalize = [&](ThreadState*, Node* n) {
    if (n->id == 0) {
      saved = Get(n, 1);
      Incref(saved);
    }
  };
  w.Drop(a);
  w.Drop(b);
  CollectStats stats = w.Collect();
  EXPECT_EQ(stats.collected, 3u);
  EXPECT_EQ(stats.resurrected, 5u);
  EXPECT_EQ(w.freed(), 3);
  ASSERT_EQ(saved, b);
  EXPECT_EQ(RefCount(b), 2);  // the ring's and ours
  w.CheckHeaders();
  w.Drop(b);
  EXPECT_EQ(w.Collect().collected, 5u);
}

TEST(FinalizerTest, FinalizerThatBreaksTheCycleItself) {
  World w;
  g_on_finalize = [&](ThreadState* ts, Node* n) { ClearNode(ts, n); };
  w.Drop(NewRing(w.ts, 10, &kFinalizedType));
  EXPECT_EQ(w.Collect().collected, 10u);
  EXPECT_EQ(w.freed(), 10);
}

TEST(FinalizerTest, FinalizerThatMakesNewGarbage) {
  World w;
  g_on_finalize = [&](ThreadState* ts, Node* n) {
    Node* fresh = NewNode(ts);
    Set(ts, fresh, 0, n);  // a new, dead cycle through the dying object
    Set(ts, fresh, 1, fresh);
    Decref(ts, fresh);
  };
  w.Drop(NewRing(w.ts, 1, &kFinalizedType));
  CollectStats stats = w.Collect();
  EXPECT_EQ(stats.resurrected, 1u);  // by an object this pass does not know
  EXPECT_EQ(w.Collect().collected, 2u);
  EXPECT_EQ(w.live_blocks(), 0u);
}

TEST(FinalizerTest, LockHeldDuringRevivalAndBitsSurvive) {
  World w;
  Node* saved = nullptr;
  g_on_finalize = [&](ThreadState* ts, Node* n) {
    LockObject(ts, n);
    n->flags.fetch_or(1 << kFlagEmbedderShift, kRelaxed);
    Incref(n);
    saved = n;
  };
  w.Drop(NewRing(w.ts, 1, &kFinalizedType));
  EXPECT_EQ(w.Collect().resurrected, 1u);
  EXPECT_TRUE(saved->mutex.IsLocked());
  EXPECT_NE(saved->flags.load(kRelaxed) & (1 << kFlagEmbedderShift), 0);
  UnlockObject(saved);
  w.Drop(saved);
  EXPECT_EQ(w.Collect().collected, 1u);
  EXPECT_EQ(w.finalized(), 1);
}

TEST(WeakRefTest, CallbacksOfLiveWeakRefsOnly) {
  World w;
  Node* ring = NewRing(w.ts, 2);
  Node* callback = NewNode(w.ts, &kNodeType, 42);
  Node* inner_callback = NewNode(w.ts, &kNodeType, 43);
  WeakRef* outside = NewWeak(w, ring, callback);
  WeakRef* inside = NewWeak(w, ring, inner_callback);
  Set(w.ts, ring, 1, inside);  // part of the garbage
  w.Drop(inside);
  w.Drop(ring);
  CollectStats stats = w.Collect();
  EXPECT_EQ(stats.collected, 3u);
  EXPECT_EQ(stats.weakrefs_cleared, 2u);
  EXPECT_EQ(w.callbacks, std::vector<int64_t>({42}));
  EXPECT_TRUE(IsWeakRefDead(outside));
  EXPECT_EQ(GetWeakRefTarget(w.ts, outside), nullptr);
  w.Drop(outside);
  w.Drop(callback);
  w.Drop(inner_callback);
  EXPECT_EQ(w.live_blocks(), 0u);
}

// C21, by cycle: weakrefs are cleared, callbacks run, then finalizers.
TEST(WeakRefTest, OrderInACollection) {
  World w;
  std::vector<std::string> order;
  w.on_callback = [&](ThreadState*, WeakRef* ref) {
    EXPECT_TRUE(IsWeakRefDead(ref));
    order.push_back("callback");
  };
  WeakRef* plain = nullptr;
  g_on_finalize = [&](ThreadState* ts, Node*) {
    order.push_back(GetWeakRefTarget(ts, plain) == nullptr ? "dead" : "alive");
  };
  Node* ring = NewRing(w.ts, 1, &kFinalizedType);
  Node* callback = NewNode(w.ts, &kNodeType, 1);
  plain = NewWeak(w, ring);
  WeakRef* with_callback = NewWeak(w, ring, callback);
  w.Drop(ring);
  EXPECT_EQ(w.Collect().collected, 1u);
  EXPECT_EQ(order, std::vector<std::string>({"callback", "dead"}));
  w.Drop(plain);
  w.Drop(with_callback);
  w.Drop(callback);
}

TEST(WeakRefTest, NewestCallbackFirst) {
  World w;
  Node* ring = NewRing(w.ts, 1);
  std::vector<Node*> made;
  std::vector<WeakRef*> refs;
  for (int i = 0; i < 4; ++i) {
    made.push_back(NewNode(w.ts, &kNodeType, i));
    refs.push_back(NewWeak(w, ring, made.back()));
  }
  w.Drop(ring);
  w.Collect();
  EXPECT_EQ(w.callbacks, std::vector<int64_t>({3, 2, 1, 0}));
  for (int i = 0; i < 4; ++i) {
    w.Drop(refs[i]);
    w.Drop(made[i]);
  }
}

TEST(WeakRefTest, MadeInAFinalizerIsDeadAfterwards) {
  World w;
  WeakRef* made = nullptr;
  Node* callback = NewNode(w.ts, &kNodeType, 9);
  g_on_finalize = [&](ThreadState* ts, Node* n) {
    if (made == nullptr) {
      made = NewWeakRef(ts, &kWeakRefType, n, AsValue(callback));
    }
  };
  w.Drop(NewRing(w.ts, 3, &kFinalizedType));
  EXPECT_EQ(w.Collect().collected, 3u);
  ASSERT_NE(made, nullptr);
  EXPECT_TRUE(IsWeakRefDead(made));
  EXPECT_TRUE(w.callbacks.empty());
  w.Drop(made);
  w.Drop(callback);
  EXPECT_EQ(w.live_blocks(), 0u);
}

// C20: a callback that drops what holds it.
TEST(WeakRefTest, CallbackThatDropsTheWeakRefs) {
  World w;
  Node* holder = NewNode(w.ts);
  Node* callback = NewNode(w.ts, &kNodeType, 5);
  Node* ring = NewRing(w.ts, 1);
  for (int i = 0; i < Node::kSlots; ++i) {
    Give(w.ts, holder, i, NewWeak(w, ring, callback));
  }
  w.on_callback = [&](ThreadState* ts, WeakRef*) { ClearNode(ts, holder); };
  w.Drop(ring);
  EXPECT_EQ(w.Collect().collected, 1u);
  EXPECT_EQ(w.callbacks.size(), 4u);  // each was alive when the pass took them
  w.Drop(holder);
  w.Drop(callback);
  EXPECT_EQ(w.live_blocks(), 0u);
}

TEST(WeakRefTest, ClearedOneOfAResurrectedObjectStaysDead) {
  World w;
  Node* saved = nullptr;
  g_on_finalize = [&](ThreadState*, Node* n) {
    Incref(n);
    saved = n;
  };
  Node* ring = NewRing(w.ts, 1, &kFinalizedType);
  WeakRef* ref = NewWeak(w, ring);
  w.Drop(ring);
  EXPECT_EQ(w.Collect().resurrected, 1u);
  EXPECT_EQ(GetWeakRefTarget(w.ts, ref), nullptr);
  WeakRef* again = NewWeak(w, saved);
  ObjectHeader* target = GetWeakRefTarget(w.ts, again);
  EXPECT_EQ(target, saved);
  w.Drop(target);
  w.Drop(ref);
  w.Drop(again);
  w.Drop(saved);
  EXPECT_EQ(w.Collect().collected, 1u);
}

}  // namespace
}  // namespace tidepool
