// Tests of the merge sort: order, stability, few comparisons on sorted input, and a permutation after failure.
#include "tidepool/runtime/objects/stable_sort.h"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace tidepool::rt {
namespace {

struct Item {
  int key;
  int place;
  bool operator==(const Item&) const = default;
};

TEST(StableSort, SortsLikeStdStableSort) {
  std::mt19937 rng(1);
  for (int round = 0; round < 400; ++round) {
    size_t n = rng() % 700;
    int range = 1 + static_cast<int>(rng() % 300);
    std::vector<Item> v(n);
    for (size_t i = 0; i < n; ++i) v[i] = {static_cast<int>(rng()) % range, static_cast<int>(i)};
    if (round % 3 == 0 && n > 10) std::sort(v.begin(), v.begin() + static_cast<long>(n / 2), [](auto& a, auto& b) { return a.key > b.key; });
    std::vector<Item> want = v;
    std::stable_sort(want.begin(), want.end(), [](const Item& a, const Item& b) { return a.key < b.key; });
    std::vector<Item> buffer(n / 2 + 1);
    EXPECT_TRUE(StableSort(v.data(), n, buffer.data(), [](const Item& a, const Item& b) { return a.key < b.key ? 1 : 0; }));
    ASSERT_EQ(v, want);
  }
}

TEST(StableSort, SortedInputCostsOneComparisonPerItem) {
  std::vector<int> v(1000);
  for (int i = 0; i < 1000; ++i) v[static_cast<size_t>(i)] = i;
  std::vector<int> buffer(501);
  int count = 0;
  EXPECT_TRUE(StableSort(v.data(), v.size(), buffer.data(), [&](int a, int b) { return ++count, a < b ? 1 : 0; }));
  EXPECT_EQ(count, 999);
}

TEST(StableSort, FailureLeavesAPermutation) {
  std::mt19937 rng(2);
  for (int fail_at = 1; fail_at < 3000; fail_at += 7) {
    std::vector<int> v(300);
    for (size_t i = 0; i < v.size(); ++i) v[i] = static_cast<int>(i);
    std::shuffle(v.begin(), v.end(), rng);
    std::vector<int> buffer(v.size() / 2 + 1);
    int count = 0;
    bool ok = StableSort(v.data(), v.size(), buffer.data(), [&](int a, int b) { return ++count == fail_at ? -1 : a < b ? 1 : 0; });
    EXPECT_EQ(ok, count < fail_at);
    std::sort(v.begin(), v.end());
    for (size_t i = 0; i < v.size(); ++i) ASSERT_EQ(v[i], static_cast<int>(i));
  }
}

}  // namespace
}  // namespace tidepool::rt
