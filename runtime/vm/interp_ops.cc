// Instructions that are too long for the loop.
#include "tidepool/runtime/vm/interp_ops.h"


#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/attr_cache.h"
#include "tidepool/runtime/vm/builtins.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/exception.h"
#include "tidepool/runtime/vm/generator.h"
#include "tidepool/runtime/vm/import.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {

// ---- names ------------------------------------------------------------------------------------------------------

void RaiseNameError(Context& cx, Str* name) {
  Raise(cx, cx.rt.exc.NameError, "name '%s' is not defined", ToUtf8(name).c_str());
  if (PendingIs(cx, cx.rt.exc.NameError)) InitSlot(cx.exception().as<Exception>()->extra, Ref::New(name));
}

void RaiseUnbound(Context& cx, Frame* f, uint32_t slot) {
  const std::string name = ToUtf8(f->code->slot_names[slot]);
  if (f->code->unit->slots[slot].kind == lang::SlotKind::kFree) {
    Raise(cx, cx.rt.exc.NameError, "cannot access free variable '%s' where it is not associated with a value in enclosing scope", name.c_str());
  } else {
    Raise(cx, cx.rt.exc.UnboundLocalError, "cannot access local variable '%s' where it is not associated with a value", name.c_str());
  }
}

Ref LateBuiltin(Context& cx, Str* name) {
  Ref r;
  if (!StrIs(name, "ExceptionGroup") && !StrIs(name, "BaseExceptionGroup")) return r;
  if (ImportModule(cx, "_exception_group")) DictGetStr(cx, cx.rt.builtins, name, &r);
  return r;
}

Ref LoadGlobalSlow(Context& cx, Frame* f, Str* name, InlineCache* c) {
  Ref r;
  const uint32_t version = DictKeysVersion(f->globals);
  if (DictGetStrHint(cx, f->globals, name, &c->hint, &r) == 1) return r;
  if (DictGetStrHint(cx, cx.rt.builtins, name, &c->hint, &r) == 1) {
    // Absent from the globals as long as their keys stay the same.
    c->a.store(uint64_t{1} << 32 | version, kRelaxed);
    return r;
  }
  r = LateBuiltin(cx, name);
  if (!r && !cx.has_exception()) RaiseNameError(cx, name);
  return r;
}

namespace {
// The namespace of a class body; a metaclass may have prepared one with its own item methods. Null without exception: absent.
Ref LoadFromNamespace(Context& cx, Frame* f, Str* name) {
  Ref r;
  if (f->ns.is_null()) return r;
  if (IsExact(f->ns, cx.rt.cls.dict)) {
    DictGetStr(cx, f->ns.as<Dict>(), name, &r);
    return r;
  }
  r = GetItem(cx, f->ns, name);
  if (!r) ClearIf(cx, cx.rt.exc.KeyError);
  return r;
}
}  // namespace

Ref LoadNameFrom(Context& cx, Frame* f, Str* name) {
  Ref r = LoadFromNamespace(cx, f, name);
  if (r || cx.has_exception()) return r;
  if (DictGetStr(cx, f->globals, name, &r) == 1) return r;
  if (DictGetStr(cx, cx.rt.builtins, name, &r) == 1) return r;
  r = LateBuiltin(cx, name);
  if (!r && !cx.has_exception()) RaiseNameError(cx, name);
  return r;
}

bool StoreNameIn(Context& cx, Frame* f, Str* name, Value v) {
  if (!f->ns.is_null() && !IsExact(f->ns, cx.rt.cls.dict)) return SetItem(cx, f->ns, name, v);
  return DictSetStr(cx, f->ns.is_null() ? f->globals : f->ns.as<Dict>(), name, v);
}

bool DeleteGlobal(Context& cx, Dict* d, Str* name) {
  const int r = DictDelete(cx, d, name);
  if (r == 0) RaiseNameError(cx, name);
  return r > 0;
}

Ref LoadClassDeref(Context& cx, Frame* f, uint32_t slot) {
  Ref r = LoadFromNamespace(cx, f, f->code->slot_names[slot]);
  if (r || cx.has_exception()) return r;
  Value cell = f->slots[slot];
  r = LoadSlot(cell.object(), cell.as<Cell>()->value);
  if (!r) RaiseUnbound(cx, f, slot);
  return r;
}

// ---- containers ------------------------------------------------------------------------------------------------------

Ref BuildMap(Context& cx, Value* kv, size_t n) {
  Ref d = NewDict(cx);
  if (!d && ReclaimMemory(cx)) d = NewDict(cx);
  if (!d) return Ref();
  for (size_t i = 0; i < n; i++) {
    if (!DictSet(cx, d.as<Dict>(), kv[2 * i], kv[2 * i + 1])) return Ref();
  }
  return d;
}

Ref BuildConstKeyMap(Context& cx, Value* values, Tuple* keys) {
  Ref d = NewDict(cx);
  if (!d && ReclaimMemory(cx)) d = NewDict(cx);
  if (!d) return Ref();
  for (size_t i = 0; i < keys->length; i++) {
    if (!DictSet(cx, d.as<Dict>(), keys->items[i], values[i])) return Ref();
  }
  return d;
}

Ref FormatValue(Context& cx, Value v, Value spec, uint32_t flags) {
  Ref converted;
  switch (flags & 3) {
    case 1: converted = ToString(cx, v); break;
    case 2: converted = Repr(cx, v); break;
    case 3: {
      Ref r = Repr(cx, v);
      if (!r) return Ref();
      converted = AsciiOf(cx, r);
      break;
    }
    default: return Format(cx, v, spec);
  }
  if (!converted) return Ref();
  return Format(cx, converted, spec);
}

bool ListExtendStar(Context& cx, Value list, Value iterable) {
  Class* cls = ClassOf(cx, iterable);
  if (!MayIterate(cls)) {
    return RaiseTypeError(cx, "Value after * must be an iterable, not %s", NameOf(cls)), false;
  }
  return ListExtend(cx, list.as<List>(), iterable);
}

bool DictUpdateFrom(Context& cx, Value dict, Value mapping) {
  if (!Is<Dict>(mapping)) {
    Ref keys = GetAttrOptional(cx, mapping, cx.rt.names.keys);
    if (cx.has_exception()) return false;
    if (!keys) return RaiseTypeError(cx, "'%s' object is not a mapping", ClassName(cx, mapping)), false;
  }
  return DictUpdate(cx, dict.as<Dict>(), mapping);
}

namespace {
std::string CallableName(Context& cx, Value callable) {
  Ref q = GetAttrOptional(cx, callable, cx.rt.names.qualname);
  if (cx.has_exception()) cx.ClearException();
  std::string name = q && IsStr(q) ? ToUtf8(q.as<Str>()) : Text(cx, callable);
  Ref m = GetAttrOptional(cx, callable, cx.rt.names.module);
  if (cx.has_exception()) cx.ClearException();
  if (m && IsStr(m)) {
    const std::string module = ToUtf8(m.as<Str>());
    if (module != "builtins") name = module + "." + name;
  }
  return name + "()";
}
}  // namespace

Ref StarArguments(Context& cx, Value callable, Value iterable) {
  if (IsExact(iterable, cx.rt.cls.list)) return ListAsTuple(cx, iterable.as<List>());
  Class* cls = ClassOf(cx, iterable);
  if (!MayIterate(cls)) {
    return RaiseTypeError(cx, "%s argument after * must be an iterable, not %s", CallableName(cx, callable).c_str(), NameOf(cls));
  }
  return TupleFromIterable(cx, iterable);
}

bool DictMerge(Context& cx, Value callable, Value dict, Value mapping) {
  Ref source = Ref::New(mapping);
  if (!Is<Dict>(mapping)) {
    Ref keys = GetAttrOptional(cx, mapping, cx.rt.names.keys);
    if (cx.has_exception()) return false;
    if (!keys) {
      return RaiseTypeError(cx, "%s argument after ** must be a mapping, not %s", CallableName(cx, callable).c_str(), ClassName(cx, mapping)), false;
    }
    source = NewDict(cx);
    if (!source || !DictUpdate(cx, source.as<Dict>(), mapping)) return false;
  }
  size_t pos = 0;
  Ref key, value, old;
  Dict* target = dict.as<Dict>();
  while (DictNext(cx, source.as<Dict>(), &pos, &key, &value)) {
    if (!IsStr(key)) return RaiseTypeError(cx, "keywords must be strings"), false;
    const int r = DictGet(cx, target, key, &old);
    if (r < 0) return false;
    if (r == 1) {
      return RaiseTypeError(cx, "%s got multiple values for keyword argument '%s'", CallableName(cx, callable).c_str(), ToUtf8(key.as<Str>()).c_str()), false;
    }
    if (!DictSet(cx, target, key, value)) return false;
  }
  return true;
}

bool UnpackSequence(Context& cx, Value seq, size_t n, Value* out) {
  if (IsExact(seq, cx.rt.cls.tuple)) {
    Tuple* t = seq.as<Tuple>();
    if (t->length == n) {
      for (size_t i = 0; i < n; i++) out[n - 1 - i] = Ref::New(t->items[i]).release();
      return true;
    }
  }
  Class* cls = ClassOf(cx, seq);
  if (!MayIterate(cls)) {
    return RaiseTypeError(cx, "cannot unpack non-iterable %s object", NameOf(cls)), false;
  }
  Ref it = Iter(cx, seq);
  if (!it) return false;
  size_t i = 0;
  for (; i < n; i++) {
    Ref v = Next(cx, it);
    if (!v) {
      if (!cx.has_exception()) RaiseValueError(cx, "not enough values to unpack (expected %zu, got %zu)", n, i);
      break;
    }
    out[n - 1 - i] = v.release();
  }
  if (i == n) {
    Ref more = Next(cx, it);
    if (!more && !cx.has_exception()) return true;
    if (more) RaiseValueError(cx, "too many values to unpack (expected %zu)", n);
  }
  PendingScope pending(cx);
  for (size_t k = 0; k < i; k++) DecrefValue(cx.ts, out[n - 1 - k]);
  return false;
}

bool UnpackEx(Context& cx, Value seq, size_t before, size_t after, Value* out) {
  Class* cls = ClassOf(cx, seq);
  if (!MayIterate(cls)) {
    return RaiseTypeError(cx, "cannot unpack non-iterable %s object", NameOf(cls)), false;
  }
  Ref list = ListFromIterable(cx, seq);
  if (!list) return false;
  const size_t n = ListSize(list.as<List>());
  if (n < before + after) {
    return RaiseValueError(cx, "not enough values to unpack (expected at least %zu, got %zu)", before + after, n), false;
  }
  Ref middle = ListSlice(cx, list.as<List>(), static_cast<int64_t>(before), static_cast<int64_t>(n - after));
  if (!middle) return false;
  const size_t total = before + 1 + after;
  for (size_t i = 0; i < before; i++) out[total - 1 - i] = ListGet(cx, list.as<List>(), static_cast<int64_t>(i)).release();
  out[after] = middle.release();
  for (size_t i = 0; i < after; i++) out[after - 1 - i] = ListGet(cx, list.as<List>(), static_cast<int64_t>(n - after + i)).release();
  return true;
}

// ---- functions, generators --------------------------------------------------------------------------------------------

namespace {
// <lambda>, <genexpr> and their like come by the thousand.
bool IsAnonymous(const Code* code) {
  const std::string& name = code->unit->name;
  return !name.empty() && name[0] == '<';
}
}  // namespace

Ref MakeFunction(Context& cx, Frame* f, Value* operands, uint32_t flags) {
  size_t i = 0;
  Value defaults, kwdefaults, annotations, closure;
  if ((flags & 1) != 0) defaults = operands[i++];
  if ((flags & 2) != 0) kwdefaults = operands[i++];
  if ((flags & 4) != 0) annotations = operands[i++];
  if ((flags & 8) != 0) closure = operands[i++];
  Ref r = NewFunction(cx, operands[i].as<Code>(), f->globals);
  if (!r) return Ref();
  Function* fn = r.as<Function>();
  if (!defaults.is_null()) InitSlot(fn->defaults, Ref::New(defaults));
  if (!kwdefaults.is_null()) InitSlot(fn->kwdefaults, Ref::New(kwdefaults));
  if (!annotations.is_null()) InitSlot(fn->annotations, Ref::New(annotations));
  if (!closure.is_null()) InitSlot(fn->closure, Ref::New(closure));
  // What `def` makes at module level or in a class there is called from all threads and lives long: it is counted per
  // thread and goes with a collection, as in CPython 3.13t and later. Closures die at zero.
  if ((fn->code->flags & (lang::kNested | lang::kClassBody)) == 0 && !IsAnonymous(fn->code)) SetDeferred(cx.ts, fn);
  return r;
}

Ref GetYieldFromIter(Context& cx, Value v) {
  if (!Is<Generator>(v) || IsAsyncGenerator(v.as<Generator>())) return Iter(cx, v);
  if (IsExact(v, cx.rt.cls.coroutine) && !cx.frame->generator->awaitable) {
    return RaiseTypeError(cx, "cannot 'yield from' a coroutine object in a non-coroutine generator");
  }
  return Ref::New(v);
}

Ref GetAiter(Context& cx, Value v) {
  bool found;
  Ref it = CallSpecial(cx, v, cx.rt.names.aiter, Args(), &found);
  if (!found) return RaiseTypeError(cx, "'async for' requires an object with __aiter__ method, got %s", ClassName(cx, v));
  if (it && !LookupSpecial(cx, it, cx.rt.names.anext)) {
    return RaiseTypeError(cx, "'async for' received an object from __aiter__ that does not implement __anext__: %s", ClassName(cx, it));
  }
  return it;
}

Ref GetAnext(Context& cx, Value aiter) {
  bool found;
  Ref next = CallSpecial(cx, aiter, cx.rt.names.anext, Args(), &found);
  if (!found) return RaiseTypeError(cx, "'async for' requires an iterator with __anext__ method, got %s", ClassName(cx, aiter));
  if (!next) return next;
  Ref it = GetAwaitable(cx, next, 0);
  if (it) return it;
  Ref cause = cx.TakeException();
  RaiseTypeError(cx, "'async for' received an invalid object from __anext__: %s", ClassName(cx, next));
  ChainCause(cx, std::move(cause));
  return Ref();
}

Ref YieldFromStep(Context& cx, Value iterator, Value sent, Ref* result) {
  if (Generator* g = As<Generator>(iterator)) return GeneratorSend(cx, g, sent == cx.None() ? Value() : sent, result);
  Ref r;
  if (sent == cx.None()) {
    Class* cls = ClassOf(cx, iterator);
    r = cls->slots.next(cx, iterator);
    if (r) return r;
    if (!cx.has_exception()) {
      *result = cx.NoneRef();
      return Ref();
    }
  } else {
    r = CallMethod(cx, iterator, cx.rt.names.send, sent);
    if (r) return r;
  }
  if (PendingIs(cx, cx.rt.exc.StopIteration)) {
    Ref e = cx.TakeException();
    Ref args = LoadSlot(e.as<Exception>(), e.as<Exception>()->args);
    *result = args.as<Tuple>()->length > 0 ? Ref::New(args.as<Tuple>()->items[0]) : cx.NoneRef();
  }
  return Ref();
}

// ---- exceptions, with ------------------------------------------------------------------------------------------------------

bool RaiseStatement(Context& cx, Value exc, Value cause, uint32_t n) {
  if (n == 0) {
    Value handled = HandledNow(cx);
    if (handled.is_null()) {
      RaiseRuntimeError(cx, "No active exception to reraise");
      return false;
    }
    cx.SetException(Ref::New(handled));
    return true;
  }
  RaiseObject(cx, exc);
  if (n < 2) return false;
  Ref e = cx.TakeException();
  if (!IsInstance(cx, e, cx.rt.exc.BaseException)) return false;
  Ref c;
  if (cause == cx.None()) {
  } else if (IsClass(cause) && IsSubclass(cause.as<Class>(), cx.rt.exc.BaseException)) {
    c = Call(cx, cause);
    if (!c) return false;
  } else if (Is<Exception>(cause)) {
    c = Ref::New(cause);
  } else {
    RaiseTypeError(cx, "exception causes must derive from BaseException");
    return false;
  }
  Exception* x = e.as<Exception>();
  StoreSlot(x, x->cause, std::move(c));
  x->suppress_context.store(1, kRelaxed);
  cx.SetException(std::move(e));
  return false;
}

namespace {
Ref BindSpecial(Context& cx, Value obj, Str* name) {
  Ref f = LookupSpecial(cx, obj, name);
  if (!f) return Ref();
  Class* fc = ClassOf(cx, f);
  return fc->slots.descr_get != nullptr ? fc->slots.descr_get(cx, f, obj, ClassOf(cx, obj)) : std::move(f);
}
}  // namespace

bool BeforeWith(Context& cx, Value manager, bool is_async, Ref* exit, Ref* result) {
  const Names& n = cx.rt.names;
  const char* protocol = is_async ? "asynchronous context manager protocol" : "context manager protocol";
  Ref enter = BindSpecial(cx, manager, is_async ? n.aenter : n.enter);
  if (!enter) {
    if (!cx.has_exception()) RaiseTypeError(cx, "'%s' object does not support the %s", ClassName(cx, manager), protocol);
    return false;
  }
  *exit = BindSpecial(cx, manager, is_async ? n.aexit : n.exit);
  if (!*exit) {
    if (!cx.has_exception()) {
      RaiseTypeError(cx, "'%s' object does not support the %s (missed __%sexit__ method)", ClassName(cx, manager), protocol, is_async ? "a" : "");
    }
    return false;
  }
  *result = Call(cx, enter);
  return static_cast<bool>(*result);
}

Ref WithExceptStart(Context& cx, Value exit, Value exc) {
  Exception* e = exc.as<Exception>();
  Ref tb = LoadSlot(e, e->traceback);
  return Call(cx, exit, ClassOf(cx, exc), exc, tb ? tb.get() : cx.None());
}

bool SetupAnnotations(Context& cx, Frame* f) {
  Dict* d = f->ns.is_null() ? f->globals : f->ns.as<Dict>();
  Ref have;
  if (DictGetStr(cx, d, cx.rt.names.annotations, &have) == 1) return true;
  Ref fresh = NewDict(cx);
  return fresh && DictSetStr(cx, d, cx.rt.names.annotations, fresh);
}

}  // namespace tidepool::rt
