// Methods of bytes and bytearray that treat them as ASCII text: lines, cases, affixes, and the % operator.
//
// As in bytes_methods.cc operands are looked at through BufferView, and results are of the kind of self.
#include <cctype>
#include <cstring>
#include <string>

#include "tidepool/runtime/objects/bytes_internal.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/format.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/objects.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

Ref SplitLines(Context& cx, Value self, const Args& args) {
  Value v[1];
  if (!ParseArgs(cx, "splitlines", args, {"keepends"}, 0, v)) return nullptr;
  int64_t keep = 0;
  if (v[0] && !ToInt32(cx, v[0], &keep)) return nullptr;
  BufferView view(cx);
  if (!view.Open(self)) return nullptr;
  const std::string_view s = view.view();
  Ref list = NewList(cx);
  for (size_t i = 0; list && i < s.size();) {
    size_t end = i;
    while (end < s.size() && s[end] != '\n' && s[end] != '\r') ++end;
    size_t next = end;
    if (end < s.size()) next = s[end] == '\r' && end + 1 < s.size() && s[end + 1] == '\n' ? end + 2 : end + 1;
    Ref line = NewBytesLike(cx, self, s.substr(i, (keep != 0 ? next : end) - i));
    if (!line || !ListAppendSteal(cx, list.as<List>(), std::move(line))) return nullptr;
    i = next;
  }
  return list;
}

Ref ZFill(Context& cx, Value self, const Args& args) {
  int64_t width;
  if (!ToInt64(cx, args[0], &width)) return nullptr;
  BufferView view(cx);
  if (!view.Open(self)) return nullptr;
  const size_t n = view.size();
  const size_t zeros = width > static_cast<int64_t>(n) ? static_cast<size_t>(width) - n : 0;
  Ref r = Ref::Steal(NewBytesRoom(cx, n + zeros));
  if (!r) return nullptr;
  char* out = r.as<Bytes>()->data;
  const size_t sign = n != 0 && (view.data()[0] == '+' || view.data()[0] == '-') ? 1 : 0;
  if (sign != 0) out[0] = view.data()[0];
  std::memset(out + sign, '0', zeros);
  if (n > sign) std::memcpy(out + sign + zeros, view.data() + sign, n - sign);
  return HasLayout(self, Layout::kBytes) ? std::move(r) : NewBytesLike(cx, self, r.as<Bytes>()->view());
}

template <bool at_end>
Ref RemoveAffix(Context& cx, Value self, const Args& args) {
  BufferView view(cx), affix(cx);
  if (!view.Open(self) || !affix.Open(args[0])) return nullptr;
  std::string_view s = view.view();
  const std::string_view a = affix.view();
  if (a.size() <= s.size() && !a.empty()) {
    if (at_end && s.substr(s.size() - a.size()) == a) s.remove_suffix(a.size());
    if (!at_end && s.substr(0, a.size()) == a) s.remove_prefix(a.size());
  }
  return NewBytesLike(cx, self, s);
}

bool Upper(char c) { return c >= 'A' && c <= 'Z'; }
bool Lower(char c) { return c >= 'a' && c <= 'z'; }
char ToUpper(char c) { return Lower(c) ? static_cast<char>(c - 32) : c; }
char ToLower(char c) { return Upper(c) ? static_cast<char>(c + 32) : c; }

enum class Case { kCapitalize, kSwap, kTitle };

template <Case how>
Ref ChangeCase(Context& cx, Value self, const Args&) {
  BufferView view(cx);
  if (!view.Open(self)) return nullptr;
  Ref r = Ref::Steal(NewBytesRoom(cx, view.size()));
  if (!r) return nullptr;
  char* out = r.as<Bytes>()->data;
  bool inside = false;  // a word
  for (size_t i = 0; i < view.size(); ++i) {
    const char c = view.data()[i];
    switch (how) {
      case Case::kCapitalize: out[i] = i == 0 ? ToUpper(c) : ToLower(c); break;
      case Case::kSwap: out[i] = Upper(c) ? ToLower(c) : ToUpper(c); break;
      case Case::kTitle:
        out[i] = inside ? ToLower(c) : ToUpper(c);
        inside = Upper(c) || Lower(c);
        break;
    }
  }
  return HasLayout(self, Layout::kBytes) ? std::move(r) : NewBytesLike(cx, self, r.as<Bytes>()->view());
}

// All letters are upper (lower), and there is one.
template <bool upper>
Ref IsCase(Context& cx, Value self, const Args&) {
  BufferView view(cx);
  if (!view.Open(self)) return nullptr;
  bool some = false;
  for (size_t i = 0; i < view.size(); ++i) {
    const char c = view.data()[i];
    if (upper ? Lower(c) : Upper(c)) return cx.BoolRef(false);
    some |= upper ? Upper(c) : Lower(c);
  }
  return cx.BoolRef(some);
}

Ref IsAscii(Context& cx, Value self, const Args&) {
  BufferView view(cx);
  if (!view.Open(self)) return nullptr;
  for (size_t i = 0; i < view.size(); ++i) {
    if ((view.data()[i] & 0x80) != 0) return cx.BoolRef(false);
  }
  return cx.BoolRef(true);
}

Ref RPartition(Context& cx, Value self, const Args& args) {
  BufferView view(cx), separator(cx);
  if (!view.Open(self) || !separator.Open(args[0])) return nullptr;
  if (separator.size() == 0) return RaiseValueError(cx, "empty separator");
  const size_t at = view.view().rfind(separator.view());
  const bool found = at != std::string_view::npos;
  Ref a = NewBytesLike(cx, self, found ? view.view().substr(0, at) : std::string_view());
  Ref b = NewBytesLike(cx, self, found ? separator.view() : std::string_view());
  Ref c = NewBytesLike(cx, self, found ? view.view().substr(at + separator.size()) : view.view());
  return a && b && c ? Pack(cx, a, b, c) : nullptr;
}

// ---- %

// The bytes as text of the same numbers.
Ref AsLatin1(Context& cx, Value v) {
  BufferView view(cx);
  if (!view.Open(v)) return nullptr;
  return NewStrFromText(cx, TextView(view.data(), view.size(), 1));
}

// The argument of %c: a bytes or bytearray of one byte, or a number.
Ref ByteArgument(Context& cx, Value v) {
  if (HasLayout(v, Layout::kBytes) || HasLayout(v, Layout::kByteArray)) {
    Ref text = AsLatin1(cx, v);
    if (!text || text.as<Str>()->length == 1) return text;
  } else if (Ref number = Index(cx, v)) {
    int64_t n;
    if (IntToInt64(number, &n) && n >= 0 && n <= 255) return number;
    return RaiseOverflowError(cx, "%%c arg not in range(256)");
  } else if (!ClearIf(cx, cx.rt.exc.TypeError)) {
    return nullptr;
  }
  return RaiseTypeError(cx, "%%c requires an integer in range(256) or a single byte");
}

// An argument of conversion `kind` as the formatting of text wants it.
Ref ArgumentAsText(Context& cx, Value v, char kind) {
  if (kind == 'c') return ByteArgument(cx, v);
  if (kind != 's') return Ref::New(v);
  if (BufferView::Supports(v)) return AsLatin1(cx, v);
  if (IsStr(v)) {
    return RaiseTypeError(cx, "%%b requires a bytes-like object, or an object that implements __bytes__, not 'str'");
  }
  return Ref::New(v);
}

}  // namespace

// Formats as text of code points below 256: %b is the %s of text, %r is %a, and bytes among the arguments stand for themselves.
Ref BytesPercent(Context& cx, Value self, Value args) {
  if (!HasLayout(self, Layout::kBytes) && !HasLayout(self, Layout::kByteArray)) return cx.NotImplementedRef();
  std::string format;
  {
    BufferView view(cx);
    if (!view.Open(self)) return nullptr;
    format.assign(view.data(), view.size());
  }
  std::string kinds;  // of the arguments, in order; '*' for a width or a precision
  for (size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') continue;
    ++i;
    if (i < format.size() && format[i] == '(') i = format.find(')', i);
    for (; i < format.size() && std::isalpha(static_cast<unsigned char>(format[i])) == 0 && format[i] != '%'; ++i) {
      if (format[i] == '*') kinds += '*';
    }
    if (i >= format.size()) break;
    if (format[i] == 'b') format[i] = 's';
    if (format[i] == 'r') format[i] = 'a';
    if (format[i] != '%') kinds += format[i];
  }
  auto kind_of = [&](size_t i) { return i < kinds.size() ? kinds[i] : 's'; };
  Ref text = NewStrFromText(cx, TextView(format.data(), format.size(), 1));
  if (!text) return nullptr;
  Ref values;
  if (Tuple* t = As<Tuple>(args)) {
    Ref list = NewList(cx);
    for (size_t i = 0; list && i < t->length; ++i) {
      Ref v = ArgumentAsText(cx, t->items[i], kind_of(i));
      if (!v || !ListAppendSteal(cx, list.as<List>(), std::move(v))) return nullptr;
    }
    if (list) values = ListAsTuple(cx, list.as<List>());
  } else if (Dict* d = As<Dict>(args)) {
    values = NewDict(cx);
    size_t pos = 0;
    Ref key, value;
    while (values && DictNext(cx, d, &pos, &key, &value)) {
      Ref k = BufferView::Supports(key) ? AsLatin1(cx, key) : Ref::New(key);
      Ref v = BufferView::Supports(value) ? AsLatin1(cx, value) : Ref::New(value);
      if (!k || !v || !DictSet(cx, values.as<Dict>(), k, v)) return nullptr;
    }
  } else {
    values = ArgumentAsText(cx, args, kind_of(0));
  }
  if (!values) return nullptr;
  Ref out = FormatPercent(cx, text.as<Str>(), values);
  if (!out) return nullptr;
  const TextView result = out.as<Str>()->view();
  if (result.kind != 1) return RaiseValueError(cx, "bytes must be in range(0, 256)");
  return NewBytesLike(cx, self, std::string_view(static_cast<const char*>(result.data), result.size));
}

// translate(table, delete=b""): a table of 256 bytes, or None.
Ref Translate(Context& cx, Value self, const Args& args) {
  Value v[2];
  if (!ParseArgs(cx, "translate", args, {"", "delete"}, 1, v)) return nullptr;
  BufferView view(cx), table(cx), unwanted(cx);
  const bool mapped = v[0] != cx.None();
  if (!view.Open(self) || (mapped && !table.Open(v[0])) || (v[1] && !unwanted.Open(v[1]))) return nullptr;
  if (mapped && table.size() != 256) return RaiseValueError(cx, "translation table must be 256 characters long");
  bool gone[256] = {};
  for (size_t i = 0; v[1] && i < unwanted.size(); ++i) gone[static_cast<unsigned char>(unwanted.data()[i])] = true;
  std::string out;
  out.reserve(view.size());
  for (size_t i = 0; i < view.size(); ++i) {
    const auto c = static_cast<unsigned char>(view.data()[i]);
    if (!gone[c]) out += mapped ? table.data()[c] : static_cast<char>(c);
  }
  return NewBytesLike(cx, self, out);
}

Ref MakeTrans(Context& cx, Value, const Args& args) {
  BufferView from(cx), to(cx);
  if (!from.Open(args[0]) || !to.Open(args[1])) return nullptr;
  if (from.size() != to.size()) return RaiseValueError(cx, "maketrans arguments must have same length");
  char table[256];
  for (int i = 0; i < 256; ++i) table[i] = static_cast<char>(i);
  for (size_t i = 0; i < from.size(); ++i) table[static_cast<unsigned char>(from.data()[i])] = to.data()[i];
  return NewBytes(cx, table, sizeof table);
}

Ref ExpandTabs(Context& cx, Value self, const Args& args) {
  Value v[1];
  if (!ParseArgs(cx, "expandtabs", args, {"tabsize"}, 0, v)) return nullptr;
  int64_t tab = 8;
  if (v[0] && !ToInt32(cx, v[0], &tab)) return nullptr;
  BufferView view(cx);
  if (!view.Open(self)) return nullptr;
  std::string out;
  int64_t column = 0;
  for (size_t i = 0; i < view.size(); ++i) {
    const char c = view.data()[i];
    if (c == '\t') {
      const int64_t n = tab > 0 ? tab - column % tab : 0;
      if (!RoomFor(cx, static_cast<int64_t>(out.size()) + n)) return nullptr;
      out.append(static_cast<size_t>(n), ' ');
      column += n;
    } else {
      out += c;
      column = c == '\n' || c == '\r' ? 0 : column + 1;
    }
  }
  return NewBytesLike(cx, self, out);
}

Ref IsTitle(Context& cx, Value self, const Args&) {
  BufferView view(cx);
  if (!view.Open(self)) return nullptr;
  bool inside = false, some = false;
  for (size_t i = 0; i < view.size(); ++i) {
    const char c = view.data()[i];
    if (inside ? Upper(c) : Lower(c)) return cx.BoolRef(false);
    inside = Upper(c) || Lower(c);
    some |= inside;
  }
  return cx.BoolRef(some);
}

const MethodDef kBytesTextMethods[] = {
    {"translate", Translate, 0, -1, kMethodKeywords},
    {"maketrans", MakeTrans, 2, 2, kMethodStatic},
    {"expandtabs", ExpandTabs, 0, 1, kMethodKeywords},
    {"istitle", IsTitle, 0, 0},
    {"splitlines", SplitLines, 0, 0, kMethodKeywords},
    {"zfill", ZFill, 1, 1},
    {"removeprefix", RemoveAffix<false>, 1, 1},
    {"removesuffix", RemoveAffix<true>, 1, 1},
    {"capitalize", ChangeCase<Case::kCapitalize>, 0, 0},
    {"swapcase", ChangeCase<Case::kSwap>, 0, 0},
    {"title", ChangeCase<Case::kTitle>, 0, 0},
    {"isupper", IsCase<true>, 0, 0},
    {"islower", IsCase<false>, 0, 0},
    {"isascii", IsAscii, 0, 0},
    {"rpartition", RPartition, 1, 1},
};
const size_t kBytesTextMethodCount = sizeof(kBytesTextMethods) / sizeof(kBytesTextMethods[0]);

}  // namespace tidepool::rt
