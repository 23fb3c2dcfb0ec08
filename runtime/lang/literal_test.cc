// Values of numbers and strings.
#include "tidepool/runtime/lang/literal.h"

#include <cmath>

#include "gtest/gtest.h"

namespace tidepool::rt::lang {
namespace {

Const Number(const std::string& text) {
  Const value;
  std::string error;
  EXPECT_TRUE(ParseNumber(text, &value, &error)) << error;
  return value;
}

TEST(Literal, SmallIntegers) {
  EXPECT_EQ(Number("0").i, 0);
  EXPECT_EQ(Number("1_000").i, 1000);
  EXPECT_EQ(Number("0xFf").i, 255);
  EXPECT_EQ(Number("0b101").i, 5);
  EXPECT_EQ(Number("0o17").i, 15);
  EXPECT_EQ(Number("9223372036854775807").i, INT64_MAX);
  EXPECT_EQ(Number("0x7fffffffffffffff").i, INT64_MAX);
}

TEST(Literal, BigIntegers) {
  Const c = Number("9223372036854775808");  // 2**63
  ASSERT_EQ(c.kind, Const::Kind::kBigInt);
  EXPECT_EQ(c.limbs, (std::vector<uint32_t>{0, 0x80000000}));
  Const negative = Negated(c);  // -2**63 fits
  EXPECT_EQ(negative.kind, Const::Kind::kInt);
  EXPECT_EQ(negative.i, INT64_MIN);
  EXPECT_EQ(Negated(negative).limbs, c.limbs);
  EXPECT_EQ(Number("0x1" + std::string(24, '0')).limbs, (std::vector<uint32_t>{0, 0, 0, 1}));
  EXPECT_EQ(Number("1000000000000000000000000000000").limbs, (std::vector<uint32_t>{1073741824, 1182068202, 2670501072, 12}));  // 10**30
  EXPECT_EQ(Number("18446744073709551616").limbs, (std::vector<uint32_t>{0, 0, 1}));
  EXPECT_EQ(Number("0b1" + std::string(64, '0')).limbs, (std::vector<uint32_t>{0, 0, 1}));
  EXPECT_EQ(Number("0o2" + std::string(21, '0')).limbs, (std::vector<uint32_t>{0, 0, 1}));
  Const value;
  std::string error;
  EXPECT_TRUE(ParseNumber(std::string(4300, '9'), &value, &error));
  EXPECT_FALSE(ParseNumber(std::string(4301, '9'), &value, &error));
  EXPECT_NE(error.find("Exceeds the limit (4300 digits)"), std::string::npos);
}

TEST(Literal, Floats) {
  EXPECT_EQ(Number("1.5").d, 1.5);
  EXPECT_EQ(Number(".5").d, 0.5);
  EXPECT_EQ(Number("5.").d, 5.0);
  EXPECT_EQ(Number("1e3").d, 1000.0);
  EXPECT_EQ(Number("0.1").d, 0.1);
  EXPECT_EQ(Number("1_0.5_5").d, 10.55);
  EXPECT_TRUE(std::isinf(Number("1e999").d));
  EXPECT_EQ(Number("1e-999").d, 0.0);
  EXPECT_TRUE(std::signbit(Negated(Number("0.0")).d));
}

std::string Text(const std::string& body, bool raw = false, bool bytes = false) {
  std::string out, error;
  return DecodeString(body, raw, bytes, &out, &error) ? out : "!" + error;
}

TEST(Literal, Escapes) {
  EXPECT_EQ(Text("a\\n\\t\\\\\\'\\\"b"), "a\n\t\\'\"b");
  EXPECT_EQ(Text("\\x41\\101\\u00e9\\U0001F600"), "AAé😀");
  EXPECT_EQ(Text("a\\\nb"), "ab");
  EXPECT_EQ(Text("\\q\\8"), "\\q\\8");
  EXPECT_EQ(Text("\\x41\\n", true), "\\x41\\n");
  EXPECT_EQ(Text("\\xff\\377", false, true), "\xff\xff");
  EXPECT_EQ(Text("\\u0041", false, true), "\\u0041");
  EXPECT_EQ(Text("\\ud800"), "\xed\xa0\x80");
  EXPECT_EQ(Text("\\x4"), "!(unicode error) 'unicodeescape' codec can't decode bytes in position 0-2: truncated \\xXX escape");
  EXPECT_EQ(Text("\\U00110000"), "!(unicode error) 'unicodeescape' codec can't decode bytes in position 0-9: illegal Unicode character");
  EXPECT_EQ(Text("\\x4", false, true), "!(value error) invalid \\x escape at position 0");
  EXPECT_EQ(Text("é", false, true), "!bytes can only contain ASCII literal characters");
}

}  // namespace
}  // namespace tidepool::rt::lang
