// Planted faults, to prove that the protocol tests can fail.
//
// A mutant is a named place where a check of a protocol can be dropped:
//
//   if (!TIDEPOOL_MUTANT(qsbr_quiesce_early)) RereadSequence();
//
// In the `sched` build the macro is true when the environment variable
// TIDEPOOL_MUTANT holds that name; in every other build it is the constant
// false, and the branch is gone. `tests/mutants.txt` lists every mutant with the
// test that must fail under it, and `tools/test --mutants` runs them. The scheduler
// executes sequentially consistent interleavings, so a weakened memory order
// is no mutant for it (the Spin models in tests/models are for those): plant
// dropped checks, wrong orders of steps, lost wake-ups.
#ifndef TIDEPOOL_BASE_MUTANT_H_
#define TIDEPOOL_BASE_MUTANT_H_

#ifdef TIDEPOOL_SCHED

namespace tidepool::internal {
bool MutantActive(const char* name);
}  // namespace tidepool::internal

#define TIDEPOOL_MUTANT(name) (::tidepool::internal::MutantActive(#name))

#else

#define TIDEPOOL_MUTANT(name) false

#endif

#endif  // TIDEPOOL_BASE_MUTANT_H_
