/* The C API of tidepool: an object allocator with biased reference counts, lock-free
 * reads, delayed frees and a stop-the-world collector, for runtimes without a global lock.
 *
 * Words
 *   isolate   one object world. A process may have several; objects of one must not refer
 *             to another's.
 *   thread    an OS thread's state in an isolate: attached (may touch objects) or
 *             detached (blocked, or in foreign code).
 *   object    a block that begins with a tp_header; the rest is the embedder's.
 *   slot      a word in an object that holds a counted reference or null, and may be read by
 *             any attached thread without a lock.
 *
 * Rules
 *   - Functions that take a tp_thread are called by that thread, attached, unless they say
 *     otherwise. No function throws or exits; failure is NULL, 0 or a negative status.
 *   - Every loop that may run long calls tp_safepoint. Finalizers, weak reference
 *     callbacks and collections run there, and in tp_decref, tp_collect, tp_detach.
 *     Allocation never runs code and never collects.
 *   - Around anything that may block: tp_detach, tp_attach.
 *   - A reference that a function returns belongs to the caller.
 *
 * This is the first version of the C API (TP_API_VERSION): complete for counting,
 * tracing, weak references and collections; it has no debug lists, listeners or policies
 * yet, which the C++ headers (tidepool/api/tidepool_cc.h) offer.
 */
#ifndef TIDEPOOL_TIDEPOOL_H_
#define TIDEPOOL_TIDEPOOL_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TP_API_VERSION 1

typedef struct tp_isolate tp_isolate;
typedef struct tp_thread tp_thread;
typedef struct tp_type tp_type;
typedef struct tp_weakref tp_weakref;

/* Four words in front of every object; the embedder reads and writes none of them. The
 * first is the id of the owning thread, 0 if there is none. */
typedef struct tp_header {
  uint64_t reserved[4];
} tp_header;

/* The embedder's structs begin with a tp_header and are cast to and from this. */
typedef struct tp_header tp_object;

typedef struct tp_slot {
  uintptr_t reserved;
} tp_slot;

/* --- Isolates. ---
 * `options` is a NULL-terminated list of "name=value", or NULL; the environment
 * (TIDEPOOL_<NAME>) is read only if use_environment is not 0. On failure returns NULL and
 * writes a text to `error` (which may be NULL). */
tp_isolate* tp_isolate_create(const char* const* options, int use_environment,
                              char* error, size_t error_size);
/* All threads have left. Objects that are still alive go without finalizers. */
void tp_isolate_destroy(tp_isolate* isolate);

/* --- Threads. --- */
/* The calling thread joins, attached. Nested calls return the same. NULL: no memory. */
tp_thread* tp_thread_enter(tp_isolate* isolate, const char* name);
void tp_thread_leave(tp_thread* thread);
void tp_detach(tp_thread* thread);
void tp_attach(tp_thread* thread);
void tp_safepoint(tp_thread* thread);
/* The calling OS thread's attached state, or NULL. */
tp_thread* tp_thread_current(void);

/* --- Types. ---
 * A type lives until its isolates are gone; it may be used in several. */
typedef int (*tp_visitor)(tp_object* target, void* arg);

typedef struct tp_type_def {
  const char* name;
  size_t size; /* of the struct, header included */
  /* Calls tp_visit_slot for each slot and returns the first result that is not 0. Runs with the
   * world stopped: no lock, no allocation, no change. NULL: no references; the
   * collector does not look at such objects. */
  int (*traverse)(tp_object* object, tp_visitor visit, void* arg);
  /* Empties the slots with tp_slot_clear. Required if traverse is given; called by the
   * collector to break cycles and at the death of the object. */
  void (*clear)(tp_thread* thread, tp_object* object);
  /* Runs once before the object dies; may store it somewhere and so keep it. May be NULL. */
  void (*finalize)(tp_thread* thread, tp_object* object);
  /* Releases what is no reference, at the death of the object. May be NULL. */
  void (*destroy)(tp_thread* thread, tp_object* object);
  /* Offset in the struct of a zeroed pointer-sized word, for weak references; 0: none. */
  size_t weakref_offset;
} tp_type_def;

/* Copies the definition (the name's text, too). NULL: no memory or a bad definition. */
tp_type* tp_type_create(const tp_type_def* def);
void tp_type_destroy(tp_type* type);

/* --- Objects. --- */
/* A new object with one reference, zeroed behind the header; extra bytes follow the
 * struct. NULL: no memory. */
tp_object* tp_new(tp_thread* thread, const tp_type* type, size_t extra);
/* As tp_new, but the collector does not see the object until tp_track. For objects that
 * are not valid as zeros. */
tp_object* tp_new_untracked(tp_thread* thread, const tp_type* type, size_t extra);
void tp_track(tp_object* object);
const tp_type* tp_type_of(const tp_object* object);
void tp_incref(tp_object* object);
void tp_decref(tp_thread* thread, tp_object* object); /* NULL is allowed */
/* For tests and tools; exact when no other thread counts. */
int64_t tp_refcount(const tp_object* object);
void tp_set_immortal(tp_thread* thread, tp_object* object);

/* --- Slots. --- */
/* A new reference to what the slot holds, or NULL. No lock is taken. */
tp_object* tp_slot_load(tp_thread* thread, const tp_slot* slot);
/* Stores a new reference to `object` (may be NULL) and drops what was there. */
void tp_slot_store(tp_thread* thread, tp_slot* slot, tp_object* object);
/* The same, with the caller's reference. */
void tp_slot_give(tp_thread* thread, tp_slot* slot, tp_object* object);
void tp_slot_clear(tp_thread* thread, tp_slot* slot);
/* For traverse. */
int tp_visit_slot(const tp_slot* slot, tp_visitor visit, void* arg);

/* --- Weak references. --- */
/* NULL: no memory, or the type has no weakref_offset. Drop with tp_weakref_drop. */
tp_weakref* tp_weakref_new(tp_thread* thread, tp_object* target);
/* A new reference to the target, or NULL if it is dead or dying. */
tp_object* tp_weakref_get(tp_thread* thread, tp_weakref* ref);
void tp_weakref_drop(tp_thread* thread, tp_weakref* ref);

/* --- Raw memory, from the same heaps and under the same limits. --- */
void* tp_malloc(tp_thread* thread, size_t size);
void* tp_realloc(tp_thread* thread, void* block, size_t size);
void tp_free(tp_thread* thread, void* block);

/* --- The collector. --- */
/* A full collection. Returns the number of garbage objects found; 0 also if a collection
 * is running already. */
uint64_t tp_collect(tp_thread* thread);
/* Automatic collections, on at the start. */
void tp_gc_enable(tp_isolate* isolate);
void tp_gc_disable(tp_isolate* isolate);

/* --- Memory. --- */
/* Gives unused memory of all threads back to the OS; any thread. Bytes given back now. */
size_t tp_purge(tp_isolate* isolate);
/* Allocator and collector figures as JSON; any thread. Writes at most size bytes, always a
 * terminated text; returns the length that the whole text has. */
size_t tp_stats_json(tp_isolate* isolate, char* out, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* TIDEPOOL_TIDEPOOL_H_ */
