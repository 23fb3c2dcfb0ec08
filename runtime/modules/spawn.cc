// Starting a child process and gathering what it prints; see spawn.h.
#include "tidepool/runtime/modules/spawn.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tidepool/base/os.h"

extern char** environ;

namespace tidepool::rt {
namespace {

// A pair of pipe ends, closed at the end of the scope.
struct Pipe {
  int read_end = -1;
  int write_end = -1;
  ~Pipe() {
    CloseRead();
    CloseWrite();
  }
  bool Open() {
    int fds[2];
    if (::pipe2(fds, O_CLOEXEC) != 0) return false;
    read_end = fds[0];
    write_end = fds[1];
    return true;
  }
  void CloseRead() {
    if (read_end >= 0) ::close(read_end);
    read_end = -1;
  }
  void CloseWrite() {
    if (write_end >= 0) ::close(write_end);
    write_end = -1;
  }
};

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

struct Pipes {
  Pipe in, out, err;
};

int Start(const SpawnRequest& request, Pipes& pipes, pid_t* pid) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (request.has_input) posix_spawn_file_actions_adddup2(&actions, pipes.in.read_end, 0);
  auto output = [&](int kind, Pipe& pipe, int fd) {
    if (kind == SpawnRequest::kPipe) posix_spawn_file_actions_adddup2(&actions, pipe.write_end, fd);
    if (kind == SpawnRequest::kNull) posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
    if (kind == SpawnRequest::kStdout) posix_spawn_file_actions_adddup2(&actions, 1, fd);
  };
  output(request.out, pipes.out, 1);
  output(request.err, pipes.err, 2);
  if (!request.directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, request.directory.c_str());

  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGINT);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

  std::vector<char*> argv = Pointers(request.argv);
  std::vector<char*> variables = Pointers(request.environment);
  const int error = ::posix_spawnp(pid, argv[0], &actions, &attributes, argv.data(),
                                   request.has_environment ? variables.data() : environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

int MillisecondsLeft(uint64_t deadline) {
  if (deadline == kNoDeadline) return -1;
  const uint64_t now = MonotonicNs();
  if (now >= deadline) return 0;
  return static_cast<int>(std::min<uint64_t>((deadline - now) / 1'000'000 + 1, 1'000'000));
}

// Feeds and reads the pipes until all are closed. False: the deadline passed.
bool Converse(const SpawnRequest& request, Pipes& pipes, SpawnResult& result) {
  size_t written = 0;
  char buffer[16384];
  if (pipes.in.write_end >= 0) ::fcntl(pipes.in.write_end, F_SETFL, O_NONBLOCK);
  for (;;) {
    pollfd fds[3];
    Pipe* which[3];
    int n = 0;
    if (pipes.in.write_end >= 0 && written == request.input.size()) pipes.in.CloseWrite();
    if (pipes.in.write_end >= 0) fds[n] = {pipes.in.write_end, POLLOUT, 0}, which[n++] = &pipes.in;
    if (pipes.out.read_end >= 0) fds[n] = {pipes.out.read_end, POLLIN, 0}, which[n++] = &pipes.out;
    if (pipes.err.read_end >= 0) fds[n] = {pipes.err.read_end, POLLIN, 0}, which[n++] = &pipes.err;
    if (n == 0) return true;
    const int ready = ::poll(fds, static_cast<nfds_t>(n), MillisecondsLeft(request.deadline_ns));
    if (ready == 0) return false;
    if (ready < 0) continue;  // EINTR
    for (int i = 0; i < n; i++) {
      if (fds[i].revents == 0) continue;
      if (which[i] == &pipes.in) {
        const ssize_t k = ::write(pipes.in.write_end, request.input.data() + written, request.input.size() - written);
        if (k >= 0) written += static_cast<size_t>(k);
        if (k < 0 && errno != EAGAIN && errno != EINTR) pipes.in.CloseWrite();  // it does not want the rest
        continue;
      }
      const ssize_t k = ::read(which[i]->read_end, buffer, sizeof buffer);
      if (k > 0) (which[i] == &pipes.out ? result.out : result.err).append(buffer, static_cast<size_t>(k));
      if (k == 0 || (k < 0 && errno != EINTR)) which[i]->CloseRead();
    }
  }
}

}  // namespace

SpawnResult Spawn(const SpawnRequest& request) {
  SpawnResult result;
  Pipes pipes;
  if ((request.has_input && !pipes.in.Open()) || (request.out == SpawnRequest::kPipe && !pipes.out.Open()) ||
      (request.err == SpawnRequest::kPipe && !pipes.err.Open())) {
    result.error = errno;
    return result;
  }
  pid_t pid;
  result.error = Start(request, pipes, &pid);
  if (result.error != 0) return result;
  pipes.in.CloseRead();
  pipes.out.CloseWrite();
  pipes.err.CloseWrite();

  result.timed_out = !Converse(request, pipes, result);
  int status = 0;
  while (!result.timed_out) {
    if (request.deadline_ns == kNoDeadline) {
      if (::waitpid(pid, &status, 0) == pid || errno != EINTR) break;
      continue;
    }
    if (::waitpid(pid, &status, WNOHANG) != 0) break;
    if (MonotonicNs() >= request.deadline_ns) result.timed_out = true;
    RealOs()->SleepNs(2'000'000);
  }
  if (result.timed_out) {
    ::kill(pid, SIGKILL);
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
  }
  result.status = WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  return result;
}

}  // namespace tidepool::rt
