// Given regions as a source of memory; see region_os.h. First fit over a bitmap: an
// arena or a chunk of records is reserved a few times in a domain's life.
#include "tidepool/base/region_os.h"

#include <cstring>

#include "tidepool/base/check.h"
#include "tidepool/base/sanitizer.h"

namespace tidepool {
namespace {

constexpr size_t kSmall = 256 << 10;      // reservations of records
constexpr size_t kSmallLeast = 256 << 10;  // kept for them at home, at least

bool Test(const uint64_t* bits, size_t i) {
  return (bits[i >> 6] >> (i & 63)) & 1;
}
void Assign(uint64_t* bits, size_t i, bool value) {
  uint64_t bit = uint64_t{1} << (i & 63);
  bits[i >> 6] = value ? bits[i >> 6] | bit : bits[i >> 6] & ~bit;
}

}  // namespace

RegionOs::RegionOs(size_t page_size, Os* inner) : EmbedderOs(page_size, inner) {}

bool RegionOs::Add(void* given, size_t size, const RegionHooks& hooks) {
  size_t page = PageSize();
  uintptr_t from = (reinterpret_cast<uintptr_t>(given) + page - 1) & ~(page - 1);
  uintptr_t to = (reinterpret_cast<uintptr_t>(given) + size) & ~(page - 1);
  if (to <= from || to - from < 4 * page) return false;
  size_t pages = (to - from) / page;
  size_t words = (pages + 63) / 64;
  size_t tables = (sizeof(Region) + 3 * words * 8 + page - 1) / page;
  if (tables >= pages) return false;
  char* start = reinterpret_cast<char*>(from);
  if (hooks.commit != nullptr &&
      !hooks.commit(hooks.arg, start, tables * page)) {
    return false;
  }
  memset(start, 0, tables * page);
  Region* region = reinterpret_cast<Region*>(start);
  region->given = given;
  region->start = start;
  region->pages = pages;
  region->tables = tables;
  region->hooks = hooks;
  region->used_bits = reinterpret_cast<uint64_t*>(region + 1);
  region->committed_bits = region->used_bits + words;
  region->touched_bits = region->committed_bits + words;
  for (size_t i = 0; i < tables; ++i) Assign(region->used_bits, i, true);
  MutexLock lock(&lock_);
  region->small_from = pages;
  if (regions_ == nullptr) {
    size_t keep = pages / 16;
    if (keep * page < kSmallLeast) keep = kSmallLeast / page;
    if (keep < 8) keep = 8;
    if (keep > pages / 4) keep = pages / 4;
    region->small_from = pages - keep;
    regions_ = region;
  } else {
    region->next = regions_->next;
    regions_->next = region;
  }
  return true;
}

bool RegionOs::Withdraw(void* given) {
  MutexLock lock(&lock_);
  for (Region** at = &regions_; *at != nullptr; at = &(*at)->next) {
    Region* region = *at;
    if (region->given != given) continue;
    if (region->used != 0) return false;
    *at = region->next;
    if (region->hooks.decommit != nullptr) {
      RegionHooks hooks = region->hooks;
      hooks.decommit(hooks.arg, region->start, region->tables * PageSize());
    }
    return true;
  }
  return false;
}

size_t RegionOs::UsedBytes() const {
  MutexLock lock(&lock_);
  size_t pages = 0;
  for (Region* r = regions_; r != nullptr; r = r->next) {
    pages += r->used + r->tables;
  }
  return pages * const_cast<RegionOs*>(this)->PageSize();
}

size_t RegionOs::MemoryTotal() {
  MutexLock lock(&lock_);
  size_t pages = 0;
  for (Region* r = regions_; r != nullptr; r = r->next) pages += r->pages;
  return pages * PageSize();
}

size_t RegionOs::LargestReserve() {
  MutexLock lock(&lock_);
  // From a 64 KiB border on, as arenas want it.
  size_t best = 0;
  size_t page = PageSize();
  for (Region* r = regions_; r != nullptr; r = r->next) {
    uintptr_t start = reinterpret_cast<uintptr_t>(r->start);
    size_t run = 0;
    for (size_t i = r->tables; i < r->small_from; ++i) {
      bool border = (start + i * page) % (64 << 10) == 0;
      run = Test(r->used_bits, i) ? 0 : run != 0 || border ? run + 1 : 0;
      if (run > best) best = run;
    }
  }
  return best * page;
}

bool RegionOs::CanPurge() {
  MutexLock lock(&lock_);
  for (Region* r = regions_; r != nullptr; r = r->next) {
    if (r->hooks.purge != nullptr) return true;
  }
  return false;
}

// The first free run of `pages` within [from, to) of the region.
void* RegionOs::ReserveIn(Region* region, size_t from, size_t to, size_t pages,
                          size_t alignment) {
  size_t page = PageSize();
  if (pages > to - from) return nullptr;
  for (size_t at = from; at + pages <= to;) {
    uintptr_t address = reinterpret_cast<uintptr_t>(region->start) + at * page;
    uintptr_t aligned = (address + alignment - 1) & ~(alignment - 1);
    at += (aligned - address) / page;
    if (at + pages > to) return nullptr;
    size_t run = 0;
    while (run < pages && !Test(region->used_bits, at + run)) ++run;
    if (run == pages) {
      for (size_t i = at; i < at + pages; ++i) {
        Assign(region->used_bits, i, true);
      }
      region->used += pages;
      return region->start + at * page;
    }
    at += run + 1;
  }
  return nullptr;
}

void* RegionOs::Reserve(size_t size, size_t alignment) {
  size_t page = PageSize();
  size_t pages = size / page;
  if (alignment < page) alignment = page;
  bool small = size <= kSmall && alignment == page;
  MutexLock lock(&lock_);
  if (small && regions_ != nullptr) {
    Region* home = regions_;
    void* p = ReserveIn(home, home->small_from, home->pages, pages, alignment);
    if (p != nullptr) return p;
  }
  for (Region* r = regions_; r != nullptr; r = r->next) {
    void* p = ReserveIn(r, r->tables, r->small_from, pages, alignment);
    if (p != nullptr) return p;
  }
  return nullptr;
}

RegionOs::Region* RegionOs::Find(const void* address) {
  const char* p = static_cast<const char*>(address);
  for (Region* r = regions_; r != nullptr; r = r->next) {
    if (p >= r->start && p < r->start + r->pages * PageSize()) return r;
  }
  return nullptr;
}

bool RegionOs::Release(void* address, size_t size) {
  size_t page = PageSize();
  MutexLock lock(&lock_);
  Region* r = Find(address);
  TP_CHECK(r != nullptr);
  size_t at = static_cast<size_t>(static_cast<char*>(address) - r->start) / page;
  if (r->hooks.decommit != nullptr) {
    r->hooks.decommit(r->hooks.arg, address, size);
  }
  for (size_t i = at; i < at + size / page; ++i) {
    TP_CHECK(i >= r->tables && i < r->pages && Test(r->used_bits, i));
    Assign(r->used_bits, i, false);
    Assign(r->committed_bits, i, false);
    --r->used;
  }
  return true;
}

bool RegionOs::Commit(void* address, size_t size) {
  size_t page = PageSize();
  MutexLock lock(&lock_);
  Region* r = Find(address);
  TP_CHECK(r != nullptr);
  size_t at = static_cast<size_t>(static_cast<char*>(address) - r->start) / page;
  size_t end = at + size / page;
  TP_CHECK(end <= r->pages);
  for (size_t i = at; i < end;) {
    if (Test(r->committed_bits, i)) {
      ++i;
      continue;
    }
    size_t from = i;
    while (i < end && !Test(r->committed_bits, i)) ++i;
    char* start = r->start + from * page;
    if (r->hooks.commit != nullptr &&
        !r->hooks.commit(r->hooks.arg, start, (i - from) * page)) {
      return false;
    }
    for (size_t k = from; k < i; ++k) {
      if (!r->hooks.zeroed || Test(r->touched_bits, k)) {
        UnpoisonMemory(r->start + k * page, page);
        memset(r->start + k * page, 0, page);
      }
      Assign(r->committed_bits, k, true);
      Assign(r->touched_bits, k, true);
    }
  }
  return true;
}

bool RegionOs::Decommit(void* address, size_t size) {
  size_t page = PageSize();
  MutexLock lock(&lock_);
  Region* r = Find(address);
  TP_CHECK(r != nullptr);
  if (r->hooks.decommit == nullptr ||
      !r->hooks.decommit(r->hooks.arg, address, size)) {
    return false;
  }
  size_t at = static_cast<size_t>(static_cast<char*>(address) - r->start) / page;
  for (size_t i = at; i < at + size / page; ++i) {
    Assign(r->committed_bits, i, false);
  }
  return true;
}

PurgeResult RegionOs::Purge(void* address, size_t size) {
  RegionHooks hooks;
  {
    MutexLock lock(&lock_);
    Region* r = Find(address);
    TP_CHECK(r != nullptr);
    hooks = r->hooks;
  }
  if (hooks.purge == nullptr) return PurgeResult::kKept;
  return hooks.purge(hooks.arg, address, size);
}

}  // namespace tidepool
