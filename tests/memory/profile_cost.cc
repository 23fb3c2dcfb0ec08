// What the heap profile costs while it is on: ns of CPU time for one allocation and one
// free, with samples and without, in three patterns.
//
// One heap; the profile is switched on and off in turn, so that other work on the machine
// falls on both alike. The figures are medians; the ratio is the median of the ratios of
// neighbouring turns, and `same` is that of turns with the profile off both times, which
// says how far the ratio can be trusted.
//
// usage: profile_cost [TURNS]
// Prints a line a pattern: name, off, on, ratio, same.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#include "tidepool/allocator/heap_domain.h"
#include "tidepool/base/os.h"

namespace tidepool {
namespace {

constexpr uint64_t kInterval = 512 << 10;
constexpr int kBlocks = 100000;

double CpuNs() { return static_cast<double>(RealOs()->ThreadCpuNs()); }

double Median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

void* Make(ThreadHeap* heap, size_t size) {
  void* p = heap->Allocate(HeapKind::kRaw, size);
  if (p == nullptr) {
    fprintf(stderr, "profile_cost: no memory for a block of %zu bytes\n", size);
    exit(1);
  }
  *static_cast<volatile char*>(p) = 1;
  return p;
}

// One turn of a pattern is kBlocks allocations and frees.
void Measure(const char* name, HeapDomain* domain, int turns,
             const std::function<void()>& turn) {
  auto timed = [&](uint64_t interval) {
    if (!domain->StartHeapProfile(interval)) {
      fprintf(stderr, "profile_cost: no memory for the profile's tables\n");
      exit(1);
    }
    double start = CpuNs();
    turn();
    return (CpuNs() - start) / kBlocks;
  };
  timed(kInterval);
  std::vector<double> off, on, ratios, same;
  for (int i = 0; i < turns; ++i) {
    double before = timed(0);
    double with = timed(kInterval);
    double after = timed(0);
    off.push_back(before);
    on.push_back(with);
    ratios.push_back(2 * with / (before + after));
    same.push_back(after / before);
  }
  printf("%s %.2f %.2f %.4f %.4f\n", name, Median(off), Median(on), Median(ratios),
         Median(same));
}

int Run(int turns) {
  absl::StatusOr<std::unique_ptr<HeapDomain>> made = HeapDomain::Create(Options());
  if (!made.ok()) {
    fprintf(stderr, "profile_cost: %s\n", made.status().ToString().c_str());
    return 1;
  }
  HeapDomain* domain = made->get();
  ThreadHeap* heap = domain->NewThread();
  heap->Attach();

  Measure("again", domain, turns, [&] {
    for (int i = 0; i < kBlocks; ++i) heap->Free(Make(heap, 48));
  });

  std::vector<void*> blocks(kBlocks);
  Measure("all", domain, turns, [&] {
    for (void*& p : blocks) p = Make(heap, 64);
    for (void* p : blocks) heap->Free(p);
  });

  std::mt19937 random(1);
  for (void*& p : blocks) p = Make(heap, 16 + random() % 512);
  Measure("replaced", domain, turns, [&] {
    for (int i = 0; i < kBlocks; ++i) {
      void*& p = blocks[random() % kBlocks];
      heap->Free(p);
      p = Make(heap, 16 + random() % 512);
    }
  });
  for (void* p : blocks) heap->Free(p);
  domain->ExitThread(heap);
  return 0;
}

}  // namespace
}  // namespace tidepool

int main(int argc, char** argv) {
  int turns = argc > 1 ? atoi(argv[1]) : 300;
  if (argc > 2 || turns < 1) {
    fprintf(stderr, "usage: profile_cost [TURNS]\n");
    return 2;
  }
  return tidepool::Run(turns);
}
