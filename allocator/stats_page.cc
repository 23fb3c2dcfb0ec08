// The figures as text.
#include "tidepool/allocator/stats_page.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "tidepool/allocator/heap_map.h"

namespace tidepool {
namespace {

std::string Padded(const std::string& text, size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::string Line(const std::string& label, const std::string& value,
                 const std::string& more = "") {
  std::string out = "  " + label;
  if (out.size() < 34) out.append(34 - out.size(), ' ');
  return out + Padded(value, 14) + more + "\n";
}

// A counter's value in its unit.
std::string Value(const char* unit, uint64_t value) {
  return strcmp(unit, "bytes") == 0 ? FormatBytes(value) : std::to_string(value);
}

std::string Share(uint64_t part, uint64_t all) {
  const uint64_t tenths = all == 0 ? 0 : (part * 1000 + all / 2) / all;
  return Padded(std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " %", 10);
}

// A counter's name with spaces, as it stands on the page.
std::string Label(const char* name) {
  std::string label = name;
  for (char& c : label) c = c == '_' ? ' ' : c;
  return label;
}

// Breaks text into lines of 78 columns.
std::string Wrapped(const std::string& text) {
  std::string out, line;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = text.find(' ', at);
    if (end == std::string::npos) end = text.size();
    const std::string word = text.substr(at, end - at);
    if (!line.empty() && line.size() + 1 + word.size() > 78) {
      out += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    at = end + 1;
  }
  return out + line + "\n";
}

struct CauseRow {
  const char* label;
  const char* doc;
};
constexpr CauseRow kCauses[] = {
#define TIDEPOOL_X(field, label, doc) {label, doc},
    TIDEPOOL_MEMORY_CAUSES(TIDEPOOL_X)
#undef TIDEPOOL_X
};

constexpr CauseRow kTotals[] = {
    {"object headers", "of the live blocks: 32 bytes for each object"},
    {"resident in all", "the process's resident memory (RSS); the causes add up to it"},
    {"peak", "the most that was resident at a time, since the process began"},
};

constexpr CauseRow kKinds[] = {
    {"raw", "buffers without an object header"},
    {"object", "objects that refer to no others"},
    {"gc", "objects the collector traverses"},
    {"gc_pre", "the same, with two words before the header"},
};

}  // namespace

std::string FormatBytes(uint64_t bytes) {
  const auto scaled = [bytes](unsigned shift, const char* unit) {
    const uint64_t tenths = ((bytes * 10) + (uint64_t{1} << shift) / 2) >> shift;
    return std::to_string(tenths / 10) + "." + std::to_string(tenths % 10) + " " + unit;
  };
  if (bytes >= (uint64_t{1} << 20)) return scaled(20, "MiB");
  if (bytes >= 1024) return scaled(10, "KiB");
  return std::to_string(bytes) + " B";
}

std::string StatsPage(const HeapDomain& domain) {
  const HeapMap map = GetHeapMap(domain);
  const MemorySplit split = SplitMemory(map);
  const Stats& stats = map.stats;
  std::string out = "Resident memory by cause\n";
#define TIDEPOOL_X(field, label, doc) \
  out += Line(label, FormatBytes(split.field), Share(split.field, split.resident));
  TIDEPOOL_MEMORY_CAUSES(TIDEPOOL_X)
#undef TIDEPOOL_X
  out += Line(kTotals[1].label, FormatBytes(split.resident));
  out += Line(kTotals[2].label, FormatBytes(split.peak));
  out += Line(kTotals[0].label, FormatBytes(split.headers));
  out += "Live memory by kind\n";
  for (size_t i = 0; i < kHeapKindCount; ++i) {
    const Stats::Kind& kind = stats.kind[i];
    out += Line(kKinds[i].label, FormatBytes(kind.live_bytes),
                Padded(std::to_string(kind.live_blocks), 11) + " blocks" +
                    Padded(std::to_string(kind.pages), 8) + " pages");
  }
  out += "Counters\n";
#define TIDEPOOL_X(name, unit, doc)                                     \
  out += Line(Label(#name), Value(unit, stats.name),                    \
              strcmp(unit, "bytes") == 0 ? "" : std::string(" ") + unit);
  TIDEPOOL_COUNTERS(TIDEPOOL_X)
#undef TIDEPOOL_X
  return out;
}

void PrintStats(const HeapDomain& domain, int fd) {
  const std::string page = StatsPage(domain);
  for (size_t at = 0; at < page.size();) {
    const ssize_t n = write(fd, page.data() + at, page.size() - at);
    if (n <= 0) return;
    at += static_cast<size_t>(n);
  }
}

std::string StatsByClass(const HeapDomain& domain) {
  struct Sum {
    uint64_t pages = 0, live = 0, free = 0, committed = 0;
  };
  // Large blocks of a kind are one line, the last.
  std::map<std::pair<HeapKind, size_t>, Sum> sums;
  Sum idle;
  const HeapMap map = GetHeapMap(domain);
  for (const MapRun& run : map.runs) {
    if (run.block_size == 0) {
      idle.committed += run.committed;
      continue;
    }
    Sum& sum =
        sums[{run.kind, run.block_size > kMediumMax ? SIZE_MAX : run.block_size}];
    ++sum.pages;
    if (run.state != MapState::kDormant && run.state != MapState::kDormantPurged) {
      sum.live += run.live;
      sum.free += run.count - std::min(run.count, run.live + run.limbo);
    }
    sum.committed += run.committed;
  }
  std::string out = "kind       block    pages       used       free      committed\n";
  uint64_t pages = 0, committed = 0;
  for (const auto& [key, sum] : sums) {
    std::string kind = HeapKindName(key.first);
    kind.resize(8, ' ');
    out += kind + Padded(key.second == SIZE_MAX ? "large" : std::to_string(key.second), 8) +
           Padded(std::to_string(sum.pages), 9) + Padded(std::to_string(sum.live), 11) +
           Padded(std::to_string(sum.free), 11) +
           Padded(FormatBytes(sum.committed), 15) + "\n";
    pages += sum.pages;
    committed += sum.committed;
  }
  out += "free slices" + Padded(FormatBytes(idle.committed), 51) + "\n";
  out += "metadata" + Padded(FormatBytes(map.stats.meta), 54) + "\n";
  out += "in all  " + Padded(std::to_string(pages), 17) +
         Padded(FormatBytes(committed + idle.committed + map.stats.meta), 37) + "\n";
  return out;
}

std::string StatsMarkdown() {
  std::string out = "## Resident memory by cause\n\n";
  const auto add = [&out](const std::string& label, const std::string& doc) {
    out += Wrapped("* **" + label + "**: " + doc);
  };
  for (const CauseRow& row : kCauses) add(row.label, row.doc);
  add(kTotals[1].label, kTotals[1].doc);
  add(kTotals[2].label, kTotals[2].doc);
  add(kTotals[0].label, kTotals[0].doc);
  out += "\n## Live memory by kind\n\n";
  for (const CauseRow& row : kKinds) add(row.label, row.doc);
  out += "\n## Counters\n\n\"Gauge\" figures go up and down, the others only up.\n\n";
  for (const CounterInfo* row = CounterTable(); row->name != nullptr; ++row) {
    add(Label(row->name), std::string(row->doc) + " (" + row->unit + ")");
  }
  return out;
}

}  // namespace tidepool
