// lua_Alloc on a tidepool heap; lua_heap.h says how it fits.
#include "lua_heap.h"

#include <utility>

#include "lua.hpp"
#include "tidepool/base/tls.h"

namespace tidepool_lua {

using tidepool::HeapDomain;
using tidepool::HeapKind;
using tidepool::ThreadHeap;

namespace {
// The heap of the calling thread; no destructor: scopes set and reset it.
TIDEPOOL_TLS ThreadHeap* t_heap;

int Panic(lua_State* state) {
  const char* what = lua_tostring(state, -1);
  fprintf(stderr, "lua: error outside of any protected call: %s\n",
          what != nullptr ? what : "?");
  return 0;  // Lua aborts
}
}  // namespace

absl::StatusOr<std::unique_ptr<LuaHeap>> LuaHeap::Create(
    const tidepool::Options& options) {
  absl::StatusOr<std::unique_ptr<HeapDomain>> domain =
      HeapDomain::Create(options);
  if (!domain.ok()) return domain.status();
  return std::unique_ptr<LuaHeap>(new LuaHeap(*std::move(domain)));
}

LuaHeap::~LuaHeap() = default;

LuaHeap::Thread::Thread(LuaHeap* heap)
    : heap_(heap), mine_(heap->domain_->NewThread()), outer_(t_heap) {
  if (mine_ == nullptr) return;
  mine_->Attach();
  t_heap = mine_;
}

LuaHeap::Thread::~Thread() {
  if (mine_ == nullptr) return;
  mine_->Detach();
  heap_->domain_->ExitThread(mine_);
  t_heap = outer_;
}

LuaHeap::Away::Away() : mine_(t_heap) {
  if (mine_ != nullptr) mine_->Detach();
  t_heap = nullptr;
}

LuaHeap::Away::~Away() {
  if (mine_ != nullptr) mine_->Attach();
  t_heap = mine_;
}

ThreadHeap* LuaHeap::OfThisThread() { return t_heap; }

lua_State* LuaHeap::NewState() {
  lua_State* state = lua_newstate(&LuaHeap::Alloc, this);
  if (state != nullptr) lua_atpanic(state, &Panic);
  return state;
}

void* LuaHeap::Alloc(void* self, void* block, size_t old_size, size_t size) {
  ThreadHeap* heap = t_heap;
  if (__builtin_expect(heap == nullptr, 0)) {
    if (block != nullptr && size == 0) {
      static_cast<LuaHeap*>(self)->domain_->FreeFromAnywhere(block);
    }
    return nullptr;
  }
  if (__builtin_expect(heap->wants_safepoint(), 0)) heap->Safepoint();
  if (block == nullptr) {
    // Here old_size says what kind of object it is for, and size 0 means no block.
    return size != 0 ? heap->Allocate(HeapKind::kRaw, size) : nullptr;
  }
  if (size == 0) {
    heap->Free(block);
    return nullptr;
  }
  if (old_size <= tidepool::kSmallMax && size <= tidepool::kSmallMax &&
      tidepool::SizeClass(old_size) == tidepool::SizeClass(size)) {
    return block;
  }
  return heap->Reallocate(block, size);
}

}  // namespace tidepool_lua
