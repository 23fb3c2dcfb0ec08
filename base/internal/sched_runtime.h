// What the blocking parts of base/ ask of the deterministic scheduler.
//
// Only in the `sched` build, and only called on a thread for which
// sched::Controlled() is true (except SchedExit). The scheduler runs one thread
// at a time, so these functions need no locks: nothing happens between two
// scheduling points. Callbacks given here run without scheduling points.
#ifndef TIDEPOOL_BASE_INTERNAL_SCHED_RUNTIME_H_
#define TIDEPOOL_BASE_INTERNAL_SCHED_RUNTIME_H_

#ifdef TIDEPOOL_SCHED

#include <cstddef>
#include <cstdint>

#include "tidepool/base/parking_lot.h"

namespace tidepool::sched::internal {

// ParkingLot's contract, with the scheduler's own queue.
ParkResult SchedPark(const void* address, bool (*validate)(void*),
                     void (*before_sleep)(void*), void* arg,
                     uint64_t deadline_ns);
void SchedUnparkOne(const void* address, void (*callback)(void*, UnparkResult),
                    void* arg);
size_t SchedUnparkAll(const void* address);

// The virtual clock: advances a little with every scheduling point, and to the
// earliest deadline when every thread waits.
uint64_t SchedNowNs();
void SchedSleep(uint64_t ns);

// Threads that a controlled thread starts are controlled too.
bool SchedStartThread(void* (*entry)(void*), void* arg, uint64_t* handle);
void SchedJoinThread(uint64_t handle);

}  // namespace tidepool::sched::internal

#endif  // TIDEPOOL_SCHED

#endif  // TIDEPOOL_BASE_INTERNAL_SCHED_RUNTIME_H_
