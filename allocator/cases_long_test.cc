// Faults that show only after long runs (docs/cases.md), scaled: by default each takes a
// second or two, TIDEPOOL_TEST_SECONDS=100 makes it minutes, and then the sizes are those
// of the reports. Nothing here depends on how fast anything is.
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/allocator/domain_testing.h"
#include "tidepool/allocator/heap_domain.h"
#include "tidepool/base/lock_waits.h"
#include "tidepool/base/os.h"
#include "tidepool/base/sanitizer.h"
#include "tidepool/base/thread.h"

namespace tidepool {
namespace {

using testing_memory::kMiB;
using testing_memory::OnThread;
using testing_memory::StartWithHeap;
using testing_memory::World;

// `usual` by default, more in long runs, at most `most`.
uint64_t Scaled(uint64_t usual, uint64_t most) {
  const char* text = getenv("TIDEPOOL_TEST_SECONDS");
  const double scale = text != nullptr ? atof(text) : 1;
  const double n = static_cast<double>(usual) * (scale > 1 ? scale : 1);
#if TIDEPOOL_ASAN || TIDEPOOL_TSAN
  return std::min(most, static_cast<uint64_t>(n / 8));
#else
  return std::min(most, static_cast<uint64_t>(n));
#endif
}

// M14: those who make blocks are not those who drop them, and threads come and go. What is
// committed stays within one and a half times the most that was live (250 MB: with a
// tenth of it the pages that are half in use, some forty classes of each of the makers,
// weigh twice as much as what they hold), and the pages that nobody owns do not become
// more.
TEST(CasesLongTest, CreatorsAndDeletersDiffer) {
  constexpr int kThreads = 50;
  constexpr size_t kSlots = 200000;
  const int generations = std::max(3, static_cast<int>(Scaled(12, 1200)));
  World world;
  static Atomic<char*> slots[kSlots];  // places where blocks change hands
  uint64_t early = 0, late = 0, most_live = 0;
  for (int g = 0; g < generations; ++g) {
    Thread threads[kThreads];
    for (int t = 0; t < kThreads; ++t) {
      ASSERT_TRUE(StartWithHeap(&threads[t], world.domain.get(), [&, t, g](ThreadHeap* heap) {
        std::mt19937 random(static_cast<unsigned>(g * kThreads + t + 1));
        for (int i = 0; i < 6000; ++i) {
          // The even ones make, the odd ones drop.
          char* fresh = nullptr;
          if (t % 2 == 0) {
            const size_t size = 32 + random() % 4064;
            fresh = static_cast<char*>(heap->Allocate(HeapKind::kRaw, size));
            ASSERT_NE(fresh, nullptr);
            fresh[0] = fresh[size - 1] = 1;
          }
          char* old = slots[random() % kSlots].exchange(fresh, kAcqRel);
          heap->Free(old);
          if (i % 100 == 0) heap->Safepoint();
        }
        heap->Detach();
      }));
    }
    for (Thread& thread : threads) thread.Join();
    const Stats stats = world.domain->GetStats();
    most_live = std::max(most_live, stats.live_bytes);
    EXPECT_LE(stats.committed, most_live * 3 / 2 + 8 * kMiB) << "generation " << g;
    if (g < generations / 3) early = std::max(early, stats.available_pages);
    if (g >= generations * 2 / 3) late = std::max(late, stats.available_pages);
  }
  EXPECT_LE(late, early * 2 + 64);
  for (Atomic<char*>& slot : slots) world.heap->Free(slot.exchange(nullptr, kAcqRel));
  world.domain->CheckInvariants();
}

// M27: a loop that does nothing but retire blocks, beside a reader that comes to its
// safepoints. What waits is bounded by the budget, not by how many there are.
TEST(CasesLongTest, EightyMillionRetires) {
  const uint64_t retires = Scaled(1000000, 80000000);
  Options options;
  options.limbo_budget = kMiB;
  World world(options);
  Atomic<int> stop(0);
  Atomic<uint64_t> rounds(0);
  Thread reader;
  ASSERT_TRUE(StartWithHeap(&reader, world.domain.get(), [&](ThreadHeap* heap) {
    while (stop.load(kRelaxed) == 0) {
      heap->Safepoint();
      rounds.fetch_add(1, kRelaxed);
    }
    heap->Detach();
  }));
  uint64_t most = 0, committed = 0;
  for (uint64_t i = 0; i < retires; ++i) {
    void* p = world.heap->Allocate(HeapKind::kRaw, 64);
    ASSERT_NE(p, nullptr);
    world.heap->FreeDelayed(p);
    if (i % 64 != 0) continue;
    world.heap->Safepoint();
    if (i % 4096 != 0) continue;
    most = std::max(most, world.domain->LimboBytes());
    committed = std::max(committed, world.domain->CommittedBytes());
    // Past the budget the reader has its turn, however the threads are scheduled.
    const uint64_t before = rounds.load(kRelaxed);
    while (world.domain->LimboBytes() > options.limbo_budget &&
           rounds.load(kRelaxed) < before + 3) {
      RealOs()->SleepNs(20000);
      world.heap->Safepoint();
    }
  }
  stop.store(1, kRelaxed);
  reader.Join();
  // The budget and what 4,096 blocks more take; the pages of both.
  EXPECT_LE(most, options.limbo_budget + 4096 * 64 + kMiB / 4);
  EXPECT_LE(committed, 8 * kMiB);
  world.heap->Safepoint();
  world.heap->Detach();
  world.domain->AfterStop();
  world.heap->Attach();
  EXPECT_EQ(world.domain->LimboBytes(), 0u);
  EXPECT_EQ(world.domain->GetStats().live_blocks, 0u);
}

// A thread that is attached and comes to no safepoint, while others free 10 GB (a hundredth
// by default). Big blocks are zeroed inside, so that they cost address space only; small
// ones, which keep their memory, are few; the thread is named.
TEST(CasesLongTest, StalledReaderWhileOthersFreeTenGigabytes) {
  const uint64_t bytes = Scaled(100 * kMiB, 10000 * kMiB);
  Options options;
  options.limbo_budget = 4 * kMiB;
  World world(options);
  world.heap->Detach();
  ThreadHeap* reader = world.domain->NewThread();
  reader->Attach();  // and never comes to a safepoint
  constexpr int kThreads = 3;
  Thread threads[kThreads];
  Atomic<uint64_t> small(0);
  for (int t = 0; t < kThreads; ++t) {
    ASSERT_TRUE(StartWithHeap(&threads[t], world.domain.get(), [&, t](ThreadHeap* heap) {
      for (uint64_t freed = 0; freed < bytes / kThreads; freed += 2 * kMiB) {
        char* p = static_cast<char*>(heap->Allocate(HeapKind::kRaw, 2 * kMiB));
        ASSERT_NE(p, nullptr);
        memset(p, t + 1, 2 * kMiB);
        heap->FreeDelayed(p, /*may_zero=*/true);
        for (int i = 0; i < 8; ++i) {
          heap->FreeDelayed(heap->Allocate(HeapKind::kRaw, 1000));
          small.fetch_add(1024, kRelaxed);
        }
        heap->Safepoint();
      }
      heap->Detach();
    }));
  }
  for (Thread& thread : threads) thread.Join();
  EXPECT_GE(world.domain->LimboBytes(), bytes / 10 * 9);
  // Twice the budget stays as it is, then insides are zeroed; each big block keeps the OS
  // pages of its ends; what is freed is not yet unused, and the small ones wait whole.
  const uint64_t ends = bytes / (2 * kMiB) * 16384;
  EXPECT_LE(world.domain->CommittedBytes(),
            3 * options.limbo_budget + kThreads * 2 * kMiB + ends +
                small.load(kRelaxed) * 5 / 4 + 4 * kMiB);
  Seq oldest = 0;
  EXPECT_EQ(world.domain->qsbr().OldestReader(&oldest)->tag(), reader);
  world.heap->Attach();
  reader->Safepoint();
  world.heap->Safepoint();
  reader->Safepoint();
  world.heap->Safepoint();
  EXPECT_EQ(world.domain->LimboBytes(), 0u);
  world.domain->ExitThread(reader);
  world.domain->CheckInvariants();
}

// C36: one key replaced 200,000 times by 16 threads, each old value freed delayed, while a
// reader holds everything up. No counter of pages, chains or limbo may overflow: all come
// back, once each, when the reader goes on.
TEST(CasesLongTest, AHotKeyReplacedBehindAStalledReader) {
  constexpr int kThreads = 16;
  const uint64_t each = Scaled(200000, 200000) / kThreads;
  World world;
  ThreadHeap* reader = world.domain->NewThread();
  reader->Attach();
  Atomic<char*> key(nullptr);
  Thread threads[kThreads];
  for (int t = 0; t < kThreads; ++t) {
    ASSERT_TRUE(StartWithHeap(&threads[t], world.domain.get(), [&, t](ThreadHeap* heap) {
      for (uint64_t i = 0; i < each; ++i) {
        char* p = static_cast<char*>(heap->Allocate(HeapKind::kRaw, 16));
        ASSERT_NE(p, nullptr);
        // Its own pattern, so that a block with two owners shows.
        memset(p + 8, t, 8);
        char* old = key.exchange(p, kAcqRel);
        if (old != nullptr) {
          EXPECT_EQ(old[8], old[15]);
          heap->FreeDelayed(old);
        }
      }
      heap->Detach();
    }, 256 << 10));
  }
  for (Thread& thread : threads) thread.Join();
  EXPECT_EQ(world.domain->LimboBytes(), (each * kThreads - 1) * 16);
  // Once more over the same pages, by one that frees at once: the counts of others' blocks
  // in a page go to their border while nothing can be drained.
  world.domain->CheckInvariants();
  reader->Safepoint();
  world.heap->Safepoint();
  reader->Safepoint();
  world.heap->Safepoint();
  EXPECT_EQ(world.domain->LimboBytes(), 0u);
  world.heap->Free(key.load(kAcquire));
  world.domain->ExitThread(reader);
  world.heap->Safepoint();
  EXPECT_EQ(world.domain->GetStats().live_blocks, 0u);
  world.domain->CheckInvariants();
}

// S07: a hundred threads fill pages, leave them and take back what others left, and hardly
// ever wait for each other's locks. (A wait is counted when a thread goes to sleep for a
// lock. Whoever is sent away by the OS while it holds one makes up to all others wait once:
// so the bound goes by the operations, a hundredth of them. Usual is a ten-thousandth.)
TEST(CasesLongTest, ThreadsDoNotQueueOnLocks) {
  constexpr int kThreads = 100;
  const int rounds = static_cast<int>(Scaled(300, 3000));
  Options options;
  options.page_full_retain = 0;  // full pages are left at once
  World world(options);
  constexpr size_t kSlots = 8000;
  static Atomic<char*> board[kSlots];
  const uint64_t before = LockWaits();
  std::vector<Thread> threads(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    ASSERT_TRUE(StartWithHeap(
        &threads[static_cast<size_t>(t)], world.domain.get(),
        [&, t](ThreadHeap* heap) {
          std::mt19937 random(static_cast<unsigned>(t + 1));
          for (int r = 0; r < rounds; ++r) {
            for (int i = 0; i < 30; ++i) {
              char* fresh = static_cast<char*>(
                  heap->Allocate(HeapKind::kRaw, 64u << (random() % 8)));
              heap->Free(board[random() % kSlots].exchange(fresh, kAcqRel));
            }
            heap->Safepoint();
          }
          heap->Detach();
        },
        256 << 10));
  }
  for (Thread& thread : threads) thread.Join();
  const uint64_t waits = LockWaits() - before;
  const uint64_t operations = static_cast<uint64_t>(rounds) * kThreads * 60;
  for (Atomic<char*>& slot : board) world.heap->Free(slot.exchange(nullptr, kAcqRel));
  EXPECT_GT(world.domain->GetStats().pages_abandoned, operations / 1000);  // as it says
  EXPECT_LE(waits, operations / 100);
}

// K18: what a thread's exit does goes by the pages it has, not by what others left: it
// looks at no page of theirs. (Each page it lets go is counted, and nothing else.)
TEST(CasesLongTest, ExitsLetGoTheirOwnPagesOnly) {
  World world;
  std::vector<void*> left;
  uint64_t most = 0;
  for (int i = 0; i < 300; ++i) {
    ThreadHeap* heap = world.domain->NewThread();
    heap->Attach();
    // Whole pages, so that nobody adopts them.
    for (int k = 0; k < 64; ++k) left.push_back(heap->Allocate(HeapKind::kRaw, 4096));
    const Stats before = world.domain->GetStats();
    heap->Detach();
    world.domain->ExitThread(heap);
    const Stats after = world.domain->GetStats();
    most = std::max(most, after.pages_abandoned - before.pages_abandoned);
    EXPECT_EQ(after.pages_adopted, before.pages_adopted);
    EXPECT_EQ(after.pages_claimed, before.pages_claimed);
    EXPECT_EQ(after.live_blocks, before.live_blocks);
  }
  EXPECT_LE(most, 16u);
  for (void* p : left) world.heap->Free(p);
  world.heap->Safepoint();
  EXPECT_EQ(world.domain->GetStats().live_blocks, 0u);
  world.domain->CheckInvariants();
}

// R31: the sums of all that was ever allocated pass 2^42 bytes, in long runs 2^45, on
// a thread that is not main; figures and limits go on as before.
TEST(CasesLongTest, TotalsPast2To45Bytes) {
  constexpr uint64_t kBlock = uint64_t{1} << 29;
  const uint64_t total = Scaled(uint64_t{1} << 42, uint64_t{1} << 45);
  const uint64_t blocks = total / kBlock + 10;
  uint64_t hard = uint64_t{1} << 30;
  Options options;
  options.max_memory = hard;
  World world(options);
  OnThread(world.domain.get(), [&](ThreadHeap* heap) {
    for (uint64_t i = 0; i < blocks; ++i) {
      void* p = heap->Allocate(HeapKind::kRaw, kBlock);
      ASSERT_NE(p, nullptr) << i;
      heap->Free(p);
    }
    EXPECT_GE(heap->allocated_since(), total);
  });
  const Stats stats = world.domain->GetStats();
  EXPECT_GE(stats.large_allocated, total);
  EXPECT_EQ(stats.live_blocks, 0u);
  EXPECT_LE(stats.committed, hard);
  EXPECT_EQ(world.heap->Allocate(HeapKind::kRaw, hard + 1), nullptr);
  void* p = world.heap->Allocate(HeapKind::kRaw, 48);
  EXPECT_NE(p, nullptr);
  world.heap->Free(p);
}

}  // namespace
}  // namespace tidepool
