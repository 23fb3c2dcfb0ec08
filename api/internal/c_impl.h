// What the files of the C API share: the structures behind its opaque names, and casts.
//
// A tp_object is an ObjectHeader, a tp_thread a ThreadState, a tp_slot a Slot, a tp_weakref
// a WeakRef; a tp_type is a TypeInfo whose functions call those of the definition.
//
// A ThreadRecord belongs to each thread state that was made by tp_thread_enter; the state's
// embedder_data leads to it, and the isolate's thread key leads the OS thread to it.
//
// Invariants
//   R1 g_api_mutex guards the list of isolates and every list of records; nobody waits for
//      a stop, or for anything else, while holding it.
//   R2 A record is on its isolate's list from its making till after LeaveThread; `leaving`
//      says that its state is going.
//   R3 The list of handles changes under handle_mutex, on attached threads only: no
//      safepoint lies in between, so in a stop the list is whole.
//   R4 `callbacks` is the innermost frame of the library's that runs embedder's code on
//      this thread; frames lie on the stack and are taken off in reverse order.
#ifndef TIDEPOOL_API_INTERNAL_C_IMPL_H_
#define TIDEPOOL_API_INTERNAL_C_IMPL_H_

#include <pthread.h>

#include <cstring>
#include <memory>

#include "absl/strings/string_view.h"
#include "tidepool/api/vm.h"
#include "tidepool/base/mutex.h"
#include "tidepool/object/object.h"
#include "tidepool/object/object_mutex.h"
#include "tidepool/object/weakref.h"
#include "tidepool/tidepool.h"

namespace tidepool::c_api {

// Around each call of embedder's code that may use the API.
struct CallbackFrame {
  CallbackFrame* outer;
  const char* kind;  // "a finalizer", ...
};

// A tp_scope. Items beyond the first few lie in a raw block.
struct Scope {
  Scope* outer;
  uint32_t used;
  uint32_t capacity;
  ObjectHeader** items;
  static constexpr uint32_t kFew = 8;
  ObjectHeader* few[kFew];
};
static_assert(sizeof(Scope) <= sizeof(tp_scope));

// A tp_critical.
struct Critical {
  Critical* outer;
  alignas(CriticalSection) char section[sizeof(CriticalSection)];
};
static_assert(sizeof(Critical) <= sizeof(tp_critical));

struct ThreadRecord {
  ThreadState* ts = nullptr;
  tp_isolate* isolate = nullptr;
  uint32_t nest = 0;
  uint64_t was_attached = 0;  // bit stack: before each nested enter
  bool pinned = false;
  bool leaving = false;       // R2
  int end_rounds = 0;         // calls of the key's destructor so far
  void* data = nullptr;
  void (*data_destroy)(tp_thread*, void*) = nullptr;
  tp_visit_roots visit_roots = nullptr;
  void* roots_arg = nullptr;
  void (*on_break)(tp_thread*, void*) = nullptr;
  void* break_arg = nullptr;
  Scope* scopes = nullptr;
  Critical* criticals = nullptr;
  CallbackFrame* callbacks = nullptr;  // R4
  ThreadRecord* prev = nullptr;
  ThreadRecord* next = nullptr;
};

extern Mutex g_api_mutex;  // R1

}  // namespace tidepool::c_api

struct tp_type {
  tidepool::TypeInfo info;
  tp_type_def def;
  std::unique_ptr<char[]> name;
};

struct tp_handle {
  tidepool::ObjectHeader* object;
  tp_handle* prev;
  tp_handle* next;
  tp_handle* next_dropped;
};

struct tp_isolate {
  struct Listener : tidepool::CollectionListener {
    explicit Listener(tp_isolate* i) : isolate(i) {}
    void OnCollectionStart(tidepool::ThreadState*, const tidepool::CollectStats&) override {}
    void OnCollectionStop(tidepool::ThreadState*, const tidepool::CollectStats&) override;
    tp_isolate* isolate;
  };

  std::unique_ptr<tidepool::Os> os;  // null: the real one. Goes after the vm
  std::unique_ptr<tidepool::Vm> vm;
  void* data = nullptr;
  pthread_key_t key = 0;
  bool has_key = false;
  Listener listener{this};

  // R1.
  tidepool::c_api::ThreadRecord* threads = nullptr;
  int enders = 0;  // threads whose end is being seen to
  tp_isolate* next = nullptr;

  // R3.
  tidepool::Mutex handle_mutex{0};
  tp_handle* handles = nullptr;
  tidepool::RootSet handle_roots;
  tidepool::Atomic<uint64_t> handle_count{0};
  tidepool::Atomic<tp_handle*> dropped{nullptr};  // still in handles

  tidepool::Atomic<uint32_t> purge_wanted{0};

  // Under settings_mutex: read and written as a whole by Get and Set.
  template <class Fn>
  struct Callback {
    Fn fn = nullptr;
    void* arg = nullptr;
  };
  tidepool::Mutex settings_mutex{0};
  Callback<tp_pressure_callback> pressure;
  Callback<tp_watchdog> watchdog;
  Callback<tp_profile_frames> frames;
  Callback<tp_fault_handler> on_fault;

  template <class Fn>
  Callback<Fn> Get(const Callback<Fn>& callback) {
    tidepool::MutexLock lock(&settings_mutex);
    return callback;
  }
  template <class Fn>
  void Set(Callback<Fn>& callback, Fn fn, void* arg) {
    tidepool::MutexLock lock(&settings_mutex);
    callback = {fn, arg};
  }

  bool of_parent = false;  // R1. This process was forked by a thread of another isolate

  tidepool::Isolate& isolate() { return vm->isolate(); }
  tidepool::Collector& collector() { return vm->collector(); }
  tidepool::HeapDomain& heap() { return vm->heap(); }
};

static_assert(sizeof(tp_header) == sizeof(tidepool::ObjectHeader));
static_assert(sizeof(tp_slot) == sizeof(tidepool::Slot));

namespace tidepool::c_api {

inline ObjectHeader* Object(tp_object* o) { return reinterpret_cast<ObjectHeader*>(o); }
inline const ObjectHeader* Object(const tp_object* o) {
  return reinterpret_cast<const ObjectHeader*>(o);
}
inline tp_object* Object(ObjectHeader* o) { return reinterpret_cast<tp_object*>(o); }
inline ThreadState* Thread(tp_thread* t) { return reinterpret_cast<ThreadState*>(t); }
inline const ThreadState* Thread(const tp_thread* t) {
  return reinterpret_cast<const ThreadState*>(t);
}
inline tp_thread* Thread(ThreadState* t) { return reinterpret_cast<tp_thread*>(t); }

// Ends the process: the API's function `call` was called in a state that it does not allow.
[[noreturn]] void NotAttached(const tp_thread* t, const char* call);

// For functions that need an attached thread; debug builds look.
inline ThreadState* Attached(tp_thread* t, const char* call = __builtin_FUNCTION()) {
#if TIDEPOOL_DCHECK_IS_ON
  if (t == nullptr || ThreadState::Current() != Thread(t)) NotAttached(t, call);
#else
  static_cast<void>(call);
#endif
  return Thread(t);
}
inline Slot& AsSlot(tp_slot* slot) { return *reinterpret_cast<Slot*>(slot); }
inline const Slot& AsSlot(const tp_slot* slot) {
  return *reinterpret_cast<const Slot*>(slot);
}
inline ThreadRecord* Record(const ThreadState* ts) {
  return static_cast<ThreadRecord*>(ts->embedder_data);
}
inline ThreadRecord* Record(const tp_thread* t) { return Record(Thread(t)); }
inline tp_isolate* IsolateOf(const ThreadState* ts) {
  return static_cast<tp_isolate*>(ts->isolate()->embedder_data);
}
inline tp_isolate* IsolateOf(const tp_thread* t) { return IsolateOf(Thread(t)); }

// Embedder's code runs in the scope (R4). A state without a record (made through the C++
// API in a C isolate) has no frames.
class InCallback {
 public:
  InCallback(ThreadState* ts, const char* kind) : record_(Record(ts)) {
    if (record_ == nullptr) return;
    frame_ = {record_->callbacks, kind};
    record_->callbacks = &frame_;
  }
  ~InCallback() {
    if (record_ != nullptr) record_->callbacks = frame_.outer;
  }

 private:
  ThreadRecord* record_;
  CallbackFrame frame_;
};

// Embedder's code called from the middle of the library: what it throws ends the process
// here, before a frame of the library's is left.
template <class Fn, class... Args>
auto CallOut(Fn* fn, Args... args) noexcept {
  return fn(args...);
}

// For reports that go to visitors with tp_object.
struct VisitArg {
  Visitor visit;
  void* arg;
};
inline int VisitHook(tp_object* target, void* arg) {
  auto* v = static_cast<VisitArg*>(arg);
  return v->visit(Object(target), v->arg);
}

// Always a terminated text if size is not 0; returns the length of the whole.
size_t WriteText(char* out, size_t size, absl::string_view text);
tp_status SetError(tp_error* error, tp_status status, absl::string_view text);
tp_status SetError(tp_error* error, const absl::Status& status);

// A struct that the embedder filled in, of `least` bytes (its size in the first version that
// had it) or more, copied into *out, which is zero behind what the embedder knows. What lies
// behind the `known` bytes is unknown to this library and must be zero.
tp_status ReadStruct(const void* from, void* out, size_t least, size_t known,
                     const char* what, tp_error* error);
// The same for a struct that has not grown since: when one does, its first size stands here.
template <class T>
tp_status ReadStruct(const T* from, T* out, const char* what, tp_error* error) {
  return ReadStruct(from, out, sizeof(T), sizeof(T), what, error);
}
// A struct that the library fills in: as much as the caller has room for.
template <class T>
tp_status WriteStruct(T* out, T& full) {
  if (out == nullptr || out->size < 2 * sizeof(uint32_t) ||
      (out->version >> 16) != TP_ABI_MAJOR) {
    return TP_INVALID;
  }
  full.size = out->size;
  full.version = TP_ABI_VERSION;
  std::memcpy(static_cast<void*>(out), &full,
              out->size < sizeof(T) ? out->size : sizeof(T));
  return TP_OK;
}

void FillCollection(const CollectStats& stats, tp_collection* out);

// c_isolate.cc. In a forked child, with g_api_mutex held: the isolates beside `own` are out
// of use, their locks and threads were not brought to rest.
void LeaveOthersToParentLocked(const tp_isolate* own);

// c_handles.cc.
void InitHandles(tp_isolate* isolate);
void DrainDroppedHandles(tp_isolate* isolate, ThreadState* ts);
void FreeHandles(tp_isolate* isolate);
void CloseScope(ThreadRecord* record, Scope* scope);
int VisitThreadRoots(ThreadState* ts, Visitor visit, void* arg) noexcept;

// c_weakref.cc.
void InitWeakRefs(tp_isolate* isolate);

}  // namespace tidepool::c_api

#endif  // TIDEPOOL_API_INTERNAL_C_IMPL_H_
