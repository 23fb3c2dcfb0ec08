// Which memory tool this build or this run is watched by, and the events that such
// tools hang off.
//
// TIDEPOOL_ASAN and TIDEPOOL_TSAN are 0 or 1. TIDEPOOL_VALGRIND is 1 where valgrind's
// headers were there at build time; whether the program runs under valgrind is asked
// once, by FindTools(), and Watched() is a load afterwards, made on slow paths only.
// These functions are the one place where the allocator tells tools what a range of
// memory is now; a tool is added here and nowhere else:
//
//   event             the range is now           AddressSanitizer   valgrind
//   PoisonMemory      ours, nobody may look      poisoned           no access
//   UnpoisonMemory    ours, the allocator works  unpoisoned         undefined
//                     on it, or no longer ours
//   TrackAllocated    a live block of size bytes unpoisoned         a block, with
//                     (the rest stays poisoned)                     its stack
//   TrackFreed        a dead block               poisoned           freed, with stack
//   TrackDefined      a live block's known zeros -                  defined
//
// Dead object headers stay readable until every thread was quiescent: TrackFreed
// spares the first `skip` bytes.
#ifndef TIDEPOOL_BASE_SANITIZER_H_
#define TIDEPOOL_BASE_SANITIZER_H_

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
#define TIDEPOOL_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TIDEPOOL_ASAN 1
#endif
#endif
#ifndef TIDEPOOL_ASAN
#define TIDEPOOL_ASAN 0
#endif

#if defined(__SANITIZE_THREAD__)
#define TIDEPOOL_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define TIDEPOOL_TSAN 1
#endif
#endif
#ifndef TIDEPOOL_TSAN
#define TIDEPOOL_TSAN 0
#endif

#if !defined(TIDEPOOL_VALGRIND)
#if defined(__has_include) && !TIDEPOOL_ASAN && !TIDEPOOL_TSAN
#if __has_include(<valgrind/memcheck.h>)
#define TIDEPOOL_VALGRIND 1
#endif
#endif
#endif
#ifndef TIDEPOOL_VALGRIND
#define TIDEPOOL_VALGRIND 0
#endif

// For the few functions that look at memory a sanitizer must not judge.
#define TIDEPOOL_NO_ASAN __attribute__((no_sanitize("address")))

#if TIDEPOOL_ASAN
extern "C" {
void __asan_poison_memory_region(void const volatile* addr, size_t size);
void __asan_unpoison_memory_region(void const volatile* addr, size_t size);
int __asan_address_is_poisoned(void const volatile* addr);
}
#endif

namespace tidepool {

#if TIDEPOOL_VALGRIND
namespace internal {
// Written once, before the first heap is made.
extern bool g_watched;
void ValgrindPoison(const void* p, size_t size);
void ValgrindUnpoison(const void* p, size_t size);
void ValgrindAllocated(const void* block, size_t size, bool zero);
void ValgrindFreed(const void* block);
void ValgrindDefined(const void* p, size_t size);
void* ValgrindLoad(const void* place);
void ValgrindStore(void* place, void* value);
}  // namespace internal

// Whether valgrind watches this run.
inline bool Watched() { return __builtin_expect(internal::g_watched, 0); }
void FindTools();
#else
inline constexpr bool Watched() { return false; }
inline void FindTools() {}
#endif

inline void PoisonMemory([[maybe_unused]] const void* p,
                         [[maybe_unused]] size_t size) {
#if TIDEPOOL_ASAN
  __asan_poison_memory_region(p, size);
#elif TIDEPOOL_VALGRIND
  if (Watched()) internal::ValgrindPoison(p, size);
#endif
}

inline void UnpoisonMemory([[maybe_unused]] const void* p,
                           [[maybe_unused]] size_t size) {
#if TIDEPOOL_ASAN
  __asan_unpoison_memory_region(p, size);
#elif TIDEPOOL_VALGRIND
  if (Watched()) internal::ValgrindUnpoison(p, size);
#endif
}

inline bool IsPoisoned([[maybe_unused]] const void* p) {
#if TIDEPOOL_ASAN
  return __asan_address_is_poisoned(p) != 0;
#else
  return false;
#endif
}

inline void TrackAllocated([[maybe_unused]] const void* block,
                           [[maybe_unused]] size_t size,
                           [[maybe_unused]] bool zero = false) {
#if TIDEPOOL_ASAN
  __asan_unpoison_memory_region(block, size);
#elif TIDEPOOL_VALGRIND
  if (Watched()) internal::ValgrindAllocated(block, size, zero);
#endif
}

inline void TrackFreed([[maybe_unused]] const void* block,
                       [[maybe_unused]] size_t skip,
                       [[maybe_unused]] size_t size) {
#if TIDEPOOL_ASAN
  __asan_poison_memory_region(static_cast<const char*>(block) + skip,
                              size - skip);
#elif TIDEPOOL_VALGRIND
  if (Watched()) {
    internal::ValgrindFreed(block);
    internal::ValgrindDefined(block, skip);
  }
#endif
}

inline void TrackDefined([[maybe_unused]] const void* p,
                         [[maybe_unused]] size_t size) {
#if TIDEPOOL_VALGRIND
  if (Watched()) internal::ValgrindDefined(p, size);
#endif
}

}  // namespace tidepool

#endif  // TIDEPOOL_BASE_SANITIZER_H_
