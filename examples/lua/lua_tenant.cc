// A Lua state whose lua_Alloc is served by one Heap; lua_tenant.h says what for.
#include "lua_tenant.h"

#include "lua.hpp"
#include "lua_run.h"

namespace tidepool_lua {

std::unique_ptr<LuaTenant> LuaTenant::Create(
    LuaHeap* heap, const tidepool::HeapConfig& limits) {
  std::unique_ptr<LuaTenant> tenant(new LuaTenant);
  absl::StatusOr<tidepool::Heap> made =
      tidepool::Heap::Create(heap->domain(), limits);
  if (!made.ok()) return nullptr;
  tenant->heap_ = *made;
  if (!tenant->Take()) return nullptr;
  tenant->state_ = OpenStateWith(&LuaTenant::Alloc, tenant.get());
  return tenant->state_ != nullptr ? std::move(tenant) : nullptr;
}

LuaTenant::~LuaTenant() { heap_.Destroy(); }

bool LuaTenant::Take() {
  tidepool::ThreadHeap* mine = LuaHeap::OfThisThread();
  return mine != nullptr && heap_.Take(mine, &hold_);
}

tidepool::HeapFigures LuaTenant::Figures() const {
  tidepool::HeapFigures figures = {};
  heap_.Figures(&figures);
  return figures;
}

bool LuaTenant::SetLimits(const tidepool::HeapConfig& limits) {
  return heap_.SetLimits(limits);
}

void* LuaTenant::Alloc(void* self, void* block, size_t, size_t size) {
  tidepool::HeapHold& hold = static_cast<LuaTenant*>(self)->hold_;
  if (block == nullptr) return size != 0 ? hold.Allocate(size) : nullptr;
  if (size == 0) {
    hold.Free(block);
    return nullptr;
  }
  return hold.Reallocate(block, size);
}

}  // namespace tidepool_lua
