// The builtin iterators that are no part of one container: enumerate, zip, map, filter, reversed, and the
// iterators that iter() makes of __getitem__ and of a callable with a sentinel.
//
// A shared iterator may skip or repeat, but never invents a value: positions are atomic words, and
// what an iterator reads from is held by it for its whole life. A step of enumerate, zip and map is one to
// other threads, unless an iterator below waits.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_ITERATORS_H_
#define TIDEPOOL_RUNTIME_OBJECTS_ITERATORS_H_

#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/context.h"
#include "tidepool/runtime/vm/value.h"

namespace tidepool::rt {

// The next tuple of an enumerate, a zip or a dict's items without the tuple: its n parts, owned, the first on top (highest
// address). 1: done; 0: exhausted or an exception is pending; -1: another iterator or another length, nothing has happened.
int NextUnpacked(Context& cx, Value iterator, uint32_t n, Value* out);

Ref NewSequenceIterator(Context& cx, Value sequence);                    // by __getitem__ from 0
Ref NewCallableIterator(Context& cx, Value callable, Value sentinel);    // iter(callable, sentinel)

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_ITERATORS_H_
