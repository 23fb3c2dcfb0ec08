/* Threads: (spawn f arguments...) gives a task, (join task) its result, or its error.
 *
 * The new thread gets the task by a handle, enters the isolate for its work, and leaves.
 * What is waited for without touching objects lies in a task_state outside the heap. */
#include <stdlib.h>
#include <string.h>

#include "puddle.h"

typedef struct task_state {
  int holders; /* the object and the thread */
  int done, failed;
  puddle* vm;
  tp_handle* task;
} task_state;
#define STATE(o) (*(task_state**)behind((object*)(o), 2))

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int running;

static void let_go(task_state* state) {
  pthread_mutex_lock(&mutex);
  int last = --state->holders == 0;
  pthread_mutex_unlock(&mutex);
  if (last) free(state);
}

void task_destroy(tp_thread* thread, tp_object* o) {
  (void)thread;
  if (STATE(o) != NULL) let_go(STATE(o));
}

/* The result, or the message; a reference either way. */
static void work(context* cx, object* task, task_state* state) {
  tp_value args[32];
  size_t count = 0;
  tp_value result;
  tp_value call = part((tp_value)task, CALL);
  for (tp_value a = part(call, TAIL); a != 0; a = part(a, TAIL)) args[count++] = part(a, HEAD);
  state->failed = !try_apply(cx, part(call, HEAD), args, count, &result);
  tp_slot_give_value(cx->thread, &task->slot[RESULT], result);
}

static void* run(void* arg) {
  task_state* state = arg;
  tp_thread* thread = tp_thread_enter(state->vm->isolate, "task");
  if (thread == NULL) abort();
  context cx = {thread, state->vm, NULL, 0, 0};
  object* task = (object*)tp_handle_get(thread, state->task);
  tp_handle_drop(state->vm->isolate, state->task);
  work(&cx, task, state);
  tp_decref(thread, (tp_object*)task);
  tp_thread_leave(thread);
  pthread_mutex_lock(&mutex);
  state->done = 1;
  --running;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
  let_go(state);
  return NULL;
}

static tp_value spawn(context* cx, tp_value* a, size_t n) {
  object* task = new_object(cx, cx->vm->task, 3);
  task->slots = 2;
  hold(cx, (tp_value)task);
  tp_value call = 0;
  for (size_t i = n; i > 0; --i) {
    tp_value_incref(a[i - 1]);
    tp_value_incref(call);
    call = hold(cx, cons(cx, a[i - 1], call));
  }
  tp_slot_store_value(cx->thread, &task->slot[CALL], call);
  task_state* state = calloc(1, sizeof(*state));
  if (state == NULL) raise_value(cx, cx->vm->no_memory);
  STATE(task) = state;
  state->holders = 1;
  state->vm = cx->vm;
  state->task = tp_handle_new(cx->thread, (tp_object*)task);
  if (state->task == NULL) raise_value(cx, cx->vm->no_memory);
  pthread_mutex_lock(&mutex);
  ++state->holders;
  ++running;
  pthread_mutex_unlock(&mutex);
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 8 << 20);
  int refused = pthread_create(&thread, &attributes, run, state);
  pthread_attr_destroy(&attributes);
  if (refused) {
    pthread_mutex_lock(&mutex);
    --state->holders;
    --running;
    pthread_mutex_unlock(&mutex);
    tp_handle_drop(cx->vm->isolate, state->task);
    raise_text(cx, "no more threads");
  }
  tp_incref((tp_object*)task);
  return (tp_value)task;
}

static tp_value join(context* cx, tp_value* a, size_t n) {
  (void)n;
  if (type_of(a[0]) != cx->vm->task) raise_text(cx, "not a task");
  object* task = as_object(a[0]);
  task_state* state = STATE(task);
  tp_detach(cx->thread);
  pthread_mutex_lock(&mutex);
  while (!state->done) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  tp_attach(cx->thread);
  tp_value result = tp_slot_load_value(cx->thread, &task->slot[RESULT]);
  if (!state->failed) return result;
  hold(cx, result);
  raise_text(cx, "in a task: %s", ((string*)result)->text);
}

void join_all_tasks(void) {
  pthread_mutex_lock(&mutex);
  while (running > 0) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
}

const builtin kTaskBuiltins[] = {
    {"spawn", 1, 32, spawn},
    {"join", 1, 1, join},
    {NULL, 0, 0, NULL},
};
