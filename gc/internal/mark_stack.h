// The work list of both marking phases: a stack in memory of the OS, a queue that
// prefetches, and a chain through the owner word for when the stack cannot grow.
//
// Why the queue. Marking follows pointers into memory that is not in the cache: one at a
// time it costs a full miss an object (about 90 ns). An entry popped from the stack is
// prefetched and looked at only when kQueue others have been, so that many misses overlap
// (about 20 ns). Going through the stack first keeps the order depth-first, which is kinder
// to the cache than filling the queue straight away.
//
// Entries are not checked when they are pushed (that would be the miss), so an object may
// be on the stack several times; marking happens when it leaves the queue. When the stack
// is full and the OS gives no more, the object is marked at once and chained through its
// owner word, which can be done only once an object: so marking always finishes, needs
// no memory, and never scans twice. The phase's Marker puts the owner word right when the
// object leaves the chain.
//
// Marker: bool TryMark(ObjectHeader*)   true the first time for an object of this phase
//         void Unchained(ObjectHeader*) the object is off the chain

#ifndef TIDEPOOL_GC_INTERNAL_MARK_STACK_H_
#define TIDEPOOL_GC_INTERNAL_MARK_STACK_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/base/os.h"
#include "tidepool/gc/internal/os_array.h"
#include "tidepool/gc/internal/tid_view.h"
#include "tidepool/object/header.h"
#include "tidepool/object/type_info.h"

namespace tidepool {
namespace gc_internal {

template <class Marker>
class Marking {
 public:
  Marking(OsArray<ObjectHeader*>* stack, Marker marker)
      : stack_(stack), marker_(marker) {}
  Marking(const Marking&) = delete;
  Marking& operator=(const Marking&) = delete;

  void Push(ObjectHeader* obj) {
    if (__builtin_expect(!stack_->Push(obj), 0)) Chain(obj);
  }
  // For traverse functions; `arg` is the Marking.
  static int Visit(ObjectHeader* obj, void* arg) {
    static_cast<Marking*>(arg)->Push(obj);
    return 0;
  }

  // Marks and scans until nothing is left.
  void Drain() {
    for (;;) {
      while (queued_ < kQueue && !stack_->empty()) {
        Enqueue(stack_->Pop());
      }
      if (queued_ != 0) {
        ObjectHeader* obj = queue_[head_];
        head_ = (head_ + 1) % kQueue;
        --queued_;
        if (marker_.TryMark(obj)) Scan(obj);
      } else if (chain_ != nullptr) {
        ObjectHeader* obj = chain_;
        chain_ = TidAsLink::Get(obj);
        marker_.Unchained(obj);
        Scan(obj);
      } else {
        return;
      }
    }
  }

  uint64_t overflows() const { return overflows_; }
  Marker& marker() { return marker_; }

 private:
  static constexpr size_t kQueue = 32;

  void Enqueue(ObjectHeader* obj) {
    __builtin_prefetch(obj, 1);
    // Blocks are not aligned to cache lines: the first fields may lie in the next one.
    __builtin_prefetch(reinterpret_cast<char*>(obj) + sizeof(ObjectHeader) + 15);
    queue_[(head_ + queued_++) % kQueue] = obj;
  }

  void Scan(ObjectHeader* obj) {
    const TypeInfo* type = obj->type();
    // The edge to the class is not counted and not visited by traverse. Most objects in
    // a row have the same one.
    ObjectHeader* type_object = type->type_object;
    if (type_object != nullptr && type_object != last_type_object_) {
      last_type_object_ = type_object;
      Push(type_object);
    }
    if (type->traverse != nullptr) type->traverse(obj, &Visit, this);
  }

  void Chain(ObjectHeader* obj) {
    if (!marker_.TryMark(obj)) return;
    TidAsLink::Set(obj, chain_);
    chain_ = obj;
    ++overflows_;
  }

  OsArray<ObjectHeader*>* stack_;
  Marker marker_;
  ObjectHeader* last_type_object_ = nullptr;
  ObjectHeader* chain_ = nullptr;
  size_t head_ = 0;
  size_t queued_ = 0;
  uint64_t overflows_ = 0;
  ObjectHeader* queue_[kQueue];
};

}  // namespace gc_internal
}  // namespace tidepool

#endif  // TIDEPOOL_GC_INTERNAL_MARK_STACK_H_
