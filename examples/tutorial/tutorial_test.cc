// Runs the program of docs/tutorial_embedding.md: it prints what the page says.

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace {

TEST(TutorialTest, PrintsWhatThePageSays) {
  std::ifstream file("examples/tutorial/tutorial.expected");
  std::stringstream expected;
  expected << file.rdbuf();
  ASSERT_NE(expected.str(), "");
  FILE* pipe = popen("timeout 50 examples/tutorial/tutorial 2>&1", "r");
  ASSERT_NE(pipe, nullptr);
  std::string output;
  char buffer[4096];
  size_t n;
  while ((n = fread(buffer, 1, sizeof(buffer), pipe)) > 0) output.append(buffer, n);
  EXPECT_EQ(pclose(pipe), 0);
  EXPECT_EQ(output, expected.str());
}

}  // namespace
