// The deterministic scheduler: real code through chosen interleavings.
//
//   sched::SchedOptions options;
//   options.mode = sched::Mode::kExhaustive;
//   auto result = sched::Explore(options, [](sched::SchedRun& run) {
//     Shared shared;                       // fresh state for every run
//     run.Spawn([&] { ... });              // threads of this run
//     run.Spawn([&] { ... SCHED_CHECK(shared.ok()); });
//     run.RunAll();                        // until all are done
//     SCHED_CHECK(shared.Total() == 2);    // and checks afterwards
//   });
//   EXPECT_TRUE(result.ok) << result.message;
//
// In the `sched` build the threads are real pthreads, but only one runs at a
// time; at every Atomic operation, park, unpark, sleep, thread start and exit
// the scheduler decides who goes on. So a run is a function of those decisions:
// a failure prints a replay string which repeats it. What is searched is the
// interleavings of atomic steps (sequential consistency); weak memory orders
// are for the models and for ThreadSanitizer.
//
//   random      each run uses one of two strategies, chosen by the seed: switch
//               at each point with a probability drawn for the run, or
//               priorities with a few change points (PCT), which finds bugs
//               that need few preemptions in long runs.
//   exhaustive  every interleaving with at most `max_preemptions` switches away
//               from a thread that could have gone on; `complete` says whether
//               `iterations` was enough.
//   replay      one run, following `replay`.
//
// What counts as a failure: SCHED_CHECK, a deadlock (everybody waits, nobody
// has a deadline), more than `max_steps` points in a run (a livelock), and, by
// ending the process with the replay string on stderr, Fatal and fatal signals.
// After a failure the run's threads are left where they are for ever.
//
// Time is virtual: MonotonicNs advances by a little at every point, jumps to
// the earliest deadline when all threads wait, and a thread that waits with a
// deadline may be chosen at any point to time out early (as a slow machine
// would make it).
//
// Ids and addresses: the stacks of controlled threads lie at fixed addresses,
// so CurrentTid() repeats between runs and processes; ids are used again by
// the next run, and by a thread that starts after another ended.
//
// Limits: one Explore at a time per process. Threads made with pthread_create
// directly are not controlled. A controlled thread must not block in the kernel
// or on a foreign lock that another controlled thread holds across a
// scheduling point; Explore ends the process if nothing moves for a minute.
// The code under test should be deterministic apart from the schedule; where it
// is not (caches that the first run fills), exhaustive search has gaps and a
// replay may miss.
//
// In all other builds Explore runs the body `plain_iterations` times with plain
// threads, so the same tests are stress tests there (ThreadSanitizer).
//
// Environment: TIDEPOOL_SCHED_SEED, TIDEPOOL_SCHED_ITERATIONS and
// TIDEPOOL_SCHED_REPLAY override the options of every Explore in the process.
#ifndef TIDEPOOL_BASE_SCHED_H_
#define TIDEPOOL_BASE_SCHED_H_

#include <cstdint>
#include <functional>
#include <string>

namespace tidepool::sched {

enum class Mode : uint8_t { kRandom, kExhaustive, kReplay };

struct SchedOptions {
  Mode mode = Mode::kRandom;
  uint64_t seed = 1;
  // Runs at most. 0: 2,000 in random mode, 100,000 in exhaustive mode.
  uint64_t iterations = 0;
  // Stops after this much real time (the run under way ends first). 0: none.
  uint64_t time_budget_ms = 20000;
  int max_preemptions = 2;
  uint64_t max_steps = 200000;
  std::string replay;
  // Runs in builds without the scheduler.
  uint64_t plain_iterations = 50;
};

struct SchedResult {
  bool ok = true;
  uint64_t runs = 0;
  // Exhaustive mode: everything within the bound has been run.
  bool complete = false;
  // Exhaustive mode: runs that took another course although the choices were the
  // same, because the code under test is not deterministic (state that outlives
  // a run, addresses). Such a search has gaps.
  uint64_t diverged = 0;
  // Points in the longest run.
  uint64_t longest_run = 0;
  std::string message;  // what failed, with how to replay it
  std::string replay;
};

class SchedRun {
 public:
  // Adds a thread that starts at the next RunAll.
  void Spawn(std::function<void()> body);
  // Runs every thread to its end. May be used several times in a run.
  void RunAll();
  // Which run this is, from 0.
  uint64_t index() const { return index_; }
  // A random number that repeats with the run (not in exhaustive mode, where
  // it is the same in all runs).
  uint64_t Random();

 private:
  friend struct RunAccess;
  uint64_t index_ = 0;
  uint64_t random_state_ = 0;
  void* impl_ = nullptr;
};

SchedResult Explore(const SchedOptions& options,
                    const std::function<void(SchedRun&)>& body);

// While one lives on a thread, that thread is switched out only where it cannot
// go on (it parks, or yields in a spin loop). For the parts of a test that set the
// scene: they cost no choices, so the search goes into what matters.
class NoPreemption {
 public:
#ifdef TIDEPOOL_SCHED
  NoPreemption();
  ~NoPreemption();
#else
  NoPreemption() {}
  ~NoPreemption() {}
#endif
  NoPreemption(const NoPreemption&) = delete;
  NoPreemption& operator=(const NoPreemption&) = delete;
};

// True in the `sched` build.
#ifdef TIDEPOOL_SCHED
inline constexpr bool kEnabled = true;
#else
inline constexpr bool kEnabled = false;
#endif

// Adds a line to the trace that a failure prints (the last 40 lines are kept).
void Note(const char* format, ...) __attribute__((format(printf, 1, 2)));

namespace internal {
[[noreturn]] void SchedCheckFailed(const char* file, int line,
                                   const char* what);
}  // namespace internal

}  // namespace tidepool::sched

#define SCHED_CHECK(cond)                        \
  (__builtin_expect(!!(cond), 1)                 \
       ? static_cast<void>(0)                    \
       : ::tidepool::sched::internal::SchedCheckFailed(__FILE__, __LINE__, \
                                                       #cond))

#endif  // TIDEPOOL_BASE_SCHED_H_
