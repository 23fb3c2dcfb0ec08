// collections.deque: a ring of values in the raw heap.
//
//   items[(head + i) % capacity], 0 <= i < count, are the values, each an owned reference.
//
// Everything is read and written under the object mutex, which is held for a few instructions: no reference is dropped
// and no script runs under it. What an operation takes out is dropped after the unlock. `version` moves
// with every change of the set of items; iterators compare it.
#include <algorithm>
#include <cstring>

#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/modules/common.h"
#include "tidepool/runtime/modules/modules.h"

namespace tidepool::rt {
namespace {

struct Deque : Object {
  Value* items;
  size_t capacity;   // 0 or a power of two
  size_t head;
  size_t count;
  int64_t max_length;  // -1: none. Set before anybody else sees the object
  uint64_t version;

  Value& At(size_t i) { return items[(head + i) & (capacity - 1)]; }
};

struct DequeIterator : Object {
  Value deque;         // owned, never changes
  Atomic<int64_t> next;
  uint64_t version;    // of the deque when the iterator was made
  bool reverse;
};

struct DequeState {
  Class* deque = nullptr;
  Class* iterator = nullptr;
};

DequeState& State(Context& cx) { return cx.rt.State<DequeState>(); }
Deque* Self(Value v) { return v.as<Deque>(); }
bool IsDeque(Context& cx, Value v) { return v.is_object() && IsInstance(cx, v, State(cx).deque); }

// Room for one more; the mutex is held. Null memory: false, nothing has changed. *old is to be freed after the unlock.
bool GrowLocked(Context& cx, Deque* d, Value** old) {
  *old = nullptr;
  if (d->count < d->capacity) return true;
  const size_t capacity = d->capacity == 0 ? 8 : d->capacity * 2;
  Value* grown = static_cast<Value*>(cx.ts->heap()->Allocate(HeapKind::kRaw, capacity * sizeof(Value)));
  if (grown == nullptr) return false;
  for (size_t i = 0; i < d->count; i++) grown[i] = d->At(i);
  *old = d->items;
  d->items = grown;
  d->capacity = capacity;
  d->head = 0;
  return true;
}

enum class End { kLeft, kRight };

void PutLocked(Deque* d, End end, Value v) {
  if (end == End::kLeft) {
    d->head = (d->head - 1) & (d->capacity - 1);
    d->items[d->head] = v;
  } else {
    d->items[(d->head + d->count) & (d->capacity - 1)] = v;
  }
  d->count++;
  d->version++;
}

Value TakeLocked(Deque* d, End end) {
  Value v;
  if (end == End::kLeft) {
    v = d->items[d->head];
    d->head = (d->head + 1) & (d->capacity - 1);
  } else {
    v = d->At(d->count - 1);
  }
  d->count--;
  d->version++;
  return v;
}

bool Add(Context& cx, Deque* d, End end, Value v) {
  if (d->max_length == 0) return true;
  Ref pushed_out;
  Value* old = nullptr;
  bool good;
  {
    ObjectLock lock(cx.ts, d);
    good = GrowLocked(cx, d, &old);
    if (good) {
      IncrefValue(v);
      PutLocked(d, end, v);
      if (d->max_length >= 0 && d->count > static_cast<size_t>(d->max_length)) {
        pushed_out = Ref::Steal(TakeLocked(d, end == End::kLeft ? End::kRight : End::kLeft));
      }
    }
  }
  if (old != nullptr) FreeRaw(cx, old);
  if (!good) RaiseMemoryError(cx);
  return good;
}

// Null without exception: empty.
Ref Take(Context& cx, Deque* d, End end) {
  ObjectLock lock(cx.ts, d);
  if (d->count == 0) return nullptr;
  return Ref::Steal(TakeLocked(d, end));
}

Ref DequeAppend(Context& cx, Value self, const Args& args) {
  if (!Add(cx, Self(self), End::kRight, args[0])) return nullptr;
  return cx.NoneRef();
}

Ref DequeAppendLeft(Context& cx, Value self, const Args& args) {
  if (!Add(cx, Self(self), End::kLeft, args[0])) return nullptr;
  return cx.NoneRef();
}

Ref DequePop(Context& cx, Value self, const Args&) {
  Ref v = Take(cx, Self(self), End::kRight);
  return v ? std::move(v) : RaiseIndexError(cx, "pop from an empty deque");
}

Ref DequePopLeft(Context& cx, Value self, const Args&) {
  Ref v = Take(cx, Self(self), End::kLeft);
  return v ? std::move(v) : RaiseIndexError(cx, "pop from an empty deque");
}

// All items at one moment, as a list.
Ref Snapshot(Context& cx, Deque* d) {
  for (;;) {
    size_t room;
    {
      ObjectLock lock(cx.ts, d);
      room = d->count;
    }
    Value* copy = nullptr;
    if (room > 0) {
      copy = static_cast<Value*>(AllocateRaw(cx, room * sizeof(Value)));
      if (copy == nullptr) return nullptr;
    }
    bool fits;
    size_t n = 0;
    {
      ObjectLock lock(cx.ts, d);
      fits = d->count <= room;
      if (fits) {
        n = d->count;
        for (size_t i = 0; i < n; i++) {
          copy[i] = d->At(i);
          IncrefValue(copy[i]);
        }
      }
    }
    Ref list;
    if (fits) list = NewListSteal(cx, copy, n);
    if (copy != nullptr) FreeRaw(cx, copy);
    if (fits) return list;
  }
}

bool Extend(Context& cx, Deque* d, End end, Value iterable) {
  Ref source;
  if (iterable == Value(d)) {
    source = Snapshot(cx, d);
    if (!source) return false;
    iterable = source;
  }
  return Iterate(cx, iterable, [&](Value v) { return Add(cx, d, end, v); });
}

Ref DequeExtend(Context& cx, Value self, const Args& args) {
  if (!Extend(cx, Self(self), End::kRight, args[0])) return nullptr;
  return cx.NoneRef();
}

Ref DequeExtendLeft(Context& cx, Value self, const Args& args) {
  if (!Extend(cx, Self(self), End::kLeft, args[0])) return nullptr;
  return cx.NoneRef();
}

void Clear(Context& cx, Deque* d) {
  Value* items;
  size_t capacity, head, count;
  {
    ObjectLock lock(cx.ts, d);
    items = d->items;
    capacity = d->capacity;
    head = d->head;
    count = d->count;
    d->items = nullptr;
    d->capacity = d->head = d->count = 0;
    d->version++;
  }
  for (size_t i = 0; i < count; i++) DecrefValue(cx.ts, items[(head + i) & (capacity - 1)]);
  if (items != nullptr) FreeRaw(cx, items);
}

Ref DequeClear(Context& cx, Value self, const Args&) {
  Clear(cx, Self(self));
  return cx.NoneRef();
}

Ref DequeRotate(Context& cx, Value self, const Args& args) {
  int64_t n = 1;
  if (args.size() == 1 && !ToInt64(cx, args[0], &n)) return nullptr;
  Deque* d = Self(self);
  {
    ObjectLock lock(cx.ts, d);
    if (d->count > 1) {
      const int64_t count = static_cast<int64_t>(d->count);
      n = ((n % count) + count) % count;
      // Whichever way is shorter.
      if (n <= count / 2) {
        for (; n > 0; n--) {
          const Value v = TakeLocked(d, End::kRight);
          PutLocked(d, End::kLeft, v);
        }
      } else {
        for (n = count - n; n > 0; n--) {
          const Value v = TakeLocked(d, End::kLeft);
          PutLocked(d, End::kRight, v);
        }
      }
    }
  }
  return cx.NoneRef();
}

Ref DequeReverse(Context& cx, Value self, const Args&) {
  Deque* d = Self(self);
  {
    ObjectLock lock(cx.ts, d);
    for (size_t i = 0, j = d->count; i + 1 < j; i++) std::swap(d->At(i), d->At(--j));
    d->version++;
  }
  return cx.NoneRef();
}

int64_t DequeLen(Context& cx, Value self) {
  ObjectLock lock(cx.ts, Self(self));
  return static_cast<int64_t>(Self(self)->count);
}

// Item i and the version seen; null without exception if i is out of range.
Ref Item(Context& cx, Deque* d, int64_t i, uint64_t* version) {
  ObjectLock lock(cx.ts, d);
  *version = d->version;
  if (i < 0 || static_cast<size_t>(i) >= d->count) return nullptr;
  return Ref::New(d->At(static_cast<size_t>(i)));
}

// Calls fn(i, item) -> bool (false: stop) for each; RuntimeError if the deque changes meanwhile. *finished says
// whether fn never stopped. False: an exception is pending.
template <class Fn>
bool ForEach(Context& cx, Deque* d, Fn fn) {
  uint64_t version;
  Ref first = Item(cx, d, 0, &version);
  for (int64_t i = 0;; i++) {
    SafepointInLoop(cx, static_cast<uint64_t>(i));
    uint64_t now;
    Ref item = Item(cx, d, i, &now);
    if (now != version) return Raise(cx, cx.rt.exc.RuntimeError, "deque mutated during iteration"), false;
    if (!item) return true;
    if (!fn(i, item.get())) return !cx.has_exception();
  }
}

Ref DequeCount(Context& cx, Value self, const Args& args) {
  int64_t n = 0;
  if (!ForEach(cx, Self(self), [&](int64_t, Value item) {
        const int equal = Equal(cx, item, args[0]);
        n += equal > 0;
        return equal >= 0;
      })) {
    return nullptr;
  }
  return NewInt(cx, n);
}

// The first place of `value` in [from, to); -1: absent; -2: exception.
int64_t Find(Context& cx, Deque* d, Value value, int64_t from, int64_t to) {
  int64_t found = -1;
  if (!ForEach(cx, d, [&](int64_t i, Value item) {
        if (i >= to) return false;
        if (i < from) return true;
        const int equal = Equal(cx, item, value);
        if (equal > 0) found = i;
        return equal == 0;
      })) {
    return -2;
  }
  return found;
}

int DequeContains(Context& cx, Value self, Value item) {
  const int64_t i = Find(cx, Self(self), item, 0, INT64_MAX);
  return i == -2 ? -1 : i >= 0;
}

Ref DequeIndex(Context& cx, Value self, const Args& args) {
  const int64_t size = DequeLen(cx, self);
  int64_t from = 0, to = size;
  if (args.size() > 1 && !ToIndexClamped(cx, args[1], &from)) return nullptr;
  if (args.size() > 2 && !ToIndexClamped(cx, args[2], &to)) return nullptr;
  if (from < 0) from = std::max<int64_t>(from + size, 0);
  if (to < 0) to = std::max<int64_t>(to + size, 0);
  const int64_t i = Find(cx, Self(self), args[0], from, to);
  if (i == -2) return nullptr;
  if (i < 0) return RaiseValueError(cx, "%s is not in deque", ReprText(cx, args[0]).c_str());
  return NewInt(cx, i);
}

// Takes item i out; null without exception if it is out of range.
Ref TakeAt(Context& cx, Deque* d, int64_t i) {
  ObjectLock lock(cx.ts, d);
  if (i < 0 || static_cast<size_t>(i) >= d->count) return nullptr;
  const Value v = d->At(static_cast<size_t>(i));
  for (size_t k = static_cast<size_t>(i); k + 1 < d->count; k++) d->At(k) = d->At(k + 1);
  d->count--;
  d->version++;
  return Ref::Steal(v);
}

Ref DequeRemove(Context& cx, Value self, const Args& args) {
  const int64_t i = Find(cx, Self(self), args[0], 0, INT64_MAX);
  if (i == -2) return nullptr;
  Ref taken = i >= 0 ? TakeAt(cx, Self(self), i) : Ref();
  if (!taken) return RaiseValueError(cx, "%s is not in deque", ReprText(cx, args[0]).c_str());
  return cx.NoneRef();
}

Ref DequeInsert(Context& cx, Value self, const Args& args) {
  Deque* d = Self(self);
  int64_t i;
  if (!ToIndexClamped(cx, args[0], &i)) return nullptr;
  Value* old = nullptr;
  bool good = true, full = false;
  {
    ObjectLock lock(cx.ts, d);
    full = d->max_length >= 0 && d->count >= static_cast<size_t>(d->max_length);
    if (!full) {
      good = GrowLocked(cx, d, &old);
      if (good) {
        const int64_t size = static_cast<int64_t>(d->count);
        if (i < 0) i = std::max<int64_t>(i + size, 0);
        if (i > size) i = size;
        IncrefValue(args[1]);
        PutLocked(d, End::kRight, args[1]);
        for (size_t k = d->count - 1; k > static_cast<size_t>(i); k--) std::swap(d->At(k), d->At(k - 1));
      }
    }
  }
  if (old != nullptr) FreeRaw(cx, old);
  if (full) return RaiseIndexError(cx, "deque already at its maximum size");
  if (!good) return RaiseMemoryError(cx);
  return cx.NoneRef();
}

bool Position(Context& cx, Value self, Value key, int64_t* i) {
  if (!IsInt(key)) {
    RaiseTypeError(cx, "sequence index must be integer, not '%s'", ClassName(cx, key));
    return false;
  }
  if (!ToInt64(cx, key, i)) return false;
  if (*i < 0) *i += DequeLen(cx, self);
  return true;
}

Ref DequeGetItem(Context& cx, Value self, Value key) {
  int64_t i;
  if (!Position(cx, self, key, &i)) return nullptr;
  uint64_t version;
  Ref item = Item(cx, Self(self), i, &version);
  return item ? std::move(item) : RaiseIndexError(cx, "deque index out of range");
}

bool DequeSetItem(Context& cx, Value self, Value key, Value value) {
  int64_t i;
  if (!Position(cx, self, key, &i)) return false;
  Deque* d = Self(self);
  Ref old;
  if (!value) {
    old = TakeAt(cx, d, i);
  } else {
    ObjectLock lock(cx.ts, d);
    if (i >= 0 && static_cast<size_t>(i) < d->count) {
      IncrefValue(value);
      old = Ref::Steal(d->At(static_cast<size_t>(i)));
      d->At(static_cast<size_t>(i)) = value;
    }
  }
  if (!old) return RaiseIndexError(cx, "deque index out of range"), false;
  return true;
}

Ref NewDeque(Context& cx, Class* cls, int64_t max_length) {
  Ref r = NewInstance(cx, cls);
  if (r) r.as<Deque>()->max_length = max_length;
  return r;
}

Ref DequeCreate(Context& cx, Class* cls, const Args&) { return NewDeque(cx, cls, -1); }

bool DequeInit(Context& cx, Value self, const Args& args) {
  Value v[2];
  if (!ParseArgs(cx, "deque", args, {"iterable", "maxlen"}, 0, v)) return false;
  Deque* d = Self(self);
  int64_t max_length = -1;
  if (v[1] && v[1] != cx.None()) {
    if (!ToInt64(cx, v[1], &max_length)) return false;
    if (max_length < 0) return RaiseValueError(cx, "maxlen must be non-negative"), false;
  }
  Clear(cx, d);
  d->max_length = max_length;
  return !v[0] || Extend(cx, d, End::kRight, v[0]);
}

Ref Copy(Context& cx, Value self) {
  Deque* d = Self(self);
  Ref items = Snapshot(cx, d);
  if (!items) return nullptr;
  Ref r = NewDeque(cx, ClassOf(self.object()), d->max_length);
  if (!r || !Extend(cx, r.as<Deque>(), End::kRight, items)) return nullptr;
  return r;
}

Ref DequeCopy(Context& cx, Value self, const Args&) { return Copy(cx, self); }

Ref DequeConcat(Context& cx, Value a, Value b) {
  if (!IsDeque(cx, a)) return cx.NotImplementedRef();
  if (!IsDeque(cx, b)) return RaiseTypeError(cx, "can only concatenate deque (not \"%s\") to deque", ClassName(cx, b));
  Ref r = Copy(cx, a);
  if (!r || !Extend(cx, r.as<Deque>(), End::kRight, b)) return nullptr;
  return r;
}

Ref DequeInplaceConcat(Context& cx, Value self, Value other) {
  if (!Extend(cx, Self(self), End::kRight, other)) return nullptr;
  return Ref::New(self);
}

Ref DequeRepeat(Context& cx, Value a, Value b) {
  const Value self = IsDeque(cx, a) ? a : b;
  const Value times = IsDeque(cx, a) ? b : a;
  if (!IsInt(times) && ClassOf(cx, times)->slots.index == nullptr) return cx.NotImplementedRef();
  int64_t n;
  if (!RepeatCount(cx, times, &n)) return nullptr;
  Ref items = Snapshot(cx, Self(self));
  Ref r = items ? NewDeque(cx, ClassOf(self.object()), Self(self)->max_length) : Ref();
  if (!r) return nullptr;
  for (int64_t i = 0; i < n; i++) {
    if (!Extend(cx, r.as<Deque>(), End::kRight, items)) return nullptr;
    if (ListSize(items.as<List>()) == 0) break;
  }
  return r;
}

Ref DequeInplaceRepeat(Context& cx, Value self, Value times) {
  if (!IsInt(times) && ClassOf(cx, times)->slots.index == nullptr) return cx.NotImplementedRef();
  int64_t n;
  if (!RepeatCount(cx, times, &n)) return nullptr;
  if (n <= 0) {
    if (!DequeClear(cx, self, Args())) return nullptr;
    return Ref::New(self);
  }
  Ref items = Snapshot(cx, Self(self));
  if (!items) return nullptr;
  for (int64_t i = 1; i < n && ListSize(items.as<List>()) > 0; i++) {
    if (!Extend(cx, Self(self), End::kRight, items)) return nullptr;
  }
  return Ref::New(self);
}

Ref DequeCompare(Context& cx, Value self, Value other, CompareOp op) {
  if (!IsDeque(cx, self) || !IsDeque(cx, other)) return cx.NotImplementedRef();
  Ref a = Snapshot(cx, Self(self));
  Ref b = a ? Snapshot(cx, Self(other)) : Ref();
  if (!b) return nullptr;
  return Compare(cx, a, b, op);
}

Ref DequeRepr(Context& cx, Value self) {
  ReprScope scope(cx, self);
  if (scope.failed()) return nullptr;
  if (scope.recursive()) return NewStr(cx, "[...]");
  Ref items = Snapshot(cx, Self(self));
  Ref inner = items ? Repr(cx, items) : Ref();
  if (!inner) return nullptr;
  std::string text = std::string(ShortName(ClassOf(self.object()))) + "(";
  Ref head = NewStr(cx, text);
  std::string tail = Self(self)->max_length >= 0 ? ", maxlen=" + std::to_string(Self(self)->max_length) + ")" : ")";
  Ref end = NewStr(cx, tail);
  if (!head || !end) return nullptr;
  Value parts[] = {head, inner, end};
  return StrJoinN(cx, parts, 3);
}

Ref GetMaxLength(Context& cx, Value self) {
  return Self(self)->max_length < 0 ? cx.NoneRef() : NewInt(cx, Self(self)->max_length);
}

// ---- iterators

Ref NewIterator(Context& cx, Value self, bool reverse) {
  Ref r = NewInstance(cx, State(cx).iterator);
  if (!r) return nullptr;
  DequeIterator* it = r.as<DequeIterator>();
  uint64_t version;
  Ref first = Item(cx, Self(self), 0, &version);
  it->version = version;
  it->reverse = reverse;
  it->deque = Ref::New(self).release();
  return r;
}

Ref DequeIter(Context& cx, Value self) { return NewIterator(cx, self, false); }
Ref DequeReversed(Context& cx, Value self, const Args&) { return NewIterator(cx, self, true); }

Ref IteratorSelf(Context&, Value self) { return Ref::New(self); }

Ref IteratorNext(Context& cx, Value self) {
  DequeIterator* it = self.as<DequeIterator>();
  // Relaxed: threads that share an iterator may get an item twice, never a wrong one.
  const int64_t i = it->next.load(kRelaxed);
  if (i < 0) return nullptr;
  Deque* d = it->deque.as<Deque>();
  uint64_t version;
  Ref item;
  {
    ObjectLock lock(cx.ts, d);
    version = d->version;
    if (version == it->version && static_cast<size_t>(i) < d->count) {
      item = Ref::New(d->At(it->reverse ? d->count - 1 - static_cast<size_t>(i) : static_cast<size_t>(i)));
    }
  }
  it->next.store(item ? i + 1 : -1, kRelaxed);
  if (version != it->version) return RaiseRuntimeError(cx, "deque mutated during iteration");
  return item;
}

Ref IteratorLengthHint(Context& cx, Value self, const Args&) {
  DequeIterator* it = self.as<DequeIterator>();
  const int64_t i = it->next.load(kRelaxed);
  return NewInt(cx, i < 0 ? 0 : std::max<int64_t>(DequeLen(cx, it->deque) - i, 0));
}

void IteratorTraverse(Object* obj, SlotVisitor& visitor) { visitor.Visit(static_cast<DequeIterator*>(obj)->deque); }

void IteratorDestroy(Context&, Object* obj) {
  DequeIterator* it = static_cast<DequeIterator*>(obj);
  Ref deque = Ref::Steal(it->deque);
  it->deque = Value();
}

// ---- class

void DequeTraverse(Object* obj, SlotVisitor& visitor) {
  Deque* d = static_cast<Deque*>(obj);
  for (size_t i = 0; i < d->count; i++) visitor.Visit(d->At(i));
}

void DequeClearRefs(Context& cx, Object* obj) { Clear(cx, static_cast<Deque*>(obj)); }

const MethodDef kDequeMethods[] = {
    {"append", DequeAppend, 1, 1},
    {"appendleft", DequeAppendLeft, 1, 1},
    {"pop", DequePop, 0, 0},
    {"popleft", DequePopLeft, 0, 0},
    {"extend", DequeExtend, 1, 1},
    {"extendleft", DequeExtendLeft, 1, 1},
    {"clear", DequeClear, 0, 0},
    {"rotate", DequeRotate, 0, 1},
    {"reverse", DequeReverse, 0, 0},
    {"count", DequeCount, 1, 1},
    {"index", DequeIndex, 1, 3},
    {"remove", DequeRemove, 1, 1},
    {"insert", DequeInsert, 2, 2},
    {"copy", DequeCopy, 0, 0},
    {"__copy__", DequeCopy, 0, 0},
    {"__reversed__", DequeReversed, 0, 0},
    {},
};

const GetSetDef kDequeGetSet[] = {
    {"maxlen", GetMaxLength, nullptr},
    {},
};

const MethodDef kIteratorMethods[] = {
    {"__length_hint__", IteratorLengthHint, 0, 0},
    {},
};

bool InitModule(Context& cx, Module* module) {
  static const NativeType deque_type = [] {
    NativeType t;
    t.name = "deque";
    t.module = "collections";
    t.full_name = "collections.deque";
    t.size = sizeof(Deque);
    t.flags = kTypeSubclassable | kTypeHasRefs | kTypeWeakrefs | kTypeUnhashable | kTypeSequence;
    t.slots.create = DequeCreate;
    t.slots.init = DequeInit;
    t.slots.repr = DequeRepr;
    t.slots.len = DequeLen;
    t.slots.getitem = DequeGetItem;
    t.slots.setitem = DequeSetItem;
    t.slots.contains = DequeContains;
    t.slots.iter = DequeIter;
    t.slots.compare = DequeCompare;
    t.slots.binary[static_cast<int>(BinaryOp::kAdd)] = DequeConcat;
    t.slots.binary[static_cast<int>(BinaryOp::kMul)] = DequeRepeat;
    t.slots.inplace[static_cast<int>(BinaryOp::kAdd)] = DequeInplaceConcat;
    t.slots.inplace[static_cast<int>(BinaryOp::kMul)] = DequeInplaceRepeat;
    t.methods = kDequeMethods;
    t.getset = kDequeGetSet;
    t.traverse = DequeTraverse;
    t.clear = DequeClearRefs;
    return t;
  }();
  static const NativeType iterator_type = [] {
    NativeType t;
    t.name = "_deque_iterator";
    t.module = "collections";
    t.full_name = "_collections._deque_iterator";
    t.size = sizeof(DequeIterator);
    t.flags = kTypeHasRefs;
    t.slots.iter = IteratorSelf;
    t.slots.next = IteratorNext;
    t.methods = kIteratorMethods;
    t.traverse = IteratorTraverse;
    t.destroy = IteratorDestroy;
    return t;
  }();
  DequeState& state = State(cx);
  state.deque = DefineType(cx, deque_type);
  state.iterator = DefineType(cx, iterator_type);
  return state.deque != nullptr && state.iterator != nullptr && AddToModule(cx, module, "deque", state.deque);
}

}  // namespace

const ModuleDef kCollectionsModule = {"_collections", nullptr, InitModule};

}  // namespace tidepool::rt
