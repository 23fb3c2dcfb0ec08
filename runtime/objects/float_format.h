// Text of floating-point numbers, as CPython writes it, and reading it back.
//
// What it is: the shortest repr that reads back (by std::to_chars), the codes e, f, g and % with a
// precision (by the C library, which rounds the exact value half to even), and parsing. Plain C++.
// Memory: a result needs malloc only when it is longer than 400 characters.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_FLOAT_FORMAT_H_
#define TIDEPOOL_RUNTIME_OBJECTS_FLOAT_FORMAT_H_

#include <cstddef>

namespace tidepool::rt {

// ASCII result of formatting a number; data() is null when there was no memory.
class NumberText {
 public:
  NumberText() = default;
  ~NumberText();
  NumberText(const NumberText&) = delete;
  NumberText& operator=(const NumberText&) = delete;
  const char* data() const { return data_; }
  size_t size() const { return size_; }
  char* Room(size_t n);  // at least n bytes, old contents lost; null: no memory
  void set_size(size_t n) { size_ = n; }

 private:
  char inline_[400];
  char* data_ = inline_;
  size_t size_ = 0;
};

inline constexpr int kFloatAlternate = 1;  // keep the point (and zeros for g)
inline constexpr int kFloatAddDot0 = 2;    // "1" becomes "1.0"

// code: r (shortest; precision is ignored), e, f, g and their upper-case forms. A negative number has its
// sign in front. False: no memory.
bool FormatDouble(double value, char code, int precision, int flags, NumberText* out);
// repr(float); returns the length, at most 32.
size_t ReprDouble(double value, char* out);
inline constexpr size_t kMaxReprDouble = 32;

// Reads an ASCII number as float() does, without spaces around and without underscores: the whole of
// [text, text + n) must be a number. False: it is none.
bool ParseDouble(const char* text, size_t n, double* out);
// round(value, digits) half to even on the exact value.
double RoundDouble(double value, long digits);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_FLOAT_FORMAT_H_
