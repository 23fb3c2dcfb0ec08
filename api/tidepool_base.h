/* The C API: versions, errors, isolates, threads, safepoints, fork. Words, states and
 * rules are in tidepool.h. */
#ifndef TIDEPOOL_TIDEPOOL_BASE_H_
#define TIDEPOOL_TIDEPOOL_BASE_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
#define TP_NOEXCEPT noexcept
extern "C" {
#else
#define TP_NOEXCEPT
#endif

/* In the shared library only these names are visible. */
#define TP_API __attribute__((visibility("default")))

/* --- Versions. ---
 * The major number changes when something that worked stops working; the minor one when
 * something is added. A library serves every program compiled with a header of its major
 * number and its minor number or a smaller one. */
#define TP_ABI_MAJOR 1
#define TP_ABI_MINOR 0
#define TP_ABI_VERSION ((uint32_t)TP_ABI_MAJOR << 16 | TP_ABI_MINOR)

/* The version of the library that runs. State: any. */
TP_API uint32_t tp_abi_version(void) TP_NOEXCEPT;
/* 1 if this library serves programs of `version` (pass TP_ABI_VERSION). State: any.
 * tp_isolate_create checks it too, by the struct it is given. */
TP_API int tp_abi_serves(uint32_t version) TP_NOEXCEPT;

/* --- Errors. --- */
typedef enum tp_status {
  TP_OK = 0,
  TP_NO_MEMORY = -1,   /* refused by the OS, or by the isolate's limit */
  TP_INVALID = -2,     /* an argument, an option, a struct of another version */
  TP_STATE = -3,       /* not now: see the function */
  TP_BUSY = -4,        /* somebody else is at it, or still there */
  TP_NOT_FOUND = -5,   /* no option or policy of that name */
  TP_RETRY = -6,       /* not without the lock: tp_slot_try_load */
  TP_UNSUPPORTED = -7  /* not on this system or in this build */
} tp_status;

/* "no memory", ...; static. State: any. */
TP_API const char* tp_status_text(tp_status status) TP_NOEXCEPT;

/* What went wrong and what to do, for people. Functions that take one accept NULL. */
typedef struct tp_error {
  tp_status status;
  char text[252];
} tp_error;

typedef struct tp_isolate tp_isolate;
typedef struct tp_thread tp_thread;
typedef struct tp_type tp_type;
typedef struct tp_header tp_object;

/* Reports one reference during a traversal; a result that is not 0 ends it and is
 * returned. */
typedef int (*tp_visitor)(tp_object* target, void* arg);

/* --- Memory from the embedder, instead of the OS. ---
 * Callbacks, called by any thread at any time. Ranges and sizes are multiples of the OS page.
 * All but reserve and release may be NULL: memory is then usable, and zero, once it is
 * reserved, and is not given back in part. They must not call the API. */
enum {
  TP_PURGED = 1,        /* gone; reads give zeros */
  TP_PURGE_KEPT = 0,    /* still there, or may vanish later */
  TP_PURGE_FAILED = -1  /* content unchanged */
};
typedef struct tp_page_source {
  uint32_t size;
  uint32_t version;
  void* (*reserve)(void* arg, size_t size, size_t alignment); /* NULL: refused */
  int (*release)(void* arg, void* address, size_t size);      /* 0: refused */
  int (*commit)(void* arg, void* address, size_t size);       /* before use; 0: refused */
  int (*decommit)(void* arg, void* address, size_t size);
  int (*purge)(void* arg, void* address, size_t size);        /* TP_PURGED, ... */
  size_t (*largest)(void* arg); /* what reserve may be asked for now */
  void* arg;
} tp_page_source;
static inline tp_page_source tp_page_source_init(void) {
  tp_page_source source;
  memset(&source, 0, sizeof(source));
  source.size = sizeof(source);
  source.version = TP_ABI_VERSION;
  return source;
}

/* --- Isolates. --- */
typedef struct tp_isolate_config {
  uint32_t size;
  uint32_t version;
  /* NULL, or "name=value" texts ended by a NULL: the options of docs/options.md. */
  const char* const* options;
  /* Not 0: TIDEPOOL_<NAME> of the environment first, then `options`. */
  int use_environment;
  /* The embedder's; tp_isolate_data gives it back. */
  void* data;
  /* NULL: memory comes from the OS. Copied. */
  const tp_page_source* pages;
  /* Or all of it from this region, which is the embedder's again when the isolate has been
   * destroyed. Not with `pages`. */
  void* region;
  size_t region_size;
} tp_isolate_config;

static inline tp_isolate_config tp_isolate_config_init(void) {
  tp_isolate_config config;
  memset(&config, 0, sizeof(config));
  config.size = sizeof(config);
  config.version = TP_ABI_VERSION;
  return config;
}

/* `config` NULL: all defaults. State: any; the main thread plays no special part. Error:
 * NULL, and `error` says why (TP_INVALID, TP_NOT_FOUND, TP_NO_MEMORY). */
TP_API tp_isolate* tp_isolate_create(const tp_isolate_config* config,
                                     tp_error* error) TP_NOEXCEPT;
/* Gives everything back; objects that are still there go without finalizers, handles are
 * void. States of threads that are detached go too (a later end of such a thread is
 * harmless). NULL is allowed. State: any, not attached to it. Error, nothing was done:
 * TP_BUSY, `error` names a thread that is attached; TP_STATE, after a fork by a thread of
 * another isolate. */
TP_API tp_status tp_isolate_destroy(tp_isolate* isolate, tp_error* error) TP_NOEXCEPT;
/* State: any. */
TP_API void* tp_isolate_data(const tp_isolate* isolate) TP_NOEXCEPT;
TP_API size_t tp_isolate_thread_count(tp_isolate* isolate) TP_NOEXCEPT;
/* An option's value as text, at most `size` bytes with the final 0. Returns the length of
 * the whole text, 0 if there is no such option. State: any. */
TP_API size_t tp_isolate_option(tp_isolate* isolate, const char* name, char* out,
                                size_t size) TP_NOEXCEPT;
/* What all options mean, in the same manner. State: any. */
TP_API size_t tp_option_help(char* out, size_t size) TP_NOEXCEPT;

/* --- Threads. ---
 * A thread enters an isolate once or often, and leaves as often. At the last leave its
 * state goes and its pages and unfinished frees are handed over. Entering costs
 * microseconds: a thread that comes often (callbacks from foreign code) is pinned: leaving
 * then only detaches it, and the state, its heap and its data stay till the OS thread ends.
 *
 * A thread that ends without having left is left for by a thread key of the library's, in
 * the last round but one of destructors, with a line on stderr if it was attached and not pinned.
 * Destructors of thread-local objects and of other keys may therefore still use the API. */

/* The calling thread is attached afterwards, and waits for a stop to end. A name is cut at
 * 31 characters; NULL is allowed. State: any, but not attached to another isolate. Error:
 * NULL: no memory, or (release builds too) attached to another isolate, or the isolate is a
 * forked child's copy of one that did not prepare the fork. */
TP_API tp_thread* tp_thread_enter(tp_isolate* isolate, const char* name) TP_NOEXCEPT;
/* Undoes one enter. At the last one the thread's data is destroyed. State: own. Error:
 * TP_STATE, nothing was done: called from a callback, or with scopes or critical sections
 * open. */
TP_API tp_status tp_thread_leave(tp_thread* thread) TP_NOEXCEPT;
/* The state stays till the end of the OS thread. State: own. */
TP_API void tp_thread_pin(tp_thread* thread) TP_NOEXCEPT;
/* The calling OS thread's attached state, or NULL. State: any; signal handlers. */
TP_API tp_thread* tp_thread_current(void) TP_NOEXCEPT;
/* The calling OS thread's state in the isolate, attached or detached, or NULL. State: any. */
TP_API tp_thread* tp_thread_find(tp_isolate* isolate) TP_NOEXCEPT;
TP_API tp_isolate* tp_thread_isolate(const tp_thread* thread) TP_NOEXCEPT; /* own */
TP_API int tp_thread_is_attached(const tp_thread* thread) TP_NOEXCEPT;     /* own */
/* What object headers call the owner: nobody else alive has it. State: own. */
TP_API uint64_t tp_thread_id(const tp_thread* thread) TP_NOEXCEPT;
/* The embedder's word. `destroy` (may be NULL) runs once, attached, when the state goes;
 * not if the isolate is destroyed first. State: own. */
TP_API void tp_thread_set_data(tp_thread* thread, void* data,
                               void (*destroy)(tp_thread* thread, void* data)) TP_NOEXCEPT;
TP_API void* tp_thread_data(const tp_thread* thread) TP_NOEXCEPT;

/* --- Safepoints and blocking. --- */
/* May park for a stop, merge, free, run finalizers, callbacks, pending calls, collect. No
 * object lock may be held; pointers without a reference are void afterwards (but those that
 * a root callback reports to deferred objects). One load when nothing is wanted. State:
 * attached. */
TP_API void tp_safepoint(tp_thread* thread) TP_NOEXCEPT;
/* Whether a safepoint would do something. State: any; signal handlers. */
TP_API int tp_safepoint_wanted(const tp_thread* thread) TP_NOEXCEPT;
/* Begins with a safepoint; after it the thread may block and touches no object. A stop does
 * not wait for it. Critical sections are given up meanwhile. State: attached. */
TP_API void tp_detach(tp_thread* thread) TP_NOEXCEPT;
/* Waits for the end of a stop. State: own, detached. */
TP_API void tp_attach(tp_thread* thread) TP_NOEXCEPT;
/* Runs fn(arg) detached, and returns what it returns. State: attached. */
TP_API void* tp_blocking_call(tp_thread* thread, void* (*fn)(void* arg),
                              void* arg) TP_NOEXCEPT;

/* Asks for a call of the handler at the thread's next safepoint. The state must be kept
 * from going. State: any; signal handlers. */
TP_API void tp_thread_break(tp_thread* thread) TP_NOEXCEPT;
/* `handler` runs at a safepoint after tp_thread_break, once for any number of them. It may
 * do anything that is allowed at a safepoint. NULL: none. State: own. */
TP_API void tp_thread_set_break_handler(tp_thread* thread,
                                        void (*handler)(tp_thread* thread, void* arg),
                                        void* arg) TP_NOEXCEPT;
/* A call at a thread's next safepoint. The memory is the embedder's till `fn` is called,
 * which may free or post it again. Calls of one thread run in the order of posting. */
typedef struct tp_call {
  uintptr_t reserved[2];
  void (*fn)(tp_thread* thread, struct tp_call* call);
  void* arg;
} tp_call;
/* State: any; signal handlers. The state must be kept from going. */
TP_API void tp_thread_post(tp_thread* thread, tp_call* call) TP_NOEXCEPT;

/* A thread that does not come to a stop after `after_ns` is named to `watchdog` (NULL: a line
 * on stderr; after_ns 0: never; default one second). It runs on the stopping thread, and
 * must not call the API. State: any. */
typedef void (*tp_watchdog)(const char* thread_name, uint64_t thread_id, uint64_t waited_ns,
                            void* arg);
TP_API void tp_isolate_set_watchdog(tp_isolate* isolate, uint64_t after_ns,
                                    tp_watchdog watchdog, void* arg) TP_NOEXCEPT;

/* Runs fn with all other threads of the isolate stopped. fn must not pass safepoints, drop
 * references, take object locks or wait for another thread. State: attached. */
TP_API void tp_stop_the_world(tp_thread* thread, void (*fn)(tp_thread* thread, void* arg),
                              void* arg) TP_NOEXCEPT;

/* --- Leaving by longjmp. ---
 * For runtimes that raise errors by longjmp. Before the jump, while the frames in between
 * still exist, tp_unwind closes what was opened after the mark: scopes and critical
 * sections. A mark lives as long as the frame that the jump goes to. */
typedef struct tp_mark {
  uintptr_t reserved[4];
} tp_mark;
/* State: attached. */
TP_API void tp_mark_set(tp_thread* thread, tp_mark* mark) TP_NOEXCEPT;
/* State: attached. Error: TP_STATE, nothing was done: the jump would leave a callback
 * (finalizer, weak reference, pending call, break handler, ...), which is not allowed. */
TP_API tp_status tp_unwind(tp_thread* thread, const tp_mark* mark) TP_NOEXCEPT;

/* --- fork(). ---
 *   tp_fork_prepare(thread); pid = fork();
 *   if (pid == 0) tp_fork_child(thread); else tp_fork_parent(thread);
 * For the isolate that the thread is attached to. In the child the other threads do not
 * exist; their states are gone, references on their stacks stay counted for ever. The other
 * isolates of the process were not brought to rest, and stay as they lie: in the child,
 * release builds too, they cannot be entered (NULL) or destroyed (TP_STATE), their handles
 * cannot be dropped (nothing happens), and nothing else may be done with them. New ones can be
 * made. No object lock may be held, and no callback be running. State: attached. */
TP_API void tp_fork_prepare(tp_thread* thread) TP_NOEXCEPT;
TP_API void tp_fork_parent(tp_thread* thread) TP_NOEXCEPT;
TP_API void tp_fork_child(tp_thread* thread) TP_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#endif /* TIDEPOOL_TIDEPOOL_BASE_H_ */
