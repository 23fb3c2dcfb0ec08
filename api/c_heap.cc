// The C API: heaps as things. A tp_heap is a Heap, a tp_hold a HeapHold.

#include <type_traits>

#include "tidepool/allocator/heap.h"
#include "tidepool/api/internal/c_impl.h"
#include "tidepool/tidepool_heap.h"

namespace tidepool::c_api {
namespace {

static_assert(sizeof(Heap) == sizeof(tp_heap) && sizeof(HeapHold) == sizeof(tp_hold));
static_assert(std::is_trivially_copyable_v<Heap> && std::is_trivially_copyable_v<HeapHold>);

template <class To, class From>
To Copy(const From& from) {
  To to;
  std::memcpy(static_cast<void*>(&to), &from, sizeof(to));
  return to;
}
Heap AsHeap(const tp_heap& heap) { return Copy<Heap>(heap); }

// The embedder's memory holds a HeapHold that was copied in by Give.
HeapHold& AsHold(tp_hold* hold) { return *reinterpret_cast<HeapHold*>(hold); }

void Give(const HeapHold& hold, tp_hold* out) { *out = Copy<tp_hold>(hold); }

tp_status Found(bool found) { return found ? TP_OK : TP_NOT_FOUND; }

tp_status Config(const tp_heap_limits* given, HeapConfig* out) {
  if (given == nullptr) return TP_OK;
  tp_heap_limits limits = tp_heap_limits_init();
  const tp_status read = ReadStruct(given, &limits, "tp_heap_limits", nullptr);
  if (read == TP_OK) *out = {limits.max_live, limits.max_committed};
  return read;
}

}  // namespace
}  // namespace tidepool::c_api

using namespace tidepool::c_api;  // NOLINT
using tidepool::Heap;
using tidepool::HeapHold;

tp_status tp_heap_create(tp_isolate* isolate, const tp_heap_limits* limits,
                         tp_heap* out) noexcept {
  tidepool::HeapConfig config;
  *out = Copy<tp_heap>(Heap());
  if (Config(limits, &config) != TP_OK) return TP_INVALID;
  auto heap = Heap::Create(&isolate->heap(), config);
  if (heap.ok()) *out = Copy<tp_heap>(*heap);
  return heap.ok() ? TP_OK : TP_NO_MEMORY;
}
tp_heap tp_heap_of(const void* block) noexcept { return Copy<tp_heap>(Heap::Of(block)); }
int tp_heap_is_alive(tp_heap heap) noexcept { return AsHeap(heap).alive(); }
int tp_heap_equal(tp_heap a, tp_heap b) noexcept { return AsHeap(a) == AsHeap(b); }

tp_status tp_heap_take(tp_heap heap, tp_thread* thread, tp_hold* out) noexcept {
  HeapHold hold;
  const bool taken = AsHeap(heap).Take(Thread(thread)->heap(), &hold);
  Give(hold, out);
  return Found(taken);
}
tp_status tp_heap_try_take(tp_heap heap, tp_thread* thread, tp_hold* out) noexcept {
  HeapHold hold;
  const bool taken = AsHeap(heap).TryTake(Thread(thread)->heap(), &hold);
  Give(hold, out);
  if (taken) return TP_OK;
  return AsHeap(heap).alive() ? TP_BUSY : TP_NOT_FOUND;
}
tp_status tp_heap_reset(tp_heap heap) noexcept { return Found(AsHeap(heap).Reset()); }
tp_status tp_heap_destroy(tp_heap heap) noexcept { return Found(AsHeap(heap).Destroy()); }
tp_status tp_heap_purge(tp_heap heap, size_t* purged) noexcept {
  return Found(AsHeap(heap).Purge(purged));
}
tp_status tp_heap_set_limits(tp_heap heap, const tp_heap_limits* limits) noexcept {
  tidepool::HeapConfig config;
  if (Config(limits, &config) != TP_OK) return TP_INVALID;
  return Found(AsHeap(heap).SetLimits(config));
}
tp_status tp_heap_figures_get(tp_heap heap, tp_heap_figures* out) noexcept {
  tidepool::HeapFigures f;
  if (!AsHeap(heap).Figures(&f)) return TP_NOT_FOUND;
  tp_heap_figures full = tp_heap_figures_init();
  full.live_bytes = f.live_bytes;
  full.live_blocks = f.live_blocks;
  full.committed_bytes = f.committed;
  full.pages = f.pages;
  full.peak_live_bytes = f.peak_live;
  full.peak_committed_bytes = f.peak_committed;
  full.refused = f.refused;
  full.foreign_frees = f.foreign_frees;
  return WriteStruct(out, full);
}
tp_status tp_heap_reset_peaks(tp_heap heap) noexcept {
  return Found(AsHeap(heap).ResetPeaks());
}

void* tp_hold_malloc(tp_hold* hold, size_t size) noexcept {
  return AsHold(hold).Allocate(size);
}
void* tp_hold_calloc(tp_hold* hold, size_t count, size_t size) noexcept {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
  return AsHold(hold).AllocateZeroed(bytes);
}
void* tp_hold_aligned_alloc(tp_hold* hold, size_t alignment, size_t size) noexcept {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) return nullptr;
  return AsHold(hold).AllocateAligned(size, alignment);
}
void* tp_hold_realloc(tp_hold* hold, void* block, size_t size) noexcept {
  return block == nullptr ? AsHold(hold).Allocate(size)
                          : AsHold(hold).Reallocate(block, size);
}
void tp_hold_free(tp_hold* hold, void* block) noexcept { AsHold(hold).Free(block); }
int tp_hold_is_valid(const tp_hold* hold) noexcept { return Copy<HeapHold>(*hold).valid(); }
void tp_hold_release(tp_hold* hold) noexcept { AsHold(hold).Release(); }
