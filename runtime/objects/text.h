// Code point text without objects: a view of stored text and a growing buffer.
//
// What it is: strings are stored as 1, 2 or 4 bytes per code point, whichever the largest code
// point needs (Latin-1, BMP, all). `TextView` looks at such storage; `TextBuffer` builds it,
// widening when a larger code point arrives. Both are plain C++, so that formatting and repr can be
// tested without a runtime.
//
// Memory: a buffer keeps its first 256 bytes inline and then uses malloc. When there is no memory it
// becomes *failed*: further calls do nothing, and the owner asks failed() once, at the end.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_TEXT_H_
#define TIDEPOOL_RUNTIME_OBJECTS_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tidepool::rt {

struct TextView {
  const void* data = nullptr;
  size_t size = 0;    // code points
  uint8_t kind = 1;   // bytes per code point

  TextView() = default;
  TextView(const void* d, size_t n, uint8_t k) : data(d), size(n), kind(k) {}
  // ASCII (or Latin-1) text.
  TextView(const char* ascii) : data(ascii), size(std::strlen(ascii)), kind(1) {}  // NOLINT: implicit by design

  char32_t operator[](size_t i) const {
    if (kind == 1) return static_cast<const uint8_t*>(data)[i];
    if (kind == 2) return static_cast<const uint16_t*>(data)[i];
    return static_cast<const uint32_t*>(data)[i];
  }
  TextView Sub(size_t start, size_t end) const {
    return {static_cast<const char*>(data) + start * kind, end - start, kind};
  }
};

// -1, 0, 1 by code points.
int CompareText(TextView a, TextView b);
bool EqualText(TextView a, TextView b);
inline constexpr size_t kNotFound = static_cast<size_t>(-1);
// The first (last) place of `needle` in `text`, or kNotFound. An empty needle is found at 0 (at the end).
size_t FindText(TextView text, TextView needle);
size_t RFindText(TextView text, TextView needle);
// The largest code point, rounded up to 0x7F, 0xFF, 0xFFFF or 0x10FFFF.
char32_t MaxCode(TextView text);
// The bytes per code point that `max` needs.
inline uint8_t KindFor(char32_t max) { return max < 0x100 ? 1 : max < 0x10000 ? 2 : 4; }
// Copies code points between storages; to_kind >= what the text needs.
void CopyText(void* to, uint8_t to_kind, TextView from);
inline void PutCode(void* to, uint8_t kind, size_t i, char32_t c) {
  if (kind == 1) {
    static_cast<uint8_t*>(to)[i] = static_cast<uint8_t>(c);
  } else if (kind == 2) {
    static_cast<uint16_t*>(to)[i] = static_cast<uint16_t>(c);
  } else {
    static_cast<uint32_t*>(to)[i] = c;
  }
}

class TextBuffer {
 public:
  TextBuffer() = default;
  ~TextBuffer();
  TextBuffer(const TextBuffer&) = delete;
  TextBuffer& operator=(const TextBuffer&) = delete;

  void Put(char32_t c) {
    if (kind_ == 1 && c < 0x100 && size_ < room_) {
      static_cast<uint8_t*>(data_)[size_++] = static_cast<uint8_t>(c);
      return;
    }
    PutSlow(c);
  }
  void Put(TextView text) {
    if (text.kind == 1 && kind_ == 1 && text.size <= room_ - size_) {
      if (text.size != 0) std::memcpy(static_cast<uint8_t*>(data_) + size_, text.data, text.size);
      size_ += text.size;
      return;
    }
    PutTextSlow(text);
  }
  void PutBytes(const char* latin1, size_t n) { Put(TextView(latin1, n, 1)); }
  void PutInt(int64_t n);  // in decimal
  void Fill(char32_t c, size_t n);

  bool failed() const { return failed_; }
  size_t size() const { return size_; }
  uint8_t kind() const { return kind_; }
  TextView view() const { return {data_, size_, kind_}; }
  void Truncate(size_t n) { size_ = n; }

 private:
  void PutSlow(char32_t c);
  void PutTextSlow(TextView text);
  // Room for `more` further code points up to `max`; false: failed.
  bool Reserve(size_t more, char32_t max);

  alignas(8) unsigned char inline_[256];
  void* data_ = inline_;
  size_t size_ = 0;
  size_t room_ = sizeof(inline_);  // in code points of kind_
  uint8_t kind_ = 1;
  bool failed_ = false;
};

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_TEXT_H_
