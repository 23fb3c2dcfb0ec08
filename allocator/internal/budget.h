// What a domain has committed, and how much it may.
//
// Every byte that can cost memory is charged before it is used and discharged
// after it was purged or released: pages as far as they are extended, free memory
// in the arenas that was not purged, metadata. So `committed` is an upper bound of
// what the domain can make resident, and the hard limit is compared with nothing
// else. Charging never calls out and takes no lock: it may be refused, and the
// allocation's slow path (thread_heap.cc) then purges, asks the embedder, and tries
// again with no lock held.
#ifndef TIDEPOOL_ALLOCATOR_INTERNAL_BUDGET_H_
#define TIDEPOOL_ALLOCATOR_INTERNAL_BUDGET_H_

#include <cstdint>

#include "tidepool/allocator/stats.h"
#include "tidepool/base/atomic.h"

namespace tidepool::internal {

class Budget {
 public:
  Budget(Counters* counters, uint64_t hard, uint64_t soft)
      : counters_(counters), hard_(hard), soft_(soft) {}

  // False: the hard limit would be passed; nothing was charged.
  bool Charge(uint64_t bytes) {
    // Relaxed: a counter; it orders nothing, and concurrent charges see each
    // other's sums because both are one read-modify-write.
    uint64_t now = counters_->committed.fetch_add(bytes, kRelaxed) + bytes;
    uint64_t hard = hard_.load(kRelaxed);
    if (__builtin_expect(hard != 0 && now > hard, 0)) {
      counters_->committed.fetch_sub(bytes, kRelaxed);
      refused_.store(bytes, kRelaxed);  // for the callback: a hint
      return false;
    }
    return true;
  }
  // For steps that cannot be undone (memory that turns out to be dirty).
  void ChargeAnyway(uint64_t bytes) { CountUp(counters_->committed, bytes); }
  void Discharge(uint64_t bytes) { CountDown(counters_->committed, bytes); }

  uint64_t committed() const { return counters_->committed.load(kRelaxed); }
  uint64_t hard() const { return hard_.load(kRelaxed); }
  uint64_t soft() const { return soft_.load(kRelaxed); }
  void set_hard(uint64_t bytes) { hard_.store(bytes, kRelaxed); }
  void set_soft(uint64_t bytes) { soft_.store(bytes, kRelaxed); }

  Counters& counters() { return *counters_; }

 private:
  Counters* const counters_;
  Atomic<uint64_t> hard_;
  Atomic<uint64_t> soft_;
  Atomic<uint64_t> refused_{0};
};

}  // namespace tidepool::internal

#endif  // TIDEPOOL_ALLOCATOR_INTERNAL_BUDGET_H_
