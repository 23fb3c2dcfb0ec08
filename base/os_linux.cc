// The real Os on Linux. See os.h for the contract.
//
// Reserve maps private, anonymous, NORESERVE memory that is readable and
// writable at once, so that Commit is free and the number of mappings stays
// small. Under strict overcommit (vm.overcommit_memory = 2) NORESERVE does not
// count and such a mapping would be charged in full; there Reserve maps
// without access and Commit is mprotect.
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <time.h>
#include <unistd.h>

#include <new>

#include "tidepool/base/check.h"
#include "tidepool/base/internal/sched_runtime.h"
#include "tidepool/base/os.h"
#include "tidepool/base/sched_point.h"

// Newer than some C libraries' headers; older kernels refuse them.
#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

namespace tidepool {
namespace {

// Callers below malloc must not change errno, and free must not even when a call of the
// OS fails on the way (locked memory refuses to be purged, for example).
class KeepErrno {
 public:
  KeepErrno() : saved_(errno) {}
  ~KeepErrno() { errno = saved_; }

 private:
  int saved_;
};

uint64_t ClockNs(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u +
         static_cast<uint64_t>(now.tv_nsec);
}

// Reads a small file of /proc or /sys without stdio (which allocates).
// Returns its length, 0 on any error; the text is null-terminated.
size_t ReadSmallFile(const char* path, char* out, size_t capacity) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  ssize_t n = read(fd, out, capacity - 1);
  close(fd);
  if (n < 0) n = 0;
  out[n] = '\0';
  return static_cast<size_t>(n);
}

class LinuxOs final : public Os {
 public:
  LinuxOs() {
    page_size_ = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    char text[64];
    if (ReadSmallFile("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size",
                      text, sizeof text) != 0) {
      huge_page_size_ = strtoull(text, nullptr, 10);
    }
    struct sysinfo info;
    total_memory_ = sysinfo(&info) == 0 ? (uint64_t{info.totalram} + info.totalswap) * info.mem_unit
                                        : SIZE_MAX;
    strict_ = ReadSmallFile("/proc/sys/vm/overcommit_memory", text,
                            sizeof text) != 0 &&
              text[0] == '2';
  }

  size_t PageSize() override { return page_size_; }
  size_t HugePageSize() override { return huge_page_size_; }
  size_t MemoryTotal() override { return total_memory_; }
  int NumCpus() override {
    return static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  }

  void* Reserve(size_t size, size_t alignment) override {
    KeepErrno keep;
    if (alignment <= page_size_) return Map(nullptr, size);
    // The kernel places mappings downwards, so a first try often fits.
    void* p = Map(nullptr, size);
    if (p == nullptr) return nullptr;
    if ((reinterpret_cast<uintptr_t>(p) & (alignment - 1)) == 0) return p;
    munmap(p, size);
    if (size + alignment < size) return nullptr;
    char* wide = static_cast<char*>(Map(nullptr, size + alignment));
    if (wide == nullptr) return nullptr;
    uintptr_t start = (reinterpret_cast<uintptr_t>(wide) + alignment - 1) &
                      ~static_cast<uintptr_t>(alignment - 1);
    char* aligned = reinterpret_cast<char*>(start);
    size_t head = static_cast<size_t>(aligned - wide);
    size_t tail = alignment - head;
    if (head != 0) munmap(wide, head);
    if (tail != 0) munmap(aligned + size, tail);
    return aligned;
  }

  bool Release(void* address, size_t size) override {
    KeepErrno keep;
    return munmap(address, size) == 0;
  }

  bool Commit(void* address, size_t size) override {
    KeepErrno keep;
    // What could never be backed is refused here, as the kernel does for mappings that
    // it charges: a program gets an error and not the out-of-memory killer.
    if (size > total_memory_) return false;
    if (!strict_) return true;
    return mprotect(address, size, PROT_READ | PROT_WRITE) == 0;
  }

  bool Decommit(void* address, size_t size) override {
    KeepErrno keep;
    if (madvise(address, size, MADV_DONTNEED) != 0) return false;
    if (strict_) mprotect(address, size, PROT_NONE);
    return true;
  }

  PurgeResult Purge(void* address, size_t size) override {
    KeepErrno keep;
    // DONTNEED on private anonymous memory leaves zeros (locked memory is
    // refused with EINVAL). FREE is not used: its content is undefined until
    // reclaim, and resident figures stay up.
    if (madvise(address, size, MADV_DONTNEED) == 0) return PurgeResult::kZeroed;
    return PurgeResult::kFailed;
  }

  void* Remap(void* address, size_t old_size, size_t new_size) override {
    KeepErrno keep;
    void* p = mremap(address, old_size, new_size, MREMAP_MAYMOVE);
    return p == MAP_FAILED ? nullptr : p;
  }

  bool MovePages(void* from, void* to, size_t size) override {
    KeepErrno keep;
    void* p = mremap(from, size, size,
                     MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP, to);
    return p != MAP_FAILED;
  }

  bool Populate(void* address, size_t size) override {
    KeepErrno keep;
    return madvise(address, size, MADV_POPULATE_WRITE) == 0;
  }

  bool Guard(void* address, size_t size) override {
    KeepErrno keep;
    if (mprotect(address, size, PROT_NONE) != 0) return false;
    madvise(address, size, MADV_DONTNEED);
    return true;
  }
  bool Unguard(void* address, size_t size) override {
    KeepErrno keep;
    return mprotect(address, size, PROT_READ | PROT_WRITE) == 0;
  }

  void AdviseHuge(void* address, size_t size) override {
    KeepErrno keep;
    madvise(address, size, MADV_HUGEPAGE);
  }
  void AdviseNoHuge(void* address, size_t size) override {
    KeepErrno keep;
    madvise(address, size, MADV_NOHUGEPAGE);
  }

  uint64_t NowNs() override { return MonotonicNs(); }
  uint64_t CpuNs() override { return ClockNs(CLOCK_PROCESS_CPUTIME_ID); }
  uint64_t ThreadCpuNs() override { return ClockNs(CLOCK_THREAD_CPUTIME_ID); }

  void SleepNs(uint64_t ns) override {
#ifdef TIDEPOOL_SCHED
    if (sched::Controlled()) {
      sched::internal::SchedSleep(ns);
      return;
    }
#endif
    KeepErrno keep;
    timespec left;
    left.tv_sec = static_cast<time_t>(ns / 1000000000u);
    left.tv_nsec = static_cast<long>(ns % 1000000000u);
    while (nanosleep(&left, &left) != 0 && errno == EINTR) {
    }
  }

  size_t Rss() override {
    KeepErrno keep;
    char text[128];
    if (ReadSmallFile("/proc/self/statm", text, sizeof text) == 0) return 0;
    const char* second = strchr(text, ' ');
    if (second == nullptr) return 0;
    return strtoull(second, nullptr, 10) * page_size_;
  }

  uint64_t PageFaults() override {
    rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
    return static_cast<uint64_t>(usage.ru_minflt) +
           static_cast<uint64_t>(usage.ru_majflt);
  }

  bool RandomBytes(void* out, size_t size) override {
    char* to = static_cast<char*>(out);
    while (size != 0) {
      ssize_t n = getrandom(to, size, 0);
      if (n < 0) {
        if (errno == EINTR) continue;
        return false;
      }
      to += n;
      size -= static_cast<size_t>(n);
    }
    return true;
  }

  bool StartThread(void* (*entry)(void*), void* arg, size_t stack_size,
                   uint64_t* handle) override {
#ifdef TIDEPOOL_SCHED
    if (sched::Controlled()) {
      return sched::internal::SchedStartThread(entry, arg, handle);
    }
#endif
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return false;
    if (stack_size != 0) {
      size_t least = static_cast<size_t>(PTHREAD_STACK_MIN);
      if (stack_size < least) stack_size = least;
      stack_size = (stack_size + page_size_ - 1) & ~(page_size_ - 1);
      pthread_attr_setstacksize(&attributes, stack_size);
    }
    pthread_t thread;
    int rc = pthread_create(&thread, &attributes, entry, arg);
    pthread_attr_destroy(&attributes);
    if (rc != 0) return false;
    *handle = static_cast<uint64_t>(thread);
    return true;
  }

  void JoinThread(uint64_t handle) override {
#ifdef TIDEPOOL_SCHED
    if (sched::Controlled()) {
      sched::internal::SchedJoinThread(handle);
      return;
    }
#endif
    TP_CHECK(pthread_join(static_cast<pthread_t>(handle), nullptr) == 0);
  }

  void DetachThread(uint64_t handle) override {
#ifdef TIDEPOOL_SCHED
    if (sched::Controlled()) return;  // the scheduler joins it at the run's end
#endif
    TP_CHECK(pthread_detach(static_cast<pthread_t>(handle)) == 0);
  }

 private:
  void* Map(void* hint, size_t size) {
    KeepErrno keep;
    int protection = strict_ ? PROT_NONE : PROT_READ | PROT_WRITE;
    void* p = mmap(hint, size, protection,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? nullptr : p;
  }

  size_t page_size_;
  size_t huge_page_size_ = 0;
  bool strict_;
  size_t total_memory_;  // of the machine, with swap
};

}  // namespace

Os* RealOs() {
  // Never destroyed: threads may use it while the process exits. Made in
  // static memory, for this runs below malloc.
  alignas(LinuxOs) static unsigned char memory[sizeof(LinuxOs)];
  static Os* const os = new (memory) LinuxOs;
  return os;
}

uint64_t MonotonicNs() {
#ifdef TIDEPOOL_SCHED
  if (sched::Controlled()) return sched::internal::SchedNowNs();
#endif
  return ClockNs(CLOCK_MONOTONIC);
}

}  // namespace tidepool
