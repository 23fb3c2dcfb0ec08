// The random generator against sequences that CPython prints.
#include "tidepool/runtime/modules/mersenne.h"

#include <string>

#include "gtest/gtest.h"
#include "tidepool/runtime/modules/sha512.h"

namespace tidepool::rt {
namespace {

TEST(Mersenne, SameAsCPython) {
  Mersenne m;
  const uint32_t seed = 42;
  m.Seed(&seed, 1);
  EXPECT_EQ(m.NextDouble(), 0.6394267984578837);  // random.Random(42).random()
  EXPECT_EQ(m.NextDouble(), 0.025010755222666936);
  const uint32_t key[] = {0x123, 0x234, 0x345, 0x456};  // the authors' own test
  m.Seed(key, 4);
  EXPECT_EQ(m.Next(), 1067595299u);
  EXPECT_EQ(m.Next(), 955945823u);
}

TEST(Mersenne, EmptyKeyIsZero) {
  Mersenne a, b;
  const uint32_t zero = 0;
  a.Seed(nullptr, 0);
  b.Seed(&zero, 1);
  EXPECT_EQ(a.Next(), b.Next());
}

std::string Hex(const std::string& text) {
  unsigned char digest[64];
  Sha512(text.data(), text.size(), digest);
  std::string out;
  for (unsigned char c : digest) {
    out += "0123456789abcdef"[c >> 4];
    out += "0123456789abcdef"[c & 15];
  }
  return out;
}

TEST(Sha512, KnownDigests) {
  EXPECT_EQ(Hex("abc").substr(0, 32), "ddaf35a193617abacc417349ae204131");
  EXPECT_EQ(Hex("").substr(0, 32), "cf83e1357eefb8bdf1542850d66d8007");
  EXPECT_EQ(Hex(std::string(111, 'a')).substr(0, 16), "fa9121c7b32b9e01");
  EXPECT_EQ(Hex(std::string(112, 'a')).substr(0, 16), "c01d080efd492776");
  EXPECT_EQ(Hex(std::string(1000, 'x')).substr(0, 16), "ae13575c5d98bfa6");
}

}  // namespace
}  // namespace tidepool::rt
