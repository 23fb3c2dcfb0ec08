// The classes `object` and `type`, and the singletons None, Ellipsis, NotImplemented.
#include <cstdio>

#include "tidepool/object/isolate.h"
#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/objects.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/alias.h"
#include "tidepool/runtime/vm/attrs.h"
#include "tidepool/runtime/vm/class_internal.h"
#include "tidepool/runtime/vm/descriptor.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/exception.h"
#include "tidepool/runtime/vm/builtins.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {

std::string ModulePrefix(Class* cls) {
  Ref m = LoadSlot(cls, cls->module_name);
  if (!m || !IsStr(m)) return "";
  const std::string module = ToUtf8(m.as<Str>());
  return module == "builtins" ? "" : module + ".";
}
std::string Qualname(Class* cls) {
  Ref q = LoadSlot(cls, cls->qualname);
  return q && IsStr(q) ? ToUtf8(q.as<Str>()) : ShortName(cls);
}

namespace {

// ---- object --------------------------------------------------------------------------------------------------------

Ref ObjectRepr(Context& cx, Value self) {
  Class* cls = ClassOf(cx, self);
  char b[40];
  snprintf(b, sizeof b, " object at 0x%012lx>", static_cast<unsigned long>(self.bits()));
  return NewStr(cx, "<" + ModulePrefix(cls) + Qualname(cls) + b);
}
Ref ObjectStr(Context& cx, Value self) { return Repr(cx, self); }
bool ObjectHash(Context&, Value self, int64_t* out) {
  *out = static_cast<int64_t>((self.bits() >> 4) | (self.bits() << 60));
  if (*out == -1) *out = -2;
  return true;
}
Ref ObjectCompare(Context& cx, Value a, Value b, CompareOp op) {
  if (op == CompareOp::kEq) return a == b ? cx.BoolRef(true) : cx.NotImplementedRef();
  if (op == CompareOp::kNe) {
    // The inverse of __eq__.
    Class* cls = ClassOf(cx, a);
    if (cls->slots.compare == nullptr || cls->slots.compare == ObjectCompare) return a == b ? cx.BoolRef(false) : cx.NotImplementedRef();
    Ref r = cls->slots.compare(cx, a, b, CompareOp::kEq);
    if (!r || r.get() == cx.NotImplemented()) return r;
    const int t = IsTrue(cx, r);
    return t < 0 ? Ref() : cx.BoolRef(t == 0);
  }
  return cx.NotImplementedRef();
}
bool ObjectInit(Context& cx, Value self, const Args& args) {
  if (args.npos + args.nkw == 0) return true;
  Class* cls = ClassOf(cx, self);
  // Excess arguments are __new__'s business if that is overridden and __init__ is not.
  if (cls->slots.init != ObjectInit) {
    RaiseTypeError(cx, "object.__init__() takes exactly one argument (the instance to initialize)");
    return false;
  }
  if (cls->slots.create == cx.rt.cls.object->slots.create) return RaiseTypeError(cx, "%s() takes no arguments", NameOf(cls)), false;
  return true;
}
Ref RaiseAbstract(Context& cx, Class* cls) {
  Ref names = GetAttr(cx, Value(cls), cx.rt.names.abstractmethods);
  Ref list = names ? ListFromIterable(cx, names) : Ref();
  if (!list || !ListSort(cx, list.as<List>(), Value(), false)) return Ref();
  std::string text;
  const size_t n = ListSize(list.as<List>());
  for (size_t i = 0; i < n; i++) {
    Ref item = ListGet(cx, list.as<List>(), static_cast<int64_t>(i));
    if (item && IsStr(item)) text += (i > 0 ? ", " : "") + ToUtf8(item.as<Str>());
  }
  return RaiseTypeError(cx, "Can't instantiate abstract class %s with abstract method%s %s", NameOf(cls), n == 1 ? "" : "s", text.c_str());
}
Ref ObjectCreate(Context& cx, Class* cls, const Args& args) {
  if (args.npos + args.nkw != 0 && cls->slots.init == ObjectInit) {
    return RaiseTypeError(cx, "%s() takes no arguments", NameOf(cls));
  }
  if ((cls->flags & Class::kAbstract) != 0) return RaiseAbstract(cx, cls);
  Ref r = NewInstance(cx, cls);
  return r || !ReclaimMemory(cx) ? std::move(r) : NewInstance(cx, cls);
}
Ref GetClass(Context& cx, Value self) { return Ref::New(ClassOf(cx, self)); }
bool SetClass(Context& cx, Value self, Value v) {
  if (v.is_null() || !IsClass(v)) {
    return RaiseTypeError(cx, "__class__ must be set to a class, not '%s' object", v.is_null() ? "NULL" : ClassName(cx, v)), false;
  }
  Class* to = v.as<Class>();
  Class* from = ClassOf(cx, self);
  if ((to->flags & Class::kPython) == 0 || (from->flags & Class::kPython) == 0) {
    return RaiseTypeError(cx, "__class__ assignment only supported for mutable types or ModuleType subclasses"), false;
  }
  if (to->native_base != from->native_base || to->slots_end != from->slots_end || to->attr_offset != from->attr_offset ||
      to->info.weakref_offset != from->info.weakref_offset || (to->flags & Class::kPreHeader) != (from->flags & Class::kPreHeader)) {
    return RaiseTypeError(cx, "__class__ assignment: '%s' object layout differs from '%s'", NameOf(to), NameOf(from)), false;
  }
  Object* o = self.object();
  // The names of inline values belong to the old class: move them into a dict first.
  if (from->attr_offset != 0) {
    Ref d = InstanceDict(cx, o, from);
    if (!d) return false;
  }
  {
    ObjectLock lock(cx.ts, o);
    o->type_.store(&to->info, kRelease);  // pairs with nothing in particular: readers see the old or the new class
  }
  return true;
}
Ref ObjectFormat(Context& cx, Value self, const Args& args) {
  Str* spec = ToStr(cx, args[0], "__format__()");
  if (spec == nullptr) return Ref();
  if (spec->length == 0) return ToString(cx, self);
  return RaiseTypeError(cx, "unsupported format string passed to %s.__format__", ClassName(cx, self));
}
Ref ObjectReduceEx(Context& cx, Value self, const Args&) {
  Ref f = GetAttr(cx, self, cx.rt.names.reduce);
  return f ? Call(cx, f) : Ref();
}
Ref ObjectDir(Context& cx, Value self, const Args&) { return DirOf(cx, self); }
Ref ObjectInitSubclass(Context& cx, Value self, const Args& args) {
  if (args.npos + args.nkw > 0) return RaiseTypeError(cx, "%s.__init_subclass__() takes no keyword arguments", NameOf(self.as<Class>()));
  return cx.NoneRef();
}
Ref ObjectSubclassHook(Context& cx, Value, const Args&) { return cx.NotImplementedRef(); }
const MethodDef kObjectMethods[] = {{"__format__", ObjectFormat, 1, 1},
                                    {"__dir__", ObjectDir, 0, 0},
                                    {"__reduce_ex__", ObjectReduceEx, 1, 1},
                                    {"__subclasshook__", ObjectSubclassHook, 1, 1, kMethodClass},
                                    {"__init_subclass__", ObjectInitSubclass, 0, -1, kMethodClass | kMethodKeywords},
                                    {}};
const GetSetDef kObjectGetSet[] = {{"__class__", GetClass, SetClass}, {nullptr, nullptr, nullptr}};

// ---- type -----------------------------------------------------------------------------------------------------------

Ref TypeCall(Context& cx, Value self, const Args& args) {
  Class* cls = self.as<Class>();
  if (cls == cx.rt.cls.type && args.npos == 1 && args.nkw == 0) return Ref::New(ClassOf(cx, args[0]));
  if (cls == cx.rt.cls.type && args.npos != 3) return RaiseTypeError(cx, "type() takes 1 or 3 arguments");
  if (cls->slots.create == nullptr) return RaiseTypeError(cx, "cannot create '%s' instances", NameOf(cls));
  Ref r = cls->slots.create(cx, cls, args);
  if (!r) return r;
  Class* made = ClassOf(cx, r);
  if (made != cls && !IsSubclass(made, cls)) return r;
  if (made->slots.init != nullptr && !made->slots.init(cx, r, args)) return Ref();
  return r;
}

Ref TypeCreate(Context& cx, Class* meta, const Args& args) {
  if (meta == cx.rt.cls.type && args.npos == 1 && args.nkw == 0) return Ref::New(ClassOf(cx, args[0]));
  if (args.npos != 3) return RaiseTypeError(cx, "type.__new__() takes exactly 3 arguments (%zu given)", args.npos);
  if (!IsStr(args[0])) return RaiseTypeError(cx, "type.__new__() argument 1 must be str, not %s", ClassName(cx, args[0]));
  if (!Is<Tuple>(args[1])) return RaiseTypeError(cx, "type.__new__() argument 2 must be tuple, not %s", ClassName(cx, args[1]));
  if (!Is<Dict>(args[2])) return RaiseTypeError(cx, "type.__new__() argument 3 must be dict, not %s", ClassName(cx, args[2]));
  Class* winner = WinningMetaclass(cx, meta, args[1].as<Tuple>());
  if (winner == nullptr) return Ref();
  if (ToUtf8(args[0].as<Str>()).find('\0') != std::string::npos) {
    return RaiseValueError(cx, "type name must not contain null characters");
  }
  // Another class's __new__ makes it.
  if (winner != meta && winner->slots.create != meta->slots.create) return winner->slots.create(cx, winner, args);
  // Keys become attribute names.
  Ref ns = NewDict(cx);
  if (!ns) return Ref();
  size_t pos = 0;
  Ref k, v;
  while (DictNext(cx, args[2].as<Dict>(), &pos, &k, &v)) {
    if (!IsStr(k)) continue;
    Str* name = Intern(cx, k);
    if (name == nullptr || !DictSetStr(cx, ns.as<Dict>(), name, v)) return Ref();
  }
  return NewClass(cx, winner, args[0].as<Str>(), args[1], ns.as<Dict>(), &args);
}
bool TypeInit(Context& cx, Value, const Args& args) {
  if (args.npos == 1 || args.npos == 3) return true;
  return RaiseTypeError(cx, "type.__init__() takes 1 or 3 arguments"), false;
}
Ref TypePrepare(Context& cx, Value, const Args&) { return NewDict(cx); }

Ref TypeRepr(Context& cx, Value self) {
  Class* cls = self.as<Class>();
  return NewStr(cx, "<class '" + ModulePrefix(cls) + Qualname(cls) + "'>");
}

Ref TypeGetAttr(Context& cx, Value self, Str* name) {
  Class* cls = self.as<Class>();
  Class* meta = ClassOf(cx, self);
  Ref meta_attr = LookupInMro(cx, meta, name);
  const TypeSlots* ms = meta_attr ? &ClassOf(cx, meta_attr)->slots : nullptr;
  if (ms != nullptr && ms->descr_get != nullptr && ms->descr_set != nullptr) {
    // Data descriptors of `type` win, but what a class statement stored under __doc__ or __module__ is found below.
    return ms->descr_get(cx, meta_attr, self, meta);
  }
  Ref attr = LookupInMro(cx, cls, name);
  if (attr) {
    Class* ac = ClassOf(cx, attr);
    return ac->slots.descr_get != nullptr ? ac->slots.descr_get(cx, attr, Value(), cls) : std::move(attr);
  }
  if (ms != nullptr) return ms->descr_get != nullptr ? ms->descr_get(cx, meta_attr, self, meta) : std::move(meta_attr);
  return RaiseAttributeError(cx, self, name);
}

bool TypeSetAttr(Context& cx, Value self, Str* name, Value value) {
  Class* cls = self.as<Class>();
  if ((cls->flags & Class::kPython) == 0) {
    return RaiseTypeError(cx, "cannot set '%s' attribute of immutable type '%s'", ToUtf8(name).c_str(), NameOf(cls)), false;
  }
  Ref meta_attr = LookupInMro(cx, ClassOf(cx, self), name);
  if (meta_attr) {
    const TypeSlots& ms = ClassOf(cx, meta_attr)->slots;
    if (ms.descr_set != nullptr) return ms.descr_set(cx, meta_attr, self, value);
  }
  return SetClassAttr(cx, cls, name, value);
}

Ref GetClsName(Context&, Value self) { return LoadSlot(self.object(), self.as<Class>()->name); }
bool CheckMutable(Context& cx, Value self, const char* what) {
  if ((self.as<Class>()->flags & Class::kPython) != 0) return true;
  RaiseTypeError(cx, "cannot set '%s' attribute of immutable type '%s'", what, NameOf(self.as<Class>()));
  return false;
}
bool SetClsName(Context& cx, Value self, Value v) {
  if (!CheckMutable(cx, self, "__name__")) return false;
  if (v.is_null() || !IsStr(v)) return RaiseTypeError(cx, "can only assign string to %s.__name__, not '%s'", NameOf(self.as<Class>()), v.is_null() ? "NULL" : ClassName(cx, v)), false;
  ObjectLock lock(cx.ts, cx.rt.cls.type);
  return SetClassNames(cx, self.as<Class>(), v.as<Str>(), nullptr);
}
Ref GetClsQualname(Context&, Value self) { return LoadSlot(self.object(), self.as<Class>()->qualname); }
bool SetClsQualname(Context& cx, Value self, Value v) {
  if (!CheckMutable(cx, self, "__qualname__")) return false;
  if (v.is_null() || !IsStr(v)) return RaiseTypeError(cx, "can only assign string to %s.__qualname__, not '%s'", NameOf(self.as<Class>()), v.is_null() ? "NULL" : ClassName(cx, v)), false;
  StoreSlot(self.object(), self.as<Class>()->qualname, Ref::New(v));
  return true;
}
Ref GetClsModule(Context& cx, Value self) {
  Ref r = LoadSlot(self.object(), self.as<Class>()->module_name);
  return r ? std::move(r) : NewStr(cx, "builtins");
}
bool SetClsModule(Context& cx, Value self, Value v) {
  if (!CheckMutable(cx, self, "__module__")) return false;
  StoreSlot(self.object(), self.as<Class>()->module_name, Ref::New(v));
  return v.is_null() || DictSetStr(cx, PeekSlot(self.as<Class>()->dict).as<Dict>(), cx.rt.names.module, v);
}
Ref GetClsDoc(Context& cx, Value self) {
  Ref r;
  if (DictGetStr(cx, PeekSlot(self.as<Class>()->dict).as<Dict>(), cx.rt.names.doc, &r) != 1) return cx.NoneRef();
  Class* c = ClassOf(cx, r);
  if (c->slots.descr_get != nullptr) return c->slots.descr_get(cx, r, Value(), self.as<Class>());
  return r;
}
bool SetClsDoc(Context& cx, Value self, Value v) {
  return CheckMutable(cx, self, "__doc__") && SetClassAttr(cx, self.as<Class>(), cx.rt.names.doc, v);
}
Ref GetClsBases(Context&, Value self) { return LoadSlot(self.object(), self.as<Class>()->bases); }
Ref GetClsBase(Context& cx, Value self) {
  Class* b = self.as<Class>()->base;
  return b == nullptr ? cx.NoneRef() : Ref::New(b);
}
Ref GetClsMro(Context&, Value self) { return LoadSlot(self.object(), self.as<Class>()->mro); }
Ref GetClsDict(Context& cx, Value self) {
  Ref d = LoadSlot(self.object(), self.as<Class>()->dict);
  return NewMappingProxy(cx, d);
}
Ref GetClsAnnotations(Context& cx, Value self) {
  Ref r;
  Dict* d = PeekSlot(self.as<Class>()->dict).as<Dict>();
  if (DictGetStr(cx, d, cx.rt.names.annotations, &r) == 1) return r;
  if ((self.as<Class>()->flags & Class::kPython) == 0) return RaiseAttributeError(cx, self, cx.rt.names.annotations);
  Ref fresh = NewDict(cx);
  if (!fresh || !DictSetStr(cx, d, cx.rt.names.annotations, fresh)) return Ref();
  return fresh;
}
bool SetClsAnnotations(Context& cx, Value self, Value v) {
  return CheckMutable(cx, self, "__annotations__") && SetClassAttr(cx, self.as<Class>(), cx.rt.names.annotations, v);
}
const GetSetDef kTypeGetSet[] = {{"__name__", GetClsName, SetClsName},
                                 {"__qualname__", GetClsQualname, SetClsQualname},
                                 {"__module__", GetClsModule, SetClsModule},
                                 {"__doc__", GetClsDoc, SetClsDoc},
                                 {"__bases__", GetClsBases, nullptr},
                                 {"__base__", GetClsBase, nullptr},
                                 {"__mro__", GetClsMro, nullptr},
                                 {"__dict__", GetClsDict, nullptr},
                                 {"__annotations__", GetClsAnnotations, SetClsAnnotations},
                                 {nullptr, nullptr, nullptr}};
Ref TypeMro(Context& cx, Value self, const Args&) {
  Ref t = GetClsMro(cx, self);
  return ListFromIterable(cx, t);
}
Ref TypeSubclasses(Context& cx, Value self, const Args&) {
  Ref list = NewList(cx);
  if (!list) return Ref();
  Class* cls = self.as<Class>();
  // Strong references first, under the mutex; the list grows outside it.
  constexpr size_t kMax = 4096;
  Class** found = static_cast<Class**>(AllocateRaw(cx, kMax * sizeof(Class*)));
  if (found == nullptr) return Ref();
  size_t n = 0;
  LockMutex(cx.ts, &cx.rt.class_mutex);
  // Newest first, native ones last: below they are taken from the end.
  for (Class* list : {cx.rt.classes, cx.rt.native_classes}) {
    for (Class* c = list; c != nullptr && n < kMax; c = c->next_class) {
      Tuple* bases = PeekSlot(c->bases).as<Tuple>();
      for (size_t i = 0; i < bases->length; i++) {
        if (bases->items[i] == Value(cls) && TryIncref(c)) {
          found[n++] = c;
          break;
        }
      }
    }
  }
  cx.rt.class_mutex.Unlock();
  for (size_t i = n; i-- > 0;) {
    Ref c = Ref::Steal(found[i]);
    if (list && !ListAppend(cx, list.as<List>(), c)) list.reset();
  }
  FreeRaw(cx, found);
  return list;
}
Ref TypeInstanceCheck(Context& cx, Value self, const Args& args) {
  const int r = IsRealInstance(cx, args[0], self.as<Class>());
  return r < 0 ? Ref() : cx.BoolRef(r != 0);
}
Ref TypeSubclassCheck(Context& cx, Value self, const Args& args) {
  return cx.BoolRef(IsClass(args[0]) && IsSubclass(args[0].as<Class>(), self.as<Class>()));
}
const MethodDef kTypeMethods[] = {{"mro", TypeMro, 0, 0},
                                  {"__subclasses__", TypeSubclasses, 0, 0},
                                  {"__prepare__", TypePrepare, 0, -1, kMethodClass | kMethodKeywords},
                                  {"__instancecheck__", TypeInstanceCheck, 1, 1},
                                  {"__subclasscheck__", TypeSubclassCheck, 1, 1},
                                  {}};
// ---- singletons ---------------------------------------------------------------------------------------------------------

Ref NoneRepr(Context& cx, Value) { return NewStr(cx, "None"); }
Ref EllipsisRepr(Context& cx, Value) { return NewStr(cx, "Ellipsis"); }
Ref NotImplementedRepr(Context& cx, Value) { return NewStr(cx, "NotImplemented"); }
int NoneTruth(Context&, Value) { return 0; }
Ref NoneCreate(Context& cx, Class*, const Args&) { return cx.NoneRef(); }

// ---- mapping proxy -----------------------------------------------------------------------------------------------------

struct MappingProxy : Object {
  Slot dict;
};
Value ProxyDict(Value v) { return PeekSlot(v.as<MappingProxy>()->dict); }
Ref ProxyRepr(Context& cx, Value v) {
  Ref r = Repr(cx, ProxyDict(v));
  return r ? NewStr(cx, "mappingproxy(" + ToUtf8(r.as<Str>()) + ")") : Ref();
}
Ref ProxyStr(Context& cx, Value v) { return ToString(cx, ProxyDict(v)); }
int64_t ProxyLen(Context&, Value v) { return static_cast<int64_t>(DictSize(ProxyDict(v).as<Dict>())); }
Ref ProxyGetItem(Context& cx, Value v, Value k) { return GetItem(cx, ProxyDict(v), k); }
int ProxyContains(Context& cx, Value v, Value k) { return Contains(cx, ProxyDict(v), k); }
Ref ProxyIter(Context& cx, Value v) { return Iter(cx, ProxyDict(v)); }
Ref ProxyGetAttr(Context& cx, Value v, Str* name) {
  if (name == cx.rt.names.class_) return GenericGetAttr(cx, v, name);
  for (const char* allowed : {"get", "keys", "values", "items", "copy"}) {
    if (StrIs(name, allowed)) return GetAttr(cx, ProxyDict(v), name);
  }
  return GenericGetAttr(cx, v, name);
}
Ref ProxyCompare(Context& cx, Value a, Value b, CompareOp op) { return Compare(cx, ProxyDict(a), IsExact(b, cx.rt.cls.mapping_proxy) ? ProxyDict(b) : b, op); }
Ref ProxyCreate(Context& cx, Class*, const Args& args) {
  Value v[1];
  if (!ParseArgs(cx, "mappingproxy", args, {"mapping"}, 1, v)) return Ref();
  if (!Is<Dict>(v[0])) return RaiseTypeError(cx, "mappingproxy() argument must be a mapping, not %s", ClassName(cx, v[0]));
  return NewMappingProxy(cx, v[0]);
}
void VisitProxy(Object* o, SlotVisitor& v) { v.Visit(static_cast<MappingProxy*>(o)->dict); }
void ClearProxy(Context&, Object*) {}
void DestroyProxy(Context& cx, Object* o) { DecrefValue(cx.ts, PeekSlot(static_cast<MappingProxy*>(o)->dict)); }

const NativeType kObjectType = {
    .name = "object", .layout = Layout::kObject, .size = sizeof(Object), .flags = kTypeSubclassable,
    .slots = {.repr = ObjectRepr, .str = ObjectStr, .hash = ObjectHash, .getattr = GenericGetAttr, .setattr = GenericSetAttr, .compare = ObjectCompare,
              .create = ObjectCreate, .init = ObjectInit},
    .methods = kObjectMethods, .getset = kObjectGetSet};
const NativeType kTypeType = {
    .name = "type", .layout = Layout::kClass, .size = sizeof(Class), .flags = kTypeHasRefs | kTypeWeakrefs | kTypeSubclassable,
    .slots = {.repr = TypeRepr, .call = TypeCall, .getattr = TypeGetAttr, .setattr = TypeSetAttr, .binary = {nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, MakeUnion},
              .create = TypeCreate, .init = TypeInit},
    .methods = kTypeMethods, .getset = kTypeGetSet, .traverse = VisitClass, .clear = ClearClass, .destroy = DestroyClass};
const NativeType kNoneType = {.name = "NoneType", .layout = Layout::kNone, .slots = {.repr = NoneRepr, .truth = NoneTruth, .create = NoneCreate}};
const NativeType kEllipsisType = {.name = "ellipsis", .layout = Layout::kEllipsis, .slots = {.repr = EllipsisRepr}};
const NativeType kNotImplementedType = {.name = "NotImplementedType", .layout = Layout::kNotImplemented, .slots = {.repr = NotImplementedRepr}};
const NativeType kMappingProxyType = {
    .name = "mappingproxy", .size = sizeof(MappingProxy), .flags = kTypeHasRefs,
    .slots = {.repr = ProxyRepr, .str = ProxyStr, .getattr = ProxyGetAttr, .iter = ProxyIter, .len = ProxyLen, .getitem = ProxyGetItem, .contains = ProxyContains, .compare = ProxyCompare, .create = ProxyCreate},
    .traverse = VisitProxy, .clear = ClearProxy, .destroy = DestroyProxy};

Value Singleton(Context& cx, Class* cls) {
  Ref r = NewInstance(cx, cls);
  if (!r) return Value();
  SetImmortal(cx.ts, r.get().object());
  return r.release();
}

}  // namespace

Ref NewMappingProxy(Context& cx, Value dict) {
  MappingProxy* p = NewNative<MappingProxy>(cx, cx.rt.cls.mapping_proxy);
  if (p != nullptr) InitSlot(p->dict, Ref::New(dict));
  return Ref::Steal(p);
}

// object and type, str, tuple, dict, int and the descriptors: enough for names, wrappers and dicts of classes.
bool InitBareClasses(Context& cx) {
  BuiltinClasses& c = cx.rt.cls;
  c.object = DefineTypeBare(cx, kObjectType);
  if (c.object == nullptr) return false;
  c.type = DefineTypeBare(cx, kTypeType);
  if (c.type == nullptr) return false;
  c.object->type_.store(&c.type->info, kRelaxed);
  c.type->type_.store(&c.type->info, kRelaxed);
  c.str = DefineTypeBare(cx, kStrType);
  c.tuple = DefineTypeBare(cx, kTupleType);
  c.dict = DefineTypeBare(cx, kDictType);
  c.int_ = DefineTypeBare(cx, kIntType);
  return c.str != nullptr && c.tuple != nullptr && c.dict != nullptr && c.int_ != nullptr && InitBareDescriptors(cx) && InitBareFunctions(cx);
}

bool FinishBareClasses(Context& cx) {
  BuiltinClasses& c = cx.rt.cls;
  for (Class* k : {c.object, c.type, c.str, c.tuple, c.dict, c.int_, c.wrapper_descriptor, c.getset_descriptor, c.member_descriptor, c.staticmethod,
                   c.method_descriptor, c.builtin_function}) {
    if (!FinishType(cx, k)) return false;
  }
  return true;
}

// Before any class: FillNativeDict stores None.
bool MakeSingletons(Context& cx) {
  // Their classes are bare at this moment.
  BuiltinClasses& c = cx.rt.cls;
  c.none_type = DefineTypeBare(cx, kNoneType);
  c.ellipsis_type = DefineTypeBare(cx, kEllipsisType);
  c.not_implemented_type = DefineTypeBare(cx, kNotImplementedType);
  if (c.none_type == nullptr || c.ellipsis_type == nullptr || c.not_implemented_type == nullptr) return false;
  cx.rt.none = Singleton(cx, c.none_type);
  cx.rt.ellipsis = Singleton(cx, c.ellipsis_type);
  cx.rt.not_implemented = Singleton(cx, c.not_implemented_type);
  return !cx.rt.none.is_null() && !cx.rt.ellipsis.is_null() && !cx.rt.not_implemented.is_null();
}

bool FinishSingletons(Context& cx) {
  BuiltinClasses& c = cx.rt.cls;
  for (Class* k : {c.none_type, c.ellipsis_type, c.not_implemented_type}) {
    if (!FinishType(cx, k)) return false;
  }
  c.mapping_proxy = DefineType(cx, kMappingProxyType);
  return c.mapping_proxy != nullptr;
}

}  // namespace tidepool::rt
