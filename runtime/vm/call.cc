// Calls from native code, and the binding of arguments to parameters.
#include "tidepool/runtime/vm/call.h"

#include <cstring>
#include <string>

#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/float.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/class_internal.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/frame.h"
#include "tidepool/runtime/vm/function.h"
#include "tidepool/runtime/vm/generator.h"
#include "tidepool/runtime/vm/module.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {

// ---- native side ----------------------------------------------------------------------------------------------

Value Args::KwName(size_t i) const { return kwnames->items[i]; }

Value Args::Keyword(const Str* name) const {
  for (size_t i = 0; i < nkw; i++) {
    if (kwnames->items[i] == Value(name)) return kwvals[i];
  }
  for (size_t i = 0; i < nkw; i++) {
    if (StrEqual(kwnames->items[i].as<Str>(), name)) return kwvals[i];
  }
  return Value();
}

bool NoKeywords(Context& cx, const char* function, const Args& args) {
  if (args.nkw == 0) return true;
  RaiseTypeError(cx, "%s() takes no keyword arguments", function);
  return false;
}

bool CheckArgCount(Context& cx, const char* function, const Args& args, int min, int max) {
  const int n = static_cast<int>(args.npos);
  if (n >= min && (max < 0 || n <= max)) return true;
  if (min == max) {
    if (min == 0) {
      RaiseTypeError(cx, "%s() takes no arguments (%d given)", function, n);
    } else if (min == 1) {
      RaiseTypeError(cx, "%s() takes exactly one argument (%d given)", function, n);
    } else {
      RaiseTypeError(cx, "%s expected %d arguments, got %d", function, min, n);
    }
  } else {
    const int bound = n < min ? min : max;
    RaiseTypeError(cx, "%s expected at %s %d argument%s, got %d", function, n < min ? "least" : "most", bound, bound == 1 ? "" : "s", n);
  }
  return false;
}

bool ParseArgs(Context& cx, const char* function, const Args& args, std::initializer_list<const char*> names, size_t required, Value* out) {
  const char* const* spec = names.begin();
  const size_t n = names.size();
  size_t positional = 0;
  for (size_t i = 0; i < n; i++) {
    out[i] = Value();
    if (spec[i][0] != '*') positional++;
  }
  if (args.npos > positional) {
    if (positional == 0) {
      RaiseTypeError(cx, "%s() takes no positional arguments", function);
    } else {
      RaiseTypeError(cx, "%s() takes at most %zu argument%s (%zu given)", function, positional, positional == 1 ? "" : "s", args.npos + args.nkw);
    }
    return false;
  }
  for (size_t i = 0; i < args.npos; i++) out[i] = args.pos[i];
  for (size_t k = 0; k < args.nkw; k++) {
    const Str* name = args.KwName(k).as<Str>();
    size_t i = 0;
    for (; i < n; i++) {
      const char* s = spec[i];
      if (*s == '/') continue;
      if (*s == '*') s++;
      if (StrIs(name, s)) break;
    }
    if (i == n) {
      RaiseTypeError(cx, "'%s' is an invalid keyword argument for %s()", ToUtf8(name).c_str(), function);
      return false;
    }
    if (!out[i].is_null()) {
      RaiseTypeError(cx, "argument for %s() given by name ('%s') and position (%zu)", function, ToUtf8(name).c_str(), i + 1);
      return false;
    }
    out[i] = args.kwvals[k];
  }
  for (size_t i = 0; i < required; i++) {
    if (!out[i].is_null()) continue;
    const char* s = spec[i];
    if (*s == '/') {
      CheckArgCount(cx, function, args, static_cast<int>(required), static_cast<int>(positional));
      if (!cx.has_exception()) RaiseTypeError(cx, "%s() missing required argument (pos %zu)", function, i + 1);
    } else {
      RaiseTypeError(cx, "%s() missing required argument '%s' (pos %zu)", function, *s == '*' ? s + 1 : s, i + 1);
    }
    return false;
  }
  return true;
}

namespace {
// "list.append" and "time.sleep", but "len", as CPython names them where a fixed number of arguments is wanted.
void RaiseArity(Context& cx, const MethodDef* def, Value self, const Args& args) {
  std::string name = def->name;
  if (!self.is_null()) {
    if (Module* m = As<Module>(self)) {
      Ref module;
      DictGetStr(cx, ModuleDict(m), cx.rt.names.name, &module);
      if (module && IsStr(module) && !StrIs(module.as<Str>(), "builtins")) name = ToUtf8(module.as<Str>()) + "." + name;
    } else {
      name = std::string(ShortName(IsClass(self) ? self.as<Class>() : ClassOf(cx, self)->native_base)) + "." + name;
    }
  }
  if (args.nkw != 0) {
    NoKeywords(cx, name.c_str(), args);
  } else {
    CheckArgCount(cx, def->min_args == def->max_args && def->max_args <= 1 ? name.c_str() : def->name, args, def->min_args, def->max_args);
  }
}
}  // namespace

Ref CallNative(Context& cx, const MethodDef* def, Value self, const Args& args) {
  if ((def->flags & kMethodKeywords) == 0) {
    const int n = static_cast<int>(args.npos);
    if (args.nkw != 0 || n < def->min_args || (def->max_args >= 0 && n > def->max_args)) {
      RaiseArity(cx, def, self, args);
      return Ref();
    }
  }
  return def->fn(cx, self, args);
}

Ref CallMethodDescriptor(Context& cx, MethodDescriptor* d, const Args& args) {
  if (args.npos == 0) return RaiseTypeError(cx, "unbound method %s.%s() needs an argument", ShortName(d->owner), d->def->name);
  if ((d->def->flags & kMethodClass) != 0) {
    if (!IsClass(args[0])) return RaiseTypeError(cx, "descriptor '%s' requires a type", d->def->name);
  } else if (!IsInstance(cx, args[0], d->owner)) {
    return RaiseTypeError(cx, "descriptor '%s' for '%s' objects doesn't apply to a '%s' object", d->def->name, NameOf(d->owner), ClassName(cx, args[0]));
  }
  return CallNative(cx, d->def, args[0], args.Skip(1));
}

// ---- Python functions ------------------------------------------------------------------------------------------

Value* ReserveStack(Context& cx, size_t n) {
  if (static_cast<size_t>(cx.stack_limit - cx.stack_top) < n) {
    Raise(cx, cx.rt.exc.RecursionError, "maximum recursion depth exceeded");
    return nullptr;
  }
  return cx.stack_top;
}

namespace {

std::string Plural(size_t n) { return n == 1 ? "" : "s"; }

std::string JoinNames(const std::vector<std::string>& names) {
  std::string s;
  for (size_t i = 0; i < names.size(); i++) {
    if (i > 0) s += names.size() == 2 ? " and " : i + 1 == names.size() ? ", and " : ", ";
    s += "'" + names[i] + "'";
  }
  return s;
}

void RaiseMissing(Context& cx, Function* f, Value* slots, size_t from, size_t to, const char* kind) {
  std::vector<std::string> names;
  for (size_t i = from; i < to; i++) {
    if (slots[i].is_null()) names.push_back(ToUtf8(f->code->slot_names[i]));
  }
  Ref q = LoadSlot(f, f->qualname);
  RaiseTypeError(cx, "%s() missing %zu required %s argument%s: %s", ToUtf8(q.as<Str>()).c_str(), names.size(), kind, Plural(names.size()).c_str(),
                 JoinNames(names).c_str());
}

void RaiseTooMany(Context& cx, Function* f, size_t given, size_t defaults, size_t kwonly_given) {
  const Code* c = f->code;
  Ref q = LoadSlot(f, f->qualname);
  const size_t n = c->argcount;
  std::string takes = defaults > 0 ? "from " + std::to_string(n - defaults) + " to " + std::to_string(n) : std::to_string(n);
  const bool plural = defaults > 0 || n != 1;
  std::string extra;
  if (kwonly_given > 0) {
    extra = " positional argument" + Plural(given) + " (and " + std::to_string(kwonly_given) + " keyword-only argument" + Plural(kwonly_given) + ")";
  }
  RaiseTypeError(cx, "%s() takes %s positional argument%s but %zu%s %s given", ToUtf8(q.as<Str>()).c_str(), takes.c_str(), plural ? "s" : "", given,
                 extra.c_str(), given == 1 && kwonly_given == 0 ? "was" : "were");
}

// Distributes npos + nkw owned values over total_args zeroed slots.  `in` is emptied as it goes.  False: exception.
bool BindArguments(Context& cx, Function* f, Value* in, size_t npos, Tuple* kwnames, Value* slots) {
  const Code* c = f->code;
  const size_t argcount = c->argcount;
  const size_t nkw = kwnames == nullptr ? 0 : kwnames->length;
  const size_t named = argcount + c->kwonlyargcount;
  const size_t direct = npos < argcount ? npos : argcount;
  for (size_t i = 0; i < direct; i++) {
    slots[i] = in[i];
    in[i] = Value();
  }
  size_t next = named;
  if ((c->flags & lang::kVarArgs) != 0) {
    Ref rest = NewTupleSteal(cx, in + direct, npos - direct);
    for (size_t i = direct; i < npos; i++) in[i] = Value();
    if (!rest) return false;
    slots[next++] = rest.release();
  }
  Dict* extra = nullptr;
  if ((c->flags & lang::kVarKeywords) != 0) {
    Ref d = NewDict(cx);
    if (!d) return false;
    extra = d.as<Dict>();
    slots[next++] = d.release();
  }
  for (size_t k = 0; k < nkw; k++) {
    Value name = kwnames->items[k];
    size_t i = c->posonlyargcount;
    while (i < named && Value(c->slot_names[i]) != name) i++;
    if (i == named && !name.as<Str>()->is_interned()) {
      for (i = c->posonlyargcount; i < named && !StrEqual(c->slot_names[i], name.as<Str>()); i++) {
      }
    }
    if (i == named) {
      if (extra != nullptr) {
        if (!DictSet(cx, extra, name, in[npos + k])) return false;
        Ref drop = Ref::Steal(in[npos + k]);
        in[npos + k] = Value();
        continue;
      }
      Ref q = LoadSlot(f, f->qualname);
      std::string positional_only;
      for (size_t p = 0; p < c->posonlyargcount; p++) {
        for (size_t j = 0; j < nkw; j++) {
          if (StrEqual(c->slot_names[p], kwnames->items[j].as<Str>())) {
            positional_only += (positional_only.empty() ? "" : ", ") + ToUtf8(c->slot_names[p]);
          }
        }
      }
      if (!positional_only.empty()) {
        return RaiseTypeError(cx, "%s() got some positional-only arguments passed as keyword arguments: '%s'", ToUtf8(q.as<Str>()).c_str(),
                              positional_only.c_str()), false;
      }
      return RaiseTypeError(cx, "%s() got an unexpected keyword argument '%s'", ToUtf8(q.as<Str>()).c_str(), ToUtf8(name.as<Str>()).c_str()), false;
    }
    if (!slots[i].is_null()) {
      Ref q = LoadSlot(f, f->qualname);
      return RaiseTypeError(cx, "%s() got multiple values for argument '%s'", ToUtf8(q.as<Str>()).c_str(), ToUtf8(name.as<Str>()).c_str()), false;
    }
    slots[i] = in[npos + k];
    in[npos + k] = Value();
  }
  if (npos > argcount && (c->flags & lang::kVarArgs) == 0) {
    Ref defaults = LoadSlot(f, f->defaults);
    size_t kwonly_given = 0;
    for (size_t i = argcount; i < named; i++) kwonly_given += !slots[i].is_null();
    RaiseTooMany(cx, f, npos, defaults ? defaults.as<Tuple>()->length : 0, kwonly_given);
    return false;
  }
  if (npos < argcount) {
    Ref defaults = LoadSlot(f, f->defaults);
    const size_t nd = defaults ? defaults.as<Tuple>()->length : 0;
    const size_t first = nd > argcount ? 0 : argcount - nd;
    for (size_t i = npos; i < first; i++) {
      if (slots[i].is_null()) {
        RaiseMissing(cx, f, slots, 0, first, "positional");
        return false;
      }
    }
    for (size_t i = npos > first ? npos : first; i < argcount; i++) {
      if (slots[i].is_null()) slots[i] = Ref::New(defaults.as<Tuple>()->items[i - argcount + nd]).release();
    }
  }
  for (size_t i = argcount; i < named; i++) {
    if (!slots[i].is_null()) continue;
    Ref kwdefaults = LoadSlot(f, f->kwdefaults);
    Ref v;
    if (!kwdefaults || DictGetStr(cx, kwdefaults.as<Dict>(), c->slot_names[i], &v) != 1) continue;
    slots[i] = v.release();
  }
  for (size_t i = argcount; i < named; i++) {
    if (slots[i].is_null()) {
      RaiseMissing(cx, f, slots, argcount, named, "keyword-only");
      return false;
    }
  }
  return true;
}

// The same where positional arguments lie in their slots already and the rest is plain: no *args or **kwargs, at most 8
// keywords, whose names are parameters. False: nothing has happened, do it by BindArguments (which says what is wrong).
bool BindInPlace(Context& cx, Function* f, Value* slots, size_t npos, Tuple* kwnames) {
  constexpr size_t kMost = 8;
  const Code* c = f->code;
  const size_t nkw = kwnames == nullptr ? 0 : kwnames->length;
  const size_t argcount = c->argcount, named = argcount + c->kwonlyargcount;
  if ((c->flags & (lang::kVarArgs | lang::kVarKeywords)) != 0 || npos > argcount || nkw > kMost || named > 64) return false;
  uint64_t given = (uint64_t{1} << (npos & 63)) - 1;  // npos < 64 unless it is named, and then nothing is left to give
  if (npos == 64) given = ~uint64_t{0};
  uint8_t place[kMost];
  for (size_t k = 0; k < nkw; k++) {
    size_t i = c->posonlyargcount;
    while (i < named && Value(c->slot_names[i]) != kwnames->items[k]) i++;
    if (i == named || (given >> i & 1) != 0) return false;
    given |= uint64_t{1} << i;
    place[k] = static_cast<uint8_t>(i);
  }
  Ref defaults;
  size_t nd = 0;
  for (size_t i = npos; i < argcount; i++) {
    if ((given >> i & 1) != 0) continue;
    if (nd == 0) {
      defaults = LoadSlot(f, f->defaults);
      nd = defaults ? defaults.as<Tuple>()->length : 0;
    }
    if (i + nd < argcount) return false;
  }
  Ref kwonly[kMost];
  if (c->kwonlyargcount > kMost) return false;
  for (size_t i = argcount; i < named; i++) {
    if ((given >> i & 1) != 0) continue;
    Ref kwdefaults = LoadSlot(f, f->kwdefaults);
    if (!kwdefaults || DictGetStr(cx, kwdefaults.as<Dict>(), c->slot_names[i], &kwonly[i - argcount]) != 1) return false;
  }
  Value values[kMost];
  for (size_t k = 0; k < nkw; k++) values[k] = slots[npos + k];
  for (size_t i = npos; i < c->num_slots; i++) slots[i] = Value();
  for (size_t k = 0; k < nkw; k++) slots[place[k]] = values[k];
  for (size_t i = npos; i < argcount; i++) {
    if (slots[i].is_null()) slots[i] = Ref::New(defaults.as<Tuple>()->items[i + nd - argcount]).release();
  }
  for (size_t i = argcount; i < named; i++) {
    if (slots[i].is_null()) slots[i] = kwonly[i - argcount].release();
  }
  return true;
}

}  // namespace

Frame* PushFrame(Context& cx, Function* func, Value* args, size_t npos, Tuple* kwnames, uint32_t flags) {
  Code* c = func->code;
  const size_t nkw = kwnames == nullptr ? 0 : kwnames->length;
  const size_t total = npos + nkw;
  Value* slots = args;
  if (!RoomForFrame(cx, c, args, total)) {
    if (!cx.has_exception()) Raise(cx, cx.rt.exc.RecursionError, "maximum recursion depth exceeded");
    for (size_t i = 0; i < total; i++) DecrefValue(cx.ts, args[i]);
    Decref(cx.ts, func);
    return nullptr;
  }
  if (c->simple_args && nkw == 0 && npos == c->argcount) {
    for (uint32_t i = c->argcount; i < c->num_slots; i++) slots[i] = Value();
  } else if (!BindInPlace(cx, func, slots, npos, kwnames)) {
    // Away from the slots first.  Nothing below runs Python code except through drops, which start at stack_top.
    Value small[24];
    Value* in = total <= 24 ? small : static_cast<Value*>(AllocateRaw(cx, total * sizeof(Value)));
    bool ok = in != nullptr;
    if (ok) std::memcpy(static_cast<void*>(in), static_cast<void*>(args), total * sizeof(Value));
    if (!ok) {
      for (size_t i = 0; i < total; i++) DecrefValue(cx.ts, args[i]);
    }
    Value* const top = cx.stack_top;
    if (cx.stack_top < slots + c->num_slots) cx.stack_top = slots + c->num_slots;
    for (uint32_t i = 0; i < c->num_slots; i++) slots[i] = Value();
    ok = ok && BindArguments(cx, func, in, npos, kwnames, slots);
    if (in != nullptr && !ok) {
      for (size_t i = 0; i < total; i++) DecrefValue(cx.ts, in[i]);
    }
    if (in != nullptr && in != small) FreeRaw(cx, in);
    cx.stack_top = top;
    if (!ok) {
      for (uint32_t i = 0; i < c->num_slots; i++) DecrefValue(cx.ts, slots[i]);
      Decref(cx.ts, func);
      return nullptr;
    }
  }
  return LinkFrame(cx, func, c, slots, flags);
}

namespace {

// Runs a function on owned values that lie at cx.stack_top.
Ref RunFunction(Context& cx, Function* f, Value* args, size_t npos, Tuple* kwnames) {
  if (!CheckNativeStack(cx)) {
    const size_t total = npos + (kwnames == nullptr ? 0 : kwnames->length);
    for (size_t i = 0; i < total; i++) DecrefValue(cx.ts, args[i]);
    return Ref();
  }
  Incref(f);
  Frame* frame = PushFrame(cx, f, args, npos, kwnames, kFrameEntry);
  if (frame == nullptr) return Ref();
  if ((frame->code->flags & lang::kGenerator) != 0) return MakeGenerator(cx, frame);
  return Interpret(cx);
}

}  // namespace

Ref CallFunction(Context& cx, Function* f, const Args& args) {
  const size_t total = args.npos + args.nkw;
  Value* v = ReserveStack(cx, total);
  if (v == nullptr) return Ref();
  for (size_t i = 0; i < args.npos; i++) v[i] = Ref::New(args.pos[i]).release();
  for (size_t i = 0; i < args.nkw; i++) v[args.npos + i] = Ref::New(args.kwvals[i]).release();
  return RunFunction(cx, f, v, args.npos, args.nkw == 0 ? nullptr : args.kwnames);
}

Ref Call(Context& cx, Value callable, const Args& args) {
  if (callable.is_object()) {
    Class* cls = ClassOf(callable.object());
    if (cls->layout == Layout::kFunction) return CallFunction(cx, callable.as<Function>(), args);
    if (cls->slots.call != nullptr) {
      if (!CheckNativeStack(cx)) return Ref();
      Ref r = cls->slots.call(cx, callable, args);
      if (!r && !cx.has_exception()) return Raise(cx, cx.rt.exc.SystemError, "%s returned NULL without setting an exception", NameOf(cls));
      return r;
    }
  }
  return RaiseTypeError(cx, "'%s' object is not callable", ClassName(cx, callable));
}

Ref CallWithTuple(Context& cx, Value callable, Value args, Value kwargs) {
  Args a;
  if (!args.is_null()) {
    Tuple* t = args.as<Tuple>();
    a.pos = t->items;
    a.npos = t->length;
  }
  if (kwargs.is_null() || DictSize(kwargs.as<Dict>()) == 0) return Call(cx, callable, a);
  // A snapshot of the dict: names into a tuple, values beside it.
  Dict* d = kwargs.as<Dict>();
  Ref copy = DictCopy(cx, d);
  if (!copy) return Ref();
  const size_t n = DictSize(copy.as<Dict>());
  Value* buffer = static_cast<Value*>(AllocateRaw(cx, 2 * n * sizeof(Value)));
  if (buffer == nullptr) return Ref();
  size_t pos = 0, k = 0;
  Ref key, value;
  bool ok = true;
  while (k < n && DictNext(cx, copy.as<Dict>(), &pos, &key, &value)) {
    if (!IsStr(key)) {
      RaiseTypeError(cx, "keywords must be strings");
      ok = false;
      break;
    }
    buffer[k] = key.release();
    buffer[n + k] = value.release();
    k++;
  }
  Ref result;
  if (ok) {
    Ref names = NewTuple(cx, buffer, k);
    if (names) {
      a.kwnames = names.as<Tuple>();
      a.kwvals = buffer + n;
      a.nkw = k;
      copy.reset();
      result = Call(cx, callable, a);
    }
  }
  for (size_t i = 0; i < k; i++) {
    DecrefValue(cx.ts, buffer[i]);
    DecrefValue(cx.ts, buffer[n + i]);
  }
  FreeRaw(cx, buffer);
  return result;
}

namespace {

// `self` in front of args.
Ref CallWithSelf(Context& cx, Value callable, Value self, const Args& args) {
  if (Is<Function>(callable)) {
    const size_t total = 1 + args.npos + args.nkw;
    Value* v = ReserveStack(cx, total);
    if (v == nullptr) return Ref();
    v[0] = Ref::New(self).release();
    for (size_t i = 0; i < args.npos; i++) v[1 + i] = Ref::New(args.pos[i]).release();
    for (size_t i = 0; i < args.nkw; i++) v[1 + args.npos + i] = Ref::New(args.kwvals[i]).release();
    return RunFunction(cx, callable.as<Function>(), v, 1 + args.npos, args.nkw == 0 ? nullptr : args.kwnames);
  }
  if (MethodDescriptor* d = As<MethodDescriptor>(callable)) {
    if ((d->def->flags & kMethodClass) == 0 && IsInstance(cx, self, d->owner)) return CallNative(cx, d->def, self, args);
  }
  Class* cls = ClassOf(cx, callable);
  if (cls->slots.descr_get == nullptr) return Call(cx, callable, args);
  Ref bound = cls->slots.descr_get(cx, callable, self, ClassOf(cx, self));
  return bound ? Call(cx, bound, args) : Ref();
}

}  // namespace

Ref CallSpecial(Context& cx, Value obj, Str* name, const Args& args, bool* found) {
  Ref method = LookupSpecial(cx, obj, name);
  *found = static_cast<bool>(method);
  if (!method) return Ref();
  return CallWithSelf(cx, method, obj, args);
}

Ref CallMethod(Context& cx, Value obj, Str* name, const Args& args) {
  Ref attr = GetAttr(cx, obj, name);
  return attr ? Call(cx, attr, args) : Ref();
}

// ---- conversions ----------------------------------------------------------------------------------------------------

bool ToInt64(Context& cx, Value v, int64_t* out) {
  if (v.is_small_int()) {
    *out = v.small_int();
    return true;
  }
  Ref i = Index(cx, v);
  if (!i) return false;
  if (IntToInt64(i, out)) return true;
  RaiseOverflowError(cx, "Python int too large to convert to C ssize_t");
  return false;
}

bool ToInt32(Context& cx, Value v, int64_t* out) {
  Ref i = Index(cx, v);
  if (!i) return false;
  if (IntToInt64(i, out) && *out == static_cast<int32_t>(*out)) return true;
  RaiseOverflowError(cx, "Python int too large to convert to C int");
  return false;
}

bool ToIndexClamped(Context& cx, Value v, int64_t* out) {
  if (v.is_small_int()) {
    *out = v.small_int();
    return true;
  }
  Ref i = Index(cx, v);
  if (!i) return false;
  IntClamp(i, out);
  return true;
}

bool ToDouble(Context& cx, Value v, double* out) {
  if (v.is_small_int()) {
    *out = static_cast<double>(v.small_int());
    return true;
  }
  if (IsFloat(v)) {
    *out = FloatValue(v);
    return true;
  }
  if (IsInt(v)) return IntToDouble(cx, v, out);
  Class* cls = ClassOf(cx, v);
  if (cls->slots.to_float != nullptr) {
    Ref r = cls->slots.to_float(cx, v);
    if (!r) return false;
    if (IsFloat(r)) {
      *out = FloatValue(r);
      return true;
    }
    return RaiseTypeError(cx, "%s.__float__ returned non-float (type %s)", NameOf(cls), ClassName(cx, r)), false;
  }
  if (cls->slots.index != nullptr) {
    Ref r = Index(cx, v);
    return r && IntToDouble(cx, r, out);
  }
  return RaiseTypeError(cx, "must be real number, not %s", NameOf(cls)), false;
}

Str* ToStr(Context& cx, Value v, const char* what) {
  if (IsStr(v)) return v.as<Str>();
  RaiseTypeError(cx, "%s argument must be str, not %s", what, ClassName(cx, v));
  return nullptr;
}

}  // namespace tidepool::rt
