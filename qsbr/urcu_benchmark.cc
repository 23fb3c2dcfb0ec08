// liburcu's QSBR flavour, in the same measures as qsbr_benchmark.cc, to be run beside it.
// Its read side is inlined (_LGPL_SOURCE). Needs Debian's liburcu-dev; nothing else in the
// tree does, so `bazel build //...` leaves it out.
#define _LGPL_SOURCE
#define URCU_API_MAP
#include <urcu/urcu-qsbr.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "benchmark/benchmark.h"

namespace {

struct Registered {
  Registered() { rcu_register_thread(); }
  ~Registered() { rcu_unregister_thread(); }
};

void BM_QuiesceIdle(benchmark::State& state) {
  Registered registered;
  for (auto _ : state) {
    rcu_quiescent_state();
    benchmark::ClobberMemory();
  }
}
BENCHMARK(BM_QuiesceIdle);

void BM_AttachDetach(benchmark::State& state) {
  Registered registered;
  rcu_thread_offline();
  for (auto _ : state) {
    rcu_thread_online();
    rcu_thread_offline();
  }
  rcu_thread_online();
}
BENCHMARK(BM_AttachDetach);

void BM_ReadSection(benchmark::State& state) {
  Registered registered;
  static long value = 1;
  static long* shared = &value;
  for (auto _ : state) {
    rcu_read_lock();
    benchmark::DoNotOptimize(*rcu_dereference(shared));
    rcu_read_unlock();
  }
}
BENCHMARK(BM_ReadSection);

struct Node {
  rcu_head head;
  char rest[48];
};

// With what the library's own thread does at the same time left out of the time; its
// backlog has no bound.
void BM_DeferredFree(benchmark::State& state) {
  Registered registered;
  for (auto _ : state) {
    Node* node = static_cast<Node*>(malloc(sizeof(Node)));
    call_rcu(&node->head, [](rcu_head* head) { free(head); });
    rcu_quiescent_state();
  }
  rcu_barrier();
}
BENCHMARK(BM_DeferredFree);

void BM_GracePeriod(benchmark::State& state) {
  std::atomic<bool> stop(false);
  std::thread other([&] {
    Registered registered;
    while (!stop.load(std::memory_order_relaxed)) rcu_quiescent_state();
  });
  {
    Registered registered;
    for (auto _ : state) synchronize_rcu();
  }
  stop.store(true);
  other.join();
}
BENCHMARK(BM_GracePeriod);

}  // namespace
