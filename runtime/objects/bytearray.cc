// bytearray: everything that changes it, under the object mutex.
//
// A resize replaces the raw buffer; it is refused while the buffer is exported. Nothing reads the buffer
// without the mutex or an export, so the old one is freed at once.
#include <cstring>

#include "tidepool/runtime/objects/bytes_internal.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/slice.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

enum class Resize { kOk, kExported, kMemory };

// Makes [at, at + old_count) into a hole of new_count bytes.
Resize MakeRoom(Context& cx, ByteArray* b, int64_t at, int64_t old_count, int64_t new_count) {
  int64_t n = b->length.load(kRelaxed);
  if (old_count == new_count) return Resize::kOk;
  if (b->exports > 0) return Resize::kExported;
  int64_t size = n - old_count + new_count;
  char* data = b->data;
  ReplacedBuffer* replaced = nullptr;
  // Bytes that a borrower looks at stay as they are, wherever the change happens.
  if (static_cast<size_t>(size) > b->capacity || b->borrowed) {
    size_t room = static_cast<size_t>(size) + static_cast<size_t>(size) / 4 + 16;
    data = static_cast<char*>(cx.ts->heap()->Allocate(HeapKind::kRaw, room));
    if (data == nullptr) return Resize::kMemory;
    if (b->data != nullptr && b->borrowed) {
      replaced = static_cast<ReplacedBuffer*>(cx.ts->heap()->Allocate(HeapKind::kRaw, sizeof(ReplacedBuffer)));
      if (replaced == nullptr) {
        FreeRaw(cx, data);
        return Resize::kMemory;
      }
    }
    if (at != 0) std::memcpy(data, b->data, static_cast<size_t>(at));
    b->capacity = room;
  }
  int64_t tail = n - at - old_count;
  if (tail != 0) std::memmove(data + at + new_count, b->data + at + old_count, static_cast<size_t>(tail));
  if (data != b->data) {
    if (replaced != nullptr) {
      *replaced = {b->replaced, b->data};
      b->replaced = replaced;
      b->borrowed = false;
    } else if (b->data != nullptr) {
      FreeRaw(cx, b->data);
    }
    b->data = data;
  }
  b->length.store(size, kRelease);
  return Resize::kOk;
}

bool Report(Context& cx, Resize r) {
  if (r == Resize::kExported) {
    Raise(cx, cx.rt.exc.BufferError, "Existing exports of data: object cannot be re-sized");
  } else if (r == Resize::kMemory) {
    RaiseMemoryError(cx);
  }
  return r == Resize::kOk;
}

bool AppendBytes(Context& cx, ByteArray* b, std::string_view s) {
  Resize r;
  {
    ObjectLock lock(cx.ts, b);
    int64_t n = b->length.load(kRelaxed);
    r = MakeRoom(cx, b, n, 0, static_cast<int64_t>(s.size()));
    if (r == Resize::kOk && !s.empty()) std::memcpy(b->data + n, s.data(), s.size());
  }
  return Report(cx, r);
}

// The bytes of any value that bytearray accepts, as a Bytes (copied: it may be the bytearray itself).
Ref AsBytes(Context& cx, Value v) {
  if (IsExact(v, cx.rt.cls.bytes)) return Ref::New(v);
  if (IsInt(v) || IsFloat(v) || IsStr(v) || ClassOf(cx, v)->slots.index != nullptr) {
    return RaiseTypeError(cx, "can assign only bytes, buffers, or iterables of ints in range(0, 256)");
  }
  return BytesFromArgs(cx, "bytearray", Args(&v, 1));
}

bool DeleteSlice(Context& cx, ByteArray* b, SliceRange r) {
  Resize result = Resize::kOk;
  {
    ObjectLock lock(cx.ts, b);
    AdjustSlice(b->length.load(kRelaxed), &r);
    if (r.step == 1) {
      result = MakeRoom(cx, b, r.start, r.count, 0);
    } else if (r.count > 0 && b->exports > 0) {
      result = Resize::kExported;
    } else {
      // From the end, so that places in front stay right.
      for (int64_t i = r.step > 0 ? r.count - 1 : 0; r.step > 0 ? i >= 0 : i < r.count; r.step > 0 ? --i : ++i) {
        result = MakeRoom(cx, b, r.start + i * r.step, 1, 0);
        if (result != Resize::kOk) break;  // only the first needs memory: nothing has changed
      }
    }
  }
  return Report(cx, result);
}

bool AssignSlice(Context& cx, ByteArray* b, SliceRange r, std::string_view s) {
  if (r.step != 1 && s.empty()) return DeleteSlice(cx, b, r);  // as CPython
  Resize result = Resize::kOk;
  bool size_error = false;
  auto m = static_cast<int64_t>(s.size());
  {
    ObjectLock lock(cx.ts, b);
    AdjustSlice(b->length.load(kRelaxed), &r);
    if (r.step == 1) {
      result = MakeRoom(cx, b, r.start, r.count, m);
      if (result == Resize::kOk && m != 0) std::memcpy(b->data + r.start, s.data(), s.size());
    } else if (r.count != m) {
      size_error = true;
    } else {
      for (int64_t i = 0, at = r.start; i < m; ++i, at += r.step) b->data[at] = s[static_cast<size_t>(i)];
    }
  }
  if (size_error) {
    RaiseValueError(cx, "attempt to assign bytes of size %lld to extended slice of size %lld",
                    static_cast<long long>(m), static_cast<long long>(r.count));
    return false;
  }
  return Report(cx, result);
}

bool ArraySetItem(Context& cx, Value self, Value key, Value value) {
  auto* b = self.as<ByteArray>();
  if (auto* slice = As<Slice>(key); slice != nullptr) {
    SliceRange r;
    if (!UnpackSlice(cx, slice, &r)) return false;
    if (!value) return DeleteSlice(cx, b, r);
    Ref bytes = AsBytes(cx, value);
    return bytes && AssignSlice(cx, b, r, bytes.as<Bytes>()->view());
  }
  if (!IsInt(key) && ClassOf(cx, key)->slots.index == nullptr) {
    RaiseTypeError(cx, "bytearray indices must be integers or slices, not %s", ClassName(cx, key));
    return false;
  }
  int64_t i;
  unsigned char c = 0;
  if (!ItemIndex(cx, key, &i) || (value && !ToByte(cx, value, &c))) return false;
  Resize result = Resize::kOk;
  bool in_range;
  {
    ObjectLock lock(cx.ts, b);
    int64_t n = b->length.load(kRelaxed);
    if (i < 0) i += n;
    in_range = i >= 0 && i < n;
    if (in_range && value) b->data[i] = static_cast<char>(c);
    if (in_range && !value) result = MakeRoom(cx, b, i, 1, 0);
  }
  if (!in_range) return RaiseIndexError(cx, "bytearray index out of range"), false;
  return Report(cx, result);
}

Ref ArrayRepr(Context& cx, Value self) {
  BufferView view(cx);
  if (!view.Open(self)) return nullptr;
  TextBuffer out;
  const std::string_view name = ClassName(cx, self);
  out.PutBytes(name.data(), name.size());
  out.Put(U'(');
  AppendBytesRepr(view.view(), &out, true);
  out.Put(U')');
  return NewStrFromBuffer(cx, out);
}

Ref InplaceAdd(Context& cx, Value self, Value other) {
  if (!BufferView::Supports(other)) {
    return RaiseTypeError(cx, "can't concat %s to %s", ClassName(cx, other), ClassName(cx, self));
  }
  Ref bytes = AsBytes(cx, other);
  return bytes && AppendBytes(cx, self.as<ByteArray>(), bytes.as<Bytes>()->view()) ? Ref::New(self) : nullptr;
}

Ref InplaceMul(Context& cx, Value self, Value other) {
  if (!IsInt(other) && ClassOf(cx, other)->slots.index == nullptr) return cx.NotImplementedRef();
  int64_t times;
  if (!RepeatCount(cx, other, &times)) return nullptr;
  auto* b = self.as<ByteArray>();
  Resize r;
  {
    ObjectLock lock(cx.ts, b);
    int64_t n = b->length.load(kRelaxed);
    int64_t total;
    if (times < 0) times = 0;
    if (__builtin_mul_overflow(n, times, &total)) {
      r = Resize::kMemory;
    } else {
      r = total > n ? MakeRoom(cx, b, n, 0, total - n) : MakeRoom(cx, b, total, n - total, 0);
      for (int64_t i = n; r == Resize::kOk && i < total; ++i) b->data[i] = b->data[i - n];
    }
  }
  return Report(cx, r) ? Ref::New(self) : nullptr;
}

Ref ArrayCreate(Context& cx, Class* cls, const Args&) {
  return cls == cx.rt.cls.bytearray ? NewByteArray(cx, nullptr, 0) : NewInstance(cx, cls);
}

bool ArrayInit(Context& cx, Value self, const Args& args) {
  Ref bytes = BytesFromArgs(cx, "bytearray", args);
  if (!bytes) return false;
  auto assign = [&] { return AssignSlice(cx, self.as<ByteArray>(), SliceRange{0, INT64_MAX, 1, 0}, bytes.as<Bytes>()->view()); };
  return assign() || (ReclaimMemory(cx) && assign());
}

Ref Append(Context& cx, Value self, const Args& args) {
  unsigned char c;
  if (!ToByte(cx, args[0], &c)) return nullptr;
  char one = static_cast<char>(c);
  return AppendBytes(cx, self.as<ByteArray>(), std::string_view(&one, 1)) ? cx.NoneRef() : nullptr;
}

Ref Extend(Context& cx, Value self, const Args& args) {
  const Value from = args[0];
  if (IsStr(from)) {  // an iterable, but not of integers
    if (from.as<Str>()->length == 0) return cx.NoneRef();
    return RaiseTypeError(cx, "'str' object cannot be interpreted as an integer");
  }
  const TypeSlots& slots = ClassOf(cx, from)->slots;
  if (!BufferView::Supports(from) && slots.iter == nullptr && slots.getitem == nullptr) {
    return RaiseTypeError(cx, "can't extend bytearray with %s", ClassName(cx, from));
  }
  Ref bytes = BytesFromArgs(cx, "bytearray", args);
  return bytes && AppendBytes(cx, self.as<ByteArray>(), bytes.as<Bytes>()->view()) ? cx.NoneRef() : nullptr;
}

Ref Insert(Context& cx, Value self, const Args& args) {
  int64_t i;
  unsigned char c;
  if (!ToInt64(cx, args[0], &i) || !ToByte(cx, args[1], &c)) return nullptr;
  auto* b = self.as<ByteArray>();
  Resize r;
  {
    ObjectLock lock(cx.ts, b);
    int64_t n = b->length.load(kRelaxed);
    if (i < 0) i = i + n < 0 ? 0 : i + n;
    if (i > n) i = n;
    r = MakeRoom(cx, b, i, 0, 1);
    if (r == Resize::kOk) b->data[i] = static_cast<char>(c);
  }
  return Report(cx, r) ? cx.NoneRef() : nullptr;
}

Ref Pop(Context& cx, Value self, const Args& args) {
  int64_t i = -1;
  if (args.npos == 1 && !ToInt64(cx, args[0], &i)) return nullptr;
  auto* b = self.as<ByteArray>();
  Resize r = Resize::kOk;
  int byte = -1;
  int64_t n;
  {
    ObjectLock lock(cx.ts, b);
    n = b->length.load(kRelaxed);
    if (i < 0) i += n;
    if (i >= 0 && i < n) {
      byte = static_cast<unsigned char>(b->data[i]);
      r = MakeRoom(cx, b, i, 1, 0);
    }
  }
  if (!Report(cx, r)) return nullptr;
  if (byte < 0) return RaiseIndexError(cx, n == 0 ? "pop from empty bytearray" : "pop index out of range");
  return Ref::Small(byte);
}

Ref Remove(Context& cx, Value self, const Args& args) {
  unsigned char c;
  if (!ToByte(cx, args[0], &c)) return nullptr;
  auto* b = self.as<ByteArray>();
  Resize r = Resize::kOk;
  bool found = false;
  {
    ObjectLock lock(cx.ts, b);
    int64_t n = b->length.load(kRelaxed);
    for (int64_t i = 0; i < n && !found; ++i) {
      if (static_cast<unsigned char>(b->data[i]) != c) continue;
      found = true;
      r = MakeRoom(cx, b, i, 1, 0);
    }
  }
  if (!found) return RaiseValueError(cx, "value not found in bytearray");
  return Report(cx, r) ? cx.NoneRef() : nullptr;
}

Ref Clear(Context& cx, Value self, const Args&) {
  return DeleteSlice(cx, self.as<ByteArray>(), SliceRange{0, INT64_MAX, 1, 0}) ? cx.NoneRef() : nullptr;
}

Ref Copy(Context& cx, Value self, const Args&) {
  BufferView view(cx);
  return view.Open(self) ? NewByteArray(cx, view.data(), view.size()) : nullptr;
}

Ref Reverse(Context& cx, Value self, const Args&) {
  auto* b = self.as<ByteArray>();
  ObjectLock lock(cx.ts, b);
  for (int64_t i = 0, j = b->length.load(kRelaxed) - 1; i < j; ++i, --j) std::swap(b->data[i], b->data[j]);
  return cx.NoneRef();
}

const MethodDef kArrayMethods[] = {
    {"append", Append, 1, 1}, {"extend", Extend, 1, 1}, {"insert", Insert, 2, 2}, {"pop", Pop, 0, 1},
    {"remove", Remove, 1, 1}, {"clear", Clear, 0, 0},   {"copy", Copy, 0, 0},     {"reverse", Reverse, 0, 0},
};

void DestroyArray(Context& cx, Object* o) {
  auto* b = static_cast<ByteArray*>(o);
  if (b->data != nullptr) FreeRaw(cx, b->data);
}

NativeType MakeArrayType() {
  static MethodDef methods[64];
  size_t n = 0;
  for (; n < kBytesMethodCount; ++n) methods[n] = kBytesMethods[n];
  for (size_t i = 0; i < kBytesTextMethodCount; ++i) methods[n++] = kBytesTextMethods[i];
  for (const MethodDef& m : kArrayMethods) methods[n++] = m;
  NativeType t;
  t.name = "bytearray";
  t.layout = Layout::kByteArray;
  t.size = sizeof(ByteArray);
  t.flags = kTypeSubclassable | kTypeUnhashable | kTypeSequence;
  SetBytesSlots(t.slots);
  t.slots.repr = ArrayRepr;
  t.slots.setitem = ArraySetItem;
  t.slots.create = ArrayCreate;
  t.slots.init = ArrayInit;
  t.slots.inplace[static_cast<int>(BinaryOp::kAdd)] = InplaceAdd;
  t.slots.inplace[static_cast<int>(BinaryOp::kMul)] = InplaceMul;
  t.methods = methods;
  t.destroy = DestroyArray;
  return t;
}

}  // namespace

bool InitByteArrayType(Context& cx) {
  static const NativeType type = MakeArrayType();
  return (cx.rt.cls.bytearray = DefineType(cx, type)) != nullptr;
}

}  // namespace tidepool::rt
