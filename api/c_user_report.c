/* The C API from C: the heap profile, the map, memory by cause, faults, blocks. */
#include <stdlib.h>

#include "tidepool/api/c_user.h"

/* A report as one text, with a 0 behind it. */
typedef struct report {
  char* text;
  size_t size;
  int refuse;
} report;

static int keep(const void* bytes, size_t size, void* arg) {
  report* r = (report*)arg;
  char* text;
  if (r->refuse) return 1;
  text = (char*)realloc(r->text, r->size + size + 1);
  if (text == NULL) return 1;
  memcpy(text + r->size, bytes, size);
  r->text = text;
  r->size += size;
  text[r->size] = 0;
  return 0;
}
static int has(const report* r, const char* word) {
  size_t n = strlen(word);
  size_t i;
  for (i = 0; r->size >= n && i <= r->size - n; ++i) {
    if (memcmp(r->text + i, word, n) == 0) return 1;
  }
  return 0;
}
static void forget(report* r) {
  free(r->text);
  memset(r, 0, sizeof(*r));
}

static int calls_of_frames;
static size_t my_frames(tp_profile_frame* out, size_t most, void* arg) {
  if (most < 2) return 0;
  ++calls_of_frames;
  out[0].function = (const char*)arg;
  out[0].file = "script.lang";
  out[0].line = 7;
  out[1].function = "main_of_script";
  out[1].file = NULL;
  out[1].line = 0;
  return 2;
}

int c_profile(void) {
  static char name[] = "inner_function";
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  tp_type* type = node_type(NULL);
  node* list = NULL;
  report r = {NULL, 0, 0};
  int i;

  CHECK(thread != NULL && tp_profile_start(isolate, 0) == TP_INVALID);
  calls_of_frames = 0;
  tp_profile_set_frames(isolate, my_frames, name);
  CHECK(tp_profile_start(isolate, 512) == TP_OK);
  for (i = 0; i < 2000; ++i) {
    node* next = node_new(thread, type, NULL);
    CHECK(next != NULL);
    tp_slot_give(thread, &next->left, (tp_object*)list);
    list = next;
  }
  CHECK(calls_of_frames > 10);
  CHECK(tp_profile_write(thread, keep, &r) == TP_OK);
  /* gzip, stored: the texts can be read. */
  CHECK(r.size > 100 && (unsigned char)r.text[0] == 0x1f && (unsigned char)r.text[1] == 0x8b);
  CHECK(has(&r, "inuse_space") && has(&r, "inner_function") && has(&r, "main_of_script"));
  CHECK(has(&r, "script.lang") && has(&r, tp_type_name(type)));
  forget(&r);
  r.refuse = 1;
  CHECK(tp_profile_write(thread, keep, &r) == TP_STATE && r.size == 0);
  /* What dies goes from the profile; what is made after the stop does not come in. */
  tp_decref(thread, (tp_object*)list);
  tp_profile_stop(isolate);
  tp_profile_set_frames(isolate, NULL, NULL);
  list = node_new(thread, type, NULL);
  r.refuse = 0;
  CHECK(tp_profile_write(thread, keep, &r) == TP_OK && !has(&r, "inner_function"));
  forget(&r);
  tp_decref(thread, (tp_object*)list);
  CHECK(world_close(thread, isolate) == 0);
  tp_type_destroy(type);
  return 0;
}

int c_map_and_split(void) {
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  tp_memory_split split = tp_memory_split_init();
  tp_memory_split not_set;
  report r = {NULL, 0, 0};
  char text[6000];
  char* block;

  CHECK(thread != NULL);
  block = (char*)tp_malloc(thread, 3 << 20);
  CHECK(block != NULL);
  memset(block, 1, 3 << 20);
  CHECK(tp_heap_map_write(isolate, TP_MAP_HTML, "my heap", keep, &r) == TP_OK);
  CHECK(has(&r, "my heap") && has(&r, "</html>"));
  forget(&r);
  tp_detach(thread); /* any state */
  CHECK(tp_heap_map_write(isolate, TP_MAP_JSON, NULL, keep, &r) == TP_OK);
  CHECK(r.text[0] == '{' && has(&r, "arenas"));
  forget(&r);
  CHECK(tp_heap_map_write(isolate, 3, NULL, keep, &r) == TP_INVALID);
  r.refuse = 1;
  CHECK(tp_heap_map_write(isolate, TP_MAP_JSON, NULL, keep, &r) == TP_STATE);

  CHECK(tp_memory_split_get(isolate, &split) == TP_OK);
  CHECK(split.live_bytes >= 3 << 20 && split.live_bytes <= split.resident_bytes);
  CHECK(split.other_bytes == 0 || /* the kernel's figure lags */
        split.resident_bytes ==
        split.live_bytes + split.limbo_bytes + split.free_owned_bytes +
            split.free_abandoned_bytes + split.dormant_bytes + split.free_bytes +
            split.metadata_bytes + split.other_bytes + split.files_bytes);
  CHECK(split.peak_bytes >= split.live_bytes && split.metadata_bytes > 0);
  memset(&not_set, 0, sizeof(not_set));
  CHECK(tp_memory_split_get(isolate, &not_set) == TP_INVALID);
  CHECK(tp_stats_text(isolate, text, sizeof(text)) > 500);
  CHECK(strstr(text, "live blocks") != NULL);
  CHECK(tp_stats_text(isolate, NULL, 0) > 500);
  CHECK(tp_gc_policy(isolate, text, sizeof(text)) == 6 && strcmp(text, "manual") == 0);
  tp_attach(thread);
  tp_free(thread, block);
#if defined(__SANITIZE_ADDRESS__)
  tp_release_unused(isolate); /* freed blocks may be kept for a while */
#else
  CHECK(tp_release_unused(isolate) >= 1 << 20);
#endif
  block = (char*)tp_malloc(thread, 100); /* and goes on */
  CHECK(block != NULL);
  tp_free(thread, block);
  return world_close(thread, isolate);
}

typedef struct faults {
  int kinds[TP_FAULT_DEAD_REFERENCE + 1];
  const void* last;
} faults;

static void on_fault(const tp_fault* fault, void* arg) {
  faults* f = (faults*)arg;
  if (fault->size != sizeof(tp_fault) || fault->text == NULL) return;
  if (fault->kind >= 0 && fault->kind <= TP_FAULT_DEAD_REFERENCE) ++f->kinds[fault->kind];
  f->last = fault->pointer;
}

int c_faults(void) {
  static const char* const options[] = {"bad_free=ignore", "hardening=hardened", NULL};
  tp_isolate_config config = tp_isolate_config_init();
  tp_isolate* isolate;
  tp_thread* thread;
  faults f;
  int mine = 3;
  char* block;

  memset(&f, 0, sizeof(f));
  config.options = options;
  isolate = tp_isolate_create(&config, NULL);
  thread = tp_thread_enter(isolate, "c");
  CHECK(thread != NULL);
  tp_set_fault_handler(isolate, on_fault, &f);
  tp_free(thread, &mine);
  CHECK(f.kinds[TP_FAULT_FOREIGN] == 1 && f.last == &mine && mine == 3);
  block = (char*)tp_malloc(thread, 100);
  CHECK(block != NULL);
  tp_free(thread, block + 16);
  CHECK(f.kinds[TP_FAULT_INTERIOR] == 1);
  tp_free(thread, block);
  tp_free(thread, block);
  CHECK(f.kinds[TP_FAULT_DOUBLE_FREE] == 1 && f.last == block);
  tp_set_fault_handler(isolate, NULL, NULL);
  tp_free(thread, &mine);
  CHECK(f.kinds[TP_FAULT_FOREIGN] == 1);
  return world_close(thread, isolate);
}

typedef struct seen {
  const void* look_for;
  size_t blocks, found;
} seen;
static void see(const tp_block* block, void* arg) {
  seen* s = (seen*)arg;
  ++s->blocks;
  if (block->block == s->look_for && block->kind == TP_KIND_RAW) ++s->found;
}

int c_blocks(void) {
  enum { N = 500 };
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  void* blocks[N];
  seen s = {NULL, 0, 0};
  size_t before;
  int i;

  CHECK(thread != NULL);
  CHECK(tp_visit_blocks(thread, 1u << TP_KIND_RAW, 1, SIZE_MAX, see, &s) == TP_OK);
  before = s.blocks;
  for (i = 0; i < N; ++i) {
    blocks[i] = tp_malloc(thread, i % 2 ? 48 : 100000);
    CHECK(blocks[i] != NULL);
  }
  s.blocks = 0;
  s.look_for = blocks[N - 1];
  CHECK(tp_visit_blocks(thread, 1u << TP_KIND_RAW, 1, SIZE_MAX, see, &s) == TP_OK);
  CHECK(s.blocks == before + N && s.found == 1);
  s.blocks = 0;
  CHECK(tp_visit_blocks(thread, 1u << TP_KIND_RAW, 100000, SIZE_MAX, see, &s) == TP_OK);
  CHECK(s.blocks == N / 2);
  s.blocks = 0;
  CHECK(tp_visit_blocks(thread, 1u << TP_KIND_GC_PRE, 1, SIZE_MAX, see, &s) == TP_OK);
  CHECK(s.blocks == 0);
  for (i = 0; i < N; ++i) tp_free(thread, blocks[i]);
  return world_close(thread, isolate);
}
