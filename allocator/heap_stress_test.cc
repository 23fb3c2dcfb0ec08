// Many threads at once: allocate, hand over, free each other's blocks, exit in the
// middle, purge from outside. Run under ThreadSanitizer and AddressSanitizer; every
// block's contents are checked when it is freed, and invariants between rounds, when
// no thread is active.
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/allocator/heap_domain.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/thread.h"

namespace tidepool {
namespace {

double Seconds(double normal) {
  const char* text = getenv("TIDEPOOL_TEST_SECONDS");
  return text != nullptr ? atof(text) * normal : normal;
}

// A board of slots through which blocks change hands, posted as address + kind
// (blocks are 16-aligned). The block's size and fill are written behind its header.
struct Board {
  static constexpr size_t kSlots = 512;
  Atomic<char*> slots[kSlots];
};

struct Mark {
  uint32_t size;
  uint8_t kind;
  uint8_t fill;
  uint8_t delayed;
  uint8_t pad;
};
constexpr size_t kMarkAt[] = {8, 32, 32, 48};

char* Make(ThreadHeap* heap, std::mt19937_64& random) {
  HeapKind kind = static_cast<HeapKind>(random() % 4);
  size_t size;
  switch (random() % 32) {
    case 0: size = random() % (300 << 10); break;
    case 1: case 2: case 3: size = random() % 9000; break;
    default: size = random() % 600; break;
  }
  if (size < 56) size = 56;
  char* p = static_cast<char*>(heap->Allocate(kind, size));
  if (p == nullptr) return nullptr;
  Mark mark = {static_cast<uint32_t>(size), static_cast<uint8_t>(kind),
               static_cast<uint8_t>(random()), 0, 0};
  size_t at = kMarkAt[mark.kind];
  // The header's reader words are atomics of the object layer; they must be dead.
  for (size_t i = 0; IsObjectKind(kind) && i < kReaderWords; i += 8) {
    uint64_t word;
    memcpy(&word, p + HeaderOffset(kind) + i, 8);
    if (word != 0) abort();
  }
  memcpy(p + at, &mark, sizeof(mark));
  if (size > at + sizeof(mark)) p[size - 1] = static_cast<char>(mark.fill);
  return p + mark.kind;
}

void Check(char* p, uint8_t kind) {
  size_t at = kMarkAt[kind];
  Mark mark;
  memcpy(&mark, p + at, sizeof(mark));
  if (mark.kind != kind || mark.size < 56) abort();
  if (mark.size > at + sizeof(mark) &&
      p[mark.size - 1] != static_cast<char>(mark.fill)) {
    abort();
  }
}

struct Settings {
  PurgePolicyKind policy;
  int64_t retain;
  int64_t reclaim;
  int64_t hardening;
  bool background;
};

class StressTest : public ::testing::TestWithParam<Settings> {};

TEST_P(StressTest, ThreadsThatComeAndGo) {
  Options options;
  options.purge_policy = GetParam().policy;
  options.page_full_retain = GetParam().retain;
  options.page_reclaim_on_free = GetParam().reclaim;
  options.hardening = GetParam().hardening;
  options.background_thread = GetParam().background;
  options.purge_delay_ms = 5;
  options.limbo_budget = 256 << 10;
  std::unique_ptr<HeapDomain> domain = std::move(*HeapDomain::Create(options));
  static Board board;
  uint64_t end =
      RealOs()->NowNs() + static_cast<uint64_t>(Seconds(0.6) * 1e9);
  uint64_t seed = 1;
  while (RealOs()->NowNs() < end) {
    constexpr int kThreads = 5;
    Thread threads[kThreads];
    for (Thread& thread : threads) {
      uint64_t my_seed = seed++;
      ASSERT_TRUE(thread.Start([&domain, my_seed] {
        std::mt19937_64 random(my_seed);
        for (int life = 0; life < 2; ++life) {
          ThreadHeap* heap = domain->NewThread();
          if (heap == nullptr) return;
          heap->Attach();
          int steps = static_cast<int>(random() % 3000);
          for (int i = 0; i < steps; ++i) {
            Atomic<char*>& slot = board.slots[random() % Board::kSlots];
            char* fresh = nullptr;
            if (random() % 3 != 0) {
              fresh = Make(heap, random);
            }
            char* old = slot.exchange(fresh, kAcqRel);
            if (old != nullptr) {
              uint8_t kind = reinterpret_cast<uintptr_t>(old) & 15;
              char* p = old - kind;
              Check(p, kind);
              if (kind == 0 && random() % 4 == 0) {
                if (random() % 2 == 0) {
                  heap->FreeDelayed(p, random() % 2 == 0);
                } else {
                  void* q = heap->ReallocateDelayed(p, 56, 100, true);
                  if (q != nullptr) heap->Free(q);
                }
              } else if (kind == 0 && random() % 4 == 0) {
                void* q = heap->Reallocate(p, 56 + random() % 3000);
                if (q != nullptr) heap->Free(q);
              } else {
                heap->Free(p);
              }
            }
            if (random() % 64 == 0) heap->Safepoint();
            if (random() % 256 == 0) {
              heap->Detach();
              heap->Attach();
            }
            if (random() % 1024 == 0) domain->Purge();
            if (random() % 512 == 0) {
              Stats stats = domain->GetStats();
              if (stats.committed > (1u << 30) || stats.live_blocks > 1000000) {
                abort();
              }
            }
          }
          if (random() % 2 == 0) heap->Detach();
          domain->ExitThread(heap);
        }
      }));
    }
    for (Thread& thread : threads) thread.Join();
    // The background thread may hold pages for a moment.
    if (!options.background_thread) domain->CheckInvariants();
    size_t live = 0;
    for (Atomic<char*>& slot : board.slots) live += slot.load(kRelaxed) != nullptr;
    EXPECT_EQ(domain->LimboBytes(), 0u);
    EXPECT_EQ(domain->GetStats().live_blocks, live);
    EXPECT_EQ(domain->GetStats().bad_frees, 0u);
  }
  for (Atomic<char*>& slot : board.slots) {
    char* old = slot.exchange(nullptr, kAcqRel);
    if (old != nullptr) {
      domain->FreeFromAnywhere(old - (reinterpret_cast<uintptr_t>(old) & 15));
    }
  }
  EXPECT_EQ(domain->GetStats().live_blocks, 0u);
  // It may be giving a page back just now, which is neither free nor given back meanwhile.
  domain->StopBackground();
  domain->AfterStop();
  domain->Purge();
  Stats stats = domain->GetStats();
  EXPECT_EQ(stats.dormant_pages, 0u);
  EXPECT_EQ(stats.free_dirty, 0u);
  EXPECT_EQ(stats.pages, 0u);
  EXPECT_EQ(stats.committed, stats.meta);
}

INSTANTIATE_TEST_SUITE_P(
    Settings, StressTest,
    ::testing::Values(
        Settings{PurgePolicyKind::kLowWater, 2, 0, 0, false},
        Settings{PurgePolicyKind::kLowWater, 0, 1, 0, true},
        Settings{PurgePolicyKind::kImmediate, 2, 0, 0, false},
        Settings{PurgePolicyKind::kBounded, -1, -1, 0, false},
        Settings{PurgePolicyKind::kDelayed, 0, 0, 0, true},
        Settings{PurgePolicyKind::kNever, 1, 1, 0, false},
        Settings{PurgePolicyKind::kLowWater, 2, 0, 1, false}));

// One thread makes, one frees; the maker keeps its record but is blocked at times.
TEST(HandOverTest, ProducerAndConsumerStayBounded) {
  std::unique_ptr<HeapDomain> domain =
      std::move(*HeapDomain::Create(Options()));
  constexpr size_t kRing = 1024;
  static Atomic<void*> ring[kRing];
  for (auto& cell : ring) cell.store(nullptr, kRelaxed);
  const int total = static_cast<int>(Seconds(200000));
  Atomic<uint64_t> peak{0};
  Thread producer, consumer;
  ASSERT_TRUE(producer.Start([&] {
    ThreadHeap* heap = domain->NewThread();
    heap->Attach();
    for (int i = 0; i < total; ++i) {
      void* p = heap->Allocate(HeapKind::kGc, 64 + i % 200);
      Atomic<void*>& cell = ring[i % kRing];
      void* expected = nullptr;
      while (!cell.compare_exchange_weak(expected, p, kAcqRel, kRelaxed)) {
        expected = nullptr;
        heap->Safepoint();
        RealOs()->SleepNs(1000);
      }
      uint64_t now = domain->CommittedBytes();
      if (now > peak.load(kRelaxed)) peak.store(now, kRelaxed);
    }
    domain->ExitThread(heap);
  }));
  ASSERT_TRUE(consumer.Start([&] {
    ThreadHeap* heap = domain->NewThread();
    heap->Attach();
    for (int i = 0; i < total; ++i) {
      Atomic<void*>& cell = ring[i % kRing];
      void* p;
      while ((p = cell.exchange(nullptr, kAcqRel)) == nullptr) {
        heap->Safepoint();
        RealOs()->SleepNs(1000);
      }
      heap->Free(p);
    }
    domain->ExitThread(heap);
  }));
  producer.Join();
  consumer.Join();
  domain->CheckInvariants();
  EXPECT_EQ(domain->GetStats().live_blocks, 0u);
  // 1,024 blocks in flight of 14 classes, each with a page or three.
  EXPECT_LT(peak.load(kRelaxed), 6u << 20);
}

}  // namespace
}  // namespace tidepool
