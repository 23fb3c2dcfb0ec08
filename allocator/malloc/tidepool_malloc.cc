// The drop-in malloc: one heap domain behind the C library's names.
//
//   LD_PRELOAD=libtidepool_malloc.so program
//
// Each thread gets a heap at its first call, found through one initial-exec
// thread-local word. There are no safepoints and no lock-free readers here, so heaps
// stay detached and every operation stands between Enter and Leave (thread_heap.h):
// that is how a purge, or the background thread, reaches the heap of a thread that
// is idle.
//
// A thread's life: unknown -> own heap (first call) -> gone (its key's destructor, in
// the last round, so that other destructors find the heap) -> the shared heap, behind
// a lock, for whatever still runs on that thread. Nothing is revived and nothing is
// left behind; frees need no heap at all.
//
// While the domain itself is made, operator new comes back here; these few blocks
// are cut from a static buffer and never freed.
//
// Fork: the handlers take every lock of the domain before, and in the child the
// other threads' heaps are left to be purged, and the background thread starts anew.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tidepool/allocator/heap_domain.h"
#include "tidepool/allocator/internal/process_barrier.h"
#include "tidepool/base/check.h"

namespace {

using tidepool::HeapDomain;
using tidepool::HeapKind;
using tidepool::Mutex;
using tidepool::MutexLock;
using tidepool::Options;
using tidepool::ThreadHeap;

enum class Life : uint8_t { kUnknown, kOwnHeap, kGone };

struct ThreadWords {
  ThreadHeap* heap;  // null unless kOwnHeap
  Life life;
  uint8_t rounds;
};
__attribute__((tls_model("initial-exec"))) thread_local ThreadWords t_words;

alignas(64) char g_boot[1 << 18];
tidepool::Atomic<size_t> g_boot_used{0};
tidepool::Atomic<HeapDomain*> g_domain{nullptr};
[[maybe_unused]] tidepool::Atomic<bool> g_making{false};
Mutex g_make_lock{0};
Mutex g_shared_lock{0};
ThreadHeap* g_shared_heap;
bool g_barriers;
pthread_key_t g_key;

bool InBoot(const void* p) {
  const char* c = static_cast<const char*>(p);
  return c >= g_boot && c < g_boot + sizeof(g_boot);
}

void* BootAllocate(size_t size, size_t alignment) {
  if (alignment < 16) alignment = 16;
  size_t need = size + alignment + 16;
  // Relaxed: the piece is the caller's alone.
  size_t at = g_boot_used.fetch_add(need, tidepool::kRelaxed);
  if (at + need > sizeof(g_boot)) tidepool::Fatal("tidepool: no memory to start");
  uintptr_t p = (reinterpret_cast<uintptr_t>(g_boot) + at + 16 + alignment - 1) &
                ~(alignment - 1);
  reinterpret_cast<size_t*>(p)[-1] = size;
  return reinterpret_cast<void*>(p);
}

void ThreadGone(void*) {
  // Not in the first rounds: destructors of other keys may still allocate.
  if (++t_words.rounds < PTHREAD_DESTRUCTOR_ITERATIONS - 1) {
    pthread_setspecific(g_key, &t_words);
    return;
  }
  ThreadHeap* heap = t_words.heap;
  t_words.heap = nullptr;
  t_words.life = Life::kGone;
  // Acquire: pairs with the release in MakeDomain.
  if (heap != nullptr) g_domain.load(tidepool::kAcquire)->ExitThread(heap);
}

// The locks are taken in one function and given back in another: outside the
// analysis, which goes function by function.
void BeforeFork() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  g_make_lock.Lock();
  g_shared_lock.Lock();
  HeapDomain* domain = g_domain.load(tidepool::kAcquire);  // as above
  if (domain != nullptr) domain->PrepareFork();
}
void AfterForkInParent() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  HeapDomain* domain = g_domain.load(tidepool::kAcquire);  // as above
  if (domain != nullptr) domain->ParentAfterFork();
  g_shared_lock.Unlock();
  g_make_lock.Unlock();
}
void AfterForkInChild() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  HeapDomain* domain = g_domain.load(tidepool::kAcquire);  // as above
  if (domain != nullptr) domain->ChildAfterFork();
  g_shared_lock.Unlock();
  g_make_lock.Unlock();
}

// The domain, or null while this very thread is making it.
HeapDomain* MakeDomain() {
  static thread_local bool mine __attribute__((tls_model("initial-exec")));
  if (mine) return nullptr;
  mine = true;
  g_make_lock.Lock();
  HeapDomain* domain = g_domain.load(tidepool::kAcquire);
  if (domain == nullptr) {
    Options options;
    options.background_thread = true;
    absl::StatusOr<Options> given = Options::FromEnvironment(options);
    if (!given.ok()) {
      const std::string text(given.status().ToString());
      tidepool::Fatal("tidepool: %s", text.c_str());
    }
    bool background = given->background_thread;
    given->background_thread = false;
    absl::StatusOr<std::unique_ptr<HeapDomain>> made =
        HeapDomain::Create(*given, tidepool::RealOs());
    if (!made.ok()) tidepool::Fatal("tidepool: no memory for a heap");
    domain = made->release();
    g_barriers = tidepool::internal::ProcessBarrier();
    g_shared_heap = domain->NewThread();
    if (g_shared_heap == nullptr) tidepool::Fatal("tidepool: no memory to start");
    g_shared_heap->UseEnterLeave(g_barriers);
    pthread_key_create(&g_key, &ThreadGone);
    pthread_atfork(&BeforeFork, &AfterForkInParent, &AfterForkInChild);
    g_domain.store(domain, tidepool::kRelease);  // pairs with every acquire
    g_make_lock.Unlock();
    if (background) domain->StartBackground();
  } else {
    g_make_lock.Unlock();
  }
  mine = false;
  return domain;
}

HeapDomain* Domain() {
  HeapDomain* domain = g_domain.load(tidepool::kAcquire);  // pairs with MakeDomain
  return __builtin_expect(domain != nullptr, 1) ? domain : MakeDomain();
}

// Runs op(heap) with the calling thread's heap, or with the shared one. Null (and
// null from the op): while starting up.
template <class Op>
__attribute__((noinline)) void* WithHeapSlow(Op op, size_t boot_size,
                                             size_t alignment) {
  HeapDomain* domain = Domain();
  if (domain == nullptr) return BootAllocate(boot_size, alignment);
  if (t_words.life == Life::kUnknown) {
    t_words.life = Life::kGone;  // calls from in here use the shared heap
    ThreadHeap* heap = domain->NewThread();
    if (heap != nullptr) {
      heap->UseEnterLeave(g_barriers);
      pthread_setspecific(g_key, &t_words);
      t_words.heap = heap;
      t_words.life = Life::kOwnHeap;
      heap->Enter();
      void* p = op(heap);
      heap->Leave();
      return p;
    }
    t_words.life = Life::kUnknown;
  }
  MutexLock lock(&g_shared_lock);
  g_shared_heap->Enter();
  void* p = op(g_shared_heap);
  g_shared_heap->Leave();
  return p;
}

template <class Op>
inline void* WithHeap(Op op, size_t boot_size, size_t alignment = 16) {
  ThreadHeap* heap = t_words.heap;
  if (__builtin_expect(heap == nullptr, 0)) {
    return WithHeapSlow(op, boot_size, alignment);
  }
  heap->Enter();
  void* p = op(heap);
  heap->Leave();
  return p;
}

inline void* OrErrno(void* p) {
  if (__builtin_expect(p == nullptr, 0)) errno = ENOMEM;
  return p;
}

void* Aligned(size_t alignment, size_t size) {
  return WithHeap(
      [=](ThreadHeap* heap) {
        return heap->AllocateAligned(HeapKind::kRaw, size, alignment);
      },
      size, alignment);
}

}  // namespace

#define TIDEPOOL_EXPORT extern "C" __attribute__((visibility("default")))

TIDEPOOL_EXPORT void* malloc(size_t size) {
  return OrErrno(WithHeap(
      [=](ThreadHeap* heap) { return heap->Allocate(HeapKind::kRaw, size); },
      size));
}

TIDEPOOL_EXPORT void free(void* p) {
  if (p == nullptr) return;
  ThreadHeap* heap = t_words.heap;
  if (__builtin_expect(heap != nullptr, 1)) {
    if (__builtin_expect(InBoot(p), 0)) return;
    heap->Enter();
    heap->Free(p);
    heap->Leave();
    return;
  }
  if (InBoot(p)) return;
  HeapDomain* domain = Domain();
  if (domain != nullptr) domain->FreeFromAnywhere(p);
}

TIDEPOOL_EXPORT void* calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return OrErrno(nullptr);
  return OrErrno(WithHeap(
      [=](ThreadHeap* heap) {
        return heap->AllocateZeroed(HeapKind::kRaw, bytes);
      },
      bytes));  // the boot buffer is zero
}

TIDEPOOL_EXPORT void* realloc(void* p, size_t size) {
  if (p != nullptr && InBoot(p)) {
    size_t old = reinterpret_cast<size_t*>(p)[-1];
    void* fresh = malloc(size);
    if (fresh != nullptr) memcpy(fresh, p, old < size ? old : size);
    return fresh;
  }
  return OrErrno(WithHeap(
      [=](ThreadHeap* heap) { return heap->Reallocate(p, size); }, size));
}

TIDEPOOL_EXPORT void* reallocarray(void* p, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) return OrErrno(nullptr);
  return realloc(p, bytes);
}

TIDEPOOL_EXPORT int posix_memalign(void** out, size_t alignment, size_t size) {
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) {
    return EINVAL;
  }
  void* p = Aligned(alignment, size);
  if (p == nullptr) return ENOMEM;
  *out = p;
  return 0;
}

TIDEPOOL_EXPORT void* aligned_alloc(size_t alignment, size_t size) {
  if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
    errno = EINVAL;
    return nullptr;
  }
  return OrErrno(Aligned(alignment, size));
}

TIDEPOOL_EXPORT void* memalign(size_t alignment, size_t size) {
  return aligned_alloc(alignment, size);
}

TIDEPOOL_EXPORT void* valloc(size_t size) {
  return OrErrno(Aligned(static_cast<size_t>(sysconf(_SC_PAGESIZE)), size));
}

TIDEPOOL_EXPORT void* pvalloc(size_t size) {
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t rounded = (size + page - 1) & ~(page - 1);
  if (rounded < size) return OrErrno(nullptr);
  return OrErrno(Aligned(page, rounded));
}

TIDEPOOL_EXPORT size_t malloc_usable_size(void* p) {
  if (p == nullptr) return 0;
  if (InBoot(p)) return reinterpret_cast<size_t*>(p)[-1];
  return HeapDomain::UsableSize(p);
}

TIDEPOOL_EXPORT int malloc_trim(size_t) {
  HeapDomain* domain = Domain();
  return domain != nullptr && domain->Purge() != 0 ? 1 : 0;
}
