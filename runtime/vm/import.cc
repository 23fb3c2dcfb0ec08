// Imports: native modules, bundled sources, and a source file beside the script.
//
// A module stands in sys.modules while its code runs.  Another thread that wants it meanwhile waits, unless it is
// itself being waited for (then it gets the unfinished module, as CPython does for circular imports).
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "tidepool/base/cond_var.h"
#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/lang/compile.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/attrs.h"
#include "tidepool/runtime/vm/class_internal.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/exception.h"
#include "tidepool/runtime/vm/frame.h"
#include "tidepool/runtime/vm/import.h"
#include "tidepool/runtime/vm/interp_ops.h"
#include "tidepool/runtime/vm/module.h"
#include "tidepool/runtime/vm/protocol.h"
#include "tidepool/runtime/vm/traceback.h"

namespace tidepool::rt {

// ---- module objects ------------------------------------------------------------------------------------------------

namespace {

Ref ModuleName(Context& cx, Module* m) {
  Ref r;
  DictGetStr(cx, PeekSlot(m->dict).as<Dict>(), cx.rt.names.name, &r);
  return r;
}
Ref ModuleRepr(Context& cx, Value self) {
  Ref name = ModuleName(cx, self.as<Module>());
  Ref file;
  DictGetStr(cx, PeekSlot(self.as<Module>()->dict).as<Dict>(), cx.rt.names.file, &file);
  std::string text = "<module ";
  if (!name) {
    text += "'?'";
  } else if (!AppendRepr(cx, &text, name)) {
    return Ref();
  }
  if (!file) return NewStr(cx, text + " (built-in)>");
  text += " from ";
  if (!AppendRepr(cx, &text, file)) return Ref();
  return NewStr(cx, text + ">");
}
Ref ModuleGetAttr(Context& cx, Value self, Str* name) {
  Ref r;
  Dict* d = PeekSlot(self.as<Module>()->dict).as<Dict>();
  if (DictGetStr(cx, d, name, &r) == 1) return r;
  Ref own = LookupSpecial(cx, self, name);
  if (own) return GenericGetAttr(cx, self, name);
  Ref hook;
  if (DictGetStr(cx, d, cx.rt.names.getattr, &hook) == 1) return Call(cx, hook, name);
  if (d == cx.rt.builtins) {
    r = LateBuiltin(cx, name);
    if (r || cx.has_exception()) return r;
  }
  Ref module = ModuleName(cx, self.as<Module>());
  return Raise(cx, cx.rt.exc.AttributeError, "module %s has no attribute '%s'", module ? ReprText(cx, module).c_str() : "'?'", ToUtf8(name).c_str());
}
bool ModuleSetAttr(Context& cx, Value self, Str* name, Value value) {
  Dict* d = PeekSlot(self.as<Module>()->dict).as<Dict>();
  if (!value.is_null()) return DictSetStr(cx, d, name, value);
  const int r = DictDelete(cx, d, name);
  if (r == 0) RaiseAttributeError(cx, self, name);
  return r > 0;
}
Ref ModuleGetDict(Context&, Value self) { return LoadSlot(self.object(), self.as<Module>()->dict); }
Ref ModuleCreate(Context& cx, Class*, const Args& args) {
  if (args.npos < 1 || !IsStr(args[0])) return RaiseTypeError(cx, "module() argument 'name' must be str");
  return NewModule(cx, ToUtf8(args[0].as<Str>()));
}
const GetSetDef kModuleGetSet[] = {{"__dict__", ModuleGetDict, nullptr}, {nullptr, nullptr, nullptr}};
void VisitModule(Object* o, SlotVisitor& v) { v.Visit(static_cast<Module*>(o)->dict); }
void ClearModule(Context& cx, Object* o) { DictClear(cx, PeekSlot(static_cast<Module*>(o)->dict).as<Dict>()); }
void DestroyModule(Context& cx, Object* o) { DecrefValue(cx.ts, PeekSlot(static_cast<Module*>(o)->dict)); }
const NativeType kModuleType = {
    .name = "module", .layout = Layout::kModule, .size = sizeof(Module), .flags = kTypeHasRefs | kTypeWeakrefs | kTypeTrackLater,
    .slots = {.repr = ModuleRepr, .getattr = ModuleGetAttr, .setattr = ModuleSetAttr, .create = ModuleCreate},
    .getset = kModuleGetSet, .traverse = VisitModule, .clear = ClearModule, .destroy = DestroyModule};

}  // namespace

bool InitModuleType(Context& cx) {
  cx.rt.cls.module = DefineType(cx, kModuleType);
  return cx.rt.cls.module != nullptr;
}

Ref NewModule(Context& cx, std::string_view name) {
  Module* m = NewNative<Module>(cx, cx.rt.cls.module);
  if (m == nullptr) return Ref();
  Ref self = Ref::Steal(m);
  Ref d = NewDict(cx);
  Ref n = NewStr(cx, name);
  if (!d || !n) return Ref();
  Dict* dict = d.as<Dict>();
  InitSlot(m->dict, std::move(d));
  TrackNew(m);
  SetDeferred(cx.ts, m);
  if (!DictSetStr(cx, dict, cx.rt.names.name, n) || !DictSetStr(cx, dict, cx.rt.names.doc, cx.None())) return Ref();
  return self;
}

Dict* ModuleDict(Module* m) { return PeekSlot(m->dict).as<Dict>(); }

bool AddToModule(Context& cx, Module* m, const char* name, Ref value) {
  if (!value) return false;
  Str* s = Intern(cx, name);
  return s != nullptr && DictSetStr(cx, ModuleDict(m), s, value);
}

bool AddToModule(Context& cx, Module* m, const char* name, Class* cls) {
  return cls != nullptr && AddToModule(cx, m, name, Ref::New(cls));
}

// ---- sources ----------------------------------------------------------------------------------------------------------

namespace {

void RaiseSyntaxError(Context& cx, const lang::SyntaxErrorInfo& info) {
  using Kind = lang::SyntaxErrorInfo::Kind;
  Class* cls = info.kind == Kind::kTab ? cx.rt.exc.TabError : info.kind == Kind::kIndentation ? cx.rt.exc.IndentationError : cx.rt.exc.SyntaxError;
  Ref message = NewStr(cx, info.message);
  Ref file = NewStr(cx, info.filename);
  Ref text = NewStr(cx, info.text);
  Ref report = NewStr(cx, info.Format());
  if (!message || !file || !text || !report) return;
  Value detail[] = {file, Value::Small(info.line), Value::Small(info.column), text};
  Ref where = NewTuple(cx, detail, 4);
  if (!where) return;
  Value args[] = {message, where};
  Ref e = NewException(cx, cls, args, 2);
  Str* key = Intern(cx, "_tidepool_report");
  if (!e || key == nullptr || !SetAttr(cx, e, key, report)) return;
  RaiseObject(cx, e);
}

}  // namespace

Code* CompileSource(Context& cx, std::string_view source, std::string_view filename, const lang::CompileOptions& options) {
  lang::SyntaxErrorInfo info;
  std::shared_ptr<lang::CodeUnit> unit = lang::CompileModule(source, filename, options, &info);
  if (unit == nullptr) {
    RaiseSyntaxError(cx, info);
    return nullptr;
  }
  return LinkCode(cx, std::move(unit));
}

bool ReadFile(const std::string& path, std::string* out) {
  FILE* f = fopen(path.c_str(), "rb");
  if (f == nullptr) return false;
  char buffer[65536];
  size_t n;
  while ((n = fread(buffer, 1, sizeof buffer, f)) > 0) out->append(buffer, n);
  const bool ok = ferror(f) == 0;
  fclose(f);
  return ok;
}

// ---- finding and running ------------------------------------------------------------------------------------------------

namespace {

struct InProgress {
  std::string name;
  ThreadState* owner;
};
struct ImportState {
  Mutex mutex{};
  CondVar done{};
  std::vector<InProgress> list;
};

Ref FindInModules(Context& cx, Str* name) {
  Ref m;
  DictGetStr(cx, cx.rt.modules, name, &m);
  return m;
}

bool RunSource(Context& cx, Module* m, std::string_view source, const std::string& filename) {
  Code* code = CompileSource(cx, source, filename);
  if (code == nullptr) return false;
  if (!AddToModule(cx, m, "__file__", NewStr(cx, filename))) return false;
  return static_cast<bool>(RunModuleCode(cx, code, ModuleDict(m)));
}

// Makes and fills the module, which is put into sys.modules first and taken out again if it fails.
// Modules of Python's library that are not bundled: who asks for one is told so, by a note on the error.
constexpr std::string_view kNotBundled[] = {
    // clang-format off
    "aifc", "ast", "asyncio", "asyncore", "audioop", "base64", "bdb", "binascii", "bz2", "cProfile",
    "calendar", "cgi", "cmath", "cmd", "code", "codecs", "codeop", "colorsys", "compileall",
    "configparser", "contextvars", "copyreg", "crypt", "csv", "curses", "datetime", "dbm", "decimal",
    "difflib", "dis", "doctest", "email", "encodings", "errno", "fcntl", "filecmp", "fileinput",
    "fnmatch", "ftplib", "getopt", "getpass", "gettext", "glob", "graphlib", "grp", "gzip", "hmac",
    "html", "http", "imaplib", "importlib", "ipaddress", "linecache", "locale", "logging", "lzma",
    "mailbox", "marshal", "mimetypes", "mmap", "modulefinder", "multiprocessing", "netrc", "numbers",
    "optparse", "pathlib", "pdb", "pickle", "pickletools", "pkgutil", "platform", "plistlib", "poplib",
    "posix", "profile", "pstats", "pty", "pwd", "pyclbr", "pydoc", "re", "readline", "reprlib", "runpy",
    "sched", "secrets", "select", "selectors", "shelve", "shlex", "shutil", "signal", "site", "smtplib",
    "socket", "socketserver", "sqlite3", "ssl", "stat", "stringprep", "symtable", "sysconfig", "syslog",
    "tabnanny", "tarfile", "tempfile", "termios", "test", "timeit", "tkinter", "token", "tokenize",
    "tomllib", "trace", "tracemalloc", "tty", "turtle", "unicodedata", "unittest", "urllib", "uuid",
    "venv", "wave", "webbrowser", "xml", "xmlrpc", "zipapp", "zipfile", "zipimport", "zoneinfo"
    // clang-format on
};

void SayNotBundled(Context& cx, const std::string& name) {
  if (std::find(std::begin(kNotBundled), std::end(kNotBundled), name) == std::end(kNotBundled)) return;
  Ref error = cx.TakeException();
  Str* add_note = Intern(cx, "add_note");
  Ref note = NewStr(cx, "tidepool bundles a part of Python's library, and '" + name + "' is not in it");
  // Without memory the error goes without the note.
  if (add_note == nullptr || !note || !CallMethod(cx, error, add_note, note)) cx.ClearException();
  cx.SetException(std::move(error));
}

Ref LoadModule(Context& cx, const std::string& name, Str* key) {
  const ModuleDef* native = nullptr;
  for (const ModuleDef* const* d = kNativeModules; *d != nullptr; d++) {
    if (name == (*d)->name) native = *d;
  }
  std::string text, filename;
  std::string_view source;
  if (native == nullptr) {
    source = FindBundledSource(name);
    filename = "<bundled>/" + name + ".py";
    if (source.data() == nullptr) {
      const std::string path = (cx.rt.script_dir.empty() ? "" : cx.rt.script_dir + "/") + name + ".py";
      if (name.find('.') != std::string::npos || !ReadFile(path, &text)) {
        const size_t dot = name.rfind('.');
        if (dot != std::string::npos) {
          const std::string parent = name.substr(0, dot);
          Raise(cx, cx.rt.exc.ModuleNotFoundError, "No module named '%s'; '%s' is not a package", name.c_str(), parent.c_str());
        } else {
          Raise(cx, cx.rt.exc.ModuleNotFoundError, "No module named '%s'", name.c_str());
        }
        if (PendingIs(cx, cx.rt.exc.ModuleNotFoundError)) {
          InitSlot(cx.exception().as<Exception>()->extra, Ref::New(key));
          SayNotBundled(cx, name);
        }
        return Ref();
      }
      source = text;
      filename = path;
    }
  }
  Ref m = NewModule(cx, name);
  if (!m || !DictSetStr(cx, cx.rt.modules, key, m)) return Ref();
  bool ok = true;
  if (native != nullptr) {
    Ref module_name = NewStr(cx, name);
    for (const MethodDef* f = native->functions; ok && f != nullptr && f->name != nullptr; f++) {
      ok = AddToModule(cx, m.as<Module>(), f->name, NewNativeFunction(cx, f, m, module_name));
    }
    ok = ok && (native->init == nullptr || native->init(cx, m.as<Module>()));
  } else {
    ok = RunSource(cx, m.as<Module>(), source, filename);
  }
  if (!ok) {
    PendingScope pending(cx);
    if (DictDelete(cx, cx.rt.modules, key) < 0) cx.ClearException();
    return Ref();
  }
  return FindInModules(cx, key);
}

}  // namespace

Ref ImportModule(Context& cx, std::string_view name_view) {
  const std::string name(name_view);
  Str* key = Intern(cx, name);
  if (key == nullptr) return Ref();
  ImportState& state = cx.rt.State<ImportState>();
  bool mine = false;
  for (;;) {
    bool wait = false;
    LockMutex(cx.ts, &state.mutex);
    for (const InProgress& p : state.list) {
      if (p.name == name) wait = p.owner != cx.ts;
    }
    state.mutex.Unlock();
    if (!wait) {
      Ref m = FindInModules(cx, key);
      if (m) {  // perhaps unfinished, by this thread
        if (m.get() == cx.None()) return Raise(cx, cx.rt.exc.ModuleNotFoundError, "import of %s halted; None in sys.modules", name.c_str());
        return m;
      }
      LockMutex(cx.ts, &state.mutex);
      bool taken = false, nested = false;
      for (const InProgress& p : state.list) {
        taken |= p.name == name;
        nested |= p.name == name && p.owner == cx.ts;
      }
      if (!taken) {
        state.list.push_back({name, cx.ts});
        mine = true;
      }
      state.mutex.Unlock();
      // nested: a package whose code imports the very part of it that is being imported.
      if (mine || nested) break;
      continue;
    }
    BlockingScope blocking(cx.ts);
    MutexLock lock(&state.mutex);
    for (const InProgress& p : state.list) {
      if (p.name == name) {
        state.done.WaitUntil(&state.mutex, MonotonicNs() + 20'000'000);
        break;
      }
    }
  }
  Ref result;
  const size_t dot = name.rfind('.');
  Ref parent;
  if (dot != std::string::npos) parent = ImportModule(cx, name.substr(0, dot));
  if (dot == std::string::npos || parent) {
    result = FindInModules(cx, key);  // the parent may have imported it
    if (!result) result = LoadModule(cx, name, key);
    if (result && parent) {
      Str* tail = Intern(cx, name.substr(dot + 1));
      if (tail == nullptr || !SetAttr(cx, parent, tail, result)) result.reset();
    }
  }
  if (!mine) return result;
  LockMutex(cx.ts, &state.mutex);
  for (size_t i = 0; i < state.list.size(); i++) {
    if (state.list[i].name == name) {
      state.list.erase(state.list.begin() + static_cast<int64_t>(i));
      break;
    }
  }
  state.mutex.Unlock();
  state.done.Broadcast();
  return result;
}

// ---- instructions -----------------------------------------------------------------------------------------------------------

Ref ImportName(Context& cx, Frame* f, Str* name, Value level, Value fromlist) {
  std::string full = ToUtf8(name);
  if (level.is_small_int() && level.small_int() > 0) {
    // Relative to the package of the importing module.
    Ref own;
    if (DictGetStr(cx, f->globals, cx.rt.names.name, &own) != 1 || !IsStr(own)) return Raise(cx, cx.rt.exc.ImportError, "attempted relative import with no known parent package");
    std::string package = ToUtf8(own.as<Str>());
    for (int64_t i = 0; i < level.small_int(); i++) {
      const size_t dot = package.rfind('.');
      if (dot == std::string::npos) return Raise(cx, cx.rt.exc.ImportError, "attempted relative import with no known parent package");
      package.resize(dot);
    }
    full = full.empty() ? package : package + "." + full;
  }
  Ref m = ImportModule(cx, full);
  if (!m || fromlist != cx.None()) return m;
  const size_t dot = full.find('.');
  return dot == std::string::npos ? std::move(m) : ImportModule(cx, full.substr(0, dot));
}

Ref ImportFrom(Context& cx, Value module, Str* name) {
  Ref r = GetAttrOptional(cx, module, name);
  if (r || cx.has_exception()) return r;
  Ref package = GetAttrOptional(cx, module, cx.rt.names.name);
  if (cx.has_exception()) return Ref();
  if (package && IsStr(package)) {
    r = ImportModule(cx, ToUtf8(package.as<Str>()) + "." + ToUtf8(name));
    if (r) return r;
    if (!ClearIf(cx, cx.rt.exc.ModuleNotFoundError)) return Ref();
  }
  Ref file = GetAttrOptional(cx, module, cx.rt.names.file);
  if (cx.has_exception()) cx.ClearException();
  std::string where = file && IsStr(file) ? ToUtf8(file.as<Str>()) : "unknown location";
  Raise(cx, cx.rt.exc.ImportError, "cannot import name '%s' from %s (%s)", ToUtf8(name).c_str(),
        package ? ReprText(cx, package).c_str() : "'?'", where.c_str());
  if (package && PendingIs(cx, cx.rt.exc.ImportError)) InitSlot(cx.exception().as<Exception>()->extra, std::move(package));
  return Ref();
}

}  // namespace tidepool::rt
