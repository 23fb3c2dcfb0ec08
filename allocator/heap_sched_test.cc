// The protocol of holding a heap (T1-T5 of heap.h) and of its foreign frees (G3 of
// internal/heap_record.h) through chosen interleavings. The mutants that each must
// find are listed in tests/mutants.txt.
#include "gtest/gtest.h"
#include "tidepool/allocator/heap.h"
#include "tidepool/base/sched.h"

namespace tidepool {
namespace {

using sched::Explore;
using sched::SchedOptions;
using sched::SchedResult;
using sched::SchedRun;

SchedOptions Random(uint64_t iterations) {
  SchedOptions options;
  options.iterations = iterations;
  options.time_budget_ms = 10000;
  options.plain_iterations = 30;
  return options;
}

struct World {
  explicit World(int threads) {
    Options options;
    options.arena_reserve = 1 << 20;
    options.bad_free = BadFreePolicy::kIgnore;
    domain = std::move(*HeapDomain::Create(options));
    for (int i = 0; i < threads; ++i) thread[i] = domain->NewThread();
    heap = *Heap::Create(domain.get());
  }
  ~World() {
    for (ThreadHeap* t : thread) {
      if (t != nullptr) domain->ExitThread(t);
    }
  }
  uint64_t Live() {
    HeapFigures figures;
    SCHED_CHECK(heap.Figures(&figures));
    return figures.live_blocks;
  }
  std::unique_ptr<HeapDomain> domain;
  ThreadHeap* thread[4] = {};
  Heap heap;
};

constexpr size_t kBlock = 8192;  // eight to a page

// Whatever is inside is waited for, and what comes later waits.
TEST(HeapSchedTest, InterruptionsAgainstTheHolder) {
  SchedResult result = Explore(Random(1500), [&](SchedRun& run) {
    World world(2);
    HeapHold hold;
    SCHED_CHECK(world.heap.Take(world.thread[0], &hold));
    run.Spawn([&] {
      for (int i = 0; i < 3; ++i) {
        SCHED_CHECK(hold.Allocate(kBlock) != nullptr);
      }
    });
    run.Spawn([&] {
      SCHED_CHECK(world.heap.Reset());
      SCHED_CHECK(world.heap.Purge());
    });
    run.RunAll();
    SCHED_CHECK(world.Live() <= 3);
    world.domain->CheckInvariants();
    SCHED_CHECK(world.heap.Destroy());
    SCHED_CHECK(world.domain->GetStats().pages == 0);
  });
  EXPECT_TRUE(result.ok) << result.message;
}

// Of two that take it, each is the holder until the other is, and never both.
TEST(HeapSchedTest, TwoThreadsTakeItFromEachOther) {
  SchedResult result = Explore(Random(1500), [&](SchedRun& run) {
    World world(2);
    static Atomic<uint64_t> made;
    made.store(0, kRelaxed);
    for (int t = 0; t < 2; ++t) {
      run.Spawn([&world, t] {
        HeapHold hold;
        SCHED_CHECK(world.heap.Take(world.thread[t], &hold));
        for (int i = 0; i < 2; ++i) {
          if (hold.Allocate(kBlock) != nullptr) made.fetch_add(1, kRelaxed);
        }
        hold.Release();
      });
    }
    run.RunAll();
    SCHED_CHECK(world.Live() == made.load(kRelaxed));
    SCHED_CHECK(made.load(kRelaxed) >= 2);  // of the one who was last
    world.domain->CheckInvariants();
    SCHED_CHECK(world.heap.Destroy());
    SCHED_CHECK(world.domain->GetStats().live_blocks == 0);
  });
  EXPECT_TRUE(result.ok) << result.message;
}

// The heap is destroyed and another is made in the same record, while the holder of
// the old one works and a stranger has its name.
TEST(HeapSchedTest, DestroyedAndMadeAnewUnderItsHolder) {
  SchedResult result = Explore(Random(1500), [&](SchedRun& run) {
    World world(3);
    Heap old = world.heap;
    HeapHold hold;
    SCHED_CHECK(old.Take(world.thread[0], &hold));
    static Atomic<uint64_t> resets;
    resets.store(0, kRelaxed);
    run.Spawn([&] {
      for (int i = 0; i < 3; ++i) hold.Allocate(kBlock);
      SCHED_CHECK(old.alive() || !hold.valid());
    });
    run.Spawn([&] {
      SCHED_CHECK(old.Destroy());
      world.heap = *Heap::Create(world.domain.get());
      HeapHold mine;
      SCHED_CHECK(world.heap.Take(world.thread[1], &mine));
      SCHED_CHECK(mine.Allocate(kBlock) != nullptr);
      SCHED_CHECK(mine.valid());
      // Nobody who knew the old heap has reached this one.
      SCHED_CHECK(world.Live() == 1);
      mine.Release();
    });
    run.Spawn([&] {
      HeapHold mine;
      if (old.Take(world.thread[2], &mine)) mine.Allocate(kBlock);
      old.Reset();
    });
    run.RunAll();
    SCHED_CHECK(!old.alive());
    SCHED_CHECK(world.Live() == 1);
    world.domain->CheckInvariants();
    SCHED_CHECK(world.heap.Destroy());
    SCHED_CHECK(world.domain->GetStats().pages == 0);
  });
  EXPECT_TRUE(result.ok) << result.message;
}

// Blocks freed by two strangers while the holder collects: none is lost or given twice.
TEST(HeapSchedTest, ForeignFreesAgainstCollecting) {
  SchedResult result = Explore(Random(2000), [&](SchedRun& run) {
    World world(3);
    HeapHold hold;
    SCHED_CHECK(world.heap.Take(world.thread[0], &hold));
    void* blocks[10];
    for (void*& p : blocks) p = hold.Allocate(kBlock);
    for (int t = 0; t < 2; ++t) {
      run.Spawn([&world, &blocks, t] {
        for (int i = t; i < 10; i += 2) {
          world.domain->FreeFromAnywhere(blocks[i]);
        }
      });
    }
    run.Spawn([&] {
      void* more[9];
      for (void*& p : more) {
        p = hold.Allocate(kBlock);
        SCHED_CHECK(p != nullptr);
        *static_cast<void**>(p) = p;
      }
      for (void* p : more) {
        SCHED_CHECK(*static_cast<void**>(p) == p);
        hold.Free(p);
      }
    });
    run.RunAll();
    world.domain->CheckInvariants();
    SCHED_CHECK(world.Live() == 0);
    SCHED_CHECK(world.heap.Purge());
    HeapFigures figures;
    SCHED_CHECK(world.heap.Figures(&figures));
    SCHED_CHECK(figures.pages == 0);  // all were found
    SCHED_CHECK(world.heap.Destroy());
  });
  EXPECT_TRUE(result.ok) << result.message;
}

}  // namespace
}  // namespace tidepool
