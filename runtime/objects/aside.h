// Long work on raw memory that stops no other thread.
//
// What it is: a scope for copying, filling or searching a lot of bytes. Where it is a lot, the thread counts as detached
// in it: a stop of all threads passes, and its reference counts may be merged.
//
// Invariants: the operands are kept alive and in place by the caller, the result is nobody else's yet, no lock is held,
// and nothing of the heap is made or dropped in the scope.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_ASIDE_H_
#define TIDEPOOL_RUNTIME_OBJECTS_ASIDE_H_

#include <cstddef>

#include "tidepool/runtime/vm/context.h"

namespace tidepool::rt {

// From so many bytes on, work is done aside.
inline constexpr size_t kAsideBytes = size_t{64} << 10;

class Aside {
 public:
  // For work on about so many bytes.
  Aside(Context& cx, size_t bytes) : ts_(bytes < kAsideBytes ? nullptr : cx.ts) {
    if (ABSL_PREDICT_FALSE(ts_ != nullptr)) ts_->DetachForLock();  // runs nothing
  }
  ~Aside() {
    if (ABSL_PREDICT_FALSE(ts_ != nullptr)) ts_->Attach();
  }
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

 private:
  ThreadState* ts_;
};

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_ASIDE_H_
