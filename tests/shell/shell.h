// A shell command of a test: what it prints, and how it ends.
#ifndef TIDEPOOL_TESTS_SHELL_SHELL_H_
#define TIDEPOOL_TESTS_SHELL_SHELL_H_

#include <stdio.h>
#include <sys/wait.h>

#include <string>

namespace tidepool {

struct Ran {
  std::string out;
  int status = -1;  // exit status; 128 + n: signal n; -1: not started
};

inline Ran Shell(const std::string& command) {
  Ran ran;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return ran;
  char buffer[4096];
  while (size_t n = fread(buffer, 1, sizeof buffer, pipe)) ran.out.append(buffer, n);
  const int rc = pclose(pipe);
  ran.status = WIFEXITED(rc) ? WEXITSTATUS(rc) : 128 + WTERMSIG(rc);
  return ran;
}

}  // namespace tidepool

#endif  // TIDEPOOL_TESTS_SHELL_SHELL_H_
