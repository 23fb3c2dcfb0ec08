// The sampled heap profile: that figures are right, that nothing stays behind, and that
// the file says what was sampled.
#include "tidepool/allocator/heap_profile.h"

#include <cmath>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/sanitizer.h"
#include "tidepool/base/thread.h"

namespace tidepool {
namespace {

constexpr size_t kBlock = 1024;

// Three call sites. The sums of a site are found by the return address in its frame.
template <int kSite>
__attribute__((noinline)) void* AllocateAt(ThreadHeap* heap) {
  void* block = heap->Allocate(HeapKind::kRaw, kBlock);
  // So that the call is no tail call, and the frame is there.
  __asm__ volatile("" ::"r"(block) : "memory");
  return block;
}

using Site = void* (*)(ThreadHeap*);
constexpr Site kSites[] = {&AllocateAt<0>, &AllocateAt<1>, &AllocateAt<2>};

[[maybe_unused]] int SiteOf(const HeapSample& sample) {
  for (size_t i = 0; i < sample.stack_count; ++i) {
    for (int s = 0; s < 3; ++s) {
      const uintptr_t start = reinterpret_cast<uintptr_t>(kSites[s]);
      // These functions are some dozen bytes long.
      if (sample.stack[i] > start && sample.stack[i] < start + 256) {
        bool nearest = true;
        for (int o = 0; o < 3; ++o) {
          const uintptr_t other = reinterpret_cast<uintptr_t>(kSites[o]);
          if (other > start && other < sample.stack[i]) nearest = false;
        }
        if (nearest) return s;
      }
    }
  }
  return -1;
}

std::unique_ptr<HeapDomain> Make(uint64_t interval) {
  Options options;
  options.heap_profile_interval = interval;
  return std::move(HeapDomain::Create(options).value());
}

// A pseudo-random number below n, always the same ones.
class Dice {
 public:
  explicit Dice(uint64_t seed) : state_(seed) {}
  uint64_t operator()(uint64_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return (state_ >> 33) % n;
  }

 private:
  uint64_t state_;
};

// 16 threads leak 1, 10 and 100 MB in blocks of 1 KB; live bytes per site come back.
// Each block is a sample with probability p, whatever the others are. The bounds are
// Bernstein's for a chance of 1e-11 a site, and `at_most`, if that is not 0.
[[maybe_unused]] void LeakAtThreeSites(uint64_t interval, double at_most) {
  auto domain = Make(interval);
  constexpr int kThreads = 16;
  const uint64_t blocks[] = {1000, 10000, 100000};
  Thread threads[kThreads];
  for (int t = 0; t < kThreads; ++t) {
    ASSERT_TRUE(threads[t].Start([&, t] {
      ThreadHeap* heap = domain->NewThread();
      heap->Attach();
      Dice dice(static_cast<uint64_t>(t) + 1);
      // The sites take turns at random, so that no pattern of theirs meets one of ours.
      uint64_t left[] = {blocks[0] / kThreads, blocks[1] / kThreads, blocks[2] / kThreads};
      while (left[0] + left[1] + left[2] != 0) {
        uint64_t pick = dice(left[0] + left[1] + left[2]);
        const int site = pick < left[0] ? 0 : pick < left[0] + left[1] ? 1 : 2;
        --left[site];
        ASSERT_NE(kSites[site](heap), nullptr);
      }
      heap->Detach();
      domain->ExitThread(heap);
    }));
  }
  for (Thread& thread : threads) thread.Join();
  double bytes[3] = {}, unknown = 0;
  domain->VisitSamples([&](const HeapSample& sample) {
    const int site = SiteOf(sample);
    EXPECT_EQ(sample.size, kBlock);
    (site < 0 ? unknown : bytes[site]) += sample.weight * static_cast<double>(sample.size);
  });
  EXPECT_EQ(unknown, 0);
  for (int s = 0; s < 3; ++s) {
    const double truth = static_cast<double>(blocks[s] / kThreads * kThreads * kBlock);
    const double p = -std::expm1(-static_cast<double>(kBlock) / static_cast<double>(interval));
    const double n = truth / kBlock, third = std::log(2 / 1e-11) / 3;
    const double most = third + std::sqrt(third * third + 6 * third * n * p * (1 - p));
    const double error = std::fabs(bytes[s] - truth) / truth;
    EXPECT_LE(error, most / (n * p)) << "site " << s << ": " << bytes[s];
    if (at_most != 0) {
      EXPECT_LE(error, at_most) << "site " << s << ": " << bytes[s];
    }
  }
  EXPECT_EQ(domain->GetStats().samples_lost, 0u);
}

// The frames that instrumented code leaves are not told apart by these tests' address ranges.
#if !TIDEPOOL_ASAN && !TIDEPOOL_TSAN
TEST(HeapProfileTest, SitesWithin15PercentWhereThereAreEnoughSamples) {
  LeakAtThreeSites(1024, 0.15);
}

// The usual interval: 2, 20 and 200 samples, so the error is what statistics allow.
TEST(HeapProfileTest, SitesAtTheUsualInterval) { LeakAtThreeSites(512 << 10, 0); }
#endif

// Blocks of all sizes that come and go: each class's live bytes are right. A block that is
// sampled with probability 1/w and then counts w times has the variance w - 1, of which
// w * (w - 1) over the samples is an estimate without bias. The threads of a domain draw
// the same numbers in every run, so this passes or fails always.
TEST(HeapProfileTest, EverySizeCountsAlike) {
  constexpr uint64_t kInterval = 4096;
  constexpr int kRounds = 8;
  struct Sum {
    double blocks = 0, told = 0, variance = 0;
  };
  std::map<size_t, Sum> sums;
  auto domain = Make(kInterval);
  for (int round = 0; round < kRounds; ++round) {
    ThreadHeap* heap = domain->NewThread();
    heap->Attach();
    Dice dice(99 + static_cast<uint64_t>(round));
    const size_t sizes[] = {16, 48, 400, 3000, 20000, 100000};
    std::vector<std::pair<void*, size_t>> live;
    for (int i = 0; i < 60000; ++i) {
      if (!live.empty() && dice(5) < 2) {
        const size_t at = dice(live.size());
        heap->Free(live[at].first);
        live[at] = live.back();
        live.pop_back();
        continue;
      }
      // The larger, the seldomer.
      size_t size = sizes[0];
      for (size_t s : sizes) {
        if (dice(s / 16 + 1) == 0) size = s;
      }
      void* block = heap->Allocate(HeapKind::kRaw, size);
      ASSERT_NE(block, nullptr);
      live.push_back({block, size});
    }
    for (const auto& [block, size] : live) sums[size].blocks += 1;
    domain->VisitSamples([&](const HeapSample& sample) {
      Sum& sum = sums[sample.size];
      sum.told += sample.weight;
      sum.variance += sample.weight * (sample.weight - 1);
    });
    domain->CheckInvariants();
    for (const auto& [block, size] : live) heap->Free(block);
    heap->Detach();
    EXPECT_EQ(domain->GetStats().samples, 0u);
    domain->CheckInvariants();
    domain->ExitThread(heap);
  }
  ASSERT_EQ(sums.size(), 6u);
  for (const auto& [size, sum] : sums) {
    const double sigma = std::sqrt(sum.variance);
    EXPECT_NEAR(sum.told, sum.blocks, 4 * sigma + 0.001 * sum.blocks) << size;
    // The bound says something.
    EXPECT_LT(sigma, 0.1 * sum.blocks) << size;
  }
  EXPECT_EQ(domain->GetStats().samples_lost, 0u);
}

// Where a sample lies there are samples only, so that frees of all other blocks take the
// fast path; and a walk finds every live block, whatever of the lists is cut off.
TEST(HeapProfileTest, SamplesHavePagesOfTheirOwn) {
  auto domain = Make(2048);
  ThreadHeap* heap = domain->NewThread();
  heap->Attach();
  Dice dice(5);
  std::set<void*> live;
  std::vector<void*> blocks(20000);
  for (int i = 0; i < 200000; ++i) {
    void*& block = blocks[dice(blocks.size())];
    live.erase(block);
    heap->Free(block);
    block = heap->Allocate(HeapKind::kRaw, 16 + 16 * dice(8));
    ASSERT_TRUE(live.insert(block).second);
  }
  const auto check = [&] {
    domain->CheckInvariants();
    std::set<const void*> sampled;
    std::set<uintptr_t> pages;  // those of blocks this small have 64 KiB
    domain->VisitSamples([&](const HeapSample& sample) {
      sampled.insert(sample.block);
      pages.insert(reinterpret_cast<uintptr_t>(sample.block) >> 16);
    });
    EXPECT_GT(sampled.size(), 100u);
    size_t seen = 0;
    const auto visit = [&](const HeapDomain::BlockInfo& info) {
      ++seen;
      EXPECT_EQ(live.count(info.block), 1u);
      const bool among = pages.count(reinterpret_cast<uintptr_t>(info.block) >> 16) != 0;
      EXPECT_EQ(among, sampled.count(info.block) != 0);
    };
    const uint32_t raw = 1u << static_cast<unsigned>(HeapKind::kRaw);
    ASSERT_TRUE(domain->VisitBlocks(raw, 0, 128, visit));
    EXPECT_EQ(seen, live.size());
  };
  check();
  // What is cut off is whole again after a purge, and cut anew.
  domain->Purge();
  heap->Safepoint();  // it is attached
  check();
  for (int i = 0; i < 20000; ++i) {
    void*& block = blocks[dice(blocks.size())];
    live.erase(block);
    heap->Free(block);
    block = heap->Allocate(HeapKind::kRaw, 16 + 16 * dice(8));
    ASSERT_TRUE(live.insert(block).second);
  }
  check();
  for (void* block : blocks) heap->Free(block);
  domain->Purge();
  heap->Safepoint();  // it is attached
  EXPECT_EQ(domain->GetStats().samples, 0u);
  EXPECT_EQ(domain->GetStats().pages, 0u);
  heap->Detach();
  domain->ExitThread(heap);
}

// Pages of samples that a thread leaves behind serve the samples of those that come.
TEST(HeapProfileTest, ThreadsLeaveNoPagesOfSamplesBehind) {
  auto domain = Make(16);
  std::vector<void*> kept;
  uint64_t pages = 0;
  for (int i = 0; i < 200; ++i) {
    ThreadHeap* heap = domain->NewThread();
    heap->Attach();
    std::vector<void*> blocks;
    for (int k = 0; k < 50; ++k) blocks.push_back(heap->Allocate(HeapKind::kGc, 64));
    for (int k = 1; k < 50; ++k) heap->Free(blocks[static_cast<size_t>(k)]);
    kept.push_back(blocks[0]);
    heap->Detach();
    domain->ExitThread(heap);
    if (i == 20) pages = domain->GetStats().pages;
  }
  EXPECT_LE(domain->GetStats().pages, pages + 2);
  domain->CheckInvariants();
  ThreadHeap* heap = domain->NewThread();
  heap->Attach();
  for (void* block : kept) heap->Free(block);
  heap->Detach();
  domain->ExitThread(heap);
  EXPECT_EQ(domain->GetStats().samples, 0u);
  EXPECT_EQ(domain->GetStats().pages, 0u);
}

// Between any two blocks that stay, others come and go. These are the first to reach each
// new place of a list, and take back what was freed last; the blocks that stay are still
// seen as often as they should be, and the loop alone is not slowed down for ever.
TEST(HeapProfileTest, ShortLivedBlocksDoNotHideThoseThatStay) {
  constexpr size_t kSize = 64;
  constexpr uint64_t kInterval = 2048;
  auto domain = Make(kInterval);
  ThreadHeap* heap = domain->NewThread();
  heap->Attach();
  constexpr int kStay = 100000;
  for (int i = 0; i < kStay; ++i) {
    void* one = heap->Allocate(HeapKind::kRaw, kSize);
    void* two = heap->Allocate(HeapKind::kRaw, kSize);
    heap->Free(two);
    heap->Free(one);
    ASSERT_NE(heap->Allocate(HeapKind::kRaw, kSize), nullptr);  // stays
  }
  double blocks = 0, squares = 0;
  domain->VisitSamples([&](const HeapSample& sample) {
    blocks += sample.weight;
    squares += sample.weight * sample.weight;
  });
  // `squares` estimates the variance of the sum.
  EXPECT_NEAR(blocks, kStay, 5 * std::sqrt(squares));
  EXPECT_GT(squares, 0);
  heap->Detach();
  domain->ExitThread(heap);
}

// Whoever frees a sampled block, and however, its record goes.
TEST(HeapProfileTest, FreedByAnyoneItIsGone) {
  auto domain = Make(64);
  ThreadHeap* heap = domain->NewThread();
  heap->Attach();
  std::vector<void*> mine, theirs, delayed, grown;
  for (int i = 0; i < 2000; ++i) {
    const size_t size = 16u << (i % 14);
    mine.push_back(heap->Allocate(HeapKind::kObject, size));
    theirs.push_back(heap->Allocate(HeapKind::kGc, size));
    delayed.push_back(heap->Allocate(HeapKind::kRaw, size));
    grown.push_back(heap->Allocate(HeapKind::kRaw, size));
  }
  EXPECT_GT(domain->GetStats().samples, 4000u);
  for (void* block : mine) heap->Free(block);
  Thread thread;
  ASSERT_TRUE(thread.Start([&] {
    ThreadHeap* other = domain->NewThread();
    other->Attach();
    for (void* block : theirs) other->Free(block);
    other->Detach();
    domain->ExitThread(other);
  }));
  thread.Join();
  for (void* block : delayed) heap->FreeDelayed(block);
  for (void*& block : grown) {
    block = heap->Reallocate(block, 3 * HeapDomain::UsableSize(block));
    heap->Free(block);
  }
  heap->Detach();
  domain->AfterStop();
  EXPECT_EQ(domain->GetStats().samples, 0u);
  domain->CheckInvariants();
  domain->ExitThread(heap);
}

TEST(HeapProfileTest, StartedAndStoppedWhileRunning) {
  auto domain = Make(0);
  ThreadHeap* heap = domain->NewThread();
  heap->Attach();
  for (int i = 0; i < 1000; ++i) heap->Allocate(HeapKind::kRaw, 64);
  EXPECT_EQ(domain->GetStats().samples, 0u);
  ASSERT_TRUE(domain->StartHeapProfile(256));
  for (int i = 0; i < 10000; ++i) heap->Allocate(HeapKind::kRaw, 64);
  const uint64_t samples = domain->GetStats().samples;
  EXPECT_GT(samples, 1500u);  // 2,212 expected
  ASSERT_TRUE(domain->StartHeapProfile(0));
  for (int i = 0; i < 10000; ++i) heap->Allocate(HeapKind::kRaw, 64);
  EXPECT_LE(domain->GetStats().samples, samples + 1);
  heap->Detach();
  domain->ExitThread(heap);
}

// --- The file. ---

struct Field {
  unsigned number;
  uint64_t value;
  std::string bytes;
};

// Splits a message; false if it is none.
bool Parse(const std::string& data, std::vector<Field>* fields) {
  size_t at = 0;
  const auto varint = [&](uint64_t* value) {
    *value = 0;
    for (int shift = 0; at < data.size() && shift < 64; shift += 7) {
      const unsigned char byte = static_cast<unsigned char>(data[at++]);
      *value |= uint64_t{byte & 127u} << shift;
      if (byte < 128) return true;
    }
    return false;
  };
  while (at < data.size()) {
    uint64_t key = 0, value = 0;
    if (!varint(&key) || !varint(&value)) return false;
    Field field = {static_cast<unsigned>(key >> 3), value, ""};
    if ((key & 7) == 2) {
      if (value > data.size() - at) return false;
      field.bytes = data.substr(at, value);
      at += value;
    } else if ((key & 7) != 0) {
      return false;
    }
    fields->push_back(field);
  }
  return true;
}

size_t TwoFrames(void*, ProfileFrame* out, size_t most) {
  if (most < 2) return 0;
  out[0] = {"inner", "script.py", 7};
  out[1] = {"outer", "script.py", 21};
  return 2;
}

TEST(HeapProfileTest, FileHasStacksTypesAndSums) {
  auto domain = Make(1);  // every block
  domain->SetProfileFrames(&TwoFrames, nullptr);
  ThreadHeap* heap = domain->NewThread();
  heap->Attach();
  for (int i = 0; i < 100; ++i) heap->Allocate(HeapKind::kGc, 48);
  heap->Allocate(HeapKind::kRaw, 100000);
  const std::string file = HeapProfile(*domain, [](const HeapSample& sample) {
    return sample.kind == HeapKind::kGc ? std::string("tuple") : std::string();
  });
  heap->Detach();
  domain->ExitThread(heap);

  // gzip, stored blocks.
  ASSERT_GT(file.size(), 18u);
  ASSERT_EQ(file.compare(0, 3, "\x1f\x8b\x08"), 0);
  std::string data;
  for (size_t at = 10;;) {
    const bool last = file[at] == 1;
    const size_t n = static_cast<unsigned char>(file[at + 1]) |
                     static_cast<size_t>(static_cast<unsigned char>(file[at + 2])) << 8;
    data.append(file, at + 5, n);
    at += 5 + n;
    if (last) break;
  }
  std::vector<Field> fields;
  ASSERT_TRUE(Parse(data, &fields));
  std::vector<std::string> strings;
  for (const Field& f : fields) {
    if (f.number == 6) strings.push_back(f.bytes);
  }
  ASSERT_FALSE(strings.empty());
  EXPECT_EQ(strings[0], "");
  std::map<std::string, uint64_t> objects, bytes;  // by type
  size_t sample_types = 0, functions = 0;
  for (const Field& f : fields) {
    std::vector<Field> inner;
    if (f.number == 1) ++sample_types;
    if (f.number == 5) ++functions;
    if (f.number != 2) continue;
    ASSERT_TRUE(Parse(f.bytes, &inner));
    std::string type = "-";
    uint64_t values[2] = {};
    size_t locations = 0;
    for (const Field& part : inner) {
      std::vector<Field> label;
      if (part.number == 1) locations = part.bytes.size();
      if (part.number == 2) {
        // Packed varints, parsed as fields would be wrong: by hand.
        size_t at = 0;
        for (uint64_t& value : values) {
          for (int shift = 0;; shift += 7) {
            const unsigned char byte = static_cast<unsigned char>(part.bytes[at++]);
            value |= uint64_t{byte & 127u} << shift;
            if (byte < 128) break;
          }
        }
      }
      if (part.number != 3) continue;
      ASSERT_TRUE(Parse(part.bytes, &label));
      ASSERT_GE(label.size(), 2u);
      if (strings[label[0].value] == "type") type = strings[label[1].value];
    }
    EXPECT_GE(locations, 3u);  // two frames of the script, and native ones
    objects[type] += values[0];
    bytes[type] += values[1];
  }
  EXPECT_EQ(sample_types, 2u);
  EXPECT_GE(functions, 2u);
  EXPECT_EQ(objects["tuple"], 100u);
  EXPECT_EQ(bytes["tuple"], 4800u);
  EXPECT_EQ(objects["-"], 1u);
  EXPECT_EQ(bytes["-"], 100000u);
  const auto has = [&](const char* text) {
    for (const std::string& s : strings) {
      if (s == text) return true;
    }
    return false;
  };
  EXPECT_TRUE(has("inner") && has("outer") && has("script.py"));
}

}  // namespace
}  // namespace tidepool
