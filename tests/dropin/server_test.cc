// Servers under their own load tools, and python3's own test of threads, on the drop-in malloc;
// dropin_long_test.cc does the same for longer.
#include "servers.h"

namespace tidepool::dropin {
namespace {

class ServerTest : public testing::Test {
 protected:
  void SetUp() override {
    Ran made = Shell("mktemp -d");
    dir_ = made.out.substr(0, made.out.find('\n'));
  }
  void TearDown() override { Shell("rm -rf " + dir_); }
  std::string dir_;
};

// Pipelined, so that a busy machine does not count each request's way.
TEST_F(ServerTest, RedisUnderItsBenchmark) { RunRedis(dir_, "-n 4000 -P 40 -c 10", ""); }
TEST_F(ServerTest, MemcachedUnderLoad) { RunMemcached(dir_, 500); }

// Without the classes that measure time. What fails runs once more (-w): the machine may be
// busy, but a broken heap ends the process.
TEST_F(ServerTest, PythonsOwnTestOfThreads) {
  ASSERT_EQ(Shell("ls /usr/lib/python3.11/test/test_threading.py").status, 0)
      << "install the package libpython3.11-testsuite";
  Ran ours = Shell("cd " + dir_ + " && " +
                   Preloaded("PYTHONMALLOC=malloc timeout 250 /usr/bin/python3 -m test "
                             "test_threading -w") +
                   " -m ThreadTests -m ThreadJoinOnShutdown -m SubinterpThreadingTests "
                   "-m ThreadingExceptionTests -m ThreadRunFail -m ExceptHookTests 2>&1 | "
                   "tail -30");
  EXPECT_NE(ours.out.find("SUCCESS"), std::string::npos) << ours.out;
  EXPECT_EQ(ours.out.find("tidepool:"), std::string::npos) << ours.out;
}

}  // namespace
}  // namespace tidepool::dropin
