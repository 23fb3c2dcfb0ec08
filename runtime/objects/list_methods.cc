// list as a type: slots, methods, iterators.
#include "tidepool/runtime/objects/list_internal.h"
#include "tidepool/runtime/objects/objects.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

Ref ListRepr(Context& cx, Value self) {
  auto* list = self.as<List>();
  if (ListSize(list) == 0) return NewStr(cx, "[]");
  if (!CheckNativeStack(cx)) return nullptr;
  ReprScope scope(cx, self);
  if (scope.failed()) return nullptr;
  if (scope.recursive()) return NewStr(cx, "[...]");
  TextBuffer out;
  out.Put(U'[');
  for (int64_t i = 0;; ++i) {
    SafepointInLoop(cx, static_cast<uint64_t>(i));
    Ref item = ListGet(cx, list, i);
    if (!item) break;
    if (i != 0) out.PutBytes(", ", 2);
    Ref text = Repr(cx, item);
    if (!text) return nullptr;
    out.Put(text.as<Str>()->view());
  }
  out.Put(U']');
  return NewStrFromBuffer(cx, out);
}

int64_t ListLen(Context&, Value self) { return static_cast<int64_t>(ListSize(self.as<List>())); }
int ListTruth(Context&, Value self) { return ListSize(self.as<List>()) != 0; }

// An index from a key that is no slice. False: an exception is pending.
bool IndexKey(Context& cx, Value key, int64_t size, int64_t* out) {
  if (key.is_small_int()) {
    *out = key.small_int();
  } else if (!IsInt(key) && ClassOf(cx, key)->slots.index == nullptr) {
    RaiseTypeError(cx, "list indices must be integers or slices, not %s", ClassName(cx, key));
    return false;
  } else if (!ItemIndex(cx, key, out)) {
    return false;
  }
  if (*out < 0) *out += size;
  return true;
}

Ref ListGetItem(Context& cx, Value self, Value key) {
  auto* list = self.as<List>();
  if (auto* s = As<Slice>(key); s != nullptr) {
    SliceRange r;
    if (!UnpackSlice(cx, s, &r)) return nullptr;
    return ListCopyRange(cx, list, r);
  }
  int64_t i;
  if (!IndexKey(cx, key, static_cast<int64_t>(ListSize(list)), &i)) return nullptr;
  Ref item = ListGet(cx, list, i);
  if (!item) return RaiseIndexError(cx, "list index out of range");
  return item;
}

bool ListSetItem(Context& cx, Value self, Value key, Value value) {
  auto* list = self.as<List>();
  if (auto* s = As<Slice>(key); s != nullptr) {
    SliceRange r;
    if (!UnpackSlice(cx, s, &r)) return false;
    return value ? ListAssignRange(cx, list, r, value) : ListDeleteRange(cx, list, r);
  }
  int64_t i;
  if (!IndexKey(cx, key, static_cast<int64_t>(ListSize(list)), &i)) return false;
  if (value) {
    if (ListSet(cx, list, i, Ref::New(value))) return true;
  } else {
    Ref item;
    ObjectLock lock(cx.ts, list);
    if (i >= 0 && i < list->size.load(kRelaxed)) {
      item = ListTakeLocked(list, i);
      return true;
    }
  }
  RaiseIndexError(cx, value ? "list assignment index out of range" : "list assignment index out of range");
  return false;
}

int ListContains(Context& cx, Value self, Value item) {
  for (int64_t i = 0;; ++i) {
    SafepointInLoop(cx, static_cast<uint64_t>(i));
    Ref other = ListGet(cx, self.as<List>(), i);
    if (!other) return 0;
    int same = Equal(cx, other, item);
    if (same != 0) return same;
  }
}

Ref ListCompare(Context& cx, Value a, Value b, CompareOp op) {
  if (!Is<List>(a) || !Is<List>(b)) return cx.NotImplementedRef();
  if (!CheckNativeStack(cx)) return nullptr;
  auto* x = a.as<List>();
  auto* y = b.as<List>();
  if (ListSize(x) != ListSize(y) && (op == CompareOp::kEq || op == CompareOp::kNe)) {
    return cx.BoolRef(op == CompareOp::kNe);
  }
  for (int64_t i = 0;; ++i) {
    SafepointInLoop(cx, static_cast<uint64_t>(i));
    Ref p = ListGet(cx, x, i);
    Ref q = ListGet(cx, y, i);
    if (!p || !q) {
      // The shorter one is over: the number of items decides.
      int c = p ? 1 : q ? -1 : 0;
      switch (op) {
        case CompareOp::kLt: return cx.BoolRef(c < 0);
        case CompareOp::kLe: return cx.BoolRef(c <= 0);
        case CompareOp::kEq: return cx.BoolRef(c == 0);
        case CompareOp::kNe: return cx.BoolRef(c != 0);
        case CompareOp::kGt: return cx.BoolRef(c > 0);
        default: return cx.BoolRef(c >= 0);
      }
    }
    int same = Equal(cx, p, q);
    if (same < 0) return nullptr;
    if (same == 1) continue;
    if (op == CompareOp::kEq) return cx.BoolRef(false);
    if (op == CompareOp::kNe) return cx.BoolRef(true);
    return Compare(cx, p, q, op);
  }
}

Ref ListAdd(Context& cx, Value a, Value b) {
  if (!Is<List>(a)) return cx.NotImplementedRef();
  if (!Is<List>(b)) {
    return RaiseTypeError(cx, "can only concatenate list (not \"%s\") to list", ClassName(cx, b));
  }
  return ListConcat(cx, a.as<List>(), b.as<List>());
}

Ref ListMul(Context& cx, Value a, Value b) {
  if (!Is<List>(a)) std::swap(a, b);
  if (!IsInt(b) && ClassOf(cx, b)->slots.index == nullptr) return cx.NotImplementedRef();
  int64_t n;
  if (!RepeatCount(cx, b, &n)) return nullptr;
  if (n <= 0) return NewList(cx);
  return ListRepeat(cx, a.as<List>(), n);
}

Ref ListInplaceAdd(Context& cx, Value self, Value other) {
  if (!ListExtend(cx, self.as<List>(), other)) return nullptr;
  return Ref::New(self);
}

Ref ListInplaceMul(Context& cx, Value self, Value other) {
  if (!IsInt(other) && ClassOf(cx, other)->slots.index == nullptr) return cx.NotImplementedRef();
  int64_t n;
  if (!RepeatCount(cx, other, &n) || !ListRepeatInPlace(cx, self.as<List>(), n)) return nullptr;
  return Ref::New(self);
}

Ref NewIterator(Context& cx, Class* cls, Value list, int64_t start) {
  auto* it = NewExact<ListIterator>(cx, cls);
  if (it == nullptr) return nullptr;
  IncrefValue(list);
  it->list = list;
  it->next.store(start, kRelaxed);
  TrackNew(it);
  return Ref::Steal(it);
}

Ref ListIter(Context& cx, Value self) { return NewIterator(cx, cx.rt.cls.list_iterator, self, 0); }

Ref ListCreate(Context& cx, Class* cls, const Args&) {
  return cls == cx.rt.cls.list ? NewList(cx) : NewInstance(cx, cls);
}

bool ListInit(Context& cx, Value self, const Args& args) {
  if (IsExact(self, cx.rt.cls.list) && !NoKeywords(cx, "list", args)) return false;
  if (!CheckArgCount(cx, "list", args, 0, 1)) return false;
  if (ListSize(self.as<List>()) != 0) ListClear(cx, self.as<List>());
  return args.npos == 0 || ListExtend(cx, self.as<List>(), args[0]);
}

Ref Append(Context& cx, Value self, const Args& args) {
  return ListAppend(cx, self.as<List>(), args[0]) ? cx.NoneRef() : nullptr;
}

Ref Extend(Context& cx, Value self, const Args& args) {
  return ListExtend(cx, self.as<List>(), args[0]) ? cx.NoneRef() : nullptr;
}

Ref Insert(Context& cx, Value self, const Args& args) {
  int64_t i;
  if (!ToInt64(cx, args[0], &i)) return nullptr;
  return ListInsert(cx, self.as<List>(), i, args[1]) ? cx.NoneRef() : nullptr;
}

Ref Pop(Context& cx, Value self, const Args& args) {
  int64_t i = -1;
  if (args.npos == 1 && !ToInt64(cx, args[0], &i)) return nullptr;
  return ListPop(cx, self.as<List>(), i);
}

Ref Remove(Context& cx, Value self, const Args& args) {
  auto* list = self.as<List>();
  for (int64_t i = 0;; ++i) {
    SafepointInLoop(cx, static_cast<uint64_t>(i));
    Ref item = ListGet(cx, list, i);
    if (!item) return RaiseValueError(cx, "list.remove(x): x not in list");
    int same = Equal(cx, item, args[0]);
    if (same < 0) return nullptr;
    if (same == 0) continue;
    Ref taken;
    ObjectLock lock(cx.ts, list);
    if (i < list->size.load(kRelaxed) && PeekSlot(list->array.load(kRelaxed)->items[i]) == item.get()) {
      taken = ListTakeLocked(list, i);
      return cx.NoneRef();
    }
    i = -1;  // it has moved: look again
  }
}

Ref Clear(Context& cx, Value self, const Args&) {
  ListClear(cx, self.as<List>());
  return cx.NoneRef();
}

Ref Copy(Context& cx, Value self, const Args&) { return ListSlice(cx, self.as<List>(), 0, INT64_MAX); }

Ref Reverse(Context& cx, Value self, const Args&) {
  ListReverse(cx, self.as<List>());
  return cx.NoneRef();
}

Ref Count(Context& cx, Value self, const Args& args) {
  int64_t n = 0;
  for (int64_t i = 0;; ++i) {
    SafepointInLoop(cx, static_cast<uint64_t>(i));
    Ref item = ListGet(cx, self.as<List>(), i);
    if (!item) return Ref::Small(n);
    int same = Equal(cx, item, args[0]);
    if (same < 0) return nullptr;
    n += same;
  }
}

Ref IndexOf(Context& cx, Value self, const Args& args) {
  auto* list = self.as<List>();
  int64_t from, to;
  if (!SliceBounds(cx, args.Get(1), args.Get(2), static_cast<int64_t>(ListSize(list)), &from, &to)) return nullptr;
  for (int64_t i = from; i < to; ++i) {
    SafepointInLoop(cx, static_cast<uint64_t>(i));
    Ref item = ListGet(cx, list, i);
    if (!item) break;
    int same = Equal(cx, item, args[0]);
    if (same < 0) return nullptr;
    if (same == 1) return Ref::Small(i);
  }
  Ref text = Repr(cx, args[0]);
  return text ? RaiseValueError(cx, "%s is not in list", ToUtf8(text.as<Str>()).c_str()) : nullptr;
}

Ref Sort(Context& cx, Value self, const Args& args) {
  Value v[2];
  if (!ParseArgs(cx, "sort", args, {"*key", "*reverse"}, 0, v)) return nullptr;
  int reverse = v[1] ? IsTrue(cx, v[1]) : 0;
  if (reverse < 0) return nullptr;
  return ListSort(cx, self.as<List>(), v[0], reverse != 0) ? cx.NoneRef() : nullptr;
}

Ref Reversed(Context& cx, Value self, const Args&) {
  return NewIterator(cx, cx.rt.cls.list_reverseiterator, self, static_cast<int64_t>(ListSize(self.as<List>())) - 1);
}

const MethodDef kListMethods[] = {
    {"append", Append, 1, 1},
    {"extend", Extend, 1, 1},
    {"insert", Insert, 2, 2},
    {"pop", Pop, 0, 1},
    {"remove", Remove, 1, 1},
    {"clear", Clear, 0, 0},
    {"copy", Copy, 0, 0},
    {"reverse", Reverse, 0, 0},
    {"count", Count, 1, 1},
    {"index", IndexOf, 1, 3},
    {"sort", Sort, 0, 0, kMethodKeywords},
    {"__reversed__", Reversed, 0, 0},
    {},
};

void TraverseList(Object* o, SlotVisitor& v) {
  auto* list = static_cast<List*>(o);
  ListArray* array = list->array.load(kRelaxed);
  for (int64_t i = list->size.load(kRelaxed); i-- > 0;) v.Visit(array->items[i]);
}

void ClearList(Context& cx, Object* o) { ListClear(cx, static_cast<List*>(o)); }

void DestroyList(Context& cx, Object* o) {
  auto* list = static_cast<List*>(o);
  // Nobody holds the list, so nobody looks at its array.
  ListArray* array = list->array.load(kRelaxed);
  int64_t n = list->size.load(kRelaxed);
  list->array.store(nullptr, kRelaxed);
  list->size.store(0, kRelaxed);
  DropListArray(cx, array, n, false);
}

// ---- iterators

Ref Self(Context&, Value self) { return Ref::New(self); }
Ref NextSlot(Context& cx, Value self) { return ListIterNext(cx, self.as<ListIterator>()); }

Ref NextReverse(Context& cx, Value self) {
  auto* it = self.as<ListIterator>();
  int64_t i = it->next.load(kRelaxed);  // relaxed: as in ListIterNext
  if (i < 0) return nullptr;
  Ref item = ListGet(cx, it->list.as<List>(), i);
  it->next.store(item ? i - 1 : -1, kRelaxed);
  return item;
}

Ref LengthHint(Context&, Value self, const Args&) {
  auto* it = self.as<ListIterator>();
  int64_t at = it->next.load(kRelaxed);
  auto n = static_cast<int64_t>(ListSize(it->list.as<List>()));
  return Ref::Small(at < 0 || at > n ? 0 : n - at);
}

Ref ReverseLengthHint(Context&, Value self, const Args&) {
  auto* it = self.as<ListIterator>();
  int64_t left = it->next.load(kRelaxed) + 1;
  return Ref::Small(left > static_cast<int64_t>(ListSize(it->list.as<List>())) ? 0 : left);
}

const MethodDef kIteratorMethods[] = {{"__length_hint__", LengthHint, 0, 0}, {}};
const MethodDef kReverseMethods[] = {{"__length_hint__", ReverseLengthHint, 0, 0}, {}};

void TraverseIterator(Object* o, SlotVisitor& v) { v.Visit(static_cast<ListIterator*>(o)->list); }
void DestroyIterator(Context& cx, Object* o) { DecrefValue(cx.ts, static_cast<ListIterator*>(o)->list); }

NativeType MakeListType() {
  NativeType t;
  t.name = "list";
  t.layout = Layout::kList;
  t.size = sizeof(List);
  t.flags = kTypeSubclassable | kTypeHasRefs | kTypeUnhashable | kTypeSequence;
  t.slots.repr = ListRepr;
  t.slots.iter = ListIter;
  t.slots.len = ListLen;
  t.slots.truth = ListTruth;
  t.slots.getitem = ListGetItem;
  t.slots.setitem = ListSetItem;
  t.slots.contains = ListContains;
  t.slots.compare = ListCompare;
  t.slots.binary[static_cast<int>(BinaryOp::kAdd)] = ListAdd;
  t.slots.binary[static_cast<int>(BinaryOp::kMul)] = ListMul;
  t.slots.inplace[static_cast<int>(BinaryOp::kAdd)] = ListInplaceAdd;
  t.slots.inplace[static_cast<int>(BinaryOp::kMul)] = ListInplaceMul;
  t.slots.create = ListCreate;
  t.slots.init = ListInit;
  t.methods = kListMethods;
  t.traverse = TraverseList;
  t.clear = ClearList;
  t.destroy = DestroyList;
  return t;
}

NativeType IteratorType(const char* name, Ref (*next)(Context&, Value), const MethodDef* methods) {
  NativeType t;
  t.name = name;
  t.size = sizeof(ListIterator);
  t.flags = kTypeHasRefs | kTypeTrackLater;
  t.slots.iter = Self;
  t.slots.next = next;
  t.methods = methods;
  t.traverse = TraverseIterator;
  t.destroy = DestroyIterator;
  return t;
}

}  // namespace

bool InitListTypes(Context& cx) {
  static const NativeType list = MakeListType();
  static const NativeType forward = IteratorType("list_iterator", NextSlot, kIteratorMethods);
  static const NativeType backward = IteratorType("list_reverseiterator", NextReverse, kReverseMethods);
  BuiltinClasses& c = cx.rt.cls;
  return (c.list = DefineType(cx, list)) != nullptr && (c.list_iterator = DefineType(cx, forward)) != nullptr &&
         (c.list_reverseiterator = DefineType(cx, backward)) != nullptr;
}

}  // namespace tidepool::rt
