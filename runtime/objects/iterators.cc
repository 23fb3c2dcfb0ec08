// enumerate, zip, map, filter, reversed, and the iterators over __getitem__ and over a callable: see the header.
#include "tidepool/runtime/objects/iterators.h"

#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/objects.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

Ref Self(Context&, Value self) { return Ref::New(self); }

// Threads that share an iterator take turns for a step, in which any script may run (it is a critical section: one that waits
// lets others in). Not for instances of subclasses: their attributes are under the same mutex, and a script may set one.
template <class Step>
auto InTurn(Context& cx, Object* iterator, const Class* cls, Step step) {
  if (iterator->type() != &cls->info) return step();
  CriticalSection turn(cx.ts, iterator);
  return step();
}

// Of exact tuples and lists: a step of them runs no script.
inline bool IsPlainIterator(Context& cx, Value it) {
  const TypeInfo* t = it.object()->type();
  return t == &cx.rt.cls.tuple_iterator->info || t == &cx.rt.cls.list_iterator->info;
}
inline Ref PlainNext(Context& cx, Value it) {
  return it.object()->type() == &cx.rt.cls.tuple_iterator->info ? TupleIterNext(it.as<TupleIterator>())
                                                                : ListIterNext(cx, it.as<ListIterator>());
}

// Adds the next item of each iterator to `items`, which has room. Their number, or of the first one that has none: it is
// exhausted, or an exception is pending.
size_t NextOfEach(Context& cx, const Tuple* iterators, Drops* items) {
  size_t i = 0;
  for (; i < iterators->size(); ++i) {
    Ref item = Next(cx, iterators->Get(i));
    if (!item) break;
    (void)items->Add(std::move(item));
  }
  return i;
}

// ---- enumerate

struct Enumerate : Object {
  Value iterator;      // owned
  Atomic<int64_t> next;  // while it fits
  Slot big_next;       // an int, once it does not
};

Ref EnumerateCreate(Context& cx, Class* cls, const Args& args) {
  Value v[2];
  if (!ParseArgs(cx, "enumerate", args, {"iterable", "start"}, 1, v)) return nullptr;
  Ref start = v[1] ? Index(cx, v[1]) : Ref::Small(0);
  Ref it = start ? Iter(cx, v[0]) : nullptr;
  Ref r = it ? NewInstance(cx, cls) : nullptr;
  if (!r) return nullptr;
  auto* e = r.as<Enumerate>();
  int64_t n;
  if (IntToInt64(start, &n) && FitsSmallInt(n)) {
    e->next.store(n, kRelaxed);
  } else {
    InitSlot(e->big_next, std::move(start));
  }
  e->iterator = it.release();
  return r;
}

bool Exact(Context& cx, const Enumerate* e) { return e->type() == &cx.rt.cls.enumerate->info; }

// The number behind `number` where it is no small int.
bool StoreBigNext(Context& cx, Enumerate* e, Value number, Ref* old) {
  Ref after = IntAdd(cx, number, Value::Small(1));
  if (!after) return false;
  if (Exact(cx, e)) {
    *old = ExchangeSlotLocked(e->big_next, std::move(after));  // its turn holds the mutex
  } else {
    StoreSlot(e, e->big_next, std::move(after));
  }
  return true;
}

// False: exhausted, or an exception is pending.
bool EnumerateStep(Context& cx, Enumerate* e, Ref* number, Ref* item) {
  Ref old;  // dropped behind the turn
  return InTurn(cx, e, cx.rt.cls.enumerate, [&] {
    *item = Next(cx, e->iterator);
    if (!*item) return false;
    if (e->big_next.load(kAcquire) == 0) {
      // One number per item, also where a turn was interrupted.
      int64_t n = e->next.fetch_add(1, kRelaxed);
      *number = NewInt(cx, n);
      if (*number && !FitsSmallInt(n)) StoreBigNext(cx, e, *number, &old);
    } else {
      *number = Exact(cx, e) ? Ref::New(PeekSlot(e->big_next)) : LoadSlot(e, e->big_next);
      if (!StoreBigNext(cx, e, *number, &old)) return false;
    }
    return !number->is_null();
  });
}

// The same over a plain iterator, by a thread that has no others beside it, so that there is no turn to wait for. As
// NextUnpacked; -1: it must be done the long way.
int EnumeratePlain(Context& cx, Enumerate* e, Value* out) {
  const int64_t n = e->next.load(kRelaxed);
  if (!cx.ts->alone() || PeekSlot(e->big_next) || !FitsSmallInt(n + 1) || !IsPlainIterator(cx, e->iterator)) return -1;
  Ref item = PlainNext(cx, e->iterator);
  if (!item) return 0;
  e->next.store(n + 1, kRelaxed);
  out[1] = Value::Small(n);
  out[0] = item.release();
  return 1;
}

Ref EnumerateNext(Context& cx, Value self) {
  Ref number, item;
  return EnumerateStep(cx, self.as<Enumerate>(), &number, &item) ? Pack(cx, number, item) : nullptr;
}

void TraverseEnumerate(Object* o, SlotVisitor& v) { v.Visit(static_cast<Enumerate*>(o)->iterator); }
void DestroyEnumerate(Context& cx, Object* o) {
  DecrefValue(cx.ts, static_cast<Enumerate*>(o)->iterator);
  DecrefValue(cx.ts, PeekSlot(static_cast<Enumerate*>(o)->big_next));
}

// ---- zip

struct Zip : Object {
  Value iterators;  // owned Tuple
  bool strict;
};

// A tuple of iterators over args from `first` on.
Ref IteratorsOf(Context& cx, const Args& args, size_t first) {
  Drops its(cx);
  if (!its.Reserve(args.npos - first)) return RaiseMemoryError(cx);
  for (size_t i = first; i < args.npos; ++i) {
    Ref it = Iter(cx, args[i]);
    if (!it) return nullptr;
    (void)its.Add(std::move(it));
  }
  size_t n = its.size();
  its.ReleaseAll();
  return NewTupleSteal(cx, its.data(), n);
}

Ref ZipCreate(Context& cx, Class* cls, const Args& args) {
  int strict = 0;
  for (size_t i = 0; i < args.nkw; ++i) {
    if (!StrIs(args.KwName(i).as<Str>(), "strict")) {
      return RaiseTypeError(cx, "zip() takes no keyword arguments");
    }
    strict = IsTrue(cx, args.kwvals[i]);
    if (strict < 0) return nullptr;
  }
  for (size_t i = 0; i < args.npos; ++i) {
    Class* c = ClassOf(cx, args[i]);
    if (!MayIterate(c)) {
      return RaiseTypeError(cx, "'%s' object is not iterable", ClassName(cx, args[i]));
    }
  }
  Ref its = IteratorsOf(cx, args, 0);
  Ref r = its ? NewInstance(cx, cls) : nullptr;
  if (!r) return nullptr;
  r.as<Zip>()->iterators = its.release();
  r.as<Zip>()->strict = strict != 0;
  return r;
}

// With strict: iterator `at` was exhausted first among those before it.
Ref CheckStrict(Context& cx, Zip* z, size_t at) {
  auto* its = z->iterators.as<Tuple>();
  auto complain = [&](size_t i, const char* how) {
    return i == 1 ? RaiseValueError(cx, "zip() argument 2 is %s than argument 1", how)
                  : RaiseValueError(cx, "zip() argument %zu is %s than arguments 1-%zu", i + 1, how, i);
  };
  if (at > 0) return complain(at, "shorter");
  for (size_t i = 1; i < its->size(); ++i) {
    Ref item = Next(cx, its->Get(i));
    if (item) return complain(i, "longer");
    if (cx.has_exception()) return nullptr;
  }
  return nullptr;
}

// Adds an item of each to `items`, which has room. False: exhausted, or an exception is pending.
bool ZipStep(Context& cx, Zip* z, Drops* items) {
  return InTurn(cx, z, cx.rt.cls.zip, [&] {
    const auto* its = z->iterators.as<Tuple>();
    const size_t at = NextOfEach(cx, its, items);
    if (at < its->size() && z->strict && !cx.has_exception()) (void)CheckStrict(cx, z, at);
    return at == its->size();
  });
}

// As EnumeratePlain.
int ZipPlain(Context& cx, Zip* z, uint32_t n, Value* out) {
  const auto* its = z->iterators.as<Tuple>();
  if (!cx.ts->alone() || z->strict) return -1;
  for (uint32_t i = 0; i < n; ++i) {
    if (!IsPlainIterator(cx, its->Get(i))) return -1;
  }
  for (uint32_t i = 0; i < n; ++i) {
    const Value item = PlainNext(cx, its->Get(i)).release();
    if (item.is_null()) {
      while (i-- > 0) DecrefValue(cx.ts, out[n - 1 - i]);
      return 0;
    }
    out[n - 1 - i] = item;
  }
  return 1;
}

Ref ZipNext(Context& cx, Value self) {
  auto* z = self.as<Zip>();
  size_t n = z->iterators.as<Tuple>()->size();
  if (n == 0) return nullptr;
  Drops items(cx);
  if (!items.Reserve(n)) return RaiseMemoryError(cx);
  if (!ZipStep(cx, z, &items)) return nullptr;
  items.ReleaseAll();
  return NewTupleSteal(cx, items.data(), n);
}

void TraverseZip(Object* o, SlotVisitor& v) { v.Visit(static_cast<Zip*>(o)->iterators); }
void DestroyZip(Context& cx, Object* o) { DecrefValue(cx.ts, static_cast<Zip*>(o)->iterators); }

// ---- map and filter

struct Map : Object {
  Value function;   // owned
  Value iterators;  // owned: map a Tuple, filter the iterator
};

Ref MapCreate(Context& cx, Class* cls, const Args& args) {
  if (!NoKeywords(cx, "map", args)) return nullptr;
  if (args.npos < 2) return RaiseTypeError(cx, "map() must have at least two arguments.");
  Ref its = IteratorsOf(cx, args, 1);
  Ref r = its ? NewInstance(cx, cls) : nullptr;
  if (!r) return nullptr;
  r.as<Map>()->iterators = its.release();
  r.as<Map>()->function = Ref::New(args[0]).release();
  return r;
}

Ref MapNext(Context& cx, Value self) {
  auto* m = self.as<Map>();
  auto* its = m->iterators.as<Tuple>();
  if (its->size() == 1) {
    Ref item = Next(cx, its->Get(0));
    return item ? Call(cx, m->function, item) : nullptr;
  }
  Drops items(cx);
  if (!items.Reserve(its->size())) return RaiseMemoryError(cx);
  const size_t n = InTurn(cx, m, cx.rt.cls.map, [&] { return NextOfEach(cx, its, &items); });
  if (n < its->size()) return nullptr;
  return Call(cx, m->function, Args(items.data(), items.size()));
}

Ref FilterCreate(Context& cx, Class* cls, const Args& args) {
  if (!NoKeywords(cx, "filter", args) || !CheckArgCount(cx, "filter", args, 2, 2)) return nullptr;
  Ref it = Iter(cx, args[1]);
  Ref r = it ? NewInstance(cx, cls) : nullptr;
  if (!r) return nullptr;
  r.as<Map>()->iterators = it.release();
  r.as<Map>()->function = Ref::New(args[0]).release();
  return r;
}

Ref FilterNext(Context& cx, Value self) {
  auto* m = self.as<Map>();
  for (;;) {
    Ref item = Next(cx, m->iterators);
    if (!item) return nullptr;
    int good;
    if (m->function == cx.None() || m->function == Value(cx.rt.cls.bool_)) {
      good = IsTrue(cx, item);
    } else {
      Ref verdict = Call(cx, m->function, item);
      good = verdict ? IsTrue(cx, verdict) : -1;
    }
    if (good < 0) return nullptr;
    if (good == 1) return item;
  }
}

void TraverseMap(Object* o, SlotVisitor& v) {
  v.Visit(static_cast<Map*>(o)->function);
  v.Visit(static_cast<Map*>(o)->iterators);
}
void DestroyMap(Context& cx, Object* o) {
  DecrefValue(cx.ts, static_cast<Map*>(o)->iterators);
  DecrefValue(cx.ts, static_cast<Map*>(o)->function);
}

// ---- reversed, and iteration by __getitem__ (step -1 and 1)

struct SequenceIterator : Object {
  Value sequence;        // owned
  Atomic<int64_t> next;  // -1: exhausted
};

Ref MakeSequenceIterator(Context& cx, Class* cls, Value sequence, int64_t start) {
  Ref r = NewInstance(cx, cls);
  if (!r) return nullptr;
  r.as<SequenceIterator>()->sequence = Ref::New(sequence).release();
  r.as<SequenceIterator>()->next.store(start, kRelaxed);
  return r;
}

Ref ReversedCreate(Context& cx, Class* cls, const Args& args) {
  if (!NoKeywords(cx, "reversed", args) || !CheckArgCount(cx, "reversed", args, 1, 1)) return nullptr;
  Value v = args[0];
  Ref method = LookupSpecial(cx, v, cx.rt.names.reversed);
  if (cx.has_exception()) return nullptr;
  if (method && method.get() != cx.None()) {
    bool found;
    return CallSpecial(cx, v, cx.rt.names.reversed, Args(), &found);
  }
  Class* c = ClassOf(cx, v);
  if (method || c->slots.getitem == nullptr || c->slots.len == nullptr || Is<Dict>(v)) {
    return RaiseTypeError(cx, "'%s' object is not reversible", ClassName(cx, v));
  }
  int64_t n = Len(cx, v);
  return n < 0 ? Ref() : MakeSequenceIterator(cx, cls, v, n - 1);
}

template <int kStep>
Ref SequenceNext(Context& cx, Value self) {
  auto* it = self.as<SequenceIterator>();
  int64_t i = it->next.load(kRelaxed);  // relaxed: shared iterators may repeat
  if (i < 0) return nullptr;
  Ref item = GetItem(cx, it->sequence, Value::Small(i));
  if (item) {
    it->next.store(i + kStep, kRelaxed);
    return item;
  }
  if (ClearIf(cx, cx.rt.exc.IndexError) || ClearIf(cx, cx.rt.exc.StopIteration)) it->next.store(-1, kRelaxed);
  return nullptr;
}

Ref ReversedLengthHint(Context&, Value self, const Args&) {
  return Ref::Small(self.as<SequenceIterator>()->next.load(kRelaxed) + 1);
}

Ref SequenceLengthHint(Context& cx, Value self, const Args&) {
  auto* it = self.as<SequenceIterator>();
  int64_t i = it->next.load(kRelaxed);
  if (i < 0) return Ref::Small(0);
  int64_t n = Len(cx, it->sequence);
  if (n < 0) return nullptr;
  return Ref::Small(n > i ? n - i : 0);
}

void TraverseSequence(Object* o, SlotVisitor& v) { v.Visit(static_cast<SequenceIterator*>(o)->sequence); }
void DestroySequence(Context& cx, Object* o) { DecrefValue(cx.ts, static_cast<SequenceIterator*>(o)->sequence); }

// ---- iter(callable, sentinel)

struct CallableIterator : Object {
  Slot callable;  // null: exhausted
  Value sentinel;
};

Ref CallableNext(Context& cx, Value self) {
  auto* it = self.as<CallableIterator>();
  Ref callable = LoadSlot(it, it->callable);
  if (!callable) return nullptr;
  Ref item = Call(cx, callable);
  if (!item) {
    if (ClearIf(cx, cx.rt.exc.StopIteration)) StoreSlot(it, it->callable, Ref());
    return nullptr;
  }
  int same = Equal(cx, item, it->sentinel);
  if (same == 0) return item;
  if (same == 1) StoreSlot(it, it->callable, Ref());
  return nullptr;
}

void TraverseCallable(Object* o, SlotVisitor& v) {
  v.Visit(static_cast<CallableIterator*>(o)->callable);
  v.Visit(static_cast<CallableIterator*>(o)->sentinel);
}
void DestroyCallable(Context& cx, Object* o) {
  DecrefValue(cx.ts, PeekSlot(static_cast<CallableIterator*>(o)->callable));
  DecrefValue(cx.ts, static_cast<CallableIterator*>(o)->sentinel);
}

const MethodDef kReversedMethods[] = {{"__length_hint__", ReversedLengthHint, 0, 0}, {}};
const MethodDef kSequenceMethods[] = {{"__length_hint__", SequenceLengthHint, 0, 0}, {}};

NativeType IteratorType(const char* name, size_t size, Ref (*create)(Context&, Class*, const Args&),
                        Ref (*next)(Context&, Value), void (*traverse)(Object*, SlotVisitor&),
                        void (*destroy)(Context&, Object*), const MethodDef* methods = nullptr) {
  NativeType t;
  t.name = name;
  t.size = size;
  t.flags = kTypeHasRefs | (create != nullptr ? uint32_t{kTypeSubclassable} : 0u);
  t.slots.iter = Self;
  t.slots.next = next;
  t.slots.create = create;
  t.methods = methods;
  t.traverse = traverse;
  t.destroy = destroy;
  return t;
}

}  // namespace

int NextUnpacked(Context& cx, Value iterator, uint32_t n, Value* out) {
  const TypeInfo* t = iterator.object()->type();
  const BuiltinClasses& c = cx.rt.cls;
  if (t == &c.enumerate->info && n == 2) {
    if (const int step = EnumeratePlain(cx, iterator.as<Enumerate>(), out); step >= 0) return step;
    Ref number, item;
    if (!EnumerateStep(cx, iterator.as<Enumerate>(), &number, &item)) return 0;
    out[1] = number.release();
    out[0] = item.release();
    return 1;
  }
  if (t == &c.dict_itemiterator->info && n == 2) {
    Ref key, value;
    if (!DictItemStep(cx, iterator, &key, &value)) return 0;
    out[1] = key.release();
    out[0] = value.release();
    return 1;
  }
  if (t != &c.zip->info) return -1;
  auto* z = iterator.as<Zip>();
  if (z->iterators.as<Tuple>()->size() != n || n == 0 || n > 8) return -1;
  if (const int step = ZipPlain(cx, z, n, out); step >= 0) return step;
  Drops items(cx);  // has room for 8
  if (!ZipStep(cx, z, &items)) return 0;
  for (size_t i = 0; i < n; ++i) out[n - 1 - i] = items[i];
  items.ReleaseAll();
  return 1;
}

Ref NewSequenceIterator(Context& cx, Value sequence) {
  return MakeSequenceIterator(cx, cx.rt.cls.seq_iterator, sequence, 0);
}

Ref NewCallableIterator(Context& cx, Value callable, Value sentinel) {
  Ref r = NewInstance(cx, cx.rt.cls.callable_iterator);
  if (!r) return nullptr;
  InitSlot(r.as<CallableIterator>()->callable, Ref::New(callable));
  r.as<CallableIterator>()->sentinel = Ref::New(sentinel).release();
  return r;
}

bool InitIteratorTypes(Context& cx) {
  static const NativeType enumerate =
      IteratorType("enumerate", sizeof(Enumerate), EnumerateCreate, EnumerateNext, TraverseEnumerate, DestroyEnumerate);
  static const NativeType zip = IteratorType("zip", sizeof(Zip), ZipCreate, ZipNext, TraverseZip, DestroyZip);
  static const NativeType map = IteratorType("map", sizeof(Map), MapCreate, MapNext, TraverseMap, DestroyMap);
  static const NativeType filter =
      IteratorType("filter", sizeof(Map), FilterCreate, FilterNext, TraverseMap, DestroyMap);
  static const NativeType reversed =
      IteratorType("reversed", sizeof(SequenceIterator), ReversedCreate, SequenceNext<-1>, TraverseSequence,
                   DestroySequence, kReversedMethods);
  static const NativeType sequence = IteratorType("iterator", sizeof(SequenceIterator), nullptr, SequenceNext<1>,
                                                  TraverseSequence, DestroySequence, kSequenceMethods);
  static const NativeType callable = IteratorType("callable_iterator", sizeof(CallableIterator), nullptr, CallableNext,
                                                  TraverseCallable, DestroyCallable);
  BuiltinClasses& c = cx.rt.cls;
  return (c.enumerate = DefineType(cx, enumerate)) != nullptr && (c.zip = DefineType(cx, zip)) != nullptr &&
         (c.map = DefineType(cx, map)) != nullptr && (c.filter = DefineType(cx, filter)) != nullptr &&
         (c.reversed = DefineType(cx, reversed)) != nullptr && (c.seq_iterator = DefineType(cx, sequence)) != nullptr &&
         (c.callable_iterator = DefineType(cx, callable)) != nullptr;
}

}  // namespace tidepool::rt
