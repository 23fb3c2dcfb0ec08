// str: immutable text, and the table of interned strings.
//
// Storage is 1, 2 or 4 bytes per code point, the smallest that fits (invariant S1: a string whose code
// points are all below 0x100 has kind 1, and so on), followed by a zero of the same width. So two equal
// strings have the same kind, and equality is a memcmp. The hash is computed once and remembered (a
// relaxed store of the same value by anybody).
//
// Interned strings are unique: two interned strings are equal exactly if they are the same object. The names that
// code uses are immortal; what scripts intern (sys.intern) is mortal: the table holds no reference to
// it, and its death takes it out under the table's mutex. A look-up that finds a mortal string needs
// TryIncref, for it may be about to die; then the new string takes its place. Strings that are interned
// already need only a flag test.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_STR_H_
#define TIDEPOOL_RUNTIME_OBJECTS_STR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tidepool/runtime/objects/text.h"
#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/context.h"
#include "tidepool/runtime/vm/value.h"

namespace tidepool::rt {

struct Str : Object {
  static constexpr Layout kLayout = Layout::kStr;
  size_t length;              // code points
  Atomic<int64_t> hash;       // 0: not computed yet
  uint8_t kind;               // 1, 2, 4
  uint8_t ascii;              // all below 0x80 (then data is UTF-8, and a C string)
  Atomic<uint8_t> interned;   // kNotInterned, kImmortalInterned, kMortalInterned

  static constexpr uint8_t kNotInterned = 0;
  static constexpr uint8_t kImmortalInterned = 1;
  static constexpr uint8_t kMortalInterned = 2;

  static constexpr size_t kDataOffset = 52;
  char* data() { return reinterpret_cast<char*>(this) + kDataOffset; }
  const char* data() const { return reinterpret_cast<const char*>(this) + kDataOffset; }
  TextView view() const { return {data(), length, kind}; }
  bool is_interned() const { return interned.load(kRelaxed) != kNotInterned; }
};

// ---- making
Ref NewStr(Context& cx, std::string_view utf8);               // encoded surrogates pass, bad bytes become U+FFFD
Ref NewStrFromText(Context& cx, TextView text);               // finds the smallest kind
Ref NewStrFromBuffer(Context& cx, const TextBuffer& buffer);  // the same; MemoryError if the buffer failed
Ref StrFromChar(Context& cx, char32_t c);                     // Latin-1 ones are shared
// Room for `length` code points up to `max`; the caller fills data(). Null: MemoryError.
Str* NewStrRoom(Context& cx, size_t length, char32_t max);
// errors: "strict", "ignore", "replace", "surrogateescape", "backslashreplace". UnicodeDecodeError.
Ref DecodeUtf8(Context& cx, std::string_view bytes, std::string_view errors);
Ref DecodeBytes(Context& cx, std::string_view bytes, std::string_view encoding, std::string_view errors);
// A Bytes. UnicodeEncodeError, LookupError.
Ref EncodeStr(Context& cx, const Str* s, std::string_view encoding, std::string_view errors);

// ---- looking
std::string ToUtf8(const Str* s);                             // lone surrogates as three bytes
inline std::string_view AsciiView(const Str* s) { return {s->data(), s->length}; }
int64_t StrHashSlow(const Str* s);
inline int64_t StrHash(const Str* s) {
  int64_t h = s->hash.load(kRelaxed);  // relaxed: any thread computes the same value
  return ABSL_PREDICT_TRUE(h != 0) ? h : StrHashSlow(s);
}
bool StrEqualSlow(const Str* a, const Str* b);
inline bool StrEqual(const Str* a, const Str* b) {
  if (a == b) return true;
  // An empty text has a zero for its first byte.
  if (a->length != b->length || a->kind != b->kind || a->data()[0] != b->data()[0]) return false;
  return a->length * a->kind <= 1 || StrEqualSlow(a, b);
}
bool StrIs(const Str* s, std::string_view ascii);             // equal to ASCII text
inline int StrCompare(const Str* a, const Str* b) { return CompareText(a->view(), b->view()); }

// ---- operations
Ref StrConcat(Context& cx, Value a, Value b);                 // both Str
// left + right, both exactly str, where the caller gives `left` up: grows in place if that was the only reference, so that
// building a text piece by piece costs linear time.
Ref StrAppend(Context& cx, Ref left, Value right);
Ref StrJoinN(Context& cx, const Value* strs, size_t n);       // all Str
Ref StrJoin(Context& cx, Str* separator, Value iterable);
Ref StrSlice(Context& cx, Str* s, size_t start, size_t end);
Ref StrGetChar(Context& cx, Str* s, size_t i);
Ref StrRepr(Context& cx, Str* s);
void AppendStrRepr(TextView s, TextBuffer* out);
Ref StrRepeat(Context& cx, Str* s, int64_t n);

// ---- interning
class InternTable;
InternTable* NewInternTable();
void FreeInternTable(InternTable* table);
// Immortal; null: MemoryError.
Str* Intern(Context& cx, std::string_view utf8);
Str* Intern(Context& cx, Value str);
// sys.intern: the unique string, which dies when nobody holds it. Null: MemoryError.
Ref InternMortal(Context& cx, Value str);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_STR_H_
