// The id of the calling thread: its thread pointer.
//
// The thread pointer register holds the address of the thread's control block.
// It is unique among live threads, costs one instruction to read, is never 0
// and has its low three bits clear, so the owner word of an object can be
// compared with it without a load from thread-local memory. An id is used
// again once its thread is gone; every protocol that stores ids must bear that
// (the owner tables of the object layer say how they do).
#ifndef TIDEPOOL_BASE_THREAD_ID_H_
#define TIDEPOOL_BASE_THREAD_ID_H_

#include <cstdint>

namespace tidepool {

inline uint64_t CurrentTid() {
#if defined(__x86_64__)
  // The control block's first word points to itself (the System V TLS ABI).
  // Not volatile: within one thread the value never changes.
  uint64_t tid;
  __asm__("movq %%fs:0, %0" : "=r"(tid));
  return tid;
#elif defined(__aarch64__)
  uint64_t tid;
  __asm__("mrs %0, tpidr_el0" : "=r"(tid));
  return tid;
#else
  return reinterpret_cast<uint64_t>(__builtin_thread_pointer());
#endif
}

}  // namespace tidepool

#endif  // TIDEPOOL_BASE_THREAD_ID_H_
