// What valgrind's tools are told (sanitizer.h). Compiled to nothing without its headers.
#include "tidepool/base/sanitizer.h"

#if TIDEPOOL_VALGRIND
#include <valgrind/memcheck.h>
#include <valgrind/valgrind.h>

namespace tidepool {

bool internal::g_watched = false;

void FindTools() {
  // Not written when nothing is to be said, so that heaps may be made by several
  // threads at once; under valgrind one thread runs at a time.
  if (RUNNING_ON_VALGRIND != 0 && !internal::g_watched) internal::g_watched = true;
}

namespace internal {

void ValgrindPoison(const void* p, size_t size) {
  VALGRIND_MAKE_MEM_NOACCESS(p, size);
}

void ValgrindUnpoison(const void* p, size_t size) {
  VALGRIND_MAKE_MEM_UNDEFINED(p, size);
}

void ValgrindAllocated(const void* block, size_t size, bool zero) {
  VALGRIND_MALLOCLIKE_BLOCK(block, size, 0, zero);
}

void ValgrindFreed(const void* block) { VALGRIND_FREELIKE_BLOCK(block, 0); }

void ValgrindDefined(const void* p, size_t size) {
  VALGRIND_MAKE_MEM_DEFINED(p, size);
}

void* ValgrindLoad(const void* place) {
  VALGRIND_DISABLE_ERROR_REPORTING;
  void* value = *static_cast<void* const*>(place);
  VALGRIND_ENABLE_ERROR_REPORTING;
  VALGRIND_MAKE_MEM_DEFINED(&value, sizeof(value));
  return value;
}

void ValgrindStore(void* place, void* value) {
  VALGRIND_DISABLE_ERROR_REPORTING;
  *static_cast<void**>(place) = value;
  VALGRIND_ENABLE_ERROR_REPORTING;
}

}  // namespace internal
}  // namespace tidepool
#endif
