// Values and references.
//
// A `Value` is one machine word that names something a script can hold:
//
//   0                nothing: an error, an unbound variable, "absent"
//   low bits 01      a small integer, 62 bits, value = bits >> 2 (arithmetic)
//   low bits 11      a small float: a double whose exponent is in the middle quarter of the range, or a zero
//   anything else    the address of an Object (its header)
//
// A number has one form only: an int that fits is never an Int object, a double that fits never a Float of exactly
// class float (instances of subclasses are objects always). So two equal small numbers of one class are identical.
//
// A Value is *borrowed*: it says nothing about who keeps the object alive.  A `Ref` *owns* one
// reference and drops it when it goes.  The rules of the whole runtime:
//
//   V1  Arguments are borrowed Values; the caller keeps them alive for the call.
//   V2  Whoever creates or loads something returns a Ref.  A null Ref means that an exception is
//       pending in the Context, unless the function says that null means "absent" or "exhausted".
//   V3  A Value loaded from shared memory (a Slot) is never used bare: LoadSlot gives a Ref.
//   V4  A store publishes the new value first and drops the old one afterwards, when the container
//       is consistent: dropping may run arbitrary code.
//
// Small numbers are no objects: `is_object()` before `object()`, always.
#ifndef TIDEPOOL_RUNTIME_VM_VALUE_H_
#define TIDEPOOL_RUNTIME_VM_VALUE_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "tidepool/object/header.h"
#include "tidepool/object/load_ref.h"
#include "tidepool/object/object.h"
#include "tidepool/object/refcount.h"
#include "tidepool/object/thread_state.h"

namespace tidepool::rt {

// Every object of the runtime starts with the header of the object layer and has no virtual functions.
struct Object : ObjectHeader {};

inline constexpr int64_t kMaxSmallInt = (int64_t{1} << 61) - 1;
inline constexpr int64_t kMinSmallInt = -(int64_t{1} << 61);
constexpr bool FitsSmallInt(int64_t v) { return v >= kMinSmallInt && v <= kMaxSmallInt; }

// Small floats. With the sign rotated to the bottom a double reads exponent (11 bits), fraction (52), sign (1). From
// that kFloatBias is taken off, which brings exponents -255 .. 256 (some 1e-77 to 1e77) below 2^62. The two lowest
// numbers, which would be +-2^-255, stand for +0.0 and -0.0 instead.
inline constexpr uint64_t kFloatBias = uint64_t{1023 - 255} << 53;
inline constexpr uint64_t kFloatLimit = uint64_t{1} << 62;

class Value {
 public:
  constexpr Value() : bits_(0) {}
  Value(const Object* o) : bits_(reinterpret_cast<uintptr_t>(o)) {}  // NOLINT: implicit by design
  static constexpr Value FromBits(uintptr_t bits) { Value v; v.bits_ = bits; return v; }
  // The caller knows that FitsSmallInt(v).
  static constexpr Value Small(int64_t v) { return FromBits((static_cast<uintptr_t>(v) << 2) | 1); }
  // The small float of d, or null if there is none.
  static Value SmallFloat(double d) {
    const uint64_t turned = std::rotl(std::bit_cast<uint64_t>(d), 1);
    uint64_t r = turned - kFloatBias;
    if (__builtin_expect(r - 2 >= kFloatLimit - 2, 0)) {
      if (turned > 1) return Value();
      r = turned;
    }
    return FromBits((r << 2) | 3);
  }

  constexpr bool is_null() const { return bits_ == 0; }
  constexpr explicit operator bool() const { return bits_ != 0; }
  constexpr bool is_small_int() const { return (bits_ & 3) == 1; }
  constexpr bool is_small_float() const { return (bits_ & 3) == 3; }
  static constexpr bool BothSmallInts(Value a, Value b) { return (((a.bits_ ^ 1) | (b.bits_ ^ 1)) & 3) == 0; }
  static constexpr bool BothSmallFloats(Value a, Value b) { return (a.bits_ & b.bits_ & 3) == 3; }
  constexpr bool is_object() const { return bits_ != 0 && (bits_ & 1) == 0; }
  constexpr int64_t small_int() const { return static_cast<int64_t>(bits_) >> 2; }
  double small_float() const {
    const uint64_t r = bits_ >> 2;
    return std::bit_cast<double>(std::rotr(r < 2 ? r : r + kFloatBias, 1));
  }
  Object* object() const { return reinterpret_cast<Object*>(bits_); }
  template <class T>
  T* as() const { return static_cast<T*>(reinterpret_cast<Object*>(bits_)); }
  constexpr uintptr_t bits() const { return bits_; }

  // Identity (`is`).
  friend constexpr bool operator==(Value a, Value b) { return a.bits_ == b.bits_; }
  friend constexpr bool operator!=(Value a, Value b) { return a.bits_ != b.bits_; }

 private:
  uintptr_t bits_;
};

inline void IncrefValue(Value v) {
  if (v.is_object()) Incref(v.object());
}
inline void DecrefValue(ThreadState* ts, Value v) {
  if (v.is_object()) Decref(ts, v.object());
}

// The same for what is mostly a spread object (a function, a class): its count in this thread's table is changed in line.
inline void DecrefSpread(ThreadState* ts, ObjectHeader* o) {
  const uint32_t local = o->local.load(kRelaxed);  // relaxed: as IsSpecial
  if (IsSpreadLocal(local) && ts->spread_counts().Add(local - kSpreadBase, -1)) return;
  Decref(ts, o);
}
// As TryIncref.
inline bool TryIncrefSpread(ThreadState* ts, ObjectHeader* o) {
  const uint32_t local = o->local.load(kRelaxed);  // relaxed: as IsSpecial
  if (IsSpreadLocal(local) && ts->spread_counts().Add(local - kSpreadBase, 1)) return true;
  return TryIncref(o);
}

class Ref {
 public:
  Ref() = default;
  Ref(std::nullptr_t) {}  // NOLINT: `return nullptr;` reads well
  Ref(Ref&& o) noexcept : v_(o.v_) { o.v_ = Value(); }
  Ref& operator=(Ref&& o) noexcept {
    Value old = v_;
    v_ = o.v_;
    o.v_ = Value();
    Drop(old);
    return *this;
  }
  Ref(const Ref&) = delete;
  Ref& operator=(const Ref&) = delete;
  ~Ref() { Drop(v_); }

  // Takes over a reference that the caller owns.
  static Ref Steal(Value v) { Ref r; r.v_ = v; return r; }
  // Makes a new reference.
  static Ref New(Value v) { IncrefValue(v); return Steal(v); }
  static Ref Small(int64_t v) { return Steal(Value::Small(v)); }

  Ref Copy() const { return New(v_); }
  Value get() const { return v_; }
  // Borrows.  Not for temporaries: `Value v = Make();` would dangle.
  operator Value() const& { return v_; }  // NOLINT
  operator Value() const&& = delete;
  explicit operator bool() const { return !v_.is_null(); }
  bool is_null() const { return v_.is_null(); }
  bool is_object() const { return v_.is_object(); }
  template <class T>
  T* as() const { return v_.as<T>(); }
  // Gives the reference away.
  [[nodiscard]] Value release() { Value v = v_; v_ = Value(); return v; }
  void reset() { Value v = v_; v_ = Value(); Drop(v); }

 private:
  static void Drop(Value v) {
    if (v.is_object()) Decref(ThreadState::Current(), v.object());
  }
  Value v_;
};

// ---- Slots -----------------------------------------------------------------------------------
// A Slot (object layer: Atomic<uintptr_t>) is a word of shared memory that owns one reference.

// The present value without a reference: only for the collector (world stopped), for a thread that holds the
// container's mutex, and for containers nobody else can see.
inline Value PeekSlot(const Slot& s) { return Value::FromBits(s.load(kRelaxed)); }

// Sets a slot of an object that nobody else can see yet.
inline void InitSlot(Slot& s, Ref v) { s.store(v.release().bits(), kRelaxed); }

// A new reference to what the slot holds; null if the slot is empty.  Lock-free, and falls back to the container's
// mutex, so the caller must not hold it (use PeekSlot + Ref::New there).
Ref LoadSlot(Object* container, Slot& s);

// Publishes `v` and returns the old value for the caller to drop (V4).  The container's mutex must be held if
// readers fall back to it, which LoadSlot's do; StoreSlot takes it.
inline Ref ExchangeSlotLocked(Slot& s, Ref v) {
  return Ref::Steal(Value::FromBits(tidepool::ExchangeSlotLocked(s, v.release().bits())));
}
void StoreSlot(Object* container, Slot& s, Ref v);

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_VM_VALUE_H_
