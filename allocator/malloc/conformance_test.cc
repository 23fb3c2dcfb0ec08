// The drop-in malloc answers as the C library's does: programs that ask about every edge
// of the malloc family and of operator new print the same on both. And what it does
// otherwise on purpose: a pointer that is no block is refused with a report.
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

#include "gtest/gtest.h"

namespace {

// Output and exit status of a shell command.
struct Ran {
  std::string out;
  int status;
};

Ran Shell(const std::string& command) {
  Ran ran;
  FILE* pipe = popen(command.c_str(), "r");
  char buffer[4096];
  size_t n;
  while ((n = fread(buffer, 1, sizeof buffer, pipe)) != 0) ran.out.append(buffer, n);
  int rc = pclose(pipe);
  ran.status = WIFEXITED(rc) ? WEXITSTATUS(rc) : 128 + WTERMSIG(rc);
  return ran;
}

Ran Preloaded(const std::string& command) {
  // Small arenas: one of the programs locks its memory, which makes all of it resident.
  return Shell("env TIDEPOOL_ARENA_RESERVE=8M LD_PRELOAD=$PWD/allocator/libtidepool_malloc.so " + command);
}

size_t Lines(const std::string& text) {
  size_t n = 0;
  for (char c : text) n += c == '\n';
  return n;
}

void Compare(const std::string& program, size_t least_lines) {
  Ran glibc = Shell("timeout 60 " + program + " 2>/dev/null");
  Ran ours = Preloaded("timeout 60 " + program + " 2>/dev/null");
  EXPECT_EQ(glibc.status, 0);
  EXPECT_EQ(ours.status, 0);
  EXPECT_GE(Lines(glibc.out), least_lines);
  EXPECT_EQ(ours.out, glibc.out);
}

TEST(ConformanceTest, TheMallocFamilyAnswersAsGlibcDoes) {
  Compare("allocator/malloc_answers", 300);
}

TEST(ConformanceTest, OperatorNewAnswersAsTheCxxLibraryDoes) {
  Compare("allocator/new_answers", 20);
}

// Whatever it is preloaded into, it brings no library but the C and C++ ones (and what the
// compiler adds for its checks, in that build), and shows no name but those that it replaces.
TEST(ConformanceTest, BringsNoOtherLibraryAndNoOtherName) {
  Ran needed = Shell("readelf -dW allocator/libtidepool_malloc.so | "
                     "sed -n 's/.*(NEEDED).*\\[\\(.*\\)\\]/\\1/p' | grep -vxE "
                     "'lib(c|m|gcc_s|stdc[+][+]|pthread|ubsan)[.]so[.][0-9]+|ld-linux.*'; echo end");
  EXPECT_EQ(needed.out, "end\n");
  Ran names = Shell("readelf -W --dyn-syms allocator/libtidepool_malloc.so | "
                    "awk '$5 != \"LOCAL\" && $7 != \"UND\" && NF == 8 && NR > 4 {print $8}' | sort -u");
  EXPECT_NE(names.out.find("\nmalloc\n"), std::string::npos) << names.out;
  EXPECT_EQ(names.out.find("tidepool"), std::string::npos) << names.out;
  EXPECT_EQ(names.out.find("absl"), std::string::npos) << names.out;
}

// A figure that only this allocator prints shows that the preload was in force.
TEST(ConformanceTest, TheStatisticsAreOurs) {
  Ran ours = Preloaded("allocator/malloc_answers 2>&1 >/dev/null");
  EXPECT_NE(ours.out.find("\"live_bytes\""), std::string::npos) << ours.out;
}

TEST(ConformanceTest, OptionsComeFromTheEnvironment) {
  EXPECT_EQ(Shell("TIDEPOOL_PURGE_POLICY=immediate TIDEPOOL_BACKGROUND_THREAD=0 "
                "LD_PRELOAD=$PWD/allocator/libtidepool_malloc.so /bin/true").status, 0);
  Ran wrong = Shell("TIDEPOOL_PURGE_POLICY=sometimes "
                  "LD_PRELOAD=$PWD/allocator/libtidepool_malloc.so "
                  "allocator/new_answers 2>&1");
  EXPECT_NE(wrong.status, 0);
  EXPECT_NE(wrong.out.find("purge_policy"), std::string::npos) << wrong.out;
}

// bad_pointer MODE frees or resizes what is no block, then works on.
TEST(ConformanceTest, BadPointersAreRefusedWithAReport) {
  for (const char* mode : {"static", "stack", "inside", "page", "realloc", "low"}) {
    Ran ran = Preloaded(std::string("allocator/bad_pointer ") + mode + " 2>&1");
    EXPECT_EQ(ran.status, 0) << mode << ": " << ran.out;
    EXPECT_NE(ran.out.find("tidepool"), std::string::npos) << mode << ran.out;
    EXPECT_NE(ran.out.find("went on"), std::string::npos) << mode << ran.out;
  }
  Ran quiet = Shell("TIDEPOOL_BAD_FREE=ignore "
                  "LD_PRELOAD=$PWD/allocator/libtidepool_malloc.so "
                  "allocator/bad_pointer static 2>&1");
  EXPECT_EQ(quiet.out, "went on\n");
  Ran aborted = Shell("TIDEPOOL_BAD_FREE=abort "
                    "LD_PRELOAD=$PWD/allocator/libtidepool_malloc.so "
                    "allocator/bad_pointer static 2>&1");
  EXPECT_NE(aborted.status, 0);
  EXPECT_EQ(aborted.out.find("went on"), std::string::npos);
}

// The allocator's background thread is there when there is something to do, in a forked
// child too, and is never the one that keeps a process from ending.
TEST(ConformanceTest, BackgroundThreadComesWithNeedAndLeavesLast) {
  Ran none = Preloaded("timeout 60 allocator/last_thread 0 0");
  EXPECT_EQ(none.out, "threads 1 1\n");
  EXPECT_EQ(none.status, 0);
  for (const char* forks : {" 0", " 1", " 2"}) {
    Ran some = Preloaded(std::string("timeout 60 allocator/last_thread 64") + forks);
    EXPECT_EQ(some.out, "threads 1 2\n") << forks;
    EXPECT_EQ(some.status, 0) << forks;
  }
}

}  // namespace
