// The n-th memory call fails, for every n: isolates and threads are created or
// cleanly refused, objects and weakrefs are made or refused, nothing is lost.
#include "tidepool/base/fake_os.h"
#include "tidepool/object/internal/test_types.h"

namespace tidepool::testing {
namespace {

Options SmallOptions() {
  Options options = TestOptions();
  options.arena_reserve = 1 << 20;
  return options;
}

// What a program does; true if nothing was refused. Frees all it made.
bool Program(Isolate* isolate) {
  ThreadState* ts = isolate->AttachThread("main");
  if (ts == nullptr) return false;
  bool ok = true;
  Node* head = nullptr;
  for (int i = 0; i < 500; ++i) {
    ObjectHeader* obj = NewObjectZeroed(ts, &kNodeType, 600);
    if (obj == nullptr) {
      ok = false;
      continue;
    }
    Node* node = static_cast<Node*>(obj);
    Track(node);
    node->a.store(AsValue(head), kRelaxed);
    head = node;
    WeakRef* ref = NewWeakRef(ts, &kWeakRefType, node, i % 2);
    if (ref == nullptr) {
      ok = false;
    } else if (i % 3 == 0) {
      Decref(ts, ref);
    } else {
      node->b.store(AsValue(ref), kRelaxed);
    }
  }
  // Another thread drops half of a set of objects to which this one is owner.
  ObjectHeader* given[200] = {};
  for (ObjectHeader*& obj : given) {
    obj = NewLeaf(ts);
    ok = ok && obj != nullptr;
  }
  Thread thread;
  const bool started = thread.Start([&] {
    ThreadState* other = isolate->AttachThread("other");
    if (other == nullptr) {
      ok = false;
      return;
    }
    for (ObjectHeader*& obj : given) {
      if (obj != nullptr) Decref(other, obj);
      obj = nullptr;
    }
    isolate->LeaveThread(other);
  });
  if (started) thread.Join();  // attached: they are queued
  for (ObjectHeader* obj : given) {
    if (obj != nullptr) Decref(ts, obj);
  }
  ts->Safepoint();
  if (head != nullptr) Decref(ts, head);
  const HeaderCensus census = CountObjects(ts);
  EXPECT_EQ(census.live, 0u);
  EXPECT_EQ(census.dying, 0u);
  isolate->LeaveThread(ts);
  EXPECT_EQ(isolate->thread_count(), 0u);
  return ok;
}

TEST(OutOfMemoryTest, EveryMemoryCallFailsOnce) {
  uint64_t n = 1;
  for (;; ++n) {
    FakeOs os;
    // Not Release: a range that the OS does not take back stays reserved.
    os.FailNth(n, FakeOs::kFailable & ~FakeOs::kRelease);
    auto isolate = Isolate::Create(SmallOptions(), &os);
    if (!isolate.ok()) {
      EXPECT_TRUE(os.failed());
      // And again, now that there is memory.
      isolate = Isolate::Create(SmallOptions(), &os);
      ASSERT_TRUE(isolate.ok());
    }
    Program(isolate->get());
    const bool failed = os.failed();
    // It goes on afterwards.
    os.FailNever();
    EXPECT_TRUE(Program(isolate->get()));
    isolate->reset();
    // All but what the page map of the process may have taken through it.
    EXPECT_LE(os.reserved_bytes(), 1 << 20);
    if (!failed) break;
    ASSERT_LT(n, 2000u);
  }
  EXPECT_GT(n, 3u);
}

TEST(OutOfMemoryTest, MemoryFailsFromTheNthCallOn) {
  for (uint64_t n = 1;; ++n) {
    FakeOs os;
    auto isolate = Isolate::Create(SmallOptions(), &os);
    ASSERT_TRUE(isolate.ok());
    os.FailFrom(n, FakeOs::kMemory);
    Program(isolate->get());
    const bool failed = os.failed();
    os.FailNever();
    EXPECT_TRUE(Program(isolate->get()));
    if (!failed) break;
    ASSERT_LT(n, 2000u);
  }
}

}  // namespace
}  // namespace tidepool::testing
