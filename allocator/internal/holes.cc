// Holes: OS pages inside a partly used page that hold no live block and were given
// back to the OS.
//
// A hole's blocks are all free, and none of them is in a free list (its link would
// be gone). `holes` has one bit per OS page of the page. FillHoles takes the holes
// under one block back: bits cleared, memory charged, and every block linked whose
// last hole that was. So a block is linked exactly once.
//
// Only the page's owner calls these. A lock-free reader may look at headers in a
// hole meanwhile: it sees the dead header or zeros, both dead (design, rule 2).
//   H1  a hole overlaps no live block and no block of free, local_free or xthread
//   H2  every free extended block is in a list or overlaps a hole
#include <cstring>

#include "tidepool/allocator/internal/core.h"
#include "tidepool/base/check.h"

namespace tidepool::internal {
namespace {

// Blocks of a page, and its OS pages, as bits.
constexpr size_t kMostBlocks = kSmallPageSize / 16;
struct Bits {
  uint64_t words[kMostBlocks / 64];
  bool Test(size_t i) const { return (words[i >> 6] >> (i & 63)) & 1; }
  void Set(size_t i) { words[i >> 6] |= uint64_t{1} << (i & 63); }
};
constexpr size_t kMostOsPages = kMediumPageSize / 4096;
static_assert(kMostOsPages <= kMostBlocks);

void MarkList(const Page* page, void* list, Bits* bits) {
  for (; list != nullptr; list = NextOf(page, list)) {
    bits->Set(page->IndexOf(list));
  }
}

bool HoleAt(const Page* page, size_t os_index) {
  if (page->holes == nullptr) return false;
  // Relaxed: only the owner writes them; stats use hole_count.
  return (page->holes[os_index >> 6].load(kRelaxed) >> (os_index & 63)) & 1;
}

void SetHole(Page* page, size_t os_index, bool value) {
  Atomic<uint64_t>& word = page->holes[os_index >> 6];
  uint64_t bit = uint64_t{1} << (os_index & 63);
  uint64_t old = word.load(kRelaxed);  // relaxed: as above
  word.store(value ? old | bit : old & ~bit, kRelaxed);
}

size_t HoleTableBytes(const DomainCore* core, const Page* page) {
  size_t os_pages = page->slices * kSliceSize / core->arenas.os_page();
  return (os_pages + 63) / 64 * 8;
}

}  // namespace

size_t HeapOps::PurgeHoles(DomainCore* core, Page* page) {
  size_t os_page = core->arenas.os_page();
  if (os_page > kSliceSize || !core->arenas.can_purge()) return 0;
  size_t size = page->size();
  uint32_t extended = page->extended.load(kRelaxed);  // ours
  uint32_t used = page->used.load(kRelaxed);          // ours
  uint32_t idle = extended - used;
  // Not worth a look: less than an OS page could be free.
  if (static_cast<size_t>(idle) * size < os_page) return 0;
  if (page->thing == nullptr) CollectForeign(core, page);  // else G3
  Sampler::Reunite(page);
  Bits free_blocks;
  memset(&free_blocks, 0, sizeof(free_blocks));
  MarkList(page, page->free, &free_blocks);
  MarkList(page, page->local_free, &free_blocks);
  // Blocks under holes are free too.
  for (uint32_t i = 0; page->hole_count != 0 && i < extended; ++i) {
    size_t first = i * size / os_page, last = ((i + 1) * size - 1) / os_page;
    for (size_t k = first; k <= last; ++k) {
      if (HoleAt(page, k)) free_blocks.Set(i);
    }
  }
  // OS pages that become holes: dirty, wholly within the extended blocks, no live
  // block in them. Behind the last block a page can have there is nobody's memory, so that
  // the OS page in which that ends counts as within.
  Bits fresh;
  memset(&fresh, 0, sizeof(fresh));
  size_t os_pages = extended * size / os_page;
  if (extended == page->capacity && extended * size % os_page != 0) ++os_pages;
  size_t found = 0;
  for (size_t k = 0; k < os_pages; ++k) {
    if (HoleAt(page, k)) continue;
    uint32_t first = static_cast<uint32_t>(k * os_page / size);
    uint32_t last = static_cast<uint32_t>(((k + 1) * os_page - 1) / size);
    if (last >= extended) last = extended - 1;
    bool live = false;
    for (uint32_t i = first; i <= last && !live; ++i) {
      live = !free_blocks.Test(i);
    }
    if (!live) {
      fresh.Set(k);
      ++found;
    }
  }
  if (found == 0) return 0;
  if (page->holes == nullptr) {
    page->holes = static_cast<Atomic<uint64_t>*>(
        core->meta.Take(HoleTableBytes(core, page)));
    if (page->holes == nullptr) return 0;
  }
  size_t purged = 0;
  for (size_t k = 0; k < os_pages;) {
    if (!fresh.Test(k)) {
      ++k;
      continue;
    }
    size_t end = k + 1;
    while (end < os_pages && fresh.Test(end)) ++end;
    if (core->arenas.PurgeRange(page->start + k * os_page,
                                page->start + end * os_page)) {
      for (size_t i = k; i < end; ++i) SetHole(page, i, true);
      page->hole_count += static_cast<uint32_t>(end - k);
      purged += (end - k) * os_page;
    }
    k = end;
  }
  core->budget.Discharge(purged);
  CountUp(core->counters.purged, purged);
  CountUp(core->counters.holes, purged);
  // The lists anew, in order of address: free blocks without a hole.
  page->free = page->local_free = nullptr;
  page->free_is_zero = false;
  for (uint32_t i = extended; i-- > 0;) {
    if (!free_blocks.Test(i)) continue;
    size_t first = i * size / os_page, last = ((i + 1) * size - 1) / os_page;
    bool hole = false;
    for (size_t k = first; k <= last; ++k) hole |= HoleAt(page, k);
    if (hole) continue;
    void* block = page->start + i * size;
    SetNext(page, block, page->free);
    page->free = block;
  }
  return purged;
}

bool HeapOps::FillHoles(DomainCore* core, Page* page) {
  if (page->hole_count == 0) return false;
  size_t os_page = core->arenas.os_page();
  size_t size = page->size();
  uint32_t extended = page->extended.load(kRelaxed);  // ours
  size_t k = 0;
  while (!HoleAt(page, k)) ++k;
  // The block in which the first hole begins or lies, and all holes under it.
  size_t block = k * os_page / size;
  size_t first = block * size / os_page;
  size_t last = ((block + 1) * size - 1) / os_page;
  size_t filled = 0;
  for (size_t i = first; i <= last; ++i) filled += HoleAt(page, i) ? 1 : 0;
  if (!core->budget.Charge(filled * os_page)) return false;
  CountDown(core->counters.holes, filled * os_page);
  bool cleared[kMostOsPages] = {};
  for (size_t i = first; i <= last; ++i) {
    if (!HoleAt(page, i)) continue;
    SetHole(page, i, false);
    cleared[i] = true;
  }
  page->hole_count -= static_cast<uint32_t>(filled);
  size_t from = first * os_page / size;
  size_t to = ((last + 1) * os_page - 1) / size;
  for (size_t i = to + 1; i-- > from;) {
    if (i >= extended) continue;
    size_t b = i * size / os_page, e = ((i + 1) * size - 1) / os_page;
    bool was = false, still = false;
    for (size_t j = b; j <= e; ++j) {
      was |= cleared[j];
      still |= HoleAt(page, j);
    }
    if (!was || still) continue;
    void* p = page->start + i * size;
    SetNext(page, p, page->free);
    page->free = p;
  }
  page->free_is_zero = false;
  return page->free != nullptr;
}

void HeapOps::DropHoles(DomainCore* core, Page* page) {
  if (page->hole_count != 0) {
    // The slices' dirty counts know no holes, so they are charged again; the next
    // purge of the run discharges all of it.
    size_t bytes = page->hole_count * core->arenas.os_page();
    core->budget.ChargeAnyway(bytes);
    CountDown(core->counters.holes, bytes);
  }
  core->meta.Give(page->holes, HoleTableBytes(core, page));
  page->holes = nullptr;
  page->hole_count = 0;
}

}  // namespace tidepool::internal
