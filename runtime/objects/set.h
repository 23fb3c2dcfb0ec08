// set and frozenset: the table of dict without values (hash_table.h), with the same rules.
//
// A frozenset never changes once it is published; its hash is remembered.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_SET_H_
#define TIDEPOOL_RUNTIME_OBJECTS_SET_H_

#include "tidepool/runtime/objects/hash_table.h"
#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/context.h"
#include "tidepool/runtime/vm/value.h"

namespace tidepool::rt {

using SetTable = HashTable<SetEntry>;

struct Set : Object {
  static constexpr Layout kLayout = Layout::kSet;
  Atomic<int64_t> used;
  Atomic<SetTable*> table;
  Atomic<int64_t> hash;   // of a frozenset; 0: not computed
  Atomic<uint32_t> keys_version;
};

Ref NewSet(Context& cx);
Ref NewFrozenSet(Context& cx, const Value* items, size_t n);
Ref SetFromIterable(Context& cx, Class* cls, Value iterable);   // iterable null: empty
inline size_t SetSize(const Set* s) { return static_cast<size_t>(s->used.load(kAcquire)); }
bool SetAdd(Context& cx, Value set, Value item);
int SetContains(Context& cx, Value set, Value item);   // 1, 0, -1
int SetDiscard(Context& cx, Value set, Value item);    // 1 removed, 0 absent, -1
bool SetUpdate(Context& cx, Value set, Value iterable);
// As DictNext.
bool SetNext(Context& cx, Set* s, size_t* pos, Ref* item);
Ref SetItems(Context& cx, Set* s);                     // a list, made in one step

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_SET_H_
