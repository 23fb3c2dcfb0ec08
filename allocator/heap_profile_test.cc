// The sampled heap profile: that figures are right, that nothing stays behind, and that
// the file says what was sampled.
#include "tidepool/allocator/heap_profile.h"

#include <cmath>
#include <cstring>
#include <map>
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

// 16 threads leak 1, 10 and 100 MB in blocks of 1 KB; live bytes per site come back.
[[maybe_unused]] void LeakAtThreeSites(uint64_t interval, double tolerance_sigmas, double at_most) {
  auto domain = Make(interval);
  constexpr int kThreads = 16;
  const uint64_t blocks[] = {1000, 10000, 100000};
  Thread threads[kThreads];
  for (int t = 0; t < kThreads; ++t) {
    ASSERT_TRUE(threads[t].Start([&, t] {
      ThreadHeap* heap = domain->NewThread();
      heap->Attach();
      uint64_t state = static_cast<uint64_t>(t) + 1;
      // The sites take turns at random, so that no pattern of theirs meets one of ours.
      uint64_t left[] = {blocks[0] / kThreads, blocks[1] / kThreads, blocks[2] / kThreads};
      while (left[0] + left[1] + left[2] != 0) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint64_t pick = (state >> 33) % (left[0] + left[1] + left[2]);
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
    // Of one block: sampled with probability p, and then counted 1/p times.
    const double p = -std::expm1(-static_cast<double>(kBlock) / static_cast<double>(interval));
    const double sigma = std::sqrt((1 - p) / p / (truth / kBlock));
    const double error = std::fabs(bytes[s] - truth) / truth;
    EXPECT_LE(error, tolerance_sigmas * sigma) << "site " << s << ": " << bytes[s];
    if (at_most != 0) {
      EXPECT_LE(error, at_most) << "site " << s << ": " << bytes[s];
    }
  }
  EXPECT_EQ(domain->GetStats().samples_lost, 0u);
}

// The frames that instrumented code leaves are not told apart by these tests' address ranges.
#if !TIDEPOOL_ASAN && !TIDEPOOL_TSAN
TEST(HeapProfileTest, SitesWithin15PercentWhereThereAreEnoughSamples) {
  LeakAtThreeSites(1024, 6, 0.15);
}

// The usual interval: 2, 20 and 200 samples, so the error is what statistics allow.
TEST(HeapProfileTest, SitesAtTheUsualInterval) { LeakAtThreeSites(512 << 10, 5, 0); }
#endif

// Blocks of all sizes that come and go: each class's live bytes are right.
TEST(HeapProfileTest, EverySizeCountsAlike) {
  auto domain = Make(4096);
  ThreadHeap* heap = domain->NewThread();
  heap->Attach();
  uint64_t state = 99;
  const auto chance = [&state](uint64_t n) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (state >> 33) % n;
  };
  const size_t sizes[] = {16, 48, 400, 3000, 20000, 100000};
  std::vector<std::pair<void*, size_t>> live;
  std::map<size_t, double> truth, told;
  for (int i = 0; i < 300000; ++i) {
    if (!live.empty() && chance(5) < 2) {
      const size_t at = chance(live.size());
      heap->Free(live[at].first);
      live[at] = live.back();
      live.pop_back();
      continue;
    }
    // The larger, the seldomer.
    size_t size = sizes[0];
    for (size_t s : sizes) {
      if (chance(s / 16 + 1) == 0) size = s;
    }
    void* block = heap->Allocate(HeapKind::kRaw, size);
    ASSERT_NE(block, nullptr);
    live.push_back({block, size});
  }
  for (const auto& [block, size] : live) truth[size] += static_cast<double>(size);
  std::map<size_t, double> samples;
  domain->VisitSamples([&](const HeapSample& sample) {
    told[sample.size] += sample.weight * static_cast<double>(sample.size);
    samples[sample.size] += 1;
  });
  for (const auto& [size, bytes] : truth) {
    const double p = -std::expm1(-static_cast<double>(size) / 4096);
    const double n = bytes / static_cast<double>(size);
    const double sigma = std::sqrt((1 - p) / p / n);
    // Blocks are sampled by what their class holds: an eighth more at most.
    EXPECT_NEAR(told[size], bytes, bytes * (5 * sigma + 0.001)) << size;
  }
  for (const auto& [block, size] : live) heap->Free(block);
  heap->Detach();
  EXPECT_EQ(domain->GetStats().samples, 0u);
  domain->CheckInvariants();
  domain->ExitThread(heap);
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
