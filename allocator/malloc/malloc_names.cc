// The drop-in malloc: the C library's names for the heap, with glibc's meaning.
//
//   LD_PRELOAD=libtidepool_malloc.so program
//
// Where standards leave a choice, the answer is glibc 2.36's, because programs were
// tried on it: malloc(0) is a block; realloc(p, 0) frees and returns null; memalign and
// aligned_alloc round an odd alignment up to a power of two; posix_memalign refuses it
// and leaves errno alone; free and the rest of what cannot fail keep errno. The names
// that the C library keeps for itself (__libc_malloc and so on) come along, so that no
// block of one allocator meets the other's free.
//
// One difference on purpose: a pointer that is no block does not end the process. It is
// refused and reported on standard error (option bad_free: ignore, log or abort).
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tidepool/allocator/malloc/shim.h"

namespace {

using tidepool::HeapDomain;
using tidepool::HeapKind;
using tidepool::ThreadHeap;
using namespace tidepool::malloc_shim;  // NOLINT: the shim's names are ours

size_t OsPage() { return static_cast<size_t>(sysconf(_SC_PAGESIZE)); }

}  // namespace

TIDEPOOL_EXPORT void* malloc(size_t size) { return Malloc(size); }

TIDEPOOL_EXPORT void free(void* p) { Free(p); }

TIDEPOOL_EXPORT void* calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return OrErrno(nullptr);
  return OrErrno(WithHeap(
      [=](ThreadHeap* heap) {
        return heap->AllocateZeroed(HeapKind::kRaw, bytes);
      },
      bytes));  // the boot buffer is zero
}

TIDEPOOL_EXPORT void* realloc(void* p, size_t size) {
  if (p != nullptr) {
    if (__builtin_expect(size == 0, 0)) {
      Free(p);
      return nullptr;
    }
    if (__builtin_expect(InBoot(p), 0)) {
      size_t old = BootSize(p);
      void* fresh = OrErrno(Allocate(size));
      if (fresh != nullptr) memcpy(fresh, p, old < size ? old : size);
      return fresh;
    }
  }
  return OrErrno(WithHeap(
      [=](ThreadHeap* heap) { return heap->Reallocate(p, size); }, size));
}

TIDEPOOL_EXPORT void* reallocarray(void* p, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return OrErrno(nullptr);
  return realloc(p, bytes);
}

TIDEPOOL_EXPORT int posix_memalign(void** out, size_t alignment, size_t size) {
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) {
    return EINVAL;
  }
  void* p = AllocateAligned(alignment, size);
  if (p == nullptr) return ENOMEM;
  *out = p;
  return 0;
}

TIDEPOOL_EXPORT void* memalign(size_t alignment, size_t size) {
  if (alignment > SIZE_MAX / 2 + 1) {
    errno = EINVAL;
    return nullptr;
  }
  size_t power = 16;
  while (power < alignment) power *= 2;
  return OrErrno(AllocateAligned(power, size));
}

TIDEPOOL_EXPORT void* aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

TIDEPOOL_EXPORT void* valloc(size_t size) {
  return OrErrno(AllocateAligned(OsPage(), size));
}

TIDEPOOL_EXPORT void* pvalloc(size_t size) {
  size_t page = OsPage();
  size_t rounded = (size + page - 1) & ~(page - 1);
  if (rounded < size) return OrErrno(nullptr);
  return OrErrno(AllocateAligned(page, rounded));
}

// C23's, and the one that glibc dropped and old programs still call.
TIDEPOOL_EXPORT void free_sized(void* p, size_t) { Free(p); }
TIDEPOOL_EXPORT void free_aligned_sized(void* p, size_t, size_t) { Free(p); }
TIDEPOOL_EXPORT void cfree(void* p) { Free(p); }

TIDEPOOL_EXPORT size_t malloc_usable_size(void* p) {
  if (p == nullptr) return 0;
  if (InBoot(p)) return BootSize(p);
  return HeapDomain::UsableSize(p);
}

// glibc's inner names. The headers' attributes of the outer ones are not repeated.
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmissing-attributes"
#endif
#define TIDEPOOL_ALIAS(name) __attribute__((alias(#name)))
TIDEPOOL_EXPORT void* __libc_malloc(size_t) TIDEPOOL_ALIAS(malloc);
TIDEPOOL_EXPORT void __libc_free(void*) TIDEPOOL_ALIAS(free);
TIDEPOOL_EXPORT void __libc_cfree(void*) TIDEPOOL_ALIAS(cfree);
TIDEPOOL_EXPORT void* __libc_calloc(size_t, size_t) TIDEPOOL_ALIAS(calloc);
TIDEPOOL_EXPORT void* __libc_realloc(void*, size_t) TIDEPOOL_ALIAS(realloc);
TIDEPOOL_EXPORT void* __libc_memalign(size_t, size_t) TIDEPOOL_ALIAS(memalign);
TIDEPOOL_EXPORT void* __libc_valloc(size_t) TIDEPOOL_ALIAS(valloc);
TIDEPOOL_EXPORT void* __libc_pvalloc(size_t) TIDEPOOL_ALIAS(pvalloc);
TIDEPOOL_EXPORT void* __libc_reallocarray(void*, size_t, size_t)
    TIDEPOOL_ALIAS(reallocarray);
TIDEPOOL_EXPORT int __posix_memalign(void**, size_t, size_t)
    TIDEPOOL_ALIAS(posix_memalign);
