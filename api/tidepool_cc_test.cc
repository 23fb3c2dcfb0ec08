// The C++ surface: typed objects, references, fields, weak references, scopes.

#include "tidepool/api/tidepool_cc.h"

#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/allocator/heap_map.h"
#include "tidepool/base/fake_os.h"
#include "tidepool/base/thread.h"

namespace tidepool {
namespace {

// Relaxed everywhere: counts, read after the threads that count were joined.
Atomic<int> g_destroyed{0};
Atomic<int> g_finalized{0};

struct Text : ObjectOf<Text> {
  static constexpr const char* kTypeName = "Text";
  static constexpr bool kNoFields = true;
  size_t length;
  void Init(const char* from) {
    length = std::strlen(from);
    std::memcpy(reinterpret_cast<char*>(this + 1), from, length);
  }
  const char* data() const { return reinterpret_cast<const char*>(this + 1); }
};

struct Tree : ObjectOf<Tree> {
  static constexpr const char* kTypeName = "Tree";
  Field<Tree> left, right;
  Field<Text> label;
  int value;
  template <class Visit>
  void Fields(Visit&& visit) {
    visit(left);
    visit(right);
    visit(label);
  }
  void Init(int v) { value = v; }
  void Destroy(ThreadState*) { g_destroyed.fetch_add(1, kRelaxed); }
};

struct Mortal : ObjectOf<Mortal> {
  static constexpr const char* kTypeName = "Mortal";
  Field<Mortal> self;
  template <class Visit>
  void Fields(Visit&& visit) {
    visit(self);
  }
  void Finalize(ThreadState*) { g_finalized.fetch_add(1, kRelaxed); }
};

class CcTest : public testing::Test {
 protected:
  void SetUp() override {
    g_destroyed.store(0, kRelaxed);
    g_finalized.store(0, kRelaxed);
    auto made = Vm::Create();
    ASSERT_TRUE(made.ok()) << made.status();
    vm = *std::move(made);
    vm->collector().Disable();
    thread.emplace(*vm, "main");
    ASSERT_TRUE(*thread);
    ts = thread->ts();
  }
  std::unique_ptr<Vm> vm;
  std::optional<ThreadScope> thread;
  ThreadState* ts = nullptr;
};

Ref<Tree> MakeTree(ThreadState* ts, int depth) {
  Ref<Tree> tree = New<Tree>(ts, depth);
  if (depth > 1) {
    tree->left.Set(ts, MakeTree(ts, depth - 1));
    tree->right.Set(ts, MakeTree(ts, depth - 1));
  }
  return tree;
}

// All layers on an OS with larger pages, whose calls check that ranges are whole pages: heaps,
// the collector's arrays, purges of all and of holes, dormant pages, the map, the hardening
// with its guards.
TEST(OsPagesTest, Of16And64KiB) {
  for (size_t page : {size_t{16} << 10, size_t{64} << 10}) {
    for (const char* hardening : {"none", "hardened"}) {
      SCOPED_TRACE(testing::Message() << page << " " << hardening);
      FakeOs os(RealOs());
      os.SetPageSize(page);
      {
        Options options;
        ASSERT_TRUE(options.Set("hardening", hardening).ok());
        auto vm = Vm::Create(options, &os);
        ASSERT_TRUE(vm.ok()) << vm.status();
        ThreadScope scope(**vm, "main");
        ThreadState* t = scope.ts();
        std::vector<Ref<Tree>> kept;
        for (int i = 0; i < 100; ++i) {
          Ref<Tree> tree = MakeTree(t, 7);
          tree->left.Get(t)->left.Set(t, tree.Clone());  // garbage if it is not kept
          void* raw = t->heap()->Allocate(HeapKind::kRaw, 1000u << (i % 10));
          ASSERT_NE(raw, nullptr);
          if (i % 10 == 0) kept.push_back(std::move(tree));
          if (i % 3 == 0) raw = t->heap()->Reallocate(raw, 3000u << (i % 10));
          ASSERT_NE(raw, nullptr);
          if (i % 2 == 0) {
            t->heap()->FreeDelayed(raw, true);
          } else {
            t->heap()->Free(raw);
          }
          t->Safepoint();
        }
        EXPECT_GT((*vm)->Collect(t), 0u);
        (*vm)->heap().Purge();
        EXPECT_GT(os.purged_bytes(), 0u);
        EXPECT_EQ((*vm)->collector().CheckInvariants(t), 0u);
        EXPECT_GT(SplitMemory(GetHeapMap((*vm)->heap())).live, 0u);
        for (Ref<Tree>& tree : kept) {
          EXPECT_EQ(tree->left.Get(t)->right.Get(t)->value, 5);
        }
        kept.clear();
        MakeTree(t, 5);  // into what was purged
        (*vm)->Collect(t);
        StopScope stop(t);
        (*vm)->heap().CheckInvariants();
      }
      EXPECT_EQ(os.reserved_bytes(), 0);
    }
  }
}

TEST_F(CcTest, ByCount) {
  {
    Ref<Tree> tree = MakeTree(ts, 8);
    EXPECT_EQ(tree->value, 8);
    EXPECT_EQ(tree->left.Get(ts)->value, 7);
    EXPECT_FALSE(MakeTree(ts, 1)->left.Get(ts));
  }
  EXPECT_EQ(g_destroyed.load(kRelaxed), 256);
}

TEST_F(CcTest, RefMovesAndClones) {
  Ref<Tree> a = New<Tree>(ts, 1);
  EXPECT_EQ(RefCount(a.get()), 1);
  Ref<Tree> b = a.Clone();
  EXPECT_TRUE(a == b);
  EXPECT_EQ(RefCount(a.get()), 2);
  Ref<Tree> c = std::move(a);
  EXPECT_FALSE(a);
  EXPECT_EQ(RefCount(c.get()), 2);
  c = std::move(b);
  EXPECT_EQ(RefCount(c.get()), 1);
  c.reset();
  EXPECT_EQ(g_destroyed.load(kRelaxed), 1);
}

TEST_F(CcTest, FieldsTakeAndSet) {
  Ref<Tree> a = New<Tree>(ts, 1);
  a->left.Set(ts, New<Tree>(ts, 2));
  Ref<Tree> taken = a->left.Take();
  EXPECT_EQ(taken->value, 2);
  EXPECT_FALSE(a->left.Get(ts));
  a->left.Set(ts, std::move(taken));
  a->left.Set(ts, Ref<Tree>());
  EXPECT_EQ(g_destroyed.load(kRelaxed), 1);
}

TEST_F(CcTest, ExtraBytesAndTypesWithoutFields) {
  Ref<Tree> a = New<Tree>(ts, 1);
  a->label.Set(ts, NewWithExtra<Text>(ts, 5, "hello"));
  Ref<Text> label = a->label.Get(ts);
  EXPECT_EQ(std::string(label->data(), label->length), "hello");
  EXPECT_FALSE(IsTracked(label.get()));
  EXPECT_TRUE(IsTracked(a.get()));
}

TEST_F(CcTest, ByCollection) {
  Ref<Tree> a = New<Tree>(ts, 1);
  Ref<Tree> b = New<Tree>(ts, 2);
  a->left.Set(ts, b.Clone());
  b->right.Set(ts, a.Clone());
  EXPECT_EQ(vm->Collect(ts), 0u);
  a.reset();
  b.reset();
  EXPECT_EQ(g_destroyed.load(kRelaxed), 0);
  EXPECT_EQ(vm->Collect(ts), 2u);
  EXPECT_EQ(g_destroyed.load(kRelaxed), 2);
}

TEST_F(CcTest, FinalizersRunOnceByBothWays) {
  { Ref<Mortal> m = New<Mortal>(ts); }
  EXPECT_EQ(g_finalized.load(kRelaxed), 1);
  {
    Ref<Mortal> m = New<Mortal>(ts);
    m->self.Set(ts, m.Clone());
  }
  EXPECT_EQ(g_finalized.load(kRelaxed), 1);
  EXPECT_EQ(vm->Collect(ts), 1u);
  EXPECT_EQ(g_finalized.load(kRelaxed), 2);
}

TEST_F(CcTest, WeakReferences) {
  Ref<Tree> a = New<Tree>(ts, 1);
  Weak<Tree> weak = NewWeak(ts, a);
  ASSERT_TRUE(weak);
  EXPECT_TRUE(weak.Lock(ts) == a);
  a.reset();
  EXPECT_FALSE(weak.Lock(ts));
  EXPECT_FALSE(Weak<Tree>().Lock(ts));
}

TEST_F(CcTest, FieldsFromManyThreads) {
  Ref<Tree> root = New<Tree>(ts, 0);
  root->left.Set(ts, New<Tree>(ts, 1));
  std::vector<Thread> threads(3);
  for (size_t t = 0; t < threads.size(); ++t) {
    ASSERT_TRUE(threads[t].Start([&, t] {
      ThreadScope scope(*vm, "worker");
      for (int i = 0; i < 5000; ++i) {
        Ref<Tree> seen = root->left.Get(scope.ts());
        EXPECT_TRUE(!seen || seen->value >= 0);
        if (i % 3 == static_cast<int>(t)) root->left.Set(scope.ts(), New<Tree>(scope.ts(), i));
        scope.ts()->Safepoint();
      }
    }));
  }
  for (int i = 0; i < 5; ++i) vm->Collect(ts);
  {
    DetachedScope detached(ts);
    for (Thread& thread : threads) thread.Join();
  }
  root.reset();
  vm->Collect(ts);
  uint64_t left = 0;
  vm->collector().VisitObjects(ts, [&](const Collector::ObjectInfo&) { ++left; });
  EXPECT_EQ(left, 0u);
}

TEST_F(CcTest, LocalsKnowTheirThread) {
  {
    Local<Tree> a(ts, vm->New<Tree>(1));
    ASSERT_TRUE(a);
    EXPECT_EQ(RefCount(a.get()), 1);
    Ref<Tree> other = a.ref();
    EXPECT_EQ(RefCount(a.get()), 2);
    a = vm->New<Tree>(2);
    EXPECT_EQ(a->value, 2);
    EXPECT_EQ(RefCount(other.get()), 1);
  }
  EXPECT_EQ(g_destroyed.load(kRelaxed), 2);
}

TEST_F(CcTest, HandlesAreDroppedFromAnywhere) {
  auto make = [&](int value) {
    auto handle = Handle<Tree>::Create(*vm, vm->New<Tree>(value));
    EXPECT_TRUE(handle.ok());
    return *std::move(handle);
  };
  Handle<Tree> a = make(1);
  EXPECT_EQ(a.Get()->value, 1);
  EXPECT_EQ(vm->Collect(ts), 0u);
  a.reset();  // attached
  EXPECT_FALSE(a.Get());
  EXPECT_EQ(g_destroyed.load(kRelaxed), 1);
  Handle<Tree> b = make(2);
  {
    DetachedScope detached(ts);
    b = Handle<Tree>();  // detached
    EXPECT_EQ(ThreadState::Current(), nullptr);
  }
  EXPECT_EQ(g_destroyed.load(kRelaxed), 2);
  Handle<Tree> c = make(3);
  {
    DetachedScope detached(ts);
    Thread stranger;
    ASSERT_TRUE(stranger.Start([&] { Handle<Tree> taken = std::move(c); }));
    stranger.Join();
    auto other = Vm::Create();
    ASSERT_TRUE(other.ok());
    ThreadScope there(**other, "there");
    b = Handle<Tree>();
    EXPECT_EQ(ThreadState::Current(), there.ts());
  }
  EXPECT_EQ(g_destroyed.load(kRelaxed), 3);
  Handle<Tree> d = make(4);
  {
    DetachedScope detached(ts);
    auto other = Vm::Create();
    ThreadScope there(**other, "there");
    d.reset();  // attached to another one
    EXPECT_EQ(ThreadState::Current(), there.ts());
  }
  EXPECT_EQ(g_destroyed.load(kRelaxed), 4);
  EXPECT_EQ(vm->isolate().thread_count(), 1u);
}

TEST_F(CcTest, NoGcScopesNest) {
  vm->SetGcEnabled(true);
  {
    NoGcScope outer(*vm);
    EXPECT_FALSE(vm->collector().enabled());
    {
      NoGcScope inner(*vm);
    }
    EXPECT_FALSE(vm->collector().enabled());
    vm->SetGcEnabled(true);
    EXPECT_FALSE(vm->collector().enabled());
  }
  EXPECT_TRUE(vm->collector().enabled());
  vm->SetGcEnabled(false);
  { NoGcScope scope(*vm); }
  EXPECT_FALSE(vm->collector().enabled());
}

TEST_F(CcTest, TryNewCollectsBeforeItGivesUp) {
  vm->heap().SetHardLimit(vm->heap().GetStats().committed + (8 << 20));
  // Cycles fill the memory; nobody collects (the fixture has it switched off).
  size_t made = 0;
  for (;; ++made) {
    Ref<Tree> tree = NewWithExtra<Tree>(ts, 64 << 10, 1);
    if (!tree) break;
    tree->left.Set(ts, tree.Clone());
    ASSERT_LT(made, 1000u);
  }
  EXPECT_GT(made, 50u);
  absl::StatusOr<Ref<Tree>> tried = vm->TryNew<Tree>(5);
  ASSERT_TRUE(tried.ok()) << tried.status();
  EXPECT_EQ((*tried)->value, 5);
  {
    DetachedScope detached(ts);
    EXPECT_EQ(vm->TryNew<Tree>(1).status().code(), absl::StatusCode::kFailedPrecondition);
  }
  tried->reset();
  // Alive: no collection helps.
  Ref<Tree> list;
  for (;;) {
    absl::StatusOr<Ref<Tree>> next = vm->TryNew<Tree>(1);
    if (!next.ok()) {
      EXPECT_EQ(next.status().code(), absl::StatusCode::kResourceExhausted);
      break;
    }
    (*next)->left.Set(ts, std::move(list));
    list = *std::move(next);
  }
  EXPECT_TRUE(thread->status().ok());
}

TEST(CcVmTest, MadeAndDestroyedInALoop) {
  for (int i = 0; i < 20; ++i) {
    auto vm = Vm::Create();
    ASSERT_TRUE(vm.ok());
    ThreadScope thread(**vm);
    Ref<Tree> tree = MakeTree(thread.ts(), 3);
    EXPECT_EQ((*vm)->Collect(thread.ts()), 0u);
  }
}

TEST(CcVmTest, BadPolicyIsAnError) {
  Options options;
  ASSERT_TRUE(options.Set("gc_policy", "nonsense").ok());
  EXPECT_FALSE(Vm::Create(options).ok());
}

}  // namespace
}  // namespace tidepool
