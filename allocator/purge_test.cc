// Purging against allocation: memory that is being given back is out of reach, and an
// allocation that would have had it waits for that instead of taking fresh memory
// (internal/purge.h). The interleavings are page_ownership_sched_test.cc's.
#include <functional>
#include <utility>

#include "gtest/gtest.h"
#include "tidepool/allocator/domain_testing.h"
#include "tidepool/allocator/heap_domain.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/lock_waits.h"
#include "tidepool/base/region_os.h"
#include "tidepool/base/thread.h"

namespace tidepool {
namespace {

using testing_memory::kMiB;
using testing_memory::StartWithHeap;
using testing_memory::World;

// The real Os, which does something else at the next purge of a MiB or more.
struct PurgeStop {
  static void* Reserve(void*, size_t size, size_t alignment) {
    return RealOs()->Reserve(size, alignment);
  }
  static bool Release(void*, void* address, size_t size) {
    return RealOs()->Release(address, size);
  }
  static PurgeResult Purge(void* self, void* address, size_t size) {
    PurgeStop* stop = static_cast<PurgeStop*>(self);
    if (size >= kMiB && stop->at_purge) std::exchange(stop->at_purge, nullptr)();
    stop->purged += size;
    return RealOs()->Purge(address, size);
  }
  PageSource Source() {
    PageSource source;
    source.arg = this;
    source.reserve = &Reserve;
    source.release = &Release;
    source.purge = &Purge;
    return source;
  }

  std::function<void()> at_purge;
  uint64_t purged = 0;
};

// A block of 16 MiB is free and is being purged when another thread wants one. By hand or
// by the policy, raw memory or a dormant page: it gets that memory, all but the piece that
// is gone by then, and at no time is there more.
TEST(PurgeTest, ABlockThatIsBeingPurgedIsWaitedFor) {
  constexpr size_t kBlock = 16 * kMiB;
  for (HeapKind kind : {HeapKind::kRaw, HeapKind::kObject}) {
    for (bool by_policy : {false, true}) {
      PurgeStop stop;
      CallbackOs os(stop.Source());
      Options options;
      options.purge_policy =
          by_policy ? PurgePolicyKind::kImmediate : PurgePolicyKind::kNever;
      World world(options, &os);
      void* block = world.heap->Allocate(kind, kBlock);
      ASSERT_NE(block, nullptr);
      const uint64_t committed = world.domain->CommittedBytes();

      Thread taker;
      Atomic<bool> done{false};
      uint64_t then = 0;
      stop.at_purge = [&] {
        const uint64_t waits = LockWaits();
        ASSERT_TRUE(StartWithHeap(&taker, world.domain.get(), [&](ThreadHeap* heap) {
          void* again = heap->Allocate(kind, kBlock);
          then = world.domain->CommittedBytes();
          EXPECT_EQ(again, block);
          done.store(true, kRelease);  // pairs with the load below
          heap->Free(again);
        }));
        // Acquire: pairs with the store above.
        while (!done.load(kAcquire) && LockWaits() == waits) RealOs()->SleepNs(100000);
        EXPECT_FALSE(done.load(kAcquire));
      };
      world.heap->Free(block);
      if (!by_policy) world.domain->Purge();
      taker.Join();
      EXPECT_FALSE(stop.at_purge);  // it came to that
      EXPECT_LE(then, committed + kMiB);
      world.domain->CheckInvariants();
    }
  }
}

// The policy gives up what it was about to purge when somebody waits for memory, and a
// purge by hand lets him pass: one piece is gone when he has his block.
TEST(PurgeTest, WhoWaitsIsNextAfterOnePiece) {
  constexpr size_t kBlock = 32 * kMiB;
  for (HeapKind kind : {HeapKind::kRaw, HeapKind::kObject}) {
    for (bool by_policy : {false, true}) {
      PurgeStop stop;
      CallbackOs os(stop.Source());
      Options options;
      options.purge_policy =
          by_policy ? PurgePolicyKind::kImmediate : PurgePolicyKind::kNever;
      World world(options, &os);
      void* block = world.heap->Allocate(kind, kBlock);
      ASSERT_NE(block, nullptr);
      Thread taker;
      stop.at_purge = [&] {
        const uint64_t waits = LockWaits();
        ASSERT_TRUE(StartWithHeap(&taker, world.domain.get(), [&](ThreadHeap* heap) {
          block = heap->Allocate(kind, kBlock);
        }));
        while (LockWaits() == waits) RealOs()->SleepNs(100000);
      };
      world.heap->Free(block);
      if (!by_policy) world.domain->Purge();
      taker.Join();
      ASSERT_NE(block, nullptr);
      EXPECT_LE(stop.purged, 6 * kMiB);  // whole huge pages
      world.heap->Free(block);
    }
  }
}

// What is purged is what was asked for, and not whole blocks of whatever size.
TEST(PurgeTest, ABigBlockIsPurgedInPart) {
  for (HeapKind kind : {HeapKind::kRaw, HeapKind::kObject}) {
    World world;
    void* used = world.heap->Allocate(HeapKind::kRaw, 80 * kMiB);
    void* block = world.heap->Allocate(kind, 64 * kMiB);
    ASSERT_NE(used, nullptr);
    ASSERT_NE(block, nullptr);
    const uint64_t committed = world.domain->CommittedBytes();
    world.heap->Free(block);
    // An eighth of what is used and 4 MiB may stay.
    EXPECT_GE(world.domain->PurgeExcess(), 64 * kMiB - 16 * kMiB);
    EXPECT_LE(world.domain->CommittedBytes(), committed - 48 * kMiB);
    EXPECT_GE(world.domain->CommittedBytes(), committed - 54 * kMiB);
    // The rest is found, and is the first to be purged next.
    const uint64_t made = world.domain->GetStats().pages_made;
    block = world.heap->Allocate(kind, 64 * kMiB);
    EXPECT_LE(world.domain->CommittedBytes(), committed + kMiB);
    if (kind == HeapKind::kObject) EXPECT_EQ(world.domain->GetStats().pages_made, made);
    world.heap->Free(block);
    world.domain->Purge();
    EXPECT_LE(world.domain->CommittedBytes(), committed - 63 * kMiB);
    EXPECT_EQ(world.domain->GetStats().dormant, 0u);
    world.domain->CheckInvariants();
    world.heap->Free(used);
  }
}

}  // namespace
}  // namespace tidepool
