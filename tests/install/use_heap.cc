// A user of the installed heap alone: no other library than the C and C++ ones.
#include <cstdio>
#include <cstring>
#include <thread>

#include "tidepool/allocator/heap_domain.h"

int main() {
  tidepool::Options options;
  options.max_memory = 64 << 20;
  auto domain = tidepool::HeapDomain::Create(options);
  if (!domain.ok()) {
    std::printf("%s\n", domain.status().ToString().c_str());
    return 1;
  }
  tidepool::ThreadHeap* heap = (*domain)->NewThread();
  heap->Attach();
  void* blocks[1000];
  for (int i = 0; i < 1000; ++i) {
    blocks[i] = heap->Allocate(tidepool::HeapKind::kRaw, 10 + i);
    std::memset(blocks[i], i, 10 + i);
  }
  // Another thread frees half of them.
  std::thread([&] {
    tidepool::ThreadHeap* other = (*domain)->NewThread();
    other->Attach();
    for (int i = 0; i < 1000; i += 2) other->Free(blocks[i]);
    other->Detach();
    (*domain)->ExitThread(other);
  }).join();
  for (int i = 1; i < 1000; i += 2) heap->Free(blocks[i]);
  bool refused = heap->Allocate(tidepool::HeapKind::kRaw, 100 << 20) == nullptr;
  bool empty = (*domain)->LiveIn(~0u).blocks == 0;
  heap->Detach();
  (*domain)->ExitThread(heap);
  // An error says what is wrong.
  absl::Status status = options.Set("purge_policy", "sometimes");
  std::printf("heap works %d %d %d\n", refused, empty,
              status.message().find("sometimes") != absl::string_view::npos);
  return 0;
}
