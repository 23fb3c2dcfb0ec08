// A growing array straight from the OS, for the collector's own tables.
//
// Not from the isolate's heaps: a pass must work when these are at their limit, and in a
// stop nobody else may be waited for. Push says false when the OS refuses; the array is
// then as it was. Memory is kept between passes and trimmed by Trim.

#ifndef TIDEPOOL_GC_INTERNAL_OS_ARRAY_H_
#define TIDEPOOL_GC_INTERNAL_OS_ARRAY_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "tidepool/base/os.h"

namespace tidepool {
namespace gc_internal {

template <class T>
class OsArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  explicit OsArray(Os* os = nullptr) : os_(os) {}
  void SetOs(Os* os) { os_ = os; }
  ~OsArray() { Release(); }
  OsArray(const OsArray&) = delete;
  OsArray& operator=(const OsArray&) = delete;

  bool Push(const T& value) {
    if (__builtin_expect(size_ == capacity_, 0) && !Grow(bytes_ == 0 ? kFirstBytes : bytes_ * 2)) return false;
    data_[size_++] = value;
    return true;
  }
  T Pop() { return data_[--size_]; }
  T& operator[](size_t i) { return data_[i]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  T& back() { return data_[size_ - 1]; }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  // n <= capacity: the elements are there, or were written through begin().
  void set_size(size_t n) { size_ = n; }
  void clear() { size_ = 0; }

  // Room for n elements at least. The array is empty; if it had no memory, what it has now
  // reads as zero. False: there is no room for more than before.
  bool Reserve(size_t n) {
    size_ = 0;
    if (n <= capacity_) return true;
    return n <= SIZE_MAX / 2 / sizeof(T) && Grow(n * sizeof(T));
  }

  // Gives the memory back if it is more than `keep` elements. The array is empty.
  void Trim(size_t keep) {
    size_ = 0;
    if (capacity_ > keep) Release();
  }

 private:
  static constexpr size_t kFirstBytes = size_t{1} << 16;

  bool Grow(size_t bytes) {
    const size_t page = os_->PageSize();
    bytes = (bytes + page - 1) & ~(page - 1);
    // First touches cost more than the marking itself; by huge pages they do not, and
    // Trim gives them back.
    const size_t huge = os_->HugePageSize();
    const bool use_huge = huge != 0 && bytes >= huge;
    void* fresh = os_->Reserve(bytes, use_huge ? huge : page);
    if (fresh == nullptr) return false;
    if (!os_->Commit(fresh, bytes)) {
      os_->Release(fresh, bytes);
      return false;
    }
    if (use_huge) os_->AdviseHuge(fresh, bytes);
    if (size_ != 0) std::memcpy(fresh, data_, size_ * sizeof(T));
    if (data_ != nullptr) os_->Release(data_, bytes_);
    data_ = static_cast<T*>(fresh);
    bytes_ = bytes;
    capacity_ = bytes / sizeof(T);
    return true;
  }

  void Release() {
    if (data_ != nullptr) os_->Release(data_, bytes_);
    data_ = nullptr;
    size_ = capacity_ = bytes_ = 0;
  }

  Os* os_;
  T* data_ = nullptr;
  size_t size_ = 0;
  size_t capacity_ = 0;
  size_t bytes_ = 0;
};

}  // namespace gc_internal
}  // namespace tidepool

#endif  // TIDEPOOL_GC_INTERNAL_OS_ARRAY_H_
