// Page ownership under the scheduler: who may change a page, when its thread
// lets it go, leaves, or others free into it at the same moment.
//
// The states are rows X1-X5 of allocator/internal/page.h. A block carries a
// pattern from its allocation to its free, so a block that two owners hand out, or
// a list that two threads change, is seen; at the end nothing is left and the
// invariants P1-P6 hold.
#include <memory>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/allocator/heap_domain.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/sched.h"
#include "tidepool/base/spin.h"
#include "tidepool/tests/protocols/world.h"

namespace tidepool::protocols {
namespace {

using sched::SchedRun;

// Eight blocks to a page: the largest class of medium pages.
constexpr size_t kBlock = 64 << 10;
constexpr int kPerPage = 8;

class Domain {
 public:
  explicit Domain(SchedRun& run, int reclaim = 0, int retain = 0)
      : run_(run) {
    Options options;
    options.arena_reserve = 16 << 20;
    options.page_full_retain = retain;  // 0: full pages are let go at once
    options.page_reclaim_on_free = reclaim;
    auto made = HeapDomain::Create(options);
    SCHED_CHECK(made.ok());
    domain_ = std::move(*made);
  }

  // A thread with an attached heap, which leaves at the end.
  void Spawn(std::function<void(ThreadHeap*)> body) {
    run_.Spawn([this, body = std::move(body)] {
      ThreadHeap* heap;
      {
        sched::NoPreemption scope;
        heap = domain_->NewThread();
        SCHED_CHECK(heap != nullptr);
        heap->Attach();
      }
      body(heap);
      heap->Detach();
      domain_->ExitThread(heap);
    });
  }

  // A block with its own pattern in the first and the last word.
  char* Take(ThreadHeap* heap, HeapKind kind = HeapKind::kRaw) {
    char* block = static_cast<char*>(heap->Allocate(kind, kBlock));
    SCHED_CHECK(block != nullptr);
    Mark(block, Pattern(block));
    return block;
  }
  void Give(ThreadHeap* heap, char* block) {
    Check(block);
    Mark(block, 0);
    heap->Free(block);
  }
  void Check(char* block) {
    SCHED_CHECK(Word(block, 32) == Pattern(block));
    SCHED_CHECK(Word(block, kBlock - 8) == Pattern(block));
  }

  void Meet(int n) {
    sched::NoPreemption scope;
    // Acquire and release: the scene that one sets before it comes is seen by all.
    met_.fetch_add(1, kAcqRel);
    while (met_.load(kAcquire) < n) {
      SpinPause();
      // Plain threads may be more than processors.
      if (!sched::kEnabled) RealOs()->SleepNs(1000);
    }
  }

  // Runs all, then looks: no live block, no page in use, every invariant.
  void Finish() {
    run_.RunAll();
    run_.Spawn([this] {
      sched::NoPreemption scope;
      domain_->AfterStop();
      domain_->CheckInvariants();
      const Stats stats = domain_->GetStats();
      SCHED_CHECK(domain_->LiveIn(~0u).blocks == 0);
      SCHED_CHECK(stats.threads == 0);
      SCHED_CHECK(stats.pages == 0);
      SCHED_CHECK(stats.available_pages == 0);
    });
    run_.RunAll();
  }

  HeapDomain* operator->() { return domain_.get(); }

 private:
  // From the 32nd byte on a block holds nothing of the allocator's.
  static uint64_t& Word(char* block, size_t at) {
    return *reinterpret_cast<uint64_t*>(block + at);
  }
  static uint64_t Pattern(char* block) {
    return reinterpret_cast<uint64_t>(block) * 0x9E3779B97F4A7C15u;
  }
  static void Mark(char* block, uint64_t value) {
    Word(block, 32) = value;
    Word(block, kBlock - 8) = value;
  }

  SchedRun& run_;
  std::unique_ptr<HeapDomain> domain_;
  Atomic<int> met_{0};
};

// Two threads free into a page that its owner has let go (X4 against X1), each
// block by another thread than the one that made it.
void ForeignFreesOfAFullPage(SchedRun& run, int reclaim) {
  Domain d(run, reclaim);
  char* blocks[kPerPage + 1];
  d.Spawn([&](ThreadHeap* heap) {
    {
      sched::NoPreemption scope;
      for (char*& block : blocks) block = d.Take(heap);
    }
    d.Meet(3);
    d.Give(heap, blocks[0]);
    d.Give(heap, d.Take(heap));
    d.Give(heap, blocks[kPerPage]);
  });
  for (int t = 0; t < 2; ++t) {
    d.Spawn([&, t](ThreadHeap* heap) {
      d.Meet(3);
      for (int i = 1 + t; i < kPerPage; i += 2) {
        d.Give(heap, blocks[i]);
        if (i < 3) heap->Safepoint();  // hands a batch over, if there is one
      }
    });
  }
  d.Finish();
}

TEST(PageOwnershipTest, ForeignFreesOfAFullPage) {
  for (int reclaim : {-1, 0, 1}) {
    auto body = [reclaim](SchedRun& run) {
      ForeignFreesOfAFullPage(run, reclaim);
    };
    ExpectOk(FewPreemptions(1, 500), body);
    ExpectOk(RandomRuns(800), body);
  }
}

// The owner fills its page and lets it go while another thread frees into it
// (X3 against X1): the free that comes first keeps the page.
void LetGoAgainstFree(SchedRun& run) {
  Domain d(run);
  char* blocks[kPerPage];
  d.Spawn([&](ThreadHeap* heap) {
    {
      sched::NoPreemption scope;
      for (char*& block : blocks) block = d.Take(heap);
    }
    d.Meet(2);
    char* more = d.Take(heap);  // finds the page full
    d.Give(heap, more);
  });
  d.Spawn([&](ThreadHeap* heap) {
    d.Meet(2);
    for (char* block : blocks) {
      d.Give(heap, block);
      heap->Safepoint();
    }
  });
  d.Finish();
}

TEST(PageOwnershipTest, LetGoAgainstFree) {
  ExpectOk(FewPreemptions(1, 1500), LetGoAgainstFree);
  ExpectOk(RandomRuns(1500), LetGoAgainstFree);
}

// Two threads want a page with free blocks that nobody owns (X5 against X5),
// while a third frees into it (X4).
void AdoptAgainstClaim(SchedRun& run) {
  Domain d(run);
  char* blocks[kPerPage];
  d.Spawn([&](ThreadHeap* heap) {
    sched::NoPreemption scope;
    for (char*& block : blocks) block = d.Take(heap);
    // Leaves, with room in the page: it goes to the bins.
    d.Give(heap, blocks[0]);
    d.Give(heap, blocks[1]);
  });
  run.RunAll();
  for (int t = 0; t < 2; ++t) {
    d.Spawn([&](ThreadHeap* heap) {
      d.Meet(3);
      char* mine[3];
      for (char*& block : mine) block = d.Take(heap);
      for (char* block : mine) d.Check(block);
      for (char* block : mine) d.Give(heap, block);
    });
  }
  d.Spawn([&](ThreadHeap* heap) {
    d.Meet(3);
    for (int i = 2; i < kPerPage; ++i) {
      d.Give(heap, blocks[i]);
      heap->Safepoint();
    }
  });
  d.Finish();
}

TEST(PageOwnershipTest, AdoptAgainstClaim) {
  ExpectOk(FewPreemptions(1, 1000), AdoptAgainstClaim);
  ExpectOk(RandomRuns(2000), AdoptAgainstClaim);
}

// A thread leaves with pages that are full, partly used and empty, while others
// free into them; what they free is found again.
void ExitAgainstFree(SchedRun& run, int retain) {
  Domain d(run, 0, retain);
  std::vector<char*> blocks(kPerPage + 3);
  d.Spawn([&](ThreadHeap* heap) {
    {
      sched::NoPreemption scope;
      for (char*& block : blocks) block = d.Take(heap);
    }
    d.Meet(3);
  });
  for (int t = 0; t < 2; ++t) {
    d.Spawn([&, t](ThreadHeap* heap) {
      d.Meet(3);
      for (size_t i = t; i < blocks.size(); i += 2) d.Give(heap, blocks[i]);
    });
  }
  d.Finish();
}

TEST(PageOwnershipTest, ExitAgainstFree) {
  for (int retain : {0, 2, -1}) {
    auto body = [retain](SchedRun& run) { ExitAgainstFree(run, retain); };
    ExpectOk(FewPreemptions(1, 1000), body);
    ExpectOk(RandomRuns(1000), body);
  }
}

// Frees by a thread that has no heap at all, against the owner's exit.
void FreeFromAnywhere(SchedRun& run) {
  Domain d(run);
  char* blocks[kPerPage];
  d.Spawn([&](ThreadHeap* heap) {
    {
      sched::NoPreemption scope;
      for (char*& block : blocks) block = d.Take(heap);
    }
    d.Meet(2);
  });
  run.Spawn([&] {
    d.Meet(2);
    for (char* block : blocks) d->FreeFromAnywhere(block);
  });
  d.Finish();
}

TEST(PageOwnershipTest, FreeFromAnywhere) {
  ExpectOk(FewPreemptions(1, 1000), FreeFromAnywhere);
  ExpectOk(RandomRuns(800), FreeFromAnywhere);
}

// Purging from outside while threads allocate, free and block.
void PurgeAgainstAll(SchedRun& run) {
  Domain d(run);
  char* blocks[kPerPage];
  d.Spawn([&](ThreadHeap* heap) {
    {
      sched::NoPreemption scope;
      for (char*& block : blocks) block = d.Take(heap);
    }
    d.Meet(3);
    for (int i = 0; i < kPerPage; i += 2) d.Give(heap, blocks[i]);
    heap->Detach();
    heap->Attach();
    char* again = d.Take(heap);
    heap->Safepoint();
    d.Give(heap, again);
  });
  d.Spawn([&](ThreadHeap* heap) {
    d.Meet(3);
    for (int i = 1; i < kPerPage; i += 2) d.Give(heap, blocks[i]);
    heap->Safepoint();
  });
  run.Spawn([&] {
    d.Meet(3);
    d->Purge();
    d->Purge();
  });
  d.Finish();
}

TEST(PageOwnershipTest, PurgeAgainstAll) {
  ExpectOk(RandomRuns(1500), PurgeAgainstAll);
}

}  // namespace
}  // namespace tidepool::protocols
