// TypeInfo: what the memory system must know about a type.
//
// A TypeInfo is plain data with a lifetime at least that of its instances.
// For types that an embedder makes at run time it lies inside the class object
// (`type_object`), which has deferred counting: instances do not count it, and
// the collector follows the edge from instance to class itself.
//
// The functions
//   traverse  calls visit(target, arg) for every reference that the object
//             holds and counts, stops and returns the result if it is not 0.
//             Runs during stops, on one or several threads: it takes no lock,
//             allocates nothing and changes no count. A slot that is read is
//             passed through VisitSlot. type_object is not visited by it.
//   clear     drops references so that cycles through the object break. World
//             running. The object stays valid.
//   finalize  user code that runs once, with a reference held by the caller;
//             may resurrect. World running.
//   dealloc   drops the fields and then calls FreeObject(ts, obj). When it
//             runs the object is dead (no reference exists and none can come
//             into being), untracked, and its weakrefs are cleared. Drops go
//             through Decref, which bounds the recursion (dead_list.h).
//             Null means: no fields, just FreeObject.
#ifndef TIDEPOOL_OBJECT_TYPE_INFO_H_
#define TIDEPOOL_OBJECT_TYPE_INFO_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/object/header.h"

namespace tidepool {

class ThreadState;

using Visitor = int (*)(ObjectHeader* target, void* arg);

enum TypeFlags : uint32_t {
  // Holds references: instances live in a gc heap and may be tracked.
  kTypeGc = 1 << 0,
  // Two words before the header (heap kind gc_pre); implies kTypeGc.
  kTypePreHeader = 1 << 1,
  // The TypeInfo lies inside type_object.
  kTypeHeapType = 1 << 2,
  // Instances are WeakRefs (weakref.h).
  kTypeWeakRef = 1 << 3,
  // Free for the embedder: bits 16 to 31.
  kTypeEmbedderShift = 16,
};

struct TypeInfo {
  const char* name = "?";
  size_t basic_size = sizeof(ObjectHeader);
  uint32_t flags = 0;
  int (*traverse)(ObjectHeader* obj, Visitor visit, void* arg) = nullptr;
  void (*clear)(ThreadState* ts, ObjectHeader* obj) = nullptr;
  void (*finalize)(ThreadState* ts, ObjectHeader* obj) = nullptr;
  void (*dealloc)(ThreadState* ts, ObjectHeader* obj) = nullptr;
  // Offset from the header of an Atomic<WeakRef*>, the list head; 0 if
  // instances cannot be weakly referenced.
  int32_t weakref_offset = 0;
  // The class object or null. Types with one must be kTypeGc.
  ObjectHeader* type_object = nullptr;
  void* embedder = nullptr;
};

// A slot holds 0, an object, or a tagged value (low bit set) that is no object.
using Slot = Atomic<uintptr_t>;

inline constexpr bool IsTagged(uintptr_t value) { return (value & 1) != 0; }
inline bool IsObject(uintptr_t value) { return value != 0 && !IsTagged(value); }
inline ObjectHeader* AsObject(uintptr_t value) {
  return reinterpret_cast<ObjectHeader*>(value);
}
inline uintptr_t AsValue(const ObjectHeader* obj) {
  return reinterpret_cast<uintptr_t>(obj);
}

// For traverse functions.
inline int VisitValue(uintptr_t value, Visitor visit, void* arg) {
  return IsObject(value) ? visit(AsObject(value), arg) : 0;
}
inline int VisitSlot(const Slot& slot, Visitor visit, void* arg) {
  // Relaxed: the world is stopped, which orders everything before it.
  return VisitValue(slot.load(kRelaxed), visit, arg);
}

}  // namespace tidepool

#endif  // TIDEPOOL_OBJECT_TYPE_INFO_H_
