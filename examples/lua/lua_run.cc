// Opening states and running scripts in them, every error caught.
#include "lua_run.h"

#include "lua.hpp"

namespace tidepool_lua {
namespace {

int OpenLibraries(lua_State* state) {
  luaL_openlibs(state);
  return 0;
}

// Calls what is on the stack with its arguments, and takes one result as text.
bool CallAndTake(lua_State* state, int loaded, int arguments,
                 std::string* result) {
  if (loaded == LUA_OK) loaded = lua_pcall(state, arguments, 1, 0);
  // A number becomes a string here, which may need memory: only strings are taken
  // as they are, and numbers by value.
  if (lua_type(state, -1) == LUA_TSTRING) {
    size_t size = 0;
    const char* text = lua_tolstring(state, -1, &size);
    result->assign(text, size);
  } else if (lua_isinteger(state, -1)) {
    *result = std::to_string(lua_tointeger(state, -1));
  } else if (lua_isnumber(state, -1)) {
    *result = std::to_string(lua_tonumber(state, -1));
  } else {
    *result = lua_typename(state, lua_type(state, -1));
  }
  lua_settop(state, 0);
  return loaded == LUA_OK;
}

lua_State* WithLibraries(lua_State* state) {
  if (state == nullptr) return nullptr;
  // Protected: with little memory the libraries may not fit.
  lua_pushcfunction(state, &OpenLibraries);
  if (lua_pcall(state, 0, 0, 0) != LUA_OK) {
    lua_close(state);
    return nullptr;
  }
  return state;
}

}  // namespace

lua_State* OpenState(LuaHeap* heap) {
  return WithLibraries(heap != nullptr ? heap->NewState() : luaL_newstate());
}

lua_State* OpenStateWith(void* (*alloc)(void*, void*, size_t, size_t),
                         void* arg) {
  return WithLibraries(lua_newstate(alloc, arg));
}

bool RunFile(lua_State* state, const std::string& path,
             const std::vector<std::string>& arguments, std::string* result) {
  int loaded = luaL_loadfile(state, path.c_str());
  if (loaded == LUA_OK) {
    if (!lua_checkstack(state, static_cast<int>(arguments.size()) + 2)) {
      lua_settop(state, 0);
      *result = "no memory for the arguments";
      return false;
    }
    for (const std::string& word : arguments) {
      lua_pushlstring(state, word.data(), word.size());
    }
  }
  return CallAndTake(state, loaded, static_cast<int>(arguments.size()), result);
}

bool RunText(lua_State* state, const char* text, std::string* result) {
  return CallAndTake(state, luaL_loadstring(state, text), 0, result);
}

}  // namespace tidepool_lua
