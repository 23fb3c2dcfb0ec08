// What a block slot of a page holds, told from the header words that stay valid in dead
// blocks (tid, flags, gc bits, local, shared). In a stop.

#ifndef TIDEPOOL_GC_INTERNAL_BLOCK_STATE_H_
#define TIDEPOOL_GC_INTERNAL_BLOCK_STATE_H_

#include "tidepool/object/header.h"
#include "tidepool/object/refcount.h"

namespace tidepool {
namespace gc_internal {

// A thread asked for immortality and the owner has not granted it yet.
inline bool WantsImmortality(const ObjectHeader* h) {
  return (h->flags.load(kRelaxed) & kFlagImmortalWanted) != 0;
}

// Dead, but its memory is still an object: on a list of the dead, or its dealloc is
// under way (and may sit in a safepoint).
inline bool IsDying(const ObjectHeader* h) {
  return IsDeadHeader(h) &&
         ((h->gc_bits.load(kRelaxed) & (kGcTracked | kGcDying)) != 0 ||
          (h->flags.load(kRelaxed) & kFlagRetrack) != 0);
}

// The type word is a type, and not a free-list link or zero.
inline bool HasType(const ObjectHeader* h) {
  return !IsDeadHeader(h) || IsDying(h);
}

}  // namespace gc_internal
}  // namespace tidepool

#endif  // TIDEPOOL_GC_INTERNAL_BLOCK_STATE_H_
