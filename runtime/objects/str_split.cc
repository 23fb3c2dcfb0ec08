// Splitting, stripping, partitioning and joining of str.
#include "tidepool/runtime/objects/aside.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/list_internal.h"
#include "tidepool/runtime/objects/str_internal.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/objects/unicode.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

// Collects pieces of one string.
class Pieces {
 public:
  Pieces(Context& cx, Str* s) : cx_(cx), s_(s), pieces_(cx) {}
  bool Add(size_t start, size_t end) {
    SafepointInLoop(cx_, pieces_.size());
    Ref piece = StrSlice(cx_, s_, start, end);
    if (!piece) return false;
    if (pieces_.Add(std::move(piece))) return true;
    RaiseMemoryError(cx_);
    return false;
  }
  // The list of them; nobody sees it before, so it is filled without its mutex.
  Ref Done(bool reversed) {
    size_t n = pieces_.size();
    for (size_t i = 0, j = n; reversed && i + 1 < j; ++i) {
      SafepointInLoop(cx_, i);
      std::swap(pieces_.data()[i], pieces_.data()[--j]);
    }
    pieces_.ReleaseAll();
    return NewListSteal(cx_, pieces_.data(), n);
  }

 private:
  Context& cx_;
  Str* s_;
  Drops pieces_;
};

// The first place from i on, and before n, that `stop` holds of; n if there is none. Between blocks a stop may pass.
template <class Stop>
size_t Scan(Context& cx, size_t i, size_t n, Stop stop) {
  for (;;) {
    const size_t end = n - i > kAsideBytes ? i + kAsideBytes : n;
    while (i < end && !stop(i)) ++i;
    if (i < end || i == n) return i;
    PauseInLoop(cx, 1023);
  }
}

// The same backwards: the first place from i down, and above 0, whose character before it `stop` holds of; 0 if there is none.
template <class Stop>
size_t ScanBack(Context& cx, size_t i, Stop stop) {
  for (;;) {
    const size_t end = i > kAsideBytes ? i - kAsideBytes : 0;
    while (i > end && !stop(i - 1)) --i;
    if (i > end || i == 0) return i;
    PauseInLoop(cx, 1023);
  }
}

// Text of one byte a character.
struct ByteText {
  const uint8_t* data;
  size_t size;
  char32_t operator[](size_t i) const { return data[i]; }
};

template <class Text>
Ref SplitSpaceOf(Context& cx, Str* s, Text t, int64_t limit) {
  Pieces out(cx, s);
  size_t i = 0;
  for (;;) {
    i = Scan(cx, i, t.size, [&](size_t at) { return !unicode::IsSpace(t[at]); });
    if (i == t.size) return out.Done(false);
    size_t end = i;
    if (limit == 0) {
      return out.Add(i, t.size) ? out.Done(false) : nullptr;
    }
    end = Scan(cx, i, t.size, [&](size_t at) { return unicode::IsSpace(t[at]); });
    if (!out.Add(i, end)) return nullptr;
    --limit;
    i = end;
  }
}

Ref SplitSpace(Context& cx, Str* s, int64_t limit) {
  if (s->kind == 1) return SplitSpaceOf(cx, s, ByteText{reinterpret_cast<const uint8_t*>(s->data()), s->length}, limit);
  return SplitSpaceOf(cx, s, s->view(), limit);
}

Ref RSplitSpace(Context& cx, Str* s, int64_t limit) {
  Pieces out(cx, s);
  TextView t = s->view();
  size_t i = t.size;
  for (;;) {
    i = ScanBack(cx, i, [&](size_t at) { return !unicode::IsSpace(t[at]); });
    if (i == 0) return out.Done(true);
    if (limit == 0) {
      return out.Add(0, i) ? out.Done(true) : nullptr;
    }
    const size_t start = ScanBack(cx, i, [&](size_t at) { return unicode::IsSpace(t[at]); });
    if (!out.Add(start, i)) return nullptr;
    --limit;
    i = start;
  }
}

Ref SplitOn(Context& cx, Str* s, TextView separator, int64_t limit) {
  Pieces out(cx, s);
  TextView t = s->view();
  size_t start = 0;
  for (; limit > 0; --limit) {
    size_t at = FindAside(cx, t.Sub(start, t.size), separator);
    if (at == kNotFound) break;
    if (!out.Add(start, start + at)) return nullptr;
    start += at + separator.size;
  }
  return out.Add(start, t.size) ? out.Done(false) : nullptr;
}

Ref RSplitOn(Context& cx, Str* s, TextView separator, int64_t limit) {
  Pieces out(cx, s);
  TextView t = s->view();
  size_t end = t.size;
  for (; limit > 0; --limit) {
    size_t at = RFindAside(cx, t.Sub(0, end), separator);
    if (at == kNotFound) break;
    if (!out.Add(at + separator.size, end)) return nullptr;
    end = at;
  }
  return out.Add(0, end) ? out.Done(true) : nullptr;
}

Ref Split(Context& cx, Value self, const Args& args, bool reverse) {
  Value v[2];
  if (!ParseArgs(cx, reverse ? "rsplit" : "split", args, {"sep", "maxsplit"}, 0, v)) return nullptr;
  int64_t limit = -1;
  if (v[1] && !ToInt64(cx, v[1], &limit)) return nullptr;
  if (limit < 0) limit = INT64_MAX;
  auto* s = self.as<Str>();
  if (!v[0] || v[0] == cx.None()) return reverse ? RSplitSpace(cx, s, limit) : SplitSpace(cx, s, limit);
  if (!IsStr(v[0])) return RaiseTypeError(cx, "must be str or None, not %s", ClassName(cx, v[0]));
  TextView separator = v[0].as<Str>()->view();
  if (separator.size == 0) return RaiseValueError(cx, "empty separator");
  return reverse ? RSplitOn(cx, s, separator, limit) : SplitOn(cx, s, separator, limit);
}

Ref Strip(Context& cx, Value self, const Args& args, const char* name, bool left, bool right) {
  auto* s = self.as<Str>();
  TextView t = s->view();
  TextView set;
  bool spaces = args.npos == 0 || args[0] == cx.None();
  if (!spaces) {
    if (!IsStr(args[0])) return RaiseTypeError(cx, "%s arg must be None or str", name);
    set = args[0].as<Str>()->view();
  }
  auto drop = [&](char32_t c) {
    if (spaces) return unicode::IsSpace(c);
    for (size_t i = 0; i < set.size; ++i) {
      if (set[i] == c) return true;
    }
    return false;
  };
  size_t from = 0;
  size_t to = t.size;
  if (left) from = Scan(cx, 0, to, [&](size_t at) { return !drop(t[at]); });
  if (right) to = ScanBack(cx, to, [&](size_t at) { return at < from || !drop(t[at]); });
  return StrSlice(cx, s, from, to);
}

Ref Partition(Context& cx, Value self, const Args& args, bool reverse) {
  auto* s = self.as<Str>();
  if (!IsStr(args[0])) return RaiseTypeError(cx, "must be str, not %s", ClassName(cx, args[0]));
  TextView separator = args[0].as<Str>()->view();
  if (separator.size == 0) return RaiseValueError(cx, "empty separator");
  size_t at = reverse ? RFindAside(cx, s->view(), separator) : FindAside(cx, s->view(), separator);
  Ref empty = NewStrFromText(cx, TextView());
  if (!empty) return nullptr;
  if (at == kNotFound) {
    Ref whole = StrSlice(cx, s, 0, s->length);
    if (!whole) return nullptr;
    return reverse ? Pack(cx, empty, empty, whole) : Pack(cx, whole, empty, empty);
  }
  Ref head = StrSlice(cx, s, 0, at);
  Ref tail = head ? StrSlice(cx, s, at + separator.size, s->length) : nullptr;
  return tail ? Pack(cx, head, args[0], tail) : nullptr;
}

}  // namespace

size_t FindAside(Context& cx, TextView text, TextView needle) {
  if (text.size < kAsideBytes || needle.size > text.size - kAsideBytes / 2) return FindText(text, needle);
  const size_t near = kAsideBytes / 2;
  size_t at = FindText(text.Sub(0, near + needle.size), needle);
  if (at != kNotFound) return at;
  Aside aside(cx, text.size);
  at = FindText(text.Sub(near, text.size), needle);
  return at == kNotFound ? at : near + at;
}

size_t RFindAside(Context& cx, TextView text, TextView needle) {
  if (text.size < kAsideBytes || needle.size > text.size - kAsideBytes / 2) return RFindText(text, needle);
  const size_t near = text.size - kAsideBytes / 2;  // a match from here on has been seen at once
  size_t at = RFindText(text.Sub(near - needle.size, text.size), needle);
  if (at != kNotFound) return near - needle.size + at;
  Aside aside(cx, text.size);
  return RFindText(text.Sub(0, near), needle);
}

Ref StrJoin(Context& cx, Str* separator, Value iterable) {
  // Private references to all items: other threads may go on changing a list.
  Drops items(cx);
  if (IsExact(iterable, cx.rt.cls.list)) {
    if (!ListSnapshot(cx, iterable.as<List>(), &items)) return nullptr;
  } else {
    Ref list = IsExact(iterable, cx.rt.cls.tuple) ? Ref() : ListFromIterable(cx, iterable);
    if (!list && cx.has_exception()) {
      if (PendingIs(cx, cx.rt.exc.TypeError) && !MayIterate(ClassOf(cx, iterable))) {
        cx.ClearException();
        return RaiseTypeError(cx, "can only join an iterable");
      }
      return nullptr;
    }
    if (list) {
      if (!ListSnapshot(cx, list.as<List>(), &items)) return nullptr;
    } else {
      auto* t = iterable.as<Tuple>();
      if (!items.Reserve(t->size())) return RaiseMemoryError(cx);
      for (size_t i = 0; i < t->size(); ++i) (void)items.Add(Ref::New(t->Get(i)));
    }
  }
  size_t n = items.size();
  if (n == 0) return NewStrFromText(cx, TextView());
  if (n == 1 && IsExact(items[0], cx.rt.cls.str)) return Ref::New(items[0]);
  size_t length = separator->length * (n - 1);
  uint8_t kind = n > 1 ? separator->kind : 1;
  bool ascii = n == 1 || separator->ascii;
  for (size_t i = 0; i < n; ++i) {
    SafepointInLoop(cx, i);
    if (!IsStr(items[i])) {
      return RaiseTypeError(cx, "sequence item %zu: expected str instance, %s found", i, ClassName(cx, items[i]));
    }
    auto* s = items[i].as<Str>();
    length += s->length;
    if (s->kind > kind) kind = s->kind;
    ascii &= s->ascii != 0;
  }
  if (length <= 1) {
    TextBuffer out;
    for (size_t i = 0; i < n; ++i) {
      if (i != 0) out.Put(separator->view());
      out.Put(items[i].as<Str>()->view());
    }
    return NewStrFromBuffer(cx, out);
  }
  Str* r = NewStrRoom(cx, length, ascii ? 0x7F : kind == 1 ? 0xFF : kind == 2 ? 0xFFFF : 0x10FFFF);
  if (r == nullptr) return nullptr;
  size_t at = 0;
  Aside aside(cx, length + n);  // the items and the separator are strings of ours by now
  for (size_t i = 0; i < n; ++i) {
    if (i != 0) {
      CopyText(r->data() + at * kind, kind, separator->view());
      at += separator->length;
    }
    auto* s = items[i].as<Str>();
    CopyText(r->data() + at * kind, kind, s->view());
    at += s->length;
  }
  return Ref::Steal(r);
}

Ref StrJoinMethod(Context& cx, Value self, const Args& args) { return StrJoin(cx, self.as<Str>(), args[0]); }
Ref StrSplitMethod(Context& cx, Value self, const Args& args) { return Split(cx, self, args, false); }
Ref StrRSplitMethod(Context& cx, Value self, const Args& args) { return Split(cx, self, args, true); }

Ref StrSplitLines(Context& cx, Value self, const Args& args) {
  Value v[1];
  if (!ParseArgs(cx, "splitlines", args, {"keepends"}, 0, v)) return nullptr;
  int64_t keep = 0;
  if (v[0] && !ToInt32(cx, v[0], &keep)) return nullptr;
  auto* s = self.as<Str>();
  TextView t = s->view();
  Pieces out(cx, s);
  for (size_t i = 0; i < t.size;) {
    const size_t end = Scan(cx, i, t.size, [&](size_t at) { return unicode::IsLineBreak(t[at]); });
    size_t next = end;
    if (end < t.size) next = t[end] == '\r' && end + 1 < t.size && t[end + 1] == '\n' ? end + 2 : end + 1;
    if (!out.Add(i, keep != 0 ? next : end)) return nullptr;
    i = next;
  }
  return out.Done(false);
}

Ref StrPartition(Context& cx, Value self, const Args& args) { return Partition(cx, self, args, false); }
Ref StrRPartition(Context& cx, Value self, const Args& args) { return Partition(cx, self, args, true); }
Ref StrStrip(Context& cx, Value self, const Args& args) { return Strip(cx, self, args, "strip", true, true); }
Ref StrLStrip(Context& cx, Value self, const Args& args) { return Strip(cx, self, args, "lstrip", true, false); }
Ref StrRStrip(Context& cx, Value self, const Args& args) { return Strip(cx, self, args, "rstrip", false, true); }

}  // namespace tidepool::rt
