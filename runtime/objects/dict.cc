// dict: look-up, change, copies and walks. The type with its methods is in dict_methods.cc, iterators and views
// are in dict_views.cc.
//
// The shape of every operation: hash first (may run a script), then a try without the lock for reads, then
// the mutex. FindLocked may give the mutex up to compare keys; it starts again if the table is not the same
// one afterwards. Old values and tables are dropped after the unlock: locals that own them are declared
// before the lock.
#include "tidepool/runtime/objects/dict.h"

#include "tidepool/object/load_ref.h"
#include "tidepool/runtime/objects/find_locked.h"
#include "tidepool/runtime/objects/key_equal.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/tuple.h"

namespace tidepool::rt {
namespace {

// Drops what a table owns, in order of insertion, and the table.
void DropTable(Context& cx, DictTable* table, bool readers) {
  if (table == nullptr) return;
  uint32_t n = table->filled.load(kRelaxed);
  for (uint32_t i = 0; i < n; ++i) {
    PauseInLoop(cx, i);
    DictEntry& e = table->entries()[i];
    // The words stay: a reader that came too late finds the pointers, fails its re-check and gives them back.
    DecrefValue(cx.ts, PeekSlot(e.key));
    DecrefValue(cx.ts, PeekSlot(e.value));
  }
  if (readers) {
    FreeRawDelayed(cx, table);
  } else {
    FreeRaw(cx, table);
  }
}

// Replaces the table by one with room for `room` entries. False: no memory. The old table is the caller's to
// free delayed (its references have moved).
bool ReplaceTable(Context& cx, Dict* d, size_t room, DictTable** old_out) {
  uint8_t log = DictTable::LogFor(room);
  void* block = cx.ts->heap()->Allocate(HeapKind::kRaw, DictTable::BytesFor(log));
  if (block == nullptr) return false;
  uint32_t version = d->keys_version.load(kRelaxed) + 1;
  DictTable* table = DictTable::Format(block, log, version);
  DictTable* old = d->table.load(kRelaxed);
  if (old != nullptr) {
    uint32_t n = old->filled.load(kRelaxed);
    uint32_t to = 0;
    for (uint32_t i = 0; i < n; ++i) {
      PauseInLoop(cx, i);
      DictEntry& e = old->entries()[i];
      Value key = PeekSlot(e.key);
      if (!key) continue;
      DictEntry& copy = table->entries()[to];
      int64_t hash = e.hash.load(kRelaxed);
      copy.key.store(key.bits(), kRelaxed);
      copy.value.store(PeekSlot(e.value).bits(), kRelaxed);
      copy.hash.store(hash, kRelaxed);
      table->Link(hash, to++);
    }
    table->filled.store(to, kRelaxed);
    table->tail = to;
  }
  // Release: pairs with readers' acquire load of the table; publishes all entries.
  d->table.store(table, kRelease);
  d->keys_version.store(version, kRelease);
  *old_out = old;
  return true;
}

// The key is not there. False: no memory. `old` as in ReplaceTable.
bool InsertLocked(Context& cx, Dict* d, Value key, int64_t hash, Value value, DictTable** old) {
  DictTable* table = d->table.load(kRelaxed);
  if (table == nullptr || table->filled.load(kRelaxed) == table->capacity) {
    size_t used = static_cast<size_t>(d->used.load(kRelaxed));
    if (!ReplaceTable(cx, d, used < 4 ? 5 : used * 2 + 1, old)) return false;
    table = d->table.load(kRelaxed);
  }
  uint32_t at = table->filled.load(kRelaxed);
  DictEntry& e = table->entries()[at];
  IncrefValue(key);
  IncrefValue(value);
  e.hash.store(hash, kRelaxed);
  // Release stores (T1): readers come through the index or through `filled`, both acquire.
  e.value.store(value.bits(), kRelease);
  e.key.store(key.bits(), kRelease);
  table->filled.store(at + 1, kRelease);
  table->tail = at + 1;
  table->Link(hash, at);
  d->used.store(d->used.load(kRelaxed) + 1, kRelease);
  // Last: whoever cached "absent" before has an older number (DictKeysVersion).
  d->keys_version.store(d->keys_version.load(kRelaxed) + 1, kRelease);
  return true;
}

// Takes entry `at` out; the references go to the caller.
void RemoveLocked(Dict* d, uint32_t at, Ref* key, Ref* value) {
  DictTable* table = d->table.load(kRelaxed);
  DictEntry& e = table->entries()[at];
  table->SetIndex(table->PlaceOf(e.hash.load(kRelaxed), at), DictTable::kDeleted);
  // Release: a reader that finds null takes the mutex.
  *value = Ref::Steal(Value::FromBits(e.value.exchange(0, kAcqRel)));
  *key = Ref::Steal(Value::FromBits(e.key.exchange(0, kAcqRel)));
  if (table->tail == at + 1) table->tail = at;
  d->used.store(d->used.load(kRelaxed) - 1, kRelease);
  d->keys_version.store(d->keys_version.load(kRelaxed) + 1, kRelease);
}

// Finishes an operation that may have replaced the table.
void FreeOld(Context& cx, DictTable* old) {
  if (old != nullptr) FreeRawDelayed(cx, old);
}

int GetLocked(Context& cx, Dict* d, Value key, int64_t hash, Ref* out) {
  OpenLock lock(cx, d);
  int64_t at = FindLocked(cx, d, key, hash, lock);
  if (at < 0) return at == kAbsent ? 0 : -1;
  // The mutex keeps the value alive; later readers will need no lock.
  *out = Ref::Steal(Value::FromBits(LoadRefLocked(d->table.load(kRelaxed)->entries()[at].value)));
  return 1;
}

// kNoMemory: nothing was raised and nothing has changed.
int64_t TrySetWithHash(Context& cx, Dict* d, Value key, int64_t hash, Value value) {
  Ref old_value;
  DictTable* old_table = nullptr;
  int64_t at;
  {
    OpenLock lock(cx, d);
    at = FindLocked(cx, d, key, hash, lock);
    if (at >= 0) {
      old_value = ExchangeSlotLocked(d->table.load(kRelaxed)->entries()[at].value, Ref::New(value));
    } else if (at == kAbsent && !InsertLocked(cx, d, key, hash, value, &old_table)) {
      at = kNoMemory;
    }
  }
  FreeOld(cx, old_table);
  return at;
}

bool SetWithHash(Context& cx, Dict* d, Value key, int64_t hash, Value value) {
  const int64_t at = TrySetWithHash(cx, d, key, hash, value);
  if (at == kNoMemory) RaiseMemoryError(cx);
  return at != kNoMemory && at != kFailed;
}

// Adds the entries of `from` to an empty dict by copying its table. 1 done, 0 not possible (not empty), -1 no memory.
int CloneInto(Context& cx, Dict* d, Dict* from) {
  for (;;) {
    size_t n = DictSize(from);
    if (n == 0) return 1;
    uint8_t log = DictTable::LogFor(n);
    void* block = cx.ts->heap()->Allocate(HeapKind::kRaw, DictTable::BytesFor(log));
    if (block == nullptr) {
      RaiseMemoryError(cx);
      return -1;
    }
    DictTable* table = DictTable::Format(block, log, 1);
    uint32_t to = 0;
    bool fits = true;
    {
      ObjectLock lock(cx.ts, from);
      DictTable* old = from->table.load(kRelaxed);
      fits = static_cast<size_t>(from->used.load(kRelaxed)) <= table->capacity;
      uint32_t count = !fits || old == nullptr ? 0 : old->filled.load(kRelaxed);
      for (uint32_t i = 0; i < count; ++i) {
        PauseInLoop(cx, i);
        DictEntry& e = old->entries()[i];
        Value key = PeekSlot(e.key);
        if (!key) continue;
        Value value = PeekSlot(e.value);
        IncrefValue(key);
        IncrefValue(value);
        DictEntry& copy = table->entries()[to];
        int64_t hash = e.hash.load(kRelaxed);
        copy.key.store(key.bits(), kRelaxed);
        copy.value.store(value.bits(), kRelaxed);
        copy.hash.store(hash, kRelaxed);
        table->Link(hash, to++);
      }
    }
    if (!fits) {
      FreeRaw(cx, table);
      continue;
    }
    table->filled.store(to, kRelaxed);
    table->tail = to;
    DictTable* old = nullptr;
    bool empty;
    {
      ObjectLock lock(cx.ts, d);
      empty = d->used.load(kRelaxed) == 0;
      if (empty) {
        old = d->table.load(kRelaxed);
        uint32_t version = d->keys_version.load(kRelaxed) + 1;
        table->serial = version;
        d->table.store(table, kRelease);  // as in ReplaceTable
        d->used.store(to, kRelease);
        d->keys_version.store(version, kRelease);
      }
    }
    if (!empty) {
      DropTable(cx, table, false);
      return 0;
    }
    FreeOld(cx, old);
    return 1;
  }
}

enum class Part { kKey, kValue, kItem };

// All entries as they are at one moment.
Ref Snapshot(Context& cx, Dict* d, Part part) {
  Drops all(cx);
  size_t per = part == Part::kItem ? 2 : 1;
  for (;;) {
    size_t n = DictSize(d);
    if (!all.Reserve(n * per)) return RaiseMemoryError(cx);
    ObjectLock lock(cx.ts, d);
    if (static_cast<size_t>(d->used.load(kRelaxed)) > n) continue;
    DictTable* table = d->table.load(kRelaxed);
    uint32_t count = table == nullptr ? 0 : table->filled.load(kRelaxed);
    for (uint32_t i = 0; i < count; ++i) {
      PauseInLoop(cx, i);
      DictEntry& e = table->entries()[i];
      Value key = PeekSlot(e.key);
      if (!key) continue;
      if (part != Part::kValue) (void)all.Add(Ref::New(key));
      if (part != Part::kKey) (void)all.Add(Ref::New(PeekSlot(e.value)));
    }
    break;
  }
  size_t n = all.size();
  if (part != Part::kItem) {
    all.ReleaseAll();
    return NewListSteal(cx, all.data(), n);
  }
  Ref list = NewList(cx);
  if (!list) return nullptr;
  for (size_t i = 0; i < n; i += 2) {
    Ref pair = Pack(cx, all[i], all[i + 1]);
    if (!pair || !ListAppendSteal(cx, list.as<List>(), std::move(pair))) return nullptr;
  }
  return list;
}

}  // namespace

Ref NewDict(Context& cx) {
  auto* d = NewExact<Dict>(cx, cx.rt.cls.dict);
  if (d == nullptr) return nullptr;
  d->used.store(0, kRelaxed);
  d->table.store(nullptr, kRelaxed);
  d->keys_version.store(0, kRelaxed);
  TrackNew(d);
  return Ref::Steal(d);
}

int DictGetWithHash(Context& cx, Dict* d, Value key, int64_t hash, Ref* out) {
  DictTable* table = d->table.load(kAcquire);  // pairs with ReplaceTable's release
  if (table == nullptr) return 0;
  for (DictTable::Probe p(table, hash);; p.Next()) {
    uint32_t ix = table->IndexAt(p.at());
    if (ix == DictTable::kEmpty) return 0;
    if (ix == DictTable::kDeleted) continue;
    DictEntry& e = table->entries()[ix - 2];
    uintptr_t bits;
    if (e.key.load(kAcquire) == key.bits()) {
      if (!LoadRefFromArray(cx.ts, e.value, d->table, table, &bits)) break;
      *out = Ref::Steal(Value::FromBits(bits));
      return 1;
    }
    if (e.hash.load(kRelaxed) != hash) continue;
    if (!LoadRefFromArray(cx.ts, e.key, d->table, table, &bits)) break;
    Ref other = Ref::Steal(Value::FromBits(bits));
    // Only a plain hit is decided here: whatever drops `other` may free the table.
    if (PlainEqual(cx, other, key) != 1) break;
    if (!LoadRefFromArray(cx.ts, e.value, d->table, table, &bits)) break;
    *out = Ref::Steal(Value::FromBits(bits));
    return 1;
  }
  return GetLocked(cx, d, key, hash, out);
}

int DictGet(Context& cx, Dict* d, Value key, Ref* out) {
  int64_t hash;
  if (!KeyHash(cx, key, &hash)) return -1;
  return DictGetWithHash(cx, d, key, hash, out);
}

int DictGetStr(Context& cx, Dict* d, Str* key, Ref* out) { return DictGetWithHash(cx, d, key, StrHash(key), out); }

int DictGetStrHint(Context& cx, Dict* d, Str* key, Atomic<uint32_t>* hint, Ref* out) {
  if (const Value v = DictGetAtHint(cx, d, key, *hint); ABSL_PREDICT_TRUE(!v.is_null())) {
    *out = Ref::Steal(v);
    return 1;
  }
  DictTable* table = d->table.load(kAcquire);
  if (table == nullptr) return 0;
  uintptr_t bits;
  int64_t hash = StrHash(key);
  for (DictTable::Probe p(table, hash);; p.Next()) {
    uint32_t ix = table->IndexAt(p.at());
    if (ix == DictTable::kEmpty) return 0;
    if (ix == DictTable::kDeleted) continue;
    DictEntry& e = table->entries()[ix - 2];
    if (e.key.load(kAcquire) == Value(key).bits()) {
      hint->store(ix - 2, kRelaxed);
      if (!LoadRefFromArray(cx.ts, e.value, d->table, table, &bits)) break;
      *out = Ref::Steal(Value::FromBits(bits));
      return 1;
    }
    if (e.hash.load(kRelaxed) == hash) break;  // an equal string that is not interned
  }
  return DictGetWithHash(cx, d, key, hash, out);
}

int DictContains(Context& cx, Dict* d, Value key) {
  Ref value;
  return DictGet(cx, d, key, &value);
}

bool DictSet(Context& cx, Dict* d, Value key, Value value) {
  int64_t hash;
  if (!KeyHash(cx, key, &hash)) return false;
  int64_t at;
  while ((at = TrySetWithHash(cx, d, key, hash, value)) == kNoMemory) {
    RaiseMemoryError(cx);
    if (!ReclaimMemory(cx)) return false;
  }
  return at != kFailed;
}

bool DictSetStr(Context& cx, Dict* d, Str* key, Value value) { return SetWithHash(cx, d, key, StrHash(key), value); }

int DictPop(Context& cx, Dict* d, Value key, Ref* out) {
  if (d->used.load(kRelaxed) == 0) return 0;  // as in CPython, a key that has no hash is not asked for it
  int64_t hash;
  if (!KeyHash(cx, key, &hash)) return -1;
  Ref old_key;
  OpenLock lock(cx, d);
  int64_t at = FindLocked(cx, d, key, hash, lock);
  if (at < 0) return at == kAbsent ? 0 : -1;
  RemoveLocked(d, static_cast<uint32_t>(at), &old_key, out);
  return 1;
}

int DictDeleteIf(Context& cx, Dict* d, Value key, bool (*want)(Value value)) {
  int64_t hash;
  if (!KeyHash(cx, key, &hash)) return -1;
  Ref old_key;
  Ref old_value;
  OpenLock lock(cx, d);
  int64_t at = FindLocked(cx, d, key, hash, lock);
  if (at < 0) return at == kAbsent ? 0 : -1;
  if (!want(PeekSlot(d->table.load(kRelaxed)->entries()[at].value))) return 0;
  RemoveLocked(d, static_cast<uint32_t>(at), &old_key, &old_value);
  return 1;
}

int DictDelete(Context& cx, Dict* d, Value key) {
  Ref value;
  return DictPop(cx, d, key, &value);
}

bool DictPopItem(Context& cx, Dict* d, Ref* key, Ref* value) {
  ObjectLock lock(cx.ts, d);
  DictTable* table = d->table.load(kRelaxed);
  if (table == nullptr || d->used.load(kRelaxed) == 0) return false;
  uint32_t at = table->tail;
  while (!PeekSlot(table->entries()[at - 1].key)) --at;
  RemoveLocked(d, at - 1, key, value);
  return true;
}

Ref DictSetDefault(Context& cx, Dict* d, Value key, Value value) {
  int64_t hash;
  if (!KeyHash(cx, key, &hash)) return nullptr;
  Ref out;
  int found = DictGetWithHash(cx, d, key, hash, &out);
  if (found != 0) return found < 0 ? nullptr : std::move(out);
  DictTable* old_table = nullptr;
  int64_t at;
  {
    OpenLock lock(cx, d);
    at = FindLocked(cx, d, key, hash, lock);
    if (at >= 0) {
      out = Ref::Steal(Value::FromBits(LoadRefLocked(d->table.load(kRelaxed)->entries()[at].value)));
    } else if (at == kAbsent) {
      if (InsertLocked(cx, d, key, hash, value, &old_table)) {
        out = Ref::New(value);
      } else {
        at = kNoMemory;
      }
    }
  }
  FreeOld(cx, old_table);
  if (at == kNoMemory) return RaiseMemoryError(cx);
  return out;
}

void DictClear(Context& cx, Dict* d) {
  DictTable* old;
  {
    ObjectLock lock(cx.ts, d);
    old = d->table.load(kRelaxed);
    d->table.store(nullptr, kRelease);
    d->used.store(0, kRelease);
    d->keys_version.store(d->keys_version.load(kRelaxed) + 1, kRelease);
  }
  DropTable(cx, old, true);
}

Ref DictCopy(Context& cx, Dict* d) {
  Ref copy = NewDict(cx);
  if (!copy || CloneInto(cx, copy.as<Dict>(), d) < 0) return nullptr;
  return copy;
}

bool DictNext(Context& cx, Dict* d, size_t* pos, Ref* key, Ref* value) {
  Ref stray;
  DictTable* table = d->table.load(kAcquire);
  if (table == nullptr) return false;
  // Acquire: pairs with InsertLocked; entries below are filled (or deleted again: null).
  uint32_t n = table->filled.load(kAcquire);
  for (; *pos < n; ++*pos) {
    DictEntry& e = table->entries()[*pos];
    if (e.key.load(kAcquire) == 0) continue;
    uintptr_t k;
    uintptr_t v = 0;
    if (!LoadRefFromArray(cx.ts, e.key, d->table, table, &k)) break;
    if (value != nullptr && !LoadRefFromArray(cx.ts, e.value, d->table, table, &v)) {
      stray = Ref::Steal(Value::FromBits(k));  // dropped at the end: that may free the table
      break;
    }
    ++*pos;
    if (value != nullptr) *value = Ref::Steal(Value::FromBits(v));
    if (key != nullptr) {
      *key = Ref::Steal(Value::FromBits(k));
    } else {
      stray = Ref::Steal(Value::FromBits(k));
    }
    return true;
  }
  if (*pos >= n && d->table.load(kAcquire) == table) return false;
  Ref k;
  Ref v;
  bool found = false;
  {
    ObjectLock lock(cx.ts, d);
    table = d->table.load(kRelaxed);
    n = table == nullptr ? 0 : table->filled.load(kRelaxed);
    for (; *pos < n && !found; ++*pos) {
      DictEntry& e = table->entries()[*pos];
      if (!PeekSlot(e.key)) continue;
      k = Ref::Steal(Value::FromBits(LoadRefLocked(e.key)));
      v = Ref::Steal(Value::FromBits(LoadRefLocked(e.value)));
      found = true;
    }
  }
  if (found && key != nullptr) *key = std::move(k);
  if (found && value != nullptr) *value = std::move(v);
  return found;
}

Ref DictKeys(Context& cx, Dict* d) { return Snapshot(cx, d, Part::kKey); }
Ref DictValues(Context& cx, Dict* d) { return Snapshot(cx, d, Part::kValue); }
Ref DictItems(Context& cx, Dict* d) { return Snapshot(cx, d, Part::kItem); }

// Entries of another dict, its class being dict's as far as iteration goes.
bool DictMergeDict(Context& cx, Dict* d, Dict* from) {
  if (d == from) return true;
  if (DictSize(d) == 0) {
    int done = CloneInto(cx, d, from);
    if (done != 0) return done > 0;
  }
  size_t size = DictSize(from);
  size_t pos = 0;
  Ref key;
  Ref value;
  while (DictNext(cx, from, &pos, &key, &value)) {
    SafepointInLoop(cx, pos);
    int64_t hash;
    if (!KeyHash(cx, key, &hash) || !SetWithHash(cx, d, key, hash, value)) return false;
    if (DictSize(from) != size) {
      RaiseRuntimeError(cx, "dict mutated during update");
      return false;
    }
  }
  return true;
}

// For the collector and at death.
void TraverseDict(Object* o, SlotVisitor& v) {
  DictTable* table = static_cast<Dict*>(o)->table.load(kRelaxed);
  if (table == nullptr) return;
  uint32_t n = table->filled.load(kRelaxed);
  for (uint32_t i = 0; i < n; ++i) {
    v.Visit(table->entries()[i].key);
    v.Visit(table->entries()[i].value);
  }
}

void ClearDict(Context& cx, Object* o) { DictClear(cx, static_cast<Dict*>(o)); }

void DestroyDict(Context& cx, Object* o) {
  auto* d = static_cast<Dict*>(o);
  // Nobody holds the dict, so nobody looks at its table.
  DictTable* table = d->table.load(kRelaxed);
  d->table.store(nullptr, kRelaxed);
  DropTable(cx, table, false);
}

}  // namespace tidepool::rt
