// Does the scheduler find what it should, and repeat it?
//
// Small programs with known bugs: each must be found in the modes that can,
// the replay string must bring it back, and correct versions must pass. In
// builds without the scheduler only the correct ones run.
#include "tidepool/base/sched.h"

#include <pthread.h>

#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/event.h"
#include "tidepool/base/mutex.h"
#include "tidepool/base/os.h"
#include "tidepool/base/spin.h"
#include "tidepool/base/thread.h"
#include "tidepool/base/thread_id.h"

namespace tidepool::sched {
namespace {

SchedOptions Random(uint64_t iterations = 500) {
  SchedOptions options;
  options.iterations = iterations;
  return options;
}

[[maybe_unused]] SchedOptions Exhaustive(int preemptions) {
  SchedOptions options;
  options.mode = Mode::kExhaustive;
  options.max_preemptions = preemptions;
  return options;
}

[[maybe_unused]] SchedOptions Replay(const std::string& text) {
  SchedOptions options;
  options.mode = Mode::kReplay;
  options.replay = text;
  return options;
}

// Two increments made of a load and a store each.
[[maybe_unused]] void LostUpdate(SchedRun& run) {
  Atomic<int> counter(0);
  for (int i = 0; i < 2; ++i) {
    run.Spawn([&] {
      int value = counter.load(kRelaxed);
      counter.store(value + 1, kRelaxed);
    });
  }
  run.RunAll();
  SCHED_CHECK(counter.load(kRelaxed) == 2);
}

void AtomicUpdate(SchedRun& run) {
  Atomic<int> counter(0);
  for (int i = 0; i < 2; ++i) {
    run.Spawn([&] { counter.fetch_add(1, kRelaxed); });
  }
  run.RunAll();
  SCHED_CHECK(counter.load(kRelaxed) == 2);
}

// Takes two locks in either order.
[[maybe_unused]] void TwoLocks(SchedRun& run) {
  Mutex a(0), b(0);
  run.Spawn([&] {
    MutexLock first(&a);
    MutexLock second(&b);
  });
  run.Spawn([&] {
    MutexLock first(&b);
    MutexLock second(&a);
  });
  run.RunAll();
}

TEST(SchedTest, CorrectCodePasses) {
  SchedResult result = Explore(Random(), AtomicUpdate);
  EXPECT_TRUE(result.ok) << result.message;
  EXPECT_GT(result.runs, 0u);
}

TEST(SchedTest, NamesTheBuild) {
#ifdef TIDEPOOL_SCHED
  EXPECT_TRUE(kEnabled);
#else
  EXPECT_FALSE(kEnabled);
#endif
}

TEST(SchedTest, TimeIsVirtual) {
  SchedResult result = Explore(Random(20), [](SchedRun& run) {
    run.Spawn([] {
      uint64_t start = MonotonicNs();
      RealOs()->SleepNs(kEnabled ? 3600ull * 1000000000 : 1000);
      SCHED_CHECK(MonotonicNs() - start >= 1000);
    });
    run.RunAll();
  });
  EXPECT_TRUE(result.ok) << result.message;
}

TEST(SchedTest, SeveralRoundsOfThreads) {
  SchedResult result = Explore(Random(50), [](SchedRun& run) {
    Atomic<int> counter(0);
    for (int round = 1; round <= 3; ++round) {
      run.Spawn([&] { counter.fetch_add(1, kRelaxed); });
      run.RunAll();
      SCHED_CHECK(counter.load(kRelaxed) == round);
    }
  });
  EXPECT_TRUE(result.ok) << result.message;
}

#ifdef TIDEPOOL_SCHED

TEST(SchedTest, RandomFindsALostUpdate) {
  SchedResult result = Explore(Random(), LostUpdate);
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.message.find("check failed"), std::string::npos);
}

TEST(SchedTest, ExhaustiveFindsALostUpdateWithOnePreemption) {
  EXPECT_TRUE(Explore(Exhaustive(0), LostUpdate).ok);
  EXPECT_FALSE(Explore(Exhaustive(1), LostUpdate).ok);
}

TEST(SchedTest, ExhaustiveIsCompleteOnCorrectCode) {
  SchedResult result = Explore(Exhaustive(3), AtomicUpdate);
  EXPECT_TRUE(result.ok) << result.message;
  EXPECT_TRUE(result.complete);
  EXPECT_LT(result.runs, 100u);
}

// Two threads of n segments each have (2n)! / (n! n!) interleavings; without a
// bound on preemptions every one must come up, and each once.
TEST(SchedTest, ExhaustiveEnumeratesAllInterleavings) {
  std::set<std::string> seen;
  SchedResult result = Explore(Exhaustive(100), [&](SchedRun& run) {
    Atomic<int> word(0);
    std::string order;
    for (int t = 0; t < 2; ++t) {
      run.Spawn([&, t] {
        for (int i = 0; i < 3; ++i) {
          word.load(kRelaxed);
          order += static_cast<char>('a' + t);
        }
      });
    }
    run.RunAll();
    seen.insert(order);
  });
  EXPECT_TRUE(result.complete);
  // Each thread is four segments (before its first step, after each step), and
  // every order of the eight segments is run once.
  EXPECT_EQ(seen.size(), 20u);
  EXPECT_EQ(result.runs, 70u);
}

TEST(SchedTest, ReplayRepeatsAFailure) {
  for (SchedOptions options : {Random(), Exhaustive(2)}) {
    SchedResult found = Explore(options, LostUpdate);
    ASSERT_FALSE(found.ok);
    SchedResult again = Explore(Replay(found.replay), LostUpdate);
    EXPECT_FALSE(again.ok);
    EXPECT_EQ(again.runs, 1u);
  }
}

TEST(SchedTest, LongRunsReplayBySeed) {
  // Fails when the threads took turns more than a hundred times.
  auto body = [](SchedRun& run) {
    Atomic<int> word(0);
    int last = -1, turns = 0;
    for (int t = 0; t < 2; ++t) {
      run.Spawn([&, t] {
        for (int i = 0; i < 200; ++i) {
          word.load(kRelaxed);
          turns += last != t;
          last = t;
        }
      });
    }
    run.RunAll();
    SCHED_CHECK(turns <= 100);
  };
  SchedResult found = Explore(Random(), body);
  ASSERT_FALSE(found.ok);
  ASSERT_EQ(found.replay.rfind("random:", 0), 0u) << found.replay;
  EXPECT_FALSE(Explore(Replay(found.replay), body).ok);
}

TEST(SchedTest, SameSeedSameRuns) {
  auto trace = [](uint64_t seed) {
    std::string order;
    SchedOptions options = Random(30);
    options.seed = seed;
    Explore(options, [&](SchedRun& run) {
      Atomic<int> word(0);
      for (int t = 0; t < 3; ++t) {
        run.Spawn([&, t] {
          for (int i = 0; i < 5; ++i) {
            word.fetch_add(1, kRelaxed);
            order += static_cast<char>('a' + t);
          }
        });
      }
      run.RunAll();
    });
    return order;
  };
  EXPECT_EQ(trace(7), trace(7));
  EXPECT_NE(trace(7), trace(8));
}

TEST(SchedTest, FindsADeadlock) {
  SchedResult result = Explore(Exhaustive(1), TwoLocks);
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.message.find("deadlock"), std::string::npos)
      << result.message;
  EXPECT_FALSE(Explore(Random(), TwoLocks).ok);
}

TEST(SchedTest, FindsALivelock) {
  SchedOptions options = Random(1);
  options.max_steps = 5000;
  SchedResult result = Explore(options, [](SchedRun& run) {
    Atomic<int> word(0);
    run.Spawn([&] {
      while (word.load(kRelaxed) == 0) SpinPause();
    });
    run.RunAll();
  });
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.message.find("livelock"), std::string::npos);
}

TEST(SchedTest, SpinningWaitsForTheOther) {
  for (SchedOptions options : {Random(), Exhaustive(2)}) {
    SchedResult result = Explore(options, [](SchedRun& run) {
      Atomic<int> word(0);
      run.Spawn([&] {
        while (word.load(kAcquire) == 0) SpinPause();
      });
      run.Spawn([&] { word.store(1, kRelease); });
      run.RunAll();
    });
    EXPECT_TRUE(result.ok) << result.message;
  }
}

// A deadline may pass although the event comes soon: both results happen.
TEST(SchedTest, DeadlinesPassEarlyAndLate) {
  int in_time = 0, late = 0;
  SchedResult result = Explore(Exhaustive(2), [&](SchedRun& run) {
    Event event(0);
    run.Spawn([&] {
      bool set = event.WaitUntil(MonotonicNs() + 1000000000);
      ++(set ? in_time : late);
    });
    run.Spawn([&] { event.Set(); });
    run.RunAll();
  });
  EXPECT_TRUE(result.ok) << result.message;
  EXPECT_GT(in_time, 0);
  EXPECT_GT(late, 0);
}

TEST(SchedTest, StartedThreadsAreControlled) {
  SchedResult result = Explore(Exhaustive(2), [](SchedRun& run) {
    int shared = 0;  // plain: the schedule alone orders it
    run.Spawn([&] {
      Mutex mutex(0);
      Thread child;
      SCHED_CHECK(child.Start([&] {
        MutexLock lock(&mutex);
        ++shared;
      }));
      {
        MutexLock lock(&mutex);
        ++shared;
      }
      child.Join();
      SCHED_CHECK(shared == 2);
    });
    run.RunAll();
  });
  EXPECT_TRUE(result.ok) << result.message;
  EXPECT_TRUE(result.complete);
}

TEST(SchedTest, ThreadIdsRepeatAndAreUsedAgain) {
  std::set<uint64_t> first_ids, second_ids;
  Explore(Random(10), [&](SchedRun& run) {
    run.Spawn([&] {
      first_ids.insert(CurrentTid());
      Thread a;
      uint64_t a_id = 0, b_id = 0;
      SCHED_CHECK(a.Start([&] { a_id = CurrentTid(); }));
      a.Join();
      Thread b;
      SCHED_CHECK(b.Start([&] { b_id = CurrentTid(); }));
      b.Join();
      SCHED_CHECK(a_id == b_id && a_id != CurrentTid());
      second_ids.insert(a_id);
    });
    run.RunAll();
  });
  EXPECT_EQ(first_ids.size(), 1u);
  EXPECT_EQ(second_ids.size(), 1u);
}

// Thread-local destructors run under the scheduler, so exits interleave.
TEST(SchedTest, ExitsInterleave) {
  static Atomic<int> counter;
  static pthread_key_t key;
  ASSERT_EQ(pthread_key_create(&key,
                               [](void*) {
                                 int value = counter.load(kRelaxed);
                                 counter.store(value + 1, kRelaxed);
                               }),
            0);
  SchedResult result = Explore(Exhaustive(1), [](SchedRun& run) {
    counter.store(0, kRelaxed);
    for (int i = 0; i < 2; ++i) {
      run.Spawn([] { pthread_setspecific(key, &counter); });
    }
    run.RunAll();
    SCHED_CHECK(counter.load(kRelaxed) == 2);
  });
  pthread_key_delete(key);
  EXPECT_FALSE(result.ok);
}

// Where preemption is off the lost update cannot happen, and parking still works.
TEST(SchedTest, NoPreemptionKeepsTheBaton) {
  SchedResult result = Explore(Exhaustive(3), [](SchedRun& run) {
    Atomic<int> counter(0);
    Event event(0);
    for (int i = 0; i < 2; ++i) {
      run.Spawn([&, i] {
        NoPreemption scope;
        if (i == 0) event.Wait();
        int value = counter.load(kRelaxed);
        counter.store(value + 1, kRelaxed);
        event.Set();
      });
    }
    run.RunAll();
    SCHED_CHECK(counter.load(kRelaxed) == 2);
  });
  EXPECT_TRUE(result.ok) << result.message;
  EXPECT_TRUE(result.complete);
  EXPECT_LT(result.runs, 10u);
}

TEST(SchedTest, NotesAreInTheMessage) {
  SchedResult result = Explore(Random(), [](SchedRun& run) {
    run.Spawn([] {
      Note("value %d", 42);
      SCHED_CHECK(false);
    });
    run.RunAll();
  });
  EXPECT_FALSE(result.ok);
  EXPECT_NE(result.message.find("T0: value 42"), std::string::npos)
      << result.message;
}

#endif  // TIDEPOOL_SCHED

}  // namespace
}  // namespace tidepool::sched
