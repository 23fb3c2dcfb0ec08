// Module _itertools: count, cycle, repeat, chain, islice, and what those written as generators are made of.
//
// Threads may share one: count and repeat hand out each number once; the others may skip or repeat an item, never
// invent one. State is in atomics and Slots; no lock is held while the source runs. For generators see Turns.
#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/modules/common.h"
#include "tidepool/runtime/modules/modules.h"

namespace tidepool::rt {
namespace {

struct Count : Object {
  Atomic<int64_t> fast;   // the next number, while it is small and step is 1; kSlow: see `value`
  Slot value;             // the next number in the general case
  Slot step;
  static constexpr int64_t kSlow = INT64_MIN;
};

struct Cycle : Object {
  Slot source;            // iterator; null when it is exhausted
  Slot saved;             // List
  Atomic<uint64_t> next;
};

struct Repeat : Object {
  Slot value;
  Atomic<int64_t> left;   // -1: for ever
};

struct Chain : Object {
  Slot source;            // iterator over iterables; null at the end
  Slot active;            // iterator or null
};

struct Islice : Object {
  Slot source;            // null at the end
  Atomic<int64_t> at;     // items taken from the source
  Atomic<int64_t> next;   // index of the next item to give
  int64_t stop;           // -1: none
  int64_t step;
};

// A generator whose steps threads take one after the other: a second thread waits (detached) until the first has its item.
// Several may share a turn. A step that comes back to its own generator gets "already executing" from it.
struct Turns : Object {
  Slot source;
  Slot turn;               // the Turns whose mutex and owner count; null: this one. Never changes
  Mutex mutex;             // held for a step; not on the thread's lock stack: the generator runs any script meanwhile
  Atomic<uint64_t> owner;  // the thread that holds it, or 0
};

// A thread that waits for its turn; on its stack.
struct Waiter {
  uint64_t tid;
  const Turns* turn;
  Waiter* next;
};

struct ItertoolsState {
  Class* count = nullptr;
  Class* cycle = nullptr;
  Class* repeat = nullptr;
  Class* chain = nullptr;
  Class* islice = nullptr;
  Class* turns = nullptr;
  Mutex waits_mutex;  // held for a few loads; never while waiting for a turn
  Waiter* waits ABSL_GUARDED_BY(waits_mutex) = nullptr;
};

ItertoolsState& State(Context& cx) { return cx.rt.State<ItertoolsState>(); }

Ref Self(Context&, Value self) { return Ref::New(self); }

bool IsNumber(Context& cx, Value v) {
  return IsInt(v) || IsFloat(v) || ClassOf(cx, v)->slots.to_float != nullptr || ClassOf(cx, v)->slots.index != nullptr;
}

// ---- count

Ref CountCreate(Context& cx, Class* cls, const Args& args) {
  Value v[2];
  if (!ParseArgs(cx, "count", args, {"start", "step"}, 0, v)) return nullptr;
  const Value start = v[0] ? v[0] : Value::Small(0);
  const Value step = v[1] ? v[1] : Value::Small(1);
  if (!IsNumber(cx, start) || !IsNumber(cx, step)) return RaiseTypeError(cx, "a number is required");
  Ref r = NewInstance(cx, cls);
  if (!r) return nullptr;
  Count* c = r.as<Count>();
  const bool fast = start.is_small_int() && step == Value::Small(1);
  c->fast.store(fast ? start.small_int() : Count::kSlow, kRelaxed);
  InitSlot(c->value, Ref::New(start));
  InitSlot(c->step, Ref::New(step));
  return r;
}

Ref CountNext(Context& cx, Value self) {
  Count* c = self.as<Count>();
  // Relaxed: the number carries nothing with it.
  int64_t n = c->fast.load(kRelaxed);
  while (n != Count::kSlow) {
    const int64_t after = n < kMaxSmallInt ? n + 1 : Count::kSlow;
    if (after == Count::kSlow) {
      // The numbers leave the small range: the slow way goes on from here.
      ObjectLock lock(cx.ts, c);
      if (c->fast.load(kRelaxed) == n) {
        c->value.store(Value::Small(n).bits(), kRelease);  // pairs with LoadSlot's acquire; small: nothing to drop
        c->fast.store(Count::kSlow, kRelease);
      }
      break;
    }
    if (c->fast.compare_exchange_weak(n, after, kRelaxed, kRelaxed)) return Ref::Small(n);
  }
  for (;;) {
    Ref now = LoadSlot(c, c->value);
    Ref step = LoadSlot(c, c->step);
    Ref after = Binary(cx, BinaryOp::kAdd, now, step);
    if (!after) return nullptr;
    Ref old;
    {
      ObjectLock lock(cx.ts, c);
      if (PeekSlot(c->value) == now.get()) old = ExchangeSlotLocked(c->value, std::move(after));
    }
    if (old) return now;
  }
}

Ref CountRepr(Context& cx, Value self) {
  Count* c = self.as<Count>();
  const int64_t n = c->fast.load(kRelaxed);
  Ref value = n != Count::kSlow ? Ref::Small(n) : LoadSlot(c, c->value);
  Ref step = LoadSlot(c, c->step);
  Ref shown = Repr(cx, value);
  if (!shown) return nullptr;
  std::string text = "count(" + ToUtf8(shown.as<Str>());
  if (step.get() != Value::Small(1)) {
    shown = Repr(cx, step);
    if (!shown) return nullptr;
    text += ", " + ToUtf8(shown.as<Str>());
  }
  return NewStr(cx, text + ")");
}

void CountTraverse(Object* obj, SlotVisitor& visitor) {
  visitor.Visit(static_cast<Count*>(obj)->value);
  visitor.Visit(static_cast<Count*>(obj)->step);
}

void CountDestroy(Context&, Object* obj) {
  Ref value = ExchangeSlotLocked(static_cast<Count*>(obj)->value, nullptr);
  Ref step = ExchangeSlotLocked(static_cast<Count*>(obj)->step, nullptr);
}

// ---- cycle

Ref CycleCreate(Context& cx, Class* cls, const Args& args) {
  if (!NoKeywords(cx, "cycle", args) || !CheckArgCount(cx, "cycle", args, 1, 1)) return nullptr;
  Ref source = Iter(cx, args[0]);
  Ref saved = source ? NewList(cx) : Ref();
  Ref r = saved ? NewInstance(cx, cls) : Ref();
  if (!r) return nullptr;
  InitSlot(r.as<Cycle>()->source, std::move(source));
  InitSlot(r.as<Cycle>()->saved, std::move(saved));
  return r;
}

Ref CycleNext(Context& cx, Value self) {
  Cycle* c = self.as<Cycle>();
  Ref saved = LoadSlot(c, c->saved);
  if (!saved) return nullptr;
  Ref source = LoadSlot(c, c->source);
  if (source) {
    Ref item = Next(cx, source);
    if (item) {
      if (!ListAppend(cx, saved.as<List>(), item)) return nullptr;
      return item;
    }
    if (cx.has_exception()) return nullptr;
    StoreSlot(c, c->source, nullptr);
  }
  const size_t n = ListSize(saved.as<List>());
  if (n == 0) return nullptr;
  // Relaxed: only a position.
  return ListGet(cx, saved.as<List>(), static_cast<int64_t>(c->next.fetch_add(1, kRelaxed) % n));
}

void CycleTraverse(Object* obj, SlotVisitor& visitor) {
  visitor.Visit(static_cast<Cycle*>(obj)->source);
  visitor.Visit(static_cast<Cycle*>(obj)->saved);
}

void CycleClear(Context&, Object* obj) {
  Ref source = ExchangeSlotLocked(static_cast<Cycle*>(obj)->source, nullptr);
  Ref saved = ExchangeSlotLocked(static_cast<Cycle*>(obj)->saved, nullptr);
}

// ---- repeat

Ref RepeatCreate(Context& cx, Class* cls, const Args& args) {
  Value v[2];
  if (!ParseArgs(cx, "repeat", args, {"object", "times"}, 1, v)) return nullptr;
  int64_t times = -1;
  if (v[1]) {
    if (!ToInt64(cx, v[1], &times)) return nullptr;
    if (times < 0) times = 0;
  }
  Ref r = NewInstance(cx, cls);
  if (!r) return nullptr;
  InitSlot(r.as<Repeat>()->value, Ref::New(v[0]));
  r.as<Repeat>()->left.store(times, kRelaxed);
  return r;
}

Ref RepeatNext(Context& cx, Value self) {
  Repeat* r = self.as<Repeat>();
  (void)cx;
  // Relaxed: only a number.
  int64_t left = r->left.load(kRelaxed);
  while (left >= 0) {
    if (left == 0) return nullptr;
    if (r->left.compare_exchange_weak(left, left - 1, kRelaxed, kRelaxed)) break;
  }
  return LoadSlot(r, r->value);
}

Ref RepeatRepr(Context& cx, Value self) {
  Repeat* r = self.as<Repeat>();
  Ref value = LoadSlot(r, r->value);
  Ref shown = Repr(cx, value);
  if (!shown) return nullptr;
  std::string text = "repeat(" + ToUtf8(shown.as<Str>());
  const int64_t left = r->left.load(kRelaxed);
  if (left >= 0) text += ", " + std::to_string(left);
  return NewStr(cx, text + ")");
}

Ref RepeatLengthHint(Context& cx, Value self, const Args&) {
  const int64_t left = self.as<Repeat>()->left.load(kRelaxed);
  if (left < 0) return RaiseTypeError(cx, "len() of unsized object");
  return NewInt(cx, left);
}

const MethodDef kRepeatMethods[] = {{"__length_hint__", RepeatLengthHint, 0, 0}, {}};

void RepeatTraverse(Object* obj, SlotVisitor& visitor) { visitor.Visit(static_cast<Repeat*>(obj)->value); }

void RepeatDestroy(Context&, Object* obj) {
  Ref value = ExchangeSlotLocked(static_cast<Repeat*>(obj)->value, nullptr);
}

// ---- chain

Ref NewChain(Context& cx, Class* cls, Value iterables) {
  Ref source = Iter(cx, iterables);
  Ref r = source ? NewInstance(cx, cls) : Ref();
  if (r) InitSlot(r.as<Chain>()->source, std::move(source));
  return r;
}

Ref ChainCreate(Context& cx, Class* cls, const Args& args) {
  if (!NoKeywords(cx, "chain", args)) return nullptr;
  Ref all = NewTuple(cx, args.pos, args.npos);
  return all ? NewChain(cx, cls, all) : Ref();
}

Ref ChainFromIterable(Context& cx, Value self, const Args& args) { return NewChain(cx, self.as<Class>(), args[0]); }

Ref ChainNext(Context& cx, Value self) {
  Chain* c = self.as<Chain>();
  for (;;) {
    Ref active = LoadSlot(c, c->active);
    if (active) {
      Ref item = Next(cx, active);
      if (item || cx.has_exception()) return item;
      Ref old;
      {
        ObjectLock lock(cx.ts, c);
        if (PeekSlot(c->active) == active.get()) old = ExchangeSlotLocked(c->active, nullptr);
      }
      continue;
    }
    Ref source = LoadSlot(c, c->source);
    if (!source) return nullptr;
    Ref iterable = Next(cx, source);
    Ref iterator = iterable ? Iter(cx, iterable) : Ref();
    if (!iterator) {
      // The end, or an error: over for good.
      StoreSlot(c, c->source, nullptr);
      return nullptr;
    }
    StoreSlot(c, c->active, std::move(iterator));
  }
}

const MethodDef kChainMethods[] = {{"from_iterable", ChainFromIterable, 1, 1, kMethodClass}, {}};

void ChainTraverse(Object* obj, SlotVisitor& visitor) {
  visitor.Visit(static_cast<Chain*>(obj)->source);
  visitor.Visit(static_cast<Chain*>(obj)->active);
}

void ChainClear(Context&, Object* obj) {
  Ref source = ExchangeSlotLocked(static_cast<Chain*>(obj)->source, nullptr);
  Ref active = ExchangeSlotLocked(static_cast<Chain*>(obj)->active, nullptr);
}

// ---- islice

bool Bound(Context& cx, Value v, int64_t absent, const char* message, int64_t* out) {
  *out = absent;
  if (!v || v == cx.None()) return true;
  if (!IsInt(v) && ClassOf(cx, v)->slots.index == nullptr) return RaiseValueError(cx, "%s", message), false;
  if (!ToInt64(cx, v, out) || *out < 0) {
    cx.ClearException();
    return RaiseValueError(cx, "%s", message), false;
  }
  return true;
}

Ref IsliceCreate(Context& cx, Class* cls, const Args& args) {
  if (!NoKeywords(cx, "islice", args) || !CheckArgCount(cx, "islice", args, 2, 4)) return nullptr;
  constexpr const char* kStop = "Stop argument for islice() must be None or an integer: 0 <= x <= sys.maxsize.";
  constexpr const char* kBoth = "Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.";
  int64_t start = 0, stop, step;
  if (args.size() == 2) {
    if (!Bound(cx, args[1], -1, kStop, &stop)) return nullptr;
  } else if (!Bound(cx, args[1], 0, kBoth, &start) || !Bound(cx, args[2], -1, kBoth, &stop)) {
    return nullptr;
  }
  constexpr const char* kStep = "Step for islice() must be a positive integer or None.";
  if (!Bound(cx, args.Get(3), 1, kStep, &step)) return nullptr;
  if (step < 1) return RaiseValueError(cx, "%s", kStep);
  Ref source = Iter(cx, args[0]);
  Ref r = source ? NewInstance(cx, cls) : Ref();
  if (!r) return nullptr;
  Islice* s = r.as<Islice>();
  InitSlot(s->source, std::move(source));
  s->next.store(start, kRelaxed);
  s->stop = stop;
  s->step = step;
  return r;
}

Ref IsliceNext(Context& cx, Value self) {
  Islice* s = self.as<Islice>();
  Ref source = LoadSlot(s, s->source);
  if (!source) return nullptr;
  // Relaxed: positions; threads that share the slice may get more or fewer items.
  const int64_t want = s->next.load(kRelaxed);
  if (s->stop >= 0 && want >= s->stop) {
    // What comes before `stop` is taken from the source all the same.
    while (s->at.load(kRelaxed) < s->stop && want > s->stop) {
      Ref skipped = Next(cx, source);
      if (!skipped) break;
      s->at.fetch_add(1, kRelaxed);
    }
    StoreSlot(s, s->source, nullptr);
    return nullptr;
  }
  for (;;) {
    Ref item = Next(cx, source);
    if (!item) {
      StoreSlot(s, s->source, nullptr);
      return nullptr;
    }
    if (s->at.fetch_add(1, kRelaxed) >= want) {
      s->next.store(want > INT64_MAX - s->step ? INT64_MAX : want + s->step, kRelaxed);
      return item;
    }
    Safepoint(cx);
  }
}

void IsliceTraverse(Object* obj, SlotVisitor& visitor) { visitor.Visit(static_cast<Islice*>(obj)->source); }

void IsliceClear(Context&, Object* obj) {
  Ref source = ExchangeSlotLocked(static_cast<Islice*>(obj)->source, nullptr);
}

// ---- turns

Ref TurnsCreate(Context& cx, Class* cls, const Args& args) {
  if (!NoKeywords(cx, "turns", args) || !CheckArgCount(cx, "turns", args, 1, 2)) return nullptr;
  const Value turn = args.Get(1);
  if (turn && !IsInstance(cx, turn, State(cx).turns)) return RaiseTypeError(cx, "a turn must be a turns object");
  Ref source = Iter(cx, args[0]);
  Ref r = source ? NewInstance(cx, cls) : Ref();
  if (!r) return nullptr;
  InitSlot(r.as<Turns>()->source, std::move(source));
  if (turn) InitSlot(r.as<Turns>()->turn, Ref::New(turn));
  return r;
}

// False: an exception is pending. Threads that would wait for each other are told so, as a generator that is asked for
// an item while it makes one: each of them holds a turn and has said so (`owner`) before it comes here, so the last one to
// come sees the whole circle.
bool WaitForTurn(Context& cx, Turns* t) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  ItertoolsState& state = State(cx);
  Waiter me = {CurrentTid(), t, nullptr};
  {
    MutexLock lock(&state.waits_mutex);
    for (const Turns* wanted = t; wanted != nullptr;) {
      const uint64_t owner = wanted->owner.load(kRelaxed);  // of a circle's: stored before its thread took this mutex
      if (owner == me.tid) {
        RaiseValueError(cx, "iterator already executing: threads wait for each other's");
        return false;
      }
      const Waiter* w = state.waits;
      while (w != nullptr && w->tid != owner) w = w->next;
      wanted = w != nullptr ? w->turn : nullptr;
    }
    me.next = state.waits;
    state.waits = &me;
  }
  const auto wait = [t](uint64_t until) ABSL_NO_THREAD_SAFETY_ANALYSIS { return t->mutex.LockFor(until); };
  const bool mine = Block(cx, kNoDeadline, wait) >= 0;
  MutexLock lock(&state.waits_mutex);
  Waiter** at = &state.waits;
  while (*at != &me) at = &(*at)->next;
  *at = me.next;
  return mine;
}

Ref TurnsNext(Context& cx, Value self) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  Ref source = LoadSlot(self.as<Turns>(), self.as<Turns>()->source);
  if (!source) return nullptr;
  const Value turn = PeekSlot(self.as<Turns>()->turn);
  Turns* t = turn ? turn.as<Turns>() : self.as<Turns>();
  // Relaxed: it is this thread's id only if this thread stored it.
  if (t->owner.load(kRelaxed) == CurrentTid()) return Next(cx, source);
  if (!t->mutex.TryLock() && !WaitForTurn(cx, t)) return nullptr;
  t->owner.store(CurrentTid(), kRelaxed);
  Ref item = Next(cx, source);
  t->owner.store(0, kRelaxed);
  t->mutex.Unlock();
  return item;
}

void TurnsTraverse(Object* obj, SlotVisitor& visitor) {
  visitor.Visit(static_cast<Turns*>(obj)->source);
  visitor.Visit(static_cast<Turns*>(obj)->turn);
}

// The collector's: the turn goes with the object.
void TurnsClear(Context&, Object* obj) {
  Ref source = ExchangeSlotLocked(static_cast<Turns*>(obj)->source, nullptr);
}

void TurnsDestroy(Context& cx, Object* obj) {
  TurnsClear(cx, obj);
  Ref turn = ExchangeSlotLocked(static_cast<Turns*>(obj)->turn, nullptr);
}

NativeType Describe(const char* full_name, size_t size, Ref (*create)(Context&, Class*, const Args&),
                    Ref (*next)(Context&, Value), void (*traverse)(Object*, SlotVisitor&),
                    void (*clear)(Context&, Object*)) {
  NativeType t;
  t.name = full_name + strlen("itertools.");
  t.module = "itertools";
  t.full_name = full_name;
  t.size = size;
  t.flags = kTypeHasRefs | kTypeSubclassable;
  t.slots.create = create;
  t.slots.iter = Self;
  t.slots.next = next;
  t.traverse = traverse;
  t.clear = clear;
  return t;
}

bool InitModule(Context& cx, Module* module) {
  static const NativeType count = [] {
    NativeType t = Describe("itertools.count", sizeof(Count), CountCreate, CountNext, CountTraverse, nullptr);
    t.destroy = CountDestroy;
    t.slots.repr = CountRepr;
    return t;
  }();
  static const NativeType cycle = Describe("itertools.cycle", sizeof(Cycle), CycleCreate, CycleNext, CycleTraverse, CycleClear);
  static const NativeType repeat = [] {
    NativeType t = Describe("itertools.repeat", sizeof(Repeat), RepeatCreate, RepeatNext, RepeatTraverse, nullptr);
    t.destroy = RepeatDestroy;
    t.slots.repr = RepeatRepr;
    t.methods = kRepeatMethods;
    return t;
  }();
  static const NativeType chain = [] {
    NativeType t = Describe("itertools.chain", sizeof(Chain), ChainCreate, ChainNext, ChainTraverse, ChainClear);
    t.methods = kChainMethods;
    return t;
  }();
  static const NativeType islice =
      Describe("itertools.islice", sizeof(Islice), IsliceCreate, IsliceNext, IsliceTraverse, IsliceClear);
  static const NativeType turns = [] {
    NativeType t = Describe("itertools.turns", sizeof(Turns), TurnsCreate, TurnsNext, TurnsTraverse, TurnsClear);
    t.destroy = TurnsDestroy;
    return t;
  }();
  ItertoolsState& state = State(cx);
  const struct {
    Class** cls;
    const NativeType* type;
  } all[] = {{&state.count, &count}, {&state.cycle, &cycle}, {&state.repeat, &repeat}, {&state.chain, &chain},
             {&state.islice, &islice}, {&state.turns, &turns}};
  for (const auto& one : all) {
    *one.cls = DefineType(cx, *one.type);
    if (*one.cls == nullptr || !AddToModule(cx, module, one.type->name, *one.cls)) return false;
  }
  return true;
}

}  // namespace

const ModuleDef kItertoolsModule = {"_itertools", nullptr, InitModule};

}  // namespace tidepool::rt
