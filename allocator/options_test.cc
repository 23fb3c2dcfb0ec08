// The option table: parsing, errors, printing.
#include "tidepool/allocator/options.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "gtest/gtest.h"

namespace tidepool {
namespace {

TEST(OptionsTest, EveryDefaultSurvivesARoundTrip) {
  Options options;
  int rows = 0;
  for (const OptionInfo* row = OptionTable(); row->name != nullptr; ++row) {
    ++rows;
    EXPECT_EQ(options.Get(row->name), row->default_text) << row->name;
    EXPECT_TRUE(options.Set(row->name, row->default_text).ok()) << row->name;
    EXPECT_EQ(options.Get(row->name), row->default_text) << row->name;
    EXPECT_NE(OptionHelp().find(std::string("--") + row->name),
              std::string::npos);
    EXPECT_NE(options.ToJson().find(std::string("\"") + row->name + "\":"),
              std::string::npos);
  }
  EXPECT_GE(rows, 17);
}

TEST(OptionsTest, SizesTakeSuffixes) {
  Options options;
  ASSERT_TRUE(options.Set("max_memory", "64M").ok());
  EXPECT_EQ(options.max_memory, 64u << 20);
  ASSERT_TRUE(options.Set("max_memory", "3g").ok());
  EXPECT_EQ(options.max_memory, uint64_t{3} << 30);
  ASSERT_TRUE(options.Set("max_memory", "12345").ok());
  EXPECT_EQ(options.max_memory, 12345u);
}

TEST(OptionsTest, BadValuesAreErrorsThatNameTheOptionAndTheValue) {
  Options options;
  const char* const kBad[][2] = {
      {"max_memory", ""},        {"max_memory", "12x"},
      {"max_memory", "-1"},      {"max_memory", "99999999999G"},
      {"page_full_retain", "-2"}, {"page_reclaim_on_free", "2"},
      {"page_reclaim_on_free", "one"}, {"purge_policy", "sometimes"},
      {"background_thread", "maybe"},  {"gc_policy", ""},
      {"max_memory", "M"},       {"page_full_retain", "1 "},
  };
  for (const auto& bad : kBad) {
    Options before = options;
    absl::Status status = options.Set(bad[0], bad[1]);
    ASSERT_FALSE(status.ok()) << bad[0] << "=" << bad[1];
    std::string text(status.message().data(), status.message().size());
    EXPECT_NE(text.find(bad[0]), std::string::npos) << text;
    EXPECT_NE(text.find(bad[1]), std::string::npos) << text;
    EXPECT_EQ(options.ToJson(), before.ToJson());
  }
  EXPECT_TRUE(absl::IsNotFound(options.Set("no_such_option", "1")));
}

TEST(OptionsTest, EnvironmentOverlaysDefaultsAndReportsErrors) {
  setenv("TIDEPOOL_PAGE_FULL_RETAIN", "-1", 1);
  setenv("TIDEPOOL_PURGE_POLICY", "immediate", 1);
  setenv("TIDEPOOL_SOMETHING_ELSE", "x", 1);
  absl::StatusOr<Options> options = Options::FromEnvironment();
  ASSERT_TRUE(options.ok());
  EXPECT_EQ(options->page_full_retain, -1);
  EXPECT_EQ(options->purge_policy, PurgePolicyKind::kImmediate);
  setenv("TIDEPOOL_PAGE_FULL_RETAIN", "many", 1);
  EXPECT_FALSE(Options::FromEnvironment().ok());
  unsetenv("TIDEPOOL_PAGE_FULL_RETAIN");
  unsetenv("TIDEPOOL_PURGE_POLICY");
  unsetenv("TIDEPOOL_SOMETHING_ELSE");
}

TEST(OptionsTest, MisspeltVariablesAreNamedWithWhatWasMeant) {
  const char* const kMore[] = {"recursion_limit", nullptr};
  EXPECT_EQ(MisspeltVariables(kMore), "");
  setenv("TIDEPOOL_MAX_MEMROY", "1", 1);
  setenv("TIDEPOOL_RECURSION_LIMITS", "1", 1);
  setenv("TIDEPOOL_RECURSION_LIMIT", "1", 1);   // right
  setenv("TIDEPOOL_HARDENING", "0", 1);         // right
  setenv("TIDEPOOL_BAZEL_FLAGS", "1", 1);       // a tool's
  setenv("TIDEPOOL_TEST_SECONDS_", "1", 1);     // a tool's
  std::string text = MisspeltVariables(kMore);
  EXPECT_NE(text.find("TIDEPOOL_MAX_MEMROY in the environment is not an option; "
                      "did you mean TIDEPOOL_MAX_MEMORY?\n"),
            std::string::npos) << text;
  EXPECT_NE(text.find("did you mean TIDEPOOL_RECURSION_LIMIT?\n"),
            std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2) << text;
  for (const char* name : {"MAX_MEMROY", "RECURSION_LIMITS", "RECURSION_LIMIT",
                           "HARDENING", "BAZEL_FLAGS", "TEST_SECONDS_"}) {
    unsetenv((std::string("TIDEPOOL_") + name).c_str());
  }
}

TEST(OptionsTest, TheReferencePageIsTheTable) {
  std::ifstream file("docs/options.md");
  ASSERT_TRUE(file.good());
  std::string page((std::istreambuf_iterator<char>(file)),
                   std::istreambuf_iterator<char>());
  EXPECT_EQ(page, OptionsMarkdown());
}

}  // namespace
}  // namespace tidepool
