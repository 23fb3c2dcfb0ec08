// Random object graphs against a model that works out liveness on its own.
//
// A graph is made twice: of objects, and as a list of numbers. The numbers say, by nothing
// but reachability, what a collection must free, which finalizers run, which weakrefs die,
// which callbacks are called and how often, what comes back to life, and how often
// everything is referenced in the end. The objects must agree.
//
// Two rounds a graph. In each, some references from outside are given up in one moment: they
// are moved to a ring of holders of which the last reference is dropped, so that nothing
// dies by counting and one collection finds it all. Finalizers do things whose outcome does
// not depend on their order (Action). A graph's collections may be another thread's: in the
// tests with threads everybody collects, one thread builds a graph, the next drops and
// checks it.
//
// TIDEPOOL_TEST_SECONDS multiplies the number of graphs. A failure names the seed.

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/cond_var.h"
#include "tidepool/base/thread.h"
#include "tidepool/gc/collector.h"
#include "tidepool/object/isolate.h"
#include "tidepool/object/object.h"
#include "tidepool/object/refcount.h"
#include "tidepool/object/type_info.h"
#include "tidepool/object/weakref.h"

namespace tidepool {
namespace {

uint64_t Scale() {
  const char* seconds = std::getenv("TIDEPOOL_TEST_SECONDS");
  return seconds == nullptr ? 1 : std::max<uint64_t>(1, std::strtoull(seconds, nullptr, 10));
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr uint64_t kSlower = 10;
#else
constexpr uint64_t kSlower = 1;
#endif

struct Random {
  explicit Random(uint64_t seed) : state(seed * 0x9E3779B97F4A7C15u + 1) {}
  uint64_t state;
  int operator()(int n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<int>(state % static_cast<uint64_t>(n));
  }
};

constexpr int kSlots = 4;

// What a finalizer does.
enum Action {
  kNone,
  kSaveSelf,    // a new reference from outside to itself
  kSaveFirst,   // to what its slot 0 holds
  kCut,         // empties its slot 2
  kShelve,      // puts itself on the graph's shelf, which lives
  kWeak,        // makes a weakref to itself, with or without a callback
  kActions
};

class Graph;

struct GraphNode : ObjectHeader {
  Atomic<WeakRef*> weakrefs;
  Slot slots[kSlots];
  Graph* graph;
  int index;
};
struct GraphWeakRef : WeakRef {
  Graph* graph;
  int index;
};

int TraverseNode(ObjectHeader* obj, Visitor visit, void* arg) {
  for (const Slot& slot : static_cast<GraphNode*>(obj)->slots) {
    if (int stop = VisitSlot(slot, visit, arg); stop != 0) return stop;
  }
  return 0;
}
void ClearNode(ThreadState* ts, ObjectHeader* obj) {
  for (Slot& slot : static_cast<GraphNode*>(obj)->slots) {
    DecrefValue(ts, slot.exchange(0, kAcqRel));
  }
}
void FinalizeNode(ThreadState* ts, ObjectHeader* obj);
void DeallocNode(ThreadState* ts, ObjectHeader* obj);
void DeallocRef(ThreadState* ts, ObjectHeader* obj);

TypeInfo NodeType(bool finalizer) {
  TypeInfo type;
  type.name = finalizer ? "graph node with finalizer" : "graph node";
  type.basic_size = sizeof(GraphNode);
  type.flags = kTypeGc;
  type.traverse = &TraverseNode;
  type.clear = &ClearNode;
  type.finalize = finalizer ? &FinalizeNode : nullptr;
  type.dealloc = &DeallocNode;
  type.weakref_offset = sizeof(ObjectHeader);
  return type;
}
const TypeInfo kPlain = NodeType(false);
const TypeInfo kFinal = NodeType(true);

TypeInfo RefType() {
  TypeInfo type;
  type.name = "graph weakref";
  type.basic_size = sizeof(GraphWeakRef);
  type.flags = kTypeGc | kTypeWeakRef;
  type.traverse = &TraverseWeakRef;
  type.clear = &ClearWeakRef;
  type.dealloc = &DeallocRef;
  return type;
}
const TypeInfo kRef = RefType();

// An object of the model. Nodes and weakrefs share the numbering.
struct Thing {
  bool is_ref = false;
  bool finalizer = false;
  Action action = kNone;
  int shelf_slot = -1;
  int slots[kSlots] = {-1, -1, -1, -1};
  int target = -1;    // of a weakref
  bool call = false;  // it has a callback
  bool cleared = false;
  int external = 0;
  bool finalized = false;
  bool dead = false;
};

class Graph {
 public:
  // `token` stands for every callback; the hook tells them apart by their weakrefs.
  Graph(ThreadState* ts, uint64_t seed, ObjectHeader* token) : random_(seed), token_(token) {
    Build(ts);
  }
  ~Graph() { EXPECT_TRUE(objects_.empty() || finished_); }

  // Gives up some references from outside (all: every one) in one moment. Returns what a
  // collection then finds: collected and resurrected.
  struct Expected {
    uint64_t collected = 0;
    uint64_t resurrected = 0;
    uint64_t finalizers = 0;
  };
  Expected Drop(ThreadState* ts, bool all);
  // After a collection that began after Drop has ended.
  void Check(ThreadState* ts);
  void Mutate(ThreadState* ts);
  bool empty() const {
    for (const Thing& t : things_) {
      if (!t.dead) return false;
    }
    return true;
  }
  void Finish() { finished_ = true; }

  // --- Called by the objects, on whatever thread. ---
  void Finalize(ThreadState* ts, GraphNode* node);
  void Freed(int index) {
    MutexLock lock(&mutex_);
    EXPECT_EQ(freed_.count(index), 0u);
    freed_.insert(index);
  }
  void Called(int index) {
    MutexLock lock(&mutex_);
    called_.push_back(index);
  }

 private:
  void Build(ThreadState* ts);
  int AddNode(ThreadState* ts, bool finalizer);
  int AddRef(ThreadState* ts, int target, bool call);
  void Point(ThreadState* ts, int from, int slot, int to);
  std::vector<bool> Reach() const;
  GraphNode* node(int i) const { return static_cast<GraphNode*>(objects_[static_cast<size_t>(i)]); }
  Thing& thing(int i) { return things_[static_cast<size_t>(i)]; }

  Random random_;
  ObjectHeader* const token_;
  std::vector<Thing> things_;
  std::vector<ObjectHeader*> objects_;
  int shelf_ = -1;
  int shelved_ = 0;
  bool finished_ = false;
  std::set<int> expect_freed_;
  std::multiset<int> expect_called_;

  Mutex mutex_{0};
  std::set<int> freed_;
  std::vector<int> called_;
  std::set<int> ran_;
  // Weakrefs that finalizers made, by the node's index.
  std::vector<std::pair<int, WeakRef*>> made_;
};

void FinalizeNode(ThreadState* ts, ObjectHeader* obj) {
  auto* node = static_cast<GraphNode*>(obj);
  node->graph->Finalize(ts, node);
}
void DeallocNode(ThreadState* ts, ObjectHeader* obj) {
  ClearNode(ts, obj);
  auto* node = static_cast<GraphNode*>(obj);
  if (node->graph != nullptr) node->graph->Freed(node->index);
  FreeObject(ts, obj);
}
void DeallocRef(ThreadState* ts, ObjectHeader* obj) {
  auto* ref = static_cast<GraphWeakRef*>(obj);
  if (ref->graph != nullptr && ref->index >= 0) ref->graph->Freed(ref->index);
  DeallocWeakRef(ts, obj);
}

int Graph::AddNode(ThreadState* ts, bool finalizer) {
  auto* n = static_cast<GraphNode*>(
      NewObjectZeroed(ts, finalizer ? &kFinal : &kPlain, sizeof(GraphNode)));
  n->graph = this;
  n->index = static_cast<int>(objects_.size());
  TrackNew(n);
  SetMaybeWeakref(n);
  Thing t;
  t.finalizer = finalizer;
  t.external = 1;
  things_.push_back(t);
  objects_.push_back(n);
  return n->index;
}

// Without a callback the target has one weakref at most.
int Graph::AddRef(ThreadState* ts, int target, bool call) {
  if (!call) {
    for (size_t i = 0; i < things_.size(); ++i) {
      Thing& t = things_[i];
      if (t.is_ref && !t.dead && !t.cleared && !t.call && t.target == target) {
        WeakRef* again = NewWeakRef(ts, &kRef, node(target), 0);
        EXPECT_EQ(again, objects_[i]);
        ++t.external;
        return static_cast<int>(i);
      }
    }
  }
  auto* ref = static_cast<GraphWeakRef*>(
      NewWeakRef(ts, &kRef, node(target), call ? AsValue(token_) : 0));
  ref->graph = this;
  ref->index = static_cast<int>(objects_.size());
  SetMaybeWeakref(ref);
  Thing t;
  t.is_ref = true;
  t.target = target;
  t.call = call;
  t.external = 1;
  things_.push_back(t);
  objects_.push_back(ref);
  return ref->index;
}

void Graph::Point(ThreadState* ts, int from, int slot, int to) {
  Incref(objects_[static_cast<size_t>(to)]);
  DecrefValue(ts, node(from)->slots[slot].exchange(AsValue(objects_[static_cast<size_t>(to)]), kAcqRel));
  EXPECT_EQ(thing(from).slots[slot], -1);
  thing(from).slots[slot] = to;
}

void Graph::Build(ThreadState* ts) {
  shelf_ = AddNode(ts, false);
  const int count = 2 + random_(random_(8) == 0 ? 60 : 14);
  std::vector<int> nodes;
  for (int i = 0; i < count; ++i) {
    const bool finalizer = random_(4) == 0;
    const int n = AddNode(ts, finalizer);
    if (finalizer) {
      thing(n).action = static_cast<Action>(random_(kActions));
      if (thing(n).action == kShelve) {
        if (shelved_ == kSlots) {
          thing(n).action = kNone;
        } else {
          thing(n).shelf_slot = shelved_++;
        }
      }
    }
    nodes.push_back(n);
  }
  std::vector<int> targets = nodes;
  for (int i = random_(count); i > 0; --i) {
    targets.push_back(AddRef(ts, nodes[static_cast<size_t>(random_(count))], random_(2) == 0));
  }
  const int edges = random_(2 * count + 1);
  for (int i = 0; i < edges; ++i) {
    const int from = nodes[static_cast<size_t>(random_(count))];
    const int slot = random_(kSlots);
    if (thing(from).slots[slot] != -1) continue;
    Point(ts, from, slot, targets[static_cast<size_t>(random_(static_cast<int>(targets.size())))]);
  }
}

// What the references from outside keep alive.
std::vector<bool> Graph::Reach() const {
  std::vector<bool> alive(things_.size());
  std::vector<size_t> todo;
  for (size_t i = 0; i < things_.size(); ++i) {
    if (!things_[i].dead && things_[i].external > 0) todo.push_back(i);
  }
  while (!todo.empty()) {
    const size_t i = todo.back();
    todo.pop_back();
    if (alive[i]) continue;
    alive[i] = true;
    for (int to : things_[i].slots) {
      if (to >= 0) todo.push_back(static_cast<size_t>(to));
    }
  }
  return alive;
}

Graph::Expected Graph::Drop(ThreadState* ts, bool all) {
  // A ring of holders takes over what is given up.
  const size_t before = things_.size();
  const int first = AddNode(ts, false);
  int last = first;
  int used = 1;  // slot 0 is for the ring
  for (size_t i = 0; i < before; ++i) {
    while (things_[i].external > 0 && !things_[i].dead &&
           (all || (static_cast<int>(i) != shelf_ && random_(3) != 0))) {
      if (used == kSlots) {
        const int next = AddNode(ts, false);
        Point(ts, last, 0, next);
        Decref(ts, node(next));
        --thing(next).external;
        last = next;
        used = 1;
      }
      Point(ts, last, used++, static_cast<int>(i));
      Decref(ts, objects_[i]);
      --things_[i].external;
    }
  }
  Point(ts, last, 0, first);
  --thing(first).external;

  // The model's collection.
  Expected expected;
  const std::vector<bool> alive = Reach();
  auto garbage = [&](size_t i) { return i < alive.size() && !alive[i] && !things_[i].dead; };
  for (size_t i = 0; i < alive.size(); ++i) {
    Thing& ref = things_[i];
    if (!ref.is_ref || ref.dead || ref.cleared || !garbage(static_cast<size_t>(ref.target))) continue;
    ref.cleared = true;
    if (ref.call && !garbage(i)) expect_called_.insert(static_cast<int>(i));
  }
  for (size_t i = 0; i < alive.size(); ++i) {
    Thing& t = things_[i];
    if (!garbage(i) || !t.finalizer || t.finalized) continue;
    t.finalized = true;
    ++expected.finalizers;
    switch (t.action) {
      case kSaveSelf: ++t.external; break;
      case kSaveFirst:
        if (t.slots[0] >= 0) ++thing(t.slots[0]).external;
        break;
      case kCut: t.slots[2] = -1; break;
      case kShelve: thing(shelf_).slots[t.shelf_slot] = static_cast<int>(i); break;
      default: break;
    }
  }
  // The shelf lives, or is garbage like what is on it.
  const std::vector<bool> after = Reach();
  for (size_t i = 0; i < alive.size(); ++i) {
    if (!garbage(i)) continue;
    if (after[i]) {
      ++expected.resurrected;
    } else {
      ++expected.collected;
      expect_freed_.insert(static_cast<int>(i));
    }
  }
  // The last reference goes: from now on a collection may find it.
  Decref(ts, node(first));
  return expected;
}

void Graph::Finalize(ThreadState* ts, GraphNode* n) {
  const Thing& t = things_[static_cast<size_t>(n->index)];
  {
    MutexLock lock(&mutex_);
    EXPECT_EQ(ran_.count(n->index), 0u) << "finalized twice";
    ran_.insert(n->index);
  }
  switch (t.action) {
    case kSaveSelf: Incref(n); break;
    case kSaveFirst:
      if (ObjectHeader* target = AsObject(n->slots[0].load(kAcquire))) Incref(target);
      break;
    case kCut: DecrefValue(ts, n->slots[2].exchange(0, kAcqRel)); break;
    case kShelve:
      Incref(n);
      DecrefValue(ts, node(shelf_)->slots[t.shelf_slot].exchange(AsValue(n), kAcqRel));
      break;
    case kWeak: {
      WeakRef* ref =
          NewWeakRef(ts, &kRef, n, n->index % 2 == 0 ? AsValue(token_) : uintptr_t{0});
      static_cast<GraphWeakRef*>(ref)->graph = this;
      static_cast<GraphWeakRef*>(ref)->index = -1;
      MutexLock lock(&mutex_);
      made_.emplace_back(n->index, ref);
      break;
    }
    default: break;
  }
}

void Graph::Check(ThreadState* ts) {
  std::vector<std::pair<int, WeakRef*>> made;
  {
    MutexLock lock(&mutex_);
    EXPECT_EQ(freed_, expect_freed_);
    EXPECT_EQ(std::multiset<int>(called_.begin(), called_.end()), expect_called_);
    for (size_t i = 0; i < things_.size(); ++i) {
      EXPECT_EQ(ran_.count(static_cast<int>(i)) != 0, things_[i].finalized) << i;
    }
    made.swap(made_);
  }
  for (int i : expect_freed_) thing(i).dead = true;
  // A weakref made by a finalizer is dead if its target is, and was not called.
  for (auto& [index, ref] : made) {
    EXPECT_EQ(IsWeakRefDead(ref), thing(index).dead);
    Decref(ts, ref);
  }
  std::vector<int> count(things_.size());
  for (size_t i = 0; i < things_.size(); ++i) {
    if (things_[i].dead) continue;
    count[i] += things_[i].external;
    for (int to : things_[i].slots) {
      if (to >= 0) ++count[static_cast<size_t>(to)];
    }
  }
  // In a stop, with what is queued to owners merged: a queued drop counts until then.
  StopScope stop(ts);
  ts->isolate()->MergeAllQueues(ts);
  for (size_t i = 0; i < things_.size(); ++i) {
    if (things_[i].dead) continue;
    EXPECT_EQ(RefCount(objects_[i]), count[i]) << i;
    if (things_[i].is_ref) {
      EXPECT_EQ(IsWeakRefDead(static_cast<WeakRef*>(objects_[i])), things_[i].cleared) << i;
    } else {
      EXPECT_EQ(Collector::IsFinalized(objects_[i]), things_[i].finalized) << i;
      EXPECT_TRUE(Collector::IsTracked(objects_[i])) << i;
      for (int k = 0; k < kSlots; ++k) {
        ObjectHeader* to = AsObject(node(static_cast<int>(i))->slots[k].load(kAcquire));
        const int want = things_[i].slots[k];
        EXPECT_EQ(to, want < 0 ? nullptr : objects_[static_cast<size_t>(want)]) << i;
      }
    }
  }
}

// New nodes, edges and weakrefs among what is alive.
void Graph::Mutate(ThreadState* ts) {
  std::vector<int> alive;
  for (size_t i = 0; i < things_.size(); ++i) {
    if (!things_[i].dead && !things_[i].is_ref) alive.push_back(static_cast<int>(i));
  }
  for (int i = random_(4); i > 0; --i) {
    const int n = AddNode(ts, random_(3) == 0);
    thing(n).action = thing(n).finalizer && random_(2) == 0 ? kSaveSelf : kNone;
    alive.push_back(n);
  }
  auto any = [&] { return alive[static_cast<size_t>(random_(static_cast<int>(alive.size())))]; };
  for (int i = random_(8); i > 0; --i) {
    const int from = any(), slot = random_(kSlots);
    if (from != shelf_ && thing(from).slots[slot] == -1) Point(ts, from, slot, any());
  }
  for (int i = random_(3); i > 0; --i) AddRef(ts, any(), random_(2) == 0);
}

void OnWeakRef(ThreadState*, WeakRef* ref, uintptr_t, void*) {
  auto* r = static_cast<GraphWeakRef*>(ref);
  EXPECT_GE(r->index, 0) << "a weakref that a finalizer made";
  if (r->index >= 0) r->graph->Called(r->index);
}

struct Place {
  explicit Place(const char* policy) {
    isolate = *Isolate::Create(Options());
    IsolateHooks hooks;
    hooks.weakref_callback = &OnWeakRef;
    isolate->SetHooks(hooks);
    collector = *Collector::Create(isolate.get(), policy);
  }
  ObjectHeader* NewToken(ThreadState* ts) {
    auto* token = static_cast<GraphNode*>(NewObjectZeroed(ts, &kPlain, sizeof(GraphNode)));
    TrackNew(token);
    SetMaybeWeakref(token);
    return token;
  }

  std::unique_ptr<Isolate> isolate;
  std::unique_ptr<Collector> collector;

  // A whole collection that begins now, whoever else collects.
  CollectStats Collect(ThreadState* ts) {
    for (;;) {
      const CollectStats stats = collector->Collect(ts);
      if (stats.ran) return stats;
      BlockingScope blocking(ts);
      isolate->os()->SleepNs(20'000);
    }
  }
};

// All of a graph's rounds on one thread. `alone`: nobody else collects, so the figures of
// the collections are the model's, too.
void Live(Place& place, ThreadState* ts, Graph* graph, bool alone) {
  for (int round = 0; round < 6 && !graph->empty(); ++round) {
    if (round == 1) graph->Mutate(ts);
    const Graph::Expected expected = graph->Drop(ts, round >= 2);
    const CollectStats stats = place.Collect(ts);
    if (alone) {
      EXPECT_EQ(stats.collected, expected.collected);
      EXPECT_EQ(stats.resurrected, expected.resurrected);
      EXPECT_EQ(stats.finalizers, expected.finalizers);
    }
    graph->Check(ts);
    ts->Safepoint();
  }
  EXPECT_TRUE(graph->empty());
  graph->Finish();
}

TEST(RandomGraphTest, AgreesWithTheModel) {
  Place place("manual");
  ThreadState* ts = place.isolate->AttachThread("main");
  ObjectHeader* token = place.NewToken(ts);
  const uint64_t graphs = 10000 * Scale() / kSlower;
  for (uint64_t seed = 1; seed <= graphs; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Graph graph(ts, seed, token);
    Live(place, ts, &graph, true);
    if (seed % 250 == 0) {
      std::string why;
      EXPECT_EQ(place.collector->CheckInvariants(ts, &why), 0u) << why;
    }
    if (testing::Test::HasFailure()) break;
  }
  Decref(ts, token);
  ts->heap()->Safepoint();
  EXPECT_EQ(place.isolate->heap().LiveIn(kGcKinds).blocks, 0u);
  place.isolate->LeaveThread(ts);
}

// Graphs go from the thread that made them to the next, which drops and checks; all collect,
// and one more thread asks for collections all the time.
TEST(RandomGraphTest, AgreesWithTheModelUnderThreads) {
  constexpr size_t kThreads = 4;
  Place place("live_bytes:base=64k");
  ThreadState* ts = place.isolate->AttachThread("main");
  ObjectHeader* token = place.NewToken(ts);
  const uint64_t graphs = std::max<uint64_t>(20, 400 * Scale() / kSlower);
  struct Desk {
    Mutex mutex{0};
    CondVar changed{0};
    Graph* graph = nullptr;
  } desks[kThreads];
  Atomic<uint32_t> busy{kThreads};
  Thread threads[kThreads + 1];
  for (size_t t = 0; t < kThreads; ++t) {
    ASSERT_TRUE(threads[t].Start([&, t] {
      ThreadState* self = place.isolate->AttachThread("grapher");
      for (uint64_t i = 0; i < graphs; ++i) {
        const uint64_t seed = i * kThreads + t + 1000000;
        Graph* made = new Graph(self, seed, token);
        Graph* taken;
        {
          BlockingScope blocking(self);
          Desk& out = desks[(t + 1) % kThreads];
          {
            MutexLock lock(&out.mutex);
            while (out.graph != nullptr) out.changed.Wait(&out.mutex);
            out.graph = made;
            out.changed.Broadcast();
          }
          MutexLock lock(&desks[t].mutex);
          while (desks[t].graph == nullptr) desks[t].changed.Wait(&desks[t].mutex);
          taken = desks[t].graph;
          desks[t].graph = nullptr;
          desks[t].changed.Broadcast();
        }
        SCOPED_TRACE("seed about " + std::to_string(seed));
        Live(place, self, taken, false);
        delete taken;
        self->Safepoint();
      }
      place.isolate->LeaveThread(self);
      busy.fetch_sub(1, kAcqRel);
    }));
  }
  ASSERT_TRUE(threads[kThreads].Start([&] {
    ThreadState* self = place.isolate->AttachThread("collector");
    while (busy.load(kAcquire) != 0) {
      place.collector->Collect(self);
      BlockingScope blocking(self);
      place.isolate->os()->SleepNs(500'000);
    }
    place.isolate->LeaveThread(self);
  }));
  {
    BlockingScope blocking(ts);
    for (Thread& thread : threads) thread.Join();
  }
  place.Collect(ts);
  Decref(ts, token);
  ts->heap()->Safepoint();
  std::string why;
  EXPECT_EQ(place.collector->CheckInvariants(ts, &why), 0u) << why;
  EXPECT_EQ(place.isolate->heap().LiveIn(kGcKinds).blocks, 0u);
  place.isolate->LeaveThread(ts);
}

}  // namespace
}  // namespace tidepool
