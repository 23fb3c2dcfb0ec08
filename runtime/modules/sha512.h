// SHA-512, which seeds the random number generator from text as CPython does.
#ifndef TIDEPOOL_RUNTIME_MODULES_SHA512_H_
#define TIDEPOOL_RUNTIME_MODULES_SHA512_H_

#include <cstddef>

namespace tidepool::rt {

// The 64 bytes of the digest.
void Sha512(const void* data, size_t size, unsigned char digest[64]);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_MODULES_SHA512_H_
