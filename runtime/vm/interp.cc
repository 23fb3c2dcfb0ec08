// The interpreter loop.
//
// One call of Interpret runs cx.frame (flag kFrameEntry) and every Python function called from it, without C recursion,
// until the entry frame is left.  The state of the running frame lives in locals (f, pc, sp, slots); f->pc is
// kept up to date by every dispatch (the handler search and line numbers need it), f->sp only when another frame
// becomes the running one.
//
//   - All values on the stack are owned.  Instructions take values off before they drop them, because a drop may run
//     any code (which uses the value stack above cx.stack_top, the end of this frame).
//   - A safepoint is passed at backward jumps and at calls.
//   - Errors: an exception is pending, `goto error`.
//
// The file is long because the loop is one function: its state lives in registers, and every instruction jumps
// straight to the next one.  Whatever can be said in a call stands in interp_ops.cc.
#include <cmath>
#include <cstring>

#include "tidepool/runtime/lang/bytecode.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/float.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/iterators.h"
#include "tidepool/runtime/objects/list_internal.h"
#include "tidepool/runtime/objects/range.h"
#include "tidepool/runtime/objects/set.h"
#include "tidepool/runtime/objects/slice.h"
#include "tidepool/runtime/objects/str_internal.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/attr_cache.h"
#include "tidepool/runtime/vm/class_internal.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/exception.h"
#include "tidepool/runtime/vm/frame.h"
#include "tidepool/runtime/vm/generator.h"
#include "tidepool/runtime/vm/interp_ops.h"
#include "tidepool/runtime/vm/protocol.h"
#include "tidepool/runtime/vm/quicken.h"
#include "tidepool/runtime/vm/signals.h"

namespace tidepool::rt {

using lang::Op;

namespace {

// Drops everything the frame holds and unlinks it.  Destructors run while it is still linked.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline void PopFrame(Context& cx, ThreadState* ts, Frame* f) {
  if (ABSL_PREDICT_FALSE(f->object != nullptr)) ReleaseFrameObject(cx, f);
  Value* const end = reinterpret_cast<Value*>(f);
  for (Value* slot = f->slots; slot != end; slot++) {
    const Value v = *slot;
    if (v.is_object()) {
      *slot = Value();
      Decref(ts, v.object());
    }
  }
  if (ABSL_PREDICT_FALSE(!f->ns.is_null())) DecrefValue(ts, f->ns);
  Function* func = f->func;
  cx.frame = f->prev;
  cx.stack_top = f->saved_top;
  cx.recursion_depth--;
  DecrefSpread(ts, func);
}

// Operands of a float operation: doubles of two floats, or of a float and a small int. Exactly class float.
ABSL_ATTRIBUTE_NOINLINE bool FloatOperands(Context& cx, Value a, Value b, double* x, double* y) {
  if (a.is_small_int()) {
    *x = static_cast<double>(a.small_int());
    if (!IsExactFloat(cx, b)) return false;
    *y = FloatValue(b);
    return true;
  }
  if (!IsExactFloat(cx, a)) return false;
  *x = FloatValue(a);
  if (b.is_small_int()) {
    *y = static_cast<double>(b.small_int());
    return true;
  }
  if (!IsExactFloat(cx, b)) return false;
  *y = FloatValue(b);
  return true;
}

// A float and an int that a double holds exactly, in either order: their values for a comparison.
inline bool MixedNumbers(Value a, Value b, double* x, double* y) {
  constexpr int64_t kExact = int64_t{1} << 53;
  const Value i = a.is_small_int() ? a : b;
  if (!i.is_small_int() || i.small_int() > kExact || i.small_int() < -kExact) return false;
  if (!a.is_small_float() && !b.is_small_float()) return false;
  *x = a.is_small_int() ? static_cast<double>(a.small_int()) : a.small_float();
  *y = b.is_small_int() ? static_cast<double>(b.small_int()) : b.small_float();
  return true;
}

// Operands whose operations do all or nothing, and run no script: one that failed for want of memory can be done again.
bool Repeatable(Context& cx, Value v) {
  const BuiltinClasses& c = cx.rt.cls;
  for (const Class* cls : {c.int_, c.float_, c.str, c.bytes, c.list, c.tuple}) {
    if (IsExact(v, cls)) return true;
  }
  return !v.is_object();
}

// *r = x op y where that is an ordinary result; false: an error or another operator, go the long way.
inline bool FloatArithmetic(BinaryOp op, double x, double y, double* r) {
  switch (op) {
    case BinaryOp::kAdd: *r = x + y; return true;
    case BinaryOp::kSub: *r = x - y; return true;
    case BinaryOp::kMul: *r = x * y; return true;
    case BinaryOp::kTrueDiv:
      *r = x / y;
      return y != 0;
    case BinaryOp::kPow:
      if (!(x > 0)) return false;
      *r = std::pow(x, y);
      return std::isfinite(*r);
    case BinaryOp::kMod:
      if (y == 0) return false;
      *r = FloatMod(x, y);
      return true;
    default: return false;
  }
}

Ref BinaryNumbers(Context& cx, BinaryOp op, Value a, Value b, bool inplace) {
  if (a.is_small_int() && b.is_small_int()) {
    const int64_t x = a.small_int(), y = b.small_int();
    switch (op) {
      case BinaryOp::kAdd: return NewInt(cx, x + y);
      case BinaryOp::kSub: return NewInt(cx, x - y);
      case BinaryOp::kMul: {
        int64_t r;
        if (!__builtin_mul_overflow(x, y, &r)) return NewInt(cx, r);
        break;
      }
      case BinaryOp::kTrueDiv: {
        constexpr int64_t kExact = int64_t{1} << 53;  // both are doubles as they are
        if (y != 0 && x <= kExact && x >= -kExact && y <= kExact && y >= -kExact) {
          return NewFloat(cx, static_cast<double>(x) / static_cast<double>(y));
        }
        break;
      }
      case BinaryOp::kFloorDiv:
        if (y > 0 || y < -1) {
          int64_t q = x / y;
          if (x % y != 0 && (x < 0) != (y < 0)) q--;
          return Ref::Small(q);
        }
        break;
      case BinaryOp::kMod:
        if (y > 0 || y < -1) {
          int64_t r = x % y;
          if (r != 0 && (r < 0) != (y < 0)) r += y;
          return Ref::Small(r);
        }
        break;
      case BinaryOp::kAnd: return Ref::Small(x & y);
      case BinaryOp::kOr: return Ref::Small(x | y);
      case BinaryOp::kXor: return Ref::Small(x ^ y);
      case BinaryOp::kLShift:
        if (y >= 0 && y < 61 && (x >= 0 ? x : -x) < (int64_t{1} << (60 - y))) return Ref::Small(x * (int64_t{1} << y));
        break;
      case BinaryOp::kRShift:
        if (y >= 0) return Ref::Small(y > 62 ? (x < 0 ? -1 : 0) : x >> y);
        break;
      default: break;
    }
  }
  double x, y, z;
  if (FloatOperands(cx, a, b, &x, &y) && FloatArithmetic(op, x, y, &z)) return NewFloat(cx, z);
  Ref r = inplace ? Inplace(cx, op, a, b) : Binary(cx, op, a, b);
  if (!r && Repeatable(cx, a) && Repeatable(cx, b) && ReclaimMemory(cx)) r = inplace ? Inplace(cx, op, a, b) : Binary(cx, op, a, b);
  return r;
}

constexpr BinaryOp kBinaryKinds[lang::kNumBinaryKinds] = {
    BinaryOp::kAdd, BinaryOp::kSub,    BinaryOp::kMul,    BinaryOp::kTrueDiv, BinaryOp::kFloorDiv, BinaryOp::kMod, BinaryOp::kPow,
    BinaryOp::kLShift, BinaryOp::kRShift, BinaryOp::kAnd, BinaryOp::kOr,      BinaryOp::kXor,      BinaryOp::kMatMul};

Ref SubscriptFast(Context& cx, Value o, Value k) {
  if (o.is_object()) {
    const TypeInfo* t = o.object()->type();
    if (t == &cx.rt.cls.dict->info) {
      // Keys whose hash and comparison run no script: nothing is called twice if the key is not there.
      if (k.is_small_int() || IsExact(k, cx.rt.cls.str)) {
        Ref r;
        const int found = DictGet(cx, o.as<Dict>(), k, &r);
        if (found == 1) return r;
        if (found < 0) return Ref();
      }
    } else if (k.is_small_int()) {
      int64_t i = k.small_int();
      if (t == &cx.rt.cls.list->info) {
        List* l = o.as<List>();
        if (i < 0) i += static_cast<int64_t>(ListSize(l));
        if (i >= 0) {
          Ref r = ListGet(cx, l, i);
          if (r) return r;
        }
      } else if (t == &cx.rt.cls.tuple->info) {
        Tuple* u = o.as<Tuple>();
        if (i < 0) i += static_cast<int64_t>(u->length);
        if (static_cast<uint64_t>(i) < u->length) return Ref::New(u->items[i]);
      } else if (t == &cx.rt.cls.str->info) {
        Str* u = o.as<Str>();
        if (i < 0) i += static_cast<int64_t>(u->length);
        if (static_cast<uint64_t>(i) < u->length) return StrGetChar(cx, u, static_cast<size_t>(i));
      }
    }
  }
  return GetItem(cx, o, k);
}

// o[i] of a str whose item is one of the shared one-character strings, which are immortal; else null.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline Value SharedChar(Str* const* latin1, const TypeInfo* str_info, Value o, int64_t i) {
  if (o.object()->type() != str_info) return Value();
  const Str* s = o.as<Str>();
  if (s->kind != 1 || static_cast<uint64_t>(i) >= s->length) return Value();
  return Value(latin1[static_cast<uint8_t>(s->data()[i])]);
}

// c in s for a character and a short text, both of one byte a character: 1, 0; -1 for everything else.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline int CharIn(const TypeInfo* str_info, Value c, Value s) {
  constexpr size_t kShort = 4096;
  if (!c.is_object() || !s.is_object() || c.object()->type() != str_info || s.object()->type() != str_info) return -1;
  const Str* a = c.as<Str>();
  const Str* b = s.as<Str>();
  if (a->length != 1 || a->kind != 1 || b->kind != 1 || b->length > kShort) return -1;
  return std::memchr(b->data(), static_cast<uint8_t>(a->data()[0]), b->length) != nullptr;
}

// A step of iteration; null without exception: exhausted.
Ref ForIterStep(Context& cx, Value it) {
  const TypeInfo* t = it.object()->type();
  const BuiltinClasses& c = cx.rt.cls;
  if (t == &c.generator->info) {
    Ref result;
    return GeneratorSend(cx, it.as<Generator>(), Value(), &result);
  }
  // As Next; the loop itself passes safepoints, and iterators inside the iterator look at the native stack.
  const Class* cls = ClassOf(it.object());
  if (cls->slots.next == nullptr) return Next(cx, it);
  Ref r = cls->slots.next(cx, it);
  if (!r && cx.has_exception()) ClearIf(cx, cx.rt.exc.StopIteration);
  return r;
}

// CallNative where nothing is wrong with the number of arguments.
inline Ref CallNativeFast(Context& cx, const MethodDef* def, Value self, const Args& args) {
  const int n = static_cast<int>(args.npos);
  if (args.nkw == 0 && n >= def->min_args && (def->max_args < 0 || n <= def->max_args)) return def->fn(cx, self, args);
  return CallNative(cx, def, self, args);
}

// If instances of this class are made by NewInstance and an __init__ that is a Python function: a new reference to it.
Function* PythonInit(Context& cx, Class* cls) {
  if ((cls->flags & (Class::kPython | Class::kAbstract)) != Class::kPython || !IsExact(cls, cx.rt.cls.type) || cls->native_base != cx.rt.cls.object || cls->slots.create != cx.rt.cls.object->slots.create) return nullptr;
  Ref init = LookupInMro(cx, cls, cx.rt.names.init);
  if (!init || !Is<Function>(init.get())) return nullptr;
  return init.release().as<Function>();
}

// As DictGetAtHint, for what globals mostly are: functions and classes, which are counted in line.
ABSL_ATTRIBUTE_ALWAYS_INLINE inline Value GlobalAtHint(Context& cx, Dict* d, const Str* key, const Atomic<uint32_t>& hint) {
  DictTable* table = d->table.load(kAcquire);
  const uint32_t at = hint.load(kRelaxed);  // relaxed: only a guess, checked below
  if (ABSL_PREDICT_FALSE(table == nullptr || at >= table->capacity)) return Value();
  DictEntry& e = table->entries()[at];
  if (ABSL_PREDICT_FALSE(e.key.load(kAcquire) != reinterpret_cast<uintptr_t>(key))) return Value();
  // Both acquire: as LoadRefFromArray, which this is for spread objects.
  const Value v = Value::FromBits(e.value.load(kAcquire));
  if (!v.is_object() || !IsSpread(v.object())) return DictGetAtHint(cx, d, key, hint);
  if (!TryIncrefSpread(cx.ts, v.object())) return Value();
  if (ABSL_PREDICT_TRUE(e.value.load(kAcquire) == v.bits() && d->table.load(kAcquire) == table)) return v;
  tidepool::internal::DropStray(cx.ts, v.object());
  return Value();
}

inline Ref LoadGlobal(Context& cx, Frame* f, Str* name, InlineCache* c) {
  Ref r;
  const uint64_t a = c->a.load(kRelaxed);  // relaxed: the word stands for itself
  if (a != 0 && a == (uint64_t{1} << 32 | DictKeysVersion(f->globals))) {
    if (DictGetStrHint(cx, cx.rt.builtins, name, &c->hint, &r) == 1) return r;
  } else if (DictGetStrHint(cx, f->globals, name, &c->hint, &r) == 1) {
    return r;
  }
  return LoadGlobalSlow(cx, f, name, c);
}

// out[0], out[1] = function and self, or attribute and null.  The reference to obj (owned by out[0] before) is used up.
bool LoadMethodPair(Context& cx, Value obj, Str* name, Value* out) {
  Ref func;
  bool self_too;
  if (!LoadMethodSlow(cx, obj, name, &func, &self_too)) return false;
  out[0] = func.release();
  out[1] = self_too ? obj : Value();
  if (!self_too) DecrefValue(cx.ts, obj);
  return true;
}

// o[i:j:k]; k may be null.
Ref LoadSlice(Context& cx, Value o, Value i, Value j, Value k) {
  SliceRange range;
  if (o.is_object() && PlainSlice(cx, i, j, k, &range)) {
    if (IsExact(o, cx.rt.cls.list)) return ListCopyRange(cx, o.as<List>(), range);
    const bool tuple = IsExact(o, cx.rt.cls.tuple);
    if (range.step == 1 && (tuple || IsExact(o, cx.rt.cls.str))) {
      AdjustSlice(static_cast<int64_t>(tuple ? o.as<Tuple>()->length : o.as<Str>()->length), &range);
      const auto from = static_cast<size_t>(range.start), to = static_cast<size_t>(range.start + range.count);
      return tuple ? TupleSlice(cx, o.as<Tuple>(), from, to) : StrSlice(cx, o.as<Str>(), from, to);
    }
  }
  Ref slice = NewSlice(cx, i, j, k);
  return slice ? GetItem(cx, o, slice) : Ref();
}
bool StoreSliceOf(Context& cx, Value o, Value i, Value j, Value v) {
  SliceRange range;
  if (IsExact(o, cx.rt.cls.list) && PlainSlice(cx, i, j, Value(), &range)) return ListAssignRange(cx, o.as<List>(), range, v);
  Ref slice = NewSlice(cx, i, j, Value());
  return slice && SetItem(cx, o, slice, v);
}
// The items of an exact list of n, first on top. False: something else, nothing has happened.
bool UnpackList(Context& cx, Value seq, uint32_t n, Value* out) {
  if (!IsExact(seq, cx.rt.cls.list) || ListSize(seq.as<List>()) != n) return false;
  for (uint32_t i = 0; i < n; i++) {
    const Value v = ListGet(cx, seq.as<List>(), i).release();
    if (v.is_null()) {  // it became shorter meanwhile
      for (uint32_t k = 0; k < i; k++) DecrefValue(cx.ts, out[n - 1 - k]);
      return false;
    }
    out[n - 1 - i] = v;
  }
  return true;
}
Ref BuildSet(Context& cx, Value* items, uint32_t n) {
  Ref r = NewSet(cx);
  for (uint32_t i = 0; r && i < n; i++) {
    if (!SetAdd(cx, r, items[i])) return Ref();
  }
  return r;
}
// 1: *out was yielded; 0: finished with *out; -1: exception.
int YieldFromTo(Context& cx, Value iterator, Value sent, Value* out) {
  Ref result;
  Ref v = YieldFromStep(cx, iterator, sent, &result);
  if (v) {
    *out = v.release();
    return 1;
  }
  *out = result.release();
  return out->is_null() ? -1 : 0;
}
bool BeforeWithTo(Context& cx, Value manager, bool is_async, Value* out) {
  Ref exit, result;
  if (!BeforeWith(cx, manager, is_async, &exit, &result)) return false;
  out[0] = exit.release();
  out[1] = result.release();
  return true;
}

}  // namespace

Ref RunModuleCode(Context& cx, Code* code, Dict* globals) {
  Ref fn = NewFunction(cx, code, globals);
  if (!fn) return Ref();
  return CallFunction(cx, fn.as<Function>(), Args());
}

Ref Interpret(Context& cx, bool throwing) {
  // clang-format off
  static const void* const kLabels[256] = {
#define V(name, dump, arg, extra) &&L_##name,
      TIDEPOOL_OPCODES(V)
#undef V
#define V(name, first, second) &&L_##name,
      TIDEPOOL_PAIRS(V)
#undef V
  };
  // clang-format on
  ThreadState* const ts = cx.ts;
  Frame* f = cx.frame;
  const uint32_t* pc = f->pc;
  Value* sp = f->sp;
  Value* slots = f->slots;
  uint32_t word;
  // Of a call in progress.
  uint32_t n, nkw, flags;
  Tuple* kwnames;
  Value* args;
  Value callee, result;
  Function* func;
  const TypeInfo* const range_info = &cx.rt.cls.range_iterator->info;
  const TypeInfo* const list_iterator_info = &cx.rt.cls.list_iterator->info;
  const TypeInfo* const list_info = &cx.rt.cls.list->info;
  const TypeInfo* const generator_info = &cx.rt.cls.generator->info;
  const TypeInfo* const str_info = &cx.rt.cls.str->info;
  Str* const* const latin1 = SharedChars(cx);
  const TypeInfo* const tuple_iterator_info = &cx.rt.cls.tuple_iterator->info;

#define ARG (word >> 8)
#define NEXT()                     \
  do {                             \
    f->pc = pc;                    \
    word = *pc++;                  \
    goto* kLabels[word & 0xff];    \
  } while (0)
#define DROP(v)                                              \
  do {                                                       \
    const Value drop_ = (v);                                 \
    if (drop_.is_object()) Decref(ts, drop_.object());       \
  } while (0)
#define PUSH(v) (*sp++ = (v))
#define PUSH_NEW(v)          \
  do {                       \
    const Value push_ = (v); \
    IncrefValue(push_);      \
    *sp++ = push_;           \
  } while (0)
#define SAFEPOINT()                                    \
  do {                                                 \
    if (__builtin_expect(ts->safepoint_wanted(), 0)) { \
      f->sp = sp;                                      \
      ts->Safepoint();                                 \
      if (cx.signal_pending && !CheckSignals(cx)) goto error; \
    }                                                  \
  } while (0)
  // Replaces the two top values by r.
#define FINISH_BINARY(r)               \
  do {                                 \
    const Value b_ = *--sp;            \
    const Value a_ = sp[-1];           \
    sp[-1] = (r);            \
    DROP(a_);                          \
    DROP(b_);                          \
    if (sp[-1].is_null()) {            \
      sp--;                            \
      goto error;                      \
    }                                  \
    NEXT();                            \
  } while (0)
  // The two top values are floats: their result, if it is a small float too.
#define TRY_SMALL_FLOATS(a, b, op)                                               \
  do {                                                                           \
    if (Value::BothSmallFloats(a, b)) {                                          \
      const Value f_ = Value::SmallFloat((a).small_float() op (b).small_float()); \
      if (!f_.is_null()) {                                                       \
        (--sp)[-1] = f_;                                                         \
        NEXT();                                                                  \
      }                                                                          \
    }                                                                            \
  } while (0)
#define FINISH_UNARY(r)                \
  do {                                 \
    const Value a_ = sp[-1];           \
    sp[-1] = (r);            \
    DROP(a_);                          \
    if (sp[-1].is_null()) {            \
      sp--;                            \
      goto error;                      \
    }                                  \
    NEXT();                            \
  } while (0)

  // The result t of a test. The usual next instructions jump without a bool being made.
#define FINISH_BOOL(t)                                                \
  do {                                                                \
    const uint32_t next_ = *pc;                                       \
    switch (lang::OpOf(next_)) {                                      \
      case Op::kPopJumpIfFalse: pc += 1 + ((t) ? 0 : next_ >> 8); break; \
      case Op::kPopJumpIfTrue: pc += 1 + ((t) ? next_ >> 8 : 0); break;  \
      case Op::kPopJumpBackIfTrue:                                    \
        pc++;                                                         \
        if (t) {                                                      \
          pc -= next_ >> 8;                                           \
          SAFEPOINT();                                                \
        }                                                             \
        break;                                                        \
      default: PUSH(cx.Bool(t));                                      \
    }                                                                 \
    NEXT();                                                           \
  } while (0)

  // An item of a loop, owned: stored at once if that is what comes next.
#define FINISH_ITEM(v)                                  \
  do {                                                  \
    const uint32_t next_ = *pc;                         \
    if (lang::OpOf(next_) == Op::kStoreFast) {          \
      pc++;                                             \
      const Value old_ = slots[next_ >> 8];             \
      slots[next_ >> 8] = (v);                          \
      DROP(old_);                                       \
    } else {                                            \
      PUSH(v);                                          \
    }                                                   \
    NEXT();                                             \
  } while (0)

  // r from the n values on top, which go.
#define FINISH_MANY(r, n)                            \
  do {                                               \
    const uint32_t n_ = (n);                         \
    sp -= n_;                                        \
    for (uint32_t i_ = 0; i_ < n_; i_++) DROP(sp[i_]); \
    if ((r).is_null()) goto error;                            \
    PUSH(r);                             \
    NEXT();                                          \
  } while (0)

  if (throwing) goto error;
  NEXT();

  // ---- stack and constants
L_Nop:
  NEXT();
L_PopTop: {
  const Value v = *--sp;
  DROP(v);
  NEXT();
}
L_Copy:
  PUSH_NEW(sp[-static_cast<int64_t>(ARG)]);
  NEXT();
L_Swap: {
  const Value v = sp[-1];
  sp[-1] = sp[-static_cast<int64_t>(ARG)];
  sp[-static_cast<int64_t>(ARG)] = v;
  NEXT();
}
L_PushNull:
  PUSH(Value());
  NEXT();
L_LoadConst:
  PUSH(f->code->consts[ARG]);  // immortal
  NEXT();
L_LoadNone:
  PUSH(cx.rt.none);
  NEXT();
L_LoadTrue:
  PUSH(cx.rt.true_);
  NEXT();
L_LoadFalse:
  PUSH(cx.rt.false_);
  NEXT();
L_LoadInt:
  PUSH(Value::Small(lang::IntArgOf(word)));
  NEXT();

  // ---- slots
L_LoadFast:
  PUSH_NEW(slots[ARG]);
  NEXT();
L_LoadFastCheck: {
  const Value v = slots[ARG];
  if (v.is_null()) {
    RaiseUnbound(cx, f, ARG);
    goto error;
  }
  PUSH_NEW(v);
  NEXT();
}
L_StoreFast: {
  const Value old = slots[ARG];
  slots[ARG] = *--sp;
  DROP(old);
  NEXT();
}
L_DeleteFast: {
  const Value old = slots[ARG];
  if (old.is_null()) {
    RaiseUnbound(cx, f, ARG);
    goto error;
  }
  slots[ARG] = Value();
  DROP(old);
  NEXT();
}
L_ClearFast: {
  const Value old = slots[ARG];
  slots[ARG] = Value();
  DROP(old);
  NEXT();
}
L_MakeCell: {
  const Value v = slots[ARG];
  slots[ARG] = Value();
  const Value cell = NewCell(cx, Ref::Steal(v)).release();
  if (cell.is_null()) goto error;
  slots[ARG] = cell;
  NEXT();
}
L_CopyFreeVars: {
  Tuple* t = PeekSlot(f->func->closure).as<Tuple>();
  Value* out = slots + f->code->num_slots - ARG;
  for (uint32_t i = 0; i < ARG; i++) {
    IncrefValue(t->items[i]);
    out[i] = t->items[i];
  }
  NEXT();
}
L_LoadClosure:
  PUSH_NEW(slots[ARG]);
  NEXT();
L_LoadDeref: {
  Cell* cell = slots[ARG].as<Cell>();
  uintptr_t bits;
  const Value v = LoadRef(ts, cell->value, &bits) ? Value::FromBits(bits) : LoadSlot(cell, cell->value).release();
  if (v.is_null()) {
    RaiseUnbound(cx, f, ARG);
    goto error;
  }
  PUSH(v);
  NEXT();
}
L_LoadClassDeref: {
  const Value v = LoadClassDeref(cx, f, ARG).release();
  if (v.is_null()) goto error;
  PUSH(v);
  NEXT();
}
L_StoreDeref: {
  Cell* cell = slots[ARG].as<Cell>();
  StoreSlot(cell, cell->value, Ref::Steal(*--sp));
  NEXT();
}
L_DeleteDeref: {
  Cell* cell = slots[ARG].as<Cell>();
  const Value v = LoadSlot(cell, cell->value).release();
  if (v.is_null()) {
    RaiseUnbound(cx, f, ARG);
    goto error;
  }
  DROP(v);
  StoreSlot(cell, cell->value, Ref());
  NEXT();
}

  // ---- names
L_LoadGlobal: {
  InlineCache* c = &f->code->caches[*pc++];
  Str* const name = f->code->names[ARG];
  const uint64_t absent = c->a.load(kRelaxed);  // relaxed: the word stands for itself
  Dict* const dict = absent == (uint64_t{1} << 32 | DictKeysVersion(f->globals)) ? cx.rt.builtins : f->globals;
  Value r = GlobalAtHint(cx, dict, name, c->hint);
  if (r.is_null()) r = LoadGlobal(cx, f, name, c).release();
  if (r.is_null()) goto error;
  PUSH(r);
  NEXT();
}
L_StoreGlobal: {
  const Value v = *--sp;
  const bool ok = DictSetStr(cx, f->globals, f->code->names[ARG], v);
  DROP(v);
  if (!ok) goto error;
  NEXT();
}
L_DeleteGlobal:
  if (!DeleteGlobal(cx, f->globals, f->code->names[ARG])) goto error;
  NEXT();
L_LoadName: {
  const Value r = (LoadNameFrom(cx, f, f->code->names[ARG])).release();
  if (r.is_null()) goto error;
  PUSH(r);
  NEXT();
}
L_StoreName: {
  const Value v = *--sp;
  const bool ok = StoreNameIn(cx, f, f->code->names[ARG], v);
  DROP(v);
  if (!ok) goto error;
  NEXT();
}
L_DeleteName:
  if (!DeleteGlobal(cx, f->ns.is_null() ? f->globals : f->ns.as<Dict>(), f->code->names[ARG])) goto error;
  NEXT();

  // ---- attributes and items
L_LoadAttr: {
  InlineCache* c = &f->code->caches[*pc++];
  Value r = LoadAttrFast(cx, sp[-1], f->code->names[ARG], c);
  if (r.is_null()) {
    func = PropertyGetter(cx, sp[-1], f->code->names[ARG]);
    if (func != nullptr) {
      // The object becomes the argument of a frame of the getter.
      SAFEPOINT();
      args = --sp;
      n = 1;
      nkw = flags = 0;
      kwnames = nullptr;
      goto push_function;
    }
    r = LoadAttrSlow(cx, sp[-1], f->code->names[ARG], c).release();
  }
  FINISH_UNARY(r);
}
L_StoreAttr: {
  InlineCache* c = &f->code->caches[*pc++];
  const Value o = *--sp;
  const Value v = *--sp;
  if (Value old; StoreAttrFast(cx, o, f->code->names[ARG], c, v, &old)) {
    DROP(old);
    DROP(o);
    NEXT();
  }
  const bool ok = StoreAttrCached(cx, o, f->code->names[ARG], v, c);
  DROP(v);
  DROP(o);
  if (!ok) goto error;
  NEXT();
}
L_DeleteAttr: {
  const Value o = *--sp;
  const bool ok = SetAttr(cx, o, f->code->names[ARG], Value());
  DROP(o);
  if (!ok) goto error;
  NEXT();
}
L_LoadMethod: {
  pc++;  // the method cache of the thread is used instead
  const Value o = sp[-1];
  const Value method = LoadMethodFast(cx, o, f->code->names[ARG]);
  if (!method.is_null()) {
    sp[-1] = method;
    PUSH(o);
    NEXT();
  }
  if (!LoadMethodPair(cx, o, f->code->names[ARG], sp - 1)) {
    sp--;
    DROP(o);
    goto error;
  }
  sp++;
  NEXT();
}
L_BinarySubscr: {
  const Value k = sp[-1], o = sp[-2];
  if (k.is_small_int() && o.is_object()) {
    const Value item = o.object()->type() == list_info ? ListGet(cx, o.as<List>(), k.small_int()).release()
                                                       : SharedChar(latin1, str_info, o, k.small_int());
    if (!item.is_null()) {
      (--sp)[-1] = item;
      DROP(o);
      NEXT();
    }
  }
  const Value r = (SubscriptFast(cx, sp[-2], sp[-1])).release();
  FINISH_BINARY(r);
}
L_StoreSubscr: {
  const Value k = *--sp;
  const Value o = *--sp;
  const Value v = *--sp;
  if (k.is_small_int() && o.is_object() && o.object()->type() == list_info) {
    Value old;
    if (ListExchange(cx, o.as<List>(), k.small_int(), v, &old)) {
      DROP(old);
      DROP(o);
      NEXT();
    }
  }
  const bool ok = IsExact(o, cx.rt.cls.dict) ? DictSet(cx, o.as<Dict>(), k, v) : SetItem(cx, o, k, v);
  DROP(v);
  DROP(o);
  DROP(k);
  if (!ok) goto error;
  NEXT();
}
L_DeleteSubscr: {
  const Value k = *--sp;
  const Value o = *--sp;
  const bool ok = DelItem(cx, o, k);
  DROP(o);
  DROP(k);
  if (!ok) goto error;
  NEXT();
}
L_BinarySlice: {
  const Value r = LoadSlice(cx, sp[-3], sp[-2], sp[-1], Value()).release();
  FINISH_MANY(r, 3);
}
L_StoreSlice: {
  const bool ok = StoreSliceOf(cx, sp[-3], sp[-2], sp[-1], sp[-4]);
  sp -= 4;
  DROP(sp[0]);
  DROP(sp[1]);
  DROP(sp[2]);
  DROP(sp[3]);
  if (!ok) goto error;
  NEXT();
}

  // ---- operators
L_UnaryNegative: {
  if (sp[-1].is_small_int() && sp[-1].small_int() != kMinSmallInt) {
    sp[-1] = Value::Small(-sp[-1].small_int());
    NEXT();
  }
  const Value r = (Unary(cx, UnaryOp::kNeg, sp[-1])).release();
  FINISH_UNARY(r);
}
L_UnaryPositive: {
  const Value r = (Unary(cx, UnaryOp::kPos, sp[-1])).release();
  FINISH_UNARY(r);
}
L_UnaryInvert: {
  const Value r = (Unary(cx, UnaryOp::kInvert, sp[-1])).release();
  FINISH_UNARY(r);
}
L_UnaryNot: {
  const int t = IsTrue(cx, sp[-1]);
  const Value r = (t < 0 ? Ref() : cx.BoolRef(t == 0)).release();
  FINISH_UNARY(r);
}
L_BinaryAdd:
L_InplaceAdd: {
  const Value b = sp[-1], a = sp[-2];
  if (Value::BothSmallInts(a, b)) {
    int64_t r;
    // Both have low bits 01: a + (b - 1) is the tagged sum, and overflows exactly when the sum does not fit.
    if (!__builtin_add_overflow(static_cast<int64_t>(a.bits()), static_cast<int64_t>(b.bits() - 1), &r)) {
      (--sp)[-1] = Value::FromBits(static_cast<uintptr_t>(r));
      NEXT();
    }
  }
  TRY_SMALL_FLOATS(a, b, +);
  Value r;
  double x, y;
  if (IsExact(a, cx.rt.cls.str) && IsExact(b, cx.rt.cls.str)) {
    // `s += t`: if the result goes back into the local that holds a, let go of it first, so that a can grow in place.
    const uint32_t next = *pc;
    if (lang::OpOf(next) == Op::kStoreFast && slots[next >> 8] == a) {
      slots[next >> 8] = Value();
      DROP(a);  // the stack still has one
    }
    r = StrAppend(cx, Ref::Steal(a), b).release();
    sp -= 2;
    DROP(b);
    if (r.is_null()) goto error;
    PUSH(r);
    NEXT();
  } else if (IsExact(a, cx.rt.cls.tuple) && IsExact(b, cx.rt.cls.tuple)) {
    r = cx.rt.cls.tuple->slots.binary[static_cast<int>(BinaryOp::kAdd)](cx, a, b).release();
  } else if (FloatOperands(cx, a, b, &x, &y)) {
    r = NewFloat(cx, x + y).release();
  } else if ((word & 0xff) == static_cast<uint32_t>(Op::kBinaryAdd)) {
    r = Binary(cx, BinaryOp::kAdd, a, b).release();
  } else {
    r = Inplace(cx, BinaryOp::kAdd, a, b).release();
  }
  FINISH_BINARY(r);
}
L_BinarySub:
L_InplaceSub: {
  const Value b = sp[-1], a = sp[-2];
  if (Value::BothSmallInts(a, b)) {
    int64_t r;
    if (!__builtin_sub_overflow(static_cast<int64_t>(a.bits()), static_cast<int64_t>(b.bits() - 1), &r)) {
      (--sp)[-1] = Value::FromBits(static_cast<uintptr_t>(r));
      NEXT();
    }
  }
  TRY_SMALL_FLOATS(a, b, -);
  Value r;
  double x, y;
  if (FloatOperands(cx, a, b, &x, &y)) {
    r = NewFloat(cx, x - y).release();
  } else if ((word & 0xff) == static_cast<uint32_t>(Op::kBinarySub)) {
    r = Binary(cx, BinaryOp::kSub, a, b).release();
  } else {
    r = Inplace(cx, BinaryOp::kSub, a, b).release();
  }
  FINISH_BINARY(r);
}
L_BinaryMul: {
  const Value b = sp[-1], a = sp[-2];
  if (Value::BothSmallInts(a, b)) {
    int64_t r;
    // 4x times y, overflowing exactly when the product does not fit.
    if (!__builtin_mul_overflow(static_cast<int64_t>(a.bits() - 1), b.small_int(), &r)) {
      (--sp)[-1] = Value::FromBits(static_cast<uintptr_t>(r) | 1);
      NEXT();
    }
  }
  TRY_SMALL_FLOATS(a, b, *);
  const Value r = BinaryNumbers(cx, BinaryOp::kMul, a, b, false).release();
  FINISH_BINARY(r);
}
L_BinaryOp: {
  const Value r = BinaryNumbers(cx, kBinaryKinds[ARG], sp[-2], sp[-1], false).release();
  FINISH_BINARY(r);
}
L_InplaceOp: {
  const Value r = BinaryNumbers(cx, kBinaryKinds[ARG], sp[-2], sp[-1], true).release();
  FINISH_BINARY(r);
}
L_BinaryAddInt:
L_InplaceAddInt: {
  const Value a = sp[-1];
  const Value b = Value::Small(lang::IntArgOf(word));
  if (a.is_small_int()) {
    int64_t r;
    if (!__builtin_add_overflow(static_cast<int64_t>(a.bits()), static_cast<int64_t>(b.bits() - 1), &r)) {
      sp[-1] = Value::FromBits(static_cast<uintptr_t>(r));
      NEXT();
    }
  }
  const Value r = (BinaryNumbers(cx, BinaryOp::kAdd, a, b, (word & 0xff) == static_cast<uint32_t>(Op::kInplaceAddInt))).release();
  FINISH_UNARY(r);
}
L_BinarySubInt:
L_InplaceSubInt: {
  const Value a = sp[-1];
  const Value b = Value::Small(lang::IntArgOf(word));
  if (a.is_small_int()) {
    int64_t r;
    if (!__builtin_sub_overflow(static_cast<int64_t>(a.bits()), static_cast<int64_t>(b.bits() - 1), &r)) {
      sp[-1] = Value::FromBits(static_cast<uintptr_t>(r));
      NEXT();
    }
  }
  const Value r = (BinaryNumbers(cx, BinaryOp::kSub, a, b, (word & 0xff) == static_cast<uint32_t>(Op::kInplaceSubInt))).release();
  FINISH_UNARY(r);
}
#define COMPARE(name, op)                         \
  L_Compare##name : {                             \
    const Value b = sp[-1], a = sp[-2];           \
    bool t;                                       \
    if (Value::BothSmallInts(a, b)) {             \
      t = a.small_int() op b.small_int();         \
    } else if (Value::BothSmallFloats(a, b)) {    \
      t = a.small_float() op b.small_float();     \
    } else {                                      \
      goto compare;                               \
    }                                             \
    sp -= 2;                                      \
    FINISH_BOOL(t);                               \
  }
  COMPARE(Lt, <)
  COMPARE(Le, <=)
  COMPARE(Eq, ==)
  COMPARE(Ne, !=)
  COMPARE(Gt, >)
  COMPARE(Ge, >=)
compare: {
  const Value b = sp[-1], a = sp[-2];
  const auto op = static_cast<CompareOp>((word & 0xff) - static_cast<uint32_t>(Op::kCompareLt));
  bool t;
  if (double x, y; MixedNumbers(a, b, &x, &y)) {
    t = CompareNumbers(x, y, op);
    sp -= 2;
  } else if ((op == CompareOp::kEq || op == CompareOp::kNe) && IsExact(a, cx.rt.cls.str) && IsExact(b, cx.rt.cls.str)) {
    t = StrEqual(a.as<Str>(), b.as<Str>()) == (op == CompareOp::kEq);
    sp -= 2;
    DROP(b);
    DROP(a);
  } else {
    const Value r = Compare(cx, a, b, op).release();
    FINISH_BINARY(r);
  }
  FINISH_BOOL(t);
}
L_IsOp: {
  sp -= 2;
  const Value a = sp[0], b = sp[1];
  const bool t = a == b;
  DROP(b);
  DROP(a);
  FINISH_BOOL(t);
}
L_IsNotOp: {
  sp -= 2;
  const Value a = sp[0], b = sp[1];
  const bool t = a != b;
  DROP(b);
  DROP(a);
  FINISH_BOOL(t);
}
L_ContainsOp: {
  int t = CharIn(str_info, sp[-2], sp[-1]);
  if (t < 0) t = Contains(cx, sp[-1], sp[-2]);
  sp -= 2;
  DROP(sp[1]);
  DROP(sp[0]);
  if (t < 0) goto error;
  FINISH_BOOL(t != 0);
}
L_NotContainsOp: {
  int t = CharIn(str_info, sp[-2], sp[-1]);
  if (t < 0) t = Contains(cx, sp[-1], sp[-2]);
  sp -= 2;
  DROP(sp[1]);
  DROP(sp[0]);
  if (t < 0) goto error;
  FINISH_BOOL(t == 0);
}

  // ---- jumps
L_Jump:
  pc += ARG;
  NEXT();
L_JumpBack:
  pc -= ARG;
  SAFEPOINT();
  NEXT();
#define TRUTH(t)                       \
  do {                                 \
    const Value v = *--sp;             \
    if (v == cx.rt.true_) {            \
      t = 1;                           \
    } else if (v == cx.rt.false_) {    \
      t = 0;                           \
    } else if (v.is_small_int()) {     \
      t = v.small_int() != 0;          \
    } else {                           \
      t = IsTrue(cx, v);               \
      DROP(v);                         \
      if (t < 0) goto error;           \
    }                                  \
  } while (0)
L_PopJumpIfFalse: {
  int t;
  TRUTH(t);
  if (t == 0) pc += ARG;
  NEXT();
}
L_PopJumpIfTrue: {
  int t;
  TRUTH(t);
  if (t != 0) pc += ARG;
  NEXT();
}
L_PopJumpIfNone: {
  const Value v = *--sp;
  if (v == cx.rt.none) pc += ARG;
  DROP(v);
  NEXT();
}
L_PopJumpIfNotNone: {
  const Value v = *--sp;
  if (v != cx.rt.none) pc += ARG;
  DROP(v);
  NEXT();
}
L_PopJumpBackIfTrue: {
  int t;
  TRUTH(t);
  if (t != 0) {
    pc -= ARG;
    SAFEPOINT();
  }
  NEXT();
}
L_PopJumpBackIfFalse: {
  int t;
  TRUTH(t);
  if (t == 0) {
    pc -= ARG;
    SAFEPOINT();
  }
  NEXT();
}
L_JumpIfFalseOrPop: {
  const int t = IsTrue(cx, sp[-1]);
  if (t < 0) goto error;
  if (t == 0) {
    pc += ARG;
  } else {
    const Value v = *--sp;
    DROP(v);
  }
  NEXT();
}
L_JumpIfTrueOrPop: {
  const int t = IsTrue(cx, sp[-1]);
  if (t < 0) goto error;
  if (t != 0) {
    pc += ARG;
  } else {
    const Value v = *--sp;
    DROP(v);
  }
  NEXT();
}
L_GetIter: {
  const Value r = (Iter(cx, sp[-1])).release();
  FINISH_UNARY(r);
}
L_ForIter: {
  f->sp = sp;
  Value v;
  const Value step = sp[-1];
  const TypeInfo* step_type = step.object()->type();
  if (step_type == range_info && step.as<RangeIterator>()->big_start.is_null()) {
    int64_t i;
    if (RangeIterNext(step.as<RangeIterator>(), &i)) {
      v = Value::Small(i);
      FINISH_ITEM(v);
    }
  } else if (step_type == list_iterator_info) {
    v = ListIterNext(cx, step.as<ListIterator>()).release();
  } else if (step_type == tuple_iterator_info) {
    v = TupleIterNext(step.as<TupleIterator>()).release();
  } else if (const int pair = lang::OpOf(*pc) == Op::kUnpackSequence ? NextUnpacked(cx, step, *pc >> 8, sp) : -1; pair >= 0) {
    if (pair > 0) {
      sp += *pc++ >> 8;
      NEXT();
    }
  } else if (step_type == generator_info && EnterForIter(cx, step.as<Generator>())) {
    f = cx.frame;
    pc = f->pc;
    sp = f->sp;
    slots = f->slots;
    SAFEPOINT();
    NEXT();
  } else {
    v = ForIterStep(cx, step).release();
  }
  if (!v.is_null()) FINISH_ITEM(v);
  if (cx.has_exception()) goto error;
  const Value it = *--sp;
  DROP(it);
  pc += ARG;
  NEXT();
}

  // ---- containers, strings
L_BuildTuple: {
  sp -= ARG;
  const Value r = (NewTupleSteal(cx, sp, ARG)).release();
  if (r.is_null()) goto error;
  PUSH(r);
  NEXT();
}
L_BuildList: {
  sp -= ARG;
  const Value r = (NewListSteal(cx, sp, ARG)).release();
  if (r.is_null()) goto error;
  PUSH(r);
  NEXT();
}
L_BuildSet: {
  const Value r = BuildSet(cx, sp - ARG, ARG).release();
  FINISH_MANY(r, ARG);
}
L_BuildMap: {
  const Value r = (BuildMap(cx, sp - 2 * static_cast<size_t>(ARG), ARG)).release();
  FINISH_MANY(r, 2 * ARG);
}
L_BuildConstKeyMap: {
  Tuple* keys = sp[-1].as<Tuple>();
  const Value r = (BuildConstKeyMap(cx, sp - 1 - ARG, keys)).release();
  FINISH_MANY(r, ARG + 1);
}
L_BuildSlice: {
  if (ARG == 3 && lang::OpOf(*pc) == Op::kBinarySubscr) {
    f->pc = pc++;
    const Value r = LoadSlice(cx, sp[-4], sp[-3], sp[-2], sp[-1]).release();
    FINISH_MANY(r, 4);
  }
  const Value r = (NewSlice(cx, sp[-static_cast<int64_t>(ARG)], sp[1 - static_cast<int64_t>(ARG)], ARG == 3 ? sp[-1] : Value())).release();
  FINISH_MANY(r, ARG);
}
L_BuildString: {
  const Value r = (StrJoinN(cx, sp - ARG, ARG)).release();
  FINISH_MANY(r, ARG);
}
L_FormatValue: {
  const bool spec = (ARG & 4) != 0;
  const Value r = (FormatValue(cx, spec ? sp[-2] : sp[-1], spec ? sp[-1] : Value(), ARG)).release();
  FINISH_MANY(r, spec ? 2 : 1);
}
L_ListAppend: {
  const Value v = *--sp;
  if (!ListAppendSteal(cx, sp[-static_cast<int64_t>(ARG)].as<List>(), Ref::Steal(v))) goto error;
  NEXT();
}
L_SetAdd: {
  const Value v = *--sp;
  const bool ok = SetAdd(cx, sp[-static_cast<int64_t>(ARG)], v);
  DROP(v);
  if (!ok) goto error;
  NEXT();
}
L_MapAdd: {
  const Value v = *--sp;
  const Value k = *--sp;
  const bool ok = DictSet(cx, sp[-static_cast<int64_t>(ARG)].as<Dict>(), k, v);
  DROP(k);
  DROP(v);
  if (!ok) goto error;
  NEXT();
}
L_ListExtend: {
  const Value v = *--sp;
  const bool ok = ListExtendStar(cx, sp[-static_cast<int64_t>(ARG)], v);
  DROP(v);
  if (!ok) goto error;
  NEXT();
}
L_SetUpdate: {
  const Value v = *--sp;
  const bool ok = SetUpdate(cx, sp[-static_cast<int64_t>(ARG)], v);
  DROP(v);
  if (!ok) goto error;
  NEXT();
}
L_DictUpdate: {
  const Value v = *--sp;
  const bool ok = DictUpdateFrom(cx, sp[-static_cast<int64_t>(ARG)], v);
  DROP(v);
  if (!ok) goto error;
  NEXT();
}
L_DictMerge: {
  const Value v = *--sp;
  const bool ok = DictMerge(cx, sp[-static_cast<int64_t>(ARG) - 2], sp[-static_cast<int64_t>(ARG)], v);
  DROP(v);
  if (!ok) goto error;
  NEXT();
}
L_ListToTuple: {
  const Value r = (ListAsTuple(cx, sp[-1].as<List>())).release();
  FINISH_UNARY(r);
}
L_UnpackSequence: {
  const Value seq = *--sp;
  if (IsExact(seq, cx.rt.cls.tuple) && seq.as<Tuple>()->length == ARG) {
    const Tuple* t = seq.as<Tuple>();
    sp += ARG;
    for (uint32_t i = 0; i < ARG; i++) {
      const Value v = t->items[i];
      IncrefValue(v);
      sp[-1 - static_cast<int64_t>(i)] = v;
    }
    DROP(seq);
    NEXT();
  }
  const bool ok = UnpackList(cx, seq, ARG, sp) || UnpackSequence(cx, seq, ARG, sp);
  if (ok) sp += ARG;
  DROP(seq);
  if (!ok) goto error;
  NEXT();
}
L_UnpackEx: {
  const Value seq = *--sp;
  const uint32_t before = lang::PairFirst(ARG), after = lang::PairSecond(ARG);
  const bool ok = UnpackEx(cx, seq, before, after, sp);
  if (ok) sp += before + after + 1;
  DROP(seq);
  if (!ok) goto error;
  NEXT();
}

  // ---- calls
  // n values on the stack (keyword values included), kwnames or null; the callee lies below them.
L_CallMethod:
  kwnames = nullptr;
  goto call_method;
L_CallMethodKw:
  kwnames = f->code->consts[*pc++].as<Tuple>();
call_method:
  n = ARG;
  if (sp[-static_cast<int64_t>(n) - 1].is_null()) {
    std::memmove(static_cast<void*>(sp - n - 1), static_cast<void*>(sp - n), n * sizeof(Value));
    sp--;
  } else {
    n++;
  }
  goto call;
L_CallKw:
  n = ARG;
  kwnames = f->code->consts[*pc++].as<Tuple>();
  goto call;
L_Call:
  n = ARG;
  kwnames = nullptr;
call:
  SAFEPOINT();
call_again:
  args = sp - n;
  callee = args[-1];
  nkw = kwnames == nullptr ? 0 : static_cast<uint32_t>(kwnames->length);
  if (!callee.is_object()) goto call_generic;
  switch (ClassOf(callee.object())->layout) {
    case Layout::kFunction:
      func = callee.as<Function>();
      flags = 0;
      sp = args - 1;
      goto push_function;
    case Layout::kMethod: {
      // Room for one more value; methods of methods of methods take the long way.
      if (sp >= f->stack + f->code->stack_size) goto call_generic;
      BoundMethod* m = callee.as<BoundMethod>();
      std::memmove(static_cast<void*>(args + 1), static_cast<void*>(args), n * sizeof(Value));
      args[-1] = Ref::New(PeekSlot(m->func)).release();
      args[0] = Ref::New(PeekSlot(m->self)).release();
      sp++;
      n++;
      DROP(callee);
      goto call_again;
    }
    case Layout::kMethodDescriptor: {
      MethodDescriptor* d = callee.as<MethodDescriptor>();
      if (n == nkw || (d->def->flags & kMethodClass) != 0) goto call_generic;
      if (!args[0].is_object() || ClassOf(args[0].object()) != d->owner) goto call_generic;
      Args a(args + 1, n - nkw - 1);
      a.kwnames = kwnames;
      a.kwvals = args + n - nkw;
      a.nkw = nkw;
      result = CallNativeFast(cx, d->def, args[0], a).release();
      goto call_done;
    }
    case Layout::kNativeFunction: {
      NativeFunction* nf = callee.as<NativeFunction>();
      Args a(args, n - nkw);
      a.kwnames = kwnames;
      a.kwvals = args + n - nkw;
      a.nkw = nkw;
      result = CallNativeFast(cx, nf->def, PeekSlot(nf->self), a).release();
      goto call_done;
    }
    case Layout::kClass: {
      if (sp >= f->stack + f->code->stack_size) goto call_generic;
      func = PythonInit(cx, callee.as<Class>());
      if (func == nullptr) goto call_generic;
      Value instance = NewInstance(cx, callee.as<Class>()).release();
      if (instance.is_null() && ReclaimMemory(cx)) instance = NewInstance(cx, callee.as<Class>()).release();
      if (instance.is_null()) {
        DROP(Value(func));
        result = Value();
        goto call_done;
      }
      // The instance takes the class's place and stays there; it also is the first argument.
      std::memmove(static_cast<void*>(args + 1), static_cast<void*>(args), n * sizeof(Value));
      IncrefValue(instance);
      args[-1] = args[0] = instance;
      DROP(callee);
      n++;
      flags = kFrameInit;
      sp = args;
      goto push_function;
    }
    default:
      goto call_generic;
  }
call_generic: {
  Args a(args, n - nkw);
  a.kwnames = kwnames;
  a.kwvals = args + n - nkw;
  a.nkw = nkw;
  result = Call(cx, callee, a).release();
}
call_done:
  for (uint32_t i = 0; i < n; i++) DROP(args[i]);
  sp = args - 1;
  DROP(callee);
  if (result.is_null()) goto error;
  PUSH(result);
  NEXT();
push_function: {
  // func is owned; n values at args are taken over; sp is what the caller's stack will be.
  f->sp = sp;
  if (f->generator != nullptr) {
    // This frame's stack is not on the thread's stack.
    if (ReserveStack(cx, n) == nullptr) {
      for (uint32_t i = 0; i < n; i++) DROP(args[i]);
      DROP(Value(func));
      goto error;
    }
    std::memcpy(static_cast<void*>(cx.stack_top), static_cast<void*>(args), n * sizeof(Value));
    args = cx.stack_top;
  }
  Code* const code = func->code;
  Frame* callee_frame;
  if (kwnames == nullptr && code->simple_args && n == code->argcount && RoomForFrame(cx, code, args, n)) {
    for (uint32_t i = n; i < code->num_slots; i++) args[i] = Value();
    callee_frame = LinkFrame(cx, func, code, args, flags);
  } else {
    callee_frame = PushFrame(cx, func, args, n - nkw, kwnames, flags);
    if (callee_frame == nullptr) goto error;
  }
  if ((callee_frame->code->flags & lang::kGenerator) != 0) {
    result = MakeGenerator(cx, callee_frame).release();
    if (result.is_null()) goto error;
    if ((flags & kFrameInit) != 0) {
      RaiseTypeError(cx, "__init__() should return None, not '%s'", ClassName(cx, result));
      DROP(result);
      goto error;
    }
    PUSH(result);
    NEXT();
  }
  f = callee_frame;
  pc = f->pc;
  sp = f->sp;
  slots = f->slots;
  NEXT();
}
L_CallEx: {
  const bool has_kwargs = (ARG & 1) != 0;
  const Value kwargs = has_kwargs ? sp[-1] : Value();
  Value* const given = has_kwargs ? sp - 2 : sp - 1;
  SAFEPOINT();
  if (!IsExact(*given, cx.rt.cls.tuple)) {
    const Value made = StarArguments(cx, given[-1], *given).release();
    if (made.is_null()) goto error;
    const Value old = *given;
    *given = made;
    DROP(old);
  }
  const Value r = (CallWithTuple(cx, given[-1], *given, kwargs)).release();
  FINISH_MANY(r, has_kwargs ? 3 : 2);
}
L_ReturnConst:
  PUSH(f->code->consts[ARG]);
  // fall through
L_ReturnValue: {
  const Value v = *--sp;
  flags = f->flags;
  if (f->generator != nullptr) {
    f->sp = sp;
    FinishGenerator(cx, f->generator);
    if ((flags & kFrameForIter) == 0) return Ref::Steal(v);
    // The loop of the frame before it is exhausted.
    LeaveForIter(cx, f->generator);
    f = cx.frame;
    word = *f->pc;
    pc = f->pc + 1 + ARG;
    sp = f->sp;
    slots = f->slots;
    const Value it = *--sp;
    DROP(v);
    DROP(it);
    NEXT();
  }
  PopFrame(cx, ts, f);
  if ((flags & kFrameEntry) != 0) return Ref::Steal(v);
  f = cx.frame;
  sp = f->sp;
  slots = f->slots;
  pc = f->pc + lang::OpWords(lang::OpOf(*f->pc));
  if ((flags & kFrameInit) != 0) {
    if (v != cx.rt.none) {
      RaiseTypeError(cx, "__init__() should return None, not '%s'", ClassName(cx, v));
      DROP(v);
      goto error;
    }
  } else {
    PUSH(v);
  }
  NEXT();
}
L_MakeFunction: {
  n = 1 + static_cast<uint32_t>(__builtin_popcount(ARG & 15));
  const Value r = (MakeFunction(cx, f, sp - n, ARG)).release();
  FINISH_MANY(r, n);
}
L_LoadBuildClass:
  PUSH(cx.rt.build_class);
  NEXT();

  // ---- generators
L_YieldValue: {
  const Value v = *--sp;
  f->sp = sp;
  if ((f->flags & kFrameForIter) == 0) {
    if ((f->flags & kFrameSink) == 0 || !f->generator->sink->take(cx, f->generator->sink, v)) return Ref::Steal(v);
    PUSH(cx.rt.none);
    SAFEPOINT();
    NEXT();
  }
  LeaveForIter(cx, f->generator);
  f = cx.frame;
  pc = f->pc + 1;  // behind FOR_ITER
  sp = f->sp;
  slots = f->slots;
  PUSH(v);
  NEXT();
}
L_GetYieldFromIter: {
  const Value r = (GetYieldFromIter(cx, sp[-1])).release();
  FINISH_UNARY(r);
}
L_YieldFrom: {
  const Value sent = *--sp;
  f->sp = sp;
  const int step = YieldFromTo(cx, sp[-1], sent, &result);
  DROP(sent);
  if (step < 0) goto error;
  if (step > 0) {
    if ((f->flags & kFrameForIter) == 0) return Ref::Steal(result);
    LeaveForIter(cx, f->generator);
    f = cx.frame;
    pc = f->pc + 1;  // behind FOR_ITER
    sp = f->sp;
    slots = f->slots;
    PUSH(result);
    NEXT();
  }
  const Value it = sp[-1];
  sp[-1] = result;
  DROP(it);
  NEXT();
}

  // ---- coroutines
L_GetAwaitable: {
  const Value r = (GetAwaitable(cx, sp[-1], ARG)).release();
  FINISH_UNARY(r);
}
L_GetAiter: {
  const Value r = (GetAiter(cx, sp[-1])).release();
  FINISH_UNARY(r);
}
L_GetAnext: {
  const Value r = (GetAnext(cx, sp[-1])).release();
  if (r.is_null()) goto error;
  PUSH(r);
  NEXT();
}
L_EndAsyncFor: {
  const Value exc = *--sp;
  const Value it = *--sp;
  DROP(it);
  if (!IsInstance(cx, exc, cx.rt.exc.StopAsyncIteration)) {
    cx.SetException(Ref::Steal(exc));
    goto unwind;
  }
  DROP(exc);
  NEXT();
}
L_BeforeAsyncWith: {
  const Value m = sp[-1];
  if (!BeforeWithTo(cx, m, true, sp - 1)) goto error;
  sp++;
  DROP(m);
  NEXT();
}

  // ---- exceptions
L_Raise: {
  n = ARG;
  const Value cause = n == 2 ? sp[-1] : Value();
  const Value exc = n == 2 ? sp[-2] : n == 1 ? sp[-1] : Value();
  const bool again = RaiseStatement(cx, exc, cause, n);
  sp -= n;
  DROP(exc);
  DROP(cause);
  if (again) goto unwind;
  goto error;
}
L_Reraise: {
  cx.SetException(Ref::Steal(*--sp));
  goto unwind;
}
L_PushExcInfo: {
  const Value exc = sp[-1];
  const Value prev = cx.exc_info->value;
  sp[-1] = prev.is_null() ? cx.rt.none : prev;
  cx.exc_info->value = exc;
  PUSH_NEW(exc);
  NEXT();
}
L_PopExcept: {
  const Value prev = *--sp;
  const Value old = cx.exc_info->value;
  cx.exc_info->value = prev == cx.rt.none ? Value() : prev;
  DROP(old);
  NEXT();
}
L_CheckExcMatch: {
  const Value type = *--sp;
  const int m = ExceptionMatches(cx, sp[-1], type);
  DROP(type);
  if (m < 0) goto error;
  PUSH(cx.Bool(m != 0));
  NEXT();
}
L_LoadAssertionError:
  PUSH_NEW(cx.rt.exc.AssertionError);
  NEXT();
L_BeforeWith: {
  const Value m = sp[-1];
  if (!BeforeWithTo(cx, m, false, sp - 1)) goto error;
  sp++;
  DROP(m);
  NEXT();
}
L_WithExceptStart: {
  const Value r = (WithExceptStart(cx, sp[-3], sp[-1])).release();
  if (r.is_null()) goto error;
  PUSH(r);
  NEXT();
}

  // ---- imports, annotations
L_ImportName: {
  const Value r = (ImportName(cx, f, f->code->names[ARG], sp[-2], sp[-1])).release();
  FINISH_BINARY(r);
}
L_ImportFrom: {
  const Value r = (ImportFrom(cx, sp[-1], f->code->names[ARG])).release();
  if (r.is_null()) goto error;
  PUSH(r);
  NEXT();
}
L_SetupAnnotations:
  if (!SetupAnnotations(cx, f)) goto error;
  NEXT();

  // ---- superinstructions
L_LoadFastLoadFast:
  PUSH_NEW(slots[lang::PairFirst(ARG)]);
  PUSH_NEW(slots[lang::PairSecond(ARG)]);
  NEXT();
L_StoreFastLoadFast: {
  const uint32_t a = lang::PairFirst(ARG);
  const Value old = slots[a];
  slots[a] = *--sp;
  DROP(old);
  PUSH_NEW(slots[lang::PairSecond(ARG)]);
  NEXT();
}
L_StoreFastStoreFast: {
  const uint32_t a = lang::PairFirst(ARG), b = lang::PairSecond(ARG);
  Value old = slots[a];
  slots[a] = *--sp;
  DROP(old);
  old = slots[b];
  slots[b] = *--sp;
  DROP(old);
  NEXT();
}

  // ---- pairs (quicken.h): the second instruction's words are at pc
L_FastAttr: {
  const Value o = slots[ARG];
  const Value r = LoadAttrFast(cx, o, f->code->names[*pc >> 8], &f->code->caches[pc[1]]);
  if (!r.is_null()) {
    PUSH(r);
    pc += 2;
  } else {
    PUSH_NEW(o);
  }
  NEXT();
}
L_FastStoreAttr: {
  const Value o = slots[ARG];
  if (Value old; StoreAttrFast(cx, o, f->code->names[*pc >> 8], &f->code->caches[pc[1]], sp[-1], &old)) {
    sp--;
    pc += 2;
    DROP(old);
  } else {
    PUSH_NEW(o);
  }
  NEXT();
}
L_FastMethod: {
  const Value o = slots[ARG];
  const Value r = LoadMethodFast(cx, o, f->code->names[*pc >> 8]);
  if (!r.is_null()) {
    PUSH(r);
    pc += 2;
  }
  PUSH_NEW(o);
  NEXT();
}
L_FastReturn: {
  Value& slot = slots[ARG];
  if (f->object == nullptr && f->generator == nullptr) {
    // The frame ends: what is in the slot moves.
    PUSH(slot);
    slot = Value();
    f->pc = pc++;
    goto L_ReturnValue;
  }
  PUSH_NEW(slot);
  NEXT();
}
L_FastSubscr: {
  const Value k = slots[ARG], o = sp[-1];
  if (k.is_small_int() && o.is_object() && o.object()->type() == list_info) {
    const Value item = ListGet(cx, o.as<List>(), k.small_int()).release();
    if (!item.is_null()) {
      sp[-1] = item;
      pc++;
      DROP(o);
      NEXT();
    }
  }
  PUSH_NEW(k);
  NEXT();
}
L_FastFastSubscr: {
  const Value o = slots[lang::PairFirst(ARG)], k = slots[lang::PairSecond(ARG)];
  if (k.is_small_int() && o.is_object()) {
    const Value item = o.object()->type() == list_info ? ListGet(cx, o.as<List>(), k.small_int()).release()
                                                       : SharedChar(latin1, str_info, o, k.small_int());
    if (!item.is_null()) {
      PUSH(item);
      pc++;
      NEXT();
    }
  }
  PUSH_NEW(o);
  PUSH_NEW(k);
  NEXT();
}
L_TupleFast: {
  // (a, b) + rest makes one tuple instead of two.
  const Value rest = slots[*pc >> 8];
  if (lang::OpOf(pc[1]) != Op::kBinaryAdd || !IsExact(rest, cx.rt.cls.tuple) || ARG == 0) goto L_BuildTuple;
  sp -= ARG;
  const Value r = NewTupleStealBefore(cx, sp, ARG, rest.as<Tuple>()).release();
  if (r.is_null()) goto error;
  PUSH(r);
  pc += 2;
  NEXT();
}
  // v is True, False or an int: jump if it is (not) true.
#define FAST_JUMP(jumps)                                                 \
  do {                                                                   \
    const Value v = slots[ARG];                                          \
    const bool t = v == cx.rt.true_ || (v.is_small_int() && v.small_int() != 0); \
    if (t || v == cx.rt.false_ || v == cx.rt.none || v.is_small_int()) { \
      pc += 1 + ((jumps) ? *pc >> 8 : 0);                                \
    } else {                                                             \
      PUSH_NEW(v);                                                       \
    }                                                                    \
    NEXT();                                                              \
  } while (0)
L_FastJumpIfFalse:
  FAST_JUMP(!t);
L_FastJumpIfTrue:
  FAST_JUMP(t);
L_FastJumpIfNone:
  pc += 1 + (slots[ARG] == cx.rt.none ? *pc >> 8 : 0);
  NEXT();
L_FastJumpIfNotNone:
  pc += 1 + (slots[ARG] != cx.rt.none ? *pc >> 8 : 0);
  NEXT();
#define FAST_FAST_SUM(name, op, overflows)                                                     \
  L_FastFast##name : {                                                                         \
    const Value a = slots[lang::PairFirst(ARG)], b = slots[lang::PairSecond(ARG)];             \
    if (Value::BothSmallInts(a, b)) {                                                          \
      int64_t r;                                                                               \
      if (!overflows(static_cast<int64_t>(a.bits()), static_cast<int64_t>(b.bits() - 1), &r)) { \
        PUSH(Value::FromBits(static_cast<uintptr_t>(r)));                                      \
        pc++;                                                                                  \
        NEXT();                                                                                \
      }                                                                                        \
    } else if (Value::BothSmallFloats(a, b)) {                                                 \
      const Value r = Value::SmallFloat(a.small_float() op b.small_float());                   \
      if (!r.is_null()) {                                                                      \
        PUSH(r);                                                                               \
        pc++;                                                                                  \
        NEXT();                                                                                \
      }                                                                                        \
    }                                                                                          \
    PUSH_NEW(a);                                                                               \
    PUSH_NEW(b);                                                                               \
    NEXT();                                                                                    \
  }
  FAST_FAST_SUM(Add, +, __builtin_add_overflow)
  FAST_FAST_SUM(Sub, -, __builtin_sub_overflow)
L_FastFastMul: {
  const Value a = slots[lang::PairFirst(ARG)], b = slots[lang::PairSecond(ARG)];
  if (Value::BothSmallFloats(a, b)) {
    const Value r = Value::SmallFloat(a.small_float() * b.small_float());
    if (!r.is_null()) {
      PUSH(r);
      pc++;
      NEXT();
    }
  }
  PUSH_NEW(a);
  PUSH_NEW(b);
  NEXT();
}
#define COMPARE_PAIRS(name, op)                                                    \
  L_FastFast##name : {                                                             \
    const Value a = slots[lang::PairFirst(ARG)], b = slots[lang::PairSecond(ARG)]; \
    bool t;                                                                        \
    if (Value::BothSmallInts(a, b)) {                                              \
      t = a.small_int() op b.small_int();                                          \
    } else if (Value::BothSmallFloats(a, b)) {                                     \
      t = a.small_float() op b.small_float();                                      \
    } else {                                                                       \
      PUSH_NEW(a);                                                                 \
      PUSH_NEW(b);                                                                 \
      NEXT();                                                                      \
    }                                                                              \
    pc++;                                                                          \
    FINISH_BOOL(t);                                                                \
  }                                                                                \
  L_Int##name : {                                                                  \
    const Value a = sp[-1];                                                        \
    if (!a.is_small_int()) {                                                       \
      PUSH(Value::Small(lang::IntArgOf(word)));                                    \
      NEXT();                                                                      \
    }                                                                              \
    sp--;                                                                          \
    pc++;                                                                          \
    const bool t = a.small_int() op lang::IntArgOf(word);                          \
    FINISH_BOOL(t);                                                                \
  }
  // A string compared with a constant one.
#define CONST_PAIR(name, op)                                      \
  L_Const##name : {                                               \
    const Value a = sp[-1], b = f->code->consts[ARG];             \
    if (!IsExact(a, cx.rt.cls.str) || !IsExact(b, cx.rt.cls.str)) { \
      PUSH(b);                                                    \
      NEXT();                                                     \
    }                                                             \
    const bool t = StrEqual(a.as<Str>(), b.as<Str>()) op true;    \
    sp--;                                                         \
    pc++;                                                         \
    DROP(a);                                                      \
    FINISH_BOOL(t);                                               \
  }
  CONST_PAIR(Eq, ==)
  CONST_PAIR(Ne, !=)
  COMPARE_PAIRS(Lt, <)
  COMPARE_PAIRS(Le, <=)
  COMPARE_PAIRS(Eq, ==)
  COMPARE_PAIRS(Ne, !=)
  COMPARE_PAIRS(Gt, >)
  COMPARE_PAIRS(Ge, >=)

error:
  AddTraceback(cx, f);
unwind : {
  const Value exc = cx.TakeException().release();
  const lang::CodeUnit& unit = *f->code->unit;
  const lang::ExceptionEntry* h = unit.FindHandler(static_cast<uint32_t>(f->pc - f->code->words));
  Value* const base = h != nullptr ? f->stack + h->depth : f->stack;
  while (sp > base) {
    const Value v = *--sp;
    DROP(v);
  }
  if (h != nullptr) {
    PUSH(exc);
    pc = f->code->words + h->handler;
    NEXT();
  }
  flags = f->flags;
  if (f->generator != nullptr) {
    f->sp = sp;
    FinishGenerator(cx, f->generator);
    cx.SetException(Ref::Steal(exc));
    if ((flags & kFrameForIter) == 0) return Ref();
    LeaveForIter(cx, f->generator);
    f = cx.frame;
    sp = f->sp;
    slots = f->slots;
    goto error;
  }
  PopFrame(cx, ts, f);
  cx.SetException(Ref::Steal(exc));
  if ((flags & kFrameEntry) != 0) return Ref();
  f = cx.frame;
  sp = f->sp;
  slots = f->slots;
  goto error;
}
}

}  // namespace tidepool::rt
