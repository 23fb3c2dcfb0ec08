// Runs every script of this folder, and every example that has an expectation, on //runtime:tidepool.
//
// One test case per script: NAME.py must print exactly NAME.expected (made by python3 3.11) and exit as its comments say.
// Where `python3` is a 3.11, the script runs on it too and must print the same, so that expectations cannot rot.
// Lines at the top of a script steer its test:
//   # args: a b c        arguments
//   # exit: 3            expected exit status, default 0
//   # stderr             NAME.stderr holds the expected standard error, paths without their directory
//   # figures            numbers may differ: before comparing each becomes '#', runs of blanks become one
//   # live: no           not compared with python3 (figures that must differ; see docs/ for why)
//   # seconds: 120       time limit, default 60 (times 10 under a sanitizer)
//   # gc-stress: 5000    or "no": see gc_stress_test.cc
//   # skip: asan tsan    sanitizers that the script does not run under
#include "gtest/gtest.h"
#include "tidepool/tests/scripts/run_script.h"

namespace {

using namespace tidepool::testing;

// Whether python3 is there and a 3.11.
bool HavePython() {
  static const bool have = [] {
    Outcome o = Execute("python3", ".", {"-c", "import sys; print(sys.version_info[:2], sys.implementation.name)"}, 20);
    return o.status == 0 && o.out == "(3, 11) cpython\n";
  }();
  return have;
}

std::string WithoutFolders(std::string text, const std::string& folder) {
  char resolved[4096];
  std::vector<std::string> prefixes{folder + "/"};
  if (realpath(folder.c_str(), resolved) != nullptr) prefixes.push_back(std::string(resolved) + "/");
  for (const std::string& p : prefixes) {
    for (size_t at = text.find(p); at != std::string::npos; at = text.find(p)) text.erase(at, p.size());
  }
  return text;
}

// Every number becomes '#', every run of blanks one blank.
std::string WithoutFigures(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (text[i] >= '0' && text[i] <= '9') {
      while (i < text.size() && ((text[i] >= '0' && text[i] <= '9') || text[i] == '.' || text[i] == ',')) i++;
      out += '#';
    } else if (text[i] == ' ') {
      while (i < text.size() && text[i] == ' ') i++;
      out += ' ';
    } else {
      out += text[i++];
    }
  }
  return out;
}

class ScriptTest : public testing::Test {
 public:
  explicit ScriptTest(Script script) : script_(std::move(script)) {}
  void TestBody() override;

 private:
  Script script_;
};

void ScriptTest::TestBody() {
  std::string stem = script_.folder + "/" + script_.name;
  std::string source = Source(script_);
  if (LeftOutHere(source)) GTEST_SKIP();
  // Most scripts have one thread, in which ThreadSanitizer finds nothing.
  if (std::string(kSanitizer) == "tsan" && !HasThreads(source)) GTEST_SKIP();
  std::vector<std::string> args = Arguments({}, script_, source);
  double seconds = atof(Directive(source, "seconds", "60").c_str()) * (*kSanitizer != '\0' ? 10 : 1);
  int exit = ExpectedStatus(source);
  bool check_stderr = Directive(source, "stderr", "no") == "yes";

  std::string expected = Expected(script_);
  std::string expected_err = check_stderr ? ReadFile(stem + ".stderr") : "";
  bool figures = Directive(source, "figures", "no") == "yes";
  if (figures) expected = WithoutFigures(expected);
  auto check = [&](const Outcome& o, const char* who) {
    std::string out = WithoutFolders(o.out, script_.folder);
    if (figures) out = WithoutFigures(out);
    EXPECT_NE(o.status, 2000) << who << ": time limit of " << seconds << " s";
    EXPECT_EQ(o.status, exit) << who << " ended with " << o.status << " (1000 + n: signal n); standard error:\n" << o.err;
    EXPECT_EQ(out, expected) << who << "; standard error:\n" << o.err;
    if (check_stderr) {
      EXPECT_EQ(WithoutFolders(o.err, script_.folder), expected_err) << who;
    }
  };
  check(Execute(Interpreter(), script_.folder, args, seconds), "tidepool");
  if (*kSanitizer == '\0' && HavePython() && Directive(source, "live", "yes") != "no") {
    check(Execute("python3", script_.folder, args, seconds), "python3");
  }
}

// Every script has an expectation: one that was forgotten would never be looked at.
TEST(Scripts, HaveExpectations) {
  std::string path = Root() + "/tests/scripts";
  DIR* dir = opendir(path.c_str());
  ASSERT_NE(dir, nullptr) << path;
  int scripts = 0;
  while (dirent* entry = readdir(dir)) {
    std::string file = entry->d_name;
    if (file.size() < 4 || file.substr(file.size() - 3) != ".py") continue;
    scripts++;
    EXPECT_TRUE(Exists(path + "/" + file.substr(0, file.size() - 3) + ".expected")) << file;
  }
  closedir(dir);
  EXPECT_GE(scripts, 40);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  for (const Script& script : FindScripts()) {
    testing::RegisterTest("Script", script.name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                          [script]() -> testing::Test* { return new ScriptTest(script); });
  }
  return RUN_ALL_TESTS();
}
