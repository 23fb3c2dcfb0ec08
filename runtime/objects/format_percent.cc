// text % args: the printf-like operator of str.
#include <cmath>
#include <cstring>
#include <limits>

#include "tidepool/runtime/objects/float.h"
#include "tidepool/runtime/objects/float_format.h"
#include "tidepool/runtime/objects/format.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

class Percent {
 public:
  Percent(Context& cx, TextView format, Value args) : cx_(cx), format_(format), args_(args) {
    tuple_ = As<Tuple>(args);
    mapping_ = tuple_ == nullptr && !IsStr(args) && ClassOf(cx, args)->slots.getitem != nullptr;
  }

  Ref Run() {
    while (at_ < format_.size) {
      if (format_[at_] != '%') {
        const size_t found = FindText(format_.Sub(at_, format_.size), TextView("%"));
        const size_t end = found == kNotFound ? format_.size : at_ + found;
        out_.Put(format_.Sub(at_, end));
        at_ = end;
        continue;
      }
      ++at_;
      if (at_ < format_.size && format_[at_] == '%') {
        out_.Put(format_[at_++]);
      } else if (!Plain() && !One()) {
        return nullptr;
      }
    }
    bool left = tuple_ != nullptr ? next_ < tuple_->size() : next_ == 0 && !mapping_;
    if (left && !keyed_) return RaiseTypeError(cx_, "not all arguments converted during string formatting");
    return NewStrFromBuffer(cx_, out_);
  }

 private:
  // %s of a str and %d of a small int, without anything in between. False: nothing has happened.
  bool Plain() {
    if (tuple_ == nullptr || next_ == tuple_->size() || at_ == format_.size) return false;
    const char32_t type = format_[at_];
    const Value v = tuple_->Get(next_);
    if (type == 's' && IsExact(v, cx_.rt.cls.str)) {
      out_.Put(v.as<Str>()->view());
    } else if ((type == 's' || type == 'd') && v.is_small_int()) {
      out_.PutInt(v.small_int());
    } else {
      return false;
    }
    ++at_;
    ++next_;
    return true;
  }

  bool Incomplete() {
    if (at_ < format_.size) return false;
    RaiseValueError(cx_, "incomplete format");
    return true;
  }

  Ref NextArg() {
    if (key_value_) return std::move(key_value_);
    if (keyed_) {
      // What a key has given serves once, and what comes without a key behind one finds nothing.
    } else if (tuple_ != nullptr) {
      if (next_ < tuple_->size()) return Ref::New(tuple_->Get(next_++));
    } else if (next_ == 0) {
      ++next_;
      return Ref::New(args_);
    }
    return RaiseTypeError(cx_, "not enough arguments for format string");
  }

  bool Key() {
    if (!mapping_) return RaiseTypeError(cx_, "format requires a mapping"), false;
    size_t start = ++at_;
    int level = 1;
    for (; at_ < format_.size; ++at_) {
      if (format_[at_] == '(') ++level;
      if (format_[at_] == ')' && --level == 0) break;
    }
    if (at_ == format_.size) return RaiseValueError(cx_, "incomplete format key"), false;
    Ref key = NewStrFromText(cx_, format_.Sub(start, at_));
    ++at_;
    if (!key) return false;
    key_value_ = GetItem(cx_, args_, key);
    keyed_ = true;
    return static_cast<bool>(key_value_);
  }

  // A number or *. False: an exception is pending.
  bool Count(int64_t* out, bool precision) {
    *out = 0;
    if (at_ < format_.size && format_[at_] == '*') {
      ++at_;
      Ref v = NextArg();
      if (!v) return false;
      if (!IsInt(v)) return RaiseTypeError(cx_, "* wants int"), false;
      return precision ? ToInt32(cx_, v, out) : ToInt64(cx_, v, out);
    }
    while (at_ < format_.size && format_[at_] >= '0' && format_[at_] <= '9') {
      *out = *out * 10 + static_cast<int64_t>(format_[at_++] - '0');
      if (*out > std::numeric_limits<int32_t>::max()) {
        return RaiseValueError(cx_, precision ? "precision too big" : "width too big"), false;
      }
    }
    return true;
  }

  bool One() {
    key_value_ = Ref();
    left_ = sign_ = blank_ = alternate_ = zero_ = false;
    width_ = 0;
    precision_ = -1;
    if (at_ < format_.size && format_[at_] == '(' && !Key()) return false;
    for (; at_ < format_.size; ++at_) {
      char32_t c = format_[at_];
      if (c == '-') {
        left_ = true;
      } else if (c == '+') {
        sign_ = true;
      } else if (c == ' ') {
        blank_ = true;
      } else if (c == '#') {
        alternate_ = true;
      } else if (c == '0') {
        zero_ = true;
      } else {
        break;
      }
    }
    if (!Count(&width_, false)) return false;
    if (width_ < 0) {
      left_ = true;
      width_ = -width_;
    }
    if (at_ < format_.size && format_[at_] == '.') {
      ++at_;
      if (!Count(&precision_, true)) return false;
      if (precision_ < 0) precision_ = 0;
    }
    if (at_ < format_.size && (format_[at_] == 'h' || format_[at_] == 'l' || format_[at_] == 'L')) ++at_;
    if (Incomplete()) return false;
    char32_t type = format_[at_++];
    Ref v = NextArg();
    if (!v) return false;
    switch (type) {
      case 's': case 'r': case 'a': {
        Ref text = type == 's' ? ToString(cx_, v) : type == 'r' ? Repr(cx_, v) : AsciiRepr(cx_, v);
        if (!text) return false;
        TextView view = text.as<Str>()->view();
        if (precision_ >= 0 && static_cast<size_t>(precision_) < view.size) {
          view = view.Sub(0, static_cast<size_t>(precision_));
        }
        return Padded("", view, false);
      }
      case 'c':
        return Char(v);
      case 'd': case 'i': case 'u': case 'o': case 'x': case 'X':
        return Integer(v, static_cast<char>(type));
      case 'e': case 'E': case 'f': case 'F': case 'g': case 'G':
        return Real(v, static_cast<char>(type));
      default:
        RaiseValueError(cx_, "unsupported format character '%c' (0x%x) at index %zu",
                        type > 31 && type < 128 ? static_cast<int>(type) : '?', static_cast<unsigned>(type), at_ - 1);
        return false;
    }
  }

  bool Char(Value v) {
    uint32_t c;
    if (IsStr(v) && v.as<Str>()->length == 1) {
      c = v.as<Str>()->view()[0];
    } else {
      Ref number = IsStr(v) ? Ref() : Index(cx_, v);
      if (!number) {
        if (IsStr(v) || ClearIf(cx_, cx_.rt.exc.TypeError)) RaiseTypeError(cx_, "%%c requires int or char");
        return false;
      }
      int64_t n;
      if (!IntToInt64(number, &n) || n < 0 || n > 0x10FFFF) {
        return RaiseOverflowError(cx_, "%%c arg not in range(0x110000)"), false;
      }
      c = static_cast<uint32_t>(n);
    }
    return Padded("", TextView(&c, 1, 4), false);
  }

  bool Integer(Value v, char type) {
    bool decimal = type == 'd' || type == 'i' || type == 'u';
    Ref number = Ref::New(v);
    if (!IsInt(v)) {
      Class* cls = ClassOf(cx_, v);
      bool can = decimal ? cls->slots.to_int != nullptr || cls->slots.index != nullptr : cls->slots.index != nullptr;
      if (IsStr(v) || !can) {
        if (decimal) {
          RaiseTypeError(cx_, "%%%c format: a real number is required, not %s", type, ClassName(cx_, v));
        } else {
          RaiseTypeError(cx_, "%%%c format: an integer is required, not %s", type, ClassName(cx_, v));
        }
        return false;
      }
      number = decimal && cls->slots.to_int != nullptr ? cls->slots.to_int(cx_, v) : Index(cx_, v);
      if (!number) return false;
      if (!IsInt(number)) return RaiseTypeError(cx_, "__int__ returned non-int"), false;
    }
    int base = type == 'o' ? 8 : type == 'x' || type == 'X' ? 16 : 10;
    Ref text = IntToStr(cx_, number, base);
    if (!text) return false;
    std::string_view digits = AsciiView(text.as<Str>());
    bool negative = digits[0] == '-';
    if (negative) digits.remove_prefix(1);
    char lead[4];
    size_t n = 0;
    if (negative) {
      lead[n++] = '-';
    } else if (sign_ || blank_) {
      lead[n++] = sign_ ? '+' : ' ';
    }
    if (alternate_ && base != 10) {
      lead[n++] = '0';
      lead[n++] = type;
    }
    lead[n] = 0;
    TextBuffer body;
    if (!RoomFor(cx_, precision_)) return false;
    if (precision_ > static_cast<int64_t>(digits.size())) {
      body.Fill('0', static_cast<size_t>(precision_) - digits.size());
    }
    for (char c : digits) body.Put(static_cast<char32_t>(type == 'X' && c >= 'a' ? c - 32 : c));
    if (body.failed()) return RaiseMemoryError(cx_), false;
    return Padded(lead, body.view(), zero_);
  }

  bool Real(Value v, char type) {
    double d;
    if (IsFloat(v)) {
      d = FloatValue(v);
    } else if (!ToDouble(cx_, v, &d)) {
      return false;
    }
    if (precision_ > std::numeric_limits<int>::max() - 512) return RaiseValueError(cx_, "precision too big"), false;
    if (!RoomFor(cx_, precision_)) return false;
    NumberText text;
    if (!FormatDouble(d, type, precision_ < 0 ? 6 : static_cast<int>(precision_),
                      alternate_ ? kFloatAlternate : 0, &text)) {
      return RaiseMemoryError(cx_), false;
    }
    const char* p = text.data();
    size_t n = text.size();
    bool negative = n > 0 && *p == '-';
    if (negative) {
      ++p;
      --n;
    }
    const char* lead = negative ? "-" : sign_ ? "+" : blank_ ? " " : "";
    return Padded(lead, TextView(p, n, 1), zero_);
  }

  // lead (sign, prefix), then zeros if `zeros`, then body, to the width.
  bool Padded(const char* lead, TextView body, bool zeros) {
    size_t n = std::strlen(lead) + body.size;
    if (!RoomFor(cx_, width_)) return false;
    size_t padding = width_ > static_cast<int64_t>(n) ? static_cast<size_t>(width_) - n : 0;
    if (!left_ && !zeros) out_.Fill(' ', padding);
    out_.PutBytes(lead, std::strlen(lead));
    if (!left_ && zeros) out_.Fill('0', padding);
    out_.Put(body);
    if (left_) out_.Fill(' ', padding);
    if (out_.failed()) return RaiseMemoryError(cx_), false;
    return true;
  }

  Context& cx_;
  TextView format_;
  Value args_;
  Tuple* tuple_;
  bool mapping_;
  bool keyed_ = false;
  Ref key_value_;
  size_t at_ = 0;
  size_t next_ = 0;
  TextBuffer out_;
  bool left_ = false, sign_ = false, blank_ = false, alternate_ = false, zero_ = false;
  int64_t width_ = 0;
  int64_t precision_ = -1;
};

}  // namespace

Ref FormatPercent(Context& cx, Str* text, Value args) { return Percent(cx, text->view(), args).Run(); }

}  // namespace tidepool::rt
