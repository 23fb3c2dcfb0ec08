// Values of literals. Integers that do not fit 64 bits become limbs; decimal ones are limited in length
// as in CPython, because their conversion takes quadratic time.
#include "tidepool/runtime/lang/literal.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "tidepool/runtime/lang/unicode_id.h"

namespace tidepool::rt::lang {
namespace {

constexpr size_t kMaxDecimalDigits = 4300;

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  c = static_cast<char>(c | 0x20);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void MulAdd(std::vector<uint32_t>* limbs, uint32_t factor, uint32_t carry) {
  uint64_t c = carry;
  for (uint32_t& limb : *limbs) {
    c += static_cast<uint64_t>(limb) * factor;
    limb = static_cast<uint32_t>(c);
    c >>= 32;
  }
  if (c != 0) limbs->push_back(static_cast<uint32_t>(c));
}

// Sets an integer constant from a magnitude, in its small form if it fits.
void SetInteger(std::vector<uint32_t> limbs, bool negative, Const* value) {
  while (!limbs.empty() && limbs.back() == 0) limbs.pop_back();
  uint64_t low = 0;
  if (limbs.size() > 0) low = limbs[0];
  if (limbs.size() > 1) low |= static_cast<uint64_t>(limbs[1]) << 32;
  uint64_t limit = negative ? uint64_t{1} << 63 : (uint64_t{1} << 63) - 1;
  if (limbs.size() <= 2 && low <= limit) {
    value->kind = Const::Kind::kInt;
    value->i = static_cast<int64_t>(negative ? 0 - low : low);
    return;
  }
  value->kind = Const::Kind::kBigInt;
  value->negative = negative;
  value->limbs = std::move(limbs);
}

void ParsePowerOfTwo(const std::string& digits, int bits, Const* value) {
  std::vector<uint32_t> limbs;
  uint64_t acc = 0;
  int filled = 0;
  for (size_t i = digits.size(); i > 0; i--) {
    acc |= static_cast<uint64_t>(HexDigit(digits[i - 1])) << filled;
    filled += bits;
    if (filled >= 32) {
      limbs.push_back(static_cast<uint32_t>(acc));
      acc >>= 32;
      filled -= 32;
    }
  }
  if (filled > 0) limbs.push_back(static_cast<uint32_t>(acc));
  SetInteger(std::move(limbs), false, value);
}

}  // namespace

bool ParseNumber(std::string_view text, Const* value, std::string* error) {
  std::string clean;
  for (char c : text) {
    if (c != '_') clean.push_back(c);
  }
  *value = Const{};
  if (clean.size() > 2 && clean[0] == '0') {
    char k = static_cast<char>(clean[1] | 0x20);
    int bits = k == 'x' ? 4 : k == 'o' ? 3 : k == 'b' ? 1 : 0;
    if (bits != 0) {
      ParsePowerOfTwo(clean.substr(2), bits, value);
      return true;
    }
  }
  if (clean.find_first_of(".eE") != std::string::npos) {
    value->kind = Const::Kind::kFloat;
    auto result = std::from_chars(clean.data(), clean.data() + clean.size(), value->d);
    if (result.ec != std::errc()) value->d = strtod(clean.c_str(), nullptr);  // overflow gives inf, underflow 0
    return true;
  }
  size_t lead = clean.find_first_not_of('0');
  if (lead == std::string::npos) {
    value->kind = Const::Kind::kInt;
    return true;
  }
  clean.erase(0, lead);
  if (clean.size() > kMaxDecimalDigits) {
    char buffer[256];
    snprintf(buffer, sizeof buffer,
             "Exceeds the limit (%zu digits) for integer string conversion: value has %zu digits; use "
             "sys.set_int_max_str_digits() to increase the limit - Consider hexadecimal for huge integer literals to avoid "
             "decimal conversion limits.",
             kMaxDecimalDigits, clean.size());
    *error = buffer;
    return false;
  }
  std::vector<uint32_t> limbs;
  for (size_t i = 0; i < clean.size(); i += 9) {
    size_t n = std::min<size_t>(9, clean.size() - i);
    uint32_t chunk = 0, factor = 1;
    for (size_t j = 0; j < n; j++) {
      chunk = chunk * 10 + static_cast<uint32_t>(clean[i + j] - '0');
      factor *= 10;
    }
    MulAdd(&limbs, factor, chunk);
  }
  SetInteger(std::move(limbs), false, value);
  return true;
}

bool DecodeString(std::string_view body, bool raw, bool bytes, std::string* out, std::string* error) {
  if (bytes) {
    for (char c : body) {
      if (static_cast<uint8_t>(c) >= 0x80) {
        *error = "bytes can only contain ASCII literal characters";
        return false;
      }
    }
  }
  if (raw || body.find('\\') == std::string_view::npos) {
    out->append(body);
    return true;
  }
  for (size_t i = 0; i < body.size();) {
    char c = body[i];
    if (c != '\\' || i + 1 >= body.size()) {
      out->push_back(c);
      i++;
      continue;
    }
    size_t escape = i;
    c = body[i + 1];
    i += 2;
    auto append = [&](uint32_t value) {
      if (bytes) {
        out->push_back(static_cast<char>(value));
      } else {
        AppendUtf8(value, out);
      }
    };
    switch (c) {
      case '\n': break;
      case '\\': case '\'': case '"': out->push_back(c); break;
      case 'a': out->push_back('\a'); break;
      case 'b': out->push_back('\b'); break;
      case 'f': out->push_back('\f'); break;
      case 'n': out->push_back('\n'); break;
      case 'r': out->push_back('\r'); break;
      case 't': out->push_back('\t'); break;
      case 'v': out->push_back('\v'); break;
      case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': {
        uint32_t value = static_cast<uint32_t>(c - '0');
        for (int n = 1; n < 3 && i < body.size() && body[i] >= '0' && body[i] <= '7'; n++) value = value * 8 + (body[i++] - '0');
        append(bytes ? value & 0xff : value);
        break;
      }
      case 'x': case 'u': case 'U': {
        if (bytes && c != 'x') {
          out->push_back('\\');
          out->push_back(c);
          break;
        }
        size_t want = c == 'x' ? 2 : c == 'u' ? 4 : 8, got = 0;
        uint32_t value = 0;
        while (got < want && i < body.size() && HexDigit(body[i]) >= 0) {
          value = value * 16 + static_cast<uint32_t>(HexDigit(body[i++]));
          got++;
        }
        char buffer[160];
        if (got < want) {
          if (bytes) {
            snprintf(buffer, sizeof buffer, "(value error) invalid \\x escape at position %zu", escape);
          } else {
            snprintf(buffer, sizeof buffer, "(unicode error) 'unicodeescape' codec can't decode bytes in position %zu-%zu: truncated %s escape",
                     escape, i - 1, c == 'x' ? "\\xXX" : c == 'u' ? "\\uXXXX" : "\\UXXXXXXXX");
          }
          *error = buffer;
          return false;
        }
        if (value > 0x10ffff) {
          snprintf(buffer, sizeof buffer, "(unicode error) 'unicodeescape' codec can't decode bytes in position %zu-%zu: illegal Unicode character",
                   escape, i - 1);
          *error = buffer;
          return false;
        }
        append(value);
        break;
      }
      case 'N':
        if (!bytes) {
          *error = "(unicode error) character names (\\N{...}) are not supported";
          return false;
        }
        [[fallthrough]];
      default:  // an unknown escape stays as it is
        out->push_back('\\');
        out->push_back(c);
    }
  }
  return true;
}

Const Negated(const Const& value) {
  Const result;
  if (value.kind == Const::Kind::kFloat) {
    result.kind = value.kind;
    result.d = -value.d;
    return result;
  }
  std::vector<uint32_t> limbs = value.limbs;
  bool negative = value.negative;
  if (value.kind == Const::Kind::kInt) {
    negative = value.i < 0;
    uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(value.i) : static_cast<uint64_t>(value.i);
    limbs = {static_cast<uint32_t>(magnitude), static_cast<uint32_t>(magnitude >> 32)};
  }
  SetInteger(std::move(limbs), !negative, &result);
  return result;
}

}  // namespace tidepool::rt::lang
