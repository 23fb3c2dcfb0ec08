// Tests of number text and of the format-spec mini language against what CPython prints.
#include "tidepool/runtime/objects/format_spec.h"

#include <cmath>
#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "tidepool/runtime/objects/float_format.h"

namespace tidepool::rt {
namespace {

std::string Result(const TextBuffer& out, bool ok, const FormatError& error) {
  if (!ok) return std::string("!") + error.message;
  std::string s;
  for (size_t i = 0; i < out.size(); ++i) s += static_cast<char>(out.view()[i]);
  return s;
}

std::string Float(double v, const char* spec_text) {
  FormatSpec spec;
  FormatError error;
  TextBuffer out;
  bool ok = ParseFormatSpec(spec_text, "float", '>', 0, &spec, &error) &&
            FormatFloatSpec(spec, v, "float", &out, &error);
  return Result(out, ok, error);
}

std::string Int(const char* digits, const char* spec_text) {
  FormatSpec spec;
  FormatError error;
  TextBuffer out;
  bool negative = *digits == '-';
  digits += negative;
  bool ok = ParseFormatSpec(spec_text, "int", '>', 0, &spec, &error) && CheckIntSpec(spec, "int", &error) &&
            FormatIntDigits(spec, negative, digits, std::strlen(digits), &out, &error);
  return Result(out, ok, error);
}

std::string TextOf(const char* v, const char* spec_text) {
  FormatSpec spec;
  FormatError error;
  TextBuffer out;
  bool ok = ParseFormatSpec(spec_text, "str", '<', 's', &spec, &error) && FormatTextSpec(spec, v, &out, &error);
  return Result(out, ok, error);
}

std::string ReprOf(double v) {
  char text[kMaxReprDouble];
  return std::string(text, ReprDouble(v, text));
}

TEST(FloatFormat, ShortestRepr) {
  EXPECT_EQ(ReprOf(0.1), "0.1");
  EXPECT_EQ(ReprOf(1e16), "1e+16");
  EXPECT_EQ(ReprOf(1e15), "1000000000000000.0");
  EXPECT_EQ(ReprOf(1e-4), "0.0001");
  EXPECT_EQ(ReprOf(1e-5), "1e-05");
  EXPECT_EQ(ReprOf(-0.0), "-0.0");
  EXPECT_EQ(ReprOf(5e-324), "5e-324");
  EXPECT_EQ(ReprOf(1.7976931348623157e308), "1.7976931348623157e+308");
  EXPECT_EQ(ReprOf(INFINITY), "inf");
  EXPECT_EQ(ReprOf(NAN), "nan");
}

TEST(FloatFormat, RoundsHalfToEvenOnTheExactValue) {
  EXPECT_EQ(RoundDouble(2.675, 2), 2.67);
  EXPECT_EQ(RoundDouble(0.5, 0), 0.0);
  EXPECT_EQ(RoundDouble(1.5, 0), 2.0);
  EXPECT_EQ(RoundDouble(25.0, -1), 20.0);
  EXPECT_EQ(RoundDouble(35.0, -1), 40.0);
  EXPECT_EQ(RoundDouble(99.0, -2), 100.0);
  EXPECT_EQ(RoundDouble(49.9, -2), 0.0);
}

TEST(FloatFormat, ParsesWholeNumbersOnly) {
  double d;
  EXPECT_TRUE(ParseDouble("1e400", 5, &d));
  EXPECT_TRUE(std::isinf(d));
  EXPECT_TRUE(ParseDouble("1e-400", 6, &d));
  EXPECT_EQ(d, 0.0);
  EXPECT_TRUE(ParseDouble("-Infinity", 9, &d));
  EXPECT_FALSE(ParseDouble("1.5x", 4, &d));
  EXPECT_FALSE(ParseDouble("", 0, &d));
  EXPECT_FALSE(ParseDouble("+", 1, &d));
  EXPECT_FALSE(ParseDouble("--1", 3, &d));
}

TEST(FormatSpec, Floats) {
  EXPECT_EQ(Float(1234.5, ",.2f"), "1,234.50");
  EXPECT_EQ(Float(0.25, ".0%"), "25%");
  EXPECT_EQ(Float(48115734253.35034, ".11"), "4.8115734253e+10");
  EXPECT_EQ(Float(1.0, "#.1"), "1.e+00");
  EXPECT_EQ(Float(-0.001, "z.1f"), "0.0");
  EXPECT_EQ(Float(INFINITY, "09_.5e"), "000000inf");
  EXPECT_EQ(Float(3.0, "+010.3g"), "+000000003");
  EXPECT_EQ(Float(1.5, "d"), "!Unknown format code 'd' for object of type 'float'");
}

TEST(FormatSpec, Ints) {
  EXPECT_EQ(Int("1234567", ","), "1,234,567");
  EXPECT_EQ(Int("1234", "08,"), "0,001,234");
  EXPECT_EQ(Int("-255", "#06x"), "-0x255");
  EXPECT_EQ(Int("ff", "#X"), "0XFF");
  EXPECT_EQ(Int("11111111", "_b"), "1111_1111");
  EXPECT_EQ(Int("42", "*^8"), "***42***");
  EXPECT_EQ(Int("42", ".3"), "!Precision not allowed in integer format specifier");
  EXPECT_EQ(Int("42", ",_"), "!Cannot specify both ',' and '_'.");
  EXPECT_EQ(Int("42", "_d,"), "!Invalid format specifier '_d,' for object of type 'int'");
}

TEST(FormatSpec, Text) {
  EXPECT_EQ(TextOf("abc", ">6"), "   abc");
  EXPECT_EQ(TextOf("abc", "*^6.2"), "**ab**");
  EXPECT_EQ(TextOf("abc", "010"), "abc0000000");
  EXPECT_EQ(TextOf("abc", "="), "!'=' alignment not allowed in string format specifier");
  EXPECT_EQ(TextOf("abc", " "), "!Space not allowed in string format specifier");
}

TEST(TextBuffer, WidensAndKeepsWhatIsThere) {
  TextBuffer out;
  for (int i = 0; i < 300; ++i) out.Put(U'a');
  out.Put(U'\u20ac');
  EXPECT_EQ(out.kind(), 2);
  out.Put(U'\U0001F600');
  EXPECT_EQ(out.kind(), 4);
  EXPECT_EQ(out.size(), 302u);
  EXPECT_EQ(out.view()[299], U'a');
  EXPECT_EQ(out.view()[300], U'\u20ac');
  EXPECT_EQ(FindText(out.view(), "aa"), 0u);
  EXPECT_EQ(RFindText(out.view(), "aa"), 298u);
  EXPECT_EQ(FindText("abc", out.view()), kNotFound);
  EXPECT_TRUE(EqualText(out.view().Sub(0, 2), "aa"));
  EXPECT_LT(CompareText("ab", "b"), 0);
}

}  // namespace
}  // namespace tidepool::rt
