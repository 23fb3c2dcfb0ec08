// Instance attributes: values inside the instance, names shared by the class.
//
// An instance with a __dict__ has an AttrHeader at class->attr_offset.  As long as `dict` is 0 its attributes
// are in values[i], where i is the index of the name in the class's SharedKeys; order[] remembers
// the order in which this instance got them.  Somebody who asks for `__dict__` (or stores a name that does not fit)
// *materialises* a Dict: from then on it alone holds the attributes.
//
//   A1  dict goes 0 -> Dict under the instance's mutex, published (release) before the values are cleared: a
//       reader that finds a value null looks at dict again.
//   A2  values and order are written under the instance's mutex while dict is 0; read without (LoadSlot).
//   A3  SharedKeys only grow, by at most kMaxSharedKeys names, which are immortal interned strings.
//   A4  Instances of variable-size classes have only the dict word, before the header, and are never inline.
#ifndef TIDEPOOL_RUNTIME_VM_ATTRS_H_
#define TIDEPOOL_RUNTIME_VM_ATTRS_H_

#include "tidepool/runtime/vm/class.h"

namespace tidepool::rt {

inline constexpr int kMaxSharedKeys = 30;

struct SharedKeys {
  Atomic<uint32_t> count;
  Atomic<uint8_t> table[64];             // by address of the name: index + 1, or 0
  Atomic<Str*> names[kMaxSharedKeys];

  static uint32_t HashOf(const Str* name) {
    return static_cast<uint32_t>((reinterpret_cast<uintptr_t>(name) >> 4) * 0x9E3779B1u) >> 26;
  }
  // Index of the name or -1.
  int Find(const Str* name) const {
    for (uint32_t h = HashOf(name);; h = (h + 1) & 63) {
      const uint8_t e = table[h].load(kAcquire);  // pairs with AddKey's release: names[e - 1] is set
      if (e == 0) return -1;
      if (names[e - 1].load(kRelaxed) == name) return e - 1;
    }
  }
};

struct AttrHeader {
  Slot dict;
  Atomic<uint8_t> count;                 // values present
  uint8_t capacity;                      // values there is room for; then order[capacity], then the values

  // Indices of the values present, in the order in which they came.
  Atomic<uint8_t>* order() { return reinterpret_cast<Atomic<uint8_t>*>(reinterpret_cast<char*>(this) + 10); }

  static size_t ValuesOffset(size_t capacity) { return 8 + ((2 + capacity + 7) & ~size_t{7}); }
  static size_t SizeFor(size_t capacity) { return ValuesOffset(capacity) + capacity * 8; }
  Slot* values() { return reinterpret_cast<Slot*>(reinterpret_cast<char*>(this) + ValuesOffset(capacity)); }
};
static_assert(sizeof(AttrHeader) == 16);

inline AttrHeader* AttrsOf(Object* o, const Class* cls) {
  return reinterpret_cast<AttrHeader*>(reinterpret_cast<char*>(o) + cls->attr_offset);
}

// How many names the class shares; while it stays the same no instance has gained an inline attribute of a new name.
inline uint32_t SharedKeyCount(const Class* cls) {
  SharedKeys* keys = cls->shared_keys.load(kAcquire);  // pairs with the release that published it
  return keys == nullptr ? 0 : keys->count.load(kRelaxed);  // relaxed: a name set before in this thread's order is seen
}
// Instances made from now on get room for at least n values (at most kMaxSharedKeys).
void WantCapacity(Class* cls, uint32_t n);

// The attribute `name` (interned) of the instance itself.  Null without exception: absent.
Ref GetInstanceAttr(Context& cx, Object* o, Class* cls, Str* name);
// 1 done, 0 deleting what is absent, -1 exception.  value null: delete.
int SetInstanceAttr(Context& cx, Object* o, Class* cls, Str* name, Value value);
// `__dict__`: materialises.
Ref InstanceDict(Context& cx, Object* o, Class* cls);
// obj.__dict__ = dict (or delete: a new one).
bool ReplaceInstanceDict(Context& cx, Object* o, Class* cls, Value dict);

// For the collector and for dealloc.
void VisitAttrs(Object* o, const Class* cls, SlotVisitor& v);
void ClearAttrs(Context& cx, Object* o, const Class* cls);
void DestroyAttrs(Context& cx, Object* o, const Class* cls);  // of a dead object

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_ATTRS_H_
