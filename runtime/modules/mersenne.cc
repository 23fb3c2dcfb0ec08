// Makoto Matsumoto and Takuji Nishimura's generator, from the recurrence in their paper (1998) and the seeding
// by array of 2002.
#include "tidepool/runtime/modules/mersenne.h"

namespace tidepool::rt {

void Mersenne::SeedWord(uint32_t seed) {
  words[0] = seed;
  for (uint32_t i = 1; i < kWords; i++) {
    const uint32_t before = words[i - 1];
    words[i] = 1812433253u * (before ^ (before >> 30)) + i;
  }
  index = kWords;
}

void Mersenne::Seed(const uint32_t* key, size_t count) {
  static constexpr uint32_t kZero = 0;
  if (count == 0) {
    key = &kZero;
    count = 1;
  }
  SeedWord(19650218u);
  uint32_t i = 1;
  size_t j = 0;
  auto wrap = [&] {
    if (++i == kWords) {
      words[0] = words[kWords - 1];
      i = 1;
    }
  };
  for (size_t k = count > kWords ? count : kWords; k > 0; k--) {
    const uint32_t before = words[i - 1];
    words[i] = (words[i] ^ ((before ^ (before >> 30)) * 1664525u)) + key[j] + static_cast<uint32_t>(j);
    wrap();
    if (++j == count) j = 0;
  }
  for (int k = kWords - 1; k > 0; k--) {
    const uint32_t before = words[i - 1];
    words[i] = (words[i] ^ ((before ^ (before >> 30)) * 1566083941u)) - i;
    wrap();
  }
  words[0] = 0x80000000u;
}

void Mersenne::Refill() {
  constexpr int kMiddle = 397;
  for (int i = 0; i < kWords; i++) {
    const uint32_t y = (words[i] & 0x80000000u) | (words[(i + 1) % kWords] & 0x7fffffffu);
    words[i] = words[(i + kMiddle) % kWords] ^ (y >> 1) ^ ((y & 1) != 0 ? 0x9908b0dfu : 0);
  }
  index = 0;
}

uint32_t Mersenne::Next() {
  if (index >= kWords) Refill();
  uint32_t y = words[index++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

}  // namespace tidepool::rt
