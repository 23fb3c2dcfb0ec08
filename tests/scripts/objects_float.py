# float: repr, arithmetic, conversions, rounding, comparison with ints, hash.
inf = float("inf")
nan = float("nan")
for v in (0.0, -0.0, 1.0, 0.1, 1e16, 1e15, 1e-4, 1e-5, 123456789.123, 5e-324, 1.7976931348623157e308, inf, -inf, nan, 1e22, 1e23, 2**53 + 0.0, 100.0, 1/3):
    print(v, repr(v), str(v), v == v, int(v) if abs(v) < 1e17 else "-")
print(7.5 // 2, -7.5 // 2, 7.5 % 2, -7.5 % 2, 7.5 % -2, divmod(-7.5, 2), 1e300 * 1e10, -1.0 // inf, 5.0 % inf, -5.0 % inf)
print(2.0 ** 10, 2 ** 0.5, 2 ** -1, (-2.0) ** 3, 0.0 ** 0, inf ** 0, 9 ** 0.5, 1e10 ** 2)
print(float("1.5"), float("  -2e3 "), float("1_000.5"), float("inf"), float("-Infinity"), float("nan"), float("1e400"), float(".5"), float("5."))
for text in ("", "abc", "1.5x", "1__0", "0x10", "e5", "--1", "1e"):
    try:
        print(float(text))
    except ValueError as e:
        print("ValueError", e)
for f in (lambda: 1.0 / 0, lambda: 1.0 // 0, lambda: 1.0 % 0, lambda: 0.0 ** -1, lambda: float([]), lambda: 1.5 + "a",
          lambda: divmod(1.0, 0), lambda: 10.0 ** 400, lambda: int(nan), lambda: round(inf)):
    try:
        print(f())
    except Exception as e:
        print(type(e).__name__, e)
print(round(2.5), round(3.5), round(-2.5), round(2.675, 2), round(1234.5678, -2), round(0.5), round(1e20), round(1.15, 1), round(5e-324, 400), round(25.0, -1))
print(1.0 < 2, 2 > 1.5, 1 == 1.0, 0.1 + 0.2 == 0.3, nan < 1, nan == nan, nan != nan, inf > 10**400, -inf < -10**400, 1e16 == 10**16, 1e23 == 10**23)
print(hash(1.0) == hash(1), hash(0.5), hash(inf), hash(-inf), hash(1e100), hash(-1.5), hash(2.0**61))
print((0.5).as_integer_ratio(), (0.1).as_integer_ratio(), (3.0).is_integer(), (3.5).is_integer(), (1e10).hex(), (-0.1).hex(), (0.0).hex(), (5e-324).hex())
print(float.fromhex("0x1.8p3"), float.fromhex("-1.8"), abs(-2.5), -2.5, +2.5, bool(0.0), bool(0.1), (2.5).real, (2.5).imag)
print("%.3f|%10.2e|%-10g|%+.1f|%05.1f|%g|%G|%.0f|%#.0f|%e" % (3.14159, 12345.678, 0.0001, 2.25, 1.5, 1e20, 1e-10, 2.5, 2.5, 0))
print(f"{3.14159:.2f} {1234567.891:,.1f} {0.5:%} {1e10:g} {1e10} {2.0:.3} {100000.0:.3} {-0.0:+} {nan:>6} {inf:010.1f} {1.5:_^9}")
print(format(1.0, ""), format(1.0, ".0f"), format(123.456, "10.3e"), format(0.000012345, "g"), format(12345678.9, "_.2f"), format(1.0, "n"))
for v, s in ((1.5, "d"), (1.5, "x"), (1.5, "s"), (1.5, ".f"), (1.5, ",_")):
    try:
        print(format(v, s))
    except ValueError as e:
        print("ValueError", e)


class F(float):
    pass


f = F(2.5)
print(f, type(f).__name__, type(f + 1).__name__, f == 2.5, float(f), F("1.25") * 2)
print(sum([0.1] * 10), min(1.5, 2), max(1, 2.5), sorted([3.5, 1, 2.25, -1.0]))
print(1e308 * 10, -1e308 * 10, 1e-320 / 10, 1.0 / 3.0, 4.35 * 100, 0.1 * 3)
