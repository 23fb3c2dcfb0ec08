// A domain whose memory is the embedder's (base/region_os.h): given regions, or
// callbacks. It never asks for more than there is, uses nothing else, and a region
// that is empty can be taken back.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/allocator/heap.h"
#include "tidepool/allocator/heap_domain.h"
#include "tidepool/allocator/heap_ops_testing.h"
#include "tidepool/base/fake_os.h"
#include "tidepool/base/region_os.h"
#include "tidepool/base/single_thread_testing.h"

namespace tidepool {
namespace {

using testing::OpsRunner;
using testing::RandomProgram;

// Memory for a region, full of bytes that are not zero.
class Memory {
 public:
  explicit Memory(size_t size, bool zero = false) : size_(size) {
    p_ = static_cast<char*>(mmap(nullptr, size, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (!zero) memset(p_, 0xee, size);
  }
  ~Memory() { munmap(p_, size_); }
  char* start() const { return p_; }
  size_t size() const { return size_; }
  bool Has(const void* p) const {
    return static_cast<const char*>(p) >= p_ &&
           static_cast<const char*>(p) < p_ + size_;
  }
  void Forbid() { mprotect(p_, size_, PROT_NONE); }

 private:
  char* p_;
  size_t size_;
};

Options Plain() {
  Options options;
  options.bad_free = BadFreePolicy::kAbort;
  return options;
}

TEST(PageSourceTest, AFewMegabytesAndNothingElse) {
  TIDEPOOL_SINGLE_THREAD_TEST();
  for (size_t page : {4 << 10, 16 << 10, 64 << 10}) {
    for (size_t size : {2 << 20, 5 << 20, 8 << 20}) {
      Memory memory(size);
      FakeOs outside(RealOs());
      RegionOs os(page, &outside);
      // Not at a border of anything.
      ASSERT_TRUE(os.Add(memory.start() + 4096, size - 4096));
      auto domain = std::move(*HeapDomain::Create(Plain(), &os));
      ThreadHeap* heap = domain->NewThread();
      ASSERT_NE(heap, nullptr) << page << " " << size;
      heap->Attach();
      std::vector<char*> blocks;
      std::mt19937_64 random(1);
      size_t peak = 0;
      for (int round = 0; round < 4; ++round) {
        size_t held = 0;
        constexpr size_t kSizes[] = {16, 48, 100, 500, 1500, 100000};
        for (int refused = 0; refused < 50;) {
          size_t n = kSizes[random() % 32 == 0 ? 5 : random() % 5];
          char* p = static_cast<char*>(heap->AllocateZeroed(HeapKind::kRaw, n));
          if (p == nullptr) {
            ++refused;
            continue;
          }
          ASSERT_TRUE(memory.Has(p) && memory.Has(p + n));
          for (size_t i = 0; i < n; ++i) ASSERT_EQ(p[i], 0);
          memset(p, 0xaa, n);
          blocks.push_back(p);
          held += HeapDomain::UsableSize(p);
        }
        peak = std::max(peak, held);
        domain->CheckInvariants();
        for (char* p : blocks) heap->Free(p);
        blocks.clear();
      }
      // A quarter at most is records, and what a page for each size leaves over.
      EXPECT_GE(peak, size * (page == 4096 ? 6 : 4) / 10) << page << " " << size;
      EXPECT_LE(os.UsedBytes(), size);
      EXPECT_EQ(outside.Count(FakeOs::kMemory), 0u);
      domain->ExitThread(heap);
      domain = nullptr;
      EXPECT_TRUE(os.Withdraw(memory.start() + 4096));
    }
  }
}

// microsoft/mimalloc#1142: a block did not fit in a given arena, although most of it
// was free.
TEST(PageSourceTest, ABlockOfMostOfTheFreeSpaceFits) {
  constexpr size_t kSize = 64 << 20;
  Memory memory(kSize, true);
  RegionHooks hooks;
  hooks.zeroed = true;
  RegionOs os;
  ASSERT_TRUE(os.Add(memory.start(), kSize, hooks));
  auto domain = std::move(*HeapDomain::Create(Plain(), &os));
  ThreadHeap* heap = domain->NewThread();
  heap->Attach();
  for (int round = 0; round < 3; ++round) {
    for (size_t size = 1; size <= kSize * 8 / 10; size = size * 5 / 2 + 1) {
      void* p = heap->Allocate(HeapKind::kRaw, size);
      ASSERT_NE(p, nullptr) << size;
      ASSERT_TRUE(memory.Has(p));
      heap->Free(p);
    }
    void* most = heap->Allocate(HeapKind::kRaw, kSize * 8 / 10);
    ASSERT_NE(most, nullptr);
    // What is left still serves small blocks, and then comes to an end.
    std::vector<void*> blocks;
    while (void* p = heap->Allocate(HeapKind::kRaw, 1000)) blocks.push_back(p);
    EXPECT_GE(blocks.size(), kSize / 10 / 1024);
    heap->Free(most);
    // Every second megabyte in use: 80 % of the largest gap.
    for (void* p : blocks) heap->Free(p);
    blocks.clear();
    domain->Purge();
    while (void* p = heap->Allocate(HeapKind::kRaw, 4 << 20)) blocks.push_back(p);
    ASSERT_GE(blocks.size(), 13u);
    for (size_t i = 4; i < 8; ++i) heap->Free(blocks[i]);
    void* gap = heap->Allocate(HeapKind::kRaw, (16 << 20) * 8 / 10);
    EXPECT_NE(gap, nullptr);
    heap->Free(gap);
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (i < 4 || i >= 8) heap->Free(blocks[i]);
    }
  }
  domain->ExitThread(heap);
}

TEST(PageSourceTest, AnEmptyRegionCanBeWithdrawn) {
  Memory home(4 << 20), other(8 << 20), third(4 << 20);
  RegionOs os;
  ASSERT_TRUE(os.Add(home.start(), home.size()));
  auto domain = std::move(*HeapDomain::Create(Plain(), &os));
  ThreadHeap* heap = domain->NewThread();
  heap->Attach();
  std::vector<void*> at_home;
  while (void* p = heap->Allocate(HeapKind::kRaw, 3000)) at_home.push_back(p);
  ASSERT_TRUE(os.Add(other.start(), other.size()));
  // Now there is memory again; of every kind.
  std::vector<void*> blocks;
  for (int i = 0; i < 1000; ++i) {
    HeapKind kind = static_cast<HeapKind>(i % 4);
    void* p = heap->Allocate(kind, i % 10 == 0 ? 70000 : 500);
    if (p == nullptr) break;
    blocks.push_back(p);
  }
  ASSERT_GE(blocks.size(), 300u);
  ASSERT_TRUE(other.Has(blocks.back()));
  EXPECT_FALSE(os.Withdraw(other.start()));  // in use
  EXPECT_FALSE(os.Withdraw(third.start()));  // never added
  for (void* p : blocks) heap->Free(p);
  domain->ReleaseArenas();
  heap->Safepoint();  // no reader knows the dead objects; retained pages go
  domain->ReleaseArenas();
  heap->Detach();
  EXPECT_GT(domain->ReleaseArenas(), 0u);
  heap->Attach();
  ASSERT_TRUE(os.Withdraw(other.start()));
  other.Forbid();  // whoever touches it now ends here
  domain->CheckInvariants();
  for (size_t i = 0; i < at_home.size(); i += 2) heap->Free(at_home[i]);
  for (int i = 0; i < 300; ++i) {
    void* p = heap->Allocate(HeapKind::kRaw, 2900);
    ASSERT_TRUE(p == nullptr || home.Has(p));
  }
  ASSERT_TRUE(os.Add(third.start(), third.size()));
  void* p = heap->Allocate(HeapKind::kRaw, 1 << 20);
  EXPECT_TRUE(third.Has(p));
  domain->ExitThread(heap);
  domain = nullptr;
  EXPECT_TRUE(os.Withdraw(third.start()));
  EXPECT_TRUE(os.Withdraw(home.start()));
  EXPECT_EQ(os.UsedBytes(), 0u);
}

TEST(PageSourceTest, RandomProgramsOverARegion) {
  TIDEPOOL_SINGLE_THREAD_TEST();
  for (size_t page : {4 << 10, 16 << 10, 64 << 10}) {
    for (uint64_t seed = 1; seed < 4; ++seed) {
      Memory memory(6 << 20);
      RegionOs os(page);
      ASSERT_TRUE(os.Add(memory.start(), memory.size()));
      {
        OpsRunner runner(Options(), &os);
        runner.may_fail = true;
        runner.Run(RandomProgram(seed, 500));
      }
      EXPECT_TRUE(os.Withdraw(memory.start()));
    }
  }
}

TEST(PageSourceTest, TinyRegionsAreRefusedOrWork) {
  for (size_t size = 1024; size <= (2 << 20); size = size * 9 / 8) {
    Memory memory(size + 4096);
    RegionOs os;
    if (!os.Add(memory.start(), size)) continue;
    auto domain = HeapDomain::Create(Plain(), &os);
    if (domain.ok()) {
      if (ThreadHeap* heap = (*domain)->NewThread()) {
        heap->Attach();
        void* p = heap->Allocate(HeapKind::kRaw, 100);
        EXPECT_TRUE(p == nullptr || memory.Has(p));
        EXPECT_TRUE(p != nullptr || size < (1 << 20)) << size;
        (*domain)->ExitThread(heap);
      }
      *domain = nullptr;
    }
    EXPECT_TRUE(os.Withdraw(memory.start()));
    memory.Forbid();
  }
}

// An embedder that manages one range itself, fails at random, and checks what it is
// asked for.
struct Embedder {
  explicit Embedder(size_t size) : memory(size, true), used(size / 4096) {}

  static void* Reserve(void* self, size_t size, size_t alignment) {
    Embedder* e = static_cast<Embedder*>(self);
    EXPECT_LE(size, e->Largest());
    if (e->Fails()) return nullptr;
    for (size_t at = 0; at + size <= e->memory.size(); at += 4096) {
      char* p = e->memory.start() + at;
      if (reinterpret_cast<uintptr_t>(p) % alignment != 0) continue;
      size_t n = 0;
      while (n < size / 4096 && !e->used[at / 4096 + n]) ++n;
      if (n < size / 4096) continue;
      for (size_t i = 0; i < n; ++i) e->used[at / 4096 + i] = true;
      return p;
    }
    return nullptr;
  }
  static bool Release(void* self, void* address, size_t size) {
    Embedder* e = static_cast<Embedder*>(self);
    size_t at = static_cast<size_t>(static_cast<char*>(address) -
                                    e->memory.start()) / 4096;
    for (size_t i = at; i < at + size / 4096; ++i) {
      EXPECT_TRUE(e->used[i]);
      e->used[i] = false;
    }
    madvise(address, size, MADV_DONTNEED);
    return true;
  }
  static bool Commit(void* self, void* address, size_t size) {
    Embedder* e = static_cast<Embedder*>(self);
    EXPECT_TRUE(e->memory.Has(address));
    e->committed += size;
    return !e->Fails();
  }
  static PurgeResult Purge(void* self, void* address, size_t size) {
    Embedder* e = static_cast<Embedder*>(self);
    EXPECT_TRUE(e->memory.Has(address));
    if (e->Fails()) return PurgeResult::kFailed;
    madvise(address, size, MADV_DONTNEED);
    e->purged += size;
    return PurgeResult::kZeroed;
  }
  static size_t LargestNow(void* self) {
    return static_cast<Embedder*>(self)->Largest();
  }
  size_t Largest() const {
    size_t best = 0, run = 0;
    for (bool page : used) {
      run = page ? 0 : run + 1;
      best = std::max(best, run);
    }
    return best * 4096;
  }
  bool Fails() { return failing && random() % 4 == 0; }
  PageSource Source() {
    PageSource source;
    source.arg = this;
    source.reserve = &Reserve;
    source.release = &Release;
    source.commit = &Commit;
    source.purge = &Purge;
    source.largest = &LargestNow;
    return source;
  }

  Memory memory;
  std::vector<bool> used;
  std::mt19937_64 random{7};
  bool failing = false;
  uint64_t committed = 0, purged = 0;
};

TEST(PageSourceTest, MemoryByCallbacksThatFailAtRandom) {
  TIDEPOOL_SINGLE_THREAD_TEST();
  for (bool failing : {false, true}) {
    Embedder embedder(64 << 20);
    CallbackOs os(embedder.Source());
    embedder.failing = failing;
    for (uint64_t seed = 10; seed < 14; ++seed) {
      OpsRunner runner(Options(), &os);
      runner.may_fail = true;
      runner.Run(RandomProgram(seed, 500));
    }
    EXPECT_GT(embedder.committed, 0u);
    EXPECT_GT(embedder.purged, 0u);  // purges go through the embedder
    for (bool page : embedder.used) ASSERT_FALSE(page);
  }
}

}  // namespace
}  // namespace tidepool
