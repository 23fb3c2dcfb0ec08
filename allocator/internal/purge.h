// The purger: carries out what the purge policy decides.
//
// Threads report page-sized events (a page or large block taken, or let go), which
// moves the window of the policy on. When a decision is due, the thread that finds
// it so purges a bounded piece (8 MiB) at the end of its slow path, with no lock
// held, and leaves the rest as a debt for the next; with a background thread
// (option) that one does it, and also sees to windows in which nothing happens.
//
// The words are figures: relaxed everywhere; a window that ends twice or late does
// no harm. Only one thread runs the purger at a time (run_lock_, tried, not waited
// for).
//
// Memory that is being purged is nobody's: no allocation can find it. So that none takes
// fresh memory for this reason alone, and both are there for a while, memory is purged by
// pieces of 4 MiB, each within a PieceScope, and is where it belongs again between them;
// and an allocation of 2 MiB or more that finds nothing looks once more within a scope of
// its own (large.cc). It waits for the piece under way; fresh memory of that size costs
// more than purging a piece. Smaller allocations don't wait: what they take is small
// beside a piece. The policy's purging ends when somebody waits: the memory is wanted.
//
// Locks: run_lock_ < turn_lock_ < piece_lock_; their place among others is told in
// heap_domain.h.
#ifndef TIDEPOOL_ALLOCATOR_INTERNAL_PURGE_H_
#define TIDEPOOL_ALLOCATOR_INTERNAL_PURGE_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "tidepool/allocator/internal/purge_policy.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/event.h"
#include "tidepool/base/mutex.h"
#include "tidepool/base/thread.h"

namespace tidepool::internal {

struct DomainCore;
struct Page;

class Purger {
 public:
  explicit Purger(DomainCore* core);

  // Events. Cheap; no lock.
  void Taken(uint64_t bytes);
  void Given();
  bool due() const {
    return debt_.load(kRelaxed) != 0;  // a figure
  }
  // Works off some of the debt. No lock may be held.
  void Run();

  // --- Background thread. ---
  void Start();
  void Stop();
  // One turn, `now` of the domain's Os. Public for tests.
  void Turn(uint64_t now_ns);
  void ForgetThread();  // in a forked child

  // Purges `bytes` of what is unused, or a little more (whole huge pages), or all there
  // is: free slices, then dormant pages.
  size_t PurgeUnused(size_t bytes) { return PurgePieces(bytes, /*gives_way=*/false); }
  void LockAll();  // for fork
  void UnlockAll();

 private:
  friend class PieceScope;

  // `gives_way`: ends early when somebody waits.
  size_t PurgePieces(size_t bytes, bool gives_way);
  // `kept`: what could not be purged, not to be met again.
  size_t PurgePiece(size_t bytes, Page** kept);
  void EndWindow(bool idle);
  uint64_t Unused() const;
  void Loop();

  DomainCore* const core_;
  alignas(16) unsigned char policy_memory_[kPurgePolicySize];
  const PurgePolicy* policy_;
  Atomic<uint64_t> low_water_{0};
  Atomic<uint64_t> work_{0};       // bytes taken in this window
  Atomic<uint64_t> events_{0};
  Atomic<uint64_t> window_start_{0};  // ns; only with windows by the clock
  Atomic<uint64_t> debt_{0};
  Mutex run_lock_{0};
  // Whoever wants piece_lock_ waits for it with turn_lock_ held, so that the one who purges
  // piece after piece doesn't get before him again.
  Mutex turn_lock_{0};
  Mutex piece_lock_{0};
  Atomic<uint32_t> waiting_{0};  // for the end of a piece: threads; a figure

  Thread thread_;
  Event wake_{0};
  Atomic<uint8_t> stop_{0};
  bool started_ = false;
  // Background thread only: figures at its last turn.
  uint64_t last_events_ = 0;
  uint64_t idle_since_ = 0;
  bool trimmed_ = false;
};

// While one lives no other does, so that all unused memory is where it belongs, unless
// the one who has it purges a piece of it.
class ABSL_SCOPED_LOCKABLE PieceScope {
 public:
  explicit PieceScope(Purger* purger)
      ABSL_EXCLUSIVE_LOCK_FUNCTION(purger->piece_lock_);
  ~PieceScope() ABSL_UNLOCK_FUNCTION() { purger_->piece_lock_.Unlock(); }
  PieceScope(const PieceScope&) = delete;
  PieceScope& operator=(const PieceScope&) = delete;

 private:
  Purger* const purger_;
};

}  // namespace tidepool::internal

#endif  // TIDEPOOL_ALLOCATOR_INTERNAL_PURGE_H_
