// An Os for tests: counts calls, makes chosen ones fail, and can pretend.
//
//   FakeOs os(RealOs());
//   os.FailNth(3, FakeOs::kCommit);          // the third Commit from now fails
//   os.FailFrom(1, FakeOs::kMemory);         // every memory call from now on
//   ... run ...
//   EXPECT_TRUE(os.failed());
//
// "Fail the n-th call, for every n" is a loop around FailNth(n, kFailable)
// until failed() stays false.
//
// It also tells a test what the code under test does with memory: bytes
// reserved, and errors in use (releasing what was not reserved). It can claim a
// larger OS page (16 or 64 KiB: a multiple of the real one), answer purges with
// another result, and keep a clock that only moves when told.
//
// Thread-safe.
#ifndef TIDEPOOL_BASE_FAKE_OS_H_
#define TIDEPOOL_BASE_FAKE_OS_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/base/atomic.h"
#include "tidepool/base/os.h"

namespace tidepool {

class FakeOs final : public Os {
 public:
  // Kinds of calls, as a mask.
  enum Call : uint32_t {
    kReserve = 1 << 0,
    kRelease = 1 << 1,
    kCommit = 1 << 2,
    kDecommit = 1 << 3,
    kPurge = 1 << 4,
    kRemap = 1 << 5,
    kMovePages = 1 << 6,
    kPopulate = 1 << 7,
    kStartThread = 1 << 8,
    kRandom = 1 << 9,
    // Those through which memory is had.
    kMemory = kReserve | kCommit | kRemap,
    // All that can fail.
    kFailable = (1 << 10) - 1,
  };

  explicit FakeOs(Os* inner = RealOs());

  // The n-th (from 1) call from now of a kind in `calls` fails, once.
  void FailNth(uint64_t n, uint32_t calls = kFailable);
  // So does every one after it.
  void FailFrom(uint64_t n, uint32_t calls = kFailable);
  void FailNever();
  // A call was made to fail since the last Fail... call.
  bool failed() const { return failed_.load(kRelaxed); }

  // Calls of the kinds in `calls` so far.
  uint64_t Count(uint32_t calls = kFailable) const;
  // Address space held now, and purged so far.
  int64_t reserved_bytes() const { return reserved_.load(kRelaxed); }
  uint64_t purged_bytes() const { return purged_.load(kRelaxed); }

  // From now on; before the code under test asks.
  void SetPageSize(size_t size) { page_size_ = size; }
  // Purge does nothing and answers this, or (kZeroed) does its work.
  void SetPurgeResult(PurgeResult result) {
    purge_result_.store(result, kRelaxed);
  }
  // NowNs stands at `ns` until the next call; SleepNs moves it.
  void SetClock(uint64_t ns) {
    clock_.store(ns, kRelaxed);
    fake_clock_.store(true, kRelaxed);
  }
  void AdvanceClock(uint64_t ns) { clock_.fetch_add(ns, kRelaxed); }
  void SetRss(size_t bytes) { rss_.store(bytes, kRelaxed); }

  size_t PageSize() override { return page_size_; }
  size_t HugePageSize() override { return inner_->HugePageSize(); }
  int NumCpus() override { return inner_->NumCpus(); }
  size_t MemoryTotal() override { return inner_->MemoryTotal(); }
  void* Reserve(size_t size, size_t alignment) override;
  bool Release(void* address, size_t size) override;
  bool Commit(void* address, size_t size) override;
  bool Decommit(void* address, size_t size) override;
  PurgeResult Purge(void* address, size_t size) override;
  void* Remap(void* address, size_t old_size, size_t new_size) override;
  bool MovePages(void* from, void* to, size_t size) override;
  bool Populate(void* address, size_t size) override;
  size_t LargestReserve() override { return inner_->LargestReserve(); }
  bool CanPurge() override { return inner_->CanPurge(); }
  bool Guard(void* address, size_t size) override {
    return inner_->Guard(address, size);
  }
  bool Unguard(void* address, size_t size) override {
    return inner_->Unguard(address, size);
  }
  void AdviseHuge(void* address, size_t size) override {
    inner_->AdviseHuge(address, size);
  }
  void AdviseNoHuge(void* address, size_t size) override {
    inner_->AdviseNoHuge(address, size);
  }
  uint64_t NowNs() override;
  uint64_t CpuNs() override { return inner_->CpuNs(); }
  uint64_t ThreadCpuNs() override { return inner_->ThreadCpuNs(); }
  void SleepNs(uint64_t ns) override;
  size_t Rss() override;
  uint64_t PageFaults() override { return inner_->PageFaults(); }
  bool RandomBytes(void* out, size_t size) override;
  bool StartThread(void* (*entry)(void*), void* arg, size_t stack_size,
                   uint64_t* handle) override;
  void JoinThread(uint64_t handle) override { inner_->JoinThread(handle); }
  void DetachThread(uint64_t handle) override { inner_->DetachThread(handle); }

 private:
  static constexpr int kKinds = 10;

  // Counts the call; true if it is to fail.
  bool ShouldFail(Call call);
  void CheckAligned(const void* address, size_t size);

  Os* const inner_;
  size_t page_size_;
  // All relaxed: figures and switches of a test, which orders its threads
  // itself where it matters.
  Atomic<uint64_t> counts_[kKinds] = {};
  Atomic<uint32_t> fail_calls_{0};
  Atomic<int64_t> fail_in_{0};  // calls until the failing one, counted down
  Atomic<bool> fail_on_{false};  // go on failing
  Atomic<bool> failed_{false};
  Atomic<int64_t> reserved_{0};
  Atomic<uint64_t> purged_{0};
  Atomic<PurgeResult> purge_result_{PurgeResult::kZeroed};
  Atomic<bool> fake_clock_{false};
  Atomic<uint64_t> clock_{0};
  Atomic<size_t> rss_{0};
};

}  // namespace tidepool

#endif  // TIDEPOOL_BASE_FAKE_OS_H_
