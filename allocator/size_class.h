// Size classes: which block size serves which request.
//
// Classes step by 16 bytes up to 1 KiB and then eight per doubling, up to
// 64 KiB. Every block size is a multiple of 16, and every power of two from 16
// on is a class of its own, so a page that starts at a 64 KiB border gives
// aligned blocks without padding. Above 64 KiB a block has a page of its own
// and no class.
//
//   class       0      1 ... 64        65 ... 112
//   block       unused 16 ... 1024     1152, 1280 ... 65536
//
// Waste inside a block is at most 15 bytes up to 1 KiB and an eighth above.
#ifndef TIDEPOOL_ALLOCATOR_SIZE_CLASS_H_
#define TIDEPOOL_ALLOCATOR_SIZE_CLASS_H_

#include <cstddef>
#include <cstdint>

namespace tidepool {

inline constexpr size_t kSliceSize = 64 << 10;
inline constexpr unsigned kSliceShift = 16;

inline constexpr size_t kSmallMax = 8 << 10;    // in pages of one slice
inline constexpr size_t kMediumMax = 64 << 10;  // in pages of eight slices
inline constexpr size_t kSmallPageSize = kSliceSize;
inline constexpr size_t kMediumPageSize = 8 * kSliceSize;

inline constexpr unsigned kClassCount = 64 + 6 * 8 + 1;

inline constexpr size_t kFineMax = 1024;  // classes step by 16 up to here
// Requires size <= kFineMax. Size 0 gives class 0, which no page serves.
inline constexpr size_t FineClass(size_t size) { return (size + 15) >> 4; }

// Requires size <= kMediumMax. Size 0 is served as 1.
inline constexpr unsigned SizeClass(size_t size) {
  if (size <= kFineMax) return static_cast<unsigned>((size + 15 + (size == 0)) >> 4);
  // The top four bits of size - 1, of which the first is a one.
  size_t top = size - 1;
  unsigned bit = 63 - static_cast<unsigned>(__builtin_clzll(top));
  unsigned step = static_cast<unsigned>(top >> (bit - 3)) & 7;
  return 65 + (bit - 10) * 8 + step;
}

inline constexpr size_t ClassSize(unsigned size_class) {
  if (size_class <= 64) return size_t{size_class} * 16;
  unsigned doubling = (size_class - 65) / 8;
  unsigned step = (size_class - 65) % 8;
  return (size_t{1024} << doubling) + (size_t{128} << doubling) * (step + 1);
}

static_assert(SizeClass(0) == 1 && SizeClass(1) == 1 && SizeClass(16) == 1);
static_assert(SizeClass(17) == 2 && SizeClass(1024) == 64);
static_assert(SizeClass(1025) == 65 && ClassSize(65) == 1152);
static_assert(SizeClass(2048) == 72 && ClassSize(72) == 2048);
static_assert(SizeClass(2049) == 73);
static_assert(SizeClass(kMediumMax) == kClassCount - 1);
static_assert(ClassSize(kClassCount - 1) == kMediumMax);

// Bytes of the page that holds blocks of a class.
inline constexpr size_t ClassPageSize(unsigned size_class) {
  return ClassSize(size_class) <= kSmallMax ? kSmallPageSize : kMediumPageSize;
}

}  // namespace tidepool

#endif  // TIDEPOOL_ALLOCATOR_SIZE_CLASS_H_
