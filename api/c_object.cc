// The C API: types, objects, counts.

#include <algorithm>
#include <new>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tidepool/api/internal/c_impl.h"
#include "tidepool/object/load_ref.h"

namespace tidepool::c_api {
namespace {

const tp_type* TypeOf(const ObjectHeader* obj) {
  return static_cast<const tp_type*>(obj->type()->embedder);
}
const tp_type_def& Def(const ObjectHeader* obj) { return TypeOf(obj)->def; }

int TraverseHook(ObjectHeader* obj, Visitor visit, void* arg) noexcept {
  VisitArg v{visit, arg};
  return Def(obj).traverse(Object(obj), &VisitHook, &v);
}
void ClearHook(ThreadState* ts, ObjectHeader* obj) noexcept {
  InCallback in(ts, "clear");
  Def(obj).clear(Thread(ts), Object(obj));
}
void FinalizeHook(ThreadState* ts, ObjectHeader* obj) noexcept {
  InCallback in(ts, "a finalizer");
  Def(obj).finalize(Thread(ts), Object(obj));
}
void DeallocHook(ThreadState* ts, ObjectHeader* obj) noexcept {
  const tp_type_def& def = Def(obj);
  if (def.clear != nullptr || def.destroy != nullptr) {
    InCallback in(ts, "destroy");
    if (def.clear != nullptr) def.clear(Thread(ts), Object(obj));
    if (def.destroy != nullptr) def.destroy(Thread(ts), Object(obj));
  }
  FreeObject(ts, obj);
}
void OwnDeallocHook(ThreadState* ts, ObjectHeader* obj) noexcept {
  Def(obj).dealloc(Thread(ts), Object(obj));
}

const char* WhatIsWrong(const tp_type_def& def) {
  if (def.instance_size < sizeof(tp_header)) {
    return "instance_size is smaller than a tp_header";
  }
  if (def.traverse != nullptr && def.clear == nullptr && def.dealloc == nullptr) {
    return "traverse is given without clear: cycles could not be broken";
  }
  if (def.traverse != nullptr && def.clear == nullptr) {
    return "dealloc does not replace clear, which the collector calls on cycles";
  }
  if (def.traverse == nullptr &&
      ((def.flags & TP_TYPE_PRE_HEADER) != 0 || def.class_object != nullptr)) {
    return "a pre-header and a class object need traverse";
  }
  if ((def.flags & ~uint32_t{TP_TYPE_PRE_HEADER}) != 0) return "flags has an unknown bit";
  if (def.weakref_offset != 0 &&
      (def.weakref_offset < sizeof(tp_header) ||
       def.weakref_offset % sizeof(void*) != 0 ||
       def.weakref_offset > def.instance_size - sizeof(void*))) {
    return "weakref_offset is not that of a word of the struct behind the header";
  }
  return nullptr;
}

size_t PreHeader(const TypeInfo* type) {
  return (type->flags & kTypePreHeader) != 0 ? kPreHeaderSize : 0;
}

// Bytes from the header on.
size_t Room(ObjectHeader* obj) {
  const TypeInfo* type = obj->type();
  return HeapDomain::UsableSize(BlockOf(obj, type)) - PreHeader(type);
}

// The object with other extra bytes in a new block; the old one is gone. Null: no memory.
ObjectHeader* Move(ThreadState* ts, ObjectHeader* obj, size_t size) {
  const TypeInfo* type = obj->type();
  ObjectHeader* moved = NewObject(ts, type, size);
  if (moved == nullptr) return nullptr;
  const size_t body = std::min(size, Room(obj)) - sizeof(ObjectHeader);
  std::memcpy(static_cast<void*>(moved + 1), obj + 1, body);
  if (PreHeader(type) != 0) {
    std::memcpy(BlockOf(moved, type), BlockOf(obj, type), kPreHeaderSize);
  }
  // Relaxed: nobody else has either object, and no stop can come in between.
  moved->flags.store(obj->flags.load(kRelaxed), kRelaxed);
  moved->gc_bits.store(obj->gc_bits.load(kRelaxed), kRelaxed);
  AbandonNew(ts, obj);
  return moved;
}

const char* WhatItIs(const HeapDomain& heap, const void* pointer) {
  if (pointer == nullptr) return "it is NULL";
  if (reinterpret_cast<uintptr_t>(pointer) % 16 != 0) return "it is not aligned to 16";
  internal::Page* page = internal::PageMap::Lookup(pointer);
  if (page == nullptr) return "it is not in memory of any tidepool heap";
  if (page->domain != &heap) return "it is in the heap of another isolate";
  if (page->kind == HeapKind::kRaw) return "it is raw memory";
  const char* block = static_cast<const char*>(pointer);
  if (page->kind == HeapKind::kGcPre) block -= kPreHeaderSize;
  if (HeapDomain::UsableSize(block) == 0) return "it is inside a block, not at its header";
  const auto* obj = static_cast<const ObjectHeader*>(pointer);
  if (IsDeadHeader(obj)) return "the object there is dead";
  return nullptr;
}

}  // namespace
}  // namespace tidepool::c_api

using namespace tidepool::c_api;  // NOLINT
using tidepool::ObjectHeader;
using tidepool::TypeInfo;

tp_type* tp_type_create(const tp_type_def* given, tp_error* error) noexcept {
  tp_type_def def = tp_type_def_init();
  if (ReadStruct(given, &def, "tp_type_def", error) != TP_OK) return nullptr;
  if (const char* wrong = WhatIsWrong(def)) {
    SetError(error, TP_INVALID,
             absl::StrCat("type '", def.name != nullptr ? def.name : "?", "': ", wrong));
    return nullptr;
  }
  const char* name = def.name != nullptr ? def.name : "?";
  std::unique_ptr<tp_type> type(new (std::nothrow) tp_type);
  if (type != nullptr) type->name.reset(new (std::nothrow) char[std::strlen(name) + 1]);
  if (type == nullptr || type->name == nullptr) {
    SetError(error, TP_NO_MEMORY, "no memory for a type");
    return nullptr;
  }
  std::strcpy(type->name.get(), name);  // NOLINT: just measured
  type->def = def;
  type->def.name = type->name.get();
  TypeInfo& info = type->info;
  info.name = type->name.get();
  info.basic_size = def.instance_size;
  info.weakref_offset = static_cast<int32_t>(def.weakref_offset);
  info.embedder = type.get();
  info.type_object = Object(def.class_object);
  if (def.dealloc != nullptr) {
    info.dealloc = &OwnDeallocHook;
  } else if (def.clear != nullptr || def.destroy != nullptr) {
    info.dealloc = &DeallocHook;
  }
  if (def.traverse != nullptr) {
    info.flags = tidepool::kTypeGc;
    if ((def.flags & TP_TYPE_PRE_HEADER) != 0) info.flags |= tidepool::kTypePreHeader;
    info.traverse = &TraverseHook;
    info.clear = &ClearHook;
  }
  if (def.finalize != nullptr) info.finalize = &FinalizeHook;
  if (error != nullptr) error->status = TP_OK;
  return type.release();
}
void tp_type_destroy(tp_type* type) noexcept { delete type; }
const char* tp_type_name(const tp_type* type) noexcept { return type->info.name; }
void* tp_type_data(const tp_type* type) noexcept { return type->def.data; }
void tp_type_set_class(tp_type* type, tp_object* class_object) noexcept {
  type->info.type_object = Object(class_object);
}
uint64_t tp_type_word(const tp_type* type) noexcept {
  return reinterpret_cast<uint64_t>(&type->info);
}

tp_object* tp_new(tp_thread* thread, const tp_type* type, size_t extra) noexcept {
  const size_t size = type->info.basic_size;
  if (extra > SIZE_MAX / 2) return nullptr;
  ObjectHeader* obj = NewObjectZeroed(Attached(thread), &type->info, size + extra);
  if (obj != nullptr && (type->info.flags & tidepool::kTypeGc) != 0) TrackNew(obj);
  return Object(obj);
}
tp_object* tp_new_raw(tp_thread* thread, const tp_type* type, size_t extra) noexcept {
  if (extra > SIZE_MAX / 2) return nullptr;
  ObjectHeader* obj =
      NewObject(Attached(thread), &type->info, type->info.basic_size + extra);
  if (obj != nullptr && type->info.weakref_offset != 0) {
    std::memset(reinterpret_cast<char*>(obj) + type->info.weakref_offset, 0, sizeof(void*));
  }
  return Object(obj);
}
void tp_track(tp_object* object) noexcept {
  if ((Object(object)->type()->flags & tidepool::kTypeGc) != 0) Track(Object(object));
}
void tp_untrack(tp_object* object) noexcept { Untrack(Object(object)); }
int tp_is_tracked(const tp_object* object) noexcept { return IsTracked(Object(object)); }

tp_object* tp_object_resize(tp_thread* thread, tp_object* object, size_t extra,
                            tp_error* error) noexcept {
  ObjectHeader* obj = Object(object);
  const size_t old_room = Room(obj);
  const size_t base = obj->type()->basic_size;
  if (IsImmortal(obj) || IsDeferred(obj) || HasWeakRefs(obj) || !TryMakeUnique(obj)) {
    SetError(error, TP_STATE, "only an object that the caller alone holds can be resized");
    return nullptr;
  }
  if (extra > SIZE_MAX / 2) {
    SetError(error, TP_NO_MEMORY, "the size is absurd");
    return nullptr;
  }
  const size_t size = base + extra;
  // As realloc: in place if it fits and a move would save less than an eighth.
  if (size <= old_room && old_room - size < std::max<size_t>(old_room / 8, 16)) {
    return object;
  }
  ObjectHeader* moved = Move(Attached(thread), obj, size);
  if (moved == nullptr) SetError(error, TP_NO_MEMORY, "no memory for the resized object");
  return Object(moved);
}

size_t tp_object_size(const tp_object* object) noexcept {
  return Room(const_cast<ObjectHeader*>(Object(object)));
}
const tp_type* tp_object_type(const tp_object* object) noexcept {
  return TypeOf(Object(object));
}
// Relaxed: bits of the embedder's, which order nothing.
uint8_t tp_object_flags(const tp_object* object) noexcept {
  return static_cast<uint8_t>(Object(object)->flags.load(tidepool::kRelaxed) >>
                              tidepool::kFlagEmbedderShift);
}
void tp_object_set_flags(tp_object* object, uint8_t set, uint8_t clear) noexcept {
  auto& flags = Object(object)->flags;
  if (clear != 0) {
    flags.fetch_and(static_cast<uint16_t>(~(clear << tidepool::kFlagEmbedderShift)),
                    tidepool::kRelaxed);
  }
  if (set != 0) {
    flags.fetch_or(static_cast<uint16_t>(set << tidepool::kFlagEmbedderShift),
                   tidepool::kRelaxed);
  }
}
void tp_object_free(tp_thread* thread, tp_object* object) noexcept {
  FreeObject(Attached(thread), Object(object));
}
void tp_object_abandon(tp_thread* thread, tp_object* object) noexcept {
  Untrack(Object(object));
  AbandonNew(Attached(thread), Object(object));
}
tp_status tp_object_check(tp_thread* thread, const void* pointer,
                          tp_error* error) noexcept {
  const char* what = WhatItIs(Attached(thread)->isolate()->heap(), pointer);
  if (what == nullptr) return TP_OK;
  return SetError(error, TP_INVALID, absl::StrCat("not an object of this isolate: ", what));
}

// --- Counts. ---

void tp_incref(tp_object* object) noexcept { Incref(Object(object)); }
void tp_decref(tp_thread* thread, tp_object* object) noexcept {
  if (object != nullptr) Decref(Attached(thread), Object(object));
}
void tp_value_incref(tp_value value) noexcept { tidepool::IncrefValue(value); }
void tp_value_decref(tp_thread* thread, tp_value value) noexcept {
  tidepool::DecrefValue(Attached(thread), value);
}
int tp_try_incref(tp_object* object) noexcept { return TryIncref(Object(object)); }
void tp_drop_stray(tp_thread* thread, tp_object* object) noexcept {
  tidepool::internal::DropStray(Attached(thread), Object(object));
}
void tp_mark_shared(tp_object* object) noexcept { SetMaybeWeakref(Object(object)); }
int tp_is_unique(tp_object* object) noexcept { return TryMakeUnique(Object(object)); }
int64_t tp_refcount(const tp_object* object) noexcept { return RefCount(Object(object)); }
void tp_set_immortal(tp_thread* thread, tp_object* object) noexcept {
  SetImmortal(Attached(thread), Object(object));
}
int tp_set_deferred(tp_thread* thread, tp_object* object) noexcept {
  if ((Object(object)->type()->flags & tidepool::kTypeGc) == 0) return 0;
  return SetDeferred(Attached(thread), Object(object));
}
int tp_clear_deferred(tp_thread* thread, tp_object* object) noexcept {
  return ClearDeferred(Attached(thread), Object(object));
}
void tp_disown(tp_object* object) noexcept { Disown(Object(object)); }
