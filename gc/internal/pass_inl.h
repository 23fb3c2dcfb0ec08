// How a Pass deals work out to its markers: for pass.cc, trial.cc and slices.cc.

#ifndef TIDEPOOL_GC_INTERNAL_PASS_INL_H_
#define TIDEPOOL_GC_INTERNAL_PASS_INL_H_

#include "tidepool/gc/internal/pass.h"

namespace tidepool {
namespace gc_internal {

template <class Fn>
Pass::Totals Pass::OnMarkers(Fn fn) {
  struct Job {
    Fn* fn;
    Totals totals[kMaxMarkers];
  } job;
  job.fn = &fn;
  next_page_.store(0, kRelaxed);  // Run orders it
  memory_.helpers.Run(
      markers_ - 1,
      [](void* arg, int index) {
        Totals mine;
        auto* j = static_cast<Job*>(arg);
        (*j->fn)(mine, index);
        j->totals[index] = mine;
      },
      &job);
  Totals sum = job.totals[0];
  for (int i = 1; i < markers_; ++i) {
    const Totals& t = job.totals[i];
    sum.tracked += t.tracked;
    sum.frozen += t.frozen;
    sum.marked += t.marked;
    sum.candidates += t.candidates;
    sum.deferred += t.deferred;
    sum.garbage += t.garbage;
    sum.overflows += t.overflows;
  }
  return sum;
}

template <class Fn>
void Pass::DealPages(Fn fn) {
#ifdef TIDEPOOL_SCHED
  constexpr uint32_t kBatch = 1;  // heaps are small there
#else
  constexpr uint32_t kBatch = 4;
#endif
  const uint32_t n = static_cast<uint32_t>(memory_.pages.size());
  for (;;) {
    // Relaxed: every number is given out once, which is all it has to do.
    const uint32_t first = next_page_.fetch_add(kBatch, kRelaxed);
    for (uint32_t i = first; i < first + kBatch; ++i) {
      if (i >= n) return;
      fn(memory_.pages[i]);
    }
  }
}

template <class Fn>
void Pass::ForEachUnreachable(PageEntry& page, Fn fn) {
  uint32_t left = page.objects;
  for (uint32_t i = page.lo; left != 0; ++i) {
    ObjectHeader* h = page.block(i);
    if ((h->gc_bits.load(kRelaxed) & kGcUnreachable) == 0) continue;
    --left;
    fn(h);
  }
}

}  // namespace gc_internal
}  // namespace tidepool

#endif  // TIDEPOOL_GC_INTERNAL_PASS_INL_H_
