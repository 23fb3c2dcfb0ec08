// A value or the status that says why there is none. Asking for a value that is not
// there ends the process.
#ifndef ABSL_STATUS_STATUSOR_H_
#define ABSL_STATUS_STATUSOR_H_

#include <cstdlib>
#include <optional>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"

namespace absl {
inline namespace tidepool_lite {

template <typename T>
class [[nodiscard]] StatusOr {
 public:
  StatusOr() : status_(StatusCode::kUnknown, "") {}
  StatusOr(const Status& status) : status_(status) {  // NOLINT: as abseil's
    if (status_.ok()) abort();
  }
  StatusOr(Status&& status) : status_(std::move(status)) {  // NOLINT
    if (status_.ok()) abort();
  }
  template <typename U = T,
            typename = std::enable_if_t<
                std::is_constructible_v<T, U&&> &&
                !std::is_same_v<std::decay_t<U>, StatusOr> &&
                !std::is_same_v<std::decay_t<U>, Status>>>
  StatusOr(U&& value) : value_(std::forward<U>(value)) {}  // NOLINT

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }

  T& value() & { return Checked(); }
  T&& value() && { return std::move(Checked()); }
  const T& value() const& { return const_cast<StatusOr*>(this)->Checked(); }
  T& operator*() & { return Checked(); }
  T&& operator*() && { return std::move(Checked()); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &Checked(); }
  const T* operator->() const { return &value(); }

 private:
  T& Checked() {
    if (!value_.has_value()) abort();
    return *value_;
  }

  Status status_;
  std::optional<T> value_;
};

}  // namespace tidepool_lite
}  // namespace absl

#endif  // ABSL_STATUS_STATUSOR_H_
