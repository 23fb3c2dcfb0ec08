// The Os for tests. See fake_os.h.
#include "tidepool/base/fake_os.h"

#include "tidepool/base/check.h"

namespace tidepool {

// Every access here is relaxed: see the members' comment in fake_os.h.

FakeOs::FakeOs(Os* inner) : inner_(inner), page_size_(inner->PageSize()) {}

void FakeOs::FailNth(uint64_t n, uint32_t calls) {
  TP_CHECK(n >= 1);
  fail_on_.store(false, kRelaxed);
  failed_.store(false, kRelaxed);
  fail_in_.store(static_cast<int64_t>(n), kRelaxed);
  fail_calls_.store(calls, kRelaxed);
}

void FakeOs::FailFrom(uint64_t n, uint32_t calls) {
  FailNth(n, calls);
  fail_on_.store(true, kRelaxed);
}

void FakeOs::FailNever() {
  fail_calls_.store(0, kRelaxed);
  failed_.store(false, kRelaxed);
}

uint64_t FakeOs::Count(uint32_t calls) const {
  uint64_t sum = 0;
  for (int i = 0; i < kKinds; ++i) {
    if ((calls >> i & 1) != 0) sum += counts_[i].load(kRelaxed);
  }
  return sum;
}

bool FakeOs::ShouldFail(Call call) {
  counts_[__builtin_ctz(call)].fetch_add(1, kRelaxed);
  if ((fail_calls_.load(kRelaxed) & call) == 0) return false;
  int64_t left = fail_in_.fetch_sub(1, kRelaxed);
  bool fail = left == 1 || (left < 1 && fail_on_.load(kRelaxed));
  if (fail) failed_.store(true, kRelaxed);
  return fail;
}

void FakeOs::CheckAligned(const void* address, size_t size) {
  uintptr_t bits = reinterpret_cast<uintptr_t>(address) | size;
  TP_CHECK((bits & (page_size_ - 1)) == 0);
  TP_CHECK(size != 0);
}

void* FakeOs::Reserve(size_t size, size_t alignment) {
  if (ShouldFail(kReserve)) return nullptr;
  CheckAligned(nullptr, size);
  TP_CHECK((alignment & (alignment - 1)) == 0);
  if (alignment < page_size_) alignment = page_size_;
  void* p = inner_->Reserve(size, alignment);
  if (p != nullptr) reserved_.fetch_add(static_cast<int64_t>(size), kRelaxed);
  return p;
}

bool FakeOs::Release(void* address, size_t size) {
  CheckAligned(address, size);
  if (ShouldFail(kRelease)) return false;
  if (!inner_->Release(address, size)) return false;
  int64_t left = reserved_.fetch_sub(static_cast<int64_t>(size), kRelaxed);
  TP_CHECK(left >= static_cast<int64_t>(size));
  return true;
}

bool FakeOs::Commit(void* address, size_t size) {
  CheckAligned(address, size);
  return !ShouldFail(kCommit) && inner_->Commit(address, size);
}

bool FakeOs::Decommit(void* address, size_t size) {
  CheckAligned(address, size);
  return !ShouldFail(kDecommit) && inner_->Decommit(address, size);
}

PurgeResult FakeOs::Purge(void* address, size_t size) {
  CheckAligned(address, size);
  if (ShouldFail(kPurge)) return PurgeResult::kFailed;
  PurgeResult wanted = purge_result_.load(kRelaxed);
  if (wanted != PurgeResult::kZeroed) return wanted;
  PurgeResult result = inner_->Purge(address, size);
  if (result == PurgeResult::kZeroed) purged_.fetch_add(size, kRelaxed);
  return result;
}

void* FakeOs::Remap(void* address, size_t old_size, size_t new_size) {
  CheckAligned(address, old_size);
  CheckAligned(nullptr, new_size);
  if (ShouldFail(kRemap)) return nullptr;
  void* p = inner_->Remap(address, old_size, new_size);
  if (p != nullptr) {
    reserved_.fetch_add(static_cast<int64_t>(new_size) -
                            static_cast<int64_t>(old_size),
                        kRelaxed);
  }
  return p;
}

bool FakeOs::MovePages(void* from, void* to, size_t size) {
  CheckAligned(from, size);
  CheckAligned(to, size);
  return !ShouldFail(kMovePages) && inner_->MovePages(from, to, size);
}

bool FakeOs::Populate(void* address, size_t size) {
  return !ShouldFail(kPopulate) && inner_->Populate(address, size);
}

uint64_t FakeOs::NowNs() {
  return fake_clock_.load(kRelaxed) ? clock_.load(kRelaxed) : inner_->NowNs();
}

void FakeOs::SleepNs(uint64_t ns) {
  if (fake_clock_.load(kRelaxed)) {
    AdvanceClock(ns);
  } else {
    inner_->SleepNs(ns);
  }
}

size_t FakeOs::Rss() {
  size_t told = rss_.load(kRelaxed);
  return told != 0 ? told : inner_->Rss();
}

bool FakeOs::RandomBytes(void* out, size_t size) {
  return !ShouldFail(kRandom) && inner_->RandomBytes(out, size);
}

bool FakeOs::StartThread(void* (*entry)(void*), void* arg, size_t stack_size,
                         uint64_t* handle) {
  return !ShouldFail(kStartThread) &&
         inner_->StartThread(entry, arg, stack_size, handle);
}

}  // namespace tidepool
