// What the operations of this layer cost: counting by owner and strangers,
// objects made and dropped, lock-free loads, safepoints, blocking, locks, stops.
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "absl/strings/cord.h"
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

// --- One object for all threads (S04), an object for each, and what the machine asks. ---

template <bool kMarked>
void BM_OneObjectForAll(State& state) {
  static Node* node;
  Attached attached;
  if (state.thread_index() == 0) {
    node = NewNode(attached.ts());
    if (kMarked) {
      SetDeferred(attached.ts(), node);
    } else {
      Disown(node);
    }
  }
  for (auto _ : state) {
    Incref(node);
    Decref(attached.ts(), node);
    attached.ts()->Safepoint();
  }
  if (state.thread_index() == 0) {
    // Taken back: it dies at once.
    if (kMarked) ClearDeferred(attached.ts(), node);
    Decref(attached.ts(), node);
  }
}
BENCHMARK(BM_OneObjectForAll<false>)->Threads(1)->Threads(2)->Threads(8)->UseRealTime();
BENCHMARK(BM_OneObjectForAll<true>)->Threads(1)->Threads(2)->Threads(8)->UseRealTime();

void BM_AnObjectForEach(State& state) {
  Attached attached;
  Node* node = NewNode(attached.ts());
  for (auto _ : state) {
    Incref(node);
    Decref(attached.ts(), node);
    attached.ts()->Safepoint();
  }
  Decref(attached.ts(), node);
}
BENCHMARK(BM_AnObjectForEach)->Threads(1)->Threads(2)->Threads(8)->UseRealTime();

void BM_AtomicAdd(State& state) {
  std::atomic<int64_t> word{0};
  for (auto _ : state) word.fetch_add(1, std::memory_order_relaxed);
}
BENCHMARK(BM_AtomicAdd);

// Of an object of a thread that is not this one. The counts are taken back untimed.
void BM_TryIncrefForeign(State& state) {
  Attached attached;
  Node* node = NewNode(attached.ts());
  Disown(node);
  int64_t taken = 0;
  for (auto _ : state) taken += TryIncref(node) ? 1 : 0;
  for (; taken > 0; --taken) Decref(attached.ts(), node);
  Decref(attached.ts(), node);
}
BENCHMARK(BM_TryIncrefForeign);

// Merge traffic: objects made here, dropped by another thread, queued to this one.
void BM_ForeignDropQueuedAndMerged(State& state) {
  static Atomic<ObjectHeader*> box{nullptr};
  Attached attached;
  if (state.thread_index() == 0) {
    for (auto _ : state) {
      // What the other has not taken goes the owner's way.
      ObjectHeader* old = box.exchange(NewLeaf(attached.ts()), kAcqRel);
      if (old != nullptr) Decref(attached.ts(), old);
      attached.ts()->Safepoint();
    }
    if (ObjectHeader* left = box.exchange(nullptr, kAcqRel)) Decref(attached.ts(), left);
  } else {
    for (auto _ : state) {
      if (ObjectHeader* obj = box.exchange(nullptr, kAcqRel)) Decref(attached.ts(), obj);
      attached.ts()->Safepoint();
    }
  }
}
BENCHMARK(BM_ForeignDropQueuedAndMerged)->Threads(2)->UseRealTime();

// Readers of one slot while thread 0 replaces its object; the same with
// std::atomic<std::shared_ptr> and with a shared_ptr under a mutex.
void BM_LoadRefUnderWriter(State& state) {
  static Slot slot(0);
  Attached attached;
  if (state.thread_index() == 0) {
    Node* node = NewNode(attached.ts());
    SetMaybeWeakref(node);
    ExchangeSlot(slot, AsValue(node));
    for (auto _ : state) {
      Node* next = NewNode(attached.ts());
      SetMaybeWeakref(next);
      DecrefValue(attached.ts(), ExchangeSlot(slot, AsValue(next)));
      attached.ts()->Safepoint();
    }
    DecrefValue(attached.ts(), ExchangeSlot(slot, 0));
  } else {
    for (auto _ : state) {
      uintptr_t value;
      if (LoadRef(attached.ts(), slot, &value)) DecrefValue(attached.ts(), value);
      attached.ts()->Safepoint();
    }
  }
}
BENCHMARK(BM_LoadRefUnderWriter)->Threads(2)->UseRealTime();

void BM_AtomicSharedPtrUnderWriter(State& state) {
  static std::atomic<std::shared_ptr<std::array<char, 64>>> slot;
  if (state.thread_index() == 0) {
    for (auto _ : state) slot.store(std::make_shared<std::array<char, 64>>());
    slot.store(nullptr);
  } else {
    for (auto _ : state) {
      std::shared_ptr<std::array<char, 64>> value = slot.load();
      benchmark::DoNotOptimize(value);
    }
  }
}
BENCHMARK(BM_AtomicSharedPtrUnderWriter)->Threads(2)->UseRealTime();

void BM_MutexSharedPtrUnderWriter(State& state) {
  static std::shared_ptr<std::array<char, 64>> slot;
  static std::mutex mutex;
  if (state.thread_index() == 0) {
    for (auto _ : state) {
      auto next = std::make_shared<std::array<char, 64>>();
      std::lock_guard<std::mutex> lock(mutex);
      slot.swap(next);
    }
  } else {
    for (auto _ : state) {
      std::shared_ptr<std::array<char, 64>> value;
      {
        std::lock_guard<std::mutex> lock(mutex);
        value = slot;
      }
      benchmark::DoNotOptimize(value);
    }
  }
}
BENCHMARK(BM_MutexSharedPtrUnderWriter)->Threads(2)->UseRealTime();

void BM_SharedPtrCopy(State& state) {
  static std::shared_ptr<std::array<char, 64>> one = std::make_shared<std::array<char, 64>>();
  for (auto _ : state) {
    std::shared_ptr<std::array<char, 64>> copy = one;
    benchmark::DoNotOptimize(copy);
  }
}
BENCHMARK(BM_SharedPtrCopy)->Threads(1)->Threads(2)->UseRealTime();

// absl's nearest: a copy of a Cord is one more reference to its (counted) contents.
void BM_CordCopy(State& state) {
  static const absl::Cord one(std::string(4096, 'x'));
  for (auto _ : state) {
    absl::Cord copy = one;
    benchmark::DoNotOptimize(copy);
  }
}
BENCHMARK(BM_CordCopy)->Threads(1)->Threads(2)->UseRealTime();

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
