// Random lists of operations under many option settings, and with the n-th call of
// the OS failing. The runner (heap_ops_testing.h) checks against a shadow.
#include <cstdlib>

#include "tidepool/allocator/heap_ops_testing.h"
#include "tidepool/base/sanitizer.h"

#include "gtest/gtest.h"
#include "tidepool/base/fake_os.h"

namespace tidepool {
namespace {

using testing::Op;
using testing::OpsRunner;
using testing::RandomProgram;

// Operations of a program; each is followed by a look at everything, which sanitizers make dear.
#if TIDEPOOL_ASAN || TIDEPOOL_TSAN
constexpr int kProgram = 150;
#else
constexpr int kProgram = 600;
#endif

TEST(HeapOpsTest, RandomProgramsUnderEveryPolicy) {
  uint64_t seed = 1;
  for (PurgePolicyKind policy :
       {PurgePolicyKind::kLowWater, PurgePolicyKind::kImmediate,
        PurgePolicyKind::kDelayed, PurgePolicyKind::kBounded,
        PurgePolicyKind::kNever}) {
    for (int64_t retain : {-1, 0, 2}) {
      for (int64_t reclaim : {-1, 0, 1}) {
        Options options;
        options.purge_policy = policy;
        options.page_full_retain = retain;
        options.page_reclaim_on_free = reclaim;
        options.purge_delay_ms = 1;
        options.hardening = retain == 0 ? 1 : 0;
        OpsRunner runner(options);
        runner.Run(RandomProgram(seed++, kProgram));
      }
    }
  }
}

TEST(HeapOpsTest, SmallLimboBudgetAndSmallArenas) {
  Options options;
  options.limbo_budget = 4096;
  options.arena_reserve = 1 << 20;
  options.purge_policy = PurgePolicyKind::kBounded;
  options.max_overhead_percent = 0;
  for (uint64_t seed = 100; seed < 106; ++seed) {
    OpsRunner runner(options);
    runner.Run(RandomProgram(seed, 800));
  }
}

TEST(HeapOpsTest, UnderLimitsThatChange) {
  Options options;
  options.max_memory = 8 << 20;
  for (uint64_t seed = 200; seed < 210; ++seed) {
    OpsRunner runner(options);
    runner.may_fail = true;
    runner.Run(RandomProgram(seed, 800));
  }
}

TEST(HeapOpsTest, LargerOsPages) {
  for (size_t page : {16 << 10, 64 << 10}) {
    FakeOs os(RealOs());
    os.SetPageSize(page);
    for (uint64_t seed = 300; seed < 303; ++seed) {
      OpsRunner runner(Options(), &os);
      runner.Run(RandomProgram(seed, 600));
    }
  }
}

TEST(HeapOpsTest, PurgesThatDoNotZero) {
  for (PurgeResult result : {PurgeResult::kKept, PurgeResult::kFailed}) {
    FakeOs os(RealOs());
    os.SetPurgeResult(result);
    for (uint64_t seed = 400; seed < 403; ++seed) {
      OpsRunner runner(Options(), &os);
      runner.Run(RandomProgram(seed, 600));
    }
  }
}

// Every single OS call of a program fails once; errors come out as nulls, invariants
// and contents hold, and nothing is left reserved.
TEST(HeapOpsTest, EveryOsCallFailsOnce) {
  if (getenv("TIDEPOOL_EMULATED") != nullptr) {
    GTEST_SKIP() << "qemu 7.2 gives back nothing of what MREMAP_DONTUNMAP left behind";
  }
  std::vector<Op> program = RandomProgram(7, 250);
  Options options;
  options.arena_reserve = 4 << 20;
  bool failed = true;
  for (uint64_t n = 1; failed; n += n < 20 ? 1 : 17) {
    FakeOs os(RealOs());
    os.FailNth(n);
    {
      OpsRunner runner(options, &os);
      runner.may_fail = true;
      runner.Run(program);
    }
    failed = os.failed();
    ASSERT_LT(n, 100000u);
  }
}

// From some call on, everything that gets memory fails.
TEST(HeapOpsTest, OutOfMemoryFromSomeCallOn) {
  std::vector<Op> program = RandomProgram(8, 250);
  Options options;
  options.arena_reserve = 4 << 20;
  bool failed = true;
  for (uint64_t n = 1; failed; n += n < 10 ? 1 : 19) {
    FakeOs os(RealOs());
    os.FailFrom(n, FakeOs::kMemory);
    {
      OpsRunner runner(options, &os);
      runner.may_fail = true;
      runner.Run(program);
    }
    failed = os.failed();
    ASSERT_LT(n, 100000u);
  }
}

TEST(HeapOpsTest, NothingStaysReserved) {
  FakeOs os(RealOs());
  {
    OpsRunner warm(Options(), &os);  // the page map's leaves stay
    warm.Run(RandomProgram(9, 300));
  }
  int64_t before = os.reserved_bytes();
  for (int i = 0; i < 3; ++i) {
    OpsRunner runner(Options(), &os);
    runner.Run(RandomProgram(9, 300));
  }
  // The OS may put an arena where no leaf was yet: a leaf is 512 KiB.
  EXPECT_LE(os.reserved_bytes(), before + (4 << 19));
}

}  // namespace
}  // namespace tidepool
