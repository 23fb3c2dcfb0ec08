// A child process of a test, with its input, output and errors: through pipes, or through a terminal of its own.
#ifndef TIDEPOOL_TESTS_PEOPLE_CHILD_H_
#define TIDEPOOL_TESTS_PEOPLE_CHILD_H_

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tidepool/tests/scripts/run_script.h"

namespace tidepool::testing {

class Child {
 public:
  // kTerminal: one pseudo terminal for all three. kPipes: errors come with the output.
  enum Kind { kPipes, kTerminal };

  Child(Kind kind, const std::vector<std::string>& args, const std::vector<std::string>& environment = {}) {
    std::vector<char*> argv;
    const std::string program = Interpreter();
    argv.push_back(const_cast<char*>(program.c_str()));
    for (const std::string& a : args) argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    if (kind == kTerminal) {
      pid_ = forkpty(&out_, nullptr, nullptr, nullptr);
      in_ = out_;
    } else {
      if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0) abort();
      pid_ = fork();
    }
    if (pid_ < 0) abort();
    if (pid_ == 0) {
      for (const std::string& e : environment) putenv(const_cast<char*>(e.c_str()));
      if (kind == kPipes) {
        dup2(in[0], 0);
        dup2(out[1], 1);
        dup2(out[1], 2);
      }
      execv(program.c_str(), argv.data());
      _exit(127);
    }
    if (kind == kPipes) {
      close(in[0]);
      close(out[1]);
      in_ = in[1];
      out_ = out[0];
    }
  }

  ~Child() {
    if (pid_ > 0) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    if (in_ != out_ && in_ >= 0) close(in_);
    close(out_);
  }

  void Send(const std::string& text) {
    for (size_t done = 0; done < text.size();) {
      const ssize_t n = write(in_, text.data() + done, text.size() - done);
      if (n <= 0) return;
      done += static_cast<size_t>(n);
    }
  }

  void CloseInput() {
    if (in_ != out_) close(in_);
    in_ = out_;
  }

  void Signal(int number) { kill(pid_, number); }

  // Waits until the program takes characters and not lines from its terminal: libedit shows its prompt a moment before, in
  // which the terminal itself would take a Ctrl-D. False: two minutes without.
  bool AwaitEditor() {
    const double end = Now() + 120;
    for (termios t; tcgetattr(out_, &t) == 0 && (t.c_lflag & ICANON) != 0; usleep(1000)) {
      if (Now() > end) return false;
    }
    return true;
  }

  // Reads until `text` has come, after what earlier calls took. False: the end, or two minutes without it.
  bool Expect(const std::string& text) {
    const double end = Now() + 120;
    for (;;) {
      const size_t at = read_.find(text, taken_);
      if (at != std::string::npos) {
        taken_ = at + text.size();
        return true;
      }
      if (!ReadSome(end)) return false;
    }
  }

  // The exit status as in Outcome (2000: not within `seconds`, nothing was done about it); output until then is in read().
  int Wait(double seconds = 120) {
    const double end = Now() + seconds;
    while (ReadSome(end)) {
    }
    if (Now() >= end) return 2000;
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return StatusOf(status);
  }

  // All that was read so far.
  const std::string& read() const { return read_; }

 private:
  bool ReadSome(double end) {
    pollfd fd = {out_, POLLIN, 0};
    const double left = end - Now();
    if (left <= 0 || poll(&fd, 1, static_cast<int>(left * 1000) + 1) <= 0) return false;
    char buffer[4096];
    const ssize_t n = ::read(out_, buffer, sizeof buffer);
    if (n <= 0) return false;  // a terminal gives EIO at the end
    read_.append(buffer, static_cast<size_t>(n));
    return true;
  }

  pid_t pid_ = -1;
  int in_ = -1, out_ = -1;
  std::string read_;
  size_t taken_ = 0;
};

}  // namespace tidepool::testing

#endif  // TIDEPOOL_TESTS_PEOPLE_CHILD_H_
