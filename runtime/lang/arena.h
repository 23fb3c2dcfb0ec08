// Bump allocator that owns the syntax tree of one compilation.
//
// Nodes are trivially destructible and die all at once with the arena; constants, which own memory, are kept in a deque
// beside it. Not thread-safe: one arena belongs to one compilation.
#ifndef TIDEPOOL_RUNTIME_LANG_ARENA_H_
#define TIDEPOOL_RUNTIME_LANG_ARENA_H_

#include <cstddef>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tidepool/runtime/lang/bytecode.h"

namespace tidepool::rt::lang {

// A read-only array inside the arena.
template <class T>
struct ArenaSpan {
  T* data = nullptr;
  size_t size = 0;
  T* begin() const { return data; }
  T* end() const { return data + size; }
  T& operator[](size_t i) const { return data[i]; }
  T& back() const { return data[size - 1]; }
  bool empty() const { return size == 0; }
};

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  void* Allocate(size_t bytes) {
    bytes = (bytes + 15) & ~size_t{15};
    if (bytes > left_) {
      size_t chunk = bytes > kChunk ? bytes : kChunk;
      chunks_.push_back(std::make_unique<char[]>(chunk));
      next_ = chunks_.back().get();
      left_ = chunk;
    }
    void* p = next_;
    next_ += bytes;
    left_ -= bytes;
    return p;
  }

  template <class T, class... A>
  T* New(A&&... args) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (Allocate(sizeof(T))) T(std::forward<A>(args)...);
  }

  template <class T>
  ArenaSpan<T> Copy(const std::vector<T>& v) {
    static_assert(std::is_trivially_copyable_v<T>);
    if (v.empty()) return {};
    T* p = static_cast<T*>(Allocate(v.size() * sizeof(T)));
    std::memcpy(static_cast<void*>(p), v.data(), v.size() * sizeof(T));
    return {p, v.size()};
  }

  std::string_view CopyText(std::string_view s) {
    if (s.empty()) return {};
    char* p = static_cast<char*>(Allocate(s.size()));
    std::memcpy(p, s.data(), s.size());
    return {p, s.size()};
  }

  Const* NewConst(Const c) {
    consts_.push_back(std::move(c));
    return &consts_.back();
  }

 private:
  static constexpr size_t kChunk = 16384;
  std::vector<std::unique_ptr<char[]>> chunks_;
  std::deque<Const> consts_;
  char* next_ = nullptr;
  size_t left_ = 0;
};

}  // namespace tidepool::rt::lang

#endif  // TIDEPOOL_RUNTIME_LANG_ARENA_H_
