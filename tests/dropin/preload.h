// Running shell commands with and without the drop-in malloc preloaded.
#ifndef TIDEPOOL_TESTS_DROPIN_PRELOAD_H_
#define TIDEPOOL_TESTS_DROPIN_PRELOAD_H_

#include <unistd.h>

#include <string>

#include "gtest/gtest.h"
#include "tidepool/tests/shell/shell.h"

namespace tidepool::dropin {

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

// A test with a folder of its own.
class FolderTest : public testing::Test {
 protected:
  void SetUp() override {
    Ran made = Shell("mktemp -d");
    dir_ = made.out.substr(0, made.out.find('\n'));
  }
  void TearDown() override { Shell("rm -rf " + dir_); }
  std::string dir_;
};

// A test for a program that is not there fails, and says which package has it.
#define REQUIRE_PROGRAM(program, package) \
  ASSERT_TRUE(::tidepool::dropin::Installed(program)) \
      << "install the package " package

}  // namespace tidepool::dropin

#endif  // TIDEPOOL_TESTS_DROPIN_PRELOAD_H_
