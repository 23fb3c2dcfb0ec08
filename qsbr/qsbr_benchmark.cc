// What QSBR costs: a quiescent state, coming online, a poll over many slots, and
// deferred frees.
#include <vector>

#include "benchmark/benchmark.h"
#include "tidepool/base/os.h"
#include "tidepool/base/thread.h"
#include "tidepool/qsbr/limbo.h"
#include "tidepool/qsbr/qsbr.h"

namespace tidepool {
namespace {

// Nothing was retired since the last time: the case of nearly every safepoint.
void BM_QuiesceIdle(benchmark::State& state) {
  QsbrDomain domain(RealOs());
  QsbrSlot* slot = domain.Register();
  domain.Attach(slot);
  for (auto _ : state) {
    domain.Quiesce(slot);
    benchmark::ClobberMemory();
  }
  domain.Detach(slot);
  domain.Unregister(slot);
}
BENCHMARK(BM_QuiesceIdle);

void BM_AdvanceAndQuiesce(benchmark::State& state) {
  QsbrDomain domain(RealOs());
  QsbrSlot* slot = domain.Register();
  domain.Attach(slot);
  for (auto _ : state) {
    domain.Advance();
    domain.Quiesce(slot);
  }
  domain.Detach(slot);
  domain.Unregister(slot);
}
BENCHMARK(BM_AdvanceAndQuiesce);

void BM_AttachDetach(benchmark::State& state) {
  QsbrDomain domain(RealOs());
  QsbrSlot* slot = domain.Register();
  for (auto _ : state) {
    domain.Attach(slot);
    domain.Detach(slot);
  }
  domain.Unregister(slot);
}
BENCHMARK(BM_AttachDetach);

// Two loads under an attached slot: nothing is paid for reading.
void BM_ReadSection(benchmark::State& state) {
  QsbrDomain domain(RealOs());
  QsbrSlot* slot = domain.Register();
  domain.Attach(slot);
  static long value = 1;
  static Atomic<long*> shared(&value);
  for (auto _ : state) benchmark::DoNotOptimize(*shared.load(kAcquire));
  domain.Detach(slot);
  domain.Unregister(slot);
}
BENCHMARK(BM_ReadSection);

// A poll that has to look at every slot: all attached, none behind, and a goal
// that nobody has advanced to.
void BM_PollScan(benchmark::State& state) {
  QsbrDomain domain(RealOs());
  std::vector<QsbrSlot*> slots;
  for (int64_t i = 0; i < state.range(0); ++i) {
    slots.push_back(domain.Register());
    domain.Attach(slots.back());
  }
  Seq goal = domain.Goal();
  for (auto _ : state) benchmark::DoNotOptimize(domain.Poll(goal));
  for (QsbrSlot* slot : slots) {
    domain.Detach(slot);
    domain.Unregister(slot);
  }
}
BENCHMARK(BM_PollScan)->Arg(2)->Arg(64)->Arg(1024)->Arg(8192);

// The reader that was late at the last scan is late still.
void BM_PollLate(benchmark::State& state) {
  QsbrDomain domain(RealOs());
  QsbrSlot* slot = domain.Register();
  domain.Attach(slot);
  Seq goal = domain.Advance();
  for (auto _ : state) benchmark::DoNotOptimize(domain.Poll(goal));
  domain.Detach(slot);
  domain.Unregister(slot);
}
BENCHMARK(BM_PollLate);

// A poll whose answer is known from an earlier scan.
void BM_PollKnown(benchmark::State& state) {
  QsbrDomain domain(RealOs());
  Seq goal = domain.Advance();
  domain.Poll(goal);
  for (auto _ : state) benchmark::DoNotOptimize(domain.Poll(goal));
}
BENCHMARK(BM_PollKnown);

// Retire, pass a safepoint, free when due: one thread's share of the work.
void BM_DeferredFree(benchmark::State& state) {
  QsbrDomain domain(RealOs());
  QsbrSlot* slot = domain.Register();
  domain.Attach(slot);
  Limbo limbo;
  void* ring[256][8];
  size_t next = 0;
  auto free_fn = [](void*, void*) -> size_t { return 64; };
  for (auto _ : state) {
    limbo.Push(ring[next++ % 256], 64, domain.Goal());
    domain.Quiesce(slot);
    if (next % 128 == 0) limbo.Drain(domain, free_fn, nullptr);
  }
  limbo.DrainAll(free_fn, nullptr);
  domain.Detach(slot);
  domain.Unregister(slot);
}
BENCHMARK(BM_DeferredFree);

// The time until a goal is reached, with another thread at safepoints all the
// time.
void BM_GracePeriod(benchmark::State& state) {
  QsbrDomain domain(RealOs());
  Atomic<int> stop(0);
  Thread other;
  if (!other.Start([&] {
        QsbrSlot* slot = domain.Register();
        domain.Attach(slot);
        while (stop.load(kRelaxed) == 0) domain.Quiesce(slot);
        domain.Detach(slot);
        domain.Unregister(slot);
      })) {
    state.SkipWithError("no thread");
    return;
  }
  for (auto _ : state) {
    Seq goal = domain.Advance();
    while (!domain.Poll(goal)) {
    }
  }
  stop.store(1, kRelaxed);
  other.Join();
}
BENCHMARK(BM_GracePeriod);

}  // namespace
}  // namespace tidepool
