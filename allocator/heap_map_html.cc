// Draws a heap map as one HTML file: an SVG with the memory by cause, the legend with
// totals and every arena slice by slice (details under the mouse), then a table by kind
// and size. No script, nothing loaded from elsewhere.
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <map>
#include <tuple>

#include "tidepool/allocator/heap_map.h"

namespace tidepool {
namespace {

struct StateRow {
  const char* name;
  const char* colour;
  const char* doc;
};
constexpr StateRow kStates[] = {
#define TIDEPOOL_X(enumerator, name, colour, doc) {name, colour, doc},
    TIDEPOOL_MAP_STATES(TIDEPOOL_X)
#undef TIDEPOOL_X
};
constexpr size_t kStateCount = static_cast<size_t>(MapState::kCount);

// The bar by cause, in the table's order.
constexpr const char* kCauseColours[] = {"#1f6fb4", "#c0392b", "#8fbce6",
                                         "#b9d4ee", "#e0a13a", "#7db87d",
                                         "#8a6fb0", "#9a9a9a", "#cfcfcf"};

constexpr int kColumns = 64;     // slices in a row: 4 MiB
constexpr int kCell = 12;        // with its border
constexpr int kLeft = 96, kWidth = kLeft + kColumns * kCell + 24;

__attribute__((format(printf, 2, 3))) void Add(std::string* out, const char* format,
                                               ...) {
  char text[1024];
  va_list args;
  va_start(args, format);
  const int n = vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  out->append(text, n < 0 ? 0 : std::min<size_t>(static_cast<size_t>(n), sizeof(text) - 1));
}

std::string Escape(const std::string& text) {
  std::string out;
  for (char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

std::string Bytes(uint64_t bytes) {
  char text[32];
  if (bytes >= (uint64_t{1} << 20)) {
    snprintf(text, sizeof(text), "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
  } else if (bytes >= 1024) {
    snprintf(text, sizeof(text), "%.1f KiB", static_cast<double>(bytes) / 1024);
  } else {
    snprintf(text, sizeof(text), "%u B", static_cast<unsigned>(bytes));
  }
  return text;
}

std::string Describe(const MapRun& run) {
  std::string out = kStates[static_cast<size_t>(run.state)].name;
  const std::string resident = Bytes(run.resident), committed = Bytes(run.committed);
  const uint64_t slices = run.slices;
  if (run.block_size == 0) {
    Add(&out, ": %s at %p\n%s committed, %s resident", Bytes(slices * kSliceSize).c_str(),
        static_cast<const void*>(run.start), committed.c_str(), resident.c_str());
    return out;
  }
  Add(&out, ": %s page of %s, blocks of %s at %p\n", HeapKindName(run.kind),
      Bytes(slices * kSliceSize).c_str(), Bytes(run.block_size).c_str(),
      static_cast<const void*>(run.start));
  if (run.state != MapState::kDormant && run.state != MapState::kDormantPurged) {
    Add(&out, "%u live, %u in limbo, %u free blocks\n", run.live, run.limbo,
        run.count - std::min(run.count, run.live + run.limbo));
    if (run.abandoned) {
      out += "no thread owns it\n";
    } else if (run.owner_tid != 0) {
      Add(&out, "thread %#llx\n", static_cast<unsigned long long>(run.owner_tid));
    }
  }
  Add(&out, "%s committed, %s resident", committed.c_str(), resident.c_str());
  return out;
}

void Rect(std::string* out, double x, double y, double w, double h, const char* fill) {
  Add(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>", x,
      y, w, h, fill);
}

// The cells of a run from slice `at` of its arena on, cut at row ends.
void DrawRun(std::string* out, const MapRun& run, size_t at, int y0,
             const std::vector<int>& row_of) {
  const StateRow& state = kStates[static_cast<size_t>(run.state)];
  *out += "<g><title>" + Escape(Describe(run)) + "</title>";
  for (size_t left = run.slices; left != 0;) {
    const size_t column = at % kColumns;
    const size_t n = std::min<size_t>(left, kColumns - column);
    const int row = row_of[at / kColumns];
    if (row >= 0) {
      const double x = kLeft + static_cast<double>(column) * kCell;
      const double y = y0 + row * kCell;
      const double w = static_cast<double>(n) * kCell - 1;
      Rect(out, x, y, w, kCell - 1, state.colour);
      const double all = static_cast<double>(run.slices) * static_cast<double>(kSliceSize);
      if (run.state == MapState::kPartly) {
        // From the bottom up: what is live of the page.
        const double part =
            static_cast<double>(run.live) * static_cast<double>(run.block_size) / all;
        const double h = std::max(1.0, part * (kCell - 1));
        Rect(out, x, y + (kCell - 1) - h, w, h, kStates[0].colour);
      }
    }
    at += n;
    left -= n;
  }
  *out += "</g>\n";
}

// Where each row of an arena is drawn; -1: not, as nothing is in it (reserved or purged all
// over). Returns the rows drawn.
int PlaceRows(const HeapMap& map, const MapArena& arena, std::vector<int>* row_of) {
  const size_t rows = (arena.slices + kColumns - 1) / kColumns;
  row_of->assign(rows, -1);
  size_t at = 0;
  for (size_t i = 0; i < arena.runs; ++i) {
    const MapRun& run = map.runs[arena.first_run + i];
    if (run.state != MapState::kReserved && run.state != MapState::kPurged) {
      for (size_t r = at / kColumns; r <= (at + run.slices - 1) / kColumns; ++r) {
        (*row_of)[r] = 0;
      }
    }
    at += run.slices;
  }
  int drawn = 0;
  for (int& row : *row_of) {
    if (row == 0) row = drawn++;
  }
  return drawn;
}

void DrawArenas(std::string* out, const HeapMap& map, int* y) {
  for (const MapArena& arena : map.arenas) {
    std::vector<int> row_of;
    const int rows = PlaceRows(map, arena, &row_of);
    uint64_t committed = 0, resident = 0;
    for (size_t i = 0; i < arena.runs; ++i) {
      committed += map.runs[arena.first_run + i].committed;
      resident += map.runs[arena.first_run + i].resident;
    }
    Add(out, "<text class=\"t\" x=\"24\" y=\"%d\">Arena of %s blocks: %s reserved, ", *y,
        arena.sort, Bytes(arena.slices * kSliceSize).c_str());
    Add(out, "%s committed, %s resident</text>\n", Bytes(committed).c_str(),
        Bytes(resident).c_str());
    *y += 10;
    size_t hidden = 0;
    for (size_t r = 0; r < row_of.size(); ++r) {
      if (row_of[r] < 0) {
        ++hidden;
      } else if (row_of[r] % 4 == 0) {
        Add(out, "<text class=\"n\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%p</text>",
            kLeft - 6, *y + row_of[r] * kCell + 9,
            static_cast<const void*>(arena.start + r * kColumns * kSliceSize));
      }
    }
    size_t at = 0;
    for (size_t i = 0; i < arena.runs; ++i) {
      const MapRun& run = map.runs[arena.first_run + i];
      DrawRun(out, run, at, *y, row_of);
      at += run.slices;
    }
    *y += rows * kCell + 14;
    if (hidden != 0) {
      Add(out, "<text class=\"s\" x=\"%d\" y=\"%d\">%zu rows (%s) with nothing in them are "
               "left out</text>\n",
          kLeft, *y - 2, hidden, Bytes(hidden * kColumns * kSliceSize).c_str());
    }
    *y += 26;
  }
}

void DrawCauses(std::string* out, const MemorySplit& split, int* y) {
  struct {
    uint64_t bytes;
    const char* label;
    const char* doc;
  } causes[] = {
#define TIDEPOOL_X(field, label, doc) {split.field, label, doc},
      TIDEPOOL_MEMORY_CAUSES(TIDEPOOL_X)
#undef TIDEPOOL_X
  };
  Add(out, "<text class=\"t\" x=\"24\" y=\"%d\">Resident memory by cause: %s now, %s at most"
           "</text>\n", *y, Bytes(split.resident).c_str(), Bytes(split.peak).c_str());
  *y += 10;
  double x = 24;
  const double full = kWidth - 48;
  int index = 0;
  for (const auto& cause : causes) {
    const double share = split.resident == 0 ? 0
                                             : static_cast<double>(cause.bytes) /
                                                   static_cast<double>(split.resident);
    Add(out, "<g><title>%s: %s (%.1f %%)\n%s</title>", cause.label,
        Bytes(cause.bytes).c_str(), share * 100, cause.doc);
    Rect(out, x, *y, share * full, 22, kCauseColours[index++]);
    *out += "</g>";
    x += share * full;
  }
  *y += 40;
  index = 0;
  for (const auto& cause : causes) {
    const int column = index % 3;
    const int left = 24 + column * 288;
    Rect(out, left, *y - 9, 11, 11, kCauseColours[index]);
    Add(out, "<text class=\"s\" x=\"%d\" y=\"%d\">%s: %s</text>\n", left + 17, *y,
        cause.label, Bytes(cause.bytes).c_str());
    if (++index % 3 == 0) *y += 18;
  }
  *y += 20;
}

void DrawLegend(std::string* out, const HeapMap& map, int* y) {
  uint64_t committed[kStateCount] = {}, resident[kStateCount] = {}, bytes[kStateCount] = {};
  size_t pages[kStateCount] = {};
  for (const MapRun& run : map.runs) {
    const size_t s = static_cast<size_t>(run.state);
    committed[s] += run.committed;
    resident[s] += run.resident;
    bytes[s] += uint64_t{run.slices} * kSliceSize;
    if (run.block_size != 0) ++pages[s];
  }
  Add(out, "<text class=\"t\" x=\"24\" y=\"%d\">Slices of 64 KiB by state (a row below is 4 MiB)</text>"
           "<text class=\"s e\" x=\"330\" y=\"%d\">pages</text>"
           "<text class=\"s e\" x=\"430\" y=\"%d\">address space</text>"
           "<text class=\"s e\" x=\"520\" y=\"%d\">committed</text>"
           "<text class=\"s e\" x=\"600\" y=\"%d\">resident</text>\n", *y, *y, *y, *y, *y);
  *y += 20;
  for (size_t s = 0; s < kStateCount; ++s) {
    Add(out, "<g><title>%s</title>", kStates[s].doc);
    Add(out, "<rect x=\"24\" y=\"%d\" width=\"11\" height=\"11\" fill=\"%s\" "
             "stroke=\"#bbb\" stroke-width=\".5\"/>", *y - 9, kStates[s].colour);
    if (s == static_cast<size_t>(MapState::kPartly)) {
      Rect(out, 24, *y - 3, 11, 5, kStates[0].colour);
    }
    Add(out, "<text class=\"s\" x=\"41\" y=\"%d\">%s</text>", *y, kStates[s].name);
    if (pages[s] != 0) Add(out, "<text class=\"s e\" x=\"330\" y=\"%d\">%zu</text>", *y, pages[s]);
    Add(out, "<text class=\"s e\" x=\"430\" y=\"%d\">%s</text>", *y, Bytes(bytes[s]).c_str());
    Add(out, "<text class=\"s e\" x=\"520\" y=\"%d\">%s</text>", *y, Bytes(committed[s]).c_str());
    Add(out, "<text class=\"s e\" x=\"600\" y=\"%d\">%s</text></g>\n", *y,
        Bytes(resident[s]).c_str());
    *y += 17;
  }
  *y += 22;
}

void AddTable(std::string* out, const HeapMap& map) {
  struct Sum {
    size_t pages = 0;
    uint64_t live = 0, limbo = 0, count = 0, committed = 0, resident = 0;
  };
  std::map<std::tuple<HeapKind, bool, size_t>, Sum> sums;
  for (const MapRun& run : map.runs) {
    if (run.block_size == 0) continue;
    const bool large = run.block_size > kMediumMax;
    Sum& sum = sums[{run.kind, large, large ? 0 : run.block_size}];
    ++sum.pages;
    sum.live += run.live;
    sum.limbo += run.limbo;
    sum.count += run.count;
    sum.committed += run.committed;
    sum.resident += run.resident;
  }
  *out += "<h2>Pages by kind and block size</h2>\n<table><tr><th>kind<th>block<th>pages"
          "<th>live<th>limbo<th>free<th>committed<th>resident</tr>\n";
  for (const auto& [key, sum] : sums) {
    const std::string size =
        std::get<1>(key) ? std::string("large") : std::to_string(std::get<2>(key));
    const uint64_t taken = std::min(sum.count, sum.live + sum.limbo);
    Add(out, "<tr><td>%s<td>%s<td>%zu<td>%llu<td>%llu<td>%llu",
        HeapKindName(std::get<0>(key)), size.c_str(), sum.pages,
        static_cast<unsigned long long>(sum.live),
        static_cast<unsigned long long>(sum.limbo),
        static_cast<unsigned long long>(sum.count - taken));
    Add(out, "<td>%s<td>%s</tr>\n", Bytes(sum.committed).c_str(),
        Bytes(sum.resident).c_str());
  }
  *out += "</table>\n";
}

}  // namespace

std::string HeapMapHtml(const HeapMap& map, const std::string& title) {
  std::string body;
  int y = 70;
  DrawCauses(&body, SplitMemory(map), &y);
  DrawLegend(&body, map, &y);
  DrawArenas(&body, map, &y);
  std::string out =
      "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>" + Escape(title) +
      "</title>\n<style>body{margin:0;font-family:Helvetica,Arial,sans-serif;color:#222}"
      "h2{font-size:14px;margin:0 0 8px 24px}table{margin:0 0 32px 24px;font-size:12px;"
      "border-collapse:collapse}td,th{padding:2px 12px 2px 0;text-align:right;"
      "border-bottom:1px solid #eee}td:first-child,th:first-child{text-align:left}"
      "</style>\n";
  Add(&out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\">\n", kWidth, y, kWidth, y);
  out += "<style>text{font-family:Helvetica,Arial,sans-serif;fill:#222}"
         ".h{font-size:18px;font-weight:bold}.t{font-size:13px;font-weight:bold}"
         ".s{font-size:12px;fill:#444}.e{text-anchor:end}.n{font-size:9px;fill:#888}"
         "g:hover rect{stroke:#000;stroke-width:1}</style>\n"
         "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
         "<text class=\"h\" x=\"24\" y=\"32\">" + Escape(title) + "</text>\n";
  out += body + "</svg>\n";
  AddTable(&out, map);
  return out + "</html>\n";
}

std::string HeapMapJson(const HeapMap& map) {
  std::string out = "{\"split\":" + SplitMemory(map).ToJson() + ",\"arenas\":[";
  for (const MapArena& arena : map.arenas) {
    Add(&out, "%s{\"start\":\"%p\",\"slices\":%zu,\"sort\":\"%s\",\"runs\":[",
        &arena == map.arenas.data() ? "" : ",", static_cast<const void*>(arena.start),
        arena.slices, arena.sort);
    for (size_t i = 0; i < arena.runs; ++i) {
      const MapRun& run = map.runs[arena.first_run + i];
      Add(&out, "%s{\"state\":\"%s\",\"slices\":%u,\"committed\":%zu,\"resident\":%zu",
          i == 0 ? "" : ",", kStates[static_cast<size_t>(run.state)].name, run.slices,
          run.committed, run.resident);
      if (run.block_size != 0) {
        Add(&out, ",\"kind\":\"%s\",\"block_size\":%zu,\"live\":%u,\"limbo\":%u,"
                  "\"count\":%u,\"abandoned\":%s",
            HeapKindName(run.kind), run.block_size, run.live, run.limbo, run.count,
            run.abandoned ? "true" : "false");
      }
      out += "}";
    }
    out += "]}";
  }
  return out + "]}";
}

}  // namespace tidepool
