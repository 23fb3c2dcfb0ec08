// How many instructions the fast paths take, held exactly for g++ 12 on x86-64 (-c opt),
// so that a change shows in review. Elsewhere the counts are upper bounds with a margin.
//
// A forked child runs each operation between two breakpoints (base/step_count_testing.h).
// A count includes the call of a small function around the operation and its return (3 to
// 5 instructions); for the drop-in malloc, the call by way of the PLT.
#include <stdlib.h>
#include <unistd.h>

#include <vector>

#include "gtest/gtest.h"
#include "tidepool/allocator/heap_domain.h"

#if defined(__x86_64__)
#include "tidepool/base/step_count_testing.h"

namespace tidepool {
namespace {

using testing_steps::CountSteps;
using testing_steps::ExpectSteps;

__attribute__((noinline)) void* Allocate(ThreadHeap* heap, size_t size) {
  return heap->Allocate(HeapKind::kGc, size);
}
__attribute__((noinline)) void Free(ThreadHeap* heap, void* p) { heap->Free(p); }
// Through pointers: nobody knows what they do.
void* (*volatile g_malloc)(size_t) = &malloc;
void (*volatile g_free)(void*) = &free;

constexpr int kTimes = 64;  // of each operation, between two breakpoints

void RunHeap(const Options& options) {
  std::unique_ptr<HeapDomain> domain(std::move(*HeapDomain::Create(options)));
  ThreadHeap* mine = domain->NewThread();
  mine->Attach();
  ThreadHeap* other = domain->NewThread();
  other->Attach();
  void* blocks[kTimes];
  // So that the page has free blocks and does not become empty.
  std::vector<void*> kept;
  for (int i = 0; i < 100; ++i) kept.push_back(Allocate(mine, 48));
  for (int i = 0; i < 80; ++i) Free(mine, kept[static_cast<size_t>(i)]);
  TIDEPOOL_BREAK();
  for (void*& p : blocks) p = Allocate(mine, 48);
  TIDEPOOL_BREAK();
  for (void* p : blocks) Free(mine, p);
  TIDEPOOL_BREAK();
  for (void*& p : blocks) p = Allocate(mine, 48);
  TIDEPOOL_BREAK();
  for (void* p : blocks) Free(other, p);
  TIDEPOOL_BREAK();
  _exit(0);
}

void RunPlain() { RunHeap(Options()); }

void RunProfiled() {
  Options options;
  options.heap_profile_interval = 512 << 10;
  RunHeap(options);
}

void RunMalloc() {
  void* blocks[kTimes];
  void* kept[100];
  for (void*& p : kept) p = g_malloc(48);
  for (int i = 0; i < 80; ++i) g_free(kept[i]);
  TIDEPOOL_BREAK();
  for (void*& p : blocks) p = g_malloc(48);
  TIDEPOOL_BREAK();
  for (void* p : blocks) g_free(p);
  TIDEPOOL_BREAK();
  _exit(0);
}

// The same by the drop-in malloc, of this program run again.
void RunAgain() {
  setenv("LD_PRELOAD", "./allocator/libtidepool_malloc.so", 1);
  setenv("TIDEPOOL_FAST_PATHS", "1", 1);
  execl("/proc/self/exe", "fast_path_test", nullptr);
}

// Per operation, rounded down: the loop's own instructions are in it.
long Each(long steps) { return steps / kTimes; }

void Expect(const char* what, long counted, long golden, long around = 0) {
  ExpectSteps(what, counted, golden, golden * 2 + 10 + around, around);
}

TEST(FastPathTest, AThreadsHeap) {
  TIDEPOOL_COUNTS_OPTIMISED_CODE();
  std::vector<long> steps = CountSteps(&RunPlain, 4);
  ASSERT_EQ(steps.size(), 4u);
  Expect("allocate, 48 bytes", Each(steps[0]), 15);
  Expect("free, own block", Each(steps[1]), 41);
  // With a share of what starts and hands over a chain.
  Expect("free, another's block", Each(steps[3]), 96, 4);
}

// The heap profile costs blocks that are no samples nothing: what it adds is in the sample
// itself, one in 512 KiB. (Which blocks are samples depends on the domain alone.)
TEST(FastPathTest, AProfiledThreadsHeap) {
  TIDEPOOL_COUNTS_OPTIMISED_CODE();
  std::vector<long> plain = CountSteps(&RunPlain, 4);
  std::vector<long> profiled = CountSteps(&RunProfiled, 4);
  ASSERT_EQ(plain.size(), 4u);
  ASSERT_EQ(profiled.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(Each(profiled[i]), Each(plain[i])) << i;
}

TEST(FastPathTest, TheDropInMalloc) {
  TIDEPOOL_COUNTS_OPTIMISED_CODE();
  std::vector<long> steps = CountSteps(&RunAgain, 2, /*executes=*/true);
  ASSERT_EQ(steps.size(), 2u);
  Expect("malloc, 48 bytes", Each(steps[0]), 24);
  Expect("free", Each(steps[1]), 45);
}

// The child of the test above.
const bool g_child = [] {
  if (getenv("TIDEPOOL_FAST_PATHS") != nullptr) RunMalloc();
  return false;
}();

}  // namespace
}  // namespace tidepool
#endif  // __x86_64__
