// Frames: the activation of a code object.
//
// A frame lies on the thread's value stack (or inside a generator object):
//
//     slots[num_slots]  | Frame |  stack[stack_size]
//
// Arguments that a caller pushed become the first slots of the callee where they lie.  Everything in slots
// and stack is owned.  Frames belong to the thread that runs them and are not atomic; a generator's frame
// belongs to whoever has the generator in state "running".
//
// Somebody who wants a frame as an object (traceback, sys._getframe) gets a FrameObject, at most one per frame.  While the
// frame runs it points there; when the frame ends and the object is still wanted, the locals move into it.
#ifndef TIDEPOOL_RUNTIME_VM_FRAME_H_
#define TIDEPOOL_RUNTIME_VM_FRAME_H_

#include <string>

#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/vm/code.h"
#include "tidepool/runtime/vm/function.h"

namespace tidepool::rt {

struct Generator;
struct FrameObject;

enum FrameFlags : uint32_t {
  kFrameEntry = 1,   // leaving it returns from Interpret
  kFrameInit = 2,    // an __init__ called by instantiation: the result is dropped, the instance lies on the caller's stack
  kFrameForIter = 4,  // a generator's, entered by FOR_ITER of the frame before it (instead of kFrameEntry)
  kFrameSink = 8,    // with kFrameEntry, a generator's: its sink is asked first what becomes of a value it yields
};

struct Frame {
  Frame* prev;
  const uint32_t* pc;      // the instruction being executed
  Value* slots;
  Value* stack;            // its base
  Value* sp;               // saved when the frame is not the running one
  Function* func;          // owned
  Code* code;
  Dict* globals;           // borrowed from func
  Value ns;                // class body: its namespace, owned
  FrameObject* object;     // owned, or null
  Generator* generator;    // whose frame this is, or null
  Value* saved_top;        // cx.stack_top before this frame
  uint32_t flags;
};
inline constexpr size_t kFrameWords = sizeof(Frame) / sizeof(Value);

struct FrameObject : Object {
  static constexpr Layout kLayout = Layout::kFrame;
  Frame* live;             // null: finished
  Code* code;
  Slot func;
  Slot back;               // FrameObject of the caller, set when asked for, or null
  const uint32_t* last_pc; // when finished
  size_t num_slots;        // values that follow (null while live)
  Slot locals[];
};

// The object of a frame, made if needed.  Null: MemoryError pending.
FrameObject* GetFrameObject(Context& cx, Frame* f);  // borrowed from the frame
// Called when a frame with an object ends: hands the locals over if somebody else holds the object.
void ReleaseFrameObject(Context& cx, Frame* f);
// One entry of a traceback as text, ending with a line feed: of a frame at `pc`.
std::string FrameEntry(const FrameObject* f, const uint32_t* pc);
// Where a frame is; null if another thread runs it.
const uint32_t* FramePc(Context& cx, FrameObject* f);

// Runs cx.frame (flag kFrameEntry) until it is left.  Null: exception pending (a yield returns the value, see generator.h).
Ref Interpret(Context& cx, bool throwing = false);

// Binds arguments and pushes a frame of `func` (owned) onto the value stack.  `args` (npos values, then one per keyword name)
// are owned and lie on the value stack, at or above everything in use; they are taken over in any case.  Null: exception
// pending.  The frame is linked to cx.frame.  Not for generator functions (see MakeGenerator).
Frame* PushFrame(Context& cx, Function* func, Value* args, size_t npos, Tuple* kwnames, uint32_t flags);

// What PushFrame does once the slots are filled and there is room: links a new frame behind them.
inline Frame* LinkFrame(Context& cx, Function* func, Code* c, Value* slots, uint32_t flags) {
  Frame* f = reinterpret_cast<Frame*>(slots + c->num_slots);
  f->prev = cx.frame;
  f->pc = c->words;
  f->slots = slots;
  f->stack = reinterpret_cast<Value*>(f) + kFrameWords;
  f->sp = f->stack;
  f->func = func;
  f->code = c;
  f->globals = PeekSlot(func->globals).as<Dict>();
  f->ns = Value();
  f->object = nullptr;
  f->generator = nullptr;
  f->saved_top = cx.stack_top;
  f->flags = flags;
  cx.stack_top = f->stack + c->stack_size;
  cx.frame = f;
  cx.recursion_depth++;
  return f;
}

// Is there room behind `slots` for a frame and `total` more values, and is the recursion not too deep?
inline bool RoomForFrame(const Context& cx, const Code* c, const Value* slots, size_t total) {
  return static_cast<size_t>(cx.stack_limit - slots) >= c->num_slots + kFrameWords + c->stack_size + total &&
         cx.recursion_depth < cx.rt.options.recursion_limit;
}

// Space for n values at the top of the value stack, or null with RecursionError pending.
Value* ReserveStack(Context& cx, size_t n);

// Runs module or class body code.
Ref RunModuleCode(Context& cx, Code* code, Dict* globals);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_FRAME_H_
