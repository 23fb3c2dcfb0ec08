// Programs of every day on the drop-in malloc print what they print on glibc's, and free
// nothing that is not theirs: python3 with threads and forks, an SQL load, perl, and the
// compiler. server_test.cc has servers under load, dropin_long_test.cc python3's own tests.
#include <cstdio>

#include "preload.h"

namespace tidepool::dropin {
namespace {

constexpr char kFolder[] = "tests/dropin/";

TEST(DropinTest, ThePreloadIsInForce) {
  Ran ran = Shell(Preloaded("/usr/bin/python3 -c \"print(any('libtidepool_malloc' in l "
                            "for l in open('/proc/self/maps')))\""));
  EXPECT_EQ(ran.out, "True\n");
}

TEST(DropinTest, PythonWithThreadsAndForks) {
  REQUIRE_PROGRAM("/usr/bin/python3", "python3");
  ExpectSame(std::string("env PYTHONMALLOC=malloc /usr/bin/python3 ") + kFolder +
             "threads.py 2>&1");
}

// The main thread leaves first, and a forked child's threads are not its parent's.
TEST(DropinTest, PythonForksInAThread) {
  ExpectSame(
      "timeout 60 /usr/bin/python3 -c \"\n"
      "import os, sys, threading\n"
      "main = threading.current_thread()\n"
      "def late():\n"
      "    main.join()\n"
      "    print('end of thread', flush=True)\n"
      "def work():\n"
      "    child = os.fork()\n"
      "    if child:\n"
      "        print(os.waitpid(child, 0)[1])\n"
      "        return\n"
      "    data = [bytes(100000) for _ in range(500)]\n"
      "    t = threading.Thread(target=late)\n"
      "    print('end of main', len(data), flush=True)\n"
      "    t.start()\n"
      "    t.join()\n"
      "threading.Thread(target=work).start()\n"
      "\" 2>&1");
}

TEST(DropinTest, SqliteLoad) {
  REQUIRE_PROGRAM("sqlite3", "sqlite3");
  ExpectSame(std::string("sqlite3 :memory: < ") + kFolder + "load.sql 2>&1");
}

TEST(DropinTest, Perl) {
  REQUIRE_PROGRAM("perl", "perl");
  ExpectSame(std::string("perl ") + kFolder + "words.pl 2>&1");
}

// What a big document took is given back once it is dropped, by a thread that sleeps.
TEST(DropinTest, PythonGivesABigDocumentBack) {
  REQUIRE_PROGRAM("/usr/bin/python3", "python3");
  Ran ran = Shell(Preloaded(std::string("PYTHONMALLOC=malloc /usr/bin/python3 ") + kFolder +
                            "toml_memory.py 1 2>&1"));
  ASSERT_EQ(ran.status, 0) << ran.out;
  double before = 0, peak = 0, idle = 0;
  ASSERT_EQ(sscanf(ran.out.c_str(), "%lf %lf %lf", &before, &peak, &idle), 3) << ran.out;
  EXPECT_GE(peak, before + 8) << ran.out;  // or there was nothing to give back
  EXPECT_LE(idle, before + 1) << ran.out;
}

// The whole of the compiler (driver, cc1plus, as, ld) inherits the preload.
TEST(DropinTest, CxxCompile) {
  Ran folder = Shell("mktemp -d");
  std::string dir = folder.out.substr(0, folder.out.find('\n'));
  std::string source = std::string(kFolder) + "compile_me.txt";
  std::string compile = "g++ -std=c++20 -O1 -x c++ " + source + " -o ";
  EXPECT_EQ(Shell(compile + dir + "/glibc 2>&1").status, 0);
  Ran ours = Shell(Preloaded(compile + dir + "/ours 2>&1"));
  EXPECT_EQ(ours.status, 0) << ours.out;
  Ran same = Shell("cmp " + dir + "/glibc " + dir + "/ours 2>&1");
  EXPECT_EQ(same.status, 0) << same.out;
  Ran run = Shell(Preloaded(dir + "/ours"));
  EXPECT_EQ(run.out, "48 19 1548008755920\n");
  Shell("rm -r " + dir);
}

}  // namespace
}  // namespace tidepool::dropin
