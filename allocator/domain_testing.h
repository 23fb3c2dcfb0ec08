// What the allocator's memory tests start from: a domain with an attached heap of the
// calling thread, and a body run on a thread with a heap of its own.
#ifndef TIDEPOOL_ALLOCATOR_DOMAIN_TESTING_H_
#define TIDEPOOL_ALLOCATOR_DOMAIN_TESTING_H_

#include <cstddef>
#include <memory>
#include <utility>

#include "gtest/gtest.h"
#include "tidepool/allocator/heap_domain.h"
#include "tidepool/base/os.h"
#include "tidepool/base/thread.h"

namespace tidepool::testing_memory {

inline constexpr size_t kMiB = 1 << 20;

struct World {
  explicit World(const Options& options = Options(), Os* os = RealOs())
      : domain(std::move(*HeapDomain::Create(options, os))),
        heap(domain->NewThread()) {
    heap->Attach();
  }
  ~World() { domain->ExitThread(heap); }
  std::unique_ptr<HeapDomain> domain;
  ThreadHeap* heap;
};

template <class Body>
void OnThread(HeapDomain* domain, Body body) {
  Thread thread;
  ASSERT_TRUE(thread.Start([&] {
    ThreadHeap* heap = domain->NewThread();
    heap->Attach();
    body(heap);
    domain->ExitThread(heap);
  }));
  thread.Join();
}

}  // namespace tidepool::testing_memory

#endif  // TIDEPOOL_ALLOCATOR_DOMAIN_TESTING_H_
