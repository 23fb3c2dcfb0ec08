// Counting: the states of header.h one by one, by owner, stranger, queue, and
// what happens when the owner is blocked or gone, or memory is.
#include "tidepool/object/refcount.h"

#include <string>
#include <vector>

#include "tidepool/base/fake_os.h"
#include "tidepool/object/internal/test_types.h"

namespace tidepool::testing {
namespace {

int64_t State(ObjectHeader* obj) { return RefState(obj->shared.load(kRelaxed)); }

TEST(RefcountTest, NewObjectIsOwnedWithCountOne) {
  World world;
  ObjectHeader* obj = NewLeaf(world.ts());
  EXPECT_EQ(obj->tid.load(kRelaxed), CurrentTid());
  EXPECT_EQ(obj->local.load(kRelaxed), 1u);
  EXPECT_EQ(obj->shared.load(kRelaxed), 0);
  EXPECT_EQ(obj->type(), &kLeafType);
  EXPECT_TRUE(IsUniquelyReferenced(obj));
  Decref(world.ts(), obj);
  EXPECT_EQ(Deallocs(), 1);
}

TEST(RefcountTest, OwnerCountsLocally) {
  World world;
  ObjectHeader* obj = NewLeaf(world.ts());
  for (int i = 0; i < 1000; ++i) Incref(obj);
  EXPECT_EQ(obj->local.load(kRelaxed), 1001u);
  EXPECT_FALSE(IsUniquelyReferenced(obj));
  for (int i = 0; i < 1000; ++i) Decref(world.ts(), obj);
  EXPECT_EQ(Deallocs(), 0);
  Decref(world.ts(), obj);
  EXPECT_EQ(Deallocs(), 1);
}

TEST(RefcountTest, ForeignCountsGoToTheSharedWord) {
  World world;
  ObjectHeader* obj = NewLeaf(world.ts());
  world.OnThread([&](ThreadState* other) {
    Incref(obj);
    EXPECT_EQ(obj->shared.load(kRelaxed), kRefOne);
    EXPECT_EQ(obj->local.load(kRelaxed), 1u);
    Decref(other, obj);
    EXPECT_EQ(obj->shared.load(kRelaxed), 0);
  });
  EXPECT_TRUE(IsUniquelyReferenced(obj));
  Decref(world.ts(), obj);
  EXPECT_EQ(Deallocs(), 1);
}

TEST(RefcountTest, OwnerAtZeroMergesWhatOthersHold) {
  World world;
  ObjectHeader* obj = NewLeaf(world.ts());
  world.OnThread([&](ThreadState*) { Incref(obj); });
  Decref(world.ts(), obj);
  EXPECT_EQ(Deallocs(), 0);
  EXPECT_EQ(obj->tid.load(kRelaxed), 0u);
  EXPECT_EQ(State(obj), kRefMerged);
  EXPECT_EQ(RefCount(obj), 1);
  EXPECT_FALSE(IsUniquelyReferenced(obj));  // merged is never unique
  Decref(world.ts(), obj);
  EXPECT_EQ(Deallocs(), 1);
}

TEST(RefcountTest, LastDropByStrangerIsQueuedToARunningOwner) {
  World world;
  ObjectHeader* obj = NewLeaf(world.ts());
  world.OnThreadWhileAttached([&](ThreadState* other) {
    Decref(other, obj);
    EXPECT_EQ(State(obj), kRefQueued);
    EXPECT_EQ(Deallocs(), 0);
    EXPECT_EQ(obj->tid.load(kRelaxed), world.ts()->tid());
  });
  EXPECT_TRUE(world.ts()->safepoint_wanted());
  world.ts()->Safepoint();
  EXPECT_EQ(Deallocs(), 1);
  EXPECT_FALSE(world.ts()->safepoint_wanted());
}

TEST(RefcountTest, QueuedObjectWithOtherReferencesIsMergedAndLives) {
  World world;
  ObjectHeader* obj = NewLeaf(world.ts());
  Incref(obj);
  world.OnThreadWhileAttached([&](ThreadState* other) { Decref(other, obj); });
  world.ts()->Safepoint();
  EXPECT_EQ(Deallocs(), 0);
  EXPECT_EQ(State(obj), kRefMerged);
  EXPECT_EQ(RefCount(obj), 1);
  Decref(world.ts(), obj);
  EXPECT_EQ(Deallocs(), 1);
}

TEST(RefcountTest, LastDropByStrangerIsImmediateIfTheOwnerIsBlocked) {
  World world;
  ObjectHeader* obj = NewLeaf(world.ts());
  world.OnThread([&](ThreadState* other) {
    Decref(other, obj);
    EXPECT_EQ(Deallocs(), 1);  // the owner sleeps and is not waited for
  });
}

TEST(RefcountTest, LastDropIsImmediateIfTheOwnerIsGone) {
  World world;
  ObjectHeader* obj = nullptr;
  world.OnThread([&](ThreadState* other) { obj = NewLeaf(other); });
  EXPECT_NE(obj->tid.load(kRelaxed), 0u);
  Decref(world.ts(), obj);
  EXPECT_EQ(Deallocs(), 1);
}

TEST(RefcountTest, GoneOwnersObjectWithMoreReferencesIsMerged) {
  World world;
  ObjectHeader* obj = nullptr;
  world.OnThread([&](ThreadState* other) {
    obj = NewLeaf(other);
    Incref(obj);
  });
  Decref(world.ts(), obj);
  EXPECT_EQ(State(obj), kRefMerged);
  EXPECT_EQ(RefCount(obj), 1);
  Decref(world.ts(), obj);
  EXPECT_EQ(Deallocs(), 1);
}

TEST(RefcountTest, ExitingThreadMergesItsQueue) {
  World world;
  ObjectHeader* obj = nullptr;
  Event made(0), dropped(0);
  Thread thread;
  ASSERT_TRUE(thread.Start([&] {
    ThreadState* other = world.isolate()->AttachThread("other");
    obj = NewLeaf(other);
    made.Set();
    dropped.Wait();  // attached: a queue, not an immediate merge
    EXPECT_EQ(Deallocs(), 0);
    world.isolate()->LeaveThread(other);
    EXPECT_EQ(Deallocs(), 1);
  }));
  made.Wait();
  Decref(world.ts(), obj);
  dropped.Set();
  thread.Join();
}

TEST(RefcountTest, ManyQueuedObjectsNeedChunks) {
  World world;
  std::vector<ObjectHeader*> objects;
  for (int i = 0; i < 5000; ++i) objects.push_back(NewLeaf(world.ts()));
  world.OnThreadWhileAttached([&](ThreadState* other) {
    for (ObjectHeader* obj : objects) Decref(other, obj);
  });
  EXPECT_EQ(Deallocs(), 0);
  world.ts()->Safepoint();
  EXPECT_EQ(Deallocs(), 5000);
}

TEST(RefcountTest, TryIncrefDeclinesExactlyZeroAndThree) {
  World world;
  ObjectHeader* plain = NewLeaf(world.ts());
  ObjectHeader* marked = NewLeaf(world.ts());
  SetMaybeWeakref(marked);
  EXPECT_EQ(State(marked), kRefMaybeWeakref);
  world.OnThread([&](ThreadState* other) {
    EXPECT_FALSE(TryIncref(plain));
    EXPECT_TRUE(TryIncref(marked));
    EXPECT_EQ(marked->shared.load(kRelaxed), kRefOne | kRefMaybeWeakref);
    Decref(other, marked);
    EXPECT_EQ(marked->shared.load(kRelaxed), kRefMaybeWeakref);
  });
  EXPECT_TRUE(TryIncref(plain));  // mine
  EXPECT_EQ(plain->local.load(kRelaxed), 2u);
  Decref(world.ts(), plain);
  Decref(world.ts(), plain);
  Decref(world.ts(), marked);
  EXPECT_EQ(Deallocs(), 2);
}

TEST(RefcountTest, ZeroMemoryAndFreedBlocksAreDead) {
  World world;
  alignas(16) static ObjectHeader zeros;
  EXPECT_TRUE(IsDeadHeader(&zeros));
  EXPECT_FALSE(IsImmortal(&zeros));
  EXPECT_FALSE(TryIncref(&zeros));
  ObjectHeader* obj = NewLeaf(world.ts());
  SetMaybeWeakref(obj);  // dies merged: word 3
  Decref(world.ts(), obj);
  EXPECT_EQ(Deallocs(), 1);
  EXPECT_TRUE(IsDeadHeader(obj));  // the block is still mapped
  EXPECT_FALSE(TryIncref(obj));
}

TEST(RefcountTest, MakeUniqueTakesTheMarkBack) {
  World world;
  Node* node = NewNode(world.ts());
  SetMaybeWeakref(node);
  EXPECT_FALSE(IsUniquelyReferenced(node));
  EXPECT_TRUE(TryMakeUnique(node));
  EXPECT_TRUE(IsUniquelyReferenced(node));
  // Not with a weakref, and not with a second reference.
  WeakRef* ref = NewWeakRef(world.ts(), &kWeakRefType, node, 0);
  EXPECT_FALSE(TryMakeUnique(node));
  Decref(world.ts(), ref);
  EXPECT_TRUE(TryMakeUnique(node));
  SetMaybeWeakref(node);
  world.OnThread([&](ThreadState*) { EXPECT_TRUE(TryIncref(node)); });
  EXPECT_FALSE(TryMakeUnique(node));
  Decref(world.ts(), node);  // merges
  EXPECT_FALSE(TryMakeUnique(node));
  Decref(world.ts(), node);
}

TEST(RefcountTest, LocalCountAtItsBordersKeepsFlagsAndSum) {
  World world;
  Node* node = NewNode(world.ts());
  const uint8_t bits = node->gc_bits.load(kRelaxed);
  node->local.store(kLocalLimit - 1, kRelaxed);
  Incref(node);
  EXPECT_EQ(node->local.load(kRelaxed), kLocalLimit);
  EXPECT_FALSE(IsImmortal(node));
  Incref(node);  // spills half
  EXPECT_FALSE(IsImmortal(node));
  EXPECT_EQ(RefCount(node), int64_t{kLocalLimit} + 1);
  EXPECT_TRUE(TryIncref(node));
  EXPECT_EQ(RefCount(node), int64_t{kLocalLimit} + 2);
  EXPECT_EQ(node->gc_bits.load(kRelaxed), bits);
  EXPECT_EQ(node->flags.load(kRelaxed), 0);
  // The owner may drop them all although half is in the shared word.
  node->local.store(1, kRelaxed);
  node->shared.store(2 * kRefOne, kRelaxed);
  for (int i = 0; i < 3; ++i) Decref(world.ts(), node);
  EXPECT_EQ(Deallocs(), 1);
}

TEST(RefcountTest, ImmortalIsNeverCounted) {
  World world;
  world.ExpectLeft(1);
  ObjectHeader* obj = NewLeaf(world.ts());
  SetImmortal(world.ts(), obj);
  EXPECT_TRUE(IsImmortal(obj));
  EXPECT_EQ(obj->tid.load(kRelaxed), 0u);
  const int64_t word = obj->shared.load(kRelaxed);
  world.OnThread([&](ThreadState* other) {
    EXPECT_TRUE(TryIncref(obj));
    Incref(obj);
    for (int i = 0; i < 10; ++i) Decref(other, obj);
  });
  for (int i = 0; i < 10; ++i) Decref(world.ts(), obj);
  EXPECT_EQ(obj->shared.load(kRelaxed), word);
  EXPECT_EQ(Deallocs(), 0);
}

// Reported for another system: the drain of a queue met an object that had
// been made immortal in between (python/cpython#152276).
TEST(RefcountTest, ImmortalWhileQueued) {
  World world;
  world.ExpectLeft(1);
  ObjectHeader* obj = NewLeaf(world.ts());
  Incref(obj);
  world.OnThreadWhileAttached([&](ThreadState* other) { Decref(other, obj); });
  SetImmortal(world.ts(), obj);
  world.ts()->Safepoint();
  EXPECT_TRUE(IsImmortal(obj));
  Decref(world.ts(), obj);
  EXPECT_EQ(Deallocs(), 0);
}

TEST(RefcountTest, ImmortalAtTheWishOfAStranger) {
  World world;
  world.ExpectLeft(3);
  ObjectHeader* running = NewLeaf(world.ts());
  world.OnThreadWhileAttached([&](ThreadState* other) {
    Incref(running);
    SetImmortal(other, running);
    EXPECT_FALSE(IsImmortal(running));  // the owner will see to it
    Decref(other, running);
  });
  Decref(world.ts(), running);
  world.ts()->Safepoint();
  EXPECT_TRUE(IsImmortal(running));
  EXPECT_EQ(Deallocs(), 0);
  // Queued already.
  ObjectHeader* queued = NewLeaf(world.ts());
  Incref(queued);
  world.OnThreadWhileAttached([&](ThreadState* other) {
    Decref(other, queued);
    SetImmortal(other, queued);
  });
  world.ts()->Safepoint();
  EXPECT_TRUE(IsImmortal(queued));
  // A blocked owner's at once.
  ObjectHeader* blocked = NewLeaf(world.ts());
  world.OnThread([&](ThreadState* other) {
    SetImmortal(other, blocked);
    EXPECT_TRUE(IsImmortal(blocked));
  });
}

TEST(RefcountTest, DisownedObjectDiesInAnyHand) {
  World world;
  ObjectHeader* obj = NewLeaf(world.ts());
  Incref(obj);
  Disown(obj);
  EXPECT_EQ(State(obj), kRefMerged);
  EXPECT_EQ(RefCount(obj), 2);
  Disown(obj);  // nothing
  world.OnThreadWhileAttached([&](ThreadState* other) {
    Disown(obj);
    Decref(other, obj);
    Decref(other, obj);
    EXPECT_EQ(Deallocs(), 1);
  });
}

TEST(RefcountTest, DeferredObjectsOutliveTheirCount) {
  World world;
  Node* node = NewNode(world.ts());
  EXPECT_TRUE(SetDeferred(world.ts(), node));
  EXPECT_FALSE(SetDeferred(world.ts(), node));
  EXPECT_EQ(RefCount(node), 1);
  EXPECT_GE(RawRefCount(node), kDeferredBias);
  Decref(world.ts(), node);
  EXPECT_EQ(Deallocs(), 0);
  EXPECT_EQ(RefCount(node), 0);
  EXPECT_EQ(State(node), kRefMerged);
  Incref(node);  // the collector's way
  EXPECT_TRUE(ClearDeferred(world.ts(), node));
  EXPECT_EQ(Deallocs(), 0);
  Decref(world.ts(), node);
  EXPECT_EQ(Deallocs(), 1);
}

TEST(RefcountTest, QueueingWithoutMemoryLosesNothing) {
  FakeOs os;
  Options options = TestOptions();
  options.arena_reserve = 1 << 20;
  World world(options, &os);
  std::vector<ObjectHeader*> objects;
  for (int i = 0; i < 3000; ++i) objects.push_back(NewLeaf(world.ts()));
  world.OnThreadWhileAttached([&](ThreadState* other) {
    // No raw page yet, and none to be had: the queue's own room, then nothing.
    os.FailFrom(1, FakeOs::kMemory);
    while (other->heap()->Allocate(HeapKind::kRaw, 512) != nullptr) {
    }
    for (ObjectHeader* obj : objects) Decref(other, obj);
    EXPECT_TRUE(os.failed());
    os.FailNever();
  });
  world.ts()->Safepoint();
  EXPECT_EQ(Deallocs(), 3000);
  // And the one who ran out of memory does it itself if it stays.
  Event made(0), dropped(0);
  Thread thread;
  objects.clear();
  ASSERT_TRUE(thread.Start([&] {
    ThreadState* other = world.isolate()->AttachThread("owner");
    for (int i = 0; i < 3000; ++i) objects.push_back(NewLeaf(other));
    made.Set();
    while (!dropped.IsSet()) other->Safepoint();
    world.isolate()->LeaveThread(other);
  }));
  made.Wait();
  os.FailFrom(1, FakeOs::kMemory);
  while (world.ts()->heap()->Allocate(HeapKind::kRaw, 512) != nullptr) {
  }
  for (ObjectHeader* obj : objects) Decref(world.ts(), obj);
  os.FailNever();
  world.ts()->Safepoint();
  dropped.Set();
  {
    BlockingScope blocking(world.ts());
    thread.Join();
  }
  EXPECT_EQ(Deallocs(), 6000);
}

TEST(RefcountTest, TidOfAGoneThreadUsedAgain) {
  World world;
  // Threads in sequence usually get the same control block.
  std::vector<ObjectHeader*> objects;
  for (int i = 0; i < 50; ++i) {
    world.OnThread([&](ThreadState* other) {
      for (ObjectHeader* obj : objects) {
        Incref(obj);
        Decref(other, obj);
      }
      objects.push_back(NewLeaf(other));
      Incref(objects.back());
    });
  }
  for (ObjectHeader* obj : objects) {
    Decref(world.ts(), obj);
    Decref(world.ts(), obj);
  }
  EXPECT_EQ(Deallocs(), 50);
}

// --- Drops of references that nobody had. ---

struct Heard {
  int count = 0;
  const void* pointer = nullptr;
  std::string text;

  static void Hear(void* arg, const MemoryFault& fault) {
    Heard* heard = static_cast<Heard*>(arg);
    EXPECT_EQ(fault.kind, MemoryFault::kDeadReference);
    ++heard->count;
    heard->pointer = fault.pointer;
    heard->text = fault.text;
  }
};

// `drop` drops what is dead; the message names the type under `hardening`. Fatal in debug
// builds; else refused, and the heap is as before.
void ExpectDeadDrop(uint32_t hardening,
                    const std::function<ObjectHeader*(World&)>& drop) {
  Options options = TestOptions();
  options.hardening = hardening;
  options.bad_free = BadFreePolicy::kIgnore;
#if TIDEPOOL_DCHECK_IS_ON
#ifdef TIDEPOOL_SCHED
  const char* said = "decref of a freed object";
#else
  const char* said = "decref of a freed object .type FinalNode.";
#endif
  EXPECT_DEATH(
      {
        World world(options);
        drop(world);
      },
      said);
#else
  World world(options);
  Heard heard;
  world.isolate()->heap().SetFaultHandler(&Heard::Hear, &heard);
  ObjectHeader* obj = drop(world);
  EXPECT_EQ(heard.count, 1);
  EXPECT_EQ(heard.pointer, obj);
  EXPECT_EQ(heard.text, hardening != 0 ? "decref of a freed object (type FinalNode)"
                                       : "decref of a freed object (type ?)");
  EXPECT_EQ(Deallocs(), 1);
  EXPECT_TRUE(IsDeadHeader(obj));
  EXPECT_EQ(CountObjects(world.ts()).live, 0u);
  world.isolate()->heap().SetFaultHandler(nullptr, nullptr);
#endif
}

class DeadDropDeathTest : public ::testing::TestWithParam<uint32_t> {};

TEST_P(DeadDropDeathTest, ByTheOwner) {
  ExpectDeadDrop(GetParam(), [](World& world) {
    ObjectHeader* obj = NewNode(world.ts(), &kFinalNodeType);
    Decref(world.ts(), obj);
    Decref(world.ts(), obj);
    return obj;
  });
}

TEST_P(DeadDropDeathTest, OfAMergedObject) {
  ExpectDeadDrop(GetParam(), [](World& world) {
    ObjectHeader* obj = NewNode(world.ts(), &kFinalNodeType);
    Disown(obj);
    Decref(world.ts(), obj);
    Decref(world.ts(), obj);
    return obj;
  });
}

TEST_P(DeadDropDeathTest, ByAnotherThreadWhoseOwnerIsBlocked) {
  ExpectDeadDrop(GetParam(), [](World& world) {
    ObjectHeader* obj = NewNode(world.ts(), &kFinalNodeType);
    world.OnThread([&](ThreadState*) { Incref(obj); });
    // Merged by its owner, at 0.
    Decref(world.ts(), obj);
    world.OnThread([&](ThreadState* other) {
      Decref(other, obj);
      Decref(other, obj);
    });
    return obj;
  });
}

TEST_P(DeadDropDeathTest, ByAnotherThreadOfWhatItsOwnerFreed) {
  ExpectDeadDrop(GetParam(), [](World& world) {
    ObjectHeader* obj = NewNode(world.ts(), &kFinalNodeType);
    Decref(world.ts(), obj);
    // Without hardening it is found where it is merged.
    world.OnThread([&](ThreadState* other) { Decref(other, obj); });
    return obj;
  });
}

TEST_P(DeadDropDeathTest, ByTheOwnerWithoutDeallocation) {
  ExpectDeadDrop(GetParam(), [](World& world) {
    ObjectHeader* obj = NewNode(world.ts(), &kFinalNodeType);
    Decref(world.ts(), obj);
    internal::DecrefNoDealloc(world.ts(), obj);
    return obj;
  });
}

INSTANTIATE_TEST_SUITE_P(Hardening, DeadDropDeathTest,
                         ::testing::Values(kHardenNone, kHardenChecked,
                                           kHardenChecked | kHardenQuarantine, kHardened));

}  // namespace
}  // namespace tidepool::testing
