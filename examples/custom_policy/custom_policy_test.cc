// The tutorial in docs/policies.md: its code is the compiled file, its commands work, and
// the policy does what it says when linked in and when loaded.

#include <sys/wait.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"

namespace {

std::string Root() {
  const char* srcdir = getenv("TEST_SRCDIR");
  const char* workspace = getenv("TEST_WORKSPACE");
  return srcdir != nullptr && workspace != nullptr ? std::string(srcdir) + "/" + workspace : ".";
}

std::string ReadFile(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in.good()) << path;
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Outcome {
  int status;
  std::string text;  // stdout and stderr
};

Outcome Execute(const std::string& command) {
  Outcome outcome;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  char buffer[4096];
  while (size_t n = fread(buffer, 1, sizeof(buffer), pipe)) outcome.text.append(buffer, n);
  const int status = pclose(pipe);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  return outcome;
}

size_t Count(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++n;
  return n;
}

// Ten thousand dead rings with a kilobyte each.
const char kScript[] =
    " -c 'import gc\n"
    "class Node: pass\n"
    "for i in range(10000):\n"
    "    a = Node()\n"
    "    a.me = a\n"
    "    a.data = bytes(1000 + i % 2)\n"
    "print(\"done\")'";

class CustomPolicyTest : public testing::Test {
 protected:
  // Runs the script under every:1m and looks at the log.
  void ExpectItIsUsed(const std::string& program) {
    const std::string log = testing::TempDir() + "/every.jsonl";
    const Outcome run = Execute(program + " --gc-policy=every:1m --gc-log=" + log + kScript);
    EXPECT_EQ(run.status, 0) << run.text;
    EXPECT_EQ(run.text, "done\n");
    const std::string text = ReadFile(log);
    const size_t passes = Count(text, "\"event\":\"collect\",\"pid\":");
    EXPECT_GE(passes, 8u);
    EXPECT_LE(passes, 40u);
    EXPECT_GE(Count(text, "\"policy\":\"every\",\"reason\":\"allocated its share\""), 8u);
    EXPECT_EQ(Count(text, "\"event\":\"fault\""), 0u) << text;
  }

  const std::string linked_ = Root() + "/examples/custom_policy/tidepool_every";
  const std::string loading_ = Root() + "/runtime/tidepool --policy-lib=" + Root() +
                               "/examples/custom_policy/libevery.so";
};

TEST_F(CustomPolicyTest, TheTutorialShowsTheCompiledFile) {
  const std::string page = ReadFile(Root() + "/docs/policies.md");
  const std::string file = ReadFile(Root() + "/examples/custom_policy/every_policy.cc");
  EXPECT_NE(page.find("```c++\n" + file + "```\n"), std::string::npos)
      << "docs/policies.md must hold examples/custom_policy/every_policy.cc word for word";
}

TEST_F(CustomPolicyTest, TheTutorialShowsTheBuildFile) {
  const std::string page = ReadFile(Root() + "/docs/policies.md");
  const std::string build = ReadFile(Root() + "/examples/custom_policy/BUILD.bazel");
  for (const char* name : {"every_policy", "tidepool_every", "libevery.so"}) {
    const size_t at = build.find(std::string("    name = \"") + name + "\"");
    ASSERT_NE(at, std::string::npos) << name;
    const size_t start = build.rfind("\n\n", at) + 2;
    const size_t rule = build.find("cc_", start);
    const size_t end = build.find("\n)\n", at) + 3;
    EXPECT_NE(page.find(build.substr(rule, end - rule)), std::string::npos) << name;
  }
}

TEST_F(CustomPolicyTest, LinkedIn) { ExpectItIsUsed(linked_); }

TEST_F(CustomPolicyTest, Loaded) { ExpectItIsUsed(loading_); }

TEST_F(CustomPolicyTest, ListedByHelp) {
  EXPECT_EQ(Count(Execute(linked_ + " --help-options").text, "every         every so many bytes"), 1u);
  EXPECT_EQ(Count(Execute(loading_ + " --help-options").text, "every         every so many bytes"), 1u);
}

TEST_F(CustomPolicyTest, ItsArgumentIsChecked) {
  const Outcome run = Execute(linked_ + " --gc-policy=every:often -c pass");
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.text.find("every: give a number of bytes, as in 16m"), std::string::npos)
      << run.text;
}

TEST_F(CustomPolicyTest, TheSameFromC) {
  const Outcome run = Execute(Root() + "/examples/custom_policy/every_policy_in_c");
  EXPECT_EQ(run.status, 0);
  EXPECT_EQ(run.text, ReadFile(Root() + "/examples/custom_policy/every_policy.expected"));
}

TEST_F(CustomPolicyTest, WithoutTheLibraryItIsUnknown) {
  const Outcome run = Execute(Root() + "/runtime/tidepool --gc-policy=every -c pass");
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.text.find("unknown gc policy 'every'; known: "), std::string::npos) << run.text;
  const Outcome missing = Execute(Root() + "/runtime/tidepool --policy-lib=/nonexistent.so -c pass");
  EXPECT_EQ(missing.status, 2);
  EXPECT_NE(missing.text.find("policy_lib: "), std::string::npos) << missing.text;
}

}  // namespace
