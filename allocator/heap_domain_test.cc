// A heap domain with its threads: blocks of every size and kind, foreign frees,
// threads that exit, and what becomes of their pages.
#include "tidepool/allocator/heap_domain.h"

#include <cstring>
#include <map>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/allocator/domain_testing.h"
#include "tidepool/base/fake_os.h"

namespace tidepool {
namespace {

using testing_memory::OnThread;

std::unique_ptr<HeapDomain> MakeDomain(const Options& options = Options()) {
  absl::StatusOr<std::unique_ptr<HeapDomain>> domain =
      HeapDomain::Create(options);
  EXPECT_TRUE(domain.ok());
  return std::move(*domain);
}

class HeapDomainTest : public ::testing::Test {
 protected:
  void SetUp() override { Start(Options()); }
  void Start(const Options& options) {
    if (domain_ != nullptr) TearDown();
    domain_ = MakeDomain(options);
    heap_ = domain_->NewThread();
    ASSERT_NE(heap_, nullptr);
    heap_->Attach();
  }
  void TearDown() override {
    if (domain_ == nullptr) return;
    domain_->CheckInvariants();
    domain_->ExitThread(heap_);
    domain_->CheckInvariants();
    domain_.reset();
  }
  std::unique_ptr<HeapDomain> domain_;
  ThreadHeap* heap_ = nullptr;
};

TEST_F(HeapDomainTest, ClassesCoverEverySize) {
  for (size_t size = 0; size <= kMediumMax; ++size) {
    unsigned c = SizeClass(size);
    ASSERT_GE(ClassSize(c), size);
    if (c > 1) {
      ASSERT_LT(ClassSize(c - 1), size == 0 ? 1 : size);
    }
    if (size > 1024) {
      ASSERT_LE((ClassSize(c) - size) * 8, ClassSize(c));
    }
  }
}

TEST_F(HeapDomainTest, BlocksOfEverySizeAndKindHoldTheirBytes) {
  for (unsigned k = 0; k < kHeapKindCount; ++k) {
    HeapKind kind = static_cast<HeapKind>(k);
    std::vector<std::pair<char*, size_t>> blocks;
    for (size_t size = 1; size <= (3 << 20); size = size + size / 7 + 1) {
      char* p = static_cast<char*>(heap_->Allocate(kind, size));
      ASSERT_NE(p, nullptr);
      ASSERT_EQ(reinterpret_cast<uintptr_t>(p) % 16, 0u);
      ASSERT_GE(HeapDomain::UsableSize(p), size);
      ASSERT_TRUE(domain_->Owns(p));
      ASSERT_TRUE(domain_->Owns(p + size - 1));
      memset(p, static_cast<int>(size & 0xff), size);
      blocks.push_back({p, size});
    }
    for (auto [p, size] : blocks) {
      for (size_t i = 0; i < size; i += 1 + size / 97) {
        ASSERT_EQ(p[i], static_cast<char>(size & 0xff));
      }
      ASSERT_EQ(p[size - 1], static_cast<char>(size & 0xff));
      heap_->Free(p);
    }
  }
  EXPECT_EQ(domain_->GetStats().live_blocks, 0u);
}

TEST_F(HeapDomainTest, FreedBlocksAreUsedAgain) {
  for (int round = 0; round < 50; ++round) {
    std::vector<void*> blocks;
    for (int i = 0; i < 10000; ++i) {
      blocks.push_back(heap_->Allocate(HeapKind::kRaw, 48));
      memset(blocks.back(), 1, 48);
    }
    for (void* p : blocks) heap_->Free(p);
  }
  EXPECT_LT(domain_->CommittedBytes(), 3u << 20);
}

TEST_F(HeapDomainTest, AnotherThreadFreesAndTheMemoryComesBack) {
  for (int round = 0; round < 20; ++round) {
    std::vector<void*> blocks;
    for (int i = 0; i < 20000; ++i) {
      blocks.push_back(heap_->Allocate(HeapKind::kGc, 64));
      ASSERT_NE(blocks.back(), nullptr);
    }
    OnThread(domain_.get(), [&](ThreadHeap* other) {
      for (void* p : blocks) other->Free(p);
    });
    domain_->CheckInvariants();
    EXPECT_EQ(domain_->GetStats().live_blocks, 0u);
  }
  EXPECT_LT(domain_->CommittedBytes(), 6u << 20);
}

TEST_F(HeapDomainTest, PagesOfAnExitedThreadAreFreedByOthers) {
  std::vector<void*> blocks;
  OnThread(domain_.get(), [&](ThreadHeap* other) {
    for (int i = 0; i < 10000; ++i) {
      blocks.push_back(other->Allocate(HeapKind::kObject, 128));
    }
  });
  EXPECT_EQ(domain_->GetStats().live_blocks, 10000u);
  for (size_t i = 0; i < blocks.size(); i += 2) heap_->Free(blocks[i]);
  heap_->Safepoint();  // hands over the last batch
  EXPECT_EQ(domain_->GetStats().live_blocks, 5000u);
  domain_->CheckInvariants();
  // What the other thread left is what this one takes.
  uint64_t made = domain_->GetStats().pages_made;
  std::vector<void*> more;
  for (int i = 0; i < 4000; ++i) {
    more.push_back(heap_->Allocate(HeapKind::kObject, 128));
  }
  EXPECT_EQ(domain_->GetStats().pages_made, made);
  for (size_t i = 1; i < blocks.size(); i += 2) heap_->Free(blocks[i]);
  for (void* p : more) heap_->Free(p);
  heap_->Safepoint();
  EXPECT_EQ(domain_->GetStats().live_blocks, 0u);
}

TEST_F(HeapDomainTest, AlignedBlocks) {
  for (size_t align = 1; align <= (1 << 22); align *= 2) {
    for (size_t size = 1; size <= (1 << 20); size *= 2) {
      for (size_t pad : {size_t{0}, size_t{1}, size / 2}) {
        void* p = heap_->AllocateAligned(HeapKind::kRaw, size + pad, align);
        ASSERT_NE(p, nullptr);
        ASSERT_EQ(reinterpret_cast<uintptr_t>(p) % align, 0u);
        ASSERT_GE(HeapDomain::UsableSize(p), size + pad);
        static_cast<char*>(p)[size + pad - 1] = 1;
        p = heap_->Reallocate(p, size + pad + 100);
        ASSERT_NE(p, nullptr);
        heap_->Free(p);
      }
    }
  }
}

TEST_F(HeapDomainTest, AbsurdSizesAreRefusedAtOnce) {
  for (int bit = 47; bit < 64; ++bit) {
    EXPECT_EQ(heap_->Allocate(HeapKind::kRaw, size_t{1} << bit), nullptr);
    EXPECT_EQ(heap_->Allocate(HeapKind::kGc, (size_t{1} << bit) - 1 +
                                                 (size_t{1} << bit)),
              nullptr);
    EXPECT_EQ(heap_->AllocateZeroed(HeapKind::kRaw, size_t{1} << bit), nullptr);
    EXPECT_EQ(heap_->AllocateAligned(HeapKind::kRaw, 100, size_t{1} << bit),
              nullptr);
    void* p = heap_->Allocate(HeapKind::kRaw, 100);
    EXPECT_EQ(heap_->Reallocate(p, size_t{1} << bit), nullptr);
    heap_->Free(p);
  }
}

// Sizes that the address space has and the machine has not, or the limit forbids: they
// are refused before anything is reserved (AddressSanitizer would write an eighth of
// the reservation), and what lies idle is not given back for them.
TEST_F(HeapDomainTest, WhatCanNeverBeHadIsNotReserved) {
  FakeOs os(RealOs());
  const size_t total = os.MemoryTotal();
  ASSERT_GT(total, size_t{64} << 20);
  ASSERT_LT(total, size_t{1} << 46);
  const size_t limit = size_t{32} << 20;
  for (uint64_t hard : {uint64_t{0}, uint64_t{limit}}) {
    Options options;
    options.max_memory = hard;
    auto domain = std::move(*HeapDomain::Create(options, &os));
    ThreadHeap* heap = domain->NewThread();
    heap->Attach();
    void* small = heap->Allocate(HeapKind::kRaw, 200000);
    ASSERT_NE(small, nullptr);
    const uint64_t reserved = os.Count(FakeOs::kReserve);
    const uint64_t purges = os.Count(FakeOs::kPurge);
    for (size_t size : {total + 1, total * 2, size_t{1} << 40, size_t{1} << 45}) {
      if (size <= total) continue;
      for (HeapKind kind : {HeapKind::kRaw, HeapKind::kObject}) {
        EXPECT_EQ(heap->Allocate(kind, size), nullptr);
        EXPECT_EQ(heap->AllocateZeroed(kind, size), nullptr);
      }
      EXPECT_EQ(heap->AllocateAligned(HeapKind::kRaw, size, 4096), nullptr);
      EXPECT_EQ(heap->Reallocate(small, size), nullptr);
    }
    EXPECT_EQ(os.Count(FakeOs::kPurge), purges);
    if (hard != 0) {
      EXPECT_EQ(heap->Allocate(HeapKind::kRaw, hard + 1), nullptr);
    }
    EXPECT_EQ(os.Count(FakeOs::kReserve), reserved);
    heap->Free(small);
    domain->ExitThread(heap);
  }
}

// Option fail_allocation: exactly the n-th fails, or all from the n-th on, whatever the
// size, the kind and the way it is asked for.
TEST_F(HeapDomainTest, TheChosenAllocationFails) {
  auto run = [&](int64_t at) {
    Options options;
    options.fail_allocation = at;
    Start(options);
    std::vector<int> failed;
    int n = 0;
    auto one = [&](void* block) {
      ++n;
      if (block == nullptr) failed.push_back(n);
      heap_->Free(block);
    };
    for (int i = 0; i < 3; ++i) {
      one(heap_->Allocate(HeapKind::kRaw, 24));
      one(heap_->Allocate(HeapKind::kGc, 4000));
      one(heap_->AllocateZeroed(HeapKind::kRaw, 100));
      one(heap_->AllocateZeroed(HeapKind::kRaw, 200000));
      one(heap_->Allocate(HeapKind::kObject, 300000));
      one(heap_->AllocateAligned(HeapKind::kRaw, 500, 256));
      one(heap_->AllocateAligned(HeapKind::kRaw, 500000, 1 << 17));
    }
    EXPECT_EQ(domain_->allocations_counted(), at == 0 ? 0u : 21u);
    return failed;
  };
  EXPECT_EQ(run(0), std::vector<int>());
  EXPECT_EQ(run(1000), std::vector<int>());
  for (int n = 1; n <= 21; ++n) {
    EXPECT_EQ(run(n), std::vector<int>{n});
    std::vector<int> rest;
    for (int i = n; i <= 21; ++i) rest.push_back(i);
    EXPECT_EQ(run(-n), rest);
  }
}

TEST_F(HeapDomainTest, ZeroedBlocksAreZero) {
  for (int round = 0; round < 3; ++round) {
    std::vector<std::pair<char*, size_t>> blocks;
    for (size_t size = 16; size < (1 << 20); size += size / 3 + 16) {
      char* p = static_cast<char*>(heap_->AllocateZeroed(HeapKind::kRaw, size));
      for (size_t i = 0; i < size; ++i) ASSERT_EQ(p[i], 0) << size << " " << i;
      memset(p, 0xee, HeapDomain::UsableSize(p));
      blocks.push_back({p, size});
    }
    for (auto [p, size] : blocks) heap_->Free(p);
  }
}

// A recycled object block has a dead header or zeros in front, never anything else,
// whatever the memory was before.
TEST_F(HeapDomainTest, HeadersOfNewObjectsAreDead) {
  std::vector<void*> blocks;
  for (size_t size = 16; size < (200 << 10); size += size / 5 + 16) {
    for (int i = 0; i < 40; ++i) {
      blocks.push_back(heap_->Allocate(HeapKind::kRaw, size));
      memset(blocks.back(), 0x77, HeapDomain::UsableSize(blocks.back()));
    }
  }
  for (void* p : blocks) heap_->Free(p);
  blocks.clear();
  for (unsigned k = 1; k < kHeapKindCount; ++k) {
    HeapKind kind = static_cast<HeapKind>(k);
    for (size_t size = 32; size < (200 << 10); size += size / 5 + 16) {
      for (int i = 0; i < 40; ++i) {
        char* p = static_cast<char*>(heap_->Allocate(kind, size));
        const char* header = p + HeaderOffset(kind);
        for (size_t b = 0; b < kReaderWords; ++b) ASSERT_EQ(header[b], 0);
        memset(p, 0x66, HeaderOffset(kind));
        memset(p + HeaderOffset(kind) + kReaderWords, 0x66,
               HeapDomain::UsableSize(p) - HeaderOffset(kind) - kReaderWords);
        blocks.push_back(p);
      }
    }
  }
  for (void* p : blocks) heap_->Free(p);
}

TEST_F(HeapDomainTest, BadFreesAreRefused) {
  Options options;
  options.bad_free = BadFreePolicy::kIgnore;
  Start(options);
  int local = 0;
  static int global = 0;
  heap_->Free(&local);
  heap_->Free(&global);
  heap_->Free(reinterpret_cast<void*>(uintptr_t{0x10}));
  heap_->Free(reinterpret_cast<void*>(~uintptr_t{0}));
  char* small = static_cast<char*>(heap_->Allocate(HeapKind::kRaw, 100));
  for (size_t i = 1; i < 100; ++i) heap_->Free(small + i);
  char* large = static_cast<char*>(heap_->Allocate(HeapKind::kRaw, 1 << 20));
  heap_->Free(large + 16);
  heap_->Free(large + 70000);
  EXPECT_EQ(domain_->GetStats().bad_frees, 4u + 99 + 2);
  heap_->Free(large);
  heap_->Free(large);
  EXPECT_EQ(domain_->GetStats().live_blocks, 1u);
  heap_->Free(small);
}

TEST_F(HeapDomainTest, TwoDomainsDoNotMix) {
  std::unique_ptr<HeapDomain> other = MakeDomain();
  ThreadHeap* heap = other->NewThread();
  heap->Attach();
  std::vector<void*> mine, theirs;
  OnThread(domain_.get(), [&](ThreadHeap* h) {
    for (int i = 0; i < 5000; ++i) mine.push_back(h->Allocate(HeapKind::kGc, 64));
  });
  for (int i = 0; i < 5000; ++i) {
    theirs.push_back(heap->Allocate(HeapKind::kGc, 64));
  }
  for (void* p : mine) {
    EXPECT_TRUE(domain_->Owns(p));
    EXPECT_FALSE(other->Owns(p));
  }
  size_t seen = 0;
  other->VisitPages(kAllKinds, [&](const PageInfo& info) { seen += info.count; });
  EXPECT_GE(seen, 5000u);
  EXPECT_LT(seen, 5000u + 2000);
  // A heap may free a block of another domain: it goes back to its own.
  for (void* p : theirs) heap_->Free(p);
  EXPECT_EQ(other->GetStats().live_blocks, 0u);
  other->ExitThread(heap);
  other.reset();
  EXPECT_EQ(domain_->GetStats().live_blocks, 5000u);
}

TEST_F(HeapDomainTest, VisitSeesEveryBlockOnce) {
  std::map<char*, size_t> live;
  for (size_t size : {40, 64, 1000, 8192, 9000, 65536, 65537, 2 << 20, 33 << 20}) {
    for (int i = 0; i < 3; ++i) {
      char* p = static_cast<char*>(heap_->Allocate(HeapKind::kGc, size));
      live[p] = HeapDomain::UsableSize(p);
    }
  }
  domain_->VisitPages(kGcKinds, [&](const PageInfo& info) {
    EXPECT_EQ(info.owner_tid, heap_->tid());
    EXPECT_FALSE(info.owner_changed);
    for (size_t i = 0; i < info.count; ++i) {
      auto it = live.find(info.first_block + i * info.block_size);
      if (it == live.end()) continue;
      EXPECT_EQ(it->second, info.block_size);
      live.erase(it);
    }
  });
  EXPECT_TRUE(live.empty());
}

TEST_F(HeapDomainTest, OwnerOfPagesFollowsThreads) {
  std::vector<void*> blocks;
  OnThread(domain_.get(), [&](ThreadHeap* other) {
    for (int i = 0; i < 5000; ++i) {
      blocks.push_back(other->Allocate(HeapKind::kGc, 64));
      ASSERT_EQ(HeapDomain::PageOwnerTid(blocks.back()), other->tid());
    }
  });
  for (void* p : blocks) ASSERT_EQ(HeapDomain::PageOwnerTid(p), 0u);
  size_t changed = 0, unchanged = 0;
  auto count = [&](const PageInfo& info) {
    ++(info.owner_changed ? changed : unchanged);
  };
  domain_->VisitPages(kGcKinds, count);
  EXPECT_EQ(unchanged, 0u);
  EXPECT_GT(changed, 3u);
  domain_->ClearOwnerChanged();
  changed = 0;
  domain_->VisitPages(kGcKinds, count);
  EXPECT_EQ(changed, 0u);
  for (void* p : blocks) heap_->Free(p);
}

}  // namespace
}  // namespace tidepool
