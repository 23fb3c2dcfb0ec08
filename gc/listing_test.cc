// get_objects, referrers, referents; what they leave out.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/thread.h"
#include "tidepool/gc/test_world.h"

namespace tidepool {
namespace {

std::multiset<ObjectHeader*> Objects(World& w, ThreadState* ts) {
  std::multiset<ObjectHeader*> found;
  absl::Status status = w.collector->GetObjects(ts, [&](ObjectHeader* obj) {
    found.insert(obj);
    Decref(ts, obj);
  });
  EXPECT_TRUE(status.ok()) << status;
  return found;
}

TEST(ListingTest, EveryTrackedObjectOnce) {
  World w;
  std::vector<Node*> nodes;
  for (int i = 0; i < 1000; ++i) nodes.push_back(NewNode(w.ts));
  Untrack(nodes[3]);
  auto found = Objects(w, w.ts);
  EXPECT_EQ(found.size(), 999u);
  EXPECT_EQ(found.count(nodes[3]), 0u);
  EXPECT_EQ(found.count(nodes[4]), 1u);
  for (Node* n : nodes) {
    EXPECT_EQ(RefCount(n), 1);
    w.Drop(n);
  }
  EXPECT_TRUE(Objects(w, w.ts).empty());
}

// A10: frozen objects are in the list, and a flag tells them.
TEST(ListingTest, FrozenAndImmortalAreListed) {
  World w;
  Node* a = NewNode(w.ts);
  w.collector->Freeze(w.ts);
  Node* b = NewNode(w.ts);
  Node* c = NewNode(w.ts);
  SetImmortal(w.ts, c);
  EXPECT_EQ(Objects(w, w.ts).size(), 3u);
  int frozen = 0, immortal = 0, all = 0;
  w.collector->VisitObjects(w.ts, [&](const Collector::ObjectInfo& info) {
    ++all;
    frozen += info.frozen;
    immortal += info.immortal;
    EXPECT_FALSE(info.unreachable);
    EXPECT_GE(info.block_size, sizeof(Node));
  });
  EXPECT_EQ(all, 3);
  EXPECT_EQ(frozen, 1);
  EXPECT_EQ(immortal, 1);
  w.Drop(a);
  w.Drop(b);
}

TEST(ListingTest, ReferrersAndReferents) {
  World w;
  Node* target = NewNode(w.ts, &kNodeType, 1);
  Node* a = NewNode(w.ts, &kNodeType, 2);
  Node* b = NewNode(w.ts, &kNodeType, 3);
  Set(w.ts, a, 0, target);
  Set(w.ts, b, 1, target);
  Set(w.ts, b, 2, a);
  std::vector<int64_t> ids;
  auto take = [&](ObjectHeader* obj) {
    ids.push_back(static_cast<Node*>(obj)->id);
    w.Drop(obj);
  };
  ObjectHeader* objects[] = {target};
  ASSERT_TRUE(w.collector->GetReferrers(w.ts, objects, take).ok());
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(ids, std::vector<int64_t>({2, 3}));
  ids.clear();
  objects[0] = b;
  ASSERT_TRUE(w.collector->GetReferents(w.ts, objects, take).ok());
  std::sort(ids.begin(), ids.end());
  EXPECT_EQ(ids, std::vector<int64_t>({1, 2}));
  w.Drop(b);
  w.Drop(a);
  w.Drop(target);
  EXPECT_EQ(w.live_blocks(), 0u);
}

// C09: while a pass runs finalizers, its garbage is not listed.
TEST(ListingTest, GarbageIsNotListed) {
  World w;
  Node* live = NewNode(w.ts);
  size_t listed = 0;
  g_on_finalize = [&](ThreadState* ts, Node* n) {
    auto found = Objects(w, ts);
    listed = std::max(listed, found.size());
    EXPECT_EQ(found.count(n), 0u);
    ObjectHeader* target = Get(n, 0);
    ObjectHeader* targets[] = {target};
    EXPECT_TRUE(w.collector
                    ->GetReferrers(ts, targets, [&](ObjectHeader*) { FAIL(); })
                    .ok());
  };
  w.Drop(NewRing(w.ts, 20, &kFinalizedType));
  EXPECT_EQ(w.Collect().collected, 20u);
  EXPECT_EQ(listed, 1u);
  w.Drop(live);
}

// C09, with threads: one collects cycles with finalizers, another lists all the time.
TEST(ListingTest, ListingBesideCollections) {
  World w;
  Atomic<bool> stop{false};
  uint64_t seen = 0;
  g_on_finalize = [](ThreadState* ts, Node*) { ts->Safepoint(); };
  Thread lister;
  ASSERT_TRUE(lister.Start([&] {
    ThreadState* ts = w.isolate->AttachThread("lister");
    while (!stop.load(kAcquire)) {
      std::vector<ObjectHeader*> kept;
      absl::Status status =
          w.collector->GetObjects(ts, [&](ObjectHeader* o) { kept.push_back(o); });
      EXPECT_TRUE(status.ok());
      seen += kept.size();
      ts->Safepoint();
      // What was returned stays alive for the caller.
      for (ObjectHeader* o : kept) {
        EXPECT_GE(RefCount(o), 1);
        Decref(ts, o);
      }
      ts->Safepoint();
    }
    w.isolate->LeaveThread(ts);
  }));
  uint64_t found = 0;
  for (int round = 0; round < 40; ++round) {
    for (int i = 0; i < 50; ++i) w.Drop(NewRing(w.ts, 4, &kFinalizedType));
    w.ts->Safepoint();
    found += w.Collect().collected;
  }
  stop.store(true, kRelease);
  {
    BlockingScope blocking(w.ts);
    lister.Join();
  }
  found += w.Collect().collected;
  found += w.Collect().collected;
  EXPECT_EQ(found, 40u * 50 * 4);
  EXPECT_EQ(w.finalized(), 40 * 50 * 4);
  EXPECT_EQ(w.live_blocks(), 0u);
}

// What is wrong is told, never read: the type word of a free block leads nowhere.
TEST(ListingTest, CheckInvariantsTellsOfACountOfAFreedObject) {
  for (uint32_t hardening : {kHardenNone, kHardenChecked, kHardened}) {
    Options options;
    options.hardening = hardening;
    World w(options);
    Node* a = NewNode(w.ts);
    Node* b = NewNode(w.ts);
    w.Drop(a);
    w.Drop(b);
    std::string why;
    EXPECT_EQ(w.collector->CheckInvariants(w.ts, &why), 0u) << why;
    for (Node* dead : {a, b}) {
      for (uint32_t count : {1u, UINT32_MAX}) {
        dead->local.store(count, kRelaxed);
        EXPECT_EQ(w.collector->CheckInvariants(w.ts, &why), 1u);
        EXPECT_EQ(why.rfind("count of a freed object: object 0x", 0), 0u) << why;
        EXPECT_NE(why.find("type ?"), std::string::npos) << why;
        dead->local.store(0, kRelaxed);
      }
    }
  }
}

}  // namespace
}  // namespace tidepool
