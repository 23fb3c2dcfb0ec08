// Limbo and SharedLimbo: order, merging of goals, bytes, and what is left behind
// by threads that go. In the `sched` build these tests kill the mutants limbo_*
// (tests/mutants.txt).
#include "tidepool/qsbr/limbo.h"

#include <functional>
#include <set>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/os.h"
#include "tidepool/base/sched.h"
#include "tidepool/base/thread.h"

namespace tidepool {
namespace {

using sched::SchedOptions;
using sched::SchedRun;

struct Block {
  void* link;
  size_t bytes = 64;
  Atomic<int> freed{0};
};

size_t FreeBlock(void* block, void* context) {
  Block* b = static_cast<Block*>(block);
  SCHED_CHECK(b->freed.exchange(1, kRelaxed) == 0);  // once
  if (context != nullptr) {
    static_cast<std::vector<Block*>*>(context)->push_back(b);
  }
  return b->bytes;
}

TEST(LimboTest, EmptyAtFirst) {
  QsbrDomain domain(RealOs());
  Limbo limbo;
  EXPECT_TRUE(limbo.empty());
  EXPECT_EQ(limbo.bytes(), 0u);
  EXPECT_EQ(limbo.Drain(domain, &FreeBlock, nullptr), 0u);
}

TEST(LimboTest, FreesInOrderWhatIsDue) {
  QsbrDomain domain(RealOs());
  QsbrSlot* reader = domain.Register();
  domain.Attach(reader);
  Limbo limbo;
  Block blocks[3];
  limbo.Push(&blocks[0], 64, domain.Advance());
  limbo.Push(&blocks[1], 64, domain.Advance());
  domain.Quiesce(reader);
  limbo.Push(&blocks[2], 64, domain.Advance());
  EXPECT_EQ(limbo.bytes(), 192u);
  std::vector<Block*> freed;
  EXPECT_EQ(limbo.Drain(domain, &FreeBlock, &freed), 128u);
  EXPECT_EQ(freed, (std::vector<Block*>{&blocks[0], &blocks[1]}));
  EXPECT_EQ(limbo.bytes(), 64u);
  domain.Detach(reader);
  EXPECT_EQ(limbo.Drain(domain, &FreeBlock, &freed), 64u);
  EXPECT_TRUE(limbo.empty());
  domain.Unregister(reader);
}

TEST(LimboTest, SameGoalSharesABucket) {
  QsbrDomain domain(RealOs());
  Limbo limbo;
  std::vector<Block> blocks(100);
  Seq goal = domain.Goal();
  for (Block& block : blocks) limbo.Push(&block, 64, goal);
  EXPECT_EQ(limbo.oldest_goal(), limbo.newest_goal());
  size_t seen = 0;
  limbo.ForEach([&](void* block) { EXPECT_EQ(block, &blocks[seen++]); });
  EXPECT_EQ(seen, blocks.size());
  // Nobody has advanced: the drain does.
  EXPECT_EQ(limbo.Drain(domain, &FreeBlock, nullptr), 6400u);
}

// More goals than buckets: the newest bucket's goal is raised (L2), so nothing
// is freed before its time.
TEST(LimboTest, MergedGoalsAreNotEarly) {
  QsbrDomain domain(RealOs());
  QsbrSlot* reader = domain.Register();
  Limbo limbo;
  std::vector<Block> blocks(Limbo::kBuckets + 1);
  for (int i = 0; i < Limbo::kBuckets; ++i) {
    limbo.Push(&blocks[i], 64, domain.Advance());
  }
  domain.Attach(reader);  // after all those goals
  Block& late = blocks[Limbo::kBuckets];
  limbo.Push(&late, 64, domain.Advance());  // the reader may hold this one
  limbo.Drain(domain, &FreeBlock, nullptr);
  EXPECT_EQ(late.freed.load(kRelaxed), 0);
  domain.Quiesce(reader);
  limbo.Drain(domain, &FreeBlock, nullptr);
  EXPECT_EQ(late.freed.load(kRelaxed), 1);
  EXPECT_TRUE(limbo.empty());
  domain.Detach(reader);
  domain.Unregister(reader);
}

TEST(LimboTest, TakeAllKeepsGoalsApart) {
  QsbrDomain domain(RealOs());
  QsbrSlot* reader = domain.Register();
  Limbo a, b;
  Block blocks[4];
  Seq first = domain.Advance();
  Seq second = domain.Advance();
  domain.Attach(reader);
  Seq third = domain.Advance();
  a.Push(&blocks[0], 64, second);
  b.Push(&blocks[1], 64, first);
  b.Push(&blocks[2], 64, third);
  b.Push(&blocks[3], 64, third);
  a.TakeAll(b);
  EXPECT_TRUE(b.empty());
  EXPECT_EQ(b.bytes(), 0u);
  EXPECT_EQ(a.bytes(), 256u);
  a.Drain(domain, &FreeBlock, nullptr);
  EXPECT_EQ(blocks[0].freed.load(kRelaxed), 1);
  EXPECT_EQ(blocks[1].freed.load(kRelaxed), 1);
  EXPECT_EQ(blocks[2].freed.load(kRelaxed), 0);
  EXPECT_EQ(a.bytes(), 128u);
  domain.Detach(reader);
  a.Drain(domain, &FreeBlock, nullptr);
  EXPECT_TRUE(a.empty());
  domain.Unregister(reader);
}

TEST(LimboTest, DrainAllAsksNobody) {
  QsbrDomain domain(RealOs());
  QsbrSlot* reader = domain.Register();
  domain.Attach(reader);
  Limbo limbo;
  Block blocks[2];
  limbo.Push(&blocks[0], 64, domain.Advance());
  limbo.Push(&blocks[1], 64, domain.Advance());
  EXPECT_EQ(limbo.Drain(domain, &FreeBlock, nullptr), 0u);
  EXPECT_EQ(limbo.DrainAll(&FreeBlock, nullptr), 128u);
  EXPECT_TRUE(limbo.empty());
  domain.Detach(reader);
  domain.Unregister(reader);
}

TEST(LimboTest, GoalsAcrossTheWrap) {
  QsbrDomain domain(RealOs(), ~Seq{0} - 8);
  QsbrSlot* reader = domain.Register();
  domain.Attach(reader);
  Limbo limbo;
  std::vector<Block> blocks(12);
  for (Block& block : blocks) limbo.Push(&block, 64, domain.Advance());
  EXPECT_EQ(limbo.Drain(domain, &FreeBlock, nullptr), 0u);
  domain.Quiesce(reader);
  EXPECT_EQ(limbo.Drain(domain, &FreeBlock, nullptr), 12u * 64);
  domain.Detach(reader);
  domain.Unregister(reader);
}

// The callback may retire more.
TEST(LimboTest, CallbackPushes) {
  struct Context {
    QsbrDomain domain{RealOs()};
    Limbo limbo;
    Block child;
    int freed = 0;
  } context;
  Block parent;
  context.limbo.Push(&parent, 64, context.domain.Advance());
  auto free_fn = [](void* block, void* raw) -> size_t {
    Context* c = static_cast<Context*>(raw);
    if (block != &c->child) c->limbo.Push(&c->child, 64, c->domain.Advance());
    ++c->freed;
    return 64;
  };
  EXPECT_EQ(context.limbo.Drain(context.domain, free_fn, &context), 128u);
  EXPECT_EQ(context.freed, 2);
}

// --- The limbo that threads leave behind. ---

// unodb-dev/unodb#622: what the last threads retired must not wait for an
// advance that nobody makes.
TEST(SharedLimboTest, NothingStaysWhenAllHaveLeft) {
  QsbrDomain domain(RealOs());
  SharedLimbo shared;
  std::vector<Block> blocks(8);
  for (Block& block : blocks) {
    QsbrSlot* slot = domain.Register();
    domain.Attach(slot);
    Limbo own;
    own.Push(&block, 64, domain.Goal());
    shared.Give(own);
    domain.Detach(slot);
    domain.Unregister(slot);
  }
  EXPECT_EQ(shared.bytes(), 8u * 64);
  EXPECT_EQ(shared.Drain(domain, &FreeBlock, nullptr), 8u * 64);
  EXPECT_EQ(shared.bytes(), 0u);
}

TEST(SharedLimboTest, WhatIsNotDueStays) {
  QsbrDomain domain(RealOs());
  QsbrSlot* reader = domain.Register();
  domain.Attach(reader);
  SharedLimbo shared;
  Limbo own;
  Block block;
  own.Push(&block, 64, domain.Advance());
  shared.Give(own);
  EXPECT_EQ(shared.Drain(domain, &FreeBlock, nullptr), 0u);
  EXPECT_EQ(shared.bytes(), 64u);
  domain.Detach(reader);
  EXPECT_EQ(shared.Drain(domain, &FreeBlock, nullptr), 64u);
  EXPECT_EQ(shared.bytes(), 0u);
  EXPECT_EQ(shared.DrainAll(&FreeBlock, nullptr), 0u);
  domain.Unregister(reader);
}

// Two threads retire what a third reads, leave, and whoever is last drains.
void LeaversAgainstReader(SchedRun& run) {
  QsbrDomain domain(RealOs());
  SharedLimbo shared;
  Block blocks[2];
  Atomic<Block*> slots[2];
  for (int i = 0; i < 2; ++i) slots[i].store(&blocks[i], kRelaxed);
  for (int i = 0; i < 2; ++i) {
    run.Spawn([&, i] {
      QsbrSlot* me = domain.Register();
      domain.Attach(me);
      slots[i].store(nullptr, kRelease);
      Limbo own;
      own.Push(&blocks[i], 64, domain.Goal());
      own.Drain(domain, &FreeBlock, nullptr);
      shared.Give(own);
      domain.Detach(me);
      domain.Unregister(me);
      shared.Drain(domain, &FreeBlock, nullptr);
    });
  }
  run.Spawn([&] {
    QsbrSlot* me = domain.Register();
    domain.Attach(me);
    for (int i = 0; i < 2; ++i) {
      Block* block = slots[i].load(kAcquire);
      if (block == nullptr) continue;
      SCHED_CHECK(block->freed.load(kRelaxed) == 0);
      SCHED_CHECK(block->freed.load(kRelaxed) == 0);
      domain.Quiesce(me);
    }
    domain.Detach(me);
    domain.Unregister(me);
    shared.Drain(domain, &FreeBlock, nullptr);
  });
  run.RunAll();
  shared.Drain(domain, &FreeBlock, nullptr);
  SCHED_CHECK(shared.bytes() == 0);
  for (Block& block : blocks) SCHED_CHECK(block.freed.load(kRelaxed) == 1);
}

TEST(SharedLimboTest, LeaversAgainstReader) {
  SchedOptions options;
  options.iterations = 3000;
  sched::SchedResult result = sched::Explore(options, LeaversAgainstReader);
  EXPECT_TRUE(result.ok) << result.message;
}

// Threads that retire and drain at their safepoints, and leave with a backlog
// that the last one drains: every block is freed, once.
TEST(LimboStressTest, EveryBlockIsFreed) {
  constexpr int kThreads = 4, kBlocks = 20000;
  QsbrDomain domain(RealOs());
  SharedLimbo shared;
  static Atomic<int> freed;
  freed.store(0, kRelaxed);
  static constexpr auto kFree = [](void* block, void*) -> size_t {
    size_t bytes = FreeBlock(block, nullptr);
    delete static_cast<Block*>(block);
    freed.fetch_add(1, kRelaxed);
    return bytes;
  };
  std::vector<Thread> threads(kThreads);
  for (Thread& thread : threads) {
    ASSERT_TRUE(thread.Start([&] {
      QsbrSlot* me = domain.Register();
      domain.Attach(me);
      Limbo limbo;
      for (int i = 0; i < kBlocks; ++i) {
        limbo.Push(new Block, 64, domain.Goal());
        domain.Quiesce(me);
        if (limbo.bytes() >= 64 * 64) limbo.Drain(domain, kFree, nullptr);
      }
      shared.Give(limbo);
      domain.Detach(me);
      domain.Unregister(me);
      shared.Drain(domain, kFree, nullptr);
    }));
  }
  for (Thread& thread : threads) thread.Join();
  shared.Drain(domain, kFree, nullptr);
  EXPECT_EQ(freed.load(kRelaxed), kThreads * kBlocks);
  EXPECT_EQ(shared.bytes(), 0u);
}

}  // namespace
}  // namespace tidepool
