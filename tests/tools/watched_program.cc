// A small program with the faults that memory tools are there to find; the test runs it
// under each of them.
//
//   watched_program clean|use_after_free|overrun|slack|double_free|leak|big
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "tidepool/allocator/heap.h"
#include "tidepool/allocator/heap_domain.h"
#include "tidepool/base/thread.h"

namespace {

using tidepool::HeapDomain;
using tidepool::HeapKind;
using tidepool::ThreadHeap;

#define NOINLINE __attribute__((noinline))

char sink;

NOINLINE void* MakeTheBlock(ThreadHeap* heap, size_t size) {
  void* block = heap->Allocate(HeapKind::kRaw, size);
  memset(block, 1, size);
  return block;
}
NOINLINE void FreeTheBlock(ThreadHeap* heap, void* block) {
  heap->Free(block);
  __asm__ volatile("" ::: "memory");
}
NOINLINE void ReadTheBlock(void* block, size_t at) {
  sink = static_cast<volatile char*>(block)[at];
  __asm__ volatile("" ::: "memory");
}
NOINLINE void LeakTheBlock(ThreadHeap* heap) {
  MakeTheBlock(heap, 1000);
  __asm__ volatile("" ::: "memory");
}
NOINLINE void* MakeTheBigBlock(ThreadHeap* heap) {
  void* block = heap->Allocate(HeapKind::kRaw, 8 << 20);
  memset(block, 1, 8 << 20);
  return block;
}

// Every way of having and giving back blocks; nothing in it is wrong.
void Clean(HeapDomain* domain, ThreadHeap* heap) {
  std::vector<void*> blocks, others;
  for (size_t i = 0; i < 3000; ++i) {
    const size_t size = 1 + i * 37 % 3000;
    const HeapKind kind = static_cast<HeapKind>(i % tidepool::kHeapKindCount);
    char* block = static_cast<char*>(i % 2 == 0 ? heap->Allocate(kind, size)
                                                : heap->AllocateZeroed(kind, size));
    if (kind == HeapKind::kRaw) {
      if (i % 2 == 1) {
        // Known zeros are defined.
        for (size_t k = 0; k < size; ++k) {
          if (block[k] != 0) abort();
        }
      }
      memset(block, 7, size);
    }
    (i % 3 == 0 ? others : blocks).push_back(block);
    if (i % 5 == 0) {
      heap->Free(blocks.empty() ? nullptr : blocks.back());
      if (!blocks.empty()) blocks.pop_back();
    }
  }
  void* grown = nullptr;
  for (size_t size = 10; size < 3000000; size = size * 5 / 3) {
    grown = heap->Reallocate(grown, size);
    memset(grown, 3, size);
  }
  grown = heap->Reallocate(grown, 100);
  for (int i = 0; i < 100; ++i) {
    if (static_cast<char*>(grown)[i] != 3) abort();
  }
  heap->Free(grown);
  void* aligned = heap->AllocateAligned(HeapKind::kRaw, 100, 4096);
  memset(aligned, 1, 100);
  heap->Free(aligned);
  for (size_t size : {100, 5000, 200000}) {
    void* delayed = MakeTheBlock(heap, size);
    delayed = heap->ReallocateDelayed(delayed, size, size * 2, true);
    heap->FreeDelayed(delayed, true);
  }
  heap->Safepoint();
  tidepool::Thread thread;
  if (!thread.Start([&] {
        ThreadHeap* other = domain->NewThread();
        other->Attach();
        for (void* block : others) other->Free(block);
        other->Detach();
        domain->ExitThread(other);
      })) {
    abort();
  }
  thread.Join();
  for (void* block : blocks) heap->Free(block);
  domain->Purge();
  heap->Safepoint();
  MakeTheBlock(heap, 500);  // goes with the domain: no leak
}

}  // namespace

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  auto made = HeapDomain::Create(tidepool::Options());
  if (!made.ok()) return 1;
  HeapDomain* domain = made->release();
  ThreadHeap* heap = domain->NewThread();
  heap->Attach();
  bool known = true;
  if (strcmp(what, "clean") == 0) {
    Clean(domain, heap);
  } else if (strcmp(what, "use_after_free") == 0) {
    void* block = MakeTheBlock(heap, 100);
    FreeTheBlock(heap, block);
    ReadTheBlock(block, 0);
  } else if (strcmp(what, "overrun") == 0) {
    void* block = MakeTheBlock(heap, 96);  // a class of its own size
    MakeTheBlock(heap, 96);
    ReadTheBlock(block, 96);
  } else if (strcmp(what, "slack") == 0) {
    void* block = MakeTheBlock(heap, 100);  // in a block of 112
    ReadTheBlock(block, 104);
  } else if (strcmp(what, "double_free") == 0) {
    void* block = MakeTheBlock(heap, 100);
    FreeTheBlock(heap, block);
    FreeTheBlock(heap, block);
  } else if (strcmp(what, "leak") == 0) {
    // The record of a page points to its first block, so that one is never lost.
    MakeTheBlock(heap, 1000);
    LeakTheBlock(heap);
    memset(alloca(4096), 0, 4096);  // no copy of the pointer stays on the stack
    exit(0);                        // and the domain is not destroyed
  } else if (strcmp(what, "big") == 0) {
    FreeTheBlock(heap, MakeTheBigBlock(heap));
  } else {
    known = false;
  }
  heap->Detach();
  domain->ExitThread(heap);
  delete domain;
  if (!known) {
    fprintf(stderr, "usage: watched_program clean|use_after_free|overrun|slack|double_free|leak|big\n");
    return 2;
  }
  printf("done\n");
  return 0;
}
