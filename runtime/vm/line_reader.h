// Lines from a person at a terminal, with editing and a history where libedit is installed.
//
// libedit.so.2 is looked for when the first reader is made; the program is not linked with it. Without it, on a
// terminal that cannot move the cursor (TERM=dumb), or where input or output is no terminal, the terminal's own line
// editing has to do and there is no history.
#ifndef TIDEPOOL_RUNTIME_VM_LINE_READER_H_
#define TIDEPOOL_RUNTIME_VM_LINE_READER_H_

#include <memory>
#include <string>

namespace tidepool::rt {

class LineReader {
 public:
  enum class Result {
    kLine,         // one line, with its newline
    kEnd,          // the end of the input (Ctrl-D)
    kInterrupted,  // SIGINT: CheckSignals raises KeyboardInterrupt
  };

  // `history_path`: where lines are kept from one run to the next; empty: nowhere.
  static std::unique_ptr<LineReader> Open(const std::string& history_path);
  virtual ~LineReader() = default;

  // To be called detached: it waits.
  virtual Result Read(const std::string& prompt, std::string* line) = 0;
};

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_LINE_READER_H_
