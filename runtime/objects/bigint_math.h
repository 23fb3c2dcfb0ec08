// Magnitude arithmetic for integers of any size.
//
// What it is: functions over little-endian arrays of 64-bit limbs, without sign, without object
// headers and without an opinion on where results live: the caller gives every output array. The
// integer type (int.h) keeps sign and storage; this file is plain C++ and is tested alone.
//
// Words: a *limb* is one 64-bit digit; a *magnitude* is (limbs, count); it is *normalised* when
// its top limb is not zero (zero has count 0). Inputs need not be normalised unless it is said.
//
// Memory: only Mul (Karatsuba above kKaratsubaLimbs) and DivMod (normalised copies) need scratch;
// it comes from malloc, and both return false when there is none, with nothing lost.
//
// Cost: addition, shifts and comparisons are linear. Multiplication is quadratic up to 40 limbs and
// n^1.58 above; division is Knuth's algorithm D, quadratic. Text conversion is quadratic in 19-digit
// steps: 100,000 digits take about a tenth of a second, and scripts are stopped at 4300 by
// default. A subquadratic conversion was left out for that reason.
#ifndef TIDEPOOL_RUNTIME_OBJECTS_BIGINT_MATH_H_
#define TIDEPOOL_RUNTIME_OBJECTS_BIGINT_MATH_H_

#include <cstddef>
#include <cstdint>

namespace tidepool::rt::bigmath {

using Limb = uint64_t;
inline constexpr size_t kLimbBits = 64;
inline constexpr size_t kKaratsubaLimbs = 40;
// 10^19 is the largest power of ten in a limb.
inline constexpr Limb kDecimalBase = 10000000000000000000ull;
inline constexpr size_t kDecimalDigits = 19;

// Number of limbs without leading zeros.
size_t Normalized(const Limb* a, size_t n);
// -1, 0, 1; inputs normalised.
int Compare(const Limb* a, size_t na, const Limb* b, size_t nb);
// Bits up to the highest one; input normalised.
uint64_t BitLength(const Limb* a, size_t n);

// r[0..na) = a + b, na >= nb; returns the carry. r may be a.
Limb Add(Limb* r, const Limb* a, size_t na, const Limb* b, size_t nb);
// r[0..na) = a - b, a >= b, na >= nb; returns the borrow (0 when a >= b). r may be a.
Limb Sub(Limb* r, const Limb* a, size_t na, const Limb* b, size_t nb);
// r[0..n) = a * m + add; returns the carry limb. r may be a.
Limb MulLimb(Limb* r, const Limb* a, size_t n, Limb m, Limb add);
// q[0..n) = a / d; returns the remainder; d != 0. q may be a.
Limb DivLimb(Limb* q, const Limb* a, size_t n, Limb d);
// r[0..na+nb) = a * b; r overlaps neither. False: out of memory.
[[nodiscard]] bool Mul(Limb* r, const Limb* a, size_t na, const Limb* b, size_t nb);
// q[0..na-nb+1) and rem[0..nb): a / b, with na >= nb and b normalised, nb >= 1. q or rem may be null
// (not wanted); they overlap neither input. False: out of memory.
[[nodiscard]] bool DivMod(Limb* q, Limb* rem, const Limb* a, size_t na, const Limb* b, size_t nb);

// r[0..n + bits/64 + 1) = a << bits.
void ShiftLeft(Limb* r, const Limb* a, size_t n, uint64_t bits);
// r[0..n - bits/64) = a >> bits, bits/64 < n; returns whether a one bit was shifted out.
bool ShiftRight(Limb* r, const Limb* a, size_t n, uint64_t bits);

// In place: a = -a in two's complement over n limbs (used by the bit operations on negatives).
void Negate(Limb* a, size_t n);

// Room needed for the text of a magnitude with `bits` bits in `base`, without sign.
size_t DigitRoom(uint64_t bits, int base);
// Writes the digits (lower case) to `out`, which has DigitRoom bytes, and returns their number. `a` is used
// as working space and is destroyed. Base 2 to 36.
size_t ToDigits(Limb* a, size_t n, int base, char* out);
// Limbs that surely hold `digits` digits of `base`.
size_t LimbRoom(size_t digits, int base);
// Reads digit values (0..base-1, one per byte) into r, which has LimbRoom limbs; returns the normalised count.
size_t FromDigits(Limb* r, const uint8_t* digits, size_t count, int base);

// The nearest double, ties to even; infinite when out of range. Input normalised.
double ToDouble(const Limb* a, size_t n);
// The same, with a sticky bit: whether something nonzero lies below the lowest limb, and a power of two.
double ToDoubleScaled(const Limb* a, size_t n, bool sticky, int64_t exponent);
// Limbs of the whole part of |value| (finite); room for 17 limbs. Returns the count.
size_t FromDouble(double value, Limb* r);
// a mod (2^61 - 1): the modulus of Python's numeric hash.
uint64_t HashMod(const Limb* a, size_t n);

}  // namespace tidepool::rt::bigmath

#endif  // TIDEPOOL_RUNTIME_OBJECTS_BIGINT_MATH_H_
