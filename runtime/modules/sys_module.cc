// Module sys: the program, the interpreter's limits, the standard streams.
//
// sys.stdin, stdout and stderr are our own file objects (file.h) on descriptors 0 to 2.
#include <unistd.h>

#include <cstdio>
#include <string>

#include "tidepool/allocator/stats_page.h"
#include "tidepool/object/isolate.h"
#include "tidepool/runtime/modules/common.h"
#include "tidepool/runtime/modules/file.h"
#include "tidepool/runtime/modules/modules.h"
#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/exception.h"
#include "tidepool/runtime/vm/frame.h"
#include "tidepool/runtime/vm/function.h"

namespace tidepool::rt {

Ref SysExit(Context& cx, Value, const Args& args) {
  Ref exit = args.size() == 1 ? Call(cx, cx.rt.exc.SystemExit, args[0]) : Call(cx, cx.rt.exc.SystemExit);
  if (exit) RaiseObject(cx, exit);
  return nullptr;
}

namespace {

ProgramInfo g_program;  // set once by main before the first runtime starts, read-only afterwards

Ref GetRefCount(Context& cx, Value, const Args& args) {
  // A small number is not counted; CPython 3.11's small integers have large counts too.
  if (!args[0].is_object()) return NewInt(cx, 1 << 30);
  if (IsImmortal(args[0].object())) return NewInt(cx, 1 << 30);
  return NewInt(cx, RefCount(args[0].object()));
}

Ref DefaultEncoding(Context& cx, Value, const Args&) { return NewStr(cx, "utf-8"); }

Ref InternText(Context& cx, Value, const Args& args) {
  if (!IsExact(args[0], cx.rt.cls.str)) {
    return RaiseTypeError(cx, "intern() argument must be str, not %s", ClassName(cx, args[0]));
  }
  Str* s = Intern(cx, args[0]);
  return s == nullptr ? Ref() : Ref::New(s);
}

Ref IsGilEnabled(Context& cx, Value, const Args&) { return cx.BoolRef(false); }

Ref IsFinalizing(Context& cx, Value, const Args&) { return cx.BoolRef(false); }

Ref GetRecursionLimit(Context& cx, Value, const Args&) { return NewInt(cx, cx.rt.options.recursion_limit); }

Ref SetRecursionLimit(Context& cx, Value, const Args& args) {
  int64_t n;
  if (!ToInt32(cx, args[0], &n)) return nullptr;
  if (n < 1) return RaiseValueError(cx, "recursion limit must be greater or equal than 1");
  cx.rt.options.recursion_limit = n;
  return cx.NoneRef();
}

Ref ExcInfo(Context& cx, Value, const Args&) {
  for (HandledException* e = cx.exc_info; e != nullptr; e = e->prev) {
    if (!e->value || e->value == cx.None()) continue;
    Ref traceback = GetAttr(cx, e->value, cx.rt.names.traceback);
    if (!traceback) return nullptr;
    return Pack(cx, ClassOf(cx, e->value), e->value, traceback);
  }
  return Pack(cx, cx.None(), cx.None(), cx.None());
}

Ref Exception(Context& cx, Value, const Args&) {
  for (HandledException* e = cx.exc_info; e != nullptr; e = e->prev) {
    if (e->value && e->value != cx.None()) return Ref::New(e->value);
  }
  return cx.NoneRef();
}

struct SysModuleState {
  double switch_interval = 0.005;
};

Ref GetSwitchInterval(Context& cx, Value, const Args&) {
  return NewFloat(cx, cx.rt.State<SysModuleState>().switch_interval);
}

Ref SetSwitchInterval(Context& cx, Value, const Args& args) {
  double seconds;
  if (!ToDouble(cx, args[0], &seconds)) return nullptr;
  if (!(seconds > 0)) return RaiseValueError(cx, "switch interval must be strictly positive");
  cx.rt.State<SysModuleState>().switch_interval = seconds;
  return cx.NoneRef();
}

// excepthook(type, value, traceback): the report of an uncaught exception; the value carries its traceback.
Ref ExceptHook(Context& cx, Value, const Args& args) {
  PrintException(cx, args[1]);
  return cx.NoneRef();
}

Ref GetSizeOf(Context& cx, Value, const Args& args) {
  if (!args[0].is_object()) return Ref::Small(args[0].is_small_int() ? 28 : 24);
  return NewInt(cx, static_cast<int64_t>(HeapDomain::UsableSize(args[0].object())));
}

// As CPython's: for people, on standard error.
Ref DebugMallocStats(Context& cx, Value, const Args&) {
  const std::string text = StatsByClass(cx.rt.isolate->heap());
  fwrite(text.data(), 1, text.size(), stderr);
  return cx.NoneRef();
}

// _getframe(depth): the frame that many calls up.
Ref GetFrame(Context& cx, Value, const Args& args) {
  int64_t depth = 0;
  if (args.size() == 1 && !ToInt64(cx, args[0], &depth)) return Ref();
  Frame* f = cx.frame;
  for (; depth > 0 && f != nullptr; depth--) f = f->prev;
  if (f == nullptr) return RaiseValueError(cx, "call stack is not deep enough");
  FrameObject* o = GetFrameObject(cx, f);
  return o == nullptr ? Ref() : Ref::New(o);
}

// _traceback_entry(traceback or frame): (file name, line, function name, the entry as text), for module traceback.
Ref TracebackEntry(Context& cx, Value, const Args& args) {
  Ref frame;
  const uint32_t* pc = nullptr;
  if (Traceback* t = As<Traceback>(args[0])) {
    frame = LoadSlot(t, t->frame);
    pc = t->pc;
  } else if (Is<FrameObject>(args[0])) {
    frame = Ref::New(args[0]);
    pc = FramePc(cx, args[0].as<FrameObject>());
  }
  if (!frame) return RaiseTypeError(cx, "a traceback or a frame is needed, not %s", ClassName(cx, args[0]));
  const Code* code = frame.as<FrameObject>()->code;
  Ref line = Ref::Small(LineAt(code, pc));
  Ref text = NewStr(cx, FrameEntry(frame.as<FrameObject>(), pc));
  if (!text) return Ref();
  Value v[] = {code->filename, line, code->name, text};
  return NewTuple(cx, v, 4);
}

// _format_exception(exception): the whole report.
Ref FormatReport(Context& cx, Value, const Args& args) {
  if (!Is<rt::Exception>(args[0])) return RaiseTypeError(cx, "an exception is needed, not %s", ClassName(cx, args[0]));
  return NewStr(cx, FormatException(cx, args[0]));
}

// For types.coroutine: the generators of this function can be awaited.
Ref MarkAwaitable(Context& cx, Value, const Args& args) {
  if (!Is<Function>(args[0])) return RaiseTypeError(cx, "a function is needed, not %s", ClassName(cx, args[0]));
  args[0].as<Function>()->awaitable_generator.store(1, kRelaxed);  // relaxed: a fact of its own
  return Ref::New(args[0]);
}

const MethodDef kFunctions[] = {
    {"_format_exception", FormatReport, 1, 1},
    {"_getframe", GetFrame, 0, 1},
    {"_mark_awaitable", MarkAwaitable, 1, 1},
    {"_traceback_entry", TracebackEntry, 1, 1},
    {"_debugmallocstats", DebugMallocStats, 0, 0},
    {"exit", SysExit, 0, 1},
    {"getrefcount", GetRefCount, 1, 1},
    {"intern", InternText, 1, 1},
    {"getdefaultencoding", DefaultEncoding, 0, 0},
    {"getfilesystemencoding", DefaultEncoding, 0, 0},
    {"_is_gil_enabled", IsGilEnabled, 0, 0},
    {"is_finalizing", IsFinalizing, 0, 0},
    {"getrecursionlimit", GetRecursionLimit, 0, 0},
    {"setrecursionlimit", SetRecursionLimit, 1, 1},
    {"exc_info", ExcInfo, 0, 0},
    {"excepthook", ExceptHook, 3, 3},
    {"exception", Exception, 0, 0},
    {"getswitchinterval", GetSwitchInterval, 0, 0},
    {"setswitchinterval", SetSwitchInterval, 1, 1},
    {"getsizeof", GetSizeOf, 1, 2},
    {},
};

// A thing with attributes only: sys.implementation, sys.flags.
Ref NewNamespace(Context& cx) {
  // A module object serves: attributes in a dict.
  return NewModule(cx, "namespace");
}

bool AddImplementation(Context& cx, Module* module) {
  Ref implementation = NewNamespace(cx);
  if (!implementation) return false;
  Module* m = implementation.as<Module>();
  return AddToModule(cx, m, "name", NewStr(cx, cx.rt.options.implementation_name)) &&
         AddToModule(cx, m, "cache_tag", cx.NoneRef()) &&
         AddToModule(cx, module, "implementation", std::move(implementation));
}

// sys.version_info: a tuple whose parts have names.
template <size_t kPart>
Ref VersionPart(Context&, Value self) {
  return Ref::New(self.as<Tuple>()->Get(kPart));
}

const GetSetDef kVersionParts[] = {
    {"major", VersionPart<0>, nullptr},        {"minor", VersionPart<1>, nullptr},  {"micro", VersionPart<2>, nullptr},
    {"releaselevel", VersionPart<3>, nullptr}, {"serial", VersionPart<4>, nullptr}, {},
};

Ref VersionRepr(Context& cx, Value, const Args&) {
  return NewStr(cx, "sys.version_info(major=3, minor=11, micro=0, releaselevel='final', serial=0)");
}

const MethodDef kVersionRepr = {"__repr__", VersionRepr, 0, 0};

Ref NoVersion(Context& cx, Class*, const Args&) { return RaiseTypeError(cx, "cannot create 'sys.version_info' instances"); }

// The class: what a class statement with these attributes makes.
Ref NewVersionClass(Context& cx) {
  Class* tuple = cx.rt.cls.tuple;
  Ref attributes = NewDict(cx);
  if (!attributes) return nullptr;
  Dict* d = attributes.as<Dict>();
  if (!SetItemText(cx, d, "__slots__", NewTuple(cx, nullptr, 0)) || !SetItemText(cx, d, "__module__", NewStr(cx, "sys")) ||
      !SetItemText(cx, d, kVersionRepr.name, NewMethodDescriptor(cx, &kVersionRepr, tuple))) {
    return nullptr;
  }
  Ref fields = NewList(cx);
  for (const GetSetDef* part = kVersionParts; fields && part->name != nullptr; part++) {
    if (!SetItemText(cx, d, part->name, NewGetSet(cx, part, tuple)) ||
        !ListAppendSteal(cx, fields.as<List>(), NewStr(cx, part->name))) {
      return nullptr;
    }
  }
  if (!fields || !SetItemText(cx, d, "__match_args__", ListAsTuple(cx, fields.as<List>())) ||
      !SetItemText(cx, d, "n_fields", Ref::Small(5)) || !SetItemText(cx, d, "n_sequence_fields", Ref::Small(5)) ||
      !SetItemText(cx, d, "n_unnamed_fields", Ref::Small(0))) {
    return nullptr;
  }
  Ref name = NewStr(cx, "version_info");
  Ref bases = Pack(cx, Value(tuple));
  return name && bases ? Call(cx, cx.rt.cls.type, name, bases, attributes) : Ref();
}

bool AddVersion(Context& cx, Module* module) {
  Ref cls = NewVersionClass(cx);
  Ref level = cls ? NewStr(cx, "final") : Ref();
  if (!level) return false;
  Value parts[] = {Value::Small(3), Value::Small(11), Value::Small(0), level, Value::Small(0)};
  Ref plain = NewTuple(cx, parts, 5);
  Ref info = plain ? Call(cx, cls, plain) : Ref();
  if (info) cls.as<Class>()->slots.create = NoVersion;  // there is no other one
  return AddToModule(cx, module, "version_info", std::move(info)) &&
         AddToModule(cx, module, "version", NewStr(cx, "3.11.0 (tidepool)")) &&
         AddToModule(cx, module, "hexversion", NewInt(cx, 0x030b00f0)) &&
         AddToModule(cx, module, "api_version", NewInt(cx, 1013));
}

// The path of the running program, so that a script can start it again from any folder.
std::string Executable() {
  char path[4096];
  const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? std::string(path, static_cast<size_t>(n)) : g_program.executable;
}

bool AddProgram(Context& cx, Module* module) {
  Ref argv = NewList(cx);
  if (!argv) return false;
  for (int i = 0; i < g_program.argc; i++) {
    Ref text = NewStr(cx, g_program.argv[i]);
    if (!text || !ListAppend(cx, argv.as<List>(), text)) return false;
  }
  if (g_program.argc == 0 && !ListAppend(cx, argv.as<List>(), cx.rt.names.empty)) return false;
  return AddToModule(cx, module, "argv", std::move(argv)) &&
         AddToModule(cx, module, "executable", NewStr(cx, Executable())) &&
         AddToModule(cx, module, "path", NewList(cx)) && AddToModule(cx, module, "warnoptions", NewList(cx));
}

bool AddLimits(Context& cx, Module* module) {
  Ref info = NewNamespace(cx);
  if (!info) return false;
  Module* f = info.as<Module>();
  if (!AddToModule(cx, f, "max", NewFloat(cx, 1.7976931348623157e308)) ||
      !AddToModule(cx, f, "min", NewFloat(cx, 2.2250738585072014e-308)) ||
      !AddToModule(cx, f, "epsilon", NewFloat(cx, 2.220446049250313e-16)) ||
      !AddToModule(cx, f, "dig", Ref::Small(15)) || !AddToModule(cx, f, "mant_dig", Ref::Small(53)) ||
      !AddToModule(cx, module, "float_info", std::move(info))) {
    return false;
  }
  Ref flags = NewNamespace(cx);
  if (!flags) return false;
  Module* g = flags.as<Module>();
  for (const char* name : {"debug", "inspect", "interactive", "optimize", "verbose", "quiet", "dev_mode"}) {
    if (!AddToModule(cx, g, name, Ref::Small(0))) return false;
  }
  return AddToModule(cx, module, "flags", std::move(flags)) && AddToModule(cx, module, "maxsize", NewInt(cx, INT64_MAX)) &&
         AddToModule(cx, module, "maxunicode", NewInt(cx, 0x10FFFF));
}

bool AddStreams(Context& cx, Module* module) {
  static const struct {
    const char* name;
    const char* hidden;
    const char* shown;
    int fd;
    bool writable;
  } kStreams[] = {{"stdin", "__stdin__", "<stdin>", 0, false},
                  {"stdout", "__stdout__", "<stdout>", 1, true},
                  {"stderr", "__stderr__", "<stderr>", 2, true}};
  for (const auto& s : kStreams) {
    Ref file = NewStandardStream(cx, s.fd, s.shown, s.writable);
    if (!file || !AddToModule(cx, module, s.hidden, file.Copy()) || !AddToModule(cx, module, s.name, std::move(file))) {
      return false;
    }
  }
  return true;
}

bool InitModule(Context& cx, Module* module) {
  return AddImplementation(cx, module) && AddVersion(cx, module) && AddProgram(cx, module) && AddLimits(cx, module) &&
         AddStreams(cx, module) && AddToModule(cx, module, "platform", NewStr(cx, "linux")) &&
         AddToModule(cx, module, "byteorder", NewStr(cx, "little")) &&
         AddToModule(cx, module, "copyright", NewStr(cx, "")) &&
         AddToModule(cx, module, "modules", Ref::New(cx.rt.modules));
}

}  // namespace

void SetProgramInfo(const ProgramInfo& info) { g_program = info; }

const ModuleDef kSysModule = {"sys", kFunctions, InitModule};

}  // namespace tidepool::rt
