// CPython's rule on counts: net new traversable objects since the last pass exceed threshold
// 0 and a quarter of those that were live then (the second test is dropped if threshold 1 is
// 0). Live is the allocator's count of gc blocks, so that frozen and untracked objects count
// as long-lived; counting tracked ones only makes a program that builds untracked tuples
// collect all the time (python/cpython#142531).

#ifndef TIDEPOOL_GC_POLICIES_COUNT_RULE_H_
#define TIDEPOOL_GC_POLICIES_COUNT_RULE_H_

#include <algorithm>
#include <cstdint>

#include "tidepool/gc/policy.h"

namespace tidepool {
namespace gc_internal {

// The least that an object of the gc kinds takes, to turn objects into bytes.
inline constexpr uint64_t kLeastObjectBytes = 32;

// Net new objects still to come before the rule holds, 0 if it holds, -1 if it is off.
inline int64_t ObjectsToCome(const HeapSnapshot& s) {
  if (s.thresholds[0] == 0) return -1;
  uint64_t bound = std::min(s.thresholds[0], kMostThreshold / kLeastObjectBytes - 1);
  if (s.thresholds[1] != 0) bound = std::max(bound, s.gc_blocks_after_last / 4);
  const uint64_t net = s.gc_blocks - std::min(s.gc_blocks, s.gc_blocks_after_last);
  return net > bound ? 0 : static_cast<int64_t>(bound - net + 1);
}

}  // namespace gc_internal
}  // namespace tidepool

#endif  // TIDEPOOL_GC_POLICIES_COUNT_RULE_H_
