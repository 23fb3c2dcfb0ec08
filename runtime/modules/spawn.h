// Runs a program and gathers what it writes. No objects here, so that it runs detached and can be tested alone.
#ifndef TIDEPOOL_RUNTIME_MODULES_SPAWN_H_
#define TIDEPOOL_RUNTIME_MODULES_SPAWN_H_

#include <cstdint>
#include <string>
#include <vector>

namespace tidepool::rt {

struct SpawnRequest {
  enum Output { kInherit = 0, kPipe = -1, kStdout = -2, kNull = -3 };
  std::vector<std::string> argv;
  std::vector<std::string> environment;   // "NAME=value"; used if has_environment
  bool has_environment = false;
  std::string directory;                  // empty: this one
  std::string input;
  bool has_input = false;
  int out = kInherit;                     // kInherit, kPipe or kNull
  int err = kInherit;                     // or kStdout
  uint64_t deadline_ns = UINT64_MAX;      // of MonotonicNs
};

struct SpawnResult {
  int error = 0;           // errno if it could not be started
  bool timed_out = false;  // it was killed
  int status = 0;          // exit status, or minus the signal that ended it
  std::string out, err;
};

// Blocks. A pipe that the child leaves to others is read until they close it.
SpawnResult Spawn(const SpawnRequest& request);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_MODULES_SPAWN_H_
