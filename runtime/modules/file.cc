// File objects, open() and the standard streams; see file.h.
#include "tidepool/runtime/modules/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/modules/common.h"
#include "tidepool/runtime/modules/modules.h"

namespace tidepool::rt {
namespace {

constexpr size_t kBufferSize = 64 << 10;

struct FileState {
  Class* text = nullptr;
  Class* reader = nullptr;
  Class* writer = nullptr;
  Class* random = nullptr;
  Class* raw = nullptr;
  Value standard[3];      // stdin, stdout, stderr: immortal
};

FileState& State(Context& cx) { return cx.rt.State<FileState>(); }

// The lock of a file (F1).
class FileLock {
 public:
  FileLock(Context& cx, File* file) ABSL_NO_THREAD_SAFETY_ANALYSIS : file_(file) {
    LockMutex(cx.ts, &file->mutex);
  }
  ~FileLock() ABSL_NO_THREAD_SAFETY_ANALYSIS { file_->mutex.Unlock(); }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

 private:
  File* file_;
};

// ---- system calls, detached. -1 with errno on failure. Interrupted ones are tried again, unless that was Ctrl-C: then
// KeyboardInterrupt is pending.

template <class Fn>
ssize_t Detached(Context& cx, Fn fn) {
  ssize_t n;
  int error;
  do {
    cx.ts->DetachForLock();
    n = fn();
    error = errno;
    cx.ts->Attach();
  } while (n < 0 && error == EINTR && CheckSignals(cx));
  errno = error;
  return n;
}

ssize_t SysRead(Context& cx, int fd, char* to, size_t n) {
  return Detached(cx, [=] { return ::read(fd, to, std::min<size_t>(n, 1 << 30)); });
}

ssize_t SysWrite(Context& cx, int fd, const char* from, size_t n) {
  return Detached(cx, [=] { return ::write(fd, from, std::min<size_t>(n, 1 << 30)); });
}

bool RaiseErrno(Context& cx) {
  RaiseOsError(cx, errno, nullptr);
  return false;
}

// ---- the machine under the classes. The mutex is held; no references are dropped.

enum class Io { kOk, kError, kClosed, kNoMemory };

// What went wrong, told after the unlock.
struct Outcome {
  Io io = Io::kOk;
  int error = 0;
  bool Raise(Context& cx) const {
    switch (io) {
      case Io::kOk: return true;
      case Io::kClosed: RaiseValueError(cx, "I/O operation on closed file."); return false;
      case Io::kNoMemory: RaiseMemoryError(cx); return false;
      case Io::kError:
        if (cx.has_exception()) return false;  // KeyboardInterrupt
        errno = error;
        return RaiseErrno(cx);
    }
    return true;
  }
};

Outcome Failed() { return {Io::kError, errno}; }

Outcome WriteAll(Context& cx, File* f, const char* data, size_t n) {
  const int fd = f->fd.load(kRelaxed);
  if (fd < 0) return {Io::kClosed, 0};
  while (n > 0) {
    const ssize_t done = SysWrite(cx, fd, data, n);
    if (done < 0) return Failed();
    data += done;
    n -= static_cast<size_t>(done);
  }
  return {};
}

Outcome FlushLocked(Context& cx, File* f) {
  if (f->write_size == 0) return {};
  const size_t n = f->write_size;
  f->write_size = 0;  // also on failure: a full disk must not fail again at close
  return WriteAll(cx, f, f->write_buffer, n);
}

// Forgets what was read ahead, and stands where the script thinks it stands.
Outcome DropReadAhead(File* f) {
  const size_t ahead = f->read_size - f->read_position;
  f->read_position = f->read_size = 0;
  if (ahead > 0 && ::lseek(f->fd.load(kRelaxed), -static_cast<off_t>(ahead), SEEK_CUR) < 0 && errno != ESPIPE) {
    return Failed();
  }
  return {};
}

bool EnsureBuffer(Context& cx, char** buffer) {
  if (*buffer == nullptr) *buffer = static_cast<char*>(cx.ts->heap()->Allocate(HeapKind::kRaw, kBufferSize));
  return *buffer != nullptr;
}

Outcome WriteLocked(Context& cx, File* f, const char* data, size_t n) {
  if (f->fd.load(kRelaxed) < 0) return {Io::kClosed, 0};
  if (f->read_size > 0) {
    if (Outcome o = DropReadAhead(f); o.io != Io::kOk) return o;
  }
  if (!f->buffered || !EnsureBuffer(cx, &f->write_buffer)) return WriteAll(cx, f, data, n);
  if (f->write_size + n > kBufferSize) {
    if (Outcome o = FlushLocked(cx, f); o.io != Io::kOk) return o;
  }
  if (n > kBufferSize) return WriteAll(cx, f, data, n);
  std::memcpy(f->write_buffer + f->write_size, data, n);
  f->write_size += n;
  if (f->write_through || (f->line_buffered && std::memchr(data, '\n', n) != nullptr)) return FlushLocked(cx, f);
  return {};
}

// Makes sure that there is something in the read buffer, or sets at_end.
Outcome Fill(Context& cx, File* f) {
  const int fd = f->fd.load(kRelaxed);
  if (fd < 0) return {Io::kClosed, 0};
  if (f->read_position < f->read_size) return {};
  if (f->write_size > 0) {
    if (Outcome o = FlushLocked(cx, f); o.io != Io::kOk) return o;
  }
  if (!EnsureBuffer(cx, &f->read_buffer)) return {Io::kNoMemory, 0};
  const ssize_t n = SysRead(cx, fd, f->read_buffer, kBufferSize);
  if (n < 0) return Failed();
  f->read_position = 0;
  f->read_size = static_cast<size_t>(n);
  f->at_end = n == 0;
  return {};
}

// Bytes under construction, in the raw heap.
class Bytebag {
 public:
  explicit Bytebag(Context& cx) : cx_(cx) {}
  ~Bytebag() {
    if (data_ != nullptr) cx_.ts->heap()->Free(data_);
  }
  bool Add(const char* data, size_t n) {
    if (!Reserve(size_ + n)) return false;
    std::memcpy(data_ + size_, data, n);
    size_ += n;
    return true;
  }
  bool Reserve(size_t room) {
    if (room <= room_) return true;
    room = std::max(room, room_ + room_ / 2 + 256);
    char* grown = static_cast<char*>(cx_.ts->heap()->Reallocate(data_, room));
    if (grown == nullptr) return false;
    data_ = grown;
    room_ = room;
    return true;
  }
  char* end() { return data_ + size_; }
  size_t room() const { return room_ - size_; }
  void Grow(size_t n) { size_ += n; }
  void set_size(size_t n) { size_ = n; }
  char* data() { return data_; }
  size_t size() const { return size_; }
  std::string_view view() const { return {data_, size_}; }

 private:
  Context& cx_;
  char* data_ = nullptr;
  size_t size_ = 0;
  size_t room_ = 0;
};

// Up to `limit` bytes (all if negative) of the file.
Outcome ReadBytesLocked(Context& cx, File* f, int64_t limit, Bytebag* out) {
  while (limit < 0 || out->size() < static_cast<size_t>(limit)) {
    const size_t want = limit < 0 ? SIZE_MAX : static_cast<size_t>(limit) - out->size();
    if (f->buffered || f->read_position < f->read_size) {
      // A large rest is read straight to where it belongs.
      if (f->read_position == f->read_size && want >= kBufferSize && limit >= 0) {
        if (f->fd.load(kRelaxed) < 0) return {Io::kClosed, 0};
        if (Outcome o = FlushLocked(cx, f); o.io != Io::kOk) return o;
        if (!out->Reserve(static_cast<size_t>(limit))) return {Io::kNoMemory, 0};
        const ssize_t n = SysRead(cx, f->fd.load(kRelaxed), out->end(), want);
        if (n < 0) return Failed();
        if (n == 0) break;
        out->Grow(static_cast<size_t>(n));
        continue;
      }
      if (Outcome o = Fill(cx, f); o.io != Io::kOk) return o;
      const size_t n = std::min(want, f->read_size - f->read_position);
      if (n == 0) break;
      if (!out->Add(f->read_buffer + f->read_position, n)) return {Io::kNoMemory, 0};
      f->read_position += n;
    } else {
      if (f->fd.load(kRelaxed) < 0) return {Io::kClosed, 0};
      if (!out->Reserve(out->size() + kBufferSize)) return {Io::kNoMemory, 0};
      const ssize_t n = SysRead(cx, f->fd.load(kRelaxed), out->end(), std::min(want, out->room()));
      if (n < 0) return Failed();
      if (n == 0) break;
      out->Grow(static_cast<size_t>(n));
      if (limit >= 0) break;  // an unbuffered read(n) is one system call
    }
  }
  return {};
}

// A line with its end, at most `limit` bytes.
Outcome ReadLineLocked(Context& cx, File* f, int64_t limit, Bytebag* out) {
  while (limit < 0 || out->size() < static_cast<size_t>(limit)) {
    if (Outcome o = Fill(cx, f); o.io != Io::kOk) return o;
    const char* from = f->read_buffer + f->read_position;
    size_t n = f->read_size - f->read_position;
    if (n == 0) break;
    if (limit >= 0) n = std::min(n, static_cast<size_t>(limit) - out->size());
    const char* end = static_cast<const char*>(std::memchr(from, '\n', n));
    bool complete = end != nullptr;
    if (complete) n = static_cast<size_t>(end - from) + 1;
    if (f->translate_newlines) {
      // A lone \r ends a line too; \r\n is looked at as a whole.
      const char* cr = static_cast<const char*>(std::memchr(from, '\r', n));
      if (cr != nullptr) {
        const size_t before = static_cast<size_t>(cr - from);
        if (!out->Add(from, before)) return {Io::kNoMemory, 0};
        f->read_position += before + 1;
        if (Outcome o = Fill(cx, f); o.io != Io::kOk) return o;
        if (f->read_position < f->read_size && f->read_buffer[f->read_position] == '\n') f->read_position++;
        if (!out->Add("\n", 1)) return {Io::kNoMemory, 0};
        return {};
      }
    }
    if (!out->Add(from, n)) return {Io::kNoMemory, 0};
    f->read_position += n;
    if (complete) break;
  }
  return {};
}

void TranslateNewlines(Bytebag* bag) {
  char* to = bag->data();
  const char* from = to;
  const char* end = from + bag->size();
  while (from < end) {
    if (*from == '\r') {
      from++;
      if (from < end && *from == '\n') from++;
      *to++ = '\n';
    } else {
      *to++ = *from++;
    }
  }
  bag->set_size(static_cast<size_t>(to - bag->data()));
}

// Bytes of the sequence that starts with `c`.
size_t Utf8Length(unsigned char c) { return c < 0xC0 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4; }

// `chars` code points of text.
Outcome ReadCharsLocked(Context& cx, File* f, int64_t chars, Bytebag* out) {
  for (int64_t i = 0; i < chars; i++) {
    if (Outcome o = Fill(cx, f); o.io != Io::kOk) return o;
    if (f->read_position == f->read_size) break;
    char c = f->read_buffer[f->read_position++];
    if (c == '\r' && f->translate_newlines) {
      if (Outcome o = Fill(cx, f); o.io != Io::kOk) return o;
      if (f->read_position < f->read_size && f->read_buffer[f->read_position] == '\n') f->read_position++;
      c = '\n';
    }
    if (!out->Add(&c, 1)) return {Io::kNoMemory, 0};
    for (size_t left = Utf8Length(static_cast<unsigned char>(c)) - 1; left > 0; left--) {
      if (Outcome o = Fill(cx, f); o.io != Io::kOk) return o;
      if (f->read_position == f->read_size) break;
      if (!out->Add(f->read_buffer + f->read_position++, 1)) return {Io::kNoMemory, 0};
    }
  }
  return {};
}

File* Self(Value v) { return v.as<File>(); }

bool CheckOpen(Context& cx, File* f) {
  if (f->fd.load(kRelaxed) >= 0) return true;
  RaiseValueError(cx, "I/O operation on closed file.");
  return false;
}

// io.UnsupportedOperation, which io.py defines; without it an OSError of that text. False.
bool RaiseUnsupported(Context& cx, const char* text) {
  Ref io = ImportModule(cx, "io");
  Str* name = io ? Intern(cx, "UnsupportedOperation") : nullptr;
  Ref cls = name != nullptr ? GetAttrOptional(cx, io, name) : Ref();
  if (!cls || !IsClass(cls)) {
    cx.ClearException();
    Raise(cx, cx.rt.exc.OSError, "%s", text);
  } else {
    Raise(cx, cls.as<Class>(), "%s", text);
  }
  return false;
}

bool CheckReadable(Context& cx, File* f) {
  if (!CheckOpen(cx, f)) return false;
  if (f->readable) return true;
  return RaiseUnsupported(cx, f->text ? "not readable" : f->buffered ? "read" : "File not open for reading");
}

bool CheckWritable(Context& cx, File* f) {
  if (!CheckOpen(cx, f)) return false;
  if (f->writable) return true;
  return RaiseUnsupported(cx, f->text ? "not writable" : f->buffered ? "write" : "File not open for writing");
}

Ref Finish(Context& cx, File* f, const Bytebag& bag) {
  if (f->text) return DecodeUtf8(cx, bag.view(), "strict");
  return NewBytes(cx, bag.view());
}

bool SizeArg(Context& cx, const Args& args, int64_t* out) {
  *out = -1;
  if (args.size() == 0 || args[0] == cx.None()) return true;
  return ToInt64(cx, args[0], out);
}

Ref FileRead(Context& cx, Value self, const Args& args) {
  File* f = Self(self);
  int64_t n;
  if (!SizeArg(cx, args, &n) || !CheckReadable(cx, f)) return nullptr;
  if (!f->text && n >= 0 && static_cast<size_t>(n) >= kBufferSize) {
    // A large block is read into the object that is returned, without a copy.
    Bytes* room = NewBytesRoom(cx, static_cast<size_t>(n));
    if (room == nullptr) return nullptr;
    Ref result = Ref::Steal(room);
    size_t got = 0;
    Outcome outcome;
    {
      FileLock lock(cx, f);
      outcome = FlushLocked(cx, f);
      // What was read ahead comes first.
      got = f->read_size - f->read_position;
      if (got > 0) std::memcpy(room->data, f->read_buffer + f->read_position, got);
      f->read_position = f->read_size = 0;
      while (outcome.io == Io::kOk && got < static_cast<size_t>(n)) {
        const int fd = f->fd.load(kRelaxed);
        if (fd < 0) {
          outcome = {Io::kClosed, 0};
          break;
        }
        const ssize_t done = SysRead(cx, fd, room->data + got, static_cast<size_t>(n) - got);
        if (done < 0) outcome = Failed();
        if (done <= 0) break;
        got += static_cast<size_t>(done);
        if (!f->buffered) break;
      }
    }
    if (!outcome.Raise(cx)) return nullptr;
    if (got == static_cast<size_t>(n)) return result;
    return NewBytes(cx, room->data, got);
  }
  Bytebag bag(cx);
  Outcome outcome;
  {
    FileLock lock(cx, f);
    outcome = f->text && n >= 0 ? ReadCharsLocked(cx, f, n, &bag) : ReadBytesLocked(cx, f, n, &bag);
  }
  if (!outcome.Raise(cx)) return nullptr;
  if (f->text && n < 0 && f->translate_newlines) TranslateNewlines(&bag);
  return Finish(cx, f, bag);
}

Ref ReadLine(Context& cx, Value self, int64_t limit) {
  File* f = Self(self);
  if (!CheckReadable(cx, f)) return nullptr;
  Bytebag bag(cx);
  Outcome outcome;
  {
    FileLock lock(cx, f);
    outcome = ReadLineLocked(cx, f, limit, &bag);
  }
  if (!outcome.Raise(cx)) return nullptr;
  return Finish(cx, f, bag);
}

Ref FileReadLine(Context& cx, Value self, const Args& args) {
  int64_t limit;
  if (!SizeArg(cx, args, &limit)) return nullptr;
  return ReadLine(cx, self, limit);
}

bool Empty(Value line) { return Is<Str>(line) ? line.as<Str>()->length == 0 : line.as<Bytes>()->length == 0; }

Ref FileReadLines(Context& cx, Value self, const Args&) {
  Ref list = NewList(cx);
  if (!list) return nullptr;
  for (;;) {
    Ref line = ReadLine(cx, self, -1);
    if (!line) return nullptr;
    if (Empty(line)) return list;
    if (!ListAppend(cx, list.as<List>(), line)) return nullptr;
  }
}

Ref FileNext(Context& cx, Value self) {
  Ref line = ReadLine(cx, self, -1);
  if (!line || Empty(line)) return nullptr;
  return line;
}

Ref FileIter(Context& cx, Value self) {
  if (!CheckOpen(cx, Self(self))) return nullptr;
  return Ref::New(self);
}

Ref FileReadInto(Context& cx, Value self, const Args& args) {
  File* f = Self(self);
  if (!CheckReadable(cx, f)) return nullptr;
  BufferView view(cx);
  if (!view.Open(args[0], true)) return nullptr;
  if (view.mutable_data() == nullptr) return RaiseTypeError(cx, "readinto() argument must be read-write bytes-like object");
  Bytebag bag(cx);
  Outcome outcome;
  {
    FileLock lock(cx, f);
    outcome = ReadBytesLocked(cx, f, static_cast<int64_t>(view.size()), &bag);
  }
  if (!outcome.Raise(cx)) return nullptr;
  if (bag.size() > 0) std::memcpy(view.mutable_data(), bag.data(), bag.size());
  return NewInt(cx, static_cast<int64_t>(bag.size()));
}

bool WriteBytes(Context& cx, File* f, std::string_view data) {
  if (!CheckWritable(cx, f)) return false;
  Outcome outcome;
  {
    FileLock lock(cx, f);
    outcome = WriteLocked(cx, f, data.data(), data.size());
  }
  return outcome.Raise(cx);
}

Ref FileWriteMethod(Context& cx, Value self, const Args& args) {
  File* f = Self(self);
  if (!f->text) {
    BufferView view(cx);
    if (!view.Open(args[0]) || !WriteBytes(cx, f, view.view())) return nullptr;
    return NewInt(cx, static_cast<int64_t>(view.size()));
  }
  if (!Is<Str>(args[0])) return RaiseTypeError(cx, "write() argument must be str, not %s", ClassName(cx, args[0]));
  Str* s = args[0].as<Str>();
  if (s->ascii) {
    if (!WriteBytes(cx, f, AsciiView(s))) return nullptr;
  } else {
    Ref bytes = EncodeStr(cx, s, "utf-8", "strict");
    if (!bytes || !WriteBytes(cx, f, bytes.as<Bytes>()->view())) return nullptr;
  }
  return NewInt(cx, static_cast<int64_t>(s->length));
}

Ref FileWriteLines(Context& cx, Value self, const Args& args) {
  if (!Iterate(cx, args[0], [&](Value line) {
        Ref done = FileWriteMethod(cx, self, Args(&line, 1));
        return static_cast<bool>(done);
      })) {
    return nullptr;
  }
  return cx.NoneRef();
}

bool Flush(Context& cx, File* f) {
  Outcome outcome;
  {
    FileLock lock(cx, f);
    outcome = FlushLocked(cx, f);
  }
  return outcome.Raise(cx);
}

Ref FileFlushMethod(Context& cx, Value self, const Args&) {
  if (!CheckOpen(cx, Self(self)) || !Flush(cx, Self(self))) return nullptr;
  return cx.NoneRef();
}

bool Close(Context& cx, File* f) {
  Outcome outcome;
  {
    FileLock lock(cx, f);
    const int fd = f->fd.load(kRelaxed);
    if (fd >= 0) {
      outcome = FlushLocked(cx, f);
      f->fd.store(-1, kRelaxed);  // the mutex orders it; unlocked readers only ask whether it is closed
      f->read_position = f->read_size = 0;
      if (f->owns_fd && Detached(cx, [=] { return ::close(fd); }) < 0 && outcome.io == Io::kOk) outcome = Failed();
    }
  }
  return outcome.Raise(cx);
}

Ref FileClose(Context& cx, Value self, const Args&) {
  if (!Close(cx, Self(self))) return nullptr;
  return cx.NoneRef();
}

Ref FileEnter(Context& cx, Value self, const Args&) {
  if (!CheckOpen(cx, Self(self))) return nullptr;
  return Ref::New(self);
}

Ref FileSeek(Context& cx, Value self, const Args& args) {
  File* f = Self(self);
  int64_t offset, whence = 0;
  if (!ToInt64(cx, args[0], &offset) || (args.size() > 1 && !ToInt64(cx, args[1], &whence))) return nullptr;
  if (!CheckOpen(cx, f)) return nullptr;
  if (whence < 0 || whence > 2) return RaiseValueError(cx, "invalid whence (%d, should be 0, 1 or 2)", static_cast<int>(whence));
  Outcome outcome;
  off_t at = 0;
  {
    FileLock lock(cx, f);
    outcome = FlushLocked(cx, f);
    if (outcome.io == Io::kOk) outcome = DropReadAhead(f);
    if (outcome.io == Io::kOk) {
      at = ::lseek(f->fd.load(kRelaxed), offset, whence == 0 ? SEEK_SET : whence == 1 ? SEEK_CUR : SEEK_END);
      if (at < 0) outcome = Failed();
    }
  }
  if (!outcome.Raise(cx)) return nullptr;
  return NewInt(cx, at);
}

Ref FileTell(Context& cx, Value self, const Args&) {
  File* f = Self(self);
  if (!CheckOpen(cx, f)) return nullptr;
  Outcome outcome;
  off_t at;
  {
    FileLock lock(cx, f);
    at = ::lseek(f->fd.load(kRelaxed), 0, SEEK_CUR);
    if (at < 0) {
      outcome = Failed();
    } else {
      at += static_cast<off_t>(f->write_size);
      at -= static_cast<off_t>(f->read_size - f->read_position);
    }
  }
  if (!outcome.Raise(cx)) return nullptr;
  return NewInt(cx, at);
}

Ref FileTruncate(Context& cx, Value self, const Args& args) {
  File* f = Self(self);
  if (!CheckWritable(cx, f)) return nullptr;
  int64_t size;
  if (args.size() == 0 || args[0] == cx.None()) {
    Ref at = FileTell(cx, self, Args());
    if (!at) return nullptr;
    if (!ToInt64(cx, at, &size)) return nullptr;
  } else if (!ToInt64(cx, args[0], &size)) {
    return nullptr;
  }
  Outcome outcome;
  {
    FileLock lock(cx, f);
    outcome = FlushLocked(cx, f);
    if (outcome.io == Io::kOk && ::ftruncate(f->fd.load(kRelaxed), size) < 0) outcome = Failed();
  }
  if (!outcome.Raise(cx)) return nullptr;
  return NewInt(cx, size);
}

Ref FileFileno(Context& cx, Value self, const Args&) {
  if (Self(self)->fd.load(kRelaxed) < 0) return RaiseValueError(cx, "I/O operation on closed file");
  return Ref::Small(Self(self)->fd.load(kRelaxed));
}

Ref FileIsATty(Context& cx, Value self, const Args&) {
  if (!CheckOpen(cx, Self(self))) return nullptr;
  return cx.BoolRef(::isatty(Self(self)->fd.load(kRelaxed)) == 1);
}

Ref FileReadable(Context& cx, Value self, const Args&) { return cx.BoolRef(Self(self)->readable); }
Ref FileWritable(Context& cx, Value self, const Args&) { return cx.BoolRef(Self(self)->writable); }
Ref FileSeekable(Context& cx, Value self, const Args&) {
  return cx.BoolRef(::lseek(Self(self)->fd.load(kRelaxed), 0, SEEK_CUR) >= 0);
}

const MethodDef kFileMethods[] = {
    {"read", FileRead, 0, 1},
    {"readline", FileReadLine, 0, 1},
    {"readlines", FileReadLines, 0, 1},
    {"readinto", FileReadInto, 1, 1},
    {"write", FileWriteMethod, 1, 1},
    {"writelines", FileWriteLines, 1, 1},
    {"flush", FileFlushMethod, 0, 0},
    {"close", FileClose, 0, 0},
    {"__enter__", FileEnter, 0, 0},
    {"__exit__", FileClose, 0, 3},
    {"seek", FileSeek, 1, 2},
    {"tell", FileTell, 0, 0},
    {"truncate", FileTruncate, 0, 1},
    {"fileno", FileFileno, 0, 0},
    {"isatty", FileIsATty, 0, 0},
    {"readable", FileReadable, 0, 0},
    {"writable", FileWritable, 0, 0},
    {"seekable", FileSeekable, 0, 0},
    {},
};

Ref GetClosed(Context& cx, Value self) { return cx.BoolRef(Self(self)->fd.load(kRelaxed) < 0); }
Ref GetName(Context&, Value self) { return Ref::New(PeekSlot(Self(self)->name)); }
Ref GetMode(Context&, Value self) { return Ref::New(PeekSlot(Self(self)->mode)); }
void RaiseNoAttribute(Context& cx, Value self, const char* name) {
  Str* s = Intern(cx, name);
  if (s != nullptr) RaiseAttributeError(cx, self, s);
}
Ref GetEncoding(Context& cx, Value self) {
  if (!Self(self)->text) {
    RaiseNoAttribute(cx, self, "encoding");
    return nullptr;
  }
  return NewStr(cx, "utf-8");
}
Ref GetErrors(Context& cx, Value self) {
  if (!Self(self)->text) {
    RaiseNoAttribute(cx, self, "errors");
    return nullptr;
  }
  return NewStr(cx, "strict");
}

// A binary file on the same descriptor. Writes on it come after what was written so far.
Ref GetBuffer(Context& cx, Value self) {
  File* f = Self(self);
  if (!f->text) {
    RaiseNoAttribute(cx, self, "buffer");
    return nullptr;
  }
  if (!Flush(cx, f)) return nullptr;
  Ref r = NewInstance(cx, f->writable ? State(cx).writer : State(cx).reader);
  if (!r) return nullptr;
  File* b = r.as<File>();
  b->fd.store(f->fd.load(kRelaxed), kRelaxed);
  b->readable = f->readable;
  b->writable = f->writable;
  b->buffered = true;
  b->write_through = true;
  InitSlot(b->name, Ref::New(PeekSlot(f->name)));
  InitSlot(b->mode, Ref::New(PeekSlot(f->mode)));
  return r;
}

const GetSetDef kFileGetSet[] = {
    {"closed", GetClosed, nullptr}, {"name", GetName, nullptr},     {"mode", GetMode, nullptr},
    {"encoding", GetEncoding, nullptr}, {"errors", GetErrors, nullptr}, {"buffer", GetBuffer, nullptr},
    {},
};

Ref FileRepr(Context& cx, Value self) {
  File* f = Self(self);
  Ref shown_name = Repr(cx, PeekSlot(f->name));
  Ref shown_mode = shown_name ? Repr(cx, PeekSlot(f->mode)) : nullptr;
  if (!shown_mode) return nullptr;
  const std::string name = ToUtf8(shown_name.as<Str>()), mode = ToUtf8(shown_mode.as<Str>());
  Class* cls = ClassOf(self.object());
  std::string text = std::string("<_io.") + ShortName(cls) + " name=" + name;
  if (f->text) {
    text += " mode=" + mode + " encoding='" + (f->owns_fd ? "UTF-8" : "utf-8") + "'";
  } else if (!f->buffered) {
    text += " mode=" + mode + " closefd=True";
  }
  return NewStr(cx, text + ">");
}

void FileDestroy(Context& cx, Object* obj) {
  File* f = static_cast<File*>(obj);
  {
    PendingScope pending(cx);
    if (!Close(cx, f)) WriteUnraisable(cx, cx.None());
  }
  if (f->read_buffer != nullptr) FreeRaw(cx, f->read_buffer);
  if (f->write_buffer != nullptr) FreeRaw(cx, f->write_buffer);
  f->read_buffer = f->write_buffer = nullptr;
  Ref name = ExchangeSlotLocked(f->name, nullptr);
  Ref mode = ExchangeSlotLocked(f->mode, nullptr);
}

// ---- open()

struct Mode {
  bool reading = false, writing = false, appending = false, creating = false, updating = false;
  bool text = false, binary = false;
};

bool ParseMode(Context& cx, const std::string& text, Mode* mode) {
  for (size_t i = 0; i < text.size(); i++) {
    if (text.find(text[i], i + 1) != std::string::npos) return RaiseValueError(cx, "invalid mode: '%s'", text.c_str()), false;
    switch (text[i]) {
      case 'r': mode->reading = true; break;
      case 'w': mode->writing = true; break;
      case 'a': mode->appending = true; break;
      case 'x': mode->creating = true; break;
      case '+': mode->updating = true; break;
      case 't': mode->text = true; break;
      case 'b': mode->binary = true; break;
      default: return RaiseValueError(cx, "invalid mode: '%s'", text.c_str()), false;
    }
  }
  if (mode->text && mode->binary) return RaiseValueError(cx, "can't have text and binary mode at once"), false;
  if (mode->reading + mode->writing + mode->appending + mode->creating != 1) {
    return RaiseValueError(cx, "must have exactly one of create/read/write/append mode"), false;
  }
  return true;
}

Ref NewFile(Context& cx, Class* cls, int fd, Value name, const char* mode) {
  Ref shown = NewStr(cx, mode);
  if (!shown) return nullptr;
  Ref r = NewInstance(cx, cls);
  if (!r) return nullptr;
  File* f = r.as<File>();
  f->fd.store(fd, kRelaxed);
  InitSlot(f->name, Ref::New(name));
  InitSlot(f->mode, std::move(shown));
  return r;
}

}  // namespace

Ref OpenFile(Context& cx, const Args& args) {
  Value v[8];
  if (!ParseArgs(cx, "open", args,
                 {"file", "mode", "buffering", "encoding", "errors", "newline", "closefd", "opener"}, 1, v)) {
    return nullptr;
  }
  std::string mode_text = "r";
  if (v[1]) {
    Str* s = ToStr(cx, v[1], "open");
    if (s == nullptr) return nullptr;
    mode_text = ToUtf8(s);
  }
  Mode mode;
  if (!ParseMode(cx, mode_text, &mode)) return nullptr;
  int64_t buffering = -1;
  if (v[2] && !ToInt64(cx, v[2], &buffering)) return nullptr;
  if (buffering == 0 && !mode.binary) return RaiseValueError(cx, "can't have unbuffered text I/O");
  if (mode.binary) {
    const char* const names[] = {"encoding", "errors", "newline"};
    for (int i = 0; i < 3; i++) {
      if (v[3 + i] && v[3 + i] != cx.None()) {
        return RaiseValueError(cx, "binary mode doesn't take %s %s argument", i == 0 || i == 1 ? "an" : "a", names[i]);
      }
    }
  }
  bool translate = !mode.binary;
  if (v[5] && v[5] != cx.None()) {
    Str* s = ToStr(cx, v[5], "open");
    if (s == nullptr) return nullptr;
    translate = false;
  }

  int fd;
  bool owns = true;
  if (v[0].is_small_int()) {
    fd = static_cast<int>(v[0].small_int());
    if (fd < 0) return RaiseValueError(cx, "negative file descriptor");
    if (v[6]) owns = IsTrue(cx, v[6]) == 1;
  } else {
    std::string path;
    if (!PathText(cx, v[0], &path)) return nullptr;
    int flags = O_CLOEXEC;
    flags |= mode.updating ? O_RDWR : mode.reading ? O_RDONLY : O_WRONLY;
    if (mode.writing) flags |= O_CREAT | O_TRUNC;
    if (mode.creating) flags |= O_CREAT | O_EXCL;
    if (mode.appending) flags |= O_CREAT | O_APPEND;
    {
      BlockingScope detached(cx.ts);
      do {
        fd = ::open(path.c_str(), flags, 0666);
      } while (fd < 0 && errno == EINTR);
    }
    if (fd < 0) return RaiseOsError(cx, errno, path.c_str());
    struct stat st;
    if (::fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
      ::close(fd);
      return RaiseOsError(cx, EISDIR, path.c_str());
    }
  }
  FileState& state = State(cx);
  const bool readable = mode.reading || mode.updating;
  const bool writable = !mode.reading || mode.updating;
  Class* cls = !mode.binary ? state.text
               : buffering == 0 ? state.raw
               : readable && writable ? state.random
               : readable ? state.reader
                          : state.writer;
  std::string shown = mode_text;
  if (mode.binary && buffering == 0) {
    shown = mode.reading && !mode.updating ? "rb" : mode.updating ? "rb+" : mode.appending ? "ab" : mode.creating ? "xb" : "wb";
  }
  Ref r = NewFile(cx, cls, fd, v[0], shown.c_str());
  if (!r) {
    if (owns) ::close(fd);
    return nullptr;
  }
  File* f = r.as<File>();
  f->text = !mode.binary;
  f->readable = readable;
  f->writable = writable;
  f->appending = mode.appending;
  f->buffered = buffering != 0;
  f->line_buffered = f->text && (buffering == 1 || ::isatty(fd) == 1);
  f->owns_fd = owns;
  f->translate_newlines = translate;
  if (mode.appending) ::lseek(fd, 0, SEEK_END);
  return r;
}

Ref NewStandardStream(Context& cx, int fd, const char* name, bool writable) {
  Ref shown = NewStr(cx, name);
  if (!shown) return nullptr;
  Ref r = NewFile(cx, State(cx).text, fd, shown, writable ? "w" : "r");
  if (!r) return nullptr;
  File* f = r.as<File>();
  f->text = true;
  f->readable = !writable;
  f->writable = writable;
  f->buffered = true;
  f->line_buffered = writable && ::isatty(fd) == 1;
  f->write_through = fd == 2;
  f->translate_newlines = true;
  State(cx).standard[fd] = r;
  SetImmortal(cx.ts, f);
  return r;
}

bool IsTextFile(Context& cx, Value v) { return IsExact(v, State(cx).text); }

bool FileWrite(Context& cx, Value file, std::string_view utf8) { return WriteBytes(cx, file.as<File>(), utf8); }

bool FileFlush(Context& cx, Value file) {
  return CheckOpen(cx, file.as<File>()) && Flush(cx, file.as<File>());
}

bool FlushStandardStreams(Context& cx) {
  PendingScope pending(cx);
  bool good = true;
  for (Value v : State(cx).standard) {
    if (!v || !v.as<File>()->writable || v.as<File>()->fd.load(kRelaxed) < 0 || Flush(cx, v.as<File>())) continue;
    good = false;
    WriteUnraisable(cx, v);
  }
  return good;
}

bool InitFileClasses(Context& cx) {
  static NativeType types[5];
  static const char* const names[5] = {"_io.TextIOWrapper", "_io.BufferedReader", "_io.BufferedWriter",
                                       "_io.BufferedRandom", "_io.FileIO"};
  static const bool made = [] {
    for (int i = 0; i < 5; i++) {
      types[i].name = names[i] + strlen("_io.");
      types[i].full_name = names[i];
      types[i].module = "_io";
      types[i].size = sizeof(File);
      types[i].flags = kTypeWeakrefs;
      types[i].slots.repr = FileRepr;
      types[i].slots.iter = FileIter;
      types[i].slots.next = FileNext;
      types[i].methods = kFileMethods;
      types[i].getset = kFileGetSet;
      types[i].destroy = FileDestroy;
    }
    return true;
  }();
  (void)made;
  FileState& state = State(cx);
  if (state.text != nullptr) return true;
  Class** const classes[5] = {&state.text, &state.reader, &state.writer, &state.random, &state.raw};
  for (int i = 0; i < 5; i++) {
    *classes[i] = DefineType(cx, types[i]);
    if (*classes[i] == nullptr) return false;
  }
  return true;
}

namespace {

Ref OpenFunction(Context& cx, Value, const Args& args) { return OpenFile(cx, args); }

const MethodDef kIoFunctions[] = {
    {"open", OpenFunction, 1, 8, kMethodKeywords},
    {},
};

bool InitIoModule(Context& cx, Module* module) {
  if (!InitFileClasses(cx)) return false;
  FileState& state = State(cx);
  return AddToModule(cx, module, "TextIOWrapper", state.text) && AddToModule(cx, module, "BufferedReader", state.reader) &&
         AddToModule(cx, module, "BufferedWriter", state.writer) &&
         AddToModule(cx, module, "BufferedRandom", state.random) && AddToModule(cx, module, "FileIO", state.raw) &&
         AddToModule(cx, module, "DEFAULT_BUFFER_SIZE", Ref::Small(8192));
}

}  // namespace

const ModuleDef kIoModule = {"_io", kIoFunctions, InitIoModule};

}  // namespace tidepool::rt
