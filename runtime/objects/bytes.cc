// bytes and bytearray: storage, buffer access, construction, repr. Shared methods are in bytes_methods.cc,
// what only a bytearray can do in bytearray.cc, memoryview in memoryview.cc.
#include "tidepool/runtime/objects/bytes.h"

#include <cstring>
#include <utility>

#include "tidepool/runtime/objects/bytes_internal.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/text.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {

Bytes* NewBytesRoom(Context& cx, size_t n) {
  if (n > (SIZE_MAX >> 4)) return RaiseMemoryError(cx), nullptr;
  auto* b = NewExact<Bytes>(cx, cx.rt.cls.bytes, sizeof(Bytes) + n + 1);
  if (b == nullptr) return nullptr;
  b->length = n;
  b->hash.store(0, kRelaxed);
  b->data[n] = 0;
  return b;
}

Ref NewBytes(Context& cx, const void* data, size_t n) {
  Bytes* b = NewBytesRoom(cx, n);
  if (b == nullptr) return nullptr;
  Ref r = Ref::Steal(b);
  CopyBytes(cx, b->data, data, n);
  return r;
}

Ref NewByteArray(Context& cx, const void* data, size_t n) {
  auto* b = NewExact<ByteArray>(cx, cx.rt.cls.bytearray);
  if (b == nullptr) return nullptr;
  b->length.store(0, kRelaxed);
  b->data = nullptr;
  b->capacity = 0;
  b->exports = 0;
  b->borrows = 0;
  b->borrowed = false;
  b->replaced = nullptr;
  Ref r = Ref::Steal(b);
  if (n != 0) {
    b->data = static_cast<char*>(AllocateRaw(cx, n));
    if (b->data == nullptr) return nullptr;
    b->capacity = n;
    CopyBytes(cx, b->data, data, n);
    b->length.store(static_cast<int64_t>(n), kRelease);
  }
  return r;
}

Ref NewBytesLike(Context& cx, Value like, std::string_view s) {
  return HasLayout(like, Layout::kByteArray) ? NewByteArray(cx, s.data(), s.size()) : NewBytes(cx, s);
}

void AppendBytesRepr(std::string_view s, TextBuffer* out, bool escape_single) {
  char quote = s.find('\'') != std::string_view::npos && s.find('"') == std::string_view::npos ? '"' : '\'';
  out->Put(U'b');
  out->Put(static_cast<char32_t>(quote));
  for (char ch : s) {
    auto c = static_cast<unsigned char>(ch);
    if (ch == quote || ch == '\\' || (ch == '\'' && escape_single)) {
      out->Put(U'\\');
      out->Put(c);
    } else if (ch == '\t') {
      out->PutBytes("\\t", 2);
    } else if (ch == '\n') {
      out->PutBytes("\\n", 2);
    } else if (ch == '\r') {
      out->PutBytes("\\r", 2);
    } else if (c < 0x20 || c >= 0x7F) {
      char text[8];
      out->PutBytes(text, static_cast<size_t>(std::snprintf(text, sizeof(text), "\\x%02x", c)));
    } else {
      out->Put(c);
    }
  }
  out->Put(static_cast<char32_t>(quote));
}

Ref BytesRepr(Context& cx, std::string_view s) {
  TextBuffer out;
  AppendBytesRepr(s, &out);
  return NewStrFromBuffer(cx, out);
}

// ---- BufferView

namespace {

void Export(Context& cx, Value base, int64_t change) {
  if (!HasLayout(base, Layout::kByteArray)) return;
  auto* b = base.as<ByteArray>();
  ObjectLock lock(cx.ts, b);
  b->exports += change;
}

}  // namespace

void ExportBuffer(Context& cx, Value base) { Export(cx, base, 1); }
void UnexportBuffer(Context& cx, Value base) { Export(cx, base, -1); }

bool BufferView::Supports(Value v) {
  return HasLayout(v, Layout::kBytes) || HasLayout(v, Layout::kByteArray) || HasLayout(v, Layout::kMemoryView);
}

bool BufferView::Open(Value v, bool writable) {
  Release();
  if (HasLayout(v, Layout::kBytes)) {
    auto* b = v.as<Bytes>();
    base_ = Ref::New(v);
    data_ = b->data;
    size_ = b->length;
    readonly_ = true;
    return true;
  }
  if (HasLayout(v, Layout::kByteArray)) {
    auto* b = v.as<ByteArray>();
    ObjectLock lock(cx_.ts, b);
    ++(writable ? b->exports : b->borrows);
    borrowed_ = !writable;
    if (borrowed_) b->borrowed = true;
    base_ = Ref::New(v);
    data_ = b->data;
    size_ = static_cast<size_t>(b->length.load(kRelaxed));
    readonly_ = !writable;
    return true;
  }
  if (HasLayout(v, Layout::kMemoryView)) {
    auto* m = v.as<MemoryView>();
    if (!OpenMemoryView(cx_, m, &base_)) return false;
    readonly_ = m->readonly;
    size_ = static_cast<size_t>(m->length);
    data_ = m->data;
    if (m->stride == 1 || size_ == 0) return true;
    Ref copy = Ref::Steal(NewBytesRoom(cx_, size_));
    if (!copy) return false;
    for (size_t i = 0; i < size_; ++i) copy.as<Bytes>()->data[i] = m->data[static_cast<int64_t>(i) * m->stride];
    UnexportBuffer(cx_, base_);
    base_ = std::move(copy);
    data_ = base_.as<Bytes>()->data;
    readonly_ = true;
    return true;
  }
  RaiseTypeError(cx_, "a bytes-like object is required, not '%s'", ClassName(cx_, v));
  return false;
}

void BufferView::Release() {
  if (!base_) return;
  if (borrowed_) {
    auto* b = base_.as<ByteArray>();
    ReplacedBuffer* gone = nullptr;
    {
      ObjectLock lock(cx_.ts, b);
      if (--b->borrows == 0) {
        b->borrowed = false;
        std::swap(gone, b->replaced);
      }
    }
    while (gone != nullptr) {
      ReplacedBuffer* next = gone->next;
      FreeRaw(cx_, gone->data);
      FreeRaw(cx_, gone);
      gone = next;
    }
    borrowed_ = false;
  } else {
    UnexportBuffer(cx_, base_);
  }
  base_.reset();
  data_ = nullptr;
  size_ = 0;
}

// ---- construction

bool ToByte(Context& cx, Value v, unsigned char* out, const char* what) {
  if (!IsInt(v) && ClassOf(cx, v)->slots.index == nullptr) {
    RaiseTypeError(cx, "'%s' object cannot be interpreted as an integer", ClassName(cx, v));
    return false;
  }
  int64_t n;
  if (!ToIndexClamped(cx, v, &n)) return false;
  if (n < 0 || n > 255) {
    RaiseValueError(cx, "%s must be in range(0, 256)", what);
    return false;
  }
  *out = static_cast<unsigned char>(n);
  return true;
}

Ref BytesFromArgs(Context& cx, const char* name, const Args& args) {
  Value v[3];
  if (!ParseArgs(cx, name, args, {"source", "encoding", "errors"}, 0, v)) return nullptr;
  if (v[0] && IsStr(v[0])) {
    if (!v[1]) return RaiseTypeError(cx, "string argument without an encoding");
    Str* encoding = ToStr(cx, v[1], name);
    Str* errors = v[2] ? ToStr(cx, v[2], name) : nullptr;
    if (cx.has_exception()) return nullptr;
    return EncodeStr(cx, v[0].as<Str>(), AsciiView(encoding), errors != nullptr ? AsciiView(errors) : "strict");
  }
  if (v[1] || v[2]) {
    return RaiseTypeError(cx, v[1] ? "encoding without a string argument" : "errors without a string argument");
  }
  if (!v[0]) return NewBytes(cx, nullptr, 0);
  if (IsExact(v[0], cx.rt.cls.bytes)) return Ref::New(v[0]);
  bool found = false;
  if (!BufferView::Supports(v[0])) {
    Ref r = CallSpecial(cx, v[0], cx.rt.names.bytes, Args(), &found);
    if (found) {
      if (r && !HasLayout(r, Layout::kBytes)) {
        return RaiseTypeError(cx, "__bytes__ returned non-bytes (type %s)", ClassName(cx, r));
      }
      return r;
    }
  }
  if (IsInt(v[0]) || (!BufferView::Supports(v[0]) && ClassOf(cx, v[0])->slots.index != nullptr)) {
    int64_t n;
    if (!ToInt64(cx, v[0], &n)) return nullptr;
    if (n < 0) return RaiseValueError(cx, "negative count");
    Bytes* b = NewBytesRoom(cx, static_cast<size_t>(n));
    if (b == nullptr && ReclaimMemory(cx)) b = NewBytesRoom(cx, static_cast<size_t>(n));
    if (b == nullptr) return nullptr;
    std::memset(b->data, 0, static_cast<size_t>(n));
    return Ref::Steal(b);
  }
  if (BufferView::Supports(v[0])) {
    BufferView view(cx);
    if (!view.Open(v[0])) return nullptr;
    return NewBytes(cx, view.view());
  }
  TextBuffer out;  // bytes as Latin-1
  bool ok = Iterate(cx, v[0], [&](Value item) {
    unsigned char c;
    if (!ToByte(cx, item, &c, name[4] == 's' ? "bytes" : "byte")) return false;
    out.Put(c);
    return true;
  });
  if (!ok) {
    if (PendingIs(cx, cx.rt.exc.TypeError) && !MayIterate(ClassOf(cx, v[0]))) {
      cx.ClearException();
      return RaiseTypeError(cx, "cannot convert '%s' object to %s", ClassName(cx, v[0]), name);
    }
    return nullptr;
  }
  if (out.failed()) return RaiseMemoryError(cx);
  return NewBytes(cx, out.view().data, out.size());
}

}  // namespace tidepool::rt
