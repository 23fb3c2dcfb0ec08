// Stable merge sort over a comparison that may fail.
//
// What it is: Sort(items, n, less, buffer) for any trivially copyable item. `less(a, b)` returns 1, 0
// or -1 (failed); after a failure the sort stops, and the array still holds a permutation of what it
// held. Equal items keep their order. Runs that are ascending or strictly descending already are found
// first, short ones are filled up by binary insertion, and neighbouring runs of similar size are
// merged (Timsort without its galloping), so sorted input costs n - 1 comparisons and random input
// about n log2 n - n.
//
// Memory: the caller gives a buffer of n / 2 + 1 items. Nothing is allocated, nothing throws.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_STABLE_SORT_H_
#define TIDEPOOL_RUNTIME_OBJECTS_STABLE_SORT_H_

#include <cstddef>
#include <cstring>
#include <type_traits>

namespace tidepool::rt {

template <class T, class Less>
class StableSorter {
 public:
  StableSorter(T* items, size_t n, T* buffer, Less& less) : items_(items), n_(n), buffer_(buffer), less_(less) {}

  // False: a comparison failed.
  bool Run() {
    if (n_ < 2) return true;
    size_t min_run = MinRun(n_);
    size_t at = 0;
    while (at < n_) {
      size_t run = CountRun(at);
      if (run == 0) return false;
      if (run < min_run) {
        size_t forced = n_ - at < min_run ? n_ - at : min_run;
        if (!BinaryInsertion(at, run, forced)) return false;
        run = forced;
      }
      stack_[depth_++] = {at, run};
      if (!Collapse(false)) return false;
      at += run;
    }
    return Collapse(true);
  }

 private:
  struct Piece {
    size_t start;
    size_t size;
  };

  static size_t MinRun(size_t n) {
    size_t odd = 0;
    while (n >= 64) {
      odd |= n & 1;
      n >>= 1;
    }
    return n + odd;
  }

  // Length of the run at `at`, made ascending; 0: failed.
  size_t CountRun(size_t at) {
    if (at + 1 == n_) return 1;
    size_t end = at + 2;
    int c = less_(items_[at + 1], items_[at]);
    if (c < 0) return 0;
    if (c == 1) {
      for (; end < n_; ++end) {
        c = less_(items_[end], items_[end - 1]);
        if (c < 0) return 0;
        if (c == 0) break;
      }
      for (size_t i = at, j = end - 1; i < j; ++i, --j) {
        T t = items_[i];
        items_[i] = items_[j];
        items_[j] = t;
      }
    } else {
      for (; end < n_; ++end) {
        c = less_(items_[end], items_[end - 1]);
        if (c < 0) return 0;
        if (c == 1) break;
      }
    }
    return end - at;
  }

  // [at, at + sorted) is sorted; extends it to [at, at + total).
  bool BinaryInsertion(size_t at, size_t sorted, size_t total) {
    for (size_t i = at + sorted; i < at + total; ++i) {
      T pivot = items_[i];
      size_t low = at;
      size_t high = i;
      while (low < high) {
        size_t middle = low + (high - low) / 2;
        int c = less_(pivot, items_[middle]);
        if (c < 0) return false;
        if (c == 1) {
          high = middle;
        } else {
          low = middle + 1;
        }
      }
      std::memmove(static_cast<void*>(items_ + low + 1), items_ + low, (i - low) * sizeof(T));
      items_[low] = pivot;
    }
    return true;
  }

  // Keeps the pieces on the stack in shape (sizes fall, and each is larger than the sum of the two after it);
  // `all` merges everything.
  bool Collapse(bool all) {
    while (depth_ > 1) {
      size_t i = depth_ - 2;
      if (i > 0 && (all || stack_[i - 1].size <= stack_[i].size + stack_[i + 1].size ||
                    (i > 1 && stack_[i - 2].size <= stack_[i - 1].size + stack_[i].size))) {
        if (stack_[i - 1].size < stack_[i + 1].size) --i;
      } else if (!all && stack_[i].size > stack_[i + 1].size) {
        break;
      }
      if (!Merge(i)) return false;
    }
    return true;
  }

  bool Merge(size_t i) {
    size_t start = stack_[i].start;
    size_t left = stack_[i].size;
    size_t right = stack_[i + 1].size;
    stack_[i].size = left + right;
    for (size_t k = i + 1; k + 1 < depth_; ++k) stack_[k] = stack_[k + 1];
    --depth_;
    return left <= right ? MergeLow(start, left, right) : MergeHigh(start, left, right);
  }

  // The left piece goes to the buffer. On failure what is in the buffer is put back into the hole.
  bool MergeLow(size_t start, size_t left, size_t right) {
    std::memcpy(static_cast<void*>(buffer_), items_ + start, left * sizeof(T));
    T* out = items_ + start;
    T* a = buffer_;
    T* a_end = buffer_ + left;
    T* b = items_ + start + left;
    T* b_end = b + right;
    bool ok = true;
    while (a < a_end && b < b_end) {
      int c = less_(*b, *a);
      if (c < 0) {
        ok = false;
        break;
      }
      *out++ = c == 1 ? *b++ : *a++;
    }
    std::memcpy(static_cast<void*>(out), a, static_cast<size_t>(a_end - a) * sizeof(T));
    return ok;
  }

  bool MergeHigh(size_t start, size_t left, size_t right) {
    std::memcpy(static_cast<void*>(buffer_), items_ + start + left, right * sizeof(T));
    T* a = items_ + start;
    T* a_end = a + left;
    T* b_end = buffer_ + right;
    T* out = a_end + right;
    bool ok = true;
    while (a < a_end && buffer_ < b_end) {
      int c = less_(b_end[-1], a_end[-1]);
      if (c < 0) {
        ok = false;
        break;
      }
      *--out = c == 1 ? *--a_end : *--b_end;
    }
    size_t rest = static_cast<size_t>(b_end - buffer_);
    std::memcpy(static_cast<void*>(out - rest), buffer_, rest * sizeof(T));
    return ok;
  }

  T* items_;
  size_t n_;
  T* buffer_;
  Less& less_;
  Piece stack_[90];
  size_t depth_ = 0;
};

template <class T, class Less>
bool StableSort(T* items, size_t n, T* buffer, Less&& less) {
  return StableSorter<T, std::remove_reference_t<Less>>(items, n, buffer, less).Run();
}

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_STABLE_SORT_H_
