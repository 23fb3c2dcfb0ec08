# math.
import math

for name in ("sqrt", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "expm1", "log", "log2",
             "log10", "log1p", "fabs", "degrees", "radians", "floor", "ceil", "trunc", "isnan", "isinf", "isfinite",
             "modf", "frexp", "erf", "gamma", "cbrt"):
    function = getattr(math, name)
    row = []
    for x in (0, 0.5, -0.5, 1, 2, -3, 10, 1e300, float("inf"), float("nan")):
        try:
            value = function(x)
            row.append("%.12g" % value if isinstance(value, float) else value)
        except (ValueError, OverflowError) as error:
            row.append(str(error))
    print(name, row)
print(math.pi, math.e, math.tau, math.inf, math.nan)
print(math.pow(2, 0.5), math.pow(-8, 3), math.atan2(1, -1), math.fmod(-7, 3), math.copysign(3, -0.0), math.hypot(3, 4), math.hypot(1, 2, 2))
print(math.log(8, 2), math.log(2**2000), math.log2(2**2000), math.log10(10**400), math.log(10**400, 10))
print(math.gcd(12, 18), math.gcd(), math.gcd(-4, 6, 10), math.lcm(4, 6), math.lcm(), math.lcm(3, 0), math.gcd(2**100, 2**70 * 3))
print(math.factorial(0), math.factorial(20), math.factorial(30), math.comb(10, 3), math.comb(60, 30), math.comb(3, 5), math.perm(5, 2), math.perm(4))
print(math.isqrt(17), math.isqrt(10**40), math.prod([1, 2, 3, 4]), math.prod([0.5, 4], start=2), math.prod([]))
print(math.fsum([0.1] * 10), sum([0.1] * 10), math.fsum([1e100, 1, -1e100]), math.fsum([]), math.fsum([1e-16, 1, 1e16]))
print(math.isclose(1, 1 + 1e-10), math.isclose(1, 1.1), math.isclose(1, 1.1, rel_tol=0.2), math.isclose(0, 1e-12, abs_tol=1e-9))
print(math.ldexp(0.5, 3), math.dist((0, 0), (3, 4)), math.ulp(1.0), math.nextafter(1.0, 2.0), math.remainder(7, 4))
print(math.floor(2.7), math.ceil(-2.7), math.floor(1e20), math.trunc(-2.7), math.floor(10**30))
for call in (lambda: math.sqrt(-1), lambda: math.log(0), lambda: math.log(-1), lambda: math.exp(1000), lambda: math.pow(0, -1),
             lambda: math.factorial(-1), lambda: math.factorial(1.5), lambda: math.floor(math.inf), lambda: math.floor(math.nan),
             lambda: math.sqrt("x"), lambda: math.isqrt(-1), lambda: math.comb(-1, 2), lambda: math.acos(2), lambda: math.gcd(1.5)):
    try:
        print(call())
    except (ValueError, OverflowError, TypeError) as error:
        print(type(error).__name__ + ":", error)


class Odd:
    def __floor__(self):
        return "floor"

    def __ceil__(self):
        return "ceil"

    def __trunc__(self):
        return "trunc"

    def __float__(self):
        return 4.0


print(math.floor(Odd()), math.ceil(Odd()), math.trunc(Odd()), math.sqrt(Odd()))
