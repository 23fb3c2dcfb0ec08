// Servers under their own load tools, python3's own tests of threads, and git, on the
// drop-in malloc. Each is a Debian package (tools/internal/setup.sh, set full).
#include "preload.h"

namespace tidepool::dropin {
namespace {

class DropinLongTest : public testing::Test {
 protected:
  void SetUp() override {
    Ran made = Shell("mktemp -d");
    dir_ = made.out.substr(0, made.out.find('\n'));
  }
  void TearDown() override { Shell("rm -rf " + dir_); }
  std::string dir_;
};

TEST_F(DropinLongTest, PythonsOwnTests) {
  ASSERT_EQ(Shell("ls /usr/lib/python3.11/test/test_threading.py").status, 0)
      << "install the package libpython3.11-testsuite";
  for (const char* name :
       {"test_threading", "test_thread", "test_threading_local", "test_queue",
        "test_gc", "test_json", "test_list", "test_dict", "test_bytes",
        "test_weakref", "test_concurrent_futures", "test_multiprocessing_fork"}) {
    Ran ours = Shell("cd " + dir_ + " && " +
                     Preloaded("PYTHONMALLOC=malloc timeout 600 /usr/bin/python3 -m "
                               "test ") +
                     name + " 2>&1 | tail -30");
    EXPECT_NE(ours.out.find("Tests result: SUCCESS"), std::string::npos)
        << name << "\n" << ours.out;
  }
}

TEST_F(DropinLongTest, RedisUnderItsBenchmark) {
  REQUIRE_PROGRAM("redis-server", "redis-server");
  REQUIRE_PROGRAM("redis-benchmark", "redis-tools");
  std::string socket = dir_ + "/redis";
  std::string cli = "redis-cli -s " + socket + " ";
  // Snapshots fork the server while it is under load.
  std::string server = Preloaded(
      "redis-server --port 0 --save 1 100 --io-threads 2 --dir " + dir_ +
      " --unixsocket " + socket + " --loglevel warning");
  Ran ran = Shell(server + " > " + dir_ + "/log 2>&1 & "
                  "for i in $(seq 100); do " + cli + "ping 2>/dev/null && break; "
                  "sleep 0.1; done; "
                  "redis-benchmark -s " + socket +
                  " -q -n 30000 -r 20000 -d 700 -t set,get,incr,lpush,lpop,sadd,"
                  "hset,spop,zadd,lrange_100,mset 2>&1 | tr '\\r' '\\n' | "
                  "grep 'per second'; " + cli + "memory purge; " + cli +
                  "bgsave; sleep 2; " + cli + "dbsize; " + cli +
                  "lastsave; " + cli + "flushall; " + cli +
                  "shutdown nosave; wait; echo status $?; cat " + dir_ + "/log");
  EXPECT_NE(ran.out.find("PONG"), std::string::npos) << ran.out;
  size_t lines = 0;
  for (size_t at = 0; (at = ran.out.find("per second", at)) != std::string::npos; ++at) {
    ++lines;
  }
  EXPECT_GE(lines, 11u) << ran.out;
  EXPECT_NE(ran.out.find("status 0"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("tidepool"), std::string::npos) << ran.out;
}

TEST_F(DropinLongTest, MemcachedUnderLoad) {
  REQUIRE_PROGRAM("memcached", "memcached");
  REQUIRE_PROGRAM("memcslap", "libmemcached-tools");
  std::string port = std::to_string(20000 + getpid() % 20000);
  Ran ran = Shell(
      Preloaded("memcached -u nobody -l 127.0.0.1 -m 64 -t 4 -p ") + port + " > " +
      dir_ + "/log 2>&1 & server=$!; sleep 1; "
      "timeout 120 memcslap --servers=127.0.0.1:" + port +
      " --concurrency=8 --execute-number=3000 --initial-load=3000 --test=set; "
      "timeout 120 memcslap --servers=127.0.0.1:" + port +
      " --concurrency=8 --execute-number=3000 --test=get; "
      "echo load $?; kill $server; wait $server; echo status $?; cat " + dir_ +
      "/log");
  EXPECT_NE(ran.out.find("load 0"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("status 0"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("tidepool"), std::string::npos) << ran.out;
}

TEST_F(DropinLongTest, Git) {
  REQUIRE_PROGRAM("git", "git");
  std::string git = "git -c user.name=t -c user.email=t@t -c gc.auto=0 ";
  Ran ran = Shell(
      "cd " + dir_ + " && export LD_PRELOAD=" + Library() +
      " GIT_AUTHOR_DATE='2026-01-01 00:00:00 +0000' "
      "GIT_COMMITTER_DATE='2026-01-01 00:00:00 +0000' && " + git +
      "init -q -b main . && for i in $(seq 30); do seq $i 3000 > file$i; seq $i > same; " +
      git + "add . && " + git + "commit -q -m \"c $i\"; done; " + git +
      "repack -q -a -d -f --threads=4 && " + git + "fsck --full 2>&1; " + git +
      "log --stat -p | cksum; " + git + "blame same | wc -l; echo status $?");
  EXPECT_NE(ran.out.find("status 0"), std::string::npos) << ran.out;
  EXPECT_NE(ran.out.find("30\n"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("tidepool:"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace tidepool::dropin
