// Properties and case mappings of code points, and UTF-8.
//
// What it is: plain functions over code points (char32_t up to 0x10FFFF; lone surrogates are code
// points like others, as in Python). Latin-1 answers come from a 256-entry table built at compile
// time; the rest from bisection in the generated runs of unicode_tables.inc (made by
// tools/gen_unicode.py). No state, no allocation.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_UNICODE_H_
#define TIDEPOOL_RUNTIME_OBJECTS_UNICODE_H_

#include <cstddef>
#include <cstdint>

namespace tidepool::rt::unicode {

inline constexpr uint16_t kAlpha = 1 << 0;
inline constexpr uint16_t kDecimal = 1 << 1;
inline constexpr uint16_t kDigit = 1 << 2;
inline constexpr uint16_t kNumeric = 1 << 3;
inline constexpr uint16_t kSpace = 1 << 4;
inline constexpr uint16_t kUpperCase = 1 << 5;
inline constexpr uint16_t kLowerCase = 1 << 6;
inline constexpr uint16_t kPrintable = 1 << 7;
inline constexpr uint16_t kTitleCase = 1 << 8;
inline constexpr uint16_t kIdPart = 1 << 9;  // may stand in an identifier after its first character

// Property bits of a code point.
uint16_t Properties(char32_t c);

inline bool IsAlpha(char32_t c) { return (Properties(c) & kAlpha) != 0; }
inline bool IsAlnum(char32_t c) { return (Properties(c) & (kAlpha | kDecimal | kDigit | kNumeric)) != 0; }
inline bool IsSpace(char32_t c) {
  if (c < 0x80) return c == ' ' || c - 9 < 5 || c - 28 < 4;  // tab to carriage return, the four separators
  return (Properties(c) & kSpace) != 0;
}
inline bool IsPrintable(char32_t c) { return (Properties(c) & kPrintable) != 0; }
// The first character of an identifier.
inline bool IsIdStart(char32_t c) { return c == '_' || ((Properties(c) & kIdPart) && IsAlpha(c)); }
inline bool IsIdPart(char32_t c) { return (Properties(c) & kIdPart) != 0; }
inline bool IsLineBreak(char32_t c) {
  return (c >= 0x0A && c <= 0x0D) || (c >= 0x1C && c <= 0x1E) || c == 0x85 || c == 0x2028 || c == 0x2029;
}
// Value of a decimal digit of any script, or -1.
int DecimalValue(char32_t c);

// Case mappings write up to three code points and return their number.
inline constexpr size_t kMaxCase = 3;
size_t ToUpper(char32_t c, char32_t out[kMaxCase]);
size_t ToLower(char32_t c, char32_t out[kMaxCase]);
size_t ToTitle(char32_t c, char32_t out[kMaxCase]);
size_t ToFold(char32_t c, char32_t out[kMaxCase]);

// Bytes that a code point takes in UTF-8.
inline size_t Utf8Size(char32_t c) { return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4; }
// Writes Utf8Size(c) bytes.
size_t EncodeUtf8(char32_t c, char* out);

struct Utf8Step {
  char32_t code;  // valid when error is null
  size_t bytes;   // consumed; for an error the length of the bad part
  const char* error;
};
// Decodes one code point at p < end as CPython does (surrogates and overlong forms are errors; the error
// text is CPython's reason).
Utf8Step DecodeUtf8(const char* p, const char* end);

}  // namespace tidepool::rt::unicode

#endif  // TIDEPOOL_RUNTIME_OBJECTS_UNICODE_H_
