// A program with malloc only, for heaptrack: fills a table of blocks, gives most back.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

void* table[2000];

__attribute__((noinline)) void* MakeForHeaptrack(size_t size) {
  void* block = malloc(size);
  if (block != nullptr) memset(block, 1, size);
  return block;
}

}  // namespace

int main() {
  for (int i = 0; i < 2000; ++i) table[i] = MakeForHeaptrack(1000);
  for (int i = 0; i < 1900; ++i) free(table[i]);
  // Whose malloc is it?
  FILE* maps = fopen("/proc/self/maps", "r");
  if (maps == nullptr) return 1;
  char line[1024];
  bool ours = false;
  while (fgets(line, sizeof line, maps) != nullptr) {
    ours |= strstr(line, "libtidepool_malloc.so") != nullptr;
  }
  fclose(maps);
  printf("tidepool %s\n", ours ? "loaded" : "missing");
  return 0;
}
