/* Frees, or resizes, what is no block, in the way that the argument names, and then
 * shows that the allocator still works. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void (*volatile p_free)(void*) = free;
static void* (*volatile p_realloc)(void*, size_t) = realloc;
static void* (*volatile p_malloc)(size_t) = malloc;
static char g_static[100];

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "";
  char on_stack[64];
  char* block = p_malloc(1000);
  memset(block, 1, 1000);
  if (strcmp(mode, "static") == 0) {
    p_free(g_static + 32);
  } else if (strcmp(mode, "stack") == 0) {
    p_free(on_stack);
  } else if (strcmp(mode, "inside") == 0) {
    p_free(block + 48);
  } else if (strcmp(mode, "page") == 0) {
    p_free(mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  } else if (strcmp(mode, "realloc") == 0) {
    if (p_realloc(g_static, 500) != NULL) return 3;
  } else if (strcmp(mode, "low") == 0) {
    p_free((void*)(uintptr_t)0x10);
    p_free((void*)~(uintptr_t)0xff);
  } else {
    return 2;
  }
  for (int i = 0; i < 1000; ++i) p_free(p_malloc((size_t)i * 7));
  for (int i = 0; i < 1000; ++i) {
    if (block[i] != 1) return 4;
  }
  p_free(block);
  puts("went on");
  return 0;
}
