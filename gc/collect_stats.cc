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

int PauseHistogram::BucketOf(uint64_t ns) {
  if (ns < 1000) return 0;
  const uint64_t us = ns / 1000;
  const int log = 63 - __builtin_clzll(us);
  // Above the geometric middle of [2^log, 2^(log+1)): 1.414 = 181 / 128.
  const bool upper = ns >= (uint64_t{1000} << log) / 128 * 181;
  const int bucket = 1 + 2 * log + (upper ? 1 : 0);
  return bucket < kBuckets ? bucket : kBuckets - 1;
}

uint64_t PauseHistogram::UpperNs(int i) const {
  if (i == kBuckets - 1) return max_ns_;
  if (i == 0) return 1000;
  const uint64_t base = uint64_t{1000} << ((i - 1) / 2);
  return (i - 1) % 2 == 0 ? base / 128 * 181 : 2 * base;
}

void PauseHistogram::Add(uint64_t ns) {
  ++count_;
  ++buckets_[BucketOf(ns)];
  if (ns > max_ns_) max_ns_ = ns;
}

void PauseHistogram::Merge(const PauseHistogram& other) {
  count_ += other.count_;
  if (other.max_ns_ > max_ns_) max_ns_ = other.max_ns_;
  for (int i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
}

uint64_t PauseHistogram::PercentileNs(double percent) const {
  if (count_ == 0) return 0;
  const double wanted = static_cast<double>(count_) * percent / 100;
  uint64_t seen = 0;
  for (int i = 0; i < kBuckets; ++i) {
    seen += buckets_[i];
    if (static_cast<double>(seen) >= wanted && seen != 0) {
      return UpperNs(i) < max_ns_ ? UpperNs(i) : max_ns_;
    }
  }
  return max_ns_;
}

std::string PauseHistogram::Json() const {
  std::string json = absl::StrCat(
      "{\"count\":", count_, ",\"p50_ns\":", PercentileNs(50),
      ",\"p90_ns\":", PercentileNs(90), ",\"p99_ns\":", PercentileNs(99),
      ",\"max_ns\":", max_ns_, ",\"buckets\":[");
  const char* comma = "";
  for (int i = 0; i < kBuckets; ++i) {
    if (buckets_[i] == 0) continue;
    absl::StrAppend(&json, comma, "[", UpperNs(i), ",", buckets_[i], "]");
    comma = ",";
  }
  return json + "]}";
}

std::string PauseRecord::Json() const {
  std::string json = absl::StrCat("{\"all\":", all.Json(), ",\"cpu\":", cpu.Json());
  for (int i = 0; i < kGcPhaseCount; ++i) {
    if (phase[i].count() == 0) continue;
    absl::StrAppend(&json, ",\"", kPhaseNames[i], "\":", phase[i].Json());
  }
  return json + "}";
}

std::string CollectStats::Json() const {
  return absl::StrCat(
      "{\"ran\":", ran ? "true" : "false",
      ",\"out_of_memory\":", out_of_memory ? "true" : "false",
      ",\"given_up\":", given_up ? "true" : "false",
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
      ",\"freed_bytes\":", freed_bytes, ",\"freed_objects\":", freed_objects,
      ",\"limbo_bytes_drained\":", limbo_bytes_drained,
      ",\"pause_ns\":", pause_ns, ",\"paused_ns\":", paused_ns,
      ",\"total_ns\":", total_ns, ",\"span_ns\":", span_ns,
      ",\"cpu_ns\":", cpu_ns, ",\"stops\":", stops,
      ",\"slices\":", slices, ",\"pieces\":", pieces,
      ",\"largest_piece\":", largest_piece,
      ",\"mark_threads\":", mark_threads, ",\"pauses\":", pauses.Json(),
      ",\"phase_ns\":", PhasesJson(phase_ns), "}");
}

std::string GenerationStats::Json() const {
  return absl::StrCat(
      "{\"collections\":", collections, ",\"collected\":", collected,
      ",\"uncollectable\":", uncollectable, ",\"resurrected\":", resurrected,
      ",\"finalizers\":", finalizers, ",\"total_ns\":", total_ns,
      ",\"paused_ns\":", paused_ns, ",\"max_pause_ns\":", max_pause_ns,
      ",\"pauses\":", pauses.Json(), ",\"phase_ns\":", PhasesJson(phase_ns), "}");
}

}  // namespace tidepool
