// Purging: what is given back when the policy says so, and in which order; see purge.h.
#include "tidepool/allocator/internal/purge.h"

#include <new>

#include "tidepool/allocator/internal/core.h"

// Windows, debts and the background thread. See purge.h.
namespace tidepool::internal {
namespace {
constexpr uint64_t kLeastWindow = 32 << 20;
constexpr uint64_t kStep = 8 << 20;   // of a debt, by one slow path
constexpr uint64_t kPiece = 4 << 20;  // out of reach at a time
constexpr uint64_t kMs = 1000000;
}  // namespace

Purger::Purger(DomainCore* core)
    : core_(core), policy_(MakePurgePolicy(core->options, policy_memory_)) {}

uint64_t Purger::Unused() const {
  // Relaxed: figures.
  return core_->counters.free_dirty.load(kRelaxed) +
         core_->counters.dormant.load(kRelaxed);
}

void Purger::Taken(uint64_t bytes) {
  // All relaxed: figures (purge.h).
  uint64_t unused = Unused();
  if (unused < low_water_.load(kRelaxed)) low_water_.store(unused, kRelaxed);
  events_.fetch_add(1, kRelaxed);
  uint64_t work = work_.fetch_add(bytes, kRelaxed) + bytes;
  if (policy_->windows_by_clock()) {
    uint64_t now = core_->os->NowNs();
    uint64_t start = window_start_.load(kRelaxed);
    if (now - start >=
        static_cast<uint64_t>(core_->options.purge_delay_ms) * kMs) {
      window_start_.store(now, kRelaxed);
      EndWindow(false);
    }
  } else if (work >= kLeastWindow && work >= 2 * core_->budget.committed()) {
    EndWindow(false);
  }
}

void Purger::Given() {
  if (policy_->ask_at_every_free()) {
    uint64_t unused = Unused();
    uint64_t committed = core_->budget.committed();
    PurgeView view = {unused, 0, committed > unused ? committed - unused : 0,
                      false, false};
    debt_.store(policy_->BytesToPurge(view), kRelaxed);
  } else if (policy_->windows_by_clock()) {
    Taken(0);
  }
}

void Purger::EndWindow(bool idle) {
  uint64_t unused = Unused();
  uint64_t low = low_water_.exchange(unused, kRelaxed);
  work_.store(0, kRelaxed);
  if (low > unused) low = unused;
  uint64_t committed = core_->budget.committed();
  PurgeView view = {unused, low, committed > unused ? committed - unused : 0,
                    idle, true};
  debt_.store(policy_->BytesToPurge(view), kRelaxed);
}

void Purger::Run() {
  if (!run_lock_.TryLock()) return;
  uint64_t debt = debt_.load(kRelaxed);
  if (debt != 0) {
    uint64_t step = debt < kStep ? debt : kStep;
    size_t done = PurgePieces(step, /*gives_way=*/true);
    // What cannot be purged, or is wanted, is no debt.
    debt_.store(done < step || done > debt ? 0 : debt - done, kRelaxed);
    uint64_t low = low_water_.load(kRelaxed);
    low_water_.store(low > done ? low - done : 0, kRelaxed);
  }
  run_lock_.Unlock();
}

PieceScope::PieceScope(Purger* purger) : purger_(purger) {
  // Relaxed: a figure.
  purger->waiting_.fetch_add(1, kRelaxed);
  MutexLock turn(&purger->turn_lock_);
  purger->piece_lock_.Lock();
  purger->waiting_.fetch_sub(1, kRelaxed);
}

size_t Purger::PurgePieces(size_t bytes, bool gives_way) {
  size_t done = 0;
  Page* kept = nullptr;
  while (done < bytes) {
    // Relaxed: a figure; who is overlooked waits for one piece more.
    if (gives_way && waiting_.load(kRelaxed) != 0) break;
    const size_t left = bytes - done;
    PieceScope scope(this);
    const size_t now = PurgePiece(left < kPiece ? left : kPiece, &kept);
    if (now == 0) break;
    done += now;
  }
  while (kept != nullptr) {
    Page* page = kept;
    kept = page->next;
    core_->pool.PutBack(page, core_->arenas.DirtyBytes(page->arena, page->start,
                                                       page->slices));
  }
  return done;
}

size_t Purger::PurgePiece(size_t bytes, Page** kept) {
  size_t done = core_->arenas.PurgeFree(bytes);
  if (!core_->arenas.can_purge()) return done;
  while (done < bytes) {
    Page* page = core_->pool.TakeDirty();
    if (page == nullptr) break;
    // Zeros are dead objects, so readers may look meanwhile (design, rule 2).
    const size_t purged = core_->arenas.PurgeEnd(page->arena, page->start,
                                                 page->slices, bytes - done);
    done += purged;
    if (purged != 0) {
      core_->pool.PutBack(page, core_->arenas.DirtyBytes(page->arena, page->start,
                                                         page->slices));
    } else {
      page->next = *kept;
      *kept = page;
    }
  }
  return done;
}

void Purger::LockAll() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  run_lock_.Lock();
  turn_lock_.Lock();
  piece_lock_.Lock();
}

void Purger::UnlockAll() ABSL_NO_THREAD_SAFETY_ANALYSIS {
  piece_lock_.Unlock();
  turn_lock_.Unlock();
  run_lock_.Unlock();
}

void Purger::Start() {
  if (started_) return;
  stop_.store(0, kRelaxed);  // ordered by the start of the thread
  wake_.Reset();             // nobody waits: there is no thread
  started_ = thread_.Start([](void* self) {
    static_cast<Purger*>(self)->Loop();
  }, this, 128 << 10);
}

void Purger::Stop() {
  if (!started_) return;
  stop_.store(1, kRelease);  // pairs with the acquire in Loop
  wake_.Set();
  thread_.Join();
  started_ = false;
}

void Purger::ForgetThread() {
  started_ = false;
  new (&thread_) Thread;  // the old one does not exist here: nothing to join
}

void Purger::Loop() {
  // Acquire: pairs with Stop.
  while (stop_.load(kAcquire) == 0) {
    uint64_t now = core_->os->NowNs();
    Turn(now);
    uint64_t wait = static_cast<uint64_t>(core_->options.purge_delay_ms) * kMs;
    if (wait < 10 * kMs) wait = 10 * kMs;
    if (wait > 500 * kMs) wait = 500 * kMs;
    wake_.WaitUntil(MonotonicNs() + wait);
  }
}

void Purger::Turn(uint64_t now_ns) {
  core_->limbo.Drain(core_->qsbr, &HeapOps::FreeFromLimbo, core_);
  while (due()) {
    uint64_t before = debt_.load(kRelaxed);
    Run();
    if (debt_.load(kRelaxed) >= before) break;
  }
  if (core_->options.purge_policy == PurgePolicyKind::kNever) return;
  // Page-sized events, and lists of blocks that were taken up: threads that go round
  // in the pages they have are not idle.
  uint64_t events = events_.load(kRelaxed) + HeapOps::AllocatedByAll(core_);
  if (events != last_events_) {
    last_events_ = events;
    idle_since_ = now_ns;
    trimmed_ = false;
    return;
  }
  // Nothing was taken since the last turn.
  uint64_t idle_ns = static_cast<uint64_t>(core_->options.purge_delay_ms) * kMs;
  if (now_ns - idle_since_ < idle_ns) return;
  if (!trimmed_) {
    // Once per idle stretch also what lies in detached threads' heaps, and holes.
    trimmed_ = true;
    HeapOps::PurgeAll(core_, nullptr);
  } else {
    EndWindow(true);
    while (due()) {
      uint64_t before = debt_.load(kRelaxed);
      Run();
      if (debt_.load(kRelaxed) >= before) break;
    }
  }
}

}  // namespace tidepool::internal
