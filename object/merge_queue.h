// Merge queues: objects whose count went below zero in another thread's hands.
//
// The problem. A thread that does not own an object cannot know that it
// dropped the last reference, because the owner's local count is the owner's.
// When a drop would take the shared count below zero it marks the object
// queued, hands the reference to a queue, and the owner adds both counts up at
// its next safepoint (a *merge*; afterwards the object has no owner).
//
// Finding the owner. Threads are hashed by tid into buckets; a bucket has a
// one-byte lock and the list of its threads. Under the lock the owner is
//   running   the object is pushed on its queue, its breaker bit set;
//   detached  it is held detached (T10 in thread_state.h) and the object is
//             merged right here;
//   suspended for a stop that cannot end before this thread has been counted
//             in it: merged here, too;
//   gone      (not in the bucket) merged here.
// A thread registers and leaves under the same lock, so a tid that is used
// again is harmless: either the old thread is still found, or the merge is
// complete before the new thread can count in the old one's objects.
// Deallocation comes after the unlock.
//
// Memory. A queue is a list of chunks from the raw heap of the thread that
// pushes, the first one inside the thread state. No chunk to be had: the object
// stays queued in no queue, and kBreakLost asks for a stop that looks through
// all pages for such objects (Isolate::MergeLostObjects). Pushing never waits
// and never runs anything.
//
// An entry holds a reference, so a queued object cannot die, but its owner may
// merge it, and anybody may make it immortal, before the entry is processed;
// processing handles any word.
#ifndef TIDEPOOL_OBJECT_MERGE_QUEUE_H_
#define TIDEPOOL_OBJECT_MERGE_QUEUE_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/base/mutex.h"
#include "tidepool/object/header.h"

namespace tidepool {

class DeadList;
class HeapDomain;
class Isolate;
class ThreadState;

struct MergeChunk {
  static constexpr size_t kEntries = 62;
  MergeChunk* next;
  size_t used;
  ObjectHeader* entries[kEntries];
};

// Guarded by a bucket lock.
class MergeQueue {
 public:
  bool empty() const { return inline_used_ == 0 && chunks_ == nullptr; }
  size_t size() const { return size_; }

  // False if there is no room: call again with a fresh chunk, which the queue
  // then owns.
  bool Push(ObjectHeader* obj, MergeChunk* spare);
  // Takes one object; null if empty. A chunk that became empty is put into
  // *freed (at most one per call), to be freed after the unlock.
  ObjectHeader* Pop(MergeChunk** freed);
  // After a Push: whether it took the spare chunk.
  bool Owns(const MergeChunk* chunk) const { return chunks_ == chunk; }

 private:
  static constexpr size_t kInline = 14;
  size_t inline_used_ = 0;
  size_t size_ = 0;
  MergeChunk* chunks_ = nullptr;
  ObjectHeader* inline_[kInline] = {};
};

// The buckets of an isolate.
class MergeTable {
 public:
  static constexpr size_t kBuckets = 64;

  struct alignas(64) Bucket {
    Mutex mutex{0};
    ThreadState* threads = nullptr;
  };

  Bucket& BucketOf(uint64_t tid) {
    // Thread control blocks are page aligned at least within a stack mapping;
    // the middle bits differ.
    return buckets_[((tid >> 6) ^ (tid >> 12) ^ (tid >> 20)) % kBuckets];
  }

  // The thread registered under `tid` or null. The answer stays right for the
  // calling thread's own tid only.
  ThreadState* Find(uint64_t tid);
  void Register(ThreadState* ts);
  // False, and nothing done, if the queue is not empty.
  bool UnregisterIfEmpty(ThreadState* ts);

  // Around fork().
  void LockAll();
  void UnlockAll();

  // The object has just been marked queued by `self` (state S5). Merges it or
  // queues it. True if it died: the caller deallocates or lists it.
  bool Hand(ThreadState* self, ObjectHeader* obj);

  // Merges everything in ts's queue; what dies goes to `dead`. The caller is
  // ts itself, or the world is stopped. `self` frees the chunks.
  void MergeAll(ThreadState* ts, ThreadState* self, DeadList& dead);

 private:
  ThreadState* FindLocked(Bucket& bucket, uint64_t tid);
  void MergeAllLocked(ThreadState* ts, ThreadState* self, DeadList& dead);

  Bucket buckets_[kBuckets];
};

namespace internal {
// S6: local and tid are cleared, then the word becomes merged with count
// local + shared + extra. True if the object is dead now. The caller is the
// owner, or the owner cannot run (rule H5).
bool MergeCounts(ObjectHeader* obj, int64_t extra);
}  // namespace internal

}  // namespace tidepool

#endif  // TIDEPOOL_OBJECT_MERGE_QUEUE_H_
