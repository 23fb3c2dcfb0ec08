// The C API: profile, map, memory by cause, faults.

#include <new>
#include <string>

#include "tidepool/allocator/heap_map.h"
#include "tidepool/allocator/heap_profile.h"
#include "tidepool/allocator/stats_page.h"
#include "tidepool/api/internal/c_impl.h"
#include "tidepool/tidepool_report.h"

namespace tidepool::c_api {
namespace {

static_assert(sizeof(tp_profile_frame) == sizeof(ProfileFrame));
static_assert(TP_FAULT_WRONG_USE == static_cast<int>(MemoryFault::kWrongUse) &&
              TP_FAULT_DEAD_REFERENCE == static_cast<int>(MemoryFault::kDeadReference) &&
              TP_FAULT_OVERRUN == static_cast<int>(MemoryFault::kOverrun));

size_t FramesHook(void* arg, ProfileFrame* out, size_t most) noexcept {
  auto* isolate = static_cast<tp_isolate*>(arg);
  const auto frames = isolate->Get(isolate->frames);
  if (frames.fn == nullptr) return 0;
  constexpr size_t kMost = 64;
  tp_profile_frame given[kMost];
  size_t n = frames.fn(given, most < kMost ? most : kMost, frames.arg);
  if (n > most || n > kMost) n = 0;  // it wrote where it must not, or miscounted
  for (size_t i = 0; i < n; ++i) {
    const char* file = given[i].file;
    const char* function = given[i].function;
    out[i] = {function != nullptr ? function : "?", file != nullptr ? file : "",
              given[i].line};
  }
  return n;
}

void FaultHook(void* arg, const MemoryFault& found) noexcept {
  auto* isolate = static_cast<tp_isolate*>(arg);
  const auto handler = isolate->Get(isolate->on_fault);
  if (handler.fn == nullptr) return;
  tp_fault fault = {};
  fault.size = sizeof(fault);
  fault.version = TP_ABI_VERSION;
  fault.kind = static_cast<int>(found.kind);
  fault.pointer = found.pointer;
  fault.text = found.text;
  handler.fn(&fault, handler.arg);
}

// In a stop. "" for what is no object, or none yet.
std::string TypeName(const HeapSample& sample) {
  if (!IsObjectKind(sample.kind)) return "";
  const char* header = static_cast<const char*>(sample.block) + HeaderOffset(sample.kind);
  const TypeInfo* type = reinterpret_cast<const ObjectHeader*>(header)->type();
  return type != nullptr && type->name != nullptr ? type->name : "";
}

tp_status Write(const std::string& report, tp_sink sink, void* arg) {
  constexpr size_t kPiece = 64 << 10;
  for (size_t at = 0; at < report.size(); at += kPiece) {
    const size_t n = report.size() - at < kPiece ? report.size() - at : kPiece;
    if (CallOut(sink, static_cast<const void*>(report.data() + at), n, arg) != 0) return TP_STATE;
  }
  return TP_OK;
}

// Reports are strings, and a process that asks where its memory is may have none left.
template <class Fn>
tp_status WithMemory(Fn&& fn) {
  try {
    return fn();
  } catch (const std::bad_alloc&) {
    return TP_NO_MEMORY;
  }
}

}  // namespace
}  // namespace tidepool::c_api

using namespace tidepool::c_api;  // NOLINT

tp_status tp_profile_start(tp_isolate* isolate, uint64_t interval) noexcept {
  if (interval == 0) return TP_INVALID;
  return isolate->heap().StartHeapProfile(interval) ? TP_OK : TP_NO_MEMORY;
}
void tp_profile_stop(tp_isolate* isolate) noexcept { isolate->heap().StartHeapProfile(0); }
void tp_profile_set_frames(tp_isolate* isolate, tp_profile_frames frames,
                           void* arg) noexcept {
  isolate->Set(isolate->frames, frames, arg);
  isolate->heap().SetProfileFrames(&FramesHook, isolate);
}
tp_status tp_profile_write(tp_thread* thread, tp_sink sink, void* arg) noexcept {
  return WithMemory([&] {
    std::string profile;
    {
      tidepool::StopScope stop(Thread(thread));
      profile = tidepool::HeapProfile(IsolateOf(thread)->heap(), &TypeName);
    }
    return Write(profile, sink, arg);
  });
}

tp_status tp_heap_map_write(tp_isolate* isolate, int format, const char* title, tp_sink sink,
                            void* arg) noexcept {
  if (format != TP_MAP_HTML && format != TP_MAP_JSON) return TP_INVALID;
  return WithMemory([&] {
    const tidepool::HeapMap map = tidepool::GetHeapMap(isolate->heap());
    return Write(format == TP_MAP_JSON
                     ? tidepool::HeapMapJson(map)
                     : tidepool::HeapMapHtml(map, title != nullptr ? title : "heap"),
                 sink, arg);
  });
}

tp_status tp_memory_split_get(tp_isolate* isolate, tp_memory_split* out) noexcept {
  return WithMemory([&] {
    const tidepool::MemorySplit split =
        tidepool::SplitMemory(tidepool::GetHeapMap(isolate->heap()));
    tp_memory_split full = tp_memory_split_init();
#define TIDEPOOL_X(field, label, doc) full.field##_bytes = split.field;
    TIDEPOOL_MEMORY_CAUSES(TIDEPOOL_X)
#undef TIDEPOOL_X
    full.headers_bytes = split.headers;
    full.resident_bytes = split.resident;
    full.peak_bytes = split.peak;
    return WriteStruct(out, full);
  });
}

size_t tp_stats_text(tp_isolate* isolate, char* out, size_t size) noexcept {
  size_t length = 0;
  WriteText(out, size, "");
  WithMemory([&] {
    length = WriteText(out, size, tidepool::StatsPage(isolate->heap()));
    return TP_OK;
  });
  return length;
}

void tp_set_fault_handler(tp_isolate* isolate, tp_fault_handler handler,
                          void* arg) noexcept {
  isolate->Set(isolate->on_fault, handler, arg);
  isolate->heap().SetFaultHandler(&FaultHook, isolate);
}
