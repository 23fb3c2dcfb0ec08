// The collector of an isolate: finds garbage that counting cannot, while all threads
// stand still, and gives it back.
//
// Words.
//   tracked     the collector sees the object (gc bit kGcTracked).
//   frozen      tracked, but taken out of collections by Freeze().
//   candidate   tracked, not frozen, not reached from the roots: under trial.
//   garbage     a candidate that nothing outside the candidates keeps alive.
//   borrowed    a header word (the owner id) that holds a count or a link for a while.
//
// One pass.
//   1 Stop the world, merge every queued count.
//   2 Mark what the roots reach. This is only a filter: trial deletion is right for any
//     subset of objects, as what a non-candidate refers to counts as alive. So a root
//     that nobody reports costs time and never an object. (References that are not
//     counted are the exception: a deferred object on a stack must be reported, and the
//     edge from an instance to its class is followed here.)
//   3 Of what is not marked: put the count in the owner word, subtract the references
//     that candidates hold on each other, mark what still has a count and all it reaches.
//   4 What is left is garbage. What is not this thread's is merged, so that it may be freed
//     here, and each object gets one reference of the collector's, which keeps it till step 8.
//     Its weakrefs are cleared, those with and those without a callback.
//   5 Owner words are restored: merged -> 0; else the id of the page's owner; a page
//     without an owner -> merge. The same for every object on a page whose owner changed
//     since the last stop. All limbo is drained. Start the world.
//   6 Drop what the merge found dead. Run the callbacks of weakrefs that are not garbage
//     themselves, then finalizers, once an object, each seeing its peers whole.
//   7 If any code ran: stop again, and count again within the garbage. What has a
//     reference from outside, and all that it reaches, survives. The weakrefs that
//     finalizers made to the rest are cleared without a call.
//   8 Start the world; clear the rest and drop it, classes after their instances.
//
// C1  No borrowed word survives a restart of the world, on any path.
// C2  Owner id 0 if and only if merged, at every stop (walked in debug builds).
// C3  Finalizers, callbacks, listeners and deallocation run with the world running.
// C4  An object is garbage only while the collector holds a reference to it; the gc bit
//     kGcUnreachable says so, and listings leave such objects out.
// C5  A frozen or immortal object, and one that is being deallocated, is never a
//     candidate: its header is not written, and its references count as from outside.
//
// Memory. A pass needs a table of pages with garbage or candidates (56 bytes per 64 KiB
// page) straight from the OS, kept between passes; without it the pass is undone and says
// so. The mark stack grows in the same way, and where it cannot, objects are chained
// through their owner word, so that marking always finishes.
//
// Cost. Reading one byte per block slot of gc pages, a few ns; marking some 20 ns an
// object with the prefetch queue; a candidate some 30 ns.
//
// Rejected: generations (a write barrier on every store of a reference, or a second
// count); a list of all objects (two words an object, and a lock); a work list through the
// owner word across a restart of the world (a listing on another thread borrows the same).

#ifndef TIDEPOOL_GC_COLLECTOR_H_
#define TIDEPOOL_GC_COLLECTOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "tidepool/gc/collect_stats.h"
#include "tidepool/gc/policy.h"

namespace tidepool {

class Isolate;
class ThreadState;
struct ObjectHeader;

// Debug flags, with CPython's values.
enum GcDebug : uint32_t {
  kGcDebugStats = 1,          // lines on stderr when a collection starts and ends
  kGcDebugCollectable = 2,    // a line on stderr for each piece of garbage
  kGcDebugUncollectable = 4,  // accepted; nothing is uncollectable
  kGcDebugSaveAll = 32,       // garbage goes to the garbage visitor
};

// Hears of collections: called by the collecting thread with the world running, and may
// run any code. A listener is not called for a collection that was declined.
class CollectionListener {
 public:
  virtual ~CollectionListener() = default;
  virtual void OnCollectionStart(ThreadState* ts, const CollectStats& info) = 0;
  virtual void OnCollectionStop(ThreadState* ts, const CollectStats& info) = 0;
};

class Collector {
 public:
  // `policy` as for MakePolicy. One collector per isolate, destroyed before it; it
  // registers itself with the isolate's safepoints.
  static absl::StatusOr<std::unique_ptr<Collector>> Create(
      Isolate* isolate, absl::string_view policy = "");
  ~Collector();
  Collector(const Collector&) = delete;
  Collector& operator=(const Collector&) = delete;

  // A full pass on the calling, attached thread, at what is a safepoint for it.
  // `generation` (0..2) only says where it is counted. If a collection is running
  // already, on any thread, returns at once with ran = false; an automatic one that is
  // between two of its slices is given up, and this one does its work.
  CollectStats Collect(ThreadState* ts, int generation = 2,
                       const char* reason = "requested");

  // Asks for a collection at the next safepoint of `ts` that the policy agrees to, or
  // (force) whatever the policy says. For allocation paths; never collects itself. A
  // thread that is not attached passes null: some thread's next safepoint it is.
  void RequestCollection(ThreadState* ts, bool force = false);

  // Memory outside the heap that objects hold: `bytes` more of it (less, if negative) counts
  // as live bytes from now on, and growth of it asks the policy as allocation does. Any
  // thread; a few ns. The sum never falls below zero.
  void AddExternalBytes(int64_t bytes);
  uint64_t external_bytes() const;

  // Another policy from now on; `spec` as for MakePolicy. It is asked soon. InvalidArgument:
  // no such policy (the old one goes on); FailedPrecondition: called by a policy. `ts` is
  // attached; waits, detached, while another thread is inside the policy.
  absl::Status SetPolicy(ThreadState* ts, absl::string_view spec);
  // The name that the policy gives itself.
  std::string policy_name() const;
  // What policies did wrong so far; see policy.h.
  PolicyFaults policy_faults() const;

  // Writes every question to the policy with its answer, and every collection, to a file of
  // JSON lines (docs/gc_log.md) until the collector goes. `every` != 0: also a sample of the
  // heap's figures each time that many bytes were allocated (64 KiB at least), whatever the
  // policy wants; tools/policy_lab needs them. InvalidArgument: the file cannot be written;
  // FailedPrecondition: there is a log already. `ts` is attached.
  absl::Status OpenLog(ThreadState* ts, const char* path, uint64_t every = 0);

  // Automatic collections. Explicit ones always run.
  void Enable();
  void Disable();
  bool enabled() const;
  // From the start of a collection to its end, with the time between its slices.
  bool collecting() const;

  // Collections on a thread of the embedder's own. Finalizers and weakref callbacks of
  // cyclic garbage run on the thread that collects: by default whichever mutator used up
  // the budget, at its safepoint, where it may hold a lock that a finalizer wants. While a
  // thread serves, automatic collections and forced requests run there instead, one after
  // the other. Collect() still runs on its caller.
  //
  // Serves until StopServing, detached while there is nothing to do. One thread at a time.
  void ServeCollections(ThreadState* ts);
  void StopServing();  // any thread
  bool serving() const;
  // A collection that begins after the call, with its finalizers, is over on return: waits
  // detached for the serving thread; collects itself if there is none. At once if called by
  // the thread that collects (from a finalizer).
  void DrainFinalizers(ThreadState* ts);

  // Around fork(), attached: waits, detached, until no collection is running on another
  // thread; none starts until AfterFork, in the parent and in the child.
  void PrepareFork(ThreadState* ts);
  void AfterFork(ThreadState* ts);

  // CPython's three thresholds. threshold 0 = 0 switches automatic collections off
  // under every policy. Setting one makes the live-bytes policy look at counts too.
  void SetThresholds(uint64_t t0, uint64_t t1, uint64_t t2);
  void GetThresholds(uint64_t out[3]) const;
  // Net new traversable objects since the last pass; collections since the last full
  // one; 0.
  void GetCounts(uint64_t out[3]);
  GenerationStats GetGenerationStats(int generation) const;
  CollectStats LastStats() const;
  // Every stop of every collection so far, and what its phases took of it.
  PauseRecord Pauses() const;
  std::string StatsJson() const;

  void SetDebug(uint32_t flags);
  uint32_t debug() const;
  // Gets each garbage object, as a new reference, under kGcDebugSaveAll.
  using GarbageVisitor = void (*)(ThreadState* ts, ObjectHeader* obj, void* arg);
  void SetGarbageVisitor(GarbageVisitor visitor, void* arg);

  // At most kMaxListeners; false if full. Removing waits, detached, for a call that
  // another thread is making.
  static constexpr int kMaxListeners = 8;
  bool AddListener(CollectionListener* listener);
  void RemoveListener(ThreadState* ts, CollectionListener* listener);

  // Lists. Each stops the world, takes strong references, starts it, and then hands
  // them out one by one: the visitor owns the reference that it gets. Objects that are
  // garbage or being deallocated are left out. ResourceExhausted: nothing was visited.
  using ObjectVisitor = absl::FunctionRef<void(ObjectHeader* strong)>;
  absl::Status GetObjects(ThreadState* ts, ObjectVisitor visitor);
  absl::Status GetReferrers(ThreadState* ts,
                            absl::Span<ObjectHeader* const> targets,
                            ObjectVisitor visitor);
  absl::Status GetReferents(ThreadState* ts,
                            absl::Span<ObjectHeader* const> objects,
                            ObjectVisitor visitor);
  // As GetObjects, in the stop and without references: `visit` must only look.
  struct ObjectInfo {
    ObjectHeader* object;
    size_t block_size;
    bool frozen;
    bool immortal;
    bool unreachable;
  };
  void VisitObjects(ThreadState* ts,
                    absl::FunctionRef<void(const ObjectInfo&)> visit);

  // Takes everything tracked now out of later collections, garbage included.
  void Freeze(ThreadState* ts);
  void Unfreeze(ThreadState* ts);
  uint64_t FreezeCount(ThreadState* ts);

  static bool IsTracked(const ObjectHeader* obj);
  static bool IsFinalized(const ObjectHeader* obj);

  // Walks every live object in a stop and checks C2, the gc bits and the counts against
  // each other. Returns the number of faults; the first is described in `why`.
  uint64_t CheckInvariants(ThreadState* ts, std::string* why = nullptr);

  Isolate* isolate();

 private:
  class Impl;
  explicit Collector(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tidepool

#endif  // TIDEPOOL_GC_COLLECTOR_H_
