// The C API: what keeps references for C code: scopes, handles, roots.

#include <new>

#include "tidepool/api/internal/c_impl.h"

namespace tidepool::c_api {
namespace {

// An embedder's root set as the isolate keeps it: the two reserved words.
static_assert(sizeof(RootSet) == 2 * sizeof(uintptr_t));

int VisitEmbedderRoots(RootSet* self, Visitor visit, void* arg) noexcept {
  auto* roots = reinterpret_cast<tp_root_set*>(self);
  VisitArg v{visit, arg};
  return roots->visit_roots(&VisitHook, &v, roots->arg);
}

int VisitHandles(RootSet* self, Visitor visit, void* arg) {
  auto* isolate = reinterpret_cast<tp_isolate*>(reinterpret_cast<char*>(self) -
                                                offsetof(tp_isolate, handle_roots));
  // R3: in a stop nobody is in the middle of changing the list.
  for (tp_handle* h = isolate->handles; h != nullptr; h = h->next) {
    if (int stop = visit(h->object, arg)) return stop;
  }
  return 0;
}

void DropAttached(tp_isolate* isolate, ThreadState* ts, tp_handle* handle) {
  {
    MutexLock lock(&isolate->handle_mutex);
    (handle->prev != nullptr ? handle->prev->next : isolate->handles) = handle->next;
    if (handle->next != nullptr) handle->next->prev = handle->prev;
  }
  isolate->handle_count.fetch_sub(1, kRelaxed);  // a figure
  ObjectHeader* object = handle->object;
  delete handle;
  Decref(ts, object);
}

// The calling thread, whatever its state, is attached to the isolate in the scope.
class AnywhereScope {
 public:
  explicit AnywhereScope(tp_isolate* isolate) {
    ThreadState* current = ThreadState::Current();
    if (current != nullptr && current->isolate() == &isolate->isolate()) {
      ts_ = current;
      return;
    }
    if (current != nullptr) {
      elsewhere_ = current;
      elsewhere_->DetachForLock();
    }
    entered_ = tp_thread_enter(isolate, "handle");
    ts_ = Thread(entered_);
  }
  ~AnywhereScope() {
    if (entered_ != nullptr) tp_thread_leave(entered_);
    if (elsewhere_ != nullptr) elsewhere_->Attach();
  }
  ThreadState* ts() const { return ts_; }

 private:
  ThreadState* ts_ = nullptr;
  ThreadState* elsewhere_ = nullptr;
  tp_thread* entered_ = nullptr;
};

bool Grow(ThreadState* ts, Scope* scope) {
  const size_t bytes = size_t{scope->capacity} * 2 * sizeof(ObjectHeader*);
  void* grown;
  if (scope->items == scope->few) {
    grown = ts->heap()->Allocate(HeapKind::kRaw, bytes);
    if (grown != nullptr) std::memcpy(grown, scope->few, sizeof(scope->few));
  } else {
    grown = ts->heap()->Reallocate(scope->items, bytes);
  }
  if (grown == nullptr) return false;
  scope->items = static_cast<ObjectHeader**>(grown);
  scope->capacity *= 2;
  return true;
}

}  // namespace

void InitHandles(tp_isolate* isolate) {
  isolate->handle_roots.visit = &VisitHandles;
  isolate->isolate().AddRoots(&isolate->handle_roots);
}

void DrainDroppedHandles(tp_isolate* isolate, ThreadState* ts) {
  if (isolate->dropped.load(kRelaxed) == nullptr) return;
  // Acquire: pairs with the release in tp_handle_drop.
  tp_handle* next = isolate->dropped.exchange(nullptr, kAcquire);
  while (next != nullptr) {
    tp_handle* handle = next;
    next = handle->next_dropped;
    DropAttached(isolate, ts, handle);
  }
}

void FreeHandles(tp_isolate* isolate) {
  for (tp_handle* h = isolate->handles; h != nullptr;) {
    tp_handle* next = h->next;
    delete h;
    h = next;
  }
}

void CloseScope(ThreadRecord* record, Scope* scope) {
  TP_DCHECK(record->scopes == scope);
  // Newest first; what dies may open scopes of its own.
  record->scopes = scope->outer;
  while (scope->used > 0) Decref(record->ts, scope->items[--scope->used]);
  if (scope->items != scope->few) record->ts->heap()->Free(scope->items);
}

int VisitThreadRoots(ThreadState* ts, Visitor visit, void* arg) noexcept {
  const ThreadRecord* record = Record(ts);
  for (const Scope* scope = record->scopes; scope != nullptr; scope = scope->outer) {
    for (uint32_t i = 0; i < scope->used; ++i) {
      if (int stop = visit(scope->items[i], arg)) return stop;
    }
  }
  if (record->visit_roots == nullptr) return 0;
  VisitArg v{visit, arg};
  return record->visit_roots(&VisitHook, &v, record->roots_arg);
}

}  // namespace tidepool::c_api

using namespace tidepool::c_api;  // NOLINT
using tidepool::MutexLock;
using tidepool::ObjectHeader;

void tp_scope_open(tp_thread* thread, tp_scope* scope) noexcept {
  auto* s = reinterpret_cast<Scope*>(scope);
  s->outer = Record(thread)->scopes;
  s->used = 0;
  s->capacity = Scope::kFew;
  s->items = s->few;
  Record(thread)->scopes = s;
}
tp_object* tp_keep(tp_thread* thread, tp_object* object) noexcept {
  Scope* scope = Record(thread)->scopes;
  TP_DCHECK(scope != nullptr);
  if (object == nullptr) return nullptr;
  if (scope->used == scope->capacity && !Grow(Thread(thread), scope)) {
    Decref(Thread(thread), Object(object));
    return nullptr;
  }
  scope->items[scope->used++] = Object(object);
  return object;
}
void tp_scope_close(tp_thread* thread, tp_scope* scope) noexcept {
  CloseScope(Record(thread), reinterpret_cast<Scope*>(scope));
}

tp_handle* tp_handle_new(tp_thread* thread, tp_object* object) noexcept {
  tp_isolate* isolate = IsolateOf(thread);
  DrainDroppedHandles(isolate, Thread(thread));
  auto* handle = new (std::nothrow) tp_handle;
  if (handle == nullptr) return nullptr;
  Incref(Object(object));
  handle->object = Object(object);
  handle->prev = nullptr;
  handle->next_dropped = nullptr;
  {
    MutexLock lock(&isolate->handle_mutex);
    handle->next = isolate->handles;
    if (handle->next != nullptr) handle->next->prev = handle;
    isolate->handles = handle;
  }
  isolate->handle_count.fetch_add(1, tidepool::kRelaxed);  // a figure
  return handle;
}
tp_object* tp_handle_get(tp_thread*, tp_handle* handle) noexcept {
  Incref(handle->object);
  return Object(handle->object);
}
void tp_handle_drop(tp_isolate* isolate, tp_handle* handle) noexcept {
  if (handle == nullptr || isolate->of_parent) return;
  AnywhereScope here(isolate);
  if (here.ts() != nullptr) {
    DrainDroppedHandles(isolate, here.ts());
    DropAttached(isolate, here.ts(), handle);
    return;
  }
  tp_handle* head = isolate->dropped.load(tidepool::kRelaxed);
  do {
    handle->next_dropped = head;
    // Release: pairs with the acquire in DrainDroppedHandles.
  } while (!isolate->dropped.compare_exchange_weak(head, handle, tidepool::kRelease,
                                                   tidepool::kRelaxed));
}

// --- Roots. ---

void tp_roots_add(tp_isolate* isolate, tp_root_set* roots) noexcept {
  auto* set = new (roots->reserved) tidepool::RootSet;
  set->visit = &VisitEmbedderRoots;
  isolate->isolate().AddRoots(set);
}
void tp_roots_remove(tp_isolate* isolate, tp_root_set* roots) noexcept {
  isolate->isolate().RemoveRoots(reinterpret_cast<tidepool::RootSet*>(roots->reserved));
}
void tp_thread_set_roots(tp_thread* thread, tp_visit_roots visit_roots,
                         void* arg) noexcept {
  Record(thread)->visit_roots = visit_roots;
  Record(thread)->roots_arg = arg;
}
