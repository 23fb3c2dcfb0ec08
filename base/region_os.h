// An Os whose memory is the embedder's: given regions, or callbacks.
//
// For a heap domain that must not ask the OS for memory: one that lives in a pinned,
// shared, NUMA-bound or device range, in a guest's linear memory, or in a static array.
// Time, threads and random bytes still come from another Os.
//
//   static char memory[8 << 20];
//   RegionOs os;
//   os.Add(memory, sizeof(memory));
//   auto domain = HeapDomain::Create(options, &os);
//   ...                                     // refusals come out as null
//   domain->ReleaseArenas();                // gives empty arenas back to os
//   os.Withdraw(other_region);              // true: nothing of it is in use any more
//
// RegionOs manages regions that it is given. Nothing outside them is used: its tables
// stand at the front of each region (two bits an OS page). The first region is home: a
// sixteenth of it (at least 256 KiB) is kept for small reservations (tables and records
// of the domain, which live as long as the domain), so that others hold blocks only
// and can be withdrawn one by one. CallbackOs leaves managing to the embedder.
//
// What is not from the source: the page map (8 bytes per 64 KiB of address space, of
// the whole process; base is a static array, more comes from the OS), and two small C++
// objects per domain from operator new.
#ifndef TIDEPOOL_BASE_REGION_OS_H_
#define TIDEPOOL_BASE_REGION_OS_H_

#include <cstddef>
#include <cstdint>

#include "absl/base/thread_annotations.h"
#include "tidepool/base/mutex.h"
#include "tidepool/base/os.h"

namespace tidepool {

// What both forward to another Os.
class EmbedderOs : public Os {
 public:
  EmbedderOs(size_t page_size, Os* inner)
      : page_size_(page_size != 0 ? page_size : inner->PageSize()),
        inner_(inner) {}
  size_t PageSize() override { return page_size_; }
  size_t HugePageSize() override { return 0; }
  int NumCpus() override { return inner_->NumCpus(); }
  // The caller copies, or does without.
  void* Remap(void*, size_t, size_t) override { return nullptr; }
  bool MovePages(void*, void*, size_t) override { return false; }
  bool Populate(void*, size_t) override { return false; }
  void AdviseHuge(void*, size_t) override {}
  void AdviseNoHuge(void*, size_t) override {}
  uint64_t NowNs() override { return inner_->NowNs(); }
  uint64_t CpuNs() override { return inner_->CpuNs(); }
  uint64_t ThreadCpuNs() override { return inner_->ThreadCpuNs(); }
  void SleepNs(uint64_t ns) override { inner_->SleepNs(ns); }
  size_t Rss() override { return inner_->Rss(); }
  uint64_t PageFaults() override { return inner_->PageFaults(); }
  bool RandomBytes(void* out, size_t size) override {
    return inner_->RandomBytes(out, size);
  }
  bool StartThread(void* (*entry)(void*), void* arg, size_t stack_size,
                   uint64_t* handle) override {
    return inner_->StartThread(entry, arg, stack_size, handle);
  }
  void JoinThread(uint64_t handle) override { inner_->JoinThread(handle); }
  void DetachThread(uint64_t handle) override { inner_->DetachThread(handle); }

 private:
  const size_t page_size_;
  Os* const inner_;
};

// How a region's memory is backed. Every function may be null.
struct RegionHooks {
  void* arg = nullptr;
  // Before pages are used, and when they are not needed any more. Null: the region
  // can be used as it is.
  bool (*commit)(void* arg, void* address, size_t size) = nullptr;
  bool (*decommit)(void* arg, void* address, size_t size) = nullptr;
  // As Os::Purge. Null: memory cannot be given back, and nobody tries.
  PurgeResult (*purge)(void* arg, void* address, size_t size) = nullptr;
  // The region reads as zeros at the start; else pages are cleared at their first use.
  bool zeroed = false;
};

class RegionOs final : public EmbedderOs {
 public:
  // `page_size` 0: that of `inner`.
  explicit RegionOs(size_t page_size = 0, Os* inner = RealOs());

  // From now on memory may come from [start, start + size); it is the embedder's again
  // after Withdraw, or when this object is gone. Any thread. False: too small (less than
  // four OS pages), or its first pages could not be committed. `size` and `start` are
  // rounded inwards to OS pages.
  bool Add(void* start, size_t size, const RegionHooks& hooks = {});
  // Takes a region back: true if nothing in it was in use; nothing of it will be used
  // again. Any thread. `start` as given to Add.
  bool Withdraw(void* start);
  // Bytes in use of all regions, their tables included.
  size_t UsedBytes() const;

  size_t MemoryTotal() override;
  size_t LargestReserve() override;
  bool CanPurge() override;
  void* Reserve(size_t size, size_t alignment) override;
  bool Release(void* address, size_t size) override;
  bool Commit(void* address, size_t size) override;
  bool Decommit(void* address, size_t size) override;
  PurgeResult Purge(void* address, size_t size) override;

 private:
  struct Region {
    Region* next;
    void* given;
    char* start;  // of page 0, where this record stands
    size_t pages;
    size_t tables;     // pages at the front taken by this record and the bits
    size_t used;       // pages reserved, without the tables
    size_t small_from; // pages from here on are for small reservations
    RegionHooks hooks;
    uint64_t* used_bits;
    uint64_t* committed_bits;  // of used pages; touched is remembered apart
    uint64_t* touched_bits;    // was committed at some time: not zero any more
  };

  Region* Find(const void* address) ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_);
  void* ReserveIn(Region* region, size_t from, size_t to, size_t pages,
                  size_t alignment) ABSL_EXCLUSIVE_LOCKS_REQUIRED(lock_);

  mutable Mutex lock_{0};
  Region* regions_ ABSL_GUARDED_BY(lock_) = nullptr;  // home first
};

// Each call goes to the embedder. The functions' contracts are those of Os; all but
// `reserve` and `release` may be null: memory is then usable once reserved and zero,
// and cannot be purged.
struct PageSource {
  void* arg = nullptr;
  void* (*reserve)(void* arg, size_t size, size_t alignment) = nullptr;
  bool (*release)(void* arg, void* address, size_t size) = nullptr;
  bool (*commit)(void* arg, void* address, size_t size) = nullptr;
  bool (*decommit)(void* arg, void* address, size_t size) = nullptr;
  PurgeResult (*purge)(void* arg, void* address, size_t size) = nullptr;
  // The largest size that `reserve` may be asked for now. Null: any; a refusal is
  // answered by asking for less.
  size_t (*largest)(void* arg) = nullptr;
};

class CallbackOs final : public EmbedderOs {
 public:
  explicit CallbackOs(const PageSource& source, size_t page_size = 0,
                      Os* inner = RealOs())
      : EmbedderOs(page_size, inner), source_(source) {}

  size_t LargestReserve() override {
    return source_.largest != nullptr ? source_.largest(source_.arg) : SIZE_MAX;
  }
  bool CanPurge() override { return source_.purge != nullptr; }
  void* Reserve(size_t size, size_t alignment) override {
    if (size > LargestReserve()) return nullptr;
    return source_.reserve(source_.arg, size, alignment);
  }
  bool Release(void* address, size_t size) override {
    return source_.release(source_.arg, address, size);
  }
  bool Commit(void* address, size_t size) override {
    return source_.commit == nullptr ||
           source_.commit(source_.arg, address, size);
  }
  bool Decommit(void* address, size_t size) override {
    return source_.decommit != nullptr &&
           source_.decommit(source_.arg, address, size);
  }
  PurgeResult Purge(void* address, size_t size) override {
    return source_.purge != nullptr ? source_.purge(source_.arg, address, size)
                                    : PurgeResult::kKept;
  }

 private:
  const PageSource source_;
};

}  // namespace tidepool

#endif  // TIDEPOOL_BASE_REGION_OS_H_
