/* The C API: types, objects, counts, slots, locks, scopes, handles, roots, weak
 * references. Words, states and rules are in tidepool.h. */
#ifndef TIDEPOOL_TIDEPOOL_OBJECT_H_
#define TIDEPOOL_TIDEPOOL_OBJECT_H_

#include "tidepool/tidepool_base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Four words in front of every object; the embedder's structs begin with one and are cast
 * to and from tp_object. The embedder reads and writes none of them (a code generator may:
 * tidepool_layout.h). The first is the id of the owning thread, 0 if there is none. */
typedef struct tp_header {
  uint64_t reserved[4];
} tp_header;

/* 0, an object, or something else with its low bit set. */
typedef uintptr_t tp_value;
typedef struct tp_slot {
  uintptr_t reserved;
} tp_slot;

static inline int tp_value_is_object(tp_value value) {
  return value != 0 && (value & 1) == 0;
}
static inline tp_object* tp_value_object(tp_value value) {
  return tp_value_is_object(value) ? (tp_object*)value : NULL;
}

/* --- Types. --- */
enum {
  /* Two words of the embedder's before the header (zero at first). Needs traverse. */
  TP_TYPE_PRE_HEADER = 1
};

typedef struct tp_type_def {
  uint32_t size;
  uint32_t version;
  const char* name;     /* copied */
  size_t instance_size; /* of the struct, header included */
  uint32_t flags;       /* TP_TYPE_... */
  uint32_t reserved;
  /* Calls tp_visit_slot (or `visit`, for each reference kept elsewhere) for every counted
   * reference that the object holds, and returns the first result that is not 0. World
   * stopped, on any thread: it takes no lock, allocates nothing, changes nothing. NULL: no
   * references; the collector does not look at such objects. */
  int (*traverse)(tp_object* object, tp_visitor visit, void* arg);
  /* Drops the references, so that cycles break; the object stays valid. Called by the
   * collector, and at the death of the object. Required with traverse. Attached. */
  void (*clear)(tp_thread* thread, tp_object* object);
  /* Runs at most once in an object's life, before it dies; the object is whole and may be
   * stored somewhere, which keeps it. May do anything. May be NULL. Attached. */
  void (*finalize)(tp_thread* thread, tp_object* object);
  /* At the death of the object, after clear: releases what is no reference. May be NULL. */
  void (*destroy)(tp_thread* thread, tp_object* object);
  /* Instead of clear and destroy at the death of the object: drops the references, and ends
   * with tp_object_free. For types that count every instruction. May be NULL. */
  void (*dealloc)(tp_thread* thread, tp_object* object);
  /* Offset in the struct of a zeroed word for weak references; 0: none to such objects. */
  size_t weakref_offset;
  /* The object that is this type in the embedder's language, or NULL. Borrowed: instances
   * do not count it, the collector keeps it alive while there are any. Make it deferred
   * (tp_set_deferred) and call tp_type_destroy in its destroy. Needs traverse. */
  tp_object* class_object;
  void* data; /* the embedder's; tp_type_data */
} tp_type_def;

static inline tp_type_def tp_type_def_init(void) {
  tp_type_def def;
  memset(&def, 0, sizeof(def));
  def.size = sizeof(def);
  def.version = TP_ABI_VERSION;
  def.instance_size = sizeof(tp_header);
  return def;
}

/* Copies the definition. A type lives until the isolates that use it are gone, or its last
 * instance if class_object is given; it may be used in several isolates. State: any.
 * Error: NULL (TP_INVALID: what is wrong; TP_NO_MEMORY). */
TP_API tp_type* tp_type_create(const tp_type_def* def, tp_error* error) TP_NOEXCEPT;
TP_API void tp_type_destroy(tp_type* type) TP_NOEXCEPT; /* any; NULL is allowed */
TP_API const char* tp_type_name(const tp_type* type) TP_NOEXCEPT; /* any */
TP_API void* tp_type_data(const tp_type* type) TP_NOEXCEPT;       /* any */
/* For a class object made after its type, before the first instance. State: any. */
TP_API void tp_type_set_class(tp_type* type, tp_object* class_object) TP_NOEXCEPT;
/* What tp_new stores in the headers' last word, for code generators. State: any. */
TP_API uint64_t tp_type_word(const tp_type* type) TP_NOEXCEPT;

/* --- Objects. --- */
/* A new object with one reference, zeroed behind the header; `extra` bytes follow the
 * struct. The collector sees it at once. State: attached. Error: NULL, no memory. */
TP_API tp_object* tp_new(tp_thread* thread, const tp_type* type, size_t extra) TP_NOEXCEPT;
/* As tp_new, not zeroed (for types without traverse, or with every slot set by
 * tp_slot_init before tp_track), and not seen by the collector. */
TP_API tp_object* tp_new_raw(tp_thread* thread, const tp_type* type,
                             size_t extra) TP_NOEXCEPT;
/* From now on, or no longer, the collector sees the object. Nothing happens for types
 * without traverse. State: attached, with a reference. */
TP_API void tp_track(tp_object* object) TP_NOEXCEPT;
TP_API void tp_untrack(tp_object* object) TP_NOEXCEPT;
TP_API int tp_is_tracked(const tp_object* object) TP_NOEXCEPT;
/* Another number of extra bytes. Only for an object that the caller alone holds (tp_is_unique)
 * and that has no weak references. New bytes are not zeroed. Returns the object, which may
 * have moved (the old pointer is void). State: attached. Error: NULL, the object is as it
 * was; TP_NO_MEMORY, or TP_STATE: somebody else holds it. */
TP_API tp_object* tp_object_resize(tp_thread* thread, tp_object* object, size_t extra,
                                   tp_error* error) TP_NOEXCEPT;
/* Bytes from the header on that may be used; at least what was asked for. State: attached. */
TP_API size_t tp_object_size(const tp_object* object) TP_NOEXCEPT;
/* NULL for a weak reference. State: attached. */
TP_API const tp_type* tp_object_type(const tp_object* object) TP_NOEXCEPT;
/* Eight bits of the embedder's in the header. Atomic. State: attached, with a reference. */
TP_API uint8_t tp_object_flags(const tp_object* object) TP_NOEXCEPT;
TP_API void tp_object_set_flags(tp_object* object, uint8_t set, uint8_t clear) TP_NOEXCEPT;
/* The last act of a dealloc function. State: attached. */
TP_API void tp_object_free(tp_thread* thread, tp_object* object) TP_NOEXCEPT;
/* For a constructor that fails half way: frees an object that nobody else has seen, without
 * clear, finalize or destroy. State: attached. */
TP_API void tp_object_abandon(tp_thread* thread, tp_object* object) TP_NOEXCEPT;
/* Whether this is a live object of the thread's isolate; for borders where strangers hand
 * in pointers. Looks at page tables and the header, costs some 20 ns, never crashes.
 * `error` says what it is instead. State: attached. Error: TP_INVALID. */
TP_API tp_status tp_object_check(tp_thread* thread, const void* pointer,
                                 tp_error* error) TP_NOEXCEPT;

/* --- Counts. State: attached, with a reference, for all. --- */
TP_API void tp_incref(tp_object* object) TP_NOEXCEPT;
/* NULL is allowed. May run finalizers, callbacks of weak references and destroy. */
TP_API void tp_decref(tp_thread* thread, tp_object* object) TP_NOEXCEPT;
TP_API void tp_value_incref(tp_value value) TP_NOEXCEPT;
TP_API void tp_value_decref(tp_thread* thread, tp_value value) TP_NOEXCEPT;
/* A reference to an object of which only a pointer is held, read from a shared place since
 * the last safepoint, lock or free. 1: a reference was taken, but maybe to a stranger in
 * the same place: the caller reads the place again, and drops the reference with
 * tp_drop_stray if it has changed. 0: dead, or never stored in a slot. docs/memory_rules.md.
 * No reference is needed. */
TP_API int tp_try_incref(tp_object* object) TP_NOEXCEPT;
TP_API void tp_drop_stray(tp_thread* thread, tp_object* object) TP_NOEXCEPT;
/* Lets tp_try_incref succeed; tp_slot_give and tp_slot_store do it. */
TP_API void tp_mark_shared(tp_object* object) TP_NOEXCEPT;
/* Whether the caller holds the only reference, and nobody can get another behind its back. */
TP_API int tp_is_unique(tp_object* object) TP_NOEXCEPT;
/* Exact when no other thread counts; INT64_MAX if immortal. Of a deferred object what other
 * threads hold is known after a collection only. */
TP_API int64_t tp_refcount(const tp_object* object) TP_NOEXCEPT;
/* For ever: never counted, never freed. */
TP_API void tp_set_immortal(tp_thread* thread, tp_object* object) TP_NOEXCEPT;
/* Deferred, for what many threads use at once (functions, classes): each thread counts it in
 * a table of its own, and only the collector frees it, so that stacks may borrow it (and
 * report it by a root callback). Types with traverse only. 1 if that changed something. Both
 * may stop the world, so they are safepoints. */
TP_API int tp_set_deferred(tp_thread* thread, tp_object* object) TP_NOEXCEPT;
TP_API int tp_clear_deferred(tp_thread* thread, tp_object* object) TP_NOEXCEPT;
/* Gives ownership up, for what is handed to another thread for good: whoever drops the last
 * reference then frees it. */
TP_API void tp_disown(tp_object* object) TP_NOEXCEPT;

/* --- Slots. State: attached, with a reference to the object that has the slot. ---
 * Two ways to use one; docs/memory_rules.md.
 * (1) Anybody reads and writes at any time, without a lock: load, store, give, clear. */
/* Gives what the slot holds, or NULL (also for a value that is no object). */
TP_API tp_object* tp_slot_load(tp_thread* thread, const tp_slot* slot) TP_NOEXCEPT;
TP_API tp_value tp_slot_load_value(tp_thread* thread, const tp_slot* slot) TP_NOEXCEPT;
/* Stores a new reference to `object` (may be NULL), then drops what was there. */
TP_API void tp_slot_store(tp_thread* thread, tp_slot* slot, tp_object* object) TP_NOEXCEPT;
/* The same, but takes the caller's reference. */
TP_API void tp_slot_give(tp_thread* thread, tp_slot* slot, tp_object* object) TP_NOEXCEPT;
TP_API void tp_slot_store_value(tp_thread* thread, tp_slot* slot, tp_value v) TP_NOEXCEPT;
TP_API void tp_slot_give_value(tp_thread* thread, tp_slot* slot, tp_value v) TP_NOEXCEPT;
TP_API void tp_slot_clear(tp_thread* thread, tp_slot* slot) TP_NOEXCEPT;
/* Takes `value`, gives what was there. */
TP_API tp_value tp_slot_swap(tp_slot* slot, tp_value value) TP_NOEXCEPT;
/* (2) Writers hold the object's lock; readers try without. Objects that are never read by a
 * second thread are then never marked as shared, which keeps their counting cheapest. */
/* TP_OK: *out is a value, with a reference. TP_RETRY: lock, and tp_slot_load_locked. */
TP_API tp_status tp_slot_try_load(tp_thread* thread, const tp_slot* slot,
                                  tp_value* out) TP_NOEXCEPT;
TP_API tp_value tp_slot_load_locked(const tp_slot* slot) TP_NOEXCEPT;
/* Takes `value`; gives what was there, to be dropped after the unlock. */
TP_API tp_value tp_slot_swap_locked(tp_slot* slot, tp_value value) TP_NOEXCEPT;
/* As (2), for a slot in `array`, a block that was read from *container (a word of an
 * object) with tp_array_load, and that writers replace by tp_array_replace. A 0 in the slot
 * is TP_RETRY too. */
TP_API void* tp_array_load(void* const* container) TP_NOEXCEPT;
TP_API tp_status tp_array_try_load(tp_thread* thread, const tp_slot* slot,
                                   void* const* container, void* array,
                                   tp_value* out) TP_NOEXCEPT;
/* Publishes `array` and frees the old one, when no reader can be in it any more: the slots'
 * references are the new one's. The first word of an array must not be a slot. */
TP_API void tp_array_replace(tp_thread* thread, void** container, void* array) TP_NOEXCEPT;
/* For (1), into a slot that nobody else can see yet: takes `value`, drops nothing. */
TP_API void tp_slot_init(tp_slot* slot, tp_value value) TP_NOEXCEPT;
/* What is there, without a reference: for traverse, clear and the only holder. */
TP_API tp_value tp_slot_peek(const tp_slot* slot) TP_NOEXCEPT;
/* For traverse. World stopped. */
static inline int tp_visit_slot(const tp_slot* slot, tp_visitor visit, void* arg) {
  tp_value value = tp_slot_peek(slot);
  return tp_value_is_object(value) ? visit((tp_object*)value, arg) : 0;
}

/* --- The lock in every object. State: attached, with a reference. ---
 * The simple lock is for a few instructions: between lock and unlock no safepoint, no
 * blocking, no tp_decref, no second lock. */
TP_API void tp_object_lock(tp_thread* thread, tp_object* object) TP_NOEXCEPT;
TP_API int tp_object_try_lock(tp_object* object) TP_NOEXCEPT; /* 1: taken */
TP_API void tp_object_unlock(tp_object* object) TP_NOEXCEPT;
/* A critical section over one or two objects may do all that: its locks are given up while
 * the thread is detached (and taken again), so it is atomic up to the next point where it
 * blocks, and sections never deadlock. Ends in reverse order. */
typedef struct tp_critical {
  uintptr_t reserved[8];
} tp_critical;
TP_API void tp_critical_begin(tp_thread* thread, tp_critical* section,
                              tp_object* object) TP_NOEXCEPT;
TP_API void tp_critical_begin2(tp_thread* thread, tp_critical* section, tp_object* a,
                               tp_object* b) TP_NOEXCEPT;
TP_API void tp_critical_end(tp_thread* thread, tp_critical* section) TP_NOEXCEPT;

/* --- Scopes: references that a C function need not drop one by one. State: attached. --- */
typedef struct tp_scope {
  uintptr_t reserved[12];
} tp_scope;
TP_API void tp_scope_open(tp_thread* thread, tp_scope* scope) TP_NOEXCEPT;
/* The innermost scope takes the reference and drops it when it closes. Returns `object`.
 * NULL is passed through. Error: NULL, no memory; the reference was dropped. */
TP_API tp_object* tp_keep(tp_thread* thread, tp_object* object) TP_NOEXCEPT;
/* Closes in reverse order of opening. */
TP_API void tp_scope_close(tp_thread* thread, tp_scope* scope) TP_NOEXCEPT;

/* --- Handles: references for code outside. A handle may be kept, and dropped, by every
 * thread in every state. --- */
typedef struct tp_handle tp_handle;
/* State: attached. Error: NULL, no memory. */
TP_API tp_handle* tp_handle_new(tp_thread* thread, tp_object* object) TP_NOEXCEPT;
/* Gives the object. State: attached. */
TP_API tp_object* tp_handle_get(tp_thread* thread, tp_handle* handle) TP_NOEXCEPT;
/* NULL is allowed. A thread that is not attached to the isolate attaches for a moment; if
 * there is no memory for that the reference waits for the next handle operation. State:
 * any. */
TP_API void tp_handle_drop(tp_isolate* isolate, tp_handle* handle) TP_NOEXCEPT;

/* --- Roots. ---
 * Counted references need no root: a count from outside keeps an object alive. A callback is
 * needed for borrowed references to deferred objects, and is otherwise a saving of time: the
 * collector need not try what a root reaches. `visit_roots` calls visit(object, visit_arg)
 * for each. World stopped, on any thread; no lock, no allocation, no change. */
typedef int (*tp_visit_roots)(tp_visitor visit, void* visit_arg, void* arg);
/* State: any; `roots` is the embedder's memory till it is removed. */
typedef struct tp_root_set {
  uintptr_t reserved[2];
  tp_visit_roots visit_roots;
  void* arg;
} tp_root_set;
TP_API void tp_roots_add(tp_isolate* isolate, tp_root_set* roots) TP_NOEXCEPT;
TP_API void tp_roots_remove(tp_isolate* isolate, tp_root_set* roots) TP_NOEXCEPT;
/* The thread's own (its stack). NULL: none. State: own. */
TP_API void tp_thread_set_roots(tp_thread* thread, tp_visit_roots visit_roots,
                                void* arg) TP_NOEXCEPT;

/* --- Weak references. State: attached. ---
 * A tp_weakref is an object (cast it), so it can be counted and stored like any. */
typedef struct tp_weakref tp_weakref;
/* Called once when the target has died or is about to be cleared, if the weak reference is
 * still alive: at a safepoint, or in the tp_decref that killed it. */
typedef void (*tp_weakref_callback)(tp_thread* thread, tp_weakref* ref, void* arg);
/* Gives one. Without a callback the existing one to the target is given again. Error: NULL
 * (TP_NO_MEMORY; TP_INVALID: the target's type has no weakref_offset). */
TP_API tp_weakref* tp_weakref_new(tp_thread* thread, tp_object* target,
                                  tp_weakref_callback callback, void* arg,
                                  tp_error* error) TP_NOEXCEPT;
/* Gives the target, or NULL if it is dead or dying. */
TP_API tp_object* tp_weakref_get(tp_thread* thread, tp_weakref* ref) TP_NOEXCEPT;
TP_API int tp_weakref_is_dead(const tp_weakref* ref) TP_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TIDEPOOL_TIDEPOOL_OBJECT_H_ */
