// Parts of the class machinery that only runtime/vm uses.
#ifndef TIDEPOOL_RUNTIME_VM_CLASS_INTERNAL_H_
#define TIDEPOOL_RUNTIME_VM_CLASS_INTERNAL_H_

#include <string>

#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/function.h"

namespace tidepool::rt {

// Per thread: class version and name -> attribute, borrowed.  An entry is right as long as the class has the version.
struct MethodCache {
  static constexpr size_t kEntries = 1024;
  struct Entry {
    uint32_t version;
    uint32_t fact;     // what attr_cache.h says about them, or 0: not asked yet
    const Str* name;
    uintptr_t value;   // 0: absent
    bool Matches(uint32_t v, const Str* n) const { return version == v && name == n; }
  };
  Entry entries[kEntries] = {};
  Entry* Find(uint32_t version, const Str* name) {
    const size_t h = (reinterpret_cast<uintptr_t>(name) >> 5) ^ (size_t{version} * 0x9E3779B1u);
    return &entries[h & (kEntries - 1)];
  }
};

// A new reference to the value of an entry that matches `version`; null: the class has changed meanwhile.
inline Ref EntryValue(Context& cx, Class* cls, uint32_t version, const MethodCache::Entry* e) {
  const Value v = Value::FromBits(e->value);
  // The class had this version just now, so it held the value just now: the header may be looked at.
  if (v.is_object() && !TryIncrefSpread(cx.ts, v.object())) return Ref();
  Ref r = Ref::Steal(v);
  return cls->version.load(kAcquire) == version ? std::move(r) : Ref();
}

// TypeInfo from layout and native type.
void FillTypeInfo(Context& cx, Class* cls);
// Sets offsets of slots, weakref word and attributes, behind `start` (end of native part and inherited slots).
void LayOut(Class* cls, bool dict, bool weakrefs, uint32_t extra_slots);
void InvalidateClass(Context& cx, Class* cls);
// The list of Python classes.
void LinkClass(Context& cx, Class* cls);
void UnlinkClass(Context& cx, Class* cls);
// Functions of the native class `type` for its instances, the classes.
void VisitClass(Object* o, SlotVisitor& v);
void ClearClass(Context& cx, Object* o);
void DestroyClass(Context& cx, Object* o);
// An unfilled Class object, an instance of `meta` (null while the first classes are made); null: exception pending.
Class* AllocateClass(Context& cx, Class* meta);
bool SetClassNames(Context& cx, Class* cls, Str* name, Str* qualname);
// What stands before and in a class's repr: "module.", empty for builtins, and the qualified name.
std::string ModulePrefix(Class* cls);
std::string Qualname(Class* cls);

// ---- special methods (slots.cc)
bool IsSlotName(Context& cx, Str* name);
// Works the slots of a Python class out from its MRO.
void ResolveSlots(Context& cx, Class* cls);
// After an attribute of cls changed: for it and all its subclasses, in a stop of the world.
void UpdateSlotsOfTree(Context& cx, Class* cls);
// __len__ and so on for the slots a native class fills in itself.
bool AddSlotWrappers(Context& cx, Class* cls, const TypeSlots& own);
bool InitSlotTable(Context& cx);

// Classes in two steps, for those that the second step itself needs.
Class* DefineTypeBare(Context& cx, const NativeType& type);
bool FinishType(Context& cx, Class* cls);
bool InitBareClasses(Context& cx);    // type, object
bool InitBareDescriptors(Context& cx);
bool InitBareFunctions(Context& cx);
bool InitDescriptorTypes(Context& cx);
bool FinishBareClasses(Context& cx);
bool MakeSingletons(Context& cx);     // None and so on, of bare classes
bool FinishSingletons(Context& cx);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_CLASS_INTERNAL_H_
