// The command line: what runs, with which arguments and exit status; --help, --version; what a crash says.
#include <cstring>
#include <fstream>

#include "gtest/gtest.h"
#include "tidepool/tests/people/child.h"

namespace tidepool::testing {
namespace {

struct Ran {
  int status;
  std::string out;  // and errors
};

Ran RunProgram(const std::vector<std::string>& args, const std::string& input = "") {
  Child child(Child::kPipes, args);
  child.Send(input);
  child.CloseInput();
  const int status = child.Wait();
  return {status, child.read()};
}

TEST(CommandLine, WhatRuns) {
  const std::string argv = "import sys; print(sys.argv, __name__)";
  const Ran code = RunProgram({"-c", argv, "a", "-x", "--stats"});
  EXPECT_EQ(code.status, 0);
  EXPECT_EQ(code.out, "['-c', 'a', '-x', '--stats'] __main__\n");
  const Ran dash = RunProgram({"-", "b"}, argv);
  EXPECT_EQ(dash.status, 0);
  EXPECT_EQ(dash.out, "['-', 'b'] __main__\n");
  const Ran piped = RunProgram({}, argv + "\nraise SystemExit(4)\n");
  EXPECT_EQ(piped.status, 4);
  EXPECT_EQ(piped.out, "[''] __main__\n");
  const std::string script = TempFile("mine.py");
  std::ofstream(script) << argv << "\n";
  const Ran file = RunProgram({"--gc-stress=50", script, "c"});
  EXPECT_EQ(file.status, 0);
  EXPECT_EQ(file.out, "['" + script + "', 'c'] __main__\n");
  ASSERT_EQ(chdir(TempFile("").c_str()), 0);
  const Ran module = RunProgram({"-m", "mine", "d"});
  EXPECT_EQ(module.status, 0);
  EXPECT_EQ(module.out, "['mine.py', 'd'] __main__\n");
  EXPECT_EQ(RunProgram({"-m", "bisect2"}).status, 1);
  EXPECT_EQ(RunProgram({"-m", "string"}).status, 0);
}

TEST(CommandLine, WrongUsage) {
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"-c"}, {"-m"}, {"--no-such-option"}, {"-q"}, {"--gc-stress=often", "-c", "1"}, {TempFile("no such script.py")}}) {
    const Ran ran = RunProgram(args);
    EXPECT_EQ(ran.status, 2) << args[0] << ran.out;
    EXPECT_NE(ran.out.find("tidepool: "), std::string::npos) << ran.out;
  }
}

TEST(CommandLine, ExitStatus) {
  EXPECT_EQ(RunProgram({"-c", "import sys; sys.exit()"}).status, 0);
  EXPECT_EQ(RunProgram({"-c", "import sys; sys.exit(300)"}).status, 44);
  EXPECT_EQ(RunProgram({"-c", "import sys; sys.exit(-1)"}).status, 255);
  EXPECT_EQ(RunProgram({"-c", "exit(9)"}).status, 9);
  const Ran text = RunProgram({"-c", "raise SystemExit('why')"});
  EXPECT_EQ(text.status, 1);
  EXPECT_EQ(text.out, "why\n");
  EXPECT_EQ(RunProgram({"-c", "1/0"}).status, 1);
  EXPECT_EQ(RunProgram({"-c", "x ="}).status, 1);
  EXPECT_EQ(RunProgram({"-c", "import os; os._exit(8)"}).status, 8);
  EXPECT_EQ(RunProgram({"-c", "raise KeyboardInterrupt"}).status, 130);
}

TEST(CommandLine, HelpFitsAScreen) {
  const Ran help = RunProgram({"--help"});
  EXPECT_EQ(help.status, 0);
  int lines = 0;
  std::istringstream text(help.out);
  for (std::string line; std::getline(text, line); lines++) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_LE(lines, 24);
  for (const char* word : {"-c CODE", "-m MODULE", "--stats", "--heap-map", "--max-memory", "--gc-policy", "--gc-log", "--version", "--implementation-name",
                           "--help-options", "TIDEPOOL_HISTORY"}) {
    EXPECT_NE(help.out.find(word), std::string::npos) << word;
  }
  const Ran options = RunProgram({"--help-options"});
  EXPECT_EQ(options.status, 0);
  EXPECT_NE(options.out.find("--gc_stress="), std::string::npos);
  const Ran version = RunProgram({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_EQ(version.out.compare(0, 9, "tidepool "), 0) << version.out;
}

constexpr bool kSanitized = *kSanitizer != '\0';

// A bad address in the middle of a script, with a thread beside it.
TEST(Crash, SaysWhatHappened) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer reports";
  const std::string script = TempFile("crash.py");
  std::ofstream(script) << "import ctypes, threading\n"
                           "def waits():\n"
                           "    started.set()\n"
                           "    threading.Event().wait()\n"
                           "def reads(address):\n"
                           "    return ctypes.c_size_t.from_address(address).value\n"
                           "started = threading.Event()\n"
                           "threading.Thread(target=waits, daemon=True).start()\n"
                           "started.wait()\n"
                           "reads(64)\n";
  const Ran ran = RunProgram({"--gc-stress=1000", script});
  EXPECT_EQ(ran.status, 1000 + SIGSEGV) << ran.out;
  for (const std::string& part :
       {std::string("tidepool: crashed: SIGSEGV"), std::string("address 0x40"), std::string("gc_stress=1000"), std::string("* 1 main: attached\n"),
        script + ":6 in reads\n", script + ":10 in <module>\n", std::string("2 python: "), std::string("native stack:")}) {
    EXPECT_NE(ran.out.find(part), std::string::npos) << part << " is not in\n" << ran.out;
  }
}

// A signal from outside, which any thread of the process may get; a failed check ends in abort() as this does.
TEST(Crash, DiesByTheSameSignal) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer reports";
  for (int number : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE}) {
    Child child(Child::kPipes, {"-c", "import time; print('ready', flush=True); time.sleep(10000)"});
    ASSERT_TRUE(child.Expect("ready"));
    child.Signal(number);
    EXPECT_EQ(child.Wait(), 1000 + number);
    EXPECT_NE(child.read().find("tidepool: crashed: SIG"), std::string::npos) << child.read();
    EXPECT_NE(child.read().find(" 1 main: "), std::string::npos) << child.read();
  }
}

TEST(Crash, Abort) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer reports";
  const Ran ran = RunProgram({"-c", "import os\ndef f():\n  os.abort()\nf()"});
  EXPECT_EQ(ran.status, 1000 + SIGABRT);
  EXPECT_NE(ran.out.find("<string>:3 in f\n"), std::string::npos) << ran.out;
}

}  // namespace
}  // namespace tidepool::testing
