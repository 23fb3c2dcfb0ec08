// Module gc: the collector as scripts see it.
//
// gc.callbacks and gc.garbage are lists of the module; a listener of the collector calls the former, the garbage
// visitor fills the latter under DEBUG_SAVEALL.
#include <vector>

#include "tidepool/gc/collector.h"
#include "tidepool/runtime/modules/common.h"
#include "tidepool/runtime/modules/modules.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"

namespace tidepool::rt {
namespace {

struct GcModuleState : CollectionListener {
  Value callbacks;   // List; the module's dict owns it
  Value garbage;     // List

  void OnCollectionStart(ThreadState* ts, const CollectStats& info) override { Tell(ts, info, "start"); }
  void OnCollectionStop(ThreadState* ts, const CollectStats& info) override { Tell(ts, info, "stop"); }

 private:
  void Tell(ThreadState* ts, const CollectStats& info, const char* phase);
};

GcModuleState& State(Context& cx) { return cx.rt.State<GcModuleState>(); }

void GcModuleState::Tell(ThreadState* ts, const CollectStats& info, const char* phase) {
  Context& cx = *static_cast<Context*>(ts->embedder_data);
  List* list = callbacks.as<List>();
  if (ListSize(list) == 0) return;
  PendingScope pending(cx);
  Ref text = NewStr(cx, phase);
  Ref facts = NewDict(cx);
  if (!text || !facts || !SetItemText(cx, facts.as<Dict>(), "generation", NewInt(cx, info.generation)) ||
      !SetItemText(cx, facts.as<Dict>(), "collected", NewInt(cx, static_cast<int64_t>(info.collected))) ||
      !SetItemText(cx, facts.as<Dict>(), "uncollectable", NewInt(cx, static_cast<int64_t>(info.uncollectable)))) {
    cx.ClearException();
    return;
  }
  for (int64_t i = 0;; i++) {
    Ref callback = ListGet(cx, list, i);
    if (!callback) break;
    Ref done = Call(cx, callback, text, facts);
    if (!done) WriteUnraisable(cx, callback);
  }
  cx.ClearException();
}

void KeepGarbage(ThreadState* ts, ObjectHeader* obj, void*) {
  Context& cx = *static_cast<Context*>(ts->embedder_data);
  Ref object = Ref::Steal(static_cast<Object*>(obj));
  PendingScope pending(cx);
  if (!ListAppend(cx, State(cx).garbage.as<List>(), object)) cx.ClearException();
}

Ref GcCollect(Context& cx, Value, const Args& args) {
  Value v[1];
  if (!ParseArgs(cx, "collect", args, {"generation"}, 0, v)) return nullptr;
  int64_t generation = 2;
  if (v[0] && !ToInt32(cx, v[0], &generation)) return nullptr;
  if (generation < 0 || generation > 2) return RaiseValueError(cx, "invalid generation");
  const CollectStats stats = cx.rt.collector->Collect(cx.ts, static_cast<int>(generation));
  if (stats.out_of_memory) return RaiseMemoryError(cx);
  return NewInt(cx, static_cast<int64_t>(stats.found()));
}

Ref GcEnable(Context& cx, Value, const Args&) {
  cx.rt.collector->Enable();
  return cx.NoneRef();
}

Ref GcDisable(Context& cx, Value, const Args&) {
  cx.rt.collector->Disable();
  return cx.NoneRef();
}

Ref GcIsEnabled(Context& cx, Value, const Args&) { return cx.BoolRef(cx.rt.collector->enabled()); }

Ref Triple(Context& cx, const uint64_t n[3]) {
  Value v[3];
  Ref keep[3];
  for (int i = 0; i < 3; i++) {
    keep[i] = NewInt(cx, static_cast<int64_t>(n[i]));
    if (!keep[i]) return nullptr;
    v[i] = keep[i];
  }
  return NewTuple(cx, v, 3);
}

Ref GcGetThreshold(Context& cx, Value, const Args&) {
  uint64_t t[3];
  cx.rt.collector->GetThresholds(t);
  return Triple(cx, t);
}

Ref GcSetThreshold(Context& cx, Value, const Args& args) {
  uint64_t t[3];
  cx.rt.collector->GetThresholds(t);
  for (size_t i = 0; i < args.size(); i++) {
    int64_t n;
    if (!ToInt64(cx, args[i], &n)) return nullptr;
    t[i] = n < 0 ? 0 : static_cast<uint64_t>(n);
  }
  cx.rt.collector->SetThresholds(t[0], t[1], t[2]);
  return cx.NoneRef();
}

Ref GcGetCount(Context& cx, Value, const Args&) {
  uint64_t n[3];
  cx.rt.collector->GetCounts(n);
  return Triple(cx, n);
}

Ref GcGetStats(Context& cx, Value, const Args&) {
  Ref list = NewList(cx, nullptr, 0);
  if (!list) return nullptr;
  for (int g = 0; g < 3; g++) {
    const GenerationStats stats = cx.rt.collector->GetGenerationStats(g);
    Ref dict = NewDict(cx);
    if (!dict ||
        !SetItemText(cx, dict.as<Dict>(), "collections", NewInt(cx, static_cast<int64_t>(stats.collections))) ||
        !SetItemText(cx, dict.as<Dict>(), "collected", NewInt(cx, static_cast<int64_t>(stats.collected))) ||
        !SetItemText(cx, dict.as<Dict>(), "uncollectable", NewInt(cx, static_cast<int64_t>(stats.uncollectable))) ||
        !ListAppend(cx, list.as<List>(), dict)) {
      return nullptr;
    }
  }
  return list;
}

// The collector hands out references while it may not be disturbed; the list is made afterwards.
class Gathered {
 public:
  explicit Gathered(Context& cx) : cx_(cx) {}
  ~Gathered() {
    for (ObjectHeader* obj : objects_) Decref(cx_.ts, obj);
  }
  void Add(ObjectHeader* strong) { objects_.push_back(strong); }

  // A list of what was gathered; MemoryError if the collector could not.
  Ref ToList(const absl::Status& status) {
    if (!status.ok()) return RaiseMemoryError(cx_);
    Ref list = NewList(cx_, nullptr, 0);
    if (!list) return nullptr;
    for (ObjectHeader* obj : objects_) {
      if (!ListAppend(cx_, list.as<List>(), static_cast<Object*>(obj))) return nullptr;
    }
    return list;
  }

 private:
  Context& cx_;
  std::vector<ObjectHeader*> objects_;
};

Ref GcGetObjects(Context& cx, Value, const Args& args) {
  Value v[1];
  if (!ParseArgs(cx, "get_objects", args, {"generation"}, 0, v)) return nullptr;
  if (v[0] && v[0] != cx.None()) {
    int64_t generation;
    if (!ToInt64(cx, v[0], &generation)) return nullptr;
    if (generation < -1) return RaiseValueError(cx, "generation parameter cannot be negative");  // -1 is None there
    if (generation > 2) {
      return RaiseValueError(cx, "generation parameter must be less than the number of available generations (3)");
    }
  }
  Gathered gathered(cx);
  return gathered.ToList(cx.rt.collector->GetObjects(cx.ts, [&](ObjectHeader* obj) { gathered.Add(obj); }));
}

std::vector<ObjectHeader*> Targets(const Args& args) {
  std::vector<ObjectHeader*> targets;
  for (size_t i = 0; i < args.size(); i++) {
    if (args[i].is_object()) targets.push_back(args[i].object());
  }
  return targets;
}

Ref GcGetReferrers(Context& cx, Value, const Args& args) {
  const std::vector<ObjectHeader*> targets = Targets(args);
  Gathered gathered(cx);
  return gathered.ToList(
      cx.rt.collector->GetReferrers(cx.ts, targets, [&](ObjectHeader* obj) { gathered.Add(obj); }));
}

// What a builtin container refers to, small integers included, which are no objects and so unknown to the collector.
// 1: done, 0: not such a container, -1: exception.
int AppendItems(Context& cx, List* out, Value container) {
  if (IsExact(container, cx.rt.cls.list) || IsExact(container, cx.rt.cls.tuple) || IsExact(container, cx.rt.cls.set) ||
      IsExact(container, cx.rt.cls.frozenset)) {
    return ListExtend(cx, out, container) ? 1 : -1;
  }
  if (!IsExact(container, cx.rt.cls.dict)) return 0;
  // Keys are left out, as there, if all of them are text.
  size_t at = 0;
  Ref key, value;
  bool text = true;
  while (text && DictNext(cx, container.as<Dict>(), &at, &key, &value)) text = IsExact(key, cx.rt.cls.str);
  at = 0;
  while (DictNext(cx, container.as<Dict>(), &at, &key, &value)) {
    if ((!text && !ListAppend(cx, out, key)) || !ListAppend(cx, out, value)) return -1;
  }
  return cx.has_exception() ? -1 : 1;
}

Ref GcGetReferents(Context& cx, Value, const Args& args) {
  Ref list = NewList(cx);
  if (!list) return nullptr;
  for (size_t i = 0; i < args.size(); i++) {
    if (!args[i].is_object()) continue;
    const int done = AppendItems(cx, list.as<List>(), args[i]);
    if (done < 0) return nullptr;
    if (done > 0) continue;
    ObjectHeader* target = args[i].object();
    Gathered gathered(cx);
    Ref some = gathered.ToList(cx.rt.collector->GetReferents(cx.ts, absl::MakeConstSpan(&target, 1),
                                                             [&](ObjectHeader* obj) { gathered.Add(obj); }));
    if (!some || !ListExtend(cx, list.as<List>(), some)) return nullptr;
  }
  return list;
}

Ref GcIsTracked(Context& cx, Value, const Args& args) {
  return cx.BoolRef(args[0].is_object() && Collector::IsTracked(args[0].object()));
}

Ref GcIsFinalized(Context& cx, Value, const Args& args) {
  return cx.BoolRef(args[0].is_object() && Collector::IsFinalized(args[0].object()));
}

Ref GcFreeze(Context& cx, Value, const Args&) {
  cx.rt.collector->Freeze(cx.ts);
  return cx.NoneRef();
}

Ref GcUnfreeze(Context& cx, Value, const Args&) {
  cx.rt.collector->Unfreeze(cx.ts);
  return cx.NoneRef();
}

Ref GcGetFreezeCount(Context& cx, Value, const Args&) {
  return NewInt(cx, static_cast<int64_t>(cx.rt.collector->FreezeCount(cx.ts)));
}

Ref GcSetDebug(Context& cx, Value, const Args& args) {
  int64_t flags;
  if (!ToInt64(cx, args[0], &flags)) return nullptr;
  cx.rt.collector->SetDebug(static_cast<uint32_t>(flags));
  return cx.NoneRef();
}

Ref GcGetDebug(Context& cx, Value, const Args&) { return Ref::Small(cx.rt.collector->debug()); }

// Ours: the collection policy, by its name and arguments as for --gc-policy.
Ref GcSetPolicy(Context& cx, Value, const Args& args) {
  if (!IsExact(args[0], cx.rt.cls.str)) return RaiseTypeError(cx, "set_policy() argument must be str");
  const Str* spec = args[0].as<Str>();
  const absl::Status status = cx.rt.collector->SetPolicy(cx.ts, ToUtf8(spec));
  if (!status.ok()) return RaiseValueError(cx, "%s", std::string(status.message()).c_str());
  return cx.NoneRef();
}

Ref GcGetPolicy(Context& cx, Value, const Args&) { return NewStr(cx, cx.rt.collector->policy_name()); }

const MethodDef kFunctions[] = {
    {"collect", GcCollect, 0, 1, kMethodKeywords},
    {"enable", GcEnable, 0, 0},
    {"disable", GcDisable, 0, 0},
    {"isenabled", GcIsEnabled, 0, 0},
    {"get_threshold", GcGetThreshold, 0, 0},
    {"set_threshold", GcSetThreshold, 1, 3},
    {"get_count", GcGetCount, 0, 0},
    {"get_stats", GcGetStats, 0, 0},
    {"get_objects", GcGetObjects, 0, 1, kMethodKeywords},
    {"get_referrers", GcGetReferrers, 0, -1},
    {"get_referents", GcGetReferents, 0, -1},
    {"is_tracked", GcIsTracked, 1, 1},
    {"is_finalized", GcIsFinalized, 1, 1},
    {"freeze", GcFreeze, 0, 0},
    {"unfreeze", GcUnfreeze, 0, 0},
    {"get_freeze_count", GcGetFreezeCount, 0, 0},
    {"set_debug", GcSetDebug, 1, 1},
    {"get_debug", GcGetDebug, 0, 0},
    {"set_policy", GcSetPolicy, 1, 1},
    {"get_policy", GcGetPolicy, 0, 0},
    {},
};

bool InitModule(Context& cx, Module* module) {
  GcModuleState& state = State(cx);
  Ref callbacks = NewList(cx, nullptr, 0);
  Ref garbage = NewList(cx, nullptr, 0);
  if (!callbacks || !garbage) return false;
  state.callbacks = callbacks;
  state.garbage = garbage;
  if (!AddToModule(cx, module, "callbacks", std::move(callbacks)) ||
      !AddToModule(cx, module, "garbage", std::move(garbage))) {
    return false;
  }
  cx.rt.collector->AddListener(&state);
  cx.rt.collector->SetGarbageVisitor(KeepGarbage, nullptr);
  return AddToModule(cx, module, "DEBUG_STATS", Ref::Small(1)) &&
         AddToModule(cx, module, "DEBUG_COLLECTABLE", Ref::Small(2)) &&
         AddToModule(cx, module, "DEBUG_UNCOLLECTABLE", Ref::Small(4)) &&
         AddToModule(cx, module, "DEBUG_SAVEALL", Ref::Small(32)) &&
         AddToModule(cx, module, "DEBUG_LEAK", Ref::Small(38));
}

}  // namespace

const ModuleDef kGcModule = {"gc", kFunctions, InitModule};

}  // namespace tidepool::rt
