// Atomic<T>: the only way shared words are declared.
//
// Like std::atomic, with four differences:
//  - There is no default memory order and no implicit conversion. Each access
//    says its order, and the code beside it names the access it pairs with.
//  - It is trivially constructible and destructible and has the size of T, so
//    it can be laid over fresh zero memory: all zeros is the value 0. A
//    default-initialised Atomic on the stack is therefore not initialised.
//  - In the `sched` build every operation is a scheduling point (before the
//    operation), so tests run chosen interleavings of the real code.
//  - T is at most a word and always lock-free.
//
// Under the scheduler operations are sequentially consistent whatever order
// they name: weak orders are checked by ThreadSanitizer and by the models in
// tests/models, not there.
#ifndef TIDEPOOL_BASE_ATOMIC_H_
#define TIDEPOOL_BASE_ATOMIC_H_

#include <atomic>
#include <type_traits>

#include "tidepool/base/sanitizer.h"
#include "tidepool/base/sched_point.h"

namespace tidepool {

inline constexpr std::memory_order kRelaxed = std::memory_order_relaxed;
inline constexpr std::memory_order kAcquire = std::memory_order_acquire;
inline constexpr std::memory_order kRelease = std::memory_order_release;
inline constexpr std::memory_order kAcqRel = std::memory_order_acq_rel;
inline constexpr std::memory_order kSeqCst = std::memory_order_seq_cst;

template <class T>
class Atomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 8);

 public:
  Atomic() = default;
  constexpr explicit Atomic(T value) : value_(value) {}
  Atomic(const Atomic&) = delete;
  Atomic& operator=(const Atomic&) = delete;

  T load(std::memory_order order) const {
    sched::Point();
    T result;
    __atomic_load(&value_, &result, static_cast<int>(order));
    return result;
  }

  void store(T value, std::memory_order order) {
    sched::Point();
    __atomic_store(&value_, &value, static_cast<int>(order));
  }

  T exchange(T value, std::memory_order order) {
    sched::Point();
    T result;
    __atomic_exchange(&value_, &value, &result, static_cast<int>(order));
    return result;
  }

  bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                             std::memory_order failure) {
    sched::Point();
    return __atomic_compare_exchange(&value_, &expected, &desired, true,
                                     Success(success, failure),
                                     static_cast<int>(failure));
  }

  bool compare_exchange_strong(T& expected, T desired,
                               std::memory_order success,
                               std::memory_order failure) {
    sched::Point();
    return __atomic_compare_exchange(&value_, &expected, &desired, false,
                                     Success(success, failure),
                                     static_cast<int>(failure));
  }

  // Integers only.
  T fetch_add(T delta, std::memory_order order) {
    static_assert(std::is_integral_v<T>);
    sched::Point();
    return __atomic_fetch_add(&value_, delta, static_cast<int>(order));
  }
  T fetch_sub(T delta, std::memory_order order) {
    static_assert(std::is_integral_v<T>);
    sched::Point();
    return __atomic_fetch_sub(&value_, delta, static_cast<int>(order));
  }
  T fetch_or(T bits, std::memory_order order) {
    static_assert(std::is_integral_v<T>);
    sched::Point();
    return __atomic_fetch_or(&value_, bits, static_cast<int>(order));
  }
  T fetch_and(T bits, std::memory_order order) {
    static_assert(std::is_integral_v<T>);
    sched::Point();
    return __atomic_fetch_and(&value_, bits, static_cast<int>(order));
  }

 private:
  // The builtins want a success order that is at least the failure order; the
  // language does not.
  static constexpr int Success(std::memory_order success,
                               std::memory_order failure) {
    if (failure == kSeqCst) return static_cast<int>(kSeqCst);
    if (failure == kAcquire && success == kRelease) {
      return static_cast<int>(kAcqRel);
    }
    if (failure == kAcquire && success == kRelaxed) {
      return static_cast<int>(kAcquire);
    }
    return static_cast<int>(success);
  }

  alignas(sizeof(T)) T value_;
};

static_assert(std::is_trivially_default_constructible_v<Atomic<void*>>);
static_assert(std::is_trivially_destructible_v<Atomic<void*>>);
static_assert(sizeof(Atomic<char>) == 1 && sizeof(Atomic<void*>) == 8);

namespace internal {
inline Atomic<int> g_fence_word{0};
}  // namespace internal

// A fence. ThreadSanitizer does not know fences, so there it is a
// read-modify-write of one common word, which orders at least as much.
inline void AtomicFence(std::memory_order order) {
#if TIDEPOOL_TSAN
  internal::g_fence_word.fetch_add(0, kSeqCst);
  (void)order;
#else
  sched::Point();
  __atomic_thread_fence(static_cast<int>(order));
#endif
}

}  // namespace tidepool

#endif  // TIDEPOOL_BASE_ATOMIC_H_
