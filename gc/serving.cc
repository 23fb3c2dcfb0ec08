// Collections on a thread of the embedder's own, and what a fork needs.
//
// A request is a number: whoever asks takes the next one, the serving thread works up to the
// newest. Nobody waits attached: the server is detached while it waits for work, and
// drainers while they wait for it, so a stop of the world passes both.

#include "tidepool/gc/collector.h"
#include "tidepool/gc/internal/impl.h"

namespace tidepool {

uint64_t Collector::Impl::AskServer(const char* reason) {
  ++requested;
  serve_reason = reason;
  serve_changed.Broadcast();
  return requested;
}

bool Collector::Impl::Hand(const char* reason) {
  MutexLock lock(&serve_mutex);
  if (server == nullptr) return false;
  AskServer(reason);
  return true;
}

// An open pass (collection.cc) is the serving thread's work, too: once.
bool Collector::Impl::HandOpen() {
  MutexLock lock(&serve_mutex);
  if (server == nullptr) return false;
  if (requested == completed) AskServer("serving");
  return true;
}

void Collector::Impl::Serve(ThreadState* ts) {
  {
    MutexLock lock(&serve_mutex);
    TP_CHECK(server == nullptr);
    server = ts;
    serve_stop = false;
  }
  for (;;) {
    uint64_t goal;
    const char* reason;
    {
      BlockingScope blocking(ts);
      MutexLock lock(&serve_mutex);
      while (requested == completed && !serve_stop) serve_changed.Wait(&serve_mutex);
      if (requested == completed) {
        server = nullptr;
        serve_changed.Broadcast();
        return;
      }
      goal = requested;
      reason = serve_reason;
    }
    // Another thread's explicit collection may be under way: it does not count, as it may
    // have begun before the request.
    while (!Collect(ts, 0, reason).ran) {
      BlockingScope blocking(ts);
      isolate->os()->SleepNs(200'000);
    }
    MutexLock lock(&serve_mutex);
    completed = goal;
    serve_changed.Broadcast();
  }
}

void Collector::Impl::StopServing() {
  MutexLock lock(&serve_mutex);
  serve_stop = true;
  serve_changed.Broadcast();
}

bool Collector::serving() const {
  MutexLock lock(&impl_->serve_mutex);
  return impl_->server != nullptr;
}

void Collector::Impl::Drain(ThreadState* ts) {
  // Relaxed: only this thread stores its own state there.
  if (collecting_thread.load(kRelaxed) == ts) return;
  if (Refused(ts, "DrainFinalizers")) return;
  uint64_t goal = 0;
  {
    MutexLock lock(&serve_mutex);
    if (server == ts) return;
    if (server != nullptr) goal = AskServer("drain");
  }
  if (goal != 0) {
    BlockingScope blocking(ts);
    MutexLock lock(&serve_mutex);
    while (completed < goal && server != nullptr) serve_changed.Wait(&serve_mutex);
    return;
  }
  while (!Collect(ts, 0, "drain").ran) {
    BlockingScope blocking(ts);
    isolate->os()->SleepNs(200'000);
  }
}

void Collector::Impl::PrepareFork(ThreadState* ts) {
  // A finalizer that forks: the pass goes on in both processes, on this thread.
  if (collecting_thread.load(kRelaxed) == ts) {
    memory.helpers.Stop();
    return;
  }
  uint32_t expected = 0;
  // Acquire: as a pass does.
  while (!collecting.compare_exchange_strong(expected, 1, kAcquire, kRelaxed)) {
    expected = 0;
    // Relaxed: a hint to AtSafepoint, without which pass after pass starves the fork.
    fork_waits_until_ns.store(isolate->os()->NowNs() + 20'000'000, kRelaxed);
    BlockingScope blocking(ts);
    isolate->os()->SleepNs(200'000);
  }
  fork_waits_until_ns.store(0, kRelaxed);
  forking_thread.store(ts, kRelaxed);
  // Threads do not survive; the next pass starts new ones.
  memory.helpers.Stop();
}

void Collector::Impl::AfterFork(ThreadState* ts) {
  if (forking_thread.load(kRelaxed) != ts) return;
  forking_thread.store(nullptr, kRelaxed);
  collecting.store(0, kRelease);  // pairs with the acquire in Collect
}

}  // namespace tidepool
