// Servers under their own load tools, python3's own tests, and git, on the drop-in malloc, for
// longer than server_test.cc. Each is a Debian package (tools/internal/setup.sh).
#include "preload.h"
#include "servers.h"

namespace tidepool::dropin {
namespace {

using DropinLongTest = FolderTest;

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

// As in server_test.cc, for longer.
TEST_F(DropinLongTest, RedisUnderItsBenchmark) { RunRedis(dir_, "-n 30000", "--io-threads 2"); }
TEST_F(DropinLongTest, MemcachedUnderLoad) { RunMemcached(dir_, 3000); }

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
