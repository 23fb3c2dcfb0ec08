/* The C API from C: isolates, threads, safepoints, locks, longjmp, fork. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tidepool/api/c_user.h"
#include "tidepool/tidepool_inline.h"

int c_isolates(void) {
  static const char* const bad_value[] = {"page_full_retain=many", NULL};
  static const char* const bad_name[] = {"no_such_option=1", NULL};
  static const char* const bad_form[] = {"max_memory", NULL};
  tp_isolate_config config = tp_isolate_config_init();
  tp_error error;
  tp_isolate* isolate;
  tp_thread* thread;
  int status;

  config.options = bad_value;
  CHECK(tp_isolate_create(&config, &error) == NULL && error.status == TP_INVALID);
  CHECK(strstr(error.text, "page_full_retain") != NULL);
  config.options = bad_name;
  CHECK(tp_isolate_create(&config, &error) == NULL && error.status == TP_NOT_FOUND);
  config.options = bad_form;
  CHECK(tp_isolate_create(&config, &error) == NULL && strstr(error.text, "name=value"));
  CHECK(tp_isolate_create(&config, NULL) == NULL);
  memset(&config, 0, sizeof(config));
  CHECK(tp_isolate_create(&config, &error) == NULL && strstr(error.text, "_init()"));

  config = tp_isolate_config_init();
  config.data = &status;
  isolate = tp_isolate_create(&config, &error);
  CHECK(isolate != NULL && error.status == TP_OK && tp_isolate_data(isolate) == &status);
  CHECK(tp_isolate_thread_count(isolate) == 0);
  thread = tp_thread_enter(isolate, "someone");
  CHECK(thread != NULL && tp_isolate_thread_count(isolate) == 1);
  CHECK(tp_isolate_destroy(isolate, &error) == TP_BUSY && strstr(error.text, "someone"));
  CHECK(tp_thread_leave(thread) == TP_OK);
  CHECK(tp_isolate_destroy(isolate, &error) == TP_OK);
  CHECK(tp_isolate_destroy(NULL, NULL) == TP_OK);
  for (status = TP_OK; status >= TP_UNSUPPORTED; --status) {
    CHECK(strcmp(tp_status_text((tp_status)status), "unknown status") != 0);
  }
  return 0;
}

static int data_destroyed;
static void destroy_data(tp_thread* thread, void* data) {
  if (tp_thread_current() == thread && data == &data_destroyed) ++data_destroyed;
}

int c_threads(void) {
  tp_isolate* isolate = tp_isolate_create(NULL, NULL);
  tp_thread* thread;
  tp_thread* again;

  CHECK(isolate != NULL && tp_thread_current() == NULL && tp_thread_find(isolate) == NULL);
  thread = tp_thread_enter(isolate, "c");
  CHECK(thread != NULL && tp_thread_current() == thread && tp_thread_find(isolate) == thread);
  CHECK(tp_thread_isolate(thread) == isolate && tp_thread_is_attached(thread));
  CHECK(tp_thread_id(thread) != 0 && tp_thread_data(thread) == NULL);
  data_destroyed = 0;
  tp_thread_set_data(thread, &data_destroyed, destroy_data);
  /* Nested, and out of a blocking region, as a callback from foreign code does. */
  again = tp_thread_enter(isolate, "again");
  CHECK(again == thread && tp_thread_leave(again) == TP_OK);
  CHECK(tp_thread_is_attached(thread));
  tp_detach(thread);
  CHECK(tp_thread_current() == NULL && tp_thread_find(isolate) == thread);
  again = tp_thread_enter(isolate, NULL);
  CHECK(again == thread && tp_thread_is_attached(thread));
  CHECK(tp_thread_data(again) == &data_destroyed);
  CHECK(tp_thread_leave(again) == TP_OK);
  CHECK(!tp_thread_is_attached(thread)); /* as before */
  tp_attach(thread);
  CHECK(data_destroyed == 0 && tp_thread_leave(thread) == TP_OK && data_destroyed == 1);
  CHECK(tp_thread_find(isolate) == NULL && tp_isolate_thread_count(isolate) == 0);
  return tp_isolate_destroy(isolate, NULL) == TP_OK ? 0 : __LINE__;
}

static tp_thread* signalled;
static tp_call signal_call;
static void on_signal(int number) {
  (void)number;
  if (tp_thread_current() == signalled) tp_thread_break(signalled);
  tp_thread_post(signalled, &signal_call);
}
static void count_break(tp_thread* thread, void* arg) {
  if (thread == signalled) ++*(int*)arg;
}
static void count_call(tp_thread* thread, tp_call* call) {
  if (thread == signalled) ++*(int*)call->arg;
}
static void in_stop(tp_thread* thread, void* arg) {
  if (tp_thread_is_attached(thread)) ++*(int*)arg;
}
static void on_delay(const char* name, uint64_t id, uint64_t waited, void* arg) {
  if (strcmp(name, "slow") == 0 && id != 0 && waited > 0) atomic_store((atomic_int*)arg, 1);
}

typedef struct slow {
  tp_isolate* isolate;
  atomic_int entered;
  atomic_int named;
} slow;
static void* run_slow(void* arg) {
  slow* s = (slow*)arg;
  tp_thread* thread = tp_thread_enter(s->isolate, "slow");
  atomic_store(&s->entered, 1);
  while (!atomic_load(&s->named)) { /* no safepoint till somebody complains */
  }
  tp_safepoint(thread);
  return tp_thread_leave(thread) == TP_OK ? NULL : arg;
}
static void* join(void* arg) {
  void* result;
  return pthread_join(*(pthread_t*)arg, &result) == 0 ? result : arg;
}

int c_breaks_and_calls(void) {
  tp_isolate* isolate = tp_isolate_create(NULL, NULL);
  tp_thread* thread = tp_thread_enter(isolate, "c");
  struct sigaction action;
  struct sigaction old;
  tp_call calls[3];
  int breaks = 0;
  int ran = 0;
  int stopped = 0;
  int i;
  slow s;
  pthread_t other;

  CHECK(thread != NULL);
  signalled = thread;
  CHECK(!tp_safepoint_wanted(thread));
  tp_thread_break(thread); /* no handler: nothing */
  tp_safepoint(thread);
  tp_thread_set_break_handler(thread, count_break, &breaks);
  tp_thread_break(thread);
  tp_thread_break(thread);
  CHECK(tp_safepoint_wanted(thread) && breaks == 0);
  tp_safepoint(thread);
  CHECK(breaks == 1 && !tp_safepoint_wanted(thread));
  memset(calls, 0, sizeof(calls));
  for (i = 0; i < 3; ++i) {
    calls[i].fn = count_call;
    calls[i].arg = &ran;
    tp_thread_post(thread, &calls[i]);
  }
  tp_safepoint(thread);
  CHECK(ran == 3);

  memset(&action, 0, sizeof(action));
  action.sa_handler = on_signal;
  memset(&signal_call, 0, sizeof(signal_call));
  signal_call.fn = count_call;
  signal_call.arg = &ran;
  CHECK(sigaction(SIGUSR1, &action, &old) == 0);
  CHECK(raise(SIGUSR1) == 0);
  tp_safepoint(thread);
  CHECK(breaks == 2 && ran == 4);
  CHECK(sigaction(SIGUSR1, &old, NULL) == 0);

  tp_stop_the_world(thread, in_stop, &stopped);
  CHECK(stopped == 1);
  /* A thread that does not come is named. */
  s.isolate = isolate;
  atomic_init(&s.entered, 0);
  atomic_init(&s.named, 0);
  tp_isolate_set_watchdog(isolate, 1000000, on_delay, &s.named);
  CHECK(pthread_create(&other, NULL, run_slow, &s) == 0);
  while (!atomic_load(&s.entered)) {
  }
  tp_stop_the_world(thread, in_stop, &stopped);
  CHECK(stopped == 2 && atomic_load(&s.named));
  tp_isolate_set_watchdog(isolate, 0, NULL, NULL);
  CHECK(tp_blocking_call(thread, join, &other) == NULL);
  return world_close(thread, isolate);
}

typedef struct counter {
  tp_header header;
  long value;
  long other;
} counter;
typedef struct worker {
  tp_isolate* isolate;
  tp_object* a;
  tp_object* b;
  pthread_t thread;
  int result;
} worker;

static int locked_work(worker* w) {
  tp_thread* thread = tp_thread_enter(w->isolate, "worker");
  counter* a = (counter*)w->a;
  counter* b = (counter*)w->b;
  tp_critical section;
  tp_critical inner;
  int i;
  CHECK(thread != NULL);
  for (i = 0; i < 3000; ++i) {
    tp_object_lock(thread, w->a);
    ++a->value;
    tp_object_unlock(w->a);
    tp_critical_begin2(thread, &section, i % 2 ? w->a : w->b, i % 2 ? w->b : w->a);
    ++a->other;
    tp_critical_begin(thread, &inner, w->b);
    --b->other;
    tp_critical_end(thread, &inner);
    tp_critical_end(thread, &section);
    tp_safepoint(thread);
  }
  tp_critical_begin(thread, &section, w->a);
  CHECK(tp_thread_leave(thread) == TP_STATE);
  tp_critical_end(thread, &section);
  CHECK(tp_thread_leave(thread) == TP_OK);
  return 0;
}
static void* run_locked_work(void* arg) {
  worker* w = (worker*)arg;
  w->result = locked_work(w);
  return NULL;
}

int c_locks(void) {
  enum { WORKERS = 4 };
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  tp_type_def def = tp_type_def_init();
  tp_type* type;
  worker workers[WORKERS];
  tp_object* a;
  tp_object* b;
  int i;

  def.name = "counter";
  def.instance_size = sizeof(counter);
  type = tp_type_create(&def, NULL);
  a = tp_new(thread, type, 0);
  b = tp_new(thread, type, 0);
  CHECK(a != NULL && b != NULL);
  for (i = 0; i < WORKERS; ++i) {
    workers[i].isolate = isolate;
    workers[i].a = a;
    workers[i].b = b;
    CHECK(pthread_create(&workers[i].thread, NULL, run_locked_work, &workers[i]) == 0);
  }
  for (i = 0; i < WORKERS; ++i) {
    tp_collect(thread, NULL);
    CHECK(tp_blocking_call(thread, join, &workers[i].thread) == NULL);
    CHECK(workers[i].result == 0);
  }
  CHECK(((counter*)a)->value == WORKERS * 3000 && ((counter*)a)->other == WORKERS * 3000);
  CHECK(((counter*)b)->other == -WORKERS * 3000);
  tp_decref(thread, a);
  tp_decref(thread, b);
  CHECK(world_close(thread, isolate) == 0);
  tp_type_destroy(type);
  return 0;
}

/* Errors by longjmp: the raiser unwinds, then jumps. */
static jmp_buf handler;
static tp_mark mark;
static int refused;

static void deep(tp_thread* thread, const tp_type* type, int* died, tp_object* lock, int n) {
  tp_scope scope;
  tp_critical section;
  tp_scope_open(thread, &scope);
  tp_keep(thread, (tp_object*)node_new(thread, type, died));
  tp_critical_begin(thread, &section, lock);
  if (n == 0) {
    if (tp_unwind(thread, &mark) == TP_OK) longjmp(handler, 1);
    return;
  }
  deep(thread, type, died, lock, n - 1);
}

static void jump_out(tp_thread* thread, tp_object* object) {
  (void)object;
  /* A jump out of a finalizer is refused; one inside it is not. */
  if (tp_unwind(thread, &mark) == TP_STATE) ++refused;
}

int c_longjmp(void) {
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  tp_type* type = node_type(NULL);
  tp_type* jumper = node_type(jump_out);
  static int died; /* static: keeps its value over longjmp */
  static tp_object* lock;

  died = refused = 0;
  lock = (tp_object*)node_new(thread, type, NULL);
  CHECK(lock != NULL);
  tp_mark_set(thread, &mark);
  if (setjmp(handler) == 0) {
    deep(thread, type, &died, lock, 20);
    CHECK(0 && "not reached");
  }
  CHECK(died == 21);
  CHECK(tp_object_try_lock(lock));
  tp_object_unlock(lock);
  tp_decref(thread, (tp_object*)node_new(thread, jumper, &died));
  CHECK(refused == 1 && died == 22);
  tp_decref(thread, lock);
  CHECK(world_close(thread, isolate) == 0);
  tp_type_destroy(type);
  tp_type_destroy(jumper);
  return 0;
}

typedef struct busy {
  tp_isolate* isolate;
  const tp_type* type;
  atomic_int stop;
} busy;
static void* be_busy(void* arg) {
  busy* b = (busy*)arg;
  tp_thread* thread = tp_thread_enter(b->isolate, "busy");
  int i;
  for (i = 0; !atomic_load(&b->stop); ++i) {
    node* n = node_new(thread, b->type, NULL);
    if (i % 64 == 0) tp_slot_store(thread, &n->left, (tp_object*)n); /* a cycle */
    tp_decref(thread, (tp_object*)n);
    tp_safepoint(thread);
  }
  return tp_thread_leave(thread) == TP_OK ? NULL : arg;
}

static int child_work(tp_thread* thread, tp_isolate* isolate, const tp_type* type,
                      tp_weakref* weak) {
  busy b;
  pthread_t other;
  node* n = node_new(thread, type, NULL);
  CHECK(n != NULL && tp_isolate_thread_count(isolate) == 1);
  CHECK(tp_weakref_get(thread, weak) == NULL);
  tp_decref(thread, (tp_object*)n);
  tp_collect(thread, NULL);
  CHECK(tp_check_invariants(thread, NULL) == 0);
#if !defined(__SANITIZE_THREAD__) /* cannot start threads in a child of a threaded process */
  /* Threads can be started again. */
  b.isolate = isolate;
  b.type = type;
  atomic_init(&b.stop, 0);
  CHECK(pthread_create(&other, NULL, be_busy, &b) == 0);
  tp_collect(thread, NULL);
  atomic_store(&b.stop, 1);
  CHECK(tp_blocking_call(thread, join, &other) == NULL);
#else
  (void)b;
  (void)other;
#endif
  CHECK(tp_thread_leave(thread) == TP_OK);
  CHECK(tp_isolate_destroy(isolate, NULL) == TP_OK);
  return 0;
}

/* Until so many threads are attached. A fork must not come while a thread starts: in the child
 * of such a fork AddressSanitizer waits for ever for its own lock when it starts one. */
static void wait_for_threads(tp_thread* thread, tp_isolate* isolate, size_t count) {
  while (tp_isolate_thread_count(isolate) < count) {
    tp_detach(thread);
    sched_yield();
    tp_attach(thread);
  }
}

int c_fork(void) {
  enum { OTHERS = 3, FORKS = 8 };
  tp_isolate* isolate = tp_isolate_create(NULL, NULL);
  tp_thread* thread = tp_thread_enter(isolate, "forker");
  tp_type* type = node_type(NULL);
  pthread_t others[OTHERS];
  busy b;
  tp_weakref* weak;
  node* n;
  int i;
  int status;

  b.isolate = isolate;
  b.type = type;
  atomic_init(&b.stop, 0);
  for (i = 0; i < OTHERS; ++i) CHECK(pthread_create(&others[i], NULL, be_busy, &b) == 0);
  wait_for_threads(thread, isolate, OTHERS + 1);
  n = node_new(thread, type, NULL);
  weak = tp_weakref_new(thread, (tp_object*)n, NULL, NULL, NULL);
  tp_decref(thread, (tp_object*)n);
  for (i = 0; i < FORKS; ++i) {
    pid_t pid;
    tp_fork_prepare(thread);
    pid = fork();
    if (pid == 0) {
      tp_fork_child(thread);
      _exit(child_work(thread, isolate, type, weak) == 0 ? 0 : 1);
    }
    tp_fork_parent(thread);
    CHECK(pid > 0);
    tp_detach(thread);
    CHECK(waitpid(pid, &status, 0) == pid);
    tp_attach(thread);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  atomic_store(&b.stop, 1);
  for (i = 0; i < OTHERS; ++i) CHECK(tp_blocking_call(thread, join, &others[i]) == NULL);
  tp_decref(thread, (tp_object*)weak);
  CHECK(world_close(thread, isolate) == 0);
  tp_type_destroy(type);
  return 0;
}

/* The child of a thread of one isolate, while another isolate is at work. */
static int child_beside(tp_thread* thread, tp_isolate* own, const tp_type* type,
                        tp_isolate* theirs, tp_handle* handle) {
  tp_error error;
  tp_isolate* fresh;
  tp_thread* in_fresh;
  CHECK(tp_isolate_destroy(theirs, &error) == TP_STATE);
  CHECK(strstr(error.text, "parent") != NULL);
  tp_handle_drop(theirs, handle); /* nothing happens */
  tp_detach(thread);
  CHECK(tp_thread_enter(theirs, "child") == NULL);
  fresh = tp_isolate_create(NULL, &error);
  CHECK(fresh != NULL);
  in_fresh = tp_thread_enter(fresh, "child");
  CHECK(in_fresh != NULL);
  tp_decref(in_fresh, (tp_object*)node_new(in_fresh, type, NULL));
  CHECK(world_close(in_fresh, fresh) == 0);
  tp_attach(thread);
  tp_decref(thread, (tp_object*)node_new(thread, type, NULL));
  tp_collect(thread, NULL);
  return world_close(thread, own);
}

int c_fork_beside_another(void) {
  tp_isolate* own = tp_isolate_create(NULL, NULL);
  tp_isolate* theirs = tp_isolate_create(NULL, NULL);
  tp_type* type = node_type(NULL);
  tp_thread* thread = tp_thread_enter(theirs, "main");
  node* n = node_new(thread, type, NULL);
  tp_handle* handle = tp_handle_new(thread, (tp_object*)n);
  pthread_t other;
  busy b;
  int i;
  int status;

  CHECK(handle != NULL);
  tp_decref(thread, (tp_object*)n);
  tp_detach(thread);
  b.isolate = theirs;
  b.type = type;
  atomic_init(&b.stop, 0);
  CHECK(pthread_create(&other, NULL, be_busy, &b) == 0);
  thread = tp_thread_enter(own, "forker");
  wait_for_threads(thread, theirs, 2);
  for (i = 0; i < 4; ++i) {
    pid_t pid;
    tp_fork_prepare(thread);
    pid = fork();
    if (pid == 0) {
      tp_fork_child(thread);
      status = child_beside(thread, own, type, theirs, handle) == 0 ? 0 : 1;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
      _exit(status); /* what a sanitizer does at exit needs the threads */
#else
      exit(status); /* so that destructors of the process run too */
#endif
    }
    tp_fork_parent(thread);
    CHECK(pid > 0);
    tp_detach(thread);
    CHECK(waitpid(pid, &status, 0) == pid);
    tp_attach(thread);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  CHECK(world_close(thread, own) == 0);
  atomic_store(&b.stop, 1);
  CHECK(join(&other) == NULL);
  tp_handle_drop(theirs, handle);
  thread = tp_thread_find(theirs);
  tp_attach(thread);
  CHECK(world_close(thread, theirs) == 0);
  tp_type_destroy(type);
  return 0;
}

int c_two_isolates(void) {
  tp_isolate* first = tp_isolate_create(NULL, NULL);
  tp_isolate* second = tp_isolate_create(NULL, NULL);
  tp_type* type = node_type(NULL); /* used in both */
  tp_thread* in_first = tp_thread_enter(first, "one");
  tp_thread* in_second;
  tp_handle* handle;
  node* a;
  node* b;
  int died_first = 0;
  int died_second = 0;

  CHECK(in_first != NULL && tp_thread_enter(second, "two") == NULL); /* one at a time */
  a = node_new(in_first, type, &died_first);
  tp_slot_store(in_first, &a->left, (tp_object*)a);
  handle = tp_handle_new(in_first, (tp_object*)a);
  tp_decref(in_first, (tp_object*)a);
  tp_detach(in_first);
  in_second = tp_thread_enter(second, "two");
  CHECK(in_second != NULL && in_second != in_first);
  CHECK(tp_thread_current() == in_second && tp_thread_find(first) == in_first);
  b = node_new(in_second, type, &died_second);
  tp_slot_store(in_second, &b->left, (tp_object*)b);
  tp_decref(in_second, (tp_object*)b);
  CHECK(tp_owns(first, a) && !tp_owns(second, a) && tp_owns(second, b));
  CHECK(tp_collect(in_second, NULL) == 1 && died_second == 1 && died_first == 0);
  tp_handle_drop(first, handle); /* while attached elsewhere */
  CHECK(tp_thread_current() == in_second && !tp_thread_is_attached(in_first));
  CHECK(tp_thread_leave(in_second) == TP_OK);
  CHECK(tp_isolate_destroy(second, NULL) == TP_OK);
  tp_attach(in_first);
  CHECK(tp_collect(in_first, NULL) == 1 && died_first == 1);
  CHECK(world_close(in_first, first) == 0);
  tp_type_destroy(type);
  return 0;
}

/* tidepool_inline.h beside the functions, on objects of one thread that others count. */
typedef struct inliner {
  tp_isolate* isolate;
  const tp_type* type;
  node* box;
  pthread_t thread;
  int result;
} inliner;

static int inline_work(inliner* in) {
  tp_thread* thread = tp_thread_enter(in->isolate, "inliner");
  int i;
  CHECK(thread != NULL);
  for (i = 0; i < 5000; ++i) {
    node* seen = (node*)tp_slot_load_inline(thread, &in->box->left);
    if (seen != NULL) {
      CHECK(seen->number >= 0 && tp_object_type((tp_object*)seen) == in->type);
      tp_incref_inline((tp_object*)seen);
      tp_decref_inline(thread, (tp_object*)seen);
      tp_decref_inline(thread, (tp_object*)seen);
    }
    if (i % 3 == 0) {
      node* made = node_new(thread, in->type, NULL);
      made->number = i;
      tp_incref_inline((tp_object*)made);
      tp_slot_give(thread, &in->box->left, (tp_object*)made);
      tp_decref_inline(thread, (tp_object*)made);
    }
    tp_safepoint_inline(thread);
  }
  CHECK(tp_thread_leave(thread) == TP_OK);
  return 0;
}
static void* run_inline_work(void* arg) {
  ((inliner*)arg)->result = inline_work((inliner*)arg);
  return NULL;
}

int c_inline(void) {
  enum { INLINERS = 3 };
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  tp_type* type = node_type(NULL);
  inliner in[INLINERS];
  int died = 0;
  int i;
  node* a = node_new(thread, type, &died);
  tp_heap_stats stats = tp_heap_stats_init();

  CHECK(tp_inline_fits());
  tp_incref_inline((tp_object*)a);
  CHECK(tp_refcount((tp_object*)a) == 2);
  CHECK(tp_slot_load_inline(thread, &a->left) == NULL);
  tp_slot_give_value(thread, &a->left, 5);
  CHECK(tp_slot_load_inline(thread, &a->left) == NULL && tp_slot_peek_inline(&a->left) == 5);
  tp_slot_give(thread, &a->left, (tp_object*)a);
  CHECK(tp_slot_load_inline(thread, &a->left) == (tp_object*)a);
  CHECK(tp_refcount((tp_object*)a) == 3);
  tp_slot_clear(thread, &a->left);
  tp_decref_inline(thread, (tp_object*)a);
  CHECK(died == 0);
  tp_decref_inline(thread, (tp_object*)a);
  CHECK(died == 1);
  a = node_new(thread, type, &died);
  tp_set_immortal(thread, (tp_object*)a);
  tp_incref_inline((tp_object*)a);
  for (i = 0; i < 3; ++i) tp_decref_inline(thread, (tp_object*)a);
  CHECK(tp_refcount((tp_object*)a) == INT64_MAX && died == 1);

  for (i = 0; i < INLINERS; ++i) {
    in[i].isolate = isolate;
    in[i].type = type;
    in[i].box = a;
    CHECK(pthread_create(&in[i].thread, NULL, run_inline_work, &in[i]) == 0);
  }
  for (i = 0; i < INLINERS; ++i) {
    tp_collect(thread, NULL);
    CHECK(tp_blocking_call(thread, join, &in[i].thread) == NULL && in[i].result == 0);
  }
  tp_slot_clear(thread, &a->left);
  CHECK(tp_collect(thread, NULL) == 0);
  CHECK(tp_heap_stats_get(isolate, &stats) == TP_OK);
  CHECK(stats.kind[TP_KIND_GC].live_blocks == 1); /* the immortal one */
  CHECK(world_close(thread, isolate) == 0);
  tp_type_destroy(type);
  return 0;
}
