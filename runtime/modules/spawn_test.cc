// Children that succeed, fail, hang, and print a lot.
#include "tidepool/runtime/modules/spawn.h"

#include <signal.h>

#include <cerrno>

#include "gtest/gtest.h"
#include "tidepool/base/os.h"

namespace tidepool::rt {
namespace {

SpawnRequest Shell(const char* command) {
  SpawnRequest request;
  request.argv = {"/bin/sh", "-c", command};
  request.out = request.err = SpawnRequest::kPipe;
  return request;
}

TEST(Spawn, GathersBothStreamsAndTheStatus) {
  SpawnResult r = Spawn(Shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(r.error, 0);
  EXPECT_EQ(r.status, 3);
  EXPECT_EQ(r.out, "out\n");
  EXPECT_EQ(r.err, "err\n");
}

TEST(Spawn, LargeInputAndOutputDoNotDeadlock) {
  SpawnRequest request = Shell("cat");
  request.has_input = true;
  request.input.assign(1 << 20, 'x');
  EXPECT_EQ(Spawn(request).out, request.input);
}

TEST(Spawn, AChildThatDoesNotReadIsFine) {
  SpawnRequest request = Shell("exec 0<&-; echo done");
  request.has_input = true;
  request.input.assign(1 << 20, 'x');
  signal(SIGPIPE, SIG_IGN);
  EXPECT_EQ(Spawn(request).out, "done\n");
}

TEST(Spawn, ErrorsOfStarting) {
  SpawnRequest request;
  request.argv = {"/no/such/program"};
  EXPECT_EQ(Spawn(request).error, ENOENT);
}

TEST(Spawn, SignalsAreNegative) { EXPECT_EQ(Spawn(Shell("kill -9 $$")).status, -9); }

TEST(Spawn, TimeoutKills) {
  SpawnRequest request = Shell("echo early; exec sleep 60");
  request.deadline_ns = MonotonicNs() + 300'000'000;
  SpawnResult r = Spawn(request);
  EXPECT_TRUE(r.timed_out);
  EXPECT_EQ(r.out, "early\n");
  EXPECT_EQ(r.status, -9);
}

TEST(Spawn, Environment) {
  SpawnRequest request = Shell("echo $WORD");
  request.has_environment = true;
  request.environment = {"WORD=tide"};
  EXPECT_EQ(Spawn(request).out, "tide\n");
}

}  // namespace
}  // namespace tidepool::rt
