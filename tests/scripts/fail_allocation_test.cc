// Scripts with the n-th allocation failing, and with every one from the n-th on.
//
// Allowed ends: the same output and status as ever (somebody could do without), an uncaught MemoryError (status 1 and the
// words in the traceback), or, where the script catches what it gets, a mention of MemoryError in what it prints. Never: a
// signal, a hang, a failed check, a report of a sanitizer, or another result without a word.
//
// The quick suite samples scripts and places with a fixed seed, and has one failure in each script; the full one
// (TIDEPOOL_TEST_SECONDS is set) samples places in every script.
// A failure names the command that shows it again. Scripts with threads are left out: a thread that dies of a MemoryError
// rightly leaves others waiting for it.
#include <cstdint>
#include <random>

#include "gtest/gtest.h"
#include "tidepool/tests/scripts/run_script.h"

namespace tidepool::testing {
namespace {

constexpr int64_t kNever = int64_t{1} << 62;

Outcome RunFailing(const Script& script, const std::string& source, int64_t n, double seconds) {
  return Execute(Interpreter(), script.folder, Arguments({"--fail-allocation=" + std::to_string(n)}, script, source), seconds);
}

// Allocations of the whole run, from its last words. 0: there are none.
int64_t Counted(const std::string& err) {
  const size_t at = err.rfind("tidepool: ");
  return at == std::string::npos ? 0 : atoll(err.c_str() + at + 10);
}

std::string Problem(const Outcome& whole, const Outcome& o) {
  if (o.status == 2000) return "it hangs";
  if (o.status >= 1000) return "signal " + std::to_string(o.status - 1000);
  if (o.err.find("Sanitizer") != std::string::npos) return "a sanitizer speaks";
  if (o.err.find("runtime error:") != std::string::npos) return "undefined behaviour";
  if (o.status == whole.status && o.out == whole.out) return "";
  if (o.status == 1 && o.err.find("MemoryError") != std::string::npos) return "";
  if (o.status == 1 && o.err.find("tidepool: no memory") != std::string::npos) return "";  // while it starts
  if (o.out.find("MemoryError") != std::string::npos || o.err.find("MemoryError") != std::string::npos) {
    return o.status < 120 ? "" : "status " + std::to_string(o.status);
  }
  return "another result without a word of MemoryError, status " + std::to_string(o.status);
}

TEST(FailAllocation, EveryEndIsAnOrderlyOne) {
  std::mt19937_64 random(20261130);
  int scripts = 0, runs = 0, hit = 0;
  for (const Script& script : FindScripts()) {
    if (!IsPlain(script)) continue;  // examples measure memory, benchmarks do nothing that others do not do
    const std::string source = Source(script);
    if (HasThreads(source) || LeftOutHere(source)) continue;
    if (!Full() && random() % 5 != 0) continue;
    const Outcome whole = RunFailing(script, source, kNever, 100);
    const int64_t total = Counted(whole.err);
    ASSERT_GT(total, 1000) << script.name << ": status " << whole.status << "\n" << whole.err;
    scripts++;
    const int rounds = Full() ? 12 : 3;
    for (int i = 0; i < rounds; i++) {
      // Every third: all from there on.
      int64_t n = 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(total));
      if (i % 3 == 2) n = -n;
      const Outcome o = RunFailing(script, source, n, 100);
      runs++;
      hit += o.out != whole.out || o.status != whole.status;
      const std::string problem = Problem(whole, o);
      EXPECT_EQ(problem, "") << script.name << ": tidepool --fail-allocation=" << n << " " << script.folder << "/" << script.name
                             << ".py   (of " << total << ")\n" << o.err;
    }
  }
  EXPECT_GE(scripts, 8);
  // The option works: most failures are noticed.
  EXPECT_GT(hit, runs / 2);
}

// Every script takes part, with one failure somewhere: in the start, in the script, or behind its end.
TEST(FailAllocation, EveryScriptOnce) {
  std::mt19937_64 random(5);
  int scripts = 0, hit = 0;
  for (const Script& script : FindScripts()) {
    if (!IsPlain(script)) continue;
    const std::string source = Source(script);
    if (HasThreads(source)) continue;
    const int64_t n = 1 + static_cast<int64_t>(random() % (uint64_t{2500} << (random() % 5)));
    if (*kSanitizer != '\0' && (n % 4 != 0 || LeftOutHere(source))) continue;
    Outcome whole;
    whole.status = ExpectedStatus(source);
    whole.out = Expected(script);
    const Outcome o = RunFailing(script, source, n, 300);
    scripts++;
    hit += o.out != whole.out || o.status != whole.status;
    EXPECT_EQ(Problem(whole, o), "") << script.name << ": tidepool --fail-allocation=" << n << " " << script.folder << "/" << script.name << ".py\n" << o.err;
  }
  EXPECT_GE(scripts, *kSanitizer != '\0' ? 8 : 60);
  EXPECT_GE(hit, scripts / 8);
}

// The start of the runtime, allocation by allocation: an empty script ends well, or with status 1 and a reason.
TEST(FailAllocation, WhileTheRuntimeStarts) {
  const std::string program = Interpreter();
  const Outcome whole = Execute(program, ".", {"--fail-allocation=" + std::to_string(kNever), "-c", "x = 1"}, 100);
  const int64_t total = Counted(whole.err);
  ASSERT_GT(total, 1000) << whole.err;
  const int64_t step = Full() ? 1 : *kSanitizer != '\0' ? 97 : 17;
  for (int64_t n = 1 + total % step; n <= total; n += step) {
    const Outcome o = Execute(program, ".", {"--fail-allocation=" + std::to_string(n), "-c", "x = 1"}, 100);
    EXPECT_EQ(Problem(whole, o), "") << "tidepool --fail-allocation=" << n << " -c 'x = 1'\n" << o.err;
  }
}

// Output that cannot be written is not lost without a word: status 120, as CPython's.
TEST(Program, LostOutputIsAnError) {
  const std::string program = Interpreter();
  const Outcome o = Execute(program, ".", {"-c", "print('x')"}, 100, "/dev/full");
  EXPECT_EQ(o.status, 120) << o.err;
  EXPECT_NE(o.err.find("No space left on device"), std::string::npos) << o.err;
  EXPECT_EQ(Execute(program, ".", {"-c", "x = 1"}, 100, "/dev/full").status, 0);
}

TEST(Program, MisspeltVariablesAreNamedOnce) {
  setenv("TIDEPOOL_MAX_MEMROY", "1G", 1);
  const Outcome o = Execute(Interpreter(), ".", {"-c", "print(1)"}, 100);
  unsetenv("TIDEPOOL_MAX_MEMROY");
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.out, "1\n");
  const std::string words = "did you mean TIDEPOOL_MAX_MEMORY?";
  const size_t at = o.err.find(words);
  EXPECT_NE(at, std::string::npos) << o.err;
  EXPECT_EQ(o.err.find(words, at + 1), std::string::npos) << o.err;
}

}  // namespace
}  // namespace tidepool::testing
