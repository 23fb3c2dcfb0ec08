// What stays resident of a million strings that were shrunk and then mostly dropped.
//
// 1 M blocks of 200 bytes, shrunk to 110 and kept; then nine of ten are freed, either 900
// of each 1,000 in a row or at random; then the thread detaches and the background thread
// has 2.2 s. The blocks that live are written all along.
//
// usage: shrunk_strings rows|random
// Prints resident MiB above the start: full, shrunk, freed, idle, and the live bytes in MiB.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tidepool/allocator/heap_domain.h"
#include "tidepool/base/os.h"

namespace tidepool {
namespace {

constexpr size_t kBlocks = 1000000;

void Must(bool done, const char* what) {
  if (done) return;
  fprintf(stderr, "shrunk_strings: %s\n", what);
  exit(1);
}

void Run(bool at_random) {
  Options options;
  options.background_thread = true;
  auto made = HeapDomain::Create(options);
  Must(made.ok(), "no heap domain");
  HeapDomain* domain = made->get();
  ThreadHeap* heap = domain->NewThread();
  heap->Attach();
  // The tables of this program are there before the count begins.
  std::vector<char*> blocks(kBlocks, nullptr);
  std::vector<uint32_t> order(kBlocks);
  for (size_t i = 0; i < kBlocks; ++i) order[i] = static_cast<uint32_t>(i);
  if (at_random) std::shuffle(order.begin(), order.end(), std::mt19937(3));
  size_t start = RealOs()->Rss();
  auto above = [&] {
    return static_cast<double>(RealOs()->Rss() - start) / (1 << 20);
  };

  for (char*& p : blocks) {
    p = static_cast<char*>(heap->Allocate(HeapKind::kRaw, 200));
    Must(p != nullptr, "no memory");
    memset(p, 1, 200);
  }
  double full = above();
  for (char*& p : blocks) {
    p = static_cast<char*>(heap->Reallocate(p, 110));
    Must(p != nullptr, "a block could not be shrunk");
  }
  double shrunk = above();
  uint64_t live = 0;
  for (size_t i = 0; i < kBlocks; ++i) {
    char*& p = blocks[order[i]];
    bool stays = at_random ? i % 10 == 0 : order[i] % 1000 >= 900;
    if (stays) {
      live += 110;
    } else {
      heap->Free(p);
      p = nullptr;
    }
  }
  double freed = above();
  heap->Detach();
  RealOs()->SleepNs(2200 * 1000 * 1000ull);
  double idle = above();
  printf("%.1f %.1f %.1f %.1f %.1f\n", full, shrunk, freed, idle,
         static_cast<double>(live) / (1 << 20));
  heap->Attach();
  for (char* p : blocks) {
    if (p == nullptr) continue;
    Must(p[0] == 1 && p[109] == 1, "a block that lives was written to");
    heap->Free(p);
  }
  domain->ExitThread(heap);
}

}  // namespace
}  // namespace tidepool

int main(int argc, char** argv) {
  std::string how = argc == 2 ? argv[1] : "";
  if (how != "rows" && how != "random") {
    fprintf(stderr, "usage: shrunk_strings rows|random\n");
    return 2;
  }
  tidepool::Run(how == "random");
  return 0;
}
