// Which allocations the heap profile samples, and what is kept of those that live.
//
// Every byte that a thread allocates is a sample with probability 1/interval, and a
// block is sampled if one of its bytes is. The distance to the next one is drawn from
// the exponential distribution, so a block of s bytes is sampled with probability
// 1 - exp(-s/interval) whatever came before, and stands for the inverse of that. This
// is how tcmalloc and jemalloc sample (Poisson process over bytes).
//
// The fast path knows nothing of it. A thread takes up free blocks by lists (a page's
// worth); ListTaken counts the list's bytes, and if the next sampled byte lies in it,
// marks that block and cuts the list before it. So that block is the one which finds the
// list empty, and takes the slow path, where HandOut records it. What was cut off waits
// in local_free and is taken up next, and counted then.
//
// What is chosen is a place in a page, whoever uses it until the list is taken up anew:
// frees by the owner go back on top of the list at once, and the next allocation would
// have the block without being counted. If chosen places were lost that way, short-lived
// blocks, which are always the first to reach further into a list, would use up the
// samples of those that stay. So when a sampled block is freed while its page serves
// allocations, the place is marked again: the page leaves the fast path once, its list is
// cut before the mark, and the next user of the place is recorded in turn. A loop that
// does nothing but that would pay each time; so one time in 16 the place is given up, and
// where it is not, the next sample stands for 16/15 as much, which keeps the sums right.
//
// Frees. A page counts its live samples (`sampled`); while there is one, its owner frees
// by the slow path, and others hand its blocks over one by one. There one hash bucket is
// looked at, without a lock if it is empty, as most are.
//
// Records and the strings of embedder frames lie in the metadata, records as long as the
// block lives, strings for ever (each once). No memory for one: a sample less, counted.
#ifndef TIDEPOOL_ALLOCATOR_INTERNAL_SAMPLER_H_
#define TIDEPOOL_ALLOCATOR_INTERNAL_SAMPLER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "tidepool/allocator/heap_domain.h"
#include "tidepool/allocator/internal/page.h"
#include "tidepool/base/atomic.h"
#include "tidepool/base/mutex.h"

namespace tidepool::internal {

struct DomainCore;

// Of a page whose list the profile has cut. By the page's owner.
struct SampleMarks {
  static constexpr uint32_t kMost = 32;
  bool interrupted;  // the list goes on when the page is taken up next
  void* uncounted;   // its first block that was not counted yet, or null
  uint32_t count;
  struct {
    void* block;
    double weight;  // 0: by its size
  } marks[kMost];
};

class Sampler {
 public:
  explicit Sampler(DomainCore* core) : core_(core) {}

  // 0: off. Relaxed: threads may learn of a change late.
  uint64_t interval() const { return interval_.load(kRelaxed); }
  // False: no memory for the table; the interval is as before.
  bool Start(uint64_t interval);
  void SetFrames(size_t (*frames)(void*, ProfileFrame*, size_t), void* arg);

  // --- By the heap's thread. ---
  static void NewThread(ThreadHeap* heap);
  // Whether the page's list was cut, or left, and goes on.
  static bool Interrupted(const Page* page) {
    return page->marks != nullptr && page->marks->interrupted;
  }
  // The page is empty.
  static void Forget(Page* page) {
    if (page->marks == nullptr) return;
    page->marks->interrupted = false;
    page->marks->count = 0;
  }
  // `page` has a list of free blocks that allocations are about to use.
  void ListTaken(ThreadHeap* heap, Page* page);
  void LargeTaken(ThreadHeap* heap, size_t bytes);
  // The block that is being handed out is a sample.
  void Sample(ThreadHeap* heap, void* block, size_t size);

  // By any thread: a block of a marked page is freed. Returns how many blocks it stood
  // for, 0 if it was no sample.
  double Freed(Page* page, const void* block);
  // By the heap's thread, after its own free of a sample: see above.
  void SlotFreed(ThreadHeap* heap, Page* page, void* block, double weight);

  // Copies of all records, each HeapSample's arrays being in `memory`.
  void Snapshot(std::vector<HeapSample>* samples, std::vector<char>* memory);

  void LockAll();  // for fork
  void UnlockAll();

 private:
  static constexpr size_t kBuckets = 8192;
  static constexpr size_t kStripes = 64;  // locks
  static constexpr size_t kMostFrames = 32;
  static constexpr size_t kMostStack = 48;

  // Followed by its frames and its stack.
  struct Record {
    Record* next;
    HeapSample sample;
    size_t bytes;
  };
  struct Name {  // an embedder's frame, once
    Name* next;
    ProfileFrame frame;
  };

  void Redraw(ThreadHeap* heap);
  void Choose(ThreadHeap* heap, Page* page, void* from);
  static size_t BucketOf(const void* block);
  const ProfileFrame* Intern(const ProfileFrame& frame);

  DomainCore* const core_;
  Atomic<uint64_t> interval_{0};
  Atomic<Atomic<Record*>*> buckets_{nullptr};
  Mutex stripes_[kStripes] = {};
  Mutex names_lock_{0};
  Name* names_[256] ABSL_GUARDED_BY(names_lock_) = {};
  Atomic<size_t (*)(void*, ProfileFrame*, size_t)> frames_{nullptr};
  Atomic<void*> frames_arg_{nullptr};
};

}  // namespace tidepool::internal

#endif  // TIDEPOOL_ALLOCATOR_INTERNAL_SAMPLER_H_
