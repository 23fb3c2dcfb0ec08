// Making, tracking and freeing objects.
//
// An object's life: NewObject (count 1, owned by the calling thread, body not
// cleared) -> the caller fills in the fields -> Track (gc types only, once all
// slots hold valid values) -> counted -> the last reference goes ->
// finalizer (once; may resurrect) -> untracked -> weakrefs cleared, their
// callbacks run, newest first -> type->dealloc drops the fields -> FreeObject.
// The order of the middle steps is that of CPython: a finalizer sees the object
// whole and its weakrefs working; fields go last ("owner before owned").
//
// Allocation never collects, runs nothing and returns null when there is no
// memory; raising MemoryError, or collecting at a safepoint and trying again,
// is the embedder's.
#ifndef TIDEPOOL_OBJECT_OBJECT_H_
#define TIDEPOOL_OBJECT_OBJECT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "absl/base/attributes.h"
#include "absl/base/optimization.h"
#include "tidepool/allocator/heap_kind.h"
#include "tidepool/allocator/thread_heap.h"
#include "tidepool/base/check.h"
#include "tidepool/object/header.h"
#include "tidepool/object/refcount.h"
#include "tidepool/object/thread_state.h"
#include "tidepool/object/type_info.h"

namespace tidepool {

inline HeapKind HeapKindOf(const TypeInfo* type) {
  if ((type->flags & kTypePreHeader) != 0) return HeapKind::kGcPre;
  return (type->flags & kTypeGc) != 0 ? HeapKind::kGc : HeapKind::kObject;
}

// The block of an object starts here.
inline char* BlockOf(ObjectHeader* obj, const TypeInfo* type) {
  return reinterpret_cast<char*>(obj) -
         ((type->flags & kTypePreHeader) != 0 ? kPreHeaderSize : 0);
}

namespace internal {
// Rule: tid and local relaxed, then the shared word with release, last. A
// stale reader's CAS that lands on the new object has then seen (acquire) all
// that happened before, so its re-check of the slot fails.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline void InitHeader(ObjectHeader* obj,
                                                    const TypeInfo* type,
                                                    uint64_t tid) {
  obj->type_.store(type, kRelaxed);
  obj->flags.store(0, kRelaxed);
  obj->gc_bits.store(0, kRelaxed);
  obj->tid.store(tid, kRelaxed);
  obj->local.store(1, kRelaxed);
  obj->shared.store(0, kRelease);  // pairs with TryIncref's CAS (S9, S4)
}
}  // namespace internal

// `size` includes the header (not the pre-header) and is at least
// sizeof(ObjectHeader). The two words of a pre-header are zero.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline ObjectHeader* NewObject(
    ThreadState* ts, const TypeInfo* type, size_t size) {
  TP_DCHECK(size >= sizeof(ObjectHeader));
  char* block;
  if (ABSL_PREDICT_FALSE((type->flags & kTypePreHeader) != 0)) {
    block = static_cast<char*>(
        ts->heap()->Allocate(HeapKind::kGcPre, size + kPreHeaderSize));
    if (ABSL_PREDICT_FALSE(block == nullptr)) return nullptr;
    std::memset(block, 0, kPreHeaderSize);
    block += kPreHeaderSize;
  } else {
    block = static_cast<char*>(ts->heap()->Allocate(
        (type->flags & kTypeGc) != 0 ? HeapKind::kGc : HeapKind::kObject,
        size));
    if (ABSL_PREDICT_FALSE(block == nullptr)) return nullptr;
  }
  ObjectHeader* obj = reinterpret_cast<ObjectHeader*>(block);
  internal::InitHeader(obj, type, ts->tid());
  return obj;
}

// With everything after the header zero.
inline ObjectHeader* NewObjectZeroed(ThreadState* ts, const TypeInfo* type,
                                     size_t size) {
  ObjectHeader* obj = NewObject(ts, type, size);
  if (ABSL_PREDICT_TRUE(obj != nullptr)) {
    std::memset(reinterpret_cast<char*>(obj) + sizeof(ObjectHeader), 0,
                size - sizeof(ObjectHeader));
  }
  return obj;
}

// The collector may visit the object from now on. gc types only; the caller
// holds a reference.
inline void Track(ObjectHeader* obj) {
  TP_DCHECK((obj->type()->flags & kTypeGc) != 0);
  // Relaxed: the collector reads the bits in a stop, which orders them.
  // An RMW, because others may set other bits.
  obj->gc_bits.fetch_or(kGcTracked, kRelaxed);
}
// As Track for an object that no other thread has seen yet.
inline void TrackNew(ObjectHeader* obj) {
  TP_DCHECK((obj->type()->flags & kTypeGc) != 0);
  obj->gc_bits.store(kGcTracked, kRelaxed);
}
inline void Untrack(ObjectHeader* obj) {
  obj->gc_bits.fetch_and(static_cast<uint8_t>(~(kGcTracked | kGcMarkBits)),
                         kRelaxed);
}
inline bool IsTracked(const ObjectHeader* obj) {
  return (obj->gc_bits.load(kRelaxed) & kGcTracked) != 0;
}

// True for the one caller that may run the finalizer.
inline bool MarkFinalized(ObjectHeader* obj) {
  // acq_rel: the winner is decided once, whoever runs it.
  return (obj->gc_bits.fetch_or(kGcFinalized, kAcqRel) & kGcFinalized) == 0;
}
inline bool IsFinalized(const ObjectHeader* obj) {
  return (obj->gc_bits.load(kRelaxed) & kGcFinalized) != 0;
}

// Gives the block back. The object is dead: called at the end of dealloc (also
// for an object under construction whose only reference the caller has, after
// AbandonNew).
void FreeObject(ThreadState* ts, ObjectHeader* obj);

// For constructors that fail half way: the caller's is the only reference and
// nothing in the body has to be dropped.
inline void AbandonNew(ThreadState* ts, ObjectHeader* obj) {
  TP_DCHECK(IsUniquelyReferenced(obj));
  obj->local.store(0, kRelaxed);
  FreeObject(ts, obj);
}

}  // namespace tidepool

#endif  // TIDEPOOL_OBJECT_OBJECT_H_
