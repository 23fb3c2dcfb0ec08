// The lab against runs of its own: a recorded run, replayed, must say what the same run does
// under another policy.

#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/gc/lab/recording.h"
#include "tidepool/gc/lab/replay.h"
#include "tidepool/gc/lab/report.h"
#include "tidepool/gc/test_world.h"

namespace tidepool {
namespace gc_lab {
namespace {

std::string Path(const std::string& name) { return testing::TempDir() + "/" + name; }

// Phases: data that stays, garbage on top of it, the data goes, garbage alone. Repeats itself.
void Program(World& w) {
  std::vector<Node*> kept;
  uint64_t random = 12345;
  auto next = [&] { return random = random * 6364136223846793005u + 1442695040888963407u; };
  for (int i = 0; i < 150000; ++i) {
    kept.push_back(NewNode(w.ts));
    if (next() >> 62 == 0) w.Drop(NewRing(w.ts, 2));
    w.ts->Safepoint();
  }
  for (int i = 0; i < 150000; ++i) {
    w.Drop(NewRing(w.ts, 1 + static_cast<int>(next() >> 62)));
    if (i == 100000) w.Collect();
    w.ts->Safepoint();
  }
  for (Node* node : kept) w.Drop(node);
  for (int i = 0; i < 100000; ++i) {
    w.Drop(NewRing(w.ts, 2));
    w.ts->Safepoint();
  }
}

Summary RunUnder(const std::string& policy, const std::string& path) {
  {
    World w(Options(), RealOs(), policy.c_str());
    EXPECT_TRUE(w.collector->OpenLog(w.ts, path.c_str(), 128 << 10).ok());
    Program(w);
  }
  auto recording = Recording::Load(path);
  EXPECT_TRUE(recording.ok()) << recording.status();
  return Summarize(*recording);
}

TEST(PolicyLabTest, PredictsWhatARunDoes) {
  const std::string path = Path("record.jsonl");
  const Summary recorded = RunUnder("record", path);
  EXPECT_GE(recorded.collections, 20u);
  auto recording = Recording::Load(path);
  ASSERT_TRUE(recording.ok());
  EXPECT_EQ(recording->policy, "record");
  // max_percent=0, and a budget that no slice uses up: else times take part, and a busy
  // machine would decide.
  for (const char* policy :
       {"live_bytes:max_percent=0", "live_bytes:base=1m,growth=30,max_percent=0",
        "pause:ms=1000,max_percent=0", "memory_limit:limit=64m", "manual"}) {
    const auto prediction = Replay(*recording, policy);
    ASSERT_TRUE(prediction.ok());
    const Summary real = RunUnder(policy, Path("real.jsonl"));
    const Summary& said = prediction->summary;
    const double passes = static_cast<double>(real.collections);
    EXPECT_NEAR(static_cast<double>(said.collections), passes, passes / 10) << policy;
    EXPECT_NEAR(said.peak, real.peak, real.peak / 10) << policy;
    EXPECT_GE(real.collections, policy[0] == 'm' ? 1u : 3u) << policy;
  }
}

TEST(PolicyLabTest, UnknownPoliciesAndBrokenLogs) {
  EXPECT_FALSE(Recording::Parse("").ok());
  EXPECT_FALSE(Recording::Parse("nonsense\n").ok());
  EXPECT_FALSE(Recording::Parse("{\"event\":\"start\",\"pid\":1,\"format\":9}\n").ok());
  const auto cut = Recording::Parse(
      "{\"event\":\"start\",\"pid\":1,\"format\":1,\"allocated\":5}\n{\"event\":\"sam");
  EXPECT_EQ(cut.status().message(), "line 2 is no line of a gc log");
  const auto bare =
      Recording::Parse("{\"event\":\"start\",\"pid\":1,\"format\":1,\"allocated\":5}\n");
  ASSERT_TRUE(bare.ok());
  EXPECT_FALSE(Replay(*bare, "nonsense").ok());
  const auto nothing = Replay(*bare, "live_bytes");
  ASSERT_TRUE(nothing.ok());
  EXPECT_EQ(nothing->summary.collections, 0u);
}

// The clock of the lab: a program allocates as much whether its garbage goes often or seldom.
TEST(PolicyLabTest, PlacesDoNotDependOnThePolicy) {
  double end[2];
  for (int i = 0; i < 2; ++i) {
    const std::string path = Path("clock.jsonl");
    RunUnder(i == 0 ? "manual" : "record:grain=128k", path);
    const auto recording = Recording::Load(path);
    ASSERT_TRUE(recording.ok());
    EXPECT_GE(recording->passes.size(), i == 0 ? 1u : 50u);
    end[i] = recording->points.back().place;
  }
  EXPECT_NEAR(end[1], end[0], end[0] / 20);
}

// What had become garbage is told from what is alive by the passes of the recording.
TEST(PolicyLabTest, GarbageIsSharedOutBetweenPasses) {
  const auto r = Recording::Parse(
      "{\"event\":\"start\",\"pid\":1,\"format\":1,\"every\":100,\"allocated\":0,\"live\":50}\n"
      "{\"event\":\"sample\",\"pid\":1,\"enabled\":true,\"allocated\":1000,\"live\":650}\n"
      "{\"event\":\"sample\",\"pid\":2,\"enabled\":true,\"allocated\":1100,\"live\":9999}\n"
      "{\"event\":\"collect\",\"pid\":1,\"reason\":\"requested\",\"allocated\":2000,"
      "\"live\":1250,\"live_after\":450,\"freed\":800,\"collected\":3}\n"
      // Found nothing: what went meanwhile was dropped by other threads.
      "{\"event\":\"collect\",\"pid\":1,\"reason\":\"requested\",\"allocated\":3000,"
      "\"live\":950,\"live_after\":450,\"freed\":500,\"collected\":0}\n");
  ASSERT_TRUE(r.ok());
  ASSERT_EQ(r->points.size(), 4u);  // the child's is left out
  EXPECT_DOUBLE_EQ(r->points[3].true_live, 950);
  EXPECT_DOUBLE_EQ(r->points[3].made, 800);
  EXPECT_DOUBLE_EQ(r->points[1].true_live, 250);
  EXPECT_DOUBLE_EQ(r->points[1].made, 400);
  EXPECT_DOUBLE_EQ(r->points[2].true_live, 450);
  EXPECT_FALSE(r->passes[0].asked_by_policy);
}

TEST(PolicyLabTest, ReportsFitTheScreenAndThePicture) {
  const std::string path = Path("report.jsonl");
  RunUnder("record", path);
  const auto recording = Recording::Load(path);
  ASSERT_TRUE(recording.ok());
  std::vector<Prediction> predictions;
  for (const char* policy : {"live_bytes", "memory_limit:limit=512m,percent=85,base=64m"}) {
    predictions.push_back(*Replay(*recording, policy));
  }
  std::stringstream table(Table(predictions));
  int lines = 0;
  for (std::string line; std::getline(table, line); ++lines) EXPECT_LE(line.size(), 80u) << line;
  EXPECT_EQ(lines, 3);
  const std::string svg = Svg(*recording, predictions);
  EXPECT_EQ(svg.compare(0, 4, "<svg"), 0);
  EXPECT_NE(svg.find("</svg>"), std::string::npos);
  EXPECT_NE(Json(predictions).find("\"policy\":\"live_bytes\",\"collections\":"),
            std::string::npos);
}

}  // namespace
}  // namespace gc_lab
}  // namespace tidepool
