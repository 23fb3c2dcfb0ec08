// The C API over the C++ layers. A tp_object is an ObjectHeader, a tp_thread a ThreadState, a
// tp_slot a Slot; a tp_type is a TypeInfo whose functions call those of the definition.

#include "tidepool/tidepool.h"

#include <cstdio>
#include <cstring>
#include <new>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "tidepool/api/object_of.h"
#include "tidepool/api/vm.h"
#include "tidepool/object/load_ref.h"
#include "tidepool/object/object.h"

using tidepool::ObjectHeader;
using tidepool::Slot;
using tidepool::ThreadState;
using tidepool::TypeInfo;

struct tp_isolate {
  std::unique_ptr<tidepool::Vm> vm;
};

struct tp_type {
  TypeInfo info;
  tp_type_def def;
  std::string name;
};

static_assert(sizeof(tp_header) == sizeof(ObjectHeader));
static_assert(sizeof(tp_slot) == sizeof(Slot));

namespace {

ObjectHeader* Object(tp_object* object) { return reinterpret_cast<ObjectHeader*>(object); }
const ObjectHeader* Object(const tp_object* object) {
  return reinterpret_cast<const ObjectHeader*>(object);
}
tp_object* Object(ObjectHeader* object) { return reinterpret_cast<tp_object*>(object); }
ThreadState* Thread(tp_thread* thread) { return reinterpret_cast<ThreadState*>(thread); }
tp_thread* Thread(ThreadState* ts) { return reinterpret_cast<tp_thread*>(ts); }
Slot& AsSlot(tp_slot* slot) { return *reinterpret_cast<Slot*>(slot); }
const Slot& AsSlot(const tp_slot* slot) { return *reinterpret_cast<const Slot*>(slot); }

const tp_type_def& Def(ObjectHeader* obj) {
  return static_cast<const tp_type*>(obj->type()->embedder)->def;
}

struct VisitArg {
  tidepool::Visitor visit;
  void* arg;
};
int VisitHook(tp_object* target, void* arg) {
  auto* v = static_cast<VisitArg*>(arg);
  return v->visit(Object(target), v->arg);
}
int TraverseHook(ObjectHeader* obj, tidepool::Visitor visit, void* arg) {
  VisitArg v{visit, arg};
  return Def(obj).traverse(Object(obj), &VisitHook, &v);
}
void ClearHook(ThreadState* ts, ObjectHeader* obj) { Def(obj).clear(Thread(ts), Object(obj)); }
void FinalizeHook(ThreadState* ts, ObjectHeader* obj) {
  Def(obj).finalize(Thread(ts), Object(obj));
}
void DeallocHook(ThreadState* ts, ObjectHeader* obj) {
  const tp_type_def& def = Def(obj);
  if (def.clear != nullptr) def.clear(Thread(ts), Object(obj));
  if (def.destroy != nullptr) def.destroy(Thread(ts), Object(obj));
  FreeObject(ts, obj);
}

void WriteError(char* error, size_t size, absl::string_view text) {
  if (error == nullptr || size == 0) return;
  const size_t n = text.size() < size - 1 ? text.size() : size - 1;
  std::memcpy(error, text.data(), n);
  error[n] = 0;
}

tp_object* NewUntracked(tp_thread* thread, const tp_type* type, size_t extra) {
  if (extra > SIZE_MAX - type->def.size) return nullptr;
  return Object(NewObjectZeroed(Thread(thread), &type->info, type->def.size + extra));
}

}  // namespace

tp_isolate* tp_isolate_create(const char* const* options, int use_environment,
                              char* error, size_t error_size) {
  tidepool::Options parsed;
  if (use_environment != 0) {
    auto from = tidepool::Options::FromEnvironment();
    if (!from.ok()) {
      WriteError(error, error_size, from.status().message());
      return nullptr;
    }
    parsed = *from;
  }
  for (; options != nullptr && *options != nullptr; ++options) {
    const absl::string_view option = *options;
    const size_t equals = option.find('=');
    if (equals == absl::string_view::npos) {
      WriteError(error, error_size, absl::StrCat("option '", option, "' has no '='"));
      return nullptr;
    }
    absl::Status status = parsed.Set(option.substr(0, equals), option.substr(equals + 1));
    if (!status.ok()) {
      WriteError(error, error_size, status.message());
      return nullptr;
    }
  }
  auto vm = tidepool::Vm::Create(parsed);
  if (!vm.ok()) {
    WriteError(error, error_size, vm.status().message());
    return nullptr;
  }
  (*vm)->isolate().embedder_data = vm->get();  // tp_collect finds its way back
  auto* isolate = new (std::nothrow) tp_isolate{*std::move(vm)};
  if (isolate == nullptr) WriteError(error, error_size, "out of memory");
  return isolate;
}

void tp_isolate_destroy(tp_isolate* isolate) { delete isolate; }

tp_thread* tp_thread_enter(tp_isolate* isolate, const char* name) {
  return Thread(isolate->vm->isolate().AttachThread(name));
}
void tp_thread_leave(tp_thread* thread) {
  Thread(thread)->isolate()->LeaveThread(Thread(thread));
}
void tp_detach(tp_thread* thread) { Thread(thread)->Detach(); }
void tp_attach(tp_thread* thread) { Thread(thread)->Attach(); }
void tp_safepoint(tp_thread* thread) { Thread(thread)->Safepoint(); }
tp_thread* tp_thread_current(void) { return Thread(ThreadState::Current()); }

tp_type* tp_type_create(const tp_type_def* def) {
  if (def == nullptr || def->size < sizeof(tp_header)) return nullptr;
  if (def->traverse != nullptr && def->clear == nullptr) return nullptr;
  if (def->weakref_offset != 0 &&
      (def->weakref_offset < sizeof(tp_header) ||
       def->weakref_offset % sizeof(void*) != 0 ||
       def->weakref_offset > def->size - sizeof(void*))) {
    return nullptr;
  }
  auto* type = new (std::nothrow) tp_type;
  if (type == nullptr) return nullptr;
  type->def = *def;
  type->name = def->name != nullptr ? def->name : "?";
  TypeInfo& info = type->info;
  info.name = type->name.c_str();
  info.basic_size = def->size;
  info.weakref_offset = static_cast<int32_t>(def->weakref_offset);
  info.embedder = type;
  info.dealloc = &DeallocHook;
  if (def->traverse != nullptr) {
    info.flags = tidepool::kTypeGc;
    info.traverse = &TraverseHook;
    info.clear = &ClearHook;
  }
  if (def->finalize != nullptr) info.finalize = &FinalizeHook;
  return type;
}
void tp_type_destroy(tp_type* type) { delete type; }

tp_object* tp_new(tp_thread* thread, const tp_type* type, size_t extra) {
  tp_object* object = NewUntracked(thread, type, extra);
  if (object != nullptr && type->def.traverse != nullptr) TrackNew(Object(object));
  return object;
}
tp_object* tp_new_untracked(tp_thread* thread, const tp_type* type, size_t extra) {
  return NewUntracked(thread, type, extra);
}
void tp_track(tp_object* object) {
  if (Def(Object(object)).traverse != nullptr) Track(Object(object));
}
const tp_type* tp_type_of(const tp_object* object) {
  return static_cast<const tp_type*>(Object(object)->type()->embedder);
}
void tp_incref(tp_object* object) { Incref(Object(object)); }
void tp_decref(tp_thread* thread, tp_object* object) {
  if (object != nullptr) Decref(Thread(thread), Object(object));
}
int64_t tp_refcount(const tp_object* object) { return RefCount(Object(object)); }
void tp_set_immortal(tp_thread* thread, tp_object* object) {
  SetImmortal(Thread(thread), Object(object));
}

tp_object* tp_slot_load(tp_thread* thread, const tp_slot* slot) {
  uintptr_t value;
  // As Field::Get: what slots hold is marked, so a failed try means that the slot changed.
  while (!LoadRef(Thread(thread), AsSlot(slot), &value)) {
  }
  return Object(tidepool::AsObject(value));
}
void tp_slot_give(tp_thread* thread, tp_slot* slot, tp_object* object) {
  if (object != nullptr) SetMaybeWeakref(Object(object));
  DecrefValue(Thread(thread),
              ExchangeSlot(AsSlot(slot), tidepool::AsValue(Object(object))));
}
void tp_slot_store(tp_thread* thread, tp_slot* slot, tp_object* object) {
  if (object != nullptr) Incref(Object(object));
  tp_slot_give(thread, slot, object);
}
void tp_slot_clear(tp_thread* thread, tp_slot* slot) {
  DecrefValue(Thread(thread), ExchangeSlot(AsSlot(slot), 0));
}
int tp_visit_slot(const tp_slot* slot, tp_visitor visit, void* arg) {
  // Relaxed: the world is stopped.
  const uintptr_t value = AsSlot(slot).load(tidepool::kRelaxed);
  return value == 0 ? 0 : visit(Object(tidepool::AsObject(value)), arg);
}

tp_weakref* tp_weakref_new(tp_thread* thread, tp_object* target) {
  if (!tidepool::SupportsWeakRefs(Object(target)->type())) return nullptr;
  return reinterpret_cast<tp_weakref*>(tidepool::NewWeakRef(
      Thread(thread), tidepool::PlainWeakRefType(), Object(target), 0));
}
tp_object* tp_weakref_get(tp_thread* thread, tp_weakref* ref) {
  return Object(tidepool::GetWeakRefTarget(Thread(thread),
                                           reinterpret_cast<tidepool::WeakRef*>(ref)));
}
void tp_weakref_drop(tp_thread* thread, tp_weakref* ref) {
  if (ref != nullptr) Decref(Thread(thread), reinterpret_cast<tidepool::WeakRef*>(ref));
}

void* tp_malloc(tp_thread* thread, size_t size) {
  return Thread(thread)->heap()->Allocate(tidepool::HeapKind::kRaw, size);
}
void* tp_realloc(tp_thread* thread, void* block, size_t size) {
  if (block == nullptr) return tp_malloc(thread, size);
  return Thread(thread)->heap()->Reallocate(block, size);
}
void tp_free(tp_thread* thread, void* block) { Thread(thread)->heap()->Free(block); }

uint64_t tp_collect(tp_thread* thread) {
  auto* ts = Thread(thread);
  return static_cast<tidepool::Vm*>(ts->isolate()->embedder_data)->Collect(ts);
}
void tp_gc_enable(tp_isolate* isolate) { isolate->vm->collector().Enable(); }
void tp_gc_disable(tp_isolate* isolate) { isolate->vm->collector().Disable(); }

size_t tp_purge(tp_isolate* isolate) { return isolate->vm->heap().Purge(); }
size_t tp_stats_json(tp_isolate* isolate, char* out, size_t size) {
  const std::string json =
      absl::StrCat("{\"heap\":", isolate->vm->heap().StatsJson(),
                   ",\"gc\":", isolate->vm->collector().StatsJson(), "}");
  WriteError(out, size, json);
  return json.size();
}
