// The modules that are a few functions each: zlib, ctypes, resource, faulthandler.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

#include "tidepool/base/cond_var.h"
#include "tidepool/base/mutex.h"
#include "tidepool/base/thread.h"
#include "tidepool/runtime/modules/common.h"
#include "tidepool/runtime/modules/crc32.h"
#include "tidepool/runtime/modules/modules.h"

namespace tidepool::rt {
namespace {

// ---- zlib

// Below this it is not worth to detach.
constexpr size_t kLargeInput = 5 << 10;

Ref ZlibCrc32(Context& cx, Value, const Args& args) {
  BufferView view(cx);
  if (!view.Open(args[0])) return nullptr;
  uint32_t start = 0;
  if (args.size() > 1) {
    // Any integer, modulo 2**32.
    if (!IsInt(args[1])) return RaiseTypeError(cx, "an integer is required (got type %s)", ClassName(cx, args[1]));
    Ref low = IntAnd(cx, args[1], Value::Small(0xFFFFFFFF));
    if (!low) return nullptr;
    start = static_cast<uint32_t>(low.get().small_int());
  }
  uint32_t crc;
  if (view.size() < kLargeInput) {
    crc = Crc32(start, view.data(), view.size());
  } else {
    // The view keeps the memory in place.
    BlockingScope detached(cx.ts);
    crc = Crc32(start, view.data(), view.size());
  }
  return Ref::Small(crc);
}

Ref ZlibAdler32(Context& cx, Value, const Args& args) {
  BufferView view(cx);
  if (!view.Open(args[0])) return nullptr;
  uint32_t a = 1, b = 0;
  for (size_t i = 0; i < view.size(); i++) {
    a = (a + static_cast<unsigned char>(view.data()[i])) % 65521;
    b = (b + a) % 65521;
  }
  return Ref::Small((static_cast<int64_t>(b) << 16) | a);
}

const MethodDef kZlibFunctions[] = {
    {"crc32", ZlibCrc32, 1, 2},
    {"adler32", ZlibAdler32, 1, 1},
    {},
};

// ---- ctypes: c_size_t.from_address(address).value, which looks at memory

struct CWord : Object {
  uint64_t* address;   // null: `own`
  uint64_t own;
};

struct CtypesState {
  Class* c_size_t = nullptr;
};

Ref CWordCreate(Context& cx, Class* cls, const Args& args) {
  if (!NoKeywords(cx, "c_size_t", args) || !CheckArgCount(cx, "c_size_t", args, 0, 1)) return nullptr;
  int64_t value = 0;
  if (args.size() == 1 && !ToInt64(cx, args[0], &value)) return nullptr;
  Ref r = NewInstance(cx, cls);
  if (r) r.as<CWord>()->own = static_cast<uint64_t>(value);
  return r;
}

Ref CWordFromAddress(Context& cx, Value self, const Args& args) {
  int64_t address;
  if (!ToInt64(cx, args[0], &address)) return nullptr;
  Ref r = NewInstance(cx, self.as<Class>());
  if (r) r.as<CWord>()->address = reinterpret_cast<uint64_t*>(address);
  return r;
}

Ref CWordValue(Context& cx, Value self) {
  CWord* word = self.as<CWord>();
  if (word->address == nullptr) return NewIntUnsigned(cx, word->own);
  // The word is the owner id of an object, which its thread may be storing. Relaxed: it is looked at, not relied on.
  return NewIntUnsigned(cx, reinterpret_cast<Atomic<uint64_t>*>(word->address)->load(kRelaxed));
}

Ref CWordRepr(Context& cx, Value self) {
  Ref value = CWordValue(cx, self);
  Ref shown = value ? ToString(cx, value) : nullptr;
  if (!shown) return nullptr;
  return NewStr(cx, "c_ulong(" + ToUtf8(shown.as<Str>()) + ")");
}

const MethodDef kCWordMethods[] = {
    {"from_address", CWordFromAddress, 1, 1, kMethodClass},
    {},
};

const GetSetDef kCWordGetSet[] = {
    {"value", CWordValue, nullptr},
    {},
};

bool InitCtypes(Context& cx, Module* module) {
  static const NativeType type = [] {
    NativeType t;
    t.name = "c_ulong";
    t.module = "ctypes";
    t.size = sizeof(CWord);
    t.slots.create = CWordCreate;
    t.slots.repr = CWordRepr;
    t.methods = kCWordMethods;
    t.getset = kCWordGetSet;
    return t;
  }();
  Class* cls = DefineType(cx, type);
  if (cls == nullptr) return false;
  cx.rt.State<CtypesState>().c_size_t = cls;
  for (const char* name : {"c_size_t", "c_ulong", "c_uint64", "c_void_p"}) {
    if (!AddToModule(cx, module, name, cls)) return false;
  }
  return true;
}

// ---- resource

double Seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6; }

Ref GetRUsage(Context& cx, Value, const Args& args) {
  int64_t who;
  if (!ToInt64(cx, args[0], &who)) return nullptr;
  rusage u;
  if (::getrusage(static_cast<__rusage_who>(who), &u) != 0) return RaiseValueError(cx, "invalid who parameter");
  Ref result = NewModule(cx, "struct_rusage");
  if (!result) return nullptr;
  Module* m = result.as<Module>();
  if (!AddToModule(cx, m, "ru_maxrss", NewInt(cx, u.ru_maxrss)) ||
      !AddToModule(cx, m, "ru_utime", NewFloat(cx, Seconds(u.ru_utime))) ||
      !AddToModule(cx, m, "ru_stime", NewFloat(cx, Seconds(u.ru_stime))) ||
      !AddToModule(cx, m, "ru_minflt", NewInt(cx, u.ru_minflt)) ||
      !AddToModule(cx, m, "ru_majflt", NewInt(cx, u.ru_majflt)) ||
      !AddToModule(cx, m, "ru_nvcsw", NewInt(cx, u.ru_nvcsw)) ||
      !AddToModule(cx, m, "ru_nivcsw", NewInt(cx, u.ru_nivcsw))) {
    return nullptr;
  }
  return result;
}

const MethodDef kResourceFunctions[] = {
    {"getrusage", GetRUsage, 1, 1},
    {},
};

bool InitResource(Context& cx, Module* module) {
  return AddToModule(cx, module, "RUSAGE_SELF", Ref::Small(RUSAGE_SELF)) &&
         AddToModule(cx, module, "RUSAGE_CHILDREN", Ref::Small(RUSAGE_CHILDREN)) &&
         AddToModule(cx, module, "RUSAGE_THREAD", Ref::Small(RUSAGE_THREAD));
}

// ---- faulthandler: a watchdog that ends the process

class Watchdog {
 public:
  // False: no thread could be started.
  bool Start(uint64_t ns, bool repeat, bool exit) {
    Stop();
    ns_ = ns;
    repeat_ = repeat;
    exit_ = exit;
    cancelled_ = false;
    return thread_.Start([this] { Run(); });
  }

  void Stop() {
    if (!thread_.joinable()) return;
    {
      MutexLock lock(&mutex_);
      cancelled_ = true;
      changed_.Broadcast();
    }
    thread_.Join();
  }

  ~Watchdog() { Stop(); }

 private:
  void Run() {
    MutexLock lock(&mutex_);
    do {
      const uint64_t deadline = MonotonicNs() + ns_;
      while (!cancelled_ && changed_.WaitUntil(&mutex_, deadline)) {
      }
      if (cancelled_) return;
      std::fprintf(stderr, "Timeout (%llu.%03llu s)!\n", static_cast<unsigned long long>(ns_ / kSecondNs),
                   static_cast<unsigned long long>(ns_ / 1'000'000 % 1000));
      if (exit_) ::_exit(1);
    } while (repeat_);
  }

  Mutex mutex_{0};
  CondVar changed_{0};
  Thread thread_;
  uint64_t ns_ = 0;
  bool repeat_ = false;
  bool exit_ = false;
  bool cancelled_ = false;  // under mutex_
};

struct FaulthandlerState {
  Watchdog watchdog;
  bool enabled = false;
};

Ref FaultEnable(Context& cx, Value, const Args&) {
  cx.rt.State<FaulthandlerState>().enabled = true;
  return cx.NoneRef();
}

Ref FaultDisable(Context& cx, Value, const Args&) {
  FaulthandlerState& state = cx.rt.State<FaulthandlerState>();
  const bool was = state.enabled;
  state.enabled = false;
  return cx.BoolRef(was);
}

Ref FaultIsEnabled(Context& cx, Value, const Args&) { return cx.BoolRef(cx.rt.State<FaulthandlerState>().enabled); }

Ref DumpLater(Context& cx, Value, const Args& args) {
  Value v[4];
  if (!ParseArgs(cx, "dump_traceback_later", args, {"timeout", "repeat", "file", "exit"}, 1, v)) return nullptr;
  int64_t ns;
  if (!ToNanoseconds(cx, v[0], "timeout", &ns)) return nullptr;
  if (ns <= 0) return RaiseValueError(cx, "timeout must be greater than 0");
  const int repeat = v[1] ? IsTrue(cx, v[1]) : 0;
  const int exit = v[3] ? IsTrue(cx, v[3]) : 0;
  if (repeat < 0 || exit < 0) return nullptr;
  if (!cx.rt.State<FaulthandlerState>().watchdog.Start(static_cast<uint64_t>(ns), repeat, exit)) {
    return RaiseRuntimeError(cx, "unable to start watchdog thread");
  }
  return cx.NoneRef();
}

Ref CancelDumpLater(Context& cx, Value, const Args&) {
  cx.rt.State<FaulthandlerState>().watchdog.Stop();
  return cx.NoneRef();
}

const MethodDef kFaulthandlerFunctions[] = {
    {"enable", FaultEnable, 0, -1, kMethodKeywords},
    {"disable", FaultDisable, 0, 0},
    {"is_enabled", FaultIsEnabled, 0, 0},
    {"dump_traceback_later", DumpLater, 1, 4, kMethodKeywords},
    {"cancel_dump_traceback_later", CancelDumpLater, 0, 0},
    {},
};

}  // namespace

const ModuleDef kZlibModule = {"zlib", kZlibFunctions, nullptr};
const ModuleDef kCtypesModule = {"ctypes", nullptr, InitCtypes};
const ModuleDef kResourceModule = {"resource", kResourceFunctions, InitResource};
const ModuleDef kFaulthandlerModule = {"faulthandler", kFaulthandlerFunctions, nullptr};

}  // namespace tidepool::rt
