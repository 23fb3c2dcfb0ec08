// A Lua state with a heap of its own (allocator/heap.h), for hosts with many tenants.
//
// Beside what LuaHeap gives: a limit and figures for each state; a state may be thrown
// away at once, by any thread, without lua_close walking over its objects; and any thread
// may take the state over, also from one that has ended or is blocked elsewhere. It costs
// some KiB for each size class that a state uses, so it is for states that do something.
#ifndef TIDEPOOL_EXAMPLES_LUA_LUA_TENANT_H_
#define TIDEPOOL_EXAMPLES_LUA_LUA_TENANT_H_

#include <cstddef>
#include <memory>

#include "lua_heap.h"
#include "tidepool/allocator/heap.h"

namespace tidepool_lua {

class LuaTenant {
 public:
  // With Lua's libraries. The calling thread has a LuaHeap::Thread scope of `heap` and runs
  // the state. Null: no memory, or the limits are too tight for a state.
  static std::unique_ptr<LuaTenant> Create(LuaHeap* heap,
                                           const tidepool::HeapConfig& limits);
  // Every block goes at once; nothing is finalized (call lua_close for that before, and
  // tell with Closed). Any thread; nobody runs the state.
  ~LuaTenant();
  LuaTenant(const LuaTenant&) = delete;

  // The calling thread, which has a scope, runs the state from now on; nobody else does.
  bool Take();
  void Closed() { state_ = nullptr; }

  lua_State* state() const { return state_; }
  // Right at any moment, from any thread.
  tidepool::HeapFigures Figures() const;
  bool SetLimits(const tidepool::HeapConfig& limits);

 private:
  LuaTenant() = default;
  static void* Alloc(void* self, void* block, size_t old_size, size_t size);

  tidepool::Heap heap_;
  tidepool::HeapHold hold_;
  lua_State* state_ = nullptr;
};

}  // namespace tidepool_lua

#endif  // TIDEPOOL_EXAMPLES_LUA_LUA_TENANT_H_
