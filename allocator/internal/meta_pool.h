// Memory for the records of a domain: pages, thread heaps, arenas, bitmaps.
//
// Kept apart from block memory, so an overrun of a block cannot reach it, and never
// given back before the domain goes, so a record may be looked at by somebody who
// found it in the page map a moment too late. Records are handed out zeroed and
// reused by size: sizes are rounded up to 64 bytes below 4 KiB and to 4 KiB up to
// 64 KiB; larger pieces (bitmaps of very large arenas) are mappings of their own.
//
// Cost: a lock and a list pop. Called on slow paths only.
#ifndef TIDEPOOL_ALLOCATOR_INTERNAL_META_POOL_H_
#define TIDEPOOL_ALLOCATOR_INTERNAL_META_POOL_H_

#include <cstddef>

#include "absl/base/thread_annotations.h"
#include "tidepool/allocator/internal/budget.h"
#include "tidepool/base/mutex.h"
#include "tidepool/base/os.h"

namespace tidepool::internal {

class MetaPool {
 public:
  MetaPool(Os* os, Budget* budget);
  ~MetaPool();
  MetaPool(const MetaPool&) = delete;
  MetaPool& operator=(const MetaPool&) = delete;

  // Zeroed, aligned to 64. Null: refused by the limit or the OS.
  void* Take(size_t size);
  // `size` as it was taken.
  void Give(void* memory, size_t size);

  Mutex& lock() { return lock_; }  // for fork

 private:
  static constexpr size_t kChunkMost = 1 << 20, kChunkLeast = 128 << 10;
  static constexpr size_t kStep = 16 << 10;  // committed at a time
  static constexpr size_t kFine = 4096, kCoarse = 65536;
  static constexpr size_t kLists = 64 + 16;

  struct Link {
    Link* next;
  };
  struct Chunk {
    Chunk* next;
    size_t size;
  };

  static size_t Round(size_t size);
  static size_t ListOf(size_t rounded);
  char* Carve(size_t rounded) ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_);
  bool NewChunk(size_t least) ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_);
  bool CommitTo(char* end) ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_);

  Os* const os_;
  Budget* const budget_;
  const size_t chunk_;
  Mutex lock_;
  Link* lists_[kLists] ABSL_GUARDED_BY(lock_) = {};
  Chunk* chunks_ ABSL_GUARDED_BY(lock_) = nullptr;
  char* next_ ABSL_GUARDED_BY(lock_) = nullptr;       // in the first chunk
  char* committed_ ABSL_GUARDED_BY(lock_) = nullptr;  // ... up to here
  char* end_ ABSL_GUARDED_BY(lock_) = nullptr;
};

}  // namespace tidepool::internal

#endif  // TIDEPOOL_ALLOCATOR_INTERNAL_META_POOL_H_
