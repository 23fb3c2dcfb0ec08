// Reports on a world: see reports.h and docs/stats.md.
#include "tidepool/runtime/modules/reports.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "tidepool/allocator/heap_map.h"
#include "tidepool/allocator/heap_profile.h"
#include "tidepool/allocator/stats_page.h"
#include "tidepool/base/mutex.h"
#include "tidepool/base/resident.h"
#include "tidepool/gc/collector.h"
#include "tidepool/object/isolate.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/code.h"
#include "tidepool/runtime/vm/frame.h"

namespace tidepool::rt {
namespace {

const char* TextOf(const Str* s) { return s != nullptr && s->ascii != 0 ? s->data() : "?"; }

// Runs inside an allocation: looks at the frames and nothing else. A frame's pc is the
// instruction that allocates, or the call it waits for.
size_t ScriptFrames(void*, ProfileFrame* out, size_t most) {
  const ThreadState* ts = ThreadState::Current();
  const Context* cx = ts != nullptr ? static_cast<const Context*>(ts->embedder_data) : nullptr;
  size_t n = 0;
  if (cx == nullptr) return 0;
  for (const Frame* f = cx->frame; f != nullptr && n < most; f = f->prev) {
    out[n++] = {TextOf(f->code->qualname), TextOf(f->code->filename), LineAt(f->code, f->pc)};
  }
  return n;
}

// In a stop. The object's type, or null for a block that is none yet.
const char* TypeName(Context& cx, const void* block, HeapKind kind) {
  if (!IsObjectKind(kind)) return nullptr;
  const char* header = static_cast<const char*>(block) + HeaderOffset(kind);
  Object* object = const_cast<Object*>(reinterpret_cast<const Object*>(header));
  if (object->type() == nullptr) return nullptr;
  return ClassName(cx, Value(object));
}

bool WriteFile(const std::string& path, const std::string& text, std::string* error) {
  FILE* file = fopen(path.c_str(), "we");
  bool good = file != nullptr && fwrite(text.data(), 1, text.size(), file) == text.size();
  if (file != nullptr && fclose(file) != 0) good = false;
  if (!good) *error = path + ": " + strerror(errno);
  return good;
}

std::string Seconds(uint64_t ns) {
  char text[32];
  if (ns >= 1000000000u) {
    snprintf(text, sizeof text, "%.2f s", static_cast<double>(ns) * 1e-9);
  } else if (ns >= 1000000u) {
    snprintf(text, sizeof text, "%.2f ms", static_cast<double>(ns) * 1e-6);
  } else {
    snprintf(text, sizeof text, "%.1f us", static_cast<double>(ns) * 1e-3);
  }
  return text;
}

std::string Line(const char* label, const std::string& value) {
  std::string out = std::string("  ") + label;
  if (out.size() < 20) out.append(20 - out.size(), ' ');
  return out + "  " + value + "\n";
}

}  // namespace

bool StartHeapProfile(Context& cx, uint64_t interval) {
  cx.rt.isolate->heap().SetProfileFrames(&ScriptFrames, nullptr);
  return cx.rt.isolate->heap().StartHeapProfile(interval);
}

bool WriteHeapMap(HeapDomain& heap, const std::string& path, const std::string& title, std::string* error) {
  const HeapMap map = GetHeapMap(heap);
  const bool json = path.size() > 5 && path.compare(path.size() - 5, 5, ".json") == 0;
  return WriteFile(path, json ? HeapMapJson(map) : HeapMapHtml(map, title), error);
}

bool WriteHeapProfile(Context& cx, const std::string& path, std::string* error) {
  std::string file;
  {
    StopScope stop(cx.ts);
    file = HeapProfile(cx.rt.isolate->heap(), [&cx](const HeapSample& sample) {
      const char* name = TypeName(cx, sample.block, sample.kind);
      return std::string(name != nullptr ? name : "");
    });
  }
  return WriteFile(path, file, error);
}

std::string LiveReport(Context& cx) {
  struct Sum {
    uint64_t objects = 0, bytes = 0;
  };
  std::map<std::string, Sum> types;
  HeapDomain& heap = cx.rt.isolate->heap();
  {
    StopScope stop(cx.ts);
    heap.VisitBlocks(kAllKinds & ~KindBit(HeapKind::kRaw), 0, SIZE_MAX, [&](const HeapDomain::BlockInfo& info) {
      const char* name = TypeName(cx, info.block, info.kind);
      if (name == nullptr) return;
      Sum& sum = types[name];
      sum.objects++;
      sum.bytes += info.size;
    });
  }
  const Stats stats = heap.GetStats();
  std::string out = Line("live memory", FormatBytes(stats.live_bytes) + " in " + std::to_string(stats.live_blocks) + " blocks");
  out += Line("limbo", FormatBytes(stats.limbo));
  std::vector<std::pair<std::string, Sum>> order(types.begin(), types.end());
  std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
    return a.second.bytes != b.second.bytes ? a.second.bytes > b.second.bytes : a.first < b.first;
  });
  const size_t shown = std::min<size_t>(order.size(), 12);
  out += Line("objects by type", std::to_string(order.size()) + " types" + (shown < order.size() ? "; the largest:" : ":"));
  for (size_t i = 0; i < shown; i++) {
    char text[80];
    snprintf(text, sizeof text, "%22s%-24.24s %11llu  %12s\n", "", order[i].first.c_str(),
             static_cast<unsigned long long>(order[i].second.objects), FormatBytes(order[i].second.bytes).c_str());
    out += text;
  }
  return out;
}

std::string RunReport(Runtime& rt, uint64_t since_ns) {
  Isolate& isolate = *rt.isolate;
  std::string out;
  out += Line("time", Seconds(isolate.os()->NowNs() - since_ns) + ", of the processors " + Seconds(isolate.os()->CpuNs()));
  out += Line("peak memory", FormatBytes(GetProcessMemory().peak));
  GenerationStats all;
  for (int g = 0; g < 3; g++) {
    const GenerationStats s = rt.collector->GetGenerationStats(g);
    all.collections += s.collections;
    all.collected += s.collected;
    all.total_ns += s.total_ns;
    all.paused_ns += s.paused_ns;
  }
  out += Line("collections", std::to_string(all.collections) + ", " + std::to_string(all.collected) + " objects of garbage");
  out += Line("collector time", Seconds(all.total_ns) + ", of it all threads stopped " + Seconds(all.paused_ns));
  const PauseHistogram pauses = rt.collector->Pauses().all;
  if (pauses.count() != 0) {
    out += Line("longest pause", Seconds(pauses.max_ns()));
    out += Line("pauses below", Seconds(pauses.PercentileNs(50)) + " (half), " + Seconds(pauses.PercentileNs(90)) +
                                    " (90 %), " + Seconds(pauses.PercentileNs(99)) + " (99 %)");
  }
  const StopStats stops = isolate.stop_stats();
  out += Line("stops", std::to_string(stops.stops));
  if (stops.stops != 0) {
    out += Line("longest stop", Seconds(stops.max_ns) + " until the last thread came" +
                                    (stops.max_name[0] != 0 ? std::string(", ") + stops.max_name : ""));
    std::string row;
    for (int i = 0; i < StopStats::kTimes; i++) {
      if (stops.times[i] == 0) continue;
      const std::string part = std::to_string(stops.times[i]) + " < " + Seconds(uint64_t{1000} << i);
      if (row.size() + part.size() > 54) {
        out += Line(out.find("time to stop") == std::string::npos ? "time to stop" : "", row);
        row.clear();
      }
      row += (row.empty() ? "" : ", ") + part;
    }
    out += Line(out.find("time to stop") == std::string::npos ? "time to stop" : "", row);
  }
  return out;
}

struct HeapMapSignal::Task {
  std::string path, title;
  Mutex lock{0};
  HeapDomain* heap = nullptr;

  static void* Serve(void* arg) {
    Task* task = static_cast<Task*>(arg);
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, SIGUSR2);
    for (int number = 0; sigwait(&wanted, &number) == 0;) {
      std::string error;
      MutexLock hold(&task->lock);
      if (task->heap != nullptr && !WriteHeapMap(*task->heap, task->path, task->title, &error)) {
        fprintf(stderr, "tidepool: %s\n", error.c_str());
      }
    }
    return nullptr;
  }
};

HeapMapSignal::HeapMapSignal(const std::string& path, const std::string& title) : task_(new Task{path, title}) {
  // Blocked here and in every thread started from now on; the one that waits takes it.
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  pthread_t thread;
  if (pthread_create(&thread, nullptr, &Task::Serve, task_) == 0) {
    pthread_detach(thread);
  } else {
    fprintf(stderr, "tidepool: no thread for the heap map at SIGUSR2\n");
  }
}

// The thread may be waiting still, so its task stays.
HeapMapSignal::~HeapMapSignal() { SetHeap(nullptr); }

void HeapMapSignal::SetHeap(HeapDomain* heap) {
  MutexLock hold(&task_->lock);
  task_->heap = heap;
}

}  // namespace tidepool::rt
