// Limbo: memory that is freed, and that a lock-free reader may still look at.
//
// A Limbo is a list of dead blocks sorted by the goal (qsbr.h) after which they
// may be used again. It is intrusive: the first word of a block in limbo is the
// link, so a reader of memory that may be freed this way never looks at its
// first word, and Push cannot fail and never allocates.
//
// Goals are kept in a few buckets, one FIFO list each, oldest first. A block
// whose goal is later than the newest bucket's opens a bucket; when all are in
// use it joins the newest, whose goal is raised: a later goal is always safe,
// it only delays. Blocks whose goal is earlier than the newest bucket's (limbos
// that were taken over) join the first bucket whose goal is not below theirs.
//
// L1: bucket goals ascend strictly from the oldest; no bucket in use is empty.
// L2: a bucket's goal is not below that of any block in it.
// L3: bytes() is the sum of the blocks' bytes as pushed.
//
// Not thread-safe: a limbo belongs to one thread, or to whoever holds its lock
// (SharedLimbo). Blocks carry no size; the callback that frees them knows it.
#ifndef TIDEPOOL_QSBR_LIMBO_H_
#define TIDEPOOL_QSBR_LIMBO_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/base/mutex.h"
#include "tidepool/qsbr/qsbr.h"

namespace tidepool {

class Limbo {
 public:
  static constexpr int kBuckets = 8;

  // Called for each block whose goal has come; returns its bytes as pushed.
  using FreeFn = size_t (*)(void* block, void* context);

  // Trivial over zero memory: all zeros is an empty limbo.
  Limbo() = default;
  Limbo(const Limbo&) = delete;
  Limbo& operator=(const Limbo&) = delete;

  // `goal` was taken (QsbrDomain::Advance or Goal) after the block was
  // unlinked. Writes the block's first word.
  void Push(void* block, size_t bytes, Seq goal);

  // Frees what is due, oldest first, and returns the bytes freed. Advances the
  // domain if nobody has up to the oldest goal. The callback may push.
  size_t Drain(QsbrDomain& domain, FreeFn free, void* context);
  // Frees everything whatever its goal: only when no reader can exist (all
  // threads stopped at a quiescent state, or the domain is going away).
  size_t DrainAll(FreeFn free, void* context);

  // Moves everything of `other` here, with its goals.
  void TakeAll(Limbo& other);

  // Calls visit(block) for every block, oldest bucket first.
  template <class Visit>
  void ForEach(Visit&& visit) const {
    for (int i = 0; i < used_; ++i) {
      for (void* block = buckets_[i].head; block != nullptr;) {
        void* next = LinkOf(block);
        visit(block);
        block = next;
      }
    }
  }

  bool empty() const { return used_ == 0; }
  // What joined the newest bucket last, or null.
  const void* LastPushed() const {
    return used_ != 0 ? buckets_[used_ - 1].tail : nullptr;
  }
  size_t bytes() const { return bytes_; }
  // The goals at both ends. Not when empty.
  Seq oldest_goal() const { return buckets_[0].goal; }
  Seq newest_goal() const { return buckets_[used_ - 1].goal; }

 private:
  struct Bucket {
    Seq goal;
    size_t bytes;
    void* head;
    void* tail;
  };

  static void*& LinkOf(void* block) { return *static_cast<void**>(block); }
  // The bucket that a block (or list) with this goal joins.
  Bucket* BucketFor(Seq goal);
  void Append(Bucket* bucket, void* head, void* tail, size_t bytes);
  Bucket PopOldest();

  Bucket buckets_[kBuckets] = {};
  int used_ = 0;
  size_t bytes_ = 0;
};

// A limbo that any thread may give to and drain: what threads leave behind when
// they detach or exit. While a limbo is here no particular thread is needed to
// get rid of it: a drain advances the sequence itself.
class SharedLimbo {
 public:
  constexpr SharedLimbo() : mutex_(0), bytes_(0) {}

  // Takes everything of `limbo`.
  void Give(Limbo& limbo);
  // Frees what is due. The callback runs without the lock; it must not free
  // into this limbo's domain-wide drain again. Returns the bytes freed; 0 also
  // when another thread is draining.
  size_t Drain(QsbrDomain& domain, Limbo::FreeFn free, void* context);
  size_t DrainAll(Limbo::FreeFn free, void* context);

  // A figure; exact when nobody gives or drains.
  size_t bytes() const { return bytes_.load(kRelaxed); }

 private:
  Mutex mutex_;
  Limbo limbo_ ABSL_GUARDED_BY(mutex_);
  // In limbo_, or taken by a drain that is under way.
  Atomic<size_t> bytes_;
};

}  // namespace tidepool

#endif  // TIDEPOOL_QSBR_LIMBO_H_
