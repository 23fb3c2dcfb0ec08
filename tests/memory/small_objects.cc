// Nanoseconds per small block through malloc and free, in seven patterns; what
// tools/bench allocator runs with each allocator preloaded.
//
// usage: small_objects [--lib PATH --alloc SYM --free SYM] [--quick]
//   With --lib, functions of that shared object: void* SYM(size_t), void SYM(void*).
//   Every block has its first and last words written, as an object's would be.
// Prints key=value words.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <unistd.h>

typedef void* (*alloc_fn)(size_t);
typedef void (*free_fn)(void*);
static alloc_fn A; static free_fn F;
static double now() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
static double cpu() { timespec t; clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); return t.tv_sec + t.tv_nsec * 1e-9; }
static inline void* get(size_t n) {
  char* p = (char*)A(n);
  *(volatile uint64_t*)p = 1; *(volatile uint64_t*)(p + n - 8) = 2;
  return p;
}
static double status_mib(const char* key) {
  static char buf[8192];
  int fd = open("/proc/self/status", O_RDONLY);
  ssize_t n = read(fd, buf, sizeof buf - 1); close(fd);
  buf[n > 0 ? n : 0] = 0;
  const char* p = strstr(buf, key);
  return p ? strtod(p + strlen(key) + 1, nullptr) / 1024 : -1;
}
static uint64_t rng = 88172645463325252ull;
static inline uint64_t rnd() { rng ^= rng << 13; rng ^= rng >> 7; rng ^= rng << 17; return rng; }

template <class Fn> static double best_of(int k, Fn fn) {  // thread CPU-ish: minimum of k wall times
  double b = 1e9;
  for (int i = 0; i < k; i++) { double t = now(); fn(); t = now() - t; if (t < b) b = t; }
  return b;
}
static double lifo(size_t n, long iters) {
  return best_of(5, [&] { for (long i = 0; i < iters; i++) F(get(n)); }) / iters * 1e9;
}
static double batch(size_t n, long rounds, int B, bool fifo) {
  void* v[1000];
  return best_of(5, [&] {
    for (long r = 0; r < rounds; r++) {
      for (int i = 0; i < B; i++) v[i] = get(n);
      if (fifo) for (int i = 0; i < B; i++) F(v[i]); else for (int i = B; i-- > 0;) F(v[i]);
    }
  }) / (rounds * (double)B) * 1e9;
}
static double random_free(size_t n, int N, int rounds, double* free_ns) {
  void** v = (void**)malloc(sizeof(void*) * N);
  uint32_t* perm = (uint32_t*)malloc(4 * N);
  for (int i = 0; i < N; i++) perm[i] = i;
  for (int i = N - 1; i > 0; i--) { int j = rnd() % (i + 1); uint32_t t = perm[i]; perm[i] = perm[j]; perm[j] = t; }
  double ba = 1e9, bf = 1e9;
  for (int r = 0; r < rounds; r++) {
    double t = now();
    for (int i = 0; i < N; i++) v[i] = get(n);
    double t1 = now();
    for (int i = 0; i < N; i++) F(v[perm[i]]);
    double t2 = now();
    if (t1 - t < ba) ba = t1 - t;
    if (t2 - t1 < bf) bf = t2 - t1;
  }
  free(v); free(perm);
  *free_ns = bf / N * 1e9;
  return ba / N * 1e9;
}
// steady state: a window of N live blocks of mixed 16..128-byte sizes, replace one at random
static double churn(int N, long iters) {
  void** v = (void**)malloc(sizeof(void*) * N);
  for (int i = 0; i < N; i++) v[i] = get(16 + rnd() % 8 * 16);
  double t = best_of(3, [&] { for (long i = 0; i < iters; i++) { uint64_t r = rnd(); int k = r % N; F(v[k]); v[k] = get(16 + (r >> 40) % 8 * 16); } });
  for (int i = 0; i < N; i++) F(v[i]);
  free(v);
  return t / iters * 1e9;
}
// producer/consumer through a single-producer ring of R slots
enum { R = 1024 };
static std::atomic<void*> ring[R];
static long xn; static size_t xsize; static bool xfloor = false;  // xfloor: pass one block round, no malloc/free
static void* consumer(void*) {
  for (long i = 0; i < xn; i++) {
    void* p; int spins = 0;
    while (!(p = ring[i % R].load(std::memory_order_acquire))) if (++spins > 200) { sched_yield(); spins = 0; }
    ring[i % R].store(nullptr, std::memory_order_release);
    if (!xfloor) F(p); else *(volatile uint64_t*)p;
  }
  return nullptr;
}
static void xthread(size_t n, long iters, double* wall, double* cpu_ns) {
  *wall = 1e9; *cpu_ns = 1e9;
  static char own[R * 2][64];
  for (int k = 0; k < 5; k++) {
    xn = iters; xsize = n;
    double c = cpu(), t = now();
    pthread_t th; pthread_create(&th, nullptr, consumer, nullptr);
    for (long i = 0; i < iters; i++) {
      void* p; int spins = 0;
      if (xfloor) { p = own[i % (R * 2)]; *(volatile uint64_t*)p = 1; } else p = get(n);
      while (ring[i % R].load(std::memory_order_acquire)) if (++spins > 200) { sched_yield(); spins = 0; }
      ring[i % R].store(p, std::memory_order_release);
    }
    pthread_join(th, nullptr);
    t = (now() - t) / iters * 1e9; c = (cpu() - c) / iters * 1e9;
    if (t < *wall) *wall = t;
    if (c < *cpu_ns) *cpu_ns = c;
  }
}
// batches of B blocks made by one thread and freed all at once by the other (no ring contention)
static void* batch_v[20000]; static std::atomic<int> phase{0}; static int rounds_x;
static void* batch_consumer(void*) {
  for (int r = 0; r < rounds_x; r++) {
    while (phase.load(std::memory_order_acquire) != 2 * r + 1) sched_yield();
    for (int i = 0; i < 20000; i++) F(batch_v[i]);
    phase.store(2 * r + 2, std::memory_order_release);
  }
  return nullptr;
}
static double xbatch(size_t n, int rounds, double* alloc_ns, double* free_ns) {
  rounds_x = rounds; phase = 0;
  pthread_t th; pthread_create(&th, nullptr, batch_consumer, nullptr);
  double ba = 1e9, bf = 1e9;
  for (int r = 0; r < rounds; r++) {
    double t = now();
    for (int i = 0; i < 20000; i++) batch_v[i] = get(n);
    double t1 = now();
    phase.store(2 * r + 1, std::memory_order_release);
    while (phase.load(std::memory_order_acquire) != 2 * r + 2) sched_yield();
    double t2 = now();
    if (r > 2 && t1 - t < ba) ba = t1 - t;
    if (r > 2 && t2 - t1 < bf) bf = t2 - t1;
  }
  pthread_join(th, nullptr);
  *alloc_ns = ba / 20000 * 1e9; *free_ns = bf / 20000 * 1e9;
  return *alloc_ns + *free_ns;
}
int main(int argc, char** argv) {
  const char *lib = nullptr, *as = "malloc", *fs = "free"; int div = 1;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--lib") && i + 1 < argc) lib = argv[++i];
    else if (!strcmp(argv[i], "--alloc") && i + 1 < argc) as = argv[++i];
    else if (!strcmp(argv[i], "--free") && i + 1 < argc) fs = argv[++i];
    else if (!strcmp(argv[i], "--quick")) div = 10;
  }
  void* h = RTLD_DEFAULT;
  if (lib && !(h = dlopen(lib, RTLD_NOW | RTLD_GLOBAL))) { fprintf(stderr, "%s\n", dlerror()); return 2; }
  A = (alloc_fn)dlsym(h, as); F = (free_fn)dlsym(h, fs);
  if (!A || !F) { fprintf(stderr, "symbol not found\n"); return 2; }
  printf("lifo48=%.3f lifo64=%.3f ", lifo(48, 20000000 / div), lifo(64, 20000000 / div));
  printf("fifo1000_48=%.3f fifo1000_64=%.3f lifo1000_64=%.3f ", batch(48, 10000 / div, 1000, true), batch(64, 10000 / div, 1000, true), batch(64, 10000 / div, 1000, false));
  double fr, al = random_free(64, 100000, 30, &fr);
  printf("rand100k_alloc=%.3f rand100k_free=%.3f ", al, fr);
  printf("churn100k=%.3f ", churn(100000, 3000000 / div));
  fflush(stdout);
  double w, c;
  xthread(64, 2000000 / div, &w, &c);
  printf("xring64=%.2f xring64_cpu=%.2f ", w, c);
  xfloor = true; xthread(64, 2000000 / div, &w, &c); xfloor = false;
  printf("xring_floor=%.2f ", w);
  double ba, bf; xbatch(64, 60, &ba, &bf);
  printf("xbatch_alloc=%.2f xbatch_free=%.2f peak_mib=%.1f\n", ba, bf, status_mib("VmHWM"));
}
