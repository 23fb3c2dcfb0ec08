// How a test runs scripts on //runtime:tidepool: found, started in a process of their own, watched, read.
#ifndef TIDEPOOL_TESTS_SCRIPTS_RUN_SCRIPT_H_
#define TIDEPOOL_TESTS_SCRIPTS_RUN_SCRIPT_H_

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

namespace tidepool::testing {

#if defined(__SANITIZE_THREAD__)
inline constexpr const char* kSanitizer = "tsan";
#elif defined(__SANITIZE_ADDRESS__)
inline constexpr const char* kSanitizer = "asan";
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr const char* kSanitizer = "tsan";
#elif __has_feature(address_sanitizer)
inline constexpr const char* kSanitizer = "asan";
#else
inline constexpr const char* kSanitizer = "";
#endif
#else
inline constexpr const char* kSanitizer = "";
#endif

struct Script {
  std::string folder, name;
};

struct Outcome {
  int status = -1;  // exit status; 1000 + n: signal n; 2000: time limit
  std::string out, err;
};

inline std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// Whether the long suite runs.
inline bool Full() { return getenv("TIDEPOOL_TEST_SECONDS") != nullptr; }

inline bool Exists(const std::string& path) { return access(path.c_str(), F_OK) == 0; }

// The root of the checkout as the test sees it.
inline std::string Root() {
  const char* srcdir = getenv("TEST_SRCDIR");
  const char* workspace = getenv("TEST_WORKSPACE");
  if (srcdir != nullptr && workspace != nullptr) return std::string(srcdir) + "/" + workspace;
  return ".";
}

inline std::string Interpreter() {
  const char* given = getenv("TIDEPOOL_BINARY");
  return given != nullptr ? given : Root() + "/runtime/tidepool";
}

inline std::string Directive(const std::string& source, const std::string& key, const std::string& otherwise) {
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

// Whether a script is one of this folder's own: no benchmark, no example.
inline bool IsPlain(const Script& script) { return script.folder.ends_with("tests/scripts"); }

inline std::string Source(const Script& script) { return ReadFile(script.folder + "/" + script.name + ".py"); }

inline std::string Expected(const Script& script) { return ReadFile(script.folder + "/" + script.name + ".expected"); }

inline int ExpectedStatus(const std::string& source) { return atoi(Directive(source, "exit", "0").c_str()); }

// Whether it says that it does not run under the sanitizer of this build.
inline bool LeftOutHere(const std::string& source) {
  return *kSanitizer != '\0' && Directive(source, "skip", "").find(kSanitizer) != std::string::npos;
}

inline bool HasThreads(const std::string& source) {
  return source.find("thread") != std::string::npos || source.find("concurrent") != std::string::npos;
}

// The command line: options of the runtime, the script, and the arguments that it asks for.
inline std::vector<std::string> Arguments(std::vector<std::string> options, const Script& script, const std::string& source) {
  options.push_back(script.name + ".py");
  std::istringstream words(Directive(source, "args", ""));
  for (std::string word; words >> word;) options.push_back(word);
  return options;
}

inline double Now() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

// A path in the folder of the test's own files.
inline std::string TempFile(const std::string& name) {
  const char* folder = getenv("TEST_TMPDIR");
  return std::string(folder != nullptr ? folder : "/tmp") + "/" + name;
}

// What Outcome says, from what waitpid says.
inline int StatusOf(int waited) { return WIFEXITED(waited) ? WEXITSTATUS(waited) : 1000 + WTERMSIG(waited); }

inline Outcome Execute(const std::string& program, const std::string& folder, std::vector<std::string> args, double seconds,
                       const char* stdout_path = nullptr) {
  Outcome result;
  std::string base = TempFile("script." + std::to_string(getpid()));
  std::string out_path = base + ".out", err_path = base + ".err";
  pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    int out = open(stdout_path != nullptr ? stdout_path : out_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
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
  if (result.status != 2000) result.status = StatusOf(status);
  result.out = ReadFile(out_path);
  result.err = ReadFile(err_path);
  unlink(out_path.c_str());
  unlink(err_path.c_str());
  return result;
}

// Every script that has an expectation, by name.
inline std::vector<Script> FindScripts() {
  std::vector<Script> scripts;
  for (const char* folder : {"tests/scripts", "tests/scripts/bench", "examples"}) {
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

}  // namespace tidepool::testing

#endif  // TIDEPOOL_TESTS_SCRIPTS_RUN_SCRIPT_H_
