// Bitmaps over slices. Searches go by maximal runs of set bits; one slice is found
// by the first non-zero word behind the hint.
#include "tidepool/allocator/internal/arena.h"

#include "tidepool/allocator/internal/page_map.h"
#include "tidepool/base/check.h"

namespace tidepool::internal {
namespace {

bool TestBit(const uint64_t* bits, size_t i) {
  return (bits[i >> 6] >> (i & 63)) & 1;
}

// Sets or clears bits [at, at + n).
void FillBits(uint64_t* bits, size_t at, size_t n, bool value) {
  while (n != 0) {
    size_t offset = at & 63;
    size_t count = n < 64 - offset ? n : 64 - offset;
    uint64_t mask = (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1)
                    << offset;
    if (value) {
      bits[at >> 6] |= mask;
    } else {
      bits[at >> 6] &= ~mask;
    }
    at += count;
    n -= count;
  }
}

// First index >= from whose bit equals `value`, or limit.
size_t FindBit(const uint64_t* bits, size_t from, size_t limit, bool value) {
  if (from >= limit) return limit;
  size_t word = from >> 6;
  uint64_t flip = value ? 0 : ~uint64_t{0};
  uint64_t w = (bits[word] ^ flip) & (~uint64_t{0} << (from & 63));
  while (w == 0) {
    if (++word * 64 >= limit) return limit;
    w = bits[word] ^ flip;
  }
  size_t at = word * 64 + static_cast<size_t>(__builtin_ctzll(w));
  return at < limit ? at : limit;
}

size_t AlignUp(size_t n, size_t align) { return (n + align - 1) & ~(align - 1); }

size_t Words(size_t bits) { return (bits + 63) / 64; }

}  // namespace

ArenaSet::ArenaSet(Os* os, const Options* options, Budget* budget,
                   MetaPool* meta)
    : os_(os),
      options_(options),
      budget_(budget),
      meta_(meta),
      os_page_(os->PageSize()),
      can_purge_(os->CanPurge()),
      lock_(0) {}

ArenaSet::~ArenaSet() {
  for (Arena*& list : arenas_) {
    while (list != nullptr) {
      Arena* next = list->next;
      PageMap::Set(list->start, list->slices, nullptr);
      UnpoisonMemory(list->start, list->slices * kSliceSize);
      os_->Release(list->start, list->slices * kSliceSize);
      list = next;
    }
  }
}

Arena* ArenaSet::NewArena(ArenaSort sort, size_t slices, size_t align,
                          size_t least_align) {
  Counters& counters = budget_->counters();
  // A source with an end: never more than it has, and one arena for every sort of block.
  size_t most = os_->LargestReserve() / kSliceSize;
  if (slices > most) return nullptr;
  if (most != SIZE_MAX / kSliceSize) {
    sort = ArenaSort::kSmall;
    align = least_align;
  }
  size_t align_bytes = align * kSliceSize;
  if (sort == ArenaSort::kHuge && align_bytes < kHugeBlock) {
    align_bytes = kHugeBlock;
  }
  size_t want = AlignUp(options_->arena_reserve, kHugeBlock) / kSliceSize;
  // All but a sixteenth, which is for records.
  if (want > most - most / 16) want = most - most / 16;
  if (want < slices) want = slices;
  bool single = slices > want;
  if (single) want = slices;
  // Less and less while the OS, or the limit for the tables, refuses.
  void* memory = nullptr;
  char* meta = nullptr;
  size_t bytes = 0, tables = 0;
  for (;; want = want / 2 > slices ? want / 2 : slices) {
    bytes = want * kSliceSize;
    tables = AlignUp(sizeof(Arena), 64) + Words(want) * 8 * 3 +
             Words(want / kHugeSlices + 1) * 8 + AlignUp(want, 8);
    memory = os_->Reserve(bytes,
                          align_bytes > kSliceSize ? align_bytes : kSliceSize);
    if (memory != nullptr) {
      if (PageMap::Cover(memory, bytes, os_)) {
        meta = static_cast<char*>(meta_->Take(tables));
      }
      if (meta != nullptr) break;
      os_->Release(memory, bytes);
    }
    if (want == slices) {
      CountUp(counters.os_refusals);
      return nullptr;
    }
  }
  Arena* arena = reinterpret_cast<Arena*>(meta);
  char* table = meta + AlignUp(sizeof(Arena), 64);
  arena->free_bits = reinterpret_cast<uint64_t*>(table);
  arena->dirty_bits = arena->free_bits + Words(want);
  arena->commit_bits = arena->dirty_bits + Words(want);
  arena->huge_bits = arena->commit_bits + Words(want);
  arena->dirty = reinterpret_cast<uint8_t*>(arena->huge_bits +
                                            Words(want / kHugeSlices + 1));
  arena->meta_bytes = tables;
  arena->start = static_cast<char*>(memory);
  arena->slices = want;
  arena->sort = sort;
  arena->single = single;
  arena->free_slices = want;
  FillBits(arena->free_bits, 0, want, true);
  if (sort != ArenaSort::kHuge && !options_->allow_huge_pages) {
    os_->AdviseNoHuge(memory, bytes);
  } else if (sort != ArenaSort::kHuge) {
    os_->AdviseHuge(memory, bytes);
  }
  Arena** list = &arenas_[static_cast<unsigned>(sort)];
  arena->next = *list;
  *list = arena;
  CountUp(counters.reserved, bytes);
  CountUp(counters.arenas);
  PoisonMemory(memory, bytes);
  return arena;
}

bool ArenaSet::Search(Arena* arena, size_t slices, size_t align,
                      bool dirty_only, size_t* at) {
  const uint64_t* bits = dirty_only ? arena->dirty_bits : arena->free_bits;
  size_t limit = arena->slices;
  // Alignment is of addresses; an arena may start at a lesser border.
  size_t base = reinterpret_cast<uintptr_t>(arena->start) >> kSliceShift;
  if (slices == 1 && align == 1) {
    size_t from = arena->hint < limit ? arena->hint : 0;
    size_t found = FindBit(bits, from, limit, true);
    if (found == limit) found = FindBit(bits, 0, from, true);
    if (found == limit || !TestBit(bits, found)) return false;
    *at = found;
    return true;
  }
  // Among the first runs that fit: the one with most dirty memory, or the
  // smallest if dirtiness is given.
  size_t best_score = 0;
  bool have = false;
  int fits = 0;
  for (size_t run = FindBit(bits, 0, limit, true); run < limit && fits < 32;) {
    size_t end = FindBit(bits, run, limit, false);
    size_t start = AlignUp(base + run, align) - base;
    if (start < end && end - start >= slices) {
      ++fits;
      if (dirty_only) {
        size_t score = ~(end - run);
        if (!have || score > best_score) {
          have = true;
          best_score = score;
          *at = start;
        }
      } else {
        // Candidates: the front, and from the first dirty slice on.
        size_t second = FindBit(arena->dirty_bits, start, end, true);
        second = (base + second) / align * align - base;
        if (second < start) second = start;
        if (second > end - slices) {
          second = (base + end - slices) / align * align - base;
        }
        for (size_t candidate : {start, second}) {
          size_t score = 1;
          for (size_t i = 0; i < slices; ++i) score += arena->dirty[candidate + i];
          if (!have || score > best_score) {
            have = true;
            best_score = score;
            *at = candidate;
          }
          if (second == start) break;
        }
      }
    }
    run = FindBit(bits, end, limit, true);
  }
  return have;
}

void ArenaSet::MarkUsed(Arena* arena, size_t at, size_t slices) {
  size_t dirty = 0;
  for (size_t i = at; i < at + slices; ++i) dirty += arena->dirty[i];
  FillBits(arena->free_bits, at, slices, false);
  FillBits(arena->dirty_bits, at, slices, false);
  arena->free_slices -= slices;
  arena->free_dirty -= dirty;
  CountDown(budget_->counters().free_dirty, dirty * os_page_);
}

void ArenaSet::MarkFree(Arena* arena, size_t at, size_t slices) {
  size_t dirty = 0;
  for (size_t i = at; i < at + slices; ++i) {
    TP_DCHECK(!TestBit(arena->free_bits, i));
    dirty += arena->dirty[i];
    if (arena->dirty[i] != 0) {
      arena->dirty_bits[i >> 6] |= uint64_t{1} << (i & 63);
    }
  }
  FillBits(arena->free_bits, at, slices, true);
  arena->free_slices += slices;
  arena->free_dirty += dirty;
  if (at < arena->hint) arena->hint = at;
  CountUp(budget_->counters().free_dirty, dirty * os_page_);
}

bool ArenaSet::TakeFrom(Arena* arena, size_t slices, size_t align,
                        bool dirty_only, Run* run) {
  if (arena->free_slices < slices) return false;
  if (dirty_only && arena->free_dirty < slices) return false;
  size_t at = 0;
  if (!Search(arena, slices, align, dirty_only, &at)) return false;
  MarkUsed(arena, at, slices);
  if (slices == 1) arena->hint = at + 1;
  *run = {arena, arena->start + at * kSliceSize, slices};
  return true;
}

// Without the lock: the slices are ours.
bool ArenaSet::CommitRun(Run* run) {
  Arena* arena = run->arena;
  size_t at = arena->IndexOf(run->start);
  bool all = true;
  {
    MutexLock lock(&lock_);
    all = FindBit(arena->commit_bits, at, at + run->slices, false) ==
          at + run->slices;
  }
  if (all) return true;
  if (!os_->Commit(run->start, run->slices * kSliceSize)) {
    CountUp(budget_->counters().os_refusals);
    Give(arena, run->start, run->slices);
    return false;
  }
  MutexLock lock(&lock_);
  FillBits(arena->commit_bits, at, run->slices, true);
  return true;
}

bool ArenaSet::Take(ArenaSort sort, size_t slices, size_t align, Mode mode,
                    Run* run) {
  const size_t least_align = align;
  if (sort == ArenaSort::kHuge && align < kHugeSlices) align = kHugeSlices;
  bool found = false;
  {
    MutexLock lock(&lock_);
    for (Arena* a = arenas_[static_cast<unsigned>(sort)];
         a != nullptr && !found; a = a->next) {
      found = TakeFrom(a, slices, align, mode == kDirtyOnly, run);
    }
    if (!found && mode == kGrow) {
      Arena* fresh = NewArena(sort, slices, align, least_align);
      if (fresh != nullptr) {
        found = TakeFrom(fresh, slices, fresh->sort == sort ? align : least_align,
                         false, run);
      }
      // No space for another arena: what the other sorts have will do.
      for (unsigned other = 0; other < kArenaSorts && !found; ++other) {
        if (other == static_cast<unsigned>(sort)) continue;
        for (Arena* a = arenas_[other]; a != nullptr && !found; a = a->next) {
          found = TakeFrom(a, slices, least_align, false, run);
        }
      }
    }
  }
  return found && CommitRun(run);
}

bool ArenaSet::TakeBehind(Arena* arena, char* end, size_t slices) {
  size_t at = arena->IndexOf(end);
  Run run = {arena, end, slices};
  {
    MutexLock lock(&lock_);
    if (at + slices > arena->slices) return false;
    if (FindBit(arena->free_bits, at, at + slices, false) != at + slices) {
      return false;
    }
    MarkUsed(arena, at, slices);
  }
  return CommitRun(&run);
}

void ArenaSet::Give(Arena* arena, char* start, size_t slices) {
  MutexLock lock(&lock_);
  MarkFree(arena, arena->IndexOf(start), slices);
}

bool ArenaSet::Extend(Arena* arena, char* from, char* to, bool* was_zero) {
  size_t first = arena->IndexOf(from);
  size_t last = arena->IndexOf(to - 1);
  size_t more = 0;
  bool zero = true;
  for (size_t s = first; s <= last; ++s) {
    char* slice = arena->start + s * kSliceSize;
    size_t begin = s == first ? static_cast<size_t>(from - slice) : 0;
    size_t end = s == last ? static_cast<size_t>(to - slice) : kSliceSize;
    size_t need = (end + os_page_ - 1) / os_page_;
    if (need > arena->dirty[s]) more += need - arena->dirty[s];
    if (arena->dirty[s] * os_page_ > begin) zero = false;
  }
  if (more != 0) {
    if (!budget_->Charge(more * os_page_)) return false;
    for (size_t s = first; s <= last; ++s) {
      char* slice = arena->start + s * kSliceSize;
      size_t end = s == last ? static_cast<size_t>(to - slice) : kSliceSize;
      size_t need = (end + os_page_ - 1) / os_page_;
      if (need > arena->dirty[s]) arena->dirty[s] = static_cast<uint8_t>(need);
    }
  }
  *was_zero = zero;
  return true;
}

size_t ArenaSet::DirtyBytes(Arena* arena, char* start, size_t slices) const {
  size_t at = arena->IndexOf(start);
  size_t dirty = 0;
  for (size_t i = at; i < at + slices; ++i) dirty += arena->dirty[i];
  return dirty * os_page_;
}

size_t ArenaSet::DirtyEnd(Arena* arena, char* start, size_t slices) const {
  size_t at = arena->IndexOf(start);
  for (size_t i = slices; i-- > 0;) {
    if (arena->dirty[at + i] != 0) {
      return i * kSliceSize + arena->dirty[at + i] * os_page_;
    }
  }
  return 0;
}

bool ArenaSet::PurgeRange(char* from, char* to) {
  Counters& counters = budget_->counters();
  size_t bytes = static_cast<size_t>(to - from);
  CountUp(counters.purge_calls);
  if (options_->allow_huge_pages) {
    // A huge page around the hole would fill it again (khugepaged collapses ranges
    // with a single page in use): no huge pages there from now on.
    const uintptr_t low = reinterpret_cast<uintptr_t>(from) & ~(kHugeBlock - 1);
    const uintptr_t high = AlignUp(reinterpret_cast<uintptr_t>(to), kHugeBlock);
    os_->AdviseNoHuge(reinterpret_cast<void*>(low), high - low);
  }
  if (os_->Purge(from, bytes) != PurgeResult::kZeroed) {
    CountUp(counters.purge_kept, bytes);
    return false;
  }
  return true;
}

size_t ArenaSet::ZeroInside(Arena* arena, char* start, size_t slices) {
  size_t at = arena->IndexOf(start);
  size_t end = DirtyEnd(arena, start, slices);
  if (end <= os_page_ || !PurgeRange(start + os_page_, start + end)) return 0;
  size_t pages = 0;
  for (size_t i = 0; i < slices; ++i) {
    pages += arena->dirty[at + i];
    arena->dirty[at + i] = i == 0 ? 1 : 0;
  }
  size_t bytes = (pages - 1) * os_page_;
  budget_->Discharge(bytes);
  CountUp(budget_->counters().purged, bytes);
  return bytes;
}

size_t ArenaSet::PurgeRun(Arena* arena, char* start, size_t slices) {
  size_t at = arena->IndexOf(start);
  size_t purged = 0;
  Counters& counters = budget_->counters();
  for (size_t i = at; i < at + slices;) {
    if (arena->dirty[i] == 0) {
      ++i;
      continue;
    }
    // One call for as many slices as are dirty in a row (a slice that is dirty
    // only in front ends it).
    size_t begin = i;
    size_t pages = 0;
    do {
      pages += arena->dirty[i];
      ++i;
    } while (i < at + slices && arena->dirty[i] != 0 &&
             arena->dirty[i - 1] * os_page_ == kSliceSize);
    char* from = arena->start + begin * kSliceSize;
    char* to = arena->start + (i - 1) * kSliceSize +
               arena->dirty[i - 1] * os_page_;
    size_t bytes = static_cast<size_t>(to - from);
    if (!PurgeRange(from, from + bytes)) continue;
    for (size_t s = begin; s < i; ++s) arena->dirty[s] = 0;
    budget_->Discharge(pages * os_page_);
    CountUp(counters.purged, pages * os_page_);
    purged += pages * os_page_;
  }
  return purged;
}

size_t ArenaSet::PurgeEnd(Arena* arena, char* start, size_t slices, size_t bytes) {
  const size_t end = DirtyEnd(arena, start, slices);
  const size_t from = end > bytes ? (end - bytes) & ~(kHugeBlock - 1) : 0;
  return PurgeRun(arena, start + from, AlignUp(end - from, kSliceSize) / kSliceSize);
}

void ArenaSet::AdviseBlock(Arena* arena, char* start, size_t size) {
  if (arena->sort != ArenaSort::kHuge || !options_->huge_large_blocks) return;
  size_t granule = arena->IndexOf(start) / kHugeSlices;
  size_t whole = size / kHugeBlock;
  size_t tail = size % kHugeBlock;
  bool tail_huge = tail != 0 && kHugeBlock - tail <= size / 32;
  size_t count = whole + (tail_huge ? 1 : 0);
  MutexLock lock(&lock_);
  for (size_t i = 0; i < count;) {
    if (TestBit(arena->huge_bits, granule + i)) {
      ++i;
      continue;
    }
    size_t end = FindBit(arena->huge_bits, granule + i, granule + count, true) -
                 granule;
    os_->AdviseHuge(start + i * kHugeBlock, (end - i) * kHugeBlock);
    FillBits(arena->huge_bits, granule + i, end - i, true);
    i = end;
  }
  if (tail != 0 && !tail_huge && TestBit(arena->huge_bits, granule + whole)) {
    os_->AdviseNoHuge(start + whole * kHugeBlock, kHugeBlock);
    FillBits(arena->huge_bits, granule + whole, 1, false);
  }
}

bool ArenaSet::FreeArena(Arena* arena) {
  Arena** at = &arenas_[static_cast<unsigned>(arena->sort)];
  while (*at != arena) at = &(*at)->next;
  size_t bytes = arena->slices * kSliceSize;
  if (!os_->Release(arena->start, bytes)) return false;
  *at = arena->next;
  UnpoisonMemory(arena->start, bytes);
  CountDown(budget_->counters().reserved, bytes);
  CountDown(budget_->counters().arenas);
  meta_->Give(arena, arena->meta_bytes);
  return true;
}

void ArenaSet::DropSingle() {
  for (Arena* list : arenas_) {
    while (list != nullptr) {
      Arena* next = list->next;
      if (list->single && list->free_slices == list->slices &&
          list->free_dirty == 0) {
        FreeArena(list);
      }
      list = next;
    }
  }
}

bool ArenaSet::Guard(Arena* arena, char* start) {
  PurgeRun(arena, start, 1);  // nothing of it is charged from now on
  return arena->dirty[arena->IndexOf(start)] == 0 && os_->Guard(start, kSliceSize);
}

size_t ArenaSet::ReleaseEmpty() {
  size_t released = 0;
  MutexLock lock(&lock_);
  for (Arena* list : arenas_) {
    while (list != nullptr) {
      Arena* next = list->next;
      if (list->free_slices == list->slices) {
        size_t bytes = list->slices * kSliceSize;
        size_t dirty = list->free_dirty * os_page_;
        if (FreeArena(list)) {
          budget_->Discharge(dirty);
          CountDown(budget_->counters().free_dirty, dirty);
          released += bytes;
        }
      }
      list = next;
    }
  }
  return released;
}

size_t ArenaSet::PurgeFree(size_t bytes) {
  if (!can_purge_) return 0;
  size_t purged = 0;
  // Large runs first: fewer calls.
  for (int sort = kArenaSorts - 1; sort >= 0; --sort) {
    lock_.Lock();
    Arena* arena = arenas_[sort];
    while (arena != nullptr && purged < bytes) {
      size_t from = arena->slices;
      // From the end down, so that the front stays in use.
      while (from > 0 && purged < bytes && arena->free_dirty != 0) {
        size_t last = from;
        while (last > 0 && !TestBit(arena->dirty_bits, last - 1)) {
          if ((last & 63) == 0 && arena->dirty_bits[(last >> 6) - 1] == 0) {
            last -= 64;
          } else {
            --last;
          }
        }
        if (last == 0) break;
        size_t first = last - 1;
        size_t limit = (bytes - purged) / kSliceSize + 1;
        // Whole huge pages, or the kernel would have to split one.
        if (sort == static_cast<int>(ArenaSort::kHuge)) {
          limit = AlignUp(limit, kHugeSlices);
        }
        while (first > 0 && TestBit(arena->dirty_bits, first - 1) &&
               last - first < limit) {
          --first;
        }
        from = first;
        size_t count = last - first;
        MarkUsed(arena, first, count);
        lock_.Unlock();
        // The arena cannot go away: its slices are not all free.
        char* start = arena->start + first * kSliceSize;
        purged += PurgeRun(arena, start, count);
        lock_.Lock();
        MarkFree(arena, first, count);
      }
      arena = arena->next;
    }
    lock_.Unlock();
  }
  MutexLock lock(&lock_);
  DropSingle();
  return purged;
}

bool ArenaSet::Contains(const void* address) const {
  MutexLock lock(&lock_);
  for (Arena* list : arenas_) {
    for (; list != nullptr; list = list->next) {
      const char* p = static_cast<const char*>(address);
      if (p >= list->start && p < list->start + list->slices * kSliceSize) {
        return true;
      }
    }
  }
  return false;
}

void ArenaSet::CheckInvariants() {
  MutexLock lock(&lock_);
  uint64_t total = 0;
  for (Arena* list : arenas_) {
    for (; list != nullptr; list = list->next) {
      size_t free = 0, dirty = 0;
      for (size_t i = 0; i < list->slices; ++i) {
        bool is_free = TestBit(list->free_bits, i);
        free += is_free;
        if (is_free) dirty += list->dirty[i];
        TP_CHECK(TestBit(list->dirty_bits, i) ==
                 (is_free && list->dirty[i] != 0));  // A3
      }
      TP_CHECK(free == list->free_slices);
      TP_CHECK(dirty == list->free_dirty);
      total += dirty * os_page_;
    }
  }
  TP_CHECK(total == free_dirty_bytes());  // A4
}

}  // namespace tidepool::internal
