// How many instructions the fast paths take, held exactly for g++ 12 on x86-64 (-c opt),
// so that a change shows in review. Elsewhere the counts are upper bounds with a margin.
//
// A forked child runs each operation between two breakpoints (int3), and this process
// steps it from one to the other, counting: the figures are those of callgrind, without
// its start. A count includes the call of a small function around the operation and its
// return (3 to 5 instructions); for the drop-in malloc, the call by way of the PLT.
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/allocator/heap_domain.h"

#if defined(__x86_64__)
namespace tidepool {
namespace {

#define BREAK() __asm__ volatile("int3" ::: "memory")

__attribute__((noinline)) void* Allocate(ThreadHeap* heap, size_t size) {
  return heap->Allocate(HeapKind::kGc, size);
}
__attribute__((noinline)) void Free(ThreadHeap* heap, void* p) { heap->Free(p); }
// Through pointers: nobody knows what they do.
void* (*volatile g_malloc)(size_t) = &malloc;
void (*volatile g_free)(void*) = &free;

constexpr int kTimes = 64;  // of each operation, between two breakpoints

void RunHeap() {
  std::unique_ptr<HeapDomain> domain(std::move(*HeapDomain::Create(Options())));
  ThreadHeap* mine = domain->NewThread();
  mine->Attach();
  ThreadHeap* other = domain->NewThread();
  other->Attach();
  void* blocks[kTimes];
  // So that the page has free blocks and does not become empty.
  std::vector<void*> kept;
  for (int i = 0; i < 100; ++i) kept.push_back(Allocate(mine, 48));
  for (int i = 0; i < 80; ++i) Free(mine, kept[static_cast<size_t>(i)]);
  BREAK();
  for (void*& p : blocks) p = Allocate(mine, 48);
  BREAK();
  for (void* p : blocks) Free(mine, p);
  BREAK();
  for (void*& p : blocks) p = Allocate(mine, 48);
  BREAK();
  for (void* p : blocks) Free(other, p);
  BREAK();
  _exit(0);
}

void RunMalloc() {
  void* blocks[kTimes];
  void* kept[100];
  for (void*& p : kept) p = g_malloc(48);
  for (int i = 0; i < 80; ++i) g_free(kept[i]);
  BREAK();
  for (void*& p : blocks) p = g_malloc(48);
  BREAK();
  for (void* p : blocks) g_free(p);
  BREAK();
  _exit(0);
}

// Steps of each stretch between two breakpoints of a child that runs `body`, or this
// program again with the drop-in malloc.
std::vector<long> Steps(void (*body)()) {
  std::vector<long> counts;
  pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(9);
    if (body != nullptr) body();
    setenv("LD_PRELOAD", "./allocator/libtidepool_malloc.so", 1);
    setenv("TIDEPOOL_FAST_PATHS", "1", 1);
    execl("/proc/self/exe", "fast_path_test", nullptr);
    _exit(9);
  }
  int status = 0;
  bool counting = false;
  long steps = 0;
  bool exec_seen = body != nullptr;
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    if (WSTOPSIG(status) != SIGTRAP) {  // passed on
      ptrace(PTRACE_CONT, child, nullptr, WSTOPSIG(status));
      continue;
    }
    if (!exec_seen) {
      exec_seen = true;
      ptrace(PTRACE_CONT, child, nullptr, nullptr);
      continue;
    }
    user_regs_struct regs;
    ptrace(PTRACE_GETREGS, child, nullptr, &regs);
    bool at_break =
        (ptrace(PTRACE_PEEKTEXT, child, regs.rip, nullptr) & 0xff) == 0xcc;
    if (!counting) {
      counting = true;  // behind the first int3
      steps = 0;
    } else if (at_break) {
      counts.push_back(steps);
      // Over the next one, and on.
      regs.rip += 1;
      ptrace(PTRACE_SETREGS, child, nullptr, &regs);
      steps = 0;
    } else {
      ++steps;
    }
    ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr);
    if (counts.size() == (body != nullptr ? 4u : 2u)) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
  }
  return counts;
}

// Per operation, rounded down: the loop's own instructions are in it.
long Each(long steps) { return steps / kTimes; }

void Expect(const char* what, long counted, long golden, long around = 0) {
  printf("%-28s %3ld instructions\n", what, counted);
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ == 12 && \
    defined(__OPTIMIZE__) && defined(NDEBUG)
  EXPECT_LE(counted, golden + around) << what << ": more than before";
  EXPECT_GE(counted, golden - around) << what << ": fewer; write the new count here";
#else
  EXPECT_LE(counted, golden * 2 + 10 + around) << what;
#endif
}

TEST(FastPathTest, AThreadsHeap) {
  std::vector<long> steps = Steps(&RunHeap);
  ASSERT_EQ(steps.size(), 4u);
  Expect("allocate, 48 bytes", Each(steps[0]), 17);
  Expect("free, own block", Each(steps[1]), 41);
  // With a share of what starts and hands over a chain.
  Expect("free, another's block", Each(steps[3]), 97, 4);
}

TEST(FastPathTest, TheDropInMalloc) {
  std::vector<long> steps = Steps(nullptr);
  ASSERT_EQ(steps.size(), 2u);
  Expect("malloc, 48 bytes", Each(steps[0]), 26);
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
