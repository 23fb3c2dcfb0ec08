// How much memory is resident: of a range, and of the process by where it comes from.
//
// For reports. Asking about a range costs a system call per 16 MiB and reads the page
// tables; nothing is touched.
#ifndef TIDEPOOL_BASE_RESIDENT_H_
#define TIDEPOOL_BASE_RESIDENT_H_

#include <cstddef>
#include <cstdint>

namespace tidepool {

// Bytes of [start, start + size) that are resident, by whole OS pages; parts that are
// not mapped count nothing. `start` is OS-page-aligned.
size_t ResidentBytes(const void* start, size_t size);

struct ProcessMemory {
  uint64_t resident = 0;  // all of it
  uint64_t anonymous = 0; // heaps, stacks, what programs ask for
  uint64_t files = 0;     // program text and mapped files, shared memory
  uint64_t peak = 0;      // most that was resident at a time
};
// Zeros where the system does not say.
ProcessMemory GetProcessMemory();

}  // namespace tidepool

#endif  // TIDEPOOL_BASE_RESIDENT_H_
