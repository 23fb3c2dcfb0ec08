/* The C API from C: heaps as things. */
#include <pthread.h>

#include "tidepool/api/c_user.h"

typedef struct tenant {
  tp_isolate* isolate;
  tp_heap heap;
  void* blocks[100];
} tenant;

/* Fills the heap, and ends without letting go. */
static void* fill(void* arg) {
  tenant* t = (tenant*)arg;
  tp_thread* thread = tp_thread_enter(t->isolate, "tenant");
  tp_hold hold;
  int i;
  if (thread == NULL || tp_heap_take(t->heap, thread, &hold) != TP_OK) return arg;
  for (i = 0; i < 100; ++i) {
    t->blocks[i] = tp_hold_malloc(&hold, (size_t)(i + 1) * 100);
    if (t->blocks[i] == NULL) return arg;
    memset(t->blocks[i], i, (size_t)(i + 1) * 100);
  }
  return tp_thread_leave(thread) == TP_OK ? NULL : arg;
}
static void* join(void* arg) {
  void* result;
  return pthread_join(*(pthread_t*)arg, &result) == 0 ? result : arg;
}

int c_heaps(void) {
  tp_isolate* isolate;
  tp_thread* thread = world_open(&isolate);
  tp_heap_limits limits = tp_heap_limits_init();
  tp_heap_limits no_limits;
  tp_heap_figures figures = tp_heap_figures_init();
  tp_heap_figures not_set;
  tp_heap heap;
  tp_heap none;
  tp_hold hold;
  tp_hold second;
  tenant t;
  pthread_t other;
  unsigned char* block;
  size_t purged = 0;

  memset(&no_limits, 0, sizeof(no_limits));
  CHECK(tp_heap_create(isolate, &no_limits, &heap) == TP_INVALID && !tp_heap_is_alive(heap));
  limits.max_live = 1 << 20;
  CHECK(tp_heap_create(isolate, &limits, &heap) == TP_OK && tp_heap_is_alive(heap));
  CHECK(tp_heap_set_limits(heap, &no_limits) == TP_INVALID);
  CHECK(tp_heap_take(heap, thread, &hold) == TP_OK && tp_hold_is_valid(&hold));
  CHECK(tp_heap_try_take(heap, thread, &second) == TP_BUSY);
  block = (unsigned char*)tp_hold_malloc(&hold, 100);
  CHECK(block != NULL && tp_heap_equal(tp_heap_of(block), heap));
  none = tp_heap_of(&block);
  CHECK(!tp_heap_is_alive(none) && !tp_heap_equal(none, heap));
  memset(block, 9, 100);
  block = (unsigned char*)tp_hold_realloc(&hold, block, 10000);
  CHECK(block != NULL && block[99] == 9);
  CHECK(tp_heap_figures_get(heap, &figures) == TP_OK);
  CHECK(figures.live_blocks == 1 && figures.live_bytes >= 10000);
  memset(&not_set, 0, sizeof(not_set));
  CHECK(tp_heap_figures_get(heap, &not_set) == TP_INVALID);
  /* Its own limit. */
  CHECK(tp_hold_malloc(&hold, 2 << 20) == NULL && tp_hold_is_valid(&hold));
  limits.max_live = 8 << 20;
  CHECK(tp_heap_set_limits(heap, &limits) == TP_OK);
  tp_hold_free(&hold, tp_hold_malloc(&hold, 2 << 20));
  tp_hold_free(&hold, tp_hold_realloc(&hold, NULL, 64));
  tp_hold_free(&hold, NULL);
  CHECK(tp_hold_calloc(&hold, SIZE_MAX / 2, 4) == NULL);
  block = (unsigned char*)tp_hold_calloc(&hold, 10, 10);
  CHECK(block != NULL && block[0] == 0 && block[99] == 0);
  tp_free(thread, block); /* as any block */
  block = (unsigned char*)tp_hold_aligned_alloc(&hold, 1024, 100);
  CHECK(block != NULL && (uintptr_t)block % 1024 == 0);
  CHECK(tp_hold_aligned_alloc(&hold, 3, 100) == NULL);
  CHECK(tp_heap_reset(heap) == TP_OK && tp_heap_reset_peaks(heap) == TP_OK);
  CHECK(tp_heap_figures_get(heap, &figures) == TP_OK && figures.live_blocks == 0);
  CHECK(tp_hold_malloc(&hold, 100) != NULL); /* the hold stays */
  tp_hold_release(&hold);
  CHECK(!tp_hold_is_valid(&hold) && tp_hold_malloc(&hold, 100) == NULL);
  CHECK(tp_heap_purge(heap, &purged) == TP_OK);

  /* Another thread's, which has gone: given to this one, then destroyed. */
  t.isolate = isolate;
  t.heap = heap;
  CHECK(tp_heap_reset(heap) == TP_OK);
  CHECK(pthread_create(&other, NULL, fill, &t) == 0);
  CHECK(tp_blocking_call(thread, join, &other) == NULL);
  CHECK(tp_heap_figures_get(heap, &figures) == TP_OK && figures.live_blocks == 100);
  CHECK(((unsigned char*)t.blocks[99])[9999] == 99);
  CHECK(tp_heap_take(heap, thread, &hold) == TP_OK);
  tp_hold_free(&hold, t.blocks[50]);
  tp_free_anywhere(isolate, t.blocks[51]);
  CHECK(tp_heap_figures_get(heap, &figures) == TP_OK && figures.live_blocks == 98);
  CHECK(tp_heap_destroy(heap) == TP_OK);
  CHECK(!tp_heap_is_alive(heap) && !tp_hold_is_valid(&hold));
  CHECK(tp_heap_destroy(heap) == TP_NOT_FOUND && tp_heap_reset(heap) == TP_NOT_FOUND);
  CHECK(tp_heap_take(heap, thread, &hold) == TP_NOT_FOUND);
  CHECK(tp_heap_try_take(heap, thread, &hold) == TP_NOT_FOUND);
  CHECK(tp_heap_figures_get(heap, &figures) == TP_NOT_FOUND);
  CHECK(tp_heap_purge(heap, NULL) == TP_NOT_FOUND);
  CHECK(tp_heap_set_limits(heap, &limits) == TP_NOT_FOUND);
  return world_close(thread, isolate);
}
