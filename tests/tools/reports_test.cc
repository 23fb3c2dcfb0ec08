// What a person sees of a script's memory: --stats, --heap-map, --heap-profile, the call
// in sys and module _tidepool, each from a real run.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include "gtest/gtest.h"
#include "tidepool/tests/shell/shell.h"

namespace {

constexpr char kRuntime[] = "runtime/tidepool";

std::string TempFile(const std::string& name) {
  return testing::TempDir() + "/reports_" + std::to_string(getpid()) + "_" + name;
}

std::string Read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// What the command wrote to both streams.
std::string RunCommand(const std::string& command, int* status) {
  const tidepool::Ran ran = tidepool::Shell(command + " 2>&1");
  *status = ran.status;
  return ran.out;
}

testing::AssertionResult Has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no '" << part << "' in:\n" << text;
}

// 8,000 objects of a class, a large buffer, garbage and a collection.
constexpr char kScript[] = R"(
import gc, threading
class Leaf:
    def __init__(self, i):
        self.payload = bytes(1000 + i % 7)
def grow(n):
    return [Leaf(i) for i in range(n)]
keep = grow(8000)
big = bytearray(4 << 20)
for i in range(1000):
    a = []
    a.append(a)
t = threading.Thread(target=lambda: None)
t.start()
t.join()
gc.collect()
)";

class ReportsTest : public testing::Test {
 protected:
  void SetUp() override {
    script_ = TempFile("script.py");
    std::ofstream(script_) << kScript;
  }
  void TearDown() override { unlink(script_.c_str()); }
  std::string script_;
};

TEST_F(ReportsTest, StatsPageIsExplainedLineByLine) {
  int status = -1;
  const std::string page = RunCommand(std::string(kRuntime) + " --stats " + script_, &status);
  ASSERT_EQ(status, 0) << page;
  const std::string docs = Read("docs/stats.md");
  std::istringstream lines(page);
  std::string line;
  int labels = 0;
  while (std::getline(lines, line)) {
    EXPECT_LE(line.size(), 80u) << line;
    if (line.compare(0, 2, "  ") != 0 || line[2] == ' ') continue;  // a heading, or more of a line
    const std::string label = line.substr(2, line.find("  ", 2) - 2);
    EXPECT_TRUE(Has(docs, "**" + label + "**"));
    ++labels;
  }
  EXPECT_GT(labels, 50);
  for (const char* part : {"time to stop", "collections", "live memory", "Leaf", "8000"}) {
    EXPECT_TRUE(Has(page, part));
  }
}

TEST_F(ReportsTest, HeapMapAtTheEnd) {
  const std::string map = TempFile("map.html");
  int status = -1;
  const std::string out = RunCommand(std::string(kRuntime) + " --heap-map=" + map + " " + script_, &status);
  ASSERT_EQ(status, 0) << out;
  const std::string html = Read(map);
  EXPECT_TRUE(html.compare(0, 15, "<!doctype html>") == 0);
  for (const char* part : {"Resident memory by cause", "large block: raw page", "used: "}) {
    EXPECT_NE(html.find(part), std::string::npos) << part;
  }
  unlink(map.c_str());
}

TEST_F(ReportsTest, HeapMapOfALiveScriptBySignal) {
  const std::string map = TempFile("live.json");
  const std::string option = "--heap-map=" + map;
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    dup2(ends[1], 1);
    execl(kRuntime, kRuntime, option.c_str(), "-c",
          "import time; x = [bytes(500) for i in range(1000)]; print('ready', flush=True)\n"
          "while True: time.sleep(0.01)",
          nullptr);
    _exit(127);
  }
  close(ends[1]);
  char text[6] = "";
  ASSERT_EQ(read(ends[0], text, 5), 5);
  ASSERT_STREQ(text, "ready");
  ASSERT_EQ(kill(child, SIGUSR2), 0);
  std::string json;
  for (int i = 0; i < 500; ++i) {
    json = Read(map);
    if (!json.empty() && json.substr(json.size() - 2) == "]}") break;
    usleep(10000);
  }
  EXPECT_TRUE(Has(json.substr(0, 200), "{\"split\":{\"live\":"));
  EXPECT_NE(json.find("\"state\":\"used\""), std::string::npos);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, WNOHANG), 0) << "the signal must not end the script";
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  close(ends[0]);
  unlink(map.c_str());
}

TEST_F(ReportsTest, HeapProfileNamesLinesAndTypes) {
  const std::string profile = TempFile("profile.pb.gz");
  int status = -1;
  const std::string out =
      RunCommand(std::string(kRuntime) + " --heap-profile=" + profile +
                     " --heap-profile-interval=4K " + script_,
                 &status);
  ASSERT_EQ(status, 0) << out;
  // The decoder is a second reading of the format.
  const std::string shown = RunCommand("python3 tools/heap_profile " + profile, &status);
  ASSERT_EQ(status, 0) << shown;
  EXPECT_TRUE(Has(shown, "Leaf.__init__ (reports_"));
  EXPECT_TRUE(Has(shown, "grow (reports_"));
  EXPECT_TRUE(Has(shown, "bytes"));
  // 8,000 payloads of 1,000 bytes and their headers, by some 2,000 samples.
  const std::string folded = RunCommand("python3 tools/heap_profile --folded " + profile, &status);
  double bytes = 0;
  std::istringstream lines(folded);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.find("Leaf.__init__") == std::string::npos) continue;
    bytes += atof(line.substr(line.rfind(' ')).c_str());
  }
  EXPECT_GT(bytes, 7.2e6) << folded;
  EXPECT_LT(bytes, 11e6) << folded;
  unlink(profile.c_str());
}

TEST_F(ReportsTest, CallsFromAScript) {
  const std::string map = TempFile("inside.html"), profile = TempFile("inside.pb.gz");
  int status = -1;
  const std::string out = RunCommand(
      std::string(kRuntime) + " -c \"import sys, _tidepool\n"
      "_tidepool.start_profile(64)\n"
      "x = [str(i) for i in range(10000)]\n"
      "sys._debugmallocstats()\n"
      "_tidepool.heap_map('" + map + "')\n"
      "_tidepool.heap_profile('" + profile + "')\n"
      "print(_tidepool.stats())\n"
      "print(len(_tidepool.stats_json()) > 500, _tidepool.purge() >= 0)\n"
      "try: _tidepool.heap_map('/nowhere/at/all')\n"
      "except OSError as e: print('refused', e)\"",
      &status);
  ASSERT_EQ(status, 0) << out;
  EXPECT_TRUE(Has(out, "kind       block    pages"));
  EXPECT_TRUE(Has(out, "free slices"));
  EXPECT_TRUE(Has(out, "Resident memory by cause"));
  EXPECT_TRUE(Has(out, "True True"));
  EXPECT_TRUE(Has(out, "refused /nowhere/at/all: No such file or directory"));
  EXPECT_FALSE(Read(map).empty());
  const std::string shown = RunCommand("python3 tools/heap_profile " + profile, &status);
  EXPECT_EQ(status, 0) << shown;
  EXPECT_TRUE(Has(shown, "str"));
  unlink(map.c_str());
  unlink(profile.c_str());
}

// Marked, an object outlives its last reference until a collection; then it dies at once again.
TEST_F(ReportsTest, AScriptMarksWhatItsThreadsShare) {
  int status = -1;
  const std::string out = RunCommand(
      std::string(kRuntime) + " -c \"import _tidepool, gc, threading, weakref\n"
      "class C:\n"
      "    def m(self): return 1\n"
      "gc.disable()\n"
      "gone = []\n"
      "def work(x):\n"
      "    for _ in range(1000): x.m()\n"
      "def shared():\n"
      "    x = C()\n"
      "    w = weakref.ref(x, gone.append)\n"
      "    print(_tidepool.set_deferred(x), _tidepool.set_deferred(x))\n"
      "    threads = [threading.Thread(target=work, args=(x,)) for _ in range(4)]\n"
      "    for t in threads: t.start()\n"
      "    for t in threads: t.join()\n"
      "    return x, w\n"
      "x, w = shared()\n"
      "del x\n"
      "print('kept', len(gone), w() is not None)\n"
      "gc.collect()\n"
      "print('collected', len(gone), w() is None)\n"
      "x, w = shared()\n"
      "print(_tidepool.clear_deferred(x), _tidepool.clear_deferred(x))\n"
      "del x\n"
      "print('at once', len(gone), w() is None)\n"
      "for v in (1, 'text'):\n"
      "    try: _tidepool.set_deferred(v)\n"
      "    except TypeError as e: print(e)\"",
      &status);
  ASSERT_EQ(status, 0) << out;
  EXPECT_EQ(out,
            "True False\nkept 0 True\ncollected 1 True\nTrue False\nTrue False\n"
            "at once 2 True\n"
            "int objects that the collector does not track cannot be marked\n"
            "str objects that the collector does not track cannot be marked\n");
}

TEST(OptionsOfReportsTest, BadValuesAreNamed) {
  int status = 0;
  std::string out = RunCommand(std::string(kRuntime) + " --heap-map -c pass", &status);
  EXPECT_EQ(status, 2);
  EXPECT_TRUE(Has(out, "needs a value"));
  out = RunCommand(std::string(kRuntime) + " --heap-map=/nowhere/x.html -c pass", &status);
  EXPECT_TRUE(Has(out, "/nowhere/x.html: No such file or directory"));
}

}  // namespace
