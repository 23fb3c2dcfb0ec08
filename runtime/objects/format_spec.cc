// The format-spec mini language: see the header. Invariant: a writer that returns false has set the
// error; what it has put into the buffer by then is thrown away by the caller.
#include "tidepool/runtime/objects/format_spec.h"

#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "tidepool/runtime/objects/float_format.h"
#include "tidepool/runtime/objects/unicode.h"

namespace tidepool::rt {
namespace {

bool IsAlign(char32_t c) { return c == '<' || c == '>' || c == '=' || c == '^'; }

bool Fail(FormatError* error, const char* message) {
  error->kind = FormatError::kValue;
  std::snprintf(error->message, sizeof(error->message), "%s", message);
  return false;
}

bool NoMemory(FormatError* error) {
  error->kind = FormatError::kMemory;
  return false;
}

// Reads decimal digits; false on overflow.
bool ReadNumber(TextView text, size_t* at, int64_t* out) {
  int64_t value = 0;
  while (*at < text.size) {
    int digit = unicode::DecimalValue(text[*at]);
    if (digit < 0) break;
    if (value > (std::numeric_limits<int64_t>::max() - digit) / 10) return false;
    value = value * 10 + digit;
    ++*at;
  }
  *out = value;
  return true;
}

bool CannotGroup(char grouping, char32_t type, FormatError* error) {
  error->kind = FormatError::kValue;
  if (type > 32 && type < 128) {
    std::snprintf(error->message, sizeof(error->message), "Cannot specify '%c' with '%c'.", grouping,
                  static_cast<char>(type));
  } else {
    std::snprintf(error->message, sizeof(error->message), "Cannot specify '%c' with '\\x%x'.", grouping,
                  static_cast<unsigned>(type));
  }
  return false;
}

// Sign, prefix, digits (grouped, zero-filled if asked), then the rest of a number (fraction, exponent, %).
struct NumberParts {
  char sign = 0;
  const char* prefix = "";
  const char* digits = nullptr;
  size_t digit_count = 0;
  const char* rest = nullptr;
  size_t rest_count = 0;
  int group = 3;
};

bool WriteNumber(const FormatSpec& spec, const NumberParts& parts, TextBuffer* out, FormatError* error) {
  size_t lead = (parts.sign != 0 ? 1 : 0) + std::strlen(parts.prefix);
  size_t group = static_cast<size_t>(parts.group);
  size_t digits = parts.digit_count;
  const char grouping = parts.digit_count == 0 ? 0 : spec.grouping;  // inf and nan are not grouped
  bool zeros = spec.fill == '0' && spec.align == '=';
  size_t width = spec.width > 0 ? static_cast<size_t>(spec.width) : 0;
  if (zeros) {
    // The zeros are digits: they are grouped too, and never begin with a separator.
    size_t fixed = lead + parts.rest_count;
    size_t room = width > fixed ? width - fixed : 0;
    if (grouping == 0) {
      if (digits < room) digits = room;
    } else {
      size_t padded = room / (group + 1) * group + room % (group + 1);
      if (room != 0 && room % (group + 1) == 0) padded += 1;  // a separator in front needs one more digit
      if (digits < padded) digits = padded;
    }
  }
  size_t separators = grouping != 0 && digits > 0 ? (digits - 1) / group : 0;
  size_t total = lead + digits + separators + parts.rest_count;
  size_t padding = width > total ? width - total : 0;
  size_t left = 0;
  size_t inside = 0;
  size_t right = 0;
  switch (spec.align) {
    case '<': right = padding; break;
    case '^': left = padding / 2; right = padding - left; break;
    case '=': inside = padding; break;
    default: left = padding; break;
  }
  out->Fill(spec.fill, left);
  if (parts.sign != 0) out->Put(static_cast<char32_t>(parts.sign));
  out->PutBytes(parts.prefix, std::strlen(parts.prefix));
  out->Fill(spec.fill, inside);
  size_t zero_count = digits - parts.digit_count;
  if (separators == 0) {
    out->Fill('0', zero_count);
    out->PutBytes(parts.digits, parts.digit_count);
  } else {
    for (size_t i = 0; i < digits; ++i) {
      if (i != 0 && (digits - i) % group == 0) out->Put(static_cast<char32_t>(grouping));
      out->Put(i < zero_count ? U'0' : static_cast<char32_t>(parts.digits[i - zero_count]));
    }
  }
  if (parts.rest_count != 0) out->PutBytes(parts.rest, parts.rest_count);
  out->Fill(spec.fill, right);
  return out->failed() ? NoMemory(error) : true;
}

char SignFor(const FormatSpec& spec, bool negative) {
  if (negative) return '-';
  return spec.sign == '+' || spec.sign == ' ' ? spec.sign : 0;
}

}  // namespace

bool ParseFormatSpec(TextView text, const char* type_name, char default_align, char default_type, FormatSpec* spec,
                     FormatError* error) {
  size_t at = 0;
  spec->align = default_align;
  spec->type = static_cast<char32_t>(default_type);
  bool fill_given = false;
  if (text.size >= 2 && IsAlign(text[1])) {
    spec->fill = text[0];
    spec->align = static_cast<char>(text[1]);
    fill_given = spec->align_given = true;
    at = 2;
  } else if (text.size >= 1 && IsAlign(text[0])) {
    spec->align = static_cast<char>(text[0]);
    spec->align_given = true;
    at = 1;
  }
  auto next_is = [&](char c) { return at < text.size && text[at] == static_cast<char32_t>(c); };
  if (next_is('+') || next_is('-') || next_is(' ')) spec->sign = static_cast<char>(text[at++]);
  if (next_is('z')) {
    spec->no_negative_zero = true;
    ++at;
  }
  if (next_is('#')) {
    spec->alternate = true;
    ++at;
  }
  if (!fill_given && next_is('0')) {
    spec->fill = '0';
    if (!spec->align_given && default_align == '>') spec->align = '=';
    ++at;
  }
  size_t before = at;
  int64_t number;
  if (!ReadNumber(text, &at, &number)) return Fail(error, "Too many decimal digits in format string");
  if (at != before) spec->width = number;
  if (next_is(',')) {
    spec->grouping = ',';
    ++at;
  }
  if (next_is('_')) {
    if (spec->grouping != 0) return Fail(error, "Cannot specify both ',' and '_'.");
    spec->grouping = '_';
    ++at;
  }
  if (next_is(',') && spec->grouping == '_') {
    return Fail(error, "Cannot specify both ',' and '_'.");
  }
  if (next_is('.')) {
    ++at;
    before = at;
    if (!ReadNumber(text, &at, &number)) return Fail(error, "Too many decimal digits in format string");
    if (at == before) return Fail(error, "Format specifier missing precision");
    spec->precision = number;
  }
  if (text.size - at > 1) {
    error->kind = FormatError::kValue;
    char shown[100];
    size_t n = 0;
    for (size_t i = 0; i < text.size && n + 4 < sizeof(shown); ++i) n += unicode::EncodeUtf8(text[i], shown + n);
    shown[n] = 0;
    std::snprintf(error->message, sizeof(error->message), "Invalid format specifier '%s' for object of type '%s'",
                  shown, type_name);
    return false;
  }
  if (text.size - at == 1) spec->type = text[at];
  if (spec->grouping != 0) {
    switch (spec->type) {
      case 'd': case 'e': case 'f': case 'g': case 'E': case 'G': case '%': case 'F': case 0:
        break;
      case 'b': case 'o': case 'x': case 'X':
        if (spec->grouping == '_') break;
        return CannotGroup(spec->grouping, spec->type, error);
      default:
        return CannotGroup(spec->grouping, spec->type, error);
    }
  }
  return true;
}

void UnknownFormatCode(const FormatSpec& spec, const char* type_name, FormatError* error) {
  error->kind = FormatError::kValue;
  if (spec.type > 32 && spec.type < 128) {
    std::snprintf(error->message, sizeof(error->message), "Unknown format code '%c' for object of type '%s'",
                  static_cast<char>(spec.type), type_name);
  } else {
    std::snprintf(error->message, sizeof(error->message), "Unknown format code '\\x%x' for object of type '%s'",
                  static_cast<unsigned>(spec.type), type_name);
  }
}

bool CheckIntSpec(const FormatSpec& spec, const char* type_name, FormatError* error) {
  switch (spec.type) {
    case 0: case 'b': case 'c': case 'd': case 'o': case 'x': case 'X': case 'n':
      break;
    default:
      UnknownFormatCode(spec, type_name, error);
      return false;
  }
  if (spec.precision != -1) return Fail(error, "Precision not allowed in integer format specifier");
  if (spec.no_negative_zero) {
    return Fail(error, "Negative zero coercion (z) not allowed in integer format specifier");
  }
  if (spec.type == 'c') {
    if (spec.sign != 0) return Fail(error, "Sign not allowed with integer format specifier 'c'");
    if (spec.alternate) return Fail(error, "Alternate form (#) not allowed with integer format specifier 'c'");
  }
  return true;
}

bool FormatIntDigits(const FormatSpec& spec, bool negative, const char* digits, size_t count, TextBuffer* out,
                     FormatError* error) {
  NumberParts parts;
  parts.sign = SignFor(spec, negative);
  if (spec.alternate) {
    switch (spec.type) {
      case 'b': parts.prefix = "0b"; break;
      case 'o': parts.prefix = "0o"; break;
      case 'x': parts.prefix = "0x"; break;
      case 'X': parts.prefix = "0X"; break;
      default: break;
    }
  }
  if (spec.type == 'b' || spec.type == 'o' || spec.type == 'x' || spec.type == 'X') parts.group = 4;
  parts.digits = digits;
  parts.digit_count = count;
  if (spec.type != 'X') return WriteNumber(spec, parts, out, error);
  // Upper case: the prefix is right already; turn the digits on a copy in a second buffer.
  TextBuffer upper;
  for (size_t i = 0; i < count; ++i) {
    char c = digits[i];
    upper.Put(static_cast<char32_t>(c >= 'a' && c <= 'z' ? c - 32 : c));
  }
  if (upper.failed()) return NoMemory(error);
  parts.digits = static_cast<const char*>(upper.view().data);
  return WriteNumber(spec, parts, out, error);
}

bool FormatCharSpec(const FormatSpec& spec, char32_t c, TextBuffer* out, FormatError* error) {
  FormatSpec text_spec = spec;
  if (text_spec.align == '=') text_spec.align = '>';
  text_spec.sign = 0;
  text_spec.alternate = false;
  uint32_t one = c;
  text_spec.align_given = true;
  return FormatTextSpec(text_spec, TextView(&one, 1, 4), out, error);
}

bool FormatFloatSpec(const FormatSpec& spec, double value, const char* type_name, TextBuffer* out,
                     FormatError* error) {
  char code;
  int flags = spec.alternate ? kFloatAlternate : 0;
  switch (spec.type) {
    case 0:
      code = spec.precision < 0 ? 'r' : 'g';
      flags |= kFloatAddDot0;
      break;
    case 'n': code = 'g'; break;
    case '%': code = 'f'; break;
    case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
      code = static_cast<char>(spec.type);
      break;
    default:
      UnknownFormatCode(spec, type_name, error);
      return false;
  }
  if (spec.precision > std::numeric_limits<int>::max() - 512) return Fail(error, "precision too big");
  int precision = spec.precision < 0 ? 6 : static_cast<int>(spec.precision);
  if (spec.type == '%') value *= 100;
  NumberText text;
  if (!FormatDouble(value, code, precision, flags, &text)) return NoMemory(error);
  const char* p = text.data();
  size_t n = text.size();
  bool negative = n > 0 && *p == '-';
  if (negative) {
    ++p;
    --n;
  }
  if (negative && spec.no_negative_zero) {
    bool zero = true;
    for (size_t i = 0; i < n && p[i] != 'e' && p[i] != 'E'; ++i) zero &= p[i] == '0' || p[i] == '.';
    if (zero) negative = false;
  }
  NumberParts parts;
  parts.sign = SignFor(spec, negative);
  parts.digits = p;
  size_t digits = 0;
  while (digits < n && p[digits] >= '0' && p[digits] <= '9') ++digits;
  parts.digit_count = digits;
  TextBuffer rest;
  rest.PutBytes(p + digits, n - digits);
  if (spec.type == '%') rest.Put(U'%');
  if (rest.failed()) return NoMemory(error);
  parts.rest = static_cast<const char*>(rest.view().data);
  parts.rest_count = rest.size();
  return WriteNumber(spec, parts, out, error);
}

bool FormatTextSpec(const FormatSpec& spec, TextView text, TextBuffer* out, FormatError* error) {
  if (spec.sign != 0) {
    return Fail(error, spec.sign == ' ' ? "Space not allowed in string format specifier"
                                        : "Sign not allowed in string format specifier");
  }
  if (spec.no_negative_zero) {
    return Fail(error, "Negative zero coercion (z) not allowed in string format specifier");
  }
  if (spec.alternate) return Fail(error, "Alternate form (#) not allowed in string format specifier");
  if (spec.align == '=') return Fail(error, "'=' alignment not allowed in string format specifier");
  if (spec.precision >= 0 && static_cast<size_t>(spec.precision) < text.size) {
    text = text.Sub(0, static_cast<size_t>(spec.precision));
  }
  size_t width = spec.width > 0 ? static_cast<size_t>(spec.width) : 0;
  size_t padding = width > text.size ? width - text.size : 0;
  size_t left = spec.align == '>' ? padding : spec.align == '^' ? padding / 2 : 0;
  out->Fill(spec.fill, left);
  out->Put(text);
  out->Fill(spec.fill, padding - left);
  return out->failed() ? NoMemory(error) : true;
}

}  // namespace tidepool::rt
