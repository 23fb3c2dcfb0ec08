// The contract of Os, on the real one, and what FakeOs adds.
#include "tidepool/base/os.h"

#include <sys/mman.h>

#include <cstring>

#include "gtest/gtest.h"
#include "tidepool/base/fake_os.h"
#include "tidepool/base/sanitizer.h"

namespace tidepool {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

bool AllZero(const char* p, size_t size) {
  for (size_t i = 0; i < size; i += 64) {
    if (p[i] != 0) return false;
  }
  return p[size - 1] == 0;
}

TEST(OsTest, Facts) {
  Os* os = RealOs();
  size_t page = os->PageSize();
  EXPECT_GE(page, 4096u);
  EXPECT_EQ(page & (page - 1), 0u);
  EXPECT_GE(os->NumCpus(), 1);
  EXPECT_GT(os->Rss(), 0u);
  EXPECT_GT(os->PageFaults(), 0u);
  uint64_t random[2] = {0, 0};
  EXPECT_TRUE(os->RandomBytes(random, sizeof random));
  EXPECT_NE(random[0], random[1]);
}

TEST(OsTest, ReserveIsAlignedAndZeroOnceCommitted) {
  Os* os = RealOs();
  for (size_t alignment : {os->PageSize(), size_t{64} << 10, 32 * kMiB}) {
    char* p = static_cast<char*>(os->Reserve(kMiB, alignment));
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(p) & (alignment - 1), 0u);
    ASSERT_TRUE(os->Commit(p, kMiB));
    EXPECT_TRUE(AllZero(p, kMiB));
    memset(p, 1, kMiB);
    // Parts may be released one by one.
    EXPECT_TRUE(os->Release(p, kMiB / 2));
    EXPECT_TRUE(os->Release(p + kMiB / 2, kMiB / 2));
  }
}

TEST(OsTest, ImpossibleReserveIsNull) {
  Os* os = RealOs();
  EXPECT_EQ(os->Reserve(size_t{1} << 62, os->PageSize()), nullptr);
  EXPECT_EQ(os->Reserve(size_t{1} << 62, kMiB), nullptr);
}

TEST(OsTest, PurgeLeavesZerosAndGivesMemoryBack) {
  Os* os = RealOs();
  size_t size = 16 * kMiB;
  char* p = static_cast<char*>(os->Reserve(size, os->PageSize()));
  ASSERT_NE(p, nullptr);
  ASSERT_TRUE(os->Commit(p, size));
  memset(p, 1, size);
  size_t full = os->Rss();
  EXPECT_EQ(os->Purge(p, size), PurgeResult::kZeroed);
  EXPECT_LT(os->Rss() + size / 2, full);
  EXPECT_TRUE(AllZero(p, size));
  memset(p, 1, os->PageSize());  // still committed
  os->Release(p, size);
}

// Locked memory cannot be given back; Purge says so instead of pretending.
TEST(OsTest, PurgeOfLockedMemoryFails) {
  if (TIDEPOOL_ASAN || TIDEPOOL_TSAN) {
    GTEST_SKIP() << "sanitizers make mlock do nothing";
  }
  Os* os = RealOs();
  size_t size = os->PageSize();
  char* p = static_cast<char*>(os->Reserve(size, size));
  ASSERT_NE(p, nullptr);
  ASSERT_TRUE(os->Commit(p, size));
  p[0] = 1;
  if (mlock(p, size) != 0) GTEST_SKIP() << "mlock is not allowed here";
  EXPECT_EQ(os->Purge(p, size), PurgeResult::kFailed);
  EXPECT_EQ(p[0], 1);
  munlock(p, size);
  os->Release(p, size);
}

TEST(OsTest, DecommitThenCommitIsZero) {
  Os* os = RealOs();
  char* p = static_cast<char*>(os->Reserve(kMiB, os->PageSize()));
  ASSERT_NE(p, nullptr);
  ASSERT_TRUE(os->Commit(p, kMiB));
  memset(p, 1, kMiB);
  ASSERT_TRUE(os->Decommit(p, kMiB));
  ASSERT_TRUE(os->Commit(p, kMiB));
  EXPECT_TRUE(AllZero(p, kMiB));
  os->Release(p, kMiB);
}

TEST(OsTest, RemapKeepsContent) {
  Os* os = RealOs();
  char* p = static_cast<char*>(os->Reserve(kMiB, os->PageSize()));
  ASSERT_NE(p, nullptr);
  ASSERT_TRUE(os->Commit(p, kMiB));
  memset(p, 7, kMiB);
  char* q = static_cast<char*>(os->Remap(p, kMiB, 4 * kMiB));
  ASSERT_NE(q, nullptr);
  EXPECT_EQ(q[0], 7);
  EXPECT_EQ(q[kMiB - 1], 7);
  EXPECT_TRUE(AllZero(q + kMiB, 3 * kMiB));
  os->Release(q, 4 * kMiB);
}

TEST(OsTest, MovePagesLeavesZerosBehind) {
  Os* os = RealOs();
  char* from = static_cast<char*>(os->Reserve(kMiB, os->PageSize()));
  char* to = static_cast<char*>(os->Reserve(kMiB, os->PageSize()));
  ASSERT_TRUE(from != nullptr && to != nullptr);
  ASSERT_TRUE(os->Commit(from, kMiB) && os->Commit(to, kMiB));
  memset(from, 7, kMiB);
  memset(to, 1, kMiB);
  if (!os->MovePages(from, to, kMiB)) {
    EXPECT_EQ(from[0], 7);  // refused by an older kernel: nothing happened
  } else {
    EXPECT_EQ(to[0], 7);
    EXPECT_EQ(to[kMiB - 1], 7);
    EXPECT_TRUE(AllZero(from, kMiB));
    from[0] = 1;  // still committed
  }
  os->Release(from, kMiB);
  os->Release(to, kMiB);
}

TEST(OsTest, ClocksMove) {
  Os* os = RealOs();
  uint64_t start = os->NowNs();
  os->SleepNs(2000000);
  EXPECT_GE(os->NowNs() - start, 2000000u);
  EXPECT_GT(os->CpuNs(), 0u);
  EXPECT_GT(os->ThreadCpuNs(), 0u);
}

TEST(FakeOsTest, FailsTheNthCall) {
  FakeOs os;
  size_t page = os.PageSize();
  os.FailNth(2, FakeOs::kReserve | FakeOs::kCommit);
  void* p = os.Reserve(page, page);
  ASSERT_NE(p, nullptr);
  EXPECT_FALSE(os.failed());
  EXPECT_FALSE(os.Commit(p, page));
  EXPECT_TRUE(os.failed());
  EXPECT_TRUE(os.Commit(p, page));
  EXPECT_EQ(os.Count(FakeOs::kCommit), 2u);
  EXPECT_EQ(os.reserved_bytes(), static_cast<int64_t>(page));
  EXPECT_TRUE(os.Release(p, page));
  EXPECT_EQ(os.reserved_bytes(), 0);

  os.FailFrom(1, FakeOs::kReserve);
  EXPECT_EQ(os.Reserve(page, page), nullptr);
  EXPECT_EQ(os.Reserve(page, page), nullptr);
  os.FailNever();
  EXPECT_FALSE(os.failed());
  p = os.Reserve(page, page);
  EXPECT_NE(p, nullptr);
  os.Release(p, page);
}

TEST(FakeOsTest, PretendsLargerPages) {
  FakeOs os;
  os.SetPageSize(64 << 10);
  EXPECT_EQ(os.PageSize(), size_t{64} << 10);
  void* p = os.Reserve(64 << 10, 1);
  ASSERT_NE(p, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(p) & 0xFFFF, 0u);
  os.Release(p, 64 << 10);
}

TEST(FakeOsTest, PurgeResultAndClock) {
  FakeOs os;
  size_t page = os.PageSize();
  char* p = static_cast<char*>(os.Reserve(page, page));
  ASSERT_NE(p, nullptr);
  ASSERT_TRUE(os.Commit(p, page));
  p[0] = 1;
  os.SetPurgeResult(PurgeResult::kKept);
  EXPECT_EQ(os.Purge(p, page), PurgeResult::kKept);
  EXPECT_EQ(p[0], 1);
  os.SetPurgeResult(PurgeResult::kZeroed);
  EXPECT_EQ(os.Purge(p, page), PurgeResult::kZeroed);
  EXPECT_EQ(p[0], 0);
  EXPECT_EQ(os.purged_bytes(), page);
  os.SetClock(5);
  EXPECT_EQ(os.NowNs(), 5u);
  os.SleepNs(10);
  EXPECT_EQ(os.NowNs(), 15u);
  os.Release(p, page);
}

}  // namespace
}  // namespace tidepool
