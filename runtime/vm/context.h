// Context (one per thread) and Runtime (one per isolate).
//
// Every function of the runtime that can allocate, fail or run code takes `Context& cx` first.  A
// Context belongs to its thread: nothing in it is shared, so nothing in it is atomic.  A Runtime is
// shared by all threads of an isolate: it is filled in while the first thread starts it, and what
// changes later (modules, the intern table, class versions) has its own lock.
//
// Pending exception.  A function that fails leaves exactly one exception in `cx` and returns a null
// Ref, false or -1.  While one is pending, no further Python code may run: a destructor or
// callback that must run saves it first (PendingScope).
//
// Handled exceptions.  `exc_info` is the innermost exception being handled (an `except` block that
// is running); a generator has an entry of its own that is linked in while it runs.
#ifndef TIDEPOOL_RUNTIME_VM_CONTEXT_H_
#define TIDEPOOL_RUNTIME_VM_CONTEXT_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tidepool/base/atomic.h"
#include "tidepool/base/mutex.h"
#include "tidepool/object/isolate.h"
#include "tidepool/object/thread_state.h"
#include "tidepool/runtime/vm/names.h"
#include "tidepool/runtime/vm/value.h"

namespace tidepool {
class Collector;
}

namespace tidepool::rt {

struct Class;
struct Dict;
struct Frame;
struct Str;
struct Module;
class Context;
class InternTable;
namespace lang {
struct CodeUnit;
}
struct MethodCache;

// Builtin classes: `cx.rt.cls.list`.  X(field).  Each is filled in by the part that defines it.
#define TIDEPOOL_BUILTIN_CLASSES(X)                                                            \
  X(object) X(type) X(none_type) X(not_implemented_type) X(ellipsis_type)                      \
  X(int_) X(bool_) X(float_) X(str) X(bytes) X(bytearray) X(memoryview)                        \
  X(list) X(tuple) X(dict) X(set) X(frozenset) X(range) X(slice)                               \
  X(dict_keys) X(dict_values) X(dict_items)                                                    \
  X(list_iterator) X(list_reverseiterator) X(tuple_iterator) X(str_iterator) X(bytes_iterator) \
  X(bytearray_iterator) X(range_iterator) X(dict_keyiterator) X(dict_valueiterator)            \
  X(dict_itemiterator) X(dict_reversekeyiterator) X(set_iterator) X(enumerate) X(zip) X(map)   \
  X(filter) X(reversed) X(callable_iterator) X(seq_iterator)                                   \
  X(function) X(method) X(builtin_function) X(method_descriptor) X(wrapper_descriptor)         \
  X(method_wrapper) X(getset_descriptor) X(member_descriptor) X(property) X(staticmethod)      \
  X(classmethod) X(super) X(cell) X(code) X(frame) X(traceback) X(generator) X(coroutine)      \
  X(module) X(mapping_proxy) X(weakref) X(union_type)

// Builtin exception classes: `cx.rt.exc.TypeError`.  X(name, base).
#define TIDEPOOL_EXCEPTIONS(X)                \
  X(BaseException, BaseException)             \
  X(SystemExit, BaseException)                \
  X(KeyboardInterrupt, BaseException)         \
  X(GeneratorExit, BaseException)             \
  X(Exception, BaseException)                 \
  X(StopIteration, Exception)                 \
  X(StopAsyncIteration, Exception)            \
  X(ArithmeticError, Exception)               \
  X(FloatingPointError, ArithmeticError)      \
  X(OverflowError, ArithmeticError)           \
  X(ZeroDivisionError, ArithmeticError)       \
  X(AssertionError, Exception)                \
  X(AttributeError, Exception)                \
  X(BufferError, Exception)                   \
  X(EOFError, Exception)                      \
  X(ImportError, Exception)                   \
  X(ModuleNotFoundError, ImportError)         \
  X(LookupError, Exception)                   \
  X(IndexError, LookupError)                  \
  X(KeyError, LookupError)                    \
  X(MemoryError, Exception)                   \
  X(NameError, Exception)                     \
  X(UnboundLocalError, NameError)             \
  X(OSError, Exception)                       \
  X(BlockingIOError, OSError)                 \
  X(ChildProcessError, OSError)               \
  X(FileExistsError, OSError)                 \
  X(FileNotFoundError, OSError)               \
  X(InterruptedError, OSError)                \
  X(IsADirectoryError, OSError)               \
  X(NotADirectoryError, OSError)              \
  X(PermissionError, OSError)                 \
  X(TimeoutError, OSError)                    \
  X(ConnectionError, OSError)                 \
  X(BrokenPipeError, ConnectionError)         \
  X(ConnectionAbortedError, ConnectionError)  \
  X(ConnectionRefusedError, ConnectionError)  \
  X(ConnectionResetError, ConnectionError)    \
  X(ProcessLookupError, OSError)              \
  X(ReferenceError, Exception)                \
  X(RuntimeError, Exception)                  \
  X(NotImplementedError, RuntimeError)        \
  X(RecursionError, RuntimeError)             \
  X(SyntaxError, Exception)                   \
  X(IndentationError, SyntaxError)            \
  X(TabError, IndentationError)               \
  X(SystemError, Exception)                   \
  X(TypeError, Exception)                     \
  X(ValueError, Exception)                    \
  X(UnicodeError, ValueError)                 \
  X(UnicodeDecodeError, UnicodeError)         \
  X(UnicodeEncodeError, UnicodeError)         \
  X(UnicodeTranslateError, UnicodeError)      \
  X(Warning, Exception)                       \
  X(DeprecationWarning, Warning)              \
  X(RuntimeWarning, Warning)                  \
  X(UserWarning, Warning)                     \
  X(FutureWarning, Warning)                   \
  X(SyntaxWarning, Warning)                   \
  X(ImportWarning, Warning)                   \
  X(ResourceWarning, Warning)                 \
  X(PendingDeprecationWarning, Warning)       \
  X(BytesWarning, Warning)                    \
  X(EncodingWarning, Warning)                 \
  X(UnicodeWarning, Warning)

struct BuiltinClasses {
#define X(field) Class* field = nullptr;
  TIDEPOOL_BUILTIN_CLASSES(X)
#undef X
};

struct ExceptionClasses {
#define X(name, base) Class* name = nullptr;
  TIDEPOOL_EXCEPTIONS(X)
#undef X
};

struct Names {
#define X(field, text) Str* field = nullptr;
  TIDEPOOL_NAMES(X)
#undef X
};

// What the command line and the environment decide.
struct RuntimeOptions {
  const char* implementation_name = "tidepool";
  int64_t recursion_limit = 1000;
  size_t thread_stack_values = size_t{1} << 21;  // words of value stack per thread (address space)
};

class Runtime {
 public:
  Runtime() = default;
  ~Runtime();
  Runtime(const Runtime&) = delete;
  Runtime& operator=(const Runtime&) = delete;

  Isolate* isolate = nullptr;
  Collector* collector = nullptr;
  RuntimeOptions options;

  // Immortal singletons.
  Value none, true_, false_, ellipsis, not_implemented, empty_tuple;

  BuiltinClasses cls;
  ExceptionClasses exc;
  Names names;

  Dict* builtins = nullptr;      // the dict of module builtins
  Dict* modules = nullptr;       // sys.modules
  Value memory_error;            // raised when there is no memory to make one
  Value build_class;             // builtins.__build_class__

  InternTable* interned = nullptr;
  Mutex class_mutex;             // class versions, lists of classes
  Class* classes = nullptr;      // all Python classes, newest first
  Class* native_classes = nullptr;  // the others; they only become more
  Atomic<uint32_t> next_class_version;

  // State of a native module, one T per Runtime, made on first use (value-initialised).  T holds Values and
  // Class pointers that the module keeps alive.
  template <class T>
  T& State() {
    static const int index = NextStateIndex();
    void* p = state_[index].load(kAcquire);  // pairs with MakeState's release
    if (p == nullptr) p = MakeState(index, [] { return static_cast<void*>(new T()); }, [](void* q) { delete static_cast<T*>(q); });
    return *static_cast<T*>(p);
  }

  // Run at shutdown by the main thread, newest first, before modules are released (threading joins here,
  // weakref.finalize runs here).
  // Units of linked code live as long as the Runtime.
  void KeepUnit(std::shared_ptr<lang::CodeUnit> unit);

  std::string script_dir;        // where neighbouring source files are looked for
  Atomic<int32_t> running_threads;  // started by SpawnThread

  using ExitFn = void (*)(Context&);
  void AtExit(ExitFn fn);
  void RunExitFunctions(Context& cx);

 private:
  static constexpr int kMaxStates = 64;
  static int NextStateIndex();
  void* MakeState(int index, void* (*make)(), void (*destroy)(void*));

  Mutex state_mutex_;
  Atomic<void*> state_[kMaxStates] = {};
  void (*state_destroy_[kMaxStates])(void*) = {};
  std::vector<std::shared_ptr<lang::CodeUnit>> units_;  // state_mutex_
  ExitFn exit_fns_[16] = {};
  int exit_count_ = 0;
};

// One entry of the stack of exceptions being handled.
struct HandledException {
  Value value;                      // null or an exception (owned)
  HandledException* prev = nullptr;
};

class Context {
 public:
  Context(Runtime& runtime, ThreadState* thread_state) : ts(thread_state), rt(runtime) {}

  // Of the calling thread, which is attached.
  static Context* Current() { return static_cast<Context*>(ThreadState::Current()->embedder_data); }

  ThreadState* const ts;
  Runtime& rt;

  // ---- frequently made values; all borrowed and immortal
  Value None() const { return rt.none; }
  Value Bool(bool b) const { return b ? rt.true_ : rt.false_; }
  Value NotImplemented() const { return rt.not_implemented; }
  // The same as results.
  Ref NoneRef() const { return Ref::Steal(rt.none); }
  Ref BoolRef(bool b) const { return Ref::Steal(Bool(b)); }
  Ref NotImplementedRef() const { return Ref::Steal(rt.not_implemented); }

  // ---- pending exception (errors.h raises)
  bool has_exception() const { return !pending_.is_null(); }
  Value exception() const { return pending_; }       // borrowed
  Ref TakeException() { Value v = pending_; pending_ = Value(); return Ref::Steal(v); }
  void SetException(Ref e) { Ref old = TakeException(); pending_ = e.release(); }
  void ClearException() { Ref old = TakeException(); }

  // ---- interpreter state
  Frame* frame = nullptr;           // innermost frame, or null
  Value* stack_top = nullptr;       // first free word of the value stack
  Value* stack_base = nullptr;
  Value* stack_limit = nullptr;
  HandledException* exc_info = &base_exc_info_;
  int64_t recursion_depth = 0;
  uintptr_t native_stack_limit = 0;  // lowest address the C stack may reach
  int repr_depth = 0;
  uint32_t native_steps = 0;        // of iterators, counted by Next
  bool signal_pending = false;       // set at a safepoint; CheckSignals looks (signals.h)
  MethodCache* method_cache = nullptr;
  Value repr_stack[64];              // objects whose repr is being made ([...]), see ReprScope
  Value thread_object;               // threading.Thread of this thread, owned by module threading
  void* thread_locals = nullptr;     // owned by module threading

 private:
  Value pending_;
  HandledException base_exc_info_;
};

// Puts a pending exception aside while destructors or callbacks run.
class PendingScope {
 public:
  explicit PendingScope(Context& cx) : cx_(cx), saved_(cx.TakeException()) {}
  ~PendingScope() {
    if (saved_) cx_.SetException(std::move(saved_));
  }

 private:
  Context& cx_;
  Ref saved_;
};

// Guards `repr` of containers that contain themselves: `if (scope.recursive()) return "[...]"`.
class ReprScope {
 public:
  ReprScope(Context& cx, Value v);
  ~ReprScope();
  bool recursive() const { return recursive_; }
  bool failed() const { return failed_; }   // RecursionError is pending

 private:
  Context& cx_;
  bool recursive_ = false;
  bool failed_ = false;
};

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_CONTEXT_H_
