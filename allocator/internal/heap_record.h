// HeapRecord: what a Heap (heap.h) names. The protocol of `holder` is the T table there.
//
// Records are never given back while the domain lives: a stale Heap or HeapHold looks
// at `generation` or `holder` of whatever the record is now, and finds another number.
//
// Who may touch what:
//   the holder in an operation, or     rows, counters of small blocks, free lists and
//   who interrupted it (T4)            `used` of its pages; pages leave the rows
//   anybody under things_lock          `all` (all_next, all_prev of pages); a large
//                                      block's state
//   anybody                            xthread of a page, then `pending`
//
//   G1  a page of the heap has page->thing == this record, is owned (xthread's bit) and
//       its owner word is the record's address; it is in no bin and in no ThreadHeap
//   G2  a small page with room is in its row's list; a full one is in no list but `all`
//   G3  a page whose xthread list is not empty is in `pending`, or the thread whose free
//       made it so is about to push it; it is collected only by who took it from there
//   G4  live = own - foreign - quarantined + large, each counted up before it is
//       counted down
#ifndef TIDEPOOL_ALLOCATOR_INTERNAL_HEAP_RECORD_H_
#define TIDEPOOL_ALLOCATOR_INTERNAL_HEAP_RECORD_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/allocator/heap.h"
#include "tidepool/allocator/internal/page.h"
#include "tidepool/allocator/size_class.h"
#include "tidepool/base/atomic.h"

namespace tidepool::internal {

struct DomainCore;

struct HeapRecord {
  // Row 0 is for blocks as asked for, row 1 for blocks that grow (see realloc.cc).
  static constexpr unsigned kRows = 2;
  static constexpr size_t kKeptMost = 512 << 10;      // empty pages kept
  static constexpr uint64_t kForeignMost = 256 << 10;  // then whoever freed collects

  struct Row {
    Page* current;  // where allocations go; g_no_page if there is none
    Page* head;     // pages with room
    Page* tail;
  };

  DomainCore* core;
  HeapRecord* next;       // of all records ever made
  HeapRecord* next_dead;  // free records
  Atomic<uint64_t> generation;  // odd while alive
  Atomic<uint64_t> holder;
  Atomic<ThreadHeap*> user;  // of the holder; set before its token
  bool torn;                 // its holder vanished inside an operation (fork)
  bool fences;               // no process barriers here: each side has a fence

  Row rows[kRows][kClassCount];
  Page* all;
  size_t kept_bytes;
  Atomic<Page*> pending;

  // Relaxed: figures. Written by the holder: own_*, peaks. By anybody: the others.
  Atomic<uint64_t> own_bytes, own_blocks;
  Atomic<uint64_t> peak_live, peak_committed;
  Atomic<uint64_t> foreign_bytes, foreign_blocks;  // freed, not collected yet
  Atomic<uint64_t> quarantined_bytes, quarantined_blocks;  // of own_*, but dead
  Atomic<uint64_t> large_bytes, large_blocks;
  Atomic<uint64_t> committed, pages, refused, foreign_frees;
  Atomic<uint64_t> max_live, max_committed;  // UINT64_MAX: none

  // --- heap_record.cc: pages. By who may touch the rows. ---
  // A page with a block in `free`, now current. Null: refused.
  Page* FindPage(unsigned row, unsigned c);
  void* Pop(Page* page);
  // The owner's free of a block that is checked already.
  void Push(Page* page, void* block);
  void CollectPending();
  void ReleaseEmpty(Page* page);
  size_t Trim();
  void DropAll();
  void CheckInvariants();

  // --- Limits. ---
  bool MayAdd(uint64_t live, uint64_t committed) const;
  void CountPeaks();
  size_t Tail() const;  // bytes behind each block that are not its user's
  // Bytes of its pages that hold no live block.
  uint64_t Unused() const {
    uint64_t live = own_bytes.load(kRelaxed) + large_bytes.load(kRelaxed);
    uint64_t now = committed.load(kRelaxed);  // figures
    return now > live ? now - live : 0;
  }

  // --- heap_record.cc: any thread. ---
  static void FreeForeign(DomainCore* core, Page* page, void* block);
  // Takes a large page out of the heap, if the block is live. False: it is not.
  static bool TakeOutLarge(DomainCore* core, Page* page);
  void PutInLarge(Page* page);

  // --- heap.cc: the protocol. ---
  // T4. False: dead or of another generation (0: any that is alive). `wait`: also
  // when somebody else has interrupted it.
  bool Interrupt(uint64_t wanted, bool wait, uint64_t* old);
  void Resume(uint64_t next);  // T5
  static void TrimAll(DomainCore* core);
  static void AfterFork(DomainCore* core);

 private:
  void Link(Row* row, Page* page, bool front);
  void Unlink(Row* row, Page* page);
  Page* NewPage(unsigned row, unsigned c);
  bool Refill(Page* page);
  void AddToAll(Page* page);
  void RemoveFromAll(Page* page);
  void SetCurrent(Row* row, Page* page);
};

}  // namespace tidepool::internal

#endif  // TIDEPOOL_ALLOCATOR_INTERNAL_HEAP_RECORD_H_
