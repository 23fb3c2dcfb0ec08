// Generators and coroutines.  See generator.h.
#include "tidepool/runtime/vm/generator.h"

#include <cstdio>
#include <cstring>

#include "tidepool/object/object_mutex.h"
#include "tidepool/object/weakref.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/exception.h"
#include "tidepool/runtime/vm/interp_ops.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

struct CoroutineState {
  Class* wrapper;
  Class* async_generator;
};

bool IsCoroutine(Context& cx, const Generator* g) { return g->type() == &cx.rt.cls.coroutine->info; }
const char* KindOf(Context& cx, const Generator* g) {
  return IsCoroutine(cx, g) ? "coroutine" : IsAsyncGenerator(g) ? "async generator" : "generator";
}

// With the generator in state running (or unreachable): drops slots, stack and the rest.
void DropFrame(Context& cx, Generator* g) {
  Frame* f = &g->frame;
  while (f->sp > f->stack) {
    const Value v = *--f->sp;
    DecrefValue(cx.ts, v);
  }
  if (f->object != nullptr) ReleaseFrameObject(cx, f);
  for (uint32_t i = 0; i < g->code->num_slots; i++) {
    const Value v = f->slots[i];
    f->slots[i] = Value();
    DecrefValue(cx.ts, v);
  }
  Function* func = f->func;
  f->func = nullptr;
  if (func != nullptr) Decref(cx.ts, func);
  const Value handled = g->exc_info.value;
  g->exc_info.value = Value();
  DecrefValue(cx.ts, handled);
}

// Takes the right to run it; false: ValueError pending, or (finished) nothing pending.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool Enter(Context& cx, Generator* g, GenState* was) {
  GenState s = g->state.load(kRelaxed);
  if (cx.ts->alone() && (s == GenState::kCreated || s == GenState::kSuspended)) {
    g->state.store(GenState::kRunning, kRelaxed);  // nobody to race with
    *was = s;
    return true;
  }
  for (;;) {
    if (s == GenState::kFinished) {
      *was = s;
      return false;
    }
    if (s == GenState::kRunning) {
      *was = s;
      RaiseValueError(cx, "%s already executing", KindOf(cx, g));
      return false;
    }
    // Acquire: pairs with the release of the thread that ran it last.
    if (g->state.compare_exchange_weak(s, GenState::kRunning, kAcquire, kRelaxed)) {
      *was = s;
      return true;
    }
  }
}

// Makes the generator's frame the current one.  The state is running.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline void LinkFrame(Context& cx, Generator* g) {
  Frame* f = &g->frame;
  f->prev = cx.frame;
  f->saved_top = cx.stack_top;
  cx.frame = f;
  cx.recursion_depth++;
  g->exc_info.prev = cx.exc_info;
  cx.exc_info = &g->exc_info;
  Incref(g);  // it may lose its last reference while it runs
}

// Undoes it; the frame has yielded, or is finished.  True if it is finished.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline bool UnlinkFrame(Context& cx, Generator* g) {
  Frame* f = &g->frame;
  cx.exc_info = g->exc_info.prev;
  cx.frame = f->prev;
  cx.stack_top = f->saved_top;
  cx.recursion_depth--;
  if (g->state.load(kRelaxed) == GenState::kFinished) return true;
  g->state.store(GenState::kSuspended, kRelease);  // pairs with Enter's acquire
  return false;
}

// PEP 479: a pending StopIteration that leaves a generator, or a StopAsyncIteration that leaves an asynchronous one.
void ConvertStopIteration(Context& cx, const Generator* g) {
  const bool async = IsAsyncGenerator(g) && PendingIs(cx, cx.rt.exc.StopAsyncIteration);
  if (!async && !PendingIs(cx, cx.rt.exc.StopIteration)) return;
  Ref cause = cx.TakeException();
  RaiseRuntimeError(cx, "%s raised %s", KindOf(cx, g), async ? "StopAsyncIteration" : "StopIteration");
  ChainCause(cx, std::move(cause));
}

// Runs the frame from where it is.  The state is running.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline Ref Run(Context& cx, Generator* g, bool throwing, Ref* result, ItemSink* sink = nullptr) {
  LinkFrame(cx, g);
  if (sink != nullptr) {
    g->sink = sink;
    g->frame.flags |= kFrameSink;
  }
  Ref v;
  if (!CheckNativeStack(cx) || cx.recursion_depth > cx.rt.options.recursion_limit) {
    if (!cx.has_exception()) Raise(cx, cx.rt.exc.RecursionError, "maximum recursion depth exceeded");
    throwing = true;
  }
  // What is thrown in happens during the handling of what the generator handles.
  if (throwing && !g->exc_info.value.is_null() && Is<Exception>(cx.exception())) ChainContext(cx, cx.exception().as<Exception>());
  v = Interpret(cx, throwing);
  if (sink != nullptr) g->frame.flags &= ~kFrameSink;  // before others may run it
  if (UnlinkFrame(cx, g)) {
    if (v) {
      *result = std::move(v);
      v = Ref();
    } else {
      ConvertStopIteration(cx, g);
    }
  }
  Decref(cx.ts, g);
  return v;
}

// The iterator that a suspended generator delegates to, or null.
Value Delegate(const Generator* g) { return InsideYieldFrom(g) ? g->frame.sp[-1] : Value(); }

}  // namespace

bool InsideYieldFrom(const Generator* g) {
  return g->frame.pc != nullptr && lang::OpOf(*g->frame.pc) == lang::Op::kYieldFrom;
}

Ref MakeGenerator(Context& cx, Frame* f) {
  Code* code = f->code;
  const size_t values = code->num_slots + code->stack_size;
  const bool coroutine = (code->flags & lang::kCoroutine) != 0;
  Class* cls = coroutine ? cx.rt.cls.coroutine : (code->flags & lang::kAsyncGenerator) != 0 ? cx.rt.State<CoroutineState>().async_generator : cx.rt.cls.generator;
  Ref r = NewInstance(cx, cls, values * sizeof(Value));
  cx.frame = f->prev;
  cx.stack_top = f->saved_top;
  cx.recursion_depth--;
  if (!r) {
    for (uint32_t i = 0; i < code->num_slots; i++) DecrefValue(cx.ts, f->slots[i]);
    Decref(cx.ts, f->func);
    return Ref();
  }
  Generator* g = r.as<Generator>();
  g->state.store(GenState::kCreated, kRelaxed);
  g->code = code;
  g->awaitable = coroutine || f->func->awaitable_generator.load(kRelaxed) != 0;
  Frame& to = g->frame;
  to = *f;
  to.prev = nullptr;
  to.slots = g->values;
  to.stack = to.sp = g->values + code->num_slots;
  to.flags = kFrameEntry;
  to.generator = g;
  std::memcpy(static_cast<void*>(to.slots), static_cast<void*>(f->slots), code->num_slots * sizeof(Value));
  InitSlot(g->name, LoadSlot(f->func, f->func->name));
  InitSlot(g->qualname, LoadSlot(f->func, f->func->qualname));
  TrackNew(g);
  return r;
}

GeneratorHold::GeneratorHold(Context& cx, Generator* g) : g_(g), ok_(Enter(cx, g, &was_)) {
  if (!ok_ && was_ == GenState::kRunning) cx.ClearException();
}
GeneratorHold::~GeneratorHold() {
  if (ok_) g_->state.store(was_, kRelease);  // pairs with Enter's acquire
}

void FinishGenerator(Context& cx, Generator* g) {
  DropFrame(cx, g);
  g->state.store(GenState::kFinished, kRelease);  // pairs with Enter's acquire
}

Ref GeneratorSend(Context& cx, Generator* g, Value value, Ref* result, ItemSink* sink) {
  GenState was;
  if (!Enter(cx, g, &was)) {
    if (was != GenState::kFinished) return Ref();
    if (IsCoroutine(cx, g)) return RaiseRuntimeError(cx, "cannot reuse already awaited coroutine");
    *result = cx.NoneRef();
    return Ref();
  }
  Frame* f = &g->frame;
  if (was == GenState::kCreated) {
    if (!value.is_null() && value != cx.None()) {
      g->state.store(GenState::kCreated, kRelease);
      return RaiseTypeError(cx, "can't send non-None value to a just-started %s", KindOf(cx, g));
    }
  } else {
    if (!InsideYieldFrom(g)) f->pc++;  // behind YIELD_VALUE
    *f->sp++ = value.is_null() ? cx.None() : Ref::New(value).release();
  }
  return Run(cx, g, false, result, sink);
}

bool EnterForIter(Context& cx, Generator* g) {
  const GenState s = g->state.load(kRelaxed);
  GenState was;
  if ((s != GenState::kCreated && s != GenState::kSuspended) || cx.recursion_depth >= cx.rt.options.recursion_limit) return false;
  if (!Enter(cx, g, &was)) {
    cx.ClearException();  // another thread was faster; it is found again by GeneratorSend
    return false;
  }
  Frame* f = &g->frame;
  if (was == GenState::kSuspended) {
    if (!InsideYieldFrom(g)) f->pc++;  // behind YIELD_VALUE
    *f->sp++ = cx.None();
  }
  LinkFrame(cx, g);
  f->flags = kFrameForIter;
  return true;
}

void LeaveForIter(Context& cx, Generator* g) {
  g->frame.flags = kFrameEntry;
  if (UnlinkFrame(cx, g) && cx.has_exception()) ConvertStopIteration(cx, g);
  Decref(cx.ts, g);
}

Ref GeneratorThrow(Context& cx, Generator* g, Ref* result, bool close_inner) {
  Ref exc = cx.TakeException();
  GenState was;
  if (!Enter(cx, g, &was)) {
    if (was != GenState::kFinished) return Ref();
    if (IsCoroutine(cx, g)) return RaiseRuntimeError(cx, "cannot reuse already awaited coroutine");
    cx.SetException(std::move(exc));
    return Ref();
  }
  if (was == GenState::kCreated) {
    // Raised at the first line, without running anything.
    cx.SetException(std::move(exc));
    AddTraceback(cx, &g->frame);
    PendingScope pending(cx);
    FinishGenerator(cx, g);
    return Ref();
  }
  Value inner = Delegate(g);
  if (!inner.is_null()) {
    Ref hold = Ref::New(inner);
    Ref r, inner_result;
    if (close_inner && IsInstance(cx, exc, cx.rt.exc.GeneratorExit)) {
      // The inner one is closed, then the exception is raised here.
      bool ok = true;
      if (Generator* ig = As<Generator>(inner)) {
        ok = GeneratorClose(cx, ig);
      } else {
        Ref close = GetAttrOptional(cx, inner, cx.rt.names.close);
        ok = !cx.has_exception();
        if (close) ok = static_cast<bool>(Call(cx, close));
      }
      if (ok) cx.SetException(std::move(exc));
      return Run(cx, g, true, result);
    }
    if (Generator* ig = As<Generator>(inner)) {
      cx.SetException(std::move(exc));
      r = GeneratorThrow(cx, ig, &inner_result, close_inner);
    } else {
      Ref throw_fn = GetAttrOptional(cx, inner, cx.rt.names.throw_);
      if (cx.has_exception()) return Run(cx, g, true, result);
      if (!throw_fn) {
        cx.SetException(std::move(exc));
        return Run(cx, g, true, result);
      }
      r = Call(cx, throw_fn, exc);
      if (!r && PendingIs(cx, cx.rt.exc.StopIteration)) {
        Ref e = cx.TakeException();
        Ref args = LoadSlot(e.as<Exception>(), e.as<Exception>()->args);
        inner_result = args.as<Tuple>()->length > 0 ? Ref::New(args.as<Tuple>()->items[0]) : cx.NoneRef();
      }
    }
    if (r) {
      g->state.store(GenState::kSuspended, kRelease);
      return r;
    }
    if (cx.has_exception()) return Run(cx, g, true, result);
    // The inner one is done: its value is the value of the `yield from`.
    Frame* f = &g->frame;
    const Value it = f->sp[-1];
    f->sp[-1] = inner_result.release();
    DecrefValue(cx.ts, it);
    f->pc++;
    return Run(cx, g, false, result);
  }
  cx.SetException(std::move(exc));
  return Run(cx, g, true, result);
}

bool GeneratorClose(Context& cx, Generator* g) {
  GenState s = g->state.load(kAcquire);
  if (s == GenState::kFinished) return true;
  if (s == GenState::kCreated) {
    if (!Enter(cx, g, &s)) return s == GenState::kFinished;
    FinishGenerator(cx, g);
    return true;
  }
  Ref e = NewException(cx, cx.rt.exc.GeneratorExit, nullptr, 0);
  if (!e) return false;
  cx.SetException(std::move(e));
  Ref result;
  Ref v = GeneratorThrow(cx, g, &result);
  if (v) return RaiseRuntimeError(cx, "%s ignored GeneratorExit", KindOf(cx, g)), false;
  if (cx.has_exception()) return ClearIf(cx, cx.rt.exc.GeneratorExit) || ClearIf(cx, cx.rt.exc.StopIteration);
  return true;
}

namespace {

void VisitGenerator(Object* o, SlotVisitor& v) {
  Generator* g = static_cast<Generator*>(o);
  v.Visit(g->name);
  v.Visit(g->qualname);
  const GenState s = g->state.load(kRelaxed);
  // A running one belongs to a thread: what it holds counts as held from outside.
  if (s != GenState::kCreated && s != GenState::kSuspended) return;
  const Frame& f = g->frame;
  for (uint32_t i = 0; i < g->code->num_slots; i++) v.Visit(f.slots[i]);
  for (Value* p = f.stack; p < f.sp; p++) v.Visit(*p);
  v.Visit(Value(f.func));
  v.Visit(g->exc_info.value);
  if (f.object != nullptr) v.Visit(Value(f.object));
}

void ClearGenerator(Context& cx, Object* o) {
  Generator* g = static_cast<Generator*>(o);
  GenState was;
  if (Enter(cx, g, &was)) {
    FinishGenerator(cx, g);
  } else if (was == GenState::kRunning) {
    cx.ClearException();
  }
}

// At death: a suspended one is closed, so that its finally blocks run.
void FinalizeGenerator(Context& cx, Object* o) {
  Generator* g = static_cast<Generator*>(o);
  if (g->state.load(kAcquire) != GenState::kSuspended) return;
  if (!GeneratorClose(cx, g)) WriteUnraisable(cx, Value(o));
}

void DestroyGenerator(Context& cx, Object* o) {
  Generator* g = static_cast<Generator*>(o);
  if (g->state.load(kRelaxed) != GenState::kFinished && g->code != nullptr) {
    DropFrame(cx, g);
    g->state.store(GenState::kFinished, kRelaxed);
  }
  DecrefValue(cx.ts, PeekSlot(g->name));
  DecrefValue(cx.ts, PeekSlot(g->qualname));
}

Ref GeneratorIter(Context&, Value self) { return Ref::New(self); }

// A return value other than None travels in a pending StopIteration.
Ref Finish(Context& cx, Ref v, Ref result) {
  if (v || cx.has_exception()) return v;
  if (result && result.get() != cx.None()) {
    Ref e = NewException(cx, cx.rt.exc.StopIteration, nullptr, 0);
    if (!e) return Ref();
    Ref args = Pack(cx, result);
    if (!args) return Ref();
    StoreSlot(e.as<Exception>(), e.as<Exception>()->args, std::move(args));
    cx.SetException(std::move(e));
  }
  return Ref();
}
Ref GeneratorNext(Context& cx, Value self) {
  Ref result;
  Ref v = GeneratorSend(cx, self.as<Generator>(), Value(), &result);
  if (ABSL_PREDICT_TRUE(!v.is_null())) return v;
  return Finish(cx, std::move(v), std::move(result));
}
// For methods: exhaustion is a StopIteration.
Ref Stop(Context& cx, Ref v, Ref result) {
  v = Finish(cx, std::move(v), std::move(result));
  if (!v && !cx.has_exception()) return RaiseStopIteration(cx, Value());
  return v;
}
Ref MethodSend(Context& cx, Value self, const Args& args) {
  Ref result;
  Ref v = GeneratorSend(cx, self.as<Generator>(), args[0], &result);
  return Stop(cx, std::move(v), std::move(result));
}
}  // namespace

bool RaiseThrown(Context& cx, const Args& args) {
  Value exc = args[0];
  Ref made;
  if (IsClass(exc) && args.npos > 1 && args[1] != cx.None()) {
    if (Is<Exception>(args[1])) {
      exc = args[1];
    } else {
      made = Call(cx, exc, args[1]);
      if (!made) return false;
      exc = made;
    }
  }
  if (!Is<Exception>(exc) && !(IsClass(exc) && IsSubclass(exc.as<Class>(), cx.rt.exc.BaseException))) {
    RaiseTypeError(cx, "exceptions must be classes or instances deriving from BaseException, not %s", ClassName(cx, exc));
    return false;
  }
  RaiseObject(cx, exc);
  return true;
}

namespace {

Ref MethodThrow(Context& cx, Value self, const Args& args) {
  if (!RaiseThrown(cx, args)) return Ref();
  Ref result;
  Ref v = GeneratorThrow(cx, self.as<Generator>(), &result);
  return Stop(cx, std::move(v), std::move(result));
}
Ref MethodClose(Context& cx, Value self, const Args&) { return GeneratorClose(cx, self.as<Generator>()) ? cx.NoneRef() : Ref(); }
const MethodDef kMethods[] = {{"send", MethodSend, 1, 1}, {"throw", MethodThrow, 1, 3}, {"close", MethodClose, 0, 0}, {}};

Ref GeneratorRepr(Context& cx, Value self) {
  Ref q = LoadSlot(self.object(), self.as<Generator>()->qualname);
  char b[40];
  snprintf(b, sizeof b, " at 0x%012lx>", static_cast<unsigned long>(self.bits()));
  return NewStr(cx, std::string("<") + ClassName(cx, self) + " object " + ToUtf8(q.as<Str>()) + b);
}
Ref GetName(Context&, Value self) { return LoadSlot(self.object(), self.as<Generator>()->name); }
bool SetName(Context& cx, Value self, Value v) {
  if (v.is_null() || !IsStr(v)) return RaiseTypeError(cx, "__name__ must be set to a string object"), false;
  StoreSlot(self.object(), self.as<Generator>()->name, Ref::New(v));
  return true;
}
Ref GetQualname(Context&, Value self) { return LoadSlot(self.object(), self.as<Generator>()->qualname); }
bool SetQualname(Context& cx, Value self, Value v) {
  if (v.is_null() || !IsStr(v)) return RaiseTypeError(cx, "__qualname__ must be set to a string object"), false;
  StoreSlot(self.object(), self.as<Generator>()->qualname, Ref::New(v));
  return true;
}
Ref GetRunning(Context& cx, Value self) { return cx.BoolRef(self.as<Generator>()->state.load(kRelaxed) == GenState::kRunning); }
Ref GetSuspended(Context& cx, Value self) { return cx.BoolRef(self.as<Generator>()->state.load(kRelaxed) == GenState::kSuspended); }
Ref GetCode(Context&, Value self) { return Ref::New(self.as<Generator>()->code); }
Ref GetFrame(Context& cx, Value self) {
  Generator* g = self.as<Generator>();
  GeneratorHold hold(cx, g);
  if (!hold.ok()) return cx.NoneRef();
  FrameObject* o = GetFrameObject(cx, &g->frame);
  return o == nullptr ? Ref() : Ref::New(o);
}
Ref GetYieldFrom(Context& cx, Value self) {
  Generator* g = self.as<Generator>();
  GenState was;
  if (!Enter(cx, g, &was)) {
    if (was == GenState::kRunning) cx.ClearException();
    return cx.NoneRef();
  }
  Value d = was == GenState::kSuspended ? Delegate(g) : Value();
  Ref r = d.is_null() ? cx.NoneRef() : Ref::New(d);
  g->state.store(was, kRelease);
  return r;
}
const GetSetDef kGetSet[] = {{"__name__", GetName, SetName},     {"__qualname__", GetQualname, SetQualname}, {"gi_running", GetRunning, nullptr},
                             {"gi_suspended", GetSuspended, nullptr}, {"gi_code", GetCode, nullptr},         {"gi_frame", GetFrame, nullptr},
                             {"gi_yieldfrom", GetYieldFrom, nullptr}, {nullptr, nullptr, nullptr}};

const NativeType kGeneratorType = {
    .name = "generator", .layout = Layout::kGenerator, .size = sizeof(Generator),
    .flags = kTypeHasRefs | kTypeVarSized | kTypeWeakrefs | kTypeTrackLater,
    .slots = {.repr = GeneratorRepr, .iter = GeneratorIter, .next = GeneratorNext},
    .methods = kMethods, .getset = kGetSet, .traverse = VisitGenerator, .clear = ClearGenerator, .destroy = DestroyGenerator,
    .finalize = FinalizeGenerator};

Ref GetAsyncRunning(Context& cx, Value self) { return cx.BoolRef(self.as<Generator>()->async_running.load(kRelaxed)); }
const GetSetDef kAsyncGetSet[] = {{"__name__", GetName, SetName},     {"__qualname__", GetQualname, SetQualname}, {"ag_running", GetAsyncRunning, nullptr},
                                  {"ag_code", GetCode, nullptr},      {"ag_frame", GetFrame, nullptr},            {"ag_await", GetYieldFrom, nullptr},
                                  {nullptr, nullptr, nullptr}};
const NativeType kAsyncGeneratorType = {
    .name = "async_generator", .layout = Layout::kGenerator, .size = sizeof(Generator),
    .flags = kTypeHasRefs | kTypeVarSized | kTypeWeakrefs | kTypeTrackLater,
    .slots = {.repr = GeneratorRepr},
    .methods = kAsyncGeneratorMethods, .getset = kAsyncGetSet, .traverse = VisitGenerator, .clear = ClearGenerator, .destroy = DestroyGenerator,
    .finalize = FinalizeGenerator};

// ---- coroutines --------------------------------------------------------------------------------------------

// What __await__ gives: an iterator that drives the coroutine.
struct CoroutineWrapper : Object {
  Slot coroutine;  // never changes
};
Generator* Driven(Value wrapper) { return PeekSlot(wrapper.as<CoroutineWrapper>()->coroutine).as<Generator>(); }
void VisitWrapper(Object* o, SlotVisitor& v) { v.Visit(static_cast<CoroutineWrapper*>(o)->coroutine); }
void ClearWrapper(Context&, Object*) {}  // the coroutine lets go
void DestroyWrapper(Context& cx, Object* o) { DecrefValue(cx.ts, PeekSlot(static_cast<CoroutineWrapper*>(o)->coroutine)); }
Ref WrapperNext(Context& cx, Value self) { return GeneratorNext(cx, Value(Driven(self))); }
Ref WrapperSend(Context& cx, Value self, const Args& args) { return MethodSend(cx, Value(Driven(self)), args); }
Ref WrapperThrow(Context& cx, Value self, const Args& args) { return MethodThrow(cx, Value(Driven(self)), args); }
Ref WrapperClose(Context& cx, Value self, const Args& args) { return MethodClose(cx, Value(Driven(self)), args); }
const MethodDef kWrapperMethods[] = {{"send", WrapperSend, 1, 1}, {"throw", WrapperThrow, 1, 3}, {"close", WrapperClose, 0, 0}, {}};

Ref CoroutineAwait(Context& cx, Value self, const Args&) {
  CoroutineWrapper* w = NewNative<CoroutineWrapper>(cx, cx.rt.State<CoroutineState>().wrapper);
  if (w == nullptr) return Ref();
  InitSlot(w->coroutine, Ref::New(self));
  TrackNew(w);
  return Ref::Steal(w);
}
Ref GetOrigin(Context& cx, Value) { return cx.NoneRef(); }

const MethodDef kCoroutineMethods[] = {
    {"send", MethodSend, 1, 1}, {"throw", MethodThrow, 1, 3}, {"close", MethodClose, 0, 0}, {"__await__", CoroutineAwait, 0, 0}, {}};
const GetSetDef kCoroutineGetSet[] = {{"__name__", GetName, SetName},     {"__qualname__", GetQualname, SetQualname}, {"cr_running", GetRunning, nullptr},
                                      {"cr_suspended", GetSuspended, nullptr}, {"cr_code", GetCode, nullptr},         {"cr_frame", GetFrame, nullptr},
                                      {"cr_await", GetYieldFrom, nullptr}, {"cr_origin", GetOrigin, nullptr},         {nullptr, nullptr, nullptr}};

const NativeType kCoroutineType = {
    .name = "coroutine", .layout = Layout::kGenerator, .size = sizeof(Generator),
    .flags = kTypeHasRefs | kTypeVarSized | kTypeWeakrefs | kTypeTrackLater,
    .slots = {.repr = GeneratorRepr},
    .methods = kCoroutineMethods, .getset = kCoroutineGetSet, .traverse = VisitGenerator, .clear = ClearGenerator, .destroy = DestroyGenerator,
    .finalize = FinalizeGenerator};
const NativeType kWrapperType = {
    .name = "coroutine_wrapper", .size = sizeof(CoroutineWrapper), .flags = kTypeHasRefs | kTypeTrackLater,
    .slots = {.iter = GeneratorIter, .next = WrapperNext},
    .methods = kWrapperMethods, .traverse = VisitWrapper, .clear = ClearWrapper, .destroy = DestroyWrapper};

// A coroutine that waits for something already cannot be awaited by a second one.
bool IsWaiting(Context& cx, Generator* g) {
  if (g->state.load(kRelaxed) != GenState::kSuspended) return false;  // running: whoever drives it will find out
  Ref d = GetYieldFrom(cx, Value(g));
  return d && d.get() != cx.None();
}

}  // namespace

Ref GetAwaitable(Context& cx, Value v, uint32_t what) {
  if (Generator* g = As<Generator>(v)) {
    if (IsCoroutine(cx, g) && IsWaiting(cx, g)) return RaiseRuntimeError(cx, "coroutine is being awaited already");
    if (g->awaitable) return Ref::New(v);
  }
  bool found;
  Ref it = CallSpecial(cx, v, cx.rt.names.await, Args(), &found);
  if (!found) {
    if (what == 0) return RaiseTypeError(cx, "object %s can't be used in 'await' expression", ClassName(cx, v));
    return RaiseTypeError(cx, "'async with' received an object from __a%s__ that does not implement __await__: %s", what == 1 ? "enter" : "exit",
                          ClassName(cx, v));
  }
  if (!it) return it;
  if (Generator* g = As<Generator>(it); g != nullptr && g->awaitable) return RaiseTypeError(cx, "__await__() returned a coroutine");
  if (ClassOf(cx, it)->slots.next == nullptr) return RaiseTypeError(cx, "__await__() returned non-iterator of type '%s'", ClassName(cx, it));
  return it;
}

bool InitGeneratorType(Context& cx) {
  cx.rt.cls.generator = DefineType(cx, kGeneratorType);
  cx.rt.cls.coroutine = DefineType(cx, kCoroutineType);
  CoroutineState& state = cx.rt.State<CoroutineState>();
  state.wrapper = DefineType(cx, kWrapperType);
  state.async_generator = DefineType(cx, kAsyncGeneratorType);
  return cx.rt.cls.generator != nullptr && cx.rt.cls.coroutine != nullptr && state.wrapper != nullptr && state.async_generator != nullptr &&
         InitAsyncGeneratorTypes(cx);
}

}  // namespace tidepool::rt
