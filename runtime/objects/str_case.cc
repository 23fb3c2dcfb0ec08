// Case mappings and predicates of str, and translate.
#include "tidepool/runtime/objects/aside.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/str_internal.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/unicode.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

using unicode::Properties;

bool IsCased(char32_t c) {
  return (Properties(c) & (unicode::kUpperCase | unicode::kLowerCase | unicode::kTitleCase)) != 0;
}

// Letters that the sigma rule skips: approximated by what is neither letter nor digit in Latin-1 that may stand inside
// words.
bool IsCaseIgnorable(char32_t c) { return c == '\'' || c == '.' || c == ':' || c == '^' || c == '`' || c == 0xAD || c == 0xB7 || c == 0x2019; }

void PutMapped(size_t (*map)(char32_t, char32_t*), char32_t c, TextBuffer* out) {
  char32_t mapped[unicode::kMaxCase];
  size_t n = map(c, mapped);
  for (size_t i = 0; i < n; ++i) out->Put(mapped[i]);
}

inline bool AsciiUpper(uint8_t c) { return uint32_t{c} - 'A' < 26; }
inline bool AsciiLower(uint8_t c) { return uint32_t{c} - 'a' < 26; }

// ASCII text of two or more characters (single ones are shared) stays ASCII, byte by byte. Null: MemoryError is pending.
bool MapsByBytes(const Str* s) { return s->ascii != 0 && s->length > 1; }
template <class Map>
Ref MapBytes(Context& cx, const Str* s, Map map) {
  const size_t n = s->length;
  Str* r = NewStrRoom(cx, n, 0x7F);
  if (r == nullptr) return nullptr;
  const auto* from = reinterpret_cast<const uint8_t*>(s->data());
  auto* to = reinterpret_cast<uint8_t*>(r->data());
  Aside aside(cx, n);
  for (size_t i = 0; i < n; ++i) to[i] = map(from[i], i);
  return Ref::Steal(r);
}

// Capital sigma becomes a final one at the end of a word.
void PutLower(TextView text, size_t i, TextBuffer* out) {
  if (text[i] != 0x3A3) {
    PutMapped(unicode::ToLower, text[i], out);
    return;
  }
  size_t j = i;
  while (j > 0 && IsCaseIgnorable(text[j - 1])) --j;
  bool final_sigma = j > 0 && IsCased(text[j - 1]);
  if (final_sigma) {
    j = i + 1;
    while (j < text.size && IsCaseIgnorable(text[j])) ++j;
    final_sigma = j == text.size || !IsCased(text[j]);
  }
  out->Put(final_sigma ? 0x3C2 : 0x3C3);
}

// The text that put(text, i, &out) makes of each character.
template <class Put>
Ref MapCodes(Context& cx, Value self, Put put) {
  const TextView text = self.as<Str>()->view();
  TextBuffer out;
  {
    Aside aside(cx, text.size);
    for (size_t i = 0; i < text.size; ++i) put(text, i, &out);
  }
  return NewStrFromBuffer(cx, out);
}

template <class Test>
Ref All(Context& cx, Value self, Test test) {
  TextView text = self.as<Str>()->view();
  Aside aside(cx, text.size);
  for (size_t i = 0; i < text.size; ++i) {
    if (!test(text[i])) return cx.BoolRef(false);
  }
  return cx.BoolRef(text.size != 0);
}

Ref AllHave(Context& cx, Value self, uint16_t bits) {
  return All(cx, self, [=](char32_t c) { return (Properties(c) & bits) != 0; });
}

// No letter of the other cases, and at least one of this.
Ref AllOneCase(Context& cx, Value self, uint16_t wanted, uint16_t refused) {
  TextView text = self.as<Str>()->view();
  Aside aside(cx, text.size);
  bool any = false;
  for (size_t i = 0; i < text.size; ++i) {
    uint16_t p = Properties(text[i]);
    if ((p & refused) != 0) return cx.BoolRef(false);
    any |= (p & wanted) != 0;
  }
  return cx.BoolRef(any);
}

}  // namespace

Ref StrUpper(Context& cx, Value self, const Args&) {
  if (const auto* s = self.as<Str>(); MapsByBytes(s)) {
    return MapBytes(cx, s, [](uint8_t c, size_t) -> uint8_t { return AsciiLower(c) ? c - 32 : c; });
  }
  return MapCodes(cx, self, [](TextView text, size_t i, TextBuffer* out) { PutMapped(unicode::ToUpper, text[i], out); });
}

Ref StrLower(Context& cx, Value self, const Args&) {
  if (const auto* s = self.as<Str>(); MapsByBytes(s)) {
    return MapBytes(cx, s, [](uint8_t c, size_t) -> uint8_t { return AsciiUpper(c) ? c + 32 : c; });
  }
  return MapCodes(cx, self, PutLower);
}

Ref StrCaseFold(Context& cx, Value self, const Args&) {
  return MapCodes(cx, self, [](TextView text, size_t i, TextBuffer* out) { PutMapped(unicode::ToFold, text[i], out); });
}

Ref StrTitle(Context& cx, Value self, const Args&) {
  bool inside = false;
  return MapCodes(cx, self, [&inside](TextView text, size_t i, TextBuffer* out) {
    if (inside) {
      PutLower(text, i, out);
    } else {
      PutMapped(unicode::ToTitle, text[i], out);
    }
    inside = IsCased(text[i]);
  });
}

Ref StrCapitalize(Context& cx, Value self, const Args&) {
  if (const auto* s = self.as<Str>(); MapsByBytes(s)) {
    return MapBytes(cx, s, [](uint8_t c, size_t i) -> uint8_t {
      if (i == 0) return AsciiLower(c) ? c - 32 : c;
      return AsciiUpper(c) ? c + 32 : c;
    });
  }
  return MapCodes(cx, self, [](TextView text, size_t i, TextBuffer* out) {
    if (i == 0) {
      PutMapped(unicode::ToTitle, text[0], out);
    } else {
      PutLower(text, i, out);
    }
  });
}

Ref StrSwapCase(Context& cx, Value self, const Args&) {
  return MapCodes(cx, self, [](TextView text, size_t i, TextBuffer* out) {
    uint16_t p = Properties(text[i]);
    if ((p & unicode::kUpperCase) != 0) {
      PutLower(text, i, out);
    } else if ((p & unicode::kLowerCase) != 0) {
      PutMapped(unicode::ToUpper, text[i], out);
    } else {
      out->Put(text[i]);
    }
  });
}

Ref StrIsAlpha(Context& cx, Value self, const Args&) { return AllHave(cx, self, unicode::kAlpha); }
Ref StrIsAlnum(Context& cx, Value self, const Args&) {
  return AllHave(cx, self, unicode::kAlpha | unicode::kDecimal | unicode::kDigit | unicode::kNumeric);
}
Ref StrIsDecimal(Context& cx, Value self, const Args&) { return AllHave(cx, self, unicode::kDecimal); }
Ref StrIsDigit(Context& cx, Value self, const Args&) { return AllHave(cx, self, unicode::kDigit); }
Ref StrIsNumeric(Context& cx, Value self, const Args&) { return AllHave(cx, self, unicode::kNumeric); }
Ref StrIsSpace(Context& cx, Value self, const Args&) { return AllHave(cx, self, unicode::kSpace); }

Ref StrIsPrintable(Context& cx, Value self, const Args&) {
  if (self.as<Str>()->length == 0) return cx.BoolRef(true);
  return AllHave(cx, self, unicode::kPrintable);
}

Ref StrIsAscii(Context& cx, Value self, const Args&) {
  TextView text = self.as<Str>()->view();
  Aside aside(cx, text.size);
  for (size_t i = 0; i < text.size; ++i) {
    if (text[i] >= 0x80) return cx.BoolRef(false);
  }
  return cx.BoolRef(true);
}

Ref StrIsIdentifier(Context& cx, Value self, const Args&) {
  TextView text = self.as<Str>()->view();
  bool ok = text.size != 0 && unicode::IsIdStart(text[0]);
  for (size_t i = 1; i < text.size && ok; ++i) ok = unicode::IsIdPart(text[i]);
  return cx.BoolRef(ok);
}

Ref StrIsUpper(Context& cx, Value self, const Args&) {
  return AllOneCase(cx, self, unicode::kUpperCase, unicode::kLowerCase | unicode::kTitleCase);
}
Ref StrIsLower(Context& cx, Value self, const Args&) {
  return AllOneCase(cx, self, unicode::kLowerCase, unicode::kUpperCase | unicode::kTitleCase);
}

Ref StrIsTitle(Context& cx, Value self, const Args&) {
  TextView text = self.as<Str>()->view();
  bool any = false;
  bool inside = false;
  for (size_t i = 0; i < text.size; ++i) {
    uint16_t p = Properties(text[i]);
    if ((p & (unicode::kUpperCase | unicode::kTitleCase)) != 0) {
      if (inside) return cx.BoolRef(false);
      inside = any = true;
    } else if ((p & unicode::kLowerCase) != 0) {
      if (!inside) return cx.BoolRef(false);
      any = true;
    } else {
      inside = false;
    }
  }
  return cx.BoolRef(any);
}

Ref StrTranslate(Context& cx, Value self, const Args& args) {
  TextView text = self.as<Str>()->view();
  TextBuffer out;
  for (size_t i = 0; i < text.size; ++i) {
    Ref to = GetItem(cx, args[0], Value::Small(static_cast<int64_t>(text[i])));
    if (!to) {
      if (!ClearIf(cx, cx.rt.exc.LookupError)) return nullptr;
      out.Put(text[i]);
    } else if (IsStr(to)) {
      out.Put(to.as<Str>()->view());
    } else if (IsInt(to)) {
      int64_t c;
      if (!IntToInt64(to, &c) || c < 0 || c > 0x10FFFF) {
        return RaiseValueError(cx, "character mapping must be in range(0x110000)");
      }
      out.Put(static_cast<char32_t>(c));
    } else if (to.get() != cx.None()) {
      return RaiseTypeError(cx, "character mapping must return integer, None or str");
    }
  }
  return NewStrFromBuffer(cx, out);
}

Ref StrMakeTrans(Context& cx, Value, const Args& args) {
  Ref table = NewDict(cx);
  if (!table) return nullptr;
  auto* d = table.as<Dict>();
  if (args.npos == 1) {
    if (!Is<Dict>(args[0])) {
      return RaiseTypeError(cx, "if you give only one argument to maketrans it must be a dict");
    }
    size_t pos = 0;
    Ref key;
    Ref value;
    while (DictNext(cx, args[0].as<Dict>(), &pos, &key, &value)) {
      if (IsStr(key)) {
        if (key.as<Str>()->length != 1) {
          return RaiseValueError(cx, "string keys in translate table must be of length 1");
        }
        key = Ref::Small(static_cast<int64_t>(key.as<Str>()->view()[0]));
      }
      if (!DictSet(cx, d, key, value)) return nullptr;
    }
    return table;
  }
  Str* from = ToStr(cx, args[0], "maketrans() argument 1");
  Str* to = from != nullptr ? ToStr(cx, args[1], "maketrans() argument 2") : nullptr;
  Str* gone = to != nullptr && args.npos > 2 ? ToStr(cx, args[2], "maketrans() argument 3") : nullptr;
  if (to == nullptr || cx.has_exception()) return nullptr;
  if (from->length != to->length) {
    return RaiseValueError(cx, "the first two maketrans arguments must have equal length");
  }
  for (size_t i = 0; i < from->length; ++i) {
    if (!DictSet(cx, d, Value::Small(static_cast<int64_t>(from->view()[i])),
                 Value::Small(static_cast<int64_t>(to->view()[i])))) {
      return nullptr;
    }
  }
  for (size_t i = 0; gone != nullptr && i < gone->length; ++i) {
    if (!DictSet(cx, d, Value::Small(static_cast<int64_t>(gone->view()[i])), cx.None())) return nullptr;
  }
  return table;
}

}  // namespace tidepool::rt
