// QsbrDomain: what its functions promise one by one, and the protocol under the
// scheduler (with a reader that checks that nothing it borrowed was reused).
//
// In the `sched` build these tests kill the mutants qsbr_* (tests/mutants.txt).
#include "tidepool/qsbr/qsbr.h"

#include <functional>
#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/event.h"
#include "tidepool/base/fake_os.h"
#include "tidepool/base/os.h"
#include "tidepool/base/sched.h"
#include "tidepool/base/spin.h"
#include "tidepool/base/thread.h"

namespace tidepool {
namespace {

using sched::SchedOptions;
using sched::SchedRun;

void ExpectOk(const SchedOptions& options,
              const std::function<void(SchedRun&)>& body) {
  sched::SchedResult result = sched::Explore(options, body);
  EXPECT_TRUE(result.ok) << result.message;
}

SchedOptions Exhaustive(int preemptions) {
  SchedOptions options;
  options.mode = sched::Mode::kExhaustive;
  options.max_preemptions = preemptions;
  options.iterations = 20000;
  options.time_budget_ms = 5000;
  return options;
}

SchedOptions Random(uint64_t iterations) {
  SchedOptions options;
  options.iterations = iterations;
  return options;
}

// --- Functions one by one. ---

TEST(QsbrTest, GoalIsReachedWhenTheReaderWasQuiescent) {
  QsbrDomain domain(RealOs());
  QsbrSlot* reader = domain.Register();
  ASSERT_NE(reader, nullptr);
  domain.Attach(reader);
  Seq goal = domain.Advance();
  EXPECT_FALSE(domain.Poll(goal));
  domain.Quiesce(reader);
  EXPECT_TRUE(domain.Poll(goal));
  EXPECT_TRUE(domain.Poll(goal));
  domain.Detach(reader);
  domain.Unregister(reader);
}

TEST(QsbrTest, DetachedReadersHoldNothing) {
  QsbrDomain domain(RealOs());
  QsbrSlot* reader = domain.Register();
  Seq goal = domain.Advance();
  EXPECT_TRUE(domain.Poll(goal));
  domain.Attach(reader);
  goal = domain.Advance();
  EXPECT_FALSE(domain.Poll(goal));
  domain.Detach(reader);
  EXPECT_TRUE(domain.Poll(goal));
  domain.Unregister(reader);
}

TEST(QsbrTest, AttachAfterTheGoalDoesNotHoldItBack) {
  QsbrDomain domain(RealOs());
  QsbrSlot* reader = domain.Register();
  Seq goal = domain.Advance();
  domain.Attach(reader);
  EXPECT_TRUE(domain.Poll(goal));
  domain.Detach(reader);
  domain.Unregister(reader);
}

TEST(QsbrTest, TheOldestOfManyCounts) {
  QsbrDomain domain(RealOs());
  QsbrSlot* a = domain.Register();
  QsbrSlot* b = domain.Register();
  domain.Attach(a);
  domain.Attach(b);
  Seq goal = domain.Advance();
  domain.Quiesce(a);
  EXPECT_FALSE(domain.Poll(goal));
  Seq seen = 0;
  EXPECT_EQ(domain.OldestReader(&seen), b);
  EXPECT_EQ(seen, goal - 2);
  domain.Quiesce(b);
  EXPECT_TRUE(domain.Poll(goal));
  EXPECT_EQ(domain.OldestReader(), nullptr);
  for (QsbrSlot* slot : {a, b}) {
    domain.Detach(slot);
    domain.Unregister(slot);
  }
}

TEST(QsbrTest, GoalWithoutAdvanceNeedsOne) {
  QsbrDomain domain(RealOs());
  Seq goal = domain.Goal();
  EXPECT_EQ(goal, domain.Goal());
  EXPECT_FALSE(domain.Poll(goal));
  domain.EnsureAdvanced(goal);
  EXPECT_TRUE(domain.Poll(goal));
  Seq now = domain.write_sequence();
  domain.EnsureAdvanced(goal);  // already there
  EXPECT_EQ(domain.write_sequence(), now);
}

TEST(QsbrTest, SequencesWrap) {
  const Seq first = ~Seq{0} - 4;  // odd, two steps before the wrap
  QsbrDomain domain(RealOs(), first);
  QsbrSlot* reader = domain.Register();
  domain.Attach(reader);
  std::vector<Seq> goals;
  for (int i = 0; i < 6; ++i) {
    Seq goal = domain.Advance();
    EXPECT_NE(goal, 0u);
    EXPECT_FALSE(domain.Poll(goal));
    goals.push_back(goal);
  }
  EXPECT_LT(goals.back(), first);
  domain.Quiesce(reader);
  for (Seq goal : goals) EXPECT_TRUE(domain.Poll(goal));
  EXPECT_FALSE(domain.Poll(domain.Goal()));
  domain.Detach(reader);
  domain.Unregister(reader);
}

TEST(QsbrTest, SlotsAreUsedAgain) {
  QsbrDomain domain(RealOs());
  for (int i = 0; i < 1000; ++i) {
    QsbrSlot* slot = domain.Register();
    ASSERT_NE(slot, nullptr);
    domain.Attach(slot);
    domain.Detach(slot);
    domain.Unregister(slot);
  }
  EXPECT_EQ(domain.registered(), 0u);
  EXPECT_LT(domain.capacity(), 200u);
}

TEST(QsbrTest, ThousandsOfSlots) {
  QsbrDomain domain(RealOs());
  std::vector<QsbrSlot*> slots;
  for (int i = 0; i < 8192; ++i) {
    QsbrSlot* slot = domain.Register();
    ASSERT_NE(slot, nullptr);
    domain.Attach(slot);
    slots.push_back(slot);
  }
  Seq goal = domain.Advance();
  // Every single one is looked at.
  for (QsbrSlot* slot : slots) {
    EXPECT_FALSE(domain.Poll(goal));
    domain.Quiesce(slot);
  }
  EXPECT_TRUE(domain.Poll(goal));
  for (QsbrSlot* slot : slots) {
    domain.Detach(slot);
    domain.Unregister(slot);
  }
}

TEST(QsbrTest, RegisterWithoutMemoryIsNull) {
  FakeOs os;
  {
    QsbrDomain domain(&os);
    for (uint32_t call : {FakeOs::kReserve, FakeOs::kCommit}) {
      os.FailNth(1, call);
      EXPECT_EQ(domain.Register(), nullptr);
      EXPECT_TRUE(os.failed());
      os.FailNever();
    }
    QsbrSlot* slot = domain.Register();
    ASSERT_NE(slot, nullptr);
    // What exists can be given out without the OS.
    os.FailFrom(1, FakeOs::kMemory);
    std::vector<QsbrSlot*> slots;
    while (QsbrSlot* more = domain.Register()) slots.push_back(more);
    EXPECT_EQ(slots.size() + 1, domain.capacity());
    for (QsbrSlot* more : slots) domain.Unregister(more);
    domain.Unregister(slot);
  }
  EXPECT_EQ(os.reserved_bytes(), 0);
}

TEST(QsbrTest, LargerOsPages) {
  for (size_t page : {size_t{16} << 10, size_t{64} << 10}) {
    FakeOs os;
    os.SetPageSize(page);
    QsbrDomain domain(&os);
    QsbrSlot* slot = domain.Register();
    ASSERT_NE(slot, nullptr);
    EXPECT_GE(domain.capacity(), page / 64);
    domain.Unregister(slot);
  }
}

TEST(QsbrTest, ForkedChildKeepsOneSlot) {
  QsbrDomain domain(RealOs());
  QsbrSlot* mine = domain.Register();
  QsbrSlot* other = domain.Register();
  domain.Attach(mine);
  domain.Attach(other);
  Seq goal = domain.Advance();
  domain.ResetAfterFork(mine);  // as a child whose only thread has `mine`
  EXPECT_EQ(domain.registered(), 1u);
  EXPECT_FALSE(domain.Poll(goal));
  domain.Quiesce(mine);
  EXPECT_TRUE(domain.Poll(goal));
  QsbrSlot* fresh = domain.Register();
  ASSERT_NE(fresh, nullptr);
  EXPECT_NE(fresh, mine);
  domain.Unregister(fresh);
  domain.Detach(mine);
  domain.Unregister(mine);
}

TEST(QsbrTest, ForkedChildDetachesTheOthers) {
  QsbrDomain domain(RealOs());
  QsbrSlot* mine = domain.Register();
  QsbrSlot* other = domain.Register();
  domain.Attach(mine);
  domain.Attach(other);
  Seq goal = domain.Advance();
  domain.DetachOthersAfterFork(mine);
  EXPECT_EQ(domain.registered(), 2u);
  domain.Quiesce(mine);
  EXPECT_TRUE(domain.Poll(goal));
  domain.Unregister(other);  // by whoever cleans up after the gone thread
  domain.Detach(mine);
  domain.Unregister(mine);
}

TEST(QsbrTest, TagsNameReaders) {
  QsbrDomain domain(RealOs());
  QsbrSlot* slot = domain.Register();
  EXPECT_EQ(slot->tag(), nullptr);
  int name = 0;
  slot->set_tag(&name);
  EXPECT_EQ(slot->tag(), &name);
  domain.Unregister(slot);
}

// --- The protocol. ---

struct Node {
  Atomic<int> alive{1};
};

// One shared slot with a node in it, and who borrows and retires.
struct World {
  QsbrDomain domain{RealOs()};
  Node nodes[2];
  Atomic<Node*> slot{&nodes[0]};

  // Looks at the node, if there is one, as a lock-free reader does.
  Node* Borrow() { return slot.load(kAcquire); }
  void CheckAlive(Node* node) {
    if (node != nullptr) SCHED_CHECK(node->alive.load(kRelaxed) == 1);
  }

  // Unlinks nodes[0] and reuses it once `poll` says so; gives up after a few
  // tries.
  void Retire(Seq goal) {
    for (int i = 0; i < 4; ++i) {
      if (domain.Poll(goal)) {
        nodes[0].alive.store(0, kRelaxed);
        return;
      }
      SpinPause();
    }
  }
};

void ReadTwice(World& w, QsbrSlot* me) {
  w.domain.Attach(me);
  for (int i = 0; i < 2; ++i) {
    Node* node = w.Borrow();
    w.CheckAlive(node);
    w.CheckAlive(node);
    w.domain.Quiesce(me);
  }
  w.domain.Detach(me);
}

// The attach fence and the poll fence (Q1): a thread that comes online while
// somebody polls either is seen or sees the unlinking.
void AttachAgainstPoll(SchedRun& run) {
  World w;
  QsbrSlot* reader = w.domain.Register();
  run.Spawn([&] { ReadTwice(w, reader); });
  run.Spawn([&] {
    w.slot.store(nullptr, kRelease);
    w.Retire(w.domain.Advance());
  });
  run.RunAll();
  w.domain.Unregister(reader);
}

TEST(QsbrProtocolTest, AttachAgainstPoll) {
  ExpectOk(Exhaustive(2), AttachAgainstPoll);
  ExpectOk(Random(3000), AttachAgainstPoll);
}

// The same with a goal that somebody else reaches: retired with Goal(), while
// another thread advances for reasons of its own.
void GoalWithoutAdvance(SchedRun& run) {
  World w;
  QsbrSlot* reader = w.domain.Register();
  run.Spawn([&] { ReadTwice(w, reader); });
  run.Spawn([&] {
    w.slot.store(nullptr, kRelease);
    Seq goal = w.domain.Goal();
    w.domain.EnsureAdvanced(goal);
    w.Retire(goal);
  });
  run.Spawn([&] { w.domain.Advance(); });
  run.RunAll();
  w.domain.Unregister(reader);
}

TEST(QsbrProtocolTest, GoalWithoutAdvance) {
  ExpectOk(Exhaustive(1), GoalWithoutAdvance);
  ExpectOk(Random(3000), GoalWithoutAdvance);
}

// A poller that is slow in the middle of its scan must not claim what happened
// after it began (Q3).
void SlowPoller(SchedRun& run) {
  World w;
  QsbrSlot* reader = w.domain.Register();
  run.Spawn([&] { w.domain.Poll(w.domain.Goal()); });
  run.Spawn([&] { ReadTwice(w, reader); });
  run.Spawn([&] {
    w.slot.store(nullptr, kRelease);
    w.Retire(w.domain.Advance());
  });
  run.RunAll();
  w.domain.Unregister(reader);
}

TEST(QsbrProtocolTest, SlowPoller) { ExpectOk(Random(8000), SlowPoller); }

// crossbeam-rs/crossbeam#105: a section inside a section must not move the
// thread forward while the outer one still holds its pointer (Q2).
void NestedSections(SchedRun& run) {
  World w;
  QsbrSlot* reader = w.domain.Register();
  run.Spawn([&] {
    w.domain.Attach(reader);
    Node* node = w.Borrow();
    for (int i = 0; i < 3; ++i) {
      w.domain.Attach(reader);
      w.domain.Advance();  // the section retires something too
      w.CheckAlive(node);
      w.domain.Detach(reader);
    }
    w.CheckAlive(node);
    w.domain.Detach(reader);
  });
  run.Spawn([&] {
    w.slot.store(nullptr, kRelease);
    w.Retire(w.domain.Advance());
  });
  run.RunAll();
  w.domain.Unregister(reader);
}

TEST(QsbrProtocolTest, NestedSections) {
  ExpectOk(Exhaustive(2), NestedSections);
  ExpectOk(Random(2000), NestedSections);
}

// concurrencykit/ck#63: a thread pauses while it comes online, and others
// advance several times and reclaim. Its first read must still be safe, and its
// old mark must not hold goals back once it is quiescent.
void PauseWhileAttaching(SchedRun& run) {
  World w;
  QsbrSlot* reader = w.domain.Register();
  Seq last = 0;
  run.Spawn([&] { ReadTwice(w, reader); });
  run.Spawn([&] {
    w.slot.store(&w.nodes[1], kRelease);
    Seq goal = w.domain.Advance();
    for (int i = 0; i < 5; ++i) {
      if (w.domain.Poll(goal)) w.nodes[0].alive.store(0, kRelaxed);
      last = w.domain.Advance();
    }
  });
  run.RunAll();
  SCHED_CHECK(w.domain.Poll(last));
  w.domain.Unregister(reader);
}

TEST(QsbrProtocolTest, PauseWhileAttaching) {
  ExpectOk(Exhaustive(1), PauseWhileAttaching);
  ExpectOk(Random(3000), PauseWhileAttaching);
}

// python/cpython#148953: the slot array grows while others poll; nobody is
// stopped, and a reader in the new chunk is seen.
void GrowthAgainstPoll(SchedRun& run) {
  World w;
  std::vector<QsbrSlot*> slots;
  do {
    slots.push_back(w.domain.Register());
  } while (slots.size() < w.domain.capacity());
  run.Spawn([&] {
    QsbrSlot* reader = w.domain.Register();
    SCHED_CHECK(w.domain.capacity() > slots.size());
    ReadTwice(w, reader);
    w.domain.Unregister(reader);
  });
  run.Spawn([&] {
    w.slot.store(nullptr, kRelease);
    w.Retire(w.domain.Advance());
  });
  run.RunAll();
  for (QsbrSlot* slot : slots) w.domain.Unregister(slot);
}

TEST(QsbrProtocolTest, GrowthAgainstPoll) {
  ExpectOk(Random(1500), GrowthAgainstPoll);
}

// A slot passes from a thread that leaves to one that comes.
void SlotChangesHands(SchedRun& run) {
  World w;
  for (int i = 0; i < 2; ++i) {
    run.Spawn([&] {
      QsbrSlot* me = w.domain.Register();
      w.domain.Attach(me);
      Node* node = w.Borrow();
      w.CheckAlive(node);
      w.CheckAlive(node);
      w.domain.Detach(me);
      w.domain.Unregister(me);
    });
  }
  run.Spawn([&] {
    w.slot.store(nullptr, kRelease);
    w.Retire(w.domain.Advance());
  });
  run.RunAll();
  SCHED_CHECK(w.domain.registered() == 0);
}

TEST(QsbrProtocolTest, SlotChangesHands) {
  ExpectOk(Random(2000), SlotChangesHands);
}

// --- Real threads. ---

// Readers that come and go, start beyond the first chunks, and check; a writer
// that replaces nodes and reuses them when their goals have come.
TEST(QsbrStressTest, ReadersComeAndGo) {
  constexpr int kReaders = 4, kNodes = 64;
  QsbrDomain domain(RealOs());
  Node nodes[kNodes];
  for (Node& node : nodes) node.alive.store(1, kRelaxed);
  Atomic<Node*> slot(&nodes[0]);
  Atomic<int> stop(0);
  Atomic<int> bad(0);
  std::vector<QsbrSlot*> filler;  // so that growth happens in the test
  for (int i = 0; i < 78; ++i) filler.push_back(domain.Register());

  std::vector<Thread> readers(kReaders);
  for (Thread& thread : readers) {
    ASSERT_TRUE(thread.Start([&] {
      while (stop.load(kRelaxed) == 0) {
        QsbrSlot* me = domain.Register();
        domain.Attach(me);
        for (int i = 0; i < 200; ++i) {
          Node* node = slot.load(kAcquire);
          for (int k = 0; k < 5; ++k) {
            if (node->alive.load(kRelaxed) != 1) bad.fetch_add(1, kRelaxed);
          }
          if (i % 8 == 7) domain.Quiesce(me);
        }
        domain.Detach(me);
        domain.Unregister(me);
      }
    }));
  }
  Thread writer;
  ASSERT_TRUE(writer.Start([&] {
    std::vector<std::pair<Node*, Seq>> waiting;
    std::vector<Node*> free_nodes;
    for (int i = 1; i < kNodes; ++i) {
      nodes[i].alive.store(0, kRelaxed);
      free_nodes.push_back(&nodes[i]);
    }
    Node* current = &nodes[0];
    uint64_t end = MonotonicNs() + 400000000;
    while (MonotonicNs() < end) {
      if (!free_nodes.empty()) {
        Node* next = free_nodes.back();
        free_nodes.pop_back();
        next->alive.store(1, kRelaxed);
        slot.store(next, kRelease);
        waiting.emplace_back(current, domain.Advance());
        current = next;
      }
      while (!waiting.empty() && domain.Poll(waiting.front().second)) {
        waiting.front().first->alive.store(0, kRelaxed);
        free_nodes.push_back(waiting.front().first);
        waiting.erase(waiting.begin());
      }
    }
  }));
  writer.Join();
  stop.store(1, kRelaxed);
  for (Thread& thread : readers) thread.Join();
  EXPECT_EQ(bad.load(kRelaxed), 0);
  for (QsbrSlot* slot_of_filler : filler) domain.Unregister(slot_of_filler);
}

}  // namespace
}  // namespace tidepool
