// Changing the size of raw blocks, and freeing them behind lock-free readers.
//
// In place where the class (or, for large blocks, the address space behind) allows.
// Shrinking moves to a smaller class when that saves at least an eighth. A block that
// grows by a little (at most three eighths) is likely to grow again: it moves to a block
// three eighths larger than it was, in a page of the grow queue, where shrinking needs
// a saving of three eighths. So growing step by step copies at most 1/(1 - 8/11) = 3.7
// times the final size, and slack is never mistaken for waste.
#include <cstring>

#include "tidepool/allocator/heap_domain.h"
#include "tidepool/allocator/internal/core.h"
#include "tidepool/allocator/thread_heap.h"
#include "tidepool/base/check.h"

namespace tidepool {

using internal::DomainCore;
using internal::HeapOps;
using internal::kGrowQueue;
using internal::Page;
using internal::PageMap;
using internal::PageState;

namespace {

// From this size on blocks are moved by remapping where the OS can.
constexpr size_t kRemapFrom = 1 << 20;

// Copies the front of a large block to a fresh one, by moving OS pages if that
// pays; `from` reads as zeros then.
void MoveFront(DomainCore* core, void* to, void* from, size_t bytes) {
  size_t os_page = core->arenas.os_page();
  size_t whole = Watched() ? 0 : bytes & ~(os_page - 1);
  size_t moved = 0;
  if (whole >= kRemapFrom && core->os->MovePages(from, to, whole)) {
    moved = whole;
    CountUp(core->counters.remapped, moved);
  }
  if (moved != bytes) {
    memcpy(static_cast<char*>(to) + moved, static_cast<char*>(from) + moved,
           bytes - moved);
    CountUp(core->counters.copied, bytes - moved);
  }
}

bool IsRawBlock(const Page* page, const void* p) {
  if (page == nullptr || page->kind != HeapKind::kRaw) return false;
  if (page->thing != nullptr) return false;  // of a Heap: its holder resizes
  PageState state = page->state.load(kAcquire);  // pairs with its making
  if (state == PageState::kLarge) return p == page->start;
  return state == PageState::kSmall &&
         page->IndexOf(p) < page->extended.load(kAcquire);  // ExtendPage
}

// A block that stays where it is has `size` bytes for its user now; a smallest block's at
// least, of which limbo wants the first word.
void* InPlace(const Page* page, void* block, size_t size) {
  if (size < MinBlockSize(HeapKind::kRaw)) size = MinBlockSize(HeapKind::kRaw);
  UnpoisonMemory(block, size);
  PoisonMemory(static_cast<char*>(block) + size, page->size() - size);
  return block;
}

}  // namespace

void internal::HeapOps::MoveBlock(DomainCore* core, void* to, void* from, size_t bytes,
                        bool large) {
  if (large && bytes >= kRemapFrom) {
    MoveFront(core, to, from, bytes);
  } else {
    memcpy(to, from, bytes);
    CountUp(core->counters.copied, bytes);
  }
}

// Never in place: a use of the old pointer shows.
void* ThreadHeap::ReallocateWatched(void* block, size_t size) {
  const size_t old = HeapOps::RequestedSize(PageMap::Lookup(block), block);
  void* fresh = Allocate(HeapKind::kRaw, size);
  if (fresh == nullptr) return nullptr;
  memcpy(fresh, block, old < size ? old : size);
  Free(block);
  return fresh;
}

void* ThreadHeap::Reallocate(void* block, size_t size) {
  if (block == nullptr) return Allocate(HeapKind::kRaw, size);
  Page* page = PageMap::Lookup(block);
  DomainCore* core = domain_->core();
  if (!IsRawBlock(page, block)) {
    HeapOps::BadFree(core, block, MemoryFault::kWrongUse,
                     "realloc of what is no raw block, or of a Heap's block");
    return nullptr;
  }
  if (page->live_bits != nullptr && !HeapOps::IsLive(page, block)) {
    HeapOps::BadUse(core, MemoryFault::kDoubleFree, "refused to resize", block,
                    "a block that is free already");
    return nullptr;
  }
  if (Watched() || page->tails) return ReallocateWatched(block, size);
  size_t usable = page->size();
  bool large = page->size_class == 0;
  size_t want = size;
  bool grow = false;
  if (size > usable) {
    size_t slack = usable + usable / 8 * 3;
    grow = size <= slack;
    if (grow) want = slack;
  }
  if (large && size <= usable && size >= page->requested) {
    page->requested = size;  // growth into slack
    return InPlace(page, block, size);
  }
  if (large && size > kMediumMax) {
    if (HeapOps::ResizeLarge(page->domain->core(), page, size)) {
      return InPlace(page, block, size);
    }
  } else if (size <= usable) {
    size_t ideal = ClassSize(SizeClass(size));
    size_t saving = usable > ideal ? usable - ideal : 0;
    bool grown = page->queue_kind == kGrowQueue;
    if (saving * 8 < (grown ? usable * 3 : usable)) {
      return InPlace(page, block, size);
    }
  }
  void* fresh = nullptr;
  if (grow) {
    fresh = want <= kMediumMax ? AllocateGrown(want)
                               : AllocateLargeWith(HeapKind::kRaw, want, 1, false);
    if (fresh != nullptr && want > kMediumMax) {
      PageMap::Lookup(fresh)->requested = size;
    }
  }
  if (fresh == nullptr) fresh = Allocate(HeapKind::kRaw, size);
  // A shrink that cannot move stays where it is.
  if (fresh == nullptr) {
    return size <= usable ? InPlace(page, block, size) : nullptr;
  }
  size_t keep = size < usable ? size : usable;
  if (large && page->requested < keep) keep = page->requested;
  UnpoisonMemory(block, keep);  // what was never asked for is copied with the rest
  HeapOps::MoveBlock(core, fresh, block, keep, large);
  Free(block);
  return fresh;
}

// From the pages of blocks that grow.
void* ThreadHeap::AllocateGrown(size_t size) {
  void* block =
      Pop(current_[kGrowQueue][SizeClass(size)], HeapKind::kRaw, size);
  return block != nullptr ? block : AllocateIn(kGrowQueue, size, nullptr);
}

// What can be known for nothing of a block that is to be freed delayed, while `waiting`
// blocks of its page wait already. Each of them is in use (P7), and so is this one if all is
// well: the page's owner compares, or anybody where there is one block.
bool ThreadHeap::FreedBefore(const Page* page, const void* block,
                             uint32_t waiting) const {
  if (limbo_.LastPushed() == block) return true;
  if (page->live_bits != nullptr &&
      (!HeapOps::IsLive(page, block) || HeapOps::IsWaiting(page, block))) {
    return true;
  }
  if (page->size_class == 0) return waiting != 0;
  return HeapOps::IsOurs(this, page) && waiting >= page->used.load(kRelaxed);  // ours
}

void ThreadHeap::FreeDelayed(void* block, bool may_zero) {
  if (block == nullptr) return;
  Page* page = PageMap::Lookup(block);
  DomainCore* core = domain_->core();
  if (!IsRawBlock(page, block) || page->domain != domain_) {
    HeapOps::BadFree(core, block, MemoryFault::kWrongUse,
                     "delayed free of what is no raw block, or of a Heap's block");
    return;
  }
  // Relaxed: P7.
  const uint32_t waiting = page->limbo.fetch_add(1, kRelaxed);
  if (FreedBefore(page, block, waiting)) {
    page->limbo.fetch_sub(1, kRelaxed);  // as it was
    HeapOps::BadFree(core, block, MemoryFault::kDoubleFree,
                     "a block that waits for its readers, or is free already");
    return;
  }
  if (page->live_bits != nullptr) HeapOps::MarkWaiting(page, block, true);
  if (page->tails) HeapOps::TailBeforeLimbo(core, page, block);
  size_t bytes = page->size();
  uint64_t budget = core->options.limbo_budget;
  uint64_t mine = budget / 8;
  bool over = limbo_.bytes() + bytes > mine;
  Seq goal = over ? core->qsbr.Advance() : core->qsbr.Goal();
  CountUp(core->counters.limbo, bytes);
  // A figure; relaxed.
  uint64_t all = core->counters.limbo.load(kRelaxed);
  if (may_zero && page->size_class == 0) {
    page->may_zero = true;
    // Readers are late: the inside goes now, the address after its goal.
    if (all > 2 * budget) {
      core->arenas.ZeroInside(page->arena, page->start, page->slices);
    }
  }
  if (bytes * 4 > mine) {
    // A big one waits for nobody's safepoint in particular.
    Limbo one;
    one.Push(block, bytes, goal);
    core->limbo.Give(one);
    if (!over) core->qsbr.EnsureAdvanced(goal);
  } else {
    limbo_.Push(block, bytes, goal);
    limbo_bytes_.store(limbo_.bytes(), kRelaxed);  // a figure
  }
  if (over || bytes * 4 > mine) Request(kDrain);
  // Once for each eighth of the budget beyond it.
  if (all > budget && all / (mine + 1) != (all - bytes) / (mine + 1)) {
    domain_->RequestAll(kDrain);
  }
}

void* ThreadHeap::ReallocateDelayed(void* p, size_t old_used, size_t new_size,
                                    bool may_zero) {
  void* fresh = Allocate(HeapKind::kRaw, new_size);
  if (fresh == nullptr || p == nullptr) return fresh;
  size_t keep = old_used < new_size ? old_used : new_size;
  Page* page = PageMap::Lookup(p);
  if (may_zero && keep >= kRemapFrom && page != nullptr &&
      page->size_class == 0) {
    MoveFront(domain_->core(), fresh, p, keep);
  } else {
    memcpy(fresh, p, keep);
    CountUp(domain_->core()->counters.copied, keep);
  }
  FreeDelayed(p, may_zero);
  return fresh;
}

}  // namespace tidepool
