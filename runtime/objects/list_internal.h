// What the files of the list type share among themselves.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_LIST_INTERNAL_H_
#define TIDEPOOL_RUNTIME_OBJECTS_LIST_INTERNAL_H_

#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/slice.h"
#include "tidepool/runtime/objects/support.h"

namespace tidepool::rt {

ListArray* NewListArray(Context& cx, size_t capacity);  // null: no memory, nothing raised
List* NewListRoom(Context& cx, size_t capacity);        // untracked, size 0, items not set
bool ReserveLocked(Context& cx, List* list, size_t n, ListArray** old, bool exactly = false);
// Takes item i out; the mutex is held and i is in range.
Ref ListTakeLocked(List* list, int64_t i);
// New references to all items at one moment. False: MemoryError is pending.
bool ListSnapshot(Context& cx, List* list, Drops* out);
// Empties the list in one step. The array and what it refers to, whose number this returns, are the caller's.
int64_t ListTakeAll(Context& cx, List* list, ListArray** array);
// The items of a list that was just made, as a tuple: its references move.
Ref ListIntoTuple(Context& cx, Ref list);
// `range` as UnpackSlice gives it; it is fitted to the size under the mutex.
Ref ListCopyRange(Context& cx, List* list, const SliceRange& range);
bool ListDeleteRange(Context& cx, List* list, SliceRange range);
bool ListAssignRange(Context& cx, List* list, const SliceRange& where, Value iterable);
// a + b.
Ref ListConcat(Context& cx, List* a, List* b);
// list * n, n > 0. Passes safepoints.
Ref ListRepeat(Context& cx, List* list, int64_t n);
bool ListRepeatInPlace(Context& cx, List* list, int64_t times);
// Drops the first n items and the array, which the list does not have any more.
void DropListArray(Context& cx, ListArray* array, int64_t n, bool readers);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_LIST_INTERNAL_H_
