// The checksum against known values, in one piece and in many.
#include "tidepool/runtime/modules/crc32.h"

#include <string>

#include "gtest/gtest.h"

namespace tidepool::rt {
namespace {

uint32_t Slow(const std::string& s) {
  uint32_t c = ~0u;
  for (unsigned char b : s) {
    c ^= b;
    for (int i = 0; i < 8; i++) c = (c & 1) != 0 ? (c >> 1) ^ 0xEDB88320u : c >> 1;
  }
  return ~c;
}

TEST(Crc32, KnownValues) {
  EXPECT_EQ(Crc32(0, "", 0), 0u);
  EXPECT_EQ(Crc32(0, "123456789", 9), 0xCBF43926u);
}

TEST(Crc32, EveryLengthAndSplitAgreesWithTheBitwiseLoop) {
  std::string s;
  for (int i = 0; i < 100; i++) {
    const uint32_t whole = Slow(s);
    EXPECT_EQ(Crc32(0, s.data(), s.size()), whole) << i;
    for (size_t cut = 0; cut <= s.size(); cut += 7) {
      EXPECT_EQ(Crc32(Crc32(0, s.data(), cut), s.data() + cut, s.size() - cut), whole);
    }
    s.push_back(static_cast<char>(i * 37 + 11));
  }
}

}  // namespace
}  // namespace tidepool::rt
