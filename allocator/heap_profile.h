// The heap profile as a file for pprof: who holds the memory, by stack and by type.
//
//   domain.StartHeapProfile(512 << 10);       // or the option heap_profile_interval
//   ...
//   std::string file = HeapProfile(domain, name_of);   // go tool pprof FILE
//
// The format is pprof's profile.proto, gzipped (stored, not compressed: a profile has some
// thousand lines at most). Each sample is a stack, the embedder's frames first and the
// native ones under them, with two values, inuse_objects and inuse_space, scaled to what
// the sampled blocks stand for. Labels: `kind` (the heap's), `type` where `type_name`
// gave one, `bytes` (the block's size). Native functions carry the names the dynamic
// linker knows; pprof finds the others in the program's file, whose mappings are given.
//
// How right it is: a site's figure comes from about its live bytes / interval samples,
// and has a relative error of one over the root of that: 10 % at a hundred samples.
#ifndef TIDEPOOL_ALLOCATOR_HEAP_PROFILE_H_
#define TIDEPOOL_ALLOCATOR_HEAP_PROFILE_H_

#include <string>

#include "absl/functional/function_ref.h"
#include "tidepool/allocator/heap_domain.h"

namespace tidepool {

// `type_name` is asked for the type of a live block; "" is none. The caller sees to it
// that blocks do not die meanwhile if `type_name` looks at them (a stop of the world).
std::string HeapProfile(const HeapDomain& domain,
                        absl::FunctionRef<std::string(const HeapSample&)> type_name);

}  // namespace tidepool

#endif  // TIDEPOOL_ALLOCATOR_HEAP_PROFILE_H_
