// Explore: runs a body over and over under a strategy. See sched.h.
#include "tidepool/base/sched.h"

#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <memory>
#include <vector>

#include "tidepool/base/atomic.h"
#include "tidepool/base/check.h"
#include "tidepool/base/internal/futex.h"
#include "tidepool/base/internal/sched_strategy.h"
#include "tidepool/base/internal/scheduler.h"
#include "tidepool/base/os.h"
#include "tidepool/base/spin.h"
#include "tidepool/base/thread.h"

namespace tidepool::sched {

using internal::SplitMix;

// What Explore may do with a SchedRun.
struct RunAccess {
  static void Init(SchedRun& run, uint64_t index, uint64_t seed, void* impl) {
    run.index_ = index;
    run.random_state_ = seed;
    run.impl_ = impl;
  }
};

uint64_t SchedRun::Random() {
  SplitMix rng(random_state_);
  uint64_t value = rng.Next();
  random_state_ = rng.state();
  return value;
}

namespace {

SchedOptions WithEnvironment(SchedOptions options) {
  if (options.iterations == 0) {
    options.iterations = options.mode == Mode::kExhaustive ? 100000 : 2000;
  }
  if (const char* text = getenv("TIDEPOOL_SCHED_SEED")) {
    options.seed = strtoull(text, nullptr, 10);
  }
  if (const char* text = getenv("TIDEPOOL_SCHED_ITERATIONS")) {
    options.iterations = strtoull(text, nullptr, 10);
    options.time_budget_ms = 0;
  }
  if (const char* text = getenv("TIDEPOOL_SCHED_REPLAY")) {
    options.mode = Mode::kReplay;
    options.replay = text;
  }
  return options;
}

}  // namespace

#ifdef TIDEPOOL_SCHED

namespace {

using internal::g_scheduler;
using internal::Scheduler;

void PrintReplay() {
  Scheduler* scheduler = g_scheduler;
  if (scheduler == nullptr) return;
  std::string text = scheduler->NotesText() +
                     "sched: replay with TIDEPOOL_SCHED_REPLAY='" +
                     scheduler->ReplayString() + "'\n";
  if (write(STDERR_FILENO, text.data(), text.size()) < 0) return;
}

void OnFatalSignal(int number) {
  // Not async-signal-safe, but the process is lost anyway, and the thread that
  // crashed is the only one that runs.
  signal(number, SIG_DFL);
  fprintf(stderr, "sched: signal %d\n", number);
  PrintReplay();
  raise(number);
}

void CatchFatalSignals() {
  static const bool done = [] {
    SetFatalHook(&PrintReplay);
#if !TIDEPOOL_ASAN && !TIDEPOOL_TSAN
    for (int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) {
      signal(number, &OnFatalSignal);
    }
#endif
    return true;
  }();
  (void)done;
}

// Everything of one Explore; left alone (leaked) when a run fails, for its
// threads still point into it.
struct Exploration {
  SchedOptions options;
  std::function<void(SchedRun&)> body;
  std::unique_ptr<internal::Strategy> strategy;
  std::unique_ptr<Scheduler> scheduler;
  // Written by the driver before it ends or a run fails.
  std::atomic<uint64_t> runs{0};
  uint64_t longest = 0;
  std::atomic<uint32_t> finished{0};
};

// One CPU for all: passing the baton is then one switch on that CPU instead of
// waking another.
void PinToOneCpu() {
  int cpu = sched_getcpu();
  if (cpu < 0) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(cpu, &set);
  sched_setaffinity(0, sizeof set, &set);
}

uint64_t SeedOfRun(const SchedOptions& options, uint64_t run) {
  // Exhaustive mode needs the same values in every run.
  return options.mode == Mode::kRandom ? options.seed * 1000003 + run
                                       : options.seed;
}

void Drive(Exploration* e) {
  PinToOneCpu();
  uint64_t start = MonotonicNs();
  for (uint64_t i = 0; i < e->options.iterations; ++i) {
    if (e->options.time_budget_ms != 0 &&
        MonotonicNs() - start > e->options.time_budget_ms * 1000000) {
      break;
    }
    if (!e->strategy->BeginRun(i)) break;
    e->runs.store(i + 1, std::memory_order_relaxed);
    e->scheduler->BeginRun();
    SchedRun run;
    RunAccess::Init(run, i, SeedOfRun(e->options, i), e->scheduler.get());
    e->body(run);
    e->strategy->EndRun(e->scheduler->step());
    e->longest = std::max(e->longest, e->scheduler->step());
  }
  e->finished.store(1, std::memory_order_release);
  e->scheduler->outcome.store(2, std::memory_order_release);
  tidepool::internal::FutexWake(&e->scheduler->outcome, 1);
}

// Waits for the driver. Ends the process if nothing moves for a minute: a
// controlled thread is blocked on something that the scheduler cannot see.
uint32_t AwaitOutcome(Exploration* e) {
  std::atomic<uint32_t>& outcome = e->scheduler->outcome;
  uint64_t last = ~uint64_t{0};
  int still = 0;
  for (;;) {
    uint32_t value = outcome.load(std::memory_order_acquire);
    if (value != 0) return value;
    if (tidepool::internal::FutexWait(&outcome, 0,
                                      MonotonicNs() + 1000000000)) {
      continue;
    }
    uint64_t now = e->scheduler->progress.load(std::memory_order_relaxed) +
                   e->runs.load(std::memory_order_relaxed);
    still = now == last ? still + 1 : 0;
    last = now;
    if (still >= 60) {
      Fatal("sched: nothing moved for %d s: a thread blocks or loops outside "
            "the scheduler",
            still);
    }
  }
}

}  // namespace

void SchedRun::Spawn(std::function<void()> body) {
  static_cast<Scheduler*>(impl_)->Add(std::move(body));
}

void SchedRun::RunAll() { static_cast<Scheduler*>(impl_)->RunAll(); }

SchedResult Explore(const SchedOptions& wanted,
                    const std::function<void(SchedRun&)>& body) {
  TP_CHECK(!Controlled() && g_scheduler == nullptr);
  CatchFatalSignals();
  auto* e = new Exploration;
  e->options = WithEnvironment(wanted);
  e->body = body;
  e->strategy = internal::MakeStrategy(e->options);
  e->scheduler = std::make_unique<Scheduler>(e->strategy.get(),
                                             e->options.max_steps);
  g_scheduler = e->scheduler.get();
  Thread driver;
  TP_CHECK(driver.Start([e] { Drive(e); }, size_t{8} << 20));
  uint32_t outcome = AwaitOutcome(e);

  SchedResult result;
  result.runs = e->runs.load(std::memory_order_relaxed);
  result.longest_run = e->longest;
  g_scheduler = nullptr;
  if (outcome == 1) {
    result.ok = false;
    result.replay = e->scheduler->ReplayString();
    result.message = e->scheduler->failure + "\nin run " +
                     std::to_string(result.runs - 1) + ", seed " +
                     std::to_string(e->options.seed) + ", step " +
                     std::to_string(e->scheduler->step()) + "\n" +
                     e->scheduler->NotesText() +
                     "replay with TIDEPOOL_SCHED_REPLAY='" + result.replay +
                     "'";
    driver.Detach();  // it stays where it is, and so does *e
    return result;
  }
  driver.Join();
  result.complete = e->strategy->complete();
  result.diverged = e->strategy->diverged();
  delete e;
  return result;
}

NoPreemption::NoPreemption() {
  if (Controlled()) ++internal::t_task->no_preemption;
}

NoPreemption::~NoPreemption() {
  if (Controlled()) --internal::t_task->no_preemption;
}

void Note(const char* format, ...) {
  if (g_scheduler == nullptr) return;
  char text[256];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  g_scheduler->AddNote(text);
}

namespace internal {
void SchedCheckFailed(const char* file, int line, const char* what) {
  std::string text = std::string(file) + ":" + std::to_string(line) +
                     ": check failed: " + what;
  if (g_scheduler == nullptr) Fatal("%s", text.c_str());
  g_scheduler->Fail(text);
}
}  // namespace internal

#else  // !TIDEPOOL_SCHED

namespace {

struct PlainRun {
  std::vector<std::function<void()>> bodies;
};

}  // namespace

void SchedRun::Spawn(std::function<void()> body) {
  static_cast<PlainRun*>(impl_)->bodies.push_back(std::move(body));
}

void SchedRun::RunAll() {
  auto bodies = std::move(static_cast<PlainRun*>(impl_)->bodies);
  static_cast<PlainRun*>(impl_)->bodies.clear();
  // All start together, as far as the machine allows.
  Atomic<size_t> waiting(bodies.size());
  std::vector<Thread> threads(bodies.size());
  for (size_t i = 0; i < bodies.size(); ++i) {
    bool started = threads[i].Start([&waiting, &bodies, i] {
      waiting.fetch_sub(1, kAcqRel);  // pairs with the load below
      for (int spins = 0; waiting.load(kAcquire) != 0; ++spins) {
        if (spins < 1000) {
          SpinPause();
        } else {
          RealOs()->SleepNs(20000);  // fewer processors than threads
        }
      }
      bodies[i]();
    });
    TP_CHECK(started);
  }
  for (Thread& thread : threads) thread.Join();
}

SchedResult Explore(const SchedOptions& wanted,
                    const std::function<void(SchedRun&)>& body) {
  SchedOptions options = WithEnvironment(wanted);
  SchedResult result;
  uint64_t start = MonotonicNs();
  for (uint64_t i = 0; i < options.plain_iterations; ++i) {
    if (options.time_budget_ms != 0 &&
        MonotonicNs() - start > options.time_budget_ms * 1000000) {
      break;
    }
    PlainRun plain;
    SchedRun run;
    RunAccess::Init(run, i, options.seed * 1000003 + i, &plain);
    body(run);
    ++result.runs;
  }
  return result;
}

void Note(const char*, ...) {}

namespace internal {
void SchedCheckFailed(const char* file, int line, const char* what) {
  Fatal("%s:%d: check failed: %s", file, line, what);
}
}  // namespace internal

#endif  // TIDEPOOL_SCHED

}  // namespace tidepool::sched
