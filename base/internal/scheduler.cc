// Controlled threads, the baton, parking and the virtual clock. See
// scheduler.h.
#include "tidepool/base/internal/scheduler.h"

#ifdef TIDEPOOL_SCHED

#include <limits.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "tidepool/base/check.h"
#include "tidepool/base/internal/futex.h"
#include "tidepool/base/sched_point.h"

namespace tidepool::sched::internal {

TIDEPOOL_TLS Task* t_task = nullptr;
Scheduler* g_scheduler = nullptr;

namespace {

// The clock starts here, so that "now minus something" does not wrap.
constexpr uint64_t kClockStart = 1000000000;
constexpr uint64_t kNsPerStep = 50;

// Stacks at fixed addresses, so that thread ids (the thread pointer lies on
// top of the stack) repeat. Below each lies an unmapped gap.
constexpr uintptr_t kStackBase = 0x5ced00000000;
constexpr size_t kStackStride = size_t{4} << 20;
constexpr size_t kStackSize = size_t{2} << 20;
constexpr int kStacks = 2048;

enum class StackState : uint8_t { kUnmapped, kFree, kUsed };
StackState g_stacks[kStacks];

char* StackAddress(int index) {
  return reinterpret_cast<char*>(kStackBase +
                                 static_cast<uintptr_t>(index) * kStackStride);
}

int TakeStack() {
  for (int i = 0; i < kStacks; ++i) {
    if (g_stacks[i] == StackState::kUsed) continue;
    if (g_stacks[i] == StackState::kUnmapped) {
      void* p = mmap(StackAddress(i), kStackSize, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
                         MAP_FIXED_NOREPLACE,
                     -1, 0);
      if (p != StackAddress(i)) Fatal("sched: cannot map a thread's stack");
    }
    g_stacks[i] = StackState::kUsed;
    return i;
  }
  Fatal("sched: more than %d threads in a run", kStacks);
}

void JoinForReal(Task* task) {
  if (task->joined) return;
  task->joined = true;
  TP_CHECK(pthread_join(task->thread, nullptr) == 0);
  g_stacks[task->stack] = StackState::kFree;
}

pthread_key_t g_exit_key;

// Runs once per round of key destructors; lets all rounds but the last go by,
// so that other destructors of the thread still run under the scheduler.
void OnThreadExit(void* raw) {
  Task* task = static_cast<Task*>(raw);
  if (++task->destructor_round < PTHREAD_DESTRUCTOR_ITERATIONS) {
    pthread_setspecific(g_exit_key, task);
    return;
  }
  t_task = nullptr;
  task->scheduler->Finish(task);
}

void WaitForBaton(Task* task) {
  while (task->baton.load(std::memory_order_acquire) == 0) {
    tidepool::internal::FutexWait(&task->baton, 0, kNoDeadline);
  }
  task->baton.store(0, std::memory_order_relaxed);
}

void* TaskMain(void* raw) {
  Task* task = static_cast<Task*>(raw);
  WaitForBaton(task);
  t_task = task;
  pthread_setspecific(g_exit_key, task);
  return task->entry(task->arg);
}

}  // namespace

void PointSlow() { t_task->scheduler->Point(PointKind::kPoint); }
void YieldSlow() { t_task->scheduler->Point(PointKind::kYield); }

ParkResult SchedPark(const void* address, bool (*validate)(void*),
                     void (*before_sleep)(void*), void* arg,
                     uint64_t deadline_ns) {
  return t_task->scheduler->Park(address, validate, before_sleep, arg,
                                 deadline_ns);
}

void SchedUnparkOne(const void* address, void (*callback)(void*, UnparkResult),
                    void* arg) {
  t_task->scheduler->UnparkOne(address, callback, arg);
}

size_t SchedUnparkAll(const void* address) {
  return t_task->scheduler->UnparkAll(address);
}

uint64_t SchedNowNs() { return t_task->scheduler->Now(); }

void SchedSleep(uint64_t ns) {
  // Nobody unparks this address.
  char here = 0;
  Scheduler* scheduler = t_task->scheduler;
  scheduler->Park(
      &here, [](void*) { return true; }, [](void*) {}, nullptr,
      scheduler->Now() + ns);
}

bool SchedStartThread(void* (*entry)(void*), void* arg, uint64_t* handle) {
  Scheduler* scheduler = t_task->scheduler;
  *handle = static_cast<uint64_t>(scheduler->StartTask(entry, arg)->thread);
  scheduler->Point(PointKind::kPoint);
  return true;
}

void SchedJoinThread(uint64_t handle) { t_task->scheduler->Join(handle); }

void Scheduler::BeginRun() {
  step_ = 0;
  clock_ = kClockStart;
  tickets_ = 0;
  switches_.clear();
  notes_.clear();
}

Task* Scheduler::StartTask(void* (*entry)(void*), void* arg) {
  static const int key_made = pthread_key_create(&g_exit_key, &OnThreadExit);
  TP_CHECK(key_made == 0);
  Task* task = new Task;
  task->id = static_cast<int>(tasks_.size());
  task->scheduler = this;
  task->entry = entry;
  task->arg = arg;
  task->stack = TakeStack();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, StackAddress(task->stack), kStackSize);
  if (pthread_create(&task->thread, &attributes, &TaskMain, task) != 0) {
    Fatal("sched: cannot start a thread");
  }
  pthread_attr_destroy(&attributes);
  tasks_.push_back(task);
  return task;
}

void Scheduler::Add(std::function<void()> body) {
  StartTask(
      [](void* raw) -> void* {
        auto* own = static_cast<std::function<void()>*>(raw);
        (*own)();
        delete own;
        return nullptr;
      },
      new std::function<void()>(std::move(body)));
}

void Scheduler::RunAll() {
  all_done_.store(0, std::memory_order_relaxed);
  Task* first = Pick(PointKind::kBlocked, nullptr);
  if (first != nullptr) {
    PassBaton(first);
    while (all_done_.load(std::memory_order_acquire) == 0) {
      tidepool::internal::FutexWait(&all_done_, 0, kNoDeadline);
    }
  }
  for (Task* task : tasks_) {
    JoinForReal(task);
    delete task;
  }
  tasks_.clear();
}

void Scheduler::Join(uint64_t handle) {
  for (Task* task : tasks_) {
    if (task->joined || static_cast<uint64_t>(task->thread) != handle) continue;
    while (task->state != TaskState::kDone) {
      Park(
          task,
          [](void* raw) {
            return static_cast<Task*>(raw)->state != TaskState::kDone;
          },
          [](void*) {}, task, kNoDeadline);
    }
    JoinForReal(task);
    return;
  }
  Fatal("sched: join of an unknown thread");
}

Task* Scheduler::Pick(PointKind kind, Task* current) {
  progress.fetch_add(1, std::memory_order_relaxed);
  ++step_;
  clock_ += kNsPerStep;
  if (step_ > max_steps_) {
    Fail("more than " + std::to_string(max_steps_) +
         " steps: livelock?\n" + Describe());
  }
  ready_.clear();
  timed_.clear();
  bool waiting = false;
  for (Task* task : tasks_) {
    if (task->state == TaskState::kReady) {
      ready_.push_back(task->id);
    } else if (task->state == TaskState::kBlocked) {
      waiting = true;
      if (task->deadline != kNoDeadline) timed_.push_back(task->id);
    }
  }
  if (ready_.empty() && timed_.empty()) {
    if (!waiting) return nullptr;
    Fail("deadlock\n" + Describe());
  }
  if (kind == PointKind::kYield && ready_.size() > 1) {
    ready_.erase(std::find(ready_.begin(), ready_.end(), current->id));
  }
  std::sort(timed_.begin(), timed_.end(), [this](int a, int b) {
    const Task* x = tasks_[static_cast<size_t>(a)];
    const Task* y = tasks_[static_cast<size_t>(b)];
    return x->deadline != y->deadline ? x->deadline < y->deadline : a < b;
  });
  int current_id = current == nullptr ? -1 : current->id;
  Task* next;
  if (kind == PointKind::kPoint && ready_.size() == 1 && timed_.empty()) {
    next = current;  // no choice
  } else {
    int id = strategy_->Choose(
        SchedDecision{kind, current_id, step_, ready_, timed_});
    next = tasks_[static_cast<size_t>(id)];
  }
  if (next != current || kind == PointKind::kBlocked) {
    switches_.push_back(Switch{step_, next->id});
  }
  if (next->state == TaskState::kBlocked) {  // its deadline passes
    clock_ = std::max(clock_, next->deadline);
    next->park_address = nullptr;
    next->state = TaskState::kReady;
  }
  return next;
}

void Scheduler::PassBaton(Task* to) {
  to->baton.store(1, std::memory_order_release);
  tidepool::internal::FutexWake(&to->baton, 1);
}

void Scheduler::AwaitBaton(Task* self) { WaitForBaton(self); }

void Scheduler::Point(PointKind kind) {
  Task* self = t_task;
  if (self->no_switch != 0) return;
  if (self->no_preemption != 0 && kind == PointKind::kPoint) return;
  Task* next = Pick(kind, self);
  if (next == self) return;
  PassBaton(next);
  AwaitBaton(self);
}

ParkResult Scheduler::Park(const void* address, bool (*validate)(void*),
                           void (*before_sleep)(void*), void* arg,
                           uint64_t deadline) {
  Task* self = t_task;
  TP_CHECK(self->no_switch == 0);
  Point(PointKind::kPoint);
  ++self->no_switch;
  bool valid = validate(arg);
  --self->no_switch;
  if (!valid) return ParkResult::kInvalid;
  self->park_address = address;
  self->park_ticket = ++tickets_;
  self->signalled = false;
  before_sleep(arg);  // may be interrupted, and we may be unparked meanwhile
  if (!self->signalled) {
    self->deadline = deadline;
    self->state = TaskState::kBlocked;
    Task* next = Pick(PointKind::kBlocked, self);
    if (next != self) {
      PassBaton(next);
      AwaitBaton(self);
    }
    self->deadline = kNoDeadline;
  }
  return self->signalled ? ParkResult::kUnparked : ParkResult::kTimedOut;
}

Task* Scheduler::OldestWaiter(const void* address) {
  Task* oldest = nullptr;
  for (Task* task : tasks_) {
    if (task->park_address == address &&
        (oldest == nullptr || task->park_ticket < oldest->park_ticket)) {
      oldest = task;
    }
  }
  return oldest;
}

void Scheduler::Wake(Task* task) {
  task->park_address = nullptr;
  task->signalled = true;
  if (task->state == TaskState::kBlocked) task->state = TaskState::kReady;
}

void Scheduler::UnparkOne(const void* address,
                          void (*callback)(void*, UnparkResult), void* arg) {
  Task* self = t_task;
  Point(PointKind::kPoint);
  Task* taken = OldestWaiter(address);
  bool more = false;
  for (Task* task : tasks_) {
    more = more || (task != taken && task->park_address == address);
  }
  ++self->no_switch;
  callback(arg, UnparkResult{taken != nullptr, more});
  --self->no_switch;
  if (taken != nullptr) Wake(taken);
}

size_t Scheduler::UnparkAll(const void* address) {
  Point(PointKind::kPoint);
  size_t count = 0;
  for (Task* task : tasks_) {
    if (task->park_address != address) continue;
    Wake(task);
    ++count;
  }
  return count;
}

uint64_t Scheduler::Now() { return clock_; }

void Scheduler::Finish(Task* task) {
  task->state = TaskState::kDone;
  for (Task* waiter : tasks_) {  // Join parks on the task
    if (waiter->park_address == task) Wake(waiter);
  }
  Task* next = Pick(PointKind::kBlocked, task);
  if (next != nullptr) {
    PassBaton(next);
    return;
  }
  all_done_.store(1, std::memory_order_release);
  tidepool::internal::FutexWake(&all_done_, 1);
}

void Scheduler::AddNote(const char* text) {
  int id = t_task == nullptr ? -1 : t_task->id;
  notes_.push_back("  [" + std::to_string(step_) + "] T" +
                   std::to_string(id) + ": " + text);
  if (notes_.size() > 40) notes_.erase(notes_.begin());
}

std::string Scheduler::NotesText() const {
  std::string text;
  for (const std::string& note : notes_) text += note + "\n";
  return text;
}

std::string Scheduler::ReplayString() const {
  std::string short_form = strategy_->ShortReplay();
  if (!short_form.empty() && switches_.size() > 60) return short_form;
  std::string text;
  for (const Switch& s : switches_) {
    if (!text.empty()) text += ",";
    text += std::to_string(s.step) + ">" + std::to_string(s.to);
  }
  return text;
}

std::string Scheduler::Describe() const {
  std::string text;
  char line[160];
  for (const Task* task : tasks_) {
    const char* state = task->state == TaskState::kReady     ? "ready"
                        : task->state == TaskState::kBlocked ? "parked"
                                                             : "done";
    snprintf(line, sizeof line, "  T%d %s", task->id, state);
    text += line;
    if (task->park_address != nullptr) {
      snprintf(line, sizeof line, " on %p", task->park_address);
      text += line;
    }
    text += "\n";
  }
  return text;
}

void Scheduler::Fail(const std::string& what) {
  failure = what;
  outcome.store(1, std::memory_order_release);
  tidepool::internal::FutexWake(&outcome, INT_MAX);
  for (;;) pause();
}

}  // namespace tidepool::sched::internal

#endif  // TIDEPOOL_SCHED
