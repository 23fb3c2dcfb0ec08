# Floats: shortest repr, arithmetic, rounding, special values.
for x in (0.0, -0.0, 1.0, 0.1, 0.2, 0.1 + 0.2, 1 / 3, 2 / 3, 1e15, 1e16, 1e17, 123456789012345.6, 1e-4, 1e-5, 1.5e-7, 1e22, 1e23, 1e100, 5e-324,
          1.7976931348623157e308, 2.2250738585072014e-308, 9007199254740993.0, 100.0, 12345.678, 1e21, 0.00012, 299792458.0, 3.14159265358979, 1e300 * 10, -1.5):
    print(x, repr(x), str(-x))
inf, nan = float("inf"), float("nan")
print(inf, -inf, nan, inf - inf, inf > 1e308, nan == nan, nan != nan, nan < 1, inf == inf, float("-Infinity"), float(" 1.5e3 "), float("1_0.5"))
print(7.5 // 2, -7.5 // 2, 7.5 % 2, -7.5 % 2, 7.5 % -2, divmod(7.5, 2), divmod(-7.5, 2), 2.0 ** 0.5, 2 ** 0.5, (-8.0) ** 2, 4 ** -0.5, 1e308 * 10)
print(round(2.5), round(3.5), round(-2.5), round(0.5), round(1.5), round(2.675, 2), round(1234.5678, 1), round(1234.5678, -2), round(1e20), round(5.0, 3), round(-0.4))
print(int(1e10), int(-2.7), 3.0 == 3, hash(3.0) == hash(3), hash(0.5), hash(1e100) == hash(int(1e100)), hash(inf), hash(-inf))
print((2.5).is_integer(), (2.0).is_integer(), (0.75).as_integer_ratio(), (1.0).hex(), (0.1).hex(), float.fromhex("0x1.8p1"), (-2.5).__abs__())
print(abs(-1.5), -1.5, +1.5, bool(0.0), bool(-0.0), bool(0.1), bool(nan), 1.5 + 2, 2 - 1.5, 3 * 0.5, 1 / 4.0, True + 0.5)
print(max(1.5, 2), min(1, 0.5), sum([0.1] * 10), sum([1, 2.5]), 0.1 + 0.7, 1e16 + 1, 1.1 * 1.1, 1e-10)
print(1 < 1.5 < 2, 2 ** 53 == 2.0 ** 53, 2 ** 53 + 1 == 2.0 ** 53, 2 ** 53 + 1 > 2.0 ** 53, 10 ** 20 == 1e20, 10 ** 23 == 1e23)
print("%f %.2f %10.3f|%-10.1f|%+.1f|%010.2f" % (1.5, 2.345, 3.14159, 2.5, 1.0, -3.14159), "%e %.3e %E" % (12345.678, 0.00012, 1.5))
print("%g %g %g %g %.3g %G" % (1.0, 0.0001, 0.00001, 1e10, 1234567, 1e-10), "%r %s" % (0.1, 1e16), "%.0f %.0f" % (0.5, 1.5), "%d" % 3.99)
for bad in (lambda: 1.0 / 0, lambda: 1.0 % 0, lambda: 1.0 // 0, lambda: 0.0 ** -1, lambda: int(inf), lambda: int(nan), lambda: float("x"), lambda: 1.5 << 1,
            lambda: 1.5 & 1, lambda: round(inf), lambda: float([]), lambda: float(""), lambda: 2.0 ** 5000, lambda: divmod(1.5, 0)):
    try:
        print(bad())
    except Exception as e:
        print(type(e).__name__ + ":", e)
print([x * 0.1 for x in range(12)])
print(1e5, 1e-3, 1.0e+2, .5, 5., 1_0.0_1, 0e0, 1E3)
a = 1.0
for _ in range(5):
    a /= 3
print(a)
b = 0.0
b += 1.5; b -= 0.25; b *= 3; b //= 2; b **= 3; b %= 5
print(b)
