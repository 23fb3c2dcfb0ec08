// Tests of the magnitude arithmetic: identities over random numbers of many sizes, edge limbs, text
// round trips, rounding to double. Nothing here knows about objects.
#include "tidepool/runtime/objects/bigint_math.h"

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace tidepool::rt::bigmath {
namespace {

using Number = std::vector<Limb>;

Number Random(std::mt19937_64& rng, size_t n) {
  Number r(n);
  int mode = static_cast<int>(rng() % 4);
  for (auto& x : r) {
    x = rng();
    if (mode == 0 && rng() % 2) x = 0;
    if (mode == 1 && rng() % 2) x = ~Limb{0};
  }
  if (n > 0 && r.back() == 0) r.back() = 1;
  return r;
}

Number Trim(Number a) {
  a.resize(Normalized(a.data(), a.size()));
  return a;
}

Number Times(const Number& a, const Number& b) {
  Number r(a.size() + b.size());
  EXPECT_TRUE(Mul(r.data(), a.data(), a.size(), b.data(), b.size()));
  return r;
}

std::string Text(Number a, int base) {
  std::string out(DigitRoom(BitLength(a.data(), a.size()), base), ' ');
  out.resize(ToDigits(a.data(), a.size(), base, out.data()));
  return out;
}

Number Parse(const std::string& s, int base) {
  std::vector<uint8_t> digits;
  for (char c : s) digits.push_back(static_cast<uint8_t>(c <= '9' ? c - '0' : c - 'a' + 10));
  Number r(LimbRoom(digits.size(), base));
  r.resize(FromDigits(r.data(), digits.data(), digits.size(), base));
  return r;
}

TEST(BigMath, QuotientTimesDivisorPlusRemainder) {
  std::mt19937_64 rng(1);
  for (int i = 0; i < 3000; ++i) {
    size_t nb = 1 + rng() % 30;
    size_t na = nb + rng() % 40;
    Number a = Random(rng, na), b = Random(rng, nb);
    Number q(na - nb + 1), rem(nb);
    ASSERT_TRUE(DivMod(q.data(), rem.data(), a.data(), na, b.data(), nb));
    Number tr = Trim(rem);
    EXPECT_LT(Compare(tr.data(), tr.size(), b.data(), nb), 0);
    Number back = Times(q, b);
    ASSERT_EQ(Add(back.data(), back.data(), back.size(), rem.data(), nb), 0u);
    EXPECT_EQ(Trim(back), Trim(a));
  }
}

TEST(BigMath, SaturatedQuotientDigit) {
  // The dividend's top limbs equal the divisor's: the estimate is saturated and corrected.
  Number b = {5, 0, Limb{1} << 63};
  Number a = {0, 0, 0, 0, Limb{1} << 63};
  Number q(3), rem(3);
  ASSERT_TRUE(DivMod(q.data(), rem.data(), a.data(), 5, b.data(), 3));
  Number back = Times(q, b);
  ASSERT_EQ(Add(back.data(), back.data(), back.size(), rem.data(), 3), 0u);
  EXPECT_EQ(Trim(back), Trim(a));
}

TEST(BigMath, KaratsubaEqualsDistributedProduct) {
  std::mt19937_64 rng(2);
  for (int i = 0; i < 60; ++i) {
    size_t na = 30 + rng() % 300, nb = 30 + rng() % 300;
    Number a = Random(rng, na), b = Random(rng, nb);
    Number fast = Times(a, b);
    Number slow(na + nb, 0);
    for (size_t j = 0; j < nb; ++j) {
      Number part(na + 1);
      part[na] = MulLimb(part.data(), a.data(), na, b[j], 0);
      (void)Add(slow.data() + j, slow.data() + j, slow.size() - j, part.data(), na + 1);
    }
    ASSERT_EQ(fast, slow) << na << " " << nb;
  }
}

TEST(BigMath, TextRoundTripsInEveryBase) {
  std::mt19937_64 rng(3);
  for (int base = 2; base <= 36; ++base) {
    for (size_t n : {0, 1, 2, 3, 17}) {
      Number a = Random(rng, static_cast<size_t>(n));
      EXPECT_EQ(Parse(Text(a, base), base), a) << base;
    }
  }
  EXPECT_EQ(Text({0, 1}, 10), "18446744073709551616");
  EXPECT_EQ(Text({~Limb{0}}, 16), "ffffffffffffffff");
  EXPECT_EQ(Text({0, 0, 1}, 10), "340282366920938463463374607431768211456");
  EXPECT_EQ(Text({}, 10), "0");
}

TEST(BigMath, ShiftsAreInverse) {
  std::mt19937_64 rng(4);
  for (int i = 0; i < 500; ++i) {
    Number a = Random(rng, 1 + rng() % 6);
    uint64_t bits = rng() % 300;
    Number up(a.size() + bits / 64 + 1);
    ShiftLeft(up.data(), a.data(), a.size(), bits);
    Number down(up.size() - bits / 64);
    EXPECT_FALSE(ShiftRight(down.data(), up.data(), up.size(), bits));
    EXPECT_EQ(Trim(down), a);
    if (bits > 0 && (a[0] & 1)) {
      Number lost(a.size());
      if (bits / 64 < a.size()) {
        EXPECT_TRUE(ShiftRight(lost.data(), a.data(), a.size(), bits));
      }
    }
  }
}

TEST(BigMath, NearestDoubleTiesToEven) {
  Limb tie = (Limb{1} << 53) + 1;
  EXPECT_EQ(ToDouble(&tie, 1), 9007199254740992.0);
  Limb up = (Limb{1} << 53) + 3;
  EXPECT_EQ(ToDouble(&up, 1), 9007199254740996.0);
  Number big(16, ~Limb{0});
  EXPECT_TRUE(std::isinf(ToDouble(big.data(), 16)));
  Limb two[2] = {1, 1};  // 2^64 + 1
  EXPECT_EQ(ToDouble(two, 2), 18446744073709551616.0);
  Limb sticky[2] = {1, (Limb{1} << 53) + 1};  // just above a tie
  EXPECT_EQ(ToDouble(sticky, 2), std::ldexp(9007199254740994.0, 64));
  Limb one = 1;
  EXPECT_EQ(ToDoubleScaled(&one, 1, false, -1074), 5e-324);
  EXPECT_EQ(ToDoubleScaled(&one, 1, false, -1075), 0.0);
  EXPECT_EQ(ToDoubleScaled(&one, 1, true, -1075), 5e-324);
}

TEST(BigMath, DoubleRoundTrip) {
  std::mt19937_64 rng(5);
  for (int i = 0; i < 1000; ++i) {
    double d = std::ldexp(static_cast<double>(rng() >> 11), static_cast<int>(rng() % 900));
    Limb r[20];
    size_t n = FromDouble(d, r);
    EXPECT_EQ(ToDouble(r, n), d);
  }
}

TEST(BigMath, HashIsModuloMersennePrime) {
  Limb p = (Limb{1} << 61) - 1;
  EXPECT_EQ(HashMod(&p, 1), 0u);
  Limb big[2] = {0, 1};  // 2^64 = 8 mod p
  EXPECT_EQ(HashMod(big, 2), 8u);
  std::mt19937_64 rng(6);
  for (int i = 0; i < 200; ++i) {
    Number a = Random(rng, 1 + rng() % 9);
    Number q(a.size());
    EXPECT_EQ(HashMod(a.data(), a.size()), DivLimb(q.data(), a.data(), a.size(), p));
  }
}

}  // namespace
}  // namespace tidepool::rt::bigmath
