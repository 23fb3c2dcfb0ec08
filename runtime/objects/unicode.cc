// Unicode properties, case mappings and UTF-8: see the header. Invariant: the generated tables are
// sorted by code point, so that every look-up is one bisection.
#include "tidepool/runtime/objects/unicode.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace tidepool::rt::unicode {
namespace {

struct CaseRange {
  uint32_t first;
  uint32_t last;
  uint32_t step;
  int32_t delta;
};

struct CaseSpecial {
  uint32_t code;
  uint32_t mapped[3];
};

#include "tidepool/runtime/objects/unicode_tables.inc"

constexpr uint32_t kAlternating = 1 << 10;
constexpr uint32_t kFlagMask = (1 << 10) - 1;

constexpr uint16_t SearchRuns(char32_t c) {
  size_t low = 0;
  size_t high = std::size(kRuns);
  while (high - low > 1) {
    size_t middle = (low + high) / 2;
    if ((kRuns[middle] >> 11) <= c) {
      low = middle;
    } else {
      high = middle;
    }
  }
  uint32_t run = kRuns[low];
  if ((run & kAlternating) != 0) {
    // Alternating runs are written as two neighbouring entries; which of the two was found depends on c.
    uint32_t start = run >> 11;
    bool second = low > 0 && (kRuns[low - 1] & kAlternating) != 0 && (kRuns[low - 1] >> 11) == start - 1;
    // Two alternating runs may touch: an entry is the second of a pair when its pair started before it and
    // the number of linked predecessors is odd.
    if (second) {
      size_t links = 0;
      for (size_t i = low; i > 0 && (kRuns[i - 1] & kAlternating) != 0 && (kRuns[i - 1] >> 11) == (kRuns[i] >> 11) - 1;
           --i) {
        ++links;
      }
      second = links % 2 == 1;
    }
    if (second && (c - start) % 2 == 1) run = kRuns[low - 1];
  }
  return static_cast<uint16_t>(run & kFlagMask);
}

constexpr std::array<uint16_t, 256> MakeLatin1() {
  std::array<uint16_t, 256> table{};
  for (char32_t c = 0; c < 256; ++c) table[c] = SearchRuns(c);
  return table;
}

constexpr std::array<uint16_t, 256> kLatin1 = MakeLatin1();

template <size_t N>
bool FindRange(const CaseRange (&table)[N], char32_t c, char32_t* out) {
  auto it = std::upper_bound(std::begin(table), std::end(table), c,
                             [](char32_t code, const CaseRange& r) { return code < r.first; });
  if (it == std::begin(table)) return false;
  --it;
  if (c > it->last || (c - it->first) % it->step != 0) return false;
  *out = static_cast<char32_t>(static_cast<int32_t>(c) + it->delta);
  return true;
}

template <size_t N>
size_t FindSpecial(const CaseSpecial (&table)[N], char32_t c, char32_t* out) {
  auto it = std::lower_bound(std::begin(table), std::end(table), c,
                             [](const CaseSpecial& s, char32_t code) { return s.code < code; });
  if (it == std::end(table) || it->code != c) return 0;
  size_t n = 0;
  for (; n < kMaxCase && it->mapped[n] != 0; ++n) out[n] = it->mapped[n];
  return n;
}

}  // namespace

uint16_t Properties(char32_t c) { return c < 256 ? kLatin1[c] : SearchRuns(c); }

int DecimalValue(char32_t c) {
  if (c < 0x80) return c >= '0' && c <= '9' ? static_cast<int>(c - '0') : -1;
  auto it = std::upper_bound(std::begin(kZeros), std::end(kZeros), static_cast<uint32_t>(c));
  if (it == std::begin(kZeros)) return -1;
  --it;
  return c - *it < 10 ? static_cast<int>(c - *it) : -1;
}

size_t ToUpper(char32_t c, char32_t out[kMaxCase]) {
  if (c < 0x80) {
    out[0] = c >= 'a' && c <= 'z' ? c - 32 : c;
    return 1;
  }
  if (size_t n = FindSpecial(kUpperSpecial, c, out); n != 0) return n;
  if (!FindRange(kUpper, c, out)) out[0] = c;
  return 1;
}

size_t ToLower(char32_t c, char32_t out[kMaxCase]) {
  if (c < 0x80) {
    out[0] = c >= 'A' && c <= 'Z' ? c + 32 : c;
    return 1;
  }
  if (size_t n = FindSpecial(kLowerSpecial, c, out); n != 0) return n;
  if (!FindRange(kLower, c, out)) out[0] = c;
  return 1;
}

size_t ToTitle(char32_t c, char32_t out[kMaxCase]) {
  if (c >= 0x80) {
    if (size_t n = FindSpecial(kTitleSpecial, c, out); n != 0) return n;
    if (FindRange(kTitle, c, out)) return 1;
  }
  return ToUpper(c, out);
}

size_t ToFold(char32_t c, char32_t out[kMaxCase]) {
  if (c >= 0x80) {
    if (size_t n = FindSpecial(kFoldSpecial, c, out); n != 0) return n;
  }
  return ToLower(c, out);
}

size_t EncodeUtf8(char32_t c, char* out) {
  if (c < 0x80) {
    out[0] = static_cast<char>(c);
    return 1;
  }
  if (c < 0x800) {
    out[0] = static_cast<char>(0xC0 | (c >> 6));
    out[1] = static_cast<char>(0x80 | (c & 0x3F));
    return 2;
  }
  if (c < 0x10000) {
    out[0] = static_cast<char>(0xE0 | (c >> 12));
    out[1] = static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out[2] = static_cast<char>(0x80 | (c & 0x3F));
    return 3;
  }
  out[0] = static_cast<char>(0xF0 | (c >> 18));
  out[1] = static_cast<char>(0x80 | ((c >> 12) & 0x3F));
  out[2] = static_cast<char>(0x80 | ((c >> 6) & 0x3F));
  out[3] = static_cast<char>(0x80 | (c & 0x3F));
  return 4;
}

Utf8Step DecodeUtf8(const char* p, const char* end) {
  auto at = [&](size_t i) { return static_cast<unsigned char>(p[i]); };
  size_t left = static_cast<size_t>(end - p);
  unsigned char first = at(0);
  if (first < 0x80) return {first, 1, nullptr};
  size_t need = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
  if (first < 0xC2 || first > 0xF4) return {0, 1, "invalid start byte"};
  unsigned char low = 0x80;
  unsigned char high = 0xBF;
  if (first == 0xE0) low = 0xA0;
  if (first == 0xED) high = 0x9F;
  if (first == 0xF0) low = 0x90;
  if (first == 0xF4) high = 0x8F;
  char32_t code = first & (0x3F >> need);
  for (size_t i = 1; i <= need; ++i) {
    if (i >= left) return {0, i, "unexpected end of data"};
    if (at(i) < low || at(i) > high) return {0, i, "invalid continuation byte"};
    code = (code << 6) | (at(i) & 0x3F);
    low = 0x80;
    high = 0xBF;
  }
  return {code, need + 1, nullptr};
}

}  // namespace tidepool::rt::unicode
