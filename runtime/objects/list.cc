// list: storage, and the operations that the interpreter and other types use. Methods, slots and the
// iterators are in list_methods.cc, sorting in list_sort.cc.
#include "tidepool/runtime/objects/list.h"

#include <cstring>

#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/list_internal.h"
#include "tidepool/runtime/objects/set.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {

ListArray* NewListArray(Context& cx, size_t capacity) {
  if (capacity > (SIZE_MAX >> 5)) return nullptr;
  auto* a = static_cast<ListArray*>(
      cx.ts->heap()->Allocate(HeapKind::kRaw, sizeof(ListArray) + capacity * sizeof(Slot)));
  if (a != nullptr) a->capacity = capacity;
  return a;
}

// Room for n items, and for some more if it grows by and by; L2. False: no memory. *old is the caller's to free delayed
// after the unlock.
bool ReserveLocked(Context& cx, List* list, size_t n, ListArray** old, bool exactly) {
  ListArray* array = list->array.load(kRelaxed);
  if (array != nullptr && n <= array->capacity) return true;
  size_t room = exactly ? n : n < 5 ? 4 : n + n / 4 + 3;
  ListArray* bigger = NewListArray(cx, room);
  if (bigger == nullptr) return false;
  auto size = static_cast<size_t>(list->size.load(kRelaxed));
  // Nobody sees the new array yet, and only we write the old one: plain copies.
  if (size != 0) std::memcpy(static_cast<void*>(bigger->items), array->items, size * sizeof(Slot));
  std::memset(static_cast<void*>(bigger->items + size), 0, (room - size) * sizeof(Slot));
  // Release: pairs with the readers' acquire load of the array.
  list->array.store(bigger, kRelease);
  *old = array;
  return true;
}

List* NewListRoom(Context& cx, size_t capacity) {
  auto* list = NewExact<List>(cx, cx.rt.cls.list);
  if (list == nullptr) return nullptr;
  list->size.store(0, kRelaxed);
  ListArray* array = nullptr;
  if (capacity != 0) {
    array = NewListArray(cx, capacity);
    if (array == nullptr) {
      AbandonNew(cx.ts, list);
      RaiseMemoryError(cx);
      return nullptr;
    }
  }
  list->array.store(array, kRelaxed);
  return list;
}

namespace {

// Sets the size of a new list whose items are in place, and lets the collector see it.
Ref Publish(List* list, size_t n) {
  ListArray* array = list->array.load(kRelaxed);
  for (size_t i = n; array != nullptr && i < array->capacity; ++i) array->items[i].store(0, kRelaxed);
  list->size.store(static_cast<int64_t>(n), kRelease);
  TrackNew(list);
  return Ref::Steal(list);
}

}  // namespace

Ref NewList(Context& cx, const Value* items, size_t n) {
  List* list = NewListRoom(cx, n);
  if (list == nullptr) return nullptr;
  for (size_t i = 0; i < n; ++i) {
    IncrefValue(items[i]);
    list->array.load(kRelaxed)->items[i].store(items[i].bits(), kRelaxed);
  }
  return Publish(list, n);
}

Ref NewListSteal(Context& cx, Value* items, size_t n) {
  List* list = NewListRoom(cx, n);
  if (list == nullptr && ReclaimMemory(cx)) list = NewListRoom(cx, n);
  if (list == nullptr) {
    for (size_t i = n; i-- > 0;) DecrefValue(cx.ts, items[i]);
    return nullptr;
  }
  for (size_t i = 0; i < n; ++i) list->array.load(kRelaxed)->items[i].store(items[i].bits(), kRelaxed);
  return Publish(list, n);
}

bool ListAppendSteal(Context& cx, List* list, Ref v) {
  for (;;) {
    ListArray* old = nullptr;
    bool ok;
    {
      ObjectLock lock(cx.ts, list);
      int64_t n = list->size.load(kRelaxed);
      ok = ReserveLocked(cx, list, static_cast<size_t>(n) + 1, &old);
      if (ABSL_PREDICT_TRUE(ok)) {
        // Release, both: pair with the acquire loads of L3.
        list->array.load(kRelaxed)->items[n].store(v.release().bits(), kRelease);
        list->size.store(n + 1, kRelease);
      }
    }
    if (ABSL_PREDICT_FALSE(old != nullptr)) FreeRawDelayed(cx, old);
    if (ABSL_PREDICT_TRUE(ok)) return true;
    RaiseMemoryError(cx);
    if (!ReclaimMemory(cx)) return false;
  }
}

bool ListAppend(Context& cx, List* list, Value v) { return ListAppendSteal(cx, list, Ref::New(v)); }

Ref ListGetSlow(Context& cx, List* list, int64_t i) {
  ObjectLock lock(cx.ts, list);
  if (static_cast<uint64_t>(i) >= static_cast<uint64_t>(list->size.load(kRelaxed))) return nullptr;
  return Ref::Steal(Value::FromBits(LoadRefLocked(list->array.load(kRelaxed)->items[i])));
}

bool ListSet(Context& cx, List* list, int64_t i, Ref v) {
  Value old;
  if (!ListExchange(cx, list, i, v, &old)) return false;
  (void)v.release();
  DecrefValue(cx.ts, old);
  return true;
}

void ListSwap(Context& cx, List* list, int64_t i, int64_t j) {
  ObjectLock lock(cx.ts, list);
  const auto n = static_cast<uint64_t>(list->size.load(kRelaxed));
  if (static_cast<uint64_t>(i) >= n || static_cast<uint64_t>(j) >= n) return;
  Slot* items = list->array.load(kRelaxed)->items;
  const uintptr_t t = items[i].load(kRelaxed);
  // Release: pairs with the acquire of readers, who may see one of the two twice.
  items[i].store(items[j].load(kRelaxed), kRelease);
  items[j].store(t, kRelease);
}

bool ListInsert(Context& cx, List* list, int64_t i, Value v) {
  ListArray* old = nullptr;
  bool ok;
  {
    ObjectLock lock(cx.ts, list);
    int64_t n = list->size.load(kRelaxed);
    if (i < 0) i = i + n < 0 ? 0 : i + n;
    if (i > n) i = n;
    ok = ReserveLocked(cx, list, static_cast<size_t>(n) + 1, &old);
    if (ok) {
      Slot* items = list->array.load(kRelaxed)->items;
      // Readers may see an item twice on the way, never a stranger.
      for (int64_t k = n; k > i; --k) items[k].store(items[k - 1].load(kRelaxed), kRelease);
      IncrefValue(v);
      items[i].store(v.bits(), kRelease);
      list->size.store(n + 1, kRelease);
    }
  }
  if (old != nullptr) FreeRawDelayed(cx, old);
  if (!ok) RaiseMemoryError(cx);
  return ok;
}

Ref ListTakeLocked(List* list, int64_t i) {
  int64_t n = list->size.load(kRelaxed);
  Slot* items = list->array.load(kRelaxed)->items;
  Ref item = Ref::Steal(PeekSlot(items[i]));
  for (int64_t k = i; k + 1 < n; ++k) items[k].store(items[k + 1].load(kRelaxed), kRelease);
  items[n - 1].store(0, kRelease);
  list->size.store(n - 1, kRelease);
  return item;
}

Ref ListPop(Context& cx, List* list, int64_t i) {
  int64_t n;
  {
    ObjectLock lock(cx.ts, list);
    n = list->size.load(kRelaxed);
    if (i < 0) i += n;
    if (i >= 0 && i < n) return ListTakeLocked(list, i);
  }
  return RaiseIndexError(cx, n == 0 ? "pop from empty list" : "pop index out of range");
}

Ref ListCopyRange(Context& cx, List* list, const SliceRange& range) {
  for (;;) {
    SliceRange r = range;
    AdjustSlice(static_cast<int64_t>(ListSize(list)), &r);
    List* copy = NewListRoom(cx, static_cast<size_t>(r.count));
    if (copy == nullptr) return nullptr;
    auto room = static_cast<size_t>(r.count);
    bool fits;
    {
      ObjectLock lock(cx.ts, list);
      r = range;
      AdjustSlice(list->size.load(kRelaxed), &r);
      fits = static_cast<size_t>(r.count) <= room;
      ListArray* from = list->array.load(kRelaxed);
      ListArray* to = copy->array.load(kRelaxed);
      for (int64_t i = 0, at = r.start; fits && i < r.count; ++i, at += r.step) {
        PauseInLoop(cx, static_cast<uint64_t>(i));
        Value v = PeekSlot(from->items[at]);
        IncrefValue(v);
        to->items[i].store(v.bits(), kRelaxed);
      }
    }
    Ref done = Publish(copy, fits ? static_cast<size_t>(r.count) : 0);
    if (fits) return done;
  }
}

Ref ListConcat(Context& cx, List* a, List* b) {
  for (;;) {
    const size_t room = ListSize(a) + ListSize(b);
    List* sum = NewListRoom(cx, room);
    if (sum == nullptr && ReclaimMemory(cx)) sum = NewListRoom(cx, room);
    if (sum == nullptr) return nullptr;
    size_t n = 0;
    bool fits = true;
    for (List* from : {a, b}) {
      ObjectLock lock(cx.ts, from);
      const auto size = static_cast<size_t>(from->size.load(kRelaxed));
      if (n + size > room) {
        fits = false;  // it has grown meanwhile
        break;
      }
      for (size_t i = 0; i < size; ++i) {
        PauseInLoop(cx, i);
        const Value v = PeekSlot(from->array.load(kRelaxed)->items[i]);
        IncrefValue(v);
        sum->array.load(kRelaxed)->items[n++].store(v.bits(), kRelaxed);
      }
    }
    Ref done = Publish(sum, n);
    if (fits) return done;
  }
}

Ref ListSlice(Context& cx, List* list, int64_t start, int64_t end) {
  return ListCopyRange(cx, list, SliceRange{start, end, 1, 0});
}

bool ListSnapshot(Context& cx, List* list, Drops* out) {
  for (;;) {
    size_t n = ListSize(list);
    if (!out->Reserve(out->size() + n)) {
      RaiseMemoryError(cx);
      return false;
    }
    ObjectLock lock(cx.ts, list);
    auto now = static_cast<size_t>(list->size.load(kRelaxed));
    if (now > n) continue;
    ListArray* array = list->array.load(kRelaxed);
    for (size_t i = 0; i < now; ++i) {
      PauseInLoop(cx, i);
      (void)out->Add(Ref::New(PeekSlot(array->items[i])));
    }
    return true;
  }
}

Ref ListAsTuple(Context& cx, List* list) {
  Drops items(cx);
  if (!ListSnapshot(cx, list, &items)) return nullptr;
  size_t n = items.size();
  items.ReleaseAll();
  return NewTupleSteal(cx, items.data(), n);
}

int64_t ListTakeAll(Context& cx, List* list, ListArray** array) {
  ObjectLock lock(cx.ts, list);
  *array = list->array.load(kRelaxed);
  const int64_t n = list->size.load(kRelaxed);
  list->size.store(0, kRelease);
  list->array.store(nullptr, kRelease);
  return n;
}

Ref ListIntoTuple(Context& cx, Ref list) {
  ListArray* array;  // somebody may have found the list (gc.get_objects)
  const int64_t n = ListTakeAll(cx, list.as<List>(), &array);
  Drops items(cx);
  if (!items.Reserve(static_cast<size_t>(n))) {
    DropListArray(cx, array, n, true);
    return RaiseMemoryError(cx);
  }
  for (int64_t i = 0; i < n; ++i) (void)items.Add(Ref::Steal(PeekSlot(array->items[i])));
  if (array != nullptr) FreeRawDelayed(cx, array);
  items.ReleaseAll();
  return NewTupleSteal(cx, items.data(), static_cast<size_t>(n));
}

// Appends all items at once; they belong to the list afterwards (also on failure they are taken care of).
static bool AppendAll(Context& cx, List* list, Drops* items) {
  for (;;) {
    ListArray* old = nullptr;
    bool ok;
    {
      ObjectLock lock(cx.ts, list);
      auto n = static_cast<size_t>(list->size.load(kRelaxed));
      ok = items->size() == 0 || ReserveLocked(cx, list, n + items->size(), &old);
      if (ok && items->size() != 0) {
        ListArray* array = list->array.load(kRelaxed);
        for (size_t i = 0; i < items->size(); ++i) array->items[n + i].store((*items)[i].bits(), kRelease);
        list->size.store(static_cast<int64_t>(n + items->size()), kRelease);
        items->ReleaseAll();
      }
    }
    if (old != nullptr) FreeRawDelayed(cx, old);
    if (ok) return true;
    RaiseMemoryError(cx);
    if (!ReclaimMemory(cx)) return false;
  }
}

// For exact dicts, views and sets: a list of their items at one moment. Null without exception: something else.
static Ref SnapshotOf(Context& cx, Value iterable) {
  const BuiltinClasses& c = cx.rt.cls;
  if (!iterable.is_object()) return nullptr;
  const TypeInfo* t = iterable.object()->type();
  if (t == &c.dict->info) return DictKeys(cx, iterable.as<Dict>());
  if (t == &c.set->info || t == &c.frozenset->info) return SetItems(cx, iterable.as<Set>());
  if (t == &c.dict_keys->info) return DictKeys(cx, iterable.as<DictView>()->dict.as<Dict>());
  if (t == &c.dict_values->info) return DictValues(cx, iterable.as<DictView>()->dict.as<Dict>());
  if (t == &c.dict_items->info) return DictItems(cx, iterable.as<DictView>()->dict.as<Dict>());
  return nullptr;
}

namespace {

// Room for n items more, whose number is known before they are made: too many of them are a MemoryError at once.
bool ReserveMore(Context& cx, List* list, int64_t n) {
  for (;;) {
    ListArray* old = nullptr;
    bool ok;
    {
      ObjectLock lock(cx.ts, list);
      const size_t all = static_cast<size_t>(list->size.load(kRelaxed)) + static_cast<size_t>(n);
      ok = n == 0 || ReserveLocked(cx, list, all, &old, /*exactly=*/true);
    }
    if (old != nullptr) FreeRawDelayed(cx, old);
    if (ok) return true;
    RaiseMemoryError(cx);
    if (!ReclaimMemory(cx)) return false;
  }
}

// Takes items as long as the array has room.
struct ListSink : ItemSink {
  explicit ListSink(List* l) : ItemSink(Take), list(l) {}
  static bool Take(Context& cx, ItemSink* self, Value owned) {
    List* list = static_cast<ListSink*>(self)->list;
    ObjectLock lock(cx.ts, list);
    ListArray* array = list->array.load(kRelaxed);
    const int64_t n = list->size.load(kRelaxed);
    if (array == nullptr || static_cast<size_t>(n) >= array->capacity) return false;
    // Release, both: pair with the acquire loads of L3.
    array->items[n].store(owned.bits(), kRelease);
    list->size.store(n + 1, kRelease);
    return true;
  }
  List* list;
};

}  // namespace

bool ListExtend(Context& cx, List* list, Value iterable) {
  if (IsExact(iterable, cx.rt.cls.list)) {
    Drops items(cx);
    return ListSnapshot(cx, iterable.as<List>(), &items) && AppendAll(cx, list, &items);
  }
  if (IsExact(iterable, cx.rt.cls.tuple)) {
    auto* t = iterable.as<Tuple>();
    Drops items(cx);
    if (!items.Reserve(t->size())) return RaiseMemoryError(cx), false;
    for (size_t i = 0; i < t->size(); ++i) (void)items.Add(Ref::New(t->Get(i)));
    return AppendAll(cx, list, &items);
  }
  if (Ref all = SnapshotOf(cx, iterable)) {
    Drops items(cx);
    return ListSnapshot(cx, all.as<List>(), &items) && AppendAll(cx, list, &items);
  }
  if (cx.has_exception()) return false;
  if (IsExact(iterable, cx.rt.cls.range)) {
    const int64_t n = cx.rt.cls.range->slots.len(cx, iterable);
    if (n < 0 || !ReserveMore(cx, list, n)) return false;
  }
  Ref it = Iter(cx, iterable);
  if (!it) return false;
  ListSink sink(list);
  for (;;) {
    Ref item = NextOrSink(cx, it, &sink);
    if (!item) return !cx.has_exception();
    if (!ListAppendSteal(cx, list, std::move(item))) return false;
  }
}

Ref ListFromIterable(Context& cx, Value iterable) {
  if (IsExact(iterable, cx.rt.cls.list)) return ListSlice(cx, iterable.as<List>(), 0, INT64_MAX);
  if (Ref all = SnapshotOf(cx, iterable)) return all;
  if (cx.has_exception()) return nullptr;
  Ref list = NewList(cx);
  if (!list || !ListExtend(cx, list.as<List>(), iterable)) return nullptr;
  return list;
}

void DropListArray(Context& cx, ListArray* array, int64_t n, bool readers) {
  if (array == nullptr) return;
  // From the end, as CPython. The pointers stay: a late reader's re-check fails (L2).
  for (int64_t i = n; i-- > 0;) {
    PauseInLoop(cx, static_cast<uint64_t>(i));
    DecrefValue(cx.ts, PeekSlot(array->items[i]));
  }
  if (readers) {
    FreeRawDelayed(cx, array);
  } else {
    FreeRaw(cx, array);
  }
}

void ListClear(Context& cx, List* list) {
  ListArray* old;
  const int64_t n = ListTakeAll(cx, list, &old);
  DropListArray(cx, old, n, true);
}

bool ListReverse(Context& cx, List* list) {
  ObjectLock lock(cx.ts, list);
  Slot* items = list->size.load(kRelaxed) == 0 ? nullptr : list->array.load(kRelaxed)->items;
  for (int64_t i = 0, j = list->size.load(kRelaxed) - 1; i < j; ++i, --j) {
    PauseInLoop(cx, static_cast<uint64_t>(i));
    uintptr_t t = items[i].load(kRelaxed);
    items[i].store(items[j].load(kRelaxed), kRelease);
    items[j].store(t, kRelease);
  }
  return true;
}

// Takes items [start, start + count) with a step out into `removed` and closes the gaps.
static void RemoveRangeLocked(List* list, const SliceRange& r, Drops* removed) {
  int64_t n = list->size.load(kRelaxed);
  Slot* items = list->array.load(kRelaxed)->items;
  int64_t step = r.step;
  int64_t first = r.start;
  if (step < 0) {
    first = r.start + (r.count - 1) * step;
    step = -step;
  }
  int64_t to = first;
  int64_t next = first;
  int64_t left = r.count;
  for (int64_t from = first; from < n; ++from) {
    if (left > 0 && from == next) {
      (void)removed->Add(Ref::Steal(PeekSlot(items[from])));
      next += step;
      --left;
    } else {
      items[to++].store(items[from].load(kRelaxed), kRelease);
    }
  }
  for (int64_t i = to; i < n; ++i) items[i].store(0, kRelease);
  list->size.store(to, kRelease);
}

bool ListDeleteRange(Context& cx, List* list, SliceRange range) {
  Drops removed(cx);
  bool ok = true;
  {
    ObjectLock lock(cx.ts, list);
    AdjustSlice(list->size.load(kRelaxed), &range);
    if (range.count == 0) return true;
    ok = removed.Reserve(static_cast<size_t>(range.count));
    if (ok) RemoveRangeLocked(list, range, &removed);
  }
  if (!ok) RaiseMemoryError(cx);
  return ok;
}

// list[range] = source, if the caller's is the only reference to source and as many items come as go: they change places, and
// what was replaced is dropped with source. Nothing is counted and nothing allocated. False: nothing has happened.
static bool SwapRange(Context& cx, List* list, const SliceRange& where, List* source) {
  SliceRange range = where;
  ObjectLock lock(cx.ts, list);
  // Asked under the lock, whose taking may have let others run.
  if (list == source || !IsUniquelyReferenced(source)) return false;
  AdjustSlice(list->size.load(kRelaxed), &range);
  if (range.count != source->size.load(kRelaxed)) return false;
  if (range.count == 0) return true;
  Slot* to = list->array.load(kRelaxed)->items;
  Slot* from = source->array.load(kRelaxed)->items;
  for (int64_t i = 0, at = range.start; i < range.count; ++i, at += range.step) {
    const uintptr_t old = to[at].load(kRelaxed);
    // Release: pairs with the acquire of the list's readers.
    to[at].store(from[i].load(kRelaxed), kRelease);
    from[i].store(old, kRelease);
  }
  return true;
}

bool ListAssignRange(Context& cx, List* list, const SliceRange& where, Value iterable) {
  if (IsExact(iterable, cx.rt.cls.list) && SwapRange(cx, list, where, iterable.as<List>())) return true;
  SliceRange range = where;
  Drops fresh(cx);
  if (IsExact(iterable, cx.rt.cls.list)) {
    if (!ListSnapshot(cx, iterable.as<List>(), &fresh)) return false;
  } else {
    Ref items = TupleFromIterable(cx, iterable);
    if (!items) {
      if (ClearIf(cx, cx.rt.exc.TypeError)) {
        RaiseTypeError(cx, range.step == 1 ? "can only assign an iterable"
                                           : "must assign iterable to extended slice");
      }
      return false;
    }
    auto* t = items.as<Tuple>();
    if (!fresh.Reserve(t->size())) return RaiseMemoryError(cx), false;
    for (size_t i = 0; i < t->size(); ++i) (void)fresh.Add(Ref::New(t->Get(i)));
  }
  auto m = static_cast<int64_t>(fresh.size());
  Drops removed(cx);
  ListArray* old = nullptr;
  enum { kDone, kMemory, kSize } result = kDone;
  {
    ObjectLock lock(cx.ts, list);
    int64_t n = list->size.load(kRelaxed);
    AdjustSlice(n, &range);
    int64_t count = range.count;
    if (range.step != 1 && count != m) {
      result = kSize;
    } else if (!removed.Reserve(static_cast<size_t>(count)) ||
               (n - count + m > 0 && !ReserveLocked(cx, list, static_cast<size_t>(n - count + m), &old))) {
      result = kMemory;
    } else if (n - count + m == 0) {
      if (count > 0) RemoveRangeLocked(list, range, &removed);
    } else {
      Slot* items = list->array.load(kRelaxed)->items;
      int64_t common = count < m ? count : m;
      for (int64_t i = 0, at = range.start; i < common; ++i, at += range.step) {
        (void)removed.Add(Ref::Steal(PeekSlot(items[at])));
        items[at].store(fresh[static_cast<size_t>(i)].bits(), kRelease);
      }
      if (m > count) {
        int64_t shift = m - count;
        for (int64_t k = n - 1; k >= range.start + count; --k) {
          items[k + shift].store(items[k].load(kRelaxed), kRelease);
        }
        for (int64_t i = count; i < m; ++i) {
          items[range.start + i].store(fresh[static_cast<size_t>(i)].bits(), kRelease);
        }
        list->size.store(n + shift, kRelease);
      } else if (m < count) {
        RemoveRangeLocked(list, SliceRange{range.start + m, range.start + count, 1, count - m}, &removed);
      }
      fresh.ReleaseAll();
    }
  }
  if (old != nullptr) FreeRawDelayed(cx, old);
  if (result == kMemory) RaiseMemoryError(cx);
  if (result == kSize) {
    RaiseValueError(cx, "attempt to assign sequence of size %lld to extended slice of size %lld",
                    static_cast<long long>(m), static_cast<long long>(range.count));
  }
  return result == kDone;
}

Ref ListRepeat(Context& cx, List* list, int64_t n) {
  for (;;) {
    const size_t size = ListSize(list);
    size_t total = 0;
    if (__builtin_mul_overflow(size, static_cast<size_t>(n), &total)) return RaiseMemoryError(cx);
    List* result = NewListRoom(cx, total);
    if (result == nullptr) return nullptr;
    if (total == 0) return Publish(result, 0);
    Slot* items = result->array.load(kRelaxed)->items;
    bool same;
    {
      ObjectLock lock(cx.ts, list);
      same = static_cast<size_t>(list->size.load(kRelaxed)) == size;
      for (size_t i = 0; same && i < size; ++i) {
        PauseInLoop(cx, i);
        const Value v = PeekSlot(list->array.load(kRelaxed)->items[i]);
        IncrefValue(v);
        items[i].store(v.bits(), kRelaxed);
      }
    }
    // Nobody else knows the result, so the rest may take its time.
    for (size_t i = size; same && i < total; ++i) {
      SafepointInLoop(cx, i);
      const Value v = PeekSlot(items[i - size]);
      IncrefValue(v);
      items[i].store(v.bits(), kRelaxed);
    }
    Ref done = Publish(result, same ? total : 0);
    if (same) return done;
  }
}

bool ListRepeatInPlace(Context& cx, List* list, int64_t times) {
  if (times <= 0) {
    ListClear(cx, list);
    return true;
  }
  ListArray* old = nullptr;
  bool ok = true;
  {
    ObjectLock lock(cx.ts, list);
    int64_t n = list->size.load(kRelaxed);
    int64_t total = 0;
    ok = !__builtin_mul_overflow(n, times, &total);
    if (n == 0 || times == 1) return true;
    ok = ok && ReserveLocked(cx, list, static_cast<size_t>(total), &old);
    if (ok) {
      Slot* items = list->array.load(kRelaxed)->items;
      for (int64_t i = n; i < total; ++i) {
        PauseInLoop(cx, static_cast<uint64_t>(i));
        Value v = PeekSlot(items[i - n]);
        IncrefValue(v);
        items[i].store(v.bits(), kRelease);
      }
      list->size.store(total, kRelease);
    }
  }
  if (old != nullptr) FreeRawDelayed(cx, old);
  if (!ok) RaiseMemoryError(cx);
  return ok;
}

}  // namespace tidepool::rt
