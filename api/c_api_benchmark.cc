// What calls of the C API cost beside the same work through the C++ API, which is inline:
// BM_X is the call, BM_XInline tidepool_inline.h, BM_XCxx C++. docs/measurements.md has
// figures.

#include <cstdlib>

#include "benchmark/benchmark.h"
#include "tidepool/api/tidepool_cc.h"
#include "tidepool/object/object_mutex.h"
#include "tidepool/tidepool.h"
#include "tidepool/tidepool_inline.h"

namespace {

struct Node {
  tp_header header;
  void* weakrefs;
  tp_slot next;
};

int Traverse(tp_object* o, tp_visitor visit, void* arg) {
  return tp_visit_slot(&reinterpret_cast<Node*>(o)->next, visit, arg);
}
void Clear(tp_thread* thread, tp_object* o) {
  tp_slot_clear(thread, &reinterpret_cast<Node*>(o)->next);
}

struct World {
  tp_isolate* isolate = tp_isolate_create(nullptr, nullptr);
  tp_type* leaf;
  tp_type* node;
  World() {
    tp_type_def def = tp_type_def_init();
    def.name = "leaf";
    leaf = tp_type_create(&def, nullptr);
    def.name = "node";
    def.instance_size = sizeof(Node);
    def.traverse = &Traverse;
    def.clear = &Clear;
    def.weakref_offset = offsetof(Node, weakrefs);
    node = tp_type_create(&def, nullptr);
  }
};
World& TheWorld() {
  static World* world = new World;
  return *world;
}

class Entered {
 public:
  Entered() : thread_(tp_thread_enter(TheWorld().isolate, "benchmark")) {}
  ~Entered() { tp_thread_leave(thread_); }
  operator tp_thread*() const { return thread_; }  // NOLINT

 private:
  tp_thread* thread_;
};

void BM_IncrefDecref(benchmark::State& state) {
  Entered t;
  tp_object* o = tp_new(t, TheWorld().leaf, 0);
  for (auto _ : state) {
    tp_incref(o);
    tp_decref(t, o);
  }
  tp_decref(t, o);
}
BENCHMARK(BM_IncrefDecref);

void BM_IncrefDecrefInline(benchmark::State& state) {
  Entered t;
  tp_object* o = tp_new(t, TheWorld().leaf, 0);
  for (auto _ : state) {
    tp_incref_inline(o);
    benchmark::DoNotOptimize(o);
    tp_decref_inline(t, o);
  }
  tp_decref(t, o);
}
BENCHMARK(BM_IncrefDecrefInline);

void BM_Safepoint(benchmark::State& state) {
  Entered t;
  for (auto _ : state) tp_safepoint(t);
}
BENCHMARK(BM_Safepoint);

void BM_NewAndDrop(benchmark::State& state) {
  Entered t;
  const tp_type* type = state.range(0) == 0 ? TheWorld().leaf : TheWorld().node;
  for (auto _ : state) tp_decref(t, tp_new(t, type, 0));
  state.SetLabel(state.range(0) == 0 ? "no references" : "traversed");
}
BENCHMARK(BM_NewAndDrop)->Arg(0)->Arg(1);

void BM_SlotLoad(benchmark::State& state) {
  Entered t;
  Node* holder = reinterpret_cast<Node*>(tp_new(t, TheWorld().node, 0));
  tp_slot_give(t, &holder->next, tp_new(t, TheWorld().leaf, 0));
  for (auto _ : state) tp_decref(t, tp_slot_load(t, &holder->next));
  tp_decref(t, reinterpret_cast<tp_object*>(holder));
}
BENCHMARK(BM_SlotLoad);

void BM_SlotLoadInline(benchmark::State& state) {
  Entered t;
  Node* holder = reinterpret_cast<Node*>(tp_new(t, TheWorld().node, 0));
  tp_slot_give(t, &holder->next, tp_new(t, TheWorld().leaf, 0));
  for (auto _ : state) tp_decref_inline(t, tp_slot_load_inline(t, &holder->next));
  tp_decref(t, reinterpret_cast<tp_object*>(holder));
}
BENCHMARK(BM_SlotLoadInline);

void BM_MallocFree(benchmark::State& state) {
  Entered t;
  for (auto _ : state) tp_free(t, tp_malloc(t, 64));
}
BENCHMARK(BM_MallocFree);

void BM_ScopeOfThree(benchmark::State& state) {
  Entered t;
  tp_object* o = tp_new(t, TheWorld().leaf, 0);
  for (auto _ : state) {
    tp_scope scope;
    tp_scope_open(t, &scope);
    for (int i = 0; i < 3; ++i) {
      tp_incref(o);
      tp_keep(t, o);
    }
    tp_scope_close(t, &scope);
  }
  tp_decref(t, o);
}
BENCHMARK(BM_ScopeOfThree);

void BM_DetachAttach(benchmark::State& state) {
  Entered t;
  for (auto _ : state) {
    tp_detach(t);
    tp_attach(t);
  }
}
BENCHMARK(BM_DetachAttach);

void BM_ObjectLock(benchmark::State& state) {
  Entered t;
  tp_object* o = tp_new(t, TheWorld().leaf, 0);
  for (auto _ : state) {
    tp_object_lock(t, o);
    tp_object_unlock(o);
  }
  tp_decref(t, o);
}
BENCHMARK(BM_ObjectLock);

// --- The same in C++, on the same isolate: a tp_thread is a ThreadState. ---

struct CxxLeaf : tidepool::ObjectOf<CxxLeaf> {
  static constexpr const char* kTypeName = "leaf";
  static constexpr bool kNoFields = true;
};
struct CxxNode : tidepool::ObjectOf<CxxNode> {
  static constexpr const char* kTypeName = "node";
  tidepool::Field<CxxNode> next;
  template <class Visit>
  void Fields(Visit&& visit) {
    visit(next);
  }
};

tidepool::ThreadState* Cxx(tp_thread* t) {
  return reinterpret_cast<tidepool::ThreadState*>(t);
}

void BM_IncrefDecrefCxx(benchmark::State& state) {
  Entered t;
  auto o = tidepool::New<CxxLeaf>(Cxx(t));
  for (auto _ : state) {
    tidepool::Incref(o.get());
    benchmark::DoNotOptimize(o.get());
    tidepool::Decref(Cxx(t), o.get());
  }
}
BENCHMARK(BM_IncrefDecrefCxx);

void BM_SafepointCxx(benchmark::State& state) {
  Entered t;
  tidepool::ThreadState* ts = Cxx(t);
  for (auto _ : state) ts->Safepoint();
}
BENCHMARK(BM_SafepointCxx);

void BM_NewAndDropCxx(benchmark::State& state) {
  Entered t;
  tidepool::ThreadState* ts = Cxx(t);
  if (state.range(0) == 0) {
    for (auto _ : state) tidepool::New<CxxLeaf>(ts);
  } else {
    for (auto _ : state) tidepool::New<CxxNode>(ts);
  }
  state.SetLabel(state.range(0) == 0 ? "no references" : "traversed");
}
BENCHMARK(BM_NewAndDropCxx)->Arg(0)->Arg(1);

void BM_SlotLoadCxx(benchmark::State& state) {
  Entered t;
  tidepool::ThreadState* ts = Cxx(t);
  auto holder = tidepool::New<CxxNode>(ts);
  holder->next.Set(ts, tidepool::New<CxxNode>(ts));
  for (auto _ : state) benchmark::DoNotOptimize(holder->next.Get(ts).get());
}
BENCHMARK(BM_SlotLoadCxx);

void BM_MallocFreeCxx(benchmark::State& state) {
  Entered t;
  tidepool::ThreadHeap* heap = Cxx(t)->heap();
  for (auto _ : state) {
    void* block = heap->Allocate(tidepool::HeapKind::kRaw, 64);
    benchmark::DoNotOptimize(block);
    heap->Free(block);
  }
}
BENCHMARK(BM_MallocFreeCxx);

void BM_DetachAttachCxx(benchmark::State& state) {
  Entered t;
  for (auto _ : state) {
    tidepool::DetachedScope detached(Cxx(t));
  }
}
BENCHMARK(BM_DetachAttachCxx);

void BM_ObjectLockCxx(benchmark::State& state) {
  Entered t;
  auto o = tidepool::New<CxxLeaf>(Cxx(t));
  for (auto _ : state) {
    tidepool::LockObject(Cxx(t), o.get());
    tidepool::UnlockObject(o.get());
  }
}
BENCHMARK(BM_ObjectLockCxx);

// A call from foreign code: enter, make ten objects, leave. python/cpython#146219.
void BM_CallFromForeignCode(benchmark::State& state) {
  const bool pinned = state.range(0) != 0;
  // A thread stays pinned: this one is so in an isolate that nothing else uses.
  static World* pinned_world = new World;
  World& world = pinned ? *pinned_world : TheWorld();
  if (pinned) {
    tp_thread* t = tp_thread_enter(world.isolate, "foreign");
    tp_thread_pin(t);
    tp_thread_leave(t);
  }
  for (auto _ : state) {
    tp_thread* t = tp_thread_enter(world.isolate, "foreign");
    for (int i = 0; i < 10; ++i) tp_decref(t, tp_new(t, world.node, 0));
    tp_thread_leave(t);
  }
  state.SetLabel(pinned ? "pinned" : "not pinned");
}
BENCHMARK(BM_CallFromForeignCode)->Arg(0)->Arg(1);

}  // namespace
