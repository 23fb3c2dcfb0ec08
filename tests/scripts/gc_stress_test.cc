// Every script prints the same when a collection comes at each k-th chance (--gc-stress=k), wherever it is.
//
// k is 197, and 13 if TIDEPOOL_TEST_SECONDS is set. A line at the top of a script says otherwise:
//   # gc-stress: 20000   that k (with a tenth of it in the full suite): its collections are long ones
//   # gc-stress: no      it prints what depends on collections (counts, garbage that is still there)
// Under a sanitizer every seventh script is taken, with a k five times as large.
#include "gtest/gtest.h"
#include "tidepool/tests/scripts/run_script.h"

namespace tidepool::testing {
namespace {

class StressTest : public ::testing::Test {
 public:
  StressTest(Script script, std::string source) : script_(std::move(script)), source_(std::move(source)) {}

  void TestBody() override {
    if (LeftOutHere(source_)) GTEST_SKIP();
    const std::string wanted = Directive(source_, "gc-stress", "");
    int64_t k = Full() ? 13 : 197;
    if (!wanted.empty()) k = atoll(wanted.c_str()) / (Full() ? 10 : 1);
    ASSERT_GT(k, 0) << wanted;
    if (*kSanitizer != '\0') k *= 5;
    const std::string option = "--gc-stress=" + std::to_string(k);
    const Outcome o = Execute(Interpreter(), script_.folder, Arguments({option}, script_, source_), 600);
    EXPECT_EQ(o.status, ExpectedStatus(source_)) << "(1000 + n: signal n) with " << option << "\n" << o.err;
    EXPECT_EQ(o.out, Expected(script_)) << option << "\n" << o.err;
  }

 private:
  Script script_;
  std::string source_;
};

}  // namespace
}  // namespace tidepool::testing

int main(int argc, char** argv) {
  using namespace tidepool::testing;
  ::testing::InitGoogleTest(&argc, argv);
  int scripts = 0, left_out = 0;
  for (const Script& script : FindScripts()) {
    if (!IsPlain(script)) continue;
    std::string source = Source(script);
    if (Directive(source, "gc-stress", "") == "no") {
      left_out++;
      continue;
    }
    scripts++;
    if (*kSanitizer != '\0' && scripts % 7 != 0) continue;
    ::testing::RegisterTest("GcStress", script.name.c_str(), nullptr, nullptr, __FILE__, __LINE__,
                            [script, source]() -> ::testing::Test* { return new StressTest(script, source); });
  }
  // Those that look at the collector itself are few.
  if (scripts < 90 || left_out > 12) {
    fprintf(stderr, "%d scripts, %d left out\n", scripts, left_out);
    return 1;
  }
  return RUN_ALL_TESTS();
}
