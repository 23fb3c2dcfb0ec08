// memoryview: one-dimensional views of bytes, of unsigned bytes.
//
// A view exports its base until it is released or dies. `base` is cleared under the view's mutex, and whoever
// wants to look takes an exported reference of its own under the same mutex: so a release by another
// thread never pulls the memory away. Everything else in a view never changes.
#include <cstring>

#include "tidepool/runtime/objects/bytes_internal.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/slice.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/support.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {

bool OpenMemoryView(Context& cx, MemoryView* m, Ref* base) {
  {
    // The base's own mutex is taken inside; always in this order.
    ObjectLock lock(cx.ts, m);
    *base = Ref::New(PeekSlot(m->base));
    if (*base) ExportBuffer(cx, *base);
  }
  if (!*base) RaiseValueError(cx, "operation forbidden on released memoryview object");
  return static_cast<bool>(*base);
}

namespace {

// An exported base for the length of a scope.
class Opened {
 public:
  Opened(Context& cx, Value view) : cx_(cx), ok_(OpenMemoryView(cx, view.as<MemoryView>(), &base_)) {}
  ~Opened() {
    if (base_) UnexportBuffer(cx_, base_);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;
  explicit operator bool() const { return ok_; }
  // Gives the exported reference away.
  Ref Take() { return std::move(base_); }

 private:
  Context& cx_;
  Ref base_;
  bool ok_;
};

Ref NewView(Context& cx, Ref base, char* data, int64_t length, int64_t stride, bool readonly) {
  size_t size = cx.rt.cls.memoryview->info.basic_size;  // with the weakref word
  auto* m = NewExact<MemoryView>(cx, cx.rt.cls.memoryview, size);
  if (m == nullptr) {
    UnexportBuffer(cx, base);
    return nullptr;
  }
  std::memset(reinterpret_cast<char*>(m) + sizeof(MemoryView), 0, size - sizeof(MemoryView));
  m->base.store(base.release().bits(), kRelaxed);
  m->data = data;
  m->length = length;
  m->stride = stride;
  m->readonly = readonly;
  TrackNew(m);
  return Ref::Steal(m);
}

Ref Release(Context& cx, Value self, const Args&) {
  auto* m = self.as<MemoryView>();
  Ref base;
  {
    ObjectLock lock(cx.ts, m);
    base = Ref::Steal(Value::FromBits(m->base.exchange(0, kAcqRel)));
  }
  if (base) UnexportBuffer(cx, base);
  return cx.NoneRef();
}

int64_t ViewLen(Context& cx, Value self) {
  Opened open(cx, self);
  return open ? self.as<MemoryView>()->length : -1;
}

Ref GetItem(Context& cx, Value self, Value key) {
  auto* m = self.as<MemoryView>();
  Opened open(cx, self);
  if (!open) return nullptr;
  if (auto* slice = As<Slice>(key); slice != nullptr) {
    SliceRange r;
    if (!SliceIndices(cx, slice, m->length, &r)) return nullptr;
    return NewView(cx, open.Take(), m->data + r.start * m->stride, r.count, r.step * m->stride, m->readonly);
  }
  if (!IsInt(key) && ClassOf(cx, key)->slots.index == nullptr) {
    return RaiseTypeError(cx, "memoryview: invalid slice key");
  }
  int64_t i;
  if (!ItemIndex(cx, key, &i)) return nullptr;
  if (i < 0) i += m->length;
  if (i < 0 || i >= m->length) return RaiseIndexError(cx, "index out of bounds on dimension 1");
  return Ref::Small(static_cast<unsigned char>(m->data[i * m->stride]));
}

bool SetItem(Context& cx, Value self, Value key, Value value) {
  auto* m = self.as<MemoryView>();
  if (!value) return RaiseTypeError(cx, "cannot delete memory"), false;
  Opened open(cx, self);
  if (!open) return false;
  if (m->readonly) return RaiseTypeError(cx, "cannot modify read-only memory"), false;
  SliceRange r{0, 0, 1, 1};
  char one;
  BufferView from(cx);
  std::string_view source;
  if (auto* slice = As<Slice>(key); slice != nullptr) {
    if (!SliceIndices(cx, slice, m->length, &r) || !from.Open(value)) return false;
    source = from.view();
    if (static_cast<int64_t>(source.size()) != r.count) {
      return RaiseValueError(cx, "memoryview assignment: lvalue and rvalue have different structures"), false;
    }
  } else {
    unsigned char c;
    if (!ItemIndex(cx, key, &r.start)) return false;
    if (r.start < 0) r.start += m->length;
    if (r.start < 0 || r.start >= m->length) {
      return RaiseIndexError(cx, "index out of bounds on dimension 1"), false;
    }
    if (!IsInt(value)) return RaiseTypeError(cx, "memoryview: invalid type for format 'B'"), false;
    if (!ToByte(cx, value, &c)) {
      if (ClearIf(cx, cx.rt.exc.ValueError)) RaiseValueError(cx, "memoryview: invalid value for format 'B'");
      return false;
    }
    one = static_cast<char>(c);
    source = std::string_view(&one, 1);
  }
  // The source may overlap: through a copy.
  Ref copy = NewBytes(cx, source);
  if (!copy) return false;
  for (int64_t i = 0; i < r.count; ++i) m->data[(r.start + i * r.step) * m->stride] = copy.as<Bytes>()->data[i];
  return true;
}

int Contains(Context& cx, Value self, Value item) {
  auto* m = self.as<MemoryView>();
  Opened open(cx, self);
  if (!open) return -1;
  for (int64_t i = 0; i < m->length; ++i) {
    int same = Equal(cx, Value::Small(static_cast<unsigned char>(m->data[i * m->stride])), item);
    if (same != 0) return same;
  }
  return 0;
}

Ref Compare(Context& cx, Value a, Value b, CompareOp op) {
  if ((op != CompareOp::kEq && op != CompareOp::kNe) || !BufferView::Supports(a) || !BufferView::Supports(b)) {
    return cx.NotImplementedRef();
  }
  if (a == b) return cx.BoolRef(op == CompareOp::kEq);
  BufferView x(cx), y(cx);
  if (!x.Open(a) || !y.Open(b)) return nullptr;
  return cx.BoolRef((x.view() == y.view()) == (op == CompareOp::kEq));
}

bool ViewHash(Context& cx, Value self, int64_t* out) {
  if (!self.as<MemoryView>()->readonly) {
    RaiseValueError(cx, "cannot hash writable memoryview object");
    return false;
  }
  BufferView view(cx);
  Ref bytes = view.Open(self) ? NewBytes(cx, view.view()) : nullptr;
  return bytes && Hash(cx, bytes, out);
}

Ref ViewRepr(Context& cx, Value self) {
  char text[64];
  bool released = !PeekSlot(self.as<MemoryView>()->base);
  std::snprintf(text, sizeof(text), released ? "<released memory at 0x%llx>" : "<memory at 0x%llx>",
                static_cast<unsigned long long>(self.bits()));
  return NewStr(cx, text);
}

Ref ToBytes(Context& cx, Value self, const Args&) {
  BufferView view(cx);
  return view.Open(self) ? NewBytes(cx, view.view()) : nullptr;
}

Ref ToList(Context& cx, Value self, const Args&) {
  Ref bytes = ToBytes(cx, self, Args());
  return bytes ? ListFromIterable(cx, bytes) : nullptr;
}

Ref HexMethod(Context& cx, Value self, const Args& args) {
  Ref bytes = ToBytes(cx, self, Args());
  Str* name = bytes ? Intern(cx, "hex") : nullptr;
  return name != nullptr ? CallMethod(cx, bytes, name, args) : nullptr;
}

Ref Iter(Context& cx, Value self) {
  // Over the bytes as they are now: a released or changed base is then nothing to worry about.
  Ref bytes = ToBytes(cx, self, Args());
  return bytes ? tidepool::rt::Iter(cx, bytes) : nullptr;
}

Ref Enter(Context& cx, Value self, const Args&) {
  Opened open(cx, self);
  return open ? Ref::New(self) : nullptr;
}

Ref ToReadOnly(Context& cx, Value self, const Args&) {
  auto* m = self.as<MemoryView>();
  Opened open(cx, self);
  return open ? NewView(cx, open.Take(), m->data, m->length, m->stride, true) : nullptr;
}

Ref GetNBytes(Context& cx, Value self) {
  int64_t n = ViewLen(cx, self);
  return n < 0 ? Ref() : Ref::Small(n);
}

Ref GetReadOnly(Context& cx, Value self) {
  Opened open(cx, self);
  return open ? cx.BoolRef(self.as<MemoryView>()->readonly) : nullptr;
}

Ref GetObj(Context& cx, Value self) {
  Opened open(cx, self);
  if (!open) return nullptr;
  Ref base = open.Take();
  UnexportBuffer(cx, base);
  return base;
}

Ref GetFormat(Context& cx, Value) { return NewStr(cx, "B"); }
Ref GetOne(Context&, Value) { return Ref::Small(1); }

Ref GetShape(Context& cx, Value self) {
  Ref n = GetNBytes(cx, self);
  return n ? Pack(cx, n) : nullptr;
}

Ref GetStrides(Context& cx, Value self) {
  Opened open(cx, self);
  Ref stride = open ? NewInt(cx, self.as<MemoryView>()->stride) : nullptr;
  return stride ? Pack(cx, stride) : nullptr;
}

Ref GetSuboffsets(Context& cx, Value) { return NewTuple(cx, nullptr, 0); }

Ref GetContiguous(Context& cx, Value self) { return cx.BoolRef(self.as<MemoryView>()->stride == 1); }

Ref ViewCreate(Context& cx, Class*, const Args& args) {
  Value v[1];
  if (!ParseArgs(cx, "memoryview", args, {"object"}, 1, v)) return nullptr;
  return NewMemoryView(cx, v[0]);
}

const MethodDef kMethods[] = {
    {"release", Release, 0, 0}, {"tobytes", ToBytes, 0, 1},       {"tolist", ToList, 0, 0},
    {"hex", HexMethod, 0, 2},   {"toreadonly", ToReadOnly, 0, 0}, {"__enter__", Enter, 0, 0},
    {"__exit__", Release, 0, 3}, {},
};
const GetSetDef kGetSet[] = {
    {"nbytes", GetNBytes, nullptr}, {"readonly", GetReadOnly, nullptr}, {"obj", GetObj, nullptr},
    {"format", GetFormat, nullptr}, {"itemsize", GetOne, nullptr},      {"ndim", GetOne, nullptr},
    {"shape", GetShape, nullptr},   {"contiguous", GetContiguous, nullptr},
    {"strides", GetStrides, nullptr}, {"suboffsets", GetSuboffsets, nullptr},
    {"c_contiguous", GetContiguous, nullptr}, {"f_contiguous", GetContiguous, nullptr}, {},
};

void TraverseView(Object* o, SlotVisitor& v) { v.Visit(static_cast<MemoryView*>(o)->base); }

void DestroyView(Context& cx, Object* o) {
  Ref base = Ref::Steal(Value::FromBits(static_cast<MemoryView*>(o)->base.exchange(0, kAcqRel)));
  if (base) UnexportBuffer(cx, base);
}

NativeType MakeViewType() {
  NativeType t;
  t.name = "memoryview";
  t.layout = Layout::kMemoryView;
  t.size = sizeof(MemoryView);
  t.flags = kTypeHasRefs | kTypeTrackLater | kTypeWeakrefs;
  t.slots.repr = ViewRepr;
  t.slots.hash = ViewHash;
  t.slots.compare = Compare;
  t.slots.len = ViewLen;
  t.slots.getitem = GetItem;
  t.slots.setitem = SetItem;
  t.slots.contains = Contains;
  t.slots.iter = Iter;
  t.slots.create = ViewCreate;
  t.methods = kMethods;
  t.getset = kGetSet;
  t.traverse = TraverseView;
  t.destroy = DestroyView;
  return t;
}

}  // namespace

Ref NewMemoryView(Context& cx, Value base) {
  if (HasLayout(base, Layout::kBytes)) {
    auto* b = base.as<Bytes>();
    return NewView(cx, Ref::New(base), b->data, static_cast<int64_t>(b->length), 1, true);
  }
  if (HasLayout(base, Layout::kByteArray)) {
    auto* b = base.as<ByteArray>();
    char* data;
    int64_t n;
    {
      ObjectLock lock(cx.ts, b);
      ++b->exports;
      data = b->data;
      n = b->length.load(kRelaxed);
    }
    return NewView(cx, Ref::New(base), data, n, 1, false);
  }
  if (HasLayout(base, Layout::kMemoryView)) {
    auto* m = base.as<MemoryView>();
    Opened open(cx, base);
    return open ? NewView(cx, open.Take(), m->data, m->length, m->stride, m->readonly) : nullptr;
  }
  return RaiseTypeError(cx, "memoryview: a bytes-like object is required, not '%s'", ClassName(cx, base));
}

bool InitMemoryViewType(Context& cx) {
  static const NativeType type = MakeViewType();
  return (cx.rt.cls.memoryview = DefineType(cx, type)) != nullptr;
}

}  // namespace tidepool::rt
