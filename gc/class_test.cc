// Deferred counting and classes: edges that nobody counts.
//
// A class here is a Node with a TypeInfo inside, as a VM would make it: it has deferred
// counting, and its instances do not count it. On its deallocation it poisons the
// TypeInfo, so that an instance that outlives its class is noticed.

#include <cstring>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/gc/test_world.h"

namespace tidepool {
namespace {

struct ClassNode : Node {
  TypeInfo info;
  std::vector<std::string>* deaths;
};

std::vector<std::string> g_deaths;

void DeallocInstance(ThreadState* ts, ObjectHeader* obj) {
  // Uses the class: name and basic_size must still be there.
  EXPECT_EQ(obj->type()->basic_size, sizeof(Node));
  g_deaths.push_back(std::string("instance of ") + obj->type()->name);
  DeallocNode(ts, obj);
}

void DeallocClass(ThreadState* ts, ObjectHeader* obj) {
  auto* cls = static_cast<ClassNode*>(obj);
  g_deaths.push_back(std::string("class ") + cls->info.name);
  cls->info.basic_size = 0;
  cls->info.dealloc = nullptr;
  DeallocNode(ts, obj);
}

TypeInfo MakeMetaType() {
  TypeInfo type = MakeNodeType("type");
  type.basic_size = sizeof(ClassNode);
  type.dealloc = &DeallocClass;
  return type;
}
const TypeInfo kMetaType = MakeMetaType();

ClassNode* NewClass(World& w, const char* name, const TypeInfo* meta = &kMetaType) {
  auto* cls = static_cast<ClassNode*>(NewObjectZeroed(w.ts, meta, sizeof(ClassNode)));
  cls->info = MakeNodeType(name);
  cls->info.flags |= kTypeHeapType;
  cls->info.dealloc = &DeallocInstance;
  cls->info.type_object = cls;
  TrackNew(cls);
  SetDeferred(w.ts, cls);
  return cls;
}

class ClassTest : public testing::Test {
 protected:
  void SetUp() override { g_deaths.clear(); }
  World w;
};

TEST_F(ClassTest, ADeferredObjectGoesOnlyByCollection) {
  ClassNode* cls = NewClass(w, "A");
  EXPECT_EQ(RefCount(cls), 1);
  w.Drop(cls);
  EXPECT_TRUE(g_deaths.empty());
  EXPECT_EQ(w.Collect().collected, 1u);
  EXPECT_EQ(g_deaths, std::vector<std::string>({"class A"}));
}

TEST_F(ClassTest, AnInstanceKeepsItsClass) {
  ClassNode* cls = NewClass(w, "A");
  Node* instance = NewNode(w.ts, &cls->info);
  w.Drop(cls);
  EXPECT_EQ(w.Collect().collected, 0u);
  EXPECT_TRUE(g_deaths.empty());
  w.CheckHeaders();
  w.Drop(instance);
  EXPECT_EQ(g_deaths, std::vector<std::string>({"instance of A"}));
  EXPECT_EQ(w.Collect().collected, 1u);
}

TEST_F(ClassTest, TheClassGoesAfterItsInstances) {
  ClassNode* cls = NewClass(w, "A");
  for (int i = 0; i < 3; ++i) w.Drop(NewRing(w.ts, 2, &cls->info));
  // The class also holds an instance, as a singleton would be held.
  Node* single = NewNode(w.ts, &cls->info);
  Set(w.ts, single, 0, cls);
  Give(w.ts, cls, 0, single);
  w.Drop(cls);
  EXPECT_EQ(w.Collect().collected, 8u);
  ASSERT_EQ(g_deaths.size(), 8u);
  EXPECT_EQ(g_deaths.back(), "class A");
}

TEST_F(ClassTest, TheMetaclassGoesLast) {
  ClassNode* meta = NewClass(w, "Meta");
  meta->info.basic_size = sizeof(ClassNode);
  meta->info.dealloc = &DeallocClass;
  ClassNode* cls = NewClass(w, "A", &meta->info);
  w.Drop(NewRing(w.ts, 2, &cls->info));
  w.Drop(meta);
  w.Drop(cls);
  EXPECT_EQ(w.Collect().collected, 4u);
  EXPECT_EQ(g_deaths, std::vector<std::string>({"instance of A", "instance of A",
                                                "class A", "class Meta"}));
}

TEST_F(ClassTest, UntrackedFrozenAndImmortalInstancesKeepTheirClass) {
  for (int how = 0; how < 3; ++how) {
    SCOPED_TRACE(how);
    g_deaths.clear();
    ClassNode* cls = NewClass(w, "A");
    Node* instance = NewNode(w.ts, &cls->info);
    w.Drop(cls);
    if (how == 0) Untrack(instance);
    if (how == 1) {
      instance->gc_bits.fetch_or(kGcFrozen, kRelaxed);
    }
    if (how == 2) SetImmortal(w.ts, instance);
    EXPECT_EQ(w.Collect().collected, 0u);
    EXPECT_TRUE(g_deaths.empty());
    EXPECT_EQ(cls->info.basic_size, sizeof(Node));
    w.CheckHeaders();
    if (how == 2) continue;
    w.Drop(instance);
    EXPECT_EQ(w.Collect().collected, 1u);
  }
}

// A deferred object that only a root names: no count says that it is alive.
TEST_F(ClassTest, ARootKeepsADeferredObject) {
  struct Root : RootSet {
    ObjectHeader* obj = nullptr;
  } root;
  root.visit = [](RootSet* self, Visitor v, void* arg) {
    ObjectHeader* obj = static_cast<Root*>(self)->obj;
    return obj == nullptr ? 0 : v(obj, arg);
  };
  w.isolate->AddRoots(&root);
  ClassNode* cls = NewClass(w, "A");
  root.obj = cls;
  w.Drop(cls);
  EXPECT_EQ(w.Collect().collected, 0u);
  root.obj = nullptr;
  EXPECT_EQ(w.Collect().collected, 1u);
  w.isolate->RemoveRoots(&root);
}

// A finalizer makes a new instance of a class that is garbage: nothing counts the class.
TEST_F(ClassTest, ANewInstanceResurrectsTheClass) {
  ClassNode* cls = NewClass(w, "A");
  cls->info.finalize = &RunOnFinalize;
  Node* fresh = nullptr;
  g_on_finalize = [&](ThreadState* ts, Node* n) {
    if (fresh == nullptr) fresh = NewNode(ts, n->type());
  };
  w.Drop(NewRing(w.ts, 1, &cls->info));
  w.Drop(cls);
  CollectStats stats = w.Collect();
  EXPECT_EQ(stats.resurrected, 1u);  // the class
  EXPECT_EQ(stats.collected, 1u);    // the old instance
  ASSERT_NE(fresh, nullptr);
  EXPECT_EQ(fresh->type(), &cls->info);
  EXPECT_TRUE(IsDeferred(cls));
  w.CheckHeaders();
  cls->info.finalize = nullptr;
  w.Drop(fresh);
  EXPECT_EQ(w.Collect().collected, 1u);
}

// An instance that survives its own collection (no clear) keeps its class.
TEST_F(ClassTest, ALeakedInstanceKeepsItsClass) {
  ClassNode* cls = NewClass(w, "A");
  cls->info.clear = nullptr;
  Node* leaked = NewRing(w.ts, 1, &cls->info);
  w.Drop(leaked);
  w.Drop(cls);
  CollectStats stats = w.Collect();
  EXPECT_EQ(stats.collected, 1u);
  EXPECT_EQ(stats.uncollectable, 1u);
  EXPECT_EQ(cls->info.basic_size, sizeof(Node));
  EXPECT_TRUE(g_deaths.empty());
  w.CheckHeaders();
  cls->info.clear = &ClearNode;
  EXPECT_EQ(w.Collect().collected, 2u);
  EXPECT_EQ(g_deaths, std::vector<std::string>({"instance of A", "class A"}));
}

// C10 with deferred counts: a frozen deferred object keeps its words.
TEST_F(ClassTest, FrozenDeferredObject) {
  ClassNode* cls = NewClass(w, "A");
  w.collector->Freeze(w.ts);
  const int64_t shared = cls->shared.load(kRelaxed);
  Node* y = NewNode(w.ts);
  Set(w.ts, y, 0, cls);
  Set(w.ts, y, 1, y);
  w.Drop(y);
  EXPECT_EQ(w.Collect().collected, 1u);
  EXPECT_EQ(RefCount(cls), 1);
  // Spread: what the test counted was in its table till the pass.
  EXPECT_TRUE(IsSpread(cls));
  EXPECT_GE(RefSharedCount(cls->shared.load(kRelaxed)), RefSharedCount(shared));
  EXPECT_EQ(cls->tid.load(kRelaxed), 0u);
  w.collector->Unfreeze(w.ts);
  w.Drop(cls);
  EXPECT_EQ(w.Collect().collected, 1u);
}

// The mark is reversible: a hot object that is made ordinary again dies by count.
TEST_F(ClassTest, DeferralCanBeTakenBack) {
  ClassNode* cls = NewClass(w, "A");
  EXPECT_TRUE(ClearDeferred(w.ts, cls));
  w.Drop(cls);
  EXPECT_EQ(g_deaths, std::vector<std::string>({"class A"}));
}

}  // namespace
}  // namespace tidepool
