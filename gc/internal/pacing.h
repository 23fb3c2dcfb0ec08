// How a pass in slices is spread over what the program allocates: the numbers of
// collection.cc, which the policy lab (gc/lab/replay.cc) predicts with.
#ifndef TIDEPOOL_GC_INTERNAL_PACING_H_
#define TIDEPOOL_GC_INTERNAL_PACING_H_

#include <algorithm>
#include <cstdint>

namespace tidepool::gc_internal {

// A policy is asked, and a slice paid, no more often than once in so many bytes of a thread.
inline constexpr uint64_t kLeastBudget = 64 << 10;
// The allowance of a pass in slices: these bytes, or half of what was live.
inline constexpr uint64_t kLeastAllowance = 4 << 20;
// Of a pass that needs more slices than expected, each further one is due after this part
// of the allowance that is left.
inline constexpr uint64_t kLateSlices = 64;
// A slice of marking uses about this share of its budget.
inline constexpr uint64_t kSlicePercent = 60;
// What an object costs in such a pass: to begin with, and the bounds of what is learnt.
inline constexpr uint64_t kFirstNsPerObject = 60;
inline constexpr uint64_t kLeastNsPerObject = 10;
inline constexpr uint64_t kMostNsPerObject = 2000;

// Bytes until the next slice is due. `stride`: between those that were `expected`, which use
// half of the allowance together; `done` of them are, and `left` of the allowance. A pass that
// was expected to be over takes ever smaller steps of what is left: some 40 more slices fit
// into an allowance of 4 MiB, 120 into 16 MiB, 180 into 50, before they have to become longer.
inline uint64_t StrideNow(uint64_t stride, uint64_t expected, uint64_t done, uint64_t left) {
  if (done < expected) return stride;
  return std::clamp(left / kLateSlices, kLeastBudget, std::max(stride, kLeastBudget));
}

}  // namespace tidepool::gc_internal

#endif  // TIDEPOOL_GC_INTERNAL_PACING_H_
