// A small program's life: 50 MB in blocks of 4 KiB to 1 MiB, each written from end to end,
// then the end. How long it takes where the kernel makes huge pages of what it can is a
// matter of the allocator's advice (microsoft/mimalloc#1323); tools/bench allocator runs it
// a hundred times with each allocator preloaded.
//
// usage: first_touch
// Prints the milliseconds from the start of main to just before its end.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

namespace {

double Ms() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

}  // namespace

int main() {
  const double start = Ms();
  size_t left = 50 << 20;
  for (size_t size = 4 << 10; left >= size; size = size < (1 << 20) ? 2 * size : 4 << 10) {
    char* p = static_cast<char*>(malloc(size));
    if (p == nullptr) {
      fprintf(stderr, "first_touch: no memory\n");
      return 1;
    }
    memset(p, 1, size);
    __asm__ volatile("" : : "r"(p) : "memory");  // it is used
    left -= size;
  }
  printf("%.2f\n", Ms() - start);
  return 0;
}
