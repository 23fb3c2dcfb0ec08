// int and bool.
//
// Small integers (62 bits) are tagged words and no objects. All others are Int objects: a sign and a
// magnitude of 64-bit limbs. Invariants:
//   I1  An object of exactly class int never holds a value of the small range; bools and instances of
//       subclasses may.
//   I2  The magnitude has no leading zero limb; zero has no limbs and no sign.
//   I3  Int objects never change.
// Arithmetic: the functions below take any mixture; the interpreter does small op small itself where
// it cannot overflow. Text in base 10 is limited to 4300 digits, as in CPython.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_INT_H_
#define TIDEPOOL_RUNTIME_OBJECTS_INT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "tidepool/runtime/objects/bigint_math.h"
#include "tidepool/runtime/objects/text.h"
#include "tidepool/runtime/vm/class.h"
#include "tidepool/runtime/vm/value.h"

namespace tidepool::rt {

struct Int : Object {
  static constexpr Layout kLayout = Layout::kInt;
  int64_t size;  // number of limbs, negative for negative values
  bigmath::Limb limbs[];
};

// An integer as sign and magnitude; small ones lie in the view itself.
class IntView {
 public:
  explicit IntView(Value v);
  IntView(const IntView&) = delete;
  IntView& operator=(const IntView&) = delete;
  const bigmath::Limb* limbs() const { return limbs_; }
  size_t size() const { return size_; }
  bool negative() const { return negative_; }

 private:
  const bigmath::Limb* limbs_;
  size_t size_;
  bool negative_;
  bigmath::Limb small_;
};

// A computation over immutable or private memory. From some 50 us on (`work` counts multiplications of limbs) the thread is
// detached meanwhile, so that no stop and no collection waits for it. No lock is held across it, and nothing borrowed but
// what the caller's arguments keep alive.
class LongComputation {
 public:
  LongComputation(Context& cx, size_t work) : ts_(work < (size_t{1} << 16) ? nullptr : cx.ts) {
    if (ts_ != nullptr) ts_->Detach();
  }
  ~LongComputation() {
    if (ts_ != nullptr) ts_->Attach();
  }
  LongComputation(const LongComputation&) = delete;
  LongComputation& operator=(const LongComputation&) = delete;

 private:
  ThreadState* const ts_;
};

Ref NewIntSlow(Context& cx, int64_t v);
inline Ref NewInt(Context& cx, int64_t v) { return FitsSmallInt(v) ? Ref::Small(v) : NewIntSlow(cx, v); }
Ref NewIntUnsigned(Context& cx, uint64_t v);
// Little-endian; normalised to a small integer where it fits.
Ref NewIntFromLimbs(Context& cx, const uint32_t* limbs, size_t n, bool negative);
Ref NewIntFromLimbs64(Context& cx, const bigmath::Limb* limbs, size_t n, bool negative);
// Truncates; ValueError or OverflowError for nan and infinities.
Ref NewIntFromDouble(Context& cx, double v);
// As int(text, base): spaces, sign, underscores, prefix. `shown` is what the message quotes.
Ref IntFromText(Context& cx, TextView text, int base, Value shown);
Ref IntFromText(Context& cx, std::string_view text, int base);

// False if it is no int or does not fit; raises nothing.
bool IntToInt64(Value v, int64_t* out);
// -1 too small, 1 too large, 0 fits; *out is the nearest int64. For ints only.
int IntClamp(Value v, int64_t* out);
// The nearest double; OverflowError if too large.
bool IntToDouble(Context& cx, Value v, double* out);
int64_t IntHash(Value v);
bool IntIsZero(Value v);
bool IntIsNegative(Value v);
int IntCompare(Value a, Value b);               // -1, 0, 1
int IntCompareDouble(Value a, double b);        // -1, 0, 1, exact; b is not nan
uint64_t IntBitLength(Value v);
bool IntIsOdd(Value v);

Ref IntAdd(Context& cx, Value a, Value b);
Ref IntSub(Context& cx, Value a, Value b);
Ref IntMul(Context& cx, Value a, Value b);
Ref IntTrueDiv(Context& cx, Value a, Value b);
Ref IntFloorDiv(Context& cx, Value a, Value b);
Ref IntMod(Context& cx, Value a, Value b);
Ref IntDivMod(Context& cx, Value a, Value b);   // a tuple
Ref IntPow(Context& cx, Value a, Value b, Value modulus);  // modulus null or an int
Ref IntLShift(Context& cx, Value a, Value b);
Ref IntRShift(Context& cx, Value a, Value b);
Ref IntAnd(Context& cx, Value a, Value b);
Ref IntOr(Context& cx, Value a, Value b);
Ref IntXor(Context& cx, Value a, Value b);
Ref IntNeg(Context& cx, Value v);
Ref IntInvert(Context& cx, Value v);
Ref IntAbs(Context& cx, Value v);
Ref IntPlain(Context& cx, Value v);             // as exactly an int (bools and subclasses converted)
Ref IntSqrt(Context& cx, Value v);              // math.isqrt; ValueError if negative
Ref IntGcd(Context& cx, Value a, Value b);

// Digits with sign; `prefix` adds 0x and the like. A Str.
Ref IntToStr(Context& cx, Value v, int base = 10, bool prefix = false);
// Little-endian two's complement into n bytes; false: does not fit (nothing raised).
bool IntToBytes(Value v, unsigned char* out, size_t n, bool is_signed);
Ref IntFromBytes(Context& cx, const unsigned char* bytes, size_t n, bool is_signed);  // little-endian

}  // namespace tidepool::rt

#endif  // TIDEPOOL_RUNTIME_OBJECTS_INT_H_
