// Collections beside what a process does with its threads: it forks from any of them, starts
// and ends them, attaches and detaches, shuts a world down while they work, and starts again.

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/event.h"
#include "tidepool/base/os.h"
#include "tidepool/base/sanitizer.h"
#include "tidepool/base/thread.h"
#include "tidepool/gc/test_world.h"

namespace tidepool {
namespace {

int Scaled(int plain) {
  const char* seconds = std::getenv("TIDEPOOL_TEST_SECONDS");
  const int scale = seconds == nullptr ? 1 : std::max(1, std::atoi(seconds));
#if TIDEPOOL_TSAN || TIDEPOOL_ASAN
  return std::max(2, plain / 8) * scale;
#else
  return plain * scale;
#endif
}

// Makes rings, weakrefs to them, and drops all; collects now and then. Waits in between, so
// that no machine is too slow to clear what so many threads make.
void Work(ThreadState* ts, Collector* collector, uint64_t* random) {
  auto next = [&] { return *random = *random * 6364136223846793005u + 1442695040888963407u; };
  Node* ring = NewRing(ts, 1 + static_cast<int>(next() >> 61));
  WeakRef* ref = NewWeakRef(ts, &kWeakRefType, ring, 0);
  Decref(ts, ring);
  const uint64_t what = next() >> 56;
  if (what == 0) {
    collector->Collect(ts);
  } else if (what == 1) {
    collector->RequestCollection(ts, true);
  } else if (what < 20) {
    BlockingScope blocking(ts);
  }
  ts->Safepoint();
  if (what % 4 == 0) {
    BlockingScope blocking(ts);
    RealOs()->SleepNs(100'000);
  }
  if (ObjectHeader* alive = GetWeakRefTarget(ts, ref)) Decref(ts, alive);
  Decref(ts, ref);
}

// What a child does: allocates, collects, starts threads that collect, exits.
int Child(World& w, ThreadState* ts) {
  uint64_t random = 5;
  for (int i = 0; i < 20; ++i) Work(ts, w.collector.get(), &random);
  Node* ring = NewRing(ts, 3);
  WeakRef* ref = NewWeakRef(ts, &kWeakRefType, ring, 0);
  Decref(ts, ring);
  if (!w.collector->Collect(ts).ran) return 2;
  if (!IsWeakRefDead(ref)) return 3;
  Decref(ts, ref);
  Thread threads[2];
  for (Thread& thread : threads) {
    if (!thread.Start([&w] {
          ThreadState* self = w.isolate->AttachThread("child's");
          uint64_t r = 9;
          for (int i = 0; i < 20; ++i) Work(self, w.collector.get(), &r);
          w.isolate->LeaveThread(self);
        })) {
      return 4;
    }
  }
  {
    BlockingScope blocking(ts);
    for (Thread& thread : threads) thread.Join();
  }
  std::string why;
  return w.collector->CheckInvariants(ts, &why) == 0 ? 0 : 5;
}

// microsoft/mimalloc#1198: eight threads allocate and collect; one that is not the main
// thread forks, again and again; each child collects, starts threads, and exits with 0.
TEST(LifecycleTest, ForksFromAThreadThatIsNotMain) {
  if (getenv("TIDEPOOL_EMULATED") != nullptr) {
    GTEST_SKIP() << "qemu cannot start threads in the child of a process with threads";
  }
#if TIDEPOOL_TSAN
  GTEST_SKIP() << "ThreadSanitizer does not follow a fork with threads";
#endif
  World w(Options(), RealOs(), "live_bytes:base=64k");
  Atomic<bool> quit{false};
  Atomic<size_t> begun{0};
  std::vector<Thread> threads(8);
  for (size_t t = 0; t < threads.size(); ++t) {
    ASSERT_TRUE(threads[t].Start([&, t] {
      ThreadState* ts = w.isolate->AttachThread("worker");
      begun.fetch_add(1, kRelaxed);
      uint64_t random = t + 1;
      while (!quit.load(kRelaxed)) Work(ts, w.collector.get(), &random);
      w.isolate->LeaveThread(ts);
    }));
  }
  {
    // A child of a fork that came while a thread started could not start one under
    // AddressSanitizer, whose own lock would be taken for ever.
    BlockingScope blocking(w.ts);
    while (begun.load(kRelaxed) < threads.size()) std::this_thread::yield();
  }
  Thread forker;
  ASSERT_TRUE(forker.Start([&] {
    ThreadState* ts = w.isolate->AttachThread("forker");
    const int forks = Scaled(60);
    for (int i = 0; i < forks; ++i) {
      w.collector->PrepareFork(ts);
      w.isolate->PrepareFork(ts);
      const pid_t child = fork();
      if (child == 0) {
        alarm(60);  // a hang ends the child
        w.isolate->ChildAfterFork(ts);
        w.collector->AfterFork(ts);
        _exit(Child(w, ts));
      }
      w.isolate->ParentAfterFork(ts);
      w.collector->AfterFork(ts);
      int status = -1;
      {
        BlockingScope blocking(ts);
        ASSERT_EQ(waitpid(child, &status, 0), child);
      }
      ASSERT_TRUE(WIFEXITED(status)) << "fork " << i << ": signal " << WTERMSIG(status);
      ASSERT_EQ(WEXITSTATUS(status), 0) << "fork " << i;
    }
    w.isolate->LeaveThread(ts);
  }));
  {
    BlockingScope blocking(w.ts);
    forker.Join();
    quit.store(true, kRelaxed);
    for (Thread& thread : threads) thread.Join();
  }
  w.Collect();
  EXPECT_EQ(w.live_blocks(), 0u);
}

// python/cpython#124149: 32 threads allocate, collect and drop weakrefs; the main thread shuts
// down at random moments, some threads being blocked for ever; then it all starts again.
TEST(LifecycleTest, ShutsDownBesideBusyThreadsAndStartsAgain) {
  const int rounds = Scaled(16);
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE(round);
    auto w = std::make_unique<World>(Options(), RealOs(), "live_bytes:base=64k");
    Atomic<bool> quit{false};
    Atomic<uint32_t> blocked{0};
    Event released{0};
    std::vector<Thread> threads(32);
    for (size_t t = 0; t < threads.size(); ++t) {
      ASSERT_TRUE(threads[t].Start([&, t] {
        ThreadState* ts = w->isolate->AttachThread("daemon");
        uint64_t random = t * 77 + static_cast<uint64_t>(round);
        if (t % 8 == 7) {  // never comes back to this world
          Decref(ts, NewRing(ts, 2));
          ts->Detach();
          blocked.fetch_add(1, kAcqRel);
          released.Wait();
          return;
        }
        while (!quit.load(kRelaxed)) Work(ts, w->collector.get(), &random);
        w->isolate->LeaveThread(ts);
      }));
    }
    uint64_t random = static_cast<uint64_t>(round) * 31 + 7;
    for (int i = round * 3 % 50; i > 0; --i) Work(w->ts, w->collector.get(), &random);
    const uint64_t start = RealOs()->CpuNs();
    quit.store(true, kRelaxed);
    {
      BlockingScope blocking(w->ts);
      while (blocked.load(kAcquire) != threads.size() / 8) RealOs()->SleepNs(100'000);
      for (size_t t = 0; t < threads.size(); ++t) {
        if (t % 8 != 7) threads[t].Join();
      }
    }
    // Nothing but what the blocked threads' frames might hold is left: nothing.
    w->Collect();
    EXPECT_EQ(w->live_blocks(), 0u);
    w.reset();
    // CPU time, of all threads, so that a busy machine does not matter.
    EXPECT_LT(RealOs()->CpuNs() - start, 2'000'000'000u * (TIDEPOOL_TSAN || TIDEPOOL_ASAN ? 10 : 1));
    released.Set();
    for (size_t t = 7; t < threads.size(); t += 8) threads[t].Join();
  }
}

// Threads that start, work for a moment and end, and foreign ones that attach for a call and
// detach, beside collections without a pause.
TEST(LifecycleTest, CollectionsWhileThreadsComeAndGo) {
  World w(Options(), RealOs(), "live_bytes:base=64k");
  Atomic<bool> quit{false};
  Thread collecting;
  Atomic<uint64_t> passes{0};
  ASSERT_TRUE(collecting.Start([&] {
    ThreadState* ts = w.isolate->AttachThread("collecting");
    while (!quit.load(kRelaxed)) passes.fetch_add(w.collector->Collect(ts).ran, kRelaxed);
    w.isolate->LeaveThread(ts);
  }));
  Thread attaching;
  Atomic<uint64_t> attached{0};
  ASSERT_TRUE(attaching.Start([&] {
    ThreadState* ts = w.isolate->AttachThread("attaching");
    ts->Detach();
    uint64_t random = 3;
    while (!quit.load(kRelaxed)) {
      ts->Attach();
      Work(ts, w.collector.get(), &random);
      ts->Detach();
      attached.fetch_add(1, kRelaxed);
    }
    ts->Attach();
    w.isolate->LeaveThread(ts);
  }));
  {
    BlockingScope blocking(w.ts);
    const int generations = Scaled(60);
    for (int g = 0; g < generations; ++g) {
      std::vector<Thread> threads(4);
      for (size_t t = 0; t < threads.size(); ++t) {
        ASSERT_TRUE(threads[t].Start([&, t] {
          ThreadState* ts = w.isolate->AttachThread("short");
          uint64_t random = t + static_cast<uint64_t>(g) * 4;
          for (size_t i = 0; i < 1 + t * 3; ++i) Work(ts, w.collector.get(), &random);
          w.isolate->LeaveThread(ts);
        }));
      }
      for (Thread& thread : threads) thread.Join();
    }
    quit.store(true, kRelaxed);
    collecting.Join();
    attaching.Join();
  }
  EXPECT_GT(passes.load(kRelaxed), 10u);
  EXPECT_GT(attached.load(kRelaxed), 10u);
  w.Collect();
  EXPECT_EQ(w.live_blocks(), 0u);
}

// Purging is no safepoint: threads that do nothing else hold up no stop if they pass one, or
// are away.
TEST(LifecycleTest, ThreadsThatPurgeHoldUpNoStop) {
  World w;
  Atomic<uint32_t> ended{0};
  Event ready[2] = {Event(0), Event(0)};
  Thread threads[2];
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(threads[i].Start([&w, &ended, &ready, i] {
      ThreadState* ts = w.isolate->AttachThread("purges");
      if (i == 0) {
        BlockingScope blocking(ts);
        ready[i].Set();
        while (ended.load(kRelaxed) == 0) w.isolate->heap().Purge();
      } else {
        ready[i].Set();
        while (ended.load(kRelaxed) == 0) {
          w.isolate->heap().Purge();
          ts->Safepoint();
        }
      }
      w.isolate->LeaveThread(ts);
    }));
  }
  for (Event& event : ready) event.Wait();
  for (int i = 0; i < 20; ++i) {
    w.Drop(NewRing(w.ts, 10));
    EXPECT_EQ(w.Collect().collected, 10u);
  }
  ended.store(1, kRelaxed);  // a flag
  BlockingScope blocking(w.ts);
  for (Thread& thread : threads) thread.Join();
}

}  // namespace
}  // namespace tidepool
