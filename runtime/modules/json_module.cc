// Module _json: what json does without hooks, natively.
//
// Both functions answer NotImplemented where anything is out of the ordinary (an error in the text, a number with too many
// digits, an instance of a subclass, deep nesting, a cycle): json.py then does all of it again in the language and finds
// the words. No script runs in them; safepoints are passed between items.
#include <algorithm>
#include <cstring>
#include <string_view>

#include "tidepool/runtime/modules/common.h"
#include "tidepool/runtime/modules/modules.h"
#include "tidepool/runtime/objects/aside.h"
#include "tidepool/runtime/objects/float_format.h"
#include "tidepool/runtime/objects/list_internal.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/vm/errors.h"

namespace tidepool::rt {
namespace {

constexpr int kMaxDepth = 990;  // what CPython's recursion limit allows

// ---- reading

constexpr ptrdiff_t kPause = ptrdiff_t{1} << 16;  // characters between safepoints

// Keys come again and again: the last one of each hash is used again, which saves its memory too.
constexpr size_t kKeys = 64;

template <class Char>
class Reader {
 public:
  Reader(Context& cx, const Char* text, size_t size) : cx_(cx), at_(text), end_(text + size) {}

  // Null: something out of the ordinary, or MemoryError is pending.
  Ref Document() {
    Skip();
    Ref r = ReadValue(0);
    Skip();
    return at_ == end_ ? std::move(r) : Ref();
  }

 private:
  bool Is(char c) const { return at_ != end_ && *at_ == static_cast<Char>(c); }
  bool Take(char c) {
    if (!Is(c)) return false;
    ++at_;
    return true;
  }
  void Skip() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  Ref Word(const char* word, Ref value) {
    for (; *word != '\0'; ++word) {
      if (!Take(*word)) return nullptr;
    }
    return value;
  }

  Ref ReadValue(int depth) {
    if (at_ == end_ || depth >= kMaxDepth || !CheckNativeStack(cx_)) return nullptr;
    Safepoint(cx_);
    switch (*at_) {
      case '"': return ReadText(false);
      case '{': return ReadObject(depth);
      case '[': return ReadArray(depth);
      case 'n': return Word("null", cx_.NoneRef());
      case 't': return Word("true", cx_.BoolRef(true));
      case 'f': return Word("false", cx_.BoolRef(false));
      default: return ReadNumber();
    }
  }

  Ref ReadArray(int depth) {
    ++at_;
    Ref list = NewList(cx_);
    if (!list) return nullptr;
    Skip();
    if (Take(']')) return list;
    for (;;) {
      Ref item = ReadValue(depth + 1);
      if (!item || !ListAppendSteal(cx_, list.as<List>(), std::move(item))) return nullptr;
      Skip();
      if (Take(']')) return list;
      if (!Take(',')) return nullptr;
      Skip();
    }
  }

  Ref ReadObject(int depth) {
    ++at_;
    Ref dict = NewDict(cx_);
    if (!dict) return nullptr;
    Skip();
    if (Take('}')) return dict;
    for (;;) {
      Ref key = Is('"') ? ReadText(true) : Ref();
      if (!key) return nullptr;
      Skip();
      if (!Take(':')) return nullptr;
      Skip();
      Ref value = ReadValue(depth + 1);
      if (!value || !DictSetStr(cx_, dict.as<Dict>(), key.as<Str>(), value)) return nullptr;
      Skip();
      if (Take('}')) return dict;
      if (!Take(',')) return nullptr;
      Skip();
    }
  }

  Ref ReadText(bool key) {
    const Char* begin = ++at_;
    uint32_t hash = 0;
    for (;;) {
      const Char* pause = end_ - at_ > kPause ? at_ + kPause : end_;
      while (at_ != pause && *at_ != '"' && *at_ != '\\' && *at_ >= ' ') hash = hash * 31 + *at_++;
      if (at_ != pause || at_ == end_) break;
      Safepoint(cx_);
    }
    if (at_ == end_ || *at_ < ' ') return nullptr;
    if (*at_ == '\\') return ReadEscaped(begin);
    const TextView text(begin, static_cast<size_t>(at_ - begin), sizeof(Char));
    ++at_;
    if (!key) return NewStrFromText(cx_, text);
    Ref& known = keys_[(hash ^ hash >> 8) % kKeys];
    if (!known || !EqualText(known.as<Str>()->view(), text)) known = NewStrFromText(cx_, text);
    return Ref::New(known.get());
  }

  Ref ReadEscaped(const Char* begin) {
    TextBuffer out;
    out.Put(TextView(begin, static_cast<size_t>(at_ - begin), sizeof(Char)));
    while (!Take('"')) {
      if (at_ == end_ || *at_ < ' ') return nullptr;
      if (*at_ != '\\') {
        out.Put(*at_++);
        continue;
      }
      if (++at_ == end_) return nullptr;
      const Char c = *at_++;
      if (c == 'u') {
        int32_t code = ReadHex();
        if (code < 0) return nullptr;
        if (code >= 0xD800 && code < 0xDC00 && end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u') {
          const Char* back = at_;
          at_ += 2;
          const int32_t low = ReadHex();
          if (low < 0) return nullptr;
          if (low >= 0xDC00 && low < 0xE000) {
            code = 0x10000 + ((code - 0xD800) << 10 | (low - 0xDC00));
          } else {
            at_ = back;
          }
        }
        out.Put(static_cast<char32_t>(code));
        continue;
      }
      static constexpr char kFrom[] = "\"\\/bfnrt", kTo[] = "\"\\/\b\f\n\r\t";
      const char* found = c < 0x80 && c != 0 ? std::strchr(kFrom, static_cast<char>(c)) : nullptr;
      if (found == nullptr) return nullptr;
      out.Put(static_cast<char32_t>(kTo[found - kFrom]));
    }
    return NewStrFromBuffer(cx_, out);
  }

  int32_t ReadHex() {
    if (end_ - at_ < 4) return -1;
    int32_t code = 0;
    for (int i = 0; i < 4; i++) {
      const Char c = *at_++;
      const int digit = c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
      if (digit < 0) return -1;
      code = code << 4 | digit;
    }
    return code;
  }

  bool Digit() const { return at_ != end_ && *at_ >= '0' && *at_ <= '9'; }

  Ref ReadNumber() {
    char text[64];
    size_t n = 0;
    const auto take = [&] { text[n++] = static_cast<char>(*at_++); };
    const auto digits = [&] {
      const size_t before = n;
      while (Digit() && n < sizeof text - 4) take();
      return n > before && !Digit();
    };
    if (Is('-')) take();
    const size_t first = n;
    int64_t whole = 0;
    if (!digits() || (text[first] == '0' && n > first + 1)) return nullptr;
    bool fraction = false;
    if (Is('.')) {
      fraction = true;
      take();
      if (!digits()) return nullptr;
    }
    if (Is('e') || Is('E')) {
      fraction = true;
      take();
      if (Is('+') || Is('-')) take();
      if (!digits()) return nullptr;
    }
    if (fraction) {
      double d;
      return ParseDouble(text, n, &d) ? NewFloat(cx_, d) : Ref();
    }
    if (n - first > 18) return IntFromText(cx_, std::string_view(text, n), 10);
    for (size_t i = first; i < n; i++) whole = whole * 10 + (text[i] - '0');
    return NewInt(cx_, first == 0 ? whole : -whole);
  }

  Context& cx_;
  const Char* at_;
  const Char* const end_;
  Ref keys_[kKeys];
};

template <class Char>
Ref Read(Context& cx, const Str* s) {
  return Reader<Char>(cx, static_cast<const Char*>(s->view().data), s->length).Document();
}

Ref Decode(Context& cx, Value, const Args& args) {
  if (!IsExact(args[0], cx.rt.cls.str)) return cx.NotImplementedRef();
  const Str* s = args[0].as<Str>();
  Ref r = s->kind == 1 ? Read<uint8_t>(cx, s) : s->kind == 2 ? Read<uint16_t>(cx, s) : Read<uint32_t>(cx, s);
  return r || cx.has_exception() ? std::move(r) : cx.NotImplementedRef();
}

// ---- writing

class Writer {
 public:
  Writer(Context& cx, bool ascii, TextView between, TextView colon)
      : cx_(cx), ascii_(ascii), between_(between), colon_(colon) {}

  // False: something out of the ordinary, or MemoryError is pending.
  bool Write(Value v, int depth) {
    const BuiltinClasses& c = cx_.rt.cls;
    if (v.is_small_int()) return out_.PutInt(v.small_int()), true;
    if (IsExactFloat(cx_, v)) return WriteFloat(FloatValue(v)), true;
    if (v == cx_.None()) return Put("null");
    if (v == cx_.rt.true_) return Put("true");
    if (v == cx_.rt.false_) return Put("false");
    if (IsExact(v, c.str)) return WriteText(v.as<Str>()->view()), true;
    if (IsExact(v, c.int_)) {
      Ref text = IntToStr(cx_, v, 10, false);
      if (text) out_.Put(text.as<Str>()->view());
      return !text.is_null();
    }
    if (depth >= kMaxDepth || !v.is_object() || !CheckNativeStack(cx_)) return false;
    // In itself: before anything is copied, for it may be long.
    open_[depth] = v.object();
    if (std::find(open_, open_ + depth, v.object()) != open_ + depth) return false;
    if (IsExact(v, c.list)) {
      Drops items(cx_);
      return ListSnapshot(cx_, v.as<List>(), &items) && WriteItems(items.data(), items.size(), depth);
    }
    if (IsExact(v, c.tuple)) return WriteItems(v.as<Tuple>()->items, v.as<Tuple>()->length, depth);
    if (IsExact(v, c.dict)) return WriteDict(v.as<Dict>(), depth);
    return false;
  }

  Ref Finish() { return NewStrFromBuffer(cx_, out_); }

 private:
  bool Put(const char* text) {
    out_.Put(TextView(text));
    return true;
  }

  // False, MemoryError pending: what was written is incomplete already.
  bool Held() {
    if (ABSL_PREDICT_FALSE(out_.failed())) return RaiseMemoryError(cx_), false;
    if (ABSL_PREDICT_TRUE(out_.size() < next_look_)) return true;
    // The buffer lies outside the heap, whose limit must hold for it too.
    next_look_ = out_.size() * 2;
    return RoomFor(cx_, static_cast<int64_t>(next_look_ * out_.kind()));
  }

  void WriteFloat(double d) {
    char text[kMaxReprDouble];
    if (d != d) {
      Put("NaN");
    } else if (d - d != 0) {
      Put(d > 0 ? "Infinity" : "-Infinity");
    } else {
      out_.PutBytes(text, ReprDouble(d, text));
    }
  }

  bool Plain(char32_t c) const { return c >= ' ' && c != '"' && c != '\\' && (c < 0x7F || !ascii_); }

  void WriteText(TextView text) {
    Aside aside(cx_, text.size);
    out_.Put(U'"');
    for (size_t i = 0; i < text.size;) {
      size_t to = i;
      while (to < text.size && Plain(text[to])) ++to;
      if (to > i) out_.Put(text.Sub(i, to));
      i = to;
      if (i < text.size) WriteEscape(text[i++]);
    }
    out_.Put(U'"');
  }

  void WriteEscape(char32_t c) {
    static constexpr char kFrom[] = "\"\\\b\f\n\r\t", kTo[] = "\"\\bfnrt";
    const char* found = c < 0x80 && c != 0 ? std::strchr(kFrom, static_cast<char>(c)) : nullptr;
    if (found != nullptr) {
      out_.Put(U'\\');
      out_.Put(static_cast<char32_t>(kTo[found - kFrom]));
    } else if (c > 0xFFFF) {
      c -= 0x10000;
      WriteHex(0xD800 | c >> 10);
      WriteHex(0xDC00 | (c & 0x3FF));
    } else {
      WriteHex(c);
    }
  }

  void WriteHex(char32_t c) {
    char text[6] = {'\\', 'u'};
    for (int i = 0; i < 4; i++) text[2 + i] = "0123456789abcdef"[c >> (12 - 4 * i) & 15];
    out_.PutBytes(text, sizeof text);
  }

  bool WriteItems(const Value* items, size_t n, int depth) {
    out_.Put(U'[');
    for (size_t i = 0; i < n; i++) {
      Safepoint(cx_);
      if (i > 0) out_.Put(between_);
      if (!Write(items[i], depth + 1) || !Held()) return false;
    }
    out_.Put(U']');
    return true;
  }

  bool WriteDict(Dict* dict, int depth) {
    Ref pairs = DictItems(cx_, dict);  // of one moment
    if (!pairs) return false;
    const size_t n = ListSize(pairs.as<List>());
    out_.Put(U'{');
    for (size_t i = 0; i < n; i++) {
      Safepoint(cx_);
      Ref pair = ListGet(cx_, pairs.as<List>(), static_cast<int64_t>(i));
      if (!pair || !IsExact(pair.as<Tuple>()->Get(0), cx_.rt.cls.str)) return false;
      if (i > 0) out_.Put(between_);
      WriteText(pair.as<Tuple>()->Get(0).as<Str>()->view());
      out_.Put(colon_);
      if (!Write(pair.as<Tuple>()->Get(1), depth + 1) || !Held()) return false;
    }
    out_.Put(U'}');
    return true;
  }

  Context& cx_;
  const bool ascii_;
  const TextView between_, colon_;
  TextBuffer out_;
  size_t next_look_ = size_t{1} << 20;
  const Object* open_[kMaxDepth];  // the containers that are being written, outermost first
};

// encode(value, ensure_ascii, item_separator, key_separator)
Ref Encode(Context& cx, Value, const Args& args) {
  if (!IsExact(args[2], cx.rt.cls.str) || !IsExact(args[3], cx.rt.cls.str)) return cx.NotImplementedRef();
  const int ascii = IsTrue(cx, args[1]);
  if (ascii < 0) return nullptr;
  Writer writer(cx, ascii != 0, args[2].as<Str>()->view(), args[3].as<Str>()->view());
  if (writer.Write(args[0], 0)) return writer.Finish();
  return cx.has_exception() ? Ref() : cx.NotImplementedRef();
}

const MethodDef kFunctions[] = {
    {"decode", Decode, 1, 1},
    {"encode", Encode, 4, 4},
    {},
};

}  // namespace

const ModuleDef kJsonModule = {"_json", kFunctions, nullptr};

}  // namespace tidepool::rt
