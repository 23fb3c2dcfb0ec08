/* The C API from C: raw memory, delayed frees, limits, figures. */
#include <stdlib.h>

#include "tidepool/api/c_user.h"

int c_raw_memory(void) {
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  unsigned char* block;
  size_t i;

  CHECK(thread != NULL);
  block = (unsigned char*)tp_malloc(thread, 100);
  CHECK(block != NULL && (uintptr_t)block % 16 == 0 && tp_usable_size(block) >= 100);
  memset(block, 7, 100);
  block = (unsigned char*)tp_realloc(thread, block, 100000);
  CHECK(block != NULL && block[99] == 7);
  CHECK(tp_owns(isolate, block) && tp_owns(isolate, block + 50000));
  CHECK(!tp_owns(isolate, &block) && tp_usable_size(&block) == 0);
  tp_free(thread, block);
  tp_free(thread, NULL);
  block = (unsigned char*)tp_realloc(thread, NULL, 10);
  CHECK(block != NULL);
  memset(block, 255, 10);
  tp_free_anywhere(isolate, block);
  block = (unsigned char*)tp_calloc(thread, 1000, 10);
  CHECK(block != NULL);
  for (i = 0; i < 10000; ++i) CHECK(block[i] == 0);
  tp_free(thread, block);
  CHECK(tp_calloc(thread, SIZE_MAX / 4, 8) == NULL);
  CHECK(tp_malloc(thread, SIZE_MAX / 2) == NULL);
  block = (unsigned char*)tp_aligned_alloc(thread, 4096, 100);
  CHECK(block != NULL && (uintptr_t)block % 4096 == 0);
  tp_free(thread, block);
  CHECK(tp_aligned_alloc(thread, 48, 100) == NULL && tp_aligned_alloc(thread, 0, 1) == NULL);
  return world_close(thread, isolate);
}

int c_delayed_frees(void) {
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  tp_heap_stats stats = tp_heap_stats_init();
  uint64_t* block;
  uint64_t* longer;

  CHECK(thread != NULL);
  block = (uint64_t*)tp_malloc(thread, 64);
  CHECK(block != NULL);
  block[1] = 11;
  block[7] = 77;
  longer = (uint64_t*)tp_realloc_delayed(thread, block, 64, 4096, 0);
  CHECK(longer != NULL && longer != block && longer[1] == 11 && longer[7] == 77);
  /* The old one is still as readers may see it, but for its first word. */
  CHECK(block[1] == 11 && block[7] == 77);
  CHECK(tp_heap_stats_get(isolate, &stats) == TP_OK && stats.limbo_bytes >= 64);
  tp_free_delayed(thread, longer, 1);
  tp_free_delayed(thread, NULL, 1);
  tp_collect(thread, NULL); /* a stop drains everything */
  CHECK(tp_heap_stats_get(isolate, &stats) == TP_OK && stats.limbo_bytes == 0);
  return world_close(thread, isolate);
}

typedef struct cache {
  tp_thread* thread;
  void* block; /* given back when memory is short */
  int soft;
  int hard;
  uint64_t limit;
} cache;

static int on_pressure(const tp_pressure* pressure, void* arg) {
  cache* c = (cache*)arg;
  if (pressure->size != sizeof(tp_pressure)) return 0;
  if (!pressure->hard) {
    ++c->soft;
    return 0;
  }
  ++c->hard;
  c->limit = pressure->limit;
  if (c->block == NULL) return 0;
  tp_free(c->thread, c->block);
  c->block = NULL;
  return 1;
}

int c_limits(void) {
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  tp_heap_stats stats = tp_heap_stats_init();
  cache c = {NULL, NULL, 0, 0, 0};
  void* block;
  void* second;

  CHECK(thread != NULL);
  c.thread = thread;
  c.block = tp_malloc(thread, 6 << 20);
  CHECK(c.block != NULL);
  memset(c.block, 1, 6 << 20);
  tp_set_pressure_callback(isolate, on_pressure, &c);
  tp_set_soft_limit(isolate, 4 << 20);
  tp_set_hard_limit(isolate, 16 << 20);
  block = tp_malloc(thread, 8 << 20);
  CHECK(block != NULL && c.soft > 0 && c.hard == 0);
  /* Fits only because the callback gives its block back. */
  second = tp_malloc(thread, 6 << 20);
  CHECK(second != NULL && c.hard == 1 && c.block == NULL && c.limit == 16 << 20);
  /* Refused, and the isolate goes on. */
  CHECK(tp_malloc(thread, 6 << 20) == NULL && c.hard == 2);
  CHECK(tp_heap_stats_get(isolate, &stats) == TP_OK);
  CHECK(stats.limit_hits >= 1 && stats.committed_bytes <= 16 << 20);
  tp_free(thread, block);
  block = tp_malloc(thread, 6 << 20);
  CHECK(block != NULL);
  tp_free(thread, block);
  tp_free(thread, second);
  tp_set_pressure_callback(isolate, NULL, NULL);
  CHECK(tp_malloc(thread, 32 << 20) == NULL);
  tp_set_hard_limit(isolate, 0);
  block = tp_malloc(thread, 32 << 20);
  CHECK(block != NULL);
  tp_free(thread, block);
  return world_close(thread, isolate);
}

static int count_pages(const tp_page* page, void* arg) {
  uint64_t* sum = (uint64_t*)arg;
  if (page->kind != TP_KIND_GC || page->header_offset != 0) return 1;
  *sum += page->blocks;
  return 0;
}
static int first_page(const tp_page* page, void* arg) {
  (void)page;
  ++*(int*)arg;
  return 5;
}
static int count_objects(const tp_visited* seen, void* arg) {
  if (seen->block_size < sizeof(node) || seen->frozen || seen->unreachable) return 1;
  ++*(uint64_t*)arg;
  return 0;
}

int c_figures_and_walks(void) {
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  tp_type* type = node_type(NULL);
  tp_heap_stats stats = tp_heap_stats_init();
  tp_heap_stats before = tp_heap_stats_init();
  struct {
    uint32_t size;
    uint32_t version;
    uint64_t reserved;
    uint64_t not_touched;
  } small;
  char text[9000];
  char name[8];
  uint64_t n = 0;
  int calls = 0;
  int i;
  node* list = NULL;

  CHECK(tp_heap_stats_get(isolate, &before) == TP_OK);
  for (i = 0; i < 1000; ++i) {
    node* next = node_new(thread, type, NULL);
    CHECK(next != NULL);
    tp_slot_give(thread, &next->left, (tp_object*)list);
    list = next;
  }
  CHECK(tp_heap_stats_get(isolate, &stats) == TP_OK);
  CHECK(stats.kind[TP_KIND_GC].live_blocks == before.kind[TP_KIND_GC].live_blocks + 1000);
  CHECK(stats.live_bytes >= before.live_bytes + 1000 * sizeof(node));
  CHECK(stats.committed_bytes <= stats.reserved_bytes && stats.threads == 1);
  /* A caller of an earlier version gets what it has room for. */
  memset(&small, 0x55, sizeof(small));
  small.size = offsetof(tp_heap_stats, committed_bytes);
  small.version = TP_ABI_VERSION;
  CHECK(tp_heap_stats_get(isolate, (tp_heap_stats*)(void*)&small) == TP_OK);
  CHECK(small.reserved == stats.reserved_bytes);
  CHECK(small.not_touched == UINT64_C(0x5555555555555555));
  small.version = 7u << 16;
  CHECK(tp_heap_stats_get(isolate, (tp_heap_stats*)(void*)&small) == TP_INVALID);

  CHECK(tp_visit_pages(thread, 1u << TP_KIND_GC, count_pages, &n) == 0 && n >= 1000);
  CHECK(tp_visit_pages(thread, 1u << TP_KIND_GC, first_page, &calls) == 5 && calls == 1);
  n = 0;
  CHECK(tp_visit_objects(thread, count_objects, &n) == 0 && n == 1000);

  CHECK(tp_stats_json(isolate, text, sizeof(text)) > 100);
  CHECK(strstr(text, "\"heap\"") != NULL && strstr(text, "\"gc\"") != NULL);
  CHECK(tp_stats_json(isolate, text, 5) > 100 && strlen(text) == 4);
  CHECK(tp_stats_json(isolate, NULL, 0) > 100);
  CHECK(tp_isolate_option(isolate, "gc_policy", name, sizeof(name)) == 6);
  CHECK(strcmp(name, "manual") == 0);
  CHECK(tp_isolate_option(isolate, "no_such", name, sizeof(name)) == 0 && name[0] == 0);
  CHECK(tp_option_help(text, sizeof(text)) > 1000 && strstr(text, "max_memory") != NULL);

  tp_decref(thread, (tp_object*)list);
  tp_purge(isolate);
  CHECK(tp_heap_stats_get(isolate, &stats) == TP_OK);
  CHECK(stats.kind[TP_KIND_GC].live_blocks == before.kind[TP_KIND_GC].live_blocks);
  CHECK(world_close(thread, isolate) == 0);
  tp_type_destroy(type);
  return 0;
}

static uint64_t collections(tp_isolate* isolate) {
  tp_gc_totals totals = tp_gc_totals_init();
  return tp_gc_totals_get(isolate, &totals) == TP_OK ? totals.collections : 999;
}

int c_external_memory(void) {
  tp_isolate* isolate = tp_isolate_create(NULL, NULL);
  tp_thread* thread = tp_thread_enter(isolate, "c");
  tp_heap_stats stats = tp_heap_stats_init();
  uint64_t before;
  int i;

  CHECK(thread != NULL);
  tp_report_external(isolate, 1 << 10);
  tp_safepoint(thread);
  CHECK(collections(isolate) == 0);
  /* It grows and grows: the default policy collects, and again when it has doubled. */
  for (i = 0; i < 256 && collections(isolate) < 2; ++i) {
    if (i % 2) tp_detach(thread);
    tp_report_external(isolate, 1 << 20); /* detached, as by a foreign thread */
    if (i % 2) tp_attach(thread);
    tp_safepoint(thread);
  }
  CHECK(collections(isolate) == 2 && i >= 4);
  CHECK(tp_heap_stats_get(isolate, &stats) == TP_OK);
  CHECK(stats.external_bytes == (1u << 10) + ((uint64_t)i << 20));
  tp_report_external(isolate, -((int64_t)1 << 40));
  CHECK(tp_heap_stats_get(isolate, &stats) == TP_OK && stats.external_bytes == 0);
  tp_gc_disable(isolate);
  tp_report_external(isolate, 1 << 30);
  tp_safepoint(thread);
  CHECK(collections(isolate) == 2);
  tp_report_external(isolate, -(1 << 30));
  tp_gc_enable(isolate);

  before = collections(isolate);
  tp_report_pressure(isolate, TP_PRESSURE_MODERATE);
  tp_safepoint(thread);
  CHECK(collections(isolate) == before);
  tp_report_pressure(isolate, TP_PRESSURE_CRITICAL);
  tp_safepoint(thread);
  CHECK(collections(isolate) == before + 1);
  return world_close(thread, isolate);
}

int c_bad_frees(void) {
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  tp_heap_stats stats = tp_heap_stats_init();
  int on_the_stack[4] = {1, 2, 3, 4};
  static char somewhere[64];
  char* block = (char*)tp_malloc(thread, 1000);

  CHECK(block != NULL);
  memset(block, 3, 1000);
  tp_free(thread, on_the_stack);
  tp_free(thread, somewhere);
  tp_free(thread, block + 16); /* inside a block */
  tp_free_anywhere(isolate, somewhere + 1);
  CHECK(tp_realloc(thread, somewhere, 100) == NULL);
  tp_free_delayed(thread, somewhere, 0);
  CHECK(tp_heap_stats_get(isolate, &stats) == TP_OK && stats.bad_frees >= 4);
  CHECK(on_the_stack[3] == 4 && block[999] == 3);
  tp_free(thread, block);
  return world_close(thread, isolate);
}

/* Memory from the embedder: one region, then callbacks that count. */
typedef struct supply {
  size_t reserved;
  size_t limit;
  int reserves, releases;
} supply;

static void* supply_reserve(void* arg, size_t size, size_t alignment) {
  supply* s = (supply*)arg;
  void* memory;
  if (s->reserved + size > s->limit) return NULL;
  memory = aligned_alloc(alignment < 4096 ? 4096 : alignment, size);
  if (memory == NULL) return NULL;
  memset(memory, 0, size);
  s->reserved += size;
  ++s->reserves;
  return memory;
}
static int supply_release(void* arg, void* address, size_t size) {
  supply* s = (supply*)arg;
  s->reserved -= size;
  ++s->releases;
  free(address);
  return 1;
}

static int fill_and_empty(tp_isolate* isolate) {
  tp_thread* thread = tp_thread_enter(isolate, "c");
  tp_type* type = node_type(NULL);
  node* list = NULL;
  int made = 0;
  int died = 0;
  CHECK(thread != NULL);
  for (;;) {
    node* next = (node*)tp_new(thread, type, 1000);
    if (next == NULL) break; /* the source has no more */
    next->died = &died;
    tp_slot_give(thread, &next->left, (tp_object*)list);
    list = next;
    CHECK(tp_owns(isolate, next));
    CHECK(++made < 100000);
  }
  CHECK(made > 1000);
  tp_decref(thread, (tp_object*)list);
  CHECK(died == made);
  tp_collect(thread, NULL); /* now empty pages may take blocks of another size */
  list = node_new(thread, type, &died); /* and goes on */
  CHECK(list != NULL);
  tp_decref(thread, (tp_object*)list);
  CHECK(world_close(thread, isolate) == 0);
  tp_type_destroy(type);
  return 0;
}

int c_memory_of_ones_own(void) {
  enum { REGION = 12 << 20 };
  char* region = (char*)malloc(REGION);
  tp_isolate_config config = tp_isolate_config_init();
  tp_page_source source = tp_page_source_init();
  supply s = {0, 40u << 20, 0, 0};
  tp_error error;
  tp_isolate* isolate;
  int line;

  CHECK(region != NULL);
  config.region = region;
  config.region_size = 4096;
  CHECK(tp_isolate_create(&config, &error) == NULL && strstr(error.text, "small") != NULL);
  config.region_size = REGION;
  config.pages = &source;
  CHECK(tp_isolate_create(&config, &error) == NULL && strstr(error.text, "both") != NULL);
  config.pages = NULL;
  isolate = tp_isolate_create(&config, &error);
  CHECK(isolate != NULL);
  line = fill_and_empty(isolate);
  if (line != 0) return line;
  memset(region, 1, REGION); /* ours again */
  free(region);

  config.region = NULL;
  config.pages = &source;
  CHECK(tp_isolate_create(&config, &error) == NULL && strstr(error.text, "reserve") != NULL);
  source.reserve = supply_reserve;
  source.release = supply_release;
  source.arg = &s;
  isolate = tp_isolate_create(&config, &error);
  CHECK(isolate != NULL);
  line = fill_and_empty(isolate);
  if (line != 0) return line;
  CHECK(s.reserves > 2 && s.reserved == 0 && s.releases == s.reserves);
  return 0;
}
