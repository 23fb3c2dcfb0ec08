// The heap's map and the split of resident memory by cause: that each cause shows in its
// line, and that the lines explain the process's memory.
#include "tidepool/allocator/heap_map.h"

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/allocator/stats_page.h"
#include "tidepool/base/sanitizer.h"
#include "tidepool/base/thread.h"

namespace tidepool {
namespace {

class HeapMapTest : public testing::Test {
 protected:
  void SetUp() override {
    Options options;
    options.purge_policy = PurgePolicyKind::kNever;  // what is freed stays to be seen
    domain_ = std::move(HeapDomain::Create(options).value());
    heap_ = domain_->NewThread();
    heap_->Attach();
    start_ = SplitMemory(GetHeapMap(*domain_));
  }
  void TearDown() override {
    if (heap_->attached()) heap_->Detach();
    domain_->ExitThread(heap_);
    heap_ = nullptr;
  }

  std::vector<void*> Fill(ThreadHeap* heap, HeapKind kind, size_t size, size_t bytes) {
    std::vector<void*> blocks;
    for (size_t sum = 0; sum < bytes; sum += size) {
      void* block = heap->Allocate(kind, size);
      // All but the words of a header that readers may look at.
      const size_t skip = kind == HeapKind::kRaw ? 0 : HeaderOffset(kind) + kReaderWords;
      memset(static_cast<char*>(block) + skip, 0x5a, size - skip);
      blocks.push_back(block);
    }
    return blocks;
  }

  // Checks that the line is `bytes` within 3 %, and that what is not explained (`other`)
  // grew by no more than 3 % of what is resident (and 1 MiB, for threads' stacks and what
  // the test itself remembers).
  void Expect(uint64_t MemorySplit::*line, uint64_t bytes) {
    const MemorySplit now = SplitMemory(GetHeapMap(*domain_));
    EXPECT_NEAR(static_cast<double>(now.*line), static_cast<double>(bytes),
                static_cast<double>(bytes) * 0.03);
    uint64_t sum = 0;
#define TIDEPOOL_X(field, label, doc) sum += now.field;
    TIDEPOOL_MEMORY_CAUSES(TIDEPOOL_X)
#undef TIDEPOOL_X
    EXPECT_NEAR(static_cast<double>(sum), static_cast<double>(now.resident),
                static_cast<double>(now.resident) * 0.03);
#if !TIDEPOOL_ASAN && !TIDEPOOL_TSAN
    // A sanitizer's shadow grows with the heap, an emulator's code with what is run.
    if (getenv("TIDEPOOL_EMULATED") != nullptr) return;
    EXPECT_LE(static_cast<double>(now.other),
              static_cast<double>(start_.other) + static_cast<double>(now.resident) * 0.03 +
                  (1 << 20));
#endif
  }

  size_t Count(MapState state) {
    size_t n = 0;
    for (const MapRun& run : GetHeapMap(*domain_).runs) n += run.state == state;
    return n;
  }

  static constexpr size_t kMuch = 48 << 20;
  std::unique_ptr<HeapDomain> domain_;
  ThreadHeap* heap_ = nullptr;
  MemorySplit start_;
};

TEST_F(HeapMapTest, LiveThenFreeInPagesThenDormant) {
  std::vector<void*> blocks = Fill(heap_, HeapKind::kObject, 1008, kMuch);
  Expect(&MemorySplit::live, kMuch);
  const MemorySplit full = SplitMemory(GetHeapMap(*domain_));
  EXPECT_EQ(full.headers, blocks.size() * kHeaderSize);
  EXPECT_GT(Count(MapState::kFull), 600u);
  for (size_t i = 0; i < blocks.size(); i += 2) {
    heap_->Free(blocks[i]);
    blocks[i] = nullptr;
  }
  const MemorySplit half = SplitMemory(GetHeapMap(*domain_));
  EXPECT_NEAR(static_cast<double>(half.free_owned + half.free_abandoned), kMuch / 2,
              kMuch * 0.015);
  Expect(&MemorySplit::live, kMuch / 2);
  EXPECT_GT(Count(MapState::kPartly), 600u);
  for (void* block : blocks) heap_->Free(block);
  heap_->Safepoint();
  Expect(&MemorySplit::dormant, kMuch);
  EXPECT_GT(Count(MapState::kDormant), 600u);
  EXPECT_EQ(Count(MapState::kFull), 0u);
  // Purged, they cost nothing and are still there for readers.
  [[maybe_unused]] const uint64_t before =
      SplitMemory(GetHeapMap(*domain_)).resident;
  domain_->Purge();
  EXPECT_LT(SplitMemory(GetHeapMap(*domain_)).dormant, 1u << 20);
  EXPECT_GT(Count(MapState::kDormantPurged), 600u);
#if !TIDEPOOL_ASAN && !TIDEPOOL_TSAN
  EXPECT_LT(SplitMemory(GetHeapMap(*domain_)).resident + kMuch * 9 / 10, before);
#endif
}

TEST_F(HeapMapTest, FreeSlicesThenPurged) {
  std::vector<void*> blocks = Fill(heap_, HeapKind::kRaw, 8 << 20, kMuch);
  Expect(&MemorySplit::live, kMuch);
  EXPECT_EQ(Count(MapState::kLarge), blocks.size());
  for (void* block : blocks) heap_->Free(block);
  Expect(&MemorySplit::free, kMuch);
  EXPECT_GE(Count(MapState::kFree), 1u);
  domain_->Purge();
  EXPECT_LT(SplitMemory(GetHeapMap(*domain_)).free, 1u << 20);
  EXPECT_GE(Count(MapState::kPurged), 1u);
}

TEST_F(HeapMapTest, PagesOfNoThread) {
  std::vector<void*> blocks;
  Thread thread;
  ASSERT_TRUE(thread.Start([&] {
    ThreadHeap* other = domain_->NewThread();
    other->Attach();
    blocks = Fill(other, HeapKind::kGc, 496, kMuch);
    for (size_t i = 0; i < blocks.size(); i += 2) other->Free(blocks[i]);
    other->Detach();
    domain_->ExitThread(other);
  }));
  thread.Join();
  Expect(&MemorySplit::free_abandoned, kMuch / 2);
  Expect(&MemorySplit::live, kMuch / 2);
}

TEST_F(HeapMapTest, Limbo) {
  // A reader that does not come keeps what others free.
  ThreadHeap* reader = domain_->NewThread();
  reader->Attach();
  std::vector<void*> blocks = Fill(heap_, HeapKind::kRaw, 4096, kMuch);
  Expect(&MemorySplit::live, kMuch);
  for (void* block : blocks) heap_->FreeDelayed(block);
  Expect(&MemorySplit::limbo, kMuch);
  EXPECT_GT(Count(MapState::kLimbo), 600u);
  EXPECT_LT(SplitMemory(GetHeapMap(*domain_)).live, kMuch / 20);
  reader->Detach();
  heap_->Safepoint();
  heap_->Detach();
  domain_->AfterStop();
  EXPECT_EQ(Count(MapState::kLimbo), 0u);
  EXPECT_EQ(SplitMemory(GetHeapMap(*domain_)).limbo, 0u);
  domain_->ExitThread(reader);
}

// Every slice of every arena stands in the map once.
TEST_F(HeapMapTest, CoversEveryArena) {
  Fill(heap_, HeapKind::kRaw, 100, 1 << 20);
  Fill(heap_, HeapKind::kGcPre, 40000, 4 << 20);
  Fill(heap_, HeapKind::kRaw, 300000, 4 << 20);
  const HeapMap map = GetHeapMap(*domain_);
  ASSERT_EQ(map.arenas.size(), map.stats.arenas);
  uint64_t reserved = 0, blocks = 0;
  for (const MapArena& arena : map.arenas) {
    const char* at = arena.start;
    for (size_t i = 0; i < arena.runs; ++i) {
      const MapRun& run = map.runs[arena.first_run + i];
      EXPECT_EQ(run.start, at);
      at += size_t{run.slices} * kSliceSize;
      blocks += run.live;
      EXPECT_LE(run.committed, size_t{run.slices} * kSliceSize);
    }
    EXPECT_EQ(at, arena.start + arena.slices * kSliceSize);
    reserved += arena.slices * kSliceSize;
  }
  EXPECT_EQ(reserved, map.stats.reserved);
  EXPECT_EQ(blocks, map.stats.live_blocks);
}

TEST_F(HeapMapTest, PictureIsSelfContained) {
  std::vector<void*> blocks = Fill(heap_, HeapKind::kObject, 480, 4 << 20);
  for (size_t i = 0; i < blocks.size(); i += 3) heap_->Free(blocks[i]);
  const std::string html = HeapMapHtml(GetHeapMap(*domain_), "a <test>");
  EXPECT_NE(html.find("<svg"), std::string::npos);
  EXPECT_NE(html.find("a &lt;test>"), std::string::npos);
  EXPECT_EQ(html.find("a <test>"), std::string::npos);
  EXPECT_NE(html.find("partly used: object page"), std::string::npos);
  for (const char* outside : {"<script", "src=", "href=", "@import", "url("}) {
    EXPECT_EQ(html.find(outside), std::string::npos) << outside;
  }
#define TIDEPOOL_X(enumerator, name, colour, doc) \
  EXPECT_NE(html.find(std::string(">") + name + "<"), std::string::npos) << name;
  TIDEPOOL_MAP_STATES(TIDEPOOL_X)
#undef TIDEPOOL_X
}

// --- The page of figures. ---

TEST_F(HeapMapTest, EveryLineOfThePageIsExplained) {
  std::ifstream file("docs/stats.md");
  std::ostringstream text;
  text << file.rdbuf();
  const std::string docs = text.str();
  EXPECT_NE(docs.find(StatsMarkdown()), std::string::npos)
      << "docs/stats.md must hold this:\n" << StatsMarkdown();
  std::istringstream page(StatsPage(*domain_));
  std::string line;
  int lines = 0;
  while (std::getline(page, line)) {
    EXPECT_LE(line.size(), 80u) << line;
    if (line.compare(0, 2, "  ") != 0) continue;  // a heading
    ++lines;
    const std::string label = line.substr(2, line.find("  ", 2) - 2);
    EXPECT_NE(docs.find("**" + label + "**"), std::string::npos) << label;
  }
  EXPECT_GT(lines, 40);
}

TEST_F(HeapMapTest, ByClassAddsUp) {
  Fill(heap_, HeapKind::kRaw, 100, 1 << 20);
  heap_->Allocate(HeapKind::kGc, 1 << 20);
  const std::string table = StatsByClass(*domain_);
  std::istringstream lines(table);
  std::string line;
  uint64_t pages = 0, blocks = 0;
  while (std::getline(lines, line)) {
    EXPECT_LE(line.size(), 80u) << line;
    std::istringstream words(line);
    std::string kind, block;
    uint64_t n = 0, used = 0;
    if (!(words >> kind >> block >> n >> used)) continue;
    if (kind != "raw" && kind != "gc") continue;
    pages += n;
    blocks += used;
  }
  EXPECT_EQ(pages, domain_->GetStats().pages);
  EXPECT_EQ(blocks, domain_->GetStats().live_blocks);
  EXPECT_NE(table.find("large"), std::string::npos);
}

}  // namespace
}  // namespace tidepool
