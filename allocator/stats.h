// The figures of a heap domain, declared once.
//
// TIDEPOOL_COUNTERS is the one table: the atomic counters the allocator keeps,
// the snapshot, the JSON text and the page in docs/ come from it. Figures that
// are added up from the pages at the time of asking (live bytes by kind) are in
// Stats beside them.
//
// A snapshot may be taken by any thread at any moment, without help from the
// others: counters are atomics, and a page's count of used blocks is one too. It
// is exact while all threads are stopped; else off by what happens meanwhile. No
// figure can become negative, because every counter that goes down went up by the
// same amount before, and sums that race are clamped at zero.
#ifndef TIDEPOOL_ALLOCATOR_STATS_H_
#define TIDEPOOL_ALLOCATOR_STATS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "tidepool/allocator/heap_kind.h"
#include "tidepool/allocator/size_class.h"
#include "tidepool/base/atomic.h"

namespace tidepool {

// X(name, unit, doc). "gauge" figures go up and down, the others only up.
#define TIDEPOOL_COUNTERS(X)                                                  \
  X(reserved, "bytes", "gauge: address space of all arenas")                  \
  X(committed, "bytes", "gauge: memory counted against max_memory: pages as " \
                        "far as extended, unpurged free memory, metadata")    \
  X(meta, "bytes", "gauge: of committed, metadata apart from the blocks")     \
  X(free_dirty, "bytes", "gauge: of committed, free in the arenas, unpurged") \
  X(dormant, "bytes", "gauge: of committed, in empty pages that keep their "  \
                      "layout")                                               \
  X(dormant_pages, "pages", "gauge: pages in the dormant pool")               \
  X(limbo, "bytes", "gauge: freed blocks that lock-free readers may look at") \
  X(threads, "threads", "gauge: thread heaps in use")                         \
  X(pages, "pages", "gauge: pages with or without live blocks, not dormant")  \
  X(available_pages, "pages", "gauge: abandoned pages with free blocks")      \
  X(pages_made, "pages", "pages taken from the arenas")                       \
  X(pages_abandoned, "pages", "full pages let go, and pages of exited "       \
                              "threads")                                      \
  X(pages_claimed, "pages", "abandoned pages claimed by a foreign free")      \
  X(pages_adopted, "pages", "available pages taken over by a thread")         \
  X(dormant_reused, "pages", "dormant pages taken with their layout")         \
  X(dormant_converted, "pages", "dormant pages given another layout after "   \
                                "their goal")                                 \
  X(purged, "bytes", "memory given back to the OS")                           \
  X(holes, "bytes", "gauge: purged OS pages inside partly used pages")        \
  X(purge_calls, "calls", "purge calls to the OS")                            \
  X(purge_kept, "bytes", "memory a purge could not zero")                     \
  X(foreign_frees, "blocks", "blocks freed by a thread that did not own them, " \
                             "counted as their pages are collected")          \
  X(bad_frees, "calls", "frees that were refused")                            \
  X(large_allocated, "bytes", "bytes of blocks with a page of their own")     \
  X(large_live, "bytes", "gauge: of these, what is not freed")                \
  X(large_peak, "bytes", "the most that large_live has been")                 \
  X(remapped, "bytes", "bytes moved by remapping instead of copying")         \
  X(copied, "bytes", "bytes copied by realloc")                               \
  X(limit_hits, "calls", "allocations refused by max_memory")                 \
  X(os_refusals, "calls", "reservations and commits the OS refused")          \
  X(pressure_calls, "calls", "calls of the pressure callback")                \
  X(arenas, "arenas", "gauge: arenas in use")                                 \
  X(heaps, "heaps", "gauge: heaps made by Heap::Create and not destroyed")    \
  X(samples, "blocks", "gauge: live blocks in the heap profile")              \
  X(samples_lost, "blocks", "samples there was no memory for")

struct Counters {
#define TIDEPOOL_X(name, unit, doc) Atomic<uint64_t> name{0};
  TIDEPOOL_COUNTERS(TIDEPOOL_X)
#undef TIDEPOOL_X
};

// Relaxed: figures order nothing.
inline void CountUp(Atomic<uint64_t>& counter, uint64_t n = 1) {
  counter.fetch_add(n, kRelaxed);
}
inline void CountDown(Atomic<uint64_t>& counter, uint64_t n = 1) {
  counter.fetch_sub(n, kRelaxed);
}

// Counts a gauge up that has its highest value beside it.
inline void CountUpTo(Atomic<uint64_t>& gauge, Atomic<uint64_t>& peak, uint64_t n) {
  const uint64_t now = gauge.fetch_add(n, kRelaxed) + n;
  uint64_t most = peak.load(kRelaxed);
  while (now > most && !peak.compare_exchange_weak(most, now, kRelaxed, kRelaxed)) {
  }
}

struct Stats {
#define TIDEPOOL_X(name, unit, doc) uint64_t name = 0;
  TIDEPOOL_COUNTERS(TIDEPOOL_X)
#undef TIDEPOOL_X

  // Added up from the pages. A live block counts with its block size.
  uint64_t live_bytes = 0;
  uint64_t live_blocks = 0;
  uint64_t free_in_pages = 0;  // extended blocks that are not live
  uint64_t purged_in_pages = 0;  // of these, given back to the OS
  struct Kind {
    uint64_t live_bytes = 0;
    uint64_t live_blocks = 0;
    uint64_t pages = 0;
    uint64_t page_bytes = 0;  // as far as extended
  } kind[kHeapKindCount];

  // By class over all kinds; index 0 is the blocks with a page of their own.
  struct Class {
    uint64_t live_blocks = 0;
    uint64_t free_blocks = 0;
    uint64_t pages = 0;
  } size_class[kClassCount];

  std::string ToJson() const;
};

// {name, unit, doc} of each counter, ended by a null name.
struct CounterInfo {
  const char* name;
  const char* unit;
  const char* doc;
};
const CounterInfo* CounterTable();

}  // namespace tidepool

#endif  // TIDEPOOL_ALLOCATOR_STATS_H_
