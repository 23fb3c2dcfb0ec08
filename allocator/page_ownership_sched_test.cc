// The protocol of page ownership (X1-X5 of internal/page.h) through chosen
// interleavings: free against free, free against abandoning, adopting against
// claiming, exit against free, and a dormant page against a lock-free reader. In the
// `sched` build each runs under the deterministic scheduler; elsewhere as a short
// stress. The mutants that each must find are listed in tests/mutants.txt.
//
// Pages of 8 KiB blocks hold eight of them, so that few steps fill and empty one.
#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/allocator/heap_domain.h"
#include "tidepool/base/sched.h"

namespace tidepool {
namespace {

using sched::Explore;
using sched::SchedOptions;
using sched::SchedResult;
using sched::SchedRun;

constexpr size_t kBlock = 8192;
constexpr int kPerPage = 8;

SchedOptions Random(uint64_t iterations) {
  SchedOptions options;
  options.iterations = iterations;
  options.time_budget_ms = 15000;
  options.plain_iterations = 30;
  return options;
}

Options Small(int64_t retain, int64_t reclaim = 0) {
  Options options;
  options.arena_reserve = 1 << 20;
  options.page_full_retain = retain;
  options.page_reclaim_on_free = reclaim;
  options.bad_free = BadFreePolicy::kAbort;
  return options;
}

// A domain with heaps that the test's threads use. Destroyed at the run's end, after
// checking that everything came home.
struct World {
  explicit World(const Options& options, int heaps) {
    domain = std::move(*HeapDomain::Create(options));
    for (int i = 0; i < heaps; ++i) {
      heap.push_back(domain->NewThread());
      heap.back()->Attach();
    }
  }
  void* Make(int i, HeapKind kind = HeapKind::kRaw) {
    void* p = heap[static_cast<size_t>(i)]->Allocate(kind, kBlock);
    SCHED_CHECK(p != nullptr);
    return p;
  }
  // No thread runs. Nothing is live any more: no page may be left anywhere.
  void CheckEmpty() {
    domain->CheckInvariants();
    for (ThreadHeap* h : heap) {
      if (h != nullptr) domain->ExitThread(h);
    }
    domain->CheckInvariants();
    Stats stats = domain->GetStats();
    SCHED_CHECK(stats.live_blocks == 0);
    SCHED_CHECK(stats.pages == 0);
    SCHED_CHECK(stats.available_pages == 0);
  }
  std::unique_ptr<HeapDomain> domain;
  std::vector<ThreadHeap*> heap;
};

// Writes a mark into own blocks and checks it: two owners of one block show.
void Stamp(void* p, char mark) { memset(p, mark, 64); }
void CheckStamp(void* p, char mark) {
  for (int i = 0; i < 64; ++i) {
    SCHED_CHECK(static_cast<char*>(p)[i] == mark);
  }
}

TEST(PageOwnershipTest, TwoThreadsFreeIntoAnAbandonedPage) {
  for (int64_t reclaim : {-1, 0, 1}) {
    SchedResult result = Explore(Random(1500), [&](SchedRun& run) {
      World world(Small(0, reclaim), 3);
      std::vector<void*> blocks;
      // The ninth allocation abandons the full page.
      for (int i = 0; i < kPerPage + 1; ++i) blocks.push_back(world.Make(0));
      run.Spawn([&] {
        for (int i = 0; i < 4; ++i) world.heap[1]->Free(blocks[i]);
      });
      run.Spawn([&] {
        for (int i = 4; i < 8; ++i) world.heap[2]->Free(blocks[i]);
      });
      run.RunAll();
      world.heap[0]->Free(blocks[8]);
      world.CheckEmpty();
    });
    EXPECT_TRUE(result.ok) << result.message;
  }
}

TEST(PageOwnershipTest, AnOwnerAbandonsWhileOthersFree) {
  SchedResult result = Explore(Random(1500), [&](SchedRun& run) {
    World world(Small(0), 2);
    std::vector<void*> blocks;
    for (int i = 0; i < kPerPage; ++i) blocks.push_back(world.Make(0));
    void* more[2] = {};
    run.Spawn([&] {  // finds its page full, or collects what came back
      for (void*& p : more) {
        p = world.Make(0);
        Stamp(p, 'm');
      }
      for (void* p : more) CheckStamp(p, 'm');
      for (void* p : more) world.heap[0]->Free(p);
    });
    run.Spawn([&] {
      for (void* p : blocks) {
        world.heap[1]->Free(p);
        world.heap[1]->Safepoint();
      }
    });
    run.RunAll();
    world.CheckEmpty();
  });
  EXPECT_TRUE(result.ok) << result.message;
}

TEST(PageOwnershipTest, ExitAgainstFree) {
  for (int64_t retain : {-1, 0}) {
    SchedResult result = Explore(Random(1500), [&](SchedRun& run) {
      World world(Small(retain), 2);
      std::vector<void*> blocks;
      for (int i = 0; i < kPerPage + 3; ++i) blocks.push_back(world.Make(0));
      run.Spawn([&] {
        world.domain->ExitThread(world.heap[0]);
        world.heap[0] = nullptr;
      });
      run.Spawn([&] {
        for (void* p : blocks) world.domain->FreeFromAnywhere(p);
      });
      run.RunAll();
      world.CheckEmpty();
    });
    EXPECT_TRUE(result.ok) << result.message;
  }
}

TEST(PageOwnershipTest, AdoptersAndFreersOfAnAvailablePage) {
  SchedResult result = Explore(Random(2500), [&](SchedRun& run) {
    World world(Small(0, -1), 4);
    std::vector<void*> blocks;
    for (int i = 0; i < kPerPage; ++i) blocks.push_back(world.Make(0));
    world.heap[0]->Free(blocks[7]);
    world.domain->ExitThread(world.heap[0]);  // the page is available now
    world.heap[0] = nullptr;
    for (int t = 1; t <= 2; ++t) {
      run.Spawn([&world, t] {
        char mark = static_cast<char>('a' + t);
        void* p[2];
        for (void*& block : p) {
          block = world.Make(t);
          Stamp(block, mark);
        }
        for (void* block : p) CheckStamp(block, mark);
        for (void* block : p) world.heap[static_cast<size_t>(t)]->Free(block);
      });
    }
    run.Spawn([&] {
      for (int i = 0; i < 7; ++i) {
        world.heap[3]->Free(blocks[static_cast<size_t>(i)]);
        world.heap[3]->Safepoint();
      }
    });
    run.RunAll();
    world.CheckEmpty();
  });
  EXPECT_TRUE(result.ok) << result.message;
}

// The thread whose page was abandoned frees into it while another thread does, takes
// it back, and uses it.
TEST(PageOwnershipTest, TheMakerTakesItsPageBack) {
  SchedResult result = Explore(Random(2000), [&](SchedRun& run) {
    World world(Small(0, 0), 3);
    std::vector<void*> blocks;
    for (int i = 0; i < kPerPage + 1; ++i) blocks.push_back(world.Make(0));
    run.Spawn([&] {
      for (int i = 0; i < 3; ++i) {
        world.heap[0]->Free(blocks[static_cast<size_t>(i)]);
        void* p = world.Make(0);
        Stamp(p, 'o');
        CheckStamp(p, 'o');
        world.heap[0]->Free(p);
      }
    });
    run.Spawn([&] {
      for (int i = 3; i < 8; ++i) {
        world.heap[1]->Free(blocks[static_cast<size_t>(i)]);
        world.heap[1]->Safepoint();
      }
    });
    run.Spawn([&] {
      void* p = world.Make(2);
      Stamp(p, 't');
      CheckStamp(p, 't');
      world.heap[2]->Free(p);
    });
    run.RunAll();
    world.heap[0]->Free(blocks[8]);
    world.CheckEmpty();
  });
  EXPECT_TRUE(result.ok) << result.message;
}

// Purge() works on a detached thread's heap while that thread comes back.
TEST(PageOwnershipTest, PurgeAgainstAttach) {
  SchedResult result = Explore(Random(800), [&](SchedRun& run) {
    World world(Small(2), 2);
    std::vector<void*> blocks;
    for (int i = 0; i < kPerPage + 2; ++i) blocks.push_back(world.Make(0));
    for (int i = 0; i < kPerPage; i += 2) {
      world.heap[0]->Free(blocks[static_cast<size_t>(i)]);
    }
    world.heap[0]->Detach();
    run.Spawn([&] { world.domain->Purge(); });
    run.Spawn([&] {
      world.heap[0]->Attach();
      void* p = world.Make(0);
      Stamp(p, 'p');
      for (int i = 1; i < kPerPage; i += 2) {
        world.heap[0]->Free(blocks[static_cast<size_t>(i)]);
      }
      CheckStamp(p, 'p');
      world.heap[0]->Free(p);
    });
    run.RunAll();
    world.heap[0]->Free(blocks[kPerPage]);
    world.heap[0]->Free(blocks[kPerPage + 1]);
    world.CheckEmpty();
  });
  EXPECT_TRUE(result.ok) << result.message;
}

// A reader that found an object in a shared slot may look at its header's words until
// its next safepoint. The object dies, its page becomes empty, and memory of another
// layout is wanted. The reader must see headers or zeros.
TEST(PageOwnershipTest, DormantPageAgainstAReader) {
  SchedResult result = Explore(Random(2000), [&](SchedRun& run) {
    Options options = Small(0);
    World world(options, 2);
    constexpr int64_t kAlive = 4, kDead = 3;
    auto shared = [](void* p) {
      return reinterpret_cast<Atomic<int64_t>*>(static_cast<char*>(p) + 16);
    };
    // The last block of its page, so that the page is empty without it.
    void* object = world.Make(0, HeapKind::kObject);
    shared(object)->store(kAlive, kRelease);
    static Atomic<void*> slot;
    slot.store(object, kRelease);
    run.Spawn([&] {  // the writer
      ThreadHeap* heap = world.heap[0];
      slot.store(nullptr, kRelaxed);
      shared(object)->store(kDead, kRelease);
      heap->Free(object);
      heap->Request(ThreadHeap::kPurge);  // lets even the last page go
      heap->Safepoint();
      for (int round = 0; round < 3; ++round) {
        // Other layouts: raw blocks full of bytes that are no header.
        void* p = heap->Allocate(HeapKind::kRaw, 4096);
        if (p != nullptr) memset(p, 0x55, 4096);
        heap->Safepoint();
        if (p != nullptr) heap->Free(p);
        // The same layout: a header again.
        void* again = heap->Allocate(HeapKind::kObject, kBlock);
        if (again != nullptr) {
          shared(again)->store(kAlive, kRelease);
          shared(again)->store(kDead, kRelease);
          heap->Free(again);
        }
      }
    });
    run.Spawn([&] {  // the reader
      ThreadHeap* heap = world.heap[1];
      for (int round = 0; round < 3; ++round) {
        void* p = slot.load(kAcquire);
        if (p != nullptr) {
          for (int i = 0; i < 4; ++i) {
            int64_t word = shared(p)->load(kRelaxed);
            SCHED_CHECK(word == 0 || word == kAlive || word == kDead);
          }
        }
        heap->Safepoint();
      }
    });
    run.RunAll();
    world.CheckEmpty();
  });
  EXPECT_TRUE(result.ok) << result.message;
}

// A block freed delayed is not reused while a reader may look at it.
TEST(PageOwnershipTest, LimboAgainstAReader) {
  SchedResult result = Explore(Random(1500), [&](SchedRun& run) {
    Options options = Small(0);
    options.limbo_budget = 4096;
    World world(options, 2);
    auto word = [](void* p) {
      return reinterpret_cast<Atomic<uint64_t>*>(static_cast<char*>(p) + 8);
    };
    void* array = world.Make(0);
    word(array)->store(7, kRelease);
    static Atomic<void*> slot;
    slot.store(array, kRelease);
    run.Spawn([&] {
      ThreadHeap* heap = world.heap[0];
      void* fresh = heap->ReallocateDelayed(array, 16, kBlock);
      slot.store(fresh, kRelease);
      heap->Safepoint();
      void* p = world.Make(0);
      word(p)->store(99, kRelaxed);
      heap->Free(p);
      slot.store(nullptr, kRelaxed);
      heap->FreeDelayed(fresh);
      heap->Safepoint();
      heap->Safepoint();
    });
    run.Spawn([&] {
      ThreadHeap* heap = world.heap[1];
      for (int round = 0; round < 3; ++round) {
        void* p = slot.load(kAcquire);
        if (p != nullptr) {
          SCHED_CHECK(word(p)->load(kRelaxed) == 7);
          SCHED_CHECK(word(p)->load(kRelaxed) == 7);
        }
        heap->Safepoint();
      }
    });
    run.RunAll();
    for (ThreadHeap* heap : world.heap) heap->Safepoint();
    for (ThreadHeap* heap : world.heap) heap->Safepoint();
    world.CheckEmpty();
  });
  EXPECT_TRUE(result.ok) << result.message;
}

// A thread leaves with blocks in limbo that a reader still looks at; what it leaves is
// handed over, freed by others, and not before the reader is quiescent.
TEST(PageOwnershipTest, LimboOfAnExitingThreadAgainstAReader) {
  SchedResult result = Explore(Random(1500), [&](SchedRun& run) {
    Options options = Small(0);
    World world(options, 3);
    auto word = [](void* p) {
      return reinterpret_cast<Atomic<uint64_t>*>(static_cast<char*>(p) + 8);
    };
    void* array = world.Make(0);
    word(array)->store(7, kRelease);
    static Atomic<void*> slot;
    slot.store(array, kRelease);
    run.Spawn([&] {
      slot.store(nullptr, kRelaxed);
      world.heap[0]->FreeDelayed(array);
      world.domain->ExitThread(world.heap[0]);
      world.heap[0] = nullptr;
    });
    run.Spawn([&] {  // reader
      void* p = slot.load(kAcquire);
      if (p != nullptr) {
        // So often that the others go by in between in some of the runs.
        for (int i = 0; i < 100; ++i) {
          SCHED_CHECK(word(p)->load(kRelaxed) == 7);
        }
      }
      world.heap[1]->Safepoint();
    });
    run.Spawn([&] {  // wants memory, and gets the block when it is due
      for (int round = 0; round < 3; ++round) {
        void* p = world.Make(2);
        word(p)->store(99, kRelaxed);
        world.heap[2]->Free(p);
        world.heap[2]->Safepoint();
      }
    });
    run.RunAll();
    for (int turn = 0; turn < 3; ++turn) {
      for (ThreadHeap* heap : world.heap) {
        if (heap != nullptr) heap->Safepoint();
      }
    }
    SCHED_CHECK(world.domain->LimboBytes() == 0);  // nobody waits for the one gone
    world.CheckEmpty();
  });
  EXPECT_TRUE(result.ok) << result.message;
}

// A dormant page is purged by one thread, wanted by another with its layout, by a third
// with another layout, and looked at by a reader that counts if it may.
TEST(PageOwnershipTest, ZeroingAgainstTakersAndAReaderThatCounts) {
  SchedResult result = Explore(Random(2500), [&](SchedRun& run) {
    World world(Small(0), 4);
    constexpr int64_t kOne = 4, kDead = 3;
    auto shared = [](void* p) {
      return reinterpret_cast<Atomic<int64_t>*>(static_cast<char*>(p) + 16);
    };
    // Whoever drops the last count ends the object.
    auto drop = [&](int t, void* p) {
      int64_t word = shared(p)->load(kAcquire);
      do {
        SCHED_CHECK(word == kOne || word == 2 * kOne);
      } while (!shared(p)->compare_exchange_weak(
          word, word == kOne ? kDead : word - kOne, kAcqRel, kAcquire));
      if (word == kOne) world.heap[static_cast<size_t>(t)]->Free(p);
    };
    void* object = world.Make(0, HeapKind::kObject);
    shared(object)->store(kOne, kRelease);
    static Atomic<void*> slot;
    slot.store(object, kRelease);
    world.heap[0]->Detach();
    run.Spawn([&] {  // takes it out of its slot and drops the slot's count
      world.heap[0]->Attach();
      slot.store(nullptr, kRelaxed);
      drop(0, object);
      world.heap[0]->Detach();
      world.domain->Purge();
    });
    run.Spawn([&] {  // LoadRef: load, count unless dead, look again
      ThreadHeap* heap = world.heap[1];
      void* p = slot.load(kAcquire);
      if (p != nullptr) {
        int64_t word = shared(p)->load(kRelaxed);
        bool got = false;
        while (word != 0 && word != kDead) {
          SCHED_CHECK(word == kOne || word == 2 * kOne);
          if (shared(p)->compare_exchange_weak(word, word + 4, kAcquire,
                                               kRelaxed)) {
            got = true;
            break;
          }
        }
        if (got) {
          // Ours for the moment: it stays what it is, purges or not.
          SCHED_CHECK(shared(p)->load(kRelaxed) >= kOne);
          drop(1, p);
        }
      }
      heap->Safepoint();
    });
    for (int t = 2; t <= 3; ++t) {
      run.Spawn([&world, t, shared, drop] {
        ThreadHeap* heap = world.heap[static_cast<size_t>(t)];
        for (int round = 0; round < 2; ++round) {
          HeapKind kind = t == 2 ? HeapKind::kObject : HeapKind::kRaw;
          char* p = static_cast<char*>(world.Make(t, kind));
          if (kind == HeapKind::kRaw) {
            memset(p, 0x55, kBlock);
          } else {
            // A new object in it, which stays until we free it.
            shared(p)->store(kOne, kRelease);
            memset(p + 32, 't', 64);
            for (int i = 0; i < 2; ++i) {
              SCHED_CHECK(shared(p)->load(kRelaxed) >= kOne);
              SCHED_CHECK(p[40] == 't');
            }
            drop(t, p);
            p = nullptr;
          }
          heap->Free(p);
          if (round == 0) world.domain->Purge();
          heap->Safepoint();
        }
      });
    }
    run.RunAll();
    world.heap[0]->Attach();
    world.CheckEmpty();
  });
  EXPECT_TRUE(result.ok) << result.message;
}

// While two threads purge, one wants a big block: it gets the memory that is there, and
// takes no other because that was out of its reach for a moment.
TEST(PageOwnershipTest, ABigBlockIsFoundWhileItIsPurged) {
  SchedResult result = Explore(Random(400), [&](SchedRun& run) {
    constexpr size_t kBig = 6 << 20;  // two pieces
    Options options = Small(0);
    options.arena_reserve = 16 << 20;
    World world(options, 2);
    void* block = world.heap[0]->Allocate(HeapKind::kObject, kBig);
    SCHED_CHECK(block != nullptr);
    world.heap[0]->Free(block);
    const uint64_t made = world.domain->GetStats().pages_made;
    run.Spawn([&] { world.domain->Purge(); });
    run.Spawn([&] {
      world.heap[0]->Request(ThreadHeap::kPurge);
      world.heap[0]->Safepoint();
    });
    run.Spawn([&] {
      void* again = world.heap[1]->Allocate(HeapKind::kObject, kBig);
      SCHED_CHECK(again == block);
      static_cast<char*>(again)[kBig - 1] = 'x';
      world.heap[1]->Safepoint();
      SCHED_CHECK(static_cast<char*>(again)[kBig - 1] == 'x');
    });
    run.RunAll();
    SCHED_CHECK(world.domain->GetStats().pages_made == made);
    world.domain->CheckInvariants();
    world.heap[0]->Free(block);
    world.CheckEmpty();
  });
  EXPECT_TRUE(result.ok) << result.message;
}

}  // namespace
}  // namespace tidepool
