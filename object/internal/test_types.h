// Types and helpers for the tests of this layer.
//
// Node: a gc object with two slots and a place for weakrefs, whose finalizer
// and deallocation are counted. Leaf: an object without references. World: an
// isolate with the calling thread attached, which checks at the end that
// nothing is left.
#ifndef TIDEPOOL_OBJECT_INTERNAL_TEST_TYPES_H_
#define TIDEPOOL_OBJECT_INTERNAL_TEST_TYPES_H_

#include <functional>
#include <memory>
#include <utility>

#include "gtest/gtest.h"
#include "tidepool/allocator/options.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/check.h"
#include "tidepool/base/event.h"
#include "tidepool/base/thread.h"
#include "tidepool/object/invariants.h"
#include "tidepool/object/isolate.h"
#include "tidepool/object/load_ref.h"
#include "tidepool/object/object.h"
#include "tidepool/object/object_mutex.h"
#include "tidepool/object/refcount.h"
#include "tidepool/object/thread_state.h"
#include "tidepool/object/weakref.h"

namespace tidepool::testing {

inline Atomic<int64_t> g_dealloc_count{0};
inline Atomic<int64_t> g_finalize_count{0};
// What the finalizer of Node does besides counting.
inline std::function<void(ThreadState*, ObjectHeader*)> g_finalizer;

struct Node : ObjectHeader {
  Atomic<WeakRef*> weakrefs;
  Slot a;
  Slot b;
  uint64_t value;
};

inline int TraverseNode(ObjectHeader* obj, Visitor visit, void* arg) {
  Node* node = static_cast<Node*>(obj);
  if (int r = VisitSlot(node->a, visit, arg)) return r;
  return VisitSlot(node->b, visit, arg);
}
inline void ClearNode(ThreadState* ts, ObjectHeader* obj) {
  Node* node = static_cast<Node*>(obj);
  DecrefValue(ts, ExchangeSlot(node->a, 0));
  DecrefValue(ts, ExchangeSlot(node->b, 0));
}
inline void DeallocNode(ThreadState* ts, ObjectHeader* obj) {
  g_dealloc_count.fetch_add(1, kRelaxed);
  ClearNode(ts, obj);
  FreeObject(ts, obj);
}
inline void FinalizeNode(ThreadState* ts, ObjectHeader* obj) {
  g_finalize_count.fetch_add(1, kRelaxed);
  if (g_finalizer) g_finalizer(ts, obj);
}
inline void DeallocLeaf(ThreadState* ts, ObjectHeader* obj) {
  g_dealloc_count.fetch_add(1, kRelaxed);
  FreeObject(ts, obj);
}

inline TypeInfo MakeNodeType(bool finalizer, uint32_t flags = kTypeGc) {
  TypeInfo type;
  type.name = finalizer ? "FinalNode" : "Node";
  type.basic_size = sizeof(Node);
  type.flags = flags;
  type.traverse = &TraverseNode;
  type.clear = &ClearNode;
  type.dealloc = &DeallocNode;
  if (finalizer) type.finalize = &FinalizeNode;
  type.weakref_offset = sizeof(ObjectHeader);  // Node::weakrefs
  return type;
}
inline const TypeInfo kNodeType = MakeNodeType(false);
inline const TypeInfo kFinalNodeType = MakeNodeType(true);
inline const TypeInfo kPreNodeType =
    MakeNodeType(false, kTypeGc | kTypePreHeader);

inline TypeInfo MakeLeafType() {
  TypeInfo type;
  type.name = "Leaf";
  type.dealloc = &DeallocLeaf;
  return type;
}
inline const TypeInfo kLeafType = MakeLeafType();

inline TypeInfo MakeWeakRefType() {
  TypeInfo type;
  type.name = "WeakRef";
  type.basic_size = sizeof(WeakRef);
  type.flags = kTypeGc | kTypeWeakRef;
  type.traverse = &TraverseWeakRef;
  type.clear = &ClearWeakRef;
  return type;
}
inline const TypeInfo kWeakRefType = MakeWeakRefType();

inline Node* NewNode(ThreadState* ts, const TypeInfo* type = &kNodeType) {
  ObjectHeader* obj = NewObjectZeroed(ts, type, sizeof(Node));
  if (obj == nullptr) return nullptr;
  Track(obj);
  return static_cast<Node*>(obj);
}
inline ObjectHeader* NewLeaf(ThreadState* ts) {
  return NewObject(ts, &kLeafType, sizeof(ObjectHeader));
}

inline int64_t Deallocs() { return g_dealloc_count.load(kRelaxed); }
inline int64_t Finalizes() { return g_finalize_count.load(kRelaxed); }

inline Options TestOptions() {
  Options options;
  options.arena_reserve = 16 << 20;
  return options;
}

class World {
 public:
  explicit World(const Options& options = TestOptions(), Os* os = RealOs()) {
    g_dealloc_count.store(0, kRelaxed);
    g_finalize_count.store(0, kRelaxed);
    g_finalizer = nullptr;
    auto made = Isolate::Create(options, os);
    TP_CHECK(made.ok());
    isolate_ = std::move(*made);
    ts_ = isolate_->AttachThread("main");
    TP_CHECK(ts_ != nullptr);
  }
  ~World() {
    if (ts_ == nullptr) return;
    if (ThreadState::Current() != ts_) ts_->Attach();
    ts_->Safepoint();
    const HeaderCensus census = CountObjects(ts_);
    EXPECT_EQ(census.live, expected_left_);
    EXPECT_EQ(census.dying, 0u);
    isolate_->LeaveThread(ts_);
    g_finalizer = nullptr;
  }
  ThreadState* ts() const { return ts_; }
  Isolate* isolate() const { return isolate_.get(); }
  void ExpectLeft(size_t n) { expected_left_ = n; }

  // Runs body on another thread with a state of its own while this one is
  // detached, to its end.
  void OnThread(const std::function<void(ThreadState*)>& body) {
    Thread thread;
    Event blocked(0);
    TP_CHECK(thread.Start([&] {
      blocked.Wait();
      ThreadState* other = isolate_->AttachThread("other");
      body(other);
      isolate_->LeaveThread(other);
    }));
    BlockingScope blocking(ts_);
    blocked.Set();
    thread.Join();
  }
  // The same, but this thread stays attached and passes no safepoint.
  void OnThreadWhileAttached(const std::function<void(ThreadState*)>& body) {
    Thread thread;
    TP_CHECK(thread.Start([&] {
      ThreadState* other = isolate_->AttachThread("other");
      body(other);
      isolate_->LeaveThread(other);
    }));
    thread.Join();
  }

 private:
  std::unique_ptr<Isolate> isolate_;
  ThreadState* ts_ = nullptr;
  size_t expected_left_ = 0;
};

}  // namespace tidepool::testing

#endif  // TIDEPOOL_OBJECT_INTERNAL_TEST_TYPES_H_
