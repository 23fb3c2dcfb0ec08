// Slots, sequences and scans. See qsbr.h for the protocol and Q1-Q4.
#include "tidepool/qsbr/qsbr.h"

#include <new>

namespace tidepool {
namespace {

constexpr size_t kWordsPerLine = 64 / sizeof(Seq);
constexpr size_t kFirstChunkBytes = 4096;
constexpr size_t kLargestChunkBytes = 64 * 1024;

}  // namespace

// A run of slots: the words, densely, then what belongs to them. Lives at the
// start of its own committed memory.
struct QsbrDomain::Chunk {
  Atomic<Chunk*> next;  // release when linked, acquire in scans
  size_t bytes;         // of the whole mapping
  size_t count;         // slots
  Atomic<Seq>* words;   // count of them, on a line border
  QsbrSlot* slots;      // count of them

  // How many slots fit into `bytes`: a whole number of lines of words.
  static size_t CountFor(size_t bytes) {
    size_t room = bytes - 64 - (sizeof(Chunk) + 63) / 64 * 64;
    size_t count = room / (sizeof(Atomic<Seq>) + sizeof(QsbrSlot));
    return count / kWordsPerLine * kWordsPerLine;
  }
};

QsbrDomain::QsbrDomain(Os* os, Seq first)
    : write_sequence_(first | 1),
      read_sequence_(first | 1),
      late_(nullptr),
      first_chunk_(nullptr),
      os_(os),
      register_mutex_(0),
      last_chunk_(nullptr),
      free_(nullptr),
      registered_(0),
      capacity_(0) {}

QsbrDomain::~QsbrDomain() {
  TP_CHECK(registered() == 0);
  Chunk* chunk = first_chunk_.load(kRelaxed);  // nobody else is here any more
  while (chunk != nullptr) {
    Chunk* next = chunk->next.load(kRelaxed);  // as above
    os_->Release(chunk, chunk->bytes);
    chunk = next;
  }
}

bool QsbrDomain::Grow() {
  size_t bytes = kFirstChunkBytes;
  if (last_chunk_ != nullptr) {
    bytes = last_chunk_->bytes * 2;
    if (bytes > kLargestChunkBytes) bytes = kLargestChunkBytes;
  }
  size_t page = os_->PageSize();
  bytes = (bytes + page - 1) & ~(page - 1);
  void* memory = os_->Reserve(bytes, page);
  if (memory == nullptr) return false;
  if (!os_->Commit(memory, bytes)) {
    os_->Release(memory, bytes);
    return false;
  }
  // The memory is zero: every word says detached, every slot is unregistered.
  Chunk* chunk = new (memory) Chunk;
  chunk->next.store(nullptr, kRelaxed);  // not yet visible
  chunk->bytes = bytes;
  chunk->count = Chunk::CountFor(bytes);
  char* at = static_cast<char*>(memory) + (sizeof(Chunk) + 63) / 64 * 64;
  chunk->words = reinterpret_cast<Atomic<Seq>*>(at);
  chunk->slots = reinterpret_cast<QsbrSlot*>(chunk->words + chunk->count);

  // The free list hands out one slot per line of words, then the second of
  // each line, and so on.
  QsbrSlot** link = &free_;
  size_t lines = chunk->count / kWordsPerLine;
  for (size_t column = 0; column < kWordsPerLine; ++column) {
    for (size_t line = 0; line < lines; ++line) {
      size_t i = line * kWordsPerLine + column;
      QsbrSlot* slot = &chunk->slots[i];
      slot->word_ = &chunk->words[i];
      slot->next_free_ = nullptr;
      *link = slot;
      link = &slot->next_free_;
    }
  }
  // Release pairs with the acquire in Scan: it sees the words' zeros. A scan
  // that misses the chunk is right: nobody in it was attached when the scan
  // began its walk (Q1 holds for the link as for the mark, for the link is
  // stored before any slot of the chunk is marked).
  if (last_chunk_ == nullptr) {
    first_chunk_.store(chunk, kRelease);
  } else {
    last_chunk_->next.store(chunk, kRelease);
  }
  last_chunk_ = chunk;
  capacity_.fetch_add(chunk->count, kRelaxed);  // a figure
  return true;
}

QsbrSlot* QsbrDomain::Register() {
  MutexLock lock(&register_mutex_);
  if (free_ == nullptr && !Grow()) return nullptr;
  QsbrSlot* slot = free_;
  free_ = slot->next_free_;
  slot->next_free_ = nullptr;
  slot->registered_ = 1;
  slot->depth_ = 0;
  slot->set_tag(nullptr);
  registered_.fetch_add(1, kRelaxed);  // a figure
  return slot;
}

void QsbrDomain::Unregister(QsbrSlot* slot) {
  TP_CHECK(slot->registered_ == 1 && slot->depth_ == 0);
  MutexLock lock(&register_mutex_);
  slot->registered_ = 0;
  slot->next_free_ = free_;
  free_ = slot;
  registered_.fetch_sub(1, kRelaxed);  // a figure
}

void QsbrDomain::Attach(QsbrSlot* slot) {
  if (slot->depth_++ != 0 && !TIDEPOOL_MUTANT(qsbr_nested_attach_moves)) {
    return;  // Q2
  }
  if (!TIDEPOOL_MUTANT(qsbr_attach_unmarked)) {
    // The mark. Any sequence will do, and an old one only delays. Relaxed: the
    // fence orders it (Q1).
    slot->word_->store(write_sequence_.load(kRelaxed), kRelaxed);
  }
  AtomicFence(kSeqCst);  // pairs with the fence in Scan (Q1)
  // Afresh, after the fence. Acquire pairs with Advance (Q4).
  Seq now = write_sequence_.load(kAcquire);
  slot->seen_ = now;
  if (!TIDEPOOL_MUTANT(qsbr_attach_unmarked)) {
    // Release: nothing of an earlier section can be after it; pairs with Scan.
    slot->word_->store(now, kRelease);
  }
}

void QsbrDomain::Detach(QsbrSlot* slot) {
  TP_DCHECK(slot->depth_ != 0);
  if (--slot->depth_ != 0 && !TIDEPOOL_MUTANT(qsbr_nested_detach)) return;
  // Release pairs with the acquire in Scan: all reads are before the reuse.
  slot->word_->store(0, kRelease);
}

Seq QsbrDomain::Advance() {
  // Release (with the acquire in Quiesce and Attach): a reader that has this
  // sequence sees the unlinking. Acquire: the caller is after earlier
  // advances, so that goals of one thread are in order.
  return write_sequence_.fetch_add(2, kAcqRel) + 2;
}

Seq QsbrDomain::Goal() {
  AtomicFence(kSeqCst);  // pairs with the acquire in Quiesce and Attach (Q4)
  Seq now = write_sequence_.load(kAcquire);  // pairs with Advance
  return TIDEPOOL_MUTANT(qsbr_goal_is_now) ? now : now + 2;
}

void QsbrDomain::EnsureAdvanced(Seq goal) {
  // Acquire pairs with Advance, as below.
  Seq now = write_sequence_.load(kAcquire);
  while (!SeqReached(now, goal)) {
    // Only one of several callers advances. Release and acquire as in Advance.
    if (write_sequence_.compare_exchange_weak(now, now + 2, kAcqRel,
                                              kAcquire)) {
      now += 2;
    }
  }
}

Seq QsbrDomain::Scan() {
  // Acquire pairs with Advance: what was unlinked before `start` is before the
  // fence.
  const Seq start = write_sequence_.load(kAcquire);
  Seq oldest = start;
  Atomic<Seq>* late = nullptr;
  AtomicFence(kSeqCst);  // pairs with the fence in Attach (Q1)
  // Acquire on the links pairs with Grow.
  for (Chunk* chunk = first_chunk_.load(kAcquire); chunk != nullptr;
       chunk = chunk->next.load(kAcquire)) {
    Atomic<Seq>* words = chunk->words;
    for (size_t i = 0, n = chunk->count; i < n; ++i) {
      // Acquire pairs with the releases in Quiesce and Detach.
      Seq seen = words[i].load(kAcquire);
      if (seen != 0 && !SeqReached(seen, oldest)) {
        oldest = seen;
        late = &words[i];
      }
    }
    if (TIDEPOOL_MUTANT(qsbr_scan_first_chunk)) break;
  }
  if (TIDEPOOL_MUTANT(qsbr_scan_sequence_late) && oldest == start) {
    oldest = write_sequence_.load(kAcquire);
  }
  late_.store(late, kRelaxed);  // a hint
  // Raise the read sequence (Q3). Release pairs with the acquire in Poll, and
  // acquire keeps what an earlier scan knew for those who read ours.
  Seq read = read_sequence_.load(kAcquire);
  while (!SeqReached(read, oldest)) {
    if (read_sequence_.compare_exchange_weak(read, oldest, kAcqRel,
                                             kAcquire)) {
      return oldest;
    }
  }
  return read;
}

QsbrSlot* QsbrDomain::OldestReader(Seq* sequence) {
  Seq oldest = write_sequence_.load(kRelaxed);  // a hint, as all here
  QsbrSlot* late = nullptr;
  // Acquire on the links pairs with Grow.
  for (Chunk* chunk = first_chunk_.load(kAcquire); chunk != nullptr;
       chunk = chunk->next.load(kAcquire)) {
    for (size_t i = 0; i < chunk->count; ++i) {
      Seq seen = chunk->words[i].load(kRelaxed);  // a hint
      if (seen != 0 && !SeqReached(seen, oldest)) {
        oldest = seen;
        late = &chunk->slots[i];
      }
    }
  }
  if (sequence != nullptr) *sequence = oldest;
  return late;
}

void QsbrDomain::DetachOthersAfterFork(QsbrSlot* keep)
    ABSL_NO_THREAD_SAFETY_ANALYSIS {
  // Relaxed throughout: the child has one thread. The parent's lock may have
  // been held.
  new (&register_mutex_) Mutex(0);
  for (Chunk* chunk = first_chunk_.load(kRelaxed); chunk != nullptr;
       chunk = chunk->next.load(kRelaxed)) {
    for (size_t i = 0; i < chunk->count; ++i) {
      if (&chunk->slots[i] == keep) continue;
      chunk->words[i].store(0, kRelaxed);
      chunk->slots[i].depth_ = 0;
    }
  }
}

void QsbrDomain::ResetAfterFork(QsbrSlot* keep) ABSL_NO_THREAD_SAFETY_ANALYSIS {
  DetachOthersAfterFork(keep);
  // Whatever the parent was changing in the list: it is made anew.
  free_ = nullptr;
  size_t kept = 0;
  for (Chunk* chunk = first_chunk_.load(kRelaxed); chunk != nullptr;
       chunk = chunk->next.load(kRelaxed)) {
    for (size_t i = 0; i < chunk->count; ++i) {
      QsbrSlot* slot = &chunk->slots[i];
      if (slot == keep) {
        kept = 1;
        continue;
      }
      slot->word_ = &chunk->words[i];
      slot->registered_ = 0;
      slot->next_free_ = free_;
      free_ = slot;
    }
  }
  registered_.store(kept, kRelaxed);
}

}  // namespace tidepool
