// Spread counts: deferred objects that every thread counts in a table of its own.
//
// Why. A function that eight threads call is counted twice a call. With one shared word
// that is a cache line going round the cores, and adding threads makes the program slower.
// A *spread* object has no count that changes: its `local` word holds kSpreadBase + id, and
// who takes or drops a reference adds to or takes from entry `id` of its own thread's
// table, with a plain load and store. The header is only read, so every core has it.
//
//   references = (shared >> 2) - kDeferredBias + the sum of all threads' entries
//
// The sum is right at any moment at which nobody counts, so in a stop: there Fold moves
// the entries into the shared words, and the collector works with them as with any other.
// Nothing else may find out that the sum is 0, so a spread object has deferred counting
// (refcount.h): the collector alone frees it, after having taken its id back (Unspread).
//
// Cost: some 2 ns to count, 8 bytes an object and thread. Bound: kMaxIds objects at a time;
// with none left, or no memory for a table, counts go to the shared word, which is as
// right and only slower. That is also why an entry may be left out at any time.
//
// Rejected: uncounted references from stacks alone (CPython 3.13t): needs exact roots of
// everybody who embeds this, native code included, and counts could not be taken back.
//
// Invariants
//   D1 local >= kSpreadBase and not kImmortalLocal: deferred, merged (tid 0), and
//      object_of(local - kSpreadBase) is the object.
//   D2 an id is given out under the lock, taken back in a stop only, with all entries 0.
//   D3 an entry is written by its thread, or with it stopped, or gone.
#ifndef TIDEPOOL_OBJECT_SPREAD_H_
#define TIDEPOOL_OBJECT_SPREAD_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/mutex.h"
#include "tidepool/object/header.h"

namespace tidepool {

class Isolate;
class ThreadState;

// A thread's entries. Part of ThreadState.
class SpreadCounts {
 public:
  SpreadCounts() = default;
  ~SpreadCounts();
  SpreadCounts(const SpreadCounts&) = delete;
  SpreadCounts& operator=(const SpreadCounts&) = delete;

  // The thread itself. False: no entry, and none to be had.
  bool Add(uint32_t id, int64_t delta) {
    if (__builtin_expect(id >= size_, 0) && !Grow(id)) return false;
    // Relaxed: D3; read by others in stops only.
    counts_[id].store(counts_[id].load(kRelaxed) + delta, kRelaxed);
    return true;
  }
  int64_t Get(uint32_t id) const {
    return id < size_ ? counts_[id].load(kRelaxed) : 0;
  }
  // Returns the entry and leaves 0.
  int64_t Take(uint32_t id) {
    if (id >= size_) return 0;
    const int64_t count = counts_[id].load(kRelaxed);
    if (count != 0) counts_[id].store(0, kRelaxed);
    return count;
  }
  uint32_t size() const { return size_; }

 private:
  bool Grow(uint32_t id);
  Atomic<int64_t>* counts_ = nullptr;
  uint32_t size_ = 0;
};

// The ids of an isolate.
class SpreadTable {
 public:
  static constexpr uint32_t kMaxIds = 1 << 16;

  SpreadTable() = default;
  ~SpreadTable();
  SpreadTable(const SpreadTable&) = delete;
  SpreadTable& operator=(const SpreadTable&) = delete;

  // Makes a deferred, merged object spread. False: no id, counts stay shared.
  bool Spread(ObjectHeader* obj);

  // In a stop: all entries of all threads into the shared words.
  void Fold(Isolate* isolate);
  // In a stop: the same for one object, which is an ordinary merged one afterwards.
  void Unspread(Isolate* isolate, ObjectHeader* obj);
  // The entries of a thread that leaves, or does not exist any more.
  void FoldThread(SpreadCounts& counts);

  uint32_t size();  // objects spread now

  // Around fork().
  void LockAll() ABSL_NO_THREAD_SAFETY_ANALYSIS { mutex_.Lock(); }
  void UnlockAll() ABSL_NO_THREAD_SAFETY_ANALYSIS { mutex_.Unlock(); }

 private:
  bool GrowLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FoldLocked(SpreadCounts& counts) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void FreeIdLocked(uint32_t id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Mutex mutex_{0};
  // By id: an object, or (bit 0 set) the next free id << 1, or 1 for the end.
  uintptr_t* entries_ ABSL_GUARDED_BY(mutex_) = nullptr;
  uint32_t capacity_ ABSL_GUARDED_BY(mutex_) = 0;
  uint32_t used_ ABSL_GUARDED_BY(mutex_) = 0;  // ids given out ever
  uint32_t live_ ABSL_GUARDED_BY(mutex_) = 0;
  uint32_t first_free_ ABSL_GUARDED_BY(mutex_) = kMaxIds;
};

}  // namespace tidepool

#endif  // TIDEPOOL_OBJECT_SPREAD_H_
