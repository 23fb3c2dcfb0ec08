// A small world for tests of the collector: an isolate with a collector, and objects with
// four slots whose types say what their finalizers do.
//
// Node lives in a gc heap. Its slots hold counted references; everything that a test
// drops or stores goes through Set and Drop, so that a test reads like a list of steps.

#ifndef TIDEPOOL_GC_TEST_WORLD_H_
#define TIDEPOOL_GC_TEST_WORLD_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/gc/collector.h"
#include "tidepool/object/isolate.h"
#include "tidepool/object/object.h"
#include "tidepool/object/refcount.h"
#include "tidepool/object/thread_state.h"
#include "tidepool/object/type_info.h"
#include "tidepool/object/weakref.h"

namespace tidepool {

struct Node : ObjectHeader {
  static constexpr int kSlots = 4;
  Atomic<WeakRef*> weakrefs;
  Slot slots[kSlots];
  int64_t id;
};

// Live nodes of the process, and how often finalizers ran.
inline Atomic<int64_t> g_nodes_freed{0};
inline Atomic<int64_t> g_nodes_finalized{0};

inline int TraverseNode(ObjectHeader* obj, Visitor visit, void* arg) {
  for (const Slot& slot : static_cast<Node*>(obj)->slots) {
    if (int stop = VisitSlot(slot, visit, arg); stop != 0) return stop;
  }
  return 0;
}

inline void ClearNode(ThreadState* ts, ObjectHeader* obj) {
  for (Slot& slot : static_cast<Node*>(obj)->slots) {
    DecrefValue(ts, slot.exchange(0, kAcqRel));
  }
}

inline void DeallocNode(ThreadState* ts, ObjectHeader* obj) {
  ClearNode(ts, obj);
  g_nodes_freed.fetch_add(1, kRelaxed);
  FreeObject(ts, obj);
}

inline TypeInfo MakeNodeType(const char* name,
                             void (*finalize)(ThreadState*, ObjectHeader*) = nullptr) {
  TypeInfo type;
  type.name = name;
  type.basic_size = sizeof(Node);
  type.flags = kTypeGc;
  type.traverse = &TraverseNode;
  type.clear = &ClearNode;
  type.finalize = finalize;
  type.dealloc = &DeallocNode;
  type.weakref_offset = sizeof(ObjectHeader);  // Node::weakrefs
  return type;
}

inline const TypeInfo kNodeType = MakeNodeType("Node");

// A node type whose instances run what the test put into `on_finalize`.
inline std::function<void(ThreadState*, Node*)> g_on_finalize;
inline void RunOnFinalize(ThreadState* ts, ObjectHeader* obj) {
  g_nodes_finalized.fetch_add(1, kRelaxed);
  if (g_on_finalize) g_on_finalize(ts, static_cast<Node*>(obj));
}
inline const TypeInfo kFinalizedType = MakeNodeType("Finalized", &RunOnFinalize);

inline TypeInfo MakeWeakRefType() {
  TypeInfo type;
  type.name = "WeakRef";
  type.basic_size = sizeof(WeakRef);
  type.flags = kTypeGc | kTypeWeakRef;
  type.traverse = &TraverseWeakRef;
  type.clear = &ClearWeakRef;
  type.dealloc = &DeallocWeakRef;
  return type;
}
inline const TypeInfo kWeakRefType = MakeWeakRefType();

inline Node* NewNode(ThreadState* ts, const TypeInfo* type = &kNodeType,
                     int64_t id = 0) {
  Node* node = static_cast<Node*>(NewObjectZeroed(ts, type, sizeof(Node)));
  if (node == nullptr) return nullptr;
  node->id = id;
  TrackNew(node);
  return node;
}

// slot = a new reference to target; what was there is dropped.
inline void Set(ThreadState* ts, Node* node, int slot, ObjectHeader* target) {
  if (target != nullptr) {
    Incref(target);
    SetMaybeWeakref(target);
  }
  DecrefValue(ts, node->slots[slot].exchange(AsValue(target), kAcqRel));
}
// The same with the caller's reference.
inline void Give(ThreadState* ts, Node* node, int slot, ObjectHeader* target) {
  SetMaybeWeakref(target);
  DecrefValue(ts, node->slots[slot].exchange(AsValue(target), kAcqRel));
}
inline Node* Get(const Node* node, int slot) {
  return static_cast<Node*>(AsObject(node->slots[slot].load(kAcquire)));
}

// A ring of n nodes; the caller gets a reference to the first.
inline Node* NewRing(ThreadState* ts, int n, const TypeInfo* type = &kNodeType) {
  Node* first = NewNode(ts, type, 0);
  Node* last = first;
  for (int i = 1; i < n; ++i) {
    Node* node = NewNode(ts, type, i);
    Give(ts, last, 0, node);
    last = node;
  }
  Set(ts, last, 0, first);
  return first;
}

class World {
 public:
  explicit World(const Options& options = Options(), Os* os = RealOs(),
                 const char* policy = "manual") {
    auto made = Isolate::Create(options, os);
    if (!made.ok()) Fatal("%s", std::string(made.status().message()).c_str());
    isolate = *std::move(made);
    IsolateHooks hooks;
    hooks.weakref_callback = &OnWeakRef;
    hooks.weakref_arg = this;
    isolate->SetHooks(hooks);
    auto collector_made = Collector::Create(isolate.get(), policy);
    if (!collector_made.ok()) {
      Fatal("%s", std::string(collector_made.status().message()).c_str());
    }
    collector = *std::move(collector_made);
    ts = isolate->AttachThread("main");
    freed_at_start = g_nodes_freed.load(kRelaxed);
    finalized_at_start = g_nodes_finalized.load(kRelaxed);
  }
  ~World() {
    CheckHeaders();
    isolate->LeaveThread(ts);
    collector.reset();
    isolate.reset();
    g_on_finalize = nullptr;
  }

  CollectStats Collect(int generation = 2) { return collector->Collect(ts, generation); }
  void Drop(ObjectHeader* obj) { Decref(ts, obj); }
  int64_t freed() const { return g_nodes_freed.load(kRelaxed) - freed_at_start; }
  int64_t finalized() const {
    return g_nodes_finalized.load(kRelaxed) - finalized_at_start;
  }
  uint64_t live_blocks() {
    ts->heap()->Safepoint();  // frees for other threads may lie in a batch
    return isolate->heap().LiveIn(kGcKinds).blocks;
  }
  void CheckHeaders() {
    std::string why;
    EXPECT_EQ(collector->CheckInvariants(ts, &why), 0u) << why;
  }

  static void OnWeakRef(ThreadState* ts, WeakRef* ref, uintptr_t callback, void* arg) {
    auto* world = static_cast<World*>(arg);
    // The callback is a node; its id is what the test reads.
    world->callbacks.push_back(static_cast<Node*>(AsObject(callback))->id);
    if (world->on_callback) world->on_callback(ts, ref);
  }

  std::unique_ptr<Isolate> isolate;
  std::unique_ptr<Collector> collector;
  ThreadState* ts;
  std::vector<int64_t> callbacks;
  std::function<void(ThreadState*, WeakRef*)> on_callback;
  int64_t freed_at_start;
  int64_t finalized_at_start;
};

}  // namespace tidepool

#endif  // TIDEPOOL_GC_TEST_WORLD_H_
