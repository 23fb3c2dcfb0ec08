// Local<T>: a reference on the stack of its thread. Handle<T>: a reference for code outside.
//
//   Ref<T>      the reference as such: moved around, stored in C++ objects that live on
//               attached threads, asks for its thread when it drops.
//   Local<T>    knows its thread, so a drop asks for nothing; cannot be moved off the stack.
//   Handle<T>   may be kept and dropped by every thread in every state: attached, detached,
//               attached to another isolate, or unknown to this one (it attaches for a moment
//               then, and may wait for a stop to end). For callbacks of foreign libraries,
//               queues, globals. Dropped before its Vm goes, or void.
//
// What a Handle needs for its drop is allocated when it is made, so dropping cannot fail;
// making one can, and says so.

#ifndef TIDEPOOL_API_LOCAL_H_
#define TIDEPOOL_API_LOCAL_H_

#include <cstddef>
#include <utility>

#include "absl/status/statusor.h"
#include "tidepool/api/ref.h"
#include "tidepool/api/vm.h"
#include "tidepool/base/check.h"

namespace tidepool {

template <class T>
class Local {
 public:
  // Takes the reference over.
  Local(ThreadState* ts, Ref<T> ref) : ts_(ts), object_(ref.release()) {
    TP_DCHECK(ThreadState::Current() == ts);
  }
  ~Local() {
    if (object_ != nullptr) Decref(ts_, object_);
  }
  Local(const Local&) = delete;
  Local& operator=(const Local&) = delete;
  static void* operator new(size_t) = delete;
  static void* operator new[](size_t) = delete;

  Local& operator=(Ref<T> ref) {
    T* old = std::exchange(object_, ref.release());
    if (old != nullptr) Decref(ts_, old);
    return *this;
  }
  // A reference for somebody else.
  Ref<T> ref() const { return Ref<T>::New(object_); }
  T* get() const { return object_; }
  T* operator->() const {
    TP_DCHECK(object_ != nullptr);
    return object_;
  }
  T& operator*() const { return *object_; }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  ThreadState* const ts_;
  T* object_;
};

namespace internal {

// The calling thread, whatever its state, is attached to the isolate in the scope; its state
// is as before afterwards. ts() is null if there was no memory for one.
class AnywhereScope {
 public:
  explicit AnywhereScope(Isolate* isolate);
  ~AnywhereScope();
  AnywhereScope(const AnywhereScope&) = delete;
  AnywhereScope& operator=(const AnywhereScope&) = delete;
  ThreadState* ts() const { return ts_; }

 private:
  Isolate* const isolate_;
  ThreadState* ts_ = nullptr;
  ThreadState* elsewhere_ = nullptr;
  bool entered_ = false;
};

// Takes the node's reference and frees the node, now or with the next of them.
void DropHandle(Vm* vm, HandleNode* node);

}  // namespace internal

template <class T>
class Handle {
 public:
  Handle() = default;
  // By a thread that is attached to the vm. RESOURCE_EXHAUSTED: nothing is held; the
  // reference is dropped.
  static absl::StatusOr<Handle> Create(Vm& vm, Ref<T> ref) {
    auto* node = new (std::nothrow) internal::HandleNode;
    if (node == nullptr) return absl::ResourceExhaustedError("no memory for a handle");
    node->object = ref.release();
    return Handle(&vm, node);
  }
  Handle(Handle&& other) noexcept
      : vm_(other.vm_), node_(std::exchange(other.node_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      vm_ = other.vm_;
      node_ = std::exchange(other.node_, nullptr);
    }
    return *this;
  }
  ~Handle() { reset(); }

  // By a thread that is attached to the vm.
  Ref<T> Get() const {
    return node_ == nullptr ? Ref<T>() : Ref<T>::New(static_cast<T*>(node_->object));
  }
  explicit operator bool() const { return node_ != nullptr; }
  // Any thread, any state.
  void reset() {
    if (node_ != nullptr) internal::DropHandle(vm_, std::exchange(node_, nullptr));
  }

 private:
  Handle(Vm* vm, internal::HandleNode* node) : vm_(vm), node_(node) {}
  Vm* vm_ = nullptr;
  internal::HandleNode* node_ = nullptr;
};

}  // namespace tidepool

#endif  // TIDEPOOL_API_LOCAL_H_
