// The report of a crash: see crash.h.
#include "tidepool/runtime/vm/crash.h"

#include <execinfo.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <cstdint>

#include "tidepool/base/atomic.h"
#include "tidepool/base/sanitizer.h"
#include "tidepool/base/thread_id.h"
#include "tidepool/object/isolate.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/vm/code.h"
#include "tidepool/runtime/vm/context.h"
#include "tidepool/runtime/vm/frame.h"

namespace tidepool::rt {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
constexpr bool kActive = TIDEPOOL_ASAN == 0 && TIDEPOOL_TSAN == 0;
constexpr int kMaxThreads = 256;  // more are counted only
constexpr int kMaxFrames = 20;

// Null: free. Stored (release) by the thread of the Context, read (acquire) by a handler.
Atomic<Context*> g_contexts[kMaxThreads];
Atomic<int> g_not_noted;
Atomic<uint64_t> g_crashing;  // the thread that reports, 0: none
const char* g_about = "";     // set before the handlers are

// A line, written when it is full or ended. No allocation, no locale, no locks.
class Line {
 public:
  ~Line() { Flush(); }
  Line& operator<<(const char* text) {
    while (*text != '\0') Put(*text++);
    return *this;
  }
  Line& operator<<(uint64_t n) { return Number(n, 10); }
  Line& Hex(uint64_t n) {
    *this << "0x";
    return Number(n, 16);
  }
  void Put(char c) {
    if (size_ == sizeof text_) Flush();
    text_[size_++] = c;
  }

 private:
  Line& Number(uint64_t n, unsigned base) {
    char digits[24];
    int count = 0;
    do {
      digits[count++] = "0123456789abcdef"[n % base];
      n /= base;
    } while (n != 0);
    while (count > 0) Put(digits[--count]);
    return *this;
  }
  void Flush() {
    for (size_t done = 0; done < size_;) {
      const ssize_t n = write(STDERR_FILENO, text_ + done, size_ - done);
      if (n <= 0) break;
      done += static_cast<size_t>(n);
    }
    size_ = 0;
  }

  char text_[256];
  size_t size_ = 0;
};

const char* NameOfSignal(int number) {
  switch (number) {
    case SIGSEGV: return "SIGSEGV, a bad address";
    case SIGBUS: return "SIGBUS, a bad access to memory";
    case SIGILL: return "SIGILL, a bad instruction";
    case SIGFPE: return "SIGFPE, a bad operation";
    default: return "SIGABRT, a failed check or abort()";
  }
}

const char* NameOfState(uint32_t state) {
  switch (state & ~uint32_t{ThreadState::kWaiting}) {
    case ThreadState::kAttached: return "attached";
    case ThreadState::kSuspended: return state & ThreadState::kWaiting ? "stopped at a safepoint" : "suspended (detached)";
    case ThreadState::kHeld: return "held for a merge";
    default: return "detached";
  }
}

const char* TextOf(const Str* s) { return s != nullptr && s->ascii != 0 ? s->data() : "?"; }

void WriteFrames(const Context* cx) {
  int n = 0;
  for (const Frame* f = cx->frame; f != nullptr && n < kMaxFrames; f = f->prev, n++) {
    Line() << "        " << TextOf(f->code->filename) << ":" << static_cast<uint64_t>(LineAt(f->code, f->pc)) << " in "
           << TextOf(f->code->qualname) << "\n";
  }
  if (n == kMaxFrames) Line() << "        ...\n";
}

void WriteThreads() {
  Line() << "  threads (* crashed):\n";
  for (const Atomic<Context*>& slot : g_contexts) {
    const Context* cx = slot.load(kAcquire);  // pairs with NoteContext
    if (cx == nullptr) continue;
    const ThreadState* ts = cx->ts;
    const bool own = ts->tid() == CurrentTid();
    const uint32_t state = ts->state_for_debug();
    Line() << (own ? "  * " : "    ") << ts->serial() << " " << ts->name() << ": " << NameOfState(state) << "\n";
    if (own || state != ThreadState::kAttached) WriteFrames(cx);
  }
  const int more = g_not_noted.load(kRelaxed);
  if (more > 0) Line() << "    and " << static_cast<uint64_t>(more) << " more\n";
}

void Die(int number) {
  signal(number, SIG_DFL);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  raise(number);
  _exit(128 + number);
}

void OnCrash(int number, siginfo_t* info, void*) {
  uint64_t nobody = 0;
  const uint64_t self = CurrentTid();
  // acq_rel: the threads that come later wait for the end of the process, and a fault in here must not begin again.
  if (!g_crashing.compare_exchange_strong(nobody, self, kAcqRel, kAcquire)) {
    if (nobody == self) Die(number);
    for (;;) pause();
  }
  // Should the unwinder wait for a lock that this thread holds, the process ends all the same.
  signal(SIGALRM, SIG_DFL);
  alarm(20);
  {
    Line line;
    line << "\ntidepool: crashed: " << NameOfSignal(number);
    if (number != SIGABRT && info->si_code > 0) (line << ", address ").Hex(reinterpret_cast<uintptr_t>(info->si_addr));
    if (info->si_code <= 0 && number != SIGABRT) line << ", sent by process " << static_cast<uint64_t>(info->si_pid);
    line << "\n" << g_about;
  }
  WriteThreads();
  Line() << "  native stack:\n";
  void* addresses[40];
  const int n = backtrace(addresses, 40);
  backtrace_symbols_fd(addresses, n, STDERR_FILENO);
  Die(number);
}

// One per thread: a stack overflow is a SIGSEGV too.
alignas(16) thread_local char g_handler_stack[kActive ? 32 << 10 : 16];

}  // namespace

void InstallCrashHandler(const std::string& about) {
  if (!kActive) return;
  g_about = strdup(about.c_str());
  void* warm[1];
  backtrace(warm, 1);  // the first call loads the unwinder, which a handler must not do
  struct sigaction action = {};
  action.sa_sigaction = OnCrash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  for (int number : kSignals) sigaction(number, &action, nullptr);
}

void NoteContext(Context* cx) {
  if (!kActive) return;
  stack_t stack = {};
  stack.ss_sp = g_handler_stack;
  stack.ss_size = sizeof g_handler_stack;
  sigaltstack(&stack, nullptr);
  for (Atomic<Context*>& slot : g_contexts) {
    Context* expected = nullptr;
    // Relaxed look first: most slots of a busy program are taken. Release: pairs with WriteThreads.
    if (slot.load(kRelaxed) == nullptr && slot.compare_exchange_strong(expected, cx, kRelease, kRelaxed)) return;
  }
  g_not_noted.fetch_add(1, kRelaxed);
}

void ForgetContext(Context* cx) {
  if (!kActive) return;
  for (Atomic<Context*>& slot : g_contexts) {
    // Relaxed: this thread's own store, nothing is read through it any more.
    if (slot.load(kRelaxed) == cx) return slot.store(nullptr, kRelaxed);
  }
  g_not_noted.fetch_sub(1, kRelaxed);
}

}  // namespace tidepool::rt
