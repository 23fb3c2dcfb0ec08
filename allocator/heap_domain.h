// HeapDomain: the heaps of one object world, and what they share.
//
// A domain owns arenas of address space, the records of its pages, the pool of
// dormant pages, the list of abandoned pages with free blocks, its QSBR domain and
// its shared limbo. An isolate owns one domain; the drop-in malloc is one without
// an object layer. Pages never go from one domain to another; destroying a domain
// gives back all its memory whatever is still allocated (no thread may use it then).
//
// Where an empty page goes. Raw pages hold nothing a lock-free reader may look at
// (raw blocks that readers see are freed through limbo), so their slices are free
// for anything at once. Pages of object kinds go to the dormant pool: any thread may
// take one with the same layout at once, its memory may be purged at any time (zeros
// are dead objects), and only another layout waits for the QSBR goal taken when the
// last block was freed.
//
// Where a new page comes from, in this order: an available page (abandoned, with
// free blocks), a dormant page of the same layout, free slices that are committed
// already, dormant pages whose goal has passed, fresh slices. So memory that is paid
// for is used before new memory is asked for; and before new memory is committed, what
// lies unused beyond an eighth of what is used (and 2 MiB) is purged, whatever the
// purge policy, so that peaks follow need.
//
// Locks, in the order they may be taken: control_lock_ (purge, visits, stats of
// threads) < heaps_lock_ < the heaps' lock (heap.h) < the purger's (internal/purge.h) < a
// bin's lock < the pool's lock < the arenas' lock < the metadata's lock. No callback runs
// with one of them held.
#ifndef TIDEPOOL_ALLOCATOR_HEAP_DOMAIN_H_
#define TIDEPOOL_ALLOCATOR_HEAP_DOMAIN_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "tidepool/allocator/hardening.h"
#include "tidepool/allocator/heap_kind.h"
#include "tidepool/allocator/options.h"
#include "tidepool/allocator/stats.h"
#include "tidepool/allocator/thread_heap.h"
#include "tidepool/base/os.h"
#include "tidepool/qsbr/qsbr.h"

namespace tidepool {

namespace internal {
struct DomainCore;
}

// A page as a visitor sees it, during a stop.
struct PageInfo {
  void* page;            // identity only
  char* first_block;
  size_t block_size;
  size_t count;          // initialised blocks, from first_block on
  size_t header_offset;
  uint64_t owner_tid;    // of the thread that made it or took it over; 0: gone
  bool owner_changed;    // since the last ClearOwnerChanged
  HeapKind kind;
};

// What the pressure callback is told.
struct MemoryPressure {
  enum Level { kSoft, kHard } level;
  uint64_t committed;
  uint64_t limit;
  uint64_t wanted;  // bytes of the step that was refused or passed the limit
};

// A frame of the embedder's, for the heap profile.
struct ProfileFrame {
  const char* function;
  const char* file;
  int line;
};

// A sampled block.
struct HeapSample {
  const void* block;
  size_t size;        // as asked for
  double weight;      // blocks of this size it stands for
  HeapKind kind;
  const ProfileFrame* const* frames;  // of the embedder, innermost first
  size_t frame_count;
  const uintptr_t* stack;             // return addresses, innermost first
  size_t stack_count;
};

class HeapDomain {
 public:
  static absl::StatusOr<std::unique_ptr<HeapDomain>> Create(
      const Options& options, Os* os = RealOs());
  ~HeapDomain();
  HeapDomain(const HeapDomain&) = delete;
  HeapDomain& operator=(const HeapDomain&) = delete;

  // --- Threads. ---
  // A heap for the calling thread, detached. Null: out of memory.
  ThreadHeap* NewThread();
  // Abandons every page and hands over limbo and batches. Called by the thread, or
  // by any thread for one that is gone or will not come back (detached). The record
  // is dead afterwards.
  void ExitThread(ThreadHeap* heap);
  // A free by a thread without a heap here.
  void FreeFromAnywhere(void* block);

  // --- Queries; any thread. ---
  // Usable bytes of a live block; 0 if the pointer is no block. Who asks may use them
  // all (memory checkers hear of it, and under valgrind it is what was asked for).
  static size_t UsableSize(const void* block);
  // Bytes the block takes; 0 if the pointer is no block.
  static size_t BlockSize(const void* block);
  // The domain of a block, or null.
  static HeapDomain* DomainOf(const void* block);
  // Whether the address lies in a page of this domain that is in use.
  bool Owns(const void* address) const;
  // Tid of the thread whose page it is; 0 if it has gone or there is none. A full
  // abandoned page keeps its thread while that lives.
  static uint64_t PageOwnerTid(const void* block);

  // Gives unused memory of all threads back now; those that are attached follow at
  // their next safepoint. Returns the bytes purged by this call. Any thread; no safepoint,
  // so a loop of it needs one.
  size_t Purge();
  // Gives back at once what lies unused beyond an eighth of what is used and 4 MiB,
  // without asking the threads; nothing under the policy `never`. For moments when
  // much was just freed and the caller knows it, as after a full collection that a
  // program asked for. Any thread.
  size_t PurgeExcess();

  // Purges, and gives every arena that holds no block back to the Os (its Release), so
  // that a given region can be withdrawn (base/region_os.h). Records stay. Returns
  // the bytes of address space given back. Any thread.
  size_t ReleaseArenas();

  Stats GetStats() const;
  std::string StatsJson() const;
  // One relaxed load each; what collection policies and limits look at.
  uint64_t CommittedBytes() const;
  uint64_t LimboBytes() const;
  // Live bytes and blocks of some kinds (a walk over the pages, no stop).
  struct Live {
    uint64_t bytes;
    uint64_t blocks;
  };
  Live LiveIn(uint32_t kind_mask) const;

  QsbrDomain& qsbr();
  const Options& options() const;
  Os* os() const;
  // Allocations so far, counted only while the option fail_allocation is set; else 0.
  uint64_t allocations_counted() const;

  // --- Limits. Any thread; 0 is none. ---
  void SetHardLimit(uint64_t bytes);
  void SetSoftLimit(uint64_t bytes);
  // Called without locks, by the thread that allocates; it may free, purge and
  // allocate (nested calls do not call it again). For kHard, true means that memory
  // may have become free and the allocation tries once more.
  void SetPressureCallback(bool (*callback)(void* arg, const MemoryPressure&),
                           void* arg);

  // Called when a bad pointer is refused or damage is found (hardening.h), before the
  // option bad_free acts; by the thread that found it, which may hold locks of the
  // domain: it must not allocate or free here.
  void SetFaultHandler(void (*handler)(void* arg, const MemoryFault&), void* arg);
  // For the layers above: a fault of their own with `pointer`, which lies in a heap, is
  // counted, told and acted upon as one that was found here. "tidepool: `refused` `pointer`:
  // `text`" is the line on stderr.
  static void ReportFault(MemoryFault::Kind kind, const char* refused, const void* pointer,
                          const char* text);
  // True: the block of this object header is dead. Never true of one that is alive, whatever
  // other threads do meanwhile; may be false of a dead one (the last of a batch on its way to
  // its page, one whose page has another layout by now). For reports: it may read one line of
  // the block and its page's record.
  static bool IsFreed(const void* header);

  // Allocation budget of every thread, now and later (ThreadHeap::SetAllocBudget).
  void SetAllocBudget(uint64_t bytes);
  // Bytes taken by all threads, exited ones included, since the domain was made, counted as
  // ThreadHeap::allocated_since does.
  uint64_t AllocatedBytes() const;
  // Sets request bits of all attached threads.
  void RequestAll(uint32_t bits);

  // --- The heap profile (heap_profile.h). Any thread. ---
  // Samples one block per `interval` bytes allocated from now on; 0 stops (samples
  // taken stay). False: no memory for its tables.
  bool StartHeapProfile(uint64_t interval);
  uint64_t HeapProfileInterval() const;
  // Adds frames of the embedder's own stack to each sample: `frames` writes up to
  // `most`, the innermost first, and returns how many. Called by the allocating
  // thread inside an allocation: it must not allocate here, block or reach a
  // safepoint. The strings are copied.
  void SetProfileFrames(size_t (*frames)(void* arg, ProfileFrame* out, size_t most),
                        void* arg);
  // Every sampled block that is alive. The visitor must not call this domain.
  void VisitSamples(absl::FunctionRef<void(const HeapSample&)> visit) const;

  // --- During a stop of all threads. ---
  // Every page that may hold live blocks, of the kinds in the mask: each once,
  // blocks with a page of their own included. Freed blocks have gc bits 0. The
  // visitor must not allocate or free in this domain: what would need a slow path
  // is refused, and reported as a bad free is.
  void VisitPages(uint32_t kind_mask,
                  absl::FunctionRef<void(const PageInfo&)> visit);
  // Every live block of these kinds whose page's block size lies in [least, most],
  // each once: pages of all threads and of none, large blocks, blocks of Heaps. Blocks
  // in limbo are among them. The visitor may write to the block, but must not allocate
  // or free here. False: no memory for a page's bits; some blocks were left out.
  struct BlockInfo {
    void* block;
    size_t size;
    HeapKind kind;
    uint64_t owner_tid;  // of the page; 0: gone
  };
  bool VisitBlocks(uint32_t kind_mask, size_t least, size_t most,
                   absl::FunctionRef<void(const BlockInfo&)> visit);
  void ClearOwnerChanged();
  // All threads are quiescent: drains all limbo, collects what other threads freed
  // into retained pages, and lets dormant pages take any layout.
  void AfterStop();

  // Starts the background thread now, if it does not run yet (also an option).
  void StartBackground();
  // Ends it and waits for that. One call of the two at a time; not from a callback.
  void StopBackground();

  // --- fork(). The caller is the only thread that uses the domain in between. ---
  void PrepareFork();
  void ParentAfterFork();
  // The background thread does not exist in the child: it starts anew, or is left to a
  // later StartBackground.
  void ChildAfterFork(bool restart_background = true);

  // Ends the process if an invariant (P1-P5 of page.h, sums of figures) is broken.
  // During a stop, or with no other thread active.
  void CheckInvariants();

  internal::DomainCore* core() { return core_; }

 private:
  explicit HeapDomain(internal::DomainCore* core) : core_(core) {}
  size_t CopyBatches(const void** blocks, size_t most);
  internal::DomainCore* core_;
};

}  // namespace tidepool

#endif  // TIDEPOOL_ALLOCATOR_HEAP_DOMAIN_H_
