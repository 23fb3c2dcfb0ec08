// Quiescent-state-based reclamation: when has every thread let go?
//
// Words. A *reader* is a thread that looks at shared memory without holding a
// reference to it. A thread is *quiescent* at an instant when it holds no such
// borrowed pointer. The *write sequence* is a counter of retirements; a *goal*
// is a value of it. Memory that was unlinked before its goal was taken may be
// reused once every attached thread has been quiescent at a write sequence not
// below the goal: Poll(goal) says whether that has come.
//
// How. Each thread has a slot holding the write sequence it saw when it was
// last quiescent, or 0 while it is detached (it may then hold nothing). A safepoint calls
// Quiesce, which costs two loads and a compare as long as nothing was retired.
// Whoever frees calls Advance (or Goal), keeps the block aside (limbo.h), and
// polls later. Nobody waits for anybody.
//
// Cost. Quiesce under a nanosecond; Poll one load when the answer is known
// already (the read sequence caches the last scan, and the slot that was late is
// looked at first), else a scan over the slot words, which lie densely: eight to a cache line, 64 KiB for 8,192 threads.
// Neighbouring slots are given out last, so that few threads do not share
// lines. Memory: 40 bytes per slot; slots are reused, chunks of slots never
// move and are freed with the domain, and growing them stops nobody.
//
// Failure mode. A reader that never comes to a safepoint holds back every goal
// taken since: memory in limbo grows. OldestReader names it; what to do then
// (zero big blocks in place, wait) is the allocator's business.
//
// Rejected: epochs with three generations (they hold memory for up to three
// rounds and need a pin per read); hazard pointers (a store and a fence per
// read); a grace-period thread (waits, wake-ups). A reader here costs nothing.
//
// Sequences are odd, step by 2 and are compared by signed difference, so they may wrap;
// 0 is never one.
//
// The slot word:
//
//   state         event        next          who     order        pairs with
//   ------------  -----------  ------------  ------  -----------  ---------------
//   0 detached    Attach       old sequence  owner   relaxed      - (fence Q1)
//   old sequence  Attach, 2nd  fresh         owner   release      scan acquire
//                 step         sequence
//   sequence s    Quiesce      newer w       owner   release      scan acquire
//   sequence s    Detach       0             owner   release      scan acquire
//   any           scan         same          poller  acquire      the releases
//
// Q1: Attach marks the slot, fences (seq_cst), and only then reads the write
//     sequence and shared memory. A scan reads the write sequence, fences
//     (seq_cst), and only then reads the slots. So either the scan sees the mark,
//     or the attaching thread sees everything that happened before the scan,
//     the unlinking of what the scan lets go included. The mark may be an old
//     sequence: that only delays.
// Q2: a slot never claims a sequence before its owner was quiescent at it:
//     Quiesce reads the write sequence (acquire, pairs with Advance) first.
//     Nested Attach changes nothing, or the outer section would be cut short.
// Q3: the read sequence only grows, and never passes a slot that was attached
//     during the scan it comes from.
// Q4: a retirer's unlinking is before its goal in the order that readers see:
//     Advance is a read-modify-write (release), which a reader's acquire load
//     of the write sequence reads from. Goal() instead fences (seq_cst) and
//     then loads; the sequence it names is reached by a later Advance, and a
//     reader that loads that value does so after the fence, hence after the
//     unlinking reached memory. (That last step is an argument about
//     multi-copy-atomic hardware, x86-64 and arm64, not about the C++ model,
//     and those two are what is supported.)
#ifndef TIDEPOOL_QSBR_QSBR_H_
#define TIDEPOOL_QSBR_QSBR_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/base/atomic.h"
#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"
#include "tidepool/base/mutex.h"
#include "tidepool/base/os.h"

namespace tidepool {

using Seq = uint64_t;

// True if `a` is at or after `b`, also across a wrap.
inline bool SeqReached(Seq a, Seq b) {
  return static_cast<int64_t>(a - b) >= 0;
}

// One thread's place in a domain. Owned by the registrant from Register to
// Unregister; all members but the word are its own.
class QsbrSlot {
 public:
  // The sequence as its owner last saw it; meaningless while detached.
  Seq seen() const { return seen_; }
  bool attached() const { return depth_ != 0; }
  // For whoever names a late reader; set by the registrant.
  void set_tag(void* tag) { tag_.store(tag, kRelaxed); }  // a hint only
  void* tag() const { return tag_.load(kRelaxed); }       // a hint only

 private:
  friend class QsbrDomain;
  Atomic<Seq>* word_;    // in the chunk's dense array; the state table's word
  Seq seen_;             // value of *word_ while attached
  Atomic<void*> tag_;
  QsbrSlot* next_free_;  // while not registered; guarded by register_mutex_
  uint32_t depth_;       // nested Attach calls
  uint32_t registered_;
};

class QsbrDomain {
 public:
  // `first` is for tests of wrap-around.
  explicit QsbrDomain(Os* os, Seq first = 1);
  ~QsbrDomain();
  QsbrDomain(const QsbrDomain&) = delete;
  QsbrDomain& operator=(const QsbrDomain&) = delete;

  // A detached slot, or null if there is no memory for more. Never waits for a
  // thread (only for another Register).
  QsbrSlot* Register();
  // The slot must be detached. It may be given to another thread.
  void Unregister(QsbrSlot* slot);

  // --- By the slot's owner (or on its behalf while it is held still). ---
  void Attach(QsbrSlot* slot);
  void Detach(QsbrSlot* slot);
  // The caller holds no borrowed pointer now.
  void Quiesce(QsbrSlot* slot) {
    // Acquire pairs with the release in Advance (Q2, Q4).
    Seq now = write_sequence_.load(kAcquire);
    if (__builtin_expect(now != slot->seen_, 0)) {
      slot->seen_ = now;
      // Release pairs with the scan's acquire: the reads of the section that
      // ends here are before the reuse.
      slot->word_->store(now, kRelease);
    }
  }

  // --- By anybody. ---
  // Starts a new sequence and returns it: the goal for everything unlinked by
  // the caller before.
  Seq Advance();
  // The goal for something unlinked by the caller before, without starting a
  // sequence: somebody has to Advance up to it later (EnsureAdvanced).
  Seq Goal();
  // Makes sure that `goal` can be reached: advances if nobody has.
  void EnsureAdvanced(Seq goal);
  // Has every reader been quiescent since `goal`? True is for ever.
  bool Poll(Seq goal) {
    // Acquire pairs with the release in Scan: what the readers did before they
    // were quiescent is before the reuse.
    if (SeqReached(read_sequence_.load(kAcquire), goal)) return true;
    // Usually the reader that was late at the last scan is late still. Relaxed:
    // "not yet" needs no order.
    if (Atomic<Seq>* late = late_.load(kRelaxed)) {
      Seq seen = late->load(kRelaxed);
      if (seen != 0 && !SeqReached(seen, goal)) return false;
    }
    return SeqReached(Scan(), goal);
  }

  Seq write_sequence() const { return write_sequence_.load(kRelaxed); }
  // What the last scan found: goals up to here are reached.
  Seq read_sequence() const { return read_sequence_.load(kRelaxed); }

  // The attached slot that is furthest behind, or null if none is behind the
  // write sequence. A hint: the thread may move on meanwhile.
  QsbrSlot* OldestReader(Seq* sequence = nullptr);

  // Slots given out now, and slots that exist.
  size_t registered() const { return registered_.load(kRelaxed); }  // figures
  size_t capacity() const { return capacity_.load(kRelaxed); }      // figures

  // In a forked child, where every slot but `keep` (may be null) belongs to a
  // thread that does not exist: nobody reads there any more. The first takes the
  // slots back; the second leaves them registered, detached, to those who still
  // have records of the threads and will unregister them.
  void ResetAfterFork(QsbrSlot* keep);
  void DetachOthersAfterFork(QsbrSlot* keep);

 private:
  struct Chunk;

  Seq Scan();
  bool Grow() ABSL_EXCLUSIVE_LOCKS_REQUIRED(register_mutex_);

  // Read by every Quiesce, written by Advance: a line of its own.
  alignas(64) Atomic<Seq> write_sequence_;
  // Read by every Poll, written by scans.
  alignas(64) Atomic<Seq> read_sequence_;
  // The word of the slot that was furthest behind at the last scan, or null.
  // A hint: the slot may be anybody's by now.
  Atomic<Atomic<Seq>*> late_;
  // Chunks in the order they were made; each points to the next. Written under
  // register_mutex_ (release), read by scans (acquire).
  Atomic<Chunk*> first_chunk_;
  Os* const os_;

  alignas(64) Mutex register_mutex_;
  Chunk* last_chunk_ ABSL_GUARDED_BY(register_mutex_);
  QsbrSlot* free_ ABSL_GUARDED_BY(register_mutex_);
  Atomic<size_t> registered_;
  Atomic<size_t> capacity_;
};

}  // namespace tidepool

#endif  // TIDEPOOL_QSBR_QSBR_H_
