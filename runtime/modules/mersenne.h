// The Mersenne twister MT19937, seeded and read as CPython's random does, so that the sequences are the same.
#ifndef TIDEPOOL_RUNTIME_MODULES_MERSENNE_H_
#define TIDEPOOL_RUNTIME_MODULES_MERSENNE_H_

#include <cstddef>
#include <cstdint>

namespace tidepool::rt {

class Mersenne {
 public:
  static constexpr int kWords = 624;

  // From a key of 32-bit words; an empty one counts as {0}.
  void Seed(const uint32_t* key, size_t words);
  uint32_t Next();
  // 53 bits in [0, 1).
  double NextDouble() {
    const uint32_t a = Next() >> 5;
    const uint32_t b = Next() >> 6;
    return (a * 67108864.0 + b) / 9007199254740992.0;
  }

  // For getstate and setstate: the words, and the index of the next one.
  uint32_t words[kWords];
  int index = kWords;

 private:
  void SeedWord(uint32_t seed);
  void Refill();
};

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_MODULES_MERSENNE_H_
