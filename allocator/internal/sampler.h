// Which allocations the heap profile samples, and what is kept of those that live.
//
// Every byte that a thread allocates is a sample with probability 1/interval, and a
// block is sampled if one of its bytes is. The distance to the next one is drawn from
// the exponential distribution, so a block of s bytes is sampled with probability
// 1 - exp(-s/interval) whatever came before, and stands for the inverse of that. This
// is how tcmalloc and jemalloc sample (Poisson process over bytes).
//
// The fast path knows nothing of it. A thread takes up free blocks by lists (a page's
// worth). ListTaken counts the list's bytes, and if the next sampled byte lies in it, cuts
// the list there. So the allocation that is chosen is the one which finds the list empty:
// it takes the slow path, and is served from a page of samples: a page of the same class
// that holds nothing else and never is on the fast path. The list goes on behind the cut.
// So ordinary pages have no block of ours: their frees are as fast as ever.
//
// What is chosen is a place, whoever uses it until the list is taken up anew: frees by the
// owner go back on top of the list at once, and the next allocation has the block without
// being counted. If places were lost by a free, short-lived blocks, which are always the
// first to reach further into a list, would use up the samples of those that stay. So
// a sample is treated as if it were a block of its home, the page in whose list it was
// chosen. When its thread frees it and allocations still come from the home, the home's
// list is cut on top: whoever comes there next, as he would have come to a block freed at
// that moment, is recorded in turn. If they do not come from it any more, the place is
// lost, as that of a block would be: the home's list is counted anew when it is taken up.
// A loop that does nothing but use the place again would pay each time; so one time in 16
// it is given up, and where it is not, the next sample stands for 16/15 as much, which
// keeps the sums right. (That a place lives and dies by what happens to it, and never by
// its being one of ours, is all that the sums need: each then is right on average.)
//
// Memory. Samples lie beside the ordinary blocks instead of among them, so what is added
// is what the pages of samples do not use: of each class that has samples, a thread holds
// one page with room, in use up to the next OS page; an empty one stays while the profile
// is on, if it uses no more than 64 KiB. Pages of a thread that ended are used by others.
//
// Frees. Pages of samples are freed into by the slow path, and others hand their blocks
// over one by one. There one hash bucket is looked at, without a lock if it is empty.
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

// What is cut off from a page's list, the piece that is next last. By the page's owner.
struct SampleCuts {
  static constexpr uint32_t kMost = 32;
  uint32_t count;
  uint32_t uncounted;  // blocks of the first piece, if nobody has counted them yet
  struct {
    void* list;     // what follows: null if nothing does before the next cut
    double weight;  // of the sample that comes first; 0: by its size
  } cuts[kMost];
};

// What a sample that was freed leaves.
struct SamplePlace {
  Page* home = nullptr;  // null: nothing
  uint32_t epoch = 0;    // the home's, then
  double weight = 0;     // how many blocks the sample stood for
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
  void NewThread(ThreadHeap* heap);
  static bool IsCut(const Page* page) {
    return page->cuts != nullptr && page->cuts->count != 0;
  }
  // The page is empty.
  static void Forget(Page* page) {
    if (page->cuts != nullptr) page->cuts->count = page->cuts->uncounted = 0;
  }
  // Makes the page's list whole; its places are lost.
  static void Reunite(Page* page);
  // The same, and whether the list is to be taken up anew, so that places are not lost
  // just where some are chosen.
  bool Recount(Page* page) {
    const bool cut = IsCut(page);
    Reunite(page);
    return cut || interval() != 0;
  }
  // `visit(list)` for what is cut off.
  template <class Visit>
  static void VisitCutLists(const Page* page, Visit&& visit) {
    if (page->cuts == nullptr) return;
    for (uint32_t i = 0; i < page->cuts->count; ++i) visit(page->cuts->cuts[i].list);
  }
  // `page` has a list of free blocks that allocations are about to use; it is not cut.
  void ListTaken(ThreadHeap* heap, Page* page);
  // An allocation found the list used up to the cut: it is a sample, the list goes on (and
  // may be empty).
  void CutReached(ThreadHeap* heap, Page* page);
  // There was no memory for the sample that was to be taken now.
  void Miss(ThreadHeap* heap, Page* page);
  void LargeTaken(ThreadHeap* heap, size_t bytes);
  // The block that is being handed out is a sample.
  void Sample(ThreadHeap* heap, void* block, size_t size);

  // By any thread: a block of a page of samples, or a large sample, is freed.
  SamplePlace Freed(const void* block);
  // By the heap's thread, after its own free of a sample of that class: see above.
  void PlaceFreed(ThreadHeap* heap, unsigned queue_kind, unsigned c,
                  const SamplePlace& place);

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
    SamplePlace place;
    HeapSample sample;
    size_t bytes;
  };
  struct Name {  // an embedder's frame, once
    Name* next;
    ProfileFrame frame;
  };

  void Redraw(ThreadHeap* heap);
  SampleCuts* CutsOf(Page* page);
  void CountOne(ThreadHeap* heap, size_t bytes);
  void Count(ThreadHeap* heap, Page* page, uint64_t blocks);
  static size_t BucketOf(const void* block);
  const ProfileFrame* Intern(const ProfileFrame& frame);

  DomainCore* const core_;
  Atomic<uint64_t> interval_{0};
  Atomic<uint64_t> threads_{0};  // made so far
  Atomic<Atomic<Record*>*> buckets_{nullptr};
  Mutex stripes_[kStripes] = {};
  Mutex names_lock_{0};
  Name* names_[256] ABSL_GUARDED_BY(names_lock_) = {};
  Atomic<size_t (*)(void*, ProfileFrame*, size_t)> frames_{nullptr};
  Atomic<void*> frames_arg_{nullptr};
};

}  // namespace tidepool::internal

#endif  // TIDEPOOL_ALLOCATOR_INTERNAL_SAMPLER_H_
