// Who runs next: the strategies of the deterministic scheduler.
//
// A strategy sees decisions and answers with a thread; it knows nothing of
// pthreads. Given the same answers the program makes the same decisions, so a
// strategy that repeats its answers repeats the run.
#ifndef TIDEPOOL_BASE_INTERNAL_SCHED_STRATEGY_H_
#define TIDEPOOL_BASE_INTERNAL_SCHED_STRATEGY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tidepool/base/sched.h"

namespace tidepool::sched::internal {

// A small generator with a fixed definition, so that seeds keep their meaning.
class SplitMix {
 public:
  explicit SplitMix(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }
  uint64_t Below(uint64_t n) { return Next() % n; }
  uint64_t state() const { return state_; }

 private:
  uint64_t state_;
};

enum class PointKind : uint8_t {
  kPoint,    // the current thread could go on
  kYield,    // it could, but waits for another
  kBlocked,  // it cannot (parked, ended, or there is none yet)
};

struct SchedDecision {
  PointKind kind;
  int current;  // -1: none
  uint64_t step;
  // Threads that can run, ascending; the current one is among them at kPoint
  // and, when it is the only one, at kYield.
  const std::vector<int>& ready;
  // Threads that wait with a deadline, earliest first; choosing one lets its
  // deadline pass.
  const std::vector<int>& timed;
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  // False: there is nothing left to run.
  virtual bool BeginRun(uint64_t run) = 0;
  // One of decision.ready or decision.timed, which are not both empty.
  virtual int Choose(const SchedDecision& decision) = 0;
  virtual void EndRun(uint64_t steps) = 0;
  // A replay string shorter than the list of switches, or empty.
  virtual std::string ShortReplay() const { return ""; }
  // Everything has been run.
  virtual bool complete() const { return false; }
  // Runs that did not follow the path that was planned from the run before.
  virtual uint64_t diverged() const { return 0; }
};

std::unique_ptr<Strategy> MakeStrategy(const SchedOptions& options);

// Of random mode, for a replay string; `horizon` is the length it expects.
std::unique_ptr<Strategy> MakeRandomReplay(uint64_t seed, uint64_t run,
                                           uint64_t horizon);

}  // namespace tidepool::sched::internal

#endif  // TIDEPOOL_BASE_INTERNAL_SCHED_STRATEGY_H_
