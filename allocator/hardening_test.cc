// Each mitigation catches what its row in hardening.h says, in every class, and costs
// no block its contents. Also: what the default mode refuses.
#include "tidepool/allocator/hardening.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/allocator/heap.h"
#include "tidepool/allocator/heap_domain.h"
#include "tidepool/allocator/heap_ops_testing.h"
#include "tidepool/base/sanitizer.h"
#include "tidepool/base/single_thread_testing.h"
#include "tidepool/base/thread.h"

namespace tidepool {
namespace {

using testing::OpsRunner;
using testing::RandomProgram;

// A domain whose faults are counted by kind.
struct World {
  explicit World(uint32_t hardening) {
    Options options;
    options.arena_reserve = 8 << 20;
    options.hardening = hardening;
    options.bad_free = BadFreePolicy::kIgnore;
    domain = std::move(*HeapDomain::Create(options));
    domain->SetFaultHandler(
        [](void* self, const MemoryFault& fault) {
          ++static_cast<World*>(self)->faults[fault.kind];
        },
        this);
    heap = domain->NewThread();
    heap->Attach();
  }
  ~World() { domain->ExitThread(heap); }
  int Take(MemoryFault::Kind kind) {
    int n = faults[kind];
    faults[kind] = 0;
    return n;
  }
  int All() const {
    int sum = 0;
    for (int n : faults) sum += n;
    return sum;
  }

  std::unique_ptr<HeapDomain> domain;
  ThreadHeap* heap;
  int faults[8] = {};
};

// One size of each class, and of blocks with pages of their own.
std::vector<size_t> Sizes() {
  std::vector<size_t> sizes;
  for (unsigned c = 1; c < kClassCount; ++c) sizes.push_back(ClassSize(c));
  for (size_t large : {65537, 100000, 1 << 20, 3 << 20}) sizes.push_back(large);
  return sizes;
}

TIDEPOOL_NO_ASAN void Poke(void* p, size_t at, char value) {
  static_cast<volatile char*>(p)[at] = value;
}
TIDEPOOL_NO_ASAN char Peek(void* p, size_t at) {
  return static_cast<volatile char*>(p)[at];
}

TEST(HardeningTest, DefaultModeRefusesWhatIsNoBlock) {
  World w(kHardenNone);
  int local = 0;
  static int global;
  void* foreign = malloc(100);
  char* block = static_cast<char*>(w.heap->Allocate(HeapKind::kRaw, 1000));
  char* large = static_cast<char*>(w.heap->Allocate(HeapKind::kRaw, 1 << 20));
  for (void* p : {static_cast<void*>(&local), static_cast<void*>(&global), foreign,
                  reinterpret_cast<void*>(uintptr_t{1} << 47),
                  reinterpret_cast<void*>(~uintptr_t{0}),
                  reinterpret_cast<void*>(uintptr_t{8})}) {
    w.heap->Free(p);
    w.domain->FreeFromAnywhere(p);
    EXPECT_EQ(w.Take(MemoryFault::kForeignPointer), 2);
  }
  for (void* p : {block + 1, block + 16, large + 16, large + 65536}) {
    w.heap->Free(p);
    w.domain->FreeFromAnywhere(p);
    EXPECT_EQ(w.Take(MemoryFault::kInteriorPointer), 2);
  }
  EXPECT_EQ(w.All(), 0);
  free(foreign);
  w.heap->Free(block);
  w.heap->Free(large);
  // A large block that is freed twice is never handed out twice. (Its pages may have
  // become something else: then it is no block, or a pointer into one.)
  std::set<void*> live;
  for (int round = 0; round < 50; ++round) {
    void* p = w.heap->Allocate(HeapKind::kRaw, 100000 + round * 4096);
    w.heap->Free(p);
    w.heap->Free(p);
    EXPECT_GE(w.All(), 1);
    memset(w.faults, 0, sizeof(w.faults));
    for (int i = 0; i < 2; ++i) {
      void* q = w.heap->Allocate(HeapKind::kRaw, 100000);
      EXPECT_TRUE(live.insert(q).second);
    }
  }
  for (void* p : live) w.heap->Free(p);
  EXPECT_EQ(w.All(), 0);
}

// What the default mode notices because it costs nothing: a block that is freed twice in
// a row, by its thread or another; a free too many of a page that has no live block; and
// delayed frees that are one too many.
TEST(HardeningTest, DefaultModeSeesTheNextDoubleFree) {
  World w(kHardenNone);
  ThreadHeap* other = w.domain->NewThread();
  other->Attach();
  const std::vector<size_t> sizes = Sizes();
  for (size_t s = 0; s < sizes.size(); s += 5) {
    const size_t size = sizes[s];
    for (unsigned k = 0; k < kHeapKindCount; ++k) {
      const HeapKind kind = static_cast<HeapKind>(k);
      const size_t n = size < 64 ? 64 : size;
      // At once, while others of the page live.
      void* keep = w.heap->Allocate(kind, n);
      void* p = w.heap->Allocate(kind, n);
      w.heap->Free(p);
      w.heap->Free(p);
      EXPECT_EQ(w.Take(MemoryFault::kDoubleFree) + w.Take(MemoryFault::kForeignPointer), 1)
          << n << " of kind " << k;
      // By another thread, again and again.
      p = w.heap->Allocate(kind, n);
      other->Free(p);
      other->Free(p);
      other->Free(p);
      EXPECT_GE(w.All(), 2) << n << " of kind " << k;
      memset(w.faults, 0, sizeof(w.faults));
      w.domain->AfterStop();
      // What is handed out afterwards is handed out once.
      std::set<void*> fresh;
      for (int i = 0; i < 5; ++i) {
        EXPECT_TRUE(fresh.insert(w.heap->Allocate(kind, n)).second);
      }
      for (void* q : fresh) w.heap->Free(q);
      w.heap->Free(keep);
      EXPECT_EQ(w.All(), 0) << n << " of kind " << k;
    }
  }
  w.domain->CheckInvariants();
  other->Detach();
  w.domain->ExitThread(other);
}

// Two blocks in turn, and nothing else in the page: the third free is one too many. The
// page starts anew, and no block of it is handed out twice.
TEST(HardeningTest, MoreFreesThanBlocksAreSeen) {
  for (const bool foreign : {false, true}) {
    World w(kHardenNone);
    for (size_t size : {48, 400, 3000, 30000}) {
      void* p = w.heap->Allocate(HeapKind::kRaw, size);
      void* q = w.heap->Allocate(HeapKind::kRaw, size);
      ASSERT_NE(q, nullptr);
      if (foreign) {
        w.domain->FreeFromAnywhere(p);
        w.domain->FreeFromAnywhere(q);
        w.domain->FreeFromAnywhere(p);
        w.domain->AfterStop();  // that is when its thread learns of it
      } else {
        w.heap->Free(p);
        w.heap->Free(q);
        w.heap->Free(p);
      }
      EXPECT_EQ(w.All(), 1) << size;
      w.Take(MemoryFault::kDoubleFree);
      EXPECT_EQ(w.All(), 0);
      w.domain->CheckInvariants();
      std::set<void*> live;
      for (int i = 0; i < 3000; ++i) {
        void* block = w.heap->Allocate(HeapKind::kRaw, size);
        ASSERT_TRUE(live.insert(block).second);
        memset(block, 1, size);
      }
      for (void* block : live) w.heap->Free(block);
      EXPECT_EQ(w.All(), 0);
    }
  }
}

// A second delayed free, or a free of what waits in limbo: of a large block, of the block
// that was freed delayed last and of a page whose live blocks all wait, in every mode; of
// any block where each has its bit.
TEST(HardeningTest, DelayedFreesTwice) {
  for (uint32_t set : {uint32_t{kHardenNone}, uint32_t{kHardenChecked},
                       uint32_t{kHardened}}) {
    World w(set);
    const auto expect = [&](int faults, const char* what) {
      EXPECT_EQ(w.Take(MemoryFault::kDoubleFree), faults) << what << ", set " << set;
      EXPECT_EQ(w.All(), 0) << what;
    };
    void* large = w.heap->Allocate(HeapKind::kRaw, 1 << 20);
    w.heap->FreeDelayed(large);
    w.heap->FreeDelayed(large);
    expect(1, "large, twice delayed");
    w.heap->Free(large);
    expect(1, "large, freed while it waits");
    void* keep = w.heap->Allocate(HeapKind::kRaw, 500);
    void* p = w.heap->Allocate(HeapKind::kRaw, 500);
    void* q = w.heap->Allocate(HeapKind::kRaw, 500);
    w.heap->FreeDelayed(p);
    w.heap->FreeDelayed(p);
    expect(1, "in a row");
    w.heap->FreeDelayed(q);
    if (set != kHardenNone) {
      w.heap->FreeDelayed(p);
      w.heap->Free(p);
      expect(2, "out of turn");
    }
    w.heap->FreeDelayed(keep);
    w.heap->FreeDelayed(p);
    expect(1, "when all blocks of the page wait");
    // Each is freed once.
    w.heap->Detach();
    w.domain->AfterStop();
    w.heap->Attach();
    expect(0, "drained");
    EXPECT_EQ(w.domain->LimboBytes(), 0u);
    w.domain->CheckInvariants();
    // A block that comes back may wait again.
    void* again = w.heap->Allocate(HeapKind::kRaw, 500);
    w.heap->FreeDelayed(again);
    expect(0, "used again");
  }
}

// A block of which its user has less than a word may wait in limbo, too: by its first word.
TEST(HardeningTest, SmallestBlocksMayWait) {
  for (uint32_t set : {uint32_t{kHardenNone}, uint32_t{kHardenCanaries},
                       uint32_t{kHardened}}) {
    World w(set);
    for (size_t size = 0; size <= 8; ++size) {
      w.heap->FreeDelayed(w.heap->Allocate(HeapKind::kRaw, size));
      void* p = w.heap->Allocate(HeapKind::kRaw, 16);
      p = w.heap->Reallocate(p, size);
      w.heap->FreeDelayed(p);
    }
    w.domain->AfterStop();
    EXPECT_EQ(w.domain->LimboBytes(), 0u);
    EXPECT_EQ(w.All(), 0);
    w.domain->CheckInvariants();
  }
}

// Double frees in every class: at once, later, by the same thread and by another,
// and of blocks of a heap.
TEST(HardeningTest, EveryDoubleFreeIsFound) {
  for (uint32_t set : {uint32_t{kHardenChecked}, uint32_t{kHardened}}) {
    World w(set);
    Heap thing = *Heap::Create(w.domain.get());
    HeapHold hold;
    ASSERT_TRUE(thing.Take(w.heap, &hold));
    int tried = 0, found = 0;
    for (size_t size : Sizes()) {
      for (unsigned kind = 0; kind <= kHeapKindCount; ++kind) {
        bool of_thing = kind == kHeapKindCount;
        size_t n = size < 64 ? 64 : size;
        auto make = [&] {
          return of_thing ? hold.Allocate(n)
                          : w.heap->Allocate(static_cast<HeapKind>(kind), n);
        };
        void* keep = make();
        void* p = make();
        void* q = make();
        ASSERT_NE(q, nullptr);
        w.heap->Free(p);
        w.heap->Free(p);  // at once
        w.heap->Free(q);
        w.domain->FreeFromAnywhere(p);  // later, as another thread would
        hold.Free(q);
        if (w.heap->Reallocate(q, 10) == nullptr) ++found;
        tried += 4;
        found += w.Take(MemoryFault::kDoubleFree);
        found -= 1;  // the resize told, too, or was no raw block
        found += w.Take(MemoryFault::kWrongUse);
        // Dissolved pages of large blocks are no blocks any more.
        found += w.Take(MemoryFault::kForeignPointer);
        w.heap->Free(keep);
      }
    }
    EXPECT_GE(found, tried) << set;
    EXPECT_EQ(w.All(), 0);
    // By another thread, really.
    void* p = w.heap->Allocate(HeapKind::kRaw, 100);
    void* keep = w.heap->Allocate(HeapKind::kRaw, 100);
    Thread other;
    ASSERT_TRUE(other.Start([&] {
      ThreadHeap* mine = w.domain->NewThread();
      mine->Attach();
      mine->Free(p);
      mine->Free(p);
      w.domain->ExitThread(mine);
    }));
    other.Join();
    w.heap->Free(p);
    EXPECT_EQ(w.Take(MemoryFault::kDoubleFree), 2);
    w.heap->Free(keep);
    thing.Destroy();
  }
}

// After its memory could have been handed out again: the quarantine holds it back.
TEST(HardeningTest, DoubleFreesAfterOthersWereMade) {
  World w(kHardened);
  int tried = 0, found = 0;
  for (size_t size = 16; size <= 4000; size = size * 9 / 8 + 16) {
    void* p = w.heap->Allocate(HeapKind::kRaw, size);
    w.heap->Free(p);
    std::vector<void*> others;
    for (int i = 0; i < 100; ++i) {
      others.push_back(w.heap->Allocate(HeapKind::kRaw, size));
    }
    w.heap->Free(p);
    ++tried;
    found += w.Take(MemoryFault::kDoubleFree);
    for (void* q : others) w.heap->Free(q);
  }
  EXPECT_GE(found * 100, tried * 90);
  EXPECT_EQ(w.All(), 0);
}

TEST(HardeningTest, OverrunsOfOneToEightBytesAreFound) {
  for (uint32_t set : {uint32_t{kHardenDoubleFree | kHardenCanaries},
                       uint32_t{kHardened}}) {
    World w(set);
    Heap thing = *Heap::Create(w.domain.get());
    HeapHold hold;
    ASSERT_TRUE(thing.Take(w.heap, &hold));
    int tried = 0, found = 0;
    std::vector<size_t> sizes = Sizes();
    for (size_t size = 1; size < 200; ++size) sizes.push_back(size);
    for (size_t size : sizes) {
      for (int by = 1; by <= 8; ++by) {
        bool of_thing = by % 2 == 0;
        size_t n = size - size % 3 + static_cast<size_t>(by) % 3;
        void* p = of_thing ? hold.Allocate(n) : w.heap->Allocate(HeapKind::kRaw, n);
        ASSERT_NE(p, nullptr);
        ASSERT_EQ(HeapDomain::UsableSize(p), n);
        memset(p, 1, n);
        for (int i = 0; i < by; ++i) Poke(p, n + static_cast<size_t>(i), 0x41);
        ++tried;
        of_thing ? hold.Free(p) : w.heap->Free(p);
        found += w.Take(MemoryFault::kOverrun);
      }
      // Written to the last byte: nothing is wrong.
      void* p = w.heap->AllocateZeroed(HeapKind::kRaw, size);
      for (size_t i = 0; i < size; ++i) ASSERT_EQ(static_cast<char*>(p)[i], 0);
      memset(p, 0x41, size);
      p = w.heap->Reallocate(p, size * 2);
      ASSERT_EQ(static_cast<char*>(p)[size - 1], 0x41);
      memset(p, 0x42, size * 2);
      w.heap->Free(p);
    }
    EXPECT_GE(found * 100, tried * 99);
    EXPECT_LE(found, tried);
    EXPECT_EQ(w.All(), 0);
    thing.Destroy();
  }
}

TEST(HardeningTest, WritesAfterFreeAreFound) {
  World w(kHardenDoubleFree | kHardenQuarantine);
  int tried = 0;
  for (size_t size = 64; size <= 4096; size += 176) {
    for (unsigned kind = 0; kind < kHeapKindCount; ++kind) {
      void* p = w.heap->Allocate(static_cast<HeapKind>(kind), size);
      w.heap->Free(p);
      Poke(p, size - 1 - size % 7, 1);
      ++tried;
      // Whoever reads it finds a pattern.
      EXPECT_EQ(Peek(p, 50), static_cast<char>(0xdb));
    }
  }
  EXPECT_EQ(w.domain->GetStats().live_blocks, 0u);
  w.domain->Purge();  // ends every wait
  EXPECT_EQ(w.Take(MemoryFault::kWriteAfterFree), tried);
  EXPECT_EQ(w.All(), 0);
  w.domain->CheckInvariants();
}

// A dead block's link is overwritten: what follows in the list is lost, and nothing
// that it leads to is handed out.
TEST(HardeningTest, CorruptLinksAreFound) {
  for (size_t size : {16, 48, 200, 1000}) {
    World w(kHardenDoubleFree | kHardenLinks);
    std::vector<char*> blocks;
    for (int i = 0; i < 40; ++i) {
      blocks.push_back(static_cast<char*>(w.heap->Allocate(HeapKind::kRaw, size)));
    }
    static char elsewhere[64];
    for (int i = 0; i < 30; ++i) w.heap->Free(blocks[static_cast<size_t>(i)]);
    // The attacker's address, in plain and from another dead block.
    void* evil = elsewhere;
    for (size_t i = 0; i < sizeof(evil); ++i) {
      Poke(blocks[20], i, reinterpret_cast<char*>(&evil)[i]);
      Poke(blocks[10], i, Peek(blocks[5], i));
    }
    std::set<void*> live(blocks.begin() + 30, blocks.end());
    for (int i = 0; i < 200; ++i) {
      void* p = w.heap->Allocate(HeapKind::kRaw, size);
      ASSERT_NE(p, nullptr);
      ASSERT_NE(p, static_cast<void*>(elsewhere));
      ASSERT_TRUE(live.insert(p).second);  // nothing twice
    }
    EXPECT_GE(w.Take(MemoryFault::kCorruptLink), 1) << size;
    EXPECT_EQ(w.All(), 0);
  }
}

// Runs off the end of a block's page, by one byte; true if that ended the process.
[[maybe_unused]] bool Faults(uint32_t set, size_t size, bool read) {
  pid_t pid = fork();
  if (pid == 0) {
    signal(SIGSEGV, SIG_DFL);
    World w(set);
    char* p = static_cast<char*>(w.heap->Allocate(HeapKind::kRaw, size));
    // The first byte behind the block's page.
    size_t at = size;
    while (w.domain->Owns(p + at)) ++at;
    char value = read ? Peek(p, at) : 1;
    if (!read) Poke(p, at, value);
    _exit(value == 77 ? 1 : 0);
  }
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) return false;
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

#if !TIDEPOOL_ASAN && !TIDEPOOL_TSAN  // both make something else of the fault
TEST(HardeningTest, GuardsEndWhatRunsOffAPage) {
  for (size_t size : {16, 1000, 8000, 40000, 100000, 3 << 20}) {
    for (bool read : {true, false}) {
      EXPECT_TRUE(Faults(kHardenDoubleFree | kHardenGuards, size, read)) << size;
      EXPECT_TRUE(Faults(kHardened, size, read)) << size;
    }
  }
}
#endif

TEST(HardeningTest, GuardsComeBack) {
  World w(kHardenDoubleFree | kHardenGuards);
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> blocks;
    for (size_t size : Sizes()) {
      for (unsigned kind = 0; kind < kHeapKindCount; ++kind) {
        size_t n = size < 64 ? 64 : size;
        void* p = w.heap->AllocateZeroed(static_cast<HeapKind>(kind), n);
        ASSERT_NE(p, nullptr);
        ASSERT_EQ(static_cast<char*>(p)[n - 1], 0);
        static_cast<char*>(p)[n - 1] = 1;
        blocks.push_back(p);
      }
    }
    w.domain->CheckInvariants();
    for (void* p : blocks) w.heap->Free(p);
    w.heap->Safepoint();
  }
  w.heap->Detach();
  w.domain->Purge();
  w.domain->ReleaseArenas();
  EXPECT_EQ(w.domain->GetStats().arenas, 0u);  // no slice was lost
  w.heap->Attach();
  EXPECT_EQ(w.All(), 0);
}

TEST(HardeningTest, TheOrderOfBlocksCannotBeForetold) {
  std::set<std::string> orders;
  int in_order = 0;
  for (int run = 0; run < 10; ++run) {
    World w(kHardenDoubleFree | kHardenRandom);
    std::string order;
    char* last = nullptr;
    for (int i = 0; i < 64; ++i) {
      char* p = static_cast<char*>(w.heap->Allocate(HeapKind::kRaw, 64));
      order += std::to_string((reinterpret_cast<uintptr_t>(p) & 65535) / 64) + " ";
      in_order += p == last + 64;
      last = p;
    }
    orders.insert(order);
  }
  EXPECT_GE(orders.size(), 9u);
  EXPECT_LE(in_order, 200);  // of 640
}

TEST(HardeningTest, RandomProgramsUnderEachAndAll) {
  TIDEPOOL_SINGLE_THREAD_TEST();
  for (const Mitigation* m = MitigationTable(); m->name != nullptr; ++m) {
    Options options;
    options.arena_reserve = 8 << 20;
    options.bad_free = BadFreePolicy::kAbort;
    options.hardening = m->bit | kHardenDoubleFree;
    OpsRunner(options).Run(RandomProgram(m->bit, 400));
  }
  for (uint64_t seed = 100; seed < 104; ++seed) {
    Options options;
    options.bad_free = BadFreePolicy::kAbort;
    options.hardening = kHardened;
    options.limbo_budget = seed % 2 == 0 ? 4096 : 8 << 20;
    OpsRunner(options).Run(RandomProgram(seed, 500));
  }
}

// Threads hand blocks on and free each other's: nothing is found where nothing is wrong.
TEST(HardeningTest, ManyThreads) {
  World w(kHardened);
  static Atomic<void*> board[128];
  std::vector<Thread> threads(4);
  for (size_t t = 0; t < threads.size(); ++t) {
    ASSERT_TRUE(threads[t].Start([&w, t] {
      ThreadHeap* heap = w.domain->NewThread();
      heap->Attach();
      uint64_t random = t + 1;
      for (int i = 0; i < 8000; ++i) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        size_t size = (random >> 33) % (i % 100 == 0 ? 80000 : 1200);
        char* p = static_cast<char*>(heap->Allocate(HeapKind::kRaw, size));
        memset(p, 3, size);
        heap->Free(board[(random >> 20) % 128].exchange(p, kAcqRel));
        if (i % 500 == 0) heap->Safepoint();
        if (i % 2000 == 0) w.domain->Purge();
      }
      w.domain->ExitThread(heap);
    }));
  }
  for (Thread& thread : threads) thread.Join();
  for (auto& slot : board) w.heap->Free(slot.exchange(nullptr, kAcqRel));
  EXPECT_EQ(w.All(), 0);
  w.domain->Purge();
  w.domain->CheckInvariants();
  EXPECT_EQ(w.domain->GetStats().live_blocks, 0u);
}

TEST(HardeningTest, ThePageOfThemSaysWhatEachCatches) {
  FILE* file = fopen("docs/hardening.md", "r");
  ASSERT_NE(file, nullptr);
  std::string text(1 << 16, '\0');
  text.resize(fread(text.data(), 1, text.size(), file));
  fclose(file);
  std::replace(text.begin(), text.end(), '\n', ' ');
  for (const Mitigation* m = MitigationTable(); m->name != nullptr; ++m) {
    EXPECT_NE(text.find("`" + std::string(m->name) + "`"), std::string::npos);
    EXPECT_NE(text.find(m->catches), std::string::npos) << m->name;
  }
}

}  // namespace
}  // namespace tidepool
