// What examples/pool.py claims: however big blocks go between threads, the peak follows
// what the program holds.
//
// Claim: every row, with kept and new pools, with and without collections, and a few with
// other sizes, threads and values of page_full_retain and page_reclaim_on_free (more of
// them: tools/pool_rows), peaks at no more than 1.15 times what it holds at once and 8 MiB.
// How: the script measures the peak of its own process, which this test reads. What it
// holds is its need, or more where workers that were preempted kept references to blocks
// they had handed over: what it had at the start and `large peak` of its figures. A miss:
// the peak is the OS's figure and grows with what the machine's allocator of threads and
// files takes, some MiB of 130; chance plays no part in it otherwise.
#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/tests/shell/shell.h"

namespace {

struct Row {
  const char* name;
  const char* arguments;
  const char* options;
};

// The row's figures before "MiB" (at the start, need, peak), and of the page of figures
// behind it the most that big blocks took.
bool PeakAndHeld(const std::string& out, double* peak, double* held) {
  std::istringstream words(out.substr(0, out.find('\n')));
  std::vector<double> figures;
  std::string word, last;
  while (words >> word) {
    if (word == "MiB") figures.push_back(atof(last.c_str()));
    last = word;
  }
  const std::string label = "\n  large peak ";
  const size_t at = out.find(label);
  if (figures.size() != 3 || at == std::string::npos) return false;
  *peak = figures[2];
  *held = std::max(figures[1], figures[0] + atof(out.c_str() + at + label.size()));
  return *held > 0;
}

class PoolTest : public testing::TestWithParam<Row> {};

TEST_P(PoolTest, PeakFollowsNeed) {
  const Row row = GetParam();
  const auto [out, status] =
      tidepool::Shell(std::string(row.options) + " runtime/tidepool --stats examples/pool.py " +
                      row.arguments + " --rounds=3 2>&1");
  ASSERT_EQ(status, 0) << out;
  double peak = 0, held = 0;
  ASSERT_TRUE(PeakAndHeld(out, &peak, &held)) << out;
  EXPECT_GE(peak, held / 2) << "no such figure: " << out;
  EXPECT_LE(peak, held * 1.15 + 8) << row.arguments << "\n" << out;
}

INSTANTIATE_TEST_SUITE_P(
    Rows, PoolTest,
    testing::Values(
        Row{"produce_new", "produce new", ""}, Row{"produce_keep", "produce keep", ""},
        Row{"consume_new", "consume new", ""}, Row{"consume_keep", "consume keep", ""},
        Row{"produce_new_gc", "produce new gc", ""}, Row{"produce_keep_gc", "produce keep gc", ""},
        Row{"consume_new_gc", "consume new gc", ""}, Row{"consume_keep_gc", "consume keep gc", ""},
        Row{"produce_keep_never_abandons", "produce keep", "TIDEPOOL_PAGE_FULL_RETAIN=-1"},
        Row{"consume_keep_no_retain", "consume keep",
            "TIDEPOOL_PAGE_FULL_RETAIN=0 TIDEPOOL_PAGE_RECLAIM_ON_FREE=1"},
        Row{"produce_new_no_reclaim", "produce new", "TIDEPOOL_PAGE_RECLAIM_ON_FREE=-1"},
        Row{"produce_keep_1_mib", "produce keep --block=1 --threads=32", ""},
        Row{"consume_new_4_mib", "consume new gc --block=4 --threads=2",
            "TIDEPOOL_PAGE_FULL_RETAIN=16"},
        Row{"produce_new_31_mib", "produce new --block=31 --threads=2 --count=12",
            "TIDEPOOL_PAGE_RECLAIM_ON_FREE=1"},
        Row{"consume_keep_64_mib", "consume keep gc --block=64 --threads=2 --count=8",
            "TIDEPOOL_PAGE_FULL_RETAIN=-1"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
