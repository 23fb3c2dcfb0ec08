// Costs of the heap's paths, one thread and two: nanoseconds per block.
#include <vector>

#include "benchmark/benchmark.h"
#include "tidepool/allocator/heap_domain.h"

namespace tidepool {
namespace {

struct World {
  World() : domain(std::move(*HeapDomain::Create(Options()))) {
    mine = domain->NewThread();
    mine->Attach();
    other = domain->NewThread();
    other->Attach();
  }
  ~World() {
    domain->ExitThread(mine);
    domain->ExitThread(other);
  }
  std::unique_ptr<HeapDomain> domain;
  ThreadHeap* mine;
  ThreadHeap* other;
};

void BM_Lifo(benchmark::State& state) {
  World world;
  size_t size = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    void* p = world.mine->Allocate(HeapKind::kRaw, size);
    benchmark::DoNotOptimize(p);
    world.mine->Free(p);
  }
}
BENCHMARK(BM_Lifo)->Arg(48)->Arg(1000)->Arg(8192)->Arg(65536)->Arg(1 << 20);

void Batch(benchmark::State& state, bool foreign) {
  World world;
  std::vector<void*> blocks(20000);
  ThreadHeap* freeing = foreign ? world.other : world.mine;
  for (auto _ : state) {
    for (void*& p : blocks) p = world.mine->Allocate(HeapKind::kGc, 64);
    for (void* p : blocks) freeing->Free(p);
    freeing->Safepoint();
  }
  state.SetItemsProcessed(state.iterations() * 20000);
}
void BM_OwnFrees(benchmark::State& state) { Batch(state, false); }
void BM_ForeignFrees(benchmark::State& state) { Batch(state, true); }
BENCHMARK(BM_OwnFrees);
BENCHMARK(BM_ForeignFrees);

void BM_Zeroed(benchmark::State& state) {
  World world;
  size_t size = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    void* p = world.mine->AllocateZeroed(HeapKind::kRaw, size);
    benchmark::DoNotOptimize(p);
    world.mine->Free(p);
  }
}
BENCHMARK(BM_Zeroed)->Arg(64)->Arg(4096)->Arg(1 << 20);

void BM_DetachAttach(benchmark::State& state) {
  World world;
  for (auto _ : state) {
    world.mine->Detach();
    world.mine->Attach();
  }
}
BENCHMARK(BM_DetachAttach);

void BM_Safepoint(benchmark::State& state) {
  World world;
  for (auto _ : state) world.mine->Safepoint();
}
BENCHMARK(BM_Safepoint);

void BM_Stats(benchmark::State& state) {
  World world;
  std::vector<void*> blocks;
  for (int i = 0; i < 500000; ++i) {
    blocks.push_back(world.mine->Allocate(HeapKind::kGc, 64 + i % 100));
  }
  for (auto _ : state) benchmark::DoNotOptimize(world.domain->GetStats());
  for (void* p : blocks) world.mine->Free(p);
}
BENCHMARK(BM_Stats);

}  // namespace
}  // namespace tidepool
