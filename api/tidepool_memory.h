/* The C API: raw memory, limits, pressure, purge, figures, a walk over the heap. Words,
 * states and rules are in tidepool.h. */
#ifndef TIDEPOOL_TIDEPOOL_MEMORY_H_
#define TIDEPOOL_TIDEPOOL_MEMORY_H_

#include "tidepool/tidepool_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* --- Raw memory, from the same heaps and under the same limit. State: attached. ---
 * Aligned to 16. Error: NULL, and the old block is as it was. A pointer that is no live
 * block of a tidepool heap is refused by free and realloc, in release builds too: counted
 * (tp_heap_stats.bad_frees) and, by the option bad_free, ignored, reported on stderr
 * (default) or fatal. */
TP_API void* tp_malloc(tp_thread* thread, size_t size) TP_NOEXCEPT;
TP_API void* tp_calloc(tp_thread* thread, size_t count, size_t size) TP_NOEXCEPT;
/* `block` NULL: as tp_malloc. Size 0 gives a smallest block. */
TP_API void* tp_realloc(tp_thread* thread, void* block, size_t size) TP_NOEXCEPT;
/* `alignment`: a power of two. */
TP_API void* tp_aligned_alloc(tp_thread* thread, size_t alignment, size_t size) TP_NOEXCEPT;
/* NULL is allowed. Blocks of any thread of the isolate. */
TP_API void tp_free(tp_thread* thread, void* block) TP_NOEXCEPT;
/* The same for a thread in any state. */
TP_API void tp_free_anywhere(tp_isolate* isolate, void* block) TP_NOEXCEPT;
/* What a live block may use; 0 if the pointer is no block. State: any. */
TP_API size_t tp_usable_size(const void* block) TP_NOEXCEPT;
/* Whether the address lies in memory of the isolate's heap. State: any. */
TP_API int tp_owns(tp_isolate* isolate, const void* address) TP_NOEXCEPT;

/* --- Memory that lock-free readers may look at. State: attached. ---
 * Frees when every thread has passed a safepoint or was detached. The first word becomes a
 * link at once, so readers never look at it. may_zero: whole pages inside a big block may
 * read as zeros before that, if memory is short. Cannot fail. */
TP_API void tp_free_delayed(tp_thread* thread, void* block, int may_zero) TP_NOEXCEPT;
/* A new block with the first old_used bytes of `block` (may be NULL), which is freed
 * delayed; never in place. Error: NULL. */
TP_API void* tp_realloc_delayed(tp_thread* thread, void* block, size_t old_used,
                                size_t new_size, int may_zero) TP_NOEXCEPT;

/* --- Limits, on committed bytes, metadata and what waits for readers included. State: any.
 * 0 is none. The options max_memory and soft_memory set them at the start. */
TP_API void tp_set_hard_limit(tp_isolate* isolate, uint64_t bytes) TP_NOEXCEPT;
TP_API void tp_set_soft_limit(tp_isolate* isolate, uint64_t bytes) TP_NOEXCEPT;
typedef struct tp_pressure {
  uint32_t size;
  uint32_t version;
  int hard;           /* 1: about to be refused; 0: above the soft limit */
  int reserved;
  uint64_t committed;
  uint64_t limit;
  uint64_t wanted;    /* bytes of the step that passed the limit */
} tp_pressure;
/* Called by the thread that allocates, without locks: it may free, purge and allocate, but not
 * pass a safepoint or drop references. If `hard`, 1 means that memory may have become free:
 * the allocation tries once more. After 0 the allocation returns NULL and the isolate goes
 * on. NULL: none. State: any. */
typedef int (*tp_pressure_callback)(const tp_pressure* pressure, void* arg);
TP_API void tp_set_pressure_callback(tp_isolate* isolate, tp_pressure_callback callback,
                                     void* arg) TP_NOEXCEPT;

/* --- What the embedder tells. --- */
/* Memory that hangs on objects but comes from elsewhere (images, mmap, foreign libraries)
 * has grown by `bytes`, which may be negative. For collection policies it counts as live
 * bytes, and its growth asks them as allocation does; it does not count against the limits.
 * The sum never falls below 0. State: any. */
TP_API void tp_report_external(tp_isolate* isolate, int64_t bytes) TP_NOEXCEPT;
enum {
  TP_PRESSURE_MODERATE = 1, /* unused memory goes back to the OS */
  TP_PRESSURE_CRITICAL = 2  /* and a collection runs at some thread's next safepoint, which
                               gives back what it freed */
};
/* The machine or the container is short of memory. State: any. */
TP_API void tp_report_pressure(tp_isolate* isolate, int level) TP_NOEXCEPT;
/* Gives unused memory of all threads back now, also of blocked ones; running ones follow at
 * their next safepoint. No safepoint itself: see docs/threading_rules.md. Returns the bytes
 * given back by this call. State: any. */
TP_API size_t tp_purge(tp_isolate* isolate) TP_NOEXCEPT;
/* And gives address space without blocks back to the OS or the page source, so that a region
 * may be withdrawn. Returns its bytes. State: any. */
TP_API size_t tp_release_unused(tp_isolate* isolate) TP_NOEXCEPT;

/* --- Figures. --- */
enum { TP_KIND_RAW = 0, TP_KIND_OBJECT = 1, TP_KIND_GC = 2, TP_KIND_GC_PRE = 3, TP_KINDS = 4 };
typedef struct tp_heap_stats {
  uint32_t size;    /* set by tp_heap_stats_init */
  uint32_t version;
  uint64_t reserved_bytes;   /* address space */
  uint64_t committed_bytes;  /* what the limits count */
  uint64_t meta_bytes;       /* of these: records of pages */
  uint64_t live_bytes;       /* blocks handed out, as large as they are */
  uint64_t live_blocks;
  uint64_t free_bytes;       /* committed, in no page */
  uint64_t free_in_pages;    /* free blocks of pages in use */
  uint64_t dormant_bytes;    /* committed, in empty pages that keep their layout */
  uint64_t limbo_bytes;      /* freed, waiting for lock-free readers */
  uint64_t purged_bytes;     /* ever given back */
  uint64_t threads;
  uint64_t bad_frees;        /* refused frees */
  uint64_t limit_hits;       /* allocations refused by the hard limit */
  uint64_t os_refusals;
  uint64_t pressure_calls;
  uint64_t external_bytes;   /* tp_report_external */
  uint64_t handles;          /* tp_handle_new without tp_handle_drop */
  struct {
    uint64_t live_bytes;
    uint64_t live_blocks;
    uint64_t page_bytes;
  } kind[TP_KINDS];
} tp_heap_stats;
static inline tp_heap_stats tp_heap_stats_init(void) {
  tp_heap_stats stats;
  memset(&stats, 0, sizeof(stats));
  stats.size = sizeof(stats);
  stats.version = TP_ABI_VERSION;
  return stats;
}
/* Right within 1 % at any moment, exact in a stop; asks no thread. State: any. Error:
 * TP_INVALID, the struct is not initialised. */
TP_API tp_status tp_heap_stats_get(tp_isolate* isolate, tp_heap_stats* out) TP_NOEXCEPT;
/* All figures of the heap and the collector as JSON. Writes at most `size` bytes, always a
 * terminated text; returns the length that the whole text has. State: any. */
TP_API size_t tp_stats_json(tp_isolate* isolate, char* out, size_t size) TP_NOEXCEPT;

/* --- A walk over the heap. --- */
typedef struct tp_page {
  const void* first_block;
  size_t block_size;
  size_t blocks;          /* initialised, live or free */
  size_t header_offset;   /* of the object in its block */
  uint64_t owner;         /* tp_thread_id of its thread; 0: gone */
  int kind;               /* TP_KIND_... */
  int reserved;
} tp_page;
/* Stops the world and calls `visit` for each page with blocks of the kinds in the mask
 * (1 << TP_KIND_...). World stopped: `visit` only looks. A result that is not 0 ends the
 * calls, not the walk, and is returned. State: attached. */
TP_API int tp_visit_pages(tp_thread* thread, uint32_t kinds,
                          int (*visit)(const tp_page* page, void* arg),
                          void* arg) TP_NOEXCEPT;
/* The same for each block, of a size in [least, most], that is handed out or waits for
 * lock-free readers; of a weak reference, a heap of its own, any thread. State: attached.
 * Error: TP_NO_MEMORY, some were left out. */
typedef struct tp_block {
  const void* block;      /* an object's header is header_offset further, see tp_page */
  size_t block_size;
  uint64_t owner;
  int kind;
  int reserved;
} tp_block;
TP_API tp_status tp_visit_blocks(tp_thread* thread, uint32_t kinds, size_t least, size_t most,
                                 void (*visit)(const tp_block* block, void* arg),
                                 void* arg) TP_NOEXCEPT;
/* As tp_visit_pages, for each live object of a type with traverse that is tracked. */
typedef struct tp_visited {
  tp_object* object;
  size_t block_size;
  uint8_t frozen, immortal, unreachable, reserved[5];
} tp_visited;
TP_API int tp_visit_objects(tp_thread* thread,
                            int (*visit)(const tp_visited* object, void* arg),
                            void* arg) TP_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TIDEPOOL_TIDEPOOL_MEMORY_H_ */
