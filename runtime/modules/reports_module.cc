// Module _tidepool: what a script can ask about the memory it runs in.
//
//   heap_map(path)      writes a picture of the heap (.json: the figures)
//   heap_profile(path)  writes the sampled heap profile for pprof
//   start_profile(n)    samples a block per n bytes from now on; 0 stops
//   stats()             the page of figures, as text
//   stats_json()        the same for programs
//   purge()             gives unused memory back to the OS; how many bytes it was
//   set_deferred(obj)   marks obj as used by many threads: each counts it in a table of its
//                       own, and only a collection frees it; False if it was so already
//   clear_deferred(obj) takes that back: counted as others are; False if it was not marked
#include "tidepool/allocator/stats_page.h"
#include "tidepool/gc/collector.h"
#include "tidepool/object/isolate.h"
#include "tidepool/object/refcount.h"
#include "tidepool/runtime/modules/common.h"
#include "tidepool/runtime/modules/modules.h"
#include "tidepool/runtime/modules/reports.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/vm/errors.h"

namespace tidepool::rt {
namespace {

bool PathOf(Context& cx, Value v, std::string* path) {
  if (!IsExact(v, cx.rt.cls.str)) {
    RaiseTypeError(cx, "path must be str, not %s", ClassName(cx, v));
    return false;
  }
  *path = ToUtf8(v.as<Str>());
  return true;
}

Ref MapHeap(Context& cx, Value, const Args& args) {
  std::string path, error;
  if (!PathOf(cx, args[0], &path)) return nullptr;
  if (!WriteHeapMap(cx.rt.isolate->heap(), path, "Heap of a script", &error)) {
    return Raise(cx, cx.rt.exc.OSError, "%s", error.c_str());
  }
  return cx.NoneRef();
}

Ref ProfileHeap(Context& cx, Value, const Args& args) {
  std::string path, error;
  if (!PathOf(cx, args[0], &path)) return nullptr;
  if (!WriteHeapProfile(cx, path, &error)) return Raise(cx, cx.rt.exc.OSError, "%s", error.c_str());
  return cx.NoneRef();
}

Ref StartProfile(Context& cx, Value, const Args& args) {
  int64_t interval;
  if (!ToInt64(cx, args[0], &interval)) return nullptr;
  if (interval < 0) return RaiseValueError(cx, "the interval must not be negative");
  if (!StartHeapProfile(cx, static_cast<uint64_t>(interval))) return RaiseMemoryError(cx);
  return cx.NoneRef();
}

Ref StatsText(Context& cx, Value, const Args&) { return NewStr(cx, StatsPage(cx.rt.isolate->heap())); }

Ref StatsAsJson(Context& cx, Value, const Args&) { return NewStr(cx, cx.rt.isolate->heap().StatsJson()); }

Ref PurgeNow(Context& cx, Value, const Args&) {
  return NewInt(cx, static_cast<int64_t>(cx.rt.isolate->heap().Purge()));
}

bool CanBeDeferred(Context& cx, Value v) {
  // Only a collection frees what is marked: it must be one of the collector's objects.
  if (v.is_object() && Collector::IsTracked(v.object())) return true;
  RaiseTypeError(cx, "%s objects that the collector does not track cannot be marked", ClassName(cx, v));
  return false;
}

Ref MarkShared(Context& cx, Value, const Args& args) {
  if (!CanBeDeferred(cx, args[0])) return nullptr;
  return cx.BoolRef(SetDeferred(cx.ts, args[0].object()));
}

Ref UnmarkShared(Context& cx, Value, const Args& args) {
  if (!CanBeDeferred(cx, args[0])) return nullptr;
  return cx.BoolRef(ClearDeferred(cx.ts, args[0].object()));
}

const MethodDef kFunctions[] = {
    {"heap_map", MapHeap, 1, 1},       {"heap_profile", ProfileHeap, 1, 1}, {"start_profile", StartProfile, 1, 1},
    {"stats", StatsText, 0, 0},        {"stats_json", StatsAsJson, 0, 0},   {"purge", PurgeNow, 0, 0},
    {"set_deferred", MarkShared, 1, 1}, {"clear_deferred", UnmarkShared, 1, 1},
    {},
};

}  // namespace

const ModuleDef kTidepoolModule = {"_tidepool", kFunctions, nullptr};

}  // namespace tidepool::rt
