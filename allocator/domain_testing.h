// What the allocator's memory tests start from: a domain with an attached heap of the
// calling thread, and bodies run on threads with a heap of their own.
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

// Runs a copy of body(heap) on `thread`, with an attached heap that is exited at its end.
template <class Body>
bool StartWithHeap(Thread* thread, HeapDomain* domain, Body body, size_t stack_size = 0) {
  return thread->Start(
      [domain, body]() mutable {
        ThreadHeap* heap = domain->NewThread();
        heap->Attach();
        body(heap);
        domain->ExitThread(heap);
      },
      stack_size);
}

// The same, to its end.
template <class Body>
void OnThread(HeapDomain* domain, Body body) {
  Thread thread;
  ASSERT_TRUE(StartWithHeap(&thread, domain, body));
  thread.Join();
}

}  // namespace tidepool::testing_memory

#endif  // TIDEPOOL_ALLOCATOR_DOMAIN_TESTING_H_
