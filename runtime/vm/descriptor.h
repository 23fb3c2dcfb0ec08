// Descriptors: what stands in class dicts besides functions.
#ifndef TIDEPOOL_RUNTIME_VM_DESCRIPTOR_H_
#define TIDEPOOL_RUNTIME_VM_DESCRIPTOR_H_

#include "tidepool/runtime/vm/class.h"

namespace tidepool::rt {

// A row of the table of special methods (slots.cc).
struct SlotDef {
  const char* name;
  uint16_t slot;           // index into TypeSlots
  void (*generic)();       // what a Python class gets
  Ref (*wrapper)(Context&, const SlotDef*, void (*slot)(), Value self, const Args&);  // what a native class shows
};

// slot wrapper: `list.__len__`
struct WrapperDescriptor : Object {
  static constexpr Layout kLayout = Layout::kWrapperDescriptor;
  const SlotDef* def;
  Class* owner;
};
// method-wrapper: `[].__len__`
struct MethodWrapper : Object {
  static constexpr Layout kLayout = Layout::kMethodWrapper;
  Slot descriptor;
  Slot self;
};
struct GetSetDescriptor : Object {
  static constexpr Layout kLayout = Layout::kGetSet;
  const GetSetDef* def;
  Class* owner;
};
// A Slot at an offset: a MemberDef of a native class, or an entry of __slots__.
struct MemberDescriptor : Object {
  static constexpr Layout kLayout = Layout::kMember;
  Str* name;
  Class* owner;            // the class that has it; Python classes are kept alive by `owner_ref`
  Slot owner_ref;
  uint32_t offset;
  bool read_only;
  bool none_if_null;
};
struct Property : Object {
  static constexpr Layout kLayout = Layout::kProperty;
  Slot getter, setter, deleter, doc, name;
};
struct StaticMethod : Object {
  static constexpr Layout kLayout = Layout::kStaticMethod;
  Slot func;
};
struct ClassMethod : Object {
  static constexpr Layout kLayout = Layout::kClassMethod;
  Slot func;
};
struct Super : Object {
  static constexpr Layout kLayout = Layout::kSuper;
  Slot cls;                // the class whose successors are searched
  Slot self;               // an instance or a class, or null
  Slot self_class;         // whose MRO is used
};

Ref NewWrapperDescriptor(Context& cx, const SlotDef* def, Class* owner);
Ref NewMember(Context& cx, Str* name, Class* owner, uint32_t offset, bool read_only, bool none_if_null);
Ref NewStaticMethod(Context& cx, Value func);
Ref NewClassMethod(Context& cx, Value func);

void (*WrappedSlot(const WrapperDescriptor* w))();
void InheritNativeSlots(Context& cx, Class* cls);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_DESCRIPTOR_H_
