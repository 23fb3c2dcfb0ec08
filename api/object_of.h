// ObjectOf<T>: an object type from a C++ struct, without writing traverse, clear and
// dealloc by hand.
//
//   struct Pair : tidepool::ObjectOf<Pair> {
//     static constexpr const char* kTypeName = "Pair";
//     tidepool::Field<Pair> left, right;
//     int value;
//     template <class Visit> void Fields(Visit&& visit) { visit(left); visit(right); }
//
//     // All optional:
//     void Init(int v) { value = v; }        // after the memory was zeroed
//     void Finalize(ThreadState* ts) {...}   // once; may resurrect
//     void Destroy(ThreadState* ts) {...}    // releases what is no reference
//   };
//   Ref<Pair> p = tidepool::New<Pair>(ts, 7);   // null: no memory
//
// Fields names every Field: a forgotten one is a leak, and one that is named twice is reported
// by a debug build's collector, since the counts do not add up. The struct is never constructed: its
// memory is zeroed and Init is called, so all members must be fine as zeros and trivially
// destructible. A type without Fields (kNoFields = true) lives in the heap for objects
// without references, and the collector never looks at it.

#ifndef TIDEPOOL_API_OBJECT_OF_H_
#define TIDEPOOL_API_OBJECT_OF_H_

#include <cstddef>
#include <type_traits>
#include <utility>

#include "tidepool/api/ref.h"
#include "tidepool/api/vm.h"
#include "tidepool/object/header.h"
#include "tidepool/object/object.h"
#include "tidepool/object/type_info.h"
#include "tidepool/object/weakref.h"

namespace tidepool {

template <class T>
struct ObjectOf : ObjectHeader {
  static constexpr bool kNoFields = false;

  // Head of the list of weakrefs, right after the header.
  Atomic<WeakRef*> weakrefs;

  static const TypeInfo* Type() {
    static const TypeInfo type = MakeType();
    return &type;
  }

 private:
  static T* Self(ObjectHeader* obj) { return static_cast<T*>(obj); }

  static int TraverseHook(ObjectHeader* obj, Visitor visit, void* arg) {
    int stop = 0;
    Self(obj)->Fields([&](auto& field) {
      if (stop == 0) stop = VisitSlot(field.slot(), visit, arg);
    });
    return stop;
  }
  static void ClearHook(ThreadState* ts, ObjectHeader* obj) {
    Self(obj)->Fields(
        [&](auto& field) { DecrefValue(ts, ExchangeSlot(field.slot(), 0)); });
  }
  static void FinalizeHook(ThreadState* ts, ObjectHeader* obj) {
    Self(obj)->Finalize(ts);
  }
  static void DeallocHook(ThreadState* ts, ObjectHeader* obj) {
    if constexpr (!T::kNoFields) ClearHook(ts, obj);
    if constexpr (requires(T t) { t.Destroy(ts); }) Self(obj)->Destroy(ts);
    FreeObject(ts, obj);
  }

  static TypeInfo MakeType() {
    static_assert(std::is_trivially_destructible_v<T>);
    TypeInfo type;
    type.name = T::kTypeName;
    type.basic_size = sizeof(T);
    type.weakref_offset = sizeof(ObjectHeader);
    type.dealloc = &DeallocHook;
    if constexpr (!T::kNoFields) {
      type.flags = kTypeGc;
      type.traverse = &TraverseHook;
      type.clear = &ClearHook;
    }
    if constexpr (requires(T t, ThreadState* ts) { t.Finalize(ts); }) {
      type.finalize = &FinalizeHook;
    }
    return type;
  }
};

// The type of the weakrefs that Weak makes, if the embedder has none of its own.
const TypeInfo* PlainWeakRefType();

// `extra` bytes follow the struct, zeroed.
template <class T, class... Args>
Ref<T> NewWithExtra(ThreadState* ts, size_t extra, Args&&... args) {
  ObjectHeader* obj = NewObjectZeroed(ts, T::Type(), sizeof(T) + extra);
  if (obj == nullptr) return Ref<T>();
  T* object = static_cast<T*>(obj);
  if constexpr (requires(T t) { t.Init(std::forward<Args>(args)...); }) {
    object->Init(std::forward<Args>(args)...);
  } else {
    static_assert(sizeof...(Args) == 0, "the type has no Init that takes these");
  }
  if constexpr (!T::kNoFields) TrackNew(object);
  return Ref<T>::Adopt(object);
}

template <class T, class... Args>
Ref<T> New(ThreadState* ts, Args&&... args) {
  return NewWithExtra<T>(ts, 0, std::forward<Args>(args)...);
}

template <class T, class... Args>
Ref<T> Vm::New(Args&&... args) {
  ThreadState* ts = ThreadState::Current();
  TP_DCHECK(ts != nullptr && ts->isolate() == isolate_.get());
  return tidepool::New<T>(ts, std::forward<Args>(args)...);
}

template <class T, class... Args>
absl::StatusOr<Ref<T>> Vm::TryNew(const Args&... args) {
  ThreadState* ts = ThreadState::Current();
  if (ts == nullptr || ts->isolate() != isolate_.get()) {
    return absl::FailedPreconditionError("the thread is not attached to this Vm");
  }
  for (int attempt = 0; attempt < 2; ++attempt) {
    if (attempt == 1) Collect(ts);
    Ref<T> made = tidepool::New<T>(ts, args...);
    if (made) return made;
  }
  return absl::ResourceExhaustedError("no memory, also after a collection");
}

template <class T>
Weak<T> NewWeak(ThreadState* ts, const Ref<T>& target) {
  return Weak<T>(ts, PlainWeakRefType(), target.get());
}

}  // namespace tidepool

#endif  // TIDEPOOL_API_OBJECT_OF_H_
