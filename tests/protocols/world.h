// What the protocol tests share: an isolate per run, objects that know whether
// they are alive, threads that attach and leave, and a last look at the heap.
//
// The threads' arrival is no part of most tests, so it runs without preemption;
// everything after it is searched. Ghosts are what a test knows and the code
// under test does not: under the scheduler plain words (no scheduling points),
// elsewhere atomics.
#ifndef TIDEPOOL_TESTS_PROTOCOLS_WORLD_H_
#define TIDEPOOL_TESTS_PROTOCOLS_WORLD_H_

#include <stdio.h>
#include <stdlib.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "gtest/gtest.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/sched.h"
#include "tidepool/base/spin.h"
#include "tidepool/object/invariants.h"
#include "tidepool/object/isolate.h"
#include "tidepool/object/load_ref.h"
#include "tidepool/object/object.h"
#include "tidepool/object/refcount.h"

namespace tidepool::protocols {

class Ghost {
 public:
#ifdef TIDEPOOL_SCHED
  int Get() const { return value_; }
  void Set(int value) { value_ = value; }
  int Add(int delta) { return value_ += delta; }

 private:
  int value_ = 0;
#else
  // Relaxed: a ghost must not order what the code under test does not.
  int Get() const { return value_.load(kRelaxed); }
  void Set(int value) { value_.store(value, kRelaxed); }
  int Add(int delta) { return value_.fetch_add(delta, kRelaxed) + delta; }

 private:
  Atomic<int> value_{0};
#endif
};

// An object with an id and a slot. Large ones have a page of their own, so that
// their memory goes through the dormant pool and comes back at once.
struct Thing : ObjectHeader {
  uint64_t id;
  Slot slot;
};
inline constexpr size_t kSmallThing = sizeof(Thing);
inline constexpr size_t kLargeThing = 128 << 10;

class World {
 public:
  static constexpr int kThings = 16;

  explicit World(sched::SchedRun& run) : run_(run) {
    Options options;
    options.arena_reserve = 16 << 20;
    auto made = Isolate::Create(options);
    SCHED_CHECK(made.ok());
    isolate_ = std::move(*made);
    isolate_->SetWatchdog(0, nullptr, nullptr);  // virtual time is no time
    type_.name = "Thing";
    type_.embedder = this;
    type_.dealloc = [](ThreadState* ts, ObjectHeader* obj) {
      World* world = static_cast<World*>(obj->type()->embedder);
      Thing* thing = static_cast<Thing*>(obj);
      SCHED_CHECK(thing->id < kThings);
      SCHED_CHECK(world->held_[thing->id].Get() == 0);
      SCHED_CHECK(world->dead_[thing->id].Add(1) == 1);
      DecrefValue(ts, thing->slot.exchange(0, kAcqRel));
      FreeObject(ts, obj);
    };
  }

  Isolate* isolate() { return isolate_.get(); }
  HeapDomain& heap() { return isolate_->heap(); }

  // Adds a thread that is attached while `body` runs.
  void Spawn(const char* name, std::function<void(ThreadState*)> body) {
    run_.Spawn([this, name, body = std::move(body)] { Live(name, body); });
  }

  // The life of an attached thread, on the calling one.
  void Live(const char* name, const std::function<void(ThreadState*)>& body) {
    ThreadState* ts = Arrive(name);
    body(ts);
    isolate_->LeaveThread(ts);
  }

  ThreadState* Arrive(const char* name) {
    sched::NoPreemption scope;
    ThreadState* ts = isolate_->AttachThread(name);
    SCHED_CHECK(ts != nullptr);
    return ts;
  }

  // Waits until there were `n` calls. (The second meeting of two has n = 4.)
  void Meet(int n) {
    sched::NoPreemption scope;
    // Acquire and release: the scene that one sets before it comes is seen by all.
    met_.fetch_add(1, kAcqRel);
    while (met_.load(kAcquire) < n) {
      SpinPause();
      // Plain threads may be more than processors.
      if (!sched::kEnabled) RealOs()->SleepNs(1000);
    }
  }

  // A new object; the caller holds the one reference.
  Thing* New(ThreadState* ts, uint64_t id, size_t size = kSmallThing) {
    ObjectHeader* obj = NewObject(ts, &type_, size);
    SCHED_CHECK(obj != nullptr);
    Thing* thing = static_cast<Thing*>(obj);
    thing->id = id;
    thing->slot.store(0, kRelaxed);
    return thing;
  }

  // The caller has got, or gives up, a reference that it is sure of. What is held
  // must be alive, and must not be freed meanwhile.
  void Hold(Thing* thing) {
    SCHED_CHECK(thing->id < kThings);
    held_[thing->id].Add(1);
    SCHED_CHECK(dead_[thing->id].Get() == 0);
  }
  void Drop(ThreadState* ts, Thing* thing) {
    held_[thing->id].Add(-1);
    Decref(ts, thing);
  }

  // As a reader that falls back on the container's lock. Null if the slot is
  // empty.
  Thing* Load(ThreadState* ts, Slot& slot, Mutex& lock) {
    uintptr_t value = 0;
    if (!LoadRef(ts, slot, &value)) {
      // Nobody passes a safepoint under this lock, so no detaching.
      MutexLock guard(&lock);
      value = LoadRefLocked(slot);
    }
    if (value == 0) return nullptr;
    Thing* thing = static_cast<Thing*>(AsObject(value));
    Hold(thing);
    return thing;
  }

  // Puts `thing` (or null) there, with the reference that the caller had, and
  // drops what was there.
  void Put(ThreadState* ts, Slot& slot, Mutex& lock, Thing* thing) {
    uintptr_t old;
    {
      MutexLock guard(&lock);
      old = ExchangeSlotLocked(slot, thing == nullptr ? 0 : AsValue(thing));
    }
    DecrefValue(ts, old);
  }

  bool IsDead(uint64_t id) const { return dead_[id].Get() != 0; }

  // Runs the threads, then looks at everything from a thread that comes last:
  // each of the first `things` ids has died, and the heap holds nothing.
  void Finish(uint64_t things) {
    run_.RunAll();
    Spawn("last", [&](ThreadState* ts) {
      sched::NoPreemption scope;
      ts->Safepoint();
      isolate_->StopTheWorld(ts);
      isolate_->MergeAllQueues(ts);
      CheckHeaders(isolate_.get(), ts);
      heap().CheckInvariants();
      isolate_->StartTheWorld(ts);
      ts->Safepoint();
      for (uint64_t id = 0; id < things; ++id) SCHED_CHECK(IsDead(id));
      const HeaderCensus census = CountObjects(ts);
      SCHED_CHECK(census.live == 0 && census.dying == 0);
    });
    run_.RunAll();
  }

 private:
  sched::SchedRun& run_;
  std::unique_ptr<Isolate> isolate_;
  TypeInfo type_;
  Atomic<int> met_{0};
  Ghost held_[kThings];
  Ghost dead_[kThings];
};

// --- How the tests search. ---

// The full suite looks ten times as long (TIDEPOOL_TEST_SECONDS is set there).
inline uint64_t Effort() {
  return getenv("TIDEPOOL_TEST_SECONDS") != nullptr ? 10 : 1;
}

inline void ExpectOk(const sched::SchedOptions& options,
                     const std::function<void(sched::SchedRun&)>& body) {
  sched::SchedResult result = sched::Explore(options, body);
  EXPECT_TRUE(result.ok) << result.message;
  if (getenv("TIDEPOOL_SCHED_VERBOSE") != nullptr) {
    fprintf(stderr, "%llu runs, longest %llu steps, %llu diverged%s\n",
            static_cast<unsigned long long>(result.runs),
            static_cast<unsigned long long>(result.longest_run),
            static_cast<unsigned long long>(result.diverged),
            result.complete ? ", complete" : "");
  }
}

inline sched::SchedOptions RandomRuns(uint64_t iterations) {
  sched::SchedOptions options;
  options.iterations = iterations * Effort();
  options.time_budget_ms *= Effort();
  options.plain_iterations = 40 * Effort();
  return options;
}

// Every schedule with few preemptions, as far as `iterations` reach.
inline sched::SchedOptions FewPreemptions(int preemptions,
                                          uint64_t iterations = 3000) {
  sched::SchedOptions options;
  options.mode = sched::Mode::kExhaustive;
  options.max_preemptions = preemptions;
  options.iterations = iterations * Effort();
  options.time_budget_ms *= Effort();
  options.plain_iterations = 10;
  return options;
}

}  // namespace tidepool::protocols

#endif  // TIDEPOOL_TESTS_PROTOCOLS_WORLD_H_
