// Which page of a table holds the header at an address: a hash of the 64 KiB slices that
// headers lie in, open addressing, at most half full.
//
// Built in each stop that asks (some 10 ns a slice), as pages come and go in between. An
// answer costs one line of a small array and the entry, where a binary search over the
// table costs a dozen misses. Entry: first_header, block_size, count.

#ifndef TIDEPOOL_GC_INTERNAL_PAGE_INDEX_H_
#define TIDEPOOL_GC_INTERNAL_PAGE_INDEX_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tidepool/allocator/size_class.h"
#include "tidepool/base/os.h"
#include "tidepool/gc/internal/os_array.h"

namespace tidepool {
namespace gc_internal {

template <class Entry>
class PageIndex {
 public:
  explicit PageIndex(Os* os) : cells_(os) {}

  // False: no memory; then nothing is found. The table must stay where it is.
  bool Build(OsArray<Entry>* pages) {
    pages_ = pages->begin();
    size_t slices = 0;
    for (const Entry& page : *pages) slices += Last(page) - First(page) + 1;
    size_t size = kLeastCells;
    while (size < 2 * slices) size *= 2;
    cells_.clear();
    mask_ = 0;
    if (!cells_.Reserve(size)) return false;
    cells_.set_size(size);
    std::memset(static_cast<void*>(cells_.begin()), 0, size * sizeof(Cell));
    mask_ = size - 1;
    for (size_t i = 0; i < pages->size(); ++i) {
      for (uint64_t s = First((*pages)[i]); s <= Last((*pages)[i]); ++s) {
        size_t at = Hash(s);
        while (cells_[at].slice != 0) at = (at + 1) & mask_;
        cells_[at] = Cell{s, i};
      }
    }
    return true;
  }

  // The entry whose headers lie around the address; null: none.
  Entry* Find(const void* address) {
    if (mask_ == 0) return nullptr;
    const uint64_t slice = reinterpret_cast<uintptr_t>(address) >> kSliceShift;
    for (size_t at = Hash(slice); cells_[at].slice != 0; at = (at + 1) & mask_) {
      if (cells_[at].slice != slice) continue;
      Entry& page = pages_[cells_[at].page];
      const char* p = static_cast<const char*>(address);
      if (p >= page.first_header && p < page.first_header + page.count * page.block_size) {
        return &page;
      }
    }
    return nullptr;
  }

  void Release() {
    mask_ = 0;
    cells_.Trim(0);
  }

 private:
  struct Cell {
    uint64_t slice;  // 0: free; no memory is there
    size_t page;
  };
  static constexpr size_t kLeastCells = 64;

  static uint64_t First(const Entry& page) {
    return reinterpret_cast<uintptr_t>(page.first_header) >> kSliceShift;
  }
  static uint64_t Last(const Entry& page) {
    return (reinterpret_cast<uintptr_t>(page.first_header) +
            (page.count - 1) * page.block_size) >>
           kSliceShift;
  }
  // Neighbours stay neighbours, so a walk in order of addresses stays in the cache.
  size_t Hash(uint64_t slice) const {
    return static_cast<size_t>(slice ^ (slice >> 20)) & mask_;
  }

  OsArray<Cell> cells_;
  Entry* pages_ = nullptr;
  size_t mask_ = 0;
};

}  // namespace gc_internal
}  // namespace tidepool

#endif  // TIDEPOOL_GC_INTERNAL_PAGE_INDEX_H_
