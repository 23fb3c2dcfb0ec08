// The drop-in malloc, under a program that uses malloc in the ways that break such
// libraries: calls from destructors of thread-local data in every order, odd first
// calls of a thread, fork with threads running, foreign frees after exit.
//
// The test runs itself again with the library preloaded; under a sanitizer, which
// has a malloc of its own, it only checks that it would start.
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/sanitizer.h"

namespace {

bool Preloaded() { return getenv("TIDEPOOL_MALLOC_CHILD") != nullptr; }

pthread_key_t g_keys[4];
void* g_left[4];

void Destructor(void* value) {
  free(value);
  void* p = malloc(100);
  memset(p, 1, 100);
  p = realloc(p, 5000);
  free(p);
  free(calloc(10, 10));
}

void* FirstCall(void* arg) {
  switch (reinterpret_cast<uintptr_t>(arg) % 6) {
    case 0: free(g_left[0]); g_left[0] = nullptr; break;
    case 1: g_left[0] = realloc(g_left[0], 20000); break;
    case 2: EXPECT_GE(malloc_usable_size(g_left[0]), 0u); break;
    case 3: malloc_trim(0); break;
    case 4: free(nullptr); break;
    default: g_left[0] = realloc(g_left[0], 16); break;
  }
  if (g_left[0] == nullptr) g_left[0] = malloc(64);
  for (pthread_key_t key : g_keys) pthread_setspecific(key, malloc(64));
  return nullptr;
}

TEST(MallocTest, RunsPreloaded) {
  if (Preloaded()) GTEST_SKIP();
#if TIDEPOOL_ASAN || TIDEPOOL_TSAN
  GTEST_SKIP() << "the sanitizer has a malloc of its own";
#endif
  ASSERT_EQ(access("allocator/libtidepool_malloc.so", R_OK), 0);
  ASSERT_EQ(setenv("TIDEPOOL_MALLOC_CHILD", "1", 1), 0);
  char self[4096];
  ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
  ASSERT_GT(n, 0);
  self[n] = '\0';
  int rc = system((std::string("LD_PRELOAD=$PWD/allocator/libtidepool_malloc.so "
                               "exec timeout 120 ") + self)
                      .c_str());
  unsetenv("TIDEPOOL_MALLOC_CHILD");
  EXPECT_EQ(rc, 0);
}

TEST(MallocTest, ThreadsWithOddFirstCallsAndDestructors) {
  if (!Preloaded()) GTEST_SKIP();
  for (pthread_key_t& key : g_keys) pthread_key_create(&key, &Destructor);
  g_left[0] = malloc(100);
  for (uintptr_t i = 0; i < 1000; ++i) {
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, nullptr, &FirstCall,
                             reinterpret_cast<void*>(i)), 0);
    pthread_join(thread, nullptr);
  }
  free(g_left[0]);
}

TEST(MallocTest, TheContractOfTheNames) {
  if (!Preloaded()) GTEST_SKIP();
  for (size_t align = 8; align <= (1 << 20); align *= 2) {
    void* p = nullptr;
    ASSERT_EQ(posix_memalign(&p, align, 100), 0);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % align, 0u);
    EXPECT_GE(malloc_usable_size(p), 100u);
    free(p);
  }
  void* p = nullptr;
  EXPECT_EQ(posix_memalign(&p, 24, 100), EINVAL);
  volatile size_t huge = SIZE_MAX / 2;
  errno = 0;
  EXPECT_EQ(malloc(huge), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(calloc(huge, 3), nullptr);
  EXPECT_EQ(reallocarray(nullptr, huge, 3), nullptr);
  p = malloc(0);
  EXPECT_NE(p, nullptr);
  free(p);
}

// Threads that leave live blocks behind, and whose thread-local data is gone by the time
// their heaps are: everything they held can be freed by others and comes back.
void* LeaveBlocks(void* arg) {
  std::vector<void*>* out = static_cast<std::vector<void*>*>(arg);
  for (size_t i = 0; i < 512; ++i) {
    out->push_back(malloc(1024));
    memset(out->back(), 1, 1024);
  }
  for (pthread_key_t key : g_keys) pthread_setspecific(key, malloc(64));
  return nullptr;
}

TEST(MallocTest, BlocksOfThreadsThatLeftComeBack) {
  if (!Preloaded()) GTEST_SKIP();
  if (g_keys[0] == g_keys[1]) {
    for (pthread_key_t& key : g_keys) pthread_key_create(&key, &Destructor);
  }
  struct mallinfo2 before = mallinfo2();
  std::vector<std::vector<void*>> left(200);
  for (std::vector<void*>& mine : left) {
    pthread_t thread;
    ASSERT_EQ(pthread_create(&thread, nullptr, &LeaveBlocks, &mine), 0);
    pthread_join(thread, nullptr);
  }
  struct mallinfo2 full = mallinfo2();
  EXPECT_GE(full.uordblks, before.uordblks + 200 * 512 * 1024u);
  for (std::vector<void*>& mine : left) {
    for (void* p : mine) free(p);
    std::vector<void*>().swap(mine);
  }
  malloc_trim(0);
  struct mallinfo2 after = mallinfo2();
  EXPECT_LE(after.uordblks, before.uordblks + (1 << 20));
  EXPECT_LE(after.arena, before.arena + (8 << 20));
}

volatile bool g_stop;
void* Churn(void*) {
  std::vector<void*> blocks(100);
  unsigned n = 1;
  while (!g_stop) {
    n = n * 1664525 + 1013904223;
    void*& p = blocks[(n >> 8) % blocks.size()];
    free(p);
    p = malloc((n >> 16) % 9000);
  }
  for (void* p : blocks) free(p);
  return nullptr;
}

TEST(MallocTest, ForkWhileThreadsAllocate) {
  if (!Preloaded()) GTEST_SKIP();
  g_stop = false;
  pthread_t threads[4];
  for (pthread_t& thread : threads) {
    ASSERT_EQ(pthread_create(&thread, nullptr, &Churn, nullptr), 0);
  }
  for (int i = 0; i < 100; ++i) {
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(20);
      for (int k = 0; k < 100; ++k) {
        char* p = static_cast<char*>(malloc(10000));
        memset(p, 1, 10000);
        free(p);
      }
      _exit(0);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
  }
  g_stop = true;
  for (pthread_t& thread : threads) pthread_join(thread, nullptr);
}

}  // namespace
