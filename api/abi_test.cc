// The C ABI, written down: abi.txt has the version, every exported function, and the size of
// every struct. What is added to a version that was given out needs a new minor number; what
// is taken away or changes size (other than structs that say their size) a new major one.
// After a deliberate change, run the test and copy what it prints to api/abi.txt.

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/tidepool.h"

namespace {

std::string Read(const std::string& name) {
  std::ifstream file("api/" + name);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<std::string> Facts() {
  std::vector<std::string> facts;
  for (const char* part : {"base", "object", "memory", "heap", "gc", "report", "layout"}) {
    const std::string text = Read(std::string("tidepool_") + part + ".h");
    EXPECT_NE(text, "") << part;
    // "TP_API <type> tp_name(": the name stands before the first parenthesis.
    for (size_t at = text.find("\nTP_API "); at != std::string::npos;
         at = text.find("\nTP_API ", at + 1)) {
      const size_t end = text.find('(', at);
      size_t start = end;
      while (std::isalnum(text[start - 1]) != 0 || text[start - 1] == '_') --start;
      facts.push_back("function " + text.substr(start, end - start));
    }
  }
#define SIZE(type) facts.push_back("sizeof " #type " " + std::to_string(sizeof(type)))
  SIZE(tp_block);
  SIZE(tp_call);
  SIZE(tp_collection);
  SIZE(tp_critical);
  SIZE(tp_decision);
  SIZE(tp_error);
  SIZE(tp_fault);
  SIZE(tp_gc_listener);
  SIZE(tp_gc_totals);
  SIZE(tp_header);
  SIZE(tp_heap);
  SIZE(tp_heap_figures);
  SIZE(tp_heap_limits);
  SIZE(tp_heap_stats);
  SIZE(tp_hold);
  SIZE(tp_isolate_config);
  SIZE(tp_layout_info);
  SIZE(tp_mark);
  SIZE(tp_memory_split);
  SIZE(tp_page);
  SIZE(tp_page_source);
  SIZE(tp_plan);
  SIZE(tp_policy_def);
  SIZE(tp_pressure);
  SIZE(tp_profile_frame);
  SIZE(tp_root_set);
  SIZE(tp_scope);
  SIZE(tp_slot);
  SIZE(tp_snapshot);
  SIZE(tp_type_def);
  SIZE(tp_visited);
#undef SIZE
  std::sort(facts.begin(), facts.end());
  facts.insert(facts.begin(), "version " + std::to_string(TP_ABI_MAJOR) + "." +
                                  std::to_string(TP_ABI_MINOR));
  return facts;
}

TEST(AbiTest, IsAsWrittenDown) {
  std::string now;
  for (const std::string& fact : Facts()) now += fact + "\n";
  EXPECT_EQ(now, Read("abi.txt")) << now;
}

}  // namespace
