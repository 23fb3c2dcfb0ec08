// The controlled threads of one Explore, and the baton that they pass.
//
// Exactly one controlled thread has the baton; only it touches the scheduler's
// state, so that state is plain. A thread without the baton sleeps on its own
// futex word. `std::atomic` is used here and not Atomic: these words are below
// the scheduling points.
//
//   task state   event                              next
//   -----------  ---------------------------------  --------------------------
//   ready        chosen                             running (has the baton)
//   running      point, yield: another is chosen    ready
//   running      Park                               blocked
//   blocked      UnparkOne/All, or time out chosen  ready
//   running      the thread's destructors are done  done
//   done         joined by a thread or at the end   gone; its stack is free
//
// A thread is controlled until its last pthread key destructor has run, so the
// exit paths of the code under test are interleaved too.
#ifndef TIDEPOOL_BASE_INTERNAL_SCHEDULER_H_
#define TIDEPOOL_BASE_INTERNAL_SCHEDULER_H_

#ifdef TIDEPOOL_SCHED

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tidepool/base/internal/sched_runtime.h"
#include "tidepool/base/internal/sched_strategy.h"

namespace tidepool::sched::internal {

enum class TaskState : uint8_t { kReady, kBlocked, kDone };

struct Task {
  int id;
  TaskState state = TaskState::kReady;
  class Scheduler* scheduler;
  std::atomic<uint32_t> baton{0};
  pthread_t thread;
  int stack;  // index of its fixed stack
  bool joined = false;
  void* (*entry)(void*);
  void* arg;
  int no_switch = 0;         // callbacks that must not be interrupted
  int no_preemption = 0;     // NoPreemption scopes
  int destructor_round = 0;
  // While it is in the parking queue:
  const void* park_address = nullptr;
  uint64_t park_ticket = 0;
  uint64_t deadline = kNoDeadline;
  bool signalled = false;
};

class Scheduler {
 public:
  Scheduler(Strategy* strategy, uint64_t max_steps)
      : strategy_(strategy), max_steps_(max_steps) {}

  // --- By the driver (the thread that runs the body). ---
  void BeginRun();
  void Add(std::function<void()> body);
  void RunAll();

  // --- By the thread with the baton. ---
  Task* StartTask(void* (*entry)(void*), void* arg);
  void Join(uint64_t handle);
  void Point(PointKind kind);
  ParkResult Park(const void* address, bool (*validate)(void*),
                  void (*before_sleep)(void*), void* arg, uint64_t deadline);
  void UnparkOne(const void* address, void (*callback)(void*, UnparkResult),
                 void* arg);
  size_t UnparkAll(const void* address);
  uint64_t Now();
  void Finish(Task* task);
  void AddNote(const char* text);

  // By either. Records the failure and never returns: the thread stays.
  [[noreturn]] void Fail(const std::string& what);

  // Text that repeats this run; also valid while it is under way.
  std::string ReplayString() const;
  std::string NotesText() const;

  uint64_t step() const { return step_; }

  // 0 while running, 1 after Fail. The waiter of Explore sleeps on it.
  std::atomic<uint32_t> outcome{0};
  std::string failure;  // valid once outcome is 1
  // For the watchdog: changes whenever anything moves.
  std::atomic<uint64_t> progress{0};

 private:
  struct Switch {
    uint64_t step;
    int to;
  };

  // Chooses who goes on; null when every task is done.
  Task* Pick(PointKind kind, Task* current);
  void PassBaton(Task* to);
  void AwaitBaton(Task* self);
  void Wake(Task* task);
  Task* OldestWaiter(const void* address);
  std::string Describe() const;

  Strategy* const strategy_;
  const uint64_t max_steps_;
  std::vector<Task*> tasks_;  // of this run, by id
  std::vector<int> ready_;
  std::vector<int> timed_;
  uint64_t step_ = 0;
  uint64_t clock_ = 0;
  uint64_t tickets_ = 0;
  std::vector<Switch> switches_;
  std::vector<std::string> notes_;
  std::atomic<uint32_t> all_done_{0};
};

// The scheduler of the Explore under way, for fatal errors; null outside.
extern Scheduler* g_scheduler;

}  // namespace tidepool::sched::internal

#endif  // TIDEPOOL_SCHED

#endif  // TIDEPOOL_BASE_INTERNAL_SCHEDULER_H_
