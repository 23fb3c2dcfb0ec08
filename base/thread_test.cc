// Threads: start, join, ids, and a start that the OS refuses.
#include "tidepool/base/thread.h"

#include <pthread.h>

#include "gtest/gtest.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/event.h"
#include "tidepool/base/fake_os.h"
#include "tidepool/base/thread_id.h"

namespace tidepool {
namespace {

TEST(ThreadTest, RunsAndJoins) {
  int value = 0;
  Thread thread;
  EXPECT_FALSE(thread.joinable());
  ASSERT_TRUE(thread.Start([&value] { value = 1; }));
  EXPECT_TRUE(thread.joinable());
  thread.Join();
  EXPECT_EQ(value, 1);
  EXPECT_FALSE(thread.joinable());
}

TEST(ThreadTest, MovesAndDetaches) {
  Event done(0);
  Thread first;
  ASSERT_TRUE(first.Start([&done] { done.Set(); }));
  Thread second = std::move(first);
  EXPECT_FALSE(first.joinable());
  done.Wait();
  second.Detach();
}

TEST(ThreadTest, SmallStack) {
  Thread thread;
  ASSERT_TRUE(thread.Start([] {}, 1));  // raised to the least there is
  thread.Join();
}

TEST(ThreadTest, RefusedStartIsFalse) {
  FakeOs os;
  os.FailNth(1, FakeOs::kStartThread);
  bool ran = false;
  Thread thread;
  EXPECT_FALSE(thread.Start([&ran] { ran = true; }, 0, &os));
  EXPECT_FALSE(thread.joinable());
  ASSERT_TRUE(thread.Start([&ran] { ran = true; }, 0, &os));
  thread.Join();
  EXPECT_TRUE(ran);
}

TEST(ThreadIdTest, IsTheThreadPointer) {
  uint64_t mine = CurrentTid();
  EXPECT_NE(mine, 0u);
  EXPECT_EQ(mine & 7, 0u);
  EXPECT_EQ(mine, CurrentTid());
#if defined(__x86_64__)
  // Here pthread_self() is the thread pointer too; on arm64 the block lies before it.
  EXPECT_EQ(mine, static_cast<uint64_t>(pthread_self()));
#else
  EXPECT_EQ(mine, reinterpret_cast<uint64_t>(__builtin_thread_pointer()));
#endif
  uint64_t other = 0;
  Thread thread;
  ASSERT_TRUE(thread.Start([&other] { other = CurrentTid(); }));
  thread.Join();
  EXPECT_NE(other, mine);
}

}  // namespace
}  // namespace tidepool
