// What stands between the C library's names and the heap domain: which heap a call uses.
//
// Each thread gets a heap at its first call, found through an initial-exec
// thread-local HeapGate. There are no safepoints and no lock-free readers here, so
// heaps stay detached and every operation stands between the gate's Enter and Leave
// (thread_heap.h): that is how a purge, or the background thread, reaches the heap of
// a thread that is idle. A gate is closed until its thread has a heap, so the fast
// paths do not ask; their slow paths are tail calls, and leave the gate.
//
// A thread's life: unknown -> own heap (first call; the 16th, if it only frees, for
// frees need no heap but are cheaper with one) -> gone (its key's destructor, in
// the last round, so that other destructors find the heap) -> the shared heap, behind
// a lock, for whatever still runs on that thread. Nothing is revived and nothing is
// left behind.
//
// While the domain itself is made, malloc comes back here; these few blocks are cut
// from a static buffer and never freed.
#ifndef TIDEPOOL_ALLOCATOR_MALLOC_SHIM_H_
#define TIDEPOOL_ALLOCATOR_MALLOC_SHIM_H_

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include "tidepool/allocator/heap_domain.h"

#define TIDEPOOL_EXPORT extern "C" __attribute__((visibility("default")))

namespace tidepool::malloc_shim {

enum class Life : uint8_t { kUnknown, kOwnHeap, kGone };

struct ThreadWords {
  HeapGate gate;
  ThreadHeap* heap;  // null unless kOwnHeap
  Life life;
  uint8_t rounds;
  uint8_t frees;     // without a heap, up to kFreesWithoutHeap
  bool making;  // this thread makes the domain
};
// __thread, for extern thread_local goes through a function.
extern __thread __attribute__((tls_model("initial-exec"))) ThreadWords t_words;

inline constexpr size_t kBootBytes = 1 << 18;
extern char g_boot[kBootBytes];
inline bool InBoot(const void* p) {
  return reinterpret_cast<uintptr_t>(p) - reinterpret_cast<uintptr_t>(g_boot) <
         kBootBytes;
}
inline size_t BootSize(const void* p) {
  return static_cast<const size_t*>(p)[-1];
}
// Zeroed.
void* BootAllocate(size_t size, size_t alignment);

// The domain, made if need be; null while this very thread is making it.
HeapDomain* Domain();

// A turn on a heap by a thread whose gate was found closed, and which is inside it: it
// has no heap yet, or none any more, or its heap is held. A null heap: starting up.
struct SlowTurn {
  ThreadHeap* heap;
  bool shared;
};
SlowTurn BeginSlow();
void EndSlow(SlowTurn turn);

template <class Op>
__attribute__((noinline)) void* WithHeapSlow(Op op, size_t boot_size,
                                             size_t alignment) {
  SlowTurn turn = BeginSlow();
  if (turn.heap == nullptr) return BootAllocate(boot_size, alignment);
  void* p = op(turn.heap);
  EndSlow(turn);
  return p;
}

// Runs op(heap) with the calling thread's heap, or with the shared one.
template <class Op>
inline void* WithHeap(Op op, size_t boot_size, size_t alignment = 16) {
  ThreadHeap* heap = ThreadHeap::Behind(t_words.gate.Enter());
  if (__builtin_expect(heap == nullptr, 0)) {
    return WithHeapSlow(op, boot_size, alignment);
  }
  void* p = op(heap);
  t_words.gate.Leave();
  return p;
}

inline void* OrErrno(void* p) {
  if (__builtin_expect(p == nullptr, 0)) errno = ENOMEM;
  return p;
}

// The operations that both the C names and operator new stand on. Null: refused, and
// errno is untouched.
void* AllocateSlow(internal::CurrentPages* pages, size_t size);  // in the gate
inline void* Allocate(size_t size) {
  internal::CurrentPages* pages = t_words.gate.Enter();
  void* p = ThreadHeap::TryAllocate(pages, HeapKind::kRaw, size);
  if (__builtin_expect(p == nullptr, 0)) return AllocateSlow(pages, size);
  t_words.gate.Leave();
  return p;
}
// The same, with errno set: malloc itself, whose slow path is a tail call.
void* MallocSlow(internal::CurrentPages* pages, size_t size);  // in the gate
inline void* Malloc(size_t size) {
  internal::CurrentPages* pages = t_words.gate.Enter();
  void* p = ThreadHeap::TryAllocate(pages, HeapKind::kRaw, size);
  if (__builtin_expect(p == nullptr, 0)) return MallocSlow(pages, size);
  t_words.gate.Leave();
  return p;
}
void* AllocateAligned(size_t alignment, size_t size);  // a power of two

void FreeSlow(internal::CurrentPages* pages, void* p);  // both in the gate
void FreeLast(void* p);
// Inline everywhere: a call more is a fifth of its cost. All pages here are raw.
__attribute__((always_inline)) inline void Free(void* p) {
  internal::CurrentPages* pages = t_words.gate.Enter();
  ThreadHeap::Freed freed = ThreadHeap::TryFree<LinkOffset(HeapKind::kRaw)>(pages, p);
  if (__builtin_expect(freed == ThreadHeap::Freed::kNot, 0)) {
    return FreeSlow(pages, p);
  }
  if (__builtin_expect(freed == ThreadHeap::Freed::kLast, 0)) return FreeLast(p);
  t_words.gate.Leave();
}

}  // namespace tidepool::malloc_shim

#endif  // TIDEPOOL_ALLOCATOR_MALLOC_SHIM_H_
