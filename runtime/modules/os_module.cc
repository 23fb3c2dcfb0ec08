// Module _os: what os and subprocess are made of.
#include <fcntl.h>
#include <dirent.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "tidepool/runtime/modules/common.h"
#include "tidepool/runtime/modules/modules.h"
#include "tidepool/runtime/modules/spawn.h"

extern char** environ;

namespace tidepool::rt {
namespace {

Ref OsGetPid(Context&, Value, const Args&) { return Ref::Small(::getpid()); }
Ref OsGetPpid(Context&, Value, const Args&) { return Ref::Small(::getppid()); }
Ref OsCpuCount(Context&, Value, const Args&) { return Ref::Small(::sysconf(_SC_NPROCESSORS_ONLN)); }

Ref OsExit(Context& cx, Value, const Args& args) {
  int64_t status;
  if (!ToInt64(cx, args[0], &status)) return nullptr;
  ::_exit(static_cast<int>(status));
}

Ref OsAbort(Context&, Value, const Args&) { ::abort(); }

Ref OsURandom(Context& cx, Value, const Args& args) {
  int64_t n;
  if (!ToInt64(cx, args[0], &n)) return nullptr;
  if (n < 0) return RaiseValueError(cx, "negative argument not allowed");
  Bytes* b = NewBytesRoom(cx, static_cast<size_t>(n));
  if (b == nullptr) return nullptr;
  Ref r = Ref::Steal(b);
  if (!RealOs()->RandomBytes(b->data, static_cast<size_t>(n))) return RaiseOsError(cx, errno, nullptr);
  return r;
}

Ref OsGetCwd(Context& cx, Value, const Args&) {
  char buffer[4096];
  if (::getcwd(buffer, sizeof buffer) == nullptr) return RaiseOsError(cx, errno, nullptr);
  return NewStr(cx, buffer);
}

Ref OsEnviron(Context& cx, Value, const Args&) {
  Ref dict = NewDict(cx);
  if (!dict) return nullptr;
  for (char** p = environ; p != nullptr && *p != nullptr; p++) {
    const char* equals = std::strchr(*p, '=');
    if (equals == nullptr) continue;
    Ref key = NewStr(cx, std::string_view(*p, static_cast<size_t>(equals - *p)));
    Ref value = key ? NewStr(cx, equals + 1) : Ref();
    if (!value || !DictSet(cx, dict.as<Dict>(), key, value)) return nullptr;
  }
  return dict;
}

Ref OsSetEnv(Context& cx, Value, const Args& args) {
  std::string name, value;
  if (!PathText(cx, args[0], &name) || !PathText(cx, args[1], &value)) return nullptr;
  ::setenv(name.c_str(), value.c_str(), 1);
  return cx.NoneRef();
}

Ref OsUnsetEnv(Context& cx, Value, const Args& args) {
  std::string name;
  if (!PathText(cx, args[0], &name)) return nullptr;
  ::unsetenv(name.c_str());
  return cx.NoneRef();
}

// A call on one path.
template <class Fn>
Ref OnPath(Context& cx, Value path, Fn fn) {
  std::string text;
  if (!PathText(cx, path, &text)) return nullptr;
  int result, error;
  {
    BlockingScope detached(cx.ts);
    result = fn(text.c_str());
    error = errno;
  }
  if (result != 0) return RaiseOsError(cx, error, text.c_str());
  return cx.NoneRef();
}

Ref OsRemove(Context& cx, Value, const Args& args) { return OnPath(cx, args[0], ::unlink); }
Ref OsRmdir(Context& cx, Value, const Args& args) { return OnPath(cx, args[0], ::rmdir); }
Ref OsChdir(Context& cx, Value, const Args& args) { return OnPath(cx, args[0], ::chdir); }
Ref OsMkdir(Context& cx, Value, const Args& args) {
  int64_t mode = 0777;
  if (args.size() > 1 && !ToInt64(cx, args[1], &mode)) return nullptr;
  return OnPath(cx, args[0], [mode](const char* path) { return ::mkdir(path, static_cast<mode_t>(mode)); });
}
Ref OsRename(Context& cx, Value, const Args& args) {
  std::string to;
  if (!PathText(cx, args[1], &to)) return nullptr;
  return OnPath(cx, args[0], [&](const char* path) { return ::rename(path, to.c_str()); });
}

Ref OsListDir(Context& cx, Value, const Args& args) {
  std::string path = ".";
  if (args.size() == 1 && args[0] != cx.None() && !PathText(cx, args[0], &path)) return nullptr;
  Ref list = NewList(cx);
  if (!list) return nullptr;
  DIR* dir = ::opendir(path.c_str());
  if (dir == nullptr) return RaiseOsError(cx, errno, path.c_str());
  bool good = true;
  while (good) {
    dirent* entry = ::readdir(dir);
    if (entry == nullptr) break;
    if (std::strcmp(entry->d_name, ".") == 0 || std::strcmp(entry->d_name, "..") == 0) continue;
    Ref name = NewStr(cx, entry->d_name);
    good = name && ListAppend(cx, list.as<List>(), name);
  }
  ::closedir(dir);
  if (!good) return nullptr;
  return list;
}

Ref OsStat(Context& cx, Value, const Args& args) {
  std::string path;
  if (!PathText(cx, args[0], &path)) return nullptr;
  struct stat st;
  if (::stat(path.c_str(), &st) != 0) return RaiseOsError(cx, errno, path.c_str());
  Ref result = NewModule(cx, "stat_result");
  if (!result) return nullptr;
  Module* m = result.as<Module>();
  if (!AddToModule(cx, m, "st_size", NewInt(cx, st.st_size)) || !AddToModule(cx, m, "st_mode", NewInt(cx, st.st_mode)) ||
      !AddToModule(cx, m, "st_mtime", NewFloat(cx, static_cast<double>(st.st_mtime)))) {
    return nullptr;
  }
  return result;
}

// 0: nothing there; 1: a file; 2: a folder; 3: something else.
Ref OsPathKind(Context& cx, Value, const Args& args) {
  std::string path;
  if (!PathText(cx, args[0], &path)) return nullptr;
  struct stat st;
  if (::stat(path.c_str(), &st) != 0) return Ref::Small(0);
  return Ref::Small(S_ISREG(st.st_mode) ? 1 : S_ISDIR(st.st_mode) ? 2 : 3);
}

Ref OsSchedYield(Context& cx, Value, const Args&) {
  BlockingScope detached(cx.ts);
  ::sched_yield();
  return cx.NoneRef();
}

Ref OsKill(Context& cx, Value, const Args& args) {
  int64_t pid, number;
  if (!ToInt64(cx, args[0], &pid) || !ToInt64(cx, args[1], &number)) return nullptr;
  if (::kill(static_cast<pid_t>(pid), static_cast<int>(number)) != 0) return RaiseOsError(cx, errno, nullptr);
  return cx.NoneRef();
}

bool StringList(Context& cx, Value iterable, std::vector<std::string>* out) {
  return Iterate(cx, iterable, [&](Value item) {
    std::string text;
    if (!PathText(cx, item, &text)) return false;
    out->push_back(std::move(text));
    return true;
  });
}

// _spawn(argv, input, stdout, stderr, timeout, environment, directory) -> (status or None, out, err)
Ref OsSpawn(Context& cx, Value, const Args& args) {
  SpawnRequest request;
  if (!StringList(cx, args[0], &request.argv)) return nullptr;
  if (request.argv.empty()) return RaiseValueError(cx, "no program to run");
  if (args[1] != cx.None()) {
    BufferView input(cx);
    if (!input.Open(args[1])) return nullptr;
    request.input = std::string(input.view());
    request.has_input = true;
  }
  int64_t out, err;
  double seconds;
  if (!ToInt64(cx, args[2], &out) || !ToInt64(cx, args[3], &err) || !ToDouble(cx, args[4], &seconds)) return nullptr;
  request.out = static_cast<int>(out);
  request.err = static_cast<int>(err);
  if (seconds >= 0) request.deadline_ns = MonotonicNs() + static_cast<uint64_t>(seconds * 1e9);
  if (args[5] != cx.None()) {
    request.has_environment = true;
    if (!StringList(cx, args[5], &request.environment)) return nullptr;
  }
  if (args[6] != cx.None() && !PathText(cx, args[6], &request.directory)) return nullptr;

  FlushStandardStreams(cx);
  SpawnResult result;
  {
    BlockingScope detached(cx.ts);
    result = Spawn(request);
  }
  if (result.error != 0) return RaiseOsError(cx, result.error, request.argv[0].c_str());
  if (!CheckSignals(cx)) return nullptr;
  Ref text = request.out == SpawnRequest::kPipe ? NewBytes(cx, result.out) : cx.NoneRef();
  Ref errors = request.err == SpawnRequest::kPipe ? NewBytes(cx, result.err) : cx.NoneRef();
  if (!text || !errors) return nullptr;
  return Pack(cx, result.timed_out ? cx.None() : Value::Small(result.status), text, errors);
}

const MethodDef kFunctions[] = {
    {"getpid", OsGetPid, 0, 0},
    {"getppid", OsGetPpid, 0, 0},
    {"cpu_count", OsCpuCount, 0, 0},
    {"_exit", OsExit, 1, 1},
    {"abort", OsAbort, 0, 0},
    {"urandom", OsURandom, 1, 1},
    {"getcwd", OsGetCwd, 0, 0},
    {"chdir", OsChdir, 1, 1},
    {"_environ", OsEnviron, 0, 0},
    {"_setenv", OsSetEnv, 2, 2},
    {"_unsetenv", OsUnsetEnv, 1, 1},
    {"remove", OsRemove, 1, 1},
    {"mkdir", OsMkdir, 1, 2},
    {"rmdir", OsRmdir, 1, 1},
    {"rename", OsRename, 2, 2},
    {"listdir", OsListDir, 0, 1},
    {"stat", OsStat, 1, 1},
    {"_path_kind", OsPathKind, 1, 1},
    {"sched_yield", OsSchedYield, 0, 0},
    {"kill", OsKill, 2, 2},
    {"_spawn", OsSpawn, 7, 7},
    {},
};

}  // namespace

const ModuleDef kOsModule = {"_os", kFunctions, nullptr};

}  // namespace tidepool::rt
