// The C API: raw memory, limits, what the embedder tells, figures, walks.

#include <string>

#include "absl/strings/str_cat.h"
#include "tidepool/api/internal/c_impl.h"

void tp_isolate::Listener::OnCollectionStop(tidepool::ThreadState*,
                                            const tidepool::CollectStats&) {
  // Relaxed: whoever asked for it asked for the collection afterwards.
  if (isolate->purge_wanted.exchange(0, tidepool::kRelaxed) != 0) isolate->heap().Purge();
}

namespace tidepool::c_api {
namespace {

ThreadHeap* Heap(tp_thread* thread, const char* call = __builtin_FUNCTION()) {
  return Attached(thread, call)->heap();
}

void FillStats(tp_isolate* isolate, tp_heap_stats* out) {
  const Stats s = isolate->heap().GetStats();
  out->reserved_bytes = s.reserved;
  out->committed_bytes = s.committed;
  out->meta_bytes = s.meta;
  out->live_bytes = s.live_bytes;
  out->live_blocks = s.live_blocks;
  out->free_bytes = s.free_dirty;
  out->free_in_pages = s.free_in_pages;
  out->dormant_bytes = s.dormant;
  out->limbo_bytes = s.limbo;
  out->purged_bytes = s.purged;
  out->threads = s.threads;
  out->bad_frees = s.bad_frees;
  out->limit_hits = s.limit_hits;
  out->os_refusals = s.os_refusals;
  out->pressure_calls = s.pressure_calls;
  out->external_bytes = isolate->collector().external_bytes();
  out->handles = isolate->handle_count.load(kRelaxed);
  static_assert(kHeapKindCount == TP_KINDS);
  for (int k = 0; k < TP_KINDS; ++k) {
    out->kind[k] = {s.kind[k].live_bytes, s.kind[k].live_blocks, s.kind[k].page_bytes};
  }
}

}  // namespace
}  // namespace tidepool::c_api

using namespace tidepool::c_api;  // NOLINT
using tidepool::HeapKind;
using tidepool::kRelaxed;

void* tp_malloc(tp_thread* thread, size_t size) noexcept {
  return Heap(thread)->Allocate(HeapKind::kRaw, size);
}
void* tp_calloc(tp_thread* thread, size_t count, size_t size) noexcept {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
  return Heap(thread)->AllocateZeroed(HeapKind::kRaw, bytes);
}
void* tp_realloc(tp_thread* thread, void* block, size_t size) noexcept {
  if (block == nullptr) return tp_malloc(thread, size);
  return Heap(thread)->Reallocate(block, size);
}
void* tp_aligned_alloc(tp_thread* thread, size_t alignment, size_t size) noexcept {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) return nullptr;
  return Heap(thread)->AllocateAligned(HeapKind::kRaw, size, alignment);
}
void tp_free(tp_thread* thread, void* block) noexcept { Heap(thread)->Free(block); }
void tp_free_anywhere(tp_isolate* isolate, void* block) noexcept {
  isolate->heap().FreeFromAnywhere(block);
}
size_t tp_usable_size(const void* block) noexcept {
  return tidepool::HeapDomain::UsableSize(block);
}
int tp_owns(tp_isolate* isolate, const void* address) noexcept {
  return isolate->heap().Owns(address);
}
void tp_free_delayed(tp_thread* thread, void* block, int may_zero) noexcept {
  if (block != nullptr) Heap(thread)->FreeDelayed(block, may_zero != 0);
}
void* tp_realloc_delayed(tp_thread* thread, void* block, size_t old_used, size_t new_size,
                         int may_zero) noexcept {
  return Heap(thread)->ReallocateDelayed(block, old_used, new_size, may_zero != 0);
}

void tp_set_hard_limit(tp_isolate* isolate, uint64_t bytes) noexcept {
  isolate->heap().SetHardLimit(bytes);
}
void tp_set_soft_limit(tp_isolate* isolate, uint64_t bytes) noexcept {
  isolate->heap().SetSoftLimit(bytes);
}

void tp_report_external(tp_isolate* isolate, int64_t bytes) noexcept {
  isolate->collector().AddExternalBytes(bytes);
}
void tp_report_pressure(tp_isolate* isolate, int level) noexcept {
  if (level < TP_PRESSURE_MODERATE) return;
  if (level >= TP_PRESSURE_CRITICAL) {
    isolate->purge_wanted.store(1, kRelaxed);
    isolate->collector().RequestCollection(nullptr, true);
  }
  isolate->heap().Purge();
}
size_t tp_purge(tp_isolate* isolate) noexcept { return isolate->heap().Purge(); }
size_t tp_release_unused(tp_isolate* isolate) noexcept {
  return isolate->heap().ReleaseArenas();
}

tp_status tp_heap_stats_get(tp_isolate* isolate, tp_heap_stats* out) noexcept {
  tp_heap_stats full = tp_heap_stats_init();
  FillStats(isolate, &full);
  return WriteStruct(out, full);
}
size_t tp_stats_json(tp_isolate* isolate, char* out, size_t size) noexcept {
  const std::string json =
      absl::StrCat("{\"heap\":", isolate->heap().StatsJson(),
                   ",\"gc\":", isolate->collector().StatsJson(), "}");
  return WriteText(out, size, json);
}

int tp_visit_pages(tp_thread* thread, uint32_t kinds,
                   int (*visit)(const tp_page*, void*), void* arg) noexcept {
  int result = 0;
  tidepool::StopScope stop(Attached(thread));
  Attached(thread)->isolate()->heap().VisitPages(kinds, [&](const tidepool::PageInfo& info) {
    if (result != 0) return;
    tp_page page = {};
    page.first_block = info.first_block;
    page.block_size = info.block_size;
    page.blocks = info.count;
    page.header_offset = info.header_offset;
    page.owner = info.owner_tid;
    page.kind = static_cast<int>(info.kind);
    result = CallOut(visit, &page, arg);
  });
  return result;
}

tp_status tp_visit_blocks(tp_thread* thread, uint32_t kinds, size_t least, size_t most,
                          void (*visit)(const tp_block*, void*), void* arg) noexcept {
  tidepool::StopScope stop(Attached(thread));
  const bool all = Attached(thread)->isolate()->heap().VisitBlocks(
      kinds, least, most, [&](const tidepool::HeapDomain::BlockInfo& info) {
        const tp_block block = {info.block, info.size, info.owner_tid,
                                static_cast<int>(info.kind), 0};
        CallOut(visit, &block, arg);
      });
  return all ? TP_OK : TP_NO_MEMORY;
}

int tp_visit_objects(tp_thread* thread, int (*visit)(const tp_visited*, void*),
                     void* arg) noexcept {
  int result = 0;
  IsolateOf(thread)->collector().VisitObjects(
      Attached(thread), [&](const tidepool::Collector::ObjectInfo& info) {
        if (result != 0) return;
        tp_visited seen = {};
        seen.object = Object(info.object);
        seen.block_size = info.block_size;
        seen.frozen = info.frozen;
        seen.immortal = info.immortal;
        seen.unreachable = info.unreachable;
        result = CallOut(visit, &seen, arg);
      });
  return result;
}
