// Threads start while others stop the world all the time (python/cpython#148953):
// more threads than the first chunks of QSBR slots hold, so that the slot list
// grows again and again. Growth needs no stop, so nothing can hang; a start is
// delayed by a stop at most.
#include <stdlib.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/event.h"
#include "tidepool/base/os.h"
#include "tidepool/base/thread.h"
#include "tidepool/object/isolate.h"

namespace tidepool {
namespace {

uint64_t DurationNs() {
  const char* seconds = getenv("TIDEPOOL_TEST_SECONDS");
  uint64_t n = seconds != nullptr ? strtoull(seconds, nullptr, 10) : 1;
  return (n == 0 ? 1 : n) * 1000000000;
}

TEST(ThreadGrowthTest, StartsDuringStops) {
  Options options;
  options.arena_reserve = 64 << 20;
  auto made = Isolate::Create(options);
  ASSERT_TRUE(made.ok());
  Isolate* isolate = made->get();
  Atomic<int> stop(0);
  Atomic<uint64_t> stops(0);

  std::vector<Thread> stoppers(4);
  for (Thread& thread : stoppers) {
    ASSERT_TRUE(thread.Start([&] {
      ThreadState* ts = isolate->AttachThread("stopper");
      ASSERT_NE(ts, nullptr);
      while (stop.load(kRelaxed) == 0) {
        isolate->StopTheWorld(ts);
        isolate->StartTheWorld(ts);
        stops.fetch_add(1, kRelaxed);
        ts->Safepoint();
        BlockingScope scope(ts);
        RealOs()->SleepNs(100000);
      }
      isolate->LeaveThread(ts);
    }));
  }

  // Waves of visitors who stay (blocked) until the last has come, so that each
  // needs a slot of its own.
  constexpr size_t kWave = 400;
  std::vector<uint64_t> delays;
  const uint64_t end = MonotonicNs() + DurationNs();
  do {
    Event leave(0);
    std::vector<Thread> visitors(kWave);
    for (Thread& visitor : visitors) {
      Event attached(0);
      const uint64_t start = MonotonicNs();
      ASSERT_TRUE(visitor.Start(
          [&] {
            ThreadState* ts = isolate->AttachThread("visitor");
            ASSERT_NE(ts, nullptr);
            attached.Set();
            {
              BlockingScope scope(ts);
              leave.Wait();
            }
            isolate->LeaveThread(ts);
          },
          256 << 10));
      attached.Wait();
      delays.push_back(MonotonicNs() - start);
    }
    EXPECT_GE(isolate->heap().qsbr().capacity(), kWave);
    leave.Set();
    for (Thread& visitor : visitors) visitor.Join();
  } while (MonotonicNs() < end);
  stop.store(1, kRelaxed);
  for (Thread& thread : stoppers) thread.Join();

  std::sort(delays.begin(), delays.end());
  const uint64_t late = delays[delays.size() * 99 / 100];
  RecordProperty("threads", static_cast<int>(delays.size()));
  RecordProperty("p99_start_us", static_cast<int>(late / 1000));
  RecordProperty("stops", static_cast<int>(stops.load(kRelaxed)));
  EXPECT_GT(stops.load(kRelaxed), 0u);
  EXPECT_EQ(isolate->thread_count(), 0u);
  EXPECT_EQ(isolate->heap().qsbr().registered(), 0u);
  // 20 ms on a machine of its own; a shared one may take a thread's processor
  // away for longer.
  EXPECT_LT(late, 1000000000u);
}

}  // namespace
}  // namespace tidepool
