// The operating system, as tidepool sees it.
//
// Everything that the layers below the runtime ask of the OS goes through this
// class, so that a test can make the n-th call fail (fake_os.h) and an embedder
// can bring its own page source. Calls are rare (they cost microseconds), so
// they are virtual.
//
// States of a range of memory. A range is page-aligned (PageSize()).
//
//   state      may be touched   costs memory   content          left by
//   ---------  ---------------  -------------  ---------------  ------------------
//   unmapped   no               no             -                Reserve
//   reserved   no               no             -                Commit, Release
//   committed  yes              on first use   zero until       Purge, Decommit,
//              (dirty once                     written          Release
//              written)
//   purged     yes              on first use   zero, or as it   (as committed)
//                                              was: see Purge
//
// Reserved memory may happen to be accessible (where the OS lets memory be
// promised without charge, reserving and committing are one step), but nobody
// may rely on it. What "out of memory" means is the OS's choice: on Linux with
// overcommit, Commit hardly fails and the isolate's own limit is what reports
// errors; with strict overcommit (mode 2) Reserve maps without access, and
// Commit is where memory is charged and refused.
//
// All functions may be called by any thread at any time; those that return a
// pointer or bool report failure by null or false and leave the range as it was.
#ifndef TIDEPOOL_BASE_OS_H_
#define TIDEPOOL_BASE_OS_H_

#include <cstddef>
#include <cstdint>

namespace tidepool {

// What Purge left behind.
enum class PurgeResult : uint8_t {
  kZeroed,  // gone; reads give zeros, now and later
  kKept,    // still there, or may vanish later: content is unspecified
  kFailed,  // the OS refused; content unchanged
};

class Os {
 public:
  virtual ~Os() = default;

  // --- Facts. Constant for the life of the process. ---
  // A power of two: 4 KiB on x86-64; 4, 16 or 64 KiB on arm64.
  virtual size_t PageSize() = 0;
  // Size of a transparent huge page, or 0 if there are none.
  virtual size_t HugePageSize() = 0;
  virtual int NumCpus() = 0;
  // Bytes that the machine can hold at all (RAM and swap when the process
  // started), SIZE_MAX if unknown. A larger request is refused before address
  // space is reserved for it.
  virtual size_t MemoryTotal() { return SIZE_MAX; }
  // No larger Reserve is asked for now (a given region has an end); may change.
  virtual size_t LargestReserve() { return SIZE_MAX; }
  // Whether Purge can give anything back; where not, nobody tries.
  virtual bool CanPurge() { return true; }

  // --- Address space. Sizes and alignments are multiples of PageSize(). ---
  // unmapped -> reserved. `alignment` is a power of two.
  virtual void* Reserve(size_t size, size_t alignment) = 0;
  // reserved or committed -> unmapped. Any page-aligned part of one or several
  // reservations. False when the OS refuses (too many mappings): the range is
  // then committed still.
  virtual bool Release(void* address, size_t size) = 0;

  // --- Memory. ---
  // reserved -> committed, zero. Committed parts stay as they are.
  virtual bool Commit(void* address, size_t size) = 0;
  // committed -> reserved. False: still committed (content unspecified).
  virtual bool Decommit(void* address, size_t size) = 0;
  // committed -> purged. With kZeroed the range reads as zero from before the
  // call returns, also to a thread that is reading meanwhile: it sees the old
  // word or zero.
  virtual PurgeResult Purge(void* address, size_t size) = 0;
  // Moves committed memory to another address or size without copying. The old
  // range is unmapped afterwards, the new tail is committed and zero.
  // Null: nothing happened (also where the OS cannot).
  virtual void* Remap(void* address, size_t old_size, size_t new_size) = 0;
  // Moves the content of one committed range into another of the same size
  // without copying. Then `to` holds the content (what it held is gone), and
  // `from` is committed and zero. False: nothing happened (the caller copies).
  virtual bool MovePages(void* from, void* to, size_t size) = 0;
  // Backs a committed range with memory now, in one call, instead of by faults.
  virtual bool Populate(void* address, size_t size) = 0;
  // committed -> guarded: every access faults, memory is given back. False: it cannot
  // (the range is as it was). Unguard makes it committed and zero again; false: it
  // stays guarded.
  virtual bool Guard(void* /*address*/, size_t /*size*/) { return false; }
  virtual bool Unguard(void* /*address*/, size_t /*size*/) { return false; }
  // Hints. A failed hint changes nothing.
  virtual void AdviseHuge(void* address, size_t size) = 0;
  virtual void AdviseNoHuge(void* address, size_t size) = 0;

  // --- Time. ---
  virtual uint64_t NowNs() = 0;     // monotonic
  virtual uint64_t CpuNs() = 0;     // of the process, all threads
  virtual uint64_t ThreadCpuNs() = 0;  // of the calling thread
  virtual void SleepNs(uint64_t ns) = 0;

  // --- The process. ---
  virtual size_t Rss() = 0;             // resident bytes, 0 if unknown
  virtual uint64_t PageFaults() = 0;    // minor and major, since the start
  virtual bool RandomBytes(void* out, size_t size) = 0;

  // --- Threads (used by base/thread.h only). ---
  // Starts a thread that runs entry(arg). `stack_size` 0 is the default.
  virtual bool StartThread(void* (*entry)(void*), void* arg, size_t stack_size,
                           uint64_t* handle) = 0;
  virtual void JoinThread(uint64_t handle) = 0;
  virtual void DetachThread(uint64_t handle) = 0;
};

// The real one. Lives for ever.
Os* RealOs();

// Deadlines everywhere in base/ are times of this clock (RealOs()->NowNs());
// under the deterministic scheduler it is the scheduler's virtual clock.
uint64_t MonotonicNs();
inline constexpr uint64_t kNoDeadline = UINT64_MAX;

}  // namespace tidepool

#endif  // TIDEPOOL_BASE_OS_H_
