// str: storage, hashing, interning, decoding, and the operations that the interpreter uses. The methods
// that scripts call are in str_methods.cc.
//
// Invariants beyond str.h: one-character Latin-1 strings and the empty string are shared, immortal
// and interned, so functions that may produce them go through NewStrFromText.
#include "tidepool/runtime/objects/str.h"

#include <cstdlib>
#include <cstring>

#include "tidepool/allocator/heap_domain.h"
#include "tidepool/base/mutex.h"
#include "tidepool/runtime/objects/aside.h"
#include "tidepool/runtime/objects/bytes.h"
#include "tidepool/runtime/objects/objects.h"
#include "tidepool/runtime/objects/str_internal.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/unicode.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {

// An open-addressed table of immortal strings. The mutex is held for a probe only and never across an allocation
// from the object heap or a safepoint.
class InternTable {
 public:
  Mutex mutex;
  Str** slots = nullptr;
  size_t mask = 0;
  size_t count = 0;
  Str* empty = nullptr;
  Str* latin1[256] = {};
};

namespace {

constexpr std::string_view kInternal = "internal";

size_t StorageBytes(size_t length, uint8_t kind) { return Str::kDataOffset + (length + 1) * kind; }

Str* NewRoom(Context& cx, size_t length, uint8_t kind) {
  if (length > (SIZE_MAX >> 4)) return RaiseMemoryError(cx), nullptr;
  size_t bytes = StorageBytes(length, kind);
  Str* s = NewExact<Str>(cx, cx.rt.cls.str, bytes < sizeof(Str) ? sizeof(Str) : bytes);
  if (s == nullptr) return nullptr;
  s->length = length;
  s->hash.store(0, kRelaxed);
  s->kind = kind;
  s->ascii = 0;
  s->interned.store(0, kRelaxed);
  std::memset(s->data() + length * kind, 0, kind);
  return s;
}

// Room for one more entry; the mutex is held.
bool ReserveEntry(InternTable* table) {
  if (table->slots != nullptr && table->count * 3 < (table->mask + 1) * 2) return true;
  size_t size = table->slots == nullptr ? 1024 : (table->mask + 1) * 2;
  auto** slots = static_cast<Str**>(std::calloc(size, sizeof(Str*)));
  if (slots == nullptr) return false;
  for (size_t i = 0; table->slots != nullptr && i <= table->mask; ++i) {
    if (table->slots[i] == nullptr) continue;
    size_t at = static_cast<size_t>(table->slots[i]->hash.load(kRelaxed)) & (size - 1);
    while (slots[at] != nullptr) at = (at + 1) & (size - 1);
    slots[at] = table->slots[i];
  }
  std::free(table->slots);
  table->slots = slots;
  table->mask = size - 1;
  return true;
}

// The place of the equal string, or the empty place where it belongs. The mutex is held.
size_t FindEntry(InternTable* table, const Str* s, int64_t hash) {
  size_t at = static_cast<size_t>(hash) & table->mask;
  for (; table->slots[at] != nullptr; at = (at + 1) & table->mask) {
    Str* other = table->slots[at];
    if (other->hash.load(kRelaxed) == hash && other->length == s->length && other->kind == s->kind &&
        std::memcmp(other->data(), s->data(), s->length * s->kind) == 0) {
      break;
    }
  }
  return at;
}

// The unique string that equals `str`, immortal if asked for.
Ref InternAs(Context& cx, Value str, bool immortal) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  Ref plain = Ref::New(str);
  if (!IsExact(str, cx.rt.cls.str)) {
    plain = NewStrFromText(cx, str.as<Str>()->view());
    if (!plain) return nullptr;
  }
  auto* s = plain.as<Str>();
  int64_t hash = StrHash(s);
  InternTable* table = cx.rt.interned;
  Ref found;
  LockMutex(cx.ts, &table->mutex);
  bool ok = ReserveEntry(table);
  if (ok) {
    size_t at = FindEntry(table, s, hash);
    Str* other = table->slots[at];
    // A string in the table is not freed before it is taken out, so its header may be looked at. One that fails here is
    // dying: its death finds that the place is not its own any more.
    if (other != nullptr && other != s && TryIncref(other)) {
      found = Ref::Steal(other);
    } else {
      if (other == nullptr) ++table->count;
      table->slots[at] = s;
      if (other != s) {
        s->interned.store(Str::kMortalInterned, kRelease);
        SetMaybeWeakref(s);  // so that other threads' TryIncref works
      }
      found = plain.Copy();
    }
    auto* unique = found.as<Str>();
    if (immortal && unique->interned.load(kRelaxed) != Str::kImmortalInterned) {
      Incref(unique);  // the table's own reference
      SetImmortal(cx.ts, unique);
      unique->interned.store(Str::kImmortalInterned, kRelease);
    }
  }
  table->mutex.Unlock();
  if (!ok) return RaiseMemoryError(cx);
  return found;
}

uint64_t Mix(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  Wide p = static_cast<Wide>(a) * b;
  return static_cast<uint64_t>(p) ^ static_cast<uint64_t>(p >> 64);
}

uint64_t Load64(const char* p) {
  uint64_t v;
  std::memcpy(&v, p, 8);
  return v;
}

// Two multiplications per 16 bytes, wide product folded.
uint64_t HashBytes(const char* p, size_t n) {
  constexpr uint64_t k0 = 0xa0761d6478bd642full;
  constexpr uint64_t k1 = 0xe7037ed1a0b428dbull;
  uint64_t h = k0 ^ n;
  size_t left = n;
  for (; left > 16; left -= 16, p += 16) h = Mix(Load64(p) ^ k1, Load64(p + 8) ^ h);
  uint64_t a = 0;
  uint64_t b = 0;
  if (left >= 8) {
    a = Load64(p);
    b = Load64(p + left - 8);
  } else {
    std::memcpy(&a, p, left);
  }
  return Mix(a ^ k1, b ^ h) ^ Mix(h, k0);
}

bool AllAscii(const char* p, size_t n) {
  size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    if ((Load64(p + i) & 0x8080808080808080ull) != 0) return false;
  }
  for (; i < n; ++i) {
    if ((p[i] & 0x80) != 0) return false;
  }
  return true;
}

Ref RaiseDecode(Context& cx, std::string_view bytes, size_t at, size_t count, const char* reason) {
  if (count == 1) {
    return Raise(cx, cx.rt.exc.UnicodeDecodeError, "'utf-8' codec can't decode byte 0x%02x in position %zu: %s",
                 static_cast<unsigned>(static_cast<unsigned char>(bytes[at])), at, reason);
  }
  return Raise(cx, cx.rt.exc.UnicodeDecodeError, "'utf-8' codec can't decode bytes in position %zu-%zu: %s", at,
               at + count - 1, reason);
}

bool IsUtf8Name(std::string_view name) {
  return name == "utf-8" || name == "utf8" || name == "UTF-8" || name == "UTF8" || name == "utf_8";
}
bool IsLatin1Name(std::string_view name) {
  return name == "latin-1" || name == "latin1" || name == "iso-8859-1" || name == "latin_1" || name == "iso8859-1";
}
bool IsAsciiName(std::string_view name) { return name == "ascii" || name == "us-ascii" || name == "ASCII"; }

}  // namespace

int64_t StrHashSlow(const Str* s) {
  auto h = static_cast<int64_t>(HashBytes(s->data(), s->length * s->kind));
  if (h == 0 || h == -1) h = 0x5bd1e995;
  const_cast<Str*>(s)->hash.store(h, kRelaxed);  // any thread computes the same value
  return h;
}

bool StrEqualSlow(const Str* a, const Str* b) {
  return std::memcmp(a->data(), b->data(), a->length * a->kind) == 0;
}

bool StrIs(const Str* s, std::string_view ascii) {
  return s->kind == 1 && s->length == ascii.size() && std::memcmp(s->data(), ascii.data(), ascii.size()) == 0;
}

Str* NewStrRoom(Context& cx, size_t length, char32_t max) {
  Str* s = NewRoom(cx, length, KindFor(max));
  if (s != nullptr) s->ascii = max < 0x80;
  return s;
}

Ref StrFromChar(Context& cx, char32_t c) {
  if (c < 256) {
    if (Str* s = cx.rt.interned->latin1[c]; s != nullptr) return Ref::Steal(s);
  }
  Str* s = NewStrRoom(cx, 1, c);
  if (s == nullptr) return nullptr;
  PutCode(s->data(), s->kind, 0, c);
  return Ref::Steal(s);
}

Ref NewStrFromText(Context& cx, TextView text) {
  if (text.size <= 1) {
    if (text.size == 1) return StrFromChar(cx, text[0]);
    if (cx.rt.interned->empty != nullptr) return Ref::Steal(cx.rt.interned->empty);
  }
  char32_t max;
  {
    Aside aside(cx, text.size);
    max = MaxCode(text);
  }
  Str* s = NewStrRoom(cx, text.size, max);
  if (s == nullptr) return nullptr;
  Aside aside(cx, text.size);
  CopyText(s->data(), s->kind, text);
  return Ref::Steal(s);
}

Ref NewStrFromBuffer(Context& cx, const TextBuffer& buffer) {
  if (buffer.failed()) return RaiseMemoryError(cx);
  return NewStrFromText(cx, buffer.view());
}

Ref DecodeUtf8(Context& cx, std::string_view bytes, std::string_view errors) {
  if (AllAscii(bytes.data(), bytes.size())) return NewStrFromText(cx, TextView(bytes.data(), bytes.size(), 1));
  TextBuffer out;
  const char* begin = bytes.data();
  const char* p = begin;
  const char* end = p + bytes.size();
  while (p < end) {
    unicode::Utf8Step step = unicode::DecodeUtf8(p, end);
    if (step.error == nullptr) {
      out.Put(step.code);
    } else if (errors == kInternal) {
      // Literals may contain lone surrogates, which the front end writes as three bytes.
      bool surrogate = end - p >= 3 && p[0] == '\xED' && (p[1] & 0xE0) == 0xA0 && (p[2] & 0xC0) == 0x80;
      if (surrogate) step.bytes = 3;
      out.Put(surrogate ? 0xD000u | ((p[1] & 0x3Fu) << 6) | (p[2] & 0x3Fu) : 0xFFFDu);
    } else if (errors == "replace") {
      out.Put(U'\uFFFD');
    } else if (errors == "surrogateescape") {
      for (size_t i = 0; i < step.bytes; ++i) out.Put(0xDC00 + static_cast<unsigned char>(p[i]));
    } else if (errors == "backslashreplace") {
      for (size_t i = 0; i < step.bytes; ++i) {
        char text[8];
        out.PutBytes(text, static_cast<size_t>(std::snprintf(text, sizeof(text), "\\x%02x", static_cast<unsigned char>(p[i]))));
      }
    } else if (errors != "ignore") {
      return RaiseDecode(cx, bytes, static_cast<size_t>(p - begin), step.bytes, step.error);
    }
    p += step.bytes;
  }
  return NewStrFromBuffer(cx, out);
}

Ref NewStr(Context& cx, std::string_view utf8) { return DecodeUtf8(cx, utf8, kInternal); }

Ref DecodeBytes(Context& cx, std::string_view bytes, std::string_view encoding, std::string_view errors) {
  if (bytes.empty()) return Ref::New(cx.rt.names.empty);  // whatever the encoding is called, as in CPython
  if (IsUtf8Name(encoding)) return DecodeUtf8(cx, bytes, errors);
  if (IsLatin1Name(encoding)) return NewStrFromText(cx, TextView(bytes.data(), bytes.size(), 1));
  if (IsAsciiName(encoding)) {
    TextBuffer out;
    for (size_t i = 0; i < bytes.size(); ++i) {
      auto c = static_cast<unsigned char>(bytes[i]);
      if (c < 0x80) {
        out.Put(c);
      } else if (errors == "replace") {
        out.Put(U'\uFFFD');
      } else if (errors == "surrogateescape") {
        out.Put(0xDC00 + c);
      } else if (errors == "backslashreplace") {
        char shown[8];
        out.PutBytes(shown, static_cast<size_t>(std::snprintf(shown, sizeof(shown), "\\x%02x", c)));
      } else if (errors != "ignore") {
        return Raise(cx, cx.rt.exc.UnicodeDecodeError,
                     "'ascii' codec can't decode byte 0x%02x in position %zu: ordinal not in range(128)", c, i);
      }
    }
    return NewStrFromBuffer(cx, out);
  }
  return Raise(cx, cx.rt.exc.LookupError, "unknown encoding: %.*s", static_cast<int>(encoding.size()), encoding.data());
}

Ref EncodeStr(Context& cx, const Str* s, std::string_view encoding, std::string_view errors) {
  bool utf8 = IsUtf8Name(encoding);
  bool latin1 = IsLatin1Name(encoding);
  if (!utf8 && !latin1 && !IsAsciiName(encoding)) {
    return Raise(cx, cx.rt.exc.LookupError, "unknown encoding: %.*s", static_cast<int>(encoding.size()),
                 encoding.data());
  }
  if (s->ascii || (latin1 && s->kind == 1)) return NewBytes(cx, s->data(), s->length);
  TextView text = s->view();
  TextBuffer out;  // bytes, as Latin-1
  char32_t limit = utf8 ? 0x110000 : latin1 ? 0x100 : 0x80;
  const char* name = utf8 ? "utf-8" : latin1 ? "latin-1" : "ascii";
  for (size_t i = 0; i < text.size; ++i) {
    char32_t c = text[i];
    bool surrogate = c >= 0xD800 && c < 0xE000;
    if (c < limit && !(utf8 && surrogate)) {
      char bytes[4];
      if (utf8) {
        out.PutBytes(bytes, unicode::EncodeUtf8(c, bytes));
      } else {
        out.Put(c);
      }
    } else if (errors == "replace") {
      out.Put(U'?');
    } else if (errors == "surrogatepass" && utf8) {
      char bytes[4];
      out.PutBytes(bytes, unicode::EncodeUtf8(c, bytes));
    } else if (errors == "surrogateescape" && c >= 0xDC80 && c < 0xDD00) {
      out.Put(c - 0xDC00);
    } else if (errors == "backslashreplace" || errors == "xmlcharrefreplace") {
      char shown[16];
      const char* format = errors[0] == 'x' ? "&#%u;" : c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x";
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
      int n = std::snprintf(shown, sizeof(shown), format, static_cast<unsigned>(c));
#pragma GCC diagnostic pop
      out.PutBytes(shown, static_cast<size_t>(n));
    } else if (errors != "ignore") {
      char shown[16];
      std::snprintf(shown, sizeof(shown), c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x",
                    static_cast<unsigned>(c));
      return Raise(cx, cx.rt.exc.UnicodeEncodeError, "'%s' codec can't encode character '%s' in position %zu: %s",
                   name, shown, i,
                   utf8 ? "surrogates not allowed" : latin1 ? "ordinal not in range(256)" : "ordinal not in range(128)");
    }
  }
  if (out.failed()) return RaiseMemoryError(cx);
  return NewBytes(cx, out.view().data, out.size());
}

std::string ToUtf8(const Str* s) {
  if (s->ascii) return std::string(s->data(), s->length);
  std::string out;
  TextView text = s->view();
  for (size_t i = 0; i < text.size; ++i) {
    char bytes[4];
    out.append(bytes, unicode::EncodeUtf8(text[i], bytes));
  }
  return out;
}

Ref StrConcat(Context& cx, Value a, Value b) {
  auto* x = a.as<Str>();
  auto* y = b.as<Str>();
  if (y->length == 0 && IsExact(a, cx.rt.cls.str)) return Ref::New(a);
  if (x->length == 0 && IsExact(b, cx.rt.cls.str)) return Ref::New(b);
  uint8_t kind = x->kind > y->kind ? x->kind : y->kind;
  Str* s = NewRoom(cx, x->length + y->length, kind);
  if (s == nullptr) return nullptr;
  s->ascii = x->ascii & y->ascii;
  Aside aside(cx, s->length);
  CopyText(s->data(), kind, x->view());
  CopyText(s->data() + x->length * kind, kind, y->view());
  return Ref::Steal(s);
}

Ref StrAppend(Context& cx, Ref left, Value right) {
  auto* x = left.as<Str>();
  auto* y = right.as<Str>();
  if (y->length == 0) return left;
  size_t total = x->length + y->length;
  uint8_t kind = x->kind > y->kind ? x->kind : y->kind;
  if (kind == x->kind && !x->is_interned() && IsUniquelyReferenced(x) &&
      StorageBytes(total, kind) <= HeapDomain::UsableSize(x)) {
    // Nobody else has it, so it may change.
    Aside aside(cx, y->length);
    CopyText(x->data() + x->length * kind, kind, y->view());
    std::memset(x->data() + total * kind, 0, kind);
    x->length = total;
    x->ascii &= y->ascii;
    x->hash.store(0, kRelaxed);
    return left;
  }
  if (total < 64) return StrConcat(cx, left, right);
  // With slack for what follows.
  if (total > (SIZE_MAX >> 5)) return RaiseMemoryError(cx);
  Str* s = NewExact<Str>(cx, cx.rt.cls.str, StorageBytes(total + total / 4, kind));
  if (s == nullptr) return nullptr;
  s->length = total;
  s->hash.store(0, kRelaxed);
  s->kind = kind;
  s->ascii = x->ascii & y->ascii;
  s->interned.store(0, kRelaxed);
  Aside aside(cx, total);
  CopyText(s->data(), kind, x->view());
  CopyText(s->data() + x->length * kind, kind, y->view());
  std::memset(s->data() + total * kind, 0, kind);
  return Ref::Steal(s);
}

Ref StrJoinN(Context& cx, const Value* strs, size_t n) {
  if (n == 1 && IsExact(strs[0], cx.rt.cls.str)) return Ref::New(strs[0]);
  size_t length = 0;
  uint8_t kind = 1;
  uint8_t ascii = 1;
  for (size_t i = 0; i < n; ++i) {
    auto* s = strs[i].as<Str>();
    length += s->length;
    if (s->kind > kind) kind = s->kind;
    ascii &= s->ascii;
  }
  if (length == 0) return Ref::Steal(cx.rt.interned->empty);
  Str* r = NewRoom(cx, length, kind);
  if (r == nullptr) return nullptr;
  r->ascii = ascii;
  Aside aside(cx, length);
  size_t at = 0;
  for (size_t i = 0; i < n; ++i) {
    auto* s = strs[i].as<Str>();
    CopyText(r->data() + at * kind, kind, s->view());
    at += s->length;
  }
  return Ref::Steal(r);
}

Ref StrSlice(Context& cx, Str* s, size_t start, size_t end) {
  if (start == 0 && end >= s->length && IsExact(s, cx.rt.cls.str)) return Ref::New(s);
  if (start >= end) return Ref::Steal(cx.rt.interned->empty);
  if (s->ascii && end - start > 1) {  // no need to look for the kind
    Str* r = NewRoom(cx, end - start, 1);
    if (r == nullptr) return nullptr;
    r->ascii = 1;
    CopyBytes(cx, r->data(), s->data() + start, end - start);
    return Ref::Steal(r);
  }
  return NewStrFromText(cx, s->view().Sub(start, end));
}

Str* const* SharedChars(Context& cx) { return cx.rt.interned->latin1; }

Ref StrGetChar(Context& cx, Str* s, size_t i) { return StrFromChar(cx, s->view()[i]); }

Ref StrRepeat(Context& cx, Str* s, int64_t n) {
  if (n <= 0 || s->length == 0) return Ref::Steal(cx.rt.interned->empty);
  if (n == 1 && IsExact(s, cx.rt.cls.str)) return Ref::New(s);
  size_t total;
  if (__builtin_mul_overflow(s->length, static_cast<size_t>(n), &total)) return RaiseMemoryError(cx);
  Str* r = NewRoom(cx, total, s->kind);
  if (r == nullptr) return nullptr;
  r->ascii = s->ascii;
  size_t piece = s->length * s->kind;
  size_t bytes = total * s->kind;
  char* out = r->data();
  Aside aside(cx, bytes);
  if (piece == 1) {
    std::memset(out, s->data()[0], bytes);
    return Ref::Steal(r);
  }
  std::memcpy(out, s->data(), piece);
  for (size_t done = piece; done < bytes;) {  // doubles what is there
    size_t more = done < bytes - done ? done : bytes - done;
    std::memcpy(out + done, out, more);
    done += more;
  }
  return Ref::Steal(r);
}

void AppendStrRepr(TextView s, TextBuffer* out) {
  bool single = false;
  bool dual = false;
  for (size_t i = 0; i < s.size; ++i) {
    single |= s[i] == '\'';
    dual |= s[i] == '"';
  }
  char32_t quote = single && !dual ? U'"' : U'\'';
  out->Put(quote);
  for (size_t i = 0; i < s.size; ++i) {
    char32_t c = s[i];
    if (c == quote || c == '\\') {
      out->Put(U'\\');
      out->Put(c);
    } else if (c == '\n') {
      out->PutBytes("\\n", 2);
    } else if (c == '\r') {
      out->PutBytes("\\r", 2);
    } else if (c == '\t') {
      out->PutBytes("\\t", 2);
    } else if (unicode::IsPrintable(c)) {
      out->Put(c);
    } else {
      char text[16];
      int n = c < 0x100     ? std::snprintf(text, sizeof(text), "\\x%02x", static_cast<unsigned>(c))
              : c < 0x10000 ? std::snprintf(text, sizeof(text), "\\u%04x", static_cast<unsigned>(c))
                            : std::snprintf(text, sizeof(text), "\\U%08x", static_cast<unsigned>(c));
      out->PutBytes(text, static_cast<size_t>(n));
    }
  }
  out->Put(quote);
}

Ref StrRepr(Context& cx, Str* s) {
  TextBuffer out;
  {
    Aside aside(cx, s->length);
    AppendStrRepr(s->view(), &out);
  }
  return NewStrFromBuffer(cx, out);
}

InternTable* NewInternTable() { return new (std::nothrow) InternTable(); }

void FreeInternTable(InternTable* table) {
  std::free(table->slots);
  delete table;
}

Str* Intern(Context& cx, Value str) {
  auto* s = str.as<Str>();
  if (s->interned.load(kRelaxed) == Str::kImmortalInterned) return s;
  Ref unique = InternAs(cx, str, true);
  return unique ? unique.as<Str>() : nullptr;  // the table keeps it
}

Ref InternMortal(Context& cx, Value str) {
  if (str.as<Str>()->is_interned()) return Ref::New(str);
  return InternAs(cx, str, false);
}

void DestroyStr(Context& cx, Object* o) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  auto* s = static_cast<Str*>(o);
  if (ABSL_PREDICT_TRUE(s->interned.load(kRelaxed) == Str::kNotInterned)) return;
  InternTable* table = cx.rt.interned;
  LockMutex(cx.ts, &table->mutex);
  size_t at = FindEntry(table, s, s->hash.load(kRelaxed));
  if (table->slots[at] == s) {
    // Closes the gap: entries after it that would not be found any more move up.
    size_t hole = at;
    for (size_t i = (at + 1) & table->mask; table->slots[i] != nullptr; i = (i + 1) & table->mask) {
      size_t home = static_cast<size_t>(table->slots[i]->hash.load(kRelaxed)) & table->mask;
      if (((i - home) & table->mask) >= ((i - hole) & table->mask)) {
        table->slots[hole] = table->slots[i];
        hole = i;
      }
    }
    table->slots[hole] = nullptr;
    --table->count;
  }
  table->mutex.Unlock();
}

Str* Intern(Context& cx, std::string_view utf8) {
  Ref s = NewStr(cx, utf8);
  return s ? Intern(cx, s.get()) : nullptr;
}

bool InitSharedStrings(Context& cx) {
  InternTable* table = cx.rt.interned;
  Ref empty = Ref::Steal(NewStrRoom(cx, 0, 0));
  if (!empty) return false;
  if ((table->empty = Intern(cx, empty.get())) == nullptr) return false;
  for (char32_t c = 0; c < 256; ++c) {
    Ref s = StrFromChar(cx, c);
    if (!s) return false;
    Str* interned = Intern(cx, s.get());
    if (interned == nullptr) return false;
    table->latin1[c] = interned;
  }
  return true;
}

}  // namespace tidepool::rt
