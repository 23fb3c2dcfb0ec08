// Starting and ending a Runtime.
#include "tidepool/runtime/vm/runtime.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "tidepool/base/check.h"
#include "tidepool/object/object_mutex.h"
#include "tidepool/object/weakref.h"
#include "tidepool/runtime/lang/bytecode.h"
#include "tidepool/runtime/modules/file.h"
#include "tidepool/runtime/modules/modules.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/objects.h"
#include "tidepool/runtime/objects/set.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/alias.h"
#include "tidepool/runtime/vm/attrs.h"
#include "tidepool/runtime/vm/builtins.h"
#include "tidepool/runtime/vm/class_internal.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/exception.h"
#include "tidepool/runtime/vm/frame.h"
#include "tidepool/runtime/vm/generator.h"
#include "tidepool/runtime/vm/import.h"
#include "tidepool/runtime/vm/module.h"
#include "tidepool/runtime/vm/thread.h"
#include "tidepool/runtime/vm/protocol.h"
#include "tidepool/runtime/vm/traceback.h"

namespace tidepool::rt {

// ---- Runtime -----------------------------------------------------------------------------------------------------

Runtime::~Runtime() {
  for (int i = 0; i < kMaxStates; i++) {
    void* p = state_[i].load(kRelaxed);
    if (p != nullptr) state_destroy_[i](p);
  }
  if (interned != nullptr) FreeInternTable(interned);
}

int Runtime::NextStateIndex() {
  static Atomic<int> next;
  const int i = next.fetch_add(1, kRelaxed);
  TP_CHECK(i < kMaxStates);
  return i;
}

void* Runtime::MakeState(int index, void* (*make)(), void (*destroy)(void*)) {
  MutexLock lock(&state_mutex_);
  void* p = state_[index].load(kRelaxed);
  if (p == nullptr) {
    p = make();
    state_destroy_[index] = destroy;
    state_[index].store(p, kRelease);  // pairs with the acquire in State()
  }
  return p;
}

void Runtime::KeepUnit(std::shared_ptr<lang::CodeUnit> unit) {
  MutexLock lock(&state_mutex_);
  units_.push_back(std::move(unit));
}

void Runtime::AtExit(ExitFn fn) {
  MutexLock lock(&state_mutex_);
  if (exit_count_ < static_cast<int>(sizeof exit_fns_ / sizeof exit_fns_[0])) exit_fns_[exit_count_++] = fn;
}

void Runtime::RunExitFunctions(Context& cx) {
  for (;;) {
    ExitFn fn;
    {
      MutexLock lock(&state_mutex_);
      if (exit_count_ == 0) return;
      fn = exit_fns_[--exit_count_];
    }
    fn(cx);
    if (cx.has_exception()) PrintException(cx, Value());
  }
}

ReprScope::ReprScope(Context& cx, Value v) : cx_(cx) {
  for (int i = 0; i < cx.repr_depth; i++) {
    if (cx.repr_stack[i] == v) {
      recursive_ = true;
      return;
    }
  }
  constexpr int kMax = static_cast<int>(sizeof cx.repr_stack / sizeof cx.repr_stack[0]);
  if (cx.repr_depth == kMax) {
    // Deeper nesting than that: only the innermost ones are remembered, and the C stack ends a cycle.
    std::memmove(static_cast<void*>(cx.repr_stack), static_cast<void*>(cx.repr_stack + 1), (kMax - 1) * sizeof(Value));
    cx.repr_depth--;
  }
  if (!CheckNativeStack(cx)) failed_ = true;
  cx.repr_stack[cx.repr_depth++] = v;
}

ReprScope::~ReprScope() {
  if (recursive_) return;
  // A shift forgets the outermost one; when the scopes unwind its place is simply missing.
  if (cx_.repr_depth > 0) cx_.repr_depth--;
}

void WriteStderr(Context& cx, const std::string& text) {
  {
    PendingScope pending(cx);
    FlushStandardStreams(cx);
    cx.ClearException();
  }
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = write(2, text.data() + done, text.size() - done);
    if (n <= 0) return;
    done += static_cast<size_t>(n);
  }
}

// ---- World ---------------------------------------------------------------------------------------------------------

namespace {

bool InternNames(Context& cx) {
  Names& n = cx.rt.names;
#define X(field, text)           \
  n.field = Intern(cx, text);    \
  if (n.field == nullptr) return false;
  TIDEPOOL_NAMES(X)
#undef X
  return true;
}

// Called by an allocating thread, wherever it is: only asks. Nothing has become free, so a refused allocation stays so.
bool OnPressure(void* arg, const MemoryPressure& pressure) {
  auto* rt = static_cast<Runtime*>(arg);
  ThreadState* ts = ThreadState::Current();
  if (pressure.level == MemoryPressure::kSoft && ts != nullptr && ts->isolate() == rt->isolate && rt->collector->enabled()) {
    rt->collector->RequestCollection(ts, true);
  }
  return false;
}

bool Start(Context& cx) {
  Runtime& rt = cx.rt;
  rt.interned = NewInternTable();
  rt.next_class_version.store(1, kRelaxed);
  if (rt.interned == nullptr || !InitBareClasses(cx) || !MakeSingletons(cx)) return false;
  if (!InternNames(cx) || !InitSlotTable(cx) || !FinishBareClasses(cx) || !FinishSingletons(cx)) return false;
  if (!InitCoreObjects(cx) || !InitDescriptorTypes(cx) || !InitFunctionTypes(cx) || !InitExceptionTypes(cx)) return false;
  if (!InitTracebackTypes(cx) || !InitGeneratorType(cx) || !InitAliasTypes(cx) || !InitModuleType(cx) || !InitObjects(cx) || !InitWeakRefs(cx)) return false;
  Ref modules = NewDict(cx);
  if (!modules) return false;
  rt.modules = modules.as<Dict>();
  SetImmortal(cx.ts, modules.release().object());
  if (!InitFileClasses(cx) || !InitBuiltins(cx)) return false;
  return static_cast<bool>(ImportModule(cx, "sys"));
}

// Takes the script's module out of sys.modules. The result is a weak reference to something that lives as long as the module's
// globals do, which *globals names then (null if there is no module, or no memory).
Ref ForgetMain(Context& cx, Dict** globals) {
  Ref main;
  if (DictGetStr(cx, cx.rt.modules, cx.rt.names.main, &main) != 1 || !Is<Module>(main.get())) return nullptr;
  *globals = ModuleDict(main.as<Module>());
  Str* key = Intern(cx, " alive");  // no name of a script's
  Ref mark = NewSet(cx);
  WeakRef* ref = mark ? NewWeakRef(cx.ts, &cx.rt.cls.weakref->info, mark.get().object(), 0) : nullptr;
  if (ref == nullptr || key == nullptr || !DictSetStr(cx, *globals, key, mark)) {
    cx.ClearException();
    DictClear(cx, *globals);
  }
  if (DictDelete(cx, cx.rt.modules, cx.rt.names.main) < 0) cx.ClearException();
  return ref == nullptr ? Ref() : Ref::Steal(static_cast<Object*>(static_cast<ObjectHeader*>(ref)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<World>> World::Create(const Options& options, const RuntimeOptions& runtime_options, Os* os) {
  std::unique_ptr<World> w(new World());
  w->finished_ = true;  // until it has started
  absl::StatusOr<std::unique_ptr<Vm>> vm = Vm::Create(options, os);
  if (!vm.ok()) return vm.status();
  w->vm_ = *std::move(vm);
  w->rt_.isolate = &w->vm_->isolate();
  w->rt_.collector = &w->vm_->collector();
  w->rt_.options = runtime_options;
  w->rt_.isolate->embedder_data = &w->rt_;
  w->ts_ = w->rt_.isolate->AttachThread("main");
  if (w->ts_ == nullptr) return absl::ResourceExhaustedError("no memory for the main thread");
  w->cx_ = NewContext(w->rt_, w->ts_);
  if (w->cx_ == nullptr) return absl::ResourceExhaustedError("no memory for the value stack");
  // Before the limit is met where nothing can be collected (in the middle of a native operation), a collection is asked for.
  if (options.max_memory != 0) {
    HeapDomain& heap = w->rt_.isolate->heap();
    if (options.soft_memory == 0) heap.SetSoftLimit(options.max_memory - options.max_memory / 8);
    heap.SetPressureCallback(&OnPressure, &w->rt_);
  }
  if (!Start(*w->cx_)) return absl::ResourceExhaustedError("no memory to start the runtime");
  w->finished_ = false;
  return w;
}

World::~World() {
  if (!finished_) Finish();
  if (ts_ != nullptr) rt_.isolate->LeaveThread(ts_);
  if (cx_ != nullptr) DeleteContext(cx_);
}

Ref World::MakeMain(const char* file) {
  Context& cx = *cx_;
  Ref main = NewModule(cx, "__main__");
  if (!main) return Ref();
  Module* m = main.as<Module>();
  Ref builtins;
  DictGetStr(cx, rt_.modules, rt_.names.builtins, &builtins);
  if (!DictSetStr(cx, rt_.modules, rt_.names.main, main) || !AddToModule(cx, m, "__builtins__", std::move(builtins)) ||
      !AddToModule(cx, m, "__package__", cx.NoneRef()) || !AddToModule(cx, m, "__spec__", cx.NoneRef())) {
    return Ref();
  }
  if (file != nullptr && !AddToModule(cx, m, "__file__", NewStr(cx, file))) return Ref();
  return main;
}

int World::RunMain(const std::string& source, const std::string& filename) {
  Context& cx = *cx_;
  AloneAgain(cx);
  Code* code = CompileSource(cx, source, filename);
  Ref main = code == nullptr ? Ref() : MakeMain(filename.c_str());
  return main && RunModuleCode(cx, code, ModuleDict(main.as<Module>())) ? 0 : Report();
}

// The exit status for the pending exception, which is printed.
int World::Report() {
  Context& cx = *cx_;
  Ref e = cx.TakeException();
  if (IsInstance(cx, e, rt_.exc.SystemExit)) {
    Ref code = GetAttr(cx, e, "code");
    if (!code || code.get() == cx.None()) return 0;
    if (code.get().is_small_int()) return static_cast<int>(code.get().small_int() & 0xff);
    if (code.get() == rt_.true_ || code.get() == rt_.false_) return code.get() == rt_.true_ ? 1 : 0;
    if (IsInt(code)) return 255;
    WriteStderr(cx, Text(cx, code) + "\n");
    return 1;
  }
  PrintException(cx, e);
  return IsInstance(cx, e, rt_.exc.KeyboardInterrupt) ? 130 : 1;
}

bool World::Finish() {
  finished_ = true;
  Context& cx = *cx_;
  rt_.RunExitFunctions(cx);
  bool flushed = FlushStandardStreams(cx);
  cx.ClearException();
  if (RunningThreads(rt_) > 0) return flushed;  // daemon threads: the caller ends the process, nothing may be taken away from them
  // Nobody needs the script's module any more, so that it is garbage and its finalizers still find their globals. If something
  // else keeps those (a registry of another module), they go one by one.
  Dict* globals = nullptr;
  Ref mark = ForgetMain(cx, &globals);
  rt_.collector->Collect(ts_, 2, "exit");
  if (mark && !IsWeakRefDead(static_cast<WeakRef*>(static_cast<ObjectHeader*>(mark.get().object())))) {
    DictClear(cx, globals);
    rt_.collector->Collect(ts_, 2, "exit");
  }
  mark.reset();
  if (flushed) flushed = FlushStandardStreams(cx);  // said once
  cx.ClearException();
  return flushed;
}

}  // namespace tidepool::rt
