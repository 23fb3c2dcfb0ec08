/* The C API: collections, policies, listeners, lists of objects. Words, states and rules
 * are in tidepool.h. */
#ifndef TIDEPOOL_TIDEPOOL_GC_H_
#define TIDEPOOL_TIDEPOOL_GC_H_

#include "tidepool/tidepool_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What one collection did. Times in nanoseconds. */
typedef struct tp_collection {
  uint32_t size;
  uint32_t version;
  int ran;               /* 0: one was running already */
  int out_of_memory;     /* 1: undone, nothing collected */
  const char* reason;    /* static */
  uint64_t found;        /* garbage objects */
  uint64_t collected;    /* of these, cleared and dropped */
  uint64_t resurrected;  /* brought back by finalizers */
  uint64_t tracked;      /* objects seen */
  uint64_t frozen;
  uint64_t marked;       /* reached from roots */
  uint64_t candidates;
  uint64_t finalizers;
  uint64_t weakrefs_cleared;
  uint64_t callbacks;
  uint64_t live_bytes_before;
  uint64_t live_bytes_after;
  uint64_t pause_ns;     /* longest time the world was held */
  uint64_t paused_ns;    /* all stops together */
  uint64_t total_ns;
} tp_collection;
static inline tp_collection tp_collection_init(void) {
  tp_collection c;
  memset(&c, 0, sizeof(c));
  c.size = sizeof(c);
  c.version = TP_ABI_VERSION;
  return c;
}

/* A full collection, here and now; runs finalizers and callbacks. Returns the number of
 * garbage objects found, 0 also if a collection is running already. `out` may be NULL.
 * State: attached. */
TP_API uint64_t tp_collect(tp_thread* thread, tp_collection* out) TP_NOEXCEPT;
/* One at the next safepoint of some thread, whatever the policy says. State: attached. */
TP_API void tp_collect_soon(tp_thread* thread) TP_NOEXCEPT;
/* Automatic collections, on at the start. State: any. */
TP_API void tp_gc_enable(tp_isolate* isolate) TP_NOEXCEPT;
TP_API void tp_gc_disable(tp_isolate* isolate) TP_NOEXCEPT;
TP_API int tp_gc_is_enabled(tp_isolate* isolate) TP_NOEXCEPT;
/* No automatic collection starts between the two; they nest, over all threads. State: any. */
TP_API void tp_no_gc_begin(tp_isolate* isolate) TP_NOEXCEPT;
TP_API void tp_no_gc_end(tp_isolate* isolate) TP_NOEXCEPT;
/* The sum of all collections. State: any. */
typedef struct tp_gc_totals {
  uint32_t size;
  uint32_t version;
  uint64_t collections;
  uint64_t collected;
  uint64_t resurrected;
  uint64_t finalizers;
  uint64_t paused_ns;
  uint64_t max_pause_ns;
  uint64_t total_ns;
} tp_gc_totals;
static inline tp_gc_totals tp_gc_totals_init(void) {
  tp_gc_totals t;
  memset(&t, 0, sizeof(t));
  t.size = sizeof(t);
  t.version = TP_ABI_VERSION;
  return t;
}
TP_API tp_status tp_gc_totals_get(tp_isolate* isolate, tp_gc_totals* out) TP_NOEXCEPT;

/* --- Collections on a thread of the embedder's own, where finalizers find no lock held.
 * Serves, detached while idle, until stopped; automatic collections then run there. State:
 * attached. */
TP_API void tp_gc_serve(tp_thread* thread) TP_NOEXCEPT;
TP_API void tp_gc_stop_serving(tp_isolate* isolate) TP_NOEXCEPT; /* any */
/* A collection that begins after the call is over, with its finalizers, on return. State:
 * attached. */
TP_API void tp_gc_drain_finalizers(tp_thread* thread) TP_NOEXCEPT;

/* --- Taking what is there now out of all later collections, and back. State: attached. */
TP_API void tp_gc_freeze(tp_thread* thread) TP_NOEXCEPT;
TP_API void tp_gc_unfreeze(tp_thread* thread) TP_NOEXCEPT;
TP_API uint64_t tp_gc_frozen(tp_thread* thread) TP_NOEXCEPT;

/* --- Listeners: called by the collecting thread with the world running; may do anything. */
typedef struct tp_gc_listener {
  uintptr_t reserved[2]; /* zero at first */
  void (*start)(tp_thread* thread, const tp_collection* info, void* arg); /* or NULL */
  void (*stop)(tp_thread* thread, const tp_collection* info, void* arg);  /* or NULL */
  void* arg;
} tp_gc_listener;
/* The struct is the embedder's memory till it is removed. State: any. Error: TP_BUSY, seven
 * are there; TP_NO_MEMORY. */
TP_API tp_status tp_gc_add_listener(tp_isolate* isolate,
                                    tp_gc_listener* listener) TP_NOEXCEPT;
/* Waits, detached, for a call that another thread is making. State: attached. */
TP_API void tp_gc_remove_listener(tp_thread* thread, tp_gc_listener* listener) TP_NOEXCEPT;

/* --- Lists, taken in a stop and handed out with the world running: `visit` takes the
 * reference it gets. State: attached. Error: TP_NO_MEMORY, nothing was visited. --- */
typedef void (*tp_object_visitor)(tp_object* object, void* arg);
TP_API tp_status tp_gc_objects(tp_thread* thread, tp_object_visitor visit,
                               void* arg) TP_NOEXCEPT;
/* Who refers to `object`, and what it refers to. */
TP_API tp_status tp_gc_referrers(tp_thread* thread, tp_object* object,
                                 tp_object_visitor visit, void* arg) TP_NOEXCEPT;
TP_API tp_status tp_gc_referents(tp_thread* thread, tp_object* object,
                                 tp_object_visitor visit, void* arg) TP_NOEXCEPT;
/* Checks every live object's header and counts in a stop. Returns the number of faults and
 * describes the first. For tests. State: attached. */
TP_API uint64_t tp_check_invariants(tp_thread* thread, tp_error* first) TP_NOEXCEPT;

/* --- Policies: when to collect. docs/policies.md. ---
 * A policy answers, it never acts: its functions must not call the API. They are called by
 * one thread at a time, world running. One that does not keep to this does no harm: answers
 * that make no sense are replaced by the default policy's, C++ exceptions are caught, and
 * both are reported. */
typedef struct tp_snapshot {
  uint32_t size;
  uint32_t version;
  uint64_t live_bytes;             /* of the heap, and external_bytes */
  uint64_t live_bytes_after_last;  /* when the last collection ended */
  uint64_t gc_blocks;              /* live objects with traverse */
  uint64_t gc_blocks_after_last;
  uint64_t allocated_since;        /* by the asking thread, freed or not */
  uint64_t limbo_bytes;
  uint64_t dormant_bytes;
  uint64_t committed_bytes;
  uint64_t memory_limit;           /* 0: none */
  uint64_t survivors;
  uint64_t last_collected;
  uint64_t last_pause_ns;
  uint64_t total_gc_ns;
  uint64_t since_last_ns;
  uint64_t collections;
  uint64_t threads;
  uint64_t external_bytes;         /* tp_report_external */
  uint64_t allocated_total;        /* since the isolate was made */
  uint64_t run_ns;
} tp_snapshot;
typedef struct tp_decision {
  int collect;               /* 1: now */
  int reserved;
  const char* reason;        /* copied (63 characters); recorded with the collection */
  uint64_t next_threshold;   /* bytes allocated till the next question; 0: the default;
                                UINT64_MAX: not before a collection or a request */
} tp_decision;
typedef struct tp_plan {
  int mark_threads;          /* 0: the option gc_threads */
  int purge_afterwards;
  uint64_t pause_budget_ns;  /* 0: none */
} tp_plan;

typedef struct tp_policy_def {
  uint32_t size;
  uint32_t version;
  const char* name; /* static: what the option gc_policy says */
  const char* help; /* static; one line */
  /* Makes a policy for an isolate. `arguments` is what follows the colon in
   * "gc_policy=name:arguments". Returns its state; NULL with error->status TP_OK is a state,
   * too. May be NULL: the state is `arg`, and arguments are refused. */
  void* (*create)(const char* arguments, void* arg, tp_error* error);
  void (*destroy)(void* state); /* may be NULL */
  /* Whether to collect now. `out` is zero at first. */
  void (*decide)(void* state, const tp_snapshot* snapshot, tp_decision* out);
  /* How, asked when a collection starts for whatever reason. May be NULL. */
  void (*plan)(void* state, const tp_snapshot* snapshot, tp_plan* out);
  /* May be NULL. */
  void (*on_start)(void* state, const tp_snapshot* snapshot, const char* reason);
  void (*on_finish)(void* state, const tp_snapshot* snapshot, const tp_collection* info);
  void* arg;
} tp_policy_def;
static inline tp_policy_def tp_policy_def_init(void) {
  tp_policy_def def;
  memset(&def, 0, sizeof(def));
  def.size = sizeof(def);
  def.version = TP_ABI_VERSION;
  return def;
}
/* Makes a policy known by its name, for isolates that are created afterwards with
 * "gc_policy=name". For the life of the process. State: any. Error: TP_INVALID (what is
 * missing), TP_BUSY (the name is taken), TP_NO_MEMORY (sixteen policies are there). */
TP_API tp_status tp_policy_register(const tp_policy_def* def, tp_error* error) TP_NOEXCEPT;
/* Another policy from now on: "name" or "name:arguments". Waits, detached, for a thread
 * that is inside the old one. State: attached. Error: TP_INVALID or TP_NOT_FOUND, the old one
 * goes on; TP_STATE, called by a policy. */
TP_API tp_status tp_gc_set_policy(tp_thread* thread, const char* spec,
                                  tp_error* error) TP_NOEXCEPT;
/* The policy's name for itself. Writes at most `size` bytes, always a terminated text;
 * returns the length of the whole. State: any. */
TP_API size_t tp_gc_policy(tp_isolate* isolate, char* out, size_t size) TP_NOEXCEPT;
/* Writes every question to the policy with its answer, and every collection, to a file of
 * JSON lines (docs/gc_log.md), and if sample_every is not 0 the figures each time that many
 * bytes were allocated. State: attached. Error: TP_INVALID, the file cannot be written;
 * TP_STATE, there is a log already. */
TP_API tp_status tp_gc_open_log(tp_thread* thread, const char* path, uint64_t sample_every,
                                tp_error* error) TP_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TIDEPOOL_TIDEPOOL_GC_H_ */
