// Tests of code point properties, case mappings and UTF-8 against values known from CPython.
#include "tidepool/runtime/objects/unicode.h"

#include <string>

#include <gtest/gtest.h>

namespace tidepool::rt::unicode {
namespace {

std::u32string Map(size_t (*fn)(char32_t, char32_t*), char32_t c) {
  char32_t out[kMaxCase];
  size_t n = fn(c, out);
  return std::u32string(out, n);
}

__extension__ using Wide = unsigned __int128;

// Polynomial fingerprints over all code points; tools/gen_unicode.py's interpreter gave the constants.
uint64_t Mix(uint64_t h, uint64_t x) { return static_cast<uint64_t>((static_cast<Wide>(h) * 1000003 + x) % 2305843009213693951ull); }

TEST(Unicode, PropertiesOfAllCodePointsMatchTheGenerator) {
  uint64_t h = 0;
  for (char32_t c = 0; c < 0x110000; ++c) h = Mix(h, Properties(c) & 0x1FF);
  EXPECT_EQ(h, 325864556704317014ull);
}

TEST(Unicode, CaseMappingsOfAllCodePointsMatchTheGenerator) {
  uint64_t h = 0;
  for (char32_t c = 0; c < 0x110000; ++c) {
    for (auto fn : {ToUpper, ToLower, ToTitle, ToFold}) {
      for (char32_t m : Map(fn, c)) h = Mix(h, m);
    }
  }
  EXPECT_EQ(h, 477074966209781237ull);
}

TEST(Unicode, WellKnownLetters) {
  EXPECT_EQ(Map(ToUpper, U'ß'), U"SS");
  EXPECT_EQ(Map(ToTitle, U'ß'), U"Ss");
  EXPECT_EQ(Map(ToUpper, U'é'), U"É");
  EXPECT_EQ(Map(ToLower, U'Ω'), U"ω");
  EXPECT_TRUE(IsAlpha(U'é'));
  EXPECT_TRUE(IsSpace(0x3000));
  EXPECT_FALSE(IsPrintable(0xAD));
  EXPECT_EQ(DecimalValue(0x0663), 3);
  EXPECT_EQ(DecimalValue(U'x'), -1);
  EXPECT_TRUE(IsIdStart(U'_'));
  EXPECT_FALSE(IsIdStart(U'1'));
  EXPECT_TRUE(IsIdPart(U'1'));
}

TEST(Unicode, Utf8RoundTripAndErrors) {
  for (char32_t c = 0; c < 0x110000; c += 7) {
    if (c >= 0xD800 && c < 0xE000) continue;
    char buffer[4];
    size_t n = EncodeUtf8(c, buffer);
    ASSERT_EQ(n, Utf8Size(c));
    Utf8Step step = DecodeUtf8(buffer, buffer + n);
    ASSERT_EQ(step.error, nullptr);
    ASSERT_EQ(step.code, c);
    ASSERT_EQ(step.bytes, n);
  }
  auto bad = [](std::string s) { return DecodeUtf8(s.data(), s.data() + s.size()); };
  EXPECT_STREQ(bad("\xFF").error, "invalid start byte");
  EXPECT_STREQ(bad("\xC0\x80").error, "invalid start byte");
  EXPECT_STREQ(bad("\xE2\x82").error, "unexpected end of data");
  EXPECT_EQ(bad("\xE2\x82").bytes, 2u);
  EXPECT_STREQ(bad("\xED\xA0\x80").error, "invalid continuation byte");
  EXPECT_EQ(bad("\xED\xA0\x80").bytes, 1u);
  EXPECT_STREQ(bad("\xC3(").error, "invalid continuation byte");
}

}  // namespace
}  // namespace tidepool::rt::unicode
