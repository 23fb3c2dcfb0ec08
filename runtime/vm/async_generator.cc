// The awaitables that drive an asynchronous generator: what __anext__, asend, athrow and aclose return.
//
// The generator itself is a Generator (generator.h). It is suspended at a `yield`, or inside an `await`: what comes out of
// the latter is passed on to whoever drives it, the former ends the step, as a StopIteration with the value. A step belongs to
// the awaitable that began it: it has set async_running, which a second awaitable finds set and fails.
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/exception.h"
#include "tidepool/runtime/vm/generator.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

enum class StepState : uint8_t { kNew, kBegun, kOver };
enum class StepKind : uint8_t { kSend, kThrow, kClose };

struct AsyncStep : Object {
  Slot generator;  // never changes
  Slot what;       // kSend: the value; kThrow: the tuple of throw()'s arguments; never changes
  Atomic<StepState> state;
  StepKind kind;
};

struct AsyncState {
  Class* send;
  Class* throw_or_close;
};

Generator* DrivenBy(const AsyncStep* s) { return PeekSlot(s->generator).as<Generator>(); }

const char* NameOf(const AsyncStep* s) {
  return s->kind == StepKind::kSend ? "anext" : s->kind == StepKind::kThrow ? "athrow" : "aclose";
}

void End(AsyncStep* s) {
  s->state.store(StepState::kOver, kRelaxed);
  DrivenBy(s)->async_running.store(false, kRelease);  // pairs with Begin's acquire
}

// False: an exception is pending (another one drives the generator).
bool Begin(Context& cx, AsyncStep* s) {
  if (DrivenBy(s)->async_running.exchange(true, kAcquire)) {  // pairs with End's release
    s->state.store(StepState::kOver, kRelaxed);
    RaiseRuntimeError(cx, "%s(): asynchronous generator is already running", NameOf(s));
    return false;
  }
  s->state.store(StepState::kBegun, kRelaxed);
  return true;
}

// What to give to the driver, v being what the generator gave (null: it has ended, or an exception is pending).
Ref Outcome(Context& cx, AsyncStep* s, Ref v) {
  Generator* g = DrivenBy(s);
  if (v && InsideYieldFrom(g)) return v;
  End(s);
  if (s->kind == StepKind::kClose) {
    if (v) return RaiseRuntimeError(cx, "async generator ignored GeneratorExit");
    if (!cx.has_exception() || ClearIf(cx, cx.rt.exc.StopAsyncIteration) || ClearIf(cx, cx.rt.exc.GeneratorExit)) {
      return RaiseStopIteration(cx, Value());
    }
    return nullptr;
  }
  if (v) return RaiseStopIteration(cx, v);
  if (!cx.has_exception()) RaiseObject(cx, cx.rt.exc.StopAsyncIteration);
  if (PendingIs(cx, cx.rt.exc.StopAsyncIteration) || PendingIs(cx, cx.rt.exc.GeneratorExit)) {
    g->async_closed.store(true, kRelaxed);
  }
  return nullptr;
}

Ref RaiseOver(Context& cx, const AsyncStep* s) {
  return RaiseRuntimeError(cx, "cannot reuse already awaited %s", s->kind == StepKind::kSend ? "__anext__()/asend()" : "aclose()/athrow()");
}

// The first step of an athrow or aclose.
Ref ThrowFirst(Context& cx, AsyncStep* s, Value sent) {
  Generator* g = DrivenBy(s);
  if (g->state.load(kAcquire) == GenState::kFinished) {
    s->state.store(StepState::kOver, kRelaxed);
    return RaiseStopIteration(cx, Value());
  }
  if (!Begin(cx, s)) return nullptr;
  if (g->async_closed.load(kRelaxed)) {
    End(s);
    RaiseObject(cx, cx.rt.exc.StopAsyncIteration);
    return nullptr;
  }
  if (sent != cx.None()) {
    End(s);
    return RaiseRuntimeError(cx, "can't send non-None value to a just-started coroutine");
  }
  Ref result;
  if (s->kind == StepKind::kClose) {
    g->async_closed.store(true, kRelaxed);
    RaiseObject(cx, cx.rt.exc.GeneratorExit);
    return Outcome(cx, s, GeneratorThrow(cx, g, &result, /*close_inner=*/false));
  }
  auto* args = PeekSlot(s->what).as<Tuple>();
  if (!RaiseThrown(cx, Args(args->items, args->length))) {
    End(s);
    return nullptr;
  }
  return Outcome(cx, s, GeneratorThrow(cx, g, &result));
}

Ref Send(Context& cx, AsyncStep* s, Value sent) {
  const StepState state = s->state.load(kRelaxed);
  if (state == StepState::kOver) return RaiseOver(cx, s);
  if (state == StepState::kNew) {
    if (s->kind != StepKind::kSend) return ThrowFirst(cx, s, sent);
    if (!Begin(cx, s)) return nullptr;
    if (sent == cx.None()) sent = PeekSlot(s->what);
  }
  Ref result;
  return Outcome(cx, s, GeneratorSend(cx, DrivenBy(s), sent, &result));
}

Ref StepSelf(Context&, Value self) { return Ref::New(self); }
Ref StepAwait(Context&, Value self, const Args&) { return Ref::New(self); }
Ref StepNext(Context& cx, Value self) { return Send(cx, self.as<AsyncStep>(), cx.None()); }
Ref StepSend(Context& cx, Value self, const Args& args) { return Send(cx, self.as<AsyncStep>(), args[0]); }

Ref StepThrow(Context& cx, Value self, const Args& args) {
  auto* s = self.as<AsyncStep>();
  const StepState state = s->state.load(kRelaxed);
  if (state == StepState::kOver) return RaiseOver(cx, s);
  if (state == StepState::kNew && !Begin(cx, s)) return nullptr;
  if (!RaiseThrown(cx, args)) return nullptr;
  Ref result;
  return Outcome(cx, s, GeneratorThrow(cx, DrivenBy(s), &result));
}

Ref StepClose(Context& cx, Value self, const Args&) {
  auto* s = self.as<AsyncStep>();
  if (s->state.load(kRelaxed) == StepState::kBegun) {
    End(s);
  } else {
    s->state.store(StepState::kOver, kRelaxed);
  }
  return cx.NoneRef();
}

const MethodDef kStepMethods[] = {
    {"send", StepSend, 1, 1}, {"throw", StepThrow, 1, 3}, {"close", StepClose, 0, 0}, {"__await__", StepAwait, 0, 0}, {}};

void VisitStep(Object* o, SlotVisitor& v) {
  v.Visit(static_cast<AsyncStep*>(o)->generator);
  v.Visit(static_cast<AsyncStep*>(o)->what);
}
void ClearStep(Context&, Object*) {}  // the generator lets go
void DestroyStep(Context& cx, Object* o) {
  auto* s = static_cast<AsyncStep*>(o);
  // Dropped in the middle of an await: nobody else will end it.
  if (s->state.load(kRelaxed) == StepState::kBegun) End(s);
  DecrefValue(cx.ts, PeekSlot(s->generator));
  DecrefValue(cx.ts, PeekSlot(s->what));
}

Ref NewStep(Context& cx, Value generator, StepKind kind, Ref what) {
  const AsyncState& state = cx.rt.State<AsyncState>();
  auto* s = NewNative<AsyncStep>(cx, kind == StepKind::kSend ? state.send : state.throw_or_close);
  if (s == nullptr) return nullptr;
  InitSlot(s->generator, Ref::New(generator));
  InitSlot(s->what, std::move(what));
  s->state.store(StepState::kNew, kRelaxed);
  s->kind = kind;
  TrackNew(s);
  return Ref::Steal(s);
}

Ref AsyncSelf(Context&, Value self, const Args&) { return Ref::New(self); }
Ref AsyncNext(Context& cx, Value self, const Args&) { return NewStep(cx, self, StepKind::kSend, cx.NoneRef()); }
Ref AsyncSend(Context& cx, Value self, const Args& args) { return NewStep(cx, self, StepKind::kSend, Ref::New(args[0])); }
Ref AsyncThrow(Context& cx, Value self, const Args& args) {
  Ref what = NewTuple(cx, args.pos, args.npos);
  return what ? NewStep(cx, self, StepKind::kThrow, std::move(what)) : nullptr;
}
Ref AsyncClose(Context& cx, Value self, const Args&) { return NewStep(cx, self, StepKind::kClose, cx.NoneRef()); }

NativeType StepType(const char* name) {
  return {.name = name, .size = sizeof(AsyncStep), .flags = kTypeHasRefs | kTypeTrackLater,
          .slots = {.iter = StepSelf, .next = StepNext},
          .methods = kStepMethods, .traverse = VisitStep, .clear = ClearStep, .destroy = DestroyStep};
}

}  // namespace

const MethodDef kAsyncGeneratorMethods[] = {
    {"__aiter__", AsyncSelf, 0, 0}, {"__anext__", AsyncNext, 0, 0}, {"asend", AsyncSend, 1, 1},
    {"athrow", AsyncThrow, 1, 3},   {"aclose", AsyncClose, 0, 0},   {}};

bool InitAsyncGeneratorTypes(Context& cx) {
  static const NativeType kSend = StepType("async_generator_asend");
  static const NativeType kThrow = StepType("async_generator_athrow");
  AsyncState& state = cx.rt.State<AsyncState>();
  state.send = DefineType(cx, kSend);
  state.throw_or_close = DefineType(cx, kThrow);
  return state.send != nullptr && state.throw_or_close != nullptr;
}

}  // namespace tidepool::rt
