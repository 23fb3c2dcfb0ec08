// Which objects a pass finds, and that it leaves every header as it should be.

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/single_thread_testing.h"
#include "tidepool/gc/test_world.h"

namespace tidepool {
namespace {

TEST(CollectorTest, NothingToFind) {
  World w;
  CollectStats stats = w.Collect();
  EXPECT_TRUE(stats.ran);
  EXPECT_EQ(stats.collected, 0u);
  Node* n = NewNode(w.ts);
  EXPECT_EQ(w.Collect().collected, 0u);
  EXPECT_EQ(w.freed(), 0);
  EXPECT_EQ(RefCount(n), 1);
  w.Drop(n);
  EXPECT_EQ(w.freed(), 1);
}

// C25: rings of many sizes, all gone after one collection.
TEST(CollectorTest, Rings) {
  World w;
  int64_t made = 0;
  for (int n : {1, 2, 3, 4, 7, 16, 63, 100, 257, 1000}) {
    w.Drop(NewRing(w.ts, n));
    made += n;
  }
  EXPECT_EQ(w.freed(), 0);
  CollectStats stats = w.Collect();
  EXPECT_EQ(stats.collected, static_cast<uint64_t>(made));
  EXPECT_EQ(w.freed(), made);
  EXPECT_EQ(w.live_blocks(), 0u);
}

TEST(CollectorTest, ARingHeldFromOutsideStays) {
  World w;
  Node* ring = NewRing(w.ts, 10);
  EXPECT_EQ(w.Collect().collected, 0u);
  EXPECT_EQ(RefCount(ring), 2);
  EXPECT_EQ(ring->tid.load(kRelaxed), w.ts->tid());
  w.Drop(ring);
  EXPECT_EQ(w.Collect().collected, 10u);
}

TEST(CollectorTest, RingsWithTailsAndSharedNodes) {
  World w;
  Node* tail = NewNode(w.ts, &kNodeType, 7);
  Node* a = NewRing(w.ts, 3);
  Node* b = NewRing(w.ts, 5);
  Set(w.ts, a, 1, tail);    // a live tail
  Set(w.ts, a, 2, b);       // two rings joined by an edge
  Node* held = NewNode(w.ts);
  Set(w.ts, held, 0, b);    // the second ring is alive from outside
  w.Drop(a);
  w.Drop(b);
  EXPECT_EQ(w.Collect().collected, 3u);
  EXPECT_EQ(tail->id, 7);
  EXPECT_EQ(RefCount(tail), 1);
  w.Drop(held);
  EXPECT_EQ(w.Collect().collected, 5u);
  w.Drop(tail);
  EXPECT_EQ(w.live_blocks(), 0u);
}

TEST(CollectorTest, LongListsAreMarkedAndFreedWithoutRecursion) {
  TIDEPOOL_SINGLE_THREAD_TEST();
  World w;
  constexpr int kLength = 300000;
  Node* head = NewRing(w.ts, kLength);
  EXPECT_EQ(w.Collect().collected, 0u);
  w.Drop(head);
  EXPECT_EQ(w.Collect().collected, static_cast<uint64_t>(kLength));
  EXPECT_EQ(w.freed(), kLength);
}

struct NodeRoots : RootSet {
  std::vector<Node*> nodes;
  NodeRoots() {
    visit = [](RootSet* self, Visitor v, void* arg) {
      for (Node* n : static_cast<NodeRoots*>(self)->nodes) {
        if (int stop = v(n, arg); stop != 0) return stop;
      }
      return 0;
    };
  }
};

TEST(CollectorTest, RootsKeepAndFilter) {
  World w;
  NodeRoots roots;
  w.isolate->AddRoots(&roots);
  Node* ring = NewRing(w.ts, 100);
  roots.nodes.push_back(ring);
  CollectStats stats = w.Collect();
  EXPECT_EQ(stats.marked, 100u);
  EXPECT_EQ(stats.candidates, 0u);
  w.CheckHeaders();
  roots.nodes.clear();
  w.Drop(ring);
  EXPECT_EQ(w.Collect().collected, 100u);
  w.isolate->RemoveRoots(&roots);
}

// A thread's roots count as well as the isolate's.
TEST(CollectorTest, ThreadRoots) {
  World w;
  Node* ring = NewRing(w.ts, 4);
  w.ts->embedder_data = ring;
  w.ts->visit_roots = [](ThreadState* ts, Visitor v, void* arg) {
    return v(static_cast<Node*>(ts->embedder_data), arg);
  };
  EXPECT_EQ(w.Collect().marked, 4u);
  w.ts->visit_roots = nullptr;
  w.Drop(ring);
  EXPECT_EQ(w.Collect().collected, 4u);
}

TEST(CollectorTest, UntrackedObjectsAreLeftAlone) {
  World w;
  Node* n = NewNode(w.ts);
  Set(w.ts, n, 0, n);
  Untrack(n);
  w.Drop(n);
  EXPECT_EQ(w.Collect().tracked, 0u);
  EXPECT_EQ(w.freed(), 0);
  Track(n);
  EXPECT_EQ(w.Collect().collected, 1u);
}

TEST(CollectorTest, ImmortalObjectsAreNeverCandidates) {
  World w;
  Node* n = NewNode(w.ts);
  Node* target = NewRing(w.ts, 3);
  Give(w.ts, n, 0, target);
  SetImmortal(w.ts, n);
  const int64_t shared = n->shared.load(kRelaxed);
  EXPECT_EQ(w.Collect().collected, 0u);
  EXPECT_EQ(n->shared.load(kRelaxed), shared);
  EXPECT_EQ(n->tid.load(kRelaxed), 0u);
  EXPECT_EQ(Get(n, 0), target);
  Set(w.ts, n, 0, nullptr);
  EXPECT_EQ(w.Collect().collected, 3u);
}

// C10: frozen objects keep their words bit for bit; what points at them is collected.
TEST(CollectorTest, FrozenObjects) {
  World w;
  Node* x = NewNode(w.ts);
  Node* garbage_before = NewRing(w.ts, 3);
  w.Drop(garbage_before);
  w.collector->Freeze(w.ts);
  EXPECT_EQ(w.collector->FreezeCount(w.ts), 4u);
  Node* y = NewNode(w.ts);
  Set(w.ts, y, 0, x);
  Set(w.ts, y, 1, y);
  w.Drop(y);
  const uint64_t tid = x->tid.load(kRelaxed);
  EXPECT_EQ(RefCount(x), 2);
  CollectStats stats = w.Collect();
  EXPECT_EQ(stats.collected, 1u);
  EXPECT_EQ(stats.frozen, 4u);
  EXPECT_EQ(RefCount(x), 1);
  EXPECT_EQ(x->tid.load(kRelaxed), tid);
  EXPECT_EQ(x->local.load(kRelaxed), 1u);
  w.collector->Unfreeze(w.ts);
  EXPECT_EQ(w.collector->FreezeCount(w.ts), 0u);
  EXPECT_EQ(w.Collect().collected, 3u);  // garbage from before is not frozen for ever
  w.Drop(x);
  EXPECT_EQ(w.live_blocks(), 0u);
}

TEST(CollectorTest, NestedCollectionIsDeclined) {
  World w;
  CollectStats inner;
  inner.ran = true;
  g_on_finalize = [&](ThreadState* ts, Node*) {
    inner = w.collector->Collect(ts, 2, "nested");
  };
  w.Drop(NewRing(w.ts, 1, &kFinalizedType));
  EXPECT_EQ(w.Collect().collected, 1u);
  EXPECT_FALSE(inner.ran);
  EXPECT_EQ(inner.collected, 0u);
}

TEST(CollectorTest, GenerationsAndStats) {
  World w;
  w.Drop(NewRing(w.ts, 5));
  w.Collect(0);
  w.Collect(2);
  w.Collect(2);
  EXPECT_EQ(w.collector->GetGenerationStats(0).collections, 1u);
  EXPECT_EQ(w.collector->GetGenerationStats(0).collected, 5u);
  EXPECT_EQ(w.collector->GetGenerationStats(1).collections, 0u);
  EXPECT_EQ(w.collector->GetGenerationStats(2).collections, 2u);
  CollectStats last = w.collector->LastStats();
  EXPECT_STREQ(last.reason, "requested");
  EXPECT_GT(last.total_ns, 0u);
  EXPECT_GE(last.total_ns, last.paused_ns);
  EXPECT_GE(last.paused_ns, last.pause_ns);
  uint64_t phases = 0;
  for (uint64_t ns : last.phase_ns) phases += ns;
  EXPECT_LE(phases, last.total_ns);
  const std::string json = w.collector->StatsJson();
  EXPECT_NE(json.find("\"policy\":\"manual\""), std::string::npos) << json;
  for (int i = 0; i < kGcPhaseCount; ++i) {
    EXPECT_NE(json.find(GcPhaseName(static_cast<GcPhase>(i))), std::string::npos);
  }
}

class Recorder final : public CollectionListener {
 public:
  void OnCollectionStart(ThreadState* ts, const CollectStats& info) override {
    EXPECT_FALSE(ts->isolate()->StoppedBy(ts));
    text += "start" + std::to_string(info.generation) + ":" +
            std::to_string(info.collected) + " ";
    Drop(ts);
  }
  void OnCollectionStop(ThreadState* ts, const CollectStats& info) override {
    EXPECT_FALSE(ts->isolate()->StoppedBy(ts));
    text += "stop" + std::to_string(info.generation) + ":" +
            std::to_string(info.collected) + " ";
    Drop(ts);
  }
  // Listeners may run any code.
  void Drop(ThreadState* ts) { Decref(ts, NewNode(ts)); }
  std::string text;
};

TEST(CollectorTest, Listeners) {
  World w;
  Recorder recorder;
  ASSERT_TRUE(w.collector->AddListener(&recorder));
  w.Drop(NewRing(w.ts, 3));
  w.Collect(1);
  EXPECT_EQ(recorder.text, "start1:0 stop1:3 ");
  w.collector->RemoveListener(w.ts, &recorder);
  w.Collect(1);
  EXPECT_EQ(recorder.text, "start1:0 stop1:3 ");
}

TEST(CollectorTest, SaveAllHandsGarbageOver) {
  World w;
  std::vector<Node*> saved;
  w.collector->SetDebug(kGcDebugSaveAll);
  w.collector->SetGarbageVisitor(
      [](ThreadState*, ObjectHeader* obj, void* arg) {
        static_cast<std::vector<Node*>*>(arg)->push_back(static_cast<Node*>(obj));
      },
      &saved);
  w.Drop(NewRing(w.ts, 6));
  EXPECT_EQ(w.Collect().collected, 6u);
  ASSERT_EQ(saved.size(), 6u);
  EXPECT_EQ(w.freed(), 0);
  for (Node* n : saved) {
    EXPECT_NE(Get(n, 0), nullptr);  // nothing was cleared
    EXPECT_EQ(RefCount(n), 2);
  }
  w.CheckHeaders();
  w.collector->SetDebug(0);
  for (Node* n : saved) w.Drop(n);
  EXPECT_EQ(w.Collect().collected, 6u);
  EXPECT_EQ(w.live_blocks(), 0u);
}

// A type without clear: its objects go when those of others break the cycle.
TEST(CollectorTest, TypesWithoutClear) {
  World w;
  TypeInfo stubborn = MakeNodeType("Stubborn");
  stubborn.clear = nullptr;
  Node* a = NewNode(w.ts, &stubborn);
  Node* b = NewNode(w.ts);
  Set(w.ts, a, 0, b);
  Set(w.ts, b, 0, a);
  w.Drop(a);
  w.Drop(b);
  EXPECT_EQ(w.Collect().collected, 2u);
  EXPECT_EQ(w.freed(), 2);
}

TEST(CollectorTest, PreHeaderObjects) {
  World w;
  TypeInfo pre = MakeNodeType("Pre");
  pre.flags |= kTypePreHeader;
  Node* a = NewNode(w.ts, &pre);
  Node* b = NewNode(w.ts);
  Set(w.ts, a, 0, b);
  Set(w.ts, b, 0, a);
  w.Drop(b);
  EXPECT_EQ(w.Collect().collected, 0u);
  w.CheckHeaders();
  w.Drop(a);
  EXPECT_EQ(w.Collect().collected, 2u);
}

// Two isolates in one process: neither sees the other's objects (C18).
TEST(CollectorTest, TwoIsolates) {
  World a;
  Node* of_a = NewRing(a.ts, 10);
  Decref(a.ts, of_a);
  a.ts->Detach();
  {
    World b;
    Node* of_b = NewRing(b.ts, 20);
    EXPECT_EQ(b.Collect().tracked, 20u);
    Decref(b.ts, of_b);
    EXPECT_EQ(b.Collect().collected, 20u);
  }
  a.ts->Attach();
  EXPECT_EQ(a.Collect().collected, 10u);
}

// --- A traverse that shows a reference twice. ---

TypeInfo MakeTwiceType() {
  TypeInfo type = MakeNodeType("Twice");
  type.traverse = [](ObjectHeader* obj, Visitor visit, void* arg) {
    if (int stop = TraverseNode(obj, visit, arg); stop != 0) return stop;
    return TraverseNode(obj, visit, arg);
  };
  return type;
}

struct Heard {
  int count = 0;
  std::string text;
  static void Hear(void* arg, const MemoryFault& fault) {
    auto* heard = static_cast<Heard*>(arg);
    ++heard->count;
    heard->text = fault.text;
  }
};

TEST(CollectorDeathTest, ATraverseThatShowsTooMuchIsReportedWithItsType) {
  static const TypeInfo twice = MakeTwiceType();
  for (const char* policy : {"manual", "pause:ms=5"}) {
    auto collect = [&](Heard* heard) {
      Options options;
      options.bad_free = BadFreePolicy::kIgnore;
      World w(options, RealOs(), policy);
      w.isolate->heap().SetFaultHandler(&Heard::Hear, heard);
      Node* ring = NewRing(w.ts, 50, &twice);
      w.Drop(ring);
      w.Collect();
      w.CheckHeaders();  // restored
      EXPECT_EQ(w.freed(), 0);
      ClearNode(w.ts, ring);
      EXPECT_EQ(w.freed(), 50);
    };
    Heard heard;
#if TIDEPOOL_DCHECK_IS_ON
    EXPECT_DEATH(collect(&heard), "of type Twice: .* the traverse of type Twice shows it");
#else
    collect(&heard);
    EXPECT_EQ(heard.count, 1) << policy;  // one a pass
    EXPECT_EQ(heard.text,
              "of type Twice: objects refer to it 1 times more than it is counted; the "
              "traverse of type Twice shows it");
#endif
  }
}

}  // namespace
}  // namespace tidepool
