// Heaps as things (heap.h): what a tenant's heap must do and must never do.
#include "tidepool/allocator/heap.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/event.h"
#include "tidepool/base/fake_os.h"
#include "tidepool/base/mutex.h"
#include "tidepool/base/thread.h"

namespace tidepool {
namespace {

int Factor() { return getenv("TIDEPOOL_TEST_SECONDS") != nullptr ? 10 : 1; }

Options Quiet() {
  Options options;
  options.arena_reserve = 4 << 20;
  options.bad_free = BadFreePolicy::kIgnore;
  return options;
}

class HeapTest : public ::testing::Test {
 protected:
  void SetUp() override { Open(Quiet(), RealOs()); }
  void Open(const Options& options, Os* os) {
    if (domain_ != nullptr) TearDown();
    domain_ = std::move(*HeapDomain::Create(options, os));
    self_ = domain_->NewThread();
    ASSERT_NE(self_, nullptr);
    self_->Attach();
  }
  void TearDown() override {
    domain_->CheckInvariants();
    domain_->ExitThread(self_);
    domain_ = nullptr;
  }
  Heap Make(const HeapConfig& config = {}) {
    absl::StatusOr<Heap> heap = Heap::Create(domain_.get(), config);
    EXPECT_TRUE(heap.ok());
    return heap.ok() ? *heap : Heap();
  }
  HeapHold Take(Heap heap) {
    HeapHold hold;
    EXPECT_TRUE(heap.Take(self_, &hold));
    return hold;
  }
  static HeapFigures Figures(Heap heap) {
    HeapFigures figures = {};
    EXPECT_TRUE(heap.Figures(&figures));
    return figures;
  }
  uint64_t BadUses() { return domain_->GetStats().bad_frees; }

  std::unique_ptr<HeapDomain> domain_;
  ThreadHeap* self_ = nullptr;
};

TEST_F(HeapTest, BlocksOfEverySizeAndTheFiguresOfThem) {
  Heap heap = Make();
  HeapHold hold = Take(heap);
  std::vector<std::pair<char*, size_t>> blocks;
  uint64_t bytes = 0;
  for (size_t size = 0; size < (6 << 20); size = size * 9 / 8 + 7) {
    char* p = static_cast<char*>(hold.Allocate(size));
    ASSERT_NE(p, nullptr);
    ASSERT_GE(HeapDomain::UsableSize(p), size);
    EXPECT_TRUE(Heap::Of(p) == heap);
    memset(p, static_cast<int>(blocks.size()), size);
    blocks.emplace_back(p, size);
    bytes += HeapDomain::UsableSize(p);
  }
  HeapFigures figures = Figures(heap);
  EXPECT_EQ(figures.live_blocks, blocks.size());
  EXPECT_EQ(figures.live_bytes, bytes);
  EXPECT_EQ(figures.peak_live, bytes);
  EXPECT_GE(figures.committed, bytes);
  domain_->CheckInvariants();
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (size_t k = 0; k < blocks[i].second; k += 97) {
      ASSERT_EQ(blocks[i].first[k], static_cast<char>(i));
    }
    hold.Free(blocks[i].first);
  }
  figures = Figures(heap);
  EXPECT_EQ(figures.live_blocks, 0u);
  EXPECT_EQ(figures.live_bytes, 0u);
  EXPECT_EQ(figures.peak_live, bytes);
  EXPECT_TRUE(heap.Purge());
  EXPECT_EQ(Figures(heap).pages, 0u);
  EXPECT_EQ(Figures(heap).committed, 0u);
  EXPECT_TRUE(heap.Destroy());
  EXPECT_FALSE(heap.alive());
}

TEST_F(HeapTest, ZeroedAlignedAndResized) {
  Heap heap = Make();
  HeapHold hold = Take(heap);
  for (int round = 0; round < 2; ++round) {
    std::vector<char*> blocks;
    for (size_t size : {1, 40, 500, 3000, 9000, 70000, 3 << 20}) {
      char* p = static_cast<char*>(hold.AllocateZeroed(size));
      ASSERT_NE(p, nullptr);
      for (size_t i = 0; i < size; ++i) ASSERT_EQ(p[i], 0);
      memset(p, 0x5a, size);
      blocks.push_back(p);
    }
    for (size_t alignment = 1; alignment <= (4 << 20); alignment *= 2) {
      for (size_t size : {size_t{24}, alignment, alignment + 1}) {
        void* p = hold.AllocateAligned(size, alignment);
        ASSERT_NE(p, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % alignment, 0u);
        EXPECT_GE(HeapDomain::UsableSize(p), size);
        blocks.push_back(static_cast<char*>(p));
      }
    }
    EXPECT_EQ(hold.AllocateAligned(10, 24), nullptr);  // no power of two
    for (char* p : blocks) hold.Free(p);
  }
  // Growing by eight bytes copies at most four times the final size; contents stay.
  uint64_t before = domain_->GetStats().copied;
  char* p = nullptr;
  size_t size = 0;
  for (; size < (1 << 20); size += 8) {
    p = static_cast<char*>(hold.Reallocate(p, size + 8));
    ASSERT_NE(p, nullptr);
    memcpy(p + size, &size, 8);
  }
  EXPECT_LE(domain_->GetStats().copied - before, 4 * size);
  for (size_t i = 0; i < size; i += 8) ASSERT_EQ(memcmp(p + i, &i, 8), 0);
  EXPECT_GE(Figures(heap).live_bytes, size);
  // Shrinking gives back.
  p = static_cast<char*>(hold.Reallocate(p, 100));
  size_t zero = 0;
  EXPECT_EQ(memcmp(p, &zero, 8), 0);
  EXPECT_LE(Figures(heap).live_bytes, 128u);
  EXPECT_EQ(Figures(heap).live_blocks, 1u);
  heap.Destroy();
}

TEST_F(HeapTest, ResetEndsEveryBlockAndTheHeapGoesOn) {
  Heap heap = Make();
  HeapHold hold = Take(heap);
  std::vector<void*> before;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 3000; ++i) {
      void* p = hold.Allocate(static_cast<size_t>(i) % 700);
      ASSERT_NE(p, nullptr);
      if (round == 0) before.push_back(p);
    }
    ASSERT_NE(hold.Allocate(3 << 20), nullptr);
    EXPECT_EQ(Figures(heap).live_blocks, 3001u);
    domain_->CheckInvariants();
    ASSERT_TRUE(heap.Reset());
    HeapFigures figures = Figures(heap);
    EXPECT_EQ(figures.live_blocks, 0u);
    EXPECT_EQ(figures.live_bytes, 0u);
    EXPECT_EQ(figures.committed, 0u);
    EXPECT_EQ(figures.pages, 0u);
    EXPECT_TRUE(hold.valid());
    EXPECT_EQ(domain_->GetStats().live_blocks, 0u);
    // No pointer of before is a block now.
    for (void* p : before) ASSERT_EQ(HeapDomain::UsableSize(p), 0u);
  }
  uint64_t bad = BadUses();
  hold.Free(before[0]);
  EXPECT_EQ(BadUses(), bad + 1);
  heap.Destroy();
}

// A limit counts every sort of block (quickjs-wasi#30: big buffers went past it).
TEST_F(HeapTest, TheLimitOfLiveBytesCountsEverything) {
  constexpr uint64_t kLimit = 8 << 20;
  auto fill = [&](const char* what, auto&& allocate) {
    HeapConfig config;
    config.max_live = kLimit;
    Heap heap = Make(config);
    HeapHold hold = Take(heap);
    std::vector<void*> blocks;
    int i = 0;
    for (; i < 2000000; ++i) {
      void* p = allocate(hold);
      if (p == nullptr) break;
      blocks.push_back(p);
    }
    HeapFigures figures = Figures(heap);
    EXPECT_LE(figures.live_bytes, kLimit) << what;
    EXPECT_GE(figures.live_bytes, kLimit * 9 / 10) << what;
    EXPECT_GE(figures.refused, 1u) << what;
    // It goes on after a free.
    hold.Free(blocks.back());
    EXPECT_NE(allocate(hold), nullptr) << what;
    heap.Destroy();
  };
  fill("buffers", [](HeapHold& h) { return h.Allocate(512 << 10); });
  fill("small", [](HeapHold& h) { return h.Allocate(40); });
  fill("medium", [](HeapHold& h) { return h.Allocate(20000); });
  fill("aligned", [](HeapHold& h) { return h.AllocateAligned(5000, 4096); });
  fill("zeroed", [](HeapHold& h) { return h.AllocateZeroed(100000); });
  // One that grows.
  HeapConfig config;
  config.max_live = kLimit;
  Heap heap = Make(config);
  HeapHold hold = Take(heap);
  size_t size = 1000;
  void* p = hold.Allocate(size);
  while (void* more = hold.Reallocate(p, size + 65536)) {
    p = more;
    size += 65536;
    ASSERT_LE(size, kLimit);
  }
  EXPECT_GE(size, kLimit / 3);
  EXPECT_EQ(hold.Allocate(SIZE_MAX), nullptr);
  EXPECT_EQ(hold.Allocate(SIZE_MAX - 4095), nullptr);
  EXPECT_EQ(hold.Reallocate(p, SIZE_MAX), nullptr);
  EXPECT_EQ(hold.AllocateAligned(100, size_t{1} << 63), nullptr);
  heap.Destroy();
}

TEST_F(HeapTest, TheLimitOfCommittedBytes) {
  HeapConfig config;
  config.max_committed = 2 << 20;
  Heap heap = Make(config);
  HeapHold hold = Take(heap);
  std::vector<void*> blocks;
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    size_t size = random() % 4 == 0 ? random() % 90000 : random() % 900;
    void* p = hold.Allocate(size);
    if (p != nullptr) blocks.push_back(p);
    ASSERT_LE(Figures(heap).committed, config.max_committed);
    if (p == nullptr || random() % 8 == 0) {
      for (int k = 0; k < 8 && !blocks.empty(); ++k) {
        size_t i = random() % blocks.size();
        hold.Free(blocks[i]);
        blocks[i] = blocks.back();
        blocks.pop_back();
      }
    }
  }
  EXPECT_GE(Figures(heap).peak_committed, config.max_committed * 3 / 4);
  EXPECT_LE(Figures(heap).peak_committed, config.max_committed);
  domain_->CheckInvariants();
  // Without the limit there is no refusal.
  ASSERT_TRUE(heap.SetLimits({}));
  uint64_t refused = Figures(heap).refused;
  for (int i = 0; i < 100; ++i) ASSERT_NE(hold.Allocate(60000), nullptr);
  EXPECT_EQ(Figures(heap).refused, refused);
  heap.Destroy();
}

// A heap may be destroyed, or given to another, by who did not make it, while its
// maker has ended or sleeps (microsoft/mimalloc#96, #813).
TEST_F(HeapTest, DestroyedOrHandedOverWhileItsMakerSleeps) {
  for (bool ends : {true, false}) {
    for (bool destroy : {true, false}) {
      Heap heap = Make();
      Event filled{0}, wake{0};
      Thread worker;
      uint64_t refusals = 0;
      ASSERT_TRUE(worker.Start([&] {
        ThreadHeap* thread = domain_->NewThread();
        thread->Attach();
        HeapHold hold;
        ASSERT_TRUE(heap.Take(thread, &hold));
        std::vector<void*> blocks;
        for (int i = 0; i < 5000; ++i) blocks.push_back(hold.Allocate(100));
        if (!ends) {
          filled.Set();
          wake.Wait();
          // Its heap is another's, or gone: refused, and told.
          EXPECT_FALSE(hold.valid());
          refusals += hold.Allocate(100) == nullptr;
          refusals += hold.Allocate(1 << 20) == nullptr;
          refusals += hold.Reallocate(blocks[0], 5000) == nullptr;
          hold.Release();  // nothing to let go
          // A block of a living heap may be freed by anybody.
          if (!destroy) hold.Free(blocks[1]);
        }
        domain_->ExitThread(thread);
        if (ends) filled.Set();
      }));
      filled.Wait();
      EXPECT_EQ(Figures(heap).live_blocks, 5000u);
      uint64_t bad = BadUses();
      HeapHold hold;
      if (destroy) {
        ASSERT_TRUE(heap.Destroy());
        EXPECT_FALSE(heap.alive());
        EXPECT_EQ(domain_->GetStats().live_blocks, 0u);
      } else {
        ASSERT_TRUE(heap.Take(self_, &hold));
        EXPECT_NE(hold.Allocate(200), nullptr);
      }
      wake.Set();
      worker.Join();
      if (!ends) {
        EXPECT_EQ(refusals, 3u);
        EXPECT_GE(BadUses(), bad + 3);
      }
      if (!destroy) {
        EXPECT_EQ(Figures(heap).live_blocks, ends ? 5001u : 5000u);
        EXPECT_TRUE(heap.Destroy());
      }
      EXPECT_FALSE(heap.Destroy());  // once
      EXPECT_FALSE(heap.Take(self_, &hold));
      EXPECT_FALSE(heap.Reset());
      HeapFigures figures;
      EXPECT_FALSE(heap.Figures(&figures));
    }
  }
}

// 32 workers, a heap that is destroyed and made anew between rounds, and holds of the
// old one that are used again (microsoft/mimalloc#1231, #1250).
TEST_F(HeapTest, SharedHeapIsDestroyedAndMadeAnewBetweenRounds) {
  constexpr int kWorkers = 32;
  const int rounds = 20 * Factor();
  Heap heap = Make();
  Mutex lock{0};
  Atomic<int> done{0}, go{0};
  Atomic<uint64_t> stale{0};
  std::vector<Thread> workers(kWorkers);
  for (Thread& worker : workers) {
    ASSERT_TRUE(worker.Start([&] {
      ThreadHeap* thread = domain_->NewThread();
      HeapHold last;
      for (int round = 1; round <= rounds; ++round) {
        while (go.load(kAcquire) < round) RealOs()->SleepNs(50000);
        // What this worker kept of the heap of before is dead.
        if (round > 1 && last.Allocate(64) == nullptr) {
          stale.fetch_add(1, kRelaxed);
        }
        {
          MutexLock guard(&lock);
          ASSERT_TRUE(heap.TryTake(thread, &last));
          for (int i = 0; i < 100; ++i) {
            char* p = static_cast<char*>(last.Allocate(64));
            ASSERT_NE(p, nullptr);
            memset(p, i, 64);
          }
          HeapHold copy = last;
          copy.Release();
        }
        done.fetch_add(1, kRelease);
      }
      domain_->ExitThread(thread);
    }));
  }
  for (int round = 1; round <= rounds; ++round) {
    go.store(round, kRelease);
    while (done.load(kAcquire) < round * kWorkers) RealOs()->SleepNs(50000);
    EXPECT_EQ(Figures(heap).live_blocks, 100u * kWorkers);
    ASSERT_TRUE(heap.Destroy());
    EXPECT_EQ(domain_->GetStats().live_blocks, 0u);
    heap = Make();  // very likely the same record
  }
  for (Thread& worker : workers) worker.Join();
  EXPECT_EQ(stale.load(kRelaxed), uint64_t{kWorkers} * (rounds - 1));
  EXPECT_EQ(domain_->GetStats().heaps, 1u);
  heap.Destroy();
}

// No page is ever in two heaps' hands, whoever exits (python/cpython#113717's kind).
TEST_F(HeapTest, PagesOfOneHeapNeverShowInAnother) {
  Heap a = Make(), b = Make();
  Thread worker;
  ASSERT_TRUE(worker.Start([&] {
    ThreadHeap* thread = domain_->NewThread();
    HeapHold hold;
    ASSERT_TRUE(a.Take(thread, &hold));
    for (int i = 0; i < 20000; ++i) ASSERT_NE(hold.Allocate(48), nullptr);
    domain_->ExitThread(thread);  // and leaves live blocks
  }));
  worker.Join();
  HeapHold hold = Take(b);
  std::vector<void*> mine, threads;
  for (int i = 0; i < 20000; ++i) {
    mine.push_back(hold.Allocate(48));
    threads.push_back(self_->Allocate(HeapKind::kRaw, 48));
  }
  std::map<void*, int> pages;
  auto note = [&](Heap heap, int who) {
    ASSERT_TRUE(heap.VisitPages([&](const PageInfo& info) {
      EXPECT_TRUE(pages.emplace(info.page, who).second);
    }));
  };
  note(a, 1);
  note(b, 2);
  EXPECT_EQ(pages.size(), Figures(a).pages + Figures(b).pages);
  for (void* p : threads) EXPECT_FALSE(Heap::Of(p) == a || Heap::Of(p) == b);
  for (void* p : mine) EXPECT_TRUE(Heap::Of(p) == b);
  uint64_t others = domain_->GetStats().live_blocks - 20000;
  ASSERT_TRUE(a.Destroy());
  EXPECT_EQ(domain_->GetStats().live_blocks, others);
  EXPECT_EQ(Figures(b).live_blocks, 20000u);
  for (void* p : mine) hold.Free(p);
  for (void* p : threads) self_->Free(p);
  EXPECT_TRUE(b.Destroy());
  domain_->CheckInvariants();
}

TEST_F(HeapTest, BlocksFreedByOthersComeBack) {
  Heap heap = Make();
  HeapHold hold = Take(heap);
  for (bool large : {false, true}) {
    size_t size = large ? 100000 : 500;
    size_t count = large ? 50 : 20000;
    std::vector<void*> blocks;
    for (size_t i = 0; i < count; ++i) blocks.push_back(hold.Allocate(size));
    uint64_t committed = Figures(heap).committed;
    Thread other;
    ASSERT_TRUE(other.Start([&] {
      ThreadHeap* thread = domain_->NewThread();
      thread->Attach();
      for (size_t i = 0; i < count; ++i) {
        i % 2 == 0 ? thread->Free(blocks[i])
                   : domain_->FreeFromAnywhere(blocks[i]);
      }
      domain_->ExitThread(thread);
    }));
    other.Join();
    // The holder has done nothing since.
    HeapFigures figures = Figures(heap);
    EXPECT_EQ(figures.live_blocks, 0u);
    EXPECT_EQ(figures.live_bytes, 0u);
    EXPECT_LE(figures.committed, (1u << 20));  // of 10 MB and 5 MB
    EXPECT_LT(figures.committed, committed);
    if (!large) {
      EXPECT_EQ(figures.foreign_frees, count);
    }
    domain_->CheckInvariants();
  }
  // Purge over all threads takes the rest, although the heap is held.
  domain_->Purge();
  EXPECT_EQ(Figures(heap).pages, 0u);
  EXPECT_TRUE(hold.valid());
  heap.Destroy();
}

TEST_F(HeapTest, WhatIsNotOfTheHeapIsRefusedOrFreed) {
  Heap heap = Make(), other = Make();
  HeapHold hold = Take(heap), second = Take(other);
  void* p = second.Allocate(100);
  void* t = self_->Allocate(HeapKind::kRaw, 100);
  uint64_t bad = BadUses();
  EXPECT_EQ(hold.Reallocate(p, 5000), nullptr);
  EXPECT_EQ(hold.Reallocate(t, 5000), nullptr);
  int local = 0;
  EXPECT_EQ(hold.Reallocate(&local, 5000), nullptr);
  EXPECT_EQ(self_->Reallocate(p, 5000), nullptr);
  self_->FreeDelayed(p);
  hold.Free(&local);
  EXPECT_EQ(BadUses(), bad + 6);
  hold.Free(p);  // of the other heap: freed as by anybody
  hold.Free(t);
  EXPECT_EQ(Figures(other).live_blocks, 0u);
  EXPECT_EQ(Heap().alive(), false);
  EXPECT_FALSE(Heap().Reset());
  HeapHold none;
  EXPECT_EQ(none.Allocate(10), nullptr);
  EXPECT_FALSE(none.valid());
  EXPECT_FALSE(heap.TryTake(self_, &none));  // held
  hold.Release();
  EXPECT_TRUE(heap.TryTake(self_, &none));
  heap.Destroy();
  other.Destroy();
}

// Double frees of blocks of a heap, in a domain that looks for them.
TEST_F(HeapTest, EveryDoubleFreeIsFoundWhenHardened) {
  Options options = Quiet();
  options.hardening = 1;
  Open(options, RealOs());
  Heap heap = Make();
  HeapHold hold = Take(heap);
  for (size_t size : {16, 100, 1000, 9000, 60000, 100000}) {
    void* p = hold.Allocate(size);
    void* keep = hold.Allocate(size);
    uint64_t bad = BadUses();
    hold.Free(p);
    EXPECT_EQ(BadUses(), bad);
    hold.Free(p);
    self_->Free(p);
    EXPECT_EQ(BadUses(), bad + 2) << size;
    hold.Free(keep);
  }
  EXPECT_EQ(Figures(heap).live_blocks, 0u);
  heap.Destroy();
}

// The holder works while others reset, purge, look and free, and take it in turns.
TEST_F(HeapTest, ManyThreadsOnOneHeap) {
  Heap heap = Make();
  Atomic<bool> stop{false};
  Atomic<uint64_t> resets{0}, allocated{0};
  constexpr int kSlots = 256;
  static Atomic<void*> slots[kSlots];
  for (auto& slot : slots) slot.store(nullptr, kRelaxed);
  std::vector<Thread> threads(4);
  for (int t = 0; t < 2; ++t) {  // take it from each other
    ASSERT_TRUE(threads[static_cast<size_t>(t)].Start([&, t] {
      ThreadHeap* thread = domain_->NewThread();
      thread->Attach();
      std::mt19937_64 random(static_cast<uint64_t>(t));
      while (!stop.load(kAcquire)) {
        HeapHold hold;
        ASSERT_TRUE(heap.Take(thread, &hold));
        for (int i = 0; i < 300; ++i) {
          size_t size = random() % 100 == 0 ? 80000 : random() % 600 + 8;
          void* p = hold.Allocate(size);
          if (p == nullptr) break;  // taken by the other
          allocated.fetch_add(1, kRelaxed);
          memset(p, 7, 8);
          void* old = slots[random() % kSlots].exchange(p, kAcqRel);
          hold.Free(old);
        }
        thread->Safepoint();
      }
      domain_->ExitThread(thread);
    }));
  }
  ASSERT_TRUE(threads[2].Start([&] {  // frees as a stranger
    std::mt19937_64 random(9);
    while (!stop.load(kAcquire)) {
      void* p = slots[random() % kSlots].exchange(nullptr, kAcqRel);
      if (p != nullptr) domain_->FreeFromAnywhere(p);
    }
  }));
  ASSERT_TRUE(threads[3].Start([&] {
    while (!stop.load(kAcquire)) {
      heap.Purge();
      HeapFigures figures;
      ASSERT_TRUE(heap.Figures(&figures));
      ASSERT_LE(figures.live_blocks, 10u * kSlots);
      uint64_t blocks = 0;
      heap.VisitPages([&](const PageInfo& info) { blocks += info.count; });
      domain_->Purge();
      resets.fetch_add(1, kRelaxed);
    }
  }));
  RealOs()->SleepNs(uint64_t{300} * 1000000 * static_cast<uint64_t>(Factor()));
  stop.store(true, kRelease);
  for (Thread& thread : threads) thread.Join();
  EXPECT_GT(allocated.load(kRelaxed), 100u);
  EXPECT_GT(resets.load(kRelaxed), 1u);
  uint64_t left = 0;
  for (auto& slot : slots) left += slot.load(kRelaxed) != nullptr;
  domain_->CheckInvariants();
  EXPECT_EQ(Figures(heap).live_blocks, left);
  heap.Destroy();
}

// The holder's operations beside resets: nobody looks at a block, so a reset at any
// moment is legal.
TEST_F(HeapTest, ResetsBesideAllocation) {
  Heap heap = Make();
  Atomic<bool> stop{false};
  Thread worker;
  ASSERT_TRUE(worker.Start([&] {
    ThreadHeap* thread = domain_->NewThread();
    HeapHold hold;
    ASSERT_TRUE(heap.Take(thread, &hold));
    std::mt19937_64 random(3);
    while (!stop.load(kAcquire)) {
      ASSERT_NE(hold.Allocate(random() % 20000), nullptr);
    }
    domain_->ExitThread(thread);
  }));
  for (int i = 0; i < 300 * Factor(); ++i) {
    ASSERT_TRUE(heap.Reset());
    RealOs()->SleepNs(200000);
  }
  stop.store(true, kRelease);
  worker.Join();
  domain_->CheckInvariants();
  heap.Reset();
  EXPECT_EQ(Figures(heap).committed, 0u);
  heap.Destroy();
}

TEST_F(HeapTest, EveryRefusalOfTheOsComesOutAsNull) {
  bool failed = true;
  for (uint64_t n = 1; failed; n += n < 20 ? 1 : 9) {
    FakeOs os(RealOs());
    auto domain = std::move(*HeapDomain::Create(Quiet(), &os));
    ThreadHeap* self = domain->NewThread();
    self->Attach();
    os.FailNth(n);
    for (int round = 0; round < 2; ++round) {
      absl::StatusOr<Heap> heap = Heap::Create(domain.get());
      if (!heap.ok()) continue;
      HeapHold hold;
      ASSERT_TRUE(heap->Take(self, &hold));
      std::vector<void*> blocks;
      for (int i = 0; i < 200; ++i) {
        void* p = hold.Allocate(static_cast<size_t>(i) * 577 % 90000);
        if (p == nullptr) continue;
        memset(p, 1, 8);
        blocks.push_back(p);
        if (i % 3 == 0) {
          p = hold.Reallocate(p, 40000);
          if (p != nullptr) blocks.back() = p;
        }
      }
      HeapFigures figures;
      ASSERT_TRUE(heap->Figures(&figures));
      EXPECT_EQ(figures.live_blocks, blocks.size());
      domain->CheckInvariants();
      if (round == 0) {
        for (void* p : blocks) hold.Free(p);
        domain->CheckInvariants();
      }
      EXPECT_TRUE(heap->Destroy());
    }
    failed = os.failed();
    EXPECT_EQ(domain->GetStats().live_blocks, 0u);
    domain->ExitThread(self);
    ASSERT_LT(n, 10000u);
  }
}

// A fork while another thread is inside a heap: the child may reset and destroy it,
// and its own heaps work.
TEST_F(HeapTest, ForkWhileAnotherThreadIsInside) {
  Heap busy = Make(), mine = Make();
  HeapHold hold = Take(mine);
  void* p = hold.Allocate(100);
  Atomic<bool> stop{false};
  Thread worker;
  ASSERT_TRUE(worker.Start([&] {
    ThreadHeap* thread = domain_->NewThread();
    HeapHold own;
    ASSERT_TRUE(busy.Take(thread, &own));
    while (!stop.load(kAcquire)) {
      void* block = own.Allocate(20000);
      own.Free(block);
      own.Free(own.Allocate(100));
    }
    domain_->ExitThread(thread);
  }));
  for (int i = 0; i < 10 * Factor(); ++i) {
    domain_->PrepareFork();
    pid_t pid = fork();
    if (pid == 0) {
      domain_->ChildAfterFork();
      alarm(20);
      bool ok = hold.valid() && hold.Allocate(1000) != nullptr;
      hold.Free(p);
      HeapHold taken;
      if (!busy.Take(self_, &taken)) ok = ok && busy.Reset();
      ok = ok && busy.Take(self_, &taken) && taken.Allocate(50) != nullptr;
      ok = ok && busy.Destroy() && mine.Destroy();
      _exit(ok ? 0 : 1);
    }
    domain_->ParentAfterFork();
    ASSERT_GT(pid, 0);
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  stop.store(true, kRelease);
  worker.Join();
  mine.Destroy();
  busy.Destroy();
}

TEST_F(HeapTest, AThousandHeapsComeAndGo) {
  std::mt19937_64 random(5);
  std::vector<std::pair<Heap, HeapHold>> heaps;
  for (int i = 0; i < 3000; ++i) {
    if (heaps.size() < 30) {
      Heap heap = Make();
      heaps.emplace_back(heap, Take(heap));
    }
    auto& [heap, hold] = heaps[random() % heaps.size()];
    for (int k = 0; k < 20; ++k) {
      ASSERT_NE(hold.Allocate(random() % 1000), nullptr);
    }
    if (random() % 3 == 0) {
      ASSERT_TRUE(heap.Destroy());
      heap = heaps.back().first;
      hold = heaps.back().second;
      heaps.pop_back();
    }
  }
  EXPECT_EQ(domain_->GetStats().heaps, heaps.size());
  for (auto& [heap, hold] : heaps) heap.Destroy();
  domain_->Purge();
  Stats stats = domain_->GetStats();
  EXPECT_EQ(stats.pages, 0u);
  EXPECT_EQ(stats.heaps, 0u);
  EXPECT_LE(stats.committed, stats.meta);
  EXPECT_LE(stats.meta, (4u << 20));
}

}  // namespace
}  // namespace tidepool
