// A thread that the caller starts and joins.
//
// Start reports failure (no memory, too many threads) instead of throwing, and
// goes through Os so that tests can make it fail. A Thread must be joined or
// detached before it is destroyed. The thread's exit (thread-local destructors
// included) is over when Join returns.
#ifndef TIDEPOOL_BASE_THREAD_H_
#define TIDEPOOL_BASE_THREAD_H_

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "tidepool/base/os.h"

namespace tidepool {

class Thread {
 public:
  Thread() = default;
  ~Thread();
  Thread(Thread&& other) noexcept
      : os_(std::exchange(other.os_, nullptr)), handle_(other.handle_) {}
  Thread& operator=(Thread&& other) noexcept;

  // Runs fn(arg) on a new thread. False: none was started.
  bool Start(void (*fn)(void*), void* arg, size_t stack_size = 0,
             Os* os = RealOs());

  // Runs a copy of `body` (any callable) on a new thread.
  template <class Body>
    requires std::is_invocable_v<std::decay_t<Body>&>
  bool Start(Body&& body, size_t stack_size = 0, Os* os = RealOs()) {
    using Copy = std::decay_t<Body>;
    Copy* copy = new (std::nothrow) Copy(std::forward<Body>(body));
    if (copy == nullptr) return false;
    bool started = Start(
        [](void* arg) {
          Copy* own = static_cast<Copy*>(arg);
          (*own)();
          delete own;
        },
        copy, stack_size, os);
    if (!started) delete copy;
    return started;
  }

  bool joinable() const { return os_ != nullptr; }
  void Join();
  void Detach();

 private:
  Os* os_ = nullptr;  // null: nothing to join
  uint64_t handle_ = 0;
};

}  // namespace tidepool

#endif  // TIDEPOOL_BASE_THREAD_H_
