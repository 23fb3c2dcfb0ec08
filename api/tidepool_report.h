/* The C API: a heap looked at from outside: who holds the memory, where it lies, where the
 * process's memory is, and what was found broken. Words, states and rules are in
 * tidepool.h; docs/stats.md explains the figures. */
#ifndef TIDEPOOL_TIDEPOOL_REPORT_H_
#define TIDEPOOL_TIDEPOOL_REPORT_H_

#include "tidepool/tidepool_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Takes a report piece by piece, in order, on the calling thread, which holds no lock. 0:
 * go on; else the writing ends, and the function that wrote returns TP_STATE. */
typedef int (*tp_sink)(const void* bytes, size_t size, void* arg);

/* --- The heap profile: who holds the memory, by stack and by type. ---
 * One block per `interval` bytes allocated is remembered from now on (512 << 10 costs a few
 * per cent; the option heap_profile_interval does the same from the start). State: any.
 * Error: TP_INVALID, interval 0; TP_NO_MEMORY. */
TP_API tp_status tp_profile_start(tp_isolate* isolate, uint64_t interval) TP_NOEXCEPT;
/* No more; blocks that were remembered stay in the profile till they die. State: any. */
TP_API void tp_profile_stop(tp_isolate* isolate) TP_NOEXCEPT;
/* A function of the embedder's language that is running. The texts are copied. */
typedef struct tp_profile_frame {
  const char* function;
  const char* file; /* or NULL */
  int line;
  int reserved;
} tp_profile_frame;
/* Adds the embedder's own stack to each sample: `frames` writes up to `most` frames, the
 * innermost first, and returns how many. Called by the allocating thread in the middle of an
 * allocation: it looks at data of its own and does not call the API, but for
 * tp_thread_current and tp_thread_data. NULL: none. State: any. */
typedef size_t (*tp_profile_frames)(tp_profile_frame* out, size_t most, void* arg);
TP_API void tp_profile_set_frames(tp_isolate* isolate, tp_profile_frames frames,
                                  void* arg) TP_NOEXCEPT;
/* The live part of the profile as a file for `go tool pprof` and tools/heap_profile: stacks
 * with inuse_objects and inuse_space, labelled with the names of types. Stops the world
 * while it looks. State: attached. Error: TP_NO_MEMORY, TP_STATE (the sink's). */
TP_API tp_status tp_profile_write(tp_thread* thread, tp_sink sink, void* arg) TP_NOEXCEPT;

/* --- A picture of the heap, slice by slice: what it is used for, how much lives, how much
 * is resident. Stops nobody. --- */
enum {
  TP_MAP_HTML = 1, /* one page that needs nothing else */
  TP_MAP_JSON = 2
};
/* `title` (may be NULL) stands on the page. State: any. Error: TP_INVALID, no such format;
 * TP_NO_MEMORY; TP_STATE (the sink's). */
TP_API tp_status tp_heap_map_write(tp_isolate* isolate, int format, const char* title,
                                   tp_sink sink, void* arg) TP_NOEXCEPT;

/* --- Where the process's memory is. The parts add up to resident_bytes. --- */
typedef struct tp_memory_split {
  uint32_t size;
  uint32_t version;
  uint64_t live_bytes;           /* blocks in use, as large as they are */
  uint64_t limbo_bytes;          /* freed, and kept for lock-free readers */
  uint64_t free_owned_bytes;     /* free blocks in pages of a thread */
  uint64_t free_abandoned_bytes; /* free blocks in pages of no thread */
  uint64_t dormant_bytes;        /* empty pages that keep their layout */
  uint64_t free_bytes;           /* of no page, not given back */
  uint64_t metadata_bytes;
  uint64_t other_bytes;          /* not tidepool's: stacks, the C library's heap */
  uint64_t files_bytes;          /* program, libraries, mapped files */
  uint64_t headers_bytes;        /* of live_bytes: headers of objects */
  uint64_t resident_bytes;       /* of the process */
  uint64_t peak_bytes;           /* the most that was resident at a time */
} tp_memory_split;
static inline tp_memory_split tp_memory_split_init(void) {
  tp_memory_split split;
  memset(&split, 0, sizeof(split));
  split.size = sizeof(split);
  split.version = TP_ABI_VERSION;
  return split;
}
/* Some milliseconds per GiB. State: any. Error: TP_INVALID, the struct is not initialised;
 * TP_NO_MEMORY. */
TP_API tp_status tp_memory_split_get(tp_isolate* isolate, tp_memory_split* out) TP_NOEXCEPT;
/* The same and all counters as a page for people, at most 80 columns. Writes at most `size`
 * bytes, always a terminated text; returns the length that the whole text has, 0 if there was no
 * memory. State: any. */
TP_API size_t tp_stats_text(tp_isolate* isolate, char* out, size_t size) TP_NOEXCEPT;

/* --- What was found broken. --- */
enum {
  TP_FAULT_FOREIGN = 0,          /* no block of tidepool */
  TP_FAULT_INTERIOR = 1,         /* into a block, not to its start */
  TP_FAULT_DOUBLE_FREE = 2,
  TP_FAULT_OVERRUN = 3,          /* written behind its end */
  TP_FAULT_WRITE_AFTER_FREE = 4,
  TP_FAULT_CORRUPT_LINK = 5,
  TP_FAULT_WRONG_USE = 6,        /* such as a resize of what cannot be resized */
  TP_FAULT_DEAD_REFERENCE = 7    /* a reference that nobody had was dropped */
};
typedef struct tp_fault {
  uint32_t size;
  uint32_t version;
  int kind;            /* TP_FAULT_... */
  int reserved;
  const void* pointer; /* what was passed, or the block */
  const char* text;    /* for people; lasts as long as the call */
} tp_fault;
/* Called for every pointer that is refused and every damage that is found (docs/hardening.md),
 * before the option bad_free acts; on the thread that found it, which may hold locks of the
 * heap: it does not call the API, but for tp_thread_current. NULL: none. State: any. */
typedef void (*tp_fault_handler)(const tp_fault* fault, void* arg);
TP_API void tp_set_fault_handler(tp_isolate* isolate, tp_fault_handler handler,
                                 void* arg) TP_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TIDEPOOL_TIDEPOOL_REPORT_H_ */
