// When unused memory goes back to the OS: five answers behind one interface.
//
// "Unused" is committed memory without a block: free dirty slices and dormant
// pages. A window is a stretch of recent work: it ends when as much memory was taken
// into pages as twice what is committed (and 32 MiB), or when its time is over. A
// policy is asked at the end of each window, or whenever memory becomes free if it
// says so, and answers in bytes; the purger (purge.h) acts.
//
//   low_water  what was unused during the whole window. Memory that is used again
//              and again is never purged; idle memory goes within a window. (default)
//   immediate  everything, at once. Lowest figures, and a fault for each reuse.
//   delayed    what was unused during purge_delay_ms, measured by the clock.
//   bounded    what exceeds max_overhead_percent of the used bytes, at once.
//   never      nothing: idle memory stays. Limits and Purge() still purge, and so
//              does the step before fresh memory is committed.
#ifndef TIDEPOOL_ALLOCATOR_INTERNAL_PURGE_POLICY_H_
#define TIDEPOOL_ALLOCATOR_INTERNAL_PURGE_POLICY_H_

#include <cstdint>

#include "tidepool/allocator/options.h"

namespace tidepool::internal {

struct PurgeView {
  uint64_t unused;     // now
  uint64_t low_water;  // least of it during the window
  uint64_t used;       // committed and not unused
  bool idle;           // nothing was taken during the window
  bool window_end;     // false: asked because memory became free
};

class PurgePolicy {
 public:
  virtual ~PurgePolicy() = default;
  virtual uint64_t BytesToPurge(const PurgeView& view) const = 0;
  virtual bool ask_at_every_free() const { return false; }
  virtual bool windows_by_clock() const { return false; }
};

// Never null; lives for ever.
const PurgePolicy* MakePurgePolicy(const Options& options, void* memory);
inline constexpr unsigned kPurgePolicySize = 32;  // bytes of `memory`

}  // namespace tidepool::internal

#endif  // TIDEPOOL_ALLOCATOR_INTERNAL_PURGE_POLICY_H_
