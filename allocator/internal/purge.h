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
#ifndef TIDEPOOL_ALLOCATOR_INTERNAL_PURGE_H_
#define TIDEPOOL_ALLOCATOR_INTERNAL_PURGE_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/allocator/internal/purge_policy.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/event.h"
#include "tidepool/base/mutex.h"
#include "tidepool/base/thread.h"

namespace tidepool::internal {

struct DomainCore;

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

  // Purges up to `bytes` of what is unused: free slices, then dormant pages.
  size_t PurgeUnused(size_t bytes);
  Mutex& lock() { return run_lock_; }

 private:
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

  Thread thread_;
  Event wake_{0};
  Atomic<uint8_t> stop_{0};
  bool started_ = false;
  // Background thread only: figures at its last turn.
  uint64_t last_events_ = 0;
  uint64_t idle_since_ = 0;
  bool trimmed_ = false;
};

}  // namespace tidepool::internal

#endif  // TIDEPOOL_ALLOCATOR_INTERNAL_PURGE_H_
