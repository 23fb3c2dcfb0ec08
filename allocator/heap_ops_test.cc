// Random lists of operations under many option settings, and with the n-th call of
// the OS failing. The runner (heap_ops_testing.h) checks against a shadow.
#include "tidepool/allocator/heap_ops_testing.h"

#include <random>

#include "gtest/gtest.h"
#include "tidepool/base/fake_os.h"

namespace tidepool {
namespace {

using testing::Op;
using testing::OpCode;
using testing::OpsRunner;

std::vector<Op> RandomProgram(uint64_t seed, size_t length) {
  std::mt19937_64 random(seed);
  std::vector<Op> program;
  // Swings between growing and shrinking.
  for (size_t i = 0; i < length; ++i) {
    bool grow = (i / 100) % 2 == 0;
    uint64_t dice = random() % 100;
    OpCode code;
    if (dice < 4) {
      code = OpCode::kAllocateMany;
    } else if (dice < (grow ? 40u : 15u)) {
      code = OpCode::kAllocate;
    } else if (dice < (grow ? 48u : 20u)) {
      code = OpCode::kZeroed;
    } else if (dice < (grow ? 52u : 24u)) {
      code = OpCode::kAligned;
    } else if (dice < 66) {
      code = OpCode::kFree;
    } else if (dice < (grow ? 67u : 74u)) {
      code = OpCode::kFreeMany;
    } else if (dice < 82) {
      code = OpCode::kRealloc;
    } else if (dice < 86) {
      code = OpCode::kFreeDelayed;
    } else if (dice < 90) {
      code = OpCode::kReallocDelayed;
    } else if (dice < 94) {
      code = OpCode::kSafepoint;
    } else if (dice < 96) {
      code = OpCode::kDetachAttach;
    } else if (dice < 97) {
      code = OpCode::kExit;
    } else if (dice < 98) {
      code = OpCode::kPurge;
    } else if (dice < 99) {
      code = OpCode::kLimit;
    } else {
      code = OpCode::kStop;
    }
    program.push_back({code, static_cast<uint8_t>(random()),
                       static_cast<uint8_t>(random()),
                       static_cast<uint32_t>(random()),
                       static_cast<uint32_t>(random())});
  }
  return program;
}

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
        runner.Run(RandomProgram(seed++, 600));
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
  std::vector<Op> program = RandomProgram(7, 250);
  Options options;
  options.arena_reserve = 4 << 20;
  bool failed = true;
  for (uint64_t n = 1; failed; n += n < 40 ? 1 : 7) {
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
  for (uint64_t n = 1; failed; n += n < 20 ? 1 : 9) {
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
