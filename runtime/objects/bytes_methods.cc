// The methods and slots that bytes and bytearray share, and the bytes type.
//
// Every method looks at its operands through BufferView, so a bytearray neither moves nor goes while it
// is read; results are of the kind of self.
#include <cctype>
#include <cstring>

#include "tidepool/runtime/objects/aside.h"
#include "tidepool/runtime/objects/bytes_internal.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/objects.h"
#include "tidepool/runtime/objects/slice.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

bool IsBytesOrArray(Value v) { return HasLayout(v, Layout::kBytes) || HasLayout(v, Layout::kByteArray); }
bool IsSpaceByte(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

// ---- slots

int64_t BytesLen(Context&, Value self) {
  return HasLayout(self, Layout::kBytes) ? static_cast<int64_t>(self.as<Bytes>()->length)
                                         : self.as<ByteArray>()->length.load(kAcquire);
}

Ref BytesReprSlot(Context& cx, Value self) { return BytesRepr(cx, self.as<Bytes>()->view()); }

bool BytesHash(Context&, Value self, int64_t* out) {
  auto* b = self.as<Bytes>();
  if ((*out = b->hash.load(kRelaxed)) != 0) return true;
  uint64_t h = 14695981039346656037ull;
  for (size_t i = 0; i < b->length; ++i) h = (h ^ static_cast<unsigned char>(b->data[i])) * 1099511628211ull;
  h ^= h >> 29;
  auto r = static_cast<int64_t>(h);
  if (r == 0 || r == -1) r = 7;
  b->hash.store(r, kRelaxed);  // any thread computes the same
  *out = r;
  return true;
}

Ref BytesCompare(Context& cx, Value a, Value b, CompareOp op) {
  if (!BufferView::Supports(a) || !BufferView::Supports(b)) return cx.NotImplementedRef();
  BufferView x(cx);
  BufferView y(cx);
  if (!x.Open(a) || !y.Open(b)) return nullptr;
  int c = x.view().compare(y.view());
  switch (op) {
    case CompareOp::kLt: return cx.BoolRef(c < 0);
    case CompareOp::kLe: return cx.BoolRef(c <= 0);
    case CompareOp::kEq: return cx.BoolRef(c == 0);
    case CompareOp::kNe: return cx.BoolRef(c != 0);
    case CompareOp::kGt: return cx.BoolRef(c > 0);
    default: return cx.BoolRef(c >= 0);
  }
}

Ref BytesGetItem(Context& cx, Value self, Value key) {
  const char* name = HasLayout(self, Layout::kBytes) ? "byte" : "bytearray";
  auto* slice = As<Slice>(key);
  SliceRange r{};
  int64_t i = 0;
  if (slice != nullptr) {
    if (!UnpackSlice(cx, slice, &r)) return nullptr;
  } else {
    if (!IsInt(key) && ClassOf(cx, key)->slots.index == nullptr) {
      return RaiseTypeError(cx, "%s indices must be integers or slices, not %s", name, ClassName(cx, key));
    }
    if (!ItemIndex(cx, key, &i)) return nullptr;
  }
  BufferView view(cx);
  if (!view.Open(self)) return nullptr;
  auto n = static_cast<int64_t>(view.size());
  if (slice == nullptr) {
    if (i < 0) i += n;
    if (i < 0 || i >= n) return RaiseIndexError(cx, name[4] == 'a' ? "bytearray index out of range" : "index out of range");
    return Ref::Small(static_cast<unsigned char>(view.data()[i]));
  }
  AdjustSlice(n, &r);
  if (r.step == 1) {
    if (r.count == n && IsExact(self, cx.rt.cls.bytes)) return Ref::New(self);
    return NewBytesLike(cx, self, view.view().substr(static_cast<size_t>(r.start), static_cast<size_t>(r.count)));
  }
  Ref copy = Ref::Steal(NewBytesRoom(cx, static_cast<size_t>(r.count)));
  if (!copy) return nullptr;
  for (int64_t k = 0, at = r.start; k < r.count; ++k, at += r.step) copy.as<Bytes>()->data[k] = view.data()[at];
  return HasLayout(self, Layout::kBytes) ? std::move(copy) : NewBytesLike(cx, self, copy.as<Bytes>()->view());
}

int BytesContains(Context& cx, Value self, Value item) {
  BufferView view(cx);
  if (!view.Open(self)) return -1;
  if (IsInt(item)) {
    unsigned char c;
    if (!ToByte(cx, item, &c)) return -1;
    return view.view().find(static_cast<char>(c)) != std::string_view::npos;
  }
  BufferView needle(cx);
  if (!needle.Open(item)) return -1;
  Aside aside(cx, view.size());
  return view.view().find(needle.view()) != std::string_view::npos;
}

Ref BytesAdd(Context& cx, Value a, Value b) {
  if (!IsBytesOrArray(a)) return cx.NotImplementedRef();
  if (!BufferView::Supports(b)) return RaiseTypeError(cx, "can't concat %s to %s", ClassName(cx, b), ClassName(cx, a));
  BufferView x(cx);
  BufferView y(cx);
  if (!x.Open(a) || !y.Open(b)) return nullptr;
  Ref r = Ref::Steal(NewBytesRoom(cx, x.size() + y.size()));
  if (!r) return nullptr;
  CopyBytes(cx, r.as<Bytes>()->data, x.data(), x.size());
  CopyBytes(cx, r.as<Bytes>()->data + x.size(), y.data(), y.size());
  return HasLayout(a, Layout::kBytes) ? std::move(r) : NewBytesLike(cx, a, r.as<Bytes>()->view());
}

Ref BytesMul(Context& cx, Value a, Value b) {
  if (!IsBytesOrArray(a)) std::swap(a, b);
  if (!IsInt(b) && ClassOf(cx, b)->slots.index == nullptr) return cx.NotImplementedRef();
  int64_t n;
  if (!RepeatCount(cx, b, &n)) return nullptr;
  if (n < 0) n = 0;
  BufferView x(cx);
  if (!x.Open(a)) return nullptr;
  size_t total;
  if (__builtin_mul_overflow(x.size(), static_cast<size_t>(n), &total)) return RaiseMemoryError(cx);
  Ref r = Ref::Steal(NewBytesRoom(cx, total));
  if (!r) return nullptr;
  char* out = r.as<Bytes>()->data;
  if (total != 0) {
    CopyBytes(cx, out, x.data(), x.size());
    for (size_t done = x.size(); done < total;) {  // doubles what is there
      size_t more = done < total - done ? done : total - done;
      CopyBytes(cx, out + done, out, more);
      done += more;
    }
  }
  return HasLayout(a, Layout::kBytes) ? std::move(r) : NewBytesLike(cx, a, r.as<Bytes>()->view());
}

// ---- iterator (of bytes and of bytearray)

struct BytesIterator : Object {
  Value bytes;           // owned, never changes
  Atomic<int64_t> next;  // -1: exhausted
};

Ref BytesIter(Context& cx, Value self) {
  Class* cls = HasLayout(self, Layout::kBytes) ? cx.rt.cls.bytes_iterator : cx.rt.cls.bytearray_iterator;
  auto* it = NewExact<BytesIterator>(cx, cls);
  if (it == nullptr) return nullptr;
  IncrefValue(self);
  it->bytes = self;
  it->next.store(0, kRelaxed);
  return Ref::Steal(it);
}

Ref Self(Context&, Value self) { return Ref::New(self); }

Ref IteratorNext(Context& cx, Value self) {
  auto* it = self.as<BytesIterator>();
  int64_t i = it->next.load(kRelaxed);  // relaxed: shared iterators may repeat
  if (i < 0) return nullptr;
  int byte = -1;
  if (HasLayout(it->bytes, Layout::kBytes)) {
    auto* b = it->bytes.as<Bytes>();
    if (static_cast<size_t>(i) < b->length) byte = static_cast<unsigned char>(b->data[i]);
  } else {
    auto* b = it->bytes.as<ByteArray>();
    ObjectLock lock(cx.ts, b);
    if (i < b->length.load(kRelaxed)) byte = static_cast<unsigned char>(b->data[i]);
  }
  it->next.store(byte < 0 ? -1 : i + 1, kRelaxed);
  return byte < 0 ? Ref() : Ref::Small(byte);
}

void DestroyIterator(Context& cx, Object* o) { DecrefValue(cx.ts, static_cast<BytesIterator*>(o)->bytes); }

// ---- methods

// A byte or bytes-like argument to search for.
bool OpenNeedle(Context& cx, Value v, BufferView* view, char* one, std::string_view* out) {
  if (IsInt(v)) {
    unsigned char c;
    if (!ToByte(cx, v, &c)) return false;
    *one = static_cast<char>(c);
    *out = std::string_view(one, 1);
    return true;
  }
  if (!BufferView::Supports(v)) {
    RaiseTypeError(cx, "argument should be integer or bytes-like object, not '%s'", ClassName(cx, v));
    return false;
  }
  if (!view->Open(v)) return false;
  *out = view->view();
  return true;
}

enum class Look { kFind, kRFind, kCount };

// -1: not found; -2: an exception is pending.
int64_t Search(Context& cx, Value self, const Args& args, Look look) {
  BufferView view(cx);
  BufferView needle_view(cx);
  char one;
  std::string_view needle;
  int64_t from, to;
  if (!view.Open(self) || !OpenNeedle(cx, args[0], &needle_view, &one, &needle) ||
      !SliceBounds(cx, args.Get(1), args.Get(2), static_cast<int64_t>(view.size()), &from, &to)) {
    return -2;
  }
  if (from > to) return look == Look::kCount ? 0 : -1;
  std::string_view text = view.view().substr(static_cast<size_t>(from), static_cast<size_t>(to - from));
  Aside aside(cx, text.size());
  if (look == Look::kCount) {
    if (needle.empty()) return static_cast<int64_t>(text.size()) + 1;
    int64_t n = 0;
    for (size_t at = text.find(needle); at != std::string_view::npos; at = text.find(needle, at + needle.size())) ++n;
    return n;
  }
  size_t at = look == Look::kFind ? text.find(needle) : text.rfind(needle);
  return at == std::string_view::npos ? -1 : from + static_cast<int64_t>(at);
}

template <Look look>
Ref Find(Context& cx, Value self, const Args& args) {
  int64_t r = Search(cx, self, args, look);
  return r == -2 ? Ref() : Ref::Small(r);
}

template <Look look>
Ref IndexOf(Context& cx, Value self, const Args& args) {
  int64_t r = Search(cx, self, args, look);
  if (r == -1) return RaiseValueError(cx, "subsection not found");
  return r == -2 ? Ref() : Ref::Small(r);
}

template <bool kEnd>
Ref Affix(Context& cx, Value self, const Args& args) {
  BufferView view(cx);
  int64_t from, to;
  if (!view.Open(self) ||
      !SliceBounds(cx, args.Get(1), args.Get(2), static_cast<int64_t>(view.size()), &from, &to)) {
    return nullptr;
  }
  auto matches = [&](Value v) {
    if (!BufferView::Supports(v)) {
      RaiseTypeError(cx, "%s first arg must be bytes or a tuple of bytes, not %s", kEnd ? "endswith" : "startswith",
                     ClassName(cx, v));
      return -1;
    }
    BufferView s(cx);
    if (!s.Open(v)) return -1;
    if (from > to || s.size() > static_cast<size_t>(to - from)) return 0;
    size_t at = kEnd ? static_cast<size_t>(to) - s.size() : static_cast<size_t>(from);
    return view.view().substr(at, s.size()) == s.view() ? 1 : 0;
  };
  int r = 0;
  if (auto* t = As<Tuple>(args[0]); t != nullptr) {
    for (size_t i = 0; i < t->size() && r == 0; ++i) r = matches(t->Get(i));
  } else {
    r = matches(args[0]);
  }
  return r < 0 ? Ref() : cx.BoolRef(r == 1);
}

Ref Decode(Context& cx, Value self, const Args& args) {
  Value v[2];
  if (!ParseArgs(cx, "decode", args, {"encoding", "errors"}, 0, v)) return nullptr;
  Str* encoding = v[0] ? ToStr(cx, v[0], "decode() argument 'encoding'") : nullptr;
  Str* errors = v[1] ? ToStr(cx, v[1], "decode() argument 'errors'") : nullptr;
  if (cx.has_exception()) return nullptr;
  BufferView view(cx);
  if (!view.Open(self)) return nullptr;
  return DecodeBytes(cx, view.view(), encoding != nullptr ? AsciiView(encoding) : "utf-8",
                     errors != nullptr ? AsciiView(errors) : "strict");
}

Ref Hex(Context& cx, Value self, const Args& args) {
  Value v[2];
  if (!ParseArgs(cx, "hex", args, {"sep", "bytes_per_sep"}, 0, v)) return nullptr;
  std::string separator;
  if (v[0]) {
    BufferView s(cx);
    if (IsStr(v[0])) {
      separator = ToUtf8(v[0].as<Str>());
    } else if (s.Open(v[0])) {
      separator = std::string(s.view());
    } else {
      return nullptr;
    }
    if (separator.size() != 1) return RaiseValueError(cx, "sep must be length 1.");
  }
  int64_t group = 1;
  if (v[1] && !ToInt64(cx, v[1], &group)) return nullptr;
  BufferView view(cx);
  if (!view.Open(self)) return nullptr;
  TextBuffer out;
  size_t n = view.size();
  auto width = static_cast<size_t>(group < 0 ? -group : group);
  for (size_t i = 0; i < n; ++i) {
    if (i != 0 && !separator.empty() && width != 0 && (group > 0 ? (n - i) % width : i % width) == 0) {
      out.Put(static_cast<unsigned char>(separator[0]));
    }
    auto c = static_cast<unsigned char>(view.data()[i]);
    out.Put(static_cast<char32_t>("0123456789abcdef"[c >> 4]));
    out.Put(static_cast<char32_t>("0123456789abcdef"[c & 15]));
  }
  return NewStrFromBuffer(cx, out);
}

Ref FromHex(Context& cx, Value self, const Args& args) {
  Str* s = ToStr(cx, args[0], "fromhex() argument");
  if (s == nullptr) return nullptr;
  TextView t = s->view();
  TextBuffer out;
  auto digit = [](char32_t c) {
    return c >= '0' && c <= '9' ? static_cast<int>(c - '0')
           : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? static_cast<int>((c | 0x20) - 'a') + 10 : -1;
  };
  for (size_t i = 0; i < t.size;) {
    if (t[i] < 0x80 && IsSpaceByte(static_cast<char>(t[i]))) {
      ++i;
      continue;
    }
    int high = digit(t[i]);
    int low = high >= 0 && i + 1 < t.size ? digit(t[i + 1]) : -1;
    if (high < 0 || low < 0) {
      return RaiseValueError(cx, "non-hexadecimal number found in fromhex() arg at position %zu", high < 0 ? i : i + 1);
    }
    out.Put(static_cast<char32_t>(high * 16 + low));
    i += 2;
  }
  if (out.failed()) return RaiseMemoryError(cx);
  Ref bytes = NewBytes(cx, out.view().data, out.size());
  if (!bytes || self == Value(cx.rt.cls.bytes)) return bytes;
  return Call(cx, self, bytes);
}

Ref Join(Context& cx, Value self, const Args& args) {
  Ref items = TupleFromIterable(cx, args[0]);
  if (!items) return nullptr;
  auto* t = items.as<Tuple>();
  BufferView separator(cx);
  if (!separator.Open(self)) return nullptr;
  TextBuffer out;
  for (size_t i = 0; i < t->size(); ++i) {
    if (!BufferView::Supports(t->Get(i))) {
      return RaiseTypeError(cx, "sequence item %zu: expected a bytes-like object, %s found", i,
                            ClassName(cx, t->Get(i)));
    }
    BufferView item(cx);
    if (!item.Open(t->Get(i))) return nullptr;
    if (i != 0) out.PutBytes(separator.data(), separator.size());
    out.PutBytes(item.data(), item.size());
  }
  if (out.failed()) return RaiseMemoryError(cx);
  return NewBytesLike(cx, self, {static_cast<const char*>(out.view().data), out.size()});
}

void ReplaceBytes(Context& cx, std::string_view rest, std::string_view from, std::string_view to, int64_t limit,
                  TextBuffer* out) {
  Aside aside(cx, rest.size());
  if (from.empty()) {
    for (size_t i = 0; i <= rest.size(); ++i) {
      if (limit-- > 0) out->PutBytes(to.data(), to.size());
      if (i < rest.size()) out->PutBytes(rest.data() + i, 1);
    }
    return;
  }
  for (; limit > 0; --limit) {
    size_t at = rest.find(from);
    if (at == std::string_view::npos) break;
    out->PutBytes(rest.data(), at);
    out->PutBytes(to.data(), to.size());
    rest.remove_prefix(at + from.size());
  }
  out->PutBytes(rest.data(), rest.size());
}

Ref Replace(Context& cx, Value self, const Args& args) {
  BufferView view(cx), from(cx), to(cx);
  if (!view.Open(self) || !from.Open(args[0]) || !to.Open(args[1])) return nullptr;
  int64_t limit = -1;
  if (args.npos > 2 && !ToInt64(cx, args[2], &limit)) return nullptr;
  if (limit < 0) limit = INT64_MAX;
  TextBuffer out;
  ReplaceBytes(cx, view.view(), from.view(), to.view(), limit, &out);
  if (out.failed()) return RaiseMemoryError(cx);
  return NewBytesLike(cx, self, {static_cast<const char*>(out.view().data), out.size()});
}

bool AddPiece(Context& cx, Value self, List* list, std::string_view s) {
  Ref piece = NewBytesLike(cx, self, s);
  return piece && ListAppendSteal(cx, list, std::move(piece));
}

template <bool kReverse>
Ref Split(Context& cx, Value self, const Args& args) {
  Value v[2];
  if (!ParseArgs(cx, kReverse ? "rsplit" : "split", args, {"sep", "maxsplit"}, 0, v)) return nullptr;
  int64_t limit = -1;
  if (v[1] && !ToInt64(cx, v[1], &limit)) return nullptr;
  if (limit < 0) limit = INT64_MAX;
  BufferView view(cx), separator_view(cx);
  if (!view.Open(self)) return nullptr;
  bool spaces = !v[0] || v[0] == cx.None();
  if (!spaces && !separator_view.Open(v[0])) return nullptr;
  std::string_view separator = separator_view.view();
  if (!spaces && separator.empty()) return RaiseValueError(cx, "empty separator");
  Ref result = NewList(cx);
  if (!result) return nullptr;
  auto* list = result.as<List>();
  std::string_view rest = view.view();
  for (uint64_t round = 0;; ++round) {
    PauseInLoop(cx, round);
    if (spaces) {
      while (!rest.empty() && IsSpaceByte(kReverse ? rest.back() : rest.front())) {
        kReverse ? rest.remove_suffix(1) : rest.remove_prefix(1);
      }
      if (rest.empty()) break;
    }
    size_t at = std::string_view::npos;
    size_t gap = 1;
    if (limit > 0) {
      if (!spaces) {
        at = kReverse ? rest.rfind(separator) : rest.find(separator);
        gap = separator.size();
      } else if (kReverse) {
        for (size_t i = rest.size(); i-- > 0 && at == std::string_view::npos;) {
          if (IsSpaceByte(rest[i])) at = i;
        }
      } else {
        for (size_t i = 0; i < rest.size() && at == std::string_view::npos; ++i) {
          if (IsSpaceByte(rest[i])) at = i;
        }
      }
    }
    --limit;
    if (at == std::string_view::npos) {
      if (!AddPiece(cx, self, list, rest)) return nullptr;
      break;
    }
    if (!AddPiece(cx, self, list, kReverse ? rest.substr(at + gap) : rest.substr(0, at))) return nullptr;
    rest = kReverse ? rest.substr(0, at) : rest.substr(at + gap);
  }
  if (kReverse) ListReverse(cx, list);
  return result;
}

template <bool kLeft, bool kRight>
Ref Strip(Context& cx, Value self, const Args& args) {
  BufferView view(cx), set(cx);
  if (!view.Open(self)) return nullptr;
  bool spaces = args.npos == 0 || args[0] == cx.None();
  if (!spaces && !set.Open(args[0])) return nullptr;
  auto drop = [&](char c) { return spaces ? IsSpaceByte(c) : set.view().find(c) != std::string_view::npos; };
  std::string_view s = view.view();
  while (kLeft && !s.empty() && drop(s.front())) s.remove_prefix(1);
  while (kRight && !s.empty() && drop(s.back())) s.remove_suffix(1);
  return NewBytesLike(cx, self, s);
}

Ref Partition(Context& cx, Value self, const Args& args) {
  BufferView view(cx), separator(cx);
  if (!view.Open(self) || !separator.Open(args[0])) return nullptr;
  if (separator.size() == 0) return RaiseValueError(cx, "empty separator");
  size_t at = view.view().find(separator.view());
  bool found = at != std::string_view::npos;
  Ref a = NewBytesLike(cx, self, found ? view.view().substr(0, at) : view.view());
  Ref b = NewBytesLike(cx, self, found ? separator.view() : std::string_view());
  Ref c = NewBytesLike(cx, self, found ? view.view().substr(at + separator.size()) : std::string_view());
  return a && b && c ? Pack(cx, a, b, c) : nullptr;
}

template <int (*fn)(int)>
Ref MapBytes(Context& cx, Value self, const Args&) {
  BufferView view(cx);
  if (!view.Open(self)) return nullptr;
  Ref r = Ref::Steal(NewBytesRoom(cx, view.size()));
  if (!r) return nullptr;
  for (size_t i = 0; i < view.size(); ++i) {
    auto c = static_cast<unsigned char>(view.data()[i]);
    r.as<Bytes>()->data[i] = c < 0x80 ? static_cast<char>(fn(c)) : static_cast<char>(c);
  }
  return HasLayout(self, Layout::kBytes) ? std::move(r) : NewBytesLike(cx, self, r.as<Bytes>()->view());
}

template <int (*fn)(int)>
Ref AllBytes(Context& cx, Value self, const Args&) {
  BufferView view(cx);
  if (!view.Open(self)) return nullptr;
  bool all = view.size() != 0;
  for (size_t i = 0; i < view.size() && all; ++i) {
    auto c = static_cast<unsigned char>(view.data()[i]);
    all = c < 0x80 && fn(c) != 0;
  }
  return cx.BoolRef(all);
}

template <int where>
Ref Pad(Context& cx, Value self, const Args& args) {
  int64_t width;
  if (!ToInt64(cx, args[0], &width)) return nullptr;
  BufferView view(cx), fill(cx);
  if (!view.Open(self)) return nullptr;
  char c = ' ';
  if (args.npos > 1) {
    if (!fill.Open(args[1])) return nullptr;
    if (fill.size() != 1) return RaiseTypeError(cx, "argument 2 must be a byte string of length 1");
    c = fill.data()[0];
  }
  auto n = static_cast<int64_t>(view.size());
  int64_t padding = width > n ? width - n : 0;
  int64_t left = where < 0 ? 0 : where > 0 ? padding : padding / 2 + (padding & width & 1);
  Ref r = Ref::Steal(NewBytesRoom(cx, static_cast<size_t>(n + padding)));
  if (!r) return nullptr;
  std::memset(r.as<Bytes>()->data, c, static_cast<size_t>(n + padding));
  if (n != 0) std::memcpy(r.as<Bytes>()->data + left, view.data(), static_cast<size_t>(n));
  return HasLayout(self, Layout::kBytes) ? std::move(r) : NewBytesLike(cx, self, r.as<Bytes>()->view());
}

Ref GetNewArgs(Context& cx, Value self, const Args&) {
  Ref b = NewBytes(cx, self.as<Bytes>()->view());
  return b ? Pack(cx, b) : nullptr;
}

Ref BytesCreate(Context& cx, Class* cls, const Args& args) {
  Ref plain = BytesFromArgs(cx, "bytes", args);
  if (!plain || cls == cx.rt.cls.bytes) return plain;
  auto* from = plain.as<Bytes>();
  Ref r = NewInstance(cx, cls, from->length + 1);
  if (!r) return nullptr;
  r.as<Bytes>()->length = from->length;
  std::memcpy(r.as<Bytes>()->data, from->data, from->length + 1);
  return r;
}

NativeType MakeBytesType() {
  static MethodDef methods[64];
  size_t n = 0;
  for (; n < kBytesMethodCount; ++n) methods[n] = kBytesMethods[n];
  for (size_t i = 0; i < kBytesTextMethodCount; ++i) methods[n++] = kBytesTextMethods[i];
  methods[n++] = {"__getnewargs__", GetNewArgs, 0, 0};
  NativeType t;
  t.name = "bytes";
  t.layout = Layout::kBytes;
  t.size = sizeof(Bytes);
  t.flags = kTypeSubclassable | kTypeVarSized | kTypeSequence;
  SetBytesSlots(t.slots);
  t.slots.repr = BytesReprSlot;
  t.slots.hash = BytesHash;
  t.slots.create = BytesCreate;
  t.methods = methods;
  return t;
}

NativeType IteratorType(const char* name) {
  NativeType t;
  t.name = name;
  t.size = sizeof(BytesIterator);
  t.slots.iter = Self;
  t.slots.next = IteratorNext;
  t.destroy = DestroyIterator;
  return t;
}

}  // namespace

const MethodDef kBytesMethods[] = {
    {"find", Find<Look::kFind>, 1, 3},
    {"rfind", Find<Look::kRFind>, 1, 3},
    {"index", IndexOf<Look::kFind>, 1, 3},
    {"rindex", IndexOf<Look::kRFind>, 1, 3},
    {"count", Find<Look::kCount>, 1, 3},
    {"startswith", Affix<false>, 1, 3},
    {"endswith", Affix<true>, 1, 3},
    {"decode", Decode, 0, 0, kMethodKeywords},
    {"hex", Hex, 0, 0, kMethodKeywords},
    {"fromhex", FromHex, 1, 1, kMethodClass},
    {"join", Join, 1, 1},
    {"replace", Replace, 2, 3},
    {"split", Split<false>, 0, 0, kMethodKeywords},
    {"rsplit", Split<true>, 0, 0, kMethodKeywords},
    {"strip", Strip<true, true>, 0, 1},
    {"lstrip", Strip<true, false>, 0, 1},
    {"rstrip", Strip<false, true>, 0, 1},
    {"partition", Partition, 1, 1},
    {"upper", MapBytes<std::toupper>, 0, 0},
    {"lower", MapBytes<std::tolower>, 0, 0},
    {"isdigit", AllBytes<std::isdigit>, 0, 0},
    {"isalpha", AllBytes<std::isalpha>, 0, 0},
    {"isalnum", AllBytes<std::isalnum>, 0, 0},
    {"isspace", AllBytes<std::isspace>, 0, 0},
    {"ljust", Pad<-1>, 1, 2},
    {"rjust", Pad<1>, 1, 2},
    {"center", Pad<0>, 1, 2},
};
const size_t kBytesMethodCount = sizeof(kBytesMethods) / sizeof(kBytesMethods[0]);

void SetBytesSlots(TypeSlots& s) {
  s.len = BytesLen;
  s.compare = BytesCompare;
  s.getitem = BytesGetItem;
  s.contains = BytesContains;
  s.iter = BytesIter;
  s.binary[static_cast<int>(BinaryOp::kAdd)] = BytesAdd;
  s.binary[static_cast<int>(BinaryOp::kMul)] = BytesMul;
  s.binary[static_cast<int>(BinaryOp::kMod)] = BytesPercent;
}

bool InitBytesTypes(Context& cx) {
  static const NativeType bytes = MakeBytesType();
  static const NativeType iterator = IteratorType("bytes_iterator");
  static const NativeType array_iterator = IteratorType("bytearray_iterator");
  BuiltinClasses& c = cx.rt.cls;
  return (c.bytes = DefineType(cx, bytes)) != nullptr && (c.bytes_iterator = DefineType(cx, iterator)) != nullptr &&
         (c.bytearray_iterator = DefineType(cx, array_iterator)) != nullptr && InitByteArrayType(cx) &&
         InitMemoryViewType(cx);
}

}  // namespace tidepool::rt
