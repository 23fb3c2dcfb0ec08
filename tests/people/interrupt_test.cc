// Ctrl-C: SIGINT raises KeyboardInterrupt in the main thread wherever it computes or waits, and the program ends with status 130.
//
// The signal is sent when the script has said that it is about to begin; should it come before the wait itself, the
// exception is raised there just as well.
#include "gtest/gtest.h"
#include "tidepool/tests/people/child.h"

namespace tidepool::testing {
namespace {

struct Case {
  const char* what;
  const char* code;  // after "ready" was printed
};

constexpr Case kCases[] = {
    {"a loop", "while True: pass"},
    {"a loop of calls", "def f(): pass\nwhile True: f()"},
    {"sleep", "time.sleep(10000)"},
    {"a lock", "lock = threading.Lock(); lock.acquire(); lock.acquire()"},
    {"a lock with a timeout", "lock = threading.Lock(); lock.acquire(); lock.acquire(timeout=10000)"},
    {"with a lock", "lock = threading.Lock(); lock.acquire()\nwith lock: pass"},
    {"queue.get", "queue.Queue().get()"},
    {"queue.get with a timeout", "queue.Queue().get(timeout=10000)"},
    {"queue.put", "q = queue.Queue(1); q.put(1); q.put(2)"},
    {"an event", "threading.Event().wait()"},
    {"a condition", "c = threading.Condition()\nwith c: c.wait()"},
    {"a semaphore", "threading.Semaphore(0).acquire()"},
    {"a barrier", "threading.Barrier(2).wait()"},
    {"join", "t = threading.Thread(target=time.sleep, args=(10000,), daemon=True); t.start(); t.join()"},
    {"input", "input()"},
    {"reading", "sys.stdin.read()"},
    {"sum", "sum(range(10**15))"},
    {"max", "max(itertools.count())"},
    {"any", "any(itertools.repeat(0))"},
    {"in", "print(-1 in itertools.count())"},
    {"a deque", "collections.deque(itertools.count(), maxlen=3)"},
    {"a comprehension", "[0 for i in itertools.count() if i < 0]"},
    {"a generator", "sum(i for i in itertools.count() if i < 0)"},
    {"a sort", "sorted([3, 1, 2] * 10, key=lambda x: time.sleep(1000))"},
    {"looks into a list", "x = list(range(10**6))\nwhile True: -1 in x"},
    {"unions of sets", "x = set(range(10**5))\nwhile True: x | x"},
    {"a collection", "while True: gc.collect()"},
};

constexpr char kStart[] =
    "import collections, gc, itertools, queue, sys, threading, time\n"
    "print('ready', flush=True)\n";

TEST(Interrupt, EveryWaitEnds) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.what);
    Child child(Child::kPipes, {"-c", std::string(kStart) + c.code});
    ASSERT_TRUE(child.Expect("ready")) << child.read();
    child.Signal(SIGINT);
    EXPECT_EQ(child.Wait(), 130) << child.read();
    const std::string& out = child.read();
    ASSERT_GE(out.size(), 18u);
    EXPECT_EQ(out.substr(out.size() - 18), "KeyboardInterrupt\n") << out;
    EXPECT_NE(out.find("Traceback (most recent call last):"), std::string::npos) << out;
  }
}

TEST(Interrupt, IsAnExceptionLikeOthers) {
  Child child(Child::kPipes, {"-c", std::string(kStart) +
                                        "try:\n"
                                        "    try:\n"
                                        "        time.sleep(10000)\n"
                                        "    except Exception:\n"
                                        "        print('never')\n"
                                        "    finally:\n"
                                        "        print('finally')\n"
                                        "except KeyboardInterrupt as e:\n"
                                        "    print('caught', repr(e), e.__context__)\n"
                                        "print('on')\n"
                                        "sys.exit(3)\n"});
  ASSERT_TRUE(child.Expect("ready\n")) << child.read();
  child.Signal(SIGINT);
  EXPECT_EQ(child.Wait(), 3);
  EXPECT_EQ(child.read(), "ready\nfinally\ncaught KeyboardInterrupt() None\non\n");
}

// Other threads go on; the main thread gets it, and exit functions run.
TEST(Interrupt, GoesToTheMainThread) {
  Child child(Child::kPipes, {"-c",
                              "import atexit, threading, time\n"
                              "atexit.register(print, 'exit function')\n"
                              "done = threading.Event()\n"
                              "def work():\n"
                              "    n = 0\n"
                              "    try:\n"
                              "        while not done.is_set(): n += 1\n"
                              "    except KeyboardInterrupt:\n"
                              "        print('a thread got it')\n"
                              "threads = [threading.Thread(target=work) for i in range(3)]\n"
                              "for t in threads: t.start()\n"
                              "print('ready', flush=True)\n"
                              "try:\n"
                              "    for t in threads: t.join()\n"
                              "finally:\n"
                              "    done.set()\n"
                              "    for t in threads: t.join()\n"
                              "    print('joined', flush=True)\n"});
  ASSERT_TRUE(child.Expect("ready\n")) << child.read();
  child.Signal(SIGINT);
  EXPECT_EQ(child.Wait(), 130);
  EXPECT_TRUE(child.read().find("joined\n") != std::string::npos && child.read().find("exit function\n") != std::string::npos &&
              child.read().find("a thread got it") == std::string::npos)
      << child.read();
}

// A file that is being written when it comes loses nothing, and one signal raises one exception.
TEST(Interrupt, ManySignals) {
  Child child(Child::kPipes, {"-c", std::string(kStart) +
                                        "caught = 0\n"
                                        "while caught < 20:\n"
                                        "    try:\n"
                                        "        print('next', flush=True)\n"
                                        "        while True: time.sleep(0.001)\n"
                                        "    except KeyboardInterrupt:\n"
                                        "        caught += 1\n"
                                        "print('all', caught)\n"});
  for (int i = 0; i < 20; i++) {
    ASSERT_TRUE(child.Expect("next\n")) << child.read();
    child.Signal(SIGINT);
  }
  EXPECT_EQ(child.Wait(), 0) << child.read();
  EXPECT_NE(child.read().find("all 20\n"), std::string::npos) << child.read();
}

}  // namespace
}  // namespace tidepool::testing
