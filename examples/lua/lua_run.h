// Running a Lua script in a fresh state, on a tidepool heap or on Lua's default
// allocator (the C library's malloc), for the runner and the tests.
#ifndef TIDEPOOL_EXAMPLES_LUA_LUA_RUN_H_
#define TIDEPOOL_EXAMPLES_LUA_LUA_RUN_H_

#include <string>
#include <vector>

#include "lua_heap.h"

namespace tidepool_lua {

// A state with Lua's libraries. `heap` null: Lua's default allocator. Null: no memory
// (libraries that could not be opened included).
lua_State* OpenState(LuaHeap* heap);

// The same with an allocation function of the caller's.
lua_State* OpenStateWith(void* (*alloc)(void*, void*, size_t, size_t), void* arg);

// Runs a script file with the arguments as its `...`. True: `result` is what it
// returned, as text; false: the error message. The state is usable either way.
bool RunFile(lua_State* state, const std::string& path,
             const std::vector<std::string>& arguments, std::string* result);

// The same for a text.
bool RunText(lua_State* state, const char* text, std::string* result);

}  // namespace tidepool_lua

#endif  // TIDEPOOL_EXAMPLES_LUA_LUA_RUN_H_
