/* The C API: heaps as things, the memory of one tenant (a Lua state, a request, a
 * document). Words, states and rules are in tidepool.h; docs/heaps.md tells the story.
 *
 * A tp_heap names the thing, a tp_hold is the right of one thread to allocate from it. Both
 * are values that may be copied. At most one thread holds a heap at a time; nothing waits
 * for it. A holder whose heap was taken or destroyed is refused at its next call (NULL, and
 * a report as for a bad free), whatever became of the memory. */
#ifndef TIDEPOOL_TIDEPOOL_HEAP_H_
#define TIDEPOOL_TIDEPOOL_HEAP_H_

#include "tidepool/tidepool_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tp_heap {
  uintptr_t reserved[2];
} tp_heap;
typedef struct tp_hold {
  uintptr_t reserved[4];
} tp_hold;

/* 0 is none. A request beyond a limit is NULL; the isolate's limits hold besides. */
typedef struct tp_heap_limits {
  uint32_t size;
  uint32_t version;
  uint64_t max_live;      /* bytes of live blocks, each with its block size */
  uint64_t max_committed; /* bytes of memory that the heap makes resident */
} tp_heap_limits;
static inline tp_heap_limits tp_heap_limits_init(void) {
  tp_heap_limits limits;
  memset(&limits, 0, sizeof(limits));
  limits.size = sizeof(limits);
  limits.version = TP_ABI_VERSION;
  return limits;
}

/* A new heap of the isolate, held by nobody. `limits` may be NULL. State: any. Error:
 * TP_NO_MEMORY, or TP_INVALID (limits not initialised); *out names no heap. */
TP_API tp_status tp_heap_create(tp_isolate* isolate, const tp_heap_limits* limits,
                                tp_heap* out) TP_NOEXCEPT;
/* The heap of a live block; one that is not alive if it belongs to none. State: any. */
TP_API tp_heap tp_heap_of(const void* block) TP_NOEXCEPT;
TP_API int tp_heap_is_alive(tp_heap heap) TP_NOEXCEPT;       /* any */
TP_API int tp_heap_equal(tp_heap a, tp_heap b) TP_NOEXCEPT;  /* any */

/* `thread` holds the heap from now on, and whoever did before does no more. State: own.
 * Error: TP_NOT_FOUND, the heap is gone. */
TP_API tp_status tp_heap_take(tp_heap heap, tp_thread* thread, tp_hold* out) TP_NOEXCEPT;
/* Only if nobody holds it. State: own. Error: TP_BUSY, or TP_NOT_FOUND. */
TP_API tp_status tp_heap_try_take(tp_heap heap, tp_thread* thread,
                                  tp_hold* out) TP_NOEXCEPT;
/* Every block is gone at once; holds stay. Nobody may be using or freeing one. State: any,
 * whoever holds it. Error: TP_NOT_FOUND. */
TP_API tp_status tp_heap_reset(tp_heap heap) TP_NOEXCEPT;
/* And the heap. State: any. Error: TP_NOT_FOUND. */
TP_API tp_status tp_heap_destroy(tp_heap heap) TP_NOEXCEPT;
/* Gives unused memory back; *purged (may be NULL) is how much. State: any. Error:
 * TP_NOT_FOUND. */
TP_API tp_status tp_heap_purge(tp_heap heap, size_t* purged) TP_NOEXCEPT;
/* State: any. Error: TP_NOT_FOUND; TP_INVALID, not initialised. */
TP_API tp_status tp_heap_set_limits(tp_heap heap, const tp_heap_limits* limits) TP_NOEXCEPT;

typedef struct tp_heap_figures {
  uint32_t size;
  uint32_t version;
  uint64_t live_bytes;
  uint64_t live_blocks;
  uint64_t committed_bytes;
  uint64_t pages;
  uint64_t peak_live_bytes;      /* since the start or tp_heap_reset_peaks */
  uint64_t peak_committed_bytes;
  uint64_t refused;              /* requests */
  uint64_t foreign_frees;
} tp_heap_figures;
static inline tp_heap_figures tp_heap_figures_init(void) {
  tp_heap_figures f;
  memset(&f, 0, sizeof(f));
  f.size = sizeof(f);
  f.version = TP_ABI_VERSION;
  return f;
}
/* State: any; waits for nobody. Error: TP_NOT_FOUND; TP_INVALID, not initialised. */
TP_API tp_status tp_heap_figures_get(tp_heap heap, tp_heap_figures* out) TP_NOEXCEPT;
TP_API tp_status tp_heap_reset_peaks(tp_heap heap) TP_NOEXCEPT;

/* --- By the holder. State: own, attached or detached. Error: NULL (a limit, no memory, or
 * the hold was lost), and the old block is as it was. --- */
TP_API void* tp_hold_malloc(tp_hold* hold, size_t size) TP_NOEXCEPT;
TP_API void* tp_hold_calloc(tp_hold* hold, size_t count, size_t size) TP_NOEXCEPT;
TP_API void* tp_hold_aligned_alloc(tp_hold* hold, size_t alignment,
                                   size_t size) TP_NOEXCEPT;
/* `block` NULL: as malloc. */
TP_API void* tp_hold_realloc(tp_hold* hold, void* block, size_t size) TP_NOEXCEPT;
/* Any block of any heap; NULL is allowed. Works also after the hold was lost. Other threads
 * free by tp_free or tp_free_anywhere. */
TP_API void tp_hold_free(tp_hold* hold, void* block) TP_NOEXCEPT;
TP_API int tp_hold_is_valid(const tp_hold* hold) TP_NOEXCEPT;
/* Nobody holds the heap then. */
TP_API void tp_hold_release(tp_hold* hold) TP_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TIDEPOOL_TIDEPOOL_HEAP_H_ */
