// The JSON and text forms of a collection's figures.
#include "tidepool/gc/collect_stats.h"

#include "absl/strings/str_cat.h"

namespace tidepool {
namespace {

constexpr const char* kPhaseNames[kGcPhaseCount] = {
#define TIDEPOOL_GC_PHASE_NAME(enumerator, name, world, doc) name,
    TIDEPOOL_GC_PHASES(TIDEPOOL_GC_PHASE_NAME)
#undef TIDEPOOL_GC_PHASE_NAME
};

std::string PhasesJson(const uint64_t (&phase_ns)[kGcPhaseCount]) {
  std::string json = "{";
  for (int i = 0; i < kGcPhaseCount; ++i) {
    absl::StrAppend(&json, i == 0 ? "" : ",", "\"", kPhaseNames[i],
                    "\":", phase_ns[i]);
  }
  return json + "}";
}

}  // namespace

const char* GcPhaseName(GcPhase phase) {
  return kPhaseNames[static_cast<int>(phase)];
}

std::string CollectStats::Json() const {
  return absl::StrCat(
      "{\"ran\":", ran ? "true" : "false",
      ",\"out_of_memory\":", out_of_memory ? "true" : "false",
      ",\"generation\":", generation, ",\"reason\":\"", reason,
      "\",\"collected\":", collected, ",\"uncollectable\":", uncollectable,
      ",\"resurrected\":", resurrected, ",\"tracked\":", tracked,
      ",\"frozen\":", frozen, ",\"marked\":", marked,
      ",\"candidates\":", candidates, ",\"finalizers\":", finalizers,
      ",\"weakrefs_cleared\":", weakrefs_cleared, ",\"callbacks\":", callbacks,
      ",\"owners_restored\":", owners_restored,
      ",\"stack_overflows\":", stack_overflows,
      ",\"live_bytes_before\":", live_bytes_before,
      ",\"live_bytes_after\":", live_bytes_after,
      ",\"limbo_bytes_drained\":", limbo_bytes_drained,
      ",\"pause_ns\":", pause_ns, ",\"paused_ns\":", paused_ns,
      ",\"total_ns\":", total_ns, ",\"phase_ns\":", PhasesJson(phase_ns), "}");
}

std::string GenerationStats::Json() const {
  return absl::StrCat(
      "{\"collections\":", collections, ",\"collected\":", collected,
      ",\"uncollectable\":", uncollectable, ",\"resurrected\":", resurrected,
      ",\"finalizers\":", finalizers, ",\"total_ns\":", total_ns,
      ",\"paused_ns\":", paused_ns, ",\"max_pause_ns\":", max_pause_ns,
      ",\"phase_ns\":", PhasesJson(phase_ns), "}");
}

}  // namespace tidepool
