// Dropping handles from anywhere.
#include "tidepool/api/local.h"

#include <new>

namespace tidepool {
namespace internal {

AnywhereScope::AnywhereScope(Isolate* isolate) : isolate_(isolate) {
  ThreadState* current = ThreadState::Current();
  if (current != nullptr && current->isolate() == isolate) {
    ts_ = current;
    return;
  }
  if (current != nullptr) {
    elsewhere_ = current;
    elsewhere_->DetachForLock();
  }
  ts_ = isolate->AttachThread("handle");
  entered_ = ts_ != nullptr;
}

AnywhereScope::~AnywhereScope() {
  if (entered_) {
    isolate_->LeaveThread(ts_);
    // The thread had a state before: it is still there, and was detached.
    if (ThreadState::Current() == ts_) ts_->Detach();
  }
  if (elsewhere_ != nullptr) elsewhere_->Attach();
}

void DropHandle(Vm* vm, HandleNode* node) {
  AnywhereScope here(&vm->isolate());
  if (here.ts() == nullptr) {
    vm->KeepForLater(node);
    return;
  }
  for (HandleNode* next = vm->TakeKept(); next != nullptr;) {
    HandleNode* kept = next;
    next = kept->next;
    Decref(here.ts(), kept->object);
    delete kept;
  }
  Decref(here.ts(), node->object);
  delete node;
}

}  // namespace internal
}  // namespace tidepool
