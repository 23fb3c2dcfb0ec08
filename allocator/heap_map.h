// A picture of a heap domain's address space: what each slice is used for, how much of
// it is alive, and how much is resident.
//
// GetHeapMap takes it at any time without stopping anybody: the arenas hold still while
// it is copied (allocations that need a new page wait for that, some microseconds per
// thousand pages), resident memory is asked for afterwards. It is exact in a stop.
//
// MemorySplit is the same by cause: where the process's resident memory is. Its lines
// are one table; the stats page, its documentation and the JSON come from it.
#ifndef TIDEPOOL_ALLOCATOR_HEAP_MAP_H_
#define TIDEPOOL_ALLOCATOR_HEAP_MAP_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tidepool/allocator/heap_domain.h"

namespace tidepool {

// X(enumerator, "name", "colour", "doc")
#define TIDEPOOL_MAP_STATES(X)                                                    \
  X(kFull, "used", "#1f6fb4", "pages whose every block is live")                  \
  X(kPartly, "partly used", "#8fbce6", "pages with live and free blocks; the "    \
                                       "darker, the more of it is live")          \
  X(kLarge, "large block", "#123f6b", "one block with a page of its own")         \
  X(kLimbo, "limbo", "#c0392b", "pages with blocks that were freed and that "     \
                                "lock-free readers may still look at")            \
  X(kDormant, "dormant", "#e0a13a", "empty pages that keep their layout for "     \
                                    "readers; any thread may take them")          \
  X(kDormantPurged, "dormant, purged", "#f3dfb6", "the same, given back to the "  \
                                                  "OS: zeros, costing nothing")   \
  X(kFree, "free", "#7db87d", "free slices that are still committed, for the "    \
                              "next who asks")                                    \
  X(kPurged, "purged", "#e7efe7", "free slices that were given back to the OS")   \
  X(kReserved, "reserved", "#f7f7f7", "address space that was never used")

enum class MapState : uint8_t {
#define TIDEPOOL_X(enumerator, name, colour, doc) enumerator,
  TIDEPOOL_MAP_STATES(TIDEPOOL_X)
#undef TIDEPOOL_X
      kCount
};

// Slices next to each other that are one page, or free alike.
struct MapRun {
  const char* start;
  uint32_t slices;
  MapState state;
  HeapKind kind;       // of a page
  bool abandoned;      // no thread owns the page
  size_t block_size;   // 0 for free slices
  uint64_t owner_tid;  // 0: gone, or none
  uint32_t live;       // blocks, without those in limbo
  uint32_t limbo;      // blocks
  uint32_t count;      // blocks that were ever made of it
  size_t committed;    // bytes
  size_t resident;     // bytes
};

struct MapArena {
  const char* start;
  size_t slices;
  const char* sort;  // "small", "large", "huge"
  size_t first_run;
  size_t runs;
};

struct HeapMap {
  std::vector<MapArena> arenas;
  std::vector<MapRun> runs;
  Stats stats;
};

HeapMap GetHeapMap(const HeapDomain& domain);

// X(field, "label", "doc"): bytes of resident memory, disjoint.
#define TIDEPOOL_MEMORY_CAUSES(X)                                                  \
  X(live, "live blocks", "blocks in use, with the rounding to their size class "   \
                         "(an eighth at most) and object headers")                 \
  X(limbo, "blocks in limbo", "freed blocks that lock-free readers may still "     \
                              "look at; a thread that does not reach a safepoint " \
                              "keeps them")                                        \
  X(free_owned, "free in threads' pages", "free blocks in pages that belong to a " \
                                          "thread: its next allocations use them") \
  X(free_abandoned, "free in pages of no thread", "free blocks in pages whose "    \
                                                  "thread let them go or has "     \
                                                  "ended; any thread may take "    \
                                                  "the page")                      \
  X(dormant, "dormant memory", "empty pages that keep their layout until every "    \
                              "thread was quiescent")                              \
  X(free, "free slices", "memory of no page, kept for the next who asks until "    \
                         "the purge policy gives it back")                         \
  X(metadata, "metadata", "records of pages, threads, arenas and samples")         \
  X(other, "other anonymous memory", "thread stacks, the C library's heap, and "   \
                                     "whatever else the process mapped")           \
  X(files, "program and files", "the program's text and data, libraries, mapped "  \
                                "files, shared memory")

struct MemorySplit {
#define TIDEPOOL_X(field, label, doc) uint64_t field = 0;
  TIDEPOOL_MEMORY_CAUSES(TIDEPOOL_X)
#undef TIDEPOOL_X
  uint64_t headers = 0;   // of live: 32 bytes for each object
  uint64_t resident = 0;  // the process's RSS, which the causes add up to
  uint64_t peak = 0;      // the process's highest RSS
  std::string ToJson() const;
};

MemorySplit SplitMemory(const HeapMap& map);

// One self-contained HTML page. `title` is shown on top.
std::string HeapMapHtml(const HeapMap& map, const std::string& title);
// The same figures for programs.
std::string HeapMapJson(const HeapMap& map);

}  // namespace tidepool

#endif  // TIDEPOOL_ALLOCATOR_HEAP_MAP_H_
