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
//   # skip: asan tsan    sanitizers that the script does not run under
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr const char* kSanitizer = "tsan";
#elif defined(__SANITIZE_ADDRESS__)
constexpr const char* kSanitizer = "asan";
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
constexpr const char* kSanitizer = "tsan";
#elif __has_feature(address_sanitizer)
constexpr const char* kSanitizer = "asan";
#else
constexpr const char* kSanitizer = "";
#endif
#else
constexpr const char* kSanitizer = "";
#endif

struct Script {
  std::string folder, name;
};

struct Outcome {
  int status = -1;  // exit status; 1000 + n: signal n; 2000: time limit
  std::string out, err;
};

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// The root of the checkout as the test sees it.
std::string Root() {
  const char* srcdir = getenv("TEST_SRCDIR");
  const char* workspace = getenv("TEST_WORKSPACE");
  if (srcdir != nullptr && workspace != nullptr) return std::string(srcdir) + "/" + workspace;
  return ".";
}

std::string Interpreter() {
  const char* given = getenv("TIDEPOOL_BINARY");
  return given != nullptr ? given : Root() + "/runtime/tidepool";
}

std::string Directive(const std::string& source, const std::string& key, const std::string& otherwise) {
  std::istringstream lines(source);
  std::string line;
  while (std::getline(lines, line) && !line.empty() && line[0] == '#') {
    if (line.compare(0, key.size() + 2, "# " + key) != 0) continue;
    std::string rest = line.substr(key.size() + 2);
    if (rest.empty()) return "yes";
    if (rest[0] != ':') continue;
    size_t start = rest.find_first_not_of(" :");
    return start == std::string::npos ? "" : rest.substr(start);
  }
  return otherwise;
}

double Now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

Outcome Execute(const std::string& program, const std::string& folder, std::vector<std::string> args, double seconds) {
  Outcome result;
  const char* tmp = getenv("TEST_TMPDIR");
  std::string base = std::string(tmp != nullptr ? tmp : "/tmp") + "/script." + std::to_string(getpid());
  std::string out_path = base + ".out", err_path = base + ".err";
  pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    int out = open(out_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int err = open(err_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int in = open("/dev/null", O_RDONLY);
    dup2(in, 0);
    dup2(out, 1);
    dup2(err, 2);
    if (chdir(folder.c_str()) != 0) _exit(126);
    std::vector<char*> argv{const_cast<char*>(program.c_str())};
    for (std::string& a : args) argv.push_back(a.data());
    argv.push_back(nullptr);
    execvp(program.c_str(), argv.data());
    _exit(127);
  }
  double end = Now() + seconds;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (Now() > end) {
      kill(-child, SIGKILL);
      waitpid(child, &status, 0);
      result.status = 2000;
      break;
    }
    usleep(2000);
  }
  if (result.status != 2000) result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  result.out = ReadFile(out_path);
  result.err = ReadFile(err_path);
  unlink(out_path.c_str());
  unlink(err_path.c_str());
  return result;
}

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
  std::string source = ReadFile(stem + ".py");
  if (*kSanitizer != '\0' && Directive(source, "skip", "").find(kSanitizer) != std::string::npos) GTEST_SKIP();
  std::vector<std::string> args{script_.name + ".py"};
  std::istringstream words(Directive(source, "args", ""));
  for (std::string word; words >> word;) args.push_back(word);
  double seconds = atof(Directive(source, "seconds", "60").c_str()) * (*kSanitizer != '\0' ? 10 : 1);
  int exit = atoi(Directive(source, "exit", "0").c_str());
  bool check_stderr = Directive(source, "stderr", "no") == "yes";

  std::string expected = ReadFile(stem + ".expected");
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

std::vector<Script> FindScripts() {
  std::vector<Script> scripts;
  for (const char* folder : {"tests/scripts", "examples"}) {
    std::string path = Root() + "/" + folder;
    DIR* dir = opendir(path.c_str());
    if (dir == nullptr) continue;
    while (dirent* entry = readdir(dir)) {
      std::string file = entry->d_name;
      if (file.size() < 4 || file.substr(file.size() - 3) != ".py") continue;
      std::string name = file.substr(0, file.size() - 3);
      if (Exists(path + "/" + name + ".expected")) scripts.push_back({path, name});
    }
    closedir(dir);
  }
  std::sort(scripts.begin(), scripts.end(), [](const Script& a, const Script& b) { return a.name < b.name; });
  return scripts;
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
