// Weak references: identity, order, death by count and by the collector's
// steps, promotion against death.
#include "tidepool/object/weakref.h"

#include <vector>

#include "tidepool/object/internal/test_types.h"

namespace tidepool::testing {
namespace {

struct Seen {
  std::vector<WeakRef*> refs;
  std::vector<uintptr_t> callbacks;
};

void Install(World& world, Seen* seen) {
  IsolateHooks hooks;
  hooks.weakref_arg = seen;
  hooks.weakref_callback = [](ThreadState* ts, WeakRef* ref,
                              uintptr_t callback, void* arg) {
    Seen* out = static_cast<Seen*>(arg);
    out->refs.push_back(ref);
    out->callbacks.push_back(callback);
    EXPECT_EQ(GetWeakRefTarget(ts, ref), nullptr);
    EXPECT_EQ(ref->callback.load(kRelaxed), 0u);
  };
  world.isolate()->SetHooks(hooks);
}

TEST(WeakRefTest, GivesTheTargetUntilItDies) {
  World world;
  Node* node = NewNode(world.ts());
  WeakRef* ref = NewWeakRef(world.ts(), &kWeakRefType, node, 0);
  ObjectHeader* got = GetWeakRefTarget(world.ts(), ref);
  EXPECT_EQ(got, node);
  EXPECT_EQ(RefCount(node), 2);
  Decref(world.ts(), got);
  EXPECT_FALSE(IsWeakRefDead(ref));
  Decref(world.ts(), node);
  EXPECT_EQ(Deallocs(), 1);
  EXPECT_TRUE(IsWeakRefDead(ref));
  EXPECT_EQ(GetWeakRefTarget(world.ts(), ref), nullptr);
  Decref(world.ts(), ref);
}

TEST(WeakRefTest, OneWithoutCallbackPerTarget) {
  World world;
  Node* node = NewNode(world.ts());
  WeakRef* first = NewWeakRef(world.ts(), &kWeakRefType, node, 0);
  WeakRef* second = NewWeakRef(world.ts(), &kWeakRefType, node, 0);
  EXPECT_EQ(first, second);
  EXPECT_EQ(RefCount(first), 2);
  WeakRef* with = NewWeakRef(world.ts(), &kWeakRefType, node, 1);
  WeakRef* with2 = NewWeakRef(world.ts(), &kWeakRefType, node, 1);
  EXPECT_NE(with, with2);
  EXPECT_EQ(WeakRefCount(world.ts(), node), 3u);
  WeakRef* list[4];
  EXPECT_EQ(GetWeakRefs(world.ts(), node, list, 4), 3u);
  EXPECT_EQ(list[0], first);
  EXPECT_EQ(list[1], with2);  // newest first
  EXPECT_EQ(list[2], with);
  for (int i = 0; i < 3; ++i) Decref(world.ts(), list[i]);
  for (WeakRef* ref : {first, second, with, with2}) Decref(world.ts(), ref);
  EXPECT_FALSE(HasWeakRefs(node));
  Decref(world.ts(), node);
}

TEST(WeakRefTest, CallbacksRunNewestFirstAndOnlyForLiveWeakrefs) {
  World world;
  Seen seen;
  Install(world, &seen);
  Node* node = NewNode(world.ts());
  std::vector<WeakRef*> refs;
  for (uintptr_t i = 0; i < 4; ++i) {
    refs.push_back(NewWeakRef(world.ts(), &kWeakRefType, node, 2 * i + 1));
  }
  Decref(world.ts(), refs[1]);  // dies before its target
  Decref(world.ts(), node);
  EXPECT_EQ(seen.refs, (std::vector<WeakRef*>{refs[3], refs[2], refs[0]}));
  EXPECT_EQ(seen.callbacks, (std::vector<uintptr_t>{7, 5, 1}));
  for (int i : {0, 2, 3}) Decref(world.ts(), refs[i]);
}

TEST(WeakRefTest, CallbackReferencesAreDropped) {
  World world;
  Seen seen;
  Install(world, &seen);
  Node* node = NewNode(world.ts());
  ObjectHeader* callback = NewLeaf(world.ts());
  WeakRef* a = NewWeakRef(world.ts(), &kWeakRefType, node, AsValue(callback));
  WeakRef* b = NewWeakRef(world.ts(), &kWeakRefType, node, AsValue(callback));
  EXPECT_EQ(RefCount(callback), 3);
  Decref(world.ts(), a);
  EXPECT_EQ(RefCount(callback), 2);
  Decref(world.ts(), node);
  EXPECT_EQ(RefCount(callback), 1);
  Decref(world.ts(), b);
  Decref(world.ts(), callback);
  EXPECT_EQ(Deallocs(), 2);
}

TEST(WeakRefTest, FinalizerSeesThemAndResurrectionKeepsThem) {
  World world;
  Seen seen;
  Install(world, &seen);
  Node* node = NewNode(world.ts(), &kFinalNodeType);
  WeakRef* ref = NewWeakRef(world.ts(), &kWeakRefType, node, 1);
  g_finalizer = [&](ThreadState* ts, ObjectHeader* obj) {
    EXPECT_EQ(GetWeakRefTarget(ts, ref), obj);  // and keeps it: resurrected
  };
  Decref(world.ts(), node);
  EXPECT_TRUE(seen.refs.empty());
  EXPECT_FALSE(IsWeakRefDead(ref));
  Decref(world.ts(), node);  // the finalizer's
  EXPECT_EQ(Deallocs(), 1);
  EXPECT_EQ(seen.refs.size(), 1u);
  EXPECT_EQ(Finalizes(), 1);
  Decref(world.ts(), ref);
}

TEST(WeakRefTest, CollectorDetachesWithoutRunning) {
  World world;
  Seen seen;
  Install(world, &seen);
  Node* node = NewNode(world.ts());
  WeakRef* plain = NewWeakRef(world.ts(), &kWeakRefType, node, 0);
  WeakRef* wanted = NewWeakRef(world.ts(), &kWeakRefType, node, 1);
  WeakRef* trash = NewWeakRef(world.ts(), &kWeakRefType, node, 3);
  WeakCallbackList list;
  {
    StopScope stop(world.ts());
    EXPECT_EQ(DetachWeakRefs(
                  world.isolate(), node, &list,
                  [](WeakRef* ref, void* arg) { return ref != arg; }, trash),
              3u);
  }
  EXPECT_FALSE(HasWeakRefs(node));
  EXPECT_TRUE(IsWeakRefDead(plain));
  EXPECT_TRUE(seen.refs.empty());
  RunWeakCallbacks(world.ts(), &list);
  EXPECT_EQ(seen.refs, (std::vector<WeakRef*>{wanted}));
  for (WeakRef* ref : {plain, wanted, trash}) Decref(world.ts(), ref);
  Decref(world.ts(), node);
}

TEST(WeakRefTest, CallbackMayDropTheOtherWeakrefs) {
  World world;
  Node* node = NewNode(world.ts());
  struct State {
    std::vector<WeakRef*> refs;
    int runs = 0;
  } state;
  for (int i = 0; i < 5; ++i) {
    state.refs.push_back(NewWeakRef(world.ts(), &kWeakRefType, node, 1));
  }
  IsolateHooks hooks;
  hooks.weakref_arg = &state;
  hooks.weakref_callback = [](ThreadState* ts, WeakRef*, uintptr_t, void* arg) {
    State* s = static_cast<State*>(arg);
    if (s->runs++ == 0) {
      for (WeakRef* ref : s->refs) Decref(ts, ref);
    }
  };
  world.isolate()->SetHooks(hooks);
  Decref(world.ts(), node);
  EXPECT_EQ(state.runs, 5);  // the list held them
}

// python/cpython#151223: one thread replaces the target, others query.
TEST(WeakRefTest, QueriesAgainstDeath) {
  World world;
  Slot current(0);
  Atomic<bool> done(false);
  Thread threads[3];
  for (Thread& thread : threads) {
    ASSERT_TRUE(thread.Start([&] {
      ThreadState* ts = world.isolate()->AttachThread("query");
      while (!done.load(kAcquire)) {
        ts->Safepoint();
        uintptr_t value = 0;
        if (!LoadRef(ts, current, &value) || value == 0) continue;
        WeakRef* ref = static_cast<WeakRef*>(AsObject(value));
        if (ObjectHeader* target = GetWeakRefTarget(ts, ref)) {
          EXPECT_EQ(target->type(), &kNodeType);
          EXPECT_EQ(static_cast<Node*>(target)->value, 77u);
          WeakRef* out[2];
          const size_t n = GetWeakRefs(ts, target, out, 2);
          for (size_t i = 0; i < n; ++i) Decref(ts, out[i]);
          WeakRef* again = NewWeakRef(ts, &kWeakRefType, target, 0);
          Decref(ts, again);
          Decref(ts, target);
        }
        Decref(ts, ref);
      }
      world.isolate()->LeaveThread(ts);
    }));
  }
  for (int i = 0; i < 5000; ++i) {
    Node* node = NewNode(world.ts());
    node->value = 77;
    WeakRef* ref = NewWeakRef(world.ts(), &kWeakRefType, node, 0);
    DecrefValue(world.ts(), ExchangeSlot(current, AsValue(ref)));
    Decref(world.ts(), node);
    world.ts()->Safepoint();
  }
  done.store(true, kRelease);
  {
    BlockingScope blocking(world.ts());
    for (Thread& thread : threads) thread.Join();
  }
  DecrefValue(world.ts(), ExchangeSlot(current, 0));
}

}  // namespace
}  // namespace tidepool::testing
