// What a full collection costs: pause and CPU per object, on graphs like those of the
// targets (a random live graph, garbage in cycles of two, a deep live list).
//
//   bazel run -c opt //gc:collector_benchmark -- --benchmark_filter=Random
//
// Counters: ns_per_object (of the whole pass), pause_ns_per_object, and MiB kept after the
// garbage went.

#include <cstdint>
#include <memory>
#include <vector>

#include "benchmark/benchmark.h"
#include "tidepool/gc/test_world.h"

namespace tidepool {
namespace {

// Two slots in 48 bytes, as an instance with __slots__ = ("a", "b").
struct Pair : ObjectHeader {
  Slot a, b;
};

int TraversePair(ObjectHeader* obj, Visitor visit, void* arg) {
  auto* p = static_cast<Pair*>(obj);
  if (int stop = VisitSlot(p->a, visit, arg); stop != 0) return stop;
  return VisitSlot(p->b, visit, arg);
}
void ClearPair(ThreadState* ts, ObjectHeader* obj) {
  auto* p = static_cast<Pair*>(obj);
  const uintptr_t a = p->a.load(kRelaxed), b = p->b.load(kRelaxed);
  p->a.store(0, kRelaxed);
  p->b.store(0, kRelaxed);
  DecrefValue(ts, a);
  DecrefValue(ts, b);
}
void DeallocPair(ThreadState* ts, ObjectHeader* obj) {
  ClearPair(ts, obj);
  FreeObject(ts, obj);
}
TypeInfo MakePairType() {
  TypeInfo type;
  type.name = "Pair";
  type.basic_size = sizeof(Pair);
  type.flags = kTypeGc;
  type.traverse = &TraversePair;
  type.clear = &ClearPair;
  type.dealloc = &DeallocPair;
  return type;
}
const TypeInfo kPairType = MakePairType();

Pair* NewPair(ThreadState* ts) {
  auto* p = static_cast<Pair*>(NewObject(ts, &kPairType, sizeof(Pair)));
  p->a.store(0, kRelaxed);
  p->b.store(0, kRelaxed);
  TrackNew(p);
  return p;
}
void Put(Slot& slot, Pair* target) {
  Incref(target);
  slot.store(AsValue(target), kRelease);
}

struct OneRoot : RootSet {
  Pair* root = nullptr;
  std::vector<Pair*>* many = nullptr;
  OneRoot() {
    visit = [](RootSet* self, Visitor v, void* arg) {
      auto* r = static_cast<OneRoot*>(self);
      if (r->root != nullptr) v(r->root, arg);
      if (r->many != nullptr) {
        for (Pair* p : *r->many) v(p, arg);
      }
      return 0;
    };
  }
};

// Measures one pass per iteration; prepare() runs outside the time.
template <class Prepare>
void Run(benchmark::State& state, World& w, int64_t n, Prepare prepare) {
  uint64_t pause = 0, total = 0, cpu = 0;
  CollectStats last;
  for (auto _ : state) {
    prepare();
    const uint64_t cpu_before = RealOs()->ThreadCpuNs();
    last = w.Collect();
    cpu += RealOs()->ThreadCpuNs() - cpu_before;
    pause += last.paused_ns;
    total += last.total_ns;
    state.SetIterationTime(static_cast<double>(last.total_ns) * 1e-9);
  }
  const double objects =
      static_cast<double>(n) * static_cast<double>(state.iterations());
  state.counters["ns_per_object"] = static_cast<double>(total) / objects;
  state.counters["cpu_ns_per_object"] = static_cast<double>(cpu) / objects;
  state.counters["pause_ns_per_object"] = static_cast<double>(pause) / objects;
  for (int i = 0; i < kGcPhaseCount; ++i) {
    if (last.phase_ns[i] < 200000) continue;
    state.counters[GcPhaseName(static_cast<GcPhase>(i))] =
        static_cast<double>(last.phase_ns[i]) / static_cast<double>(n);
  }
}

void FillRandom(World& w, std::vector<Pair*>& keep, int64_t n) {
  for (int64_t i = 0; i < n; ++i) keep.push_back(NewPair(w.ts));
  uint64_t rng = 88172645463325252u;
  auto next = [&] {
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return keep[rng % static_cast<uint64_t>(n)];
  };
  for (Pair* p : keep) {
    Put(p->a, next());
    Put(p->b, next());
  }
}

void Empty(World& w, std::vector<Pair*>& keep) {
  for (Pair* p : keep) w.Drop(p);
  keep.clear();
  w.Collect();
}

// Everything is held by a root that the collector is told of.
void BM_RandomLiveFromRoots(benchmark::State& state) {
  World w;
  std::vector<Pair*> keep;
  FillRandom(w, keep, state.range(0));
  OneRoot roots;
  roots.many = &keep;
  w.isolate->AddRoots(&roots);
  Run(state, w, state.range(0), [] {});
  w.isolate->RemoveRoots(&roots);
  Empty(w, keep);
}

// The same with no root: trial deletion has to find out.
void BM_RandomLiveByTrial(benchmark::State& state) {
  World w;
  std::vector<Pair*> keep;
  FillRandom(w, keep, state.range(0));
  Run(state, w, state.range(0), [] {});
  Empty(w, keep);
}

void BM_GarbageCycles(benchmark::State& state) {
  World w;
  Run(state, w, state.range(0), [&] {
    for (int64_t i = 0; i < state.range(0) / 2; ++i) {
      Pair* x = NewPair(w.ts);
      Pair* y = NewPair(w.ts);
      Put(x->a, y);
      Put(y->a, x);
      w.Drop(x);
      w.Drop(y);
    }
  });
}

void BM_DeepListFromRoots(benchmark::State& state) {
  World w;
  OneRoot roots;
  for (int64_t i = 0; i < state.range(0); ++i) {
    Pair* p = NewPair(w.ts);
    if (roots.root != nullptr) p->a.store(AsValue(roots.root), kRelease);
    roots.root = p;
  }
  w.isolate->AddRoots(&roots);
  Run(state, w, state.range(0), [] {});
  w.isolate->RemoveRoots(&roots);
  w.Drop(roots.root);
}

BENCHMARK(BM_RandomLiveFromRoots)->Arg(1000000)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_RandomLiveByTrial)->Arg(1000000)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_GarbageCycles)->Arg(1000000)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_DeepListFromRoots)->Arg(1000000)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace tidepool
