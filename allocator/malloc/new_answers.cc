// Asks every form of operator new and delete what it answers, and prints it: the same
// with the C++ library's own on glibc's malloc and with the drop-in's
// (conformance_test.cc).
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <memory>
#include <new>
#include <string>
#include <vector>

namespace {

constexpr size_t kTooMuch = SIZE_MAX / 2 - 4096;
volatile size_t g_too_much = kTooMuch;
int g_handler_calls;
void* volatile g_sink;

struct alignas(256) Wide {
  char bytes[300];
};

void GiveUpAtThree() {
  if (++g_handler_calls == 3) std::set_new_handler(nullptr);
}
void Throw() {
  ++g_handler_calls;
  throw std::bad_alloc();
}

template <class Call>
void Say(const char* what, Call call, size_t alignment = 16) {
  try {
    void* p = call();
    g_sink = p;
    printf("%s: %s aligned %d handler %d\n", what, p != nullptr ? "block" : "null",
           reinterpret_cast<uintptr_t>(p) % alignment == 0, g_handler_calls);
  } catch (const std::bad_array_new_length&) {
    printf("%s: bad_array_new_length\n", what);
  } catch (const std::bad_alloc&) {
    printf("%s: bad_alloc handler %d\n", what, g_handler_calls);
  }
  g_handler_calls = 0;
}

void Forms() {
  const std::align_val_t wide{1024};
  // Each new with each delete that may follow it.
  for (size_t size : {size_t{0}, size_t{1}, size_t{100}, size_t{5000}, size_t{3} << 20}) {
    void* p = operator new(size);
    memset(p, 1, size);
    operator delete(p);
    operator delete(operator new(size), size);
    operator delete(operator new(size, std::nothrow), std::nothrow);
    operator delete[](operator new[](size));
    operator delete[](operator new[](size), size);
    operator delete[](operator new[](size, std::nothrow), std::nothrow);
    p = operator new(size, wide);
    printf("aligned %zu: %d\n", size, reinterpret_cast<uintptr_t>(p) % 1024 == 0);
    operator delete(p, wide);
    operator delete(operator new(size, wide), size, wide);
    operator delete(operator new(size, wide, std::nothrow), wide, std::nothrow);
    operator delete[](operator new[](size, wide), wide);
    operator delete[](operator new[](size, wide), size, wide);
    operator delete[](operator new[](size, wide, std::nothrow), wide, std::nothrow);
  }
  operator delete(nullptr);
  operator delete[](nullptr);
  operator delete(nullptr, wide);
  delete static_cast<Wide*>(nullptr);
  std::unique_ptr<Wide[]> several(new Wide[5]);
  printf("an aligned class: %d\n", reinterpret_cast<uintptr_t>(several.get()) % 256 == 0);
  std::vector<std::string> words;
  for (int i = 0; i < 1000; ++i) words.push_back(std::string(i % 200, 'w'));
  size_t sum = 0;
  for (const std::string& word : words) sum += word.size();
  printf("a vector of strings: %zu\n", sum);
  // What new gave, malloc's names know.
  char* p = new char[100];
  printf("usable: %d\n", malloc_usable_size(p) >= 100);
  delete[] p;
}

void Refusals() {
  Say("new", [] { return operator new(g_too_much); });
  Say("new[]", [] { return operator new[](g_too_much); });
  Say("new nothrow", [] { return operator new(g_too_much, std::nothrow); });
  Say("new[] nothrow", [] { return operator new[](g_too_much, std::nothrow); });
  Say("new aligned", [] { return operator new(g_too_much, std::align_val_t{64}); });
  Say("new[] aligned", [] { return operator new[](g_too_much, std::align_val_t{64}); });
  Say("new aligned nothrow", [] {
    return operator new(g_too_much, std::align_val_t{64}, std::nothrow);
  });
  Say("new[] aligned nothrow", [] {
    return operator new[](g_too_much, std::align_val_t{64}, std::nothrow);
  });
  Say("new SIZE_MAX", [] { return operator new(SIZE_MAX); });
  Say("new of too many", [] { return static_cast<void*>(new Wide[g_too_much]); });
  for (auto handler : {&GiveUpAtThree, &Throw}) {
    std::set_new_handler(handler);
    Say("new with a handler", [] { return operator new(g_too_much); });
    std::set_new_handler(handler);
    Say("new[] with a handler", [] { return operator new[](g_too_much); });
    std::set_new_handler(handler);
    Say("nothrow with a handler", [] { return operator new(g_too_much, std::nothrow); });
    std::set_new_handler(handler);
    Say("aligned with a handler",
        [] { return operator new(g_too_much, std::align_val_t{64}); });
  }
  std::set_new_handler(nullptr);
}

}  // namespace

int main() {
  Forms();
  Refusals();
  return 0;
}
