// The standard string_view under abseil's name.
#ifndef ABSL_STRINGS_STRING_VIEW_H_
#define ABSL_STRINGS_STRING_VIEW_H_

#include <string_view>

namespace absl {
inline namespace tidepool_lite {
using std::string_view;
}  // namespace tidepool_lite
}  // namespace absl

#endif  // ABSL_STRINGS_STRING_VIEW_H_
