// Visits live blocks: what a page's free lists, its holes and the threads' chains of
// foreign frees do not hold. During a stop (heap_domain.h).
#include <cstring>

#include "tidepool/allocator/internal/core.h"
#include "tidepool/base/sanitizer.h"

namespace tidepool {

using internal::DomainCore;
using internal::GetLink;
using internal::Page;

namespace {

constexpr size_t kMostBlocks = kSmallPageSize / 16;

struct FreeBits {
  uint64_t words[kMostBlocks / 64];
  bool Test(size_t i) const { return (words[i >> 6] >> (i & 63)) & 1; }
  void Set(size_t i) { words[i >> 6] |= uint64_t{1} << (i & 63); }
};

void MarkHoles(const DomainCore* core, const Page* page, uint32_t extended,
               FreeBits* bits) {
  const size_t os_page = core->arenas.os_page(), size = page->size();
  for (uint32_t i = 0; i < extended; ++i) {
    const size_t last = ((i + 1) * size - 1) / os_page;
    for (size_t k = i * size / os_page; k <= last; ++k) {
      if ((page->holes[k >> 6].load(kRelaxed) >> (k & 63)) & 1) bits->Set(i);
    }
  }
}

}  // namespace

bool HeapDomain::VisitBlocks(uint32_t kind_mask, size_t least, size_t most,
                             absl::FunctionRef<void(const BlockInfo&)> visit) {
  DomainCore* core = core_;
  // Before the walk, which holds a lock of a lower rank.
  const size_t batched = CopyBatches(nullptr, 0);
  const size_t bytes = sizeof(FreeBits) + batched * sizeof(void*);
  FreeBits* bits = static_cast<FreeBits*>(core->meta.Take(bytes));
  if (bits == nullptr) return false;
  const void** batch = reinterpret_cast<const void**>(bits + 1);
  CopyBatches(batch, batched);
  VisitPages(kind_mask, [&](const PageInfo& info) {
    if (info.block_size < least || info.block_size > most) return;
    const Page* page = static_cast<const Page*>(info.page);
    memset(bits, 0, sizeof(*bits));
    if (page->size_class != 0) {
      internal::ForEachFreeBlock(page, [&](void* block) { bits->Set(page->IndexOf(block)); });
      if (page->hole_count != 0) {
        MarkHoles(core, page, static_cast<uint32_t>(info.count), bits);
      }
      for (size_t i = 0; i < batched; ++i) {
        if (batch[i] >= page->start && batch[i] < page->end()) {
          bits->Set(page->IndexOf(batch[i]));
        }
      }
    }
    BlockInfo block = {nullptr, info.block_size, info.kind, info.owner_tid};
    for (size_t i = 0; i < info.count; ++i) {
      if (bits->Test(i)) continue;
      // Relaxed: in a stop. Some dead blocks wait in the quarantine.
      if (page->live_bits != nullptr &&
          ((page->live_bits[i >> 6].load(kRelaxed) >> (i & 63)) & 1) == 0) {
        continue;
      }
      block.block = info.first_block + i * info.block_size;
      visit(block);
    }
  });
  core->meta.Give(bits, bytes);
  return true;
}

// Blocks that threads have freed and not handed over yet; at most `most` are written.
// Returns how many there are.
size_t HeapDomain::CopyBatches(const void** blocks, size_t most) {
  size_t count = 0;
  MutexLock lock(&core_->heaps_lock);
  for (ThreadHeap* h = core_->heaps; h != nullptr; h = h->next_) {
    for (const internal::ForeignChain& chain : h->chains_) {
      const Page* page = chain.page.load(kRelaxed);  // in a stop
      if (page == nullptr) continue;
      const void* block = chain.first;
      for (uint32_t n = chain.count.load(kRelaxed); n != 0; --n, ++count) {
        if (count < most) blocks[count] = block;
        if (n > 1) block = GetLink(block, page->link_offset);
      }
    }
  }
  return count;
}

}  // namespace tidepool
