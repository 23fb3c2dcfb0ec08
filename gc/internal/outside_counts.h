// How many references from outside of a set each of its objects has, counted in slices: a
// number for every block that there was when counting began, beside the heap, as no word of
// an object may be borrowed with the world running.
//
// The program runs between two slices, so a number may be wrong, either way. It is a hint as
// to what is alive, and never proof that something is not (docs/pauses.md). Of garbage it is
// right: nothing of that changes.

#ifndef TIDEPOOL_GC_INTERNAL_OUTSIDE_COUNTS_H_
#define TIDEPOOL_GC_INTERNAL_OUTSIDE_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tidepool/gc/internal/os_array.h"
#include "tidepool/gc/internal/page_index.h"
#include "tidepool/object/header.h"

namespace tidepool {
namespace gc_internal {

class OutsideCounts {
 public:
  explicit OutsideCounts(Os* os) : pages_(os), index_(os), counts_(os) {}

  // Has memory for so many blocks faulted in, with the world running.
  void Prepare(size_t blocks) {
    if (!counts_.Reserve(blocks)) return;
    std::memset(static_cast<void*>(counts_.begin()), 0, blocks * sizeof(uint32_t));
  }

  // After Prepare and Stop, in a stop: zero for each block of `table`. False: no memory.
  template <class Table>
  bool Start(Table& table) {
    size_t blocks = 0;
    for (const auto& page : table) {
      if (!pages_.Push(Counted{page.first_header, page.block_size, page.count, blocks})) {
        return false;
      }
      blocks += page.count;
    }
    // Zero, prepared or fresh from the OS.
    if (!counts_.Reserve(blocks) || !index_.Build(&pages_)) return false;
    counts_.set_size(blocks);
    return true;
  }
  void Stop() {
    pages_.Trim(0);
    index_.Release();
    counts_.Trim(0);
  }

  // What lies elsewhere is left out.
  void Add(const ObjectHeader* h, uint32_t n) {
    if (uint32_t* count = CountOf(h)) *count += n;
  }
  // Modulo 2^32; 0 for what lies elsewhere.
  uint32_t Get(const ObjectHeader* h) {
    const uint32_t* count = CountOf(h);
    return count != nullptr ? *count : 0;
  }

 private:
  struct Counted {
    char* first_header;
    size_t block_size;
    size_t count;
    size_t base;  // of its numbers
  };

  uint32_t* CountOf(const ObjectHeader* h) {
    const Counted* page = index_.Find(h);
    if (page == nullptr) return nullptr;
    const size_t i = static_cast<size_t>(reinterpret_cast<const char*>(h) - page->first_header) /
                     page->block_size;
    return &counts_[page->base + i];
  }

  OsArray<Counted> pages_;
  PageIndex<Counted> index_;
  OsArray<uint32_t> counts_;
};

}  // namespace gc_internal
}  // namespace tidepool

#endif  // TIDEPOOL_GC_INTERNAL_OUTSIDE_COUNTS_H_
