// The collector's outside: when the policy is asked, and what people may ask of the
// collector. How a collection is made of its steps is in collection.cc.

#include "tidepool/gc/collector.h"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tidepool/base/check.h"
#include "tidepool/base/mutant.h"
#include "tidepool/gc/internal/impl.h"
#include "tidepool/gc/internal/pass.h"
#include "tidepool/object/object.h"

namespace tidepool {
namespace {

// The policy's own argument string in an option is at most 47 characters.
std::string PolicySpec(Isolate* isolate, absl::string_view policy) {
  if (!policy.empty()) return std::string(policy);
  return std::string(isolate->options().gc_policy.text);
}

}  // namespace

Collector::Impl::Impl(Isolate* isolate_in, std::unique_ptr<CollectionPolicy> policy_in)
    : isolate(isolate_in),
      stress(isolate_in->options().gc_stress),
      policy(isolate_in->os(), std::move(policy_in),
             [](void* arg, const char* name, const char* fault) {
               auto* self = static_cast<Impl*>(arg);
               if (self->log.on()) self->log.Fault(name, fault);
             },
             this),
      memory(isolate_in->os()) {
  start_ns = isolate->os()->NowNs();
  last_end_ns = start_ns;
  IsolateHooks hooks = isolate->hooks();
  hooks.collect = &CollectHook;
  hooks.collect_arg = this;
  isolate->SetHooks(hooks);
  SetBudget(0);
}

Collector::Impl::~Impl() {
  TP_CHECK(collecting.load(kRelaxed) == 0);  // a pass may be open: it ends here
  if (log.on()) log.End(Snapshot());
  IsolateHooks hooks = isolate->hooks();
  hooks.collect = nullptr;
  hooks.collect_arg = nullptr;
  isolate->SetHooks(hooks);
}

void Collector::Impl::SetBudget(uint64_t bytes) {
  if (stress > 0) {
    isolate->heap().SetAllocBudget(1);
    return;
  }
  const uint64_t every = log_every.load(kRelaxed);  // a figure
  if (every != 0) bytes = std::min(bytes, every);
  const uint64_t threads = std::max<uint64_t>(isolate->thread_count(), 1);
  isolate->heap().SetAllocBudget(std::max(bytes / threads, kLeastBudget));
}

HeapSnapshot Collector::Impl::Snapshot() {
  const Stats heap = isolate->heap().GetStats();
  HeapSnapshot s;
  // Blocks in limbo are as good as free.
  s.external_bytes = external.load(kRelaxed);
  s.live_bytes = heap.live_bytes - std::min(heap.live_bytes, heap.limbo) + s.external_bytes;
  for (HeapKind kind : {HeapKind::kGc, HeapKind::kGcPre}) {
    s.gc_blocks += heap.kind[static_cast<int>(kind)].live_blocks;
  }
  s.limbo_bytes = heap.limbo;
  s.dormant_bytes = heap.dormant;
  s.committed_bytes = heap.committed;
  s.memory_limit = isolate->options().max_memory;
  s.pause_ms = static_cast<uint64_t>(isolate->options().gc_pause_ms);
  s.threads = heap.threads;
  s.allocated_total = isolate->heap().AllocatedBytes();
  const uint64_t now = isolate->os()->NowNs();
  MutexLock lock(&state_mutex);
  s.allocated_since = s.allocated_total - std::min(s.allocated_total, allocated_at_last);
  s.run_ns = now - std::min(now, start_ns);
  s.live_bytes_after_last = live_after_last;
  s.gc_blocks_after_last = blocks_after_last;
  s.survivors = last.tracked - std::min(last.tracked, last.found());
  s.last_collected = last.found();
  s.last_pause_ns = last.pause_ns;
  s.total_gc_ns = total_gc_ns;
  s.since_last_ns = now - std::min(now, last_end_ns);
  s.collections = collections;
  for (int i = 0; i < 3; ++i) s.thresholds[i] = thresholds[i];
  s.thresholds_explicit = thresholds_explicit;
  return s;
}

bool Collector::Impl::Automatically() const {
  if (enabled.load(kRelaxed) == 0) return false;
  MutexLock lock(&state_mutex);
  return thresholds[0] != 0;
}

void Collector::Impl::CollectHook(ThreadState* ts, void* arg) {
  static_cast<Impl*>(arg)->AtSafepoint(ts);
}

// The slow path of a safepoint, some thread's budget being used up or a request made.
void Collector::Impl::AtSafepoint(ThreadState* ts) {
  ts->heap()->ResetAllocated();
  if (policy.Inside(ts)) return;  // the policy passes a safepoint
  // Relaxed, all of these: requests and switches, which order nothing; a pass takes
  // collecting by compare-and-swap itself.
  if (stress > 0) {
    if (collecting.load(kRelaxed) == 0 &&
        stress_tick.fetch_add(1, kRelaxed) % static_cast<uint64_t>(stress) == 0) {
      Collect(ts, 0, "gc_stress");
    }
    isolate->RequestCollection();
    return;
  }
  if (collecting.load(kRelaxed) != 0) {
    HoldBack(ts);
    return;
  }
  const uint64_t fork_waits = fork_waits_until_ns.load(kRelaxed);
  if (fork_waits != 0 && isolate->os()->NowNs() < fork_waits) return;
  if (forced.exchange(0, kRelaxed) != 0) {
    if (!Hand("requested")) Collect(ts, 0, "requested");
    return;
  }
  const uint64_t every = log_every.load(kRelaxed);
  const bool on = Automatically();
  if (on && every == 0 && open.load(kRelaxed) != 0) {
    PayDebt(ts);  // a snapshot of a large heap takes as long as a slice
    return;
  }
  const HeapSnapshot snapshot = Snapshot();
  const uint64_t due = ask_at.load(kRelaxed);
  if (every != 0) log.Sample(snapshot, on);
  if (!on) {
    SetBudget(every);
  } else if (open.load(kRelaxed) != 0) {
    PayDebt(ts);
  } else if (every != 0 && snapshot.allocated_total < due &&
             snapshot.external_bytes < external_ask.load(kRelaxed)) {
    // This chance was for the log only.
    SetBudget(due - snapshot.allocated_total);
  } else {
    AskPolicy(ts, snapshot);
  }
}

void Collector::Impl::AskPolicy(ThreadState* ts, const HeapSnapshot& snapshot) {
  if (!policy.TryEnter(ts)) return;  // another thread is asking
  const Decision decision = policy.Decide(snapshot);
  if (log.on()) log.Ask(policy.name(), snapshot, decision);
  policy.Leave();
  const uint64_t next = std::max(decision.next_threshold, kLeastBudget);
  ask_at.store(next > UINT64_MAX - snapshot.allocated_total ? UINT64_MAX
                                                           : snapshot.allocated_total + next,
               kRelaxed);
  external_ask.store(next > UINT64_MAX - snapshot.external_bytes
                         ? UINT64_MAX
                         : snapshot.external_bytes + next,
                     kRelaxed);
  SetBudget(next);
  if (decision.collect) Automatic(ts, decision.reason);
}

bool Collector::Impl::Refused(ThreadState* ts, const char* what) {
  if (ts == nullptr || !policy.Inside(ts)) return false;
  policy.Reentered(what);
  return true;
}

void Collector::Impl::Request(ThreadState* ts, bool force) {
  if (Refused(ts, "RequestCollection")) return;
  if (force) forced.store(1, kRelaxed);
  ask_at.store(0, kRelaxed);
  isolate->RequestCollection();
  // This thread, if no other comes first.
  if (ts != nullptr) ts->RequestBreak(kBreakCollect);
}

// The sum stops at zero: reports may come in any order from several threads, but one that
// takes off more than there is is the embedder's mistake.
void Collector::Impl::AddExternal(int64_t bytes) {
  uint64_t old = external.load(kRelaxed);
  uint64_t sum;
  do {
    sum = bytes >= 0 ? old + static_cast<uint64_t>(bytes)
                     : old - std::min(old, uint64_t{0} - static_cast<uint64_t>(bytes));
  } while (!external.compare_exchange_weak(old, sum, kRelaxed, kRelaxed));
  if (bytes <= 0) return;
  external_grown.fetch_add(static_cast<uint64_t>(bytes), kRelaxed);  // a figure
  if (sum >= external_ask.load(kRelaxed)) isolate->RequestCollection();
}

absl::Status Collector::Impl::SetPolicy(ThreadState* ts, absl::string_view spec) {
  if (Refused(ts, "SetPolicy")) {
    return absl::FailedPreconditionError("a gc policy may not replace itself");
  }
  auto made = MakePolicy(spec);
  if (!made.ok()) return made.status();
  policy.Enter(ts);
  policy.Swap(*std::move(made));
  if (log.on()) log.Policy(policy.name(), Snapshot());
  policy.Leave();
  ask_at.store(0, kRelaxed);
  SetBudget(0);
  return absl::OkStatus();
}

absl::Status Collector::Impl::OpenLog(ThreadState* ts, const char* path, uint64_t every) {
  if (Refused(ts, "OpenLog")) {
    return absl::FailedPreconditionError("a gc policy may not open the log");
  }
  absl::Status status = log.Open(path);
  if (!status.ok()) return status;
  if (every != 0) every = std::max(every, kLeastBudget);
  policy.Enter(ts);
  log.Start(policy.name(), every, Snapshot());
  policy.Leave();
  log_every.store(every, kRelaxed);
  SetBudget(0);
  return absl::OkStatus();
}

bool Collector::Impl::AddListener(CollectionListener* listener) {
  MutexLock lock(&state_mutex);
  for (CollectionListener*& slot : listeners) {
    if (slot == nullptr) {
      slot = listener;
      return true;
    }
  }
  return false;
}

void Collector::Impl::RemoveListener(ThreadState* ts, CollectionListener* listener) {
  for (;;) {
    {
      MutexLock lock(&state_mutex);
      for (CollectionListener*& slot : listeners) {
        if (slot == listener) slot = nullptr;
      }
      // A listener may take itself off while it is called.
      if (calling != listener || calling_thread == ts) return;
    }
    BlockingScope blocking(ts);
    isolate->os()->SleepNs(100'000);
  }
}

void Collector::Impl::Tell(ThreadState* ts, bool start, const CollectStats& stats) {
  for (int i = 0; i < kMaxListeners; ++i) {
    CollectionListener* listener;
    {
      MutexLock lock(&state_mutex);
      listener = calling = listeners[i];
      calling_thread = ts;
    }
    if (listener != nullptr) {
      if (start) {
        listener->OnCollectionStart(ts, stats);
      } else {
        listener->OnCollectionStop(ts, stats);
      }
    }
    MutexLock lock(&state_mutex);
    calling = nullptr;
    calling_thread = nullptr;
  }
}

// --- The public class. ---

absl::StatusOr<std::unique_ptr<Collector>> Collector::Create(
    Isolate* isolate, absl::string_view policy) {
  auto made = MakePolicy(PolicySpec(isolate, policy));
  if (!made.ok()) return made.status();
  return std::unique_ptr<Collector>(
      new Collector(std::make_unique<Impl>(isolate, *std::move(made))));
}

Collector::Collector(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Collector::~Collector() = default;

CollectStats Collector::Collect(ThreadState* ts, int generation, const char* reason) {
  return impl_->Collect(ts, generation, reason);
}
void Collector::RequestCollection(ThreadState* ts, bool force) {
  impl_->Request(ts, force);
}
void Collector::ServeCollections(ThreadState* ts) { impl_->Serve(ts); }
void Collector::StopServing() { impl_->StopServing(); }
void Collector::DrainFinalizers(ThreadState* ts) { impl_->Drain(ts); }
void Collector::PrepareFork(ThreadState* ts) { impl_->PrepareFork(ts); }
void Collector::AfterFork(ThreadState* ts) { impl_->AfterFork(ts); }

void Collector::AddExternalBytes(int64_t bytes) { impl_->AddExternal(bytes); }
uint64_t Collector::external_bytes() const { return impl_->external.load(kRelaxed); }
absl::Status Collector::SetPolicy(ThreadState* ts, absl::string_view spec) {
  return impl_->SetPolicy(ts, spec);
}
std::string Collector::policy_name() const { return impl_->policy.CopyName(); }
PolicyFaults Collector::policy_faults() const { return impl_->policy.faults(); }
absl::Status Collector::OpenLog(ThreadState* ts, const char* path, uint64_t every) {
  return impl_->OpenLog(ts, path, every);
}

// Relaxed: a switch of its own.
void Collector::Enable() { impl_->enabled.store(1, kRelaxed); }
void Collector::Disable() { impl_->enabled.store(0, kRelaxed); }
bool Collector::enabled() const { return impl_->enabled.load(kRelaxed) != 0; }
bool Collector::collecting() const {
  return impl_->collecting.load(kRelaxed) != 0 || impl_->open.load(kRelaxed) != 0;
}

void Collector::SetThresholds(uint64_t t0, uint64_t t1, uint64_t t2) {
  {
    MutexLock lock(&impl_->state_mutex);
    impl_->thresholds[0] = t0;
    impl_->thresholds[1] = t1;
    impl_->thresholds[2] = t2;
    impl_->thresholds_explicit = true;
  }
  impl_->ask_at.store(0, kRelaxed);  // the policy sees them soon
  impl_->SetBudget(0);
}

void Collector::GetThresholds(uint64_t out[3]) const {
  MutexLock lock(&impl_->state_mutex);
  for (int i = 0; i < 3; ++i) out[i] = impl_->thresholds[i];
}

void Collector::GetCounts(uint64_t out[3]) {
  const uint64_t blocks = impl_->isolate->heap().LiveIn(kGcKinds).blocks;
  MutexLock lock(&impl_->state_mutex);
  out[0] = blocks - std::min(blocks, impl_->blocks_after_last);
  out[1] = impl_->since_full;
  out[2] = 0;
}

GenerationStats Collector::GetGenerationStats(int generation) const {
  MutexLock lock(&impl_->state_mutex);
  return impl_->generations[std::clamp(generation, 0, 2)];
}

CollectStats Collector::LastStats() const {
  MutexLock lock(&impl_->state_mutex);
  return impl_->last;
}

PauseRecord Collector::Pauses() const {
  MutexLock lock(&impl_->state_mutex);
  return impl_->pauses;
}

std::string Collector::StatsJson() const {
  GenerationStats sums[3];
  CollectStats last;
  uint64_t total_gc_ns;
  PauseRecord pauses;
  {
    MutexLock lock(&impl_->state_mutex);
    pauses = impl_->pauses;
    for (int i = 0; i < 3; ++i) sums[i] = impl_->generations[i];
    last = impl_->last;
    total_gc_ns = impl_->total_gc_ns;
  }
  return absl::StrCat("{\"policy\":\"", policy_name(),
                      "\",\"enabled\":", enabled() ? "true" : "false",
                      ",\"total_gc_ns\":", total_gc_ns, ",\"generations\":[",
                      sums[0].Json(), ",", sums[1].Json(), ",", sums[2].Json(),
                      "],\"pauses\":", pauses.Json(),
                      ",\"last\":", last.Json(), "}");
}

void Collector::SetDebug(uint32_t flags) { impl_->debug_flags.store(flags, kRelaxed); }
uint32_t Collector::debug() const { return impl_->debug_flags.load(kRelaxed); }

void Collector::SetGarbageVisitor(GarbageVisitor visitor, void* arg) {
  MutexLock lock(&impl_->state_mutex);
  impl_->garbage_visitor = visitor;
  impl_->garbage_arg = arg;
}

bool Collector::AddListener(CollectionListener* listener) {
  return impl_->AddListener(listener);
}
void Collector::RemoveListener(ThreadState* ts, CollectionListener* listener) {
  impl_->RemoveListener(ts, listener);
}

bool Collector::IsTracked(const ObjectHeader* obj) { return tidepool::IsTracked(obj); }
bool Collector::IsFinalized(const ObjectHeader* obj) {
  return tidepool::IsFinalized(obj);
}

Isolate* Collector::isolate() { return impl_->isolate; }

}  // namespace tidepool
