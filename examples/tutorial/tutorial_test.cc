// Runs the program of docs/tutorial_embedding.md: it prints what the page says.

#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "tidepool/tests/shell/shell.h"

namespace {

TEST(TutorialTest, PrintsWhatThePageSays) {
  std::ifstream file("examples/tutorial/tutorial.expected");
  std::stringstream expected;
  expected << file.rdbuf();
  ASSERT_NE(expected.str(), "");
  const tidepool::Ran ran = tidepool::Shell("timeout 50 examples/tutorial/tutorial 2>&1");
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, expected.str());
}

}  // namespace
