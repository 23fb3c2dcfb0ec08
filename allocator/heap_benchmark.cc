// Costs of the heap's paths, one thread and two: nanoseconds per block.
//
// The same patterns as the peers are measured by (tools/internal/small_object.cc, through
// malloc); here they run on a heap directly, with its kinds. Large blocks, realloc and
// purging: large_benchmark.cc.
#include <algorithm>
#include <random>
#include <vector>

#include "benchmark/benchmark.h"
#include "tidepool/allocator/heap_domain.h"
#include "tidepool/base/thread.h"

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

// Both ends of a block, as whoever gets it writes.
void Touch(void* p, size_t size) {
  static_cast<volatile char*>(p)[0] = 1;
  static_cast<volatile char*>(p)[size - 1] = 1;
}

void BM_Lifo(benchmark::State& state) {
  World world;
  size_t size = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    void* p = world.mine->Allocate(HeapKind::kRaw, size);
    Touch(p, size);
    world.mine->Free(p);
  }
}
BENCHMARK(BM_Lifo)->Arg(48)->Arg(1000)->Arg(8192)->Arg(65536);

// 1,000 blocks are made, then freed in the same order.
void BM_Fifo(benchmark::State& state) {
  World world;
  size_t size = static_cast<size_t>(state.range(0));
  std::vector<void*> blocks(1000);
  for (auto _ : state) {
    for (void*& p : blocks) {
      p = world.mine->Allocate(HeapKind::kRaw, size);
      Touch(p, size);
    }
    for (void* p : blocks) world.mine->Free(p);
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(BM_Fifo)->Arg(48)->Arg(64)->Arg(256);

// 100,000 blocks, freed in random order.
void BM_RandomFree(benchmark::State& state) {
  World world;
  std::vector<void*> blocks(100000);
  std::vector<uint32_t> order(blocks.size());
  for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(1));
  for (auto _ : state) {
    for (void*& p : blocks) {
      p = world.mine->Allocate(HeapKind::kGc, 64);
      Touch(p, 64);
    }
    for (uint32_t i : order) world.mine->Free(blocks[i]);
  }
  state.SetItemsProcessed(state.iterations() * 100000);
}
BENCHMARK(BM_RandomFree);

// 100,000 live blocks of 16 to 128 bytes, one replaced at a time.
void BM_Churn(benchmark::State& state) {
  World world;
  std::vector<void*> blocks(100000);
  std::mt19937 random(1);
  for (void*& p : blocks) {
    p = world.mine->Allocate(HeapKind::kRaw, 16 + random() % 8 * 16);
  }
  for (auto _ : state) {
    uint32_t r = random();
    void*& p = blocks[r % blocks.size()];
    world.mine->Free(p);
    size_t size = 16 + (r >> 29) * 16;
    p = world.mine->Allocate(HeapKind::kRaw, size);
    Touch(p, size);
  }
  for (void* p : blocks) world.mine->Free(p);
}
BENCHMARK(BM_Churn);

// 20,000 blocks made by one heap and freed by another, one thread doing both: what the
// paths cost without the caches of two cores.
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

// A ring of 1,024 places between a thread that makes blocks and one that frees them.
void BM_ProducerConsumer(benchmark::State& state) {
  std::unique_ptr<HeapDomain> domain(std::move(*HeapDomain::Create(Options())));
  constexpr size_t kRing = 1024;
  std::vector<Atomic<void*>> ring(kRing);
  for (Atomic<void*>& slot : ring) slot.store(nullptr, kRelaxed);
  Atomic<int> stop(0);
  Thread consumer;
  bool started = consumer.Start([&] {
    ThreadHeap* heap = domain->NewThread();
    heap->Attach();
    for (size_t i = 0;; ++i) {
      Atomic<void*>& slot = ring[i % kRing];
      void* p;
      int spins = 0;
      while ((p = slot.load(kAcquire)) == nullptr) {
        if (stop.load(kAcquire) != 0 && (p = slot.load(kAcquire)) == nullptr) break;
        if (++spins > 200) RealOs()->SleepNs(1);
      }
      if (p == nullptr) break;
      slot.store(nullptr, kRelease);
      heap->Free(p);
    }
    domain->ExitThread(heap);
  });
  if (!started) return state.SkipWithError("no thread");
  ThreadHeap* heap = domain->NewThread();
  heap->Attach();
  size_t i = 0;
  for (auto _ : state) {
    void* p = heap->Allocate(HeapKind::kGc, 64);
    Touch(p, 64);
    Atomic<void*>& slot = ring[i++ % kRing];
    int spins = 0;
    while (slot.load(kAcquire) != nullptr) {
      if (++spins > 200) RealOs()->SleepNs(1);
    }
    slot.store(p, kRelease);
  }
  stop.store(1, kRelease);
  consumer.Join();
  domain->ExitThread(heap);
}
BENCHMARK(BM_ProducerConsumer)->UseRealTime();

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

void BM_Aligned(benchmark::State& state) {
  World world;
  size_t alignment = static_cast<size_t>(state.range(0));
  for (auto _ : state) {
    void* p = world.mine->AllocateAligned(HeapKind::kRaw, 100, alignment);
    benchmark::DoNotOptimize(p);
    world.mine->Free(p);
  }
}
BENCHMARK(BM_Aligned)->Arg(64)->Arg(4096);

// A thread comes, makes and frees 100 blocks of ten sizes, and goes.
void BM_ThreadChurn(benchmark::State& state) {
  World world;
  for (auto _ : state) {
    ThreadHeap* heap = world.domain->NewThread();
    heap->Attach();
    void* blocks[100];
    for (size_t i = 0; i < 100; ++i) {
      blocks[i] = heap->Allocate(HeapKind::kGc, 32 + i % 10 * 16);
    }
    for (void* p : blocks) heap->Free(p);
    heap->Detach();
    world.domain->ExitThread(heap);
  }
}
BENCHMARK(BM_ThreadChurn);

// Full pages that nobody owns: another thread frees half of each, and they are found
// and filled again.
void BM_PageReclaim(benchmark::State& state) {
  World world;
  std::vector<void*> blocks(16000);
  for (void*& p : blocks) p = world.mine->Allocate(HeapKind::kGc, 64);
  for (auto _ : state) {
    for (size_t i = 0; i < blocks.size(); i += 2) world.other->Free(blocks[i]);
    world.other->Safepoint();
    for (size_t i = 0; i < blocks.size(); i += 2) {
      blocks[i] = world.mine->Allocate(HeapKind::kGc, 64);
    }
  }
  state.SetItemsProcessed(state.iterations() * 8000);
  for (void* p : blocks) world.mine->Free(p);
}
BENCHMARK(BM_PageReclaim);

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
  for (size_t i = 0; i < 500000; ++i) {
    blocks.push_back(world.mine->Allocate(HeapKind::kGc, 64 + i % 100));
  }
  for (auto _ : state) benchmark::DoNotOptimize(world.domain->GetStats());
  for (void* p : blocks) world.mine->Free(p);
}
BENCHMARK(BM_Stats);

}  // namespace
}  // namespace tidepool
