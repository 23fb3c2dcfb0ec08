// The program: tidepool [options] script.py [arguments]
//
//   -c CODE             runs CODE instead of a file
//   --version, --help
//   --gc-log=FILE, --gc-log-every=BYTES, --policy-lib=FILE
//   --NAME=VALUE        any option of the library or of the runtime, also by TIDEPOOL_NAME in the environment
//
// The exit status is the script's: 0, 1 after an uncaught exception, what SystemExit says, 2 for wrong usage, 120 if
// the last of the output could not be written.
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "tidepool/allocator/stats_page.h"
#include "tidepool/base/os.h"
#include "tidepool/gc/collector.h"
#include "tidepool/gc/policy.h"
#include "tidepool/runtime/modules/modules.h"
#include "tidepool/runtime/modules/reports.h"
#include "tidepool/runtime/vm/import.h"
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

void PrintHelp() {
  printf(
      "usage: tidepool [--OPTION=VALUE ...] script.py [arguments]\n"
      "       tidepool [--OPTION=VALUE ...] -c CODE [arguments]\n"
      "\n"
      "  --version                      print the version and exit\n"
      "  --help                         print this and exit\n"
      "  --implementation_name=NAME     what sys.implementation.name says [tidepool]\n"
      "  --recursion_limit=N            depth of Python calls [1000]\n"
      "  --stats                        print figures when the script is over (docs/stats.md)\n"
      "  --heap-map=FILE                write a picture of the heap then, and at SIGUSR2\n"
      "  --heap-profile=FILE            write a sampled heap profile for pprof then\n"
      "  --gc_log=FILE                  write decisions and collections, JSON lines\n"
      "  --gc_log_every=BYTES           also a sample after so many bytes [0: none]\n"
      "  --policy_lib=FILE              load a library with a collection policy\n"
      "\n"
      "Collection policies (--gc_policy=NAME):\n%s"
      "\n"
      "Options of the memory system, also by TIDEPOOL_<NAME> in the environment:\n%s",
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
  std::string code;
  bool has_code = false;
  bool stats = false;
  std::string heap_map, heap_profile;  // files to write, or empty
  int script = 0;  // index of the script (or -c) in argv; 0: none
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
  static const char* const kOwn[] = {"implementation_name", "recursion_limit", "gc_log", "gc_log_every", "policy_lib", nullptr};
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
      PrintHelp();
      return 0;
    }
    if (arg == "--version" || arg == "-V") {
      printf("%s\n", kVersion);
      return 0;
    }
    if (arg == "-c") {
      if (i + 1 >= argc) return Usage("argument expected for the -c option");
      line->code = argv[i + 1];
      line->has_code = true;
      line->script = i;
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
    line->script = i;
    return -1;
  }
  return Usage("no script given");
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

  std::string source, filename = "<string>";
  if (line.has_code) {
    source = line.code + "\n";
  } else {
    filename = argv[line.script];
    if (!ReadFile(filename, &source)) {
      fprintf(stderr, "tidepool: can't open file '%s': [Errno %d] %s\n", filename.c_str(), errno, strerror(errno));
      return 2;
    }
  }

  line.runtime.implementation_name = line.implementation_name.c_str();
  ProgramInfo info;
  info.executable = argv[0];
  info.argc = argc - line.script - (line.has_code ? 1 : 0);
  std::string dash_c = "-c";
  if (line.has_code) argv[line.script + 1] = dash_c.data();
  info.argv = argv + line.script + (line.has_code ? 1 : 0);
  SetProgramInfo(info);

  std::unique_ptr<HeapMapSignal> map_signal;
  if (!line.heap_map.empty()) map_signal = std::make_unique<HeapMapSignal>(line.heap_map, "Heap of " + filename);
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
  const size_t slash = filename.rfind('/');
  if (!line.has_code && slash != std::string::npos) w.rt().script_dir = filename.substr(0, slash);
  InstallSignalHandlers(w.cx());
  if (!line.heap_profile.empty() || line.options.heap_profile_interval != 0) {
    const uint64_t interval = line.options.heap_profile_interval;
    if (!StartHeapProfile(w.cx(), interval != 0 ? interval : 512 << 10)) fprintf(stderr, "tidepool: no memory for the heap profile\n");
  }
  int result = w.RunMain(source, filename);
  std::string live;
  ReportAtEnd(line, "Heap of " + filename, w, &live);
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
