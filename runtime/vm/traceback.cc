// Frame objects, tracebacks, and how an exception is printed.
#include <cstdio>
#include <fstream>
#include <string>

#include "tidepool/object/isolate.h"
#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/lang/anchors.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/class_internal.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/exception.h"
#include "tidepool/runtime/vm/frame.h"
#include "tidepool/runtime/vm/generator.h"
#include "tidepool/runtime/vm/import.h"
#include "tidepool/runtime/vm/protocol.h"
#include "tidepool/runtime/vm/traceback.h"

#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace tidepool::rt {

// ---- frame objects ---------------------------------------------------------------------------------------------

FrameObject* GetFrameObject(Context& cx, Frame* f) {
  if (f->object != nullptr) return f->object;
  Ref r = NewInstance(cx, cx.rt.cls.frame, f->code->num_slots * sizeof(Slot));
  if (!r) return nullptr;
  FrameObject* o = r.as<FrameObject>();
  o->live = f;
  o->code = f->code;
  o->num_slots = f->code->num_slots;
  InitSlot(o->func, Ref::New(f->func));
  TrackNew(o);
  f->object = o;
  return static_cast<FrameObject*>(r.release().object());
}

void ReleaseFrameObject(Context& cx, Frame* f) {
  FrameObject* o = f->object;
  f->object = nullptr;
  if (!IsUniquelyReferenced(o)) {
    if (f->prev != nullptr && f->generator == nullptr) {
      // Whoever keeps the frame can still ask who called it.
      PendingScope pending(cx);
      FrameObject* back = GetFrameObject(cx, f->prev);
      if (back != nullptr) {
        StoreSlot(o, o->back, Ref::New(back));
      } else {
        cx.ClearException();
      }
    }
    for (uint32_t i = 0; i < f->code->num_slots; i++) {
      o->locals[i].store(f->slots[i].bits(), kRelease);  // pairs with LoadSlot's acquire
      f->slots[i] = Value();
    }
  }
  {
    ObjectLock lock(cx.ts, o);
    o->last_pc = f->pc;
    o->live = nullptr;
  }
  Decref(cx.ts, o);
}

namespace {

// The frame, if this thread runs it (or waits in it).
Frame* OwnFrame(Context& cx, const FrameObject* f) {
  for (Frame* g = cx.frame; g != nullptr; g = g->prev) {
    if (g->object == f) return g;
  }
  return nullptr;
}

}  // namespace

const uint32_t* FramePc(Context& cx, FrameObject* f) {
  if (Frame* own = OwnFrame(cx, f)) return own->pc;
  // Another thread's, or a suspended generator's: they write without a lock, so they stand still for it.
  StopScope stop(cx.ts);
  return f->live != nullptr ? f->live->pc : f->last_pc;
}

namespace {

// The generator whose frame this is, if it is alive. The lock keeps the frame, and with it the generator, from going.
Ref GeneratorOf(Context& cx, FrameObject* f) {
  ObjectLock lock(cx.ts, f);
  if (f->live == nullptr || f->live->generator == nullptr || !TryIncref(f->live->generator)) return Ref();
  return Ref::Steal(f->live->generator);
}

void VisitFrameObject(Object* o, SlotVisitor& v) {
  FrameObject* f = static_cast<FrameObject*>(o);
  v.Visit(f->func);
  v.Visit(f->back);
  for (size_t i = 0; i < f->num_slots; i++) v.Visit(f->locals[i]);
}
void ClearLocals(FrameObject* f) {
  for (size_t i = 0; i < f->num_slots; i++) StoreSlot(f, f->locals[i], Ref());
}
void ClearFrameObject(Context&, Object* o) {
  FrameObject* f = static_cast<FrameObject*>(o);
  ClearLocals(f);
  StoreSlot(o, f->back, Ref());
}
void DestroyFrameObject(Context& cx, Object* o) {
  FrameObject* f = static_cast<FrameObject*>(o);
  for (size_t i = 0; i < f->num_slots; i++) DecrefValue(cx.ts, PeekSlot(f->locals[i]));
  DecrefValue(cx.ts, PeekSlot(f->back));
  DecrefValue(cx.ts, PeekSlot(f->func));
}
Ref FrameCode(Context&, Value self) { return Ref::New(self.as<FrameObject>()->code); }
Ref FrameLineno(Context& cx, Value self) {
  FrameObject* f = self.as<FrameObject>();
  return Ref::Small(LineAt(f->code, FramePc(cx, f)));
}
Ref FrameLasti(Context& cx, Value self) {
  FrameObject* f = self.as<FrameObject>();
  return Ref::Small(2 * (FramePc(cx, f) - f->code->words));
}
Ref FrameBuiltins(Context& cx, Value) { return Ref::New(cx.rt.builtins); }
Ref FrameGlobals(Context& cx, Value self) {
  Ref f = LoadSlot(self.object(), self.as<FrameObject>()->func);
  return f ? LoadSlot(f.get().object(), f.as<Function>()->globals) : cx.NoneRef();
}
Ref FrameBack(Context& cx, Value self) {
  FrameObject* f = self.as<FrameObject>();
  // Only the thread that runs the frame can follow its chain.
  Frame* own = OwnFrame(cx, f);
  if (own != nullptr) {
    if (own->prev == nullptr) return cx.NoneRef();
    FrameObject* back = GetFrameObject(cx, own->prev);
    return back == nullptr ? Ref() : Ref::New(back);
  }
  Ref back = LoadSlot(f, f->back);
  return back ? std::move(back) : cx.NoneRef();
}
// Adds a local variable to the dict, by what its slot holds.
bool AddLocal(Context& cx, Dict* d, const Code* code, size_t i, Ref v) {
  if (!v || code->unit->slots[i].name[0] == '.') return true;
  if (code->unit->slots[i].kind != lang::SlotKind::kLocal && Is<Cell>(v.get())) {
    v = LoadSlot(v.get().object(), v.as<Cell>()->value);
    if (!v) return true;
  }
  return DictSetStr(cx, d, code->slot_names[i], v);
}
Ref FrameLocals(Context& cx, Value self) {
  FrameObject* f = self.as<FrameObject>();
  if ((f->code->flags & lang::kModule) != 0) {
    Ref func = LoadSlot(f, f->func);
    return LoadSlot(func.get().object(), func.as<Function>()->globals);
  }
  Frame* live = OwnFrame(cx, f);
  if (live != nullptr && !live->ns.is_null()) return Ref::New(live->ns);
  Ref d = NewDict(cx);
  if (!d) return Ref();
  if (live == nullptr) {
    Ref g = GeneratorOf(cx, f);
    if (g) {
      GeneratorHold hold(cx, g.as<Generator>());
      for (size_t i = 0; hold.ok() && i < f->num_slots; i++) {
        if (!AddLocal(cx, d.as<Dict>(), f->code, i, Ref::New(g.as<Generator>()->frame.slots[i]))) return Ref();
      }
      return d;
    }
  }
  for (size_t i = 0; i < f->num_slots; i++) {
    // Of a frame that another thread runs there is nothing to see: the slots are empty until it ends.
    Ref v = live != nullptr ? Ref::New(live->slots[i]) : LoadSlot(f, f->locals[i]);
    if (!AddLocal(cx, d.as<Dict>(), f->code, i, std::move(v))) return Ref();
  }
  return d;
}
Ref FrameClear(Context& cx, Value self, const Args&) {
  FrameObject* f = self.as<FrameObject>();
  if (OwnFrame(cx, f) != nullptr) return RaiseRuntimeError(cx, "cannot clear an executing frame");
  Ref g = GeneratorOf(cx, f);
  if (g) return GeneratorClose(cx, g.as<Generator>()) ? cx.NoneRef() : Ref();
  {
    ObjectLock lock(cx.ts, f);
    if (f->live != nullptr) return RaiseRuntimeError(cx, "cannot clear an executing frame");
  }
  ClearLocals(f);
  return cx.NoneRef();
}
const GetSetDef kFrameGetSet[] = {{"f_code", FrameCode, nullptr},     {"f_lineno", FrameLineno, nullptr}, {"f_globals", FrameGlobals, nullptr},
                                  {"f_lasti", FrameLasti, nullptr},   {"f_builtins", FrameBuiltins, nullptr},
                                  {"f_back", FrameBack, nullptr},     {"f_locals", FrameLocals, nullptr}, {nullptr, nullptr, nullptr}};
const MethodDef kFrameMethods[] = {{"clear", FrameClear, 0, 0}, {}};
const NativeType kFrameType = {
    .name = "frame", .layout = Layout::kFrame, .size = sizeof(FrameObject), .flags = kTypeHasRefs | kTypeVarSized | kTypeTrackLater,
    .methods = kFrameMethods, .getset = kFrameGetSet, .traverse = VisitFrameObject, .clear = ClearFrameObject, .destroy = DestroyFrameObject};

// ---- tracebacks ------------------------------------------------------------------------------------------------

void VisitTraceback(Object* o, SlotVisitor& v) {
  v.Visit(static_cast<Traceback*>(o)->next);
  v.Visit(static_cast<Traceback*>(o)->frame);
}
void ClearTraceback(Context&, Object* o) {
  StoreSlot(o, static_cast<Traceback*>(o)->next, Ref());
  StoreSlot(o, static_cast<Traceback*>(o)->frame, Ref());
}
void DestroyTraceback(Context& cx, Object* o) {
  DecrefValue(cx.ts, PeekSlot(static_cast<Traceback*>(o)->next));
  DecrefValue(cx.ts, PeekSlot(static_cast<Traceback*>(o)->frame));
}
Ref TracebackLine(Context& cx, Value self) {
  Ref f = LoadSlot(self.object(), self.as<Traceback>()->frame);
  return f ? Ref::Small(LineAt(f.as<FrameObject>()->code, self.as<Traceback>()->pc)) : cx.NoneRef();
}
Ref TracebackNext(Context& cx, Value self) {
  Ref next = LoadSlot(self.object(), self.as<Traceback>()->next);
  return next ? std::move(next) : cx.NoneRef();
}
bool SetTracebackNext(Context& cx, Value self, Value v) {
  if (v.is_null()) return RaiseTypeError(cx, "can't delete tb_next attribute"), false;
  if (v == cx.None()) {
    StoreSlot(self.object(), self.as<Traceback>()->next, Ref());
    return true;
  }
  if (!Is<Traceback>(v)) return RaiseTypeError(cx, "expected traceback object or None, got '%s'", ClassName(cx, v)), false;
  for (Ref t = Ref::New(v); t; t = LoadSlot(t.get().object(), t.as<Traceback>()->next)) {
    if (t.get() == self) return RaiseValueError(cx, "traceback loop detected"), false;
  }
  StoreSlot(self.object(), self.as<Traceback>()->next, Ref::New(v));
  return true;
}
const GetSetDef kTracebackGetSet[] = {
    {"tb_lineno", TracebackLine, nullptr}, {"tb_next", TracebackNext, SetTracebackNext}, {nullptr, nullptr, nullptr}};
const MemberDef kTracebackMembers[] = {
    {"tb_frame", offsetof(Traceback, frame), true, true}, {nullptr, 0, false, false}};
const NativeType kTracebackType = {
    .name = "traceback", .layout = Layout::kTraceback, .size = sizeof(Traceback), .flags = kTypeHasRefs | kTypeTrackLater,
    .getset = kTracebackGetSet, .members = kTracebackMembers, .traverse = VisitTraceback, .clear = ClearTraceback, .destroy = DestroyTraceback};

}  // namespace

bool InitTracebackTypes(Context& cx) {
  cx.rt.cls.frame = DefineType(cx, kFrameType);
  cx.rt.cls.traceback = DefineType(cx, kTracebackType);
  return cx.rt.cls.frame != nullptr && cx.rt.cls.traceback != nullptr;
}

void AddTraceback(Context& cx, Frame* f) {
  Value pending = cx.exception();
  if (pending == cx.rt.memory_error) return;
  Ref e = cx.TakeException();
  Exception* x = e.as<Exception>();
  FrameObject* o = GetFrameObject(cx, f);
  Ref t = o == nullptr ? Ref() : NewInstance(cx, cx.rt.cls.traceback);
  if (t) {
    Traceback* tb = t.as<Traceback>();
    tb->pc = f->pc;
    InitSlot(tb->frame, Ref::New(o));
    InitSlot(tb->next, LoadSlot(x, x->traceback));
    TrackNew(tb);
    StoreSlot(x, x->traceback, std::move(t));
  }
  cx.SetException(std::move(e));  // also if there was no memory for the entry
}

// ---- printing ----------------------------------------------------------------------------------------------------

namespace {

std::string SourceLine(const std::string& file, uint32_t line) {
  std::ifstream in(file);
  std::string text;
  for (uint32_t i = 0; i < line; i++) {
    if (!std::getline(in, text)) return "";
  }
  return text;
}

// Columns are bytes; carets are one per character.
size_t Characters(const std::string& s, size_t from, size_t to) {
  size_t n = 0;
  for (size_t i = from; i < to && i < s.size(); i++) n += (s[i] & 0xc0) != 0x80;
  return n;
}

// The operator of a binary operation or the brackets of a subscript get ^, the rest ~, as CPython 3.11 marks them. A range that
// goes on to other lines is marked to the end of this one; one that is the whole line is not marked.
void AppendCarets(std::string* out, const std::string& line, size_t indent, const lang::Position& p) {
  if (p.line == 0) return;
  const size_t last = line.find_last_not_of(" \t\r");
  const size_t stop = last == std::string::npos ? 0 : last + 1;
  const size_t to = p.end_line == p.line ? p.end_col : stop;
  if (to <= p.col || to > line.size()) return;
  uint32_t start = 0, end = 0;
  const std::string segment = line.substr(p.col, to - p.col);
  const bool anchored = p.end_line == p.line && lang::FindOperator(segment, &start, &end);
  if (!anchored && p.col <= indent && to >= stop) return;
  *out += "    " + std::string(Characters(line, indent, p.col), ' ');
  if (anchored) {
    *out += std::string(Characters(segment, 0, start), '~') + std::string(Characters(segment, start, end), '^') +
            std::string(Characters(segment, end, segment.size()), '~');
  } else {
    *out += std::string(Characters(segment, 0, segment.size()), '^');
  }
  *out += "\n";
}

void AppendEntry(std::string* out, const FrameObject* f, const uint32_t* pc) {
  const Code* code = f->code;
  const lang::Position p = code->unit->PositionAt(static_cast<uint32_t>(pc - code->words));
  const std::string file = ToUtf8(code->filename);
  *out += "  File \"" + file + "\", line " + std::to_string(p.line) + ", in " + ToUtf8(code->name) + "\n";
  const std::string line = SourceLine(file, p.line);
  const size_t indent = line.find_first_not_of(" \t\f");
  if (indent == std::string::npos) return;
  *out += "    " + line.substr(indent, line.find_last_not_of(" \t\r\n") - indent + 1) + "\n";
  AppendCarets(out, line, indent, p);
}

void AppendTraceback(std::string* out, Exception* e) {
  Ref tb = LoadSlot(e, e->traceback);
  if (!tb) return;
  *out += "Traceback (most recent call last):\n";
  std::string last, entry;
  int repeats = 0;
  auto flush = [&] {
    if (repeats > 3) {
      *out += "  [Previous line repeated " + std::to_string(repeats - 3) + " more time" + (repeats > 4 ? "s" : "") + "]\n";
    }
  };
  while (tb) {
    Traceback* t = tb.as<Traceback>();
    Ref frame = LoadSlot(t, t->frame);
    if (frame) {
      entry.clear();
      AppendEntry(&entry, frame.as<FrameObject>(), t->pc);
      if (entry == last) {
        repeats++;
      } else {
        flush();
        last = entry;
        repeats = 1;
      }
      if (repeats <= 3) *out += entry;
    }
    tb = LoadSlot(t, t->next);
  }
  flush();
}

std::string QualifiedClassName(Class* cls) {
  const std::string prefix = ModulePrefix(cls);
  return (prefix == "__main__." ? "" : prefix) + Qualname(cls);
}

void AppendSyntaxError(Context& cx, std::string* out, Value v) {
  Str* key = Intern(cx, "_tidepool_report");
  Ref info = key != nullptr ? GetAttrOptional(cx, v, key) : Ref();
  if (cx.has_exception()) cx.ClearException();
  if (info && IsStr(info)) *out += ToUtf8(info.as<Str>());
}

// What add_note() has left.
void AppendNotes(Context& cx, std::string* out, Value v) {
  Str* key = Intern(cx, "__notes__");
  Ref notes = key != nullptr ? GetAttrOptional(cx, v, key) : Ref();
  if (notes && Is<List>(notes.get())) {
    for (int64_t i = 0;; i++) {
      Ref note = ListGet(cx, notes.as<List>(), i);
      if (!note) break;
      *out += Text(cx, note) + "\n";
    }
  }
  if (cx.has_exception()) cx.ClearException();
}

// An exception group is drawn by the module traceback. False: it is none, or that failed; nothing is pending.
bool AppendGroup(Context& cx, std::string* out, Value v) {
  Str* module = Intern(cx, "_exception_group");
  Str* name = Intern(cx, "BaseExceptionGroup");
  Str* draw = Intern(cx, "_group_text");
  Ref found, group;
  if (module != nullptr && name != nullptr && draw != nullptr && DictGetStr(cx, cx.rt.modules, module, &found) == 1 &&
      DictGetStr(cx, cx.rt.builtins, name, &group) == 1 && IsClass(group) && IsInstance(cx, v, group.as<Class>())) {
    Ref traceback = ImportModule(cx, "traceback");
    Ref text = traceback ? CallMethod(cx, traceback, draw, v) : Ref();
    if (text && IsStr(text)) {
      *out += ToUtf8(text.as<Str>());
      return true;
    }
  }
  cx.ClearException();
  return false;
}

void AppendException(Context& cx, std::string* out, Value v, int depth) {
  Exception* e = v.as<Exception>();
  if (depth < 50) {
    Ref cause = LoadSlot(e, e->cause);
    Ref context = LoadSlot(e, e->context);
    if (cause) {
      AppendException(cx, out, cause, depth + 1);
      *out += "\nThe above exception was the direct cause of the following exception:\n\n";
    } else if (context && e->suppress_context.load(kRelaxed) == 0) {
      AppendException(cx, out, context, depth + 1);
      *out += "\nDuring handling of the above exception, another exception occurred:\n\n";
    }
  }
  if (AppendGroup(cx, out, v)) return;
  AppendTraceback(out, e);
  if (IsInstance(cx, v, cx.rt.exc.SyntaxError)) {
    const size_t before = out->size();
    AppendSyntaxError(cx, out, v);
    if (out->size() != before) return;
  }
  *out += QualifiedClassName(ClassOf(cx, v));
  Ref text = ToString(cx, v);
  if (!text) {
    cx.ClearException();
    *out += ": <exception str() failed>\n";
    return;
  }
  const std::string s = ToUtf8(text.as<Str>());
  if (!s.empty()) *out += ": " + s;
  *out += "\n";
  AppendNotes(cx, out, v);
}

}  // namespace

std::string FrameEntry(const FrameObject* f, const uint32_t* pc) {
  std::string out;
  AppendEntry(&out, f, pc);
  return out;
}

std::string FormatException(Context& cx, Value exception) {
  PendingScope pending(cx);
  std::string out;
  AppendException(cx, &out, exception, 0);
  return out;
}

void PrintException(Context& cx, Value exception) {
  Ref taken;
  if (exception.is_null()) {
    taken = cx.TakeException();
    exception = taken;
    if (exception.is_null()) return;
  }
  WriteStderr(cx, FormatException(cx, exception));
}

void WriteUnraisable(Context& cx, Value where, const char* what) {
  Ref e = cx.TakeException();
  if (!e) return;
  std::string text = what != nullptr ? std::string(what) : "Exception ignored in";
  if (!where.is_null()) text += ": " + ReprText(cx, where);
  text += "\n" + FormatException(cx, e);
  WriteStderr(cx, text);
}

std::string Text(Context& cx, Value v) {
  PendingScope pending(cx);
  Ref r = ToString(cx, v);
  if (r && IsStr(r)) return ToUtf8(r.as<Str>());
  cx.ClearException();
  return "<?>";
}

std::string ReprText(Context& cx, Value v) {
  PendingScope pending(cx);
  Ref r = Repr(cx, v);
  if (r && IsStr(r)) return ToUtf8(r.as<Str>());
  cx.ClearException();
  return "<?>";
}

bool AppendText(Context& cx, std::string* out, Value v) {
  Ref r = ToString(cx, v);
  if (r) *out += ToUtf8(r.as<Str>());
  return static_cast<bool>(r);
}

bool AppendRepr(Context& cx, std::string* out, Value v) {
  Ref r = Repr(cx, v);
  if (r) *out += ToUtf8(r.as<Str>());
  return static_cast<bool>(r);
}

bool RaiseNativeStack(Context& cx) {
  Raise(cx, cx.rt.exc.RecursionError, "maximum recursion depth exceeded");
  return false;
}

}  // namespace tidepool::rt
