// list: a growing array, read without locks and written under the object mutex.
//
// State: `size` items in `array` (null while it has never held anything). Invariants:
//   L1  Slots at and beyond size are null; slots below size are never null outside the mutex.
//   L2  A full array is replaced: the new one is published (release), then the size; the old one keeps its
//       pointers and is freed delayed. Items are moved, not copied: whoever owns the array that the list has
//       owns the references.
//   L3  Readers load size, then array, then the slot by LoadRefFromArray. A null slot or a failed re-check
//       means that something changed: they look again under the mutex.
//   L4  What is taken out is dropped after the unlock (support.h, O2).
// While a list is sorted its array is taken away, so it looks empty; changes meanwhile are a ValueError.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_LIST_H_
#define TIDEPOOL_RUNTIME_OBJECTS_LIST_H_

#include "tidepool/object/load_ref.h"
#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/context.h"
#include "tidepool/runtime/vm/value.h"

namespace tidepool::rt {

struct ListArray {
  Atomic<uintptr_t> limbo_link;  // the allocator's, when freed delayed
  size_t capacity;
  Slot items[];
};

struct List : Object {
  static constexpr Layout kLayout = Layout::kList;
  Atomic<int64_t> size;
  Atomic<ListArray*> array;
};

// Takes new references.
Ref NewList(Context& cx, const Value* items, size_t n);
// Takes the caller's references over, also on failure.
Ref NewListSteal(Context& cx, Value* items, size_t n);
inline Ref NewList(Context& cx) { return NewList(cx, nullptr, 0); }
// Acquire: pairs with the writers' release, so the items below it are seen.
inline size_t ListSize(const List* list) { return static_cast<size_t>(list->size.load(kAcquire)); }
bool ListAppend(Context& cx, List* list, Value v);
bool ListAppendSteal(Context& cx, List* list, Ref v);
// 0 <= i < size, else null without exception.
Ref ListGetSlow(Context& cx, List* list, int64_t i);
ABSL_ATTRIBUTE_ALWAYS_INLINE inline Ref ListGet(Context& cx, List* list, int64_t i) {
  if (ABSL_PREDICT_FALSE(static_cast<uint64_t>(i) >= static_cast<uint64_t>(list->size.load(kAcquire)))) return nullptr;
  ListArray* array = list->array.load(kAcquire);  // pairs with the release that published it
  if (ABSL_PREDICT_TRUE(array != nullptr && static_cast<uint64_t>(i) < array->capacity)) {
    uintptr_t bits;
    if (ABSL_PREDICT_TRUE(LoadRefFromArray(cx.ts, array->items[i], list->array, array, &bits))) {
      return Ref::Steal(Value::FromBits(bits));
    }
  }
  return ListGetSlow(cx, list, i);
}
// False without exception if i is out of range.
bool ListSet(Context& cx, List* list, int64_t i, Ref v);
// The same for owned values: true takes v's reference over and gives the old item's to the caller.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool ListExchange(Context& cx, List* list, int64_t i, Value v, Value* old) {
  ObjectLock lock(cx.ts, list);
  if (static_cast<uint64_t>(i) >= static_cast<uint64_t>(list->size.load(kRelaxed))) return false;
  *old = Value::FromBits(tidepool::ExchangeSlotLocked(list->array.load(kRelaxed)->items[i], v.bits()));
  return true;
}
// Exchanges two items, for all at one moment; nothing if one is out of range.
void ListSwap(Context& cx, List* list, int64_t i, int64_t j);
bool ListExtend(Context& cx, List* list, Value iterable);
bool ListInsert(Context& cx, List* list, int64_t i, Value v);
Ref ListPop(Context& cx, List* list, int64_t i);        // IndexError
Ref ListSlice(Context& cx, List* list, int64_t start, int64_t end);  // clamped
Ref ListAsTuple(Context& cx, List* list);
// list(iterable). Of lists, tuples, dicts, their views and sets: the items of one moment, whatever other threads do.
Ref ListFromIterable(Context& cx, Value iterable);
void ListClear(Context& cx, List* list);
bool ListReverse(Context& cx, List* list);
bool ListSort(Context& cx, List* list, Value key, bool reverse);   // key null or None: none

struct ListIterator : Object {
  static constexpr Layout kLayout = Layout::kOther;
  Value list;            // owned, never changes
  Atomic<int64_t> next;  // index of the next item; -1: exhausted
};
// The next item; null: exhausted.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline Ref ListIterNext(Context& cx, ListIterator* it) {
  // Relaxed: threads that share an iterator may get an item twice, never a wrong one.
  int64_t i = it->next.load(kRelaxed);
  if (ABSL_PREDICT_FALSE(i < 0)) return nullptr;
  Ref item = ListGet(cx, it->list.as<List>(), i);
  it->next.store(item ? i + 1 : -1, kRelaxed);
  return item;
}

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_LIST_H_
