/* The C API from C: a policy, collections, listeners, lists of objects. */
#include <pthread.h>
#include <stdlib.h>

#include "tidepool/api/c_user.h"

/* Collects whenever the number of objects has grown by `step`. */
typedef struct counting {
  uint64_t step;
  int asked, started, finished, planned;
  uint64_t last_found;
} counting;

static counting* last_made;
static int destroyed;

static void* counting_create(const char* arguments, void* arg, tp_error* error) {
  counting* c;
  (void)arg;
  if (arguments[0] < '1' || arguments[0] > '9') {
    error->status = TP_INVALID;
    strcpy(error->text, "needs a number of objects");
    return NULL;
  }
  c = (counting*)calloc(1, sizeof(counting));
  if (c == NULL) {
    error->status = TP_NO_MEMORY;
    return NULL;
  }
  c->step = strtoull(arguments, NULL, 10);
  last_made = c;
  return c;
}
static void counting_destroy(void* state) {
  ++destroyed;
  free(state);
}
static void counting_decide(void* state, const tp_snapshot* s, tp_decision* out) {
  counting* c = (counting*)state;
  ++c->asked;
  out->collect = s->gc_blocks >= s->gc_blocks_after_last + c->step;
  out->reason = "many objects";
  out->next_threshold = 64 << 10;
}
static void counting_plan(void* state, const tp_snapshot* s, tp_plan* out) {
  (void)s;
  ++((counting*)state)->planned;
  out->purge_afterwards = 1;
}
static void counting_start(void* state, const tp_snapshot* s, const char* reason) {
  (void)s;
  (void)reason;
  ++((counting*)state)->started;
}
static void counting_finish(void* state, const tp_snapshot* s, const tp_collection* info) {
  (void)s;
  ++((counting*)state)->finished;
  ((counting*)state)->last_found = info->found;
}

static tp_isolate* with_policy(const char* option, tp_error* error) {
  const char* options[2] = {NULL, NULL};
  tp_isolate_config config = tp_isolate_config_init();
  options[0] = option;
  config.options = options;
  return tp_isolate_create(&config, error);
}

int c_policy(void) {
  static int registered;
  tp_policy_def def = tp_policy_def_init();
  tp_collection info = tp_collection_init();
  tp_type* type = node_type(NULL);
  tp_isolate* isolate;
  tp_thread* thread;
  tp_error error;
  int i;

  def.name = "c_counting";
  CHECK(tp_policy_register(&def, &error) == TP_INVALID && strstr(error.text, "decide"));
  def.help = "collects after so many new objects";
  def.create = counting_create;
  def.destroy = counting_destroy;
  def.decide = counting_decide;
  def.plan = counting_plan;
  def.on_start = counting_start;
  def.on_finish = counting_finish;
  if (!registered) CHECK(tp_policy_register(&def, &error) == TP_OK);
  registered = 1;
  CHECK(tp_policy_register(&def, &error) == TP_BUSY && strstr(error.text, "c_counting"));

  CHECK(with_policy("gc_policy=c_counting", &error) == NULL);
  CHECK(strstr(error.text, "needs a number") != NULL);
  CHECK(with_policy("gc_policy=c_nothing", &error) == NULL);
  isolate = with_policy("gc_policy=c_counting:2000", &error);
  CHECK(isolate != NULL);
  thread = tp_thread_enter(isolate, "c");
  destroyed = 0;
  for (i = 0; i < 20000; ++i) { /* garbage in cycles of one */
    node* n = node_new(thread, type, NULL);
    CHECK(n != NULL);
    tp_slot_store(thread, &n->left, (tp_object*)n);
    tp_decref(thread, (tp_object*)n);
    tp_safepoint(thread);
  }
  CHECK(last_made->asked >= last_made->started && last_made->started >= 3);
  CHECK(last_made->started == last_made->finished && last_made->planned >= 3);
  CHECK(last_made->started <= 10 && last_made->last_found >= 2000);
  tp_collect(thread, &info);
  CHECK(info.found < 8000 && strcmp(info.reason, "requested") == 0);
  CHECK(world_close(thread, isolate) == 0 && destroyed == 1);
  tp_type_destroy(type);
  return 0;
}

int c_collections(void) {
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  tp_type* type = node_type(NULL);
  tp_gc_totals totals = tp_gc_totals_init();
  tp_error error;
  int died = 0;
  node* a;

  CHECK(thread != NULL && tp_gc_is_enabled(isolate));
  tp_gc_disable(isolate);
  CHECK(!tp_gc_is_enabled(isolate));
  tp_no_gc_begin(isolate);
  tp_no_gc_begin(isolate);
  tp_gc_enable(isolate); /* afterwards */
  tp_no_gc_end(isolate);
  CHECK(!tp_gc_is_enabled(isolate));
  tp_no_gc_end(isolate);
  CHECK(tp_gc_is_enabled(isolate));

  a = node_new(thread, type, &died);
  tp_slot_store(thread, &a->left, (tp_object*)a);
  tp_decref(thread, (tp_object*)a);
  tp_collect_soon(thread);
  CHECK(died == 0 && tp_safepoint_wanted(thread));
  tp_safepoint(thread);
  CHECK(died == 1);

  /* Frozen garbage stays. */
  a = node_new(thread, type, &died);
  tp_slot_store(thread, &a->left, (tp_object*)a);
  tp_gc_freeze(thread);
  CHECK(tp_gc_frozen(thread) == 1);
  tp_decref(thread, (tp_object*)a);
  CHECK(tp_collect(thread, NULL) == 0);
  tp_gc_unfreeze(thread);
  CHECK(tp_gc_frozen(thread) == 0 && tp_collect(thread, NULL) == 1 && died == 2);

  CHECK(tp_gc_totals_get(isolate, &totals) == TP_OK);
  CHECK(tp_gc_set_policy(thread, "no_such_policy", &error) != TP_OK);
  CHECK(strstr(error.text, "no_such_policy") != NULL);
  CHECK(tp_gc_set_policy(thread, "live_bytes", NULL) == TP_OK);
  CHECK(tp_gc_open_log(thread, "/no/such/folder/gc.log", 0, &error) == TP_INVALID);
  CHECK(totals.collections == 3 && totals.collected == 2 && totals.paused_ns > 0);
  CHECK(totals.max_pause_ns <= totals.paused_ns && totals.total_ns >= totals.paused_ns);
  CHECK(world_close(thread, isolate) == 0);
  tp_type_destroy(type);
  return 0;
}

typedef struct heard {
  int starts, stops;
  uint64_t found;
} heard;
static void on_gc_start(tp_thread* thread, const tp_collection* info, void* arg) {
  (void)thread;
  (void)info;
  ++((heard*)arg)->starts;
}
static void on_gc_stop(tp_thread* thread, const tp_collection* info, void* arg) {
  tp_safepoint(thread); /* allowed */
  ++((heard*)arg)->stops;
  ((heard*)arg)->found += info->found;
}

typedef struct listed {
  tp_thread* thread;
  tp_object* wanted;
  int all, found;
} listed;
static void list_one(tp_object* object, void* arg) {
  listed* l = (listed*)arg;
  ++l->all;
  if (object == l->wanted) ++l->found;
  tp_decref(l->thread, object);
}

int c_listeners_and_lists(void) {
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  tp_type* type = node_type(NULL);
  tp_gc_listener listeners[8];
  heard h = {0, 0, 0};
  listed l = {NULL, NULL, 0, 0};
  node* a = node_new(thread, type, NULL);
  node* b = node_new(thread, type, NULL);
  int i;

  memset(listeners, 0, sizeof(listeners));
  for (i = 0; i < 7; ++i) {
    listeners[i].start = i == 0 ? on_gc_start : NULL;
    listeners[i].stop = i == 0 ? on_gc_stop : NULL;
    listeners[i].arg = &h;
    CHECK(tp_gc_add_listener(isolate, &listeners[i]) == TP_OK);
  }
  CHECK(tp_gc_add_listener(isolate, &listeners[7]) == TP_BUSY);

  tp_slot_store(thread, &a->left, (tp_object*)b);
  l.thread = thread;
  l.wanted = (tp_object*)a;
  CHECK(tp_gc_objects(thread, list_one, &l) == TP_OK && l.all == 2 && l.found == 1);
  l.all = l.found = 0;
  CHECK(tp_gc_referrers(thread, (tp_object*)b, list_one, &l) == TP_OK);
  CHECK(l.all == 1 && l.found == 1);
  l.all = l.found = 0;
  l.wanted = (tp_object*)b;
  CHECK(tp_gc_referents(thread, (tp_object*)a, list_one, &l) == TP_OK);
  CHECK(l.all == 1 && l.found == 1);
  CHECK(tp_refcount((tp_object*)a) == 1 && tp_refcount((tp_object*)b) == 2);

  tp_slot_store(thread, &b->left, (tp_object*)a);
  tp_decref(thread, (tp_object*)a);
  tp_decref(thread, (tp_object*)b);
  CHECK(tp_collect(thread, NULL) == 2 && h.starts == 1 && h.stops == 1 && h.found == 2);
  for (i = 0; i < 7; ++i) tp_gc_remove_listener(thread, &listeners[i]);
  tp_gc_remove_listener(thread, &listeners[0]);
  tp_collect(thread, NULL);
  CHECK(h.starts == 1);
  CHECK(world_close(thread, isolate) == 0);
  tp_type_destroy(type);
  return 0;
}

static void* serve(void* arg) {
  tp_thread* thread = tp_thread_enter((tp_isolate*)arg, "collections");
  if (thread == NULL) return arg;
  tp_gc_serve(thread);
  return tp_thread_leave(thread) == TP_OK ? NULL : arg;
}
static void* join(void* arg) {
  void* result;
  return pthread_join(*(pthread_t*)arg, &result) == 0 ? result : arg;
}

static pthread_t finalized_on;
static void note_thread(tp_thread* thread, tp_object* object) {
  (void)thread;
  (void)object;
  finalized_on = pthread_self();
}

int c_serving(void) {
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  tp_type* type = node_type(note_thread);
  tp_error error;
  pthread_t server;
  int died = 0;
  int tries;
  node* a;

  CHECK(pthread_create(&server, NULL, serve, isolate) == 0);
  finalized_on = pthread_self();
  /* The server may not serve yet: then the collection runs here. */
  for (tries = 0; tries < 10000 && pthread_equal(finalized_on, pthread_self()); ++tries) {
    a = node_new(thread, type, &died);
    tp_slot_store(thread, &a->left, (tp_object*)a);
    tp_decref(thread, (tp_object*)a);
    tp_gc_drain_finalizers(thread);
    CHECK(died == tries + 1);
  }
  CHECK(pthread_equal(finalized_on, server));
  CHECK(tp_isolate_destroy(isolate, &error) == TP_BUSY && strstr(error.text, "serves"));
  tp_gc_stop_serving(isolate);
  CHECK(tp_blocking_call(thread, join, &server) == NULL);
  CHECK(world_close(thread, isolate) == 0);
  tp_type_destroy(type);
  return 0;
}
