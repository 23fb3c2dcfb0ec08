// Mutex, Event, CondVar and the parking lot, under the scheduler and with real
// threads. In the `sched` build these tests kill the mutants mutex_*, event_*
// and cond_var_* (tests/mutants.txt).
#include <sys/wait.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/cond_var.h"
#include "tidepool/base/event.h"
#include "tidepool/base/mutex.h"
#include "tidepool/base/os.h"
#include "tidepool/base/parking_lot.h"
#include "tidepool/base/sanitizer.h"
#include "tidepool/base/sched.h"
#include "tidepool/base/thread.h"

namespace tidepool {
namespace {

using sched::SchedOptions;
using sched::SchedRun;

void ExpectOk(const SchedOptions& options,
              const std::function<void(SchedRun&)>& body) {
  sched::SchedResult result = sched::Explore(options, body);
  EXPECT_TRUE(result.ok) << result.message;
}

SchedOptions Exhaustive(int preemptions) {
  SchedOptions options;
  options.mode = sched::Mode::kExhaustive;
  options.max_preemptions = preemptions;
  options.iterations = 20000;
  return options;
}

SchedOptions Random(uint64_t iterations) {
  SchedOptions options;
  options.iterations = iterations;
  return options;
}

// Outside clang's analysis, which does not let one try a lock that one holds.
bool Try(Mutex& mutex) ABSL_NO_THREAD_SAFETY_ANALYSIS { return mutex.TryLock(); }
bool TryFor(Mutex& mutex, uint64_t ns) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  return mutex.LockFor(MonotonicNs() + ns);
}
void Give(Mutex& mutex) ABSL_NO_THREAD_SAFETY_ANALYSIS { mutex.Unlock(); }

TEST(MutexTest, StatesOfTheByte) {
  Mutex mutex(0);
  EXPECT_FALSE(mutex.IsLocked());
  EXPECT_TRUE(Try(mutex));
  EXPECT_TRUE(mutex.IsLocked());
  EXPECT_FALSE(Try(mutex));
  EXPECT_FALSE(TryFor(mutex, 1000000));
  Give(mutex);
  EXPECT_FALSE(mutex.IsLocked());
  // A waiter that gave up left its mark; the lock must still work.
  mutex.Lock();
  mutex.Unlock();
}

// The plain counter is torn (and ThreadSanitizer speaks) if two get in.
void Exclusion(SchedRun& run, int threads, int rounds) {
  Mutex mutex(0);
  Atomic<int> inside(0);
  int counter = 0;
  for (int t = 0; t < threads; ++t) {
    run.Spawn([&] {
      for (int i = 0; i < rounds; ++i) {
        MutexLock lock(&mutex);
        SCHED_CHECK(inside.exchange(1, kRelaxed) == 0);
        ++counter;
        inside.store(0, kRelaxed);
      }
    });
  }
  run.RunAll();
  SCHED_CHECK(counter == threads * rounds);
  SCHED_CHECK(!mutex.IsLocked());
}

TEST(MutexTest, ExclusionOfTwoExhaustively) {
  ExpectOk(Exhaustive(2), [](SchedRun& run) { Exclusion(run, 2, 1); });
}

TEST(MutexTest, ExclusionOfThree) {
  ExpectOk(Exhaustive(1), [](SchedRun& run) { Exclusion(run, 3, 1); });
  ExpectOk(Random(2000), [](SchedRun& run) { Exclusion(run, 3, 2); });
}

TEST(MutexTest, WaitersWithDeadlines) {
  ExpectOk(Random(2000), [](SchedRun& run) {
    Mutex mutex(0);
    int counter = 0, got = 0;
    for (int t = 0; t < 3; ++t) {
      run.Spawn([&, t] {
        if (t == 0) {
          mutex.Lock();
        } else if (!mutex.LockFor(MonotonicNs() + 1000)) {
          return;
        }
        ++counter;
        ++got;
        mutex.Unlock();
      });
    }
    run.RunAll();
    SCHED_CHECK(counter == got && got >= 1);
    SCHED_CHECK(Try(mutex));
    Give(mutex);
  });
}

TEST(MutexTest, ManyThreadsForReal) {
  Mutex mutex(0);
  int counter = 0;
  std::vector<Thread> threads(8);
  for (Thread& thread : threads) {
    ASSERT_TRUE(thread.Start([&] {
      for (int i = 0; i < 5000; ++i) {
        MutexLock lock(&mutex);
        ++counter;
      }
    }));
  }
  for (Thread& thread : threads) thread.Join();
  EXPECT_EQ(counter, 40000);
}

TEST(EventTest, SetAndReset) {
  Event event(0);
  EXPECT_FALSE(event.IsSet());
  EXPECT_FALSE(event.WaitUntil(MonotonicNs() + 1000000));
  event.Set();
  event.Set();
  EXPECT_TRUE(event.IsSet());
  event.Wait();
  EXPECT_TRUE(event.WaitUntil(0));
  event.Reset();
  EXPECT_FALSE(event.WaitUntil(0));
}

TEST(EventTest, WaitersSeeWhatTheSetterWrote) {
  auto body = [](SchedRun& run) {
    Event event(0);
    int data = 0;
    for (int i = 0; i < 2; ++i) {
      run.Spawn([&] {
        event.Wait();
        SCHED_CHECK(data == 1);
      });
    }
    run.Spawn([&] {
      data = 1;
      event.Set();
    });
    run.RunAll();
  };
  ExpectOk(Exhaustive(2), body);
  ExpectOk(Random(1000), body);
}

// A queue of one place between two threads.
void OnePlace(SchedRun& run, int items) {
  Mutex mutex(0);
  CondVar changed(0);
  int place = 0, received = 0;
  run.Spawn([&] {
    for (int i = 1; i <= items; ++i) {
      MutexLock lock(&mutex);
      while (place != 0) changed.Wait(&mutex);
      place = i;
      changed.Signal();
    }
  });
  run.Spawn([&] {
    for (int i = 1; i <= items; ++i) {
      MutexLock lock(&mutex);
      while (place == 0) changed.Wait(&mutex);
      SCHED_CHECK(place == i);
      received += place;
      place = 0;
      changed.Signal();
    }
  });
  run.RunAll();
  SCHED_CHECK(received == items * (items + 1) / 2);
}

TEST(CondVarTest, OnePlaceQueue) {
  ExpectOk(Exhaustive(2), [](SchedRun& run) { OnePlace(run, 1); });
  ExpectOk(Random(1000), [](SchedRun& run) { OnePlace(run, 3); });
}

TEST(CondVarTest, BroadcastWakesAll) {
  ExpectOk(Random(1000), [](SchedRun& run) {
    Mutex mutex(0);
    CondVar changed(0);
    bool open = false;
    int through = 0;
    for (int i = 0; i < 3; ++i) {
      run.Spawn([&] {
        MutexLock lock(&mutex);
        while (!open) changed.Wait(&mutex);
        ++through;
      });
    }
    run.Spawn([&] {
      MutexLock lock(&mutex);
      open = true;
      changed.Broadcast();
    });
    run.RunAll();
    SCHED_CHECK(through == 3);
  });
}

TEST(CondVarTest, DeadlinePasses) {
  Mutex mutex(0);
  CondVar changed(0);
  MutexLock lock(&mutex);
  EXPECT_FALSE(changed.WaitUntil(&mutex, MonotonicNs() + 1000000));
  EXPECT_TRUE(mutex.IsLocked());
}

TEST(ParkingLotTest, InvalidDoesNotSleep) {
  int word = 0;
  EXPECT_EQ(ParkingLot::Park(&word, [] { return false; }),
            ParkResult::kInvalid);
  EXPECT_EQ(ParkingLot::UnparkAll(&word), 0u);
}

TEST(ParkingLotTest, DeadlinePasses) {
  int word = 0;
  EXPECT_EQ(ParkingLot::Park(&word, [] { return true; }, MonotonicNs() + 1000),
            ParkResult::kTimedOut);
  bool found = true;
  ParkingLot::UnparkOne(&word, [&](UnparkResult r) { found = r.unparked; });
  EXPECT_FALSE(found);  // the node left the queue
}

// Waiters are taken in the order in which they came, each exactly once, also
// when deadlines pass at the same time (P1): wake-ups sent = wake-ups received.
TEST(ParkingLotTest, WakeUpsAreNotLost) {
  ExpectOk(Random(2000), [](SchedRun& run) {
    int word = 0;
    Atomic<int> sent(0), received(0);
    for (int i = 0; i < 3; ++i) {
      run.Spawn([&, i] {
        uint64_t deadline = i == 0 ? MonotonicNs() + 100 : kNoDeadline;
        // Released by the last thread at the latest.
        ParkResult result =
            ParkingLot::Park(&word, [&] { return word == 0; }, deadline);
        if (result == ParkResult::kUnparked) received.fetch_add(1, kRelaxed);
      });
    }
    run.Spawn([&] {
      bool more = true;
      while (more) {
        ParkingLot::UnparkOne(&word, [&](UnparkResult result) {
          if (result.unparked) sent.fetch_add(1, kRelaxed);
          more = result.more_waiters;
          if (!more) word = 1;  // under the bucket's lock: nobody parks now
        });
      }
    });
    run.RunAll();
    SCHED_CHECK(sent.load(kRelaxed) == received.load(kRelaxed));
  });
}

// Addresses that share a bucket do not disturb each other.
TEST(ParkingLotTest, ManyAddressesForReal) {
  constexpr int kThreads = 16;
  struct Cell {
    Event event{0};
    Event back{0};
  };
  std::vector<std::unique_ptr<Cell>> cells;
  for (int i = 0; i < kThreads; ++i) cells.push_back(std::make_unique<Cell>());
  std::vector<Thread> threads(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    ASSERT_TRUE(threads[i].Start([&cells, i] {
      cells[i]->event.Wait();
      cells[i]->back.Set();
    }));
  }
  for (int i = kThreads - 1; i >= 0; --i) {
    cells[i]->event.Set();
    EXPECT_TRUE(cells[i]->back.WaitUntil(MonotonicNs() + 20000000000));
  }
  for (Thread& thread : threads) thread.Join();
}

// In a forked child the waiters' threads are gone, and a bucket may have been
// locked by one of them.
TEST(ParkingLotTest, ForgetsWaitersAfterFork) {
  if (TIDEPOOL_TSAN) GTEST_SKIP() << "fork with threads";
  Event event(0), started(0);
  Thread waiter;
  ASSERT_TRUE(waiter.Start([&] {
    started.Set();
    event.Wait();
  }));
  started.Wait();
  RealOs()->SleepNs(2000000);  // it is parked by now, probably
  pid_t child = fork();
  if (child == 0) {
    ParkingLot::ResetAfterFork();
    bool none = ParkingLot::UnparkAll(&event) == 0;
    Mutex mutex(0);
    mutex.Lock();
    bool timed_out = !mutex.LockFor(MonotonicNs() + 1000000);
    mutex.Unlock();
    _exit(none && timed_out ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  event.Set();
  waiter.Join();
}

}  // namespace
}  // namespace tidepool
