// For tests of stops: threads that come and go, and a stopper who sees that none starves.
//
// The rule (T7 of thread_state.h): a thread that waits when the world starts is attached by
// that start, so the next stop has to wait for it. So who waited in Attach in one stop is
// through by the next, however close they are, and whatever the machine does meanwhile.
#ifndef TIDEPOOL_OBJECT_INTERNAL_SEATS_H_
#define TIDEPOOL_OBJECT_INTERNAL_SEATS_H_

#include <cstdint>

#include "tidepool/base/atomic.h"
#include "tidepool/object/internal/state_access.h"
#include "tidepool/object/isolate.h"
#include "tidepool/object/thread_state.h"

namespace tidepool::testing {

// What a thread has got done, for whoever stops the world.
struct Seat {
  // Relaxed, both: read in stops, which order what an attached thread stored.
  Atomic<uint64_t> attached{0};
  Atomic<uint8_t> in_attach{0};
  uint64_t seen = 0;    // the stopper's
  bool waited = false;  // the stopper's
};

inline void ComeAndGo(ThreadState* ts, Seat* seat, int times) {
  ts->embedder_data = seat;  // others look at it in stops only
  for (int i = 0; i < times; ++i) {
    ts->Detach();
    seat->in_attach.store(1, kRelaxed);
    ts->Attach();
    seat->in_attach.store(0, kRelaxed);
    seat->attached.fetch_add(1, kRelaxed);
    ts->Safepoint();
  }
  ts->embedder_data = nullptr;
}

// In a stop: false if a thread that waited to attach in the stop before still does.
inline bool NobodyStarves(Isolate* isolate) {
  bool ok = true;
  isolate->ForEachThread([&](ThreadState* ts) {
    auto* seat = static_cast<Seat*>(ts->embedder_data);
    if (seat == nullptr) return;
    const uint64_t attached = seat->attached.load(kRelaxed);
    ok = ok && (!seat->waited || attached > seat->seen);
    seat->seen = attached;
    seat->waited =
        seat->in_attach.load(kRelaxed) != 0 && ThreadStateAccess::IsWaiting(ts);
  });
  return ok;
}

}  // namespace tidepool::testing

#endif  // TIDEPOOL_OBJECT_INTERNAL_SEATS_H_
