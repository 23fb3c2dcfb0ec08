// The bundled policies, named by the registry itself, so that they are there however a program
// is linked (a static library drops what only a static initialiser would mention).

#ifndef TIDEPOOL_GC_POLICIES_BUNDLED_H_
#define TIDEPOOL_GC_POLICIES_BUNDLED_H_

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tidepool/gc/policy.h"

namespace tidepool {
namespace gc_internal {

using MadePolicy = absl::StatusOr<std::unique_ptr<CollectionPolicy>>;

MadePolicy MakeLiveBytes(absl::string_view arguments);
MadePolicy MakeManual(absl::string_view arguments);
MadePolicy MakeMemoryLimit(absl::string_view arguments);
MadePolicy MakePause(absl::string_view arguments);
MadePolicy MakeRecord(absl::string_view arguments);
MadePolicy MakeThreshold(absl::string_view arguments);

}  // namespace gc_internal
}  // namespace tidepool

#endif  // TIDEPOOL_GC_POLICIES_BUNDLED_H_
