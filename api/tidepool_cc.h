// Everything that a C++ embedder includes: the Vm, scopes, typed references, and under
// them the object layer and the collector for those who want them bare.
//
// Start with examples/embed_minimal/.

#ifndef TIDEPOOL_API_TIDEPOOL_CC_H_
#define TIDEPOOL_API_TIDEPOOL_CC_H_

#if __cplusplus < 202002L
#error "the C++ API needs C++20: -std=c++20, or pkg-config's tidepool-cc"
#endif

#include "tidepool/api/local.h"
#include "tidepool/api/object_of.h"
#include "tidepool/api/ref.h"
#include "tidepool/api/vm.h"
#include "tidepool/allocator/options.h"
#include "tidepool/gc/collector.h"
#include "tidepool/gc/policy.h"
#include "tidepool/object/isolate.h"
#include "tidepool/object/object.h"
#include "tidepool/object/object_mutex.h"
#include "tidepool/object/refcount.h"
#include "tidepool/object/thread_state.h"
#include "tidepool/object/weakref.h"

#endif  // TIDEPOOL_API_TIDEPOOL_CC_H_
