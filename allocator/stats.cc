// The figures as JSON, and the counter table.
#include "tidepool/allocator/stats.h"

namespace tidepool {
namespace {
void Add(std::string* out, const char* name, uint64_t value) {
  *out += std::string("\"") + name + "\":" + std::to_string(value) + ",";
}
}  // namespace

const CounterInfo* CounterTable() {
  static const CounterInfo kTable[] = {
#define TIDEPOOL_X(name, unit, doc) {#name, unit, doc},
      TIDEPOOL_COUNTERS(TIDEPOOL_X)
#undef TIDEPOOL_X
      {nullptr, nullptr, nullptr}};
  return kTable;
}

std::string Stats::ToJson() const {
  std::string out = "{";
#define TIDEPOOL_X(name, unit, doc) Add(&out, #name, name);
  TIDEPOOL_COUNTERS(TIDEPOOL_X)
#undef TIDEPOOL_X
  Add(&out, "live_bytes", live_bytes);
  Add(&out, "live_blocks", live_blocks);
  Add(&out, "free_in_pages", free_in_pages);
  Add(&out, "purged_in_pages", purged_in_pages);
  out += "\"kinds\":{";
  for (size_t i = 0; i < kHeapKindCount; ++i) {
    out += std::string("\"") + HeapKindName(static_cast<HeapKind>(i)) + "\":{";
    Add(&out, "live_bytes", kind[i].live_bytes);
    Add(&out, "live_blocks", kind[i].live_blocks);
    Add(&out, "pages", kind[i].pages);
    Add(&out, "page_bytes", kind[i].page_bytes);
    out.back() = '}';
    out += ',';
  }
  out.back() = '}';
  out += ",\"classes\":[";
  bool any = false;
  for (unsigned c = 0; c < kClassCount; ++c) {
    const Class& row = size_class[c];
    if (row.pages == 0) continue;
    any = true;
    out += '{';
    Add(&out, "block_size", c == 0 ? 0 : ClassSize(c));
    Add(&out, "live_blocks", row.live_blocks);
    Add(&out, "free_blocks", row.free_blocks);
    Add(&out, "pages", row.pages);
    out.back() = '}';
    out += ',';
  }
  if (any) out.pop_back();
  return out + "]}";
}

}  // namespace tidepool
