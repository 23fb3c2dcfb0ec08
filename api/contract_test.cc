// The contracts of docs/c_api.md, tried: exceptions through callbacks, threads that never
// left, destructors of thread-local data, signals, forks, isolates made off the main thread
// and after each other, reports about foreign pointers.

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/tidepool.h"

namespace {

struct Thing {
  tp_header header;
  void* weakrefs;
  tp_slot other;
};

int TraverseThing(tp_object* o, tp_visitor visit, void* arg) {
  return tp_visit_slot(&reinterpret_cast<Thing*>(o)->other, visit, arg);
}
void ClearThing(tp_thread* thread, tp_object* o) {
  tp_slot_clear(thread, &reinterpret_cast<Thing*>(o)->other);
}

tp_type_def ThingDef() {
  tp_type_def def = tp_type_def_init();
  def.name = "Thing";
  def.instance_size = sizeof(Thing);
  def.traverse = &TraverseThing;
  def.clear = &ClearThing;
  def.weakref_offset = offsetof(Thing, weakrefs);
  return def;
}

tp_isolate* NewIsolate(std::vector<const char*> options = {}) {
  options.push_back(nullptr);
  tp_isolate_config config = tp_isolate_config_init();
  config.options = options.data();
  tp_error error;
  tp_isolate* isolate = tp_isolate_create(&config, &error);
  EXPECT_NE(isolate, nullptr) << error.text;
  return isolate;
}

// An object that only a collection frees.
void DropCycle(tp_thread* thread, const tp_type* type) {
  tp_object* o = tp_new(thread, type, 0);
  tp_slot_store(thread, &reinterpret_cast<Thing*>(o)->other, o);
  tp_decref(thread, o);
}

class ContractTest : public testing::Test {
 protected:
  void SetUp() override {
    testing::FLAGS_gtest_death_test_style = "threadsafe";
    isolate = NewIsolate();
    thread = tp_thread_enter(isolate, "main");
    tp_type_def def = ThingDef();
    type = tp_type_create(&def, nullptr);
  }
  void TearDown() override {
    if (thread != nullptr) {
      EXPECT_EQ(tp_check_invariants(thread, nullptr), 0u);
      EXPECT_EQ(tp_thread_leave(thread), TP_OK);
    }
    EXPECT_EQ(tp_isolate_destroy(isolate, nullptr), TP_OK);
    tp_type_destroy(type);
  }
  // On a thread of its own, this one detached meanwhile.
  void Elsewhere(const std::function<void()>& body) {
    std::thread other(body);
    tp_detach(thread);
    other.join();
    tp_attach(thread);
  }
  uint64_t Live() {
    tp_heap_stats stats = tp_heap_stats_init();
    EXPECT_EQ(tp_heap_stats_get(isolate, &stats), TP_OK);
    return stats.kind[TP_KIND_GC].live_blocks;
  }

  tp_isolate* isolate = nullptr;
  tp_thread* thread = nullptr;
  tp_type* type = nullptr;
};

// --- Exceptions. ---

using ExceptionDeathTest = ContractTest;

TEST_F(ExceptionDeathTest, OutOfAFinalizer) {
  tp_type_def def = ThingDef();
  def.finalize = [](tp_thread*, tp_object*) { throw std::runtime_error("finalizer"); };
  tp_type* throwing = tp_type_create(&def, nullptr);
  tp_object* o = tp_new(thread, throwing, 0);
  EXPECT_DEATH(tp_decref(thread, o), "finalizer");
  EXPECT_DEATH(
      {
        tp_slot_store(thread, &reinterpret_cast<Thing*>(o)->other, o);
        tp_decref(thread, o);
        tp_collect(thread, nullptr);
      },
      "finalizer");
  tp_object_abandon(thread, o);
  tp_type_destroy(throwing);
}

TEST_F(ExceptionDeathTest, OutOfTraverseWithTheWorldStopped) {
  tp_type_def def = ThingDef();
  def.traverse = [](tp_object*, tp_visitor, void*) -> int { throw std::runtime_error("walk"); };
  tp_type* throwing = tp_type_create(&def, nullptr);
  tp_object* o = tp_new(thread, throwing, 0);
  EXPECT_DEATH(tp_collect(thread, nullptr), "walk");
  tp_decref(thread, o);
  tp_type_destroy(throwing);
}

TEST_F(ExceptionDeathTest, OutOfAPostedCallAtASafepoint) {
  tp_call call = {};
  call.fn = [](tp_thread*, tp_call*) { throw std::runtime_error("posted"); };
  EXPECT_DEATH(
      {
        tp_thread_post(thread, &call);
        tp_safepoint(thread);
      },
      "posted");
}

TEST_F(ExceptionDeathTest, OutOfThePressureCallback) {
  tp_set_hard_limit(isolate, 8 << 20);
  tp_set_pressure_callback(
      isolate, [](const tp_pressure*, void*) -> int { throw std::runtime_error("pressure"); },
      nullptr);
  EXPECT_DEATH(
      {
        for (int i = 0; i < 100; ++i) tp_malloc(thread, 256 << 10);
      },
      "pressure");
}

TEST_F(ExceptionDeathTest, OutOfWeakReferencesListenersListsAndWalks) {
  tp_object* o = tp_new(thread, type, 0);
  EXPECT_DEATH(
      {
        tp_weakref_new(thread, o, [](tp_thread*, tp_weakref*, void*) { throw 1; }, nullptr,
                       nullptr);
        tp_decref(thread, o);
      },
      "terminate");
  EXPECT_DEATH(
      {
        tp_gc_listener listener = {};
        listener.stop = [](tp_thread*, const tp_collection*, void*) { throw 1; };
        tp_gc_add_listener(isolate, &listener);
        tp_collect(thread, nullptr);
      },
      "terminate");
  EXPECT_DEATH(tp_gc_objects(thread, [](tp_object*, void*) { throw 1; }, nullptr),
               "terminate");
  EXPECT_DEATH(
      tp_visit_objects(thread, [](const tp_visited*, void*) -> int { throw 1; }, nullptr),
      "terminate");
  EXPECT_DEATH(
      {
        tp_thread_set_roots(thread, [](tp_visitor, void*, void*) -> int { throw 1; }, nullptr);
        tp_collect(thread, nullptr);
      },
      "terminate");
  tp_decref(thread, o);
}

// The process ends before a frame of the library's is left: still detached, still stopped.
TEST_F(ExceptionDeathTest, NoFrameOfTheLibraryIsLeft) {
  static tp_thread* mine;
  mine = thread;
  auto say_state = [] {
    std::fputs(tp_thread_is_attached(mine) != 0 ? "ended attached\n" : "ended detached\n",
               stderr);
    std::abort();
  };
  EXPECT_DEATH(
      {
        std::set_terminate(say_state);
        tp_blocking_call(thread, [](void*) -> void* { throw 1; }, nullptr);
      },
      "ended detached");
  static std::atomic<bool> ran, stop;
  ran = stop = false;
  EXPECT_DEATH(
      {
        std::thread other([&] {
          tp_thread* t = tp_thread_enter(isolate, "other");
          while (!stop) {
            ran = true;
            tp_safepoint(t);
          }
        });
        while (!ran) std::this_thread::yield();
        std::set_terminate([] {
          ran = false;  // nobody runs who could set it again
          std::this_thread::sleep_for(std::chrono::milliseconds(50));
          std::fputs(ran ? "ended running\n" : "ended stopped\n", stderr);
          std::abort();
        });
        tp_stop_the_world(thread, [](tp_thread*, void*) { throw 1; }, nullptr);
      },
      "ended stopped");
}

// Inside a callback, and between calls of the API, exceptions are the embedder's.
TEST_F(ContractTest, ExceptionsThatStayInsideAreFine) {
  tp_type_def def = ThingDef();
  static int caught;
  caught = 0;
  def.finalize = [](tp_thread* t, tp_object*) {
    try {
      tp_safepoint(t);
      throw std::runtime_error("inside");
    } catch (const std::runtime_error&) {
      ++caught;
    }
  };
  tp_type* catching = tp_type_create(&def, nullptr);
  tp_mark mark;
  tp_mark_set(thread, &mark);
  tp_scope scope;  // must outlive the handler, which closes it
  try {
    tp_scope_open(thread, &scope);
    tp_keep(thread, tp_new(thread, catching, 0));
    throw std::runtime_error("between");
  } catch (const std::runtime_error&) {
    EXPECT_EQ(tp_unwind(thread, &mark), TP_OK);
  }
  EXPECT_EQ(caught, 1);
  DropCycle(thread, catching);
  tp_collect(thread, nullptr);
  EXPECT_EQ(caught, 2);
  EXPECT_EQ(Live(), 0u);
  tp_type_destroy(catching);
}

// --- Threads that never left. ---

TEST_F(ContractTest, AThreadThatEndsAttachedIsLeftForAndNamed) {
  testing::internal::CaptureStderr();
  tp_object* made = nullptr;
  Elsewhere([&] {
    tp_thread* t = tp_thread_enter(isolate, "forgetful");
    made = tp_new(t, type, 0);
    DropCycle(t, type);
  });
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("'forgetful' ended attached"), std::string::npos) << said;
  EXPECT_EQ(tp_isolate_thread_count(isolate), 1u);
  tp_decref(thread, made);
  EXPECT_EQ(tp_collect(thread, nullptr), 1u);
  EXPECT_EQ(Live(), 0u);
}

TEST_F(ContractTest, AThreadThatEndsDetachedIsLeftForQuietly) {
  testing::internal::CaptureStderr();
  Elsewhere([&] {
    tp_thread* t = tp_thread_enter(isolate, "blocked");
    DropCycle(t, type);
    tp_detach(t);
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(tp_isolate_thread_count(isolate), 1u);
  EXPECT_EQ(tp_collect(thread, nullptr), 1u);
}

// lakehq/sail#2457: thread data dies between two calls of one native thread.
TEST_F(ContractTest, APinnedThreadKeepsItsDataTillItEnds) {
  static std::atomic<int> destroyed;
  destroyed = 0;
  testing::internal::CaptureStderr();
  Elsewhere([&] {
    int data = 5;
    uint64_t id = 0;
    for (int i = 0; i < 100; ++i) {
      tp_thread* t = tp_thread_enter(isolate, "native");
      if (i == 0) {
        tp_thread_pin(t);
        tp_thread_set_data(t, &data, [](tp_thread* mine, void* p) {
          EXPECT_EQ(tp_thread_current(), mine);
          EXPECT_EQ(*static_cast<int*>(p), 104);
          destroyed.fetch_add(1);
        });
        id = tp_thread_id(t);
      }
      EXPECT_EQ(tp_thread_id(t), id);
      ++*static_cast<int*>(tp_thread_data(t));
      if (i == 0) --data;
      EXPECT_EQ(tp_thread_leave(t), TP_OK);
      EXPECT_EQ(tp_thread_current(), nullptr);
      EXPECT_EQ(tp_thread_find(isolate), t);
      EXPECT_EQ(destroyed, 0);
    }
    // Lives till the key's destructors have run.
    static int* leaked = nullptr;
    leaked = new int(data);
    tp_thread* t = tp_thread_enter(isolate, "native");
    tp_thread_set_data(t, leaked, [](tp_thread*, void* p) {
      EXPECT_EQ(*static_cast<int*>(p), 104);
      delete static_cast<int*>(p);
      destroyed.fetch_add(1);
    });
    EXPECT_EQ(tp_thread_leave(t), TP_OK);
  });
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(destroyed, 1);
  EXPECT_EQ(tp_isolate_thread_count(isolate), 1u);
}

uint64_t Figure(tp_isolate* isolate, const std::string& name) {
  std::string text(tp_stats_json(isolate, nullptr, 0) + 4000, 0);
  tp_stats_json(isolate, &text[0], text.size());
  const size_t at = text.find("\"" + name + "\":");
  EXPECT_NE(at, std::string::npos) << name;
  return std::strtoull(text.c_str() + at + name.size() + 3, nullptr, 10);
}

// python/cpython#146219: attach and detach per call destroys the thread's heap.
TEST_F(ContractTest, APinnedThreadThatComesOftenAbandonsNothing) {
  constexpr int kThreads = 4, kCalls = 2000;
  std::atomic<int> pinned{0};
  std::atomic<bool> go{false};
  std::vector<std::thread> threads;
  for (int n = 0; n < kThreads; ++n) {
    threads.emplace_back([&] {
      for (int i = 0; i < kCalls; ++i) {
        tp_thread* t = tp_thread_enter(isolate, "native");
        if (i == 0) {
          tp_thread_pin(t);
          ++pinned;
        }
        for (int k = 0; k < 10; ++k) tp_decref(t, tp_new(t, type, 0));
        EXPECT_EQ(tp_thread_leave(t), TP_OK);
      }
      while (!go) std::this_thread::yield();
    });
  }
  tp_detach(thread);
  while (pinned < kThreads) std::this_thread::yield();
  EXPECT_LE(Figure(isolate, "pages_made"), 40u);
  EXPECT_EQ(Figure(isolate, "pages_abandoned"), 0u);
  go = true;
  for (std::thread& t : threads) t.join();
  tp_attach(thread);
  EXPECT_EQ(tp_isolate_thread_count(isolate), 1u);  // gone for good
}

TEST_F(ContractTest, AnIsolateMayGoBeforeAThreadThatIsDetached) {
  tp_isolate* other = NewIsolate();
  std::atomic<int> step{0};
  std::thread late([&] {
    tp_thread* t = tp_thread_enter(other, "late");
    tp_error error;
    EXPECT_EQ(tp_isolate_destroy(other, &error), TP_BUSY);
    EXPECT_NE(std::string(error.text).find("late"), std::string::npos);
    tp_detach(t);
    step = 1;
    while (step != 2) std::this_thread::yield();
  });
  while (step != 1) std::this_thread::yield();
  EXPECT_EQ(tp_isolate_destroy(other, nullptr), TP_OK);
  step = 2;
  late.join();  // its end finds nothing to leave
}

// --- Destructors of thread-local data. ---

struct UsesTheApi {
  tp_isolate* isolate = nullptr;
  const tp_type* type = nullptr;
  tp_object* object = nullptr;
  ~UsesTheApi() {
    if (isolate == nullptr) return;
    tp_thread* t = tp_thread_find(isolate);
    const bool fresh = t == nullptr || !tp_thread_is_attached(t);
    if (fresh) t = tp_thread_enter(isolate, "destructor");
    EXPECT_NE(t, nullptr);
    if (t == nullptr) return;
    if (object != nullptr) tp_decref(t, object);
    DropCycle(t, type);
    tp_safepoint(t);
    tp_free(t, tp_malloc(t, 1000));
    if (fresh) {
      EXPECT_EQ(tp_thread_leave(t), TP_OK);
    }
    ran.fetch_add(1);
  }
  static std::atomic<int> ran;
};
std::atomic<int> UsesTheApi::ran{0};
thread_local UsesTheApi t_uses;

TEST_F(ContractTest, DestructorsOfThreadLocalsMayUseTheApi) {
  UsesTheApi::ran = 0;
  for (int kind = 0; kind < 3; ++kind) {  // left; detached; pinned
    Elsewhere([&] {
      t_uses.isolate = isolate;
      t_uses.type = type;
      tp_thread* t = tp_thread_enter(isolate, "short");
      t_uses.object = tp_new(t, type, 0);
      if (kind == 2) tp_thread_pin(t);
      if (kind == 1) {
        tp_detach(t);
      } else {
        EXPECT_EQ(tp_thread_leave(t), TP_OK);
      }
    });
  }
  EXPECT_EQ(UsesTheApi::ran, 3);
  EXPECT_EQ(tp_isolate_thread_count(isolate), 1u);
  EXPECT_EQ(tp_collect(thread, nullptr), 3u);
  EXPECT_EQ(Live(), 0u);
}

// Keys made before and after the library's, whose destructors run in several rounds.
struct KeyUser {
  pthread_key_t key;
  tp_isolate* isolate;
  const tp_type* type;
  std::atomic<int> calls{0};
};
void KeyDestructor(void* p) {
  auto* user = static_cast<KeyUser*>(p);
  const int round = user->calls.fetch_add(1);
  tp_thread* t = tp_thread_enter(user->isolate, "key");
  ASSERT_NE(t, nullptr);
  DropCycle(t, user->type);
  tp_safepoint(t);
  EXPECT_EQ(tp_thread_leave(t), TP_OK);
  if (round % 3 != 2) pthread_setspecific(user->key, p);
}

TEST_F(ContractTest, DestructorsOfThreadKeysMayUseTheApi) {
  KeyUser before, after;
  ASSERT_EQ(pthread_key_create(&before.key, &KeyDestructor), 0);
  tp_isolate* other = NewIsolate({"gc_policy=manual"});
  ASSERT_EQ(pthread_key_create(&after.key, &KeyDestructor), 0);
  before.isolate = after.isolate = other;
  before.type = after.type = type;
  for (int i = 0; i < 5; ++i) {
    Elsewhere([&] {
      pthread_setspecific(before.key, &before);
      pthread_setspecific(after.key, &after);
      tp_thread* t = tp_thread_enter(other, "short");
      DropCycle(t, type);
      tp_detach(t);  // and never leaves
    });
  }
  EXPECT_EQ(before.calls, 15);
  EXPECT_EQ(after.calls, 15);
  EXPECT_EQ(tp_isolate_thread_count(other), 0u);
  tp_detach(thread);
  tp_thread* here = tp_thread_enter(other, "main");
  EXPECT_EQ(tp_collect(here, nullptr), 35u);
  EXPECT_EQ(tp_thread_leave(here), TP_OK);
  EXPECT_EQ(tp_isolate_destroy(other, nullptr), TP_OK);
  tp_attach(thread);
  pthread_key_delete(before.key);
  pthread_key_delete(after.key);
}

// --- Signals. ---

std::atomic<tp_thread*> g_target;
tp_call g_calls[64];
std::atomic<unsigned> g_posted;
std::atomic<unsigned> g_signals;

void SignalHandler(int) {
  tp_thread* target = g_target.load();
  if (target == nullptr) return;
  g_signals.fetch_add(1);
  if (tp_thread_current() == target && tp_abi_serves(tp_abi_version())) {
    tp_thread_break(target);
  }
  if (tp_safepoint_wanted(target)) {
    const unsigned i = g_posted.fetch_add(1);
    if (i < 64) tp_thread_post(target, &g_calls[i]);
  }
}

TEST_F(ContractTest, SignalHandlersMayAskForASafepoint) {
  struct sigaction action = {}, old;
  action.sa_handler = &SignalHandler;
  ASSERT_EQ(sigaction(SIGUSR2, &action, &old), 0);
  static std::atomic<unsigned> ran, breaks;
  ran = breaks = 0;
  g_posted = g_signals = 0;
  for (tp_call& call : g_calls) {
    call = {};
    call.fn = [](tp_thread*, tp_call*) { ran.fetch_add(1); };
  }
  tp_thread_set_break_handler(thread, [](tp_thread*, void*) { breaks.fetch_add(1); }, nullptr);
  g_target = thread;
  std::atomic<bool> stop{false};
  const pthread_t target = pthread_self();
  std::thread sender([&] {
    while (!stop) {
      pthread_kill(target, SIGUSR2);
      std::this_thread::yield();
    }
  });
  // In the middle of everything: allocation, frees, counts, collections, safepoints.
  for (int i = 0; i < 20000 || g_signals < 200; ++i) {
    DropCycle(thread, type);
    tp_free(thread, tp_malloc(thread, static_cast<size_t>(i % 3000)));
    tp_safepoint(thread);
    if (i % 5000 == 0) tp_collect(thread, nullptr);
  }
  stop = true;
  sender.join();
  tp_safepoint(thread);
  g_target = nullptr;
  ASSERT_EQ(sigaction(SIGUSR2, &old, nullptr), 0);
  EXPECT_GT(breaks, 0u);
  EXPECT_LE(breaks, g_signals);
  EXPECT_EQ(ran, std::min(g_posted.load(), 64u));
}

// --- Processes and isolates. ---

// python/cpython#123022: started off the main thread, which attaches later.
TEST(ContractIsolateTest, MadeOnAWorkerThatEnds) {
  tp_isolate* isolate = nullptr;
  tp_type* type = nullptr;
  tp_object* made = nullptr;
  std::thread worker([&] {
    isolate = NewIsolate();
    tp_type_def def = ThingDef();
    type = tp_type_create(&def, nullptr);
    tp_thread* t = tp_thread_enter(isolate, "worker");
    made = tp_new(t, type, 100);
    DropCycle(t, type);
    EXPECT_EQ(tp_thread_leave(t), TP_OK);
  });
  worker.join();
  tp_thread* t = tp_thread_enter(isolate, "main");
  ASSERT_NE(t, nullptr);
  tp_decref(t, made);
  EXPECT_EQ(tp_collect(t, nullptr), 1u);
  // The report crashed after 30 TiB in all. Here it is 32, of memory that is never touched.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  const uint64_t much = uint64_t{1} << 34;  // each byte is marked
  size_t step = size_t{256} << 20;
#else
  const uint64_t much = uint64_t{1} << 45;
  size_t step = size_t{32} << 30;
#endif
  uint64_t total = 0;
  while (total < much && step > size_t{64} << 20) {
    void* block = tp_malloc(t, step);
    if (block == nullptr) {
      step /= 2;  // a small machine
      continue;
    }
    total += step;
    tp_free(t, block);
    tp_safepoint(t);
  }
  tp_purge(isolate);
  tp_heap_stats stats = tp_heap_stats_init();
  EXPECT_EQ(tp_heap_stats_get(isolate, &stats), TP_OK);
  EXPECT_LT(stats.committed_bytes, uint64_t{64} << 20);
  EXPECT_EQ(tp_collect(t, nullptr), 0u);
  EXPECT_EQ(tp_check_invariants(t, nullptr), 0u);
  EXPECT_EQ(tp_thread_leave(t), TP_OK);
  EXPECT_EQ(tp_isolate_destroy(isolate, nullptr), TP_OK);
  tp_type_destroy(type);
}

// Side by side on several threads, and after each other: each thread has an isolate of its
// own, and all of them visit one that is shared.
TEST(ContractIsolateTest, SideBySideAndAfterEachOther) {
  tp_isolate* shared = NewIsolate();
  tp_type_def def = ThingDef();
  tp_type* type = tp_type_create(&def, nullptr);
  std::vector<std::thread> threads;
  for (int n = 0; n < 4; ++n) {
    threads.emplace_back([&] {
      for (int round = 0; round < 25; ++round) {
        tp_isolate* own = NewIsolate({"gc_policy=manual"});
        tp_thread* here = tp_thread_enter(own, "own");
        for (int i = 0; i < 50; ++i) DropCycle(here, type);
        tp_detach(here);
        tp_thread* there = tp_thread_enter(shared, "visitor");
        for (int i = 0; i < 50; ++i) DropCycle(there, type);
        tp_safepoint(there);
        EXPECT_EQ(tp_thread_leave(there), TP_OK);
        tp_attach(here);
        EXPECT_EQ(tp_collect(here, nullptr), 50u);
        EXPECT_EQ(tp_thread_leave(here), TP_OK);
        EXPECT_EQ(tp_isolate_destroy(own, nullptr), TP_OK);
      }
    });
  }
  for (std::thread& t : threads) t.join();
  tp_thread* t = tp_thread_enter(shared, "main");
  tp_collect(t, nullptr);
  EXPECT_EQ(tp_check_invariants(t, nullptr), 0u);
  tp_heap_stats stats = tp_heap_stats_init();
  tp_heap_stats_get(shared, &stats);
  EXPECT_EQ(stats.kind[TP_KIND_GC].live_blocks, 0u);
  EXPECT_EQ(tp_thread_leave(t), TP_OK);
  EXPECT_EQ(tp_isolate_destroy(shared, nullptr), TP_OK);
  tp_type_destroy(type);
}

// python/cpython#124149: threads are at work while the runtime is to be shut down. The
// shutdown is refused and names one, until they have left; then all starts again.
TEST(ContractIsolateTest, ShutDownBesideBusyThreads) {
  tp_type_def def = ThingDef();
  tp_type* type = tp_type_create(&def, nullptr);
  for (int round = 0; round < 10; ++round) {
    tp_isolate* isolate = NewIsolate();
    std::atomic<int> entered{0};
    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int n = 0; n < 8; ++n) {
      threads.emplace_back([&] {
        tp_thread* t = tp_thread_enter(isolate, "daemon");
        ++entered;
        while (!stop) {
          tp_object* o = tp_new(t, type, 0);
          tp_object* weak =
              reinterpret_cast<tp_object*>(tp_weakref_new(t, o, nullptr, nullptr, nullptr));
          tp_decref(t, o);
          tp_decref(t, weak);
          tp_safepoint(t);
        }
        EXPECT_EQ(tp_thread_leave(t), TP_OK);
      });
    }
    while (entered < 8) std::this_thread::yield();
    tp_error error;
    EXPECT_EQ(tp_isolate_destroy(isolate, &error), TP_BUSY);
    EXPECT_NE(std::string(error.text).find("daemon"), std::string::npos) << error.text;
    stop = true;
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(tp_isolate_destroy(isolate, &error), TP_OK);
  }
  tp_type_destroy(type);
}

// microsoft/mimalloc#1198: forked by a thread that is not the main one, while others run.
TEST_F(ContractTest, ForkedByAWorker) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> busy;
  for (int n = 0; n < 3; ++n) {
    busy.emplace_back([&] {
      tp_thread* t = tp_thread_enter(isolate, "busy");
      for (int i = 0; !stop; ++i) {
        if (i % 64 == 0) DropCycle(t, type);
        tp_decref(t, tp_new(t, type, 40));
        tp_safepoint(t);
      }
      tp_thread_leave(t);
    });
  }
  // A fork must not come while a thread starts: see wait_for_threads in c_user_threads.c.
  while (tp_isolate_thread_count(isolate) < 4) {
    tp_safepoint(thread);
    std::this_thread::yield();
  }
  Elsewhere([&] {
    for (int i = 0; i < 5; ++i) {
      tp_thread* t = tp_thread_enter(isolate, "forker");
      tp_fork_prepare(t);
      const pid_t pid = fork();
      if (pid == 0) {
        tp_fork_child(t);
        for (int k = 0; k < 1000; ++k) DropCycle(t, type);
        const bool ok = tp_collect(t, nullptr) >= 1000 &&
                        tp_check_invariants(t, nullptr) == 0 &&
                        tp_isolate_thread_count(isolate) == 1 &&
                        tp_thread_leave(t) == TP_OK &&
                        tp_isolate_destroy(isolate, nullptr) == TP_OK;
        _exit(ok ? 0 : 1);
      }
      tp_fork_parent(t);
      tp_detach(t);
      int status = -1;
      waitpid(pid, &status, 0);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
      tp_attach(t);
      EXPECT_EQ(tp_thread_leave(t), TP_OK);
    }
  });
  stop = true;
  tp_detach(thread);
  for (std::thread& t : busy) t.join();
  tp_attach(thread);
}

// --- Pointers that are not ours. ---

TEST_F(ContractTest, AForeignPointerIsRefusedWithAReport) {
  int mine[16] = {7};
  testing::internal::CaptureStderr();
  tp_free(thread, mine);
  EXPECT_EQ(tp_realloc(thread, mine, 100), nullptr);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("refused to free"), std::string::npos) << said;
  EXPECT_EQ(mine[0], 7);
  tp_heap_stats stats = tp_heap_stats_init();
  tp_heap_stats_get(isolate, &stats);
  EXPECT_GE(stats.bad_frees, 1u);
}

using ForeignPointerDeathTest = ContractTest;
TEST_F(ForeignPointerDeathTest, OrEndsTheProcessIfSoChosen) {
  EXPECT_DEATH(
      {
        tp_isolate* strict = NewIsolate({"bad_free=abort"});
        tp_detach(thread);
        tp_thread* t = tp_thread_enter(strict, "strict");
        int mine[16];
        tp_free(t, mine);
      },
      "refused to free");
}

using LongJumpDeathTest = ContractTest;
TEST_F(LongJumpDeathTest, ASlotOfTheOtherKindIsNamed) {
  Thing* holder = reinterpret_cast<Thing*>(tp_new(thread, type, 0));
  tp_object* plain = nullptr;
  Elsewhere([&] {
    tp_thread* t = tp_thread_enter(isolate, "other");
    plain = tp_new(t, type, 0);
    tp_value old = tp_slot_swap_locked(&holder->other, reinterpret_cast<tp_value>(plain));
    EXPECT_EQ(old, 0u);
    tp_detach(t);
  });
  // Made by another thread and never marked as shared: no lock-free way to it.
  EXPECT_DEATH(tp_slot_load(thread, &holder->other), "tp_slot_swap_locked");
  tp_decref(thread, reinterpret_cast<tp_object*>(holder));
}

// Debug builds name the function that was called in the wrong state.
TEST(WrongStateTest, IsNamedInDebugBuilds) {
#ifdef NDEBUG
  GTEST_SKIP() << "not looked at in this build";
#endif
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  tp_isolate* isolate = NewIsolate();
  tp_thread* thread = tp_thread_enter(isolate, "main");
  tp_type_def def = ThingDef();
  tp_type* type = tp_type_create(&def, nullptr);
  tp_object* object = tp_new(thread, type, 0);
  EXPECT_DEATH(std::thread([&] { tp_decref(thread, object); }).join(),
               "tp_decref: the calling thread is not attached .*attached nowhere");
  EXPECT_DEATH(tp_new(nullptr, type, 0), "tp_new: the calling thread .*NULL");
  tp_detach(thread);
  EXPECT_DEATH(tp_malloc(thread, 10), "tp_malloc: the calling thread is not attached");
  tp_attach(thread);
  tp_decref(thread, object);
  tp_thread_leave(thread);
  tp_isolate_destroy(isolate, nullptr);
  tp_type_destroy(type);
}

}  // namespace
