// Exception classes, raising, matching.
#include "tidepool/gc/collector.h"
#include "tidepool/runtime/vm/exception.h"

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/attrs.h"
#include "tidepool/runtime/vm/class_internal.h"
#include "tidepool/runtime/vm/protocol.h"
#include "tidepool/runtime/vm/traceback.h"

#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace tidepool::rt {
namespace {

Slot* const* Slots(Exception* e, Slot* (&out)[6]) {
  Slot* s[6] = {&e->args, &e->traceback, &e->cause, &e->context, &e->extra, &e->extra2};
  std::memcpy(out, s, sizeof s);
  return out;
}
void VisitException(Object* o, SlotVisitor& v) {
  Slot* s[6];
  Slots(static_cast<Exception*>(o), s);
  for (Slot* p : s) v.Visit(*p);
}
void ClearException(Context&, Object* o) {
  Slot* s[6];
  Slots(static_cast<Exception*>(o), s);
  for (Slot* p : s) StoreSlot(o, *p, Ref());
}
void DestroyException(Context& cx, Object* o) {
  Slot* s[6];
  Slots(static_cast<Exception*>(o), s);
  for (Slot* p : s) DecrefValue(cx.ts, PeekSlot(*p));
}

Ref ExceptionCreate(Context& cx, Class* cls, const Args& args) {
  Exception* e = NewNative<Exception>(cx, cls);
  if (e == nullptr) return Ref();
  Ref self = Ref::Steal(e);
  Ref t = NewTuple(cx, args.pos, args.npos);
  if (!t) return Ref();
  InitSlot(e->args, std::move(t));
  TrackNew(e);
  return self;
}

bool ExceptionInit(Context& cx, Value self, const Args& args) {
  if (!NoKeywords(cx, ClassName(cx, self), args)) return false;
  Exception* e = self.as<Exception>();
  Ref t = NewTuple(cx, args.pos, args.npos);
  if (!t) return false;
  StoreSlot(e, e->args, std::move(t));
  return true;
}

Ref ArgsOf(Exception* e) { return LoadSlot(e, e->args); }

Ref ExceptionStr(Context& cx, Value self) {
  Ref args = ArgsOf(self.as<Exception>());
  Tuple* t = args.as<Tuple>();
  if (t->length == 0) return Ref::New(cx.rt.names.empty);
  if (t->length == 1) return ToString(cx, t->items[0]);
  return ToString(cx, args);
}

Ref ExceptionRepr(Context& cx, Value self) {
  Ref args = ArgsOf(self.as<Exception>());
  Tuple* t = args.as<Tuple>();
  std::string name = ClassName(cx, self);
  if (t->length == 1) {
    Ref r = Repr(cx, t->items[0]);
    return r ? NewStr(cx, name + "(" + ToUtf8(r.as<Str>()) + ")") : Ref();
  }
  Ref r = Repr(cx, args);
  return r ? NewStr(cx, name + ToUtf8(r.as<Str>())) : Ref();
}

Ref GetArgs(Context&, Value self) { return ArgsOf(self.as<Exception>()); }
bool SetArgs(Context& cx, Value self, Value v) {
  if (v.is_null()) return RaiseTypeError(cx, "args may not be deleted"), false;
  Ref t = TupleFromIterable(cx, v);
  if (!t) return false;
  StoreSlot(self.object(), self.as<Exception>()->args, std::move(t));
  return true;
}
Ref OrNone(Context& cx, Ref v) { return v ? std::move(v) : cx.NoneRef(); }
Ref GetTraceback(Context& cx, Value self) { return OrNone(cx, LoadSlot(self.object(), self.as<Exception>()->traceback)); }
bool SetTraceback(Context& cx, Value self, Value v) {
  if (v.is_null() || (v != cx.None() && !Is<Traceback>(v))) return RaiseTypeError(cx, "__traceback__ must be a traceback or None"), false;
  StoreSlot(self.object(), self.as<Exception>()->traceback, v == cx.None() ? Ref() : Ref::New(v));
  return true;
}
bool SetLink(Context& cx, Value self, Slot& slot, Value v, const char* what) {
  if (v.is_null() || (v != cx.None() && !Is<Exception>(v))) {
    return RaiseTypeError(cx, "exception %s must be None or derive from BaseException", what), false;
  }
  StoreSlot(self.object(), slot, v == cx.None() ? Ref() : Ref::New(v));
  return true;
}
Ref GetCause(Context& cx, Value self) { return OrNone(cx, LoadSlot(self.object(), self.as<Exception>()->cause)); }
bool SetCause(Context& cx, Value self, Value v) {
  if (!SetLink(cx, self, self.as<Exception>()->cause, v, "cause")) return false;
  self.as<Exception>()->suppress_context.store(1, kRelaxed);
  return true;
}
Ref GetContext(Context& cx, Value self) { return OrNone(cx, LoadSlot(self.object(), self.as<Exception>()->context)); }
bool SetContext(Context& cx, Value self, Value v) { return SetLink(cx, self, self.as<Exception>()->context, v, "context"); }
Ref GetSuppress(Context& cx, Value self) { return cx.BoolRef(self.as<Exception>()->suppress_context.load(kRelaxed) != 0); }
bool SetSuppress(Context& cx, Value self, Value v) {
  const int t = v.is_null() ? 0 : IsTrue(cx, v);
  if (t < 0) return false;
  self.as<Exception>()->suppress_context.store(static_cast<uint8_t>(t), kRelaxed);
  return true;
}
Ref WithTraceback(Context& cx, Value self, const Args& args) {
  if (!SetTraceback(cx, self, args[0])) return Ref();
  return Ref::New(self);
}
Ref GetExceptionDict(Context& cx, Value self) { return InstanceDict(cx, self.object(), ClassOf(cx, self)); }
Ref Reduce(Context& cx, Value self, const Args&) {
  Ref args = ArgsOf(self.as<Exception>());
  return Pack(cx, ClassOf(cx, self), args);
}

Ref AddNote(Context& cx, Value self, const Args& args) {
  if (!IsStr(args[0])) return RaiseTypeError(cx, "note must be a str, not '%s'", ClassName(cx, args[0]));
  Str* name = Intern(cx, "__notes__");
  Ref notes = name == nullptr ? Ref() : GetAttrOptional(cx, self, name);
  if (!notes) {
    if (cx.has_exception()) return Ref();
    notes = NewList(cx);
    if (!notes || !SetAttr(cx, self, name, notes)) return Ref();
  }
  if (!Is<List>(notes.get())) return RaiseTypeError(cx, "Cannot add note: __notes__ is not a list");
  return ListAppend(cx, notes.as<List>(), args[0]) ? cx.NoneRef() : Ref();
}
const MethodDef kExceptionMethods[] = {{"add_note", AddNote, 1, 1}, {"with_traceback", WithTraceback, 1, 1}, {"__reduce__", Reduce, 0, 0}, {}};
const GetSetDef kExceptionGetSet[] = {{"args", GetArgs, SetArgs},
                                      {"__traceback__", GetTraceback, SetTraceback},
                                      {"__cause__", GetCause, SetCause},
                                      {"__context__", GetContext, SetContext},
                                      {"__suppress_context__", GetSuppress, SetSuppress},
                                      {"__dict__", GetExceptionDict, nullptr},
                                      {nullptr, nullptr, nullptr}};

// ---- particular classes ------------------------------------------------------------------------------------------

Ref Arg(Context& cx, Value self, size_t i) {
  Ref args = ArgsOf(self.as<Exception>());
  return i < args.as<Tuple>()->length ? Ref::New(args.as<Tuple>()->items[i]) : cx.NoneRef();
}
Ref StopIterationValue(Context& cx, Value self) { return Arg(cx, self, 0); }
Ref SystemExitCode(Context& cx, Value self) {
  Exception* e = self.as<Exception>();
  Ref extra = LoadSlot(e, e->extra);
  if (extra) return extra;
  Ref args = ArgsOf(e);
  const size_t n = args.as<Tuple>()->length;
  if (n == 0) return cx.NoneRef();
  return n == 1 ? Ref::New(args.as<Tuple>()->items[0]) : std::move(args);
}
bool SetSystemExitCode(Context&, Value self, Value v) {
  StoreSlot(self.object(), self.as<Exception>()->extra, Ref::New(v));
  return true;
}
Ref KeyErrorStr(Context& cx, Value self) {
  Ref args = ArgsOf(self.as<Exception>());
  if (args.as<Tuple>()->length == 1) return Repr(cx, args.as<Tuple>()->items[0]);
  return ExceptionStr(cx, self);
}
// OSError(errno, strerror, filename): args keeps two, the file name lies in `extra`.
Ref OsErrno(Context& cx, Value self) {
  Ref args = ArgsOf(self.as<Exception>());
  return args.as<Tuple>()->length >= 2 ? Ref::New(args.as<Tuple>()->items[0]) : cx.NoneRef();
}
Ref OsStrerror(Context& cx, Value self) {
  Ref args = ArgsOf(self.as<Exception>());
  return args.as<Tuple>()->length >= 2 ? Ref::New(args.as<Tuple>()->items[1]) : cx.NoneRef();
}
Ref OsFilename(Context& cx, Value self) { return OrNone(cx, LoadSlot(self.object(), self.as<Exception>()->extra)); }
bool OsInit(Context& cx, Value self, const Args& args) {
  if (!NoKeywords(cx, ClassName(cx, self), args)) return false;
  Exception* e = self.as<Exception>();
  const bool file = args.npos >= 3;
  Ref t = NewTuple(cx, args.pos, file ? 2 : args.npos);
  if (!t) return false;
  if (file) StoreSlot(e, e->extra, Ref::New(args[2]));
  StoreSlot(e, e->args, std::move(t));
  return true;
}
Class* OsClassFor(Context& cx, int error) {
  const ExceptionClasses& x = cx.rt.exc;
  switch (error) {
    case ENOENT: return x.FileNotFoundError;
    case EEXIST: return x.FileExistsError;
    case EACCES:
    case EPERM: return x.PermissionError;
    case EISDIR: return x.IsADirectoryError;
    case ENOTDIR: return x.NotADirectoryError;
    case EINTR: return x.InterruptedError;
    case EAGAIN:
    case EALREADY:
    case EINPROGRESS: return x.BlockingIOError;
    case EPIPE:
    case ESHUTDOWN: return x.BrokenPipeError;
    case ECONNABORTED: return x.ConnectionAbortedError;
    case ECONNREFUSED: return x.ConnectionRefusedError;
    case ECONNRESET: return x.ConnectionResetError;
    case ESRCH: return x.ProcessLookupError;
    case ECHILD: return x.ChildProcessError;
    case ETIMEDOUT: return x.TimeoutError;
    default: return x.OSError;
  }
}
Ref OsCreate(Context& cx, Class* cls, const Args& args) {
  if (cls == cx.rt.exc.OSError && args.npos >= 2 && args[0].is_small_int()) cls = OsClassFor(cx, static_cast<int>(args[0].small_int()));
  return ExceptionCreate(cx, cls, args);
}
Ref OsStr(Context& cx, Value self) {
  Ref args = ArgsOf(self.as<Exception>());
  Tuple* t = args.as<Tuple>();
  if (t->length < 2) return ExceptionStr(cx, self);
  std::string text = "[Errno ";
  if (!AppendText(cx, &text, t->items[0])) return Ref();
  text += "] ";
  if (!AppendText(cx, &text, t->items[1])) return Ref();
  Ref file = LoadSlot(self.object(), self.as<Exception>()->extra);
  if (file && file.get() != cx.None()) {
    text += ": ";
    if (!AppendRepr(cx, &text, file)) return Ref();
  }
  return NewStr(cx, text);
}
// Keyword `name` (and `path`, `obj`) of ImportError, AttributeError, NameError.
bool NamedInit(Context& cx, Value self, const Args& args) {
  Exception* e = self.as<Exception>();
  for (size_t i = 0; i < args.nkw; i++) {
    const std::string k = ToUtf8(args.KwName(i).as<Str>());
    if (k == "name") {
      StoreSlot(e, e->extra, Ref::New(args.kwvals[i]));
    } else if (k == "path" || k == "obj") {
      StoreSlot(e, e->extra2, Ref::New(args.kwvals[i]));
    } else {
      return RaiseTypeError(cx, "'%s' is an invalid keyword argument for %s()", k.c_str(), ClassName(cx, self)), false;
    }
  }
  Ref t = NewTuple(cx, args.pos, args.npos);
  if (!t) return false;
  StoreSlot(e, e->args, std::move(t));
  return true;
}
Ref NamedName(Context& cx, Value self) { return OrNone(cx, LoadSlot(self.object(), self.as<Exception>()->extra)); }
Ref NamedObj(Context& cx, Value self) { return OrNone(cx, LoadSlot(self.object(), self.as<Exception>()->extra2)); }
Ref ImportMsg(Context& cx, Value self) { return Arg(cx, self, 0); }
Ref SyntaxDetail(Context& cx, Value self, size_t i) {
  Ref d = Arg(cx, self, 1);
  Tuple* t = As<Tuple>(d);
  return t != nullptr && i < t->length ? Ref::New(t->items[i]) : cx.NoneRef();
}
Ref SyntaxMsg(Context& cx, Value self) { return Arg(cx, self, 0); }
Ref SyntaxFile(Context& cx, Value self) { return SyntaxDetail(cx, self, 0); }
Ref SyntaxLine(Context& cx, Value self) { return SyntaxDetail(cx, self, 1); }
Ref SyntaxOffset(Context& cx, Value self) { return SyntaxDetail(cx, self, 2); }
Ref SyntaxText(Context& cx, Value self) { return SyntaxDetail(cx, self, 3); }
Ref SyntaxStr(Context& cx, Value self) {
  Ref line = SyntaxLine(cx, self);
  Ref file = SyntaxFile(cx, self);
  Ref message = Arg(cx, self, 0);
  std::string text, name;
  if (!message || !AppendText(cx, &text, message)) return Ref();
  if (line.get() == cx.None()) return NewStr(cx, text);
  if (!AppendText(cx, &name, file)) return Ref();
  const size_t slash = name.rfind('/');
  if (slash != std::string::npos) name = name.substr(slash + 1);
  text += " (" + name + ", line ";
  if (!AppendText(cx, &text, line)) return Ref();
  return NewStr(cx, text + ")");
}

const GetSetDef kStopGetSet[] = {{"value", StopIterationValue, nullptr}, {nullptr, nullptr, nullptr}};
const GetSetDef kExitGetSet[] = {{"code", SystemExitCode, SetSystemExitCode}, {nullptr, nullptr, nullptr}};
const GetSetDef kOsGetSet[] = {{"errno", OsErrno, nullptr}, {"strerror", OsStrerror, nullptr}, {"filename", OsFilename, nullptr}, {nullptr, nullptr, nullptr}};
const GetSetDef kImportGetSet[] = {{"name", NamedName, nullptr}, {"path", NamedObj, nullptr}, {"msg", ImportMsg, nullptr}, {nullptr, nullptr, nullptr}};
const GetSetDef kAttrGetSet[] = {{"name", NamedName, nullptr}, {"obj", NamedObj, nullptr}, {nullptr, nullptr, nullptr}};
const GetSetDef kNameGetSet[] = {{"name", NamedName, nullptr}, {nullptr, nullptr, nullptr}};
const GetSetDef kSyntaxGetSet[] = {{"msg", SyntaxMsg, nullptr},       {"filename", SyntaxFile, nullptr}, {"lineno", SyntaxLine, nullptr},
                                   {"offset", SyntaxOffset, nullptr}, {"text", SyntaxText, nullptr},     {nullptr, nullptr, nullptr}};

struct TypeTable {
#define X(name, base) NativeType name;
  TIDEPOOL_EXCEPTIONS(X)
#undef X
};

// NativeTypes per Runtime, because they hold the base classes.
NativeType Describe(Context& cx, const char* name, Class* base) {
  (void)cx;
  NativeType t;
  t.name = name;
  t.layout = Layout::kException;
  t.size = sizeof(Exception);
  t.flags = kTypeHasRefs | kTypeHasDict | kTypeSubclassable | kTypeTrackLater;
  t.base = base;
  t.traverse = VisitException;
  t.clear = ClearException;
  t.destroy = DestroyException;
  const std::string n = name;
  if (n == "BaseException") {
    t.slots.create = ExceptionCreate;
    t.slots.init = ExceptionInit;
    t.slots.str = ExceptionStr;
    t.slots.repr = ExceptionRepr;
    t.methods = kExceptionMethods;
    t.getset = kExceptionGetSet;
  } else if (n == "StopIteration") {
    t.getset = kStopGetSet;
  } else if (n == "SystemExit") {
    t.getset = kExitGetSet;
  } else if (n == "KeyError") {
    t.slots.str = KeyErrorStr;
  } else if (n == "OSError") {
    t.slots.create = OsCreate;
    t.slots.init = OsInit;
    t.slots.str = OsStr;
    t.getset = kOsGetSet;
  } else if (n == "ImportError") {
    t.slots.init = NamedInit;
    t.getset = kImportGetSet;
  } else if (n == "AttributeError") {
    t.slots.init = NamedInit;
    t.getset = kAttrGetSet;
  } else if (n == "NameError") {
    t.slots.init = NamedInit;
    t.getset = kNameGetSet;
  } else if (n == "SyntaxError") {
    t.slots.str = SyntaxStr;
    t.getset = kSyntaxGetSet;
  }
  return t;
}

}  // namespace

bool InitExceptionTypes(Context& cx) {
  TypeTable& table = cx.rt.State<TypeTable>();
  ExceptionClasses& x = cx.rt.exc;
#define X(name, base)                                                       \
  table.name = Describe(cx, #name, x.base);                                 \
  x.name = DefineType(cx, table.name);                                      \
  if (x.name == nullptr) return false;                                      \
  x.name->flags |= Class::kIsException;
  TIDEPOOL_EXCEPTIONS(X)
#undef X
  Ref e = NewException(cx, x.MemoryError, nullptr, 0);
  if (!e) return false;
  SetImmortal(cx.ts, e.get().object());
  cx.rt.memory_error = e.release();
  return true;
}

// ---- raising ---------------------------------------------------------------------------------------------------------

Ref NewException(Context& cx, Class* cls, const Value* args, size_t n) {
  if ((cls->flags & Class::kPython) != 0) return Call(cx, cls, Args(args, n));
  return ExceptionCreate(cx, cls, Args(args, n));
}

Value HandledNow(Context& cx) {
  for (HandledException* h = cx.exc_info; h != nullptr; h = h->prev) {
    if (!h->value.is_null() && h->value != cx.None()) return h->value;
  }
  return Value();
}

void ChainContext(Context& cx, Exception* e) {
  Value handled = HandledNow(cx);
  if (handled.is_null() || handled == Value(e) || Value(e) == cx.rt.memory_error) return;
  if (PeekSlot(e->context) == handled) return;
  // If e already stands in the chain of the handled one, cut it out there (two-speed, as chains may be cyclic).
  Exception* o = handled.as<Exception>();
  Exception* slow = o;
  for (int step = 0;; step++) {
    Value next = PeekSlot(o->context);
    if (next.is_null()) break;
    if (next == Value(e)) {
      StoreSlot(o, o->context, Ref());
      break;
    }
    o = next.as<Exception>();
    if (o == slow) break;
    if ((step & 1) != 0) slow = PeekSlot(slow->context).as<Exception>();
  }
  StoreSlot(e, e->context, Ref::New(handled));
}

void ChainCause(Context& cx, Ref cause) {
  Exception* e = As<Exception>(cx.exception());
  if (e == nullptr) return;
  StoreSlot(e, e->cause, cause.Copy());
  StoreSlot(e, e->context, std::move(cause));
  e->suppress_context.store(1, kRelaxed);
}

namespace {

void SetRaised(Context& cx, Ref e) {
  ChainContext(cx, e.as<Exception>());
  cx.SetException(std::move(e));
}

Ref RaiseV(Context& cx, Class* cls, const char* format, va_list ap) {
  char small[512];
  va_list copy;
  va_copy(copy, ap);
  const int n = vsnprintf(small, sizeof small, format, ap);
  std::string text;
  if (n >= static_cast<int>(sizeof small)) {
    text.resize(static_cast<size_t>(n) + 1);
    vsnprintf(text.data(), text.size(), format, copy);
    text.resize(static_cast<size_t>(n));
  } else {
    text.assign(small, n < 0 ? 0 : static_cast<size_t>(n));
  }
  va_end(copy);
  Ref message = NewStr(cx, text);
  if (!message) return Ref();
  Value v = message;
  Ref e = NewException(cx, cls, &v, 1);
  if (e) SetRaised(cx, std::move(e));
  return Ref();
}

}  // namespace

#define RAISE_BODY(cls)                \
  va_list ap;                          \
  va_start(ap, format);                \
  Ref r = RaiseV(cx, cls, format, ap); \
  va_end(ap);                          \
  return r
Ref Raise(Context& cx, Class* cls, const char* format, ...) { RAISE_BODY(cls); }
Ref RaiseTypeError(Context& cx, const char* format, ...) { RAISE_BODY(cx.rt.exc.TypeError); }
Ref RaiseValueError(Context& cx, const char* format, ...) { RAISE_BODY(cx.rt.exc.ValueError); }
Ref RaiseIndexError(Context& cx, const char* format, ...) { RAISE_BODY(cx.rt.exc.IndexError); }
Ref RaiseRuntimeError(Context& cx, const char* format, ...) { RAISE_BODY(cx.rt.exc.RuntimeError); }
Ref RaiseOverflowError(Context& cx, const char* format, ...) { RAISE_BODY(cx.rt.exc.OverflowError); }
Ref RaiseZeroDivision(Context& cx, const char* format, ...) { RAISE_BODY(cx.rt.exc.ZeroDivisionError); }
#undef RAISE_BODY

Ref RaiseAttributeError(Context& cx, Value obj, Str* name) {
  std::string text;
  if (IsClass(obj)) {
    text = std::string("type object '") + NameOf(obj.as<Class>()) + "' has no attribute '" + ToUtf8(name) + "'";
  } else {
    text = std::string("'") + ClassName(cx, obj) + "' object has no attribute '" + ToUtf8(name) + "'";
  }
  Ref message = NewStr(cx, text);
  if (!message) return Ref();
  Value v = message;
  Ref e = NewException(cx, cx.rt.exc.AttributeError, &v, 1);
  if (!e) return Ref();
  InitSlot(e.as<Exception>()->extra, Ref::New(name));
  InitSlot(e.as<Exception>()->extra2, Ref::New(obj));
  SetRaised(cx, std::move(e));
  return Ref();
}

Ref RaiseKeyError(Context& cx, Value key) {
  Ref e = NewException(cx, cx.rt.exc.KeyError, &key, 1);
  if (e) SetRaised(cx, std::move(e));
  return Ref();
}

Ref RaiseMemoryError(Context& cx) {
  // ExceptionCreate comes back here if there is no memory for the exception; then the prepared one is pending.
  static thread_local bool nested = false;
  if (nested || cx.rt.exc.MemoryError == nullptr) {
    cx.SetException(Ref::New(cx.rt.memory_error));
    return Ref();
  }
  // Cycles may hold what is missing: the next safepoint collects, whatever the policy says.
  if (cx.rt.collector != nullptr && cx.rt.collector->enabled()) cx.rt.collector->RequestCollection(cx.ts, true);
  nested = true;
  Ref e = ExceptionCreate(cx, cx.rt.exc.MemoryError, Args());
  nested = false;
  if (e) SetRaised(cx, std::move(e));
  return Ref();
}

bool ReclaimMemory(Context& cx) {
  if (!PendingIs(cx, cx.rt.exc.MemoryError) || !cx.rt.collector->enabled()) return false;
  Ref e = cx.TakeException();
  HeapDomain& heap = cx.rt.isolate->heap();
  const uint64_t before = heap.LiveIn(~0u).bytes;
  cx.rt.collector->RequestCollection(cx.ts, true);  // as RaiseMemoryError did; it may have been served since
  cx.ts->Safepoint();
  if (heap.LiveIn(~0u).bytes < before && !cx.has_exception()) return true;
  if (!cx.has_exception()) cx.SetException(std::move(e));
  return false;
}

Ref RaiseOsError(Context& cx, int error, const char* path) {
  Ref text = NewStr(cx, strerror(error));
  if (!text) return Ref();
  Value v[] = {Value::Small(error), text};
  Ref e = NewException(cx, OsClassFor(cx, error), v, 2);
  if (!e) return Ref();
  if (path != nullptr) {
    Ref p = NewStr(cx, path);
    if (!p) return Ref();
    InitSlot(e.as<Exception>()->extra, std::move(p));
  }
  SetRaised(cx, std::move(e));
  return Ref();
}

Ref RaiseStopIteration(Context& cx, Value value) {
  Ref e = NewException(cx, cx.rt.exc.StopIteration, &value, value.is_null() ? 0 : 1);
  if (e) SetRaised(cx, std::move(e));
  return Ref();
}

void RaiseObject(Context& cx, Value v) {
  Ref e;
  if (IsClass(v) && IsSubclass(v.as<Class>(), cx.rt.exc.BaseException)) {
    e = Call(cx, v);
    if (!e) return;
    if (!Is<Exception>(e.get())) {
      RaiseTypeError(cx, "calling %s should have returned an instance of BaseException, not %s", NameOf(v.as<Class>()), ClassName(cx, e));
      return;
    }
  } else if (Is<Exception>(v)) {
    e = Ref::New(v);
  } else {
    RaiseTypeError(cx, "exceptions must derive from BaseException");
    return;
  }
  SetRaised(cx, std::move(e));
}

bool PendingIs(Context& cx, const Class* cls) { return cx.has_exception() && IsInstance(cx, cx.exception(), cls); }

bool ClearIf(Context& cx, const Class* cls) {
  if (!PendingIs(cx, cls)) return false;
  cx.ClearException();
  return true;
}

int ExceptionMatches(Context& cx, Value exc, Value type) {
  if (Tuple* t = As<Tuple>(type)) {
    int result = 0;
    for (size_t i = 0; i < t->length; i++) {
      const int r = ExceptionMatches(cx, exc, t->items[i]);
      if (r != 0) result = r;
      if (r < 0) return r;
    }
    return result;
  }
  if (!IsClass(type) || !IsSubclass(type.as<Class>(), cx.rt.exc.BaseException)) {
    return RaiseTypeError(cx, "catching classes that do not inherit from BaseException is not allowed"), -1;
  }
  return IsInstance(cx, exc, type.as<Class>());
}

}  // namespace tidepool::rt
