// The C API: weak references. One with a callback is a WeakRef with two more words, and a
// tagged value where C++ embedders have their callback object.

#include "tidepool/api/internal/c_impl.h"
#include "tidepool/api/object_of.h"

namespace tidepool::c_api {
namespace {

constexpr uintptr_t kHasCallback = 1;  // tagged: no object

struct CallbackWeakRef : WeakRef {
  tp_weakref_callback call;
  void* arg;
};

const TypeInfo* CallbackWeakRefType() {
  static const TypeInfo type = [] {
    TypeInfo t = *PlainWeakRefType();
    t.basic_size = sizeof(CallbackWeakRef);
    return t;
  }();
  return &type;
}

void RunCallback(ThreadState* ts, WeakRef* ref, uintptr_t callback,
                 void*) noexcept {
  if (callback != kHasCallback) return;
  auto* self = static_cast<CallbackWeakRef*>(ref);
  InCallback in(ts, "the callback of a weak reference");
  self->call(Thread(ts), reinterpret_cast<tp_weakref*>(ref), self->arg);
}

WeakRef* AsWeakRef(tp_weakref* ref) { return reinterpret_cast<WeakRef*>(ref); }

}  // namespace

void InitWeakRefs(tp_isolate* isolate) {
  IsolateHooks hooks = isolate->isolate().hooks();
  hooks.weakref_callback = &RunCallback;
  isolate->isolate().SetHooks(hooks);
}

}  // namespace tidepool::c_api

using namespace tidepool::c_api;  // NOLINT

tp_weakref* tp_weakref_new(tp_thread* thread, tp_object* target,
                           tp_weakref_callback callback, void* arg,
                           tp_error* error) noexcept {
  if (!tidepool::SupportsWeakRefs(Object(target)->type())) {
    SetError(error, TP_INVALID, "the target's type has no weakref_offset");
    return nullptr;
  }
  const bool plain = callback == nullptr;
  tidepool::WeakRef* ref = tidepool::NewWeakRef(
      Attached(thread), plain ? tidepool::PlainWeakRefType() : CallbackWeakRefType(),
      Object(target), plain ? 0 : kHasCallback);
  if (ref == nullptr) {
    SetError(error, TP_NO_MEMORY, "no memory for a weak reference");
  } else if (!plain) {
    // The caller holds the target, so it cannot have died yet.
    static_cast<CallbackWeakRef*>(ref)->call = callback;
    static_cast<CallbackWeakRef*>(ref)->arg = arg;
  }
  return reinterpret_cast<tp_weakref*>(ref);
}
tp_object* tp_weakref_get(tp_thread* thread, tp_weakref* ref) noexcept {
  return Object(tidepool::GetWeakRefTarget(Attached(thread), AsWeakRef(ref)));
}
int tp_weakref_is_dead(const tp_weakref* ref) noexcept {
  return tidepool::IsWeakRefDead(reinterpret_cast<const tidepool::WeakRef*>(ref));
}
