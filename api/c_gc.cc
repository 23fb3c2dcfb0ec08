// The C API: collections, listeners, lists of objects.

#include <new>
#include <string>

#include "tidepool/api/internal/c_impl.h"

namespace tidepool::c_api {

void FillCollection(const CollectStats& stats, tp_collection* out) {
  out->ran = stats.ran;
  out->out_of_memory = stats.out_of_memory;
  out->reason = stats.reason;
  out->found = stats.found();
  out->collected = stats.collected;
  out->resurrected = stats.resurrected;
  out->tracked = stats.tracked;
  out->frozen = stats.frozen;
  out->marked = stats.marked;
  out->candidates = stats.candidates;
  out->finalizers = stats.finalizers;
  out->weakrefs_cleared = stats.weakrefs_cleared;
  out->callbacks = stats.callbacks;
  out->live_bytes_before = stats.live_bytes_before;
  out->live_bytes_after = stats.live_bytes_after;
  out->pause_ns = stats.pause_ns;
  out->paused_ns = stats.paused_ns;
  out->total_ns = stats.total_ns;
}

namespace {

Collector& Gc(tp_thread* thread) { return IsolateOf(thread)->collector(); }

class ListenerOfC : public CollectionListener {
 public:
  explicit ListenerOfC(tp_gc_listener* listener) : listener_(listener) {}
  void OnCollectionStart(ThreadState* ts, const CollectStats& info) noexcept override {
    Tell(ts, info, listener_->start);
  }
  void OnCollectionStop(ThreadState* ts, const CollectStats& info) noexcept override {
    Tell(ts, info, listener_->stop);
  }

 private:
  void Tell(ThreadState* ts, const CollectStats& info,
            void (*fn)(tp_thread*, const tp_collection*, void*)) {
    if (fn == nullptr) return;
    tp_collection told = tp_collection_init();
    FillCollection(info, &told);
    InCallback in(ts, "a listener of collections");
    fn(Thread(ts), &told, listener_->arg);
  }

  tp_gc_listener* const listener_;
};

ListenerOfC* Of(tp_gc_listener* listener) {
  return reinterpret_cast<ListenerOfC*>(listener->reserved[0]);
}

tp_status Listed(const absl::Status& status) { return status.ok() ? TP_OK : TP_NO_MEMORY; }

}  // namespace
}  // namespace tidepool::c_api

using namespace tidepool::c_api;  // NOLINT
using tidepool::ObjectHeader;

uint64_t tp_collect(tp_thread* thread, tp_collection* out) noexcept {
  const tidepool::CollectStats stats = Gc(thread).Collect(Attached(thread));
  if (out != nullptr) {
    tp_collection full = tp_collection_init();
    FillCollection(stats, &full);
    WriteStruct(out, full);
  }
  return stats.found();
}
void tp_collect_soon(tp_thread* thread) noexcept {
  Gc(thread).RequestCollection(Attached(thread), /*force=*/true);
}
void tp_gc_enable(tp_isolate* isolate) noexcept { isolate->vm->SetGcEnabled(true); }
void tp_gc_disable(tp_isolate* isolate) noexcept { isolate->vm->SetGcEnabled(false); }
int tp_gc_is_enabled(tp_isolate* isolate) noexcept { return isolate->collector().enabled(); }
void tp_no_gc_begin(tp_isolate* isolate) noexcept { isolate->vm->BeginNoGc(); }
void tp_no_gc_end(tp_isolate* isolate) noexcept { isolate->vm->EndNoGc(); }

tp_status tp_gc_totals_get(tp_isolate* isolate, tp_gc_totals* out) noexcept {
  tp_gc_totals full = tp_gc_totals_init();
  for (int generation = 0; generation < 3; ++generation) {
    const tidepool::GenerationStats g = isolate->collector().GetGenerationStats(generation);
    full.collections += g.collections;
    full.collected += g.collected;
    full.resurrected += g.resurrected;
    full.finalizers += g.finalizers;
    full.paused_ns += g.paused_ns;
    full.total_ns += g.total_ns;
    if (g.max_pause_ns > full.max_pause_ns) full.max_pause_ns = g.max_pause_ns;
  }
  return WriteStruct(out, full);
}

void tp_gc_serve(tp_thread* thread) noexcept { Gc(thread).ServeCollections(Thread(thread)); }
void tp_gc_stop_serving(tp_isolate* isolate) noexcept { isolate->collector().StopServing(); }
void tp_gc_drain_finalizers(tp_thread* thread) noexcept {
  Gc(thread).DrainFinalizers(Attached(thread));
}
void tp_gc_freeze(tp_thread* thread) noexcept { Gc(thread).Freeze(Attached(thread)); }
void tp_gc_unfreeze(tp_thread* thread) noexcept { Gc(thread).Unfreeze(Attached(thread)); }
uint64_t tp_gc_frozen(tp_thread* thread) noexcept {
  return Gc(thread).FreezeCount(Attached(thread));
}

tp_status tp_gc_add_listener(tp_isolate* isolate, tp_gc_listener* listener) noexcept {
  auto* made = new (std::nothrow) ListenerOfC(listener);
  if (made == nullptr) return TP_NO_MEMORY;
  listener->reserved[0] = reinterpret_cast<uintptr_t>(made);
  if (isolate->collector().AddListener(made)) return TP_OK;
  listener->reserved[0] = 0;
  delete made;
  return TP_BUSY;
}
void tp_gc_remove_listener(tp_thread* thread, tp_gc_listener* listener) noexcept {
  if (listener->reserved[0] == 0) return;
  Gc(thread).RemoveListener(Thread(thread), Of(listener));
  delete Of(listener);
  listener->reserved[0] = 0;
}

tp_status tp_gc_objects(tp_thread* thread, tp_object_visitor visit, void* arg) noexcept {
  return Listed(Gc(thread).GetObjects(Attached(thread),
                                      [&](ObjectHeader* o) { CallOut(visit, Object(o), arg); }));
}
tp_status tp_gc_referrers(tp_thread* thread, tp_object* object, tp_object_visitor visit,
                          void* arg) noexcept {
  ObjectHeader* const targets[] = {Object(object)};
  return Listed(Gc(thread).GetReferrers(Attached(thread), targets,
                                        [&](ObjectHeader* o) { CallOut(visit, Object(o), arg); }));
}
tp_status tp_gc_referents(tp_thread* thread, tp_object* object, tp_object_visitor visit,
                          void* arg) noexcept {
  ObjectHeader* const targets[] = {Object(object)};
  return Listed(Gc(thread).GetReferents(Attached(thread), targets,
                                        [&](ObjectHeader* o) { CallOut(visit, Object(o), arg); }));
}
tp_status tp_gc_set_policy(tp_thread* thread, const char* spec, tp_error* error) noexcept {
  return SetError(error, Gc(thread).SetPolicy(Thread(thread), spec));
}
size_t tp_gc_policy(tp_isolate* isolate, char* out, size_t size) noexcept {
  return WriteText(out, size, isolate->collector().policy_name());
}
tp_status tp_gc_open_log(tp_thread* thread, const char* path, uint64_t sample_every,
                         tp_error* error) noexcept {
  return SetError(error, Gc(thread).OpenLog(Thread(thread), path, sample_every));
}
uint64_t tp_check_invariants(tp_thread* thread, tp_error* first) noexcept {
  std::string why;
  const uint64_t faults = Gc(thread).CheckInvariants(Attached(thread), &why);
  SetError(first, faults == 0 ? TP_OK : TP_INVALID, why);
  return faults;
}
