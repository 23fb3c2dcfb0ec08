"""Rational numbers."""

import operator
from math import gcd as _gcd


class Fraction:
    __slots__ = ("_numerator", "_denominator")

    def __init__(self, numerator=0, denominator=None):
        if denominator is None:
            if isinstance(numerator, int):
                n, d = int(numerator), 1
            elif isinstance(numerator, Fraction):
                n, d = numerator._numerator, numerator._denominator
            elif isinstance(numerator, float):
                n, d = numerator.as_integer_ratio()
            elif isinstance(numerator, str):
                n, d = _parse(numerator)
            else:
                raise TypeError("argument should be a string or a Rational instance")
        else:
            if not isinstance(numerator, (int, Fraction)) or not isinstance(denominator, (int, Fraction)):
                raise TypeError("both arguments should be Rational instances")
            n = numerator.numerator * denominator.denominator
            d = denominator.numerator * numerator.denominator
        if d == 0:
            raise ZeroDivisionError("Fraction(%s, 0)" % n)
        if d < 0:
            n, d = -n, -d
        g = _gcd(n, d)
        if g != 1:
            n //= g
            d //= g
        self._numerator = n
        self._denominator = d

    @classmethod
    def from_float(cls, value):
        return cls(value)

    @property
    def numerator(self):
        return self._numerator

    @property
    def denominator(self):
        return self._denominator

    def as_integer_ratio(self):
        return self._numerator, self._denominator

    def limit_denominator(self, max_denominator=1000000):
        if max_denominator < 1:
            raise ValueError("max_denominator should be at least 1")
        if self._denominator <= max_denominator:
            return Fraction(self)
        p0, q0, p1, q1 = 0, 1, 1, 0
        n, d = self._numerator, self._denominator
        while True:
            a = n // d
            q2 = q0 + a * q1
            if q2 > max_denominator:
                break
            p0, q0, p1, q1 = p1, q1, p0 + a * p1, q2
            n, d = d, n - a * d
        k = (max_denominator - q0) // q1
        low = Fraction(p0 + k * p1, q0 + k * q1)
        high = Fraction(p1, q1)
        if abs(high - self) <= abs(low - self):
            return high
        return low

    def __repr__(self):
        return "Fraction(%s, %s)" % (self._numerator, self._denominator)

    def __str__(self):
        if self._denominator == 1:
            return str(self._numerator)
        return "%s/%s" % (self._numerator, self._denominator)

    def __hash__(self):
        if self._denominator == 1:
            return hash(self._numerator)
        modulus = (1 << 61) - 1
        try:
            inverse = pow(self._denominator, -1, modulus)
        except ValueError:
            value = 314159
        else:
            value = hash(hash(abs(self._numerator)) * inverse)
        result = value if self._numerator >= 0 else -value
        return -2 if result == -1 else result

    def __bool__(self):
        return self._numerator != 0

    def __eq__(self, other):
        if isinstance(other, (int, Fraction)):
            return self._numerator == other.numerator and self._denominator == other.denominator
        if isinstance(other, float):
            return _order(self, other, operator.eq)
        return NotImplemented

    def __lt__(self, other):
        return _order(self, other, operator.lt)

    def __le__(self, other):
        return _order(self, other, operator.le)

    def __gt__(self, other):
        return _order(self, other, operator.gt)

    def __ge__(self, other):
        return _order(self, other, operator.ge)

    def __add__(self, other):
        if isinstance(other, (int, Fraction)):
            return Fraction(self._numerator * other.denominator + other.numerator * self._denominator,
                            self._denominator * other.denominator)
        if isinstance(other, float):
            return float(self) + other
        return NotImplemented

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, (int, Fraction)):
            return Fraction(self._numerator * other.denominator - other.numerator * self._denominator,
                            self._denominator * other.denominator)
        if isinstance(other, float):
            return float(self) - other
        return NotImplemented

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        if isinstance(other, (int, Fraction)):
            return Fraction(self._numerator * other.numerator, self._denominator * other.denominator)
        if isinstance(other, float):
            return float(self) * other
        return NotImplemented

    __rmul__ = __mul__

    def __truediv__(self, other):
        if isinstance(other, (int, Fraction)):
            return Fraction(self._numerator * other.denominator, self._denominator * other.numerator)
        if isinstance(other, float):
            return float(self) / other
        return NotImplemented

    def __rtruediv__(self, other):
        if isinstance(other, int):
            return Fraction(other * self._denominator, self._numerator)
        if isinstance(other, float):
            return other / float(self)
        return NotImplemented

    def __floordiv__(self, other):
        if isinstance(other, (int, Fraction)):
            return ((self._numerator * other.denominator)
                    // (self._denominator * other.numerator))
        if isinstance(other, float):
            return float(self) // other
        return NotImplemented

    def __rfloordiv__(self, other):
        return (other * self._denominator) // self._numerator

    def __mod__(self, other):
        if isinstance(other, (int, Fraction)):
            return self - other * (self // other)
        if isinstance(other, float):
            return float(self) % other
        return NotImplemented

    def __rmod__(self, other):
        return Fraction(other) % self

    def __divmod__(self, other):
        return self // other, self % other

    def __pow__(self, other):
        if isinstance(other, Fraction):
            if other._denominator != 1:
                return float(self) ** float(other)
            other = other._numerator
        if isinstance(other, int):
            if other >= 0:
                return Fraction(self._numerator ** other, self._denominator ** other)
            return Fraction(self._denominator ** -other, self._numerator ** -other)
        return float(self) ** other

    def __rpow__(self, other):
        if self._denominator == 1:
            return other ** self._numerator
        return other ** float(self)

    def __neg__(self):
        return Fraction(-self._numerator, self._denominator)

    def __pos__(self):
        return self

    def __abs__(self):
        return Fraction(abs(self._numerator), self._denominator)

    def __int__(self):
        return self.__trunc__()

    def __float__(self):
        return self._numerator / self._denominator

    def __trunc__(self):
        if self._numerator < 0:
            return -(-self._numerator // self._denominator)
        return self._numerator // self._denominator

    def __floor__(self):
        return self._numerator // self._denominator

    def __ceil__(self):
        return -(-self._numerator // self._denominator)

    def __round__(self, ndigits=None):
        if ndigits is None:
            whole, rest = divmod(self._numerator, self._denominator)
            if rest * 2 < self._denominator or (rest * 2 == self._denominator and whole % 2 == 0):
                return whole
            return whole + 1
        shift = 10 ** abs(ndigits)
        if ndigits > 0:
            return Fraction(round(self * shift), shift)
        return Fraction(round(self / shift) * shift)


def _order(a, b, op):
    if isinstance(b, (int, Fraction)):
        return op(a._numerator * b.denominator, b.numerator * a._denominator)
    if isinstance(b, float):
        if b != b or b == float("inf") or b == float("-inf"):
            return op(0.0, b)
        return op(a, Fraction(b))
    return NotImplemented


def _parse(text):
    stripped = text.strip()
    top, slash, bottom = stripped.partition("/")
    try:
        if slash:
            return int(top), int(bottom)
        mantissa, _, exponent = stripped.lower().partition("e")
        whole, point, part = mantissa.partition(".")
        if point and not (whole.lstrip("+-") or part):
            raise ValueError
        n = int((whole or "0") + part) if whole.lstrip("+-") or not point else int(whole + "0" + part)
        d = 10 ** len(part)
        shift = int(exponent) if "e" in stripped.lower() else 0
        if shift >= 0:
            return n * 10 ** shift, d
        return n, d * 10 ** -shift
    except ValueError:
        raise ValueError("Invalid literal for Fraction: %r" % text) from None
