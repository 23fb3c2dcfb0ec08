// The calling thread's stack, as return addresses, by following frame pointers.
//
// Everything of ours is compiled with them. Code without them (most of libc) is passed
// over as long as it leaves the frame pointer register alone; where it does not, the
// walk ends. Every frame must lie above the one before and inside the thread's stack,
// so that no address outside of it is read, whatever the register holds.
//
// Cost: some nanoseconds per frame; the first call of a thread asks the OS for the
// bounds of its stack (which may allocate). No locks otherwise, no unwinder.
#ifndef TIDEPOOL_BASE_STACK_TRACE_H_
#define TIDEPOOL_BASE_STACK_TRACE_H_

#include <cstddef>
#include <cstdint>

namespace tidepool {

// Writes up to `most` return addresses, the innermost first, leaving out the first
// `skip` callers. Returns how many.
size_t CaptureStack(uintptr_t* addresses, size_t most, size_t skip);

}  // namespace tidepool

#endif  // TIDEPOOL_BASE_STACK_TRACE_H_
