// A full memory barrier on every running thread of the process, from outside.
//
// It makes one side of an asymmetric protocol free: ThreadHeap::Enter only stores and
// looks, and whoever holds the heap runs this. False: the kernel has no such call, and
// then nobody may hold the heap of a thread that uses Enter.
#ifndef TIDEPOOL_ALLOCATOR_INTERNAL_PROCESS_BARRIER_H_
#define TIDEPOOL_ALLOCATOR_INTERNAL_PROCESS_BARRIER_H_

namespace tidepool::internal {

bool ProcessBarrier();

}  // namespace tidepool::internal

#endif  // TIDEPOOL_ALLOCATOR_INTERNAL_PROCESS_BARRIER_H_
