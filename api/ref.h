// Ref<T>: a counted reference. Field<T>: a slot of an object that holds one. Weak<T>.
//
// A Ref remembers nothing but the object, so it must be destroyed on an attached thread
// (any of the isolate's): its destructor asks ThreadState::Current(). It is moved, and
// copied only by Clone, so that every count is seen in the code.
//
// Field<T> may be read and written by any thread at any time. Get takes no lock. Set and
// Take publish and drop in the order that lock-free readers need.

#ifndef TIDEPOOL_API_REF_H_
#define TIDEPOOL_API_REF_H_

#include <cstdint>
#include <utility>

#include "tidepool/base/check.h"
#include "tidepool/object/load_ref.h"
#include "tidepool/object/refcount.h"
#include "tidepool/object/thread_state.h"
#include "tidepool/object/type_info.h"
#include "tidepool/object/weakref.h"

namespace tidepool {

template <class T>
class Ref {
 public:
  Ref() = default;
  // Takes over a reference that the caller has.
  static Ref Adopt(T* object) { return Ref(object); }
  // Makes a new one; the caller has or borrows one.
  static Ref New(T* object) {
    if (object != nullptr) Incref(object);
    return Ref(object);
  }
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref&& other) noexcept {
    if (this != &other) {
      T* old = std::exchange(object_, std::exchange(other.object_, nullptr));
      if (old != nullptr) Decref(ThreadState::Current(), old);
    }
    return *this;
  }
  ~Ref() { reset(); }

  Ref Clone() const { return New(object_); }
  void reset() {
    T* old = std::exchange(object_, nullptr);
    if (old != nullptr) Decref(ThreadState::Current(), old);
  }
  // The caller has the reference now.
  T* release() { return std::exchange(object_, nullptr); }

  T* get() const { return object_; }
  T* operator->() const {
    TP_DCHECK(object_ != nullptr);
    return object_;
  }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }
  friend bool operator==(const Ref& a, const Ref& b) { return a.object_ == b.object_; }

 private:
  explicit Ref(T* object) : object_(object) {}
  T* object_ = nullptr;
};

template <class T>
class Field {
 public:
  // A new reference to what is there, or null.
  Ref<T> Get(ThreadState* ts) const {
    uintptr_t value;
    // Everything stored here is marked maybe-weakref first, so a failed try means that
    // the slot changed, and trying again is progress of somebody.
    while (!LoadRef(ts, slot_, &value)) {
    }
    return Ref<T>::Adopt(value == 0 ? nullptr : static_cast<T*>(AsObject(value)));
  }
  void Set(ThreadState* ts, Ref<T> ref) {
    if (ref) SetMaybeWeakref(ref.get());
    const uintptr_t old = ExchangeSlot(slot_, AsValue(ref.release()));
    DecrefValue(ts, old);
  }
  void Set(ThreadState* ts, const Ref<T>& ref, int) = delete;
  // What was there; the field is null.
  Ref<T> Take() {
    const uintptr_t old = ExchangeSlot(slot_, 0);
    return Ref<T>::Adopt(old == 0 ? nullptr : static_cast<T*>(AsObject(old)));
  }

  // For traverse.
  const Slot& slot() const { return slot_; }
  Slot& slot() { return slot_; }

 private:
  Slot slot_;
};

// Names an object without keeping it alive. T must support weakrefs (object_of.h).
template <class T>
class Weak {
 public:
  Weak() = default;
  // Null (operator bool) if there was no memory.
  Weak(ThreadState* ts, const TypeInfo* weakref_type, T* target)
      : ref_(Ref<WeakRef>::Adopt(NewWeakRef(ts, weakref_type, target, 0))) {}
  // The object, or null if it is dead or dying.
  Ref<T> Lock(ThreadState* ts) const {
    if (!ref_) return Ref<T>();
    return Ref<T>::Adopt(static_cast<T*>(GetWeakRefTarget(ts, ref_.get())));
  }
  explicit operator bool() const { return static_cast<bool>(ref_); }

 private:
  Ref<WeakRef> ref_;
};

}  // namespace tidepool

#endif  // TIDEPOOL_API_REF_H_
