// The gc log: one JSON line for each question to the policy and each collection.
//
// A line is put together in a buffer on the stack and goes out by one write to a file opened
// for appending. So nothing is allocated (the log goes on when there is no memory left), lines
// of threads and of forked processes do not mix (each names its process), and nothing is
// lost when the process is killed. A line that cannot be written (disk full) is counted and
// otherwise ignored. Format: docs/gc_log.md.

#ifndef TIDEPOOL_GC_INTERNAL_GC_LOG_H_
#define TIDEPOOL_GC_INTERNAL_GC_LOG_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "tidepool/base/atomic.h"
#include "tidepool/gc/collect_stats.h"
#include "tidepool/gc/policy.h"

namespace tidepool {
namespace gc_internal {

class GcLog {
 public:
  GcLog() = default;
  ~GcLog();
  GcLog(const GcLog&) = delete;
  GcLog& operator=(const GcLog&) = delete;

  // Starts a file; %p in the path is the process id. Once.
  absl::Status Open(const char* path);
  // Relaxed: set once; a thread that sees it late misses the first lines.
  bool on() const { return fd_.load(kRelaxed) >= 0; }
  uint64_t lost() const { return lost_.load(kRelaxed); }

  void Start(const char* policy, uint64_t every, const HeapSnapshot& s);
  void Sample(const HeapSnapshot& s, bool enabled);
  void Ask(const char* policy, const HeapSnapshot& s, const Decision& d);
  void Collect(const char* policy, const HeapSnapshot& before, const HeapSnapshot& after,
               const Plan& plan, const CollectStats& stats);
  void Policy(const char* policy, const HeapSnapshot& s);
  void Fault(const char* policy, const char* fault);
  void End(const HeapSnapshot& s);

 private:
  class Line;
  void Write(Line& line);

  Atomic<int> fd_{-1};
  Atomic<uint64_t> lost_{0};
};

}  // namespace gc_internal
}  // namespace tidepool

#endif  // TIDEPOOL_GC_INTERNAL_GC_LOG_H_
