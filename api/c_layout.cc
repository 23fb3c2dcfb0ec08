// The C API: the layout for code generators, checked against the structures it describes.

#include <cstddef>

#include "tidepool/api/internal/c_impl.h"
#include "tidepool/base/thread_id.h"
#include "tidepool/object/internal/state_access.h"
#include "tidepool/object/refcount.h"

namespace tidepool::c_api {
namespace {

// docs/codegen.md says these numbers; a change of one is a new layout_version.
constexpr uint32_t kLayoutVersion = 1;
static_assert(sizeof(ObjectHeader) == 32 && offsetof(ObjectHeader, tid) == 0 &&
              offsetof(ObjectHeader, flags) == 8 && offsetof(ObjectHeader, mutex) == 10 &&
              offsetof(ObjectHeader, gc_bits) == 11 && offsetof(ObjectHeader, local) == 12 &&
              offsetof(ObjectHeader, shared) == 16 && offsetof(ObjectHeader, type_) == 24);
static_assert(kImmortalLocal == 0xffffffff && kLocalLimit == 0xbfffffff &&
              kSpreadBase == 0xc0000000 && kRefShift == 2 && kRefOne == 4 && kRefStateMask == 3);
static_assert(kRefPlain == 0 && kRefMaybeWeakref == 1 && kRefQueued == 2 && kRefMerged == 3);
static_assert(kGcTracked == 1 && kGcFinalized == 2 && kGcDeferred == 32);
static_assert(kFlagEmbedderShift == 8 && kPreHeaderSize == 16 && kBreakEmbedder == 256);
static_assert(ThreadStateAccess::kBreakerOffset == 24);

void IncrefSlow(tp_object* object) { Incref(Object(object)); }
void DecrefSlow(tp_thread* thread, tp_object* object) {
  Decref(Thread(thread), Object(object));
}
void DecrefLocalZero(tp_thread* thread, tp_object* object) {
  internal::DecrefLocalZero(Thread(thread), Object(object));
}
void DecrefShared(tp_thread* thread, tp_object* object) {
  internal::DecrefShared(Thread(thread), Object(object));
}
void SafepointSlow(tp_thread* thread) { Thread(thread)->Safepoint(); }

tp_layout_info Describe() {
  tp_layout_info l = {};
  l.size = sizeof(l);
  l.layout_version = kLayoutVersion;
  l.header_size = sizeof(ObjectHeader);
  l.tid_offset = offsetof(ObjectHeader, tid);
  l.flags_offset = offsetof(ObjectHeader, flags);
  l.mutex_offset = offsetof(ObjectHeader, mutex);
  l.gc_bits_offset = offsetof(ObjectHeader, gc_bits);
  l.local_offset = offsetof(ObjectHeader, local);
  l.shared_offset = offsetof(ObjectHeader, shared);
  l.type_offset = offsetof(ObjectHeader, type_);
  l.pre_header_size = kPreHeaderSize;
  l.embedder_flags_shift = kFlagEmbedderShift;
  l.immortal_local = kImmortalLocal;
  l.special_local = kSpreadBase;
  l.local_limit = kLocalLimit;
  l.shared_shift = kRefShift;
  l.shared_one = kRefOne;
  l.state_mask = kRefStateMask;
  l.state_plain = kRefPlain;
  l.state_maybe_weakref = kRefMaybeWeakref;
  l.state_queued = kRefQueued;
  l.state_merged = kRefMerged;
  l.gc_tracked = kGcTracked;
  l.gc_finalized = kGcFinalized;
  l.gc_deferred = kGcDeferred;
  l.tag_mask = 1;
  l.breaker_offset = ThreadStateAccess::kBreakerOffset;
  l.breaker_embedder_bit = kBreakEmbedder;
#if defined(__x86_64__)
  l.tid_source = TP_TID_X86_64_FS0;
#elif defined(__aarch64__)
  l.tid_source = TP_TID_ARM64_TPIDR;
#endif
#if !defined(TIDEPOOL_DLOPEN)
  // Initial-exec: the same distance on every thread.
  l.has_current_offset = 1;
  l.current_offset = reinterpret_cast<int64_t>(&tidepool::internal::g_current_thread_state) -
                     static_cast<int64_t>(CurrentTid());
#endif
  l.incref_slow = &IncrefSlow;
  l.decref_slow = &DecrefSlow;
  l.decref_local_zero = &DecrefLocalZero;
  l.decref_shared = &DecrefShared;
  l.safepoint_slow = &SafepointSlow;
  return l;
}

}  // namespace
}  // namespace tidepool::c_api

const tp_layout_info* tp_layout(void) noexcept {
  static const tp_layout_info layout = tidepool::c_api::Describe();
  return &layout;
}
