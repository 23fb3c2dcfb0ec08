// set and frozenset: look-up, change, building. The types with their methods are in set_methods.cc.
//
// The same shapes as dict.cc, with entries that have no value: see there and hash_table.h.
#include "tidepool/runtime/objects/set.h"

#include "tidepool/object/load_ref.h"
#include "tidepool/runtime/objects/find_locked.h"
#include "tidepool/runtime/objects/key_equal.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/set_internal.h"
#include "tidepool/runtime/objects/support.h"

namespace tidepool::rt {
namespace {

void DropTable(Context& cx, SetTable* table, bool readers) {
  if (table == nullptr) return;
  uint32_t n = table->filled.load(kRelaxed);
  for (uint32_t i = 0; i < n; ++i) {
    PauseInLoop(cx, i);
    DecrefValue(cx.ts, PeekSlot(table->entries()[i].key));
  }
  if (readers) {
    FreeRawDelayed(cx, table);
  } else {
    FreeRaw(cx, table);
  }
}

// Appends to a table with room; takes the reference over.
void Append(SetTable* table, Value key, int64_t hash) {
  uint32_t at = table->filled.load(kRelaxed);
  SetEntry& e = table->entries()[at];
  e.hash.store(hash, kRelaxed);
  // Release stores (T1): readers come through the index or through `filled`.
  e.key.store(key.bits(), kRelease);
  table->filled.store(at + 1, kRelease);
  table->tail = at + 1;
  table->Link(hash, at);
}

bool ReplaceTable(Context& cx, Set* s, size_t room, SetTable** old_out) {
  uint8_t log = SetTable::LogFor(room);
  void* block = cx.ts->heap()->Allocate(HeapKind::kRaw, SetTable::BytesFor(log));
  if (block == nullptr) return false;
  uint32_t version = s->keys_version.load(kRelaxed) + 1;
  SetTable* table = SetTable::Format(block, log, version);
  SetTable* old = s->table.load(kRelaxed);
  uint32_t n = old == nullptr ? 0 : old->filled.load(kRelaxed);
  for (uint32_t i = 0; i < n; ++i) {
    PauseInLoop(cx, i);
    SetEntry& e = old->entries()[i];
    Value key = PeekSlot(e.key);
    if (key) Append(table, key, e.hash.load(kRelaxed));
  }
  s->table.store(table, kRelease);  // pairs with readers' acquire load
  s->keys_version.store(version, kRelease);
  *old_out = old;
  return true;
}

// A key that is not there, whose reference is taken over; the table has room.
void InsertWithRoom(Set* s, SetTable* table, Value key, int64_t hash) {
  Append(table, key, hash);
  s->used.store(s->used.load(kRelaxed) + 1, kRelease);
  s->keys_version.store(s->keys_version.load(kRelaxed) + 1, kRelease);
}

bool InsertLocked(Context& cx, Set* s, Value key, int64_t hash, SetTable** old) {
  SetTable* table = s->table.load(kRelaxed);
  if (table == nullptr || table->filled.load(kRelaxed) == table->capacity) {
    auto used = static_cast<size_t>(s->used.load(kRelaxed));
    if (!ReplaceTable(cx, s, used < 4 ? 5 : used * 2 + 1, old)) return false;
    table = s->table.load(kRelaxed);
  }
  IncrefValue(key);
  InsertWithRoom(s, table, key, hash);
  return true;
}

Ref RemoveLocked(Set* s, uint32_t at) {
  SetTable* table = s->table.load(kRelaxed);
  SetEntry& e = table->entries()[at];
  table->SetIndex(table->PlaceOf(e.hash.load(kRelaxed), at), SetTable::kDeleted);
  Ref key = Ref::Steal(Value::FromBits(e.key.exchange(0, kAcqRel)));
  if (table->tail == at + 1) table->tail = at;
  s->used.store(s->used.load(kRelaxed) - 1, kRelease);
  s->keys_version.store(s->keys_version.load(kRelaxed) + 1, kRelease);
  return key;
}

// A copy of from's table, or null (no memory: *failed; nothing in it: not).
SetTable* CloneTable(Context& cx, Set* from, bool* failed) {
  *failed = false;
  for (;;) {
    size_t n = SetSize(from);
    if (n == 0) return nullptr;
    uint8_t log = SetTable::LogFor(n);
    void* block = cx.ts->heap()->Allocate(HeapKind::kRaw, SetTable::BytesFor(log));
    if (block == nullptr) {
      *failed = true;
      return nullptr;
    }
    SetTable* table = SetTable::Format(block, log, 1);
    {
      ObjectLock lock(cx.ts, from);
      SetTable* old = from->table.load(kRelaxed);
      if (static_cast<size_t>(from->used.load(kRelaxed)) <= table->capacity) {
        uint32_t count = old == nullptr ? 0 : old->filled.load(kRelaxed);
        for (uint32_t i = 0; i < count; ++i) {
          PauseInLoop(cx, i);
          SetEntry& e = old->entries()[i];
          Value key = PeekSlot(e.key);
          if (!key) continue;
          IncrefValue(key);
          Append(table, key, e.hash.load(kRelaxed));
        }
        return table;
      }
    }
    FreeRaw(cx, table);
  }
}

}  // namespace

Ref NewSetOf(Context& cx, Class* cls) {
  if (cls != cx.rt.cls.set && cls != cx.rt.cls.frozenset) return NewInstance(cx, cls);
  auto* s = NewExact<Set>(cx, cls, cls->info.basic_size);
  if (s == nullptr && ReclaimMemory(cx)) s = NewExact<Set>(cx, cls, cls->info.basic_size);
  if (s == nullptr) return nullptr;
  std::memset(reinterpret_cast<char*>(s) + sizeof(ObjectHeader), 0, cls->info.basic_size - sizeof(ObjectHeader));
  TrackNew(s);
  return Ref::Steal(s);
}

Ref NewSet(Context& cx) { return NewSetOf(cx, cx.rt.cls.set); }

Ref NewFrozenSet(Context& cx, const Value* items, size_t n) {
  Ref s = NewSetOf(cx, cx.rt.cls.frozenset);
  for (size_t i = 0; s && i < n; ++i) {
    if (!SetAdd(cx, s, items[i])) return nullptr;
  }
  return s;
}

Ref SetFromIterable(Context& cx, Class* cls, Value iterable) {
  if (iterable && cls == cx.rt.cls.frozenset && IsExact(iterable, cls)) return Ref::New(iterable);
  Ref s = NewSetOf(cx, cls);
  if (!s || (iterable && !SetUpdate(cx, s, iterable))) return nullptr;
  return s;
}

bool SetAddWithHash(Context& cx, Set* s, Value key, int64_t hash) {
  for (;;) {
    SetTable* old = nullptr;
    int64_t at;
    {
      OpenLock lock(cx, s);
      at = FindLocked(cx, s, key, hash, lock);
      if (at == kAbsent && !InsertLocked(cx, s, key, hash, &old)) at = kNoMemory;
    }
    if (old != nullptr) FreeRawDelayed(cx, old);
    if (at != kNoMemory) return at != kFailed;
    RaiseMemoryError(cx);
    if (!ReclaimMemory(cx)) return false;
  }
}

bool SetAdd(Context& cx, Value set, Value item) {
  int64_t hash;
  return KeyHash(cx, item, &hash) && SetAddWithHash(cx, set.as<Set>(), item, hash);
}

int SetContainsWithHash(Context& cx, Set* s, Value key, int64_t hash) {
  SetTable* table = s->table.load(kAcquire);  // pairs with ReplaceTable's release
  if (table == nullptr) return 0;
  for (SetTable::Probe p(table, hash);; p.Next()) {
    uint32_t ix = table->IndexAt(p.at());
    if (ix == SetTable::kEmpty) return 0;
    if (ix == SetTable::kDeleted) continue;
    SetEntry& e = table->entries()[ix - 2];
    if (e.key.load(kAcquire) == key.bits()) {
      // A replaced table keeps its pointers (T2): this one must still be the set's.
      if (s->table.load(kAcquire) == table) return 1;
      break;
    }
    if (e.hash.load(kRelaxed) != hash) continue;
    uintptr_t bits;
    if (!LoadRefFromArray(cx.ts, e.key, s->table, table, &bits)) break;
    Ref other = Ref::Steal(Value::FromBits(bits));
    if (PlainEqual(cx, other, key) == 1) return 1;
    break;  // dropping `other` may free the table
  }
  OpenLock lock(cx, s);
  int64_t at = FindLocked(cx, s, key, hash, lock);
  return at >= 0 ? 1 : at == kAbsent ? 0 : -1;
}

int SetContains(Context& cx, Value set, Value item) {
  int64_t hash;
  if (!KeyHash(cx, item, &hash)) return -1;
  return SetContainsWithHash(cx, set.as<Set>(), item, hash);
}

int SetDiscardWithHash(Context& cx, Set* s, Value key, int64_t hash) {
  Ref old_key;
  OpenLock lock(cx, s);
  int64_t at = FindLocked(cx, s, key, hash, lock);
  if (at < 0) return at == kAbsent ? 0 : -1;
  old_key = RemoveLocked(s, static_cast<uint32_t>(at));
  return 1;
}

int SetDiscard(Context& cx, Value set, Value item) {
  int64_t hash;
  if (!KeyHash(cx, item, &hash)) return -1;
  return SetDiscardWithHash(cx, set.as<Set>(), item, hash);
}

Ref SetPop(Context& cx, Set* s) {
  ObjectLock lock(cx.ts, s);
  SetTable* table = s->table.load(kRelaxed);
  if (table == nullptr || s->used.load(kRelaxed) == 0) return nullptr;
  uint32_t at = table->tail;
  while (!PeekSlot(table->entries()[at - 1].key)) --at;
  return RemoveLocked(s, at - 1);
}

// The set gets `table` (which may be null) with its references; what it had is dropped.
static void Install(Context& cx, Set* s, SetTable* table) {
  SetTable* old;
  {
    ObjectLock lock(cx.ts, s);
    old = s->table.load(kRelaxed);
    uint32_t version = s->keys_version.load(kRelaxed) + 1;
    uint32_t n = 0;
    if (table != nullptr) {
      table->serial = version;
      n = table->filled.load(kRelaxed);
    }
    s->table.store(table, kRelease);
    s->used.store(n, kRelease);
    s->keys_version.store(version, kRelease);
  }
  DropTable(cx, old, true);
}

void SetClear(Context& cx, Set* s) { Install(cx, s, nullptr); }

bool SetSwapBody(Context& cx, Set* s, Set* from) {
  bool failed;
  SetTable* table;
  while (table = CloneTable(cx, from, &failed), failed) {
    RaiseMemoryError(cx);
    if (!ReclaimMemory(cx)) return false;
  }
  Install(cx, s, table);
  return true;
}

bool SetNextHash(Context& cx, Set* s, size_t* pos, Ref* item, int64_t* hash) {
  SetTable* table = s->table.load(kAcquire);
  if (table == nullptr) return false;
  uint32_t n = table->filled.load(kAcquire);
  for (; *pos < n; ++*pos) {
    SetEntry& e = table->entries()[*pos];
    if (e.key.load(kAcquire) == 0) continue;
    uintptr_t bits;
    if (!LoadRefFromArray(cx.ts, e.key, s->table, table, &bits)) break;
    *hash = e.hash.load(kRelaxed);
    ++*pos;
    *item = Ref::Steal(Value::FromBits(bits));
    return true;
  }
  if (*pos >= n && s->table.load(kAcquire) == table) return false;
  Ref found;
  {
    ObjectLock lock(cx.ts, s);
    table = s->table.load(kRelaxed);
    n = table == nullptr ? 0 : table->filled.load(kRelaxed);
    for (; *pos < n && !found; ++*pos) {
      SetEntry& e = table->entries()[*pos];
      if (!PeekSlot(e.key)) continue;
      *hash = e.hash.load(kRelaxed);
      found = Ref::Steal(Value::FromBits(LoadRefLocked(e.key)));
    }
  }
  if (!found) return false;
  *item = std::move(found);
  return true;
}

bool SetNext(Context& cx, Set* s, size_t* pos, Ref* item) {
  int64_t hash;
  return SetNextHash(cx, s, pos, item, &hash);
}

Ref SetItems(Context& cx, Set* s) {
  Drops all(cx);
  for (;;) {
    size_t n = SetSize(s);
    if (!all.Reserve(n)) return RaiseMemoryError(cx);
    ObjectLock lock(cx.ts, s);
    if (static_cast<size_t>(s->used.load(kRelaxed)) > n) continue;
    SetTable* table = s->table.load(kRelaxed);
    uint32_t count = table == nullptr ? 0 : table->filled.load(kRelaxed);
    for (uint32_t i = 0; i < count; ++i) {
      PauseInLoop(cx, i);
      Value key = PeekSlot(table->entries()[i].key);
      if (key) (void)all.Add(Ref::New(key));
    }
    break;
  }
  size_t n = all.size();
  all.ReleaseAll();
  return NewListSteal(cx, all.data(), n);
}

namespace {

// Takes small ints and strings that are compared without a script, as long as the table has room.
struct SetSink : ItemSink {
  explicit SetSink(Set* s) : ItemSink(Take), set(s) {}
  static bool Take(Context& cx, ItemSink* self, Value owned) {
    Set* s = static_cast<SetSink*>(self)->set;
    int64_t hash;
    if ((!owned.is_small_int() && !IsExact(owned, cx.rt.cls.str)) || !KeyHash(cx, owned, &hash)) return false;
    bool found = false;
    {
      ObjectLock lock(cx.ts, s);
      SetTable* table = s->table.load(kRelaxed);
      if (table == nullptr || table->filled.load(kRelaxed) == table->capacity) return false;
      for (SetTable::Probe p(table, hash); !found; p.Next()) {
        const uint32_t ix = table->IndexAt(p.at());
        if (ix == SetTable::kEmpty) break;
        if (ix == SetTable::kDeleted) continue;
        const SetEntry& e = table->entries()[ix - 2];
        const Value other = PeekSlot(e.key);
        if (other != owned && e.hash.load(kRelaxed) != hash) continue;
        const int same = other == owned ? 1 : PlainEqual(cx, other, owned);
        if (same < 0) return false;
        found = same == 1;
      }
      if (!found) InsertWithRoom(s, table, owned, hash);
    }
    if (found) DecrefValue(cx.ts, owned);  // an int or a string: nothing is run
    return true;
  }
  Set* set;
};

}  // namespace

bool SetUpdate(Context& cx, Value set, Value iterable) {
  auto* s = set.as<Set>();
  if (auto* from = As<Set>(iterable); from != nullptr) {
    if (from == s) return true;
    if (SetSize(s) == 0 && s->table.load(kAcquire) == nullptr) return SetSwapBody(cx, s, from);
    size_t pos = 0;
    Ref item;
    int64_t hash;
    while (SetNextHash(cx, from, &pos, &item, &hash)) {
      SafepointInLoop(cx, pos);
      if (!SetAddWithHash(cx, s, item, hash)) return false;
    }
    return true;
  }
  auto add = [&](Value item) { return SetAdd(cx, set, item); };
  if (IsExact(iterable, cx.rt.cls.dict) || IsExact(iterable, cx.rt.cls.dict_keys) ||
      IsExact(iterable, cx.rt.cls.dict_values) || IsExact(iterable, cx.rt.cls.dict_items)) {
    Ref all = ListFromIterable(cx, iterable);  // as they are at one moment
    return all && Iterate(cx, all, add);
  }
  Ref it = Iter(cx, iterable);
  if (!it) return false;
  SetSink sink(s);
  for (;;) {
    Ref item = NextOrSink(cx, it, &sink);
    if (!item) return !cx.has_exception();
    if (!add(item)) return false;
  }
}

void TraverseSet(Object* o, SlotVisitor& v) {
  SetTable* table = static_cast<Set*>(o)->table.load(kRelaxed);
  uint32_t n = table == nullptr ? 0 : table->filled.load(kRelaxed);
  for (uint32_t i = 0; i < n; ++i) v.Visit(table->entries()[i].key);
}

void ClearSet(Context& cx, Object* o) { SetClear(cx, static_cast<Set*>(o)); }

void DestroySet(Context& cx, Object* o) {
  auto* s = static_cast<Set*>(o);
  // Nobody holds the set, so nobody looks at its table.
  SetTable* table = s->table.load(kRelaxed);
  s->table.store(nullptr, kRelaxed);
  DropTable(cx, table, false);
}

}  // namespace tidepool::rt
