// Lua 5.4 on a tidepool heap: the least an embedder needs who wants the heap alone.
//
// Lua asks for all its memory through one function, lua_Alloc. LuaHeap serves it from
// a heap domain of its own: every OS thread that runs Lua has a thread heap there (the
// scope LuaHeap::Thread), and a state may be run, and closed, by any such thread, one
// at a time; a block goes back to the heap that it came from whoever frees it.
//
// What Lua asks of lua_Alloc, and what answers it:
//   a new block, or null            Allocate; null makes Lua collect and ask again, then
//                                   raise its "not enough memory", which pcall catches
//   free, with the old size         Free; cannot fail
//   resize, with the old size       nothing to do within one size class, else Reallocate
//   shrinking must not fail         Reallocate leaves a block where it is if it cannot move
//
// A hard limit (Options::max_memory) counts what the domain has committed, metadata
// included, so the process stays under it; Lua's own collectgarbage("count") is what
// the state believes to hold.
//
// Nothing in Lua looks at a block without owning it, so any allocation is a safepoint
// of the heap: Alloc looks at the request word (one load) and thereby gives memory back
// when somebody asks. A thread that waits for something else should stand in a
// LuaHeap::Away meanwhile.
#ifndef TIDEPOOL_EXAMPLES_LUA_LUA_HEAP_H_
#define TIDEPOOL_EXAMPLES_LUA_LUA_HEAP_H_

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"
#include "tidepool/allocator/heap_domain.h"

struct lua_State;

namespace tidepool_lua {

class LuaHeap {
 public:
  static absl::StatusOr<std::unique_ptr<LuaHeap>> Create(
      const tidepool::Options& options);
  // All states are closed and all scopes left.
  ~LuaHeap();

  // The calling OS thread may run states of this heap while the scope lives. Scopes of
  // several heaps nest. ok() is false if there was no memory for it.
  class Thread {
   public:
    explicit Thread(LuaHeap* heap);
    ~Thread();
    Thread(const Thread&) = delete;
    bool ok() const { return mine_ != nullptr; }

   private:
    LuaHeap* heap_;
    tidepool::ThreadHeap* mine_;
    tidepool::ThreadHeap* outer_;
  };

  // The thread waits or runs something else: others may give its unused memory back.
  class Away {
   public:
    Away();
    ~Away();
    Away(const Away&) = delete;

   private:
    tidepool::ThreadHeap* mine_;
  };

  // The heap of the calling thread's innermost scope, or null.
  static tidepool::ThreadHeap* OfThisThread();

  // A state without libraries, or null: no memory. The thread has a scope.
  lua_State* NewState();

  // The lua_Alloc. On a thread without a scope it can only free.
  static void* Alloc(void* self, void* block, size_t old_size, size_t size);

  tidepool::HeapDomain* domain() { return domain_.get(); }

 private:
  explicit LuaHeap(std::unique_ptr<tidepool::HeapDomain> domain)
      : domain_(std::move(domain)) {}
  std::unique_ptr<tidepool::HeapDomain> domain_;
};

}  // namespace tidepool_lua

#endif  // TIDEPOOL_EXAMPLES_LUA_LUA_HEAP_H_
