// The drop-in malloc's names that ask, report and tune: malloc_trim, mallopt, mallinfo,
// mallinfo2, malloc_info, malloc_stats.
//
// glibc's fields are filled with what comes nearest here, and add up as they do there
// (arena = uordblks + fordblks); docs/malloc.md has the table.
#include <malloc.h>
#include <stdio.h>

#include "tidepool/allocator/malloc/shim.h"

namespace {

using tidepool::HeapDomain;
using tidepool::Stats;
using tidepool::malloc_shim::Domain;

struct mallinfo2 Info() {
  struct mallinfo2 info = {};
  HeapDomain* domain = Domain();
  if (domain == nullptr) return info;
  const Stats stats = domain->GetStats();
  // Blocks with a page of their own stand for the blocks that glibc maps singly.
  size_t small = 0, free_blocks = 0;
  for (unsigned i = 1; i < tidepool::kClassCount; ++i) {
    small += stats.size_class[i].live_blocks * tidepool::ClassSize(i);
    free_blocks += stats.size_class[i].free_blocks;
  }
  if (small > stats.live_bytes) small = stats.live_bytes;
  info.hblks = stats.size_class[0].live_blocks;
  info.hblkhd = stats.live_bytes - small;
  info.uordblks = small;
  size_t held = stats.committed > info.hblkhd ? stats.committed - info.hblkhd : 0;
  info.arena = held > small ? held : small;
  info.fordblks = info.arena - small;
  info.ordblks = free_blocks;
  info.keepcost = stats.free_dirty;  // what a trim gives back at least
  return info;
}

}  // namespace

TIDEPOOL_EXPORT int malloc_trim(size_t) {
  HeapDomain* domain = Domain();
  return domain != nullptr && domain->Purge() != 0 ? 1 : 0;
}

// glibc's knobs mean nothing here; a program that turns one goes on. TIDEPOOL_<OPTION>
// in the environment is how this one is tuned.
TIDEPOOL_EXPORT int mallopt(int, int) { return 1; }

TIDEPOOL_EXPORT struct mallinfo2 mallinfo2() { return Info(); }

// Values beyond int stay at its largest.
TIDEPOOL_EXPORT struct mallinfo mallinfo() {
  auto narrow = [](size_t value) {
    return value > 0x7fffffff ? 0x7fffffff : static_cast<int>(value);
  };
  const struct mallinfo2 wide = Info();
  struct mallinfo info = {};
  info.arena = narrow(wide.arena);
  info.ordblks = narrow(wide.ordblks);
  info.hblks = narrow(wide.hblks);
  info.hblkhd = narrow(wide.hblkhd);
  info.uordblks = narrow(wide.uordblks);
  info.fordblks = narrow(wide.fordblks);
  info.keepcost = narrow(wide.keepcost);
  return info;
}

TIDEPOOL_EXPORT int malloc_info(int options, FILE* out) {
  if (options != 0) return EINVAL;
  const struct mallinfo2 info = Info();
  HeapDomain* domain = Domain();
  const Stats stats = domain != nullptr ? domain->GetStats() : Stats();
  fprintf(out, "<malloc version=\"1\">\n<heap nr=\"0\">\n<sizes>\n");
  for (unsigned i = 1; i < tidepool::kClassCount; ++i) {
    uint64_t n = stats.size_class[i].free_blocks;
    if (n == 0) continue;
    size_t size = tidepool::ClassSize(i);
    fprintf(out,
            "  <size from=\"%zu\" to=\"%zu\" total=\"%zu\" count=\"%zu\"/>\n",
            tidepool::ClassSize(i - 1) + 1, size,
            static_cast<size_t>(n * size), static_cast<size_t>(n));
  }
  fprintf(out,
          "</sizes>\n<total type=\"rest\" count=\"%zu\" size=\"%zu\"/>\n"
          "<total type=\"mmap\" count=\"%zu\" size=\"%zu\"/>\n"
          "<system type=\"current\" size=\"%zu\"/>\n"
          "<system type=\"reserved\" size=\"%zu\"/>\n</heap>\n"
          "<total type=\"rest\" count=\"%zu\" size=\"%zu\"/>\n"
          "<total type=\"mmap\" count=\"%zu\" size=\"%zu\"/>\n"
          "<system type=\"current\" size=\"%zu\"/>\n</malloc>\n",
          info.ordblks, info.fordblks, info.hblks, info.hblkhd,
          static_cast<size_t>(stats.committed),
          static_cast<size_t>(stats.reserved), info.ordblks, info.fordblks,
          info.hblks, info.hblkhd, static_cast<size_t>(stats.committed));
  return 0;
}

TIDEPOOL_EXPORT void malloc_stats() {
  HeapDomain* domain = Domain();
  if (domain == nullptr) return;
  fprintf(stderr, "%s\n", domain->StatsJson().c_str());
}
