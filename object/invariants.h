// The invariants of header.h, walked over every block of an isolate.
//
// CheckHeaders runs in a stop, with no tid word borrowed, and ends the process
// with the type's name if one is broken; tests and debug builds call it. It is
// also a census for leak checks: exact, for the world stands still.
//
// Isolate::SetStopChecks(n) makes every n-th StartTheWorld call it (the
// collector has restored all headers by then).
#ifndef TIDEPOOL_OBJECT_INVARIANTS_H_
#define TIDEPOOL_OBJECT_INVARIANTS_H_

#include <cstddef>

namespace tidepool {

class Isolate;
class ThreadState;

struct HeaderCensus {
  size_t live = 0;      // counted or immortal
  size_t immortal = 0;  // of these
  size_t merged = 0;
  size_t queued = 0;
  size_t deferred = 0;
  size_t spread = 0;    // of them
  size_t tracked = 0;
  size_t dying = 0;     // dead, listed or in dealloc
};

// `self` has stopped the world.
HeaderCensus CheckHeaders(Isolate* isolate, ThreadState* self);

// Stops the world for it.
HeaderCensus CountObjects(ThreadState* self);

}  // namespace tidepool

#endif  // TIDEPOOL_OBJECT_INVARIANTS_H_
