// What is refused, and that work goes on: every operation under every refusal of the
// OS, small address spaces, no overcommit, absurd sizes in every entry, and frees and
// allocations inside a walk.
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/allocator/heap.h"
#include "tidepool/allocator/heap_domain.h"
#include "tidepool/allocator/heap_ops_testing.h"
#include "tidepool/base/fake_os.h"
#include "tidepool/base/region_os.h"
#include "tidepool/base/sanitizer.h"

namespace tidepool {
namespace {

using testing::Op;
using testing::OpCode;
using testing::OpsRunner;
using testing::RandomProgram;

// For each kind of operation, at several moments of a program: its n-th call of the
// OS fails, for every n, and the domain is what it was.
TEST(RefusalsTest, EveryOperationUnderEveryRefusal) {
  std::vector<Op> before = RandomProgram(11, 60);
  Options options;
  options.arena_reserve = 2 << 20;
  uint64_t refusals = 0;
  for (int code = 0; code < static_cast<int>(OpCode::kCount); ++code) {
    for (uint64_t n = 1, kept = 0; n < 40 && kept < 2; ++n) {
      FakeOs os(RealOs());
      OpsRunner runner(options, &os);
      runner.may_fail = true;
      for (const Op& op : before) runner.Perform(op);
      os.FailNth(n);
      for (uint32_t variant = 0; variant < 8; ++variant) {
        // Sizes of all sorts: the low bits of `a` choose.
        runner.Perform({static_cast<OpCode>(code), static_cast<uint8_t>(variant),
                        static_cast<uint8_t>(variant / 2), variant * 99991 + variant,
                        variant * 8});
      }
      kept += os.failed() ? 0 : 1;
      refusals += os.failed() ? 1 : 0;
      os.FailNever();
      runner.Check();
      runner.FreeAll();
      runner.Check();
    }
  }
  EXPECT_GT(refusals, 40u);
}

// Fills a domain with blocks of mixed sizes until it is refused; returns their bytes.
size_t Fill(HeapDomain* domain, ThreadHeap* heap, std::vector<void*>* blocks) {
  size_t held = 0;
  constexpr size_t kSizes[] = {1 << 20, 64, 500, 4000, 1 << 20, 30000, 256 << 10};
  size_t refused = 0;
  for (size_t i = 0; refused < 14; ++i) {
    size_t size = kSizes[i % 7];
    size_t many = size < 5000 ? 100 : 1;
    for (size_t k = 0; k < many; ++k) {
      void* p = heap->Allocate(HeapKind::kRaw, size);
      if (p == nullptr) {
        ++refused;
        break;
      }
      refused = 0;
      memset(p, 1, std::min<size_t>(size, 64));
      blocks->push_back(p);
      held += HeapDomain::UsableSize(p);
    }
  }
  (void)domain;
  return held;
}

// symmetryinvestments/symgc#37, GrapheneOS/hardened_malloc#235: a big reservation fails
// and with it the program. Sanitizers need address space of their own.
#if !TIDEPOOL_ASAN && !TIDEPOOL_TSAN
size_t AddressSpaceInUse() {
  FILE* file = fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  if (file == nullptr || fscanf(file, "%lu", &pages) != 1) pages = 0;
  if (file != nullptr) fclose(file);
  return pages * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

TEST(RefusalsTest, SmallAddressSpaces) {
  if (getenv("TIDEPOOL_EMULATED") != nullptr) GTEST_SKIP() << "qemu takes RLIMIT_AS for air";
  for (size_t limit : {256 << 20, 512 << 20, 1 << 30}) {
    pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      alarm(60);
      size_t own = AddressSpaceInUse();
      rlimit bound = {limit, limit};
      if (setrlimit(RLIMIT_AS, &bound) != 0) _exit(9);
      auto domain = HeapDomain::Create(Options());
      if (!domain.ok()) _exit(2);
      ThreadHeap* heap = (*domain)->NewThread();
      if (heap == nullptr) _exit(3);
      heap->Attach();
      std::vector<void*> blocks;
      blocks.reserve(1 << 21);  // not to be refused itself, later
      size_t list = blocks.capacity() * sizeof(void*);
      size_t held = Fill(domain->get(), heap, &blocks);
      if (held < (limit - own - list) / 10 * 7) _exit(4);
      // It goes on.
      for (void* p : blocks) heap->Free(p);
      blocks.clear();
      (*domain)->CheckInvariants();
      size_t again = Fill(domain->get(), heap, &blocks);
      if (again < held / 10 * 9) _exit(5);
      (*domain)->ExitThread(heap);
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0) << (limit >> 20) << " MiB";
  }
}
#endif

// A kernel without overcommit: memory is charged when it is committed, and refused
// beyond what there is. Address space costs nothing.
struct StrictMemory {
  uint64_t most;
  uint64_t committed = 0;
  uint64_t refused = 0;

  static void* Reserve(void*, size_t size, size_t alignment) {
    return RealOs()->Reserve(size, alignment);
  }
  static bool Release(void*, void* address, size_t size) {
    // The charge of what was committed stays counted: an upper bound is what is tested.
    return RealOs()->Release(address, size);
  }
  static bool Commit(void* self, void* address, size_t size) {
    StrictMemory* m = static_cast<StrictMemory*>(self);
    if (m->committed + size > m->most) {
      ++m->refused;
      return false;
    }
    m->committed += size;
    return RealOs()->Commit(address, size);
  }
  static PurgeResult Purge(void*, void* address, size_t size) {
    return RealOs()->Purge(address, size);
  }
};

TEST(RefusalsTest, NoOvercommit) {
  for (uint64_t most : {4 << 20, 64 << 20, 256 << 20}) {
    StrictMemory memory{most};
    PageSource source;
    source.arg = &memory;
    source.reserve = &StrictMemory::Reserve;
    source.release = &StrictMemory::Release;
    source.commit = &StrictMemory::Commit;
    source.purge = &StrictMemory::Purge;
    CallbackOs os(source);
    auto domain = std::move(*HeapDomain::Create(Options(), &os));
    ThreadHeap* heap = domain->NewThread();
    ASSERT_NE(heap, nullptr);
    heap->Attach();
    std::vector<void*> blocks;
    size_t held = Fill(domain.get(), heap, &blocks);
    EXPECT_GE(held, most / 10 * 7) << most;
    EXPECT_GT(memory.refused, 0u);
    for (void* p : blocks) heap->Free(p);
    blocks.clear();
    domain->CheckInvariants();
    EXPECT_GE(Fill(domain.get(), heap, &blocks), held / 10 * 9);
    for (void* p : blocks) heap->Free(p);
    domain->ExitThread(heap);
  }
}

TEST(RefusalsTest, AbsurdSizesInEveryEntry) {
  auto domain = std::move(*HeapDomain::Create(Options()));
  ThreadHeap* heap = domain->NewThread();
  heap->Attach();
  Heap thing = *Heap::Create(domain.get());
  HeapHold hold;
  ASSERT_TRUE(thing.Take(heap, &hold));
  void* p = heap->Allocate(HeapKind::kRaw, 100);
  void* q = hold.Allocate(100);
  memset(p, 7, 100);
  memset(q, 8, 100);
  uint64_t reserved = domain->GetStats().reserved;
  for (size_t size : {SIZE_MAX, SIZE_MAX - 15, SIZE_MAX - 4095, SIZE_MAX - 65535,
                      SIZE_MAX / 2, SIZE_MAX / 2 + 1, size_t{1} << 47,
                      size_t{1} << 46, (size_t{1} << 62) + 17}) {
    for (unsigned kind = 0; kind < kHeapKindCount; ++kind) {
      EXPECT_EQ(heap->Allocate(static_cast<HeapKind>(kind), size), nullptr);
      EXPECT_EQ(heap->AllocateZeroed(static_cast<HeapKind>(kind), size), nullptr);
      EXPECT_EQ(heap->AllocateAligned(static_cast<HeapKind>(kind), size, 64),
                nullptr);
    }
    for (int shift : {47, 55, 63}) {
      EXPECT_EQ(heap->AllocateAligned(HeapKind::kRaw, 100, size_t{1} << shift),
                nullptr);
    }
    EXPECT_EQ(heap->Reallocate(p, size), nullptr);
    EXPECT_EQ(heap->ReallocateDelayed(p, 100, size), nullptr);
    EXPECT_EQ(hold.Allocate(size), nullptr);
    EXPECT_EQ(hold.AllocateZeroed(size), nullptr);
    EXPECT_EQ(hold.AllocateAligned(size, 4096), nullptr);
    EXPECT_EQ(hold.Reallocate(q, size), nullptr);
  }
  EXPECT_EQ(static_cast<char*>(p)[99], 7);
  EXPECT_EQ(static_cast<char*>(q)[99], 8);
  // No address space was taken for what cannot be.
  EXPECT_LE(domain->GetStats().reserved, reserved + (1 << 30));
  heap->Free(p);
  thing.Destroy();
  domain->ExitThread(heap);
}

// microsoft/mimalloc#369: a visitor that frees or allocates. It is refused where a lock
// is held, told, and never a crash or a deadlock.
TEST(RefusalsTest, FreesAndAllocationsInsideAWalk) {
  Options options;
  options.bad_free = BadFreePolicy::kIgnore;
  auto domain = std::move(*HeapDomain::Create(options));
  ThreadHeap* heap = domain->NewThread();
  heap->Attach();
  ThreadHeap* other = domain->NewThread();
  Heap thing = *Heap::Create(domain.get());
  HeapHold hold;
  ASSERT_TRUE(thing.Take(heap, &hold));
  std::vector<void*> blocks;
  for (size_t size : {40, 300, 8000, 50000, 100000, 3 << 20}) {
    for (int i = 0; i < 20; ++i) {
      for (unsigned kind = 0; kind < kHeapKindCount; ++kind) {
        blocks.push_back(heap->Allocate(static_cast<HeapKind>(kind), size));
      }
      blocks.push_back(hold.Allocate(size));
    }
  }
  static int faults;
  faults = 0;
  domain->SetFaultHandler(
      [](void*, const MemoryFault& fault) {
        if (fault.kind == MemoryFault::kWrongUse) ++faults;
      },
      nullptr);
  size_t pages = 0, at = 0;
  uint64_t live = domain->GetStats().live_blocks;
  std::vector<void*> made;
  domain->VisitPages(kAllKinds, [&](const PageInfo& info) {
    ++pages;
    ASSERT_NE(info.page, nullptr);
    // Free in this and other pages, until pages are empty; and allocate.
    for (int i = 0; i < 30 && at < blocks.size(); ++i, ++at) {
      heap->Free(blocks[at]);
      hold.Free(nullptr);
    }
    for (size_t size : {40, 8000, 60000, 200000}) {
      made.push_back(heap->Allocate(HeapKind::kRaw, size));
      made.push_back(hold.Allocate(size));
    }
  });
  EXPECT_GE(pages, 6u);
  EXPECT_GT(faults, 0);
  // What was refused is still alive, what was not is dead; and the books agree.
  domain->CheckInvariants();
  uint64_t now = domain->GetStats().live_blocks;
  uint64_t new_ones = 0;
  for (void* p : made) new_ones += p != nullptr;
  EXPECT_LE(now, live + new_ones);
  for (void* p : made) heap->Free(p);
  domain->Purge();
  domain->CheckInvariants();
  // A heap's own walk, by its holder.
  faults = 0;
  void* p = hold.Allocate(64);
  thing.VisitPages([&](const PageInfo&) {
    hold.Free(p);
    EXPECT_EQ(hold.Allocate(100), nullptr);
  });
  EXPECT_GT(faults, 0);
  hold.Free(p);
  thing.Destroy();
  domain->ExitThread(other);
  domain->ExitThread(heap);
}

}  // namespace
}  // namespace tidepool
