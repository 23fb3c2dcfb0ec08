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

// Two that hold each other and nobody else does.
void MakeGarbagePair(World& w) {
  Pair* x = NewPair(w.ts);
  Pair* y = NewPair(w.ts);
  Put(x->a, y);
  Put(y->a, x);
  w.Drop(x);
  w.Drop(y);
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

Options Markers(const benchmark::State& state) {
  Options options;
  options.gc_threads = state.range(1);
  return options;
}

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
  World w(Markers(state));
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
  World w(Markers(state));
  std::vector<Pair*> keep;
  FillRandom(w, keep, state.range(0));
  Run(state, w, state.range(0), [] {});
  Empty(w, keep);
}

void BM_GarbageCycles(benchmark::State& state) {
  World w(Markers(state));
  Run(state, w, state.range(0), [&] {
    for (int64_t i = 0; i < state.range(0) / 2; ++i) MakeGarbagePair(w);
  });
}

void BM_DeepListFromRoots(benchmark::State& state) {
  World w(Markers(state));
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

// A list of n dicts of two entries whose values are a number and one list that all share.
// A dict is a header, a pointer to its table (raw) and a size, as in the toy runtime.
struct Dict : ObjectHeader {
  Slot* entries;  // key and value in turns
  size_t size;
};
struct List : ObjectHeader {
  Slot* items;
  size_t size;
};
template <class T>
int TraverseItems(Slot* items, size_t n, Visitor visit, void* arg) {
  for (size_t i = 0; i < n; ++i) {
    if (int stop = VisitSlot(items[i], visit, arg); stop != 0) return stop;
  }
  return 0;
}
int TraverseDict(ObjectHeader* obj, Visitor visit, void* arg) {
  auto* d = static_cast<Dict*>(obj);
  return TraverseItems<Dict>(d->entries, 2 * d->size, visit, arg);
}
int TraverseList(ObjectHeader* obj, Visitor visit, void* arg) {
  auto* l = static_cast<List*>(obj);
  return TraverseItems<List>(l->items, l->size, visit, arg);
}
template <class T, Slot* T::*items, int kPer>
void DeallocItems(ThreadState* ts, ObjectHeader* obj) {
  auto* t = static_cast<T*>(obj);
  for (size_t i = 0; i < kPer * t->size; ++i) DecrefValue(ts, (t->*items)[i].load(kRelaxed));
  ts->heap()->Free(t->*items);
  FreeObject(ts, obj);
}
const TypeInfo kDictType = [] {
  TypeInfo type;
  type.name = "Dict";
  type.basic_size = sizeof(Dict);
  type.flags = kTypeGc;
  type.traverse = &TraverseDict;
  type.dealloc = &DeallocItems<Dict, &Dict::entries, 2>;
  return type;
}();
const TypeInfo kListType = [] {
  TypeInfo type;
  type.name = "List";
  type.basic_size = sizeof(List);
  type.flags = kTypeGc;
  type.traverse = &TraverseList;
  type.dealloc = &DeallocItems<List, &List::items, 1>;
  return type;
}();
template <class T>
T* NewSized(ThreadState* ts, const TypeInfo* type, Slot* T::*items, size_t slots, size_t size) {
  auto* t = static_cast<T*>(NewObject(ts, type, sizeof(T)));
  t->*items = static_cast<Slot*>(ts->heap()->Allocate(HeapKind::kRaw, slots * sizeof(Slot)));
  for (size_t i = 0; i < slots; ++i) (t->*items)[i].store(0, kRelaxed);
  t->size = size;
  TrackNew(t);
  return t;
}

// The list is the collector's root, and dies with this.
struct ListOfDicts : RootSet {
  ListOfDicts(World& world, size_t n) : w(world) {
    keep = NewSized(w.ts, &kListType, &List::items, n, n);
    shared = NewSized(w.ts, &kListType, &List::items, 1, 1);
    for (ObjectHeader*& k : key) {
      Pair* p = NewPair(w.ts);
      SetImmortal(w.ts, p);
      k = p;
    }
    for (size_t i = 0; i < n; ++i) {
      Dict* d = NewSized(w.ts, &kDictType, &Dict::entries, 4, 2);
      d->entries[0].store(AsValue(key[0]), kRelaxed);
      d->entries[1].store(i * 2 + 1, kRelaxed);  // a small number, tagged
      d->entries[2].store(AsValue(key[1]), kRelaxed);
      Incref(shared);
      d->entries[3].store(AsValue(shared), kRelaxed);
      keep->items[i].store(AsValue(d), kRelaxed);
    }
    visit = [](RootSet* self, Visitor v, void* arg) {
      return v(static_cast<ListOfDicts*>(self)->keep, arg);
    };
    w.isolate->AddRoots(this);
  }
  ~ListOfDicts() {
    w.isolate->RemoveRoots(this);
    w.Drop(shared);
    w.Drop(keep);
  }

  World& w;
  List* keep;
  List* shared;
  ObjectHeader* key[2];
};

void BM_ListOfDicts(benchmark::State& state) {
  World w(Markers(state));
  ListOfDicts dicts(w, static_cast<size_t>(state.range(0)));
  Run(state, w, state.range(0), [] {});
}

void Graphs(benchmark::internal::Benchmark* b) {
  b->ArgNames({"objects", "markers"})
      ->Args({1000000, 1})
      ->Args({1000000, 2})
      ->UseManualTime()
      ->Unit(benchmark::kMillisecond);
}
// --- The stops of automatic collections, beside a program that makes and drops pairs. ---

// What safepoints took that had a part of a collection in them, by the clock and in CPU time.
struct Held {
  PauseHistogram all, cpu;
};

Held MakePairsFor(World& w, uint64_t collections) {
  Held held;
  Os* const os = RealOs();
  while (w.collector->GetGenerationStats(0).collections < collections) {
    for (int i = 0; i < 20; ++i) MakeGarbagePair(w);
    const uint64_t start = os->NowNs();
    const uint64_t cpu_start = os->ThreadCpuNs();
    w.ts->Safepoint();
    const uint64_t cpu = os->ThreadCpuNs() - cpu_start;
    if (cpu <= 20'000) continue;
    held.all.Add(os->NowNs() - start);
    held.cpu.Add(cpu);
  }
  return held;
}

// Counters in ns: percentiles of all stops and of what safepoints took, by the clock and by
// the CPU time of the thread that held them.
void CountStops(benchmark::State& state, World& w, const Held& held) {
  const PauseRecord pauses = w.collector->Pauses();
  const GenerationStats sums = w.collector->GetGenerationStats(0);
  const double passes = static_cast<double>(sums.collections);
  state.counters["stops"] = static_cast<double>(pauses.all.count()) / passes;
  state.counters["p50_ns"] = static_cast<double>(pauses.all.PercentileNs(50));
  state.counters["p90_ns"] = static_cast<double>(pauses.all.PercentileNs(90));
  state.counters["p99_ns"] = static_cast<double>(pauses.all.PercentileNs(99));
  state.counters["max_ns"] = static_cast<double>(pauses.all.max_ns());
  state.counters["cpu_p99_ns"] = static_cast<double>(pauses.cpu.PercentileNs(99));
  state.counters["cpu_max_ns"] = static_cast<double>(pauses.cpu.max_ns());
  state.counters["held_p99_ns"] = static_cast<double>(held.all.PercentileNs(99));
  state.counters["held_max_ns"] = static_cast<double>(held.all.max_ns());
  state.counters["held_cpu_p99_ns"] = static_cast<double>(held.cpu.PercentileNs(99));
  state.counters["held_cpu_max_ns"] = static_cast<double>(held.cpu.max_ns());
  state.counters["paused_ns"] = static_cast<double>(sums.paused_ns) / passes;
  state.counters["total_ns"] = static_cast<double>(sums.total_ns) / passes;
  state.counters["collected"] = static_cast<double>(sums.collected) / passes;
  for (int i = 0; i < kGcPhaseCount; ++i) {
    if (sums.phase_ns[i] < 1'000'000 * sums.collections) continue;
    const char* name = GcPhaseName(static_cast<GcPhase>(i));
    state.counters[name] = static_cast<double>(sums.phase_ns[i]) / passes;
    state.counters[std::string("max_") + name] =
        static_cast<double>(pauses.phase[i].max_ns());
  }
}

// The program keeps a random graph, all of it reached from one root: three collections, of
// policy pause in slices of 5 ms, or of live_bytes in one stop.
void BM_Pauses(benchmark::State& state) {
  World w(Options(), RealOs(), state.range(1) != 0 ? "pause:ms=5" : "live_bytes");
  w.collector->Disable();
  std::vector<Pair*> keep;
  FillRandom(w, keep, state.range(0));
  // A tree besides, so that the root reaches everything.
  for (size_t i = 1; i < keep.size(); ++i) {
    DecrefValue(w.ts, (i % 2 != 0 ? keep[i / 2]->a : keep[i / 2 - 1]->b).exchange(0, kAcqRel));
    Put(i % 2 != 0 ? keep[i / 2]->a : keep[i / 2 - 1]->b, keep[i]);
  }
  OneRoot roots;
  roots.root = keep[0];
  w.isolate->AddRoots(&roots);
  for (size_t i = 1; i < keep.size(); ++i) w.Drop(keep[i]);
  w.ts->Safepoint();
  w.collector->Enable();
  for (auto _ : state) CountStops(state, w, MakePairsFor(w, 3));
  w.isolate->RemoveRoots(&roots);
  w.collector->Disable();
  w.Drop(keep[0]);
  w.Collect();
}
BENCHMARK(BM_Pauses)
    ->ArgNames({"objects", "budget"})
    ->ArgsProduct({{10000, 30000, 100000, 300000, 1000000}, {0, 1}})
    ->Iterations(1)
    ->Unit(benchmark::kMillisecond);

// Other heaps of a million objects under pause:ms=5, two collections of each.
template <class Fill>
void StopsOver(benchmark::State& state, Fill fill) {
  World w(Options(), RealOs(), "pause:ms=5");
  w.collector->Disable();
  {
    [[maybe_unused]] auto heap = fill(w);
    w.ts->Safepoint();
    w.collector->Enable();
    for (auto _ : state) CountStops(state, w, MakePairsFor(w, 2));
    w.collector->Disable();
  }
  w.Collect();
}
// Keeps what it is given, by handles of its own, and tells the collector of them or not.
struct Kept : OneRoot {
  explicit Kept(World& world, bool rooted = false) : w(world) {
    if (rooted) many = &pairs;
    w.isolate->AddRoots(this);
  }
  Kept(const Kept&) = delete;
  ~Kept() {
    w.isolate->RemoveRoots(this);
    for (Pair* p : pairs) w.Drop(p);
  }
  World& w;
  std::vector<Pair*> pairs;
};
constexpr int64_t kMillion = 1000000;

void BM_PausesUnrooted(benchmark::State& state) {
  StopsOver(state, [](World& w) {
    auto kept = std::make_unique<Kept>(w);
    FillRandom(w, kept->pairs, kMillion);
    return kept;
  });
}
void BM_PausesGarbagePairs(benchmark::State& state) {
  StopsOver(state, [](World& w) {
    for (int64_t i = 0; i < kMillion / 2; ++i) MakeGarbagePair(w);
    return 0;
  });
}
void BM_PausesDeepList(benchmark::State& state) {
  StopsOver(state, [](World& w) {
    auto kept = std::make_unique<Kept>(w, /*rooted=*/true);
    Pair* last = nullptr;
    for (int64_t i = 0; i < kMillion; ++i) {
      Pair* p = NewPair(w.ts);
      if (last != nullptr) p->a.store(AsValue(last), kRelease);
      last = p;
    }
    kept->pairs.push_back(last);
    return kept;
  });
}
void BM_PausesListOfDicts(benchmark::State& state) {
  StopsOver(state, [](World& w) { return std::make_unique<ListOfDicts>(w, kMillion); });
}
// Garbage that hangs together: no piece can hold it.
void BM_PausesDeadGraph(benchmark::State& state) {
  StopsOver(state, [](World& w) {
    Kept kept(w);
    FillRandom(w, kept.pairs, kMillion);
    return 0;
  });
}
BENCHMARK(BM_PausesUnrooted)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_PausesGarbagePairs)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_PausesDeepList)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_PausesListOfDicts)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_PausesDeadGraph)->Iterations(1)->Unit(benchmark::kMillisecond);

BENCHMARK(BM_RandomLiveFromRoots)->Apply(Graphs);
BENCHMARK(BM_RandomLiveByTrial)->Apply(Graphs);
BENCHMARK(BM_GarbageCycles)->Apply(Graphs);
BENCHMARK(BM_DeepListFromRoots)->Apply(Graphs);
BENCHMARK(BM_ListOfDicts)->Apply(Graphs);

}  // namespace
}  // namespace tidepool
