// Every bundled module compiles, and its name is its path.
#include "tidepool/runtime/lib/bundled.h"

#include <string>

#include "gtest/gtest.h"
#include "tidepool/runtime/lang/compile.h"

namespace tidepool::rt {
namespace {

TEST(Lib, EveryModuleIsInTheSubset) {
  for (size_t i = 0; i < kBundledModuleCount; i++) {
    const BundledModule& module = kBundledModules[i];
    const std::string file = std::string(module.name) + ".py";
    lang::SyntaxErrorInfo error;
    EXPECT_NE(lang::CompileModule(module.source, file, {}, &error), nullptr) << error.Format();
  }
}

TEST(Lib, NamesArePathsWithDots) {
  EXPECT_NE(FindBundledSource("queue").data(), nullptr);
  EXPECT_NE(FindBundledSource("concurrent").data(), nullptr);
  EXPECT_NE(FindBundledSource("concurrent.futures").find("class Future"), std::string_view::npos);
  EXPECT_NE(FindBundledSource("os.path").data(), nullptr);
  EXPECT_EQ(FindBundledSource("concurrent.__init__").data(), nullptr);
  EXPECT_EQ(FindBundledSource("no.such.module").data(), nullptr);
}

}  // namespace
}  // namespace tidepool::rt
