// The C API: threads, safepoints, blocking, calls, longjmp, fork.

#include <cstdio>
#include <new>

#include "tidepool/api/internal/c_impl.h"

namespace tidepool::c_api {
namespace {

static_assert(sizeof(PendingCall) == 2 * sizeof(uintptr_t));

void RunPosted(ThreadState* ts, PendingCall* self) noexcept {
  auto* call = reinterpret_cast<tp_call*>(self);
  InCallback in(ts, "a posted call");
  call->fn(Thread(ts), call);
}

void RunBreakHandler(ThreadState* ts) noexcept {
  ThreadRecord* record = Record(ts);
  if (record->on_break == nullptr) return;
  InCallback in(ts, "a break handler");
  record->on_break(Thread(ts), record->break_arg);
}

void LinkRecord(ThreadRecord* record) {
  MutexLock lock(&g_api_mutex);
  record->next = record->isolate->threads;
  if (record->next != nullptr) record->next->prev = record;
  record->isolate->threads = record;
}

void UnlinkRecordLocked(ThreadRecord* record) {
  (record->prev != nullptr ? record->prev->next : record->isolate->threads) = record->next;
  if (record->next != nullptr) record->next->prev = record->prev;
}

// The OS thread's first enter, or one inside the key's destructor. Null: no memory.
ThreadRecord* MakeRecord(tp_isolate* isolate, const char* name) {
  auto* record = new (std::nothrow) ThreadRecord;
  if (record == nullptr) return nullptr;
  if (pthread_setspecific(isolate->key, record) != 0) {
    delete record;
    return nullptr;
  }
  record->isolate = isolate;
  record->ts = isolate->isolate().AttachThread(name);
  if (record->ts == nullptr) {
    pthread_setspecific(isolate->key, nullptr);
    delete record;
    return nullptr;
  }
  record->ts->embedder_data = record;
  record->ts->visit_roots = &VisitThreadRoots;
  record->ts->on_break = &RunBreakHandler;
  LinkRecord(record);
  return record;
}

void DestroyData(ThreadRecord* record) noexcept {
  // The destructor may set new data.
  for (int i = 0; i < 4 && record->data_destroy != nullptr; ++i) {
    auto* destroy = record->data_destroy;
    void* data = record->data;
    record->data_destroy = nullptr;
    record->data = nullptr;
    InCallback in(record->ts, "the destructor of thread data");
    destroy(Thread(record->ts), data);
  }
}

void LeaveForGood(ThreadRecord* record) {
  tp_isolate* isolate = record->isolate;
  ThreadState* ts = record->ts;
  if (ThreadState::Current() != ts) ts->Attach();
  DestroyData(record);
  DrainDroppedHandles(isolate, ts);
  {
    MutexLock lock(&g_api_mutex);
    record->leaving = true;
  }
  // Finalizers that run in here still find the record.
  isolate->isolate().LeaveThread(ts);
  pthread_setspecific(isolate->key, nullptr);
  {
    MutexLock lock(&g_api_mutex);
    UnlinkRecordLocked(record);
  }
  delete record;
}

}  // namespace
}  // namespace tidepool::c_api

using namespace tidepool::c_api;  // NOLINT
using tidepool::CriticalSection;
using tidepool::MutexLock;
using tidepool::ThreadState;

tp_thread* tp_thread_enter(tp_isolate* isolate, const char* name) noexcept {
  ThreadState* current = ThreadState::Current();
  if (isolate->of_parent) return nullptr;
  if (current != nullptr && current->isolate() != &isolate->isolate()) return nullptr;
  auto* record = static_cast<ThreadRecord*>(pthread_getspecific(isolate->key));
  if (record == nullptr) {
    record = MakeRecord(isolate, name);
    if (record == nullptr) return nullptr;
    record->was_attached = 0;
  } else {
    record->was_attached = record->was_attached << 1 | (current != nullptr ? 1 : 0);
    if (current == nullptr) record->ts->Attach();
  }
  ++record->nest;
  return Thread(record->ts);
}

tp_status tp_thread_leave(tp_thread* thread) noexcept {
  ThreadRecord* record = Record(thread);
  if (record->nest > 1) {
    --record->nest;
    const bool stays = (record->was_attached & 1) != 0;
    record->was_attached >>= 1;
    if (!stays && record->ts->attached()) record->ts->Detach();
    return TP_OK;
  }
  if (record->nest == 0 || record->callbacks != nullptr || record->scopes != nullptr ||
      record->criticals != nullptr || record->leaving) {
    return TP_STATE;
  }
  record->nest = 0;
  record->was_attached = 0;
  if (record->pinned) {
    if (record->ts->attached()) record->ts->Detach();
  } else {
    LeaveForGood(record);
  }
  return TP_OK;
}

void tp_thread_pin(tp_thread* thread) noexcept { Record(thread)->pinned = true; }
tp_thread* tp_thread_current(void) noexcept { return Thread(ThreadState::Current()); }
tp_thread* tp_thread_find(tp_isolate* isolate) noexcept {
  auto* record = static_cast<ThreadRecord*>(pthread_getspecific(isolate->key));
  return record != nullptr ? Thread(record->ts) : nullptr;
}
tp_isolate* tp_thread_isolate(const tp_thread* thread) noexcept { return IsolateOf(thread); }
int tp_thread_is_attached(const tp_thread* thread) noexcept {
  return Thread(thread)->attached();
}
uint64_t tp_thread_id(const tp_thread* thread) noexcept { return Thread(thread)->tid(); }
void tp_thread_set_data(tp_thread* thread, void* data,
                        void (*destroy)(tp_thread*, void*)) noexcept {
  Record(thread)->data = data;
  Record(thread)->data_destroy = destroy;
}
void* tp_thread_data(const tp_thread* thread) noexcept { return Record(thread)->data; }

// --- Safepoints and blocking. ---

void tp_safepoint(tp_thread* thread) noexcept { Attached(thread)->Safepoint(); }
int tp_safepoint_wanted(const tp_thread* thread) noexcept {
  return Thread(thread)->safepoint_wanted();
}
void tp_detach(tp_thread* thread) noexcept { Thread(thread)->Detach(); }
void tp_attach(tp_thread* thread) noexcept { Thread(thread)->Attach(); }
void* tp_blocking_call(tp_thread* thread, void* (*fn)(void*), void* arg) noexcept {
  tidepool::BlockingScope blocking(Thread(thread));
  return CallOut(fn, arg);
}

void tp_thread_break(tp_thread* thread) noexcept {
  Thread(thread)->RequestBreak(tidepool::kBreakEmbedder);
}
void tp_thread_set_break_handler(tp_thread* thread, void (*handler)(tp_thread*, void*),
                                 void* arg) noexcept {
  Record(thread)->on_break = handler;
  Record(thread)->break_arg = arg;
}
void tp_thread_post(tp_thread* thread, tp_call* call) noexcept {
  auto* pending = reinterpret_cast<tidepool::PendingCall*>(call);
  pending->fn = &RunPosted;
  Thread(thread)->AddPendingCall(pending);
}

void tp_stop_the_world(tp_thread* thread, void (*fn)(tp_thread*, void*),
                       void* arg) noexcept {
  tidepool::StopScope stop(Thread(thread));
  CallOut(fn, thread, arg);
}

// --- longjmp. ---

namespace {
struct Mark {
  Scope* scopes;
  Critical* criticals;
  CallbackFrame* callbacks;
};
static_assert(sizeof(Mark) <= sizeof(tp_mark));
}  // namespace

void tp_mark_set(tp_thread* thread, tp_mark* mark) noexcept {
  const ThreadRecord* record = Record(thread);
  *reinterpret_cast<Mark*>(mark) = {record->scopes, record->criticals, record->callbacks};
}

tp_status tp_unwind(tp_thread* thread, const tp_mark* mark) noexcept {
  ThreadRecord* record = Record(thread);
  const Mark& to = *reinterpret_cast<const Mark*>(mark);
  if (record->callbacks != to.callbacks) return TP_STATE;
  // Locks first: what dies with the scopes may run code.
  while (record->criticals != to.criticals) {
    tp_critical_end(thread, reinterpret_cast<tp_critical*>(record->criticals));
  }
  while (record->scopes != to.scopes) CloseScope(record, record->scopes);
  return TP_OK;
}

// --- Critical sections. ---

void tp_critical_begin(tp_thread* thread, tp_critical* section,
                       tp_object* object) noexcept {
  auto* c = reinterpret_cast<Critical*>(section);
  new (c->section) CriticalSection(Attached(thread), Object(object));
  c->outer = Record(thread)->criticals;
  Record(thread)->criticals = c;
}
void tp_critical_begin2(tp_thread* thread, tp_critical* section, tp_object* a,
                        tp_object* b) noexcept {
  auto* c = reinterpret_cast<Critical*>(section);
  static_assert(sizeof(tidepool::CriticalSection2) == sizeof(CriticalSection));
  new (c->section) tidepool::CriticalSection2(Attached(thread), Object(a), Object(b));
  c->outer = Record(thread)->criticals;
  Record(thread)->criticals = c;
}
void tp_critical_end(tp_thread* thread, tp_critical* section) noexcept {
  auto* c = reinterpret_cast<Critical*>(section);
  TP_DCHECK(Record(thread)->criticals == c);
  Record(thread)->criticals = c->outer;
  std::launder(reinterpret_cast<CriticalSection*>(c->section))->~CriticalSection();
}

// --- fork. ---

void tp_fork_prepare(tp_thread* thread) noexcept ABSL_NO_THREAD_SAFETY_ANALYSIS {
  IsolateOf(thread)->collector().PrepareFork(Thread(thread));
  Thread(thread)->isolate()->PrepareFork(Thread(thread));
  // In the stop: whoever holds these is not attached, and waits for nobody (R1).
  g_api_mutex.Lock();
  IsolateOf(thread)->settings_mutex.Lock();
}
void tp_fork_parent(tp_thread* thread) noexcept ABSL_NO_THREAD_SAFETY_ANALYSIS {
  IsolateOf(thread)->settings_mutex.Unlock();
  g_api_mutex.Unlock();
  Thread(thread)->isolate()->ParentAfterFork(Thread(thread));
  IsolateOf(thread)->collector().AfterFork(Thread(thread));
}
void tp_fork_child(tp_thread* thread) noexcept ABSL_NO_THREAD_SAFETY_ANALYSIS {
  tp_isolate* isolate = IsolateOf(thread);
  ThreadRecord* own = Record(thread);
  // First: it forgets who waits for locks.
  Thread(thread)->isolate()->ChildAfterFork(Thread(thread));
  isolate->settings_mutex.Unlock();
  for (ThreadRecord* r = isolate->threads; r != nullptr;) {
    ThreadRecord* next = r->next;
    if (r != own) {
      UnlinkRecordLocked(r);
      delete r;
    }
    r = next;
  }
  isolate->enders = 0;
  LeaveOthersToParentLocked(isolate);
  g_api_mutex.Unlock();
  isolate->collector().AfterFork(Thread(thread));
}
