// Finalizers on a thread of their own (K25), draining, and forks.

#include <sys/wait.h>
#include <unistd.h>

#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/thread.h"
#include "tidepool/gc/test_world.h"
#include "tidepool/object/object_mutex.h"

namespace tidepool {
namespace {

class Server {
 public:
  explicit Server(World& w) : w_(w) {
    EXPECT_TRUE(thread_.Start([this] {
      ThreadState* ts = w_.isolate->AttachThread("finalizers");
      tid = ts->tid();
      w_.collector->ServeCollections(ts);
      w_.isolate->LeaveThread(ts);
    }));
    BlockingScope blocking(w_.ts);
    while (!w_.collector->serving()) RealOs()->SleepNs(100'000);
  }
  ~Server() {
    w_.collector->StopServing();
    BlockingScope blocking(w_.ts);
    thread_.Join();
  }
  uint64_t tid = 0;

 private:
  World& w_;
  Thread thread_;
};

// K25: the thread that allocates holds a lock that its garbage's finalizers want.
TEST(ServingTest, FinalizersMayTakeTheAllocatorsLock) {
  World w(Options(), RealOs(), "live_bytes:base=64k");
  Mutex lock{0};
  Atomic<uint64_t> ran{0};
  Atomic<uint64_t> elsewhere{0};
  Server server(w);
  g_on_finalize = [&](ThreadState* ts, Node*) {
    if (ts->tid() != server.tid) elsewhere.fetch_add(1, kRelaxed);
    // Waits detached, as a lock of a script does.
    LockMutex(ts, &lock);
    ran.fetch_add(1, kRelaxed);
    lock.Unlock();
  };
  for (int i = 0; i < 2000; ++i) {
    LockMutex(w.ts, &lock);
    for (int j = 0; j < 3; ++j) {
      w.Drop(NewRing(w.ts, 2, &kFinalizedType));
      w.ts->Safepoint();  // with the lock held
    }
    lock.Unlock();
  }
  w.collector->DrainFinalizers(w.ts);
  EXPECT_EQ(ran.load(kRelaxed), 12000u);
  EXPECT_EQ(elsewhere.load(kRelaxed), 0u);
  EXPECT_EQ(w.live_blocks(), 0u);
  EXPECT_GE(w.collector->GetGenerationStats(0).collections, 1u);
}

TEST(ServingTest, DrainWithoutAServerCollects) {
  World w;
  w.Drop(NewRing(w.ts, 2, &kFinalizedType));
  bool nested = false;
  g_on_finalize = [&](ThreadState* ts, Node*) {
    w.collector->DrainFinalizers(ts);  // returns at once
    nested = true;
  };
  w.collector->DrainFinalizers(w.ts);
  EXPECT_TRUE(nested);
  EXPECT_EQ(w.freed(), 2);
}

TEST(ServingTest, ServersComeAndGo) {
  World w;
  for (int i = 0; i < 10; ++i) {
    Server server(w);
    w.Drop(NewRing(w.ts, 2));
    w.collector->DrainFinalizers(w.ts);
    EXPECT_EQ(w.freed(), 2 * (i + 1));
  }
}

TEST(ServingTest, NoCollectionInAFork) {
  World w;
  w.Drop(NewRing(w.ts, 3));
  w.collector->PrepareFork(w.ts);
  EXPECT_FALSE(w.Collect().ran);
  const pid_t child = fork();
  if (child == 0) {
    w.collector->AfterFork(w.ts);
    _exit(w.Collect().collected == 3 ? 0 : 1);
  }
  w.collector->AfterFork(w.ts);
  EXPECT_EQ(w.Collect().collected, 3u);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

}  // namespace
}  // namespace tidepool
