// Running a shell command with and without the drop-in malloc preloaded.
#ifndef TIDEPOOL_TESTS_DROPIN_PRELOAD_H_
#define TIDEPOOL_TESTS_DROPIN_PRELOAD_H_

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "gtest/gtest.h"

namespace tidepool::dropin {

struct Ran {
  std::string out;
  int status = -1;
};

inline Ran Shell(const std::string& command) {
  Ran ran;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return ran;
  char buffer[4096];
  size_t n;
  while ((n = fread(buffer, 1, sizeof buffer, pipe)) != 0) {
    ran.out.append(buffer, n);
  }
  int rc = pclose(pipe);
  ran.status = WIFEXITED(rc) ? WEXITSTATUS(rc) : 128 + WTERMSIG(rc);
  return ran;
}

inline std::string Library() {
  char folder[4096];
  return std::string(getcwd(folder, sizeof folder)) +
         "/allocator/libtidepool_malloc.so";
}

// The command with the library preloaded; refused pointers end the program.
inline std::string Preloaded(const std::string& command) {
  return "env TIDEPOOL_BAD_FREE=abort LD_PRELOAD=" + Library() + " " + command;
}

// The command prints the same, and ends with status 0, on both allocators.
inline void ExpectSame(const std::string& command) {
  Ran glibc = Shell(command);
  Ran ours = Shell(Preloaded(command));
  EXPECT_EQ(glibc.status, 0) << command << "\n" << glibc.out;
  EXPECT_EQ(ours.status, 0) << command << "\n" << ours.out;
  EXPECT_FALSE(glibc.out.empty()) << command;
  EXPECT_EQ(ours.out, glibc.out) << command;
}

inline bool Installed(const std::string& program) {
  return Shell("command -v " + program).status == 0;
}

// A test for a program that is not there fails, and says which package has it.
#define REQUIRE_PROGRAM(program, package) \
  ASSERT_TRUE(::tidepool::dropin::Installed(program)) \
      << "install the package " package

}  // namespace tidepool::dropin

#endif  // TIDEPOOL_TESTS_DROPIN_PRELOAD_H_
