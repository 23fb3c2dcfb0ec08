// Magnitude arithmetic: see the header. Invariants: no function reads or writes outside the stated
// ranges; scratch is freed on every path; carries are propagated with 128-bit intermediates.
#include "tidepool/runtime/objects/bigint_math.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

namespace tidepool::rt::bigmath {
namespace {

__extension__ using Wide = unsigned __int128;

// r[0..n) += a * m; returns the carry.
Limb AddMul(Limb* r, const Limb* a, size_t n, Limb m) {
  Limb carry = 0;
  for (size_t i = 0; i < n; ++i) {
    Wide t = static_cast<Wide>(a[i]) * m + r[i] + carry;
    r[i] = static_cast<Limb>(t);
    carry = static_cast<Limb>(t >> 64);
  }
  return carry;
}

// r[0..n) -= a * m; returns the borrow limb.
Limb SubMul(Limb* r, const Limb* a, size_t n, Limb m) {
  Limb borrow = 0;
  for (size_t i = 0; i < n; ++i) {
    Wide t = static_cast<Wide>(a[i]) * m + borrow;
    Limb low = static_cast<Limb>(t);
    borrow = static_cast<Limb>(t >> 64) + (r[i] < low);
    r[i] -= low;
  }
  return borrow;
}

void MulSchool(Limb* r, const Limb* a, size_t na, const Limb* b, size_t nb) {
  std::memset(r, 0, (na + nb) * sizeof(Limb));
  for (size_t j = 0; j < nb; ++j) r[na + j] = AddMul(r + j, a, na, b[j]);
}

// a[0..n) += b[0..m), m <= n; the carry leaves the range only if the caller's sum does.
void AddInPlace(Limb* a, size_t n, const Limb* b, size_t m) { (void)Add(a, a, n, b, m); }

// Karatsuba for equal sizes; scratch holds at least 4 * n + 4 * 64 limbs.
void MulKaratsuba(Limb* r, const Limb* a, const Limb* b, size_t n, Limb* scratch) {
  if (n < kKaratsubaLimbs) {
    MulSchool(r, a, n, b, n);
    return;
  }
  size_t low = n / 2;
  size_t high = n - low;  // high >= low
  // r = [ a0*b0 | a1*b1 ], then the middle term is added in.
  MulKaratsuba(r, a, b, low, scratch);
  MulKaratsuba(r + 2 * low, a + low, b + low, high, scratch);
  Limb* sum_a = scratch;              // high + 1
  Limb* sum_b = scratch + high + 1;   // high + 1
  Limb* middle = sum_b + high + 1;    // 2 * (high + 1)
  // The sums and the middle product live below the scratch of the recursive call: sizes halve, so the total
  // is below 4 * (n/2 + 2) * (1 + 1/2 + ...) < 4 * n + 8 * log2(n).
  sum_a[high] = Add(sum_a, a + low, high, a, low);
  sum_b[high] = Add(sum_b, b + low, high, b, low);
  MulKaratsuba(middle, sum_a, sum_b, high + 1, middle + 2 * (high + 1));
  (void)Sub(middle, middle, 2 * (high + 1), r, 2 * low);
  (void)Sub(middle, middle, 2 * (high + 1), r + 2 * low, 2 * high);
  size_t middle_size = Normalized(middle, 2 * (high + 1));
  AddInPlace(r + low, 2 * n - low, middle, middle_size);
}

constexpr char kDigitChars[] = "0123456789abcdefghijklmnopqrstuvwxyz";

}  // namespace

size_t Normalized(const Limb* a, size_t n) {
  while (n > 0 && a[n - 1] == 0) --n;
  return n;
}

int Compare(const Limb* a, size_t na, const Limb* b, size_t nb) {
  if (na != nb) return na < nb ? -1 : 1;
  for (size_t i = na; i-- > 0;) {
    if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
  }
  return 0;
}

uint64_t BitLength(const Limb* a, size_t n) {
  if (n == 0) return 0;
  return n * kLimbBits - static_cast<uint64_t>(std::countl_zero(a[n - 1]));
}

Limb Add(Limb* r, const Limb* a, size_t na, const Limb* b, size_t nb) {
  Limb carry = 0;
  size_t i = 0;
  for (; i < nb; ++i) {
    Wide t = static_cast<Wide>(a[i]) + b[i] + carry;
    r[i] = static_cast<Limb>(t);
    carry = static_cast<Limb>(t >> 64);
  }
  for (; i < na; ++i) {
    Limb t = a[i] + carry;
    carry = t < carry;
    r[i] = t;
  }
  return carry;
}

Limb Sub(Limb* r, const Limb* a, size_t na, const Limb* b, size_t nb) {
  Limb borrow = 0;
  size_t i = 0;
  for (; i < nb; ++i) {
    Limb x = a[i];
    Limb t = x - b[i];
    Limb u = t - borrow;
    borrow = static_cast<Limb>(x < b[i]) | static_cast<Limb>(t < borrow);
    r[i] = u;
  }
  for (; i < na; ++i) {
    Limb x = a[i];
    r[i] = x - borrow;
    borrow = x < borrow;
  }
  return borrow;
}

Limb MulLimb(Limb* r, const Limb* a, size_t n, Limb m, Limb add) {
  Limb carry = add;
  for (size_t i = 0; i < n; ++i) {
    Wide t = static_cast<Wide>(a[i]) * m + carry;
    r[i] = static_cast<Limb>(t);
    carry = static_cast<Limb>(t >> 64);
  }
  return carry;
}

Limb DivLimb(Limb* q, const Limb* a, size_t n, Limb d) {
  Wide rem = 0;
  for (size_t i = n; i-- > 0;) {
    Wide t = (rem << 64) | a[i];
    q[i] = static_cast<Limb>(t / d);
    rem = t % d;
  }
  return static_cast<Limb>(rem);
}

bool Mul(Limb* r, const Limb* a, size_t na, const Limb* b, size_t nb) {
  if (na < nb) {
    const Limb* t = a;
    a = b;
    b = t;
    size_t tn = na;
    na = nb;
    nb = tn;
  }
  if (nb < kKaratsubaLimbs) {
    MulSchool(r, a, na, b, nb);
    return true;
  }
  size_t scratch_size = 4 * nb + 1024;
  size_t product = 2 * nb;
  auto* scratch = static_cast<Limb*>(std::malloc((scratch_size + product) * sizeof(Limb)));
  if (scratch == nullptr) return false;
  if (na == nb) {
    MulKaratsuba(r, a, b, na, scratch);
  } else {
    // Cut the longer one into pieces of nb limbs.
    Limb* part = scratch + scratch_size;
    std::memset(r, 0, (na + nb) * sizeof(Limb));
    bool ok = true;
    for (size_t at = 0; at < na && ok; at += nb) {
      size_t piece = na - at < nb ? na - at : nb;
      if (piece == nb) {
        MulKaratsuba(part, a + at, b, nb, scratch);
      } else {
        ok = Mul(part, b, nb, a + at, piece);
      }
      if (ok) AddInPlace(r + at, na + nb - at, part, piece + nb);
    }
    if (!ok) {
      std::free(scratch);
      return false;
    }
  }
  std::free(scratch);
  return true;
}

bool DivMod(Limb* q, Limb* rem, const Limb* a, size_t na, const Limb* b, size_t nb) {
  if (nb == 1) {
    Limb last;
    if (q != nullptr) {
      last = DivLimb(q, a, na, b[0]);
    } else {
      Wide r = 0;
      for (size_t i = na; i-- > 0;) r = ((r << 64) | a[i]) % b[0];
      last = static_cast<Limb>(r);
    }
    if (rem != nullptr) rem[0] = last;
    return true;
  }
  // Knuth's algorithm D on copies shifted so that the divisor's top bit is set.
  constexpr size_t kInline = 48;
  Limb inline_space[kInline];
  size_t need = (na + 1) + nb;
  Limb* space = inline_space;
  if (need > kInline) {
    space = static_cast<Limb*>(std::malloc(need * sizeof(Limb)));
    if (space == nullptr) return false;
  }
  Limb* u = space;           // na + 1
  Limb* v = space + na + 1;  // nb
  unsigned shift = static_cast<unsigned>(std::countl_zero(b[nb - 1]));
  if (shift == 0) {
    std::memcpy(v, b, nb * sizeof(Limb));
    std::memcpy(u, a, na * sizeof(Limb));
    u[na] = 0;
  } else {
    for (size_t i = nb; i-- > 1;) v[i] = (b[i] << shift) | (b[i - 1] >> (64 - shift));
    v[0] = b[0] << shift;
    u[na] = a[na - 1] >> (64 - shift);
    for (size_t i = na; i-- > 1;) u[i] = (a[i] << shift) | (a[i - 1] >> (64 - shift));
    u[0] = a[0] << shift;
  }
  const Limb top = v[nb - 1];
  const Limb second = v[nb - 2];
  for (size_t j = na - nb + 1; j-- > 0;) {
    Limb digit;
    if (u[j + nb] >= top) {
      digit = std::numeric_limits<Limb>::max();
    } else {
      Wide number = (static_cast<Wide>(u[j + nb]) << 64) | u[j + nb - 1];
      digit = static_cast<Limb>(number / top);
      Limb left = static_cast<Limb>(number % top);
      while (static_cast<Wide>(digit) * second > ((static_cast<Wide>(left) << 64) | u[j + nb - 2])) {
        --digit;
        left += top;
        if (left < top) break;  // overflow: the remainder no longer fits, the test cannot hold again
      }
    }
    Limb borrow = SubMul(u + j, v, nb, digit);
    Limb high = u[j + nb];
    u[j + nb] = high - borrow;
    // At most two corrections (one in the estimated case, two when the digit was saturated).
    bool negative = high < borrow;
    while (negative) {
      --digit;
      Limb carry = Add(u + j, u + j, nb, v, nb);
      Limb before = u[j + nb];
      u[j + nb] = before + carry;
      if (u[j + nb] < before) negative = false;
    }
    if (q != nullptr) q[j] = digit;
  }
  if (rem != nullptr) {
    if (shift == 0) {
      std::memcpy(rem, u, nb * sizeof(Limb));
    } else {
      for (size_t i = 0; i + 1 < nb; ++i) rem[i] = (u[i] >> shift) | (u[i + 1] << (64 - shift));
      rem[nb - 1] = (u[nb - 1] >> shift) | (u[nb] << (64 - shift));
    }
  }
  if (space != inline_space) std::free(space);
  return true;
}

void ShiftLeft(Limb* r, const Limb* a, size_t n, uint64_t bits) {
  size_t whole = bits / kLimbBits;
  unsigned part = bits % kLimbBits;
  r[n + whole] = 0;
  if (part == 0) {
    std::memmove(r + whole, a, n * sizeof(Limb));
  } else {
    Limb carry = 0;
    for (size_t i = n; i-- > 0;) {
      Limb x = a[i];
      if (i == n - 1) r[n + whole] = x >> (64 - part);
      carry = i > 0 ? a[i - 1] >> (64 - part) : 0;
      r[i + whole] = (x << part) | carry;
    }
  }
  std::memset(r, 0, whole * sizeof(Limb));
}

bool ShiftRight(Limb* r, const Limb* a, size_t n, uint64_t bits) {
  size_t whole = bits / kLimbBits;
  unsigned part = bits % kLimbBits;
  bool lost = false;
  for (size_t i = 0; i < whole; ++i) lost |= a[i] != 0;
  size_t left = n - whole;
  if (part == 0) {
    std::memmove(r, a + whole, left * sizeof(Limb));
    return lost;
  }
  lost |= (a[whole] << (64 - part)) != 0;
  for (size_t i = 0; i < left; ++i) {
    Limb high = i + 1 < left ? a[whole + i + 1] << (64 - part) : 0;
    r[i] = (a[whole + i] >> part) | high;
  }
  return lost;
}

void Negate(Limb* a, size_t n) {
  Limb carry = 1;
  for (size_t i = 0; i < n; ++i) {
    Limb t = ~a[i] + carry;
    carry = carry != 0 && t == 0;
    a[i] = t;
  }
}

size_t DigitRoom(uint64_t bits, int base) {
  if (base < 4) return bits + 2;
  if (base < 8) return bits / 2 + 2;
  if (base < 16) return bits / 3 + 2;
  if (base < 32) return bits / 4 + 2;
  return bits / 5 + 2;
}

size_t ToDigits(Limb* a, size_t n, int base, char* out) {
  n = Normalized(a, n);
  if (n == 0) {
    out[0] = '0';
    return 1;
  }
  size_t count = 0;
  if ((base & (base - 1)) == 0) {
    unsigned bits = static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(base)));
    uint64_t total = BitLength(a, n);
    count = (total + bits - 1) / bits;
    for (size_t i = 0; i < count; ++i) {
      uint64_t at = static_cast<uint64_t>(i) * bits;
      Limb value = a[at / 64] >> (at % 64);
      if (at % 64 + bits > 64 && at / 64 + 1 < n) value |= a[at / 64 + 1] << (64 - at % 64);
      out[count - 1 - i] = kDigitChars[value & static_cast<Limb>(base - 1)];
    }
    return count;
  }
  // The largest power of the base in a limb.
  Limb chunk = static_cast<Limb>(base);
  unsigned chunk_digits = 1;
  while (chunk <= std::numeric_limits<Limb>::max() / static_cast<Limb>(base)) {
    chunk *= static_cast<Limb>(base);
    ++chunk_digits;
  }
  // Least significant digits first, then turned round.
  while (n > 0) {
    Limb rem = DivLimb(a, a, n, chunk);
    n = Normalized(a, n);
    for (unsigned i = 0; i < chunk_digits && (n > 0 || rem != 0); ++i) {
      out[count++] = kDigitChars[rem % static_cast<Limb>(base)];
      rem /= static_cast<Limb>(base);
    }
  }
  for (size_t i = 0, j = count - 1; i < j; ++i, --j) {
    char t = out[i];
    out[i] = out[j];
    out[j] = t;
  }
  return count;
}

size_t LimbRoom(size_t digits, int base) {
  unsigned bits = static_cast<unsigned>(std::bit_width(static_cast<unsigned>(base - 1)));
  return digits / 64 * bits + digits % 64 * bits / 64 + 2;
}

size_t FromDigits(Limb* r, const uint8_t* digits, size_t count, int base) {
  size_t n = 0;
  size_t i = 0;
  while (i < count) {
    Limb chunk = 0;
    Limb scale = 1;
    while (i < count && scale <= std::numeric_limits<Limb>::max() / static_cast<Limb>(base) / 2) {
      chunk = chunk * static_cast<Limb>(base) + digits[i++];
      scale *= static_cast<Limb>(base);
    }
    Limb carry = MulLimb(r, r, n, scale, chunk);
    if (carry != 0) r[n++] = carry;
  }
  return Normalized(r, n);
}

double ToDoubleScaled(const Limb* a, size_t n, bool sticky, int64_t exponent) {
  n = Normalized(a, n);
  if (n == 0) return 0.0;
  uint64_t bits = BitLength(a, n);
  // Take the top 64 bits, all below goes into the sticky bit.
  Limb top;
  if (bits <= 64) {
    top = a[0];
  } else {
    uint64_t shift = bits - 64;
    size_t whole = shift / 64;
    unsigned part = shift % 64;
    top = a[whole] >> part;
    if (part != 0 && whole + 1 < n) top |= a[whole + 1] << (64 - part);
    for (size_t i = 0; i < whole && !sticky; ++i) sticky = a[i] != 0;
    if (part != 0 && (a[whole] << (64 - part)) != 0) sticky = true;
    exponent += static_cast<int64_t>(shift);
  }
  // How many bits of the result there may be (fewer for subnormals).
  int width = std::bit_width(top);
  int64_t result_exponent = exponent + width;  // value in [2^(e-1), 2^e)
  if (result_exponent > 1024) return std::numeric_limits<double>::infinity();
  int keep = 53;
  if (result_exponent < -1021) {
    int64_t lost = -1021 - result_exponent;
    if (lost > 54) return 0.0;
    keep = static_cast<int>(53 - lost);
  }
  int drop = width - keep;
  if (drop <= 0) return std::ldexp(static_cast<double>(top), static_cast<int>(exponent));
  if (drop > 64) return 0.0;
  Limb kept = drop == 64 ? 0 : top >> drop;
  Limb half = Limb{1} << (drop - 1);
  Limb rest = drop == 64 ? top : top & ((Limb{1} << drop) - 1);
  if (rest > half || (rest == half && (sticky || (kept & 1) != 0))) ++kept;
  return std::ldexp(static_cast<double>(kept), static_cast<int>(exponent) + drop);
}

double ToDouble(const Limb* a, size_t n) { return ToDoubleScaled(a, n, false, 0); }

size_t FromDouble(double value, Limb* r) {
  value = std::trunc(std::fabs(value));
  if (value == 0.0) return 0;
  int exponent;
  double fraction = std::frexp(value, &exponent);  // value = fraction * 2^exponent
  Limb mantissa = static_cast<Limb>(std::ldexp(fraction, 53));
  int shift = exponent - 53;
  if (shift <= 0) {
    r[0] = mantissa >> -shift;
    return 1;
  }
  ShiftLeft(r, &mantissa, 1, static_cast<uint64_t>(shift));
  return Normalized(r, static_cast<size_t>(shift) / 64 + 2);
}

uint64_t HashMod(const Limb* a, size_t n) {
  constexpr uint64_t kModulus = (uint64_t{1} << 61) - 1;
  uint64_t rem = 0;
  for (size_t i = n; i-- > 0;) {
    // rem * 2^64 + a[i] mod (2^61 - 1): 2^64 = 8.
    Wide t = (static_cast<Wide>(rem) << 3) + (a[i] & kModulus) + (a[i] >> 61);
    rem = static_cast<uint64_t>(t % kModulus);
  }
  return rem;
}

}  // namespace tidepool::rt::bigmath
