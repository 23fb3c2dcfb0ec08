// Functions, bound methods, cells, native functions: the objects (calls are in call.cc).
#include "tidepool/runtime/vm/function.h"

#include <cstdio>
#include <vector>

#include "tidepool/object/isolate.h"
#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/int.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/object/weakref.h"
#include "tidepool/runtime/vm/attrs.h"
#include "tidepool/runtime/vm/class_internal.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/protocol.h"

#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace tidepool::rt {
namespace {

std::string Address(Value v) {
  char b[32];
  snprintf(b, sizeof b, "0x%012lx", static_cast<unsigned long>(v.bits()));
  return b;
}

// ---- Python functions ---------------------------------------------------------------------------------------

void VisitFunction(Object* o, SlotVisitor& v) {
  Function* f = static_cast<Function*>(o);
  for (Slot* s : {&f->globals, &f->closure, &f->name, &f->qualname, &f->defaults, &f->kwdefaults, &f->doc, &f->annotations, &f->module_name}) v.Visit(*s);
}
void ClearFunction(Context&, Object* o) {
  Function* f = static_cast<Function*>(o);
  // globals and closure stay: the code may still run while the cycle is taken apart.
  for (Slot* s : {&f->defaults, &f->kwdefaults, &f->doc, &f->annotations}) StoreSlot(o, *s, Ref());
}
void DestroyFunction(Context& cx, Object* o) {
  Function* f = static_cast<Function*>(o);
  for (Slot* s : {&f->closure, &f->name, &f->qualname, &f->defaults, &f->kwdefaults, &f->doc, &f->annotations, &f->module_name, &f->globals}) {
    DecrefValue(cx.ts, PeekSlot(*s));
  }
}
Ref FunctionGet(Context& cx, Value self, Value obj, Class*) { return obj.is_null() ? Ref::New(self) : NewBoundMethod(cx, self, obj); }
Ref FunctionSlotCall(Context& cx, Value self, const Args& args) { return CallFunction(cx, self.as<Function>(), args); }
Ref FunctionRepr(Context& cx, Value self) {
  Ref q = LoadSlot(self.object(), self.as<Function>()->qualname);
  return NewStr(cx, "<function " + ToUtf8(q.as<Str>()) + " at " + Address(self) + ">");
}
Ref FunctionCode(Context&, Value self) { return Ref::New(self.as<Function>()->code); }
bool SetFunctionCode(Context& cx, Value self, Value v) {
  if (v.is_null() || !Is<Code>(v)) return RaiseTypeError(cx, "__code__ must be set to a code object"), false;
  Function* f = self.as<Function>();
  if (f->code->num_free != v.as<Code>()->num_free) {
    Ref name = LoadSlot(f, f->name);
    return RaiseValueError(cx, "%s() requires a code object with %u free vars, not %u", ToUtf8(name.as<Str>()).c_str(), f->code->num_free,
                           v.as<Code>()->num_free), false;
  }
  // Callers read it without a lock, so everybody stands still. Running frames keep what they have; code is immortal.
  StopScope stop(cx.ts);
  f->code = v.as<Code>();
  return true;
}
bool SetText(Context& cx, Value self, Slot& slot, Value value, const char* what) {
  if (value.is_null() || !IsStr(value)) return RaiseTypeError(cx, "%s must be set to a string object", what), false;
  StoreSlot(self.object(), slot, Ref::New(value));
  return true;
}
Ref FunctionName(Context&, Value self) { return LoadSlot(self.object(), self.as<Function>()->name); }
bool SetFunctionName(Context& cx, Value self, Value v) { return SetText(cx, self, self.as<Function>()->name, v, "__name__"); }
Ref FunctionQualname(Context&, Value self) { return LoadSlot(self.object(), self.as<Function>()->qualname); }
bool SetFunctionQualname(Context& cx, Value self, Value v) { return SetText(cx, self, self.as<Function>()->qualname, v, "__qualname__"); }
Ref FunctionDefaults(Context& cx, Value self) {
  Ref r = LoadSlot(self.object(), self.as<Function>()->defaults);
  return r ? std::move(r) : cx.NoneRef();
}
bool SetFunctionDefaults(Context& cx, Value self, Value v) {
  if (v.is_null() || v == cx.None()) {
    StoreSlot(self.object(), self.as<Function>()->defaults, Ref());
    return true;
  }
  if (!Is<Tuple>(v)) return RaiseTypeError(cx, "__defaults__ must be set to a tuple object"), false;
  StoreSlot(self.object(), self.as<Function>()->defaults, Ref::New(v));
  return true;
}
Ref FunctionKwDefaults(Context& cx, Value self) {
  Ref r = LoadSlot(self.object(), self.as<Function>()->kwdefaults);
  return r ? std::move(r) : cx.NoneRef();
}
bool SetFunctionKwDefaults(Context& cx, Value self, Value v) {
  if (v.is_null() || v == cx.None()) {
    StoreSlot(self.object(), self.as<Function>()->kwdefaults, Ref());
    return true;
  }
  if (!Is<Dict>(v)) return RaiseTypeError(cx, "__kwdefaults__ must be set to a dict object"), false;
  StoreSlot(self.object(), self.as<Function>()->kwdefaults, Ref::New(v));
  return true;
}
Ref FunctionAnnotations(Context& cx, Value self) {
  Function* f = self.as<Function>();
  Ref r = LoadSlot(f, f->annotations);
  if (r && Is<Dict>(r.get())) return r;
  Ref d = NewDict(cx);
  if (!d) return Ref();
  if (r && Is<Tuple>(r.get())) {  // name, annotation, name, annotation ... as the compiler left them
    Tuple* t = r.as<Tuple>();
    for (size_t i = 0; i + 1 < t->length; i += 2) {
      if (!DictSet(cx, d.as<Dict>(), t->items[i], t->items[i + 1])) return Ref();
    }
  }
  StoreSlot(f, f->annotations, d.Copy());
  return d;
}
bool SetFunctionAnnotations(Context& cx, Value self, Value v) {
  if (!v.is_null() && v != cx.None() && !Is<Dict>(v)) return RaiseTypeError(cx, "__annotations__ must be set to a dict object"), false;
  StoreSlot(self.object(), self.as<Function>()->annotations, v.is_null() || v == cx.None() ? Ref() : Ref::New(v));
  return true;
}
Ref FunctionGlobals(Context&, Value self) { return LoadSlot(self.object(), self.as<Function>()->globals); }
Ref FunctionClosure(Context& cx, Value self) {
  Ref r = LoadSlot(self.object(), self.as<Function>()->closure);
  return r ? std::move(r) : cx.NoneRef();
}
Ref FunctionDict(Context& cx, Value self) { return InstanceDict(cx, self.object(), ClassOf(cx, self)); }
bool SetFunctionDict(Context& cx, Value self, Value v) {
  if (v.is_null()) return RaiseTypeError(cx, "cannot delete __dict__"), false;
  if (!Is<Dict>(v)) return RaiseTypeError(cx, "__dict__ must be set to a dictionary, not a '%s'", ClassName(cx, v)), false;
  return ReplaceInstanceDict(cx, self.object(), ClassOf(cx, self), v);
}
const GetSetDef kFunctionGetSet[] = {{"__code__", FunctionCode, SetFunctionCode},
                                     {"__name__", FunctionName, SetFunctionName},
                                     {"__qualname__", FunctionQualname, SetFunctionQualname},
                                     {"__defaults__", FunctionDefaults, SetFunctionDefaults},
                                     {"__kwdefaults__", FunctionKwDefaults, SetFunctionKwDefaults},
                                     {"__annotations__", FunctionAnnotations, SetFunctionAnnotations},
                                     {"__globals__", FunctionGlobals, nullptr},
                                     {"__closure__", FunctionClosure, nullptr},
                                     {"__dict__", FunctionDict, SetFunctionDict},
                                     {nullptr, nullptr, nullptr}};
const MemberDef kFunctionMembers[] = {{"__doc__", offsetof(Function, doc), false, true},
                                      {"__module__", offsetof(Function, module_name), false, true},
                                      {nullptr, 0, false, false}};

// ---- bound methods --------------------------------------------------------------------------------------------

void VisitMethod(Object* o, SlotVisitor& v) {
  v.Visit(static_cast<BoundMethod*>(o)->func);
  v.Visit(static_cast<BoundMethod*>(o)->self);
}
void ClearNothing(Context&, Object*) {}
void DestroyMethod(Context& cx, Object* o) {
  DecrefValue(cx.ts, PeekSlot(static_cast<BoundMethod*>(o)->func));
  DecrefValue(cx.ts, PeekSlot(static_cast<BoundMethod*>(o)->self));
}
Ref MethodCall(Context& cx, Value self, const Args& args) {
  BoundMethod* m = self.as<BoundMethod>();
  Value buffer[9];
  Value* v = args.npos < 8 ? buffer : static_cast<Value*>(AllocateRaw(cx, (args.npos + 1) * sizeof(Value)));
  if (v == nullptr) return Ref();
  v[0] = PeekSlot(m->self);
  for (size_t i = 0; i < args.npos; i++) v[i + 1] = args.pos[i];
  Args all = args;
  all.pos = v;
  all.npos = args.npos + 1;
  Ref r = Call(cx, PeekSlot(m->func), all);
  if (v != buffer) FreeRaw(cx, v);
  return r;
}
Ref MethodGetAttr(Context& cx, Value self, Str* name) {
  Ref own = LookupSpecial(cx, self, name);
  if (own && name != cx.rt.names.doc) return GenericGetAttr(cx, self, name);
  return GetAttr(cx, PeekSlot(self.as<BoundMethod>()->func), name);
}
Ref MethodRepr(Context& cx, Value self) {
  BoundMethod* m = self.as<BoundMethod>();
  Ref q = GetAttrOptional(cx, PeekSlot(m->func), cx.rt.names.qualname);
  if (cx.has_exception()) return Ref();
  Ref r = Repr(cx, PeekSlot(m->self));
  if (!r) return Ref();
  return NewStr(cx, "<bound method " + (q && IsStr(q) ? ToUtf8(q.as<Str>()) : std::string("?")) + " of " + ToUtf8(r.as<Str>()) + ">");
}
Ref MethodCompare(Context& cx, Value a, Value b, CompareOp op) {
  BoundMethod* y = As<BoundMethod>(b);
  if (y == nullptr || (op != CompareOp::kEq && op != CompareOp::kNe)) return cx.NotImplementedRef();
  BoundMethod* x = a.as<BoundMethod>();
  const int same = PeekSlot(x->self) == PeekSlot(y->self) ? Equal(cx, PeekSlot(x->func), PeekSlot(y->func)) : 0;
  if (same < 0) return Ref();
  return cx.BoolRef((same != 0) == (op == CompareOp::kEq));
}
bool MethodHash(Context& cx, Value self, int64_t* out) {
  BoundMethod* m = self.as<BoundMethod>();
  int64_t h;
  if (!Hash(cx, PeekSlot(m->func), &h)) return false;
  h ^= static_cast<int64_t>(PeekSlot(m->self).bits() >> 4);
  *out = h == -1 ? -2 : h;
  return true;
}
Ref MethodCreate(Context& cx, Class*, const Args& args) {
  if (!NoKeywords(cx, "method", args) || !CheckArgCount(cx, "method", args, 2, 2)) return Ref();
  if (!IsCallable(cx, args[0])) return RaiseTypeError(cx, "first argument must be callable");
  return NewBoundMethod(cx, args[0], args[1]);
}
const MemberDef kMethodMembers[] = {
    {"__func__", offsetof(BoundMethod, func), true, true}, {"__self__", offsetof(BoundMethod, self), true, true}, {nullptr, 0, false, false}};

// ---- cells ---------------------------------------------------------------------------------------------------------

void VisitCell(Object* o, SlotVisitor& v) { v.Visit(static_cast<Cell*>(o)->value); }
void ClearCell(Context&, Object* o) { StoreSlot(o, static_cast<Cell*>(o)->value, Ref()); }
void DestroyCell(Context& cx, Object* o) { DecrefValue(cx.ts, PeekSlot(static_cast<Cell*>(o)->value)); }
Ref CellContents(Context& cx, Value self) {
  Ref r = LoadSlot(self.object(), self.as<Cell>()->value);
  return r ? std::move(r) : RaiseValueError(cx, "Cell is empty");
}
bool SetCellContents(Context&, Value self, Value v) {
  StoreSlot(self.object(), self.as<Cell>()->value, Ref::New(v));
  return true;
}
Ref CellRepr(Context& cx, Value self) {
  Ref r = LoadSlot(self.object(), self.as<Cell>()->value);
  if (!r) return NewStr(cx, "<cell at " + Address(self) + ": empty>");
  return NewStr(cx, "<cell at " + Address(self) + ": " + ClassName(cx, r) + " object at " + Address(r) + ">");
}
const GetSetDef kCellGetSet[] = {{"cell_contents", CellContents, SetCellContents}, {nullptr, nullptr, nullptr}};

// ---- native functions ------------------------------------------------------------------------------------------------

void VisitNative(Object* o, SlotVisitor& v) {
  v.Visit(static_cast<NativeFunction*>(o)->self);
  v.Visit(static_cast<NativeFunction*>(o)->module_name);
}
void DestroyNative(Context& cx, Object* o) {
  DecrefValue(cx.ts, PeekSlot(static_cast<NativeFunction*>(o)->self));
  DecrefValue(cx.ts, PeekSlot(static_cast<NativeFunction*>(o)->module_name));
}
Ref NativeCall(Context& cx, Value self, const Args& args) {
  NativeFunction* f = self.as<NativeFunction>();
  return CallNative(cx, f->def, PeekSlot(f->self), args);
}
Ref NativeRepr(Context& cx, Value v) {
  NativeFunction* f = v.as<NativeFunction>();
  Value self = PeekSlot(f->self);
  if (self.is_null() || HasLayout(self, Layout::kModule)) return NewStr(cx, std::string("<built-in function ") + f->def->name + ">");
  return NewStr(cx, std::string("<built-in method ") + f->def->name + " of " + ClassName(cx, self) + " object at " + Address(self) + ">");
}
Ref NativeName(Context& cx, Value self) { return NewStr(cx, self.as<NativeFunction>()->def->name); }
Ref NativeQualname(Context& cx, Value v) {
  NativeFunction* f = v.as<NativeFunction>();
  Value self = PeekSlot(f->self);
  if (self.is_null() || HasLayout(self, Layout::kModule)) return NewStr(cx, f->def->name);
  return NewStr(cx, std::string(ShortName(IsClass(self) ? self.as<Class>() : ClassOf(cx, self))) + "." + f->def->name);
}
Ref NativeDoc(Context& cx, Value self) {
  const char* doc = self.as<NativeFunction>()->def->doc;
  return doc == nullptr ? cx.NoneRef() : NewStr(cx, doc);
}
Ref NativeCompare(Context& cx, Value a, Value b, CompareOp op) {
  NativeFunction* y = As<NativeFunction>(b);
  if (y == nullptr || (op != CompareOp::kEq && op != CompareOp::kNe)) return cx.NotImplementedRef();
  NativeFunction* x = a.as<NativeFunction>();
  const bool same = x->def == y->def && PeekSlot(x->self) == PeekSlot(y->self);
  return cx.BoolRef(same == (op == CompareOp::kEq));
}
bool NativeHash(Context&, Value self, int64_t* out) {
  NativeFunction* f = self.as<NativeFunction>();
  *out = static_cast<int64_t>((reinterpret_cast<uintptr_t>(f->def) >> 4) ^ (PeekSlot(f->self).bits() >> 4));
  if (*out == -1) *out = -2;
  return true;
}
const GetSetDef kNativeGetSet[] = {
    {"__name__", NativeName, nullptr}, {"__qualname__", NativeQualname, nullptr}, {"__doc__", NativeDoc, nullptr}, {nullptr, nullptr, nullptr}};
const MemberDef kNativeMembers[] = {{"__self__", offsetof(NativeFunction, self), true, true},
                                    {"__module__", offsetof(NativeFunction, module_name), true, true},
                                    {nullptr, 0, false, false}};

// ---- method descriptors -------------------------------------------------------------------------------------------------

Ref DescriptorCall(Context& cx, Value self, const Args& args) { return CallMethodDescriptor(cx, self.as<MethodDescriptor>(), args); }
Ref DescriptorGet(Context& cx, Value self, Value obj, Class* cls) {
  MethodDescriptor* d = self.as<MethodDescriptor>();
  if ((d->def->flags & kMethodClass) != 0) {
    Class* c = cls != nullptr ? cls : ClassOf(cx, obj);
    return NewNativeFunction(cx, d->def, c);
  }
  if (obj.is_null()) return Ref::New(self);
  if (!IsInstance(cx, obj, d->owner)) {
    return RaiseTypeError(cx, "descriptor '%s' for '%s' objects doesn't apply to a '%s' object", d->def->name, NameOf(d->owner), ClassName(cx, obj));
  }
  return NewNativeFunction(cx, d->def, obj);
}
Ref DescriptorRepr(Context& cx, Value self) {
  MethodDescriptor* d = self.as<MethodDescriptor>();
  return NewStr(cx, std::string("<method '") + d->def->name + "' of '" + NameOf(d->owner) + "' objects>");
}
Ref DescriptorName(Context& cx, Value self) { return NewStr(cx, self.as<MethodDescriptor>()->def->name); }
Ref DescriptorQualname(Context& cx, Value self) {
  MethodDescriptor* d = self.as<MethodDescriptor>();
  return NewStr(cx, std::string(ShortName(d->owner)) + "." + d->def->name);
}
Ref DescriptorDoc(Context& cx, Value self) {
  const char* doc = self.as<MethodDescriptor>()->def->doc;
  return doc == nullptr ? cx.NoneRef() : NewStr(cx, doc);
}
Ref DescriptorObjclass(Context&, Value self) { return Ref::New(self.as<MethodDescriptor>()->owner); }
const GetSetDef kDescriptorGetSet[] = {{"__name__", DescriptorName, nullptr},
                                       {"__qualname__", DescriptorQualname, nullptr},
                                       {"__doc__", DescriptorDoc, nullptr},
                                       {"__objclass__", DescriptorObjclass, nullptr},
                                       {nullptr, nullptr, nullptr}};

// ---- code objects ------------------------------------------------------------------------------------------------------

Ref CodeRepr(Context& cx, Value self) {
  Code* c = self.as<Code>();
  return NewStr(cx, "<code object " + ToUtf8(c->name) + " at " + Address(self) + ", file \"" + ToUtf8(c->filename) + "\", line " +
                        std::to_string(c->unit->first_line) + ">");
}
Ref CodeName(Context&, Value self) { return Ref::New(self.as<Code>()->name); }
Ref CodeQualname(Context&, Value self) { return Ref::New(self.as<Code>()->qualname); }
Ref CodeFilename(Context&, Value self) { return Ref::New(self.as<Code>()->filename); }
Ref CodeFirstLine(Context&, Value self) { return Ref::Small(self.as<Code>()->unit->first_line); }
Ref CodeArgcount(Context&, Value self) { return Ref::Small(self.as<Code>()->argcount); }
Ref CodeKwonly(Context&, Value self) { return Ref::Small(self.as<Code>()->kwonlyargcount); }
Ref CodeFlagsOf(Context&, Value self) {
  const uint32_t f = self.as<Code>()->flags;
  return Ref::Small(((f & lang::kVarArgs) ? 4 : 0) | ((f & lang::kVarKeywords) ? 8 : 0) | ((f & lang::kNested) ? 16 : 0) | ((f & lang::kCoroutine) ? 128 : (f & lang::kAsyncGenerator) ? 512 : (f & lang::kGenerator) ? 32 : 0) | 3);
}
Ref CodeVarnames(Context& cx, Value self) {
  Code* c = self.as<Code>();
  Value names[256];
  size_t n = 0;
  for (uint32_t i = 0; i < c->num_slots && n < 256; i++) {
    const lang::SlotInfo& s = c->unit->slots[i];
    if (s.kind == lang::SlotKind::kLocal || s.kind == lang::SlotKind::kParamCell) names[n++] = c->slot_names[i];
  }
  return NewTuple(cx, names, n);
}
Ref NamesTuple(Context& cx, Value self, bool cells, bool free) {
  Code* c = self.as<Code>();
  std::vector<Value> names;
  for (uint32_t i = 0; i < c->num_slots; i++) {
    const lang::SlotKind kind = c->unit->slots[i].kind;
    if ((free && kind == lang::SlotKind::kFree) || (cells && (kind == lang::SlotKind::kCell || kind == lang::SlotKind::kParamCell))) {
      names.push_back(c->slot_names[i]);
    }
  }
  return NewTuple(cx, names.data(), names.size());
}
Ref CodeCellvars(Context& cx, Value self) { return NamesTuple(cx, self, true, false); }
Ref CodeFreevars(Context& cx, Value self) { return NamesTuple(cx, self, false, true); }
Ref CodeNames(Context& cx, Value self) {
  Code* c = self.as<Code>();
  std::vector<Value> names(c->names, c->names + c->unit->names.size());
  return NewTuple(cx, names.data(), names.size());
}
Ref CodeConsts(Context& cx, Value self) {
  Code* c = self.as<Code>();
  return NewTuple(cx, c->consts, c->unit->consts.size());
}
Ref CodePosonly(Context&, Value self) { return Ref::Small(self.as<Code>()->posonlyargcount); }
const GetSetDef kCodeGetSet[] = {{"co_name", CodeName, nullptr},
                                 {"co_qualname", CodeQualname, nullptr},
                                 {"co_filename", CodeFilename, nullptr},
                                 {"co_firstlineno", CodeFirstLine, nullptr},
                                 {"co_argcount", CodeArgcount, nullptr},
                                 {"co_kwonlyargcount", CodeKwonly, nullptr},
                                 {"co_flags", CodeFlagsOf, nullptr},
                                 {"co_varnames", CodeVarnames, nullptr},
                                 {"co_cellvars", CodeCellvars, nullptr},
                                 {"co_freevars", CodeFreevars, nullptr},
                                 {"co_names", CodeNames, nullptr},
                                 {"co_consts", CodeConsts, nullptr},
                                 {"co_posonlyargcount", CodePosonly, nullptr},
                                 {nullptr, nullptr, nullptr}};

const NativeType kFunctionType = {
    .name = "function", .layout = Layout::kFunction, .size = sizeof(Function), .flags = kTypeHasRefs | kTypeHasDict | kTypeWeakrefs | kTypeTrackLater,
    .slots = {.repr = FunctionRepr, .call = FunctionSlotCall, .descr_get = FunctionGet},
    .getset = kFunctionGetSet, .members = kFunctionMembers, .traverse = VisitFunction, .clear = ClearFunction, .destroy = DestroyFunction};
const NativeType kMethodType = {
    .name = "method", .layout = Layout::kMethod, .size = sizeof(BoundMethod), .flags = kTypeHasRefs | kTypeWeakrefs | kTypeTrackLater,
    .slots = {.repr = MethodRepr, .hash = MethodHash, .call = MethodCall, .getattr = MethodGetAttr, .compare = MethodCompare, .create = MethodCreate},
    .members = kMethodMembers, .traverse = VisitMethod, .clear = ClearNothing, .destroy = DestroyMethod};
const NativeType kCellType = {
    .name = "cell", .layout = Layout::kCell, .size = sizeof(Cell), .flags = kTypeHasRefs | kTypeTrackLater,
    .slots = {.repr = CellRepr}, .getset = kCellGetSet, .traverse = VisitCell, .clear = ClearCell, .destroy = DestroyCell};
const NativeType kNativeType = {
    .name = "builtin_function_or_method", .layout = Layout::kNativeFunction, .size = sizeof(NativeFunction),
    .flags = kTypeHasRefs | kTypeTrackLater | kTypeWeakrefs,
    .slots = {.repr = NativeRepr, .hash = NativeHash, .call = NativeCall, .compare = NativeCompare},
    .getset = kNativeGetSet, .members = kNativeMembers, .traverse = VisitNative, .clear = ClearNothing, .destroy = DestroyNative};
const NativeType kDescriptorType = {
    .name = "method_descriptor", .layout = Layout::kMethodDescriptor, .size = sizeof(MethodDescriptor),
    .slots = {.repr = DescriptorRepr, .call = DescriptorCall, .descr_get = DescriptorGet}, .getset = kDescriptorGetSet};
const NativeType kCodeType = {
    .name = "code", .layout = Layout::kCode, .size = sizeof(Code), .slots = {.repr = CodeRepr}, .getset = kCodeGetSet};

}  // namespace

Ref NewFunction(Context& cx, Code* code, Dict* globals) {
  Class* cls = cx.rt.cls.function;
  Ref r = NewInstance(cx, cls);
  if (!r) return Ref();
  Function* f = r.as<Function>();
  f->code = code;
  InitSlot(f->globals, Ref::New(globals));
  InitSlot(f->name, Ref::New(code->name));
  InitSlot(f->qualname, Ref::New(code->qualname));
  const int32_t doc = code->unit->doc_const;
  if (doc >= 0) InitSlot(f->doc, Ref::New(code->consts[doc]));
  Ref module;
  if (DictGetStr(cx, globals, cx.rt.names.name, &module) == 1) InitSlot(f->module_name, std::move(module));
  TrackNew(f);
  return r;
}

Ref NewBoundMethod(Context& cx, Value func, Value self) {
  ObjectHeader* h = NewObject(cx.ts, &cx.rt.cls.method->info, cx.rt.cls.method->info.basic_size);
  if (h == nullptr) return RaiseMemoryError(cx);
  BoundMethod* m = static_cast<BoundMethod*>(static_cast<Object*>(h));
  InitSlot(m->func, Ref::New(func));
  InitSlot(m->self, Ref::New(self));
  WeakRefHead(m).store(nullptr, kRelaxed);
  TrackNew(m);
  return Ref::Steal(m);
}

Ref NewCell(Context& cx, Ref value) {
  ObjectHeader* h = NewObject(cx.ts, &cx.rt.cls.cell->info, sizeof(Cell));
  if (h == nullptr) return RaiseMemoryError(cx);
  Cell* c = static_cast<Cell*>(static_cast<Object*>(h));
  InitSlot(c->value, std::move(value));
  TrackNew(c);
  return Ref::Steal(c);
}

Ref NewNativeFunction(Context& cx, const MethodDef* def, Value self, Value module_name) {
  NativeFunction* f = NewNative<NativeFunction>(cx, cx.rt.cls.builtin_function);
  if (f == nullptr) return Ref();
  f->def = def;
  InitSlot(f->self, Ref::New(self));
  InitSlot(f->module_name, Ref::New(module_name));
  TrackNew(f);
  return Ref::Steal(f);
}

Ref NewMethodDescriptor(Context& cx, const MethodDef* def, Class* owner) {
  MethodDescriptor* d = NewNative<MethodDescriptor>(cx, cx.rt.cls.method_descriptor);
  if (d == nullptr) return Ref();
  d->def = def;
  d->owner = owner;
  return Ref::Steal(d);
}

bool InitBareFunctions(Context& cx) {
  BuiltinClasses& c = cx.rt.cls;
  c.method_descriptor = DefineTypeBare(cx, kDescriptorType);
  c.builtin_function = DefineTypeBare(cx, kNativeType);
  return c.method_descriptor != nullptr && c.builtin_function != nullptr;
}

bool InitFunctionTypes(Context& cx) {
  BuiltinClasses& c = cx.rt.cls;
  c.function = DefineType(cx, kFunctionType);
  c.method = DefineType(cx, kMethodType);
  c.cell = DefineType(cx, kCellType);
  c.code = DefineType(cx, kCodeType);
  return c.function != nullptr && c.method != nullptr && c.cell != nullptr && c.code != nullptr;
}

}  // namespace tidepool::rt
