// dict: a compact ordered hash table (hash_table.h), read without locks and written under the object mutex.
//
// `table` is null while the dict is empty for good (new, cleared). `used` counts live entries.
// `keys_version` moves whenever a key is inserted or removed, never for a new value: so "this name is
// absent here" may be cached against it.
//
// Keys that are not identical are compared without the mutex if that might run a script (O3); the
// search starts again if the table has been replaced meanwhile.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_DICT_H_
#define TIDEPOOL_RUNTIME_OBJECTS_DICT_H_

#include "tidepool/object/load_ref.h"
#include "tidepool/runtime/objects/hash_table.h"
#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/context.h"
#include "tidepool/runtime/vm/value.h"

namespace tidepool::rt {

struct Str;
using DictTable = HashTable<DictEntry>;

struct Dict : Object {
  static constexpr Layout kLayout = Layout::kDict;
  Atomic<int64_t> used;
  Atomic<DictTable*> table;
  Atomic<uint32_t> keys_version;
};

Ref NewDict(Context& cx);
// A relaxed load would do for a hint; acquire so that the entries counted are seen.
inline size_t DictSize(const Dict* d) { return static_cast<size_t>(d->used.load(kAcquire)); }
inline uint32_t DictKeysVersion(const Dict* d) { return d->keys_version.load(kAcquire); }

// 1 found, 0 absent, -1 an exception is pending (from __hash__ or __eq__).
int DictGet(Context& cx, Dict* d, Value key, Ref* out);
int DictGetWithHash(Context& cx, Dict* d, Value key, int64_t hash, Ref* out);
// Never runs a script unless the dict holds keys that are no strings and have the same hash.
int DictGetStr(Context& cx, Dict* d, Str* key, Ref* out);
// The same for an interned key; tries entry *hint first and remembers where it was found.
int DictGetStrHint(Context& cx, Dict* d, Str* key, Atomic<uint32_t>* hint, Ref* out);
// The first try of DictGetStrHint: the value, owned by the caller, if it is where the hint says; else null.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline Value DictGetAtHint(Context& cx, Dict* d, const Str* key, const Atomic<uint32_t>& hint) {
  DictTable* table = d->table.load(kAcquire);
  const uint32_t at = hint.load(kRelaxed);  // relaxed: only a guess, checked below
  // Unused entries have a null key (T1), so any entry below capacity may be looked at.
  if (ABSL_PREDICT_FALSE(table == nullptr || at >= table->capacity)) return Value();
  DictEntry& e = table->entries()[at];
  uintptr_t bits;
  if (ABSL_PREDICT_FALSE(e.key.load(kAcquire) != reinterpret_cast<uintptr_t>(key)) ||
      ABSL_PREDICT_FALSE(!LoadRefFromArray(cx.ts, e.value, d->table, table, &bits))) {
    return Value();
  }
  return Value::FromBits(bits);
}
int DictContains(Context& cx, Dict* d, Value key);
bool DictSet(Context& cx, Dict* d, Value key, Value value);
bool DictSetStr(Context& cx, Dict* d, Str* key, Value value);
// 1 deleted, 0 absent, -1 exception.
int DictDelete(Context& cx, Dict* d, Value key);
// The same, and gives the value.
int DictPop(Context& cx, Dict* d, Value key, Ref* out);
// Deletes the key if want(value), which is asked under the mutex: no script, no drop in it.
int DictDeleteIf(Context& cx, Dict* d, Value key, bool (*want)(Value value));
// The newest entry; false without exception: empty.
bool DictPopItem(Context& cx, Dict* d, Ref* key, Ref* value);
// The entries of `from` added to d, as dict.update does for a dict.
bool DictMergeDict(Context& cx, Dict* d, Dict* from);
// The value that is there afterwards; one winner among threads.
Ref DictSetDefault(Context& cx, Dict* d, Value key, Value value);
void DictClear(Context& cx, Dict* d);
Ref DictCopy(Context& cx, Dict* d);
bool DictUpdate(Context& cx, Dict* d, Value mapping_or_pairs);
// Keyword arguments: names are interned strings.
bool DictUpdateKeywords(Context& cx, Dict* d, const Args& args);
// Walks the entries; *pos starts at 0. Tolerates changes meanwhile (may skip or repeat after a resize). Out pointers may
// be null.
bool DictNext(Context& cx, Dict* d, size_t* pos, Ref* key, Ref* value);
// A step of an iterator over items(); false: exhausted, or an exception is pending.
bool DictItemStep(Context& cx, Value iterator, Ref* key, Ref* value);
// Lists made in one step (all entries as they are at one moment).
Ref DictKeys(Context& cx, Dict* d);
Ref DictValues(Context& cx, Dict* d);
Ref DictItems(Context& cx, Dict* d);
// dict.__getitem__ with __missing__ for subclasses; KeyError.
Ref DictGetItem(Context& cx, Value dict, Value key);

// For the type's table.
void TraverseDict(Object* o, SlotVisitor& v);
void ClearDict(Context& cx, Object* o);
void DestroyDict(Context& cx, Object* o);

// keys(), values(), items().
struct DictView : Object {
  static constexpr Layout kLayout = Layout::kOther;
  Value dict;  // owned, never changes
};
Ref NewDictView(Context& cx, Class* cls, Value dict);
Ref NewDictIterator(Context& cx, Class* cls, Value dict);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_DICT_H_
