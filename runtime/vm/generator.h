// Generators, coroutines and asynchronous generators.
//
// A generator object contains its frame: slots and stack follow the struct.  State:
//   created -> running -> suspended -> running ... -> finished
// A thread gets the right to run (or close) it by moving created or suspended to running with a
// compare-and-swap; one that fails raises ValueError("generator already executing").  While it runs, the frame
// is linked into that thread's chain.  A finished generator holds nothing.
//
// A coroutine is a Generator of the class `coroutine`: it is driven by send, throw and close, or awaited by another
// one, but not iterated. An asynchronous generator is one of the class `async_generator`; the awaitables that drive
// it are in async_generator.cc.
#ifndef TIDEPOOL_RUNTIME_VM_GENERATOR_H_
#define TIDEPOOL_RUNTIME_VM_GENERATOR_H_

#include "tidepool/runtime/vm/frame.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {

enum class GenState : uint8_t { kCreated, kSuspended, kRunning, kFinished };

struct Generator : Object {
  static constexpr Layout kLayout = Layout::kGenerator;
  Atomic<GenState> state;
  bool awaitable;              // a generator that may be awaited; never changes
  Atomic<bool> async_running;  // of an asynchronous generator: a step of it has begun, and whoever began it drives it
  Atomic<bool> async_closed;   // it was closed, or has ended
  Slot name, qualname;
  HandledException exc_info;   // what it handles while suspended inside an except block
  ItemSink* sink;              // while its frame has the flag kFrameSink
  Code* code;
  Frame frame;
  Value values[];              // slots, then stack
};

// From a frame just pushed for a generator function: moves its contents; the frame is popped.
Ref MakeGenerator(Context& cx, Frame* f);

// Resumes with a sent value (null: next).  Null without exception: it returned, *result has the value;
// null with exception: it raised.  Else the yielded value; what the sink takes of it never comes here.
Ref GeneratorSend(Context& cx, Generator* g, Value value, Ref* result, ItemSink* sink = nullptr);
// A step of a `for` loop over g without another Interpret: true if cx.frame is the generator's now, to be run with the flag
// kFrameForIter. False: it cannot be entered this way; use GeneratorSend, which says why.
bool EnterForIter(Context& cx, Generator* g);
// The frame of such a step yields or has ended (state finished): the caller's frame is the current one again. A StopIteration
// that was raised inside becomes a RuntimeError. Uses up the reference that EnterForIter took.
void LeaveForIter(Context& cx, Generator* g);
// Raises the pending exception inside it; same results. A GeneratorExit closes what the generator delegates to, or is
// thrown into it as any other exception (aclose).
Ref GeneratorThrow(Context& cx, Generator* g, Ref* result, bool close_inner = true);
// close(): false: exception pending.
bool GeneratorClose(Context& cx, Generator* g);
// What `await v` is to drive: a coroutine or an iterator.  what: 0 `await`, 1 v is from __aenter__, 2 from __aexit__.
Ref GetAwaitable(Context& cx, Value v, uint32_t what);
// Keeps others from running a generator that does not run now, so that its frame can be looked at.
class GeneratorHold {
 public:
  GeneratorHold(Context& cx, Generator* g);
  ~GeneratorHold();
  bool ok() const { return ok_; }  // false: it runs, or has ended

 private:
  Generator* g_;
  GenState was_;
  bool ok_;
};
inline bool IsAsyncGenerator(const Generator* g) { return (g->code->flags & lang::kAsyncGenerator) != 0; }
// A suspended one: does it wait for what it delegates to (or awaits)? Else it stands at a `yield`.
bool InsideYieldFrom(const Generator* g);
// Raises what the arguments of a throw() method say. False: they are wrong, and that is what is raised.
bool RaiseThrown(Context& cx, const Args& args);
// Of class async_generator: asend, athrow, aclose, __aiter__, __anext__.
extern const MethodDef kAsyncGeneratorMethods[];
// For the interpreter: drops everything a finished frame holds.
void FinishGenerator(Context& cx, Generator* g);

bool InitGeneratorType(Context& cx);
bool InitAsyncGeneratorTypes(Context& cx);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_GENERATOR_H_
