// The tools that people use on their programs see our blocks: each is run for real on a
// program with a planted fault, and must name it with the right functions.
//
// In a build with AddressSanitizer its own reports are tested; in the others valgrind's
// memcheck and massif, and heaptrack. A tool that is not installed is skipped.
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "tidepool/base/sanitizer.h"
#include "tidepool/tests/shell/shell.h"

namespace {

constexpr char kProgram[] = "tests/tools/watched_program";

using tidepool::Ran;

// With its errors.
Ran RunCommand(const std::string& command) { return tidepool::Shell(command + " 2>&1"); }

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
  const Ran done = RunCommand(std::string(kProgram) + " use_after_free");
  EXPECT_NE(done.status, 0);
  EXPECT_TRUE(Has(done.out, "use-after-poison"));
  EXPECT_TRUE(Has(done.out, "ReadTheBlock"));
}

TEST(AddressSanitizerTest, UnusedPartOfABlock) {
  const Ran done = RunCommand(std::string(kProgram) + " slack");
  EXPECT_NE(done.status, 0);
  EXPECT_TRUE(Has(done.out, "use-after-poison"));
  EXPECT_TRUE(Has(done.out, "ReadTheBlock"));
}

TEST(AddressSanitizerTest, NothingWhereNothingIsWrong) {
  const Ran done = RunCommand(std::string(kProgram) + " clean");
  EXPECT_EQ(done.status, 0) << done.out;
}

#elif !TIDEPOOL_TSAN

class MemcheckTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!TIDEPOOL_VALGRIND || !Installed("valgrind")) GTEST_SKIP() << "valgrind is not installed";
  }
  Ran Check(const std::string& what) {
    return RunCommand("valgrind --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite " +
               std::string(kProgram) + " " + what);
  }
};

TEST_F(MemcheckTest, NothingWhereNothingIsWrong) {
  const Ran done = Check("clean");
  EXPECT_EQ(done.status, 0) << done.out;
  EXPECT_TRUE(Has(done.out, "ERROR SUMMARY: 0 errors"));
  EXPECT_TRUE(Has(done.out, "no leaks are possible"))
      << "what lives when its domain is destroyed is no leak";
}

TEST_F(MemcheckTest, UseAfterFreeWithBothStacks) {
  const Ran done = Check("use_after_free");
  EXPECT_EQ(done.status, 99);
  EXPECT_TRUE(Has(done.out, "Invalid read of size 1"));
  EXPECT_TRUE(Has(done.out, "0 bytes inside a block of size 100 free'd"));
  const size_t freed = done.out.find("free'd");
  ASSERT_NE(freed, std::string::npos);
  EXPECT_TRUE(Has(done.out.substr(0, freed), "ReadTheBlock"));
  const size_t made = done.out.find("Block was alloc'd at");
  ASSERT_NE(made, std::string::npos) << done.out;
  EXPECT_TRUE(Has(done.out.substr(freed, made - freed), "FreeTheBlock"));
  EXPECT_TRUE(Has(done.out.substr(made), "MakeTheBlock"));
}

TEST_F(MemcheckTest, Overrun) {
  for (const char* what : {"overrun", "slack"}) {
    const Ran done = Check(what);
    EXPECT_EQ(done.status, 99) << what;
    EXPECT_TRUE(Has(done.out, "Invalid read of size 1"));
    EXPECT_TRUE(Has(done.out, "bytes after a block of size"));
    EXPECT_TRUE(Has(done.out, "MakeTheBlock"));
  }
}

TEST_F(MemcheckTest, DoubleFree) {
  const Ran done = Check("double_free");
  EXPECT_TRUE(Has(done.out, "a block that is free already"));
}

TEST_F(MemcheckTest, Leak) {
  const Ran done = Check("leak");
  EXPECT_EQ(done.status, 99);
  EXPECT_TRUE(Has(done.out, "1,000 bytes in 1 blocks are definitely lost"));
  EXPECT_TRUE(Has(done.out, "LeakTheBlock"));
}

TEST_F(MemcheckTest, MassifHasTheBlockAtItsPeak) {
  const std::string file = TempFile("massif.out");
  const Ran done = RunCommand("valgrind --tool=massif --massif-out-file=" + file + " " + kProgram + " big");
  ASSERT_EQ(done.status, 0) << done.out;
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
  const Ran done = RunCommand("LD_PRELOAD=$PWD/allocator/libtidepool_malloc.so heaptrack -o " + file +
                        " tests/tools/malloc_program");
  ASSERT_EQ(done.status, 0) << done.out;
  EXPECT_TRUE(Has(done.out, "tidepool loaded"));
  std::string written = file + ".gz";
  if (access(written.c_str(), R_OK) != 0) written = file + ".zst";
  const Ran report = RunCommand("heaptrack_print -f " + written);
  ASSERT_EQ(report.status, 0) << report.out;
  EXPECT_TRUE(Has(report.out, "MakeForHeaptrack"));
  EXPECT_TRUE(Has(report.out, "2000 calls"));
  unlink(written.c_str());
}

#else

TEST(ThreadSanitizerTest, ProgramIsClean) {
  const Ran done = RunCommand(std::string(kProgram) + " clean");
  EXPECT_EQ(done.status, 0) << done.out;
}

#endif

}  // namespace
