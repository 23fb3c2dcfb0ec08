// A page: a run of slices that holds blocks of one size and kind, described by
// a Page record that lives apart from the blocks.
//
// Words used in this layer:
//   page owner   the one who may change a page's plain fields: a thread heap, a
//                freeing thread that claimed the page for a moment, or whoever
//                holds its list's lock and took it out (dormant pages)
//   full         every block of the page is handed out, as far as its owner saw
//   abandoned    nobody owns the page; its blocks are still in use
//   available    abandoned with free blocks, and listed in the domain's bins
//   dormant      empty, keeps its layout, waits in the domain's pool
//   extended     blocks [0, extended) were initialised (linked at least once)
//
// Two free lists. The owner allocates from `free` and frees to it; others push to
// `xthread`, which the owner collects when `free` is used up. (`local_free` keeps
// what is collected before that.) Until the owner's first free, `free` of a fresh
// page holds nothing but zeroed blocks (free_is_zero), which is what lets calloc
// skip its work. The heap profile may cut `free` into pieces (sampler.h).
//
// The word `xthread` carries the protocol of page ownership:
//
//   bits 63..48  number of blocks in the list
//   bits 47..4   first block of the list (blocks are 16-aligned)
//   bit 1        listed: meaningful while unowned, says that the page is in a bin
//   bit 0        owned
//
//   #   state             event                 next        who           order
//   X1  owned, list       free by another       owned, +n   freeing       acq_rel CAS
//                                                           thread
//   X2  owned, list       collect               owned, -    owner         acq_rel exchange
//   X3  owned, empty      abandon / let go      unowned, -  owner         release CAS; fails
//                                                                         when X1 came first
//   X4  unowned,          free by another       owned, n    freeing       acq_rel CAS; it is
//       unlisted          (claims)                          thread        the owner now (n = 0
//                                                                         when the thread that
//                                                                         made it takes it back)
//   X5  unowned, listed   adopt from the bins   owned, list heap, under   acq_rel CAS
//                                                           the bin lock
//   X6  unowned, listed   free by another       listed, +n  freeing       acq_rel CAS
//                                                           thread
//   X7  unowned, listed,  the one whose X6      owned, list that thread   acq_rel CAS from
//       count == used     freed the last block                            its own X6's word
// X3 releases the owner's writes to X4-X7; X1 and X6 release blocks to X2. So a full
// abandoned page is claimed by the first foreign free (which lists it), an available
// one by the last (which lets it go), and frees in between are one CAS. While a page
// is unowned nobody writes `used`, and X6 acquires X3, so the comparison in X7 is
// right or somebody else has become the owner since, who looks for himself.
//
//   P1  used = live blocks + blocks in xthread (+ blocks in freeing threads' chains)
//   P2  blocks in free + cut off + local_free + used + not yet extended + purged
//       = capacity
//   P3  a page is in a bin's list only while abandoned or owned by a claimer; only
//       its owner puts it there or takes it out, under the bin's lock
//   P4  owner != 0 only if xthread's owned bit is set
//   P5  a dormant page has used = 0, is owned by the pool and in no heap
//   P6  object kinds: blocks [0, sane) have had this layout since the last goal, or
//       are zero: extending the page over them touches no header word. Beyond, the
//       memory may have been anything, and headers are zeroed as blocks are made
//       (no reader can look there: the layout was changed after its goal).
//   P7  limbo <= used, for the page's owner: who drains a block lowers `limbo` before he
//       frees it, and X2 (or his own free) comes before `used` goes down
//
// The word `owner` (the heap, with kSlow when frees must take the slow path, or
// 0) is written by the page's owner only. A thread that compares it with its own
// heap reads a value that only it could have written, so relaxed is enough; for
// everybody else any value that is not its own heap means "not mine".
#ifndef TIDEPOOL_ALLOCATOR_INTERNAL_PAGE_H_
#define TIDEPOOL_ALLOCATOR_INTERNAL_PAGE_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tidepool/allocator/heap_kind.h"
#include "tidepool/allocator/size_class.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/sanitizer.h"

namespace tidepool {
class HeapDomain;
class ThreadHeap;
}  // namespace tidepool

namespace tidepool::internal {

struct Arena;
struct SampleCuts;
struct HeapRecord;

// Heap kinds plus one: raw blocks that grow (realloc) live in pages of their
// own, so that their slack is not taken for waste when they are resized again.
inline constexpr unsigned kQueueKindCount = 5;
inline constexpr unsigned kGrowQueue = 4;
inline constexpr HeapKind QueueKind(unsigned queue_kind) {
  return queue_kind == kGrowQueue ? HeapKind::kRaw
                                  : static_cast<HeapKind>(queue_kind);
}

// Who made a page: one record per thread heap, never given back while the domain
// lives; `generation` changes when the thread leaves, so a page whose thread has
// gone is told from one whose thread lives, whatever became of the record.
struct Origin {
  Atomic<uint64_t> generation;
  Atomic<uint64_t> tid;
};

enum class PageState : uint8_t {
  kNone = 0,     // record unused
  kSmall = 1,    // a page of blocks, owned or abandoned
  kLarge = 2,    // one live block
  kDormant = 3,  // empty, in the pool
};

// Index of block p in a page without a division: block sizes are odd << shift,
// so offset / size is offset * inverse(odd) rotated; an offset that is no
// multiple of the size gives a number above any block count.
inline uint32_t InverseOdd(uint32_t odd) {
  uint32_t x = odd;  // right in 3 bits, doubled by each step
  for (int i = 0; i < 5; ++i) x *= 2 - odd * x;
  return x;
}

struct alignas(64) Page {
  static constexpr uintptr_t kSlow = 1;

  // --- Read by every free. ---
  Atomic<uintptr_t> owner;
  char* start;
  uint64_t magic;            // see HoldsBlockAt; these two by the owner only
  size_t limit;              // bytes of the extended blocks; 0 for large
  uint32_t inverse;
  Atomic<uint32_t> extended;
  uint8_t shift;
  uint8_t queue_kind;
  HeapKind kind;
  uint8_t size_class;        // 0 for large
  Atomic<PageState> state;
  uint8_t link_offset;
  Atomic<uint8_t> sampled;   // has or had blocks of the heap profile, and no others
  Atomic<size_t> block_size; // bytes a user may use; stats read it: size()
  HeapDomain* domain;

  // --- Changed by the owner at every allocation and free. ---
  alignas(64) void* free;
  void* local_free;
  Atomic<uint32_t> used;  // stats read it from outside, relaxed
  uint32_t free_is_zero;  // bool; right behind `used`, see SetUsedAfterFree
  uint32_t capacity;
  bool in_bin;       // P3
  bool full;         // in its heap's list of full pages
  bool slow;         // no inline path: hardened, or a tool watches
  uint8_t retire;    // > 0: empty, given up after so many slow paths
  bool purged;       // dormant: its memory was given back
  Page* next;        // heap queue, full list, bin or pool
  Page* prev;
  Arena* arena;

  // --- Changed by others. ---
  alignas(64) Atomic<uint64_t> xthread;
  Atomic<Origin*> origin;
  Atomic<uint64_t> origin_generation;
  Atomic<uint8_t> owner_changed;
  Atomic<uint32_t> limbo;    // live blocks that wait in limbo: P7
  size_t slices;             // of the whole page
  size_t requested;          // large: what was asked for last
  union {
    uint64_t goal;       // object kinds: QSBR goal of the time it became empty
    Page* pending_next;  // of a Heap: in its `pending` (heap_record.h)
  };
  size_t pool_bytes;         // dormant: dirty bytes as counted
  Page* age_next;            // dormant: by age; of a Heap: all of its pages
  Page* age_prev;
  uint32_t sane;             // blocks [0, sane) hold a header or zeros
  bool may_zero;             // large, in limbo: its inside may read as zeros
  size_t zero_from;          // from this offset on, zero when the page was made
  Atomic<uint64_t>* holes;   // purged OS pages, or null: see hole.h
  uint32_t hole_count;       // set bits in holes
  uint32_t sample_epoch;     // counts the times the page was empty and laid out
  SampleCuts* cuts;          // of `free`, by the heap profile, or null: sampler.h
  // Hardened: one bit per block handed out, then one per block that waits in limbo.
  Atomic<uint64_t>* live_bits;
  HeapRecord* thing;         // the Heap it belongs to, or null
  // Hardened (hardened.h): a secret, whether links are encoded with it and blocks have
  // tails, and whether the slice behind the page is a guard.
  uint64_t secret;
  bool links;
  bool tails;
  bool guarded;

  char* end() const { return start + slices * kSliceSize; }
  // Relaxed: changes only for a large block, by whoever resizes it.
  size_t size() const { return block_size.load(kRelaxed); }
  void set_size(size_t size) { block_size.store(size, kRelaxed); }

  // The layout's kind and class, stored and, by walks over chains that may meet a page when
  // it has the next layout already, read atomically; all others know that the page stays
  // and read them plainly. Relaxed: figures.
  void SetKind(HeapKind new_kind, uint8_t new_class) {
    std::atomic_ref(kind).store(new_kind, std::memory_order_relaxed);
    std::atomic_ref(size_class).store(new_class, std::memory_order_relaxed);
  }
  HeapKind KindSeen() const {
    return std::atomic_ref(const_cast<HeapKind&>(kind)).load(std::memory_order_relaxed);
  }
  uint8_t ClassSeen() const {
    return std::atomic_ref(const_cast<uint8_t&>(size_class)).load(std::memory_order_relaxed);
  }

  size_t BitWords() const { return (capacity + 63) / 64; }

  // Whether a block of the page starts at p, by the owner. The offset times
  // ceil(2^64 / size), modulo 2^64, is below that factor just when the size divides
  // the offset (Lemire, Kaser, Kurz: Faster remainder by direct computation).
  bool HoldsBlockAt(const void* p) const {
    size_t offset = static_cast<size_t>(static_cast<const char*>(p) - start);
    return offset < limit && offset * magic < magic;
  }

  // Whether the word `owner` is `heap`: by the thread of that heap, who alone stores it. A
  // plain load (the compiler makes no operand of a comparison from an atomic one); it is
  // one instruction, so any other value is some other owner's.
  bool OwnerIs(const void* heap) const {
#if TIDEPOOL_TSAN || defined(TIDEPOOL_SCHED)
    return owner.load(kRelaxed) == reinterpret_cast<uintptr_t>(heap);
#else
    uintptr_t word;
    __builtin_memcpy(&word, static_cast<const void*>(&owner), sizeof(word));
    return word == reinterpret_cast<uintptr_t>(heap);
#endif
  }

  // One more block is handed out, by the owner. Plain, so that it is one instruction: who
  // reads it from outside sees the number before or after.
  void AddUsed() {
#if TIDEPOOL_TSAN || defined(TIDEPOOL_SCHED)
    used.store(used.load(kRelaxed) + 1, kRelaxed);
#else
    uint32_t value;
    __builtin_memcpy(&value, static_cast<const void*>(&used), sizeof(value));
    ++value;
    __builtin_memcpy(static_cast<void*>(&used), &value, sizeof(value));
#endif
  }

  // `used` after a free, and free_is_zero = false, by one store where that may be.
  void SetUsedAfterFree(uint32_t value) {
#if TIDEPOOL_TSAN || defined(TIDEPOOL_SCHED) || \
    __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    used.store(value, kRelaxed);
    free_is_zero = 0;
#else
    static_assert(offsetof(Page, free_is_zero) == offsetof(Page, used) + 4);
    uint64_t both = value;
    __builtin_memcpy(static_cast<void*>(&used), &both, 8);
#endif
  }

  // The exact index of block p, or a number >= capacity.
  uint32_t IndexOf(const void* p) const {
    uint32_t offset =
        static_cast<uint32_t>(static_cast<const char*>(p) - start);
    uint32_t q = offset * inverse;
    return (q >> shift) | (q << ((32 - shift) & 31));
  }
};

// What frees read, what the owner changes and what others change: a cache line each, the
// first two side by side; and records of an odd number of lines, so that those of many
// pages are spread over all sets of the cache.
static_assert(offsetof(Page, free) == 64 && offsetof(Page, xthread) == 128);
static_assert(sizeof(Page) % 128 == 64);

// --- The xthread word. ---
struct XThread {
  static constexpr uint64_t kOwned = 1;
  static constexpr uint64_t kListed = 2;
  static constexpr unsigned kCountShift = 48;
  static constexpr uint64_t kPointer = ((uint64_t{1} << 48) - 1) & ~uint64_t{15};

  static void* List(uint64_t word) {
    return reinterpret_cast<void*>(word & kPointer);
  }
  static uint32_t Count(uint64_t word) {
    return static_cast<uint32_t>(word >> kCountShift);
  }
  static bool Owned(uint64_t word) { return (word & kOwned) != 0; }
  static bool Listed(uint64_t word) { return (word & kListed) != 0; }
  static uint64_t Make(void* list, uint32_t count, uint64_t bits) {
    return reinterpret_cast<uint64_t>(list) |
           (uint64_t{count} << kCountShift) | bits;
  }
};
static_assert(kSmallPageSize / 16 < (1u << 16),
              "a page's block count fits the count field");

// --- Links. A dead block may be poisoned; these may look at it. ---
// The inline fast paths read a link directly: they never run when valgrind watches.
#if TIDEPOOL_ASAN
TIDEPOOL_NO_ASAN __attribute__((noinline)) inline void* GetLink(
    const void* block, size_t offset) {
  return *reinterpret_cast<void* const*>(static_cast<const char*>(block) +
                                         offset);
}
TIDEPOOL_NO_ASAN __attribute__((noinline)) inline void SetLink(
    void* block, size_t offset, void* next) {
  *reinterpret_cast<void**>(static_cast<char*>(block) + offset) = next;
}
inline void* GetLinkFast(const void* block, size_t offset) {
  return GetLink(block, offset);
}
inline void SetLinkFast(void* block, size_t offset, void* next) {
  SetLink(block, offset, next);
}
#else
inline void* GetLinkFast(const void* block, size_t offset) {
  return *reinterpret_cast<void* const*>(static_cast<const char*>(block) +
                                         offset);
}
inline void SetLinkFast(void* block, size_t offset, void* next) {
  *reinterpret_cast<void**>(static_cast<char*>(block) + offset) = next;
}
inline void* GetLink(const void* block, size_t offset) {
#if TIDEPOOL_VALGRIND
  if (Watched()) return ValgrindLoad(static_cast<const char*>(block) + offset);
#endif
  return GetLinkFast(block, offset);
}
inline void SetLink(void* block, size_t offset, void* next) {
#if TIDEPOOL_VALGRIND
  if (Watched()) {
    ValgrindStore(static_cast<char*>(block) + offset, next);
    return;
  }
#endif
  SetLinkFast(block, offset, next);
}
#endif

// What of a dead block is poisoned: everything but what readers may look at.
inline size_t PoisonOffset(HeapKind kind) {
  return kind == HeapKind::kRaw ? 0 : HeaderOffset(kind) + kReaderWords;
}

}  // namespace tidepool::internal

#endif  // TIDEPOOL_ALLOCATOR_INTERNAL_PAGE_H_
