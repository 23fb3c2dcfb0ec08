/* puddle [--figures] SCRIPT...: runs the scripts in one isolate, then checks that nothing is
 * left. Options of tidepool come from the environment (TIDEPOOL_<NAME>). Exit status: 0; 1: an
 * error in a script; 2: cannot start; 3: something leaked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../puddle.h"

static void make_words(context* cx) {
  puddle* vm = cx->vm;
  struct {
    object** where;
    const char* name;
  } words[] = {{&vm->quote, "quote"},   {&vm->if_, "if"},   {&vm->define, "define"},
               {&vm->fn, "fn"},         {&vm->let, "let"},  {&vm->letrec, "letrec"},
               {&vm->do_, "do"},        {&vm->set, "set!"}, {&vm->and_, "and"},
               {&vm->or_, "or"},        {&vm->try_, "try"}, {&vm->while_, "while"},
               {&vm->t, "t"}};
  for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); ++i) {
    *words[i].where = intern(cx, words[i].name, strlen(words[i].name));
  }
  vm->no_memory = new_string(cx, "out of memory", 13);
  tp_set_immortal(cx->thread, (tp_object*)vm->no_memory);
  ++vm->immortals;
  for (const builtin* b = kBuiltins; b->name != NULL; ++b) add_builtin(cx, b);
  for (const builtin* b = kTaskBuiltins; b->name != NULL; ++b) add_builtin(cx, b);
}

__attribute__((noinline)) static char* read_file(const char* path) {
  FILE* file = fopen(path, "rb");
  if (file == NULL) return NULL;
  size_t used = 0, size = 1 << 16;
  char* text = malloc(size);
  while (text != NULL) {
    used += fread(text + used, 1, size - used - 1, file);
    if (used < size - 1) break;
    text = realloc(text, size *= 2);
  }
  fclose(file);
  if (text != NULL) text[used] = 0;
  return text;
}

static void run_all(context* cx, const char* text) {
  tp_value expression;
  for (;;) {
    tp_scope scope;
    tp_scope_open(cx->thread, &scope);
    int more = read_next(cx, &text, &expression);
    if (more) {
      hold(cx, expression);
      tp_value_decref(cx->thread, eval(cx, expression, 0));
    }
    tp_scope_close(cx->thread, &scope);
    if (!more) return;
  }
}

/* 0: all went well. */
static int run_script(context* cx, const char* path) {
  char* text = read_file(path);
  handler h;
  if (text == NULL) {
    fprintf(stderr, "puddle: cannot read %s\n", path);
    return 1;
  }
  memset(&h, 0, sizeof(h));
  tp_mark_set(cx->thread, &h.mark);
  cx->handler = &h;
  cx->depth = 0;
  volatile int failed = 0;
  if (setjmp(h.jump) == 0) {
    run_all(cx, text);
  } else {
    failed = 1;
    fprintf(stderr, "%s: error: %s\n", path, ((string*)cx->error)->text);
    tp_value_decref(cx->thread, cx->error);
    cx->error = 0;
  }
  cx->handler = NULL;
  free(text);
  return failed;
}

/* Everything must be gone but the symbols and builtins. */
static int check_leaks(context* cx, int figures) {
  tp_heap_stats stats = tp_heap_stats_init();
  tp_gc_totals totals = tp_gc_totals_init();
  tp_error error;
  while (tp_collect(cx->thread, NULL) != 0) {
  }
  tp_safepoint(cx->thread);
  tp_heap_stats_get(cx->vm->isolate, &stats);
  tp_gc_totals_get(cx->vm->isolate, &totals);
  uint64_t left = stats.kind[TP_KIND_GC].live_blocks + stats.kind[TP_KIND_OBJECT].live_blocks;
  if (figures) {
    printf("collections %llu, collected %llu, left %llu, for ever %zu\n",
           (unsigned long long)totals.collections, (unsigned long long)totals.collected,
           (unsigned long long)left, cx->vm->immortals);
  }
  if (tp_check_invariants(cx->thread, &error) != 0) {
    fprintf(stderr, "puddle: %s\n", error.text);
    return 1;
  }
  if (left == cx->vm->immortals && stats.kind[TP_KIND_RAW].live_blocks == 0 &&
      stats.handles == 0 && stats.limbo_bytes == 0) {
    return 0;
  }
  fprintf(stderr, "puddle: leaked: %llu objects, %llu raw blocks, %llu handles\n",
          (unsigned long long)(left - cx->vm->immortals),
          (unsigned long long)stats.kind[TP_KIND_RAW].live_blocks,
          (unsigned long long)stats.handles);
  return 1;
}

int main(int argc, char** argv) {
  puddle vm;
  tp_error error;
  tp_isolate_config config = tp_isolate_config_init();
  config.use_environment = 1;
  config.data = &vm;
  tp_isolate* isolate = tp_isolate_create(&config, &error);
  if (isolate == NULL) {
    fprintf(stderr, "puddle: %s\n", error.text);
    return 2;
  }
  tp_thread* thread = tp_thread_enter(isolate, "main");
  if (thread == NULL || !puddle_init(&vm, isolate)) {
    fprintf(stderr, "puddle: no memory to start\n");
    return 2;
  }
  context cx = {thread, &vm, NULL, 0, 0};
  tp_scope scope;
  tp_scope_open(thread, &scope);
  make_words(&cx);
  tp_scope_close(thread, &scope);
  int figures = argc > 1 && strcmp(argv[1], "--figures") == 0;
  int failed = 0;
  for (int i = 1 + figures; i < argc; ++i) failed |= run_script(&cx, argv[i]);
  tp_detach(thread);
  join_all_tasks();
  tp_attach(thread);
  puddle_end(&vm, thread);
  int leaked = check_leaks(&cx, figures);
  tp_thread_leave(thread);
  if (tp_isolate_destroy(isolate, &error) != TP_OK) {
    fprintf(stderr, "puddle: %s\n", error.text);
    return 3;
  }
  puddle_done(&vm);
  return leaked ? 3 : failed;
}
