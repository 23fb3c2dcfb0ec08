// Module array: numbers of one C type in a raw buffer.
//
// The buffer is read and written under the object mutex and replaced when it grows. There is no buffer protocol on it:
// bytes(a) iterates, a.tobytes() copies.
#include <algorithm>
#include <cstring>

#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/modules/common.h"
#include "tidepool/runtime/modules/modules.h"
#include "tidepool/runtime/objects/slice.h"

namespace tidepool::rt {
namespace {

struct Array : Object {
  char* data;
  size_t count;
  size_t capacity;    // items
  char typecode;
  uint8_t item_size;
};

struct ArrayIterator : Object {
  Value array;        // owned, never changes
  Atomic<int64_t> next;
};

struct ArrayState {
  Class* array = nullptr;
  Class* iterator = nullptr;
};

ArrayState& State(Context& cx) { return cx.rt.State<ArrayState>(); }
Array* Self(Value v) { return v.as<Array>(); }
bool IsArray(Context& cx, Value v) { return v.is_object() && IsInstance(cx, v, State(cx).array); }

// X(typecode, C type)
#define ARRAY_INTEGERS(X) \
  X('b', int8_t)          \
  X('B', uint8_t)         \
  X('h', int16_t)         \
  X('H', uint16_t)        \
  X('i', int32_t)         \
  X('I', uint32_t)        \
  X('l', int64_t)         \
  X('L', uint64_t)        \
  X('q', int64_t)         \
  X('Q', uint64_t)

size_t ItemSize(char typecode) {
  switch (typecode) {
#define X(code, type) case code: return sizeof(type);
    ARRAY_INTEGERS(X)
#undef X
    case 'f': return sizeof(float);
    case 'd': return sizeof(double);
  }
  return 0;
}

union Item {
  char bytes[8];
  uint64_t word;
};

// A number of the script as an item. False: TypeError or OverflowError.
bool Pack(Context& cx, char typecode, Value v, Item* out) {
  if (typecode == 'd' || typecode == 'f') {
    double d;
    if (!ToDouble(cx, v, &d)) return false;
    const float f = static_cast<float>(d);
    if (typecode == 'd') {
      std::memcpy(out->bytes, &d, sizeof d);
    } else {
      std::memcpy(out->bytes, &f, sizeof f);
    }
    return true;
  }
  if (IsFloat(v)) return RaiseTypeError(cx, "'float' object cannot be interpreted as an integer"), false;
  Ref n = Index(cx, v);
  if (!n) return false;
  const size_t size = ItemSize(typecode);
  const bool is_signed = typecode >= 'a';
  if (!IntToBytes(n, reinterpret_cast<unsigned char*>(out->bytes), size, is_signed)) {
    static const struct {
      char code;
      const char* name;
    } kNamed[] = {{'b', "signed char"}, {'B', "unsigned byte integer"}, {'h', "signed short integer"},
                  {'H', "unsigned short"}, {'i', "signed integer"}};
    for (const auto& named : kNamed) {
      if (named.code != typecode) continue;
      const bool less = IntIsNegative(n);
      return RaiseOverflowError(cx, "%s is %s than %s", named.name, less ? "less" : "greater", less ? "minimum" : "maximum"),
             false;
    }
    return RaiseOverflowError(cx, "integer out of range for array of type '%c'", typecode), false;
  }
  return true;
}

Ref Unpack(Context& cx, char typecode, const char* at) {
  switch (typecode) {
#define X(code, type)                                                                    \
  case code: {                                                                           \
    type n;                                                                              \
    std::memcpy(&n, at, sizeof n);                                                       \
    if (code == 'L' || code == 'Q') return NewIntUnsigned(cx, static_cast<uint64_t>(n)); \
    return NewInt(cx, static_cast<int64_t>(n));                                          \
  }
    ARRAY_INTEGERS(X)
#undef X
    case 'f': {
      float f;
      std::memcpy(&f, at, sizeof f);
      return NewFloat(cx, f);
    }
    default: {
      double d;
      std::memcpy(&d, at, sizeof d);
      return NewFloat(cx, d);
    }
  }
}

// Makes room for `count` items. The mutex is held; false: no memory.
bool ReserveLocked(Context& cx, Array* a, size_t count) {
  if (count <= a->capacity) return true;
  if (count > (size_t{1} << 47) / a->item_size) return false;
  const size_t capacity = std::max(count, a->capacity + a->capacity / 2 + 4);
  char* grown = static_cast<char*>(cx.ts->heap()->Reallocate(a->data, capacity * a->item_size));
  if (grown == nullptr) return false;
  a->data = grown;
  a->capacity = capacity;
  return true;
}

bool AppendItem(Context& cx, Array* a, Value v) {
  Item item;
  if (!Pack(cx, a->typecode, v, &item)) return false;
  bool good;
  {
    ObjectLock lock(cx.ts, a);
    good = ReserveLocked(cx, a, a->count + 1);
    if (good) std::memcpy(a->data + a->count++ * a->item_size, item.bytes, a->item_size);
  }
  if (!good) RaiseMemoryError(cx);
  return good;
}

// Raw items at the end.
bool AppendRaw(Context& cx, Array* a, const char* data, size_t count) {
  bool good;
  {
    ObjectLock lock(cx.ts, a);
    good = ReserveLocked(cx, a, a->count + count);
    if (good && count > 0) std::memcpy(a->data + a->count * a->item_size, data, count * a->item_size);
    if (good) a->count += count;
  }
  if (!good) RaiseMemoryError(cx);
  return good;
}

// A copy of the bytes as they are at one moment, as a bytes object.
Ref Content(Context& cx, Array* a) {
  for (;;) {
    size_t count;
    {
      ObjectLock lock(cx.ts, a);
      count = a->count;
    }
    Bytes* b = NewBytesRoom(cx, count * a->item_size);
    if (b == nullptr) return nullptr;
    Ref r = Ref::Steal(b);
    ObjectLock lock(cx.ts, a);
    if (a->count != count) continue;
    if (count > 0) std::memcpy(b->data, a->data, count * a->item_size);
    return r;
  }
}

Ref NewArray(Context& cx, Class* cls, char typecode) {
  Ref r = NewInstance(cx, cls);
  if (!r) return nullptr;
  r.as<Array>()->typecode = typecode;
  r.as<Array>()->item_size = static_cast<uint8_t>(ItemSize(typecode));
  return r;
}

bool Extend(Context& cx, Array* a, Value source) {
  if (IsArray(cx, source)) {
    if (Self(source)->typecode != a->typecode) return RaiseTypeError(cx, "can only extend with array of same kind"), false;
    Ref content = Content(cx, Self(source));
    return content && AppendRaw(cx, a, content.as<Bytes>()->data, content.as<Bytes>()->length / a->item_size);
  }
  return Iterate(cx, source, [&](Value v) { return AppendItem(cx, a, v); });
}

bool AppendBytes(Context& cx, Array* a, Value source) {
  BufferView view(cx);
  if (!view.Open(source)) return false;
  if (view.size() % a->item_size != 0) return RaiseValueError(cx, "bytes length not a multiple of item size"), false;
  return AppendRaw(cx, a, view.data(), view.size() / a->item_size);
}

Ref ArrayCreate(Context& cx, Class* cls, const Args& args) {
  if (!NoKeywords(cx, "array.array", args) || !CheckArgCount(cx, "array", args, 1, 2)) return nullptr;
  Str* code = As<Str>(args[0]);
  if (code == nullptr || code->length != 1) {
    return RaiseTypeError(cx, "array() argument 1 must be a unicode character, not %s", ClassName(cx, args[0]));
  }
  const char typecode = static_cast<char>(code->view()[0]);
  if (code->view()[0] > 127 || ItemSize(typecode) == 0) {
    return RaiseValueError(cx, "bad typecode (must be b, B, u, h, H, i, I, l, L, q, Q, f or d)");
  }
  Ref r = NewArray(cx, cls, typecode);
  if (!r || args.size() == 1) return r;
  const bool raw = Is<Bytes>(args[1]) || Is<ByteArray>(args[1]);
  if (!(raw ? AppendBytes(cx, r.as<Array>(), args[1]) : Extend(cx, r.as<Array>(), args[1]))) return nullptr;
  return r;
}

void ArrayDestroy(Context& cx, Object* obj) {
  Array* a = static_cast<Array*>(obj);
  if (a->data != nullptr) FreeRaw(cx, a->data);
  a->data = nullptr;
}

int64_t ArrayLen(Context& cx, Value self) {
  ObjectLock lock(cx.ts, Self(self));
  return static_cast<int64_t>(Self(self)->count);
}

// Copies item i out; false: out of range.
bool Fetch(Context& cx, Array* a, int64_t i, Item* out) {
  ObjectLock lock(cx.ts, a);
  if (i < 0) i += static_cast<int64_t>(a->count);
  if (i < 0 || static_cast<size_t>(i) >= a->count) return false;
  std::memcpy(out->bytes, a->data + static_cast<size_t>(i) * a->item_size, a->item_size);
  return true;
}

Ref ArrayGetItem(Context& cx, Value self, Value key) {
  Array* a = Self(self);
  if (Is<Slice>(key)) {
    Ref content = Content(cx, a);
    if (!content) return nullptr;
    const int64_t count = static_cast<int64_t>(content.as<Bytes>()->length / a->item_size);
    SliceRange range;
    if (!SliceIndices(cx, key.as<Slice>(), count, &range)) return nullptr;
    Ref r = NewArray(cx, State(cx).array, a->typecode);
    if (!r) return nullptr;
    for (int64_t k = 0; k < range.count; k++) {
      const int64_t i = range.start + k * range.step;
      if (!AppendRaw(cx, r.as<Array>(), content.as<Bytes>()->data + i * a->item_size, 1)) return nullptr;
    }
    return r;
  }
  int64_t i;
  if (key.is_small_int()) {
    i = key.small_int();
  } else if (!ToInt64(cx, key, &i)) {
    if (cx.has_exception() && ClearIf(cx, cx.rt.exc.TypeError)) {
      return RaiseTypeError(cx, "array indices must be integers");
    }
    return nullptr;
  }
  Item item;
  if (!Fetch(cx, a, i, &item)) return RaiseIndexError(cx, "array index out of range");
  return Unpack(cx, a->typecode, item.bytes);
}

// Replaces [start, start + length) by `items`, both in items.
bool Splice(Context& cx, Array* a, size_t start, size_t length, const char* items, size_t count) {
  bool good;
  {
    ObjectLock lock(cx.ts, a);
    start = std::min(start, a->count);
    length = std::min(length, a->count - start);
    good = ReserveLocked(cx, a, a->count - length + count);
    if (good) {
      const size_t n = a->item_size;
      std::memmove(a->data + (start + count) * n, a->data + (start + length) * n, (a->count - start - length) * n);
      if (count > 0) std::memcpy(a->data + start * n, items, count * n);
      a->count = a->count - length + count;
    }
  }
  if (!good) RaiseMemoryError(cx);
  return good;
}

bool SetSlice(Context& cx, Array* a, Slice* slice, Value value) {
  SliceRange range;
  if (!SliceIndices(cx, slice, ArrayLen(cx, a), &range)) return false;
  const int64_t start = range.start, step = range.step, length = range.count;
  Ref content;
  size_t count = 0;
  if (value) {
    if (!IsArray(cx, value)) {
      return RaiseTypeError(cx, "can only assign array (not \"%s\") to array slice", ClassName(cx, value)), false;
    }
    if (Self(value)->typecode != a->typecode) return RaiseTypeError(cx, "bad argument type for built-in operation"), false;
    content = Content(cx, Self(value));
    if (!content) return false;
    count = content.as<Bytes>()->length / a->item_size;
  }
  if (step == 1) {
    return Splice(cx, a, static_cast<size_t>(start), static_cast<size_t>(length), value ? content.as<Bytes>()->data : nullptr,
                  count);
  }
  if (value) {
    if (static_cast<int64_t>(count) != length) {
      return RaiseValueError(cx, "attempt to assign array of size %zu to extended slice of size %lld", count,
                             static_cast<long long>(length)),
             false;
    }
    ObjectLock lock(cx.ts, a);
    for (int64_t k = 0; k < length; k++) {
      const size_t at = static_cast<size_t>(start + k * step);
      if (at < a->count) std::memcpy(a->data + at * a->item_size, content.as<Bytes>()->data + k * a->item_size, a->item_size);
    }
    return true;
  }
  // Deleting a stepped slice, from the end so that the indices stay right.
  for (int64_t k = 0; k < length; k++) {
    const int64_t i = step > 0 ? start + (length - 1 - k) * step : start + k * step;
    if (!Splice(cx, a, static_cast<size_t>(i), 1, nullptr, 0)) return false;
  }
  return true;
}

bool ArraySetItem(Context& cx, Value self, Value key, Value value) {
  Array* a = Self(self);
  if (Is<Slice>(key)) return SetSlice(cx, a, key.as<Slice>(), value);
  int64_t i;
  if (!ToInt64(cx, key, &i)) return false;
  if (i < 0) i += ArrayLen(cx, self);
  if (!value) {
    if (i < 0 || i >= ArrayLen(cx, self)) return RaiseIndexError(cx, "array assignment index out of range"), false;
    return Splice(cx, a, static_cast<size_t>(i), 1, nullptr, 0);
  }
  Item item;
  if (!Pack(cx, a->typecode, value, &item)) return false;
  bool good;
  {
    ObjectLock lock(cx.ts, a);
    good = i >= 0 && static_cast<size_t>(i) < a->count;
    if (good) std::memcpy(a->data + static_cast<size_t>(i) * a->item_size, item.bytes, a->item_size);
  }
  if (!good) RaiseIndexError(cx, "array assignment index out of range");
  return good;
}

Ref ToList(Context& cx, Array* a) {
  Ref content = Content(cx, a);
  Ref list = content ? NewList(cx) : Ref();
  if (!list) return nullptr;
  const size_t count = content.as<Bytes>()->length / a->item_size;
  for (size_t i = 0; i < count; i++) {
    Ref v = Unpack(cx, a->typecode, content.as<Bytes>()->data + i * a->item_size);
    if (!v || !ListAppendSteal(cx, list.as<List>(), std::move(v))) return nullptr;
  }
  return list;
}

Ref ArrayAppend(Context& cx, Value self, const Args& args) {
  return AppendItem(cx, Self(self), args[0]) ? cx.NoneRef() : Ref();
}
Ref ArrayExtend(Context& cx, Value self, const Args& args) {
  return Extend(cx, Self(self), args[0]) ? cx.NoneRef() : Ref();
}
Ref ArrayToList(Context& cx, Value self, const Args&) { return ToList(cx, Self(self)); }
Ref ArrayToBytes(Context& cx, Value self, const Args&) { return Content(cx, Self(self)); }
Ref ArrayFromBytes(Context& cx, Value self, const Args& args) {
  return AppendBytes(cx, Self(self), args[0]) ? cx.NoneRef() : Ref();
}

Ref ArrayInsert(Context& cx, Value self, const Args& args) {
  int64_t i;
  Item item;
  if (!ToIndexClamped(cx, args[0], &i) || !Pack(cx, Self(self)->typecode, args[1], &item)) return nullptr;
  const int64_t size = ArrayLen(cx, self);
  if (i < 0) i = std::max<int64_t>(i + size, 0);
  if (!Splice(cx, Self(self), static_cast<size_t>(std::min(i, size)), 0, item.bytes, 1)) return nullptr;
  return cx.NoneRef();
}

Ref ArrayPop(Context& cx, Value self, const Args& args) {
  int64_t i = -1;
  if (args.size() == 1 && !ToInt64(cx, args[0], &i)) return nullptr;
  Array* a = Self(self);
  Item item;
  if (!Fetch(cx, a, i, &item)) {
    return RaiseIndexError(cx, ArrayLen(cx, self) == 0 ? "pop from empty array" : "pop index out of range");
  }
  if (i < 0) i += ArrayLen(cx, self);
  if (!Splice(cx, a, static_cast<size_t>(i), 1, nullptr, 0)) return nullptr;
  return Unpack(cx, a->typecode, item.bytes);
}

Ref ArrayReverse(Context& cx, Value self, const Args&) {
  Array* a = Self(self);
  {
    ObjectLock lock(cx.ts, a);
    Item t;
    for (size_t i = 0, j = a->count; i + 1 < j; i++) {
      j--;
      std::memcpy(t.bytes, a->data + i * a->item_size, a->item_size);
      std::memcpy(a->data + i * a->item_size, a->data + j * a->item_size, a->item_size);
      std::memcpy(a->data + j * a->item_size, t.bytes, a->item_size);
    }
  }
  return cx.NoneRef();
}

// count, index and contains go over a list of the values.
Ref ArrayCount(Context& cx, Value self, const Args& args) {
  Ref list = ToList(cx, Self(self));
  Str* name = Intern(cx, "count");
  return list && name != nullptr ? CallMethod(cx, list, name, args[0]) : Ref();
}

// The place of the first item that equals `wanted`; -1: there is none, which `message` says, or an exception is pending.
int64_t FindItem(Context& cx, Value self, Value wanted, const char* message) {
  const int64_t size = ArrayLen(cx, self);
  for (int64_t i = 0; i < size; i++) {
    Item item;
    if (!Fetch(cx, Self(self), i, &item)) break;
    Ref v = Unpack(cx, Self(self)->typecode, item.bytes);
    const int equal = v ? Equal(cx, v, wanted) : -1;
    if (equal < 0) return -1;
    if (equal) return i;
  }
  RaiseValueError(cx, "%s", message);
  return -1;
}

Ref ArrayIndex(Context& cx, Value self, const Args& args) {
  const int64_t i = FindItem(cx, self, args[0], "array.index(x): x not in array");
  return i < 0 ? Ref() : NewInt(cx, i);
}

Ref ArrayRemove(Context& cx, Value self, const Args& args) {
  const int64_t i = FindItem(cx, self, args[0], "array.remove(x): x not in array");
  if (i < 0 || !Splice(cx, Self(self), static_cast<size_t>(i), 1, nullptr, 0)) return nullptr;
  return cx.NoneRef();
}

Ref ArrayByteswap(Context& cx, Value self, const Args&) {
  Array* a = Self(self);
  {
    ObjectLock lock(cx.ts, a);
    for (size_t i = 0; i < a->count; i++) {
      char* item = a->data + i * a->item_size;
      std::reverse(item, item + a->item_size);
    }
  }
  return cx.NoneRef();
}

int ArrayContains(Context& cx, Value self, Value item) {
  Ref list = ToList(cx, Self(self));
  return list ? Contains(cx, list, item) : -1;
}

Ref ArrayRepr(Context& cx, Value self) {
  Array* a = Self(self);
  std::string text = std::string("array('") + a->typecode + "'";
  if (ArrayLen(cx, self) == 0) return NewStr(cx, text + ")");
  Ref list = ToList(cx, a);
  Ref shown = list ? Repr(cx, list) : nullptr;
  if (!shown) return nullptr;
  return NewStr(cx, text + ", " + ToUtf8(shown.as<Str>()) + ")");
}

Ref ArrayCompare(Context& cx, Value self, Value other, CompareOp op) {
  if (!IsArray(cx, self) || !IsArray(cx, other)) return cx.NotImplementedRef();
  Ref a = ToList(cx, Self(self));
  Ref b = a ? ToList(cx, Self(other)) : Ref();
  return b ? Compare(cx, a, b, op) : Ref();
}

Ref ArrayConcat(Context& cx, Value a, Value b) {
  if (!IsArray(cx, a)) return cx.NotImplementedRef();
  if (!IsArray(cx, b)) return RaiseTypeError(cx, "can only append array (not \"%s\") to array", ClassName(cx, b));
  Ref r = NewArray(cx, State(cx).array, Self(a)->typecode);
  return r && Extend(cx, r.as<Array>(), a) && Extend(cx, r.as<Array>(), b) ? std::move(r) : Ref();
}

Ref ArrayInplaceConcat(Context& cx, Value self, Value other) {
  if (!IsArray(cx, other)) {
    return RaiseTypeError(cx, "can only extend array with array (not \"%s\")", ClassName(cx, other));
  }
  return Extend(cx, Self(self), other) ? Ref::New(self) : Ref();
}

// Appends the items of `content` so many times; all the room is there before the first.
bool AppendTimes(Context& cx, Array* a, const Bytes* content, int64_t times) {
  const size_t count = content->length / a->item_size;
  if (times <= 0 || count == 0) return true;
  size_t total;
  if (__builtin_mul_overflow(count, static_cast<size_t>(times), &total) ||
      __builtin_add_overflow(total, a->count, &total)) {
    return RaiseMemoryError(cx), false;
  }
  bool good;
  {
    ObjectLock lock(cx.ts, a);
    good = ReserveLocked(cx, a, total);
  }
  if (!good) return RaiseMemoryError(cx), false;
  for (int64_t i = 0; i < times; i++) {
    if (!AppendRaw(cx, a, content->data, count)) return false;
    SafepointInLoop(cx, static_cast<uint64_t>(i));
  }
  return true;
}

Ref ArrayRepeat(Context& cx, Value a, Value b) {
  const Value self = IsArray(cx, a) ? a : b;
  const Value times = IsArray(cx, a) ? b : a;
  if (!IsInt(times) && ClassOf(cx, times)->slots.index == nullptr) return cx.NotImplementedRef();
  int64_t n;
  if (!RepeatCount(cx, times, &n)) return nullptr;
  Ref content = Content(cx, Self(self));
  Ref r = content ? NewArray(cx, State(cx).array, Self(self)->typecode) : Ref();
  return r && AppendTimes(cx, r.as<Array>(), content.as<Bytes>(), n) ? std::move(r) : Ref();
}

Ref ArrayInplaceRepeat(Context& cx, Value self, Value times) {
  if (!IsInt(times) && ClassOf(cx, times)->slots.index == nullptr) return cx.NotImplementedRef();
  int64_t n;
  if (!RepeatCount(cx, times, &n)) return nullptr;
  Ref content = Content(cx, Self(self));
  if (!content) return nullptr;
  const bool good = n <= 0 ? Splice(cx, Self(self), 0, SIZE_MAX, nullptr, 0)
                           : AppendTimes(cx, Self(self), content.as<Bytes>(), n - 1);
  return good ? Ref::New(self) : Ref();
}

Ref ArrayIter(Context& cx, Value self) {
  Ref r = NewInstance(cx, State(cx).iterator);
  if (r) r.as<ArrayIterator>()->array = Ref::New(self).release();
  return r;
}

Ref IteratorSelf(Context&, Value self) { return Ref::New(self); }

Ref IteratorNext(Context& cx, Value self) {
  ArrayIterator* it = self.as<ArrayIterator>();
  // Relaxed: threads that share an iterator may get an item twice, never a wrong one.
  const int64_t i = it->next.load(kRelaxed);
  Item item;
  if (i < 0 || !Fetch(cx, it->array.as<Array>(), i, &item)) {
    it->next.store(-1, kRelaxed);
    return nullptr;
  }
  it->next.store(i + 1, kRelaxed);
  return Unpack(cx, it->array.as<Array>()->typecode, item.bytes);
}

void IteratorTraverse(Object* obj, SlotVisitor& visitor) { visitor.Visit(static_cast<ArrayIterator*>(obj)->array); }
void IteratorDestroy(Context&, Object* obj) {
  Ref array = Ref::Steal(static_cast<ArrayIterator*>(obj)->array);
  static_cast<ArrayIterator*>(obj)->array = Value();
}

Ref GetTypecode(Context& cx, Value self) { return NewStr(cx, std::string_view(&Self(self)->typecode, 1)); }
Ref GetItemSize(Context&, Value self) { return Ref::Small(Self(self)->item_size); }

const MethodDef kMethods[] = {
    {"append", ArrayAppend, 1, 1},     {"extend", ArrayExtend, 1, 1},       {"insert", ArrayInsert, 2, 2},
    {"pop", ArrayPop, 0, 1},           {"reverse", ArrayReverse, 0, 0},     {"count", ArrayCount, 1, 1},
    {"index", ArrayIndex, 1, 1},       {"tolist", ArrayToList, 0, 0},       {"fromlist", ArrayExtend, 1, 1},
    {"tobytes", ArrayToBytes, 0, 0},   {"frombytes", ArrayFromBytes, 1, 1},
    {"remove", ArrayRemove, 1, 1},     {"byteswap", ArrayByteswap, 0, 0},   {},
};

const GetSetDef kGetSet[] = {
    {"typecode", GetTypecode, nullptr},
    {"itemsize", GetItemSize, nullptr},
    {},
};

bool InitModule(Context& cx, Module* module) {
  static const NativeType array = [] {
    NativeType t;
    t.name = "array";
    t.module = "array";
    t.full_name = "array.array";
    t.size = sizeof(Array);
    t.flags = kTypeSubclassable | kTypeWeakrefs | kTypeUnhashable | kTypeSequence;
    t.slots.create = ArrayCreate;
    t.slots.repr = ArrayRepr;
    t.slots.len = ArrayLen;
    t.slots.getitem = ArrayGetItem;
    t.slots.setitem = ArraySetItem;
    t.slots.contains = ArrayContains;
    t.slots.iter = ArrayIter;
    t.slots.compare = ArrayCompare;
    t.slots.binary[static_cast<int>(BinaryOp::kAdd)] = ArrayConcat;
    t.slots.binary[static_cast<int>(BinaryOp::kMul)] = ArrayRepeat;
    t.slots.inplace[static_cast<int>(BinaryOp::kAdd)] = ArrayInplaceConcat;
    t.slots.inplace[static_cast<int>(BinaryOp::kMul)] = ArrayInplaceRepeat;
    t.methods = kMethods;
    t.getset = kGetSet;
    t.destroy = ArrayDestroy;
    return t;
  }();
  static const NativeType iterator = [] {
    NativeType t;
    t.name = "arrayiterator";
    t.module = "array";
    t.full_name = "array.arrayiterator";
    t.size = sizeof(ArrayIterator);
    t.flags = kTypeHasRefs;
    t.slots.iter = IteratorSelf;
    t.slots.next = IteratorNext;
    t.traverse = IteratorTraverse;
    t.destroy = IteratorDestroy;
    return t;
  }();
  State(cx).array = DefineType(cx, array);
  State(cx).iterator = DefineType(cx, iterator);
  return State(cx).array != nullptr && State(cx).iterator != nullptr &&
         AddToModule(cx, module, "array", State(cx).array) && AddToModule(cx, module, "ArrayType", State(cx).array) &&
         AddToModule(cx, module, "typecodes", NewStr(cx, "bBhHiIlLqQfd"));
}

}  // namespace

const ModuleDef kArrayModule = {"array", nullptr, InitModule};

}  // namespace tidepool::rt
