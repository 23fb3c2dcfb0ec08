// Classes: what an object of the runtime can do, and where its parts lie.
//
// A Class is an object that embeds the TypeInfo of its instances, so `obj->type()` leads to the
// class by a constant offset.  Native and Python classes are the same struct.
//
//   layout    which C++ struct an instance starts with, inherited: a Python subclass of list has kList
//   slots     native entry points, one per operation.  A native class fills them in; for a Python
//             class they are worked out from its MRO: a native base's function where nothing Python overrides
//             it, else a generic function that calls the special method
//   dict      the class's attributes.  Changed only through SetClassAttr, which moves `version`
//   version   0, or a number never used before that stands for "the attributes of this class and of
//             everything in its MRO as they are now".  Caches are keyed by it.  It is set to 0 *before*
//             an attribute changes, so: version v seen, attribute taken, v seen again => right for v
//
// Instance layout, fixed-size classes:      header | native part | __slots__ | weakref word | AttrHeader...
// Variable-size classes (int, str, bytes, tuple), subclasses with a __dict__ or weakrefs: the two words
// before the header (heap kind gc_pre) are attribute dict and weakref word.
//
// Native classes are described by a NativeType and made by DefineType.  Their functions:
//   traverse  reports every slot to the visitor; world stopped; no locks, no allocation
//   clear     drops references that may be part of a cycle; the object stays valid (may be null)
//   destroy   at death: drops everything and frees raw memory; the generic dealloc does attributes, weakrefs
//             and the block itself.  If null, `clear` is used
#ifndef TIDEPOOL_RUNTIME_VM_CLASS_H_
#define TIDEPOOL_RUNTIME_VM_CLASS_H_

#include <cstddef>
#include <cstdint>

#include "tidepool/object/type_info.h"
#include "tidepool/runtime/vm/call.h"
#include "tidepool/runtime/vm/context.h"
#include "tidepool/runtime/vm/value.h"

namespace tidepool::rt {

enum class Layout : uint8_t {
  kObject,  // no native part
  kOther,   // a native struct that only its own class knows
  kNone, kNotImplemented, kEllipsis,
  kInt, kFloat, kStr, kBytes, kByteArray, kMemoryView,
  kList, kTuple, kDict, kSet, kRange, kSlice,
  kClass, kFunction, kMethod, kNativeFunction, kMethodDescriptor, kWrapperDescriptor, kMethodWrapper, kGetSet, kMember,
  kProperty, kStaticMethod, kClassMethod, kSuper, kCell, kCode, kFrame, kTraceback, kGenerator, kModule, kException,
  kWeakRef,
};
// kInt objects are bools and integers outside the small range (and subclasses); kSet is set and frozenset.

enum class BinaryOp : uint8_t {
  kAdd, kSub, kMul, kMatMul, kTrueDiv, kFloorDiv, kMod, kPow, kLShift, kRShift, kAnd, kOr, kXor, kDivMod,
};
inline constexpr int kNumBinaryOps = 14;
enum class UnaryOp : uint8_t { kNeg, kPos, kInvert, kAbs };
inline constexpr int kNumUnaryOps = 4;
enum class CompareOp : uint8_t { kLt, kLe, kEq, kNe, kGt, kGe };

// Native entry points.  All may be null.  Null Ref, false or -1: an exception is pending.
struct TypeSlots {
  Ref (*repr)(Context&, Value self) = nullptr;
  Ref (*str)(Context&, Value self) = nullptr;
  bool (*hash)(Context&, Value self, int64_t* out) = nullptr;   // never -1
  Ref (*call)(Context&, Value self, const Args&) = nullptr;
  Ref (*getattr)(Context&, Value self, Str* name) = nullptr;    // null: GenericGetAttr
  bool (*setattr)(Context&, Value self, Str* name, Value value) = nullptr;  // value null: delete
  Ref (*descr_get)(Context&, Value self, Value obj, Class* cls) = nullptr;  // obj null: looked up on the class
  bool (*descr_set)(Context&, Value self, Value obj, Value value) = nullptr;
  Ref (*iter)(Context&, Value self) = nullptr;
  Ref (*next)(Context&, Value self) = nullptr;                  // null and nothing or StopIteration pending: exhausted (call Next)
  int64_t (*len)(Context&, Value self) = nullptr;
  Ref (*getitem)(Context&, Value self, Value key) = nullptr;
  bool (*setitem)(Context&, Value self, Value key, Value value) = nullptr;  // value null: delete
  int (*contains)(Context&, Value self, Value item) = nullptr;
  int (*truth)(Context&, Value self) = nullptr;
  Ref (*compare)(Context&, Value self, Value other, CompareOp) = nullptr;   // or NotImplemented
  // Called with an operand of this class on either side, or NotImplemented.  Sequences' + and * are here too.
  Ref (*binary[kNumBinaryOps])(Context&, Value lhs, Value rhs) = {};
  Ref (*inplace[kNumBinaryOps])(Context&, Value self, Value rhs) = {};
  Ref (*unary[kNumUnaryOps])(Context&, Value self) = {};
  Ref (*index)(Context&, Value self) = nullptr;     // an int object
  Ref (*to_int)(Context&, Value self) = nullptr;
  Ref (*to_float)(Context&, Value self) = nullptr;
  Ref (*create)(Context&, Class* cls, const Args&) = nullptr;   // __new__; null: the class cannot be called
  bool (*init)(Context&, Value self, const Args&) = nullptr;    // __init__
};

struct GetSetDef {
  const char* name;
  Ref (*get)(Context&, Value self);
  bool (*set)(Context&, Value self, Value value);  // null: read-only; value null: delete
};

// A slot of the struct shown as an attribute (null in it: AttributeError, or None if `none_if_null`).
struct MemberDef {
  const char* name;
  size_t offset;
  bool read_only;
  bool none_if_null;
};

// Reports references to the collector.
class SlotVisitor {
 public:
  SlotVisitor(Visitor fn, void* arg) : fn_(fn), arg_(arg) {}
  void Visit(Value v) {
    if (v.is_object() && result_ == 0) result_ = fn_(v.object(), arg_);
  }
  void Visit(const Slot& s) { Visit(PeekSlot(s)); }
  void Visit(const Object* o) { Visit(Value(o)); }
  int result() const { return result_; }

 private:
  Visitor fn_;
  void* arg_;
  int result_ = 0;
};

enum NativeTypeFlags : uint32_t {
  kTypeSubclassable = 1,   // Python classes may derive from it
  kTypeHasRefs = 2,        // lives in the gc heap and is tracked; needs traverse
  kTypeVarSized = 4,       // instances have a variable part (see layout above)
  kTypeHasDict = 8,        // instances have attributes: AttrHeader at the end
  kTypeWeakrefs = 16,      // instances can be weakly referenced: a weakref word is appended to `size`
  kTypeUnhashable = 32,    // __hash__ is None
  kTypeTrackLater = 64,    // NewInstance does not Track; the maker does once it is filled in
  kTypeIsWeakRef = 128,    // instances start with the object layer's WeakRef (their functions use TraverseWeakRef and so on)
  kTypeSequence = 256,     // + and * concatenate and repeat: asked only after the numbers on both sides (protocol.cc)
};

struct NativeType {
  const char* name = nullptr;          // "deque"
  const char* module = "builtins";     // its __module__
  const char* full_name = nullptr;     // what CPython's messages call it, e.g. "collections.deque"; null: its name
  Layout layout = Layout::kOther;
  size_t size = sizeof(Object);        // of the C++ struct
  uint32_t flags = 0;
  Class* base = nullptr;               // null: object
  const char* doc = nullptr;
  TypeSlots slots = {};
  const MethodDef* methods = nullptr;  // ends with {nullptr}
  const GetSetDef* getset = nullptr;
  const MemberDef* members = nullptr;
  void (*traverse)(Object*, SlotVisitor&) = nullptr;
  void (*clear)(Context&, Object*) = nullptr;
  void (*destroy)(Context&, Object*) = nullptr;
  void (*finalize)(Context&, Object*) = nullptr;  // user code at death, once (generators)
};

// Makes the class, with wrappers for its slots (`list.__len__`), and a method table entry per MethodDef.  Null: no memory.
// The new class is immortal (native classes live as long as the Runtime).
Class* DefineType(Context& cx, const NativeType& type);

struct SharedKeys;  // attrs.h: names of instance attributes, shared by all instances of a class

struct Class : Object {
  TypeInfo info;             // of the instances; directly behind the header (FromInfo)
  TypeSlots slots = {};
  Layout layout;
  uint32_t flags;            // NativeTypeFlags of the native base, plus:
  static constexpr uint32_t kPython = 1u << 16;         // made by a class statement
  static constexpr uint32_t kPreHeader = 1u << 17;      // attributes and weakrefs lie before the header
  static constexpr uint32_t kHasDel = 1u << 18;
  static constexpr uint32_t kGenericGetAttr = 1u << 19; // attribute reads may use caches
  static constexpr uint32_t kGenericSetAttr = 1u << 20;
  static constexpr uint32_t kIsException = 1u << 21;
  static constexpr uint32_t kAbstract = 1u << 22;        // its own __abstractmethods__ is not empty: object.__new__ refuses
  int32_t attr_offset;       // of the AttrHeader from the header; 0: instances have no __dict__
  char* name_text;           // what info.name points at, if it is ours
  Class* base;               // the base that decides the layout; null only for object
  Class* native_base;        // nearest native class: owner of the native part
  const NativeType* native;  // of native_base
  Atomic<uint32_t> version;
  Slot name;                 // Str
  Slot qualname;             // Str
  Slot module_name;          // Value or null
  Slot bases;                // Tuple
  Slot mro;                  // Tuple, the class itself first
  Slot dict;                 // Dict
  Atomic<SharedKeys*> shared_keys;
  Class* next_class;         // of Runtime::classes or native_classes (class_mutex)
  Class* prev_class;
  uint32_t slots_offset;     // of the first word of __slots__ (bases' ones included)
  uint32_t slots_end;        // end of native part and __slots__
  Atomic<uint32_t> inline_capacity;  // attribute slots new instances get
  static Class* FromInfo(const TypeInfo* info) {
    return reinterpret_cast<Class*>(reinterpret_cast<uintptr_t>(info) - sizeof(Object));  // asserted in class.cc
  }
};

// ---- asking ------------------------------------------------------------------------------------

inline Class* ClassOf(Object* o) { return Class::FromInfo(o->type()); }
inline Class* ClassOf(Context& cx, Value v) {
  return v.is_small_int() ? cx.rt.cls.int_ : v.is_small_float() ? cx.rt.cls.float_ : ClassOf(v.object());
}
// Of objects: small numbers have none (IsInt, IsFloat).
inline bool HasLayout(Value v, Layout l) { return v.is_object() && ClassOf(v.object())->layout == l; }

// `Is<List>(v)`: v is a list or an instance of a subclass.  T::kLayout names the layout.
template <class T>
bool Is(Value v) { return HasLayout(v, T::kLayout); }
// T if it is one, else null.
template <class T>
T* As(Value v) { return Is<T>(v) ? v.as<T>() : nullptr; }
// An object of exactly `cls`: true of no small number.
inline bool IsExact(Value v, const Class* cls) { return v.is_object() && v.object()->type() == &cls->info; }

inline bool IsInt(Value v) { return v.is_small_int() || HasLayout(v, Layout::kInt); }
inline bool IsFloat(Value v) { return v.is_small_float() || HasLayout(v, Layout::kFloat); }
inline bool IsStr(Value v) { return HasLayout(v, Layout::kStr); }
inline bool IsClass(Value v) { return HasLayout(v, Layout::kClass); }

// Instances have __iter__ or __getitem__; whether they really are iterable, Iter() finds out.
inline bool MayIterate(const Class* cls) { return cls->slots.iter != nullptr || cls->slots.getitem != nullptr; }
bool IsSubclass(const Class* cls, const Class* base);   // by MRO, no __subclasscheck__
inline bool IsInstance(Context& cx, Value v, const Class* cls) { return IsSubclass(ClassOf(cx, v), cls); }
// For messages, as CPython's tp_name: __name__, and of a native class of a module the module's name before it. Valid until the
// next safepoint. ShortName is __name__ for all.
const char* NameOf(const Class* cls);
const char* ClassName(Context& cx, Value v);
const char* ShortName(const Class* cls);

// ---- making ------------------------------------------------------------------------------------

// A new instance of `cls` with zeroed body and attributes set up; `extra` bytes follow the class's basic size
// (variable-size layouts).  Tracked unless kTypeTrackLater.  Null: MemoryError pending.
Ref NewInstance(Context& cx, Class* cls, size_t extra = 0);
template <class T>
T* NewNative(Context& cx, Class* cls, size_t extra = 0) {
  Ref r = NewInstance(cx, cls, extra);
  return static_cast<T*>(static_cast<Object*>(r.release().object()));
}

// type.__new__(meta, name, bases, dict) and the class statement.  `bases` is a Tuple, `ns` a Dict (copied).  The class of
// the new class is the most derived one among `meta` and the classes of the bases.
Ref NewClass(Context& cx, Class* meta, Str* name, Value bases, Dict* ns, const Args* kwargs = nullptr);
// That class; null: TypeError pending.
Class* WinningMetaclass(Context& cx, Class* meta, Tuple* bases);

// ---- class attributes ----------------------------------------------------------------------------

// The attribute found along the MRO, no descriptors applied.  Null without exception: absent.
Ref LookupInMro(Context& cx, Class* cls, Str* name);
// On the class of v: for special methods.
inline Ref LookupSpecial(Context& cx, Value v, Str* name) { return LookupInMro(cx, ClassOf(cx, v), name); }
bool SetClassAttr(Context& cx, Class* cls, Str* name, Value value);  // value null: delete
// Adds an attribute to a native class under construction.
bool AddClassAttr(Context& cx, Class* cls, const char* name, Value value);
// What stands in the class for an attribute that is computed; `owner` is the class whose instances it is for.
Ref NewGetSet(Context& cx, const GetSetDef* def, Class* owner);
// A dict that can only be read: cls.__dict__, keys().mapping.
Ref NewMappingProxy(Context& cx, Value dict);

// ---- raw memory of native structs ----------------------------------------------------------------

// From the raw heap; null: MemoryError pending.
void* AllocateRaw(Context& cx, size_t size);
inline void FreeRaw(Context& cx, void* p) { cx.ts->heap()->Free(p); }
// For blocks that lock-free readers may still be looking at: the first word becomes a link.
inline void FreeRawDelayed(Context& cx, void* p) { cx.ts->heap()->FreeDelayed(p); }

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_CLASS_H_
