// operator new and delete, straight to the heap.
//
// The C++ library's own would do as well (they call malloc, aligned_alloc and free, which
// are ours); these save the second call. What is rare stays the library's business: when
// memory is refused, the next operator new in line (the C++ library's) tries again,
// calls the new handler and throws, so nothing is thrown from here.
#include <dlfcn.h>
#include <stdlib.h>

#include <new>

#include "tidepool/allocator/malloc/shim.h"
#include "tidepool/base/check.h"

#define TIDEPOOL_NEW __attribute__((visibility("default")))

namespace {

using tidepool::malloc_shim::Allocate;
using tidepool::malloc_shim::AllocateAligned;
using tidepool::malloc_shim::Free;

// The C++ library's function of this name.
template <class Function>
Function* Next(const char* name) {
  void* p = dlsym(RTLD_NEXT, name);
  if (p == nullptr) tidepool::Fatal("tidepool: out of memory in operator new");
  return reinterpret_cast<Function*>(p);
}

__attribute__((noinline, cold)) void* Refused(const char* name, size_t size) {
  return Next<void*(size_t)>(name)(size);
}
__attribute__((noinline, cold)) void* Refused(const char* name, size_t size,
                                              std::align_val_t alignment) {
  return Next<void*(size_t, std::align_val_t)>(name)(size, alignment);
}
__attribute__((noinline, cold)) void* RefusedQuietly(const char* name,
                                                     size_t size) {
  return Next<void*(size_t, const std::nothrow_t&)>(name)(size, std::nothrow);
}
__attribute__((noinline, cold)) void* RefusedQuietly(const char* name,
                                                     size_t size,
                                                     std::align_val_t a) {
  return Next<void*(size_t, std::align_val_t, const std::nothrow_t&)>(name)(
      size, a, std::nothrow);
}

inline void* Aligned(size_t size, std::align_val_t alignment) {
  size_t a = static_cast<size_t>(alignment);
  if ((a & (a - 1)) != 0 || a == 0) return nullptr;
  return AllocateAligned(a, size);
}

// The mangled names have size_t in them: m is unsigned long.
static_assert(sizeof(size_t) == sizeof(unsigned long));

}  // namespace

TIDEPOOL_NEW void* operator new(size_t size) {
  void* p = Allocate(size);
  return __builtin_expect(p != nullptr, 1) ? p : Refused("_Znwm", size);
}
TIDEPOOL_NEW void* operator new[](size_t size) {
  void* p = Allocate(size);
  return __builtin_expect(p != nullptr, 1) ? p : Refused("_Znam", size);
}
TIDEPOOL_NEW void* operator new(size_t size, const std::nothrow_t&) noexcept {
  void* p = Allocate(size);
  return p != nullptr ? p : RefusedQuietly("_ZnwmRKSt9nothrow_t", size);
}
TIDEPOOL_NEW void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  void* p = Allocate(size);
  return p != nullptr ? p : RefusedQuietly("_ZnamRKSt9nothrow_t", size);
}
TIDEPOOL_NEW void* operator new(size_t size, std::align_val_t a) {
  void* p = Aligned(size, a);
  return p != nullptr ? p : Refused("_ZnwmSt11align_val_t", size, a);
}
TIDEPOOL_NEW void* operator new[](size_t size, std::align_val_t a) {
  void* p = Aligned(size, a);
  return p != nullptr ? p : Refused("_ZnamSt11align_val_t", size, a);
}
TIDEPOOL_NEW void* operator new(size_t size, std::align_val_t a,
                                const std::nothrow_t&) noexcept {
  void* p = Aligned(size, a);
  return p != nullptr
             ? p
             : RefusedQuietly("_ZnwmSt11align_val_tRKSt9nothrow_t", size, a);
}
TIDEPOOL_NEW void* operator new[](size_t size, std::align_val_t a,
                                  const std::nothrow_t&) noexcept {
  void* p = Aligned(size, a);
  return p != nullptr
             ? p
             : RefusedQuietly("_ZnamSt11align_val_tRKSt9nothrow_t", size, a);
}

#define TIDEPOOL_DELETE(op)                                                     \
  TIDEPOOL_NEW void operator op(void* p) noexcept { Free(p); }                  \
  TIDEPOOL_NEW void operator op(void* p, size_t) noexcept { Free(p); }          \
  TIDEPOOL_NEW void operator op(void* p, const std::nothrow_t&) noexcept {      \
    Free(p);                                                                    \
  }                                                                             \
  TIDEPOOL_NEW void operator op(void* p, std::align_val_t) noexcept { Free(p); } \
  TIDEPOOL_NEW void operator op(void* p, size_t, std::align_val_t) noexcept {   \
    Free(p);                                                                    \
  }                                                                             \
  TIDEPOOL_NEW void operator op(void* p, std::align_val_t,                      \
                                const std::nothrow_t&) noexcept {               \
    Free(p);                                                                    \
  }
TIDEPOOL_DELETE(delete)
TIDEPOOL_DELETE(delete[])
