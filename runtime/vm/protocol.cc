// The generic operations.
#include "tidepool/runtime/vm/protocol.h"

#include <cmath>
#include <cstring>

#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/float.h"
#include "tidepool/runtime/objects/format.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/iterators.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/alias.h"
#include "tidepool/runtime/vm/attrs.h"
#include "tidepool/runtime/vm/class_internal.h"
#include "tidepool/runtime/vm/descriptor.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/exception.h"
#include "tidepool/runtime/vm/generator.h"
#include "tidepool/runtime/vm/signals.h"

namespace tidepool::rt {

// ---- attributes ---------------------------------------------------------------------------------------------

Ref GenericGetAttr(Context& cx, Value obj, Str* name) {
  Class* cls = ClassOf(cx, obj);
  Ref descr = LookupInMro(cx, cls, name);
  const TypeSlots* ds = descr ? &ClassOf(cx, descr)->slots : nullptr;
  if (ds != nullptr && ds->descr_get != nullptr && ds->descr_set != nullptr) return ds->descr_get(cx, descr, obj, cls);
  if (cls->attr_offset != 0) {
    Ref v = GetInstanceAttr(cx, obj.object(), cls, name);
    if (v || cx.has_exception()) return v;
  }
  if (ds != nullptr) return ds->descr_get != nullptr ? ds->descr_get(cx, descr, obj, cls) : std::move(descr);
  return RaiseAttributeError(cx, obj, name);
}

bool GenericSetAttr(Context& cx, Value obj, Str* name, Value value) {
  Class* cls = ClassOf(cx, obj);
  Ref descr = LookupInMro(cx, cls, name);
  if (descr) {
    const TypeSlots& ds = ClassOf(cx, descr)->slots;
    if (ds.descr_set != nullptr) return ds.descr_set(cx, descr, obj, value);
  }
  if (cls->attr_offset != 0) {
    const int r = SetInstanceAttr(cx, obj.object(), cls, name, value);
    if (r > 0) return true;
    if (r == 0) RaiseAttributeError(cx, obj, name);
    return false;
  }
  if (descr) {
    Raise(cx, cx.rt.exc.AttributeError, "'%s' object attribute '%s' is read-only", NameOf(cls), ToUtf8(name).c_str());
  } else {
    RaiseAttributeError(cx, obj, name);
  }
  return false;
}

Ref GetAttr(Context& cx, Value obj, Str* name) {
  Class* cls = ClassOf(cx, obj);
  if (cls->slots.getattr != nullptr) return cls->slots.getattr(cx, obj, name);
  return GenericGetAttr(cx, obj, name);
}

Ref GetAttrOptional(Context& cx, Value obj, Str* name) {
  Ref r = GetAttr(cx, obj, name);
  if (!r) ClearIf(cx, cx.rt.exc.AttributeError);
  return r;
}

Ref GetAttr(Context& cx, Value obj, const char* name) {
  Str* s = Intern(cx, name);
  return s == nullptr ? Ref() : GetAttr(cx, obj, s);
}

bool SetAttr(Context& cx, Value obj, Str* name, Value value) {
  Class* cls = ClassOf(cx, obj);
  if (cls->slots.setattr != nullptr) return cls->slots.setattr(cx, obj, name, value);
  return GenericSetAttr(cx, obj, name, value);
}

// ---- items, length, truth -----------------------------------------------------------------------------------

Ref GetItem(Context& cx, Value obj, Value key) {
  Class* cls = ClassOf(cx, obj);
  if (cls->slots.getitem != nullptr) return cls->slots.getitem(cx, obj, key);
  if (IsClass(obj)) {
    Ref hook = GetAttrOptional(cx, obj, cx.rt.names.class_getitem);
    if (cx.has_exception()) return Ref();
    if (hook) return Call(cx, hook, key);
    const Layout layout = obj.as<Class>()->layout;
    if (layout == Layout::kList || layout == Layout::kDict || layout == Layout::kTuple || layout == Layout::kSet || obj == Value(cx.rt.cls.type)) {
      return NewGenericAlias(cx, obj, key);
    }
    return RaiseTypeError(cx, "type '%s' is not subscriptable", NameOf(obj.as<Class>()));
  }
  return RaiseTypeError(cx, "'%s' object is not subscriptable", NameOf(cls));
}

bool SetItem(Context& cx, Value obj, Value key, Value value) {
  Class* cls = ClassOf(cx, obj);
  if (cls->slots.setitem != nullptr) return cls->slots.setitem(cx, obj, key, value);
  return RaiseTypeError(cx, "'%s' object does not support item assignment", NameOf(cls)), false;
}

bool DelItem(Context& cx, Value obj, Value key) {
  Class* cls = ClassOf(cx, obj);
  if (cls->slots.setitem != nullptr) return cls->slots.setitem(cx, obj, key, Value());
  return RaiseTypeError(cx, "'%s' object doesn't support item deletion", NameOf(cls)), false;
}

int64_t Len(Context& cx, Value obj) {
  Class* cls = ClassOf(cx, obj);
  if (cls->slots.len != nullptr) return cls->slots.len(cx, obj);
  return RaiseTypeError(cx, "object of type '%s' has no len()", NameOf(cls)), -1;
}

int64_t LengthHint(Context& cx, Value obj, int64_t fallback) {
  Class* cls = ClassOf(cx, obj);
  if (cls->slots.len != nullptr) {
    const int64_t n = cls->slots.len(cx, obj);
    if (n >= 0) return n;
    cx.ClearException();
    return fallback;
  }
  bool found;
  Ref r = CallSpecial(cx, obj, cx.rt.names.length_hint, Args(), &found);
  if (r && r.get().is_small_int() && r.get().small_int() >= 0) return r.get().small_int();
  if (cx.has_exception()) cx.ClearException();
  return fallback;
}

int IsTrue(Context& cx, Value obj) {
  if (obj.is_small_int()) return obj.small_int() != 0;
  if (obj == cx.rt.true_) return 1;
  if (obj == cx.rt.false_ || obj == cx.rt.none) return 0;
  Class* cls = ClassOf(cx, obj);
  if (cls->slots.truth != nullptr) return cls->slots.truth(cx, obj);
  if (cls->slots.len != nullptr) {
    const int64_t n = cls->slots.len(cx, obj);
    return n < 0 ? -1 : n != 0;
  }
  return 1;
}

int Contains(Context& cx, Value container, Value item) {
  Class* cls = ClassOf(cx, container);
  if (cls->slots.contains != nullptr) return cls->slots.contains(cx, container, item);
  if (!MayIterate(cls)) {
    return RaiseTypeError(cx, "argument of type '%s' is not iterable", NameOf(cls)), -1;
  }
  int result = 0;
  Ref it = Iter(cx, container);
  if (!it) return -1;
  for (;;) {
    Ref v = Next(cx, it);
    if (!v) return cx.has_exception() ? -1 : 0;
    result = Equal(cx, v, item);
    if (result != 0) return result;
  }
}

// ---- text and hash ----------------------------------------------------------------------------------------------

Ref Repr(Context& cx, Value obj) {
  if (!CheckNativeStack(cx)) return Ref();
  Class* cls = ClassOf(cx, obj);
  Ref r = cls->slots.repr(cx, obj);
  if (r && !IsStr(r)) return RaiseTypeError(cx, "__repr__ returned non-string (type %s)", ClassName(cx, r));
  return r;
}

Ref ToString(Context& cx, Value obj) {
  if (IsExact(obj, cx.rt.cls.str)) return Ref::New(obj);
  if (!CheckNativeStack(cx)) return Ref();
  Class* cls = ClassOf(cx, obj);
  if (cls->slots.str == nullptr) return Repr(cx, obj);
  return cls->slots.str(cx, obj);
}

Ref Format(Context& cx, Value obj, Value spec) {
  const bool empty = spec.is_null() || spec.as<Str>()->length == 0;
  if (empty && IsExact(obj, cx.rt.cls.str)) return Ref::New(obj);
  Class* cls = ClassOf(cx, obj);
  if ((cls->flags & Class::kPython) != 0 || cls->layout == Layout::kOther) {
    Ref hook = LookupInMro(cx, cls, cx.rt.names.format);
    if (hook && !Is<MethodDescriptor>(hook.get())) {
      Value s = spec.is_null() ? Value(cx.rt.names.empty) : spec;
      bool found;
      Ref r = CallSpecial(cx, obj, cx.rt.names.format, Args(&s, 1), &found);
      if (r && !IsStr(r)) return RaiseTypeError(cx, "__format__ must return a str, not %s", ClassName(cx, r));
      return r;
    }
  }
  if (empty) return ToString(cx, obj);
  return FormatSpecOf(cx, obj, spec.as<Str>());
}

bool Hash(Context& cx, Value obj, int64_t* out) {
  if (obj.is_small_int()) {
    *out = IntHash(obj);
    return true;
  }
  Class* cls = ClassOf(cx, obj);
  if (cls->slots.hash != nullptr) return CheckNativeStack(cx) && cls->slots.hash(cx, obj, out);
  return RaiseTypeError(cx, "unhashable type: '%s'", NameOf(cls)), false;
}

// ---- comparison -----------------------------------------------------------------------------------------------------

namespace {
CompareOp Swapped(CompareOp op) {
  constexpr CompareOp kSwapped[] = {CompareOp::kGt, CompareOp::kGe, CompareOp::kEq, CompareOp::kNe, CompareOp::kLt, CompareOp::kLe};
  return kSwapped[static_cast<int>(op)];
}
const char* CompareText(CompareOp op) {
  constexpr const char* kText[] = {"<", "<=", "==", "!=", ">", ">="};
  return kText[static_cast<int>(op)];
}
}  // namespace

Ref Compare(Context& cx, Value a, Value b, CompareOp op) {
  if (a.is_small_int() && b.is_small_int()) return cx.BoolRef(CompareNumbers(a.small_int(), b.small_int(), op));
  if (!CheckNativeStack(cx)) return Ref();
  Class* ca = ClassOf(cx, a);
  Class* cb = ClassOf(cx, b);
  const Value ni = cx.NotImplemented();
  bool reflected_first = false;
  if (ca != cb && cb->slots.compare != nullptr && IsSubclass(cb, ca)) {
    reflected_first = true;
    Ref r = cb->slots.compare(cx, b, a, Swapped(op));
    if (!r || r.get() != ni) return r;
  }
  if (ca->slots.compare != nullptr) {
    Ref r = ca->slots.compare(cx, a, b, op);
    if (!r || r.get() != ni) return r;
  }
  if (!reflected_first && cb->slots.compare != nullptr) {
    Ref r = cb->slots.compare(cx, b, a, Swapped(op));
    if (!r || r.get() != ni) return r;
  }
  if (op == CompareOp::kEq) return cx.BoolRef(a == b);
  if (op == CompareOp::kNe) return cx.BoolRef(a != b);
  return RaiseTypeError(cx, "'%s' not supported between instances of '%s' and '%s'", CompareText(op), NameOf(ca), NameOf(cb));
}

int CompareBoolSlow(Context& cx, Value a, Value b, CompareOp op) {
  Ref r = Compare(cx, a, b, op);
  return r ? IsTrue(cx, r) : -1;
}

int Equal(Context& cx, Value a, Value b) {
  if (a == b) return 1;
  if (a.is_small_int() && b.is_small_int()) return 0;
  if (IsExact(a, cx.rt.cls.str) && IsExact(b, cx.rt.cls.str)) return StrEqual(a.as<Str>(), b.as<Str>());
  return CompareBool(cx, a, b, CompareOp::kEq);
}

// ---- arithmetic -----------------------------------------------------------------------------------------------------

const char* BinaryOpText(BinaryOp op) {
  constexpr const char* kText[] = {"+", "-", "*", "@", "/", "//", "%", "** or pow()", "<<", ">>", "&", "|", "^", "divmod()"};
  return kText[static_cast<int>(op)];
}

namespace {

constexpr bool SequenceOp(BinaryOp op) { return op == BinaryOp::kAdd || op == BinaryOp::kMul; }

// Whether `f`, the slot of cls or null, is a native sequence's + or *: CPython's sq_concat and sq_repeat, which are asked when
// the number slots of both sides have declined. What a Python class defines by __add__ or __mul__ is a number slot.
bool IsOfSequence(const Class* cls, BinaryOp op, Ref (*f)(Context&, Value, Value)) {
  const int i = static_cast<int>(op);
  return f != nullptr && (cls->flags & kTypeSequence) != 0 && SequenceOp(op) &&
         (f == cls->native_base->slots.binary[i] || f == cls->native_base->slots.inplace[i]);
}

// The number slots of the two sides in CPython's order; NotImplemented if neither wants it.
Ref NumberSlots(Context& cx, BinaryOp op, Value a, Value b) {
  const int i = static_cast<int>(op);
  Class* ca = ClassOf(cx, a);
  Class* cb = ClassOf(cx, b);
  auto fa = ca->slots.binary[i];
  auto fb = ca == cb || cb->slots.binary[i] == fa ? nullptr : cb->slots.binary[i];
  if (IsOfSequence(ca, op, fa)) fa = nullptr;
  if (IsOfSequence(cb, op, fb)) fb = nullptr;
  const Value ni = cx.NotImplemented();
  if (fa != nullptr) {
    if (fb != nullptr && IsSubclass(cb, ca)) {
      Ref r = fb(cx, a, b);
      if (!r || r.get() != ni) return r;
      fb = nullptr;
    }
    Ref r = fa(cx, a, b);
    if (!r || r.get() != ni) return r;
  }
  if (fb != nullptr) return fb(cx, a, b);
  return cx.NotImplementedRef();
}

// The sequences' own + and *, the left one's first; repeating by `*=` a sequence on the right is for native classes only.
Ref SequenceSlots(Context& cx, BinaryOp op, Value a, Value b, bool inplace) {
  const int i = static_cast<int>(op);
  if (!SequenceOp(op)) return cx.NotImplementedRef();
  Class* ca = ClassOf(cx, a);
  if (IsOfSequence(ca, op, ca->slots.binary[i])) return ca->slots.binary[i](cx, a, b);
  Class* cb = ClassOf(cx, b);
  if (op == BinaryOp::kMul && !(inplace && (ca->flags & Class::kPython) != 0) && IsOfSequence(cb, op, cb->slots.binary[i])) {
    return cb->slots.binary[i](cx, a, b);
  }
  return cx.NotImplementedRef();
}

Ref RaiseOperands(Context& cx, const char* op, const char* suffix, Value a, Value b) {
  return RaiseTypeError(cx, "unsupported operand type(s) for %s%s: '%s' and '%s'", op, suffix, ClassName(cx, a), ClassName(cx, b));
}

Ref RaiseBinary(Context& cx, BinaryOp op, const char* suffix, Value a, Value b) {
  if (op == BinaryOp::kMul) {
    auto repeats = [&](Value v) {
      const Class* c = ClassOf(cx, v);
      return IsOfSequence(c, op, c->slots.binary[static_cast<int>(op)]);
    };
    if (repeats(a)) return RaiseTypeError(cx, "can't multiply sequence by non-int of type '%s'", ClassName(cx, b));
    const bool right = *suffix == 0 || (ClassOf(cx, a)->flags & Class::kPython) == 0;
    if (right && repeats(b)) return RaiseTypeError(cx, "can't multiply sequence by non-int of type '%s'", ClassName(cx, a));
  }
  const char* text = BinaryOpText(op);
  if (op == BinaryOp::kPow && *suffix != 0) text = "**";
  return RaiseOperands(cx, text, suffix, a, b);
}

}  // namespace

Ref Binary(Context& cx, BinaryOp op, Value a, Value b) {
  const Value ni = cx.NotImplemented();
  Ref r = NumberSlots(cx, op, a, b);
  if (!r || r.get() != ni) return r;
  r = SequenceSlots(cx, op, a, b, false);
  if (!r || r.get() != ni) return r;
  return RaiseBinary(cx, op, "", a, b);
}

Ref Inplace(Context& cx, BinaryOp op, Value a, Value b) {
  const Class* ca = ClassOf(cx, a);
  const auto f = ca->slots.inplace[static_cast<int>(op)];
  // A Python subclass has the native += as a number slot; CPython's two tables of slots make it so.
  const bool sequence = IsOfSequence(ca, op, f) && (op == BinaryOp::kMul || (ca->flags & Class::kPython) == 0);
  const Value ni = cx.NotImplemented();
  if (f != nullptr && !sequence) {
    Ref r = f(cx, a, b);
    if (!r || r.get() != ni) return r;
  }
  Ref r = NumberSlots(cx, op, a, b);
  if (!r || r.get() != ni) return r;
  r = sequence ? f(cx, a, b) : SequenceSlots(cx, op, a, b, true);
  if (!r || r.get() != ni) return r;
  return RaiseBinary(cx, op, "=", a, b);
}

Ref Unary(Context& cx, UnaryOp op, Value v) {
  Class* cls = ClassOf(cx, v);
  const auto f = cls->slots.unary[static_cast<int>(op)];
  if (f != nullptr) return f(cx, v);
  if (op == UnaryOp::kAbs) return RaiseTypeError(cx, "bad operand type for abs(): '%s'", NameOf(cls));
  constexpr const char* kText[] = {"-", "+", "~"};
  return RaiseTypeError(cx, "bad operand type for unary %s: '%s'", kText[static_cast<int>(op)], NameOf(cls));
}

Ref Power(Context& cx, Value base, Value exponent, Value modulus) {
  if (modulus.is_null() || modulus == cx.None()) return Binary(cx, BinaryOp::kPow, base, exponent);
  if (IsInt(base) && IsInt(exponent) && IsInt(modulus)) return IntPow(cx, base, exponent, modulus);
  if (IsInt(base) || IsFloat(base)) return RaiseTypeError(cx, "pow() 3rd argument not allowed unless all arguments are integers");
  Value v[] = {exponent, modulus};
  bool found;
  Ref r = CallSpecial(cx, base, cx.rt.names.pow, Args(v, 2), &found);
  if (found) return r;
  return RaiseTypeError(cx, "unsupported operand type(s) for ** or pow(): '%s', '%s', '%s'", ClassName(cx, base), ClassName(cx, exponent),
                        ClassName(cx, modulus));
}

Ref Index(Context& cx, Value v) {
  if (v.is_small_int()) return Ref::New(v);
  if (IsInt(v)) return IntPlain(cx, v);
  Class* cls = ClassOf(cx, v);
  if (cls->slots.index == nullptr) return RaiseTypeError(cx, "'%s' object cannot be interpreted as an integer", NameOf(cls));
  Ref r = cls->slots.index(cx, v);
  if (r && !IsInt(r)) return RaiseTypeError(cx, "__index__ returned non-int (type %s)", ClassName(cx, r));
  return r;
}

// ---- iteration ----------------------------------------------------------------------------------------------------------

Ref Iter(Context& cx, Value obj) {
  Class* cls = ClassOf(cx, obj);
  if (cls->slots.iter != nullptr) {
    Ref it = cls->slots.iter(cx, obj);
    if (it && ClassOf(cx, it)->slots.next == nullptr) {
      return RaiseTypeError(cx, "iter() returned non-iterator of type '%s'", ClassName(cx, it));
    }
    return it;
  }
  if (cls->slots.getitem != nullptr && cls->layout != Layout::kDict) return NewSequenceIterator(cx, obj);
  return RaiseTypeError(cx, "'%s' object is not iterable", NameOf(cls));
}

Ref Next(Context& cx, Value iterator) {
  Class* cls = ClassOf(cx, iterator);
  if (cls->slots.next == nullptr) return RaiseTypeError(cx, "'%s' object is not an iterator", NameOf(cls));
  if (!CheckNativeStack(cx)) return Ref();  // iterators over iterators
  if ((++cx.native_steps & 1023) == 0) {
    Safepoint(cx);
    if (cx.signal_pending && !CheckSignals(cx)) return Ref();
  }
  Ref r = cls->slots.next(cx, iterator);
  if (!r && cx.has_exception()) ClearIf(cx, cx.rt.exc.StopIteration);
  return r;
}

Ref NextOrSink(Context& cx, Value iterator, ItemSink* sink) {
  if (!IsExact(iterator, cx.rt.cls.generator)) return Next(cx, iterator);
  Ref result;
  return GeneratorSend(cx, iterator.as<Generator>(), Value(), &result, sink);
}

// ---- instance checks --------------------------------------------------------------------------------------------------------

int IsRealInstance(Context& cx, Value obj, const Class* cls) {
  if (IsInstance(cx, obj, cls)) return 1;
  // __class__ may say something else than the header.
  if (!obj.is_object()) return 0;
  Class* real = ClassOf(obj.object());
  if ((real->flags & Class::kGenericGetAttr) != 0) {
    if ((real->flags & Class::kPython) == 0) return 0;
    Ref descr = LookupInMro(cx, real, cx.rt.names.class_);
    GetSetDescriptor* g = descr ? As<GetSetDescriptor>(descr) : nullptr;
    if (g != nullptr && g->owner == cx.rt.cls.object) return 0;
  }
  Ref c = GetAttrOptional(cx, obj, cx.rt.names.class_);
  if (cx.has_exception()) return -1;
  return c && IsClass(c) && IsSubclass(c.as<Class>(), cls);
}

int IsInstanceOf(Context& cx, Value obj, Value type) {
  if (IsClass(type)) {
    Class* const real = ClassOf(cx, obj);
    if (real == type.as<Class>()) return 1;
    if (IsExact(type, cx.rt.cls.type)) {
      // A builtin object says of its class what its header says.
      constexpr uint32_t kKinds = Class::kGenericGetAttr | Class::kPython;
      if ((real->flags & kKinds) == Class::kGenericGetAttr) return IsSubclass(real, type.as<Class>());
      return IsRealInstance(cx, obj, type.as<Class>());
    }
  }
  if (Tuple* t = As<Tuple>(type)) {
    if (!CheckNativeStack(cx)) return -1;  // tuples in tuples
    for (size_t i = 0; i < t->length; i++) {
      const int r = IsInstanceOf(cx, obj, t->items[i]);
      if (r != 0) return r;
    }
    return 0;
  }
  if (Ref members = UnionMembers(cx, type)) return IsInstanceOf(cx, obj, members);
  bool found = false;
  Ref r = CallSpecial(cx, type, cx.rt.names.instancecheck, Args(&obj, 1), &found);
  if (found) return r ? IsTrue(cx, r) : -1;
  if (IsClass(type)) return 0;
  return RaiseTypeError(cx, "isinstance() arg 2 must be a type, a tuple of types, or a union"), -1;
}

int IsSubclassOf(Context& cx, Value cls, Value type) {
  if (Tuple* t = As<Tuple>(type)) {
    if (!CheckNativeStack(cx)) return -1;  // tuples in tuples
    for (size_t i = 0; i < t->length; i++) {
      const int r = IsSubclassOf(cx, cls, t->items[i]);
      if (r != 0) return r;
    }
    return 0;
  }
  if (!IsClass(cls)) return RaiseTypeError(cx, "issubclass() arg 1 must be a class"), -1;
  if (Ref members = UnionMembers(cx, type)) return IsSubclassOf(cx, cls, members);
  if (IsExact(type, cx.rt.cls.type)) return IsSubclass(cls.as<Class>(), type.as<Class>());
  bool found = false;
  Ref r = CallSpecial(cx, type, cx.rt.names.subclasscheck, Args(&cls, 1), &found);
  if (found) return r ? IsTrue(cx, r) : -1;
  if (!IsClass(type)) return RaiseTypeError(cx, "issubclass() arg 2 must be a class, a tuple of classes, or a union"), -1;
  return IsSubclass(cls.as<Class>(), type.as<Class>());
}

bool IsCallable(Context& cx, Value obj) { return ClassOf(cx, obj)->slots.call != nullptr; }

}  // namespace tidepool::rt
