// fork() with threads running: the child counts, frees, locks, stops the world,
// starts threads and ends; the parent goes on.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tidepool/base/sanitizer.h"
#include "tidepool/object/internal/test_types.h"

namespace tidepool::testing {
namespace {

constexpr int kThreads = 4;

struct Shared {
  World* world;
  Slot slots[8] = {};
  Node* locked = nullptr;
  Atomic<bool> quit{false};
};

void Churn(Shared& shared, int index) {
  ThreadState* ts = shared.world->isolate()->AttachThread("churn");
  uint32_t random = 77 + index;
  while (!shared.quit.load(kRelaxed)) {
    random = random * 1664525 + 1013904223;
    Slot& slot = shared.slots[(random >> 8) % 8];
    switch ((random >> 16) % 5) {
      case 0:
      case 1: {
        Node* node = NewNode(ts);
        SetMaybeWeakref(node);
        DecrefValue(ts, ExchangeSlot(slot, AsValue(node)));
        break;
      }
      case 2: {
        uintptr_t value = 0;
        if (!LoadRef(ts, slot, &value) || value == 0) break;
        Decref(ts, NewWeakRef(ts, &kWeakRefType, AsObject(value), 0));
        DecrefValue(ts, value);
        break;
      }
      case 3: {
        CriticalSection section(ts, shared.locked);
        ++shared.locked->value;
        ts->Safepoint();
        break;
      }
      default: {
        BlockingScope blocking(ts);
        break;
      }
    }
    ts->Safepoint();
  }
  shared.world->isolate()->LeaveThread(ts);
}

// What the child does; it has one thread.
int Child(Shared& shared) {
  ThreadState* ts = shared.world->ts();
  Isolate* isolate = shared.world->isolate();
  if (isolate->thread_count() != 1) return 2;
  {
    CriticalSection section(ts, shared.locked);  // not held by the dead
  }
  for (Slot& slot : shared.slots) DecrefValue(ts, ExchangeSlot(slot, 0));
  for (int i = 0; i < 1000; ++i) {
    Node* node = NewNode(ts);
    node->a.store(AsValue(NewNode(ts)), kRelaxed);
    Decref(ts, node);
  }
  ts->Safepoint();
  isolate->StopTheWorld(ts);
  isolate->MergeAllQueues(ts);
  isolate->heap().AfterStop();
  CheckHeaders(isolate, ts);
  isolate->StartTheWorld(ts);
  Thread thread;
  if (!thread.Start([&] {
        ThreadState* other = isolate->AttachThread("child's");
        Decref(other, NewNode(other));
        { StopScope stop(other); }
        isolate->LeaveThread(other);
      })) {
    return 3;
  }
  {
    BlockingScope blocking(ts);
    thread.Join();
  }
  return isolate->stop_stats().stops >= 2 ? 0 : 4;
}

TEST(ForkTest, ChildrenOfABusyIsolate) {
  if (getenv("TIDEPOOL_EMULATED") != nullptr) {
    GTEST_SKIP() << "qemu cannot start threads in the child of a process with threads";
  }
#if TIDEPOOL_TSAN
  GTEST_SKIP() << "ThreadSanitizer does not follow a fork with threads";
#endif
#if TIDEPOOL_ASAN
  GTEST_SKIP() << "AddressSanitizer's allocator may be locked by another thread at the fork";
#endif
  World world;
  Shared shared;
  shared.world = &world;
  shared.locked = NewNode(world.ts());
  Thread threads[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    ASSERT_TRUE(threads[i].Start([&, i] { Churn(shared, i); }));
  }
  for (int i = 0; i < 50; ++i) {
    {
      BlockingScope blocking(world.ts());
      RealOs()->SleepNs(500000);
    }
    world.isolate()->PrepareFork(world.ts());
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // a hang ends the child
      world.isolate()->ChildAfterFork(world.ts());
      _exit(Child(shared));
    }
    world.isolate()->ParentAfterFork(world.ts());
    ASSERT_GT(child, 0);
    int status = 0;
    {
      BlockingScope blocking(world.ts());
      ASSERT_EQ(waitpid(child, &status, 0), child);
    }
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0)
        << "run " << i << " status " << status;
  }
  shared.quit.store(true, kRelaxed);
  {
    BlockingScope blocking(world.ts());
    for (Thread& thread : threads) thread.Join();
  }
  for (Slot& slot : shared.slots) {
    DecrefValue(world.ts(), ExchangeSlot(slot, 0));
  }
  Decref(world.ts(), shared.locked);
}

// From a thread that is not the first one.
TEST(ForkTest, ForkedByAnotherThread) {
#if TIDEPOOL_TSAN
  GTEST_SKIP() << "ThreadSanitizer does not follow a fork with threads";
#endif
#if TIDEPOOL_ASAN
  GTEST_SKIP() << "AddressSanitizer's allocator may be locked by another thread at the fork";
#endif
  World world;
  Node* node = NewNode(world.ts());
  world.OnThread([&](ThreadState* other) {
    world.isolate()->PrepareFork(other);
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      world.isolate()->ChildAfterFork(other);
      Decref(other, node);  // its owner is not in this process
      world.isolate()->LeaveThread(other);
      _exit(Deallocs() == 1 && world.isolate()->thread_count() == 0 ? 0 : 1);
    }
    world.isolate()->ParentAfterFork(other);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  });
  EXPECT_EQ(Deallocs(), 0);
  Decref(world.ts(), node);
}

}  // namespace
}  // namespace tidepool::testing
