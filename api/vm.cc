// Making a Vm: an isolate, then its collector.
#include "tidepool/api/vm.h"

#include <utility>

namespace tidepool {

absl::StatusOr<std::unique_ptr<Vm>> Vm::Create(const Options& options, Os* os) {
  auto isolate = Isolate::Create(options, os);
  if (!isolate.ok()) return isolate.status();
  auto collector = Collector::Create(isolate->get());
  if (!collector.ok()) return collector.status();
  return std::unique_ptr<Vm>(new Vm(*std::move(isolate), *std::move(collector)));
}

}  // namespace tidepool
