// Arenas: reserved address space in slices of 64 KiB, and who has which slice.
//
// Three sorts of arena, so that big and small pages do not cut up each other's
// space and huge pages are advised only where they belong:
//   kSmall  pages of blocks up to 64 KiB (one or eight slices)
//   kLarge  blocks with a page of their own, below 2 MiB
//   kHuge   blocks from 2 MiB on, each at a 2 MiB border
// When one sort can get no space at all, it takes from another.
//
// What a slice costs is one number: `dirty`, the OS pages at its front that are
// charged (written, or about to be). All behind them is zero and costs nothing. So
// "is this memory known to be zero" and "what must be charged to extend a page to
// here" are the same look-up, for fresh, purged and recycled slices alike.
//   A1  dirty[s] of a used slice belongs to whoever has the slice (no lock), of a
//       free one to the arena lock.
//   A2  bytes charged for an arena = sum of dirty[] (less the holes of its pages).
//   A3  bit s of free_bits: slice s is free. Bit s of dirty_bits: free, dirty > 0.
//   A4  free_dirty (counter) = dirty bytes of all free slices.
//
// Free slices are kept dirty for the next taker; purging is the purger's decision
// (purge.h), which takes runs out, purges them without the lock, and gives them back.
//
// Cost: a Take is a scan of the bitmaps, words at a time, from where the last one
// ended. Failure: false; nothing changed. Address space is given back when an arena
// that was made for one block larger than arena_reserve is free and purged.
#ifndef TIDEPOOL_ALLOCATOR_INTERNAL_ARENA_H_
#define TIDEPOOL_ALLOCATOR_INTERNAL_ARENA_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "tidepool/allocator/internal/budget.h"
#include "tidepool/allocator/internal/meta_pool.h"
#include "tidepool/allocator/options.h"
#include "tidepool/allocator/size_class.h"
#include "tidepool/base/mutex.h"
#include "tidepool/base/os.h"

namespace tidepool::internal {

enum class ArenaSort : uint8_t { kSmall = 0, kLarge = 1, kHuge = 2 };
inline constexpr unsigned kArenaSorts = 3;
inline constexpr size_t kHugeBlock = 2 << 20;  // from here on in kHuge
inline constexpr size_t kHugeSlices = kHugeBlock / kSliceSize;

struct Arena {
  Arena* next;
  char* start;
  size_t slices;
  ArenaSort sort;
  bool single;  // made for one block larger than arena_reserve
  size_t free_slices;
  size_t free_dirty;    // OS pages
  size_t hint;          // where the next search for one slice starts
  uint64_t* free_bits;
  uint64_t* dirty_bits;
  uint64_t* commit_bits;  // slices the OS has committed
  uint64_t* huge_bits;    // 2 MiB granules that are advised huge
  uint8_t* dirty;         // by slice, in OS pages
  size_t meta_bytes;      // of the tables together

  size_t IndexOf(const void* p) const {
    return static_cast<size_t>(static_cast<const char*>(p) - start) >>
           kSliceShift;
  }
};

// A run of slices, held by the one who took it.
struct Run {
  Arena* arena;
  char* start;
  size_t slices;
};

class ArenaSet {
 public:
  ArenaSet(Os* os, const Options* options, Budget* budget, MetaPool* meta);
  ~ArenaSet();

  // What a Take may do to satisfy a request, cheapest first.
  enum Mode {
    kDirtyOnly,  // only runs whose every slice is dirty already
    kReserved,   // any free run of the arenas there are
    kGrow,       // reserve another arena
  };
  // `align` in slices, a power of two. The run is committed with the OS, and not
  // charged (see Extend).
  bool Take(ArenaSort sort, size_t slices, size_t align, Mode mode, Run* run);
  // Takes the slices right behind a run, if they are free.
  bool TakeBehind(Arena* arena, char* end, size_t slices);
  // Gives slices back with what is dirty of them.
  void Give(Arena* arena, char* start, size_t slices);

  // --- By the one who has the slices. ---
  // Charges what is not dirty yet of [from, to). False: refused. `was_zero` tells
  // whether all of it was known to be zero.
  bool Extend(Arena* arena, char* from, char* to, bool* was_zero);
  // Bytes that are dirty in the slices.
  size_t DirtyBytes(Arena* arena, char* start, size_t slices) const;
  // Offset of the end of the last dirty OS page: all behind it is zero.
  size_t DirtyEnd(Arena* arena, char* start, size_t slices) const;
  // A block in limbo whose inside may read as zeros: purges all but its first OS
  // page. Returns the bytes.
  size_t ZeroInside(Arena* arena, char* start, size_t slices);
  // Purges [from, to), whole OS pages of slices the caller has. False: not zeroed.
  bool PurgeRange(char* from, char* to);
  // Purges the dirty part; returns the bytes that became zero and free of charge.
  size_t PurgeRun(Arena* arena, char* start, size_t slices);
  // The same for the last `bytes` of the dirty part, or a little more: whole huge pages.
  size_t PurgeEnd(Arena* arena, char* start, size_t slices, size_t bytes);
  // A block of `size` bytes lies at the start of this run of a kHuge arena:
  // advises huge pages where that wastes little.
  void AdviseBlock(Arena* arena, char* start, size_t size);

  // A slice the caller has becomes a guard: any access faults. False: it cannot.
  bool Guard(Arena* arena, char* start);
  // It is an ordinary slice again (zero, committed). False: it stays a guard.
  bool Unguard(char* start) { return os_->Unguard(start, kSliceSize); }

  // Gives every arena without a used slice back to the Os. Returns the bytes.
  size_t ReleaseEmpty();

  // Purges free slices until `bytes` are given back or none are dirty. Returns
  // what was. Any thread; not while holding a lock of a lower rank.
  size_t PurgeFree(size_t bytes);

  uint64_t free_dirty_bytes() const {
    return budget_->counters().free_dirty.load(kRelaxed);
  }
  size_t os_page() const { return os_page_; }
  bool can_purge() const { return can_purge_; }
  bool Contains(const void* address) const;

  // Calls visit(Run) for every run of used slices, with the lock held.
  template <class Visit>
  void ForEachArena(Visit&& visit) ABSL_LOCKS_EXCLUDED(lock_) {
    MutexLock lock(&lock_);
    for (unsigned sort = 0; sort < kArenaSorts; ++sort) {
      for (Arena* a = arenas_[sort]; a != nullptr; a = a->next) visit(*a);
    }
  }
  void CheckInvariants();
  Mutex& lock() { return lock_; }  // for fork

 private:
  bool TakeFrom(Arena* arena, size_t slices, size_t align, bool dirty_only,
                Run* run) ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_);
  bool Search(Arena* arena, size_t slices, size_t align, bool dirty_only,
              size_t* at) ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_);
  void MarkUsed(Arena* arena, size_t at, size_t slices)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_);
  void MarkFree(Arena* arena, size_t at, size_t slices)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_);
  Arena* NewArena(ArenaSort sort, size_t slices, size_t align,
                  size_t least_align)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_);
  bool CommitRun(Run* run);
  void DropSingle() ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_);
  bool FreeArena(Arena* arena) ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_);

  Os* const os_;
  const Options* const options_;
  Budget* const budget_;
  MetaPool* const meta_;
  const size_t os_page_;
  const bool can_purge_;
  mutable Mutex lock_;
  Arena* arenas_[kArenaSorts] ABSL_GUARDED_BY(lock_) = {};
};

}  // namespace tidepool::internal

#endif  // TIDEPOOL_ALLOCATOR_INTERNAL_ARENA_H_
