// See spread.h; D numbers are its invariants.
#include "tidepool/object/spread.h"

#include <cstring>
#include <new>

#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"
#include "tidepool/object/isolate.h"
#include "tidepool/object/thread_state.h"

namespace tidepool {
namespace {

constexpr uint32_t kFirstSize = 256;

uintptr_t FreeEntry(uint32_t next) { return (uintptr_t{next} << 1) | 1; }
bool IsFree(uintptr_t entry) { return (entry & 1) != 0; }

// Relaxed in a stop; acq_rel by a thread that leaves: as every count (S5). The bias keeps
// the word from 0, so nothing dies here.
void AddToShared(ObjectHeader* obj, int64_t count) {
  obj->shared.fetch_add(count * kRefOne, kAcqRel);
}

}  // namespace

SpreadCounts::~SpreadCounts() { delete[] counts_; }

bool SpreadCounts::Grow(uint32_t id) {
  uint32_t size = size_ == 0 ? kFirstSize : size_;
  while (size <= id) size *= 2;
  auto* fresh = new (std::nothrow) Atomic<int64_t>[size];
  if (fresh == nullptr) return false;
  for (uint32_t i = 0; i < size; ++i) {
    fresh[i].store(i < size_ ? counts_[i].load(kRelaxed) : 0, kRelaxed);
  }
  delete[] counts_;
  counts_ = fresh;
  size_ = size;
  return true;
}

SpreadTable::~SpreadTable() { delete[] entries_; }

bool SpreadTable::GrowLocked() {
  const uint32_t capacity = capacity_ == 0 ? kFirstSize : capacity_ * 2;
  if (capacity > kMaxIds) return false;
  auto* fresh = new (std::nothrow) uintptr_t[capacity];
  if (fresh == nullptr) return false;
  if (capacity_ != 0) std::memcpy(fresh, entries_, capacity_ * sizeof(*fresh));
  delete[] entries_;
  entries_ = fresh;
  capacity_ = capacity;
  return true;
}

bool SpreadTable::Spread(ObjectHeader* obj) {
  MutexLock lock(&mutex_);
  uint32_t id = first_free_;
  if (id != kMaxIds) {
    first_free_ = static_cast<uint32_t>(entries_[id] >> 1);
  } else {
    if (used_ == capacity_ && !GrowLocked()) return false;
    id = used_++;
  }
  uint32_t expected = 0;
  // Relaxed: whoever reads the old word counts in the shared one, which is as right. It
  // fails if the object became immortal meanwhile.
  if (!obj->local.compare_exchange_strong(expected, kSpreadBase + id, kRelaxed,
                                          kRelaxed)) {
    entries_[id] = FreeEntry(first_free_);
    first_free_ = id;
    return false;
  }
  entries_[id] = reinterpret_cast<uintptr_t>(obj);
  ++live_;
  return true;
}

void SpreadTable::FoldLocked(SpreadCounts& counts) {
  const uint32_t n = counts.size() < used_ ? counts.size() : used_;
  for (uint32_t id = 0; id < n; ++id) {
    const int64_t count = counts.Take(id);
    if (count == 0) continue;
    TP_DCHECK(!IsFree(entries_[id]));
    AddToShared(reinterpret_cast<ObjectHeader*>(entries_[id]), count);
  }
}

void SpreadTable::Fold(Isolate* isolate) {
  MutexLock lock(&mutex_);
  if (live_ == 0) return;
  isolate->ForEachThread([&](ThreadState* ts) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    if (TIDEPOOL_MUTANT(spread_fold_own_only) && !ts->attached()) return;
    FoldLocked(ts->spread_counts());
  });
  for (uint32_t id = 0; id < used_; ++id) {
    if (IsFree(entries_[id])) continue;
    auto* obj = reinterpret_cast<ObjectHeader*>(entries_[id]);
    if (obj->local.load(kRelaxed) != kSpreadBase + id) FreeIdLocked(id);  // immortal
  }
}

void SpreadTable::FreeIdLocked(uint32_t id) {
  entries_[id] = FreeEntry(first_free_);
  first_free_ = id;
  --live_;
}

void SpreadTable::Unspread(Isolate* isolate, ObjectHeader* obj) {
  const uint32_t local = obj->local.load(kRelaxed);
  if (!IsSpreadLocal(local)) return;
  const uint32_t id = local - kSpreadBase;
  MutexLock lock(&mutex_);
  TP_DCHECK(entries_[id] == reinterpret_cast<uintptr_t>(obj));
  int64_t sum = 0;
  isolate->ForEachThread(
      [&](ThreadState* ts) { sum += ts->spread_counts().Take(id); });
  if (!TIDEPOOL_MUTANT(spread_clear_unfolded)) AddToShared(obj, sum);
  obj->local.store(0, kRelaxed);
  FreeIdLocked(id);
}

void SpreadTable::FoldThread(SpreadCounts& counts) {
  if (counts.size() == 0 || TIDEPOOL_MUTANT(spread_exit_forgets)) return;
  MutexLock lock(&mutex_);
  FoldLocked(counts);
}

uint32_t SpreadTable::size() {
  MutexLock lock(&mutex_);
  return live_;
}

}  // namespace tidepool
