// See invariants.h.
#include "tidepool/object/invariants.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tidepool/base/check.h"
#include "tidepool/object/header.h"
#include "tidepool/object/isolate.h"
#include "tidepool/object/refcount.h"
#include "tidepool/object/thread_state.h"

namespace tidepool {
namespace {

void Require(bool ok, const char* rule, const ObjectHeader* obj) {
  if (ok) return;
  // The type word of a free block holds a link, or a fill.
  const TypeInfo* type = HeapDomain::IsFreed(obj) ? nullptr : obj->type();
  Fatal("header of %p (%s) breaks %s: tid %#llx local %u shared %lld|%lld "
        "gc bits %#x",
        static_cast<const void*>(obj), type != nullptr ? type->name : "?", rule,
        static_cast<unsigned long long>(obj->tid.load(kRelaxed)),
        obj->local.load(kRelaxed),
        static_cast<long long>(RefSharedCount(obj->shared.load(kRelaxed))),
        static_cast<long long>(RefState(obj->shared.load(kRelaxed))),
        obj->gc_bits.load(kRelaxed));
}

// What a block's page and the threads say of its owner.
struct Owners {
  std::vector<uint64_t> threads;
  const PageInfo* page = nullptr;

  bool Knows(uint64_t tid) const {
    return tid == page->owner_tid || page->owner_changed ||
           std::find(threads.begin(), threads.end(), tid) != threads.end();
  }
};

// All loads relaxed: the stop orders them.
void CheckOne(const ObjectHeader* obj, const Owners& owners, HeaderCensus* census) {
  const int64_t shared = obj->shared.load(kRelaxed);
  const uint64_t tid = obj->tid.load(kRelaxed);
  const uint32_t local = obj->local.load(kRelaxed);
  const uint8_t bits = obj->gc_bits.load(kRelaxed);
  if (IsDeadHeader(obj)) {
    Require((bits & kGcTracked) == 0, "H4 (dead and tracked)", obj);
    if ((bits & kGcDying) != 0) ++census->dying;
    return;
  }
  ++census->live;
  const bool merged = RefState(shared) == kRefMerged;
  Require((tid == 0) == merged, "H1 (no owner if and only if merged)", obj);
  Require((bits & kGcDying) == 0, "H4 (dying with references)", obj);
  if (tid != 0) Require(owners.Knows(tid), "H6 (nobody's id)", obj);
  if ((bits & kGcTracked) != 0) ++census->tracked;
  if (local == kImmortalLocal) {
    ++census->immortal;
    Require(merged, "H2 (immortal and not merged)", obj);
    return;
  }
  if (merged) {
    ++census->merged;
    Require(local == 0 || IsSpreadLocal(local), "H2 (merged with a local count)", obj);
  }
  if (RefState(shared) == kRefQueued) ++census->queued;
  if ((bits & kGcDeferred) != 0) ++census->deferred;
  if (IsSpreadLocal(local)) {
    ++census->spread;
    Require(merged && (bits & kGcDeferred) != 0, "D1 (spread)", obj);
    return;  // what the threads count is in their tables
  }
  const int64_t bias = (bits & kGcDeferred) != 0 ? kDeferredBias : 0;
  // A deferred object may be at 0: only the collector frees it.
  Require(int64_t{local} + RefSharedCount(shared) - bias >= (bias != 0 ? 0 : 1),
          "H3 (count)", obj);
  Require(int64_t{local} + RefSharedCount(shared) - bias < kDeferredBias / 2,
          "H3 (bias without the bit)", obj);
}

}  // namespace

HeaderCensus CheckHeaders(Isolate* isolate, ThreadState* self) {
  TP_CHECK(isolate->StoppedBy(self));
  HeaderCensus census;
  Owners owners;
  isolate->ForEachThread([&](ThreadState* ts) { owners.threads.push_back(ts->tid()); });
  const uint32_t kinds = 1u << static_cast<uint32_t>(HeapKind::kObject) |
                         1u << static_cast<uint32_t>(HeapKind::kGc) |
                         1u << static_cast<uint32_t>(HeapKind::kGcPre);
  isolate->heap().VisitPages(kinds, [&](const PageInfo& page) {
    owners.page = &page;
    const char* block = page.first_block + page.header_offset;
    for (size_t i = 0; i < page.count; ++i, block += page.block_size) {
      CheckOne(reinterpret_cast<const ObjectHeader*>(block), owners, &census);
    }
  });
  return census;
}

HeaderCensus CountObjects(ThreadState* self) {
  StopScope stop(self);
  return CheckHeaders(self->isolate(), self);
}

}  // namespace tidepool
