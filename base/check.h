// Checks that end the process.
//
// TP_CHECK(cond) is always on: it guards invariants whose breach would corrupt
// memory. TP_DCHECK(cond) is on in debug builds and in the `sched` build; the
// condition must have no effect, for it is not evaluated elsewhere. Fatal()
// prints one line to stderr and aborts. Nothing here allocates, so all three
// may be used below the allocator and with any lock held.
//
// Errors that a caller can cause or cure (out of memory, a bad option) are
// never reported here: they are null returns or absl::Status.
#ifndef TIDEPOOL_BASE_CHECK_H_
#define TIDEPOOL_BASE_CHECK_H_

namespace tidepool {

[[noreturn]] void Fatal(const char* format, ...)
    __attribute__((format(printf, 1, 2)));

// Called by Fatal after its own line and before abort(), so that a test tool
// can add what it knows (the scheduler prints how to replay the run).
using FatalHook = void (*)();
void SetFatalHook(FatalHook hook);

namespace internal {
[[noreturn]] void CheckFailed(const char* file, int line, const char* what);
}  // namespace internal

}  // namespace tidepool

#define TP_CHECK(cond)                                                   \
  (__builtin_expect(!!(cond), 1)                                         \
       ? static_cast<void>(0)                                            \
       : ::tidepool::internal::CheckFailed(__FILE__, __LINE__, #cond))

#if !defined(NDEBUG) || defined(TIDEPOOL_SCHED)
#define TIDEPOOL_DCHECK_IS_ON 1
#define TP_DCHECK(cond) TP_CHECK(cond)
#else
#define TIDEPOOL_DCHECK_IS_ON 0
#define TP_DCHECK(cond) static_cast<void>(sizeof(!(cond)))
#endif

#endif  // TIDEPOOL_BASE_CHECK_H_
