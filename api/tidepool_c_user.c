/* A C program's use of the API: a binary tree, a ring, weak references, limits. Returns 0 or
 * the line of the first check that failed. */
#include <string.h>

#include "tidepool/tidepool.h"

#define CHECK(cond) \
  do {              \
    if (!(cond)) return __LINE__; \
  } while (0)

int tidepool_c_user(void);

typedef struct node {
  tp_header header;
  void* weakrefs;
  tp_slot left;
  tp_slot right;
  int* destroyed;
} node;

static tp_object* kept;

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
  if (n->destroyed != NULL) ++*n->destroyed;
}

static void node_finalize(tp_thread* thread, tp_object* object) {
  (void)thread;
  if (kept == NULL) {
    tp_incref(object);
    kept = object; /* resurrected */
  }
}

static node* new_node(tp_thread* thread, const tp_type* type, int* destroyed) {
  node* n = (node*)tp_new(thread, type, 0);
  if (n != NULL) n->destroyed = destroyed;
  return n;
}

static node* tree(tp_thread* thread, const tp_type* type, int depth, int* destroyed) {
  node* n = new_node(thread, type, destroyed);
  if (n != NULL && depth > 1) {
    tp_slot_give(thread, &n->left, (tp_object*)tree(thread, type, depth - 1, destroyed));
    tp_slot_give(thread, &n->right, (tp_object*)tree(thread, type, depth - 1, destroyed));
  }
  return n;
}

int tidepool_c_user(void) {
  static const char* const options[] = {"page_full_retain=4", "gc_policy=manual", NULL};
  static const char* const bad_options[] = {"page_full_retain=many", NULL};
  char text[4096];
  int destroyed = 0;
  tp_type_def def;
  tp_type* type;
  tp_type* finalized;
  tp_isolate* isolate;
  tp_thread* thread;
  node* a;
  node* b;
  tp_weakref* weak;
  tp_object* target;
  char* block;

  kept = NULL;
  CHECK(tp_isolate_create(bad_options, 0, text, sizeof(text)) == NULL);
  CHECK(strstr(text, "page_full_retain") != NULL);

  isolate = tp_isolate_create(options, 0, text, sizeof(text));
  CHECK(isolate != NULL);
  CHECK(tp_thread_current() == NULL);
  thread = tp_thread_enter(isolate, "c");
  CHECK(thread != NULL);
  CHECK(tp_thread_current() == thread);

  memset(&def, 0, sizeof(def));
  def.name = "node";
  def.size = sizeof(node);
  def.traverse = node_traverse;
  CHECK(tp_type_create(&def) == NULL); /* traverse without clear */
  def.clear = node_clear;
  def.destroy = node_destroy;
  def.weakref_offset = offsetof(node, weakrefs);
  type = tp_type_create(&def);
  CHECK(type != NULL);
  def.finalize = node_finalize;
  finalized = tp_type_create(&def);
  CHECK(finalized != NULL);

  /* By count. */
  a = tree(thread, type, 10, &destroyed);
  CHECK(a != NULL);
  CHECK(tp_refcount((tp_object*)a) == 1);
  CHECK(tp_type_of((tp_object*)a) == type);
  tp_decref(thread, (tp_object*)a);
  CHECK(destroyed == 1023);

  /* By collection, with a weak reference. */
  a = new_node(thread, type, &destroyed);
  b = new_node(thread, type, &destroyed);
  tp_slot_store(thread, &a->left, (tp_object*)b);
  tp_slot_store(thread, &b->left, (tp_object*)a);
  weak = tp_weakref_new(thread, (tp_object*)a);
  CHECK(weak != NULL);
  target = tp_weakref_get(thread, weak);
  CHECK(target == (tp_object*)a);
  tp_decref(thread, target);
  target = tp_slot_load(thread, &a->left);
  CHECK(target == (tp_object*)b);
  tp_decref(thread, target);
  tp_decref(thread, (tp_object*)a);
  tp_decref(thread, (tp_object*)b);
  CHECK(destroyed == 1023);
  CHECK(tp_collect(thread) == 2);
  CHECK(destroyed == 1025);
  CHECK(tp_weakref_get(thread, weak) == NULL);
  tp_weakref_drop(thread, weak);

  /* A finalizer that keeps its object, once. */
  a = new_node(thread, finalized, &destroyed);
  tp_decref(thread, (tp_object*)a);
  CHECK(kept == (tp_object*)a);
  CHECK(destroyed == 1025);
  tp_decref(thread, kept);
  CHECK(destroyed == 1026);

  /* Memory, figures, blocking. */
  block = (char*)tp_malloc(thread, 100);
  CHECK(block != NULL);
  memset(block, 7, 100);
  block = (char*)tp_realloc(thread, block, 100000);
  CHECK(block != NULL && block[99] == 7);
  tp_free(thread, block);
  CHECK(tp_malloc(thread, SIZE_MAX / 2) == NULL);
  CHECK(tp_new(thread, type, SIZE_MAX) == NULL);
  tp_safepoint(thread);
  tp_detach(thread);
  CHECK(tp_thread_current() == NULL);
  tp_attach(thread);
  CHECK(tp_stats_json(isolate, text, sizeof(text)) > 100);
  CHECK(strstr(text, "\"heap\"") != NULL);
  CHECK(tp_stats_json(isolate, text, 5) > 100 && strlen(text) == 4);
  tp_purge(isolate);

  tp_thread_leave(thread);
  tp_isolate_destroy(isolate);
  tp_type_destroy(type);
  tp_type_destroy(finalized);
  return 0;
}
