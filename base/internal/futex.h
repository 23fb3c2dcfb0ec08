// Sleeping on a word, by the kernel (Linux futex).
//
// The two primitives under everything that blocks. Both may wake for no reason:
// callers loop over their condition.
#ifndef TIDEPOOL_BASE_INTERNAL_FUTEX_H_
#define TIDEPOOL_BASE_INTERNAL_FUTEX_H_

#include <cstdint>

namespace tidepool::internal {

// Sleeps while *word == expected, until woken or CLOCK_MONOTONIC reaches
// `deadline_ns`. False only when the deadline has passed.
bool FutexWait(const void* word, uint32_t expected, uint64_t deadline_ns);

// Wakes up to `count` sleepers.
void FutexWake(const void* word, int count);

}  // namespace tidepool::internal

#endif  // TIDEPOOL_BASE_INTERNAL_FUTEX_H_
