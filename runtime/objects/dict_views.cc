// keys(), values() and items() of a dict, and the iterators over them.
//
// A view and an iterator hold the dict for their whole life. An iterator remembers how many entries the dict
// had; a different number is a RuntimeError, once and for ever. Positions are atomic words: threads
// that share an iterator may get an entry twice or miss one.
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/objects.h"
#include "tidepool/runtime/objects/set.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

struct DictIterator : Object {
  Value dict;                  // owned, never changes
  Atomic<int64_t> position;    // of the next entry; -1: exhausted
  Atomic<int64_t> expected;    // entries the dict had; -1: it has changed
  Atomic<int64_t> remaining;
  uint32_t version;            // keys_version at the start
};

Dict* DictOf(Value view) { return view.as<DictView>()->dict.as<Dict>(); }

// ---- iterators

bool CheckSize(Context& cx, DictIterator* it, Dict* d) {
  if (it->expected.load(kRelaxed) == static_cast<int64_t>(DictSize(d))) return true;
  it->expected.store(-1, kRelaxed);  // stays so
  RaiseRuntimeError(cx, "dictionary changed size during iteration");
  return false;
}

// False: exhausted or failed.
bool Advance(Context& cx, DictIterator* it, Ref* key, Ref* value) {
  auto* d = it->dict.as<Dict>();
  int64_t position = it->position.load(kRelaxed);
  if (position < 0 || !CheckSize(cx, it, d)) return false;
  auto pos = static_cast<size_t>(position);
  if (!DictNext(cx, d, &pos, key, value)) {
    it->position.store(-1, kRelaxed);
    return false;
  }
  it->position.store(static_cast<int64_t>(pos), kRelaxed);
  int64_t left = it->remaining.load(kRelaxed);
  it->remaining.store(left - 1, kRelaxed);
  if (left <= 0 && DictKeysVersion(d) != it->version) {
    it->position.store(-1, kRelaxed);
    RaiseRuntimeError(cx, "dictionary keys changed during iteration");
    return false;
  }
  return true;
}

Ref NextKey(Context& cx, Value self) {
  Ref key;
  return Advance(cx, self.as<DictIterator>(), &key, nullptr) ? std::move(key) : nullptr;
}

Ref NextValue(Context& cx, Value self) {
  Ref key;
  Ref value;
  return Advance(cx, self.as<DictIterator>(), &key, &value) ? std::move(value) : nullptr;
}

Ref NextItem(Context& cx, Value self) {
  Ref key;
  Ref value;
  return Advance(cx, self.as<DictIterator>(), &key, &value) ? Pack(cx, key, value) : nullptr;
}

// Backwards: position is one beyond the next entry.
Ref NextReverseKey(Context& cx, Value self) {
  auto* it = self.as<DictIterator>();
  auto* d = it->dict.as<Dict>();
  int64_t position = it->position.load(kRelaxed);
  if (position < 0 || !CheckSize(cx, it, d)) return nullptr;
  Ref key;
  {
    ObjectLock lock(cx.ts, d);
    DictTable* table = d->table.load(kRelaxed);
    int64_t n = table == nullptr ? 0 : table->filled.load(kRelaxed);
    if (position > n) position = n;
    while (position > 0 && !key) {
      Slot& slot = table->entries()[--position].key;
      if (PeekSlot(slot)) key = Ref::Steal(Value::FromBits(LoadRefLocked(slot)));
    }
  }
  it->position.store(key ? position : -1, kRelaxed);
  if (key) it->remaining.store(it->remaining.load(kRelaxed) - 1, kRelaxed);
  return key;
}

Ref LengthHint(Context&, Value self, const Args&) {
  auto* it = self.as<DictIterator>();
  int64_t left = it->remaining.load(kRelaxed);
  bool same = it->expected.load(kRelaxed) == static_cast<int64_t>(DictSize(it->dict.as<Dict>()));
  return Ref::Small(it->position.load(kRelaxed) < 0 || !same || left < 0 ? 0 : left);
}

const MethodDef kIteratorMethods[] = {{"__length_hint__", LengthHint, 0, 0}, {}};

Ref Self(Context&, Value self) { return Ref::New(self); }
void TraverseIterator(Object* o, SlotVisitor& v) { v.Visit(static_cast<DictIterator*>(o)->dict); }
void DestroyIterator(Context& cx, Object* o) { DecrefValue(cx.ts, static_cast<DictIterator*>(o)->dict); }
void TraverseView(Object* o, SlotVisitor& v) { v.Visit(static_cast<DictView*>(o)->dict); }
void DestroyView(Context& cx, Object* o) { DecrefValue(cx.ts, static_cast<DictView*>(o)->dict); }

// ---- views

Ref IterKeys(Context& cx, Value self) {
  return NewDictIterator(cx, cx.rt.cls.dict_keyiterator, self.as<DictView>()->dict);
}
Ref IterValues(Context& cx, Value self) {
  return NewDictIterator(cx, cx.rt.cls.dict_valueiterator, self.as<DictView>()->dict);
}
Ref IterItems(Context& cx, Value self) {
  return NewDictIterator(cx, cx.rt.cls.dict_itemiterator, self.as<DictView>()->dict);
}

int64_t ViewLen(Context&, Value self) { return static_cast<int64_t>(DictSize(DictOf(self))); }

int KeysContains(Context& cx, Value self, Value key) { return DictContains(cx, DictOf(self), key); }

int ItemsContains(Context& cx, Value self, Value item) {
  auto* pair = As<Tuple>(item);
  if (pair == nullptr || pair->size() != 2) return 0;
  Ref value;
  int found = DictGet(cx, DictOf(self), pair->Get(0), &value);
  return found == 1 ? Equal(cx, value, pair->Get(1)) : found;
}

int ValuesContains(Context& cx, Value self, Value item) {
  size_t pos = 0;
  Ref value;
  while (DictNext(cx, DictOf(self), &pos, nullptr, &value)) {
    SafepointInLoop(cx, pos);
    int same = Equal(cx, value, item);
    if (same != 0) return same;
  }
  return 0;
}

Ref ViewRepr(Context& cx, Value self) {
  if (!CheckNativeStack(cx)) return nullptr;
  ReprScope scope(cx, self);
  if (scope.failed()) return nullptr;
  if (scope.recursive()) return NewStr(cx, "...");
  Ref list = ListFromIterable(cx, self);
  Ref text = list ? Repr(cx, list) : nullptr;
  if (!text) return nullptr;
  TextBuffer out;
  const char* name = ShortName(ClassOf(self.object()));
  out.PutBytes(name, std::strlen(name));
  out.Put(U'(');
  out.Put(text.as<Str>()->view());
  out.Put(U')');
  return NewStrFromBuffer(cx, out);
}

bool IsSetLike(Context& cx, Value v) {
  return HasLayout(v, Layout::kSet) || IsExact(v, cx.rt.cls.dict_keys) || IsExact(v, cx.rt.cls.dict_items);
}

// Are all items of a in b?
int AllIn(Context& cx, Value a, Value b) {
  int result = 1;
  bool ok = Iterate(cx, a, [&](Value item) {
    result = Contains(cx, b, item);
    return result == 1;
  });
  return ok || !cx.has_exception() ? result : -1;
}

Ref ViewCompare(Context& cx, Value a, Value b, CompareOp op) {
  if (!IsSetLike(cx, a) || !IsSetLike(cx, b)) return cx.NotImplementedRef();
  int64_t na = Len(cx, a);
  int64_t nb = na < 0 ? -1 : Len(cx, b);
  if (nb < 0) return nullptr;
  int r;
  switch (op) {
    case CompareOp::kEq:
    case CompareOp::kNe:
      r = na == nb ? AllIn(cx, a, b) : 0;
      if (r >= 0 && op == CompareOp::kNe) r = !r;
      break;
    case CompareOp::kLt: r = na < nb ? AllIn(cx, a, b) : 0; break;
    case CompareOp::kLe: r = na <= nb ? AllIn(cx, a, b) : 0; break;
    case CompareOp::kGt: r = na > nb ? AllIn(cx, b, a) : 0; break;
    default: r = na >= nb ? AllIn(cx, b, a) : 0; break;
  }
  return r < 0 ? Ref() : cx.BoolRef(r == 1);
}

// One operand is a view; the result is a set.
template <BinaryOp op>
Ref ViewBinary(Context& cx, Value a, Value b) {
  Ref result = SetFromIterable(cx, cx.rt.cls.set, a);
  if (!result) return nullptr;
  if (op == BinaryOp::kOr) return SetUpdate(cx, result, b) ? std::move(result) : nullptr;
  Ref other = SetFromIterable(cx, cx.rt.cls.set, b);
  return other ? Binary(cx, op, result, other) : nullptr;
}

Ref IsDisjoint(Context& cx, Value self, const Args& args) {
  bool disjoint = true;
  bool ok = Iterate(cx, args[0], [&](Value item) {
    int has = Contains(cx, self, item);
    if (has == 1) disjoint = false;
    return has == 0;
  });
  if (!ok && cx.has_exception()) return nullptr;
  return cx.BoolRef(disjoint);
}

Ref ReversedKeys(Context& cx, Value self, const Args&) {
  return NewDictIterator(cx, cx.rt.cls.dict_reversekeyiterator, self.as<DictView>()->dict);
}

// Of values and items: over a list made at once.
Ref ReversedList(Context& cx, Value self, const Args&) {
  Ref list = IsExact(self, cx.rt.cls.dict_items) ? DictItems(cx, DictOf(self)) : DictValues(cx, DictOf(self));
  if (!list || !ListReverse(cx, list.as<List>())) return nullptr;
  return Iter(cx, list);
}

Ref Mapping(Context& cx, Value self) { return NewMappingProxy(cx, self.as<DictView>()->dict); }

const MethodDef kKeysMethods[] = {{"isdisjoint", IsDisjoint, 1, 1}, {"__reversed__", ReversedKeys, 0, 0}, {}};
const MethodDef kItemsMethods[] = {{"isdisjoint", IsDisjoint, 1, 1}, {"__reversed__", ReversedList, 0, 0}, {}};
const MethodDef kValuesMethods[] = {{"__reversed__", ReversedList, 0, 0}, {}};
const GetSetDef kViewGetSet[] = {{"mapping", Mapping, nullptr}, {}};

NativeType ViewType(const char* name, Ref (*iter)(Context&, Value), int (*contains)(Context&, Value, Value),
                    const MethodDef* methods, bool set_like) {
  NativeType t;
  t.name = name;
  t.size = sizeof(DictView);
  t.flags = kTypeHasRefs | kTypeTrackLater | (set_like ? uint32_t{kTypeUnhashable} : 0u);
  t.slots.iter = iter;
  t.slots.contains = contains;
  t.slots.len = ViewLen;
  t.slots.repr = ViewRepr;
  if (set_like) {
    t.slots.compare = ViewCompare;
    t.slots.binary[static_cast<int>(BinaryOp::kAnd)] = ViewBinary<BinaryOp::kAnd>;
    t.slots.binary[static_cast<int>(BinaryOp::kOr)] = ViewBinary<BinaryOp::kOr>;
    t.slots.binary[static_cast<int>(BinaryOp::kXor)] = ViewBinary<BinaryOp::kXor>;
    t.slots.binary[static_cast<int>(BinaryOp::kSub)] = ViewBinary<BinaryOp::kSub>;
  }
  t.methods = methods;
  t.getset = kViewGetSet;
  t.traverse = TraverseView;
  t.destroy = DestroyView;
  return t;
}

NativeType IteratorType(const char* name, Ref (*next)(Context&, Value)) {
  NativeType t;
  t.name = name;
  t.size = sizeof(DictIterator);
  t.flags = kTypeHasRefs | kTypeTrackLater;
  t.slots.iter = Self;
  t.slots.next = next;
  t.methods = kIteratorMethods;
  t.traverse = TraverseIterator;
  t.destroy = DestroyIterator;
  return t;
}

}  // namespace

bool DictItemStep(Context& cx, Value iterator, Ref* key, Ref* value) { return Advance(cx, iterator.as<DictIterator>(), key, value); }

Ref NewDictView(Context& cx, Class* cls, Value dict) {
  auto* v = NewExact<DictView>(cx, cls);
  if (v == nullptr) return nullptr;
  IncrefValue(dict);
  v->dict = dict;
  TrackNew(v);
  return Ref::Steal(v);
}

Ref NewDictIterator(Context& cx, Class* cls, Value dict) {
  auto* it = NewExact<DictIterator>(cx, cls);
  if (it == nullptr) return nullptr;
  auto* d = dict.as<Dict>();
  IncrefValue(dict);
  it->dict = dict;
  it->version = DictKeysVersion(d);
  auto n = static_cast<int64_t>(DictSize(d));
  it->expected.store(n, kRelaxed);
  it->remaining.store(n, kRelaxed);
  it->position.store(cls == cx.rt.cls.dict_reversekeyiterator ? INT64_MAX : 0, kRelaxed);
  TrackNew(it);
  return Ref::Steal(it);
}

bool InitDictViews(Context& cx) {
  static const NativeType keys = ViewType("dict_keys", IterKeys, KeysContains, kKeysMethods, true);
  static const NativeType values = ViewType("dict_values", IterValues, ValuesContains, kValuesMethods, false);
  static const NativeType items = ViewType("dict_items", IterItems, ItemsContains, kItemsMethods, true);
  static const NativeType next_key = IteratorType("dict_keyiterator", NextKey);
  static const NativeType next_value = IteratorType("dict_valueiterator", NextValue);
  static const NativeType next_item = IteratorType("dict_itemiterator", NextItem);
  static const NativeType next_reverse = IteratorType("dict_reversekeyiterator", NextReverseKey);
  BuiltinClasses& c = cx.rt.cls;
  return (c.dict_keys = DefineType(cx, keys)) != nullptr && (c.dict_values = DefineType(cx, values)) != nullptr &&
         (c.dict_items = DefineType(cx, items)) != nullptr &&
         (c.dict_keyiterator = DefineType(cx, next_key)) != nullptr &&
         (c.dict_valueiterator = DefineType(cx, next_value)) != nullptr &&
         (c.dict_itemiterator = DefineType(cx, next_item)) != nullptr &&
         (c.dict_reversekeyiterator = DefineType(cx, next_reverse)) != nullptr;
}

}  // namespace tidepool::rt
