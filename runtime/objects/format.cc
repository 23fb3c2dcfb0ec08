// format() of the builtin kinds, and str.format. The % operator is in format_percent.cc.
#include "tidepool/runtime/objects/format.h"

#include <cstring>

#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/float.h"
#include "tidepool/runtime/objects/format_spec.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/objects/unicode.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

Ref RaiseFormat(Context& cx, const FormatError& error) {
  if (error.kind == FormatError::kMemory) return RaiseMemoryError(cx);
  return RaiseValueError(cx, "%s", error.message);
}

bool IsFloatCode(char32_t c) {
  return c == 'e' || c == 'E' || c == 'f' || c == 'F' || c == 'g' || c == 'G' || c == '%';
}

Ref FormatInt(Context& cx, Value v, const FormatSpec& spec, const char* type_name) {
  FormatError error;
  TextBuffer out;
  if (IsFloatCode(spec.type)) {
    double d;
    if (!IntToDouble(cx, v, &d)) return nullptr;
    if (!FormatFloatSpec(spec, d, type_name, &out, &error)) return RaiseFormat(cx, error);
    return NewStrFromBuffer(cx, out);
  }
  if (!CheckIntSpec(spec, type_name, &error)) return RaiseFormat(cx, error);
  if (spec.type == 'c') {
    int64_t c;
    if (!IntToInt64(v, &c) || c < 0 || c > 0x10FFFF) {
      return RaiseOverflowError(cx, "%%c arg not in range(0x110000)");
    }
    if (!FormatCharSpec(spec, static_cast<char32_t>(c), &out, &error)) return RaiseFormat(cx, error);
    return NewStrFromBuffer(cx, out);
  }
  int base = spec.type == 'b' ? 2 : spec.type == 'o' ? 8 : spec.type == 'x' || spec.type == 'X' ? 16 : 10;
  Ref text = IntToStr(cx, v, base);
  if (!text) return nullptr;
  std::string_view digits = AsciiView(text.as<Str>());
  bool negative = digits[0] == '-';
  if (negative) digits.remove_prefix(1);
  if (!FormatIntDigits(spec, negative, digits.data(), digits.size(), &out, &error)) return RaiseFormat(cx, error);
  return NewStrFromBuffer(cx, out);
}

// ---- str.format

class Formatter {
 public:
  // `mapping`, if not null, is where names are looked up instead of in the keywords.
  Formatter(Context& cx, const Args& args, Value mapping = Value()) : cx_(cx), args_(args), mapping_(mapping) {}

  // Expands `text` into `out`; depth is how deep replacement fields may nest.
  bool Expand(TextView text, int depth, TextBuffer* out) {
    if (depth < 0) return RaiseValueError(cx_, "Max string recursion exceeded"), false;
    size_t i = 0;
    while (i < text.size) {
      char32_t c = text[i];
      if (c == '}') {
        if (i + 1 < text.size && text[i + 1] == '}') {
          out->Put(c);
          i += 2;
          continue;
        }
        return RaiseValueError(cx_, "Single '}' encountered in format string"), false;
      }
      if (c != '{') {
        size_t end = i + 1;
        while (end < text.size && text[end] != '{' && text[end] != '}') ++end;
        out->Put(text.Sub(i, end));
        i = end;
        continue;
      }
      if (i + 1 == text.size) return RaiseValueError(cx_, "Single '{' encountered in format string"), false;
      if (text[i + 1] == '{') {
        out->Put(c);
        i += 2;
        continue;
      }
      size_t end;
      if (!FieldEnd(text, i + 1, &end)) return false;
      if (!Field(text.Sub(i + 1, end), depth, out)) return false;
      i = end + 1;
    }
    return true;
  }

 private:
  // The '}' that closes the field that starts at `at`.
  bool FieldEnd(TextView text, size_t at, size_t* end) {
    int level = 1;
    bool bracket = false;
    bool name = true;  // before ! or :
    for (size_t i = at; i < text.size; ++i) {
      char32_t c = text[i];
      if (name && c == '[') bracket = true;
      if (bracket) {
        if (c == ']') bracket = false;
        continue;
      }
      if (c == '!' || c == ':') name = false;
      if (c == '{') {
        if (name) return RaiseValueError(cx_, "unexpected '{' in field name"), false;
        ++level;
      }
      if (c == '}' && --level == 0) {
        *end = i;
        return true;
      }
    }
    return RaiseValueError(cx_, name ? "expected '}' before end of string" : "unmatched '{' in format spec"), false;
  }

  bool Field(TextView field, int depth, TextBuffer* out) {
    size_t end = 0;
    bool bracket = false;
    for (; end < field.size; ++end) {
      if (field[end] == '[') bracket = true;
      if (field[end] == ']') bracket = false;
      if (!bracket && (field[end] == '!' || field[end] == ':')) break;
    }
    Ref value = Lookup(field.Sub(0, end));
    if (!value) return false;
    TextView spec_text;
    if (end < field.size && field[end] == '!') {
      if (end + 1 >= field.size) {
        return RaiseValueError(cx_, "end of string while looking for conversion specifier"), false;
      }
      char32_t conversion = field[end + 1];
      if (end + 2 < field.size && field[end + 2] != ':') {
        return RaiseValueError(cx_, "expected ':' after conversion specifier"), false;
      }
      if (conversion == 'r') {
        value = Repr(cx_, value);
      } else if (conversion == 's') {
        value = ToString(cx_, value);
      } else if (conversion == 'a') {
        value = AsciiRepr(cx_, value);
      } else {
        return RaiseValueError(cx_, "Unknown conversion specifier %c", static_cast<int>(conversion)), false;
      }
      if (!value) return false;
      end += 2;
    }
    if (end < field.size) spec_text = field.Sub(end + 1, field.size);
    TextBuffer spec;
    bool nested = false;
    for (size_t i = 0; i < spec_text.size; ++i) nested |= spec_text[i] == '{' || spec_text[i] == '}';
    if (nested) {
      if (!Expand(spec_text, depth - 1, &spec)) return false;
    } else {
      spec.Put(spec_text);
    }
    Ref spec_str = NewStrFromBuffer(cx_, spec);
    Ref result = spec_str ? Format(cx_, value, spec_str) : nullptr;
    if (!result) return false;
    out->Put(result.as<Str>()->view());
    return true;
  }

  static bool Number(TextView text, int64_t* out) {
    if (text.size == 0 || text.size > 17) return false;
    *out = 0;
    for (size_t i = 0; i < text.size; ++i) {
      if (text[i] < '0' || text[i] > '9') return false;
      *out = *out * 10 + static_cast<int64_t>(text[i] - '0');
    }
    return true;
  }

  // "0.attr[key]" and the like.
  Ref Lookup(TextView name) {
    size_t end = 0;
    while (end < name.size && name[end] != '.' && name[end] != '[') ++end;
    TextView first = name.Sub(0, end);
    int64_t index;
    Ref value;
    if (first.size == 0) {
      if (mode_ == kManual) {
        return RaiseValueError(cx_, "cannot switch from manual field specification to automatic field numbering");
      }
      mode_ = kAutomatic;
      value = Positional(next_++);
    } else if (Number(first, &index)) {
      if (mode_ == kAutomatic) {
        return RaiseValueError(cx_, "cannot switch from automatic field numbering to manual field specification");
      }
      mode_ = kManual;
      value = Positional(index);
    } else {
      Ref key = NewStrFromText(cx_, first);
      if (!key) return nullptr;
      if (mapping_) {
        value = GetItem(cx_, mapping_, key);
        if (!value) return nullptr;
      }
      Value found;
      for (size_t i = 0; i < args_.nkw && !found && !value; ++i) {
        if (StrEqual(args_.KwName(i).as<Str>(), key.as<Str>())) found = args_.kwvals[i];
      }
      if (!found && !value) return RaiseKeyError(cx_, key);
      if (found) value = Ref::New(found);
    }
    while (value && end < name.size) {
      bool attribute = name[end] == '.';
      size_t start = ++end;
      if (attribute) {
        while (end < name.size && name[end] != '.' && name[end] != '[') ++end;
      } else {
        while (end < name.size && name[end] != ']') ++end;
        if (end == name.size) return RaiseValueError(cx_, "Missing ']' in format string");
      }
      TextView part = name.Sub(start, end);
      if (part.size == 0) return RaiseValueError(cx_, "Empty attribute in format string");
      if (attribute) {
        Ref text = NewStrFromText(cx_, part);
        Str* interned = text ? Intern(cx_, text.get()) : nullptr;
        value = interned != nullptr ? GetAttr(cx_, value, interned) : nullptr;
      } else {
        ++end;
        if (end < name.size && name[end] != '.' && name[end] != '[') {
          return RaiseValueError(cx_, "Only '.' or '[' may follow ']' in format field specifier");
        }
        Ref key = Number(part, &index) ? Ref::Small(index) : NewStrFromText(cx_, part);
        value = key ? GetItem(cx_, value, key) : nullptr;
      }
    }
    return value;
  }

  Ref Positional(int64_t i) {
    if (static_cast<size_t>(i) < args_.npos) return Ref::New(args_[static_cast<size_t>(i)]);
    return RaiseIndexError(cx_, "Replacement index %lld out of range for positional args tuple",
                           static_cast<long long>(i));
  }

  enum Mode { kUnknown, kAutomatic, kManual };
  Context& cx_;
  const Args& args_;
  Value mapping_;
  Mode mode_ = kUnknown;
  int64_t next_ = 0;
};

}  // namespace

Ref FormatSpecOf(Context& cx, Value v, Str* spec) {
  if (spec == nullptr || spec->length == 0) {
    if (IsStr(v)) return IsExact(v, cx.rt.cls.str) ? Ref::New(v) : ToString(cx, v);
    return ToString(cx, v);
  }
  FormatSpec parsed;
  FormatError error;
  TextBuffer out;
  if (IsStr(v)) {
    if (!ParseFormatSpec(spec->view(), ClassName(cx, v), '<', 's', &parsed, &error)) return RaiseFormat(cx, error);
    if (!RoomFor(cx, parsed.width)) return nullptr;
    if (parsed.type != 's') {
      UnknownFormatCode(parsed, ClassName(cx, v), &error);
      return RaiseFormat(cx, error);
    }
    if (!FormatTextSpec(parsed, v.as<Str>()->view(), &out, &error)) return RaiseFormat(cx, error);
    return NewStrFromBuffer(cx, out);
  }
  if (!ParseFormatSpec(spec->view(), ClassName(cx, v), '>', 0, &parsed, &error)) return RaiseFormat(cx, error);
  if (!RoomFor(cx, parsed.width) || !RoomFor(cx, parsed.precision)) return nullptr;
  if (IsInt(v)) return FormatInt(cx, v, parsed, ClassName(cx, v));
  if (!IsFloat(v)) {
    return RaiseTypeError(cx, "unsupported format string passed to %s.__format__", ClassName(cx, v));
  }
  if (!FormatFloatSpec(parsed, FloatValue(v), ClassName(cx, v), &out, &error)) return RaiseFormat(cx, error);
  return NewStrFromBuffer(cx, out);
}

Ref AsciiRepr(Context& cx, Value v) {
  Ref repr = Repr(cx, v);
  if (!repr || repr.as<Str>()->ascii) return repr;
  TextView text = repr.as<Str>()->view();
  TextBuffer out;
  for (size_t i = 0; i < text.size; ++i) {
    char32_t c = text[i];
    if (c < 0x80) {
      out.Put(c);
      continue;
    }
    char shown[16];
    int n = c < 0x100     ? std::snprintf(shown, sizeof(shown), "\\x%02x", static_cast<unsigned>(c))
            : c < 0x10000 ? std::snprintf(shown, sizeof(shown), "\\u%04x", static_cast<unsigned>(c))
                          : std::snprintf(shown, sizeof(shown), "\\U%08x", static_cast<unsigned>(c));
    out.PutBytes(shown, static_cast<size_t>(n));
  }
  return NewStrFromBuffer(cx, out);
}

Ref FormatBraces(Context& cx, Str* text, const Args& args, Value mapping) {
  TextBuffer out;
  Formatter formatter(cx, args, mapping);
  if (!formatter.Expand(text->view(), 2, &out)) return nullptr;
  return NewStrFromBuffer(cx, out);
}

}  // namespace tidepool::rt
