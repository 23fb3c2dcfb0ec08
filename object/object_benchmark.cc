// What the operations of this layer cost: counting by owner and strangers,
// objects made and dropped, lock-free loads, safepoints, blocking, locks, stops.
#include "benchmark/benchmark.h"
#include "tidepool/object/internal/test_types.h"

namespace tidepool::testing {
namespace {

using benchmark::DoNotOptimize;
using benchmark::State;

// One isolate for all; each benchmark thread attaches for its run.
Isolate* SharedIsolate() {
  static Isolate* isolate = Isolate::Create(Options())->release();
  return isolate;
}

class Attached {
 public:
  Attached() : ts_(SharedIsolate()->AttachThread("benchmark")) {}
  ~Attached() { SharedIsolate()->LeaveThread(ts_); }
  ThreadState* ts() { return ts_; }

 private:
  ThreadState* ts_;
};

void BM_OwnerIncrefDecref(State& state) {
  Attached attached;
  ObjectHeader* obj = NewLeaf(attached.ts());
  for (auto _ : state) {
    Incref(obj);
    DoNotOptimize(obj);
    Decref(attached.ts(), obj);
  }
  Decref(attached.ts(), obj);
}
BENCHMARK(BM_OwnerIncrefDecref);

// Merged objects are counted as by strangers.
void BM_SharedIncrefDecref(State& state) {
  static ObjectHeader* obj;
  Attached attached;
  if (state.thread_index() == 0) {
    obj = NewLeaf(attached.ts());
    Disown(obj);
  }
  for (auto _ : state) {
    Incref(obj);
    Decref(attached.ts(), obj);
  }
  if (state.thread_index() == 0) Decref(attached.ts(), obj);
}
BENCHMARK(BM_SharedIncrefDecref)->Threads(1)->Threads(2);

void BM_ImmortalIncrefDecref(State& state) {
  Attached attached;
  ObjectHeader* obj = NewLeaf(attached.ts());
  SetImmortal(attached.ts(), obj);
  for (auto _ : state) {
    Incref(obj);
    DoNotOptimize(obj);
    Decref(attached.ts(), obj);
  }
}
BENCHMARK(BM_ImmortalIncrefDecref);

void BM_NewAndDropLeaf(State& state) {
  Attached attached;
  for (auto _ : state) Decref(attached.ts(), NewLeaf(attached.ts()));
}
BENCHMARK(BM_NewAndDropLeaf);

void BM_NewAndDropNode(State& state) {
  Attached attached;
  for (auto _ : state) Decref(attached.ts(), NewNode(attached.ts()));
}
BENCHMARK(BM_NewAndDropNode);

void BM_NewAndDropChain(State& state) {
  Attached attached;
  for (auto _ : state) {
    Node* head = nullptr;
    for (int i = 0; i < 1000; ++i) {
      Node* node = NewNode(attached.ts());
      node->a.store(AsValue(head), kRelaxed);
      head = node;
    }
    Decref(attached.ts(), head);
  }
  state.SetItemsProcessed(state.iterations() * 1000);
}
BENCHMARK(BM_NewAndDropChain);

void BM_LoadRefOwned(State& state) {
  Attached attached;
  Node* node = NewNode(attached.ts());
  Slot slot(AsValue(node));
  for (auto _ : state) {
    uintptr_t value;
    if (LoadRef(attached.ts(), slot, &value)) DecrefValue(attached.ts(), value);
  }
  Decref(attached.ts(), node);
}
BENCHMARK(BM_LoadRefOwned);

void BM_LoadRefShared(State& state) {
  static Slot slot(0);
  Attached attached;
  if (state.thread_index() == 0) {
    Node* node = NewNode(attached.ts());
    Disown(node);
    ExchangeSlot(slot, AsValue(node));
  }
  for (auto _ : state) {
    uintptr_t value;
    if (LoadRef(attached.ts(), slot, &value)) DecrefValue(attached.ts(), value);
  }
  if (state.thread_index() == 0) {
    DecrefValue(attached.ts(), ExchangeSlot(slot, 0));
  }
}
BENCHMARK(BM_LoadRefShared)->Threads(1)->Threads(2);

void BM_Safepoint(State& state) {
  Attached attached;
  for (auto _ : state) attached.ts()->Safepoint();
}
BENCHMARK(BM_Safepoint);

void BM_DetachAttach(State& state) {
  Attached attached;
  for (auto _ : state) BlockingScope blocking(attached.ts());
}
BENCHMARK(BM_DetachAttach);

void BM_LockObject(State& state) {
  static Node* node;
  Attached attached;
  if (state.thread_index() == 0) node = NewNode(attached.ts());
  for (auto _ : state) {
    LockObject(attached.ts(), node);
    UnlockObject(node);
    attached.ts()->Safepoint();
  }
  if (state.thread_index() == 0) Decref(attached.ts(), node);
}
BENCHMARK(BM_LockObject)->Threads(1)->Threads(2);

void BM_CriticalSection(State& state) {
  Attached attached;
  Node* node = NewNode(attached.ts());
  for (auto _ : state) CriticalSection section(attached.ts(), node);
  Decref(attached.ts(), node);
}
BENCHMARK(BM_CriticalSection);

void BM_StopTheWorldAlone(State& state) {
  Attached attached;
  for (auto _ : state) StopScope stop(attached.ts());
}
BENCHMARK(BM_StopTheWorldAlone);

void BM_AttachLeaveThread(State& state) {
  for (auto _ : state) Attached attached;
}
BENCHMARK(BM_AttachLeaveThread);

void BM_WeakRefNewGetDrop(State& state) {
  Attached attached;
  Node* node = NewNode(attached.ts());
  for (auto _ : state) {
    WeakRef* ref = NewWeakRef(attached.ts(), &kWeakRefType, node, 0);
    Decref(attached.ts(), GetWeakRefTarget(attached.ts(), ref));
    Decref(attached.ts(), ref);
  }
  Decref(attached.ts(), node);
}
BENCHMARK(BM_WeakRefNewGetDrop);

}  // namespace
}  // namespace tidepool::testing
