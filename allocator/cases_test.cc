// Faults that people met in allocators, each as a small program (docs/cases.md): where
// memory stays after phases, pools, many freeing threads, capped stores and huge pages,
// and how often the OS and the slow paths are asked.
#include <stdlib.h>
#include <string.h>

#include <deque>
#include <random>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/allocator/heap_domain.h"
#include "tidepool/allocator/domain_testing.h"
#include "tidepool/base/os.h"
#include "tidepool/base/thread.h"

namespace tidepool {
namespace {

using testing_memory::kMiB;
using testing_memory::OnThread;
using testing_memory::StartWithHeap;
using testing_memory::World;

// M08: a phase of one kind and size, then a phase of another: the second uses the
// memory of the first, the sum of both is never resident.
TEST(CasesTest, PhasesShareMemory) {
  World world;
  uint64_t peak = 0;
  for (HeapKind kind : {HeapKind::kRaw, HeapKind::kGc, HeapKind::kObject,
                        HeapKind::kGcPre, HeapKind::kRaw}) {
    for (size_t size : {64u, 640u, 20000u, 300000u}) {
      std::vector<void*> blocks;
      for (size_t total = 0; total < 32 * kMiB; total += size) {
        void* p = world.heap->Allocate(kind, size);
        ASSERT_NE(p, nullptr);
        blocks.push_back(p);
      }
      peak = std::max(peak, world.domain->CommittedBytes());
      for (void* p : blocks) world.heap->Free(p);
      world.heap->Safepoint();
    }
  }
  // A phase's own 32 MiB with an eighth for classes, an eighth of it and 8 MiB over.
  EXPECT_LE(peak, 50 * kMiB);
}

// M13: each thread of a pool holds its own peak once, one after the other; the process
// holds one peak, not the sum, also while the threads live.
TEST(CasesTest, PeaksOfAPoolDoNotAddUp) {
  World world;
  constexpr int kThreads = 8;
  Atomic<int> turn(0);
  Atomic<uint64_t> most(0);
  Thread threads[kThreads];
  for (int t = 0; t < kThreads; ++t) {
    ASSERT_TRUE(threads[t].Start([&, t] {
      ThreadHeap* heap = world.domain->NewThread();
      while (turn.load(kAcquire) != t) RealOs()->SleepNs(100000);
      heap->Attach();
      std::vector<void*> blocks;
      for (size_t i = 0; i < 24 * kMiB; i += 1008) {
        blocks.push_back(heap->Allocate(HeapKind::kRaw, 1000));
      }
      uint64_t now = world.domain->CommittedBytes();
      if (now > most.load(kRelaxed)) most.store(now, kRelaxed);
      for (void* p : blocks) heap->Free(p);
      heap->Detach();
      turn.store(t + 1, kRelease);
      while (turn.load(kAcquire) != kThreads) RealOs()->SleepNs(100000);
      world.domain->ExitThread(heap);
    }));
  }
  for (Thread& thread : threads) thread.Join();
  EXPECT_LE(most.load(kRelaxed), (24 + 24 / 8 + 10) * kMiB);
}

// M16: a store that keeps itself below a cap by dropping old entries of other sizes: what
// is committed stays within a quarter of the cap for as long as it runs.
TEST(CasesTest, CappedStoreStaysAtItsCap) {
  World world;
  std::mt19937 random(7);
  std::deque<void*> store;
  size_t bytes = 0;
  uint64_t peak = 0;
  constexpr size_t kCap = 48 * kMiB;
  for (int i = 0; i < 120000; ++i) {
    // The sizes drift, so that holes of one class are not what the next wants.
    size_t low = 64 + static_cast<size_t>(i / 40) % 1500;
    size_t size = low + random() % (low * 2);
    while (bytes + size > kCap) {
      bytes -= HeapDomain::UsableSize(store.front());
      world.heap->Free(store.front());
      store.pop_front();
    }
    void* p = world.heap->Allocate(HeapKind::kRaw, size);
    ASSERT_NE(p, nullptr);
    memset(p, 1, size);
    store.push_back(p);
    bytes += HeapDomain::UsableSize(p);
    if (i % 64 == 0) peak = std::max(peak, world.domain->CommittedBytes());
  }
  EXPECT_LE(peak, kCap + kCap / 4);
  for (void* p : store) world.heap->Free(p);
}

// M20: hundreds of threads that only free. What they keep from their pages is bounded
// by the chains, and nothing of it is counted as live; when they end it is zero.
TEST(CasesTest, HundredsOfFreeingThreads) {
  constexpr int kThreads = 400;
  World world;
  std::vector<void*> blocks;
  for (int i = 0; i < kThreads * 500; ++i) {
    blocks.push_back(world.heap->Allocate(HeapKind::kRaw, 200));
  }
  Atomic<int> done(0);
  Atomic<int> leave(0);
  std::vector<Thread> threads(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    ASSERT_TRUE(threads[static_cast<size_t>(t)].Start([&, t] {
      ThreadHeap* heap = world.domain->NewThread();
      heap->Attach();
      // Every kThreads-th block: each thread has blocks of every page.
      for (size_t i = static_cast<size_t>(t); i < blocks.size(); i += kThreads) {
        heap->Free(blocks[i]);
      }
      done.fetch_add(1, kAcqRel);
      while (leave.load(kAcquire) == 0) RealOs()->SleepNs(1000000);
      world.domain->ExitThread(heap);
    }, 128 << 10));
  }
  while (done.load(kAcquire) != kThreads) RealOs()->SleepNs(1000000);
  // All are attached and at rest, none was at a safepoint since.
  Stats stats = world.domain->GetStats();
  EXPECT_EQ(stats.live_blocks, 0u);
  uint64_t in_pages = stats.free_in_pages;
  EXPECT_LE(in_pages, 44 * kMiB);
  leave.store(1, kRelease);
  for (Thread& thread : threads) thread.Join();
  world.heap->Safepoint();
  world.domain->Purge();
  EXPECT_LE(world.domain->GetStats().free_in_pages, kMiB);
}

// M22: with huge pages allowed everywhere, what was purged stays purged: the kernel does
// not find a range half in use that it could fill again.
TEST(CasesTest, HugePagesDoNotRefillWhatWasPurged) {
  Options options;
  options.allow_huge_pages = true;
  World world(options);
  std::vector<void*> blocks;
  for (int i = 0; i < 64; ++i) {
    blocks.push_back(world.heap->Allocate(HeapKind::kRaw, kMiB + 4096));
    memset(blocks.back(), 1, kMiB);
  }
  for (int i = 0; i < 200000; ++i) {
    blocks.push_back(world.heap->Allocate(HeapKind::kRaw, 256));
    memset(blocks.back(), 1, 256);
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (i % 1000 != 0) world.heap->Free(blocks[i]);
  }
  world.domain->Purge();
  uint64_t committed = world.domain->CommittedBytes();
  auto resident = [] {
    long pages = 0, rss = 0;
    FILE* f = fopen("/proc/self/statm", "r");
    EXPECT_EQ(fscanf(f, "%ld %ld", &pages, &rss), 2);
    fclose(f);
    return static_cast<uint64_t>(rss) * 4096;
  };
  uint64_t before = resident();
  for (int i = 0; i < 20; ++i) RealOs()->SleepNs(20000000);
  EXPECT_LE(committed, 24 * kMiB);
  EXPECT_LE(resident(), before + 2 * kMiB);
  for (size_t i = 0; i < blocks.size(); i += 1000) world.heap->Free(blocks[i]);
}

// S06: a thread that attaches for each call (a callback from foreign code) keeps its heap
// and pages: nothing is made or abandoned from the second call on.
TEST(CasesTest, AttachPerCallKeepsTheHeap) {
  World world;
  ThreadHeap* heap = world.domain->NewThread();
  auto call = [&] {
    heap->Attach();
    void* blocks[20];
    for (size_t i = 0; i < 20; ++i) {
      blocks[i] = heap->Allocate(HeapKind::kGc, 32 + i * 16);
    }
    for (void* p : blocks) heap->Free(p);
    heap->Detach();
  };
  for (int i = 0; i < 3; ++i) call();
  Stats before = world.domain->GetStats();
  for (int i = 0; i < 10000; ++i) call();
  Stats after = world.domain->GetStats();
  EXPECT_LE(after.pages_made + after.dormant_reused,
            before.pages_made + before.dormant_reused + 10000 / 50);
  EXPECT_EQ(after.pages_abandoned, before.pages_abandoned);
  world.domain->ExitThread(heap);
}

// S10: buffers of 5 to 25 MB in a loop. The OS is asked a few times, not at each.
TEST(CasesTest, BigBuffersInALoopLeaveTheOsAlone) {
  World world;
  std::mt19937 random(1);
  Stats before = world.domain->GetStats();
  for (int i = 0; i < 400; ++i) {
    size_t size = 5000000 + random() % 20000000;
    char* p = static_cast<char*>(world.heap->Allocate(HeapKind::kRaw, size));
    ASSERT_NE(p, nullptr);
    p[0] = p[size - 1] = 1;
    world.heap->Free(p);
  }
  Stats after = world.domain->GetStats();
  EXPECT_LE(after.purge_calls - before.purge_calls, 80u);  // one in five
  EXPECT_LE(after.reserved, 512 * kMiB);
}

// S12: first touches. A block from 2 MiB on is faulted in by huge pages where the OS has
// them, so touching 16 MiB costs a handful of faults; a block that is used again, none.
TEST(CasesTest, BigBlocksFaultInByHugePages) {
  World world;
  char* p = static_cast<char*>(world.heap->Allocate(HeapKind::kRaw, 16 * kMiB));
  auto touch = [&] { for (size_t i = 0; i < 16 * kMiB; i += 4096) p[i] = 1; };
  touch();
  FILE* f = fopen("/sys/kernel/mm/transparent_hugepage/enabled", "r");
  char modes[64] = "";
  if (f != nullptr) {
    if (fgets(modes, sizeof modes, f) == nullptr) modes[0] = '\0';
    fclose(f);
  }
  auto faults = [] {
    unsigned long minor = 0;
    FILE* stat = fopen("/proc/thread-self/stat", "r");
    EXPECT_EQ(fscanf(stat, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %lu", &minor), 1);
    fclose(stat);
    return minor;
  };
  world.heap->Free(p);
  unsigned long start = faults();
  p = static_cast<char*>(world.heap->Allocate(HeapKind::kRaw, 16 * kMiB));
  touch();
  EXPECT_LE(faults() - start, 32u);  // the same memory again
  world.heap->Free(p);
  world.domain->Purge();
  start = faults();
  p = static_cast<char*>(world.heap->Allocate(HeapKind::kRaw, 16 * kMiB));
  touch();
  unsigned long fresh = faults() - start;
  const bool emulated = getenv("TIDEPOOL_EMULATED") != nullptr;  // takes no advice
  if (strstr(modes, "[never]") == nullptr && modes[0] != '\0' && !emulated) {
    EXPECT_LE(fresh, 4096u / 2);  // memory may be too split for some of them
  }
  world.heap->Free(p);
}

// S14: slow paths. Per hundred allocations of one size at most a few lists are taken up,
// and a size is rounded once: what UsableSize says is what the class has.
TEST(CasesTest, FewSlowPathsAndOneRounding) {
  World world;
  for (size_t size = 16; size <= kSmallMax / 8; size += 16) {
    std::vector<void*> blocks;
    uint64_t lists = 0, last = world.heap->allocated_since();
    for (int i = 0; i < 1000; ++i) {
      blocks.push_back(world.heap->Allocate(HeapKind::kRaw, size));
      uint64_t now = world.heap->allocated_since();
      if (now != last) ++lists;
      last = now;
      EXPECT_EQ(HeapDomain::UsableSize(blocks.back()), ClassSize(SizeClass(size)));
    }
    // From the third OS page of a page on, more than one at a time.
    EXPECT_LE(lists, 1000 * size / 6144 + 1000 / 64 + 8) << size;
    for (void* p : blocks) world.heap->Free(p);
  }
}

// S14: a size is rounded once. What is freed goes to the list that the next allocation of
// its size, and of the class's own size, looks at: for every size and alignment.
TEST(CasesTest, AFreedBlockServesItsSizeAgain) {
  World world;
  std::vector<void*> keep;  // so that no page becomes empty
  for (unsigned c = 1; c < kClassCount; ++c) {
    keep.push_back(world.heap->Allocate(HeapKind::kRaw, ClassSize(c)));
  }
  for (size_t alignment = 16; alignment <= 4096; alignment *= 2) {
    for (size_t size = 1; size <= 32 << 10; size += size < 2048 ? 1 : 61) {
      void* p = world.heap->AllocateAligned(HeapKind::kRaw, size, alignment);
      const size_t usable = HeapDomain::UsableSize(p);
      ASSERT_GE(usable, size);
      ASSERT_EQ(usable, ClassSize(SizeClass(usable)));
      world.heap->Free(p);
      ASSERT_EQ(world.heap->Allocate(HeapKind::kRaw, usable), p) << size;
      world.heap->Free(p);
      ASSERT_EQ(world.heap->AllocateAligned(HeapKind::kRaw, size, alignment), p) << size;
      world.heap->Free(p);
    }
  }
  for (void* p : keep) world.heap->Free(p);
}

// S14: sixteen threads, each class in turn, blocks that come and go: once a class has its
// memory, at most one allocation in a hundred takes the slow path (a list is taken up).
TEST(CasesTest, SixteenThreadsTakeFewSlowPaths) {
  World world;
  Thread threads[16];
  for (int t = 0; t < 16; ++t) {
    ASSERT_TRUE(StartWithHeap(&threads[t], world.domain.get(), [](ThreadHeap* heap) {
      for (unsigned c = 1; ClassSize(c) <= 32 << 10; ++c) {
        const size_t size = ClassSize(c);
        // Most of a page, and a block that keeps it.
        const size_t count = std::min<size_t>(ClassPageSize(c) / size - 1, 200);
        void* keep = heap->Allocate(HeapKind::kRaw, size);
        std::vector<void*> blocks(count);
        size_t slow = 0, made = 0;
        for (int cycle = 0; made < 1000; ++cycle) {
          for (void*& p : blocks) {
            const uint64_t before = heap->allocated_since();
            p = heap->Allocate(HeapKind::kRaw, size);
            slow += cycle != 0 && heap->allocated_since() != before;
          }
          if (cycle != 0) made += count;
          for (void* p : blocks) heap->Free(p);
          heap->Safepoint();
        }
        EXPECT_LE(slow, made / 100) << size;
        heap->Free(keep);
      }
    }));
  }
  for (Thread& thread : threads) thread.Join();
}

// S12: what small blocks lie in asks for no huge pages, and neither do big blocks where the
// option says so. (A mapping's flags: "nh" was advised against them, "hg" for them.)
TEST(CasesTest, SmallBlocksAskForNoHugePages) {
  const auto flags = [](const void* p) {
    std::string found;
    bool here = false;
    FILE* f = fopen("/proc/self/smaps", "r");
    char line[512];
    while (f != nullptr && fgets(line, sizeof line, f) != nullptr) {
      unsigned long from = 0, to = 0;
      if (sscanf(line, "%lx-%lx ", &from, &to) == 2) {
        const uintptr_t at = reinterpret_cast<uintptr_t>(p);
        here = from <= at && at < to;
      } else if (here && strncmp(line, "VmFlags:", 8) == 0) {
        found = line + 8;
      }
    }
    if (f != nullptr) fclose(f);
    return found;
  };
  for (const bool big : {true, false}) {
    Options options;
    options.huge_large_blocks = big;
    World world(options);
    void* small = world.heap->Allocate(HeapKind::kRaw, 1000);
    void* large = world.heap->Allocate(HeapKind::kRaw, 16 * kMiB);
    const std::string of_small = flags(small), of_large = flags(large);
    // Where the OS knows of none, or is emulated, there is nothing to see.
    if (of_small.find(" nh") != std::string::npos) {
      EXPECT_EQ(of_large.find(" hg") != std::string::npos, big) << of_large;
    }
    EXPECT_EQ(of_small.find(" hg"), std::string::npos) << of_small;
    world.heap->Free(small);
    world.heap->Free(large);
  }
}

// S17: foreign frees travel in chains: a page's blocks, freed in order, come back with
// one hand-over for 32.
TEST(CasesTest, ForeignFreesTravelInChains) {
  World world;
  std::vector<void*> blocks;
  for (int i = 0; i < 6400; ++i) {
    blocks.push_back(world.heap->Allocate(HeapKind::kGc, 64));
  }
  OnThread(world.domain.get(), [&](ThreadHeap* heap) {
    uint32_t hand_overs = 0, last = 0;
    for (void* p : blocks) {
      heap->Free(p);
      uint32_t now = heap->batched();
      if (now <= last) ++hand_overs;
      last = now;
    }
    EXPECT_LE(hand_overs, 6400u / 32 + 16);
    EXPECT_GE(hand_overs, 100u);
    EXPECT_EQ(world.domain->GetStats().live_blocks, 0u);
  });
}

}  // namespace
}  // namespace tidepool
