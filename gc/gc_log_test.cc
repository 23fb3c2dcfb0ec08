// The gc log: what stands in it, and that it survives lack of memory and forks.

#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/gc/test_world.h"

namespace tidepool {
namespace {

std::string Path(const char* name) { return testing::TempDir() + "/" + name; }

std::vector<std::string> Lines(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The number behind "key":, or -1.
int64_t Number(const std::string& line, const std::string& key) {
  const size_t at = line.find("\"" + key + "\":");
  return at == std::string::npos ? -1 : atoll(line.c_str() + at + key.size() + 3);
}

std::string Event(const std::string& line) {
  const size_t start = line.find("\"event\":\"") + 9;
  return line.substr(start, line.find('"', start) - start);
}

size_t Count(const std::vector<std::string>& lines, const std::string& event) {
  size_t n = 0;
  for (const std::string& line : lines) n += Event(line) == event;
  return n;
}

TEST(GcLogTest, EveryDecisionAndCollection) {
  const std::string path = Path("decisions.jsonl");
  uint64_t collections;
  {
    World w(Options(), RealOs(), "live_bytes:base=1m");
    ASSERT_TRUE(w.collector->OpenLog(w.ts, path.c_str()).ok());
    EXPECT_FALSE(w.collector->OpenLog(w.ts, path.c_str()).ok());
    for (int i = 0; i < 20000; ++i) {
      w.Drop(NewRing(w.ts, 2));
      w.ts->Safepoint();
    }
    w.Collect();
    collections = w.collector->GetGenerationStats(0).collections + 1;
  }
  const std::vector<std::string> lines = Lines(path);
  ASSERT_GE(lines.size(), 5u);
  EXPECT_EQ(Event(lines.front()), "start");
  EXPECT_EQ(Event(lines.back()), "end");
  EXPECT_EQ(Count(lines, "collect"), collections);
  EXPECT_EQ(Number(lines.back(), "collections"), static_cast<int64_t>(collections));
  uint64_t yes = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    EXPECT_EQ(line.front(), '{');
    EXPECT_EQ(line.back(), '}');
    EXPECT_EQ(Number(line, "pid"), getpid());
    EXPECT_EQ(Event(line) == "sample", false);  // none were asked for
    if (Event(line) != "ask") continue;
    EXPECT_GE(Number(line, "next"), 0);
    if (line.find("\"collect\":true") == std::string::npos) continue;
    ++yes;
    // Its reason comes with it, and its collection right behind it.
    EXPECT_NE(line.find("\"reason\":\"live bytes grew\""), std::string::npos);
    ASSERT_LT(i + 1, lines.size());
    EXPECT_EQ(Event(lines[i + 1]), "collect");
    EXPECT_NE(lines[i + 1].find("\"reason\":\"live bytes grew\""), std::string::npos);
    EXPECT_GT(Number(lines[i + 1], "collected"), 0);
    EXPECT_LT(Number(lines[i + 1], "live_after"), Number(lines[i + 1], "live"));
  }
  EXPECT_EQ(yes + 1, collections);
}

TEST(GcLogTest, SamplesWhateverThePolicyWants) {
  const std::string path = Path("samples.jsonl");
  {
    World w;  // manual: is never asked twice
    ASSERT_TRUE(w.collector->OpenLog(w.ts, path.c_str(), 256 << 10).ok());
    for (int i = 0; i < 40000; ++i) {  // 12.8 MB
      w.Drop(NewRing(w.ts, 2));
      w.ts->Safepoint();
    }
    w.collector->Disable();
    for (int i = 0; i < 4000; ++i) {
      w.Drop(NewRing(w.ts, 2));
      w.ts->Safepoint();
    }
  }
  const std::vector<std::string> lines = Lines(path);
  EXPECT_GE(Count(lines, "sample"), 20u);
  EXPECT_EQ(Count(lines, "ask"), 1u);
  int64_t last = 0;
  for (const std::string& line : lines) {
    if (Event(line) != "sample") continue;
    EXPECT_GT(Number(line, "allocated"), last);
    if (last != 0) {
      EXPECT_LT(Number(line, "allocated"), last + (400 << 10));
    }
    last = Number(line, "allocated");
  }
  EXPECT_NE(lines[lines.size() - 2].find("\"enabled\":false"), std::string::npos);
}

TEST(GcLogTest, PathsThatCannotBeWritten) {
  World w;
  const absl::Status status = w.collector->OpenLog(w.ts, "/nonexistent/log");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("/nonexistent/log"), absl::string_view::npos);
  EXPECT_TRUE(w.collector->OpenLog(w.ts, Path("second.jsonl").c_str()).ok());
}

// The disk is full: the program goes on.
TEST(GcLogTest, FullDisk) {
  World w;
  ASSERT_TRUE(w.collector->OpenLog(w.ts, "/dev/full").ok());
  for (int i = 0; i < 10; ++i) {
    w.Drop(NewRing(w.ts, 2));
    EXPECT_EQ(w.Collect().collected, 2u);
  }
}

// No memory is left: questions and collections go on being written.
TEST(GcLogTest, SurvivesOutOfMemory) {
  const std::string path = Path("oom.jsonl");
  Options options;
  options.max_memory = 8 << 20;
  World w(options, RealOs(), "live_bytes:base=1m");
  ASSERT_TRUE(w.collector->OpenLog(w.ts, path.c_str()).ok());
  Node* head = nullptr;
  while (Node* node = NewNode(w.ts)) {
    if (head != nullptr) Give(w.ts, node, 0, head);
    head = node;
    w.ts->Safepoint();
  }
  const size_t before = Count(Lines(path), "collect");
  w.Collect();
  EXPECT_EQ(Count(Lines(path), "collect"), before + 1);
  w.Drop(head);
}

TEST(GcLogTest, SurvivesAFork) {
  const std::string path = Path("fork.jsonl");
  pid_t child;
  {
    World w;
    ASSERT_TRUE(w.collector->OpenLog(w.ts, path.c_str()).ok());
    w.Collect();
    w.collector->PrepareFork(w.ts);
    w.isolate->PrepareFork(w.ts);
    child = fork();
    if (child == 0) {
      w.isolate->ChildAfterFork(w.ts);
      w.collector->AfterFork(w.ts);
      w.Drop(NewRing(w.ts, 2));
      const bool right = w.Collect().collected == 2;
      _exit(right ? 0 : 1);
    }
    w.isolate->ParentAfterFork(w.ts);
    w.collector->AfterFork(w.ts);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    w.Collect();
  }
  std::map<int64_t, int> collections;
  for (const std::string& line : Lines(path)) {
    EXPECT_EQ(line.back(), '}');
    collections[Number(line, "pid")] += Event(line) == "collect";
  }
  EXPECT_EQ(collections[getpid()], 2);
  EXPECT_EQ(collections[child], 1);
}

}  // namespace
}  // namespace tidepool
