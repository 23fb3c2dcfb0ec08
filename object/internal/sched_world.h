// What the scheduler tests of this layer share: an isolate per run, objects
// whose death is watched, and the options of a search.
#ifndef TIDEPOOL_OBJECT_INTERNAL_SCHED_WORLD_H_
#define TIDEPOOL_OBJECT_INTERNAL_SCHED_WORLD_H_

#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/event.h"
#include "tidepool/base/sched.h"
#include "tidepool/object/internal/test_types.h"

namespace tidepool::testing {

// A watched object stays in its block after its death until the run is over, so
// that every store to a dead header is found, and every second death.
struct Watched : ObjectHeader {
  Atomic<int> deaths;
};
inline constexpr uint64_t kDeadTid = 0x7700;

inline void DeallocWatched(ThreadState*, ObjectHeader* obj) {
  SCHED_CHECK(static_cast<Watched*>(obj)->deaths.fetch_add(1, kRelaxed) == 0);
  obj->tid.store(kDeadTid, kRelaxed);
  obj->gc_bits.store(0, kRelaxed);
}
inline TypeInfo MakeWatchedType() {
  TypeInfo type;
  type.name = "Watched";
  type.basic_size = sizeof(Watched);
  type.dealloc = &DeallocWatched;
  return type;
}
inline const TypeInfo kWatchedType = MakeWatchedType();

inline Watched* NewWatched(ThreadState* ts) {
  Watched* obj = static_cast<Watched*>(
      NewObject(ts, &kWatchedType, sizeof(Watched)));
  obj->deaths.store(0, kRelaxed);
  return obj;
}
inline bool IsDead(const Watched* obj) {
  return obj->deaths.load(kRelaxed) == 1;
}
// Dead, and nothing was written to the header since.
inline void CheckDead(const Watched* obj) {
  SCHED_CHECK(IsDead(obj));
  SCHED_CHECK(obj->tid.load(kRelaxed) == kDeadTid);
  SCHED_CHECK(obj->local.load(kRelaxed) == 0);
  SCHED_CHECK(IsDeadWord(obj->shared.load(kRelaxed)));
}

class SchedWorld {
 public:
  SchedWorld() {
    g_dealloc_count.store(0, kRelaxed);
    g_finalize_count.store(0, kRelaxed);
    Options options = TestOptions();
    options.arena_reserve = 4 << 20;
    auto made = Isolate::Create(options);
    TP_CHECK(made.ok());
    isolate_ = std::move(*made);
    isolate_->SetWatchdog(0, nullptr, nullptr);
    isolate_->SetStopChecks(0);
  }
  Isolate* isolate() { return isolate_.get(); }

  // A thread of the run with a state of its own.
  void Spawn(sched::SchedRun& run, std::function<void(ThreadState*)> body) {
    run.Spawn([this, body = std::move(body)] {
      ThreadState* ts = isolate_->AttachThread("spawned");
      body(ts);
      isolate_->LeaveThread(ts);
    });
  }

  // After the run: the invariants, and how many objects live.
  size_t Live() {
    ThreadState* ts = isolate_->AttachThread("main");
    ts->Safepoint();
    const size_t live = CountObjects(ts).live;
    isolate_->LeaveThread(ts);
    return live;
  }

 private:
  std::unique_ptr<Isolate> isolate_;
};

inline void ExploreOk(uint64_t iterations,
                      const std::function<void(sched::SchedRun&)>& body) {
  sched::SchedOptions options;
  options.iterations = iterations;
  options.time_budget_ms = 15000;
  const sched::SchedResult result = sched::Explore(options, body);
  EXPECT_TRUE(result.ok) << result.message;
}

}  // namespace tidepool::testing

#endif  // TIDEPOOL_OBJECT_INTERNAL_SCHED_WORLD_H_
