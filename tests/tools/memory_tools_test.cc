// The tools that people use on their programs see our blocks: each is run for real on a
// program with a planted fault, and must name it with the right functions.
//
// In a build with AddressSanitizer its own reports are tested; in the others valgrind's
// memcheck and massif, and heaptrack. A tool that is not installed is skipped.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "tidepool/base/sanitizer.h"

namespace {

constexpr char kProgram[] = "tests/tools/watched_program";

struct Done {
  int status;
  std::string output;
};

Done RunCommand(const std::string& command) {
  Done done = {-1, ""};
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return done;
  char buffer[4096];
  while (size_t n = fread(buffer, 1, sizeof buffer, pipe)) done.output.append(buffer, n);
  const int status = pclose(pipe);
  done.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return done;
}

[[maybe_unused]] bool Installed(const char* tool) {
  return RunCommand(std::string("command -v ") + tool).status == 0;
}

[[maybe_unused]] std::string TempFile(const char* name) { return testing::TempDir() + "/" + name; }

testing::AssertionResult Has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no '" << part << "' in:\n" << text;
}

#if TIDEPOOL_ASAN

TEST(AddressSanitizerTest, UseAfterFree) {
  const Done done = RunCommand(std::string(kProgram) + " use_after_free");
  EXPECT_NE(done.status, 0);
  EXPECT_TRUE(Has(done.output, "use-after-poison"));
  EXPECT_TRUE(Has(done.output, "ReadTheBlock"));
}

TEST(AddressSanitizerTest, UnusedPartOfABlock) {
  const Done done = RunCommand(std::string(kProgram) + " slack");
  EXPECT_NE(done.status, 0);
  EXPECT_TRUE(Has(done.output, "use-after-poison"));
  EXPECT_TRUE(Has(done.output, "ReadTheBlock"));
}

TEST(AddressSanitizerTest, NothingWhereNothingIsWrong) {
  const Done done = RunCommand(std::string(kProgram) + " clean");
  EXPECT_EQ(done.status, 0) << done.output;
}

#elif !TIDEPOOL_TSAN

class MemcheckTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!TIDEPOOL_VALGRIND || !Installed("valgrind")) GTEST_SKIP() << "valgrind is not installed";
  }
  Done Check(const std::string& what) {
    return RunCommand("valgrind --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite " +
               std::string(kProgram) + " " + what);
  }
};

TEST_F(MemcheckTest, NothingWhereNothingIsWrong) {
  const Done done = Check("clean");
  EXPECT_EQ(done.status, 0) << done.output;
  EXPECT_TRUE(Has(done.output, "ERROR SUMMARY: 0 errors"));
  EXPECT_TRUE(Has(done.output, "no leaks are possible"))
      << "what lives when its domain is destroyed is no leak";
}

TEST_F(MemcheckTest, UseAfterFreeWithBothStacks) {
  const Done done = Check("use_after_free");
  EXPECT_EQ(done.status, 99);
  EXPECT_TRUE(Has(done.output, "Invalid read of size 1"));
  EXPECT_TRUE(Has(done.output, "0 bytes inside a block of size 100 free'd"));
  const size_t freed = done.output.find("free'd");
  ASSERT_NE(freed, std::string::npos);
  EXPECT_TRUE(Has(done.output.substr(0, freed), "ReadTheBlock"));
  const size_t made = done.output.find("Block was alloc'd at");
  ASSERT_NE(made, std::string::npos) << done.output;
  EXPECT_TRUE(Has(done.output.substr(freed, made - freed), "FreeTheBlock"));
  EXPECT_TRUE(Has(done.output.substr(made), "MakeTheBlock"));
}

TEST_F(MemcheckTest, Overrun) {
  for (const char* what : {"overrun", "slack"}) {
    const Done done = Check(what);
    EXPECT_EQ(done.status, 99) << what;
    EXPECT_TRUE(Has(done.output, "Invalid read of size 1"));
    EXPECT_TRUE(Has(done.output, "bytes after a block of size"));
    EXPECT_TRUE(Has(done.output, "MakeTheBlock"));
  }
}

TEST_F(MemcheckTest, DoubleFree) {
  const Done done = Check("double_free");
  EXPECT_TRUE(Has(done.output, "a block that is free already"));
}

TEST_F(MemcheckTest, Leak) {
  const Done done = Check("leak");
  EXPECT_EQ(done.status, 99);
  EXPECT_TRUE(Has(done.output, "1,000 bytes in 1 blocks are definitely lost"));
  EXPECT_TRUE(Has(done.output, "LeakTheBlock"));
}

TEST_F(MemcheckTest, MassifHasTheBlockAtItsPeak) {
  const std::string file = TempFile("massif.out");
  const Done done = RunCommand("valgrind --tool=massif --massif-out-file=" + file + " " + kProgram + " big");
  ASSERT_EQ(done.status, 0) << done.output;
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  const size_t peak = text.str().find("heap_tree=peak");
  ASSERT_NE(peak, std::string::npos);
  EXPECT_TRUE(Has(text.str().substr(peak), "MakeTheBigBlock"));
  EXPECT_TRUE(Has(text.str().substr(peak), " 8388608 "));
  unlink(file.c_str());
}

TEST(HeaptrackTest, SeesTheBlocksOfTheDropInMalloc) {
  if (!Installed("heaptrack")) GTEST_SKIP() << "heaptrack is not installed";
  const std::string file = TempFile("heaptrack.out");
  const Done done = RunCommand("LD_PRELOAD=$PWD/allocator/libtidepool_malloc.so heaptrack -o " + file +
                        " tests/tools/malloc_program");
  ASSERT_EQ(done.status, 0) << done.output;
  EXPECT_TRUE(Has(done.output, "tidepool loaded"));
  std::string written = file + ".gz";
  if (access(written.c_str(), R_OK) != 0) written = file + ".zst";
  const Done report = RunCommand("heaptrack_print -f " + written);
  ASSERT_EQ(report.status, 0) << report.output;
  EXPECT_TRUE(Has(report.output, "MakeForHeaptrack"));
  EXPECT_TRUE(Has(report.output, "2000 calls"));
  unlink(written.c_str());
}

#else

TEST(ThreadSanitizerTest, ProgramIsClean) {
  const Done done = RunCommand(std::string(kProgram) + " clean");
  EXPECT_EQ(done.status, 0) << done.output;
}

#endif

}  // namespace
