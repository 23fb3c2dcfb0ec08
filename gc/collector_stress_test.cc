// Mutators at full speed beside collections, on several threads, with every header checked
// at stops. Meant for ThreadSanitizer and AddressSanitizer as much as for itself.

#include <cstdlib>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/thread.h"
#include "tidepool/gc/test_world.h"
#include "tidepool/object/load_ref.h"
#include "tidepool/object/object_mutex.h"

namespace tidepool {
namespace {

// A scale for all durations, as tests elsewhere have it.
uint64_t Rounds(uint64_t plain) {
  const char* seconds = std::getenv("TIDEPOOL_TEST_SECONDS");
  return seconds == nullptr ? plain : plain * std::strtoull(seconds, nullptr, 10);
}

struct Random {
  uint64_t state;
  uint64_t operator()(uint64_t n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % n;
  }
};

// A node of the shared table, read without its lock.
Node* LoadShared(ThreadState* ts, Node* table, int slot) {
  uintptr_t value;
  if (!LoadRef(ts, table->slots[slot], &value)) {
    ObjectLock lock(ts, table);
    value = LoadRefLocked(table->slots[slot]);
  }
  return static_cast<Node*>(AsObject(value));
}

void StoreShared(ThreadState* ts, Node* table, int slot, Node* node) {
  if (node != nullptr) Incref(node);
  uintptr_t old;
  {
    ObjectLock lock(ts, table);
    old = ExchangeSlotLocked(table->slots[slot], AsValue(node));
  }
  DecrefValue(ts, old);
}

class Mutator {
 public:
  Mutator(World& w, std::vector<Node*>& tables, uint64_t seed)
      : w_(w), tables_(tables), random_{seed * 0x9E3779B97F4A7C15u + 1} {}

  void Run(ThreadState* ts, uint64_t rounds) {
    for (uint64_t i = 0; i < rounds; ++i) {
      Step(ts);
      ts->Safepoint();
      if (random_(512) == 0) BlockingScope blocking(ts);
    }
  }

 private:
  void Step(ThreadState* ts) {
    Node* table = tables_[random_(tables_.size())];
    const int slot = static_cast<int>(random_(Node::kSlots));
    const TypeInfo* type = random_(4) == 0 ? &kFinalizedType : &kNodeType;
    switch (random_(6)) {
      case 0: {  // a ring, dropped at once or published
        Node* ring = NewRing(ts, 1 + static_cast<int>(random_(6)), type);
        if (random_(2) == 0) StoreShared(ts, table, slot, ring);
        Decref(ts, ring);
        break;
      }
      case 1:
        StoreShared(ts, table, slot, nullptr);
        break;
      case 2: {  // take from one place, put in another: counts cross threads
        Node* node = LoadShared(ts, table, slot);
        if (node == nullptr) break;
        StoreShared(ts, tables_[random_(tables_.size())],
                    static_cast<int>(random_(Node::kSlots)), node);
        Decref(ts, node);
        break;
      }
      case 3: {  // tie what two slots hold together
        Node* a = LoadShared(ts, table, slot);
        Node* b = LoadShared(ts, tables_[random_(tables_.size())],
                             static_cast<int>(random_(Node::kSlots)));
        if (a != nullptr && b != nullptr) {
          StoreShared(ts, a, 1 + static_cast<int>(random_(3)), b);
        }
        if (a != nullptr) Decref(ts, a);
        if (b != nullptr) Decref(ts, b);
        break;
      }
      case 4: {  // a weakref, asked and dropped
        Node* node = LoadShared(ts, table, slot);
        if (node == nullptr) break;
        WeakRef* ref = NewWeakRef(ts, &kWeakRefType, node, 0);
        Decref(ts, node);
        ObjectHeader* target = GetWeakRefTarget(ts, ref);
        if (target != nullptr) Decref(ts, target);
        Decref(ts, ref);
        break;
      }
      case 5:
        if (random_(64) == 0) w_.collector->Collect(ts, 0, "mutator");
        break;
    }
  }

  World& w_;
  std::vector<Node*>& tables_;
  Random random_;
};

void Stress(const Options& options, const char* policy, int threads_count,
            uint64_t rounds) {
  World w(options, RealOs(), policy);
  g_on_finalize = [](ThreadState* ts, Node*) { ts->Safepoint(); };
  std::vector<Node*> tables;
  for (int i = 0; i < 8; ++i) tables.push_back(NewNode(w.ts));
  for (Node* t : tables) SetMaybeWeakref(t);
  std::vector<Thread> threads(static_cast<size_t>(threads_count));
  for (size_t t = 0; t < threads.size(); ++t) {
    ASSERT_TRUE(threads[t].Start([&, t] {
      // Threads come and go, so that pages and ids change hands.
      for (int life = 0; life < 3; ++life) {
        ThreadState* ts = w.isolate->AttachThread("mutator");
        ASSERT_NE(ts, nullptr);
        Mutator(w, tables, t * 3 + static_cast<uint64_t>(life) + 1)
            .Run(ts, rounds / 3);
        w.isolate->LeaveThread(ts);
      }
    }));
  }
  for (int i = 0; i < 20; ++i) {
    w.Collect();
    w.CheckHeaders();
    BlockingScope blocking(w.ts);
    RealOs()->SleepNs(1'000'000);
  }
  {
    BlockingScope blocking(w.ts);
    for (Thread& t : threads) t.Join();
  }
  w.Collect();
  w.CheckHeaders();
  for (Node* t : tables) w.Drop(t);
  w.Collect();
  w.Collect();
  EXPECT_EQ(w.live_blocks(), 0u);
}

TEST(CollectorStressTest, Manual) { Stress(Options(), "manual", 3, Rounds(20000)); }

TEST(CollectorStressTest, ByPolicy) {
  Stress(Options(), "live_bytes:base=64k", 3, Rounds(20000));
}

TEST(CollectorStressTest, Reclaiming) {
  Options options;
  options.page_full_retain = 0;
  options.page_reclaim_on_free = 1;
  Stress(options, "live_bytes:base=128k", 3, Rounds(20000));
}

TEST(CollectorStressTest, GcStress) {
  Options options;
  options.gc_stress = 20;
  Stress(options, "manual", 2, Rounds(1500));
}

// C26: cycles made by one thread, dropped by others, collected by all.
TEST(CollectorStressTest, CyclesThroughAQueue) {
  World w;
  std::vector<Node*> tables;
  for (int i = 0; i < 4; ++i) tables.push_back(NewNode(w.ts));
  for (Node* t : tables) SetMaybeWeakref(t);
  Atomic<bool> done{false};
  std::vector<Thread> consumers(3);
  for (size_t t = 0; t < consumers.size(); ++t) {
    ASSERT_TRUE(consumers[t].Start([&, t] {
      ThreadState* ts = w.isolate->AttachThread("consumer");
      Random random{t + 77};
      while (!done.load(kAcquire)) {
        StoreShared(ts, tables[random(4)], static_cast<int>(random(Node::kSlots)),
                    nullptr);
        if (random(200) == 0) w.collector->Collect(ts);
        ts->Safepoint();
      }
      w.isolate->LeaveThread(ts);
    }));
  }
  Random random{5};
  for (uint64_t i = 0; i < Rounds(30000); ++i) {
    Node* ring = NewRing(w.ts, 3, &kFinalizedType);
    StoreShared(w.ts, tables[random(4)], static_cast<int>(random(Node::kSlots)), ring);
    w.Drop(ring);
    if (random(500) == 0) w.Collect();
    w.ts->Safepoint();
  }
  done.store(true, kRelease);
  {
    BlockingScope blocking(w.ts);
    for (Thread& t : consumers) t.Join();
  }
  for (Node* t : tables) w.Drop(t);
  w.Collect();
  EXPECT_EQ(w.live_blocks(), 0u);
  EXPECT_EQ(w.finalized() * 1, static_cast<int64_t>(Rounds(30000)) * 3);
}

}  // namespace
}  // namespace tidepool
