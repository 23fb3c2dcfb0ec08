// What can be seen of a running world from outside: the statistics page, the heap map, the
// heap profile with the script's own frames. For the program's options and module
// _tidepool.
#ifndef TIDEPOOL_RUNTIME_MODULES_REPORTS_H_
#define TIDEPOOL_RUNTIME_MODULES_REPORTS_H_

#include <string>

#include "tidepool/runtime/vm/context.h"

namespace tidepool::rt {

// Samples carry the script's frames from here on; `interval` as
// HeapDomain::StartHeapProfile. False: no memory.
bool StartHeapProfile(Context& cx, uint64_t interval);

// Each writes a file; false: `error` says why not. The profile stops the world, so that
// the types of the sampled objects can be read.
bool WriteHeapMap(HeapDomain& heap, const std::string& path, const std::string& title, std::string* error);
bool WriteHeapProfile(Context& cx, const std::string& path, std::string* error);

// The page of --stats, in two parts: what is alive now (stops the world for a moment), and
// the rest, which may be asked for when the world has ended its work. `since_ns` is when
// the program began (Os::NowNs).
std::string LiveReport(Context& cx);
std::string RunReport(Runtime& rt, uint64_t since_ns);

// While it lives, the process writes the map to `path` whenever it gets SIGUSR2, on a
// thread of its own. Made before any other thread starts, so that none takes the signal.
class HeapMapSignal {
 public:
  HeapMapSignal(const std::string& path, const std::string& title);
  ~HeapMapSignal();
  // From now on there is something to write; null: no more.
  void SetHeap(HeapDomain* heap);

 private:
  struct Task;
  Task* task_;  // shared with the thread, for ever
};

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_MODULES_REPORTS_H_
