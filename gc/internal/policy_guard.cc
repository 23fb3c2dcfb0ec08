// Calls of a policy, each with what it may do wrong.

#include "tidepool/gc/internal/policy_guard.h"

#include <cstdio>
#include <cstring>
#include <exception>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tidepool/base/check.h"
#include "tidepool/object/thread_state.h"

namespace tidepool {
namespace gc_internal {
namespace {

constexpr uint64_t kSlowNs = 100'000'000;
constexpr uint64_t kMostPauseNs = 10'000'000'000;
constexpr int kMostMarkThreads = 256;

}  // namespace

PolicyGuard::PolicyGuard(Os* os, std::unique_ptr<CollectionPolicy> policy, FaultHook hook,
                         void* arg)
    : os_(os), policy_(std::move(policy)), hook_(hook), hook_arg_(arg) {
  TakeName();
}

PolicyGuard::~PolicyGuard() {
  TP_CHECK(inside_.load(kRelaxed) == nullptr);
  Call("its destructor", [&] { policy_.reset(); });
}

bool PolicyGuard::TryEnter(ThreadState* ts) {
  const ThreadState* expected = nullptr;
  // Acquire: pairs with the release in Leave.
  return inside_.compare_exchange_strong(expected, ts, kAcquire, kRelaxed);
}

void PolicyGuard::Enter(ThreadState* ts) {
  TP_DCHECK(!Inside(ts));
  while (!TryEnter(ts)) {
    BlockingScope blocking(ts);
    os_->SleepNs(20'000);
  }
}

void PolicyGuard::Leave() { inside_.store(nullptr, kRelease); }

void PolicyGuard::Fault(Kind kind, const char* what, const char* detail) {
  char text[256];
  std::snprintf(text, sizeof(text), "%s %s", what, detail);
  {
    MutexLock lock(&facts_mutex_);
    uint64_t* const counts[kKinds] = {&faults_.threw, &faults_.nonsense, &faults_.reentered,
                                      &faults_.slow};
    ++*counts[kind];
    faults_.last = text;
  }
  if (hook_ != nullptr) hook_(hook_arg_, name_, text);
  if (!reported_[kind]) {
    reported_[kind] = true;
    std::fprintf(stderr, "tidepool: gc policy '%s': %s; later ones of this kind are only counted\n",
                 name_, text);
  }
}

// False: fn threw.
template <class Fn>
bool PolicyGuard::Call(const char* what, Fn fn) {
  const uint64_t start = os_->NowNs();
  try {
    fn();
  } catch (const std::exception& e) {
    char detail[160];
    std::snprintf(detail, sizeof(detail), "threw '%s'", e.what());
    Fault(kThrew, what, detail);
    return false;
  } catch (...) {
    Fault(kThrew, what, "threw something");
    return false;
  }
  if (os_->NowNs() - start > kSlowNs) Fault(kSlow, what, "took more than 100 ms");
  return true;
}

const char* PolicyGuard::Keep(const char* text) {
  if (text == nullptr) {
    Fault(kNonsense, "Decide", "gave a null reason");
    return "";
  }
  if (*text == '\0') return "";
  char copy[kTextBytes];
  std::snprintf(copy, sizeof(copy), "%s", text);
  for (int i = 0; i < text_count_; ++i) {
    if (std::strcmp(texts_[i], copy) == 0) return texts_[i];
  }
  if (text_count_ == kTexts) return "other";
  std::memcpy(texts_[text_count_], copy, sizeof(copy));
  return texts_[text_count_++];
}

Decision PolicyGuard::Decide(const HeapSnapshot& s) {
  Decision d;
  if (!Call("Decide", [&] { d = policy_->Decide(s); })) {
    d = stand_in_.Decide(s);
    if (d.collect) d.reason = "live bytes grew (the policy threw)";
    return d;
  }
  if (d.next_threshold > kMostThreshold && d.next_threshold != kNeverAsk) {
    char detail[96];
    std::snprintf(detail, sizeof(detail), "gave %llu bytes as its next threshold",
                  static_cast<unsigned long long>(d.next_threshold));
    Fault(kNonsense, "Decide", detail);
    d.next_threshold = stand_in_.Decide(s).next_threshold;
  }
  d.reason = Keep(d.reason);
  return d;
}

Plan PolicyGuard::MakePlan(const HeapSnapshot& s) {
  Plan plan;
  if (!Call("MakePlan", [&] { plan = policy_->MakePlan(s); })) return Plan{};
  if (plan.mark_threads < 0 || plan.mark_threads > kMostMarkThreads) {
    Fault(kNonsense, "MakePlan",
          absl::StrCat("asked for ", plan.mark_threads, " mark threads").c_str());
    plan.mark_threads = Plan{}.mark_threads;
  }
  if (plan.pause_budget_ns > kMostPauseNs) {
    Fault(kNonsense, "MakePlan",
          absl::StrCat("asked for pauses of ", plan.pause_budget_ns, " ns").c_str());
    plan.pause_budget_ns = 0;
  }
  return plan;
}

void PolicyGuard::OnStart(const HeapSnapshot& s, const char* reason) {
  Call("OnStart", [&] { policy_->OnStart(s, reason); });
}

void PolicyGuard::OnFinish(const HeapSnapshot& s, const CollectStats& stats) {
  stand_in_.Learn(s, stats);
  Call("OnFinish", [&] { policy_->OnFinish(s, stats); });
}

void PolicyGuard::Swap(std::unique_ptr<CollectionPolicy> policy) {
  std::unique_ptr<CollectionPolicy> old = std::exchange(policy_, std::move(policy));
  Call("its destructor", [&] { old.reset(); });
  TakeName();
  for (bool& reported : reported_) reported = false;
}

void PolicyGuard::TakeName() {
  const char* name = nullptr;
  Call("name", [&] { name = policy_->name(); });
  MutexLock lock(&facts_mutex_);
  std::snprintf(name_, sizeof(name_), "%s", name == nullptr ? "unnamed" : name);
}

std::string PolicyGuard::CopyName() const {
  MutexLock lock(&facts_mutex_);
  return name_;
}

PolicyFaults PolicyGuard::faults() const {
  MutexLock lock(&facts_mutex_);
  return faults_;
}

void PolicyGuard::Reentered(const char* what) {
  Fault(kReentered, what, "was called from inside a policy's call, and refused");
}

}  // namespace gc_internal
}  // namespace tidepool
