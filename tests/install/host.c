/* host LIBRARY ROUNDS: a host whose threads run already loads the library late, uses it from
 * all of them and from a thread that is not the main one first, unloads it, and loads it
 * again. Ends with status 0 if all is well; says what the process grew by, once each thread
 * has loaded it once. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tidepool/tidepool.h"

enum { kThreads = 4 };

static struct {
  void* handle;
  tp_isolate* (*create)(const tp_isolate_config*, tp_error*);
  tp_status (*destroy)(tp_isolate*, tp_error*);
  tp_thread* (*enter)(tp_isolate*, const char*);
  tp_status (*leave)(tp_thread*);
  tp_type* (*type_create)(const tp_type_def*, tp_error*);
  void (*type_destroy)(tp_type*);
  tp_object* (*make)(tp_thread*, const tp_type*, size_t);
  void (*decref)(tp_thread*, tp_object*);
  void* (*alloc)(tp_thread*, size_t);
  void (*release)(tp_thread*, void*);
  uint64_t (*collect)(tp_thread*, tp_collection*);
} api;

static const char* g_library;
static int g_rounds;
static pthread_barrier_t g_barrier;
static tp_isolate* g_isolate;
static tp_type* g_type;
static volatile int g_failed;

#define FAIL(...)                  \
  do {                             \
    fprintf(stderr, __VA_ARGS__);  \
    g_failed = 1;                  \
    exit(1);                       \
  } while (0)

static void* Symbol(const char* name) {
  void* p = dlsym(api.handle, name);
  if (p == NULL) FAIL("no %s\n", name);
  return p;
}

static void Load(void) {
  api.handle = dlopen(g_library, RTLD_NOW | RTLD_LOCAL);
  if (api.handle == NULL) FAIL("%s\n", dlerror());
  *(void**)&api.create = Symbol("tp_isolate_create");
  *(void**)&api.destroy = Symbol("tp_isolate_destroy");
  *(void**)&api.enter = Symbol("tp_thread_enter");
  *(void**)&api.leave = Symbol("tp_thread_leave");
  *(void**)&api.type_create = Symbol("tp_type_create");
  *(void**)&api.type_destroy = Symbol("tp_type_destroy");
  *(void**)&api.make = Symbol("tp_new");
  *(void**)&api.decref = Symbol("tp_decref");
  *(void**)&api.alloc = Symbol("tp_malloc");
  *(void**)&api.release = Symbol("tp_free");
  *(void**)&api.collect = Symbol("tp_collect");
  g_isolate = api.create(NULL, NULL);
  tp_type_def def = tp_type_def_init();
  def.name = "thing";
  def.instance_size = sizeof(tp_header) + 40;
  g_type = api.type_create(&def, NULL);
  if (g_isolate == NULL || g_type == NULL) FAIL("no isolate\n");
}

static int Loaded(void) {
  FILE* maps = fopen("/proc/self/maps", "r");
  char line[1024];
  int found = 0;
  const char* name = strrchr(g_library, '/') + 1;
  while (fgets(line, sizeof line, maps) != NULL) found |= strstr(line, name) != NULL;
  fclose(maps);
  return found;
}

static long ResidentKib(void) {
  FILE* file = fopen("/proc/self/statm", "r");
  long all = 0, resident = 0;
  if (fscanf(file, "%ld %ld", &all, &resident) != 2) resident = 0;
  fclose(file);
  return resident * 4;
}

static void Use(void) {
  tp_thread* thread = api.enter(g_isolate, "host thread");
  if (thread == NULL) FAIL("no thread\n");
  for (int i = 0; i < 2000; ++i) {
    tp_object* object = api.make(thread, g_type, 0);
    void* block = api.alloc(thread, (size_t)(i % 3000) + 1);
    if (object == NULL || block == NULL) FAIL("no memory\n");
    api.decref(thread, object);
    api.release(thread, block);
  }
  api.collect(thread, NULL);
  if (api.leave(thread) != TP_OK) FAIL("leave\n");
}

static void* Run(void* arg) {
  int me = (int)(size_t)arg;
  long first = 0;
  for (int round = 0; round < g_rounds; ++round) {
    if (me == round % kThreads) Load();  /* never the main thread */
    pthread_barrier_wait(&g_barrier);
    Use();
    pthread_barrier_wait(&g_barrier);
    if (me == round % kThreads) {
      if (api.destroy(g_isolate, NULL) != TP_OK) FAIL("destroy\n");
      api.type_destroy(g_type);
      if (dlclose(api.handle) != 0) FAIL("%s\n", dlerror());
      if (Loaded()) FAIL("still loaded\n");
      if (round == kThreads) first = ResidentKib();
    }
    pthread_barrier_wait(&g_barrier);
    if (me == 0 && round == g_rounds - 1 && first != 0) {  /* who read it above */
      long each = (ResidentKib() - first) / (g_rounds - 1 - kThreads);
      printf("grew by %ld KiB a round\n", each);
      if (each > 64) FAIL("leaks\n");
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  g_library = argv[1];
  g_rounds = atoi(argv[2]);
  pthread_barrier_init(&g_barrier, NULL, kThreads);
  pthread_t threads[kThreads];
  for (size_t i = 0; i < kThreads; ++i) {
    pthread_create(&threads[i], NULL, &Run, (void*)i);
  }
  for (size_t i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  puts("loaded and unloaded");
  return g_failed;
}
