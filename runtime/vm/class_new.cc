// Making classes: native ones from their description, Python ones from a class statement.
#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "tidepool/object/object_mutex.h"
#include "tidepool/runtime/lang/bytecode.h"
#include "tidepool/runtime/objects/dict.h"
#include "tidepool/runtime/objects/list.h"
#include "tidepool/runtime/objects/str.h"
#include "tidepool/runtime/objects/tuple.h"
#include "tidepool/runtime/vm/attrs.h"
#include "tidepool/runtime/vm/class_internal.h"
#include "tidepool/runtime/vm/descriptor.h"
#include "tidepool/runtime/vm/errors.h"
#include "tidepool/runtime/vm/exception.h"
#include "tidepool/runtime/vm/frame.h"
#include "tidepool/runtime/vm/function.h"
#include "tidepool/runtime/vm/protocol.h"

namespace tidepool::rt {

// Attribute slots of instances whose class says nothing about them.
constexpr uint32_t kUnknownCapacity = 4;

void LayOut(Class* cls, bool dict, bool weakrefs, uint32_t extra_slots) {
  TypeInfo& info = cls->info;
  const Class* base = cls->base;
  const bool native = (cls->flags & Class::kPython) == 0;
  if (native) {
    cls->slots_offset = static_cast<uint32_t>((cls->native->size + 7) & ~size_t{7});
    cls->slots_end = cls->slots_offset;
  } else {
    cls->slots_offset = base->slots_offset;
    cls->slots_end = base->slots_end + 8 * extra_slots;
    dict |= base->attr_offset != 0;
    weakrefs |= base->info.weakref_offset != 0;
  }
  if ((cls->native->flags & kTypeVarSized) != 0) {
    info.basic_size = cls->native->size;
    if (dict || weakrefs) {
      cls->flags |= Class::kPreHeader;
      cls->attr_offset = dict ? -static_cast<int32_t>(kPreHeaderSize) : 0;
      info.weakref_offset = weakrefs ? -8 : 0;
    }
    return;
  }
  uint32_t end = cls->slots_end;
  if ((cls->native->flags & kTypeIsWeakRef) == 0 && weakrefs) {
    info.weakref_offset = static_cast<int32_t>(end);
    end += 8;
  }
  if (dict) {
    cls->attr_offset = static_cast<int32_t>(end);
    end += static_cast<uint32_t>(AttrHeader::SizeFor(0));
    if (!native) cls->inline_capacity.store(kUnknownCapacity, kRelaxed);
  }
  info.basic_size = end;
}

Class* AllocateClass(Context& cx, Class* meta) {
  static const TypeInfo kBootstrap = {.name = "type", .flags = kTypeGc};
  const TypeInfo* info = meta != nullptr ? &meta->info : &kBootstrap;
  // While the first class is made the size of a class is not known from `type` yet: the weakref word follows it.
  ObjectHeader* h = NewObjectZeroed(cx.ts, info, meta != nullptr ? info->basic_size : sizeof(Class) + 16);
  if (h == nullptr) {
    RaiseMemoryError(cx);
    return nullptr;
  }
  return static_cast<Class*>(static_cast<Object*>(h));
}

bool SetClassNames(Context& cx, Class* cls, Str* name, Str* qualname) {
  const std::string text = ToUtf8(name);
  char* copy = static_cast<char*>(AllocateRaw(cx, text.size() + 1 < 8 ? 8 : text.size() + 1));
  if (copy == nullptr) return false;
  std::memcpy(copy, text.c_str(), text.size() + 1);
  char* old = cls->name_text;
  cls->info.name = copy;
  cls->name_text = copy;
  if (old != nullptr) FreeRawDelayed(cx, old);
  StoreSlot(cls, cls->name, Ref::New(name));
  if (qualname != nullptr) StoreSlot(cls, cls->qualname, Ref::New(qualname));
  return true;
}

void VisitClass(Object* o, SlotVisitor& v) {
  Class* c = static_cast<Class*>(o);
  v.Visit(c->name);
  v.Visit(c->qualname);
  v.Visit(c->module_name);
  v.Visit(c->bases);
  v.Visit(c->mro);
  v.Visit(c->dict);
}

void ClearClass(Context& cx, Object* o) {
  // What an instance needs to die stays: layout and bases.  The MRO names the class itself; without it lookups follow
  // the chain of bases.
  Class* c = static_cast<Class*>(o);
  StoreSlot(c, c->mro, Ref());
  // Only its own version: its subclasses are garbage, too, and are cleared for themselves. (Looking for
  // them would make a collection of n classes cost n * n.)  Release: as in InvalidateClass.
  c->version.store(0, kRelease);
  DictClear(cx, PeekSlot(c->dict).as<Dict>());
}

void DestroyClass(Context& cx, Object* o) {
  Class* c = static_cast<Class*>(o);
  UnlinkClass(cx, c);
  for (Slot* s : {&c->name, &c->qualname, &c->module_name, &c->dict, &c->mro, &c->bases}) DecrefValue(cx.ts, PeekSlot(*s));
  SharedKeys* keys = c->shared_keys.load(kRelaxed);
  if (keys != nullptr) FreeRawDelayed(cx, keys);
  if (c->name_text != nullptr) FreeRawDelayed(cx, c->name_text);
}

namespace {

// ---- method resolution order --------------------------------------------------------------------------------

// C3.  `out` is filled with cls, then the merge of the bases' orders.
bool ComputeMro(Context& cx, Class* cls, Tuple* bases) {
  struct Sequence {
    const Value* items;
    size_t n, head;
  };
  const size_t nb = bases->length;
  if (nb > 64) return RaiseTypeError(cx, "too many bases"), false;
  for (size_t i = 0; i < nb; i++) {
    for (size_t j = 0; j < i; j++) {
      if (bases->items[i] != bases->items[j]) continue;
      return RaiseTypeError(cx, "duplicate base class %s", NameOf(bases->items[i].as<Class>())), false;
    }
  }
  Sequence seqs[65];
  size_t total = 1;
  for (size_t i = 0; i < nb; i++) {
    Tuple* m = PeekSlot(bases->items[i].as<Class>()->mro).as<Tuple>();
    seqs[i] = {m->items, m->length, 0};
    total += m->length;
  }
  seqs[nb] = {bases->items, nb, 0};
  Value* out = static_cast<Value*>(AllocateRaw(cx, total * sizeof(Value)));
  if (out == nullptr) return false;
  size_t n = 0;
  out[n++] = cls;
  for (;;) {
    bool empty = true;
    Value next;
    for (size_t i = 0; i <= nb && next.is_null(); i++) {
      if (seqs[i].head == seqs[i].n) continue;
      empty = false;
      Value candidate = seqs[i].items[seqs[i].head];
      bool blocked = false;
      for (size_t j = 0; j <= nb && !blocked; j++) {
        for (size_t k = seqs[j].head + 1; k < seqs[j].n; k++) {
          if (seqs[j].items[k] == candidate) blocked = true;
        }
      }
      if (!blocked) next = candidate;
    }
    if (empty) break;
    if (next.is_null()) {
      std::string names;
      for (size_t i = 0; i < nb; i++) names += (i ? ", " : "") + std::string(NameOf(bases->items[i].as<Class>()));
      FreeRaw(cx, out);
      RaiseTypeError(cx, "Cannot create a consistent method resolution\norder (MRO) for bases %s", names.c_str());
      return false;
    }
    out[n++] = next;
    for (size_t i = 0; i <= nb; i++) {
      if (seqs[i].head < seqs[i].n && seqs[i].items[seqs[i].head] == next) seqs[i].head++;
    }
  }
  Ref mro = NewTuple(cx, out, n);
  FreeRaw(cx, out);
  if (!mro) return false;
  InitSlot(cls->mro, std::move(mro));
  return true;
}

// The class in the chain of `c` that last changed the layout.
Class* SolidBase(Class* c) {
  while (c->base != nullptr && c->layout == c->base->layout && c->native->size == c->base->native->size && c->slots_end == c->base->slots_end) {
    c = c->base;
  }
  return c;
}

Class* BestBase(Context& cx, Tuple* bases) {
  Class* winner = nullptr;
  for (size_t i = 0; i < bases->length; i++) {
    if (!IsClass(bases->items[i])) {
      RaiseTypeError(cx, "bases must be types");
      return nullptr;
    }
    Class* b = bases->items[i].as<Class>();
    if ((b->flags & kTypeSubclassable) == 0) {
      RaiseTypeError(cx, "type '%s' is not an acceptable base type", NameOf(b));
      return nullptr;
    }
    if (winner == nullptr) {
      winner = b;
      continue;
    }
    Class* ws = SolidBase(winner);
    Class* bs = SolidBase(b);
    if (IsSubclass(ws, bs)) continue;
    if (IsSubclass(bs, ws)) {
      winner = b;
    } else {
      RaiseTypeError(cx, "multiple bases have instance lay-out conflict");
      return nullptr;
    }
  }
  return winner;
}

// ---- native classes ---------------------------------------------------------------------------------------------

bool FillNativeDict(Context& cx, Class* cls) {
  const NativeType& t = *cls->native;
  Dict* d = PeekSlot(cls->dict).as<Dict>();
  for (const MethodDef* m = t.methods; m != nullptr && m->name != nullptr; m++) {
    Ref f;
    if ((m->flags & kMethodStatic) != 0) {
      Ref fn = NewNativeFunction(cx, m, Value());
      f = fn ? NewStaticMethod(cx, fn) : Ref();
    } else {
      f = NewMethodDescriptor(cx, m, cls);
    }
    if (!f || !AddClassAttr(cx, cls, m->name, f)) return false;
  }
  for (const GetSetDef* g = t.getset; g != nullptr && g->name != nullptr; g++) {
    Ref f = NewGetSet(cx, g, cls);
    if (!f || !AddClassAttr(cx, cls, g->name, f)) return false;
  }
  for (const MemberDef* m = t.members; m != nullptr && m->name != nullptr; m++) {
    Str* name = Intern(cx, m->name);
    Ref f = name == nullptr ? Ref() : NewMember(cx, name, cls, static_cast<uint32_t>(m->offset), m->read_only, m->none_if_null);
    if (!f || !DictSetStr(cx, d, name, f)) return false;
  }
  // A descriptor for the instances' __doc__ may be there already.
  Ref doc;
  if (DictGetStr(cx, d, cx.rt.names.doc, &doc) != 1) {
    doc = t.doc == nullptr ? cx.NoneRef() : NewStr(cx, t.doc);
    if (!doc || !DictSetStr(cx, d, cx.rt.names.doc, doc)) return false;
  }
  return AddSlotWrappers(cx, cls, t.slots);
}

// A native class lasts as long as the Runtime, and nobody can change it: neither it nor what it is made of is counted or
// a candidate of a collection, as with CPython's static types.  (Left in, these few hundred objects were a third of a pass
// over a small heap.)  What its dict holds was made for it, or is immortal.
void MakeLasting(Context& cx, Class* cls) {
  Dict* d = PeekSlot(cls->dict).as<Dict>();
  size_t pos = 0;
  Ref key, value;
  while (DictNext(cx, d, &pos, &key, &value)) {
    if (value.is_object()) SetImmortal(cx.ts, value.get().object());
  }
  for (Value part : {PeekSlot(cls->dict), PeekSlot(cls->mro), PeekSlot(cls->bases)}) SetImmortal(cx.ts, part.object());
  SetImmortal(cx.ts, cls);
}

}  // namespace

// Native classes are made in two steps, because the first ones are needed by the second step.
Class* DefineTypeBare(Context& cx, const NativeType& t) {
  Class* cls = AllocateClass(cx, cx.rt.cls.type);
  if (cls == nullptr) return nullptr;
  cls->base = t.base != nullptr ? t.base : cx.rt.cls.object;
  cls->native_base = cls;
  cls->native = &t;
  cls->layout = t.layout;
  cls->flags = t.flags;
  cls->slots = t.slots;
  if (cls->base != nullptr) cls->flags |= cls->base->flags & (Class::kIsException);
  cls->info.name = t.name;
  LayOut(cls, (t.flags & kTypeHasDict) != 0 || (cls->base != nullptr && cls->base->attr_offset != 0), (t.flags & kTypeWeakrefs) != 0, 0);
  FillTypeInfo(cx, cls);
  return cls;
}

// Names, MRO, dict and wrappers.  Needs str, tuple, dict and the descriptor classes.
bool FinishType(Context& cx, Class* cls) {
  const NativeType& t = *cls->native;
  InheritNativeSlots(cx, cls);
  Str* name = Intern(cx, t.name);
  if (name == nullptr) return false;
  InitSlot(cls->name, Ref::New(name));
  InitSlot(cls->qualname, Ref::New(name));
  Ref module = NewStr(cx, t.module);
  Ref d = NewDict(cx);
  Value base = cls->base;
  Ref bases = NewTuple(cx, &base, cls->base == nullptr ? 0 : 1);
  if (!module || !d || !bases) return false;
  InitSlot(cls->module_name, std::move(module));
  InitSlot(cls->dict, std::move(d));
  if (!ComputeMro(cx, cls, bases.as<Tuple>())) return false;
  InitSlot(cls->bases, std::move(bases));
  if (!FillNativeDict(cx, cls)) return false;
  MakeLasting(cx, cls);
  LinkClass(cx, cls);
  return true;
}

Class* DefineType(Context& cx, const NativeType& t) {
  Class* cls = DefineTypeBare(cx, t);
  if (cls == nullptr || !FinishType(cx, cls)) return nullptr;
  return cls;
}

// ---- Python classes -----------------------------------------------------------------------------------------------

namespace {

Ref GetDictAttr(Context& cx, Value self) {
  Class* cls = ClassOf(cx, self);
  if (cls->attr_offset == 0) return RaiseAttributeError(cx, self, cx.rt.names.dict);
  return InstanceDict(cx, self.object(), cls);
}
bool SetDictAttr(Context& cx, Value self, Value value) {
  Class* cls = ClassOf(cx, self);
  if (cls->attr_offset == 0) return RaiseAttributeError(cx, self, cx.rt.names.dict), false;
  if (!value.is_null() && !Is<Dict>(value)) {
    return RaiseTypeError(cx, "__dict__ must be set to a dictionary, not a '%s'", ClassName(cx, value)), false;
  }
  return ReplaceInstanceDict(cx, self.object(), cls, value);
}
Ref GetWeakrefAttr(Context& cx, Value self) {
  (void)self;
  return cx.NoneRef();
}
const GetSetDef kDictDef = {"__dict__", GetDictAttr, SetDictAttr};
const GetSetDef kWeakrefDef = {"__weakref__", GetWeakrefAttr, nullptr};

// `__x` inside class C is stored as `_C__x`.
std::string Mangle(const std::string& cls, const std::string& name) {
  if (name.size() < 3 || name[0] != '_' || name[1] != '_' || (name[name.size() - 1] == '_' && name[name.size() - 2] == '_')) return name;
  const size_t i = cls.find_first_not_of('_');
  if (i == std::string::npos) return name;
  return "_" + cls.substr(i) + name;
}

struct SlotNamesFound {
  bool given = false;
  bool dict = false;
  bool weakref = false;
  Ref names;  // List of interned Strs
};

bool ReadSlots(Context& cx, Str* class_name, Dict* ns, SlotNamesFound* out) {
  Ref spec;
  if (DictGetStr(cx, ns, cx.rt.names.slots, &spec) != 1) return true;
  out->given = true;
  out->names = NewList(cx, nullptr, 0);
  if (!out->names) return false;
  const std::string cls = ToUtf8(class_name);
  auto add = [&](Value v) {
    if (!IsStr(v)) return RaiseTypeError(cx, "__slots__ items must be strings, not '%s'", ClassName(cx, v)), false;
    const std::string name = ToUtf8(v.as<Str>());
    if (name == "__dict__") return out->dict = true;
    if (name == "__weakref__") return out->weakref = true;
    Str* s = Intern(cx, Mangle(cls, name));
    if (s == nullptr) return false;
    Ref clash;
    if (DictGetStr(cx, ns, s, &clash) == 1) {
      return RaiseValueError(cx, "'%s' in __slots__ conflicts with class variable", name.c_str()), false;
    }
    return ListAppend(cx, out->names.as<List>(), s);
  };
  if (IsStr(spec)) return add(spec);
  return Iterate(cx, spec, add);
}

bool PrepareDict(Context& cx, Class* cls, Dict* d, Str* name, const SlotNamesFound& slots) {
  const Names& n = cx.rt.names;
  Ref v;
  Str* qualname = name;
  Ref q;
  if (DictGetStr(cx, d, n.qualname, &q) == 1) {
    if (!IsStr(q)) return RaiseTypeError(cx, "type __qualname__ must be a str, not %s", ClassName(cx, q)), false;
    qualname = q.as<Str>();
    if (DictDelete(cx, d, n.qualname) < 0) return false;
  }
  if (!SetClassNames(cx, cls, name, qualname)) return false;
  if (DictGetStr(cx, d, n.module, &v) == 1) {
    StoreSlot(cls, cls->module_name, std::move(v));
  } else if (cx.frame != nullptr && DictGetStr(cx, cx.frame->globals, n.name, &v) == 1) {
    if (!DictSetStr(cx, d, n.module, v)) return false;
    StoreSlot(cls, cls->module_name, std::move(v));
  }
  if (DictGetStr(cx, d, n.doc, &v) != 1 && !DictSetStr(cx, d, n.doc, cx.None())) return false;
  // Implicit static and class methods.
  if (DictGetStr(cx, d, n.new_, &v) == 1 && Is<Function>(v.get())) {
    Ref s = NewStaticMethod(cx, v);
    if (!s || !DictSetStr(cx, d, n.new_, s)) return false;
  }
  for (Str* c : {n.init_subclass, n.class_getitem}) {
    if (DictGetStr(cx, d, c, &v) == 1 && Is<Function>(v.get())) {
      Ref s = NewClassMethod(cx, v);
      if (!s || !DictSetStr(cx, d, c, s)) return false;
    }
  }
  if (DictGetStr(cx, d, n.eq, &v) == 1 && DictGetStr(cx, d, n.hash, &v) != 1 && !DictSetStr(cx, d, n.hash, cx.None())) return false;
  // __slots__
  if (slots.given) {
    const size_t count = ListSize(slots.names.as<List>());
    uint32_t offset = cls->base->slots_end;
    for (size_t i = 0; i < count; i++, offset += 8) {
      Ref s = ListGet(cx, slots.names.as<List>(), static_cast<int64_t>(i));
      Ref m = NewMember(cx, s.as<Str>(), cls, offset, false, false);
      if (!m || !DictSetStr(cx, d, s.as<Str>(), m)) return false;
    }
  }
  if (cls->attr_offset != 0 && cls->base->attr_offset == 0) {
    Ref g = NewGetSet(cx, &kDictDef, cx.rt.cls.object);
    if (!g || !DictSetStr(cx, d, n.dict, g)) return false;
  }
  if (cls->info.weakref_offset != 0 && cls->base->info.weakref_offset == 0) {
    Ref g = NewGetSet(cx, &kWeakrefDef, cx.rt.cls.object);
    if (!g || !DictSetStr(cx, d, n.weakref, g)) return false;
  }
  return true;
}

void SetNameFailed(Context& cx, Class* cls, Str* name, Value value) {
  Ref cause = cx.TakeException();
  RaiseRuntimeError(cx, "Error calling __set_name__ on '%s' instance %s in '%s'", ClassName(cx, value), ReprText(cx, name).c_str(), NameOf(cls));
  ChainCause(cx, std::move(cause));
}

// __set_name__ of the values, then __init_subclass__ of the parent.
bool NotifyParts(Context& cx, Class* cls, Dict* ns, const Args* kwargs) {
  size_t pos = 0;
  Ref key, value;
  while (DictNext(cx, ns, &pos, &key, &value)) {
    if (value.get().is_small_int() || !IsStr(key)) continue;
    Ref hook = LookupSpecial(cx, value, cx.rt.names.set_name);
    if (!hook) continue;
    bool found;
    Value v[] = {cls, key};
    Ref r = CallSpecial(cx, value, cx.rt.names.set_name, Args(v, 2), &found);
    if (!r) return SetNameFailed(cx, cls, key.as<Str>(), value), false;
  }
  Tuple* mro = PeekSlot(cls->mro).as<Tuple>();
  for (size_t i = 1; i < mro->length; i++) {
    Class* c = mro->items[i].as<Class>();
    Ref hook;
    if (DictGetStr(cx, PeekSlot(c->dict).as<Dict>(), cx.rt.names.init_subclass, &hook) != 1) continue;
    Class* hc = ClassOf(cx, hook);
    Ref bound = hc->slots.descr_get != nullptr ? hc->slots.descr_get(cx, hook, Value(), cls) : hook.Copy();
    if (!bound) return false;
    Args args;
    if (kwargs != nullptr) {
      args.kwnames = kwargs->kwnames;
      args.kwvals = kwargs->kwvals;
      args.nkw = kwargs->nkw;
    }
    return static_cast<bool>(Call(cx, bound, args));
  }
  if (kwargs != nullptr && kwargs->nkw > 0) {
    return RaiseTypeError(cx, "%s.__init_subclass__() takes no keyword arguments", NameOf(cls)), false;
  }
  return true;
}

// ---- attributes that the methods set -----------------------------------------------------------------------

// Adds the names that `code` stores as `self.name = ..`, self being its first parameter.  An idea of CPython 3.13
// (`__static_attributes__`): the instances get room for them from the first one on.
void AddSelfStores(const Code* code, std::vector<const Str*>* names) {
  if (code->argcount == 0) return;
  const uint32_t n = static_cast<uint32_t>(code->unit->code.size());
  bool self = false;  // the instruction before pushed slot 0
  for (uint32_t i = 0; i < n && names->size() < static_cast<size_t>(kMaxSharedKeys); ) {
    const uint32_t word = code->unit->code[i];
    const lang::Op op = lang::OpOf(word);
    const uint32_t arg = word >> 8;
    if (op == lang::Op::kStoreAttr && self) {
      const Str* name = code->names[arg];
      if (std::find(names->begin(), names->end(), name) == names->end()) names->push_back(name);
    }
    self = (op == lang::Op::kLoadFast && arg == 0) ||
           ((op == lang::Op::kLoadFastLoadFast || op == lang::Op::kStoreFastLoadFast) && lang::PairSecond(arg) == 0);
    i += static_cast<uint32_t>(lang::OpWords(op));
  }
}

// Room for what the methods of the class and of its bases set.
void ChooseCapacity(Context& cx, Class* cls) {
  if (cls->attr_offset <= 0) return;
  std::vector<const Str*> names;
  Tuple* mro = PeekSlot(cls->mro).as<Tuple>();
  for (size_t i = 0; i < mro->length; i++) {
    Class* c = mro->items[i].as<Class>();
    if ((c->flags & Class::kPython) == 0) continue;
    size_t pos = 0;
    Ref key, value;
    while (DictNext(cx, PeekSlot(c->dict).as<Dict>(), &pos, &key, &value)) {
      if (const Function* f = As<Function>(value)) AddSelfStores(f->code, &names);
    }
  }
  if (!names.empty()) cls->inline_capacity.store(static_cast<uint32_t>(names.size()), kRelaxed);
}

}  // namespace

Class* WinningMetaclass(Context& cx, Class* meta, Tuple* bases) {
  for (size_t i = 0; i < bases->length; i++) {
    Class* of_base = ClassOf(cx, bases->items[i]);
    if (IsSubclass(meta, of_base)) continue;
    if (!IsSubclass(of_base, meta)) {
      RaiseTypeError(cx, "metaclass conflict: the metaclass of a derived class must be a (non-strict) subclass of the metaclasses of all its bases");
      return nullptr;
    }
    meta = of_base;
  }
  return meta;
}

Ref NewClass(Context& cx, Class* meta, Str* name, Value bases_value, Dict* ns, const Args* kwargs) {
  Ref bases = Ref::New(bases_value);
  if (bases.as<Tuple>()->length == 0) {
    Value object = cx.rt.cls.object;
    bases = NewTuple(cx, &object, 1);
    if (!bases) return Ref();
  }
  Class* base = BestBase(cx, bases.as<Tuple>());
  if (base == nullptr) return Ref();
  SlotNamesFound slots;
  if (!ReadSlots(cx, name, ns, &slots)) return Ref();
  const size_t extra = slots.names ? ListSize(slots.names.as<List>()) : 0;
  const bool is_meta = base->layout == Layout::kClass;
  if (extra > 0 && (is_meta || (base->native->flags & kTypeVarSized) != 0)) {
    return RaiseTypeError(cx, "nonempty __slots__ not supported for subtype of '%s'", NameOf(base));
  }
  Ref dict = DictCopy(cx, ns);
  if (!dict) return Ref();

  Class* cls = AllocateClass(cx, meta);
  if (cls == nullptr) return Ref();
  Ref result = Ref::Steal(cls);
  cls->base = base;
  cls->native_base = base->native_base;
  cls->native = base->native;
  cls->layout = base->layout;
  cls->flags = (base->flags & (kTypeSubclassable | kTypeHasRefs | kTypeVarSized | kTypeTrackLater | kTypeIsWeakRef | kTypeSequence | Class::kIsException)) | Class::kPython;
  bool dict_wanted = !is_meta && (!slots.given || slots.dict);  // the attributes of a class are in its own dict
  bool weakrefs = !is_meta && (!slots.given || slots.weakref);
  Tuple* bt = bases.as<Tuple>();
  for (size_t i = 0; i < bt->length; i++) {
    if (!is_meta) dict_wanted |= bt->items[i].as<Class>()->attr_offset != 0;
    weakrefs |= bt->items[i].as<Class>()->info.weakref_offset != 0;
  }
  LayOut(cls, dict_wanted, weakrefs, static_cast<uint32_t>(extra));
  Dict* d = dict.as<Dict>();
  InitSlot(cls->dict, std::move(dict));
  if (!ComputeMro(cx, cls, bt)) return Ref();
  InitSlot(cls->bases, std::move(bases));
  if (!PrepareDict(cx, cls, d, name, slots)) return Ref();
  ChooseCapacity(cx, cls);
  Ref cell;
  if (DictGetStr(cx, d, cx.rt.names.classcell, &cell) == 1 && DictDelete(cx, d, cx.rt.names.classcell) < 0) return Ref();
  ResolveSlots(cx, cls);
  LinkClass(cx, cls);
  TrackNew(cls);
  SetDeferred(cx.ts, cls);
  if (cell && Is<Cell>(cell.get())) StoreSlot(cell.as<Cell>(), cell.as<Cell>()->value, result.Copy());
  if (!NotifyParts(cx, cls, ns, kwargs)) return Ref();
  return result;
}

}  // namespace tidepool::rt
