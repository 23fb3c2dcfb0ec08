// Growth and writing of the page map. A leaf is published by one CAS; the loser
// of a race gives its memory back.
#include "tidepool/allocator/internal/page_map.h"

#include "tidepool/base/os.h"

namespace tidepool::internal {

Atomic<Atomic<Page*>*> PageMap::root_[PageMap::kRootSize];

namespace {
// The first leaves, enough for most processes, which then ask nobody for them (they
// belong to no domain's source of memory). Zero memory that nobody has touched is
// free of charge.
constexpr size_t kOwnLeaves = 4;
alignas(4096) Atomic<Page*> g_leaves[kOwnLeaves][PageMap::kLeafSize];
Atomic<size_t> g_leaves_used;
}  // namespace

bool PageMap::Cover(const void* start, size_t size, Os* /*domain_os*/) {
  // Leaves are the process's and stay for ever: from the OS, and never from a domain's own
  // source, whose memory goes back to the embedder one day.
  Os* const os = RealOs();
  uintptr_t first = reinterpret_cast<uintptr_t>(start) >> kSliceShift;
  uintptr_t last =
      (reinterpret_cast<uintptr_t>(start) + size - 1) >> kSliceShift;
  for (uintptr_t top = first >> kLeafBits; top <= last >> kLeafBits; ++top) {
    if (top >= kRootSize) return false;
    // Acquire: pairs with the CAS below, so that the leaf reads as zero.
    if (root_[top].load(kAcquire) != nullptr) continue;
    if (g_leaves_used.load(kRelaxed) < kOwnLeaves) {
      // Relaxed: the CAS publishes. A leaf that loses its race stays unused.
      size_t n = g_leaves_used.fetch_add(1, kRelaxed);
      Atomic<Page*>* none = nullptr;
      if (n < kOwnLeaves) {
        root_[top].compare_exchange_strong(none, g_leaves[n], kAcqRel, kAcquire);
        continue;
      }
    }
    constexpr size_t kBytes = kLeafSize * sizeof(Atomic<Page*>);
    void* memory = os->Reserve(kBytes, os->PageSize());
    if (memory == nullptr) return false;
    if (!os->Commit(memory, kBytes)) {
      os->Release(memory, kBytes);
      return false;
    }
    Atomic<Page*>* expected = nullptr;
    // Release: pairs with the acquire load above and, through whatever hands a
    // block over, with Lookup.
    if (!root_[top].compare_exchange_strong(
            expected, static_cast<Atomic<Page*>*>(memory), kAcqRel, kAcquire)) {
      os->Release(memory, kBytes);
    }
  }
  return true;
}

void PageMap::Set(const void* start, size_t slices, Page* page) {
  uintptr_t slice = reinterpret_cast<uintptr_t>(start) >> kSliceShift;
  while (slices != 0) {
    // Relaxed: Cover() ran before in program order or under the arena's lock.
    Atomic<Page*>* leaf = root_[slice >> kLeafBits].load(kRelaxed);
    size_t index = slice & (kLeafSize - 1);
    size_t count = slices < kLeafSize - index ? slices : kLeafSize - index;
    for (size_t i = 0; i < count; ++i) {
      // Release: the page's fields before its entry (stats walk the map).
      leaf[index + i].store(page, kRelease);
    }
    slice += count;
    slices -= count;
  }
}

}  // namespace tidepool::internal
