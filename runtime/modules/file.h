// Files: open() and the standard streams.
//
// One struct serves text files, buffered binary files and unbuffered ones (buffering=0); the classes that scripts see
// (TextIOWrapper, BufferedReader, BufferedWriter, BufferedRandom, FileIO) differ in what read() gives and write() takes.
//
//   F1  Everything but `fd` and the flags is guarded by `mutex`, which may be held across a blocking call: the
//       holder is then detached without having run anything (DetachForLock), and so are those who wait for it.
//   F2  Either the read buffer or the write buffer is in use, never both: a change flushes, or seeks back.
//   F3  A closed file has fd -1.
#ifndef TIDEPOOL_RUNTIME_MODULES_FILE_H_
#define TIDEPOOL_RUNTIME_MODULES_FILE_H_

#include <cstdint>
#include <string_view>

#include "tidepool/base/mutex.h"
#include "tidepool/runtime/vm/call.h"
#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/context.h"

namespace tidepool::rt {

struct File : Object {
  Atomic<int32_t> fd;      // -1: closed
  bool text;
  bool readable;
  bool writable;
  bool appending;
  bool buffered;
  bool line_buffered;      // flush after a write with a newline
  bool write_through;      // flush after every write
  bool owns_fd;
  bool translate_newlines; // \r\n and \r read as \n
  Mutex mutex;
  bool at_end;             // the last read(2) gave nothing
  char* read_buffer;
  size_t read_position;    // of the next byte
  size_t read_size;        // bytes in it
  char* write_buffer;
  size_t write_size;
  Slot name;
  Slot mode;
};

// The builtin open(file, mode='r', buffering=-1, encoding=None, errors=None, newline=None, ...).
Ref OpenFile(Context& cx, const Args& args);
// A text stream on a descriptor that is not closed with it.
Ref NewStandardStream(Context& cx, int fd, const char* name, bool writable);

// Is it a text file of ours (so that FileWrite will do what its write() does)?
bool IsTextFile(Context& cx, Value v);
// Writes to a text file. False: an exception is pending.
bool FileWrite(Context& cx, Value file, std::string_view utf8);
bool FileFlush(Context& cx, Value file);

bool InitFileClasses(Context& cx);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_MODULES_FILE_H_
