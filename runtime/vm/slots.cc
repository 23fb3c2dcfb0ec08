// Special methods and native slots: how the one is made from the other, both ways.
//
//   native -> dunder   a native class with slots.len gets `__len__` in its dict: a WrapperDescriptor that
//                      calls the slot (so that super().__len__() and list.__len__(x) work)
//   dunder -> slot     a Python class with `__len__` gets slots.len = SlotLen, which calls the method
//
// One table row per special method.  Several rows may feed one slot (`__setitem__` and `__delitem__`).  When
// every special method found for a slot is the wrapper of the same native function, the class gets that
// function itself: a Python subclass of list indexes as fast as a list.
#include <cstring>

#include "tidepool/object/isolate.h"
#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/float.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/class_internal.h"
#include "tidepool/runtime/vm/descriptor.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/exception.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

using AnyFn = void (*)();

// ---- generic slots: call the special method ------------------------------------------------------------

Ref CallNamed(Context& cx, Value self, Str* name, const Args& args) {
  bool found;
  Ref r = CallSpecial(cx, self, name, args, &found);
  if (!found) RaiseAttributeError(cx, self, name);
  return r;
}

template <Str* Names::*kName>
Ref Slot0(Context& cx, Value self) {
  return CallNamed(cx, self, cx.rt.names.*kName, Args());
}

Ref SlotReprStr(Context& cx, Value self, Str* name, const char* dunder) {
  Ref r = CallNamed(cx, self, name, Args());
  if (r && !IsStr(r)) return RaiseTypeError(cx, "%s returned non-string (type %s)", dunder, ClassName(cx, r));
  return r;
}
Ref SlotRepr(Context& cx, Value self) { return SlotReprStr(cx, self, cx.rt.names.repr, "__repr__"); }
Ref SlotStr(Context& cx, Value self) { return SlotReprStr(cx, self, cx.rt.names.str, "__str__"); }

bool HashNotImplemented(Context& cx, Value self, int64_t*) {
  RaiseTypeError(cx, "unhashable type: '%s'", ClassName(cx, self));
  return false;
}

bool SlotHash(Context& cx, Value self, int64_t* out) {
  Ref r = CallNamed(cx, self, cx.rt.names.hash, Args());
  if (!r) return false;
  if (!IsInt(r)) return RaiseTypeError(cx, "__hash__ method should return an integer"), false;
  int64_t h;
  if (r.get().is_small_int()) {
    h = r.get().small_int();
  } else if (!IntToInt64(r, &h) && !Hash(cx, r, &h)) {
    return false;
  }
  *out = h == -1 ? -2 : h;
  return true;
}

Ref SlotCall(Context& cx, Value self, const Args& args) {
  bool found;
  Ref r = CallSpecial(cx, self, cx.rt.names.call, args, &found);
  if (!found) return RaiseTypeError(cx, "'%s' object is not callable", ClassName(cx, self));
  return r;
}

Ref SlotGetAttr(Context& cx, Value self, Str* name) {
  Ref attribute = LookupSpecial(cx, self, cx.rt.names.getattribute);
  Ref r;
  Value n = name;
  WrapperDescriptor* w = attribute ? As<WrapperDescriptor>(attribute) : nullptr;
  if (w != nullptr && w->owner == cx.rt.cls.object) {
    r = GenericGetAttr(cx, self, name);
  } else {
    r = CallNamed(cx, self, cx.rt.names.getattribute, Args(&n, 1));
  }
  if (r || !PendingIs(cx, cx.rt.exc.AttributeError)) return r;
  Ref getattr = LookupSpecial(cx, self, cx.rt.names.getattr);
  if (!getattr) return r;
  cx.ClearException();
  return CallNamed(cx, self, cx.rt.names.getattr, Args(&n, 1));
}

bool SlotSetAttr(Context& cx, Value self, Str* name, Value value) {
  Value v[] = {name, value};
  if (value.is_null()) return static_cast<bool>(CallNamed(cx, self, cx.rt.names.delattr, Args(v, 1)));
  return static_cast<bool>(CallNamed(cx, self, cx.rt.names.setattr, Args(v, 2)));
}

Ref SlotDescrGet(Context& cx, Value self, Value obj, Class* cls) {
  Value v[] = {obj.is_null() ? cx.None() : obj, cls == nullptr ? cx.None() : Value(cls)};
  return CallNamed(cx, self, cx.rt.names.get, Args(v, 2));
}

bool SlotDescrSet(Context& cx, Value self, Value obj, Value value) {
  Value v[] = {obj, value};
  if (value.is_null()) return static_cast<bool>(CallNamed(cx, self, cx.rt.names.delete_, Args(v, 1)));
  return static_cast<bool>(CallNamed(cx, self, cx.rt.names.set, Args(v, 2)));
}

Ref SlotIter(Context& cx, Value self) {
  Ref method = LookupSpecial(cx, self, cx.rt.names.iter);
  if (method && method.get() == cx.None()) return RaiseTypeError(cx, "'%s' object is not iterable", ClassName(cx, self));
  return CallNamed(cx, self, cx.rt.names.iter, Args());
}

// A StopIteration stays pending: `yield from` wants its value, Next() clears it.
Ref SlotNext(Context& cx, Value self) { return CallNamed(cx, self, cx.rt.names.next, Args()); }

int64_t SlotLen(Context& cx, Value self) {
  Ref r = CallNamed(cx, self, cx.rt.names.len, Args());
  if (!r) return -1;
  int64_t n;
  if (!ToInt64(cx, r, &n)) return -1;
  if (n < 0) return RaiseValueError(cx, "__len__() should return >= 0"), -1;
  return n;
}

Ref SlotGetItem(Context& cx, Value self, Value key) { return CallNamed(cx, self, cx.rt.names.getitem, Args(&key, 1)); }

bool SlotSetItem(Context& cx, Value self, Value key, Value value) {
  Value v[] = {key, value};
  bool found;
  if (value.is_null()) {
    Ref r = CallSpecial(cx, self, cx.rt.names.delitem, Args(v, 1), &found);
    if (!found) RaiseTypeError(cx, "'%s' object doesn't support item deletion", ClassName(cx, self));
    return static_cast<bool>(r);
  }
  Ref r = CallSpecial(cx, self, cx.rt.names.setitem, Args(v, 2), &found);
  if (!found) RaiseTypeError(cx, "'%s' object does not support item assignment", ClassName(cx, self));
  return static_cast<bool>(r);
}

int SlotContains(Context& cx, Value self, Value item) {
  Ref r = CallNamed(cx, self, cx.rt.names.contains, Args(&item, 1));
  return r ? IsTrue(cx, r) : -1;
}

int SlotTruth(Context& cx, Value self) {
  Ref r = CallNamed(cx, self, cx.rt.names.bool_, Args());
  if (!r) return -1;
  if (r.get() == cx.rt.true_) return 1;
  if (r.get() == cx.rt.false_) return 0;
  return RaiseTypeError(cx, "__bool__ should return bool, returned %s", ClassName(cx, r)), -1;
}

Str* CompareName(Context& cx, CompareOp op) {
  const Names& n = cx.rt.names;
  Str* const names[] = {n.lt, n.le, n.eq, n.ne, n.gt, n.ge};
  return names[static_cast<int>(op)];
}

Ref SlotCompare(Context& cx, Value self, Value other, CompareOp op) {
  bool found;
  Ref r = CallSpecial(cx, self, CompareName(cx, op), Args(&other, 1), &found);
  return found ? std::move(r) : cx.NotImplementedRef();
}

struct BinaryNames {
  Str* Names::*op;
  Str* Names::*rop;
  Str* Names::*iop;
};
constexpr BinaryNames kBinaryNames[kNumBinaryOps] = {
    {&Names::add, &Names::radd, &Names::iadd},
    {&Names::sub, &Names::rsub, &Names::isub},
    {&Names::mul, &Names::rmul, &Names::imul},
    {&Names::matmul, &Names::rmatmul, &Names::imatmul},
    {&Names::truediv, &Names::rtruediv, &Names::itruediv},
    {&Names::floordiv, &Names::rfloordiv, &Names::ifloordiv},
    {&Names::mod, &Names::rmod, &Names::imod},
    {&Names::pow, &Names::rpow, &Names::ipow},
    {&Names::lshift, &Names::rlshift, &Names::ilshift},
    {&Names::rshift, &Names::rrshift, &Names::irshift},
    {&Names::and_, &Names::rand, &Names::iand},
    {&Names::or_, &Names::ror, &Names::ior},
    {&Names::xor_, &Names::rxor, &Names::ixor},
    {&Names::divmod, &Names::rdivmod, nullptr},
};

// Called with an instance of a Python class on either side.  The side whose class has this very slot is asked: the left
// one by its forward method, the right one by its reflected one.
template <int kOp>
Ref SlotBinary(Context& cx, Value a, Value b) {
  Class* ca = ClassOf(cx, a);
  Class* cb = ClassOf(cx, b);
  constexpr BinaryNames n = kBinaryNames[kOp];
  const bool right = cb != ca && cb->slots.binary[kOp] == &SlotBinary<kOp>;
  bool found;
  if (ca->slots.binary[kOp] == &SlotBinary<kOp>) {
    if (right && IsSubclass(cb, ca)) {
      Ref mine = LookupInMro(cx, ca, cx.rt.names.*n.rop);
      Ref theirs = LookupInMro(cx, cb, cx.rt.names.*n.rop);
      if (theirs && theirs.get() != mine.get()) {
        Ref r = CallSpecial(cx, b, cx.rt.names.*n.rop, Args(&a, 1), &found);
        if (found && (!r || r.get() != cx.NotImplemented())) return r;
      }
    }
    Ref r = CallSpecial(cx, a, cx.rt.names.*n.op, Args(&b, 1), &found);
    if (found && (!r || r.get() != cx.NotImplemented())) return r;
    if (ca == cb) return cx.NotImplementedRef();
  }
  if (right) {
    Ref r = CallSpecial(cx, b, cx.rt.names.*n.rop, Args(&a, 1), &found);
    if (found) return r;
  }
  return cx.NotImplementedRef();
}

template <int kOp>
Ref SlotInplace(Context& cx, Value self, Value other) {
  bool found;
  Ref r = CallSpecial(cx, self, cx.rt.names.*kBinaryNames[kOp].iop, Args(&other, 1), &found);
  return found ? std::move(r) : cx.NotImplementedRef();
}

Ref SlotCreate(Context& cx, Class* cls, const Args& args) {
  Ref fn = LookupInMro(cx, cls, cx.rt.names.new_);
  if (!fn) return RaiseTypeError(cx, "cannot create '%s' instances", NameOf(cls));
  Value f = fn;
  Ref held;
  if (StaticMethod* s = As<StaticMethod>(fn)) {
    held = LoadSlot(s, s->func);
    f = held;
  }
  Value buffer[9];
  Value* v = args.npos < 8 ? buffer : static_cast<Value*>(AllocateRaw(cx, (args.npos + 1) * sizeof(Value)));
  if (v == nullptr) return Ref();
  v[0] = cls;
  for (size_t i = 0; i < args.npos; i++) v[i + 1] = args.pos[i];
  Args all = args;
  all.pos = v;
  all.npos = args.npos + 1;
  Ref r = Call(cx, f, all);
  if (v != buffer) FreeRaw(cx, v);
  return r;
}

bool SlotInit(Context& cx, Value self, const Args& args) {
  bool found;
  Ref r = CallSpecial(cx, self, cx.rt.names.init, args, &found);
  if (!found) return true;
  if (!r) return false;
  if (r.get() != cx.None()) return RaiseTypeError(cx, "__init__() should return None, not '%s'", ClassName(cx, r)), false;
  return true;
}

// ---- wrappers: special methods of native classes ---------------------------------------------------------

#define NEED(n) \
  if (!CheckWrapperArgs(cx, args, n)) return Ref()

bool CheckWrapperArgs(Context& cx, const Args& args, size_t n) {
  if (args.nkw != 0) return RaiseTypeError(cx, "wrapper() takes no keyword arguments"), false;
  if (args.npos == n) return true;
  return RaiseTypeError(cx, "expected %zu argument%s, got %zu", n, n == 1 ? "" : "s", args.npos), false;
}

template <class F>
F SlotOf(AnyFn f) { return reinterpret_cast<F>(f); }

Ref WrapUnary(Context& cx, const SlotDef*, AnyFn f, Value self, const Args& args) {
  NEED(0);
  return SlotOf<Ref (*)(Context&, Value)>(f)(cx, self);
}
Ref WrapNext(Context& cx, const SlotDef*, AnyFn f, Value self, const Args& args) {
  NEED(0);
  Ref r = SlotOf<Ref (*)(Context&, Value)>(f)(cx, self);
  if (!r && !cx.has_exception()) return RaiseStopIteration(cx, Value());
  return r;
}
Ref WrapHash(Context& cx, const SlotDef*, AnyFn f, Value self, const Args& args) {
  NEED(0);
  int64_t h;
  if (!SlotOf<bool (*)(Context&, Value, int64_t*)>(f)(cx, self, &h)) return Ref();
  return NewInt(cx, h);
}
Ref WrapCall(Context& cx, const SlotDef*, AnyFn f, Value self, const Args& args) {
  return SlotOf<Ref (*)(Context&, Value, const Args&)>(f)(cx, self, args);
}
Str* NameArg(Context& cx, Value v) {
  if (!IsStr(v)) {
    RaiseTypeError(cx, "attribute name must be string, not '%s'", ClassName(cx, v));
    return nullptr;
  }
  return Intern(cx, v);
}
Ref WrapGetAttr(Context& cx, const SlotDef*, AnyFn f, Value self, const Args& args) {
  NEED(1);
  Str* name = NameArg(cx, args[0]);
  return name == nullptr ? Ref() : SlotOf<Ref (*)(Context&, Value, Str*)>(f)(cx, self, name);
}
Ref WrapSetAttr(Context& cx, const SlotDef*, AnyFn f, Value self, const Args& args) {
  NEED(2);
  Str* name = NameArg(cx, args[0]);
  if (name == nullptr || !SlotOf<bool (*)(Context&, Value, Str*, Value)>(f)(cx, self, name, args[1])) return Ref();
  return cx.NoneRef();
}
Ref WrapDelAttr(Context& cx, const SlotDef*, AnyFn f, Value self, const Args& args) {
  NEED(1);
  Str* name = NameArg(cx, args[0]);
  if (name == nullptr || !SlotOf<bool (*)(Context&, Value, Str*, Value)>(f)(cx, self, name, Value())) return Ref();
  return cx.NoneRef();
}
Ref WrapDescrGet(Context& cx, const SlotDef* d, AnyFn f, Value self, const Args& args) {
  if (!CheckArgCount(cx, d->name, args, 1, 2)) return Ref();
  Value obj = args[0] == cx.None() ? Value() : args[0];
  Value cls = args.Get(1);
  if (!cls.is_null() && cls == cx.None()) cls = Value();
  if (obj.is_null() && cls.is_null()) return RaiseTypeError(cx, "__get__(None, None) is invalid");
  return SlotOf<Ref (*)(Context&, Value, Value, Class*)>(f)(cx, self, obj, cls.is_null() ? ClassOf(cx, obj) : cls.as<Class>());
}
Ref WrapDescrSet(Context& cx, const SlotDef*, AnyFn f, Value self, const Args& args) {
  NEED(2);
  return SlotOf<bool (*)(Context&, Value, Value, Value)>(f)(cx, self, args[0], args[1]) ? cx.NoneRef() : Ref();
}
Ref WrapDescrDelete(Context& cx, const SlotDef*, AnyFn f, Value self, const Args& args) {
  NEED(1);
  return SlotOf<bool (*)(Context&, Value, Value, Value)>(f)(cx, self, args[0], Value()) ? cx.NoneRef() : Ref();
}
Ref WrapLen(Context& cx, const SlotDef*, AnyFn f, Value self, const Args& args) {
  NEED(0);
  const int64_t n = SlotOf<int64_t (*)(Context&, Value)>(f)(cx, self);
  return n < 0 ? Ref() : NewInt(cx, n);
}
Ref WrapGetItem(Context& cx, const SlotDef*, AnyFn f, Value self, const Args& args) {
  NEED(1);
  return SlotOf<Ref (*)(Context&, Value, Value)>(f)(cx, self, args[0]);
}
Ref WrapSetItem(Context& cx, const SlotDef*, AnyFn f, Value self, const Args& args) {
  NEED(2);
  return SlotOf<bool (*)(Context&, Value, Value, Value)>(f)(cx, self, args[0], args[1]) ? cx.NoneRef() : Ref();
}
Ref WrapDelItem(Context& cx, const SlotDef*, AnyFn f, Value self, const Args& args) {
  NEED(1);
  return SlotOf<bool (*)(Context&, Value, Value, Value)>(f)(cx, self, args[0], Value()) ? cx.NoneRef() : Ref();
}
Ref WrapContains(Context& cx, const SlotDef*, AnyFn f, Value self, const Args& args) {
  NEED(1);
  const int r = SlotOf<int (*)(Context&, Value, Value)>(f)(cx, self, args[0]);
  return r < 0 ? Ref() : cx.BoolRef(r != 0);
}
Ref WrapTruth(Context& cx, const SlotDef*, AnyFn f, Value self, const Args& args) {
  NEED(0);
  const int r = SlotOf<int (*)(Context&, Value)>(f)(cx, self);
  return r < 0 ? Ref() : cx.BoolRef(r != 0);
}
template <CompareOp kOp>
Ref WrapCompare(Context& cx, const SlotDef*, AnyFn f, Value self, const Args& args) {
  NEED(1);
  return SlotOf<Ref (*)(Context&, Value, Value, CompareOp)>(f)(cx, self, args[0], kOp);
}
Ref WrapBinary(Context& cx, const SlotDef* d, AnyFn f, Value self, const Args& args) {
  if (!CheckArgCount(cx, d->name, args, 1, 2)) return Ref();
  return SlotOf<Ref (*)(Context&, Value, Value)>(f)(cx, self, args[0]);
}
Ref WrapReflected(Context& cx, const SlotDef*, AnyFn f, Value self, const Args& args) {
  NEED(1);
  return SlotOf<Ref (*)(Context&, Value, Value)>(f)(cx, args[0], self);
}
// Of sequences: what is no count is an error here, and NotImplemented to the operator.
Ref WrapRepeat(Context& cx, const SlotDef*, AnyFn f, Value self, const Args& args) {
  NEED(1);
  if (!IsInt(args[0]) && ClassOf(cx, args[0])->slots.index == nullptr) {
    return RaiseTypeError(cx, "'%s' object cannot be interpreted as an integer", ClassName(cx, args[0]));
  }
  return SlotOf<Ref (*)(Context&, Value, Value)>(f)(cx, self, args[0]);
}
Ref WrapInit(Context& cx, const SlotDef*, AnyFn f, Value self, const Args& args) {
  return SlotOf<bool (*)(Context&, Value, const Args&)>(f)(cx, self, args) ? cx.NoneRef() : Ref();
}
#undef NEED

// ---- the table --------------------------------------------------------------------------------------------

#define SLOT(member) static_cast<uint16_t>(offsetof(TypeSlots, member) / sizeof(AnyFn))
#define GENERIC(f) reinterpret_cast<AnyFn>(f)
#define BINARY(i, dunder)                                                                                                     \
  {"__" dunder "__", static_cast<uint16_t>(SLOT(binary) + i), GENERIC((&SlotBinary<i>)), WrapBinary},               \
      {"__r" dunder "__", static_cast<uint16_t>(SLOT(binary) + i), GENERIC((&SlotBinary<i>)), WrapReflected}
#define INPLACE(i, dunder) {"__i" dunder "__", static_cast<uint16_t>(SLOT(inplace) + i), GENERIC((&SlotInplace<i>)), WrapBinary}
#define UNARY(i, dunder, name) {dunder, static_cast<uint16_t>(SLOT(unary) + i), GENERIC(&Slot0<&Names::name>), WrapUnary}

const SlotDef kSlotDefs[] = {
    {"__repr__", SLOT(repr), GENERIC(SlotRepr), WrapUnary},
    {"__str__", SLOT(str), GENERIC(SlotStr), WrapUnary},
    {"__hash__", SLOT(hash), GENERIC(SlotHash), WrapHash},
    {"__call__", SLOT(call), GENERIC(SlotCall), WrapCall},
    {"__getattribute__", SLOT(getattr), GENERIC(SlotGetAttr), WrapGetAttr},
    {"__getattr__", SLOT(getattr), GENERIC(SlotGetAttr), nullptr},
    {"__setattr__", SLOT(setattr), GENERIC(SlotSetAttr), WrapSetAttr},
    {"__delattr__", SLOT(setattr), GENERIC(SlotSetAttr), WrapDelAttr},
    {"__get__", SLOT(descr_get), GENERIC(SlotDescrGet), WrapDescrGet},
    {"__set__", SLOT(descr_set), GENERIC(SlotDescrSet), WrapDescrSet},
    {"__delete__", SLOT(descr_set), GENERIC(SlotDescrSet), WrapDescrDelete},
    {"__iter__", SLOT(iter), GENERIC(SlotIter), WrapUnary},
    {"__next__", SLOT(next), GENERIC(SlotNext), WrapNext},
    {"__len__", SLOT(len), GENERIC(SlotLen), WrapLen},
    {"__getitem__", SLOT(getitem), GENERIC(SlotGetItem), WrapGetItem},
    {"__setitem__", SLOT(setitem), GENERIC(SlotSetItem), WrapSetItem},
    {"__delitem__", SLOT(setitem), GENERIC(SlotSetItem), WrapDelItem},
    {"__contains__", SLOT(contains), GENERIC(SlotContains), WrapContains},
    {"__bool__", SLOT(truth), GENERIC(SlotTruth), WrapTruth},
    {"__lt__", SLOT(compare), GENERIC(SlotCompare), WrapCompare<CompareOp::kLt>},
    {"__le__", SLOT(compare), GENERIC(SlotCompare), WrapCompare<CompareOp::kLe>},
    {"__eq__", SLOT(compare), GENERIC(SlotCompare), WrapCompare<CompareOp::kEq>},
    {"__ne__", SLOT(compare), GENERIC(SlotCompare), WrapCompare<CompareOp::kNe>},
    {"__gt__", SLOT(compare), GENERIC(SlotCompare), WrapCompare<CompareOp::kGt>},
    {"__ge__", SLOT(compare), GENERIC(SlotCompare), WrapCompare<CompareOp::kGe>},
    BINARY(0, "add"), BINARY(1, "sub"), BINARY(2, "mul"), BINARY(3, "matmul"), BINARY(4, "truediv"), BINARY(5, "floordiv"),
    BINARY(6, "mod"), BINARY(7, "pow"), BINARY(8, "lshift"), BINARY(9, "rshift"), BINARY(10, "and"), BINARY(11, "or"),
    BINARY(12, "xor"), BINARY(13, "divmod"),
    INPLACE(0, "add"), INPLACE(1, "sub"), INPLACE(2, "mul"), INPLACE(3, "matmul"), INPLACE(4, "truediv"), INPLACE(5, "floordiv"),
    INPLACE(6, "mod"), INPLACE(7, "pow"), INPLACE(8, "lshift"), INPLACE(9, "rshift"), INPLACE(10, "and"), INPLACE(11, "or"),
    INPLACE(12, "xor"),
    UNARY(0, "__neg__", neg), UNARY(1, "__pos__", pos), UNARY(2, "__invert__", invert), UNARY(3, "__abs__", abs),
    {"__index__", SLOT(index), GENERIC(&Slot0<&Names::index>), WrapUnary},
    {"__int__", SLOT(to_int), GENERIC(&Slot0<&Names::int_>), WrapUnary},
    {"__float__", SLOT(to_float), GENERIC(&Slot0<&Names::float_>), WrapUnary},
    {"__init__", SLOT(init), GENERIC(SlotInit), WrapInit},
};
// What native sequences show in their place; they have no __radd__.
const SlotDef kRepeatDefs[] = {
    {"__mul__", static_cast<uint16_t>(SLOT(binary) + static_cast<int>(BinaryOp::kMul)), nullptr, WrapRepeat},
    {"__rmul__", static_cast<uint16_t>(SLOT(binary) + static_cast<int>(BinaryOp::kMul)), nullptr, WrapRepeat},
    {"__imul__", static_cast<uint16_t>(SLOT(inplace) + static_cast<int>(BinaryOp::kMul)), nullptr, WrapRepeat},
};
// The row for a native class: `def`, another one, or null.
const SlotDef* RowFor(const Class* cls, const SlotDef& def) {
  if ((cls->flags & kTypeSequence) == 0) return &def;
  if (strcmp(def.name, "__radd__") == 0) return nullptr;
  for (const SlotDef& repeat : kRepeatDefs) {
    if (strcmp(def.name, repeat.name) == 0) return &repeat;
  }
  return &def;
}
constexpr size_t kNumSlotDefs = sizeof(kSlotDefs) / sizeof(kSlotDefs[0]);
constexpr size_t kNumSlots = sizeof(TypeSlots) / sizeof(AnyFn);

// Interned names of the rows, per Runtime.
struct SlotNames {
  Str* name[kNumSlotDefs] = {};
};

AnyFn& At(TypeSlots& s, size_t i) { return reinterpret_cast<AnyFn*>(&s)[i]; }
AnyFn At(const TypeSlots& s, size_t i) { return reinterpret_cast<const AnyFn*>(&s)[i]; }

// __new__ of native classes: `Base.__new__(cls, ...)`.
Ref NativeNew(Context& cx, Value self, const Args& args) {
  Class* owner = self.as<Class>();
  if (args.npos < 1 || !IsClass(args[0])) return RaiseTypeError(cx, "%s.__new__(X): X is not a type object", NameOf(owner));
  Class* cls = args[0].as<Class>();
  if (!IsSubclass(cls, owner)) {
    return RaiseTypeError(cx, "%s.__new__(%s): %s is not a subtype of %s", NameOf(owner), NameOf(cls), NameOf(cls), NameOf(owner));
  }
  // Another native part needs the function that fills it in.
  if (cls->native_base->slots.create != owner->slots.create) {
    return RaiseTypeError(cx, "%s.__new__(%s) is not safe, use %s.__new__()", NameOf(owner), NameOf(cls), NameOf(cls->native_base));
  }
  return owner->slots.create(cx, cls, args.Skip(1));
}
const MethodDef kNativeNew = {"__new__", NativeNew, 1, -1, kMethodKeywords};

void ResolveNew(Context& cx, Class* cls, TypeSlots* slots) {
  Ref fn = LookupInMro(cx, cls, cx.rt.names.new_);
  if (!fn) {
    slots->create = cls->base != nullptr ? cls->base->slots.create : nullptr;
    return;
  }
  NativeFunction* n = As<NativeFunction>(fn);
  slots->create = n != nullptr && n->def == &kNativeNew ? PeekSlot(n->self).as<Class>()->slots.create : SlotCreate;
}

// What the attributes of a class make of it.
struct Resolved {
  TypeSlots slots;
  uint32_t flags;
};

}  // namespace

AnyFn WrappedSlot(const WrapperDescriptor* w) { return At(w->owner->native->slots, w->def->slot); }

bool InitSlotTable(Context& cx) {
  SlotNames& names = cx.rt.State<SlotNames>();
  for (size_t i = 0; i < kNumSlotDefs; i++) {
    names.name[i] = Intern(cx, kSlotDefs[i].name);
    if (names.name[i] == nullptr) return false;
  }
  return true;
}

bool IsSlotName(Context& cx, Str* name) {
  const SlotNames& names = cx.rt.State<SlotNames>();
  for (Str* s : names.name) {
    if (s == name) return true;
  }
  return name == cx.rt.names.new_ || name == cx.rt.names.del;
}

bool AddSlotWrappers(Context& cx, Class* cls, const TypeSlots& own) {
  const SlotNames& names = cx.rt.State<SlotNames>();
  Dict* d = PeekSlot(cls->dict).as<Dict>();
  Ref have;
  for (size_t i = 0; i < kNumSlotDefs; i++) {
    const SlotDef& def = kSlotDefs[i];
    if (def.wrapper == nullptr || At(own, def.slot) == nullptr || DictGetStr(cx, d, names.name[i], &have) == 1) continue;
    const SlotDef* row = RowFor(cls, def);
    if (row == nullptr) continue;
    Ref w = NewWrapperDescriptor(cx, row, cls);
    if (!w || !DictSetStr(cx, d, names.name[i], w)) return false;
  }
  if ((cls->flags & kTypeUnhashable) != 0 && !DictSetStr(cx, d, cx.rt.names.hash, cx.None())) return false;
  if (own.create != nullptr) {
    Ref f = NewNativeFunction(cx, &kNativeNew, cls);
    if (!f || !DictSetStr(cx, d, cx.rt.names.new_, f)) return false;
  }
  return true;
}

void InheritNativeSlots(Context& cx, Class* cls) {
  (void)cx;
  if (cls->base != nullptr) {
    for (size_t i = 0; i < kNumSlots; i++) {
      if (At(cls->slots, i) == nullptr) At(cls->slots, i) = At(cls->base->slots, i);
    }
  }
  if ((cls->native->flags & kTypeUnhashable) != 0) cls->slots.hash = HashNotImplemented;
  cls->flags |= Class::kGenericGetAttr | Class::kGenericSetAttr;
  if (cls->slots.getattr != nullptr && cls->slots.getattr != GenericGetAttr) cls->flags &= ~Class::kGenericGetAttr;
  if (cls->slots.setattr != nullptr && cls->slots.setattr != GenericSetAttr) cls->flags &= ~Class::kGenericSetAttr;
}

namespace {

Resolved Resolve(Context& cx, Class* cls) {
  const SlotNames& names = cx.rt.State<SlotNames>();
  TypeSlots fresh;
  bool generic[kNumSlots] = {};
  for (size_t i = 0; i < kNumSlotDefs; i++) {
    const SlotDef& def = kSlotDefs[i];
    Ref found = LookupInMro(cx, cls, names.name[i]);
    if (!found) continue;
    AnyFn& slot = At(fresh, def.slot);
    WrapperDescriptor* w = As<WrapperDescriptor>(found);
    AnyFn native = nullptr;
    if (w != nullptr && w->def->slot == def.slot && IsSubclass(cls, w->owner)) native = WrappedSlot(w);
    if (found.get() == cx.None() && def.slot == SLOT(hash)) native = GENERIC(HashNotImplemented);
    if (found.get() == cx.None() && def.slot != SLOT(hash) && def.slot != SLOT(iter)) native = nullptr;
    if (native != nullptr && !generic[def.slot] && (slot == nullptr || slot == native)) {
      slot = native;
    } else {
      slot = def.generic;
      generic[def.slot] = true;
    }
  }
  ResolveNew(cx, cls, &fresh);
  uint32_t flags = cls->flags | Class::kGenericGetAttr | Class::kGenericSetAttr;
  // __getattr__ alone keeps attribute reads that succeed cacheable; a different __getattribute__ does not.
  if (fresh.getattr == SlotGetAttr) {
    Ref a = LookupInMro(cx, cls, cx.rt.names.getattribute);
    WrapperDescriptor* w = As<WrapperDescriptor>(a);
    if (w == nullptr || w->owner != cx.rt.cls.object) flags &= ~Class::kGenericGetAttr;
  } else if (fresh.getattr != nullptr && fresh.getattr != GenericGetAttr) {
    flags &= ~Class::kGenericGetAttr;
  }
  if (fresh.setattr != nullptr && fresh.setattr != GenericSetAttr) flags &= ~Class::kGenericSetAttr;
  Ref del = LookupInMro(cx, cls, cx.rt.names.del);
  flags = del ? flags | Class::kHasDel : flags & ~Class::kHasDel;
  flags &= ~Class::kAbstract;
  Ref abstract;
  if (DictGetStr(cx, PeekSlot(cls->dict).as<Dict>(), cx.rt.names.abstractmethods, &abstract) == 1) {
    const int t = IsTrue(cx, abstract);
    if (t > 0) flags |= Class::kAbstract;
    if (t < 0) cx.ClearException();
  }
  return {fresh, flags};
}

void Apply(Context& cx, Class* cls, const Resolved& r) {
  cls->slots = r.slots;
  cls->flags = r.flags;
  FillTypeInfo(cx, cls);
}

}  // namespace

// Of a class that nobody else has yet.
void ResolveSlots(Context& cx, Class* cls) { Apply(cx, cls, Resolve(cx, cls)); }

void UpdateSlotsOfTree(Context& cx, Class* cls) {
  // The list may grow or shrink while slots are worked out (lookups run no code, but classes die): collect first.
  LockMutex(cx.ts, &cx.rt.class_mutex);
  size_t n = 0;
  for (Class* c = cx.rt.classes; c != nullptr; c = c->next_class) n += IsSubclass(c, cls);
  Class** found = static_cast<Class**>(cx.ts->heap()->Allocate(HeapKind::kRaw, (n + 1) * sizeof(Class*)));
  size_t k = 0;
  if (found != nullptr) {
    for (Class* c = cx.rt.classes; c != nullptr; c = c->next_class) {
      if (IsSubclass(c, cls) && TryIncref(c)) found[k++] = c;
    }
  }
  cx.rt.class_mutex.Unlock();
  // Other threads read slots without a lock, so they change while everybody stands still.
  Resolved* fresh = static_cast<Resolved*>(cx.ts->heap()->Allocate(HeapKind::kRaw, (k + 1) * sizeof(Resolved)));
  for (size_t i = 0; i < k && fresh != nullptr; i++) fresh[i] = Resolve(cx, found[i]);
  if (k > 0 && fresh != nullptr) {
    StopScope stop(cx.ts);
    for (size_t i = 0; i < k; i++) Apply(cx, found[i], fresh[i]);
  }
  for (size_t i = 0; i < k; i++) Decref(cx.ts, found[i]);
  if (fresh != nullptr) FreeRaw(cx, fresh);
  if (found != nullptr) FreeRaw(cx, found);
}

}  // namespace tidepool::rt
