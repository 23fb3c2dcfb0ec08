// Blocks with pages of their own, realloc that grows, and what purge policies cost a
// program that uses its memory again and again.
#include <cstring>
#include <vector>

#include "benchmark/benchmark.h"
#include "tidepool/allocator/heap_domain.h"

namespace tidepool {
namespace {

struct World {
  explicit World(const Options& options = Options())
      : domain(std::move(*HeapDomain::Create(options))), heap(domain->NewThread()) {
    heap->Attach();
  }
  ~World() { domain->ExitThread(heap); }
  std::unique_ptr<HeapDomain> domain;
  ThreadHeap* heap;
};

// Touches each OS page, and not always the same cache line of it: those 4 KiB apart fall
// into a sixty-fourth of a cache's sets, and 256 MiB would be slow for that alone.
void Touch(char* p, size_t size) {
  for (size_t i = 0; i < size; i += 4096) p[i + i / 64 % 4096] = 1;
}

// Made, each OS page touched, freed. MiB is the argument: the rate must not fall off
// anywhere between two sizes.
void BM_Large(benchmark::State& state) {
  World world;
  size_t size = static_cast<size_t>(state.range(0)) << 20;
  auto turn = [&] {
    char* p = static_cast<char*>(world.heap->Allocate(HeapKind::kRaw, size));
    Touch(p, size);
    world.heap->Free(p);
  };
  turn();  // the first faults are not what is measured here
  for (auto _ : state) turn();
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(size));
}
BENCHMARK(BM_Large)->Arg(1)->Arg(2)->Arg(4)->Arg(8)->Arg(16)->Arg(31)->Arg(32)
    ->Arg(33)->Arg(64)->Arg(128)->Arg(256);

// The same memory after a purge: faults included.
void BM_LargeFresh(benchmark::State& state) {
  World world;
  size_t size = static_cast<size_t>(state.range(0)) << 20;
  for (auto _ : state) {
    char* p = static_cast<char*>(world.heap->Allocate(HeapKind::kRaw, size));
    Touch(p, size);
    world.heap->Free(p);
    world.domain->Purge();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<int64_t>(size));
}
BENCHMARK(BM_LargeFresh)->Arg(1)->Arg(4)->Arg(16)->Arg(64);

// From nothing to 16 MiB, an eighth at a time, as a list grows.
void BM_ReallocGrowth(benchmark::State& state) {
  World world;
  for (auto _ : state) {
    void* p = nullptr;
    for (size_t size = 64; size <= (16 << 20); size += size / 8 + 48) {
      p = world.heap->Reallocate(p, size);
      static_cast<char*>(p)[size - 1] = 1;
    }
    world.heap->Free(p);
  }
}
BENCHMARK(BM_ReallocGrowth);

// Eight bytes at a time, to 64 KiB.
void BM_ReallocByEight(benchmark::State& state) {
  World world;
  for (auto _ : state) {
    void* p = nullptr;
    for (size_t size = 8; size <= (64 << 10); size += 8) {
      p = world.heap->Reallocate(p, size);
    }
    world.heap->Free(p);
  }
  state.SetItemsProcessed(state.iterations() * 8192);
}
BENCHMARK(BM_ReallocByEight);

// 24 MiB of small and big blocks, made, written and freed in each turn, under a policy:
// low_water is to cost at most 3 % more than never.
void BM_Reuse(benchmark::State& state, PurgePolicyKind policy) {
  Options options;
  options.purge_policy = policy;
  World world(options);
  std::vector<void*> blocks;
  for (auto _ : state) {
    for (size_t i = 0; i < 80000; ++i) {
      size_t size = 32 + i % 16 * 32;
      void* p = world.heap->Allocate(HeapKind::kGc, size);
      memset(static_cast<char*>(p) + 24, 1, size - 24);
      blocks.push_back(p);
    }
    for (size_t i = 0; i < 4; ++i) {
      void* p = world.heap->Allocate(HeapKind::kRaw, 800000);
      memset(p, 1, 800000);
      blocks.push_back(p);
    }
    for (void* p : blocks) world.heap->Free(p);
    blocks.clear();
    world.heap->Safepoint();
  }
  state.counters["purged_MiB"] =
      static_cast<double>(world.domain->GetStats().purged >> 20);
}
BENCHMARK_CAPTURE(BM_Reuse, never, PurgePolicyKind::kNever);
BENCHMARK_CAPTURE(BM_Reuse, low_water, PurgePolicyKind::kLowWater);
BENCHMARK_CAPTURE(BM_Reuse, delayed, PurgePolicyKind::kDelayed);
BENCHMARK_CAPTURE(BM_Reuse, bounded, PurgePolicyKind::kBounded);
BENCHMARK_CAPTURE(BM_Reuse, immediate, PurgePolicyKind::kImmediate);

}  // namespace
}  // namespace tidepool
