// The drop-in malloc's domain: how it starts, whose heap serves a call, and fork.
//
// The background thread (option background_thread) starts when the process has
// committed kBackgroundFrom bytes, so that small programs stay single-threaded: some
// calls of the OS are refused to others, and the C++ library counts without atomics
// there. It ends with the last thread that has a heap: the C library ends a process when
// the last thread has left with pthread_exit, and ours must not be that one.
//
// Fork: the handlers take every lock of the domain before, and in the child the
// other threads' heaps are left to be purged; the background thread starts anew when the
// child has committed as much again.
#include "tidepool/allocator/malloc/shim.h"

#include <pthread.h>
#include <stdlib.h>

#include "absl/base/thread_annotations.h"
#include "tidepool/allocator/internal/process_barrier.h"
#include "tidepool/base/check.h"

namespace tidepool::malloc_shim {

constinit __thread __attribute__((tls_model("initial-exec"))) ThreadWords
    t_words = {};
alignas(64) char g_boot[kBootBytes];

namespace {

Atomic<size_t> g_boot_used{0};
Atomic<HeapDomain*> g_domain{nullptr};
Mutex g_make_lock{0};
Mutex g_shared_lock{0};
Mutex g_background_lock{0};
uint32_t g_threads ABSL_GUARDED_BY(g_background_lock);  // with a heap of their own
bool g_background_runs ABSL_GUARDED_BY(g_background_lock);
bool g_background_wanted;  // since MakeDomain
constexpr uint64_t kBackgroundFrom = 16 << 20;
ThreadHeap* g_shared_heap;
bool g_barriers;
pthread_key_t g_key;

constexpr uint8_t kFreesWithoutHeap = 16;

// The domain has passed its soft limit. What starting a thread allocates comes from
// the calling thread's heap again (HeapOps::CallBack enters its gate anew).
bool StartBackground(void* arg, const MemoryPressure& pressure) {
  if (pressure.level != MemoryPressure::kSoft) return false;
  HeapDomain* domain = static_cast<HeapDomain*>(arg);
  if (t_words.life != Life::kOwnHeap) return false;  // the shared heap has its turn
  MutexLock lock(&g_background_lock);
  if (!g_background_runs) {
    g_background_runs = true;
    domain->StartBackground();
  }
  return false;
}

void CountThread(HeapDomain* domain, bool comes) {
  MutexLock lock(&g_background_lock);
  if (comes) {
    ++g_threads;
  } else if (--g_threads == 0 && g_background_runs) {
    domain->StopBackground();
    g_background_runs = false;
    domain->SetSoftLimit(domain->CommittedBytes() + kBackgroundFrom);
  }
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
  if (heap == nullptr) return;
  HeapDomain* domain = g_domain.load(kAcquire);  // pairs with the release in MakeDomain
  domain->ExitThread(heap);
  CountThread(domain, false);
}

// The locks are taken in one function and given back in another: outside the
// analysis, which goes function by function.
void BeforeFork() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  g_background_lock.Lock();
  g_make_lock.Lock();
  g_shared_lock.Lock();
  HeapDomain* domain = g_domain.load(kAcquire);  // as above
  if (domain != nullptr) domain->PrepareFork();
}
void AfterForkInParent() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  HeapDomain* domain = g_domain.load(kAcquire);  // as above
  if (domain != nullptr) domain->ParentAfterFork();
  g_shared_lock.Unlock();
  g_make_lock.Unlock();
  g_background_lock.Unlock();
}
void AfterForkInChild() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  HeapDomain* domain = g_domain.load(kAcquire);  // as above
  if (domain != nullptr) {
    domain->ChildAfterFork(/*restart_background=*/false);
    g_threads = t_words.heap != nullptr ? 1 : 0;
    g_background_runs = false;
    if (g_background_wanted) {
      domain->SetSoftLimit(domain->CommittedBytes() + kBackgroundFrom);
    }
  }
  g_shared_lock.Unlock();
  g_make_lock.Unlock();
  g_background_lock.Unlock();
}

HeapDomain* MakeDomain() {
  if (t_words.making) return nullptr;
  t_words.making = true;
  g_make_lock.Lock();
  HeapDomain* domain = g_domain.load(kAcquire);
  if (domain == nullptr) {
    Options options;
    options.background_thread = true;
    absl::StatusOr<Options> given = Options::FromEnvironment(options);
    if (!given.ok()) {
      const std::string text(given.status().ToString());
      Fatal("tidepool: %s", text.c_str());
    }
    g_background_wanted = given->background_thread;
    given->background_thread = false;
    given->soft_memory = 0;  // it is ours, see StartBackground
    absl::StatusOr<std::unique_ptr<HeapDomain>> made =
        HeapDomain::Create(*given, RealOs());
    if (!made.ok()) Fatal("tidepool: no memory for a heap");
    domain = made->release();
    g_barriers = internal::ProcessBarrier();
    g_shared_heap = domain->NewThread();
    if (g_shared_heap == nullptr) Fatal("tidepool: no memory to start");
    pthread_key_create(&g_key, &ThreadGone);
    pthread_atfork(&BeforeFork, &AfterForkInParent, &AfterForkInChild);
    if (g_background_wanted) {
      domain->SetPressureCallback(&StartBackground, domain);
      domain->SetSoftLimit(kBackgroundFrom);
    }
    g_domain.store(domain, kRelease);  // pairs with every acquire
  }
  g_make_lock.Unlock();
  t_words.making = false;
  return domain;
}

}  // namespace

void* BootAllocate(size_t size, size_t alignment) {
  if (alignment < 16) alignment = 16;
  size_t need = size + alignment + 16;
  // Relaxed: the piece is the caller's alone.
  size_t at = g_boot_used.fetch_add(need, kRelaxed);
  if (at + need > kBootBytes) Fatal("tidepool: no memory to start");
  uintptr_t p = (reinterpret_cast<uintptr_t>(g_boot) + at + 16 + alignment - 1) &
                ~(alignment - 1);
  reinterpret_cast<size_t*>(p)[-1] = size;
  return reinterpret_cast<void*>(p);
}

HeapDomain* Domain() {
  HeapDomain* domain = g_domain.load(kAcquire);  // pairs with MakeDomain
  return __builtin_expect(domain != nullptr, 1) ? domain : MakeDomain();
}

namespace {
// Gives the thread a heap and enters its gate. Null: no memory for one.
ThreadHeap* MakeHeap(HeapDomain* domain) {
  t_words.life = Life::kGone;  // calls from in here use the shared heap
  ThreadHeap* heap = domain->NewThread();
  if (heap == nullptr) {
    t_words.life = Life::kUnknown;
    return nullptr;
  }
  pthread_setspecific(g_key, &t_words);
  CountThread(domain, true);
  t_words.heap = heap;
  t_words.life = Life::kOwnHeap;
  heap->OpenGate(&t_words.gate, g_barriers);
  if (ThreadHeap::Behind(t_words.gate.Enter()) == nullptr) heap->EnterSlow();
  return heap;
}
}  // namespace

SlowTurn BeginSlow() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  if (t_words.life == Life::kOwnHeap) {  // held
    t_words.heap->EnterSlow();
    return {t_words.heap, false};
  }
  t_words.gate.Leave();
  HeapDomain* domain = Domain();
  if (domain == nullptr) return {nullptr, false};
  if (t_words.life == Life::kUnknown) {
    ThreadHeap* heap = MakeHeap(domain);
    if (heap != nullptr) return {heap, false};
  }
  g_shared_lock.Lock();
  g_shared_heap->Attach();
  return {g_shared_heap, true};
}

void EndSlow(SlowTurn turn) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  if (turn.shared) {
    turn.heap->Detach();
    g_shared_lock.Unlock();
  } else {
    t_words.gate.Leave();
  }
}

void* AllocateSlow(internal::CurrentPages* pages, size_t size) {
  ThreadHeap* heap = ThreadHeap::Behind(pages);
  if (__builtin_expect(heap != nullptr, 1)) {
    void* p = heap->AllocateSlow(HeapKind::kRaw, size);
    t_words.gate.Leave();
    return p;
  }
  return WithHeapSlow(
      [=](ThreadHeap* h) { return h->Allocate(HeapKind::kRaw, size); }, size, 16);
}

void* MallocSlow(internal::CurrentPages* pages, size_t size) {
  return OrErrno(AllocateSlow(pages, size));
}

void FreeSlow(internal::CurrentPages* pages, void* p) {
  ThreadHeap* heap = ThreadHeap::Behind(pages);
  if (__builtin_expect(heap != nullptr && heap->TryFreeForeign(p), 1)) {
    t_words.gate.Leave();
  } else if (p == nullptr || InBoot(p)) {
    t_words.gate.Leave();
  } else if (heap != nullptr) {
    heap->FreeSlow(p);
    t_words.gate.Leave();
  } else if (t_words.life == Life::kOwnHeap) {  // held
    t_words.heap->EnterSlow();
    t_words.heap->Free(p);
    t_words.gate.Leave();
  } else {
    t_words.gate.Leave();
    HeapDomain* domain = Domain();
    if (domain == nullptr) return;
    if (t_words.life == Life::kUnknown && ++t_words.frees >= kFreesWithoutHeap) {
      heap = MakeHeap(domain);
    }
    if (heap == nullptr) return domain->FreeFromAnywhere(p);
    heap->Free(p);
    t_words.gate.Leave();
  }
}

void FreeLast(void* p) {
  t_words.heap->LastBlockFreed(p);
  t_words.gate.Leave();
}

void* AllocateAligned(size_t alignment, size_t size) {
  return WithHeap(
      [=](ThreadHeap* heap) {
        return heap->AllocateAligned(HeapKind::kRaw, size, alignment);
      },
      size, alignment);
}

}  // namespace tidepool::malloc_shim
