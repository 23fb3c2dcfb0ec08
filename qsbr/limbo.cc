// Buckets of dead blocks. See limbo.h for L1-L3.
#include "tidepool/qsbr/limbo.h"

#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"

namespace tidepool {

Limbo::Bucket* Limbo::BucketFor(Seq goal) {
  // From the newest: that is where nearly all blocks go.
  int i = used_;
  while (i > 0 && SeqReached(buckets_[i - 1].goal, goal)) --i;
  // Now buckets_[i] is the oldest whose goal is not below `goal`, if any.
  if (i < used_) return &buckets_[i];  // L2
  if (used_ < kBuckets) {
    buckets_[used_] = Bucket{goal, 0, nullptr, nullptr};
    return &buckets_[used_++];
  }
  Bucket* newest = &buckets_[kBuckets - 1];
  if (!TIDEPOOL_MUTANT(limbo_merge_keeps_goal)) newest->goal = goal;  // L2
  return newest;
}

void Limbo::Append(Bucket* bucket, void* head, void* tail, size_t bytes) {
  LinkOf(tail) = nullptr;
  if (bucket->head == nullptr) {
    bucket->head = head;
  } else {
    LinkOf(bucket->tail) = head;
  }
  bucket->tail = tail;
  bucket->bytes += bytes;
  bytes_ += bytes;
}

void Limbo::Push(void* block, size_t bytes, Seq goal) {
  Append(BucketFor(goal), block, block, bytes);
}

Limbo::Bucket Limbo::PopOldest() {
  Bucket bucket = buckets_[0];
  for (int i = 1; i < used_; ++i) buckets_[i - 1] = buckets_[i];
  --used_;
  bytes_ -= bucket.bytes;
  return bucket;
}

size_t Limbo::Drain(QsbrDomain& domain, FreeFn free, void* context) {
  size_t freed = 0;
  while (used_ != 0) {
    if (!TIDEPOOL_MUTANT(limbo_drain_no_advance)) {
      domain.EnsureAdvanced(buckets_[0].goal);
    }
    if (!domain.Poll(buckets_[0].goal)) break;
    // Out of the list first: the callback may push.
    Bucket bucket = PopOldest();
    for (void* block = bucket.head; block != nullptr;) {
      void* next = LinkOf(block);
      freed += free(block, context);
      block = next;
    }
  }
  return freed;
}

size_t Limbo::DrainAll(FreeFn free, void* context) {
  size_t freed = 0;
  while (used_ != 0) {
    Bucket bucket = PopOldest();
    for (void* block = bucket.head; block != nullptr;) {
      void* next = LinkOf(block);
      freed += free(block, context);
      block = next;
    }
  }
  return freed;
}

void Limbo::TakeAll(Limbo& other) {
  for (int i = 0; i < other.used_; ++i) {
    Bucket& from = other.buckets_[i];
    Append(BucketFor(from.goal), from.head, from.tail, from.bytes);
  }
  other.used_ = 0;
  other.bytes_ = 0;
}

void SharedLimbo::Give(Limbo& limbo) {
  if (limbo.empty()) return;
  MutexLock lock(&mutex_);
  bytes_.fetch_add(limbo.bytes(), kRelaxed);  // a figure
  limbo_.TakeAll(limbo);
}

size_t SharedLimbo::Drain(QsbrDomain& domain, Limbo::FreeFn free,
                          void* context) {
  if (bytes() == 0) return 0;
  Limbo mine;
  {
    MutexLock lock(&mutex_);
    mine.TakeAll(limbo_);
  }
  size_t freed = mine.Drain(domain, free, context);
  bytes_.fetch_sub(freed, kRelaxed);  // a figure
  if (!mine.empty() && !TIDEPOOL_MUTANT(limbo_drain_drops_rest)) {
    MutexLock lock(&mutex_);
    limbo_.TakeAll(mine);
  }
  return freed;
}

size_t SharedLimbo::DrainAll(Limbo::FreeFn free, void* context) {
  Limbo mine;
  {
    MutexLock lock(&mutex_);
    mine.TakeAll(limbo_);
  }
  size_t freed = mine.DrainAll(free, context);
  bytes_.fetch_sub(freed, kRelaxed);  // a figure
  return freed;
}

}  // namespace tidepool
