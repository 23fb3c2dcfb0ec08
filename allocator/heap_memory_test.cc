// What memory does: peaks, what comes back, limits, limbo, shrinking, zeroing. Each
// test states the bound it checks in bytes that the domain counts as committed, which
// is what can be resident; the cases they stand for are told in docs/cases.md.
#include <cstring>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/allocator/heap_domain.h"
#include "tidepool/allocator/domain_testing.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/event.h"
#include "tidepool/base/fake_os.h"
#include "tidepool/base/single_thread_testing.h"
#include "tidepool/base/thread.h"

namespace tidepool {
namespace {

using testing_memory::kMiB;
using testing_memory::OnThread;
using testing_memory::World;

std::vector<Options> EveryOption() {
  std::vector<Options> all;
  for (int policy = 0; policy < 5; ++policy) {
    for (int64_t retain : {-1, 0, 2, 100}) {
      for (int64_t reclaim : {-1, 0, 1}) {
        Options options;
        options.purge_policy = static_cast<PurgePolicyKind>(policy);
        options.page_full_retain = retain;
        options.page_reclaim_on_free = reclaim;
        all.push_back(options);
      }
    }
  }
  return all;
}

// 16 MiB blocks made on one thread, freed on another, 8 in flight; raw and objects,
// threads kept or new for each block. Peak: what is in use * 1.15 + 8 MiB.
TEST(HeapMemoryTest, BigBlocksHandedOverPeakAtWhatIsInUse) {
  constexpr size_t kBlock = 16 * kMiB;
  constexpr int kInFlight = 8;
  for (const Options& options : EveryOption()) {
    for (HeapKind kind : {HeapKind::kRaw, HeapKind::kObject}) {
      for (bool odd : {false, true}) {
        World world(options);
        uint64_t peak = 0;
        void* ring[kInFlight] = {};
        ThreadHeap* consumer = world.domain->NewThread();
        consumer->Attach();
        for (int i = 0; i < 60; ++i) {
          size_t size = kBlock + (odd ? (i * 7919) % 100000 : 0);
          void* fresh = world.heap->Allocate(kind, size);
          ASSERT_NE(fresh, nullptr);
          peak = std::max(peak, world.domain->CommittedBytes());
          void*& cell = ring[i % kInFlight];
          if (cell != nullptr) {
            if (i % 3 == 0) {
              world.domain->FreeFromAnywhere(cell);
            } else {
              consumer->Free(cell);
            }
          }
          cell = fresh;
          if (i % 5 == 0) world.heap->Safepoint();
          if (i % 5 == 1) consumer->Safepoint();
        }
        EXPECT_LE(peak, (kInFlight + 1) * kBlock * 115 / 100 + 8 * kMiB)
            << HeapKindName(kind) << (odd ? " odd " : " ") << options.ToJson();
        for (void* p : ring) world.heap->Free(p);
        world.domain->ExitThread(consumer);
        EXPECT_EQ(world.domain->GetStats().live_blocks, 0u);
        world.domain->Purge();
        EXPECT_LE(world.domain->CommittedBytes(), kMiB);
      }
    }
  }
}

// Sizes that change all the time must not pile up pieces.
TEST(HeapMemoryTest, BigBlocksOfManySizesStayBounded) {
  for (HeapKind kind : {HeapKind::kRaw, HeapKind::kGc}) {
    World world;
    std::mt19937 random(5);
    std::vector<std::pair<void*, size_t>> live;
    size_t in_use = 0, most = 0;
    uint64_t peak = 0;
    for (int i = 0; i < 3000; ++i) {
      if (live.size() >= 12) {
        size_t k = random() % live.size();
        world.heap->Free(live[k].first);
        in_use -= live[k].second;
        live[k] = live.back();
        live.pop_back();
      }
      size_t size = kMiB + random() % (30 * kMiB);
      void* p = world.heap->Allocate(kind, size);
      ASSERT_NE(p, nullptr);
      in_use += size;
      most = std::max(most, in_use);
      live.push_back({p, size});
      peak = std::max(peak, world.domain->CommittedBytes());
      if (i % 4 == 0) world.heap->Safepoint();
    }
    EXPECT_LE(peak, most * 115 / 100 + 10 * kMiB);
    for (auto& [p, size] : live) world.heap->Free(p);
  }
}

// microsoft/mimalloc#333: a million blocks made by one thread and freed by another.
TEST(HeapMemoryTest, EverythingComesBackAfterProducerAndConsumer) {
  World world;
  std::vector<void*> blocks;
  constexpr int kBlocks = 100000;
  for (int i = 0; i < kBlocks; ++i) {
    blocks.push_back(world.heap->Allocate(HeapKind::kRaw, 1024));
  }
  uint64_t peak = world.domain->CommittedBytes();
  OnThread(world.domain.get(), [&](ThreadHeap* heap) {
    for (void* p : blocks) heap->Free(p);
  });
  world.heap->Detach();  // blocked: nobody waits for it
  world.domain->Purge();
  EXPECT_LE(world.domain->CommittedBytes(), peak / 20);
  world.heap->Attach();
}

// microsoft/snmalloc#846, and an idle process with a background thread.
TEST(HeapMemoryTest, IdleMemoryGoesWithoutACall) {
  Options options;
  options.background_thread = true;
  options.purge_delay_ms = 50;
  World world(options);
  std::vector<void*> blocks;
  for (int i = 0; i < 2000; ++i) {
    blocks.push_back(world.heap->Allocate(HeapKind::kRaw, (64 << 10) + i * 10));
  }
  for (void* p : blocks) world.heap->Free(p);
  world.heap->Detach();
  uint64_t end = RealOs()->NowNs() + 3000000000u;
  while (world.domain->CommittedBytes() > kMiB && RealOs()->NowNs() < end) {
    RealOs()->SleepNs(20000000);
  }
  EXPECT_LE(world.domain->CommittedBytes(), kMiB);
  world.heap->Attach();
}

// gperftools/gperftools#1132: one block in twenty keeps partly used pages.
TEST(HeapMemoryTest, HolesInPartlyUsedPagesAreGivenBack) {
  for (HeapKind kind : {HeapKind::kRaw, HeapKind::kGc}) {
    World world;
    std::vector<char*> kept, gone;
    int n = 0;
    for (auto [count, size] : {std::pair<int, size_t>{30000, 512},
                               {20000, 1024},
                               {10000, 2048}}) {
      for (int i = 0; i < count; ++i) {
        char* p = static_cast<char*>(world.heap->Allocate(kind, size));
        memset(p + 48, 7, size - 48);
        (++n % 20 == 0 ? kept : gone).push_back(p);
      }
    }
    uint64_t peak = world.domain->CommittedBytes();
    for (char* p : gone) world.heap->Free(p);
    world.domain->CheckInvariants();
    world.heap->Detach();
    world.domain->Purge();
    world.heap->Attach();
    world.domain->CheckInvariants();
    EXPECT_LE(world.domain->CommittedBytes(), peak * 30 / 100);
    for (char* p : kept) {
      for (size_t i = 48; i < 512; ++i) ASSERT_EQ(p[i], 7);
    }
    // The holes are used again before new pages are.
    uint64_t pages = world.domain->GetStats().pages;
    std::vector<void*> more;
    for (int i = 0; i < 25000; ++i) {
      more.push_back(world.heap->Allocate(kind, 512));
      memset(static_cast<char*>(more.back()) + 48, 9, 512 - 48);
    }
    EXPECT_LE(world.domain->GetStats().pages, pages + 2);
    world.domain->CheckInvariants();
    for (char* p : kept) {
      for (size_t i = 48; i < 512; ++i) ASSERT_EQ(p[i], 7);
      world.heap->Free(p);
    }
    for (void* p : more) world.heap->Free(p);
    EXPECT_EQ(world.domain->GetStats().live_blocks, 0u);
  }
}

// python/cpython#135153: shrinking keeps no more than a quarter as waste.
TEST(HeapMemoryTest, ShrunkBlocksWasteLittle) {
  World world;
  std::vector<void*> blocks;
  for (int i = 0; i < 100000; ++i) {
    void* p = world.heap->Allocate(HeapKind::kRaw, 200);
    blocks.push_back(world.heap->Reallocate(p, 110));
  }
  uint64_t requested = 110 * blocks.size();
  EXPECT_LE(world.domain->GetStats().live_bytes, requested * 125 / 100);
  // Then nine in ten go, at random.
  std::mt19937 random(3);
  std::shuffle(blocks.begin(), blocks.end(), random);
  size_t keep = blocks.size() / 10;
  for (size_t i = keep; i < blocks.size(); ++i) world.heap->Free(blocks[i]);
  blocks.resize(keep);
  for (void* p : blocks) world.heap->Free(p);
}

// The same, and what is idle afterwards. Where the dead lie together: one and a half times
// what lives (runs of 100 blocks end inside OS pages, which is 1.4 times). Where they lie at random, an OS page of 36 blocks is empty with a chance of
// 0.9^36, and no block moves: not more than before.
TEST(HeapMemoryTest, ShrunkBlocksThatStayKeepWhatTheyLieIn) {
  for (const bool together : {true, false}) {
    World world;
    std::vector<void*> blocks;
    for (int i = 0; i < 300000; ++i) {
      void* p = world.heap->Allocate(HeapKind::kRaw, 200);
      blocks.push_back(world.heap->Reallocate(p, 110));
    }
    const uint64_t full = world.domain->CommittedBytes();
    std::mt19937 random(3);
    std::vector<void*> kept;
    for (size_t i = 0; i < blocks.size(); ++i) {
      const bool stays = together ? i % 1000 < 100 : random() % 10 == 0;
      if (stays) {
        kept.push_back(blocks[i]);
      } else {
        world.heap->Free(blocks[i]);
      }
    }
    world.heap->Detach();
    world.domain->Purge();
    world.heap->Attach();
    const uint64_t live = world.domain->GetStats().live_bytes;
    EXPECT_LE(world.domain->CommittedBytes(), together ? live * 3 / 2 : full);
    for (void* p : kept) world.heap->Free(p);
    world.domain->CheckInvariants();
  }
}

// microsoft/mimalloc#153: growing step by step, across every border.
TEST(HeapMemoryTest, GrowingByEightBytesCopiesAtMostFourTimes) {
  for (size_t last : {1000, 10000, 100000, 1000000, 3200000, 9000000}) {
    World world;
    size_t step = last > 3200000 ? 512 : 8;
    char* p = static_cast<char*>(world.heap->Allocate(HeapKind::kRaw, 16));
    for (size_t size = 16; size <= last; size += step) {
      p = static_cast<char*>(world.heap->Reallocate(p, size));
      ASSERT_NE(p, nullptr);
      p[size - 1] = static_cast<char>(size / step);
    }
    for (size_t size = 24; size <= last; size += step) {
      if ((size - 16) % step == 0) {
        ASSERT_EQ(p[size - 1], static_cast<char>(size / step)) << size;
      }
    }
    EXPECT_LE(world.domain->GetStats().copied, 4 * last) << last;
    // And the other way: memory follows.
    while (HeapDomain::UsableSize(p) > 64) {
      size_t usable = HeapDomain::UsableSize(p);
      p = static_cast<char*>(world.heap->Reallocate(p, usable / 2));
      ASSERT_LE(HeapDomain::UsableSize(p), usable * 3 / 4);
    }
    world.heap->Free(p);
  }
}

// vercel-labs/quickjs-wasi#30: every kind of block counts.
TEST(HeapMemoryTest, TheHardLimitCountsEverything) {
  for (int way = 0; way < 6; ++way) {
    Options options;
    options.max_memory = 8 * kMiB;
    World world(options);
    std::vector<void*> blocks;
    uint64_t most = 0;
    for (int i = 0; i < 1000000; ++i) {
      void* p = nullptr;
      switch (way) {
        case 0: p = world.heap->Allocate(HeapKind::kRaw, 512 << 10); break;
        case 1: p = world.heap->Allocate(HeapKind::kGc, 64); break;
        case 2: p = world.heap->AllocateAligned(HeapKind::kRaw, 100000, 1 << 17);
                break;
        case 3: p = world.heap->Allocate(HeapKind::kObject, 3 << 20); break;
        case 4: p = world.heap->AllocateZeroed(HeapKind::kRaw, 40000); break;
        case 5: {
          void* old = blocks.empty() ? nullptr : blocks.back();
          p = world.heap->Reallocate(old, (i + 1) * size_t{100000});
          if (p != nullptr && old != nullptr) blocks.pop_back();
          break;
        }
      }
      if (p == nullptr) break;
      memset(static_cast<char*>(p) + 32, 1, 16);
      blocks.push_back(p);
      most = std::max(most, world.domain->CommittedBytes());
    }
    EXPECT_LE(most, 8 * kMiB);
    EXPECT_GE(most, way == 3 ? 6 * kMiB : 7 * kMiB) << way;
    EXPECT_GT(world.domain->GetStats().limit_hits, 0u);
    // It goes on: after a free there is room again.
    for (int i = 0; i < 3000 && !blocks.empty(); ++i) {
      world.heap->Free(blocks.back());
      blocks.pop_back();
    }
    void* again = world.heap->Allocate(HeapKind::kRaw, 48);
    EXPECT_NE(again, nullptr);
    world.heap->Free(again);
    for (void* p : blocks) world.heap->Free(p);
    EXPECT_EQ(world.domain->GetStats().live_blocks, 0u);
    world.domain->CheckInvariants();
  }
}

// Dormant and free memory is purged before the limit refuses.
TEST(HeapMemoryTest, UnusedMemoryIsPurgedBeforeTheLimitRefuses) {
  Options options;
  options.max_memory = 16 * kMiB;
  options.purge_policy = PurgePolicyKind::kNever;
  World world(options);
  for (int round = 0; round < 20; ++round) {
    HeapKind kind = static_cast<HeapKind>(round % 4);
    size_t size = round % 2 == 0 ? 64 : 3 * kMiB;
    std::vector<void*> blocks;
    for (size_t bytes = 0; bytes + size < 12 * kMiB; bytes += size) {
      blocks.push_back(world.heap->Allocate(kind, size));
      ASSERT_NE(blocks.back(), nullptr) << round;
    }
    for (void* p : blocks) world.heap->Free(p);
  }
}

struct Pressure {
  World* world;
  std::vector<void*> cache;
  int soft = 0, hard = 0;
  bool refuse = false;
  static bool Call(void* arg, const MemoryPressure& pressure) {
    Pressure* self = static_cast<Pressure*>(arg);
    ++(pressure.level == MemoryPressure::kSoft ? self->soft : self->hard);
    EXPECT_GT(pressure.limit, 0u);
    if (pressure.level == MemoryPressure::kSoft || self->refuse) return false;
    // No lock is held: it may free, allocate, and ask for figures.
    for (void* p : self->cache) self->world->heap->Free(p);
    self->cache.clear();
    self->world->heap->Free(self->world->heap->Allocate(HeapKind::kRaw, 24));
    self->world->domain->GetStats();
    return true;
  }
};

// microsoft/mimalloc#1392: a callback that evicts, and one that refuses.
TEST(HeapMemoryTest, ThePressureCallbackMayFreeOrRefuse) {
  Options options;
  options.max_memory = 16 * kMiB;
  options.soft_memory = 8 * kMiB;
  World world(options);
  Pressure pressure;
  pressure.world = &world;
  world.domain->SetPressureCallback(&Pressure::Call, &pressure);
  for (int i = 0; i < 200; ++i) {
    void* p = world.heap->Allocate(HeapKind::kRaw, kMiB);
    ASSERT_NE(p, nullptr) << i;
    pressure.cache.push_back(p);
    ASSERT_LE(world.domain->CommittedBytes(), options.max_memory);
  }
  EXPECT_GT(pressure.soft, 0);
  EXPECT_GT(pressure.hard, 5);
  pressure.refuse = true;
  bool refused = false;
  for (int i = 0; i < 20; ++i) {
    void* p = world.heap->Allocate(HeapKind::kRaw, kMiB);
    if (p == nullptr) {
      refused = true;
      break;
    }
    pressure.cache.push_back(p);
  }
  EXPECT_TRUE(refused);
  for (void* p : pressure.cache) world.heap->Free(p);
}

// quickjs-ng/quickjs#1181: start-up under tiny limits fails cleanly or works.
TEST(HeapMemoryTest, TinyLimits) {
  for (size_t limit = 512; limit <= (1 << 20); limit += limit / 8) {
    FakeOs os(RealOs());
    Options options;
    options.max_memory = limit;
    {
      absl::StatusOr<std::unique_ptr<HeapDomain>> domain =
          HeapDomain::Create(options, &os);
      ASSERT_TRUE(domain.ok());
      ThreadHeap* heap = (*domain)->NewThread();
      if (heap != nullptr) {
        heap->Attach();
        void* p = heap->Allocate(HeapKind::kGc, 64);
        if (p != nullptr) heap->Free(p);
        EXPECT_EQ(heap->Allocate(HeapKind::kRaw, 2 << 20), nullptr);
        (*domain)->ExitThread(heap);
      }
      EXPECT_LE((*domain)->CommittedBytes(), limit);
    }
  }
}

// python/cpython#132519: arrays of 24 MB freed delayed by another thread.
TEST(HeapMemoryTest, DelayedFreesAreCountedInBytes) {
  World world;
  constexpr size_t kArray = 24000000;
  Atomic<void*> box{nullptr};
  Atomic<bool> done{false};
  Atomic<uint64_t> peak{0}, pending{0};
  Thread worker;
  ASSERT_TRUE(worker.Start([&] {
    ThreadHeap* heap = world.domain->NewThread();
    heap->Attach();
    while (!done.load(kAcquire)) {
      void* p = box.exchange(nullptr, kAcqRel);
      if (p != nullptr) {
        p = heap->ReallocateDelayed(p, kArray, kArray + 64);
        if (heap->wants_safepoint()) heap->Safepoint();
        heap->FreeDelayed(p);
      }
      heap->Safepoint();
      uint64_t now = world.domain->CommittedBytes();
      if (now > peak.load(kRelaxed)) peak.store(now, kRelaxed);
      now = world.domain->LimboBytes();
      if (now > pending.load(kRelaxed)) pending.store(now, kRelaxed);
    }
    world.domain->ExitThread(heap);
  }));
  for (int i = 0; i < 60; ++i) {
    void* p = world.heap->Allocate(HeapKind::kRaw, kArray);
    ASSERT_NE(p, nullptr);
    memset(p, 1, 4096);
    while (box.load(kAcquire) != nullptr) {
      world.heap->Safepoint();
      RealOs()->SleepNs(100000);
    }
    box.store(p, kRelease);
    world.heap->Safepoint();
  }
  while (box.load(kAcquire) != nullptr || world.domain->LimboBytes() != 0) {
    world.heap->Safepoint();
    RealOs()->SleepNs(100000);
  }
  done.store(true, kRelease);
  worker.Join();
  // What the schedule can bring about: both arrays of the two rounds before this one and
  // the old array of this one wait, the new one is in use, and main has made the next. Of
  // what is free an eighth may stay.
  EXPECT_LE(peak.load(kRelaxed), 7 * kArray + 32 * kMiB);
  EXPECT_LE(pending.load(kRelaxed), 5 * kArray);
}

// python/cpython#130794: what short-lived threads leave in limbo is drained.
TEST(HeapMemoryTest, LimboOfExitedThreadsIsDrained) {
  World world;
  for (int round = 0; round < 300; ++round) {
    OnThread(world.domain.get(), [&](ThreadHeap* heap) {
      for (int i = 0; i < 4; ++i) {
        heap->FreeDelayed(heap->Allocate(HeapKind::kRaw, 2048));
      }
    });
    world.heap->Safepoint();
    ASSERT_LE(world.domain->LimboBytes(), 8 * 2048u);
  }
  EXPECT_EQ(world.domain->LimboBytes(), 0u);
}

// crossbeam-rs/crossbeam#566: a reader that does not come. Big blocks are zeroed.
TEST(HeapMemoryTest, BehindAStalledReaderBigBlocksAreZeroed) {
  Options options;
  options.limbo_budget = 4 * kMiB;
  World world(options);
  ThreadHeap* reader = world.domain->NewThread();
  reader->Attach();  // and never comes to a safepoint
  for (int i = 0; i < 40; ++i) {
    char* p = static_cast<char*>(world.heap->Allocate(HeapKind::kRaw, 2 * kMiB));
    ASSERT_NE(p, nullptr);
    memset(p, 1, 2 * kMiB);
    world.heap->FreeDelayed(p, /*may_zero=*/true);
    world.heap->Safepoint();
  }
  EXPECT_GE(world.domain->LimboBytes(), 80 * kMiB);
  EXPECT_LE(world.domain->CommittedBytes(), 3 * 4 * kMiB + kMiB);
  Seq oldest = 0;
  EXPECT_EQ(world.domain->qsbr().OldestReader(&oldest)->tag(), reader);
  reader->Safepoint();
  world.heap->Safepoint();
  EXPECT_EQ(world.domain->LimboBytes(), 0u);
  world.domain->ExitThread(reader);
}

// nim-lang/Nim#23361 and microsoft/mimalloc#164: threads that come and go.
TEST(HeapMemoryTest, ManyShortThreads) {
  World world;
  uint64_t after_first = 0;
  for (int i = 0; i < 400; ++i) {
    OnThread(world.domain.get(), [&](ThreadHeap* heap) {
      for (int k = 0; k < 6; ++k) {
        void* p = heap->Allocate(HeapKind::kRaw, 8192);
        memset(p, 1, 8192);
        heap->Free(p);
      }
    });
    if (i == 20) after_first = world.domain->CommittedBytes();
  }
  EXPECT_LE(world.domain->CommittedBytes(), after_first + 256 * 1024);
  std::vector<void*> blocks;
  for (int i = 0; i < 50; ++i) {
    OnThread(world.domain.get(), [&](ThreadHeap* heap) {
      for (int k = 0; k < 1000; ++k) {
        blocks.push_back(heap->Allocate(HeapKind::kRaw, 1000));
      }
    });
  }
  for (void* p : blocks) world.heap->Free(p);
  EXPECT_EQ(world.domain->GetStats().live_blocks, 0u);  // chains are no live blocks
  world.heap->Safepoint();                              // hands them over
  world.domain->Purge();
  EXPECT_EQ(world.domain->GetStats().pages, 0u);
  EXPECT_LE(world.domain->CommittedBytes(), kMiB);
}

// python/cpython#145615: pages that other threads emptied do not rot.
TEST(HeapMemoryTest, PagesEmptiedByOthersDoNotRot) {
  World world;
  constexpr int kWorkers = 4;
  ThreadHeap* workers[kWorkers];
  for (ThreadHeap*& worker : workers) {
    worker = world.domain->NewThread();
    worker->Attach();
  }
  uint64_t third = 0;
  for (int round = 0; round < 25; ++round) {
    std::vector<void*> results;
    for (int task = 0; task < 100; ++task) {
      for (int i = 0; i < 400; ++i) {
        results.push_back(
            workers[task % kWorkers]->Allocate(HeapKind::kGc, 64));
      }
    }
    for (void* p : results) world.heap->Free(p);
    world.heap->Safepoint();
    if (round == 2) third = world.domain->CommittedBytes();
  }
  EXPECT_LE(world.domain->CommittedBytes(), third * 110 / 100);
  for (ThreadHeap* worker : workers) world.domain->ExitThread(worker);
}

// symmetryinvestments/symgc#37: address space for arenas is refused at first.
TEST(HeapMemoryTest, SmallReservationsWhenBigOnesFail) {
  TIDEPOOL_SINGLE_THREAD_TEST();
  FakeOs os(RealOs());
  Options options;
  // More than there may be (AddressSanitizer poisons all of it, so less there).
  options.arena_reserve = size_t{1} << (TIDEPOOL_ASAN ? 32 : 40);
  World world(options, &os);
  for (int n = 1; n < 6; ++n) {
    os.FailNth(static_cast<uint64_t>(n), FakeOs::kReserve);
    void* p = world.heap->Allocate(HeapKind::kRaw, size_t{30} << n * 3);
    EXPECT_NE(p, nullptr);
    world.heap->Free(p);
  }
}

// A snapshot may be taken at any moment; it is right within 1 % while nothing much
// happens, never negative, and equal to a walk.
TEST(HeapMemoryTest, FiguresWithoutAskingTheThreads) {
  World world;
  constexpr int kWorkers = 8;
  Thread threads[kWorkers];
  Atomic<int> ready{0};
  Atomic<bool> go{false};
  for (Thread& thread : threads) {
    ASSERT_TRUE(thread.Start([&] {
      ThreadHeap* heap = world.domain->NewThread();
      heap->Attach();
      std::vector<void*> blocks;
      for (int i = 0; i < 5000; ++i) {
        blocks.push_back(heap->Allocate(HeapKind::kGc, 96));
      }
      ready.fetch_add(1, kAcqRel);
      while (!go.load(kAcquire)) RealOs()->SleepNs(100000);  // asleep, attached
      for (void* p : blocks) heap->Free(p);
      world.domain->ExitThread(heap);
    }));
  }
  while (ready.load(kAcquire) != kWorkers) RealOs()->SleepNs(100000);
  Stats stats = world.domain->GetStats();
  EXPECT_EQ(stats.live_blocks, kWorkers * 5000u);
  EXPECT_EQ(stats.live_bytes, kWorkers * 5000u * 96);
  EXPECT_EQ(world.domain->LiveIn(kGcKinds).blocks, kWorkers * 5000u);
  EXPECT_EQ(world.domain->LiveIn(KindBit(HeapKind::kRaw)).blocks, 0u);
  EXPECT_NE(world.domain->StatsJson().find("\"live_blocks\":40000"),
            std::string::npos);
  go.store(true, kRelease);
  for (Thread& thread : threads) thread.Join();
  EXPECT_EQ(world.domain->GetStats().live_blocks, 0u);
}

// The allocation budget raises the flag and the breaker.
TEST(HeapMemoryTest, TheAllocationBudgetAsksForACollection) {
  World world;
  Atomic<uint32_t> breaker{0};
  world.heap->SetBreaker(&breaker, 8);
  world.domain->SetAllocBudget(kMiB);
  std::vector<void*> blocks;
  uint64_t bytes = 0;
  while (!world.heap->wants_gc()) {
    blocks.push_back(world.heap->Allocate(HeapKind::kGc, 128));
    bytes += 128;
    ASSERT_LT(bytes, 4 * kMiB);
  }
  EXPECT_GT(bytes, kMiB - 64 * 1024);
  EXPECT_LT(bytes, kMiB + 64 * 1024);
  EXPECT_EQ(breaker.load(kRelaxed), 8u);
  EXPECT_GE(world.heap->allocated_since(), kMiB);
  const uint64_t all = world.domain->AllocatedBytes();
  EXPECT_GE(all, kMiB);
  world.heap->ResetAllocated();
  EXPECT_EQ(world.heap->allocated_since(), 0u);
  EXPECT_EQ(world.domain->AllocatedBytes(), all);
  EXPECT_TRUE(world.heap->TakeGcRequest());
  EXPECT_FALSE(world.heap->wants_gc());
  for (void* p : blocks) world.heap->Free(p);
}

}  // namespace
}  // namespace tidepool
