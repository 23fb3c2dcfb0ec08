// CRC-32 as zlib computes it (polynomial 0xEDB88320, reflected).
#ifndef TIDEPOOL_RUNTIME_MODULES_CRC32_H_
#define TIDEPOOL_RUNTIME_MODULES_CRC32_H_

#include <cstddef>
#include <cstdint>

namespace tidepool::rt {

// Continues `crc`, which is 0 at the start.
uint32_t Crc32(uint32_t crc, const void* data, size_t size);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_MODULES_CRC32_H_
