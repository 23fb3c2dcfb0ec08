// str as a type: slots and the methods that look into text. Case mapping and predicates are in
// str_case.cc, splitting and joining in str_split.cc.
#include "tidepool/runtime/objects/aside.h"
#include "tidepool/runtime/objects/bytes.h"
#include "tidepool/runtime/objects/format.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/objects.h"
#include "tidepool/runtime/objects/slice.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/str_internal.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/objects/unicode.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

Ref StrReprSlot(Context& cx, Value self) { return StrRepr(cx, self.as<Str>()); }

Ref StrStr(Context& cx, Value self) {
  return IsExact(self, cx.rt.cls.str) ? Ref::New(self) : NewStrFromText(cx, self.as<Str>()->view());
}

bool StrHashSlot(Context&, Value self, int64_t* out) {
  *out = StrHash(self.as<Str>());
  return true;
}

Ref StrCompareSlot(Context& cx, Value a, Value b, CompareOp op) {
  if (!IsStr(a) || !IsStr(b)) return cx.NotImplementedRef();
  auto* x = a.as<Str>();
  auto* y = b.as<Str>();
  if (op == CompareOp::kEq) return cx.BoolRef(StrEqual(x, y));
  if (op == CompareOp::kNe) return cx.BoolRef(!StrEqual(x, y));
  int c = StrCompare(x, y);
  switch (op) {
    case CompareOp::kLt: return cx.BoolRef(c < 0);
    case CompareOp::kLe: return cx.BoolRef(c <= 0);
    case CompareOp::kGt: return cx.BoolRef(c > 0);
    default: return cx.BoolRef(c >= 0);
  }
}

int64_t StrLen(Context&, Value self) { return static_cast<int64_t>(self.as<Str>()->length); }
int StrTruth(Context&, Value self) { return self.as<Str>()->length != 0; }

Ref StrGetItem(Context& cx, Value self, Value key) {
  auto* s = self.as<Str>();
  auto n = static_cast<int64_t>(s->length);
  if (auto* slice = As<Slice>(key); slice != nullptr) {
    SliceRange r;
    if (!SliceIndices(cx, slice, n, &r)) return nullptr;
    if (r.step == 1) return StrSlice(cx, s, static_cast<size_t>(r.start), static_cast<size_t>(r.start + r.count));
    TextBuffer out;
    TextView text = s->view();
    for (int64_t i = 0, at = r.start; i < r.count; ++i, at += r.step) out.Put(text[static_cast<size_t>(at)]);
    return NewStrFromBuffer(cx, out);
  }
  int64_t i;
  if (key.is_small_int()) {
    i = key.small_int();
  } else {
    if (!IsInt(key) && ClassOf(cx, key)->slots.index == nullptr) {
      return RaiseTypeError(cx, "string indices must be integers, not '%s'", ClassName(cx, key));
    }
    if (!ItemIndex(cx, key, &i)) return nullptr;
  }
  if (i < 0) i += n;
  if (i < 0 || i >= n) return RaiseIndexError(cx, "string index out of range");
  return StrGetChar(cx, s, static_cast<size_t>(i));
}

int StrContains(Context& cx, Value self, Value item) {
  if (!IsStr(item)) {
    RaiseTypeError(cx, "'in <string>' requires string as left operand, not %s", ClassName(cx, item));
    return -1;
  }
  return FindAside(cx, self.as<Str>()->view(), item.as<Str>()->view()) != kNotFound;
}

Ref StrAdd(Context& cx, Value a, Value b) {
  if (!IsStr(a)) return cx.NotImplementedRef();
  if (!IsStr(b)) return RaiseTypeError(cx, "can only concatenate str (not \"%s\") to str", ClassName(cx, b));
  return StrConcat(cx, a, b);
}

Ref StrMul(Context& cx, Value a, Value b) {
  if (!IsStr(a)) std::swap(a, b);
  if (!IsInt(b) && ClassOf(cx, b)->slots.index == nullptr) return cx.NotImplementedRef();
  int64_t n;
  if (!RepeatCount(cx, b, &n)) return nullptr;
  return StrRepeat(cx, a.as<Str>(), n);
}

Ref StrMod(Context& cx, Value a, Value b) {
  if (!IsStr(a)) return cx.NotImplementedRef();
  return FormatPercent(cx, a.as<Str>(), b);
}

Ref StrCreate(Context& cx, Class* cls, const Args& args) {
  Value v[3];
  if (!ParseArgs(cx, "str", args, {"object", "encoding", "errors"}, 0, v)) return nullptr;
  Ref plain;
  if (!v[0]) {
    plain = NewStrFromText(cx, TextView());
  } else if (!v[1] && !v[2]) {
    plain = ToString(cx, v[0]);
  } else {
    for (int i = 1; i < 3; ++i) {
      if (v[i] && !IsStr(v[i])) {
        return RaiseTypeError(cx, "str() argument '%s' must be str, not %s", i == 1 ? "encoding" : "errors",
                              ClassName(cx, v[i]));
      }
    }
    if (IsStr(v[0])) return RaiseTypeError(cx, "decoding str is not supported");
    if (!BufferView::Supports(v[0])) {
      return RaiseTypeError(cx, "decoding to str: need a bytes-like object, %s found", ClassName(cx, v[0]));
    }
    Str* encoding = v[1] ? v[1].as<Str>() : nullptr;
    Str* errors = v[2] ? v[2].as<Str>() : nullptr;
    BufferView view(cx);
    if (!view.Open(v[0])) return nullptr;
    plain = DecodeBytes(cx, view.view(), encoding != nullptr ? AsciiView(encoding) : "utf-8",
                        errors != nullptr ? AsciiView(errors) : "strict");
  }
  if (!plain || cls == cx.rt.cls.str) return plain;
  auto* from = plain.as<Str>();
  Ref r = NewInstance(cx, cls, (from->length + 1) * from->kind);
  if (!r) return nullptr;
  auto* s = r.as<Str>();
  s->length = from->length;
  s->kind = from->kind;
  s->ascii = from->ascii;
  std::memcpy(s->data(), from->data(), (from->length + 1) * from->kind);
  return r;
}

// ---- searching

// The text argument and the bounds of find and friends; the bounded text. False: an exception is pending.
struct Search {
  TextView text;
  TextView needle;
  size_t from = 0;
  bool possible = true;  // false: start is beyond the end
};

bool ParseSearch(Context& cx, Value self, const Args& args, const char* name, Search* s) {
  auto* text = self.as<Str>();
  if (!IsStr(args[0])) {
    RaiseTypeError(cx, "must be str, not %s", ClassName(cx, args[0]));
    return false;
  }
  (void)name;
  int64_t from, to;
  auto n = static_cast<int64_t>(text->length);
  if (!SliceBounds(cx, args.Get(1), args.Get(2), n, &from, &to)) return false;
  s->possible = from <= to;
  if (!s->possible) from = to;
  s->from = static_cast<size_t>(from);
  s->text = text->view().Sub(static_cast<size_t>(from), static_cast<size_t>(to));
  s->needle = args[0].as<Str>()->view();
  return true;
}

template <bool kReverse>
Ref FindMethod(Context& cx, Value self, const Args& args) {
  Search s;
  if (!ParseSearch(cx, self, args, "find", &s)) return nullptr;
  size_t at = !s.possible ? kNotFound : kReverse ? RFindAside(cx, s.text, s.needle) : FindAside(cx, s.text, s.needle);
  return Ref::Small(at == kNotFound ? -1 : static_cast<int64_t>(s.from + at));
}

template <bool kReverse>
Ref IndexMethod(Context& cx, Value self, const Args& args) {
  Search s;
  if (!ParseSearch(cx, self, args, "index", &s)) return nullptr;
  size_t at = !s.possible ? kNotFound : kReverse ? RFindAside(cx, s.text, s.needle) : FindAside(cx, s.text, s.needle);
  if (at == kNotFound) return RaiseValueError(cx, "substring not found");
  return Ref::Small(static_cast<int64_t>(s.from + at));
}

Ref Count(Context& cx, Value self, const Args& args) {
  Search s;
  if (!ParseSearch(cx, self, args, "count", &s)) return nullptr;
  if (!s.possible) return Ref::Small(0);
  if (s.needle.size == 0) return Ref::Small(static_cast<int64_t>(s.text.size) + 1);
  int64_t n = 0;
  Aside aside(cx, s.text.size);
  for (TextView rest = s.text;;) {
    size_t at = FindText(rest, s.needle);
    if (at == kNotFound) return Ref::Small(n);
    ++n;
    rest = rest.Sub(at + s.needle.size, rest.size);
  }
}

template <bool kEnd>
Ref Affix(Context& cx, Value self, const Args& args) {
  const char* name = kEnd ? "endswith" : "startswith";
  auto* text = self.as<Str>();
  int64_t from, to;
  if (!SliceBounds(cx, args.Get(1), args.Get(2), static_cast<int64_t>(text->length), &from, &to)) return nullptr;
  auto matches = [&](Str* s) {
    if (from > to || s->length > static_cast<size_t>(to - from)) return false;
    size_t at = kEnd ? static_cast<size_t>(to) - s->length : static_cast<size_t>(from);
    return EqualText(text->view().Sub(at, at + s->length), s->view());
  };
  if (IsStr(args[0])) return cx.BoolRef(matches(args[0].as<Str>()));
  auto* t = As<Tuple>(args[0]);
  if (t == nullptr) {
    return RaiseTypeError(cx, "%s first arg must be str or a tuple of str, not %s", name, ClassName(cx, args[0]));
  }
  for (size_t i = 0; i < t->size(); ++i) {
    if (!IsStr(t->Get(i))) {
      return RaiseTypeError(cx, "tuple for %s must only contain str, not %s", name, ClassName(cx, t->Get(i)));
    }
    if (matches(t->Get(i).as<Str>())) return cx.BoolRef(true);
  }
  return cx.BoolRef(false);
}

template <bool kEnd>
Ref RemoveAffix(Context& cx, Value self, const Args& args) {
  auto* text = self.as<Str>();
  Str* s = ToStr(cx, args[0], kEnd ? "removesuffix() argument" : "removeprefix() argument");
  if (s == nullptr) return nullptr;
  size_t n = text->length;
  if (s->length <= n && s->length != 0) {
    size_t at = kEnd ? n - s->length : 0;
    if (EqualText(text->view().Sub(at, at + s->length), s->view())) {
      return kEnd ? StrSlice(cx, text, 0, at) : StrSlice(cx, text, s->length, n);
    }
  }
  return StrStr(cx, self);
}

Ref Replace(Context& cx, Value self, const Args& args) {
  auto* text = self.as<Str>();
  for (int i = 0; i < 2; ++i) {
    if (!IsStr(args[static_cast<size_t>(i)])) {
      return RaiseTypeError(cx, "replace() argument %d must be str, not %s", i + 1,
                            ClassName(cx, args[static_cast<size_t>(i)]));
    }
  }
  TextView from = args[0].as<Str>()->view();
  TextView to = args[1].as<Str>()->view();
  int64_t limit = -1;
  if (args.npos > 2 && !ToInt64(cx, args[2], &limit)) return nullptr;
  if (limit < 0) limit = INT64_MAX;
  TextView rest = text->view();
  TextBuffer out;
  if (from.size == 0) {
    {
      Aside aside(cx, rest.size);
      for (size_t i = 0; i <= rest.size; ++i) {
        if (limit > 0) {
          out.Put(to);
          --limit;
        }
        if (i < rest.size) out.Put(rest[i]);
      }
    }
    return NewStrFromBuffer(cx, out);
  }
  bool changed = false;
  {
    Aside aside(cx, rest.size);
    for (; limit > 0; --limit) {
      size_t at = FindText(rest, from);
      if (at == kNotFound) break;
      changed = true;
      out.Put(rest.Sub(0, at));
      out.Put(to);
      rest = rest.Sub(at + from.size, rest.size);
    }
    if (changed) out.Put(rest);
  }
  if (!changed) return StrStr(cx, self);
  return NewStrFromBuffer(cx, out);
}

// ---- padding

Ref Pad(Context& cx, Value self, const Args& args, const char* name, int where) {
  auto* text = self.as<Str>();
  int64_t width;
  if (!ToInt64(cx, args[0], &width)) return nullptr;
  char32_t fill = ' ';
  if (args.npos > 1) {
    if (!IsStr(args[1])) {
      return RaiseTypeError(cx, "The fill character must be a unicode character, not %s", ClassName(cx, args[1]));
    }
    if (args[1].as<Str>()->length != 1) {
      return RaiseTypeError(cx, "The fill character must be exactly one character long");
    }
    fill = args[1].as<Str>()->view()[0];
  }
  (void)name;
  auto n = static_cast<int64_t>(text->length);
  if (width <= n) return StrStr(cx, self);
  if (!RoomFor(cx, width)) return nullptr;
  int64_t padding = width - n;
  // CPython's choice of the longer side.
  int64_t left = where < 0 ? 0 : where > 0 ? padding : padding / 2 + (padding & width & 1);
  TextBuffer out;
  {
    Aside aside(cx, static_cast<size_t>(width));
    out.Fill(fill, static_cast<size_t>(left));
    out.Put(text->view());
    out.Fill(fill, static_cast<size_t>(padding - left));
  }
  return NewStrFromBuffer(cx, out);
}

Ref LJust(Context& cx, Value self, const Args& args) { return Pad(cx, self, args, "ljust", -1); }
Ref RJust(Context& cx, Value self, const Args& args) { return Pad(cx, self, args, "rjust", 1); }
Ref Center(Context& cx, Value self, const Args& args) { return Pad(cx, self, args, "center", 0); }

Ref ZFill(Context& cx, Value self, const Args& args) {
  auto* text = self.as<Str>();
  int64_t width;
  if (!ToInt64(cx, args[0], &width)) return nullptr;
  TextView v = text->view();
  if (width <= static_cast<int64_t>(v.size)) return StrStr(cx, self);
  if (!RoomFor(cx, width)) return nullptr;
  TextBuffer out;
  size_t sign = v.size != 0 && (v[0] == '+' || v[0] == '-') ? 1 : 0;
  if (sign != 0) out.Put(v[0]);
  out.Fill('0', static_cast<size_t>(width) - v.size);
  out.Put(v.Sub(sign, v.size));
  return NewStrFromBuffer(cx, out);
}

Ref ExpandTabs(Context& cx, Value self, const Args& args) {
  Value v[1];
  if (!ParseArgs(cx, "expandtabs", args, {"tabsize"}, 0, v)) return nullptr;
  int64_t tab = 8;
  if (v[0] && !ToInt32(cx, v[0], &tab)) return nullptr;
  TextView text = self.as<Str>()->view();
  TextBuffer out;
  int64_t column = 0;
  for (size_t i = 0; i < text.size; ++i) {
    char32_t c = text[i];
    if (c == '\t') {
      int64_t n = tab > 0 ? tab - column % tab : 0;
      out.Fill(' ', static_cast<size_t>(n));
      column += n;
    } else {
      out.Put(c);
      column = c == '\n' || c == '\r' ? 0 : column + 1;
    }
  }
  return NewStrFromBuffer(cx, out);
}

// ---- other

Ref Encode(Context& cx, Value self, const Args& args) {
  Value v[2];
  if (!ParseArgs(cx, "encode", args, {"encoding", "errors"}, 0, v)) return nullptr;
  Str* encoding = v[0] ? ToStr(cx, v[0], "encode() argument 'encoding'") : nullptr;
  Str* errors = v[1] ? ToStr(cx, v[1], "encode() argument 'errors'") : nullptr;
  if (cx.has_exception()) return nullptr;
  return EncodeStr(cx, self.as<Str>(), encoding != nullptr ? AsciiView(encoding) : "utf-8",
                   errors != nullptr ? AsciiView(errors) : "strict");
}

Ref FormatMethod(Context& cx, Value self, const Args& args) { return FormatBraces(cx, self.as<Str>(), args); }

Ref FormatMapMethod(Context& cx, Value self, const Args& args) { return FormatBraces(cx, self.as<Str>(), Args(), args[0]); }

Ref FormatSpecMethod(Context& cx, Value self, const Args& args) {
  if (!IsStr(args[0])) {
    return RaiseTypeError(cx, "__format__() argument must be str, not %s", ClassName(cx, args[0]));
  }
  return FormatSpecOf(cx, self, args[0].as<Str>());
}

Ref GetNewArgs(Context& cx, Value self, const Args&) {
  Ref s = NewStrFromText(cx, self.as<Str>()->view());
  return s ? Pack(cx, s) : nullptr;
}

// ---- iterator

struct StrIterator : Object {
  Value str;             // owned, never changes
  Atomic<int64_t> next;  // -1: exhausted
};

Ref StrIter(Context& cx, Value self) {
  auto* it = NewExact<StrIterator>(cx, cx.rt.cls.str_iterator);
  if (it == nullptr) return nullptr;
  IncrefValue(self);
  it->str = self;
  it->next.store(0, kRelaxed);
  return Ref::Steal(it);
}

Ref Self(Context&, Value self) { return Ref::New(self); }

Ref IteratorNext(Context& cx, Value self) {
  auto* it = self.as<StrIterator>();
  int64_t i = it->next.load(kRelaxed);  // relaxed: shared iterators may repeat
  auto* s = it->str.as<Str>();
  if (i < 0 || static_cast<size_t>(i) >= s->length) {
    it->next.store(-1, kRelaxed);
    return nullptr;
  }
  it->next.store(i + 1, kRelaxed);
  return StrGetChar(cx, s, static_cast<size_t>(i));
}

Ref LengthHint(Context&, Value self, const Args&) {
  auto* it = self.as<StrIterator>();
  int64_t i = it->next.load(kRelaxed);
  auto n = static_cast<int64_t>(it->str.as<Str>()->length);
  return Ref::Small(i < 0 || i > n ? 0 : n - i);
}

void DestroyIterator(Context& cx, Object* o) { DecrefValue(cx.ts, static_cast<StrIterator*>(o)->str); }

const MethodDef kIteratorMethods[] = {{"__length_hint__", LengthHint, 0, 0}, {}};

const MethodDef kStrMethods[] = {
    {"find", FindMethod<false>, 1, 3},
    {"rfind", FindMethod<true>, 1, 3},
    {"index", IndexMethod<false>, 1, 3},
    {"rindex", IndexMethod<true>, 1, 3},
    {"count", Count, 1, 3},
    {"startswith", Affix<false>, 1, 3},
    {"endswith", Affix<true>, 1, 3},
    {"removeprefix", RemoveAffix<false>, 1, 1},
    {"removesuffix", RemoveAffix<true>, 1, 1},
    {"replace", Replace, 2, 3},
    {"ljust", LJust, 1, 2},
    {"rjust", RJust, 1, 2},
    {"center", Center, 1, 2},
    {"zfill", ZFill, 1, 1},
    {"expandtabs", ExpandTabs, 0, 0, kMethodKeywords},
    {"encode", Encode, 0, 0, kMethodKeywords},
    {"format", FormatMethod, 0, 0, kMethodKeywords},
    {"format_map", FormatMapMethod, 1, 1},
    {"__format__", FormatSpecMethod, 1, 1},
    {"__getnewargs__", GetNewArgs, 0, 0},
    {"join", StrJoinMethod, 1, 1},
    {"split", StrSplitMethod, 0, 0, kMethodKeywords},
    {"rsplit", StrRSplitMethod, 0, 0, kMethodKeywords},
    {"splitlines", StrSplitLines, 0, 0, kMethodKeywords},
    {"partition", StrPartition, 1, 1},
    {"rpartition", StrRPartition, 1, 1},
    {"strip", StrStrip, 0, 1},
    {"lstrip", StrLStrip, 0, 1},
    {"rstrip", StrRStrip, 0, 1},
    {"upper", StrUpper, 0, 0},
    {"lower", StrLower, 0, 0},
    {"title", StrTitle, 0, 0},
    {"capitalize", StrCapitalize, 0, 0},
    {"swapcase", StrSwapCase, 0, 0},
    {"casefold", StrCaseFold, 0, 0},
    {"isalpha", StrIsAlpha, 0, 0},
    {"isalnum", StrIsAlnum, 0, 0},
    {"isascii", StrIsAscii, 0, 0},
    {"isdecimal", StrIsDecimal, 0, 0},
    {"isdigit", StrIsDigit, 0, 0},
    {"isnumeric", StrIsNumeric, 0, 0},
    {"isspace", StrIsSpace, 0, 0},
    {"isprintable", StrIsPrintable, 0, 0},
    {"isidentifier", StrIsIdentifier, 0, 0},
    {"isupper", StrIsUpper, 0, 0},
    {"islower", StrIsLower, 0, 0},
    {"istitle", StrIsTitle, 0, 0},
    {"translate", StrTranslate, 1, 1},
    {"maketrans", StrMakeTrans, 1, 3, kMethodStatic},
    {},
};

NativeType MakeStrType() {
  NativeType t;
  t.name = "str";
  t.layout = Layout::kStr;
  t.size = Str::kDataOffset;
  t.flags = kTypeSubclassable | kTypeVarSized | kTypeSequence;
  t.slots.repr = StrReprSlot;
  t.slots.str = StrStr;
  t.slots.hash = StrHashSlot;
  t.slots.compare = StrCompareSlot;
  t.slots.len = StrLen;
  t.slots.truth = StrTruth;
  t.slots.getitem = StrGetItem;
  t.slots.contains = StrContains;
  t.slots.iter = StrIter;
  t.slots.create = StrCreate;
  t.slots.binary[static_cast<int>(BinaryOp::kAdd)] = StrAdd;
  t.slots.binary[static_cast<int>(BinaryOp::kMul)] = StrMul;
  t.slots.binary[static_cast<int>(BinaryOp::kMod)] = StrMod;
  t.methods = kStrMethods;
  t.destroy = DestroyStr;
  return t;
}

}  // namespace

const NativeType kStrType = MakeStrType();

bool InitStrIterator(Context& cx) {
  NativeType t;
  t.name = "str_iterator";
  t.size = sizeof(StrIterator);
  t.slots.iter = Self;
  t.slots.next = IteratorNext;
  t.methods = kIteratorMethods;
  t.destroy = DestroyIterator;
  static const NativeType type = t;
  return (cx.rt.cls.str_iterator = DefineType(cx, type)) != nullptr;
}

}  // namespace tidepool::rt
