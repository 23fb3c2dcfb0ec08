// Random interleavings of everything at once, with the invariants walked at
// every stop: threads that share a table of slots, count, replace, read without
// locks, make and drop weakrefs, block, stop the world, come and go.
//
// TIDEPOOL_TEST_SECONDS makes it longer (default: two seconds in all).
#include <cstdlib>
#include <vector>

#include "tidepool/object/internal/test_types.h"

namespace tidepool::testing {
namespace {

double Seconds() {
  const char* text = std::getenv("TIDEPOOL_TEST_SECONDS");
  const double value = text != nullptr ? std::atof(text) : 0;
  return value > 0 ? value : 2;
}

constexpr int kSlots = 32;
constexpr uint64_t kAlive = 0x600dcafe;

struct Shared {
  World* world;
  Slot slots[kSlots] = {};
  Atomic<bool> quit{false};
  Atomic<uint64_t> made{0};
  Atomic<uint64_t> loads{0};
  Atomic<uint64_t> resurrected{0};
};

class Actor {
 public:
  Actor(Shared* shared, ThreadState* ts, uint32_t seed)
      : shared_(shared), ts_(ts), random_(seed) {}
  ~Actor() {
    for (ObjectHeader* obj : held_) Decref(ts_, obj);
  }

  void Step() {
    Slot& slot = shared_->slots[Next() % kSlots];
    switch (Next() % 16) {
      case 0:
      case 1:
      case 2: {  // a new one into the table
        Node* node = Make();
        if (Next() % 2 == 0) SetMaybeWeakref(node);
        DecrefValue(ts_, ExchangeSlot(slot, AsValue(node)));
        break;
      }
      case 3:
        DecrefValue(ts_, ExchangeSlot(slot, Next() % 4 == 0 ? 5 : 0));
        break;
      case 4:
      case 5:
      case 6:
      case 7: {
        uintptr_t value = 0;
        if (LoadRef(ts_, slot, &value) && IsObject(value)) Keep(value);
        shared_->loads.fetch_add(1, kRelaxed);
        break;
      }
      case 8: {  // one object into another's field
        if (held_.size() < 2) break;
        Node* a = static_cast<Node*>(held_.back());
        Node* node = Make();
        Incref(a);
        node->a.store(AsValue(a), kRelaxed);
        SetMaybeWeakref(node);
        DecrefValue(ts_, ExchangeSlot(slot, AsValue(node)));
        break;
      }
      case 9: {  // weak references
        if (held_.empty()) break;
        ObjectHeader* target = held_[Next() % held_.size()];
        WeakRef* ref =
            NewWeakRef(ts_, &kWeakRefType, target, Next() % 2 == 0 ? 0 : 9);
        if (ObjectHeader* got = GetWeakRefTarget(ts_, ref)) Decref(ts_, got);
        Decref(ts_, ref);
        break;
      }
      case 10:
        if (!held_.empty()) {
          ObjectHeader* obj = held_[Next() % held_.size()];
          CriticalSection section(ts_, obj);
          if (Next() % 4 == 0) {
            CriticalSection2 inner(ts_, obj, held_[Next() % held_.size()]);
          }
        }
        break;
      case 11:
        while (held_.size() > 4) {
          Decref(ts_, held_.back());
          held_.pop_back();
        }
        break;
      case 12:
        if (Next() % 4 == 0) {
          BlockingScope blocking(ts_);
          if (Next() % 8 == 0) RealOs()->SleepNs(50000);
        }
        break;
      case 13:
        if (Next() % 64 == 0) {
          shared_->world->isolate()->StopTheWorld(ts_);
          if (Next() % 2 == 0) {
            shared_->world->isolate()->MergeAllQueues(ts_);
            shared_->world->isolate()->heap().AfterStop();
          }
          CheckHeaders(shared_->world->isolate(), ts_);
          shared_->world->isolate()->StartTheWorld(ts_);
        }
        break;
      case 14:
        if (!held_.empty() && Next() % 8 == 0) {
          ObjectHeader* obj = held_[Next() % held_.size()];
          if (SetDeferred(ts_, obj)) ClearDeferred(ts_, obj);
        }
        break;
      default:
        if (!held_.empty()) TryMakeUnique(held_.back());
        break;
    }
    ts_->Safepoint();
  }

 private:
  uint32_t Next() {
    random_ = random_ * 1664525 + 1013904223;
    return random_ >> 8;
  }
  Node* Make() {
    static const TypeInfo* const types[] = {&kNodeType, &kFinalNodeType,
                                            &kPreNodeType};
    Node* node = NewNode(ts_, types[Next() % 3]);
    TP_CHECK(node != nullptr);
    node->value = kAlive;
    shared_->made.fetch_add(1, kRelaxed);
    return node;
  }
  void Keep(uintptr_t value) {
    Node* node = static_cast<Node*>(AsObject(value));
    TP_CHECK(node->value == kAlive);
    held_.push_back(node);
    if (held_.size() > 20) {
      Decref(ts_, held_.front());
      held_.erase(held_.begin());
    }
  }

  Shared* shared_;
  ThreadState* ts_;
  uint32_t random_;
  std::vector<ObjectHeader*> held_;
};

TEST(StressTest, EverythingAtOnce) {
  World world;
  Shared shared;
  shared.world = &world;
  g_finalizer = [&](ThreadState*, ObjectHeader* obj) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(obj);
    if ((address >> 6) % 8 != 0) return;
    // Shows itself again.
    shared.resurrected.fetch_add(1, kRelaxed);
    Incref(obj);
    SetMaybeWeakref(obj);
    DecrefValue(ThreadState::Current(),
                ExchangeSlot(shared.slots[(address >> 9) % kSlots],
                             AsValue(obj)));
  };
  constexpr int kThreads = 4;
  Thread threads[kThreads];
  for (int t = 0; t < kThreads; ++t) {
    ASSERT_TRUE(threads[t].Start([&, t] {
      uint32_t seed = 1000 + t;
      while (!shared.quit.load(kRelaxed)) {
        ThreadState* ts = world.isolate()->AttachThread("actor");
        {
          Actor actor(&shared, ts, seed++);
          for (int i = 0; i < 20000 && !shared.quit.load(kRelaxed); ++i) {
            actor.Step();
          }
        }
        world.isolate()->LeaveThread(ts);
      }
    }));
  }
  {
    BlockingScope blocking(world.ts());
    RealOs()->SleepNs(static_cast<uint64_t>(Seconds() * 1e9));
    shared.quit.store(true, kRelaxed);
    for (Thread& thread : threads) thread.Join();
  }
  g_finalizer = nullptr;
  for (Slot& slot : shared.slots) {
    DecrefValue(world.ts(), ExchangeSlot(slot, 0));
  }
  world.ts()->Safepoint();
  // Chains of resurrected objects may have ended in slots.
  for (Slot& slot : shared.slots) {
    DecrefValue(world.ts(), ExchangeSlot(slot, 0));
  }
  EXPECT_EQ(static_cast<uint64_t>(Deallocs()), shared.made.load(kRelaxed));
  EXPECT_GT(shared.loads.load(kRelaxed), 100u);
}

// python/cpython#124375, bdwgc/bdwgc#86: threads end and start while the world
// is stopped again and again.
TEST(StressTest, ThreadsComeAndGoUnderStops) {
  World world;
  Atomic<bool> quit(false);
  Slot slot(0);
  Thread makers[4];
  for (Thread& maker : makers) {
    ASSERT_TRUE(maker.Start([&] {
      while (!quit.load(kRelaxed)) {
        Thread thread;
        if (!thread.Start([&] {
              ThreadState* ts = world.isolate()->AttachThread("short");
              for (int i = 0; i < 20; ++i) {
                Node* node = NewNode(ts);
                SetMaybeWeakref(node);
                DecrefValue(ts, ExchangeSlot(slot, AsValue(node)));
                uintptr_t value = 0;
                if (LoadRef(ts, slot, &value)) DecrefValue(ts, value);
                ts->Safepoint();
              }
              world.isolate()->LeaveThread(ts);
            })) {
          continue;
        }
        thread.Join();
      }
    }));
  }
  const uint64_t end =
      MonotonicNs() + static_cast<uint64_t>(Seconds() * 0.5e9);
  while (MonotonicNs() < end) {
    {
      StopScope stop(world.ts());
      world.isolate()->MergeAllQueues(world.ts());
      CheckHeaders(world.isolate(), world.ts());
      world.isolate()->ForEachThread([&](ThreadState* ts) {
        EXPECT_EQ(ts->isolate(), world.isolate());
        EXPECT_NE(ts->heap(), nullptr);
      });
    }
    world.ts()->Safepoint();
  }
  quit.store(true, kRelaxed);
  {
    BlockingScope blocking(world.ts());
    for (Thread& maker : makers) maker.Join();
  }
  DecrefValue(world.ts(), ExchangeSlot(slot, 0));
}

}  // namespace
}  // namespace tidepool::testing
