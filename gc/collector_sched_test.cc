// The pass through chosen interleavings (base/sched.h): a collector against a mutator that
// counts across threads, promotes weakrefs and comes and goes. Planted faults of the pass
// must be found here (tests/mutants.txt).

#include "gtest/gtest.h"
#include "tidepool/base/sched.h"
#include "tidepool/base/spin.h"
#include "tidepool/gc/policy.h"
#include "tidepool/gc/test_world.h"
#include "tidepool/object/load_ref.h"
#include "tidepool/object/object_mutex.h"

namespace tidepool {
namespace {

// Every stop ends as soon as it can.
class SmallestSlices : public CollectionPolicy {
 public:
  const char* name() const override { return "smallest_slices"; }
  Decision Decide(const HeapSnapshot&) override { return {false, "", UINT64_MAX}; }
  Plan MakePlan(const HeapSnapshot&) override {
    Plan plan;
    plan.pause_budget_ns = 1;
    return plan;
  }
};
TIDEPOOL_REGISTER_POLICY(kSmallestSlices, "smallest_slices", "for tests",
                         [](absl::string_view) {
                           return absl::StatusOr<std::unique_ptr<CollectionPolicy>>(
                               std::make_unique<SmallestSlices>());
                         });

// The same, wanting a collection whenever it is asked.
class EagerSlices final : public SmallestSlices {
 public:
  const char* name() const override { return "eager_slices"; }
  Decision Decide(const HeapSnapshot&) override { return {true, "eager", 0}; }
};
TIDEPOOL_REGISTER_POLICY(kEagerSlices, "eager_slices", "for tests",
                         [](absl::string_view) {
                           return absl::StatusOr<std::unique_ptr<CollectionPolicy>>(
                               std::make_unique<EagerSlices>());
                         });

// A world whose checks fail the run.
class SchedWorld {
 public:
  explicit SchedWorld(int markers = 1, const char* policy = "manual") {
    Options options;
    options.gc_threads = markers;
    options.arena_reserve = 4 << 20;
    auto made = Isolate::Create(options);
    SCHED_CHECK(made.ok());
    isolate = *std::move(made);
    auto collector_made = Collector::Create(isolate.get(), policy);
    SCHED_CHECK(collector_made.ok());
    collector = *std::move(collector_made);
    isolate->SetWatchdog(0, nullptr, nullptr);  // time is the scheduler's
    freed_at_start = g_nodes_freed.load(kRelaxed);
  }
  ~SchedWorld() {
    collector.reset();
    isolate.reset();
  }
  int64_t freed() const { return g_nodes_freed.load(kRelaxed) - freed_at_start; }
  void Check(ThreadState* ts) {
    std::string why;
    const uint64_t faults = collector->CheckInvariants(ts, &why);
    if (faults != 0) sched::Note("%s", why.c_str());
    SCHED_CHECK(faults == 0);
  }

  std::unique_ptr<Isolate> isolate;
  std::unique_ptr<Collector> collector;
  int64_t freed_at_start;
};

// A thread that collects once beside the others of `run`.
void SpawnCollector(sched::SchedRun& run, SchedWorld& w) {
  run.Spawn([&w] {
    ThreadState* ts = w.isolate->AttachThread("collector");
    w.collector->Collect(ts);
    w.Check(ts);
    w.isolate->LeaveThread(ts);
  });
}

// When the others have ended: one more collection, after which `freed` nodes are gone.
void CollectLast(sched::SchedRun& run, SchedWorld& w, int64_t freed) {
  run.Spawn([&w, freed] {
    ThreadState* ts = w.isolate->AttachThread("last");
    w.collector->Collect(ts);
    w.Check(ts);
    SCHED_CHECK(w.freed() == freed);
    w.isolate->LeaveThread(ts);
  });
  run.RunAll();
}

sched::SchedOptions Budget() {
  sched::SchedOptions options;
  options.iterations = 2000;
  options.max_steps = 2000000;
  options.plain_iterations = 30;
  return options;
}

// A thread that asks for collections until another one's is over does not keep that one
// from stopping it.
TEST(CollectorSchedTest, AskingAgainLetsTheOtherFinish) {
  auto result = sched::Explore(Budget(), [](sched::SchedRun& run) {
    SchedWorld w;
    Atomic<int> over{0};
    run.Spawn([&] {
      ThreadState* ts = w.isolate->AttachThread("asking");
      while (over.load(kRelaxed) == 0) {
        w.collector->Collect(ts);
        SpinPause();
      }
      w.isolate->LeaveThread(ts);
    });
    run.Spawn([&] {
      ThreadState* ts = w.isolate->AttachThread("collector");
      while (!w.collector->Collect(ts).ran) SpinPause();
      over.store(1, kRelaxed);
      w.isolate->LeaveThread(ts);
    });
    run.RunAll();
  });
  EXPECT_TRUE(result.ok) << result.message;
}

// One thread makes a ring, publishes it and lets go; another takes it without a lock, holds
// it and drops it; a third collects. In the end nothing is left, nothing died early.
TEST(CollectorSchedTest, CollectBesideLockFreeReader) {
  auto result = sched::Explore(Budget(), [](sched::SchedRun& run) {
    SchedWorld w;
    Slot shared{0};
    [[maybe_unused]] Mutex shared_lock{0};
    Atomic<int> ready{0};
    run.Spawn([&] {
      ThreadState* ts = w.isolate->AttachThread("maker");
      Node* ring = NewRing(ts, 2);
      SetMaybeWeakref(ring);
      shared.store(AsValue(ring), kRelease);
      ready.store(1, kRelease);
      ts->Safepoint();
      DecrefValue(ts, ExchangeSlot(shared, 0));
      ts->Safepoint();
      w.isolate->LeaveThread(ts);
    });
    run.Spawn([&] {
      ThreadState* ts = w.isolate->AttachThread("reader");
      uintptr_t value = 0;
      if (LoadRef(ts, shared, &value) && IsObject(value)) {
        Node* node = static_cast<Node*>(AsObject(value));
        ts->Safepoint();
        SCHED_CHECK(node->id == 0);
        SCHED_CHECK(Get(node, 0) != nullptr && Get(node, 0)->id == 1);
        Decref(ts, node);
      }
      w.isolate->LeaveThread(ts);
    });
    SpawnCollector(run, w);
    run.RunAll();
    CollectLast(run, w, 2);
  });
  EXPECT_TRUE(result.ok) << result.message;
  testing::Test::RecordProperty("runs", static_cast<int>(result.runs));
}

// A finalizer publishes its object while another thread reads the slot: what was
// resurrected must live, whoever holds it.
TEST(CollectorSchedTest, ResurrectionBesideReader) {
  auto result = sched::Explore(Budget(), [](sched::SchedRun& run) {
    SchedWorld w;
    Slot shared{0};
    g_on_finalize = [&](ThreadState* ts, Node* n) {
      Incref(n);
      SetMaybeWeakref(n);
      DecrefValue(ts, ExchangeSlot(shared, AsValue(n)));
    };
    run.Spawn([&] {
      ThreadState* ts = w.isolate->AttachThread("collector");
      Decref(ts, NewRing(ts, 1, &kFinalizedType));
      CollectStats stats = w.collector->Collect(ts);
      w.Check(ts);
      // Its reader may have dropped it before the second stop looked.
      SCHED_CHECK(stats.resurrected + stats.collected == 1);
      w.isolate->LeaveThread(ts);
    });
    run.Spawn([&] {
      ThreadState* ts = w.isolate->AttachThread("reader");
      for (int i = 0; i < 2; ++i) {
        uintptr_t value = 0;
        if (LoadRef(ts, shared, &value) && IsObject(value)) {
          Node* node = static_cast<Node*>(AsObject(value));
          ts->Safepoint();
          SCHED_CHECK(Get(node, 0) == node);
          Decref(ts, node);
        }
        ts->Safepoint();
      }
      w.isolate->LeaveThread(ts);
    });
    run.RunAll();
    run.Spawn([&] {
      ThreadState* ts = w.isolate->AttachThread("last");
      DecrefValue(ts, ExchangeSlot(shared, 0));
      w.collector->Collect(ts);
      w.Check(ts);
      SCHED_CHECK(w.freed() == 1);
      w.isolate->LeaveThread(ts);
    });
    run.RunAll();
    g_on_finalize = nullptr;
  });
  EXPECT_TRUE(result.ok) << result.message;
  testing::Test::RecordProperty("runs", static_cast<int>(result.runs));
}

// The owner exits at any moment of a pass over its objects.
TEST(CollectorSchedTest, OwnerExitsBesideCollection) {
  auto result = sched::Explore(Budget(), [](sched::SchedRun& run) {
    SchedWorld w;
    Slot kept{0};
    run.Spawn([&] {
      ThreadState* ts = w.isolate->AttachThread("owner");
      Node* node = NewNode(ts);
      SetMaybeWeakref(node);
      Decref(ts, NewRing(ts, 2));
      kept.store(AsValue(node), kRelease);
      w.isolate->LeaveThread(ts);
    });
    SpawnCollector(run, w);
    run.RunAll();
    run.Spawn([&] {
      ThreadState* ts = w.isolate->AttachThread("last");
      w.collector->Collect(ts);
      w.Check(ts);
      ObjectHeader* node = AsObject(kept.load(kAcquire));
      const uint64_t tid = node->tid.load(kRelaxed);
      SCHED_CHECK(tid == 0 || tid == ts->tid());
      SCHED_CHECK(RefCount(node) == 1);
      Decref(ts, node);
      SCHED_CHECK(w.freed() == 3);
      w.isolate->LeaveThread(ts);
    });
    run.RunAll();
  });
  EXPECT_TRUE(result.ok) << result.message;
  testing::Test::RecordProperty("runs", static_cast<int>(result.runs));
}

// Two threads ask at once: one runs, the other is told so; both come back.
TEST(CollectorSchedTest, TwoCollectors) {
  auto result = sched::Explore(Budget(), [](sched::SchedRun& run) {
    SchedWorld w;
    Atomic<uint64_t> collected{0};
    for (int t = 0; t < 2; ++t) {
      run.Spawn([&] {
        ThreadState* ts = w.isolate->AttachThread("collector");
        Decref(ts, NewRing(ts, 2));
        collected.fetch_add(w.collector->Collect(ts).collected, kRelaxed);
        w.isolate->LeaveThread(ts);
      });
    }
    run.RunAll();
    run.Spawn([&] {
      ThreadState* ts = w.isolate->AttachThread("last");
      collected.fetch_add(w.collector->Collect(ts).collected, kRelaxed);
      w.Check(ts);
      SCHED_CHECK(collected.load(kRelaxed) == 4);
      SCHED_CHECK(w.freed() == 4);
      w.isolate->LeaveThread(ts);
    });
    run.RunAll();
  });
  EXPECT_TRUE(result.ok) << result.message;
  testing::Test::RecordProperty("runs", static_cast<int>(result.runs));
}

// A ring of n nodes on three pages: sizes of three classes.
Node* NewSpreadRing(ThreadState* ts, int n) {
  Node* first = nullptr;
  Node* last = nullptr;
  for (int i = 0; i < n; ++i) {
    Node* node = static_cast<Node*>(NewObjectZeroed(
        ts, &kNodeType, sizeof(Node) + static_cast<size_t>(i % 3) * 100));
    TrackNew(node);
    if (first == nullptr) {
      first = node;
    } else {
      Give(ts, last, 0, node);
    }
    last = node;
  }
  Set(ts, last, 0, first);
  return first;
}

// Three markers share a small graph: what is alive stays, what is garbage goes, whoever
// gets which entry when.
TEST(CollectorSchedTest, SeveralMarkers) {
  auto result = sched::Explore(Budget(), [](sched::SchedRun& run) {
    SchedWorld w(/*markers=*/3);
    run.Spawn([&] {
      ThreadState* ts = w.isolate->AttachThread("collector");
      Node* live = nullptr;
      {
        sched::NoPreemption scene;
        // Two rings whose nodes all refer to one, which counts many times.
        live = NewSpreadRing(ts, 6);
        Node* dead = NewSpreadRing(ts, 4);
        Node* n = live;
        for (int i = 0; i < 6; ++i, n = Get(n, 0)) {
          Set(ts, n, 1, live);
          Set(ts, n, 2, Get(Get(n, 0), 0));
        }
        n = dead;
        for (int i = 0; i < 4; ++i, n = Get(n, 0)) Set(ts, n, 1, dead);
        Decref(ts, dead);
      }
      CollectStats stats = w.collector->Collect(ts);
      SCHED_CHECK(stats.collected == 4);
      SCHED_CHECK(w.freed() == 4);
      w.Check(ts);
      // Helpers are joined as before a fork.
      w.collector->PrepareFork(ts);
      w.collector->AfterFork(ts);
      Decref(ts, live);
      w.isolate->LeaveThread(ts);
    });
    run.RunAll();
    run.Spawn([&] {
      ThreadState* ts = w.isolate->AttachThread("last");
      w.collector->Collect(ts);
      SCHED_CHECK(w.freed() == 10);
      w.collector->PrepareFork(ts);
      w.collector->AfterFork(ts);
      w.isolate->LeaveThread(ts);
    });
    run.RunAll();
  });
  EXPECT_TRUE(result.ok) << result.message;
  testing::Test::RecordProperty("runs", static_cast<int>(result.runs));
}

// A pass in the smallest slices beside a thread that hides objects from it: moves them
// behind new ones, takes them out of what is marked and puts them back.
TEST(CollectorSchedTest, SlicesBesideMutator) {
  auto result = sched::Explore(Budget(), [](sched::SchedRun& run) {
    SchedWorld w(1, "smallest_slices");
    run.Spawn([&] {
      ThreadState* ts = w.isolate->AttachThread("mutator");
      Node* a = NewNode(ts, &kNodeType, 1);
      Give(ts, a, 0, NewNode(ts, &kNodeType, 2));
      Give(ts, Get(a, 0), 0, NewRing(ts, 2));
      Decref(ts, NewRing(ts, 2));
      ts->Safepoint();
      for (int i = 0; i < 2; ++i) {
        Node* child = Get(a, 0);
        Incref(child);
        Set(ts, a, 0, nullptr);
        ts->Safepoint();
        Node* fresh = NewNode(ts, &kNodeType, 3 + i);
        Give(ts, fresh, 0, child);
        ts->Safepoint();
        Give(ts, a, 0, fresh);
        ts->Safepoint();
        SCHED_CHECK(Get(a, 0)->id == 3 + i);
      }
      SCHED_CHECK(Get(Get(Get(a, 0), 0), 0)->id == 2);
      Node* ring = Get(Get(Get(Get(a, 0), 0), 0), 0);
      SCHED_CHECK(Get(Get(ring, 0), 0) == ring);
      Decref(ts, a);
      w.isolate->LeaveThread(ts);
    });
    SpawnCollector(run, w);
    run.RunAll();
    CollectLast(run, w, 8);
  });
  EXPECT_TRUE(result.ok) << result.message;
  testing::Test::RecordProperty("runs", static_cast<int>(result.runs));
}

// Begins a collection, or pays for a slice of the one under way: as if this thread had
// allocated a megabyte.
void Pay(SchedWorld& w, ThreadState* ts) {
  w.collector->AddExternalBytes(1 << 20);
  w.collector->AddExternalBytes(-(1 << 20));
  w.collector->RequestCollection(ts);
  ts->Safepoint();
}

// Two threads pay for slices as they come by, and hide objects meanwhile; a third collects
// by itself, and so takes the place of what they have begun.
TEST(CollectorSchedTest, SlicesPaidByWhoeverComesBy) {
  for (bool explicit_too : {false, true}) {
    sched::SchedOptions options = Budget();
    options.iterations = 500;
    auto result = sched::Explore(options, [explicit_too](sched::SchedRun& run) {
      SchedWorld w(1, "eager_slices");
      for (int t = 0; t < 2; ++t) {
        run.Spawn([&w] {
          ThreadState* ts = w.isolate->AttachThread("mutator");
          Node* a = NewNode(ts, &kNodeType, 1);
          Give(ts, a, 0, NewNode(ts, &kNodeType, 2));
          Decref(ts, NewRing(ts, 2));
          for (int i = 0; i < 3; ++i) {
            Pay(w, ts);
            Node* child = Get(a, 0);
            Incref(child);
            Set(ts, a, 0, nullptr);
            Pay(w, ts);
            Node* fresh = NewNode(ts, &kNodeType, 3 + i);
            Give(ts, fresh, 0, child);
            Give(ts, a, 0, fresh);
          }
          SCHED_CHECK(Get(a, 0)->id == 5);
          SCHED_CHECK(Get(Get(Get(Get(a, 0), 0), 0), 0)->id == 2);
          Decref(ts, a);
          w.isolate->LeaveThread(ts);
        });
      }
      if (explicit_too) SpawnCollector(run, w);
      run.RunAll();
      CollectLast(run, w, 14);
    });
    EXPECT_TRUE(result.ok) << result.message;
  }
}

}  // namespace
}  // namespace tidepool
