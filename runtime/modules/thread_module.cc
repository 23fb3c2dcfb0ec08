// Module _thread: the parts of threading that block, or that are about a thread itself.
//
//   lock           the one-byte Mutex of base/ in an object. Any thread may release it.
//   RLock          a lock with an owner and a count. Only the owner touches the count.
//   Event          a flag with a condition variable, and the number of times that it was set: a waiter
//                  returns also when the flag was set and cleared again before it woke up.
//   _ThreadHandle  what join() waits for. It is set by the thread after it has left the isolate, so it lies in memory
//                  of its own (HandleState), counted by the handle and by the thread.
//   _local         attributes per thread. The object owns one dict per thread; a list of all _local objects lets a
//                  thread that ends take its dicts out.
//
// All waiting is detached (common.h).
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <new>

#include "tidepool/base/cond_var.h"
#include "tidepool/base/event.h"
#include "tidepool/base/mutex.h"
#include "tidepool/base/thread_id.h"
#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/modules/common.h"
#include "tidepool/runtime/modules/modules.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/float.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/thread.h"

namespace tidepool::rt {
namespace {

struct PlainLock : Object {
  Mutex mutex;
};

struct RLockObject : Object {
  Mutex mutex;
  Atomic<uint64_t> owner;  // thread id, 0: nobody. Stored by the holder only.
  int64_t count;           // the holder's
};

struct EventObject : Object {
  Mutex mutex;
  CondVar changed;
  Atomic<uint8_t> flag;    // written under the mutex
  uint64_t times_set;      // under the mutex
};

struct HandleState {
  Atomic<int> refs;
  Event done;              // never reset
};

struct HandleObject : Object {
  Atomic<HandleState*> state;  // null until it is started or waited for
  Atomic<uint8_t> started;
};

struct LocalObject : Object {
  Slot dicts;     // Dict: thread serial -> Dict
  Slot init;      // Tuple (args, kwargs) for __init__ on each thread, or null
  LocalObject* prev;
  LocalObject* next;
};

struct ThreadModuleState {
  Class* lock = nullptr;
  Class* rlock = nullptr;
  Class* event = nullptr;
  Class* handle = nullptr;
  Class* local = nullptr;
  Value exit_functions;           // List; the module's dict owns it
  Mutex locals_mutex{0};
  LocalObject* locals = nullptr;  // under locals_mutex
};

ThreadModuleState& State(Context& cx) { return cx.rt.State<ThreadModuleState>(); }

// ---- arguments of acquire(blocking=True, timeout=-1)

// -1: exception; else the deadline in *deadline and 0 or 1 for blocking.
int AcquireArgs(Context& cx, const Args& args, uint64_t* deadline) {
  Value v[2];
  if (!ParseArgs(cx, "acquire", args, {"blocking", "timeout"}, 0, v)) return -1;
  int blocking = 1;
  if (v[0]) {
    blocking = IsTrue(cx, v[0]);
    if (blocking < 0) return -1;
  }
  *deadline = kNoDeadline;
  if (v[1]) {
    int64_t ns;
    if (!ToNanoseconds(cx, v[1], "timeout", &ns)) return -1;
    if (!blocking) {
      if (ns != -static_cast<int64_t>(kSecondNs)) {
        RaiseValueError(cx, "can't specify a timeout for a non-blocking call");
        return -1;
      }
    } else if (ns < 0) {
      if (ns != -static_cast<int64_t>(kSecondNs)) {
        RaiseValueError(cx, "timeout value must be positive");
        return -1;
      }
    } else {
      *deadline = DeadlineAfter(ns);
    }
  }
  return blocking;
}

// 1 taken, 0 not, -1 exception.
int TakeMutex(Context& cx, Mutex& mutex, int blocking, uint64_t deadline) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  if (mutex.TryLock()) return 1;
  if (!blocking) return 0;
  return Block(cx, deadline, [&](uint64_t until) ABSL_NO_THREAD_SAFETY_ANALYSIS { return mutex.LockFor(until); });
}

// ---- lock

Ref LockAcquire(Context& cx, Value self, const Args& args) {
  uint64_t deadline;
  const int blocking = AcquireArgs(cx, args, &deadline);
  if (blocking < 0) return nullptr;
  const int got = TakeMutex(cx, self.as<PlainLock>()->mutex, blocking, deadline);
  if (got < 0) return nullptr;
  return cx.BoolRef(got);
}

Ref LockRelease(Context& cx, Value self, const Args&) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  PlainLock* lock = self.as<PlainLock>();
  if (!lock->mutex.IsLocked()) return RaiseRuntimeError(cx, "release unlocked lock");
  lock->mutex.Unlock();
  return cx.NoneRef();
}

Ref LockLocked(Context& cx, Value self, const Args&) { return cx.BoolRef(self.as<PlainLock>()->mutex.IsLocked()); }

Ref LockEnter(Context& cx, Value self, const Args&) {
  if (TakeMutex(cx, self.as<PlainLock>()->mutex, 1, kNoDeadline) < 0) return nullptr;
  return cx.BoolRef(true);
}

Ref LockRepr(Context& cx, Value self) {
  char text[128];
  std::snprintf(text, sizeof text, "<%s _thread.lock object at %p>",
                self.as<PlainLock>()->mutex.IsLocked() ? "locked" : "unlocked", static_cast<void*>(self.object()));
  return NewStr(cx, text);
}

const MethodDef kLockMethods[] = {
    {"acquire", LockAcquire, 0, 2, kMethodKeywords},
    {"acquire_lock", LockAcquire, 0, 2, kMethodKeywords},
    {"release", LockRelease, 0, 0},
    {"release_lock", LockRelease, 0, 0},
    {"locked", LockLocked, 0, 0},
    {"__enter__", LockEnter, 0, 0},
    {"__exit__", LockRelease, 0, 3},
    {},
};

Ref NewLock(Context& cx) { return NewInstance(cx, State(cx).lock); }

// ---- RLock

Ref RLockCreate(Context& cx, Class* cls, const Args& args) {
  if (!NoKeywords(cx, "RLock", args) || !CheckArgCount(cx, "RLock", args, 0, 0)) return nullptr;
  return NewInstance(cx, cls);
}

// Relaxed loads of `owner`: it is this thread's id only if this thread stored it.
bool Mine(const RLockObject* lock) { return lock->owner.load(kRelaxed) == CurrentTid(); }

int TakeRLock(Context& cx, RLockObject* lock, int blocking, uint64_t deadline) {
  if (Mine(lock)) {
    lock->count++;
    return 1;
  }
  const int got = TakeMutex(cx, lock->mutex, blocking, deadline);
  if (got == 1) {
    lock->owner.store(CurrentTid(), kRelaxed);
    lock->count = 1;
  }
  return got;
}

Ref RLockAcquire(Context& cx, Value self, const Args& args) {
  uint64_t deadline;
  const int blocking = AcquireArgs(cx, args, &deadline);
  if (blocking < 0) return nullptr;
  const int got = TakeRLock(cx, self.as<RLockObject>(), blocking, deadline);
  if (got < 0) return nullptr;
  return cx.BoolRef(got);
}

Ref RLockEnter(Context& cx, Value self, const Args&) {
  if (TakeRLock(cx, self.as<RLockObject>(), 1, kNoDeadline) < 0) return nullptr;
  return cx.BoolRef(true);
}

Ref RLockRelease(Context& cx, Value self, const Args&) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  RLockObject* lock = self.as<RLockObject>();
  if (!Mine(lock)) return RaiseRuntimeError(cx, "cannot release un-acquired lock");
  if (--lock->count == 0) {
    lock->owner.store(0, kRelaxed);
    lock->mutex.Unlock();
  }
  return cx.NoneRef();
}

Ref RLockIsOwned(Context& cx, Value self, const Args&) { return cx.BoolRef(Mine(self.as<RLockObject>())); }

// For Condition: gives it up whatever the count, which is returned.
Ref RLockReleaseSave(Context& cx, Value self, const Args&) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  RLockObject* lock = self.as<RLockObject>();
  if (!Mine(lock)) return RaiseRuntimeError(cx, "cannot release un-acquired lock");
  const int64_t count = lock->count;
  lock->count = 0;
  lock->owner.store(0, kRelaxed);
  lock->mutex.Unlock();
  return Ref::Small(count);
}

// Comes back with the count. A signal meanwhile waits: the caller expects to hold the lock.
Ref RLockAcquireRestore(Context& cx, Value self, const Args& args) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  RLockObject* lock = self.as<RLockObject>();
  if (!lock->mutex.TryLock()) {
    BlockingScope detached(cx.ts);
    lock->mutex.Lock();
  }
  lock->owner.store(CurrentTid(), kRelaxed);
  lock->count = args[0].is_small_int() ? args[0].small_int() : 1;
  return cx.NoneRef();
}

Ref RLockRepr(Context& cx, Value self) {
  RLockObject* lock = self.as<RLockObject>();
  const bool locked = lock->mutex.IsLocked();
  char text[160];
  std::snprintf(text, sizeof text, "<%s %s object owner=%llu count=%lld at %p>", locked ? "locked" : "unlocked",
                "_thread.RLock", static_cast<unsigned long long>(locked ? lock->owner.load(kRelaxed) : 0),
                static_cast<long long>(locked && Mine(lock) ? lock->count : locked ? 1 : 0),
                static_cast<void*>(self.object()));
  return NewStr(cx, text);
}

const MethodDef kRLockMethods[] = {
    {"acquire", RLockAcquire, 0, 2, kMethodKeywords},
    {"release", RLockRelease, 0, 0},
    {"__enter__", RLockEnter, 0, 0},
    {"__exit__", RLockRelease, 0, 3},
    {"_is_owned", RLockIsOwned, 0, 0},
    {"_release_save", RLockReleaseSave, 0, 0},
    {"_acquire_restore", RLockAcquireRestore, 1, 1},
    {},
};

// ---- Event

Ref EventCreate(Context& cx, Class* cls, const Args& args) {
  if (!NoKeywords(cx, "Event", args) || !CheckArgCount(cx, "Event", args, 0, 0)) return nullptr;
  return NewInstance(cx, cls);
}

// Acquire: pairs with the release in EventSet, so that what came before set() is seen.
bool EventIsSet(const EventObject* event) { return event->flag.load(kAcquire) != 0; }

Ref EventSet(Context& cx, Value self, const Args&) {
  EventObject* event = self.as<EventObject>();
  {
    MutexLock lock(&event->mutex);
    event->flag.store(1, kRelease);  // pairs with EventIsSet
    event->times_set++;
    event->changed.Broadcast();
  }
  return cx.NoneRef();
}

Ref EventClear(Context& cx, Value self, const Args&) {
  EventObject* event = self.as<EventObject>();
  {
    MutexLock lock(&event->mutex);
    event->flag.store(0, kRelaxed);  // the mutex orders it for waiters
  }
  return cx.NoneRef();
}

Ref EventIsSetMethod(Context& cx, Value self, const Args&) { return cx.BoolRef(EventIsSet(self.as<EventObject>())); }

Ref EventWait(Context& cx, Value self, const Args& args) {
  Value v[1];
  if (!ParseArgs(cx, "wait", args, {"timeout"}, 0, v)) return nullptr;
  EventObject* event = self.as<EventObject>();
  uint64_t deadline = kNoDeadline;
  if (v[0] && v[0] != cx.None()) {
    int64_t ns;
    if (!ToNanoseconds(cx, v[0], "timeout", &ns)) return nullptr;
    deadline = DeadlineAfter(ns);
  }
  if (EventIsSet(event)) return cx.BoolRef(true);
  uint64_t before;
  {
    MutexLock lock(&event->mutex);
    if (event->flag.load(kRelaxed) != 0) return cx.BoolRef(true);
    before = event->times_set;
  }
  const int got = Block(cx, deadline, [&](uint64_t until) {
    MutexLock lock(&event->mutex);
    while (event->times_set == before) {
      if (!event->changed.WaitUntil(&event->mutex, until)) break;
    }
    return event->times_set != before;
  });
  if (got < 0) return nullptr;
  return cx.BoolRef(got);
}

Ref EventRepr(Context& cx, Value self) {
  char text[96];
  std::snprintf(text, sizeof text, "<threading.Event at %p: %s>", static_cast<void*>(self.object()),
                EventIsSet(self.as<EventObject>()) ? "set" : "unset");
  return NewStr(cx, text);
}

const MethodDef kEventMethods[] = {
    {"set", EventSet, 0, 0},
    {"clear", EventClear, 0, 0},
    {"is_set", EventIsSetMethod, 0, 0},
    {"isSet", EventIsSetMethod, 0, 0},
    {"wait", EventWait, 0, 1, kMethodKeywords},
    {},
};

// ---- _ThreadHandle

void DropHandleState(HandleState* state) {
  // acq_rel: the last one sees what the others wrote before it frees.
  if (state->refs.fetch_sub(1, kAcqRel) == 1) std::free(state);
}

// The state, made on first use. Null: no memory, MemoryError is pending.
HandleState* EnsureHandleState(Context& cx, HandleObject* handle) {
  HandleState* state = handle->state.load(kAcquire);  // pairs with the exchange below
  if (state != nullptr) return state;
  HandleState* made = static_cast<HandleState*>(std::calloc(1, sizeof(HandleState)));
  if (made == nullptr) {
    RaiseMemoryError(cx);
    return nullptr;
  }
  made->refs.store(1, kRelaxed);  // not shared yet
  // acq_rel: publishes what was made; if another thread was first, sees what that made.
  if (handle->state.compare_exchange_strong(state, made, kAcqRel, kAcquire)) return made;
  std::free(made);
  return state;
}

Ref HandleCreate(Context& cx, Class* cls, const Args& args) {
  if (!NoKeywords(cx, "_ThreadHandle", args) || !CheckArgCount(cx, "_ThreadHandle", args, 0, 0)) return nullptr;
  return NewInstance(cx, cls);
}

void HandleDestroy(Context&, Object* obj) {
  // Relaxed: nobody else has the object any more.
  HandleState* state = static_cast<HandleObject*>(obj)->state.load(kRelaxed);
  if (state != nullptr) DropHandleState(state);
}

Ref HandleJoin(Context& cx, Value self, const Args& args) {
  HandleState* state = EnsureHandleState(cx, self.as<HandleObject>());
  if (state == nullptr) return nullptr;
  uint64_t deadline = kNoDeadline;
  if (args.size() == 1 && args[0] != cx.None()) {
    int64_t ns;
    if (!ToNanoseconds(cx, args[0], "timeout", &ns)) return nullptr;
    deadline = DeadlineAfter(ns);
  }
  if (!state->done.IsSet() &&
      Block(cx, deadline, [&](uint64_t until) { return state->done.WaitUntil(until); }) < 0) {
    return nullptr;
  }
  AloneAgain(cx);
  return cx.NoneRef();
}

Ref HandleIsDone(Context& cx, Value self, const Args&) {
  HandleState* state = self.as<HandleObject>()->state.load(kAcquire);  // pairs with EnsureHandleState
  return cx.BoolRef(state != nullptr && state->done.IsSet());
}

const MethodDef kHandleMethods[] = {
    {"join", HandleJoin, 0, 1},
    {"is_done", HandleIsDone, 0, 0},
    {},
};

// Nobody may take an exception that escapes from a thread's target.
void ReportThreadException(Context& cx, Ref exception) {
  if (!exception) return;
  if (IsInstance(cx, exception, cx.rt.exc.SystemExit)) return;
  std::fputs("Exception in thread:\n", stderr);
  PrintException(cx, exception);
}

void LeaveLocals(Context& cx);

void HandleThreadDone(Context& cx, void*, Ref exception) {
  ReportThreadException(cx, std::move(exception));
  LeaveLocals(cx);
}

void HandleThreadLeft(void* arg) {
  HandleState* state = static_cast<HandleState*>(arg);
  if (state == nullptr) return;
  state->done.Set();
  DropHandleState(state);
}

Ref StartThread(Context& cx, Value function, Value args, Value kwargs, HandleState* state) {
  ThreadStart start;
  start.target = Ref::New(function);
  start.args = args ? Ref::New(args) : Ref::New(cx.rt.empty_tuple);
  if (kwargs) start.kwargs = Ref::New(kwargs);
  start.done = HandleThreadDone;
  start.left = HandleThreadLeft;
  start.arg = state;
  // The thread's own reference.
  if (state != nullptr) state->refs.fetch_add(1, kRelaxed);
  if (!SpawnThread(cx, std::move(start))) {
    if (state != nullptr) DropHandleState(state);
    return nullptr;
  }
  return cx.NoneRef();
}

Ref StartJoinable(Context& cx, Value, const Args& args) {
  if (!IsExact(args[1], State(cx).handle)) return RaiseTypeError(cx, "handle must be a _ThreadHandle");
  HandleObject* handle = args[1].as<HandleObject>();
  HandleState* state = EnsureHandleState(cx, handle);
  if (state == nullptr) return nullptr;
  // Relaxed: only says who was first.
  if (handle->started.exchange(1, kRelaxed) != 0) return RaiseRuntimeError(cx, "thread already started");
  Ref r = StartThread(cx, args[0], Value(), Value(), state);
  if (!r) handle->started.store(0, kRelaxed);
  return r;
}

Ref StartNewThread(Context& cx, Value, const Args& args) {
  if (!IsCallable(cx, args[0])) return RaiseTypeError(cx, "first arg must be callable");
  if (!Is<Tuple>(args[1])) return RaiseTypeError(cx, "2nd arg must be a tuple");
  if (args.size() == 3 && !Is<Dict>(args[2])) return RaiseTypeError(cx, "optional 3rd arg must be a dictionary");
  if (!StartThread(cx, args[0], args[1], args.Get(2), nullptr)) return nullptr;
  return Ref::Small(0);
}

// ---- _local

Dict* LocalDicts(LocalObject* local) { return PeekSlot(local->dicts).as<Dict>(); }

Value ThreadKey(Context& cx) { return Value::Small(static_cast<int64_t>(cx.ts->serial())); }

void LinkLocal(Context& cx, LocalObject* local) {
  ThreadModuleState& state = State(cx);
  MutexLock lock(&state.locals_mutex);
  local->prev = nullptr;
  local->next = state.locals;
  if (state.locals != nullptr) state.locals->prev = local;
  state.locals = local;
}

void UnlinkLocal(Context& cx, LocalObject* local) {
  ThreadModuleState& state = State(cx);
  MutexLock lock(&state.locals_mutex);
  if (local->prev == nullptr && local->next == nullptr && state.locals != local) return;
  (local->prev != nullptr ? local->prev->next : state.locals) = local->next;
  if (local->next != nullptr) local->next->prev = local->prev;
  local->prev = local->next = nullptr;
}

Ref LocalCreate(Context& cx, Class* cls, const Args& args) {
  Ref dicts = NewDict(cx);
  if (!dicts) return nullptr;
  Ref init;
  if (args.npos > 0 || args.nkw > 0) {
    // Kept for __init__ on the other threads.
    Ref positional = NewTuple(cx, args.pos, args.npos);
    if (!positional) return nullptr;
    Ref keywords = NewDict(cx);
    if (!keywords) return nullptr;
    for (size_t i = 0; i < args.nkw; i++) {
      if (!DictSet(cx, keywords.as<Dict>(), args.KwName(i), args.kwvals[i])) return nullptr;
    }
    Value pair[] = {positional, keywords};
    init = NewTuple(cx, pair, 2);
    if (!init) return nullptr;
  }
  Ref r = NewInstance(cx, cls);
  if (!r) return nullptr;
  LocalObject* local = r.as<LocalObject>();
  // The making thread gets its dict now; its __init__ is run by the call that makes the object.
  Ref own = NewDict(cx);
  if (!own || !DictSet(cx, dicts.as<Dict>(), ThreadKey(cx), own)) return nullptr;
  InitSlot(local->dicts, std::move(dicts));
  InitSlot(local->init, std::move(init));
  // So that a thread that ends can take a reference to an object of another thread (LeaveLocals).
  SetMaybeWeakref(local);
  LinkLocal(cx, local);
  return r;
}

bool LocalInit(Context& cx, Value self, const Args& args) {
  if ((args.npos > 0 || args.nkw > 0) && ClassOf(self.object()) == State(cx).local) {
    return RaiseTypeError(cx, "Initialization arguments are not supported"), false;
  }
  return true;
}

// The calling thread's dict; made, and __init__ run, at the thread's first access.
Ref LocalDict(Context& cx, Value self) {
  LocalObject* local = self.as<LocalObject>();
  Ref dict;
  const int found = DictGet(cx, LocalDicts(local), ThreadKey(cx), &dict);
  if (found < 0) return nullptr;
  if (found > 0) return dict;
  dict = NewDict(cx);
  if (!dict || !DictSet(cx, LocalDicts(local), ThreadKey(cx), dict)) return nullptr;
  if (ClassOf(self.object()) != State(cx).local) {
    Ref init = GetAttr(cx, self, "__init__");
    if (!init) return nullptr;
    Value saved = PeekSlot(local->init);
    Ref done = saved ? CallWithTuple(cx, init, saved.as<Tuple>()->Get(0), saved.as<Tuple>()->Get(1))
                     : Call(cx, init);
    if (!done) {
      DictDelete(cx, LocalDicts(local), ThreadKey(cx));
      return nullptr;
    }
  }
  return dict;
}

Ref LocalGetAttr(Context& cx, Value self, Str* name) {
  Ref dict = LocalDict(cx, self);
  if (!dict) return nullptr;
  if (name == cx.rt.names.dict) return dict;
  Ref found = LookupInMro(cx, ClassOf(self.object()), name);
  if (cx.has_exception()) return nullptr;
  if (!found) {
    // Only the thread's own attributes can have it.
    Ref value;
    const int got = DictGet(cx, dict.as<Dict>(), name, &value);
    if (got < 0) return nullptr;
    if (got > 0) return value;
    return GenericGetAttr(cx, self, name);
  }
  // Instance attributes win over all but data descriptors.
  Class* kind = ClassOf(cx, found);
  if (kind->slots.descr_set == nullptr) {
    Ref value;
    const int got = DictGet(cx, dict.as<Dict>(), name, &value);
    if (got < 0) return nullptr;
    if (got > 0) return value;
  }
  return GenericGetAttr(cx, self, name);
}

bool LocalSetAttr(Context& cx, Value self, Str* name, Value value) {
  Ref dict = LocalDict(cx, self);
  if (!dict) return false;
  if (name == cx.rt.names.dict) {
    RaiseObject(cx, cx.rt.exc.AttributeError);
    return false;
  }
  Ref found = LookupInMro(cx, ClassOf(self.object()), name);
  if (cx.has_exception()) return false;
  if (found) {
    Class* kind = ClassOf(cx, found);
    if (kind->slots.descr_set != nullptr) return kind->slots.descr_set(cx, found, self, value);
  }
  if (value) return DictSet(cx, dict.as<Dict>(), name, value);
  const int gone = DictDelete(cx, dict.as<Dict>(), name);
  if (gone == 0) RaiseAttributeError(cx, self, name);
  return gone > 0;
}

void LocalTraverse(Object* obj, SlotVisitor& visitor) {
  LocalObject* local = static_cast<LocalObject*>(obj);
  visitor.Visit(local->dicts);
  visitor.Visit(local->init);
}

void LocalClear(Context& cx, Object* obj) {
  LocalObject* local = static_cast<LocalObject*>(obj);
  Value dicts = PeekSlot(local->dicts);
  if (dicts) DictClear(cx, dicts.as<Dict>());
}

void LocalDestroy(Context& cx, Object* obj) {
  LocalObject* local = static_cast<LocalObject*>(obj);
  UnlinkLocal(cx, local);
  Ref init = ExchangeSlotLocked(local->init, nullptr);
  Ref dicts = ExchangeSlotLocked(local->dicts, nullptr);
}

// A thread ends: its attributes die with it.
void LeaveLocals(Context& cx) {
  ThreadModuleState& state = State(cx);
  const Value key = ThreadKey(cx);
  // Collect the objects first, then delete from each without the lock.
  size_t count = 0;
  {
    MutexLock lock(&state.locals_mutex);
    for (LocalObject* local = state.locals; local != nullptr; local = local->next) count++;
  }
  if (count == 0) return;
  Value* all = static_cast<Value*>(std::malloc(count * sizeof(Value)));
  if (all == nullptr) return;  // they die with their _local
  size_t n = 0;
  {
    MutexLock lock(&state.locals_mutex);
    for (LocalObject* local = state.locals; local != nullptr && n < count; local = local->next) {
      if (TryIncref(local)) all[n++] = local;
    }
  }
  for (size_t i = 0; i < n; i++) {
    Ref local = Ref::Steal(all[i]);
    Value dicts = PeekSlot(local.as<LocalObject>()->dicts);
    if (dicts) {
      PendingScope pending(cx);
      if (DictDelete(cx, dicts.as<Dict>(), key) < 0) cx.ClearException();
    }
  }
  std::free(all);
}

// ---- functions

Ref AllocateLock(Context& cx, Value, const Args&) { return NewLock(cx); }

Ref GetIdent(Context& cx, Value, const Args&) { return NewInt(cx, static_cast<int64_t>(CurrentTid())); }

Ref GetNativeId(Context&, Value, const Args&) { return Ref::Small(static_cast<int64_t>(syscall(SYS_gettid))); }

Ref CountThreads(Context& cx, Value, const Args&) { return Ref::Small(RunningThreads(cx.rt)); }

// _report(text, exception): a line and a traceback on stderr.
Ref Report(Context& cx, Value, const Args& args) {
  const std::string text = Text(cx, args[0]) + FormatException(cx, args[1]);
  FlushStandardStreams(cx);
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
  return cx.NoneRef();
}

// _at_exit(function): called when all threads have been joined, newest first.
Ref AtExit(Context& cx, Value, const Args& args) {
  if (!ListAppend(cx, State(cx).exit_functions.as<List>(), args[0])) return nullptr;
  return cx.NoneRef();
}

void RunExitFunctions(Context& cx) {
  List* functions = State(cx).exit_functions.as<List>();
  while (ListSize(functions) > 0) {
    const int64_t last = static_cast<int64_t>(ListSize(functions)) - 1;
    Ref function = ListGet(cx, functions, last);
    Ref index = Ref::Small(last);
    if (!function || !DelItem(cx, functions, index)) return cx.ClearException();
    Ref done = Call(cx, function);
    if (!done) WriteUnraisable(cx, function);
  }
}

// Joins the threads of the threading module, if it was imported.
void JoinThreads(Context& cx) {
  Ref name = NewStr(cx, "threading");
  if (!name) return cx.ClearException();
  Ref module;
  if (DictGet(cx, cx.rt.modules, name, &module) <= 0) return cx.ClearException();
  Ref function = GetAttr(cx, module, "_shutdown");
  Ref done = function ? Call(cx, function) : Ref();
  if (!done) WriteUnraisable(cx, module, "threading._shutdown");
}

void ShutDown(Context& cx) {
  JoinThreads(cx);
  RunExitFunctions(cx);
}

// _hand_over(object): another thread will have it, and drop it. Its counts are merged, so that the last drop destroys it
// at once wherever that happens, and need not go through this thread's queue.
Ref HandOver(Context& cx, Value, const Args& args) {
  if (args[0].is_object()) Disown(args[0].object());
  return cx.NoneRef();
}

Ref StackSize(Context&, Value, const Args&) { return Ref::Small(0); }

const MethodDef kFunctions[] = {
    {"allocate_lock", AllocateLock, 0, 0},
    {"allocate", AllocateLock, 0, 0},
    {"get_ident", GetIdent, 0, 0},
    {"get_native_id", GetNativeId, 0, 0},
    {"start_new_thread", StartNewThread, 2, 3},
    {"start_joinable_thread", StartJoinable, 2, 3},
    {"stack_size", StackSize, 0, 1},
    {"_hand_over", HandOver, 1, 1},
    {"_count", CountThreads, 0, 0},
    {"_report", Report, 2, 2},
    {"_at_exit", AtExit, 1, 1},
    {},
};

bool InitThreadModule(Context& cx, Module* module) {
  ThreadModuleState& state = State(cx);

  static const NativeType lock_type = [] {
    NativeType t;
    t.name = "lock";
    t.module = "_thread";
    t.full_name = "_thread.lock";
    t.size = sizeof(PlainLock);
    t.flags = kTypeWeakrefs;
    t.slots.repr = LockRepr;
    t.methods = kLockMethods;
    return t;
  }();
  static const NativeType rlock_type = [] {
    NativeType t;
    t.name = "RLock";
    t.module = "_thread";
    t.full_name = "_thread.RLock";
    t.size = sizeof(RLockObject);
    t.flags = kTypeWeakrefs | kTypeSubclassable;
    t.slots.repr = RLockRepr;
    t.slots.create = RLockCreate;
    t.methods = kRLockMethods;
    return t;
  }();
  static const NativeType event_type = [] {
    NativeType t;
    t.name = "Event";
    t.module = "threading";
    t.size = sizeof(EventObject);
    t.flags = kTypeWeakrefs | kTypeSubclassable;
    t.slots.repr = EventRepr;
    t.slots.create = EventCreate;
    t.methods = kEventMethods;
    return t;
  }();
  static const NativeType handle_type = [] {
    NativeType t;
    t.name = "_ThreadHandle";
    t.module = "_thread";
    t.full_name = "_thread._ThreadHandle";
    t.size = sizeof(HandleObject);
    t.slots.create = HandleCreate;
    t.methods = kHandleMethods;
    t.destroy = HandleDestroy;
    return t;
  }();
  static const NativeType local_type = [] {
    NativeType t;
    t.name = "_local";
    t.module = "_thread";
    t.full_name = "_thread._local";
    t.size = sizeof(LocalObject);
    t.flags = kTypeWeakrefs | kTypeSubclassable | kTypeHasRefs;
    t.slots.create = LocalCreate;
    t.slots.init = LocalInit;
    t.slots.getattr = LocalGetAttr;
    t.slots.setattr = LocalSetAttr;
    t.traverse = LocalTraverse;
    t.clear = LocalClear;
    t.destroy = LocalDestroy;
    return t;
  }();
  Ref functions = NewList(cx, nullptr, 0);
  if (!functions) return false;
  state.exit_functions = functions;
  if (!AddToModule(cx, module, "_exit_functions", std::move(functions))) return false;
  state.lock = DefineType(cx, lock_type);
  state.rlock = DefineType(cx, rlock_type);
  state.event = DefineType(cx, event_type);
  state.handle = DefineType(cx, handle_type);
  state.local = DefineType(cx, local_type);
  if (!state.lock || !state.rlock || !state.event || !state.handle || !state.local) return false;
  cx.rt.AtExit(ShutDown);
  return AddToModule(cx, module, "LockType", state.lock) && AddToModule(cx, module, "lock", state.lock) &&
         AddToModule(cx, module, "RLock", state.rlock) && AddToModule(cx, module, "Event", state.event) &&
         AddToModule(cx, module, "_ThreadHandle", state.handle) && AddToModule(cx, module, "_local", state.local) &&
         AddToModule(cx, module, "error", cx.rt.exc.RuntimeError) &&
         AddToModule(cx, module, "TIMEOUT_MAX", NewFloat(cx, 9223372036.0));
}

}  // namespace

const ModuleDef kThreadModule = {"_thread", kFunctions, InitThreadModule};

}  // namespace tidepool::rt
