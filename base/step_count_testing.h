// Counts instructions, for tests that hold fast paths to a number (x86-64 only).
//
// A forked child runs each stretch of code between two breakpoints (int3), and this process
// steps it from one to the other, counting: the figures are those of callgrind.
#ifndef TIDEPOOL_BASE_STEP_COUNT_TESTING_H_
#define TIDEPOOL_BASE_STEP_COUNT_TESTING_H_

#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <vector>

#include "gtest/gtest.h"

namespace tidepool::testing_steps {

// First in a test that counts: only the program that people run is held to a number, not one
// without the optimiser or with the debug checks.
#if defined(__OPTIMIZE__) && !defined(TIDEPOOL_DEBUG)
#define TIDEPOOL_COUNTS_OPTIMISED_CODE() static_cast<void>(0)
#else
#define TIDEPOOL_COUNTS_OPTIMISED_CODE() GTEST_SKIP() << "not the optimised build"
#endif

#define TIDEPOOL_BREAK() __asm__ volatile("int3" ::: "memory")

// Steps of each of the `stretches` between two breakpoints of a child that runs `body`,
// which does not return; `executes`: it comes to its breakpoints as another program.
inline std::vector<long> CountSteps(void (*body)(), size_t stretches, bool executes = false) {
  std::vector<long> counts;
  const pid_t child = fork();
  if (child == 0) {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(9);
    body();
    _exit(9);
  }
  int status = 0;
  bool counting = false;
  long steps = 0;
  while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
    if (WSTOPSIG(status) != SIGTRAP) {  // passed on, but for somebody's stop of it all
      const int sig = WSTOPSIG(status) != SIGSTOP ? WSTOPSIG(status) : 0;
      ptrace(counting ? PTRACE_SINGLESTEP : PTRACE_CONT, child, nullptr, sig);
      continue;
    }
    if (executes) {  // the trap of the exec
      executes = false;
      ptrace(PTRACE_CONT, child, nullptr, nullptr);
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
    if (counts.size() == stretches) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      break;
    }
    ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr);
  }
  return counts;
}

// `counted` is `golden`, give or take `around`, where g++ 12 optimises; elsewhere it is at
// most `most`.
inline void ExpectSteps(const char* what, long counted, long golden, long most,
                        long around = 0) {
  printf("%-28s %3ld instructions\n", what, counted);
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ == 12 && \
    defined(__OPTIMIZE__) && defined(NDEBUG)
  static_cast<void>(most);
  EXPECT_LE(counted, golden + around) << what << ": more than before";
  EXPECT_GE(counted, golden - around) << what << ": fewer; write the new count here";
#else
  static_cast<void>(golden);
  static_cast<void>(around);
  EXPECT_LE(counted, most) << what;
#endif
}

}  // namespace tidepool::testing_steps

#endif  // TIDEPOOL_BASE_STEP_COUNT_TESTING_H_
