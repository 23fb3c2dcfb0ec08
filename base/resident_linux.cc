// Resident memory by mincore() and /proc/self/status.
#include "tidepool/base/resident.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tidepool/base/os.h"

namespace tidepool {

size_t ResidentBytes(const void* start, size_t size) {
  const int saved = errno;
  const size_t os_page = RealOs()->PageSize();
  constexpr size_t kPages = 4096;
  unsigned char present[kPages];
  const char* at = static_cast<const char*>(start);
  size_t resident = 0;
  for (size_t left = (size + os_page - 1) / os_page; left != 0;) {
    const size_t n = left < kPages ? left : kPages;
    // A range with a hole is refused: then what can be had page by page.
    if (mincore(const_cast<char*>(at), n * os_page, present) == 0) {
      for (size_t i = 0; i < n; ++i) resident += (present[i] & 1) * os_page;
    } else if (n > 1 && errno == ENOMEM) {
      for (size_t i = 0; i < n; ++i) {
        if (mincore(const_cast<char*>(at) + i * os_page, os_page, present) == 0) {
          resident += (present[0] & 1) * os_page;
        }
      }
    }
    at += n * os_page;
    left -= n;
  }
  errno = saved;
  return resident;
}

ProcessMemory GetProcessMemory() {
  ProcessMemory memory;
  const int saved = errno;
  const int file = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    char text[4096];
    const ssize_t n = read(file, text, sizeof(text) - 1);
    close(file);
    text[n > 0 ? n : 0] = 0;
    const auto figure = [&text](const char* name) -> uint64_t {
      const char* at = strstr(text, name);
      return at != nullptr ? strtoull(at + strlen(name), nullptr, 10) * 1024 : 0;
    };
    memory.resident = figure("VmRSS:");
    memory.peak = figure("VmHWM:");
    memory.anonymous = figure("RssAnon:");
    memory.files = figure("RssFile:") + figure("RssShmem:");
  }
  errno = saved;
  return memory;
}

}  // namespace tidepool
