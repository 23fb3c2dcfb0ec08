// The work list of every marking phase: a stack in memory of the OS, a ring that
// prefetches, and a chain through the owner word for when the stack cannot grow.
//
// Why the ring. Marking follows pointers into memory that is not in the cache: one at a
// time it costs a full miss an object (about 90 ns). An entry popped from the stack is
// prefetched and looked at only when kRing others have been, so that many misses overlap
// (about 20 ns). Going through the stack first keeps the order depth-first, which is kinder
// to the cache than filling the ring straight away. Where there is only one entry there is
// nothing to overlap, and it does not go through the ring.
//
// Entries are not checked when they are pushed (that would be the miss), so an object may
// be on the stack several times; marking happens when it leaves the ring. When the stack
// is full and the OS gives no more, the object is marked at once and chained through its
// owner word, which can be done only once an object: so marking always finishes, needs
// no memory, and never scans twice. The phase's Marker puts the owner word right when the
// object leaves the chain.
//
// Several markers (work_pool.h): each has a stack, a ring and a chain of its own. Mark bits
// are read and written without a read-modify-write: in a stop only markers write them, and
// two that meet at an object write the same value; the worst is that it is scanned twice.
// Where that would not do (the chain, exact counts) the Marker claims with fetch_or.
//
// In slices (Marker::kSliced) Drain stops when the clock passes the deadline and leaves
// the rest on the stack, where it is no more than a list of hints for the next slice: with
// the world running in between, an address may have become anything. Entries below
// `hints` go through the ring with a mark of their own and are looked at by
// Marker::IsObject when they leave it, prefetched like all others. An entry that finds no
// room is left out: what stays unmarked is put to trial.
//
// Marker: bool TryMark(ObjectHeader*)    true the first time for an object of this phase
//         bool TryClaim(ObjectHeader*)   the same, for one marker only
//         void Unchained(ObjectHeader*)  the object is off the chain
//         bool IsObject(ObjectHeader*)   (sliced) the address is a tracked object's

#ifndef TIDEPOOL_GC_INTERNAL_MARK_STACK_H_
#define TIDEPOOL_GC_INTERNAL_MARK_STACK_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/base/os.h"
#include "tidepool/gc/internal/os_array.h"
#include "tidepool/gc/internal/tid_view.h"
#include "tidepool/gc/internal/work_pool.h"
#include "tidepool/object/header.h"
#include "tidepool/object/type_info.h"

namespace tidepool {
namespace gc_internal {

template <class Marker>
class Marking {
 public:
  // `hints`: how many entries the stack holds already. pool: null if there is one marker.
  Marking(OsArray<ObjectHeader*>* stack, Marker marker, WorkPool* pool = nullptr)
      : stack_(stack), pool_(pool), hints_(stack->size()), marker_(marker) {
    Load();
  }
  ~Marking() { stack_->set_size(static_cast<size_t>(top_ - base_)); }
  Marking(const Marking&) = delete;
  Marking& operator=(const Marking&) = delete;

  void Push(ObjectHeader* obj) {
    if (__builtin_expect(top_ == end_, 0)) {
      PushSlow(obj);
      return;
    }
    *top_++ = obj;
  }
  // For traverse functions; `arg` is the Marking.
  static int Visit(ObjectHeader* obj, void* arg) {
    static_cast<Marking*>(arg)->Push(obj);
    return 0;
  }

  // Marks and scans until nothing is left here. With a pool, others may still have work:
  // see Finish. False (sliced): the deadline has passed, the rest is on the stack.
  bool Drain(Os* os = nullptr, uint64_t deadline_ns = 0) {
    for (int tick = kTick;;) {
      ObjectHeader* obj;
      if (top_ != base_) {
        obj = *--top_;
        if constexpr (Marker::kSliced) {
          if (static_cast<size_t>(top_ - base_) < hints_) {
            hints_ = static_cast<size_t>(top_ - base_);
            obj = AsHint(obj);
          }
        }
        if (queued_ != 0 || top_ != base_) {
          ObjectHeader*& place = ring_[head_];
          head_ = (head_ + 1) % kRing;
          Prefetch(obj);
          ObjectHeader* due = place;
          place = obj;
          if (due == nullptr) {
            ++queued_;
            continue;
          }
          obj = due;
        }
      } else if (queued_ != 0) {
        obj = ring_[head_];
        ring_[head_] = nullptr;
        head_ = (head_ + 1) % kRing;
        if (obj == nullptr) continue;
        --queued_;
      } else if (chain_ != nullptr) {
        obj = chain_;
        chain_ = TidAsLink::Get(obj);
        marker_.Unchained(obj);
        Scan(obj);
        continue;
      } else {
        return true;
      }
      if (Checked(&obj) && marker_.TryMark(obj)) Scan(obj);
      if (--tick == 0) {
        tick = kTick;
        if constexpr (Marker::kSliced) {
          if (deadline_ns != 0 && os->NowNs() >= deadline_ns) {
            Spill();
            return top_ == base_;
          }
        } else if (pool_ != nullptr && pool_->Wanted()) {
          Give();
        }
      }
    }
  }

  // One of several markers: goes on with what others give until all have nothing left.
  void Finish() {
    Drain();
    if (pool_ == nullptr) return;
    while (const size_t n = pool_->Take(given_, kGive)) {
      for (size_t i = 0; i < n; ++i) Push(given_[i]);
      Drain();
    }
  }

  // (Sliced) what is left is not marked from here.
  void Forget() { top_ = base_; }

  uint64_t overflows() const { return overflows_; }
  Marker& marker() { return marker_; }

 private:
  static constexpr size_t kRing = 32;
#ifdef TIDEPOOL_SCHED
  static constexpr int kTick = 1;  // graphs are small there
#else
  static constexpr int kTick = 64;
#endif
  static constexpr size_t kGive = 512;

  void Load() {
    base_ = stack_->begin();
    top_ = stack_->end();
    end_ = base_ + stack_->capacity();
  }

  __attribute__((noinline)) void PushSlow(ObjectHeader* obj) {
    stack_->set_size(static_cast<size_t>(top_ - base_));
    const bool pushed = stack_->Push(obj);
    Load();
    if (!pushed) Chain(obj);
  }

  // An entry of an earlier slice: the low bit, which no header's address has.
  static ObjectHeader* AsHint(ObjectHeader* obj) {
    return reinterpret_cast<ObjectHeader*>(reinterpret_cast<uintptr_t>(obj) | 1);
  }
  static ObjectHeader* WithoutHint(ObjectHeader* obj) {
    return reinterpret_cast<ObjectHeader*>(reinterpret_cast<uintptr_t>(obj) & ~uintptr_t{1});
  }
  // Takes the bit off. False: a hint to what is no object any more.
  bool Checked(ObjectHeader** obj) {
    if constexpr (Marker::kSliced) {
      if ((reinterpret_cast<uintptr_t>(*obj) & 1) == 0) return true;
      *obj = WithoutHint(*obj);
      return marker_.IsObject(*obj);
    }
    return true;
  }

  // No address faults here.
  static void Prefetch(ObjectHeader* obj) {
    __builtin_prefetch(obj, 1);
    // Blocks are not aligned to cache lines: the first fields may lie in the next one.
    __builtin_prefetch(reinterpret_cast<char*>(obj) + sizeof(ObjectHeader) + 15);
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
    ++overflows_;
    if (Marker::kSliced || !marker_.TryClaim(obj)) return;
    TidAsLink::Set(obj, chain_);
    chain_ = obj;
  }

  // The oldest entries: what hangs on them is likely to be the most.
  void Give() {
    const size_t have = static_cast<size_t>(top_ - base_);
    size_t n = have / 2 < kGive ? have / 2 : kGive;
    n = pool_->Give(base_, n);
    // The places of those that went are filled from the top; the order does not matter.
    for (size_t i = 0; i < n; ++i) base_[i] = *--top_;
  }

  void Spill() {
    for (ObjectHeader*& obj : ring_) {
      if (obj != nullptr) Push(WithoutHint(obj));
      obj = nullptr;
    }
    queued_ = 0;
  }

  OsArray<ObjectHeader*>* stack_;
  WorkPool* pool_;
  ObjectHeader** base_;
  ObjectHeader** top_;
  ObjectHeader** end_;
  size_t hints_;
  Marker marker_;
  ObjectHeader* last_type_object_ = nullptr;
  ObjectHeader* chain_ = nullptr;
  size_t head_ = 0;
  size_t queued_ = 0;
  uint64_t overflows_ = 0;
  ObjectHeader* ring_[kRing] = {};
  ObjectHeader* given_[kGive];
};

}  // namespace gc_internal
}  // namespace tidepool

#endif  // TIDEPOOL_GC_INTERNAL_MARK_STACK_H_
