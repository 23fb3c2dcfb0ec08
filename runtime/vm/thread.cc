// Contexts of threads, and starting Python threads.
#include "tidepool/runtime/vm/thread.h"

#include <pthread.h>

#include <memory>
#include <new>

#include "tidepool/base/event.h"
#include "tidepool/base/os.h"
#include "tidepool/base/sanitizer.h"
#include "tidepool/base/thread.h"
#include "tidepool/runtime/vm/class_internal.h"
#include "tidepool/runtime/vm/crash.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/frame.h"
#include "tidepool/runtime/vm/runtime.h"
#include "tidepool/runtime/vm/signals.h"

namespace tidepool::rt {
namespace {

// What the C stack of the calling thread may be used for: all but a reserve for the deepest native path between two checks.
uintptr_t NativeStackLimit() {
  pthread_attr_t attr;
  void* base = nullptr;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attr) != 0) return 0;
  pthread_attr_getstack(&attr, &base, &size);
  pthread_attr_destroy(&attr);
  size_t reserve = size / 4 < (size_t{512} << 10) ? size / 4 : size_t{512} << 10;
#if TIDEPOOL_TSAN
  // ThreadSanitizer remembers 65,536 calls at most.
  constexpr size_t kUsable = size_t{2} << 20;
  if (size > kUsable + reserve) reserve = size - kUsable;
#endif
  return reinterpret_cast<uintptr_t>(base) + reserve;
}

// Roots that lie in frames.  They are counted, so this only saves the collector work; slots are always valid.
int VisitThreadRoots(ThreadState* ts, Visitor visit, void* arg) {
  Context* cx = static_cast<Context*>(ts->embedder_data);
  if (cx == nullptr) return 0;
  SlotVisitor v(visit, arg);
  for (Frame* f = cx->frame; f != nullptr; f = f->prev) {
    v.Visit(Value(f->func));
    for (uint32_t i = 0; i < f->code->num_slots; i++) v.Visit(f->slots[i]);
  }
  return v.result();
}

struct StartData {
  ThreadStart start;
  Runtime* rt;
  Event started{};
  bool failed = false;
};

void RunThread(Context& cx, ThreadStart start) {
  if (start.begin != nullptr) start.begin(cx, start.arg);
  Ref exception;
  {
    Ref result = CallWithTuple(cx, start.target, start.args, start.kwargs);
    if (!result) exception = cx.TakeException();
  }
  start.kwargs.reset();
  start.args.reset();
  start.target.reset();
  if (start.done != nullptr) start.done(cx, start.arg, std::move(exception));
  cx.ClearException();
}

void ThreadMain(StartData* data) {
  Runtime& rt = *data->rt;
  ThreadState* ts = rt.isolate->AttachThread("python");
  Context* cx = ts == nullptr ? nullptr : NewContext(rt, ts);
  if (cx == nullptr) {
    data->failed = true;
    if (ts != nullptr) rt.isolate->LeaveThread(ts);
    data->started.Set();
    return;
  }
  ThreadStart start = std::move(data->start);
  void (*left)(void*) = start.left;
  void* arg = start.arg;
  data->started.Set();  // data belongs to the starter again
  RunThread(*cx, std::move(start));
  rt.isolate->LeaveThread(ts);
  DeleteContext(cx);
  rt.running_threads.fetch_sub(1, kRelease);  // pairs with RunningThreads; the Runtime may end from here on
  if (left != nullptr) left(arg);
}

}  // namespace

Context* NewContext(Runtime& rt, ThreadState* ts) {
  Context* cx = new (std::nothrow) Context(rt, ts);
  if (cx == nullptr) return nullptr;
  Os* os = rt.isolate->os();
  const size_t bytes = rt.options.thread_stack_values * sizeof(Value);
  cx->stack_base = static_cast<Value*>(os->Reserve(bytes, os->PageSize()));
  cx->method_cache = new (std::nothrow) MethodCache();
  if (cx->stack_base == nullptr || cx->method_cache == nullptr || !os->Commit(cx->stack_base, bytes)) {
    if (cx->stack_base != nullptr) os->Release(cx->stack_base, bytes);
    delete cx->method_cache;
    delete cx;
    return nullptr;
  }
  cx->stack_top = cx->stack_base;
  cx->stack_limit = cx->stack_base + rt.options.thread_stack_values;
  cx->native_stack_limit = NativeStackLimit();
  ts->embedder_data = cx;
  ts->visit_roots = VisitThreadRoots;
  ts->on_break = NoticeSignal;
  NoteContext(cx);
  return cx;
}

// The thread has left its isolate already: what died there still needed the Context.
void DeleteContext(Context* cx) {
  ForgetContext(cx);
  cx->rt.isolate->os()->Release(cx->stack_base, cx->rt.options.thread_stack_values * sizeof(Value));
  delete cx->method_cache;
  delete cx;
}

bool SpawnThread(Context& cx, ThreadStart start) {
  StartData data;
  data.start = std::move(start);
  data.rt = &cx.rt;
  StartData* p = &data;
  cx.rt.running_threads.fetch_add(1, kRelaxed);
  cx.ts->set_alone(false);  // the start of the thread orders it
  Thread thread;
  const bool ok = thread.Start([p] { ThreadMain(p); }, size_t{16} << 20, RealOs());
  if (!ok) {
    cx.rt.running_threads.fetch_sub(1, kRelaxed);
    return RaiseRuntimeError(cx, "can't start new thread"), false;
  }
  thread.Detach();
  {
    BlockingScope blocking(cx.ts);
    data.started.Wait();
  }
  if (data.failed) {
    cx.rt.running_threads.fetch_sub(1, kRelaxed);
    RaiseMemoryError(cx);
    return false;
  }
  return true;
}

void AloneAgain(Context& cx) {
  // Only the first thread is not counted, so if it asks and none is left, nobody but itself can start one.
  if (cx.ts->serial() == 1 && RunningThreads(cx.rt) == 0) cx.ts->set_alone(true);
}

int RunningThreads(Runtime& rt) { return rt.running_threads.load(kAcquire); }

}  // namespace tidepool::rt
