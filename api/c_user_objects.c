/* The C API from C: types, objects, counts, slots, weak references, handles. */
#include "tidepool/api/c_user.h"

static int node_traverse(tp_object* object, tp_visitor visit, void* arg) {
  node* n = (node*)object;
  int stop = tp_visit_slot(&n->left, visit, arg);
  return stop != 0 ? stop : tp_visit_slot(&n->right, visit, arg);
}
static void node_clear(tp_thread* thread, tp_object* object) {
  node* n = (node*)object;
  tp_slot_clear(thread, &n->left);
  tp_slot_clear(thread, &n->right);
}
static void node_destroy(tp_thread* thread, tp_object* object) {
  node* n = (node*)object;
  (void)thread;
  if (n->died != NULL) ++*n->died;
}

static tp_type_def node_def(void) {
  tp_type_def def = tp_type_def_init();
  def.name = "node";
  def.instance_size = sizeof(node);
  def.traverse = node_traverse;
  def.clear = node_clear;
  def.destroy = node_destroy;
  def.weakref_offset = offsetof(node, weakrefs);
  return def;
}

tp_type* node_type(void (*finalize)(tp_thread*, tp_object*)) {
  tp_type_def def = node_def();
  def.finalize = finalize;
  return tp_type_create(&def, NULL);
}

node* node_new(tp_thread* thread, const tp_type* type, int* died) {
  node* n = (node*)tp_new(thread, type, 0);
  if (n != NULL) n->died = died;
  return n;
}

tp_thread* world_open(tp_isolate** isolate) {
  static const char* const options[] = {"gc_policy=manual", "bad_free=ignore", NULL};
  tp_isolate_config config = tp_isolate_config_init();
  config.options = options;
  *isolate = tp_isolate_create(&config, NULL);
  return *isolate == NULL ? NULL : tp_thread_enter(*isolate, "c");
}

int world_close(tp_thread* thread, tp_isolate* isolate) {
  CHECK(tp_check_invariants(thread, NULL) == 0);
  CHECK(tp_thread_leave(thread) == TP_OK);
  CHECK(tp_isolate_destroy(isolate, NULL) == TP_OK);
  return 0;
}

int c_types(void) {
  tp_error error;
  tp_type* type;
  tp_type_def def = node_def();
  struct {
    tp_type_def def;
    uint64_t later; /* a field of a later version */
  } newer;

  type = tp_type_create(&def, &error);
  CHECK(type != NULL && error.status == TP_OK);
  CHECK(strcmp(tp_type_name(type), "node") == 0);
  tp_type_destroy(type);
  tp_type_destroy(NULL);

  def.clear = NULL;
  CHECK(tp_type_create(&def, &error) == NULL && error.status == TP_INVALID);
  CHECK(strstr(error.text, "node") != NULL && strstr(error.text, "clear") != NULL);
  def = node_def();
  def.instance_size = 8;
  CHECK(tp_type_create(&def, &error) == NULL && strstr(error.text, "instance_size") != NULL);
  def = node_def();
  def.weakref_offset = 3;
  CHECK(tp_type_create(&def, &error) == NULL && strstr(error.text, "weakref_offset") != NULL);
  def = node_def();
  def.flags = 64;
  CHECK(tp_type_create(&def, &error) == NULL && strstr(error.text, "flags") != NULL);
  CHECK(tp_type_create(NULL, &error) == NULL && error.status == TP_INVALID);

  /* Structs of other versions. */
  memset(&def, 0, sizeof(def));
  CHECK(tp_type_create(&def, &error) == NULL && strstr(error.text, "_init()") != NULL);
  def = node_def();
  def.version += 1u << 16;
  CHECK(tp_type_create(&def, &error) == NULL && strstr(error.text, "version") != NULL);
  CHECK(!tp_abi_serves(def.version) && tp_abi_serves(TP_ABI_VERSION));
  CHECK(tp_abi_version() == TP_ABI_VERSION);
  memset(&newer, 0, sizeof(newer));
  newer.def = node_def();
  newer.def.size = sizeof(newer);
  type = tp_type_create(&newer.def, &error); /* unknown and zero: fine */
  CHECK(type != NULL);
  tp_type_destroy(type);
  newer.later = 1;
  CHECK(tp_type_create(&newer.def, &error) == NULL && strstr(error.text, "field") != NULL);
  /* No version has a smaller one. */
  def = node_def();
  def.size = offsetof(tp_type_def, class_object);
  CHECK(tp_type_create(&def, &error) == NULL && strstr(error.text, "bytes") != NULL);
  return 0;
}

static tp_object* kept;
static void keep_once(tp_thread* thread, tp_object* object) {
  (void)thread;
  if (kept == NULL) {
    tp_incref(object);
    kept = object;
  }
}

static node* tree(tp_thread* thread, const tp_type* type, int depth, int* died) {
  node* n = node_new(thread, type, died);
  if (n != NULL && depth > 1) {
    tp_slot_give(thread, &n->left, (tp_object*)tree(thread, type, depth - 1, died));
    tp_slot_give(thread, &n->right, (tp_object*)tree(thread, type, depth - 1, died));
  }
  return n;
}

int c_counts_and_cycles(void) {
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  tp_type* type = node_type(NULL);
  tp_type* finalized = node_type(keep_once);
  tp_collection info = tp_collection_init();
  int died = 0;
  node* a;
  node* b;

  CHECK(thread != NULL && type != NULL && finalized != NULL);
  a = tree(thread, type, 10, &died);
  CHECK(a != NULL && tp_refcount((tp_object*)a) == 1 && tp_is_unique((tp_object*)a));
  CHECK(tp_object_type((tp_object*)a) == type);
  tp_incref((tp_object*)a);
  CHECK(tp_refcount((tp_object*)a) == 2 && !tp_is_unique((tp_object*)a));
  tp_decref(thread, (tp_object*)a);
  tp_decref(thread, (tp_object*)a);
  tp_decref(thread, NULL);
  CHECK(died == 1023);

  a = node_new(thread, type, &died);
  b = node_new(thread, type, &died);
  tp_slot_give(thread, &a->left, (tp_object*)b);
  tp_slot_store(thread, &b->left, (tp_object*)a);
  CHECK(tp_collect(thread, &info) == 0 && info.ran && info.tracked == 2);
  tp_decref(thread, (tp_object*)a);
  CHECK(died == 1023);
  CHECK(tp_collect(thread, &info) == 2 && info.collected == 2);
  CHECK(info.live_bytes_after < info.live_bytes_before && strcmp(info.reason, "requested") == 0);
  CHECK(died == 1025);

  /* A finalizer that keeps its object, once, by count and in a cycle. */
  kept = NULL;
  a = node_new(thread, finalized, &died);
  tp_decref(thread, (tp_object*)a);
  CHECK(kept == (tp_object*)a && died == 1025);
  tp_decref(thread, kept);
  CHECK(died == 1026);
  kept = NULL;
  a = node_new(thread, finalized, &died);
  tp_slot_store(thread, &a->left, (tp_object*)a);
  tp_decref(thread, (tp_object*)a);
  CHECK(tp_collect(thread, &info) == 0 && info.resurrected == 1);
  CHECK(kept == (tp_object*)a);
  tp_decref(thread, kept);
  CHECK(tp_collect(thread, NULL) == 1 && died == 1027);

  /* Half-built. */
  a = (node*)tp_new_raw(thread, type, 16);
  CHECK(a != NULL && !tp_is_tracked((tp_object*)a));
  tp_object_abandon(thread, (tp_object*)a);
  a = node_new(thread, type, &died);
  tp_untrack((tp_object*)a);
  CHECK(!tp_is_tracked((tp_object*)a));
  tp_track((tp_object*)a);
  CHECK(tp_is_tracked((tp_object*)a));
  tp_object_abandon(thread, (tp_object*)a);
  CHECK(died == 1027);

  a = node_new(thread, type, &died);
  tp_object_set_flags((tp_object*)a, 0x81, 0);
  tp_object_set_flags((tp_object*)a, 0x02, 0x80);
  CHECK(tp_object_flags((tp_object*)a) == 0x03);
  tp_decref(thread, (tp_object*)a);
  CHECK(tp_new(thread, type, SIZE_MAX) == NULL && tp_new_raw(thread, type, SIZE_MAX) == NULL);
  CHECK(world_close(thread, isolate) == 0);
  tp_type_destroy(type);
  tp_type_destroy(finalized);
  return 0;
}

int c_slots(void) {
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  tp_type* type = node_type(NULL);
  int died = 0;
  node* a = node_new(thread, type, &died);
  node* b = node_new(thread, type, &died);
  tp_value value;
  void* container = NULL;
  tp_slot* array;
  tp_slot* longer;

  CHECK(a != NULL && b != NULL);
  CHECK(tp_slot_load(thread, &a->left) == NULL);
  tp_slot_store(thread, &a->left, (tp_object*)b);
  CHECK(tp_refcount((tp_object*)b) == 2);
  CHECK(tp_slot_load(thread, &a->left) == (tp_object*)b);
  tp_decref(thread, (tp_object*)b);
  /* Values that are no objects. */
  tp_slot_give_value(thread, &a->left, 2 * 21 + 1);
  CHECK(tp_refcount((tp_object*)b) == 1);
  CHECK(tp_slot_load(thread, &a->left) == NULL);
  CHECK(tp_slot_load_value(thread, &a->left) == 43 && tp_slot_peek(&a->left) == 43);
  CHECK(tp_value_object(43) == NULL && !tp_value_is_object(43) && !tp_value_is_object(0));
  tp_value_incref(43);
  tp_value_decref(thread, 43);
  tp_slot_store_value(thread, &a->left, (tp_value)b);
  CHECK(tp_slot_swap(&a->left, 0) == (tp_value)b);
  tp_value_decref(thread, (tp_value)b);
  /* Under the lock. */
  tp_object_lock(thread, (tp_object*)a);
  CHECK(!tp_object_try_lock((tp_object*)a));
  value = tp_slot_swap_locked(&a->right, (tp_value)b);
  tp_object_unlock((tp_object*)a);
  CHECK(value == 0);
  CHECK(tp_slot_try_load(thread, &a->right, &value) == TP_OK && value == (tp_value)b);
  CHECK(tp_slot_load_locked(&a->right) == (tp_value)b);
  CHECK(tp_refcount((tp_object*)b) == 3);
  tp_decref(thread, (tp_object*)b);
  tp_decref(thread, (tp_object*)b);
  tp_decref(thread, (tp_object*)a);
  CHECK(died == 2);

  /* An array that is replaced; its first word is the link's. */
  b = node_new(thread, type, &died);
  array = (tp_slot*)tp_calloc(thread, 2, sizeof(tp_slot));
  longer = (tp_slot*)tp_calloc(thread, 3, sizeof(tp_slot));
  CHECK(array != NULL && longer != NULL);
  tp_slot_init(&array[1], (tp_value)b);
  tp_array_replace(thread, &container, array);
  CHECK(tp_array_load(&container) == array);
  CHECK(tp_array_try_load(thread, &array[1], &container, array, &value) == TP_OK);
  CHECK(value == (tp_value)b);
  tp_value_decref(thread, value);
  tp_slot_init(&longer[1], tp_slot_peek(&array[1]));
  tp_array_replace(thread, &container, longer);
  /* Who still reads the old one is told. */
  CHECK(tp_array_try_load(thread, &array[1], &container, array, &value) == TP_RETRY);
  CHECK(tp_array_try_load(thread, &longer[2], &container, longer, &value) == TP_RETRY);
  CHECK(tp_refcount((tp_object*)b) == 1);
  tp_array_replace(thread, &container, NULL);
  tp_decref(thread, (tp_object*)b);
  CHECK(died == 3);

  /* The bare steps of a lock-free read. */
  a = node_new(thread, type, &died);
  tp_mark_shared((tp_object*)a);
  CHECK(tp_try_incref((tp_object*)a) && tp_refcount((tp_object*)a) == 2);
  tp_drop_stray(thread, (tp_object*)a);
  tp_disown((tp_object*)a);
  CHECK(tp_refcount((tp_object*)a) == 1);
  tp_decref(thread, (tp_object*)a);
  CHECK(died == 4);
  CHECK(world_close(thread, isolate) == 0);
  tp_type_destroy(type);
  return 0;
}

static int callbacks;
static void on_death(tp_thread* thread, tp_weakref* ref, void* arg) {
  if (tp_weakref_get(thread, ref) == NULL && tp_weakref_is_dead(ref)) ++*(int*)arg;
}

int c_weakrefs(void) {
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  tp_type* type = node_type(NULL);
  tp_type_def bare_def = tp_type_def_init();
  tp_type* bare = tp_type_create(&bare_def, NULL);
  tp_error error;
  tp_weakref* weak;
  tp_weakref* called;
  node* a = node_new(thread, type, NULL);
  tp_object* target;

  CHECK(a != NULL && bare != NULL);
  callbacks = 0;
  weak = tp_weakref_new(thread, (tp_object*)a, NULL, NULL, NULL);
  CHECK(weak != NULL && tp_weakref_new(thread, (tp_object*)a, NULL, NULL, NULL) == weak);
  tp_decref(thread, (tp_object*)weak);
  called = tp_weakref_new(thread, (tp_object*)a, on_death, &callbacks, NULL);
  CHECK(called != NULL && called != weak);
  CHECK(tp_object_type((tp_object*)weak) == NULL);
  target = tp_weakref_get(thread, weak);
  CHECK(target == (tp_object*)a && !tp_weakref_is_dead(weak));
  tp_decref(thread, target);
  tp_decref(thread, (tp_object*)a);
  CHECK(tp_weakref_get(thread, weak) == NULL && callbacks == 1);
  tp_decref(thread, (tp_object*)weak);
  tp_decref(thread, (tp_object*)called);

  /* In a cycle; a weak reference that died before does not call. */
  a = node_new(thread, type, NULL);
  tp_slot_store(thread, &a->left, (tp_object*)a);
  weak = tp_weakref_new(thread, (tp_object*)a, on_death, &callbacks, NULL);
  called = tp_weakref_new(thread, (tp_object*)a, on_death, &callbacks, NULL);
  tp_decref(thread, (tp_object*)called);
  tp_decref(thread, (tp_object*)a);
  CHECK(!tp_weakref_is_dead(weak));
  CHECK(tp_collect(thread, NULL) == 1 && callbacks == 2);
  tp_decref(thread, (tp_object*)weak);

  target = tp_new(thread, bare, 8);
  CHECK(target != NULL);
  CHECK(tp_weakref_new(thread, target, NULL, NULL, &error) == NULL);
  CHECK(error.status == TP_INVALID && strstr(error.text, "weakref_offset") != NULL);
  tp_decref(thread, target);
  CHECK(world_close(thread, isolate) == 0);
  tp_type_destroy(type);
  tp_type_destroy(bare);
  return 0;
}

int c_resize(void) {
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  tp_type* type = node_type(NULL);
  tp_type_def pre_def = node_def();
  tp_type* pre;
  tp_error error;
  int died = 0;
  node* a = node_new(thread, type, &died);
  node* b = node_new(thread, type, &died);
  node* grown;
  tp_weakref* weak;
  size_t extra;
  unsigned char* bytes;

  CHECK(a != NULL && b != NULL);
  tp_slot_give(thread, &a->left, (tp_object*)b);
  a->number = 7;
  tp_object_set_flags((tp_object*)a, 5, 0);
  for (extra = 1; extra < 300000; extra = extra * 3 + 1) {
    grown = (node*)tp_object_resize(thread, (tp_object*)a, extra, &error);
    CHECK(grown != NULL && tp_object_size((tp_object*)grown) >= sizeof(node) + extra);
    a = grown;
    CHECK(a->number == 7 && tp_slot_peek(&a->left) == (tp_value)b);
    bytes = (unsigned char*)(a + 1);
    if (extra > 1) CHECK(bytes[0] == 42);
    memset(bytes, 42, extra);
  }
  CHECK(tp_object_flags((tp_object*)a) == 5 && tp_is_tracked((tp_object*)a));
  grown = (node*)tp_object_resize(thread, (tp_object*)a, 10, &error); /* smaller again */
  CHECK(grown != NULL && tp_object_size((tp_object*)grown) < 1000);
  a = grown;
  CHECK(((unsigned char*)(a + 1))[9] == 42 && a->died == &died);
  /* Refused: held by somebody else, weakly too. */
  tp_incref((tp_object*)a);
  CHECK(tp_object_resize(thread, (tp_object*)a, 1000, &error) == NULL);
  CHECK(error.status == TP_STATE);
  tp_decref(thread, (tp_object*)a);
  weak = tp_weakref_new(thread, (tp_object*)a, NULL, NULL, NULL);
  CHECK(tp_object_resize(thread, (tp_object*)a, 1000, &error) == NULL);
  CHECK(error.status == TP_STATE);
  tp_decref(thread, (tp_object*)weak);
  CHECK(tp_object_resize(thread, (tp_object*)a, SIZE_MAX - 5, &error) == NULL);
  CHECK(error.status == TP_NO_MEMORY);
  tp_decref(thread, (tp_object*)a);
  CHECK(died == 2);

  /* Two words before the header. */
  pre_def.flags = TP_TYPE_PRE_HEADER;
  pre = tp_type_create(&pre_def, NULL);
  CHECK(pre != NULL);
  a = node_new(thread, pre, &died);
  CHECK(a != NULL && ((uintptr_t*)a)[-1] == 0 && ((uintptr_t*)a)[-2] == 0);
  ((uintptr_t*)a)[-2] = 17;
  a = (node*)tp_object_resize(thread, (tp_object*)a, 5000, &error);
  CHECK(a != NULL && ((uintptr_t*)a)[-2] == 17);
  CHECK(tp_object_check(thread, a, NULL) == TP_OK);
  tp_slot_store(thread, &a->left, (tp_object*)a);
  tp_decref(thread, (tp_object*)a);
  CHECK(tp_collect(thread, NULL) == 1 && died == 3);
  CHECK(world_close(thread, isolate) == 0);
  tp_type_destroy(type);
  tp_type_destroy(pre);
  return 0;
}

int c_scopes_and_handles(void) {
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  tp_type* type = node_type(NULL);
  tp_heap_stats stats = tp_heap_stats_init();
  tp_scope outer;
  tp_scope inner;
  tp_handle* handle;
  tp_object* object;
  int died = 0;
  int i;

  CHECK(thread != NULL && type != NULL);
  tp_scope_open(thread, &outer);
  CHECK(tp_keep(thread, NULL) == NULL);
  CHECK(tp_keep(thread, (tp_object*)node_new(thread, type, &died)) != NULL);
  tp_scope_open(thread, &inner);
  for (i = 0; i < 1000; ++i) {
    CHECK(tp_keep(thread, (tp_object*)node_new(thread, type, &died)) != NULL);
  }
  CHECK(tp_thread_leave(thread) == TP_STATE);
  CHECK(tp_collect(thread, NULL) == 0);
  tp_scope_close(thread, &inner);
  CHECK(died == 1000);
  tp_scope_close(thread, &outer);
  CHECK(died == 1001);

  object = (tp_object*)node_new(thread, type, &died);
  handle = tp_handle_new(thread, object);
  CHECK(handle != NULL);
  tp_decref(thread, object);
  CHECK(tp_heap_stats_get(isolate, &stats) == TP_OK && stats.handles == 1);
  tp_detach(thread);
  tp_attach(thread);
  CHECK(tp_handle_get(thread, handle) == object);
  tp_decref(thread, object);
  CHECK(tp_collect(thread, NULL) == 0 && died == 1001);
  tp_detach(thread);
  tp_handle_drop(isolate, handle); /* detached */
  CHECK(!tp_thread_is_attached(thread) && tp_thread_current() == NULL);
  tp_attach(thread);
  CHECK(died == 1002);
  tp_handle_drop(isolate, NULL);
  /* Handles that are left go with the isolate. */
  object = (tp_object*)node_new(thread, type, NULL);
  handle = tp_handle_new(thread, object);
  CHECK(handle != NULL);
  tp_decref(thread, object);
  CHECK(world_close(thread, isolate) == 0);
  tp_type_destroy(type);
  return 0;
}

static tp_object* borrowed;
static int visit_borrowed(tp_visitor visit, void* visit_arg, void* arg) {
  ++*(int*)arg;
  return borrowed != NULL ? visit(borrowed, visit_arg) : 0;
}

int c_classes_and_deferred(void) {
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  tp_type* type = node_type(NULL);
  tp_type_def def = node_def();
  tp_type* of_class;
  tp_root_set roots;
  int died = 0;
  int visits = 0;
  node* class_object;
  node* a;

  /* The class object outlives its instances, which do not count it. */
  class_object = node_new(thread, type, &died);
  CHECK(class_object != NULL && tp_set_deferred(thread, (tp_object*)class_object));
  of_class = tp_type_create(&def, NULL);
  CHECK(of_class != NULL);
  tp_type_set_class(of_class, (tp_object*)class_object);
  a = node_new(thread, of_class, &died);
  tp_slot_store(thread, &a->left, (tp_object*)a);
  tp_decref(thread, (tp_object*)class_object);
  CHECK(tp_collect(thread, NULL) == 0 && died == 0);
  tp_slot_clear(thread, &a->left);
  tp_decref(thread, (tp_object*)a);
  CHECK(died == 1);
  CHECK(tp_collect(thread, NULL) == 1 && died == 2);

  /* A deferred object that only a stack borrows, reported by a root callback. */
  a = node_new(thread, type, &died);
  CHECK(tp_set_deferred(thread, (tp_object*)a) == 1 && tp_set_deferred(thread, (tp_object*)a) == 0);
  tp_decref(thread, (tp_object*)a);
  borrowed = (tp_object*)a;
  tp_thread_set_roots(thread, visit_borrowed, &visits);
  CHECK(tp_collect(thread, NULL) == 0 && visits > 0 && died == 2);
  tp_thread_set_roots(thread, NULL, NULL);
  memset(&roots, 0, sizeof(roots));
  roots.visit_roots = visit_borrowed;
  roots.arg = &visits;
  tp_roots_add(isolate, &roots);
  CHECK(tp_collect(thread, NULL) == 0 && died == 2);
  tp_roots_remove(isolate, &roots);
  borrowed = NULL;
  CHECK(tp_collect(thread, NULL) == 1 && died == 3);

  a = node_new(thread, type, &died);
  CHECK(tp_set_deferred(thread, (tp_object*)a) == 1);
  CHECK(tp_clear_deferred(thread, (tp_object*)a) == 1);
  tp_decref(thread, (tp_object*)a);
  CHECK(died == 4);
  a = node_new(thread, type, &died);
  tp_set_immortal(thread, (tp_object*)a);
  tp_decref(thread, (tp_object*)a);
  tp_decref(thread, (tp_object*)a);
  CHECK(tp_refcount((tp_object*)a) == INT64_MAX && died == 4);
  CHECK(world_close(thread, isolate) == 0);
  tp_type_destroy(of_class);
  tp_type_destroy(type);
  return 0;
}

int c_object_check(void) {
  tp_isolate* isolate;
  tp_isolate* other = tp_isolate_create(NULL, NULL);
  tp_thread* thread = world_open(&isolate);
  tp_type* type = node_type(NULL);
  tp_error error;
  static node somewhere;
  node* a = node_new(thread, type, NULL);
  void* raw = tp_malloc(thread, 64);
  tp_thread* there;

  CHECK(a != NULL && raw != NULL && other != NULL);
  CHECK(tp_object_check(thread, a, &error) == TP_OK);
  CHECK(tp_object_check(thread, NULL, &error) == TP_INVALID);
  CHECK(tp_object_check(thread, &somewhere, &error) == TP_INVALID);
  CHECK(strstr(error.text, "heap") != NULL);
  CHECK(tp_object_check(thread, (void*)~(uintptr_t)15, &error) == TP_INVALID);
  CHECK(tp_object_check(thread, (char*)a + 1, &error) == TP_INVALID);
  CHECK(tp_object_check(thread, (char*)a + 16, &error) == TP_INVALID);
  CHECK(strstr(error.text, "inside") != NULL);
  CHECK(tp_object_check(thread, raw, &error) == TP_INVALID);
  CHECK(strstr(error.text, "raw") != NULL);
  tp_decref(thread, (tp_object*)a);
  CHECK(tp_object_check(thread, a, &error) == TP_INVALID);
  CHECK(strstr(error.text, "dead") != NULL);
  a = node_new(thread, type, NULL);
  tp_detach(thread);
  there = tp_thread_enter(other, "there");
  CHECK(tp_object_check(there, a, &error) == TP_INVALID);
  CHECK(strstr(error.text, "another isolate") != NULL);
  CHECK(tp_thread_leave(there) == TP_OK);
  tp_attach(thread);
  tp_decref(thread, (tp_object*)a);
  tp_free(thread, raw);
  CHECK(world_close(thread, isolate) == 0);
  CHECK(tp_isolate_destroy(other, NULL) == TP_OK);
  tp_type_destroy(type);
  return 0;
}
