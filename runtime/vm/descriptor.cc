// Descriptors: native methods and attributes in class dicts, property, staticmethod, classmethod, super.
#include "tidepool/runtime/vm/descriptor.h"

#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/class_internal.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/frame.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {
namespace {

template <class T>
T* Make(Context& cx, Class* cls) {
  return NewNative<T>(cx, cls);
}

std::string Quoted(const char* a, const char* b, const char* c, const char* d) { return std::string("<") + a + " '" + b + "' of '" + c + "' " + d + ">"; }

// ---- slot wrappers --------------------------------------------------------------------------------------------

Ref CallWrapper(Context& cx, WrapperDescriptor* w, Value self, const Args& args) {
  if (!IsInstance(cx, self, w->owner)) {
    return RaiseTypeError(cx, "descriptor '%s' requires a '%s' object but received a '%s'", w->def->name, NameOf(w->owner), ClassName(cx, self));
  }
  return w->def->wrapper(cx, w->def, WrappedSlot(w), self, args);
}

Ref WrapperCall(Context& cx, Value self, const Args& args) {
  WrapperDescriptor* w = self.as<WrapperDescriptor>();
  if (args.npos < 1) {
    return RaiseTypeError(cx, "descriptor '%s' of '%s' object needs an argument", w->def->name, NameOf(w->owner));
  }
  return CallWrapper(cx, w, args[0], args.Skip(1));
}

Ref WrapperGet(Context& cx, Value self, Value obj, Class*) {
  if (obj.is_null()) return Ref::New(self);
  MethodWrapper* m = Make<MethodWrapper>(cx, cx.rt.cls.method_wrapper);
  if (m == nullptr) return Ref();
  InitSlot(m->descriptor, Ref::New(self));
  InitSlot(m->self, Ref::New(obj));
  return Ref::Steal(m);
}

Ref WrapperRepr(Context& cx, Value self) {
  WrapperDescriptor* w = self.as<WrapperDescriptor>();
  return NewStr(cx, Quoted("slot wrapper", w->def->name, NameOf(w->owner), "objects"));
}
Ref WrapperName(Context& cx, Value self) { return NewStr(cx, self.as<WrapperDescriptor>()->def->name); }
Ref WrapperQualname(Context& cx, Value self) {
  WrapperDescriptor* w = self.as<WrapperDescriptor>();
  return NewStr(cx, std::string(ShortName(w->owner)) + "." + w->def->name);
}
Ref WrapperObjclass(Context&, Value self) { return Ref::New(self.as<WrapperDescriptor>()->owner); }
const GetSetDef kWrapperGetSet[] = {
    {"__name__", WrapperName, nullptr}, {"__qualname__", WrapperQualname, nullptr}, {"__objclass__", WrapperObjclass, nullptr}, {nullptr, nullptr, nullptr}};

// ---- method wrappers --------------------------------------------------------------------------------------------

Ref MethodWrapperCall(Context& cx, Value self, const Args& args) {
  MethodWrapper* m = self.as<MethodWrapper>();
  WrapperDescriptor* w = PeekSlot(m->descriptor).as<WrapperDescriptor>();
  return CallWrapper(cx, w, PeekSlot(m->self), args);
}
Ref MethodWrapperRepr(Context& cx, Value self) {
  MethodWrapper* m = self.as<MethodWrapper>();
  char buffer[200];
  snprintf(buffer, sizeof buffer, "<method-wrapper '%s' of %s object at 0x%lx>", PeekSlot(m->descriptor).as<WrapperDescriptor>()->def->name,
           ClassName(cx, PeekSlot(m->self)), static_cast<unsigned long>(PeekSlot(m->self).bits()));
  return NewStr(cx, buffer);
}
Ref MethodWrapperSelf(Context&, Value self) { return Ref::New(PeekSlot(self.as<MethodWrapper>()->self)); }
Ref MethodWrapperName(Context& cx, Value self) {
  return NewStr(cx, PeekSlot(self.as<MethodWrapper>()->descriptor).as<WrapperDescriptor>()->def->name);
}
const GetSetDef kMethodWrapperGetSet[] = {{"__self__", MethodWrapperSelf, nullptr}, {"__name__", MethodWrapperName, nullptr}, {nullptr, nullptr, nullptr}};

void VisitMethodWrapper(Object* o, SlotVisitor& v) {
  v.Visit(static_cast<MethodWrapper*>(o)->descriptor);
  v.Visit(static_cast<MethodWrapper*>(o)->self);
}
void DestroyMethodWrapper(Context& cx, Object* o) {
  DecrefValue(cx.ts, PeekSlot(static_cast<MethodWrapper*>(o)->descriptor));
  DecrefValue(cx.ts, PeekSlot(static_cast<MethodWrapper*>(o)->self));
}

// ---- getset ------------------------------------------------------------------------------------------------------

bool CheckOwner(Context& cx, Value obj, Class* owner, const char* name) {
  if (IsInstance(cx, obj, owner)) return true;
  RaiseTypeError(cx, "descriptor '%s' for '%s' objects doesn't apply to a '%s' object", name, NameOf(owner), ClassName(cx, obj));
  return false;
}

Ref GetSetGet(Context& cx, Value self, Value obj, Class*) {
  GetSetDescriptor* g = self.as<GetSetDescriptor>();
  if (obj.is_null()) return Ref::New(self);
  if (!CheckOwner(cx, obj, g->owner, g->def->name)) return Ref();
  return g->def->get(cx, obj);
}
bool GetSetSet(Context& cx, Value self, Value obj, Value value) {
  GetSetDescriptor* g = self.as<GetSetDescriptor>();
  if (!CheckOwner(cx, obj, g->owner, g->def->name)) return false;
  if (g->def->set == nullptr) {
    Raise(cx, cx.rt.exc.AttributeError, "attribute '%s' of '%s' objects is not writable", g->def->name, NameOf(g->owner));
    return false;
  }
  return g->def->set(cx, obj, value);
}
Ref GetSetRepr(Context& cx, Value self) {
  GetSetDescriptor* g = self.as<GetSetDescriptor>();
  return NewStr(cx, Quoted("attribute", g->def->name, NameOf(g->owner), "objects"));
}
Ref GetSetName(Context& cx, Value self) { return NewStr(cx, self.as<GetSetDescriptor>()->def->name); }
const GetSetDef kGetSetGetSet[] = {{"__name__", GetSetName, nullptr}, {nullptr, nullptr, nullptr}};

// ---- members -----------------------------------------------------------------------------------------------------

Slot& MemberSlot(MemberDescriptor* m, Value obj) {
  return *reinterpret_cast<Slot*>(reinterpret_cast<char*>(obj.object()) + m->offset);
}
Ref MemberGet(Context& cx, Value self, Value obj, Class*) {
  MemberDescriptor* m = self.as<MemberDescriptor>();
  if (obj.is_null()) return Ref::New(self);
  if (!IsInstance(cx, obj, m->owner)) {
    CheckOwner(cx, obj, m->owner, ToUtf8(m->name).c_str());
    return Ref();
  }
  Ref r = LoadSlot(obj.object(), MemberSlot(m, obj));
  if (r) return r;
  if (m->none_if_null) return cx.NoneRef();
  if ((m->owner->flags & Class::kPython) != 0) {
    return Raise(cx, cx.rt.exc.AttributeError, "'%s' object has no attribute '%s'", ClassName(cx, obj), ToUtf8(m->name).c_str());
  }
  return RaiseAttributeError(cx, obj, m->name);
}
bool MemberSet(Context& cx, Value self, Value obj, Value value) {
  MemberDescriptor* m = self.as<MemberDescriptor>();
  if (!IsInstance(cx, obj, m->owner)) return CheckOwner(cx, obj, m->owner, ToUtf8(m->name).c_str());
  if (m->read_only) {
    Raise(cx, cx.rt.exc.AttributeError, "readonly attribute");
    return false;
  }
  Slot& s = MemberSlot(m, obj);
  Ref old;
  {
    ObjectLock lock(cx.ts, obj.object());
    old = ExchangeSlotLocked(s, Ref::New(value));
  }
  if (value.is_null() && !old && !m->none_if_null) {
    Raise(cx, cx.rt.exc.AttributeError, "%s", ToUtf8(m->name).c_str());
    return false;
  }
  return true;
}
Ref MemberRepr(Context& cx, Value self) {
  MemberDescriptor* m = self.as<MemberDescriptor>();
  return NewStr(cx, Quoted("member", ToUtf8(m->name).c_str(), NameOf(m->owner), "objects"));
}
Ref MemberName(Context&, Value self) { return Ref::New(self.as<MemberDescriptor>()->name); }
const GetSetDef kMemberGetSet[] = {{"__name__", MemberName, nullptr}, {nullptr, nullptr, nullptr}};
void VisitMember(Object* o, SlotVisitor& v) { v.Visit(static_cast<MemberDescriptor*>(o)->owner_ref); }
void ClearMember(Context&, Object*) {}
void DestroyMember(Context& cx, Object* o) { DecrefValue(cx.ts, PeekSlot(static_cast<MemberDescriptor*>(o)->owner_ref)); }

// ---- property ------------------------------------------------------------------------------------------------------

Ref NewPropertyObject(Context& cx, Class* cls, Value get, Value set, Value del, Value doc) {
  Property* p = Make<Property>(cx, cls);
  if (p == nullptr) return Ref();
  auto init = [&](Slot& s, Value v) {
    if (!v.is_null() && v != cx.None()) InitSlot(s, Ref::New(v));
  };
  init(p->getter, get);
  init(p->setter, set);
  init(p->deleter, del);
  init(p->doc, doc);
  return Ref::Steal(p);
}
Ref PropertyCreate(Context& cx, Class* cls, const Args& args) {
  Value v[4];
  if (!ParseArgs(cx, "property", args, {"fget", "fset", "fdel", "doc"}, 0, v)) return Ref();
  return NewPropertyObject(cx, cls, v[0], v[1], v[2], v[3]);
}
std::string PropertyText(Context& cx, Property* p, Value obj) {
  Ref name = LoadSlot(p, p->name);
  std::string text = "property";
  if (name) text += " " + ReprText(cx, name);
  return text + " of '" + ClassName(cx, obj) + "' object";
}
Ref PropertyGet(Context& cx, Value self, Value obj, Class*) {
  Property* p = self.as<Property>();
  if (obj.is_null()) return Ref::New(self);
  Ref f = LoadSlot(p, p->getter);
  if (!f) return Raise(cx, cx.rt.exc.AttributeError, "%s has no getter", PropertyText(cx, p, obj).c_str());
  return Call(cx, f, obj);
}
bool PropertySet(Context& cx, Value self, Value obj, Value value) {
  Property* p = self.as<Property>();
  Ref f = value.is_null() ? LoadSlot(p, p->deleter) : LoadSlot(p, p->setter);
  if (!f) {
    Raise(cx, cx.rt.exc.AttributeError, "%s has no %s", PropertyText(cx, p, obj).c_str(), value.is_null() ? "deleter" : "setter");
    return false;
  }
  Ref r = value.is_null() ? Call(cx, f, obj) : Call(cx, f, obj, value);
  return static_cast<bool>(r);
}
Ref PropertyWith(Context& cx, Value self, Value get, Value set, Value del) {
  Property* p = self.as<Property>();
  Ref g = LoadSlot(p, p->getter), s = LoadSlot(p, p->setter), d = LoadSlot(p, p->deleter), doc = LoadSlot(p, p->doc), name = LoadSlot(p, p->name);
  Ref r = NewPropertyObject(cx, ClassOf(cx, self), get.is_null() ? g.get() : get, set.is_null() ? s.get() : set, del.is_null() ? d.get() : del, doc);
  if (r && name) InitSlot(r.as<Property>()->name, std::move(name));
  return r;
}
Ref PropertyGetter(Context& cx, Value self, const Args& a) { return PropertyWith(cx, self, a[0], Value(), Value()); }
Ref PropertySetter(Context& cx, Value self, const Args& a) { return PropertyWith(cx, self, Value(), a[0], Value()); }
Ref PropertyDeleter(Context& cx, Value self, const Args& a) { return PropertyWith(cx, self, Value(), Value(), a[0]); }
Ref PropertySetName(Context& cx, Value self, const Args& a) {
  Property* p = self.as<Property>();
  StoreSlot(p, p->name, Ref::New(a[1]));
  return cx.NoneRef();
}
const MethodDef kPropertyMethods[] = {{"getter", PropertyGetter, 1, 1}, {"setter", PropertySetter, 1, 1}, {"deleter", PropertyDeleter, 1, 1},
                                      {"__set_name__", PropertySetName, 2, 2}, {}};
Ref PropertyDoc(Context& cx, Value self) {
  Property* p = self.as<Property>();
  Ref d = LoadSlot(p, p->doc);
  if (d) return d;
  Ref g = LoadSlot(p, p->getter);
  Ref r;
  if (g) r = GetAttrOptional(cx, g, cx.rt.names.doc);
  return r ? std::move(r) : cx.NoneRef();
}
// Whether a function that a descriptor holds is marked as abstract: 1, 0, -1.
int Abstract(Context& cx, Value function) {
  if (function.is_null() || function == cx.None()) return 0;
  Str* name = Intern(cx, "__isabstractmethod__");
  Ref mark = name == nullptr ? Ref() : GetAttrOptional(cx, function, name);
  if (!mark) return cx.has_exception() ? -1 : 0;
  return IsTrue(cx, mark);
}
Ref PropertyAbstract(Context& cx, Value self) {
  Property* p = self.as<Property>();
  for (Slot* s : {&p->getter, &p->setter, &p->deleter}) {
    Ref f = LoadSlot(p, *s);
    const int r = Abstract(cx, f);
    if (r != 0) return r < 0 ? Ref() : cx.BoolRef(true);
  }
  return cx.BoolRef(false);
}
const GetSetDef kPropertyGetSet[] = {
    {"__doc__", PropertyDoc, nullptr}, {"__isabstractmethod__", PropertyAbstract, nullptr}, {nullptr, nullptr, nullptr}};
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
const MemberDef kPropertyMembers[] = {{"fget", offsetof(Property, getter), true, true},
                                      {"fset", offsetof(Property, setter), true, true},
                                      {"fdel", offsetof(Property, deleter), true, true},
                                      {nullptr, 0, false, false}};
void VisitProperty(Object* o, SlotVisitor& v) {
  Property* p = static_cast<Property*>(o);
  for (Slot* s : {&p->getter, &p->setter, &p->deleter, &p->doc, &p->name}) v.Visit(*s);
}
void ClearProperty(Context&, Object* o) {
  Property* p = static_cast<Property*>(o);
  for (Slot* s : {&p->getter, &p->setter, &p->deleter, &p->doc, &p->name}) StoreSlot(o, *s, Ref());
}

// ---- staticmethod, classmethod -----------------------------------------------------------------------------------------

Ref StaticCreate(Context& cx, Class* cls, const Args& args) {
  if (!NoKeywords(cx, "staticmethod", args) || !CheckArgCount(cx, "staticmethod", args, 1, 1)) return Ref();
  StaticMethod* s = Make<StaticMethod>(cx, cls);
  if (s != nullptr) InitSlot(s->func, Ref::New(args[0]));
  return Ref::Steal(s);
}
Ref StaticGet(Context&, Value self, Value, Class*) { return LoadSlot(self.object(), self.as<StaticMethod>()->func); }
Ref StaticCall(Context& cx, Value self, const Args& args) {
  Ref f = LoadSlot(self.object(), self.as<StaticMethod>()->func);
  return Call(cx, f, args);
}
Ref ClassMethodCreate(Context& cx, Class* cls, const Args& args) {
  if (!NoKeywords(cx, "classmethod", args) || !CheckArgCount(cx, "classmethod", args, 1, 1)) return Ref();
  ClassMethod* s = Make<ClassMethod>(cx, cls);
  if (s != nullptr) InitSlot(s->func, Ref::New(args[0]));
  return Ref::Steal(s);
}
Ref ClassMethodGet(Context& cx, Value self, Value obj, Class* cls) {
  if (cls == nullptr) cls = ClassOf(cx, obj);
  Ref f = LoadSlot(self.object(), self.as<ClassMethod>()->func);
  Class* fc = ClassOf(cx, f);
  if (Is<Function>(f.get()) || fc->slots.descr_get == nullptr) return NewBoundMethod(cx, f, cls);
  return fc->slots.descr_get(cx, f, cls, ClassOf(cls));
}
void VisitStatic(Object* o, SlotVisitor& v) { v.Visit(static_cast<StaticMethod*>(o)->func); }
void ClearStatic(Context&, Object* o) { StoreSlot(o, static_cast<StaticMethod*>(o)->func, Ref()); }
Ref HolderAbstract(Context& cx, Value self) {
  Ref f = LoadSlot(self.object(), self.as<StaticMethod>()->func);  // a ClassMethod has the same layout
  const int r = Abstract(cx, f);
  return r < 0 ? Ref() : cx.BoolRef(r != 0);
}
static_assert(sizeof(StaticMethod) == sizeof(ClassMethod));
const GetSetDef kHolderGetSet[] = {{"__isabstractmethod__", HolderAbstract, nullptr}, {nullptr, nullptr, nullptr}};
const MemberDef kStaticMembers[] = {{"__func__", offsetof(StaticMethod, func), true, true}, {"__wrapped__", offsetof(StaticMethod, func), true, true},
                                    {nullptr, 0, false, false}};

// ---- super ---------------------------------------------------------------------------------------------------------------

// The first argument and the __class__ cell of the running function.
bool SuperFromFrame(Context& cx, Ref* cls, Ref* self) {
  Frame* f = cx.frame;
  if (f == nullptr || f->code->argcount == 0) return RaiseRuntimeError(cx, "super(): no arguments"), false;
  const lang::CodeUnit& unit = *f->code->unit;
  Value first = f->slots[0];
  if (!first.is_null() && unit.slots[0].kind == lang::SlotKind::kParamCell && Is<Cell>(first)) {
    *self = LoadSlot(first.object(), first.as<Cell>()->value);
  } else {
    *self = Ref::New(first);
  }
  if (!*self) return RaiseRuntimeError(cx, "super(): arg[0] deleted"), false;
  for (size_t i = unit.slots.size() - unit.num_free; i < unit.slots.size(); i++) {
    if (unit.slots[i].name == "__class__") {
      Value cell = f->slots[i];
      if (Is<Cell>(cell)) *cls = LoadSlot(cell.object(), cell.as<Cell>()->value);
      if (!*cls) return RaiseRuntimeError(cx, "super(): empty __class__ cell"), false;
      return true;
    }
  }
  return RaiseRuntimeError(cx, "super(): __class__ cell not found"), false;
}

Ref SuperCreate(Context& cx, Class* cls, const Args& args) {
  if (!NoKeywords(cx, "super", args) || !CheckArgCount(cx, "super", args, 0, 2)) return Ref();
  Ref start, self;
  if (args.npos == 0) {
    if (!SuperFromFrame(cx, &start, &self)) return Ref();
  } else {
    start = Ref::New(args[0]);
    if (args.npos == 2 && args[1] != cx.None()) self = Ref::New(args[1]);
  }
  if (!IsClass(start)) return RaiseTypeError(cx, "super() argument 1 must be a type, not %s", ClassName(cx, start));
  Class* self_class = nullptr;
  if (self) {
    if (IsClass(self) && IsSubclass(self.as<Class>(), start.as<Class>())) {
      self_class = self.as<Class>();
    } else if (IsInstance(cx, self, start.as<Class>())) {
      self_class = ClassOf(cx, self);
    } else {
      return RaiseTypeError(cx, "super(type, obj): obj must be an instance or subtype of type");
    }
  }
  Super* s = Make<Super>(cx, cls);
  if (s == nullptr) return Ref();
  InitSlot(s->cls, std::move(start));
  if (self) {
    InitSlot(s->self, std::move(self));
    InitSlot(s->self_class, Ref::New(self_class));
  }
  return Ref::Steal(s);
}

Ref SuperGetAttr(Context& cx, Value v, Str* name) {
  Super* s = v.as<Super>();
  Value self = PeekSlot(s->self);  // never change
  if (!self.is_null() && name != cx.rt.names.class_) {
    Class* self_class = PeekSlot(s->self_class).as<Class>();
    Tuple* mro = PeekSlot(self_class->mro).as<Tuple>();
    size_t i = 0;
    while (i < mro->length && mro->items[i] != PeekSlot(s->cls)) i++;
    for (i++; i < mro->length; i++) {
      Ref found;
      if (DictGetStr(cx, PeekSlot(mro->items[i].as<Class>()->dict).as<Dict>(), name, &found) != 1) continue;
      Class* fc = ClassOf(cx, found);
      if (fc->slots.descr_get == nullptr) return found;
      return fc->slots.descr_get(cx, found, self == Value(self_class) ? Value() : self, self_class);
    }
    Ref own = LookupSpecial(cx, v, name);
    if (!own) {
      return Raise(cx, cx.rt.exc.AttributeError, "'super' object has no attribute '%s'", ToUtf8(name).c_str());
    }
  }
  return GenericGetAttr(cx, v, name);
}
void VisitSuper(Object* o, SlotVisitor& v) {
  Super* s = static_cast<Super*>(o);
  v.Visit(s->cls);
  v.Visit(s->self);
  v.Visit(s->self_class);
}
void DestroySuper(Context& cx, Object* o) {
  Super* s = static_cast<Super*>(o);
  for (Slot* p : {&s->cls, &s->self, &s->self_class}) DecrefValue(cx.ts, PeekSlot(*p));
}
Ref SuperRepr(Context& cx, Value v) {
  Super* s = v.as<Super>();
  std::string text = std::string("<super: <class '") + NameOf(PeekSlot(s->cls).as<Class>()) + "'>, ";
  Value self = PeekSlot(s->self);
  text += self.is_null() ? "NULL>" : std::string("<") + NameOf(PeekSlot(s->self_class).as<Class>()) + " object>>";
  return NewStr(cx, text);
}

}  // namespace

// ---- making ------------------------------------------------------------------------------------------------------------------

Ref NewWrapperDescriptor(Context& cx, const SlotDef* def, Class* owner) {
  WrapperDescriptor* w = Make<WrapperDescriptor>(cx, cx.rt.cls.wrapper_descriptor);
  if (w == nullptr) return Ref();
  w->def = def;
  w->owner = owner;
  return Ref::Steal(w);
}
Ref NewGetSet(Context& cx, const GetSetDef* def, Class* owner) {
  GetSetDescriptor* g = Make<GetSetDescriptor>(cx, cx.rt.cls.getset_descriptor);
  if (g == nullptr) return Ref();
  g->def = def;
  g->owner = owner;
  return Ref::Steal(g);
}
Ref NewMember(Context& cx, Str* name, Class* owner, uint32_t offset, bool read_only, bool none_if_null) {
  MemberDescriptor* m = Make<MemberDescriptor>(cx, cx.rt.cls.member_descriptor);
  if (m == nullptr) return Ref();
  m->name = name;  // interned, immortal
  m->owner = owner;
  if ((owner->flags & Class::kPython) != 0) InitSlot(m->owner_ref, Ref::New(owner));
  m->offset = offset;
  m->read_only = read_only;
  m->none_if_null = none_if_null;
  return Ref::Steal(m);
}
Ref NewStaticMethod(Context& cx, Value func) { return StaticCreate(cx, cx.rt.cls.staticmethod, Args(&func, 1)); }
Ref NewClassMethod(Context& cx, Value func) { return ClassMethodCreate(cx, cx.rt.cls.classmethod, Args(&func, 1)); }

namespace {
const NativeType kWrapperType = {
    .name = "wrapper_descriptor", .layout = Layout::kWrapperDescriptor, .size = sizeof(WrapperDescriptor),
    .slots = {.repr = WrapperRepr, .call = WrapperCall, .descr_get = WrapperGet}, .getset = kWrapperGetSet};
const NativeType kMethodWrapperType = {
    .name = "method-wrapper", .layout = Layout::kMethodWrapper, .size = sizeof(MethodWrapper), .flags = kTypeHasRefs,
    .slots = {.repr = MethodWrapperRepr, .call = MethodWrapperCall}, .getset = kMethodWrapperGetSet,
    .traverse = VisitMethodWrapper, .clear = ClearMember, .destroy = DestroyMethodWrapper};
const NativeType kGetSetType = {
    .name = "getset_descriptor", .layout = Layout::kGetSet, .size = sizeof(GetSetDescriptor),
    .slots = {.repr = GetSetRepr, .descr_get = GetSetGet, .descr_set = GetSetSet}, .getset = kGetSetGetSet};
const NativeType kMemberType = {
    .name = "member_descriptor", .layout = Layout::kMember, .size = sizeof(MemberDescriptor), .flags = kTypeHasRefs,
    .slots = {.repr = MemberRepr, .descr_get = MemberGet, .descr_set = MemberSet}, .getset = kMemberGetSet,
    .traverse = VisitMember, .clear = ClearMember, .destroy = DestroyMember};
const NativeType kPropertyType = {
    .name = "property", .layout = Layout::kProperty, .size = sizeof(Property), .flags = kTypeHasRefs | kTypeSubclassable,
    .slots = {.descr_get = PropertyGet, .descr_set = PropertySet, .create = PropertyCreate},
    .methods = kPropertyMethods, .getset = kPropertyGetSet, .members = kPropertyMembers, .traverse = VisitProperty, .clear = ClearProperty};
const NativeType kStaticType = {
    .name = "staticmethod", .layout = Layout::kStaticMethod, .size = sizeof(StaticMethod), .flags = kTypeHasRefs | kTypeSubclassable,
    .slots = {.call = StaticCall, .descr_get = StaticGet, .create = StaticCreate}, .getset = kHolderGetSet, .members = kStaticMembers, .traverse = VisitStatic, .clear = ClearStatic};
const NativeType kClassMethodType = {
    .name = "classmethod", .layout = Layout::kClassMethod, .size = sizeof(ClassMethod), .flags = kTypeHasRefs | kTypeSubclassable,
    .slots = {.descr_get = ClassMethodGet, .create = ClassMethodCreate}, .getset = kHolderGetSet, .members = kStaticMembers, .traverse = VisitStatic, .clear = ClearStatic};
const NativeType kSuperType = {
    .name = "super", .layout = Layout::kSuper, .size = sizeof(Super), .flags = kTypeHasRefs | kTypeSubclassable,
    .slots = {.repr = SuperRepr, .getattr = SuperGetAttr, .create = SuperCreate}, .traverse = VisitSuper, .clear = ClearMember, .destroy = DestroySuper};
}  // namespace

// The classes that FinishType itself makes instances of.
bool InitBareDescriptors(Context& cx) {
  BuiltinClasses& c = cx.rt.cls;
  c.wrapper_descriptor = DefineTypeBare(cx, kWrapperType);
  c.getset_descriptor = DefineTypeBare(cx, kGetSetType);
  c.member_descriptor = DefineTypeBare(cx, kMemberType);
  c.staticmethod = DefineTypeBare(cx, kStaticType);
  return c.staticmethod != nullptr && c.member_descriptor != nullptr && c.getset_descriptor != nullptr && c.wrapper_descriptor != nullptr;
}

bool InitDescriptorTypes(Context& cx) {
  BuiltinClasses& c = cx.rt.cls;
  c.method_wrapper = DefineType(cx, kMethodWrapperType);
  c.property = DefineType(cx, kPropertyType);
  c.classmethod = DefineType(cx, kClassMethodType);
  c.super = DefineType(cx, kSuperType);
  return c.method_wrapper != nullptr && c.property != nullptr && c.classmethod != nullptr && c.super != nullptr;
}

}  // namespace tidepool::rt
