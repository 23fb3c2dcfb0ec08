// Collection policies: when to collect.
//
// Words.
//   policy      decides whether a collection is worth its pause now, and how many
//               more bytes may be allocated before it wants to be asked again. It
//               answers, it never acts: the collector starts the pass, and records
//               the policy's reason with it.
//   snapshot    what a policy is told: the allocator's own figures and the
//               collector's history. There is no resident set size in it on purpose:
//               freed memory may stay resident, so a trigger that looks at RSS waits
//               for a fall that never comes, while garbage piles up.
//   budget      bytes a thread may allocate before its allocation path raises a flag.
//               That is the one compare on the path; everything here runs at the
//               thread's next safepoint, some hundred times a second at most.
//
// Why bytes by default. A count of containers (the `threshold` policy, CPython's rule)
// sees a ten-object cycle that holds 10 KiB a piece as ten objects: at its threshold of
// 2,000 net new objects 20 MB are dead. The live-bytes policy asks for a collection when
// what is live by the allocator's count has grown by a share of what survived the last
// pass, so that garbage is bounded by a factor of the live set, and long-lived growth
// costs a number of passes that is logarithmic in it, whether or not the collector
// tracks what grew.
//
// A policy written elsewhere registers itself by name from a static initialiser
// (TIDEPOOL_REGISTER_POLICY) and is picked by the `gc_policy` option. The option's
// value is `name` or `name:key=value,key=value`; the part behind the colon is handed
// to the factory.
//
// Threads. Decide, MakePlan, OnStart and OnFinish are called by one thread at a time, with
// the world running. They must not allocate from the isolate, pass safepoints, take locks of
// the VM or call the collector.
//
// A policy that does not keep to this does no harm. What it throws is caught; an answer that
// makes no sense is replaced by the one that the default policy would have given; a
// collection that it asks for inside a call is refused; a call that takes long is noticed.
// Each of these is counted (Collector::policy_faults), written to the gc log, and the first
// of a kind is reported on stderr. See gc/internal/policy_guard.h.
//
// Memory that the heap does not see (what an object holds elsewhere: images, sockets, memory
// of another allocator) counts as live bytes if the embedder reports it by
// Collector::AddExternalBytes.

#ifndef TIDEPOOL_GC_POLICY_H_
#define TIDEPOOL_GC_POLICY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidepool {

struct CollectStats;

// What a policy may look at. Bytes and counts are the allocator's, right within 1 %.
struct HeapSnapshot {
  // Blocks handed out and not freed, all kinds, and external_bytes.
  uint64_t live_bytes = 0;
  uint64_t live_bytes_after_last = 0;  // the same when the last collection ended
  uint64_t gc_blocks = 0;              // live traversable objects (gc, gc_pre)
  uint64_t gc_blocks_after_last = 0;   // the same when the last collection ended
  uint64_t external_bytes = 0;         // reported by the embedder (AddExternalBytes)
  uint64_t allocated_since = 0;        // bytes allocated since then, freed or not
  uint64_t allocated_total = 0;        // bytes allocated since the isolate was made
  uint64_t limbo_bytes = 0;            // freed, waiting for readers
  uint64_t dormant_bytes = 0;          // empty pages that keep their layout
  uint64_t committed_bytes = 0;        // asked from the OS and not given back
  uint64_t memory_limit = 0;           // hard limit, 0 = none
  uint64_t survivors = 0;              // tracked objects that the last pass left alive
  uint64_t last_collected = 0;         // objects that the last pass found dead
  uint64_t last_pause_ns = 0;          // time the last pass held the world
  uint64_t total_gc_ns = 0;            // all passes so far
  uint64_t run_ns = 0;                 // since the collector was made
  uint64_t since_last_ns = 0;          // time since the end of the last pass
  uint64_t collections = 0;            // passes so far
  uint64_t threads = 0;                // thread states of the isolate
  uint64_t thresholds[3] = {};         // what set_threshold was given
  bool thresholds_explicit = false;    // set_threshold was called
  uint64_t pause_ms = 0;               // option gc_pause_ms
};

// A next_threshold: not before something else happens (a collection, a request).
inline constexpr uint64_t kNeverAsk = UINT64_MAX;
// The largest other one. What lies between is no number of bytes that a policy can mean.
inline constexpr uint64_t kMostThreshold = uint64_t{1} << 48;

struct Decision {
  bool collect = false;
  // A short text that says why, recorded with the decision and with the collection that it
  // starts. Copied (63 characters) before the next call of the policy.
  const char* reason = "";
  // Bytes that may be allocated before the policy is asked again. 0 lets the
  // collector choose (it never asks more often than once in 64 KiB, gc_stress apart).
  uint64_t next_threshold = 0;
};

// How a pass is to be done, asked when one starts for whatever reason.
struct Plan {
  // Threads that mark, the collecting one included. 0: option gc_threads. The pass uses
  // fewer for a small heap, or where threads cannot be had.
  int mark_threads = 0;
  // What each stop of the pass should stay below. 0: no budget, one stop for the whole
  // mark. The parts of a stop that cannot be cut are in docs/pauses.md.
  uint64_t pause_budget_ns = 0;
  bool purge_afterwards = false;
};

class CollectionPolicy {
 public:
  virtual ~CollectionPolicy() = default;
  virtual const char* name() const = 0;
  virtual Decision Decide(const HeapSnapshot& snapshot) = 0;
  virtual Plan MakePlan(const HeapSnapshot&) { return Plan{}; }
  virtual void OnStart(const HeapSnapshot&, const char* /*reason*/) {}
  // The snapshot is of the end of the pass; what it says of "the last" is the pass before.
  virtual void OnFinish(const HeapSnapshot&, const CollectStats&) {}
};

// What was wrong with the answers of policies, since the collector was made.
struct PolicyFaults {
  uint64_t threw = 0;      // calls that ended with a C++ exception
  uint64_t nonsense = 0;   // thresholds, plans and texts that cannot be meant
  uint64_t reentered = 0;  // calls of the collector from inside a call
  uint64_t slow = 0;       // calls that took more than 100 ms
  std::string last;        // text of the last one
  uint64_t all() const { return threw + nonsense + reentered + slow; }
};

// Makes a policy from the text behind the colon of the option ("" without one).
// An argument it does not know is an InvalidArgument error that names it.
using PolicyFactory = absl::StatusOr<std::unique_ptr<CollectionPolicy>> (*)(
    absl::string_view arguments);

// Registers a policy. False if the name is taken. May run before main. The texts are kept.
bool RegisterPolicy(const char* name, const char* help, PolicyFactory factory);

// Makes the policy that `spec` (`name` or `name:arguments`) asks for; "" is the default.
// What a factory throws is an Internal error.
absl::StatusOr<std::unique_ptr<CollectionPolicy>> MakePolicy(
    absl::string_view spec);

struct PolicyInfo {
  std::string name;
  std::string help;
};
// Every registered policy by name, the default first.
std::vector<PolicyInfo> ListPolicies();

// Cuts "key=value,key=value" and calls set(key, value) for each; set returns false for a
// key or value it does not accept. For factories.
absl::Status ParsePolicyArguments(absl::string_view arguments, void* context,
                                  bool (*set)(void* context,
                                              absl::string_view key,
                                              absl::string_view value));

// "64k", "4m", "1g" or plain digits.
bool ParsePolicyBytes(absl::string_view text, uint64_t* bytes);

#define TIDEPOOL_REGISTER_POLICY(identifier, name, help, factory) \
  [[maybe_unused]] static const bool identifier =                 \
      ::tidepool::RegisterPolicy(name, help, factory)

}  // namespace tidepool

#endif  // TIDEPOOL_GC_POLICY_H_
