// A code and a message. OK has no message and allocates nothing.
#ifndef ABSL_STATUS_STATUS_H_
#define ABSL_STATUS_STATUS_H_

#include <ostream>
#include <string>

#include "absl/strings/string_view.h"

namespace absl {
inline namespace tidepool_lite {

// abseil's numbers.
enum class StatusCode : int {
  kOk = 0,
  kUnknown = 2,
  kInvalidArgument = 3,
  kNotFound = 5,
  kAlreadyExists = 6,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
};

inline const char* StatusCodeToString(StatusCode code) {
  switch (code) {
    case StatusCode::kOk: return "OK";
    case StatusCode::kUnknown: return "UNKNOWN";
    case StatusCode::kInvalidArgument: return "INVALID_ARGUMENT";
    case StatusCode::kNotFound: return "NOT_FOUND";
    case StatusCode::kAlreadyExists: return "ALREADY_EXISTS";
    case StatusCode::kResourceExhausted: return "RESOURCE_EXHAUSTED";
    case StatusCode::kFailedPrecondition: return "FAILED_PRECONDITION";
    case StatusCode::kOutOfRange: return "OUT_OF_RANGE";
    case StatusCode::kUnimplemented: return "UNIMPLEMENTED";
    case StatusCode::kInternal: return "INTERNAL";
    case StatusCode::kUnavailable: return "UNAVAILABLE";
  }
  return "";
}

class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(StatusCode code, string_view message) : code_(code) {
    if (code != StatusCode::kOk) message_ = std::string(message);
  }

  bool ok() const { return code_ == StatusCode::kOk; }
  StatusCode code() const { return code_; }
  string_view message() const { return message_; }
  std::string ToString() const {
    if (ok()) return "OK";
    return std::string(StatusCodeToString(code_)) + ": " + message_;
  }
  void IgnoreError() const {}

  friend bool operator==(const Status& a, const Status& b) {
    return a.code_ == b.code_ && a.message_ == b.message_;
  }
  friend std::ostream& operator<<(std::ostream& out, const Status& status) {
    return out << status.ToString();
  }

 private:
  StatusCode code_ = StatusCode::kOk;
  std::string message_;
};

inline Status OkStatus() { return Status(); }

#define TIDEPOOL_LITE_STATUS(name)                            \
  inline Status name##Error(string_view message) {            \
    return Status(StatusCode::k##name, message);              \
  }                                                           \
  inline bool Is##name(const Status& status) {                \
    return status.code() == StatusCode::k##name;              \
  }
TIDEPOOL_LITE_STATUS(InvalidArgument)
TIDEPOOL_LITE_STATUS(NotFound)
TIDEPOOL_LITE_STATUS(AlreadyExists)
TIDEPOOL_LITE_STATUS(ResourceExhausted)
TIDEPOOL_LITE_STATUS(FailedPrecondition)
TIDEPOOL_LITE_STATUS(OutOfRange)
TIDEPOOL_LITE_STATUS(Unimplemented)
TIDEPOOL_LITE_STATUS(Internal)
TIDEPOOL_LITE_STATUS(Unavailable)
#undef TIDEPOOL_LITE_STATUS

}  // namespace tidepool_lite
}  // namespace absl

#endif  // ABSL_STATUS_STATUS_H_
