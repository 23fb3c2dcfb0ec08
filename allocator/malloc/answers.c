/* Asks the malloc family what it answers at the edges, and prints the answers.
 *
 * The same program on glibc's malloc and on tidepool's must print the same
 * (conformance_test.cc). So nothing is printed that standards leave open and glibc does
 * not promise: addresses, sizes beyond what was asked for. */
#define _GNU_SOURCE
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Through pointers that the compiler knows nothing of. */
static void* (*volatile p_malloc)(size_t) = malloc;
static void (*volatile p_free)(void*) = free;
static void* (*volatile p_calloc)(size_t, size_t) = calloc;
static void* (*volatile p_realloc)(void*, size_t) = realloc;
static void* (*volatile p_reallocarray)(void*, size_t, size_t) = reallocarray;
static int (*volatile p_posix_memalign)(void**, size_t, size_t) = posix_memalign;
static void* (*volatile p_aligned_alloc)(size_t, size_t) = aligned_alloc;
static void* (*volatile p_memalign)(size_t, size_t) = memalign;
static void* (*volatile p_valloc)(size_t) = valloc;
static void* (*volatile p_pvalloc)(size_t) = pvalloc;

static const char* ErrnoName(int e) {
  switch (e) {
    case 0: return "0";
    case ENOMEM: return "ENOMEM";
    case EINVAL: return "EINVAL";
    default: return strerror(e);
  }
}

/* "block", aligned and usable as asked for, or what is wrong; then errno. */
static void Say(const char* what, void* p, size_t size, size_t align) {
  int e = errno;
  const char* answer = "block";
  if (p == NULL) {
    answer = "null";
  } else if ((uintptr_t)p % align != 0) {
    answer = "NOT ALIGNED";
  } else if (malloc_usable_size(p) < size) {
    answer = "TOO SMALL";
  } else {
    memset(p, 0x5a, size);
  }
  printf("%s: %s", what, answer);
  if (p == NULL) printf(" errno %s", ErrnoName(e));
  printf("\n");
  p_free(p);
}

#define SAY(call, size, align)    \
  do {                            \
    errno = 0;                    \
    void* say_p = (call);         \
    Say(#call, say_p, size, align); \
  } while (0)

static int IsZero(const char* p, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    if (p[i] != 0) return 0;
  }
  return 1;
}

static int IsFilled(const char* p, size_t size, char value) {
  for (size_t i = 0; i < size; ++i) {
    if (p[i] != value) return 0;
  }
  return 1;
}

static void Sizes(void) {
  const size_t half = SIZE_MAX / 2;
  SAY(p_malloc(0), 0, 16);
  SAY(p_malloc(1), 1, 16);
  SAY(p_malloc(24), 24, 16);
  SAY(p_malloc(100000), 100000, 16);
  SAY(p_malloc(5 << 20), 5 << 20, 16);
  SAY(p_malloc(half), 0, 16);
  SAY(p_malloc(half + 1), 0, 16);
  SAY(p_malloc(SIZE_MAX), 0, 16);
  SAY(p_malloc(SIZE_MAX - 8), 0, 16);
  SAY(p_calloc(0, 0), 0, 16);
  SAY(p_calloc(0, 8), 0, 16);
  SAY(p_calloc(1000, 1000), 1000000, 16);
  SAY(p_calloc(half, 3), 0, 16);
  SAY(p_calloc((size_t)1 << 32, (size_t)1 << 32), 0, 16);
  SAY(p_calloc(SIZE_MAX, 1), 0, 16);
  SAY(p_realloc(NULL, 0), 0, 16);
  SAY(p_realloc(NULL, 100), 100, 16);
  SAY(p_reallocarray(NULL, 10, 10), 100, 16);
  SAY(p_reallocarray(NULL, half, 3), 0, 16);
  SAY(p_reallocarray(NULL, 0, 10), 0, 16);
  /* Two blocks of size 0 are two. */
  void* a = p_malloc(0);
  void* b = p_malloc(0);
  printf("two empty blocks differ: %d\n", a != b);
  p_free(a);
  p_free(b);
}

static void Alignments(void) {
  for (size_t align = 1; align <= (size_t)1 << 21; align *= 2) {
    for (size_t size = 0; size <= 300000; size = size * 9 + 1) {
      void* p = (void*)1;
      int rc = p_posix_memalign(&p, align, size);
      printf("posix_memalign %zu %zu: %s", align, size, ErrnoName(rc));
      if (rc != 0) {
        printf(" out %s\n", p == (void*)1 ? "kept" : "CHANGED");
        continue;
      }
      printf(" aligned %d room %d\n", (uintptr_t)p % align == 0,
             malloc_usable_size(p) >= size);
      memset(p, 1, size);
      p = p_realloc(p, size + 5000);
      printf(" kept %d\n", IsFilled(p, size, 1));
      p_free(p);
    }
  }
  static const size_t odd[] = {0, 3, 9, 12, 17, 24, 48, 100, SIZE_MAX, SIZE_MAX / 2 + 1};
  for (size_t i = 0; i < sizeof odd / sizeof odd[0]; ++i) {
    void* p = (void*)1;
    errno = 0;
    int rc = p_posix_memalign(&p, odd[i], 64);
    /* A power of two that no memory can have is ENOMEM. */
    printf("posix_memalign odd %zu: %s out %s\n", odd[i], ErrnoName(rc),
           p == (void*)1 ? "kept" : "CHANGED");
  }
  void* out = (void*)1;
  printf("posix_memalign huge: %s out %s\n",
         ErrnoName(p_posix_memalign(&out, 64, SIZE_MAX - 100)),
         out == (void*)1 ? "kept" : "CHANGED");
  SAY(p_memalign(0, 10), 10, 16);
  SAY(p_memalign(1, 10), 10, 16);
  SAY(p_memalign(24, 100), 100, 32);
  SAY(p_memalign(3000, 100), 100, 4096);
  SAY(p_memalign(SIZE_MAX, 1), 1, 1);
  SAY(p_memalign(SIZE_MAX / 2 + 1, 1), 1, 1);
  SAY(p_memalign(64, SIZE_MAX - 10), 1, 1);
  SAY(p_memalign(1 << 21, 1 << 21), 1 << 21, 1 << 21);
  SAY(p_aligned_alloc(64, 64), 64, 64);
  SAY(p_aligned_alloc(64, 100), 100, 64);
  SAY(p_aligned_alloc(8, 1), 1, 8);
  SAY(p_aligned_alloc(64, SIZE_MAX), 1, 1);
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  SAY(p_valloc(0), 0, page);
  SAY(p_valloc(100), 100, page);
  SAY(p_valloc(SIZE_MAX), 0, page);
  SAY(p_pvalloc(0), 0, page);
  SAY(p_pvalloc(1), page, page);
  SAY(p_pvalloc(page + 1), 2 * page, page);
  SAY(p_pvalloc(SIZE_MAX), 0, page);
}

static void Contents(void) {
  /* calloc over memory that was dirty. */
  int zero = 1;
  for (int round = 0; round < 3; ++round) {
    for (size_t size = 1; size < (size_t)1 << 22; size = size * 3 + 1) {
      char* p = p_malloc(size);
      memset(p, 0xff, size);
      p_free(p);
      p = p_calloc(1, size);
      zero &= IsZero(p, size);
      memset(p, 0xff, size);
      p_free(p);
    }
  }
  printf("calloc gives zeros: %d\n", zero);
  /* realloc through many sizes keeps the front. */
  int kept = 1;
  char* p = p_malloc(1);
  size_t now = 1;
  p[0] = 7;
  static const size_t steps[] = {10, 24, 25, 1000, 1025, 900, 70000, 65537, 1 << 20, 3 << 20,
                                 (3 << 20) + 8, 1 << 21, 200000, 5000, 17, 3, 4000, 1};
  for (int round = 0; round < 3; ++round) {
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
      p = p_realloc(p, steps[i]);
      kept &= IsFilled(p, now < steps[i] ? now : steps[i], 7);
      kept &= malloc_usable_size(p) >= steps[i];
      memset(p, 7, steps[i]);
      now = steps[i];
    }
  }
  printf("realloc keeps what was there: %d\n", kept);
  errno = 0;
  void* q = p_realloc(p, 0);
  printf("realloc to 0: %s errno %s\n", q == NULL ? "null" : "block", ErrnoName(errno));
  /* A refused realloc leaves the block. */
  p = p_malloc(100);
  memset(p, 9, 100);
  errno = 0;
  q = p_realloc(p, SIZE_MAX / 2 + 10);
  printf("refused realloc: %s errno %s kept %d\n", q == NULL ? "null" : "block",
         ErrnoName(errno), IsFilled(p, 100, 9));
  errno = 0;
  q = p_reallocarray(p, SIZE_MAX / 2, 4);
  printf("refused reallocarray: %s errno %s kept %d\n", q == NULL ? "null" : "block",
         ErrnoName(errno), IsFilled(p, 100, 9));
  q = p_reallocarray(p, 0, 4);
  printf("reallocarray to 0: %s\n", q == NULL ? "null" : "block");
  /* The usable size is usable. */
  int usable = 1;
  for (size_t size = 0; size < 200000; size = size * 2 + 3) {
    char* block = p_malloc(size);
    size_t room = malloc_usable_size(block);
    memset(block, 3, room);
    block = p_realloc(block, room + 100);
    usable &= IsFilled(block, room, 3);
    p_free(block);
  }
  printf("usable size is usable: %d\n", usable);
  printf("usable size of null: %zu\n", malloc_usable_size(NULL));
}

static void Errno(void) {
  /* free keeps errno, also where memory is locked and cannot be given back. */
  int kept = 1;
  for (int locked = 0; locked < 2; ++locked) {
    if (locked) mlockall(MCL_CURRENT);
    for (size_t size = 16; size < (size_t)1 << 23; size *= 4) {
      void* p[32];
      for (int i = 0; i < 32; ++i) p[i] = p_malloc(size);
      errno = EDOM;
      for (int i = 0; i < 32; ++i) p_free(p[i]);
      kept &= errno == EDOM;
      malloc_trim(0);
    }
  }
  munlockall();
  errno = EDOM;
  p_free(NULL);
  kept &= errno == EDOM;
  printf("free keeps errno: %d\n", kept);
}

static void Asking(void) {
  void* big = p_malloc(64 << 20);
  void* small[1000];
  for (int i = 0; i < 1000; ++i) small[i] = p_malloc(1000);
  struct mallinfo2 info = mallinfo2();
  printf("mallinfo2: in use %d mapped %d sum %d\n", info.uordblks >= 1000000,
         info.hblks >= 1 && info.hblkhd >= (size_t)64 << 20,
         info.arena == info.uordblks + info.fordblks);
  struct mallinfo narrow = mallinfo();
  printf("mallinfo: in use %d\n", narrow.uordblks >= 1000000);
  for (int i = 0; i < 1000; ++i) p_free(small[i]);
  p_free(big);
  printf("mallopt: %d %d\n", mallopt(M_MMAP_THRESHOLD, 1 << 20), mallopt(M_TRIM_THRESHOLD, 1));
  char* text = NULL;
  size_t size = 0;
  FILE* out = open_memstream(&text, &size);
  int rc = malloc_info(0, out);
  fclose(out);
  printf("malloc_info: %d head %d tail %d\n", rc,
         strncmp(text, "<malloc version=\"1\">", 20) == 0, strstr(text, "</malloc>") != NULL);
  p_free(text);
  printf("malloc_info with options: %s\n", ErrnoName(malloc_info(1, stdout)));
  malloc_stats();
}

int main(void) {
  Sizes();
  Alignments();
  Contents();
  Errno();
  Asking();
  return 0;
}
