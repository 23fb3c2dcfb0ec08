// The C API: versions, errors, isolates, options.

#include <cstdio>
#include <cstdlib>
#include <new>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tidepool/api/internal/c_impl.h"
#include "tidepool/base/region_os.h"

namespace tidepool::c_api {

Mutex g_api_mutex{0};

namespace {

tp_isolate* g_isolates = nullptr;  // guarded by g_api_mutex

tp_status StatusOf(const absl::Status& status) {
  if (status.ok()) return TP_OK;
  if (absl::IsNotFound(status)) return TP_NOT_FOUND;
  if (absl::IsFailedPrecondition(status)) return TP_STATE;
  if (absl::IsResourceExhausted(status)) return TP_NO_MEMORY;
  return TP_INVALID;
}

void Link(tp_isolate* isolate) {
  MutexLock lock(&g_api_mutex);
  isolate->next = g_isolates;
  g_isolates = isolate;
}

void LeaveForEndedThread(ThreadRecord* record) {
  ThreadState* ts = record->ts;
  // By name, before the state goes.
  if (ts->attached() && !record->pinned) {
    std::fprintf(stderr,
                 "tidepool: thread '%s' ended attached; tp_thread_leave was called for it\n",
                 ts->name());
  }
  record->pinned = false;
  record->nest = 1;
  record->callbacks = nullptr;
  // Its frames are gone, so what its scopes kept stays counted.
  record->scopes = nullptr;
  record->criticals = nullptr;
  tp_thread_leave(Thread(ts));
}

// The thread key's destructor: the OS thread ends with a state. Others' destructors may come
// after this one and use the API, so it waits for the last round but one.
void EndOfThread(void* value) {
  auto* record = static_cast<ThreadRecord*>(value);
  tp_isolate* isolate = nullptr;
  {
    MutexLock lock(&g_api_mutex);
    for (tp_isolate* i = g_isolates; i != nullptr && isolate == nullptr; i = i->next) {
      if (i->of_parent) continue;
      for (ThreadRecord* r = i->threads; r != nullptr; r = r->next) {
        if (r == record) isolate = i;
      }
    }
    if (isolate == nullptr) return;  // destroyed meanwhile, with the record
    ++isolate->enders;
  }
  pthread_setspecific(isolate->key, record);
  if (++record->end_rounds >= PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
    LeaveForEndedThread(record);
  }
  MutexLock lock(&g_api_mutex);
  --isolate->enders;
}

bool PressureHook(void* arg, const MemoryPressure& told) noexcept {
  auto* isolate = static_cast<tp_isolate*>(arg);
  const auto callback = isolate->Get(isolate->pressure);
  if (callback.fn == nullptr) return false;
  tp_pressure pressure = {};
  pressure.size = sizeof(pressure);
  pressure.version = TP_ABI_VERSION;
  pressure.hard = told.level == MemoryPressure::kHard ? 1 : 0;
  pressure.committed = told.committed;
  pressure.limit = told.limit;
  pressure.wanted = told.wanted;
  return callback.fn(&pressure, callback.arg) != 0;
}

void WatchdogHook(const StopDelay& delay, void* arg) noexcept {
  auto* isolate = static_cast<tp_isolate*>(arg);
  const auto watchdog = isolate->Get(isolate->watchdog);
  watchdog.fn(delay.thread_name, delay.tid, delay.waited_ns, watchdog.arg);
}

// A tp_page_source as an Os.
class PageSourceOs final : public EmbedderOs {
 public:
  explicit PageSourceOs(const tp_page_source& source)
      : EmbedderOs(0, RealOs()), source_(source) {}
  size_t LargestReserve() noexcept override {
    return source_.largest != nullptr ? source_.largest(source_.arg) : SIZE_MAX;
  }
  bool CanPurge() override { return source_.purge != nullptr; }
  void* Reserve(size_t size, size_t alignment) noexcept override {
    if (size > LargestReserve()) return nullptr;
    return source_.reserve(source_.arg, size, alignment);
  }
  bool Release(void* address, size_t size) noexcept override {
    return source_.release(source_.arg, address, size) != 0;
  }
  bool Commit(void* address, size_t size) noexcept override {
    return source_.commit == nullptr || source_.commit(source_.arg, address, size) != 0;
  }
  bool Decommit(void* address, size_t size) noexcept override {
    return source_.decommit != nullptr && source_.decommit(source_.arg, address, size) != 0;
  }
  PurgeResult Purge(void* address, size_t size) noexcept override {
    if (source_.purge == nullptr) return PurgeResult::kKept;
    const int result = source_.purge(source_.arg, address, size);
    if (result == TP_PURGED) return PurgeResult::kZeroed;
    return result == TP_PURGE_KEPT ? PurgeResult::kKept : PurgeResult::kFailed;
  }

 private:
  const tp_page_source source_;
};

// What the configuration says of memory; *out stays null for the real OS.
tp_status ChooseOs(const tp_isolate_config& config, std::unique_ptr<Os>* out,
                   tp_error* error) {
  if (config.pages != nullptr && config.region != nullptr) {
    return SetError(error, TP_INVALID, "pages and region are both given; choose one");
  }
  if (config.pages != nullptr) {
    tp_page_source source = tp_page_source_init();
    const tp_status read =
        ReadStruct(config.pages, &source, "tp_page_source", error);
    if (read != TP_OK) return read;
    if (source.reserve == nullptr || source.release == nullptr) {
      return SetError(error, TP_INVALID, "a page source needs reserve and release");
    }
    out->reset(new (std::nothrow) PageSourceOs(source));
  } else if (config.region != nullptr) {
    auto* os = new (std::nothrow) RegionOs;
    out->reset(os);
    if (os != nullptr && !os->Add(config.region, config.region_size)) {
      return SetError(error, TP_INVALID, "the region is too small");
    }
  } else {
    return TP_OK;
  }
  if (*out == nullptr) return SetError(error, TP_NO_MEMORY, "no memory for a page source");
  return TP_OK;
}

tp_status ParseOptions(const tp_isolate_config& config, Options* out, tp_error* error) {
  if (config.use_environment != 0) {
    auto from = Options::FromEnvironment();
    if (!from.ok()) return SetError(error, from.status());
    *out = *from;
  }
  for (const char* const* o = config.options; o != nullptr && *o != nullptr; ++o) {
    const absl::string_view option = *o;
    const size_t equals = option.find('=');
    if (equals == absl::string_view::npos) {
      return SetError(error, TP_INVALID,
                      absl::StrCat("option '", option, "' has no '='; write name=value"));
    }
    absl::Status status = out->Set(option.substr(0, equals), option.substr(equals + 1));
    if (!status.ok()) return SetError(error, status);
  }
  return TP_OK;
}

}  // namespace

void LeaveOthersToParentLocked(const tp_isolate* own) {
  for (tp_isolate* i = g_isolates; i != nullptr; i = i->next) {
    if (i != own) i->of_parent = true;
  }
}

size_t WriteText(char* out, size_t size, absl::string_view text) {
  if (out != nullptr && size != 0) {
    const size_t n = text.size() < size - 1 ? text.size() : size - 1;
    std::memcpy(out, text.data(), n);
    out[n] = 0;
  }
  return text.size();
}

tp_status SetError(tp_error* error, tp_status status, absl::string_view text) {
  if (error != nullptr) {
    error->status = status;
    WriteText(error->text, sizeof(error->text), text);
  }
  return status;
}

tp_status SetError(tp_error* error, const absl::Status& status) {
  return SetError(error, StatusOf(status), status.message());
}

void NotAttached(const tp_thread* t, const char* call) {
  const ThreadState* current = ThreadState::Current();
  fprintf(stderr, "tidepool: %s: the calling thread is not attached as the thread it names%s%s\n",
          call, t == nullptr ? " (NULL)" : "",
          current == nullptr ? "; it is attached nowhere" : "; it is attached as another");
  abort();
}

tp_status ReadStruct(const void* from, void* out, size_t least, size_t known,
                     const char* what, tp_error* error) {
  uint32_t head[2] = {0, 0};
  if (from != nullptr) std::memcpy(head, from, sizeof(head));
  if (head[0] < sizeof(head) || head[1] == 0) {
    return SetError(error, TP_INVALID,
                    absl::StrCat(what, " is not initialised; make it with ", what, "_init()"));
  }
  if (!tp_abi_serves(head[1])) {
    return SetError(error, TP_INVALID,
                    absl::StrCat(what, " is of version ", head[1] >> 16, ".",
                                 head[1] & 0xffff, ", the library of ", TP_ABI_MAJOR, ".",
                                 TP_ABI_MINOR, "; compile against the library's headers"));
  }
  if (head[0] < least) {
    return SetError(error, TP_INVALID,
                    absl::StrCat(what, " says that it has ", head[0],
                                 " bytes; no version has less than ", least,
                                 "; make it with ", what, "_init()"));
  }
  const size_t n = head[0] < known ? head[0] : known;
  std::memcpy(out, from, n);
  std::memset(static_cast<char*>(out) + n, 0, known - n);
  for (size_t i = n; i < head[0]; ++i) {
    if (static_cast<const char*>(from)[i] != 0) {
      return SetError(error, TP_INVALID,
                      absl::StrCat(what, " sets a field that this library does not know"));
    }
  }
  return TP_OK;
}

}  // namespace tidepool::c_api

using namespace tidepool::c_api;  // NOLINT: the C names are at the top level
using tidepool::MutexLock;

uint32_t tp_abi_version(void) noexcept { return TP_ABI_VERSION; }
int tp_abi_serves(uint32_t version) noexcept {
  return version >> 16 == TP_ABI_MAJOR && (version & 0xffff) <= TP_ABI_MINOR;
}
const char* tp_status_text(tp_status status) noexcept {
  switch (status) {
    case TP_OK: return "ok";
    case TP_NO_MEMORY: return "no memory";
    case TP_INVALID: return "invalid argument";
    case TP_STATE: return "not in this state";
    case TP_BUSY: return "busy";
    case TP_NOT_FOUND: return "not found";
    case TP_RETRY: return "try again with the lock";
    case TP_UNSUPPORTED: return "not supported here";
  }
  return "unknown status";
}

tp_isolate* tp_isolate_create(const tp_isolate_config* given, tp_error* error) noexcept {
  tp_isolate_config config = tp_isolate_config_init();
  if (given != nullptr &&
      ReadStruct(given, &config, "tp_isolate_config", error) != TP_OK) {
    return nullptr;
  }
  tidepool::Options options;
  if (ParseOptions(config, &options, error) != TP_OK) return nullptr;
  std::unique_ptr<tp_isolate> isolate(new (std::nothrow) tp_isolate);
  if (isolate == nullptr) {
    SetError(error, TP_NO_MEMORY, "no memory for an isolate");
    return nullptr;
  }
  if (ChooseOs(config, &isolate->os, error) != TP_OK) return nullptr;
  if (pthread_key_create(&isolate->key, &EndOfThread) != 0) {
    SetError(error, TP_NO_MEMORY,
             "no thread key is left (one per isolate); destroy isolates or raise the limit");
    return nullptr;
  }
  auto vm = isolate->os != nullptr ? tidepool::Vm::Create(options, isolate->os.get())
                                   : tidepool::Vm::Create(options);
  if (!vm.ok()) {
    pthread_key_delete(isolate->key);
    SetError(error, vm.status());
    return nullptr;
  }
  isolate->vm = *std::move(vm);
  isolate->data = config.data;
  isolate->isolate().embedder_data = isolate.get();
  InitHandles(isolate.get());
  InitWeakRefs(isolate.get());
  isolate->collector().AddListener(&isolate->listener);
  isolate->heap().SetPressureCallback(&PressureHook, isolate.get());
  Link(isolate.get());
  if (error != nullptr) error->status = TP_OK;
  return isolate.release();
}

tp_status tp_isolate_destroy(tp_isolate* isolate, tp_error* error) noexcept {
  if (isolate == nullptr) return TP_OK;
  if (isolate->of_parent) {
    return SetError(error, TP_STATE,
                    "the isolate is the parent process's; this one was forked without it");
  }
  if (isolate->collector().serving()) {
    return SetError(error, TP_BUSY,
                    "a thread serves collections; call tp_gc_stop_serving and join it");
  }
  {
    MutexLock lock(&g_api_mutex);
    for (ThreadRecord* r = isolate->threads; r != nullptr; r = r->next) {
      if (r->leaving || r->ts->attached()) {
        return SetError(error, TP_BUSY,
                        absl::StrCat("thread '", r->leaving ? "?" : r->ts->name(),
                                     "' is attached; it must leave or detach first"));
      }
    }
    if (isolate->enders != 0) {
      return SetError(error, TP_BUSY, "a thread that ends is being left for; join it first");
    }
    tp_isolate** link = &g_isolates;
    while (*link != isolate) link = &(*link)->next;
    *link = isolate->next;
  }
  pthread_key_delete(isolate->key);
  FreeHandles(isolate);
  ThreadRecord* record = isolate->threads;
  isolate->vm.reset();
  while (record != nullptr) delete std::exchange(record, record->next);
  delete isolate;
  return TP_OK;
}

void* tp_isolate_data(const tp_isolate* isolate) noexcept { return isolate->data; }

size_t tp_isolate_thread_count(tp_isolate* isolate) noexcept {
  return isolate->isolate().thread_count();
}

size_t tp_isolate_option(tp_isolate* isolate, const char* name, char* out,
                         size_t size) noexcept {
  return WriteText(out, size, isolate->isolate().options().Get(name));
}

size_t tp_option_help(char* out, size_t size) noexcept {
  return WriteText(out, size, tidepool::OptionHelp());
}

void tp_isolate_set_watchdog(tp_isolate* isolate, uint64_t after_ns, tp_watchdog watchdog,
                             void* arg) noexcept {
  isolate->Set(isolate->watchdog, watchdog, arg);
  isolate->isolate().SetWatchdog(after_ns, watchdog != nullptr ? &WatchdogHook : nullptr,
                                 isolate);
}

// --- Limits, pressure, figures. (c_memory.cc has the blocks.) ---

void tp_set_pressure_callback(tp_isolate* isolate, tp_pressure_callback callback,
                              void* arg) noexcept {
  isolate->Set(isolate->pressure, callback, arg);
}
