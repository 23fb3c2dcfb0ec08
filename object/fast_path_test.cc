// How many instructions counting takes, held exactly for g++ 12 on x86-64 (-c opt), so that
// a change shows in review. Elsewhere the counts are upper bounds with a margin.
//
// A forked child runs each operation between two breakpoints (int3), and this process steps
// it from one to the other, counting: the figures are those of callgrind. Each includes the
// loop around it and the call of a small function (5 to 8 instructions).
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "tidepool/object/internal/test_types.h"

#if defined(__x86_64__)
namespace tidepool::testing {
namespace {

#define BREAK() __asm__ volatile("int3" ::: "memory")

__attribute__((noinline)) void TakeRef(ObjectHeader* obj) { Incref(obj); }
__attribute__((noinline)) void DropRef(ThreadState* ts, ObjectHeader* obj) { Decref(ts, obj); }
__attribute__((noinline)) bool TryTakeRef(ObjectHeader* obj) { return TryIncref(obj); }
__attribute__((noinline)) bool Load(ThreadState* ts, const Slot& slot, uintptr_t* out) {
  return LoadRef(ts, slot, out);
}
__attribute__((noinline)) void PassSafepoint(ThreadState* ts) { ts->Safepoint(); }

constexpr int kTimes = 64;  // of each operation, between two breakpoints
constexpr size_t kStretches = 11;

void Run() {
  auto isolate = std::move(*Isolate::Create(Options()));
  // Of a thread that has gone, with the tid that it left.
  Node* foreign = nullptr;
  Thread other;
  if (!other.Start([&] {
        ThreadState* ts = isolate->AttachThread("other");
        foreign = NewNode(ts);
        SetMaybeWeakref(foreign);
        isolate->LeaveThread(ts);
      })) {
    _exit(9);
  }
  other.Join();
  ThreadState* ts = isolate->AttachThread("main");
  Node* own = NewNode(ts);
  Slot own_slot(AsValue(own));
  Slot foreign_slot(AsValue(foreign));
  uintptr_t value = 0;
  // Once, so that nothing is done for the first time.
  TakeRef(foreign);
  DropRef(ts, foreign);
  ts->Safepoint();
  BREAK();
  for (int i = 0; i < kTimes; ++i) TakeRef(own);
  BREAK();
  for (int i = 0; i < kTimes; ++i) DropRef(ts, own);
  BREAK();
  for (int i = 0; i < kTimes; ++i) TakeRef(foreign);
  BREAK();
  for (int i = 0; i < kTimes; ++i) DropRef(ts, foreign);
  BREAK();
  for (int i = 0; i < kTimes; ++i) TryTakeRef(foreign);
  BREAK();
  for (int i = 0; i < kTimes; ++i) DropRef(ts, foreign);
  BREAK();
  for (int i = 0; i < kTimes; ++i) Load(ts, own_slot, &value);
  BREAK();
  for (int i = 0; i < kTimes; ++i) DropRef(ts, own);
  BREAK();
  for (int i = 0; i < kTimes; ++i) Load(ts, foreign_slot, &value);
  BREAK();
  for (int i = 0; i < kTimes; ++i) DropRef(ts, foreign);
  BREAK();
  for (int i = 0; i < kTimes; ++i) PassSafepoint(ts);
  BREAK();
  _exit(0);
}

// Steps of each stretch between two breakpoints of a child.
std::vector<long> Steps() {
  std::vector<long> counts;
  const pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(9);
    Run();
  }
  int status = 0;
  bool counting = false;
  long steps = 0;
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    if (WSTOPSIG(status) != SIGTRAP) {  // passed on
      ptrace(PTRACE_CONT, child, nullptr, WSTOPSIG(status));
      continue;
    }
    user_regs_struct regs;
    ptrace(PTRACE_GETREGS, child, nullptr, &regs);
    if (!counting) {
      counting = true;  // behind the first int3
    } else if ((ptrace(PTRACE_PEEKTEXT, child, regs.rip, nullptr) & 0xff) == 0xcc) {
      counts.push_back(steps);
      regs.rip += 1;  // over it, and on
      ptrace(PTRACE_SETREGS, child, nullptr, &regs);
      steps = 0;
    } else {
      ++steps;
    }
    if (counts.size() == kStretches) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr);
  }
  return counts;
}

void Expect(const char* what, long steps, long golden) {
  const long counted = steps / kTimes;  // rounded down: the loop's own start is in it
  printf("%-28s %3ld instructions\n", what, counted);
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ == 12 && \
    defined(__OPTIMIZE__) && defined(NDEBUG)
  EXPECT_LE(counted, golden) << what << ": more than before";
  EXPECT_GE(counted, golden) << what << ": fewer; write the new count here";
#else
  EXPECT_LE(counted, golden * 3 + 10) << what;
#endif
}

TEST(ObjectFastPathTest, Counting) {
  const std::vector<long> steps = Steps();
  ASSERT_EQ(steps.size(), kStretches);
  Expect("owner incref", steps[0], 14);
  Expect("owner decref", steps[1], 15);
  Expect("foreign incref", steps[2], 13);
  Expect("foreign decref", steps[3], 42);
  Expect("TryIncref, foreign", steps[4], 24);
  Expect("LoadRef, own object", steps[6], 40);
  Expect("LoadRef, foreign object", steps[8], 53);
  Expect("safepoint", steps[10], 8);
}

}  // namespace
}  // namespace tidepool::testing
#endif  // __x86_64__
