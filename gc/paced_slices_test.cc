// Slices of an automatic collection are spread over what the program allocates: one at a
// safepoint, paid by allocation, and within a bound (A1 and A2 of collection.cc). Whatever
// happens between two of them, all garbage goes and every header is in order.

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/sanitizer.h"
#include "tidepool/base/single_thread_testing.h"
#include "tidepool/base/thread.h"
#include "tidepool/gc/internal/pacing.h"
#include "tidepool/gc/policy.h"
#include "tidepool/gc/test_world.h"

namespace tidepool {
namespace {

constexpr uint64_t kMiB = 1 << 20;
constexpr uint64_t kStep = 2 * kMiB;
constexpr uint64_t kLeastBudget = 64 << 10;  // of collection.cc
// What a pass that began with `live` bytes lets the program allocate: past the allowance
// slices double with every second one, so that 24 are time for one 4,096 times as long as
// the budget. Twice, as a thread may be at its own budget's end when another begins.
uint64_t Allowance(uint64_t live, uint64_t threads) {
  return std::max<uint64_t>(4 * kMiB, live / 2) + 24 * threads * 2 * kLeastBudget;
}

// Collects when kStep more is live; in slices of 50 us.
class PacedPolicy final : public CollectionPolicy {
 public:
  const char* name() const override { return "paced"; }
  Decision Decide(const HeapSnapshot& s) override {
    const uint64_t grown = s.live_bytes - std::min(s.live_bytes, s.live_bytes_after_last);
    if (grown >= kStep) return {true, "grown", kStep};
    return {false, "", kStep - grown};
  }
  Plan MakePlan(const HeapSnapshot&) override {
    Plan plan;
    plan.pause_budget_ns = 50'000;
    return plan;
  }
};
TIDEPOOL_REGISTER_POLICY(kPaced, "paced", "for tests: slices of 50 us",
                         [](absl::string_view) {
                           return absl::StatusOr<std::unique_ptr<CollectionPolicy>>(
                               std::make_unique<PacedPolicy>());
                         });

// Counts starts and ends, and keeps the last collection's figures.
struct Counter final : CollectionListener {
  void OnCollectionStart(ThreadState*, const CollectStats&) override { ++starts; }
  void OnCollectionStop(ThreadState*, const CollectStats& info) override {
    ++stops;
    if (info.given_up) given_up.fetch_add(1, kRelaxed);  // a server may, too
    most_slices = std::max(most_slices, info.slices);
    collected += info.collected;
  }
  int starts = 0, stops = 0;
  Atomic<int> given_up{0};
  uint64_t most_slices = 0, collected = 0;
};

class PacedSlicesTest : public testing::Test {
 protected:
  PacedSlicesTest() : w(Options(), RealOs(), "paced") { w.collector->AddListener(&counter); }
  ~PacedSlicesTest() override {
    for (Node* n : live) w.Drop(n);
    w.Collect();
    EXPECT_EQ(w.live_blocks(), 0u);
    EXPECT_EQ(counter.starts, counter.stops);
    w.collector->RemoveListener(w.ts, &counter);
  }
  // n objects that no root reports, in a chain and all held: each is put to trial.
  void Hold(int n) {
    w.collector->Disable();
    for (int i = 0; i < n; ++i) {
      live.push_back(NewNode(w.ts, &kNodeType, 7));
      if (i != 0) Set(w.ts, live[live.size() - 2], 0, live.back());
    }
    w.Collect();
    w.collector->Enable();
  }
  bool open() const { return w.collector->collecting(); }
  uint64_t stops() const { return w.collector->Pauses().all.count(); }
  uint64_t position() const { return w.isolate->heap().AllocatedBytes(); }
  // Garbage, a safepoint after each ring, until a pass is open.
  void OpenAPass() {
    for (int i = 0; i < 1000000 && !open(); ++i) Litter();
    ASSERT_TRUE(open());
  }
  void Litter() {
    w.Drop(NewRing(w.ts, 10));
    w.ts->Safepoint();
  }

  World w;
  Counter counter;
  std::vector<Node*> live;
};

// A2: a safepoint costs one slice, and the next is not before so many bytes. A1: the pass
// is over within its allowance.
TEST_F(PacedSlicesTest, OneAtATimeAndOverInTime) {
  Hold(30000);
  for (int pass = 0; pass < 2; ++pass) {
    OpenAPass();
    const uint64_t start = position();
    const uint64_t most = Allowance(w.isolate->heap().GetStats().live_bytes, 1);
    const uint64_t stops_at_start = stops();
    uint64_t last_stop = start;
    while (open()) {
      ASSERT_LE(position() - start, most);
      const uint64_t had = stops();
      Litter();
      ASSERT_LE(stops(), had + 1);  // no finalizer here: a slice is one stop
      if (stops() != had && open()) {
        ASSERT_GE(position() - last_stop, kLeastBudget / 2);
        last_stop = position();
      }
    }
    EXPECT_GT(stops() - stops_at_start, 5u);
    w.CheckHeaders();
  }
  for (Node* n : live) ASSERT_EQ(n->id, 7);
}

// Threads that do nothing but make garbage, as fast as they can: what is live stays below
// what it says at the head of collection.cc.
TEST_F(PacedSlicesTest, MutatorsDoNotOutrunTheSlices) {
#if TIDEPOOL_TSAN
  GTEST_SKIP() << "a matter of times: there figures are read more slowly than garbage is made";
#endif
  if (getenv("TIDEPOOL_EMULATED") != nullptr) GTEST_SKIP() << "as under ThreadSanitizer";
  constexpr int kThreads = 3;
  Hold(30000);
  const uint64_t held = w.isolate->heap().GetStats().live_bytes;
  Atomic<int> enough{0};
  Atomic<uint64_t> peak{0};
  std::vector<Thread> threads(kThreads);
  for (Thread& thread : threads) {
    ASSERT_TRUE(thread.Start([&] {
      ThreadState* ts = w.isolate->AttachThread("litters");
      for (int i = 0; enough.load(kRelaxed) == 0; ++i) {
        Decref(ts, NewRing(ts, 10));
        ts->Safepoint();
        if (i % 16 != 0) continue;
        // A pass that ends, or a bound that is passed.
        if (w.collector->GetGenerationStats(0).collections >= 5 ||
            w.isolate->heap().AllocatedBytes() > 1000 * kMiB) {
          enough.store(1, kRelaxed);
        }
        const uint64_t now = w.isolate->heap().GetStats().live_bytes;
        uint64_t most = peak.load(kRelaxed);
        while (now > most && !peak.compare_exchange_weak(most, now, kRelaxed, kRelaxed)) {
        }
      }
      w.isolate->LeaveThread(ts);
    }));
  }
  {
    BlockingScope blocking(w.ts);
    for (Thread& thread : threads) thread.Join();
  }
  // f, what became garbage beside the pass before, is at most a = (held + f + step) / 2 + c
  // itself, so at most held + step + 2 c; and a pass ends at held + f + step + a.
  const uint64_t c = Allowance(0, kThreads + 1);
  EXPECT_LE(peak.load(kRelaxed), held + kStep + 2 * (held + kStep + 2 * c));
  EXPECT_GE(counter.stops, 5);
  EXPECT_GT(counter.most_slices, 5u);
}

// What an explicit collection is asked for while a pass is open, it does.
TEST_F(PacedSlicesTest, ExplicitCollectionTakesItsPlace) {
  Hold(30000);
  OpenAPass();
  const int64_t freed = w.freed();
  w.Drop(NewRing(w.ts, 77));
  const CollectStats stats = w.Collect();
  EXPECT_TRUE(stats.ran);
  EXPECT_FALSE(stats.given_up);
  EXPECT_GE(w.freed() - freed, 77);
  EXPECT_FALSE(open());
  EXPECT_EQ(counter.given_up.load(kRelaxed), 1);
  w.CheckHeaders();
  EXPECT_EQ(w.live_blocks(), live.size());
}

TEST_F(PacedSlicesTest, RequestsDrainsAndAStartedServer) {
  Hold(30000);
  OpenAPass();
  w.collector->RequestCollection(w.ts, /*force=*/true);
  w.ts->Safepoint();
  EXPECT_FALSE(open());
  EXPECT_EQ(w.live_blocks(), live.size());
  OpenAPass();
  w.collector->DrainFinalizers(w.ts);
  EXPECT_FALSE(open());
  EXPECT_EQ(w.live_blocks(), live.size());

  OpenAPass();
  Thread server;
  ASSERT_TRUE(server.Start([&] {
    ThreadState* ts = w.isolate->AttachThread("server");
    w.collector->ServeCollections(ts);
    w.isolate->LeaveThread(ts);
  }));
  while (!w.collector->serving()) {
    BlockingScope blocking(w.ts);
    RealOs()->SleepNs(100'000);
  }
  for (int i = 0; i < 1000000 && counter.given_up.load(kRelaxed) < 3; ++i) Litter();
  w.collector->DrainFinalizers(w.ts);
  EXPECT_EQ(counter.given_up.load(kRelaxed), 3);
  w.collector->StopServing();
  BlockingScope blocking(w.ts);
  server.Join();
}

// Nobody pays while automatic collections are off; then it goes on.
TEST_F(PacedSlicesTest, RestsWhileDisabled) {
  Hold(30000);
  OpenAPass();
  w.collector->Disable();
  const uint64_t had = stops();
  for (int i = 0; i < 3000; ++i) Litter();
  EXPECT_EQ(stops(), had);
  EXPECT_TRUE(open());
  w.collector->Enable();
  for (int i = 0; i < 1000000 && open(); ++i) Litter();
  EXPECT_FALSE(open());
  EXPECT_EQ(counter.given_up.load(kRelaxed), 0);
}

// The thread that began it leaves, another goes on; and the collector goes in the middle.
TEST_F(PacedSlicesTest, ThreadsComeAndGoBetweenSlices) {
  TIDEPOOL_SINGLE_THREAD_TEST();  // one at a time
  Hold(30000);
  int opened = 0;
  for (int i = 0; i < 30 || (i < 3000 && counter.stops < 4); ++i) {
    Thread thread;
    ASSERT_TRUE(thread.Start([&] {
      ThreadState* ts = w.isolate->AttachThread("passing by");
      const bool was_open = open();
      const uint64_t had = stops();
      for (int k = 0; k < 100000 && (open() == was_open && stops() < had + 2); ++k) {
        Decref(ts, NewRing(ts, 10));
        ts->Safepoint();
      }
      w.isolate->LeaveThread(ts);
    }));
    {
      BlockingScope blocking(w.ts);
      thread.Join();
    }
    opened += open() ? 1 : 0;
    if (i % 7 == 3) {
      w.collector->Freeze(w.ts);
      w.collector->Unfreeze(w.ts);
    }
    w.CheckHeaders();
  }
  EXPECT_GT(opened, 5);
  EXPECT_GE(counter.stops, 4);
}

TEST(PacedSlicesEndTest, CollectorGoesWithAPassOpen) {
  World w(Options(), RealOs(), "paced");
  std::vector<Node*> live;
  w.collector->Disable();
  for (int i = 0; i < 30000; ++i) live.push_back(NewNode(w.ts));
  w.collector->Enable();
  for (int i = 0; i < 1000000 && !w.collector->collecting(); ++i) {
    w.Drop(NewRing(w.ts, 10));
    w.ts->Safepoint();
  }
  ASSERT_TRUE(w.collector->collecting());
  w.collector.reset();
  w.collector = *Collector::Create(w.isolate.get(), "manual");
  w.Collect();
  EXPECT_EQ(w.live_blocks(), live.size());
  w.CheckHeaders();
  for (Node* n : live) w.Drop(n);
}

// Memory that objects hold elsewhere pays as allocation does.
TEST_F(PacedSlicesTest, MemoryElsewherePays) {
  Hold(30000);
  OpenAPass();
  int reports = 0;
  for (; reports < 2000 && open(); ++reports) {
    w.collector->AddExternalBytes(256 << 10);
    w.collector->AddExternalBytes(-(256 << 10));
    w.ts->Safepoint();
  }
  EXPECT_FALSE(open());
  EXPECT_GT(reports, 3);
}

// A pass that turns out to need many more slices than its objects let expect still has
// room for them within its allowance, where slices keep to their budget.
TEST(PacingTest, ManyMoreSlicesThanExpectedFitIntoTheAllowance) {
  struct Case {
    uint64_t allowance, expected, least;
  };
  for (const Case& c : {Case{4 * kMiB, 3, 40}, Case{16 * kMiB, 5, 120}, Case{50 * kMiB, 22, 200},
                        Case{4 * kMiB, 1000, 60}}) {
    const uint64_t stride = std::max(c.allowance / 2 / c.expected, kLeastBudget);
    uint64_t position = 0, slices = 1, last = stride;
    while (position < c.allowance) {
      const uint64_t next =
          gc_internal::StrideNow(stride, c.expected, slices, c.allowance - position);
      EXPECT_LE(next, last);  // ever closer together
      EXPECT_GE(next, kLeastBudget);
      last = next;
      position += next;
      ++slices;
      if (slices == c.expected) EXPECT_LE(position, c.allowance / 2 + stride);
    }
    EXPECT_GE(slices, c.least);
  }
}

}  // namespace
}  // namespace tidepool
