// Deallocation: finalizers once, resurrection, what a stop sees meanwhile, and
// chains of any depth on small stacks.
#include "tidepool/object/object.h"

#include <vector>

#include "tidepool/object/internal/test_types.h"

namespace tidepool::testing {
namespace {

TEST(ObjectTest, KindsOfBlocks) {
  World world;
  EXPECT_EQ(HeapKindOf(&kLeafType), HeapKind::kObject);
  EXPECT_EQ(HeapKindOf(&kNodeType), HeapKind::kGc);
  EXPECT_EQ(HeapKindOf(&kPreNodeType), HeapKind::kGcPre);
  Node* node = NewNode(world.ts(), &kPreNodeType);
  const uint64_t* pre = reinterpret_cast<uint64_t*>(BlockOf(node, node->type()));
  EXPECT_EQ(reinterpret_cast<const char*>(pre) + 16,
            reinterpret_cast<const char*>(node));
  EXPECT_EQ(pre[0] | pre[1], 0u);
  EXPECT_EQ(CountObjects(world.ts()).tracked, 1u);
  Decref(world.ts(), node);
  EXPECT_EQ(Deallocs(), 1);
}

TEST(ObjectTest, DeallocDropsFields) {
  World world;
  Node* outer = NewNode(world.ts());
  outer->a.store(AsValue(NewNode(world.ts())), kRelaxed);
  outer->b.store(3, kRelaxed);  // tagged
  Decref(world.ts(), outer);
  EXPECT_EQ(Deallocs(), 2);
}

TEST(ObjectTest, AbandonedConstructionLeavesNothing) {
  World world;
  AbandonNew(world.ts(), NewLeaf(world.ts()));
  EXPECT_EQ(CountObjects(world.ts()).live, 0u);
}

TEST(ObjectTest, FinalizerRunsOnceAndMayResurrect) {
  World world;
  Node* saved = nullptr;
  g_finalizer = [&](ThreadState*, ObjectHeader* obj) {
    // Alive in every respect.
    EXPECT_EQ(RefCount(obj), 1);
    EXPECT_TRUE(IsTracked(obj));
    Incref(obj);
    saved = static_cast<Node*>(obj);
  };
  Node* node = NewNode(world.ts(), &kFinalNodeType);
  Decref(world.ts(), node);
  EXPECT_EQ(Finalizes(), 1);
  EXPECT_EQ(Deallocs(), 0);
  ASSERT_EQ(saved, node);
  EXPECT_TRUE(IsFinalized(node));
  EXPECT_EQ(RefCount(node), 1);
  EXPECT_TRUE(IsOwnedByMe(node));
  EXPECT_TRUE(IsTracked(node));
  Decref(world.ts(), node);
  EXPECT_EQ(Finalizes(), 1);
  EXPECT_EQ(Deallocs(), 1);
}

// python/cpython#113750: revival must not touch bits, lock and owner.
TEST(ObjectTest, RevivalKeepsBitsLockAndOwner) {
  World world;
  Node* node = NewNode(world.ts(), &kFinalNodeType);
  node->gc_bits.fetch_or(kGcMarkB, kRelaxed);
  g_finalizer = [&](ThreadState* ts, ObjectHeader* obj) {
    EXPECT_EQ(obj->tid.load(kRelaxed), ts->tid());
    EXPECT_EQ(obj->gc_bits.load(kRelaxed), kGcTracked | kGcFinalized | kGcMarkB);
    LockObject(ts, obj);
    Incref(obj);
  };
  Decref(world.ts(), node);
  EXPECT_TRUE(node->mutex.IsLocked());
  UnlockObject(node);
  EXPECT_EQ(node->gc_bits.load(kRelaxed), kGcTracked | kGcFinalized | kGcMarkB);
  Decref(world.ts(), node);
  EXPECT_EQ(Finalizes(), 1);
}

// python/cpython#121794: owner id 0 if and only if merged, also when a merged
// object was resurrected; dropped then by the same and by another thread.
TEST(ObjectTest, ResurrectedMergedObject) {
  for (bool foreign : {false, true}) {
    World world;
    g_finalizer = [&](ThreadState*, ObjectHeader* obj) { Incref(obj); };
    Node* node = NewNode(world.ts(), &kFinalNodeType);
    SetMaybeWeakref(node);  // dies merged
    Decref(world.ts(), node);
    EXPECT_EQ(RefState(node->shared.load(kRelaxed)), kRefMerged);
    EXPECT_EQ(node->tid.load(kRelaxed), 0u);
    EXPECT_EQ(CountObjects(world.ts()).merged, 1u);
    if (foreign) {
      world.OnThread([&](ThreadState* other) { Decref(other, node); });
    } else {
      Decref(world.ts(), node);
    }
    EXPECT_EQ(Deallocs(), 1);
    EXPECT_EQ(Finalizes(), 1);
  }
}

TEST(ObjectTest, FinalizerHandsTheObjectToAnotherThread) {
  World world;
  Slot shared_slot(0);
  g_finalizer = [&](ThreadState*, ObjectHeader* obj) {
    SetMaybeWeakref(obj);
    Incref(obj);
    ExchangeSlot(shared_slot, AsValue(obj));
    world.OnThread([&](ThreadState* other) {
      uintptr_t value = 0;
      EXPECT_TRUE(LoadRef(other, shared_slot, &value));
      ExchangeSlot(shared_slot, 0);
      Decref(other, AsObject(value));
      Decref(other, AsObject(value));
    });
  };
  Decref(world.ts(), NewNode(world.ts(), &kFinalNodeType));
  EXPECT_EQ(Deallocs(), 1);
  EXPECT_EQ(Finalizes(), 1);
}

// python/cpython#153809: a destructor that reaches a stop of the world must not
// show the collector a dead object that is tracked.
TEST(ObjectTest, StopInsideDealloc) {
  World world;
  static HeaderCensus census;
  TypeInfo type = kNodeType;
  type.dealloc = [](ThreadState* ts, ObjectHeader* obj) {
    census = CountObjects(ts);
    DeallocNode(ts, obj);
  };
  Node* node = NewNode(world.ts(), &type);
  Decref(world.ts(), node);
  EXPECT_EQ(census.live, 0u);
  EXPECT_EQ(census.tracked, 0u);
  EXPECT_EQ(census.dying, 1u);  // so its class is known to be needed
}

// --- Deep chains. ---

Node* Chain(ThreadState* ts, int depth, const TypeInfo* type = &kNodeType) {
  Node* head = nullptr;
  for (int i = 0; i < depth; ++i) {
    Node* node = NewNode(ts, type);
    node->a.store(AsValue(head), kRelaxed);
    head = node;
  }
  return head;
}

constexpr int kDepth = 1000000;
constexpr size_t kSmallStack = 128 << 10;

TEST(ObjectTest, DeepChainDroppedByOwnerOnASmallStack) {
  World world;
  Thread thread;
  ASSERT_TRUE(thread.Start(
      [&] {
        ThreadState* ts = world.isolate()->AttachThread("small");
        Decref(ts, Chain(ts, kDepth));
        EXPECT_EQ(Deallocs(), kDepth);
        world.isolate()->LeaveThread(ts);
      },
      kSmallStack));
  thread.Join();
}

TEST(ObjectTest, DeepChainDroppedByAnotherThread) {
  World world;
  Node* chain = Chain(world.ts(), kDepth);
  Thread thread;
  ASSERT_TRUE(thread.Start(
      [&] {
        ThreadState* ts = world.isolate()->AttachThread("small");
        Decref(ts, chain);  // its owner is blocked
        world.isolate()->LeaveThread(ts);
      },
      kSmallStack));
  {
    BlockingScope blocking(world.ts());
    thread.Join();
  }
  world.ts()->Safepoint();
  EXPECT_EQ(Deallocs(), kDepth);
}

TEST(ObjectTest, DeepChainThroughTheQueue) {
  World world;
  Event made(0), dropped(0);
  Node* chain = nullptr;
  Thread thread;
  ASSERT_TRUE(thread.Start(
      [&] {
        ThreadState* ts = world.isolate()->AttachThread("small");
        chain = Chain(ts, kDepth);
        made.Set();
        dropped.Wait();
        ts->Safepoint();
        EXPECT_EQ(Deallocs(), kDepth);
        world.isolate()->LeaveThread(ts);
      },
      kSmallStack));
  made.Wait();
  Decref(world.ts(), chain);
  EXPECT_EQ(Deallocs(), 0);
  dropped.Set();
  thread.Join();
}

TEST(ObjectTest, DeepChainWithFinalizers) {
  World world;
  Thread thread;
  ASSERT_TRUE(thread.Start(
      [&] {
        ThreadState* ts = world.isolate()->AttachThread("small");
        g_finalizer = [](ThreadState* self, ObjectHeader*) {
          self->Safepoint();
        };
        Decref(ts, Chain(ts, 100000, &kFinalNodeType));
        EXPECT_EQ(Deallocs(), 100000);
        EXPECT_EQ(Finalizes(), 100000);
        world.isolate()->LeaveThread(ts);
      },
      kSmallStack));
  {
    BlockingScope blocking(world.ts());
    thread.Join();
  }
}

// A stop in the middle of a deep deallocation sees listed objects as dying.
TEST(ObjectTest, StopInsideADeepDealloc) {
  World world;
  static size_t most_dying;
  most_dying = 0;
  g_finalizer = [](ThreadState* ts, ObjectHeader* obj) {
    if (static_cast<Node*>(obj)->value == 7) {
      most_dying = CountObjects(ts).dying;
    }
  };
  Node* wide = nullptr;
  for (int i = 0; i < 200; ++i) {
    Node* node = NewNode(world.ts(), &kFinalNodeType);
    node->value = i == 0 ? 7 : 0;
    node->a.store(AsValue(wide), kRelaxed);
    wide = node;
  }
  Decref(world.ts(), wide);
  EXPECT_EQ(Deallocs(), 200);
  EXPECT_GT(most_dying, 0u);
}

TEST(ObjectTest, PendingCallsRunInOrderAtASafepoint) {
  World world;
  struct Call : PendingCall {
    std::vector<int>* out;
    int id;
  };
  std::vector<int> order;
  Call calls[3];
  for (int i = 0; i < 3; ++i) {
    calls[i].out = &order;
    calls[i].id = i;
    calls[i].fn = [](ThreadState*, PendingCall* self) {
      Call* call = static_cast<Call*>(self);
      call->out->push_back(call->id);
    };
    world.ts()->AddPendingCall(&calls[i]);
  }
  EXPECT_TRUE(order.empty());
  world.ts()->Safepoint();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2}));
}

TEST(ObjectTest, TwoIsolatesInALoop) {
  for (int i = 0; i < 20; ++i) {
    auto a = Isolate::Create(TestOptions());
    auto b = Isolate::Create(TestOptions());
    ASSERT_TRUE(a.ok() && b.ok());
    ThreadState* in_a = (*a)->AttachThread("a");
    ObjectHeader* obj_a = NewLeaf(in_a);
    in_a->Detach();
    ThreadState* in_b = (*b)->AttachThread("b");
    ObjectHeader* obj_b = NewLeaf(in_b);
    EXPECT_EQ(CountObjects(in_b).live, 1u);  // none of a's
    Decref(in_b, obj_b);
    (*b)->LeaveThread(in_b);
    in_a->Attach();
    EXPECT_EQ(ThreadState::Current(), in_a);
    Decref(in_a, obj_a);
    // Nested.
    EXPECT_EQ((*a)->AttachThread("again"), in_a);
    (*a)->LeaveThread(in_a);
    EXPECT_EQ(ThreadState::Current(), in_a);
    (*a)->LeaveThread(in_a);
    EXPECT_EQ(ThreadState::Current(), nullptr);
  }
}

}  // namespace
}  // namespace tidepool::testing
