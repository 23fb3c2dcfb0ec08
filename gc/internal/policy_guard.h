// The wall between the collector and a policy, which may be anybody's code.
//
//   a call throws            caught, counted; the answer is the default rule's
//   a threshold that cannot be meant (a negative number or a NaN that was cast, more than
//   kMostThreshold and not kNeverAsk), a plan out of range, a text that is null
//                            counted; the answer, or the part, is the default rule's
//   a call of the collector from inside a call (Collect, RequestCollection, SetPolicy, ...)
//                            counted and refused: see Inside
//   a call that takes more than 100 ms
//                            counted
//
// The default rule (growth_rule.h) hears of every pass, so it can stand in at any moment, and
// garbage stays bounded under a policy that only ever throws.
//
// Who is inside is a word, taken by compare-and-swap, and not a lock: a thread that wants to
// ask while another does goes on without an answer, and one that collects waits detached. So
// a policy that (against its rules) passes a safepoint or takes its time holds up nobody's
// stop of the world.
//
// Texts are copied: a policy may be swapped out, and its library unloaded, while the stats of
// a collection that it asked for are still there. Each different text is kept once, 64 of
// them at most; later ones read "other".
//
// This file is compiled with C++ exceptions although nothing of ours throws.

#ifndef TIDEPOOL_GC_INTERNAL_POLICY_GUARD_H_
#define TIDEPOOL_GC_INTERNAL_POLICY_GUARD_H_

#include <cstdint>
#include <memory>
#include <string>

#include "tidepool/base/atomic.h"
#include "tidepool/base/mutex.h"
#include "tidepool/base/os.h"
#include "tidepool/gc/policies/growth_rule.h"
#include "tidepool/gc/policy.h"

namespace tidepool {

class ThreadState;

namespace gc_internal {

// Told of each fault, with the policy's name, by the thread inside. May be null.
using FaultHook = void (*)(void* arg, const char* policy, const char* fault);

class PolicyGuard {
 public:
  PolicyGuard(Os* os, std::unique_ptr<CollectionPolicy> policy, FaultHook hook, void* arg);
  ~PolicyGuard();
  PolicyGuard(const PolicyGuard&) = delete;
  PolicyGuard& operator=(const PolicyGuard&) = delete;

  // False: another thread is inside.
  bool TryEnter(ThreadState* ts);
  void Enter(ThreadState* ts);  // waits detached
  void Leave();
  // True for the thread that is inside: it is the policy that calls. Null: a thread without
  // a state.
  bool Inside(const ThreadState* ts) const {
    // Relaxed: a thread asks about itself.
    return ts != nullptr && inside_.load(kRelaxed) == ts;
  }
  // By the thread inside: what the policy just asked for is refused.
  void Reentered(const char* what);

  // --- Inside only. ---
  Decision Decide(const HeapSnapshot& s);
  Plan MakePlan(const HeapSnapshot& s);
  void OnStart(const HeapSnapshot& s, const char* reason);
  void OnFinish(const HeapSnapshot& s, const CollectStats& stats);
  void Swap(std::unique_ptr<CollectionPolicy> policy);
  const char* name() const { return name_; }

  // --- Any thread. ---
  std::string CopyName() const;
  PolicyFaults faults() const;

 private:
  enum Kind { kThrew, kNonsense, kReentered, kSlow, kKinds };

  template <class Fn>
  bool Call(const char* what, Fn fn);
  void Fault(Kind kind, const char* what, const char* detail);
  const char* Keep(const char* text);
  void TakeName();

  static constexpr int kTexts = 64;
  static constexpr int kTextBytes = 64;

  Os* const os_;
  std::unique_ptr<CollectionPolicy> policy_;
  const FaultHook hook_;
  void* const hook_arg_;
  Atomic<const ThreadState*> inside_{nullptr};
  GrowthRule stand_in_;
  bool reported_[kKinds] = {};
  // Written by the thread inside, under the lock; it alone reads without.
  mutable Mutex facts_mutex_{0};
  PolicyFaults faults_;
  char name_[48] = {};
  char texts_[kTexts][kTextBytes] = {};
  int text_count_ = 0;
};

}  // namespace gc_internal
}  // namespace tidepool

#endif  // TIDEPOOL_GC_INTERNAL_POLICY_GUARD_H_
