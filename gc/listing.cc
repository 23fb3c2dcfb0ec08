// Lists of objects: all, referrers, referents; freezing; and the check of every header.
//
// A list is taken in a stop, with a reference to each object, and handed out when the
// world runs again. Left out: what is garbage of a pass that is under way (bit
// kGcUnreachable), what is dead or dying. The list lies in memory of the OS, as a stop may not
// wait for the heap.

#include <utility>

#include "absl/strings/str_cat.h"
#include "tidepool/base/mutant.h"
#include "tidepool/gc/collector.h"
#include "tidepool/gc/internal/block_state.h"
#include "tidepool/gc/internal/impl.h"
#include "tidepool/gc/internal/os_array.h"
#include "tidepool/gc/internal/tid_view.h"
#include "tidepool/object/object.h"
#include "tidepool/object/refcount.h"

namespace tidepool {
namespace {

using gc_internal::OsArray;

template <class Fn>
void ForEachBlock(HeapDomain& heap, uint32_t kinds, Fn fn) {
  heap.VisitPages(kinds, [&](const PageInfo& info) {
    char* header = info.first_block + info.header_offset;
    for (size_t i = 0; i < info.count; ++i, header += info.block_size) {
      fn(reinterpret_cast<ObjectHeader*>(header), info);
    }
  });
}

bool MayList(const ObjectHeader* h) {
  uint8_t asked = kGcTracked | kGcUnreachable | kGcDying;
  if (TIDEPOOL_MUTANT(gc_list_garbage)) asked &= ~kGcUnreachable;
  return (h->gc_bits.load(kRelaxed) & asked) == kGcTracked && !IsDeadHeader(h);
}

// Strong references, dropped or handed out at the end.
class StrongList {
 public:
  explicit StrongList(Os* os) : objects_(os) {}

  // In a stop.
  void Add(ObjectHeader* h) {
    if (failed_) return;
    if (!objects_.Push(h)) {
      failed_ = true;
      return;
    }
    Incref(h);
  }

  // World running.
  absl::Status HandOut(ThreadState* ts, Collector::ObjectVisitor visitor) {
    for (ObjectHeader* h : objects_) {
      if (failed_) {
        Decref(ts, h);
      } else {
        visitor(h);
      }
    }
    if (failed_) return absl::ResourceExhaustedError("no memory for a list of objects");
    return absl::OkStatus();
  }

 private:
  OsArray<ObjectHeader*> objects_;
  bool failed_ = false;
};

struct ReferrerSearch {
  absl::Span<ObjectHeader* const> targets;

  static int Visit(ObjectHeader* target, void* arg) {
    for (ObjectHeader* wanted : static_cast<ReferrerSearch*>(arg)->targets) {
      if (wanted == target) return 1;
    }
    return 0;
  }
};

}  // namespace

absl::Status Collector::GetObjects(ThreadState* ts, ObjectVisitor visitor) {
  StrongList list(impl_->isolate->os());
  {
    StopScope stop(ts);
    ForEachBlock(impl_->isolate->heap(), kGcKinds,
                 [&](ObjectHeader* h, const PageInfo&) {
                   if (MayList(h)) list.Add(h);
                 });
  }
  return list.HandOut(ts, visitor);
}

absl::Status Collector::GetReferrers(ThreadState* ts,
                                     absl::Span<ObjectHeader* const> targets,
                                     ObjectVisitor visitor) {
  StrongList list(impl_->isolate->os());
  ReferrerSearch search{targets};
  {
    StopScope stop(ts);
    ForEachBlock(impl_->isolate->heap(), kGcKinds,
                 [&](ObjectHeader* h, const PageInfo&) {
                   if (!MayList(h)) return;
                   const TypeInfo* type = h->type();
                   const bool refers =
                       (type->type_object != nullptr &&
                        ReferrerSearch::Visit(type->type_object, &search) != 0) ||
                       (type->traverse != nullptr &&
                        type->traverse(h, &ReferrerSearch::Visit, &search) != 0);
                   if (refers) list.Add(h);
                 });
  }
  return list.HandOut(ts, visitor);
}

absl::Status Collector::GetReferents(ThreadState* ts,
                                     absl::Span<ObjectHeader* const> objects,
                                     ObjectVisitor visitor) {
  StrongList list(impl_->isolate->os());
  {
    StopScope stop(ts);
    for (ObjectHeader* h : objects) {
      const TypeInfo* type = h->type();
      if (type->type_object != nullptr) list.Add(type->type_object);
      if (type->traverse == nullptr) continue;
      type->traverse(
          h,
          [](ObjectHeader* target, void* arg) {
            // What a live object refers to is alive, tracked or not.
            if ((target->gc_bits.load(kRelaxed) & kGcUnreachable) == 0) {
              static_cast<StrongList*>(arg)->Add(target);
            }
            return 0;
          },
          &list);
    }
  }
  return list.HandOut(ts, visitor);
}

void Collector::VisitObjects(ThreadState* ts,
                             absl::FunctionRef<void(const ObjectInfo&)> visit) {
  StopScope stop(ts);
  ForEachBlock(impl_->isolate->heap(), kGcKinds,
               [&](ObjectHeader* h, const PageInfo& info) {
                 const uint8_t bits = h->gc_bits.load(kRelaxed);
                 if ((bits & kGcTracked) == 0 || IsDeadHeader(h)) return;
                 visit(ObjectInfo{h, info.block_size, (bits & kGcFrozen) != 0,
                                  IsImmortal(h), (bits & kGcUnreachable) != 0});
               });
}

void Collector::Freeze(ThreadState* ts) {
  StopScope stop(ts);
  ForEachBlock(impl_->isolate->heap(), kGcKinds,
               [](ObjectHeader* h, const PageInfo&) {
                 if (MayList(h)) h->gc_bits.fetch_or(kGcFrozen, kRelaxed);
               });
}

void Collector::Unfreeze(ThreadState* ts) {
  StopScope stop(ts);
  ForEachBlock(impl_->isolate->heap(), kGcKinds,
               [](ObjectHeader* h, const PageInfo&) {
                 if ((h->gc_bits.load(kRelaxed) & kGcFrozen) != 0) {
                   // The marks are of a pass long ago.
                   h->gc_bits.fetch_and(
                       static_cast<uint8_t>(~(kGcFrozen | kGcMarkBits)), kRelaxed);
                 }
               });
}

uint64_t Collector::FreezeCount(ThreadState* ts) {
  uint64_t count = 0;
  StopScope stop(ts);
  ForEachBlock(impl_->isolate->heap(), kGcKinds,
               [&](ObjectHeader* h, const PageInfo&) {
                 if ((h->gc_bits.load(kRelaxed) & (kGcFrozen | kGcTracked)) ==
                         (kGcFrozen | kGcTracked) &&
                     !IsDeadHeader(h)) {
                   ++count;
                 }
               });
  return count;
}

uint64_t Collector::CheckInvariants(ThreadState* ts, std::string* why) {
  uint64_t faults = 0;
  auto fault = [&](const ObjectHeader* h, absl::string_view what, bool freed = false) {
    if (faults++ == 0 && why != nullptr) {
      // The type word of a free block holds a link, or a fill.
      const TypeInfo* type = freed ? nullptr : h->type();
      *why = absl::StrCat(what, ": object 0x", absl::Hex(reinterpret_cast<uintptr_t>(h)),
                          " type ", type != nullptr ? type->name : "?", " tid ",
                          h->tid.load(kRelaxed),
                          " local ", h->local.load(kRelaxed), " shared ",
                          h->shared.load(kRelaxed), " bits ",
                          int{h->gc_bits.load(kRelaxed)});
    }
  };
  const bool collecting = impl_->collecting.load(kRelaxed) != 0;
  StopScope stop(ts);
  impl_->isolate->spread().Fold(impl_->isolate);
  ForEachBlock(
      impl_->isolate->heap(), kGcKinds | KindBit(HeapKind::kObject),
      [&](ObjectHeader* h, const PageInfo& info) {
        if (IsDeadHeader(h)) return;
        if (HeapDomain::IsFreed(h)) {
          fault(h, "count of a freed object", /*freed=*/true);
          return;
        }
        const uint8_t bits = h->gc_bits.load(kRelaxed);
        const int64_t shared = h->shared.load(kRelaxed);
        const uint64_t tid = h->tid.load(kRelaxed);
        if ((tid == 0) != (RefState(shared) == kRefMerged)) fault(h, "C2");
        if (info.kind != HeapKind::kObject) {
          if ((bits & kGcTracked) == 0 && (bits & kGcMarkBits) != 0) {
            fault(h, "mark on an untracked object");
          }
          if ((bits & kGcUnreachable) != 0 && !collecting) fault(h, "garbage left behind");
          if ((h->type()->flags & kTypeGc) == 0 &&
                     (h->type()->flags & kTypePreHeader) == 0) {
            fault(h, "type is no gc type");
          }
        }
        if (IsImmortal(h)) return;
        if (RefState(shared) == kRefMerged && gc_internal::LocalCount(h) != 0) {
          fault(h, "merged with a local count");
        }
        if (gc_internal::TotalCount(h) < 0 ||
            (gc_internal::TotalCount(h) == 0 && (bits & kGcDeferred) == 0 &&
             RefState(shared) != kRefQueued)) {
          fault(h, "count");
        }
      });
  return faults;
}

}  // namespace tidepool
