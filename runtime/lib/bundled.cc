// Finds a bundled library module by name in the table that embed.sh generates.
#include "tidepool/runtime/lib/bundled.h"

namespace tidepool::rt {

std::string_view FindBundledSource(std::string_view name) {
  for (size_t i = 0; i < kBundledModuleCount; i++) {
    if (kBundledModules[i].name == name) return kBundledModules[i].source;
  }
  return {};
}

}  // namespace tidepool::rt
