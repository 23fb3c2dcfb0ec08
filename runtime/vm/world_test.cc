// Worlds can be made and destroyed again and again, one after the other and side by side on different threads, and
// running out of memory at any point is an error, not a crash.
#include <string>

#include "gtest/gtest.h"
#include "tidepool/base/fake_os.h"
#include "tidepool/base/single_thread_testing.h"
#include "tidepool/base/thread.h"
#include "tidepool/object/isolate.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/vm/call.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/import.h"
#include "tidepool/runtime/vm/protocol.h"
#include "tidepool/runtime/vm/runtime.h"

namespace tidepool::rt {
namespace {

Options SmallOptions() {
  Options o;
  o.arena_reserve = 8 << 20;
  return o;
}

constexpr char kScript[] = R"(
import threading, weakref, gc
class Node:
    def __init__(self, value):
        self.value = value
        self.me = self
def squares(n):
    for i in range(n):
        yield i * i
total = sum(squares(100))
nodes = [Node(i) for i in range(100)]
w = weakref.ref(nodes[5])
del nodes
gc.collect()
assert w() is None
results = []
def work(n):
    results.append(sum(squares(n)))
threads = [threading.Thread(target=work, args=(10,)) for _ in range(2)]
for t in threads: t.start()
for t in threads: t.join()
assert results == [285, 285], results
assert total == 328350
raise SystemExit(7)
)";

TEST(World, RunsAndEnds) {
  for (int i = 0; i < 3; i++) {
    auto w = World::Create(SmallOptions(), RuntimeOptions());
    ASSERT_TRUE(w.ok()) << w.status();
    EXPECT_EQ((*w)->RunMain(kScript, "test.py"), 7);
  }
}

// Under a limit, and with a policy that never collects by itself: what cycles hold is no reason for a MemoryError, be it
// small nodes or big blocks; what is live is one, and afterwards the script goes on.
TEST(World, GarbageInCyclesIsCollectedBeforeTheLimitRefuses) {
  TIDEPOOL_SINGLE_THREAD_TEST();
  constexpr char kSmall[] = R"(
class Node:
    def __init__(self):
        self.me = self
        self.more = [self, 1.5, (self,)]
for i in range(300000):
    Node()
raise SystemExit(3)
)";
  constexpr char kBig[] = R"(
class Block:
    def __init__(self, data):
        self.me = self
        self.data = data
for i in range(60):
    Block(bytes(5 << 20))
    Block(bytearray(3 << 20))
    Block(b"x" * (4 << 20))
    Block([None] * (1 << 19))
raise SystemExit(3)
)";
  // Displays, and lists, dicts and sets that grow.
  constexpr char kDisplays[] = R"(
def work():
    for i in range(150000):
        a = [i, None, 2, 3]
        a[1] = a
        t = ([],)
        t[0].append(t)
        d = {}
        d["d"] = d
        b = []
        b.extend((b, a, t, d))
work()
raise SystemExit(3)
)";
  constexpr char kLive[] = R"(
keep = []
failures = 0
for i in range(40):
    try:
        keep.append(bytes(4 << 20))
    except MemoryError:
        failures += 1
assert 5 < len(keep) < 20 and failures == 40 - len(keep), (len(keep), failures)
del keep[:]
keep.append(bytes(16 << 20))
raise SystemExit(3)
)";
  for (const char* script : {kSmall, kBig, kDisplays, kLive}) {
    Options options = SmallOptions();
    options.max_memory = 48 << 20;
    ASSERT_TRUE(options.Set("gc_policy", "manual").ok());
    auto w = World::Create(options, RuntimeOptions());
    ASSERT_TRUE(w.ok()) << w.status();
    EXPECT_EQ((*w)->RunMain(script, "test.py"), 3) << script;
  }
}

TEST(World, TwoAtOnceOnTwoThreads) {
  int status[2] = {};
  Thread threads[2];
  for (int i = 0; i < 2; i++) {
    int* out = &status[i];
    ASSERT_TRUE(threads[i].Start([out] {
      auto w = World::Create(SmallOptions(), RuntimeOptions());
      *out = w.ok() ? (*w)->RunMain(kScript, "test.py") : -1;
    }, size_t{8} << 20));
  }
  for (Thread& t : threads) t.Join();
  EXPECT_EQ(status[0], 7);
  EXPECT_EQ(status[1], 7);
}

TEST(World, CallsFromNativeCode) {
  auto world = World::Create(SmallOptions(), RuntimeOptions());
  ASSERT_TRUE(world.ok());
  Context& cx = (*world)->cx();
  ASSERT_EQ((*world)->RunMain("def f(a, b=2, *, c=3): return a * 100 + b * 10 + c\n", "t.py"), 0);
  Ref main = ImportModule(cx, "__main__");
  ASSERT_TRUE(main);
  Ref f = GetAttr(cx, main, "f");
  ASSERT_TRUE(f);
  Ref r = Call(cx, f, Value::Small(1));
  ASSERT_TRUE(r);
  EXPECT_EQ(r.get().small_int(), 123);
  r = Call(cx, f, Value::Small(4), Value::Small(5));
  ASSERT_TRUE(r);
  EXPECT_EQ(r.get().small_int(), 453);
  r = Call(cx, f);
  EXPECT_FALSE(r);
  EXPECT_TRUE(PendingIs(cx, cx.rt.exc.TypeError));
  EXPECT_EQ(Text(cx, cx.exception()), "f() missing 1 required positional argument: 'a'");
  cx.ClearException();
}

// Frames lie on the thread's stack, small numbers in the values: what only calls, counts and stores makes no object.
TEST(World, CallsThatNeedNoMemoryAllocateNothing) {
  constexpr char kScript[] = R"(
class Account:
    __slots__ = ("total",)
    def __init__(self):
        self.total = 0.5
    def add(self, x):
        self.total = self.total * 0.5 + x
        return self.total
class Counter:
    rate = 3
    def __init__(self):
        self.n = 0
        self.scale = 1.0
    def step(self, by=1):
        self.n = (self.n + by * self.rate) & 0xffff
        self.scale = self.scale * 0.75 + self.n
account = Account()
counter = Counter()
items = [0.5] * 8
table = {"k": 1.25, 3: 1}
def plain(a, b, c=3):
    return a + b * c
def deep(n):
    return n if n < 2 else deep(n - 1) + 1
def nothing(n):
    total, other = 0, 1
    for i in range(n):
        total = plain(total, i) & 1023
        total += plain(1, b=2) + deep(9) + len(items)
        total, other = other, total
        account.add(1)
        counter.step()
        counter.step(by=2)
        items[i & 7] = items[i + 1 & 7] * 0.5 + 0.25
        table["k"] = table["k"] * 0.5 + table[3]
        if total is None or total != total or "k" not in table:
            break
    return total
def tuples(n):
    for i in range(n):
        t = (i, n)
)";
  Options options = SmallOptions();
  options.fail_allocation = INT64_MAX;  // never, but counted
  auto world = World::Create(options, RuntimeOptions());
  ASSERT_TRUE(world.ok());
  Context& cx = (*world)->cx();
  ASSERT_EQ((*world)->RunMain(kScript, "t.py"), 0);
  Ref main = ImportModule(cx, "__main__");
  ASSERT_TRUE(main);
  auto allocations = [&](const char* function, int64_t rounds) {
    Ref f = GetAttr(cx, main, function);
    const uint64_t before = cx.rt.isolate->heap().allocations_counted();
    Ref r = f ? Call(cx, f, Value::Small(rounds)) : nullptr;
    EXPECT_TRUE(r);
    return cx.rt.isolate->heap().allocations_counted() - before;
  };
  for (const char* function : {"nothing", "tuples"}) allocations(function, 100);  // caches are filled
  EXPECT_EQ(allocations("nothing", 1000), allocations("nothing", 2000));
  EXPECT_GE(allocations("tuples", 2000), allocations("tuples", 1000) + 1000);
}

TEST(World, SyntaxErrorIsAnException) {
  auto world = World::Create(SmallOptions(), RuntimeOptions());
  ASSERT_TRUE(world.ok());
  EXPECT_EQ(CompileSource((*world)->cx(), "x = = 1\n", "bad.py"), nullptr);
  EXPECT_TRUE(PendingIs((*world)->cx(), (*world)->rt().exc.SyntaxError));
  (*world)->cx().ClearException();
}

// Every request to the OS fails once, from the first to the last one of a whole run.
TEST(World, SurvivesRefusals) {
  TIDEPOOL_SINGLE_THREAD_TEST();
  int finished = 0;
  for (uint64_t n = 1; n < 400; n++) {
    FakeOs os;
    os.FailNth(n, FakeOs::kMemory);
    auto w = World::Create(SmallOptions(), RuntimeOptions(), &os);
    if (w.ok()) {
      const int status = (*w)->RunMain(kScript, "test.py");
      EXPECT_TRUE(status == 7 || status == 1) << n;
      w->reset();
    }
    if (!os.failed()) {
      finished = 1;
      break;
    }
  }
  EXPECT_EQ(finished, 1);
}

TEST(World, MemoryLimitIsMemoryError) {
  TIDEPOOL_SINGLE_THREAD_TEST();
  Options o = SmallOptions();
  o.max_memory = 48 << 20;
  auto world = World::Create(o, RuntimeOptions());
  ASSERT_TRUE(world.ok());
  constexpr char kHungry[] = R"(
def fill(make):
    keep = []
    try:
        while True:
            keep.append(make())
    except MemoryError:
        return len(keep) > 0
class C:
    pass
def instance():
    c = C()
    c.a = c.b = 1
    return c
for i in range(3):
    assert fill(lambda: "x" * 100000)
    assert fill(lambda: [1, 2, 3])
    assert fill(lambda: {1: 2})
    assert fill(instance)
)";
  EXPECT_EQ((*world)->RunMain(kHungry, "hungry.py"), 0);
}

}  // namespace
}  // namespace tidepool::rt
