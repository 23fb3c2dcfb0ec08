// How often a thread of this process found a Mutex locked and went to sleep for it: what
// says whether threads queue on locks. A figure that only grows, of all mutexes together.
#ifndef TIDEPOOL_BASE_LOCK_WAITS_H_
#define TIDEPOOL_BASE_LOCK_WAITS_H_

#include <cstdint>

namespace tidepool {

// Any thread.
uint64_t LockWaits();

}  // namespace tidepool

#endif  // TIDEPOOL_BASE_LOCK_WAITS_H_
