// A collection from its start to its end, and who pays for it.
//
// A collection is Begin, one or more Steps, Finish, each by a thread that owns `collecting`.
// Without a pause budget there is one step, the whole pass. Under a budget a step is one
// stop of the world with what follows it (internal/slices.cc).
//
// Who asks decides how the steps lie in time:
//   Collect      explicit, or on a serving thread: all on the caller, who sleeps between two
//                of them for as long as the world was held, if there are other threads.
//   Automatic    (the policy wants it) the first step at once. Then the pass is *open*:
//                nobody owns it, the program runs, and the threads that allocate pay for
//                the slices at their safepoints (PayDebt), whichever comes by when one is
//                due.
//
// The debt. A clock of bytes (Position: allocated, freed or not, and memory reported from
// outside) says what is due: a slice each `stride` bytes, such that the pass is over by half
// of its *allowance* if it needs the slices that its objects let expect; if it needs more,
// they come closer together, so that they fit into the other half (StrideNow of pacing.h).
// Past the allowance one comes at every safepoint of a thread that allocates (once in
// kLeastBudget), and with every second one the pause budget doubles: there the bound on
// memory is worth more. So
//
//   A1  between the start of a pass and its end the program allocates at most
//       allowance + 2 log2(time of the pass / budget) x threads x kLeastBudget, and one
//       block more per thread; while other threads clear garbage beside it, kLeastBudget
//       more per thread and kHoldBackNs.
//   A2  a thread pays for one slice at a time, and runs kLeastBudget bytes before the next.
//
// Memory follows from A1: a policy starts a pass when live bytes have grown by its step; so
// they never grow by more than step and A1 together over what the last pass left, and what
// the last pass left is what is alive, and what became garbage while it ran (A1, and what
// was alive when it began).
//
// Between two slices of an open pass anything may happen: threads come and go, fork, freeze,
// list. An explicit collection gives it up and begins anew, as it has to find what is garbage
// by now. gc.disable() lets it rest. A thread that begins to serve takes it over.

#include <algorithm>
#include <cstdio>

#include "tidepool/base/mutant.h"
#include "tidepool/gc/internal/impl.h"
#include "tidepool/gc/internal/pass.h"
#include "tidepool/object/object.h"

namespace tidepool {
namespace {

using gc_internal::kLeastAllowance;
using gc_internal::kLeastNsPerObject;
using gc_internal::kMostNsPerObject;
using gc_internal::kSlicePercent;
// The allowance beside clearing, with the world running: these, or all of what was live.
constexpr uint64_t kLeastBesideWhole = 16 << 20;
constexpr uint64_t kHoldBackNs = 2'000'000;
constexpr uint64_t kMostDoublings = 20;
// Due at each chance.
constexpr uint64_t kPastAllowance = 0;
// Tables kept between passes.
constexpr size_t kKeptPages = 4096;
constexpr size_t kKeptStack = 16384;

}  // namespace

bool Collector::Impl::TryOwn(ThreadState* ts) {
  uint32_t expected = 0;
  // Acquire pairs with the release in Disown: what it guards was another thread's.
  if (!collecting.compare_exchange_strong(expected, 1, kAcquire, kRelaxed) &&
      !TIDEPOOL_MUTANT(gc_two_at_once)) {
    return false;
  }
  collecting_thread.store(ts, kRelaxed);  // only compared with the reader's own state
  return true;
}

void Collector::Impl::Disown() {
  collecting_thread.store(nullptr, kRelaxed);
  collecting.store(0, kRelease);  // pairs with the acquire in TryOwn
}

uint64_t Collector::Impl::Position() const {
  return isolate->heap().AllocatedBytes() + external_grown.load(kRelaxed);
}

void Collector::Impl::Begin(ThreadState* ts, int generation, const char* reason) {
  under_way = UnderWay();
  UnderWay& u = under_way;
  u.stats.ran = true;
  u.stats.generation = std::clamp(generation, 0, 2);
  u.stats.reason = reason;
  u.start_ns = isolate->os()->NowNs();
  u.before = Snapshot();
  u.stats.live_bytes_before = u.before.live_bytes;
  pass_start.store(Position(), kRelaxed);  // figures, see HoldBack
  pass_allowance.store(std::max(kLeastBesideWhole, u.before.live_bytes), kRelaxed);
  SetBudget(0);
  policy.Enter(ts);
  u.plan = policy.MakePlan(u.before);
  policy.OnStart(u.before, reason);
  policy.Leave();
  Tell(ts, /*start=*/true, u.stats);

  u.debug = debug_flags.load(kRelaxed);
  u.hooks.save_all = (u.debug & kGcDebugSaveAll) != 0;
  u.hooks.print_garbage = (u.debug & kGcDebugCollectable) != 0;
  u.hooks.mark_threads = u.plan.mark_threads != 0
                             ? u.plan.mark_threads
                             : static_cast<int>(isolate->options().gc_threads);
  MutexLock lock(&state_mutex);
  if ((u.debug & kGcDebugStats) != 0) {
    // There are no generations: what is new since the last pass, and the rest.
    const uint64_t young = u.before.gc_blocks - std::min(u.before.gc_blocks, blocks_after_last);
    std::fprintf(stderr,
                 "gc: collecting generation %d...\n"
                 "gc: objects in each generation: %llu 0 %llu\n"
                 "gc: objects in permanent generation: %llu\n",
                 u.stats.generation, static_cast<unsigned long long>(young),
                 static_cast<unsigned long long>(u.before.gc_blocks - young),
                 static_cast<unsigned long long>(last.frozen));
  }
  u.hooks.garbage_visitor = garbage_visitor;
  u.hooks.garbage_arg = garbage_arg;
}

// True: the pass is over.
bool Collector::Impl::Step(ThreadState* ts) {
  UnderWay& u = under_way;
  Os* const os = isolate->os();
  const uint64_t start = os->NowNs();
  const uint64_t cpu_start = os->ThreadCpuNs();
  bool over = true;
  {
    u.hooks.budget_ns = u.plan.pause_budget_ns << std::min(u.overdue / 2, kMostDoublings);
    gc_internal::Pass pass(ts, &memory, u.hooks, &u.stats);
    if (u.hooks.budget_ns == 0) {
      pass.Run();
    } else {
      over = pass.Step();
    }
  }
  ts->heap()->Safepoint();  // hands over what was freed for other threads
  if (over) u.after = Snapshot();
  u.stats.total_ns += os->NowNs() - start;
  u.stats.cpu_ns += os->ThreadCpuNs() - cpu_start;
  MutexLock lock(&state_mutex);
  pauses = memory.pauses;
  return over;
}

CollectStats Collector::Impl::Finish(ThreadState* ts) {
  UnderWay& u = under_way;
  CollectStats& stats = u.stats;
  memory.pages.Trim(kKeptPages);
  memory.page_index.Release();
  memory.piece.Trim(kKeptStack);
  memory.leftovers.Trim(kKeptStack);
  for (auto& stack : memory.stacks) stack.Trim(kKeptStack);
  if (u.plan.purge_afterwards) {
    isolate->heap().Purge();
  } else if (stats.generation == 2) {
    isolate->heap().PurgeExcess();  // a whole pass was asked for
  }
  if (u.plan.purge_afterwards || stats.generation == 2 || stats.given_up) {
    u.after = Snapshot();
  }
  const HeapSnapshot& after = u.after;
  stats.live_bytes_after = after.live_bytes;
  const uint64_t end = isolate->os()->NowNs();
  stats.span_ns = end - u.start_ns;
  if (u.hooks.budget_ns != 0 && stats.tracked != 0 && !stats.given_up) {
    const uint64_t seen = std::clamp(stats.paused_ns / stats.tracked, kLeastNsPerObject,
                                     kMostNsPerObject);
    ns_per_object = (ns_per_object + seen + 1) / 2;
  }
  {
    MutexLock lock(&state_mutex);
    last = stats;
    live_after_last = after.live_bytes;
    blocks_after_last = after.gc_blocks;
    allocated_at_last = after.allocated_total;
    last_end_ns = end;
    total_gc_ns += stats.total_ns;
    ++collections;
    since_full = stats.generation == 2 ? 0 : since_full + 1;
    GenerationStats& sums = generations[stats.generation];
    ++sums.collections;
    sums.collected += stats.collected;
    sums.uncollectable += stats.uncollectable;
    sums.resurrected += stats.resurrected;
    sums.finalizers += stats.finalizers;
    sums.total_ns += stats.total_ns;
    sums.paused_ns += stats.paused_ns;
    sums.max_pause_ns = std::max(sums.max_pause_ns, stats.pause_ns);
    sums.pauses.Merge(stats.pauses);
    for (int i = 0; i < kGcPhaseCount; ++i) sums.phase_ns[i] += stats.phase_ns[i];
  }
  policy.Enter(ts);
  policy.OnFinish(after, stats);
  if (log.on()) log.Collect(policy.name(), u.before, after, u.plan, stats);
  policy.Leave();
  // The next question comes from the slow path of the allocation that uses this up.
  ask_at.store(0, kRelaxed);
  external_ask.store(after.external_bytes + kLeastBudget, kRelaxed);
  SetBudget(0);
  if ((u.debug & kGcDebugStats) != 0) {
    std::fprintf(stderr, "gc: done, %llu unreachable, %llu uncollectable, %.4fs elapsed\n",
                 static_cast<unsigned long long>(stats.collected + stats.uncollectable),
                 static_cast<unsigned long long>(stats.uncollectable),
                 static_cast<double>(stats.total_ns) * 1e-9);
  }
  const CollectStats result = stats;
  Tell(ts, /*start=*/false, result);
  return result;
}

// The open pass, as far as it got.
void Collector::Impl::GiveUp(ThreadState* ts) {
  open.store(0, kRelaxed);
  gc_internal::Pass::Abandon(&memory);
  under_way.stats.given_up = true;
  Finish(ts);
}

CollectStats Collector::Impl::Collect(ThreadState* ts, int generation, const char* reason) {
  CollectStats stats;
  stats.generation = std::clamp(generation, 0, 2);
  stats.reason = reason;
  if (Refused(ts, "Collect")) return stats;
  if (!TryOwn(ts)) {
    // The one who collects may wait for this thread to stop, and a caller that asks
    // again and again passes nowhere else.
    if (!TIDEPOOL_MUTANT(gc_declined_without_safepoint)) ts->Safepoint();
    return stats;
  }
  if (open.load(kRelaxed) != 0) GiveUp(ts);
  Begin(ts, generation, reason);
  while (!Step(ts)) {
    // The others run for as long as they were held.
    if (isolate->thread_count() == 1) continue;
    const uint64_t held = std::min(under_way.stats.pause_ns, under_way.hooks.budget_ns);
    BlockingScope blocking(ts);
    isolate->os()->SleepNs(held);
  }
  stats = Finish(ts);
  Disown();
  return stats;
}

// The policy wants a collection, and this thread came by.
void Collector::Impl::Automatic(ThreadState* ts, const char* reason) {
  if (Hand(reason) || !TryOwn(ts)) return;
  if (open.load(kRelaxed) == 0) {  // else another thread came first
    Begin(ts, 0, reason);
    if (Step(ts)) {
      Finish(ts);
    } else {
      open.store(1, kRelaxed);
      Pace();
    }
  }
  Disown();
}

void Collector::Impl::Pace() {
  UnderWay& u = under_way;
  const uint64_t allowance = std::max(kLeastAllowance, u.before.live_bytes / 2);
  const uint64_t slice_ns = std::max<uint64_t>(u.hooks.budget_ns / 100 * kSlicePercent, 1);
  const uint64_t slices = 2 + u.before.gc_blocks * ns_per_object / slice_ns;
  u.stride = std::max(allowance / 2 / slices, kLeastBudget);
  u.expected = slices;
  pass_allowance.store(allowance, kRelaxed);
  SetDebt(Position());
}

// Slices are paid up to here: says when the next one is due.
void Collector::Impl::SetDebt(uint64_t paid) {
  const UnderWay& u = under_way;
  const uint64_t allowed = pass_start.load(kRelaxed) + pass_allowance.load(kRelaxed);
  const uint64_t due =
      paid >= allowed
          ? kPastAllowance
          : std::min(paid + gc_internal::StrideNow(u.stride, u.expected, u.stats.slices,
                                                   allowed - paid),
                     allowed);
  slice_due.store(due, kRelaxed);
  const uint64_t position = Position();
  const uint64_t left = due - std::min(due, position);
  external_ask.store(external.load(kRelaxed) + std::max(left, kLeastBudget), kRelaxed);
  SetBudget(left);
}

// At a safepoint of a thread that has allocated, with a pass open.
void Collector::Impl::PayDebt(ThreadState* ts) {
  const uint64_t position = Position();
  const uint64_t due = slice_due.load(kRelaxed);
  if (position < due) {
    SetBudget(due - position);
    return;
  }
  if (HandOpen() || TIDEPOOL_MUTANT(slices_on_credit)) return;
  if (!TryOwn(ts)) {
    HoldBack(ts);
    return;
  }
  // Under the ownership: another thread may have paid meanwhile, or ended the pass.
  const uint64_t mark = slice_due.load(kRelaxed);
  if (open.load(kRelaxed) != 0 && Position() >= mark) {
    if (mark == kPastAllowance) ++under_way.overdue;
    if (Step(ts)) {
      open.store(0, kRelaxed);
      Finish(ts);
    } else {
      SetDebt(mark == kPastAllowance ? position : mark);
    }
  }
  Disown();
}

// Many threads may make garbage faster than one, beside them, clears it, and each pass would
// find more than the one before. Past the allowance they wait a moment at their safepoints,
// detached. Only a moment: this thread may hold a lock that a finalizer wants.
void Collector::Impl::HoldBack(ThreadState* ts) {
  // Relaxed, all: the first is only compared with this thread, the others are figures.
  if (collecting_thread.load(kRelaxed) == ts) return;
  const uint64_t position = Position();
  const uint64_t start = pass_start.load(kRelaxed);
  if (position - std::min(position, start) < pass_allowance.load(kRelaxed)) return;
  BlockingScope blocking(ts);
  isolate->os()->SleepNs(kHoldBackNs);
}

}  // namespace tidepool
