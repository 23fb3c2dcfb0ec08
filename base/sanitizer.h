// Which sanitizer this build runs under, and the five events that memory tools
// hang off.
//
// TIDEPOOL_ASAN and TIDEPOOL_TSAN are 0 or 1. The tracking events are the one
// place where the allocator tells tools what a range of memory is now; a tool
// is added here and nowhere else:
//
//   event            the range is now                        AddressSanitizer
//   TrackReserved    ours, holds no block                    poisoned
//   TrackAllocated   a live block                            unpoisoned
//   TrackResized     a live block of another size            tail (un)poisoned
//   TrackFreed       a dead block                            poisoned
//   TrackReleased    no longer ours                          unpoisoned
//
// Dead object headers stay readable until every thread was quiescent, so for
// the object kinds callers pass the range from the header's type word on.
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

inline void PoisonMemory([[maybe_unused]] const void* p,
                         [[maybe_unused]] size_t size) {
#if TIDEPOOL_ASAN
  __asan_poison_memory_region(p, size);
#endif
}

inline void UnpoisonMemory([[maybe_unused]] const void* p,
                           [[maybe_unused]] size_t size) {
#if TIDEPOOL_ASAN
  __asan_unpoison_memory_region(p, size);
#endif
}

inline bool IsPoisoned([[maybe_unused]] const void* p) {
#if TIDEPOOL_ASAN
  return __asan_address_is_poisoned(p) != 0;
#else
  return false;
#endif
}

inline void TrackReserved(const void* p, size_t size) { PoisonMemory(p, size); }
inline void TrackAllocated(const void* p, size_t size) {
  UnpoisonMemory(p, size);
}
inline void TrackResized(const void* p, size_t old_size, size_t new_size) {
  const char* base = static_cast<const char*>(p);
  if (new_size > old_size) {
    UnpoisonMemory(base + old_size, new_size - old_size);
  } else {
    PoisonMemory(base + new_size, old_size - new_size);
  }
}
inline void TrackFreed(const void* p, size_t size) { PoisonMemory(p, size); }
inline void TrackReleased(const void* p, size_t size) {
  UnpoisonMemory(p, size);
}

}  // namespace tidepool

#endif  // TIDEPOOL_BASE_SANITIZER_H_
