// Making a Vm: an isolate, then its collector.
#include "tidepool/api/vm.h"

#include <utility>

#include "tidepool/base/check.h"

namespace tidepool {

absl::StatusOr<std::unique_ptr<Vm>> Vm::Create(const Options& options, Os* os) {
  auto isolate = Isolate::Create(options, os);
  if (!isolate.ok()) return isolate.status();
  auto collector = Collector::Create(isolate->get());
  if (!collector.ok()) return collector.status();
  return std::unique_ptr<Vm>(new Vm(*std::move(isolate), *std::move(collector)));
}

Vm::~Vm() {
  // The objects go with the heap.
  for (internal::HandleNode* next = TakeKept(); next != nullptr;) {
    delete std::exchange(next, next->next);
  }
}

void Vm::KeepForLater(internal::HandleNode* node) {
  node->next = kept_.load(kRelaxed);
  // Release: pairs with the acquire in TakeKept.
  while (!kept_.compare_exchange_weak(node->next, node, kRelease, kRelaxed)) {
  }
}

internal::HandleNode* Vm::TakeKept() {
  if (kept_.load(kRelaxed) == nullptr) return nullptr;
  return kept_.exchange(nullptr, kAcquire);
}

void Vm::SetGcEnabled(bool enabled) {
  MutexLock lock(&gc_switch_mutex_);
  if (no_gc_ != 0) {
    gc_enabled_ = enabled;  // afterwards
    return;
  }
  if (enabled) {
    collector_->Enable();
  } else {
    collector_->Disable();
  }
}

void Vm::BeginNoGc() {
  MutexLock lock(&gc_switch_mutex_);
  if (no_gc_++ != 0) return;
  gc_enabled_ = collector_->enabled();
  collector_->Disable();
}

void Vm::EndNoGc() {
  MutexLock lock(&gc_switch_mutex_);
  TP_CHECK(no_gc_ > 0);
  if (--no_gc_ == 0 && gc_enabled_) collector_->Enable();
}

}  // namespace tidepool
