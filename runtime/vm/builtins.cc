// Module builtins: the functions.  Classes come from their own files and are entered here under their names.
#include "tidepool/runtime/vm/builtins.h"

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "tidepool/runtime/modules/file.h"
#include "tidepool/runtime/modules/modules.h"
#include "tidepool/runtime/objects/bytes.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/float.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/iterators.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/attrs.h"
#include "tidepool/runtime/vm/class_internal.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/exception.h"
#include "tidepool/runtime/vm/frame.h"
#include "tidepool/runtime/vm/interp_ops.h"
#include "tidepool/runtime/vm/module.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {

// ---- text ---------------------------------------------------------------------------------------------------------

Ref AsciiOf(Context& cx, Value v) {
  Str* s = v.as<Str>();
  if (s->ascii) return Ref::New(v);
  std::string out;
  const TextView text = s->view();
  for (size_t i = 0; i < s->length; i++) {
    const uint32_t c = text[i];
    char b[16];
    if (c < 0x80) {
      out += static_cast<char>(c);
      continue;
    }
    snprintf(b, sizeof b, c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x", c);
    out += b;
  }
  return NewStr(cx, out);
}

namespace {

Ref BuiltinRepr(Context& cx, Value, const Args& a) { return Repr(cx, a[0]); }
Ref BuiltinAscii(Context& cx, Value, const Args& a) {
  Ref r = Repr(cx, a[0]);
  return r ? AsciiOf(cx, r) : Ref();
}
Ref BuiltinFormat(Context& cx, Value, const Args& a) {
  if (a.npos > 1 && !IsStr(a[1])) return RaiseTypeError(cx, "format() argument 2 must be str, not %s", ClassName(cx, a[1]));
  return Format(cx, a[0], a.Get(1));
}
Ref BuiltinChr(Context& cx, Value, const Args& a) {
  int64_t c;
  if (!ToInt32(cx, a[0], &c)) return Ref();
  if (c < 0 || c > 0x10ffff) return RaiseValueError(cx, "chr() arg not in range(0x110000)");
  return StrFromChar(cx, static_cast<char32_t>(c));
}
Ref BuiltinOrd(Context& cx, Value, const Args& a) {
  size_t n;
  if (Str* s = As<Str>(a[0])) {
    n = s->length;
    if (n == 1) return Ref::Small(s->view()[0]);
  } else if (BufferView::Supports(a[0])) {
    BufferView b(cx);
    if (!b.Open(a[0])) return Ref();
    n = b.size();
    if (n == 1) return Ref::Small(static_cast<unsigned char>(b.data()[0]));
  } else {
    return RaiseTypeError(cx, "ord() expected string of length 1, but %s found", ClassName(cx, a[0]));
  }
  return RaiseTypeError(cx, "ord() expected a character, but string of length %zu found", n);
}
Ref InBase(Context& cx, Value v, int base) {
  Ref i = Index(cx, v);
  return i ? IntToStr(cx, i, base, true) : Ref();
}
Ref BuiltinHex(Context& cx, Value, const Args& a) { return InBase(cx, a[0], 16); }
Ref BuiltinOct(Context& cx, Value, const Args& a) { return InBase(cx, a[0], 8); }
Ref BuiltinBin(Context& cx, Value, const Args& a) { return InBase(cx, a[0], 2); }

// ---- print, input ----------------------------------------------------------------------------------------------------

Ref StandardFile(Context& cx, Str* name) {
  Ref sys;
  Str* key = Intern(cx, "sys");
  if (key == nullptr) return Ref();
  const int found = DictGetStr(cx, cx.rt.modules, key, &sys);
  if (found < 0) return Ref();
  if (found == 0) return RaiseRuntimeError(cx, "lost sys.%s", ToUtf8(name).c_str());
  Ref f = GetAttrOptional(cx, sys, name);
  if (!f && !cx.has_exception()) return RaiseRuntimeError(cx, "lost sys.%s", ToUtf8(name).c_str());
  return f;
}

bool WriteTo(Context& cx, Value file, Value text) {
  Str* s = text.as<Str>();
  if (IsTextFile(cx, file)) {
    if (s->ascii) return FileWrite(cx, file, AsciiView(s));
    const std::string utf8 = ToUtf8(s);
    return FileWrite(cx, file, utf8);
  }
  return static_cast<bool>(CallMethod(cx, file, cx.rt.names.write, text));
}

Ref BuiltinPrint(Context& cx, Value, const Args& args) {
  Value v[4];
  Args kw = args;
  kw.npos = 0;
  if (!ParseArgs(cx, "print", kw, {"*sep", "*end", "*file", "*flush"}, 0, v)) return Ref();
  for (int i = 0; i < 2; i++) {
    if (v[i].is_null() || v[i] == cx.None()) {
      v[i] = Value();
    } else if (!IsStr(v[i])) {
      return RaiseTypeError(cx, "%s must be None or a string, not %s", i == 0 ? "sep" : "end", ClassName(cx, v[i]));
    }
  }
  Ref file = v[2].is_null() || v[2] == cx.None() ? StandardFile(cx, cx.rt.names.stdout_) : Ref::New(v[2]);
  if (!file) return Ref();
  if (file.get() == cx.None()) return cx.NoneRef();
  if (IsTextFile(cx, file)) {
    // In one piece, so that lines of several threads do not mix.
    std::string out;
    for (size_t i = 0; i < args.npos; i++) {
      if (i > 0) out += v[0].is_null() ? std::string(" ") : ToUtf8(v[0].as<Str>());
      Ref s = ToString(cx, args[i]);
      if (!s) return Ref();
      if (s.as<Str>()->ascii) {
        out.append(AsciiView(s.as<Str>()));
      } else {
        out += ToUtf8(s.as<Str>());
      }
    }
    out += v[1].is_null() ? std::string("\n") : ToUtf8(v[1].as<Str>());
    if (!FileWrite(cx, file, out)) return Ref();
  } else {
    for (size_t i = 0; i < args.npos; i++) {
      if (i > 0) {
        Ref sep = v[0].is_null() ? NewStr(cx, " ") : Ref::New(v[0]);
        if (!sep || !WriteTo(cx, file, sep)) return Ref();
      }
      Ref s = ToString(cx, args[i]);
      if (!s || !WriteTo(cx, file, s)) return Ref();
    }
    Ref end = v[1].is_null() ? NewStr(cx, "\n") : Ref::New(v[1]);
    if (!end || !WriteTo(cx, file, end)) return Ref();
  }
  if (!v[3].is_null()) {
    const int flush = IsTrue(cx, v[3]);
    if (flush < 0 || (flush > 0 && !CallMethod(cx, file, cx.rt.names.flush))) return Ref();
  }
  return cx.NoneRef();
}

Ref BuiltinInput(Context& cx, Value, const Args& a) {
  if (a.npos > 0) {
    Ref out = StandardFile(cx, cx.rt.names.stdout_);
    Ref text = out ? ToString(cx, a[0]) : Ref();
    if (!text || !WriteTo(cx, out, text) || !CallMethod(cx, out, cx.rt.names.flush)) return Ref();
  }
  Ref in = StandardFile(cx, cx.rt.names.stdin_);
  Ref line = in ? CallMethod(cx, in, cx.rt.names.readline) : Ref();
  if (!line) return Ref();
  if (!IsStr(line)) return RaiseTypeError(cx, "object.readline() returned non-string");
  std::string text = ToUtf8(line.as<Str>());
  if (text.empty()) return Raise(cx, cx.rt.exc.EOFError, "EOF when reading a line");
  if (text.back() == '\n') text.pop_back();
  return NewStr(cx, text);
}

Ref BuiltinOpen(Context& cx, Value, const Args& args) { return OpenFile(cx, args); }

// ---- attributes ---------------------------------------------------------------------------------------------------------

Str* AttrName(Context& cx, Value v) {
  if (IsStr(v)) return Intern(cx, v);
  RaiseTypeError(cx, "attribute name must be string, not '%s'", ClassName(cx, v));
  return nullptr;
}
Ref BuiltinGetattr(Context& cx, Value, const Args& a) {
  Str* name = AttrName(cx, a[1]);
  if (name == nullptr) return Ref();
  if (a.npos < 3) return GetAttr(cx, a[0], name);
  Ref r = GetAttrOptional(cx, a[0], name);
  if (r || cx.has_exception()) return r;
  return Ref::New(a[2]);
}
Ref BuiltinHasattr(Context& cx, Value, const Args& a) {
  Str* name = AttrName(cx, a[1]);
  if (name == nullptr) return Ref();
  Ref r = GetAttrOptional(cx, a[0], name);
  if (!r && cx.has_exception()) return Ref();
  return cx.BoolRef(static_cast<bool>(r));
}
Ref BuiltinSetattr(Context& cx, Value, const Args& a) {
  Str* name = AttrName(cx, a[1]);
  return name != nullptr && SetAttr(cx, a[0], name, a[2]) ? cx.NoneRef() : Ref();
}
Ref BuiltinDelattr(Context& cx, Value, const Args& a) {
  Str* name = AttrName(cx, a[1]);
  return name != nullptr && SetAttr(cx, a[0], name, Value()) ? cx.NoneRef() : Ref();
}

// Adds the names of a dict to the set-like dict `to`.
bool MergeNames(Context& cx, Dict* to, Value from) {
  if (!Is<Dict>(from)) return true;
  size_t pos = 0;
  Ref k, v;
  while (DictNext(cx, from.as<Dict>(), &pos, &k, &v)) {
    if (!DictSet(cx, to, k, cx.None())) return false;
  }
  return true;
}

Ref CurrentLocals(Context& cx) {
  Frame* f = cx.frame;
  if (f == nullptr) return RaiseRuntimeError(cx, "no current frame");
  FrameObject* o = GetFrameObject(cx, f);
  return o == nullptr ? Ref() : GetAttr(cx, Value(o), "f_locals");
}
Ref BuiltinLocals(Context& cx, Value, const Args&) { return CurrentLocals(cx); }
Ref BuiltinGlobals(Context& cx, Value, const Args&) {
  return cx.frame == nullptr ? RaiseRuntimeError(cx, "no current frame") : Ref::New(cx.frame->globals);
}
Ref BuiltinVars(Context& cx, Value, const Args& a) {
  if (a.npos == 0) return CurrentLocals(cx);
  Ref r = GetAttrOptional(cx, a[0], cx.rt.names.dict);
  if (r || cx.has_exception()) return r;
  return RaiseTypeError(cx, "vars() argument must have __dict__ attribute");
}
Ref BuiltinDir(Context& cx, Value, const Args& a) {
  Ref list;
  if (a.npos == 0) {
    Ref d = CurrentLocals(cx);
    list = d ? ListFromIterable(cx, d) : Ref();
  } else {
    bool found;
    Ref r = CallSpecial(cx, a[0], cx.rt.names.dir, Args(), &found);
    list = r ? ListFromIterable(cx, r) : Ref();
  }
  if (!list || !ListSort(cx, list.as<List>(), Value(), false)) return Ref();
  return list;
}

// ---- objects ----------------------------------------------------------------------------------------------------------------

Ref BuiltinId(Context& cx, Value, const Args& a) {
  // A small number is no object: its id is its word.
  return NewIntUnsigned(cx, a[0].bits());
}
Ref BuiltinHash(Context& cx, Value, const Args& a) {
  int64_t h;
  return Hash(cx, a[0], &h) ? NewInt(cx, h) : Ref();
}
Ref BuiltinIsinstance(Context& cx, Value, const Args& a) {
  const int r = IsInstanceOf(cx, a[0], a[1]);
  return r < 0 ? Ref() : cx.BoolRef(r != 0);
}
Ref BuiltinIssubclass(Context& cx, Value, const Args& a) {
  const int r = IsSubclassOf(cx, a[0], a[1]);
  return r < 0 ? Ref() : cx.BoolRef(r != 0);
}
Ref BuiltinCallable(Context& cx, Value, const Args& a) { return cx.BoolRef(IsCallable(cx, a[0])); }
Ref BuiltinLen(Context& cx, Value, const Args& a) {
  const int64_t n = Len(cx, a[0]);
  return n < 0 ? Ref() : NewInt(cx, n);
}

// ---- numbers ----------------------------------------------------------------------------------------------------------------

Ref BuiltinAbs(Context& cx, Value, const Args& a) {
  if (a[0].is_small_int() && a[0].small_int() != kMinSmallInt) return Ref::Small(a[0].small_int() < 0 ? -a[0].small_int() : a[0].small_int());
  return Unary(cx, UnaryOp::kAbs, a[0]);
}
Ref BuiltinDivmod(Context& cx, Value, const Args& a) { return Binary(cx, BinaryOp::kDivMod, a[0], a[1]); }
Ref BuiltinPow(Context& cx, Value, const Args& args) {
  Value v[3];
  if (!ParseArgs(cx, "pow", args, {"base", "exp", "mod"}, 2, v)) return Ref();
  return Power(cx, v[0], v[1], v[2]);
}
Ref BuiltinRound(Context& cx, Value, const Args& args) {
  Value v[2];
  if (!ParseArgs(cx, "round", args, {"number", "ndigits"}, 1, v)) return Ref();
  bool found;
  const size_t n = v[1].is_null() || v[1] == cx.None() ? 0 : 1;
  Ref r = CallSpecial(cx, v[0], cx.rt.names.round, Args(v + 1, n), &found);
  if (!found) return RaiseTypeError(cx, "type %s doesn't define __round__ method", ClassName(cx, v[0]));
  return r;
}

// Adds small ints up, while the sum is one too.
struct SumSink : ItemSink {
  explicit SumSink(Ref* t) : ItemSink(Take), total(t) {}
  static bool Take(Context&, ItemSink* self, Value owned) {
    Ref& total = *static_cast<SumSink*>(self)->total;
    if (!owned.is_small_int() || !total.get().is_small_int()) return false;
    const int64_t sum = total.get().small_int() + owned.small_int();
    if (!FitsSmallInt(sum)) return false;
    total = Ref::Small(sum);
    return true;
  }
  Ref* total;
};

Ref BuiltinSum(Context& cx, Value, const Args& args) {
  Value v[2];
  if (!ParseArgs(cx, "sum", args, {"/iterable", "start"}, 1, v)) return Ref();
  if (!v[1].is_null()) {
    if (IsStr(v[1])) return RaiseTypeError(cx, "sum() can't sum strings [use ''.join(seq) instead]");
    if (Is<Bytes>(v[1])) return RaiseTypeError(cx, "sum() can't sum bytes [use b''.join(seq) instead]");
    if (Is<ByteArray>(v[1])) return RaiseTypeError(cx, "sum() can't sum bytearray [use b''.join(seq) instead]");
  }
  Ref total = v[1].is_null() ? Ref::Small(0) : Ref::New(v[1]);
  Ref it = Iter(cx, v[0]);
  if (!it) return Ref();
  SumSink sink(&total);
  for (;;) {
    Ref x = NextOrSink(cx, it, &sink);
    if (!x) return cx.has_exception() ? Ref() : std::move(total);
    if (total.get().is_small_int() && x.get().is_small_int()) {
      total = NewInt(cx, total.get().small_int() + x.get().small_int());
    } else if (Value::BothSmallFloats(total, x)) {
      total = NewFloat(cx, total.get().small_float() + x.get().small_float());
    } else {
      total = Binary(cx, BinaryOp::kAdd, total, x);
    }
    if (!total) return Ref();
  }
}

Ref MinMax(Context& cx, const Args& args, bool max) {
  const char* name = max ? "max" : "min";
  Value kw[2];
  Args k = args;
  k.npos = 0;
  if (!ParseArgs(cx, name, k, {"*key", "*default"}, 0, kw)) return Ref();
  if (args.npos == 0) return RaiseTypeError(cx, "%s expected at least 1 argument, got 0", name);
  if (args.npos > 1 && !kw[1].is_null()) {
    return RaiseTypeError(cx, "Cannot specify a default for %s() with multiple positional arguments", name);
  }
  const bool keyed = !kw[0].is_null() && kw[0] != cx.None();
  Ref best, best_key;
  auto consider = [&](Value item) {
    Ref key = keyed ? Call(cx, kw[0], item) : Ref::New(item);
    if (!key) return false;
    if (best) {
      const int better = CompareBool(cx, key, best_key, max ? CompareOp::kGt : CompareOp::kLt);
      if (better < 0) return false;
      if (better == 0) return true;
    }
    best = Ref::New(item);
    best_key = std::move(key);
    return true;
  };
  if (args.npos > 1) {
    for (size_t i = 0; i < args.npos; i++) {
      if (!consider(args[i])) return Ref();
    }
    return best;
  }
  if (!Iterate(cx, args[0], consider)) return Ref();
  if (best) return best;
  if (!kw[1].is_null()) return Ref::New(kw[1]);
  return RaiseValueError(cx, "%s() arg is an empty sequence", name);
}
Ref BuiltinMin(Context& cx, Value, const Args& args) { return MinMax(cx, args, false); }
Ref BuiltinMax(Context& cx, Value, const Args& args) { return MinMax(cx, args, true); }

// ---- iteration --------------------------------------------------------------------------------------------------------------

Ref BuiltinIter(Context& cx, Value, const Args& a) {
  if (a.npos == 1) return Iter(cx, a[0]);
  if (!IsCallable(cx, a[0])) return RaiseTypeError(cx, "iter(v, w): v must be callable");
  return NewCallableIterator(cx, a[0], a[1]);
}
Ref BuiltinNext(Context& cx, Value, const Args& a) {
  Class* cls = ClassOf(cx, a[0]);
  if (cls->slots.next == nullptr) return RaiseTypeError(cx, "'%s' object is not an iterator", NameOf(cls));
  Ref r = cls->slots.next(cx, a[0]);
  if (r) return r;
  if (a.npos > 1) {
    if (cx.has_exception() && !ClearIf(cx, cx.rt.exc.StopIteration)) return Ref();
    return Ref::New(a[1]);
  }
  if (!cx.has_exception()) RaiseStopIteration(cx, Value());
  return Ref();
}
// Takes the bool that does not decide.
struct AnyAllSink : ItemSink {
  explicit AnyAllSink(Value d) : ItemSink(Take), dull(d) {}
  static bool Take(Context&, ItemSink* self, Value owned) { return owned == static_cast<AnyAllSink*>(self)->dull; }
  Value dull;
};

Ref AnyAll(Context& cx, Value iterable, bool any) {
  Ref it = Iter(cx, iterable);
  if (!it) return Ref();
  AnyAllSink sink(cx.Bool(!any));
  for (;;) {
    Ref x = NextOrSink(cx, it, &sink);
    if (!x) return cx.has_exception() ? Ref() : cx.BoolRef(!any);
    const int t = IsTrue(cx, x);
    if (t < 0) return Ref();
    if ((t != 0) == any) return cx.BoolRef(any);
  }
}
Ref BuiltinAny(Context& cx, Value, const Args& a) { return AnyAll(cx, a[0], true); }
Ref BuiltinAll(Context& cx, Value, const Args& a) { return AnyAll(cx, a[0], false); }
Ref BuiltinSorted(Context& cx, Value, const Args& args) {
  Value v[3];
  if (args.npos > 1) return RaiseTypeError(cx, "sorted expected 1 argument, got %zu", args.npos);
  if (!ParseArgs(cx, args.npos == 1 ? "sort" : "sorted", args, {"/iterable", "*key", "*reverse"}, 1, v)) return Ref();
  int reverse = 0;
  if (!v[2].is_null() && (reverse = IsTrue(cx, v[2])) < 0) return Ref();
  Ref list = ListFromIterable(cx, v[0]);
  if (!list || !ListSort(cx, list.as<List>(), v[1], reverse != 0)) return Ref();
  return list;
}

}  // namespace

Ref DirOf(Context& cx, Value obj) {
  if (obj.is_null()) return RaiseRuntimeError(cx, "dir() of nothing");
  Ref names = NewDict(cx);
  if (!names) return Ref();
  Dict* d = names.as<Dict>();
  Class* cls = IsClass(obj) ? obj.as<Class>() : ClassOf(cx, obj);
  if (!IsClass(obj)) {
    Ref own = GetAttrOptional(cx, obj, cx.rt.names.dict);
    if (cx.has_exception() || (own && !MergeNames(cx, d, own))) return Ref();
    if (Is<Module>(obj)) return ListFromIterable(cx, names);
  }
  Tuple* mro = PeekSlot(cls->mro).as<Tuple>();
  for (size_t i = 0; i < mro->length; i++) {
    if (!MergeNames(cx, d, PeekSlot(mro->items[i].as<Class>()->dict))) return Ref();
  }
  return ListFromIterable(cx, names);
}

namespace {

// Bases that are no classes may stand for some (`Generic[T]`): __mro_entries__(bases) says which. Null: exception pending.
Ref ResolveBases(Context& cx, const Args& args, bool* changed) {
  Ref given = NewTuple(cx, args.pos, args.npos);
  if (!given) return given;
  *changed = false;
  for (size_t i = 0; i < args.npos; i++) *changed |= !IsClass(args[i]);
  if (!*changed) return given;
  *changed = false;
  Ref list = NewList(cx);
  if (!list) return list;
  for (size_t i = 0; i < args.npos; i++) {
    Ref hook = IsClass(args[i]) ? Ref() : GetAttrOptional(cx, args[i], cx.rt.names.mro_entries);
    if (cx.has_exception()) return Ref();
    if (!hook) {
      if (!ListAppend(cx, list.as<List>(), args[i])) return Ref();
      continue;
    }
    *changed = true;
    Ref entries = Call(cx, hook, given);
    if (!entries) return Ref();
    if (!Is<Tuple>(entries.get())) return RaiseTypeError(cx, "__mro_entries__ must return a tuple");
    if (!ListExtend(cx, list.as<List>(), entries)) return Ref();
  }
  return TupleFromIterable(cx, list);
}

// The mapping that the body's names go to.
Ref PrepareNamespace(Context& cx, Value meta, Value name, Value bases, const Args& keywords) {
  if (meta == Value(cx.rt.cls.type)) return NewDict(cx);
  Ref prepare = GetAttrOptional(cx, meta, cx.rt.names.prepare);
  if (!prepare) return cx.has_exception() ? Ref() : NewDict(cx);
  Value v[] = {name, bases};
  Args all = keywords;
  all.pos = v;
  all.npos = 2;
  Ref ns = Call(cx, prepare, all);
  if (ns && !Is<Dict>(ns.get())) {
    return RaiseTypeError(cx, "%s.__prepare__() must return a dict, not %s", IsClass(meta) ? NameOf(meta.as<Class>()) : "<metaclass>",
                          ClassName(cx, ns));
  }
  return ns;
}

}  // namespace

// __build_class__(body, name, *bases, **keywords)
Ref BuildClass(Context& cx, Value, const Args& args) {
  if (args.npos < 2 || !Is<Function>(args[0]) || !IsStr(args[1])) return RaiseTypeError(cx, "__build_class__: wrong arguments");
  Function* body = args[0].as<Function>();
  bool changed;
  Ref bases = ResolveBases(cx, args.Skip(2), &changed);
  if (!bases) return Ref();
  // Keywords without `metaclass`.
  Args rest;
  Ref rest_names;
  std::vector<Value> names, values;
  Value meta = args.nkw > 0 ? args.Keyword(cx.rt.names.metaclass) : Value();
  for (size_t i = 0; i < args.nkw; i++) {
    if (StrEqual(args.KwName(i).as<Str>(), cx.rt.names.metaclass)) continue;
    names.push_back(args.KwName(i));
    values.push_back(args.kwvals[i]);
  }
  if (!names.empty()) {
    rest_names = NewTuple(cx, names.data(), names.size());
    if (!rest_names) return Ref();
    rest.kwnames = rest_names.as<Tuple>();
    rest.kwvals = values.data();
    rest.nkw = names.size();
  }
  if (meta.is_null()) meta = cx.rt.cls.type;
  if (IsClass(meta) && IsSubclass(meta.as<Class>(), cx.rt.cls.type)) {
    Class* winner = WinningMetaclass(cx, meta.as<Class>(), bases.as<Tuple>());
    if (winner == nullptr) return Ref();
    meta = winner;
  }
  Ref ns = PrepareNamespace(cx, meta, args[1], bases, rest);
  if (!ns) return Ref();
  // Run the body with `ns` as its namespace.
  Incref(body);
  Frame* f = PushFrame(cx, body, cx.stack_top, 0, nullptr, kFrameEntry);
  if (f == nullptr) return Ref();
  f->ns = ns.Copy().release();
  Ref done = Interpret(cx);
  if (!done) return Ref();
  if (changed) {
    Ref given = NewTuple(cx, args.pos + 2, args.npos - 2);
    if (!given || !DictSetStr(cx, ns.as<Dict>(), cx.rt.names.orig_bases, given)) return Ref();
  }
  if (meta == Value(cx.rt.cls.type)) return NewClass(cx, cx.rt.cls.type, args[1].as<Str>(), bases, ns.as<Dict>(), &rest);
  Value v[] = {args[1], bases, ns};
  Args all = rest;
  all.pos = v;
  all.npos = 3;
  return Call(cx, meta, all);
}

namespace {

Ref Unsupported(Context& cx, const char* name) {
  return Raise(cx, cx.rt.exc.NotImplementedError, "%s() is not supported: code comes from whole source files only", name);
}
Ref BuiltinCompile(Context& cx, Value, const Args&) { return Unsupported(cx, "compile"); }
Ref BuiltinEval(Context& cx, Value, const Args&) { return Unsupported(cx, "eval"); }
Ref BuiltinExec(Context& cx, Value, const Args&) { return Unsupported(cx, "exec"); }

// __import__(name, globals, locals, fromlist, level)
Ref BuiltinImport(Context& cx, Value, const Args& args) {
  Value v[5];
  if (!ParseArgs(cx, "__import__", args, {"name", "globals", "locals", "fromlist", "level"}, 1, v)) return Ref();
  Str* name = ToStr(cx, v[0], "__import__()");
  if (name == nullptr || cx.frame == nullptr) return Ref();
  Str* interned = Intern(cx, name);
  if (interned == nullptr) return Ref();
  const int list = v[3].is_null() ? 0 : IsTrue(cx, v[3]);
  if (list < 0) return Ref();
  return ImportName(cx, cx.frame, interned, v[4].is_null() ? Value::Small(0) : v[4], list != 0 ? v[3] : cx.None());
}

Ref BuiltinAiter(Context& cx, Value, const Args& args) {
  bool found;
  Ref it = CallSpecial(cx, args[0], cx.rt.names.aiter, Args(), &found);
  if (!found) return RaiseTypeError(cx, "'%s' object is not an async iterable", ClassName(cx, args[0]));
  if (it && !LookupSpecial(cx, it, cx.rt.names.anext)) {
    return RaiseTypeError(cx, "aiter() returned not an async iterator of type '%s'", ClassName(cx, it));
  }
  return it;
}

Ref BuiltinAnext(Context& cx, Value, const Args& args) {
  bool found;
  Ref next = CallSpecial(cx, args[0], cx.rt.names.anext, Args(), &found);
  if (!found) return RaiseTypeError(cx, "'%s' object is not an async iterator", ClassName(cx, args[0]));
  if (args.npos == 1 || !next) return next;
  Ref module = ImportModule(cx, "_anext");
  Str* name = module ? Intern(cx, "with_default") : nullptr;
  return name != nullptr ? CallMethod(cx, module, name, next, args[1]) : Ref();
}

const MethodDef kFunctions[] = {
    {"__build_class__", BuildClass, 2, -1, kMethodKeywords},
    {"__import__", BuiltinImport, 1, -1, kMethodKeywords},
    {"abs", BuiltinAbs, 1, 1},
    {"aiter", BuiltinAiter, 1, 1},
    {"all", BuiltinAll, 1, 1},
    {"anext", BuiltinAnext, 1, 2},
    {"any", BuiltinAny, 1, 1},
    {"ascii", BuiltinAscii, 1, 1},
    {"bin", BuiltinBin, 1, 1},
    {"callable", BuiltinCallable, 1, 1},
    {"chr", BuiltinChr, 1, 1},
    {"compile", BuiltinCompile, 0, -1, kMethodKeywords},
    {"delattr", BuiltinDelattr, 2, 2},
    {"dir", BuiltinDir, 0, 1},
    {"divmod", BuiltinDivmod, 2, 2},
    {"eval", BuiltinEval, 0, -1, kMethodKeywords},
    {"exec", BuiltinExec, 0, -1, kMethodKeywords},
    {"exit", SysExit, 0, 1},  // not only for the prompt: in CPython too a script finds it
    {"format", BuiltinFormat, 1, 2},
    {"getattr", BuiltinGetattr, 2, 3},
    {"globals", BuiltinGlobals, 0, 0},
    {"hasattr", BuiltinHasattr, 2, 2},
    {"hash", BuiltinHash, 1, 1},
    {"hex", BuiltinHex, 1, 1},
    {"id", BuiltinId, 1, 1},
    {"input", BuiltinInput, 0, 1},
    {"isinstance", BuiltinIsinstance, 2, 2},
    {"issubclass", BuiltinIssubclass, 2, 2},
    {"iter", BuiltinIter, 1, 2},
    {"len", BuiltinLen, 1, 1},
    {"locals", BuiltinLocals, 0, 0},
    {"max", BuiltinMax, 0, -1, kMethodKeywords},
    {"min", BuiltinMin, 0, -1, kMethodKeywords},
    {"next", BuiltinNext, 1, 2},
    {"oct", BuiltinOct, 1, 1},
    {"open", BuiltinOpen, 0, -1, kMethodKeywords},
    {"ord", BuiltinOrd, 1, 1},
    {"pow", BuiltinPow, 0, -1, kMethodKeywords},
    {"print", BuiltinPrint, 0, -1, kMethodKeywords},
    {"quit", SysExit, 0, 1},
    {"repr", BuiltinRepr, 1, 1},
    {"round", BuiltinRound, 0, -1, kMethodKeywords},
    {"setattr", BuiltinSetattr, 3, 3},
    {"sorted", BuiltinSorted, 0, -1, kMethodKeywords},
    {"sum", BuiltinSum, 0, -1, kMethodKeywords},
    {"vars", BuiltinVars, 0, 1},
    {},
};

}  // namespace

bool InitBuiltins(Context& cx) {
  Ref m = NewModule(cx, "builtins");
  if (!m) return false;
  Module* mod = m.as<Module>();
  cx.rt.builtins = ModuleDict(mod);
  Ref name = NewStr(cx, "builtins");
  for (const MethodDef* d = kFunctions; d->name != nullptr; d++) {
    Ref function = NewNativeFunction(cx, d, m, name);
    if (!function) return false;
    SetImmortal(cx.ts, function.get().object());  // as their module is: none is ever garbage
    if (!AddToModule(cx, mod, d->name, std::move(function))) return false;
  }
  Ref build;
  Str* build_name = Intern(cx, "__build_class__");
  if (build_name == nullptr || DictGetStr(cx, cx.rt.builtins, build_name, &build) != 1) return false;
  cx.rt.build_class = build.release();
  const BuiltinClasses& c = cx.rt.cls;
  struct {
    const char* name;
    Class* cls;
  } classes[] = {{"object", c.object},   {"type", c.type},           {"int", c.int_},           {"bool", c.bool_},       {"float", c.float_},
                 {"str", c.str},         {"bytes", c.bytes},         {"bytearray", c.bytearray}, {"memoryview", c.memoryview}, {"list", c.list},
                 {"tuple", c.tuple},     {"dict", c.dict},           {"set", c.set},            {"frozenset", c.frozenset}, {"range", c.range},
                 {"slice", c.slice},     {"enumerate", c.enumerate}, {"zip", c.zip},            {"map", c.map},         {"filter", c.filter},
                 {"reversed", c.reversed}, {"property", c.property}, {"staticmethod", c.staticmethod}, {"classmethod", c.classmethod}, {"super", c.super}};
  for (const auto& k : classes) {
    if (k.cls != nullptr && !AddToModule(cx, mod, k.name, k.cls)) return false;
  }
#define X(name, base) \
  if (!AddToModule(cx, mod, #name, cx.rt.exc.name)) return false;
  TIDEPOOL_EXCEPTIONS(X)
#undef X
  if (!AddToModule(cx, mod, "EnvironmentError", cx.rt.exc.OSError) || !AddToModule(cx, mod, "IOError", cx.rt.exc.OSError)) return false;
  if (!AddToModule(cx, mod, "None", cx.NoneRef()) || !AddToModule(cx, mod, "True", cx.BoolRef(true)) || !AddToModule(cx, mod, "False", cx.BoolRef(false))) return false;
  if (!AddToModule(cx, mod, "Ellipsis", Ref::Steal(cx.rt.ellipsis)) || !AddToModule(cx, mod, "NotImplemented", cx.NotImplementedRef())) return false;
  if (!AddToModule(cx, mod, "__debug__", cx.BoolRef(true))) return false;
  SetImmortal(cx.ts, m.get().object());
  SetImmortal(cx.ts, cx.rt.builtins);
  Str* key = Intern(cx, "builtins");
  return key != nullptr && DictSetStr(cx, cx.rt.modules, key, m);
}

}  // namespace tidepool::rt
