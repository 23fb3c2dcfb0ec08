// Takes the map, and adds it up by cause.
#include "tidepool/allocator/heap_map.h"

#include <algorithm>

#include "tidepool/allocator/internal/core.h"
#include "tidepool/base/resident.h"

namespace tidepool {

using internal::Arena;
using internal::DomainCore;
using internal::Page;
using internal::PageMap;
using internal::PageState;
using internal::XThread;

namespace {

bool Bit(const uint64_t* bits, size_t i) { return (bits[i >> 6] >> (i & 63)) & 1; }

const char* SortName(internal::ArenaSort sort) {
  switch (sort) {
    case internal::ArenaSort::kSmall: return "small";
    case internal::ArenaSort::kLarge: return "large";
    case internal::ArenaSort::kHuge: return "huge";
  }
  return "?";
}

// A page as a run. Everything read here may be changing: figures.
MapRun PageRun(const Page* page, PageState state) {
  MapRun run = {};
  run.start = page->start;
  run.slices = static_cast<uint32_t>(page->slices);
  run.kind = page->kind;
  run.block_size = page->size();
  run.count = page->extended.load(kRelaxed);
  const uint64_t word = page->xthread.load(kRelaxed);
  const uint32_t used = page->used.load(kRelaxed);
  const uint32_t foreign = XThread::Count(word);
  const uint32_t not_free = std::min(used > foreign ? used - foreign : 0, run.count);
  run.limbo = std::min(page->limbo.load(kRelaxed), not_free);
  run.live = not_free - run.limbo;
  run.abandoned = !XThread::Owned(word);
  internal::Origin* origin = page->origin.load(kRelaxed);
  if (origin != nullptr && origin->generation.load(kRelaxed) ==
                               page->origin_generation.load(kRelaxed)) {
    run.owner_tid = origin->tid.load(kRelaxed);
  }
  if (state == PageState::kDormant) {
    run.state = MapState::kDormant;
    run.live = run.limbo = 0;
    run.abandoned = false;
  } else if (run.limbo != 0) {
    run.state = MapState::kLimbo;
  } else if (state == PageState::kLarge) {
    run.state = MapState::kLarge;
    run.abandoned = false;
  } else {
    run.state = run.live == page->capacity ? MapState::kFull : MapState::kPartly;
  }
  return run;
}

size_t Committed(const Arena& arena, size_t from, size_t slices, size_t os_page) {
  size_t pages = 0;
  for (size_t s = from; s < from + slices; ++s) pages += arena.dirty[s];
  return pages * os_page;
}

// Calls add(run) for the runs of one arena, from its start to its end.
template <class Add>
void WalkArena(const Arena& arena, size_t os_page, Add&& add) {
  for (size_t s = 0; s < arena.slices;) {
    MapRun run = {};
    if (!Bit(arena.free_bits, s)) {
      char* start = arena.start + s * kSliceSize;
      const Page* page = PageMap::LookupAcquire(start);
      if (page != nullptr && page->start == start && page->slices != 0 &&
          s + page->slices <= arena.slices) {
        // Acquire: pairs with the page's making.
        run = PageRun(page, page->state.load(kAcquire));
      } else {
        // In somebody's hands: about to become a page, or being purged.
        run.state = MapState::kFree;
        run.start = start;
        run.slices = 1;
      }
    } else {
      const bool dirty = Bit(arena.dirty_bits, s), was = Bit(arena.commit_bits, s);
      run.start = arena.start + s * kSliceSize;
      run.state = dirty ? MapState::kFree : was ? MapState::kPurged : MapState::kReserved;
      while (s + run.slices < arena.slices && Bit(arena.free_bits, s + run.slices) &&
             Bit(arena.dirty_bits, s + run.slices) == dirty &&
             (dirty || Bit(arena.commit_bits, s + run.slices) == was)) {
        ++run.slices;
      }
    }
    run.committed = Committed(arena, s, run.slices, os_page);
    add(run);
    s += run.slices;
  }
}

}  // namespace

HeapMap GetHeapMap(const HeapDomain& domain) {
  HeapMap map;
  DomainCore* core = const_cast<HeapDomain&>(domain).core();
  const size_t os_page = core->arenas.os_page();
  // Vectors grow without the lock: malloc may be this very domain.
  size_t arenas = 8, runs = 1024;
  for (bool fits = false; !fits;) {
    map.arenas.clear();
    map.runs.clear();
    map.arenas.reserve(arenas);
    map.runs.reserve(runs);
    fits = true;
    core->arenas.ForEachArena([&](const Arena& arena) {
      if (map.arenas.size() == map.arenas.capacity()) fits = false;
      if (!fits) return;
      map.arenas.push_back({arena.start, arena.slices, SortName(arena.sort),
                            map.runs.size(), 0});
      WalkArena(arena, os_page, [&](const MapRun& run) {
        if (map.runs.size() == map.runs.capacity()) {
          fits = false;
        } else {
          map.runs.push_back(run);
        }
      });
      map.arenas.back().runs = map.runs.size() - map.arenas.back().first_run;
    });
    arenas *= 2;
    runs *= 2;
  }
  for (MapRun& run : map.runs) {
    if (run.state != MapState::kReserved) {
      run.resident = ResidentBytes(run.start, run.slices * kSliceSize);
    }
    if (run.state == MapState::kDormant && run.resident == 0) {
      run.state = MapState::kDormantPurged;
    }
  }
  map.stats = domain.GetStats();
  return map;
}

MemorySplit SplitMemory(const HeapMap& map) {
  MemorySplit split;
  for (const MapRun& run : map.runs) {
    if (run.block_size == 0) {
      split.free += run.resident;
      continue;
    }
    if (run.state == MapState::kDormant || run.state == MapState::kDormantPurged) {
      split.dormant += run.resident;
      continue;
    }
    const uint64_t live = std::min<uint64_t>(run.live * run.block_size, run.resident);
    const uint64_t limbo =
        std::min<uint64_t>(run.limbo * run.block_size, run.resident - live);
    split.live += live;
    split.limbo += limbo;
    (run.abandoned ? split.free_abandoned : split.free_owned) +=
        run.resident - live - limbo;
    if (IsObjectKind(run.kind)) split.headers += uint64_t{run.live} * kHeaderSize;
  }
  split.metadata = map.stats.meta;
  const ProcessMemory process = GetProcessMemory();
  split.resident = process.resident;
  split.peak = process.peak;
  split.files = process.files;
  const uint64_t ours = split.live + split.limbo + split.free_owned +
                        split.free_abandoned + split.dormant + split.free +
                        split.metadata + split.files;
  split.other = process.resident > ours ? process.resident - ours : 0;
  return split;
}

std::string MemorySplit::ToJson() const {
  std::string out = "{";
  const auto add = [&out](const char* name, uint64_t value) {
    out += std::string(out.size() > 1 ? "," : "") + "\"" + name + "\":" +
           std::to_string(value);
  };
#define TIDEPOOL_X(field, label, doc) add(#field, field);
  TIDEPOOL_MEMORY_CAUSES(TIDEPOOL_X)
#undef TIDEPOOL_X
  add("headers", headers);
  add("resident", resident);
  add("peak", peak);
  return out + "}";
}

}  // namespace tidepool
