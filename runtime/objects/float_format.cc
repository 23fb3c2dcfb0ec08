// Text of floating-point numbers: see the header. Invariant: every result is what CPython prints.
#include "tidepool/runtime/objects/float_format.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace tidepool::rt {
namespace {

size_t PutSpecial(double value, bool upper, char* out) {
  size_t n = 0;
  if (std::isnan(value)) {
    std::memcpy(out, upper ? "NAN" : "nan", 3);
    return 3;
  }
  if (value < 0) out[n++] = '-';
  std::memcpy(out + n, upper ? "INF" : "inf", 3);
  return n + 3;
}

size_t PutExponent(int exponent, char* out) {
  return static_cast<size_t>(std::snprintf(out, 8, "e%c%02d", exponent < 0 ? '-' : '+', std::abs(exponent)));
}

// "1.0" needs a digit after the point, so with kFloatAddDot0 code g turns to the exponent form one digit
// earlier. True: that case was here and is done.
bool FormatAtLimit(double value, int precision, int flags, NumberText* out) {
  size_t room = static_cast<size_t>(precision) + 16;
  char* to = out->Room(room);
  if (to == nullptr) return true;
  int n = std::snprintf(to, room, (flags & kFloatAlternate) != 0 ? "%#.*e" : "%.*e", precision - 1, value);
  char* e = static_cast<char*>(std::memchr(to, 'e', static_cast<size_t>(n)));
  if (std::strtol(e + 1, nullptr, 10) != precision - 1) return false;
  char* end = e;
  if ((flags & kFloatAlternate) == 0 && std::memchr(to, '.', static_cast<size_t>(e - to)) != nullptr) {
    while (end[-1] == '0') --end;
    if (end[-1] == '.') --end;
  }
  size_t tail = static_cast<size_t>(to + n - e);
  std::memmove(end, e, tail);
  out->set_size(static_cast<size_t>(end - to) + tail);
  return true;
}

}  // namespace

NumberText::~NumberText() {
  if (data_ != inline_) std::free(data_);
}

char* NumberText::Room(size_t n) {
  if (data_ != inline_) std::free(data_);
  data_ = n <= sizeof(inline_) ? inline_ : static_cast<char*>(std::malloc(n));
  size_ = 0;
  return data_;
}

// Shortest digits d1d2..dn with the decimal exponent of d1; fixed for -4 <= exponent < 16.
size_t ReprDouble(double value, char* out) {
  if (!std::isfinite(value)) return PutSpecial(value, false, out);
  char text[40];
  auto result = std::to_chars(text, text + sizeof(text) - 1, value, std::chars_format::scientific);
  *result.ptr = 0;
  const char* p = text;
  size_t n = 0;
  if (*p == '-') out[n++] = *p++;
  char digits[24];
  size_t count = 0;
  for (; p < result.ptr && *p != 'e'; ++p) {
    if (*p != '.') digits[count++] = *p;
  }
  int exponent = static_cast<int>(std::strtol(p + 1, nullptr, 10));
  while (count > 1 && digits[count - 1] == '0') --count;
  if (exponent < -4 || exponent >= 16) {
    out[n++] = digits[0];
    if (count > 1) {
      out[n++] = '.';
      std::memcpy(out + n, digits + 1, count - 1);
      n += count - 1;
    }
    return n + PutExponent(exponent, out + n);
  }
  if (exponent < 0) {
    out[n++] = '0';
    out[n++] = '.';
    for (int i = -1; i > exponent; --i) out[n++] = '0';
    std::memcpy(out + n, digits, count);
    return n + count;
  }
  size_t whole = static_cast<size_t>(exponent) + 1;
  for (size_t i = 0; i < whole; ++i) out[n++] = i < count ? digits[i] : '0';
  out[n++] = '.';
  if (count <= whole) {
    out[n++] = '0';
    return n;
  }
  std::memcpy(out + n, digits + whole, count - whole);
  return n + count - whole;
}

bool FormatDouble(double value, char code, int precision, int flags, NumberText* out) {
  bool upper = code >= 'A' && code <= 'Z';
  char lower = upper ? static_cast<char>(code + 32) : code;
  if (!std::isfinite(value)) {
    char* to = out->Room(8);
    out->set_size(PutSpecial(value, upper, to));
    return true;
  }
  if (lower == 'r') {
    char* to = out->Room(kMaxReprDouble + 2);
    size_t n = ReprDouble(value, to);
    if ((flags & kFloatAddDot0) == 0 && n > 2 && to[n - 1] == '0' && to[n - 2] == '.') {
      n -= (flags & kFloatAlternate) != 0 ? 1 : 2;
    }
    char* exponent = static_cast<char*>(std::memchr(to, 'e', n));
    if ((flags & kFloatAlternate) != 0 && exponent != nullptr && std::memchr(to, '.', n) == nullptr) {
      std::memmove(exponent + 1, exponent, n - static_cast<size_t>(exponent - to));
      *exponent = '.';
      ++n;
    }
    out->set_size(n);
    return true;
  }
  if (lower == 'g' && precision == 0) precision = 1;
  if (lower == 'g' && (flags & kFloatAddDot0) != 0 && FormatAtLimit(value, precision, flags, out)) {
    return out->data() != nullptr;
  }
  char pattern[8];
  std::snprintf(pattern, sizeof(pattern), (flags & kFloatAlternate) != 0 ? "%%#.*%c" : "%%.*%c", code);
  size_t room = static_cast<size_t>(precision) + 340;
  char* to = out->Room(room);
  if (to == nullptr) return false;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  int n = std::snprintf(to, room, pattern, precision, value);
#pragma GCC diagnostic pop
  if ((flags & kFloatAddDot0) != 0 && std::memchr(to, '.', static_cast<size_t>(n)) == nullptr &&
      std::memchr(to, upper ? 'E' : 'e', static_cast<size_t>(n)) == nullptr) {
    to[n++] = '.';
    to[n++] = '0';
  }
  out->set_size(static_cast<size_t>(n));
  return true;
}

bool ParseDouble(const char* text, size_t n, double* out) {
  const char* p = text;
  const char* end = text + n;
  bool negative = false;
  if (p < end && (*p == '+' || *p == '-')) negative = *p++ == '-';
  if (p == end) return false;
  auto is_word = [&](const char* word) {
    size_t length = std::strlen(word);
    if (static_cast<size_t>(end - p) != length) return false;
    for (size_t i = 0; i < length; ++i) {
      if ((p[i] | 0x20) != word[i]) return false;
    }
    return true;
  };
  double value;
  if (is_word("inf") || is_word("infinity")) {
    value = std::numeric_limits<double>::infinity();
  } else if (is_word("nan")) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else {
    if (!(*p >= '0' && *p <= '9') && *p != '.') return false;
    auto result = std::from_chars(p, end, value, std::chars_format::general);
    if (result.ptr != end) return false;
    if (result.ec == std::errc::result_out_of_range) {
      // from_chars leaves the value alone: it is huge or tiny, which the C library tells apart. The text is
      // followed by something that is no part of the number or by its terminator, so copy it.
      char small[64];
      char* copy = n < sizeof(small) ? small : static_cast<char*>(std::malloc(n + 1));
      if (copy == nullptr) return false;
      size_t rest = static_cast<size_t>(end - p);
      std::memcpy(copy, p, rest);
      copy[rest] = 0;
      value = std::strtod(copy, nullptr);
      if (copy != small) std::free(copy);
    } else if (result.ec != std::errc()) {
      return false;
    }
  }
  *out = negative ? -value : value;
  return true;
}

double RoundDouble(double value, long digits) {
  if (!std::isfinite(value) || value == 0.0) return value;
  if (digits > 323) return value;
  if (digits < -308) return std::copysign(0.0, value);
  if (digits >= 0) {
    char text[700];
    std::snprintf(text, sizeof(text), "%.*f", static_cast<int>(digits), value);
    return std::strtod(text, nullptr);
  }
  // Negative digits: round the exact decimal expansion at a power of ten, half to even.
  char text[400];
  int n = std::snprintf(text, sizeof(text), "%.0f", std::trunc(std::fabs(value)));
  bool fraction = std::trunc(value) != value;
  int cut = n + static_cast<int>(digits);  // digits kept
  if (cut < 0) return std::copysign(0.0, value);
  char next = text[cut];
  bool rest = fraction;
  for (int i = cut + 1; i < n; ++i) rest |= text[i] != '0';
  bool odd = cut > 0 && ((text[cut - 1] - '0') & 1) != 0;
  bool up = next > '5' || (next == '5' && (rest || odd));
  for (int i = cut; i < n; ++i) text[i] = '0';
  text[n] = 0;
  char shifted[402];
  shifted[0] = '0';
  std::memcpy(shifted + 1, text, static_cast<size_t>(n) + 1);
  if (up) {
    int i = cut;  // index in shifted of the last kept digit (or the leading zero)
    while (shifted[i] == '9') shifted[i--] = '0';
    ++shifted[i];
  }
  return std::copysign(std::strtod(shifted, nullptr), value);
}

}  // namespace tidepool::rt
