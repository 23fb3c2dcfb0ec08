// Small helpers that all builtin types share.
//
// What it is: making an instance of exactly a native class without the generic path of NewInstance (no
// attributes, no __slots__, body not cleared), a lock scope that can be opened in the middle, and a
// list of references to be dropped later.
//
// Rules of this folder:
//   O1  A mutable container is changed only under its object mutex; under the mutex nothing is dropped
//       (Decref may run scripts), nothing of a script is called and no safepoint is passed but PauseInLoop.
//   O2  What an operation replaces is collected (Drops, an old array) and dropped after the unlock, when
//       the container is whole again.
//   O3  Whoever calls back into scripts in the middle (__eq__, __hash__, key functions) holds no lock and
//       no borrowed array then, and checks afterwards that what it saw still holds.
//   O4  Memory is got before anything is changed; without it MemoryError is raised and nothing is lost.
//   O5  Readers take no lock: size or table first, then the slot by LoadRefFromArray; a failure means
//       "look again under the mutex", never "absent".
#ifndef TIDEPOOL_RUNTIME_OBJECTS_SUPPORT_H_
#define TIDEPOOL_RUNTIME_OBJECTS_SUPPORT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tidepool/object/object.h"
#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/objects/aside.h"
#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/context.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/value.h"

namespace tidepool::rt {

// Untracked, body not cleared. Null: MemoryError is pending.
template <class T>
inline T* NewExact(Context& cx, Class* cls, size_t size = sizeof(T)) {
  ObjectHeader* o = NewObject(cx.ts, &cls->info, size);
  if (ABSL_PREDICT_FALSE(o == nullptr)) {
    RaiseMemoryError(cx);
    return nullptr;
  }
  return static_cast<T*>(static_cast<Object*>(o));
}

// Could the value be part of a cycle?
inline bool MayRefer(Value v) { return v.is_object() && (v.object()->type()->flags & kTypeGc) != 0; }

// An object mutex that may be given up and taken again within its scope.
class OpenLock {
 public:
  OpenLock(Context& cx, ObjectHeader* obj) : ts_(cx.ts), obj_(obj) { LockObject(ts_, obj_); }
  ~OpenLock() {
    if (held_) UnlockObject(obj_);
  }
  OpenLock(const OpenLock&) = delete;
  OpenLock& operator=(const OpenLock&) = delete;
  void Unlock() {
    held_ = false;
    UnlockObject(obj_);
  }
  void Lock() {
    LockObject(ts_, obj_);
    held_ = true;
  }

 private:
  ThreadState* ts_;
  ObjectHeader* obj_;
  bool held_ = true;
};

// memcpy that lets the thread be stopped, and its reference counts be merged, while it copies a lot: the operands
// are kept alive and in place by the caller, and no lock is held.
inline void CopyBytes(Context& cx, void* to, const void* from, size_t n) {
  Aside aside(cx, n);
  if (n != 0) std::memcpy(to, from, n);
}

// Lets a stop pass, and reference counts be merged, in a long loop where nothing may be run, above all one that holds an
// object mutex: asked once in 1024 rounds, whose number is given. Whoever waits for the mutex waits detached, and what the
// collector walks through meanwhile must be whole: every reference in one place only.
inline void PauseInLoop(Context& cx, uint64_t round) {
  if ((round & 1023) != 1023 || !cx.ts->safepoint_wanted()) return;
  cx.ts->DetachForLock();  // runs nothing
  cx.ts->Attach();
}

// A growing raw array of owned references; drops what is left in it, from the end.
class Drops {
 public:
  explicit Drops(Context& cx) : cx_(cx) {}
  ~Drops();
  Drops(const Drops&) = delete;
  Drops& operator=(const Drops&) = delete;
  // Room for n in all. False: no memory (nothing is raised: the caller may hold a lock).
  bool Reserve(size_t n);
  bool Add(Ref v) {
    if (size_ == room_ && !Reserve(size_ + 1)) return false;
    items_[size_++] = v.release();
    return true;
  }
  size_t size() const { return size_; }
  Value* data() { return items_; }
  Value operator[](size_t i) const { return items_[i]; }
  // The references belong to somebody else from now on.
  void ReleaseAll() { size_ = 0; }
  void set_size(size_t n) { size_ = n; }

 private:
  Context& cx_;
  Value inline_[8];
  Value* items_ = inline_;
  size_t size_ = 0;
  size_t room_ = 8;
};

// An operand of sequence * n (an int or something with __index__). OverflowError if it does not fit.
bool RepeatCount(Context& cx, Value v, int64_t* out);
// An index of an item: the same with IndexError.
bool ItemIndex(Context& cx, Value v, int64_t* out);

// Text is put together in buffers outside the heap, which the memory limit does not see. So wherever a script gives the
// length of a result as a number: is there room for it? MemoryError if not.
bool RoomFor(Context& cx, int64_t bytes);

// Where a method's index arguments lead: start and end of a slice of a sequence of `size`, as s.find(x, start, end)
// reads them. Null or None: the default. False: an exception is pending.
bool SliceBounds(Context& cx, Value start, Value end, int64_t size, int64_t* from, int64_t* to);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_SUPPORT_H_
