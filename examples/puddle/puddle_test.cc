// Runs puddle with its scripts: the output is the .expected file's, nothing is left at the
// end, whatever the options, and errors are named with their script.

#include <stdlib.h>

#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "tidepool/base/single_thread_testing.h"
#include "tidepool/tests/shell/shell.h"

namespace {

using tidepool::Ran;

Ran RunPuddle(const std::string& environment, const std::string& arguments) {
  return tidepool::Shell(environment + " timeout 60 examples/puddle/puddle " + arguments +
                         " 2>&1");
}

std::string Script(const std::string& name) { return "examples/puddle/scripts/" + name; }

std::string Expected(const std::string& name) {
  std::ifstream file(Script(name) + ".expected");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

class PuddleTest : public testing::TestWithParam<const char*> {};

TEST_P(PuddleTest, PrintsWhatIsExpectedAndLeavesNothing) {
  const std::string name = GetParam();
  ASSERT_NE(Expected(name), "");
  for (const char* environment :
       {"", "TIDEPOOL_GC_POLICY=manual TIDEPOOL_HARDENING=1 TIDEPOOL_BAD_FREE=abort",
        "TIDEPOOL_BACKGROUND_THREAD=1 TIDEPOOL_PAGE_FULL_RETAIN=0"}) {
    const Ran ran = RunPuddle(environment, Script(name + ".pud"));
    EXPECT_EQ(ran.status, 0) << environment;
    EXPECT_EQ(ran.out, Expected(name)) << environment;
  }
}
INSTANTIATE_TEST_SUITE_P(Scripts, PuddleTest,
                         testing::Values("basics", "closures", "cycles", "errors", "weak",
                                         "threads", "loops"));

TEST(PuddleTest, CollectsAtEveryChance) {
  TIDEPOOL_SINGLE_THREAD_TEST();
  for (const char* name : {"closures", "cycles", "errors"}) {
    const Ran ran = RunPuddle("TIDEPOOL_GC_STRESS=300", Script(std::string(name) + ".pud"));
    EXPECT_EQ(ran.status, 0);
    EXPECT_EQ(ran.out, Expected(name));
  }
}

TEST(PuddleTest, SeveralScriptsShareTheIsolate) {
  const Ran ran = RunPuddle("", "--figures " + Script("basics.pud") + " " + Script("cycles.pud"));
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out.find(Expected("basics") + Expected("cycles")), 0u);
  EXPECT_NE(ran.out.find("collections "), std::string::npos);
}

TEST(PuddleTest, AnErrorEndsItsScriptAndLeavesNothing) {
  Ran ran = RunPuddle("", Script("fails.pud"));
  EXPECT_EQ(ran.status, 1);
  EXPECT_NE(ran.out.find("fails.pud: error: no-such-name has no value"),
            std::string::npos)
      << ran.out;
  EXPECT_EQ(ran.out.find("leaked"), std::string::npos);
  ran = RunPuddle("", "no_such_file.pud");
  EXPECT_EQ(ran.status, 1);
  ran = RunPuddle("TIDEPOOL_MAX_MEMORY=nonsense", Script("basics.pud"));
  EXPECT_EQ(ran.status, 2);
  EXPECT_NE(ran.out.find("max_memory"), std::string::npos) << ran.out;
}

// The hard limit is the language's own error, and the program goes on.
TEST(PuddleTest, OutOfMemoryIsAnErrorOfTheLanguage) {
  TIDEPOOL_SINGLE_THREAD_TEST();
  const Ran ran = RunPuddle("TIDEPOOL_MAX_MEMORY=24M", Script("hungry.pud"));
  EXPECT_EQ(ran.status, 0) << ran.out;
  EXPECT_EQ(ran.out, Expected("hungry"));
}

}  // namespace
