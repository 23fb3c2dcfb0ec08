// Starting and joining threads. See thread.h.
#include "tidepool/base/thread.h"

#include "tidepool/base/check.h"

namespace tidepool {
namespace {

struct StartRecord {
  void (*fn)(void*);
  void* arg;
};

void* Entry(void* raw) {
  StartRecord* record = static_cast<StartRecord*>(raw);
  StartRecord copy = *record;
  delete record;
  copy.fn(copy.arg);
  return nullptr;
}

}  // namespace

Thread::~Thread() { TP_CHECK(!joinable()); }

Thread& Thread::operator=(Thread&& other) noexcept {
  TP_CHECK(!joinable());
  os_ = std::exchange(other.os_, nullptr);
  handle_ = other.handle_;
  return *this;
}

bool Thread::Start(void (*fn)(void*), void* arg, size_t stack_size, Os* os) {
  TP_CHECK(!joinable());
  StartRecord* record = new (std::nothrow) StartRecord{fn, arg};
  if (record == nullptr) return false;
  if (!os->StartThread(&Entry, record, stack_size, &handle_)) {
    delete record;
    return false;
  }
  os_ = os;
  return true;
}

void Thread::Join() {
  TP_CHECK(joinable());
  os_->JoinThread(handle_);
  os_ = nullptr;
}

void Thread::Detach() {
  TP_CHECK(joinable());
  os_->DetachThread(handle_);
  os_ = nullptr;
}

}  // namespace tidepool
