// Lua on a tidepool heap: the same results as on its default allocator, from several
// threads, states closed by others than those that ran them, and hard limits that end
// in Lua's own memory error.
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "gtest/gtest.h"
#include "lua.hpp"
#include "lua_run.h"
#include "lua_tenant.h"

namespace tidepool_lua {
namespace {

using tidepool::HeapKind;
using tidepool::Options;

constexpr uint32_t kRawMask = 1u << static_cast<unsigned>(HeapKind::kRaw);

const char* const kScripts[] = {"binary_trees", "closures", "documents",
                                "nbody", "spectral_norm", "strings",
                                "tables", "weak"};
// Small arguments: this is a test of memory, not of speed.
const char* const kSizes[] = {"8", "200", "1", "500", "30", "3", "3", "4000"};

std::string PathOf(const std::string& script) {
  return "examples/lua/scripts/" + script + ".lua";
}

std::unique_ptr<LuaHeap> MakeHeap(uint64_t limit = 0) {
  Options options;
  options.max_memory = limit;
  absl::StatusOr<std::unique_ptr<LuaHeap>> made = LuaHeap::Create(options);
  return made.ok() ? *std::move(made) : nullptr;
}

std::string OnDefault(size_t script) {
  lua_State* state = OpenState(nullptr);
  std::string result;
  EXPECT_TRUE(RunFile(state, PathOf(kScripts[script]), {kSizes[script]}, &result))
      << result;
  lua_close(state);
  return result;
}

TEST(LuaTest, ScriptsGiveWhatTheyGiveOnTheDefaultAllocator) {
  std::unique_ptr<LuaHeap> heap = MakeHeap();
  ASSERT_NE(heap, nullptr);
  LuaHeap::Thread scope(heap.get());
  for (size_t i = 0; i < std::size(kScripts); ++i) {
    lua_State* state = OpenState(heap.get());
    ASSERT_NE(state, nullptr);
    std::string result;
    EXPECT_TRUE(RunFile(state, PathOf(kScripts[i]), {kSizes[i]}, &result))
        << result;
    EXPECT_EQ(result, OnDefault(i)) << kScripts[i];
    lua_close(state);
    EXPECT_EQ(heap->domain()->LiveIn(kRawMask).blocks, 0u) << kScripts[i];
  }
}

// Whatever Lua asks for, it gets from this heap: what the state says it holds is there.
TEST(LuaTest, TheHeapHoldsWhatLuaCounts) {
  std::unique_ptr<LuaHeap> heap = MakeHeap();
  LuaHeap::Thread scope(heap.get());
  lua_State* state = OpenState(heap.get());
  std::string result;
  ASSERT_TRUE(RunText(state,
                      "kept = {} for i = 1, 20000 do kept[i] = {i, 'n' .. i} end "
                      "collectgarbage() return collectgarbage('count') * 1024 // 1",
                      &result))
      << result;
  uint64_t counted = std::stoull(result);
  uint64_t live = heap->domain()->LiveIn(kRawMask).bytes;
  EXPECT_GE(live, counted);
  EXPECT_LE(live, counted + counted / 4);
  lua_close(state);
}

TEST(LuaTest, StatesOfManyThreadsClosedByOneAnother) {
  constexpr int kThreads = 4;
  std::unique_ptr<LuaHeap> heap = MakeHeap();
  std::string expected[std::size(kScripts)];
  for (size_t i = 0; i < std::size(kScripts); ++i) expected[i] = OnDefault(i);
  // A state goes around: each thread runs a script in the state that the one before it
  // ran, closes it in the end, and makes the next.
  std::atomic<lua_State*> slots[kThreads] = {};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      LuaHeap::Thread scope(heap.get());
      for (size_t i = 0; i < std::size(kScripts); ++i) {
        lua_State* state = OpenState(heap.get());
        std::string result;
        if (state == nullptr ||
            !RunFile(state, PathOf(kScripts[i]), {kSizes[i]}, &result) ||
            result != expected[i]) {
          wrong.fetch_add(1);
        }
        // acq_rel: hands the state over with all that is in it.
        lua_State* other = slots[(t + i) % kThreads].exchange(
            state, std::memory_order_acq_rel);
        if (other == nullptr) continue;
        if (!RunFile(other, PathOf(kScripts[i]), {kSizes[i]}, &result) ||
            result != expected[i]) {
          wrong.fetch_add(1);
        }
        lua_close(other);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong.load(), 0);
  {
    LuaHeap::Thread scope(heap.get());
    for (std::atomic<lua_State*>& slot : slots) {
      if (slot.load() != nullptr) lua_close(slot.load());
    }
  }
  EXPECT_EQ(heap->domain()->LiveIn(kRawMask).blocks, 0u);
  uint64_t before = heap->domain()->CommittedBytes();
  heap->domain()->Purge();
  EXPECT_LE(heap->domain()->CommittedBytes(), before);
  EXPECT_LE(heap->domain()->CommittedBytes(), 4u << 20);
}

// The threads that made the states have gone before anybody closes them.
TEST(LuaTest, StatesOutliveTheirThreads) {
  std::unique_ptr<LuaHeap> heap = MakeHeap();
  std::vector<lua_State*> states(6);
  for (lua_State*& state : states) {
    std::thread([&] {
      LuaHeap::Thread scope(heap.get());
      state = OpenState(heap.get());
      std::string result;
      EXPECT_TRUE(RunText(state,
                          "kept = {} for i = 1, 5000 do kept[i] = {i} end", &result));
    }).join();
  }
  {
    LuaHeap::Thread scope(heap.get());
    for (lua_State* state : states) {
      std::string result;
      EXPECT_TRUE(RunText(state, "return #kept", &result));
      EXPECT_EQ(result, "5000");
      lua_close(state);
    }
  }
  EXPECT_EQ(heap->domain()->LiveIn(kRawMask).blocks, 0u);
}

TEST(LuaTest, AThreadWithoutAScopeMayStillClose) {
  std::unique_ptr<LuaHeap> heap = MakeHeap();
  lua_State* state = nullptr;
  {
    LuaHeap::Thread scope(heap.get());
    state = OpenState(heap.get());
  }
  std::thread([&] {
    std::string result;
    EXPECT_FALSE(RunText(state, "return ('x'):rep(10000)", &result));
    EXPECT_EQ(result, "not enough memory");
    lua_close(state);
  }).join();
  EXPECT_EQ(heap->domain()->LiveIn(kRawMask).blocks, 0u);
}

// The limit is Lua's own memory error, caught by pcall inside and outside of Lua; the
// state goes on, and what the error unwound is free again.
TEST(LuaTest, AHardLimitIsLuasMemoryErrorAndTheStateGoesOn) {
  constexpr uint64_t kLimit = 5 << 20;
  std::unique_ptr<LuaHeap> heap = MakeHeap(kLimit);
  ASSERT_NE(heap, nullptr);
  LuaHeap::Thread scope(heap.get());
  lua_State* state = OpenState(heap.get());
  ASSERT_NE(state, nullptr);
  const char* const kGreedy[] = {
      "local t = {} for i = 1, 1e9 do t[i] = {i} end",
      "local t = {} for i = 1, 1e9 do t[i] = ('s'):rep(100) .. i end",
      "local t = {} for i = 1, 1e9 do t[i] = ('s'):rep(300000) .. i end",
      "local s = 'x' while true do s = s .. s end",
      "return ('x'):rep(1 << 30)",
      "local function f() return {f()} end return f(), coroutine.wrap(f)()",
  };
  {
    for (const char* greedy : kGreedy) {
      std::string result;
      EXPECT_FALSE(RunText(state, greedy, &result)) << greedy;
      if (strstr(greedy, "function f") == nullptr) {
        EXPECT_EQ(result, "not enough memory") << greedy;
      }
      // Records of pages may pass the limit by a little: they are small.
      EXPECT_LE(heap->domain()->CommittedBytes(), kLimit + kLimit / 64);
      ASSERT_TRUE(RunText(state,
                          "local ok, why = pcall(function() "
                          "  local t = {} for i = 1, 1e9 do t[i] = {i} end end) "
                          "assert(not ok) return why",
                          &result))
          << result;
      EXPECT_EQ(result, "not enough memory");
      ASSERT_TRUE(RunFile(state, PathOf("closures"), {"50"}, &result)) << result;
    }
  }
  lua_close(state);
  EXPECT_EQ(heap->domain()->LiveIn(kRawMask).blocks, 0u);
}

// Every limit from nothing on: no state, or one that works, and never a leak.
TEST(LuaTest, StartingUnderTinyLimits) {
  int made = 0, refused = 0;
  for (uint64_t limit = 16 << 10; limit <= 8 << 20; limit += limit / 8) {
    std::unique_ptr<LuaHeap> heap = MakeHeap(limit);
    if (heap == nullptr) {
      ++refused;
      continue;
    }
    LuaHeap::Thread scope(heap.get());
    lua_State* state = scope.ok() ? OpenState(heap.get()) : nullptr;
    if (state == nullptr) {
      ++refused;
    } else {
      ++made;
      std::string result;
      if (RunText(state, "return 1 + 1", &result)) {
        EXPECT_EQ(result, "2");
      } else {
        EXPECT_EQ(result, "not enough memory");
      }
      lua_close(state);
    }
    EXPECT_EQ(heap->domain()->LiveIn(kRawMask).blocks, 0u) << limit;
  }
  EXPECT_GT(made, 0);
  EXPECT_GT(refused, 0);
}

// States with heaps of their own: the scripts give the same, one state's limit is not
// another's, and a state that is thrown away is gone whole, whoever does it.
TEST(LuaTenantTest, LimitsOfTheirOwnAndTheEndAtOnce) {
  std::unique_ptr<LuaHeap> heap = MakeHeap();
  LuaHeap::Thread scope(heap.get());
  std::unique_ptr<LuaTenant> small =
      LuaTenant::Create(heap.get(), {.max_live = 2 << 20});
  std::unique_ptr<LuaTenant> large = LuaTenant::Create(heap.get(), {});
  ASSERT_NE(small, nullptr);
  ASSERT_NE(large, nullptr);
  const char* const kGreedy =
      "kept = {} for i = 1, 60000 do kept[i] = {i, 'n' .. i} end return #kept";
  std::string result;
  EXPECT_FALSE(RunText(small->state(), kGreedy, &result));
  EXPECT_EQ(result, "not enough memory");
  EXPECT_LE(small->Figures().live_bytes, 2u << 20);
  EXPECT_GT(small->Figures().refused, 0u);
  ASSERT_TRUE(RunText(small->state(), "kept = nil collectgarbage() return 1", &result));
  EXPECT_TRUE(RunText(large->state(), kGreedy, &result)) << result;
  EXPECT_EQ(result, "60000");
  EXPECT_GT(large->Figures().live_bytes, 4u << 20);
  for (size_t i = 0; i < std::size(kScripts); ++i) {
    EXPECT_TRUE(RunFile(large->state(), PathOf(kScripts[i]), {kSizes[i]}, &result));
    EXPECT_EQ(result, OnDefault(i)) << kScripts[i];
  }
  // The limit can be raised, and then there is room.
  EXPECT_TRUE(small->SetLimits({}));
  EXPECT_TRUE(RunText(small->state(), kGreedy, &result)) << result;
  std::thread([&] { large.reset(); }).join();
  small.reset();
  EXPECT_EQ(heap->domain()->LiveIn(kRawMask).blocks, 0u);
}

TEST(LuaTenantTest, TakenOverFromAThreadThatHasGone) {
  std::unique_ptr<LuaHeap> heap = MakeHeap();
  std::unique_ptr<LuaTenant> tenant;
  std::thread([&] {
    LuaHeap::Thread scope(heap.get());
    tenant = LuaTenant::Create(heap.get(), {});
    std::string result;
    EXPECT_TRUE(RunText(tenant->state(),
                        "kept = {} for i = 1, 3000 do kept[i] = {i} end", &result));
  }).join();
  for (int i = 0; i < 3; ++i) {
    std::thread([&] {
      LuaHeap::Thread scope(heap.get());
      ASSERT_TRUE(tenant->Take());
      std::string result;
      EXPECT_TRUE(RunText(tenant->state(),
                          "for i = 1, 3000 do kept[i] = {kept[i][1] + 1} end "
                          "return kept[3000][1]", &result));
      EXPECT_EQ(result, std::to_string(3001 + i));
      if (i == 2) {
        lua_close(tenant->state());
        tenant->Closed();
        EXPECT_EQ(tenant->Figures().live_blocks, 0u);
      }
    }).join();
  }
  tenant.reset();
  EXPECT_EQ(heap->domain()->LiveIn(kRawMask).blocks, 0u);
}

}  // namespace
}  // namespace tidepool_lua
