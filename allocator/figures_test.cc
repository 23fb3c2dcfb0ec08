// Figures and walks over everything: blocks of running and of gone threads, blocks that
// were freed and not handed over yet, large blocks.
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/allocator/heap.h"
#include "tidepool/allocator/heap_domain.h"
#include "tidepool/base/event.h"
#include "tidepool/base/thread.h"

namespace tidepool {
namespace {

std::unique_ptr<HeapDomain> Make() {
  return std::move(HeapDomain::Create(Options()).value());
}

// A thread that ends leaves `count` blocks.
std::vector<void*> Leave(HeapDomain* domain, int count, size_t size) {
  std::vector<void*> blocks;
  Thread thread;
  EXPECT_TRUE(thread.Start([&] {
    ThreadHeap* heap = domain->NewThread();
    heap->Attach();
    for (int i = 0; i < count; ++i) blocks.push_back(heap->Allocate(HeapKind::kRaw, size));
    heap->Detach();
    domain->ExitThread(heap);
  }));
  thread.Join();
  return blocks;
}

// Counts are exact although pages have no thread and frees lie in a batch, and while
// another thread allocates and frees one block at a time; and they do not drift.
TEST(FiguresTest, CountsIncludePagesOfNoThreadAndBatches) {
  auto domain = Make();
  ThreadHeap* heap = domain->NewThread();
  heap->Attach();
  Atomic<bool> stop(false);
  Thread busy;
  ASSERT_TRUE(busy.Start([&] {
    ThreadHeap* other = domain->NewThread();
    other->Attach();
    while (!stop.load(kRelaxed)) other->Free(other->Allocate(HeapKind::kRaw, 64));
    other->Detach();
    domain->ExitThread(other);
  }));
  const auto expect = [&](uint64_t blocks) {
    const Stats stats = domain->GetStats();
    EXPECT_GE(stats.live_blocks, blocks);
    EXPECT_LE(stats.live_blocks, blocks + 1);  // the busy thread's
    EXPECT_EQ(stats.kind[0].live_blocks, stats.live_blocks);
  };
  std::vector<void*> blocks = Leave(domain.get(), 10000, 48);
  expect(10000);
  for (int i = 0; i < 10000; i += 2) heap->Free(blocks[static_cast<size_t>(i)]);
  expect(5000);
  for (int i = 1; i < 10000; i += 2) {
    heap->Free(blocks[static_cast<size_t>(i)]);
    if (i % 1000 == 7) expect(5000 - static_cast<uint64_t>(i + 1) / 2);
  }
  expect(0);
  for (int round = 0; round < 200; ++round) {
    std::vector<void*> some = Leave(domain.get(), 100, 16u << (round % 8));
    for (size_t i = 0; i < 51; ++i) heap->Free(some[i]);
    expect(49);
    for (size_t i = 51; i < 100; ++i) heap->Free(some[i]);
  }
  expect(0);
  stop.store(true, kRelaxed);
  busy.Join();
  EXPECT_EQ(domain->GetStats().live_blocks, 0u);
  EXPECT_EQ(domain->GetStats().live_bytes, 0u);
  heap->Detach();
  domain->ExitThread(heap);
}

// What the walk finds, the figures say; no block is missed or seen twice, whoever has it.
TEST(FiguresTest, VisitsEveryLiveBlockOnceByKindAndSize) {
  auto domain = Make();
  constexpr int kThreads = 16;
  std::vector<ThreadHeap*> heaps(kThreads);
  // What is alive: address, kind and size class.
  std::map<const void*, std::pair<HeapKind, size_t>> live;
  std::vector<std::pair<void*, int>> order;
  for (ThreadHeap*& heap : heaps) {
    heap = domain->NewThread();
    ASSERT_NE(heap, nullptr);
    heap->Attach();
  }
  uint64_t state = 5;
  const auto chance = [&state](uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  for (int i = 0; i < 20000; ++i) {
    const int who = static_cast<int>(chance(kThreads));
    if (!order.empty() && chance(3) == 0) {
      const size_t at = chance(order.size());
      // Whoever frees: own, foreign and batched ones.
      heaps[static_cast<size_t>(who)]->Free(order[at].first);
      live.erase(order[at].first);
      order[at] = order.back();
      order.pop_back();
      continue;
    }
    const size_t size = chance(200) == 0 ? 70000 + chance(200000) : 16 + chance(2000);
    const HeapKind kind = static_cast<HeapKind>(chance(kHeapKindCount));
    void* block = heaps[static_cast<size_t>(who)]->Allocate(kind, size);
    ASSERT_NE(block, nullptr);
    live[block] = {kind, HeapDomain::BlockSize(block)};
    order.push_back({block, who});
  }
  // Half of the threads end, and leave their blocks.
  for (int t = 0; t < kThreads; t += 2) {
    heaps[static_cast<size_t>(t)]->Detach();
    domain->ExitThread(heaps[static_cast<size_t>(t)]);
  }
  domain->Purge();  // holes
  const auto check = [&](uint32_t kinds, size_t least, size_t most) {
    size_t expected = 0, seen = 0;
    for (const auto& [block, what] : live) {
      expected += (KindBit(what.first) & kinds) != 0 && what.second >= least && what.second <= most;
    }
    std::set<const void*> found;
    ASSERT_TRUE(domain->VisitBlocks(kinds, least, most, [&](const HeapDomain::BlockInfo& info) {
      ++seen;
      EXPECT_TRUE(found.insert(info.block).second);
      const auto it = live.find(info.block);
      ASSERT_NE(it, live.end());
      EXPECT_EQ(it->second.first, info.kind);
      EXPECT_EQ(it->second.second, info.size);
    }));
    EXPECT_EQ(seen, expected);
  };
  check(kAllKinds, 0, SIZE_MAX);
  check(kGcKinds, 0, SIZE_MAX);
  check(KindBit(HeapKind::kRaw), 512, 1024);
  check(kAllKinds, 65537, SIZE_MAX);
  EXPECT_EQ(domain->GetStats().live_blocks, live.size());
  for (int t = 1; t < kThreads; t += 2) {
    heaps[static_cast<size_t>(t)]->Detach();
    domain->ExitThread(heaps[static_cast<size_t>(t)]);
  }
  check(kAllKinds, 0, SIZE_MAX);
}

// 50 threads that never end work; one looks at them. What it sees is right within 1 %.
TEST(FiguresTest, SnapshotsOfBusyThreadsAreRightWithin1Percent) {
  auto domain = Make();
  constexpr int kThreads = 50;
  constexpr int kEach = 200;
  constexpr size_t kSize = 256;
  Atomic<bool> stop(false);
  Atomic<int> ready(0);
  Thread threads[kThreads];
  for (Thread& thread : threads) {
    ASSERT_TRUE(thread.Start([&] {
      ThreadHeap* heap = domain->NewThread();
      heap->Attach();
      void* mine[kEach];
      for (void*& block : mine) block = heap->Allocate(HeapKind::kRaw, kSize);
      ready.fetch_add(1, kAcqRel);
      for (int i = 0; !stop.load(kRelaxed); i = (i + 1) % kEach) {
        heap->Free(mine[i]);
        mine[i] = heap->Allocate(HeapKind::kRaw, kSize);
        if (i == 0) heap->Safepoint();
      }
      for (void* block : mine) heap->Free(block);
      heap->Detach();
      domain->ExitThread(heap);
    }));
  }
  while (ready.load(kAcquire) != kThreads) RealOs()->SleepNs(1000000);
  for (int i = 0; i < 20; ++i) {
    const Stats stats = domain->GetStats();
    const double truth = kThreads * kEach;
    EXPECT_NEAR(static_cast<double>(stats.live_blocks), truth, truth * 0.01);
    EXPECT_NEAR(static_cast<double>(stats.live_bytes), truth * kSize, truth * kSize * 0.01);
    RealOs()->SleepNs(5000000);
  }
  stop.store(true, kRelaxed);
  for (Thread& thread : threads) thread.Join();
  EXPECT_EQ(domain->GetStats().live_blocks, 0u);
}

// What blocks with a page of their own hold, whoever frees them and however, and the most
// that it has been.
TEST(FiguresTest, BigBlocksAndTheMostOfThem) {
  auto domain = Make();
  ThreadHeap* heap = domain->NewThread();
  heap->Attach();
  const auto live = [&] { return domain->GetStats().large_live; };
  const auto peak = [&] { return domain->GetStats().large_peak; };
  constexpr uint64_t kMiB = 1 << 20;

  void* raw = heap->Allocate(HeapKind::kRaw, 3 * kMiB);
  void* object = heap->Allocate(HeapKind::kObject, kMiB);
  EXPECT_EQ(live(), 4 * kMiB);
  raw = heap->Reallocate(raw, 5 * kMiB);
  EXPECT_EQ(live(), 6 * kMiB);
  raw = heap->Reallocate(raw, 2 * kMiB);
  EXPECT_EQ(live(), 3 * kMiB);
  const uint64_t most = peak();
  EXPECT_GE(most, 6 * kMiB);
  EXPECT_LE(most, 9 * kMiB);  // both, if growing was moving

  Heap thing = *Heap::Create(domain.get());
  HeapHold hold;
  ASSERT_TRUE(thing.Take(heap, &hold));
  void* first = hold.Allocate(10 * kMiB);
  ASSERT_NE(hold.Allocate(20 * kMiB), nullptr);
  EXPECT_EQ(live(), 33 * kMiB);
  EXPECT_EQ(peak(), 33 * kMiB);
  domain->FreeFromAnywhere(first);
  EXPECT_EQ(live(), 23 * kMiB);
  EXPECT_TRUE(thing.Destroy());
  EXPECT_EQ(live(), 3 * kMiB);

  Thread other;
  ASSERT_TRUE(other.Start([&] {
    ThreadHeap* mine = domain->NewThread();
    mine->Attach();
    mine->FreeDelayed(raw);
    mine->Free(object);
    domain->ExitThread(mine);
  }));
  other.Join();
  heap->Safepoint();
  heap->Safepoint();
  EXPECT_EQ(live(), 0u);
  EXPECT_EQ(peak(), 33 * kMiB);
  domain->ExitThread(heap);
}

}  // namespace
}  // namespace tidepool
