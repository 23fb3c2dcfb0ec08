// Views and buffers of code point text: see the header. Invariant: a buffer's kind only grows, and
// room_ always speaks of code points of the present kind.
#include "tidepool/runtime/objects/text.h"

#include <charconv>
#include <cstdlib>

namespace tidepool::rt {
namespace {

template <class F>
auto WithKind(TextView t, F f) {
  if (t.kind == 1) return f(static_cast<const uint8_t*>(t.data));
  if (t.kind == 2) return f(static_cast<const uint16_t*>(t.data));
  return f(static_cast<const uint32_t*>(t.data));
}

template <class A, class B>
bool SameRun(const A* a, const B* b, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

template <class A, class B>
size_t Find(const A* text, size_t n, const B* needle, size_t m) {
  // First character by memchr where storage allows, then compare.
  size_t last = n - m;
  for (size_t i = 0; i <= last; ++i) {
    if constexpr (sizeof(A) == 1) {
      if (needle[0] > 0xFF) return kNotFound;
      const void* hit = std::memchr(text + i, static_cast<int>(needle[0]), last - i + 1);
      if (hit == nullptr) return kNotFound;
      i = static_cast<size_t>(static_cast<const A*>(hit) - text);
    } else if (text[i] != needle[0]) {
      continue;
    }
    if (SameRun(text + i + 1, needle + 1, m - 1)) return i;
  }
  return kNotFound;
}

}  // namespace

int CompareText(TextView a, TextView b) {
  size_t n = a.size < b.size ? a.size : b.size;
  if (a.kind == 1 && b.kind == 1) {
    int c = n == 0 ? 0 : std::memcmp(a.data, b.data, n);
    if (c != 0) return c < 0 ? -1 : 1;
  } else {
    for (size_t i = 0; i < n; ++i) {
      char32_t x = a[i];
      char32_t y = b[i];
      if (x != y) return x < y ? -1 : 1;
    }
  }
  return a.size == b.size ? 0 : a.size < b.size ? -1 : 1;
}

bool EqualText(TextView a, TextView b) {
  if (a.size != b.size) return false;
  if (a.size == 0) return true;
  if (a.kind == b.kind) return std::memcmp(a.data, b.data, a.size * a.kind) == 0;
  return WithKind(a, [&](auto* x) { return WithKind(b, [&](auto* y) { return SameRun(x, y, a.size); }); });
}

size_t FindText(TextView text, TextView needle) {
  if (needle.size == 0) return 0;
  if (needle.size > text.size) return kNotFound;
  return WithKind(text, [&](auto* t) {
    return WithKind(needle, [&](auto* n) { return Find(t, text.size, n, needle.size); });
  });
}

size_t RFindText(TextView text, TextView needle) {
  if (needle.size > text.size) return kNotFound;
  return WithKind(text, [&](auto* t) {
    return WithKind(needle, [&](auto* n) {
      for (size_t i = text.size - needle.size + 1; i-- > 0;) {
        if (SameRun(t + i, n, needle.size)) return i;
      }
      return kNotFound;
    });
  });
}

char32_t MaxCode(TextView text) {
  return WithKind(text, [&](auto* t) -> char32_t {
    char32_t bits = 0;
    for (size_t i = 0; i < text.size; ++i) bits |= t[i];
    return bits < 0x80 ? 0x7F : bits < 0x100 ? 0xFF : bits < 0x10000 ? 0xFFFF : 0x10FFFF;
  });
}

void CopyText(void* to, uint8_t to_kind, TextView from) {
  if (from.size == 0) return;
  if (to_kind == from.kind) {
    std::memcpy(to, from.data, from.size * from.kind);
    return;
  }
  WithKind(from, [&](auto* f) {
    for (size_t i = 0; i < from.size; ++i) PutCode(to, to_kind, i, f[i]);
    return 0;
  });
}

TextBuffer::~TextBuffer() {
  if (data_ != inline_) std::free(data_);
}

bool TextBuffer::Reserve(size_t more, char32_t max) {
  if (failed_) return false;
  uint8_t kind = KindFor(max);
  if (kind < kind_) kind = kind_;
  if (kind == kind_ && more <= room_ - size_) return true;
  constexpr size_t kLimit = SIZE_MAX / 16;
  if (more > kLimit - size_) {
    failed_ = true;
    return false;
  }
  size_t room = size_ + more;
  if (room < size_ + size_ / 2) room = size_ + size_ / 2;
  if (room < 256) room = 256;
  void* data = std::malloc(room * kind);
  if (data == nullptr) {
    failed_ = true;
    return false;
  }
  CopyText(data, kind, view());
  if (data_ != inline_) std::free(data_);
  data_ = data;
  room_ = room;
  kind_ = kind;
  return true;
}

void TextBuffer::PutSlow(char32_t c) {
  if (Reserve(1, c)) PutCode(data_, kind_, size_++, c);
}

void TextBuffer::PutInt(int64_t n) {
  char text[24];
  PutBytes(text, static_cast<size_t>(std::to_chars(text, text + sizeof text, n).ptr - text));
}

void TextBuffer::PutTextSlow(TextView text) {
  if (text.size == 0) return;
  char32_t max = text.kind <= kind_ ? 0 : MaxCode(text);
  if (!Reserve(text.size, max)) return;
  CopyText(static_cast<char*>(data_) + size_ * kind_, kind_, text);
  size_ += text.size;
}

void TextBuffer::Fill(char32_t c, size_t n) {
  if (n == 0 || !Reserve(n, c)) return;
  for (size_t i = 0; i < n; ++i) PutCode(data_, kind_, size_ + i, c);
  size_ += n;
}

}  // namespace tidepool::rt
