// The layout for code generators, tried: x86-64 machine code is made from nothing but
// tp_layout(), put into a page, and run against the library, also from several threads.
// The table of docs/codegen.md is compared with the running library.

#include <pthread.h>
#include <sys/mman.h>

#include <atomic>
#include <cstring>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tidepool/tidepool.h"

namespace {

#if defined(__x86_64__)

// Bytes of machine code; jumps are short and patched when their label is known.
class Code {
 public:
  Code() {
    page_ = static_cast<uint8_t*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  ~Code() { munmap(page_, 4096); }
  void Bytes(std::initializer_list<int> bytes) {
    for (int b : bytes) page_[used_++] = static_cast<uint8_t>(b);
  }
  template <class T>
  void Word(T value) {
    std::memcpy(page_ + used_, &value, sizeof(value));
    used_ += sizeof(value);
  }
  size_t ShortJump(int opcode) {  // returns what Here() patches
    Bytes({opcode, 0});
    return used_ - 1;
  }
  void Here(size_t jump) { page_[jump] = static_cast<uint8_t>(used_ - jump - 1); }
  template <class Fn>
  void TailCall(Fn* fn) {
    Bytes({0x48, 0xB8});  // mov rax, imm64
    Word(reinterpret_cast<uint64_t>(fn));
    Bytes({0xFF, 0xE0});  // jmp rax
  }
  size_t Start() {
    used_ = (used_ + 15) / 16 * 16;
    return used_;
  }
  void Finish() { ASSERT_EQ(mprotect(page_, 4096, PROT_READ | PROT_EXEC), 0); }
  template <class Fn>
  Fn* At(size_t start) {
    return reinterpret_cast<Fn*>(page_ + start);
  }

 private:
  uint8_t* page_;
  size_t used_ = 0;
};

class CodegenTest : public testing::Test {
 protected:
  using Incref = void(tp_object*);
  using Decref = void(tp_thread*, tp_object*);
  using Safepoint = void(tp_thread*);
  using Current = tp_thread*();

  void SetUp() override {
    const tp_layout_info& l = *tp_layout();
    ASSERT_EQ(l.layout_version, 1u);
    ASSERT_EQ(l.tid_source, unsigned{TP_TID_X86_64_FS0});
    // The encodings below have displacements of one byte.
    ASSERT_LT(l.shared_offset, 128u);
    ASSERT_LT(l.breaker_offset, 128u);
    const int tid = static_cast<int>(l.tid_offset), local = static_cast<int>(l.local_offset),
              shared = static_cast<int>(l.shared_offset),
              breaker = static_cast<int>(l.breaker_offset);

    const size_t incref_at = code_.Start();                   // rdi: object
    code_.Bytes({0x64, 0x48, 0x8B, 0x04, 0x25, 0, 0, 0, 0});  // mov rax, fs:[0]
    code_.Bytes({0x48, 0x39, 0x47, tid});                     // cmp [rdi+tid], rax
    size_t foreign = code_.ShortJump(0x75);                   // jne foreign
    code_.Bytes({0x8B, 0x47, local});                         // mov eax, [rdi+local]
    code_.Bytes({0x3D});                                      // cmp eax, limit
    code_.Word(l.local_limit);
    const size_t slow = code_.ShortJump(0x73);                // jae slow
    code_.Bytes({0xFF, 0xC0});                                // inc eax
    code_.Bytes({0x89, 0x47, local});                         // mov [rdi+local], eax
    code_.Bytes({0xC3});                                      // ret
    code_.Here(foreign);
    code_.Bytes({0x81, 0x7F, local});                         // cmp [rdi+local], special
    code_.Word(l.special_local);
    size_t special = code_.ShortJump(0x73);                   // jae slow
    code_.Bytes({0xF0, 0x48, 0x83, 0x47, shared, static_cast<int>(l.shared_one)});
                                                              // lock add [rdi+shared], one
    code_.Bytes({0xC3});                                      // ret
    code_.Here(slow);
    code_.Here(special);
    code_.TailCall(l.incref_slow);

    const size_t decref_at = code_.Start();                   // rdi: thread, rsi: object
    code_.Bytes({0x64, 0x48, 0x8B, 0x04, 0x25, 0, 0, 0, 0});  // mov rax, fs:[0]
    code_.Bytes({0x48, 0x39, 0x46, tid});                     // cmp [rsi+tid], rax
    foreign = code_.ShortJump(0x75);                          // jne foreign
    code_.Bytes({0x83, 0x6E, local, 1});                      // sub dword [rsi+local], 1
    const size_t zero = code_.ShortJump(0x76);                // jbe zero
    code_.Bytes({0xC3});                                      // ret
    code_.Here(zero);
    code_.TailCall(l.decref_local_zero);
    code_.Here(foreign);
    code_.Bytes({0x81, 0x7E, local});                         // cmp [rsi+local], special
    code_.Word(l.special_local);
    special = code_.ShortJump(0x73);                          // jae special
    code_.TailCall(l.decref_shared);
    code_.Here(special);
    code_.TailCall(l.decref_slow);

    const size_t safepoint_at = code_.Start();                // rdi: thread
    code_.Bytes({0x83, 0x7F, breaker, 0});                    // cmp dword [rdi+breaker], 0
    const size_t wanted = code_.ShortJump(0x75);              // jne wanted
    code_.Bytes({0xC3});                                      // ret
    code_.Here(wanted);
    code_.TailCall(l.safepoint_slow);

    const size_t current_at = code_.Start();
    code_.Bytes({0x64, 0x48, 0x8B, 0x04, 0x25});              // mov rax, fs:[offset]
    code_.Word(static_cast<int32_t>(l.current_offset));
    code_.Bytes({0xC3});                                      // ret
    code_.Finish();
    incref_ = code_.At<Incref>(incref_at);
    decref_ = code_.At<Decref>(decref_at);
    safepoint_ = code_.At<Safepoint>(safepoint_at);
    current_ = code_.At<Current>(current_at);

    isolate_ = tp_isolate_create(nullptr, nullptr);
    ASSERT_NE(isolate_, nullptr);
    thread_ = tp_thread_enter(isolate_, "main");
    tp_type_def def = tp_type_def_init();
    def.destroy = [](tp_thread*, tp_object*) { g_died.fetch_add(1); };
    type_ = tp_type_create(&def, nullptr);
    g_died = 0;
  }
  void TearDown() override {
    EXPECT_EQ(tp_check_invariants(thread_, nullptr), 0u);
    EXPECT_EQ(tp_thread_leave(thread_), TP_OK);
    EXPECT_EQ(tp_isolate_destroy(isolate_, nullptr), TP_OK);
    tp_type_destroy(type_);
  }
  template <class T>
  T& Word(tp_object* object, uint32_t offset) {
    return *reinterpret_cast<T*>(reinterpret_cast<char*>(object) + offset);
  }
  // Runs body(thread) on `count` entered threads, the main one detached meanwhile.
  template <class Body>
  void OnThreads(int count, Body body) {
    struct Arg {
      tp_isolate* isolate;
      Body* body;
    } arg = {isolate_, &body};
    std::vector<pthread_t> threads(static_cast<size_t>(count));
    for (pthread_t& t : threads) {
      ASSERT_EQ(pthread_create(&t, nullptr,
                               [](void* p) -> void* {
                                 auto* a = static_cast<Arg*>(p);
                                 tp_thread* thread = tp_thread_enter(a->isolate, "other");
                                 (*a->body)(thread);
                                 tp_thread_leave(thread);
                                 return nullptr;
                               },
                               &arg),
                0);
    }
    tp_detach(thread_);
    for (pthread_t& t : threads) pthread_join(t, nullptr);
    tp_attach(thread_);
  }

  static std::atomic<int> g_died;
  Code code_;
  Incref* incref_ = nullptr;
  Decref* decref_ = nullptr;
  Safepoint* safepoint_ = nullptr;
  Current* current_ = nullptr;
  tp_isolate* isolate_ = nullptr;
  tp_thread* thread_ = nullptr;
  tp_type* type_ = nullptr;
};
std::atomic<int> CodegenTest::g_died{0};

TEST_F(CodegenTest, OwnObjects) {
  tp_object* object = tp_new(thread_, type_, 0);
  EXPECT_EQ(Word<uint64_t>(object, tp_layout()->tid_offset), tp_thread_id(thread_));
  EXPECT_EQ(Word<uint64_t>(object, tp_layout()->type_offset), tp_type_word(type_));
  for (int i = 0; i < 1000; ++i) incref_(object);
  EXPECT_EQ(tp_refcount(object), 1001);
  for (int i = 0; i < 1000; ++i) decref_(thread_, object);
  EXPECT_EQ(tp_refcount(object), 1);
  EXPECT_EQ(g_died, 0);
  decref_(thread_, object);
  EXPECT_EQ(g_died, 1);
}

TEST_F(CodegenTest, ImmortalAndMergedObjects) {
  tp_object* object = tp_new(thread_, type_, 0);
  tp_disown(object);
  EXPECT_EQ(Word<int64_t>(object, tp_layout()->shared_offset) & tp_layout()->state_mask,
            tp_layout()->state_merged);
  incref_(object);
  EXPECT_EQ(tp_refcount(object), 2);
  decref_(thread_, object);
  decref_(thread_, object);
  EXPECT_EQ(g_died, 1);
  object = tp_new(thread_, type_, 0);
  tp_set_immortal(thread_, object);
  EXPECT_EQ(Word<uint32_t>(object, tp_layout()->local_offset), tp_layout()->immortal_local);
  const auto shared = Word<int64_t>(object, tp_layout()->shared_offset);
  incref_(object);
  for (int i = 0; i < 5; ++i) decref_(thread_, object);
  EXPECT_EQ(Word<int64_t>(object, tp_layout()->shared_offset), shared);
  EXPECT_EQ(g_died, 1);
}

TEST_F(CodegenTest, ACountAtItsLimitTakesTheSlowPath) {
  tp_object* object = tp_new(thread_, type_, 0);
  Word<uint32_t>(object, tp_layout()->local_offset) = tp_layout()->local_limit - 1;
  incref_(object);
  EXPECT_EQ(Word<uint32_t>(object, tp_layout()->local_offset), tp_layout()->local_limit);
  incref_(object);
  EXPECT_LT(Word<uint32_t>(object, tp_layout()->local_offset), tp_layout()->local_limit);
  EXPECT_EQ(tp_refcount(object), int64_t{tp_layout()->local_limit} + 1);
  Word<uint32_t>(object, tp_layout()->local_offset) = 1;
  Word<int64_t>(object, tp_layout()->shared_offset) = 0;
  decref_(thread_, object);
  EXPECT_EQ(g_died, 1);
}

TEST_F(CodegenTest, CountsFromManyThreads) {
  constexpr int kObjects = 64;
  std::vector<tp_object*> objects;
  for (int i = 0; i < kObjects; ++i) objects.push_back(tp_new(thread_, type_, 0));
  // References for the others to drop: the last drop of each comes from somebody else.
  constexpr int kThreads = 4;
  for (tp_object* o : objects) {
    for (int i = 0; i < kThreads; ++i) incref_(o);
  }
  OnThreads(kThreads, [&](tp_thread* thread) {
    for (int round = 0; round < 300; ++round) {
      for (tp_object* o : objects) {
        incref_(o);
        incref_(o);
        decref_(thread, o);
        decref_(thread, o);
      }
      safepoint_(thread);
    }
    for (tp_object* o : objects) decref_(thread, o);
  });
  for (tp_object* o : objects) {
    EXPECT_EQ(tp_refcount(o), 1);
    decref_(thread_, o);
  }
  EXPECT_EQ(g_died, kObjects);
}

// Deferred objects are counted by each thread for itself, through the same code.
TEST_F(CodegenTest, DeferredObjects) {
  tp_type_def def = tp_type_def_init();
  def.traverse = [](tp_object*, tp_visitor, void*) { return 0; };
  def.clear = [](tp_thread*, tp_object*) {};
  def.destroy = [](tp_thread*, tp_object*) { g_died.fetch_add(1); };
  tp_type* traversed = tp_type_create(&def, nullptr);
  tp_object* object = tp_new(thread_, traversed, 0);
  EXPECT_EQ(tp_set_deferred(thread_, object), 1);
  for (int i = 0; i < 3; ++i) incref_(object);  // one for each thread below
  OnThreads(3, [&](tp_thread* thread) {
    for (int i = 0; i < 5000; ++i) {
      incref_(object);
      decref_(thread, object);
      safepoint_(thread);
      if (i == 2500) tp_collect(thread, nullptr);
    }
    decref_(thread, object);
  });
  EXPECT_EQ(tp_collect(thread_, nullptr), 0u);
  EXPECT_EQ(g_died, 0);
  decref_(thread_, object);
  EXPECT_EQ(g_died, 0);
  tp_collect(thread_, nullptr);
  EXPECT_EQ(g_died, 1);
  tp_type_destroy(traversed);
}

// Objects are made by each thread and dropped by the next one, both through generated code,
// while the world is stopped again and again.
TEST_F(CodegenTest, DropsForARunningOwner) {
  constexpr int kThreads = 3, kEach = 2000;
  std::atomic<tp_object*> boxes[kThreads] = {};
  std::atomic<int> next{0};
  std::atomic<int> finished{0};
  OnThreads(kThreads, [&](tp_thread* thread) {
    const int me = next.fetch_add(1);
    for (int i = 0; i < kEach; ++i) {
      tp_object* made = tp_new(thread, type_, 0);
      incref_(made);
      decref_(thread, made);
      tp_object* old = boxes[(me + 1) % kThreads].exchange(made);
      if (old != nullptr) decref_(thread, old);
      safepoint_(thread);
      if (i % 500 == 0) tp_collect(thread, nullptr);
    }
    finished.fetch_add(1);
    while (finished.load() < kThreads) safepoint_(thread);
  });
  for (auto& box : boxes) {
    tp_object* last = box.exchange(nullptr);
    if (last != nullptr) decref_(thread_, last);
  }
  tp_collect(thread_, nullptr);
  EXPECT_EQ(g_died, kThreads * kEach);
}

TEST_F(CodegenTest, TheSafepointStops) {
  std::atomic<bool> stop{false};
  std::atomic<int> entered{0};
  std::atomic<uint64_t> laps{0};
  struct Seen {
    std::atomic<uint64_t>* laps;
    bool moved;
  } seen = {&laps, false};
  tp_thread* mine = thread_;
  std::atomic<bool> checked{false};
  // The others loop in generated code; one of them stops the world and sees nobody move.
  OnThreads(3, [&](tp_thread* thread) {
    if (entered.fetch_add(1) == 2) {
      for (int i = 0; i < 50; ++i) {
        tp_stop_the_world(
            thread,
            [](tp_thread*, void* arg) {
              auto* s = static_cast<Seen*>(arg);
              const uint64_t before = s->laps->load();
              for (int spin = 0; spin < 20000; ++spin) {
                if (s->laps->load() != before) s->moved = true;
              }
            },
            &seen);
        safepoint_(thread);
      }
      checked = true;
      stop = true;
      return;
    }
    while (!stop) {
      laps.fetch_add(1);
      safepoint_(thread);
    }
  });
  EXPECT_TRUE(checked);
  EXPECT_FALSE(seen.moved);
  EXPECT_GT(laps, 0u);
  // And it does what was asked for.
  int breaks = 0;
  tp_thread_set_break_handler(mine, [](tp_thread*, void* n) { ++*static_cast<int*>(n); },
                              &breaks);
  safepoint_(mine);
  tp_thread_break(mine);
  EXPECT_EQ(Word<uint32_t>(reinterpret_cast<tp_object*>(mine), tp_layout()->breaker_offset) &
                tp_layout()->breaker_embedder_bit,
            tp_layout()->breaker_embedder_bit);
  safepoint_(mine);
  EXPECT_EQ(breaks, 1);
}

TEST_F(CodegenTest, TheCurrentThread) {
  if (tp_layout()->has_current_offset == 0) GTEST_SKIP() << "built for dlopen";
  EXPECT_EQ(current_(), thread_);
  tp_detach(thread_);
  EXPECT_EQ(current_(), nullptr);
  tp_attach(thread_);
  std::atomic<int> right{0};
  OnThreads(3, [&](tp_thread* thread) { right += current_() == thread; });
  EXPECT_EQ(right, 3);
}

#endif  // __x86_64__

// The rows "| `name` | value | ..." of the page are what the library says.
TEST(CodegenPageTest, SaysWhatTheLibrarySays) {
  const tp_layout_info& l = *tp_layout();
  EXPECT_EQ(l.size, sizeof(l));
  const std::map<std::string, uint64_t> facts = {
      {"layout_version", l.layout_version}, {"header_size", l.header_size},
      {"tid_offset", l.tid_offset}, {"flags_offset", l.flags_offset},
      {"mutex_offset", l.mutex_offset}, {"gc_bits_offset", l.gc_bits_offset},
      {"local_offset", l.local_offset}, {"shared_offset", l.shared_offset},
      {"type_offset", l.type_offset}, {"pre_header_size", l.pre_header_size},
      {"embedder_flags_shift", l.embedder_flags_shift},
      {"immortal_local", l.immortal_local}, {"special_local", l.special_local},
      {"local_limit", l.local_limit},
      {"shared_shift", l.shared_shift}, {"shared_one", l.shared_one},
      {"state_mask", l.state_mask}, {"state_plain", l.state_plain},
      {"state_maybe_weakref", l.state_maybe_weakref}, {"state_queued", l.state_queued},
      {"state_merged", l.state_merged}, {"gc_tracked", l.gc_tracked},
      {"gc_finalized", l.gc_finalized}, {"gc_deferred", l.gc_deferred},
      {"tag_mask", l.tag_mask}, {"breaker_offset", l.breaker_offset},
      {"breaker_embedder_bit", l.breaker_embedder_bit},
  };
  std::ifstream page("docs/codegen.md");
  ASSERT_TRUE(page) << "docs/codegen.md is a data dependency";
  std::string line;
  std::map<std::string, uint64_t> said;
  while (std::getline(page, line)) {
    if (line.rfind("| `", 0) != 0) continue;
    const size_t end = line.find('`', 3);
    const size_t bar = line.find('|', end);
    ASSERT_NE(bar, std::string::npos) << line;
    said[line.substr(3, end - 3)] = std::stoull(line.substr(bar + 1), nullptr, 0);
  }
  EXPECT_EQ(said, facts);
}

}  // namespace
