// The program: tidepool [options] [script.py | -c CODE | -m MODULE | -] [arguments]
//
//   -c CODE             runs CODE instead of a file
//   -m MODULE           runs a bundled module, or MODULE.py of the current folder, as a script
//   -                   runs what comes on standard input; so does no script at all if that is no terminal
//   (no script)         at a terminal: a prompt (vm/repl.cc)
//   --version, --help, --help-options
//   --gc-log=FILE, --gc-log-every=BYTES, --policy-lib=FILE
//   --NAME=VALUE        any option of the library or of the runtime, also by TIDEPOOL_NAME in the environment
//
// The exit status is the script's: 0, 1 after an uncaught exception, what SystemExit says, 130 after Ctrl-C, 2 for
// wrong usage, 120 if the last of the output could not be written.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tidepool/allocator/stats_page.h"
#include "tidepool/base/os.h"
#include "tidepool/gc/collector.h"
#include "tidepool/gc/policy.h"
#include "tidepool/runtime/modules/modules.h"
#include "tidepool/runtime/modules/reports.h"
#include "tidepool/runtime/vm/crash.h"
#include "tidepool/runtime/vm/import.h"
#include "tidepool/runtime/vm/line_reader.h"
#include "tidepool/runtime/vm/module.h"
#include "tidepool/runtime/vm/runtime.h"
#include "tidepool/runtime/vm/signals.h"
#include "tidepool/runtime/vm/thread.h"

namespace {

constexpr char kVersion[] = "tidepool 0.1 (a toy runtime for a subset of Python 3.11)";

std::string PolicyHelp() {
  std::string text;
  for (const tidepool::PolicyInfo& info : tidepool::ListPolicies()) {
    std::string name = info.name;
    name.resize(std::max<size_t>(name.size() + 1, 14), ' ');
    text += "  " + name + info.help + "\n";
  }
  return text;
}

// Fits on 24 lines of 80 columns.
constexpr char kHelp[] =
    "usage: tidepool [option ...] [script.py | -c CODE | -m MODULE | -] [arg ...]\n"
    "\n"
    "Without a script: a prompt, or the script that comes on standard input (as '-').\n"
    "  -c CODE, -m MODULE        run CODE, or a module as a script\n"
    "  -h, --help                this page; --help-options: all options in full\n"
    "  -V, --version             the version\n"
    "\n"
    "  --stats                   print time, memory, objects, collections at the end\n"
    "  --heap-map=FILE           write a picture of the heap at the end, at SIGUSR2\n"
    "  --heap-profile=FILE       write who holds the memory, for pprof\n"
    "  --max-memory=SIZE         a hard limit, as in 64M: MemoryError beyond it\n"
    "  --gc-policy=NAME          when to collect: live_bytes, threshold, manual, ...\n"
    "  --gc-log=FILE             write decisions and collections as JSON lines\n"
    "  --gc-stress=N             collect at every n-th chance\n"
    "  --gc-threads=N            threads that mark in a collection\n"
    "  --recursion-limit=N       depth of Python calls [1000]\n"
    "  --implementation-name=S   what sys.implementation.name says [tidepool]\n"
    "\n"
    "Every option NAME can be set as TIDEPOOL_<NAME> in the environment. The prompt\n"
    "keeps its history in ~/.tidepool_history, or where TIDEPOOL_HISTORY says.\n"
    "Read docs/options.md, docs/policies.md, docs/stats.md and docs/language.md.\n";

void PrintOptions() {
  printf(
      "Options of the program:\n"
      "  --stats                        print figures when the script is over (docs/stats.md)\n"
      "  --heap-map=FILE                write a picture of the heap then, and at SIGUSR2\n"
      "  --heap-profile=FILE            write a sampled heap profile for pprof then\n"
      "  --gc-log=FILE                  write decisions and collections, JSON lines\n"
      "  --gc-log-every=BYTES           also a sample after so many bytes [0: none]\n"
      "  --policy-lib=FILE              load a library with a collection policy\n"
      "  --implementation-name=NAME     what sys.implementation.name says [tidepool]\n"
      "  --recursion-limit=N            depth of Python calls [1000]\n"
      "\n"
      "Collection policies (--gc-policy=NAME):\n%s"
      "\n"
      "Options of the memory system:\n%s",
      PolicyHelp().c_str(), tidepool::OptionHelp().c_str());
}

int Usage(const std::string& message) {
  fprintf(stderr, "tidepool: %s\nTry 'tidepool --help'.\n", message.c_str());
  return 2;
}

// Switches may stand alone; everything else is --NAME=VALUE.
bool NeedsValue(const std::string& name) {
  for (const tidepool::OptionInfo* row = tidepool::OptionTable(); row->name != nullptr; row++) {
    if (name == row->name) return std::strcmp(row->type, "Bool") != 0;
  }
  return name == "heap_map" || name == "heap_profile";
}

struct CommandLine {
  tidepool::Options options;
  tidepool::rt::RuntimeOptions runtime;
  std::string implementation_name = "tidepool";
  std::string gc_log;
  uint64_t gc_log_every = 0;
  enum class Runs { kFile, kCode, kModule, kInput, kPrompt };
  Runs runs = Runs::kPrompt;  // kPrompt: or kInput, if there is no terminal
  std::string what;           // the file, the code, the module
  int rest;                   // index in argv of the script's first argument
  bool stats = false;
  std::string heap_map, heap_profile;  // files to write, or empty
};

bool SetRuntimeOption(CommandLine* line, const std::string& name, const std::string& value, bool* known, std::string* error) {
  *known = true;
  if (name == "implementation_name") {
    line->implementation_name = value;
    return true;
  }
  if (name == "stats" && value == "1") {
    line->stats = true;
    return true;
  }
  if ((name == "heap_map" || name == "heap_profile") && !value.empty() && value != "1") {
    (name == "heap_map" ? line->heap_map : line->heap_profile) = value;
    return true;
  }
  if (name == "recursion_limit") {
    char* end;
    line->runtime.recursion_limit = strtoll(value.c_str(), &end, 10);
    if (*end == 0 && line->runtime.recursion_limit > 0) return true;
    *error = "recursion_limit: '" + value + "' is not a positive number";
    return false;
  }
  if (name == "gc_log") {
    line->gc_log = value;
    return true;
  }
  if (name == "gc_log_every") {
    if (tidepool::ParsePolicyBytes(value, &line->gc_log_every)) return true;
    *error = "gc_log_every: '" + value + "' is not a number of bytes, as in 256k";
    return false;
  }
  if (name == "policy_lib") {
    // Its static initialisers register the policies. Never unloaded.
    if (dlopen(value.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) return true;
    *error = std::string("policy_lib: ") + dlerror();
    return false;
  }
  *known = false;
  return true;
}

// -1: go on; else the exit status.
int Parse(int argc, char** argv, CommandLine* line) {
  absl::StatusOr<tidepool::Options> options = tidepool::Options::FromEnvironment();
  if (!options.ok()) return Usage(std::string(options.status().message()));
  line->options = *options;
  static const char* const kOwn[] = {"implementation_name", "recursion_limit", "gc_log", "gc_log_every", "policy_lib", "history", nullptr};
  const std::string misspelt = tidepool::MisspeltVariables(kOwn);
  if (!misspelt.empty()) fprintf(stderr, "%s", misspelt.c_str());
  if (getenv("TIDEPOOL_BACKGROUND_THREAD") == nullptr) line->options.background_thread = true;
  for (const char* name : {"implementation_name", "recursion_limit", "gc_log", "gc_log_every", "policy_lib"}) {
    std::string variable = std::string("TIDEPOOL_") + name;
    for (char& c : variable) c = static_cast<char>(toupper(static_cast<unsigned char>(c)));
    const char* value = getenv(variable.c_str());
    bool known;
    std::string error;
    if (value != nullptr && !SetRuntimeOption(line, name, value, &known, &error)) return Usage(error);
  }
  for (int i = 1; i < argc; i++) {
    const std::string arg = argv[i];
    if (arg == "--help" || arg == "-h") {
      fputs(kHelp, stdout);
      return 0;
    }
    if (arg == "--help-options") {
      PrintOptions();
      return 0;
    }
    if (arg == "--version" || arg == "-V") {
      printf("%s\n", kVersion);
      return 0;
    }
    if (arg == "-c" || arg == "-m") {
      if (i + 1 >= argc) return Usage("argument expected for the " + arg + " option");
      line->runs = arg == "-c" ? CommandLine::Runs::kCode : CommandLine::Runs::kModule;
      line->what = argv[i + 1];
      line->rest = i + 2;
      return -1;
    }
    if (arg == "-") {
      line->runs = CommandLine::Runs::kInput;
      line->rest = i + 1;
      return -1;
    }
    if (arg.size() > 2 && arg.compare(0, 2, "--") == 0) {
      const size_t eq = arg.find('=');
      std::string name = arg.substr(2, eq == std::string::npos ? std::string::npos : eq - 2);
      for (char& c : name) c = c == '-' ? '_' : c;
      const std::string value = eq == std::string::npos ? "1" : arg.substr(eq + 1);
      bool known;
      std::string error;
      if (!SetRuntimeOption(line, name, value, &known, &error)) return Usage(error);
      if (known) continue;
      if (eq == std::string::npos && NeedsValue(name)) return Usage("option '" + arg + "' needs a value: " + arg + "=VALUE");
      const absl::Status status = line->options.Set(name, value);
      if (absl::IsNotFound(status)) return Usage("unknown option '" + arg + "'");
      if (!status.ok()) return Usage(std::string(status.message()));
      continue;
    }
    if (arg.size() > 1 && arg[0] == '-') return Usage("unknown option '" + arg + "'");
    line->runs = CommandLine::Runs::kFile;
    line->what = arg;
    line->rest = i + 1;
    return -1;
  }
  line->rest = argc;
  return -1;
}

struct Program {
  std::string source, filename;
  std::string name;  // sys.argv[0]
  bool prompt = false;
};

// 0, or the exit status.
int FindProgram(const CommandLine& line, Program* program) {
  switch (line.runs) {
    case CommandLine::Runs::kCode:
      *program = {line.what + "\n", "<string>", "-c"};
      return 0;
    case CommandLine::Runs::kModule: {
      const std::string_view bundled = tidepool::rt::FindBundledSource(line.what);
      if (bundled.data() != nullptr) {
        *program = {std::string(bundled), "<bundled>/" + line.what + ".py", "<bundled>/" + line.what + ".py"};
        return 0;
      }
      program->filename = program->name = line.what + ".py";
      if (line.what.find('/') == std::string::npos && tidepool::rt::ReadFile(program->filename, &program->source)) return 0;
      fprintf(stderr, "tidepool: No module named %s\n", line.what.c_str());
      return 1;
    }
    case CommandLine::Runs::kFile:
      program->filename = program->name = line.what;
      if (tidepool::rt::ReadFile(program->filename, &program->source)) return 0;
      fprintf(stderr, "tidepool: can't open file '%s': [Errno %d] %s\n", line.what.c_str(), errno, strerror(errno));
      return 2;
    case CommandLine::Runs::kInput:
    case CommandLine::Runs::kPrompt: break;
  }
  program->filename = "<stdin>";
  program->name = line.runs == CommandLine::Runs::kInput ? "-" : "";
  program->prompt = isatty(STDIN_FILENO) != 0;
  if (program->prompt || tidepool::rt::ReadFile("/dev/stdin", &program->source)) return 0;
  fprintf(stderr, "tidepool: can't read standard input: %s\n", strerror(errno));
  return 2;
}

std::string HistoryPath() {
  const char* given = getenv("TIDEPOOL_HISTORY");
  if (given != nullptr) return given;
  const char* home = getenv("HOME");
  return home != nullptr && *home != '\0' ? std::string(home) + "/.tidepool_history" : "";
}

int RunPrompt(tidepool::rt::World& w) {
  fprintf(stderr, "%s\nexit() or Ctrl-D leaves.\n", kVersion);
  const std::unique_ptr<tidepool::rt::LineReader> reader = tidepool::rt::LineReader::Open(HistoryPath());
  return w.RunInteractive(*reader);
}

// For the report of a crash: the version, and the options that are not at their defaults.
std::string About(const CommandLine& line) {
  std::string options;
  const tidepool::Options defaults;
  for (const tidepool::OptionInfo* row = tidepool::OptionTable(); row->name != nullptr; row++) {
    const std::string value = line.options.Get(row->name);
    if (value != defaults.Get(row->name)) options += std::string(" ") + row->name + "=" + value;
  }
  return std::string("  ") + kVersion + "\n  options:" + (options.empty() ? " defaults" : options) + "\n";
}

// The script is over; its modules and globals are still there.
void ReportAtEnd(const CommandLine& line, const std::string& title, tidepool::rt::World& w, std::string* live) {
  std::string error;
  if (!line.heap_map.empty() && !tidepool::rt::WriteHeapMap(w.rt().isolate->heap(), line.heap_map, title, &error)) {
    fprintf(stderr, "tidepool: %s\n", error.c_str());
  }
  if (!line.heap_profile.empty() && !tidepool::rt::WriteHeapProfile(w.cx(), line.heap_profile, &error)) {
    fprintf(stderr, "tidepool: %s\n", error.c_str());
  }
  if (line.stats) *live = tidepool::rt::LiveReport(w.cx());
}

}  // namespace

int main(int argc, char** argv) {
  using namespace tidepool::rt;
  const uint64_t start_ns = tidepool::RealOs()->NowNs();
  CommandLine line;
  const int status = Parse(argc, argv, &line);
  if (status >= 0) return status;

  Program program;
  const int found = FindProgram(line, &program);
  if (found != 0) return found;

  InstallCrashHandler(About(line));
  line.runtime.implementation_name = line.implementation_name.c_str();
  std::vector<const char*> arguments{program.name.c_str()};
  arguments.insert(arguments.end(), argv + line.rest, argv + argc);
  ProgramInfo info;
  info.executable = argv[0];
  info.argc = static_cast<int>(arguments.size());
  info.argv = arguments.data();
  SetProgramInfo(info);

  std::unique_ptr<HeapMapSignal> map_signal;
  if (!line.heap_map.empty()) map_signal = std::make_unique<HeapMapSignal>(line.heap_map, "Heap of " + program.filename);
  absl::StatusOr<std::unique_ptr<World>> world = World::Create(line.options, line.runtime);
  if (!world.ok()) {
    std::string message(world.status().message());
    if (absl::IsInvalidArgument(world.status()) || absl::IsNotFound(world.status())) return Usage(message);
    if (line.options.max_memory != 0) message += "; the limit (max_memory) is " + line.options.Get("max_memory") + " bytes";
    fprintf(stderr, "tidepool: %s\n", message.c_str());
    return 1;
  }
  World& w = **world;
  if (map_signal != nullptr) map_signal->SetHeap(&w.rt().isolate->heap());
  if (!line.gc_log.empty()) {
    const absl::Status logged = w.rt().collector->OpenLog(w.cx().ts, line.gc_log.c_str(), line.gc_log_every);
    if (!logged.ok()) return Usage(std::string(logged.message()));
  }
  const size_t slash = program.filename.rfind('/');
  if (line.runs == CommandLine::Runs::kFile && slash != std::string::npos) w.rt().script_dir = program.filename.substr(0, slash);
  InstallSignalHandlers(w.cx());
  if (!line.heap_profile.empty() || line.options.heap_profile_interval != 0) {
    const uint64_t interval = line.options.heap_profile_interval;
    if (!StartHeapProfile(w.cx(), interval != 0 ? interval : 512 << 10)) fprintf(stderr, "tidepool: no memory for the heap profile\n");
  }
  int result = program.prompt ? RunPrompt(w) : w.RunMain(program.source, program.filename);
  std::string live;
  ReportAtEnd(line, "Heap of " + program.filename, w, &live);
  if (map_signal != nullptr) map_signal->SetHeap(nullptr);
  if (!w.Finish()) result = 120;  // as CPython: what was printed last is lost
  if (line.stats) {
    const std::string page = "The run\n" + RunReport(w.rt(), start_ns) + live + tidepool::StatsPage(w.rt().isolate->heap());
    fwrite(page.data(), 1, page.size(), stderr);
  }
  if (line.options.fail_allocation != 0) {
    // For whoever chooses the number.
    fprintf(stderr, "tidepool: %llu allocations were counted\n",
            static_cast<unsigned long long>(w.rt().isolate->heap().allocations_counted()));
  }
  if (RunningThreads(w.rt()) > 0) _exit(result);  // daemon threads go with the process
  UninstallSignalHandlers();
  return result;
}
