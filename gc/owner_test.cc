// Owner ids: after every pass the first word of an object is its owner's id, 0 if it is
// merged, whatever happened to threads and pages.

#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/event.h"
#include "tidepool/base/thread.h"
#include "tidepool/gc/test_world.h"

namespace tidepool {
namespace {

// Runs fn(ts) on a new thread of the world and waits, detached.
template <class Fn>
void OnThread(World& w, Fn fn) {
  Thread thread;
  ASSERT_TRUE(thread.Start([&w, &fn] {
    ThreadState* ts = w.isolate->AttachThread("worker");
    ASSERT_NE(ts, nullptr);
    fn(ts);
    w.isolate->LeaveThread(ts);
  }));
  BlockingScope blocking(w.ts);
  thread.Join();
}

// A thread that stays, detached, until told.
class Sleeper {
 public:
  Sleeper(World& w, std::function<void(ThreadState*)> first) : w_(w) {
    EXPECT_TRUE(thread_.Start([this, first = std::move(first)] {
      ThreadState* ts = w_.isolate->AttachThread("sleeper");
      tid = ts->tid();
      first(ts);
      ts->Detach();
      ready_.Set();
      wake_.Wait();
      ts->Attach();
      if (last) last(ts);
      w_.isolate->LeaveThread(ts);
    }));
    BlockingScope blocking(w_.ts);
    ready_.Wait();
  }
  void Finish() {
    wake_.Set();
    BlockingScope blocking(w_.ts);
    thread_.Join();
  }
  std::function<void(ThreadState*)> last;
  uint64_t tid = 0;

 private:
  World& w_;
  Thread thread_;
  Event ready_{0};
  Event wake_{0};
};

TEST(OwnerTest, LiveObjectsKeepTheirOwner) {
  World w;
  std::vector<Node*> of_sleeper;
  Sleeper sleeper(w, [&](ThreadState* ts) {
    for (int i = 0; i < 5000; ++i) of_sleeper.push_back(NewNode(ts));
  });
  std::vector<Node*> mine;
  for (int i = 0; i < 5000; ++i) mine.push_back(NewNode(w.ts));
  EXPECT_EQ(w.Collect().candidates, 10000u);
  for (Node* n : of_sleeper) ASSERT_EQ(n->tid.load(kRelaxed), sleeper.tid);
  for (Node* n : mine) ASSERT_EQ(n->tid.load(kRelaxed), w.ts->tid());
  w.CheckHeaders();
  sleeper.last = [&](ThreadState* ts) {
    for (Node* n : of_sleeper) Decref(ts, n);
  };
  sleeper.Finish();
  for (Node* n : mine) w.Drop(n);
  EXPECT_EQ(w.freed(), 10000);
}

// Garbage of a blocked thread is found and freed by another one.
TEST(OwnerTest, GarbageOfABlockedThread) {
  World w;
  Sleeper sleeper(w, [](ThreadState* ts) {
    for (int i = 0; i < 100; ++i) Decref(ts, NewRing(ts, 3));
  });
  EXPECT_EQ(w.Collect().collected, 300u);
  EXPECT_EQ(w.freed(), 300);
  sleeper.Finish();
}

// C14: dropped by a thread that does not own them, queued or merged, then collected.
TEST(OwnerTest, QueuedCounts) {
  World w;
  Node* ring = NewRing(w.ts, 3);
  Node* single = NewNode(w.ts);
  Incref(single);
  OnThread(w, [&](ThreadState* ts) {
    Decref(ts, ring);
    Decref(ts, single);
  });
  EXPECT_EQ(w.Collect().collected, 3u);
  EXPECT_EQ(RefCount(single), 1);
  w.CheckHeaders();
  w.Drop(single);
  EXPECT_EQ(w.freed(), 4);
}

// The same while the owner runs: the counts lie in its queue when the pass begins.
TEST(OwnerTest, CountsQueuedToARunningOwner) {
  World w;
  Node* ring = NewRing(w.ts, 3);
  Node* single = NewNode(w.ts);
  Atomic<bool> dropped{false};
  Thread thread;
  ASSERT_TRUE(thread.Start([&] {
    ThreadState* ts = w.isolate->AttachThread("dropper");
    Decref(ts, ring);
    Decref(ts, single);
    dropped.store(true, kRelease);
    w.isolate->LeaveThread(ts);
  }));
  while (!dropped.load(kAcquire)) {  // attached, and no safepoint
  }
  EXPECT_EQ(w.freed(), 0);
  EXPECT_EQ(w.Collect().collected, 3u);
  EXPECT_EQ(w.freed(), 4);  // what the merge found dead went, too
  BlockingScope blocking(w.ts);
  thread.Join();
}

// The owner has gone: its objects follow the page, and are merged if nobody has it.
TEST(OwnerTest, OwnerGone) {
  World w;
  std::vector<Node*> left;
  uint64_t old_tid = 0;
  OnThread(w, [&](ThreadState* ts) {
    old_tid = ts->tid();
    for (int i = 0; i < 3000; ++i) left.push_back(NewNode(ts));
  });
  w.Collect();
  for (Node* n : left) {
    const uint64_t tid = n->tid.load(kRelaxed);
    ASSERT_TRUE(tid == 0 || tid == w.ts->tid()) << tid << " was " << old_tid;
    ASSERT_EQ(tid == 0, RefState(n->shared.load(kRelaxed)) == kRefMerged);
    ASSERT_EQ(RefCount(n), 1);
  }
  w.CheckHeaders();
  for (Node* n : left) w.Drop(n);
  EXPECT_EQ(w.freed(), 3000);
}

// The same for objects that the collector does not track, and for objects without
// references, whose pages it does not mark.
TEST(OwnerTest, OwnerGoneUntrackedObjects) {
  World w;
  TypeInfo plain = MakeNodeType("Plain");
  plain.flags = 0;
  std::vector<ObjectHeader*> left;
  OnThread(w, [&](ThreadState* ts) {
    for (int i = 0; i < 100; ++i) {
      ObjectHeader* obj = NewObjectZeroed(ts, &plain, sizeof(Node));
      left.push_back(obj);
      Node* untracked = NewNode(ts);
      Untrack(untracked);
      left.push_back(untracked);
    }
  });
  w.Collect();
  for (ObjectHeader* obj : left) {
    const uint64_t tid = obj->tid.load(kRelaxed);
    ASSERT_TRUE(tid == 0 || tid == w.ts->tid());
    ASSERT_EQ(RefCount(obj), 1);
    w.Drop(obj);
  }
  EXPECT_EQ(w.freed(), 200);
}

// C16: many threads, some gone, some blocked, some pages with new owners.
TEST(OwnerTest, ManyThreads) {
  World w;
  std::vector<std::unique_ptr<Sleeper>> sleepers;
  std::vector<Node*> nodes;
  Mutex mutex{0};
  auto fill = [&](ThreadState* ts) {
    for (int i = 0; i < 2000; ++i) {
      Node* n = NewNode(ts);
      if (i % 3 == 0) {
        Decref(ts, n);
      } else {
        MutexLock lock(&mutex);
        nodes.push_back(n);
      }
    }
  };
  for (int i = 0; i < 4; ++i) {
    sleepers.push_back(std::make_unique<Sleeper>(w, fill));
    OnThread(w, fill);
  }
  for (int round = 0; round < 3; ++round) {
    w.Collect();
    w.CheckHeaders();
    std::set<uint64_t> known = {0, w.ts->tid()};
    for (auto& s : sleepers) known.insert(s->tid);
    for (Node* n : nodes) ASSERT_TRUE(known.count(n->tid.load(kRelaxed)) == 1);
    // Foreign frees claim pages; new objects adopt them.
    std::vector<Node*> kept;
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (i % 2 == 0) {
        w.Drop(nodes[i]);
      } else {
        kept.push_back(nodes[i]);
      }
    }
    nodes = kept;
    fill(w.ts);
  }
  for (auto& s : sleepers) s->Finish();
  w.Collect();
  w.CheckHeaders();
  for (Node* n : nodes) {
    ASSERT_EQ(RefCount(n), 1);
    w.Drop(n);
  }
  EXPECT_EQ(w.live_blocks(), 0u);
}

// The documented surface of the reference script: slots freed by the collecting thread on
// another thread's full pages go to a third thread, and every survivor has a right id.
TEST(OwnerTest, ReclaimedPagesGiveTheirOwnersId) {
  Options options;
  options.page_full_retain = 0;
  options.page_reclaim_on_free = 1;
  World w(options);
  std::vector<Node*> kept;
  Sleeper sleeper(w, [&](ThreadState* ts) {
    for (int i = 0; i < 20000; ++i) {
      Node* n = NewNode(ts);
      if (i % 2 == 0) {
        Set(ts, n, 0, n);  // garbage
        Decref(ts, n);
      } else {
        kept.push_back(n);
      }
    }
  });
  EXPECT_EQ(w.Collect().collected, 10000u);
  EXPECT_EQ(w.Collect().collected, 0u);
  w.CheckHeaders();
  size_t reclaimed = 0;
  for (Node* n : kept) {
    const uint64_t tid = n->tid.load(kRelaxed);
    ASSERT_TRUE(tid == sleeper.tid || tid == w.ts->tid());
    if (tid == w.ts->tid()) ++reclaimed;
  }
  EXPECT_GT(reclaimed, 0u);
  sleeper.Finish();
  for (Node* n : kept) w.Drop(n);
  EXPECT_EQ(w.live_blocks(), 0u);
}

}  // namespace
}  // namespace tidepool
