// Random programs (random_programs.py) print the same on //runtime:tidepool and on python3.
//
// The programs are made by the runtime itself, from fixed seeds, 20 to a file: 200 in the quick suite, with TIDEPOOL_TEST_SECONDS
// set 4,000. Where python3 is no 3.11, or under a sanitizer, they only have to end well. A failure names the command that makes the file.
#include <fstream>

#include "gtest/gtest.h"
#include "tidepool/tests/scripts/run_script.h"

namespace tidepool::testing {
namespace {

constexpr int kPrograms = 20;

TEST(RandomPrograms, AsInPython) {
  const bool full = Full();
  const bool sanitized = *kSanitizer != '\0';
  const Outcome version = Execute("python3", ".", {"-c", "import sys; print(sys.version_info[:2], sys.implementation.name)"}, 60);
  const bool compare = !sanitized && version.status == 0 && version.out == "(3, 11) cpython\n";
  const int files = full ? 200 : sanitized ? 3 : 10;
  for (int seed = 1; seed <= files; seed++) {
    const std::string number = std::to_string(seed);
    const std::string path = TempFile("random_" + number + ".py");
    const Outcome made = Execute(Interpreter(), Root() + "/tests/fuzz", {"random_programs.py", number, std::to_string(kPrograms)}, 300);
    ASSERT_EQ(made.status, 0) << made.err;
    std::ofstream(path) << made.out;
    const Outcome ours = Execute(Interpreter(), TempFile(""), {path}, 300);
    EXPECT_EQ(ours.status, 0) << ours.err;
    EXPECT_EQ(ours.err, "");
    EXPECT_NE(ours.out.find("# program_" + number + "_" + std::to_string(kPrograms - 1)), std::string::npos);
    if (compare) {
      // -W: constants are compared with `is`.
      const Outcome theirs = Execute("python3", TempFile(""), {"-W", "ignore", path}, 300);
      EXPECT_EQ(theirs.status, 0) << theirs.err;
      EXPECT_EQ(ours.out, theirs.out) << "tests/fuzz/random_programs.py " << seed << " " << kPrograms;
    }
    unlink(path.c_str());
  }
}

}  // namespace
}  // namespace tidepool::testing
