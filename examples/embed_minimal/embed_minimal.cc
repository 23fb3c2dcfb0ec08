// A small embedder: a persistent map from words to counts as a shared binary tree, built by
// several threads, with a cycle in every node (child to parent) so that counting alone
// cannot free what is replaced. Prints what it found; exit status 0 if all is well.
//
// Shows: types with fields, references, lock-free reads beside writers, a lock around a
// read-modify-write, safepoints, blocking, collections, figures.

#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "tidepool/api/tidepool_cc.h"
#include "tidepool/base/thread.h"

namespace {

using tidepool::Field;
using tidepool::New;
using tidepool::ObjectOf;
using tidepool::Ref;
using tidepool::ThreadScope;
using tidepool::ThreadState;

struct Entry : ObjectOf<Entry> {
  static constexpr const char* kTypeName = "Entry";
  Field<Entry> left, right, parent;
  unsigned key;
  unsigned count;

  template <class Visit>
  void Fields(Visit&& visit) {
    visit(left);
    visit(right);
    visit(parent);
  }
  void Init(unsigned k, unsigned n) {
    key = k;
    count = n;
  }
};

struct Map : ObjectOf<Map> {
  static constexpr const char* kTypeName = "Map";
  Field<Entry> root;
  template <class Visit>
  void Fields(Visit&& visit) {
    visit(root);
  }
};

// A new tree with `key` counted once more; the old one is not changed. Null: no memory.
Ref<Entry> Counted(ThreadState* ts, const Ref<Entry>& old, unsigned key) {
  if (!old) return New<Entry>(ts, key, 1u);
  Ref<Entry> made = New<Entry>(ts, old->key, old->count + (old->key == key ? 1 : 0));
  if (!made) return made;
  for (bool left : {true, false}) {
    const bool changed = left ? key < old->key : key > old->key;
    Ref<Entry> child = (left ? old->left : old->right).Get(ts);
    if (changed) {
      child = Counted(ts, child, key);
      if (!child) return child;
    }
    if (child) child->parent.Set(ts, made.Clone());  // the cycle
    (left ? made->left : made->right).Set(ts, std::move(child));
  }
  return made;
}

unsigned Total(ThreadState* ts, const Ref<Entry>& e) {
  return e ? e->count + Total(ts, e->left.Get(ts)) + Total(ts, e->right.Get(ts)) : 0;
}

void Work(tidepool::Vm& vm, Map* map, unsigned seed, unsigned rounds) {
  ThreadScope thread(vm, "worker");
  if (!thread) return;
  ThreadState* ts = thread.ts();
  for (unsigned i = 0; i < rounds; ++i) {
    seed = seed * 1664525u + 1013904223u;
    {
      // One writer at a time; readers go on. The section is given up if the thread blocks.
      tidepool::CriticalSection section(ts, map);
      Ref<Entry> made = Counted(ts, map->root.Get(ts), (seed >> 16) % 200);
      if (made) map->root.Set(ts, std::move(made));
    }
    Total(ts, map->root.Get(ts));  // reads the whole tree without a lock
    ts->Safepoint();
  }
}

}  // namespace

int main() {
  auto options = tidepool::Options::FromEnvironment();
  if (!options.ok()) {
    std::fprintf(stderr, "%s\n", std::string(options.status().message()).c_str());
    return 2;
  }
  auto vm = tidepool::Vm::Create(*options);
  if (!vm.ok()) {
    std::fprintf(stderr, "%s\n", std::string(vm.status().message()).c_str());
    return 2;
  }
  constexpr unsigned kThreads = 3, kRounds = 2000;
  ThreadScope main_thread(**vm, "main");
  ThreadState* ts = main_thread.ts();
  Ref<Map> map = New<Map>(ts);
  std::vector<tidepool::Thread> threads(kThreads);
  for (unsigned t = 0; t < kThreads; ++t) {
    if (!threads[t].Start([&, t] { Work(**vm, map.get(), t, kRounds); })) return 3;
  }
  {
    tidepool::DetachedScope waiting(ts);
    for (tidepool::Thread& thread : threads) thread.Join();
  }
  const unsigned total = Total(ts, map->root.Get(ts));
  std::printf("counted %u words with %u threads\n", total, kThreads);
  (*vm)->Collect(ts);
  uint64_t live = 0;
  (*vm)->collector().VisitObjects(ts, [&](const auto&) { ++live; });
  map.reset();
  const uint64_t rest = (*vm)->Collect(ts);
  std::printf("%llu objects were alive, %llu more were garbage without the map\n",
              static_cast<unsigned long long>(live), static_cast<unsigned long long>(rest));
  return total == kThreads * kRounds && live <= 1 + 2 * 200 + 1 ? 0 : 1;
}
