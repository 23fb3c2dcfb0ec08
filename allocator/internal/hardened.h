// What the mitigations of hardening.h add to pages and blocks. Nothing here is
// reached from a fast path: hardened pages are never a heap's current page, and
// frees into them take the slow path (Page::kSlow).
//
// A hardened small block, and where its words are:
//
//   block                    + requested          + block_size - 8   + block_size
//   |  what was asked for    |  fill 0xc5 ...      |  tail word       |
//
// The tail word says what was asked for, mixed with the block's address and the page's
// secret, so that it can be neither overwritten unnoticed nor copied from another block.
// A large block has its size in the page record and up to 16 bytes of fill behind it.
//
//   T1  a handed-out block of a page with canaries has a right tail, until its user
//       writes behind its end
//   T2  a dead block's link decodes to null or to a block of its page
//   T3  a block in quarantine has its live bit clear, is filled with 0xdb from its
//       poison offset on, and counts as used with its page
#ifndef TIDEPOOL_ALLOCATOR_INTERNAL_HARDENED_H_
#define TIDEPOOL_ALLOCATOR_INTERNAL_HARDENED_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "tidepool/allocator/hardening.h"
#include "tidepool/allocator/internal/page.h"
#include "tidepool/base/mutex.h"

namespace tidepool::internal {

struct DomainCore;

// Under valgrind every block has a tail that nobody may touch, so that overruns show;
// its last word says how much was asked for.
inline constexpr size_t kWatchedTail = 16;
inline constexpr size_t kTailWord = 8;
inline constexpr size_t kLargeTail = 16;
inline constexpr size_t kQuarantinedMost = 4096;  // larger blocks do not wait

// --- Links: T2. ---
void* DecodeLink(const Page* page, const void* block);
void EncodeLink(const Page* page, void* block, void* next);

// The link of a dead block of the page. On corruption it is reported and null.
inline void* NextOf(const Page* page, const void* block) {
  return __builtin_expect(!page->links, 1) ? GetLink(block, page->link_offset)
                                             : DecodeLink(page, block);
}
inline void SetNext(const Page* page, void* block, void* next) {
  if (__builtin_expect(!page->links, 1)) {
    SetLink(block, page->link_offset, next);
  } else {
    EncodeLink(page, block, next);
  }
}

// --- Tails: T1. ---
void SetTail(Page* page, void* block, size_t requested);
// What was asked for; block_size if the tail is damaged.
size_t TailSize(const Page* page, const void* block);
// False: something was written behind the block's end.
bool TailIsGood(const Page* page, const void* block);

// --- Quarantine: T3. ---
void FillDead(const Page* page, void* block);
bool StillFilled(const Page* page, const void* block);

class Quarantine {
 public:
  static constexpr uint32_t kSlots = 1024;

  explicit Quarantine(uint64_t seed) : random_(seed) {}
  // Takes a block in, and gives one out that is done with waiting, or null.
  void* Swap(void* block);
  // Any block, or null: to empty it.
  void* Take();
  // Drops what belongs to a heap whose blocks all end.
  void Forget(const HeapRecord* thing);
  template <class Visit>
  void ForEach(Visit&& visit) ABSL_LOCKS_EXCLUDED(lock_) {
    MutexLock lock(&lock_);
    for (void* block : slots_) {
      if (block != nullptr) visit(block);
    }
  }
  Mutex& lock() { return lock_; }  // for fork

 private:
  Mutex lock_{0};
  uint64_t random_ ABSL_GUARDED_BY(lock_);
  uint32_t held_ ABSL_GUARDED_BY(lock_) = 0;
  void* slots_[kSlots] ABSL_GUARDED_BY(lock_) = {};
};

// A secret or a die: never 0.
uint64_t NextRandom(DomainCore* core);

}  // namespace tidepool::internal

#endif  // TIDEPOOL_ALLOCATOR_INTERNAL_HARDENED_H_
