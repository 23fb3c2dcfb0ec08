// The library modules that are written in the language itself: their text, in the binary.
#ifndef TIDEPOOL_RUNTIME_LIB_BUNDLED_H_
#define TIDEPOOL_RUNTIME_LIB_BUNDLED_H_

#include <cstddef>
#include <string_view>

namespace tidepool::rt {

struct BundledModule {
  std::string_view name;    // "concurrent.futures"
  std::string_view source;
};

extern const BundledModule kBundledModules[];
extern const size_t kBundledModuleCount;

// Source text of a bundled module ("queue"), or a null view.
std::string_view FindBundledSource(std::string_view name);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_LIB_BUNDLED_H_
