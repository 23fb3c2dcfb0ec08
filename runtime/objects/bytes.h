// bytes, bytearray and memoryview.
//
// bytes are immutable and hold their data in the object. A bytearray holds a raw buffer that is
// replaced when it grows; it is read and written under the object mutex. A memoryview (and whoever
// writes into raw memory) *exports* the buffer: while exports > 0 the buffer does not move and resizing
// is a BufferError, so its address stays valid; the bytes themselves may change under the reader's eyes,
// as with CPython. An operation that only reads (BufferView) *borrows* it instead, which no other thread
// notices: resizing goes on, and a buffer that is replaced meanwhile waits in `replaced` for the last
// borrower.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_BYTES_H_
#define TIDEPOOL_RUNTIME_OBJECTS_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/context.h"
#include "tidepool/runtime/vm/value.h"

namespace tidepool::rt {

struct Bytes : Object {
  static constexpr Layout kLayout = Layout::kBytes;
  size_t length;
  Atomic<int64_t> hash;  // 0: not computed
  char data[];           // followed by a zero
  std::string_view view() const { return {data, length}; }
};

struct ReplacedBuffer {
  ReplacedBuffer* next;
  char* data;
};

struct ByteArray : Object {
  static constexpr Layout kLayout = Layout::kByteArray;
  Atomic<int64_t> length;
  char* data;            // raw heap; null when capacity is 0
  size_t capacity;
  int64_t exports;
  int64_t borrows;       // of `data` and of what is in `replaced`
  bool borrowed;         // `data` itself: a change of size replaces it
  ReplacedBuffer* replaced;  // what borrowers may look at still
};

struct MemoryView : Object {
  static constexpr Layout kLayout = Layout::kMemoryView;
  Slot base;             // the bytes or bytearray; null when released
  char* data;
  int64_t length;        // items (bytes)
  int64_t stride;        // distance of neighbours
  bool readonly;
};

Ref NewBytes(Context& cx, const void* data, size_t n);
inline Ref NewBytes(Context& cx, std::string_view s) { return NewBytes(cx, s.data(), s.size()); }
// For the caller to fill; data[n] is zero. Null: MemoryError.
Bytes* NewBytesRoom(Context& cx, size_t n);
Ref NewByteArray(Context& cx, const void* data, size_t n);
Ref NewMemoryView(Context& cx, Value base);
Ref BytesRepr(Context& cx, std::string_view s);

// The memory of a bytes-like object, kept alive and in place for the life of the view. No lock is held.
class BufferView {
 public:
  explicit BufferView(Context& cx) : cx_(cx) {}
  ~BufferView() { Release(); }
  BufferView(const BufferView&) = delete;
  BufferView& operator=(const BufferView&) = delete;
  // TypeError "a bytes-like object is required, not 'X'". A strided memoryview is copied.
  // `writable`: the memory is written to, so that it must stay the object's.
  bool Open(Value v, bool writable = false);
  // Without raising: false if it is no bytes-like object.
  static bool Supports(Value v);
  void Release();
  const char* data() const { return data_; }
  char* mutable_data() { return readonly_ ? nullptr : data_; }
  size_t size() const { return size_; }
  std::string_view view() const { return {data_, size_}; }

 private:
  Context& cx_;
  Ref base_;
  char* data_ = nullptr;
  size_t size_ = 0;
  bool readonly_ = true;
  bool borrowed_ = false;
};

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_BYTES_H_
